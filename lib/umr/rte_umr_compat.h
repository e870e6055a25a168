/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef RTE_UMR_COMPAT_H
#define RTE_UMR_COMPAT_H

/* DPDK functions whose names differ between releases 22.11 to 25.11, under one name. */

#include <stdint.h>

#include <rte_telemetry.h>
#include <rte_version.h>

/** Add an unsigned number to a dictionary: _uint since 23.03, _u64 before and until 25.11. */
static inline int
umr_tel_add_dict_uint(struct rte_tel_data *data, const char *name, uint64_t value)
{
#if RTE_VERSION >= RTE_VERSION_NUM(23, 3, 0, 0)
	return rte_tel_data_add_dict_uint(data, name, value);
#else
	return rte_tel_data_add_dict_u64(data, name, value);
#endif
}

#endif
