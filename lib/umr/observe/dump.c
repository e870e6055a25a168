/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * The state of devices and queues as text.
 */

#include <errno.h>
#include <inttypes.h>

#include "observe/observe.h"
#include "rte_umr_private.h"

/** Print the rejections by reason, if not 0. */
static void
rejects_dump(const struct rte_umr_dev *dev, uint16_t queue_id, FILE *f)
{
	struct rte_umr_queue_stats stats = { 0 };
	uint32_t i;

	dev->ops->queue_stats_get(dev->queues[queue_id], &stats);
	if (stats.nb_full + stats.nb_rejected == 0)
		return;
	fprintf(f, "    rejected:");
	for (i = 0; i < RTE_UMR_REJECT_MAX; i++)
		if (stats.nb_rejects[i] != 0)
			fprintf(f, " %s %" PRIu64, rte_umr_reject_name((enum rte_umr_reject)i),
				stats.nb_rejects[i]);
	fprintf(f, "\n");
}

void
rte_umr_queue_dump_of(const struct rte_umr_dev *dev, uint16_t queue_id, uint32_t nb_ops, FILE *f)
{
	fprintf(f, "  queue %u: %s\n", queue_id,
		rte_umr_queue_status_name(rte_umr_queue_status_of(dev, queue_id)));
	rejects_dump(dev, queue_id, f);
	dev->ops->queue_dump(dev->queues[queue_id], nb_ops, f);
}

static void
pools_dump(const struct rte_umr_dev *dev, FILE *f)
{
	struct rte_umr_mkey_pool_state pool;
	uint32_t i;

	for (i = 0; rte_umr_mkey_pool_state(dev, i, &pool); i++)
		fprintf(f, "  pool %u: %u keys of %u entries, flags 0x%x, %u in use, %" PRIu64
			" times empty\n", i, pool.nb_mkeys, pool.max_entries, pool.flags,
			pool.nb_in_use, pool.nb_empty);
}

int
rte_umr_dump(int16_t dev_id, FILE *f)
{
	struct rte_umr_dev *dev = rte_umr_dev_get(dev_id);
	uint16_t i;

	if (dev == NULL)
		return rte_umr_no_dev("dump");
	if (f == NULL)
		return -EINVAL;
	fprintf(f, "device %d: %s, driver %s, %s, %s, %u queues, %u keys in %u pools\n", dev_id,
		dev->name, dev->driver->name, dev->is_started ? "started" : "stopped",
		rte_umr_dev_status_name(__atomic_load_n(&dev->status, __ATOMIC_RELAXED)),
		dev->nb_queues, dev->nb_mkeys, dev->nb_pools);
	dev->ops->dump(dev, f);
	pools_dump(dev, f);
	for (i = 0; i < dev->nb_queues; i++)
		if (dev->queues[i] != NULL)
			rte_umr_queue_dump_of(dev, i, 0, f);
	return 0;
}

int
rte_umr_queue_dump(int16_t dev_id, uint16_t queue_id, uint32_t nb_ops, FILE *f)
{
	const struct rte_umr_dev *dev;
	int ret = -EINVAL;

	rte_umr_objs_lock();
	dev = rte_umr_dev_get(dev_id);
	if (dev == NULL) {
		ret = rte_umr_no_dev("queue dump");
	} else if (f == NULL || queue_id >= dev->nb_queues || dev->queues[queue_id] == NULL) {
		UMR_NAME_LOG(ERR, dev->name, "queue %u of %u is not set up, or f is NULL",
			     queue_id, dev->nb_queues);
	} else {
		rte_umr_queue_dump_of(dev, queue_id, nb_ops, f);
		ret = 0;
	}
	rte_umr_objs_unlock();
	return ret;
}
