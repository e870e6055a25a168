/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Move one random layout of the layout area: a list, or an interleaved pattern. */

#include <errno.h>

#include "model/oracle.h"
#include "verify/bed/keys.h"
#include "verify/bed/layout.h"
#include "verify/mode/modes.h"

/* Layouts that must be rejected, with the correct errno and without a change of the ring. */
enum rejection {
	REJECTION_NO_ENTRIES,
	REJECTION_TOO_MANY,	/* One entry more than the key supports. */
	REJECTION_EMPTY_ENTRY,	/* The last entry is empty. */
	REJECTION_TOO_MUCH,	/* An entry or pattern too large for any key. */
	REJECTION_NO_REPEAT,	/* Interleaved only. */
	REJECTION_ACCESS,	/* An invalid access bit. */
	REJECTION_FLAG,		/* An invalid flag. */
	REJECTION_OTHER_DEVICE,	/* A key of another device. */
	NB_REJECTIONS,
};

/* Maximum number of entries to try: the maximum of a key plus one. */
#define MAX_ENTRIES	(LAYOUT_MAX_PIECES + 1)

static const struct verify_rejection rejections[NB_REJECTIONS] = {
	[REJECTION_NO_ENTRIES] = { "a key with no entries", -EINVAL },
	[REJECTION_TOO_MANY] = { "a key with one entry too many", -E2BIG },
	[REJECTION_EMPTY_ENTRY] = { "a key with an entry of 0 bytes", -EINVAL },
	[REJECTION_TOO_MUCH] = { "a key with more than it can hold", -ERANGE },
	[REJECTION_NO_REPEAT] = { "a key with repeat 0", -EINVAL },
	[REJECTION_ACCESS] = { "a key with an unknown access", -EINVAL },
	[REJECTION_FLAG] = { "a key with an unknown flag", -EINVAL },
	[REJECTION_OTHER_DEVICE] = { "a key of another device", -EXDEV },
};

/* Bytes that are too many in one entry, of a list or a pattern; 0: that is not what is wrong. */
static uint32_t
too_much(const struct rte_umr_dev_info *info, enum rejection rejection, bool is_interleaved)
{
	if (rejection != REJECTION_TOO_MUCH)
		return 0;
	return is_interleaved ? info->max_interleaved_stride : info->max_entry_len + 1;
}

/* Call the function of the layout with nb entries, of which the last valid one may be wrong. */
static int
bad_enqueue(const struct verify_ops *ops, struct rte_umr_mkey *mkey, enum rejection rejection,
	    bool is_interleaved)
{
	const uint32_t access = rejection == REJECTION_ACCESS ? RTE_BIT32(31) : 0;
	const uint64_t flags = rejection == REJECTION_FLAG ? RTE_BIT64(63) : 0;
	/* Large strides could become a list, but not with this repetition count. */
	const uint32_t repeat = rejection == REJECTION_NO_REPEAT ? 0 : UINT32_MAX;
	/* The header of a pattern uses one entry. */
	const uint32_t nb_max = RTE_MIN(mkey->max_entries, LAYOUT_MAX_PIECES) - is_interleaved;
	const uint32_t nb = rejection == REJECTION_NO_ENTRIES ? 0 :
			    rejection == REJECTION_TOO_MANY ? nb_max + 1 : nb_max;
	const uint32_t len = too_much(&ops->side->info, rejection, is_interleaved);
	struct layout_piece pieces[MAX_ENTRIES] = { 0 };
	struct rte_umr_interleaved entries[MAX_ENTRIES];
	struct rte_umr_seg segs[MAX_ENTRIES];

	for (uint32_t i = 0; i < MAX_ENTRIES; i++)
		pieces[i].len = 1;
	if (is_interleaved)
		pieces[nb_max - 1].skip = len;
	else if (len != 0)
		pieces[nb_max - 1].len = len;
	if (rejection == REJECTION_EMPTY_ENTRY)
		pieces[nb_max - 1].len = 0;
	if (is_interleaved) {
		verify_interleaved_fill(ops->side, pieces, MAX_ENTRIES, entries);
		return rte_umr_mkey_interleaved(ops->dev_id, ops->queue_id, mkey, access, repeat,
						entries, nb, flags);
	}
	verify_segs_fill(ops->side, pieces, MAX_ENTRIES, segs);
	return rte_umr_mkey_list(ops->dev_id, ops->queue_id, mkey, access, segs, nb, flags);
}

