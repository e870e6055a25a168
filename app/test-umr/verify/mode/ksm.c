/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "verify/bed/keys.h"
#include "verify/bed/layout.h"
#include "verify/mode/modes.h"

/* Maximum number of entries; a case that shows each byte only once has fewer. */
#define MAX_NB	512u

/* Invalid call before a case, which must be rejected. */
enum rejection {
	REJECT_NOTHING,
	REJECT_LIST,		/* a list for a key of fixed-size entries */
	REJECT_FIXED,		/* fixed-size entries for a plain key */
	REJECT_TOO_MANY,	/* one entry more than the key supports */
	REJECT_LENGTH,		/* an update that changes the length */
	REJECT_NB,
};

static const char *const rejection_names[REJECT_NB] = {
	[REJECT_LIST] = "a list for a key of fixed-size entries",
	[REJECT_FIXED] = "fixed-size entries for a plain key",
	[REJECT_TOO_MANY] = "one entry more than the key holds",
	[REJECT_LENGTH] = "an update with a length of its own",
};

struct ksm_case {
	struct verify_move move;
	enum rejection rejection;
	bool is_beyond;		/* the transfer ends after the key */
	bool has_update;
	uint32_t first;		/* of the update */
	uint32_t nb;
	struct pieces pieces;
};

/* A pool for each of two entry sizes. */
struct ksm_keys {
	struct verify_keys sizes[2];
};

static const uint8_t log_sizes[2] = { 12, 14 };

static bool
ksm_is_supported(const struct rte_umr_dev_info *info, char *why)
{
	if (info->min_log_entry_size <= log_sizes[0] && info->max_log_entry_size >= log_sizes[1])
		return true;
	snprintf(why, VERIFY_LACK_SIZE, "entries of 2^%u and 2^%u bytes, it has 2^%u to 2^%u",
		 log_sizes[0], log_sizes[1], info->min_log_entry_size, info->max_log_entry_size);
	return false;
}

static bool
ksm_setup(struct verify_env *env)
{
	struct ksm_keys *keys = verify_private_alloc(env, sizeof(*keys));
	uint32_t flags = RTE_UMR_MKEY_POOL_F_FIXED_SIZE;

	if (keys == NULL)
		return false;
	if (env->bed->sides[0].info.dev_capa & RTE_UMR_CAPA_MKEY_UPDATE)
		flags |= RTE_UMR_MKEY_POOL_F_UPDATE;
	return verify_keys_create(&keys->sizes[0], env, MAX_NB, flags, log_sizes[0]) &&
	       verify_keys_create(&keys->sizes[1], env, MAX_NB, flags, log_sizes[1]);
}

static void
ksm_teardown(struct verify_env *env)
{
	struct ksm_keys *keys = env->mode_private;

	if (keys == NULL)
		return;
	verify_keys_destroy(&keys->sizes[0]);
	verify_keys_destroy(&keys->sizes[1]);
	free(keys);
}

/* Generate pieces of one size in random order, at any place or disjoint. */
static void
pieces_gen(struct prng *prng, bool is_disjoint, uint32_t size, uint32_t max, struct pieces *pieces)
{
	const uint32_t first = BED_GUARD, room = BED_LAYOUT_SIZE - 2 * BED_GUARD;
	uint32_t shift = prng_one_in(prng, 2) ? 0 : (uint32_t)prng_between(prng, 0, size - 1);

	if (is_disjoint)
		max = RTE_MIN(max, RTE_MIN(BED_MAX_TOTAL, room - size) / size);
	pieces->repeat = 1;
	pieces->nb = prng_one_in(prng, 4) ? max : (uint32_t)prng_between(prng, 1, max);
	for (uint32_t i = 0; i < pieces->nb; i++) {
		uint32_t j = (uint32_t)prng_between(prng, 0, i);
		struct layout_piece piece = {
			.offset = first + shift + i * size,
			.len = size,
		};

		if (!is_disjoint)
			piece.offset = first + (uint32_t)prng_between(prng, 0, room - size);
		pieces->pieces[i] = pieces->pieces[j];
		pieces->pieces[j] = piece;
	}
}

static void
ksm_gen(void *what, const struct verify_env *env, struct prng *prng)
{
	struct ksm_case *vc = what;
	uint32_t size = UINT32_C(1) << log_sizes[prng_between(prng, 0, 1)];
	const struct rte_umr_dev_info *info;
	uint64_t capa;

	verify_move_gen_path(&vc->move, env->bed, prng);
	info = &verify_move_key_end(&vc->move)->side->info;
	pieces_gen(prng, verify_move_is_scatter(&vc->move), size, RTE_MIN(MAX_NB, info->max_list),
		   &vc->pieces);
	verify_keys_gen_range(&vc->move, prng, pieces_len(&vc->pieces));
	capa = env->bed->sides[0].info.dev_capa;
	vc->has_update = (capa & RTE_UMR_CAPA_MKEY_UPDATE) && prng_one_in(prng, 3);
	vc->nb = (uint32_t)prng_log(prng, vc->pieces.nb);
	vc->first = (uint32_t)prng_between(prng, 0, vc->pieces.nb - vc->nb);
	if (prng_one_in(prng, 4))
		vc->rejection = (enum rejection)prng_between(prng, 1, REJECT_NB - 1);
	if (vc->rejection == REJECT_LENGTH && !vc->has_update)
		vc->rejection = REJECT_LIST;
	vc->is_beyond = prng_one_in(prng, 16);
	vc->move.has_error = vc->is_beyond;
}

