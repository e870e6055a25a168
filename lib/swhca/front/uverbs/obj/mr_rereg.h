/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UVERBS_MR_REREG_H
#define SWHCA_UVERBS_MR_REREG_H

/**
 * @file
 * Re-registration of regions.
 */

#include "front/uverbs/dev/uverbs_abi.h"

struct swhca_ufile;
struct swhca_uobj;

/** Change a region. @return 0, or as the kernel; see the .c file for its state. */
int swhca_ureg_rereg(struct swhca_ufile *file, const struct ib_uverbs_rereg_mr *cmd,
		     struct swhca_uobj **obj);

#endif /* SWHCA_UVERBS_MR_REREG_H */
