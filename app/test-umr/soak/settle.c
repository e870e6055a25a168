/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <string.h>

#include "model/oracle.h"
#include "soak/ops.h"
#include "soak/plan_view.h"
#include "soak/recover.h"
#include "soak/remote.h"
#include "soak/settle.h"

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

/* Write valid fields, then damage, to the sources of transfers through keys with signatures. */
static void
sig_prepare(struct soak_lane *lane)
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

/* Destination of such a transfer. */
static struct soak_part
sig_target(struct soak_lane *lane, const struct soak_op *op, uint32_t *len)
{
	struct passage it;

	passage_fill(lane, op, &it);
	*len = it.dst_len;
	return it.dst;
}

/* Apply such a transfer to its destination; the error of its key is known then. */
static void
sig_apply(struct soak_lane *lane, uint32_t number, bool in_doubt)
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

/* Check that each key reports the error of its transfer once. */
static void
sig_compare(struct soak_lane *lane)
{
	for (unsigned int side = 0; side < 2; side++)
		for (uint32_t k = 0; k < lane->ends[side].nb_sig_keys; k++)
			key_compare(lane, (enum soak_side)side, k);
}

/* Whether an operation was executed. */
enum certainty { NOT_DONE, IN_DOUBT, DONE };

/*
 * With another process, operations after a read are executed before its response finds no memory;
 * within one process the device detects this at once.
 */
static bool
is_found_late(const struct soak_lane *lane)
{
	return lane->transport == SOAK_PEER && lane->plan.fault == SOAK_UNMAPPED &&
	       lane->plan.ops[lane->plan.fault_at].kind == SOAK_READ;
}

static bool
is_doubtful(const struct soak_lane *lane)
{
	return lane->is_lost || lane->plan.fault == SOAK_PEER_RESET ||
	       soak_fault_is_wire(lane->plan.fault) || is_found_late(lane);
}

static bool
has_status(uint16_t noted, enum rte_umr_status status)
{
	return noted == (unsigned int)status + 1;
}

static enum certainty
certainty_of(const struct soak_lane *lane, uint32_t number)
{
	const uint16_t status = lane->statuses[number];

	if (has_status(status, RTE_UMR_STATUS_SUCCESS))
		return DONE;
	/* A received message was sent, whatever status its sender has. */
	if (has_status(lane->recv_statuses[number], RTE_UMR_STATUS_SUCCESS))
		return DONE;
	/* A device may have executed any valid operation that was flushed when it was lost. */
	if (lane->is_lost && (!has_status(status, RTE_UMR_STATUS_FLUSHED) ||
			      (lane->plan.ops[number].may & SOAK_STATUS(SUCCESS)) == 0))
		return NOT_DONE;
	return status != 0 && is_doubtful(lane) ? IN_DOUBT : NOT_DONE;
}

static uint64_t
atomic_result(const struct soak_op *op, uint64_t old)
{
	if (op->kind == SOAK_FETCH_ADD)
		return old + op->operands[0];
	return old == op->operands[0] ? op->operands[1] : old;
}

static bool
is_atomic(const struct soak_op *op)
{
	return op->kind == SOAK_FETCH_ADD || op->kind == SOAK_CMP_SWAP;
}

/*
 * Whether several atomics use one word. If the device is lost meanwhile, which the plan does not
 * know, the word has one of more values than twins can represent.
 */
static bool
is_shared(const struct soak_lane *lane, const struct soak_op *op)
{
	uint32_t nb = 0;

	for (uint32_t i = 0; i < lane->plan.nb_ops; i++)
		nb += is_atomic(&lane->plan.ops[i]) &&
		      lane->plan.ops[i].view[SOAK_FAR] == op->view[SOAK_FAR];
	return nb > 1;
}

/* Accept the current contents of memory. */
static void
forgive(const struct soak_part *part)
{
	uint8_t now[RTE_UMR_ATOMIC_LEN];

	oracle_gather(part->layout, part->twin->memory + part->base, part->from, sizeof(now), now);
	soak_twin_store(part, now, now, sizeof(now), false);
}

