/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_QUEUE_H
#define MLX5_UMR_QUEUE_H

/**
 * @file
 * A queue: send ring, optional receive ring and their completion rings, in one piece of memory.
 *
 * An operation moves through four indices:
 *
 *      op_ci          op_done         op_submitted      op_pi
 *        |  done, status  |  at the device  |  only built  |
 *        |  is known      |                 |              |
 *
 * Its descriptors are free again when it has been collected (op_ci). ops contains the state of
 * operations. Only the last WQE of a submit requests a CQE, so submits contains the expected CQEs
 * and the operations that they complete; the WQE of an error CQE is searched in ops.
 */

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/queue.h>

#include <infiniband/mlx5dv.h>

#include <rte_byteorder.h>
#include <rte_common.h>

#include <mlx5_prm_wqe.h>
#include <rte_umr.h>

#include "ring/klm_mem.h"
#include "wqe/index.h"
#include "ring/mem.h"
#include "ring/sg.h"

/** Log2 of a power of two, in the format of the device. */
static inline uint8_t
mlx5_umr_log2(uint32_t size)
{
	return (uint8_t)rte_log2_u32(size);
}

struct mlx5_umr_dct;
struct mlx5_umr_device;
struct mlx5_umr_key_table;

/** State of an operation from enqueue to collection. */
struct mlx5_umr_op {
	union {
		struct {
			uint32_t length;	/* bytes moved, 0 for keys and atomics */
			uint16_t pi;		/* its first WQEBB, the low bits */
			uint8_t type;		/* enum rte_umr_op_type */
			uint8_t status;		/* enum rte_umr_status, valid below op_done */
		};
		uint64_t word;
	};
};

static_assert(sizeof(struct mlx5_umr_op) == sizeof(uint64_t), "one store");

#define MLX5_UMR_OP_PI_SHIFT	32

/** State of a successful operation, as one word. */
static inline uint64_t
mlx5_umr_op_word(mlx5_umr_idx_t pi, uint8_t type, uint32_t length)
{
	const uint16_t low = mlx5_umr_idx_low(pi);

	return (uint64_t)type << 48 | (uint64_t)low << MLX5_UMR_OP_PI_SHIFT | length;
}

static_assert(RTE_UMR_STATUS_SUCCESS == 0, "an operation begins with success");

/** Number of status counters. */
#define MLX5_UMR_NB_STATUSES	(RTE_UMR_STATUS_UNKNOWN + 1)

/** A doorbell. */
struct mlx5_umr_submit {
	mlx5_umr_idx_t op_end;	/* operation after its last one */
	uint16_t wqe_counter;	/* of its last WQE, as in the CQE */
};

/** CQs of a queue. */
enum mlx5_umr_cq_kind {
	MLX5_UMR_SEND_CQ = 0,
	MLX5_UMR_RECV_CQ,
	MLX5_UMR_NB_CQS,
};

/** Completion ring. */
struct mlx5_umr_cq {
	volatile struct mlx5_cqe64 *next;	/* entry of ci */
	volatile struct mlx5_cqe64 *ring;
	volatile rte_be32_t *dbr;	/* consumer counter */
	mlx5_umr_idx_t ci;		/* 24 bits reach the device */
	uint32_t mask;			/* CQEs - 1 */
	/* owner bit of an entry owned by software, in its last word */
	rte_be32_t own;
	uint32_t cqn;
};

/** The last word of a CQE, which the device writes last: WQE counter, signature, op_own. */
#define MLX5_UMR_CQE_LAST	offsetof(struct mlx5_cqe64, wqe_counter)
#define MLX5_UMR_CQE_LAST_COUNTER_SHIFT	16

static_assert(MLX5_UMR_CQE_LAST == 60 && offsetof(struct mlx5_cqe64, op_own) == 63,
	      "one word (mlx5dv.h)");

/** Move to an entry. */
static inline void
mlx5_umr_cq_seek(struct mlx5_umr_cq *cq, mlx5_umr_idx_t ci)
{
	cq->ci = ci;
	cq->next = &cq->ring[ci & cq->mask];
	cq->own = (ci & (cq->mask + 1)) != 0 ? RTE_BE32(MLX5_CQE_OWNER_MASK) : 0;
}

