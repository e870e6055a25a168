/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Control path of lib/umr with a driver that has no device: arguments, states, errors.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include <rte_log.h>
#include <rte_memory.h>
#include <rte_string_fns.h>

#include "rte_umr_driver.h"

#define FAKE_MAX_QUEUES 4

/** What the fake driver was asked, and what it is to answer. */
static struct {
	int probe_ret;
	int start_ret;
	int setup_ret;
	unsigned int nb_start;
	unsigned int nb_stop;
	unsigned int nb_close;
	unsigned int nb_setup;
	unsigned int nb_release;
	unsigned int nb_connect;
	char color[16];
} fake;

static int fake_queue[FAKE_MAX_QUEUES];

static void
fake_info_get(struct rte_umr_dev *dev, struct rte_umr_dev_info *info)
{
	strlcpy(info->dev_name, dev->name, sizeof(info->dev_name));
	info->max_queues = FAKE_MAX_QUEUES;
	info->min_desc = 16;
	info->max_desc = 1024;
	info->max_recv_desc = 512;
	info->max_recv_segs = 8;
	info->max_mkeys = 100;
	info->max_entries = 64;
	info->dev_capa = RTE_UMR_CAPA_LOOPBACK | RTE_UMR_CAPA_RC | RTE_UMR_CAPA_SEND;
	if (strcmp(dev->name, "poor0") == 0)
		info->dev_capa = RTE_UMR_CAPA_LOOPBACK;
}

static int
fake_start(struct rte_umr_dev *dev)
{
	RTE_SET_USED(dev);
	fake.nb_start++;
	return fake.start_ret;
}

static int
fake_stop(struct rte_umr_dev *dev)
{
	RTE_SET_USED(dev);
	fake.nb_stop++;
	return 0;
}

static void
fake_close(struct rte_umr_dev *dev)
{
	RTE_SET_USED(dev);
	fake.nb_close++;
}

static int
fake_queue_setup(struct rte_umr_dev *dev, uint16_t queue_id, const struct rte_umr_queue_conf *conf,
		 void **queue)
{
	RTE_SET_USED(dev);
	RTE_SET_USED(conf);
	fake.nb_setup++;
	if (fake.setup_ret == 0)
		*queue = &fake_queue[queue_id];
	return fake.setup_ret;
}

static void
fake_queue_release(void *queue)
{
	RTE_SET_USED(queue);
	fake.nb_release++;
}

static int
fake_queue_connect(void *queue, const struct rte_umr_endpoint *remote)
{
	RTE_SET_USED(queue);
	RTE_SET_USED(remote);
	fake.nb_connect++;
	return 0;
}

static const struct rte_umr_dev_ops fake_ops = {
	.info_get = fake_info_get,
	.start = fake_start,
	.stop = fake_stop,
	.close = fake_close,
	.queue_setup = fake_queue_setup,
	.queue_release = fake_queue_release,
	.queue_connect = fake_queue_connect,
};

static int
fake_submit(void *queue)
{
	return (int)((int *)queue - fake_queue);
}

static uint16_t
fake_completed(void *queue, uint16_t nb_max, uint16_t *last_idx, bool *has_error)
{
	RTE_SET_USED(queue);
	*last_idx = 7;
	*has_error = true;
	return nb_max;
}

static const struct rte_umr_fp_object fake_fp_ops = {
	.submit = fake_submit,
	.completed = fake_completed,
};

static int
color_get(const char *key, const char *value, void *opaque)
{
	RTE_SET_USED(key);
	RTE_SET_USED(opaque);
	strlcpy(fake.color, value, sizeof(fake.color));
	return 0;
}

static int
fake_probe(struct rte_umr_dev *dev, const char *name, const struct rte_kvargs *args)
{
	if (strncmp(name, "fake", 4) != 0 && strcmp(name, "poor0") != 0)
		return -ENODEV;
	if (rte_umr_driver_is_open(name))
		return -EEXIST;
	if (args != NULL)
		rte_kvargs_process(args, "color", color_get, NULL);
	strlcpy(dev->name, name, sizeof(dev->name));
	dev->ops = &fake_ops;
	dev->fp_ops = &fake_fp_ops;
	return fake.probe_ret;
}

static uint16_t
fake_scan(char (*names)[RTE_UMR_DEV_NAME_LEN], uint16_t nb_max)
{
	uint16_t i;

	for (i = 0; i < 3 && i < nb_max; i++)
		snprintf(names[i], sizeof(names[i]), "fake%u", i);
	return 3;
}

static const char *const fake_keys[] = { "color", NULL };

