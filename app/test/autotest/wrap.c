/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Queues that have worked for long, on every transport: indices begin again, with failures behind
 * it, and every operation still comes back once, in order.
 */

#include "autotest.h"
#include "dc/dc.h"
#include "env.h"

#define TARGET		(AT_BUF_LEN / 2)
#define BAD_LKEY	0xdead0042u
/* Operations that are outstanding at most, of which two are no key's, fit the shortest ring. */
#define MAX_BURST	16u
/* Operations with a failure in each thousand. */
#define SOAK_OPS	(60 * test_nb_cases())
#define SOAK_PERIOD	1000u
/* Indices of operations, WQEBBs, submits and receives have 16 bits outside of the driver. */
#define WRAP		65536u
/* Operations in front of a wrap where failures begin. */
#define NB_AROUND	8u
/* A completion ring tells the device 24 bits of its index. */
#define CQ_WRAP		(1u << 24)
#define CQ_BURST	1024u
/* Receives that are posted together; a target holds no more. */
#define RECV_BURST	DC_NB_RECV

/** A queue at work. */
struct bed {
	struct at_env *env;
	struct at_side *target;
	struct dc dc;
	enum rte_umr_transport transport;
	struct rte_umr_mkey *mkey;
	uint32_t step;		/* of the cycle of operations, which begins again after an error */
	uint64_t nb_posted;	/* operations, failures among them, since the device was started */
	uint64_t nb_collected;
	uint64_t nb_errors;
	uint64_t nb_recoveries;
	uint16_t rx_queue;	/* takes what the queue sends */
	uint64_t nb_recv_posted;
	uint64_t nb_recv_collected;
	enum rte_umr_op_type types[2 * MAX_BURST];	/* of what is outstanding */
};

static const char *const transport_names[] = {
	[RTE_UMR_TRANSPORT_LOOPBACK] = "loopback",
	[RTE_UMR_TRANSPORT_RC] = "RC",
	[RTE_UMR_TRANSPORT_DCI] = "DCI",
};

static int
bed_build(struct bed *bed, struct at_env *env, enum rte_umr_transport transport)
{
	*bed = (struct bed){ .env = env, .transport = transport };
	if (transport == RTE_UMR_TRANSPORT_DCI) {
		TEST_NEED(dc_create(env, &bed->dc, 1));
		TEST_ASSERT_SUCCESS(dc_address_set(env, &bed->dc.targets[0]));
		bed->target = bed->dc.targets[0].side;
		bed->rx_queue = bed->dc.targets[0].queue_id;
	} else {
		AT_BUILD(env, .topology = transport == RTE_UMR_TRANSPORT_RC ? AT_SAME_DEVICE :
			 AT_LOOPBACK);
		bed->target = env->rx;
		bed->rx_queue = env->rx_queue;
	}
	bed->mkey = AT_KEY(env->tx);
	return TEST_SUCCESS;
}

static int
bed_recover(struct bed *bed)
{
	bed->step = 0;
	bed->nb_recoveries++;
	if (bed->transport == RTE_UMR_TRANSPORT_RC)
		return at_env_recover(bed->env);
	return rte_umr_queue_recover(bed->env->tx->dev_id, 0);
}

/* The next operation of a cycle: a layout, what goes through it, what does not, and its end. */
static int
next_enqueue(struct bed *bed, enum rte_umr_op_type *type)
{
	struct at_side *tx = bed->env->tx;
	const uint64_t remote = at_addr(bed->target, TARGET);
	const uint32_t rkey = bed->target->mr->rkey;
	struct rte_umr_seg segs[5], seg;

	switch (bed->step++ % 4) {
	case 0:
		for (uint32_t i = 0; i < RTE_DIM(segs); i++)
			segs[i] = at_seg(tx, i * 64, 8);
		*type = RTE_UMR_OP_MKEY_LIST;
		return rte_umr_mkey_list(tx->dev_id, 0, bed->mkey, RTE_UMR_ACCESS_LOCAL_WRITE, segs,
					 1 + bed->step / 4 % RTE_DIM(segs), 0);
	case 1:
		seg = at_key_seg(bed->mkey, 0, 8);
		*type = RTE_UMR_OP_WRITE;
		return rte_umr_write(tx->dev_id, 0, &seg, remote, rkey, 0);
	case 2:
		seg = at_seg(tx, TARGET / 2, 16);
		*type = RTE_UMR_OP_READ;
		return rte_umr_read(tx->dev_id, 0, &seg, remote, rkey, 0);
	default:
		*type = RTE_UMR_OP_MKEY_INVALIDATE;
		return rte_umr_mkey_invalidate(tx->dev_id, 0, bed->mkey, 0);
	}
}

