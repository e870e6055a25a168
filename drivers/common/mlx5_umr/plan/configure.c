/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Configuration of keys off the fast path: plan, place, note, build, commit. The bytes are those
 * that libmlx5 writes for the same request (rdma-core 44, providers/mlx5/qp.c,
 * mlx5_send_wr_mkey_configure() and its setters), if it supports it.
 */

#include <errno.h>
#include <inttypes.h>

#include "plan/configure.h"
#include "ring/mkey.h"

#define ACCESS_MKEY_MASK                                                                           \
	((uint64_t)MLX5_WQE_UMR_CTRL_MKEY_MASK_ACCESS_LOCAL_WRITE |                                \
	 MLX5_WQE_UMR_CTRL_MKEY_MASK_ACCESS_REMOTE_READ |                                          \
	 MLX5_WQE_UMR_CTRL_MKEY_MASK_ACCESS_REMOTE_WRITE |                                         \
	 MLX5_WQE_UMR_CTRL_MKEY_MASK_ACCESS_ATOMIC)

/** Not inlined: checks that pass need no stack frame. */
static __rte_noinline __rte_cold int
reject_owner(struct mlx5_umr_queue *queue, const struct rte_umr_mkey *mkey)
{
	return REJECT(queue, OWNER, -EXDEV, "key 0x%x is of %s", mkey->key,
		      rte_umr_dev_label(mkey->dev_id));
}

int
mlx5_umr_mkey_common_check(struct mlx5_umr_queue *queue, const struct rte_umr_mkey *mkey,
			   uint64_t flags)
{
	if ((flags & ~RTE_UMR_OP_F_ALL) != 0)
		return REJECT(queue, FLAGS, -EINVAL,
			      "key 0x%x: flags 0x%" PRIx64 " has bits beyond 0x%" PRIx64, mkey->key,
			      flags, RTE_UMR_OP_F_ALL);
	if (mkey->dev_id != queue->fp.dev_id)
		return reject_owner(queue, mkey);
	return 0;
}

static int
setters_check(struct mlx5_umr_queue *queue, const struct rte_umr_mkey *mkey,
	      const struct rte_umr_mkey_op *conf)
{
	const uint32_t both = RTE_UMR_MKEY_SET_SIG | RTE_UMR_MKEY_RESET_SIG;

	if ((conf->setters & ~RTE_UMR_MKEY_SET_ALL) != 0)
		return REJECT(queue, SETTERS, -EINVAL,
			      "key 0x%x: setters 0x%x has bits beyond 0x%x", mkey->key,
			      conf->setters, RTE_UMR_MKEY_SET_ALL);
	if (conf->reserved != 0)
		return REJECT(queue, RESERVED, -EINVAL, "key 0x%x: a reserved field is not 0",
			      mkey->key);
	if ((conf->setters & both) == both)
		return REJECT(queue, SETTERS, -EINVAL,
			      "key 0x%x: setters 0x%x sets the signature and resets it", mkey->key,
			      conf->setters);
	if ((conf->setters & both) != 0 && (mkey->flags & RTE_UMR_MKEY_POOL_F_SIG) == 0)
		return REJECT(queue, KEY, -ENOTSUP,
			      "key 0x%x: setters 0x%x, its pool was created without "
			      "RTE_UMR_MKEY_POOL_F_SIG",
			      mkey->key, conf->setters);
	if ((conf->setters & RTE_UMR_MKEY_SET_CRYPTO) != 0 &&
	    (mkey->flags & RTE_UMR_MKEY_POOL_F_CRYPTO) == 0)
		return REJECT(queue, KEY, -ENOTSUP,
			      "key 0x%x: setters 0x%x, its pool was created without "
			      "RTE_UMR_MKEY_POOL_F_CRYPTO",
			      mkey->key, conf->setters);
	/* It would expose the layout of the last owner under the new owner's value. */
	if ((conf->setters & RTE_UMR_MKEY_SET_LAYOUT) == 0 && !mkey->is_laid &&
	    (mkey->is_unknown || (conf->setters & ~RTE_UMR_MKEY_SET_ACCESS) == 0))
		return REJECT(queue, LAYOUT, -EINVAL,
			      "key 0x%x: setters 0x%x without RTE_UMR_MKEY_SET_LAYOUT: %s",
			      mkey->key, conf->setters, mkey->is_unknown ?
			      "its layout is unknown, as an operation on it failed or was flushed" :
			      "it has had no layout since it was taken");
	return 0;
}

