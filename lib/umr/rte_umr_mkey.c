/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Pools of memory keys. The keys of a pool are in an array of blocks (see rte_umr_pmd.h) and do not
 * move; a list has pointers to the free ones.
 */

#include <assert.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <rte_malloc.h>

#include "rte_umr_free_list.h"
#include "rte_umr_private.h"
#include "rte_umr_trace.h"

/* A key is 24 bits of index and a tag in the low byte. */
#define KEY_TAG_MASK 0xffu
/* Addresses of keys are multiples of their size. */
#define SLOT_SHIFT 4
/* Maximum number of keys in a log line. */
#define NB_LOGGED 8u
/* Keys with attributes that a configuration keeps, which must not pass to another owner. */
#define POOL_F_KEPT                                                                                \
	(RTE_UMR_MKEY_POOL_F_SIG | RTE_UMR_MKEY_POOL_F_CRYPTO | RTE_UMR_MKEY_POOL_F_UPDATE)

static_assert(sizeof(struct rte_umr_mkey) == 16, "four keys in a cache line of 64 bytes");
static_assert(offsetof(struct rte_umr_mkey_block, mkeys) ==
		      RTE_UMR_MKEY_BLOCK_HEAD * sizeof(struct rte_umr_mkey) &&
	      sizeof(struct rte_umr_mkey_block) == RTE_UMR_MKEY_BLOCK_SIZE,
	      "the address of a key determines its slot");
static_assert(sizeof(struct rte_umr_mkey) == 1 << SLOT_SHIFT, "slots are found by a shift");
static_assert(offsetof(struct rte_umr_mkey, is_out) >=
	      offsetof(struct rte_umr_mkey_block, reserved),
	      "the head of a block looks like a key that is in the pool");

struct rte_umr_mkey_pool {
	TAILQ_ENTRY(rte_umr_mkey_pool) next;
	struct rte_umr_free_list free_list;
	struct rte_umr_mkey_block *blocks;
	uint64_t nb_slots; /* up to the last key, including heads of blocks */
	uint8_t *privs; /* of all blocks; NULL if the driver has none */
	struct rte_umr_dev *dev;
	struct rte_umr_mkey_pool_conf conf;
	uint32_t nb_mkeys;
	uint32_t nb_created; /* keys created in the device */
	uint32_t nb_unreturned; /* keys in use when destroying was attempted */
	uint64_t nb_empty; /* gets that found too few keys: __atomic */
};

/* Capability that each flag requires. */
static const struct {
	uint32_t flag;
	uint64_t capa;
	const char *name;
} flag_capas[] = {
	{ RTE_UMR_MKEY_POOL_F_SIG, RTE_UMR_CAPA_MKEY_SIG, "signature" },
	{ RTE_UMR_MKEY_POOL_F_CRYPTO, RTE_UMR_CAPA_MKEY_CRYPTO, "encryption" },
	{ RTE_UMR_MKEY_POOL_F_FIXED_SIZE, RTE_UMR_CAPA_MKEY_FIXED, "fixed-size entries" },
	{ RTE_UMR_MKEY_POOL_F_REMOTE_INVALIDATE, RTE_UMR_CAPA_SEND_INV,
	  "remote invalidation" },
	{ RTE_UMR_MKEY_POOL_F_UPDATE, RTE_UMR_CAPA_MKEY_UPDATE, "partial update" },
	{ RTE_UMR_MKEY_POOL_F_BASE, RTE_UMR_CAPA_MKEY_BASE, "a base address" },
};

/** The signature errors of all keys must fit the completion ring of each queue. */
static int
pool_sig_check(struct rte_umr_dev *dev, const struct rte_umr_dev_info *info,
	       const struct rte_umr_mkey_pool_conf *conf)
{
	uint32_t nb = dev->nb_sig_mkeys + conf->nb_mkeys;
	uint16_t i;

	if (conf->nb_mkeys > info->max_sig_mkeys - dev->nb_sig_mkeys) {
		UMR_DEV_LOG(ERR, dev->dev_id, "nb_mkeys with signatures is %u, %u of %u are left",
			    conf->nb_mkeys, info->max_sig_mkeys - dev->nb_sig_mkeys,
			    info->max_sig_mkeys);
		return -ERANGE;
	}
	for (i = 0; i < dev->nb_queues; i++) {
		if (dev->queues[i] == NULL || dev->queue_confs[i].nb_sig_mkeys >= nb)
			continue;
		UMR_DEV_LOG(ERR, dev->dev_id, "%u keys with signatures, queue %u was set up for %u",
			    nb, i, dev->queue_confs[i].nb_sig_mkeys);
		return -ENOSPC;
	}
	return 0;
}

