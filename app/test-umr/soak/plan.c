/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <inttypes.h>
#include <string.h>

#include "model/layout_gen.h"
#include "model/oracle.h"
#include "soak/plan.h"
#include "soak/plan_view.h"

/* One step in this many has no fault. */
#define QUIET_STEPS	3u
#define REREGISTER_STEPS	16u
#define MAX_TRANSFERS	24u
#define MAX_RECVS	24u
/*
 * A loss affects all queues and takes long: use one in this many of those drawn, beside other
 * faults and alone.
 */
#define LOST_STEPS	64u
#define LOST_STEPS_ALONE	8u
/* One in this many transfers that support it uses a signature. */
#define SIGNED_TRANSFERS	6u
#define MAX_FAULT_ARG	4000u
/* Maximum start of the used range of an area. */
#define MAX_START	4096u

bool
soak_kind_is_transfer(enum soak_kind kind)
{
	return kind >= SOAK_WRITE && kind <= SOAK_CMP_SWAP && kind != SOAK_RECV;
}

bool
soak_kind_takes_recv(enum soak_kind kind)
{
	return kind == SOAK_WRITE_IMM || kind == SOAK_SEND || kind == SOAK_SEND_IMM ||
	       kind == SOAK_SEND_INV || kind == SOAK_SEND_INLINE;
}

static bool
is_send(enum soak_kind kind)
{
	return soak_kind_takes_recv(kind) && kind != SOAK_WRITE_IMM;
}

static bool
is_atomic(enum soak_kind kind)
{
	return kind == SOAK_FETCH_ADD || kind == SOAK_CMP_SWAP;
}

enum rte_umr_op_type
soak_kind_type(enum soak_kind kind)
{
#define TYPE(value, name, type)	RTE_UMR_OP_##type,
	static const enum rte_umr_op_type types[SOAK_NB_KINDS] = { SOAK_KINDS(TYPE) };

	return types[kind];
}

static bool
has_capa(const struct soak_planner *p, uint64_t capa)
{
	return (p->conf->info->dev_capa & capa) == capa;
}

static bool
can_do(const struct soak_planner *p, enum soak_kind kind)
{
	static const uint64_t capas[SOAK_NB_KINDS] = {
		[SOAK_WRITE_INLINE] = RTE_UMR_CAPA_INLINE, [SOAK_SEND_INLINE] = RTE_UMR_CAPA_INLINE,
		[SOAK_READ] = RTE_UMR_CAPA_READ, [SOAK_SEND] = RTE_UMR_CAPA_SEND,
		[SOAK_SEND_IMM] = RTE_UMR_CAPA_SEND, [SOAK_SEND_INV] = RTE_UMR_CAPA_SEND_INV,
		[SOAK_FETCH_ADD] = RTE_UMR_CAPA_ATOMIC, [SOAK_CMP_SWAP] = RTE_UMR_CAPA_ATOMIC,
	};

	if (soak_kind_takes_recv(kind) &&
	    (p->nb_recvs >= MAX_RECVS || soak_planner_has_server(p)))
		return false;
	return kind != SOAK_RECV && has_capa(p, capas[kind]) &&
	       (kind != SOAK_SEND_INV || soak_planner_has_updates(p));
}

/* Whether a kind supports a fault. */
static bool
fits_fault(enum soak_kind kind, enum soak_fault fault)
{
	const bool is_inline = kind == SOAK_WRITE_INLINE || kind == SOAK_SEND_INLINE;

	switch (fault) {
	case SOAK_BAD_LKEY:
		return !is_inline;
	case SOAK_BAD_RKEY:
	case SOAK_REVOKED_WINDOW:
		return !is_send(kind) && !is_atomic(kind);
	case SOAK_ACCESS:
	case SOAK_BOUNDS:
	case SOAK_STALE_TAG:
	case SOAK_UNMAPPED:
	case SOAK_ODP:
	case SOAK_ODP_HOLE:
		return kind == SOAK_WRITE || kind == SOAK_READ;
	case SOAK_SIGNATURE:
		return kind == SOAK_WRITE || kind == SOAK_READ || kind == SOAK_SEND;
	case SOAK_LENGTH:
		return is_send(kind) && kind != SOAK_SEND_INV;
	case SOAK_RNR:
		return soak_kind_takes_recv(kind);
	default:
		return true;
	}
}

