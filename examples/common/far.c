/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_byteorder.h>
#include <rte_cycles.h>
#include <rte_errno.h>
#include <rte_malloc.h>
#include <rte_mbuf.h>
#include <rte_pause.h>

#include "far.h"

#define DEADLINE_S 60u
#define MAX_RECOVERIES 32u
#define NEAR 0
#define FAR 1

/* Control functions of a device must not run at the same time. */
static pthread_mutex_t control = PTHREAD_MUTEX_INITIALIZER;

/* Probe two devices, or one that also provides the queues of the far side. */
static int
devices_probe(struct far *far)
{
	const uint16_t nb = rte_umr_dev_scan(far->names, RTE_DIM(far->names));
	int ret;

	if (nb == 0) {
		fprintf(stderr, "no device (swhca-run has some) or no driver (EAL's -d)\n");
		return -ENODEV;
	}
	if (nb == 1)
		memcpy(far->names[FAR], far->names[NEAR], sizeof(far->names[FAR]));
	ret = rte_umr_dev_probe(far->names[NEAR], &far->dev_ids[NEAR]);
	if (ret == 0 && nb > 1)
		ret = rte_umr_dev_probe(far->names[FAR], &far->dev_ids[FAR]);
	else if (ret == 0)
		far->dev_ids[FAR] = far->dev_ids[NEAR];
	return ret;
}

/* First queue of the far side. */
static uint16_t
far_first(const struct far *far)
{
	return far->dev_ids[FAR] == far->dev_ids[NEAR] ? far->conf.nb_queues : 0;
}

static int
device_start(const struct far *far, int16_t dev_id)
{
	const struct far_conf *conf = &far->conf;
	const struct rte_umr_dev_conf dev_conf = { .nb_queues = far_first(far) + conf->nb_queues };
	const struct rte_umr_queue_conf queue_conf = {
		.transport = RTE_UMR_TRANSPORT_RC,
		.nb_desc = conf->nb_desc,
		.nb_recv_desc = conf->nb_slots,
		.socket_id = SOCKET_ID_ANY,
	};
	uint16_t i;
	int ret;

	ret = rte_umr_dev_configure(dev_id, &dev_conf);
	for (i = 0; i < dev_conf.nb_queues && ret == 0; i++)
		ret = rte_umr_queue_setup(dev_id, i, &queue_conf);
	return ret == 0 ? rte_umr_dev_start(dev_id) : ret;
}

static int
queue_connect(struct far_queue *queue)
{
	struct rte_umr_endpoint this_end, far_end;
	int ret;

	ret = rte_umr_queue_endpoint_get(queue->dev_id, queue->id, &this_end);
	if (ret == 0)
		ret = rte_umr_queue_endpoint_get(queue->far_dev_id, queue->far_id, &far_end);
	if (ret == 0)
		ret = rte_umr_queue_connect(queue->dev_id, queue->id, &far_end);
	if (ret == 0)
		ret = rte_umr_queue_connect(queue->far_dev_id, queue->far_id, &this_end);
	return ret;
}

/* Writes carry their data; receives are only needed for the immediate data. */
static int
receives_post(struct far_queue *queue)
{
	uint32_t i;
	int ret = 0;

	for (i = 0; i < queue->nb_slots && ret >= 0; i++)
		ret = rte_umr_recv(queue->far_dev_id, queue->far_id, NULL, 0, 0);
	return RTE_MIN(ret, 0);
}

/* Create everything that the devices access: slots of both sides, keys, and the mempool. */
static int
memory_create(struct far *far)
{
	const struct far_conf *conf = &far->conf;
	const uint32_t nb_slots = conf->nb_queues * conf->nb_slots;
	const struct rte_umr_mkey_pool_conf pool_conf = {
		.nb_mkeys = nb_slots,
		.max_entries = RTE_UMR_MBUF_MAX_SEGS,
		.socket_id = SOCKET_ID_ANY,
	};
	struct rte_umr_mr_conf mr_conf = { .len = (size_t)nb_slots * conf->slot_len };
	int ret;

	far->memory = rte_malloc(NULL, 2 * mr_conf.len, 4096);
	far->mkeys = calloc(nb_slots, sizeof(*far->mkeys));
	if (far->memory == NULL || far->mkeys == NULL)
		return -ENOMEM;
	/* Touch all pages, so that copies cause no page faults. */
	memset(far->memory, 0, 2 * mr_conf.len);
	mr_conf.addr = far->memory;
	far->linear = rte_umr_mr_register(far->dev_ids[NEAR], &mr_conf);
	if (far->linear == NULL)
		return -rte_errno;
	mr_conf.addr = far->memory + mr_conf.len;
	mr_conf.access = RTE_UMR_ACCESS_LOCAL_WRITE | RTE_UMR_ACCESS_REMOTE_WRITE;
	far->landing = rte_umr_mr_register(far->dev_ids[FAR], &mr_conf);
	if (far->landing == NULL)
		return -rte_errno;
	far->mkey_pool = rte_umr_mkey_pool_create(far->dev_ids[NEAR], &pool_conf);
	if (far->mkey_pool == NULL)
		return -rte_errno;
	ret = rte_umr_mkey_get_bulk(far->mkey_pool, far->mkeys, nb_slots);
	if (ret != 0) {
		memset(far->mkeys, 0, nb_slots * sizeof(*far->mkeys));
		return ret;
	}
	/* Mbufs are only read, so grant no write access. */
	ret = rte_umr_mempool_register(far->dev_ids[NEAR], conf->pool, 0);
	far->has_mempool = ret == 0;
	return ret;
}

