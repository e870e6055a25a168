/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Devices of lib/umr: which there are, by name and by number. */

#include <rte_eal.h>

#include "fake.h"

/* Before the driver of these tests is registered. */
FAKE_CASE(no_driver_is_what_is_missing)
{
	char *log;

	fake_log_start();
	assert_int_equal(rte_umr_dev_probe("fake0", NULL), -ENODEV);
	log = fake_log_end();
	assert_non_null(strstr(log, "fake0: no driver is loaded"));
	free(log);
	fake_register();
}

FAKE_CASE(probe_takes_a_name_and_options)
{
	char long_name[100];
	int16_t id = -1, id2 = -1;

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
	assert_int_equal(rte_umr_dev_id_by_name("fake1", NULL), -EINVAL);
	assert_int_equal(rte_umr_dev_next(id + 1), id2);
	fake.probe_ret = -EACCES;
	assert_int_equal(rte_umr_dev_probe("fake2", &id2), -EACCES);
	assert_int_equal(rte_umr_dev_count(), 2);
}

FAKE_CASE(devices_run_out)
{
	char name[16];

	for (int i = 0; i < RTE_UMR_MAX_DEVS; i++) {
		snprintf(name, sizeof(name), "fake%d", i);
		assert_int_equal(rte_umr_dev_probe(name, NULL), 0);
	}
	assert_int_equal(rte_umr_dev_probe("fake99", NULL), -ENOSPC);
	assert_int_equal(rte_umr_dev_close(5), 0);
	assert_int_equal(rte_umr_dev_probe("fake99", NULL), 0);
	assert_true(rte_umr_dev_is_valid(5));
}

FAKE_CASE(scan_tells_all_and_writes_what_fits)
{
	char names[2][RTE_UMR_DEV_NAME_LEN];

	assert_int_equal(rte_umr_dev_scan(NULL, 0), 3);
	assert_int_equal(rte_umr_dev_scan(names, 2), 3);
	assert_string_equal(names[1], "fake1");
}

FAKE_CASE(wrong_device_gives_enodev)
{
	static const int16_t ids[] = { -1, 0, RTE_UMR_MAX_DEVS, INT16_MAX, INT16_MIN };
	const struct rte_umr_dev_conf two_queues = { .nb_queues = 2 };
	const struct rte_umr_queue_conf loopback = { .nb_desc = 64 };
	struct rte_umr_queue_stats stats;
	struct rte_umr_dev_info info;
	struct rte_umr_endpoint ep;
	uint32_t lkey = 5;
	const struct rte_umr_mr_conf mr_conf = { .addr = &lkey, .len = sizeof(lkey) };

	for (size_t i = 0; i < RTE_DIM(ids); i++) {
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
		assert_int_equal(lkey, 5);
		assert_null(rte_umr_mr_register(ids[i], &mr_conf));
		assert_int_equal(rte_errno, ENODEV);
		assert_null(rte_umr_mkey_pool_create(ids[i], NULL));
		assert_int_equal(rte_errno, ENODEV);
	}
}

/* Takes the place of EAL's, which was not initialized. */
static enum rte_proc_type_t process_type = RTE_PROC_PRIMARY;

enum rte_proc_type_t
rte_eal_process_type(void)
{
	return process_type;
}

FAKE_CASE(secondary_process_has_no_devices)
{
	int16_t id = -1;

	process_type = RTE_PROC_SECONDARY;
	assert_int_equal(rte_umr_dev_scan(NULL, 0), 0);
	assert_int_equal(rte_umr_dev_probe("fake0", &id), -EPERM);
	assert_int_equal(id, -1);
	assert_int_equal(rte_umr_dev_count(), 0);
	assert_int_equal(rte_umr_dev_start(0), -EPERM);
	assert_int_equal(rte_umr_queue_stats_reset(0, 0), -EPERM);
	assert_null(rte_umr_mkey_pool_create(0, NULL));
	assert_int_equal(rte_errno, EPERM);
	assert_null(rte_umr_pd_alloc(0));
	assert_int_equal(rte_errno, EPERM);
	assert_int_equal(rte_umr_submit(0, 0), -ENODEV);
	process_type = RTE_PROC_PRIMARY;
	assert_int_equal(rte_umr_dev_probe("fake0", &id), 0);
}

FAKE_CASE(driver_of_another_version_is_not_registered)
{
	static struct rte_umr_driver other = { .abi_version = RTE_UMR_PMD_ABI_VERSION + 1 };

	rte_umr_driver_register(&other);
	/* Its functions would be called. */
	assert_int_equal(rte_umr_dev_scan(NULL, 0), 3);
	assert_int_equal(rte_umr_dev_probe("other0", NULL), -ENODEV);
}

FAKE_CASE(names_are_never_null)
{
	for (int i = -1; i < 300; i++) {
		assert_non_null(rte_umr_op_name(i));
		assert_non_null(rte_umr_status_name(i));
		assert_non_null(rte_umr_reject_name(i));
	}
	assert_string_equal(rte_umr_op_name(RTE_UMR_OP_RECV_WRITE_IMM), "recv-write-imm");
	assert_string_equal(rte_umr_status_name(RTE_UMR_STATUS_SUCCESS), "success");
	assert_string_equal(rte_umr_status_name(200), "unknown");
	assert_string_equal(rte_umr_reject_name(RTE_UMR_REJECT_ADDRESS), "address");
	assert_string_equal(rte_umr_reject_name(RTE_UMR_REJECT_ADDRESS + 1), "unknown");
}
