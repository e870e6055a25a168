/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Memory regions, through verbs: the kernel pins their pages or brings them in. */

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ring/key_table.h"
#include "ring/log.h"
#include "ctrl/mr.h"

/* Ranges of one call; the ABI limits them to 64 KiB. */
#define MLX5_UMR_ADVISE_SEGS 256u

/* Access bits for which the kernel pins memory writable (Linux, ib_access_writable()). */
#define MLX5_UMR_ACCESS_WRITES                                                                     \
	(RTE_UMR_ACCESS_LOCAL_WRITE | RTE_UMR_ACCESS_REMOTE_WRITE |                                \
	 RTE_UMR_ACCESS_REMOTE_ATOMIC | RTE_UMR_ACCESS_MW_BIND)

static_assert(sizeof(struct rte_umr_seg) == sizeof(struct ibv_sge) &&
		      offsetof(struct rte_umr_seg, lkey) == offsetof(struct ibv_sge, lkey),
	      "ranges of an advice are passed on as they are");

/* driver_private of struct rte_umr_mr */
struct mlx5_umr_mr {
	struct ibv_mr *ibv_mr;
	bool is_pinned_writable; /* or on demand and writable */
};

static int
access_to_ibv(uint32_t access, uint32_t flags)
{
	static const struct {
		uint32_t umr;
		int ibv;
	} bits[] = {
		{ RTE_UMR_ACCESS_LOCAL_WRITE, IBV_ACCESS_LOCAL_WRITE },
		{ RTE_UMR_ACCESS_REMOTE_READ, IBV_ACCESS_REMOTE_READ },
		{ RTE_UMR_ACCESS_REMOTE_WRITE, IBV_ACCESS_REMOTE_WRITE },
		{ RTE_UMR_ACCESS_REMOTE_ATOMIC, IBV_ACCESS_REMOTE_ATOMIC },
		{ RTE_UMR_ACCESS_RELAXED_ORDERING, IBV_ACCESS_RELAXED_ORDERING },
		{ RTE_UMR_ACCESS_MW_BIND, IBV_ACCESS_MW_BIND },
	};
	int ibv = 0;
	size_t i;

	for (i = 0; i < RTE_DIM(bits); i++)
		if ((access & bits[i].umr) != 0)
			ibv |= bits[i].ibv;
	if ((flags & RTE_UMR_MR_F_ON_DEMAND) != 0)
		ibv |= IBV_ACCESS_ON_DEMAND;
	if ((flags & RTE_UMR_MR_F_HUGE) != 0)
		ibv |= IBV_ACCESS_HUGETLB;
	return ibv;
}

/**
 * Make the region available to receives by its key, except memory of another device, which they
 * cannot write.
 */
static int
key_set(const struct rte_umr_dev *umr_dev, const struct rte_umr_mr *mr, uint32_t lkey)
{
	const bool is_opaque = (mr->flags & RTE_UMR_MR_F_DMABUF) != 0;
	const struct mlx5_umr_device *dev = umr_dev->dev_private;
	int ret = mlx5_umr_key_table_set(dev->keys, lkey, is_opaque ? MLX5_UMR_KEY_OPAQUE : mr);

	if (ret != 0)
		MLX5_UMR_DEV_LOG(ERR, umr_dev->name, "no memory for region %p in the table of keys",
				 mr->addr);
	return ret;
}

/**
 * Create a verbs region from mr; conf is only used for a dma-buf, which is never created again.
 * @return 0 or a negative errno (logged).
 */
static int
ibv_mr_create(struct rte_umr_dev *umr_dev, const struct rte_umr_mr *mr,
	      const struct rte_umr_mr_conf *conf, struct ibv_mr **ibv_mr)
{
	struct ibv_pd *pd = mlx5_umr_pd_ibv(umr_dev->dev_private, mr->pd);
	/* A variable, because ibv_reg_mr_iova() is a macro that treats constants differently. */
	int access = access_to_ibv(mr->access, mr->flags), error;
	char why[MLX5_UMR_PIN_ERROR_SIZE];

	errno = 0;
	if (conf != NULL && (conf->flags & RTE_UMR_MR_F_DMABUF) != 0)
		*ibv_mr = ibv_reg_dmabuf_mr(pd, conf->dmabuf_offset, mr->len, mr->iova,
					    conf->dmabuf_fd, access);
	else
		*ibv_mr = ibv_reg_mr_iova(pd, mr->addr, mr->len, mr->iova, (unsigned int)access);
	if (*ibv_mr != NULL)
		return 0;
	error = errno != 0 ? errno : EIO;
	MLX5_UMR_DEV_LOG(ERR, umr_dev->name, "cannot register %zu bytes at %p, flags 0x%x: %s",
			 mr->len, mr->addr, mr->flags, mlx5_umr_pin_error(error, why));
	return -error;
}

