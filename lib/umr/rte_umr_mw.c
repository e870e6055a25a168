/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Memory windows: the device creates them, queues bind them. */

#include <errno.h>
#include <stdlib.h>

#include "rte_umr_private.h"
#include "rte_umr_trace.h"

static int
create_check(struct rte_umr_dev *dev, const struct rte_umr_pd *pd, enum rte_umr_mw_type type)
{
	struct rte_umr_dev_info info;
	uint64_t capa;

	if (dev == NULL)
		return rte_umr_no_dev("memory window");
	if (!rte_umr_pd_is_of(pd, dev->dev_id))
		return -EINVAL;
	switch (type) {
	case RTE_UMR_MW_TYPE_1:
		capa = RTE_UMR_CAPA_MW_TYPE_1;
		break;
	case RTE_UMR_MW_TYPE_2B:
		capa = RTE_UMR_CAPA_MW_TYPE_2B;
		break;
	default:
		UMR_DEV_LOG(ERR, dev->dev_id, "type of memory window is %d, not in [%d, %d]",
			    (int)type, RTE_UMR_MW_TYPE_1, RTE_UMR_MW_TYPE_2B);
		return -EINVAL;
	}
	rte_umr_dev_limits_get(dev, &info);
	if ((info.dev_capa & capa) != 0)
		return 0;
	UMR_DEV_LOG(ERR, dev->dev_id, "no memory windows of type %d", (int)type);
	return -ENOTSUP;
}

static struct rte_umr_mw *
mw_create(int16_t dev_id, struct rte_umr_pd *pd, enum rte_umr_mw_type type)
{
	struct rte_umr_dev *dev = rte_umr_dev_get(dev_id);
	struct rte_umr_mw *mw;
	int ret;

	ret = create_check(dev, pd, type);
	if (ret != 0)
		goto fail;
	mw = rte_umr_object_alloc(UMR_OBJECT_MW, sizeof(*mw));
	if (mw == NULL) {
		ret = -ENOMEM;
		goto fail;
	}
	mw->type = (uint8_t)type;
	mw->dev_id = dev_id;
	mw->pd = pd;
	ret = rte_umr_counted(dev, dev->ops->mw_create(dev, mw));
	if (ret != 0) {
		rte_umr_object_free(mw);
		goto fail;
	}
	rte_umr_pd_ref(pd);
	__atomic_fetch_add(&dev->nb_mws, 1, __ATOMIC_RELAXED);
	return mw;

fail:
	rte_errno = -ret;
	return NULL;
}

struct rte_umr_mw *
rte_umr_mw_create(int16_t dev_id, struct rte_umr_pd *pd, enum rte_umr_mw_type type)
{
	struct rte_umr_mw *mw = mw_create(dev_id, pd, type);

	rte_umr_trace_mw_create(dev_id, pd, (int)type, mw, mw != NULL ? 0 : -rte_errno);
	return mw;
}

static int
mw_destroy(struct rte_umr_mw *mw)
{
	struct rte_umr_dev *dev;
	int ret;

	if (mw == NULL)
		return 0;
	if (rte_umr_is_secondary("memory window"))
		return -EPERM;
	ret = rte_umr_object_check(UMR_OBJECT_MW, mw);
	if (ret != 0)
		return ret;
	dev = rte_umr_dev_get(mw->dev_id);
	ret = rte_umr_given_back(dev, dev->ops->mw_destroy(dev, mw));
	if (ret != 0)
		return ret;
	rte_umr_pd_unref(mw->pd);
	__atomic_fetch_sub(&dev->nb_mws, 1, __ATOMIC_RELAXED);
	rte_umr_object_free(mw);
	return 0;
}

int
rte_umr_mw_destroy(struct rte_umr_mw *mw)
{
	const uintptr_t id = (uintptr_t)mw;
	int ret = mw_destroy(mw);

	rte_umr_trace_mw_destroy(id, ret);
	return ret;
}
