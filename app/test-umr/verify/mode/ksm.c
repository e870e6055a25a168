/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>

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

static const struct verify_rejection rejections[REJECT_NB] = {
	[REJECT_LIST] = { "a list for a key of fixed-size entries", -EINVAL },
	[REJECT_FIXED] = { "fixed-size entries for a plain key", -EINVAL },
	[REJECT_TOO_MANY] = { "one entry more than the key holds", -E2BIG },
	[REJECT_LENGTH] = { "an update with a length of its own", -EINVAL },
};

struct ksm_case {
	struct verify_move move;
	enum rejection rejection;
	bool has_update;
	uint32_t first;		/* of the update */
	uint32_t nb;
	struct pieces pieces;
};

#define LOG_SMALL	12
#define LOG_LARGE	14

static bool
ksm_is_supported(const struct rte_umr_dev_info *info, char *why)
{
	if (info->min_log_entry_size <= LOG_SMALL && info->max_log_entry_size >= LOG_LARGE)
		return true;
	snprintf(why, VERIFY_LACK_SIZE, "entries of 2^%u and 2^%u bytes, it has 2^%u to 2^%u",
		 LOG_SMALL, LOG_LARGE, info->min_log_entry_size, info->max_log_entry_size);
	return false;
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
			.offset = first + shift + i * size, .len = size,
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
	uint32_t size = UINT32_C(1) << (prng_between(prng, 0, 1) == 0 ? LOG_SMALL : LOG_LARGE);
	const struct rte_umr_dev_info *info;

	info = verify_move_gen_path(&vc->move, env->bed, prng);
	pieces_gen(prng, verify_move_is_scatter(&vc->move), size, RTE_MIN(MAX_NB, info->max_list),
		   &vc->pieces);
	verify_keys_gen_range(&vc->move, prng, pieces_len(&vc->pieces));
	vc->has_update = (info->dev_capa & RTE_UMR_CAPA_MKEY_UPDATE) && prng_one_in(prng, 3);
	vc->nb = (uint32_t)prng_log(prng, vc->pieces.nb);
	vc->first = (uint32_t)prng_between(prng, 0, vc->pieces.nb - vc->nb);
	if (prng_one_in(prng, 4))
		vc->rejection = (enum rejection)prng_between(prng, 1, REJECT_NB - 1);
	if (vc->rejection == REJECT_LENGTH && !vc->has_update)
		vc->rejection = REJECT_LIST;
	verify_move_gen_beyond(&vc->move, prng);
}

static void
ksm_print(FILE *f, const char *prefix, const void *what)
{
	const struct ksm_case *vc = what;

	verify_move_print(f, prefix, &vc->move);
	fprintf(f, "%sentries of %u bytes\n", prefix, vc->pieces.pieces[0].len);
	verify_rejection_print(f, prefix, rejections[vc->rejection].name);
	verify_move_print_beyond(f, prefix, &vc->move);
	if (vc->has_update)
		fprintf(f, "%supdate of [%u, %u)\n", prefix, vc->first, vc->first + vc->nb);
	verify_keys_print(f, prefix, &vc->pieces);
}

/* State of a running case. */
struct ksm_run {
	const struct ksm_case *vc;
	struct rte_umr_mkey *mkey;
	struct rte_umr_fixed fixed[MAX_NB];
	struct rte_umr_seg segs[MAX_NB];	/* of the update */
};

static int
configure(const struct verify_ops *ops, struct rte_umr_mkey *mkey, uint32_t access,
	  const struct rte_umr_fixed *fixed, uint32_t nb)
{
	const struct rte_umr_mkey_op conf = {
		.setters = RTE_UMR_MKEY_SET_ACCESS_LAYOUT, .access = access,
		.layout = RTE_UMR_LAYOUT_FIXED, .nb_entries = nb, .fixed = fixed,
	};

	return verify_conf_enqueue(ops, mkey, &conf);
}

static int
update(const struct ksm_run *run, const struct verify_ops *ops)
{
	return rte_umr_mkey_update(ops->dev_id, ops->queue_id, run->mkey,
				   run->vc->first, run->segs, run->vc->nb, 0);
}

