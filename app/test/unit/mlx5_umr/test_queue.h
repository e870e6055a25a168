/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef TEST_MLX5_UMR_QUEUE_H
#define TEST_MLX5_UMR_QUEUE_H

/**
 * @file
 * A queue without a device: the rings are plain memory, and the test acts as the device.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../cmocka_compat.h"
#include "ring/device.h"
#include "fast/isa.h"
#include "fast/ops.h"
#include "ring/queue.h"
#include "ring/reject.h"
#include "ring/stats.h"
#include "wqe/wqe.h"
#include "../../tap/tap.h"

#ifndef TEST_NB_WQEBB
#define TEST_NB_WQEBB	16u
#endif
#define TEST_NB_RECV	4u
#define TEST_POISON	0xa5
#define TEST_QPN	0x123456
#define TEST_DEV_ID	3

static inline bool
test_is_always(void)
{
	return true;
}

MLX5_UMR_ISA_DECLARE(scalar);
/** Reference for all instruction sets; not part of the library. */
static const struct mlx5_umr_isa test_reference = MLX5_UMR_ISA_VARIANT(scalar, 0, test_is_always);

/** The reference and the variants of the library. */
static inline const struct mlx5_umr_isa *
test_isa_at(unsigned int i)
{
	return i == 0 ? &test_reference : &mlx5_umr_isas[i - 1];
}

static inline unsigned int
test_nb_isas(void)
{
	return 1 + mlx5_umr_nb_isas;
}

/** The tested functions; test_isas_run() iterates over all variants that the CPU supports. */
static const struct mlx5_umr_isa *test_isa = &test_reference;

struct test_queue {
	struct mlx5_umr_queue queue;
	uint8_t sq[(TEST_NB_WQEBB + MLX5_UMR_OP_MAX_WQEBB) * PRM_WQE_BB_SIZE]
		__rte_cache_aligned;
	uint8_t rq[TEST_NB_RECV * PRM_WQE_BB_SIZE];
	struct mlx5_cqe64 cqes[TEST_NB_WQEBB];
	struct mlx5_cqe64 rq_cqes[TEST_NB_RECV];
	struct mlx5_umr_op ops[TEST_NB_WQEBB];
	struct mlx5_umr_submit submits[TEST_NB_WQEBB];
	rte_be32_t dbr[2], cq_dbr[2], rq_cq_dbr[2];
	uint64_t doorbell;
	struct mlx5_umr_device dev;
	/* State of the device. */
	uint32_t cq_pi;
	uint32_t rq_cq_pi;
};

/**
 * Take back what the fast path may have written and then rejected: entries of a layout, behind the
 * head of the next WQE. Without a head the device would not use them.
 *
 * @param sq
 *   The ring before the operation.
 * @param nb_head
 *   Blocks of the head; 0 if the general path accepted the operation, as a WQE of another size.
 */
static inline void
test_sq_restore(struct test_queue *t, const uint8_t *sq, uint32_t nb_head)
{
	const uint32_t nb_free = mlx5_umr_sq_wqebb_avail(&t->queue);
	const uint32_t nb = RTE_MIN(nb_free, (uint32_t)MLX5_UMR_OP_MAX_WQEBB);
	const size_t at = (t->queue.sq_pi & t->queue.sq_mask) + nb_head;

	if (nb > nb_head)
		memcpy(t->sq + at * PRM_WQE_BB_SIZE, sq + at * PRM_WQE_BB_SIZE,
		       (nb - nb_head) * (size_t)PRM_WQE_BB_SIZE);
}

static inline void
test_cq_init(struct mlx5_umr_cq *cq, struct mlx5_cqe64 *cqes, uint32_t nb, rte_be32_t *dbr)
{
	uint32_t i;

	for (i = 0; i < nb; i++)
		cqes[i].op_own = MLX5_CQE_INVALID << 4;
	cq->ring = cqes;
	cq->mask = nb - 1;
	cq->dbr = dbr;
	mlx5_umr_cq_seek(cq, 0);
}

