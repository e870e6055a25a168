/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * PRM commands: the only file that accesses mailboxes, except dek.c for crypto and dct.c. Mailboxes
 * are arrays of dwords, so that they are aligned; layouts are in mlx5_prm.h and mlx5_prm_cmd.h.
 */

#include <errno.h>
#include <string.h>

#include <rte_common.h>

#include <mlx5_prm_cmd.h>
#include <mlx5_prm_dc.h>
#include <mlx5_prm_sig.h>
#include <mlx5_prm_wqe.h>

#include "ctrl/dek.h"
#include "ctrl/devx.h"
#include "ctrl/mr.h"
#include "ring/log.h"

#define DWORDS(bytes) MLX5_UMR_DWORDS(bytes)

/* qpc.ts_format, cqc.cq_timestamp_format. */
#define MLX5_UMR_TS_FORMAT_DEFAULT	1

/* RoCE capabilities (rdma-core, mlx5_ifc.h, roce_cap). 0: free running only. */
#define MLX5_UMR_CAP_ROCE_QP_TS_FORMAT	PRM_FIELD(0, 0, 2)

/** Errno that the kernel derives from a command status, if it does (Linux, cmd.c). */
static int
status_to_errno(enum prm_cmd_status status)
{
	switch (status) {
	case PRM_CMD_RES_BUSY:
		return EBUSY;
	case PRM_CMD_EXCEED_LIM:
		return ENOMEM;
	case PRM_CMD_NO_RES:
		return EAGAIN;
	case PRM_CMD_BAD_OP:
	case PRM_CMD_BAD_PARAM:
	case PRM_CMD_BAD_RES:
	case PRM_CMD_BAD_RES_STATE:
	case PRM_CMD_BAD_INDEX:
	case PRM_CMD_BAD_QP_STATE:
	case PRM_CMD_BAD_PKT:
	case PRM_CMD_BAD_SIZE:
		return EINVAL;
	default:
		return EIO;
	}
}

int
mlx5_umr_devx_error(const struct mlx5_umr_device *dev, const char *name, const void *out, int error)
{
	if (error == EREMOTEIO)
		error = status_to_errno(prm_get_u32(out, PRM_CMD_OUT_STATUS));
	if (error == 0)
		error = EIO;
	MLX5_UMR_DEV_LOG(ERR, dev->umr_dev->name, "%s: status 0x%x, syndrome 0x%x, errno %d (%s)",
			 name, prm_get_u32(out, PRM_CMD_OUT_STATUS),
			 prm_get_u32(out, PRM_CMD_OUT_SYNDROME), error, strerror(error));
	return -error;
}

int
mlx5_umr_devx_obj_create(const struct mlx5_umr_device *dev, const char *name, const void *in,
			 size_t in_len, struct prm_field field, struct mlx5dv_devx_obj **obj,
			 uint32_t *num)
{
	uint32_t out[DWORDS(PRM_CREATE_PSV_OUT_SIZE)] = { 0 };
	/* Only this command returns more. */
	const bool is_psv = prm_get(in, PRM_CMD_IN_OPCODE) == PRM_CMD_CREATE_PSV;
	struct mlx5dv_devx_obj *o;

	errno = 0;
	o = mlx5dv_devx_obj_create(dev->ctx, in, in_len, out,
				   is_psv ? PRM_CREATE_PSV_OUT_SIZE : PRM_CMD_SHORT_OUT_SIZE);
	if (o == NULL)
		return mlx5_umr_devx_error(dev, name, out, errno);
	*obj = o;
	*num = prm_get_u32(out, field);
	return 0;
}

int
mlx5_umr_devx_destroy(const struct mlx5_umr_device *dev, struct mlx5dv_devx_obj *obj,
		      const char *what)
{
	int ret;

	if (obj == NULL)
		return 0;
	ret = mlx5dv_devx_obj_destroy(obj);
	if (ret == 0)
		return 0;
	ret = ret > 0 ? -ret : -EIO;
	if (mlx5_umr_is_lost(dev))
		MLX5_UMR_DEV_LOG(DEBUG, dev->umr_dev->name, "cannot destroy %s: %s", what,
				 strerror(-ret));
	else
		MLX5_UMR_DEV_LOG(ERR, dev->umr_dev->name, "cannot destroy %s: %s", what,
				 strerror(-ret));
	return ret;
}