static enum soak_kind
kind_draw(struct soak_planner *p, enum soak_fault fault)
{
	enum soak_kind kind;

	do
		kind = (enum soak_kind)prng_between(&p->prng, SOAK_WRITE, SOAK_CMP_SWAP);
	while (!can_do(p, kind) || !fits_fault(kind, fault));
	return kind;
}

static struct soak_op *
transfer_add(struct soak_planner *p, enum soak_kind kind)
{
	struct soak_op *op = soak_planner_op(p, kind, SOAK_NEAR);

	op->is_fenced = prng_one_in(&p->prng, 8);
	op->imm = (uint32_t)prng_next(&p->prng);
	op->operands[0] = prng_next(&p->prng);
	op->operands[1] = prng_next(&p->prng);
	op->is_match = kind == SOAK_CMP_SWAP && prng_one_in(&p->prng, 2);
	p->nb_recvs += soak_kind_takes_recv(kind);
	return op;
}

/* Choose the views of a transfer; operations that configure them precede the transfer. */
static void
ends_draw(struct soak_planner *p, enum soak_kind kind, struct soak_wish wish[2], int view[2])
{
	const uint32_t max = is_atomic(kind) ? RTE_UMR_ATOMIC_LEN :
					       (uint32_t)prng_log(&p->prng, SOAK_MAX_LEN);
	const bool is_read = kind == SOAK_READ || is_atomic(kind);

	for (unsigned int side = 0; side < 2; side++) {
		wish[side].side = (enum soak_side)side;
		wish[side].max_total = max;
		wish[side].is_source = (side == SOAK_NEAR) != is_read;
		wish[side].is_word = is_atomic(kind);
		if (kind == SOAK_WRITE_INLINE || kind == SOAK_SEND_INLINE)
			wish[side].max_total = RTE_MIN(max, 64u);
	}
	wish[SOAK_NEAR].is_plain |= kind == SOAK_WRITE_INLINE || kind == SOAK_SEND_INLINE;
	wish[SOAK_FAR].is_receive = is_send(kind);
	for (unsigned int side = 0; side < 2; side++)
		view[side] = soak_planner_view(p, &wish[side]);
}

/* Choose the views of a transfer with a signature on one side; the other one has the wire size. */
static void
signed_ends_draw(struct soak_planner *p, enum soak_kind kind, int view[2])
{
	const unsigned int side = kind == SOAK_SEND || soak_planner_has_server(p) ||
				  prng_one_in(&p->prng, 2) ? SOAK_NEAR : SOAK_FAR;
	struct soak_wish wish[2] = { { .side = SOAK_NEAR }, { .side = SOAK_FAR } };

	for (unsigned int i = 0; i < 2; i++) {
		wish[i].is_private = true;
		wish[i].is_source = (i == SOAK_NEAR) != (kind == SOAK_READ);
	}
	view[side] = soak_planner_sig_view(p, &wish[side]);
	wish[!side].max_total = (uint32_t)p->plan->views[view[side]].total;
	wish[!side].is_plain = kind != SOAK_SEND;
	wish[!side].is_receive = kind == SOAK_SEND;
	wish[!side].is_exact = true;
	view[!side] = soak_planner_view(p, &wish[!side]);
}

static void
range_draw(struct soak_planner *p, struct soak_op *op)
{
	const struct soak_view *near_view = &p->plan->views[op->view[SOAK_NEAR]];
	const struct soak_view *far_view = &p->plan->views[op->view[SOAK_FAR]];
	uint64_t room;

	if (is_atomic(op->kind)) {
		op->len = RTE_UMR_ATOMIC_LEN;
		return;
	}
	op->from[SOAK_NEAR] = prng_one_in(&p->prng, 2) ? 0 :
			      prng_between(&p->prng, 0, near_view->total - 1);
	/* A message starts at the first byte of its receive. */
	if (!is_send(op->kind) && prng_one_in(&p->prng, 2))
		op->from[SOAK_FAR] = prng_between(&p->prng, 0, far_view->total - 1);
	room = RTE_MIN(near_view->total - op->from[SOAK_NEAR],
		       far_view->total - op->from[SOAK_FAR]);
	op->len = (uint32_t)(prng_one_in(&p->prng, 2) ? room : prng_log(&p->prng, room));
}

