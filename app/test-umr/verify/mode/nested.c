/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <rte_memory.h>

#include "model/nested.h"
#include "verify/bed/keys.h"
#include "verify/bed/layout.h"
#include "verify/mode/modes.h"

/* Reason why the transfer of a case fails if its range includes the bad place. */
enum nested_error {
	NESTED_NO_ERROR,
	NESTED_TOO_DEEP,	/* one level more than the device supports */
	NESTED_INVALIDATED,	/* an inner key was invalidated */
	NESTED_OLD_TAG,		/* an inner key is referred to by its previous value */
	NESTED_TOO_SHORT,	/* the last byte of an inner key is missing */
	NESTED_READ_ONLY,	/* an inner key lacks write access */
	NESTED_NB_ERRORS,
};

static const char *const error_names[NESTED_NB_ERRORS] = {
	[NESTED_TOO_DEEP] = "there are too many levels",
	[NESTED_INVALIDATED] = "was invalidated",
	[NESTED_OLD_TAG] = "goes by its last value",
	[NESTED_TOO_SHORT] = "has lost its last byte",
	[NESTED_READ_ONLY] = "lacks write access",
};

struct nested_case {
	struct verify_move move;
	struct nested nested;
	uint32_t order[NESTED_MAX_KEYS];	/* order of configuring the keys */
	uint32_t access[NESTED_MAX_KEYS];	/* of inner keys; that of the last key is in move */
	enum nested_error error;
	uint32_t bad_key;
	bool is_invalidated;	/* all keys are invalidated afterwards */
};

/* State of a running case. */
struct nested_keys {
	const struct nested_case *vc;
	struct rte_umr_mkey *mkeys[NESTED_MAX_KEYS];
};

static bool
nested_is_supported(const struct rte_umr_dev_info *info, char *why)
{
	if (info->max_nesting >= 2 && info->max_nesting < NESTED_MAX_LEVELS)
		return true;
	snprintf(why, VERIFY_LACK_SIZE, "a depth in [2, %u], max_nesting is %u",
		 NESTED_MAX_LEVELS - 1, info->max_nesting);
	return false;
}

static bool
is_byte_bad(const struct nested_case *vc, uint32_t max_nesting, uint64_t i)
{
	const struct nested_byte *byte = &vc->nested.bytes[i];

	return vc->error == NESTED_TOO_DEEP ? byte->nb_levels > max_nesting : byte->is_marked;
}

static bool
is_range_bad(const struct nested_case *vc, uint32_t max_nesting, uint64_t from, uint64_t len)
{
	for (uint64_t i = from; i < from + len; i++)
		if (is_byte_bad(vc, max_nesting, i))
			return true;
	return false;
}

/* Choose the bad key and mark the bytes that depend on it. */
static void
error_gen(struct prng *prng, struct nested_case *vc, uint64_t capa)
{
	uint32_t first = 0;

	vc->bad_key = (uint32_t)prng_between(prng, 0, vc->nested.nb_keys - 2);
	vc->error = (enum nested_error)prng_between(prng, NESTED_TOO_DEEP, NESTED_NB_ERRORS - 1);
	if (vc->error == NESTED_READ_ONLY && !verify_move_is_scatter(&vc->move))
		vc->error = NESTED_TOO_SHORT;
	if (vc->error == NESTED_TOO_SHORT && vc->nested.keys[vc->bad_key].is_interleaved)
		vc->error = NESTED_INVALIDATED;
	if (vc->error == NESTED_INVALIDATED && (capa & RTE_UMR_CAPA_MKEY_INVALIDATE) == 0)
		vc->error = NESTED_OLD_TAG;
	if (vc->error == NESTED_OLD_TAG && (capa & RTE_UMR_CAPA_MKEY_TAG) == 0)
		vc->error = NESTED_TOO_DEEP;
	if (vc->error == NESTED_READ_ONLY)
		vc->access[vc->bad_key] = 0;
	else if (vc->error == NESTED_TOO_SHORT)
		first = vc->nested.keys[vc->bad_key].len - 1;
	if (vc->error != NESTED_TOO_DEEP)
		nested_mark(&vc->nested, vc->bad_key, first);
}