static inline int
test_queue_setup(void **state)
{
	struct test_queue *t = aligned_alloc(RTE_CACHE_LINE_SIZE, sizeof(*t));
	struct mlx5_umr_queue *q;

	assert_non_null(t);
	memset(t, 0, sizeof(*t));
	memset(t->sq, TEST_POISON, sizeof(t->sq));
	memset(t->rq, TEST_POISON, sizeof(t->rq));
	q = &t->queue;
	q->dev = &t->dev;
	q->sq_ring = t->sq;
	q->ops = t->ops;
	q->submits = t->submits;
	q->sq_dbr = &t->dbr[PRM_DBR_SQ];
	q->doorbell = &t->doorbell;
	q->qpn = TEST_QPN;
	q->qpn_ds = TEST_QPN << 8;
	q->sq_mask = TEST_NB_WQEBB - 1;
	q->sq_end = TEST_NB_WQEBB;
	q->fm_umr = PRM_CTRL_FM_INITIATOR_SMALL;
	q->fp.dev_id = TEST_DEV_ID;
	q->max_msg_len = 1u << 30;
	q->max_interleaved = PRM_UMR_INLINE_STRIDED_MAX;
	q->is_db_nc = true;
	test_cq_init(&q->cq, t->cqes, TEST_NB_WQEBB, t->cq_dbr);
	q->has_rq = true;
	q->rq.ring = t->rq;
	q->rq.dbr = &t->dbr[PRM_DBR_RQ];
	q->rq.mask = TEST_NB_RECV - 1;
	q->rq.max_segs = 3;
	q->rq.log_stride = 6;
	q->rq.max_msg_len = q->max_msg_len;
	test_cq_init(&q->rq.cq, t->rq_cqes, TEST_NB_RECV, t->rq_cq_dbr);
	*state = t;
	return 0;
}

static inline int
test_queue_teardown(void **state)
{
	free(*state);
	return 0;
}

static inline struct rte_umr_mkey
test_mkey(uint32_t max_entries)
{
	return (struct rte_umr_mkey){
		.key = 0x00abcd07,
		.max_entries = max_entries,
		.dev_id = TEST_DEV_ID,
		.is_laid = true, /* by an operation outside the test */
	};
}

/** Operations rejected because the ring was full. */
static inline uint64_t
test_nb_full(const struct mlx5_umr_queue *queue)
{
	struct rte_umr_queue_stats stats;

	mlx5_umr_queue_stats_get(queue, &stats);
	return stats.nb_full;
}

/** Operations rejected for other reasons. */
static inline uint64_t
test_nb_rejected(const struct mlx5_umr_queue *queue)
{
	struct rte_umr_queue_stats stats;

	mlx5_umr_queue_stats_get(queue, &stats);
	return stats.nb_rejected;
}

/** Keys with private data of the driver; others have flags 0. */
struct test_keys {
	struct rte_umr_mkey_block block;
	void *privs[RTE_UMR_MKEY_BLOCK_SLOTS];
};

/** @return Key i, initialized again. */
static inline struct rte_umr_mkey *
test_keys_set(struct test_keys *keys, uint32_t i, uint32_t max_entries, uint16_t flags, void *priv)
{
	struct rte_umr_mkey *mkey = &keys->block.mkeys[i];

	keys->block.privs = keys->privs;
	*mkey = test_mkey(max_entries);
	mkey->flags = flags;
	rte_umr_mkey_priv_set(mkey, priv);
	return mkey;
}

