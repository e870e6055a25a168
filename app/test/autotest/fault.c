/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Faults that the device is asked for: each accepted operation comes back once, in order, with the
 * status that the fault explains.
 */

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <rte_cycles.h>

#include "../patience.h"
#include "swhca_control.h"

#include "autotest.h"
#include "control.h"
#include "env.h"

#define TARGET	(AT_BUF_LEN / 2)
#define LEN	64u
#define VENDOR	0x42u
#define NB	12u

/* A loopback on a software device. @return As at_env_build(). */
static int
bed_build(struct at_env *env)
{
	AT_BUILD(env, .topology = AT_LOOPBACK);
	TEST_NEED(at_need_control());
	at_fill(env);
	/* A case that failed may have left something. */
	TEST_ASSERT_EQUAL(swhca_control_fault_off(getpid(), 0, NULL), 0);
	return TEST_SUCCESS;
}

static int
arm(const char *spec)
{
	char why[256] = "";
	int ret = swhca_control_fault_arm(getpid(), 0, spec, why, sizeof(why));

	if (ret != 0)
		TEST_FAIL_AT("%s: %d %s", spec, ret, why);
	return TEST_SUCCESS;
}

static int
disarm(void)
{
	TEST_ASSERT_EQUAL(swhca_control_fault_off(getpid(), 0, NULL), 0);
	return TEST_SUCCESS;
}

/* @return How often faults of a class have fired; UINT64_MAX if nobody knows. */
static uint64_t
nb_fired(const char *fault_class)
{
	uint64_t nb;

	return swhca_control_fault_fired(getpid(), 0, fault_class, &nb) == 0 ? nb : UINT64_MAX;
}

/* Enqueue the n-th write: LEN bytes to a place of its own. @return As rte_umr_write(). */
static int
write_one(struct at_env *env, uint32_t n)
{
	return at_write(env, at_seg(env->tx, n % NB * LEN, LEN), TARGET + n % NB * LEN, 0);
}

/* Each write in a burst of its own, so that there is a doorbell for each. */
static int
writes_submit(struct at_env *env, uint16_t nb)
{
	for (uint16_t i = 0; i < nb; i++) {
		TEST_ACCEPT(write_one(env, i));
		TEST_ASSERT_SUCCESS(rte_umr_submit(env->tx->dev_id, 0));
	}
	return TEST_SUCCESS;
}

/* nb operations from an index on are back: all of them good, those in front of bad alone. */
static int
expect_back(struct at_env *env, uint16_t first_idx, uint16_t nb, uint16_t bad,
	    enum rte_umr_status status)
{
	struct rte_umr_completion done;

	for (uint16_t i = 0; i < nb; i++) {
		const enum rte_umr_status want = i < bad ? RTE_UMR_STATUS_SUCCESS :
						 i == bad ? status : RTE_UMR_STATUS_FLUSHED;

		TEST_ASSERT_EQUAL(at_collect(env->tx->dev_id, 0, &done, 1), 1);
		TEST_ASSERT_EQUAL(done.idx, (uint16_t)(first_idx + i));
		if (done.status != want)
			TEST_FAIL_AT("operation %u of %u: %s, not %s", i, nb,
				     rte_umr_status_name(done.status), rte_umr_status_name(want));
		if (i == bad)
			TEST_ASSERT_EQUAL(done.vendor_syndrome, VENDOR);
	}
	TEST_ASSERT_EQUAL(rte_umr_completed_status(env->tx->dev_id, 0, 1, &done), 0);
	return TEST_SUCCESS;
}

/*
 * A receive tells that the queue has failed while the completion of a write is on its way: that one
 * has succeeded all the same.
 */
