/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * On-demand paging: advice and counters. Regions themselves are in rte_umr_mr.c.
 */

#include <errno.h>
#include <string.h>

#include "rte_umr_private.h"
#include "rte_umr_trace.h"

static bool
has_capa(struct rte_umr_dev *dev, uint64_t capa)
{
	struct rte_umr_dev_info info;

	rte_umr_dev_limits_get(dev, &info);
	return (info.dev_capa & capa) == capa;
}

static int
mr_advise(int16_t dev_id, const struct rte_umr_pd *pd, enum rte_umr_mr_advice advice,
	  const struct rte_umr_seg *segs, uint32_t nb_segs, uint32_t flags)
{
	struct rte_umr_dev *dev = rte_umr_dev_get(dev_id);

	if (dev == NULL)
		return rte_umr_no_dev("advice");
	if (segs == NULL || nb_segs == 0 || (flags & ~RTE_UMR_MR_ADVISE_F_FLUSH) != 0 ||
	    (unsigned int)advice > RTE_UMR_MR_ADVICE_PREFETCH_NO_FAULT) {
		UMR_DEV_LOG(ERR, dev_id, "advice %d about %u ranges, flags 0x%x: not valid",
			    (int)advice, segs != NULL ? nb_segs : 0, flags);
		return -EINVAL;
	}
	if (!rte_umr_pd_is_of(pd, dev_id))
		return -EINVAL;
	if (!has_capa(dev, RTE_UMR_CAPA_MR_ODP)) {
		UMR_DEV_LOG(ERR, dev_id, "advice %d: no on-demand paging", (int)advice);
		return -ENOTSUP;
	}
	return rte_umr_counted(dev, dev->ops->mr_advise(dev, pd, advice, segs, nb_segs, flags));
}

int
rte_umr_mr_advise(int16_t dev_id, const struct rte_umr_pd *pd, enum rte_umr_mr_advice advice,
		  const struct rte_umr_seg *segs, uint32_t nb_segs, uint32_t flags)
{
	int ret = mr_advise(dev_id, pd, advice, segs, nb_segs, flags);

	rte_umr_trace_mr_advise(dev_id, (int)advice, nb_segs, flags, ret);
	return ret;
}

int
rte_umr_odp_stats_get(int16_t dev_id, struct rte_umr_odp_stats *stats)
{
	struct rte_umr_dev *dev = rte_umr_dev_get(dev_id);
	struct rte_umr_odp_stats now = { 0 };
	int ret;

	if (dev == NULL)
		return rte_umr_no_dev("paging statistics");
	if (stats == NULL)
		return -EINVAL;
	if (!has_capa(dev, RTE_UMR_CAPA_MR_ODP_STATS))
		return -ENOTSUP;
	ret = rte_umr_counted(dev, dev->ops->odp_stats_get(dev, &now));
	if (ret == 0)
		*stats = now;
	return ret;
}