static int
pool_flags_check(int16_t dev_id, const struct rte_umr_mkey_pool_conf *conf,
		 const struct rte_umr_dev_info *info)
{
	bool is_fixed = (conf->flags & RTE_UMR_MKEY_POOL_F_FIXED_SIZE) != 0;
	unsigned int i;

	if ((conf->flags & ~RTE_UMR_MKEY_POOL_F_ALL) != 0) {
		UMR_DEV_LOG(ERR, dev_id, "flags of key pool 0x%x have bits beyond 0x%x",
			    conf->flags, RTE_UMR_MKEY_POOL_F_ALL);
		return -EINVAL;
	}
	for (i = 0; i < RTE_DIM(flag_capas); i++) {
		if ((conf->flags & flag_capas[i].flag) == 0 ||
		    (info->dev_capa & flag_capas[i].capa) != 0)
			continue;
		UMR_DEV_LOG(ERR, dev_id, "flags is 0x%x, the device has no keys with %s",
			    conf->flags, flag_capas[i].name);
		return -ENOTSUP;
	}
	if ((conf->flags & RTE_UMR_MKEY_POOL_F_RELAXED_ORDERING) != 0 &&
	    (info->access_capa & RTE_UMR_ACCESS_RELAXED_ORDERING) == 0) {
		UMR_DEV_LOG(ERR, dev_id,
			    "flags is 0x%x, the device has no keys with relaxed "
			    "ordering",
			    conf->flags);
		return -ENOTSUP;
	}
	if (is_fixed && (conf->log_entry_size < info->min_log_entry_size ||
			 conf->log_entry_size > info->max_log_entry_size)) {
		UMR_DEV_LOG(ERR, dev_id, "log_entry_size is %u, from %u to %u",
			    conf->log_entry_size, info->min_log_entry_size,
			    info->max_log_entry_size);
		return -ERANGE;
	}
	if (!is_fixed && conf->log_entry_size != 0) {
		UMR_DEV_LOG(ERR, dev_id, "log_entry_size is %u without F_FIXED_SIZE",
			    conf->log_entry_size);
		return -EINVAL;
	}
	return 0;
}

static int
pool_conf_check(struct rte_umr_dev *dev, const struct rte_umr_mkey_pool_conf *conf)
{
	struct rte_umr_dev_info info;
	int ret;

	if (dev == NULL)
		return rte_umr_no_dev("key pool");
	if (conf == NULL || conf->nb_mkeys == 0 || conf->max_entries == 0 ||
	    (conf->reserved | conf->reserved2) != 0 || !UMR_IS_ZERO(conf->reserved3)) {
		UMR_DEV_LOG(ERR, dev->dev_id,
			    "conf is NULL, nb_mkeys or max_entries is 0, or a reserved field "
			    "is not 0");
		return -EINVAL;
	}
	if (!rte_umr_pd_is_of(conf->pd, dev->dev_id))
		return -EINVAL;
	/* A cache grows to 1.5 times its size. */
	if (conf->cache_size > RTE_UMR_KEY_CACHE_MAX ||
	    conf->cache_size > (uint64_t)conf->nb_mkeys * 2 / 3) {
		UMR_DEV_LOG(ERR, dev->dev_id, "cache_size is %u, at most %u and 2/3 of %u keys",
			    conf->cache_size, RTE_UMR_KEY_CACHE_MAX, conf->nb_mkeys);
		return -EINVAL;
	}
	rte_umr_dev_limits_get(dev, &info);
	if (conf->nb_mkeys > info.max_mkeys - dev->nb_mkeys) {
		UMR_DEV_LOG(ERR, dev->dev_id, "nb_mkeys is %u, %u of %u are left", conf->nb_mkeys,
			    info.max_mkeys - dev->nb_mkeys, info.max_mkeys);
		return -ERANGE;
	}
	if (conf->max_entries > info.max_entries) {
		UMR_DEV_LOG(ERR, dev->dev_id, "max_entries is %u, at most %u", conf->max_entries,
			    info.max_entries);
		return -ERANGE;
	}
	ret = pool_flags_check(dev->dev_id, conf, &info);
	if (ret == 0 && (conf->flags & RTE_UMR_MKEY_POOL_F_SIG) != 0)
		ret = pool_sig_check(dev, &info, conf);
	return ret;
}