static void
atomic_apply(struct soak_lane *lane, const struct soak_op *op, bool in_doubt)
{
	const struct soak_part word = soak_lane_part(lane, op, SOAK_FAR);
	const struct soak_part old = soak_lane_part(lane, op, SOAK_NEAR);
	uint64_t none, all, none_new, all_new;

	if (in_doubt && is_shared(lane, op)) {
		forgive(&word);
		forgive(&old);
		return;
	}
	soak_twin_load(&word, RTE_UMR_ATOMIC_LEN, &none, &all);
	none_new = atomic_result(op, none);
	all_new = atomic_result(op, all);
	soak_twin_store(&word, &none_new, &all_new, RTE_UMR_ATOMIC_LEN, in_doubt);
	soak_twin_store(&old, &none, &all, RTE_UMR_ATOMIC_LEN, in_doubt);
}

/* A message that did not fit: the contents of its receive are unspecified. */
static void
too_long_apply(struct soak_lane *lane, const struct soak_op *op)
{
	const struct soak_part src = soak_lane_part(lane, op, SOAK_NEAR);
	const struct soak_part dst = soak_lane_part(lane, op, SOAK_FAR);
	const uint32_t len = (uint32_t)lane->plan.views[op->view[SOAK_FAR]].total;

	soak_twin_move(&dst, &src, len, true);
}

static void
op_apply(struct soak_lane *lane, uint32_t number, enum certainty certainty)
{
	const struct soak_op *op = &lane->plan.ops[number];
	const bool in_doubt = certainty == IN_DOUBT;
	struct soak_part near_part, far_part;

	/* Inaccessible memory has no contents; the ledger checks the status. */
	if (lane->plan.views[op->view[SOAK_NEAR]].memory > SOAK_DEMAND ||
	    lane->plan.views[op->view[SOAK_FAR]].memory > SOAK_DEMAND)
		return;
	if (is_atomic(op)) {
		atomic_apply(lane, op, in_doubt);
		return;
	}
	if (soak_op_signed(&lane->plan, op) >= 0) {
		sig_apply(lane, number, in_doubt);
		return;
	}
	near_part = soak_lane_part(lane, op, SOAK_NEAR);
	far_part = soak_lane_part(lane, op, SOAK_FAR);
	if (op->kind == SOAK_READ)
		soak_twin_move(&near_part, &far_part, op->len, in_doubt);
	else
		soak_twin_move(&far_part, &near_part, op->len, in_doubt);
}

/* Check that a message arrived if and only if it was sent. */
static void
recv_compare(struct soak_lane *lane, uint32_t number)
{
	const struct soak_op *op = &lane->plan.ops[number];
	const bool was_sent = has_status(lane->statuses[number], RTE_UMR_STATUS_SUCCESS);
	const bool was_taken = has_status(lane->recv_statuses[number], RTE_UMR_STATUS_SUCCESS);

	if (was_sent && !was_taken && !lane->is_lost)
		soak_lane_odd(lane, "[%u] %s succeeded, but its receive did not (%u)", number,
			      soak_kind_names[op->kind], lane->recv_statuses[number]);
	if (was_taken && !was_sent && !is_doubtful(lane))
		soak_lane_odd(lane, "[%u] %s failed (%u), but its receive succeeded", number,
			      soak_kind_names[op->kind], lane->statuses[number]);
}

/* Of the writes in doubt, a prefix was executed, then part of one, then none. */
static void
order_compare(struct soak_lane *lane)
{
	bool is_open = true, is_touched, is_complete;

	for (uint32_t i = 0; i < lane->plan.nb_ops; i++) {
		const struct soak_op *op = &lane->plan.ops[i];
		struct soak_part part;
		uint32_t len = op->len;

		if ((op->kind != SOAK_WRITE && op->kind != SOAK_WRITE_INLINE &&
		     op->kind != SOAK_WRITE_IMM) || certainty_of(lane, i) != IN_DOUBT)
			continue;
		part = soak_op_signed(&lane->plan, op) >= 0 ?
			       sig_target(lane, op, &len) : soak_lane_part(lane, op, SOAK_FAR);
		soak_twin_trace(&part, len, &is_touched, &is_complete);
		if (is_touched && !is_open)
			soak_lane_odd(lane, "[%u] %s was executed, one in front of it was not", i,
				      soak_kind_names[op->kind]);
		is_open = is_open && is_complete;
	}
}

