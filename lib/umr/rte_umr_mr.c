/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Memory regions: checks and state, then the driver's operation.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "rte_umr_private.h"
#include "rte_umr_trace.h"

/** Check access bits: remote writes require local writes (verbs). */
static bool
is_access_valid(uint32_t access)
{
	const uint32_t remote_write = RTE_UMR_ACCESS_REMOTE_WRITE | RTE_UMR_ACCESS_REMOTE_ATOMIC;

	if ((access & ~RTE_UMR_MR_ACCESS_ALL) != 0)
		return false;
	return (access & remote_write) == 0 || (access & RTE_UMR_ACCESS_LOCAL_WRITE) != 0;
}

static bool
is_implicit(const struct rte_umr_mr_conf *conf)
{
	return (conf->flags & RTE_UMR_MR_F_ON_DEMAND) != 0 && conf->addr == NULL &&
	       conf->len == SIZE_MAX;
}

/** Check that flags and address match. */
static bool
are_flags_valid(const struct rte_umr_mr_conf *conf)
{
	const uint32_t other_addr = RTE_UMR_MR_F_IOVA | RTE_UMR_MR_F_ZERO_BASED;

	if ((conf->flags & ~RTE_UMR_MR_F_ALL) != 0 || (conf->flags & other_addr) == other_addr)
		return false;
	if ((conf->flags & RTE_UMR_MR_F_DMABUF) != 0)
		return conf->addr == NULL && (conf->access & RTE_UMR_ACCESS_MW_BIND) == 0 &&
		       (conf->flags & (RTE_UMR_MR_F_ON_DEMAND | RTE_UMR_MR_F_HUGE)) == 0;
	if (is_implicit(conf))
		return conf->flags == RTE_UMR_MR_F_ON_DEMAND;
	return conf->addr != NULL && ((conf->flags & RTE_UMR_MR_F_HUGE) == 0 ||
				      (conf->flags & RTE_UMR_MR_F_ON_DEMAND) != 0);
}

/** Address of the first byte in operations. */
static uint64_t
conf_iova(const struct rte_umr_mr_conf *conf)
{
	if ((conf->flags & RTE_UMR_MR_F_ZERO_BASED) != 0)
		return 0;
	if ((conf->flags & RTE_UMR_MR_F_IOVA) != 0)
		return conf->iova;
	return (conf->flags & RTE_UMR_MR_F_DMABUF) != 0 ? conf->dmabuf_offset :
							  (uintptr_t)conf->addr;
}

/** The kernel maps whole pages: both addresses must have the same page offset, and not wrap. */
static int
iova_check(int16_t dev_id, const struct rte_umr_mr_conf *conf)
{
	const bool is_dmabuf = (conf->flags & RTE_UMR_MR_F_DMABUF) != 0;
	uint64_t start = is_dmabuf ? conf->dmabuf_offset : (uintptr_t)conf->addr;
	uint64_t page_mask = (uint64_t)sysconf(_SC_PAGESIZE) - 1;
	uint64_t iova = conf_iova(conf);

	if (((start ^ iova) & page_mask) == 0 && start + conf->len >= start &&
	    iova + conf->len >= iova)
		return 0;
	UMR_DEV_LOG(ERR, dev_id,
		    "%zu bytes from 0x%" PRIx64 " on at 0x%" PRIx64
		    ": wraps, or not the same place in a page",
		    conf->len, start, iova);
	return -EINVAL;
}

static int
access_check(const struct rte_umr_dev_info *info, int16_t dev_id, uint32_t access)
{
	if (!is_access_valid(access)) {
		UMR_DEV_LOG(ERR, dev_id, "access 0x%x of a region is not valid", access);
		return -EINVAL;
	}
	if ((access & ~info->mr_access_capa) == 0)
		return 0;
	UMR_DEV_LOG(ERR, dev_id, "access 0x%x of a region, the device has 0x%x", access,
		    info->mr_access_capa);
	return -ENOTSUP;
}

/** Capability that a region requires. */
static uint64_t
capa_needed(const struct rte_umr_mr_conf *conf)
{
	if ((conf->flags & RTE_UMR_MR_F_DMABUF) != 0)
		return RTE_UMR_CAPA_MR_DMABUF;
	if (is_implicit(conf))
		return RTE_UMR_CAPA_MR_ODP_IMPLICIT;
	return (conf->flags & RTE_UMR_MR_F_ON_DEMAND) != 0 ? RTE_UMR_CAPA_MR_ODP : 0;
}

