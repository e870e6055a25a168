/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Memory windows: what a peer can do through them, and when it no longer can. */

#include <string.h>

#include "autotest.h"
#include "env.h"

#define WINDOW	(AT_BUF_LEN / 2)	/* offset of what windows show */
#define LEN	4096u
#define READ_WRITE (RTE_UMR_ACCESS_REMOTE_READ | RTE_UMR_ACCESS_REMOTE_WRITE)

/*
 * A region of the receiving side for windows: all of its memory, and nothing a peer could do to it
 * without one. And the window.
 */
struct mw_bed {
	struct rte_umr_mr *mr;
	struct rte_umr_mw *mw;
};

static int
bed_fini(struct mw_bed *bed)
{
	int ret = rte_umr_mw_destroy(bed->mw);
	int err = rte_umr_mr_deregister(bed->mr);

	return ret != 0 ? ret : err;
}

static int
bed_init(struct mw_bed *bed, struct at_env *env, enum rte_umr_mw_type type)
{
	bed->mr = at_mr_register(env->rx->dev_id, env->rx->buf, AT_BUF_LEN,
				 RTE_UMR_ACCESS_LOCAL_WRITE | RTE_UMR_ACCESS_MW_BIND, 0);
	TEST_ASSERT(bed->mr != NULL);
	bed->mw = rte_umr_mw_create(env->rx->dev_id, NULL, type);
	TEST_ASSERT(bed->mw != NULL);
	return TEST_SUCCESS;
}

static struct rte_umr_mw_range
range_of(const struct at_env *env, const struct mw_bed *bed, uint32_t access)
{
	return (struct rte_umr_mw_range){
		.mr = bed->mr, .addr = at_addr(env->rx, WINDOW), .length = LEN, .access = access,
	};
}

/* An operation on the window is alone on the queue of the receiving side; it ends so. */
static int
rx_finish(struct at_env *env, enum rte_umr_op_type op, enum rte_umr_status status)
{
	struct rte_umr_completion done;

	TEST_ASSERT_SUCCESS(rte_umr_submit(env->rx->dev_id, env->rx_queue));
	TEST_ASSERT_EQUAL(at_collect(env->rx->dev_id, env->rx_queue, &done, 1), 1);
	TEST_ASSERT_EQUAL(done.op, op);
	TEST_ASSERT_EQUAL(done.status, status);
	return TEST_SUCCESS;
}

static int
bind(struct at_env *env, struct mw_bed *bed, uint32_t access)
{
	const struct rte_umr_mw_range range = range_of(env, bed, access);
	const uint32_t key = bed->mw->rkey;

	TEST_ACCEPT(rte_umr_mw_bind(env->rx->dev_id, env->rx_queue, bed->mw, &range, 0));
	TEST_ASSERT(bed->mw->rkey != key);
	TEST_ASSERT_EQUAL(bed->mw->rkey >> 8, key >> 8);
	return rx_finish(env, RTE_UMR_OP_MW_BIND, RTE_UMR_STATUS_SUCCESS);
}

static int
invalidate(struct at_env *env, struct mw_bed *bed)
{
	TEST_ACCEPT(rte_umr_mw_invalidate(env->rx->dev_id, env->rx_queue, bed->mw, 0));
	return rx_finish(env, RTE_UMR_OP_MW_INVALIDATE, RTE_UMR_STATUS_SUCCESS);
}

/* Write LEN bytes through a key; how does it end, and are they there? */
static int
write_through(struct at_env *env, uint32_t rkey, uint64_t addr, enum rte_umr_status status)
{
	const struct rte_umr_seg local = at_seg(env->tx, 100, LEN);
	uint8_t before[LEN];

	at_fill(env);
	memcpy(before, env->rx->buf + WINDOW, LEN);
	TEST_ACCEPT(rte_umr_write(env->tx->dev_id, 0, &local, addr, rkey, 0));
	TEST_ASSERT_SUCCESS(at_finish_status(env, 1, status));
	TEST_ASSERT_SAME(env->rx->buf + WINDOW, status == RTE_UMR_STATUS_SUCCESS ? env->tx->buf +
			 100 : before, LEN);
	return TEST_SUCCESS;
}

