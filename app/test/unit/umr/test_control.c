/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Control path of lib/umr: arguments, states, errors. */

#include "calls.h"
#include "fake.h"

static const struct rte_umr_dev_conf two_queues = { .nb_queues = 2 };
static const struct rte_umr_queue_conf loopback = { .nb_desc = 64 };

static int16_t
started(void)
{
	int16_t id = fake_probed();

	fake_queues_setup(id, 2);
	assert_int_equal(rte_umr_dev_start(id), 0);
	return id;
}

FAKE_CASE(configure_checks_its_arguments)
{
	static const struct {
		const char *name;
		struct rte_umr_dev_conf conf;
		int ret;
	} rows[] = {
		{ "no queues", { .nb_queues = 0 }, -EINVAL },
		{ "a queue too many", { .nb_queues = FAKE_MAX_QUEUES + 1 }, -ERANGE },
		{ "reserved", { .nb_queues = FAKE_MAX_QUEUES, .reserved[3] = 1 }, -EINVAL },
		{ "last reserved", { .nb_queues = 1, .reserved[6] = 1 }, -EINVAL },
		{ "most queues", { .nb_queues = FAKE_MAX_QUEUES }, 0 },
	};
	int16_t id = fake_probed();

	assert_int_equal(rte_umr_dev_info_get(id, NULL), -EINVAL);
	assert_int_equal(rte_umr_dev_start(id), -EINVAL);
	assert_int_equal(rte_umr_dev_configure(id, NULL), -EINVAL);
	for (unsigned int i = 0; i < RTE_DIM(rows); i++)
		row_check(rows[i].name, rte_umr_dev_configure(id, &rows[i].conf), rows[i].ret);
	assert_int_equal(rte_umr_queue_setup(id, 3, &loopback), 0);
	assert_int_equal(rte_umr_dev_configure(id, &two_queues), 0);
	assert_int_equal(fake.nb_release, 1);
	/* Not all queues are set up. */
	assert_int_equal(rte_umr_queue_setup(id, 1, &loopback), 0);
	assert_int_equal(rte_umr_dev_start(id), -EINVAL);
	assert_int_equal(fake.nb_start, 0);
}

FAKE_CASE(queue_setup_checks_its_arguments)
{
	const uint32_t rc = RTE_UMR_TRANSPORT_RC;
	const struct rte_umr_queue_conf most = {
		.nb_desc = 1024, .transport = rc, .nb_recv_desc = 512, .max_recv_segs = 8,
	};
	const struct {
		const char *name;
		struct rte_umr_queue_conf conf;
		int ret;
	} rows[] = {
		{ "transport", { .nb_desc = 64, .transport = 17 }, -EINVAL },
		{ "reserved", { .nb_desc = 64, .transport = rc, .reserved[0] = 1 }, -EINVAL },
		{ "last reserved", { .nb_desc = 64,
				     .reserved[RTE_DIM(most.reserved) - 1] = 1 }, -EINVAL },
		{ "list entries", { .nb_desc = 64,
				    .nb_list_entries = RTE_UMR_MAX_LIST_ENTRIES + 1 }, -ERANGE },
		{ "flags", { .nb_desc = 64, .transport = rc, .flags = RTE_UMR_QUEUE_F_ALL + 1 },
		  -EINVAL },
		{ "both kinds of BlueFlame", { .nb_desc = 64, .transport = rc,
		  .flags = RTE_UMR_QUEUE_F_BF_INLINE | RTE_UMR_QUEUE_F_BF }, -EINVAL },
		{ "BlueFlame without the capability", { .nb_desc = 64, .transport = rc,
		  .flags = RTE_UMR_QUEUE_F_BF }, -ENOTSUP },
		{ "inline data", { .nb_desc = 64, .transport = rc, .max_inline = 1 }, -ERANGE },
		{ "too short", { .nb_desc = 15, .transport = rc }, -ERANGE },
		{ "too long", { .nb_desc = 1025, .transport = rc }, -ERANGE },
		{ "receives", { .nb_desc = 1024, .transport = rc, .nb_recv_desc = 513 }, -ERANGE },
		{ "segments of a receive", { .nb_desc = 1024, .transport = rc,
		  .nb_recv_desc = 512, .max_recv_segs = 9 }, -ERANGE },
	};
	int16_t id = fake_probed();

	assert_int_equal(rte_umr_queue_setup(id, 0, &loopback), -EINVAL);
	assert_int_equal(rte_umr_dev_configure(id, &two_queues), 0);
	assert_int_equal(rte_umr_queue_setup(id, 2, &loopback), -EINVAL);
	assert_int_equal(rte_umr_queue_setup(id, 0, NULL), -EINVAL);
	for (unsigned int i = 0; i < RTE_DIM(rows); i++)
		row_check(rows[i].name, rte_umr_queue_setup(id, 0, &rows[i].conf), rows[i].ret);
	assert_int_equal(fake.nb_setup, 0);
	fake.setup_ret = -EIO;
	assert_int_equal(rte_umr_queue_setup(id, 0, &most), -EIO);
	fake.setup_ret = 0;
	assert_int_equal(rte_umr_queue_setup(id, 0, &most), 0);
	assert_int_equal(rte_umr_queue_setup(id, 0, &most), 0);
	assert_int_equal(fake.nb_release, 1);
}

