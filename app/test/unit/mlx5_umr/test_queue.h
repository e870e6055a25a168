/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef TEST_MLX5_UMR_QUEUE_H
#define TEST_MLX5_UMR_QUEUE_H

/**
 * @file
 * A queue without a device: the rings are plain memory, and the test acts as the device.
 */

#include <rte_log.h>

#include "cases.h"
#include "ring/device.h"
#include "fast/isa.h"
#include "fast/ops.h"
#include "plan/key_crypto.h"
#include "ring/log.h"
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
#define TEST_DEV_NAME	"mlx5_3"
#define TEST_LOG_QUEUE	"mlx5_umr: " TEST_DEV_NAME ": queue 0: "
#define TEST_KLM_LKEY	0x00aabb00
#define TEST_LIST_MAX	128u

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
	struct rte_umr_dev umr_dev;
	struct mlx5_umr_klm_use klm_uses[TEST_NB_WQEBB];
	/* What was collected last: TEST_SENT(), TEST_RECEIVED(). */
	struct rte_umr_completion done[TEST_NB_WQEBB];
	/* State of the device. */
	uint32_t cq_pi;
	uint32_t rq_cq_pi;
};

/** A segment for tests to which it does not matter. */
static const struct rte_umr_seg test_seg = { 0x1000, 16, 0x100 };

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
	for (uint32_t i = 0; i < nb; i++)
		cqes[i].op_own = MLX5_CQE_INVALID << 4;
	cq->ring = cqes;
	cq->mask = nb - 1;
	cq->dbr = dbr;
	mlx5_umr_cq_seek(cq, 0);
}

static inline struct test_queue *
test_queue_new(void)
{
	struct test_queue *t = aligned_alloc(RTE_CACHE_LINE_SIZE, sizeof(*t));

	assert_non_null(t);
	memset(t, 0, sizeof(*t));
	memset(t->sq, TEST_POISON, sizeof(t->sq));
	memset(t->rq, TEST_POISON, sizeof(t->rq));
	t->queue = (struct mlx5_umr_queue){
		.fp.dev_id = TEST_DEV_ID, .dev = &t->dev, .qpn_ds = TEST_QPN << 8, .qpn = TEST_QPN,
		.sq_ring = t->sq, .sq_mask = TEST_NB_WQEBB - 1, .sq_end = TEST_NB_WQEBB,
		.ops = t->ops, .submits = t->submits,
		.sq_dbr = &t->dbr[PRM_DBR_SQ], .doorbell = &t->doorbell, .is_db_nc = true,
		.fm_umr = PRM_CTRL_FM_INITIATOR_SMALL, .max_msg_len = 1u << 30,
		.max_interleaved = PRM_UMR_INLINE_STRIDED_MAX, .has_rq = true,
		.rq = {
			.ring = t->rq, .dbr = &t->dbr[PRM_DBR_RQ], .mask = TEST_NB_RECV - 1,
			.max_segs = 3, .log_stride = 6, .max_msg_len = 1u << 30,
		},
	};
	t->dev.umr_dev = &t->umr_dev;
	strcpy(t->umr_dev.name, TEST_DEV_NAME);
	test_cq_init(&t->queue.cq, t->cqes, TEST_NB_WQEBB, t->cq_dbr);
	test_cq_init(&t->queue.rq.cq, t->rq_cqes, TEST_NB_RECV, t->rq_cq_dbr);
	return t;
}

static inline int
test_queue_setup(void **state)
{
	*state = test_queue_new();
	return 0;
}

static inline int
test_queue_teardown(void **state)
{
	free(*state);
	return 0;
}

