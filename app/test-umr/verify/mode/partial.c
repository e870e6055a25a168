/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <string.h>

#include <rte_memory.h>

#include "verify/bed/keys.h"
#include "verify/bed/layout.h"
#include "verify/mode/modes.h"

#define MAX_UPDATES	4u

/* Invalid update between the others, which must be rejected. */
enum rejection {
	REJECT_NOTHING,
	REJECT_BEYOND,		/* entries beyond the end of the list */
	REJECT_EMPTY,		/* a length of 0 */
	REJECT_NO_POOL,		/* a key of a pool without update support */
	REJECT_NO_LIST,		/* a key without a list */
	REJECT_NB,
};

static const struct verify_rejection rejections[REJECT_NB] = {
	[REJECT_BEYOND] = { "an update behind the list", -ERANGE },
	[REJECT_EMPTY] = { "an update with an empty segment", -EINVAL },
	[REJECT_NO_POOL] = { "an update of a key that was not made for it", -ENOTSUP },
	[REJECT_NO_LIST] = { "an update of a key without a list", -ENOENT },
};

struct range {
	uint32_t first;
	uint32_t nb;
};

/* Configure the list, update entries, and move the result. */
struct partial_case {
	struct verify_move move;
	enum rejection rejection;
	bool is_invalid;	/* an update after an invalidation, which must fail */
	uint32_t nb_updates;
	struct range updates[MAX_UPDATES];
	struct pieces pieces;	/* after the last update */
	struct layout_piece other[PIECES_MAX]; /* before it */
};

/* Use few entries as often as many, and prefer the ends of the list, where bugs are likely. */
static void
updates_gen(struct prng *prng, struct partial_case *vc)
{
	vc->nb_updates = (uint32_t)prng_between(prng, 1, MAX_UPDATES);
	for (uint32_t u = 0; u < vc->nb_updates; u++) {
		struct range *range = &vc->updates[u];

		range->nb = (uint32_t)prng_log(prng, vc->pieces.nb);
		switch (prng_between(prng, 0, 3)) {
		case 0:
			range->first = 0;
			break;
		case 1:
			range->first = vc->pieces.nb - range->nb;
			break;
		default:
			range->first = (uint32_t)prng_between(prng, 0, vc->pieces.nb - range->nb);
		}
	}
}

static void
partial_gen(void *what, const struct verify_env *env, struct prng *prng)
{
	struct partial_case *vc = what;
	const struct rte_umr_dev_info *info = verify_move_gen_path(&vc->move, env->bed, prng);
	struct pieces_conf conf = {
		.arena_size = BED_LAYOUT_SIZE, .guard = BED_GUARD,
		.max_total = BED_MAX_TOTAL, .min_nb = 1,
	};

	conf.is_disjoint = verify_move_is_scatter(&vc->move);
	conf.max_nb = RTE_MIN(RTE_MIN(info->max_list, info->max_entries), PIECES_MAX);
	pieces_gen_list(prng, &conf, &vc->pieces);
	pieces_gen_other(prng, &conf, vc->other, vc->pieces.nb);
	updates_gen(prng, vc);
	verify_keys_gen_range(&vc->move, prng, pieces_len(&vc->pieces));
	if (prng_one_in(prng, 4))
		vc->rejection = (enum rejection)prng_between(prng, 1, REJECT_NB - 1);
	vc->is_invalid = (info->dev_capa & RTE_UMR_CAPA_MKEY_INVALIDATE) &&
			 prng_one_in(prng, 16);
	if (!vc->is_invalid)
		verify_move_gen_beyond(&vc->move, prng);
}

static void
partial_print(FILE *f, const char *prefix, const void *what)
{
	const struct partial_case *vc = what;

	verify_move_print(f, prefix, &vc->move);
	if (vc->rejection != REJECT_NOTHING)
		fprintf(f, "%s%s is rejected\n", prefix, rejections[vc->rejection].name);
	if (vc->is_invalid)
		fprintf(f, "%sthe key is invalidated before an update, which must fail\n", prefix);
	verify_move_print_beyond(f, prefix, &vc->move);
	for (uint32_t u = 0; u < vc->nb_updates; u++)
		fprintf(f, "%supdate of [%u, %u)\n", prefix, vc->updates[u].first,
			vc->updates[u].first + vc->updates[u].nb);
	verify_keys_print(f, prefix, &vc->pieces);
}

/* State of a running case. */
struct partial_run {
	const struct partial_case *vc;
	struct rte_umr_seg *segs;
	struct rte_umr_mkey *mkey;
};

/* Whether entry i has its final value after update u; UINT32_MAX: before the first update. */
static bool
is_final(const struct partial_case *vc, uint32_t i, uint32_t u)
{
	for (uint32_t later = u + 1; later < vc->nb_updates; later++)
		if (i - vc->updates[later].first < vc->updates[later].nb)
			return false;
	return true;
}

/* Fill in segments [first, first + nb) with the values after update u. */
static void
segs_fill(const struct partial_run *run, const struct bed_side *side, uint32_t first, uint32_t nb,
	  uint32_t u)
{
	const struct partial_case *vc = run->vc;
	static struct layout_piece pieces[PIECES_MAX];

	for (uint32_t i = 0; i < nb; i++)
		pieces[i] = is_final(vc, first + i, u) ? vc->pieces.pieces[first + i] :
							 vc->other[first + i];
	verify_segs_fill(side, pieces, nb, run->segs);
}