static int
window_works(struct at_env *env, struct mw_bed *bed)
{
	const struct rte_umr_seg back = at_seg(env->tx, 0x4000, LEN);
	const uint64_t addr = at_addr(env->rx, WINDOW);

	TEST_ASSERT_SUCCESS(bind(env, bed, READ_WRITE));
	TEST_ASSERT_SUCCESS(write_through(env, bed->mw->rkey, addr, RTE_UMR_STATUS_SUCCESS));
	TEST_ACCEPT(rte_umr_read(env->tx->dev_id, 0, &back, addr, bed->mw->rkey, 0));
	TEST_ASSERT_SUCCESS(at_finish(env, 1));
	TEST_ASSERT_SAME(env->tx->buf + 0x4000, env->tx->buf + 100, LEN);
	/* Unbound, it does not work; bound again, it does. */
	TEST_ASSERT_SUCCESS(invalidate(env, bed));
	TEST_ASSERT_SUCCESS(bind(env, bed, RTE_UMR_ACCESS_REMOTE_WRITE));
	TEST_ASSERT_SUCCESS(write_through(env, bed->mw->rkey, addr, RTE_UMR_STATUS_SUCCESS));
	TEST_ASSERT_SUCCESS(invalidate(env, bed));
	return write_through(env, bed->mw->rkey, addr, RTE_UMR_STATUS_REMOTE_ACCESS);
}

/* What else ends a transfer; each is the end of a queue, so each has a bed of its own. */
static int
write_beyond_fails(struct at_env *env, struct mw_bed *bed)
{
	TEST_ASSERT_SUCCESS(bind(env, bed, READ_WRITE));
	return write_through(env, bed->mw->rkey, at_addr(env->rx, WINDOW + 1),
			     RTE_UMR_STATUS_REMOTE_ACCESS);
}

static int
write_without_the_right_fails(struct at_env *env, struct mw_bed *bed)
{
	TEST_ASSERT_SUCCESS(bind(env, bed, RTE_UMR_ACCESS_REMOTE_READ));
	return write_through(env, bed->mw->rkey, at_addr(env->rx, WINDOW),
			     RTE_UMR_STATUS_REMOTE_ACCESS);
}

static int
write_through_the_old_value_fails(struct at_env *env, struct mw_bed *bed)
{
	TEST_ASSERT_SUCCESS(bind(env, bed, READ_WRITE));
	const uint32_t old = bed->mw->rkey;
	if (bed->mw->type == RTE_UMR_MW_TYPE_2B)
		TEST_ASSERT_SUCCESS(invalidate(env, bed));
	TEST_ASSERT_SUCCESS(bind(env, bed, READ_WRITE));
	return write_through(env, old, at_addr(env->rx, WINDOW), RTE_UMR_STATUS_REMOTE_ACCESS);
}

/* The region itself has not been opened to the peer. */
static int
write_through_the_region_fails(struct at_env *env, struct mw_bed *bed)
{
	TEST_ASSERT_SUCCESS(bind(env, bed, READ_WRITE));
	return write_through(env, bed->mr->rkey, at_addr(env->rx, WINDOW),
			     RTE_UMR_STATUS_REMOTE_ACCESS);
}

/* Each case for each type between each pair of queues. */
static int
each(struct at_env *env, int (*run)(struct at_env *env, struct mw_bed *bed))
{
	static const enum rte_umr_mw_type types[] = { RTE_UMR_MW_TYPE_1, RTE_UMR_MW_TYPE_2B };
	struct at_conf conf = { 0 };
	int ret;

	for (unsigned int i = 0; i < RTE_DIM(types); i++) {
		for (conf.topology = 0; conf.topology < AT_NB_TOPOLOGIES; conf.topology++) {
			struct mw_bed bed = { 0 };

			ret = at_env_build(env, &conf);
			if (ret == TEST_SKIPPED) {
				TEST_ASSERT_SUCCESS(at_env_fini(env));
				continue;
			}
			TEST_ASSERT_SUCCESS(ret);
			ret = bed_init(&bed, env, types[i]);
			if (ret == TEST_SUCCESS)
				ret = run(env, &bed);
			TEST_ASSERT_SUCCESS(bed_fini(&bed));
			if (ret != TEST_SUCCESS)
				TEST_FAIL_AT("type %d between %s", (int)types[i],
					     at_topology_name(conf.topology));
			TEST_ASSERT_SUCCESS(at_env_fini(env));
		}
	}
	return TEST_SUCCESS;
}

#define EACH(name, function) AT_CASE_CALL(mw, name, each(env, function))

EACH(peer_works_through_a_window_while_it_is_bound, window_works)
EACH(write_beyond_a_window_fails, write_beyond_fails)
EACH(write_through_a_window_for_reads_fails, write_without_the_right_fails)
EACH(old_value_of_a_window_fails, write_through_the_old_value_fails)
EACH(region_of_a_window_stays_closed, write_through_the_region_fails)

