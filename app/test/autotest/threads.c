/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * What the headers say that threads may do at once, all of it at once, for ThreadSanitizer to look
 * at: queues of their own with keys of one pool, lookups, what only looks, the thread of telemetry,
 * control functions of different devices. Without it these are a test that nothing gets lost.
 */

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_lcore.h>
#include <rte_telemetry.h>

#include "../patience.h"
#include "autotest.h"
#include "env.h"

#define NB_QUEUES   2u
#define NB_ROUNDS   150u
#define NB_CONTROLS 12u
#define NB_KEYS	    4u
#define PIECE	    64u
#define MAX_CMDS    32u
#define PAGE	    4096u
/* Parts of an answer: queues, rejections, operations. */
#define MAX_PARTS   256u

/* What the library has registered: --no-telemetry leaves out the thread that would call it. */
static struct {
	const char *name;
	telemetry_cb answer;
} cmds[MAX_CMDS];
static unsigned int nb_cmds;

/* In the place of EAL's own, by libraries as well. */
int
rte_telemetry_register_cmd(const char *cmd, telemetry_cb fn, const char *help)
{
	RTE_SET_USED(help);
	if (strncmp(cmd, "/umr/", strlen("/umr/")) != 0)
		return 0;
	if (nb_cmds == MAX_CMDS)
		return -ENOSPC;
	cmds[nb_cmds].name = cmd;
	cmds[nb_cmds++].answer = fn;
	return 0;
}

/* What is in an answer is freed by whoever has sent it: here behind each. */
static __thread struct rte_tel_data *parts[MAX_PARTS];
static __thread unsigned int nb_parts;

int
rte_tel_data_add_dict_container(struct rte_tel_data *data, const char *name,
				struct rte_tel_data *part, int keep)
{
	int (*next)(struct rte_tel_data *data, const char *name, struct rte_tel_data *part,
		    int keep);

	*(void **)&next = dlsym(RTLD_NEXT, "rte_tel_data_add_dict_container");
	const int ret = nb_parts == MAX_PARTS ? -ENOSPC : next(data, name, part, keep);
	if (ret == 0 && keep == 0)
		parts[nb_parts++] = part;
	return ret;
}

static void
parts_free(void)
{
	while (nb_parts != 0)
		rte_tel_data_free(parts[--nb_parts]);
}

/* A thread beside the case. */
struct beside {
	struct at_env *env;
	struct at_side *side;
	uint16_t queue;
	atomic_bool *is_over;
	atomic_uint nb_turns;
	int ret;
	pthread_t thread;
};

static int
beside_start(struct beside *beside, void *(*run)(void *beside))
{
	return pthread_create(&beside->thread, NULL, run, beside);
}

static int
beside_end(struct beside *beside)
{
	pthread_join(beside->thread, NULL);
	return beside->ret;
}

/* All that telemetry can ask for; devices and keys may be there or not. */
static void
telemetry_ask(uint32_t key)
{
	struct rte_tel_data *data = rte_tel_data_alloc();
	char of_queue[32], of_key[32];
	const char *const params[] = { NULL, "0", "1", "0,0", "0,1", of_queue, of_key };

	snprintf(of_queue, sizeof(of_queue), "1,%u", 0u);
	snprintf(of_key, sizeof(of_key), "0,%u", key);
	for (unsigned int i = 0; data != NULL && i < nb_cmds; i++)
		for (unsigned int j = 0; j < RTE_DIM(params); j++) {
			cmds[i].answer(cmds[i].name, params[j], data);
			parts_free();
		}
	rte_tel_data_free(data);
}

static void *
telemetry_main(void *arg)
{
	struct beside *beside = arg;
	const uint32_t key = beside->side != NULL && beside->side->nb_keys != 0 ?
			     beside->side->keys[0]->key : 0x100;

	while (!atomic_load(beside->is_over)) {
		telemetry_ask(key);
		atomic_fetch_add(&beside->nb_turns, 1);
	}
	return NULL;
}

