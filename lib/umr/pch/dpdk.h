/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Common includes, compiled once for each library with many files (c_pch of meson). They take three
 * quarters of the compile time of a file, mostly for the intrinsics of rte_vect.h. Files must still
 * include what they use: builds with b_pch=false, like that of clang in devtools/test.sh --full,
 * check this.
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
