/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Regions with on-demand paging (mlx5_ib: odp.c): keys with initially absent pages, advice about
 * them, and invalidation of pages of the process.
 */

#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "mlx5_prm_wqe.h"
#include "base/log.h"
#include "front/uverbs/dev/uverbs_cmd.h"
#include "front/uverbs/dev/dev.h"
#include "front/uverbs/dev/uverbs_pages.h"
#include "front/uverbs/file/attr.h"
#include "front/uverbs/file/uverbs_file.h"
#include "front/uverbs/file/fork.h"
#include "front/uverbs/file/obj.h"
#include "front/uverbs/obj/mr.h"
#include "front/uverbs/obj/uverbs_odp.h"

/*
 * Maximum page addresses of a key; a longer region has larger pages, which faults are counted in.
 */
#define MAX_PAGES (UINT64_C(1) << 20)
/* Maximum pages of a region: Linux has a list of them, whose bytes fit an int. */
#define MAX_SMALL_PAGES (INT_MAX / sizeof(uint64_t))

/* Parts of an implicit region, and the address space size of a process (mlx5_ib: odp.c). */
#define IMPLICIT_LOG_ENTRY	30u
#define IMPLICIT_LOG_SPACE	47u

/* Pages per query of residence. */
#define RESIDENT_CHUNK 256u

/* Regions of all devices: without any, calls that change memory mappings cost one load. */
static atomic_uint nb_regions;

static void
odp_fini(struct swhca_ufile *file, struct swhca_uobj *mr)
{
	(void)file;
	(void)mr;
	atomic_fetch_sub(&nb_regions, 1);
}

static void
mr_set_paged(struct swhca_uobj *mr, bool is_paged)
{
	if ((mr->fini == odp_fini) == is_paged)
		return;
	mr->fini = is_paged ? odp_fini : NULL;
	if (is_paged)
		atomic_fetch_add(&nb_regions, 1);
	else
		atomic_fetch_sub(&nb_regions, 1);
}

void
swhca_uodp_clear(struct swhca_uobj *mr)
{
	mr_set_paged(mr, false);
}

bool
swhca_uodp_is_paged(const struct swhca_uobj *mr)
{
	return mr->fini == odp_fini;
}

/* @return 0, or as ib_umem_odp_get(): -EINVAL (empty), -ENOMEM (too long). */
static int
odp_pages(const struct swhca_ureg_attr *attr, struct swhca_upages *pages)
{
	unsigned int log_page = PRM_ADAPTER_PAGE_SHIFT;
	uint64_t last = attr->start + attr->len - 1;

	if (attr->len == 0)
		return -EINVAL;
	if ((last >> log_page) - (attr->start >> log_page) >= MAX_SMALL_PAGES) {
		SWHCA_LOG(WARNING, "MR: %llu bytes with on-demand paging: more than %zu pages",
			  (unsigned long long)attr->len, MAX_SMALL_PAGES);
		return -ENOMEM;
	}
	while ((last >> log_page) - (attr->start >> log_page) + 1 > MAX_PAGES)
		log_page++;
	*pages = (struct swhca_upages){
		.first = attr->start >> log_page << log_page,
		.nb = (uint32_t)((last >> log_page) - (attr->start >> log_page) + 1),
		.log_page = (uint8_t)log_page,
	};
	return 0;
}

static void
mkc_fill(const struct swhca_udev *dev, uint8_t *mkc, const struct swhca_ureg_attr *attr,
	 uint8_t mode, uint8_t log_page, uint32_t nb_xlt)
{
	prm_set(mkc, PRM_MKC_ACCESS_MODE_1_0, mode);
	prm_set(mkc, PRM_MKC_UMR_EN, 1);
	swhca_ureg_mkc_access(dev, mkc, attr->access);
	prm_set(mkc, PRM_MKC_QPN, PRM_MKC_QPN_ANY);
	prm_set(mkc, PRM_MKC_MKEY_7_0, swhca_ukey_variant());
	prm_set(mkc, PRM_MKC_PD, attr->pd->num);
	prm_set(mkc, PRM_MKC_START_ADDR, attr->iova);
	prm_set(mkc, PRM_MKC_TRANSLATIONS_OCTWORD_SIZE, nb_xlt);
	prm_set(mkc, PRM_MKC_LOG_PAGE_SIZE, log_page);
}

static int
key_exec(struct swhca_udev *dev, struct swhca_uobj *mr, const struct swhca_ureg_attr *attr,
	 uint8_t *in, uint32_t nb_xlt)
{
	const uint8_t *mkc = &in[PRM_CREATE_MKEY_IN_MKC_BYTE];
	uint8_t out[PRM_CMD_SHORT_OUT_SIZE];
	int ret;

	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_CREATE_MKEY);
	prm_set(in, PRM_CREATE_MKEY_IN_XLT_OCT_ACTUAL, nb_xlt);
	ret = swhca_udev_exec(dev, in,
			      PRM_CREATE_MKEY_IN_XLT_BYTE + (size_t)nb_xlt * PRM_KLM_SIZE, out,
			      sizeof(out));
	if (ret != 0)
		return ret;
	mr->num = (uint32_t)prm_get(out, PRM_CREATE_MKEY_OUT_MKEY_INDEX);
	mr->mr = (struct swhca_uregion){
		.start = attr->start,
		.iova = attr->iova,
		.len = attr->len,
		.key = mr->num << 8 | (uint32_t)prm_get(mkc, PRM_MKC_MKEY_7_0),
		.access = attr->access,
		.is_writable = (attr->access & SWHCA_UREG_WRITES) != 0,
	};
	mr_set_paged(mr, true);
	return 0;
}

