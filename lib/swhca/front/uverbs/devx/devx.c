/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * DevX: commands of user space with checks of a kernel (mlx5_ib: devx.c).
 *
 * A command gets the uid of the context, so that it can only name objects of the same context; an
 * object stores the command that destroys it. The accepted commands are those of Linux.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mlx5_prm_sig.h"
#include "mlx5_prm_srq.h"
#include "base/array.h"
#include "base/log.h"
#include "front/uverbs/dev/cmd.h"
#include "front/uverbs/dev/dev.h"
#include "front/uverbs/devx/devx.h"
#include "front/uverbs/file/attr.h"
#include "front/uverbs/file/file.h"
#include "front/uverbs/file/obj.h"
#include "front/uverbs/obj/uar.h"

/*
 * Creators that Linux accepts (devx_is_obj_create_cmd()) and the device does not support: it
 * rejects them, with a status. Numbers are those of rdma-core's mlx5_ifc.h.
 */
static const uint16_t foreign_creators[] = {
	0x717,	/* CREATE_XRQ */
	0x771,	/* ALLOC_Q_COUNTER */
	0x782,	/* CREATE_SCHEDULING_ELEMENT */
	0x827,	/* ADD_VXLAN_UDP_DPORT */
	0x829,	/* SET_L2_TABLE_ENTRY */
	0x900,	/* CREATE_TIR */
	0x904,	/* CREATE_SQ */
	0x908,	/* CREATE_RQ */
	0x912,	/* CREATE_TIS */
	0x916,	/* CREATE_RQT */
	0x930,	/* CREATE_FLOW_TABLE */
	0x933,	/* CREATE_FLOW_GROUP */
	0x936,	/* SET_FLOW_TABLE_ENTRY */
	0x93d,	/* ALLOC_PACKET_REFORMAT_CONTEXT */
	0x940,	/* ALLOC_MODIFY_HEADER_CONTEXT */
};

/* A command for an object, and the command that creates such objects. */
struct devx_op {
	uint16_t op;
	uint16_t create_op;
};

static const struct devx_op query_ops[] = {
	{ PRM_CMD_QUERY_MKEY, PRM_CMD_CREATE_MKEY },
	{ PRM_CMD_QUERY_CQ, PRM_CMD_CREATE_CQ },
	{ PRM_CMD_QUERY_QP, PRM_CMD_CREATE_QP },
	{ PRM_CMD_QUERY_SRQ, PRM_CMD_CREATE_SRQ },
	{ PRM_CMD_QUERY_XRC_SRQ, PRM_CMD_CREATE_XRC_SRQ },
	{ PRM_CMD_QUERY_RMP, PRM_CMD_CREATE_RMP },
	{ PRM_CMD_QUERY_DCT, PRM_CMD_CREATE_DCT },
	{ PRM_CMD_QUERY_GENERAL_OBJECT, PRM_CMD_CREATE_GENERAL_OBJECT },
	{ PRM_CMD_QUERY_FLOW_COUNTER, PRM_CMD_ALLOC_FLOW_COUNTER },
};

static const struct devx_op modify_ops[] = {
	{ PRM_CMD_MODIFY_CQ, PRM_CMD_CREATE_CQ },
	{ PRM_CMD_ARM_RQ, PRM_CMD_CREATE_SRQ },
	{ PRM_CMD_ARM_XRC_SRQ, PRM_CMD_CREATE_XRC_SRQ },
	{ PRM_CMD_MODIFY_RMP, PRM_CMD_CREATE_RMP },
	{ PRM_CMD_ARM_DCT_FOR_KEY_VIOLATION, PRM_CMD_CREATE_DCT },
	{ PRM_CMD_MODIFY_GENERAL_OBJECT, PRM_CMD_CREATE_GENERAL_OBJECT },
	{ PRM_CMD_RST2INIT_QP, PRM_CMD_CREATE_QP },
	{ PRM_CMD_INIT2INIT_QP, PRM_CMD_CREATE_QP },
	{ PRM_CMD_INIT2RTR_QP, PRM_CMD_CREATE_QP },
	{ PRM_CMD_RTR2RTS_QP, PRM_CMD_CREATE_QP },
	{ PRM_CMD_RTS2RTS_QP, PRM_CMD_CREATE_QP },
	{ PRM_CMD_SQERR2RTS_QP, PRM_CMD_CREATE_QP },
	{ PRM_CMD_2ERR_QP, PRM_CMD_CREATE_QP },
	{ PRM_CMD_2RST_QP, PRM_CMD_CREATE_QP },
};

