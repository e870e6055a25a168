/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* The data path of lib/umr, as the input says: fuzz_api.h. */

#include "fuzz_api.h"
#include "fuzz_check.h"

#define MAX_DONE 64u

/* ---- Arguments ---- */

/* A key that there is, one of before, or one that nobody has. Never one of the driver itself. */
static uint32_t
pick_lkey(struct api_world *w)
{
	static const uint32_t none[] = { 0, 0x100, 0x200, 0x300, 0x400, UINT32_MAX };
	uint8_t pick = fuzz_u8(w->in);
	const struct rte_umr_mkey *key = w->keys[pick % API_NB_KEYS];
	const struct rte_umr_mr *mr = w->mrs[pick % API_NB_SLOTS];
	const struct rte_umr_mw *mw = w->mws[pick % API_NB_SLOTS];

	if (pick < 0x70 && mr != NULL)
		return pick < 0x38 ? mr->lkey : mr->rkey;
	if (pick < 0xc0 && key != NULL)
		return key->key;
	if (pick < 0xd0 && mw != NULL)
		return mw->rkey;
	if (pick < 0xe0 && key != NULL)
		return key->key ^ (1u + fuzz_u8(w->in) % 255u);
	return none[pick % RTE_DIM(none)];
}

static uint64_t
pick_addr(struct api_world *w)
{
	uint8_t pick = fuzz_u8(w->in);
	uint64_t offset = fuzz_u16(w->in);

	if (pick < 0x80)
		return (uintptr_t)w->arena + offset;
	return pick < 0xf0 ? offset % 0x1000 : offset << 48 | offset;
}

static uint32_t
pick_length(struct api_world *w)
{
	uint8_t pick = fuzz_u8(w->in);

	return pick < 0xe0 ? pick : pick < 0xf8 ? fuzz_u16(w->in) : fuzz_u32(w->in);
}

static struct rte_umr_seg
pick_seg(struct api_world *w)
{
	struct rte_umr_seg seg;

	seg.addr = pick_addr(w);
	seg.length = pick_length(w);
	seg.lkey = pick_lkey(w);
	return seg;
}

static uint64_t
pick_flags(struct api_world *w)
{
	uint8_t pick = fuzz_u8(w->in);

	/* Without RTE_UMR_OP_F_INLINE, which has the CPU follow an address. */
	return pick < 0xf8 ? pick & RTE_UMR_OP_F_ALL :
			     (uint64_t)fuzz_u32(w->in) << 8 | (pick & RTE_UMR_OP_F_ALL);
}

static struct rte_umr_mkey *
pick_key(struct api_world *w)
{
	uint8_t pick = fuzz_u8(w->in);

	/* The next one that there is. */
	for (unsigned int i = 0; i < API_NB_KEYS; i++) {
		if (w->keys[(pick + i) % API_NB_KEYS] != NULL)
			return w->keys[(pick + i) % API_NB_KEYS];
	}
	return NULL;
}

/* ---- Operations; those that no queue of ours takes must be rejected ---- */

static void
posted(struct api_world *w, struct api_queue at, const char *name, uint8_t op, int ret)
{
	api_ret(name, ret);
	if (ret >= 0 && !api_is_ours(w, at))
		FUZZ_BROKEN("%s() was accepted by queue %u of device %d", name, at.id, at.dev_id);
	if (ret >= 0)
		api_posted(&w->sends[at.id], op, ret);
}

