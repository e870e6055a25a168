/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include <rte_mbuf.h>

#include "soak/ops.h"
#include "soak/plan_view.h"
#include "soak/recover.h"
#include "soak/remote.h"

#define MAX_BURST	8u
#define RECORDS		32u
/* An unused key: the highest indices are allocated last, and never reached. */
#define NO_SUCH_KEY	UINT32_C(0xfffff042)
#define DECOY_LEN	16u

void
soak_lane_wrong(struct soak_lane *lane, uint64_t *counter, uint64_t nb, const char *format, ...)
{
	va_list ap;

	*counter += nb;
	if (lane->why[0] != '\0')
		return;
	va_start(ap, format);
	vsnprintf(lane->why, sizeof(lane->why), format, ap);
	va_end(ap);
}

static bool
is_window(const struct soak_view *view)
{
	return view->how == SOAK_BY_WINDOW_1 || view->how == SOAK_BY_WINDOW_2B;
}

static struct rte_umr_mw *
view_window(const struct soak_lane *lane, const struct soak_view *view)
{
	return lane->ends[view->side].windows[view->how == SOAK_BY_WINDOW_2B][view->first_key];
}

/* The key of a view for transfers. */
static struct rte_umr_mkey *
view_mkey(const struct soak_lane *lane, const struct soak_view *view)
{
	if (view->how == SOAK_BY_SIGNATURE)
		return lane->ends[view->side].sig_keys[view->first_key];
	return lane->ends[view->side].keys[view->first_key + (view->how == SOAK_BY_NESTED ? 2 : 0)];
}

static const struct rte_umr_mr *
view_mr(const struct soak_lane *lane, const struct soak_view *view)
{
	const struct soak_end *end = &lane->ends[view->side];

	if (view->memory == SOAK_GONE)
		return end->gone;
	if (view->memory == SOAK_HOLE)
		return end->hole;
	return view->how == SOAK_BY_CLOSED ? end->closed : end->plain[view->memory];
}

static uint32_t
view_key(const struct soak_lane *lane, const struct soak_view *view, bool is_remote)
{
	const struct rte_umr_mr *mr;

	if (is_window(view))
		return view_window(lane, view)->rkey;
	if (view->how >= SOAK_BY_LIST)
		return view_mkey(lane, view)->key;
	mr = view_mr(lane, view);
	return is_remote ? mr->rkey : mr->lkey;
}

/* Address of a byte of a view in operations. */
static uint64_t
view_addr(const struct soak_lane *lane, const struct soak_view *view, uint64_t from)
{
	const struct soak_end *end = &lane->ends[view->side];

	if (view->how == SOAK_BY_WINDOW_2B && view->split != 0)
		return from;
	if (view->how >= SOAK_BY_LIST && !is_window(view))
		return view->key_base + from;
	if (view->memory == SOAK_GONE)
		return (uintptr_t)end->gone_addr + from;
	if (view->memory == SOAK_HOLE)
		return (uintptr_t)end->hole_addr + from;
	return end->addrs[view->memory] + view->base + from;
}

static uint32_t
key_twist(uint32_t key, enum soak_twist twist)
{
	switch (twist) {
	case SOAK_NO_SUCH_KEY:
		return NO_SUCH_KEY;
	case SOAK_OLD_TAG:
		return (key & ~UINT32_C(0xff)) | ((key - 1) & 0xff);
	default:
		return key;
	}
}

static struct rte_umr_seg
near_seg(const struct soak_lane *lane, const struct soak_op *op)
{
	const struct soak_view *view = &lane->plan.views[op->view[SOAK_NEAR]];

	return (struct rte_umr_seg){
		.addr = view_addr(lane, view, op->from[SOAK_NEAR]), .length = op->len,
		.lkey = key_twist(view_key(lane, view, false), op->twist[SOAK_NEAR]),
	};
}

/* Convert pieces of a view to segments; returns nb. */
static uint32_t
view_segs(const struct soak_lane *lane, const struct soak_view *view, uint32_t first, uint32_t nb,
	  struct rte_umr_seg *segs)
{
	const struct soak_end *end = &lane->ends[view->side];
	const uintptr_t base = (uintptr_t)end->twins[view->memory].memory + view->base;

