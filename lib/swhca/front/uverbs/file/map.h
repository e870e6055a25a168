/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UVERBS_MAP_H
#define SWHCA_UVERBS_MAP_H

/**
 * @file
 * What a device file holds: at each offset that mmap(2) takes (libmlx5: get_offset() and the like)
 * lies the page that it is to map, for the pages are the device's. A program that maps it by the
 * system call has what it has by libc; only that nothing is checked then.
 *
 * - UAR pages: placed in the BAR when they are allocated
 * - device memory: the same; its operation addresses are behind the end of the file, where every
 *   access faults
 * - clock pages: of each context
 * - doorbell pages of virtio queues: memory that nobody reads
 *
 * Called with the lock of the file, but for create and destroy.
 */

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct swhca_ufile;

/** Indices from here on are behind the end of a file. */
#define SWHCA_UMAP_END_INDEX 0x8000u

/*
 * Commands of objects: any numbers that mlx5-abi.h does not use (mlx5_ib:
 * MLX5_IB_MMAP_OFFSET_START).
 */
#define SWHCA_MMAP_UAR_OBJ 9u
#define SWHCA_MMAP_VAR_OBJ 10u

/** Offset of a page (mlx5_ib: mlx5_entry_to_mmap_offset()). */
off_t swhca_umap_offset(uint32_t cmd, uint32_t index);
/** Which page an offset is. */
void swhca_umap_parse(off_t offset, uint32_t *cmd, uint32_t *index);

/**
 * Make the file of a device: of fixed size, so that no write(2) at its end, where it stands, can
 * fill it.
 *
 * @return
 *   Descriptor for the program, or a negative errno. file->map_fd is another one for us.
 */
int swhca_umap_create(struct swhca_ufile *file, int flags);
/** Close file->map_fd. */
void swhca_umap_destroy(struct swhca_ufile *file);

/** Let pages of the file stand in the BAR, as new ones. @return 0 or a negative errno. */
int swhca_umap_place(struct swhca_ufile *file, uint32_t cmd, uint32_t index, uint64_t bar_offset,
		     size_t len);

#endif /* SWHCA_UVERBS_MAP_H */
