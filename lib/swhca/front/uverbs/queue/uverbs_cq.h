/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UVERBS_CQ_H
#define SWHCA_UVERBS_CQ_H

/**
 * @file
 * Completion queues.
 */

#include <stdint.h>

#include "front/uverbs/file/uverbs_event.h"

struct swhca_ufile;
struct swhca_uobj;
struct swhca_ureq;

/** Common attributes of the ioctl method and the write ABI for a new one. */
struct swhca_ucq_attr {
	uint32_t nb_cqe;
	uint32_t comp_vector;
	uint32_t flags;
	struct swhca_uevent_attr events;
};

/** Create a CQ; driver data in and out are the UHW attributes of the request. */
int swhca_ucq_create(struct swhca_ureq *req, const struct swhca_ucq_attr *attr,
		     struct swhca_uobj **obj, uint32_t *nb_cqe);
/** Resize a CQ; driver data as above. @param nb_cqe In: requested, out: actual. */
int swhca_ucq_resize(struct swhca_ureq *req, struct swhca_uobj *cq, uint32_t *nb_cqe);
int swhca_ucq_moderate(struct swhca_ufile *file, struct swhca_uobj *cq, uint16_t count,
		       uint16_t period_us);
int swhca_ucq_create_req(struct swhca_ureq *req);
int swhca_ucq_destroy_req(struct swhca_ureq *req);

#endif /* SWHCA_UVERBS_CQ_H */
