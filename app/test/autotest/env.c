/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <string.h>
#include <sys/mman.h>

#include <rte_cycles.h>
#include <rte_malloc.h>

#include "tool/tool.h"

#include "../patience.h"
#include "autotest.h"
#include "env.h"

#define DEFAULT(value, otherwise) ((value) != 0 ? (value) : (otherwise))

const char *
at_topology_name(enum at_topology topology)
{
	static const char *const names[] = {
		[AT_LOOPBACK] = "loopback",
		[AT_SAME_DEVICE] = "two queues of a device",
		[AT_TWO_DEVICES] = "two devices",
	};

	return names[topology];
}

void
at_env_init(struct at_env *env)
{
	memset(env, 0, sizeof(*env));
	env->sides[0].dev_id = -1;
	env->sides[1].dev_id = -1;
}

static int
side_fini(struct at_side *side)
{
	int ret, err;

	if (side->dev_id < 0)
		return 0;
	err = rte_umr_dev_stop(side->dev_id);
	if (side->nb_keys != 0) {
		ret = rte_umr_mkey_put_bulk(side->pool, side->keys, side->nb_keys);
		err = ret != 0 ? ret : err;
	}
	for (uint32_t i = 0; i < side->nb_own; i++) {
		rte_umr_mkey_put(side->own[i].pool, side->own[i].mkey);
		ret = rte_umr_mkey_pool_destroy(side->own[i].pool);
		err = ret != 0 ? ret : err;
	}
	ret = rte_umr_mkey_pool_destroy(side->pool);
	err = ret != 0 ? ret : err;
	for (uint32_t i = 0; i < side->nb_mrs; i++) {
		ret = rte_umr_mr_deregister(side->mrs[i]);
		err = ret != 0 ? ret : err;
	}
	ret = rte_umr_mr_deregister(side->mr);
	err = ret != 0 ? ret : err;
	rte_free(side->buf);
	ret = rte_umr_dev_close(side->dev_id);
	return ret != 0 ? ret : err;
}

int
at_env_fini(struct at_env *env)
{
	unsigned int i;
	int ret, err = 0;

	for (i = 0; i < RTE_DIM(env->sides); i++) {
		ret = side_fini(&env->sides[i]);
		err = ret != 0 ? ret : err;
	}
	for (i = 0; i < env->nb_maps; i++)
		munmap(env->maps[i].addr, env->maps[i].len);
	at_env_init(env);
	return err;
}

int
at_device_name(unsigned int n, char name[RTE_UMR_DEV_NAME_LEN])
{
	char names[2][RTE_UMR_DEV_NAME_LEN];
	const uint16_t nb = rte_umr_dev_scan(names, RTE_DIM(names));

	TEST_ASSERT(nb > 0 && n < RTE_DIM(names));
	if (nb <= n)
		TEST_SKIP("needs %u devices", n + 1);
	memcpy(name, names[n], sizeof(names[n]));
	return TEST_SUCCESS;
}

int
at_side_probe(struct at_env *env, unsigned int n)
{
	char name[RTE_UMR_DEV_NAME_LEN], devargs[128];

	TEST_NEED(at_device_name(n, name));
	snprintf(devargs, sizeof(devargs), "%s%s", name, env->options != NULL ? env->options : "");
	TEST_ASSERT_SUCCESS(rte_umr_dev_probe(devargs, &env->sides[n].dev_id));
	TEST_ASSERT_SUCCESS(rte_umr_dev_info_get(env->sides[n].dev_id, &env->sides[n].info));
	return TEST_SUCCESS;
}

int
at_option_rejected(const char *option)
{
	char name[RTE_UMR_DEV_NAME_LEN], devargs[128];

	TEST_ASSERT_SUCCESS(at_device_name(0, name));
	snprintf(devargs, sizeof(devargs), "%s,%s", name, option);
	TEST_ASSERT_EQUAL(rte_umr_dev_probe(devargs, NULL), -EINVAL);
	return TEST_SUCCESS;
}

