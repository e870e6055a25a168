/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <inttypes.h>
#include <string.h>

#include "layout_gen.h"
#include "oracle.h"
#include "verify_case.h"
#include "verify_ops.h"

static const char *const kind_names[CASE_NB_KINDS] = {
	[CASE_WRITE_GATHER] = "write from the key (gather)",
	[CASE_READ_SCATTER] = "read into the key (scatter)",
	[CASE_WRITE_SCATTER] = "write to the remote key (scatter)",
	[CASE_READ_GATHER] = "read from the remote key (gather)",
};

static const char *const error_names[CASE_NB_ERRORS] = {
	[CASE_BEYOND_END] = "ends behind the key",
	[CASE_NO_RIGHT] = "lacks the right",
	[CASE_OLD_TAG] = "has the key's last value",
	[CASE_AFTER_INVALIDATE] = "uses the key after its invalidation",
};

static bool
is_read(const struct verify_case *vc)
{
	return vc->kind == CASE_READ_SCATTER || vc->kind == CASE_READ_GATHER;
}

static bool
is_scatter(const struct verify_case *vc)
{
	return vc->kind == CASE_READ_SCATTER || vc->kind == CASE_WRITE_SCATTER;
}

static bool
is_key_local(const struct verify_case *vc)
{
	return vc->kind == CASE_WRITE_GATHER || vc->kind == CASE_READ_SCATTER;
}

/* The end that has the layout; its queue configures the key. */
static const struct bed_end *
key_end(const struct verify_case *vc)
{
	return is_key_local(vc) ? &vc->path->initiator : &vc->path->target;
}

static const struct bed_end *
flat_end(const struct verify_case *vc)
{
	return is_key_local(vc) ? &vc->path->target : &vc->path->initiator;
}

/* The right of the key that the case needs. */
static uint32_t
access_needed(const struct verify_case *vc)
{
	switch (vc->kind) {
	case CASE_READ_SCATTER:
		return RTE_UMR_ACCESS_LOCAL_WRITE;
	case CASE_WRITE_SCATTER:
		return RTE_UMR_ACCESS_REMOTE_WRITE;
	case CASE_READ_GATHER:
		return RTE_UMR_ACCESS_REMOTE_READ;
	default:
		return 0;
	}
}

/* That right, and any others. */
static uint32_t
access_gen(struct prng *prng, const struct verify_case *vc, uint32_t capa)
{
	uint32_t access = ((uint32_t)prng_next(prng) & capa) | access_needed(vc);

	/* A peer that may change memory needs the right to write it locally, too. */
	if (access & (RTE_UMR_ACCESS_REMOTE_WRITE | RTE_UMR_ACCESS_REMOTE_ATOMIC))
		access |= RTE_UMR_ACCESS_LOCAL_WRITE;
	return access;
}

/* One in three cases moves the whole key; up to four operations share the work. */
static void
range_gen(struct prng *prng, struct verify_case *vc)
{
	uint64_t total = oracle_len(&vc->layout);

	vc->from = 0;
	vc->len = total;
	if (!prng_one_in(prng, 3)) {
		vc->from = prng_between(prng, 0, total - 1);
		vc->len = prng_log(prng, total - vc->from);
	}
	vc->nb_parts = (uint32_t)RTE_MIN(prng_between(prng, 1, CASE_MAX_PARTS), vc->len);
	for (uint32_t i = 0; i < vc->nb_parts; i++) {
		uint64_t start = i == 0 ? 0 : vc->part_ends[i - 1];
		uint64_t nb_behind = vc->nb_parts - 1 - i;

		vc->part_ends[i] = nb_behind == 0 ? vc->len :
						    prng_between(prng, start + 1,
								 vc->len - nb_behind);
	}
}

/* One in eight cases tries a bad layout first, and in one in sixteen the transfer must fail. */
static void
trouble_gen(struct prng *prng, struct verify_case *vc, uint64_t capa, bool is_interleaved)
{
	vc->has_refusal = prng_one_in(prng, 8);
	vc->refusal = (enum verify_refusal)prng_between(prng, 0, VERIFY_NB_REFUSALS - 1);
	if (vc->refusal == VERIFY_REFUSAL_NO_REPEAT && !is_interleaved)
		vc->refusal = VERIFY_REFUSAL_NO_ENTRIES;
	if (!prng_one_in(prng, 16))
		return;
	vc->error = (enum case_error)prng_between(prng, CASE_NO_ERROR + 1, CASE_NB_ERRORS - 1);
	if (vc->error == CASE_OLD_TAG && (capa & RTE_UMR_CAPA_MKEY_TAG) == 0)
		vc->error = CASE_BEYOND_END;
	if (vc->error == CASE_AFTER_INVALIDATE && (capa & RTE_UMR_CAPA_MKEY_INVALIDATE) == 0)
		vc->error = CASE_BEYOND_END;
	/* A key can always be read locally. */
	if (vc->error == CASE_NO_RIGHT && access_needed(vc) == 0)
		vc->error = CASE_BEYOND_END;
	if (vc->error == CASE_NO_RIGHT)
		vc->access = 0;
	vc->is_invalidated = vc->error == CASE_AFTER_INVALIDATE;
}

