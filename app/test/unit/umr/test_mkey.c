/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Pools of keys and memory windows of lib/umr: arguments, errors. */

#include <rte_errno.h>
#include <rte_lcore.h>
#include <rte_log.h>
#include <rte_memory.h>
#include <rte_per_lcore.h>

#include "budget.h"
#include "alloc.h"
#include "fake.h"
#include "rte_umr_private.h"

/* All keys of a pool, taken from it in order of memory. */
struct taken {
	struct rte_umr_mkey_pool *pool;
	uint32_t nb;
	struct rte_umr_mkey *mkeys[FAKE_MAX_MKEYS];
};

static int
setup(void **state)
{
	test_alloc = (struct test_alloc){ 0 };
	RTE_PER_LCORE(_lcore_id) = LCORE_ID_ANY;
	return fake_setup(state);
}

/* Nothing of a pool is left. */
static int
teardown(void **state)
{
	return fake_teardown(state) != 0 || test_alloc.nb_live != 0 || fake.nb_mkeys != 0;
}

static struct rte_umr_mkey_pool_conf
conf_of(uint32_t nb_mkeys, uint32_t cache_size)
{
	return (struct rte_umr_mkey_pool_conf){
		.nb_mkeys = nb_mkeys, .max_entries = 7, .cache_size = cache_size, .socket_id = 1,
	};
}

/* A pool that there has to be. */
static struct rte_umr_mkey_pool *
pool_of(int16_t dev_id, const struct rte_umr_mkey_pool_conf *conf)
{
	struct rte_umr_mkey_pool *pool = rte_umr_mkey_pool_create(dev_id, conf);

	assert_non_null(pool);
	return pool;
}

static void
no_pool(int16_t dev_id, const struct rte_umr_mkey_pool_conf *conf, int error)
{
	rte_errno = 0;
	assert_null(rte_umr_mkey_pool_create(dev_id, conf));
	assert_int_equal(rte_errno, error);
}

static void
all_take(struct taken *all, uint32_t nb, uint32_t cache_size)
{
	const struct rte_umr_mkey_pool_conf conf = conf_of(nb, cache_size);

	fake.nb_mkey_create = 0;
	all->pool = pool_of(fake_probed(), &conf);
	assert_int_equal(rte_umr_mkey_pool_avail(all->pool), nb);
	assert_int_equal(test_alloc.socket_id, 1);
	all->nb = nb;
	assert_int_equal(rte_umr_mkey_get_bulk(all->pool, all->mkeys, nb), 0);
	assert_int_equal(rte_umr_mkey_pool_avail(all->pool), 0);
	assert_null(rte_umr_mkey_get(all->pool));
	assert_int_equal(rte_umr_mkey_pool_destroy(all->pool), -EBUSY);
}

static void
all_put(struct taken *all)
{
	int16_t dev_id = all->mkeys[0]->dev_id;

	assert_int_equal(rte_umr_mkey_put_bulk(all->pool, all->mkeys, all->nb), 0);
	assert_int_equal(rte_umr_mkey_pool_avail(all->pool), all->nb);
	assert_int_equal(rte_umr_mkey_pool_destroy(all->pool), 0);
	assert_int_equal(fake.nb_mkeys, 0);
	assert_int_equal(test_alloc.nb_live, 0);
	assert_int_equal(rte_umr_dev_close(dev_id), 0);
}

CASE_WITH(keys_are_16_bytes_apart, setup, teardown)
{
	/* A block has 4096 bytes, and its head the first cache line. */
	const uint32_t nb_head = RTE_CACHE_LINE_SIZE / 16, nb_block = 4096 / 16 - nb_head;
	const uint32_t sizes[] = { 1, 2, nb_block - 1, nb_block, nb_block + 1, 2 * nb_block,
				   2 * nb_block + 1, FAKE_MAX_MKEYS };
	struct taken all;
	uintptr_t first;

	for (uint32_t n = 0; n < RTE_DIM(sizes); n++) {
		all_take(&all, sizes[n], sizes[n] % 2 == 0 ? sizes[n] / 4 : 0);
		first = (uintptr_t)all.mkeys[0];
		assert_int_equal(first % 4096, RTE_CACHE_LINE_SIZE);
		for (uint32_t i = 0; i < all.nb; i++) {
			assert_int_equal((uintptr_t)all.mkeys[i],
					 first + 16 * (i + i / nb_block * nb_head));
			assert_ptr_equal(*(struct rte_umr_mkey **)rte_umr_mkey_priv(all.mkeys[i]),
					 all.mkeys[i]);
			assert_int_equal(all.mkeys[i]->key, (i + 1) << 8 | 1);
			assert_int_equal(all.mkeys[i]->max_entries, 7);
		}
		all_put(&all);
	}
}

