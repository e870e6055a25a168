/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Raw access to the rings of queues that libmlx5 created. The data path of libmlx5 is never called
 * on these queues, so nothing else moves their counters.
 */

#include <endian.h>
#include <errno.h>
#include <string.h>
#include <time.h>

#include <infiniband/mlx5dv.h>

#include <rte_io.h>

#include "rc_qp.h"
#include "check/bed.h"

/* Requests per queue, of the largest size in libmlx5; no check posts that many blocks. */
#define NB_WR	256u
#define NB_CQE	1023

int
check_cq_create(struct check_bed *bed, struct check_cq *cq)
{
	/* Explicit, because MLX5_CQE_SIZE in the environment would override it. */
	struct mlx5dv_cq_init_attr dv = {
		.comp_mask = MLX5DV_CQ_INIT_ATTR_MASK_CQE_SIZE,
		.cqe_size = sizeof(struct mlx5_cqe64),
	};
	struct ibv_cq_init_attr_ex attr = { .cqe = NB_CQE };
	struct ibv_cq_ex *cq_ex = mlx5dv_create_cq(bed->dev->ctx, &attr, &dv);
	struct mlx5dv_obj obj;
	struct mlx5dv_cq raw;

	if (cq_ex == NULL)
		return errno;
	cq->cq = ibv_cq_ex_to_cq(cq_ex);
	obj.cq.in = cq->cq;
	obj.cq.out = &raw;
	if (mlx5dv_init_obj(&obj, MLX5DV_OBJ_CQ) != 0)
		return EIO;
	if (raw.cqe_size != sizeof(struct mlx5_cqe64))
		return ENOTSUP;
	cq->ring = raw.buf;
	cq->nb = raw.cqe_cnt;
	cq->ci = 0;
	cq->nb_missed = &bed->dev->nb_missed;
	cq->dbr = (volatile uint32_t *)raw.dbrec;
	return 0;
}

void
check_cq_destroy(struct check_cq *cq)
{
	if (cq->cq != NULL)
		ibv_destroy_cq(cq->cq);
	*cq = (struct check_cq){ 0 };
}

int
check_qp_map(struct check_qp *qp)
{
	struct mlx5dv_qp raw = { 0 };
	struct mlx5dv_obj obj;

	obj.qp.in = qp->qp;
	obj.qp.out = &raw;
	if (mlx5dv_init_obj(&obj, MLX5DV_OBJ_QP) != 0)
		return EIO;
	qp->ring = raw.sq.buf;
	qp->nb_bb = raw.sq.wqe_cnt;
	qp->pi = 0;
	qp->asked = 0;
	qp->dbr = (volatile uint32_t *)raw.dbrec;
	qp->doorbell = raw.bf.reg;
	return 0;
}

int
check_qp_create(struct check_bed *bed, struct check_qp *qp)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = NB_WR, .max_send_sge = 4,
			 .max_recv_wr = 16, .max_recv_sge = 1 },
	};
	int ret;

	ret = check_cq_create(bed, &qp->send_cq);
	if (ret == 0)
		ret = check_cq_create(bed, &qp->recv_cq);
	if (ret != 0)
		return ret;
	attr.send_cq = qp->send_cq.cq;
	attr.recv_cq = qp->recv_cq.cq;
	qp->qp = ibv_create_qp(bed->pd, &attr);
	return qp->qp != NULL ? check_qp_map(qp) : errno;
}

void
check_qp_destroy(struct check_qp *qp)
{
	if (qp->qp != NULL)
		ibv_destroy_qp(qp->qp);
	check_cq_destroy(&qp->send_cq);
	check_cq_destroy(&qp->recv_cq);
	*qp = (struct check_qp){ 0 };
}

int
check_qp_connect(const struct check_bed *bed, struct check_qp *qp, uint32_t qpn)
{
	/* Short retries: some checks use a peer that does not answer. */
	const struct rc_qp_conf conf = {
		.access = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
			  IBV_ACCESS_REMOTE_ATOMIC,
		.rd_atomic = 1, .min_rnr_timer = 1, .timeout = 12, .retry_cnt = 1,
		.rnr_retry = 1,
	};
	struct ibv_ah_attr ah;
	int ret = rc_qp_port_address(bed->dev->ctx, bed->dev->port, &ah);

	return ret != 0 ? ret : rc_qp_connect(qp->qp, &conf, &ah, qpn);
}

