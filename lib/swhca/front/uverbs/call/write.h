/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UVERBS_WRITE_H
#define SWHCA_UVERBS_WRITE_H

/**
 * @file
 * Commands of the write ABI, and common functions of their handlers.
 */

#include <stddef.h>
#include <stdint.h>

struct swhca_ureq;
struct swhca_uobj;

/** Handler of the method that contains such a command. */
int swhca_uwrite_req(struct swhca_ureq *req);

/** Answer with resp; on failure, the object is destroyed. */
int swhca_uwrite_out_or_destroy(struct swhca_ureq *req, struct swhca_uobj *obj, const void *resp,
				size_t size);
/** Destroy an object by handle. @return 0, -EINVAL, or as swhca_uobj_destroy(). */
int swhca_uwrite_destroy(struct swhca_ureq *req, uint32_t handle, uint16_t type);

#endif /* SWHCA_UVERBS_WRITE_H */
