/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Receive queues of frames: cyclic ones (wq_type 1), whose WQEs are lists of data segments. A frame
 * without a WQE is dropped and only counted.
 */

#include <string.h>

#include "base/log.h"
#include "eth/frame.h"
#include "eth/eth_queue.h"
#include "mem/mkey.h"
#include "object/limits.h"
#include "queue/cq_ring.h"
#include "queue/eq.h"
#include "queue/q_counter.h"

#define MAX_SEGS ((1u << SWHCA_LOG_MAX_RQ_STRIDE) / sizeof(struct mlx5_wqe_data_seg))

void
swhca_erq_reset(struct swhca_erq *rq)
{
	rq->wq.ci = 0;
	rq->wq.state = PRM_XQC_STATE_RST;
}

static void
error_cqe_write(struct swhca_erq *rq, struct swhca_wqe_error error)
{
	struct mlx5_cqe64 cqe;
	struct mlx5_err_cqe *err = (struct mlx5_err_cqe *)&cqe;

	swhca_ewq_cqe_init(&rq->wq, &cqe, MLX5_CQE_RESP_ERR, rq->wq.ci++);
	cqe.timestamp = 0;
	cqe.sop_drop_qpn = htobe32(rq->obj.num);
	err->syndrome = error.syndrome;
	err->vendor_err_synd = error.vendor;
	rq->wq.hca->stats.nb_cqe_errors++;
	(void)swhca_cq_write(rq->wq.hca, rq->wq.cq, &cqe, NULL);
}

/* Fail the queue; posted WQEs are flushed if software requested that. */
static void
rq_fail(struct swhca_erq *rq)
{
	const struct swhca_wqe_error error = swhca_cause_error(SWHCA_CAUSE_FLUSH);
	uint32_t pi, nb = 0;

	rq->wq.state = PRM_XQC_STATE_ERR;
	if (prm_get(rq->wq.ctx, PRM_RQC_FLUSH_IN_ERROR_EN) == 0 ||
	    swhca_ewq_posted(&rq->wq, PRM_DBR_RQ, &pi, &nb) != 0)
		return;
	for (; nb > 0 && !rq->wq.cq->failed; nb--)
		error_cqe_write(rq, error);
}

static void
wqe_fail(struct swhca_erq *rq, struct swhca_wqe_error error)
{
	SWHCA_LOG(WARNING, "RQ 0x%x WQE 0x%x: syndrome 0x%x, vendor 0x%x: %s", rq->obj.num,
		  rq->wq.ci, error.syndrome, error.vendor, error.text);
	rq->wq.hca->vport.counters.rx_errors++;
	error_cqe_write(rq, error);
	rq_fail(rq);
}

/* Write the bytes of a frame to the next WQE. */
static int
scatter(struct swhca_erq *rq, const uint8_t *data, size_t len, struct swhca_wqe_error *error)
{
	struct mlx5_wqe_data_seg segs[MAX_SEGS];
	uint32_t i, nb = (1u << rq->wq.log_stride) / sizeof(segs[0]);
	uint64_t room;

	*error = swhca_cause_error(SWHCA_CAUSE_RING);
	if (swhca_ewq_read(&rq->wq, rq->wq.ci, segs, (size_t)1 << rq->wq.log_stride) != 0)
		return -EFAULT;
	for (i = 0; i < nb && len > 0; i++) {
		if (be32toh(segs[i].lkey) == SWHCA_TERMINATE_SCATTER_LIST_KEY)
			break;
		room = swhca_data_seg_len(&segs[i]);
		if (room > len)
			room = len;
		if (swhca_ewq_copy(&rq->wq, rq->obj.num, &segs[i], (uint8_t *)(uintptr_t)data, room,
				   true, error) != 0)
			return -EFAULT;
		data += room;
		len -= room;
	}
	if (len == 0)
		return 0;
	*error = swhca_cause_error(SWHCA_CAUSE_LENGTH);
	return -EFAULT;
}

static uint8_t
l4_hdr_type(const struct swhca_frame *frame)
{
	const uint8_t *tcp = frame->data + frame->l4;

	if (frame->l4 == 0)
		return 0;
	if (frame->ip_protocol != 6)
		return PRM_CQE_L4_HDR_UDP;
	if ((tcp[13] & 0x10) == 0)	/* no ACK */
		return PRM_CQE_L4_HDR_TCP;
	return frame->end - frame->l4 > (size_t)(tcp[12] >> 4) * 4 ? PRM_CQE_L4_HDR_TCP_ACK_DATA :
								    PRM_CQE_L4_HDR_TCP_ACK;
}

/*
 * The sum covers all bytes after the Ethernet header that are written to memory (cqe_checksum_full;
 * Linux: mlx5e_handle_csum(), CHECKSUM_COMPLETE).
 */