static int
length_check(const struct rte_umr_dev_info *info, int16_t dev_id, size_t len)
{
	if (len <= info->max_mr_len)
		return 0;
	UMR_DEV_LOG(ERR, dev_id, "length of region is %zu, at most %" PRIu64, len,
		    info->max_mr_len);
	return -ERANGE;
}

/**
 * Check that memory is completely mapped. Linux also checks this, but libibverbs first calls
 * madvise() to exclude the memory from children of fork(), if needed: this fails with ENOMEM, and
 * libibverbs then miscounts the users of the memory from there to the end of the address space
 * (ibv_madvise_range()).
 *
 * With MS_ASYNC, msync() only checks.
 */
static int
mapped_check(int16_t dev_id, const struct rte_umr_mr_conf *conf)
{
	const uintptr_t page_mask = (uintptr_t)sysconf(_SC_PAGESIZE) - 1;
	const uintptr_t start = (uintptr_t)conf->addr;
	const size_t in_page = start & page_mask;

	if (msync((void *)(start - in_page), conf->len + in_page, MS_ASYNC) == 0 ||
	    errno != ENOMEM)
		return 0;
	UMR_DEV_LOG(ERR, dev_id, "%zu bytes at %p are not all mapped", conf->len, conf->addr);
	return -EFAULT;
}

/** Whether the pages of a region are pinned, so must be mapped. */
static bool
is_pinned(const struct rte_umr_mr_conf *conf)
{
	return (conf->flags & (RTE_UMR_MR_F_ON_DEMAND | RTE_UMR_MR_F_DMABUF)) == 0;
}

static bool
is_room_zero(const struct rte_umr_mr_conf *conf)
{
	return conf->reserved == 0 && UMR_IS_ZERO(conf->reserved2);
}

static int
conf_check(struct rte_umr_dev *dev, const struct rte_umr_mr_conf *conf)
{
	struct rte_umr_dev_info info;
	uint64_t capa;
	int ret;

	if (dev == NULL)
		return rte_umr_no_dev("memory region");
	if (conf == NULL || conf->len == 0 || !is_room_zero(conf) || !are_flags_valid(conf)) {
		UMR_DEV_LOG(ERR, dev->dev_id,
			    "region %p, length %zu, access 0x%x, flags 0x%x: not valid",
			    conf != NULL ? conf->addr : NULL, conf != NULL ? conf->len : 0,
			    conf != NULL ? conf->access : 0, conf != NULL ? conf->flags : 0);
		return -EINVAL;
	}
	rte_umr_dev_limits_get(dev, &info);
	ret = access_check(&info, dev->dev_id, conf->access);
	if (ret != 0)
		return ret;
	if (!rte_umr_pd_is_of(conf->pd, dev->dev_id))
		return -EINVAL;
	capa = capa_needed(conf);
	if ((info.dev_capa & capa) != capa) {
		UMR_DEV_LOG(ERR, dev->dev_id,
			    "flags 0x%x of a region: not a capability of the device", conf->flags);
		return -ENOTSUP;
	}
	if (is_implicit(conf))
		return 0;
	ret = iova_check(dev->dev_id, conf);
	return ret != 0 ? ret : length_check(&info, dev->dev_id, conf->len);
}

/** Whether queues of the default PD can use the region at the addresses of the process. */
static bool
is_findable(const struct rte_umr_mr *mr)
{
	return mr->pd == NULL && mr->iova == (uintptr_t)mr->addr && !mr->is_lost &&
	       (mr->flags & RTE_UMR_MR_F_DMABUF) == 0;
}

static int
mr_find_add(const struct rte_umr_mr *mr)
{
	if (!is_findable(mr))
		return 0;
	return rte_umr_lookup_add(mr->dev_id, mr->addr, mr->len, mr->lkey, mr);
}

