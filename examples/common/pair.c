/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_memory.h>

#include "pair.h"

#define NB_RECV_DESC 8

static int
failed(const char *what, int ret)
{
	fprintf(stderr, "%s: %s\n", what, strerror(-ret));
	return ret;
}

static int
queue_connect(const struct pair *pair, uint16_t queue, uint16_t peer)
{
	struct rte_umr_endpoint endpoint;
	int ret = rte_umr_queue_endpoint_get(pair->dev_id, peer, &endpoint);

	if (ret != 0)
		return ret;
	return rte_umr_queue_connect(pair->dev_id, queue, &endpoint);
}

/* Set up the queues of both sides in the PD of each side, and connect them. */
static int
queues_start(struct pair *pair, const struct pair_conf *conf)
{
	const uint16_t nb = pair->nb_queues;
	const struct rte_umr_dev_conf dev_conf = { .nb_queues = (uint16_t)(2 * nb) };
	struct rte_umr_queue_conf queue_conf = conf->queue;
	uint16_t i;
	int ret;

	queue_conf.transport = RTE_UMR_TRANSPORT_RC;
	queue_conf.socket_id = SOCKET_ID_ANY;
	queue_conf.nb_desc = RTE_MIN(queue_conf.nb_desc, pair->info.max_desc);
	if (conf->msg_len != 0 && queue_conf.nb_recv_desc == 0)
		queue_conf.nb_recv_desc = NB_RECV_DESC;
	ret = rte_umr_dev_configure(pair->dev_id, &dev_conf);
	for (i = 0; i < 2 * nb && ret == 0; i++) {
		queue_conf.pd = pair->pds[i < nb ? PAIR_NEAR : PAIR_FAR];
		ret = rte_umr_queue_setup(pair->dev_id, i, &queue_conf);
	}
	if (ret == 0)
		ret = rte_umr_dev_start(pair->dev_id);
	for (i = 0; i < 2 * nb && ret == 0; i++)
		ret = queue_connect(pair, i, (uint16_t)(i < nb ? i + nb : i - nb));
	return ret;
}

int
pair_open(struct pair *pair, const char *device, const struct pair_conf *conf)
{
	char name[1][RTE_UMR_DEV_NAME_LEN];
	int ret;

	*pair = (struct pair){ .nb_queues = conf->nb_queues != 0 ? conf->nb_queues : 1 };
	if (device == NULL) {
		if (rte_umr_dev_scan(name, 1) == 0)
			return failed("no device (swhca-run has some) or no driver (EAL's -d)",
				      -ENODEV);
		device = name[0];
	}
	ret = rte_umr_dev_probe(device, &pair->dev_id);
	if (ret != 0)
		return failed(device, ret);
	ret = rte_umr_dev_info_get(pair->dev_id, &pair->info);
	if (ret == 0) {
		pair->pds[PAIR_FAR] = rte_umr_pd_alloc(pair->dev_id);
		if (pair->pds[PAIR_FAR] == NULL)
			ret = -rte_errno;
	}
	if (ret == 0)
		ret = queues_start(pair, conf);
	if (ret == 0 && conf->msg_len != 0)
		ret = pair_mem_alloc(pair, PAIR_NEAR, conf->msg_len, &pair->msg[PAIR_NEAR]);
	if (ret == 0 && conf->msg_len != 0)
		ret = pair_mem_alloc(pair, PAIR_FAR, conf->msg_len, &pair->msg[PAIR_FAR]);
	if (ret == 0)
		return 0;
	pair_close(pair);
	return failed("queues of the device", ret);
}

void
pair_close(struct pair *pair)
{
	rte_umr_dev_stop(pair->dev_id);
	pair_mem_free(&pair->msg[PAIR_NEAR]);
	pair_mem_free(&pair->msg[PAIR_FAR]);
	/* This also frees queues and PDs. */
	rte_umr_dev_close(pair->dev_id);
}

