/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Transport interfaces: receive (TIR), with the tables of queues (RQT) for their distribution, and
 * send (TIS).
 */

#include <stdlib.h>

#include "eth/frame.h"
#include "eth/eth_queue.h"

/*
 * Frames of the function itself are dropped unless requested by the bits of self_lb_block: Linux
 * sets them to receive such frames (drivers/infiniband/hw/mlx5/qp.c, create_raw_packet_qp_tir():
 * MLX5_QP_FLAG_TIR_ALLOW_SELF_LB_UC).
 */
#define SELF_LB_UNICAST		0x1u
#define SELF_LB_MULTICAST	0x2u

static bool
allows_self(const struct swhca_tir *tir, const struct swhca_frame *frame)
{
	bool is_multicast = (frame->data[0] & 1) != 0;

	return (prm_get(tir->tirc, PRM_TIRC_SELF_LB_BLOCK) &
		(is_multicast ? SELF_LB_MULTICAST : SELF_LB_UNICAST)) != 0;
}

void
swhca_tir_receive(struct swhca_hca *hca, struct swhca_tir *tir, const struct swhca_frame *frame,
		  uint32_t tag, bool is_self)
{
	struct swhca_erq *rq;
	uint32_t hash;
	uint8_t type;

	if (is_self && !allows_self(tir, frame)) {
		hca->vport.counters.rx_self++;
		return;
	}
	hash = swhca_frame_hash(frame, tir->tirc, &type);
	rq = tir->rq != NULL ? tir->rq : tir->rqt->rqs[hash % tir->rqt->nb];
	swhca_erq_receive(rq, frame, tag, hash, type);
}

void
swhca_tis_fini(struct swhca_hca *hca, struct swhca_obj *obj)
{
	(void)hca;
	swhca_obj_unref(((struct swhca_tis *)obj)->td);
}

void
swhca_rqt_fini(struct swhca_hca *hca, struct swhca_obj *obj)
{
	struct swhca_rqt *rqt = (struct swhca_rqt *)obj;
	uint32_t i;

	(void)hca;
	for (i = 0; i < rqt->nb; i++)
		swhca_obj_unref(&rqt->rqs[i]->obj);
	free(rqt->rqs);
}

void
swhca_tir_fini(struct swhca_hca *hca, struct swhca_obj *obj)
{
	struct swhca_tir *tir = (struct swhca_tir *)obj;

	(void)hca;
	swhca_obj_unref(tir->td);
	if (tir->rq != NULL)
		swhca_obj_unref(&tir->rq->obj);
	if (tir->rqt != NULL)
		swhca_obj_unref(&tir->rqt->obj);
}