CASE_WITH(tag_advances_with_each_get, setup, teardown)
{
	struct taken all;

	all_take(&all, 3, 0);
	assert_int_equal(rte_umr_mkey_put(all.pool, all.mkeys[1]), 0);
	for (uint32_t i = 2; i < 600; i++) {
		assert_ptr_equal(rte_umr_mkey_get(all.pool), all.mkeys[1]);
		assert_int_equal(all.mkeys[1]->key, 2 << 8 | (i & 0xff));
		assert_int_equal(rte_umr_mkey_put(all.pool, all.mkeys[1]), 0);
	}
	assert_int_equal(all.mkeys[0]->key, 1 << 8 | 1);
	assert_ptr_equal(rte_umr_mkey_get(all.pool), all.mkeys[1]);
	all_put(&all);
}

CASE_WITH(caches_of_lcores_count_as_available, setup, teardown)
{
	struct rte_umr_mkey *mkeys[4];
	struct taken all;

	all_take(&all, 30, 8);
	RTE_PER_LCORE(_lcore_id) = 2;
	assert_int_equal(rte_umr_mkey_put_bulk(all.pool, all.mkeys, 4), 0);
	assert_int_equal(rte_umr_mkey_pool_avail(all.pool), 4);
	RTE_PER_LCORE(_lcore_id) = LCORE_ID_ANY;
	assert_int_equal(rte_umr_mkey_get_bulk(all.pool, mkeys, 1), -ENOBUFS);
	RTE_PER_LCORE(_lcore_id) = 2;
	assert_int_equal(rte_umr_mkey_get_bulk(all.pool, mkeys, 5), -ENOBUFS);
	assert_int_equal(rte_umr_mkey_get_bulk(all.pool, mkeys, 4), 0);
	assert_memory_equal(mkeys, all.mkeys, sizeof(mkeys));
	all_put(&all);
}

/* A put is rejected with one line of these words, and nothing has changed. */
static void
put_is_rejected(const struct taken *all, struct rte_umr_mkey *const *mkeys, uint32_t nb,
	       const char *words)
{
	uint32_t nb_avail = rte_umr_mkey_pool_avail(all->pool);
	char *text;

	fake_log_start();
	assert_int_equal(rte_umr_mkey_put_bulk(all->pool, mkeys, nb), -EINVAL);
	text = fake_log_end();
	assert_non_null(strstr(text, words));
	assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
	assert_int_equal(rte_umr_mkey_pool_avail(all->pool), nb_avail);
	free(text);
}

/* Where it was put makes no difference, nor where it is put again. */
CASE_WITH(key_is_put_once, setup, teardown)
{
	static const unsigned int lcores[] = { LCORE_ID_ANY, 2, 3 };
	struct rte_umr_mkey *got[30];
	struct taken all;

	for (uint32_t i = 0; i < RTE_DIM(lcores); i++) {
		all_take(&all, 30, 8);
		for (uint32_t j = 0; j < RTE_DIM(lcores); j++) {
			RTE_PER_LCORE(_lcore_id) = lcores[i];
			assert_int_equal(rte_umr_mkey_put(all.pool, all.mkeys[j]), 0);
			RTE_PER_LCORE(_lcore_id) = lcores[j];
			put_is_rejected(&all, &all.mkeys[j], 1, "put of key 1 of 1: 0x");
			put_is_rejected(&all, &all.mkeys[j], 1, " is in its pool already\n");
		}
		/* One owner each. */
		RTE_PER_LCORE(_lcore_id) = lcores[i];
		assert_int_equal(rte_umr_mkey_get_bulk(all.pool, got, RTE_DIM(lcores) + 1),
				 -ENOBUFS);
		assert_int_equal(rte_umr_mkey_get_bulk(all.pool, got, RTE_DIM(lcores)), 0);
		for (uint32_t j = 0; j < RTE_DIM(lcores); j++)
			for (uint32_t k = 0; k < j; k++)
				assert_ptr_not_equal(got[j], got[k]);
		all_put(&all);
	}
}

