/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UVERBS_DCT_H
#define SWHCA_UVERBS_DCT_H

/**
 * @file
 * DC targets, which are also queue pairs of verbs.
 */

#include <stdint.h>

#include "front/uverbs/dev/uverbs_abi.h"

struct swhca_ufile;
struct swhca_uobj;
struct swhca_ureq;
struct swhca_uqp_attr;

int swhca_udct_create(struct swhca_ureq *req, const struct swhca_uqp_attr *attr,
		      const struct mlx5_ib_create_qp *ucmd, struct swhca_uobj **obj);
int swhca_udct_modify(struct swhca_ufile *file, struct swhca_uobj *obj,
		      const struct ib_uverbs_modify_qp *attr);
/** @param mask As for swhca_uqp_query(). */
int swhca_udct_query(struct swhca_ufile *file, const struct swhca_uobj *obj, uint32_t mask,
		     struct ib_uverbs_query_qp_resp *resp);

#endif /* SWHCA_UVERBS_DCT_H */