static int
look(const struct at_side *side)
{
	uint8_t status;
	uint8_t dev_status;
	uint32_t lkey;

	TEST_ASSERT_SUCCESS(rte_umr_dev_status(side->dev_id, &dev_status));
	TEST_ASSERT_EQUAL(dev_status, RTE_UMR_DEV_STATUS_OK);
	for (uint16_t q = 0; q < NB_QUEUES; q++)
		TEST_ASSERT_SUCCESS(rte_umr_queue_status(side->dev_id, q, &status));
	TEST_ASSERT_SUCCESS(rte_umr_mr_lookup(side->dev_id, side->buf, AT_BUF_LEN, &lkey));
	TEST_ASSERT_EQUAL(lkey, side->mr->lkey);
	TEST_ASSERT_EQUAL(rte_umr_addr_to_mkey(side->dev_id, side->buf + PIECE, PIECE), lkey);
	rte_umr_mkey_pool_avail(side->pool);
	return TEST_SUCCESS;
}

/* What only looks, which any thread may at any time. */
static void *
look_main(void *arg)
{
	struct beside *beside = arg;

	while (!atomic_load(beside->is_over) && beside->ret == TEST_SUCCESS) {
		beside->ret = look(beside->side);
		atomic_fetch_add(&beside->nb_turns, 1);
	}
	return NULL;
}

/* Keys of the pool that all have; each brings a piece of memory to its place. */
static int
keys_round(struct at_side *side, uint16_t queue, uint32_t round)
{
	const uint32_t from = queue * (AT_BUF_LEN / 8), to = AT_BUF_LEN / 2 + from;
	struct rte_umr_completion done[2 * NB_KEYS];
	struct rte_umr_mkey *keys[NB_KEYS];
	struct rte_umr_seg seg, local;

	TEST_ASSERT_SUCCESS(rte_umr_mkey_get_bulk(side->pool, keys, NB_KEYS));
	memset(side->buf + from, (int)(round + queue + 1), NB_KEYS * PIECE);
	for (uint32_t i = 0; i < NB_KEYS; i++) {
		seg = at_seg(side, from + i * PIECE, PIECE);
		seg.lkey = rte_umr_addr_to_mkey(side->dev_id, side->buf + from + i * PIECE, PIECE);
		TEST_ACCEPT(rte_umr_mkey_list(side->dev_id, queue, keys[i], 0, &seg, 1, 0));
		local = at_key_seg(keys[i], 0, PIECE);
		TEST_ACCEPT(rte_umr_write(side->dev_id, queue, &local,
					  at_addr(side, to + i * PIECE), side->mr->rkey, 0));
	}
	TEST_ASSERT_SUCCESS(rte_umr_submit(side->dev_id, queue));
	TEST_ASSERT_EQUAL(at_collect(side->dev_id, queue, done, RTE_DIM(done)), RTE_DIM(done));
	for (uint32_t i = 0; i < RTE_DIM(done); i++)
		TEST_ASSERT_EQUAL(done[i].status, RTE_UMR_STATUS_SUCCESS);
	TEST_ASSERT_SAME(side->buf + from, side->buf + to, NB_KEYS * PIECE);
	TEST_ASSERT_SUCCESS(rte_umr_mkey_put_bulk(side->pool, keys, NB_KEYS));
	return TEST_SUCCESS;
}

static int
queue_run(struct beside *beside)
{
	for (uint32_t r = 0; r < NB_ROUNDS; r++)
		TEST_ASSERT_SUCCESS(keys_round(beside->side, beside->queue, r));
	return TEST_SUCCESS;
}

/* As long as the case lasts, at least. */
static int
queue_run_on(struct beside *beside)
{
	TEST_ASSERT_SUCCESS(queue_run(beside));
	while (!atomic_load(beside->is_over))
		TEST_ASSERT_SUCCESS(keys_round(beside->side, beside->queue, 0));
	return TEST_SUCCESS;
}

/* The owner of a queue: a thread that EAL knows, so it has caches. */
static void *
queue_main(void *arg)
{
	struct beside *beside = arg;

	beside->ret = rte_thread_register();
	if (beside->ret != 0)
		return NULL;
	beside->ret = queue_run_on(beside);
	rte_thread_unregister();
	return NULL;
}

