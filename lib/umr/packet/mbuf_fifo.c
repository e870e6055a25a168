/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Mbufs and keys that operations of a queue use. They are freed in bursts when the operations are
 * collected.
 *
 * Ring indices have 16 bits, and a ring has at most 2^15 outstanding operations: indices up to 2^15
 * after the last collected operation are later, and others are less than 2^15 before it. So the
 * difference shows the order across wraps.
 */

#include <errno.h>
#include <string.h>

#include <rte_branch_prediction.h>
#include <rte_errno.h>
#include <rte_malloc.h>
#include <rte_mbuf.h>

#include "rte_umr_private.h"

#define MAX_OUTSTANDING	(1u << 15)
#define MAX_MBUFS	(1u << 30)

struct rte_umr_mbuf_fifo {
	int16_t dev_id;
	uint16_t queue_id;
	uint16_t last_idx; /* of the newest mbuf held */
	bool is_stuck; /* the device is lost, and may access mbufs of completed operations */
	uint32_t mask;
	uint32_t nb_mkeys; /* held */
	uint32_t head; /* oldest mbuf, free running */
	uint32_t tail; /* next free entry, free running */
	struct rte_umr_mkey_pool *pool; /* of the keys held */
	struct rte_umr_mkey **mkeys; /* of each mbuf; NULL: none, as in free entries */
	uint16_t *idxs; /* ring index of the operation of each mbuf; stored after mbufs and keys */
	struct rte_mbuf *mbufs[];
};

/** Whether operation idx is collected no later than operation last. */
static inline bool
is_done(uint16_t idx, uint16_t last)
{
	return (uint16_t)(last - idx) < MAX_OUTSTANDING;
}

/** Put the keys of nb entries that do not wrap into their pool. */
static void
mkeys_put(struct rte_umr_mbuf_fifo *fifo, uint32_t first, uint32_t nb)
{
	struct rte_umr_mkey **mkeys = &fifo->mkeys[first];
	uint32_t i, run;

	for (i = 0; i < nb; i += run + 1) {
		for (run = 0; i + run < nb && mkeys[i + run] != NULL; run++)
			;
		if (run == 0)
			continue;
		rte_umr_mkey_put_bulk(fifo->pool, &mkeys[i], run);
		memset(&mkeys[i], 0, run * sizeof(mkeys[0]));
		fifo->nb_mkeys -= run;
	}
}

/** Free the mbufs before end. */
static uint32_t
free_to(struct rte_umr_mbuf_fifo *fifo, uint32_t end)
{
	const uint32_t nb_freed = end - fifo->head;
	uint32_t first, nb;

	while (fifo->head != end) {
		first = fifo->head & fifo->mask;
		nb = RTE_MIN(end - fifo->head, fifo->mask + 1 - first);
		rte_pktmbuf_free_bulk(&fifo->mbufs[first], nb);
		if (fifo->nb_mkeys != 0)
			mkeys_put(fifo, first, nb);
		fifo->head += nb;
	}
	return nb_freed;
}

/** Configuration of a queue that can hold mbufs; NULL: none, rte_errno is set (logged). */
static const struct rte_umr_queue_conf *
queue_conf_find(int16_t dev_id, uint16_t queue_id, uint32_t nb_mbufs)
{
	const struct rte_umr_dev *dev = rte_umr_dev_get(dev_id);
	const struct rte_umr_queue_conf *conf;

	if (dev == NULL) {
		rte_errno = -rte_umr_no_dev("FIFO of mbufs");
		return NULL;
	}
	if (queue_id >= dev->nb_queues || dev->queues[queue_id] == NULL) {
		UMR_DEV_LOG(ERR, dev_id, "queue %u is not set up, it cannot have mbufs", queue_id);
		rte_errno = EINVAL;
		return NULL;
	}
	conf = &dev->queue_confs[queue_id];
	if (conf->nb_desc == 0 || conf->nb_desc > MAX_OUTSTANDING) {
		UMR_DEV_LOG(ERR, dev_id, "queue %u has %u descriptors, mbufs are held for [1, %u]",
			    queue_id, conf->nb_desc, MAX_OUTSTANDING);
		rte_errno = ENOTSUP;
		return NULL;
	}
	if (nb_mbufs > MAX_MBUFS) {
		UMR_DEV_LOG(ERR, dev_id, "queue %u cannot hold %u mbufs, but %u", queue_id,
			    nb_mbufs, MAX_MBUFS);
		rte_errno = EINVAL;
		return NULL;
	}
	return conf;
}