static int
mr_register(struct rte_umr_dev *dev, struct rte_umr_mr *mr, const struct rte_umr_mr_conf *conf,
	    bool is_found)
{
	int ret;

	pthread_mutex_lock(&dev->mr_lock);
	ret = rte_umr_counted(dev, dev->ops->mr_register(dev, mr, conf));
	if (ret == 0 && is_found) {
		ret = mr_find_add(mr);
		if (ret != 0)
			dev->ops->mr_deregister(dev, mr);
	}
	if (ret == 0) {
		rte_umr_pd_ref(mr->pd);
		__atomic_store_n(&dev->nb_mrs, dev->nb_mrs + 1, __ATOMIC_RELAXED);
	}
	pthread_mutex_unlock(&dev->mr_lock);
	return ret;
}

static struct rte_umr_mr *
register_conf(int16_t dev_id, const struct rte_umr_mr_conf *conf, bool is_found)
{
	struct rte_umr_dev *dev = rte_umr_dev_get(dev_id);
	struct rte_umr_mr *mr;
	int ret;

	ret = conf_check(dev, conf);
	if (ret == 0 && is_pinned(conf))
		ret = mapped_check(dev_id, conf);
	if (ret != 0) {
		rte_errno = -ret;
		return NULL;
	}
	mr = rte_umr_object_alloc(UMR_OBJECT_MR, sizeof(*mr));
	if (mr == NULL) {
		rte_errno = ENOMEM;
		return NULL;
	}
	*mr = (struct rte_umr_mr){
		.addr = conf->addr,
		.len = conf->len,
		.access = conf->access,
		.dev_id = dev_id,
		.iova = conf_iova(conf),
		.pd = conf->pd,
		.flags = conf->flags,
	};
	ret = mr_register(dev, mr, conf, is_found);
	if (ret != 0) {
		rte_umr_object_free(mr);
		rte_errno = -ret;
		return NULL;
	}
	return mr;
}

static struct rte_umr_mr *
register_traced(int16_t dev_id, const struct rte_umr_mr_conf *conf, bool is_found)
{
	struct rte_umr_mr *mr = register_conf(dev_id, conf, is_found);

	if (conf != NULL)
		rte_umr_trace_mr_register(dev_id, conf, mr, mr != NULL ? mr->lkey : 0,
					  mr != NULL ? 0 : -rte_errno);
	return mr;
}

struct rte_umr_mr *
rte_umr_mr_register_unfound(int16_t dev_id, const struct rte_umr_mr_conf *conf)
{
	return register_traced(dev_id, conf, false);
}

struct rte_umr_mr *
rte_umr_mr_register(int16_t dev_id, const struct rte_umr_mr_conf *conf)
{
	return register_traced(dev_id, conf, true);
}

/** Check that a region of this kind supports a change. */
static int
change_check(const struct rte_umr_mr *mr, uint32_t changes)
{
	const struct rte_umr_mr_conf was = { .addr = mr->addr, .len = mr->len, .flags = mr->flags };
	const bool has_other_addr =
		(mr->flags & (RTE_UMR_MR_F_IOVA | RTE_UMR_MR_F_ZERO_BASED)) != 0;

	if (mr->is_lost) {
		UMR_DEV_LOG(ERR, mr->dev_id, "region %p is lost, it can only be deregistered",
			    mr->addr);
		return -ESTALE;
	}
	if (is_implicit(&was) || (mr->flags & RTE_UMR_MR_F_DMABUF) != 0 ||
	    ((changes & RTE_UMR_MR_CHANGE_TRANSLATION) != 0 && has_other_addr)) {
		UMR_DEV_LOG(ERR, mr->dev_id, "region %p, flags 0x%x: changes 0x%x are not possible",
			    mr->addr, mr->flags, changes);
		return -ENOTSUP;
	}
	return 0;
}

