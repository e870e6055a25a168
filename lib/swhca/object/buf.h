/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_OBJECT_BUF_H
#define SWHCA_OBJECT_BUF_H

/**
 * @file
 * Memory given as a list of pages: a ring, or a user memory.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "object/object.h"

struct swhca_fabric;
struct swhca_hca;

struct swhca_buf {
	uint64_t *pages;	/**< Bus address of each page. */
	uint32_t nb_pages;
	uint8_t log_page;
	uint64_t offset;	/**< Offset of the buffer in the first page. */
};

struct swhca_umem {
	struct swhca_obj obj;
	struct swhca_buf buf;
	bool is_writable;	/**< False for memory registered read-only. */
};

/** Copy nb big-endian page addresses from software of hca. @return 0 or -ENOMEM. */
int swhca_buf_init(struct swhca_buf *buf, const struct swhca_hca *hca, const uint8_t *pas,
		   uint32_t nb, uint8_t log_page, uint64_t offset);
void swhca_buf_fini(struct swhca_buf *buf);
/** Bytes from the start of the buffer to the end of its last page. */
uint64_t swhca_buf_len(const struct swhca_buf *buf);
/** Get the bus address of an offset, and the contiguous bytes that follow. @return 0 or -EFAULT. */
int swhca_buf_span(const struct swhca_buf *buf, uint64_t offset, uint64_t *addr, uint64_t *len);
int swhca_buf_read(const struct swhca_fabric *fabric, const struct swhca_buf *buf,
		   uint64_t offset, void *dst, size_t len);


/** Release the pages of a user memory that is destroyed. */
void swhca_umem_fini(struct swhca_hca *hca, struct swhca_obj *obj);

#endif /* SWHCA_OBJECT_BUF_H */
