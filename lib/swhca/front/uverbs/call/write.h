/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UVERBS_WRITE_H
#define SWHCA_UVERBS_WRITE_H

/**
 * @file
 * Commands of the write ABI, and what their handlers share.
 */

#include <stddef.h>
#include <stdint.h>

struct swhca_ureq;
struct swhca_uobj;

/** Handler of the method that has such a command. */
int swhca_uwrite_req(struct swhca_ureq *req);

/** Answer with resp; if that fails, the object goes again. */
int swhca_uwrite_out_or_destroy(struct swhca_ureq *req, struct swhca_uobj *obj, const void *resp,
				size_t size);
/** Destroy the object of a handle. @return 0, -EINVAL, or as swhca_uobj_destroy(). */
int swhca_uwrite_destroy(struct swhca_ureq *req, uint32_t handle, uint16_t type);

#endif /* SWHCA_UVERBS_WRITE_H */