struct rte_umr_mbuf_fifo *
rte_umr_mbuf_fifo_create(int16_t dev_id, uint16_t queue_id, uint32_t nb_mbufs)
{
	const struct rte_umr_queue_conf *conf = queue_conf_find(dev_id, queue_id, nb_mbufs);
	struct rte_umr_mbuf_fifo *fifo;
	uint32_t size;

	if (conf == NULL)
		return NULL;
	size = rte_align32pow2(nb_mbufs != 0 ? nb_mbufs : conf->nb_desc);
	fifo = rte_zmalloc_socket("umr_mbuf_fifo",
				  sizeof(*fifo) + size * (sizeof(fifo->mbufs[0]) +
							  sizeof(fifo->mkeys[0]) +
							  sizeof(fifo->idxs[0])),
				  RTE_CACHE_LINE_SIZE, conf->socket_id);
	if (fifo == NULL) {
		rte_errno = ENOMEM;
		return NULL;
	}
	fifo->dev_id = dev_id;
	fifo->queue_id = queue_id;
	fifo->mask = size - 1;
	fifo->mkeys = (struct rte_umr_mkey **)&fifo->mbufs[size];
	fifo->idxs = (uint16_t *)&fifo->mkeys[size];
	return fifo;
}

uint32_t
rte_umr_mbuf_fifo_reset(struct rte_umr_mbuf_fifo *fifo)
{
	fifo->is_stuck = false;
	return free_to(fifo, fifo->tail);
}

void
rte_umr_mbuf_fifo_destroy(struct rte_umr_mbuf_fifo *fifo)
{
	if (fifo == NULL)
		return;
	rte_umr_mbuf_fifo_reset(fifo);
	rte_free(fifo);
}

uint32_t
rte_umr_mbuf_fifo_avail(const struct rte_umr_mbuf_fifo *fifo)
{
	return fifo->mask + 1 - (fifo->tail - fifo->head);
}

int
rte_umr_mbuf_fifo_hold(struct rte_umr_mbuf_fifo *fifo, uint16_t idx, struct rte_mbuf *const *mbufs,
		       uint16_t nb_mbufs)
{
	uint16_t i;

	if (unlikely(nb_mbufs > rte_umr_mbuf_fifo_avail(fifo)))
		return -ENOSPC;
	if (unlikely(fifo->head != fifo->tail && !is_done(fifo->last_idx, idx))) {
		UMR_DEV_LOG(ERR, fifo->dev_id,
			    "queue %u holds mbufs for operation %u already, which is "
			    "behind %u",
			    fifo->queue_id, fifo->last_idx, idx);
		return -EINVAL;
	}
	for (i = 0; i < nb_mbufs; i++) {
		fifo->mbufs[fifo->tail & fifo->mask] = mbufs[i];
		fifo->idxs[fifo->tail & fifo->mask] = idx;
		fifo->tail++;
	}
	fifo->last_idx = idx;
	return 0;
}

int
rte_umr_mbuf_fifo_hold_mkeys(struct rte_umr_mbuf_fifo *fifo, uint16_t idx,
			     struct rte_umr_mkey_pool *pool, struct rte_mbuf *const *mbufs,
			     struct rte_umr_mkey *const *mkeys, uint16_t nb)
{
	const uint32_t first = fifo->tail;
	uint16_t i;
	int ret;