AT_CASE(fault, late_success_in_front_of_a_failure_counts)
{
	struct rte_umr_completion done[3];

	TEST_NEED(bed_build(env));
	const struct rte_umr_seg to = at_seg(env->rx, TARGET, LEN);
	TEST_ACCEPT(rte_umr_recv(env->rx->dev_id, env->rx_queue, &to, 1, 0));
	TEST_ASSERT_SUCCESS(arm("cqe-delay,nth=1,time=50000"));
	TEST_ASSERT_SUCCESS(writes_submit(env, 1));
	TEST_ACCEPT(at_send(env, at_seg(env->tx, 0, LEN + 1), RTE_UMR_OP_F_SUBMIT));
	TEST_ASSERT_EQUAL(at_collect_recv(env->rx->dev_id, env->rx_queue, done, 1), 1);
	TEST_ASSERT_EQUAL(done[0].status, RTE_UMR_STATUS_LOCAL_LENGTH);
	TEST_ASSERT_EQUAL(write_one(env, 0), -EIO);
	TEST_ASSERT_EQUAL(at_collect(env->tx->dev_id, 0, done, 2), 2);
	TEST_ASSERT_EQUAL(done[0].status, RTE_UMR_STATUS_SUCCESS);
	TEST_ASSERT_EQUAL(done[1].op, RTE_UMR_OP_SEND);
	TEST_ASSERT(done[1].status != RTE_UMR_STATUS_SUCCESS);
	TEST_ASSERT_EQUAL(rte_umr_completed_status(env->tx->dev_id, 0, 1, done), 0);
	TEST_ASSERT_SUCCESS(rte_umr_queue_recover(env->tx->dev_id, 0));
	TEST_ACCEPT(write_one(env, 0));
	TEST_ASSERT_SUCCESS(at_finish(env, 1));
	return disarm();
}

/* Every syndrome of the list comes back as what it is, at another place each time. */
AT_CASE(fault, error_comes_back_as_what_it_is)
{
	static const struct {
		const char *syndrome;
		enum rte_umr_status status;
	} errors[] = {
		{ "local-length", RTE_UMR_STATUS_LOCAL_LENGTH },
		{ "local-qp-op", RTE_UMR_STATUS_LOCAL_QP_OP },
		{ "local-prot", RTE_UMR_STATUS_LOCAL_PROT },
		{ "remote-inval-req", RTE_UMR_STATUS_REMOTE_INVALID },
		{ "remote-access", RTE_UMR_STATUS_REMOTE_ACCESS },
		{ "remote-op", RTE_UMR_STATUS_REMOTE_OP },
		{ "transport-retry", RTE_UMR_STATUS_RETRY_EXCEEDED },
		{ "rnr-retry", RTE_UMR_STATUS_RNR_RETRY_EXCEEDED },
	};
	uint16_t i, j, first_idx = 0;
	char spec[128];

	TEST_NEED(bed_build(env));
	const uint64_t nb_before = nb_fired("error-cqe");
	for (i = 0; i < RTE_DIM(errors); i++) {
		snprintf(spec, sizeof(spec), "error-cqe,nth=%u,syndrome=%s,vendor=%u", i + 1,
			 errors[i].syndrome, VENDOR);
		TEST_ASSERT_SUCCESS(arm(spec));
		for (j = 0; j < NB; j++)
			TEST_ASSERT_EQUAL(write_one(env, j), (uint16_t)(first_idx + j));
		TEST_ASSERT_SUCCESS(rte_umr_submit(env->tx->dev_id, 0));
		TEST_ASSERT_SUCCESS(expect_back(env, first_idx, NB, i, errors[i].status));
		TEST_ASSERT_SUCCESS(rte_umr_queue_recover(env->tx->dev_id, 0));
		first_idx = (uint16_t)(first_idx + NB);
	}
	TEST_ASSERT_EQUAL(nb_fired("error-cqe") - nb_before, RTE_DIM(errors));
	TEST_ASSERT_EQUAL(write_one(env, 0), first_idx);
	return at_finish(env, 1);
}

/* What is late, once, is all there in the end, and has moved its bytes. */
AT_CASE(fault, late_things_come)
{
	static const char *const specs[] = {
		"cqe-delay,count=0,time=300",
		"cqe-delay,nth=4,time=3000",
		"doorbell-delay,count=0,time=300",
		"qp-delay,count=5,time=300",
		"engine-stall,nth=3,count=2,time=2000",
		"cqe-delay+doorbell-delay+qp-delay+engine-stall,one-of=3,seed=5,time=200",
	};
	uint64_t nb;

	TEST_NEED(bed_build(env));
	nb = nb_fired(NULL);
	for (uint16_t i = 0; i < RTE_DIM(specs); i++) {
		memset(env->rx->buf + TARGET, 0, NB * LEN);
		TEST_ASSERT_SUCCESS(arm(specs[i]));
		TEST_ASSERT_SUCCESS(writes_submit(env, NB));
		TEST_ASSERT_SUCCESS(expect_back(env, (uint16_t)(i * NB), NB, NB,
						RTE_UMR_STATUS_SUCCESS));
		TEST_ASSERT_SAME(env->rx->buf + TARGET, env->tx->buf, NB * LEN);
		if (nb_fired(NULL) <= nb)
			TEST_FAIL_AT("%s: has not fired", specs[i]);
		nb = nb_fired(NULL);
		TEST_ASSERT_SUCCESS(disarm());
	}
	return TEST_SUCCESS;
}

