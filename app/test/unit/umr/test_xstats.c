/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Extended statistics and dumps of lib/umr: names, identifiers that stay, what moves them. */

#include <rte_lcore.h>
#include <rte_log.h>
#include <rte_per_lcore.h>

#include "alloc.h"
#include "fake.h"

#define NB_MAX 80u

static int
setup(void **state)
{
	test_alloc = (struct test_alloc){ 0 };
	RTE_PER_LCORE(_lcore_id) = LCORE_ID_ANY;
	return fake_setup(state);
}

/** A device with queue 1 of 2 set up. */
static int16_t
dev_make(void)
{
	const struct rte_umr_dev_conf two_queues = { .nb_queues = 2 };
	const struct rte_umr_queue_conf loopback = { .nb_desc = 64 };
	const int16_t id = fake_probed();

	assert_int_equal(rte_umr_dev_configure(id, &two_queues), 0);
	assert_int_equal(rte_umr_queue_setup(id, 1, &loopback), 0);
	return id;
}

static uint64_t
value_of(int16_t id, uint16_t queue, const char *name)
{
	uint64_t value = UINT64_MAX;

	assert_int_equal(rte_umr_xstats_by_name_get(id, queue, name, &value), 0);
	return value;
}

/* What programs were compiled with: written by hand, and never to be changed. */
static const struct xstat {
	uint32_t id;
	const char *name;
} queue_names[] = {
	{ 0, "submitted" }, { 1, "completed" }, { 2, "errors" }, { 3, "doorbells" }, { 4, "bf" },
	{ 5, "full" }, { 6, "rejected" }, { 7, "recv_posted" }, { 8, "recv_completed" },
	{ 9, "recv_errors" }, { 10, "recoveries" }, { 11, "auto_recoveries" },
	{ 14, "auto_recovery_failures" }, { 12, "last_recovery_ns" }, { 13, "max_recovery_ns" },
	{ 0x100, "rejected_ring_full" }, { 0x101, "rejected_list_full" },
	{ 0x102, "rejected_not_connected" }, { 0x103, "rejected_queue_error" },
	{ 0x104, "rejected_unsupported" }, { 0x105, "rejected_flags" },
	{ 0x106, "rejected_reserved" }, { 0x107, "rejected_burst" }, { 0x108, "rejected_owner" },
	{ 0x109, "rejected_key" }, { 0x10a, "rejected_access" }, { 0x10b, "rejected_setters" },
	{ 0x10c, "rejected_layout" }, { 0x10d, "rejected_entries" }, { 0x10e, "rejected_length" },
	{ 0x10f, "rejected_range" }, { 0x110, "rejected_signature" }, { 0x111, "rejected_crypto" },
	{ 0x112, "rejected_address" }, { 0x10000, "fake_0" }, { 0x10001, "fake_1" },
}, dev_names[] = {
	{ 0x200, "mrs" }, { 0x201, "mws" }, { 0x202, "deks" }, { 0x203, "mkey_pools" },
	{ 0x204, "mkeys" }, { 0x205, "mkeys_in_use" }, { 0x206, "mkey_pool_empty" },
	{ 0x207, "mkeys_unreturned" }, { 0x208, "command_failures" },
};

static void
names_are(int16_t id, uint16_t queue, const struct xstat *expected, uint32_t nb)
{
	struct rte_umr_xstat_name names[NB_MAX];
	struct rte_umr_xstat values[NB_MAX];

	assert_int_equal(rte_umr_xstats_names_get(id, queue, names, NB_MAX), nb);
	assert_int_equal(rte_umr_xstats_get(id, queue, values, NB_MAX), nb);
	for (uint32_t i = 0; i < nb; i++) {
		assert_string_equal(names[i].name, expected[i].name);
		assert_int_equal(names[i].id, expected[i].id);
		assert_int_equal(values[i].id, expected[i].id);
	}
}

CASE_WITH(names_and_identifiers_stay, setup, fake_teardown)
{
	struct rte_umr_xstat values[NB_MAX];
	const int16_t id = dev_make();

	fake.has_xstats = true;
	names_are(id, 1, queue_names, RTE_DIM(queue_names));
	names_are(id, RTE_UMR_XSTATS_DEV, dev_names, RTE_DIM(dev_names));
	/* A driver without any. */
	fake.has_xstats = false;
	assert_int_equal(rte_umr_xstats_get(id, 1, values, NB_MAX), RTE_DIM(queue_names) - 2);
}

