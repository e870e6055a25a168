/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Protection domains and their users. The default PD of a device has no object. */

#include <errno.h>
#include <stdlib.h>

#include "rte_umr_private.h"
#include "rte_umr_trace.h"

static struct rte_umr_pd *
pd_alloc(int16_t dev_id)
{
	struct rte_umr_dev *dev = rte_umr_dev_get(dev_id);
	struct rte_umr_pd *pd;
	int ret;

	if (dev == NULL || dev->ops->pd_alloc == NULL) {
		rte_errno = dev == NULL ? -rte_umr_no_dev("protection domain") : ENOTSUP;
		return NULL;
	}
	pd = rte_umr_object_alloc(UMR_OBJECT_PD, sizeof(*pd));
	if (pd == NULL) {
		rte_errno = ENOMEM;
		return NULL;
	}
	pd->dev_id = dev_id;
	ret = rte_umr_counted(dev, dev->ops->pd_alloc(dev, pd));
	if (ret != 0) {
		rte_umr_object_free(pd);
		rte_errno = -ret;
		return NULL;
	}
	TAILQ_INSERT_TAIL(&dev->pds, pd, next);
	return pd;
}

struct rte_umr_pd *
rte_umr_pd_alloc(int16_t dev_id)
{
	struct rte_umr_pd *pd = pd_alloc(dev_id);

	rte_umr_trace_pd_alloc(dev_id, pd, pd != NULL ? 0 : -rte_errno);
	return pd;
}

static int
pd_free(struct rte_umr_pd *pd)
{
	struct rte_umr_dev *dev;
	int ret;

	if (pd == NULL)
		return 0;
	if (rte_umr_is_secondary("protection domain"))
		return -EPERM;
	ret = rte_umr_object_check(UMR_OBJECT_PD, pd);
	if (ret != 0)
		return ret;
	if (pd->nb_users != 0) {
		UMR_DEV_LOG(ERR, pd->dev_id,
			    "%u regions, windows, key pools or queues are left in a "
			    "PD",
			    pd->nb_users);
		return -EBUSY;
	}
	dev = rte_umr_dev_get(pd->dev_id);
	ret = rte_umr_given_back(dev, dev->ops->pd_free(dev, pd));
	if (ret != 0)
		return ret;
	TAILQ_REMOVE(&dev->pds, pd, next);
	rte_umr_object_free(pd);
	return 0;
}

int
rte_umr_pd_free(struct rte_umr_pd *pd)
{
	const uintptr_t id = (uintptr_t)pd;
	int ret = pd_free(pd);

	rte_umr_trace_pd_free(id, ret);
	return ret;
}

void
rte_umr_pds_free(struct rte_umr_dev *dev)
{
	struct rte_umr_pd *pd;

	while ((pd = TAILQ_FIRST(&dev->pds)) != NULL) {
		/* The device is being closed: it releases what the driver cannot free. */
		dev->ops->pd_free(dev, pd);
		TAILQ_REMOVE(&dev->pds, pd, next);
		rte_umr_object_free(pd);
	}
}

bool
rte_umr_pd_is_of(const struct rte_umr_pd *pd, int16_t dev_id)
{
	if (pd == NULL)
		return true;
	if (rte_umr_object_check(UMR_OBJECT_PD, pd) != 0)
		return false;
	if (pd->dev_id == dev_id)
		return true;
	UMR_DEV_LOG(ERR, dev_id, "the PD is one of %s", rte_umr_dev_label(pd->dev_id));
	return false;
}

void
rte_umr_pd_ref(struct rte_umr_pd *pd)
{
	if (pd != NULL)
		pd->nb_users++;
}

void
rte_umr_pd_unref(struct rte_umr_pd *pd)
{
	if (pd != NULL)
		pd->nb_users--;
}
