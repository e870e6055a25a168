/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* RTE_UMR_DEBUG: each check finds its fault, tells it once, and lets through what is right. */

#ifndef RTE_UMR_DEBUG
#define RTE_UMR_DEBUG
#endif

#include <pthread.h>

#include <rte_lcore.h>
#include <rte_log.h>
#include <rte_memory.h>
#include <rte_per_lcore.h>

#include "alloc.h"
#include "calls.h"
#include "fake.h"

#define NB_KEYS 3

/* A device with one queue, and keys that are out of their pool. */
static struct {
	int16_t id;
	struct rte_umr_mkey_pool *pool;
	struct rte_umr_mkey *mkeys[NB_KEYS];
	struct rte_umr_mw *mw;
	FILE *log;
	char *text;
	size_t text_len, seen_len;
} bed;

/* What the driver was called with last. */
static struct {
	unsigned int nb_calls;
	const char *op;
	const void *what;
	uint64_t number, flags;
	void (*inside)(void); /* to call from there */
} drv;

static int
called(const char *op, const void *what, uint64_t number, uint64_t flags)
{
	drv.nb_calls++;
	drv.op = op;
	drv.what = what;
	drv.number = number;
	drv.flags = flags;
	if (drv.inside != NULL)
		drv.inside();
	return 7;
}

static int
drv_mkey_list(void *queue __rte_unused, struct rte_umr_mkey *mkey, uint32_t access,
	      const struct rte_umr_seg *segs __rte_unused, uint32_t nb_segs, uint64_t flags)
{
	return called("mkey_list", mkey, (uint64_t)access << 32 | nb_segs, flags);
}

static int
drv_mkey_update(void *queue __rte_unused, struct rte_umr_mkey *mkey, uint32_t first,
		const struct rte_umr_seg *segs __rte_unused, uint32_t nb_segs, uint64_t flags)
{
	return called("mkey_update", mkey, (uint64_t)first << 32 | nb_segs, flags);
}

static int
drv_mkey_configure(void *queue __rte_unused, const struct rte_umr_mkey_op *op, uint64_t flags)
{
	return called("mkey_configure", op, 0, flags);
}