static bool
try_rejected(const struct ksm_run *run, struct verify_ops *ops)
{
	const struct verify_rejection *rejection = &rejections[run->vc->rejection];
	const struct rte_umr_seg seg = verify_layout_seg(ops->side, 0, 64, 0);
	struct rte_umr_mkey *plain;
	int ret;

	switch (run->vc->rejection) {
	case REJECT_LIST:
		ret = rte_umr_mkey_list(ops->dev_id, ops->queue_id, run->mkey, 0, &seg, 1, 0);
		break;
	case REJECT_FIXED:
		plain = rte_umr_mkey_get(ops->side->pool);
		if (!verify_ops_check(ops, plain != NULL, "no plain key left"))
			return false;
		ret = configure(ops, plain, 0, run->fixed, 1);
		rte_umr_mkey_put(ops->side->pool, plain);
		break;
	case REJECT_TOO_MANY:
		ret = configure(ops, run->mkey, 0, run->fixed, run->mkey->max_entries + 1);
		break;
	default:
		return true;
	}
	return verify_ops_rejected(ops, ret, rejection->error, rejection->name);
}

/* Entries to be updated later first get the addresses in reverse order. */
static void
fixed_fill(struct ksm_run *run, const struct bed_side *side)
{
	const struct ksm_case *vc = run->vc;
	const struct pieces *pieces = &vc->pieces;

	for (uint32_t i = 0; i < pieces->nb; i++) {
		bool is_updated = vc->has_update && i - vc->first < vc->nb;
		uint32_t from = is_updated ? pieces->nb - 1 - (i - vc->first) : i;
		const struct rte_umr_seg seg =
			verify_layout_seg(side, pieces->pieces[from].offset, 0, i);

		run->fixed[i] = (struct rte_umr_fixed){ .addr = seg.addr, .lkey = seg.lkey };
	}
}

static bool
key_update(struct ksm_run *run, struct verify_ops *ops)
{
	const struct verify_rejection *rejection = &rejections[REJECT_LENGTH];
	const struct ksm_case *vc = run->vc;
	int ret;

	verify_segs_fill(ops->side, &vc->pieces.pieces[vc->first], vc->nb, run->segs);
	if (vc->rejection == REJECT_LENGTH) {
		run->segs[vc->nb - 1].length--;
		ret = update(run, ops);
		run->segs[vc->nb - 1].length++;
		if (!verify_ops_rejected(ops, ret, rejection->error, rejection->name))
			return false;
	}
	return verify_ops_add(ops, update(run, ops), RTE_UMR_OP_MKEY_UPDATE, 0);
}

static bool
key_make(const void *arg, struct verify_ops *ops)
{
	struct ksm_run *run = (struct ksm_run *)(uintptr_t)arg;
	const struct ksm_case *vc = run->vc;

	fixed_fill(run, ops->side);
	return try_rejected(run, ops) &&
	       verify_ops_add(ops, configure(ops, run->mkey, vc->move.access, run->fixed,
					     vc->pieces.nb), RTE_UMR_OP_MKEY_CONFIGURE, 0) &&
	       (!vc->has_update || key_update(run, ops));
}

static void
ksm_run(const void *what, const struct verify_env *env, struct case_result *result)
{
	const struct ksm_case *vc = what;
	struct ksm_run run = { .vc = vc };
	const struct verify_view view = verify_view_of_pieces(&vc->pieces);
	const struct verify_steps steps = {
		.before = key_make, .arg = &run,
		.pool = vc->pieces.pieces[0].len == UINT32_C(1) << LOG_LARGE,
	};

	verify_move_by_key(&vc->move, &view, &steps, env, env->noise, &run.mkey, result);
}

#define POOL(log_size)                                                                             \
	{ .nb_mkeys = VERIFY_KEYS_NB, .max_entries = MAX_NB, .log_entry_size = (log_size),         \
	  .flags = RTE_UMR_MKEY_POOL_F_FIXED_SIZE | RTE_UMR_MKEY_POOL_F_UPDATE }

const struct verify_mode verify_mode_ksm = {
	.name = "ksm",
	.summary = "entries of one size, 4 KiB or 16 KiB, with updates",
	.capa = RTE_UMR_CAPA_MKEY_CONFIGURE | RTE_UMR_CAPA_MKEY_FIXED,
	.case_size = sizeof(struct ksm_case),
	.pools = { POOL(LOG_SMALL), POOL(LOG_LARGE) },
	.is_supported = ksm_is_supported,
	.gen = ksm_gen,
	.run = ksm_run,
	.print = ksm_print,
};