CASE_WITH(key_twice_in_an_array_puts_none, setup, teardown)
{
	struct rte_umr_mkey *twice[32];
	struct taken all;

	all_take(&all, RTE_DIM(twice), 0);
	for (uint32_t i = 0; i < RTE_DIM(twice); i++) {
		for (uint32_t j = 0; j < RTE_DIM(twice); j++) {
			if (i == j)
				continue;
			memcpy(twice, all.mkeys, sizeof(twice));
			twice[i] = twice[j];
			put_is_rejected(&all, twice, RTE_DIM(twice), " is in its pool already\n");
		}
	}
	all_put(&all);
}

#define LAST_OF_BLOCK ((4096 - RTE_CACHE_LINE_SIZE) / 16 - 1)

/* In front of a block, behind the last key, between two, of another pool, no memory at all. */
CASE_WITH(only_keys_of_the_pool_are_put, setup, teardown)
{
	struct rte_umr_mkey *mkeys[32], copy;
	struct taken all;
	const struct rte_umr_mkey_pool_conf conf = conf_of(3, 0);
	struct rte_umr_mkey_pool *other;

	all_take(&all, 300, 0);
	other = rte_umr_mkey_pool_create(all.mkeys[0]->dev_id, &conf);
	assert_non_null(other);
	copy = *all.mkeys[0];
	struct rte_umr_mkey *const bad[] = {
		NULL,
		&copy,
		rte_umr_mkey_get(other),
		all.mkeys[0] - 1,
		all.mkeys[0] - RTE_CACHE_LINE_SIZE / 16,
		all.mkeys[0] - RTE_CACHE_LINE_SIZE / 16 - 1,
		all.mkeys[LAST_OF_BLOCK] + 1,
		all.mkeys[LAST_OF_BLOCK] + RTE_CACHE_LINE_SIZE / 16,
		all.mkeys[299] + 1,
		(struct rte_umr_mkey *)((uintptr_t)all.mkeys[7] + 1),
		(struct rte_umr_mkey *)((uintptr_t)all.mkeys[7] + 8),
		(struct rte_umr_mkey *)UINTPTR_MAX,
	};
	/* Memory that is there, and looks like a key that is out. */
	(all.mkeys[299] + 1)->is_out = true;
	for (uint32_t n = 0; n < RTE_DIM(bad); n++) {
		for (uint32_t i = 0; i < RTE_DIM(mkeys); i++) {
			memcpy(mkeys, all.mkeys, sizeof(mkeys));
			mkeys[i] = bad[n];
			put_is_rejected(&all, mkeys, RTE_DIM(mkeys),
				       " is not one of the 300 keys of this pool\n");
		}
	}
	assert_int_equal(rte_umr_mkey_put(other, bad[2]), 0);
	assert_int_equal(rte_umr_mkey_pool_destroy(other), 0);
	assert_int_equal(rte_umr_mkey_put_bulk(all.pool, all.mkeys, all.nb), 0);
	assert_int_equal(rte_umr_mkey_pool_destroy(all.pool), 0);
}

static void
destroy_is_rejected(const struct taken *all, const char *words)
{
	char *text;

	fake_log_start();
	assert_int_equal(rte_umr_mkey_pool_destroy(all->pool), -EBUSY);
	text = fake_log_end();
	assert_non_null(strstr(text, words));
	free(text);
	assert_int_equal(fake.nb_mkeys, all->nb);
}

/* A key in a cache has no owner; one that another was put twice for has. */
CASE_WITH(pool_with_keys_out_stays_and_tells_their_number, setup, teardown)
{
	struct taken all;
	int16_t dev_id;

	all_take(&all, 300, 8);
	dev_id = all.mkeys[0]->dev_id;
	destroy_is_rejected(&all, " 300 of 300 keys ");
	RTE_PER_LCORE(_lcore_id) = 2;
	assert_int_equal(rte_umr_mkey_put_bulk(all.pool, all.mkeys, 4), 0);
	destroy_is_rejected(&all, " 296 of 300 keys ");
	RTE_PER_LCORE(_lcore_id) = LCORE_ID_ANY;
	for (uint32_t i = 4; i < 300; i++) {
		assert_int_equal(rte_umr_mkey_put(all.pool, all.mkeys[i - 1]),
				 i == 4 ? -EINVAL : 0);
		assert_int_equal(rte_umr_mkey_put(all.pool, all.mkeys[i - 1]), -EINVAL);
	}
	destroy_is_rejected(&all, " 1 of 300 keys ");
	assert_int_equal(rte_umr_dev_close(dev_id), -EBUSY);
	assert_int_equal(rte_umr_mkey_put(all.pool, all.mkeys[299]), 0);
	assert_int_equal(rte_umr_dev_close(dev_id), -EBUSY);
	assert_int_equal(rte_umr_mkey_pool_destroy(all.pool), 0);
	assert_int_equal(rte_umr_dev_close(dev_id), 0);
}

