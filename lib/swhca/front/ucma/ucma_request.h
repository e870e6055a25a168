/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UCMA_REQUEST_H
#define SWHCA_UCMA_REQUEST_H

/**
 * @file
 * Requests to peers, and requests of peers to listeners. The lock is held.
 */

#include <rdma/rdma_user_cm.h>

#include "front/cm/cm_msg.h"

struct swhca_ucm_id;
struct swhca_udev;

/** Send a REQ, or a SIDR_REQ for datagrams. @return 0 or -EINVAL (too much private data). */
int swhca_ucm_request_send(struct swhca_ucm_id *id, const struct rdma_ucm_conn_param *param,
			   const struct rdma_ucm_ece *ece);

/**
 * Handle a REQ or SIDR_REQ of a peer, which is no repetition.
 *
 * @return
 *   0: reported, or to be retransmitted; -ENOENT: no listener.
 */
int swhca_ucm_request_receive(struct swhca_udev *dev, const struct swhca_mad *mad,
			      const struct swhca_cm_msg *msg);

/** Answer a message without an owner, if there is an answer. */
void swhca_ucm_stray_answer(struct swhca_udev *dev, const struct swhca_mad *mad,
			    const struct swhca_cm_msg *msg);

#endif /* SWHCA_UCMA_REQUEST_H */
