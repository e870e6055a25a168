/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <inttypes.h>

#include "swhca_cmd.h"
#include "swhca_engine.h"
#include "swhca_log.h"

/* qpc.rnr_retry: for ever (IBTA: RNR retry counter). */
#define RNR_RETRY_FOREVER 7u

/* IBTA, "Encoding for RNR NAK Timer Field", in units of 10 us; code 0 is the longest. */
static const uint32_t rnr_timer_10us[32] = {
	65536, 1,    2,	   3,	 4,    6,    8,	   12,	 16,   24,    32,    48,    64,
	96,    128,  192,  256,	 384,  512,  768,  1024, 1536, 2048,  3072,  4096,  6144,
	8192,  12288, 16384, 24576, 32768, 49152,
};

static enum swhca_wqe_end
wqe_refuse_fault(const struct swhca_qp *qp, struct swhca_wqe *wqe, uint8_t syndrome,
		 enum swhca_fault fault, const struct swhca_access *access)
{
	SWHCA_LOG(WARNING,
		  "QP 0x%x WQE 0x%x: key 0x%x, address 0x%" PRIx64 ", length %" PRIu64 ": %s",
		  qp->obj.num, wqe->index, access->key, access->addr, access->len,
		  swhca_fault_name(fault));
	return swhca_wqe_fail(wqe, syndrome,
			      syndrome == MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR ?
				      SWHCA_VENDOR_REMOTE_ACCESS :
				      SWHCA_VENDOR_FAULT(fault));
}

/*
 * Inline data lies in the WQE. It is collected behind each other in the fabric's payload buffer,
 * which is memory of this process too and so has a bus address.
 */
static enum swhca_wqe_end
inline_seg_add(struct swhca_qp *qp, struct swhca_wqe *wqe, uint32_t *ds, uint32_t *nb_payload)
{
	struct swhca_fabric *fabric = qp->hca->fabric;
	const uint8_t *seg = wqe->data + (size_t)*ds * PRM_WQE_DS_SIZE;
	uint32_t len = be32toh(*(const __be32 *)seg) & ~MLX5_INLINE_SEG;
	uint32_t seg_ds = (len + sizeof(uint32_t) + PRM_WQE_DS_SIZE - 1) / PRM_WQE_DS_SIZE;

	if (len > SWHCA_MAX_WQE_SZ_SQ || seg_ds > wqe->nb_ds - *ds)
		return swhca_wqe_fail(wqe, MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR, SWHCA_VENDOR_FORMAT);
	memcpy(fabric->payload + *nb_payload, seg + sizeof(uint32_t), len);
	if (swhca_spans_add(&fabric->local, (uintptr_t)(fabric->payload + *nb_payload), len) != 0)
		return swhca_wqe_fail(wqe, MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR, SWHCA_VENDOR_LENGTH);
	*nb_payload += len;
	*ds += seg_ds;
	return SWHCA_WQE_DONE;
}

/* Local side of a transfer: the data segments from octoword ds on, as spans. */
static enum swhca_wqe_end
local_translate(struct swhca_qp *qp, struct swhca_wqe *wqe, uint32_t ds, uint8_t rights)
{
	struct swhca_spans *spans = &qp->hca->fabric->local;
	const struct mlx5_wqe_data_seg *seg;
	uint32_t nb_payload = 0;
	enum swhca_fault fault;
	enum swhca_wqe_end end;

	swhca_spans_reset(spans);
	while (ds < wqe->nb_ds) {
		seg = (const void *)(wqe->data + (size_t)ds * PRM_WQE_DS_SIZE);
		if (be32toh(seg->byte_count) & MLX5_INLINE_SEG) {
			if (rights == SWHCA_ACCESS_LOCAL_WRITE)
				return swhca_wqe_fail(wqe, MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR,
						      SWHCA_VENDOR_FORMAT);
			end = inline_seg_add(qp, wqe, &ds, &nb_payload);
			if (end != SWHCA_WQE_DONE)
				return end;
			continue;
		}
		const struct swhca_access access = {
			.key = be32toh(seg->lkey),
			.addr = be64toh(seg->addr),
			.len = swhca_data_seg_len(seg),
			.rights = rights,
			.pd = qp->pd->num,
			.qpn = qp->obj.num,
		};

		fault = swhca_mkey_translate(qp->hca, &access, spans);
		if (fault != SWHCA_FAULT_NONE)
			return wqe_refuse_fault(qp, wqe, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR, fault,
						&access);
		ds++;
	}
	if (spans->len > UINT64_C(1) << SWHCA_LOG_MAX_MSG)
		return swhca_wqe_fail(wqe, MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR, SWHCA_VENDOR_LENGTH);
	return SWHCA_WQE_DONE;
}