/* Commands without an object (devx_is_general_cmd()). */
static const uint16_t general_ops[] = {
	PRM_CMD_QUERY_HCA_CAP,
	PRM_CMD_QUERY_ADAPTER,
	PRM_CMD_QUERY_LAG,
	PRM_CMD_QUERY_HCA_VPORT_CONTEXT,
	PRM_CMD_QUERY_NIC_VPORT_CONTEXT,
	PRM_CMD_QUERY_ROCE_ADDRESS,
};

/* A command and its answer, copied from and to the caller. */
struct devx_cmd {
	uint8_t *in;
	size_t in_len;
	uint8_t *out;
	size_t out_len;
	uint16_t op;
};

static bool
is_devx_creator(const struct devx_cmd *cmd)
{
	uint16_t op = cmd->op;
	size_t i;

	/* devx_handle_mkey_create() */
	if (op == PRM_CMD_CREATE_MKEY && cmd->in_len < PRM_CREATE_MKEY_IN_MKC_BYTE + PRM_MKC_SIZE)
		return false;
	/* An object has only one number. */
	if (op == PRM_CMD_CREATE_PSV && prm_get(cmd->in, PRM_CREATE_PSV_IN_NUM_PSV) != 1)
		return false;
	/* These have their own methods. */
	if (op == PRM_CMD_ALLOC_UAR || op == PRM_CMD_CREATE_UMEM)
		return false;
	if (swhca_udev_destroy_op(op) != 0)
		return true;
	for (i = 0; i < SWHCA_ARRAY_SIZE(foreign_creators); i++) {
		if (foreign_creators[i] == op)
			return true;
	}
	return false;
}

/* @return Command that creates the object of this one, or 0. */
static uint16_t
op_find(const struct devx_op *ops, size_t nb, uint16_t op)
{
	size_t i;

	for (i = 0; i < nb; i++) {
		if (ops[i].op == op)
			return ops[i].create_op;
	}
	return 0;
}

/* Capabilities may be queried with or without a user context (devx_get_uid()). */
static uint16_t
cmd_uid(const struct swhca_ufile *file, uint16_t op)
{
	bool is_whitelisted = op == PRM_CMD_QUERY_HCA_CAP || op == PRM_CMD_QUERY_HCA_VPORT_CONTEXT;

	return file->uid == 0 && is_whitelisted ? file->dev->whitelist_uid : file->uid;
}

static int
cmd_read_len(const struct swhca_ureq *req, uint16_t in_id, size_t out_len, struct devx_cmd *cmd)
{
	uint16_t uid;
	void *in;
	int ret;

	cmd->out_len = out_len;
	if (cmd->out_len < PRM_CMD_SHORT_OUT_SIZE)
		return -EINVAL;
	ret = swhca_uattr_in_alloc(req, in_id, PRM_CMD_SHORT_IN_SIZE, &in, &cmd->in_len);
	if (ret != 0)
		return ret;
	cmd->in = in;
	cmd->op = (uint16_t)prm_get(cmd->in, PRM_CMD_IN_OPCODE);
	uid = cmd_uid(req->file, cmd->op);
	cmd->out = uid == 0 ? NULL : calloc(1, cmd->out_len);
	if (cmd->out == NULL) {
		explicit_bzero(cmd->in, cmd->in_len);
		free(cmd->in);
		return uid == 0 ? -EINVAL : -ENOMEM;
	}
	prm_set(cmd->in, PRM_CMD_IN_UID, uid);
	return 0;
}

static int
cmd_read(const struct swhca_ureq *req, uint16_t in_id, uint16_t out_id, struct devx_cmd *cmd)
{
	return cmd_read_len(req, in_id, swhca_uattr_len(req, out_id), cmd);
}

/* Commands contain keys and credentials. */
static void
cmd_free(struct devx_cmd *cmd)
{
	explicit_bzero(cmd->in, cmd->in_len);
	free(cmd->in);
	free(cmd->out);
}

