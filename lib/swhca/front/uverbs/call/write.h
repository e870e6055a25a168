/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UVERBS_WRITE_H
#define SWHCA_UVERBS_WRITE_H

/**
 * @file
 * Commands of the write ABI: handlers that are not in the file with the table, and what they
 * share. data is the command, zero where the caller's was shorter.
 */

#include <stddef.h>
#include <stdint.h>

struct swhca_ureq;
struct swhca_uobj;

/** Answer with resp; if that fails, the object goes again. */
int swhca_uwrite_out_or_destroy(struct swhca_ureq *req, struct swhca_uobj *obj, const void *resp,
				size_t size);
/** Destroy the object of a handle. @return 0, -EINVAL, or as swhca_uobj_destroy(). */
int swhca_uwrite_destroy(struct swhca_ureq *req, uint32_t handle, uint16_t type);

/* Shared receive queues, XRC domains, multicast: write_srq.c */
int swhca_uwrite_create_srq(struct swhca_ureq *req, const void *data);
int swhca_uwrite_create_xsrq(struct swhca_ureq *req, const void *data);
int swhca_uwrite_modify_srq(struct swhca_ureq *req, const void *data);
int swhca_uwrite_query_srq(struct swhca_ureq *req, const void *data);
int swhca_uwrite_destroy_srq(struct swhca_ureq *req, const void *data);
int swhca_uwrite_open_xrcd(struct swhca_ureq *req, const void *data);
int swhca_uwrite_close_xrcd(struct swhca_ureq *req, const void *data);
int swhca_uwrite_open_qp(struct swhca_ureq *req, const void *data);
int swhca_uwrite_attach_mcast(struct swhca_ureq *req, const void *data);
int swhca_uwrite_detach_mcast(struct swhca_ureq *req, const void *data);

#endif /* SWHCA_UVERBS_WRITE_H */
