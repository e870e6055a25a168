/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Send queues of frames: NOP, SEND and LSO (Linux: mlx5e_sq_xmit_wqe()).
 *
 *	control segment | Ethernet segment, with the first 2 bytes of the headers | rest of them,
 *	padded to octowords | data segments
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "eth/frame.h"
#include "eth/offload.h"
#include "eth/eth_queue.h"
#include "queue/cq_ring.h"
#include "queue/eq.h"

/* Maximum WQEs of a turn. */
#define QUANTUM		64u
#define MAX_WQE_BYTES	(PRM_WQE_MAX_DS * PRM_WQE_DS_SIZE)
/* Maximum large send including headers. */
#define MAX_SEND	((1u << SWHCA_LOG_MAX_LSO) + 1024u)

/* A WQE during execution. */
struct send {
	uint8_t wqe[MAX_WQE_BYTES];
	uint32_t nb_ds;
	uint32_t nb_bb;
	uint16_t index;
	uint8_t opcode;
	bool has_cqe;
	uint8_t *data;		/* collected so far: len bytes */
	size_t len;
	struct swhca_offload offload;
	struct swhca_wqe_error error;
};

void
swhca_esq_reset(struct swhca_esq *sq)
{
	uint32_t pi = 0;

	sq->wq.ci = 0;
	sq->wq.state = PRM_XQC_STATE_RST;
	sq->is_stale = swhca_dbr_read(sq->wq.hca->fabric, &sq->wq.dbr, PRM_DBR_SQ, &pi) == 0 &&
		       (pi & 0xffff) != 0;
	sq->stale_pi = (uint16_t)pi;
}

void
swhca_esq_schedule(struct swhca_esq *sq)
{
	if (sq->is_queued)
		return;
	sq->is_queued = true;
	TAILQ_INSERT_TAIL(&sq->wq.hca->fabric->ready_sqs, sq, ready);
}

/* As a doorbell may overwrite that of another queue, all are checked. */
void
swhca_esq_rung(struct swhca_uar *uar, const uint64_t *values, unsigned int nb)
{
	struct swhca_esq *sq;
	unsigned int i;

	LIST_FOREACH(sq, &uar->sqs, uar_link) {
		/* The second dword of a control segment starts with the number. */
		for (i = 0; sq->is_stale && i < nb; i++)
			if ((uint32_t)be64toh(values[i]) >> 8 == sq->obj.num)
				sq->is_stale = false;
		swhca_esq_schedule(sq);
	}
}

static void
sq_fail(struct swhca_esq *sq)
{
	sq->wq.state = PRM_XQC_STATE_ERR;
	swhca_esq_schedule(sq);
}

static void
cqe_write(struct swhca_esq *sq, struct mlx5_cqe64 *cqe)
{
	if (swhca_cq_write(sq->wq.hca, sq->wq.cq, cqe, NULL) ||
	    sq->wq.state == PRM_XQC_STATE_ERR)
		return;
	swhca_event_raise_queue(sq->wq.hca, PRM_EVENT_WQ_CATAS_ERROR, PRM_EQE_QUEUE_TYPE_SQ,
				sq->obj.num);
	sq_fail(sq);
}

static void
send_done(struct swhca_esq *sq, const struct send *send)
{
	struct mlx5_cqe64 cqe;

	if (!send->has_cqe)
		return;
	swhca_ewq_cqe_init(&sq->wq, &cqe, MLX5_CQE_REQ, send->index);
	cqe.sop_drop_qpn = htobe32((uint32_t)send->opcode << 24 | sq->obj.num);
	cqe.byte_cnt = htobe32((uint32_t)send->len);
	cqe_write(sq, &cqe);
}

static void
send_error(struct swhca_esq *sq, const struct send *send)
{
	struct mlx5_cqe64 cqe;
	struct mlx5_err_cqe *err = (struct mlx5_err_cqe *)&cqe;

	swhca_ewq_cqe_init(&sq->wq, &cqe, MLX5_CQE_REQ_ERR, send->index);
	cqe.timestamp = 0;
	cqe.sop_drop_qpn = htobe32((uint32_t)send->opcode << 24 | sq->obj.num);
	err->syndrome = send->error.syndrome;
	err->vendor_err_synd = send->error.vendor;
	sq->wq.hca->stats.nb_cqe_errors++;
	cqe_write(sq, &cqe);
}

static int
send_fail(struct send *send, enum swhca_cause cause)
{
	send->error = swhca_cause_error(cause);
	return -EINVAL;
}

