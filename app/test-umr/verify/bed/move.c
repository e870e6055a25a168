/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <inttypes.h>
#include <string.h>

#include "model/oracle.h"
#include "verify/bed/move.h"
#include "verify/bed/remote.h"

static const struct {
	const char *name;
	bool is_read;
	bool is_local;		/* the side that starts the transfer has the key */
	uint32_t access;	/* required by the transfer */
} kinds[MOVE_NB_KINDS] = {
	[MOVE_WRITE_GATHER] = { "write from the key (gather)", false, true, 0 },
	[MOVE_READ_SCATTER] = { "read into the key (scatter)", true, true,
				RTE_UMR_ACCESS_LOCAL_WRITE },
	[MOVE_WRITE_SCATTER] = { "write to the remote key (scatter)", false, false,
				 RTE_UMR_ACCESS_REMOTE_WRITE },
	[MOVE_READ_GATHER] = { "read from the remote key (gather)", true, false,
			       RTE_UMR_ACCESS_REMOTE_READ },
};

bool
verify_move_is_scatter(const struct verify_move *move)
{
	return kinds[move->kind].is_read == kinds[move->kind].is_local;
}

static bool
is_local(const struct verify_move *move)
{
	return kinds[move->kind].is_local;
}

const struct bed_end *
verify_move_key_end(const struct verify_move *move)
{
	return is_local(move) ? &move->path->initiator : &move->path->target;
}

const struct bed_end *
verify_move_flat_end(const struct verify_move *move)
{
	return is_local(move) ? &move->path->target : &move->path->initiator;
}

uint32_t
verify_move_access_needed(const struct verify_move *move)
{
	return kinds[move->kind].access;
}

uint32_t
verify_access_gen(struct prng *prng, uint32_t needed, uint32_t capa)
{
	uint32_t access = ((uint32_t)prng_next(prng) & capa) | needed;

	/* Access for a peer to change memory requires local write access. */
	if (access & (RTE_UMR_ACCESS_REMOTE_WRITE | RTE_UMR_ACCESS_REMOTE_ATOMIC))
		access |= RTE_UMR_ACCESS_LOCAL_WRITE;
	return access;
}

const struct rte_umr_dev_info *
verify_move_gen_path(struct verify_move *move, const struct bed *bed, struct prng *prng)
{
	const struct bed_side *side;

	move->kind = (enum verify_move_kind)prng_between(prng, 0, MOVE_NB_KINDS - 1);
	move->path = &bed->paths[prng_between(prng, 0, bed->nb_paths - 1u)];
	side = verify_move_key_end(move)->side;
	move->access = verify_access_gen(prng, verify_move_access_needed(move), side->key_access);
	move->by_status = prng_one_in(prng, 2);
	return &side->info;
}

/* One case in three moves the whole key; up to four operations share the range. */
void
verify_move_gen_range(struct verify_move *move, struct prng *prng, uint64_t total)
{
	move->from = 0;
	move->len = total;
	if (!prng_one_in(prng, 3)) {
		move->from = prng_between(prng, 0, total - 1);
		move->len = prng_log(prng, total - move->from);
	}
	move->nb_parts = (uint32_t)RTE_MIN(prng_between(prng, 1, VERIFY_MOVE_MAX_PARTS),
					   move->len);
	for (uint32_t i = 0; i < move->nb_parts; i++) {
		uint64_t start = i == 0 ? 0 : move->part_ends[i - 1];
		uint64_t nb_behind = move->nb_parts - 1 - i;

		move->part_ends[i] = nb_behind == 0 ? move->len :
						      prng_between(prng, start + 1,
								   move->len - nb_behind);
	}
	verify_move_gen_places(move, prng);
}

void
verify_move_gen_places(struct verify_move *move, struct prng *prng)
{
	move->flat_offset = (uint32_t)prng_between(prng, BED_GUARD,
						   BED_FLAT_SIZE - BED_GUARD - move->len);
	move->noise_offset = (uint32_t)prng_between(prng, 0, VERIFY_NOISE_SIZE - move->len);
}

void
verify_move_one_part(struct verify_move *move)
{
	move->nb_parts = 1;
	move->part_ends[0] = move->len;
}