static int
plan_access(struct mlx5_umr_plan *plan, const struct rte_umr_mkey_op *conf)
{
	struct mlx5_umr_queue *queue = plan->queue;
	struct mlx5_umr_head *head = &plan->head;
	bool is_relaxed = (conf->access & RTE_UMR_ACCESS_RELAXED_ORDERING) != 0;
	bool can_relax = (plan->mkey->flags & RTE_UMR_MKEY_POOL_F_RELAXED_ORDERING) != 0;

	if ((conf->setters & RTE_UMR_MKEY_SET_ACCESS) == 0)
		return 0;
	if ((conf->access & ~RTE_UMR_MKEY_ACCESS_ALL) != 0)
		return REJECT(queue, ACCESS, -EINVAL, "key 0x%x: access 0x%x has bits beyond 0x%x",
			      plan->mkey->key, conf->access, RTE_UMR_MKEY_ACCESS_ALL);
	if (is_relaxed && !can_relax)
		return REJECT(queue, KEY, -ENOTSUP,
			      "key 0x%x: access 0x%x, its pool was created without "
			      "RTE_UMR_MKEY_POOL_F_RELAXED_ORDERING",
			      plan->mkey->key, conf->access);
	head->mkey_mask |= ACCESS_MKEY_MASK;
	head->mkc_dw0 = (conf->access & MLX5_UMR_ACCESS_MKC) << PRM_MKC_LW.lsb;
	/* Keys that support it get the setting each time; others are configured as by libmlx5. */
	if (!can_relax)
		return 0;
	head->mkey_mask |= queue->relaxed_mkey_mask;
	if (!is_relaxed)
		return 0;
	if ((queue->relaxed_mkey_mask & PRM_UMR_MKEY_MASK_RELAXED_ORDERING_WRITE) != 0)
		head->mkc_dw0 |= UINT32_C(1) << PRM_MKC_RELAXED_ORDERING_WRITE.lsb;
	if ((queue->relaxed_mkey_mask & PRM_UMR_MKEY_MASK_RELAXED_ORDERING_READ) != 0)
		head->mkc_dw14 |= UINT32_C(1) << PRM_MKC_RELAXED_ORDERING_READ.lsb;
	return 0;
}

/** Each layout sets the base of a key that can have one: no layout keeps that of the one before. */
static int
plan_base(struct mlx5_umr_plan *plan, uint64_t base_addr)
{
	const struct rte_umr_mkey *mkey = plan->mkey;

	plan->has_base = (mkey->flags & RTE_UMR_MKEY_POOL_F_BASE) != 0;
	if (base_addr != 0 && !plan->has_base)
		return REJECT(plan->queue, KEY, -ENOTSUP,
			      "key 0x%x: base_addr 0x%" PRIx64 ", its pool was created without "
			      "RTE_UMR_MKEY_POOL_F_BASE",
			      mkey->key, base_addr);
	if (base_addr > UINT64_MAX - plan->layout.len)
		return REJECT(plan->queue, LAYOUT, -EINVAL,
			      "key 0x%x: base_addr 0x%" PRIx64 " and %" PRIu64 " bytes end beyond "
			      "2^64",
			      mkey->key, base_addr, plan->layout.len);
	if (plan->has_base)
		plan->head.mkey_mask |= MLX5_WQE_UMR_CTRL_MKEY_MASK_START_ADDR;
	plan->base_addr = base_addr;
	return 0;
}

static int
plan_layout(struct mlx5_umr_plan *plan, const struct rte_umr_mkey_op *conf)
{
	int ret;

	if ((conf->setters & RTE_UMR_MKEY_SET_LAYOUT) == 0) {
		/*
		 * A signature or an encryption precedes the layout: the key has no bytes until
		 * then.
		 */
		if (!plan->mkey->is_laid)
			plan->head.mkey_mask |= MLX5_WQE_UMR_CTRL_MKEY_MASK_LEN;
		return 0;
	}
	ret = mlx5_umr_layout_init(&plan->layout, plan->queue, plan->mkey, conf);
	if (ret != 0)
		return ret;
	plan->head.mkey_mask |= MLX5_WQE_UMR_CTRL_MKEY_MASK_LEN;
	plan->head.len = plan->layout.len;
	return plan_base(plan, conf->base_addr);
}

