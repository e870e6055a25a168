/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Finding a memory region by address. Regions of a device may overlap, so the list is sorted by
 * first address and a lookup goes back from the last one that starts low enough.
 */

#include <errno.h>
#include <stdlib.h>

#include <rte_rwlock.h>

#include "rte_umr_private.h"

/** Regions of a device, by address. */
struct mr_table {
	rte_rwlock_t lock;
	struct rte_umr_mr **mrs;
	uint32_t nb;
	uint32_t size;
	uint64_t len_max; /* longest region that was in the table since it was empty */
};

static struct mr_table tables[RTE_UMR_MAX_DEVS];

/** Number of regions that start at addr or below. */
static uint32_t
table_upper(const struct mr_table *table, uintptr_t addr)
{
	uint32_t lo = 0, hi = table->nb, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if ((uintptr_t)table->mrs[mid]->addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

int
rte_umr_mr_table_reserve(int16_t dev_id)
{
	struct mr_table *table = &tables[dev_id];
	uint32_t size;
	void *mrs;
	int ret = 0;

	if (table->nb < table->size)
		return 0;
	size = RTE_MAX(table->size * 2, 16u);
	rte_rwlock_write_lock(&table->lock);
	mrs = realloc(table->mrs, size * sizeof(*table->mrs));
	if (mrs != NULL) {
		table->mrs = mrs;
		table->size = size;
	} else {
		UMR_LOG(ERR, "device %d: no memory for a table of %u regions", dev_id, size);
		ret = -ENOMEM;
	}
	rte_rwlock_write_unlock(&table->lock);
	return ret;
}

/** Whether queues of the default PD reach the region at the addresses of the process. */
static bool
is_findable(const struct rte_umr_mr *mr)
{
	return mr->pd == NULL && mr->iova == (uintptr_t)mr->addr && !mr->is_lost &&
	       (mr->flags & RTE_UMR_MR_F_DMABUF) == 0;
}

void
rte_umr_mr_table_add(struct rte_umr_mr *mr)
{
	struct mr_table *table = &tables[mr->dev_id];
	uint32_t i, upper;

	if (!is_findable(mr))
		return;
	rte_rwlock_write_lock(&table->lock);
	upper = table_upper(table, (uintptr_t)mr->addr);
	for (i = table->nb; i > upper; i--)
		table->mrs[i] = table->mrs[i - 1];
	table->mrs[i] = mr;
	table->nb++;
	table->len_max = RTE_MAX(table->len_max, mr->len);
	rte_rwlock_write_unlock(&table->lock);
}

void
rte_umr_mr_table_remove(const struct rte_umr_mr *mr)
{
	struct mr_table *table = &tables[mr->dev_id];
	uint32_t i = 0;

	rte_rwlock_write_lock(&table->lock);
	while (i < table->nb && table->mrs[i] != mr)
		i++;
	if (i < table->nb) {
		for (; i + 1 < table->nb; i++)
			table->mrs[i] = table->mrs[i + 1];
		table->nb--;
	}
	if (table->nb == 0)
		table->len_max = 0;
	rte_rwlock_write_unlock(&table->lock);
}

void
rte_umr_mr_table_free(int16_t dev_id)
{
	struct mr_table *table = &tables[dev_id];

	free(table->mrs);
	table->mrs = NULL;
	table->size = 0;
}

/** Region that holds [addr, addr + len), or NULL. */
static const struct rte_umr_mr *
table_find(const struct mr_table *table, uintptr_t addr, size_t len)
{
	const struct rte_umr_mr *mr;
	uintptr_t offset;
	uint32_t i;

	for (i = table_upper(table, addr); i > 0; i--) {
		mr = table->mrs[i - 1];
		offset = addr - (uintptr_t)mr->addr;
		if (offset <= mr->len && len <= mr->len - offset)
			return mr;
		if (offset > table->len_max)
			break;
	}
	return NULL;
}

int
rte_umr_mr_lookup(int16_t dev_id, const void *addr, size_t len, uint32_t *lkey)
{
	const struct rte_umr_mr *mr;
	struct mr_table *table;

	if (rte_umr_dev_get(dev_id) == NULL)
		return -ENODEV;
	if (lkey == NULL)
		return -EINVAL;
	table = &tables[dev_id];
	rte_rwlock_read_lock(&table->lock);
	mr = table_find(table, (uintptr_t)addr, len);
	if (mr != NULL)
		*lkey = mr->lkey;
	rte_rwlock_read_unlock(&table->lock);
	return mr != NULL ? 0 : -ENOENT;
}