CASE_WITH(values_are_those_of_the_driver, setup, fake_teardown)
{
	struct rte_umr_xstat values[NB_MAX];
	const int16_t id = dev_make();
	uint64_t *stats = (uint64_t *)&fake.stats;
	uint64_t *times = &fake.stats.nb_recoveries;
	int nb, i;

	fake.has_xstats = true;
	for (i = 0; i < 10; i++)
		stats[i] = 1000 + i;
	for (i = 0; i < 5; i++)
		times[i] = 1010 + i;
	for (i = 0; i < RTE_UMR_REJECT_MAX; i++)
		fake.stats.nb_rejects[i] = 2000 + i;
	nb = rte_umr_xstats_get(id, 1, values, NB_MAX);
	for (i = 0; i < nb; i++)
		assert_int_equal(values[i].value,
				 values[i].id < 0x100 ? 1000 + values[i].id :
				 values[i].id < 0x200 ? 2000 + values[i].id - 0x100 :
							70 + values[i].id - 0x10000);
	assert_int_equal(value_of(id, 1, "recv_errors"), 1009);
	assert_int_equal(value_of(id, 1, "fake_1"), 71);
	assert_int_equal(rte_umr_xstats_reset(id, 1), 0);
	assert_int_equal(value_of(id, 1, "recv_errors"), 0);
}

CASE_WITH(too_little_room_writes_nothing, setup, fake_teardown)
{
	const int nb = RTE_DIM(dev_names);
	struct rte_umr_xstat_name names[RTE_DIM(dev_names)], names_before[RTE_DIM(dev_names)];
	struct rte_umr_xstat values[RTE_DIM(dev_names)], values_before[RTE_DIM(dev_names)];
	const int16_t id = dev_make();

	memset(names, 0xa5, sizeof(names));
	memset(values, 0xa5, sizeof(values));
	memcpy(names_before, names, sizeof(names));
	memcpy(values_before, values, sizeof(values));
	assert_int_equal(rte_umr_xstats_names_get(id, RTE_UMR_XSTATS_DEV, NULL, 0), nb);
	assert_int_equal(rte_umr_xstats_get(id, RTE_UMR_XSTATS_DEV, NULL, 0), nb);
	assert_int_equal(rte_umr_xstats_names_get(id, RTE_UMR_XSTATS_DEV, names, nb - 1), nb);
	assert_int_equal(rte_umr_xstats_get(id, RTE_UMR_XSTATS_DEV, values, nb - 1), nb);
	assert_memory_equal(names, names_before, sizeof(names));
	assert_memory_equal(values, values_before, sizeof(values));
	assert_int_equal(rte_umr_xstats_names_get(id, RTE_UMR_XSTATS_DEV, names, nb), nb);
	assert_int_equal(rte_umr_xstats_get(id, RTE_UMR_XSTATS_DEV, values, nb), nb);
	assert_int_equal(names[0].reserved | values[0].reserved, 0);
}

CASE_WITH(bad_arguments_are_rejected, setup, fake_teardown)
{
	const int16_t id = dev_make();
	struct rte_umr_xstat_name name;
	struct rte_umr_xstat xstat;
	uint64_t value = 5;

	assert_int_equal(rte_umr_xstats_names_get(7, 1, &name, 1), -ENODEV);
	assert_int_equal(rte_umr_xstats_get(7, 1, &xstat, 1), -ENODEV);
	assert_int_equal(rte_umr_xstats_by_name_get(7, 1, "full", &value), -ENODEV);
	assert_int_equal(rte_umr_xstats_reset(7, 1), -ENODEV);
	assert_int_equal(rte_umr_xstats_reset(7, RTE_UMR_XSTATS_DEV), -ENODEV);
	assert_int_equal(rte_umr_queue_dump(7, 1, 0, stdout), -ENODEV);
	/* Not set up, or none. */
	for (uint16_t queue = 0; queue < 3; queue += 2) {
		assert_int_equal(rte_umr_xstats_names_get(id, queue, &name, 1), -EINVAL);
		assert_int_equal(rte_umr_xstats_get(id, queue, &xstat, 1), -EINVAL);
		assert_int_equal(rte_umr_xstats_by_name_get(id, queue, "full", &value), -EINVAL);
		assert_int_equal(rte_umr_xstats_reset(id, queue), -EINVAL);
		assert_int_equal(rte_umr_queue_dump(id, queue, 0, stdout), -EINVAL);
	}
	assert_int_equal(rte_umr_xstats_names_get(id, 1, NULL, 1), -EINVAL);
	assert_int_equal(rte_umr_xstats_get(id, 1, NULL, 1), -EINVAL);
	assert_int_equal(rte_umr_xstats_by_name_get(id, 1, NULL, &value), -EINVAL);
	assert_int_equal(rte_umr_xstats_by_name_get(id, 1, "full", NULL), -EINVAL);
	assert_int_equal(rte_umr_xstats_by_name_get(id, 1, "mrs", &value), -ENOENT);
	assert_int_equal(rte_umr_queue_dump(id, 1, 0, NULL), -EINVAL);
	assert_int_equal(rte_umr_dump(id, NULL), -EINVAL);
	assert_int_equal(value, 5);
}