/* Gets and puts of all kinds, some of them wrong: a key never has two owners. */
CASE_WITH(key_has_one_owner_at_a_time, setup, teardown)
{
	const uint32_t nb_steps = 8 * test_nb_cases();
	bool has_owner[100], before[100];
	struct rte_umr_mkey *mkeys[64];
	struct taken all;
	uint32_t i, n, nb, nb_out = 100;
	bool is_good;

	all_take(&all, 100, 8);
	memset(has_owner, true, sizeof(has_owner));
	srand(test_seed());
	for (n = 0; n < nb_steps; n++) {
		RTE_PER_LCORE(_lcore_id) = rand() % 4 == 0 ? LCORE_ID_ANY : (unsigned int)n % 4;
		nb = 1 + rand() % (rand() % 4 == 0 ? 64 : 3);
		if (rand() % 2 == 0) {
			if (rte_umr_mkey_get_bulk(all.pool, mkeys, nb) != 0)
				continue;
			nb_out += nb;
			for (i = 0; i < nb; i++) {
				assert_false(has_owner[(mkeys[i]->key >> 8) - 1]);
				has_owner[(mkeys[i]->key >> 8) - 1] = true;
			}
			continue;
		}
		is_good = true;
		memcpy(before, has_owner, sizeof(before));
		for (i = 0; i < nb; i++) {
			mkeys[i] = all.mkeys[rand() % 100];
			is_good &= has_owner[(mkeys[i]->key >> 8) - 1];
			has_owner[(mkeys[i]->key >> 8) - 1] = false;
		}
		assert_int_equal(rte_umr_mkey_put_bulk(all.pool, mkeys, nb), is_good ? 0 : -EINVAL);
		nb_out -= is_good ? nb : 0;
		/* Of a put that is rejected, each key keeps the owner that it had. */
		if (!is_good)
			memcpy(has_owner, before, sizeof(before));
		assert_int_equal(rte_umr_mkey_pool_avail(all.pool), 100 - nb_out);
	}
	for (i = 0; i < 100; i++)
		if (has_owner[(all.mkeys[i]->key >> 8) - 1])
			assert_int_equal(rte_umr_mkey_put(all.pool, all.mkeys[i]), 0);
	assert_int_equal(rte_umr_mkey_pool_destroy(all.pool), 0);
}

CASE_WITH(pool_without_memory_is_an_error, setup, teardown)
{
	const struct rte_umr_mkey_pool_conf conf = conf_of(300, 16);
	int16_t id = fake_probed();

	/* Keys, what the driver knows of them, ring, caches. */
	for (unsigned int i = 1; i <= 4; i++) {
		test_alloc = (struct test_alloc){ .fail_at = i };
		no_pool(id, &conf, ENOMEM);
		assert_int_equal(test_alloc.nb_live, 0);
		assert_int_equal(fake.nb_mkey_create, 0);
	}
	test_alloc = (struct test_alloc){ 0 };
	assert_int_equal(rte_umr_mkey_pool_destroy(pool_of(id, &conf)), 0);
	assert_int_equal(test_alloc.nb_calls, 4);
}

CASE_WITH(device_that_rejects_a_key_gets_no_pool, setup, teardown)
{
	static const unsigned int fail_at[] = { 1, 2, 255, 256, 300 };
	const struct rte_umr_mkey_pool_conf conf = conf_of(300, 16);
	int16_t id = fake_probed();

	for (unsigned int i = 0; i < RTE_DIM(fail_at); i++) {
		fake.nb_mkey_create = 0;
		fake.mkey_fail_at = fail_at[i];
		no_pool(id, &conf, EIO);
		assert_int_equal(fake.nb_mkey_create, fail_at[i]);
		assert_int_equal(fake.nb_mkeys, 0);
		assert_int_equal(test_alloc.nb_live, 0);
	}
}