static struct rte_umr_driver fake_driver = {
	.name = "fake",
	.valid_keys = fake_keys,
	.scan = fake_scan,
	.probe = fake_probe,
};

static int
setup(void **state)
{
	RTE_SET_USED(state);
	memset(&fake, 0, sizeof(fake));
	return 0;
}

/** Every device is closed, whatever a case left. */
static int
teardown(void **state)
{
	int16_t id;

	RTE_SET_USED(state);
	RTE_UMR_FOREACH_DEV(id)
		rte_umr_dev_close(id);
	return rte_umr_dev_count();
}

static int16_t
probed(void)
{
	int16_t id = -1;

	assert_int_equal(rte_umr_dev_probe("fake0", &id), 0);
	return id;
}

static const struct rte_umr_dev_conf two_queues = { .nb_queues = 2 };
static const struct rte_umr_queue_conf loopback = { .nb_desc = 64 };

static int16_t
started(void)
{
	int16_t id = probed();

	assert_int_equal(rte_umr_dev_configure(id, &two_queues), 0);
	assert_int_equal(rte_umr_queue_setup(id, 0, &loopback), 0);
	assert_int_equal(rte_umr_queue_setup(id, 1, &loopback), 0);
	assert_int_equal(rte_umr_dev_start(id), 0);
	return id;
}

static void
probe_takes_a_name_and_options(void **state)
{
	char long_name[100];
	int16_t id = -1, id2 = -1;

	RTE_SET_USED(state);
	assert_int_equal(rte_umr_dev_probe(NULL, &id), -EINVAL);
	assert_int_equal(rte_umr_dev_probe("", &id), -EINVAL);
	assert_int_equal(rte_umr_dev_probe(",color=red", &id), -EINVAL);
	memset(long_name, 'x', sizeof(long_name));
	long_name[99] = '\0';
	assert_int_equal(rte_umr_dev_probe(long_name, &id), -EINVAL);
	assert_int_equal(rte_umr_dev_probe("other0", &id), -ENODEV);
	assert_int_equal(rte_umr_dev_probe("fake0,size=7", &id), -EINVAL);
	assert_int_equal(id, -1);
	assert_int_equal(rte_umr_dev_probe("fake0,color=red", &id), 0);
	assert_string_equal(fake.color, "red");
	assert_int_equal(rte_umr_dev_probe("fake0", &id2), -EEXIST);
	assert_int_equal(rte_umr_dev_probe("fake1", NULL), 0);
	assert_int_equal(rte_umr_dev_count(), 2);
	assert_int_equal(rte_umr_dev_id_by_name("fake1", &id2), 0);
	assert_int_equal(rte_umr_dev_next(id + 1), id2);
	assert_int_equal(rte_umr_dev_id_by_name("fake2", &id2), -ENODEV);
	assert_int_equal(rte_umr_dev_id_by_name(NULL, &id2), -EINVAL);
	fake.probe_ret = -EACCES;
	assert_int_equal(rte_umr_dev_probe("fake2", &id2), -EACCES);
	assert_int_equal(rte_umr_dev_count(), 2);
}

static void
devices_run_out(void **state)
{
	char name[16];
	int i;

	RTE_SET_USED(state);
	for (i = 0; i < RTE_UMR_MAX_DEVS; i++) {
		snprintf(name, sizeof(name), "fake%d", i);
		assert_int_equal(rte_umr_dev_probe(name, NULL), 0);
	}
	assert_int_equal(rte_umr_dev_probe("fake99", NULL), -ENOSPC);
	assert_int_equal(rte_umr_dev_close(5), 0);
	assert_int_equal(rte_umr_dev_probe("fake99", NULL), 0);
	assert_true(rte_umr_dev_is_valid(5));
}

static void
scan_tells_all_and_writes_what_fits(void **state)
{
	char names[2][RTE_UMR_DEV_NAME_LEN];

	RTE_SET_USED(state);
	assert_int_equal(rte_umr_dev_scan(NULL, 0), 3);
	assert_int_equal(rte_umr_dev_scan(names, 2), 3);
	assert_string_equal(names[1], "fake1");
}

