/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_ENGINE_H
#define SWHCA_ENGINE_H

/**
 * @file
 * What executes queues: the engine, and the rooms it calls. The fabric lock is held in all of it.
 */

#include "mlx5_prm_wqe.h"
#include "mem/mkey.h"
#include "object/object.h"
#include "xport/port.h"

/** Bytes of a send queue that are fetched at once; one WQE is never longer. */
#define SWHCA_FETCH_BYTES 4096u
/**
 * How far software may be ahead of the ring, in WQEBBs: it may use the room of a WQE that gives no
 * CQE as soon as the CQE before that one is there, for the adapter has fetched it by then. DPDK's
 * crypto driver pads its ring with such NOPs.
 */
#define SWHCA_MAX_AHEAD_BB (SWHCA_MAX_WQE_SZ_SQ / PRM_WQE_BB_SIZE)
/** How soon a queue that waits for somebody else looks again. */
#define SWHCA_WAIT_POLL_NS 20000u
/** How soon one that is ahead of its rate does, at the latest: the limit may be gone by then. */
#define SWHCA_PACE_POLL_NS 1000000u
/** Send WQEs that a QP executes before the next has its turn. */
#define SWHCA_QP_QUANTUM 64u
/*
 * Cost of what the engine does, in bytes that it could copy meanwhile. A turn of a QP ends, and the
 * engine lets commands in, when one WQE more than SWHCA_COST_TURN allows is done.
 */
#define SWHCA_COST_TURN (UINT64_C(4) << 20)
/** Of a turn at all, of a WQE, and of one entry of a translation. */
#define SWHCA_COST_RUN 256u
#define SWHCA_COST_WQE 1024u
#define SWHCA_COST_STEP 64u
/** Of one byte that is signed or encrypted. */
#define SWHCA_COST_XFORM 8u

/** How a WQE ended. */
enum swhca_wqe_end {
	SWHCA_WQE_DONE,		/**< Completed; a CQE if it asks for one. */
	SWHCA_WQE_ERROR,	/**< Completed in error: a CQE, and the QP goes to error. */
	SWHCA_WQE_DROPPED,	/**< As done, but its message is lost: nobody knows. */
	SWHCA_WQE_WAIT,		/**< Not now: qp->not_before_ns tells when to try again. */
};

/** Why a WQE ended in error, as the CQE says it. */
struct swhca_wqe_error {
	uint8_t syndrome;	/**< MLX5_CQE_SYNDROME_* */
	uint8_t vendor;		/**< SWHCA_VENDOR_* */
};

/*
 * Vendor syndromes. 0x88 is what hardware reports for a remote access fault; the list is not
 * public, so the others only tell the model's checks apart: 0x40 + enum swhca_fault for a key.
 */
#define SWHCA_VENDOR_REMOTE_ACCESS	0x88u
#define SWHCA_VENDOR_OPCODE		0x01u
#define SWHCA_VENDOR_FORMAT		0x02u
#define SWHCA_VENDOR_RING		0x03u
#define SWHCA_VENDOR_LENGTH		0x04u
#define SWHCA_VENDOR_UNMAPPED		0x05u
#define SWHCA_VENDOR_UMR_KEY		0x06u
#define SWHCA_VENDOR_UMR_MASK		0x07u
#define SWHCA_VENDOR_UMR_SIZE		0x08u
#define SWHCA_VENDOR_RETRY		0x09u
#define SWHCA_VENDOR_SRQ		0x0au
#define SWHCA_VENDOR_ALIGN		0x0bu
#define SWHCA_VENDOR_PSV		0x0cu
#define SWHCA_VENDOR_BSF		0x0du
#define SWHCA_VENDOR_FLUSH		0xf9u
#define SWHCA_VENDOR_FAULT(fault)	(0x40u + (unsigned int)(fault))

/** Payload of a message that comes in its CQE, from fabric->scatter; len 0: none does. */
struct swhca_scatter {
	uint32_t len;
	uint32_t room;		/**< Bytes that the CQE has for it: 32 or 64. */
};

/** One send WQE on its way. */
struct swhca_wqe {
	const uint8_t *data;	/**< Linear copy, nb_ds octowords. */
	uint32_t nb_ds;
	uint32_t ds;		/**< Octowords taken so far: the next segment begins here. */
	uint8_t opcode;
	uint8_t opmod;
	uint8_t fm_ce_se;
	uint16_t index;		/**< Of its first WQEBB. */
	uint32_t imm;		/**< As in memory. */
	uint32_t byte_cnt;	/**< For the CQE. */
	const struct mlx5_wqe_av *av;	/**< Of service types that have one in the WQE. */
	bool is_base_av;		/**< It ends before the GRH part. */
	uint32_t srqn;			/**< XRC: shared queue that it goes to. */
	struct swhca_scatter scatter;
	struct swhca_wqe_error error;
};