CASE_WITH(pool_is_gone_if_a_key_is_not, setup, teardown)
{
	const struct rte_umr_mkey_pool_conf conf = conf_of(300, 0);
	struct rte_umr_mkey_pool *pool = pool_of(fake_probed(), &conf);

	fake.mkey_destroy_ret = -EIO;
	assert_int_equal(rte_umr_mkey_pool_destroy(pool), -EIO);
	assert_int_equal(fake.nb_mkeys, 0);
	assert_int_equal(test_alloc.nb_live, 0);
}

CASE_WITH(pool_create_checks_its_arguments, setup, teardown)
{
	/* nb_mkeys, max_entries, cache_size, flags */
	static const struct {
		const char *name;
		uint32_t conf[4];
		int error;
	} rows[] = {
		{ "no keys", { 0, 1, 0, 0 }, EINVAL },
		{ "no entries", { 1, 0, 0, 0 }, EINVAL },
		{ "caches of more than all", { 10, 1, 7, 0 }, EINVAL },
		{ "cache of 100000", { 90, 1, 100000, 0 }, EINVAL },
		{ "cache of 513", { FAKE_MAX_MKEYS, 1, 513, 0 }, EINVAL },
		{ "keys", { FAKE_MAX_MKEYS + 1, 1, 0, 0 }, ERANGE },
		{ "entries", { 10, 65, 0, 0 }, ERANGE },
		{ "flag", { 10, 1, 0, UINT32_C(1) << 31 }, EINVAL },
		/* The device has not said that it can. */
		{ "signature", { 10, 1, 0, RTE_UMR_MKEY_POOL_F_SIG }, ENOTSUP },
		{ "invalidate", { 10, 1, 0, RTE_UMR_MKEY_POOL_F_REMOTE_INVALIDATE }, ENOTSUP },
		{ "update", { 10, 1, 0, RTE_UMR_MKEY_POOL_F_UPDATE }, ENOTSUP },
		{ "fixed size", { 10, 1, 0, RTE_UMR_MKEY_POOL_F_FIXED_SIZE }, ENOTSUP },
		{ "relaxed", { 10, 1, 0, RTE_UMR_MKEY_POOL_F_RELAXED_ORDERING }, ENOTSUP },
	};
	struct rte_umr_mkey_pool_conf conf;
	int16_t id = fake_probed();

	no_pool(id, NULL, EINVAL);
	for (size_t i = 0; i < RTE_DIM(rows); i++) {
		conf = conf_of(rows[i].conf[0], rows[i].conf[2]);
		conf.max_entries = rows[i].conf[1];
		conf.flags = rows[i].conf[3];
		rte_errno = 0;
		assert_null(rte_umr_mkey_pool_create(id, &conf));
		row_check(rows[i].name, rte_errno, rows[i].error);
	}
	conf = conf_of(10, 0);
	conf.reserved3[1] = 1;
	no_pool(id, &conf, EINVAL);
	assert_int_equal(rte_umr_mkey_pool_destroy(NULL), 0);
}

/* A pool that is there, or is not: how many are in the PD, and whether it can be freed. */
CASE_WITH(pool_counts_in_its_pd, setup, teardown)
{
	const int16_t id = fake_probed();
	struct rte_umr_pd *pd = rte_umr_pd_alloc(id);
	struct rte_umr_mkey_pool_conf conf = conf_of(4, 0);
	struct rte_umr_mkey_pool *pools[2];

	assert_non_null(pd);
	conf.pd = pd;
	pools[0] = pool_of(id, &conf);
	pools[1] = pool_of(id, &conf);
	assert_int_equal(pd->nb_users, 2);
	fake.mkey_fail_at = fake.nb_mkey_create + 2;
	assert_null(rte_umr_mkey_pool_create(id, &conf));
	assert_int_equal(pd->nb_users, 2);
	assert_int_equal(rte_umr_mkey_pool_destroy(pools[0]), 0);
	assert_int_equal(pd->nb_users, 1);
	assert_int_equal(rte_umr_mkey_pool_destroy(pools[1]), 0);
	assert_int_equal(pd->nb_users, 0);
	assert_int_equal(rte_umr_pd_free(pd), 0);
}