void
case_gen(struct verify_case *vc, const struct verify_env *env, struct prng *prng,
	 bool is_interleaved)
{
	const struct bed *bed = env->bed;
	const struct rte_umr_dev_info *info;
	struct layout_gen_conf conf = {
		.arena_size = BED_LAYOUT_SIZE,
		.guard = BED_GUARD,
		.max_total = BED_MAX_TOTAL,
	};

	vc->kind = (enum case_kind)prng_between(prng, 0, CASE_NB_KINDS - 1);
	vc->path = &bed->paths[prng_between(prng, 0, bed->nb_paths - 1u)];
	info = &key_end(vc)->side->info;
	vc->access = access_gen(prng, vc, info->access_capa);
	if (is_interleaved)
		conf.max_interleaved = RTE_MIN(LAYOUT_MAX_PIECES - 1,
					       info->max_interleaved_inline);
	else
		conf.max_list = RTE_MIN(LAYOUT_MAX_PIECES, info->max_list_inline);
	layout_gen(prng, &conf, is_scatter(vc), &vc->layout);
	range_gen(prng, vc);
	vc->flat_offset = (uint32_t)prng_between(prng, BED_GUARD,
						 BED_FLAT_SIZE - BED_GUARD - vc->len);
	vc->noise_offset = (uint32_t)prng_between(prng, 0, VERIFY_NOISE_SIZE - vc->len);
	vc->is_invalidated = (info->dev_capa & RTE_UMR_CAPA_MKEY_INVALIDATE) &&
			     prng_one_in(prng, 4);
	vc->by_status = prng_one_in(prng, 2);
	trouble_gen(prng, vc, info->dev_capa, is_interleaved);
}

void
case_print(FILE *f, const char *prefix, const void *what)
{
	const struct verify_case *vc = what;
	const struct bed_end *initiator = &vc->path->initiator;
	const struct bed_end *target = &vc->path->target;

	fprintf(f, "%s%s, ", prefix, kind_names[vc->kind]);
	if (initiator->side == target->side && initiator->queue_id == target->queue_id)
		fprintf(f, "loopback on %s queue %u\n", initiator->side->info.dev_name,
			initiator->queue_id);
	else
		fprintf(f, "%s queue %u to %s queue %u\n", initiator->side->info.dev_name,
			initiator->queue_id, target->side->info.dev_name, target->queue_id);
	fprintf(f, "%skey bytes [%" PRIu64 ", %" PRIu64 ") in %u operations, flat area 0x%05x, "
		"access 0x%x%s\n", prefix, vc->from, vc->from + vc->len, vc->nb_parts,
		vc->flat_offset, vc->access, vc->is_invalidated ? ", invalidated" : "");
	if (vc->has_refusal)
		fprintf(f, "%s%s is refused before\n", prefix, verify_refusal_name(vc->refusal));
	if (vc->error != CASE_NO_ERROR)
		fprintf(f, "%sthe transfer %s, so it must fail\n", prefix, error_names[vc->error]);
	layout_print(f, prefix, &vc->layout);
}

static void
invert(uint8_t *bytes, uint64_t len)
{
	for (uint64_t i = 0; i < len; i++)
		bytes[i] = (uint8_t)~bytes[i];
}

/*
 * Give the source fresh bytes, let the oracle say what becomes of the destination, and fill
 * the destination with the opposite, so that a byte that is not written cannot go unnoticed.
 */
static void
memory_prepare(const struct verify_case *vc, const uint8_t *noise, uint8_t *scratch)
{
	const struct bed_area *layout_area = &key_end(vc)->side->layout;
	const struct bed_area *flat_area = &flat_end(vc)->side->flat;
	uint8_t *flat_memory = flat_area->memory + vc->flat_offset;
	uint8_t *flat_expected = flat_area->expected + vc->flat_offset;
	const struct layout *layout = &vc->layout;

	noise += vc->noise_offset;
	if (is_scatter(vc)) {
		memcpy(flat_memory, noise, vc->len);
		memcpy(flat_expected, noise, vc->len);
		oracle_scatter(layout, layout_area->expected, vc->from, vc->len, noise);
		memcpy(scratch, noise, vc->len);
		invert(scratch, vc->len);
		oracle_scatter(layout, layout_area->memory, vc->from, vc->len, scratch);
	} else {
		oracle_scatter(layout, layout_area->memory, vc->from, vc->len, noise);
		oracle_scatter(layout, layout_area->expected, vc->from, vc->len, noise);
		oracle_gather(layout, layout_area->expected, vc->from, vc->len, flat_expected);
		memcpy(flat_memory, flat_expected, vc->len);
		invert(flat_memory, vc->len);
	}
}