/** Receive ring. */
struct mlx5_umr_rq {
	uint8_t *ring;
	volatile rte_be32_t *dbr;
	uint32_t max_msg_len;
	uint32_t mask;		/* WQEs - 1 */
	mlx5_umr_idx_t pi;	/* counts since RESET of the queue pair */
	mlx5_umr_idx_t ci;
	mlx5_umr_idx_t idx_base; /* ring index of the WQE at pi 0 */
	uint16_t max_segs;
	uint8_t log_stride;
	/* Key table, if short messages are received in CQEs; else NULL. */
	const struct mlx5_umr_key_table *keys;
	const struct rte_umr_pd *pd;	/* PD of regions that receives may use */
	struct mlx5_umr_cq cq;
	struct mlx5dv_devx_obj *cq_obj;
	uint64_t nb_posted;
	uint64_t nb_completed;
	uint64_t nb_errors;
	uint64_t nb_statuses[MLX5_UMR_NB_STATUSES];
	uint64_t nb_empty_polls;
};

/** Failure of a queue, for later queries. */
struct mlx5_umr_failure {
	bool is_set;		/* until the queue has recovered */
	bool is_recv;		/* the CQE belongs to a receive */
	bool has_op;		/* it has an operation */
	mlx5_umr_idx_t idx;	/* of either */
	uint8_t cqe[sizeof(struct mlx5_cqe64)];
};

struct mlx5_umr_queue {
	/* First cache line: fields of lib/umr, and location of the next operation. */
	struct rte_umr_fp_queue fp;
	uint8_t *sq_ring;	/* followed by MLX5_UMR_OP_MAX_WQEBB blocks for wrapping */
	struct mlx5_umr_op *ops;
	mlx5_umr_idx_t sq_pi;	/* next WQEBB */
	mlx5_umr_idx_t sq_end;	/* WQEBB after the last free one */
	uint32_t sq_mask;	/* WQEBBs - 1; also operations - 1 */
	uint32_t qpn_ds;	/* QP number << 8, as in the control segment */

	/* Second cache line: the rest of enqueue. */
	mlx5_umr_idx_t op_pi;	/* next operation */
	mlx5_umr_idx_t op_submitted;
	int16_t error;		/* 0, or what enqueueing returns: -EIO, -ENOTCONN */
	bool is_lost;		/* the device is lost: set by another thread, __atomic */
	uint8_t fm_next;	/* fence of the next WQE, for the UMR before it */
	uint8_t fm_umr;		/* fence that this device requires after an UMR */
	uint8_t fm_own;		/* fence of an UMR itself, NONE or STRONG_ORDERING */
	bool is_dci;		/* transfers have an address: av, */
	bool has_av;		/* once it was set */
	uint16_t max_interleaved; /* entries of an interleaved layout; 0: not supported */
	uint32_t max_msg_len;
	rte_be32_t submit_last;	/* wqe_counter of the latest submit, in MLX5_UMR_CQE_LAST */
	uint32_t nb_failed;	/* operations in [op_ci, op_done) that did not succeed */

	/* Third cache line: submit and collect. */
	struct mlx5_umr_cq cq __rte_cache_aligned;
	struct mlx5_umr_submit *submits;
	mlx5_umr_idx_t submit_pi;	/* next in submits */
	mlx5_umr_idx_t submit_ci;	/* oldest one without a CQE */
	mlx5_umr_idx_t op_done;
	mlx5_umr_idx_t op_ci;

	/* Fourth cache line: doorbell, counters. */
	volatile uint64_t *doorbell __rte_cache_aligned;
	volatile rte_be32_t *sq_dbr;
	mlx5_umr_idx_t multi_pi; /* first WQEBB of the latest operation with several WQEs */
	uint16_t max_inline;	/* bytes of a write or send in a WQE */
	bool has_rq;
	bool is_db_nc;		/* the doorbell is not write combined */
	bool has_atomic;
	bool has_send_inv;
	uint16_t max_segs;	/* segments of a write or send */
	uint16_t max_read_segs;
	/* DC initiator: address of the next transfers. DC target: its receives; else NULL. */
	uint64_t av[sizeof(struct mlx5_wqe_av) / sizeof(uint64_t)];
	struct mlx5_umr_dct *dct;