int
mlx5_umr_plan_place(struct mlx5_umr_plan *plan)
{
	const uint32_t nb_klm = plan->layout.nb_klm, bsf_ds = plan->nb_bsf * MLX5_UMR_BSF_DS;
	struct mlx5_umr_queue *queue = plan->queue;
	struct mlx5_umr_klm_mem *mem = &queue->klm_mem;
	uint32_t nb_chunks = mlx5_umr_klm_nb_chunks(nb_klm);

	plan->is_in_memory = nb_klm + bsf_ds > MLX5_UMR_MAX_TAIL_DS;
	if (!plan->is_in_memory) {
		plan->nb_wqebb = MLX5_UMR_HDR_WQEBB + (nb_klm + bsf_ds) / PRM_WQE_DS_PER_BB;
	} else {
		if (nb_chunks > mem->nb_chunks)
			return REJECT(queue, ENTRIES, -E2BIG,
				      "key 0x%x: %u entries, the memory of lists holds %u",
				      plan->mkey->key, nb_klm,
				      mem->nb_chunks * MLX5_UMR_KLM_CHUNK_NB);
		plan->nb_wqebb = MLX5_UMR_LIST_WQEBB;
		if (bsf_ds != 0)
			plan->nb_wqebb += MLX5_UMR_HDR_WQEBB + bsf_ds / PRM_WQE_DS_PER_BB;
	}
	plan->nb_wqebb += plan->sig.nb_psv * MLX5_UMR_SET_PSV_WQEBB;
	if (!mlx5_umr_slot_get(queue, plan->nb_wqebb, &plan->slot))
		return mlx5_umr_reject_state(queue);
	if (!plan->is_in_memory)
		return 0;
	plan->klms = mlx5_umr_klm_mem_peek(mem, nb_chunks, &plan->klm_end);
	return plan->klms != NULL ? 0 : mlx5_umr_reject_list(queue);
}

/** Begin the next WQE of the same operation. It follows an UMR, which must have taken effect. */
static uint8_t *
next_wqe(const struct mlx5_umr_plan *plan, struct mlx5_umr_ctrl *ctrl, uint8_t *wqe,
	 uint32_t nb_wqebb)
{
	ctrl->pi += nb_wqebb;
	ctrl->fm_ce_se = plan->queue->fm_umr;
	return wqe + (size_t)nb_wqebb * PRM_WQE_BB_SIZE;
}

/** Write the BSF of the new signature. @return End of it. */
static uint8_t *
sig_store(const struct mlx5_umr_plan *plan, uint8_t *dst)
{
	const struct mlx5_umr_sig_plan *sig_plan = &plan->sig;
	/* A transaction has none before its layout. */
	bool has_sig = sig_plan->is_set &&
		       (sig_plan->trans_len != 0 || !mlx5_umr_sig_is_trans(sig_plan->sig));
	const uint64_t *bsf = has_sig ? mlx5_umr_mkey_sig(plan->mkey)->image.bsf :
					mlx5_umr_no_sig_bsf;
	uint8_t *end = mlx5_umr_sig_bsf_copy(dst, bsf, sig_plan->has_crypto);

	if (sig_plan->trans_len != 0)
		mlx5_umr_sig_bsf_set_len(dst, sig_plan->trans_len);
	return end;
}

static void
bsfs_store(const struct mlx5_umr_plan *plan, uint8_t *dst)
{
	if (plan->sig.has_bsf)
		dst = sig_store(plan, dst);
	if (plan->has_crypto_bsf)
		mlx5_umr_crypto_bsf_store(dst, &mlx5_umr_mkey_crypto(plan->mkey)->bsf);
}