int
at_side_memory(struct at_side *side, const struct at_conf *conf)
{
	struct rte_umr_mkey_pool_conf pool_conf = {
		.nb_mkeys = DEFAULT(conf->nb_mkeys, 16),
		.max_entries = conf->max_entries,
		.flags = conf->mkey_flags,
		.socket_id = -1,
	};

	TEST_ASSERT_SUCCESS(rte_umr_dev_info_get(side->dev_id, &side->info));
	if (pool_conf.max_entries == 0)
		pool_conf.max_entries = RTE_MIN(side->info.max_list_inline, 52u);
	side->buf = rte_zmalloc(NULL, AT_BUF_LEN, 4096);
	TEST_ASSERT(side->buf != NULL);
	side->mr = at_mr_register(side->dev_id, side->buf, AT_BUF_LEN,
				  DEFAULT(conf->access, side->info.access_capa), 0);
	TEST_ASSERT(side->mr != NULL);
	side->pool = rte_umr_mkey_pool_create(side->dev_id, &pool_conf);
	TEST_ASSERT(side->pool != NULL);
	return TEST_SUCCESS;
}

static int
side_start(struct at_side *side, uint16_t nb_queues, const struct at_conf *conf)
{
	const struct rte_umr_dev_conf dev_conf = { .nb_queues = nb_queues };
	const struct rte_umr_queue_conf queue_conf = {
		.transport = conf->topology == AT_LOOPBACK ? RTE_UMR_TRANSPORT_LOOPBACK :
							     RTE_UMR_TRANSPORT_RC,
		.nb_desc = DEFAULT(conf->nb_desc, 256),
		.nb_recv_desc = DEFAULT(conf->nb_recv_desc, 64),
		.max_recv_segs = DEFAULT(conf->max_recv_segs, 2),
		.flags = conf->queue_flags,
		.nb_sig_mkeys = (conf->mkey_flags & RTE_UMR_MKEY_POOL_F_SIG) != 0 ?
					DEFAULT(conf->nb_mkeys, 16) : 0,
		.nb_sg_mkeys = conf->nb_sg_mkeys,
		.max_sg_entries = conf->max_sg_entries,
		.socket_id = -1,
	};
	uint16_t q;

	TEST_ASSERT_SUCCESS(rte_umr_dev_configure(side->dev_id, &dev_conf));
	for (q = 0; q < nb_queues; q++)
		TEST_ASSERT_SUCCESS(rte_umr_queue_setup(side->dev_id, q, &queue_conf));
	TEST_ASSERT_SUCCESS(rte_umr_dev_start(side->dev_id));
	return TEST_SUCCESS;
}

int
at_env_connect(struct at_env *env)
{
	struct rte_umr_endpoint tx, rx;

	TEST_ASSERT_SUCCESS(rte_umr_queue_endpoint_get(env->tx->dev_id, 0, &tx));
	TEST_ASSERT_SUCCESS(rte_umr_queue_endpoint_get(env->rx->dev_id, env->rx_queue, &rx));
	TEST_ASSERT_SUCCESS(rte_umr_queue_connect(env->tx->dev_id, 0, &rx));
	TEST_ASSERT_SUCCESS(rte_umr_queue_connect(env->rx->dev_id, env->rx_queue, &tx));
	return TEST_SUCCESS;
}

int
at_env_recover(struct at_env *env)
{
	const bool is_loopback = env->rx == env->tx && env->rx_queue == 0;
	int ret;

	TEST_ASSERT_SUCCESS(rte_umr_queue_recover(env->tx->dev_id, 0));
	if (is_loopback)
		return TEST_SUCCESS;
	/* Of what was wrong at the sender alone, the peer has not heard. */
	ret = rte_umr_queue_recover(env->rx->dev_id, env->rx_queue);
	TEST_ASSERT(ret == 0 || ret == -EALREADY);
	return at_env_connect(env);
}

int
at_need_capa(const struct rte_umr_dev_info *info, uint64_t capa)
{
	const uint64_t lacks = capa & ~info->dev_capa;
	char names[256];

	if (lacks == 0)
		return TEST_SUCCESS;
	tool_capa_print(names, sizeof(names), lacks);
	TEST_SKIP("%s lacks %s", info->dev_name, names);
}

int
at_env_build(struct at_env *env, const struct at_conf *conf)
{
	const unsigned int nb_sides = conf->topology == AT_TWO_DEVICES ? 2 : 1;
	uint16_t nb_queues = DEFAULT(conf->nb_queues, 1);
	unsigned int i;

	env->options = conf->options;
	if (conf->topology == AT_SAME_DEVICE)
		nb_queues = 2;
	for (i = 0; i < nb_sides; i++) {
		TEST_NEED(at_side_probe(env, i));
		TEST_NEED(at_need_capa(&env->sides[i].info, conf->capa));
		TEST_ASSERT_SUCCESS(at_side_memory(&env->sides[i], conf));
		TEST_ASSERT_SUCCESS(side_start(&env->sides[i], nb_queues, conf));
	}
	env->tx = &env->sides[0];
	env->rx = &env->sides[nb_sides - 1];
	env->rx_queue = conf->topology == AT_SAME_DEVICE ? 1 : 0;
	if (conf->topology == AT_LOOPBACK || conf->is_unconnected)
		return TEST_SUCCESS;
	return at_env_connect(env);
}

