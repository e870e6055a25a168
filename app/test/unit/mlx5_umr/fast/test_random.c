/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * A queue at random, against a device that executes what the ring holds when it gets there: WQEs
 * follow each other, nothing that is on its way changes, only the last WQE of a submit asks for a
 * CQE, and each operation comes back once, in order, as it ended. Operations of one to four WQEs,
 * bursts, lists in memory, inline data; errors at any WQE, and the queue in use again behind them.
 */

#define TEST_NB_WQEBB 64u

#include "budget.h"
#include "ring/bf.h"
#include "plan/configure.h"
#include "ring/mkey.h"
#include "test_queue.h"

#define NB_STEPS	(400 * test_nb_cases())
#define NB_CHUNKS	7u
#define MAX_ENTRIES	(4 * MLX5_UMR_KLM_CHUNK_NB)
#define MAX_BURST	9u
#define MAX_INLINE	200u
#define BF_HALF		256u

/* An operation from enqueue to completion. */
struct shadow {
	uint16_t pi, end;	/* its blocks */
	uint8_t type;
	uint8_t status;
	const uint8_t *list;	/* in memory, or NULL */
	uint32_t list_len;
	uint8_t wqe[MLX5_UMR_OP_MAX_WQEBB * PRM_WQE_BB_SIZE];
	uint8_t list_copy[MAX_ENTRIES * PRM_KLM_SIZE];
};

static struct {
	struct test_queue *t;
	uint32_t seed;
	struct shadow ops[TEST_NB_WQEBB];
	uint16_t op_pi, op_dev, op_ci;	/* enqueued, executed, collected */
	uint16_t dev_pi;	/* next WQEBB of the device */
	uint16_t ends[TEST_NB_WQEBB];	/* of submits */
	uint32_t end_pi, end_ci;
	uint16_t submitted_pi;
	bool is_dead;		/* the device found an error */
	uint32_t nb_errors, nb_multi, nb_lists, nb_wraps;
} w;

static uint8_t memory[NB_CHUNKS * MLX5_UMR_KLM_CHUNK_SIZE]
	__rte_aligned(MLX5_UMR_KLM_CHUNK_SIZE);
static uint64_t bf_register[2 * BF_HALF / sizeof(uint64_t)];
static struct test_keys keys;

static uint32_t
rnd(uint32_t nb)
{
	w.seed = w.seed * 1664525 + 1013904223;
	return (w.seed >> 8) % nb;
}

static struct mlx5_wqe_ctrl_seg *
wqe_at(uint16_t pi)
{
	return (struct mlx5_wqe_ctrl_seg *)test_wqe_at(w.t, pi);
}

static uint32_t
ds_at(uint16_t pi)
{
	return rte_be_to_cpu_32(wqe_at(pi)->qpn_ds) & PRM_WQE_MAX_DS;
}

/* The blocks of an operation as the device reads them, without what submit changes. */
static void
blocks_copy(const struct shadow *op, uint8_t *dst)
{
	uint16_t pi, at = 0;

	for (pi = op->pi; pi != op->end; pi++, at += PRM_WQE_BB_SIZE)
		memcpy(dst + at, wqe_at(pi), PRM_WQE_BB_SIZE);
	for (pi = op->pi; pi != op->end; pi += prm_ds_to_wqebb(ds_at(pi))) {
		assert_true((uint16_t)(pi - op->pi) < (uint16_t)(op->end - op->pi));
		dst[(uint16_t)(pi - op->pi) * PRM_WQE_BB_SIZE + 11] &= ~PRM_CTRL_CE_MASK;
	}
}