int
pair_run(int argc, char **argv, struct pair *pair, const char *device, const struct pair_conf *conf,
	 int (*run)(void *arg), void *arg)
{
	int ret;

	if (rte_eal_init(argc, argv) < 0)
		return EXIT_FAILURE;
	ret = pair_open(pair, device, conf);
	if (ret == 0) {
		ret = run(arg);
		pair_close(pair);
	}
	rte_eal_cleanup();
	return ret == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

int
pair_mem_alloc(const struct pair *pair, enum pair_side side, size_t len, struct pair_mem *mem)
{
	struct rte_umr_mr_conf conf = {
		.len = len,
		.access = RTE_UMR_ACCESS_LOCAL_WRITE | RTE_UMR_ACCESS_REMOTE_READ |
			  RTE_UMR_ACCESS_REMOTE_WRITE,
		.pd = pair->pds[side],
	};
	size_t i;
	int ret;

	conf.addr = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (conf.addr == MAP_FAILED)
		return -errno;
	mem->mr = rte_umr_mr_register(pair->dev_id, &conf);
	if (mem->mr == NULL) {
		ret = -rte_errno;
		munmap(conf.addr, len);
		return ret;
	}
	mem->addr = conf.addr;
	mem->len = len;
	for (i = 0; i < len; i++)
		mem->addr[i] = (uint8_t)(rand() >> 8);
	return 0;
}

void
pair_mem_free(struct pair_mem *mem)
{
	if (mem->mr == NULL)
		return;
	rte_umr_mr_deregister(mem->mr);
	munmap(mem->addr, mem->len);
	*mem = (struct pair_mem){ 0 };
}

int
pair_keys_create(const struct pair *pair, enum pair_side side, uint32_t nb, uint32_t max_entries,
		 uint32_t flags, struct pair_keys *keys)
{
	const struct rte_umr_mkey_pool_conf conf = {
		.nb_mkeys = nb,
		.max_entries = max_entries,
		.socket_id = SOCKET_ID_ANY,
		.flags = flags,
		.pd = pair->pds[side],
	};
	int ret;

	keys->mkeys = calloc(nb, sizeof(*keys->mkeys));
	if (keys->mkeys == NULL)
		return -ENOMEM;
	keys->pool = rte_umr_mkey_pool_create(pair->dev_id, &conf);
	if (keys->pool == NULL) {
		ret = -rte_errno;
		goto free_mkeys;
	}
	ret = rte_umr_mkey_get_bulk(keys->pool, keys->mkeys, nb);
	if (ret != 0)
		goto destroy_pool;
	keys->nb = nb;
	return 0;

destroy_pool:
	rte_umr_mkey_pool_destroy(keys->pool);
free_mkeys:
	free(keys->mkeys);
	return ret;
}

void
pair_keys_destroy(struct pair_keys *keys)
{
	if (keys->nb == 0)
		return;
	rte_umr_mkey_put_bulk(keys->pool, keys->mkeys, keys->nb);
	rte_umr_mkey_pool_destroy(keys->pool);
	free(keys->mkeys);
	*keys = (struct pair_keys){ 0 };
}

/* Print the operation that stopped a queue; the following ones are flushed. */
static int
failure_print(const struct pair *pair, uint16_t queue)
{
	struct rte_umr_completion done;

	if (rte_umr_completed_status(pair->dev_id, queue, 1, &done) == 1)
		fprintf(stderr, "queue %u, operation %u, %s: %s, syndrome 0x%02x\n", queue,
			done.idx, rte_umr_op_name(done.op), rte_umr_status_name(done.status),
			done.syndrome);
	return -EIO;
}

/* Submit enqueued operations and return the number of outstanding ones. */
static int
outstanding(const struct pair *pair, uint16_t queue, uint32_t *nb)
{
	struct rte_umr_queue_stats stats;
	int ret = rte_umr_submit(pair->dev_id, queue);

	if (ret == 0)
		ret = rte_umr_queue_stats_get(pair->dev_id, queue, &stats);
	if (ret == 0)
		/* Operations flushed before submission only count as completed. */
		*nb = stats.nb_completed >= stats.nb_submitted ? 0 :
			(uint32_t)(stats.nb_submitted - stats.nb_completed);
	return ret;
}

int
pair_collect(const struct pair *pair, uint16_t queue)
{
	const uint64_t patience = PAIR_TIMEOUT_S * rte_get_timer_hz();
	uint64_t deadline = rte_get_timer_cycles() + patience;
	bool has_error = false;
	uint16_t got;
	uint32_t nb;
	int ret;

	ret = outstanding(pair, queue, &nb);
	for (; ret == 0 && nb > 0; nb -= got) {
		got = rte_umr_completed(pair->dev_id, queue,
					(uint16_t)RTE_MIN(nb, (uint32_t)UINT16_MAX), NULL,
					&has_error);
		if (has_error)
			return failure_print(pair, queue);
		if (got != 0)
			deadline = rte_get_timer_cycles() + patience;
		else if (rte_get_timer_cycles() > deadline)
			return -ETIMEDOUT;
	}
	return ret;
}

/* There is room again after outstanding operations are collected. */
bool
pair_retry(const struct pair *pair, uint16_t queue, int ret, uint64_t *start)
{
	const uint64_t begin = rte_rdtsc();
	uint32_t nb;

	if (ret != -ENOSPC || outstanding(pair, queue, &nb) != 0 || nb == 0)
		return false;
	if (pair_collect(pair, queue) != 0)
		return false;
	*start += rte_rdtsc() - begin;
	return true;
}

static int
recv_collect(const struct pair *pair, uint16_t queue)
{
	const uint64_t deadline = rte_get_timer_cycles() + PAIR_TIMEOUT_S * rte_get_timer_hz();
	struct rte_umr_completion done;

	while (rte_umr_recv_completed(pair->dev_id, queue, 1, &done) == 0)
		if (rte_get_timer_cycles() > deadline)
			return -ETIMEDOUT;
	return done.status == RTE_UMR_STATUS_SUCCESS ? 0 : -EIO;
}

int
pair_send(struct pair *pair, enum pair_side from, const void *what, uint32_t len, void *heard)
{
	const enum pair_side to = from == PAIR_NEAR ? PAIR_FAR : PAIR_NEAR;
	const struct pair_mem *out = &pair->msg[from], *in = &pair->msg[to];
	struct rte_umr_seg seg;
	int ret;

	if (len == 0 || len > out->len)
		return -EMSGSIZE;
	memcpy(out->addr, what, len);
	seg = pair_seg(in, 0, len);
	ret = rte_umr_recv(pair->dev_id, pair_queue(pair, to, 0), &seg, 1, 0);
	if (ret < 0)
		return ret;
	seg = pair_seg(out, 0, len);
	ret = rte_umr_send(pair->dev_id, pair_queue(pair, from, 0), &seg, 0);
	if (ret >= 0)
		ret = pair_collect(pair, pair_queue(pair, from, 0));
	if (ret == 0)
		ret = recv_collect(pair, pair_queue(pair, to, 0));
	if (ret != 0)
		return ret;
	memcpy(heard, in->addr, len);
	pair->nb_sent += len;
	return 0;
}