/* Nobody looks before somebody rings again. */
AT_CASE(fault, dropped_doorbell_waits_for_the_next)
{
	const uint64_t deadline = patience_end();
	struct rte_umr_completion done;

	TEST_NEED(bed_build(env));
	/* A queue has a turn when it becomes ready, without a doorbell: that is over then. */
	TEST_ASSERT_SUCCESS(writes_submit(env, 1));
	TEST_ASSERT_SUCCESS(expect_back(env, 0, 1, 1, RTE_UMR_STATUS_SUCCESS));
	const uint64_t nb_before = nb_fired("doorbell-drop");
	TEST_ASSERT_SUCCESS(arm("doorbell-drop"));
	TEST_ASSERT_SUCCESS(writes_submit(env, 1));
	while (nb_fired("doorbell-drop") == nb_before)
		TEST_ASSERT(!patience_is_over(deadline));
	for (uint16_t i = 0; i < 20; i++) {
		rte_delay_us_sleep(500);
		TEST_ASSERT_EQUAL(rte_umr_completed_status(env->tx->dev_id, 0, 1, &done), 0);
	}
	TEST_ASSERT_EQUAL(nb_fired("doorbell-drop") - nb_before, 1);
	TEST_ASSERT_SUCCESS(writes_submit(env, 1));
	return expect_back(env, 1, 2, 2, RTE_UMR_STATUS_SUCCESS);
}

/* One write with memory that is not there for it. */
static int
unmapped_write(struct at_env *env, const char *side, const void *addr, enum rte_umr_status status)
{
	char spec[128];

	snprintf(spec, sizeof(spec), "unmap,side=%s,addr=0x%" PRIxPTR ",len=%u", side,
		 (uintptr_t)addr, LEN);
	TEST_ASSERT_SUCCESS(arm(spec));
	memset(env->rx->buf + TARGET, 0, LEN);
	TEST_ACCEPT(write_one(env, 0));
	TEST_ASSERT_SUCCESS(at_finish_status(env, 1, status));
	TEST_ACCEPT(at_first_difference(env->rx->buf + TARGET, env->tx->buf, LEN));
	TEST_ASSERT_SUCCESS(rte_umr_queue_recover(env->tx->dev_id, 0));
	/* It was for once. */
	TEST_ACCEPT(write_one(env, 0));
	TEST_ASSERT_SUCCESS(at_finish(env, 1));
	TEST_ASSERT_SAME(env->rx->buf + TARGET, env->tx->buf, LEN);
	return TEST_SUCCESS;
}

AT_CASE(fault, unmapped_memory_is_an_error_of_its_side)
{
	TEST_NEED(bed_build(env));
	const uint64_t nb_before = nb_fired("unmap");
	TEST_ASSERT_SUCCESS(unmapped_write(env, "local", env->tx->buf, RTE_UMR_STATUS_LOCAL_PROT));
	TEST_ASSERT_SUCCESS(unmapped_write(env, "remote", env->rx->buf + TARGET,
					   RTE_UMR_STATUS_REMOTE_OP));
	TEST_ASSERT_EQUAL(nb_fired("unmap") - nb_before, 2);
	return TEST_SUCCESS;
}