static int
explicit_create(struct swhca_udev *dev, struct swhca_uobj *mr, const struct swhca_ureg_attr *attr)
{
	struct swhca_upages pages;
	uint32_t nb_xlt;
	uint8_t *in;
	int ret;

	ret = odp_pages(attr, &pages);
	if (ret != 0)
		return ret;
	nb_xlt = swhca_ureg_nb_xlt(&pages);
	in = calloc(1, PRM_CREATE_MKEY_IN_XLT_BYTE + (size_t)nb_xlt * PRM_KLM_SIZE);
	if (in == NULL)
		return -ENOMEM;
	mkc_fill(dev, &in[PRM_CREATE_MKEY_IN_MKC_BYTE], attr, PRM_MKC_ACCESS_MODE_MTT,
		 pages.log_page, nb_xlt);
	prm_set(&in[PRM_CREATE_MKEY_IN_MKC_BYTE], PRM_MKC_LEN, attr->len);
	/* Pages have their own access bits, initially none. */
	prm_set(in, PRM_CREATE_MKEY_IN_PG_ACCESS, 1);
	swhca_upages_write(&pages, &in[PRM_CREATE_MKEY_IN_XLT_BYTE], 0);
	ret = key_exec(dev, mr, attr, in, nb_xlt);
	free(in);
	return ret;
}

/* The whole address space: initially empty entries of 1 GiB. */
static int
implicit_create(struct swhca_udev *dev, struct swhca_uobj *mr, const struct swhca_ureg_attr *attr)
{
	const struct mlx5_wqe_umr_klm_seg none = {
		.byte_count = htobe32(UINT32_C(1) << IMPLICIT_LOG_ENTRY),
		.mkey = htobe32(dev->null_mkey),
	};
	const uint32_t nb = UINT32_C(1) << (IMPLICIT_LOG_SPACE - IMPLICIT_LOG_ENTRY);
	uint8_t *in;
	uint32_t i;
	int ret;

	if (attr->iova != 0)
		return -EINVAL;
	in = calloc(1, PRM_CREATE_MKEY_IN_XLT_BYTE + (size_t)nb * PRM_KLM_SIZE);
	if (in == NULL)
		return -ENOMEM;
	mkc_fill(dev, &in[PRM_CREATE_MKEY_IN_MKC_BYTE], attr, PRM_MKC_ACCESS_MODE_KSM,
		 IMPLICIT_LOG_ENTRY, nb);
	prm_set(&in[PRM_CREATE_MKEY_IN_MKC_BYTE], PRM_MKC_LENGTH64, 1);
	for (i = 0; i < nb; i++)
		memcpy(&in[PRM_CREATE_MKEY_IN_XLT_BYTE + (size_t)i * PRM_KLM_SIZE], &none,
		       sizeof(none));
	ret = key_exec(dev, mr, attr, in, nb);
	free(in);
	return ret;
}

int
swhca_uodp_mkey_create(struct swhca_udev *dev, struct swhca_uobj *mr,
		       const struct swhca_ureg_attr *attr)
{
	if (swhca_ufork_is_foreign()) {
		SWHCA_LOG(WARNING, "memory of a child of fork: the device cannot reach it");
		return -EOPNOTSUPP;
	}
	return attr->start == 0 && attr->len == UINT64_MAX ? implicit_create(dev, mr, attr) :
							     explicit_create(dev, mr, attr);
}

/* Advice */

static struct swhca_uobj *
mr_of_key(const struct swhca_ufile *file, uint32_t lkey)
{
	struct swhca_uobj *obj;

	TAILQ_FOREACH(obj, &file->order, link) {
		if (obj->type == UVERBS_OBJECT_MR && obj->mr.key == lkey &&
		    swhca_uodp_is_paged(obj))
			return obj;
	}
	return NULL;
}

/* get_prefetchable_mr() */
static int
sge_check(const struct swhca_ufile *file, const struct swhca_uobj *pd, uint64_t advice,
	  const struct ib_uverbs_sge *sge)
{
	const struct swhca_uobj *mr = mr_of_key(file, sge->lkey);

	if (mr == NULL)
		return -ENOENT;
	if (mr->deps[0] != pd ||
	    (advice == IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_WRITE && !mr->mr.is_writable))
		return -EPERM;
	return 0;
}

