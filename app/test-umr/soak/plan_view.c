/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <string.h>

#include "model/layout_gen.h"
#include "model/oracle.h"
#include "soak/plan_view.h"

/* Maximum number of operations, views and keys of a transfer. */
#define TRANSFER_OPS	10u
#define TRANSFER_VIEWS	3u
#define TRANSFER_KEYS	6u
#define GAP		64u
#define MAX_KEY_BASE	(UINT64_C(1) << 48)

const char *
soak_how_name(enum soak_how how)
{
	static const char *const names[] = {
		[SOAK_BY_REGION] = "region", [SOAK_BY_CLOSED] = "closed region",
		[SOAK_BY_RECEIVE] = "receive", [SOAK_BY_LIST] = "list",
		[SOAK_BY_INTERLEAVED] = "interleaved", [SOAK_BY_CONFIGURE] = "configure",
		[SOAK_BY_UPDATE] = "update", [SOAK_BY_NESTED] = "nested",
		[SOAK_BY_MBUFS] = "mbufs",
		[SOAK_BY_WINDOW_1] = "window 1", [SOAK_BY_WINDOW_2B] = "window 2B",
		[SOAK_BY_SIGNATURE] = "signature",
	};

	return names[how];
}

bool
soak_planner_has_updates(const struct soak_planner *p)
{
	return (p->conf->queue & 1) != 0 &&
	       (p->conf->info->dev_capa & RTE_UMR_CAPA_MKEY_UPDATE) != 0;
}

static bool
soak_planner_has_bases(const struct soak_planner *p)
{
	return (p->conf->queue & 1) != 0 &&
	       (p->conf->info->dev_capa & RTE_UMR_CAPA_MKEY_BASE) != 0;
}

bool
soak_planner_has_server(const struct soak_planner *p)
{
	return p->conf->transport == SOAK_PEER;
}

bool
soak_planner_has_room(const struct soak_planner *p)
{
	const struct soak_plan *plan = p->plan;

	for (unsigned int side = 0; side < 2; side++)
		if (plan->nb_keys[side] + TRANSFER_KEYS > SOAK_MAX_KEYS ||
		    plan->nb_windows[side] + 1 >= SOAK_MAX_KEYS ||
		    plan->next[side][SOAK_PINNED] + 8 * SOAK_MAX_LEN > SOAK_AREA_SIZE ||
		    plan->next[side][SOAK_DEMAND] + 8 * SOAK_MAX_LEN > SOAK_AREA_SIZE)
			return false;
	return plan->nb_ops + TRANSFER_OPS <= SOAK_MAX_OPS &&
	       plan->nb_views + TRANSFER_VIEWS <= SOAK_MAX_VIEWS;
}

struct soak_op *
soak_planner_op(struct soak_planner *p, enum soak_kind kind, enum soak_side by)
{
	struct soak_op *op = &p->plan->ops[p->plan->nb_ops++];

	memset(op, 0, sizeof(*op));
	op->kind = kind;
	op->by = by;
	op->view[SOAK_NEAR] = -1;
	op->view[SOAK_FAR] = -1;
	op->may = SOAK_STATUS(SUCCESS);
	return op;
}

enum soak_side
soak_planner_by(const struct soak_planner *p, const struct soak_view *view)
{
	/* A loopback has one queue, and a target sends nothing. */
	return p->conf->transport == SOAK_RC ? view->side : SOAK_NEAR;
}

static bool
can_be(const struct soak_planner *p, const struct soak_wish *wish, enum soak_how how)
{
	const uint64_t capa = p->conf->info->dev_capa;

	switch (how) {
	case SOAK_BY_INTERLEAVED:
		return (capa & RTE_UMR_CAPA_MKEY_INTERLEAVED) != 0 &&
		       p->conf->info->max_interleaved != 0;
	case SOAK_BY_CONFIGURE:
		return (capa & RTE_UMR_CAPA_MKEY_CONFIGURE) != 0;
	case SOAK_BY_UPDATE:
		return soak_planner_has_updates(p);
	case SOAK_BY_NESTED:
		return p->conf->info->max_nesting >= 2 && wish->memory == SOAK_PINNED;
	case SOAK_BY_MBUFS:
		return wish->memory == SOAK_PINNED;
	case SOAK_BY_WINDOW_1:
		return wish->side == SOAK_FAR && (capa & RTE_UMR_CAPA_MW_TYPE_1) != 0 &&
		       wish->memory == SOAK_PINNED && !wish->is_keyed && !wish->lacks_access;
	case SOAK_BY_WINDOW_2B:
		/* A window must be bound on the queue that the peer is connected to. */
		return wish->side == SOAK_FAR && (capa & RTE_UMR_CAPA_MW_TYPE_2B) != 0 &&
		       p->conf->transport != SOAK_DC && wish->memory == SOAK_PINNED &&
		       !wish->is_keyed && !wish->lacks_access;
	default:
		return true;
	}
}