/* Pages that are absent come late, and the write with them. */
AT_CASE(fault, late_page_is_waited_for)
{
	const size_t len = 4 * 4096;
	struct rte_umr_seg local;

	TEST_NEED(bed_build(env));
	TEST_ASSERT((env->tx->info.dev_capa & RTE_UMR_CAPA_MR_ODP) != 0);
	uint8_t *const mem = memset(AT_MAP(env, len), 0x5a, len);
	const struct rte_umr_mr *const mr = AT_OWN_MR(env->tx, mem, len, RTE_UMR_ACCESS_LOCAL_WRITE,
						      RTE_UMR_MR_F_ON_DEMAND);
	const uint64_t nb_before = nb_fired("odp-delay");
	TEST_ASSERT_SUCCESS(arm("odp-delay,count=0,time=2000"));
	local = (struct rte_umr_seg){ .addr = (uintptr_t)mem, .length = len, .lkey = mr->lkey };
	TEST_ACCEPT(at_write(env, local, TARGET, 0));
	TEST_ASSERT_SUCCESS(at_finish(env, 1));
	TEST_ASSERT_SAME(env->rx->buf + TARGET, mem, len);
	/* Each page was absent, and found so by itself. */
	TEST_ASSERT_EQUAL(nb_fired("odp-delay") - nb_before, 4);
	return disarm();
}

/* What is posted to a queue that may fail at any time, and what is known of it. */
struct ledger {
	uint16_t next;		/* index of the next operation that is accepted */
	uint16_t oldest;	/* of the oldest that is not back */
	bool has_failed;
	uint32_t nb_good;
	uint32_t nb_bad;
	uint32_t nb_flushed;
};

static int
ledger_take(struct ledger *ledger, const struct rte_umr_completion *done)
{
	TEST_ASSERT_EQUAL(done->idx, ledger->oldest);
	ledger->oldest++;
	if (done->status == RTE_UMR_STATUS_SUCCESS) {
		TEST_ASSERT(!ledger->has_failed);
		ledger->nb_good++;
	} else if (done->status == RTE_UMR_STATUS_FLUSHED) {
		TEST_ASSERT(ledger->has_failed);
		ledger->nb_flushed++;
	} else {
		TEST_ASSERT(!ledger->has_failed);
		TEST_ASSERT_EQUAL(done->status, RTE_UMR_STATUS_REMOTE_ACCESS);
		TEST_ASSERT_EQUAL(done->vendor_syndrome, VENDOR);
		ledger->has_failed = true;
		ledger->nb_bad++;
	}
	return TEST_SUCCESS;
}

/* A burst, all of it back, and the queue made well if it failed. */
static int
ledger_round(struct at_env *env, struct ledger *ledger)
{
	struct rte_umr_completion done;

	for (uint16_t i = 0; i < NB; i++)
		TEST_ASSERT_EQUAL(write_one(env, i), ledger->next++);
	TEST_ASSERT_SUCCESS(rte_umr_submit(env->tx->dev_id, 0));
	while (ledger->oldest != ledger->next) {
		TEST_ASSERT_EQUAL(at_collect(env->tx->dev_id, 0, &done, 1), 1);
		TEST_ASSERT_SUCCESS(ledger_take(ledger, &done));
	}
	if (ledger->has_failed)
		TEST_ASSERT_SUCCESS(rte_umr_queue_recover(env->tx->dev_id, 0));
	ledger->has_failed = false;
	return TEST_SUCCESS;
}

AT_CASE(fault, nothing_is_lost_by_chance)
{
	static const char *const classes[] = {
		"error-cqe", "cqe-delay", "doorbell-delay", "qp-delay", "engine-stall",
	};
	uint64_t nb_before[RTE_DIM(classes)];
	struct ledger ledger = { 0 };

	TEST_NEED(bed_build(env));
	for (uint32_t i = 0; i < RTE_DIM(classes); i++)
		nb_before[i] = nb_fired(classes[i]);
	TEST_ASSERT_SUCCESS(arm("error-cqe,one-of=100,seed=3,syndrome=remote-access,vendor=0x42"));
	TEST_ASSERT_SUCCESS(arm("cqe-delay+doorbell-delay+qp-delay+engine-stall,one-of=40,seed=4,"
				"time=50"));
	for (uint32_t i = 0; i < 300; i++)
		TEST_ASSERT_SUCCESS(ledger_round(env, &ledger));
	TEST_ASSERT_EQUAL(ledger.nb_good + ledger.nb_bad + ledger.nb_flushed, 300 * NB);
	TEST_ASSERT_EQUAL(ledger.nb_bad, nb_fired("error-cqe") - nb_before[0]);
	for (uint32_t i = 0; i < RTE_DIM(classes); i++)
		if (nb_fired(classes[i]) == nb_before[i])
			TEST_FAIL_AT("%s has not fired", classes[i]);
	return disarm();
}
