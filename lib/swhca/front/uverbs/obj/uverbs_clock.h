/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UVERBS_CLOCK_H
#define SWHCA_UVERBS_CLOCK_H

/**
 * @file
 * Clock pages of a context.
 */

#include <stdint.h>

#include "front/uverbs/dev/uverbs_abi.h"

struct swhca_udev;
struct swhca_ufile;
struct swhca_umap;

/** Create the clock pages of a context. @return 0 or a negative errno. */
int swhca_uclock_init(struct swhca_ufile *file);
void swhca_uclock_fini(struct swhca_ufile *file);
/** Resolve MLX5_IB_MMAP_CORE_CLOCK and _CLOCK_INFO. @return 0, -EPERM or -EOPNOTSUPP. */
int swhca_uclock_resolve(uint32_t cmd, uint32_t index, int prot, struct swhca_umap *map);
/** Fill the clock part of the answer of GET_CONTEXT. */
void swhca_uclock_resp_fill(const struct swhca_udev *dev,
			    struct mlx5_ib_alloc_ucontext_resp *resp);

#endif /* SWHCA_UVERBS_CLOCK_H */
