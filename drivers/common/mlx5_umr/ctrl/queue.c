/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Creation of a queue. All memory that the device reads or writes is one piece of a umem:
 *
 *     receive ring | send ring      the queue pair wants them in this order, without a hole
 *     send CQ                       each part starts a page
 *     receive CQ
 *     doorbell records              one cache line each: queue pair, send CQ, receive CQ
 */

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include <rte_malloc.h>
#include <rte_random.h>

#include <mlx5_prm_cmd.h>
#include <mlx5_prm_wqe.h>

#include "ctrl/devx.h"
#include "ctrl/dev.h"
#include "ctrl/queue.h"
#include "ring/bf.h"
#include "ring/dct.h"
#include "ring/dump.h"
#include "ring/key_table.h"
#include "ring/log.h"
#include "ring/peek.h"
#include "wqe/xfer.h"
#include "ctrl/mr.h"
#include "ring/queue.h"
#include "ctrl/sg_keys.h"

#define MLX5_UMR_PSN_MASK	0xffffffu

/* Offsets in the memory of the queue. */
struct layout {
	size_t rq;
	size_t sq;
	size_t cq;
	size_t rq_cq;
	size_t dbr;
	size_t size;
};

enum {
	DBR_QP = 0,
	DBR_CQ,
	DBR_RQ_CQ,
	DBR_NB,
};

static size_t
dbr_offset(const struct mlx5_umr_queue *queue, unsigned int dbr)
{
	return queue->dbr_offset + (size_t)dbr * RTE_CACHE_LINE_SIZE;
}

static volatile rte_be32_t *
dbr_at(const struct mlx5_umr_queue *queue, unsigned int dbr)
{
	return (volatile rte_be32_t *)(queue->mem.va + dbr_offset(queue, dbr));
}

static size_t
page_align(size_t size)
{
	return RTE_ALIGN_CEIL(size, (size_t)PRM_ADAPTER_PAGE_SIZE);
}

/** CQEs of a ring: one for each outstanding work request and each possible signature error. */
static uint32_t
nb_cqe(const struct mlx5_umr_queue *queue, uint32_t nb_wqe)
{
	return rte_align32pow2(nb_wqe + queue->conf.nb_sig_mkeys);
}

static struct layout
layout_of(const struct mlx5_umr_queue *queue)
{
	uint32_t nb_rq = queue->has_rq ? queue->rq.mask + 1 : 0;
	uint32_t nb_sq = queue->sq_mask + 1;
	struct layout l = { 0 };

	l.sq = (size_t)nb_rq << queue->rq.log_stride;
	/* A WQE is built contiguously; the part beyond the end is then moved to the beginning. */
	l.cq = page_align(l.sq + (size_t)(nb_sq + MLX5_UMR_OP_MAX_WQEBB) * PRM_WQE_BB_SIZE);
	l.rq_cq = page_align(l.cq + nb_cqe(queue, nb_sq) * sizeof(struct mlx5_cqe64));
	l.dbr = l.rq_cq;
	if (queue->has_rq)
		l.dbr = page_align(l.rq_cq + nb_cqe(queue, nb_rq) * sizeof(struct mlx5_cqe64));
	l.size = page_align(l.dbr + (size_t)DBR_NB * RTE_CACHE_LINE_SIZE);
	return l;
}

static void
cq_init(struct mlx5_umr_cq *cq, void *ring, uint32_t nb, volatile rte_be32_t *dbr)
{
	uint32_t i;

	cq->ring = ring;
	cq->mask = nb - 1;
	cq->dbr = dbr;
	mlx5_umr_cq_seek(cq, 0);
	/* The HCA owns all CQEs until it writes them (rdma-core does the same). */
	for (i = 0; i < nb; i++)
		cq->ring[i].op_own = MLX5_CQE_INVALID << 4;
}

static int
cq_size_check(const struct mlx5_umr_queue *queue)
{
	uint32_t nb_max = UINT32_C(1) << queue->dev->caps.log_max_cq_sz;
	uint32_t nb = nb_cqe(queue, RTE_MAX(queue->sq_mask, queue->rq.mask) + 1);

	if (nb <= nb_max)
		return 0;
	MLX5_UMR_QUEUE_LOG(ERR, queue, "nb_sig_mkeys %u and the depth need a CQ of %u entries, at "
			   "most %u", queue->conf.nb_sig_mkeys, nb, nb_max);
	return -ERANGE;
}

