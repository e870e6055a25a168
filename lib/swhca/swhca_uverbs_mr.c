/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Memory regions: direct keys over user memory (mlx5_ib: mr.c, reg_create()).
 */

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "swhca_uverbs_priv.h"

/* mkc.log_page_size has 5 bits and, unlike that of queues, counts bytes. */
#define MKC_LOG_PAGE_MAX 31u

#define ACCESS_KNOWN                                                                               \
	(IB_UVERBS_ACCESS_LOCAL_WRITE | IB_UVERBS_ACCESS_REMOTE_WRITE |                            \
	 IB_UVERBS_ACCESS_REMOTE_READ | IB_UVERBS_ACCESS_REMOTE_ATOMIC |                           \
	 IB_UVERBS_ACCESS_MW_BIND | IB_UVERBS_ACCESS_ZERO_BASED | IB_UVERBS_ACCESS_HUGETLB |       \
	 IB_UVERBS_ACCESS_OPTIONAL_RANGE)
#define ACCESS_WRITES                                                                              \
	(IB_UVERBS_ACCESS_LOCAL_WRITE | IB_UVERBS_ACCESS_REMOTE_WRITE |                            \
	 IB_UVERBS_ACCESS_REMOTE_ATOMIC | IB_UVERBS_ACCESS_MW_BIND)

/* Low byte of the next key: a key that was destroyed should not be valid soon again. */
static atomic_uint key_variant;

static int
access_check(uint32_t access)
{
	/* On-demand paging among them: the device does not have the capability. */
	if ((access & ~(uint32_t)ACCESS_KNOWN) != 0) {
		SWHCA_LOG(WARNING, "REG_MR: access flags 0x%x: not supported: 0x%x", access,
			  access & ~(uint32_t)ACCESS_KNOWN);
		return -EINVAL;
	}
	/* ib_check_mr_access() */
	if ((access & (IB_UVERBS_ACCESS_REMOTE_ATOMIC | IB_UVERBS_ACCESS_REMOTE_WRITE)) != 0 &&
	    (access & IB_UVERBS_ACCESS_LOCAL_WRITE) == 0)
		return -EINVAL;
	return 0;
}

static void
mkc_fill(const struct swhca_udev *dev, uint8_t *mkc, const struct ib_uverbs_reg_mr *cmd,
	 uint32_t pdn, const struct swhca_upages *pages)
{
	uint32_t access = cmd->access_flags;
	bool is_relaxed = (access & IB_UVERBS_ACCESS_RELAXED_ORDERING) != 0;

	prm_set(mkc, PRM_MKC_ACCESS_MODE_1_0, PRM_MKC_ACCESS_MODE_MTT);
	prm_set(mkc, PRM_MKC_UMR_EN, 1);
	prm_set(mkc, PRM_MKC_A, (access & IB_UVERBS_ACCESS_REMOTE_ATOMIC) != 0);
	prm_set(mkc, PRM_MKC_RW, (access & IB_UVERBS_ACCESS_REMOTE_WRITE) != 0);
	prm_set(mkc, PRM_MKC_RR, (access & IB_UVERBS_ACCESS_REMOTE_READ) != 0);
	prm_set(mkc, PRM_MKC_LW, (access & IB_UVERBS_ACCESS_LOCAL_WRITE) != 0);
	prm_set(mkc, PRM_MKC_LR, 1);
	prm_set(mkc, PRM_MKC_RELAXED_ORDERING_WRITE,
		is_relaxed && swhca_udev_cap(dev, PRM_CAP_RELAXED_ORDERING_WRITE) != 0);
	prm_set(mkc, PRM_MKC_QPN, PRM_MKC_QPN_ANY);
	prm_set(mkc, PRM_MKC_MKEY_7_0,
		atomic_fetch_add_explicit(&key_variant, 1, memory_order_relaxed) & 0xff);
	prm_set(mkc, PRM_MKC_PD, pdn);
	prm_set(mkc, PRM_MKC_START_ADDR, cmd->hca_va);
	prm_set(mkc, PRM_MKC_LEN, cmd->length);
	/* Two page addresses to an octoword. */
	prm_set(mkc, PRM_MKC_TRANSLATIONS_OCTWORD_SIZE, (pages->nb + 1) / 2);
	prm_set(mkc, PRM_MKC_LOG_PAGE_SIZE, pages->log_page);
}

