/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UVERBS_DEVX_H
#define SWHCA_UVERBS_DEVX_H

/**
 * @file
 * Commands of DevX.
 */

#include <stddef.h>
#include <stdint.h>

struct swhca_ureq;

int swhca_udevx_other_req(struct swhca_ureq *req);
int swhca_udevx_query_uar_req(struct swhca_ureq *req);
int swhca_udevx_query_eqn_req(struct swhca_ureq *req);
int swhca_udevx_create_req(struct swhca_ureq *req);
int swhca_udevx_destroy_req(struct swhca_ureq *req);
int swhca_udevx_modify_req(struct swhca_ureq *req);
int swhca_udevx_query_req(struct swhca_ureq *req);
/** Execute the query of an object into a buffer. @return 0, also if the device rejected it. */
int swhca_udevx_query_exec(struct swhca_ureq *req, uint16_t handle_id, uint16_t in_id, void *out,
			   size_t out_len);

#endif /* SWHCA_UVERBS_DEVX_H */
