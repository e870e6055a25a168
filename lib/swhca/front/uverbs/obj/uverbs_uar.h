/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UVERBS_UAR_H
#define SWHCA_UVERBS_UAR_H

/**
 * @file
 * UAR pages of a file.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct swhca_ufile;
struct swhca_ureq;

/** Blue flame registers of a UAR page that libmlx5 may use (mlx5: MLX5_NON_FP_BFREGS_PER_UAR). */
#define SWHCA_BFREGS_PER_UAR 2u
/** Maximum per context (mlx5_ib: MLX5_MAX_BFREGS and MLX5_MAX_DYN_BFREGS). */
#define SWHCA_MAX_STATIC_BFREGS 1024u
#define SWHCA_MAX_DYN_BFREGS 512u

int swhca_uuar_init(struct swhca_ufile *file, uint32_t nb_bfregs, uint32_t nb_low_lat);
void swhca_uuar_fini(struct swhca_ufile *file);
/** UAR page of a static or a dynamic register. @return As swhca_uuar_find(). */
int swhca_uuar_of_bfreg(struct swhca_ufile *file, uint32_t bfreg, bool is_dyn, uint32_t *uar);
/** Allocate a static register for a QP; swhca_uuar_bfreg_put() releases it. */
uint32_t swhca_uuar_bfreg_get(struct swhca_ufile *file);
void swhca_uuar_bfreg_put(struct swhca_ufile *file, uint32_t bfreg);
/** UAR page of an mmap command. @return 0, -EINVAL, or as swhca_udev_exec(). */
int swhca_uuar_find(struct swhca_ufile *file, uint32_t cmd, uint32_t index, uint32_t *uar);
/**
 * Check that the UAR page of a queue belongs to the file. mlx5_ib leaves that to firmware, which
 * distinguishes contexts only if they have a uid.
 *
 * @return
 *   0 or -EINVAL.
 */
int swhca_uuar_check(const struct swhca_ufile *file, uint32_t uar);
/** The page at an offset was mapped. */
void swhca_uuar_mapped(struct swhca_ufile *file, off_t offset);

int swhca_uuar_alloc_req(struct swhca_ureq *req);
int swhca_uuar_destroy_req(struct swhca_ureq *req);

#endif /* SWHCA_UVERBS_UAR_H */
