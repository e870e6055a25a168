/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Initiators and targets of the dynamically connected transport. */

#include <endian.h>
#include <errno.h>
#include <string.h>

#include <infiniband/mlx5dv.h>

#include <rte_common.h>

#include "rc_qp.h"
#include "check/bed.h"

#define DC_KEY	UINT64_C(0x756d722d63686b30)
#define NB_WR	64u

/* A target, and an initiator that replaces the queue of the bed. */
struct dc {
	struct ibv_srq *srq;
	struct check_cq cq;	/* of the target */
	struct ibv_qp *dct;
	struct ibv_ah *ah;
};

static struct ibv_qp *
dc_qp_create(struct check_bed *bed, struct dc *dc, enum mlx5dv_dc_type type)
{
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_DRIVER, .pd = bed->pd,
		.comp_mask = IBV_QP_INIT_ATTR_PD,
	};
	struct mlx5dv_qp_init_attr dv = {
		.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC,
		.dc_init_attr = { .dc_type = type },
	};

	if (type == MLX5DV_DCTYPE_DCT) {
		attr.srq = dc->srq;
		attr.send_cq = attr.recv_cq = dc->cq.cq;
		dv.dc_init_attr.dct_access_key = DC_KEY;
	} else {
		attr.send_cq = bed->qp.send_cq.cq;
		attr.recv_cq = bed->qp.recv_cq.cq;
		attr.cap = (struct ibv_qp_cap){ .max_send_wr = NB_WR, .max_send_sge = 1,
						.max_inline_data = 256 };
		attr.comp_mask |= IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
		attr.send_ops_flags = IBV_QP_EX_WITH_RDMA_WRITE;
	}
	return mlx5dv_create_qp(bed->dev->ctx, &attr, &dv);
}

static int
dc_qp_connect(struct ibv_qp *qp, const struct ibv_ah_attr *ah, bool is_target)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT, .port_num = ah->port_num,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ,
		.path_mtu = IBV_MTU_1024, .min_rnr_timer = 1, .ah_attr = *ah,
		.timeout = 12, .retry_cnt = 1, .rnr_retry = 1, .max_rd_atomic = 1,
	};
	int ret;

	ret = ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			    (is_target ? IBV_QP_ACCESS_FLAGS : 0));
	attr.qp_state = IBV_QPS_RTR;
	if (ret == 0)
		ret = ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PATH_MTU | IBV_QP_AV |
				    (is_target ? IBV_QP_MIN_RNR_TIMER : 0));
	attr.qp_state = IBV_QPS_RTS;
	if (ret == 0 && !is_target)
		ret = ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
				    IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC);
	return ret;
}

static int
initiator_create(struct check_bed *bed, struct dc *dc, const struct ibv_ah_attr *ah)
{
	int ret;

	check_qp_destroy(&bed->qp);
	ret = check_cq_create(bed, &bed->qp.send_cq);
	if (ret == 0)
		ret = check_cq_create(bed, &bed->qp.recv_cq);
	if (ret != 0)
		return ret;
	bed->qp.qp = dc_qp_create(bed, dc, MLX5DV_DCTYPE_DCI);
	if (bed->qp.qp == NULL)
		return errno;
	ret = dc_qp_connect(bed->qp.qp, ah, false);
	return ret == 0 ? check_qp_map(&bed->qp) : ret;
}

static int
target_create(struct check_bed *bed, struct dc *dc, struct ibv_ah_attr *ah)
{
	struct ibv_srq_init_attr srq_attr = { .attr = { .max_wr = 1, .max_sge = 1 } };
	int ret = check_cq_create(bed, &dc->cq);

	if (ret != 0)
		return ret;
	dc->srq = ibv_create_srq(bed->pd, &srq_attr);
	if (dc->srq == NULL)
		return errno;
	dc->dct = dc_qp_create(bed, dc, MLX5DV_DCTYPE_DCT);
	if (dc->dct == NULL)
		return errno;
	ret = dc_qp_connect(dc->dct, ah, true);
	if (ret != 0)
		return ret;
	dc->ah = ibv_create_ah(bed->pd, ah);
	return dc->ah != NULL ? 0 : errno;
}