static int
reject(const struct devx_cmd *cmd, const char *what)
{
	SWHCA_LOG(WARNING, "DevX %s: opcode 0x%x: not allowed", what, cmd->op);
	return -EINVAL;
}

/* Only firmware knows the objects of another function. */
static bool
is_tunnelled(const struct devx_cmd *cmd)
{
	return prm_get(cmd->in, PRM_CMD_IN_VHCA_TUNNEL) != 0;
}

/* A rejected command also returns its output with the status, and an errno for it. */
static int
cmd_exec(struct swhca_ureq *req, struct devx_cmd *cmd, uint16_t out_id)
{
	uint8_t status;
	int ret;

	status = swhca_hca_cmd_exec(req->file->dev->hca, cmd->in, cmd->in_len, cmd->out,
				    cmd->out_len);
	ret = swhca_uattr_out(req, out_id, cmd->out, cmd->out_len);
	if (ret != 0)
		return ret;
	return status == PRM_CMD_OK ? 0 : -EREMOTEIO;
}

/* DevX queues are always in registered memory (devx_set_umem_valid()). */
static void
umem_valid_set(struct devx_cmd *cmd)
{
	uint8_t *mkc = &cmd->in[PRM_CREATE_MKEY_IN_MKC_BYTE];
	uint8_t *wq = &cmd->in[PRM_CREATE_RMP_IN_RMPC_BYTE + PRM_RMPC_WQ_BYTE];
	uint64_t mode;

	switch (cmd->op) {
	case PRM_CMD_CREATE_CQ:
		if (cmd->in_len < PRM_CREATE_CQ_IN_PAS_BYTE)
			return;
		prm_set(cmd->in, PRM_CREATE_CQ_IN_CQ_UMEM_VALID, 1);
		prm_set(&cmd->in[PRM_CREATE_CQ_IN_CQC_BYTE], PRM_CQC_DBR_UMEM_VALID, 1);
		break;
	case PRM_CMD_MODIFY_CQ:
		if (cmd->in_len < PRM_MODIFY_CQ_IN_PAS_BYTE)
			return;
		prm_set(cmd->in, PRM_MODIFY_CQ_IN_CQ_UMEM_VALID, 1);
		break;
	case PRM_CMD_CREATE_QP:
		if (cmd->in_len < PRM_CREATE_QP_IN_PAS_BYTE)
			return;
		prm_set(cmd->in, PRM_CREATE_QP_IN_WQ_UMEM_VALID, 1);
		prm_set(&cmd->in[PRM_CREATE_QP_IN_QPC_BYTE], PRM_QPC_DBR_UMEM_VALID, 1);
		break;
	case PRM_CMD_CREATE_RMP:
		if (cmd->in_len < PRM_CREATE_RMP_IN_PAS_BYTE)
			return;
		prm_set(wq, PRM_WQ_WQ_UMEM_VALID, 1);
		prm_set(wq, PRM_WQ_DBR_UMEM_VALID, 1);
		break;
	case PRM_CMD_CREATE_XRC_SRQ:
		if (cmd->in_len < PRM_CREATE_SRQ_IN_PAS_BYTE)
			return;
		prm_set(cmd->in, PRM_CREATE_XRC_SRQ_IN_UMEM_VALID, 1);
		prm_set(&cmd->in[PRM_CREATE_SRQ_IN_SRQC_BYTE], PRM_SRQC_DBR_UMEM_VALID, 1);
		break;
	case PRM_CMD_CREATE_MKEY:
		if (cmd->in_len < PRM_CREATE_MKEY_IN_XLT_BYTE)
			return;
		/* Indirect keys have their list in the command. */
		mode = prm_get(mkc, PRM_MKC_ACCESS_MODE_4_2) << 2 |
		       prm_get(mkc, PRM_MKC_ACCESS_MODE_1_0);
		if (mode != PRM_MKC_ACCESS_MODE_KLMS && mode != PRM_MKC_ACCESS_MODE_KSM)
			prm_set(cmd->in, PRM_CREATE_MKEY_IN_MKEY_UMEM_VALID, 1);
		break;
	default:
		break;
	}
}

