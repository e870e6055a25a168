/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_ETH_QUEUE_H
#define SWHCA_ETH_QUEUE_H

/**
 * @file
 * Queues of Ethernet frames: send queues (SQ), and receive queues (RQ) with the objects that
 * distribute frames to them (TIR, RQT). The fabric lock is held.
 */

#include "mlx5_prm_eth.h"
#include "queue/cq.h"

/* log2 of the numbers of objects and of their entries. */
#define SWHCA_LOG_MAX_SQ	12u
#define SWHCA_LOG_MAX_ERQ	12u
#define SWHCA_LOG_MAX_TIS	10u
#define SWHCA_LOG_MAX_TIR	12u
#define SWHCA_LOG_MAX_RQT	10u
#define SWHCA_LOG_MAX_RQT_SIZE	11u
#define SWHCA_LOG_MAX_ETH_WQ	15u
/* log2 of the size of a WQE of an RQ; those of an SQ are WQEBBs. */
#define SWHCA_LOG_MIN_RQ_STRIDE	4u
#define SWHCA_LOG_MAX_RQ_STRIDE	9u
/** log2 of the maximum size of a large send. */
#define SWHCA_LOG_MAX_LSO	18u

struct swhca_tis {
	struct swhca_obj obj;
	struct swhca_obj *td;
	uint8_t tisc[PRM_TISC_SIZE];
};

/** Common part of SQs and RQs. */
struct swhca_ewq {
	struct swhca_hca *hca;
	struct swhca_cq *cq;
	struct swhca_obj *pd;		/**< NULL: it can use no key. */
	struct swhca_umem *umem;	/**< Contains the ring; NULL: it has its own pages. */
	struct swhca_buf buf;
	struct swhca_dbr dbr;
	uint8_t state;			/**< PRM_XQC_STATE_* */
	uint8_t log_size;		/**< log2 of the number of entries. */
	uint8_t log_stride;		/**< log2 of the size of an entry. */
	uint16_t ci;			/**< Completed entries, free-running. */
	uint8_t ctx[PRM_XQC_SIZE];	/**< Context as set by commands. */
};

struct swhca_esq {
	struct swhca_obj obj;
	struct swhca_ewq wq;
	struct swhca_uar *uar;
	struct swhca_tis *tis;		/**< NULL: it cannot send. */
	/**
	 * Value of the doorbell record from before the queue was reset. It is ignored until it
	 * changes, or the doorbell is rung.
	 */
	uint16_t stale_pi;
	bool is_stale;
	bool is_queued;			/**< In fabric->ready_sqs. */
	LIST_ENTRY(swhca_esq) uar_link;
	TAILQ_ENTRY(swhca_esq) ready;
};

struct swhca_erq {
	struct swhca_obj obj;
	struct swhca_ewq wq;
	bool strips_vlan;
};

struct swhca_rqt {
	struct swhca_obj obj;
	uint32_t max;			/**< Capacity of the list. */
	uint32_t nb;
	struct swhca_erq **rqs;
};

struct swhca_tir {
	struct swhca_obj obj;
	struct swhca_obj *td;
	struct swhca_erq *rq;		/**< Direct, or NULL. */
	struct swhca_rqt *rqt;		/**< Indirect, or NULL. */
	uint8_t tirc[PRM_TIRC_SIZE];
};

/** Set the state of a new queue. */
void swhca_esq_reset(struct swhca_esq *sq);
void swhca_erq_reset(struct swhca_erq *rq);
/** Schedule an SQ. */
void swhca_esq_schedule(struct swhca_esq *sq);
/** Handle doorbells of a page; their values identify the queues. */
void swhca_esq_rung(struct swhca_uar *uar, const uint64_t *values, unsigned int nb);
/** Execute all ready SQs. @return Number of things done. */
unsigned int swhca_esq_run_all(struct swhca_fabric *fabric);

struct swhca_frame;

/** Receive a frame. @param tag Flow tag of its CQE. @param hash, type For its CQE. */
void swhca_erq_receive(struct swhca_erq *rq, const struct swhca_frame *frame, uint32_t tag,
		       uint32_t hash, uint8_t type);
/** Receive a frame by a TIR. @param is_self It comes from the same function. */
void swhca_tir_receive(struct swhca_hca *hca, struct swhca_tir *tir,
		       const struct swhca_frame *frame, uint32_t tag, bool is_self);

/* Release their resources. */
void swhca_tis_fini(struct swhca_hca *hca, struct swhca_obj *obj);
void swhca_esq_fini(struct swhca_hca *hca, struct swhca_obj *obj);
void swhca_erq_fini(struct swhca_hca *hca, struct swhca_obj *obj);
void swhca_rqt_fini(struct swhca_hca *hca, struct swhca_obj *obj);
void swhca_tir_fini(struct swhca_hca *hca, struct swhca_obj *obj);

/* Parts of the above: eth_wq.c */

/** Release the common part of an SQ or RQ. */
void swhca_ewq_fini(struct swhca_ewq *wq);
/**
 * Get the posted entries.
 *
 * @param dword
 *   PRM_DBR_RQ or PRM_DBR_SQ.
 * @return
 *   0, or -EFAULT: the record is not mapped, or has an impossible value.
 */
int swhca_ewq_posted(const struct swhca_ewq *wq, unsigned int dword, uint32_t *pi, uint32_t *nb);
/** Read bytes from an entry on, wrapping around the ring. @return 0 or -EFAULT. */
int swhca_ewq_read(const struct swhca_ewq *wq, uint16_t index, void *dst, size_t len);
/**
 * Copy between the memory of a data segment and memory of the model.
 *
 * @param is_write
 *   To the memory of the segment.
 * @return
 *   0, or -EFAULT with the error for a CQE.
 */
int swhca_ewq_copy(const struct swhca_ewq *wq, uint32_t num, const struct mlx5_wqe_data_seg *seg,
		   uint8_t *data, uint64_t len, bool is_write, struct swhca_wqe_error *error);
/** Fill in the common fields of a CQE. */
void swhca_ewq_cqe_init(const struct swhca_ewq *wq, struct mlx5_cqe64 *cqe, uint8_t opcode,
			uint16_t index);

#endif /* SWHCA_ETH_QUEUE_H */