/* Run with a window of a type. */
static int
with_window(struct at_env *env, enum at_topology topology, enum rte_umr_mw_type type,
	    int (*run)(struct at_env *env, struct mw_bed *bed))
{
	struct mw_bed bed = { 0 };
	int ret;

	AT_BUILD(env, .topology = topology);
	ret = bed_init(&bed, env, type);
	if (ret == TEST_SUCCESS)
		ret = run(env, &bed);
	TEST_ASSERT_SUCCESS(bed_fini(&bed));
	return ret;
}

static int
bind_type_2b_twice(struct at_env *env, struct mw_bed *bed)
{
	const struct rte_umr_mw_range range = range_of(env, bed, READ_WRITE);

	TEST_ASSERT_SUCCESS(bind(env, bed, READ_WRITE));
	TEST_ACCEPT(rte_umr_mw_bind(env->rx->dev_id, env->rx_queue, bed->mw, &range, 0));
	return rx_finish(env, RTE_UMR_OP_MW_BIND, RTE_UMR_STATUS_MKEY_CONFIG);
}

AT_CASE_CALL(mw, bind_of_a_bound_window_of_type_2b_fails,
	with_window(env, AT_SAME_DEVICE, RTE_UMR_MW_TYPE_2B, bind_type_2b_twice))

/* Bound by one queue, invalidated by the other one. */
static int
invalidate_over_the_wrong_queue(struct at_env *env, struct mw_bed *bed)
{
	TEST_ASSERT_SUCCESS(bind(env, bed, READ_WRITE));
	TEST_ACCEPT(rte_umr_mw_invalidate(env->tx->dev_id, 0, bed->mw, 0));
	return at_finish_status(env, 1, RTE_UMR_STATUS_MKEY_CONFIG);
}

AT_CASE_CALL(mw, window_of_type_2b_belongs_to_its_queue,
	with_window(env, AT_SAME_DEVICE, RTE_UMR_MW_TYPE_2B, invalidate_over_the_wrong_queue))

static int
peer_invalidates(struct at_env *env, struct mw_bed *bed)
{
	const struct rte_umr_seg to = at_seg(env->rx, 0, 512), data = at_seg(env->tx, 0, 200);
	struct rte_umr_completion done;

	TEST_ASSERT_SUCCESS(bind(env, bed, READ_WRITE));
	TEST_ASSERT_EQUAL(rte_umr_recv(env->rx->dev_id, env->rx_queue, &to, 1, 0), 0);
	TEST_ACCEPT(rte_umr_send_inv(env->tx->dev_id, 0, &data, bed->mw->rkey, 0));
	TEST_ASSERT_SUCCESS(at_finish(env, 1));
	TEST_ASSERT_EQUAL(at_collect_recv(env->rx->dev_id, env->rx_queue, &done, 1), 1);
	TEST_ASSERT_EQUAL(done.flags, RTE_UMR_COMPLETION_F_INVALIDATED);
	TEST_ASSERT_EQUAL(done.invalidated, bed->mw->rkey);
	/* It is unbound now. */
	TEST_ASSERT_SUCCESS(bind(env, bed, READ_WRITE));
	TEST_ASSERT_SUCCESS(write_through(env, bed->mw->rkey, at_addr(env->rx, WINDOW),
					  RTE_UMR_STATUS_SUCCESS));
	return write_through(env, done.invalidated, at_addr(env->rx, WINDOW),
			     RTE_UMR_STATUS_REMOTE_ACCESS);
}

AT_CASE_CALL(mw, peer_invalidates_a_window_of_type_2b,
	with_window(env, AT_SAME_DEVICE, RTE_UMR_MW_TYPE_2B, peer_invalidates))

static int
zero_based(struct at_env *env, struct mw_bed *bed)
{
	struct rte_umr_mw_range range = range_of(env, bed, RTE_UMR_ACCESS_REMOTE_WRITE);

	range.flags = RTE_UMR_MW_BIND_F_ZERO_BASED;
	TEST_ACCEPT(rte_umr_mw_bind(env->rx->dev_id, env->rx_queue, bed->mw, &range, 0));
	TEST_ASSERT_SUCCESS(rx_finish(env, RTE_UMR_OP_MW_BIND, RTE_UMR_STATUS_SUCCESS));
	TEST_ASSERT_SUCCESS(write_through(env, bed->mw->rkey, 0, RTE_UMR_STATUS_SUCCESS));
	return write_through(env, bed->mw->rkey, 1, RTE_UMR_STATUS_REMOTE_ACCESS);
}

