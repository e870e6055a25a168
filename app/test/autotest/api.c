/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* The control path rejects what it documents, each with its own errno. */

#include <fcntl.h>
#include <unistd.h>

#include "autotest.h"
#include "env.h"

/* What lib/umr rejects without its driver is in the unit tests of lib/umr. */
AT_CASE(api, device_is_opened_once)
{
	TEST_ASSERT_SUCCESS(at_option_rejected("no_such_key=1"));
	TEST_ASSERT_EQUAL(rte_umr_dev_probe("no_such_device_9", NULL), -ENODEV);
	TEST_ASSERT_SUCCESS(at_side_probe(env, 0));
	const uint16_t nb_devs = rte_umr_dev_count();
	TEST_ASSERT_EQUAL(rte_umr_dev_probe(env->sides[0].info.dev_name, NULL), -EEXIST);
	TEST_ASSERT_EQUAL(rte_umr_dev_count(), nb_devs);
	return TEST_SUCCESS;
}

/* examples/umr_verbs shows that a context can be imported. */
AT_CASE(api, a_context_is_imported_whole_or_not_at_all)
{
	static const char *const bad[] = {
		"cmd_fd=5", "pd_handle=0", "cmd_fd=-1,pd_handle=0",
	};
	char name[RTE_UMR_DEV_NAME_LEN], devargs[128];
	int fd;

	for (unsigned int i = 0; i < RTE_DIM(bad); i++)
		TEST_ASSERT_SUCCESS(at_option_rejected(bad[i]));
	/* A descriptor that is not one of a device stays open. */
	fd = open("/dev/null", O_RDONLY);
	TEST_ASSERT_SUCCESS(at_device_name(0, name));
	snprintf(devargs, sizeof(devargs), "%s,cmd_fd=%d,pd_handle=0", name, fd);
	TEST_ASSERT_EQUAL(rte_umr_dev_probe(devargs, NULL), -EINVAL);
	TEST_ASSERT_SUCCESS(close(fd));
	TEST_ASSERT_EQUAL(rte_umr_dev_probe(devargs, NULL), -EBADF);
	return at_side_probe(env, 0);
}

AT_CASE(api, limits_are_consistent)
{
	struct rte_umr_dev_info info;

	TEST_ASSERT_SUCCESS(at_side_probe(env, 0));
	const int16_t dev_id = env->sides[0].dev_id;
	TEST_ASSERT_EQUAL(rte_umr_dev_info_get(dev_id, NULL), -EINVAL);
	TEST_ASSERT_SUCCESS(rte_umr_dev_info_get(dev_id, &info));
	TEST_ASSERT(info.driver_name != NULL && info.dev_name[0] != '\0');
	TEST_ASSERT(info.is_port_active);
	TEST_ASSERT(!info.is_started);
	TEST_ASSERT_EQUAL(info.nb_queues, 0);
	TEST_ASSERT(info.max_queues >= 2);
	TEST_ASSERT(info.min_desc > 0 && info.min_desc <= info.max_desc);
	TEST_ASSERT(info.max_list_inline >= 1);
	TEST_ASSERT(info.max_interleaved_inline < info.max_list_inline);
	TEST_ASSERT(info.max_entries >= info.max_list_inline);
	TEST_ASSERT_EQUAL(info.max_interleaved_stride, UINT16_MAX);
	TEST_ASSERT((info.access_capa & ~RTE_UMR_MKEY_ACCESS_ALL) == 0);
	return TEST_SUCCESS;
}

/* What an older program knows less of, and a newer one more. */
AT_CASE(api, info_is_filled_as_far_as_it_goes)
{
	const size_t less = offsetof(struct rte_umr_dev_info, vendor_id);
	struct {
		struct rte_umr_dev_info info;
		uint8_t more[16];
	} got, zero = { 0 };
	struct rte_umr_dev_info info;

	TEST_ASSERT_SUCCESS(at_side_probe(env, 0));
	const int16_t dev_id = env->sides[0].dev_id;
	TEST_ASSERT_SUCCESS(rte_umr_dev_info_get(dev_id, &info));
	TEST_ASSERT_EQUAL(rte_umr_dev_info_get_size(dev_id, &got.info, 0), -EINVAL);
	memset(&got, 0xa5, sizeof(got));
	TEST_ASSERT_SUCCESS(rte_umr_dev_info_get_size(dev_id, &got.info, less));
	TEST_ASSERT(memcmp(&got, &info, less) == 0);
	TEST_ASSERT_EQUAL(((uint8_t *)&got)[less], 0xa5);
	TEST_ASSERT_SUCCESS(rte_umr_dev_info_get_size(dev_id, &got.info, sizeof(got)));
	TEST_ASSERT(memcmp(&got, &info, sizeof(info)) == 0);
	TEST_ASSERT(memcmp(got.more, zero.more, sizeof(zero.more)) == 0);
	return TEST_SUCCESS;
}