static int
queue_create(struct far *far, uint16_t id)
{
	const size_t first = (size_t)id * far->conf.nb_slots;
	struct far_queue *queue = &far->queues[id];
	int ret;

	*queue = (struct far_queue){
		.dev_id = far->dev_ids[NEAR],
		.far_dev_id = far->dev_ids[FAR],
		.id = id,
		.far_id = far_first(far) + id,
		.mkeys = &far->mkeys[first],
		.linear = far->linear->addr,
		.landing = far->landing->addr,
		.linear_lkey = far->linear->lkey,
		.landing_rkey = far->landing->rkey,
		.nb_slots = far->conf.nb_slots,
		.slot_len = far->conf.slot_len,
	};
	queue->linear += first * queue->slot_len;
	queue->landing += first * queue->slot_len;
	queue->fifo = rte_umr_mbuf_fifo_create(queue->dev_id, id, 0);
	if (queue->fifo == NULL)
		return -rte_errno;
	ret = queue_connect(queue);
	return ret == 0 ? receives_post(queue) : ret;
}

int
far_open(struct far *far, const struct far_conf *conf)
{
	uint16_t i;
	int ret;

	memset(far, 0, sizeof(*far));
	far->dev_ids[NEAR] = -1;
	far->dev_ids[FAR] = -1;
	far->conf = *conf;
	ret = devices_probe(far);
	if (ret == 0)
		ret = device_start(far, far->dev_ids[NEAR]);
	if (ret == 0 && far->dev_ids[FAR] != far->dev_ids[NEAR])
		ret = device_start(far, far->dev_ids[FAR]);
	if (ret == 0)
		ret = memory_create(far);
	for (i = 0; i < conf->nb_queues && ret == 0; i++)
		ret = queue_create(far, i);
	if (ret != 0)
		far_close(far);
	return ret;
}

void
far_close(struct far *far)
{
	const uint32_t nb_slots = far->conf.nb_queues * far->conf.nb_slots;
	uint16_t i;

	/* Stopped devices access nothing; a lost one may until it is closed, which frees mbufs. */
	for (i = 0; i < RTE_DIM(far->dev_ids); i++)
		if (far->dev_ids[i] >= 0)
			rte_umr_dev_stop(far->dev_ids[i]);
	if (far->has_mempool)
		rte_umr_mempool_unregister(far->dev_ids[NEAR], far->conf.pool);
	if (far->mkeys != NULL && far->mkeys[0] != NULL)
		rte_umr_mkey_put_bulk(far->mkey_pool, far->mkeys, nb_slots);
	rte_umr_mkey_pool_destroy(far->mkey_pool);
	rte_umr_mr_deregister(far->landing);
	rte_umr_mr_deregister(far->linear);
	if (far->dev_ids[FAR] >= 0 && far->dev_ids[FAR] != far->dev_ids[NEAR])
		rte_umr_dev_close(far->dev_ids[FAR]);
	if (far->dev_ids[NEAR] >= 0)
		rte_umr_dev_close(far->dev_ids[NEAR]);
	for (i = 0; i < far->conf.nb_queues; i++)
		rte_umr_mbuf_fifo_destroy(far->queues[i].fifo);
	rte_free(far->memory);
	free(far->mkeys);
	memset(far, 0, sizeof(*far));
	far->dev_ids[NEAR] = -1;
	far->dev_ids[FAR] = -1;
}

/* Print the first failed operation; the following ones were flushed. */
static int
failure_print(const char *side, const struct rte_umr_completion *done)
{
	if (done->status == RTE_UMR_STATUS_SUCCESS)
		return 0;
	fprintf(stderr, "%s, %s: %s, syndrome 0x%02x\n", side, rte_umr_op_name(done->op),
		rte_umr_status_name(done->status), done->syndrome);
	return -EIO;
}

static int
near_poll(struct far_queue *queue)
{
	const uint64_t begin = rte_rdtsc();
	struct rte_umr_completion done;
	bool has_error;

	if (rte_umr_mbuf_fifo_completed(queue->fifo, UINT16_MAX, NULL, &has_error) != 0)
		queue->cycles += rte_rdtsc() - begin;
	if (!has_error || rte_umr_completed_status(queue->dev_id, queue->id, 1, &done) == 0)
		return 0;
	/* The FIFO holds its mbufs until far_recover() or far_close(). */
	queue->has_failed = true;
	queue->failed_idx = done.idx;
	return failure_print("this side", &done);
}

