/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_CAUSE_H
#define SWHCA_CAUSE_H

/**
 * @file
 * Causes of errors: the one map to the syndromes of a CQE, the NAK of a packet and texts.
 */

#include <stdint.h>

#include "include/wire.h"
#include "object/hca_state.h"

/*
 * Why a WQE or a request fails: name, CQE syndrome, vendor syndrome, NAK code, text.
 *
 * Vendor syndromes of adapters are known from published logs: 0x88 for remote access, 0x81 for an
 * exceeded retry counter (openucx/ucx#6669), 0x52 for the local key of a send queue
 * (openucx/ucx#6414, FDio/csit#3988). There is no public list; the others only identify the model's
 * checks.
 */
#define SWHCA_CAUSES(ROW)                                                                          \
	ROW(OPCODE, LOCAL_QP_OP, 0x01, OP, "unsupported operation")                                \
	ROW(FORMAT, LOCAL_QP_OP, 0x02, OP, "invalid WQE")                                          \
	ROW(RING, LOCAL_QP_OP, 0x03, OP, "ring or doorbell record not mapped, or overrun")         \
	ROW(LENGTH, LOCAL_LENGTH, 0x04, INVAL_REQ, "message too long, or longer than its buffers") \
	ROW(INLINE, LOCAL_LENGTH, 0x02, OP, "inline data longer than their WQE")                   \
	ROW(PIECES, LOCAL_QP_OP, 0x04, OP, "too many pieces of memory for the model")              \
	ROW(UNMAPPED, LOCAL_PROT, 0x05, OP, "memory of a valid key is not mapped")                 \
	ROW(UMR_KEY, MW_BIND, 0x06, OP, "UMR of a key that it must not change")                    \
	ROW(UMR_MASK, LOCAL_QP_OP, 0x07, OP, "UMR of what it must not change")                     \
	ROW(UMR_SIZE, MW_BIND, 0x08, OP, "UMR of more than the key has room for")                  \
	ROW(PSV, LOCAL_QP_OP, 0x0c, OP, "invalid PSV")                                             \
	ROW(BSF, LOCAL_QP_OP, 0x0d, OP, "invalid BSF")                                             \
	ROW(LOCAL_KEY, LOCAL_PROT, 0x52, OP, "wrong key of a send WQE")                            \
	ROW(FLUSH, WR_FLUSH, 0xf9, OP, "flushed in error")                                         \
	ROW(RETRY, TRANSPORT_RETRY_EXC, 0x81, OP, "no acknowledgment")                             \
	ROW(RETRY_OTHER, TRANSPORT_RETRY_EXC, 0x82, OP, "no acknowledgment (quirk)")               \
	ROW(RNR, RNR_RETRY_EXC, 0x09, OP, "no receive WQE")                                        \
	ROW(RNR_OTHER, TRANSPORT_RETRY_EXC, 0x09, OP, "no receive WQE (quirk)")                    \
	ROW(REQUEST_MEMORY, REMOTE_OP, 0x04, OP, "no memory for a request")                        \
	ROW(REQUEST_FLUSH, REMOTE_OP, 0xf9, OP, "behind a request that failed")                    \
	ROW(RESPONSE, REMOTE_OP, 0x04, OP, "response of another length")                           \
	ROW(REMOTE_SRQ, REMOTE_INVAL_REQ, 0x0a, INVAL_REQ, "no such XRC SRQ")                      \
	ROW(REMOTE_ALIGN, REMOTE_INVAL_REQ, 0x0b, INVAL_REQ, "atomic of an unaligned address")     \
	ROW(REMOTE_DENIED, REMOTE_INVAL_REQ, SWHCA_VENDOR_OF(ACCESS), INVAL_REQ, "not allowed")    \
	ROW(REMOTE_LENGTH, REMOTE_INVAL_REQ, 0x04, INVAL_REQ, "message longer than its buffers")   \
	ROW(REMOTE_ACCESS, REMOTE_ACCESS, 0x88, ACCESS, "the key does not grant the access")       \
	ROW(REMOTE_ACCESS_OTHER, REMOTE_ACCESS, 0x89, ACCESS, "access not granted (quirk)")        \
	ROW(REMOTE_DC_KEY, REMOTE_ACCESS, 0x00, ACCESS, "wrong DC access key (quirk)")             \
	ROW(REMOTE_OP, REMOTE_OP, 0x05, OP, "memory not mapped, or an unusable RQ")

