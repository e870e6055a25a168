/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Pools of keys and memory windows of lib/umr: arguments, errors. */

#include <errno.h>

#include <rte_common.h>
#include <rte_errno.h>
#include <rte_memory.h>
#include <rte_mempool.h>

#include "rte_umr_fake.h"

/* Instead of DPDK's, for the library, too: it fails and says nothing. */
struct rte_mempool *
rte_mempool_create(const char *name, unsigned int n, unsigned int elt_size,
		   unsigned int cache_size, unsigned int private_data_size,
		   rte_mempool_ctor_t *mp_init, void *mp_init_arg, rte_mempool_obj_cb_t *obj_init,
		   void *obj_init_arg, int socket_id, unsigned int flags)
{
	RTE_SET_USED(name);
	RTE_SET_USED(n);
	RTE_SET_USED(elt_size);
	RTE_SET_USED(cache_size);
	RTE_SET_USED(private_data_size);
	RTE_SET_USED(mp_init);
	RTE_SET_USED(mp_init_arg);
	RTE_SET_USED(obj_init);
	RTE_SET_USED(obj_init_arg);
	RTE_SET_USED(socket_id);
	RTE_SET_USED(flags);
	rte_errno = 0;
	return NULL;
}

static void
pool_without_memory_is_an_error(void **state)
{
	const struct rte_umr_mkey_pool_conf conf = {
		.nb_mkeys = 10, .max_entries = 1, .socket_id = SOCKET_ID_ANY,
	};

	RTE_SET_USED(state);
	assert_null(rte_umr_mkey_pool_create(fake_probed(), &conf));
	assert_int_equal(rte_errno, ENOMEM);
}

static void
pool_create_checks_its_arguments(void **state)
{
	/* nb_mkeys, max_entries, cache_size, flags, errno */
	static const uint32_t bad[][5] = {
		{ 0, 1, 0, 0, EINVAL },	   { 1, 0, 0, 0, EINVAL },  { 10, 1, 7, 0, EINVAL },
		{ 10, 1, 0, UINT32_C(1) << 31, EINVAL },
		{ 10, 1, 0, RTE_UMR_MKEY_POOL_F_SIG, ENOTSUP },
		{ 101, 1, 0, 0, ERANGE }, { 10, 65, 0, 0, ERANGE },
		{ 90, 1, 100000, 0, EINVAL },
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

int
main(void)
{
	const struct CMUnitTest tests[] = {
		FAKE_CASE(pool_create_checks_its_arguments),
		FAKE_CASE(pool_without_memory_is_an_error),
		FAKE_CASE(windows_need_a_device_that_has_them),
	};

	fake_register();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