/* Fetch the next WQE; nb_bb are posted. */
static int
send_fetch(struct swhca_esq *sq, uint32_t nb_bb, struct send *send)
{
	const struct mlx5_wqe_ctrl_seg *ctrl = (const void *)send->wqe;
	uint32_t word;

	memset(&send->offload, 0, sizeof(send->offload));
	send->index = sq->wq.ci;
	send->nb_bb = 1;
	send->opcode = 0;
	send->len = 0;
	send->data = sq->wq.hca->fabric->frame_tx + SWHCA_OFFLOAD_HEADROOM;
	if (swhca_ewq_read(&sq->wq, sq->wq.ci, send->wqe, PRM_WQE_BB_SIZE) != 0)
		return send_fail(send, SWHCA_CAUSE_RING);
	word = be32toh(ctrl->opmod_idx_opcode);
	send->opcode = (uint8_t)word;
	send->nb_ds = be32toh(ctrl->qpn_ds) & PRM_WQE_MAX_DS;
	send->has_cqe = (ctrl->fm_ce_se & PRM_CTRL_CE_MASK) >= PRM_CTRL_CE_ALWAYS;
	if ((uint16_t)(word >> 8) != sq->wq.ci || send->nb_ds == 0 ||
	    prm_ds_to_wqebb(send->nb_ds) > nb_bb)
		return send_fail(send, SWHCA_CAUSE_FORMAT);
	send->nb_bb = prm_ds_to_wqebb(send->nb_ds);
	if (swhca_ewq_read(&sq->wq, sq->wq.ci, send->wqe,
			   (size_t)send->nb_ds * PRM_WQE_DS_SIZE) != 0)
		return send_fail(send, SWHCA_CAUSE_RING);
	return 0;
}

static int
send_append(struct send *send, const uint8_t *bytes, size_t len)
{
	if (len > MAX_SEND - send->len)
		return send_fail(send, SWHCA_CAUSE_LENGTH);
	memcpy(send->data + send->len, bytes, len);
	send->len += len;
	return 0;
}

/* Consume the Ethernet segment and inline headers. @return Octowords, or a negative errno. */
static int
eth_segment_take(struct send *send)
{
	const struct mlx5_wqe_eth_seg *eth = (const void *)(send->wqe + PRM_WQE_DS_SIZE);
	uint32_t in_wqe = be16toh(eth->inline_hdr_sz);
	uint32_t nb_ds = 2;

	if (send->nb_ds < nb_ds)
		return send_fail(send, SWHCA_CAUSE_FORMAT);
	send->offload.cs_flags = eth->cs_flags;
	if (in_wqe & (PRM_WQE_ETH_INSERT_CVLAN | PRM_WQE_ETH_INSERT_SVLAN)) {
		send->offload.vlan_type = in_wqe & PRM_WQE_ETH_INSERT_CVLAN ? 0x8100 : 0x88a8;
		send->offload.tci = (uint16_t)(eth->inline_hdr_start[0] << 8 |
					       eth->inline_hdr_start[1]);
		return (int)nb_ds;
	}
	in_wqe &= PRM_WQE_ETH_INLINE_SZ_MASK;
	if (in_wqe > 2)
		nb_ds += (in_wqe - 2 + PRM_WQE_DS_SIZE - 1) / PRM_WQE_DS_SIZE;
	if (nb_ds > send->nb_ds)
		return send_fail(send, SWHCA_CAUSE_FORMAT);
	if (send_append(send, send->wqe + PRM_WQE_DS_SIZE + PRM_WQE_ETH_INLINE_BYTE, in_wqe) != 0)
		return -EINVAL;
	if (send->opcode == MLX5_OPCODE_TSO) {
		send->offload.mss = be16toh(eth->mss);
		send->offload.hdr_len = in_wqe;
	}
	return (int)nb_ds;
}

static int
segment_take(struct swhca_esq *sq, struct send *send, uint32_t *ds)
{
	const uint8_t *at = send->wqe + (size_t)*ds * PRM_WQE_DS_SIZE;
	const struct mlx5_wqe_data_seg *seg = (const void *)at;
	uint32_t len = be32toh(seg->byte_count);
	uint64_t bytes;

	if (len & MLX5_INLINE_SEG) {
		len &= ~MLX5_INLINE_SEG;
		if (len > MAX_WQE_BYTES || (uint64_t)*ds * PRM_WQE_DS_SIZE + 4 + len >
						   (uint64_t)send->nb_ds * PRM_WQE_DS_SIZE)
			return send_fail(send, SWHCA_CAUSE_INLINE);
		*ds += (len + 4 + PRM_WQE_DS_SIZE - 1) / PRM_WQE_DS_SIZE;
		return send_append(send, at + 4, len);
	}
	bytes = swhca_data_seg_len(seg);
	if (bytes > MAX_SEND - send->len)
		return send_fail(send, SWHCA_CAUSE_LENGTH);
	if (swhca_ewq_copy(&sq->wq, sq->obj.num, seg, send->data + send->len, bytes, false,
			   &send->error) != 0)
		return -EINVAL;
	send->len += bytes;
	(*ds)++;
	return 0;
}

static int
send_frames(struct swhca_esq *sq, struct send *send)
{
	int ret = eth_segment_take(send);
	uint32_t ds;

	if (ret < 0)
		return ret;
	if (sq->tis == NULL || prm_get(sq->wq.ctx, PRM_SQC_NON_WIRE) != 0)
		return send_fail(send, SWHCA_CAUSE_OPCODE);
	for (ds = (uint32_t)ret; ds < send->nb_ds;)
		if (segment_take(sq, send, &ds) != 0)
			return -EINVAL;
	if (send->opcode == MLX5_OPCODE_TSO && send->offload.mss == 0)
		return send_fail(send, SWHCA_CAUSE_FORMAT);
	sq->wq.hca->fabric->cost += send->len;
	if (swhca_offload_send(sq->wq.hca, send->data, send->len, &send->offload) != 0)
		return send_fail(send, SWHCA_CAUSE_LENGTH);
	return 0;
}