#define DRV_KEY_RDMA(name)                                                                         \
	static int drv_##name(void *queue __rte_unused, const struct rte_umr_mkey_op *op,          \
			      const struct rte_umr_rdma_op *rdma, uint64_t flags)                  \
	{                                                                                          \
		return called(#name, op, rdma->rkey, flags);                                       \
	}
DRV_KEY_RDMA(mkey_write)
DRV_KEY_RDMA(mkey_read)

static int
drv_mkey_invalidate(void *queue __rte_unused, struct rte_umr_mkey *mkey, uint64_t flags)
{
	return called("mkey_invalidate", mkey, 0, flags);
}

static int
drv_mkey_configure_burst(void *queue __rte_unused, const struct rte_umr_mkey_op *ops,
			 uint16_t nb_ops, uint64_t flags)
{
	called("mkey_configure_burst", ops, nb_ops, flags);
	return nb_ops;
}

static int
drv_mkey_invalidate_burst(void *queue __rte_unused, struct rte_umr_mkey *const *mkeys,
			  uint16_t nb_mkeys, uint64_t flags)
{
	called("mkey_invalidate_burst", mkeys, nb_mkeys, flags);
	return nb_mkeys;
}

/* Functions of a type that two operations have. */
#define DRV_RDMA(name)                                                                             \
	static int drv_##name(void *queue __rte_unused, const struct rte_umr_seg *local,           \
			      uint64_t remote_addr, uint32_t rkey, uint64_t flags)                 \
	{                                                                                          \
		return called(#name, local, remote_addr + rkey, flags);                            \
	}
DRV_RDMA(write)
DRV_RDMA(read)

#define DRV_BURST(name, type)                                                                      \
	static int drv_##name(void *queue __rte_unused, const struct type *what, uint16_t nb,      \
			      uint64_t flags)                                                      \
	{                                                                                          \
		return called(#name, what, nb, flags);                                             \
	}
DRV_BURST(write_burst, rte_umr_rdma_op)
DRV_BURST(read_burst, rte_umr_rdma_op)
DRV_BURST(send_burst, rte_umr_seg)
DRV_BURST(recv_burst, rte_umr_seg)

#define DRV_LIST(name)                                                                             \
	static int drv_##name(void *queue __rte_unused, const struct rte_umr_seg *segs,            \
			      uint32_t nb_segs, uint64_t remote_addr, uint32_t rkey,               \
			      uint64_t flags)                                                      \
	{                                                                                          \
		return called(#name, segs, nb_segs + remote_addr + rkey, flags);                   \
	}
DRV_LIST(write_list)
DRV_LIST(read_list)
DRV_LIST(write_sg)
DRV_LIST(read_sg)

static int
drv_send_list(void *queue, const struct rte_umr_seg *segs, uint32_t nb_segs, uint64_t flags)
{
	RTE_SET_USED(queue);
	return called("send_list", segs, nb_segs, flags);
}

#define DRV_STATUS(name)                                                                           \
	static uint16_t drv_##name(void *queue __rte_unused, uint16_t nb_max,                      \
				   struct rte_umr_completion *done)                                \
	{                                                                                          \
		return (uint16_t)called(#name, done, nb_max, 0);                                   \
	}
DRV_STATUS(completed_status)
DRV_STATUS(recv_completed)

static uint16_t
drv_completed(void *queue __rte_unused, uint16_t nb_max, uint16_t *last_idx, bool *has_error)
{
	*last_idx = 9;
	*has_error = true;
	return (uint16_t)called("completed", NULL, nb_max, 0);
}

#define DRV_QUERY(name)                                                                            \
	static uint16_t drv_##name(const void *queue __rte_unused)                                 \
	{                                                                                          \
		return (uint16_t)called(#name, NULL, 0, 0);                                        \
	}
DRV_QUERY(desc_avail)
DRV_QUERY(next_idx)
DRV_QUERY(recv_next_idx)

static int
drv_submit(void *queue __rte_unused)
{
	return called("submit", NULL, 0, 0);
}

static struct rte_umr_fp_ops drv_ops = {
	.mkey_list = drv_mkey_list, .mkey_update = drv_mkey_update,
	.mkey_configure = drv_mkey_configure, .mkey_configure_burst = drv_mkey_configure_burst,
	.mkey_write = drv_mkey_write, .mkey_read = drv_mkey_read,
	.mkey_invalidate = drv_mkey_invalidate, .mkey_invalidate_burst = drv_mkey_invalidate_burst,
	.write = drv_write, .write_burst = drv_write_burst, .write_list = drv_write_list,
	.write_sg = drv_write_sg,
	.read = drv_read, .read_burst = drv_read_burst, .read_list = drv_read_list,
	.read_sg = drv_read_sg,
	.send_burst = drv_send_burst, .send_list = drv_send_list, .recv_burst = drv_recv_burst,
	.completed = drv_completed, .completed_status = drv_completed_status,
	.recv_completed = drv_recv_completed, .desc_avail = drv_desc_avail,
	.next_idx = drv_next_idx, .recv_next_idx = drv_recv_next_idx, .submit = drv_submit,
};

static void
bed_start(void)
{
	fake_queues_setup(bed.id, 1);
	assert_int_equal(rte_umr_dev_start(bed.id), 0);
}

static int
setup(void **state)
{
	const struct rte_umr_mkey_pool_conf pool_conf = {
		.nb_mkeys = NB_KEYS, .max_entries = 4, .socket_id = SOCKET_ID_ANY,
	};

	test_alloc = (struct test_alloc){ 0 };
	memset(&drv, 0, sizeof(drv));
	fake_setup(state);
	rte_umr_driver_debug_set(true);
	rte_umr_driver_fp_ops_complete(&drv_ops);
	fake.fp_ops = &drv_ops;
	fake.more_capa = RTE_UMR_CAPA_MW_TYPE_1;
	bed.id = fake_probed();
	bed_start();
	bed.pool = rte_umr_mkey_pool_create(bed.id, &pool_conf);
	assert_non_null(bed.pool);
	assert_int_equal(rte_umr_mkey_get_bulk(bed.pool, bed.mkeys, NB_KEYS), 0);
	bed.mw = rte_umr_mw_create(bed.id, NULL, RTE_UMR_MW_TYPE_1);
	assert_non_null(bed.mw);
	bed.log = open_memstream(&bed.text, &bed.text_len);
	assert_non_null(bed.log);
	bed.seen_len = 0;
	return rte_openlog_stream(bed.log);
}

/* Some cases have put keys, or destroyed the pool. */
static int
teardown(void **state)
{
	for (unsigned int i = 0; i < NB_KEYS && bed.pool != NULL; i++)
		rte_umr_mkey_put(bed.pool, bed.mkeys[i]);
	rte_openlog_stream(NULL);
	fclose(bed.log);
	free(bed.text);
	rte_umr_mkey_pool_destroy(bed.pool);
	rte_umr_mw_destroy(bed.mw);
	return fake_teardown(state) != 0 || test_alloc.nb_live != 0;
}

/* Since the last call one line was logged, with these words, and the driver was not called. */
static void
check_found(const char *first, const char *second)
{
	const char *line;

	fflush(bed.log);
	line = bed.text + bed.seen_len;
	assert_non_null(strstr(line, first));
	assert_non_null(strstr(line, second));
	assert_ptr_equal(strchr(line, '\n'), bed.text + bed.text_len - 1);
	assert_int_equal(drv.nb_calls, 0);
	bed.seen_len = bed.text_len;
}

static void
check_silent(void)
{
	fflush(bed.log);
	assert_int_equal(bed.text_len, bed.seen_len);
}

static void
check_called(int ret, int expected, const char *op, const void *what, uint64_t number)
{
	assert_int_equal(ret, expected);
	assert_int_equal(drv.nb_calls, 1);
	assert_string_equal(drv.op, op);
	assert_ptr_equal(drv.what, what);
	assert_int_equal(drv.number, number);
	drv.nb_calls = 0;
}

/* A function of the data path, by its name. */
#define CALLED(expected, what, number, name, ...)                                                  \
	check_called(rte_umr_##name(bed.id, 0, __VA_ARGS__), expected, #name, what, number)

CASE_WITH(what_is_right_goes_to_its_function_of_the_driver, setup, teardown)
{
	struct rte_umr_mkey_op ops[2] = { { .mkey = bed.mkeys[0] }, { .mkey = bed.mkeys[1] } };
	const struct rte_umr_seg seg = { 0 };
	const struct rte_umr_rdma_op rdma = { .rkey = 3 };
	struct rte_umr_completion done;
	struct rte_umr_mkey *mkey = bed.mkeys[2];
	struct rte_umr_mkey_error error;
	bool has_error;
	uint16_t last;

	CALLED(7, mkey, UINT64_C(3) << 32 | 1, mkey_list, mkey, 3, &seg, 1, 2);
	assert_int_equal(drv.flags, 2);
	CALLED(7, mkey, UINT64_C(5) << 32 | 6, mkey_update, mkey, 5, &seg, 6, 0);
	CALLED(7, ops, 0, mkey_configure, ops, 0);
	CALLED(7, ops, 3, mkey_write, ops, &rdma, 0);
	CALLED(7, ops, 3, mkey_read, ops, &rdma, 0);
	CALLED(7, mkey, 0, mkey_invalidate, mkey, 0);
	CALLED(2, ops, 2, mkey_configure_burst, ops, 2, 0);
	CALLED(0, ops, 0, mkey_configure_burst, ops, 0, 0);
	CALLED(3, bed.mkeys, 3, mkey_invalidate_burst, bed.mkeys, 3, 0);
	CALLED(7, &seg, 12, write, &seg, 10, 2, 0);
	CALLED(7, &seg, 12, read, &seg, 10, 2, 0);
	CALLED(7, &rdma, 4, write_burst, &rdma, 4, 0);
	CALLED(7, &rdma, 4, read_burst, &rdma, 4, 0);
	CALLED(7, &seg, 4, send_burst, &seg, 4, 0);
	CALLED(7, &seg, 4, recv_burst, &seg, 4, 0);
	CALLED(7, &seg, 13, write_list, &seg, 1, 10, 2, 0);
	CALLED(7, &seg, 13, read_list, &seg, 1, 10, 2, 0);
	CALLED(7, &seg, 1, send_list, &seg, 1, 0);
	CALLED(7, &seg, 13, write_sg, &seg, 1, 10, 2, 0);
	CALLED(7, &seg, 13, read_sg, &seg, 1, 10, 2, 0);
	/* Without segments there is no array. */
	CALLED(7, NULL, 12, write_list, NULL, 0, 10, 2, 0);
	check_called(rte_umr_submit(bed.id, 0), 7, "submit", NULL, 0);
	CALLED(7, NULL, 8, completed, 8, &last, &has_error);
	assert_int_equal(last, 9);
	assert_true(has_error);
	CALLED(7, &done, 8, completed_status, 8, &done);
	CALLED(7, &done, 8, recv_completed, 8, &done);
	check_called(rte_umr_desc_avail(bed.id, 0), 7, "desc_avail", NULL, 0);
	check_called(rte_umr_next_idx(bed.id, 0), 7, "next_idx", NULL, 0);
	check_called(rte_umr_recv_next_idx(bed.id, 0), 7, "recv_next_idx", NULL, 0);
	/* The fake device has no signatures. */
	assert_int_equal(rte_umr_mkey_check(mkey, &error), -ESHUTDOWN);
	check_silent();
}

/* Whoever adds an operation finds it missing here. */
CASE_WITH(no_function_is_left_out, setup, teardown)
{
	const struct rte_umr_fp_ops *ops = rte_umr_fp_entry(fake.dev->dev_id, 0)->ops;
	rte_umr_submit_t op;

	assert_ptr_not_equal(ops, &drv_ops);
	for (size_t at = 0; at < offsetof(struct rte_umr_fp_ops, reserved); at += sizeof(op)) {
		memcpy(&op, (const uint8_t *)ops + at, sizeof(op));
		assert_true(op != NULL);
	}
}

/* A function of the data path reports the reason. */
#define REJECTED(why, name, ...)                                                                   \
	do {                                                                                       \
		assert_int_equal(rte_umr_##name(bed.id, 0, __VA_ARGS__), -EINVAL);                 \
		check_found(#name, why);                                                           \
	} while (0)

/* All functions that take one key. */
static void
check_key_rejected(struct rte_umr_mkey *mkey, const char *why)
{
	const struct rte_umr_mkey_op op = { .mkey = mkey };
	const struct rte_umr_interleaved entry = { 0 };
	const struct rte_umr_seg seg = { 0 };
	struct rte_umr_mkey_error error;

	REJECTED(why, mkey_list, mkey, 0, &seg, 1, 0);
	REJECTED(why, mkey_interleaved, mkey, 0, 1, &entry, 1, 0);
	REJECTED(why, mkey_update, mkey, 0, &seg, 1, 0);
	REJECTED(why, mkey_invalidate, mkey, 0);
	REJECTED(why, mkey_configure, &op, 0);
	REJECTED(why, mkey_configure_burst, &op, 1, 0);
	REJECTED(why, mkey_invalidate_burst, &mkey, 1, 0);
	assert_int_equal(rte_umr_mkey_check(mkey, &error), -EINVAL);
	check_found("mkey_check", why);
}

CASE_WITH(copy_of_a_key_is_rejected, setup, teardown)
{
	struct rte_umr_mkey copy = *bed.mkeys[0];

	check_key_rejected(&copy, "of no pool");
	check_key_rejected(NULL, "of no pool");
	/* Between two keys, and the head of their block. */
	check_key_rejected((struct rte_umr_mkey *)((uintptr_t)bed.mkeys[0] + 4), "of no pool");
	check_key_rejected(bed.mkeys[0] - 1, "of no pool");
	check_key_rejected(bed.mkeys[NB_KEYS - 1] + 1, "of no pool");
}

CASE_WITH(key_that_was_put_is_rejected, setup, teardown)
{
	rte_umr_mkey_put(bed.pool, bed.mkeys[1]);
	check_key_rejected(bed.mkeys[1], "in its pool");
}

/* Its memory is given back: nothing may be read there. */
CASE_WITH(key_of_a_pool_that_is_gone_is_not_followed, setup, teardown)
{
	rte_umr_mkey_put_bulk(bed.pool, bed.mkeys, NB_KEYS);
	assert_int_equal(rte_umr_mkey_pool_destroy(bed.pool), 0);
	bed.pool = NULL;
	check_key_rejected(bed.mkeys[0], "of no pool");
	/* No address of this program. */
	check_key_rejected((struct rte_umr_mkey *)(uintptr_t)16, "of no pool");
}

CASE_WITH(burst_stops_in_front_of_a_bad_key, setup, teardown)
{
	struct rte_umr_mkey copy = *bed.mkeys[1];
	struct rte_umr_mkey *mkeys[] = { bed.mkeys[0], bed.mkeys[2], &copy, bed.mkeys[1] };
	struct rte_umr_mkey_op ops[RTE_DIM(mkeys)] = { { 0 } };

	for (unsigned int i = 0; i < RTE_DIM(mkeys); i++)
		ops[i].mkey = mkeys[i];
	CALLED(2, ops, 2, mkey_configure_burst, ops, 4, 1);
	check_found("mkey_configure_burst", "of no pool");
	CALLED(2, mkeys, 2, mkey_invalidate_burst, mkeys, 4, 1);
	check_found("mkey_invalidate_burst", "of no pool");
}

/* What an array or a descriptor is to be, and is not there. */
CASE_WITH(null_is_rejected, setup, teardown)
{
	const struct rte_umr_mkey_op bare = {
		.mkey = bed.mkeys[0], .setters = RTE_UMR_MKEY_SET_LAYOUT, .nb_entries = 3,
	};
	const struct rte_umr_mkey_op whole = { .mkey = bed.mkeys[0] };
	const struct rte_umr_rdma_op rdma = { 0 };
	struct rte_umr_mkey *mkey = bed.mkeys[0];

	REJECTED("NULL", mkey_list, mkey, 0, NULL, 2, 0);
	REJECTED("NULL", mkey_interleaved, mkey, 0, 1, NULL, 2, 0);
	REJECTED("NULL", mkey_update, mkey, 0, NULL, 2, 0);
	REJECTED("NULL", mkey_configure, NULL, 0);
	REJECTED("NULL", mkey_configure, &bare, 0);
	REJECTED("NULL", mkey_write, NULL, &rdma, 0);
	REJECTED("NULL", mkey_write, &bare, &rdma, 0);
	REJECTED("NULL", mkey_read, &whole, NULL, 0);
	REJECTED("NULL", mkey_configure_burst, NULL, 2, 0);
	REJECTED("NULL", mkey_configure_burst, &bare, 1, 0);
	REJECTED("NULL", mkey_invalidate_burst, NULL, 2, 0);
	REJECTED("NULL", mw_bind, bed.mw, NULL, 0);
	REJECTED("NULL", write, NULL, 0, 0, 0);
	REJECTED("NULL", write_imm, NULL, 0, 0, 0, 0);
	REJECTED("NULL", read, NULL, 0, 0, 0);
	REJECTED("NULL", send, NULL, 0);
	REJECTED("NULL", send_imm, NULL, 0, 0);
	REJECTED("NULL", send_inv, NULL, 0, 0);
	REJECTED("NULL", fetch_add, NULL, 0, 0, 1, 0);
	REJECTED("NULL", cmp_swap, NULL, 0, 0, 1, 2, 0);
	REJECTED("NULL", recv, NULL, 2, 0);
	REJECTED("NULL", write_burst, NULL, 2, 0);
	REJECTED("NULL", read_burst, NULL, 2, 0);
	REJECTED("NULL", send_burst, NULL, 2, 0);
	REJECTED("NULL", recv_burst, NULL, 2, 0);
	REJECTED("NULL", write_list, NULL, 2, 0, 0, 0);
	REJECTED("NULL", read_list, NULL, 2, 0, 0, 0);
	REJECTED("NULL", send_list, NULL, 2, 0);
	REJECTED("NULL", write_sg, NULL, 2, 0, 0, 0);
	REJECTED("NULL", read_sg, NULL, 2, 0, 0, 0);
	REJECTED("NULL", dc_addr_set, NULL);
	assert_int_equal(rte_umr_completed_status(bed.id, 0, 2, NULL), 0);
	check_found("completed_status", "NULL");
	assert_int_equal(rte_umr_recv_completed(bed.id, 0, 2, NULL), 0);
	check_found("recv_completed", "NULL");
}

/* Nor is it followed. */
CASE_WITH(window_or_region_that_is_none_is_rejected, setup, teardown)
{
	const struct rte_umr_mw_range none = { 0 };
	const struct rte_umr_mw_range bad = { .mr = (struct rte_umr_mr *)(uintptr_t)64 };
	struct rte_umr_mw copy = *bed.mw;

	assert_int_equal(rte_umr_mw_bind(bed.id, 0, NULL, &none, 0), -EINVAL);
	check_found("is no memory window", "");
	assert_int_equal(rte_umr_mw_bind(bed.id, 0, &copy, &none, 0), -EINVAL);
	check_found("is no memory window", "");
	assert_int_equal(rte_umr_mw_bind(bed.id, 0, bed.mw, &bad, 0), -EINVAL);
	check_found("is no memory region", "");
	assert_int_equal(rte_umr_mw_invalidate(bed.id, 0, &copy, 0), -EINVAL);
	check_found("is no memory window", "");
}

static void
count_busy(const char *name __rte_unused, int ret, void *nb)
{
	*(int *)nb += ret == -EBUSY;
}

/* While another thread is in the queue. */
static void *
all_are_busy(void *arg)
{
	struct rte_umr_completion done;
	bool has_error = true;
	int16_t id = bed.id;
	int *nb = arg;

	RTE_PER_LCORE(_lcore_id) = 5;
	calls_enqueue(id, 0, bed.mkeys[0], bed.mw, count_busy, nb);
	*nb += rte_umr_submit(id, 0) == -EBUSY;
	*nb += rte_umr_completed(id, 0, 1, NULL, &has_error) == 0 && !has_error;
	*nb += rte_umr_completed_status(id, 0, 1, &done) == 0;
	*nb += rte_umr_recv_completed(id, 0, 1, &done) == 0;
	*nb += rte_umr_desc_avail(id, 0) == 0;
	*nb += rte_umr_next_idx(id, 0) == 0;
	*nb += rte_umr_recv_next_idx(id, 0) == 0;
	return NULL;
}

static int nb_busy;

static void
other_thread_tries(void)
{
	pthread_t thread;

	drv.inside = NULL;
	assert_int_equal(pthread_create(&thread, NULL, all_are_busy, &nb_busy), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
}

CASE_WITH(two_threads_in_a_queue_are_found, setup, teardown)
{
	unsigned int nb_lines = 0;
	const char *line;

	nb_busy = 0;
	RTE_PER_LCORE(_lcore_id) = 2;
	drv.inside = other_thread_tries;
	check_called(rte_umr_submit(bed.id, 0), 7, "submit", NULL, 0);
	assert_int_equal(nb_busy, RTE_UMR_FP_NB_OPS);
	fflush(bed.log);
	for (line = bed.text; *line != '\0'; line = strchr(line, '\n') + 1)
		nb_lines++;
	assert_int_equal(nb_lines, RTE_UMR_FP_NB_OPS);
	assert_non_null(strstr(bed.text, "queue 0: submit by lcore 5, thread"));
	assert_non_null(strstr(bed.text, "while lcore 2, thread"));
	/* One behind the other is right. */
	check_called(rte_umr_submit(bed.id, 0), 7, "submit", NULL, 0);
	RTE_PER_LCORE(_lcore_id) = LCORE_ID_ANY;
}

CASE_WITH(identifiers_out_of_range_are_none, setup, teardown)
{
	const struct rte_umr_seg seg = { 0 };

	assert_int_equal(rte_umr_write(-1, 0, &seg, 0, 0, 0), -ENODEV);
	check_found("device -1", "0 to 63");
	assert_int_equal(rte_umr_submit(RTE_UMR_MAX_DEVS, 0), -ENODEV);
	check_found("device 64", "0 to 63");
	assert_int_equal(rte_umr_submit(bed.id, RTE_UMR_MAX_QUEUES), -ENXIO);
	check_found("queue 1024", "0 to 1023");
	assert_int_equal(rte_umr_submit(bed.id, UINT16_MAX), -ENXIO);
	check_found("queue 65535", "0 to 1023");
	assert_int_equal(rte_umr_submit(bed.id + 1, UINT16_MAX), -ENODEV);
	check_found("queue 65535", "0 to 1023");
	assert_int_equal(rte_umr_desc_avail(INT16_MIN, 0), 0);
	check_found("device -32768", "0 to 63");
	/* Within the range these are told by the table, as without. */
	for (uint16_t queue = 1; queue < RTE_UMR_MAX_QUEUES; queue++)
		assert_int_equal(rte_umr_submit(bed.id, queue), -ENXIO);
	check_silent();
}

/* A device that was started without the checks, and then with them. */
CASE_WITH(checks_begin_with_the_start_of_a_device, setup, teardown)
{
	struct rte_umr_mkey copy = *bed.mkeys[0];

	rte_umr_driver_debug_set(false);
	assert_int_equal(rte_umr_dev_stop(bed.id), 0);
	bed_start();
	check_called(rte_umr_mkey_invalidate(bed.id, 0, &copy, 0), 7, "mkey_invalidate", &copy, 0);
	rte_umr_driver_debug_set(true);
	assert_int_equal(rte_umr_dev_stop(bed.id), 0);
	bed_start();
	assert_int_equal(rte_umr_mkey_invalidate(bed.id, 0, &copy, 0), -EINVAL);
	check_found("mkey_invalidate", "of no pool");
}

int
main(void)
{
	fake_register();
	rte_log_set_level_pattern("lib.umr", RTE_LOG_ERR);
	return cases_run(NULL, NULL);
}