int
mlx5_umr_devx_query_cap_page(const struct mlx5_umr_device *dev, uint16_t page, void *out)
{
	uint32_t in[DWORDS(PRM_CMD_SHORT_IN_SIZE)] = { 0 };
	int ret;

	memset(out, 0, PRM_QUERY_HCA_CAP_OUT_SIZE);
	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_QUERY_HCA_CAP);
	prm_set(in, PRM_CMD_IN_OP_MOD, (uint64_t)page << 1 | PRM_HCA_CAP_OP_MOD_CUR);
	ret = mlx5dv_devx_general_cmd(dev->ctx, in, sizeof(in), out, PRM_QUERY_HCA_CAP_OUT_SIZE);
	if (ret != 0)
		return mlx5_umr_devx_error(dev, "QUERY_HCA_CAP", out, ret > 0 ? ret : errno);
	return 0;
}

static void
general_caps_fill(const uint8_t *cap, struct mlx5_umr_caps *caps)
{
	*caps = (struct mlx5_umr_caps){
		.log_max_qp_sz = prm_get_u8(cap, PRM_CAP_LOG_MAX_QP_SZ),
		.log_max_qp = prm_get_u8(cap, PRM_CAP_LOG_MAX_QP),
		.log_max_cq = prm_get_u8(cap, PRM_CAP_LOG_MAX_CQ),
		.log_max_cq_sz = prm_get_u8(cap, PRM_CAP_LOG_MAX_CQ_SZ),
		.log_max_mkey = prm_get_u8(cap, PRM_CAP_LOG_MAX_MKEY),
		.log_max_klm = prm_get_u8(cap, PRM_CAP_LOG_MAX_KLM_LIST_SIZE),
		.log_max_msg = prm_get_u8(cap, PRM_CAP_LOG_MAX_MSG),
		.log_max_ra_req_qp = prm_get_u8(cap, PRM_CAP_LOG_MAX_RA_REQ_QP),
		.log_max_ra_res_qp = prm_get_u8(cap, PRM_CAP_LOG_MAX_RA_RES_QP),
		.max_indirection = prm_get_u8(cap, PRM_CAP_MAX_INDIRECTION),
		.umr_fence = prm_get_u8(cap, PRM_CAP_UMR_FENCE),
		.max_wqe_sz_sq = prm_get_u16(cap, PRM_CAP_MAX_WQE_SZ_SQ),
		.max_wqe_sz_rq = prm_get_u16(cap, PRM_CAP_MAX_WQE_SZ_RQ),
		.has_rc = prm_get(cap, PRM_CAP_RC),
		.has_scatter_cqe = prm_get(cap, PRM_CAP_SCTR_DATA_CQE),
		/* mlx5_ib checks this for windows, which use the same kind of key. */
		.has_send_inv = prm_get(cap, PRM_CAP_IMAICL),
		.has_dc = prm_get(cap, PRM_CAP_DCT),
		.log_max_srq_sz = prm_get_u8(cap, PRM_CAP_LOG_MAX_SRQ_SZ),
		.log_max_ra_req_dc = prm_get_u8(cap, PRM_CAP_LOG_MAX_RA_REQ_DC),
		.max_wqe_sz_sq_dc = prm_get_u16(cap, PRM_CAP_MAX_WQE_SZ_SQ_DC),
		.has_umr_strided = !prm_get(cap, PRM_CAP_REPEATED_BLOCK_DISABLED),
		.has_relaxed_ordering = prm_get(cap, PRM_CAP_RELAXED_ORDERING_WRITE),
		.has_fixed_size = prm_get(cap, PRM_CAP_FIXED_BUFFER_SIZE),
		.relaxed_mkey_mask =
			(prm_get(cap, PRM_CAP_RELAXED_ORDERING_WRITE_UMR) ?
				 PRM_UMR_MKEY_MASK_RELAXED_ORDERING_WRITE : 0) |
			(prm_get(cap, PRM_CAP_RELAXED_ORDERING_READ_UMR) ?
				 PRM_UMR_MKEY_MASK_RELAXED_ORDERING_READ : 0),
		.is_umr_disabled = prm_get(cap, PRM_CAP_UMR_INDIRECT_MKEY_DISABLED),
		.has_sig = prm_get(cap, PRM_CAP_SHO) &&
			   prm_get(cap, PRM_CAP_SIGERR_DOMAIN_AND_SIG_TYPE),
		.has_sig_block_4048 = prm_get(cap, PRM_CAP_SIG_BLOCK_4048),
		.has_sig_crc32c = prm_get(cap, PRM_CAP_SIG_CRC32C),
		.has_sig_crc64_xp10 = prm_get(cap, PRM_CAP_SIG_CRC64_XP10),
	};
	if (prm_get(cap, PRM_CAP_BF))
		caps->bf_size = (uint16_t)(1u << prm_get(cap, PRM_CAP_LOG_BF_REG_SIZE) >> 1);
}

