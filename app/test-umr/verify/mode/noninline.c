/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>

#include "verify/bed/keys.h"
#include "verify/bed/layout.h"
#include "verify/mode/modes.h"

/* Invalid call before a case, which must be rejected. */
enum rejection {
	REJECT_NOTHING,
	REJECT_TOO_MANY,	/* one entry more than the key supports */
	REJECT_EMPTY,		/* one empty entry */
	REJECT_TOO_WIDE,	/* a pattern too large both as such and as a list */
	REJECT_NB,
};

static const char *const rejection_names[REJECT_NB] = {
	[REJECT_TOO_MANY] = "one entry more than the key holds",
	[REJECT_EMPTY] = "an entry of length 0",
	[REJECT_TOO_WIDE] = "a wide pattern with more entries than the key",
};

struct noninline_case {
	struct verify_move move;
	enum rejection rejection;
	uint32_t bad_entry;
	bool is_wide;		/* the pattern becomes a list */
	bool is_beyond;		/* the transfer ends after the key */
	struct pieces pieces;
};

static bool
noninline_setup(struct verify_env *env)
{
	return verify_keys_setup(env, PIECES_MAX, 0);
}

static bool
noninline_is_supported(const struct rte_umr_dev_info *info, char *why)
{
	if (info->max_list > info->max_list_inline)
		return true;
	snprintf(why, VERIFY_LACK_SIZE, "lists of more than %u entries", info->max_list_inline);
	return false;
}

static void
noninline_gen(void *what, const struct verify_env *env, struct prng *prng)
{
	struct noninline_case *vc = what;
	const struct rte_umr_dev_info *info;
	struct pieces_conf conf = {
		.arena_size = BED_LAYOUT_SIZE,
		.guard = BED_GUARD,
		.max_total = BED_MAX_TOTAL,
	};
	bool is_pattern;

	verify_move_gen_path(&vc->move, env->bed, prng);
	info = &verify_move_key_end(&vc->move)->side->info;
	conf.is_disjoint = verify_move_is_scatter(&vc->move);
	/* The header of a pattern uses one entry. */
	conf.max_nb = RTE_MIN(RTE_MIN(info->max_list, info->max_entries), PIECES_MAX) - 1;
	is_pattern = (info->dev_capa & RTE_UMR_CAPA_MKEY_INTERLEAVED) && prng_one_in(prng, 2);
	vc->is_wide = is_pattern && prng_one_in(prng, 2);
	conf.min_nb = vc->is_wide ? 1 :
		      is_pattern ? info->max_interleaved_inline + 1u : info->max_list_inline + 1u;
	if (is_pattern)
		pieces_gen_pattern(prng, &conf, vc->is_wide, &vc->pieces);
	else
		pieces_gen_list(prng, &conf, &vc->pieces);
	verify_keys_gen_range(&vc->move, prng, pieces_len(&vc->pieces));
	if (prng_one_in(prng, 4))
		vc->rejection = (enum rejection)prng_between(prng, 1, REJECT_NB - 1);
	if (vc->rejection == REJECT_TOO_WIDE && !is_pattern)
		vc->rejection = REJECT_EMPTY;
	vc->bad_entry = (uint32_t)prng_between(prng, 0, vc->pieces.nb - 1);
	vc->is_beyond = prng_one_in(prng, 16);
	vc->move.has_error = vc->is_beyond;
}

static void
noninline_print(FILE *f, const char *prefix, const void *what)
{
	const struct noninline_case *vc = what;

	verify_move_print(f, prefix, &vc->move);
	if (vc->rejection != REJECT_NOTHING)
		fprintf(f, "%s%s is rejected before\n", prefix, rejection_names[vc->rejection]);
	if (vc->is_beyond)
		fprintf(f, "%sthe transfer ends behind the key, so it must fail\n", prefix);
	verify_keys_print(f, prefix, &vc->pieces);
}

/* State of a running case. */
struct noninline_run {
	const struct noninline_case *vc;
	struct verify_keys *keys;
	struct rte_umr_mkey *mkey;
};

static int
list_enqueue(const struct noninline_run *run, const struct verify_ops *ops, uint32_t nb)
{
	return rte_umr_mkey_list(ops->end->side->dev_id, ops->end->queue_id, run->mkey,
				 run->vc->move.access, run->keys->segs, nb, 0);
}