/* Try to configure a key with a bad layout. */
static bool
layout_reject(struct verify_ops *ops, struct rte_umr_mkey *mkey, enum rejection rejection,
	      bool is_interleaved)
{
	const uint16_t nb_avail = rte_umr_desc_avail(ops->dev_id, ops->queue_id);
	const bool is_other = rejection == REJECTION_OTHER_DEVICE;
	int ret;

	/* A copy would not be a valid key. */
	mkey->dev_id ^= is_other;
	ret = bad_enqueue(ops, mkey, rejection, is_interleaved);
	mkey->dev_id ^= is_other;
	return verify_ops_rejected(ops, ret, rejections[rejection].error,
				   rejections[rejection].name) &&
	       verify_ops_check(ops, rte_umr_desc_avail(ops->dev_id, ops->queue_id) == nb_avail,
				"a rejected operation took descriptors");
}

/* Reason why the transfer of a case fails. */
enum case_error {
	CASE_NO_ERROR,
	CASE_BEYOND_END,	/* It ends after the last byte of the key. */
	CASE_NO_ACCESS,		/* The key lacks the access. */
	CASE_OLD_TAG,		/* It uses the previous value of the key. */
	CASE_AFTER_INVALIDATE,	/* The key was invalidated. */
	CASE_NB_ERRORS,
};

/* Actions of a case; derived from random numbers and the bed. */
struct verify_case {
	struct verify_move move;
	struct layout layout;
	bool is_invalidated;	/* The key is invalidated, usually after the transfer. */
	bool has_rejection;	/* A bad layout is tried first. */
	enum rejection rejection;
	enum case_error error;
};

static const char *const error_names[CASE_NB_ERRORS] = {
	[CASE_BEYOND_END] = "ends behind the key",
	[CASE_NO_ACCESS] = "lacks the access",
	[CASE_OLD_TAG] = "has the key's last value",
	[CASE_AFTER_INVALIDATE] = "uses the key after its invalidation",
};

/* State of a running case. */
struct case_keys {
	const struct verify_case *vc;
	struct rte_umr_mkey *mkey;
};

/* One case in eight tries a bad layout first; one transfer in sixteen must fail. */
static void
trouble_gen(struct prng *prng, struct verify_case *vc, uint64_t capa)
{
	vc->has_rejection = prng_one_in(prng, 8);
	vc->rejection = (enum rejection)prng_between(prng, 0, NB_REJECTIONS - 1);
	if (vc->rejection == REJECTION_NO_REPEAT && !vc->layout.is_interleaved)
		vc->rejection = REJECTION_NO_ENTRIES;
	if (!prng_one_in(prng, 16))
		return;
	vc->move.has_error = true;
	vc->error = (enum case_error)prng_between(prng, CASE_NO_ERROR + 1, CASE_NB_ERRORS - 1);
	if (vc->error == CASE_OLD_TAG && (capa & RTE_UMR_CAPA_MKEY_TAG) == 0)
		vc->error = CASE_BEYOND_END;
	if (vc->error == CASE_AFTER_INVALIDATE && (capa & RTE_UMR_CAPA_MKEY_INVALIDATE) == 0)
		vc->error = CASE_BEYOND_END;
	/* A key always allows local reads. */
	if (vc->error == CASE_NO_ACCESS && verify_move_access_needed(&vc->move) == 0)
		vc->error = CASE_BEYOND_END;
	if (vc->error == CASE_NO_ACCESS)
		vc->move.access = 0;
	vc->is_invalidated = vc->error == CASE_AFTER_INVALIDATE;
}