static int
bad_enqueue(struct bed *bed, enum rte_umr_op_type *type)
{
	struct rte_umr_seg seg = at_seg(bed->env->tx, 0, 16);

	seg.lkey = BAD_LKEY;
	*type = RTE_UMR_OP_WRITE;
	return rte_umr_write(bed->env->tx->dev_id, 0, &seg, at_addr(bed->target, TARGET),
			     bed->target->mr->rkey, 0);
}

/* Enqueue nb operations in up to three submits, of which operation bad fails, if it is among them;
 * if so, the last submit is left out. */
static int
burst_post(struct bed *bed, uint32_t nb, uint32_t bad)
{
	enum rte_umr_op_type type;
	int ret;

	TEST_ASSERT_EQUAL(rte_umr_next_idx(bed->env->tx->dev_id, 0), (uint16_t)bed->nb_posted);
	for (uint32_t i = 0; i < nb; i++, bed->nb_posted++) {
		ret = i == bad ? bad_enqueue(bed, &type) : next_enqueue(bed, &type);
		TEST_ASSERT_EQUAL(ret, (uint16_t)bed->nb_posted);
		bed->types[bed->nb_posted % RTE_DIM(bed->types)] = type;
		if (i == nb / 3 || i == nb / 2)
			TEST_ASSERT_SUCCESS(rte_umr_submit(bed->env->tx->dev_id, 0));
	}
	if (bad >= nb || bad > nb / 2)
		TEST_ASSERT_SUCCESS(rte_umr_submit(bed->env->tx->dev_id, 0));
	return TEST_SUCCESS;
}

/* All of them come back. */
static int
burst_collect(struct bed *bed, uint32_t nb, uint32_t bad)
{
	struct rte_umr_completion done[MAX_BURST];
	enum rte_umr_status want;

	TEST_ASSERT_EQUAL(at_collect(bed->env->tx->dev_id, 0, done, (uint16_t)nb), nb);
	for (uint32_t i = 0; i < nb; i++, bed->nb_collected++) {
		want = i < bad ? RTE_UMR_STATUS_SUCCESS :
		       i == bad ? RTE_UMR_STATUS_LOCAL_PROT : RTE_UMR_STATUS_FLUSHED;
		TEST_ASSERT_EQUAL(done[i].idx, (uint16_t)bed->nb_collected);
		TEST_ASSERT_EQUAL(done[i].op, bed->types[bed->nb_collected % RTE_DIM(bed->types)]);
		if (done[i].status != want)
			TEST_FAIL_AT("operation %" PRIu64 ": %s, not %s", bed->nb_collected,
				     rte_umr_status_name(done[i].status),
				     rte_umr_status_name(want));
		bed->nb_errors += want != RTE_UMR_STATUS_SUCCESS;
	}
	TEST_ASSERT_EQUAL(rte_umr_completed_status(bed->env->tx->dev_id, 0, 1, done), 0);
	return TEST_SUCCESS;
}

/* Operations without a failure, in bursts of all sizes. */
static int
work_until(struct bed *bed, uint64_t end)
{
	uint32_t nb = 0;

	while (bed->nb_posted < end) {
		nb = (uint32_t)RTE_MIN(nb % MAX_BURST + 1, end - bed->nb_posted);
		TEST_ASSERT_SUCCESS(burst_post(bed, nb, UINT32_MAX));
		TEST_ASSERT_SUCCESS(burst_collect(bed, nb, UINT32_MAX));
	}
	return TEST_SUCCESS;
}

/* A burst with a failure somewhere, and the way back from it. */
static int
fail_and_recover(struct bed *bed)
{
	const uint32_t nb = 1 + (uint32_t)(bed->nb_recoveries % MAX_BURST);
	const uint32_t bad = (uint32_t)(bed->nb_recoveries / 3 % nb);

	TEST_ASSERT_SUCCESS(burst_post(bed, nb, bad));
	TEST_ASSERT_SUCCESS(burst_collect(bed, nb, bad));
	TEST_ASSERT_EQUAL(rte_umr_submit(bed->env->tx->dev_id, 0), -EIO);
	return bed_recover(bed);
}

static int
stats_check(const struct bed *bed)
{
	struct rte_umr_queue_stats stats;

	TEST_ASSERT_SUCCESS(rte_umr_queue_stats_get(bed->env->tx->dev_id, 0, &stats));
	TEST_ASSERT_EQUAL(stats.nb_completed, bed->nb_posted);
	TEST_ASSERT_EQUAL(stats.nb_completed, bed->nb_collected);
	TEST_ASSERT_EQUAL(stats.nb_errors, bed->nb_errors);
	return TEST_SUCCESS;
}

