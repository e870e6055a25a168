/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * The data path out of line: functions that are inline for C, for languages that can only call.
 */

/* They are declared where they are defined. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#define RTE_UMR_INLINE

#include "rte_umr.h"
