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

#include "autotest.h"
#include "autotest_control.h"
#include "autotest_env.h"

/* More than any step has. */
#define MAX_COMMANDS	1000u
#define NB_KEYS		16u
#define NB_SIG_KEYS	3u

/* What the steps make of the first device. */
struct fail_bed {
	char name[RTE_UMR_DEV_NAME_LEN];
	struct rte_umr_dev_info info;
	struct at_side *side;
	struct rte_umr_mr *mr;
	struct rte_umr_mkey_pool *pool;
	struct rte_umr_mkey_pool *sig_pool;
	struct rte_umr_pd *pd;
	struct rte_umr_dek *dek;
	struct rte_umr_mw *mw;
};

struct fail_step {
	const char *name;
	uint64_t capa;		/* left out without these */
	int (*enter)(struct fail_bed *bed);
	/* NULL: nothing to undo, or the step behind does. */
	int (*leave)(struct fail_bed *bed);
	bool is_gone;		/* an error of leave is told, but the thing is gone */
	/* Some commands may fail: libmlx5 tries another way, or the state of the port is shown. */
	bool has_substitute;
	bool has_none;		/* no command of it must not fail */
	bool is_anew;		/* it begins by destroying what it makes anew */
};

static int
probe(struct fail_bed *bed)
{
	int ret = rte_umr_dev_probe(bed->name, &bed->side->dev_id);

	if (ret != 0)
		return ret;
	return rte_umr_dev_info_get(bed->side->dev_id, &bed->info);
}

static int
dev_close(struct fail_bed *bed)
{
	int ret = rte_umr_dev_close(bed->side->dev_id);

	if (ret == 0)
		bed->side->dev_id = -1;
	return ret;
}

static int
pd_alloc(struct fail_bed *bed)
{
	bed->pd = rte_umr_pd_alloc(bed->side->dev_id);
	return bed->pd == NULL ? -rte_errno : 0;
}

static int
pd_free(struct fail_bed *bed)
{
	return rte_umr_pd_free(bed->pd);
}

static int
mr_register(struct fail_bed *bed)
{
	bed->mr = rte_umr_mr_register(bed->side->dev_id, bed->side->buf, AT_BUF_LEN,
				      bed->info.access_capa, 0);
	return bed->mr == NULL ? -rte_errno : 0;
}

static int
mr_deregister(struct fail_bed *bed)
{
	return rte_umr_mr_deregister(bed->mr);
}

static int
pool_create(struct fail_bed *bed)
{
	const struct rte_umr_mkey_pool_conf conf = {
		.nb_mkeys = NB_KEYS,
		.max_entries = 52,
		.socket_id = -1,
	};

	bed->pool = rte_umr_mkey_pool_create(bed->side->dev_id, &conf);
	return bed->pool == NULL ? -rte_errno : 0;
}

/* Two values of a signature for each key, in front of the key. */
static int
sig_pool_create(struct fail_bed *bed)
{
	const struct rte_umr_mkey_pool_conf conf = {
		.nb_mkeys = NB_SIG_KEYS,
		.max_entries = 4,
		.flags = RTE_UMR_MKEY_POOL_F_SIG,
		.socket_id = -1,
	};

	bed->sig_pool = rte_umr_mkey_pool_create(bed->side->dev_id, &conf);
	return bed->sig_pool == NULL ? -rte_errno : 0;
}

static int
sig_pool_destroy(struct fail_bed *bed)
{
	return rte_umr_mkey_pool_destroy(bed->sig_pool);
}

static int
pool_destroy(struct fail_bed *bed)
{
	return rte_umr_mkey_pool_destroy(bed->pool);
}

