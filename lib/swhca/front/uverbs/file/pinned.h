/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UVERBS_PINNED_H
#define SWHCA_UVERBS_PINNED_H

/**
 * @file
 * Memory that objects pin, counted in pages against the limit of locked memory (ib_core:
 * ib_umem_get(), ib_umem_release()).
 *
 * Pages of each call count, even if others have pinned them, too. Memory that is paged on demand
 * and that of DMA buffers is not pinned.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

struct swhca_ufile;
struct swhca_uobj;

/** A page with doorbell records, which the objects of a file share. */
struct swhca_udbr_page {
	SLIST_ENTRY(swhca_udbr_page) link;
	uint64_t addr;
	uint32_t nb_refs;
};

/**
 * Pin memory for an object; it is added to what the object has pinned, and swhca_uobj_free()
 * releases it.
 *
 * @return
 *   0, -EFAULT (not mapped, or not writable), -EINVAL (empty, wraps), -EOPNOTSUPP (of a child of
 *   fork), -ENOMEM (beyond the limit), -EPERM (the limit is 0). Then nothing is pinned.
 */
int swhca_upin(struct swhca_uobj *obj, uint64_t addr, uint64_t len, bool is_writable);
/** Pin the page of a doorbell record, unless an object of the file has (mlx5_ib_db_map_user()). */
int swhca_upin_dbr(struct swhca_ufile *file, struct swhca_uobj *obj, uint64_t addr);
/** Release some pages of what an object has pinned. */
void swhca_uunpin(struct swhca_uobj *obj, uint64_t nb_pages);
/** Release all that an object has pinned. */
void swhca_uunpin_all(struct swhca_ufile *file, struct swhca_uobj *obj);
/** In a child of fork(2), which has pinned nothing. */
void swhca_upinned_forget(void);

#endif /* SWHCA_UVERBS_PINNED_H */