static void
memory_compare(struct soak_lane *lane)
{
	static const char *const names[2][SOAK_NB_AREAS] = {
		{ "near", "near on demand" }, { "far", "far on demand" },
	};
	uint32_t first = 0, nb;

	for (unsigned int side = 0; side < 2; side++)
		for (unsigned int m = 0; m < SOAK_NB_AREAS; m++) {
			struct soak_twin *twin = &lane->ends[side].twins[m];

			if (twin->memory == NULL)
				continue;
			nb = soak_twin_settle(twin, &first);
			if (nb != 0)
				soak_lane_wrong(lane, &lane->tally.wrongs.nb_corrupted, nb,
						"%u bytes of the %s memory are wrong, from 0x%05x",
						nb, names[side][m], first);
		}
	if (!soak_lane_lead_is_clean(lane))
		soak_lane_wrong(lane, &lane->tally.wrongs.nb_corrupted, 1,
				"memory in front of that of the operations is wrong");
}

/* Pages that were paged in since the device was opened, as reported by the device. */
static uint64_t
nb_page_faults(const struct soak_lane *lane)
{
	struct rte_umr_odp_stats stats = { 0 };

	rte_umr_odp_stats_get(lane->device->dev_id, &stats);
	return stats.nb_page_faults;
}

/* Count the fault if the operation failed as intended. */
static void
fault_count(struct soak_lane *lane)
{
	const struct soak_plan *plan = &lane->plan;
	uint16_t status;

	if (plan->fault == SOAK_NB_FAULTS)
		return;
	status = lane->statuses[plan->fault_at];
	if (plan->fault <= SOAK_RNR || plan->fault == SOAK_UNMAPPED || plan->fault == SOAK_ODP_HOLE)
		lane->tally.faults[plan->fault] +=
			status != 0 && !has_status(status, RTE_UMR_STATUS_SUCCESS) &&
			!has_status(status, RTE_UMR_STATUS_FLUSHED);
	else if (plan->fault == SOAK_ODP)
		lane->tally.faults[SOAK_ODP] += nb_page_faults(lane) != lane->nb_page_faults;
}

void
soak_settle(struct soak_lane *lane)
{
	const struct soak_plan *plan = &lane->plan;

	for (uint32_t i = 0; i < plan->nb_ops; i++) {
		const enum certainty certainty = certainty_of(lane, i);

		if (!soak_kind_is_transfer(plan->ops[i].kind))
			continue;
		if (plan->fault == SOAK_LENGTH && i == plan->fault_at)
			too_long_apply(lane, &plan->ops[i]);
		else if (certainty != NOT_DONE)
			op_apply(lane, i, certainty);
		if (lane->recv_statuses[i] != 0)
			recv_compare(lane, i);
	}
	if (lane->transport == SOAK_PEER && !soak_remote_pull(lane))
		return;
	if (is_doubtful(lane))
		order_compare(lane);
	memory_compare(lane);
	if (lane->is_lost)
		return;
	sig_compare(lane);
	fault_count(lane);
}

/* Fill the range of an area that a step may use. */
static void
area_fill(struct soak_lane *lane, enum soak_side side, enum soak_memory memory)
{
	struct soak_twin *twin = &lane->ends[side].twins[memory];
	struct prng prng = prng_stream(~lane->device->conf->seed,
				       (uint64_t)lane->number << 40 | lane->plan.step);
	uint32_t at = 0;

	/* Each area of the step has its own contents. */
	for (unsigned int i = 0; i <= side * SOAK_NB_AREAS + memory; i++)
		at = (uint32_t)prng_between(&prng, 0, SOAK_AREA_SIZE);
	if (twin->memory != NULL)
		soak_twin_write(twin, 0, (const uint8_t *)lane->device->noise + at,
				RTE_MIN(lane->plan.next[side][memory], SOAK_AREA_SIZE));
}