/* Without a failure up to the wrap, then at each place around it. */
static int
recover_around_wraps(struct bed *bed)
{
	for (uint64_t wrap = WRAP; wrap <= 2 * WRAP; wrap += WRAP) {
		TEST_ASSERT_SUCCESS(work_until(bed, wrap - NB_AROUND));
		while (bed->nb_posted < wrap + 4 * MAX_BURST) {
			TEST_ASSERT_SUCCESS(fail_and_recover(bed));
			TEST_ASSERT_SUCCESS(work_until(bed, bed->nb_posted + 1));
		}
	}
	return stats_check(bed);
}

static int
soak(struct bed *bed)
{
	while (bed->nb_posted < SOAK_OPS) {
		TEST_ASSERT_SUCCESS(work_until(bed, bed->nb_posted +
					       SOAK_PERIOD - bed->nb_posted % SOAK_PERIOD));
		TEST_ASSERT_SUCCESS(fail_and_recover(bed));
	}
	printf("%s: %" PRIu64 " operations came back once and in order, %" PRIu64
	       " without success, %" PRIu64 " recoveries\n", transport_names[bed->transport],
	       bed->nb_collected, bed->nb_errors, bed->nb_recoveries);
	return stats_check(bed);
}

static int
recvs_post(struct bed *bed, uint32_t nb)
{
	struct rte_umr_seg seg = at_seg(bed->target, TARGET, 64);

	TEST_ASSERT_EQUAL(rte_umr_recv_next_idx(bed->target->dev_id, bed->rx_queue),
			  (uint16_t)bed->nb_recv_posted);
	for (; nb != 0; nb--, bed->nb_recv_posted++)
		TEST_ASSERT_EQUAL(rte_umr_recv(bed->target->dev_id, bed->rx_queue, &seg, 1, 0),
				  (uint16_t)bed->nb_recv_posted);
	return TEST_SUCCESS;
}

/* Receives that are left without a message come back from a target in any order. */
static int
recvs_collect(struct bed *bed, uint32_t nb, enum rte_umr_status status)
{
	const bool has_order = bed->transport != RTE_UMR_TRANSPORT_DCI ||
			       status == RTE_UMR_STATUS_SUCCESS;
	struct rte_umr_completion done[RECV_BURST];
	uint32_t i, seen = 0;

	TEST_ASSERT_EQUAL(at_collect_recv(bed->target->dev_id, bed->rx_queue, done, (uint16_t)nb),
			  nb);
	for (i = 0; i < nb; i++) {
		const uint16_t at = (uint16_t)(done[i].idx - bed->nb_recv_collected);

		TEST_ASSERT_EQUAL(done[i].status, status);
		TEST_ASSERT(at < nb && (!has_order || at == i));
		seen |= 1u << at;
	}
	TEST_ASSERT_EQUAL(seen, (1u << nb) - 1);
	bed->nb_recv_collected += nb;
	return TEST_SUCCESS;
}

static int
messages_move(struct bed *bed, uint32_t nb)
{
	const struct rte_umr_seg seg = at_seg(bed->env->tx, 0, 8);

	for (uint32_t i = 0; i < nb; i++, bed->nb_posted++) {
		bed->types[bed->nb_posted % RTE_DIM(bed->types)] = RTE_UMR_OP_SEND;
		TEST_ASSERT_EQUAL(rte_umr_send(bed->env->tx->dev_id, 0, &seg, i + 1 == nb ?
					       RTE_UMR_OP_F_SUBMIT : 0), (uint16_t)bed->nb_posted);
	}
	TEST_ASSERT_SUCCESS(burst_collect(bed, nb, UINT32_MAX));
	return recvs_collect(bed, nb, RTE_UMR_STATUS_SUCCESS);
}

/* A message, then a failure; receives are left, which come back when their queue is recovered. */
static int
recvs_fail_and_recover(struct bed *bed)
{
	const int16_t dev_id = bed->target->dev_id;

	TEST_ASSERT_SUCCESS(recvs_post(bed, 3));
	TEST_ASSERT_SUCCESS(messages_move(bed, 1));
	TEST_ASSERT_SUCCESS(burst_post(bed, 2, 0));
	TEST_ASSERT_SUCCESS(burst_collect(bed, 2, 0));
	TEST_ASSERT_EQUAL(rte_umr_queue_recover(dev_id, bed->rx_queue), -EBUSY);
	TEST_ASSERT_SUCCESS(recvs_collect(bed, 2, RTE_UMR_STATUS_FLUSHED));
	TEST_ASSERT_SUCCESS(rte_umr_queue_recover(dev_id, bed->rx_queue));
	bed->step = 0;
	if (bed->transport == RTE_UMR_TRANSPORT_LOOPBACK)
		return TEST_SUCCESS;
	TEST_ASSERT_SUCCESS(rte_umr_queue_recover(bed->env->tx->dev_id, 0));
	if (bed->transport == RTE_UMR_TRANSPORT_RC)
		return at_env_connect(bed->env);
	TEST_ASSERT_SUCCESS(dc_target_address(bed->env, &bed->dc.targets[0], DC_KEY_OF(0)));
	return dc_address_set(bed->env, &bed->dc.targets[0]);
}

