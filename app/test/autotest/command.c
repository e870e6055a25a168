/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Firmware commands that fail, each one in turn, at every step from probe to close: the call says
 * so by an errno, leaves no object behind and works the next time.
 *
 * Below, "enter" is what creates and "leave" what undoes it. Memory that is lost is found by the
 * build with AddressSanitizer.
 */

#include <dirent.h>
#include <limits.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_lcore.h>
#include <rte_malloc.h>

#include "../patience.h"
#include "autotest.h"
#include "command.h"
#include "control.h"
#include "env.h"

/* More than any step has. */
#define MAX_COMMANDS	1000u

static bool
is_left_out(const struct fail_bed *bed, const struct fail_step *step)
{
	return (bed->info.dev_capa & step->capa) != step->capa;
}

/* Do something with the n-th command failing. *has_failed: whether there was such a command. */
static int
with_failure(struct fail_bed *bed, int (*run)(struct fail_bed *bed), unsigned int n, int *ret,
	     bool *has_failed)
{
	struct at_device_stats before, after;

	TEST_ASSERT_SUCCESS(at_device_stats(&before));
	TEST_ASSERT_SUCCESS(at_command_fail(n));
	rte_errno = 0;
	*ret = run(bed);
	TEST_ASSERT_SUCCESS(at_command_fail(0));
	TEST_ASSERT_SUCCESS(at_device_stats(&after));
	*has_failed = after.nb_cmd_errors != before.nb_cmd_errors;
	return TEST_SUCCESS;
}

/* Fail each command of a step, then let it pass. */
static int
step_enter(struct fail_bed *bed, const struct fail_step *step)
{
	struct at_device_stats before, after;
	bool has_failed = true;
	unsigned int n, nb_told = 0;
	int ret;

	for (n = 1; n < MAX_COMMANDS && has_failed; n++) {
		TEST_ASSERT_SUCCESS(at_device_stats(&before));
		TEST_ASSERT_SUCCESS(with_failure(bed, step->enter, n, &ret, &has_failed));
		if (!has_failed)
			break;
		if (ret == 0 && step->has_substitute) {
			if (step->leave != NULL)
				TEST_ASSERT_SUCCESS(step->leave(bed));
			continue;
		}
		nb_told++;
		if (ret >= 0 || ret < -4095 || ret == -ENOTRECOVERABLE)
			TEST_FAIL_AT("%s with command %u failing returned %d", step->name, n, ret);
		TEST_ASSERT_SUCCESS(at_device_stats(&after));
		if (after.nb_objects > before.nb_objects || (after.nb_objects < before.nb_objects &&
							     !step->is_anew))
			TEST_FAIL_AT("%s with command %u failing: %" PRIu64 " objects before, %"
				     PRIu64 " after", step->name, n, before.nb_objects,
				     after.nb_objects);
	}
	if (ret != 0)
		TEST_FAIL_AT("%s at last returned %d", step->name, ret);
	printf("    %s: %u commands, %u must not fail\n", step->name, n - 1, nb_told);
	TEST_ASSERT_EQUAL(nb_told != 0, !step->has_none);
	return TEST_SUCCESS;
}

/*
 * Fail each command that undoes a step. An object may stay in the device then, until it is closed;
 * nothing hangs, and the step can be done once more.
 */
static int
step_leave(struct fail_bed *bed, const struct fail_step *step)
{
	bool has_failed = true;
	int ret;

	for (unsigned int n = 1; n < MAX_COMMANDS; n++) {
		TEST_ASSERT_SUCCESS(with_failure(bed, step->leave, n, &ret, &has_failed));
		if (!has_failed)
			break;
		if (ret > 0 || ret < -4095)
			TEST_FAIL_AT("undoing %s with command %u failing returned %d", step->name,
				     n, ret);
		if (ret != 0 && !step->is_gone)
			TEST_ASSERT_SUCCESS(step->leave(bed));
		TEST_ASSERT_SUCCESS(step->enter(bed));
	}
	if (ret != 0)
		TEST_FAIL_AT("undoing %s at last returned %d", step->name, ret);
	return TEST_SUCCESS;
}

/* The least of some moments: the thread that answers at_device_stats() closes its end later. */
static unsigned int
nb_open_files(void)
{
	unsigned int least = UINT_MAX;

	for (unsigned int i = 0; i < 20; i++) {
		DIR *dir = opendir("/proc/self/fd");
		unsigned int nb = 0;

		while (dir != NULL && readdir(dir) != NULL)
			nb++;
		if (dir != NULL)
			closedir(dir);
		least = RTE_MIN(least, nb);
		rte_delay_us_sleep(5000);
	}
	return least;
}