/* Where the list of an operation is, if its first WQE points to one. */
static void
list_find(struct shadow *op)
{
	const uint8_t *pointer = (const uint8_t *)wqe_at(op->pi + MLX5_UMR_HDR_WQEBB);
	uint64_t addr;

	op->list = NULL;
	if ((wqe_at(op->pi)->opmod_idx_opcode & RTE_BE32(0xff)) != RTE_BE32(MLX5_OPCODE_UMR) ||
	    ds_at(op->pi) != MLX5_UMR_LIST_DS)
		return;
	memcpy(&addr, pointer + 8, sizeof(addr));
	op->list = (const uint8_t *)(uintptr_t)rte_be_to_cpu_64(addr);
	op->list_len = pointer[0] << 24 | pointer[1] << 16 | pointer[2] << 8 | pointer[3];
	assert_uint_in_range(op->list - memory, 0, sizeof(memory) - op->list_len);
	memcpy(op->list_copy, op->list, op->list_len);
	w.nb_lists++;
}

/* An operation was accepted with that index and ends there. */
static void
op_note(int idx, uint8_t type, uint16_t end)
{
	struct shadow *op = &w.ops[w.op_pi % TEST_NB_WQEBB];

	assert_int_equal(idx, w.op_pi);
	op->pi = w.t->ops[w.op_pi % TEST_NB_WQEBB].pi;
	op->end = end;
	op->type = type;
	op->status = RTE_UMR_STATUS_FLUSHED;
	blocks_copy(op, op->wqe);
	list_find(op);
	w.nb_wraps += op->pi % TEST_NB_WQEBB + (uint16_t)(end - op->pi) > TEST_NB_WQEBB;
	w.op_pi++;
}

/* Whether the doorbell was rung: then the last WQE, or its first words, are in the register. */
static void
submit_note(uint64_t nb_doorbells)
{
	const uint8_t *reg = (const uint8_t *)bf_register;
	struct mlx5_umr_queue *q = &w.t->queue;
	uint16_t begin, last, next, i;

	if (q->nb_doorbells == nb_doorbells)
		return;
	assert_int_equal(q->nb_doorbells, nb_doorbells + 1);
	assert_int_equal(rte_be_to_cpu_32(w.t->dbr[PRM_DBR_SQ]), q->sq_pi & UINT16_MAX);
	begin = w.submitted_pi;
	w.submitted_pi = (uint16_t)q->sq_pi;
	w.ends[w.end_pi++ % TEST_NB_WQEBB] = w.submitted_pi;
	last = w.ops[(uint16_t)(w.op_pi - 1) % TEST_NB_WQEBB].pi;
	while ((next = last + prm_ds_to_wqebb(ds_at(last))) != (uint16_t)q->sq_pi)
		last = next;
	reg += q->bf_offset ^ q->bf_size;
	assert_memory_equal(reg, wqe_at(last), 8);
	if (q->nb_bf == 0)
		return;
	/* It is the only one. */
	assert_int_equal(last, begin);
	for (i = 0; i < ds_at(last); i++)
		assert_memory_equal(reg + i * PRM_WQE_DS_SIZE,
				    (uint8_t *)wqe_at(last + i / 4) + i % 4 * PRM_WQE_DS_SIZE,
				    PRM_WQE_DS_SIZE);
	q->nb_bf = 0;
}

static uint32_t
segs_fill(struct rte_umr_seg *segs, uint32_t nb)
{
	for (uint32_t i = 0; i < nb; i++)
		segs[i] = (struct rte_umr_seg){ w.seed + i, 1 + rnd(100), 0x100 + i };
	return nb;
}

/* A signature in both domains: two SET_PSV WQEs behind one or two UMRs. */
static int
signed_configure(struct mlx5_umr_queue *q, uint64_t flags)
{
	static const struct rte_umr_sig sig = {
		.mem = { .type = RTE_UMR_SIG_T10DIF_CRC, .block_size = 512 },
		.wire = { .type = RTE_UMR_SIG_T10DIF_CRC, .block_size = 512 },
		.check_mask = 0xff,
	};
	struct rte_umr_mkey *mkey = &keys.block.mkeys[0];
	struct rte_umr_seg segs[MAX_ENTRIES];
	const struct rte_umr_mkey_op conf = {
		.setters = RTE_UMR_MKEY_SET_LAYOUT | RTE_UMR_MKEY_SET_SIG, .sig = &sig,
		.segs = segs, .nb_entries = segs_fill(segs, 1 + rnd(rnd(2) ? 48 : 200)),
	};

	w.nb_multi++;
	return test_configure(q, mkey, &conf, flags);
}

