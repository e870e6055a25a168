/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* The control path rejects what it documents, each with its own errno. */

#include <fcntl.h>
#include <unistd.h>

#include <rte_malloc.h>

#include "autotest.h"
#include "env.h"

#define NO_DEV ((int16_t)(RTE_UMR_MAX_DEVS - 1))

AT_CASE(api, probe_rejects_bad_names)
{
	char names[1][RTE_UMR_DEV_NAME_LEN], devargs[RTE_UMR_DEV_NAME_LEN + 32];
	const uint16_t nb_devs = rte_umr_dev_count();
	int16_t dev_id = -5;

	TEST_ASSERT_EQUAL(rte_umr_dev_probe(NULL, &dev_id), -EINVAL);
	TEST_ASSERT_EQUAL(rte_umr_dev_probe("", &dev_id), -EINVAL);
	TEST_ASSERT_EQUAL(rte_umr_dev_probe("no_such_device_9", &dev_id), -ENODEV);
	TEST_ASSERT(rte_umr_dev_scan(names, 1) >= 1);
	snprintf(devargs, sizeof(devargs), "%s,no_such_key=1", names[0]);
	TEST_ASSERT_EQUAL(rte_umr_dev_probe(devargs, &dev_id), -EINVAL);
	TEST_ASSERT_EQUAL(dev_id, -5);
	TEST_ASSERT_EQUAL(rte_umr_dev_count(), nb_devs);
	TEST_ASSERT_SUCCESS(at_side_probe(env, 0));
	TEST_ASSERT_EQUAL(rte_umr_dev_probe(names[0], &dev_id), -EEXIST);
	TEST_ASSERT_EQUAL(rte_umr_dev_count(), nb_devs + 1);
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

AT_CASE(api, open_devices_are_found)
{
	int16_t dev_id = -5, nb = 0;

	TEST_ASSERT_SUCCESS(at_side_probe(env, 0));
	TEST_ASSERT_SUCCESS(rte_umr_dev_id_by_name(env->sides[0].info.dev_name, &dev_id));
	TEST_ASSERT_EQUAL(dev_id, env->sides[0].dev_id);
	TEST_ASSERT_EQUAL(rte_umr_dev_id_by_name("no_such_device_9", &dev_id), -ENODEV);
	TEST_ASSERT_EQUAL(rte_umr_dev_id_by_name(NULL, &dev_id), -EINVAL);
	TEST_ASSERT_EQUAL(rte_umr_dev_id_by_name(env->sides[0].info.dev_name, NULL), -EINVAL);
	TEST_ASSERT_EQUAL(dev_id, env->sides[0].dev_id);
	RTE_UMR_FOREACH_DEV(dev_id) {
		TEST_ASSERT(rte_umr_dev_is_valid(dev_id));
		nb++;
	}
	TEST_ASSERT_EQUAL(nb, rte_umr_dev_count());
	TEST_ASSERT(!rte_umr_dev_is_valid(-1));
	TEST_ASSERT(!rte_umr_dev_is_valid(NO_DEV));
	TEST_ASSERT(!rte_umr_dev_is_valid(RTE_UMR_MAX_DEVS));
	return TEST_SUCCESS;
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

AT_CASE(api, unknown_device_is_rejected_everywhere)
{
	const struct rte_umr_mkey_pool_conf pool_conf = { .nb_mkeys = 1, .max_entries = 1 };
	const struct rte_umr_dev_conf dev_conf = { .nb_queues = 1 };
	const struct rte_umr_queue_conf queue_conf = { .nb_desc = 64 };
	struct rte_umr_queue_stats stats;
	struct rte_umr_endpoint ep = { 0 };
	struct rte_umr_dev_info info;
	uint32_t lkey = 5;
	char byte = 0;

	TEST_ASSERT_EQUAL(rte_umr_dev_info_get(NO_DEV, &info), -ENODEV);
	TEST_ASSERT_EQUAL(rte_umr_dev_info_get(-1, &info), -ENODEV);
	TEST_ASSERT_EQUAL(rte_umr_dev_configure(NO_DEV, &dev_conf), -ENODEV);
	TEST_ASSERT_EQUAL(rte_umr_dev_start(NO_DEV), -ENODEV);
	TEST_ASSERT_EQUAL(rte_umr_dev_stop(NO_DEV), -ENODEV);
	TEST_ASSERT_EQUAL(rte_umr_dev_close(NO_DEV), -ENODEV);
	TEST_ASSERT_EQUAL(rte_umr_queue_setup(NO_DEV, 0, &queue_conf), -ENODEV);
	TEST_ASSERT_EQUAL(rte_umr_queue_endpoint_get(NO_DEV, 0, &ep), -ENODEV);
	TEST_ASSERT_EQUAL(rte_umr_queue_connect(NO_DEV, 0, &ep), -ENODEV);
	TEST_ASSERT_EQUAL(rte_umr_queue_recover(NO_DEV, 0), -ENODEV);
	TEST_ASSERT_EQUAL(rte_umr_queue_stats_get(NO_DEV, 0, &stats), -ENODEV);
	TEST_ASSERT_EQUAL(rte_umr_queue_stats_reset(NO_DEV, 0), -ENODEV);
	TEST_ASSERT_EQUAL(rte_umr_dump(NO_DEV, stdout), -ENODEV);
	TEST_ASSERT_EQUAL(rte_umr_mr_lookup(NO_DEV, &byte, 1, &lkey), -ENODEV);
	TEST_ASSERT_EQUAL(lkey, 5);
	TEST_ASSERT_ERRNO(at_mr_register(NO_DEV, &byte, 1, 0, 0), ENODEV);
	TEST_ASSERT_ERRNO(rte_umr_mkey_pool_create(NO_DEV, &pool_conf), ENODEV);
	return TEST_SUCCESS;
}

AT_CASE(api, configure_checks_its_arguments)
{
	struct rte_umr_dev_conf conf = { .nb_queues = 0 };
	struct rte_umr_dev_info info;

	TEST_ASSERT_SUCCESS(at_side_probe(env, 0));
	const int16_t dev_id = env->sides[0].dev_id;
	TEST_ASSERT_SUCCESS(rte_umr_dev_info_get(dev_id, &info));
	TEST_ASSERT_EQUAL(rte_umr_dev_configure(dev_id, NULL), -EINVAL);
	TEST_ASSERT_EQUAL(rte_umr_dev_configure(dev_id, &conf), -EINVAL);
	conf.nb_queues = 1;
	conf.reserved[6] = 1;
	TEST_ASSERT_EQUAL(rte_umr_dev_configure(dev_id, &conf), -EINVAL);
	conf.reserved[6] = 0;
	if (info.max_queues < UINT16_MAX) {
		conf.nb_queues = (uint16_t)(info.max_queues + 1);
		TEST_ASSERT_EQUAL(rte_umr_dev_configure(dev_id, &conf), -ERANGE);
	}
	TEST_ASSERT_EQUAL(rte_umr_dev_start(dev_id), -EINVAL);
	conf.nb_queues = 2;
	TEST_ASSERT_SUCCESS(rte_umr_dev_configure(dev_id, &conf));
	TEST_ASSERT_EQUAL(rte_umr_dev_start(dev_id), -EINVAL);
	TEST_ASSERT_SUCCESS(rte_umr_dev_info_get(dev_id, &info));
	TEST_ASSERT_EQUAL(info.nb_queues, 2);
	return TEST_SUCCESS;
}

AT_CASE(api, queue_setup_checks_its_arguments)
{
	const struct rte_umr_dev_conf dev_conf = { .nb_queues = 1 };
	const struct rte_umr_queue_conf good = { .nb_desc = 64, .nb_recv_desc = 4,
						 .socket_id = -1 };
	const struct rte_umr_dev_info *info = &env->sides[0].info;

	TEST_ASSERT_SUCCESS(at_side_probe(env, 0));
	const int16_t dev_id = env->sides[0].dev_id;
	TEST_ASSERT_SUCCESS(rte_umr_dev_configure(dev_id, &dev_conf));
	TEST_ASSERT_EQUAL(rte_umr_queue_setup(dev_id, 0, NULL), -EINVAL);
	TEST_ASSERT_EQUAL(rte_umr_queue_setup(dev_id, 1, &good), -EINVAL);
	TEST_BAD(good, transport, 77, rte_umr_queue_setup(dev_id, 0, &bad), -EINVAL);
	TEST_BAD(good, reserved[RTE_DIM(good.reserved) - 1], 1,
		 rte_umr_queue_setup(dev_id, 0, &bad), -EINVAL);
	TEST_BAD(good, nb_list_entries, RTE_UMR_MAX_LIST_ENTRIES + 1,
		 rte_umr_queue_setup(dev_id, 0, &bad), -ERANGE);
	TEST_BAD(good, nb_desc, (uint16_t)(info->min_desc - 1),
		 rte_umr_queue_setup(dev_id, 0, &bad), -ERANGE);
	if (info->max_desc < UINT16_MAX)
		TEST_BAD(good, nb_desc, (uint16_t)(info->max_desc + 1),
			 rte_umr_queue_setup(dev_id, 0, &bad), -ERANGE);
	if (info->max_recv_desc < UINT16_MAX)
		TEST_BAD(good, nb_recv_desc, (uint16_t)(info->max_recv_desc + 1),
			 rte_umr_queue_setup(dev_id, 0, &bad), -ERANGE);
	TEST_BAD(good, max_recv_segs, (uint16_t)(info->max_recv_segs + 1),
		 rte_umr_queue_setup(dev_id, 0, &bad), -ERANGE);
	/* None of that has set it up; setting it up twice is fine. */
	TEST_ASSERT_EQUAL(rte_umr_dev_start(dev_id), -EINVAL);
	TEST_ASSERT_SUCCESS(rte_umr_queue_setup(dev_id, 0, &good));
	TEST_ASSERT_SUCCESS(rte_umr_queue_setup(dev_id, 0, &good));
	TEST_ASSERT_SUCCESS(rte_umr_dev_start(dev_id));
	return TEST_SUCCESS;
}

AT_CASE(api, started_device_cannot_be_reconfigured)
{
	const struct rte_umr_dev_conf dev_conf = { .nb_queues = 1 };
	const struct rte_umr_queue_conf queue_conf = { .nb_desc = 64, .socket_id = -1 };
	struct rte_umr_dev_info info;

	AT_BUILD(env, .topology = AT_LOOPBACK);
	TEST_ASSERT_EQUAL(rte_umr_dev_configure(env->tx->dev_id, &dev_conf), -EBUSY);
	TEST_ASSERT_EQUAL(rte_umr_queue_setup(env->tx->dev_id, 0, &queue_conf), -EBUSY);
	TEST_ASSERT_SUCCESS(rte_umr_dev_start(env->tx->dev_id));
	TEST_ASSERT_SUCCESS(rte_umr_dev_info_get(env->tx->dev_id, &info));
	TEST_ASSERT(info.is_started);
	TEST_ASSERT_SUCCESS(rte_umr_dev_stop(env->tx->dev_id));
	TEST_ASSERT_SUCCESS(rte_umr_dev_stop(env->tx->dev_id));
	TEST_ASSERT_SUCCESS(rte_umr_dev_configure(env->tx->dev_id, &dev_conf));
	return TEST_SUCCESS;
}

AT_CASE(api, close_rejects_while_memory_or_keys_are_left)
{
	struct at_side *side = &env->sides[0];

	AT_BUILD(env, .topology = AT_LOOPBACK);
	TEST_ASSERT_EQUAL(rte_umr_dev_close(side->dev_id), -EBUSY);
	TEST_ASSERT_SUCCESS(rte_umr_mr_deregister(side->mr));
	side->mr = NULL;
	TEST_ASSERT_EQUAL(rte_umr_dev_close(side->dev_id), -EBUSY);
	TEST_ASSERT_SUCCESS(rte_umr_mkey_pool_destroy(side->pool));
	side->pool = NULL;
	TEST_ASSERT_SUCCESS(rte_umr_dev_close(side->dev_id));
	side->dev_id = -1;
	rte_free(side->buf);
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

AT_CASE(api, recover_needs_a_queue_in_error)
{
	AT_BUILD(env, .topology = AT_LOOPBACK);
	TEST_ASSERT_EQUAL(rte_umr_queue_recover(env->tx->dev_id, 0), -EALREADY);
	TEST_ASSERT_EQUAL(rte_umr_queue_recover(env->tx->dev_id, 1), -EINVAL);
	return TEST_SUCCESS;
}

static int
register_errno(int16_t dev_id, void *addr, size_t len, uint32_t access, uint32_t flags)
{
	struct rte_umr_mr *mr;

	rte_errno = 0;
	mr = at_mr_register(dev_id, addr, len, access, flags);
	if (mr == NULL)
		return rte_errno;
	rte_umr_mr_deregister(mr);
	return 0;
}

AT_CASE(api, mr_register_checks_its_arguments)
{
	static char byte[64];

	TEST_ASSERT_SUCCESS(at_side_probe(env, 0));
	const int16_t dev_id = env->sides[0].dev_id;
	TEST_ASSERT_EQUAL(register_errno(dev_id, byte, sizeof(byte), 0, 0), 0);
	TEST_ASSERT_EQUAL(register_errno(dev_id, NULL, 8, 0, 0), EINVAL);
	TEST_ASSERT_EQUAL(register_errno(dev_id, byte, 0, 0, 0), EINVAL);
	TEST_ASSERT_EQUAL(register_errno(dev_id, byte, 8, RTE_BIT32(31), 0), EINVAL);
	TEST_ASSERT_EQUAL(register_errno(dev_id, byte, 8, 0, RTE_BIT32(31)), EINVAL);
	TEST_ASSERT_EQUAL(register_errno(dev_id, byte, 8, RTE_UMR_ACCESS_REMOTE_WRITE, 0), EINVAL);
	if (env->sides[0].info.max_mr_len < UINT64_MAX)
		TEST_ASSERT_EQUAL(register_errno(dev_id, byte, env->sides[0].info.max_mr_len + 1, 0,
						 0), ERANGE);
	TEST_ASSERT_SUCCESS(rte_umr_mr_deregister(NULL));
	return TEST_SUCCESS;
}

AT_CASE(api, mr_lookup_finds_only_what_is_registered)
{
	const uint32_t untouched = 0xabcdef;
	uint32_t lkey = untouched;
	struct at_side *side = &env->sides[0];

	AT_BUILD(env, .topology = AT_LOOPBACK);
	TEST_ASSERT_EQUAL(rte_umr_mr_lookup(side->dev_id, side->buf, 1, NULL), -EINVAL);
	TEST_ASSERT_EQUAL(rte_umr_mr_lookup(side->dev_id, side->buf + 1, AT_BUF_LEN, &lkey),
			  -ENOENT);
	TEST_ASSERT_EQUAL(rte_umr_mr_lookup(side->dev_id, side->buf - 1, 2, &lkey), -ENOENT);
	TEST_ASSERT_EQUAL(rte_umr_mr_lookup(side->dev_id, side->buf + AT_BUF_LEN, 1, &lkey),
			  -ENOENT);
	TEST_ASSERT_EQUAL(lkey, untouched);
	TEST_ASSERT_SUCCESS(rte_umr_mr_lookup(side->dev_id, side->buf, AT_BUF_LEN, &lkey));
	TEST_ASSERT_EQUAL(lkey, side->mr->lkey);
	TEST_ASSERT_SUCCESS(rte_umr_mr_lookup(side->dev_id, side->buf + AT_BUF_LEN - 1, 1, &lkey));
	TEST_ASSERT_EQUAL(lkey, side->mr->lkey);
	TEST_ASSERT_SUCCESS(rte_umr_mr_deregister(side->mr));
	side->mr = NULL;
	TEST_ASSERT_EQUAL(rte_umr_mr_lookup(side->dev_id, side->buf, 1, &lkey), -ENOENT);
	return TEST_SUCCESS;
}

static int
pool_errno(int16_t dev_id, const struct rte_umr_mkey_pool_conf *conf)
{
	struct rte_umr_mkey_pool *pool;

	rte_errno = 0;
	pool = rte_umr_mkey_pool_create(dev_id, conf);
	if (pool == NULL)
		return rte_errno;
	return rte_umr_mkey_pool_destroy(pool);
}

AT_CASE(api, mkey_pool_checks_its_arguments)
{
	const struct rte_umr_mkey_pool_conf good = { .nb_mkeys = 9, .max_entries = 4,
						     .cache_size = 6, .socket_id = -1 };
	const struct rte_umr_dev_info *info = &env->sides[0].info;

	TEST_ASSERT_SUCCESS(at_side_probe(env, 0));
	const int16_t dev_id = env->sides[0].dev_id;
	TEST_ASSERT_EQUAL(pool_errno(dev_id, &good), 0);
	TEST_ASSERT_EQUAL(pool_errno(dev_id, NULL), EINVAL);
	TEST_BAD(good, nb_mkeys, 0, pool_errno(dev_id, &bad), EINVAL);
	TEST_BAD(good, max_entries, 0, pool_errno(dev_id, &bad), EINVAL);
	TEST_BAD(good, reserved3[1], 1, pool_errno(dev_id, &bad), EINVAL);
	TEST_BAD(good, cache_size, 7, pool_errno(dev_id, &bad), EINVAL);
	TEST_BAD(good, flags, RTE_BIT32(31), pool_errno(dev_id, &bad), EINVAL);
	TEST_BAD(good, max_entries, info->max_entries + 1, pool_errno(dev_id, &bad), ERANGE);
	TEST_BAD(good, nb_mkeys, info->max_mkeys + 1, pool_errno(dev_id, &bad), ERANGE);
	TEST_ASSERT_SUCCESS(rte_umr_mkey_pool_destroy(NULL));
	return TEST_SUCCESS;
}

AT_CASE(api, mkey_pool_counts_its_keys)
{
	struct at_side *side = &env->sides[0];
	struct rte_umr_mkey *mkeys[6];

	AT_BUILD(env, .nb_mkeys = 5, .max_entries = 4);
	TEST_ASSERT_EQUAL(rte_umr_mkey_pool_avail(side->pool), 5);
	TEST_ASSERT_EQUAL(rte_umr_mkey_get_bulk(side->pool, mkeys, 6), -ENOBUFS);
	TEST_ASSERT_EQUAL(rte_umr_mkey_pool_avail(side->pool), 5);
	TEST_ASSERT_SUCCESS(rte_umr_mkey_get_bulk(side->pool, mkeys, 5));
	TEST_ASSERT_EQUAL(rte_umr_mkey_pool_avail(side->pool), 0);
	TEST_ASSERT(rte_umr_mkey_get(side->pool) == NULL);
	TEST_ASSERT_EQUAL(rte_umr_mkey_pool_destroy(side->pool), -EBUSY);
	for (unsigned int i = 0; i < 5; i++) {
		TEST_ASSERT_EQUAL(mkeys[i]->dev_id, side->dev_id);
		TEST_ASSERT(mkeys[i]->max_entries >= 4);
		for (unsigned int j = 0; j < i; j++)
			TEST_ASSERT(mkeys[i]->key >> 8 != mkeys[j]->key >> 8);
	}
	TEST_ASSERT_SUCCESS(rte_umr_mkey_put(side->pool, mkeys[3]));
	TEST_ASSERT_EQUAL(rte_umr_mkey_put_bulk(side->pool, mkeys, 5), -EINVAL);
	TEST_ASSERT_EQUAL(rte_umr_mkey_pool_avail(side->pool), 1);
	TEST_ASSERT_EQUAL(rte_umr_mkey_pool_destroy(side->pool), -EBUSY);
	TEST_ASSERT(rte_umr_mkey_get(side->pool) == mkeys[3]);
	TEST_ASSERT_SUCCESS(rte_umr_mkey_put_bulk(side->pool, mkeys, 5));
	TEST_ASSERT_EQUAL(rte_umr_mkey_pool_avail(side->pool), 5);
	return TEST_SUCCESS;
}

/* The device has not seen the first list when its key gets its next owner. */
AT_CASE(api, key_is_put_while_its_layout_is_on_the_way)
{
	struct rte_umr_seg seg;

	AT_BUILD(env, .nb_mkeys = 1, .max_entries = 4);
	at_fill(env);
	seg = at_seg(env->tx, 0, 64);
	struct rte_umr_mkey *const mkey = rte_umr_mkey_get(env->tx->pool);
	TEST_ASSERT(mkey != NULL);
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

AT_CASE(api, names_are_never_null)
{
	for (int i = -1; i < 300; i++) {
		TEST_ASSERT(rte_umr_op_name(i) != NULL);
		TEST_ASSERT(rte_umr_status_name(i) != NULL);
	}
	return TEST_SUCCESS;
}

AT_CASE(api, dump_writes_something)
{
	FILE *f = tmpfile();
	long len;

	TEST_ASSERT(f != NULL);
	AT_BUILD(env, .topology = AT_LOOPBACK);
	TEST_ASSERT_EQUAL(rte_umr_dump(env->tx->dev_id, NULL), -EINVAL);
	const int ret = rte_umr_dump(env->tx->dev_id, f);
	len = ftell(f);
	fclose(f);
	TEST_ASSERT_EQUAL(ret, 0);
	TEST_ASSERT(len > 0);
	return TEST_SUCCESS;
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
