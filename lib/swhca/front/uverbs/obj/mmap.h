/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UVERBS_MMAP_H
#define SWHCA_UVERBS_MMAP_H

/**
 * @file
 * Mappings of the offsets of a device file; called with the lock of the file.
 */

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct swhca_ufile;

/** Side effects of loads and stores in a mapping. */
enum swhca_umap_act {
	SWHCA_UMAP_NOTHING,
	SWHCA_UMAP_UAR,		/**< Doorbells, polled by the engine. */
	SWHCA_UMAP_MEMIC_OP,	/**< Operation address: faults. */
};

/** A mapping. */
struct swhca_umap {
	off_t offset;		/**< Offset in the file. */
	enum swhca_umap_act act;
	uint64_t bar_offset;	/**< Unless act is nothing. */
};

/** Resolve an offset. @return 0, or as mlx5_ib: -EINVAL, -EPERM, -EOPNOTSUPP, -ENOMEM. */
int swhca_umap_resolve(struct swhca_ufile *file, off_t offset, size_t len, int prot,
		       struct swhca_umap *map);

#endif /* SWHCA_UVERBS_MMAP_H */