	for (uint32_t i = 0; i < nb; i++)
		segs[i] = (struct rte_umr_seg){
			.addr = base + view->layout.pieces[first + i].offset,
			.length = view->layout.pieces[first + i].len,
			.lkey = end->mrs[view->memory]->lkey,
		};
	return nb;
}

static int
list_post(struct soak_lane *lane, const struct soak_view *view, const struct soak_op *op,
	  uint64_t flags)
{
	const struct soak_queue *q = lane->queues[op->by];
	const uint32_t nb = view->layout.nb_pieces;
	struct rte_umr_seg segs[LAYOUT_MAX_PIECES];
	uint32_t first = 0, end = nb;

	if (view->how == SOAK_BY_NESTED && op->part == 0)
		end = view->split;
	else if (view->how == SOAK_BY_NESTED)
		first = view->split;
	view_segs(lane, view, first, end - first, segs);
	/* Entries before their update, in a view that has one. */
	for (uint32_t i = 0; i < view->nb_exchanged; i++) {
		segs[view->split + i].addr = (uintptr_t)lane->ends[view->side].twins[0].memory;
		segs[view->split + i].length = DECOY_LEN;
		segs[view->split + i].lkey = lane->ends[view->side].mrs[0]->lkey;
	}
	return rte_umr_mkey_list(q->dev_id, q->queue_id,
				 view->how == SOAK_BY_SIGNATURE ? view_mkey(lane, view) :
				 lane->ends[view->side].keys[view->first_key + op->part],
				 view->access, segs, end - first, flags);
}

static uint32_t
pieces_len(const struct soak_view *view, uint32_t first, uint32_t end)
{
	uint32_t len = 0;

	for (uint32_t i = first; i < end; i++)
		len += view->layout.pieces[i].len;
	return len;
}

static int
nested_post(struct soak_lane *lane, const struct soak_view *view, const struct soak_op *op,
	    uint64_t flags)
{
	const struct soak_queue *q = lane->queues[op->by];
	struct rte_umr_mkey *const *keys = &lane->ends[view->side].keys[view->first_key];
	const struct rte_umr_seg segs[] = {
		{ 0, pieces_len(view, 0, view->split), keys[0]->key },
		{ 0, pieces_len(view, view->split, view->layout.nb_pieces), keys[1]->key },
	};

	return rte_umr_mkey_list(q->dev_id, q->queue_id, keys[2], view->access, segs, 2, flags);
}

/*
 * Configure the access and layout of a view by the function of its kind, or its signature, of which
 * access and layout follow by a separate function if the view has a split.
 */
static int
configure_post(struct soak_lane *lane, const struct soak_view *view, const struct soak_op *op,
	       uint64_t flags)
{
	const struct soak_queue *q = lane->queues[op->by];
	const uint32_t nb = view->layout.nb_pieces;
	struct rte_umr_interleaved entries[LAYOUT_MAX_PIECES];
	struct rte_umr_seg segs[LAYOUT_MAX_PIECES];
	struct rte_umr_mkey_op mkey_op = {
		.mkey = view_mkey(lane, view), .setters = RTE_UMR_MKEY_SET_ACCESS_LAYOUT,
		.access = view->access, .base_addr = view->key_base,
		.nb_entries = view_segs(lane, view, 0, nb, segs), .segs = segs,
	};

	if (op->kind == SOAK_SIGN) {
		mkey_op.setters = RTE_UMR_MKEY_SET_SIG |
				  (view->split == 0 ? RTE_UMR_MKEY_SET_ACCESS_LAYOUT : 0);
		mkey_op.sig = &view->sig;
	}
	if (view->layout.is_interleaved) {
		for (uint32_t i = 0; i < nb; i++)
			entries[i] = verify_stride(segs[i], view->layout.pieces[i].skip);
		mkey_op.layout = RTE_UMR_LAYOUT_INTERLEAVED;
		mkey_op.repeat = view->layout.repeat;
		mkey_op.interleaved = entries;
	}
	if (op->kind == SOAK_INTERLEAVED)
		return rte_umr_mkey_interleaved(q->dev_id, q->queue_id, mkey_op.mkey, view->access,
						mkey_op.repeat, entries, nb, flags);
	return rte_umr_mkey_configure(q->dev_id, q->queue_id, &mkey_op, flags);
}