int
mlx5_umr_mr_register(struct rte_umr_dev *umr_dev, struct rte_umr_mr *mr,
		     const struct rte_umr_mr_conf *conf)
{
	struct mlx5_umr_mr *mine = calloc(1, sizeof(*mine));
	int ret;

	if (mine == NULL)
		return -ENOMEM;
	ret = ibv_mr_create(umr_dev, mr, conf, &mine->ibv_mr);
	if (ret != 0)
		goto free_mine;
	ret = key_set(umr_dev, mr, mine->ibv_mr->lkey);
	if (ret != 0)
		goto deregister;
	mine->is_pinned_writable = (mr->access & MLX5_UMR_ACCESS_WRITES) != 0;
	mr->lkey = mine->ibv_mr->lkey;
	mr->rkey = mine->ibv_mr->rkey;
	mr->driver_private = mine;
	return 0;

deregister:
	ibv_dereg_mr(mine->ibv_mr);
free_mine:
	free(mine);
	return ret;
}

int
mlx5_umr_mr_deregister(struct rte_umr_dev *umr_dev, struct rte_umr_mr *mr)
{
	struct mlx5_umr_mr *mine = mr->driver_private;
	const struct mlx5_umr_device *dev = umr_dev->dev_private;
	int ret = ibv_dereg_mr(mine->ibv_mr);

	if (ret != 0) {
		if (!mlx5_umr_is_lost(dev))
			MLX5_UMR_DEV_LOG(ERR, umr_dev->name,
					 "cannot deregister %zu bytes at %p: %s", mr->len, mr->addr,
					 strerror(ret));
		ret = ret > 0 ? -ret : -EIO;
	}
	/* lib/umr does not retry this for a lost device. */
	if (ret != 0 && !mlx5_umr_is_lost(dev))
		return ret;
	if (!mr->is_lost)
		mlx5_umr_key_table_clear(dev->keys, mr->lkey);
	free(mine);
	return ret;
}

/*
 * Reject changes that Linux would reject after libibverbs has released the region:
 * ib_umem_check_rereg(), and mlx5_ib_rereg_user_mr() where a UMR cannot make the change and
 * on-demand pages have no list to reuse.
 */
static int
reregister_check(const struct rte_umr_dev *umr_dev, const struct rte_umr_mr *mr, uint32_t changes,
		 const struct rte_umr_mr *new_mr)
{
	const struct mlx5_umr_mr *mine = mr->driver_private;
	const uint32_t diff = mr->access ^ new_mr->access;

	if ((changes & RTE_UMR_MR_CHANGE_TRANSLATION) != 0)
		return 0;
	if ((new_mr->access & MLX5_UMR_ACCESS_WRITES) != 0 && !mine->is_pinned_writable) {
		MLX5_UMR_DEV_LOG(ERR, umr_dev->name,
				 "region %p: access 0x%x: the memory was registered to be read",
				 mr->addr, new_mr->access);
		return -EACCES;
	}
	if ((mr->flags & RTE_UMR_MR_F_ON_DEMAND) != 0 && (diff & ~RTE_UMR_ACCESS_ALL) != 0) {
		MLX5_UMR_DEV_LOG(ERR, umr_dev->name,
				 "region %p on demand: access 0x%x cannot become 0x%x", mr->addr,
				 mr->access, new_mr->access);
		return -ENOTSUP;
	}
	return 0;
}

/** Changes in the format of libibverbs; it requires 0 for access that does not change. */
static int
ibv_mr_change(struct rte_umr_dev *umr_dev, struct mlx5_umr_mr *mine, uint32_t changes,
	      const struct rte_umr_mr *new_mr)
{
	struct ibv_pd *pd = NULL;
	int flags = 0, access = 0;

	if ((changes & RTE_UMR_MR_CHANGE_TRANSLATION) != 0)
		flags |= IBV_REREG_MR_CHANGE_TRANSLATION;
	if ((changes & RTE_UMR_MR_CHANGE_PD) != 0) {
		flags |= IBV_REREG_MR_CHANGE_PD;
		pd = mlx5_umr_pd_ibv(umr_dev->dev_private, new_mr->pd);
	}
	if ((changes & RTE_UMR_MR_CHANGE_ACCESS) != 0) {
		flags |= IBV_REREG_MR_CHANGE_ACCESS;
		access = access_to_ibv(new_mr->access, new_mr->flags);
	}
	errno = 0;
	return ibv_rereg_mr(mine->ibv_mr, flags, pd, new_mr->addr, new_mr->len, access);
}