static void
wrong_device_gives_enodev(void **state)
{
	static const int16_t ids[] = { -1, 0, RTE_UMR_MAX_DEVS, INT16_MAX, INT16_MIN };
	struct rte_umr_queue_stats stats;
	struct rte_umr_dev_info info;
	struct rte_umr_endpoint ep;
	uint32_t lkey;
	size_t i;

	RTE_SET_USED(state);
	for (i = 0; i < RTE_DIM(ids); i++) {
		assert_false(rte_umr_dev_is_valid(ids[i]));
		assert_int_equal(rte_umr_dev_close(ids[i]), -ENODEV);
		assert_int_equal(rte_umr_dev_info_get(ids[i], &info), -ENODEV);
		assert_int_equal(rte_umr_dev_configure(ids[i], &two_queues), -ENODEV);
		assert_int_equal(rte_umr_dev_start(ids[i]), -ENODEV);
		assert_int_equal(rte_umr_dev_stop(ids[i]), -ENODEV);
		assert_int_equal(rte_umr_queue_setup(ids[i], 0, &loopback), -ENODEV);
		assert_int_equal(rte_umr_queue_endpoint_get(ids[i], 0, &ep), -ENODEV);
		assert_int_equal(rte_umr_queue_connect(ids[i], 0, &ep), -ENODEV);
		assert_int_equal(rte_umr_queue_recover(ids[i], 0), -ENODEV);
		assert_int_equal(rte_umr_queue_stats_get(ids[i], 0, &stats), -ENODEV);
		assert_int_equal(rte_umr_queue_stats_reset(ids[i], 0), -ENODEV);
		assert_int_equal(rte_umr_dump(ids[i], stderr), -ENODEV);
		assert_int_equal(rte_umr_mr_lookup(ids[i], &i, 1, &lkey), -ENODEV);
		assert_null(rte_umr_mr_register(ids[i], &i, 1, 0, 0));
		assert_int_equal(rte_errno, ENODEV);
		assert_null(rte_umr_mkey_pool_create(ids[i], NULL));
		assert_int_equal(rte_errno, ENODEV);
	}
}

static void
configure_checks_its_arguments(void **state)
{
	struct rte_umr_dev_conf conf = two_queues;
	int16_t id = probed();

	RTE_SET_USED(state);
	assert_int_equal(rte_umr_dev_info_get(id, NULL), -EINVAL);
	assert_int_equal(rte_umr_dev_start(id), -EINVAL);
	assert_int_equal(rte_umr_dev_configure(id, NULL), -EINVAL);
	conf.nb_queues = 0;
	assert_int_equal(rte_umr_dev_configure(id, &conf), -EINVAL);
	conf.nb_queues = FAKE_MAX_QUEUES + 1;
	assert_int_equal(rte_umr_dev_configure(id, &conf), -ERANGE);
	conf.nb_queues = FAKE_MAX_QUEUES;
	conf.reserved[3] = 1;
	assert_int_equal(rte_umr_dev_configure(id, &conf), -EINVAL);
	conf.reserved[3] = 0;
	assert_int_equal(rte_umr_dev_configure(id, &conf), 0);
	assert_int_equal(rte_umr_queue_setup(id, 3, &loopback), 0);
	assert_int_equal(rte_umr_dev_configure(id, &two_queues), 0);
	assert_int_equal(fake.nb_release, 1);
	/* Not all queues are set up. */
	assert_int_equal(rte_umr_queue_setup(id, 1, &loopback), 0);
	assert_int_equal(rte_umr_dev_start(id), -EINVAL);
	assert_int_equal(fake.nb_start, 0);
}

static void
queue_setup_checks_its_arguments(void **state)
{
	struct rte_umr_queue_conf conf = loopback;
	int16_t id = probed();

	RTE_SET_USED(state);
	assert_int_equal(rte_umr_queue_setup(id, 0, &conf), -EINVAL);
	assert_int_equal(rte_umr_dev_configure(id, &two_queues), 0);
	assert_int_equal(rte_umr_queue_setup(id, 2, &conf), -EINVAL);
	assert_int_equal(rte_umr_queue_setup(id, 0, NULL), -EINVAL);
	conf.transport = 17;
	assert_int_equal(rte_umr_queue_setup(id, 0, &conf), -EINVAL);
	conf.transport = RTE_UMR_TRANSPORT_RC;
	conf.reserved[0] = 1;
	assert_int_equal(rte_umr_queue_setup(id, 0, &conf), -EINVAL);
	conf.reserved[0] = 0;
	conf.flags = RTE_UMR_QUEUE_F_ALL + 1;
	assert_int_equal(rte_umr_queue_setup(id, 0, &conf), -EINVAL);
	conf.flags = RTE_UMR_QUEUE_F_BF_INLINE | RTE_UMR_QUEUE_F_BF;
	assert_int_equal(rte_umr_queue_setup(id, 0, &conf), -EINVAL);
	/* The device has not said that it can. */
	conf.flags = RTE_UMR_QUEUE_F_BF;
	assert_int_equal(rte_umr_queue_setup(id, 0, &conf), -ENOTSUP);
	conf.flags = 0;
	conf.max_inline = 1;
	assert_int_equal(rte_umr_queue_setup(id, 0, &conf), -ERANGE);
	conf.max_inline = 0;
	conf.nb_desc = 15;
	assert_int_equal(rte_umr_queue_setup(id, 0, &conf), -ERANGE);
	conf.nb_desc = 1025;
	assert_int_equal(rte_umr_queue_setup(id, 0, &conf), -ERANGE);
	conf.nb_desc = 1024;
	conf.nb_recv_desc = 513;
	assert_int_equal(rte_umr_queue_setup(id, 0, &conf), -ERANGE);
	conf.nb_recv_desc = 512;
	conf.max_recv_segs = 9;
	assert_int_equal(rte_umr_queue_setup(id, 0, &conf), -ERANGE);
	assert_int_equal(fake.nb_setup, 0);
	conf.max_recv_segs = 8;
	fake.setup_ret = -EIO;
	assert_int_equal(rte_umr_queue_setup(id, 0, &conf), -EIO);
	fake.setup_ret = 0;
	assert_int_equal(rte_umr_queue_setup(id, 0, &conf), 0);
	assert_int_equal(rte_umr_queue_setup(id, 0, &conf), 0);
	assert_int_equal(fake.nb_release, 1);
}