/** Fill in the new properties of the region. */
static int
reregister_check(struct rte_umr_dev *dev, const struct rte_umr_mr *mr, uint32_t changes,
		 const struct rte_umr_mr_conf *conf, struct rte_umr_mr *new_mr)
{
	struct rte_umr_mr_conf full = {
		.addr = mr->addr, .len = mr->len, .access = mr->access, .flags = mr->flags,
		.pd = mr->pd, .iova = mr->iova,
	};
	int ret;

	if (conf == NULL || changes == 0 || (changes & ~RTE_UMR_MR_CHANGE_ALL) != 0 ||
	    conf->flags != 0 || !is_room_zero(conf)) {
		UMR_DEV_LOG(ERR, mr->dev_id,
			    "changes 0x%x of a region: none, unknown, no new values, or"
			    " flags with them",
			    changes);
		return -EINVAL;
	}
	if (dev->ops->mr_reregister == NULL) {
		UMR_DEV_LOG(ERR, mr->dev_id, "changes 0x%x: its regions cannot change", changes);
		return -ENOTSUP;
	}
	ret = change_check(mr, changes);
	if (ret != 0)
		return ret;
	if ((changes & RTE_UMR_MR_CHANGE_TRANSLATION) != 0) {
		full.addr = conf->addr;
		full.len = conf->len;
	}
	if ((changes & RTE_UMR_MR_CHANGE_PD) != 0)
		full.pd = conf->pd;
	if ((changes & RTE_UMR_MR_CHANGE_ACCESS) != 0)
		full.access = conf->access;
	ret = conf_check(dev, &full);
	/* Existing memory is pinned, even if the mapping has changed. */
	if (ret == 0 && (changes & RTE_UMR_MR_CHANGE_TRANSLATION) != 0 && is_pinned(&full))
		ret = mapped_check(dev->dev_id, &full);
	if (ret != 0)
		return ret;
	*new_mr = *mr;
	new_mr->addr = full.addr;
	new_mr->len = full.len;
	new_mr->pd = full.pd;
	new_mr->access = full.access;
	new_mr->iova = conf_iova(&full);
	return 0;
}

static int
mr_reregister(struct rte_umr_mr *mr, uint32_t changes, const struct rte_umr_mr_conf *conf)
{
	struct rte_umr_mr new_mr;
	struct rte_umr_dev *dev;
	int ret;

	if (mr == NULL) {
		UMR_LOG(ERR, "region to re-register is NULL");
		return -EINVAL;
	}
	ret = rte_umr_object_check(UMR_OBJECT_MR, mr);
	if (ret != 0)
		return ret;
	dev = rte_umr_dev_get(mr->dev_id);
	ret = reregister_check(dev, mr, changes, conf, &new_mr);
	if (ret != 0)
		return ret;
	pthread_mutex_lock(&dev->mr_lock);
	/* Lookups must not find it while its keys may change. */
	rte_umr_lookup_remove(mr->dev_id, mr->addr, mr);
	ret = rte_umr_counted(dev, dev->ops->mr_reregister(dev, mr, changes, &new_mr));
	if (ret == 0) {
		rte_umr_pd_ref(new_mr.pd);
		rte_umr_pd_unref(mr->pd);
		*mr = new_mr;
	}
	if (mr_find_add(mr) != 0) {
		UMR_DEV_LOG(ERR, mr->dev_id, "region %p is not found by lookups any more",
			    mr->addr);
	}
	pthread_mutex_unlock(&dev->mr_lock);
	return ret;
}

int
rte_umr_mr_reregister(struct rte_umr_mr *mr, uint32_t changes, const struct rte_umr_mr_conf *conf)
{
	int ret;

	/* The trace point must not read the object. */
	if (rte_umr_is_secondary("memory region"))
		return -EPERM;
	ret = mr_reregister(mr, changes, conf);
	rte_umr_trace_mr_reregister(mr, changes, ret == 0 ? mr->lkey : 0, ret);
	return ret;
}

static int
mr_deregister(struct rte_umr_mr *mr)
{
	struct rte_umr_dev *dev;
	int ret;

	if (mr == NULL)
		return 0;
	if (rte_umr_is_secondary("memory region"))
		return -EPERM;
	ret = rte_umr_object_check(UMR_OBJECT_MR, mr);
	if (ret != 0)
		return ret;
	dev = rte_umr_dev_get(mr->dev_id);
	pthread_mutex_lock(&dev->mr_lock);
	ret = rte_umr_given_back(dev, dev->ops->mr_deregister(dev, mr));
	if (ret == 0) {
		rte_umr_lookup_remove(mr->dev_id, mr->addr, mr);
		rte_umr_pd_unref(mr->pd);
		__atomic_store_n(&dev->nb_mrs, dev->nb_mrs - 1, __ATOMIC_RELAXED);
	}
	pthread_mutex_unlock(&dev->mr_lock);
	if (ret == 0)
		rte_umr_object_free(mr);
	return ret;
}

int
rte_umr_mr_deregister(struct rte_umr_mr *mr)
{
	const uintptr_t id = (uintptr_t)mr;
	int ret = mr_deregister(mr);

	rte_umr_trace_mr_deregister(id, ret);
	return ret;
}
