/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_ETH_QUEUE_H
#define SWHCA_ETH_QUEUE_H

/**
 * @file
 * Queues of Ethernet frames: send queues (SQ), and receive queues (RQ) with what spreads frames
 * over them (TIR, RQT). The fabric lock is held.
 */

#include "mlx5_prm_eth.h"
#include "queue/cq.h"

/* log2 of how many there may be, and of their entries. */
#define SWHCA_LOG_MAX_SQ	12u
#define SWHCA_LOG_MAX_ERQ	12u
#define SWHCA_LOG_MAX_TIS	10u
#define SWHCA_LOG_MAX_TIR	12u
#define SWHCA_LOG_MAX_RQT	10u
#define SWHCA_LOG_MAX_RQT_SIZE	11u
#define SWHCA_LOG_MAX_ETH_WQ	15u
/* log2 of the bytes of a WQE of an RQ; those of an SQ are WQEBBs. */
#define SWHCA_LOG_MIN_RQ_STRIDE	4u
#define SWHCA_LOG_MAX_RQ_STRIDE	9u
/** log2 of the bytes of a large send. */
#define SWHCA_LOG_MAX_LSO	18u

struct swhca_tis {
	struct swhca_obj obj;
	struct swhca_obj *td;
	uint8_t tisc[PRM_TISC_SIZE];
};

/** What SQs and RQs have in common. */
struct swhca_ewq {
	struct swhca_hca *hca;
	struct swhca_cq *cq;
	struct swhca_obj *pd;		/**< NULL: no key is of any use to it. */
	struct swhca_umem *umem;	/**< That the ring is in; NULL: it has its own pages. */
	struct swhca_buf buf;
	struct swhca_dbr dbr;
	uint8_t state;			/**< PRM_XQC_STATE_* */
	uint8_t log_size;		/**< log2 of the entries, */
	uint8_t log_stride;		/**< and of the bytes of each. */
	uint16_t ci;			/**< Entries that are done, runs free. */
	uint8_t ctx[PRM_XQC_SIZE];	/**< Context as commands left it. */
};

struct swhca_esq {
	struct swhca_obj obj;
	struct swhca_ewq wq;
	struct swhca_uar *uar;
	struct swhca_tis *tis;		/**< NULL: it cannot send. */
	/**
	 * Value of a doorbell record that was there before the queue was reset. It says nothing of
	 * the queue until it changes, or its doorbell is rung.
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
	uint32_t max;			/**< Room of the list. */
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

/** The queue that a new one is: states begin here. */
void swhca_esq_reset(struct swhca_esq *sq);
void swhca_erq_reset(struct swhca_erq *rq);
/** Give an SQ its turn. */
void swhca_esq_schedule(struct swhca_esq *sq);
/** A doorbell of a page was rung: of which queue, only the values know. */
void swhca_esq_rung(struct swhca_uar *uar, const uint64_t *values, unsigned int nb);
/** Give each SQ that is ready its turn. @return Things done. */
unsigned int swhca_esq_run_all(struct swhca_fabric *fabric);

struct swhca_frame;

/** A frame for an RQ. @param tag Flow tag of its CQE. @param hash, type As a CQE says them. */
void swhca_erq_receive(struct swhca_erq *rq, const struct swhca_frame *frame, uint32_t tag,
		       uint32_t hash, uint8_t type);
/** A frame for a TIR. @param is_self It comes from the same function. */
void swhca_tir_receive(struct swhca_hca *hca, struct swhca_tir *tir,
		       const struct swhca_frame *frame, uint32_t tag, bool is_self);

/* Release what they hold. */
void swhca_tis_fini(struct swhca_hca *hca, struct swhca_obj *obj);
void swhca_esq_fini(struct swhca_hca *hca, struct swhca_obj *obj);
void swhca_erq_fini(struct swhca_hca *hca, struct swhca_obj *obj);
void swhca_rqt_fini(struct swhca_hca *hca, struct swhca_obj *obj);
void swhca_tir_fini(struct swhca_hca *hca, struct swhca_obj *obj);

/* Parts of the above: wq.c */

/** Release what an SQ and an RQ have in common. */
void swhca_ewq_fini(struct swhca_ewq *wq);
/**
 * Entries that are posted.
 *
 * @param dword
 *   PRM_DBR_RQ or PRM_DBR_SQ.
 * @return
 *   0, or -EFAULT: the record is not mapped, or says more than there can be.
 */
int swhca_ewq_posted(const struct swhca_ewq *wq, unsigned int dword, uint32_t *pi, uint32_t *nb);
/** Read bytes from an entry on, around the end of the ring. @return 0 or -EFAULT. */
int swhca_ewq_read(const struct swhca_ewq *wq, uint16_t index, void *dst, size_t len);
/**
 * Copy between the memory behind a data segment and memory of the model.
 *
 * @param is_write
 *   To the memory behind the segment.
 * @return
 *   0, or -EFAULT with the error that a CQE is to have.
 */
int swhca_ewq_copy(const struct swhca_ewq *wq, uint32_t num, const struct mlx5_wqe_data_seg *seg,
		   uint8_t *data, uint64_t len, bool is_write, struct swhca_wqe_error *error);
/** Fill in what CQEs of either begin with. */
void swhca_ewq_cqe_init(const struct swhca_ewq *wq, struct mlx5_cqe64 *cqe, uint8_t opcode,
			uint16_t index);

#endif /* SWHCA_ETH_QUEUE_H */