int
mlx5_umr_devx_query_caps(struct mlx5_umr_device *dev)
{
	uint32_t out[DWORDS(PRM_QUERY_HCA_CAP_OUT_SIZE)];
	const uint8_t *cap = (const uint8_t *)out + PRM_QUERY_HCA_CAP_OUT_CAP_BYTE;
	struct mlx5_umr_caps *caps = &dev->caps;
	bool has_roce;
	int ret;

	ret = mlx5_umr_devx_query_cap_page(dev, PRM_HCA_CAP_PAGE_GENERAL, out);
	if (ret != 0)
		return ret;
	general_caps_fill(cap, caps);
	has_roce = prm_get(cap, PRM_CAP_ROCE);
	ret = mlx5_umr_crypto_caps_query(dev, cap, &caps->crypto);
	if (ret != 0 || !has_roce)
		return ret;
	ret = mlx5_umr_devx_query_cap_page(dev, PRM_HCA_CAP_PAGE_ROCE, out);
	if (ret != 0)
		return ret;
	caps->has_ts_default = prm_get(cap, MLX5_UMR_CAP_ROCE_QP_TS_FORMAT) != 0;
	return 0;
}

int
mlx5_umr_devx_cq_create(const struct mlx5_umr_queue *queue, struct mlx5_umr_cq *cq,
			uint64_t dbr_offset, struct mlx5dv_devx_obj **obj)
{
	const uint32_t umem_id = mlx5_umr_mem_umem_id(&queue->mem);
	uint32_t in[DWORDS(PRM_CREATE_CQ_IN_PAS_BYTE)] = { 0 };
	uint8_t *cqc = (uint8_t *)in + PRM_CREATE_CQ_IN_CQC_BYTE;

	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_CREATE_CQ);
	prm_set(in, PRM_CREATE_CQ_IN_CQ_UMEM_OFFSET,
		mlx5_umr_queue_umem_offset(queue, cq->ring));
	prm_set(in, PRM_CREATE_CQ_IN_CQ_UMEM_ID, umem_id);
	prm_set(in, PRM_CREATE_CQ_IN_CQ_UMEM_VALID, 1);
	prm_set(cqc, PRM_CQC_DBR_UMEM_VALID, 1);
	prm_set(cqc, PRM_CQC_DBR_UMEM_ID, umem_id);
	prm_set(cqc, PRM_CQC_DBR_ADDR, dbr_offset);
	prm_set(cqc, PRM_CQC_CQE_SZ, PRM_CQC_CQE_SZ_64);
	prm_set(cqc, PRM_CQC_LOG_CQ_SIZE, mlx5_umr_log2(cq->mask + 1));
	prm_set(cqc, PRM_CQC_UAR_PAGE, queue->uar->page_id);
	prm_set(cqc, PRM_CQC_C_EQN, queue->dev->eqn);
	return mlx5_umr_devx_obj_create(queue->dev, "CREATE_CQ", in, sizeof(in),
					PRM_CREATE_CQ_OUT_CQN, obj, &cq->cqn);
}

