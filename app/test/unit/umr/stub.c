/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>

#include <rte_common.h>

#include "stub.h"

int rte_umr_logtype;
struct rte_umr_dev stub_dev;

struct rte_umr_dev *
rte_umr_dev_get(int16_t dev_id)
{
	return dev_id == stub_dev.dev_id ? &stub_dev : NULL;
}

const char *
rte_umr_dev_label(int16_t dev_id)
{
	return rte_umr_dev_get(dev_id) != NULL ? rte_umr_dev_get(dev_id)->name : "?";
}

int
rte_umr_no_dev(const char *what __rte_unused)
{
	return -ENODEV;
}

__attribute__((weak)) bool
rte_umr_eal_mem_join(struct rte_umr_eal_mem *mem __rte_unused, const void *addr __rte_unused)
{
	return false;
}