	/* Write-combined doorbell: bf.h. */
	uint16_t bf_size;	/* bytes of half a register; 0: WQEs are never written */
	uint16_t bf_offset;	/* of the half to use next */
	mlx5_umr_idx_t bf_pi;	/* sq_pi at the last doorbell */
	mlx5_umr_idx_t inline_pi; /* the latest WQE with inline data, */
	bool has_inline;	/* if one was built since the last doorbell */
	uint8_t bf_mode;	/* enum mlx5_umr_bf_mode */

	/* Counters, and fields not used on the fast path. */
	uint64_t nb_bf;
	uint64_t nb_submitted;
	uint64_t nb_doorbells;
	uint64_t nb_completed;
	uint64_t nb_errors;
	uint64_t nb_rejects[RTE_UMR_REJECT_MAX];
	uint64_t nb_recoveries;
	uint64_t nb_auto_recoveries;
	uint64_t nb_auto_recovery_failures;
	uint64_t recovery_ns;	/* of the calls of an incomplete recovery */
	uint64_t last_recovery_ns;
	uint64_t max_recovery_ns;
	uint64_t nb_statuses[MLX5_UMR_NB_STATUSES]; /* of unsuccessful operations */
	uint64_t nb_empty_polls;
	uint8_t syndrome;	/* of the error CQE */
	uint8_t vendor_syndrome;
	struct mlx5_umr_failure failure;
	struct mlx5_umr_rq rq;
	struct mlx5_umr_klm_mem klm_mem;
	struct mlx5_umr_sg sg;
	uint64_t relaxed_mkey_mask; /* for relaxed ordering of keys; 0: not supported */

	/* Control path. */
	struct mlx5_umr_device *dev;
	struct rte_umr_queue_conf conf;
	bool is_connected;
	bool is_reset;		/* the queue pair is in RESET: the device holds no receive */
	bool is_open;		/* it is known to have left RESET: the device may own operations */
	bool is_failed;		/* the device has moved the queue pair to the error state */
	bool is_sq_failed;	/* reported by a CQE of the send side */
	bool is_drained;	/* in error: the last submitted WQE has completed */
	bool can_self_recover;	/* when nothing is outstanding: option recover=auto */
	mlx5_umr_idx_t op_first; /* earlier operations are no longer in the ring */
	struct mlx5_umr_mem mem; /* rings and doorbell records */
	size_t dbr_offset;	/* doorbell records in mem */
	struct mlx5dv_devx_uar *uar;
	struct mlx5dv_devx_obj *cq_obj;
	struct mlx5dv_devx_obj *qp;
	struct mlx5dv_devx_event_channel *events; /* of completions; NULL: none asked for */
	uint8_t nb_events[MLX5_UMR_NB_CQS]; /* of each CQ, modulo 256: event.c */
	LIST_ENTRY(mlx5_umr_queue) link; /* of existing queues, or of those kept by the device */
	uint32_t psn;		/* first packet sequence number of this side */
	uint32_t qpn;		/* number; of a target: while the device is started */
} __rte_cache_aligned;

static_assert(offsetof(struct mlx5_umr_queue, fp) == 0, "it is a queue of lib/umr");
static_assert(offsetof(struct mlx5_umr_queue, op_pi) == 64,
	      "one line of 64 bytes says where an operation goes");
static_assert(offsetof(struct mlx5_umr_queue, cq) == RTE_CACHE_LINE_ROUNDUP(128),
	      "enqueueing stays in the first two of them");
static_assert(offsetof(struct mlx5_umr_queue, doorbell) ==
	      offsetof(struct mlx5_umr_queue, cq) + RTE_CACHE_LINE_SIZE,
	      "collecting stays in the next one");

/** Maximum blocks of an operation: the longest WQE and additions of plan/configure.h. */
#define MLX5_UMR_OP_MAX_WQEBB	18u

