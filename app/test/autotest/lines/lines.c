/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * No cache line that the data path of one lcore writes is read or written by that of another one,
 * which has its own queue and its own keys. The exception is the doorbell, which nobody reads.
 */

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <infiniband/mlx5dv.h>

#include <rte_lcore.h>

#include <mlx5_umr_rings.h>

#include "../../patience.h"
#include "../autotest.h"
#include "../env.h"
#include "record.h"

#define NB_LANES	2u
#define NB_KEYS		8u
#define NB_BETWEEN	4u
#define MAX_ENTRIES	128u
/* A list in the work request, and one in memory. */
#define NB_INLINE	40u
#define NB_IN_MEMORY	100u
#define PIECE		64u
#define BLOCK		512u
/* Operations that are complete before the record begins. */
#define NB_DONE		3u

/* An lcore, its queue and its keys. Lanes share no line. */
struct lane {
	int16_t dev_id;
	uint16_t queue;
	uint32_t rkey;
	uint64_t remote;
	struct rte_umr_mkey *keys[NB_KEYS];	/* plain */
	struct rte_umr_mkey *taken[NB_KEYS];
	struct rte_umr_mkey *between[NB_BETWEEN];
	struct rte_umr_mkey *sig_key;
	struct rte_umr_mkey *list_keys[NB_BETWEEN];	/* the list of the first is updated */
	struct rte_umr_mkey_pool *pool;
	struct rte_umr_mw *mw;
	struct rte_umr_mw_range range;
	struct rte_umr_seg local;
	struct rte_umr_seg atomic;
	struct rte_umr_seg block;
	struct rte_umr_seg segs[NB_IN_MEMORY];
	struct rte_umr_interleaved entries[4];
	struct rte_umr_mkey_op ops[4];
	struct rte_umr_mkey_op sig_op;
	struct rte_umr_sig sig;
	struct rte_umr_rdma_op rdma_ops[4];
	struct rte_umr_completion done[4];
	struct rte_umr_mkey_error error;
	uintptr_t doorbell;
	int ret;
	unsigned int nb_failed;	/* call that failed, counted from 1 */
} __rte_cache_aligned;

static struct lane lanes[NB_LANES];

#define QUEUE(l) (l)->dev_id, (l)->queue

/* CALL(name, expression): a call that returns a negative number on failure. */
#define CALL(name, expression)                                                                     \
	static int                                                                                 \
	call_##name(struct lane *l)                                                                \
	{                                                                                          \
		return (int)(expression);                                                          \
	}

CALL(lookup, rte_umr_addr_to_mkey(l->dev_id, (void *)(uintptr_t)l->local.addr, PIECE) ==
	     l->local.lkey ? 0 : -1)
CALL(get, rte_umr_mkey_get_bulk(l->pool, l->taken, NB_KEYS))
CALL(put, rte_umr_mkey_put_bulk(l->pool, l->taken, NB_KEYS))
CALL(list, rte_umr_mkey_list(QUEUE(l), l->keys[0], RTE_UMR_ACCESS_LOCAL_WRITE, l->segs, 4, 0))
CALL(list_inline, rte_umr_mkey_list(QUEUE(l), l->keys[1], 0, l->segs, NB_INLINE, 0))
CALL(list_in_memory, rte_umr_mkey_list(QUEUE(l), l->keys[2], 0, l->segs, NB_IN_MEMORY, 0))
CALL(list_to_update, rte_umr_mkey_list(QUEUE(l), l->list_keys[0], 0, l->segs, NB_IN_MEMORY, 0))
CALL(update, rte_umr_mkey_update(QUEUE(l), l->list_keys[0], 8, l->segs, 16, 0))
CALL(interleaved, rte_umr_mkey_interleaved(QUEUE(l), l->keys[3], 0, 2, l->entries, 4, 0))
CALL(configure, rte_umr_mkey_configure(QUEUE(l), &l->ops[0], 0))
/* The bytes of a key; a macro, since a call is an expression. */
#define KEY_RDMA(l) (&(struct rte_umr_rdma_op){                                                    \
	.local = { .length = PIECE, .lkey = (l)->ops[0].mkey->key },                               \
	.remote_addr = (l)->remote, .rkey = (l)->rkey })