FAKE_CASE(missing_capability_gives_enotsup)
{
	static const struct {
		const char *name;
		struct rte_umr_queue_conf conf;
	} rows[] = {
		{ "receives", { .nb_desc = 64, .nb_recv_desc = 4 } },
		{ "RC", { .nb_desc = 64, .transport = RTE_UMR_TRANSPORT_RC } },
		{ "DCI", { .nb_desc = 64, .transport = RTE_UMR_TRANSPORT_DCI } },
		{ "DCT", { .nb_desc = 64, .transport = RTE_UMR_TRANSPORT_DCT } },
	};
	struct rte_umr_endpoint remote = { 0 };
	struct rte_umr_dc_addr addr = { 0 };
	int16_t id;

	assert_int_equal(rte_umr_dev_probe("poor0", &id), 0);
	assert_int_equal(rte_umr_dev_configure(id, &two_queues), 0);
	for (unsigned int i = 0; i < RTE_DIM(rows); i++)
		row_check(rows[i].name, rte_umr_queue_setup(id, 0, &rows[i].conf), -ENOTSUP);
	assert_int_equal(rte_umr_dc_addr_fill(id, &remote, 1, &addr), -ENOTSUP);
	assert_int_equal(addr.is_filled, 0);
	assert_int_equal(rte_umr_dc_addr_set(id, 0, &addr), -ENXIO);
}