AT_CASE(api, connect_checks_its_arguments)
{
	const struct rte_umr_endpoint zero = { 0 };
	struct rte_umr_endpoint ep;

	AT_BUILD(env, .topology = AT_LOOPBACK);
	TEST_ASSERT_SUCCESS(rte_umr_queue_endpoint_get(env->tx->dev_id, 0, &ep));
	TEST_ASSERT_EQUAL(rte_umr_queue_connect(env->tx->dev_id, 0, &ep), -EINVAL);
	TEST_ASSERT_SUCCESS(at_env_fini(env));

	AT_BUILD(env, .topology = AT_SAME_DEVICE, .is_unconnected = true);
	const int16_t dev_id = env->tx->dev_id;
	TEST_ASSERT_EQUAL(rte_umr_queue_endpoint_get(dev_id, 0, NULL), -EINVAL);
	TEST_ASSERT_EQUAL(rte_umr_queue_endpoint_get(dev_id, 2, &ep), -EINVAL);
	TEST_ASSERT_SUCCESS(rte_umr_queue_endpoint_get(dev_id, 1, &ep));
	TEST_ASSERT_EQUAL(rte_umr_queue_connect(dev_id, 0, NULL), -EINVAL);
	TEST_ASSERT_EQUAL(rte_umr_queue_connect(dev_id, 2, &ep), -EINVAL);
	TEST_ASSERT_EQUAL(rte_umr_queue_connect(dev_id, 0, &zero), -EINVAL);
	TEST_BAD(ep, reserved[sizeof(ep.reserved) - 1], 1,
		 rte_umr_queue_connect(dev_id, 0, &bad), -EINVAL);
	/* One bit more than numbers have. */
	TEST_BAD(ep, qpn, ep.qpn | rte_cpu_to_be_32(1u << 24),
		 rte_umr_queue_connect(dev_id, 0, &bad), -EINVAL);
	TEST_BAD(ep, psn, ep.psn | rte_cpu_to_be_32(1u << 24),
		 rte_umr_queue_connect(dev_id, 0, &bad), -EINVAL);
	const struct rte_umr_seg seg = at_seg(env->tx, 0, 8);
	TEST_ASSERT_EQUAL(rte_umr_write(dev_id, 0, &seg, at_addr(env->rx, 64), env->rx->mr->rkey,
					0), -ENOTCONN);
	TEST_ASSERT_SUCCESS(rte_umr_queue_connect(dev_id, 0, &ep));
	TEST_ASSERT_EQUAL(rte_umr_queue_connect(dev_id, 0, &ep), -EISCONN);
	return TEST_SUCCESS;
}

AT_CASE(api, keys_of_a_pool_differ)
{
	struct rte_umr_mkey *mkeys[5];

	AT_BUILD(env, .nb_mkeys = RTE_DIM(mkeys), .max_entries = 4);
	TEST_ASSERT_SUCCESS(rte_umr_mkey_get_bulk(env->tx->pool, mkeys, RTE_DIM(mkeys)));
	for (unsigned int i = 0; i < RTE_DIM(mkeys); i++) {
		TEST_ASSERT_EQUAL(mkeys[i]->dev_id, env->tx->dev_id);
		TEST_ASSERT(mkeys[i]->max_entries >= 4);
		for (unsigned int j = 0; j < i; j++)
			TEST_ASSERT(mkeys[i]->key >> 8 != mkeys[j]->key >> 8);
	}
	return rte_umr_mkey_put_bulk(env->tx->pool, mkeys, RTE_DIM(mkeys));
}

/* The device has not seen the first list when its key gets its next owner. */
AT_CASE(api, key_is_put_while_its_layout_is_on_the_way)
{
	struct rte_umr_seg seg;

	AT_BUILD(env, .nb_mkeys = 1, .max_entries = 4);
	at_fill(env);
	seg = at_seg(env->tx, 0, 64);
	struct rte_umr_mkey *const mkey = TEST_NOT_NULL(rte_umr_mkey_get(env->tx->pool));
	const uint32_t key = mkey->key;
	TEST_ACCEPT(at_list(env, mkey, RTE_UMR_ACCESS_ALL, &seg, 1, 0));
	TEST_ASSERT_SUCCESS(rte_umr_mkey_put(env->tx->pool, mkey));
	TEST_ASSERT_EQUAL(rte_umr_mkey_put(env->tx->pool, mkey), -EINVAL);
	TEST_ASSERT(rte_umr_mkey_get(env->tx->pool) == mkey);
	TEST_ASSERT_EQUAL(mkey->key, key + 1);
	seg.addr += 128;
	TEST_ACCEPT(at_list(env, mkey, RTE_UMR_ACCESS_ALL, &seg, 1, 0));
	seg = at_key_seg(mkey, 0, 64);
	TEST_ACCEPT(rte_umr_write(env->tx->dev_id, 0, &seg, at_addr(env->tx, 1024),
				  env->tx->mr->rkey, 0));
	TEST_ASSERT_SUCCESS(at_finish(env, 3));
	TEST_ASSERT_SAME(env->tx->buf + 1024, env->tx->buf + 128, 64);
	TEST_ASSERT_EQUAL(rte_umr_mkey_pool_destroy(env->tx->pool), -EBUSY);
	return rte_umr_mkey_put(env->tx->pool, mkey);
}