CALL(key_write, rte_umr_mkey_write(QUEUE(l), &l->ops[0], KEY_RDMA(l), 0))
CALL(key_read, rte_umr_mkey_read(QUEUE(l), &l->ops[0], KEY_RDMA(l), 0))
CALL(configure_sig, rte_umr_mkey_configure(QUEUE(l), &l->sig_op, 0))
CALL(check, rte_umr_mkey_check(l->sig_key, &l->error))
CALL(configure_burst, rte_umr_mkey_configure_burst(QUEUE(l), l->ops, 4, 0) - 4)
CALL(invalidate, rte_umr_mkey_invalidate(QUEUE(l), l->keys[0], 0))
CALL(invalidate_burst, rte_umr_mkey_invalidate_burst(QUEUE(l), &l->keys[1], 3, 0) - 3)
CALL(mw_bind, rte_umr_mw_bind(QUEUE(l), l->mw, &l->range, 0))
CALL(mw_invalidate, rte_umr_mw_invalidate(QUEUE(l), l->mw, 0))
CALL(write, rte_umr_write(QUEUE(l), &l->local, l->remote, l->rkey, 0))
CALL(write_inline, rte_umr_write(QUEUE(l), &l->local, l->remote, l->rkey, RTE_UMR_OP_F_INLINE))
CALL(write_imm, rte_umr_write_imm(QUEUE(l), &l->local, l->remote, l->rkey, 0, 0))
CALL(write_burst, rte_umr_write_burst(QUEUE(l), l->rdma_ops, 4, 0) - 4)
CALL(write_list, rte_umr_write_list(QUEUE(l), l->segs, 4, l->remote, l->rkey, 0))
CALL(write_sg, rte_umr_write_sg(QUEUE(l), l->segs, 4, l->remote, l->rkey, 0))
CALL(write_sg_key, rte_umr_write_sg(QUEUE(l), l->segs, NB_INLINE, l->remote, l->rkey, 0))
CALL(read, rte_umr_read(QUEUE(l), &l->local, l->remote, l->rkey, 0))
CALL(read_burst, rte_umr_read_burst(QUEUE(l), l->rdma_ops, 4, 0) - 4)
CALL(read_list, rte_umr_read_list(QUEUE(l), l->segs, 4, l->remote, l->rkey, 0))
CALL(read_sg, rte_umr_read_sg(QUEUE(l), l->segs, 4, l->remote, l->rkey, 0))
CALL(read_sg_key, rte_umr_read_sg(QUEUE(l), l->segs, NB_INLINE, l->remote, l->rkey, 0))
CALL(send, rte_umr_send(QUEUE(l), &l->local, 0))
CALL(send_imm, rte_umr_send_imm(QUEUE(l), &l->local, 0, 0))
CALL(send_inv, rte_umr_send_inv(QUEUE(l), &l->local, l->rkey, 0))
CALL(send_burst, rte_umr_send_burst(QUEUE(l), l->segs, 4, 0) - 4)
CALL(send_list, rte_umr_send_list(QUEUE(l), l->segs, 4, 0))
CALL(fetch_add, rte_umr_fetch_add(QUEUE(l), &l->atomic, l->remote, l->rkey, 1, 0))
CALL(cmp_swap, rte_umr_cmp_swap(QUEUE(l), &l->atomic, l->remote, l->rkey, 1, 2, 0))
CALL(recv, rte_umr_recv(QUEUE(l), l->segs, 2, 0))
CALL(recv_burst, rte_umr_recv_burst(QUEUE(l), l->segs, 4, 0) - 4)
CALL(submit, rte_umr_submit(QUEUE(l)))
CALL(completed, rte_umr_completed(QUEUE(l), 1, NULL, NULL) - 1)
CALL(completed_status, rte_umr_completed_status(QUEUE(l), 4, l->done) - (int)(NB_DONE - 1))
CALL(completed_nothing, -(int)rte_umr_completed_status(QUEUE(l), 4, l->done))
CALL(recv_completed, rte_umr_recv_completed(QUEUE(l), 4, l->done) - 1)
CALL(desc_avail, rte_umr_desc_avail(QUEUE(l)))
CALL(next_idx, rte_umr_next_idx(QUEUE(l)) + rte_umr_recv_next_idx(QUEUE(l)))

#define ENTRY(name) { #name, call_##name }