int
mlx5_umr_devx_qp_create(struct mlx5_umr_queue *queue, uint64_t dbr_offset)
{
	const uint32_t umem_id = mlx5_umr_mem_umem_id(&queue->mem);
	uint32_t in[DWORDS(PRM_CREATE_QP_IN_PAS_BYTE)] = { 0 };
	uint8_t *qpc = (uint8_t *)in + PRM_CREATE_QP_IN_QPC_BYTE;

	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_CREATE_QP);
	prm_set(in, PRM_CREATE_QP_IN_WQ_UMEM_OFFSET, queue->mem.offset);
	prm_set(in, PRM_CREATE_QP_IN_WQ_UMEM_ID, umem_id);
	prm_set(in, PRM_CREATE_QP_IN_WQ_UMEM_VALID, 1);
	prm_set(qpc, PRM_QPC_ST, queue->is_dci ? PRM_QP_ST_DCI : PRM_QP_ST_RC);
	prm_set(qpc, PRM_QPC_PM_STATE, PRM_QPC_PM_STATE_MIGRATED);
	prm_set(qpc, PRM_QPC_PD, mlx5_umr_pd_num(queue->dev, queue->conf.pd));
	prm_set(qpc, PRM_QPC_UAR_PAGE, queue->uar->page_id);
	prm_set(qpc, PRM_QPC_USER_INDEX, queue->fp.queue_id);
	prm_set(qpc, PRM_QPC_LOG_SQ_SIZE, mlx5_umr_log2(queue->sq_mask + 1));
	prm_set(qpc, PRM_QPC_CQN_SND, queue->cq.cqn);
	prm_set(qpc, PRM_QPC_CQN_RCV, queue->has_rq ? queue->rq.cq.cqn : queue->cq.cqn);
	if (queue->dev->caps.has_ts_default)
		prm_set(qpc, PRM_QPC_TS_FORMAT, MLX5_UMR_TS_FORMAT_DEFAULT);
	if (queue->has_rq) {
		prm_set(qpc, PRM_QPC_RQ_TYPE, PRM_RQ_TYPE_REGULAR);
		prm_set(qpc, PRM_QPC_LOG_RQ_SIZE, mlx5_umr_log2(queue->rq.mask + 1));
		/* The device counts a receive stride in DS. */
		prm_set(qpc, PRM_QPC_LOG_RQ_STRIDE, queue->rq.log_stride - 4u);
	} else {
		prm_set(qpc, PRM_QPC_RQ_TYPE, PRM_RQ_TYPE_ZERO_SIZE);
	}
	prm_set(qpc, PRM_QPC_CS_RES,
		queue->rq.keys != NULL ? PRM_QPC_CS_RES_32B : PRM_QPC_CS_RES_DISABLE);
	prm_set(qpc, PRM_QPC_DBR_UMEM_VALID, 1);
	prm_set(qpc, PRM_QPC_DBR_UMEM_ID, umem_id);
	prm_set(qpc, PRM_QPC_DBR_ADDR, dbr_offset);
	return mlx5_umr_devx_obj_create(queue->dev, "CREATE_QP", in, sizeof(in),
					PRM_CREATE_QP_OUT_QPN, &queue->qp, &queue->qpn);
}

/** Execute a state change of a queue pair; in has in_len bytes, this sets opcode and number. */
static int
qp_modify(const struct mlx5_umr_queue *queue, enum prm_cmd_op op, const char *name, void *in,
	  size_t in_len)
{
	uint32_t out[DWORDS(PRM_CMD_SHORT_OUT_SIZE)] = { 0 };
	int ret;

	prm_set(in, PRM_CMD_IN_OPCODE, op);
	prm_set(in, PRM_MODIFY_QP_IN_QPN, queue->qpn);
	ret = mlx5dv_devx_obj_modify(queue->qp, in, in_len, out, sizeof(out));
	if (ret != 0)
		return mlx5_umr_devx_error(queue->dev, name, out, ret > 0 ? ret : errno);
	return 0;
}

int
mlx5_umr_devx_qp_2rst(const struct mlx5_umr_queue *queue)
{
	uint32_t in[DWORDS(PRM_CMD_SHORT_IN_SIZE)] = { 0 };

	return qp_modify(queue, PRM_CMD_2RST_QP, "2RST_QP", in, sizeof(in));
}

int
mlx5_umr_devx_qp_2err(const struct mlx5_umr_queue *queue)
{
	uint32_t in[DWORDS(PRM_CMD_SHORT_IN_SIZE)] = { 0 };

	return qp_modify(queue, PRM_CMD_2ERR_QP, "2ERR_QP", in, sizeof(in));
}

