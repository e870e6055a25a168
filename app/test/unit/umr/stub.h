/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef RTE_UMR_STUB_H
#define RTE_UMR_STUB_H

/**
 * @file
 * What single files of the library need of the others: a log type, one device, and EAL's memory
 * that has nothing to add.
 */

#include "rte_umr_private.h"

/** The only device; the test sets its identifier. */
extern struct rte_umr_dev stub_dev;

#endif /* RTE_UMR_STUB_H */
