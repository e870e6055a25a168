/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Extended statistics: the counters of lib/umr, followed by those of the driver. */

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_string_fns.h>

#include "observe/observe.h"
#include "rte_umr_private.h"
#include "rte_umr_xstats.h"

static const struct {
	uint32_t id;
	const char *name;
	size_t offset;
} stats_rows[] = {
#define ROW(id, name) { RTE_UMR_XSTAT_##id, #name, offsetof(struct rte_umr_queue_stats, nb_##name) }
	ROW(SUBMITTED, submitted),
	ROW(COMPLETED, completed),
	ROW(ERRORS, errors),
	ROW(DOORBELLS, doorbells),
	ROW(BF, bf),
	ROW(FULL, full),
	ROW(REJECTED, rejected),
	ROW(RECV_POSTED, recv_posted),
	ROW(RECV_COMPLETED, recv_completed),
	ROW(RECV_ERRORS, recv_errors),
	ROW(RECOVERIES, recoveries),
	ROW(AUTO_RECOVERIES, auto_recoveries),
	ROW(AUTO_RECOVERY_FAILURES, auto_recovery_failures),
#undef ROW
#define ROW(id, name) { RTE_UMR_XSTAT_##id, #name, offsetof(struct rte_umr_queue_stats, name) }
	ROW(LAST_RECOVERY_NS, last_recovery_ns),
	ROW(MAX_RECOVERY_NS, max_recovery_ns),
#undef ROW
};

/* Counters of a device without those of the driver. */
#define NB_DEV_ROWS (RTE_UMR_XSTAT_COMMAND_FAILURES - RTE_UMR_XSTAT_MRS + 1)

static void
row_set(struct rte_umr_xstat_row *row, uint32_t id, const char *name, uint64_t value)
{
	row->id = id;
	row->value = value;
	strlcpy(row->name, name, sizeof(row->name));
}

void
rte_umr_underscore(char *name)
{
	for (; *name != '\0'; name++)
		if (*name == '-')
			*name = '_';
}

static uint32_t
stats_fill(const struct rte_umr_queue_stats *stats, struct rte_umr_xstat_row *rows)
{
	struct rte_umr_xstat_row *row = rows;
	const char *name;
	uint32_t i;

	for (i = 0; i < RTE_DIM(stats_rows); i++)
		row_set(row++, stats_rows[i].id, stats_rows[i].name,
			*(const uint64_t *)((const uint8_t *)stats + stats_rows[i].offset));
	for (i = 0; i < RTE_UMR_REJECT_MAX; i++) {
		name = rte_umr_reject_name((enum rte_umr_reject)i);
		/* Unassigned reasons. */
		if (strcmp(name, "unknown") == 0)
			continue;
		row->id = RTE_UMR_XSTAT_REJECTS + i;
		row->value = stats->nb_rejects[i];
		snprintf(row->name, sizeof(row->name), "rejected_%s", name);
		rte_umr_underscore(row->name);
		row++;
	}
	return (uint32_t)(row - rows);
}

/** Add the counters of the driver. @return Their number, or -ENOMEM. */
static int
driver_fill(const struct rte_umr_dev *dev, uint16_t queue_id, struct rte_umr_xstat_row *rows,
	    uint32_t nb)
{
	struct rte_umr_drv_xstat *xstats;
	uint32_t i;

	if (nb == 0)
		return 0;
	xstats = calloc(nb, sizeof(*xstats));
	if (xstats == NULL)
		return -ENOMEM;
	dev->ops->queue_xstats_get(dev->queues[queue_id], xstats, nb);
	for (i = 0; i < nb; i++)
		row_set(&rows[i], RTE_UMR_XSTATS_ID_DRIVER + i, xstats[i].name, xstats[i].value);
	free(xstats);
	return (int)nb;
}

static int
queue_rows(const struct rte_umr_dev *dev, uint16_t queue_id, struct rte_umr_xstat_row **rows)
{
	struct rte_umr_queue_stats stats = { 0 };
	uint32_t nb_drv = 0, nb;
	int ret;

	if (queue_id >= dev->nb_queues || dev->queues[queue_id] == NULL)
		return -EINVAL;
	if (dev->ops->queue_xstats_get != NULL)
		nb_drv = dev->ops->queue_xstats_get(dev->queues[queue_id], NULL, 0);
	*rows = calloc(RTE_DIM(stats_rows) + RTE_UMR_REJECT_MAX + nb_drv, sizeof(**rows));
	if (*rows == NULL)
		return -ENOMEM;
	dev->ops->queue_stats_get(dev->queues[queue_id], &stats);
	nb = stats_fill(&stats, *rows);
	ret = driver_fill(dev, queue_id, *rows + nb, nb_drv);
	if (ret >= 0)
		return (int)nb + ret;
	free(*rows);
	return ret;
}