static int
pattern_enqueue(struct mlx5_umr_queue *q, uint64_t flags)
{
	struct rte_umr_mkey mkey = test_mkey(MAX_ENTRIES);
	struct rte_umr_interleaved entries[100];
	uint32_t i, nb = 1 + rnd(rnd(2) ? 8 : RTE_DIM(entries));

	for (i = 0; i < nb; i++)
		entries[i] = (struct rte_umr_interleaved){ w.seed, 1 + rnd(99), rnd(9), i };
	return test_isa->mkey_interleaved(q, &mkey, 0, 3, entries, nb, flags);
}

static int
list_enqueue(struct mlx5_umr_queue *q, uint64_t flags)
{
	static const uint32_t max[] = { 4, 12, 52, 130, MAX_ENTRIES };
	struct rte_umr_mkey mkey = test_mkey(MAX_ENTRIES);
	struct rte_umr_seg segs[MAX_ENTRIES];
	uint32_t nb = segs_fill(segs, 1 + rnd(max[rnd(RTE_DIM(max))]));

	return test_isa->mkey_list(q, &mkey, 0, segs, nb, flags);
}

/* The first ones of a burst are accepted. */
static void
burst_enqueue(struct mlx5_umr_queue *q, uint64_t flags)
{
	static struct rte_umr_seg segs[MAX_BURST][60];
	struct rte_umr_mkey mkey = test_mkey(MAX_ENTRIES);
	uint16_t nb = 1 + rnd(MAX_BURST), i, next;
	struct rte_umr_mkey_op ops[MAX_BURST];
	int ret;

	for (i = 0; i < nb; i++)
		ops[i] = test_list_op(&mkey, segs[i],
				      segs_fill(segs[i], 1 + rnd(rnd(4) ? 4 : 60)), 0);
	ret = test_isa->mkey_configure_burst(q, ops, nb, flags);
	if (ret < 0) {
		assert_int_equal(ret, -ENOSPC);
		return;
	}
	assert_uint_in_range(ret, 1, nb);
	for (i = 0; i < ret; i++) {
		next = w.op_pi + 1;
		op_note(w.op_pi, RTE_UMR_OP_MKEY_CONFIGURE,
			i + 1 == ret ? (uint16_t)q->sq_pi : w.t->ops[next % TEST_NB_WQEBB].pi);
	}
}

static int
op_enqueue(struct mlx5_umr_queue *q, uint8_t type, uint64_t flags)
{
	static const uint8_t bytes[MAX_INLINE] = { 1, 2, 3 };
	const struct rte_umr_seg local = { (uintptr_t)bytes, rnd(MAX_INLINE + 1), 0x100 };
	const struct rte_umr_seg word = { 0x1000, RTE_UMR_ATOMIC_LEN, 0x100 };
	struct rte_umr_mkey mkey = test_mkey(MAX_ENTRIES);

	switch (type) {
	case RTE_UMR_OP_WRITE:
		return mlx5_umr_write(q, &local, 0x2000, 0x200, flags);
	case RTE_UMR_OP_FETCH_ADD:
		return mlx5_umr_fetch_add(q, &word, 0x2000, 0x200, 1, flags);
	case RTE_UMR_OP_MKEY_INVALIDATE:
		return mlx5_umr_mkey_invalidate(q, &mkey, flags);
	case RTE_UMR_OP_MKEY_INTERLEAVED:
		return pattern_enqueue(q, flags);
	case RTE_UMR_OP_MKEY_CONFIGURE:
		return signed_configure(q, flags);
	default:
		return list_enqueue(q, flags);
	}
}

