/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UVERBS_WRITE_SRQ_H
#define SWHCA_UVERBS_WRITE_SRQ_H

/**
 * @file
 * Commands of the write ABI for shared receive queues, XRC domains and multicast. data is the
 * command, padded with zeros.
 */

struct swhca_ureq;

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

#endif /* SWHCA_UVERBS_WRITE_SRQ_H */