/* The fewest for a while: the device closes its end of a control connection when it gets to it. */
static unsigned int
nb_open_files_at_rest(void)
{
	unsigned int nb, min = nb_open_files();

	for (unsigned int i = 0; i < 50; i++) {
		rte_delay_us_sleep(1000);
		nb = nb_open_files();
		min = RTE_MIN(min, nb);
	}
	return min;
}

/* Whether so many are left: on a busy machine the last ones go late. */
static bool
open_files_become(unsigned int nb)
{
	const uint64_t deadline = patience_end();

	while (nb_open_files() != nb)
		if (patience_is_over(deadline))
			return false;
	return true;
}

/* Move bytes through a key from one queue to the other. */
static int
bytes_move(struct fail_bed *bed)
{
	int16_t dev_id = bed->side->dev_id;
	struct rte_umr_mkey *mkey = rte_umr_mkey_get(bed->pool);
	struct rte_umr_seg seg = { (uintptr_t)bed->side->buf, 64, bed->mr->lkey };
	struct rte_umr_completion done[2];
	uint8_t *target = bed->side->buf + 4096;

	TEST_ASSERT(mkey != NULL);
	memset(bed->side->buf, 0x5a, 64);
	TEST_ACCEPT(rte_umr_mkey_list(dev_id, 0, mkey, 0, &seg, 1, 0));
	seg = at_key_seg(mkey, 0, 64);
	TEST_ACCEPT(rte_umr_write(dev_id, 0, &seg, (uintptr_t)target, bed->mr->rkey,
				  RTE_UMR_OP_F_SUBMIT));
	TEST_ASSERT_EQUAL(at_collect(dev_id, 0, done, 2), 2);
	TEST_ASSERT_EQUAL(done[0].status, RTE_UMR_STATUS_SUCCESS);
	TEST_ASSERT_EQUAL(done[1].status, RTE_UMR_STATUS_SUCCESS);
	TEST_ASSERT_EQUAL(memcmp(bed->side->buf, target, 64), 0);
	rte_umr_mkey_put(bed->pool, mkey);
	return TEST_SUCCESS;
}

/* The device must have been open once, or there is nobody to ask. */
static int
bed_enter(struct at_env *env, struct fail_bed *bed)
{
	memset(bed, 0, sizeof(*bed));
	bed->side = &env->sides[0];
	TEST_ASSERT(rte_umr_dev_scan(&bed->name, 1) >= 1);
	TEST_ASSERT_SUCCESS(fail_probe(bed));
	TEST_ASSERT_SUCCESS(fail_close(bed));
	TEST_NEED(at_need_control());
	return TEST_SUCCESS;
}

/* Bytes to move, and everything once: what is made the first time stays. */
static int
bed_warm_up(struct fail_bed *bed)
{
	bed->side->buf = rte_zmalloc(NULL, AT_BUF_LEN, 4096);
	TEST_ASSERT(bed->side->buf != NULL);
	return fail_warm_up(bed);
}

AT_CASE(command, every_command_can_fail)
{
	struct at_device_stats before, after;
	struct fail_bed bed;

	TEST_NEED(bed_enter(env, &bed));
	TEST_ASSERT_SUCCESS(bed_warm_up(&bed));
	const unsigned int nb_files = nb_open_files_at_rest();
	TEST_ASSERT_SUCCESS(at_device_stats(&before));
	for (unsigned int i = 0; i < nb_fail_steps; i++)
		if (!is_left_out(&bed, &fail_steps[i]))
			TEST_ASSERT_SUCCESS(step_enter(&bed, &fail_steps[i]));
	TEST_ASSERT_SUCCESS(fail_queues_connect(&bed));
	for (unsigned int i = nb_fail_steps; i-- > 0;) {
		if (fail_steps[i].enter == fail_start)
			TEST_ASSERT_SUCCESS(bytes_move(&bed));
		if (!is_left_out(&bed, &fail_steps[i]) && fail_steps[i].leave != NULL)
			TEST_ASSERT_SUCCESS(step_leave(&bed, &fail_steps[i]));
	}
	rte_free(bed.side->buf);
	bed.side->buf = NULL;
	TEST_ASSERT_SUCCESS(at_device_stats(&after));
	/* A context that the kernel could not destroy, with the last command of all, stays. */
	TEST_ASSERT(after.nb_objects <= before.nb_objects + 1);
	TEST_ASSERT(open_files_become(nb_files));
	return TEST_SUCCESS;
}

static int64_t
allocated(void)
{
	struct rte_malloc_socket_stats stats;
	int64_t nb = 0;

	for (unsigned int i = 0; i < rte_socket_count(); i++)
		if (rte_malloc_get_socket_stats(rte_socket_id_by_idx(i), &stats) == 0)
			nb += (int64_t)stats.heap_allocsz_bytes;
	return nb;
}

