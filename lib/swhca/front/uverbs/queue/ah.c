/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Address handles (ib_core: uverbs_cmd.c; mlx5_ib: ah.c). They are no objects of the device:
 * libmlx5 writes them into WQEs. The kernel checks them, and resolves the MAC address of a RoCE
 * peer.
 */

#include <errno.h>
#include <string.h>

#include "front/uverbs/dev/uverbs_port.h"
#include "front/uverbs/file/attr.h"
#include "front/uverbs/file/uverbs_file.h"
#include "front/uverbs/file/obj.h"
#include "front/uverbs/queue/ah.h"

int
swhca_uah_create(struct swhca_ureq *req, const struct ib_uverbs_create_ah *cmd,
		 struct swhca_uobj **obj)
{
	const struct ib_uverbs_ah_attr *attr = &cmd->attr;
	struct swhca_ufile *file = req->file;
	struct mlx5_ib_create_ah_resp resp = { .response_length = sizeof(resp) };
	struct swhca_uroce_path path;
	struct swhca_uobj *pd, *ah;
	int ret;

	ret = swhca_uobj_get(file, cmd->pd_handle, UVERBS_OBJECT_PD, &pd);
	if (ret == 0)
		ret = swhca_uport_path_check(file->dev, attr->port_num, attr->is_global != 0,
					     attr->grh.sgid_index);
	if (ret != 0)
		return ret;
	if (swhca_uport_is_eth(file->dev)) {
		ret = swhca_uport_resolve(file->dev, attr->grh.sgid_index, attr->grh.dgid, &path);
		if (ret != 0)
			return ret;
		memcpy(resp.dmac, path.mac, sizeof(resp.dmac));
	}
	ah = swhca_uobj_alloc(file, UVERBS_OBJECT_AH);
	if (ah == NULL)
		return -ENOMEM;
	swhca_uobj_ref(ah, pd);
	ret = swhca_uattr_out(req, UVERBS_ATTR_UHW_OUT, &resp, sizeof(resp));
	if (ret != 0) {
		swhca_uobj_destroy(file, ah);
		return ret;
	}
	*obj = ah;
	return 0;
}

int
swhca_uah_destroy_req(struct swhca_ureq *req)
{
	return swhca_uobj_destroy_req(req, UVERBS_ATTR_DESTROY_AH_HANDLE, UVERBS_OBJECT_AH);
}
