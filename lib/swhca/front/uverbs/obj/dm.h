/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UVERBS_DM_H
#define SWHCA_UVERBS_DM_H

/**
 * @file
 * Device memory.
 */

#include <stddef.h>
#include <stdint.h>

struct swhca_ufile;
struct swhca_ureq;
struct swhca_umap;

/** Resolve an index of MLX5_IB_MMAP_DEVICE_MEM. @return 0 or -EINVAL. */
int swhca_udm_resolve(const struct swhca_ufile *file, uint32_t index, size_t len,
		      struct swhca_umap *map);

int swhca_udm_alloc_req(struct swhca_ureq *req);
int swhca_udm_free_req(struct swhca_ureq *req);
int swhca_udm_query_req(struct swhca_ureq *req);
int swhca_udm_map_op_req(struct swhca_ureq *req);
int swhca_udm_reg_req(struct swhca_ureq *req);

#endif /* SWHCA_UVERBS_DM_H */