static enum swhca_wqe_end
wait_until(struct swhca_qp *qp, uint64_t delay_ns)
{
	qp->not_before_ns = swhca_now_ns() + delay_ns;
	return SWHCA_WQE_WAIT;
}

/* Nobody acknowledges: retransmit on time-out until the retries are used up (IBTA 9.7.6.1). */
static enum swhca_wqe_end
wait_for_ack(struct swhca_qp *qp, struct swhca_wqe *wqe)
{
	uint64_t timeout = prm_get(qp->qpc, PRM_QPC_PRIMARY_PATH_ACK_TIMEOUT);
	uint64_t nb_max = prm_get(qp->qpc, PRM_QPC_RETRY_COUNT);

	if (timeout == 0)
		return wait_until(qp, SWHCA_WAIT_POLL_NS);
	if (qp->nb_retries > nb_max) {
		SWHCA_LOG(WARNING, "QP 0x%x WQE 0x%x: no answer from QP 0x%x, %" PRIu64 " retries",
			  qp->obj.num, wqe->index,
			  (unsigned int)prm_get(qp->qpc, PRM_QPC_REMOTE_QPN), nb_max);
		return swhca_wqe_fail(wqe, MLX5_CQE_SYNDROME_TRANSPORT_RETRY_EXC_ERR,
				      SWHCA_VENDOR_RETRY);
	}
	qp->nb_retries++;
	return wait_until(qp, UINT64_C(4096) << timeout);
}

/* The receiver has no WQE: wait as long as it says, as often as the sender may. */
static enum swhca_wqe_end
wait_for_receiver(struct swhca_qp *qp, struct swhca_wqe *wqe, const struct swhca_qp *peer)
{
	uint64_t nb_max = prm_get(qp->qpc, PRM_QPC_RNR_RETRY);
	uint64_t code = prm_get(peer->qpc, PRM_QPC_MIN_RNR_NAK);

	if (nb_max == RNR_RETRY_FOREVER)
		return wait_until(qp, SWHCA_WAIT_POLL_NS);
	if (qp->nb_rnr_retries >= nb_max)
		return swhca_wqe_fail(wqe, MLX5_CQE_SYNDROME_RNR_RETRY_EXC_ERR, SWHCA_VENDOR_RETRY);
	qp->nb_rnr_retries++;
	return wait_until(qp, (uint64_t)rnr_timer_10us[code] * 10000);
}

/* The QP at the other end, if it would answer a packet of this one. */
static struct swhca_qp *
peer_find(const struct swhca_qp *qp)
{
	const uint8_t *ads = qp->qpc + PRM_QPC_PRIMARY_PATH_BYTE;
	struct swhca_qp *peer;

	peer = swhca_port_find_qp(qp->hca, ads, (uint32_t)prm_get(qp->qpc, PRM_QPC_REMOTE_QPN));
	if (peer == NULL)
		return NULL;
	/* A packet of anybody but the QP that it is connected to is dropped. */
	ads = peer->qpc + PRM_QPC_PRIMARY_PATH_BYTE;
	if (swhca_port_find_qp(peer->hca, ads,
			       (uint32_t)prm_get(peer->qpc, PRM_QPC_REMOTE_QPN)) != qp)
		return NULL;
	if (peer->state != PRM_QP_STATE_RTR && peer->state != PRM_QP_STATE_RTS)
		return NULL;
	return peer;
}

