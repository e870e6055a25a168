/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UVERBS_MMAP_H
#define SWHCA_UVERBS_MMAP_H

/**
 * @file
 * What the offsets of a device file map; called with the lock of the file.
 */

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct swhca_ufile;

/** What acts on loads and stores in a mapping. */
enum swhca_umap_act {
	SWHCA_UMAP_NOTHING,
	SWHCA_UMAP_UAR,		/**< Doorbells, which the engine looks for. */
	SWHCA_UMAP_MEMIC_OP,	/**< An operation address: a fault. */
};

/** What a mapping shows. */
struct swhca_umap {
	off_t offset;		/**< In the file. */
	enum swhca_umap_act act;
	uint64_t bar_offset;	/**< Unless act is nothing. */
};

/** Find what to map. @return 0, or as mlx5_ib: -EINVAL, -EPERM, -EOPNOTSUPP, -ENOMEM. */
int swhca_umap_resolve(struct swhca_ufile *file, off_t offset, size_t len, int prot,
		       struct swhca_umap *map);

#endif /* SWHCA_UVERBS_MMAP_H */