static int
dek_create(struct fail_bed *bed)
{
	uint8_t key[32];
	const struct rte_umr_dek_conf conf = {
		.key = key,
		.key_len = sizeof(key),
		.size = RTE_UMR_DEK_128,
	};

	for (unsigned int i = 0; i < sizeof(key); i++)
		key[i] = (uint8_t)(i * 37 + 11);
	bed->dek = rte_umr_dek_create(bed->side->dev_id, &conf);
	return bed->dek == NULL ? -rte_errno : 0;
}

static int
dek_destroy(struct fail_bed *bed)
{
	return rte_umr_dek_destroy(bed->dek);
}

/* A loopback, two queues that are connected to each other; a DC initiator and a target. */
enum { LOOPBACK, RC, OTHER_RC, NB_QUEUES, DCI = NB_QUEUES, DCT, NB_QUEUES_WITH_DC };

static int
mw_create(struct fail_bed *bed)
{
	bed->mw = rte_umr_mw_create(bed->side->dev_id, NULL, RTE_UMR_MW_TYPE_2B);
	return bed->mw == NULL ? -rte_errno : 0;
}

static int
mw_destroy(struct fail_bed *bed)
{
	return rte_umr_mw_destroy(bed->mw);
}

static int
mkey_query(struct fail_bed *bed)
{
	struct rte_umr_mkey *mkey = rte_umr_mkey_get(bed->pool);
	struct rte_umr_mkey_attr attr;
	int ret = rte_umr_mkey_query(mkey, &attr);

	rte_umr_mkey_put(bed->pool, mkey);
	return ret;
}

static int
dev_configure(struct fail_bed *bed)
{
	bool has_dc = (bed->info.dev_capa & RTE_UMR_CAPA_DC) != 0;
	const struct rte_umr_dev_conf conf = {
		.nb_queues = has_dc ? NB_QUEUES_WITH_DC : NB_QUEUES,
	};

	return rte_umr_dev_configure(bed->side->dev_id, &conf);
}

static int
queue_setup(struct fail_bed *bed, uint16_t queue_id, enum rte_umr_transport transport)
{
	const struct rte_umr_queue_conf conf = {
		.transport = transport,
		.nb_desc = transport == RTE_UMR_TRANSPORT_DCT ? 0 : 64,
		.nb_recv_desc = transport == RTE_UMR_TRANSPORT_RC ||
				transport == RTE_UMR_TRANSPORT_DCT ? 16 : 0,
		.nb_sig_mkeys = (bed->info.dev_capa & RTE_UMR_CAPA_MKEY_SIG) != 0 ?
					NB_SIG_KEYS : 0,
		.socket_id = -1,
	};

	return rte_umr_queue_setup(bed->side->dev_id, queue_id, &conf);
}

static int
loopback_setup(struct fail_bed *bed)
{
	return queue_setup(bed, LOOPBACK, RTE_UMR_TRANSPORT_LOOPBACK);
}

static int
rc_setup(struct fail_bed *bed)
{
	return queue_setup(bed, RC, RTE_UMR_TRANSPORT_RC);
}

/* The new queue takes the place of the old one; if it cannot be made, the old one stays. */
static int
other_rc_setup(struct fail_bed *bed)
{
	return queue_setup(bed, OTHER_RC, RTE_UMR_TRANSPORT_RC);
}

static int
dci_setup(struct fail_bed *bed)
{
	return queue_setup(bed, DCI, RTE_UMR_TRANSPORT_DCI);
}

static int
dct_setup(struct fail_bed *bed)
{
	return queue_setup(bed, DCT, RTE_UMR_TRANSPORT_DCT);
}

static int
dev_start(struct fail_bed *bed)
{
	return rte_umr_dev_start(bed->side->dev_id);
}

static int
dev_stop(struct fail_bed *bed)
{
	return rte_umr_dev_stop(bed->side->dev_id);
}

static int
connect_to(struct fail_bed *bed, uint16_t queue_id, uint16_t peer)
{
	struct rte_umr_endpoint remote;
	int ret = rte_umr_queue_endpoint_get(bed->side->dev_id, peer, &remote);

	return ret != 0 ? ret : rte_umr_queue_connect(bed->side->dev_id, queue_id, &remote);
}

