/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UVERBS_SRQ_H
#define SWHCA_UVERBS_SRQ_H

/**
 * @file
 * Shared receive queues.
 */

#include <stdint.h>

#include "front/uverbs/dev/uverbs_abi.h"
#include "front/uverbs/file/uverbs_event.h"

struct swhca_ufile;
struct swhca_uobj;
struct swhca_ureq;

/** Common attributes of the ioctl method and the write ABI for a new one. */
struct swhca_usrq_attr {
	uint32_t type;		/**< enum ib_uverbs_srq_type */
	uint32_t max_wr;
	uint32_t max_sge;
	struct swhca_uobj *pd;
	struct swhca_uobj *xrcd;	/**< XRC only. */
	struct swhca_uobj *cq;		/**< XRC only. */
	struct swhca_uevent_attr events;
};

int swhca_usrq_create(struct swhca_ureq *req, const struct swhca_usrq_attr *attr,
		      struct swhca_uobj **obj);
int swhca_usrq_modify(struct swhca_ufile *file, struct swhca_uobj *srq,
		      const struct ib_uverbs_modify_srq *cmd);
int swhca_usrq_query(struct swhca_ufile *file, const struct swhca_uobj *srq,
		     struct ib_uverbs_query_srq_resp *resp);
int swhca_usrq_create_req(struct swhca_ureq *req);
int swhca_usrq_destroy_req(struct swhca_ureq *req);

#endif /* SWHCA_UVERBS_SRQ_H */
