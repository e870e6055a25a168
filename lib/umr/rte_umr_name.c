/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Names of operations, statuses and reasons.
 */

#include <assert.h>

#include "rte_umr.h"

static const char *const status_names[] = {
	[RTE_UMR_STATUS_SUCCESS] = "success",
	[RTE_UMR_STATUS_FLUSHED] = "flushed",
	[RTE_UMR_STATUS_LOCAL_LENGTH] = "local-length",
	[RTE_UMR_STATUS_LOCAL_QP_OP] = "local-qp-op",
	[RTE_UMR_STATUS_LOCAL_PROT] = "local-protection",
	[RTE_UMR_STATUS_MKEY_CONFIG] = "mkey-config",
	[RTE_UMR_STATUS_BAD_RESPONSE] = "bad-response",
	[RTE_UMR_STATUS_LOCAL_ACCESS] = "local-access",
	[RTE_UMR_STATUS_REMOTE_INVALID] = "remote-invalid",
	[RTE_UMR_STATUS_REMOTE_ACCESS] = "remote-access",
	[RTE_UMR_STATUS_REMOTE_OP] = "remote-operation",
	[RTE_UMR_STATUS_RETRY_EXCEEDED] = "retry-exceeded",
	[RTE_UMR_STATUS_RNR_RETRY_EXCEEDED] = "rnr-retry-exceeded",
	[RTE_UMR_STATUS_REMOTE_ABORTED] = "remote-aborted",
	[RTE_UMR_STATUS_UNKNOWN] = "unknown",
};

static const char *const dev_status_names[] = {
	[RTE_UMR_DEV_STATUS_OK] = "ok",
	[RTE_UMR_DEV_STATUS_FAILED] = "failed",
	[RTE_UMR_DEV_STATUS_SILENT] = "silent",
};

static const char *const queue_status_names[] = {
	[RTE_UMR_QUEUE_STATUS_IDLE] = "idle",
	[RTE_UMR_QUEUE_STATUS_ACTIVE] = "active",
	[RTE_UMR_QUEUE_STATUS_NOT_CONNECTED] = "not-connected",
	[RTE_UMR_QUEUE_STATUS_ERROR] = "error",
	[RTE_UMR_QUEUE_STATUS_LOST] = "lost",
};

static const char *const reject_names[] = {
	[RTE_UMR_REJECT_RING_FULL] = "ring-full",
	[RTE_UMR_REJECT_LIST_FULL] = "list-full",
	[RTE_UMR_REJECT_NOT_CONNECTED] = "not-connected",
	[RTE_UMR_REJECT_QUEUE_ERROR] = "queue-error",
	[RTE_UMR_REJECT_UNSUPPORTED] = "unsupported",
	[RTE_UMR_REJECT_FLAGS] = "flags",
	[RTE_UMR_REJECT_RESERVED] = "reserved",
	[RTE_UMR_REJECT_BURST] = "burst",
	[RTE_UMR_REJECT_OWNER] = "owner",
	[RTE_UMR_REJECT_KEY] = "key",
	[RTE_UMR_REJECT_ACCESS] = "access",
	[RTE_UMR_REJECT_SETTERS] = "setters",
	[RTE_UMR_REJECT_LAYOUT] = "layout",
	[RTE_UMR_REJECT_ENTRIES] = "entries",
	[RTE_UMR_REJECT_LENGTH] = "length",
	[RTE_UMR_REJECT_RANGE] = "range",
	[RTE_UMR_REJECT_SIGNATURE] = "signature",
	[RTE_UMR_REJECT_CRYPTO] = "crypto",
	[RTE_UMR_REJECT_ADDRESS] = "address",
};

static_assert(RTE_DIM(reject_names) <= RTE_UMR_REJECT_MAX, "each has a counter");

const char *
rte_umr_op_name(unsigned int op)
{
	/* Without a default case, the compiler reports a type that has no name. */
	switch ((enum rte_umr_op_type)op) {
	case RTE_UMR_OP_MKEY_LIST:
		return "mkey-list";
	case RTE_UMR_OP_MKEY_INTERLEAVED:
		return "mkey-interleaved";
	case RTE_UMR_OP_MKEY_INVALIDATE:
		return "mkey-invalidate";
	case RTE_UMR_OP_WRITE:
		return "write";
	case RTE_UMR_OP_READ:
		return "read";
	case RTE_UMR_OP_SEND:
		return "send";
	case RTE_UMR_OP_RECV:
		return "recv";
	case RTE_UMR_OP_RECV_WRITE_IMM:
		return "recv-write-imm";
	case RTE_UMR_OP_FETCH_ADD:
		return "fetch-add";
	case RTE_UMR_OP_CMP_SWAP:
		return "cmp-swap";
	case RTE_UMR_OP_MKEY_CONFIGURE:
		return "mkey-configure";
	case RTE_UMR_OP_MKEY_UPDATE:
		return "mkey-update";
	case RTE_UMR_OP_MW_BIND:
		return "mw-bind";
	case RTE_UMR_OP_MW_INVALIDATE:
		return "mw-invalidate";
	}
	return "unknown";
}

const char *
rte_umr_status_name(unsigned int status)
{
	return status < RTE_DIM(status_names) ? status_names[status] : "unknown";
}

const char *
rte_umr_dev_status_name(unsigned int status)
{
	return status < RTE_DIM(dev_status_names) ? dev_status_names[status] : "unknown";
}

const char *
rte_umr_queue_status_name(unsigned int status)
{
	return status < RTE_DIM(queue_status_names) ? queue_status_names[status] :
							      "unknown";
}

const char *
rte_umr_reject_name(unsigned int reason)
{
	return reason < RTE_DIM(reject_names) ? reject_names[reason] : "unknown";
}