static int
send_execute(struct swhca_esq *sq, struct send *send)
{
	switch (send->opcode) {
	case MLX5_OPCODE_NOP:
		return 0;
	case MLX5_OPCODE_SEND:
	case MLX5_OPCODE_TSO:
		return send_frames(sq, send);
	default:
		return send_fail(send, SWHCA_CAUSE_OPCODE);
	}
}

/* Execute one WQE, or skip all that cannot be parsed. @return WQEBBs done. */
static uint32_t
wqe_run(struct swhca_esq *sq, uint32_t nb_bb, struct send *send)
{
	int ret = send_fetch(sq, nb_bb, send);

	if (sq->wq.state == PRM_XQC_STATE_ERR) {
		send_fail(send, SWHCA_CAUSE_FLUSH);
		if (prm_get(sq->wq.ctx, PRM_SQC_FLUSH_IN_ERROR_EN) != 0)
			send_error(sq, send);
		return ret == 0 ? send->nb_bb : nb_bb;
	}
	if (ret == 0)
		ret = send_execute(sq, send);
	sq->wq.hca->stats.nb_wqes++;
	sq->wq.hca->fabric->cost += SWHCA_COST_WQE;
	if (ret == 0) {
		send_done(sq, send);
		return send->nb_bb;
	}
	SWHCA_LOG(WARNING, "SQ 0x%x WQE 0x%x: opcode 0x%x, syndrome 0x%x, vendor 0x%x: %s",
		  sq->obj.num, send->index, send->opcode, send->error.syndrome,
		  send->error.vendor, send->error.text);
	send_error(sq, send);
	sq_fail(sq);
	return send->nb_bb;
}

/* Fail a queue with an impossible record. */
static void
record_fail(struct swhca_esq *sq)
{
	if (sq->wq.state != PRM_XQC_STATE_RDY)
		return;
	SWHCA_LOG(ERR, "SQ 0x%x: its record cannot be: 2^%u WQEBBs are the most", sq->obj.num,
		  sq->wq.log_size);
	swhca_event_raise_queue(sq->wq.hca, PRM_EVENT_WQ_CATAS_ERROR, PRM_EQE_QUEUE_TYPE_SQ,
				sq->obj.num);
	sq->wq.state = PRM_XQC_STATE_ERR;
}

static unsigned int
sq_run(struct swhca_esq *sq)
{
	unsigned int nb_done = 0;
	struct send send;
	uint32_t pi, nb;

	if (sq->wq.state == PRM_XQC_STATE_RST)
		return 0;
	/* There is no further doorbell when the device resumes. */
	if (swhca_hca_is_still(sq->wq.hca)) {
		swhca_esq_schedule(sq);
		return 0;
	}
	while (nb_done < QUANTUM) {
		if (swhca_ewq_posted(&sq->wq, PRM_DBR_SQ, &pi, &nb) != 0) {
			record_fail(sq);
			return nb_done;
		}
		if (sq->is_stale && (uint16_t)pi == sq->stale_pi)
			return nb_done;
		sq->is_stale = false;
		if (nb == 0)
			return nb_done;
		sq->wq.ci += (uint16_t)wqe_run(sq, nb, &send);
		nb_done++;
	}
	swhca_esq_schedule(sq);
	return nb_done;
}

unsigned int
swhca_esq_run_all(struct swhca_fabric *fabric)
{
	struct swhca_esq *sq, *last = TAILQ_LAST(&fabric->ready_sqs, swhca_ready_sqs);
	uint64_t end = fabric->cost + SWHCA_COST_TURN;
	unsigned int nb_work = 0;

	while ((sq = TAILQ_FIRST(&fabric->ready_sqs)) != NULL) {
		/* Not idle, even if no queue has completed anything. */
		if (fabric->cost >= end)
			return nb_work + 1;
		TAILQ_REMOVE(&fabric->ready_sqs, sq, ready);
		sq->is_queued = false;
		fabric->cost += SWHCA_COST_RUN;
		nb_work += sq_run(sq);
		if (sq == last)
			break;
	}
	return nb_work;
}

void
swhca_esq_fini(struct swhca_hca *hca, struct swhca_obj *obj)
{
	struct swhca_esq *sq = (struct swhca_esq *)obj;

	if (sq->is_queued)
		TAILQ_REMOVE(&hca->fabric->ready_sqs, sq, ready);
	if (sq->uar != NULL) {
		LIST_REMOVE(sq, uar_link);
		swhca_uar_unref(sq->uar);
	}
	if (sq->tis != NULL)
		swhca_obj_unref(&sq->tis->obj);
	swhca_ewq_fini(&sq->wq);
}