/* Why an access through a key is rejected; for the key of a WQE, a local protection error. */
#define SWHCA_FAULTS(ROW)                                                                          \
	ROW(NONE, "none")                                                                          \
	ROW(NO_KEY, "no such key")                                                                 \
	ROW(TAG, "stale key tag")                                                                  \
	ROW(FREE, "key is free")                                                                   \
	ROW(PD, "key of another PD")                                                               \
	ROW(QPN, "key of another QP")                                                              \
	ROW(ACCESS, "access right missing")                                                        \
	ROW(BOUNDS, "out of bounds")                                                               \
	ROW(DEPTH, "too many levels of keys")                                                      \
	ROW(BSF, "no BSF that can be followed")                                                    \
	ROW(BLOCK, "does not begin at a block")                                                    \
	ROW(UNIT, "does not end at a data unit")                                                   \
	ROW(DEK, "not this encryption key")                                                        \
	ROW(LAYOUT, "bad layout")                                                                  \
	ROW(PAGE, "page fault cannot be resolved")                                                 \
	ROW(ABSENT, "page is absent")                                                              \
	ROW(STALE, "pages are not those that were registered")                                     \
	ROW(NO_MEMORY, "model out of memory")

#define SWHCA_CAUSE_NAME(name, cqe, vendor, nak, text) SWHCA_CAUSE_##name,
#define SWHCA_FAULT_NAME(name, text) SWHCA_FAULT_##name,

/** The causes, then those of enum swhca_fault. */
enum swhca_cause { SWHCA_CAUSE_NONE, SWHCA_CAUSES(SWHCA_CAUSE_NAME) SWHCA_CAUSE_KEY };
/** ABSENT is a page fault for software: hca->page_faults.absent. */
enum swhca_fault { SWHCA_FAULTS(SWHCA_FAULT_NAME) };

#define SWHCA_VENDOR_OF(fault) (0xc0u + SWHCA_FAULT_##fault)
#define SWHCA_CAUSE_OF(fault) ((enum swhca_cause)(SWHCA_CAUSE_KEY + (unsigned int)(fault)))

/** Error of a WQE: as in the CQE, and for a log line. */
struct swhca_wqe_error {
	uint8_t syndrome;	/**< MLX5_CQE_SYNDROME_* */
	uint8_t vendor;		/**< Vendor syndrome. */
	const char *text;
};

/** Error that a test has armed. */
#define SWHCA_ARMED_ERROR(inject)                                                                  \
	((struct swhca_wqe_error){ (inject)->syndrome, (inject)->vendor, "armed by a test" })

struct swhca_cause_row {
	struct swhca_wqe_error error;
	enum swhca_nak nak;
};

const struct swhca_cause_row *swhca_cause_row(enum swhca_cause cause);

static inline struct swhca_wqe_error
swhca_cause_error(enum swhca_cause cause)
{
	return swhca_cause_row(cause)->error;
}

/** Cause for a fault of a local key of a send queue. */
static inline enum swhca_cause
swhca_cause_local(const struct swhca_hca *hca, enum swhca_fault fault)
{
	return (fault == SWHCA_FAULT_NO_KEY || fault == SWHCA_FAULT_TAG) &&
		       !swhca_has_quirk(hca, SWHCA_QUIRK_LOCAL_VENDOR) ?
		       SWHCA_CAUSE_LOCAL_KEY : SWHCA_CAUSE_OF(fault);
}

/** Answer to a request that fails. */
static inline struct swhca_wire_answer
swhca_cause_answer(enum swhca_cause cause)
{
	return (struct swhca_wire_answer){ .status = SWHCA_WIRE_ERROR, .cause = (uint8_t)cause };
}

/** Text for a log line. */
static inline const char *
swhca_fault_name(enum swhca_fault fault)
{
	return swhca_cause_row(SWHCA_CAUSE_OF(fault))->error.text;
}

#endif /* SWHCA_CAUSE_H */
