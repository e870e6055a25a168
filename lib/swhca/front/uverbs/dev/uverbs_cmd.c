/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>

#include "front/uverbs/dev/uverbs_cmd.h"
#include "front/uverbs/dev/dev.h"

/* errno of a command status in Linux (mlx5_core: cmd_status_to_err()). */
static int
status_to_errno(uint8_t status)
{
	switch (status) {
	case PRM_CMD_OK:
		return 0;
	case PRM_CMD_RES_BUSY:
		return -EBUSY;
	case PRM_CMD_EXCEED_LIM:
		return -ENOMEM;
	case PRM_CMD_NO_RES:
		return -EAGAIN;
	case PRM_CMD_BAD_OP:
	case PRM_CMD_BAD_PARAM:
	case PRM_CMD_BAD_RES:
	case PRM_CMD_BAD_RES_STATE:
	case PRM_CMD_BAD_INDEX:
	case PRM_CMD_BAD_QP_STATE:
	case PRM_CMD_BAD_PKT:
	case PRM_CMD_BAD_SIZE:
		return -EINVAL;
	default:
		return -EIO;
	}
}

int
swhca_udev_exec(struct swhca_udev *dev, const void *in, size_t in_len, void *out, size_t out_len)
{
	return status_to_errno(swhca_hca_cmd_exec(dev->hca, in, in_len, out, out_len));
}

int
swhca_udev_exec_obj(struct swhca_udev *dev, uint16_t op, uint16_t uid, uint32_t num)
{
	uint8_t in[PRM_CMD_SHORT_IN_SIZE] = { 0 };
	uint8_t out[PRM_CMD_SHORT_OUT_SIZE];

	prm_set(in, PRM_CMD_IN_OPCODE, op);
	prm_set(in, PRM_CMD_IN_UID, uid);
	prm_set(in, PRM_CMD_IN_OBJ, num);
	return swhca_udev_exec(dev, in, sizeof(in), out, sizeof(out));
}

int
swhca_udev_exec_general_destroy(struct swhca_udev *dev, uint16_t uid, uint16_t obj_type,
				uint32_t num)
{
	uint8_t in[PRM_CMD_SHORT_IN_SIZE] = { 0 };
	uint8_t out[PRM_CMD_SHORT_OUT_SIZE];

	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_DESTROY_GENERAL_OBJECT);
	prm_set(in, PRM_CMD_IN_UID, uid);
	prm_set(in, PRM_GENERAL_OBJ_IN_OBJ_TYPE, obj_type);
	prm_set(in, PRM_GENERAL_OBJ_IN_OBJ_ID, num);
	return swhca_udev_exec(dev, in, sizeof(in), out, sizeof(out));
}

int
swhca_udev_exec_alloc(struct swhca_udev *dev, uint16_t op, uint16_t uid, uint32_t *num)
{
	uint8_t in[PRM_CMD_SHORT_IN_SIZE] = { 0 };
	uint8_t out[PRM_CMD_SHORT_OUT_SIZE];
	int ret;

	prm_set(in, PRM_CMD_IN_OPCODE, op);
	prm_set(in, PRM_CMD_IN_UID, uid);
	ret = swhca_udev_exec(dev, in, sizeof(in), out, sizeof(out));
	if (ret == 0)
		*num = (uint32_t)prm_get(out, PRM_CMD_OUT_OBJ);
	return ret;
}
