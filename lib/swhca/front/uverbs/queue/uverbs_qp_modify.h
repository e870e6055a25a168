/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UVERBS_QP_MODIFY_H
#define SWHCA_UVERBS_QP_MODIFY_H

/**
 * @file
 * Changes of queue pairs.
 */

#include "front/uverbs/dev/uverbs_abi.h"

struct swhca_ufile;
struct swhca_uobj;
struct swhca_ureq;

int swhca_uqp_modify(struct swhca_ufile *file, struct swhca_uobj *qp,
		     const struct ib_uverbs_modify_qp *attr);
/** Apply the driver part of a modify request, if any. @return 0 or as Linux. */
int swhca_uqp_modify_driver(const struct swhca_ureq *req, struct swhca_uobj *obj);

#endif /* SWHCA_UVERBS_QP_MODIFY_H */
