/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SOAK_KINDS_H
#define SOAK_KINDS_H

/**
 * @file
 * Kinds of operations, and classes of faults, by name.
 */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/** What is done; more than there are types of operations. */
enum soak_kind {
	SOAK_LIST,
	SOAK_INTERLEAVED,
	SOAK_CONFIGURE,		/**< rte_umr_mkey_configure() of a list */
	SOAK_UPDATE,
	SOAK_NESTED,		/**< A list of configured keys. */
	SOAK_MBUF_LIST,		/**< rte_umr_mbuf_mkey_list() of a chain of mbufs */
	SOAK_SIGN,		/**< rte_umr_mkey_configure() with a block signature */
	SOAK_INVALIDATE,
	SOAK_MW_BIND,
	SOAK_MW_INVALIDATE,
	SOAK_WRITE,
	SOAK_WRITE_IMM,
	SOAK_WRITE_INLINE,
	SOAK_READ,
	SOAK_SEND,
	SOAK_SEND_IMM,
	SOAK_SEND_INV,
	SOAK_SEND_INLINE,
	SOAK_RECV,
	SOAK_FETCH_ADD,
	SOAK_CMP_SWAP,
	SOAK_BURST,		/**< Calls that enqueued several; these are in their own kinds. */
	SOAK_REREGISTER,	/**< A control function, not counted as an operation. */
	SOAK_NB_KINDS,
};

/** What is made to go wrong. */
enum soak_fault {
	SOAK_BAD_LKEY,		/**< A local key that does not exist. */
	SOAK_BAD_RKEY,
	SOAK_ACCESS,		/**< A key without the right. */
	SOAK_BOUNDS,
	SOAK_STALE_TAG,		/**< The value that a key had before. */
	SOAK_REVOKED_WINDOW,
	SOAK_LENGTH,		/**< A message longer than its receive. */
	SOAK_RNR,		/**< A message without a receive. */
	SOAK_PEER_RESET,	/**< One end leaves while transfers are on their way. */
	SOAK_PEER_GONE,		/**< Nobody answers. */
	SOAK_RING_FULL,
	SOAK_CQ_FULL,		/**< A completion for each operation, and none is collected. */
	SOAK_UNMAPPED,		/**< Memory that the process has unmapped. */
	SOAK_ODP,		/**< Absent pages, brought in. */
	SOAK_ODP_HOLE,		/**< Absent pages that cannot be. */
	SOAK_SIGNATURE,		/**< Blocks whose signature is wrong. */
	SOAK_COMMAND,		/**< A command of a control function fails. */
	SOAK_STALL,		/**< The device stands still for a while. */
	SOAK_ERROR_CQE,		/**< The device fails an operation that is good. */
	SOAK_DOORBELL,		/**< It notices a doorbell late, or with the next one. */
	SOAK_CQE_DELAY,
	SOAK_REMOVED,		/**< The device is lost, and probed again. */
	SOAK_WIRE_LOSS,		/**< Packets are lost, */
	SOAK_WIRE_DUP,		/**< come twice, */
	SOAK_WIRE_REORDER,	/**< or behind later ones. */
	SOAK_NB_FAULTS,
};

/** Faults of the wire. */
static inline bool
soak_fault_is_wire(enum soak_fault fault)
{
	return fault >= SOAK_WIRE_LOSS && fault <= SOAK_WIRE_REORDER;
}

#define SOAK_FAULT_BIT(fault)	(UINT32_C(1) << (fault))
#define SOAK_ALL_FAULTS		((UINT32_C(1) << SOAK_NB_FAULTS) - 1)

extern const char *const soak_kind_names[SOAK_NB_KINDS];
extern const char *const soak_fault_names[SOAK_NB_FAULTS];

/** Parse names with commas between them, "all" or "none"; complains and returns false. */
bool soak_faults_parse(const char *text, uint32_t *faults);

/** For the help: each class with what it does. */
void soak_faults_print_help(FILE *f);

#endif /* SOAK_KINDS_H */
