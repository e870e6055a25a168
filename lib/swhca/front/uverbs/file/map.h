/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UVERBS_MAP_H
#define SWHCA_UVERBS_MAP_H

/**
 * @file
 * Content of a device file: each offset for mmap(2) (libmlx5: get_offset() and the like) contains
 * the page to be mapped, which belongs to the device. A program that maps it by a direct system
 * call gets the same pages as by libc, only without checks.
 *
 * - UAR pages: placed in the BAR when they are allocated
 * - device memory: the same; its operation addresses are beyond the end of the file, where every
 *   access faults
 * - clock pages: of each context
 * - doorbell pages of virtio queues: unused memory
 *
 * Called with the lock of the file, except for create and destroy.
 */

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct swhca_ufile;

/** Indices from here on are beyond the end of a file. */
#define SWHCA_UMAP_END_INDEX 0x8000u

/* Commands of objects: numbers not used by mlx5-abi.h (mlx5_ib: MLX5_IB_MMAP_OFFSET_START). */
#define SWHCA_MMAP_UAR_OBJ 9u
#define SWHCA_MMAP_VAR_OBJ 10u

/** Offset of a page (mlx5_ib: mlx5_entry_to_mmap_offset()). */
off_t swhca_umap_offset(uint32_t cmd, uint32_t index);
/** Convert an offset to a page. */
void swhca_umap_parse(off_t offset, uint32_t *cmd, uint32_t *index);

/**
 * Create the file of a device. Its size is fixed, so that write(2) at its position, the end, cannot
 * fill it.
 *
 * @return
 *   Descriptor for the program, or a negative errno. file->map_fd is another one for us.
 */
int swhca_umap_create(struct swhca_ufile *file, int flags);
/** Close file->map_fd. */
void swhca_umap_destroy(struct swhca_ufile *file);

/** Place pages of the file in the BAR, zeroed. @return 0 or a negative errno. */
int swhca_umap_place(struct swhca_ufile *file, uint32_t cmd, uint32_t index, uint64_t bar_offset,
		     size_t len);

#endif /* SWHCA_UVERBS_MAP_H */