static int
update_post(struct soak_lane *lane, const struct soak_view *view, const struct soak_op *op,
	    uint64_t flags)
{
	const struct soak_queue *q = lane->queues[op->by];
	struct rte_umr_seg segs[LAYOUT_MAX_PIECES];

	view_segs(lane, view, view->split, view->nb_exchanged, segs);
	return rte_umr_mkey_update(q->dev_id, q->queue_id, view_mkey(lane, view), view->split, segs,
				   view->nb_exchanged, flags);
}

/* The key of each mbuf is looked up by address; the lookup returns the region that starts last. */
static int
mbufs_post(struct soak_lane *lane, const struct soak_view *view, const struct soak_op *op,
	   uint64_t flags)
{
	const struct soak_queue *q = lane->queues[op->by];
	const uint32_t nb = view->layout.nb_pieces;
	uint8_t *memory = lane->ends[view->side].twins[view->memory].memory;
	struct rte_mbuf mbufs[LAYOUT_MAX_PIECES + 1];
	const struct rte_umr_mbuf_op chain = {
		.mkey = view_mkey(lane, view), .mbuf = &mbufs[view->split != 0 ? 0 : 1],
		.offset = view->split != 0 ? DECOY_LEN : 0,
		.len = view->split != 0 ? (uint32_t)view->total : RTE_UMR_MBUF_REST,
	};

	memset(mbufs, 0, sizeof(mbufs));
	/* Bytes at the start of the chain that are skipped. */
	mbufs[0].buf_addr = memory;
	mbufs[0].data_len = DECOY_LEN;
	mbufs[0].next = &mbufs[1];
	for (uint32_t i = 0; i < nb; i++) {
		mbufs[i + 1].buf_addr = memory + view->base + view->layout.pieces[i].offset;
		mbufs[i + 1].data_len = (uint16_t)view->layout.pieces[i].len;
		mbufs[i + 1].next = i + 1 < nb ? &mbufs[i + 2] : NULL;
	}
	return rte_umr_mbuf_mkey_list(q->dev_id, q->queue_id, view->access, &chain, flags);
}

static int
bind_post(struct soak_lane *lane, const struct soak_view *view, const struct soak_op *op,
	  uint64_t flags)
{
	const struct soak_queue *q = lane->queues[op->by];
	const struct rte_umr_mw_range range = {
		.mr = lane->ends[view->side].windows_mr,
		.addr = (uintptr_t)lane->ends[view->side].twins[SOAK_PINNED].memory + view->base,
		.length = view->total,
		.access = view->access & ~RTE_UMR_ACCESS_LOCAL_WRITE,
		.flags = view->how == SOAK_BY_WINDOW_2B && view->split != 0 ?
				 RTE_UMR_MW_BIND_F_ZERO_BASED : 0,
	};

	return rte_umr_mw_bind(q->dev_id, q->queue_id, view_window(lane, view), &range, flags);
}

/* Enqueue an operation that configures or invalidates a key. */
static int
key_post(struct soak_lane *lane, const struct soak_op *op, uint64_t flags)
{
	const struct soak_queue *q = lane->queues[op->by];
	const struct soak_view *view =
		&lane->plan.views[op->view[op->view[SOAK_NEAR] >= 0 ? SOAK_NEAR : SOAK_FAR]];

	switch (op->kind) {
	case SOAK_LIST:
		return list_post(lane, view, op, flags);
	case SOAK_NESTED:
		return nested_post(lane, view, op, flags);
	case SOAK_INTERLEAVED:
	case SOAK_CONFIGURE:
	case SOAK_SIGN:
		return configure_post(lane, view, op, flags);
	case SOAK_UPDATE:
		return update_post(lane, view, op, flags);
	case SOAK_MBUF_LIST:
		return mbufs_post(lane, view, op, flags);
	case SOAK_INVALIDATE:
		return rte_umr_mkey_invalidate(q->dev_id, q->queue_id, view_mkey(lane, view),
					       flags);
	case SOAK_MW_BIND:
		return bind_post(lane, view, op, flags);
	default:
		return rte_umr_mw_invalidate(q->dev_id, q->queue_id, view_window(lane, view),
					     flags);
	}
}

