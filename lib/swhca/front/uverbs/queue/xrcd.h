/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UVERBS_XRCD_H
#define SWHCA_UVERBS_XRCD_H

/**
 * @file
 * XRC domains and their targets.
 */

#include "front/uverbs/dev/uverbs_abi.h"

struct swhca_ufile;
struct swhca_uobj;
struct swhca_ureq;

int swhca_uxrcd_open(struct swhca_ufile *file, const struct ib_uverbs_open_xrcd *cmd,
		     struct swhca_uobj **obj);
/** Let others open a new XRC target, which then belongs to no file. @return 0, -ENOMEM. */
int swhca_utarget_add(struct swhca_ufile *file, struct swhca_uobj *qp,
		      const struct swhca_uobj *xrcd);
int swhca_utarget_open(struct swhca_ufile *file, const struct ib_uverbs_open_qp *cmd,
		       struct swhca_uobj **obj);
int swhca_uxrcd_destroy_req(struct swhca_ureq *req);

#endif /* SWHCA_UVERBS_XRCD_H */