static void
dc_destroy(struct dc *dc)
{
	if (dc->ah != NULL)
		ibv_destroy_ah(dc->ah);
	if (dc->dct != NULL)
		ibv_destroy_qp(dc->dct);
	if (dc->srq != NULL)
		ibv_destroy_srq(dc->srq);
	check_cq_destroy(&dc->cq);
}

/* @return False: the result has the reason. */
static bool
dc_create(struct check_bed *bed, struct dc *dc)
{
	struct ibv_ah_attr ah;
	int ret;

	*dc = (struct dc){ 0 };
	if (!check_has(bed, PRM_CAP_DCT, "dct"))
		return false;
	ret = rc_qp_port_address(bed->dev->ctx, bed->dev->port, &ah);
	/* An address vector has a GRH in any case (libmlx5: mlx5_create_ah()). */
	if (ret == 0 && !ah.is_global) {
		ah.is_global = 1;
		ah.grh.hop_limit = 1;
		if (ibv_query_gid(bed->dev->ctx, bed->dev->port, 0, &ah.grh.dgid) != 0)
			ret = EIO;
	}
	if (ret == 0)
		ret = target_create(bed, dc, &ah);
	if (ret == 0)
		ret = initiator_create(bed, dc, &ah);
	if (ret != 0)
		check_break(bed, "an initiator and a target: %s", strerror(ret));
	return ret == 0;
}

static bool
address_add(struct check_wqe *wqe, const struct dc *dc, uint64_t key)
{
	struct mlx5_wqe_av *av = check_wqe_add(wqe, sizeof(*av));
	struct mlx5dv_obj obj;
	struct mlx5dv_ah ah;

	obj.ah.in = dc->ah;
	obj.ah.out = &ah;
	if (mlx5dv_init_obj(&obj, MLX5DV_OBJ_AH) != 0)
		return false;
	*av = *ah.av;
	av->key.dc_key = htobe64(key);
	av->dqp_dct = htobe32(dc->dct->qp_num | PRM_AV_EXT);
	return true;
}

static const char *
write_to_target(struct check_bed *bed, const struct dc *dc, uint64_t key)
{
	struct check_wqe wqe;

	check_wqe_init(&wqe, MLX5_OPCODE_RDMA_WRITE, PRM_CTRL_FM_NONE);
	if (!address_add(&wqe, dc, key))
		return "no address";
	check_wqe_add_raddr(&wqe, bed->mr->rkey, check_out(bed, 0));
	check_wqe_add_data(&wqe, bed->mr->lkey, check_src(bed, 0), CHECK_PIECE);
	return check_do(bed, &wqe);
}

static void
wrong_key_run(struct check_bed *bed)
{
	const char *right;
	struct dc dc;

	if (dc_create(bed, &dc)) {
		right = write_to_target(bed, &dc, DC_KEY);
		check_observe(bed, "right key: %s, wrong key: %s", right,
			      write_to_target(bed, &dc, DC_KEY + 1));
	}
	dc_destroy(&dc);
}

static void
umr_run(struct check_bed *bed)
{
	struct dc dc;

	if (dc_create(bed, &dc) && check_piece_create(bed, 4096) != NULL)
		check_observe(bed, "done without an address");
	dc_destroy(&dc);
}

static const struct check checks[] = {
	{ "dc-wrong-key", "A target does not respond to a wrong access key.",
	  "status and retries of transfers of initiators",
	  "right key: done, wrong key: retry-exceeded", .run = wrong_key_run },
	{ "dc-umr", "An initiator executes a UMR without an address vector.",
	  "layouts on initiators, RTE_UMR_TRANSPORT_DCI", "done without an address",
	  .run = umr_run },
};

const struct check_theme check_dc = { "dc", checks, RTE_DIM(checks) };