void
soak_settle_reregister(struct soak_lane *lane)
{
	const struct rte_umr_mr_conf conf = {
		.access = lane->device->info.access_capa & RTE_UMR_ACCESS_ALL,
	};

	const unsigned int nb_sides = lane->transport == SOAK_PEER ? 1 : 2;

	for (unsigned int side = 0; side < nb_sides; side++) {
		struct rte_umr_mr *mr = lane->ends[side].plain[SOAK_PINNED];
		const int ret = rte_umr_mr_reregister(mr, RTE_UMR_MR_CHANGE_ACCESS, &conf);

		lane->tally.kinds[SOAK_REREGISTER]++;
		if (ret != 0)
			soak_lane_odd(lane, "registering memory anew: %s", rte_strerror(-ret));
	}
}

static void
keys_get(struct soak_lane *lane, struct rte_umr_mkey_pool *pool, uint32_t nb,
	 struct rte_umr_mkey **keys, uint32_t *nb_keys)
{
	if (nb == 0)
		return;
	if (rte_umr_mkey_get_bulk(pool, keys, nb) == 0)
		*nb_keys = nb;
	else if (!soak_lane_is_lost(lane))
		soak_lane_wrong(lane, &lane->tally.wrongs.nb_lost, nb,
				"the pool does not have %u keys", nb);
}

static void
keys_put(struct soak_lane *lane, struct rte_umr_mkey_pool *pool, struct rte_umr_mkey **keys,
	 uint32_t *nb_keys)
{
	if (*nb_keys != 0 && rte_umr_mkey_put_bulk(pool, keys, *nb_keys) != 0)
		soak_lane_odd(lane, "keys cannot be put back");
	*nb_keys = 0;
}

/* Write the comparand of a swap that is to take place. */
static void
matches_fill(struct soak_lane *lane)
{
	for (uint32_t i = 0; i < lane->plan.nb_ops; i++) {
		struct soak_op *op = &lane->plan.ops[i];
		struct soak_part word;
		uint64_t all;

		if (!op->is_match || lane->plan.views[op->view[SOAK_FAR]].memory > SOAK_DEMAND)
			continue;
		word = soak_lane_part(lane, op, SOAK_FAR);
		soak_twin_load(&word, RTE_UMR_ATOMIC_LEN, &op->operands[0], &all);
	}
}

void
soak_settle_before(struct soak_lane *lane)
{
	for (unsigned int side = 0; side < 2; side++) {
		struct soak_end *end = &lane->ends[side];

		area_fill(lane, (enum soak_side)side, SOAK_PINNED);
		area_fill(lane, (enum soak_side)side, SOAK_DEMAND);
		keys_get(lane, end->pool, lane->plan.nb_keys[side], end->keys, &end->nb_keys);
		keys_get(lane, end->sig_pool, lane->plan.nb_sigs[side], end->sig_keys,
			 &end->nb_sig_keys);
	}
	matches_fill(lane);
	sig_prepare(lane);
	if (lane->transport == SOAK_PEER)
		soak_remote_push(lane);
	if (lane->plan.fault != SOAK_ODP)
		return;
	lane->nb_page_faults = nb_page_faults(lane);
	for (uint32_t i = 0; i < lane->plan.nb_views; i++)
		if (lane->plan.views[i].memory == SOAK_DEMAND)
			soak_lane_discard(lane, &lane->plan.views[i]);
}

void
soak_settle_keys(struct soak_lane *lane)
{
	for (unsigned int side = 0; side < 2; side++) {
		struct soak_end *end = &lane->ends[side];

		keys_put(lane, end->pool, end->keys, &end->nb_keys);
		keys_put(lane, end->sig_pool, end->sig_keys, &end->nb_sig_keys);
	}
}