/* Wait until a thread has made so many turns, so that it is known to have been beside. */
static int
turns_wait(struct beside *beside, unsigned int nb)
{
	const uint64_t deadline = patience_end();

	while (atomic_load(&beside->nb_turns) < nb) {
		TEST_ASSERT(!patience_is_over(deadline));
	}
	return TEST_SUCCESS;
}

/* Objects of every kind are made and go, while others work on theirs. */
static int
control_round(struct at_side *side, uint8_t *memory)
{
	const struct rte_umr_mkey_pool_conf pool_conf = {
		.nb_mkeys = 8, .max_entries = 4, .socket_id = -1,
	};
	struct rte_umr_mr *mrs[4];
	struct rte_umr_dev_info info;
	struct rte_umr_pd *pd;
	struct rte_umr_mw *mw;

	for (unsigned int i = 0; i < RTE_DIM(mrs); i++) {
		mrs[i] = at_mr_register(side->dev_id, memory + i * PAGE, PAGE,
					RTE_UMR_ACCESS_LOCAL_WRITE, 0);
		TEST_ASSERT(mrs[i] != NULL);
		TEST_ASSERT_EQUAL(rte_umr_addr_to_mkey(side->dev_id, memory + i * PAGE, PAGE),
				  mrs[i]->lkey);
	}
	TEST_ASSERT_SUCCESS(rte_umr_dev_info_get(side->dev_id, &info));
	if ((info.dev_capa & RTE_UMR_CAPA_PD) != 0) {
		pd = TEST_NOT_NULL(rte_umr_pd_alloc(side->dev_id));
		TEST_ASSERT_SUCCESS(rte_umr_pd_free(pd));
	}
	if ((info.dev_capa & RTE_UMR_CAPA_MW_TYPE_2B) != 0) {
		mw = TEST_NOT_NULL(rte_umr_mw_create(side->dev_id, NULL, RTE_UMR_MW_TYPE_2B));
		TEST_ASSERT_SUCCESS(rte_umr_mw_destroy(mw));
	}
	struct rte_umr_mkey_pool *const pool = TEST_NOT_NULL(rte_umr_mkey_pool_create(side->dev_id,
										      &pool_conf));
	TEST_ASSERT_SUCCESS(rte_umr_mkey_pool_destroy(pool));
	for (unsigned int i = 0; i < RTE_DIM(mrs); i++)
		TEST_ASSERT_SUCCESS(rte_umr_mr_deregister(mrs[i]));
	return TEST_SUCCESS;
}

static int
controls_run(struct at_side *side, unsigned int nb)
{
	static uint8_t memory[RTE_UMR_MAX_DEVS][4 * PAGE] __rte_aligned(PAGE);

	for (unsigned int i = 0; i < nb; i++)
		TEST_ASSERT_SUCCESS(control_round(side, memory[side->dev_id]));
	return TEST_SUCCESS;
}

static int
beside_all(struct at_env *env, struct beside *others, int (*run)(struct at_env *env))
{
	atomic_bool is_over = false;
	void *(*const mains[])(void *) = { queue_main, queue_main, look_main, telemetry_main };
	int ret, ret_other;

	for (unsigned int i = 0; i < RTE_DIM(mains); i++) {
		others[i] = (struct beside){
			.env = env, .side = env->tx, .queue = (uint16_t)i, .is_over = &is_over,
		};
		TEST_ASSERT_SUCCESS(beside_start(&others[i], mains[i]));
	}
	ret = run(env);
	for (unsigned int i = 2; ret == TEST_SUCCESS && i < RTE_DIM(mains); i++)
		ret = turns_wait(&others[i], 3);
	atomic_store(&is_over, true);
	for (unsigned int i = 0; i < RTE_DIM(mains); i++) {
		ret_other = beside_end(&others[i]);
		ret = ret != TEST_SUCCESS ? ret : ret_other;
	}
	return ret;
}

AT_CALL(control_tx, controls_run(env->tx, NB_CONTROLS))

AT_CASE(threads, queues_work_beside_control_and_telemetry)
{
	struct beside others[4];

	AT_BUILD(env, .nb_queues = NB_QUEUES, .nb_mkeys = 64);
	return beside_all(env, others, control_tx);
}