/* In order: later calls use what earlier ones have configured. */
static const struct {
	const char *name;
	int (*run)(struct lane *l);
} calls[] = {
	ENTRY(lookup), ENTRY(get), ENTRY(put), ENTRY(list), ENTRY(list_inline),
	ENTRY(list_in_memory), ENTRY(list_to_update), ENTRY(update), ENTRY(interleaved),
	ENTRY(configure), ENTRY(key_write), ENTRY(key_read), ENTRY(configure_sig), ENTRY(check),
	ENTRY(configure_burst),
	ENTRY(invalidate), ENTRY(invalidate_burst), ENTRY(mw_bind), ENTRY(mw_invalidate),
	ENTRY(write), ENTRY(write_inline), ENTRY(write_imm), ENTRY(write_burst),
	ENTRY(write_list), ENTRY(write_sg), ENTRY(write_sg_key), ENTRY(read), ENTRY(read_burst),
	ENTRY(read_list), ENTRY(read_sg), ENTRY(read_sg_key), ENTRY(send), ENTRY(send_imm),
	ENTRY(send_inv), ENTRY(send_burst), ENTRY(send_list), ENTRY(fetch_add), ENTRY(cmp_swap),
	ENTRY(recv), ENTRY(recv_burst), ENTRY(submit), ENTRY(completed), ENTRY(completed_status),
	ENTRY(completed_nothing), ENTRY(recv_completed), ENTRY(desc_avail), ENTRY(next_idx),
};

static void
lane_call(void *arg, unsigned int call)
{
	struct lane *l = arg;

	RTE_PER_LCORE(_lcore_id) = l->queue;
	l->ret = calls[call].run(l);
	if (l->ret < 0 && l->nb_failed == 0)
		l->nb_failed = call + 1;
}

static void
lane_fill(struct lane *l, const struct at_side *side)
{
	const uint32_t at = l->queue * (AT_BUF_LEN / 2);

	l->dev_id = side->dev_id;
	l->rkey = side->mr->rkey;
	l->remote = at_addr(side, at + AT_BUF_LEN / 4);
	l->local = at_seg(side, at, PIECE);
	l->atomic = at_seg(side, at, RTE_UMR_ATOMIC_LEN);
	l->block = at_seg(side, at, BLOCK);
	for (uint32_t i = 0; i < RTE_DIM(l->segs); i++)
		l->segs[i] = at_seg(side, at + i * PIECE, PIECE);
	for (uint32_t i = 0; i < RTE_DIM(l->ops); i++) {
		l->entries[i] = (struct rte_umr_interleaved){
			.addr = at_addr(side, at + i * 1024), .bytes_count = 16, .bytes_skip = 16,
			.lkey = side->mr->lkey,
		};
		l->ops[i] = (struct rte_umr_mkey_op){
			.mkey = l->keys[4 + i], .setters = RTE_UMR_MKEY_SET_ACCESS_LAYOUT,
			.layout = RTE_UMR_LAYOUT_LIST, .segs = l->segs, .nb_entries = 3,
		};
		l->rdma_ops[i] = (struct rte_umr_rdma_op){
			.local = l->local, .remote_addr = l->remote, .rkey = l->rkey,
		};
	}
	l->sig = (struct rte_umr_sig){
		.mem = { .type = RTE_UMR_SIG_CRC32, .block_size = BLOCK },
		.check_mask = RTE_UMR_SIG_MASK_CRC32,
	};
	l->sig_op = l->ops[0];
	l->sig_op.mkey = l->sig_key;
	l->sig_op.setters |= RTE_UMR_MKEY_SET_SIG;
	l->sig_op.sig = &l->sig;
	l->sig_op.segs = &l->block;
	l->sig_op.nb_entries = 1;
	l->range = (struct rte_umr_mw_range){
		.mr = side->mr, .addr = at_addr(side, at), .length = PIECE,
		.access = RTE_UMR_ACCESS_REMOTE_READ,
	};
}

/* The device has written the completions of the queue; the driver has not read them. */
static int
completions_wait(struct lane *l)
{
	const uint64_t deadline = patience_end();
	struct mlx5_umr_rings rings;

	TEST_ASSERT(mlx5_umr_rings_get(l->dev_id, l->queue, &rings));
	l->doorbell = (uintptr_t)rings.doorbell;
	for (unsigned int i = 0; i < NB_DONE; i++)
		while (rings.cq[*rings.cq_ci + i].op_own >> 4 == MLX5_CQE_INVALID)
			TEST_ASSERT(!patience_is_over(deadline));
	return TEST_SUCCESS;
}