/* Requirements of a fault for the views of a transfer, on one side. */
static enum soak_side
fault_wish(struct soak_planner *p, enum soak_kind kind, enum soak_fault fault,
	   struct soak_wish wish[2])
{
	enum soak_side side = prng_one_in(&p->prng, 2) ? SOAK_NEAR : SOAK_FAR;

	/* A key always allows local reads. */
	if (fault == SOAK_ACCESS && kind != SOAK_READ)
		side = SOAK_FAR;
	/* Keys and memory of a server are those of its registrations. */
	if (fault == SOAK_BAD_LKEY || (soak_planner_has_server(p) && fault != SOAK_ACCESS))
		side = SOAK_NEAR;
	if (fault == SOAK_BAD_RKEY || fault == SOAK_REVOKED_WINDOW)
		side = SOAK_FAR;
	wish[side].is_private = true;
	wish[side].lacks_access = fault == SOAK_ACCESS;
	wish[side].is_keyed = fault == SOAK_BOUNDS || fault == SOAK_STALE_TAG;
	wish[side].is_window = fault == SOAK_REVOKED_WINDOW;
	if (fault == SOAK_UNMAPPED)
		wish[side].memory = SOAK_GONE;
	else if (fault == SOAK_ODP)
		wish[side].memory = SOAK_DEMAND;
	else if (fault == SOAK_ODP_HOLE)
		wish[side].memory = SOAK_HOLE;
	return side;
}

static void
view_revoke(struct soak_planner *p, int view, enum soak_kind kind)
{
	struct soak_op *op;

	op = soak_planner_op(p, kind, soak_planner_by(p, &p->plan->views[view]));
	op->view[p->plan->views[view].side] = view;
}

/* Apply a fault to the operation itself. */
static void
fault_apply(struct soak_planner *p, struct soak_op *op, enum soak_fault fault, enum soak_side side)
{
	const struct soak_view *view = &p->plan->views[op->view[side]];

	op->may = side == SOAK_NEAR ? SOAK_STATUS(LOCAL_PROT) : SOAK_STATUS(REMOTE_ACCESS);
	switch (fault) {
	case SOAK_BAD_LKEY:
	case SOAK_BAD_RKEY:
		op->twist[side] = SOAK_NO_SUCH_KEY;
		break;
	case SOAK_STALE_TAG:
		op->twist[side] = p->is_revoked ? SOAK_AS_IS : SOAK_OLD_TAG;
		break;
	case SOAK_BOUNDS:
		op->from[side] = view->total - op->len + prng_between(&p->prng, 1, op->len);
		break;
	case SOAK_LENGTH:
		op->may = SOAK_STATUS(REMOTE_INVALID);
		op->len = (uint32_t)p->plan->views[op->view[SOAK_FAR]].total + 1;
		op->from[SOAK_NEAR] = 0;
		break;
	case SOAK_RNR:
		op->may = SOAK_STATUS(RNR_RETRY_EXCEEDED);
		p->has_no_recvs = true;
		break;
	case SOAK_UNMAPPED:
	case SOAK_ODP_HOLE:
		/*
		 * The status of a failure on the far side is unspecified: operation or access
		 * error.
		 */
		if (side == SOAK_FAR)
			op->may = SOAK_STATUS(REMOTE_ACCESS) | SOAK_STATUS(REMOTE_OP);
		break;
	case SOAK_ODP:
		op->may = SOAK_STATUS(SUCCESS);
		break;
	default:
		break;
	}
}

/*
 * Whether a message can be longer than its receive. A short message that arrives in the completion
 * fails while it is copied, without notifying its sender; such messages are excluded.
 */
static bool
can_be_too_long(struct soak_planner *p, const int view[2])
{
	const uint64_t total = p->plan->views[view[SOAK_FAR]].total;

	return total < p->plan->views[view[SOAK_NEAR]].total &&
	       (!p->conf->has_recv_inline || total >= p->conf->info->max_recv_inline);
}

