/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Devices that are taken away, fail fatally or fall silent: the application is told, and every
 * operation and receive comes back once, whatever the device completes.
 *
 * What is taken away stays so in this process: the last case is the one that does it, and no case
 * of another suite runs behind it.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_alarm.h>
#include <rte_cycles.h>
#include <rte_mbuf.h>

#include "../patience.h"
#include "autotest.h"
#include "control.h"
#include "env.h"

/* Queues of a device: one of each kind. */
enum { LOOPBACK, RC, OTHER_RC, LONELY_RC, DCI, DCT, NB_QUEUES };

#define NB_OPS		12u	/* of each queue that sends; the last ones are not submitted */
#define NB_BUILT	3u
#define NB_RECVS	5u
#define LEN		64u
#define TARGET		(AT_BUF_LEN / 2)
#define DC_KEY		77u
/* As soon as a busy machine allows: what is alive must answer in this time. */
#define SILENCE		"silence_ms=3000"

struct bed {
	struct at_env *env;
	struct at_side *side;
	char name[RTE_UMR_DEV_NAME_LEN];
	unsigned int nb_events;
	uint8_t told;
	uint16_t nb_posted[NB_QUEUES];
	uint16_t nb_back[NB_QUEUES];
	uint16_t nb_flushed[NB_QUEUES];
	uint16_t nb_recvs[NB_QUEUES];
	uint64_t recvs_back[NB_QUEUES];	/* bit by index */
};

static void
note(int16_t dev_id, enum rte_umr_dev_event event, void *arg)
{
	struct bed *bed = arg;

	RTE_SET_USED(event);
	rte_umr_dev_status(dev_id, &bed->told);
	__atomic_fetch_add(&bed->nb_events, 1, __ATOMIC_RELEASE);
}

static struct rte_umr_queue_conf
queue_conf_of(uint16_t q)
{
	static const enum rte_umr_transport transports[NB_QUEUES] = {
		RTE_UMR_TRANSPORT_LOOPBACK, RTE_UMR_TRANSPORT_RC, RTE_UMR_TRANSPORT_RC,
		RTE_UMR_TRANSPORT_RC, RTE_UMR_TRANSPORT_DCI, RTE_UMR_TRANSPORT_DCT,
	};

	return (struct rte_umr_queue_conf){
		.transport = transports[q], .nb_desc = q == DCT ? 0 : 64,
		.nb_recv_desc = q == DCI ? 0 : 8, .dc_key = q == DCT ? DC_KEY : 0,
		.nb_list_entries = q == DCT ? 0 : 128, .socket_id = -1,
	};
}

static int
queues_connect(int16_t dev_id)
{
	struct rte_umr_endpoint ends[NB_QUEUES];
	struct rte_umr_dc_addr addr;

	for (uint16_t q = 0; q < NB_QUEUES; q++)
		if (q != DCI)
			TEST_ASSERT_SUCCESS(rte_umr_queue_endpoint_get(dev_id, q, &ends[q]));
	TEST_ASSERT_SUCCESS(rte_umr_queue_connect(dev_id, RC, &ends[OTHER_RC]));
	TEST_ASSERT_SUCCESS(rte_umr_queue_connect(dev_id, OTHER_RC, &ends[RC]));
	TEST_ASSERT_SUCCESS(rte_umr_dc_addr_fill(dev_id, &ends[DCT], DC_KEY, &addr));
	TEST_ASSERT_SUCCESS(rte_umr_dc_addr_set(dev_id, DCI, &addr));
	return TEST_SUCCESS;
}