static int
pattern_enqueue(const struct noninline_run *run, const struct verify_ops *ops, uint32_t repeat,
		uint32_t nb)
{
	return rte_umr_mkey_interleaved(ops->end->side->dev_id, ops->end->queue_id, run->mkey,
					run->vc->move.access, repeat, run->keys->interleaved, nb,
					0);
}

/* Modify the arrays for an invalid call, then restore the valid layout. */
static bool
try_rejected(const struct noninline_run *run, struct verify_ops *ops)
{
	const struct noninline_case *vc = run->vc;
	const struct pieces *pieces = &vc->pieces;
	uint32_t *len, saved;
	int ret;

	if (vc->rejection == REJECT_NOTHING)
		return true;
	if (vc->rejection == REJECT_TOO_MANY) {
		/* The number of entries is checked before their contents. */
		ret = pieces->is_pattern ? pattern_enqueue(run, ops, 1, run->mkey->max_entries) :
					   list_enqueue(run, ops, run->mkey->max_entries + 1);
		return verify_ops_rejected(ops, ret, -E2BIG, rejection_names[vc->rejection]);
	}
	if (vc->rejection == REJECT_TOO_WIDE) {
		saved = run->keys->interleaved[vc->bad_entry].bytes_skip;
		run->keys->interleaved[vc->bad_entry].bytes_skip = UINT32_MAX;
		ret = pattern_enqueue(run, ops, run->mkey->max_entries / pieces->nb + 1,
				      pieces->nb);
		run->keys->interleaved[vc->bad_entry].bytes_skip = saved;
		return verify_ops_rejected(ops, ret, -ERANGE, rejection_names[vc->rejection]);
	}
	len = pieces->is_pattern ? &run->keys->interleaved[vc->bad_entry].bytes_count :
				   &run->keys->segs[vc->bad_entry].length;
	saved = *len;
	*len = 0;
	ret = pieces->is_pattern ? pattern_enqueue(run, ops, pieces->repeat, pieces->nb) :
				   list_enqueue(run, ops, pieces->nb);
	*len = saved;
	return verify_ops_rejected(ops, ret, -EINVAL, rejection_names[vc->rejection]);
}

static bool
key_make(const void *arg, struct verify_ops *ops)
{
	const struct noninline_run *run = arg;
	const struct pieces *pieces = &run->vc->pieces;

	if (pieces->is_pattern)
		verify_interleaved_fill(ops->end->side, pieces->pieces, pieces->nb,
					run->keys->interleaved);
	else
		verify_segs_fill(ops->end->side, pieces->pieces, pieces->nb, run->keys->segs);
	if (!try_rejected(run, ops))
		return false;
	if (pieces->is_pattern)
		return verify_ops_add(ops, pattern_enqueue(run, ops, pieces->repeat, pieces->nb),
				      RTE_UMR_OP_MKEY_INTERLEAVED, 0);
	return verify_ops_add(ops, list_enqueue(run, ops, pieces->nb), RTE_UMR_OP_MKEY_LIST, 0);
}

static void
noninline_run(const void *what, const struct verify_env *env, struct case_result *result)
{
	const struct noninline_case *vc = what;
	struct noninline_run run = { .vc = vc, .keys = env->mode_private };
	const struct verify_steps steps = { .before = key_make, .arg = &run };

	verify_keys_run(run.keys, &run.mkey, &vc->move, &vc->pieces, vc->is_beyond, &steps, env,
			result);
}

/* Memory for a long list and another one after it. */
static const struct bed_conf noninline_bed = { .nb_list_entries = 2 * PIECES_MAX };

const struct verify_mode verify_mode_noninline = {
	.name = "noninline",
	.summary = "lists and patterns in memory; patterns as lists",
	.capa = RTE_UMR_CAPA_MKEY_LIST,
	.bed_conf = &noninline_bed,
	.case_size = sizeof(struct noninline_case),
	.is_supported = noninline_is_supported,
	.setup = noninline_setup,
	.teardown = verify_keys_teardown,
	.gen = noninline_gen,
	.run = noninline_run,
	.print = noninline_print,
};
