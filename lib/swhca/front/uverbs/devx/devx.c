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
#include "base/log.h"
#include "front/uverbs/dev/uverbs_cmd.h"
#include "front/uverbs/dev/dev.h"
#include "front/uverbs/devx/devx.h"
#include "front/uverbs/file/attr.h"
#include "front/uverbs/file/uverbs_file.h"
#include "front/uverbs/file/obj.h"
#include "front/uverbs/obj/uverbs_uar.h"
#include "include/command.h"

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
	/* devx_handle_mkey_create() */
	if (cmd->op == PRM_CMD_CREATE_MKEY &&
	    cmd->in_len < PRM_CREATE_MKEY_IN_MKC_BYTE + PRM_MKC_SIZE)
		return false;
	/* An object has only one number. */
	if (cmd->op == PRM_CMD_CREATE_PSV && prm_get(cmd->in, PRM_CREATE_PSV_IN_NUM_PSV) != 1)
		return false;
	return swhca_cmd_info(cmd->op)->devx == SWHCA_DEVX_CREATE;
}

/* Capabilities may be queried with or without a user context (devx_get_uid()). */
static uint16_t
cmd_uid(const struct swhca_ufile *file, uint16_t op)
{
	return file->uid == 0 && swhca_cmd_info(op)->needs_no_uctx ? file->dev->whitelist_uid :
								     file->uid;
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
		if (cmd->op == PRM_CMD_CREATE_GENERAL_OBJECT)
			obj->general_type =
				(uint16_t)prm_get(cmd->in, PRM_GENERAL_OBJ_IN_OBJ_TYPE);
		/* The device has checked that the output is long enough. */
		swhca_cmd_obj_num(cmd->op, cmd->out, cmd->out_len, &obj->num);
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
	uint32_t num;

	if (obj->create_op == PRM_CMD_CREATE_GENERAL_OBJECT &&
	    prm_get(cmd->in, PRM_GENERAL_OBJ_IN_OBJ_TYPE) != obj->general_type)
		return false;
	return swhca_cmd_obj_num(cmd->op, cmd->in, cmd->in_len, &num) == 0 && num == obj->num;
}

/* A query or modify names its object by handle and, in the command, by number: both must match. */
static int
obj_cmd_check(struct swhca_ureq *req, uint16_t handle_id, const struct devx_cmd *cmd,
	      enum swhca_devx_class class)
{
	const struct ib_uverbs_attr *attr = swhca_uattr_find(req, handle_id);
	const struct swhca_cmd_info *info = swhca_cmd_info(cmd->op);
	const struct swhca_uobj *obj;

	if (attr == NULL || attr->len != 0)
		return -EINVAL;
	obj = swhca_uobj_find_any(req->file, attr->data);
	if (obj == NULL)
		return -ENOENT;
	if (is_tunnelled(cmd) || !is_devx_subject(obj) || info->devx != class ||
	    info->create_op != obj->create_op || !is_about(cmd, obj))
		return reject(cmd, "command on an object");
	return 0;
}

static int
obj_cmd_req(struct swhca_ureq *req, uint16_t handle_id, uint16_t in_id, uint16_t out_id,
	    enum swhca_devx_class class)
{
	struct devx_cmd cmd;
	int ret;

	ret = cmd_read(req, in_id, out_id, &cmd);
	if (ret != 0)
		return ret;
	ret = obj_cmd_check(req, handle_id, &cmd, class);
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
	ret = obj_cmd_check(req, handle_id, &cmd, SWHCA_DEVX_QUERY);
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
			   MLX5_IB_ATTR_DEVX_OBJ_MODIFY_CMD_OUT, SWHCA_DEVX_MODIFY);
}

int
swhca_udevx_query_req(struct swhca_ureq *req)
{
	return obj_cmd_req(req, MLX5_IB_ATTR_DEVX_OBJ_QUERY_HANDLE,
			   MLX5_IB_ATTR_DEVX_OBJ_QUERY_CMD_IN,
			   MLX5_IB_ATTR_DEVX_OBJ_QUERY_CMD_OUT, SWHCA_DEVX_QUERY);
}

int
swhca_udevx_other_req(struct swhca_ureq *req)
{
	struct devx_cmd cmd;
	int ret;

	ret = cmd_read(req, MLX5_IB_ATTR_DEVX_OTHER_CMD_IN, MLX5_IB_ATTR_DEVX_OTHER_CMD_OUT,
		       &cmd);
	if (ret != 0)
		return ret;
	if (swhca_cmd_info(cmd.op)->devx != SWHCA_DEVX_GENERAL)
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