/* Set up a loopback and release it, with the n-th command failing; bytes that stay allocated. */
static int
queue_release_fail(struct fail_bed *bed, unsigned int n, int64_t *kept, bool *has_failed)
{
	int ret;

	TEST_ASSERT_SUCCESS(fail_configure(bed));
	const int64_t before = allocated();
	TEST_ASSERT_SUCCESS(fail_loopback_setup(bed));
	TEST_ASSERT_SUCCESS(with_failure(bed, fail_configure, n, &ret, has_failed));
	TEST_ASSERT_SUCCESS(ret);
	*kept = allocated() - before;
	return TEST_SUCCESS;
}

/*
 * Rings that the device may still write to are nobody else's memory, even if that costs some; they
 * are free when it has been closed.
 */
AT_CASE(command, rings_stay_with_the_device)
{
	const int64_t ring_size = 64 * 64;
	unsigned int n, nb_kept = 0;
	bool has_failed = true;
	struct fail_bed bed;
	int64_t kept = 0, before;

	TEST_NEED(bed_enter(env, &bed));
	before = allocated();
	TEST_ASSERT_SUCCESS(fail_probe(&bed));
	for (n = 1; n < MAX_COMMANDS && has_failed; n++) {
		TEST_ASSERT_SUCCESS(queue_release_fail(&bed, n, &kept, &has_failed));
		nb_kept += kept >= ring_size;
	}
	TEST_ASSERT(!has_failed);
	/* What could not be deregistered has been since. */
	TEST_ASSERT(kept <= 0);
	/* QP, CQ and umem. */
	TEST_ASSERT_EQUAL(nb_kept, 3);
	TEST_ASSERT_SUCCESS(fail_close(&bed));
	TEST_ASSERT_EQUAL(allocated(), before);
	return TEST_SUCCESS;
}

/* The same if the device does not even let go of them when it is closed. */
AT_CASE(command, rings_are_free_when_the_device_is_closed)
{
	bool is_kept, has_failed = true;
	struct fail_bed bed;
	int status;

	TEST_NEED(bed_enter(env, &bed));
	const int64_t before = allocated();
	for (unsigned int n = 1; n < MAX_COMMANDS && has_failed; n++) {
		TEST_ASSERT_SUCCESS(fail_probe(&bed));
		TEST_ASSERT_SUCCESS(fail_configure(&bed));
		TEST_ASSERT_SUCCESS(fail_loopback_setup(&bed));
		TEST_ASSERT_SUCCESS(with_failure(&bed, fail_configure, 1, &status, &is_kept));
		TEST_ASSERT(is_kept);
		TEST_ASSERT_SUCCESS(with_failure(&bed, fail_close, n, &status, &has_failed));
		TEST_ASSERT_SUCCESS(status);
		TEST_ASSERT_EQUAL(allocated(), before);
	}
	TEST_ASSERT(!has_failed);
	return TEST_SUCCESS;
}

#define NB_SHARING 64u

/* Registering is slow below kernels that need memory kept out of children: queues share. */
AT_CASE(command, queues_share_registered_memory)
{
	const struct rte_umr_queue_conf queue_conf = {
		.transport = RTE_UMR_TRANSPORT_LOOPBACK, .nb_desc = 64, .nb_list_entries = 128,
		.socket_id = -1,
	};
	const struct rte_umr_dev_conf conf = { .nb_queues = NB_SHARING };
	struct at_device_stats before, after;
	struct fail_bed bed;

	TEST_NEED(bed_enter(env, &bed));
	TEST_ASSERT_SUCCESS(fail_probe(&bed));
	const int16_t dev_id = bed.side->dev_id;
	TEST_ASSERT_SUCCESS(rte_umr_dev_configure(dev_id, &conf));
	TEST_ASSERT_SUCCESS(at_device_stats(&before));
	for (uint16_t q = 0; q < NB_SHARING; q++)
		TEST_ASSERT_SUCCESS(rte_umr_queue_setup(dev_id, q, &queue_conf));
	TEST_ASSERT_SUCCESS(at_device_stats(&after));
	printf("    %u queues: %" PRIu64 " umems, %" PRIu64 " regions\n", NB_SHARING,
	       after.nb_umems - before.nb_umems, after.nb_mkeys - before.nb_mkeys);
	/* Memory doubles with each of them. */
	TEST_ASSERT(after.nb_umems - before.nb_umems <= 1 + rte_log2_u32(NB_SHARING));
	TEST_ASSERT(after.nb_mkeys - before.nb_mkeys <= 1 + rte_log2_u32(NB_SHARING));
	/* They go with the last queue. */
	TEST_ASSERT_SUCCESS(rte_umr_dev_configure(dev_id, &conf));
	TEST_ASSERT_SUCCESS(at_device_stats(&after));
	TEST_ASSERT_EQUAL(after.nb_umems, before.nb_umems);
	TEST_ASSERT_EQUAL(after.nb_mkeys, before.nb_mkeys);
	return fail_close(&bed);
}