static void
ksm_print(FILE *f, const char *prefix, const void *what)
{
	const struct ksm_case *vc = what;

	verify_move_print(f, prefix, &vc->move);
	fprintf(f, "%sentries of %u bytes\n", prefix, vc->pieces.pieces[0].len);
	if (vc->rejection != REJECT_NOTHING)
		fprintf(f, "%s%s is rejected before\n", prefix, rejection_names[vc->rejection]);
	if (vc->is_beyond)
		fprintf(f, "%sthe transfer ends behind the key, so it must fail\n", prefix);
	if (vc->has_update)
		fprintf(f, "%supdate of [%u, %u)\n", prefix, vc->first, vc->first + vc->nb);
	verify_keys_print(f, prefix, &vc->pieces);
}

/* State of a running case. */
struct ksm_run {
	const struct ksm_case *vc;
	struct verify_keys *keys;
	struct rte_umr_mkey *mkey;
};

static int
configure(const struct verify_ops *ops, struct rte_umr_mkey *mkey, uint32_t access,
	  const struct rte_umr_fixed *fixed, uint32_t nb)
{
	const struct rte_umr_mkey_op conf = {
		.mkey = mkey,
		.setters = RTE_UMR_MKEY_SET_ACCESS_LAYOUT,
		.access = access,
		.layout = RTE_UMR_LAYOUT_FIXED,
		.nb_entries = nb,
		.fixed = fixed,
	};

	return rte_umr_mkey_configure(ops->end->side->dev_id, ops->end->queue_id, &conf, 0);
}

static int
update(const struct ksm_run *run, const struct verify_ops *ops)
{
	return rte_umr_mkey_update(ops->end->side->dev_id, ops->end->queue_id, run->mkey,
				   run->vc->first, run->keys->segs, run->vc->nb, 0);
}

static bool
try_rejected(const struct ksm_run *run, struct verify_ops *ops)
{
	const struct bed_side *side = ops->end->side;
	const struct rte_umr_seg seg = {
		(uintptr_t)side->layout.memory, 64, side->layout_mrs[0]->lkey,
	};
	struct rte_umr_mkey *plain;
	int ret, error = -EINVAL;

	switch (run->vc->rejection) {
	case REJECT_LIST:
		ret = rte_umr_mkey_list(side->dev_id, ops->end->queue_id, run->mkey, 0, &seg, 1,
					0);
		break;
	case REJECT_FIXED:
		plain = rte_umr_mkey_get(side->pool);
		if (!verify_ops_check(ops, plain != NULL, "no plain key left"))
			return false;
		ret = configure(ops, plain, 0, run->keys->fixed, 1);
		rte_umr_mkey_put(side->pool, plain);
		break;
	case REJECT_TOO_MANY:
		ret = configure(ops, run->mkey, 0, run->keys->fixed, run->mkey->max_entries + 1);
		error = -E2BIG;
		break;
	default:
		return true;
	}
	return verify_ops_rejected(ops, ret, error, rejection_names[run->vc->rejection]);
}

/* Entries to be updated later first get the addresses in reverse order. */
static void
fixed_fill(const struct ksm_run *run, const struct bed_side *side)
{
	const struct ksm_case *vc = run->vc;
	const struct pieces *pieces = &vc->pieces;
	struct rte_umr_fixed *fixed = run->keys->fixed;

	verify_keys_fixed(run->keys, side, pieces->pieces, pieces->nb);
	for (uint32_t i = 0; vc->has_update && i < vc->nb; i++)
		fixed[vc->first + i].addr = (uintptr_t)side->layout.memory +
					    pieces->pieces[pieces->nb - 1 - i].offset;
}

static bool
key_update(const struct ksm_run *run, struct verify_ops *ops)
{
	const struct ksm_case *vc = run->vc;
	int ret;

	verify_segs_fill(ops->end->side, &vc->pieces.pieces[vc->first], vc->nb, run->keys->segs);
	if (vc->rejection == REJECT_LENGTH) {
		run->keys->segs[vc->nb - 1].length--;
		ret = update(run, ops);
		run->keys->segs[vc->nb - 1].length++;
		if (!verify_ops_rejected(ops, ret, -EINVAL, rejection_names[vc->rejection]))
			return false;
	}
	return verify_ops_add(ops, update(run, ops), RTE_UMR_OP_MKEY_UPDATE, 0);
}

static bool
key_make(const void *arg, struct verify_ops *ops)
{
	const struct ksm_run *run = arg;
	const struct ksm_case *vc = run->vc;

	fixed_fill(run, ops->end->side);
	return try_rejected(run, ops) &&
	       verify_ops_add(ops, configure(ops, run->mkey, vc->move.access, run->keys->fixed,
					     vc->pieces.nb), RTE_UMR_OP_MKEY_CONFIGURE, 0) &&
	       (!vc->has_update || key_update(run, ops));
}

static void
ksm_run(const void *what, const struct verify_env *env, struct case_result *result)
{
	const struct ksm_case *vc = what;
	struct ksm_keys *keys = env->mode_private;
	bool is_large = vc->pieces.pieces[0].len == UINT32_C(1) << log_sizes[1];
	struct ksm_run run = { .vc = vc, .keys = &keys->sizes[is_large] };
	const struct verify_steps steps = { .before = key_make, .arg = &run };

	verify_keys_run(run.keys, &run.mkey, &vc->move, &vc->pieces, vc->is_beyond, &steps, env,
			result);
}

const struct verify_mode verify_mode_ksm = {
	.name = "ksm",
	.summary = "entries of one size, 4 KiB or 16 KiB, with updates",
	.capa = RTE_UMR_CAPA_MKEY_CONFIGURE | RTE_UMR_CAPA_MKEY_FIXED,
	.case_size = sizeof(struct ksm_case),
	.is_supported = ksm_is_supported,
	.setup = ksm_setup,
	.teardown = ksm_teardown,
	.gen = ksm_gen,
	.run = ksm_run,
	.print = ksm_print,
};