/** Write a CQE for the WQE at wqe_counter, as the device would. */
static inline void
test_cqe_write(struct test_queue *t, uint16_t wqe_counter, uint8_t opcode, uint8_t syndrome)
{
	struct mlx5_cqe64 *cqe = &t->cqes[t->cq_pi % TEST_NB_WQEBB];
	uint8_t owner = t->cq_pi / TEST_NB_WQEBB % 2;

	memset(cqe, 0, sizeof(*cqe));
	cqe->wqe_counter = rte_cpu_to_be_16(wqe_counter);
	if (opcode == MLX5_CQE_REQ_ERR) {
		((struct mlx5_err_cqe *)cqe)->syndrome = syndrome;
		((struct mlx5_err_cqe *)cqe)->vendor_err_synd = syndrome + 0x40;
	}
	cqe->op_own = opcode << 4 | owner;
	t->cq_pi++;
}

/** Write a CQE of the receive side, as the device would. */
static inline void
test_rq_cqe_write(struct test_queue *t, uint8_t opcode, uint32_t len, rte_be32_t imm,
		  uint8_t syndrome)
{
	struct mlx5_cqe64 *cqe = &t->rq_cqes[t->rq_cq_pi % TEST_NB_RECV];
	uint8_t owner = t->rq_cq_pi / TEST_NB_RECV % 2;

	memset(cqe, 0, sizeof(*cqe));
	cqe->wqe_counter = rte_cpu_to_be_16(t->rq_cq_pi);
	cqe->byte_cnt = rte_cpu_to_be_32(len);
	cqe->imm_inval_pkey = imm;
	if (opcode == MLX5_CQE_RESP_ERR)
		((struct mlx5_err_cqe *)cqe)->syndrome = syndrome;
	cqe->op_own = opcode << 4 | owner;
	t->rq_cq_pi++;
}

/** Enqueue an RDMA write of length bytes; returns its ring index. */
static inline int
test_write(struct test_queue *t, uint32_t length, uint64_t flags)
{
	const struct rte_umr_seg local = { 0x1000, length, 0x100 };

	return mlx5_umr_write(&t->queue, &local, 0x2000, 0x200, flags);
}

/** Configure a key with a descriptor that does not contain it yet. */
static inline int
test_configure(void *queue, struct rte_umr_mkey *mkey, const struct rte_umr_mkey_op *conf,
	       uint64_t flags)
{
	struct rte_umr_mkey_op op = *conf;

	op.mkey = mkey;
	return test_isa->mkey_configure(queue, &op, flags);
}

static inline struct rte_umr_mkey_op
test_list_op(struct rte_umr_mkey *mkey, const struct rte_umr_seg *segs, uint32_t nb_segs,
	     uint32_t access)
{
	return (struct rte_umr_mkey_op){
		.mkey = mkey, .setters = RTE_UMR_MKEY_SET_ACCESS_LAYOUT, .access = access,
		.layout = RTE_UMR_LAYOUT_LIST, .segs = segs, .nb_entries = nb_segs,
	};
}

static inline struct rte_umr_mkey_op
test_pattern_op(struct rte_umr_mkey *mkey, const struct rte_umr_interleaved *entries,
		uint32_t nb_entries, uint32_t repeat, uint32_t access)
{
	return (struct rte_umr_mkey_op){
		.mkey = mkey, .setters = RTE_UMR_MKEY_SET_ACCESS_LAYOUT, .access = access,
		.layout = RTE_UMR_LAYOUT_INTERLEAVED, .interleaved = entries,
		.nb_entries = nb_entries, .repeat = repeat,
	};
}

/** Run a group of tests once for each instruction set. @return Failures. */
static inline int
test_isas_run(int (*run)(void))
{
	unsigned int nb_supported = 0;
	int nb_failed = 0;

	for (unsigned int i = 0; i < test_nb_isas(); i++)
		nb_supported += test_isa_at(i)->is_supported();
	tap_groups(nb_supported);
	for (unsigned int i = 0; i < test_nb_isas(); i++) {
		if (!test_isa_at(i)->is_supported())
			continue;
		test_isa = test_isa_at(i);
		tap_group(test_isa->name);
		print_message("[   ISA    ] %s\n", test_isa->name);
		nb_failed += run();
	}
	return nb_failed;
}

#endif /* TEST_MLX5_UMR_QUEUE_H */
