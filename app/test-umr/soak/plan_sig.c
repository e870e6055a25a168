/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <string.h>

#include "model/layout_gen.h"
#include "model/oracle.h"
#include "soak/plan_sig.h"

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
layout_make(struct soak_planner *p, struct soak_view *view)
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
	layout_make(p, view);
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
