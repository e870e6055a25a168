/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Memory windows: free keys with room for KLMs, which a UMR of the library binds (mlx5_ib: mr.c,
 * mlx5_ib_alloc_mw()).
 */

#include <errno.h>

#include "mlx5_prm_wqe.h"
#include "base/log.h"
#include "front/uverbs/dev/uverbs_cmd.h"
#include "front/uverbs/dev/dev.h"
#include "front/uverbs/file/attr.h"
#include "front/uverbs/file/uverbs_file.h"
#include "front/uverbs/file/obj.h"
#include "front/uverbs/obj/mr.h"
#include "front/uverbs/obj/mw.h"

/* enum ib_mw_type, the values of IBV_MW_TYPE_*. */
#define MW_TYPE_1 1u
#define MW_TYPE_2 2u

static int
ucmd_read(const struct swhca_ureq *req, struct mlx5_ib_alloc_mw *ucmd)
{
	int ret;

	ret = swhca_uattr_in(req, UVERBS_ATTR_UHW_IN, ucmd, sizeof(*ucmd), 0);
	if (ret != 0)
		return ret;
	if (ucmd->comp_mask != 0 || ucmd->reserved1 != 0 || ucmd->reserved2 != 0)
		return -EOPNOTSUPP;
	return 0;
}

static int
mkey_create(struct swhca_udev *dev, struct swhca_uobj *mw, uint32_t pdn, uint8_t type,
	    uint32_t nb_klm)
{
	uint8_t in[PRM_CREATE_MKEY_IN_XLT_BYTE] = { 0 };
	uint8_t out[PRM_CMD_SHORT_OUT_SIZE];
	uint8_t *mkc = &in[PRM_CREATE_MKEY_IN_MKC_BYTE];
	int ret;

	if (nb_klm == 0)
		nb_klm = 1;
	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_CREATE_MKEY);
	prm_set(mkc, PRM_MKC_FREE, 1);
	prm_set(mkc, PRM_MKC_UMR_EN, 1);
	prm_set(mkc, PRM_MKC_LR, 1);
	prm_set(mkc, PRM_MKC_ACCESS_MODE_1_0, PRM_MKC_ACCESS_MODE_KLMS);
	prm_set(mkc, PRM_MKC_EN_RINVAL, type == MW_TYPE_2);
	prm_set(mkc, PRM_MKC_QPN, PRM_MKC_QPN_ANY);
	prm_set(mkc, PRM_MKC_MKEY_7_0, swhca_ukey_variant());
	prm_set(mkc, PRM_MKC_PD, pdn);
	prm_set(mkc, PRM_MKC_TRANSLATIONS_OCTWORD_SIZE,
		(nb_klm + PRM_KLM_ALIGN - 1) / PRM_KLM_ALIGN * PRM_KLM_ALIGN);
	ret = swhca_udev_exec(dev, in, sizeof(in), out, sizeof(out));
	if (ret == 0) {
		mw->num = (uint32_t)prm_get(out, PRM_CREATE_MKEY_OUT_MKEY_INDEX);
		mw->mr.key = mw->num << 8 | (uint32_t)prm_get(mkc, PRM_MKC_MKEY_7_0);
	}
	return ret;
}

int
swhca_umw_create(struct swhca_ureq *req, const struct ib_uverbs_alloc_mw *cmd,
		 struct swhca_uobj **obj)
{
	struct swhca_ufile *file = req->file;
	struct mlx5_ib_alloc_mw ucmd;
	struct swhca_uobj *pd, *mw;
	int ret;

	ret = swhca_uobj_get(file, cmd->pd_handle, UVERBS_OBJECT_PD, &pd);
	if (ret == 0 && cmd->mw_type != MW_TYPE_1 && cmd->mw_type != MW_TYPE_2) {
		SWHCA_LOG(WARNING, "ALLOC_MW: type %u: not 1 or 2", cmd->mw_type);
		ret = -EINVAL;
	}
	if (ret == 0)
		ret = ucmd_read(req, &ucmd);
	if (ret != 0)
		return ret;
	mw = swhca_uobj_alloc(file, UVERBS_OBJECT_MW);
	if (mw == NULL)
		return -ENOMEM;
	ret = mkey_create(file->dev, mw, pd->num, cmd->mw_type, ucmd.num_klms);
	if (ret != 0) {
		swhca_uobj_free(file, mw);
		return ret;
	}
	mw->create_op = PRM_CMD_CREATE_MKEY;
	swhca_uobj_ref(mw, pd);
	*obj = mw;
	return 0;
}

/*
 * A window may be deallocated while it is bound (IBTA 10.6.7.2.1): its key becomes invalid at once.
 */
int
swhca_umw_destroy_req(struct swhca_ureq *req)
{
	return swhca_uobj_destroy_req(req, UVERBS_ATTR_DESTROY_MW_HANDLE, UVERBS_OBJECT_MW);
}