/** Set the operations that the peer may request. */
static void
qpc_access_fill(uint8_t *qpc, bool has_atomic)
{
	prm_set(qpc, PRM_QPC_RRE, 1);
	prm_set(qpc, PRM_QPC_RWE, 1);
	if (!has_atomic)
		return;
	prm_set(qpc, PRM_QPC_RAE, 1);
	prm_set(qpc, PRM_QPC_ATOMIC_MODE, PRM_QPC_ATOMIC_MODE_IB_COMP);
}

int
mlx5_umr_devx_qp_rst2init(const struct mlx5_umr_queue *queue)
{
	uint32_t in[DWORDS(PRM_MODIFY_QP_IN_SIZE)] = { 0 };
	uint8_t *qpc = (uint8_t *)in + PRM_MODIFY_QP_IN_QPC_BYTE;

	prm_set(qpc, PRM_QPC_PM_STATE, PRM_QPC_PM_STATE_MIGRATED);
	qpc_access_fill(qpc, queue->has_atomic);
	prm_set(qpc + PRM_QPC_PRIMARY_PATH_BYTE, PRM_ADS_VHCA_PORT_NUM, queue->dev->args.port);
	return qp_modify(queue, PRM_CMD_RST2INIT_QP, "RST2INIT_QP", in, sizeof(in));
}

static void
ads_fill(uint8_t *ads, const struct mlx5_umr_qp_path *path)
{
	prm_set(ads, PRM_ADS_VHCA_PORT_NUM, path->port);
	prm_set(ads, PRM_ADS_FL, path->is_loopback);
	prm_set(ads, PRM_ADS_RLID, path->lid);
	if (!path->has_grh)
		return;
	prm_set(ads, PRM_ADS_GRH, 1);
	prm_set(ads, PRM_ADS_SRC_ADDR_INDEX, path->gid_index);
	prm_set(ads, PRM_ADS_HOP_LIMIT, MLX5_UMR_HOP_LIMIT);
	prm_set(ads, PRM_ADS_RMAC_47_32, (uint64_t)path->mac[0] << 8 | path->mac[1]);
	prm_set(ads, PRM_ADS_RMAC_31_0, (uint64_t)path->mac[2] << 24 |
		(uint64_t)path->mac[3] << 16 | (uint64_t)path->mac[4] << 8 | path->mac[5]);
	memcpy(ads + PRM_ADS_RGID_BYTE, path->gid, sizeof(path->gid));
}

int
mlx5_umr_devx_qp_init2rtr(const struct mlx5_umr_queue *queue,
			  const struct mlx5_umr_qp_path *path)
{
	uint32_t in[DWORDS(PRM_MODIFY_QP_IN_SIZE)] = { 0 };
	uint8_t *qpc = (uint8_t *)in + PRM_MODIFY_QP_IN_QPC_BYTE;

	prm_set(qpc, PRM_QPC_MTU, path->mtu);
	prm_set(qpc, PRM_QPC_LOG_MSG_MAX, path->log_msg_max);
	prm_set(qpc, PRM_QPC_REMOTE_QPN, path->remote_qpn);
	prm_set(qpc, PRM_QPC_NEXT_RCV_PSN, path->remote_psn);
	prm_set(qpc, PRM_QPC_LOG_RRA_MAX, path->log_ra_res);
	prm_set(qpc, PRM_QPC_MIN_RNR_NAK, MLX5_UMR_MIN_RNR_NAK);
	qpc_access_fill(qpc, path->has_atomic);
	ads_fill(qpc + PRM_QPC_PRIMARY_PATH_BYTE, path);
	return qp_modify(queue, PRM_CMD_INIT2RTR_QP, "INIT2RTR_QP", in, sizeof(in));
}

int
mlx5_umr_devx_qp_rtr2rts(const struct mlx5_umr_queue *queue,
			 const struct mlx5_umr_qp_path *path)
{
	uint32_t in[DWORDS(PRM_MODIFY_QP_IN_SIZE)] = { 0 };
	uint8_t *qpc = (uint8_t *)in + PRM_MODIFY_QP_IN_QPC_BYTE;

	prm_set(qpc, PRM_QPC_NEXT_SEND_PSN, path->local_psn);
	prm_set(qpc, PRM_QPC_LOG_SRA_MAX, path->log_ra_req);
	prm_set(qpc, PRM_QPC_RETRY_COUNT, path->retry_count);
	prm_set(qpc, PRM_QPC_RNR_RETRY, path->rnr_retry);
	prm_set(qpc + PRM_QPC_PRIMARY_PATH_BYTE, PRM_ADS_ACK_TIMEOUT, path->ack_timeout);
	prm_set(qpc + PRM_QPC_PRIMARY_PATH_BYTE, PRM_ADS_VHCA_PORT_NUM, path->port);
	return qp_modify(queue, PRM_CMD_RTR2RTS_QP, "RTR2RTS_QP", in, sizeof(in));
}