/* The n-th device with these options, at work. */
static int
bed_build(struct at_env *env, struct bed *bed, unsigned int n, const char *options)
{
	const struct rte_umr_dev_conf dev_conf = { .nb_queues = NB_QUEUES };
	char devargs[RTE_UMR_DEV_NAME_LEN + 64];
	struct rte_umr_queue_conf queue_conf;
	const struct at_conf conf = { 0 };

	memset(bed, 0, sizeof(*bed));
	bed->env = env;
	bed->side = &env->sides[0];
	TEST_NEED(at_device_name(n, bed->name));
	snprintf(devargs, sizeof(devargs), "%s,%s", bed->name, options);
	TEST_ASSERT_SUCCESS(rte_umr_dev_probe(devargs, &bed->side->dev_id));
	TEST_NEED(at_need_control());
	const int16_t dev_id = bed->side->dev_id;
	TEST_ASSERT_SUCCESS(rte_umr_dev_callback_register(dev_id, RTE_UMR_DEV_EVENT_LOST, note,
							  bed));
	TEST_ASSERT_SUCCESS(at_side_memory(bed->side, &conf));
	TEST_ASSERT_SUCCESS(rte_umr_dev_configure(dev_id, &dev_conf));
	for (uint16_t q = 0; q < NB_QUEUES; q++) {
		queue_conf = queue_conf_of(q);
		TEST_ASSERT_SUCCESS(rte_umr_queue_setup(dev_id, q, &queue_conf));
	}
	TEST_ASSERT_SUCCESS(rte_umr_dev_start(dev_id));
	return queues_connect(dev_id);
}

/* Operations on all queues that send, some of which are not submitted, and receives. */
static int
all_post(struct bed *bed)
{
	const struct rte_umr_seg local = at_seg(bed->side, 0, LEN);
	const int16_t dev_id = bed->side->dev_id;

	for (uint16_t q = 0; q < NB_QUEUES; q++) {
		const struct rte_umr_seg to = at_seg(bed->side, TARGET + q * LEN, LEN);

		for (uint16_t i = 0; i < NB_OPS && q != LONELY_RC && q != DCT; i++) {
			TEST_ASSERT_EQUAL(rte_umr_write(dev_id, q, &local,
							at_addr(bed->side, TARGET),
							bed->side->mr->rkey, i + NB_BUILT +
							1 == NB_OPS ? RTE_UMR_OP_F_SUBMIT : 0),
					  bed->nb_posted[q]);
			bed->nb_posted[q]++;
		}
		for (uint16_t i = 0; i < NB_RECVS && q != DCI; i++) {
			TEST_ASSERT_EQUAL(rte_umr_recv(dev_id, q, &to, 1, 0), bed->nb_recvs[q]);
			bed->nb_recvs[q]++;
		}
	}
	return TEST_SUCCESS;
}

/* Who is given something back without success may ask why at once. */
static int
status_check(const struct bed *bed, bool is_lost)
{
	uint8_t status = RTE_UMR_DEV_STATUS_OK;

	TEST_ASSERT_SUCCESS(rte_umr_dev_status(bed->side->dev_id, &status));
	TEST_ASSERT(!is_lost || status != RTE_UMR_DEV_STATUS_OK);
	return TEST_SUCCESS;
}

/* Take what a queue gives back; nothing comes twice, or in another order. */
static int
queue_collect(struct bed *bed, uint16_t q)
{
	struct rte_umr_completion done[8];
	uint16_t nb, i;

	nb = rte_umr_completed_status(bed->side->dev_id, q, RTE_DIM(done), done);
	for (i = 0; i < nb; i++) {
		TEST_ASSERT_EQUAL(done[i].idx, bed->nb_back[q]);
		TEST_ASSERT(bed->nb_back[q] < bed->nb_posted[q]);
		TEST_ASSERT(done[i].status != RTE_UMR_STATUS_SUCCESS || bed->nb_flushed[q] == 0);
		bed->nb_flushed[q] += done[i].status != RTE_UMR_STATUS_SUCCESS;
		bed->nb_back[q]++;
	}
	TEST_ASSERT_SUCCESS(status_check(bed, bed->nb_flushed[q] != 0));
	nb = rte_umr_recv_completed(bed->side->dev_id, q, RTE_DIM(done), done);
	for (i = 0; i < nb; i++) {
		TEST_ASSERT(done[i].idx < bed->nb_recvs[q]);
		TEST_ASSERT_EQUAL(done[i].status, RTE_UMR_STATUS_FLUSHED);
		TEST_ASSERT((bed->recvs_back[q] & RTE_BIT64(done[i].idx)) == 0);
		bed->recvs_back[q] |= RTE_BIT64(done[i].idx);
	}
	return status_check(bed, nb != 0);
}

static bool
is_all_back(const struct bed *bed)
{
	for (uint16_t q = 0; q < NB_QUEUES; q++)
		if (bed->nb_back[q] != bed->nb_posted[q] ||
		    bed->recvs_back[q] != RTE_BIT64(bed->nb_recvs[q]) - 1)
			return false;
	return true;
}