/* A connection that failed may leave the queue in error, which recovery ends. */
static int
queue_connect(struct fail_bed *bed)
{
	int ret = connect_to(bed, 1, 2);

	if (ret == -EIO && rte_umr_queue_recover(bed->side->dev_id, 1) != 0)
		return -ENOTRECOVERABLE;
	return ret;
}

static int
queue_recover(struct fail_bed *bed)
{
	return rte_umr_queue_recover(bed->side->dev_id, 1);
}

static int
queues_connect_again(struct fail_bed *bed)
{
	int ret = connect_to(bed, 1, 2);

	return ret != 0 ? ret : connect_to(bed, 2, 1);
}

/* It is destroyed and made anew. */
static int
target_recover(struct fail_bed *bed)
{
	return rte_umr_queue_recover(bed->side->dev_id, DCT);
}

static const struct fail_step steps[] = {
	{ .name = "probe", .enter = probe, .leave = dev_close, .has_substitute = true },
	{ .name = "pd", .capa = RTE_UMR_CAPA_PD, .enter = pd_alloc, .leave = pd_free },
	{ .name = "region", .enter = mr_register, .leave = mr_deregister,
	  .has_substitute = true },
	{ .name = "pool", .enter = pool_create, .leave = pool_destroy, .is_gone = true,
	  .has_substitute = true },
	{ .name = "pool with signatures", .capa = RTE_UMR_CAPA_MKEY_SIG,
	  .enter = sig_pool_create, .leave = sig_pool_destroy, .is_gone = true,
	  .has_substitute = true },
	{ .name = "DEK", .capa = RTE_UMR_CAPA_DEK_PLAIN, .enter = dek_create,
	  .leave = dek_destroy, .has_substitute = true },
	{ .name = "key query", .capa = RTE_UMR_CAPA_MKEY_QUERY, .enter = mkey_query },
	{ .name = "window", .capa = RTE_UMR_CAPA_MW_TYPE_2B, .enter = mw_create,
	  .leave = mw_destroy, .has_substitute = true },
	{ .name = "configure", .enter = dev_configure, .has_substitute = true,
	  .has_none = true },
	{ .name = "loopback", .enter = loopback_setup, .has_substitute = true },
	{ .name = "rc", .enter = rc_setup, .has_substitute = true },
	{ .name = "rc again", .enter = rc_setup, .has_substitute = true },
	{ .name = "other rc", .enter = other_rc_setup, .has_substitute = true },
	{ .name = "dci", .capa = RTE_UMR_CAPA_DC, .enter = dci_setup, .has_substitute = true },
	{ .name = "dct", .capa = RTE_UMR_CAPA_DC, .enter = dct_setup, .has_substitute = true },
	{ .name = "start", .enter = dev_start, .leave = dev_stop, .is_gone = true },
	{ .name = "connect", .enter = queue_connect },
	{ .name = "recover", .enter = queue_recover },
	{ .name = "recover target", .capa = RTE_UMR_CAPA_DC, .enter = target_recover,
	  .is_anew = true },
};

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
		if (after.nb_objects > before.nb_objects ||
		    (after.nb_objects < before.nb_objects && !step->is_anew))
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
	TEST_ASSERT(rte_umr_mkey_list(dev_id, 0, mkey, 0, &seg, 1, 0) >= 0);
	seg = at_key_seg(mkey, 0, 64);
	TEST_ASSERT(rte_umr_write(dev_id, 0, &seg, (uintptr_t)target, bed->mr->rkey,
				  RTE_UMR_OP_F_SUBMIT) >= 0);
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
	TEST_ASSERT_SUCCESS(probe(bed));
	TEST_ASSERT_SUCCESS(dev_close(bed));
	if (!at_has_control()) {
		printf("needs a software device\n");
		return TEST_SKIPPED;
	}
	return TEST_SUCCESS;
}