static int
create_exec(struct swhca_ureq *req, struct devx_cmd *cmd)
{
	struct swhca_ufile *file = req->file;
	struct swhca_uobj *obj;
	int ret;

	if (!is_devx_creator(cmd) || is_tunnelled(cmd))
		return reject(cmd, "create");
	obj = swhca_uobj_alloc(file, MLX5_IB_OBJECT_DEVX_OBJ);
	if (obj == NULL)
		return -ENOMEM;
	umem_valid_set(cmd);
	ret = cmd_exec(req, cmd, MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_OUT);
	/* Only a successful command has created an object. */
	if (prm_get(cmd->out, PRM_CMD_OUT_STATUS) == PRM_CMD_OK) {
		obj->create_op = cmd->op;
		obj->num = (uint32_t)prm_get(cmd->out, PRM_CMD_OUT_OBJ);
		if (cmd->op == PRM_CMD_CREATE_GENERAL_OBJECT) {
			obj->general_type =
				(uint16_t)prm_get(cmd->in, PRM_GENERAL_OBJ_IN_OBJ_TYPE);
			obj->num = (uint32_t)prm_get(cmd->out, PRM_GENERAL_OBJ_OUT_OBJ_ID);
		} else if (cmd->op == PRM_CMD_CREATE_PSV) {
			obj->num = (uint32_t)prm_get(cmd->out, PRM_CREATE_PSV_OUT_PSV(0));
		}
	}
	if (ret == 0)
		ret = swhca_uattr_out_handle(req, MLX5_IB_ATTR_DEVX_OBJ_CREATE_HANDLE,
					     obj->handle);
	if (ret != 0)
		swhca_uobj_destroy(file, obj);
	return ret;
}

int
swhca_udevx_create_req(struct swhca_ureq *req)
{
	struct devx_cmd cmd;
	int ret;

	ret = cmd_read(req, MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_IN,
		       MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_OUT, &cmd);
	if (ret != 0)
		return ret;
	ret = create_exec(req, &cmd);
	cmd_free(&cmd);
	return ret;
}

int
swhca_udevx_destroy_req(struct swhca_ureq *req)
{
	return swhca_uobj_destroy_req(req, MLX5_IB_ATTR_DEVX_OBJ_DESTROY_HANDLE,
				      MLX5_IB_OBJECT_DEVX_OBJ);
}

/* Objects that DevX may query, including others (devx_is_valid_obj_id()). */
static bool
is_devx_subject(const struct swhca_uobj *obj)
{
	return obj->type == MLX5_IB_OBJECT_DEVX_OBJ || obj->type == UVERBS_OBJECT_CQ ||
	       obj->type == UVERBS_OBJECT_QP || obj->type == UVERBS_OBJECT_SRQ;
}

/* Check whether a command names that object. General objects are numbered by type. */
static bool
is_about(const struct devx_cmd *cmd, const struct swhca_uobj *obj)
{
	if (obj->create_op == PRM_CMD_CREATE_GENERAL_OBJECT)
		return prm_get(cmd->in, PRM_GENERAL_OBJ_IN_OBJ_TYPE) == obj->general_type &&
		       prm_get(cmd->in, PRM_GENERAL_OBJ_IN_OBJ_ID) == obj->num;
	if (cmd->op == PRM_CMD_QUERY_FLOW_COUNTER)
		return cmd->in_len >= PRM_QUERY_FLOW_COUNTER_IN_SIZE &&
		       prm_get(cmd->in, PRM_QUERY_FLOW_COUNTER_IN_ID) == obj->num;
	return prm_get(cmd->in, PRM_CMD_IN_OBJ) == obj->num;
}

/* A query or modify names its object by handle and, in the command, by number: both must match. */
static int
obj_cmd_check(struct swhca_ureq *req, uint16_t handle_id, const struct devx_cmd *cmd,
	      const struct devx_op *ops, size_t nb_ops)
{
	const struct ib_uverbs_attr *attr = swhca_uattr_find(req, handle_id);
	uint16_t create_op = op_find(ops, nb_ops, cmd->op);
	const struct swhca_uobj *obj;

	if (attr == NULL || attr->len != 0)
		return -EINVAL;
	obj = swhca_uobj_find_any(req->file, attr->data);
	if (obj == NULL)
		return -ENOENT;
	if (is_tunnelled(cmd) || !is_devx_subject(obj) || create_op == 0 ||
	    create_op != obj->create_op || !is_about(cmd, obj))
		return reject(cmd, "command on an object");
	return 0;
}

