/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UVERBS_QP_QUERY_H
#define SWHCA_UVERBS_QP_QUERY_H

/**
 * @file
 * Queries of queue pairs.
 */

#include <stdint.h>

#include "front/uverbs/dev/uverbs_abi.h"

struct swhca_ufile;
struct swhca_uobj;

/** All attributes, for queries other than the user's. */
#define SWHCA_UQP_QUERY_ALL UINT32_MAX

/**
 * @param mask
 *   IBV_QP_* requested by the user. Linux uses it only for DC targets, whose other fields stay 0
 *   and which do not support all (mlx5_ib: mlx5_ib_dct_query_qp()).
 */
int swhca_uqp_query(struct swhca_ufile *file, struct swhca_uobj *qp, uint32_t mask,
		    struct ib_uverbs_query_qp_resp *resp);

#endif /* SWHCA_UVERBS_QP_QUERY_H */