static enum soak_how
how_draw(struct soak_planner *p, const struct soak_wish *wish)
{
	enum soak_how how;

	if (wish->is_receive)
		return SOAK_BY_RECEIVE;
	if (soak_planner_has_server(p) && wish->side == SOAK_FAR)
		return wish->lacks_access ? SOAK_BY_CLOSED : SOAK_BY_REGION;
	if (wish->is_word || wish->is_plain || wish->memory == SOAK_GONE ||
	    wish->memory == SOAK_HOLE)
		return SOAK_BY_REGION;
	if (wish->is_window)
		return can_be(p, wish, SOAK_BY_WINDOW_2B) && prng_one_in(&p->prng, 2) ?
			       SOAK_BY_WINDOW_2B : SOAK_BY_WINDOW_1;
	if (!wish->is_keyed && prng_one_in(&p->prng, 3))
		return wish->lacks_access && wish->side == SOAK_FAR ? SOAK_BY_CLOSED :
			wish->lacks_access ? SOAK_BY_LIST : SOAK_BY_REGION;
	do
		how = (enum soak_how)prng_between(&p->prng, SOAK_BY_LIST, SOAK_BY_WINDOW_2B);
	while (!can_be(p, wish, how));
	return how;
}

/* Make a layout of one piece that covers the view. */
static void
piece_make(struct soak_view *view, uint32_t len)
{
	view->layout.repeat = 1;
	view->layout.nb_pieces = 1;
	view->layout.pieces[0] = (struct layout_piece){ .len = len };
}

static void
soak_planner_place(struct soak_planner *p, struct soak_view *view, uint32_t len)
{
	uint32_t *next = &p->plan->next[view->side][view->memory == SOAK_DEMAND];

	/* There is only one inaccessible page; its contents cannot be compared. */
	if (view->memory == SOAK_GONE || view->memory == SOAK_HOLE)
		return;
	*next += (uint32_t)prng_between(&p->prng, 0, GAP);
	view->base = *next;
	*next += len;
}

static void
layout_make(struct soak_planner *p, struct soak_view *view, uint32_t max_total)
{
	struct layout_gen_conf conf = {
		.guard = 0, .max_total = max_total,
		.max_list = RTE_MIN(LAYOUT_MAX_PIECES, p->conf->info->max_list_inline),
	};

	conf.arena_size = 2 * max_total + (uint32_t)prng_between(&p->prng, 0, 2 * max_total);
	if (view->how == SOAK_BY_INTERLEAVED) {
		conf.max_interleaved = RTE_MIN(LAYOUT_MAX_PIECES,
					       p->conf->info->max_interleaved_inline);
		conf.max_list = 0;
	}
	layout_gen(&p->prng, &conf, true, &view->layout);
	soak_planner_place(p, view, conf.arena_size);
}

static void
receive_make(struct soak_planner *p, struct soak_view *view, const struct soak_wish *wish)
{
	const uint32_t nb = (uint32_t)prng_between(&p->prng, 1, SOAK_MAX_RECV_SEGS);
	uint32_t at = 0, left = wish->max_total;

	view->layout.repeat = 1;
	view->layout.nb_pieces = nb;
	for (uint32_t i = 0; i < nb; i++) {
		uint32_t len = (uint32_t)prng_log(&p->prng, wish->max_total);

		/* The last piece gets the rest, and never the whole area. */
		if (wish->is_exact)
			len = i + 1 == nb ? left : RTE_MIN(len, left - (nb - 1 - i));
		left -= wish->is_exact ? len : 0;
		at += (uint32_t)prng_between(&p->prng, 0, GAP);
		view->layout.pieces[i] = (struct layout_piece){ .offset = at, .len = len };
		at += len;
	}
	soak_planner_place(p, view, at);
}