/* Remote side of a one-sided transfer. A fault is a NAK to us and an error over there. */
static enum swhca_wqe_end
remote_translate(struct swhca_qp *qp, struct swhca_wqe *wqe, struct swhca_qp *peer, uint64_t len,
		 uint8_t rights)
{
	const struct mlx5_wqe_raddr_seg *raddr =
		(const void *)(wqe->data + sizeof(struct mlx5_wqe_ctrl_seg));
	struct swhca_spans *spans = &qp->hca->fabric->remote;
	const struct swhca_access access = {
		.key = be32toh(raddr->rkey),
		.addr = be64toh(raddr->raddr),
		.len = len,
		.rights = rights,
		.pd = peer->pd->num,
		.qpn = peer->obj.num,
	};
	bool qp_allows = prm_get(peer->qpc, rights == SWHCA_ACCESS_REMOTE_READ ? PRM_QPC_RRE :
									 PRM_QPC_RWE) != 0;
	enum swhca_fault fault;

	swhca_spans_reset(spans);
	if (!qp_allows) {
		SWHCA_LOG(WARNING, "QP 0x%x WQE 0x%x: QP 0x%x allows no such request", qp->obj.num,
			  wqe->index, peer->obj.num);
		swhca_qp_fail(peer);
		return swhca_wqe_fail(wqe, MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR,
				      SWHCA_VENDOR_FAULT(SWHCA_FAULT_ACCESS));
	}
	if (len == 0)	/* IBTA: the key of an empty transfer is not checked */
		return SWHCA_WQE_DONE;
	fault = swhca_mkey_translate(peer->hca, &access, spans);
	if (fault == SWHCA_FAULT_NONE)
		return SWHCA_WQE_DONE;
	swhca_qp_fail(peer);
	return wqe_refuse_fault(qp, wqe, MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR, fault, &access);
}

/* Move the bytes; local_is_source tells whose fault an unmapped page is. */
static enum swhca_wqe_end
transfer(struct swhca_qp *qp, struct swhca_wqe *wqe, struct swhca_qp *peer, bool local_is_source)
{
	struct swhca_fabric *fabric = qp->hca->fabric;
	const struct swhca_spans *src = local_is_source ? &fabric->local : &fabric->remote;
	const struct swhca_spans *dst = local_is_source ? &fabric->remote : &fabric->local;
	bool is_local_fault;
	int ret;

	ret = swhca_payload_copy(qp->hca, dst, src);
	if (ret == 0)
		return SWHCA_WQE_DONE;
	is_local_fault = (ret == -EFAULT) == local_is_source;
	SWHCA_LOG(WARNING, "QP 0x%x WQE 0x%x: %s memory is not mapped", qp->obj.num, wqe->index,
		  is_local_fault ? "local" : "remote");
	if (is_local_fault)
		return swhca_wqe_fail(wqe, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR, SWHCA_VENDOR_UNMAPPED);
	swhca_qp_fail(peer);
	return swhca_wqe_fail(wqe, MLX5_CQE_SYNDROME_REMOTE_OP_ERR, SWHCA_VENDOR_UNMAPPED);
}

/* Octowords in front of the data segments of a one-sided transfer: control, remote address. */
#define RDMA_HEAD_DS 2u
#define SEND_HEAD_DS 1u

