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

#include "front/uverbs/dev/abi.h"

struct swhca_ufile;
struct swhca_uobj;

/** Attributes that are not a user's choice: all that there are. */
#define SWHCA_UQP_QUERY_ALL UINT32_MAX

/**
 * @param mask
 *   IBV_QP_* of what the user asks for. Linux looks at it for targets of DC only, whose other
 *   fields stay 0 and which do not have all (mlx5_ib: mlx5_ib_dct_query_qp()).
 */
int swhca_uqp_query(struct swhca_ufile *file, struct swhca_uobj *qp, uint32_t mask,
		    struct ib_uverbs_query_qp_resp *resp);

#endif /* SWHCA_UVERBS_QP_QUERY_H */