/* Two writes, a send, and a receive that gets it. */
static int
lane_work(struct lane *l)
{
	TEST_ACCEPT(rte_umr_recv(QUEUE(l), &l->segs[1], 1, 0));
	for (int i = 0; i < 2; i++)
		TEST_ACCEPT(rte_umr_write(QUEUE(l), &l->local, l->remote, l->rkey,
					  RTE_UMR_OP_F_SUBMIT));
	TEST_ACCEPT(rte_umr_send(QUEUE(l), &l->atomic, RTE_UMR_OP_F_SUBMIT));
	return completions_wait(l);
}

/*
 * Take keys, and fill the caches of the lcore. Four keys are in a line: those between the runs of
 * two lcores may be in the last line of one and in the first line of the other.
 */
static void *
caches_fill(void *arg)
{
	struct lane *l = arg;
	int ret;

	RTE_PER_LCORE(_lcore_id) = LCORE_ID_ANY;
	ret = rte_umr_mkey_get_bulk(l->pool, l->between, NB_BETWEEN);
	RTE_PER_LCORE(_lcore_id) = l->queue;
	if (ret == 0)
		ret = rte_umr_mkey_get_bulk(l->pool, l->keys, NB_KEYS);
	if (ret == 0)
		ret = call_get(l);
	if (ret == 0)
		ret = call_put(l);
	l->ret = ret;
	return NULL;
}

static int
lane_init(struct lane *l, struct at_side *side, struct rte_umr_mkey_pool *pool,
	  struct rte_umr_mkey_pool *list_pool)
{
	pthread_t thread;

	l->pool = pool;
	TEST_ASSERT_SUCCESS(pthread_create(&thread, NULL, caches_fill, l));
	TEST_ASSERT_SUCCESS(pthread_join(thread, NULL));
	TEST_ASSERT_SUCCESS(l->ret);
	TEST_ASSERT_SUCCESS(rte_umr_mkey_get_bulk(list_pool, l->list_keys, NB_BETWEEN));
	l->sig_key = AT_KEY(side);
	for (unsigned int i = 1; i < NB_BETWEEN; i++)
		TEST_ASSERT(at_key(side) != NULL);
	l->mw = rte_umr_mw_create(side->dev_id, NULL, RTE_UMR_MW_TYPE_2B);
	TEST_ASSERT(l->mw != NULL);
	lane_fill(l, side);
	return lane_work(l);
}

static int
lane_fini(struct lane *l, struct rte_umr_mkey_pool *list_pool)
{
	struct rte_umr_completion done[NB_DONE];

	TEST_ASSERT_EQUAL(at_collect(QUEUE(l), done, NB_DONE), NB_DONE);
	TEST_ASSERT_EQUAL(at_collect_recv(QUEUE(l), done, 1), 1);
	TEST_ASSERT_SUCCESS(rte_umr_mkey_put_bulk(l->pool, l->keys, NB_KEYS));
	TEST_ASSERT_SUCCESS(rte_umr_mkey_put_bulk(l->pool, l->between, NB_BETWEEN));
	TEST_ASSERT_SUCCESS(rte_umr_mkey_put_bulk(list_pool, l->list_keys, NB_BETWEEN));
	return rte_umr_mw_destroy(l->mw);
}

/* Record both lanes in this child of the test. @return 0, a failed call, or 255. */
static int
lanes_record(struct at_record *record, unsigned int nb_calls,
	     void (*run)(void *arg, unsigned int call))
{
	int ret;

	for (unsigned int i = 0; i < NB_LANES; i++) {
		ret = at_record_run(record, &record->lines[i], nb_calls, run, &lanes[i]);
		if (ret != 0)
			fprintf(stderr, "at_record_run(): %s\n", strerror(-ret));
		if (ret != 0)
			return 255;
		if (lanes[i].nb_failed != 0)
			return (int)lanes[i].nb_failed;
	}
	return 0;
}

static int
child_record(struct at_record *record, unsigned int nb_calls,
	     void (*run)(void *arg, unsigned int call))
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	TEST_ASSERT(pid >= 0);
	if (pid == 0)
		_exit(lanes_record(record, nb_calls, run));
	TEST_ASSERT_EQUAL(waitpid(pid, &status, 0), pid);
	if (!WIFEXITED(status))
		TEST_FAIL_AT("the recorder ended with signal %d", WTERMSIG(status));
	if (WEXITSTATUS(status) != 0 && WEXITSTATUS(status) <= (int)nb_calls)
		TEST_FAIL_AT("%s failed", calls[WEXITSTATUS(status) - 1].name);
	TEST_ASSERT_EQUAL(WEXITSTATUS(status), 0);
	return TEST_SUCCESS;
}