/* The range decides whether the transfer must fail; prefer ranges that fail. */
static void
range_gen(struct prng *prng, struct nested_case *vc, uint32_t max_nesting)
{
	struct verify_move *move = &vc->move;
	uint32_t total = nested_len(&vc->nested);

	verify_move_gen_range(move, prng, total);
	if (vc->error == NESTED_NO_ERROR)
		return;
	if (!is_range_bad(vc, max_nesting, move->from, move->len)) {
		move->from = 0;
		move->len = total;
		move->flat_offset = BED_GUARD;
		move->noise_offset = 0;
	}
	move->has_error = is_range_bad(vc, max_nesting, move->from, move->len);
	verify_move_one_part(move);
}

static void
order_gen(struct prng *prng, struct nested_case *vc)
{
	for (uint32_t i = 0; i < vc->nested.nb_keys; i++) {
		uint32_t j = (uint32_t)prng_between(prng, 0, i);

		vc->order[i] = vc->order[j];
		vc->order[j] = i;
	}
}

static void
nested_case_gen(void *what, const struct verify_env *env, struct prng *prng)
{
	struct nested_case *vc = what;
	const struct rte_umr_dev_info *info;
	const struct bed_side *side;
	struct nested_gen_conf conf = {
		.arena_size = BED_LAYOUT_SIZE, .guard = BED_GUARD,
	};
	bool has_error = prng_one_in(prng, 6), is_scatter;
	uint32_t nb_levels, needed;

	verify_move_gen_path(&vc->move, env->bed, prng);
	is_scatter = verify_move_is_scatter(&vc->move);
	needed = is_scatter ? RTE_UMR_ACCESS_LOCAL_WRITE : 0;
	side = verify_move_key_end(&vc->move)->side;
	info = &side->info;
	conf.max_list = RTE_MIN(LAYOUT_MAX_PIECES, info->max_list_inline);
	if (info->dev_capa & RTE_UMR_CAPA_MKEY_INTERLEAVED)
		conf.max_interleaved = RTE_MIN(LAYOUT_MAX_PIECES - 1, info->max_interleaved_inline);
	nb_levels = (uint32_t)prng_between(prng, 2, info->max_nesting);
	if (has_error && prng_one_in(prng, 2))
		nb_levels = info->max_nesting + 1u;
	nested_gen(prng, &conf, nb_levels, is_scatter, &vc->nested);
	for (uint32_t k = 0; k < vc->nested.nb_keys - 1; k++)
		vc->access[k] = verify_access_gen(prng, needed, side->key_access);
	if (nb_levels > info->max_nesting)
		vc->error = NESTED_TOO_DEEP;
	else if (has_error)
		error_gen(prng, vc, info->dev_capa);
	range_gen(prng, vc, info->max_nesting);
	order_gen(prng, vc);
	vc->is_invalidated = (info->dev_capa & RTE_UMR_CAPA_MKEY_INVALIDATE) &&
			     prng_one_in(prng, 4);
}

static void
nested_case_print(FILE *f, const char *prefix, const void *what)
{
	const struct nested_case *vc = what;

	verify_move_print(f, prefix, &vc->move);
	if (vc->error == NESTED_TOO_DEEP)
		fprintf(f, "%s%s", prefix, error_names[vc->error]);
	else if (vc->error != NESTED_NO_ERROR)
		fprintf(f, "%skey %u %s", prefix, vc->bad_key, error_names[vc->error]);
	if (vc->error != NESTED_NO_ERROR)
		fprintf(f, ", and the transfer %s\n", vc->move.has_error ? "must fail" :
			"does not touch it");
	fprintf(f, "%sconfigured in this order:", prefix);
	for (uint32_t i = 0; i < vc->nested.nb_keys; i++)
		fprintf(f, " %u", vc->order[i]);
	fputc('\n', f);
	nested_print(f, prefix, &vc->nested);
}