static int
dev_rows(const struct rte_umr_dev *dev, struct rte_umr_xstat_row **rows)
{
	struct rte_umr_mkey_pool_state pools, pool;
	struct rte_umr_xstat_row *row;
	uint32_t i;

	memset(&pools, 0, sizeof(pools));
	for (i = 0; rte_umr_mkey_pool_state(dev, i, &pool); i++) {
		pools.nb_in_use += pool.nb_in_use;
		pools.nb_empty += pool.nb_empty;
		pools.nb_unreturned += pool.nb_unreturned;
	}
	*rows = calloc(NB_DEV_ROWS, sizeof(**rows));
	if (*rows == NULL)
		return -ENOMEM;
	row = *rows;
	row_set(row++, RTE_UMR_XSTAT_MRS, "mrs",
		__atomic_load_n(&dev->nb_mrs, __ATOMIC_RELAXED));
	row_set(row++, RTE_UMR_XSTAT_MWS, "mws",
		__atomic_load_n(&dev->nb_mws, __ATOMIC_RELAXED));
	row_set(row++, RTE_UMR_XSTAT_DEKS, "deks",
		__atomic_load_n(&dev->nb_deks, __ATOMIC_RELAXED));
	row_set(row++, RTE_UMR_XSTAT_MKEY_POOLS, "mkey_pools", dev->nb_pools);
	row_set(row++, RTE_UMR_XSTAT_MKEYS, "mkeys", dev->nb_mkeys);
	row_set(row++, RTE_UMR_XSTAT_MKEYS_IN_USE, "mkeys_in_use", pools.nb_in_use);
	row_set(row++, RTE_UMR_XSTAT_MKEY_POOL_EMPTY, "mkey_pool_empty", pools.nb_empty);
	row_set(row++, RTE_UMR_XSTAT_MKEYS_UNRETURNED, "mkeys_unreturned", pools.nb_unreturned);
	row_set(row++, RTE_UMR_XSTAT_COMMAND_FAILURES, "command_failures",
		__atomic_load_n(&dev->nb_failures, __ATOMIC_RELAXED));
	return (int)(row - *rows);
}

int
rte_umr_xstats_rows(const struct rte_umr_dev *dev, uint16_t queue_id,
		    struct rte_umr_xstat_row **rows)
{
	return queue_id == RTE_UMR_XSTATS_DEV ? dev_rows(dev, rows) :
						queue_rows(dev, queue_id, rows);
}

/** Find a counter by identifier. */
static int
rows_of(int16_t dev_id, uint16_t queue_id, struct rte_umr_xstat_row **rows)
{
	const struct rte_umr_dev *dev = rte_umr_dev_get(dev_id);
	int ret;

	if (dev == NULL)
		return rte_umr_no_dev("extended statistics");
	ret = rte_umr_xstats_rows(dev, queue_id, rows);
	if (ret < 0)
		UMR_NAME_LOG(ERR, dev->name, "no extended statistics of queue %u: %s", queue_id,
			     ret == -ENOMEM ? "no memory" : "it is not set up");
	return ret;
}

int
rte_umr_xstats_names_get(int16_t dev_id, uint16_t queue_id, struct rte_umr_xstat_name *names,
			 uint32_t nb_max)
{
	struct rte_umr_xstat_row *rows;
	int nb, i;

	if (names == NULL && nb_max != 0)
		return -EINVAL;
	nb = rows_of(dev_id, queue_id, &rows);
	if (nb < 0)
		return nb;
	for (i = 0; (uint32_t)nb <= nb_max && i < nb; i++) {
		names[i] = (struct rte_umr_xstat_name){ .id = rows[i].id };
		strlcpy(names[i].name, rows[i].name, sizeof(names[i].name));
	}
	free(rows);
	return nb;
}

int
rte_umr_xstats_get(int16_t dev_id, uint16_t queue_id, struct rte_umr_xstat *xstats,
		   uint32_t nb_max)
{
	struct rte_umr_xstat_row *rows;
	int nb, i;

	if (xstats == NULL && nb_max != 0)
		return -EINVAL;
	nb = rows_of(dev_id, queue_id, &rows);
	if (nb < 0)
		return nb;
	for (i = 0; (uint32_t)nb <= nb_max && i < nb; i++)
		xstats[i] = (struct rte_umr_xstat){ .value = rows[i].value, .id = rows[i].id };
	free(rows);
	return nb;
}

int
rte_umr_xstats_by_name_get(int16_t dev_id, uint16_t queue_id, const char *name, uint64_t *value)
{
	struct rte_umr_xstat_row *rows;
	int nb, i, ret = -ENOENT;

	if (name == NULL || value == NULL)
		return -EINVAL;
	nb = rows_of(dev_id, queue_id, &rows);
	if (nb < 0)
		return nb;
	for (i = 0; i < nb && ret != 0; i++) {
		if (strcmp(rows[i].name, name) != 0)
			continue;
		*value = rows[i].value;
		ret = 0;
	}
	free(rows);
	return ret;
}

int
rte_umr_xstats_reset(int16_t dev_id, uint16_t queue_id)
{
	struct rte_umr_dev *dev = rte_umr_dev_get(dev_id);

	if (dev == NULL)
		return rte_umr_no_dev("reset of extended statistics");
	if (queue_id != RTE_UMR_XSTATS_DEV)
		return rte_umr_queue_stats_reset(dev_id, queue_id);
	__atomic_store_n(&dev->nb_failures, 0, __ATOMIC_RELAXED);
	rte_umr_mkey_pools_stats_reset(dev);
	return 0;
}