void
verify_move_print(FILE *f, const char *prefix, const struct verify_move *move)
{
	const struct bed_end *initiator = &move->path->initiator;
	const struct bed_end *target = &move->path->target;

	fprintf(f, "%s%s, ", prefix, kinds[move->kind].name);
	if (initiator->side == target->side && initiator->queue_id == target->queue_id)
		fprintf(f, "loopback on %s queue %u\n", initiator->side->info.dev_name,
			initiator->queue_id);
	else
		fprintf(f, "%s queue %u to %s queue %u\n", initiator->side->info.dev_name,
			initiator->queue_id, target->side->info.dev_name, target->queue_id);
	fprintf(f, "%skey bytes [%" PRIu64 ", %" PRIu64 ") in %u operations, flat area 0x%05x, "
		"access 0x%x\n", prefix, move->from, move->from + move->len, move->nb_parts,
		move->flat_offset, move->access);
}

void
verify_move_gen_beyond(struct verify_move *move, struct prng *prng)
{
	move->is_beyond = prng_one_in(prng, 16);
	move->has_error = move->is_beyond;
}

void
verify_move_print_beyond(FILE *f, const char *prefix, const struct verify_move *move)
{
	if (move->is_beyond)
		fprintf(f, "%sthe transfer ends behind the key, so it must fail\n", prefix);
}

static void
invert(uint8_t *bytes, uint64_t len)
{
	for (uint64_t i = 0; i < len; i++)
		bytes[i] = (uint8_t)~bytes[i];
}

/*
 * Fill the source with fresh bytes, let the oracle compute the destination, and fill the
 * destination with the inverse, so that unwritten bytes are detected.
 */
static void
memory_prepare(const struct verify_move *move, const struct verify_view *view,
	       const uint8_t *noise)
{
	const struct bed_area *layout_area = &verify_move_key_end(move)->side->layout;
	const struct bed_area *flat_area = &verify_move_flat_end(move)->side->flat;
	uint8_t *flat_memory = flat_area->memory + move->flat_offset;
	uint8_t *flat_expected = flat_area->expected + move->flat_offset;
	static uint8_t scratch[BED_MAX_TOTAL];

	noise += move->noise_offset;
	if (verify_move_is_scatter(move)) {
		memcpy(flat_memory, noise, move->len);
		memcpy(flat_expected, noise, move->len);
		view->scatter(view->layout, layout_area->expected, move->from, move->len, noise);
		memcpy(scratch, noise, move->len);
		invert(scratch, move->len);
		view->scatter(view->layout, layout_area->memory, move->from, move->len, scratch);
	} else {
		view->scatter(view->layout, layout_area->memory, move->from, move->len, noise);
		view->scatter(view->layout, layout_area->expected, move->from, move->len, noise);
		view->gather(view->layout, layout_area->expected, move->from, move->len,
			     flat_expected);
		memcpy(flat_memory, flat_expected, move->len);
		invert(flat_memory, move->len);
	}
}

static bool
parts_enqueue(const struct verify_move *move, const struct verify_view *view,
	      const struct verify_steps *steps, struct verify_ops *ops)
{
	const struct bed_side *flat_side = verify_move_flat_end(move)->side;
	uint64_t flat = flat_side->flat.addr + move->flat_offset;
	uint64_t from = move->is_beyond ? view->total - move->part_ends[0] + 1 : move->from;
	bool has_key = is_local(move);

	for (uint32_t i = 0; i < move->nb_parts; i++) {
		uint64_t start = i == 0 ? 0 : move->part_ends[i - 1];
		uint32_t len = (uint32_t)(move->part_ends[i] - start);
		struct rte_umr_seg key = { steps->base + from + start, len, steps->key };
		struct rte_umr_seg whole = { flat + start, len, flat_side->flat_mr->lkey };
		uint64_t remote_addr = has_key ? whole.addr : key.addr;
		uint32_t rkey = has_key ? flat_side->flat_mr->rkey : key.lkey;

		if (!verify_ops_move(ops, kinds[move->kind].is_read, has_key ? &key : &whole,
				     remote_addr, rkey, move->is_in_turn ? RTE_UMR_OP_F_FENCE : 0))
			return false;
		if (i == 0 && move->has_error)
			verify_ops_expect(ops, has_key ? RTE_UMR_STATUS_LOCAL_PROT :
							RTE_UMR_STATUS_REMOTE_ACCESS);
	}
	return true;
}