	if (unlikely(fifo->nb_mkeys != 0 && pool != fifo->pool)) {
		UMR_DEV_LOG(ERR, fifo->dev_id,
			    "queue %u holds %u keys of pool %p, and can hold none of "
			    "%p",
			    fifo->queue_id, fifo->nb_mkeys, fifo->pool, pool);
		return -EINVAL;
	}
	ret = rte_umr_mbuf_fifo_hold(fifo, idx, mbufs, nb);
	if (unlikely(ret != 0))
		return ret;
	fifo->pool = pool;
	for (i = 0; i < nb; i++) {
		fifo->mkeys[(first + i) & fifo->mask] = mkeys[i];
		fifo->nb_mkeys += mkeys[i] != NULL;
	}
	return 0;
}

uint32_t
rte_umr_mbuf_fifo_release(struct rte_umr_mbuf_fifo *fifo, uint16_t last_idx)
{
	uint32_t end = fifo->head;

	while (end != fifo->tail && is_done(fifo->idxs[end & fifo->mask], last_idx))
		end++;
	return free_to(fifo, end);
}

uint16_t
rte_umr_mbuf_fifo_completed(struct rte_umr_mbuf_fifo *fifo, uint16_t nb_max, uint16_t *last_idx,
			    bool *has_error)
{
	uint16_t idx, nb;

	if (last_idx == NULL)
		last_idx = &idx;
	nb = rte_umr_completed(fifo->dev_id, fifo->queue_id, nb_max, last_idx, has_error);
	if (nb != 0 && likely(!fifo->is_stuck))
		rte_umr_mbuf_fifo_release(fifo, *last_idx);
	return nb;
}

static bool
is_lost(int16_t dev_id)
{
	uint8_t status = RTE_UMR_DEV_STATUS_OK;

	return rte_umr_dev_status(dev_id, &status) != 0 || status != RTE_UMR_DEV_STATUS_OK;
}

uint16_t
rte_umr_mbuf_fifo_completed_status(struct rte_umr_mbuf_fifo *fifo, uint16_t nb_max,
				   struct rte_umr_completion *done)
{
	const uint16_t nb = rte_umr_completed_status(fifo->dev_id, fifo->queue_id, nb_max, done);
	uint16_t nb_free = nb;

	if (nb == 0 || fifo->is_stuck)
		return nb;
	/* A lost device completes all remaining operations without success. */
	if (unlikely(done[nb - 1].status != RTE_UMR_STATUS_SUCCESS && is_lost(fifo->dev_id))) {
		fifo->is_stuck = true;
		for (nb_free = 0; done[nb_free].status == RTE_UMR_STATUS_SUCCESS; nb_free++)
			;
	}
	if (nb_free != 0)
		rte_umr_mbuf_fifo_release(fifo, done[nb_free - 1].idx);
	return nb;
}

/** Whether a lost device may still access mbufs. */
static bool
may_access(int16_t dev_id)
{
	const struct rte_umr_dev *dev = rte_umr_dev_get(dev_id);

	return dev != NULL && dev->is_started && is_lost(dev_id);
}

uint32_t
rte_umr_mbuf_fifo_take(struct rte_umr_mbuf_fifo *fifo, uint16_t last_idx, struct rte_mbuf **mbufs,
		       struct rte_umr_mkey **mkeys, uint32_t nb_max)
{
	uint32_t nb, at;

	if (unlikely(may_access(fifo->dev_id)))
		return 0;
	for (nb = 0; nb < nb_max && fifo->head != fifo->tail; nb++, fifo->head++) {
		at = fifo->head & fifo->mask;
		if (!is_done(fifo->idxs[at], last_idx))
			break;
		mbufs[nb] = fifo->mbufs[at];
		if (mkeys == NULL) {
			mkeys_put(fifo, at, 1);
			continue;
		}
		mkeys[nb] = fifo->mkeys[at];
		fifo->nb_mkeys -= mkeys[nb] != NULL;
		fifo->mkeys[at] = NULL;
	}
	return nb;
}