static int
transfer_post(struct soak_lane *lane, const struct soak_op *op, uint64_t flags)
{
	const struct soak_queue *q = lane->queues[SOAK_NEAR];
	const struct soak_view *far_view = &lane->plan.views[op->view[SOAK_FAR]];
	const struct rte_umr_seg seg = near_seg(lane, op);
	const uint64_t raddr = view_addr(lane, far_view, op->from[SOAK_FAR]);
	uint32_t rkey = 0;

	if (far_view->how != SOAK_BY_RECEIVE)
		rkey = key_twist(view_key(lane, far_view, true), op->twist[SOAK_FAR]);
	switch (op->kind) {
	case SOAK_WRITE:
		return rte_umr_write(q->dev_id, q->queue_id, &seg, raddr, rkey, flags);
	case SOAK_WRITE_IMM:
		return rte_umr_write_imm(q->dev_id, q->queue_id, &seg, raddr, rkey, op->imm, flags);
	case SOAK_WRITE_INLINE:
		return rte_umr_write(q->dev_id, q->queue_id, &seg, raddr, rkey,
				     flags | RTE_UMR_OP_F_INLINE);
	case SOAK_READ:
		return rte_umr_read(q->dev_id, q->queue_id, &seg, raddr, rkey, flags);
	case SOAK_SEND:
		return rte_umr_send(q->dev_id, q->queue_id, &seg, flags);
	case SOAK_SEND_IMM:
		return rte_umr_send_imm(q->dev_id, q->queue_id, &seg, op->imm, flags);
	case SOAK_SEND_INV:
		return rte_umr_send_inv(q->dev_id, q->queue_id, &seg,
					view_key(lane, &lane->plan.views[op->part], true),
					flags);
	case SOAK_SEND_INLINE:
		return rte_umr_send(q->dev_id, q->queue_id, &seg, flags | RTE_UMR_OP_F_INLINE);
	case SOAK_FETCH_ADD:
		return rte_umr_fetch_add(q->dev_id, q->queue_id, &seg, raddr, rkey,
					 op->operands[0], flags);
	default:
		return rte_umr_cmp_swap(q->dev_id, q->queue_id, &seg, raddr, rkey,
					op->operands[0], op->operands[1], flags);
	}
}

/* Add an accepted operation to the ledger; op -1: not in the plan. */
static void
op_enter(struct soak_lane *lane, struct soak_queue *q, int op, enum soak_kind kind, uint32_t len,
	 unsigned int may, uint16_t idx)
{
	const struct soak_due due = {
		.length = soak_kind_is_transfer(kind) && kind != SOAK_FETCH_ADD &&
			  kind != SOAK_CMP_SWAP ? len : 0,
		.may = (uint16_t)may, .op = (uint8_t)soak_kind_type(kind),
	};

	soak_ledger_take(&q->sends, idx, &due);
	q->sent[q->nb_sent++ % SOAK_LEDGER_SIZE] = (int16_t)op;
	lane->tally.kinds[kind]++;
	lane->tally.nb_operations++;
}

/* Number of operations that can form a burst with the first one. */
static uint32_t
burst_len(const struct soak_lane *lane, uint32_t first)
{
	const struct soak_op *op = &lane->plan.ops[first];
	uint32_t nb = 1;

	if (!lane->plan.has_bursts ||
	    (op->kind != SOAK_WRITE && op->kind != SOAK_READ && op->kind != SOAK_SEND))
		return 1;
	while (nb < MAX_BURST && first + nb < lane->plan.nb_ops &&
	       lane->plan.ops[first + nb].kind == op->kind && lane->plan.fault_at != first + nb)
		nb++;
	return nb;
}