static void
step_enqueue(void)
{
	static const uint8_t types[] = {
		RTE_UMR_OP_WRITE, RTE_UMR_OP_WRITE, RTE_UMR_OP_FETCH_ADD,
		RTE_UMR_OP_MKEY_INVALIDATE, RTE_UMR_OP_MKEY_INTERLEAVED, RTE_UMR_OP_MKEY_CONFIGURE,
		RTE_UMR_OP_MKEY_LIST,
	};
	struct mlx5_umr_queue *q = &w.t->queue;
	uint64_t flags = rnd(3) == 0 ? RTE_UMR_OP_F_SUBMIT : 0, nb_doorbells = q->nb_doorbells;
	uint32_t avail = mlx5_umr_desc_avail(q), which = rnd(RTE_DIM(types) + 1);
	int ret;

	if (which == RTE_DIM(types)) {
		burst_enqueue(q, flags);
		submit_note(nb_doorbells);
		return;
	}
	ret = op_enqueue(q, types[which], flags | (which == 1 ? RTE_UMR_OP_F_INLINE : 0));
	if (ret < 0) {
		assert_int_equal(ret, -ENOSPC);
		assert_int_equal(mlx5_umr_desc_avail(q), avail);
		return;
	}
	op_note(ret, types[which], (uint16_t)q->sq_pi);
	submit_note(nb_doorbells);
}

static void
step_submit(void)
{
	const uint64_t nb_doorbells = w.t->queue.nb_doorbells;

	if (rnd(4) == 0 && mlx5_umr_submit(&w.t->queue) == 0)
		submit_note(nb_doorbells);
}