CASE_WITH(pools_count_what_is_out_and_what_was_missed, setup, fake_teardown)
{
	const struct rte_umr_mkey_pool_conf conf = { .nb_mkeys = 5, .max_entries = 7 };
	const int16_t id = dev_make();
	struct rte_umr_mkey_pool *pools[2];
	struct rte_umr_mkey *mkeys[5];

	pools[0] = rte_umr_mkey_pool_create(id, &conf);
	pools[1] = rte_umr_mkey_pool_create(id, &conf);
	assert_int_equal(value_of(id, RTE_UMR_XSTATS_DEV, "mkey_pools"), 2);
	assert_int_equal(value_of(id, RTE_UMR_XSTATS_DEV, "mkeys"), 10);
	assert_int_equal(rte_umr_mkey_get_bulk(pools[1], mkeys, 4), 0);
	assert_int_equal(value_of(id, RTE_UMR_XSTATS_DEV, "mkeys_in_use"), 4);
	assert_int_equal(value_of(id, RTE_UMR_XSTATS_DEV, "mkey_pool_empty"), 0);
	assert_int_equal(rte_umr_mkey_get_bulk(pools[1], mkeys, 4), -ENOBUFS);
	assert_int_equal(rte_umr_mkey_get_bulk(pools[0], mkeys, 6), -ENOBUFS);
	assert_int_equal(value_of(id, RTE_UMR_XSTATS_DEV, "mkey_pool_empty"), 2);
	assert_int_equal(value_of(id, RTE_UMR_XSTATS_DEV, "mkeys_unreturned"), 0);
	assert_int_equal(rte_umr_mkey_pool_destroy(pools[1]), -EBUSY);
	assert_int_equal(value_of(id, RTE_UMR_XSTATS_DEV, "mkeys_unreturned"), 4);
	assert_int_equal(rte_umr_xstats_reset(id, RTE_UMR_XSTATS_DEV), 0);
	assert_int_equal(value_of(id, RTE_UMR_XSTATS_DEV, "mkey_pool_empty"), 0);
	/* What there is, is. */
	assert_int_equal(value_of(id, RTE_UMR_XSTATS_DEV, "mkeys_in_use"), 4);
	assert_int_equal(rte_umr_mkey_put_bulk(pools[1], mkeys, 4), 0);
	assert_int_equal(value_of(id, RTE_UMR_XSTATS_DEV, "mkeys_in_use"), 0);
	assert_int_equal(rte_umr_mkey_pool_destroy(pools[1]), 0);
	assert_int_equal(value_of(id, RTE_UMR_XSTATS_DEV, "mkeys_unreturned"), 0);
	assert_int_equal(rte_umr_mkey_pool_destroy(pools[0]), 0);
}

static void
log_end(const char *expected)
{
	char *text = fake_log_end();

	assert_string_equal(text, expected);
	free(text);
}