static uint32_t
soak_planner_access(struct soak_planner *p, const struct soak_wish *wish)
{
	const uint32_t capa = p->conf->info->access_capa & RTE_UMR_ACCESS_ALL;
	uint32_t needed;

	if (wish->side == SOAK_NEAR)
		needed = wish->is_source ? 0 : RTE_UMR_ACCESS_LOCAL_WRITE;
	else
		needed = wish->is_source ? RTE_UMR_ACCESS_REMOTE_READ :
					   RTE_UMR_ACCESS_REMOTE_WRITE;
	if (wish->lacks_access) {
		needed = (uint32_t)prng_next(&p->prng) & capa & ~needed;
		/* A key without local write access must not allow remote writes. */
		return wish->side == SOAK_NEAR ? needed & RTE_UMR_ACCESS_REMOTE_READ : needed;
	}
	needed |= (uint32_t)prng_next(&p->prng) & capa;
	if (needed & (RTE_UMR_ACCESS_REMOTE_WRITE | RTE_UMR_ACCESS_REMOTE_ATOMIC))
		needed |= RTE_UMR_ACCESS_LOCAL_WRITE;
	return needed;
}

static void
soak_planner_config(struct soak_planner *p, const struct soak_view *view, enum soak_kind kind,
		    uint32_t part)
{
	struct soak_op *op = soak_planner_op(p, kind, soak_planner_by(p, view));

	op->view[view->side] = (int)(view - p->plan->views);
	op->part = part;
}

/* Add the operations that configure the key of a view; parts are counted from 0. */
static void
view_configure(struct soak_planner *p, struct soak_view *view)
{
	const uint32_t nb = view->layout.nb_pieces;

	switch (view->how) {
	case SOAK_BY_LIST:
		soak_planner_config(p, view, SOAK_LIST, 0);
		break;
	case SOAK_BY_INTERLEAVED:
		soak_planner_config(p, view, SOAK_INTERLEAVED, 0);
		break;
	case SOAK_BY_CONFIGURE:
		soak_planner_config(p, view, SOAK_CONFIGURE, 0);
		break;
	case SOAK_BY_UPDATE:
		view->split = (uint32_t)prng_between(&p->prng, 0, nb - 1);
		view->nb_exchanged = (uint32_t)prng_between(&p->prng, 1, nb - view->split);
		soak_planner_config(p, view, SOAK_LIST, 0);
		soak_planner_config(p, view, SOAK_UPDATE, 1);
		break;
	case SOAK_BY_NESTED:
		view->split = (uint32_t)prng_between(&p->prng, 1, nb - 1);
		soak_planner_config(p, view, SOAK_LIST, 0);
		soak_planner_config(p, view, SOAK_LIST, 1);
		soak_planner_config(p, view, SOAK_NESTED, 2);
		break;
	case SOAK_BY_MBUFS:
		view->split = prng_one_in(&p->prng, 2);
		soak_planner_config(p, view, SOAK_MBUF_LIST, 0);
		break;
	case SOAK_BY_WINDOW_2B:
		view->split = prng_one_in(&p->prng, 2);
		/* The window may still be bound from another step. */
		soak_planner_config(p, view, SOAK_MW_INVALIDATE, 0);
		soak_planner_config(p, view, SOAK_MW_BIND, 0);
		break;
	case SOAK_BY_WINDOW_1:
		soak_planner_config(p, view, SOAK_MW_BIND, 0);
		break;
	default:
		break;
	}
}

static void
keys_take(struct soak_planner *p, struct soak_view *view)
{
	uint32_t *nb = &p->plan->nb_keys[view->side];

	if (view->how == SOAK_BY_WINDOW_1 || view->how == SOAK_BY_WINDOW_2B) {
		view->first_key = p->plan->nb_windows[view->how == SOAK_BY_WINDOW_2B]++;
		return;
	}
	view->first_key = *nb;
	if (view->how >= SOAK_BY_LIST)
		*nb += view->how == SOAK_BY_NESTED ? 3 : 1;
}