/** Key of a pool by its index. */
static struct rte_umr_mkey *
pool_mkey(const struct rte_umr_mkey_pool *pool, uint32_t i)
{
	return &pool->blocks[i / RTE_UMR_MKEY_BLOCK_NB].mkeys[i % RTE_UMR_MKEY_BLOCK_NB];
}

/** Allocate memory for the keys and their list. */
static int
pool_alloc(struct rte_umr_mkey_pool *pool)
{
	const struct rte_umr_mkey_pool_conf *conf = &pool->conf;
	const size_t nb_blocks = (conf->nb_mkeys - 1) / RTE_UMR_MKEY_BLOCK_NB + 1;
	const struct rte_umr_dev_ops *ops = pool->dev->ops;
	const uint32_t priv_size = ops->mkey_priv_size != NULL ? ops->mkey_priv_size(conf->flags) :
								 0;
	const size_t block_privs = (size_t)priv_size * RTE_UMR_MKEY_BLOCK_SLOTS;
	size_t i;

	pool->nb_slots = conf->nb_mkeys + nb_blocks * RTE_UMR_MKEY_BLOCK_HEAD;
	/* In one piece: separate blocks with this alignment would be 8 KiB apart. */
	pool->blocks = rte_zmalloc_socket("umr_mkeys", nb_blocks * sizeof(pool->blocks[0]),
					  sizeof(pool->blocks[0]), conf->socket_id);
	if (pool->blocks == NULL)
		return -ENOMEM;
	if (priv_size != 0) {
		pool->privs = rte_zmalloc_socket("umr_mkey_privs", nb_blocks * block_privs,
						 RTE_CACHE_LINE_SIZE, conf->socket_id);
		if (pool->privs == NULL)
			goto free_blocks;
		for (i = 0; i < nb_blocks; i++) {
			pool->blocks[i].privs = pool->privs + i * block_privs;
			pool->blocks[i].priv_size = priv_size;
		}
	}
	if (rte_umr_free_list_init(&pool->free_list, conf->nb_mkeys, conf->cache_size,
				   conf->socket_id) != 0)
		goto free_privs;
	return 0;

free_privs:
	rte_free(pool->privs);
free_blocks:
	rte_free(pool->blocks);
	return -ENOMEM;
}

/** Destroy the keys of the device and free the pool. */
static int
pool_free(struct rte_umr_mkey_pool *pool)
{
	int error = 0, ret;
	uint32_t i;

	for (i = 0; i < pool->nb_created; i++) {
		ret = rte_umr_given_back(pool->dev, pool->dev->ops->mkey_destroy(
							    pool->dev, pool_mkey(pool, i)));
		if (ret != 0)
			error = ret;
	}
	rte_umr_free_list_fini(&pool->free_list);
	rte_free(pool->privs);
	rte_free(pool->blocks);
	rte_umr_object_free(pool);
	return error;
}

/**
 * Keys enter and leave the list in memory order: the cache of an lcore then contains neighbors, in
 * whole cache lines.
 */
static int
mkeys_create(struct rte_umr_mkey_pool *pool)
{
	const struct rte_umr_mkey_pool_conf *conf = &pool->conf;
	struct rte_umr_mkey *mkey;
	int ret;

	while (pool->nb_created < conf->nb_mkeys) {
		mkey = pool_mkey(pool, pool->nb_created);
		*mkey = (struct rte_umr_mkey){
			.max_entries = conf->max_entries,
			.dev_id = pool->dev->dev_id,
			.flags = (uint16_t)conf->flags,
			.log_entry_size = conf->log_entry_size,
		};
		ret = rte_umr_counted(pool->dev,
				      pool->dev->ops->mkey_create(pool->dev, conf->pd, mkey));
		if (ret != 0)
			return ret;
		pool->nb_created++;
		rte_umr_free_list_add(&pool->free_list, mkey);
	}
	return 0;
}