AT_CASE_CALL(mw, zero_based_window_starts_at_0,
	with_window(env, AT_SAME_DEVICE, RTE_UMR_MW_TYPE_2B, zero_based))

static int
atomic_through(struct at_env *env, struct mw_bed *bed)
{
	const struct rte_umr_seg local = at_seg(env->tx, 0, RTE_UMR_ATOMIC_LEN);
	const uint64_t addr = at_addr(env->rx, WINDOW + 8);
	uint64_t value = 41;

	memcpy(env->rx->buf + WINDOW + 8, &value, sizeof(value));
	TEST_ASSERT_SUCCESS(bind(env, bed, RTE_UMR_ACCESS_REMOTE_ATOMIC));
	TEST_ACCEPT(rte_umr_fetch_add(env->tx->dev_id, 0, &local, addr, bed->mw->rkey, 1, 0));
	TEST_ASSERT_SUCCESS(at_finish(env, 1));
	memcpy(&value, env->rx->buf + WINDOW + 8, sizeof(value));
	TEST_ASSERT_EQUAL(value, 42);
	return write_through(env, bed->mw->rkey, at_addr(env->rx, WINDOW),
			     RTE_UMR_STATUS_REMOTE_ACCESS);
}

AT_CASE_CALL(mw, atomics_work_through_windows,
	with_window(env, AT_SAME_DEVICE, RTE_UMR_MW_TYPE_1, atomic_through))

/* A bad bind: what is wrong with it, and what it gives. */
static int
bad_bind(struct at_env *env, struct mw_bed *bed, struct rte_umr_mw_range range, uint64_t flags,
	 int ret)
{
	const uint32_t key = bed->mw->rkey;
	const uint16_t room = rte_umr_desc_avail(env->rx->dev_id, env->rx_queue);

	TEST_ASSERT_EQUAL(rte_umr_mw_bind(env->rx->dev_id, env->rx_queue, bed->mw, &range, flags),
			  ret);
	TEST_ASSERT_EQUAL(bed->mw->rkey, key);
	TEST_ASSERT_EQUAL(rte_umr_desc_avail(env->rx->dev_id, env->rx_queue), room);
	return TEST_SUCCESS;
}

static int
bad_binds(struct at_env *env, struct mw_bed *bed)
{
	const struct rte_umr_mw_range good = range_of(env, bed, READ_WRITE);
	const struct rte_umr_mr was = *bed->mr;

	TEST_BAD(good, length, 0, bad_bind(env, bed, bad, 0, -EINVAL), 0);
	TEST_BAD(good, length, RTE_UMR_MAX_MW_LEN + 1, bad_bind(env, bed, bad, 0, -ERANGE), 0);
	TEST_BAD(good, length, AT_BUF_LEN - WINDOW + 1, bad_bind(env, bed, bad, 0, -EINVAL), 0);
	TEST_BAD(good, addr, at_addr(env->rx, 0) - 1, bad_bind(env, bed, bad, 0, -EINVAL), 0);
	TEST_BAD(good, addr, UINT64_MAX, bad_bind(env, bed, bad, 0, -EINVAL), 0);
	TEST_BAD(good, access, good.access | RTE_UMR_ACCESS_LOCAL_WRITE,
		 bad_bind(env, bed, bad, 0, -EINVAL), 0);
	TEST_BAD(good, flags, RTE_BIT32(9), bad_bind(env, bed, bad, 0, -EINVAL), 0);
	TEST_BAD(good, reserved[1], 1, bad_bind(env, bed, bad, 0, -EINVAL), 0);
	/* Type 1 shows addresses of its region. */
	TEST_BAD(good, flags, RTE_UMR_MW_BIND_F_ZERO_BASED, bad_bind(env, bed, bad, 0, -EINVAL), 0);
	TEST_BAD(good, mr, env->rx->mr, bad_bind(env, bed, bad, 0, -EACCES), 0);
	bed->mr->access = RTE_UMR_ACCESS_MW_BIND;
	TEST_ASSERT_SUCCESS(bad_bind(env, bed, good, 0, -EACCES));
	*bed->mr = was;
	bed->mr->dev_id++;
	TEST_ASSERT_SUCCESS(bad_bind(env, bed, good, 0, -EXDEV));
	*bed->mr = was;
	bed->mr->pd = (struct rte_umr_pd *)bed;
	TEST_ASSERT_SUCCESS(bad_bind(env, bed, good, 0, -EXDEV));
	*bed->mr = was;
	TEST_ASSERT_SUCCESS(bad_bind(env, bed, good, RTE_UMR_OP_F_INLINE, -EINVAL));
	TEST_ASSERT_EQUAL(rte_umr_mw_invalidate(env->rx->dev_id, env->rx_queue, bed->mw,
						RTE_BIT64(17)), -EINVAL);
	return bind(env, bed, READ_WRITE);
}