/** Change a verbs region. @return 0 or a negative errno (logged), with mr->is_lost set. */
static int
change_in_place(struct rte_umr_dev *umr_dev, struct rte_umr_mr *mr, uint32_t changes,
		const struct rte_umr_mr *new_mr)
{
	int ret = ibv_mr_change(umr_dev, mr->driver_private, changes, new_mr), error = errno;
	char why[MLX5_UMR_PIN_ERROR_SIZE];

	if (ret == IBV_REREG_MR_ERR_DO_FORK_OLD) {
		MLX5_UMR_DEV_LOG(WARNING, umr_dev->name,
				 "%zu bytes at %p stay out of children of fork()", mr->len,
				 mr->addr);
		ret = 0;
	}
	if (ret == 0)
		return 0;
	error = error != 0 ? error : EIO;
	/* ibv_rereg_mr(3): with these two errors the old region is still valid. */
	mr->is_lost = ret != IBV_REREG_MR_ERR_INPUT && ret != IBV_REREG_MR_ERR_DONT_FORK_NEW;
	MLX5_UMR_DEV_LOG(ERR, umr_dev->name, "cannot re-register %zu bytes at %p as %zu bytes at "
			 "%p, changes 0x%x: %s (%d)%s", mr->len, mr->addr, new_mr->len,
			 new_mr->addr, changes, mlx5_umr_pin_error(error, why), ret,
			 mr->is_lost ? "; the region is lost" : "");
	return -error;
}

/**
 * Create a new region, then deregister the old one. On-demand pages have no list that could be
 * replaced, so Linux does the same. ibv_rereg_mr() would treat them as pinned: it excludes the new
 * ones from children of fork() if needed, which fails for unmapped memory, and undoes this for old
 * ones that were never excluded.
 */
static int
replace(struct rte_umr_dev *umr_dev, struct rte_umr_mr *mr, const struct rte_umr_mr *new_mr)
{
	struct mlx5_umr_mr *mine = mr->driver_private;
	struct ibv_mr *ibv_mr;
	int ret;

	ret = ibv_mr_create(umr_dev, new_mr, NULL, &ibv_mr);
	if (ret != 0)
		return ret;
	ret = ibv_dereg_mr(mine->ibv_mr);
	if (ret != 0) {
		MLX5_UMR_DEV_LOG(ERR, umr_dev->name, "cannot replace %zu bytes at %p: %s",
				 mr->len, mr->addr, strerror(ret));
		ibv_dereg_mr(ibv_mr);
		return ret > 0 ? -ret : -EIO;
	}
	mine->ibv_mr = ibv_mr;
	return 0;
}

int
mlx5_umr_mr_reregister(struct rte_umr_dev *umr_dev, struct rte_umr_mr *mr, uint32_t changes,
		       struct rte_umr_mr *new_mr)
{
	const bool is_new_memory = (changes & RTE_UMR_MR_CHANGE_TRANSLATION) != 0;
	const struct mlx5_umr_device *dev = umr_dev->dev_private;
	struct mlx5_umr_mr *mine = mr->driver_private;
	int ret;

	ret = reregister_check(umr_dev, mr, changes, new_mr);
	if (ret != 0)
		return ret;
	if (is_new_memory && (mr->flags & RTE_UMR_MR_F_ON_DEMAND) != 0)
		ret = replace(umr_dev, mr, new_mr);
	else
		ret = change_in_place(umr_dev, mr, changes, new_mr);
	/*
	 * The memory of a lost region may be freed at any time: inline receives must not find it.
	 */
	if (ret == 0 || mr->is_lost)
		mlx5_umr_key_table_clear(dev->keys, mr->lkey);
	if (ret != 0)
		return ret;
	if (is_new_memory)
		mine->is_pinned_writable = (new_mr->access & MLX5_UMR_ACCESS_WRITES) != 0;
	new_mr->lkey = mine->ibv_mr->lkey;
	new_mr->rkey = mine->ibv_mr->rkey;
	/* If this is out of memory (logged), inline receives do not find the region. */
	key_set(umr_dev, mr, new_mr->lkey);
	return 0;
}

static enum ibv_advise_mr_advice
advice_to_ibv(enum rte_umr_mr_advice advice)
{
	switch (advice) {
	case RTE_UMR_MR_ADVICE_PREFETCH_WRITE:
		return IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE;
	case RTE_UMR_MR_ADVICE_PREFETCH_NO_FAULT:
		return IBV_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT;
	default:
		return IBV_ADVISE_MR_ADVICE_PREFETCH;
	}
}

