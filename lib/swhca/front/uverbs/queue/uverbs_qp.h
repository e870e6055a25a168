/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UVERBS_QP_H
#define SWHCA_UVERBS_QP_H

/**
 * @file
 * Queue pairs: attributes before creation.
 */

#include <stdbool.h>
#include <stdint.h>

#include "front/uverbs/dev/uverbs_abi.h"
#include "front/uverbs/file/uverbs_event.h"

struct swhca_uobj;
struct swhca_ureq;

/** Common attributes of the ioctl method and the write ABI for a new one. */
struct swhca_uqp_attr {
	uint32_t type;		/**< enum ib_uverbs_qp_type */
	uint32_t flags;		/**< enum ib_uverbs_qp_create_flags */
	struct ib_uverbs_qp_cap cap;
	bool sq_sig_all;
	struct swhca_uobj *pd;
	struct swhca_uobj *send_cq;
	struct swhca_uobj *recv_cq;
	struct swhca_uobj *srq;		/**< Or NULL. */
	struct swhca_uobj *xrcd;	/**< XRC target: instead of all those above. */
	struct swhca_uevent_attr events;
};

/** Create a QP; driver data in and out are the UHW attributes of the request. */
int swhca_uqp_create(struct swhca_ureq *req, const struct swhca_uqp_attr *attr,
		     struct swhca_uobj **obj);
int swhca_uqp_create_req(struct swhca_ureq *req);
int swhca_uqp_destroy_req(struct swhca_ureq *req);

#endif /* SWHCA_UVERBS_QP_H */