static int
every_command_can_fail(struct at_env *env)
{
	struct at_device_stats before, after;
	unsigned int nb_files, i;
	struct fail_bed bed;
	int ret = bed_enter(env, &bed);

	if (ret != TEST_SUCCESS)
		return ret;
	nb_files = nb_open_files_at_rest();
	TEST_ASSERT_SUCCESS(at_device_stats(&before));
	bed.side->buf = rte_zmalloc(NULL, AT_BUF_LEN, 4096);
	TEST_ASSERT(bed.side->buf != NULL);
	for (i = 0; i < RTE_DIM(steps); i++)
		if (!is_left_out(&bed, &steps[i]))
			TEST_ASSERT_SUCCESS(step_enter(&bed, &steps[i]));
	TEST_ASSERT_SUCCESS(queues_connect_again(&bed));
	for (i = RTE_DIM(steps); i-- > 0;) {
		if (steps[i].enter == dev_start)
			TEST_ASSERT_SUCCESS(bytes_move(&bed));
		if (!is_left_out(&bed, &steps[i]) && steps[i].leave != NULL)
			TEST_ASSERT_SUCCESS(step_leave(&bed, &steps[i]));
	}
	rte_free(bed.side->buf);
	bed.side->buf = NULL;
	TEST_ASSERT_SUCCESS(at_device_stats(&after));
	/* A context that the kernel could not destroy, with the last command of all, stays. */
	TEST_ASSERT(after.nb_objects <= before.nb_objects + 1);
	TEST_ASSERT_EQUAL(nb_open_files_at_rest(), nb_files);
	return TEST_SUCCESS;
}

static size_t
allocated(void)
{
	struct rte_malloc_socket_stats stats;
	size_t nb = 0;

	for (unsigned int i = 0; i < rte_socket_count(); i++)
		if (rte_malloc_get_socket_stats(rte_socket_id_by_idx(i), &stats) == 0)
			nb += stats.heap_allocsz_bytes;
	return nb;
}

/* Set up a loopback and release it, with the n-th command failing; bytes that stay allocated. */
static int
queue_release_fail(struct fail_bed *bed, unsigned int n, size_t *kept, bool *has_failed)
{
	size_t before;
	int ret;

	TEST_ASSERT_SUCCESS(dev_configure(bed));
	before = allocated();
	TEST_ASSERT_SUCCESS(loopback_setup(bed));
	TEST_ASSERT_SUCCESS(with_failure(bed, dev_configure, n, &ret, has_failed));
	TEST_ASSERT_SUCCESS(ret);
	*kept = allocated() - before;
	return TEST_SUCCESS;
}

/* Rings that the device may still write to are nobody else's memory, even if that costs some. */
static int
rings_stay_with_the_device(struct at_env *env)
{
	const size_t ring_size = 64 * 64;
	unsigned int n, nb_kept = 0;
	bool has_failed = true;
	struct fail_bed bed;
	size_t kept = 0;
	int ret = bed_enter(env, &bed);

	if (ret != TEST_SUCCESS)
		return ret;
	TEST_ASSERT_SUCCESS(probe(&bed));
	for (n = 1; n < MAX_COMMANDS && has_failed; n++) {
		TEST_ASSERT_SUCCESS(queue_release_fail(&bed, n, &kept, &has_failed));
		nb_kept += kept >= ring_size;
	}
	TEST_ASSERT(!has_failed);
	TEST_ASSERT_EQUAL(kept, 0);
	/* QP, CQ and umem. */
	TEST_ASSERT_EQUAL(nb_kept, 3);
	return dev_close(&bed);
}

static const struct autotest_case cases[] = {
	AUTOTEST_CASE(every_command_can_fail),
	AUTOTEST_CASE(rings_stay_with_the_device),
};

AUTOTEST_SUITE(command, cases);
