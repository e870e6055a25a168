/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Protection domains.
 */

#include <errno.h>

#include "front/uverbs/dev/uverbs_cmd.h"
#include "front/uverbs/file/attr.h"
#include "front/uverbs/file/uverbs_file.h"
#include "front/uverbs/file/obj.h"
#include "front/uverbs/obj/pd.h"

int
swhca_upd_create(struct swhca_ureq *req, struct swhca_uobj **obj)
{
	struct swhca_ufile *file = req->file;
	struct mlx5_ib_alloc_pd_resp resp = { 0 };
	struct swhca_uobj *pd;
	int ret;

	pd = swhca_uobj_alloc(file, UVERBS_OBJECT_PD);
	if (pd == NULL)
		return -ENOMEM;
	ret = swhca_udev_exec_alloc(file->dev, PRM_CMD_ALLOC_PD, file->uid, &pd->num);
	if (ret != 0) {
		swhca_uobj_free(file, pd);
		return ret;
	}
	pd->create_op = PRM_CMD_ALLOC_PD;
	resp.pdn = pd->num;
	ret = swhca_uattr_out(req, UVERBS_ATTR_UHW_OUT, &resp, sizeof(resp));
	if (ret != 0) {
		swhca_uobj_destroy(file, pd);
		return ret;
	}
	*obj = pd;
	return 0;
}

int
swhca_upd_destroy_req(struct swhca_ureq *req)
{
	return swhca_uobj_destroy_req(req, UVERBS_ATTR_DESTROY_PD_HANDLE, UVERBS_OBJECT_PD);
}

int
swhca_upd_query_req(struct swhca_ureq *req)
{
	struct swhca_uobj *pd;
	int ret;

	ret = swhca_uattr_obj(req, MLX5_IB_ATTR_QUERY_PD_HANDLE, UVERBS_OBJECT_PD, &pd);
	if (ret != 0)
		return ret;
	return swhca_uattr_out(req, MLX5_IB_ATTR_QUERY_PD_RESP_PDN, &pd->num, sizeof(pd->num));
}