/** Returns 0 or a negative errno; the pool is freed on error. */
static int
pool_fill(struct rte_umr_mkey_pool *pool)
{
	int ret;

	ret = pool_alloc(pool);
	if (ret != 0) {
		UMR_DEV_LOG(ERR, pool->dev->dev_id, "no memory for %u keys", pool->conf.nb_mkeys);
		rte_umr_object_free(pool);
		return ret;
	}
	ret = mkeys_create(pool);
	if (ret != 0) {
		UMR_DEV_LOG(ERR, pool->dev->dev_id,
			    "created %u keys of %u entries, %u were asked for", pool->nb_created,
			    pool->conf.max_entries, pool->conf.nb_mkeys);
		pool_free(pool);
	}
	return ret;
}

static struct rte_umr_mkey_pool *
pool_create(int16_t dev_id, const struct rte_umr_mkey_pool_conf *conf)
{
	struct rte_umr_dev *dev = rte_umr_dev_get(dev_id);
	struct rte_umr_mkey_pool *pool;
	int ret;

	ret = pool_conf_check(dev, conf);
	if (ret != 0)
		goto fail;
	ret = -ENOMEM;
	pool = rte_umr_object_alloc(UMR_OBJECT_POOL, sizeof(*pool));
	if (pool == NULL)
		goto fail;
	pool->dev = dev;
	pool->conf = *conf;
	pool->nb_mkeys = conf->nb_mkeys;
	ret = pool_fill(pool);
	if (ret != 0)
		goto fail;
	rte_umr_pd_ref(pool->conf.pd);
	rte_umr_objs_lock();
	TAILQ_INSERT_TAIL(&dev->pools, pool, next);
	dev->nb_pools++;
	dev->nb_mkeys += pool->nb_mkeys;
	rte_umr_objs_unlock();
	if ((pool->conf.flags & RTE_UMR_MKEY_POOL_F_SIG) != 0)
		dev->nb_sig_mkeys += pool->nb_mkeys;
	return pool;

fail:
	rte_errno = -ret;
	return NULL;
}

struct rte_umr_mkey_pool *
rte_umr_mkey_pool_create(int16_t dev_id, const struct rte_umr_mkey_pool_conf *conf)
{
	struct rte_umr_mkey_pool *pool = pool_create(dev_id, conf);

	if (conf != NULL)
		rte_umr_trace_mkey_pool_create(dev_id, conf, pool, pool != NULL ? 0 : -rte_errno);
	return pool;
}

uint32_t
rte_umr_mkey_pool_avail(const struct rte_umr_mkey_pool *pool)
{
	return rte_umr_free_list_count(&pool->free_list);
}

/** Number of keys marked as in use. */
static uint32_t
pool_count_out(const struct rte_umr_mkey_pool *pool)
{
	uint32_t i, nb = 0;

	for (i = 0; i < pool->nb_mkeys; i++)
		nb += pool_mkey(pool, i)->is_out;
	return nb;
}

/** Log in one line how many keys were not put back, and the first few of them. */
static void
pool_log_out(const struct rte_umr_mkey_pool *pool, uint32_t nb)
{
	char text[NB_LOGGED * sizeof(" 0x01234567,")] = "";
	const struct rte_umr_mkey *mkey;
	uint32_t i, nb_logged = 0;
	size_t len = 0;

	for (i = 0; i < pool->nb_mkeys && nb_logged < NB_LOGGED; i++) {
		mkey = pool_mkey(pool, i);
		if (!mkey->is_out)
			continue;
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s 0x%08x",
					nb_logged == 0 ? "" : ",", mkey->key);
		nb_logged++;
	}
	UMR_DEV_LOG(ERR, pool->dev->dev_id, "%u of %u keys are not back in their pool:%s%s", nb,
		    pool->nb_mkeys, text, nb > nb_logged ? ", ..." : "");
}

void
rte_umr_mkey_pools_log(const struct rte_umr_dev *dev)
{
	const struct rte_umr_mkey_pool *pool;
	uint32_t nb;

	TAILQ_FOREACH(pool, &dev->pools, next) {
		nb = pool_count_out(pool);
		if (nb != 0)
			pool_log_out(pool, nb);
	}
}

bool
rte_umr_mkey_pool_state(const struct rte_umr_dev *dev, uint32_t i,
			struct rte_umr_mkey_pool_state *state)
{
	const struct rte_umr_mkey_pool *pool;