/* The device executes a WQE, if it knows of one. */
static void
step_device(void)
{
	struct shadow *op = &w.ops[w.op_dev % TEST_NB_WQEBB];
	uint8_t now[sizeof(op->wqe)];
	uint16_t next, pi = w.dev_pi;
	bool is_error;

	if (w.is_dead || w.end_ci == w.end_pi)
		return;
	assert_int_equal(rte_be_to_cpu_32(wqe_at(pi)->opmod_idx_opcode) >> 8 & UINT16_MAX, pi);
	assert_int_equal(rte_be_to_cpu_32(wqe_at(pi)->qpn_ds) >> 8, TEST_QPN);
	blocks_copy(op, now);
	assert_memory_equal(now, op->wqe, (uint16_t)(op->end - op->pi) * PRM_WQE_BB_SIZE);
	if (op->list != NULL)
		assert_memory_equal(op->list, op->list_copy, op->list_len);
	next = pi + prm_ds_to_wqebb(ds_at(pi));
	is_error = rnd(1000) == 0;
	assert_int_equal((wqe_at(pi)->fm_ce_se & PRM_CTRL_CE_MASK) != 0,
			 next == w.ends[w.end_ci % TEST_NB_WQEBB]);
	if (is_error)
		test_cqe_write(w.t, pi, MLX5_CQE_REQ_ERR, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
	else if (next == w.ends[w.end_ci % TEST_NB_WQEBB])
		test_cqe_write(w.t, pi, MLX5_CQE_REQ, 0);
	w.end_ci += next == w.ends[w.end_ci % TEST_NB_WQEBB];
	w.dev_pi = next;
	if (is_error || next == op->end) {
		op->status = is_error ? RTE_UMR_STATUS_LOCAL_PROT : RTE_UMR_STATUS_SUCCESS;
		w.op_dev++;
	}
	w.is_dead = is_error;
	w.nb_errors += is_error;
}

static void
step_poll(void)
{
	struct rte_umr_completion done[5];
	struct mlx5_umr_queue *q = &w.t->queue;
	uint16_t nb = mlx5_umr_completed_status(q, 1 + rnd(RTE_DIM(done)), done), i;

	for (i = 0; i < nb; i++, w.op_ci++) {
		const struct shadow *op = &w.ops[w.op_ci % TEST_NB_WQEBB];

		assert_int_equal(done[i].idx, w.op_ci);
		assert_int_equal(done[i].op, op->type);
		assert_int_equal(done[i].status, op->status);
	}
	assert_true((uint16_t)(w.op_pi - w.op_ci) <= TEST_NB_WQEBB);
}

/* Where indices of 16 or 32 bits will soon begin again. */
static mlx5_umr_idx_t
near_a_wrap(void)
{
	return (rnd(2) == 0 ? UINT32_MAX : UINT16_MAX) - rnd(16 * TEST_NB_WQEBB);
}

/* The queue pair is new. */
static void
queue_start(void)
{
	struct mlx5_umr_queue *q = &w.t->queue;

	q->op_pi = near_a_wrap();
	mlx5_umr_queue_reset(q);
	q->error = 0;
	w.op_pi = w.op_dev = w.op_ci = (uint16_t)q->op_pi;
	q->sq_pi = near_a_wrap();
	q->sq_end = q->sq_pi + TEST_NB_WQEBB;
	q->bf_pi = q->sq_pi;
	w.dev_pi = (uint16_t)q->sq_pi;
	w.submitted_pi = (uint16_t)q->sq_pi;
}

/* What is left comes back. */
static void
recover(void)
{
	struct mlx5_umr_queue *q = &w.t->queue;

	for (uint32_t i = 0; i < 2 * TEST_NB_WQEBB; i++)
		step_poll();
	assert_int_equal(w.op_ci, w.op_pi);
	assert_int_equal(q->error, -EIO);
	assert_int_equal(mlx5_umr_desc_avail(q), TEST_NB_WQEBB);
	assert_int_equal(q->klm_mem.use_ci, q->klm_mem.use_pi);
	assert_true(mlx5_umr_queue_is_empty(q));
	queue_start();
	w.end_ci = w.end_pi;
	w.is_dead = false;
}

static int
setup(void **state)
{
	struct mlx5_umr_queue *q;

	memset(&w, 0, sizeof(w));
	w.t = *state = test_queue_new();
	test_klm_mem_set(w.t, memory, NB_CHUNKS);
	q = &w.t->queue;
	q->has_atomic = true;
	q->max_inline = MAX_INLINE;
	q->doorbell = bf_register;
	q->is_db_nc = false;
	w.t->dev.sig_caps = (struct mlx5_umr_sig_caps){ .types = UINT32_MAX,
							.block_sizes = UINT32_MAX };
	mlx5_umr_mkey_sig(test_keys_set(&keys, 0, MAX_ENTRIES, RTE_UMR_MKEY_POOL_F_SIG))->keys =
		&w.t->dev.sig_keys;
	return 0;
}

static void
run_at_random(enum mlx5_umr_bf_mode mode)
{
	uint32_t i, what;

	w.seed = test_seed();
	w.t->queue.bf_mode = mode;
	w.t->queue.bf_size = mode == MLX5_UMR_BF_OFF ? 0 : BF_HALF;
	queue_start();
	for (i = 0; i < NB_STEPS; i++) {
		if (w.is_dead && rnd(4) == 0) {
			recover();
			continue;
		}
		what = rnd(4);
		if (what == 0 && w.t->queue.error == 0)
			step_enqueue();
		else if (what == 1)
			step_submit();
		else if (what == 2)
			step_device();
		else if (what == 3 && rnd(3) == 0)
			step_poll();
	}
	/* It has been everywhere. */
	assert_uint_in_range(w.nb_errors, NB_STEPS / 40000, NB_STEPS);
	assert_uint_in_range(w.nb_multi, NB_STEPS / 200, NB_STEPS);
	assert_uint_in_range(w.nb_lists, NB_STEPS / 500, NB_STEPS);
	assert_uint_in_range(w.nb_wraps, NB_STEPS / 1000, NB_STEPS);
}

CASE_WITH(nothing_is_lost_with_doorbells, setup, test_queue_teardown)
{
	run_at_random(MLX5_UMR_BF_OFF);
}

CASE_WITH(nothing_is_lost_with_bluefield, setup, test_queue_teardown)
{
	run_at_random(MLX5_UMR_BF_SINGLE);
}

CASE_WITH(nothing_is_lost_with_bluefield_inline, setup, test_queue_teardown)
{
	run_at_random(MLX5_UMR_BF_INLINE);
}

int
main(void)
{
	return test_run_isas();
}
