/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SOAK_KINDS_H
#define SOAK_KINDS_H

/**
 * @file
 * Names of the kinds of operations and classes of faults.
 */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/** Kinds of actions; more than the types of operations. */
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
	SOAK_BURST,		/**< Calls that enqueued several operations, which also count by
				  *   their kinds. */
	SOAK_REREGISTER,	/**< A control function; does not count as an operation. */
	SOAK_NB_KINDS,
};

/** Classes of injected faults. */
enum soak_fault {
	SOAK_BAD_LKEY,		/**< An invalid local key. */
	SOAK_BAD_RKEY,
	SOAK_ACCESS,		/**< A key without the required access. */
	SOAK_BOUNDS,
	SOAK_STALE_TAG,		/**< The previous value of a key. */
	SOAK_REVOKED_WINDOW,
	SOAK_LENGTH,		/**< A message longer than its receive. */
	SOAK_RNR,		/**< A message without a receive. */
	SOAK_PEER_RESET,	/**< One end leaves during transfers. */
	SOAK_PEER_GONE,		/**< The peer does not respond. */
	SOAK_RING_FULL,
	SOAK_CQ_FULL,		/**< A completion for each operation, none collected. */
	SOAK_UNMAPPED,		/**< Memory that the process has unmapped. */
	SOAK_ODP,		/**< Absent pages that are paged in. */
	SOAK_ODP_HOLE,		/**< Absent pages that cannot be paged in. */
	SOAK_SIGNATURE,		/**< Blocks with a wrong signature. */
	SOAK_COMMAND,		/**< A command of a control function fails. */
	SOAK_STALL,		/**< The device stops for a while. */
	SOAK_ERROR_CQE,		/**< The device fails a valid operation. */
	SOAK_DOORBELL,		/**< The device processes a doorbell late, or with the next one. */
	SOAK_CQE_DELAY,
	SOAK_REMOVED,		/**< The device is lost and probed again. */
	SOAK_WIRE_LOSS,		/**< Packets are lost. */
	SOAK_WIRE_DUP,		/**< Packets are duplicated. */
	SOAK_WIRE_REORDER,	/**< Packets are reordered. */
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

/** Parse comma-separated names, "all" or "none". Prints an error and returns false on failure. */
bool soak_faults_parse(const char *text, uint32_t *faults);

/** Print each class with a description for the help. */
void soak_faults_print_help(FILE *f);

#endif /* SOAK_KINDS_H */