static int
entries_update(const struct verify_ops *ops, struct rte_umr_mkey *mkey, uint32_t first,
	       const struct rte_umr_seg *segs, uint32_t nb)
{
	return rte_umr_mkey_update(ops->dev_id, ops->queue_id, mkey, first, segs, nb, 0);
}

/* Update a key of another pool, or a new one of the same kind without a list. */
static int
other_update(const struct partial_run *run, const struct verify_ops *ops)
{
	const struct rte_umr_mkey_pool_conf conf = {
		.nb_mkeys = 1, .max_entries = 4, .socket_id = SOCKET_ID_ANY,
		.flags = run->vc->rejection == REJECT_NO_POOL ? 0 : RTE_UMR_MKEY_POOL_F_UPDATE,
	};
	struct rte_umr_mkey_pool *pool = rte_umr_mkey_pool_create(ops->dev_id, &conf);
	struct rte_umr_mkey *mkey;
	int ret;

	if (pool == NULL)
		return -rte_errno;
	mkey = rte_umr_mkey_get(pool);
	ret = entries_update(ops, mkey, 0, run->segs, 1);
	rte_umr_mkey_put(pool, mkey);
	rte_umr_mkey_pool_destroy(pool);
	return ret;
}

static int
bad_update(const struct partial_run *run, const struct verify_ops *ops)
{
	const struct partial_case *vc = run->vc;
	const struct range *range = &vc->updates[0];
	uint32_t *length = &run->segs[range->nb / 2].length, saved = *length;
	int ret;

	if (vc->rejection == REJECT_BEYOND)
		return entries_update(ops, run->mkey, vc->pieces.nb + 1, run->segs, range->nb);
	if (vc->rejection != REJECT_EMPTY)
		return other_update(run, ops);
	*length = 0;
	ret = entries_update(ops, run->mkey, range->first, run->segs, range->nb);
	*length = saved;
	return ret;
}

static bool
list_make(const struct partial_run *run, struct verify_ops *ops)
{
	const struct partial_case *vc = run->vc;

	segs_fill(run, ops->side, 0, vc->pieces.nb, UINT32_MAX);
	return verify_ops_list(ops, run->mkey, vc->move.access, run->segs, vc->pieces.nb);
}

static bool
update_make(const struct partial_run *run, struct verify_ops *ops, uint32_t u)
{
	const struct verify_rejection *rejection = &rejections[run->vc->rejection];
	const struct range *range = &run->vc->updates[u];

	segs_fill(run, ops->side, range->first, range->nb, u);
	if (u == 0 && rejection->name != NULL &&
	    !verify_ops_rejected(ops, bad_update(run, ops), rejection->error, rejection->name))
		return false;
	return verify_ops_add(ops, entries_update(ops, run->mkey, range->first, run->segs,
						  range->nb), RTE_UMR_OP_MKEY_UPDATE, 0);
}

static bool
key_make(const void *arg, struct verify_ops *ops)
{
	const struct partial_run *run = arg;

	if (!list_make(run, ops))
		return false;
	for (uint32_t u = 0; u < run->vc->nb_updates; u++)
		if (!update_make(run, ops, u))
			return false;
	return true;
}

/* Configure the list, invalidate the key, and update it, which the device must reject. */
static void
invalid_run(const struct partial_run *run, struct case_result *result)
{
	const struct verify_move *move = &run->vc->move;
	struct verify_ops ops;
	bool is_ok;

	verify_ops_init(&ops, verify_move_key_end(move), move->by_status);
	is_ok = list_make(run, &ops) && verify_ops_invalidate(&ops, run->mkey) &&
		update_make(run, &ops, 0);
	if (is_ok)
		verify_ops_expect(&ops, RTE_UMR_STATUS_MKEY_CONFIG);
	if (is_ok && verify_ops_wait(&ops))
		verify_path_recover(move->path, result);
	else
		verify_ops_report(&ops, result);
}

static void
partial_run(const void *what, const struct verify_env *env, struct case_result *result)
{
	const struct partial_case *vc = what;
	const struct bed_side *side = verify_move_key_end(&vc->move)->side;
	union verify_long *entries = env->mode_private;
	struct partial_run run = { .vc = vc, .segs = entries->segs };
	const struct verify_view view = verify_view_of_pieces(&vc->pieces);
	const struct verify_steps steps = { .before = key_make, .arg = &run };

	if (!vc->is_invalid) {
		verify_move_by_key(&vc->move, &view, &steps, env, env->noise, &run.mkey, result);
		return;
	}
	run.mkey = verify_key_get(env, side, result);
	if (run.mkey == NULL)
		return;
	invalid_run(&run, result);
	rte_umr_mkey_put(verify_pool_of(env, side), run.mkey);
}

/* Memory for the list and all of its updates. */
static const struct bed_conf partial_bed = { .nb_list_entries = (2 + MAX_UPDATES) * PIECES_MAX };

const struct verify_mode verify_mode_partial = {
	.name = "partial",
	.summary = "lists of up to 60000 pieces, with updates",
	.capa = RTE_UMR_CAPA_MKEY_LIST | RTE_UMR_CAPA_MKEY_UPDATE,
	.bed_conf = &partial_bed,
	.case_size = sizeof(struct partial_case),
	.private_size = sizeof(union verify_long),
	.pools = { { .nb_mkeys = VERIFY_KEYS_NB, .max_entries = PIECES_MAX,
		     .flags = RTE_UMR_MKEY_POOL_F_UPDATE } },
	.gen = partial_gen,
	.run = partial_run,
	.print = partial_print,
};
