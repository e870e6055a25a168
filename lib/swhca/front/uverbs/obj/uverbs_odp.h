/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UVERBS_ODP_H
#define SWHCA_UVERBS_ODP_H

/**
 * @file
 * Regions with on-demand paging.
 */

#include <stdbool.h>
#include <stddef.h>

struct swhca_udev;
struct swhca_uobj;
struct swhca_ureq;
struct swhca_ureg_attr;

/** Create a key with on-demand paging: of a range, or of the whole address space. */
int swhca_uodp_mkey_create(struct swhca_udev *dev, struct swhca_uobj *mr,
			   const struct swhca_ureg_attr *attr);
/** On-demand paging of the region ends. */
void swhca_uodp_clear(struct swhca_uobj *mr);
bool swhca_uodp_is_paged(const struct swhca_uobj *mr);
/** Memory of the process goes away, or changes its protection; cheap without such regions. */
void swhca_uodp_invalidate(const void *addr, size_t len);
/** In the child of fork(2): the regions belong to the parent. */
void swhca_uodp_forget(void);

int swhca_uodp_advise_req(struct swhca_ureq *req);

#endif /* SWHCA_UVERBS_ODP_H */