AT_CASE_CALL(mw, bad_binds_are_rejected,
	with_window(env, AT_SAME_DEVICE, RTE_UMR_MW_TYPE_1, bad_binds))

static int
window_of_another_device(struct at_env *env, struct mw_bed *bed)
{
	struct rte_umr_mw_range range = range_of(env, bed, READ_WRITE);

	bed->mw->dev_id++;
	TEST_ASSERT_EQUAL(rte_umr_mw_bind(env->rx->dev_id, env->rx_queue, bed->mw, &range, 0),
			  -EXDEV);
	TEST_ASSERT_EQUAL(rte_umr_mw_invalidate(env->rx->dev_id, env->rx_queue, bed->mw, 0),
			  -EXDEV);
	bed->mw->dev_id--;
	/* A window keeps its device. */
	TEST_ASSERT_EQUAL(rte_umr_dev_close(env->rx->dev_id), -EBUSY);
	TEST_ASSERT_ERRNO(rte_umr_mw_create(env->rx->dev_id, NULL, 3), EINVAL);
	TEST_ASSERT_ERRNO(rte_umr_mw_create(-1, NULL, RTE_UMR_MW_TYPE_1), ENODEV);
	TEST_ASSERT_SUCCESS(rte_umr_mw_destroy(NULL));
	TEST_ASSERT_SUCCESS(rte_umr_dev_stop(env->rx->dev_id));
	TEST_ASSERT_EQUAL(rte_umr_mw_bind(env->rx->dev_id, 0, bed->mw, &range, 0), -ESHUTDOWN);
	TEST_ASSERT_EQUAL(rte_umr_mw_invalidate(env->rx->dev_id, 0, bed->mw, 0), -ESHUTDOWN);
	return TEST_SUCCESS;
}

AT_CASE_CALL(mw, windows_belong_to_their_device,
	with_window(env, AT_SAME_DEVICE, RTE_UMR_MW_TYPE_2B, window_of_another_device))

/* A bind that was flushed has done nothing: the window is as it was, under its old value. */
static int
flushed_bind(struct at_env *env, struct mw_bed *bed)
{
	const struct rte_umr_mw_range range = range_of(env, bed, RTE_UMR_ACCESS_REMOTE_READ);
	const struct rte_umr_seg bad = { .addr = 0, .length = 8, .lkey = 0x55555500 };
	const uint64_t addr = at_addr(env->rx, WINDOW);
	struct rte_umr_completion done[2];

	TEST_ASSERT_SUCCESS(bind(env, bed, READ_WRITE));
	const uint32_t key = bed->mw->rkey;
	TEST_ACCEPT(rte_umr_write(env->rx->dev_id, env->rx_queue, &bad, addr, key, 0));
	TEST_ACCEPT(rte_umr_mw_bind(env->rx->dev_id, env->rx_queue, bed->mw, &range,
				    RTE_UMR_OP_F_SUBMIT));
	TEST_ASSERT_EQUAL(at_collect(env->rx->dev_id, env->rx_queue, done, 2), 2);
	TEST_ASSERT_EQUAL(done[0].status, RTE_UMR_STATUS_LOCAL_PROT);
	TEST_ASSERT_EQUAL(done[1].status, RTE_UMR_STATUS_FLUSHED);
	TEST_ASSERT_SUCCESS(rte_umr_queue_recover(env->rx->dev_id, env->rx_queue));
	TEST_ASSERT_SUCCESS(write_through(env, key, addr, RTE_UMR_STATUS_SUCCESS));
	TEST_ASSERT_SUCCESS(invalidate(env, bed));
	TEST_ASSERT_SUCCESS(bind(env, bed, READ_WRITE));
	TEST_ASSERT_SUCCESS(write_through(env, bed->mw->rkey, addr, RTE_UMR_STATUS_SUCCESS));
	return write_through(env, key, addr, RTE_UMR_STATUS_REMOTE_ACCESS);
}

/* On a queue that is its own peer: it is the one that recovers. */
AT_CASE_CALL(mw, flushed_bind_leaves_the_window,
	with_window(env, AT_LOOPBACK, RTE_UMR_MW_TYPE_1, flushed_bind))