static void
cqe_fill(struct mlx5_cqe64 *cqe, const struct swhca_frame *frame, const uint8_t *data, size_t len,
	 bool is_stripped)
{
	uint16_t sum = htobe16(swhca_frame_sum(data + SWHCA_ETH_HDR_LEN, len - SWHCA_ETH_HDR_LEN));

	memcpy((uint8_t *)cqe + PRM_CQE_CHECK_SUM_BYTE, &sum, sizeof(sum));
	cqe->byte_cnt = htobe32((uint32_t)len);
	cqe->hds_ip_ext = PRM_CQE_L2_OK | (swhca_frame_l3_is_ok(frame) ? PRM_CQE_L3_OK : 0) |
			  (swhca_frame_l4_is_ok(frame) ? PRM_CQE_L4_OK : 0);
	cqe->l4_hdr_type_etc = l4_hdr_type(frame) |
			       (frame->ip_version == 4 ? PRM_CQE_L3_HDR_IPV4 : 0) |
			       (frame->ip_version == 6 ? PRM_CQE_L3_HDR_IPV6 : 0);
	if (is_stripped) {
		cqe->l4_hdr_type_etc |= PRM_CQE_HAS_VLAN;
		cqe->vlan_info = htobe16(frame->tci);
	}
}

/* Check whether a C-tag is moved from the frame to the CQE. */
static bool
must_strip(const struct swhca_erq *rq, const struct swhca_frame *frame)
{
	return rq->strips_vlan && frame->has_vlan && frame->data[12] == 0x81 &&
	       frame->data[13] == 0x00;
}

static void
frame_write(struct swhca_erq *rq, const struct swhca_frame *frame, struct mlx5_cqe64 *cqe)
{
	uint8_t *data = (uint8_t *)(uintptr_t)frame->data;
	bool is_stripped = must_strip(rq, frame);
	struct swhca_wqe_error error;
	size_t len = frame->len;

	if (is_stripped) {
		data = rq->wq.hca->fabric->frame_rx;
		memcpy(data, frame->data, 12);
		memcpy(data + 12, frame->data + 16, len - 16);
		len -= SWHCA_VLAN_TAG_LEN;
	}
	if (scatter(rq, data, len, &error) != 0) {
		wqe_fail(rq, error);
		return;
	}
	cqe_fill(cqe, frame, data, len, is_stripped);
	rq->wq.ci++;
	if (swhca_cq_write(rq->wq.hca, rq->wq.cq, cqe, NULL))
		return;
	SWHCA_LOG(ERR, "RQ 0x%x: CQ 0x%x takes no CQEs", rq->obj.num, rq->wq.cq->obj.num);
	swhca_event_raise_queue(rq->wq.hca, PRM_EVENT_WQ_CATAS_ERROR, PRM_EQE_QUEUE_TYPE_RQ,
				rq->obj.num);
	rq_fail(rq);
}

/* Counters of its set (rqc.counter_set_id), or dummy ones. */
static struct swhca_wire_stats *
set_stats(const struct swhca_erq *rq)
{
	struct swhca_hca *hca = rq->wq.hca;
	struct swhca_obj *set = swhca_table_get(&hca->tables[SWHCA_OBJ_Q_COUNTER],
						prm_get_u32(rq->wq.ctx, PRM_RQC_COUNTER_SET_ID));

	return set == NULL ? &hca->no_set : &((struct swhca_q_counter *)set)->stats;
}

void
swhca_erq_receive(struct swhca_erq *rq, const struct swhca_frame *frame, uint32_t tag,
		  uint32_t hash, uint8_t type)
{
	struct swhca_eth_counters *counters = &rq->wq.hca->vport.counters;
	uint32_t hash_be = htobe32(hash);
	struct mlx5_cqe64 cqe;
	uint32_t pi, nb;

	if (rq->wq.state != PRM_XQC_STATE_RDY) {
		counters->rx_no_queue++;
		return;
	}
	if (swhca_ewq_posted(&rq->wq, PRM_DBR_RQ, &pi, &nb) != 0) {
		SWHCA_LOG(ERR, "RQ 0x%x: its record cannot be: 2^%u WQEs are the most",
			  rq->obj.num, rq->wq.log_size);
		swhca_event_raise_queue(rq->wq.hca, PRM_EVENT_WQ_CATAS_ERROR,
					PRM_EQE_QUEUE_TYPE_RQ, rq->obj.num);
		rq->wq.state = PRM_XQC_STATE_ERR;
		return;
	}
	if (nb == 0) {
		counters->rx_out_of_buffer++;
		set_stats(rq)->out_of_buffer++;
		return;
	}
	swhca_ewq_cqe_init(&rq->wq, &cqe, MLX5_CQE_RESP_SEND, rq->wq.ci);
	cqe.sop_drop_qpn = htobe32(tag);
	memcpy((uint8_t *)&cqe + PRM_CQE_RX_HASH_BYTE, &hash_be, sizeof(hash_be));
	((uint8_t *)&cqe)[PRM_CQE_RSS_TYPE_BYTE] = type;
	frame_write(rq, frame, &cqe);
}

void
swhca_erq_fini(struct swhca_hca *hca, struct swhca_obj *obj)
{
	(void)hca;
	swhca_ewq_fini(&((struct swhca_erq *)obj)->wq);
}