void
check_qp_post(struct check_qp *qp, const struct check_wqe *wqe)
{
	struct check_wqe done = *wqe;
	uint32_t nb_bb = check_wqe_finish(&done, (uint16_t)qp->pi, qp->qp->qp_num);
	uint32_t at = 0, slot;

	for (; at < nb_bb; at++) {
		slot = (qp->pi + at) % qp->nb_bb;
		memcpy(qp->ring + (size_t)slot * PRM_WQE_BB_SIZE,
		       done.bytes + (size_t)at * PRM_WQE_BB_SIZE, PRM_WQE_BB_SIZE);
	}
	memcpy(&qp->first, done.bytes, sizeof(qp->first));
	qp->pi += nb_bb;
}

void
check_qp_ring(struct check_qp *qp)
{
	rte_io_wmb();	/* WQEs before their record. */
	qp->dbr[MLX5_SND_DBR] = htobe32(qp->pi & UINT16_MAX);
	rte_wmb();	/* The record before the doorbell, which may be write-combined. */
	*qp->doorbell = qp->first;
	rte_wmb();	/* Flush the write-combining buffer. */
}

void
check_qp_start(struct check_qp *qp, const struct check_wqe *wqe)
{
	check_qp_post(qp, wqe);
	check_qp_ring(qp);
}

/* Take the entry at the consumer counter if software owns it. */
static bool
cq_take(struct check_cq *cq, struct check_cqe *cqe)
{
	const uint8_t *entry = cq->ring + (size_t)(cq->ci & (cq->nb - 1)) * sizeof(cqe->bytes);
	const struct mlx5_err_cqe *err = (const void *)cqe->bytes;
	uint8_t op_own = *(const volatile uint8_t *)(entry + sizeof(cqe->bytes) - 1);

	if (PRM_CQE_OPCODE(op_own) == PRM_CQE_OPCODE_INVALID ||
	    (op_own & MLX5_CQE_OWNER_MASK) != ((cq->ci & cq->nb) != 0))
		return false;
	rte_io_rmb();	/* The owner bit before the rest. */
	memcpy(cqe->bytes, entry, sizeof(cqe->bytes));
	cqe->opcode = PRM_CQE_OPCODE(op_own);
	cqe->syndrome = err->syndrome;
	cqe->vendor = err->vendor_err_synd;
	cqe->counter = be16toh(err->wqe_counter);
	cq->ci++;
	cq->dbr[0] = htobe32(cq->ci & 0xffffff);
	return true;
}

static uint64_t
now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

bool
check_cq_wait_ms(struct check_cq *cq, struct check_cqe *cqe, unsigned int timeout_ms)
{
	const struct timespec nap = { .tv_nsec = 20000 };
	uint64_t end = now_ms() + timeout_ms;
	unsigned int i;

	for (i = 0;; i++) {
		if (cq_take(cq, cqe))
			return true;
		if (now_ms() > end)
			break;
		/* Spin at first, then yield the CPU: the device itself may need it. */
		if (i > 1000)
			nanosleep(&nap, NULL);
	}
	if (timeout_ms >= CHECK_TIMEOUT_MS)
		(*cq->nb_missed)++;
	return false;
}

bool
check_cq_wait(struct check_cq *cq, struct check_cqe *cqe)
{
	return check_cq_wait_ms(cq, cqe, CHECK_TIMEOUT_MS);
}

/* Syndromes of an error CQE (mlx5dv.h), named as in rte_umr_status_name() where possible. */
static const char *const error_words[UINT8_MAX + 1] = {
	[MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR] = "local-length",
	[MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR] = "local-qp-op",
	[MLX5_CQE_SYNDROME_LOCAL_PROT_ERR] = "local-protection",
	[MLX5_CQE_SYNDROME_WR_FLUSH_ERR] = "flushed",
	[MLX5_CQE_SYNDROME_MW_BIND_ERR] = "mkey-config",
	[MLX5_CQE_SYNDROME_BAD_RESP_ERR] = "bad-response",
	[MLX5_CQE_SYNDROME_LOCAL_ACCESS_ERR] = "local-access",
	[MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR] = "remote-invalid",
	[MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR] = "remote-access",
	[MLX5_CQE_SYNDROME_REMOTE_OP_ERR] = "remote-operation",
	[MLX5_CQE_SYNDROME_TRANSPORT_RETRY_EXC_ERR] = "retry-exceeded",
	[MLX5_CQE_SYNDROME_RNR_RETRY_EXC_ERR] = "rnr-retry-exceeded",
	[MLX5_CQE_SYNDROME_REMOTE_ABORTED_ERR] = "remote-aborted",
};

const char *
check_cqe_word(const struct check_cqe *cqe)
{
	const char *word = error_words[cqe->syndrome];

	if (cqe->opcode == MLX5_CQE_REQ_ERR || cqe->opcode == MLX5_CQE_RESP_ERR)
		return word != NULL ? word : "unknown";
	return cqe->opcode == PRM_CQE_OPCODE_SIGERR ? "signature error" : "done";
}