/** Write an UMR that points to its KLMs. If BSFs follow in the next UMR, that one enables them. */
static uint8_t *
pointer_build(const struct mlx5_umr_plan *plan, struct mlx5_umr_ctrl *ctrl, uint8_t *wqe)
{
	const uint32_t nb_klm = plan->layout.nb_klm;
	struct mlx5_umr_head head = plan->head;

	if (plan->nb_bsf != 0)
		head.mkey_mask &= ~(uint64_t)MLX5_WQE_UMR_CTRL_MKEY_MASK_BSF_ENABLE;
	mlx5_umr_layout_store(&plan->layout, plan->klms);
	mlx5_umr_list_ptr_build(wqe, ctrl, &head, plan->umr_flags, plan->klm_offset,
				(uintptr_t)plan->klms, plan->queue->klm_mem.lkey, nb_klm);
	if (plan->has_base)
		mlx5_umr_head_set_start(wqe, plan->base_addr);
	return next_wqe(plan, ctrl, wqe, MLX5_UMR_LIST_WQEBB);
}

/** Write the UMR, or two. @return Address of the next WQE. */
static uint8_t *
umr_build(const struct mlx5_umr_plan *plan, struct mlx5_umr_ctrl *ctrl, uint8_t *wqe)
{
	uint32_t nb_klm = plan->layout.nb_klm, bsf_ds = plan->nb_bsf * MLX5_UMR_BSF_DS;
	uint8_t *tail;

	if (plan->is_in_memory) {
		wqe = pointer_build(plan, ctrl, wqe);
		if (bsf_ds == 0)
			return wqe;
		nb_klm = 0;
	}
	tail = mlx5_umr_head_build(wqe, ctrl, &plan->head,
				   plan->umr_flags | MLX5_WQE_UMR_CTRL_FLAG_INLINE, nb_klm,
				   bsf_ds | plan->klm_offset, nb_klm + bsf_ds);
	if (plan->has_base)
		mlx5_umr_head_set_start(wqe, plan->base_addr);
	if (nb_klm != 0)
		mlx5_umr_layout_store(&plan->layout, tail);
	bsfs_store(plan, tail + (size_t)nb_klm * PRM_KLM_SIZE);
	return next_wqe(plan, ctrl, wqe,
			MLX5_UMR_HDR_WQEBB + (nb_klm + bsf_ds) / PRM_WQE_DS_PER_BB);
}

static void
plan_build(const struct mlx5_umr_plan *plan)
{
	const uint8_t fm = mlx5_umr_fence_mode_umr(plan->queue, plan->flags);
	struct mlx5_umr_ctrl ctrl = mlx5_umr_ctrl_of(plan->queue, &plan->slot, plan->mkey->key, fm);
	const struct mlx5_umr_psv *psvs;
	uint8_t *wqe;
	uint32_t i;

	wqe = umr_build(plan, &ctrl, plan->slot.wqe);
	/* An update keeps owner and tag. */
	if (plan->is_update)
		mlx5_umr_head_set_owner(plan->slot.wqe, 0);
	if (plan->sig.nb_psv == 0)
		return;
	psvs = mlx5_umr_mkey_sig(plan->mkey)->image.psvs;
	for (i = 0; i < plan->sig.nb_psv; i++) {
		mlx5_umr_set_psv_store(wqe, mlx5_umr_prefix_of(ctrl.qpn_ds, ctrl.fm_ce_se,
							       ctrl.pi), &psvs[i]);
		wqe = next_wqe(plan, &ctrl, wqe, MLX5_UMR_SET_PSV_WQEBB);
	}
}

static void
plan_note(struct mlx5_umr_plan *plan)
{
	struct rte_umr_mkey *mkey = plan->mkey;

	mkey->is_laid |= plan->layout.nb_klm != 0;
	if (plan->layout.nb_klm != 0 && (mkey->flags & RTE_UMR_MKEY_POOL_F_UPDATE) != 0)
		mlx5_umr_mkey_note_layout(mkey, &plan->layout);
	mlx5_umr_plan_sig_note(plan);
	mlx5_umr_key_crypto_commit(plan);
}

int
mlx5_umr_plan_enqueue(const struct mlx5_umr_plan *plan)
{
	struct mlx5_umr_queue *queue = plan->queue;

	plan_build(plan);
	if (plan->is_in_memory)
		mlx5_umr_klm_mem_take(&queue->klm_mem, queue->op_pi, plan->klm_end);
	/* Submit and the error path use this to find the WQEs after the first one. */
	if ((plan->is_in_memory && plan->nb_bsf != 0) || plan->sig.nb_psv != 0)
		queue->multi_pi = plan->slot.pi;
	return mlx5_umr_op_commit(queue, &plan->slot, plan->nb_wqebb, plan->op, 0, queue->fm_umr,
				  plan->flags);
}

