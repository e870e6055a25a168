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

/**
 * Kinds of actions, their names and the types of their completions. CONFIGURE is of a list, NESTED
 * a list of configured keys, SIGN a configuration with a block signature; BURST counts calls that
 * enqueued several operations, which also count by their kinds, and REREGISTER a control function.
 */
#define SOAK_KINDS(X)                                                                              \
	X(LIST, "list", MKEY_LIST)                                                                 \
	X(INTERLEAVED, "interleaved", MKEY_INTERLEAVED)                                            \
	X(CONFIGURE, "configure", MKEY_CONFIGURE)                                                  \
	X(UPDATE, "update", MKEY_UPDATE)                                                           \
	X(NESTED, "nested", MKEY_LIST)                                                             \
	X(MBUF_LIST, "mbuf-list", MKEY_LIST)                                                       \
	X(SIGN, "sign", MKEY_CONFIGURE)                                                            \
	X(INVALIDATE, "invalidate", MKEY_INVALIDATE)                                               \
	X(MW_BIND, "mw-bind", MW_BIND)                                                             \
	X(MW_INVALIDATE, "mw-invalidate", MW_INVALIDATE)                                           \
	X(WRITE, "write", WRITE)                                                                   \
	X(WRITE_IMM, "write-imm", WRITE)                                                           \
	X(WRITE_INLINE, "write-inline", WRITE)                                                     \
	X(READ, "read", READ)                                                                      \
	X(SEND, "send", SEND)                                                                      \
	X(SEND_IMM, "send-imm", SEND)                                                              \
	X(SEND_INV, "send-inv", SEND)                                                              \
	X(SEND_INLINE, "send-inline", SEND)                                                        \
	X(RECV, "recv", RECV)                                                                      \
	X(FETCH_ADD, "fetch-add", FETCH_ADD)                                                       \
	X(CMP_SWAP, "cmp-swap", CMP_SWAP)                                                          \
	X(BURST, "burst", MKEY_LIST)                                                               \
	X(REREGISTER, "reregister", MKEY_LIST)

/** Classes of injected faults, their names and their descriptions. */
#define SOAK_FAULTS(X)                                                                             \
	X(BAD_LKEY, "bad-lkey", "a local key that does not exist")                                 \
	X(BAD_RKEY, "bad-rkey", "a remote key that does not exist")                                \
	X(ACCESS, "access", "a key without the required access, on either side")                   \
	X(BOUNDS, "bounds", "a range beyond the key, on either side")                              \
	X(STALE_TAG, "stale-tag", "an old or invalidated value of a key")                          \
	X(REVOKED_WINDOW, "revoked-window", "an invalidated memory window")                        \
	X(LENGTH, "length", "a message longer than its receive")                                   \
	X(RNR, "rnr", "a message without a receive")                                               \
	X(PEER_RESET, "peer-reset", "one end of a connection is reset during transfers")           \
	X(PEER_GONE, "peer-gone", "the peer does not respond")                                     \
	X(RING_FULL, "ring-full", "more operations than the ring can hold")                        \
	X(CQ_FULL, "cq-full", "a full ring whose operations all request a completion")             \
	X(UNMAPPED, "unmapped", "memory that the process has unmapped, on either side")            \
	X(ODP, "odp", "page faults on either side")                                                \
	X(ODP_HOLE, "odp-hole", "page faults that cannot be resolved, on either side")             \
	X(SIGNATURE, "signature", "blocks with a wrong signature")                                 \
	X(COMMAND, "command", "commands of control functions fail (software device)")              \
	X(STALL, "stall", "the device stalls for a while (software device)")                       \
	X(ERROR_CQE, "error-cqe", "a valid operation fails (software device)")                     \
	X(DOORBELL, "doorbell", "a doorbell is delayed, or merged with the next (software device)")\
	X(CQE_DELAY, "cqe-delay", "completions are delayed (software device)")                     \
	X(REMOVED, "removed", "a device is lost, closed and probed again (software device)")       \
	X(WIRE_LOSS, "wire-loss", "packets are lost (software device on a wire)")                  \
	X(WIRE_DUP, "wire-dup", "packets are duplicated (software device on a wire)")              \
	X(WIRE_REORDER, "wire-reorder", "packets are reordered (software device on a wire)")

#define SOAK_ENUM(value, ...)	SOAK_##value,

enum soak_kind { SOAK_KINDS(SOAK_ENUM) SOAK_NB_KINDS };
enum soak_fault { SOAK_FAULTS(SOAK_ENUM) SOAK_NB_FAULTS };

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