static int
mem_alloc(struct mlx5_umr_queue *queue)
{
	uint32_t nb_sq = queue->sq_mask + 1u;
	int socket = queue->conf.socket_id, ret = -ENOMEM;
	struct layout l = layout_of(queue);
	uint8_t *mem;

	queue->ops = rte_zmalloc_socket(NULL, nb_sq * sizeof(*queue->ops), 0, socket);
	queue->submits = rte_zmalloc_socket(NULL, nb_sq * sizeof(*queue->submits), 0, socket);
	if (queue->ops != NULL && queue->submits != NULL)
		ret = mlx5_umr_mem_alloc(&queue->dev->mem, NULL, l.size, socket, &queue->mem);
	if (ret != 0) {
		MLX5_UMR_QUEUE_LOG(ERR, queue, "no memory for rings of %zu bytes on socket %d: %s",
				   l.size, socket, strerror(-ret));
		return ret;
	}
	mem = queue->mem.va;
	memset(mem, 0, l.size);
	queue->dbr_offset = l.dbr;
	queue->sq_ring = mem + l.sq;
	queue->sq_dbr = dbr_at(queue, DBR_QP) + PRM_DBR_SQ;
	cq_init(&queue->cq, mem + l.cq, nb_cqe(queue, nb_sq), dbr_at(queue, DBR_CQ));
	if (!queue->has_rq)
		return 0;
	queue->rq.ring = mem + l.rq;
	queue->rq.dbr = dbr_at(queue, DBR_QP) + PRM_DBR_RQ;
	cq_init(&queue->rq.cq, mem + l.rq_cq, nb_cqe(queue, queue->rq.mask + 1u),
		dbr_at(queue, DBR_RQ_CQ));
	return 0;
}

/** Allocate a doorbell page: non-cached if the kernel supports it, or write combined on request. */
static int
uar_alloc(struct mlx5_umr_queue *queue)
{
	struct ibv_context *ctx = queue->dev->ctx;

	if (!queue->dev->args.is_uar_bf && queue->bf_mode == MLX5_UMR_BF_OFF) {
		queue->uar = mlx5dv_devx_alloc_uar(ctx, MLX5DV_UAR_ALLOC_TYPE_NC);
		queue->is_db_nc = queue->uar != NULL;
	}
	if (queue->uar == NULL)
		queue->uar = mlx5dv_devx_alloc_uar(ctx, MLX5DV_UAR_ALLOC_TYPE_BF);
	if (queue->uar == NULL) {
		MLX5_UMR_QUEUE_LOG(ERR, queue, "no doorbell page: %s", strerror(errno));
		return errno != 0 ? -errno : -EIO;
	}
	queue->doorbell = queue->uar->reg_addr;
	/* If the kernel has no such pages, libmlx5 also returns a write-combined one. */
	if (queue->bf_mode != MLX5_UMR_BF_OFF)
		queue->bf_size = queue->dev->caps.bf_size;
	return 0;
}

static int
cq_create(struct mlx5_umr_queue *queue, struct mlx5_umr_cq *cq, unsigned int dbr,
	  struct mlx5dv_devx_obj **obj)
{
	const uint64_t offset = queue->mem.offset + dbr_offset(queue, dbr);
	int ret = mlx5_umr_devx_cq_create(queue, cq, offset, obj);

	if (ret != 0)
		MLX5_UMR_QUEUE_LOG(ERR, queue,
				   "no CQ of %u entries: the device has %u, of up to %u",
				   cq->mask + 1, 1u << queue->dev->caps.log_max_cq,
				   1u << queue->dev->caps.log_max_cq_sz);
	return ret;
}

static int
qp_create(struct mlx5_umr_queue *queue)
{
	int ret = mlx5_umr_devx_qp_create(queue, queue->mem.offset + dbr_offset(queue, DBR_QP));

	queue->qpn_ds = queue->qpn << 8;
	return ret;
}

int
mlx5_umr_queue_lists_alloc(struct mlx5_umr_queue *queue)
{
	int ret;

	if (queue->klm_mem.nb_chunks == 0 || queue->klm_mem.base != NULL)
		return 0;
	ret = mlx5_umr_klm_mem_create(&queue->klm_mem, &queue->dev->mem,
				      mlx5_umr_pd_ibv(queue->dev, queue->conf.pd),
				      queue->conf.nb_list_entries, queue->sq_mask + 1,
				      queue->conf.socket_id);
	if (ret != 0)
		MLX5_UMR_QUEUE_LOG(ERR, queue,
				   "no memory for lists of %u entries on socket %d: %s",
				   queue->conf.nb_list_entries, queue->conf.socket_id,
				   strerror(-ret));
	return ret;
}