int
at_env_build_capable(struct at_env *env, uint64_t capa, const struct at_conf *conf)
{
	struct at_conf with_capa = *conf;

	with_capa.capa = capa;
	TEST_NEED(at_env_build(env, &with_capa));
	at_fill(env);
	return TEST_SUCCESS;
}

int
at_everywhere(struct at_env *env, uint32_t max_entries, int (*run)(struct at_env *env))
{
	enum at_topology topology;
	unsigned int nb_run = 0;
	int ret;

	for (topology = 0; topology < AT_NB_TOPOLOGIES; topology++) {
		const struct at_conf conf = {
			.topology = topology,
			.max_entries = max_entries,
		};

		ret = at_env_build(env, &conf);
		if (ret == TEST_SUCCESS) {
			at_fill(env);
			ret = run(env);
			nb_run += ret != TEST_SKIPPED;
		}
		if (ret != TEST_SUCCESS && ret != TEST_SKIPPED)
			TEST_FAIL_AT("between %s", at_topology_name(topology));
		TEST_ASSERT_SUCCESS(at_env_fini(env));
	}
	return nb_run != 0 ? TEST_SUCCESS : TEST_SKIPPED;
}

struct rte_umr_mkey *
at_key(struct at_side *side)
{
	struct rte_umr_mkey *mkey;

	if (side->nb_keys == RTE_DIM(side->keys))
		return NULL;
	mkey = rte_umr_mkey_get(side->pool);
	if (mkey != NULL)
		side->keys[side->nb_keys++] = mkey;
	return mkey;
}

struct rte_umr_mkey *
at_own_key(struct at_side *side, const struct rte_umr_mkey_pool_conf *conf)
{
	struct rte_umr_mkey_pool *pool;

	if (side->nb_own == RTE_DIM(side->own))
		return NULL;
	pool = rte_umr_mkey_pool_create(side->dev_id, conf);
	if (pool == NULL)
		return NULL;
	side->own[side->nb_own].pool = pool;
	side->own[side->nb_own].mkey = rte_umr_mkey_get(pool);
	return side->own[side->nb_own++].mkey;
}

struct rte_umr_mr *
at_own_mr(struct at_side *side, void *addr, size_t len, uint32_t access, uint32_t flags)
{
	struct rte_umr_mr *mr;

	if (side->nb_mrs == RTE_DIM(side->mrs))
		return NULL;
	mr = at_mr_register(side->dev_id, addr, len, access, flags);
	if (mr != NULL)
		side->mrs[side->nb_mrs++] = mr;
	return mr;
}