static void
missing_capability_gives_enotsup(void **state)
{
	struct rte_umr_queue_conf conf = loopback;
	struct rte_umr_endpoint remote = { 0 };
	struct rte_umr_dc_addr addr = { 0 };
	int16_t id;

	RTE_SET_USED(state);
	assert_int_equal(rte_umr_dev_probe("poor0", &id), 0);
	assert_int_equal(rte_umr_dev_configure(id, &two_queues), 0);
	conf.nb_recv_desc = 4;
	assert_int_equal(rte_umr_queue_setup(id, 0, &conf), -ENOTSUP);
	conf.nb_recv_desc = 0;
	conf.transport = RTE_UMR_TRANSPORT_RC;
	assert_int_equal(rte_umr_queue_setup(id, 0, &conf), -ENOTSUP);
	conf.transport = RTE_UMR_TRANSPORT_DCI;
	assert_int_equal(rte_umr_queue_setup(id, 0, &conf), -ENOTSUP);
	conf.transport = RTE_UMR_TRANSPORT_DCT;
	assert_int_equal(rte_umr_queue_setup(id, 0, &conf), -ENOTSUP);
	assert_int_equal(rte_umr_dc_addr_fill(id, &remote, 1, &addr), -ENOTSUP);
	assert_int_equal(addr.is_filled, 0);
	assert_int_equal(rte_umr_dc_addr_set(id, 0, &addr), -ENODEV);
}

static void
started_device_refuses_changes(void **state)
{
	struct rte_umr_endpoint ep = { 0 };
	struct rte_umr_dev_info info;
	int16_t id = started();

	RTE_SET_USED(state);
	assert_int_equal(rte_umr_dev_start(id), 0);
	assert_int_equal(fake.nb_start, 1);
	assert_int_equal(rte_umr_dev_info_get(id, &info), 0);
	assert_true(info.is_started);
	assert_int_equal(info.nb_queues, 2);
	assert_string_equal(info.driver_name, "fake");
	assert_int_equal(rte_umr_dev_configure(id, &two_queues), -EBUSY);
	assert_int_equal(rte_umr_queue_setup(id, 0, &loopback), -EBUSY);
	assert_int_equal(rte_umr_queue_connect(id, 0, &ep), -EINVAL);
	assert_int_equal(rte_umr_queue_connect(id, 2, &ep), -EINVAL);
	assert_int_equal(rte_umr_queue_recover(id, 0), -ENOTSUP);
	assert_int_equal(rte_umr_dev_stop(id), 0);
	assert_int_equal(rte_umr_dev_stop(id), 0);
	assert_int_equal(fake.nb_stop, 1);
	assert_int_equal(rte_umr_queue_recover(id, 0), -EINVAL);
	assert_int_equal(rte_umr_dev_configure(id, &two_queues), 0);
}

static void
failed_start_leaves_the_dummies(void **state)
{
	int16_t id = probed();

	RTE_SET_USED(state);
	assert_int_equal(rte_umr_dev_configure(id, &two_queues), 0);
	assert_int_equal(rte_umr_queue_setup(id, 0, &loopback), 0);
	assert_int_equal(rte_umr_queue_setup(id, 1, &loopback), 0);
	fake.start_ret = -EIO;
	assert_int_equal(rte_umr_dev_start(id), -EIO);
	assert_int_equal(rte_umr_submit(id, 0), -ENODEV);
	fake.start_ret = 0;
	assert_int_equal(rte_umr_dev_start(id), 0);
	assert_int_equal(rte_umr_submit(id, 1), 1);
}