int
mlx5_umr_devx_mkey_create(const struct mlx5_umr_device *dev, const struct mlx5_umr_mkey_attr *attr,
			  struct mlx5dv_devx_obj **obj, uint32_t *mkey_index)
{
	uint32_t in[DWORDS(PRM_CREATE_MKEY_IN_XLT_BYTE)] = { 0 };
	uint8_t *mkc = (uint8_t *)in + PRM_CREATE_MKEY_IN_MKC_BYTE;

	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_CREATE_MKEY);
	prm_set(mkc, PRM_MKC_FREE, 1);
	prm_set(mkc, PRM_MKC_UMR_EN, 1);
	prm_set(mkc, PRM_MKC_LR, 1);
	prm_set(mkc, PRM_MKC_ACCESS_MODE_1_0,
		attr->log_entry_size != 0 ? PRM_MKC_ACCESS_MODE_KSM : PRM_MKC_ACCESS_MODE_KLMS);
	prm_set(mkc, PRM_MKC_LOG_PAGE_SIZE, attr->log_entry_size);
	prm_set(mkc, PRM_MKC_QPN, PRM_MKC_QPN_ANY);
	prm_set(mkc, PRM_MKC_MKEY_7_0, 0);
	prm_set(mkc, PRM_MKC_EN_RINVAL, attr->has_remote_inv);
	prm_set(mkc, PRM_MKC_PD, attr->pdn);
	prm_set(mkc, PRM_MKC_BSF_EN, attr->has_crypto);
	prm_set(mkc, PRM_MKC_BSF_OCTWORD_SIZE, attr->bsf_ow);
	prm_set(mkc, PRM_MKC_CRYPTO_EN, attr->has_crypto);
	prm_set(mkc, PRM_MKC_TRANSLATIONS_OCTWORD_SIZE, attr->nb_klm);
	return mlx5_umr_devx_obj_create(dev, "CREATE_MKEY", in, sizeof(in),
					PRM_CREATE_MKEY_OUT_MKEY_INDEX, obj, mkey_index);
}

int
mlx5_umr_devx_psv_create(const struct mlx5_umr_device *dev, uint32_t pdn,
			 struct mlx5dv_devx_obj **obj, uint32_t *psv)
{
	uint32_t in[DWORDS(PRM_CMD_SHORT_IN_SIZE)] = { 0 };

	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_CREATE_PSV);
	prm_set(in, PRM_CREATE_PSV_IN_NUM_PSV, 1);
	prm_set(in, PRM_CREATE_PSV_IN_PD, pdn);
	return mlx5_umr_devx_obj_create(dev, "CREATE_PSV", in, sizeof(in),
					PRM_CREATE_PSV_OUT_PSV(0), obj, psv);
}

int
mlx5_umr_devx_mkey_query(const struct mlx5_umr_device *dev, struct mlx5dv_devx_obj *obj,
			 uint32_t mkey_index, void *mkc)
{
	uint32_t in[DWORDS(PRM_CMD_SHORT_IN_SIZE)] = { 0 };
	uint32_t out[DWORDS(PRM_QUERY_MKEY_OUT_SIZE)] = { 0 };
	int ret;

	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_QUERY_MKEY);
	prm_set(in, PRM_CMD_IN_OBJ, mkey_index);
	ret = mlx5dv_devx_obj_query(obj, in, sizeof(in), out, sizeof(out));
	if (ret != 0)
		return mlx5_umr_devx_error(dev, "QUERY_MKEY", out, ret > 0 ? ret : errno);
	memcpy(mkc, (const uint8_t *)out + PRM_QUERY_MKEY_OUT_MKC_BYTE, PRM_MKC_SIZE);
	return 0;
}
