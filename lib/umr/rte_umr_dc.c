/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Control path of the dynamically connected transport: checks, then the driver's operation.
 */

#include <errno.h>

#include "rte_umr_private.h"

#define UMR_QPN_MAX 0xffffffu

static int
remote_check(const struct rte_umr_dev_info *info, const struct rte_umr_endpoint *remote)
{
	if (remote->link_layer != info->link_layer) {
		UMR_NAME_LOG(ERR, info->dev_name, "link layer of the target is %u, here it is %u",
			     remote->link_layer, info->link_layer);
		return -EINVAL;
	}
	if (!UMR_IS_ZERO(remote->reserved)) {
		UMR_NAME_LOG(ERR, info->dev_name,
			     "a reserved field of the target's endpoint is not 0");
		return -EINVAL;
	}
	if (rte_be_to_cpu_32(remote->qpn) > UMR_QPN_MAX) {
		UMR_NAME_LOG(ERR, info->dev_name, "number 0x%x of the target is more than 0x%x",
			     rte_be_to_cpu_32(remote->qpn), UMR_QPN_MAX);
		return -EINVAL;
	}
	return 0;
}

int
rte_umr_dc_addr_fill(int16_t dev_id, const struct rte_umr_endpoint *remote, uint64_t dc_key,
		     struct rte_umr_dc_addr *addr)
{
	struct rte_umr_dev *dev = rte_umr_dev_get(dev_id);
	struct rte_umr_dc_addr filled = { .dev_id = dev_id, .is_filled = 1 };
	struct rte_umr_dev_info info;
	int ret;

	if (dev == NULL)
		return rte_umr_no_dev("DC address");
	rte_umr_dev_limits_get(dev, &info);
	if ((info.dev_capa & RTE_UMR_CAPA_DC) == 0) {
		UMR_NAME_LOG(ERR, info.dev_name, "the device has no DC");
		return -ENOTSUP;
	}
	if (remote == NULL || addr == NULL) {
		UMR_NAME_LOG(ERR, info.dev_name, "no %s",
			     remote == NULL ? "endpoint of a target" : "address to fill");
		return -EINVAL;
	}
	ret = remote_check(&info, remote);
	if (ret == 0)
		ret = dev->ops->dc_addr_fill(dev, remote, dc_key, &filled);
	if (ret == 0)
		*addr = filled;
	return ret;
}