static int
burst_post(struct soak_lane *lane, uint32_t first, uint32_t nb, uint64_t flags)
{
	struct soak_queue *q = lane->queues[SOAK_NEAR];
	const enum soak_kind kind = lane->plan.ops[first].kind;
	struct rte_umr_rdma_op ops[MAX_BURST];
	struct rte_umr_seg segs[MAX_BURST];
	int ret;

	for (uint32_t i = 0; i < nb; i++) {
		const struct soak_op *op = &lane->plan.ops[first + i];
		const struct soak_view *far_view = &lane->plan.views[op->view[SOAK_FAR]];

		segs[i] = near_seg(lane, op);
		ops[i] = (struct rte_umr_rdma_op){ .local = segs[i] };
		if (kind == SOAK_SEND)
			continue;
		ops[i].remote_addr = view_addr(lane, far_view, op->from[SOAK_FAR]);
		ops[i].rkey = key_twist(view_key(lane, far_view, true), op->twist[SOAK_FAR]);
	}
	if (kind == SOAK_WRITE)
		ret = rte_umr_write_burst(q->dev_id, q->queue_id, ops, (uint16_t)nb, flags);
	else if (kind == SOAK_READ)
		ret = rte_umr_read_burst(q->dev_id, q->queue_id, ops, (uint16_t)nb, flags);
	else
		ret = rte_umr_send_burst(q->dev_id, q->queue_id, segs, (uint16_t)nb, flags);
	lane->tally.kinds[SOAK_BURST] += ret > 0;
	/* A burst returns no index. */
	for (int i = 0; i < ret; i++)
		op_enter(lane, q, (int)first + i, kind, lane->plan.ops[first + (uint32_t)i].len,
			 lane->plan.ops[first + (uint32_t)i].may, (uint16_t)q->sends.nb_taken);
	return ret;
}

/* The meaning of some rejections depends on the state of the queue; all others are errors. */
static int
rejected(struct soak_lane *lane, const char *what, int ret)
{
	if (ret != -ENOSPC && ret != -EIO && ret != -ENOTCONN)
		soak_lane_odd(lane, "%s was rejected: %s", what, rte_strerror(-ret));
	return ret;
}

int
soak_ops_post(struct soak_lane *lane, uint32_t first)
{
	const struct soak_op *op = &lane->plan.ops[first];
	const uint32_t nb = burst_len(lane, first);
	uint64_t flags = op->is_submitted ? RTE_UMR_OP_F_SUBMIT : 0;
	int ret;

	if (op->is_fenced)
		flags |= RTE_UMR_OP_F_FENCE;
	if (nb > 1) {
		ret = burst_post(lane, first, nb, flags);
		return ret < 0 ? rejected(lane, "a burst", ret) : ret;
	}
	ret = soak_kind_is_transfer(op->kind) ? transfer_post(lane, op, flags) :
						key_post(lane, op, flags);
	if (ret < 0)
		return rejected(lane, soak_kind_names[op->kind], ret);
	op_enter(lane, lane->queues[op->by], (int)first, op->kind, op->len, op->may, (uint16_t)ret);
	return 1;
}

int
soak_ops_fill(struct soak_lane *lane, bool is_submitted)
{
	struct soak_queue *q = lane->queues[SOAK_NEAR];
	const struct soak_end *far_end = &lane->ends[SOAK_FAR];
	const struct rte_umr_seg seg = {
		.addr = (uintptr_t)lane->ends[SOAK_NEAR].twins[SOAK_PINNED].memory,
		.lkey = lane->ends[SOAK_NEAR].plain[SOAK_PINNED]->lkey,
	};
	int ret;

	if (!soak_ledger_has_room(&q->sends))
		return -ENOSPC;
	ret = rte_umr_write(q->dev_id, q->queue_id, &seg,
			    far_end->addrs[SOAK_PINNED], far_end->plain[SOAK_PINNED]->rkey,
			    is_submitted ? RTE_UMR_OP_F_SUBMIT : 0);
	if (ret < 0)
		return rejected(lane, "an empty write", ret);
	op_enter(lane, q, -1, SOAK_WRITE, 0, SOAK_STATUS(SUCCESS), (uint16_t)ret);
	return 1;
}