/** A target has no send side, and is created when the device starts. */
static int
target_create(struct mlx5_umr_queue *queue)
{
	int ret;

	ret = cq_create(queue, &queue->rq.cq, DBR_RQ_CQ, &queue->rq.cq_obj);
	if (ret != 0)
		return ret;
	/* No keys; it rejects whatever is within its limits. */
	ret = mlx5_umr_sg_create(queue);
	if (ret != 0)
		return ret;
	return mlx5_umr_dct_create(queue);
}

static int
objects_create(struct mlx5_umr_queue *queue)
{
	int ret;

	ret = uar_alloc(queue);
	if (ret != 0)
		return ret;
	if (queue->conf.transport == RTE_UMR_TRANSPORT_DCT)
		return target_create(queue);
	ret = cq_create(queue, &queue->cq, DBR_CQ, &queue->cq_obj);
	if (ret != 0)
		return ret;
	if (queue->has_rq) {
		ret = cq_create(queue, &queue->rq.cq, DBR_RQ_CQ, &queue->rq.cq_obj);
		if (ret != 0)
			return ret;
	}
	if (queue->conf.nb_list_entries != MLX5_UMR_NO_LISTS) {
		queue->klm_mem.nb_chunks =
			mlx5_umr_klm_nb_chunks(queue->conf.nb_list_entries);
		if (queue->conf.nb_list_entries != RTE_UMR_DEFAULT_LIST_ENTRIES ||
		    queue->dev->has_long_keys || mlx5_umr_sg_needs_lists(queue))
			ret = mlx5_umr_queue_lists_alloc(queue);
		if (ret != 0)
			return ret;
	}
	ret = mlx5_umr_sg_create(queue);
	if (ret != 0)
		return ret;
	return qp_create(queue);
}

void
mlx5_umr_queue_psn_draw(struct mlx5_umr_queue *queue)
{
	queue->psn = rte_rand() & MLX5_UMR_PSN_MASK;
}

/** BlueField mode of the queue, or of the device if the queue sets none. */
static uint8_t
bf_mode_of(const struct mlx5_umr_device *dev, uint16_t flags)
{
	switch (flags & RTE_UMR_QUEUE_F_BF_MASK) {
	case RTE_UMR_QUEUE_F_BF:
		return MLX5_UMR_BF_SINGLE;
	case RTE_UMR_QUEUE_F_BF_INLINE:
		return MLX5_UMR_BF_INLINE;
	case RTE_UMR_QUEUE_F_NO_BF:
		return MLX5_UMR_BF_OFF;
	default:
		return dev->caps.bf_size != 0 ? dev->args.bf_mode : MLX5_UMR_BF_OFF;
	}
}

static void
recv_init(struct mlx5_umr_queue *queue, const struct mlx5_umr_device *dev,
	  const struct rte_umr_queue_conf *conf)
{
	const bool is_dct = conf->transport == RTE_UMR_TRANSPORT_DCT;
	struct mlx5_umr_rq *rq = &queue->rq;
	uint32_t nb_recv, nb_ds;

	rq->max_segs = conf->max_recv_segs != 0 ? conf->max_recv_segs : 1;
	/* The send ring follows it, aligned to a WQEBB. */
	nb_recv = RTE_MAX(conf->nb_recv_desc, PRM_WQE_DS_PER_BB);
	nb_ds = rq->max_segs;
	if (is_dct) {
		/* A list: one WQE stays free, and each begins with the index of the next. */
		nb_recv++;
		nb_ds += sizeof(struct mlx5_wqe_srq_next_seg) / PRM_WQE_DS_SIZE;
	}
	rq->mask = rte_align32pow2(nb_recv) - 1;
	rq->log_stride = mlx5_umr_log2(rte_align32pow2(nb_ds * PRM_WQE_DS_SIZE));
	rq->max_msg_len = queue->max_msg_len;
	rq->pd = conf->pd;
	/* A target would need CQEs of 128 bytes (PRM, dctc.cs_res). */
	if (!is_dct && mlx5_umr_has_recv_inline(dev) &&
	    (conf->flags & RTE_UMR_QUEUE_F_NO_RECV_INLINE) == 0)
		rq->keys = dev->keys;
}

