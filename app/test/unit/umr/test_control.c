/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Control path of lib/umr: arguments, states, errors. */

#include <errno.h>

#include <rte_common.h>

#include "fake.h"

static const struct rte_umr_dev_conf two_queues = { .nb_queues = 2 };
static const struct rte_umr_queue_conf loopback = { .nb_desc = 64 };

static int16_t
started(void)
{
	int16_t id = fake_probed();

	assert_int_equal(rte_umr_dev_configure(id, &two_queues), 0);
	assert_int_equal(rte_umr_queue_setup(id, 0, &loopback), 0);
	assert_int_equal(rte_umr_queue_setup(id, 1, &loopback), 0);
	assert_int_equal(rte_umr_dev_start(id), 0);
	return id;
}

static void
configure_checks_its_arguments(void **state)
{
	struct rte_umr_dev_conf conf = two_queues;
	int16_t id = fake_probed();

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
	int16_t id = fake_probed();

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
	int16_t id = fake_probed();

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
	id = fake_probed();
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

int
main(void)
{
	const struct CMUnitTest tests[] = {
		FAKE_CASE(configure_checks_its_arguments),
		FAKE_CASE(queue_setup_checks_its_arguments),
		FAKE_CASE(missing_capability_gives_enotsup),
		FAKE_CASE(started_device_refuses_changes),
		FAKE_CASE(failed_start_leaves_the_dummies),
		FAKE_CASE(data_path_has_dummies_unless_started),
	};

	fake_register();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