	TAILQ_FOREACH(pool, &dev->pools, next)
		if (i-- == 0)
			break;
	if (pool == NULL)
		return false;
	*state = (struct rte_umr_mkey_pool_state){
		.nb_mkeys = pool->nb_mkeys,
		.max_entries = pool->conf.max_entries,
		.flags = pool->conf.flags,
		.nb_in_use = pool->nb_mkeys - rte_umr_free_list_count(&pool->free_list),
		.nb_unreturned = __atomic_load_n(&pool->nb_unreturned, __ATOMIC_RELAXED),
		.nb_empty = __atomic_load_n(&pool->nb_empty, __ATOMIC_RELAXED),
	};
	return true;
}

void
rte_umr_mkey_pools_stats_reset(struct rte_umr_dev *dev)
{
	struct rte_umr_mkey_pool *pool;

	TAILQ_FOREACH(pool, &dev->pools, next)
		__atomic_store_n(&pool->nb_empty, 0, __ATOMIC_RELAXED);
}

static int
pool_destroy(struct rte_umr_mkey_pool *pool)
{
	struct rte_umr_dev *dev;
	uint32_t nb;
	int ret;

	if (pool == NULL)
		return 0;
	if (rte_umr_is_secondary("key pool"))
		return -EPERM;
	ret = rte_umr_object_check(UMR_OBJECT_POOL, pool);
	if (ret != 0)
		return ret;
	dev = pool->dev;
	nb = pool_count_out(pool);
	__atomic_store_n(&pool->nb_unreturned, nb, __ATOMIC_RELAXED);
	if (nb != 0) {
		pool_log_out(pool, nb);
		return -EBUSY;
	}
	rte_umr_objs_lock();
	TAILQ_REMOVE(&dev->pools, pool, next);
	dev->nb_pools--;
	dev->nb_mkeys -= pool->nb_mkeys;
	rte_umr_objs_unlock();
	rte_umr_pd_unref(pool->conf.pd);
	if ((pool->conf.flags & RTE_UMR_MKEY_POOL_F_SIG) != 0)
		dev->nb_sig_mkeys -= pool->nb_mkeys;
	return pool_free(pool);
}

int
rte_umr_mkey_pool_destroy(struct rte_umr_mkey_pool *pool)
{
	const uintptr_t id = (uintptr_t)pool;
	int ret = pool_destroy(pool);

	rte_umr_trace_mkey_pool_destroy(id, ret);
	return ret;
}

int
rte_umr_mkey_get_bulk(struct rte_umr_mkey_pool *pool, struct rte_umr_mkey **mkeys, uint32_t nb)
{
	uint32_t key;
	uint32_t i;

	if (!rte_umr_free_list_get_bulk(&pool->free_list, mkeys, nb)) {
		__atomic_fetch_add(&pool->nb_empty, 1, __ATOMIC_RELAXED);
		return -ENOBUFS;
	}
	for (i = 0; i < nb; i++) {
		key = mkeys[i]->key;
		/* Atomic: rte_umr_mkey_find() may read it; the index does not change. */
		__atomic_store_n(&mkeys[i]->key,
				 (key & ~KEY_TAG_MASK) | ((key + 1) & KEY_TAG_MASK),
				 __ATOMIC_RELAXED);
		mkeys[i]->is_out = true;
		mkeys[i]->is_laid = false;
		mkeys[i]->is_unknown = false;
	}
	if ((pool->conf.flags & POOL_F_KEPT) != 0)
		for (i = 0; i < nb; i++)
			pool->dev->ops->mkey_recycle(pool->dev, mkeys[i]);
	return 0;
}

/**
 * Slot of a key, by arithmetic only: any pointer is accepted; one that is outside of the pool or
 * between two slots results in a number that no pool has.
 */
static inline uint64_t
key_slot(uintptr_t blocks, const struct rte_umr_mkey *mkey)
{
	const uint64_t offset = (uintptr_t)mkey - blocks;

	return offset >> SLOT_SHIFT | offset << (64 - SLOT_SHIFT);
}

/** Whether a slot is that of a key of the pool. */
static bool
is_key_slot(const struct rte_umr_mkey_pool *pool, uint64_t slot)
{
	return slot < pool->nb_slots &&
	       slot % RTE_UMR_MKEY_BLOCK_SLOTS >= RTE_UMR_MKEY_BLOCK_HEAD;
}