/* Everything comes back, and the application is told once. */
static int
all_come_back(struct bed *bed, enum rte_umr_dev_status status)
{
	const uint64_t deadline = patience_end();
	uint8_t now = RTE_UMR_DEV_STATUS_OK;

	while (!is_all_back(bed) || __atomic_load_n(&bed->nb_events, __ATOMIC_ACQUIRE) == 0) {
		TEST_ASSERT(!patience_is_over(deadline));
		for (uint16_t q = 0; q < NB_QUEUES; q++)
			TEST_ASSERT_SUCCESS(queue_collect(bed, q));
	}
	TEST_ASSERT_EQUAL(bed->told, status);
	TEST_ASSERT_SUCCESS(rte_umr_dev_status(bed->side->dev_id, &now));
	TEST_ASSERT_EQUAL(now, status);
	return TEST_SUCCESS;
}

/* A lost device takes nothing, and nothing comes back any more. */
static int
nothing_goes_any_more(struct bed *bed)
{
	const struct rte_umr_seg local = at_seg(bed->side, 0, LEN);
	const int16_t dev_id = bed->side->dev_id;
	struct rte_umr_endpoint remote;

	for (uint16_t q = 0; q < NB_QUEUES; q++) {
		if (q != DCT)
			TEST_ASSERT_EQUAL(rte_umr_write(dev_id, q, &local,
							at_addr(bed->side, TARGET),
							bed->side->mr->rkey, RTE_UMR_OP_F_SUBMIT),
					  -EIO);
		if (q != DCI)
			TEST_ASSERT_EQUAL(rte_umr_recv(dev_id, q, &local, 1, 0), -EIO);
		TEST_ASSERT_EQUAL(rte_umr_queue_recover(dev_id, q), -EIO);
	}
	TEST_ASSERT_SUCCESS(rte_umr_queue_endpoint_get(dev_id, RC, &remote));
	TEST_ASSERT_EQUAL(rte_umr_queue_connect(dev_id, LONELY_RC, &remote), -EIO);
	for (unsigned int i = 0; i < 100; i++)
		for (uint16_t q = 0; q < NB_QUEUES; q++)
			TEST_ASSERT_SUCCESS(queue_collect(bed, q));
	TEST_ASSERT_EQUAL(bed->nb_events, 1);
	return TEST_SUCCESS;
}

/* So many work requests have been executed since. */
static int
executed_wait(const struct at_device_stats *before, uint64_t nb)
{
	const uint64_t deadline = patience_end();
	struct at_device_stats now;

	do {
		TEST_ASSERT(!patience_is_over(deadline));
		TEST_ASSERT_SUCCESS(at_device_stats(&now));
	} while (now.nb_wqes - before->nb_wqes < nb);
	return TEST_SUCCESS;
}

/* Operations that the device has, when it goes on as if nothing had been, come back no more. */
AT_CASE(lost, silent_device_gives_all_back_once)
{
	struct at_device_stats before;
	struct bed bed;

	TEST_NEED(bed_build(env, &bed, 0, SILENCE));
	TEST_ASSERT_SUCCESS(at_device_do("halt 0"));
	TEST_ASSERT_SUCCESS(at_device_stats(&before));
	TEST_ASSERT_SUCCESS(all_post(&bed));
	TEST_ASSERT_SUCCESS(all_come_back(&bed, RTE_UMR_DEV_STATUS_SILENT));
	for (uint16_t q = 0; q < NB_QUEUES; q++)
		TEST_ASSERT_EQUAL(bed.nb_flushed[q], bed.nb_posted[q]);
	TEST_ASSERT_SUCCESS(nothing_goes_any_more(&bed));
	TEST_ASSERT_SUCCESS(at_device_do("resume 0"));
	TEST_ASSERT_SUCCESS(executed_wait(&before, 4 * (NB_OPS - NB_BUILT)));
	TEST_ASSERT_SUCCESS(nothing_goes_any_more(&bed));
	/* It is told to let go, and does. */
	TEST_ASSERT_SUCCESS(rte_umr_dev_stop(bed.side->dev_id));
	TEST_ASSERT_EQUAL(rte_umr_dev_start(bed.side->dev_id), -EIO);
	TEST_ASSERT_SUCCESS(at_env_fini(env));
	/* Another life. */
	TEST_NEED(bed_build(env, &bed, 0, SILENCE));
	return bed.nb_events == 0 ? TEST_SUCCESS : TEST_FAILED;
}