static int
mkey_create(struct swhca_ufile *file, struct swhca_uobj *mr, const struct ib_uverbs_reg_mr *cmd,
	    uint32_t pdn)
{
	uint8_t out[PRM_CMD_SHORT_OUT_SIZE];
	struct swhca_upages pages;
	size_t in_len;
	uint8_t *in, *mkc;
	int ret;

	ret = swhca_upages_region(cmd->start, cmd->length, cmd->hca_va, MKC_LOG_PAGE_MAX, &pages);
	if (ret != 0)
		return ret;
	in_len = PRM_CREATE_MKEY_IN_XLT_BYTE + (size_t)(pages.nb + 1) / 2 * 16;
	in = calloc(1, in_len);
	if (in == NULL)
		return -ENOMEM;
	mkc = &in[PRM_CREATE_MKEY_IN_MKC_BYTE];
	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_CREATE_MKEY);
	prm_set(in, PRM_CREATE_MKEY_IN_XLT_OCT_ACTUAL, (pages.nb + 1) / 2);
	mkc_fill(file->dev, mkc, cmd, pdn, &pages);
	swhca_upages_write(&pages, &in[PRM_CREATE_MKEY_IN_XLT_BYTE],
			   PRM_MTT_WR_EN | PRM_MTT_RD_EN);
	ret = swhca_udev_exec(file->dev, in, in_len, out, sizeof(out));
	if (ret == 0) {
		mr->num = (uint32_t)prm_get(out, PRM_CREATE_MKEY_OUT_MKEY_INDEX);
		mr->mr.key = mr->num << 8 | (uint32_t)prm_get(mkc, PRM_MKC_MKEY_7_0);
		mr->mr.iova = cmd->hca_va;
		mr->mr.len = cmd->length;
	}
	free(in);
	return ret;
}

int
swhca_ureg_create(struct swhca_ufile *file, const struct ib_uverbs_reg_mr *cmd,
		  struct swhca_uobj **obj)
{
	struct swhca_uobj *mr, *pd;
	int ret;

	/* The same offset in a page is a rule of the ABI. */
	if (((cmd->start ^ cmd->hca_va) & (PRM_ADAPTER_PAGE_SIZE - 1)) != 0)
		return -EINVAL;
	if (cmd->hca_va + cmd->length < cmd->hca_va)
		return -EINVAL;
	ret = access_check(cmd->access_flags);
	if (ret == 0)
		ret = swhca_uobj_get(file, cmd->pd_handle, UVERBS_OBJECT_PD, &pd);
	if (ret == 0)
		ret = swhca_uaddr_check(cmd->start, cmd->length,
					(cmd->access_flags & ACCESS_WRITES) != 0);
	if (ret != 0)
		return ret;
	mr = swhca_uobj_alloc(file, UVERBS_OBJECT_MR);
	if (mr == NULL)
		return -ENOMEM;
	ret = mkey_create(file, mr, cmd, pd->num);
	if (ret != 0) {
		swhca_uobj_free(file, mr);
		return ret;
	}
	mr->create_op = PRM_CMD_CREATE_MKEY;
	swhca_uobj_ref(mr, pd);
	*obj = mr;
	return 0;
}

int
swhca_ureg_destroy_req(struct swhca_ureq *req)
{
	return swhca_uobj_destroy_req(req, UVERBS_ATTR_DESTROY_MR_HANDLE, UVERBS_OBJECT_MR);
}

int
swhca_ureg_query_req(struct swhca_ureq *req)
{
	struct swhca_uobj *mr;
	int ret;

	ret = swhca_uattr_obj(req, UVERBS_ATTR_QUERY_MR_HANDLE, UVERBS_OBJECT_MR, &mr);
	if (ret == 0)
		ret = swhca_uattr_out(req, UVERBS_ATTR_QUERY_MR_RESP_LKEY, &mr->mr.key,
				      sizeof(mr->mr.key));
	if (ret == 0)
		ret = swhca_uattr_out(req, UVERBS_ATTR_QUERY_MR_RESP_RKEY, &mr->mr.key,
				      sizeof(mr->mr.key));
	if (ret == 0)
		ret = swhca_uattr_out(req, UVERBS_ATTR_QUERY_MR_RESP_LENGTH, &mr->mr.len,
				      sizeof(mr->mr.len));
	if (ret == 0)
		ret = swhca_uattr_out(req, UVERBS_ATTR_QUERY_MR_RESP_IOVA, &mr->mr.iova,
				      sizeof(mr->mr.iova));
	return ret;
}
