/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UVERBS_QP_QUERY_H
#define SWHCA_UVERBS_QP_QUERY_H

/**
 * @file
 * Queries of queue pairs.
 */

#include "front/uverbs/dev/abi.h"

struct swhca_ufile;
struct swhca_uobj;

int swhca_uqp_query(struct swhca_ufile *file, struct swhca_uobj *qp,
		    struct ib_uverbs_query_qp_resp *resp);

#endif /* SWHCA_UVERBS_QP_QUERY_H */