/** Set sizes and constants. lib/umr has checked the limits. */
static void
queue_init(struct mlx5_umr_queue *queue, struct mlx5_umr_device *dev, uint16_t queue_id,
	   const struct rte_umr_queue_conf *conf)
{
	queue->dev = dev;
	queue->fp = (struct rte_umr_fp_queue){
		.drv_ops = mlx5_umr_fp_ops_of(conf->transport),
		.dev_id = dev->umr_dev->dev_id,
		.queue_id = queue_id,
	};
	queue->conf = *conf;
	if (conf->nb_list_entries == 0)
		queue->conf.nb_list_entries = RTE_UMR_DEFAULT_LIST_ENTRIES;
	/* A target has no send ring: a minimal, unused one avoids special cases. */
	queue->sq_mask = rte_align32pow2(RTE_MAX(conf->nb_desc, 1u)) - 1;
	queue->sq_end = queue->sq_mask + 1u;
	queue->max_msg_len = UINT32_C(1) << dev->caps.log_max_msg;
	queue->has_atomic = mlx5_umr_has_atomic(dev);
	queue->has_send_inv = dev->caps.has_send_inv;
	queue->bf_mode = bf_mode_of(dev, conf->flags);
	queue->max_inline = conf->max_inline != 0 ? conf->max_inline : mlx5_umr_max_inline(dev);
	queue->is_dci = conf->transport == RTE_UMR_TRANSPORT_DCI;
	queue->max_segs = mlx5_umr_max_segs(dev, queue->is_dci);
	queue->max_read_segs = mlx5_umr_max_read_segs(dev, queue->is_dci);
	/* Room next to the address; lib/umr has checked a configured value. */
	if (queue->is_dci && conf->max_inline == 0)
		queue->max_inline -= (uint16_t)sizeof(struct mlx5_wqe_av);
	queue->max_interleaved = dev->caps.has_umr_strided ? PRM_UMR_INLINE_STRIDED_MAX : 0;
	/*
	 * libmlx5 uses the small fence after an UMR regardless of the capability; Linux uses strong
	 * ordering for the UMR itself if the device requires it. In that case use both.
	 */
	queue->fm_umr = dev->caps.umr_fence == PRM_CAP_UMR_FENCE_STRONG ?
				PRM_CTRL_FM_STRONG_ORDERING : PRM_CTRL_FM_INITIATOR_SMALL;
	queue->fm_own = dev->caps.umr_fence == PRM_CAP_UMR_FENCE_STRONG ?
				PRM_CTRL_FM_STRONG_ORDERING : PRM_CTRL_FM_NONE;
	queue->relaxed_mkey_mask = dev->caps.relaxed_mkey_mask;
	queue->error = -ENOTCONN;
	queue->is_reset = true;
	mlx5_umr_queue_psn_draw(queue);
	queue->has_rq = conf->nb_recv_desc != 0;
	if (queue->has_rq)
		recv_init(queue, dev, conf);
}

int
mlx5_umr_queue_create(struct mlx5_umr_device *dev, uint16_t queue_id,
		      const struct rte_umr_queue_conf *conf, struct mlx5_umr_queue **queue)
{
	struct mlx5_umr_queue *q;
	int ret;

	q = rte_zmalloc_socket("mlx5_umr_queue", sizeof(*q), RTE_CACHE_LINE_SIZE,
			       conf->socket_id);
	if (q == NULL) {
		MLX5_UMR_DEV_LOG(ERR, dev->umr_dev->name, "queue %u: no memory on socket %d",
				 queue_id, conf->socket_id);
		return -ENOMEM;
	}
	queue_init(q, dev, queue_id, conf);
	ret = cq_size_check(q);
	if (ret == 0)
		ret = mem_alloc(q);
	if (ret != 0)
		goto destroy_queue;
	ret = objects_create(q);
	if (ret != 0)
		goto destroy_queue;
	MLX5_UMR_QUEUE_LOG(DEBUG, q, "qpn 0x%x, %u descriptors, %u receives, %s doorbell", q->qpn,
			   q->sq_mask + 1u, q->has_rq ? q->rq.mask + 1u : 0,
			   q->is_db_nc ? "not cached" : "write-combined");
	*queue = q;
	return 0;

destroy_queue:
	mlx5_umr_queue_destroy(q);
	return ret;
}