static void
case_gen(struct verify_case *vc, const struct verify_env *env, struct prng *prng,
	 bool is_interleaved)
{
	const struct rte_umr_dev_info *info = verify_move_gen_path(&vc->move, env->bed, prng);
	struct layout_gen_conf conf = verify_gen_conf(info, is_interleaved);

	if (is_interleaved)
		conf.max_list = 0;
	layout_gen(prng, &conf, verify_move_is_scatter(&vc->move), &vc->layout);
	verify_move_gen_range(&vc->move, prng, oracle_len(&vc->layout));
	vc->is_invalidated = (info->dev_capa & RTE_UMR_CAPA_MKEY_INVALIDATE) &&
			     prng_one_in(prng, 4);
	trouble_gen(prng, vc, info->dev_capa);
}

static void
case_print(FILE *f, const char *prefix, const void *what)
{
	const struct verify_case *vc = what;

	verify_move_print(f, prefix, &vc->move);
	if (vc->has_rejection)
		verify_rejection_print(f, prefix, rejections[vc->rejection].name);
	if (vc->error != CASE_NO_ERROR)
		fprintf(f, "%sthe transfer %s, so it must fail\n", prefix, error_names[vc->error]);
	else if (vc->is_invalidated)
		fprintf(f, "%sthe key is invalidated afterwards\n", prefix);
	layout_print(f, prefix, &vc->layout);
}

static bool
key_make(const void *arg, struct verify_ops *ops)
{
	const struct case_keys *keys = arg;
	const struct verify_case *vc = keys->vc;

	/* A server only accepts valid layouts. */
	return (!vc->has_rejection || ops->side->remote != NULL ||
		layout_reject(ops, keys->mkey, vc->rejection, vc->layout.is_interleaved)) &&
	       verify_layout_add(ops, keys->mkey, vc->move.access, &vc->layout) &&
	       (vc->error != CASE_AFTER_INVALIDATE || verify_ops_invalidate(ops, keys->mkey));
}

static bool
key_invalidate(const void *arg, struct verify_ops *ops)
{
	const struct case_keys *keys = arg;

	return !keys->vc->is_invalidated || verify_ops_invalidate(ops, keys->mkey);
}

static void
case_run(const void *what, const struct verify_env *env, struct case_result *result)
{
	const struct verify_case *vc = what;
	const struct verify_view view = verify_view_of(&vc->layout);
	struct case_keys keys = { .vc = vc };
	const struct verify_steps steps = {
		.before = key_make, .after = key_invalidate, .arg = &keys,
		.key = vc->error == CASE_OLD_TAG ? UINT8_MAX : 0,
	};
	struct verify_move move = vc->move;

	move.is_beyond = vc->error == CASE_BEYOND_END;
	verify_move_by_key(&move, &view, &steps, env, env->noise, &keys.mkey, result);
}

static void
list_gen(void *vc, const struct verify_env *env, struct prng *prng)
{
	case_gen(vc, env, prng, false);
}

static void
interleaved_gen(void *vc, const struct verify_env *env, struct prng *prng)
{
	case_gen(vc, env, prng, true);
}

const struct verify_mode verify_mode_list = {
	.name = "list",
	.summary = "1 to 52 pieces, transferred by writes and reads in both directions",
	.capa = RTE_UMR_CAPA_MKEY_LIST,
	.has_peer = true,
	.case_size = sizeof(struct verify_case),
	.gen = list_gen,
	.run = case_run,
	.print = case_print,
};

const struct verify_mode verify_mode_interleaved = {
	.name = "interleaved",
	.summary = "1 to 51 strided pieces, repeated up to 1024 times",
	.capa = RTE_UMR_CAPA_MKEY_INTERLEAVED,
	.has_peer = true,
	.case_size = sizeof(struct verify_case),
	.gen = interleaved_gen,
	.run = case_run,
	.print = case_print,
};
