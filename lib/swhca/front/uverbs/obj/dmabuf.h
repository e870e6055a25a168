/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UVERBS_DMABUF_H
#define SWHCA_UVERBS_DMABUF_H

/**
 * @file
 * Regions over DMA buffers.
 */

#include <stdbool.h>
#include <stdint.h>

struct swhca_ufile;
struct swhca_uobj;
struct swhca_ureq;
struct swhca_ureg_attr;

/** Register a part of the DMA buffer of a descriptor; attr->start is ignored. */
int swhca_ureg_dmabuf_create(struct swhca_ufile *file, int fd, uint64_t offset,
			     const struct swhca_ureg_attr *attr, struct swhca_uobj **obj);
/** Check whether it is a region of a DMA buffer, which is mapped for it. */
bool swhca_ureg_is_dmabuf(const struct swhca_uobj *mr);
int swhca_ureg_dmabuf_req(struct swhca_ureq *req);

#endif /* SWHCA_UVERBS_DMABUF_H */