static int
message_arrived(struct far_queue *queue, uint32_t imm, far_take_t take, void *arg)
{
	const uint32_t slot = queue->nb_arrived++ % queue->nb_slots;

	queue->nb_recoveries = 0;
	return take(arg, queue->landing + (size_t)slot * queue->slot_len, imm);
}

int
far_poll(struct far_queue *queue, far_take_t take, void *arg)
{
	struct rte_umr_completion done;
	int ret = near_poll(queue);

	while (ret == 0 &&
	       rte_umr_recv_completed(queue->far_dev_id, queue->far_id, 1, &done) == 1) {
		ret = failure_print("far side", &done);
		if (ret != 0)
			break;
		ret = message_arrived(queue, rte_be_to_cpu_32(done.imm), take, arg);
		if (ret == 0)
			ret = rte_umr_recv(queue->far_dev_id, queue->far_id, NULL, 0, 0);
		ret = RTE_MIN(ret, 0);
	}
	return ret;
}

int
far_wait(struct far_queue *queue, uint32_t nb_left, uint16_t nb_desc, far_take_t take, void *arg)
{
	const uint64_t deadline = rte_get_timer_cycles() + DEADLINE_S * rte_get_timer_hz();
	int ret;

	do {
		ret = far_poll(queue, take, arg);
		if (ret != 0 || (queue->nb_posted - queue->nb_arrived <= nb_left &&
				 rte_umr_desc_avail(queue->dev_id, queue->id) >= nb_desc))
			return ret;
		rte_pause();
	} while (rte_get_timer_cycles() < deadline);
	fprintf(stderr, "%u messages did not arrive\n", queue->nb_posted - queue->nb_arrived);
	return -ETIMEDOUT;
}

/* Collect the operations that are left: free what was sent, take back what was not. */
static void
near_take_back(struct far_queue *queue, struct far_again *again, uint32_t *nb_mbufs)
{
	struct rte_umr_completion done = { .idx = queue->failed_idx };
	bool has_failed = queue->has_failed;
	uint32_t nb;

	queue->has_failed = false;
	while (has_failed || rte_umr_completed_status(queue->dev_id, queue->id, 1, &done) == 1) {
		if (!has_failed && done.status == RTE_UMR_STATUS_SUCCESS) {
			rte_umr_mbuf_fifo_release(queue->fifo, done.idx);
			continue;
		}
		has_failed = false;
		/* Only the last operation of a message has mbufs. */
		nb = rte_umr_mbuf_fifo_take(queue->fifo, done.idx, &again->mbufs[*nb_mbufs], NULL,
					    FAR_MAX_AGAIN - *nb_mbufs);
		*nb_mbufs += nb;
		if (nb != 0)
			again->nb_mbufs[again->nb_messages++] = (uint16_t)nb;
	}
}

/* Collect the receives that are left: messages have arrived in some. */
static int
arrivals_take(struct far_queue *queue, far_take_t take, void *arg)
{
	struct rte_umr_completion done;
	int ret = 0;

	while (ret == 0 &&
	       rte_umr_recv_completed(queue->far_dev_id, queue->far_id, 1, &done) == 1)
		if (done.status == RTE_UMR_STATUS_SUCCESS)
			ret = message_arrived(queue, rte_be_to_cpu_32(done.imm), take, arg);
	return ret;
}

int
far_recover(struct far_queue *queue, far_take_t take, void *arg, struct far_again *again)
{
	uint32_t nb_mbufs = 0;
	int near, far, ret;

	if (queue->nb_recoveries++ == MAX_RECOVERIES)
		return -EIO;
	pthread_mutex_lock(&control);
	again->nb_messages = 0;
	do {
		near_take_back(queue, again, &nb_mbufs);
		ret = arrivals_take(queue, take, arg);
		near = rte_umr_queue_recover(queue->dev_id, queue->id);
		far = rte_umr_queue_recover(queue->far_dev_id, queue->far_id);
	} while (ret == 0 && (near == -EBUSY || far == -EBUSY));
	if (ret == 0 && near != -EALREADY)
		ret = near;
	if (ret == 0 && far != -EALREADY)
		ret = far;
	if (ret == 0)
		ret = queue_connect(queue);
	pthread_mutex_unlock(&control);
	if (ret == 0)
		ret = receives_post(queue);
	if (ret != 0) {
		rte_pktmbuf_free_bulk(again->mbufs, nb_mbufs);
		return ret;
	}
	/* A far side in another process would send its nb_arrived. */
	again->nb_arrived = again->nb_messages - (queue->nb_posted - queue->nb_arrived);
	queue->nb_posted = queue->nb_arrived;
	return 0;
}