/* Pieces in turn use the registrations of the layout area. */
static uint32_t
piece_lkey(const struct bed_side *side, uint32_t i)
{
	return side->layout_mrs[i % BED_NB_LAYOUT_MRS]->lkey;
}

static bool
key_configure(const struct verify_case *vc, struct verify_ops *ops, struct rte_umr_mkey *mkey)
{
	const struct bed_side *side = key_end(vc)->side;
	const struct layout *layout = &vc->layout;
	uint64_t base = (uintptr_t)side->layout.memory;

	if (layout->is_interleaved) {
		struct rte_umr_interleaved entries[LAYOUT_MAX_PIECES];

		for (uint32_t i = 0; i < layout->nb_pieces; i++)
			entries[i] = (struct rte_umr_interleaved){
				.addr = base + layout->pieces[i].offset,
				.bytes_count = layout->pieces[i].len,
				.bytes_skip = layout->pieces[i].skip,
				.lkey = piece_lkey(side, i),
			};
		return verify_ops_interleaved(ops, mkey, vc->access, layout->repeat, entries,
					      layout->nb_pieces);
	} else {
		struct rte_umr_seg segs[LAYOUT_MAX_PIECES];

		for (uint32_t i = 0; i < layout->nb_pieces; i++)
			segs[i] = (struct rte_umr_seg){
				.addr = base + layout->pieces[i].offset,
				.length = layout->pieces[i].len,
				.lkey = piece_lkey(side, i),
			};
		return verify_ops_list(ops, mkey, vc->access, segs, layout->nb_pieces);
	}
}

static bool
key_refuse(const struct verify_case *vc, struct verify_ops *ops, struct rte_umr_mkey *mkey)
{
	uint32_t lkey = piece_lkey(key_end(vc)->side, 0);

	if (!vc->has_refusal)
		return true;
	return vc->layout.is_interleaved ? verify_refuse_interleaved(ops, mkey, lkey, vc->refusal) :
					   verify_refuse_list(ops, mkey, lkey, vc->refusal);
}

/* The key as the transfer names it; the tag is in the lowest byte. */
static uint32_t
key_value(const struct verify_case *vc, const struct rte_umr_mkey *mkey)
{
	uint32_t tag = mkey->key & 0xff;

	if (vc->error == CASE_OLD_TAG)
		tag = (tag - 1) & 0xff;
	return (mkey->key & ~UINT32_C(0xff)) | tag;
}

/* Where the transfer begins in the key. */
static uint64_t
key_start(const struct verify_case *vc)
{
	if (vc->error == CASE_BEYOND_END)
		return oracle_len(&vc->layout) - vc->part_ends[0] + 1;
	return vc->from;
}

static bool
parts_move(const struct verify_case *vc, struct verify_ops *ops, const struct rte_umr_mkey *mkey)
{
	const struct bed_side *flat_side = flat_end(vc)->side;
	uint64_t flat = (uintptr_t)flat_side->flat.memory + vc->flat_offset;
	bool is_local = is_key_local(vc);

	for (uint32_t i = 0; i < vc->nb_parts; i++) {
		uint64_t start = i == 0 ? 0 : vc->part_ends[i - 1];
		uint32_t len = (uint32_t)(vc->part_ends[i] - start);
		struct rte_umr_seg key = { key_start(vc) + start, len, key_value(vc, mkey) };
		struct rte_umr_seg whole = { flat + start, len, flat_side->flat_mr->lkey };
		uint64_t remote_addr = is_local ? whole.addr : key.addr;
		uint32_t rkey = is_local ? flat_side->flat_mr->rkey : key.lkey;

		if (!verify_ops_move(ops, is_read(vc), is_local ? &key : &whole, remote_addr, rkey))
			return false;
		if (i == 0 && vc->error != CASE_NO_ERROR)
			verify_ops_expect(ops, is_local ? RTE_UMR_STATUS_LOCAL_PROT :
							  RTE_UMR_STATUS_REMOTE_ACCESS);
	}
	return true;
}

