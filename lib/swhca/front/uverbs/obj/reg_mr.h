/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UVERBS_REG_MR_H
#define SWHCA_UVERBS_REG_MR_H

/**
 * @file
 * Method that registers any memory.
 */

struct swhca_ureq;

int swhca_ureg_mr_req(struct swhca_ureq *req);

#endif /* SWHCA_UVERBS_REG_MR_H */