static int
configure(struct mlx5_umr_queue *queue, const struct rte_umr_mkey_op *conf, uint8_t type,
	  uint64_t flags)
{
	struct rte_umr_mkey *mkey = conf->mkey;
	struct mlx5_umr_plan plan = {
		.queue = queue,
		.mkey = mkey,
		.flags = flags,
		.op = type,
		.head.mkey_mask = MLX5_WQE_UMR_CTRL_MKEY_MASK_FREE |
				  MLX5_WQE_UMR_CTRL_MKEY_MASK_MKEY,
	};
	int ret;

	ret = mlx5_umr_mkey_common_check(queue, mkey, flags);
	if (ret != 0)
		return ret;
	ret = setters_check(queue, mkey, conf);
	if (ret != 0)
		return ret;
	ret = plan_access(&plan, conf);
	if (ret != 0)
		return ret;
	ret = plan_layout(&plan, conf);
	if (ret != 0)
		return ret;
	ret = mlx5_umr_plan_sig(&plan, conf);
	if (ret != 0)
		return ret;
	ret = mlx5_umr_plan_crypto(&plan, conf);
	if (ret != 0)
		return ret;
	ret = mlx5_umr_plan_place(&plan);
	if (ret != 0)
		return ret;
	plan_note(&plan);
	return mlx5_umr_plan_enqueue(&plan);
}

int
mlx5_umr_mkey_configure_general(void *queue, const struct rte_umr_mkey_op *op, uint64_t flags)
{
	return configure(queue, op, RTE_UMR_OP_MKEY_CONFIGURE, flags);
}

int
mlx5_umr_mkey_list_general(void *queue, struct rte_umr_mkey *mkey, uint32_t access,
			   const struct rte_umr_seg *segs, uint32_t nb_segs, uint64_t how)
{
	const struct rte_umr_mkey_op op = {
		.mkey = mkey,
		.setters = RTE_UMR_MKEY_SET_ACCESS_LAYOUT,
		.access = access,
		.layout = RTE_UMR_LAYOUT_LIST,
		.nb_entries = nb_segs,
		.segs = segs,
	};

	return configure(queue, &op, MLX5_UMR_HOW_TYPE(how), how & RTE_UMR_OP_F_ALL);
}

int
mlx5_umr_mkey_interleaved_general(void *queue, struct rte_umr_mkey *mkey, uint32_t access,
				  uint32_t repeat, const struct rte_umr_interleaved *entries,
				  uint32_t nb_entries, uint64_t how)
{
	const struct rte_umr_mkey_op op = {
		.mkey = mkey,
		.setters = RTE_UMR_MKEY_SET_ACCESS_LAYOUT,
		.access = access,
		.layout = RTE_UMR_LAYOUT_INTERLEAVED,
		.nb_entries = nb_entries,
		.repeat = repeat,
		.interleaved = entries,
	};

	return configure(queue, &op, MLX5_UMR_HOW_TYPE(how), how & RTE_UMR_OP_F_ALL);
}

int
mlx5_umr_mkey_invalidate(void *q, struct rte_umr_mkey *mkey, uint64_t flags)
{
	struct mlx5_umr_queue *queue = q;
	struct mlx5_umr_slot slot;
	struct mlx5_umr_ctrl ctrl;

	/* It only calls in tail position, so it needs no stack frame. */
	if (unlikely(flags > RTE_UMR_OP_F_ALL || mkey->dev_id != queue->fp.dev_id))
		return mlx5_umr_mkey_common_check(queue, mkey, flags);
	if (unlikely(!mlx5_umr_slot_get(queue, MLX5_UMR_HDR_WQEBB, &slot)))
		return mlx5_umr_reject_state(queue);

	ctrl = mlx5_umr_ctrl_of(queue, &slot, mkey->key, mlx5_umr_fence_mode_umr(queue, flags));
	mlx5_umr_invalidate_build(slot.wqe, &ctrl);
	return mlx5_umr_op_commit(queue, &slot, MLX5_UMR_HDR_WQEBB, RTE_UMR_OP_MKEY_INVALIDATE, 0,
				  queue->fm_umr, flags);
}