/** For queues of the driver: no memory for long lists. */
#define MLX5_UMR_NO_LISTS	UINT32_MAX
static_assert(MLX5_UMR_NO_LISTS > RTE_UMR_MAX_LIST_ENTRIES, "not a number of entries");

/** Whether the device is lost: it will write no more completions. */
static inline bool
mlx5_umr_queue_is_lost(const struct mlx5_umr_queue *queue)
{
	return __atomic_load_n(&queue->is_lost, __ATOMIC_RELAXED);
}

/** Offset in the umem of an address in the memory of the queue. */
static inline uint64_t
mlx5_umr_queue_umem_offset(const struct mlx5_umr_queue *queue, const volatile void *va)
{
	return queue->mem.offset + ((uintptr_t)va - (uintptr_t)queue->mem.va);
}

/** Free WQEBBs of the send ring. */
static inline uint32_t
mlx5_umr_sq_wqebb_avail(const struct mlx5_umr_queue *queue)
{
	return mlx5_umr_idx_dist(queue->sq_pi, queue->sq_end);
}

/** First WQEBB of an uncollected operation, or of the next one. */
static inline mlx5_umr_idx_t
mlx5_umr_op_begin(const struct mlx5_umr_queue *queue, mlx5_umr_idx_t op)
{
	if (mlx5_umr_idx_is(op, queue->op_pi))
		return queue->sq_pi;
	return mlx5_umr_idx_widen(queue->sq_pi, queue->ops[op & queue->sq_mask].pi);
}

/** Whether every operation and every receive was collected. */
static inline bool
mlx5_umr_queue_is_empty(const struct mlx5_umr_queue *queue)
{
	return mlx5_umr_idx_is(queue->op_ci, queue->op_pi) &&
	       mlx5_umr_idx_is(queue->rq.ci, queue->rq.pi);
}

/* Control path: reset.c. */
/** Empty the rings. The queue pair is in RESET, and everything was collected. */
void mlx5_umr_queue_reset(struct mlx5_umr_queue *queue);
/** The same, and restart ring indices and counters at 0; outstanding operations are discarded. */
void mlx5_umr_queue_restart(struct mlx5_umr_queue *queue);
void mlx5_umr_queue_stats_reset(struct mlx5_umr_queue *queue);
/** Recover a queue in error, if automatic recovery is enabled and nothing is outstanding. */
void mlx5_umr_queue_self_recover(struct mlx5_umr_queue *queue);

/* Fast path: recv.c, submit.c; also declared by fast/ops.h, which this room does not see. */
int mlx5_umr_recv(void *queue, const struct rte_umr_seg *segs, uint32_t nb_segs, uint64_t flags);
int mlx5_umr_recv_burst(void *queue, const struct rte_umr_seg *segs, uint16_t nb_segs,
			uint64_t flags);
int mlx5_umr_submit(void *queue);
uint16_t mlx5_umr_desc_avail(const void *queue);
uint16_t mlx5_umr_next_idx(const void *queue);
uint16_t mlx5_umr_recv_next_idx(const void *queue);

/* Fast path: dequeue.c. */
uint16_t mlx5_umr_completed(void *queue, uint16_t nb_max, uint16_t *last_idx, bool *has_error);
uint16_t mlx5_umr_completed_status(void *queue, uint16_t nb_max, struct rte_umr_completion *done);
uint16_t mlx5_umr_recv_completed(void *queue, uint16_t nb_max, struct rte_umr_completion *done);
/** Return all available CQEs to the device; only signature errors are processed. */
void mlx5_umr_cq_drain(struct mlx5_umr_queue *queue, struct mlx5_umr_cq *cq);
/**
 * Process the CQEs of the send side; queue pair and queue are in the error state. The device then
 * completes each WQE, in order (IBTA 10.3.1), so the last one is a barrier: after it, no late
 * completion can arrive.
 *
 * @return
 *   Whether everything that was posted has completed, including receives.
 */
bool mlx5_umr_queue_drain(struct mlx5_umr_queue *queue);
/** Flush all outstanding operations. */
void mlx5_umr_queue_flush(struct mlx5_umr_queue *queue);

#endif /* MLX5_UMR_QUEUE_H */
