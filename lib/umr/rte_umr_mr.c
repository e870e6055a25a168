/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Memory regions, and finding one by address. Regions of a device may overlap, so the list is
 * sorted by first address and a lookup goes back from the last one that starts low enough.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include <rte_rwlock.h>

#include "rte_umr_private.h"

/** Regions of a device, by address. */
struct mr_table {
	rte_rwlock_t lock;
	struct rte_umr_mr **mrs;
	uint32_t nb;
	uint32_t size;
	uint64_t len_max; /* longest region that ever was in the table */
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

static int
table_insert(struct mr_table *table, struct rte_umr_mr *mr)
{
	uint32_t i, size;
	void *mrs;

	if (table->nb == table->size) {
		size = RTE_MAX(table->size * 2, 16u);
		mrs = realloc(table->mrs, size * sizeof(*table->mrs));
		if (mrs == NULL)
			return -ENOMEM;
		table->mrs = mrs;
		table->size = size;
	}
	for (i = table->nb; i > table_upper(table, (uintptr_t)mr->addr); i--)
		table->mrs[i] = table->mrs[i - 1];
	table->mrs[i] = mr;
	table->nb++;
	table->len_max = RTE_MAX(table->len_max, mr->len);
	return 0;
}

static void
table_remove(struct mr_table *table, const struct rte_umr_mr *mr)
{
	uint32_t i = 0;

	while (table->mrs[i] != mr)
		i++;
	for (; i + 1 < table->nb; i++)
		table->mrs[i] = table->mrs[i + 1];
	table->nb--;
	if (table->nb != 0)
		return;
	free(table->mrs);
	table->mrs = NULL;
	table->size = 0;
	table->len_max = 0;
}

bool
rte_umr_mr_is_any(int16_t dev_id)
{
	return tables[dev_id].nb != 0;
}

/** Access rights that go together: who may write remotely may write locally (verbs). */
static bool
is_access_valid(uint32_t access)
{
	const uint32_t remote_write = RTE_UMR_ACCESS_REMOTE_WRITE | RTE_UMR_ACCESS_REMOTE_ATOMIC;

	if ((access & ~RTE_UMR_ACCESS_ALL) != 0)
		return false;
	return (access & remote_write) == 0 || (access & RTE_UMR_ACCESS_LOCAL_WRITE) != 0;
}

static int
register_check(struct rte_umr_dev *dev, void *addr, size_t len, uint32_t access, uint32_t flags)
{
	struct rte_umr_dev_info info;

	if (dev == NULL)
		return -ENODEV;
	if (addr == NULL || len == 0 || flags != 0 || !is_access_valid(access)) {
		UMR_LOG(ERR, "device %d: region %p, length %zu, access 0x%x, flags 0x%x: not valid",
			dev->dev_id, addr, len, access, flags);
		return -EINVAL;
	}
	rte_umr_dev_info_get(dev->dev_id, &info);
	if (len > info.max_mr_len) {
		UMR_LOG(ERR, "device %d: length of region is %zu, at most %" PRIu64, dev->dev_id,
			len, info.max_mr_len);
		return -ERANGE;
	}
	return 0;
}

static int
mr_register(struct rte_umr_dev *dev, struct rte_umr_mr *mr, uint32_t flags)
{
	struct mr_table *table = &tables[dev->dev_id];
	int ret;

	ret = dev->ops->mr_register(dev, mr, flags);
	if (ret != 0)
		return ret;
	rte_rwlock_write_lock(&table->lock);
	ret = table_insert(table, mr);
	rte_rwlock_write_unlock(&table->lock);
	if (ret != 0)
		dev->ops->mr_deregister(dev, mr);
	return ret;
}

struct rte_umr_mr *
rte_umr_mr_register(int16_t dev_id, void *addr, size_t len, uint32_t access, uint32_t flags)
{
	struct rte_umr_dev *dev = rte_umr_dev_get(dev_id);
	struct rte_umr_mr *mr;
	int ret;

	ret = register_check(dev, addr, len, access, flags);
	if (ret != 0) {
		rte_errno = -ret;
		return NULL;
	}
	mr = calloc(1, sizeof(*mr));
	if (mr == NULL) {
		rte_errno = ENOMEM;
		return NULL;
	}
	*mr = (struct rte_umr_mr){
		.addr = addr,
		.len = len,
		.access = access,
		.dev_id = dev_id,
	};
	ret = mr_register(dev, mr, flags);
	if (ret != 0) {
		free(mr);
		rte_errno = -ret;
		return NULL;
	}
	return mr;
}

int
rte_umr_mr_deregister(struct rte_umr_mr *mr)
{
	struct mr_table *table;
	struct rte_umr_dev *dev;
	int ret;

	if (mr == NULL)
		return 0;
	dev = rte_umr_dev_get(mr->dev_id);
	table = &tables[mr->dev_id];
	ret = dev->ops->mr_deregister(dev, mr);
	if (ret != 0)
		return ret;
	rte_rwlock_write_lock(&table->lock);
	table_remove(table, mr);
	rte_rwlock_write_unlock(&table->lock);
	free(mr);
	return 0;
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
