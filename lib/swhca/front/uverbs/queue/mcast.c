/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Multicast groups (ib_core: ib_uverbs_attach_mcast()).
 */

#include <string.h>

#include "include/gid.h"
#include "base/log.h"
#include "front/uverbs/dev/uverbs_cmd.h"
#include "front/uverbs/dev/dev.h"
#include "front/uverbs/file/uverbs_file.h"
#include "front/uverbs/file/obj.h"
#include "front/uverbs/queue/mcast.h"

/* IBTA 4.1.3: first multicast LID. */
#define LID_MULTICAST 0xc000u

static int
mcast_exec(struct swhca_ufile *file, uint16_t op, uint32_t qpn, const uint8_t gid[16])
{
	uint8_t in[PRM_MCG_IN_SIZE] = { 0 };
	uint8_t out[PRM_CMD_SHORT_OUT_SIZE];

	prm_set(in, PRM_CMD_IN_OPCODE, op);
	prm_set(in, PRM_CMD_IN_UID, file->uid);
	prm_set(in, PRM_CMD_IN_OBJ, qpn);
	memcpy(&in[PRM_MCG_IN_GID_BYTE], gid, 16);
	return swhca_udev_exec(file->dev, in, sizeof(in), out, sizeof(out));
}

static void
mcast_fini(struct swhca_ufile *file, struct swhca_uobj *obj)
{
	mcast_exec(file, PRM_CMD_DETACH_FROM_MCG, obj->num, obj->mcast.gid);
}

/* Membership is an unnamed object: it references the QP, and is destroyed before it on close. */
static struct swhca_uobj *
mcast_find(const struct swhca_ufile *file, const struct swhca_uobj *qp,
	   const struct ib_uverbs_attach_mcast *cmd)
{
	struct swhca_uobj *obj;

	TAILQ_FOREACH(obj, &file->order, link) {
		if (obj->type == SWHCA_UOBJ_MCAST && obj->deps[0] == qp &&
		    obj->mcast.mlid == cmd->mlid &&
		    memcmp(obj->mcast.gid, cmd->gid, sizeof(cmd->gid)) == 0)
			return obj;
	}
	return NULL;
}

static int
mcast_check(const struct swhca_udev *dev, const struct swhca_uobj *qp,
	    const struct ib_uverbs_attach_mcast *cmd)
{
	bool is_ib = swhca_udev_cap(dev, PRM_CAP_PORT_TYPE) == PRM_CAP_PORT_TYPE_IB;

	if (qp->qp.type == IB_UVERBS_QPT_UD && swhca_gid_is_multicast(cmd->gid) &&
	    (!is_ib || cmd->mlid >= LID_MULTICAST))
		return 0;
	SWHCA_LOG(WARNING, "multicast: QP 0x%x of type %u, LID 0x%x, GID of 0x%x: not allowed",
		  qp->num, qp->qp.type, cmd->mlid, cmd->gid[0]);
	return -EINVAL;
}

int
swhca_umcast_attach(struct swhca_ufile *file, const struct ib_uverbs_attach_mcast *cmd)
{
	struct swhca_uobj *qp, *obj;
	int ret;

	ret = swhca_uobj_get(file, cmd->qp_handle, UVERBS_OBJECT_QP, &qp);
	if (ret == 0)
		ret = mcast_check(file->dev, qp, cmd);
	if (ret != 0)
		return ret;
	/* A second attach has no effect. */
	if (mcast_find(file, qp, cmd) != NULL)
		return 0;
	obj = swhca_uobj_alloc(file, SWHCA_UOBJ_MCAST);
	if (obj == NULL)
		return -ENOMEM;
	ret = mcast_exec(file, PRM_CMD_ATTACH_TO_MCG, qp->num, cmd->gid);
	if (ret != 0) {
		swhca_uobj_free(file, obj);
		return ret;
	}
	obj->num = qp->num;
	obj->fini = mcast_fini;
	obj->mcast.mlid = cmd->mlid;
	memcpy(obj->mcast.gid, cmd->gid, sizeof(cmd->gid));
	swhca_uobj_ref(obj, qp);
	return 0;
}

int
swhca_umcast_detach(struct swhca_ufile *file, const struct ib_uverbs_attach_mcast *cmd)
{
	struct swhca_uobj *qp, *obj;
	int ret;

	ret = swhca_uobj_get(file, cmd->qp_handle, UVERBS_OBJECT_QP, &qp);
	if (ret != 0)
		return ret;
	obj = mcast_find(file, qp, cmd);
	return obj == NULL ? -EINVAL : swhca_uobj_destroy(file, obj);
}