/* Only prefetch pages already in memory; others, even unmapped ones, are skipped silently. */
static int
prefetch_resident(struct swhca_udev *dev, const struct swhca_uobj *mr,
		  const struct ib_uverbs_sge *sge)
{
	uint64_t addr = sge->addr, end = sge->addr + sge->length;
	uint64_t to_va = mr->mr.start - mr->mr.iova, page;
	unsigned char vec[RESIDENT_CHUNK];
	size_t i, nb;
	int ret = 0;

	while (addr < end && ret == 0) {
		page = (addr + to_va) & ~(uint64_t)(PRM_ADAPTER_PAGE_SIZE - 1);
		nb = (end + to_va - page + PRM_ADAPTER_PAGE_SIZE - 1) / PRM_ADAPTER_PAGE_SIZE;
		if (nb > RESIDENT_CHUNK)
			nb = RESIDENT_CHUNK;
		/* A hole in the range: one page at a time. */
		if (mincore((void *)(uintptr_t)page, nb * PRM_ADAPTER_PAGE_SIZE, vec) != 0) {
			nb = 1;
			if (mincore((void *)(uintptr_t)page, PRM_ADAPTER_PAGE_SIZE, vec) != 0)
				vec[0] = 0;
		}
		for (i = 0; i < nb && ret == 0; i++, addr = page - to_va) {
			if ((vec[i] & 1) != 0)
				ret = swhca_hca_pages_prefetch(dev->hca, sge->lkey, addr, 1,
							       SWHCA_PREFETCH_WRITE);
			page += PRM_ADAPTER_PAGE_SIZE;
		}
	}
	return ret;
}

static int
sge_prefetch(struct swhca_ufile *file, uint64_t advice, const struct ib_uverbs_sge *sge)
{
	const struct swhca_uobj *mr = mr_of_key(file, sge->lkey);
	int ret;

	/* Start and end of the range are checked even if nothing is mapped. */
	ret = swhca_hca_pages_prefetch(file->dev->hca, sge->lkey, sge->addr, sge->length,
				       SWHCA_PREFETCH_NOTHING);
	if (ret != 0)
		return ret;
	if (advice == IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT)
		return prefetch_resident(file->dev, mr, sge);
	return swhca_hca_pages_prefetch(file->dev->hca, sge->lkey, sge->addr, sge->length,
					advice == IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_WRITE ?
						SWHCA_PREFETCH_WRITE :
						SWHCA_PREFETCH_READ);
}

/*
 * With the flush flag the advice is executed before the call returns, including errors; without it
 * only the keys are checked, and pages that cannot be mapped are skipped (mlx5_ib does it later,
 * which is equivalent here).
 */
static int
mrs_advise(struct swhca_ufile *file, const struct swhca_uobj *pd, uint64_t advice, bool flush,
	   const struct ib_uverbs_sge *sges, size_t nb)
{
	size_t i;
	int ret;

	for (i = 0; i < nb && !flush; i++) {
		ret = sge_check(file, pd, advice, &sges[i]);
		if (ret != 0)
			return ret;
	}
	for (i = 0; i < nb; i++) {
		ret = sge_check(file, pd, advice, &sges[i]);
		if (ret == 0)
			ret = sge_prefetch(file, advice, &sges[i]);
		if (ret != 0 && flush)
			return ret;
	}
	return 0;
}

int
swhca_uodp_advise_req(struct swhca_ureq *req)
{
	struct swhca_uobj *pd;
	uint64_t advice, flags;
	void *sges;
	size_t len;
	int ret;

	ret = swhca_uattr_obj(req, UVERBS_ATTR_ADVISE_MR_PD_HANDLE, UVERBS_OBJECT_PD, &pd);
	if (ret == 0)
		ret = swhca_uattr_in_u64(req, UVERBS_ATTR_ADVISE_MR_ADVICE, &advice);
	if (ret == 0)
		ret = swhca_uattr_in_u64(req, UVERBS_ATTR_ADVISE_MR_FLAGS, &flags);
	if (ret != 0)
		return ret;
	if ((flags & ~(uint64_t)IB_UVERBS_ADVISE_MR_FLAG_FLUSH) != 0) {
		SWHCA_LOG(WARNING, "ADVISE_MR: flags 0x%llx: only flush is known",
			  (unsigned long long)flags);
		return -EINVAL;
	}
	ret = swhca_uattr_in_alloc(req, UVERBS_ATTR_ADVISE_MR_SGE_LIST,
				   sizeof(struct ib_uverbs_sge), &sges, &len);
	if (ret != 0)
		return ret;
	if (len % sizeof(struct ib_uverbs_sge) != 0)
		ret = -EINVAL;
	else if (advice > IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT)
		ret = -EOPNOTSUPP;
	else
		ret = mrs_advise(req->file, pd, advice, flags != 0, sges,
			     len / sizeof(struct ib_uverbs_sge));
	free(sges);
	return ret;
}

/* Invalidation */

void
swhca_uodp_invalidate(const void *addr, size_t len)
{
	if (atomic_load(&nb_regions) != 0)
		swhca_udev_invalidate((uintptr_t)addr, len);
}

void
swhca_uodp_forget(void)
{
	atomic_store(&nb_regions, 0);
}
