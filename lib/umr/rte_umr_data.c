/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Out-of-line copies of the inline functions of the data path, for languages that cannot inline. */

/* The definitions are the only declarations. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#define RTE_UMR_INLINE

#include "rte_umr.h"