/** Every enqueue function says -ENODEV, nothing completes. */
static void
check_dummies(int16_t id)
{
	const struct rte_umr_interleaved entry = { 0 };
	const struct rte_umr_seg seg = { 0 };
	struct rte_umr_completion done;
	struct rte_umr_mkey mkey = { 0 };

	assert_int_equal(rte_umr_mkey_list(id, 0, &mkey, 0, &seg, 1, 0), -ENODEV);
	assert_int_equal(rte_umr_mkey_interleaved(id, 0, &mkey, 0, 1, &entry, 1, 0), -ENODEV);
	assert_int_equal(rte_umr_mkey_invalidate(id, 0, &mkey, 0), -ENODEV);
	assert_int_equal(rte_umr_write(id, 0, &seg, 0, 0, 0), -ENODEV);
	assert_int_equal(rte_umr_write_imm(id, 0, &seg, 0, 0, 0, 0), -ENODEV);
	assert_int_equal(rte_umr_read(id, 0, &seg, 0, 0, 0), -ENODEV);
	assert_int_equal(rte_umr_send(id, 0, &seg, 0), -ENODEV);
	assert_int_equal(rte_umr_send_imm(id, 0, &seg, 0, 0), -ENODEV);
	assert_int_equal(rte_umr_recv(id, 0, &seg, 1, 0), -ENODEV);
	assert_int_equal(rte_umr_submit(id, 0), -ENODEV);
	assert_int_equal(rte_umr_completed_status(id, 0, 1, &done), 0);
	assert_int_equal(rte_umr_recv_completed(id, 0, 1, &done), 0);
	assert_int_equal(rte_umr_desc_avail(id, 0), 0);
}

static void
data_path_has_dummies_unless_started(void **state)
{
	bool has_error = true;
	uint16_t last = 3;
	int16_t id;

	RTE_SET_USED(state);
	check_dummies(0);
	id = probed();
	check_dummies(id);
	assert_int_equal(rte_umr_completed(id, 0, 1, &last, &has_error), 0);
	assert_false(has_error);
	assert_int_equal(last, 3);
	rte_umr_dev_close(id);

	id = started();
	assert_int_equal(rte_umr_submit(id, 0), 0);
	assert_int_equal(rte_umr_submit(id, 1), 1);
	assert_int_equal(rte_umr_completed(id, 0, 5, NULL, NULL), 5);
	assert_int_equal(rte_umr_completed(id, 0, 5, &last, &has_error), 5);
	assert_int_equal(last, 7);
	assert_true(has_error);
	/* What is outstanding can be collected from a device that was stopped. */
	assert_int_equal(rte_umr_dev_stop(id), 0);
	assert_int_equal(rte_umr_submit(id, 0), -ENODEV);
	assert_int_equal(rte_umr_completed(id, 0, 5, &last, &has_error), 5);
	assert_int_equal(rte_umr_dev_close(id), 0);
	check_dummies(id);
	assert_int_equal(fake.nb_release, 2);
	assert_int_equal(fake.nb_close, 2);
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
	int16_t id = probed();
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
	int16_t id = probed();

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

static void
names_are_never_null(void **state)
{
	int i;

	RTE_SET_USED(state);
	for (i = -1; i < 300; i++) {
		assert_non_null(rte_umr_op_name(i));
		assert_non_null(rte_umr_status_name(i));
	}
	assert_string_equal(rte_umr_op_name(RTE_UMR_OP_RECV_WRITE_IMM), "recv-write-imm");
	assert_string_equal(rte_umr_status_name(RTE_UMR_STATUS_SUCCESS), "success");
	assert_string_equal(rte_umr_status_name(200), "unknown");
}

int
main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(probe_takes_a_name_and_options),
		T(devices_run_out),
		T(scan_tells_all_and_writes_what_fits),
		T(wrong_device_gives_enodev),
		T(configure_checks_its_arguments),
		T(queue_setup_checks_its_arguments),
		T(missing_capability_gives_enotsup),
		T(started_device_refuses_changes),
		T(failed_start_leaves_the_dummies),
		T(data_path_has_dummies_unless_started),
		T(pool_create_checks_its_arguments),
		T(windows_need_a_device_that_has_them),
		T(names_are_never_null),
	};

	rte_log_set_level_pattern("lib.umr", RTE_LOG_CRIT);
	rte_umr_driver_register(&fake_driver);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