/** Destroy an object; on error the pointer is kept. */
static bool
obj_destroy(const struct mlx5_umr_queue *queue, struct mlx5dv_devx_obj **obj, const char *what)
{
	if (mlx5_umr_devx_destroy(queue->dev, *obj, what) != 0)
		return false;
	*obj = NULL;
	return true;
}

/**
 * Destroy the objects. Returns whether the device has released the rings; if not, it can be
 * retried.
 */
static bool
objects_destroy(struct mlx5_umr_queue *queue)
{
	bool is_free;

	mlx5_umr_queue_event_fini(queue);
	is_free = mlx5_umr_dct_destroy(queue) == 0;
	is_free &= obj_destroy(queue, &queue->qp, "QP");
	is_free = is_free && mlx5_umr_sg_destroy(queue);
	/* Signature errors belong to keys, which continue to exist. */
	if (queue->cq_obj != NULL)
		mlx5_umr_cq_drain(queue, &queue->cq);
	if (queue->rq.cq_obj != NULL)
		mlx5_umr_cq_drain(queue, &queue->rq.cq);
	is_free &= obj_destroy(queue, &queue->rq.cq_obj, "receive CQ");
	is_free &= obj_destroy(queue, &queue->cq_obj, "CQ");
	return is_free;
}

static void
uar_free(struct mlx5_umr_queue *queue)
{
	if (queue->uar != NULL)
		mlx5dv_devx_free_uar(queue->uar);
	queue->uar = NULL;
}

/** Free everything except memory that the device accesses. */
static void
queue_free(struct mlx5_umr_queue *queue)
{
	rte_free(queue->klm_mem.uses);
	rte_free(queue->sg.keys);
	rte_free(queue->dct);
	rte_free(queue->submits);
	rte_free(queue->ops);
	rte_free(queue);
}

static void
queue_free_all(struct mlx5_umr_queue *queue)
{
	uar_free(queue);
	mlx5_umr_mem_free(&queue->dev->mem, &queue->mem);
	mlx5_umr_klm_mem_destroy(&queue->klm_mem, &queue->dev->mem);
	queue_free(queue);
}

void
mlx5_umr_queue_destroy(struct mlx5_umr_queue *queue)
{
	if (queue == NULL)
		return;
	if (objects_destroy(queue)) {
		queue_free_all(queue);
		return;
	}
	/* Memory that the device may still write must not be reused. */
	if (!mlx5_umr_is_lost(queue->dev))
		MLX5_UMR_QUEUE_LOG(ERR, queue, "the device keeps %zu bytes until it is closed",
				   queue->mem.size + queue->klm_mem.mem.size);
	LIST_INSERT_HEAD(&queue->dev->kept_queues, queue, link);
}

void
mlx5_umr_kept_queues_destroy(struct mlx5_umr_device *dev)
{
	struct mlx5_umr_queue *queue, *next;

	for (queue = LIST_FIRST(&dev->kept_queues); queue != NULL; queue = next) {
		next = LIST_NEXT(queue, link);
		if (objects_destroy(queue)) {
			LIST_REMOVE(queue, link);
			queue_free_all(queue);
		} else {
			uar_free(queue);
		}
	}
}

void
mlx5_umr_kept_queues_free(struct mlx5_umr_device *dev)
{
	struct mlx5_umr_queue *queue;

	while ((queue = LIST_FIRST(&dev->kept_queues)) != NULL) {
		LIST_REMOVE(queue, link);
		queue_free(queue);
	}
}

static const char *
transport_name(const struct mlx5_umr_queue *queue)
{
	static const char *const names[] = {
		[RTE_UMR_TRANSPORT_LOOPBACK] = "loopback",
		[RTE_UMR_TRANSPORT_RC] = "rc",
		[RTE_UMR_TRANSPORT_DCI] = "dci",
		[RTE_UMR_TRANSPORT_DCT] = "dct",
	};

	return names[queue->conf.transport];
}

void
mlx5_umr_queue_dump(const void *q, uint32_t nb_ops, FILE *f)
{
	const struct mlx5_umr_queue *queue = q;
	const int16_t error = MLX5_UMR_PEEK(queue->error);

	fprintf(f, "  queue %u: qpn 0x%x cqn 0x%x uar 0x%x %s%s\n", queue->fp.queue_id, queue->qpn,
		queue->cq.cqn, queue->uar->page_id, transport_name(queue),
		error == 0 ? "" : error == -ENOTCONN ? " not-connected" : " error");
	mlx5_umr_ring_dump(queue, nb_ops, f);
	mlx5_umr_failure_dump(queue, f);
}