static bool
is_one_queue(const struct verify_move *move)
{
	const struct bed_end *a = &move->path->initiator;
	const struct bed_end *b = verify_move_key_end(move);

	return a->side == b->side && a->queue_id == b->queue_id;
}

/* After a failed transfer the queue accepts no more operations. */
static bool
ops_run(const struct verify_move *move, const struct verify_view *view,
	const struct verify_steps *steps, struct verify_ops *key_ops, struct verify_ops *move_ops)
{
	if (!steps->before(steps->arg, key_ops) ||
	    (key_ops != move_ops && !verify_ops_wait(key_ops)) ||
	    !parts_enqueue(move, view, steps, move_ops))
		return false;
	if (steps->after == NULL || move->has_error)
		return verify_ops_wait(move_ops);
	return (key_ops == move_ops || verify_ops_wait(move_ops)) &&
	       steps->after(steps->arg, key_ops) && verify_ops_wait(key_ops);
}

/* Fetch memory of another process, or send prepared memory to it. */
static bool
remotes_do(const struct verify_move *move, bool (*exchange)(struct bed_side *side),
	   struct case_result *result)
{
	struct bed_side *side = move->path->target.side;

	if (side->remote == NULL || exchange(side))
		return true;
	verify_result_set(result, CASE_ERROR, "%s", bed_remote_why(side));
	return false;
}

/*
 * A failed operation may have moved some of its bytes to their proper destination. Accept the
 * current contents there.
 */
static void
accept_partial(const struct verify_move *move, const struct verify_view *view)
{
	const struct bed_area *layout_area = &verify_move_key_end(move)->side->layout;
	const struct bed_area *flat_area = &verify_move_flat_end(move)->side->flat;
	static uint8_t bytes[BED_MAX_TOTAL];

	if (verify_move_is_scatter(move)) {
		view->gather(view->layout, layout_area->memory, 0, view->total, bytes);
		view->scatter(view->layout, layout_area->expected, 0, view->total, bytes);
	} else {
		memcpy(flat_area->expected + move->flat_offset,
		       flat_area->memory + move->flat_offset, move->len);
	}
}

static void
compare_destination(const struct verify_move *move, const struct verify_view *view,
		    struct case_result *result)
{
	bool has_key = verify_move_is_scatter(move);
	const struct bed_end *end = has_key ? verify_move_key_end(move) :
					      verify_move_flat_end(move);
	const struct bed_area *area = has_key ? &end->side->layout : &end->side->flat;
	uint64_t position = 0;
	uint32_t first = 0, nb;
	char where[64] = " (not a byte of this case)";

	nb = bed_area_compare(area, &first);
	if (nb == 0)
		return;
	if (has_key ? view->find(view->found_in, first, &position) :
		      first >= move->flat_offset && first - move->flat_offset < move->len)
		snprintf(where, sizeof(where), " (key byte %" PRIu64 ")",
			 has_key ? position : move->from + first - move->flat_offset);
	verify_mismatch_set(result, end->side, area, nb, first, where);
}

struct verify_view
verify_view_of(const struct layout *layout)
{
	return (struct verify_view){
		.layout = layout, .total = oracle_len(layout), .gather = oracle_gather,
		.scatter = oracle_scatter, .find = oracle_find, .found_in = layout,
	};
}

void
verify_move_run(const struct verify_move *move, const struct verify_view *view,
		const struct verify_steps *steps, const uint8_t *noise, struct case_result *result)
{
	struct verify_ops own_ops, *move_ops = &own_ops;
	struct verify_ops key_ops;

	memory_prepare(move, view, noise);
	if (!remotes_do(move, bed_remote_push, result))
		return;
	verify_ops_init(&key_ops, verify_move_key_end(move), move->by_status);
	verify_ops_init(&own_ops, &move->path->initiator, move->by_status);
	if (is_one_queue(move))
		move_ops = &key_ops;
	if (!ops_run(move, view, steps, &key_ops, move_ops)) {
		verify_ops_report(key_ops.has_failed ? &key_ops : move_ops, result);
		return;
	}
	if (!remotes_do(move, bed_remote_pull, result))
		return;
	if (move->has_error)
		accept_partial(move, view);
	compare_destination(move, view, result);
	if (move->has_error)
		verify_path_recover(move->path, result);
}
