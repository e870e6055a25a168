/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Atomics: compare and swap, fetch and add, of 8 bytes.
 *
 * The result has the byte order of the host (atomic_caps.atomic_req_8B_endianness_mode), operands
 * in the WQE are big endian.
 */

#include <inttypes.h>

#include "base/log.h"
#include "mem/mkey.h"
#include "mem/payload.h"
#include "op/atomic.h"
#include "xport/xport_requester.h"
#include "xport/transfer.h"
#include "xport/xport.h"

#define ATOMIC_LEN sizeof(uint64_t)

/* Consume the two segments after those of the service type. */
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

/* Translate the buffer for the old value, of exactly that size. */
static enum swhca_wqe_end
result_translate(struct swhca_qp *qp, struct swhca_wqe *wqe)
{
	const struct swhca_spans *local = &qp->hca->fabric->local;
	enum swhca_wqe_end end = swhca_local_translate(qp, wqe, SWHCA_ACCESS_LOCAL_WRITE);

	if (end != SWHCA_WQE_DONE || local->len == ATOMIC_LEN)
		return end;
	SWHCA_LOG(WARNING, "QP 0x%x WQE 0x%x: atomic result of %" PRIu64 " bytes, not %zu",
		  qp->obj.num, wqe->index, local->len, ATOMIC_LEN);
	return swhca_wqe_fail(wqe, SWHCA_CAUSE_LENGTH);
}

enum swhca_wqe_end
swhca_atomic_exec(struct swhca_qp *qp, struct swhca_wqe *wqe)
{
	bool is_add = wqe->opcode == MLX5_OPCODE_ATOMIC_FA;
	struct swhca_hca *hca = qp->hca;
	const struct mlx5_wqe_raddr_seg *raddr;
	const struct mlx5_wqe_atomic_seg *seg;
	struct swhca_wire_answer answer;
	struct swhca_wire_req req;
	enum swhca_wqe_end end;

	end = segs_take(qp, wqe, &raddr, &seg);
	if (end == SWHCA_WQE_DONE)
		end = result_translate(qp, wqe);
	if (end != SWHCA_WQE_DONE)
		return end;
	swhca_request_init(qp, wqe, is_add ? SWHCA_WIRE_FETCH_ADD : SWHCA_WIRE_CMP_SWAP, &req);
	swhca_request_set_raddr(&req, raddr);
	req.compare = be64toh(seg->compare);
	req.swap_add = be64toh(seg->swap_add);
	wqe->byte_cnt = ATOMIC_LEN;
	end = swhca_request_send(qp, wqe, &req, &answer);
	if (end != SWHCA_WQE_DONE)
		return end;

	struct swhca_span old = swhca_span_of(&answer.old, sizeof(answer.old));
	const struct swhca_spans result = { .list = &old, .nb = 1, .len = old.len };

	if (swhca_payload_copy(hca, &hca->fabric->local, &result) != 0)
		return swhca_wqe_fail(wqe, SWHCA_CAUSE_UNMAPPED);
	return SWHCA_WQE_DONE;
}
