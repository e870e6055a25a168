/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Pools of keys and memory windows of lib/umr: arguments, errors. */

#include <errno.h>

#include <rte_common.h>
#include <rte_errno.h>
#include <rte_lcore.h>
#include <rte_memory.h>
#include <rte_per_lcore.h>

#include "rte_umr_alloc.h"
#include "rte_umr_fake.h"

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
		.nb_mkeys = nb_mkeys,
		.max_entries = 7,
		.cache_size = cache_size,
		.socket_id = 1,
	};
}

static void
all_take(struct taken *all, uint32_t nb, uint32_t cache_size)
{
	const struct rte_umr_mkey_pool_conf conf = conf_of(nb, cache_size);

	fake.nb_mkey_create = 0;
	all->pool = rte_umr_mkey_pool_create(fake_probed(), &conf);
	assert_non_null(all->pool);
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

	rte_umr_mkey_put_bulk(all->pool, all->mkeys, all->nb);
	assert_int_equal(rte_umr_mkey_pool_avail(all->pool), all->nb);
	assert_int_equal(rte_umr_mkey_pool_destroy(all->pool), 0);
	assert_int_equal(fake.nb_mkeys, 0);
	assert_int_equal(test_alloc.nb_live, 0);
	assert_int_equal(rte_umr_dev_close(dev_id), 0);
}

static void
keys_are_16_bytes_apart(void **state)
{
	static const uint32_t sizes[] = { 1, 2, 254, 255, 256, 510, 511, FAKE_MAX_MKEYS };
	const uint32_t nb_block = 4096 / 16 - 1;
	struct taken all;
	uintptr_t first;
	uint32_t i, n;

	RTE_SET_USED(state);
	for (n = 0; n < RTE_DIM(sizes); n++) {
		all_take(&all, sizes[n], sizes[n] % 2 == 0 ? sizes[n] / 4 : 0);
		first = (uintptr_t)all.mkeys[0];
		assert_int_equal(first % 4096, 16);
		for (i = 0; i < all.nb; i++) {
			/* One place in front of each block is none of a key. */
			assert_int_equal((uintptr_t)all.mkeys[i],
					 first + 16 * (i + i / nb_block));
			assert_ptr_equal(rte_umr_mkey_priv(all.mkeys[i]), all.mkeys[i]);
			assert_int_equal(all.mkeys[i]->key, (i + 1) << 8 | 1);
			assert_int_equal(all.mkeys[i]->max_entries, 7);
		}
		all_put(&all);
	}
}

static void
tag_advances_with_each_get(void **state)
{
	struct taken all;
	uint32_t i;

	RTE_SET_USED(state);
	all_take(&all, 3, 0);
	rte_umr_mkey_put(all.pool, all.mkeys[1]);
	for (i = 2; i < 600; i++) {
		assert_ptr_equal(rte_umr_mkey_get(all.pool), all.mkeys[1]);
		assert_int_equal(all.mkeys[1]->key, 2 << 8 | (i & 0xff));
		rte_umr_mkey_put(all.pool, all.mkeys[1]);
	}
	assert_int_equal(all.mkeys[0]->key, 1 << 8 | 1);
	assert_ptr_equal(rte_umr_mkey_get(all.pool), all.mkeys[1]);
	all_put(&all);
}

static void
caches_of_lcores_count_as_available(void **state)
{
	struct rte_umr_mkey *mkeys[4];
	struct taken all;

	RTE_SET_USED(state);
	all_take(&all, 30, 8);
	RTE_PER_LCORE(_lcore_id) = 2;
	rte_umr_mkey_put_bulk(all.pool, all.mkeys, 4);
	assert_int_equal(rte_umr_mkey_pool_avail(all.pool), 4);
	RTE_PER_LCORE(_lcore_id) = LCORE_ID_ANY;
	assert_int_equal(rte_umr_mkey_get_bulk(all.pool, mkeys, 1), -ENOBUFS);
	RTE_PER_LCORE(_lcore_id) = 2;
	assert_int_equal(rte_umr_mkey_get_bulk(all.pool, mkeys, 5), -ENOBUFS);
	assert_int_equal(rte_umr_mkey_get_bulk(all.pool, mkeys, 4), 0);
	assert_memory_equal(mkeys, all.mkeys, sizeof(mkeys));
	all_put(&all);
}

static void
pool_without_memory_is_an_error(void **state)
{
	const struct rte_umr_mkey_pool_conf conf = conf_of(300, 16);
	struct rte_umr_mkey_pool *pool;
	int16_t id = fake_probed();
	unsigned int i;

	RTE_SET_USED(state);
	/* Keys, what the driver knows of them, ring, caches. */
	for (i = 1; i <= 4; i++) {
		test_alloc = (struct test_alloc){ .fail_at = i };
		rte_errno = 0;
		assert_null(rte_umr_mkey_pool_create(id, &conf));
		assert_int_equal(rte_errno, ENOMEM);
		assert_int_equal(test_alloc.nb_live, 0);
		assert_int_equal(fake.nb_mkey_create, 0);
	}
	test_alloc = (struct test_alloc){ 0 };
	pool = rte_umr_mkey_pool_create(id, &conf);
	assert_non_null(pool);
	assert_int_equal(test_alloc.nb_calls, 4);
	assert_int_equal(rte_umr_mkey_pool_destroy(pool), 0);
}

