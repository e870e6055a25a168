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
	unsigned int i;

	/* The next one that there is. */
	for (i = 0; i < API_NB_KEYS; i++) {
		if (w->keys[(pick + i) % API_NB_KEYS] != NULL)
			return w->keys[(pick + i) % API_NB_KEYS];
	}
	return NULL;
}

/* ---- Operations; those that no queue of ours takes must be rejected ---- */

static void
posted(struct api_world *w, int16_t dev_id, uint16_t queue_id, const char *name, uint8_t op,
	int ret)
{
	api_ret(name, ret);
	if (ret >= 0 && (dev_id != w->dev_id || queue_id >= API_NB_QUEUES))
		FUZZ_BROKEN("%s() was accepted by queue %u of device %d", name, queue_id, dev_id);
	if (ret >= 0)
		api_posted(&w->sends[queue_id], op, ret);
}

static void
list_step(struct api_world *w)
{
	struct rte_umr_mkey *key = pick_key(w);
	struct rte_umr_seg segs[API_MAX_SEGS];
	uint32_t nb = fuzz_u8(w->in) % (API_MAX_SEGS + 1), access, i;
	uint16_t queue_id;
	int16_t dev_id;
	int ret;

	queue_id = api_pick_queue(w, &dev_id);
	access = fuzz_u8(w->in);
	for (i = 0; i < nb; i++)
		segs[i] = pick_seg(w);
	if (key == NULL)
		return;
	ret = rte_umr_mkey_list(dev_id, queue_id, key, access & 0x3f, segs, nb, pick_flags(w));
	posted(w, dev_id, queue_id, "rte_umr_mkey_list", RTE_UMR_OP_MKEY_LIST, ret);
}