static int
lines_check(const struct at_record *record)
{
	const struct at_line *line, *met;

	for (unsigned int i = 0; i < NB_LANES; i++) {
		const struct at_lines *mine = &record->lines[i], *other = &record->lines[1 - i];

		line = at_lines_shared(mine, other, lanes[i].doorbell, &met);
		if (line != NULL)
			TEST_FAIL_AT("line 0x%" PRIxPTR ": %s of lcore %u writes it, %s of lcore "
				     "%u %s it", line->addr, calls[line->call].name, i,
				     calls[met->call].name, 1 - i,
				     met->is_written ? "writes" : "reads");
	}
	return TEST_SUCCESS;
}

static int
pools_create(const struct at_side *side, struct rte_umr_mkey_pool *pools[2])
{
	const struct rte_umr_mkey_pool_conf confs[] = {
		{ .nb_mkeys = 128, .max_entries = MAX_ENTRIES, .cache_size = 32, .socket_id = -1 },
		{ .nb_mkeys = NB_LANES * NB_BETWEEN, .max_entries = MAX_ENTRIES, .socket_id = -1,
		  .flags = RTE_UMR_MKEY_POOL_F_UPDATE },
	};

	for (unsigned int i = 0; i < RTE_DIM(confs); i++) {
		pools[i] = rte_umr_mkey_pool_create(side->dev_id, &confs[i]);
		TEST_ASSERT(pools[i] != NULL);
	}
	return TEST_SUCCESS;
}

static int
lines_run(struct at_env *env, struct at_record *record)
{
	struct rte_umr_mkey_pool *pools[2];
	int ret;

	TEST_ASSERT_SUCCESS(pools_create(env->tx, pools));
	memset(lanes, 0, sizeof(lanes));
	for (unsigned int i = 0; i < NB_LANES; i++) {
		lanes[i].queue = (uint16_t)i;
		TEST_ASSERT_SUCCESS(lane_init(&lanes[i], env->tx, pools[0], pools[1]));
	}
	ret = child_record(record, RTE_DIM(calls), lane_call);
	if (ret == TEST_SUCCESS)
		ret = lines_check(record);
	for (unsigned int i = 0; i < NB_LANES; i++)
		TEST_ASSERT_SUCCESS(lane_fini(&lanes[i], pools[1]));
	for (unsigned int i = 0; i < RTE_DIM(pools); i++)
		TEST_ASSERT_SUCCESS(rte_umr_mkey_pool_destroy(pools[i]));
	return ret;
}

static int
recorded(struct at_env *env, int (*run)(struct at_env *env, struct at_record *record))
{
	const struct at_conf conf = {
		.nb_queues = NB_LANES, .mkey_flags = RTE_UMR_MKEY_POOL_F_SIG,
		/* One for a write, one for a read. */
		.nb_sg_mkeys = 2,
		.access = RTE_UMR_ACCESS_LOCAL_WRITE | RTE_UMR_ACCESS_REMOTE_READ |
			  RTE_UMR_ACCESS_REMOTE_WRITE | RTE_UMR_ACCESS_REMOTE_ATOMIC |
			  RTE_UMR_ACCESS_MW_BIND,
	};

	if (!at_record_is_supported())
		TEST_SKIP("needs an x86-64 CPU and no sanitizer");
	TEST_NEED(at_env_build(env, &conf));
	struct at_record *const record = TEST_NOT_NULL(at_record_alloc());
	const int ret = run(env, record);
	at_record_free(record);
	return ret;
}

AT_CASE_CALL(lines, lcores_share_no_line_that_one_writes, recorded(env, lines_run))

/* A counter of all queues, as nobody should add it. */
static uint64_t counter;

static void
counter_call(void *arg, unsigned int call)
{
	RTE_SET_USED(arg);
	RTE_SET_USED(call);
	counter++;
}

static int
counter_run(struct at_env *env, struct at_record *record)
{
	const struct at_line *line, *met;

	RTE_SET_USED(env);
	TEST_ASSERT_SUCCESS(child_record(record, 1, counter_call));
	line = TEST_NOT_NULL(at_lines_shared(&record->lines[0], &record->lines[1], 0, &met));
	TEST_ASSERT_EQUAL(line->addr, (uintptr_t)&counter & ~(uintptr_t)(RTE_CACHE_LINE_SIZE - 1));
	/* It was the child's. */
	TEST_ASSERT_EQUAL(counter, 0);
	return TEST_SUCCESS;
}

AT_CASE_CALL(lines, a_shared_counter_is_found, recorded(env, counter_run))
