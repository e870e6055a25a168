/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Atomics: compare and swap, fetch and add, of 8 bytes.
 *
 * Memory on both sides holds the value in the byte order of the host
 * (atomic_caps.atomic_req_8B_endianness_mode), the WQE in big endian.
 */

#include <errno.h>
#include <inttypes.h>

#include "base/log.h"
#include "mem/mkey.h"
#include "mem/payload.h"
#include "op/atomic.h"
#include "queue/recv.h"
#include "xport/transfer.h"
#include "xport/xport.h"

#define ATOMIC_LEN sizeof(uint64_t)

/* The two segments behind what the service type needs. */
static enum swhca_wqe_end
segs_take(struct swhca_qp *qp, struct swhca_wqe *wqe, const struct mlx5_wqe_raddr_seg **raddr,
	  const struct mlx5_wqe_atomic_seg **atomic)
{
	enum swhca_wqe_end end = swhca_xport_begin(qp, wqe);
	const void *seg;

	if (end == SWHCA_WQE_DONE)
		end = swhca_xport_take(wqe, sizeof(**raddr), &seg);
	if (end != SWHCA_WQE_DONE)
		return end;
	*raddr = seg;
	end = swhca_xport_take(wqe, sizeof(**atomic), &seg);
	if (end == SWHCA_WQE_DONE)
		*atomic = seg;
	return end;
}

/* Room for the old value: exactly that. */
static enum swhca_wqe_end
result_translate(struct swhca_qp *qp, struct swhca_wqe *wqe)
{
	const struct swhca_spans *local = &qp->hca->fabric->local;
	enum swhca_wqe_end end = swhca_local_translate(qp, wqe, SWHCA_ACCESS_LOCAL_WRITE);

	if (end != SWHCA_WQE_DONE || local->len == ATOMIC_LEN)
		return end;
	SWHCA_LOG(WARNING, "QP 0x%x WQE 0x%x: atomic result of %" PRIu64 " bytes, not %zu",
		  qp->obj.num, wqe->index, local->len, ATOMIC_LEN);
	return swhca_wqe_fail(wqe, MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR, SWHCA_VENDOR_LENGTH);
}

/* IBTA 9.4.5: an address that is not a multiple of 8 is an invalid request. */
static enum swhca_wqe_end
operand_translate(struct swhca_qp *qp, struct swhca_wqe *wqe, const struct swhca_responder *to,
		  const struct mlx5_wqe_raddr_seg *raddr)
{
	uint64_t addr = be64toh(raddr->raddr);

	if (addr % ATOMIC_LEN != 0) {
		SWHCA_LOG(WARNING, "QP 0x%x WQE 0x%x: atomic at 0x%" PRIx64
			  ", not a multiple of %zu", qp->obj.num, wqe->index, addr, ATOMIC_LEN);
		swhca_responder_refuse(to, PRM_EVENT_WQ_INVAL_REQ_ERROR);
		return swhca_xport_nak(qp, wqe, MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR,
				       SWHCA_VENDOR_ALIGN);
	}
	return swhca_remote_translate(qp, wqe, to, raddr, ATOMIC_LEN, SWHCA_ACCESS_REMOTE_ATOMIC);
}

/* What memory holds afterwards. */
static uint64_t
operand_update(const struct swhca_wqe *wqe, const struct mlx5_wqe_atomic_seg *seg, uint64_t old)
{
	uint64_t swap_add = be64toh(seg->swap_add);

	if (wqe->opcode == MLX5_OPCODE_ATOMIC_FA)
		return old + swap_add;
	return old == be64toh(seg->compare) ? swap_add : old;
}

/*
 * Read, change, write. The fabric lock makes it atomic for all that the HCAs do, not for the
 * program's own threads: that is what atomic_cap HCA promises.
 */
static int
operand_exec(struct swhca_qp *qp, const struct swhca_wqe *wqe,
	     const struct mlx5_wqe_atomic_seg *seg, uint64_t *old)
{
	const struct swhca_fabric *fabric = qp->hca->fabric;
	const struct swhca_dma *dma = fabric->dma;
	const struct swhca_span word = swhca_span_of(old, sizeof(*old));
	struct swhca_span next;
	uint64_t value;

	if (swhca_dma_copy(dma, &word, 1, fabric->remote.list, fabric->remote.nb) != 0)
		return -EFAULT;
	value = operand_update(wqe, seg, *old);
	next = swhca_span_of(&value, sizeof(value));
	return swhca_dma_copy(dma, fabric->remote.list, fabric->remote.nb, &next, 1);
}

enum swhca_wqe_end
swhca_atomic_exec(struct swhca_qp *qp, struct swhca_wqe *wqe)
{
	const struct mlx5_wqe_atomic_seg *seg;
	const struct mlx5_wqe_raddr_seg *raddr;
	struct swhca_responder to;
	enum swhca_wqe_end end;
	uint64_t old = 0;
	struct swhca_span word = swhca_span_of(&old, sizeof(old));
	const struct swhca_spans result = { .list = &word, .nb = 1, .len = sizeof(old) };

	end = segs_take(qp, wqe, &raddr, &seg);
	if (end == SWHCA_WQE_DONE)
		end = result_translate(qp, wqe);
	if (end == SWHCA_WQE_DONE)
		end = swhca_xport_find(qp, wqe, &to);
	if (end == SWHCA_WQE_DONE)
		end = operand_translate(qp, wqe, &to, raddr);
	if (end != SWHCA_WQE_DONE)
		return end;
	if (operand_exec(qp, wqe, seg, &old) != 0) {
		SWHCA_LOG(WARNING, "QP 0x%x WQE 0x%x: remote memory is not mapped", qp->obj.num,
			  wqe->index);
		swhca_responder_refuse(&to, PRM_EVENT_WQ_CATAS_ERROR);
		return swhca_xport_nak(qp, wqe, MLX5_CQE_SYNDROME_REMOTE_OP_ERR,
				       SWHCA_VENDOR_UNMAPPED);
	}
	wqe->byte_cnt = ATOMIC_LEN;
	swhca_xport_advance(qp, &to, ATOMIC_LEN);
	if (swhca_payload_copy(qp->hca, &qp->hca->fabric->local, &result) != 0)
		return swhca_wqe_fail(wqe, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR, SWHCA_VENDOR_UNMAPPED);
	return SWHCA_WQE_DONE;
}