/* Post a receive for the message or the immediate data of an operation. */
static bool
recv_post(struct soak_lane *lane, uint32_t number)
{
	struct soak_queue *q = lane->queues[SOAK_FAR];
	const struct soak_op *op = &lane->plan.ops[number];
	const struct soak_view *view = &lane->plan.views[op->view[SOAK_FAR]];
	const bool has_segs = op->kind != SOAK_WRITE_IMM;
	struct rte_umr_seg segs[LAYOUT_MAX_PIECES];
	const uint32_t nb =
		has_segs ? view_segs(lane, view, 0, view->layout.nb_pieces, segs) : 0;
	const struct soak_due due = {
		.length = op->len,
		.may = (uint16_t)(op->may & SOAK_STATUS(REMOTE_INVALID) ?
					  SOAK_STATUS(LOCAL_LENGTH) : SOAK_STATUS(SUCCESS)),
		.op = (uint8_t)(has_segs ? RTE_UMR_OP_RECV : RTE_UMR_OP_RECV_WRITE_IMM),
	};
	const int ret = rte_umr_recv(q->dev_id, q->queue_id, segs, nb, 0);

	if (ret < 0) {
		if (ret != -EIO || !soak_lane_is_lost(lane))
			soak_lane_odd(lane, "a receive was rejected: %s", rte_strerror(-ret));
		return false;
	}
	soak_ledger_take(&q->recvs, (uint16_t)ret, &due);
	q->posted[q->nb_posted++] = (int16_t)number;
	lane->tally.kinds[SOAK_RECV]++;
	lane->tally.nb_operations++;
	return true;
}

void
soak_ops_post_recvs(struct soak_lane *lane)
{
	/* A server posts none. */
	if (lane->queues[SOAK_FAR] == NULL)
		return;
	/* A failing queue also flushes its receives. */
	if (lane->plan.fault != SOAK_NB_FAULTS)
		lane->queues[SOAK_FAR]->recvs.anywhere |= SOAK_STATUS(FLUSHED);
	for (uint32_t i = 0; i < lane->plan.nb_ops; i++)
		if (soak_kind_takes_recv(lane->plan.ops[i].kind) &&
		    !lane->plan.ops[i].has_no_recv && !recv_post(lane, i))
			return;
}

void
soak_ops_begin(struct soak_lane *lane)
{
	for (unsigned int i = 0; i < lane->nb_own; i++) {
		struct soak_queue *q = lane->own[i];

		q->first_send = q->sends.nb_taken;
		q->first_recv = q->recvs.nb_taken;
		q->nb_sent = 0;
		q->nb_posted = 0;
	}
	memset(lane->statuses, 0, sizeof(lane->statuses));
	memset(lane->recv_statuses, 0, sizeof(lane->recv_statuses));
}

static void
sent_note(struct soak_lane *lane, struct soak_queue *q, uint64_t number, uint8_t status)
{
	const uint64_t n = number - q->first_send;

	if (status <= RTE_UMR_STATUS_UNKNOWN)
		lane->tally.statuses[status]++;
	if (number >= q->first_send && n < q->nb_sent && q->sent[n % SOAK_LEDGER_SIZE] >= 0)
		lane->statuses[q->sent[n % SOAK_LEDGER_SIZE]] = (uint16_t)(status + 1);
}

/* After an unsuccessful completion, check at once whether the device is lost. */
static void
loss_note(struct soak_lane *lane, const struct rte_umr_completion *done, uint16_t nb)
{
	if (nb != 0 && done[nb - 1].status != RTE_UMR_STATUS_SUCCESS)
		soak_lane_is_lost(lane);
}