/* What a device has is for all of its pools, and comes back with each. */
static void
pools_are_limited(int16_t id, uint32_t nb_most, uint32_t flags, int error)
{
	struct rte_umr_mkey_pool_conf most = conf_of(nb_most, 0), one = conf_of(1, 0);
	struct rte_umr_mkey_pool *pool;

	most.flags = one.flags = flags;
	for (unsigned int i = 0; i < 3; i++) {
		pool = pool_of(id, &most);
		no_pool(id, &one, error);
		assert_int_equal(rte_umr_mkey_pool_destroy(pool), 0);
	}
}

CASE_WITH(keys_of_all_pools_are_limited_together, setup, teardown)
{
	pools_are_limited(fake_probed(), FAKE_MAX_MKEYS, 0, ERANGE);
}

/* And those with signatures; each queue must have room for the errors of all. */
CASE_WITH(keys_with_signatures_are_limited_together, setup, teardown)
{
	struct rte_umr_mkey_pool_conf too_many = conf_of(9, 0);
	const struct rte_umr_queue_conf queue = { .nb_desc = 64, .nb_sig_mkeys = 6 };
	const struct rte_umr_dev_conf conf = { .nb_queues = 1 };
	int16_t id = fake_probed();

	fake.more_capa = RTE_UMR_CAPA_MKEY_SIG;
	fake.max_sig_mkeys = 8;
	assert_int_equal(rte_umr_dev_configure(id, &conf), 0);
	assert_int_equal(rte_umr_queue_setup(id, 0, &queue), 0);
	pools_are_limited(id, 6, RTE_UMR_MKEY_POOL_F_SIG, ENOSPC);
	too_many.flags = RTE_UMR_MKEY_POOL_F_SIG;
	no_pool(id, &too_many, ERANGE);
}

/* A key that keeps what it was is told each time that it has another owner. */
CASE_WITH(keys_that_keep_something_are_recycled, setup, teardown)
{
	struct rte_umr_mkey_pool_conf conf = conf_of(3, 0);
	struct rte_umr_mkey_pool *pool;
	struct rte_umr_mkey *mkeys[3];
	int16_t id = fake_probed();

	fake.more_capa = RTE_UMR_CAPA_MKEY_UPDATE;
	for (unsigned int i = 0; i < 2; i++) {
		conf.flags = i == 0 ? 0 : RTE_UMR_MKEY_POOL_F_UPDATE;
		pool = pool_of(id, &conf);
		for (unsigned int k = 1; k <= 2; k++) {
			assert_int_equal(rte_umr_mkey_get_bulk(pool, mkeys, 3), 0);
			assert_int_equal(fake.nb_recycled, i == 0 ? 0 : 3 * k);
			assert_int_equal(rte_umr_mkey_put_bulk(pool, mkeys, 3), 0);
		}
		assert_int_equal(rte_umr_mkey_pool_destroy(pool), 0);
	}
}

/* Its tag is that of an owner who may be gone. */
CASE_WITH(key_is_found_with_any_tag, setup, teardown)
{
	struct rte_umr_dev *dev;
	struct taken all;

	all_take(&all, 300, 0);
	dev = rte_umr_dev_get(all.mkeys[0]->dev_id);
	assert_int_equal(rte_umr_mkey_put(all.pool, all.mkeys[7]), 0);
	for (uint32_t i = 0; i < all.nb; i++)
		for (uint32_t tag = 0; tag < 256; tag++)
			assert_ptr_equal(rte_umr_mkey_find(dev, (i + 1) << 8 | tag), all.mkeys[i]);
	assert_null(rte_umr_mkey_find(dev, all.nb << 8 | 0x100));
	assert_null(rte_umr_mkey_find(dev, 1));
	assert_ptr_equal(rte_umr_mkey_get(all.pool), all.mkeys[7]);
	all_put(&all);
}

static void
no_window(int16_t dev_id, enum rte_umr_mw_type type, int error)
{
	assert_null(rte_umr_mw_create(dev_id, NULL, type));
	assert_int_equal(rte_errno, error);
}

CASE_WITH(windows_need_a_device_that_has_them, setup, teardown)
{
	const int16_t id = fake_probed();

	no_window(id, RTE_UMR_MW_TYPE_1, ENOTSUP);
	no_window(id, RTE_UMR_MW_TYPE_2B, ENOTSUP);
	no_window(id, 0, EINVAL);
	no_window(id + 1, RTE_UMR_MW_TYPE_1, ENODEV);
	assert_int_equal(rte_umr_mw_destroy(NULL), 0);
}

int
main(void)
{
	fake_register();
	return cases_run(NULL, NULL);
}