/* A device that goes on reads what it was given: mbufs are not free before it has let go. */
AT_CASE(lost, silent_device_has_its_mbufs_until_it_is_stopped)
{
	const uint64_t deadline = patience_end();
	struct rte_umr_completion done[NB_OPS];
	struct rte_mbuf *mbufs[NB_OPS];
	struct bed bed;

	TEST_NEED(bed_build(env, &bed, 0, SILENCE));
	struct rte_mempool *const pool = rte_pktmbuf_pool_create("at_lost", NB_OPS, 0, 0, LEN,
								 SOCKET_ID_ANY);
	TEST_ASSERT(pool != NULL);
	struct rte_umr_mbuf_fifo *const fifo = rte_umr_mbuf_fifo_create(bed.side->dev_id, LOOPBACK,
									0);
	TEST_ASSERT(fifo != NULL);
	TEST_ASSERT_SUCCESS(rte_pktmbuf_alloc_bulk(pool, mbufs, NB_OPS));
	TEST_ASSERT_SUCCESS(at_device_do("halt 0"));
	TEST_ASSERT_SUCCESS(all_post(&bed));
	for (uint16_t i = 0; i < NB_OPS; i++)
		TEST_ASSERT_SUCCESS(rte_umr_mbuf_fifo_hold(fifo, i, &mbufs[i], 1));
	for (uint16_t i = 0; i < NB_OPS;) {
		TEST_ASSERT(!patience_is_over(deadline));
		i = (uint16_t)(i + rte_umr_mbuf_fifo_completed_status(fifo, NB_OPS, done));
	}
	TEST_ASSERT_EQUAL(rte_mempool_avail_count(pool), 0);
	TEST_ASSERT_EQUAL(rte_umr_mbuf_fifo_take(fifo, NB_OPS - 1, mbufs, NULL, NB_OPS), 0);
	TEST_ASSERT_SUCCESS(at_device_do("resume 0"));
	TEST_ASSERT_SUCCESS(rte_umr_dev_stop(bed.side->dev_id));
	TEST_ASSERT_EQUAL(rte_umr_mbuf_fifo_take(fifo, 2, mbufs, NULL, NB_OPS), 3);
	rte_pktmbuf_free_bulk(mbufs, 3);
	TEST_ASSERT_EQUAL(rte_umr_mbuf_fifo_reset(fifo), NB_OPS - 3);
	TEST_ASSERT_EQUAL(rte_mempool_avail_count(pool), NB_OPS);
	rte_umr_mbuf_fifo_destroy(fifo);
	rte_mempool_free(pool);
	return TEST_SUCCESS;
}

/* Some of what is outstanding was done before. */
AT_CASE(lost, device_falls_silent_in_between)
{
	struct bed bed;

	TEST_NEED(bed_build(env, &bed, 0, SILENCE));
	TEST_ASSERT_SUCCESS(all_post(&bed));
	for (uint16_t q = 0; q < NB_QUEUES; q++)
		TEST_ASSERT_SUCCESS(queue_collect(&bed, q));
	TEST_ASSERT_SUCCESS(at_device_do("halt 0"));
	TEST_ASSERT_SUCCESS(all_come_back(&bed, RTE_UMR_DEV_STATUS_SILENT));
	TEST_ASSERT_SUCCESS(nothing_goes_any_more(&bed));
	TEST_ASSERT_SUCCESS(at_device_do("resume 0"));
	return TEST_SUCCESS;
}

/* Nobody waits for anything, and yet the application learns of it. */
AT_CASE(lost, idle_device_is_heard)
{
	struct bed bed;

	TEST_NEED(bed_build(env, &bed, 0, SILENCE));
	TEST_ASSERT_SUCCESS(at_device_do("halt 0"));
	TEST_ASSERT_SUCCESS(all_come_back(&bed, RTE_UMR_DEV_STATUS_SILENT));
	TEST_ASSERT_SUCCESS(at_device_do("resume 0"));
	/* Queues learn of it when they are polled. */
	for (uint16_t q = 0; q < NB_QUEUES; q++)
		TEST_ASSERT_SUCCESS(queue_collect(&bed, q));
	return nothing_goes_any_more(&bed);
}