/* Each function that gives an object back, with a pointer to anything. */
#define GIVE(name, give)                                                                           \
	static int name(void *handle)                                                              \
	{                                                                                          \
		return give(handle);                                                               \
	}

GIVE(mr_give, rte_umr_mr_deregister)
GIVE(mw_give, rte_umr_mw_destroy)
GIVE(pd_give, rte_umr_pd_free)
GIVE(pool_give, rte_umr_mkey_pool_destroy)
GIVE(dek_give, rte_umr_dek_destroy)
GIVE(login_give, rte_umr_crypto_login_destroy)

/* Nothing is read where such a pointer leads: the first one faults. */
AT_CASE(api, handle_of_nothing_is_rejected)
{
	static int (*const gives[])(void *handle) = {
		mr_give, mw_give, pd_give, pool_give, dek_give, login_give,
	};
	const struct rte_umr_mr_conf conf = { .len = 1 };
	struct rte_umr_dek_attr attr;
	uint64_t room[64] = { 0 };
	uint8_t login_state;

	TEST_ASSERT_SUCCESS(at_side_probe(env, 0));
	for (unsigned int i = 0; i < RTE_DIM(gives); i++) {
		TEST_ASSERT_SUCCESS(gives[i](NULL));
		TEST_ASSERT_EQUAL(gives[i]((void *)(uintptr_t)64), -EINVAL);
		TEST_ASSERT_EQUAL(gives[i](&room[32]), -EINVAL);
	}
	TEST_ASSERT_EQUAL(rte_umr_mr_reregister((void *)(uintptr_t)64, RTE_UMR_MR_CHANGE_PD, &conf),
			  -EINVAL);
	TEST_ASSERT_EQUAL(rte_umr_crypto_login_query((void *)(uintptr_t)64, &login_state), -EINVAL);
	TEST_ASSERT_EQUAL(rte_umr_dek_query((void *)(uintptr_t)64, &attr), -EINVAL);
	return TEST_SUCCESS;
}

/* Once is right; then it is as one that never was, and so is one of another kind. */
static int
given_once(void *handle, int (*give)(void *handle), int (*other)(void *handle))
{
	TEST_ASSERT(handle != NULL);
	TEST_ASSERT_EQUAL(other(handle), -EINVAL);
	TEST_ASSERT_SUCCESS(give(handle));
	TEST_ASSERT_EQUAL(give(handle), -EINVAL);
	return TEST_SUCCESS;
}

AT_CASE(api, handle_is_given_back_once)
{
	const struct rte_umr_mkey_pool_conf pool_conf = {
		.nb_mkeys = 1, .max_entries = 4, .socket_id = SOCKET_ID_ANY,
	};
	static uint64_t memory[512];
	struct rte_umr_mr_conf conf = { .addr = memory, .len = sizeof(memory) };

	TEST_ASSERT_SUCCESS(at_side_probe(env, 0));
	const int16_t dev_id = env->sides[0].dev_id;
	struct rte_umr_mr *const mr = rte_umr_mr_register(dev_id, &conf);
	TEST_ASSERT_SUCCESS(given_once(mr, mr_give, pd_give));
	TEST_ASSERT_EQUAL(rte_umr_mr_reregister(mr, RTE_UMR_MR_CHANGE_ACCESS, &conf), -EINVAL);
	TEST_ASSERT_SUCCESS(given_once(rte_umr_mkey_pool_create(dev_id, &pool_conf), pool_give,
				       mr_give));
	if ((env->sides[0].info.dev_capa & RTE_UMR_CAPA_MW_TYPE_2B) != 0)
		TEST_ASSERT_SUCCESS(given_once(rte_umr_mw_create(dev_id, NULL, RTE_UMR_MW_TYPE_2B),
					       mw_give, pool_give));
	conf.pd = rte_umr_pd_alloc(dev_id);
	TEST_ASSERT_SUCCESS(given_once(conf.pd, pd_give, mw_give));
	TEST_ASSERT_ERRNO(rte_umr_mr_register(dev_id, &conf), EINVAL);
	return TEST_SUCCESS;
}