int
mlx5_umr_mr_advise(struct rte_umr_dev *umr_dev, const struct rte_umr_pd *pd,
		   enum rte_umr_mr_advice advice, const struct rte_umr_seg *segs, uint32_t nb_segs,
		   uint32_t flags)
{
	struct ibv_pd *ibv_pd = mlx5_umr_pd_ibv(umr_dev->dev_private, pd);
	const bool is_flush = (flags & RTE_UMR_MR_ADVISE_F_FLUSH) != 0;
	struct ibv_sge sges[MLX5_UMR_ADVISE_SEGS];
	uint32_t i, nb;
	int ret;

	for (i = 0; i < nb_segs; i += nb) {
		nb = RTE_MIN(nb_segs - i, MLX5_UMR_ADVISE_SEGS);
		memcpy(sges, &segs[i], nb * sizeof(*sges));
		ret = ibv_advise_mr(ibv_pd, advice_to_ibv(advice),
				    is_flush ? IBV_ADVISE_MR_FLAG_FLUSH : 0, sges, nb);
		if (ret != 0) {
			MLX5_UMR_DEV_LOG(ERR, umr_dev->name,
					 "advice %d about ranges %u to %u: %s", (int)advice, i,
					 i + nb - 1, strerror(ret));
			return ret > 0 ? -ret : -EIO;
		}
	}
	return 0;
}

uint64_t
mlx5_umr_mr_capa(const struct mlx5_umr_device *dev)
{
	uint64_t capa = RTE_UMR_CAPA_PD | RTE_UMR_CAPA_MR_REREGISTER | RTE_UMR_CAPA_MKEY_QUERY;

	if ((dev->odp_caps.general_caps & IBV_ODP_SUPPORT) != 0)
		capa |= RTE_UMR_CAPA_MR_ODP;
	if ((dev->odp_caps.general_caps & IBV_ODP_SUPPORT_IMPLICIT) != 0)
		capa |= RTE_UMR_CAPA_MR_ODP_IMPLICIT;
	if (dev->has_odp_stats)
		capa |= RTE_UMR_CAPA_MR_ODP_STATS;
	if (dev->has_dmabuf)
		capa |= RTE_UMR_CAPA_MR_DMABUF;
	return capa;
}

uint32_t
mlx5_umr_odp_capa(const struct mlx5_umr_device *dev)
{
	const uint32_t rc = dev->odp_caps.per_transport_caps.rc_odp_caps;

	return ((rc & IBV_ODP_SUPPORT_SEND) != 0 ? RTE_UMR_ODP_CAPA_SEND : 0) |
	       ((rc & IBV_ODP_SUPPORT_RECV) != 0 ? RTE_UMR_ODP_CAPA_RECV : 0) |
	       ((rc & IBV_ODP_SUPPORT_WRITE) != 0 ? RTE_UMR_ODP_CAPA_WRITE : 0) |
	       ((rc & IBV_ODP_SUPPORT_READ) != 0 ? RTE_UMR_ODP_CAPA_READ : 0) |
	       ((rc & IBV_ODP_SUPPORT_ATOMIC) != 0 ? RTE_UMR_ODP_CAPA_ATOMIC : 0);
}

uint32_t
mlx5_umr_mr_access_capa(const struct mlx5_umr_device *dev)
{
	uint32_t access = RTE_UMR_MR_ACCESS_ALL;

	if (!dev->caps.has_relaxed_ordering)
		access &= ~RTE_UMR_ACCESS_RELAXED_ORDERING;
	return access;
}

/** A kernel that supports the call reports the invalid descriptor. */
static bool
dmabuf_probe(const struct mlx5_umr_device *dev)
{
	struct ibv_mr *mr;

	errno = 0;
	mr = ibv_reg_dmabuf_mr(dev->pd, 0, 1, 0, -1, IBV_ACCESS_LOCAL_WRITE);
	if (mr == NULL)
		return errno == EBADF;
	ibv_dereg_mr(mr);
	return true;
}

int
mlx5_umr_mr_query(struct mlx5_umr_device *dev)
{
	const char *name = dev->umr_dev->name;
	struct ibv_device_attr_ex attr = { 0 };
	struct rte_umr_odp_stats stats;
	int ret;

	ret = ibv_query_device_ex(dev->ctx, NULL, &attr);
	if (ret != 0) {
		MLX5_UMR_DEV_LOG(ERR, name, "cannot query on-demand paging: %s", strerror(ret));
		return ret > 0 ? -ret : -EIO;
	}
	dev->odp_caps = attr.odp_caps;
	dev->has_dmabuf = dmabuf_probe(dev);
	dev->has_odp_stats = (attr.odp_caps.general_caps & IBV_ODP_SUPPORT) != 0 &&
			     mlx5_umr_odp_stats_read(name, &stats) == 0;
	return 0;
}
