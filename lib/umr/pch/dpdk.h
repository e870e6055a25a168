/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * What most files include, compiled once for each library that has many of them (c_pch of meson).
 * Of a file that includes these, three quarters of the compiler's time are theirs, most of it the
 * intrinsics behind rte_vect.h. Files include what they use all the same: builds with b_pch=false,
 * as that of clang in devtools/test.sh --full, see to it.
 */

#ifndef RTE_UMR_PCH_DPDK_H
#define RTE_UMR_PCH_DPDK_H

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>
#include <rte_errno.h>
#include <rte_lcore.h>
#include <rte_malloc.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>
#include <rte_vect.h>

#endif /* RTE_UMR_PCH_DPDK_H */