/* Share an existing source with another transfer. */
static int
view_again(struct soak_planner *p, const struct soak_wish *wish)
{
	const uint32_t start = (uint32_t)prng_between(&p->prng, 0, SOAK_MAX_VIEWS - 1);

	if (!wish->is_source || wish->is_word || wish->is_private || wish->is_plain ||
	    !prng_one_in(&p->prng, 3))
		return -1;
	for (uint32_t i = start; i < p->plan->nb_views; i++)
		if (p->plan->views[i].is_source && p->plan->views[i].side == wish->side)
			return (int)i;
	return -1;
}

/* Use several atomics on one word if it is certain for each whether it was executed. */
static int
word_again(struct soak_planner *p, const struct soak_wish *wish)
{
	if (!wish->is_word || wish->side == SOAK_NEAR || p->has_doubt || wish->is_private ||
	    !prng_one_in(&p->prng, 2))
		return -1;
	for (uint32_t i = 0; i < p->plan->nb_ops; i++)
		if (p->plan->ops[i].kind == SOAK_FETCH_ADD || p->plan->ops[i].kind == SOAK_CMP_SWAP)
			return p->plan->ops[i].view[SOAK_FAR];
	return -1;
}

static void
view_make(struct soak_planner *p, struct soak_view *view, const struct soak_wish *wish)
{
	switch (view->how) {
	case SOAK_BY_REGION:
	case SOAK_BY_CLOSED:
	case SOAK_BY_WINDOW_1:
	case SOAK_BY_WINDOW_2B:
		piece_make(view, wish->max_total);
		if (wish->is_word)
			p->plan->next[view->side][SOAK_PINNED] +=
				(8 - p->plan->next[view->side][SOAK_PINNED] % 8) % 8;
		soak_planner_place(p, view, wish->max_total);
		if (wish->is_word) {
			/* The preceding gap may have any length. */
			view->base += (8 - view->base % 8) % 8;
			p->plan->next[view->side][SOAK_PINNED] = view->base + 8;
		}
		break;
	case SOAK_BY_RECEIVE:
		receive_make(p, view, wish);
		break;
	default:
		layout_make(p, view, wish->max_total);
		break;
	}
	if (view->how == SOAK_BY_NESTED && view->layout.nb_pieces < 2)
		view->how = SOAK_BY_LIST;
	view->total = oracle_len(&view->layout);
}

int
soak_planner_view(struct soak_planner *p, const struct soak_wish *wish)
{
	struct soak_wish mine = *wish;
	struct soak_view *view;
	int again = view_again(p, wish);

	if (again < 0)
		again = word_again(p, wish);
	if (again >= 0)
		return again;
	if (p->conf->has_demand && !(soak_planner_has_server(p) && wish->side == SOAK_FAR) &&
	    wish->memory == SOAK_PINNED && !wish->is_receive &&
	    !wish->is_word && !wish->is_plain && !wish->is_window && prng_one_in(&p->prng, 6))
		mine.memory = SOAK_DEMAND;
	view = &p->plan->views[p->plan->nb_views++];
	memset(view, 0, sizeof(*view));
	view->side = mine.side;
	view->memory = mine.memory;
	view->how = how_draw(p, &mine);
	if (view->how == SOAK_BY_CONFIGURE && soak_planner_has_bases(p))
		/* Atomics need aligned addresses. */
		view->key_base = RTE_ALIGN_FLOOR(prng_log(&p->prng, MAX_KEY_BASE), UINT64_C(8));
	view->access = soak_planner_access(p, &mine);
	view->is_source = mine.is_source && !mine.is_private;
	view_make(p, view, &mine);
	keys_take(p, view);
	view_configure(p, view);
	return (int)(view - p->plan->views);
}

/* Maximum memory of a key: some blocks of any size. */
#define MAX_MEMORY	12288u
/* Entries of a work request that a signature replaces. */
#define SIG_ENTRIES	8u

bool
soak_planner_can_sign(const struct soak_planner *p, enum soak_kind kind)
{
	if (!p->conf->has_sig || p->plan->nb_sigs[SOAK_NEAR] == SOAK_MAX_SIGS ||
	    p->plan->nb_sigs[SOAK_FAR] == SOAK_MAX_SIGS)
		return false;
	return kind == SOAK_WRITE || kind == SOAK_READ || kind == SOAK_SEND;
}

uint64_t
soak_sig_data(const struct rte_umr_sig *sig, uint64_t wire_len)
{
	const uint32_t unit = sig_unit(sig);

	return wire_len / sig_pass_len(&sig->wire, unit) * unit;
}