/* A transfer to a server may also fail because the server is gone. */
static void
retries_note(struct soak_lane *lane, struct soak_queue *q, const struct rte_umr_completion *done,
	     uint16_t nb)
{
	const unsigned int set = SOAK_STATUS(RETRY_EXCEEDED) | SOAK_STATUS(FLUSHED);

	if (lane->transport != SOAK_PEER || (q->sends.anywhere & SOAK_STATUS(RETRY_EXCEEDED)) != 0)
		return;
	for (uint16_t i = 0; i < nb; i++)
		if (done[i].status == RTE_UMR_STATUS_RETRY_EXCEEDED && soak_remote_has_left(lane))
			q->sends.anywhere |= (uint16_t)set;
}

static uint32_t
sends_collect(struct soak_lane *lane, struct soak_queue *q)
{
	struct rte_umr_completion done[RECORDS];
	uint16_t nb, last_idx = 0;
	uint64_t number;

	if (lane->plan.is_cheap) {
		nb = rte_umr_completed(q->dev_id, q->queue_id, RECORDS, &last_idx, NULL);
		number = soak_ledger_back_good(&q->sends, nb, last_idx);
		for (uint16_t i = 0; i < nb; i++)
			sent_note(lane, q, number + i, RTE_UMR_STATUS_SUCCESS);
		if (nb != 0)
			return nb;
	}
	nb = rte_umr_completed_status(q->dev_id, q->queue_id, RECORDS, done);
	loss_note(lane, done, nb);
	retries_note(lane, q, done, nb);
	for (uint16_t i = 0; i < nb; i++)
		if (soak_ledger_back(&q->sends, &done[i], &number))
			sent_note(lane, q, number, done[i].status);
	return nb;
}

/* Check what was reported with the data of a message. */
static void
recv_check(struct soak_lane *lane, const struct soak_op *op, const struct rte_umr_completion *done)
{
	uint16_t flags = 0;
	uint32_t value = done->imm;

	if (op->kind == SOAK_WRITE_IMM || op->kind == SOAK_SEND_IMM) {
		flags = RTE_UMR_COMPLETION_F_IMM;
		value = op->imm;
	} else if (op->kind == SOAK_SEND_INV) {
		flags = RTE_UMR_COMPLETION_F_INVALIDATED;
		value = view_key(lane, &lane->plan.views[op->part], true);
	}
	if (done->flags != flags || done->imm != value)
		soak_lane_wrong(lane, &lane->tally.wrongs.nb_corrupted, 1,
				"a receive for %s: flags 0x%x, value 0x%x instead of 0x%x",
				soak_kind_names[op->kind], done->flags, done->imm, value);
}

static uint32_t
recvs_collect(struct soak_lane *lane, struct soak_queue *q)
{
	struct rte_umr_completion done[RECORDS];
	const uint16_t nb = rte_umr_recv_completed(q->dev_id, q->queue_id, RECORDS, done);
	uint64_t number;

	loss_note(lane, done, nb);
	for (uint16_t i = 0; i < nb; i++) {
		if (!soak_ledger_back(&q->recvs, &done[i], &number) ||
		    number < q->first_recv || number - q->first_recv >= q->nb_posted)
			continue;
		if (done[i].status <= RTE_UMR_STATUS_UNKNOWN)
			lane->tally.statuses[done[i].status]++;
		number = (uint64_t)q->posted[number - q->first_recv];
		lane->recv_statuses[number] = (uint16_t)(done[i].status + 1);
		if (done[i].status == RTE_UMR_STATUS_SUCCESS)
			recv_check(lane, &lane->plan.ops[number], &done[i]);
	}
	return nb;
}

uint32_t
soak_ops_collect(struct soak_lane *lane)
{
	uint32_t nb = 0;

	for (unsigned int i = 0; i < lane->nb_own; i++) {
		struct soak_queue *q = lane->own[i];

		if (q->has_sends)
			nb += sends_collect(lane, q);
		if (q->has_recvs)
			nb += recvs_collect(lane, q);
	}
	return nb;
}