/* Transfers with another fault of their own use no signature. */
static bool
is_signed_drawn(struct soak_planner *p, enum soak_kind kind, enum soak_fault fault)
{
	if (!soak_planner_can_sign(p, kind))
		return false;
	return fault == SOAK_SIGNATURE ||
	       (fault == SOAK_NB_FAULTS && prng_one_in(&p->prng, SIGNED_TRANSFERS));
}

static void
signed_make(struct soak_planner *p, enum soak_kind kind, enum soak_fault fault)
{
	struct soak_op *op;
	int view[2];

	signed_ends_draw(p, kind, view);
	op = transfer_add(p, kind);
	op->view[SOAK_NEAR] = view[SOAK_NEAR];
	op->view[SOAK_FAR] = view[SOAK_FAR];
	soak_planner_sig_range(p, op, fault == SOAK_SIGNATURE);
	if (fault == SOAK_SIGNATURE) {
		p->plan->fault = fault;
		p->plan->fault_at = p->plan->nb_ops - 1;
	}
	op->has_no_recv = p->has_no_recvs;
}

/* Without a fence, a read may return the result of a later atomic on the word (IBTA 10.8.3.3). */
static bool
is_read_before(const struct soak_planner *p, int view)
{
	for (uint32_t i = 0; i < p->plan->nb_ops; i++)
		if (p->plan->ops[i].kind == SOAK_READ && p->plan->ops[i].view[SOAK_FAR] == view)
			return true;
	return false;
}

static void
transfer_make(struct soak_planner *p, enum soak_fault fault)
{
	const enum soak_kind kind = kind_draw(p, fault);
	struct soak_wish wish[2] = { 0 };
	enum soak_side side = SOAK_NEAR;
	struct soak_op *op;
	int view[2], inv = -1;

	if (!soak_planner_has_room(p))
		return;
	if (is_signed_drawn(p, kind, fault)) {
		signed_make(p, kind, fault);
		return;
	}
	if (fault == SOAK_SIGNATURE)
		fault = SOAK_NB_FAULTS;
	if (fault != SOAK_NB_FAULTS)
		side = fault_wish(p, kind, fault, wish);
	ends_draw(p, kind, wish, view);
	if (kind == SOAK_SEND_INV)
		inv = soak_planner_view(p, &(struct soak_wish){ .side = SOAK_FAR,
			.max_total = 256, .is_keyed = true, .is_private = true });
	if (fault == SOAK_LENGTH && !can_be_too_long(p, view))
		fault = SOAK_NB_FAULTS;
	p->is_revoked = fault == SOAK_STALE_TAG && prng_one_in(&p->prng, 2);
	if (p->is_revoked)
		view_revoke(p, view[side], SOAK_INVALIDATE);
	if (fault == SOAK_REVOKED_WINDOW)
		view_revoke(p, view[side], SOAK_MW_INVALIDATE);
	op = transfer_add(p, kind);
	op->view[SOAK_NEAR] = view[SOAK_NEAR];
	op->view[SOAK_FAR] = view[SOAK_FAR];
	op->is_fenced |= is_atomic(kind) && is_read_before(p, view[SOAK_FAR]);
	if (inv >= 0)
		op->part = (uint32_t)inv;
	range_draw(p, op);
	if (fault != SOAK_NB_FAULTS) {
		p->plan->fault = fault;
		p->plan->fault_at = p->plan->nb_ops - 1;
		fault_apply(p, op, fault, side);
	}
	op->has_no_recv = p->has_no_recvs;
}

/* Whether a fault concerns one transfer instead of the queue or device. */
static bool
is_of_transfer(enum soak_fault fault)
{
	return fault <= SOAK_RNR || (fault >= SOAK_UNMAPPED && fault <= SOAK_SIGNATURE);
}

static enum soak_fault
fault_draw(struct soak_planner *p)
{
	const uint32_t lost_steps = p->conf->faults == SOAK_FAULT_BIT(SOAK_REMOVED) ?
				    LOST_STEPS_ALONE : LOST_STEPS;
	enum soak_fault fault;

	if (p->conf->faults == 0 || prng_one_in(&p->prng, QUIET_STEPS))
		return SOAK_NB_FAULTS;
	do
		fault = (enum soak_fault)prng_between(&p->prng, 0, SOAK_NB_FAULTS - 1);
	while ((p->conf->faults & SOAK_FAULT_BIT(fault)) == 0);
	if (fault == SOAK_REMOVED && !prng_one_in(&p->prng, lost_steps))
		return SOAK_NB_FAULTS;
	return fault;
}

