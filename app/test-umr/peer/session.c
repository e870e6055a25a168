/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <sched.h>
#include <stdarg.h>

#include <rte_cycles.h>
#include <rte_errno.h>
#include <rte_malloc.h>

#include "peer/session.h"

#define QUEUE		0
#define NB_DESC		256u

static int __attribute__((format(printf, 3, 4)))
session_fail(struct peer_session *s, int ret, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(s->why, sizeof(s->why), format, args);
	va_end(args);
	return ret;
}

static int
area_create(struct peer_session *s, struct peer_area *area, uint32_t size)
{
	const struct rte_umr_mr_conf conf = {
		.addr = rte_zmalloc("peer area", size, 4096),
		.len = size,
		.access = s->info.access_capa,
	};
	const struct rte_umr_mr_conf closed = {
		.addr = conf.addr,
		.len = size,
		.access = RTE_UMR_ACCESS_LOCAL_WRITE,
	};

	area->memory = conf.addr;
	area->size = size;
	if (area->memory == NULL)
		return session_fail(s, -ENOMEM, "no memory for %u bytes", size);
	for (uint32_t i = 0; i < PEER_NB_MRS; i++) {
		area->mrs[i] = rte_umr_mr_register(s->dev_id, &conf);
		if (area->mrs[i] == NULL)
			return session_fail(s, -rte_errno, "registering %u bytes: %s", size,
					    rte_strerror(rte_errno));
	}
	area->closed = rte_umr_mr_register(s->dev_id, &closed);
	if (area->closed == NULL)
		return session_fail(s, -rte_errno, "registering %u bytes: %s", size,
				    rte_strerror(rte_errno));
	return 0;
}

static int
memory_create(struct peer_session *s, const struct peer_session_conf *conf)
{
	const struct rte_umr_mkey_pool_conf pool_conf = {
		.nb_mkeys = conf->nb_keys,
		.max_entries = RTE_MIN(conf->max_entries, s->info.max_entries),
		.socket_id = SOCKET_ID_ANY,
	};
	int ret;

	while (s->nb_areas < conf->nb_areas) {
		ret = area_create(s, &s->areas[s->nb_areas], conf->sizes[s->nb_areas]);
		/* Count an incomplete area, too, so that it is freed. */
		s->nb_areas++;
		if (ret != 0)
			return ret;
	}
	s->pool = rte_umr_mkey_pool_create(s->dev_id, &pool_conf);
	if (s->pool == NULL)
		return session_fail(s, -rte_errno, "creating %u keys of %u entries: %s",
				    conf->nb_keys, conf->max_entries, rte_strerror(rte_errno));
	return 0;
}

static int
queues_create(struct peer_session *s, uint32_t nb)
{
	const struct rte_umr_dev_conf dev_conf = { .nb_queues = (uint16_t)nb };
	const struct rte_umr_queue_conf conf = {
		.transport = RTE_UMR_TRANSPORT_RC,
		.nb_desc = (uint16_t)RTE_MAX(RTE_MIN(NB_DESC, s->info.max_desc), s->info.min_desc),
		.socket_id = SOCKET_ID_ANY,
	};
	int ret = rte_umr_dev_configure(s->dev_id, &dev_conf);

	for (uint32_t i = 0; ret == 0 && i < nb; i++)
		ret = rte_umr_queue_setup(s->dev_id, (uint16_t)i, &conf);
	if (ret == 0)
		ret = rte_umr_dev_start(s->dev_id);
	if (ret != 0)
		return session_fail(s, ret, "%u queues of %s: %s", nb, s->info.dev_name,
				    rte_strerror(-ret));
	s->nb_queues = nb;
	return 0;
}

int
peer_session_open(struct peer_session *s, int16_t dev_id, const struct peer_session_conf *conf)
{
	const uint64_t needed = RTE_UMR_CAPA_RC | RTE_UMR_CAPA_MKEY_LIST;
	int ret;

	*s = (struct peer_session){ .dev_id = dev_id };
	ret = rte_umr_dev_info_get(dev_id, &s->info);
	if (ret != 0)
		return session_fail(s, ret, "device %d: %s", dev_id, rte_strerror(-ret));
	if ((s->info.dev_capa & needed) != needed)
		return session_fail(s, -ENOTSUP, "%s lacks RC or lists", s->info.dev_name);
	ret = memory_create(s, conf);
	if (ret == 0)
		ret = queues_create(s, conf->nb_queues);
	if (ret != 0)
		peer_session_close(s);
	return ret;
}

void
peer_session_close(struct peer_session *s)
{
	rte_umr_dev_stop(s->dev_id);
	peer_session_give(s);
	rte_umr_mkey_pool_destroy(s->pool);
	s->pool = NULL;
	for (uint32_t i = 0; i < s->nb_areas; i++) {
		for (uint32_t m = 0; m < PEER_NB_MRS; m++)
			rte_umr_mr_deregister(s->areas[i].mrs[m]);
		rte_umr_mr_deregister(s->areas[i].closed);
		rte_free(s->areas[i].memory);
	}
	s->nb_areas = 0;
}