CASE_WITH(keys_that_are_out_are_named, setup, fake_teardown)
{
	const struct rte_umr_mkey_pool_conf conf = { .nb_mkeys = 20, .max_entries = 7 };
	const int16_t id = dev_make();
	struct rte_umr_mkey *mkeys[20];
	struct rte_umr_mkey_pool *pool;

	pool = rte_umr_mkey_pool_create(id, &conf);
	assert_int_equal(rte_umr_mkey_get_bulk(pool, mkeys, 20), 0);
	assert_int_equal(rte_umr_mkey_put_bulk(pool, &mkeys[1], 1), 0);
	fake_log_start();
	assert_int_equal(rte_umr_mkey_pool_destroy(pool), -EBUSY);
	log_end("umr: fake0: 19 of 20 keys are not back in their pool: 0x00000101, 0x00000301, "
		"0x00000401, 0x00000501, 0x00000601, 0x00000701, 0x00000801, 0x00000901, ...\n");
	assert_int_equal(rte_umr_mkey_put_bulk(pool, &mkeys[3], 17), 0);
	fake_log_start();
	assert_int_equal(rte_umr_dev_close(id), -EBUSY);
	log_end("umr: fake0: 0 memory regions, 0 windows and 1 key pools are left\n"
		"umr: fake0: 2 of 20 keys are not back in their pool: 0x00000101, 0x00000301\n");
	assert_int_equal(rte_umr_mkey_put_bulk(pool, &mkeys[0], 1), 0);
	assert_int_equal(rte_umr_mkey_put_bulk(pool, &mkeys[2], 1), 0);
	assert_int_equal(rte_umr_mkey_pool_destroy(pool), 0);
}

CASE_WITH(what_a_driver_cannot_do_is_counted, setup, fake_teardown)
{
	const struct rte_umr_dev_conf one_queue = { .nb_queues = 1 };
	const struct rte_umr_mkey_pool_conf conf = { .nb_mkeys = 5, .max_entries = 7 };
	const struct rte_umr_queue_conf loopback = { .nb_desc = 64 };
	const int16_t id = dev_make();

	assert_int_equal(rte_umr_dev_configure(id, &one_queue), 0);
	fake.setup_ret = -ENOMEM;
	assert_int_equal(rte_umr_queue_setup(id, 0, &loopback), -ENOMEM);
	assert_int_equal(value_of(id, RTE_UMR_XSTATS_DEV, "command_failures"), 1);
	fake.setup_ret = 0;
	assert_int_equal(rte_umr_queue_setup(id, 0, &loopback), 0);
	fake.start_ret = -EIO;
	assert_int_equal(rte_umr_dev_start(id), -EIO);
	assert_int_equal(value_of(id, RTE_UMR_XSTATS_DEV, "command_failures"), 2);
	fake.mkey_fail_at = 3;
	assert_null(rte_umr_mkey_pool_create(id, &conf));
	assert_int_equal(value_of(id, RTE_UMR_XSTATS_DEV, "command_failures"), 3);
	/* Arguments that lib/umr rejects are none of it. */
	assert_int_equal(rte_umr_dev_configure(id, NULL), -EINVAL);
	assert_int_equal(value_of(id, RTE_UMR_XSTATS_DEV, "command_failures"), 3);
	assert_int_equal(rte_umr_xstats_reset(id, RTE_UMR_XSTATS_DEV), 0);
	assert_int_equal(value_of(id, RTE_UMR_XSTATS_DEV, "command_failures"), 0);
}

CASE_WITH(dumps_name_pools_and_queues, setup, fake_teardown)
{
	const struct rte_umr_mkey_pool_conf conf = { .nb_mkeys = 5, .max_entries = 7 };
	const int16_t id = dev_make();
	struct rte_umr_mkey_pool *pool;
	struct rte_umr_mkey *mkey;
	size_t text_len;
	FILE *text_f;
	char *text;

	fake.stats.nb_full = fake.stats.nb_rejects[RTE_UMR_REJECT_RING_FULL] = 3;
	pool = rte_umr_mkey_pool_create(id, &conf);
	mkey = rte_umr_mkey_get(pool);
	text_f = open_memstream(&text, &text_len);
	assert_int_equal(rte_umr_dump(id, text_f), 0);
	assert_int_equal(fake.nb_dump_ops, 0);
	assert_int_equal(rte_umr_queue_dump(id, 1, 9, text_f), 0);
	assert_int_equal(fake.nb_dump_ops, 9);
	fclose(text_f);
	assert_string_equal(text,
		"device 0: fake0, driver fake, stopped, ok, 2 queues, 5 keys in 1 pools\n"
		"  name fake0\n"
		"  pool 0: 5 keys of 7 entries, flags 0x0, 1 in use, 0 times empty\n"
		"  queue 1: idle\n    rejected: ring-full 3\n    number 1\n"
		"  queue 1: idle\n    rejected: ring-full 3\n    number 1\n");
	free(text);
	rte_umr_mkey_put(pool, mkey);
	assert_int_equal(rte_umr_mkey_pool_destroy(pool), 0);
}

int
main(void)
{
	fake_register();
	return cases_run(NULL, NULL);
}