static bool
is_one_queue(const struct verify_case *vc)
{
	const struct bed_end *a = &vc->path->initiator;
	const struct bed_end *b = key_end(vc);

	return a->side == b->side && a->queue_id == b->queue_id;
}

/*
 * Configure, move, invalidate. On one queue all of it goes out under one doorbell; otherwise each
 * step waits for the one before, as the API asks for.
 */
static bool
ops_run(const struct verify_case *vc, struct verify_ops *key_ops, struct verify_ops *move_ops,
	struct rte_umr_mkey *mkey)
{
	bool is_one = is_one_queue(vc);
	bool is_early = vc->error == CASE_AFTER_INVALIDATE;

	return key_refuse(vc, key_ops, mkey) && key_configure(vc, key_ops, mkey) &&
	       (!is_early || verify_ops_invalidate(key_ops, mkey)) &&
	       (is_one || verify_ops_wait(key_ops)) &&
	       parts_move(vc, move_ops, mkey) &&
	       (is_one || verify_ops_wait(move_ops)) &&
	       (!vc->is_invalidated || is_early || verify_ops_invalidate(key_ops, mkey)) &&
	       (is_one || vc->error == CASE_NO_ERROR ? verify_ops_wait(key_ops) : true);
}

/*
 * What failed may have moved a part of its bytes, and only to where they belong: whatever is there
 * now is what is expected.
 */
static void
accept_partial(const struct verify_case *vc)
{
	const struct bed_area *layout_area = &key_end(vc)->side->layout;
	const struct bed_area *flat_area = &flat_end(vc)->side->flat;
	static uint8_t bytes[BED_MAX_TOTAL];
	uint64_t total = oracle_len(&vc->layout);

	if (is_scatter(vc)) {
		oracle_gather(&vc->layout, layout_area->memory, 0, total, bytes);
		oracle_scatter(&vc->layout, layout_area->expected, 0, total, bytes);
	} else {
		memcpy(flat_area->expected + vc->flat_offset, flat_area->memory + vc->flat_offset,
		       vc->len);
	}
}

static void
compare_destination(const struct verify_case *vc, struct case_result *result)
{
	bool has_key = is_scatter(vc);
	const struct bed_side *side = has_key ? key_end(vc)->side : flat_end(vc)->side;
	const struct bed_area *area = has_key ? &side->layout : &side->flat;
	uint64_t position = 0;
	uint32_t first = 0, nb;
	char where[64] = "not a byte of this case";

	nb = bed_area_compare(area, &first);
	if (nb == 0)
		return;
	if (has_key ? oracle_find(&vc->layout, first, &position) :
		      first >= vc->flat_offset && first - vc->flat_offset < vc->len)
		snprintf(where, sizeof(where), "key byte %" PRIu64,
			 has_key ? position : vc->from + first - vc->flat_offset);
	verify_result_set(result, CASE_MISMATCH,
		"%u bytes differ, first at 0x%05x of the %s area of %s (%s): expected 0x%02x, "
		"found 0x%02x", nb, first, area->name, side->info.dev_name, where,
		   area->expected[first], area->memory[first]);
}

void
case_run(const void *what, const struct verify_env *env, struct case_result *result)
{
	const struct verify_case *vc = what;
	static uint8_t scratch[BED_MAX_TOTAL];
	const struct bed_end *end = key_end(vc);
	struct verify_ops own_ops, *move_ops = &own_ops;
	struct verify_ops key_ops;
	struct rte_umr_mkey *mkey;

	mkey = rte_umr_mkey_get(end->side->pool);
	if (mkey == NULL) {
		verify_result_set(result, CASE_ERROR, "no key left in the pool of %s",
			   end->side->info.dev_name);
		return;
	}
	memory_prepare(vc, env->noise, scratch);
	verify_ops_init(&key_ops, end, vc->by_status);
	verify_ops_init(&own_ops, &vc->path->initiator, vc->by_status);
	if (is_one_queue(vc))
		move_ops = &key_ops;
	if (ops_run(vc, &key_ops, move_ops, mkey)) {
		if (vc->error != CASE_NO_ERROR)
			accept_partial(vc);
		compare_destination(vc, result);
		if (vc->error != CASE_NO_ERROR && !bed_path_recover(vc->path))
			verify_result_set(result, CASE_ERROR, "the queues could not be recovered");
	} else {
		const struct verify_ops *failed = key_ops.has_failed ? &key_ops : move_ops;

		verify_result_set(result, failed->has_timed_out ? CASE_TIMEOUT : CASE_ERROR, "%s",
			   failed->why);
	}
	rte_umr_mkey_put(end->side->pool, mkey);
}
