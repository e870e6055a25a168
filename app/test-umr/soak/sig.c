/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <string.h>

#include "model/oracle.h"
#include "soak/ops.h"
#include "soak/plan_sig.h"
#include "soak/sig.h"

/* Maximum number of bytes of a transfer in either domain. */
#define MAX_BYTES 16384u

/* Data that a transfer moves through its key. */
struct passage {
	const struct soak_view *view;	/* view of the key */
	enum soak_side side;
	bool is_to_wire;
	uint64_t data_from;
	uint64_t data_len;
	struct soak_part src;
	struct soak_part dst;
	uint32_t src_len;
	uint32_t dst_len;
};

static void
passage_fill(struct soak_lane *lane, const struct soak_op *op, struct passage *it)
{
	const enum soak_side side = (enum soak_side)soak_op_signed(&lane->plan, op);
	const struct soak_view *view = &lane->plan.views[op->view[side]];
	const struct rte_umr_sig *sig = &view->sig;
	struct soak_part mem = soak_lane_part(lane, op, side);
	struct soak_part wire = soak_lane_part(lane, op, (enum soak_side)!side);
	uint32_t mem_len;

	it->view = view;
	it->side = side;
	it->is_to_wire = soak_op_is_to_wire(&lane->plan, op);
	it->data_from = soak_sig_data(sig, op->from[side]);
	it->data_len = soak_sig_data(sig, op->len);
	mem.from = sig_pass_len(&sig->mem, it->data_from);
	mem_len = (uint32_t)sig_pass_len(&sig->mem, it->data_len);
	it->src = it->is_to_wire ? mem : wire;
	it->src_len = it->is_to_wire ? mem_len : op->len;
	it->dst = it->is_to_wire ? wire : mem;
	it->dst_len = it->is_to_wire ? op->len : mem_len;
}

void
soak_sig_prepare(struct soak_lane *lane)
{
	const struct soak_plan *plan = &lane->plan;
	const uint8_t *noise = (const uint8_t *)lane->device->noise;
	uint8_t image[MAX_BYTES];
	struct passage it;

	memset(lane->sig_found, 0, sizeof(lane->sig_found));
	memset(lane->sig_in_doubt, 0, sizeof(lane->sig_in_doubt));
	for (uint32_t i = 0; i < plan->nb_ops; i++) {
		const struct soak_op *op = &plan->ops[i];
		const struct rte_umr_sig_domain *domain;

		if (soak_op_signed(plan, op) < 0)
			continue;
		passage_fill(lane, op, &it);
		domain = it.is_to_wire ? &it.view->sig.mem : &it.view->sig.wire;
		sig_pass_image(domain, it.data_from, it.data_len, noise + it.view->base, image);
		sig_damage_do(&op->damage, domain, it.data_from, it.data_len, image);
		soak_twin_fill(&it.src, image, it.src_len);
	}
}

struct soak_part
soak_sig_target(struct soak_lane *lane, const struct soak_op *op, uint32_t *len)
{
	struct passage it;

	passage_fill(lane, op, &it);
	*len = it.dst_len;
	return it.dst;
}

void
soak_sig_apply(struct soak_lane *lane, uint32_t number, bool in_doubt)
{
	struct rte_umr_mkey_error error = { .type = RTE_UMR_MKEY_ERROR_NONE };
	uint8_t none[MAX_BYTES], all[MAX_BYTES], out[MAX_BYTES];
	struct passage it;

	passage_fill(lane, &lane->plan.ops[number], &it);
	/* Nothing writes to a source of such a transfer: both twins are equal. */
	soak_twin_load(&it.src, it.src_len, none, all);
	sig_pass(&it.view->sig, it.is_to_wire, it.data_from, it.data_len, none, out, &error);
	soak_twin_store(&it.dst, out, out, it.dst_len, in_doubt);
	lane->sig_found[it.side][it.view->first_key] = error;
	lane->sig_in_doubt[it.side][it.view->first_key] = in_doubt;
}

static void
key_compare(struct soak_lane *lane, enum soak_side side, uint32_t k)
{
	static const struct rte_umr_mkey_error none = { .type = RTE_UMR_MKEY_ERROR_NONE };
	struct rte_umr_mkey *mkey = lane->ends[side].sig_keys[k];
	const struct rte_umr_mkey_error *found = &lane->sig_found[side][k];
	struct rte_umr_mkey_error error;
	char why[256];

	/* A partial or repeated transfer may or may not report the error. */
	if (lane->sig_in_doubt[side][k]) {
		rte_umr_mkey_check(mkey, &error);
		return;
	}
	if (!sig_check(mkey, found, why, sizeof(why)) ||
	    !sig_check(mkey, &none, why, sizeof(why)))
		soak_lane_odd(lane, "%s key %u with a signature: %s",
			      side == SOAK_NEAR ? "near" : "far", k, why);
	else if (found->type != RTE_UMR_MKEY_ERROR_NONE)
		lane->tally.faults[SOAK_SIGNATURE]++;
}

void
soak_sig_compare(struct soak_lane *lane)
{
	for (unsigned int side = 0; side < 2; side++)
		for (uint32_t k = 0; k < lane->ends[side].nb_sig_keys; k++)
			key_compare(lane, (enum soak_side)side, k);
}