/** Key i cannot be put: log the reason, and mark the keys before it as in use again. */
static __rte_cold __rte_noinline int
put_reject(const struct rte_umr_mkey_pool *pool, struct rte_umr_mkey *const *mkeys, uint32_t nb,
	   uint32_t i)
{
	const uint64_t slot = key_slot((uintptr_t)pool->blocks, mkeys[i]);

	if (!is_key_slot(pool, slot))
		UMR_DEV_LOG(ERR, pool->dev->dev_id,
			    "put of key %u of %u: %p is not one of the %u keys of this "
			    "pool",
			    i + 1, nb, mkeys[i], pool->nb_mkeys);
	else
		UMR_DEV_LOG(ERR, pool->dev->dev_id,
			    "put of key %u of %u: 0x%x is in its pool already", i + 1, nb,
			    mkeys[i]->key);
	while (i-- > 0)
		mkeys[i]->is_out = true;
	return -EINVAL;
}

int
rte_umr_mkey_put_bulk(struct rte_umr_mkey_pool *pool, struct rte_umr_mkey *const *mkeys,
		      uint32_t nb)
{
	const uintptr_t blocks = (uintptr_t)pool->blocks;
	const uint64_t nb_slots = pool->nb_slots;
	uint32_t i;

	for (i = 0; i < nb; i++) {
		if (unlikely(key_slot(blocks, mkeys[i]) >= nb_slots || !mkeys[i]->is_out))
			return put_reject(pool, mkeys, nb, i);
		mkeys[i]->is_out = false;
	}
	rte_umr_free_list_put_bulk(&pool->free_list, mkeys, nb);
	return 0;
}

static int
mkey_query(const struct rte_umr_mkey *mkey, struct rte_umr_mkey_attr *attr)
{
	struct rte_umr_mkey_attr now = { 0 };
	struct rte_umr_dev *dev;
	int ret;

	if (mkey == NULL || attr == NULL)
		return -EINVAL;
	dev = rte_umr_dev_get(mkey->dev_id);
	if (dev == NULL)
		return -ENODEV;
	if (dev->ops->mkey_query == NULL)
		return -ENOTSUP;
	ret = rte_umr_counted(dev, dev->ops->mkey_query(dev, mkey, &now));
	if (ret == 0)
		*attr = now;
	return ret;
}

int
rte_umr_mkey_query(const struct rte_umr_mkey *mkey, struct rte_umr_mkey_attr *attr)
{
	int ret;

	/* The trace point must not read the object. */
	if (rte_umr_is_secondary("key query"))
		return -EPERM;
	ret = mkey_query(mkey, attr);
	rte_umr_trace_mkey_query(mkey != NULL ? mkey->key : 0, ret);
	return ret;
}

const struct rte_umr_mkey *
rte_umr_mkey_find(struct rte_umr_dev *dev, uint32_t key)
{
	const struct rte_umr_mkey_pool *pool;
	const struct rte_umr_mkey *mkey;
	uint32_t i, other;

	TAILQ_FOREACH(pool, &dev->pools, next) {
		for (i = 0; i < pool->nb_mkeys; i++) {
			mkey = pool_mkey(pool, i);
			other = __atomic_load_n(&mkey->key, __ATOMIC_RELAXED);
			if ((other & ~KEY_TAG_MASK) == (key & ~KEY_TAG_MASK))
				return mkey;
		}
	}
	return NULL;
}

/** Pool that contains a key, or NULL. The lock is held. */
static const struct rte_umr_mkey_pool *
pool_at(const struct rte_umr_mkey *mkey)
{
	const struct rte_umr_mkey_pool *pool;
	uint64_t slot;
	int16_t id;

	RTE_UMR_FOREACH_DEV(id) {
		TAILQ_FOREACH(pool, &rte_umr_dev_get(id)->pools, next) {
			slot = key_slot((uintptr_t)pool->blocks, mkey);
			if (is_key_slot(pool, slot))
				return pool;
		}
	}
	return NULL;
}

const char *
rte_umr_mkey_fault(const struct rte_umr_mkey *mkey)
{
	const char *fault = NULL;

	rte_umr_objs_read_lock();
	if (pool_at(mkey) == NULL)
		fault = "is of no pool: a copy, or of a pool that is gone";
	else if (!mkey->is_out)
		fault = "is in its pool";
	rte_umr_objs_unlock();
	return fault;
}
