/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Memory regions: direct keys over user memory (mlx5_ib: mr.c, reg_create()).
 */

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "mlx5_prm_wqe.h"
#include "base/array.h"
#include "base/log.h"
#include "front/uverbs/dev/uverbs_cmd.h"
#include "front/uverbs/dev/dev.h"
#include "front/uverbs/dev/uverbs_pages.h"
#include "front/uverbs/file/attr.h"
#include "front/uverbs/file/uverbs_file.h"
#include "front/uverbs/file/obj.h"
#include "front/uverbs/file/pinned.h"
#include "front/uverbs/obj/mr.h"
#include "front/uverbs/obj/uverbs_odp.h"

/* mkc.log_page_size has 5 bits and, unlike for queues, is in bytes. */
#define MKC_LOG_PAGE_MAX 31u

/* ib_verbs.h: IB_ACCESS_SUPPORTED */
#define ACCESS_KNOWN                                                                               \
	(IB_UVERBS_ACCESS_LOCAL_WRITE | IB_UVERBS_ACCESS_REMOTE_WRITE |                            \
	 IB_UVERBS_ACCESS_REMOTE_READ | IB_UVERBS_ACCESS_REMOTE_ATOMIC |                           \
	 IB_UVERBS_ACCESS_MW_BIND | IB_UVERBS_ACCESS_ZERO_BASED | IB_UVERBS_ACCESS_ON_DEMAND |     \
	 IB_UVERBS_ACCESS_HUGETLB | IB_UVERBS_ACCESS_OPTIONAL_RANGE)

uint8_t
swhca_ukey_variant(void)
{
	static atomic_uint next;

	return (uint8_t)atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
}

int
swhca_ureg_access_check(const struct swhca_udev *dev, uint32_t access)
{
	if ((access & (IB_UVERBS_ACCESS_REMOTE_ATOMIC | IB_UVERBS_ACCESS_REMOTE_WRITE)) != 0 &&
	    (access & IB_UVERBS_ACCESS_LOCAL_WRITE) == 0) {
		SWHCA_LOG(WARNING, "MR: access flags 0x%x: remote write without local write",
			  access);
		return -EINVAL;
	}
	if ((access & ~(uint32_t)ACCESS_KNOWN) != 0) {
		SWHCA_LOG(WARNING, "MR: access flags 0x%x: unknown: 0x%x", access,
			  access & ~(uint32_t)ACCESS_KNOWN);
		return -EINVAL;
	}
	if ((access & IB_UVERBS_ACCESS_ON_DEMAND) != 0 && swhca_udev_cap(dev, PRM_CAP_PG) == 0) {
		SWHCA_LOG(WARNING, "MR: access flags 0x%x: the device has no on-demand paging",
			  access);
		return -EOPNOTSUPP;
	}
	return 0;
}

int
swhca_ureg_range_check(uint64_t start, uint64_t len, uint64_t iova)
{
	/* The ABI requires the same offset in a page. */
	if (((start ^ iova) & (PRM_ADAPTER_PAGE_SIZE - 1)) != 0 || start + len < start ||
	    iova + len < iova) {
		SWHCA_LOG(WARNING,
			  "MR: address 0x%llx, length %llu, device address 0x%llx: wraps, or"
			  " other offsets in a page",
			  (unsigned long long)start, (unsigned long long)len,
			  (unsigned long long)iova);
		return -EINVAL;
	}
	return 0;
}

void
swhca_ureg_mkc_access(const struct swhca_udev *dev, uint8_t *mkc, uint32_t access)
{
	bool is_relaxed = (access & IB_UVERBS_ACCESS_RELAXED_ORDERING) != 0;

	prm_set(mkc, PRM_MKC_A, (access & IB_UVERBS_ACCESS_REMOTE_ATOMIC) != 0);
	prm_set(mkc, PRM_MKC_RW, (access & IB_UVERBS_ACCESS_REMOTE_WRITE) != 0);
	prm_set(mkc, PRM_MKC_RR, (access & IB_UVERBS_ACCESS_REMOTE_READ) != 0);
	prm_set(mkc, PRM_MKC_LW, (access & IB_UVERBS_ACCESS_LOCAL_WRITE) != 0);
	prm_set(mkc, PRM_MKC_LR, 1);
	prm_set(mkc, PRM_MKC_RELAXED_ORDERING_WRITE,
		is_relaxed && swhca_udev_cap(dev, PRM_CAP_RELAXED_ORDERING_WRITE) != 0);
}

int
swhca_ureg_pages(const struct swhca_ureg_attr *attr, struct swhca_upages *pages)
{
	return swhca_upages_region(attr->start, attr->len, attr->iova, MKC_LOG_PAGE_MAX, pages);
}

uint32_t
swhca_ureg_nb_xlt(const struct swhca_upages *pages)
{
	const uint64_t per_group = PRM_KLM_ALIGN * (PRM_KLM_SIZE / PRM_MTT_SIZE);

	return (uint32_t)((pages->nb + per_group - 1) / per_group * PRM_KLM_ALIGN);
}