/* A peer without a receive may take its time: the device is alive, whatever it waits for. */
AT_CASE(lost, device_that_waits_for_a_peer_is_not_silent)
{
	uint8_t status = RTE_UMR_DEV_STATUS_SILENT;
	struct at_device_stats before;
	struct rte_umr_completion done;
	struct bed bed;

	TEST_NEED(bed_build(env, &bed, 0, SILENCE ",rnr_retry=7"));
	const struct rte_umr_seg local = at_seg(bed.side, 0, LEN);
	TEST_ACCEPT(rte_umr_send(bed.side->dev_id, LOOPBACK, &local, RTE_UMR_OP_F_SUBMIT));
	TEST_ASSERT_SUCCESS(at_device_stats(&before));
	/* Nothing else is executed but what the driver asks: twice as often as would be enough. */
	TEST_ASSERT_SUCCESS(executed_wait(&before, 8));
	TEST_ASSERT_EQUAL(rte_umr_completed_status(bed.side->dev_id, LOOPBACK, 1, &done), 0);
	TEST_ASSERT_SUCCESS(rte_umr_dev_status(bed.side->dev_id, &status));
	TEST_ASSERT_EQUAL(status, RTE_UMR_DEV_STATUS_OK);
	TEST_ACCEPT(rte_umr_recv(bed.side->dev_id, LOOPBACK, &local, 1, 0));
	TEST_ASSERT_EQUAL(at_collect(bed.side->dev_id, LOOPBACK, &done, 1), 1);
	TEST_ASSERT_EQUAL(done.status, RTE_UMR_STATUS_SUCCESS);
	TEST_ASSERT_EQUAL(at_collect_recv(bed.side->dev_id, LOOPBACK, &done, 1), 1);
	TEST_ASSERT_EQUAL(done.status, RTE_UMR_STATUS_SUCCESS);
	return TEST_SUCCESS;
}

/* Stopped and started again, it is asked as before. */
AT_CASE(lost, restarted_device_is_heard)
{
	struct at_device_stats before;
	struct bed bed;

	TEST_NEED(bed_build(env, &bed, 0, SILENCE));
	for (unsigned int i = 0; i < 20; i++) {
		TEST_ASSERT_SUCCESS(rte_umr_dev_stop(bed.side->dev_id));
		TEST_ASSERT_SUCCESS(rte_umr_dev_start(bed.side->dev_id));
	}
	TEST_ASSERT_SUCCESS(at_device_stats(&before));
	TEST_ASSERT_SUCCESS(executed_wait(&before, 3));
	TEST_ASSERT_SUCCESS(at_device_do("halt 0"));
	TEST_ASSERT_SUCCESS(all_come_back(&bed, RTE_UMR_DEV_STATUS_SILENT));
	TEST_ASSERT_SUCCESS(at_device_do("resume 0"));
	return TEST_SUCCESS;
}

AT_CASE(lost, silence_can_be_allowed)
{
	static const char *const bad[] = {
		"silence_ms=-1", "silence_ms=3600001", "silence_ms=x", "silence_ms=",
	};
	struct rte_umr_dev_info info;
	struct bed bed;

	for (unsigned int i = 0; i < RTE_DIM(bad); i++)
		TEST_ASSERT_SUCCESS(at_option_rejected(bad[i]));
	TEST_NEED(bed_build(env, &bed, 0, "silence_ms=0"));
	TEST_ASSERT_SUCCESS(rte_umr_dev_info_get(bed.side->dev_id, &info));
	TEST_ASSERT(info.max_queues > 0);
	TEST_ASSERT_SUCCESS(at_env_fini(env));
	return bed_build(env, &bed, 0, "silence_ms=3600000");
}