/* Collect outstanding operations, whatever their status, until the queue leaves the error state. */
static int
queue_recover(struct peer_session *s, uint16_t queue)
{
	const uint64_t deadline = rte_get_timer_cycles() +
				  rte_get_timer_hz() * PEER_TIMEOUT_MS / 1000;
	struct rte_umr_completion done;
	int ret;

	while ((ret = rte_umr_queue_recover(s->dev_id, queue)) == -EBUSY &&
	       rte_get_timer_cycles() < deadline)
		if (rte_umr_completed_status(s->dev_id, queue, 1, &done) == 0)
			sched_yield();
	return ret == -EALREADY ? 0 : ret;
}

int
peer_session_leave(struct peer_session *s, uint32_t queue)
{
	int ret;

	if (queue >= s->nb_queues)
		return session_fail(s, -EINVAL, "queue %u: there are %u", queue, s->nb_queues);
	ret = queue_recover(s, (uint16_t)queue);
	if (ret != 0)
		return session_fail(s, ret, "recovering queue %u: %s", queue, rte_strerror(-ret));
	return 0;
}

int
peer_session_connect(struct peer_session *s, uint32_t queue, const struct rte_umr_endpoint *remote,
		     struct rte_umr_endpoint *local)
{
	const uint16_t queue_id = (uint16_t)queue;
	int ret = peer_session_leave(s, queue);

	if (ret != 0)
		return ret;
	ret = rte_umr_queue_endpoint_get(s->dev_id, queue_id, local);
	if (ret == 0 && local->link_layer != remote->link_layer)
		return session_fail(s, -EINVAL, "the client's device has another link layer");
	if (ret == 0)
		ret = rte_umr_queue_connect(s->dev_id, queue_id, remote);
	if (ret != 0)
		return session_fail(s, ret, "connecting: %s", rte_strerror(-ret));
	return 0;
}

int
peer_session_take(struct peer_session *s, uint32_t nb)
{
	int ret;

	if (s->nb_taken != 0 || nb == 0 || nb > PEER_MAX_KEYS)
		return session_fail(s, -EINVAL, "%u keys, beside %u that are taken; at most %u",
				    nb, s->nb_taken, PEER_MAX_KEYS);
	ret = rte_umr_mkey_get_bulk(s->pool, s->taken, nb);
	if (ret != 0)
		return session_fail(s, -ENOBUFS, "there are no %u keys", nb);
	s->nb_taken = nb;
	return 0;
}

void
peer_session_give(struct peer_session *s)
{
	if (s->nb_taken != 0)
		rte_umr_mkey_put_bulk(s->pool, s->taken, s->nb_taken);
	s->nb_taken = 0;
}

/* Submit the operation that an enqueue function returned, and wait for it. */
static int
op_finish(struct peer_session *s, int ret, const char *what)
{
	const uint64_t deadline = rte_get_timer_cycles() +
				  rte_get_timer_hz() * PEER_TIMEOUT_MS / 1000;
	struct rte_umr_completion done;

	if (ret >= 0)
		ret = rte_umr_submit(s->dev_id, QUEUE);
	if (ret < 0)
		return session_fail(s, ret, "%s was rejected: %s", what, rte_strerror(-ret));
	while (rte_umr_completed_status(s->dev_id, QUEUE, 1, &done) == 0) {
		if (rte_get_timer_cycles() > deadline)
			return session_fail(s, -ETIMEDOUT, "%s did not complete within %d ms",
					    what, PEER_TIMEOUT_MS);
		/* A software device needs a CPU, too. */
		sched_yield();
	}
	if (done.status != RTE_UMR_STATUS_SUCCESS)
		return session_fail(s, -EIO, "%s ended with '%s', syndrome 0x%02x", what,
				    rte_umr_status_name(done.status), done.syndrome);
	return 0;
}

static int
key_check(struct peer_session *s, uint32_t key)
{
	if (key < s->nb_taken)
		return 0;
	return session_fail(s, -EINVAL, "key %u: %u are taken", key, s->nb_taken);
}

int
peer_session_list(struct peer_session *s, uint32_t key, uint32_t access,
		  const struct rte_umr_seg *segs, uint32_t nb)
{
	int ret = key_check(s, key);

	if (ret != 0)
		return ret;
	ret = rte_umr_mkey_list(s->dev_id, QUEUE, s->taken[key], access, segs, nb, 0);
	return op_finish(s, ret, "list");
}

int
peer_session_interleaved(struct peer_session *s, uint32_t key, uint32_t access, uint32_t repeat,
			 const struct rte_umr_interleaved *entries, uint32_t nb)
{
	int ret = key_check(s, key);

	if (ret != 0)
		return ret;
	ret = rte_umr_mkey_interleaved(s->dev_id, QUEUE, s->taken[key], access, repeat, entries,
				       nb, 0);
	return op_finish(s, ret, "interleaved");
}

int
peer_session_invalidate(struct peer_session *s, uint32_t key)
{
	int ret = key_check(s, key);

	if (ret != 0)
		return ret;
	ret = rte_umr_mkey_invalidate(s->dev_id, QUEUE, s->taken[key], 0);
	return op_finish(s, ret, "invalidate");
}