/* Bytes of the default number of list entries. */
#define LISTS_SIZE ((int64_t)RTE_UMR_DEFAULT_LIST_ENTRIES * 16)

/* Memory of the default size for lists is not reserved before there are keys that may need it. */
AT_CASE(command, lists_take_memory_with_long_keys)
{
	const struct rte_umr_queue_conf queue_conf = { .nb_desc = 64, .socket_id = -1 };
	const struct rte_umr_dev_conf conf = { .nb_queues = 2 };
	struct rte_umr_mkey_pool_conf pool_conf = {
		.nb_mkeys = 1, .max_entries = 40, .socket_id = -1,
	};
	struct rte_umr_mkey_pool *pool;
	struct fail_bed bed;

	TEST_NEED(bed_enter(env, &bed));
	TEST_ASSERT_SUCCESS(fail_probe(&bed));
	const int16_t dev_id = bed.side->dev_id;
	TEST_ASSERT_SUCCESS(rte_umr_dev_configure(dev_id, &conf));
	const int64_t before = allocated();
	TEST_ASSERT_SUCCESS(rte_umr_queue_setup(dev_id, 0, &queue_conf));
	pool = rte_umr_mkey_pool_create(dev_id, &pool_conf);
	TEST_ASSERT(pool != NULL && allocated() - before < LISTS_SIZE);
	TEST_ASSERT_SUCCESS(rte_umr_mkey_pool_destroy(pool));
	pool_conf.max_entries = 41;
	pool = rte_umr_mkey_pool_create(dev_id, &pool_conf);
	TEST_ASSERT(pool != NULL && allocated() - before >= LISTS_SIZE);
	TEST_ASSERT_SUCCESS(rte_umr_mkey_pool_destroy(pool));
	/* From then on each queue has it. */
	TEST_ASSERT_SUCCESS(rte_umr_queue_setup(dev_id, 1, &queue_conf));
	TEST_ASSERT(allocated() - before >= 2 * LISTS_SIZE);
	return fail_close(&bed);
}

/*
 * Change a region in a PD with the n-th command failing, then free the PD and close. *is_busy: the
 * PD could not be freed, as the kernel still had the key that the region had before.
 */
static int
pd_of_region_fail(struct fail_bed *bed, unsigned int n, bool *is_busy, bool *has_failed)
{
	struct rte_umr_mr_conf conf = { .addr = bed->side->buf, .len = AT_BUF_LEN };
	int ret;

	TEST_ASSERT_SUCCESS(fail_probe(bed));
	struct rte_umr_pd *const pd = TEST_NOT_NULL(rte_umr_pd_alloc(bed->side->dev_id));
	conf.pd = pd;
	bed->mr = rte_umr_mr_register(bed->side->dev_id, &conf);
	TEST_ASSERT(bed->mr != NULL);
	TEST_ASSERT_SUCCESS(with_failure(bed, fail_mr_access_change, n, &ret, has_failed));
	TEST_ASSERT_SUCCESS(rte_umr_mr_deregister(bed->mr));
	ret = rte_umr_pd_free(pd);
	*is_busy = ret == -EBUSY;
	if (!*is_busy)
		TEST_ASSERT_SUCCESS(ret);
	return fail_close(bed);
}

/* It goes with the device, and what the driver knew of it is not lost. */
AT_CASE(command, pd_that_stays_does_not_keep_the_device)
{
	struct at_device_stats before, after;
	bool is_busy, has_failed = true;
	unsigned int nb_busy = 0, n;
	struct fail_bed bed;

	TEST_NEED(bed_enter(env, &bed));
	TEST_ASSERT_SUCCESS(bed_warm_up(&bed));
	TEST_ASSERT_SUCCESS(at_device_stats(&before));
	for (n = 1; n < MAX_COMMANDS && has_failed; n++) {
		TEST_ASSERT_SUCCESS(pd_of_region_fail(&bed, n, &is_busy, &has_failed));
		nb_busy += is_busy;
	}
	TEST_ASSERT(!has_failed);
	/* DESTROY_MKEY */
	TEST_ASSERT_EQUAL(nb_busy, 1);
	TEST_ASSERT_SUCCESS(at_device_stats(&after));
	TEST_ASSERT_EQUAL(after.nb_objects, before.nb_objects);
	rte_free(bed.side->buf);
	bed.side->buf = NULL;
	return TEST_SUCCESS;
}