enum swhca_wqe_end
swhca_rdma_write_exec(struct swhca_qp *qp, struct swhca_wqe *wqe)
{
	struct swhca_spans *local = &qp->hca->fabric->local;
	bool has_imm = wqe->opcode == MLX5_OPCODE_RDMA_WRITE_IMM;
	const struct swhca_spans nothing = { 0 };
	enum swhca_wqe_end end;
	struct swhca_qp *peer;

	if (wqe->nb_ds < RDMA_HEAD_DS)
		return swhca_wqe_fail(wqe, MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR, SWHCA_VENDOR_FORMAT);
	end = local_translate(qp, wqe, RDMA_HEAD_DS, SWHCA_ACCESS_LOCAL_READ);
	if (end != SWHCA_WQE_DONE)
		return end;
	peer = peer_find(qp);
	if (peer == NULL)
		return wait_for_ack(qp, wqe);
	if (has_imm && !swhca_recv_is_posted(peer))
		return wait_for_receiver(qp, wqe, peer);
	end = remote_translate(qp, wqe, peer, local->len, SWHCA_ACCESS_REMOTE_WRITE);
	if (end == SWHCA_WQE_DONE)
		end = transfer(qp, wqe, peer, true);
	if (end == SWHCA_WQE_DONE && has_imm) {
		const struct swhca_message msg = {
			.payload = &nothing,
			.cqe_opcode = MLX5_CQE_RESP_WR_IMM,
			.imm = wqe->imm,
			.len = (uint32_t)local->len,
		};

		swhca_recv_deliver(peer, &msg);
	}
	return end;
}

enum swhca_wqe_end
swhca_rdma_read_exec(struct swhca_qp *qp, struct swhca_wqe *wqe)
{
	struct swhca_spans *local = &qp->hca->fabric->local;
	enum swhca_wqe_end end;
	struct swhca_qp *peer;

	if (wqe->nb_ds < RDMA_HEAD_DS)
		return swhca_wqe_fail(wqe, MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR, SWHCA_VENDOR_FORMAT);
	end = local_translate(qp, wqe, RDMA_HEAD_DS, SWHCA_ACCESS_LOCAL_WRITE);
	if (end != SWHCA_WQE_DONE)
		return end;
	peer = peer_find(qp);
	if (peer == NULL)
		return wait_for_ack(qp, wqe);
	end = remote_translate(qp, wqe, peer, local->len, SWHCA_ACCESS_REMOTE_READ);
	if (end == SWHCA_WQE_DONE)
		end = transfer(qp, wqe, peer, false);
	wqe->byte_cnt = (uint32_t)local->len;
	return end;
}

static uint8_t
send_cqe_opcode(uint8_t wqe_opcode)
{
	return wqe_opcode == MLX5_OPCODE_SEND_IMM ? MLX5_CQE_RESP_SEND_IMM : MLX5_CQE_RESP_SEND;
}

enum swhca_wqe_end
swhca_send_exec(struct swhca_qp *qp, struct swhca_wqe *wqe)
{
	struct swhca_spans *local = &qp->hca->fabric->local;
	struct swhca_message msg;
	enum swhca_wqe_end end;
	struct swhca_qp *peer;

	end = local_translate(qp, wqe, SEND_HEAD_DS, SWHCA_ACCESS_LOCAL_READ);
	if (end != SWHCA_WQE_DONE)
		return end;
	peer = peer_find(qp);
	if (peer == NULL)
		return wait_for_ack(qp, wqe);
	msg = (struct swhca_message){
		.payload = local,
		.cqe_opcode = send_cqe_opcode(wqe->opcode),
		.imm = wqe->imm,
		.len = (uint32_t)local->len,
	};
	switch (swhca_recv_deliver(peer, &msg)) {
	case SWHCA_RECV_OK:
		return SWHCA_WQE_DONE;
	case SWHCA_RECV_NOT_READY:
		return wait_for_receiver(qp, wqe, peer);
	case SWHCA_RECV_TOO_LONG:
		return swhca_wqe_fail(wqe, MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR,
				      SWHCA_VENDOR_LENGTH);
	case SWHCA_RECV_SOURCE_FAULT:
		return swhca_wqe_fail(wqe, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR, SWHCA_VENDOR_UNMAPPED);
	case SWHCA_RECV_FAULT:
	default:
		return swhca_wqe_fail(wqe, MLX5_CQE_SYNDROME_REMOTE_OP_ERR, SWHCA_VENDOR_UNMAPPED);
	}
}