/* A piece of an inner key, or of the layout area. */
static struct rte_umr_seg
piece_seg(const struct nested_keys *keys, const struct bed_side *side, uint32_t i,
	  const struct nested_piece *piece)
{
	const struct nested_case *vc = keys->vc;
	bool is_old = vc->error == NESTED_OLD_TAG && vc->bad_key == piece->inner;

	if (piece->inner == NESTED_MEMORY)
		return verify_layout_seg(side, piece->offset, piece->len, i);
	return (struct rte_umr_seg){
		.addr = piece->offset, .length = piece->len,
		.lkey = verify_tag_add(keys->mkeys[piece->inner]->key, is_old ? UINT8_MAX : 0),
	};
}

static bool
key_configure(const struct nested_keys *keys, struct verify_ops *ops, uint32_t k, uint32_t access)
{
	const struct nested_key *key = &keys->vc->nested.keys[k];
	struct rte_umr_interleaved entries[LAYOUT_MAX_PIECES];
	struct rte_umr_seg segs[LAYOUT_MAX_PIECES];
	uint32_t nb = key->nb_pieces;

	for (uint32_t i = 0; i < nb; i++) {
		segs[i] = piece_seg(keys, ops->side, i, &key->pieces[i]);
		entries[i] = verify_stride(segs[i], key->pieces[i].skip);
	}
	if (key->is_interleaved)
		return verify_ops_interleaved(ops, keys->mkeys[k], access, key->repeat, entries,
					      nb);
	if (keys->vc->error == NESTED_TOO_SHORT && keys->vc->bad_key == k) {
		/* A key of one byte stays without a layout. */
		if (segs[nb - 1].length > 1)
			segs[nb - 1].length--;
		else if (nb > 1)
			nb--;
		else
			return true;
	}
	return verify_ops_list(ops, keys->mkeys[k], access, segs, nb);
}

/* Configure in any order: the device checks inner keys when the key is used. */
static bool
keys_make(const void *arg, struct verify_ops *ops)
{
	const struct nested_keys *keys = arg;
	const struct nested_case *vc = keys->vc;

	for (uint32_t i = 0; i < vc->nested.nb_keys; i++) {
		uint32_t k = vc->order[i];
		uint32_t access = k == vc->nested.nb_keys - 1 ? vc->move.access : vc->access[k];

		if (!key_configure(keys, ops, k, access))
			return false;
	}
	return vc->error != NESTED_INVALIDATED ||
	       verify_ops_invalidate(ops, keys->mkeys[vc->bad_key]);
}

static bool
keys_invalidate(const void *arg, struct verify_ops *ops)
{
	const struct nested_keys *keys = arg;

	for (uint32_t k = 0; keys->vc->is_invalidated && k < keys->vc->nested.nb_keys; k++)
		if (!verify_ops_invalidate(ops, keys->mkeys[k]))
			return false;
	return true;
}

static void
nested_case_run(const void *what, const struct verify_env *env, struct case_result *result)
{
	const struct nested_case *vc = what;
	const struct bed_side *side = verify_move_key_end(&vc->move)->side;
	struct rte_umr_mkey_pool *pool = verify_pool_of(env, side);
	uint32_t nb = vc->nested.nb_keys;
	const struct verify_view view = {
		&vc->nested, nested_len(&vc->nested), nested_gather, nested_scatter, nested_find,
		&vc->nested,
	};
	struct nested_keys keys = { .vc = vc };
	struct verify_steps steps = {
		.before = keys_make, .after = keys_invalidate, .arg = &keys,
	};

	if (!verify_keys_get(pool, side, keys.mkeys, nb, result))
		return;
	steps.key = keys.mkeys[nb - 1]->key;
	verify_move_run(&vc->move, &view, &steps, env->noise, result);
	verify_keys_put(pool, side, keys.mkeys, nb);
}

const struct verify_mode verify_mode_nested = {
	.name = "nested",
	.summary = "nested keys, to the limit of the device and one level beyond",
	.capa = RTE_UMR_CAPA_MKEY_LIST | RTE_UMR_CAPA_MKEY_NESTED,
	.has_peer = true,
	.case_size = sizeof(struct nested_case),
	/* Keys for two cases, so that they are reused soon. */
	.pools = { { .nb_mkeys = 2 * NESTED_MAX_KEYS, .max_entries = LAYOUT_MAX_PIECES } },
	.is_supported = nested_is_supported,
	.gen = nested_case_gen,
	.run = nested_case_run,
	.print = nested_case_print,
};