/* The kernel tells of it, and commands fail. */
AT_CASE(lost, crashed_device_gives_all_back)
{
	struct bed bed;

	TEST_NEED(bed_build(env, &bed, 1, "silence_ms=0"));
	TEST_ASSERT_SUCCESS(at_device_do("halt 1"));
	TEST_ASSERT_SUCCESS(all_post(&bed));
	TEST_ASSERT_SUCCESS(at_device_do("crash 1"));
	TEST_ASSERT_SUCCESS(all_come_back(&bed, RTE_UMR_DEV_STATUS_FAILED));
	for (uint16_t q = 0; q < NB_QUEUES; q++)
		TEST_ASSERT_EQUAL(bed.nb_flushed[q], bed.nb_posted[q]);
	TEST_ASSERT_SUCCESS(nothing_goes_any_more(&bed));
	TEST_ASSERT_EQUAL(rte_umr_dev_stop(bed.side->dev_id), -EIO);
	/* Regions, keys and the device can be given back all the same. */
	TEST_ASSERT_SUCCESS(at_env_fini(env));
	/* Another life. */
	TEST_ASSERT_SUCCESS(at_device_do("resume 1"));
	TEST_NEED(bed_build(env, &bed, 1, "silence_ms=0"));
	TEST_ASSERT_SUCCESS(all_post(&bed));
	while (bed.nb_back[LOOPBACK] != NB_OPS - NB_BUILT)
		TEST_ASSERT_SUCCESS(queue_collect(&bed, LOOPBACK));
	TEST_ASSERT_EQUAL(bed.nb_flushed[LOOPBACK], 0);
	return TEST_SUCCESS;
}

/* Who keeps EAL's interrupt thread, and until when. */
struct hold {
	unsigned int is_held;
	unsigned int is_over;
};

static void
interrupts_hold(void *arg)
{
	const uint64_t deadline = patience_end();
	struct hold *hold = arg;

	__atomic_store_n(&hold->is_held, 1, __ATOMIC_RELEASE);
	while (__atomic_load_n(&hold->is_over, __ATOMIC_ACQUIRE) == 0 &&
	       !patience_is_over(deadline))
		usleep(100);
	__atomic_store_n(&hold->is_held, 0, __ATOMIC_RELEASE);
}

static int
hold_wait(const struct hold *hold, unsigned int is_held)
{
	const uint64_t deadline = patience_end();

	while (__atomic_load_n(&hold->is_held, __ATOMIC_ACQUIRE) != is_held)
		TEST_ASSERT(!patience_is_over(deadline));
	return TEST_SUCCESS;
}

/* Take what comes until something has failed. The status of the device is checked at each. */
static int
failure_wait(struct bed *bed)
{
	const uint64_t deadline = patience_end();
	uint64_t nb = 0;

	while (nb == 0) {
		TEST_ASSERT(!patience_is_over(deadline));
		for (uint16_t q = 0; q < NB_QUEUES; q++) {
			TEST_ASSERT_SUCCESS(queue_collect(bed, q));
			nb += bed->nb_flushed[q] + bed->recvs_back[q];
		}
	}
	return TEST_SUCCESS;
}

/* Nobody but the queues themselves can have read that the device is gone. */
static int
removed_while_interrupts_wait(struct bed *bed)
{
	struct hold hold = { 0 };
	int ret;

	TEST_ASSERT_SUCCESS(rte_eal_alarm_set(1, interrupts_hold, &hold));
	TEST_ASSERT_SUCCESS(hold_wait(&hold, 1));
	ret = at_device_do("remove 0");
	if (ret == TEST_SUCCESS)
		ret = failure_wait(bed);
	__atomic_store_n(&hold.is_over, 1, __ATOMIC_RELEASE);
	TEST_ASSERT_SUCCESS(hold_wait(&hold, 0));
	return ret;
}

AT_CASE(lost, removed_device_gives_all_back)
{
	struct bed bed;

	TEST_NEED(bed_build(env, &bed, 0, SILENCE));
	TEST_ASSERT_SUCCESS(all_post(&bed));
	TEST_ASSERT_SUCCESS(removed_while_interrupts_wait(&bed));
	TEST_ASSERT_SUCCESS(all_come_back(&bed, RTE_UMR_DEV_STATUS_FAILED));
	TEST_ASSERT_SUCCESS(nothing_goes_any_more(&bed));
	TEST_ASSERT_EQUAL(rte_umr_dev_stop(bed.side->dev_id), -EIO);
	TEST_ASSERT_SUCCESS(at_env_fini(env));
	TEST_ASSERT_EQUAL(rte_umr_dev_probe(bed.name, NULL), -ENODEV);
	return TEST_SUCCESS;
}