FAKE_CASE(started_device_rejects_changes)
{
	struct rte_umr_endpoint ep = { 0 };
	struct rte_umr_dev_info info;
	int16_t id = started();

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

FAKE_CASE(failed_start_leaves_the_dummies)
{
	int16_t id = fake_probed();

	fake_queues_setup(id, 2);
	fake.start_ret = -EIO;
	assert_int_equal(rte_umr_dev_start(id), -EIO);
	assert_int_equal(rte_umr_submit(id, 0), -ESHUTDOWN);
	fake.start_ret = 0;
	assert_int_equal(rte_umr_dev_start(id), 0);
	assert_int_equal(rte_umr_submit(id, 1), 1);
}

static void
error_check(const char *name, int ret, void *error)
{
	row_check(name, ret, *(int *)error);
}

/** Every function that enqueues has that error, nothing completes. */
static void
check_rejections(int16_t id, uint16_t queue, int error)
{
	struct rte_umr_completion done;
	struct rte_umr_mkey mkey = { 0 };
	struct rte_umr_mw mw = { 0 };

	calls_enqueue(id, queue, &mkey, &mw, error_check, &error);
	assert_int_equal(rte_umr_desc_avail(id, queue), 0);
	if (error == -ENOTSUP)
		return;
	assert_int_equal(rte_umr_submit(id, queue), error);
	assert_int_equal(rte_umr_completed_status(id, queue, 1, &done), 0);
	assert_int_equal(rte_umr_recv_completed(id, queue, 1, &done), 0);
}

FAKE_CASE(data_path_tells_no_device_no_queue_and_not_started)
{
	struct rte_umr_mkey mkey = { 0 };
	struct rte_umr_mkey_error error;
	bool has_error = true;
	uint16_t last = 3;
	int16_t id;

	check_rejections(0, 0, -ENODEV);
	check_rejections(RTE_UMR_MAX_DEVS - 1, RTE_UMR_MAX_QUEUES - 1, -ENODEV);
	assert_int_equal(rte_umr_mkey_check(&mkey, &error), -ENODEV);
	id = fake_probed();
	check_rejections(id, 0, -ENXIO);
	check_rejections(id, RTE_UMR_MAX_QUEUES - 1, -ENXIO);
	assert_int_equal(rte_umr_completed(id, 0, 1, &last, &has_error), 0);
	assert_false(has_error);
	assert_int_equal(last, 3);
	assert_int_equal(rte_umr_dev_configure(id, &two_queues), 0);
	assert_int_equal(rte_umr_queue_setup(id, 0, &loopback), 0);
	check_rejections(id, 0, -ESHUTDOWN);
	check_rejections(id, 1, -ENXIO);
	mkey.dev_id = id;
	assert_int_equal(rte_umr_mkey_check(&mkey, &error), -ESHUTDOWN);
	/* Queues are forgotten. */
	assert_int_equal(rte_umr_dev_configure(id, &two_queues), 0);
	check_rejections(id, 0, -ENXIO);
	assert_int_equal(rte_umr_dev_close(id), 0);
	check_rejections(id, 0, -ENODEV);
}

FAKE_CASE(data_path_is_of_the_driver_once_started)
{
	bool has_error;
	uint16_t last;
	int16_t id = started();

	assert_int_equal(rte_umr_submit(id, 0), 0);
	assert_int_equal(rte_umr_submit(id, 1), 1);
	assert_int_equal(rte_umr_completed(id, 0, 5, NULL, NULL), 5);
	assert_int_equal(rte_umr_completed(id, 0, 5, &last, &has_error), 5);
	assert_int_equal(last, 7);
	assert_true(has_error);
	/* Of a started device: one that it was not configured with. */
	check_rejections(id, 2, -ENXIO);
	/* The driver has two functions only. */
	check_rejections(id, 0, -ENOTSUP);
	/* What is outstanding can be collected from a device that was stopped. */
	assert_int_equal(rte_umr_dev_stop(id), 0);
	check_rejections(id, 0, -ESHUTDOWN);
	assert_int_equal(rte_umr_completed(id, 0, 5, &last, &has_error), 5);
	assert_int_equal(rte_umr_dev_close(id), 0);
	check_rejections(id, 0, -ENODEV);
	assert_int_equal(fake.nb_release, 2);
	assert_int_equal(fake.nb_close, 1);
}

FAKE_CASE(queue_without_a_data_path_is_rejected)
{
	int16_t id = fake_probed();

	fake.has_no_fp_ops = true;
	assert_int_equal(rte_umr_dev_configure(id, &two_queues), 0);
	assert_int_equal(rte_umr_queue_setup(id, 0, &loopback), -EINVAL);
	assert_int_equal(fake.nb_release, 1);
	check_rejections(id, 0, -ENXIO);
}

FAKE_CASE(queue_status_follows_the_device)
{
	uint8_t status = RTE_UMR_QUEUE_STATUS_LOST;
	int16_t id = fake_probed();

	assert_int_equal(rte_umr_dev_configure(id, &two_queues), 0);
	assert_int_equal(rte_umr_queue_setup(id, 0, &loopback), 0);
	assert_int_equal(rte_umr_queue_status(id, 0, &status), 0);
	assert_int_equal(status, RTE_UMR_QUEUE_STATUS_IDLE);
	assert_int_equal(rte_umr_queue_status(id, 1, &status), -EINVAL);
	assert_int_equal(rte_umr_queue_status(id, 2, &status), -EINVAL);
	assert_int_equal(rte_umr_queue_status(id, 0, NULL), -EINVAL);
	assert_int_equal(rte_umr_queue_status(id + 1, 0, &status), -ENODEV);
	assert_int_equal(rte_umr_queue_setup(id, 1, &loopback), 0);
	assert_int_equal(rte_umr_dev_start(id), 0);
	assert_int_equal(rte_umr_queue_status(id, 1, &status), 0);
	assert_int_equal(status, RTE_UMR_QUEUE_STATUS_NOT_CONNECTED);
	fake_lose(fake.dev, RTE_UMR_DEV_STATUS_SILENT);
	assert_int_equal(rte_umr_queue_status(id, 1, &status), 0);
	assert_int_equal(status, RTE_UMR_QUEUE_STATUS_LOST);
	assert_string_equal(rte_umr_queue_status_name(status), "lost");
	assert_string_equal(rte_umr_queue_status_name(5), "unknown");
}

int
main(void)
{
	fake_register();
	return cases_run(NULL, NULL);
}