void *
at_map(struct at_env *env, size_t len)
{
	void *addr;

	if (env->nb_maps == RTE_DIM(env->maps))
		return NULL;
	addr = mmap(NULL, len, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (addr == MAP_FAILED)
		return NULL;
	env->maps[env->nb_maps].addr = addr;
	env->maps[env->nb_maps++].len = len;
	return addr;
}

typedef uint16_t (*poll_t)(int16_t, uint16_t, uint16_t, struct rte_umr_completion *);

static uint16_t
collect(poll_t poll, int16_t dev_id, uint16_t queue_id, struct rte_umr_completion *done,
	uint16_t nb)
{
	const uint64_t deadline = patience_end();
	uint16_t n = 0;

	while (n < nb) {
		const uint16_t more = poll(dev_id, queue_id, (uint16_t)(nb - n), &done[n]);

		n = (uint16_t)(n + more);
		if (more == 0 && patience_is_over(deadline))
			break;
	}
	return n;
}

uint16_t
at_collect(int16_t dev_id, uint16_t queue_id, struct rte_umr_completion *done, uint16_t nb)
{
	return collect(rte_umr_completed_status, dev_id, queue_id, done, nb);
}

uint16_t
at_collect_recv(int16_t dev_id, uint16_t queue_id, struct rte_umr_completion *done, uint16_t nb)
{
	return collect(rte_umr_recv_completed, dev_id, queue_id, done, nb);
}

static int
expect_one(poll_t poll, int16_t dev_id, uint16_t queue_id, enum rte_umr_status status,
	   struct rte_umr_completion *done)
{
	struct rte_umr_completion one;

	done = done != NULL ? done : &one;
	TEST_ASSERT_EQUAL(collect(poll, dev_id, queue_id, done, 1), 1);
	if (done->status != status)
		TEST_FAIL_AT("%s %u ended with %s (syndrome 0x%x/0x%x), not %s",
			     rte_umr_op_name(done->op), done->idx,
			     rte_umr_status_name(done->status), done->syndrome,
			     done->vendor_syndrome, rte_umr_status_name(status));
	return TEST_SUCCESS;
}

int
at_expect_tx(const struct at_env *env, enum rte_umr_status status,
	     struct rte_umr_completion *done)
{
	return expect_one(rte_umr_completed_status, env->tx->dev_id, 0, status, done);
}

int
at_expect_rx(const struct at_env *env, enum rte_umr_status status,
	     struct rte_umr_completion *done)
{
	return expect_one(rte_umr_completed_status, env->rx->dev_id, env->rx_queue, status, done);
}

int
at_expect_recv(const struct at_env *env, enum rte_umr_status status,
	       struct rte_umr_completion *done)
{
	return expect_one(rte_umr_recv_completed, env->rx->dev_id, env->rx_queue, status, done);
}

int
at_expect_failure(const struct at_env *env, uint16_t first_idx, uint16_t nb, uint16_t bad,
		  enum rte_umr_status status)
{
	struct rte_umr_completion done;

	for (uint16_t i = 0; i < nb; i++) {
		const enum rte_umr_status want = i < bad ? RTE_UMR_STATUS_SUCCESS :
						 i == bad ? status : RTE_UMR_STATUS_FLUSHED;

		TEST_ASSERT_EQUAL(at_collect(env->tx->dev_id, 0, &done, 1), 1);
		TEST_ASSERT_EQUAL(done.idx, (uint16_t)(first_idx + i));
		if (done.status != want)
			TEST_FAIL_AT("operation %u of %u: %s, not %s", i, nb,
				     rte_umr_status_name(done.status), rte_umr_status_name(want));
	}
	TEST_ASSERT_EQUAL(rte_umr_completed_status(env->tx->dev_id, 0, 1, &done), 0);
	return TEST_SUCCESS;
}

int
at_finish_status(struct at_env *env, uint16_t nb, enum rte_umr_status status)
{
	struct rte_umr_completion done;
	uint16_t i;

	TEST_ASSERT_SUCCESS(rte_umr_submit(env->tx->dev_id, 0));
	for (i = 0; i < nb; i++) {
		const enum rte_umr_status want = i + 1 < nb ? RTE_UMR_STATUS_SUCCESS : status;

		TEST_ASSERT_EQUAL(at_collect(env->tx->dev_id, 0, &done, 1), 1);
		if (done.status != want)
			TEST_FAIL_AT("operation %u of %u (%s) ended with %s (syndrome 0x%x/0x%x), "
				     "not %s", i + 1, nb, rte_umr_op_name(done.op),
				     rte_umr_status_name(done.status), done.syndrome,
				     done.vendor_syndrome, rte_umr_status_name(want));
	}
	/* Nothing comes back twice. */
	TEST_ASSERT_EQUAL(rte_umr_completed_status(env->tx->dev_id, 0, 1, &done), 0);
	return TEST_SUCCESS;
}

int
at_finish(struct at_env *env, uint16_t nb)
{
	return at_finish_status(env, nb, RTE_UMR_STATUS_SUCCESS);
}

void
at_fill(struct at_env *env)
{
	unsigned int s;
	uint32_t i;

	for (s = 0; s < RTE_DIM(env->sides); s++)
		for (i = 0; env->sides[s].buf != NULL && i < AT_BUF_LEN; i++)
			env->sides[s].buf[i] = (uint8_t)((i * 2654435761u >> 24) + s * 91);
}

int64_t
at_first_difference(const void *a, const void *b, size_t len)
{
	const uint8_t *x = a, *y = b;
	size_t i;

	for (i = 0; i < len; i++)
		if (x[i] != y[i])
			return (int64_t)i;
	return -1;
}