static int
recvs_around_wraps(struct bed *bed)
{
	uint32_t nb;

	for (uint64_t wrap = WRAP; wrap <= 2 * WRAP; wrap += WRAP) {
		while (bed->nb_recv_posted < wrap - NB_AROUND) {
			nb = (uint32_t)RTE_MIN(RECV_BURST, wrap - NB_AROUND - bed->nb_recv_posted);
			TEST_ASSERT_SUCCESS(recvs_post(bed, nb));
			TEST_ASSERT_SUCCESS(messages_move(bed, nb));
		}
		while (bed->nb_recv_posted < wrap + NB_AROUND) {
			TEST_ASSERT_SUCCESS(recvs_fail_and_recover(bed));
			TEST_ASSERT_SUCCESS(recvs_post(bed, 1));
			TEST_ASSERT_SUCCESS(messages_move(bed, 1));
		}
	}
	return stats_check(bed);
}

static int
on_every_transport(struct at_env *env, int (*run)(struct bed *bed))
{
	struct bed bed;
	int ret;

	for (enum rte_umr_transport transport = RTE_UMR_TRANSPORT_LOOPBACK;
	     transport <= RTE_UMR_TRANSPORT_DCI; transport++) {
		ret = bed_build(&bed, env, transport);
		if (ret == TEST_SUCCESS)
			ret = run(&bed);
		if (ret == TEST_FAILED)
			TEST_FAIL_AT("%s, behind %" PRIu64 " operations",
				     transport_names[transport], bed.nb_posted);
		TEST_ASSERT_SUCCESS(at_env_fini(env));
	}
	return TEST_SUCCESS;
}

AT_CASE_CALL(wrap, queues_recover_around_wraps, on_every_transport(env, recover_around_wraps))
AT_CASE_CALL(wrap, failures_every_thousand_operations_lose_nothing, on_every_transport(env, soak))
AT_CASE_CALL(wrap, receives_come_back_around_wraps, on_every_transport(env, recvs_around_wraps))

/* Messages with a completion for each, at both ends. */
static int
completions_pass(struct bed *bed, uint32_t nb)
{
	static struct rte_umr_completion done[CQ_BURST];
	const struct rte_umr_seg empty = { 0 };
	const int16_t dev_id = bed->env->tx->dev_id;

	for (uint32_t i = 0; i < nb; i++)
		TEST_ACCEPT(rte_umr_recv(dev_id, 0, NULL, 0, 0));
	for (uint32_t i = 0; i < nb; i++)
		TEST_ACCEPT(rte_umr_send(dev_id, 0, &empty, RTE_UMR_OP_F_SUBMIT));
	TEST_ASSERT_EQUAL(at_collect(dev_id, 0, done, (uint16_t)nb), nb);
	TEST_ASSERT_EQUAL(done[nb - 1].status, RTE_UMR_STATUS_SUCCESS);
	TEST_ASSERT_EQUAL(at_collect_recv(dev_id, 0, done, (uint16_t)nb), nb);
	TEST_ASSERT_EQUAL(done[nb - 1].status, RTE_UMR_STATUS_SUCCESS);
	bed->nb_posted += nb;
	bed->nb_collected += nb;
	bed->nb_recv_posted += nb;
	bed->nb_recv_collected += nb;
	return TEST_SUCCESS;
}

/* A suite by itself: millions of operations. */
AT_CASE(wrap_cq, completion_rings_wrap)
{
	struct bed bed = { .env = env, .transport = RTE_UMR_TRANSPORT_LOOPBACK };

	AT_BUILD(env, .nb_desc = CQ_BURST, .nb_recv_desc = CQ_BURST);
	bed.target = env->rx;
	bed.mkey = AT_KEY(env->tx);
	while (bed.nb_posted < CQ_WRAP - CQ_BURST)
		TEST_ASSERT_SUCCESS(completions_pass(&bed, CQ_BURST));
	TEST_ASSERT_SUCCESS(completions_pass(&bed, CQ_BURST - 4 * MAX_BURST));
	/* Each has a few. */
	for (uint32_t i = 0; i < 4 * MAX_BURST; i++) {
		TEST_ASSERT_SUCCESS(recvs_fail_and_recover(&bed));
		TEST_ASSERT_SUCCESS(fail_and_recover(&bed));
	}
	TEST_ASSERT_SUCCESS(completions_pass(&bed, CQ_BURST));
	return stats_check(&bed);
}
