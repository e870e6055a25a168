/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <string.h>

#include "soak/kinds.h"
#include "tool/tool.h"

const char *const soak_kind_names[SOAK_NB_KINDS] = {
	[SOAK_LIST] = "list",
	[SOAK_INTERLEAVED] = "interleaved",
	[SOAK_CONFIGURE] = "configure",
	[SOAK_UPDATE] = "update",
	[SOAK_NESTED] = "nested",
	[SOAK_MBUF_LIST] = "mbuf-list",
	[SOAK_SIGN] = "sign",
	[SOAK_INVALIDATE] = "invalidate",
	[SOAK_MW_BIND] = "mw-bind",
	[SOAK_MW_INVALIDATE] = "mw-invalidate",
	[SOAK_WRITE] = "write",
	[SOAK_WRITE_IMM] = "write-imm",
	[SOAK_WRITE_INLINE] = "write-inline",
	[SOAK_READ] = "read",
	[SOAK_SEND] = "send",
	[SOAK_SEND_IMM] = "send-imm",
	[SOAK_SEND_INV] = "send-inv",
	[SOAK_SEND_INLINE] = "send-inline",
	[SOAK_RECV] = "recv",
	[SOAK_FETCH_ADD] = "fetch-add",
	[SOAK_CMP_SWAP] = "cmp-swap",
	[SOAK_BURST] = "burst",
	[SOAK_REREGISTER] = "reregister",
};

const char *const soak_fault_names[SOAK_NB_FAULTS] = {
	[SOAK_BAD_LKEY] = "bad-lkey",
	[SOAK_BAD_RKEY] = "bad-rkey",
	[SOAK_ACCESS] = "access",
	[SOAK_BOUNDS] = "bounds",
	[SOAK_STALE_TAG] = "stale-tag",
	[SOAK_REVOKED_WINDOW] = "revoked-window",
	[SOAK_LENGTH] = "length",
	[SOAK_RNR] = "rnr",
	[SOAK_PEER_RESET] = "peer-reset",
	[SOAK_PEER_GONE] = "peer-gone",
	[SOAK_RING_FULL] = "ring-full",
	[SOAK_CQ_FULL] = "cq-full",
	[SOAK_UNMAPPED] = "unmapped",
	[SOAK_ODP] = "odp",
	[SOAK_ODP_HOLE] = "odp-hole",
	[SOAK_SIGNATURE] = "signature",
	[SOAK_COMMAND] = "command",
	[SOAK_STALL] = "stall",
	[SOAK_ERROR_CQE] = "error-cqe",
	[SOAK_DOORBELL] = "doorbell",
	[SOAK_CQE_DELAY] = "cqe-delay",
	[SOAK_REMOVED] = "removed",
	[SOAK_WIRE_LOSS] = "wire-loss",
	[SOAK_WIRE_DUP] = "wire-dup",
	[SOAK_WIRE_REORDER] = "wire-reorder",
};

static const char *const fault_texts[SOAK_NB_FAULTS] = {
	[SOAK_BAD_LKEY] = "a local key that does not exist",
	[SOAK_BAD_RKEY] = "a remote key that does not exist",
	[SOAK_ACCESS] = "a key without the required access, on either side",
	[SOAK_BOUNDS] = "a range beyond the key, on either side",
	[SOAK_STALE_TAG] = "an old or invalidated value of a key",
	[SOAK_REVOKED_WINDOW] = "an invalidated memory window",
	[SOAK_LENGTH] = "a message longer than its receive",
	[SOAK_RNR] = "a message without a receive",
	[SOAK_PEER_RESET] = "one end of a connection is reset during transfers",
	[SOAK_PEER_GONE] = "the peer does not respond",
	[SOAK_RING_FULL] = "more operations than the ring can hold",
	[SOAK_CQ_FULL] = "a full ring whose operations all request a completion",
	[SOAK_UNMAPPED] = "memory that the process has unmapped, on either side",
	[SOAK_ODP] = "page faults on either side",
	[SOAK_ODP_HOLE] = "page faults that cannot be resolved, on either side",
	[SOAK_SIGNATURE] = "blocks with a wrong signature",
	[SOAK_COMMAND] = "commands of control functions fail (software device)",
	[SOAK_STALL] = "the device stalls for a while (software device)",
	[SOAK_ERROR_CQE] = "a valid operation fails (software device)",
	[SOAK_DOORBELL] = "a doorbell is delayed, or merged with the next (software device)",
	[SOAK_CQE_DELAY] = "completions are delayed (software device)",
	[SOAK_REMOVED] = "a device is lost, closed and probed again (software device)",
	[SOAK_WIRE_LOSS] = "packets are lost (software device on a wire)",
	[SOAK_WIRE_DUP] = "packets are duplicated (software device on a wire)",
	[SOAK_WIRE_REORDER] = "packets are reordered (software device on a wire)",
};

static bool
fault_add(const char *name, void *arg)
{
	uint32_t *faults = arg;

	if (strcmp(name, "all") == 0 || strcmp(name, "none") == 0) {
		*faults = name[0] == 'a' ? SOAK_ALL_FAULTS : 0;
		return true;
	}
	for (unsigned int i = 0; i < SOAK_NB_FAULTS; i++)
		if (strcmp(name, soak_fault_names[i]) == 0) {
			*faults |= SOAK_FAULT_BIT(i);
			return true;
		}
	tool_error("--faults: '%s' is not a class of faults; see soak --help", name);
	return false;
}

bool
soak_faults_parse(const char *text, uint32_t *faults)
{
	*faults = 0;
	return tool_parse_list(text, fault_add, faults);
}

void
soak_faults_print_help(FILE *f)
{
	for (unsigned int i = 0; i < SOAK_NB_FAULTS; i++)
		fprintf(f, "  %-16s %s\n", soak_fault_names[i], fault_texts[i]);
}
