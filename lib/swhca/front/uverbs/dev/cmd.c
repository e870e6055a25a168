/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>

#include "base/array.h"
#include "front/uverbs/dev/cmd.h"
#include "front/uverbs/dev/dev.h"

/* Created objects: the destroy command has the number at the same offset as the output here. */
static const struct {
	uint16_t create_op;
	uint16_t destroy_op;
} creators[] = {
	{ PRM_CMD_CREATE_MKEY, PRM_CMD_DESTROY_MKEY },
	{ PRM_CMD_CREATE_PSV, PRM_CMD_DESTROY_PSV },
	{ PRM_CMD_CREATE_CQ, PRM_CMD_DESTROY_CQ },
	{ PRM_CMD_CREATE_QP, PRM_CMD_DESTROY_QP },
	{ PRM_CMD_ALLOC_TRANSPORT_DOMAIN, PRM_CMD_DEALLOC_TRANSPORT_DOMAIN },
	{ PRM_CMD_CREATE_SRQ, PRM_CMD_DESTROY_SRQ },
	{ PRM_CMD_CREATE_XRC_SRQ, PRM_CMD_DESTROY_XRC_SRQ },
	{ PRM_CMD_CREATE_RMP, PRM_CMD_DESTROY_RMP },
	{ PRM_CMD_ALLOC_XRCD, PRM_CMD_DEALLOC_XRCD },
	{ PRM_CMD_ALLOC_PD, PRM_CMD_DEALLOC_PD },
	{ PRM_CMD_ALLOC_UAR, PRM_CMD_DEALLOC_UAR },
	{ PRM_CMD_CREATE_DCT, PRM_CMD_DESTROY_DCT },
	{ PRM_CMD_CREATE_GENERAL_OBJECT, PRM_CMD_DESTROY_GENERAL_OBJECT },
	{ PRM_CMD_ALLOC_FLOW_COUNTER, PRM_CMD_DEALLOC_FLOW_COUNTER },
	{ PRM_CMD_CREATE_UMEM, PRM_CMD_DESTROY_UMEM },
};

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

uint16_t
swhca_udev_destroy_op(uint16_t create_op)
{
	size_t i;

	for (i = 0; i < SWHCA_ARRAY_SIZE(creators); i++) {
		if (creators[i].create_op == create_op)
			return creators[i].destroy_op;
	}
	return 0;
}