static int
obj_cmd_req(struct swhca_ureq *req, uint16_t handle_id, uint16_t in_id, uint16_t out_id,
	    const struct devx_op *ops, size_t nb_ops)
{
	struct devx_cmd cmd;
	int ret;

	ret = cmd_read(req, in_id, out_id, &cmd);
	if (ret != 0)
		return ret;
	ret = obj_cmd_check(req, handle_id, &cmd, ops, nb_ops);
	umem_valid_set(&cmd);
	if (ret == 0)
		ret = cmd_exec(req, &cmd, out_id);
	cmd_free(&cmd);
	return ret;
}

int
swhca_udevx_query_exec(struct swhca_ureq *req, uint16_t handle_id, uint16_t in_id, void *out,
		       size_t out_len)
{
	struct devx_cmd cmd;
	int ret;

	ret = cmd_read_len(req, in_id, out_len, &cmd);
	if (ret != 0)
		return ret;
	ret = obj_cmd_check(req, handle_id, &cmd, query_ops, SWHCA_ARRAY_SIZE(query_ops));
	if (ret == 0)
		swhca_hca_cmd_exec(req->file->dev->hca, cmd.in, cmd.in_len, out, out_len);
	cmd_free(&cmd);
	return ret;
}

int
swhca_udevx_modify_req(struct swhca_ureq *req)
{
	return obj_cmd_req(req, MLX5_IB_ATTR_DEVX_OBJ_MODIFY_HANDLE,
			   MLX5_IB_ATTR_DEVX_OBJ_MODIFY_CMD_IN,
			   MLX5_IB_ATTR_DEVX_OBJ_MODIFY_CMD_OUT, modify_ops,
			   SWHCA_ARRAY_SIZE(modify_ops));
}

int
swhca_udevx_query_req(struct swhca_ureq *req)
{
	return obj_cmd_req(req, MLX5_IB_ATTR_DEVX_OBJ_QUERY_HANDLE,
			   MLX5_IB_ATTR_DEVX_OBJ_QUERY_CMD_IN,
			   MLX5_IB_ATTR_DEVX_OBJ_QUERY_CMD_OUT, query_ops,
			   SWHCA_ARRAY_SIZE(query_ops));
}

int
swhca_udevx_other_req(struct swhca_ureq *req)
{
	struct devx_cmd cmd;
	size_t i;
	int ret;

	ret = cmd_read(req, MLX5_IB_ATTR_DEVX_OTHER_CMD_IN, MLX5_IB_ATTR_DEVX_OTHER_CMD_OUT,
		       &cmd);
	if (ret != 0)
		return ret;
	for (i = 0; i < SWHCA_ARRAY_SIZE(general_ops); i++) {
		if (general_ops[i] == cmd.op)
			break;
	}
	if (i == SWHCA_ARRAY_SIZE(general_ops))
		ret = reject(&cmd, "general command");
	else
		ret = cmd_exec(req, &cmd, MLX5_IB_ATTR_DEVX_OTHER_CMD_OUT);
	cmd_free(&cmd);
	return ret;
}

int
swhca_udevx_query_uar_req(struct swhca_ureq *req)
{
	uint32_t bfreg, uar;
	int ret;

	ret = swhca_uattr_in_u32(req, MLX5_IB_ATTR_DEVX_QUERY_UAR_USER_IDX, &bfreg);
	if (ret == 0)
		ret = swhca_uuar_of_bfreg(req->file, bfreg, true, &uar);
	if (ret != 0)
		return ret;
	return swhca_uattr_out(req, MLX5_IB_ATTR_DEVX_QUERY_UAR_DEV_IDX, &uar, sizeof(uar));
}

int
swhca_udevx_query_eqn_req(struct swhca_ureq *req)
{
	uint32_t vector, eqn;
	int ret;

	ret = swhca_uattr_in_u32(req, MLX5_IB_ATTR_DEVX_QUERY_EQN_USER_VEC, &vector);
	if (ret != 0)
		return ret;
	if (vector >= SWHCA_NB_COMP_VECTORS)
		return -EINVAL;	/* mlx5_comp_eqn_get() */
	eqn = swhca_ueq_of_comp_vector(req->file->dev, vector);
	return swhca_uattr_out(req, MLX5_IB_ATTR_DEVX_QUERY_EQN_DEV_EQN, &eqn, sizeof(eqn));
}