/* A queue fails and recovers while those of other threads go on. */
static int
recoveries_run(struct at_env *env)
{
	struct at_side *side = env->tx;
	const uint16_t queue = NB_QUEUES;
	struct rte_umr_completion done;
	struct rte_umr_seg bad;

	for (unsigned int i = 0; i < NB_CONTROLS; i++) {
		bad = at_seg(side, 0, PIECE);
		bad.lkey ^= 0x55;
		TEST_ACCEPT(rte_umr_write(side->dev_id, queue, &bad, at_addr(side, 0),
					  side->mr->rkey, RTE_UMR_OP_F_SUBMIT));
		TEST_ASSERT_EQUAL(at_collect(side->dev_id, queue, &done, 1), 1);
		TEST_ASSERT(done.status != RTE_UMR_STATUS_SUCCESS);
		TEST_ASSERT_SUCCESS(rte_umr_queue_recover(side->dev_id, queue));
		TEST_ASSERT_SUCCESS(keys_round(side, queue, i));
	}
	return TEST_SUCCESS;
}

AT_CASE(threads, queue_recovers_beside_others)
{
	struct beside others[4];

	AT_BUILD(env, .nb_queues = NB_QUEUES + 1, .nb_mkeys = 64);
	return beside_all(env, others, recoveries_run);
}

static int
device_restart(struct at_side *side)
{
	const struct rte_umr_dev_conf dev_conf = { .nb_queues = 1 };
	const struct rte_umr_queue_conf queue_conf = {
		.transport = RTE_UMR_TRANSPORT_LOOPBACK, .nb_desc = 128, .socket_id = -1,
	};

	TEST_ASSERT_SUCCESS(rte_umr_dev_stop(side->dev_id));
	TEST_ASSERT_SUCCESS(rte_umr_dev_configure(side->dev_id, &dev_conf));
	TEST_ASSERT_SUCCESS(rte_umr_queue_setup(side->dev_id, 0, &queue_conf));
	return rte_umr_dev_start(side->dev_id);
}

static int
device_run(struct at_side *side)
{
	for (unsigned int i = 0; i < NB_CONTROLS / 2; i++) {
		TEST_ASSERT_SUCCESS(device_restart(side));
		TEST_ASSERT_SUCCESS(controls_run(side, 1));
		TEST_ASSERT_SUCCESS(keys_round(side, 0, i));
	}
	return TEST_SUCCESS;
}

static void *
device_main(void *arg)
{
	struct beside *beside = arg;

	beside->ret = device_run(beside->side);
	return NULL;
}

AT_CASE(threads, devices_are_controlled_by_threads_of_their_own)
{
	atomic_bool is_over = false;
	struct beside telemetry = { .env = env, .is_over = &is_over };
	struct beside other = { .env = env, .is_over = &is_over };

	AT_BUILD(env, .topology = AT_TWO_DEVICES);
	other.side = env->rx;
	TEST_ASSERT_SUCCESS(beside_start(&telemetry, telemetry_main));
	TEST_ASSERT_SUCCESS(beside_start(&other, device_main));
	const int ret = device_run(env->tx);
	const int ret_other = beside_end(&other);
	atomic_store(&is_over, true);
	beside_end(&telemetry);
	TEST_ASSERT_SUCCESS(ret_other);
	return ret;
}

AT_CASE(threads, devices_come_and_go_beside_telemetry)
{
	const struct at_conf conf = { .nb_queues = 1 };
	atomic_bool is_over = false;
	struct beside telemetry = { .env = env, .is_over = &is_over };
	int ret = TEST_SUCCESS;

	TEST_ASSERT_SUCCESS(beside_start(&telemetry, telemetry_main));
	for (unsigned int i = 0; i < NB_CONTROLS / 2 && ret == TEST_SUCCESS; i++) {
		ret = at_env_build(env, &conf);
		if (ret == TEST_SUCCESS)
			ret = keys_round(env->tx, 0, i);
		if (at_env_fini(env) != 0)
			ret = TEST_FAILED;
	}
	if (ret == TEST_SUCCESS)
		ret = turns_wait(&telemetry, 1);
	atomic_store(&is_over, true);
	beside_end(&telemetry);
	TEST_ASSERT(nb_cmds > 0);
	return ret;
}
