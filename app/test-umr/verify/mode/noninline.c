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

static const struct verify_rejection rejections[REJECT_NB] = {
	[REJECT_TOO_MANY] = { "one entry more than the key holds", -E2BIG },
	[REJECT_EMPTY] = { "an entry of length 0", -EINVAL },
	[REJECT_TOO_WIDE] = { "a wide pattern with more entries than the key", -ERANGE },
};

struct noninline_case {
	struct verify_move move;
	enum rejection rejection;
	uint32_t bad_entry;
	bool is_wide;		/* the pattern becomes a list */
	struct pieces pieces;
};

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
	const struct rte_umr_dev_info *info = verify_move_gen_path(&vc->move, env->bed, prng);
	struct pieces_conf conf = {
		.arena_size = BED_LAYOUT_SIZE, .guard = BED_GUARD,
		.max_total = BED_MAX_TOTAL,
	};
	bool is_pattern;

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
	verify_move_gen_beyond(&vc->move, prng);
}

static void
noninline_print(FILE *f, const char *prefix, const void *what)
{
	const struct noninline_case *vc = what;

	verify_move_print(f, prefix, &vc->move);
	verify_rejection_print(f, prefix, rejections[vc->rejection].name);
	verify_move_print_beyond(f, prefix, &vc->move);
	verify_keys_print(f, prefix, &vc->pieces);
}

/* State of a running case. */
struct noninline_run {
	const struct noninline_case *vc;
	union verify_long *entries;
	struct rte_umr_mkey *mkey;
};

static int
list_enqueue(const struct noninline_run *run, const struct verify_ops *ops, uint32_t nb)
{
	return rte_umr_mkey_list(ops->dev_id, ops->queue_id, run->mkey,
				 run->vc->move.access, run->entries->segs, nb, 0);
}

static int
pattern_enqueue(const struct noninline_run *run, const struct verify_ops *ops, uint32_t repeat,
		uint32_t nb)
{
	return rte_umr_mkey_interleaved(ops->dev_id, ops->queue_id, run->mkey,
					run->vc->move.access, repeat, run->entries->interleaved, nb,
					0);
}

static int
layout_enqueue(const struct noninline_run *run, const struct verify_ops *ops)
{
	const struct pieces *pieces = &run->vc->pieces;

	return pieces->is_pattern ? pattern_enqueue(run, ops, pieces->repeat, pieces->nb) :
				    list_enqueue(run, ops, pieces->nb);
}

/* Modify the arrays for an invalid call, then restore the valid layout. */
static int
bad_enqueue(const struct noninline_run *run, const struct verify_ops *ops)
{
	const struct pieces *pieces = &run->vc->pieces;
	struct rte_umr_interleaved *entry = &run->entries->interleaved[run->vc->bad_entry];
	uint32_t *bad, saved, max = run->mkey->max_entries;
	int ret;

	/* The number of entries is checked before their contents. */
	if (run->vc->rejection == REJECT_TOO_MANY)
		return pieces->is_pattern ? pattern_enqueue(run, ops, 1, max) :
					    list_enqueue(run, ops, max + 1);
	if (run->vc->rejection == REJECT_TOO_WIDE)
		bad = &entry->bytes_skip;
	else
		bad = pieces->is_pattern ? &entry->bytes_count :
					   &run->entries->segs[run->vc->bad_entry].length;
	saved = *bad;
	if (run->vc->rejection == REJECT_TOO_WIDE) {
		*bad = UINT32_MAX;
		ret = pattern_enqueue(run, ops, max / pieces->nb + 1, pieces->nb);
	} else {
		*bad = 0;
		ret = layout_enqueue(run, ops);
	}
	*bad = saved;
	return ret;
}

static bool
key_make(const void *arg, struct verify_ops *ops)
{
	const struct noninline_run *run = arg;
	const struct verify_rejection *rejection = &rejections[run->vc->rejection];
	const struct pieces *pieces = &run->vc->pieces;

	if (pieces->is_pattern)
		verify_interleaved_fill(ops->side, pieces->pieces, pieces->nb,
					run->entries->interleaved);
	else
		verify_segs_fill(ops->side, pieces->pieces, pieces->nb, run->entries->segs);
	if (rejection->name != NULL &&
	    !verify_ops_rejected(ops, bad_enqueue(run, ops), rejection->error, rejection->name))
		return false;
	return verify_ops_add(ops, layout_enqueue(run, ops),
			      pieces->is_pattern ? RTE_UMR_OP_MKEY_INTERLEAVED :
						   RTE_UMR_OP_MKEY_LIST, 0);
}

static void
noninline_run(const void *what, const struct verify_env *env, struct case_result *result)
{
	const struct noninline_case *vc = what;
	struct noninline_run run = { .vc = vc, .entries = env->mode_private };
	const struct verify_view view = verify_view_of_pieces(&vc->pieces);
	const struct verify_steps steps = { .before = key_make, .arg = &run };

	verify_move_by_key(&vc->move, &view, &steps, env, env->noise, &run.mkey, result);
}

/* Memory for a long list and another one after it. */
static const struct bed_conf noninline_bed = { .nb_list_entries = 2 * PIECES_MAX };

const struct verify_mode verify_mode_noninline = {
	.name = "noninline",
	.summary = "lists and patterns in memory; patterns as lists",
	.capa = RTE_UMR_CAPA_MKEY_LIST,
	.bed_conf = &noninline_bed,
	.case_size = sizeof(struct noninline_case),
	.private_size = sizeof(union verify_long),
	.pools = { { .nb_mkeys = VERIFY_KEYS_NB, .max_entries = PIECES_MAX } },
	.is_supported = noninline_is_supported,
	.gen = noninline_gen,
	.run = noninline_run,
	.print = noninline_print,
};