static void
entries_read(struct api_world *w, struct rte_umr_interleaved *entries, uint32_t nb)
{
	uint32_t i;

	for (i = 0; i < nb; i++) {
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
	uint16_t queue_id;
	int16_t dev_id;
	int ret;

	queue_id = api_pick_queue(w, &dev_id);
	access = fuzz_u8(w->in) & 0x3f;
	repeat = pick_length(w);
	entries_read(w, entries, nb);
	if (key == NULL)
		return;
	ret = rte_umr_mkey_interleaved(dev_id, queue_id, key, access, repeat, entries, nb,
				       pick_flags(w));
	posted(w, dev_id, queue_id, "rte_umr_mkey_interleaved", RTE_UMR_OP_MKEY_INTERLEAVED, ret);
}

static void
sig_read(struct api_world *w, struct rte_umr_sig *sig)
{
	static const uint16_t sizes[] = { 0, 512, 520, 4096, 4160, 7 };
	struct rte_umr_sig_domain *domains[] = { &sig->mem, &sig->wire };
	unsigned int i;

	memset(sig, 0, sizeof(*sig));
	for (i = 0; i < RTE_DIM(domains); i++) {
		domains[i]->type = fuzz_u8(w->in) % 8;
		domains[i]->flags = fuzz_u8(w->in) & 0x1f;
		domains[i]->block_size = sizes[fuzz_u8(w->in) % RTE_DIM(sizes)];
		domains[i]->app_tag = fuzz_u16(w->in);
	}
	sig->check_mask = fuzz_u8(w->in);
	sig->flags = fuzz_u8(w->in) & 0x3;
}

static void
configure_step(struct api_world *w)
{
	struct rte_umr_interleaved interleaved[API_MAX_SEGS];
	struct rte_umr_seg segs[API_MAX_SEGS];
	struct rte_umr_fixed fixed[API_MAX_SEGS];
	struct rte_umr_mkey_op op = { .mkey = pick_key(w) };
	struct rte_umr_sig sig;
	uint16_t queue_id;
	int16_t dev_id;
	uint32_t i;
	int ret;

	queue_id = api_pick_queue(w, &dev_id);
	op.setters = fuzz_u8(w->in) & ~RTE_UMR_MKEY_SET_CRYPTO;
	op.access = fuzz_u8(w->in) & 0x3f;
	op.layout = fuzz_u8(w->in) % 4;
	op.nb_entries = fuzz_u8(w->in) % (API_MAX_SEGS + 1);
	op.repeat = pick_length(w);
	sig_read(w, &sig);
	op.sig = fuzz_u8(w->in) == 0xff ? NULL : &sig;
	entries_read(w, interleaved, op.nb_entries);
	for (i = 0; i < op.nb_entries; i++) {
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
	ret = rte_umr_mkey_configure(dev_id, queue_id, &op, pick_flags(w));
	posted(w, dev_id, queue_id, "rte_umr_mkey_configure", RTE_UMR_OP_MKEY_CONFIGURE, ret);
}

static void
update_step(struct api_world *w)
{
	struct rte_umr_mkey *key = pick_key(w);
	struct rte_umr_seg segs[API_MAX_SEGS];
	uint32_t nb = fuzz_u8(w->in) % (API_MAX_SEGS + 1), first = fuzz_u8(w->in) % 24, i;
	uint16_t queue_id;
	int16_t dev_id;
	int ret;

	queue_id = api_pick_queue(w, &dev_id);
	for (i = 0; i < nb; i++)
		segs[i] = pick_seg(w);
	if (key == NULL)
		return;
	ret = rte_umr_mkey_update(dev_id, queue_id, key, first, segs, nb, pick_flags(w));
	posted(w, dev_id, queue_id, "rte_umr_mkey_update", RTE_UMR_OP_MKEY_UPDATE, ret);
}

static void
invalidate_step(struct api_world *w)
{
	struct rte_umr_mkey *key = pick_key(w);
	uint16_t queue_id;
	int16_t dev_id;
	int ret;

	queue_id = api_pick_queue(w, &dev_id);
	if (key == NULL)
		return;
	ret = rte_umr_mkey_invalidate(dev_id, queue_id, key, pick_flags(w));
	posted(w, dev_id, queue_id, "rte_umr_mkey_invalidate", RTE_UMR_OP_MKEY_INVALIDATE, ret);
}

static void
write_step(struct api_world *w)
{
	struct rte_umr_seg local = pick_seg(w);
	uint64_t remote = pick_addr(w), flags = pick_flags(w);
	uint32_t rkey = pick_lkey(w);
	uint8_t how = fuzz_u8(w->in);
	uint16_t queue_id;
	int16_t dev_id;
	int ret;

	queue_id = api_pick_queue(w, &dev_id);
	if (how < 0x40) {
		/* Read by the CPU: there must be as much. */
		local.addr = (uintptr_t)w->arena + local.addr % (API_ARENA / 2);
		if (local.length < API_ARENA / 2)
			flags |= RTE_UMR_OP_F_INLINE;
	}
	if (how % 4 == 0) {
		ret = rte_umr_write_imm(dev_id, queue_id, &local, remote, rkey, how, flags);
		posted(w, dev_id, queue_id, "rte_umr_write_imm", RTE_UMR_OP_WRITE, ret);
	} else {
		ret = rte_umr_write(dev_id, queue_id, &local, remote, rkey, flags);
		posted(w, dev_id, queue_id, "rte_umr_write", RTE_UMR_OP_WRITE, ret);
	}
}

/* Several segments, by one of five functions. */
static void
segs_step(struct api_world *w)
{
	uint32_t nb = fuzz_u8(w->in) % (API_MAX_SEGS + 1), rkey, i;
	struct rte_umr_seg segs[API_MAX_SEGS];
	uint64_t remote, flags;
	uint16_t queue_id;
	int16_t dev_id;
	int ret;

	queue_id = api_pick_queue(w, &dev_id);
	for (i = 0; i < nb; i++)
		segs[i] = pick_seg(w);
	remote = pick_addr(w);
	rkey = pick_lkey(w);
	flags = pick_flags(w);
	switch (fuzz_u8(w->in) % 5) {
	case 0:
		ret = rte_umr_write_list(dev_id, queue_id, segs, nb, remote, rkey, flags);
		posted(w, dev_id, queue_id, "rte_umr_write_list", RTE_UMR_OP_WRITE, ret);
		break;
	case 1:
		ret = rte_umr_read_list(dev_id, queue_id, segs, nb, remote, rkey, flags);
		posted(w, dev_id, queue_id, "rte_umr_read_list", RTE_UMR_OP_READ, ret);
		break;
	case 2:
		ret = rte_umr_send_list(dev_id, queue_id, segs, nb, flags);
		posted(w, dev_id, queue_id, "rte_umr_send_list", RTE_UMR_OP_SEND, ret);
		break;
	case 3:
		ret = rte_umr_write_sg(dev_id, queue_id, segs, nb, remote, rkey, flags);
		posted(w, dev_id, queue_id, "rte_umr_write_sg", RTE_UMR_OP_WRITE, ret);
		break;
	default:
		ret = rte_umr_read_sg(dev_id, queue_id, segs, nb, remote, rkey, flags);
		posted(w, dev_id, queue_id, "rte_umr_read_sg", RTE_UMR_OP_READ, ret);
	}
}

static void
read_step(struct api_world *w)
{
	struct rte_umr_seg local = pick_seg(w);
	uint64_t remote = pick_addr(w);
	uint32_t rkey = pick_lkey(w);
	uint16_t queue_id;
	int16_t dev_id;
	int ret;

	queue_id = api_pick_queue(w, &dev_id);
	ret = rte_umr_read(dev_id, queue_id, &local, remote, rkey, pick_flags(w));
	posted(w, dev_id, queue_id, "rte_umr_read", RTE_UMR_OP_READ, ret);
}

static void
send_step(struct api_world *w)
{
	struct rte_umr_seg local = pick_seg(w);
	uint32_t rkey = pick_lkey(w);
	uint8_t how = fuzz_u8(w->in);
	uint16_t queue_id;
	int16_t dev_id;
	int ret;

	queue_id = api_pick_queue(w, &dev_id);
	if (how % 3 == 0) {
		ret = rte_umr_send(dev_id, queue_id, &local, pick_flags(w));
		posted(w, dev_id, queue_id, "rte_umr_send", RTE_UMR_OP_SEND, ret);
	} else if (how % 3 == 1) {
		ret = rte_umr_send_imm(dev_id, queue_id, &local, how, pick_flags(w));
		posted(w, dev_id, queue_id, "rte_umr_send_imm", RTE_UMR_OP_SEND, ret);
	} else {
		ret = rte_umr_send_inv(dev_id, queue_id, &local, rkey, pick_flags(w));
		posted(w, dev_id, queue_id, "rte_umr_send_inv", RTE_UMR_OP_SEND, ret);
	}
}

static void
atomic_step(struct api_world *w)
{
	struct rte_umr_seg local = pick_seg(w);
	uint64_t remote = pick_addr(w);
	uint32_t rkey = pick_lkey(w);
	uint8_t how = fuzz_u8(w->in);
	uint16_t queue_id;
	int16_t dev_id;
	int ret;

	queue_id = api_pick_queue(w, &dev_id);
	if (how < 0xe0)
		local.length = RTE_UMR_ATOMIC_LEN;
	if (how % 2 == 0) {
		ret = rte_umr_fetch_add(dev_id, queue_id, &local, remote & ~7ul, rkey, how,
					pick_flags(w));
		posted(w, dev_id, queue_id, "rte_umr_fetch_add", RTE_UMR_OP_FETCH_ADD, ret);
	} else {
		ret = rte_umr_cmp_swap(dev_id, queue_id, &local, remote, rkey, how, ~how,
				       pick_flags(w));
		posted(w, dev_id, queue_id, "rte_umr_cmp_swap", RTE_UMR_OP_CMP_SWAP, ret);
	}
}

static void
recv_step(struct api_world *w)
{
	uint32_t nb = fuzz_u8(w->in) % 5, i;
	struct rte_umr_seg segs[4];
	uint16_t queue_id;
	int16_t dev_id;
	int ret;

	queue_id = api_pick_queue(w, &dev_id);
	for (i = 0; i < nb; i++)
		segs[i] = pick_seg(w);
	ret = rte_umr_recv(dev_id, queue_id, segs, nb, fuzz_u8(w->in) < 0xf0 ? 0 : 1);
	api_ret("rte_umr_recv", ret);
	if (ret >= 0 && (dev_id != w->dev_id || queue_id >= API_NB_QUEUES))
		FUZZ_BROKEN("a receive was accepted by queue %u of device %d", queue_id, dev_id);
	if (ret >= 0)
		api_posted(&w->recvs[queue_id], RTE_UMR_OP_RECV, ret);
}

static void
window_step(struct api_world *w)
{
	struct rte_umr_mw *mw = w->mws[fuzz_u8(w->in) % API_NB_SLOTS];
	struct rte_umr_mw_range range = { .mr = w->mrs[fuzz_u8(w->in) % API_NB_SLOTS] };
	uint8_t how = fuzz_u8(w->in);
	uint16_t queue_id;
	int16_t dev_id;
	int ret;

	queue_id = api_pick_queue(w, &dev_id);
	range.addr = pick_addr(w);
	range.length = pick_length(w);
	range.access = fuzz_u8(w->in) & 0x3f;
	range.flags = fuzz_u8(w->in) & 0x3;
	if (mw == NULL || range.mr == NULL)
		return;
	if (how < 0xc0) {
		ret = rte_umr_mw_bind(dev_id, queue_id, mw, &range, pick_flags(w));
		posted(w, dev_id, queue_id, "rte_umr_mw_bind", RTE_UMR_OP_MW_BIND, ret);
	} else {
		ret = rte_umr_mw_invalidate(dev_id, queue_id, mw, pick_flags(w));
		posted(w, dev_id, queue_id, "rte_umr_mw_invalidate", RTE_UMR_OP_MW_INVALIDATE, ret);
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
	uint16_t nb_max = fuzz_u8(w->in) % (MAX_DONE + 1), queue_id;
	unsigned int nb_polls;
	int16_t dev_id;

	queue_id = api_pick_queue(w, &dev_id);
	api_ret("rte_umr_submit", rte_umr_submit(dev_id, queue_id));
	if (dev_id != w->dev_id || queue_id >= API_NB_QUEUES)
		return;
	/* The model works in a thread of its own; what is not done yet comes later. */
	for (nb_polls = 0; nb_polls < 1000; nb_polls++)
		api_collect(w, queue_id, nb_max);
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
	uint16_t queue_id;
	int16_t dev_id;

	queue_id = api_pick_queue(w, &dev_id);
	segs[0] = pick_seg(w);
	segs[1] = pick_seg(w);
	FUZZ_NEED(rte_umr_addr_to_mkey_burst(dev_id, segs, 2) <= 2);
	rte_umr_desc_avail(dev_id, queue_id);
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