void
soak_plan_make(struct soak_plan *plan, const struct soak_plan_conf *conf, uint64_t step)
{
	struct soak_planner p = {
		.plan = plan, .conf = conf,
		.prng = prng_stream(conf->seed, ((uint64_t)conf->queue << 40) | step),
	};
	const enum soak_fault fault = fault_draw(&p);
	const uint32_t nb = (uint32_t)prng_between(&p.prng, 1, MAX_TRANSFERS);
	const uint32_t at = (uint32_t)prng_between(&p.prng, 0, nb - 1);

	memset(plan, 0, sizeof(*plan));
	plan->step = step;
	for (unsigned int i = 0; i < 4; i++)
		plan->next[i / 2][i % 2] = (uint32_t)prng_between(&p.prng, 0, MAX_START);
	plan->fault = is_of_transfer(fault) ? SOAK_NB_FAULTS : fault;
	p.has_doubt = fault == SOAK_PEER_RESET || soak_fault_is_wire(fault) ||
		      (fault == SOAK_UNMAPPED && soak_planner_has_server(&p));
	plan->leaver = prng_one_in(&p.prng, 2) ? SOAK_NEAR : SOAK_FAR;
	plan->is_cheap = prng_one_in(&p.prng, 2);
	plan->has_reregister = (conf->info->dev_capa & RTE_UMR_CAPA_MR_REREGISTER) != 0 &&
			       prng_one_in(&p.prng, REREGISTER_STEPS);
	plan->has_bursts = prng_one_in(&p.prng, 2);
	plan->chunk = (uint32_t)prng_log(&p.prng, SOAK_MAX_OPS);
	plan->fault_arg = (uint32_t)prng_log(&p.prng, MAX_FAULT_ARG);
	for (uint32_t i = 0; i < nb; i++)
		transfer_make(&p, i == at && is_of_transfer(fault) ? fault : SOAK_NB_FAULTS);
	if (!is_of_transfer(fault))
		plan->fault_at = (uint32_t)prng_between(&p.prng, 0, plan->nb_ops - 1);
	for (uint32_t i = 0; i < plan->nb_ops; i++)
		plan->ops[i].is_submitted = prng_one_in(&p.prng, 4) || fault == SOAK_CQ_FULL;
}

static void
view_print(FILE *f, const struct soak_plan *plan, const struct soak_op *op, enum soak_side side)
{
	const struct soak_view *view = &plan->views[op->view[side]];

	fprintf(f, ", %s view %d (%s, memory %d, 0x%05x, %" PRIu64 " bytes, key at 0x%" PRIx64 ") "
		"from %" PRIu64 "%s",
		side == SOAK_NEAR ? "near" : "far", op->view[side], soak_how_name(view->how),
		(int)view->memory, view->base, view->total, view->key_base, op->from[side],
		op->twist[side] != SOAK_AS_IS ? " by a wrong key" : "");
}

void
soak_plan_print(FILE *f, const struct soak_plan *plan)
{
	fprintf(f, "step %" PRIu64 ", fault %s at %u\n", plan->step,
		plan->fault == SOAK_NB_FAULTS ? "none" : soak_fault_names[plan->fault],
		plan->fault_at);
	for (uint32_t i = 0; i < plan->nb_ops; i++) {
		const struct soak_op *op = &plan->ops[i];

		fprintf(f, "  [%u] %s %s %u bytes", i, op->by == SOAK_NEAR ? "near" : "far",
			soak_kind_names[op->kind], op->len);
		for (unsigned int side = 0; side < 2; side++)
			if (op->view[side] >= 0)
				view_print(f, plan, op, (enum soak_side)side);
		fprintf(f, ", may 0x%x%s%s\n", op->may, op->is_submitted ? ", submit" : "",
			op->has_no_recv ? ", no receive" : "");
		if (soak_op_signed(plan, op) >= 0)
			sig_print(f, "      ",
				  &plan->views[op->view[soak_op_signed(plan, op)]].sig,
				  &op->damage);
	}
}