static void
device_that_refuses_a_key_gets_no_pool(void **state)
{
	static const unsigned int fail_at[] = { 1, 2, 255, 256, 300 };
	const struct rte_umr_mkey_pool_conf conf = conf_of(300, 16);
	int16_t id = fake_probed();
	unsigned int i;

	RTE_SET_USED(state);
	for (i = 0; i < RTE_DIM(fail_at); i++) {
		fake.nb_mkey_create = 0;
		fake.mkey_fail_at = fail_at[i];
		assert_null(rte_umr_mkey_pool_create(id, &conf));
		assert_int_equal(rte_errno, EIO);
		assert_int_equal(fake.nb_mkey_create, fail_at[i]);
		assert_int_equal(fake.nb_mkeys, 0);
		assert_int_equal(test_alloc.nb_live, 0);
	}
}

static void
pool_is_gone_if_a_key_is_not(void **state)
{
	const struct rte_umr_mkey_pool_conf conf = conf_of(300, 0);
	struct rte_umr_mkey_pool *pool;

	RTE_SET_USED(state);
	pool = rte_umr_mkey_pool_create(fake_probed(), &conf);
	assert_non_null(pool);
	fake.mkey_destroy_ret = -EIO;
	assert_int_equal(rte_umr_mkey_pool_destroy(pool), -EIO);
	assert_int_equal(fake.nb_mkeys, 0);
	assert_int_equal(test_alloc.nb_live, 0);
}

static void
pool_create_checks_its_arguments(void **state)
{
	/* nb_mkeys, max_entries, cache_size, flags, errno */
	static const uint32_t bad[][5] = {
		{ 0, 1, 0, 0, EINVAL },	   { 1, 0, 0, 0, EINVAL },  { 10, 1, 7, 0, EINVAL },
		{ 10, 1, 0, UINT32_C(1) << 31, EINVAL },
		{ 10, 1, 0, RTE_UMR_MKEY_POOL_F_SIG, ENOTSUP },
		{ FAKE_MAX_MKEYS + 1, 1, 0, 0, ERANGE }, { 10, 65, 0, 0, ERANGE },
		{ 90, 1, 100000, 0, EINVAL }, { FAKE_MAX_MKEYS, 1, 513, 0, EINVAL },
		/* The device has not said that it can. */
		{ 10, 1, 0, RTE_UMR_MKEY_POOL_F_REMOTE_INVALIDATE, ENOTSUP },
		{ 10, 1, 0, RTE_UMR_MKEY_POOL_F_UPDATE, ENOTSUP },
		{ 10, 1, 0, RTE_UMR_MKEY_POOL_F_FIXED_SIZE, ENOTSUP },
	};
	struct rte_umr_mkey_pool_conf conf;
	int16_t id = fake_probed();
	size_t i;

	RTE_SET_USED(state);
	assert_null(rte_umr_mkey_pool_create(id, NULL));
	assert_int_equal(rte_errno, EINVAL);
	for (i = 0; i < RTE_DIM(bad); i++) {
		conf = (struct rte_umr_mkey_pool_conf){
			.nb_mkeys = bad[i][0],
			.max_entries = bad[i][1],
			.cache_size = bad[i][2],
			.flags = bad[i][3],
			.socket_id = SOCKET_ID_ANY,
		};
		assert_null(rte_umr_mkey_pool_create(id, &conf));
		assert_int_equal(rte_errno, bad[i][4]);
	}
	assert_int_equal(rte_umr_mkey_pool_destroy(NULL), 0);
}

static void
windows_need_a_device_that_has_them(void **state)
{
	int16_t id = fake_probed();

	RTE_SET_USED(state);
	assert_null(rte_umr_mw_create(id, NULL, RTE_UMR_MW_TYPE_1));
	assert_int_equal(rte_errno, ENOTSUP);
	assert_null(rte_umr_mw_create(id, NULL, RTE_UMR_MW_TYPE_2B));
	assert_int_equal(rte_errno, ENOTSUP);
	assert_null(rte_umr_mw_create(id, NULL, 0));
	assert_int_equal(rte_errno, EINVAL);
	assert_null(rte_umr_mw_create(id + 1, NULL, RTE_UMR_MW_TYPE_1));
	assert_int_equal(rte_errno, ENODEV);
	assert_int_equal(rte_umr_mw_destroy(NULL), 0);
}

#define MKEY_CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		MKEY_CASE(pool_create_checks_its_arguments),
		MKEY_CASE(keys_are_16_bytes_apart),
		MKEY_CASE(tag_advances_with_each_get),
		MKEY_CASE(caches_of_lcores_count_as_available),
		MKEY_CASE(pool_without_memory_is_an_error),
		MKEY_CASE(device_that_refuses_a_key_gets_no_pool),
		MKEY_CASE(pool_is_gone_if_a_key_is_not),
		MKEY_CASE(windows_need_a_device_that_has_them),
	};

	fake_register();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