/** Note an error. @return SWHCA_WQE_ERROR. */
static inline enum swhca_wqe_end
swhca_wqe_fail(struct swhca_wqe *wqe, uint8_t syndrome, unsigned int vendor)
{
	wqe->error = (struct swhca_wqe_error){ .syndrome = syndrome, .vendor = (uint8_t)vendor };
	return SWHCA_WQE_ERROR;
}

/** Bytes of a data segment. PRM: a byte count of 0 means 2 GiB. */
static inline uint64_t
swhca_data_seg_len(const struct mlx5_wqe_data_seg *seg)
{
	return seg->byte_count == 0 ? UINT64_C(1) << 31 : be32toh(seg->byte_count);
}

/** Monotonic time, nanoseconds; base/clock.c. */
uint64_t swhca_now_ns(void);

struct swhca_responder;
struct swhca_message;

/* Engine: engine.c */
/** Give a QP its turn. */
void swhca_qp_schedule(struct swhca_qp *qp);
/** Have a QP in RTS execute what is posted now and no more, and then say so. */
void swhca_qp_drain(struct swhca_qp *qp);
/** Have a QP wait that is ahead of a rate by that time. */
void swhca_qp_pace(struct swhca_qp *qp, uint64_t wait_ns);
/** Stop a send queue in front of the WQE at sq_ci: state SQD, and the event that tells. */
void swhca_qp_set_drained(struct swhca_qp *qp);
/** Move a QP to error and flush it in its next turn. */
void swhca_qp_fail(struct swhca_qp *qp);

/* Completing without executing: ack.c */
/**
 * Complete what was rung at a page that queues ring at.
 *
 * @param doorbells
 *   The values that were taken from the registers of the page.
 * @param nb
 *   Number of values, at least 1.
 */
void swhca_ack_doorbells(struct swhca_uar *uar, const uint64_t *doorbells, unsigned int nb);

/* Payload: mem/payload.c */
/**
 * Move the bytes of one translated list to another of the same length, and count them for hca.
 * All payload of all transports goes this way, so that what a key does to its data is in one
 * place.
 *
 * @return
 *   0, -EFAULT (the source cannot be read) or -EACCES (the destination cannot be written).
 */
int swhca_payload_copy(struct swhca_hca *hca, const struct swhca_spans *dst,
		       const struct swhca_spans *src);

/* Send queues: wqe.c */
/** Execute up to SWHCA_QP_QUANTUM WQEs of a QP. @return How many; more may be left. */
unsigned int swhca_qp_run(struct swhca_qp *qp);

/* Completion: queue/cq.c */
void swhca_cq_send_done(struct swhca_qp *qp, const struct swhca_wqe *wqe);
void swhca_cq_send_error(struct swhca_qp *qp, const struct swhca_wqe *wqe);
/** @param opcode MLX5_CQE_RESP_*; @param imm As it came, big endian. */
void swhca_cq_recv_done(const struct swhca_responder *to, uint16_t index,
			const struct swhca_message *msg, const struct swhca_scatter *scatter);
void swhca_cq_recv_error(const struct swhca_responder *to, uint16_t index,
			 struct swhca_wqe_error error);

/** A signature that data do not have. */
struct swhca_sig_error {
	uint32_t key;
	uint32_t qpn;
	uint16_t syndrome;	/**< PRM_SIGERR_SYNDROME_* */
	bool is_memory;		/**< The domain that it was checked in. */
	bool is_trans;		/**< It is that of a transaction, not of a block. */
	uint64_t expected;	/**< What the signature field says. */
	uint64_t actual;	/**< What the data give. */
	uint64_t offset;	/**< Of the block in its domain, in bytes. */
};
/** Tell a signature error; no WQE ends by it. */
void swhca_cq_sig_error(struct swhca_hca *hca, struct swhca_cq *cq,
			const struct swhca_sig_error *error);

/* Signature: op/psv.c */
enum swhca_wqe_end swhca_set_psv_exec(struct swhca_qp *qp, struct swhca_wqe *wqe);

/* UMR and local invalidate: op/umr.c */
enum swhca_wqe_end swhca_umr_exec(struct swhca_qp *qp, struct swhca_wqe *wqe);
enum swhca_wqe_end swhca_local_inv_exec(struct swhca_qp *qp, struct swhca_wqe *wqe);

/* Memory-to-memory operations: op/mmo.c */
/** log2 of the most bytes of a copy. */
#define SWHCA_LOG_MAX_MMO_DMA 21u
enum swhca_wqe_end swhca_mmo_exec(struct swhca_qp *qp, struct swhca_wqe *wqe);

/* Transfers: op/rdma.c */
enum swhca_wqe_end swhca_rdma_write_exec(struct swhca_qp *qp, struct swhca_wqe *wqe);
enum swhca_wqe_end swhca_rdma_read_exec(struct swhca_qp *qp, struct swhca_wqe *wqe);
enum swhca_wqe_end swhca_send_exec(struct swhca_qp *qp, struct swhca_wqe *wqe);

/* Atomics: op/atomic.c */
enum swhca_wqe_end swhca_atomic_exec(struct swhca_qp *qp, struct swhca_wqe *wqe);

#endif /* SWHCA_ENGINE_H */