static void
mkc_fill(const struct swhca_udev *dev, uint8_t *mkc, const struct swhca_ureg_attr *attr,
	 const struct swhca_upages *pages)
{
	prm_set(mkc, PRM_MKC_ACCESS_MODE_1_0, PRM_MKC_ACCESS_MODE_MTT);
	prm_set(mkc, PRM_MKC_UMR_EN, 1);
	swhca_ureg_mkc_access(dev, mkc, attr->access);
	prm_set(mkc, PRM_MKC_QPN, PRM_MKC_QPN_ANY);
	prm_set(mkc, PRM_MKC_MKEY_7_0, swhca_ukey_variant());
	prm_set(mkc, PRM_MKC_PD, attr->pd->num);
	prm_set(mkc, PRM_MKC_START_ADDR, attr->iova);
	prm_set(mkc, PRM_MKC_LEN, attr->len);
	prm_set(mkc, PRM_MKC_TRANSLATIONS_OCTWORD_SIZE, swhca_ureg_nb_xlt(pages));
	prm_set(mkc, PRM_MKC_LOG_PAGE_SIZE, pages->log_page);
	if (attr->dmah != NULL) {
		prm_set(mkc, PRM_MKC_PCIE_TPH_EN, 1);
		prm_set(mkc, PRM_MKC_PCIE_TPH_PH, attr->dmah->dmah.ph);
		prm_set(mkc, PRM_MKC_PCIE_TPH_STEERING_TAG_INDEX, attr->dmah->dmah.tag);
	}
}

int
swhca_ureg_mkey_create(struct swhca_udev *dev, struct swhca_uobj *mr,
		       const struct swhca_ureg_attr *attr)
{
	uint8_t out[PRM_CMD_SHORT_OUT_SIZE];
	struct swhca_upages pages;
	size_t in_len;
	uint8_t *in, *mkc;
	int ret;

	ret = swhca_ureg_pages(attr, &pages);
	if (ret != 0)
		return ret;
	ret = swhca_umailbox_alloc(PRM_CREATE_MKEY_IN_XLT_BYTE,
				   (uint64_t)swhca_ureg_nb_xlt(&pages) *
					   (PRM_KLM_SIZE / PRM_MTT_SIZE), &in, &in_len);
	if (ret != 0)
		return ret;
	mkc = &in[PRM_CREATE_MKEY_IN_MKC_BYTE];
	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_CREATE_MKEY);
	prm_set(in, PRM_CREATE_MKEY_IN_XLT_OCT_ACTUAL, swhca_ureg_nb_xlt(&pages));
	mkc_fill(dev, mkc, attr, &pages);
	swhca_upages_write(&pages, &in[PRM_CREATE_MKEY_IN_XLT_BYTE],
			   PRM_MTT_WR_EN | PRM_MTT_RD_EN);
	ret = swhca_udev_exec(dev, in, in_len, out, sizeof(out));
	if (ret == 0) {
		mr->num = (uint32_t)prm_get(out, PRM_CREATE_MKEY_OUT_MKEY_INDEX);
		mr->mr.key = mr->num << 8 | (uint32_t)prm_get(mkc, PRM_MKC_MKEY_7_0);
		mr->mr.start = attr->start;
		mr->mr.iova = attr->iova;
		mr->mr.len = attr->len;
		mr->mr.access = attr->access;
		mr->mr.nb_xlt = swhca_ureg_nb_xlt(&pages);
		mr->mr.is_writable = (attr->access & SWHCA_UREG_WRITES) != 0;
		swhca_uodp_clear(mr);
	}
	free(in);
	return ret;
}

int
swhca_ureg_pin(struct swhca_uobj *mr, const struct swhca_ureg_attr *attr)
{
	/* Pages of a region with on-demand paging may be absent. */
	if ((attr->access & IB_UVERBS_ACCESS_ON_DEMAND) != 0)
		return 0;
	return swhca_upin(mr, attr->start, attr->len, (attr->access & SWHCA_UREG_WRITES) != 0);
}

int
swhca_ureg_memory_create(struct swhca_udev *dev, struct swhca_uobj *mr,
			 const struct swhca_ureg_attr *attr)
{
	bool is_paged = (attr->access & IB_UVERBS_ACCESS_ON_DEMAND) != 0;

	if (is_paged && attr->dmah != NULL) {
		SWHCA_LOG(WARNING, "MR: on-demand paging with a DMA handle");
		return -EOPNOTSUPP;
	}
	return is_paged ? swhca_uodp_mkey_create(dev, mr, attr) :
			  swhca_ureg_mkey_create(dev, mr, attr);
}

int
swhca_ureg_create(struct swhca_ufile *file, const struct swhca_ureg_attr *attr,
		  struct swhca_uobj **obj)
{
	struct swhca_uobj *mr;
	int ret;

	ret = swhca_ureg_range_check(attr->start, attr->len, attr->iova);
	if (ret == 0)
		ret = swhca_ureg_access_check(file->dev, attr->access);
	if (ret != 0)
		return ret;
	mr = swhca_uobj_alloc(file, UVERBS_OBJECT_MR);
	if (mr == NULL)
		return -ENOMEM;
	ret = swhca_ureg_pin(mr, attr);
	if (ret == 0)
		ret = swhca_ureg_memory_create(file->dev, mr, attr);
	if (ret != 0) {
		swhca_uobj_free(file, mr);
		return ret;
	}
	mr->create_op = PRM_CMD_CREATE_MKEY;
	swhca_uobj_ref(mr, attr->pd);
	swhca_uobj_ref(mr, attr->dmah);
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

int
swhca_ureg_out(struct swhca_ureq *req, struct swhca_uobj *mr, uint16_t lkey_id, uint16_t rkey_id,
	       uint16_t handle_id)
{
	const struct swhca_uattr_answer answers[] = {
		{ lkey_id, &mr->mr.key, sizeof(mr->mr.key) },
		{ rkey_id, &mr->mr.key, sizeof(mr->mr.key) },
	};

	return swhca_uattrs_out_obj(req, mr, handle_id, answers, SWHCA_ARRAY_SIZE(answers));
}