int
soak_op_signed(const struct soak_plan *plan, const struct soak_op *op)
{
	if (!soak_kind_is_transfer(op->kind))
		return -1;
	for (int side = SOAK_NEAR; side <= SOAK_FAR; side++)
		if (op->view[side] >= 0 && plan->views[op->view[side]].how == SOAK_BY_SIGNATURE)
			return side;
	return -1;
}

bool
soak_op_is_to_wire(const struct soak_plan *plan, const struct soak_op *op)
{
	return (soak_op_signed(plan, op) == SOAK_NEAR) != (op->kind == SOAK_READ);
}

/* Make a layout of whole units of memory, and sometimes a few more bytes. */
static void
signed_make(struct soak_planner *p, struct soak_view *view)
{
	const struct rte_umr_dev_info *info = p->conf->info;
	const uint32_t mem_unit = (uint32_t)sig_pass_len(&view->sig.mem, sig_unit(&view->sig));
	struct layout_gen_conf conf = { .max_total = MAX_MEMORY };

	if (prng_one_in(&p->prng, 2) && (info->dev_capa & RTE_UMR_CAPA_MKEY_INTERLEAVED) != 0 &&
	    info->max_interleaved_inline > SIG_ENTRIES)
		conf.max_interleaved = RTE_MIN(LAYOUT_MAX_PIECES,
					       info->max_interleaved_inline - SIG_ENTRIES);
	else
		conf.max_list = RTE_MIN(LAYOUT_MAX_PIECES, info->max_list_inline - SIG_ENTRIES);
	conf.arena_size = 2 * MAX_MEMORY + (uint32_t)prng_between(&p->prng, 0, 2 * MAX_MEMORY);
	do
		layout_gen(&p->prng, &conf, true, &view->layout);
	while (oracle_len(&view->layout) < mem_unit);
	soak_planner_place(p, view, conf.arena_size);
}

int
soak_planner_sig_view(struct soak_planner *p, const struct soak_wish *wish)
{
	struct soak_view *view = &p->plan->views[p->plan->nb_views++];
	uint64_t nb;

	memset(view, 0, sizeof(*view));
	view->side = wish->side;
	view->how = SOAK_BY_SIGNATURE;
	view->access = soak_planner_access(p, wish);
	view->first_key = p->plan->nb_sigs[wish->side]++;
	sig_gen(&p->prng, p->conf->info, &view->sig);
	signed_make(p, view);
	nb = oracle_len(&view->layout) / sig_pass_len(&view->sig.mem, sig_unit(&view->sig));
	view->total = nb * sig_pass_len(&view->sig.wire, sig_unit(&view->sig));
	view->split = prng_one_in(&p->prng, 2);
	soak_planner_config(p, view, SOAK_SIGN, 0);
	if (view->split != 0)
		soak_planner_config(p, view, view->layout.is_interleaved ? SOAK_INTERLEAVED :
									   SOAK_LIST, 0);
	return (int)(view - p->plan->views);
}

void
soak_planner_sig_range(struct soak_planner *p, struct soak_op *op, bool is_damaged)
{
	const int side = soak_op_signed(p->plan, op);
	const struct soak_view *view = &p->plan->views[op->view[side]];
	const uint64_t wire_unit = sig_pass_len(&view->sig.wire, sig_unit(&view->sig));
	const uint64_t nb = view->total / wire_unit;
	const struct rte_umr_sig_domain *domain;
	uint64_t first = 0, len;

	if (!prng_one_in(&p->prng, 3))
		first = prng_between(&p->prng, 0, nb - 1);
	len = prng_one_in(&p->prng, 2) ? nb - first : prng_between(&p->prng, 1, nb - first);
	op->from[side] = first * wire_unit;
	op->len = (uint32_t)(len * wire_unit);
	if (op->kind != SOAK_SEND)
		op->from[!side] = prng_between(&p->prng, 0, view->total - op->len);
	domain = soak_op_is_to_wire(p->plan, op) ? &view->sig.mem : &view->sig.wire;
	while (is_damaged && domain->type != RTE_UMR_SIG_NONE && op->damage.nb_flips == 0)
		sig_damage_gen(&p->prng, domain, soak_sig_data(&view->sig, view->total),
			       &op->damage);
}