/* Call rte_umr_FUNCTION() on queue "at" of world "w": an operation of type RTE_UMR_OP_OP. */
#define POST(function, op, ...)                                                                    \
	posted(w, at, "rte_umr_" #function, RTE_UMR_OP_##op,                                       \
	       rte_umr_##function(at.dev_id, at.id, __VA_ARGS__))

static void
list_step(struct api_world *w)
{
	struct rte_umr_mkey *key = pick_key(w);
	struct rte_umr_seg segs[API_MAX_SEGS];
	uint32_t nb = fuzz_u8(w->in) % (API_MAX_SEGS + 1), access, i;
	struct api_queue at = api_pick_queue(w);

	access = fuzz_u8(w->in);
	for (i = 0; i < nb; i++)
		segs[i] = pick_seg(w);
	if (key == NULL)
		return;
	POST(mkey_list, MKEY_LIST, key, access & 0x3f, segs, nb, pick_flags(w));
}

static void
entries_read(struct api_world *w, struct rte_umr_interleaved *entries, uint32_t nb)
{
	for (uint32_t i = 0; i < nb; i++) {
		entries[i].addr = pick_addr(w);
		entries[i].bytes_count = pick_length(w);
		entries[i].bytes_skip = pick_length(w);
		entries[i].lkey = pick_lkey(w);
	}
}

static void
interleaved_step(struct api_world *w)
{
	struct rte_umr_interleaved entries[API_MAX_SEGS];
	struct rte_umr_mkey *key = pick_key(w);
	uint32_t nb = fuzz_u8(w->in) % (API_MAX_SEGS + 1), access, repeat;
	struct api_queue at = api_pick_queue(w);

	access = fuzz_u8(w->in) & 0x3f;
	repeat = pick_length(w);
	entries_read(w, entries, nb);
	if (key == NULL)
		return;
	POST(mkey_interleaved, MKEY_INTERLEAVED, key, access, repeat, entries, nb, pick_flags(w));
}

static void
sig_read(struct api_world *w, struct rte_umr_sig *sig)
{
	static const uint16_t sizes[] = { 0, 512, 520, 4096, 4160, 7 };
	struct rte_umr_sig_domain *domains[] = { &sig->mem, &sig->wire };

	memset(sig, 0, sizeof(*sig));
	for (unsigned int i = 0; i < RTE_DIM(domains); i++) {
		domains[i]->type = fuzz_u8(w->in) % 8;
		domains[i]->flags = fuzz_u8(w->in) & 0x1f;
		domains[i]->block_size = sizes[fuzz_u8(w->in) % RTE_DIM(sizes)];
		domains[i]->app_tag = fuzz_u16(w->in);
	}
	sig->check_mask = fuzz_u8(w->in);
	sig->flags = fuzz_u8(w->in) & 0x3;
}

/* A key and a transfer of its bytes: two operations, or none. */
static void
key_rdma_post(struct api_world *w, struct api_queue at, const struct rte_umr_mkey_op *op,
	      bool is_read)
{
	const struct rte_umr_rdma_op rdma = {
		.local = { .length = pick_length(w), .lkey = op->mkey->key },
		.remote_addr = pick_addr(w), .rkey = pick_lkey(w),
	};
	const uint64_t flags = pick_flags(w);
	int ret;

	ret = is_read ? rte_umr_mkey_read(at.dev_id, at.id, op, &rdma, flags) :
			rte_umr_mkey_write(at.dev_id, at.id, op, &rdma, flags);
	if (ret >= 0)
		posted(w, at, "rte_umr_mkey_configure", RTE_UMR_OP_MKEY_CONFIGURE,
		       (uint16_t)(ret - 1));
	posted(w, at, is_read ? "rte_umr_mkey_read" : "rte_umr_mkey_write",
	       is_read ? RTE_UMR_OP_READ : RTE_UMR_OP_WRITE, ret);
}

static void
configure_step(struct api_world *w)
{
	struct rte_umr_interleaved interleaved[API_MAX_SEGS];
	struct rte_umr_seg segs[API_MAX_SEGS];
	struct rte_umr_fixed fixed[API_MAX_SEGS];
	struct rte_umr_mkey_op op = { .mkey = pick_key(w) };
	struct rte_umr_sig sig;
	struct api_queue at = api_pick_queue(w);
	uint8_t how;

	op.setters = fuzz_u8(w->in) & ~RTE_UMR_MKEY_SET_CRYPTO;
	op.access = fuzz_u8(w->in) & 0x3f;
	op.layout = fuzz_u8(w->in) % 4;
	op.nb_entries = fuzz_u8(w->in) % (API_MAX_SEGS + 1);
	op.repeat = pick_length(w);
	sig_read(w, &sig);
	how = fuzz_u8(w->in);
	op.sig = how == 0xff ? NULL : &sig;
	entries_read(w, interleaved, op.nb_entries);
	for (uint32_t i = 0; i < op.nb_entries; i++) {
		segs[i] = pick_seg(w);
		fixed[i] = (struct rte_umr_fixed){ .addr = segs[i].addr, .lkey = segs[i].lkey };
	}
	if (op.layout == RTE_UMR_LAYOUT_INTERLEAVED)
		op.interleaved = interleaved;
	else if (op.layout == RTE_UMR_LAYOUT_FIXED)
		op.fixed = fixed;
	else
		op.segs = segs;
	if (op.mkey == NULL)
		return;
	if (how % 4 == 0)
		key_rdma_post(w, at, &op, how % 8 == 0);
	else
		POST(mkey_configure, MKEY_CONFIGURE, &op, pick_flags(w));
}

static void
update_step(struct api_world *w)
{
	struct rte_umr_mkey *key = pick_key(w);
	struct rte_umr_seg segs[API_MAX_SEGS];
	uint32_t nb = fuzz_u8(w->in) % (API_MAX_SEGS + 1), first = fuzz_u8(w->in) % 24, i;
	struct api_queue at = api_pick_queue(w);

	for (i = 0; i < nb; i++)
		segs[i] = pick_seg(w);
	if (key == NULL)
		return;
	POST(mkey_update, MKEY_UPDATE, key, first, segs, nb, pick_flags(w));
}

static void
invalidate_step(struct api_world *w)
{
	struct rte_umr_mkey *key = pick_key(w);
	struct api_queue at = api_pick_queue(w);

	if (key == NULL)
		return;
	POST(mkey_invalidate, MKEY_INVALIDATE, key, pick_flags(w));
}

static void
write_step(struct api_world *w)
{
	struct rte_umr_seg local = pick_seg(w);
	uint64_t remote = pick_addr(w), flags = pick_flags(w);
	uint32_t rkey = pick_lkey(w);
	uint8_t how = fuzz_u8(w->in);
	struct api_queue at = api_pick_queue(w);

	if (how < 0x40) {
		/* Read by the CPU: there must be as much. */
		local.addr = (uintptr_t)w->arena + local.addr % (API_ARENA / 2);
		if (local.length < API_ARENA / 2)
			flags |= RTE_UMR_OP_F_INLINE;
	}
	if (how % 4 == 0) {
		POST(write_imm, WRITE, &local, remote, rkey, how, flags);
	} else {
		POST(write, WRITE, &local, remote, rkey, flags);
	}
}

/* Several segments, by one of five functions. */
static void
segs_step(struct api_world *w)
{
	uint32_t nb = fuzz_u8(w->in) % (API_MAX_SEGS + 1), rkey, i;
	struct rte_umr_seg segs[API_MAX_SEGS];
	uint64_t remote, flags;
	struct api_queue at = api_pick_queue(w);

	for (i = 0; i < nb; i++)
		segs[i] = pick_seg(w);
	remote = pick_addr(w);
	rkey = pick_lkey(w);
	flags = pick_flags(w);
	switch (fuzz_u8(w->in) % 5) {
	case 0:
		POST(write_list, WRITE, segs, nb, remote, rkey, flags);
		break;
	case 1:
		POST(read_list, READ, segs, nb, remote, rkey, flags);
		break;
	case 2:
		POST(send_list, SEND, segs, nb, flags);
		break;
	case 3:
		POST(write_sg, WRITE, segs, nb, remote, rkey, flags);
		break;
	default:
		POST(read_sg, READ, segs, nb, remote, rkey, flags);
	}
}

static void
read_step(struct api_world *w)
{
	struct rte_umr_seg local = pick_seg(w);
	uint64_t remote = pick_addr(w);
	uint32_t rkey = pick_lkey(w);
	struct api_queue at = api_pick_queue(w);

	POST(read, READ, &local, remote, rkey, pick_flags(w));
}

static void
send_step(struct api_world *w)
{
	struct rte_umr_seg local = pick_seg(w);
	uint32_t rkey = pick_lkey(w);
	uint8_t how = fuzz_u8(w->in);
	struct api_queue at = api_pick_queue(w);

	if (how % 3 == 0) {
		POST(send, SEND, &local, pick_flags(w));
	} else if (how % 3 == 1) {
		POST(send_imm, SEND, &local, how, pick_flags(w));
	} else {
		POST(send_inv, SEND, &local, rkey, pick_flags(w));
	}
}

static void
atomic_step(struct api_world *w)
{
	struct rte_umr_seg local = pick_seg(w);
	uint64_t remote = pick_addr(w);
	uint32_t rkey = pick_lkey(w);
	uint8_t how = fuzz_u8(w->in);
	struct api_queue at = api_pick_queue(w);

	if (how < 0xe0)
		local.length = RTE_UMR_ATOMIC_LEN;
	if (how % 2 == 0) {
		POST(fetch_add, FETCH_ADD, &local, remote & ~7ul, rkey, how, pick_flags(w));
	} else {
		POST(cmp_swap, CMP_SWAP, &local, remote, rkey, how, ~how, pick_flags(w));
	}
}

static void
recv_step(struct api_world *w)
{
	uint32_t nb = fuzz_u8(w->in) % 5, i;
	struct rte_umr_seg segs[4];
	struct api_queue at = api_pick_queue(w);
	int ret;

	for (i = 0; i < nb; i++)
		segs[i] = pick_seg(w);
	ret = rte_umr_recv(at.dev_id, at.id, segs, nb, fuzz_u8(w->in) < 0xf0 ? 0 : 1);
	api_ret("rte_umr_recv", ret);
	if (ret >= 0 && !api_is_ours(w, at))
		FUZZ_BROKEN("a receive was accepted by queue %u of device %d", at.id, at.dev_id);
	if (ret >= 0)
		api_posted(&w->recvs[at.id], RTE_UMR_OP_RECV, ret);
}

static void
window_step(struct api_world *w)
{
	struct rte_umr_mw *mw = w->mws[fuzz_u8(w->in) % API_NB_SLOTS];
	struct rte_umr_mw_range range = { .mr = w->mrs[fuzz_u8(w->in) % API_NB_SLOTS] };
	uint8_t how = fuzz_u8(w->in);
	struct api_queue at = api_pick_queue(w);

	range.addr = pick_addr(w);
	range.length = pick_length(w);
	range.access = fuzz_u8(w->in) & 0x3f;
	range.flags = fuzz_u8(w->in) & 0x3;
	if (mw == NULL || range.mr == NULL)
		return;
	if (how < 0xc0) {
		POST(mw_bind, MW_BIND, mw, &range, pick_flags(w));
	} else {
		POST(mw_invalidate, MW_INVALIDATE, mw, pick_flags(w));
	}
}

/* ---- Completions ---- */

unsigned int
api_collect(struct api_world *w, uint16_t queue_id, uint16_t nb_max)
{
	struct rte_umr_completion done[MAX_DONE];
	uint16_t nb, nb_recv;

	nb = rte_umr_completed_status(w->dev_id, queue_id, nb_max, done);
	FUZZ_NEED(nb <= nb_max);
	api_done(&w->sends[queue_id], done, nb);
	nb_recv = rte_umr_recv_completed(w->dev_id, queue_id, nb_max, done);
	FUZZ_NEED(nb_recv <= nb_max);
	api_done(&w->recvs[queue_id], done, nb_recv);
	return nb + nb_recv;
}

static void
collect_step(struct api_world *w)
{
	uint16_t nb_max = fuzz_u8(w->in) % (MAX_DONE + 1);
	struct api_queue at = api_pick_queue(w);
	unsigned int nb_polls;

	api_ret("rte_umr_submit", rte_umr_submit(at.dev_id, at.id));
	if (!api_is_ours(w, at))
		return;
	/* The model works in a thread of its own; what is not done yet comes later. */
	for (nb_polls = 0; nb_polls < 1000; nb_polls++)
		api_collect(w, at.id, nb_max);
}

static void
check_step(struct api_world *w)
{
	struct rte_umr_mkey *key = pick_key(w);
	struct rte_umr_mkey_error error;

	if (key != NULL)
		api_ret("rte_umr_mkey_check", rte_umr_mkey_check(key, &error));
}

static void
lookup_step(struct api_world *w)
{
	struct rte_umr_seg segs[2];
	struct api_queue at = api_pick_queue(w);

	segs[0] = pick_seg(w);
	segs[1] = pick_seg(w);
	FUZZ_NEED(rte_umr_addr_to_mkey_burst(at.dev_id, segs, 2) <= 2);
	rte_umr_desc_avail(at.dev_id, at.id);
}

void
api_data_step(struct api_world *w, uint8_t kind)
{
	static void (*const steps[])(struct api_world *w) = {
		list_step, list_step, interleaved_step, configure_step, update_step,
		invalidate_step, write_step, segs_step, read_step, send_step, atomic_step,
		recv_step, window_step, collect_step, check_step, lookup_step,
	};

	static_assert(RTE_DIM(steps) == API_NB_DATA_STEPS, "a step of each kind");
	steps[kind](w);
}