/** Memory for long lists. */
static inline void
test_klm_mem_set(struct test_queue *t, uint8_t *base, uint32_t nb_chunks)
{
	t->queue.klm_mem = (struct mlx5_umr_klm_mem){
		.base = base, .lkey = TEST_KLM_LKEY, .nb_chunks = nb_chunks,
		.uses = t->klm_uses, .use_mask = TEST_NB_WQEBB - 1,
	};
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

/** These bytes are there. */
#define TEST_BYTES(at, ...)                                                                        \
	assert_memory_equal(at, ((const uint8_t[]){ __VA_ARGS__ }),                                \
			    sizeof((const uint8_t[]){ __VA_ARGS__ }))

/** len bytes are there that are all the same. */
static inline void
test_filled(const void *at, uint8_t byte, size_t len)
{
	for (size_t i = 0; i < len; i++)
		assert_int_equal(((const uint8_t *)at)[i], byte);
}

/** The block of the ring at an index. */
static inline uint8_t *
test_wqe_at(struct test_queue *t, mlx5_umr_idx_t pi)
{
	return t->sq + pi % TEST_NB_WQEBB * (size_t)PRM_WQE_BB_SIZE;
}

/* Keys of a block that have data of the driver. */
#define TEST_NB_KEYS	32u

/** Keys with data of the driver; others have flags 0. */
struct test_keys {
	struct rte_umr_mkey_block block;
	struct {
		struct mlx5_umr_mkey_priv priv;
		struct mlx5_umr_key_sig sig;
		struct mlx5_umr_key_crypto crypto;
	} data[RTE_UMR_MKEY_BLOCK_HEAD + TEST_NB_KEYS];
};

/** @return Key i, initialized again. */
static inline struct rte_umr_mkey *
test_keys_set(struct test_keys *keys, uint32_t i, uint32_t max_entries, uint16_t flags)
{
	struct rte_umr_mkey *mkey = &keys->block.mkeys[i];

	keys->block.privs = (uint8_t *)keys->data;
	keys->block.priv_size = sizeof(keys->data[0]);
	*mkey = test_mkey(max_entries);
	mkey->flags = flags;
	memset(rte_umr_mkey_priv(mkey), 0, sizeof(keys->data[0]));
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

enum {
	OK = RTE_UMR_STATUS_SUCCESS,
	PROT = RTE_UMR_STATUS_LOCAL_PROT,
	FLUSHED = RTE_UMR_STATUS_FLUSHED,
	TEST_STATUS_END = UINT8_MAX,
};

#define SYND_PROT	MLX5_CQE_SYNDROME_LOCAL_PROT_ERR
#define SYND_FLUSH	MLX5_CQE_SYNDROME_WR_FLUSH_ERR
#define SYND_LENGTH	MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR

/** Operations in t->done: as many as statuses, from that index on. */
static inline void
test_done_check(const struct test_queue *t, uint32_t nb, uint16_t first, const uint8_t *statuses,
		int line)
{
	uint32_t i;

	for (i = 0; statuses[i] != TEST_STATUS_END; i++) {
		if (i == nb)
			fail_msg("line %d: %u operations came back, not more", line, nb);
		if (t->done[i].idx != (uint16_t)(first + i) || t->done[i].status != statuses[i])
			fail_msg("line %d: operation %u came back with status %u, not %u with %u",
				 line, t->done[i].idx, t->done[i].status, (uint16_t)(first + i),
				 statuses[i]);
	}
	if (i != nb)
		fail_msg("line %d: %u operations came back, not %u", line, nb, i);
}

/** Collecting up to nb_max operations returns these statuses, from that index on. */
#define TEST_SENT(t, nb_max, first, ...)                                                           \
	test_done_check(t, mlx5_umr_completed_status(&(t)->queue, nb_max, (t)->done), first,       \
			(const uint8_t[]){ __VA_ARGS__, TEST_STATUS_END }, __LINE__)
#define TEST_RECEIVED(t, nb_max, first, ...)                                                       \
	test_done_check(t, mlx5_umr_recv_completed(&(t)->queue, nb_max, (t)->done), first,         \
			(const uint8_t[]){ __VA_ARGS__, TEST_STATUS_END }, __LINE__)

/** Nothing can be collected. */
#define TEST_SENT_NONE(t) \
	assert_int_equal(mlx5_umr_completed_status(&(t)->queue, TEST_NB_WQEBB, (t)->done), 0)
#define TEST_RECEIVED_NONE(t) \
	assert_int_equal(mlx5_umr_recv_completed(&(t)->queue, TEST_NB_RECV, (t)->done), 0)

static inline void
test_completed_check(struct test_queue *t, uint16_t nb_max, uint16_t nb, uint16_t last,
		     bool has_error, int line)
{
	const uint16_t poison = (uint16_t)~last;
	bool has_error_seen = !has_error;
	uint16_t last_seen = poison, nb_seen;

	nb_seen = mlx5_umr_completed(&t->queue, nb_max, &last_seen, &has_error_seen);
	if (nb_seen != nb || last_seen != (nb == 0 ? poison : last) || has_error_seen != has_error)
		fail_msg("line %d: %u came back, the last %u, error %d", line, nb_seen, last_seen,
			 has_error_seen);
}

/** mlx5_umr_completed() returns nb, the last index (of 0: none) and whether an error is next. */
#define TEST_COMPLETED(t, nb_max, nb, last, has_error) \
	test_completed_check(t, nb_max, nb, last, has_error, __LINE__)

/** Enqueue an RDMA write of length bytes; returns its ring index. */
static inline int
test_write(struct test_queue *t, uint32_t length, uint64_t flags)
{
	const struct rte_umr_seg local = { 0x1000, length, 0x100 };

	return mlx5_umr_write(&t->queue, &local, 0x2000, 0x200, flags);
}

/** Enqueue a list of nb segments as test_seg; returns its ring index. */
static inline int
test_list(struct test_queue *t, uint32_t nb, uint64_t flags)
{
	struct rte_umr_seg segs[TEST_LIST_MAX];
	struct rte_umr_mkey mkey = test_mkey(TEST_LIST_MAX);

	assert_uint_in_range(nb, 1, RTE_DIM(segs));
	for (uint32_t i = 0; i < nb; i++)
		segs[i] = test_seg;
	return test_isa->mkey_list(&t->queue, &mkey, 0, segs, nb, flags);
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

/** What the driver logs between start and end. */
static struct {
	char *text;
	size_t len;
	FILE *f;
} test_log;

static inline void
test_log_start(uint32_t level)
{
	test_log.f = open_memstream(&test_log.text, &test_log.len);
	assert_non_null(test_log.f);
	rte_log_set_level(mlx5_umr_logtype, level);
	assert_int_equal(rte_openlog_stream(test_log.f), 0);
}

/** @return The text; freed by the caller. */
static inline char *
test_log_end(void)
{
	rte_openlog_stream(NULL);
	rte_log_set_level(mlx5_umr_logtype, RTE_LOG_CRIT);
	fclose(test_log.f);
	return test_log.text;
}

static inline void
test_log_expect(const char *expected)
{
	char *text = test_log_end();

	assert_string_equal(text, expected);
	free(text);
}

/** Define a case that has a queue t. */
#define QUEUE_CASE_WITH(name, setup, teardown)                                                     \
	CASE_OF(struct test_queue, t, name, setup, teardown)
#define QUEUE_CASE(name) QUEUE_CASE_WITH(name, test_queue_setup, test_queue_teardown)

/** Run cases without log messages. @return Failures. */
static inline int
test_run(void)
{
	rte_log_set_level(mlx5_umr_logtype, RTE_LOG_CRIT);
	return cases_run(NULL, NULL);
}

/** The same once for each instruction set. */
static inline int
test_run_isas(void)
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
		nb_failed += test_run();
	}
	return nb_failed;
}

#endif /* TEST_MLX5_UMR_QUEUE_H */
