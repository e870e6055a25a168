/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Move one random layout of the layout area: a list, or an interleaved pattern. */

#include <errno.h>

#include "model/layout_gen.h"
#include "model/oracle.h"
#include "verify/bed/layout.h"
#include "verify/bed/move.h"
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

static const struct {
	const char *name;
	int expected;
} rejections[NB_REJECTIONS] = {
	[REJECTION_NO_ENTRIES] = { "a key with no entries", -EINVAL },
	[REJECTION_TOO_MANY] = { "a key with one entry too many", -E2BIG },
	[REJECTION_EMPTY_ENTRY] = { "a key with an entry of 0 bytes", -EINVAL },
	[REJECTION_TOO_MUCH] = { "a key with more than it can hold", -ERANGE },
	[REJECTION_NO_REPEAT] = { "a key with repeat 0", -EINVAL },
	[REJECTION_ACCESS] = { "a key with an unknown access", -EINVAL },
	[REJECTION_FLAG] = { "a key with an unknown flag", -EINVAL },
	[REJECTION_OTHER_DEVICE] = { "a key of another device", -EXDEV },
};

/* Invalid arguments shared by all layouts. */
struct bad_args {
	struct rte_umr_mkey *mkey;
	uint32_t access;
	uint32_t nb;
	uint64_t flags;
	uint16_t nb_avail;	/* descriptors before the call */
};

static void
bad_args_init(struct bad_args *args, const struct verify_ops *ops, struct rte_umr_mkey *mkey,
	      enum rejection rejection, uint32_t nb_max)
{
	const struct bed_end *end = ops->end;

	*args = (struct bad_args){
		.mkey = mkey,
		.access = rejection == REJECTION_ACCESS ? RTE_BIT32(31) : 0,
		.nb = nb_max,
		.flags = rejection == REJECTION_FLAG ? RTE_BIT64(63) : 0,
		.nb_avail = rte_umr_desc_avail(end->side->dev_id, end->queue_id),
	};
	if (rejection == REJECTION_NO_ENTRIES)
		args->nb = 0;
	else if (rejection == REJECTION_TOO_MANY)
		args->nb = nb_max + 1;
	/* Only until the rejection; a copy would not be a valid key. */
	if (rejection == REJECTION_OTHER_DEVICE)
		mkey->dev_id ^= 1;
}

static bool
rejected(struct verify_ops *ops, const struct bad_args *args, int ret,
	 enum rejection rejection)
{
	const struct bed_end *end = ops->end;

	if (rejection == REJECTION_OTHER_DEVICE)
		args->mkey->dev_id ^= 1;
	return verify_ops_rejected(ops, ret, rejections[rejection].expected,
				   rejections[rejection].name) &&
	       verify_ops_check(ops, rte_umr_desc_avail(end->side->dev_id, end->queue_id) ==
				args->nb_avail, "a rejected operation took descriptors");
}

/* Try to configure a key with a bad list. */
static bool
list_reject(struct verify_ops *ops, struct rte_umr_mkey *mkey, uint32_t lkey,
		   enum rejection rejection)
{
	const struct bed_end *end = ops->end;
	const struct rte_umr_dev_info *info = &end->side->info;
	struct rte_umr_seg segs[MAX_ENTRIES];
	uint32_t nb_max = RTE_MIN(mkey->max_entries, LAYOUT_MAX_PIECES);
	struct bad_args args;
	int ret;

	bad_args_init(&args, ops, mkey, rejection, nb_max);
	for (uint32_t i = 0; i < MAX_ENTRIES; i++)
		segs[i] = (struct rte_umr_seg){ (uintptr_t)end->side->layout.memory, 1, lkey };
	if (rejection == REJECTION_EMPTY_ENTRY)
		segs[nb_max - 1].length = 0;
	else if (rejection == REJECTION_TOO_MUCH)
		segs[nb_max - 1].length = info->max_entry_len + 1;
	ret = rte_umr_mkey_list(end->side->dev_id, end->queue_id, args.mkey, args.access, segs,
				args.nb, args.flags);
	return rejected(ops, &args, ret, rejection);
}

/* The same with a bad interleaved layout. */
static bool
interleaved_reject(struct verify_ops *ops, struct rte_umr_mkey *mkey, uint32_t lkey,
			  enum rejection rejection)
{
	const struct bed_end *end = ops->end;
	const struct rte_umr_dev_info *info = &end->side->info;
	struct rte_umr_interleaved entries[MAX_ENTRIES];
	/* The header of the pattern uses one entry. */
	uint32_t nb_max = RTE_MIN(mkey->max_entries, LAYOUT_MAX_PIECES) - 1;
	/* Large strides could become a list, but not with this repetition count. */
	uint32_t repeat = rejection == REJECTION_NO_REPEAT ? 0 : UINT32_MAX;
	struct bad_args args;
	int ret;

	bad_args_init(&args, ops, mkey, rejection, nb_max);
	for (uint32_t i = 0; i < MAX_ENTRIES; i++)
		entries[i] = (struct rte_umr_interleaved){
			.addr = (uintptr_t)end->side->layout.memory,
			.bytes_count = 1,
			.lkey = lkey,
		};
	if (rejection == REJECTION_EMPTY_ENTRY)
		entries[nb_max - 1].bytes_count = 0;
	else if (rejection == REJECTION_TOO_MUCH)
		entries[nb_max - 1].bytes_skip = info->max_interleaved_stride;
	ret = rte_umr_mkey_interleaved(end->side->dev_id, end->queue_id, args.mkey, args.access,
				       repeat, entries, args.nb, args.flags);
	return rejected(ops, &args, ret, rejection);
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
	const struct rte_umr_dev_info *info;
	struct layout_gen_conf conf = {
		.arena_size = BED_LAYOUT_SIZE,
		.guard = BED_GUARD,
		.max_total = BED_MAX_TOTAL,
	};

	verify_move_gen_path(&vc->move, env->bed, prng);
	info = &verify_move_key_end(&vc->move)->side->info;
	if (is_interleaved)
		conf.max_interleaved = RTE_MIN(LAYOUT_MAX_PIECES - 1,
					       info->max_interleaved_inline);
	else
		conf.max_list = RTE_MIN(LAYOUT_MAX_PIECES, info->max_list_inline);
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
		fprintf(f, "%s%s is rejected before\n", prefix,
			rejections[vc->rejection].name);
	if (vc->error != CASE_NO_ERROR)
		fprintf(f, "%sthe transfer %s, so it must fail\n", prefix, error_names[vc->error]);
	else if (vc->is_invalidated)
		fprintf(f, "%sthe key is invalidated afterwards\n", prefix);
	layout_print(f, prefix, &vc->layout);
}

static bool
key_reject(const struct case_keys *keys, struct verify_ops *ops)
{
	uint32_t lkey = ops->end->side->layout_mrs[0]->lkey;
	const struct verify_case *vc = keys->vc;

	/* A server only accepts valid layouts. */
	if (!vc->has_rejection || ops->end->side->remote != NULL)
		return true;
	return vc->layout.is_interleaved ?
		       interleaved_reject(ops, keys->mkey, lkey, vc->rejection) :
		       list_reject(ops, keys->mkey, lkey, vc->rejection);
}

static bool
key_make(const void *arg, struct verify_ops *ops)
{
	const struct case_keys *keys = arg;
	const struct verify_case *vc = keys->vc;

	return key_reject(keys, ops) &&
	       verify_layout_add(ops, keys->mkey, vc->move.access, &vc->layout) &&
	       (vc->error != CASE_AFTER_INVALIDATE || verify_ops_invalidate(ops, keys->mkey));
}

static bool
key_invalidate(const void *arg, struct verify_ops *ops)
{
	const struct case_keys *keys = arg;

	return !keys->vc->is_invalidated || verify_ops_invalidate(ops, keys->mkey);
}

/* Key value for the transfer; the tag is in the lowest byte. */
static uint32_t
key_value(const struct verify_case *vc, const struct rte_umr_mkey *mkey)
{
	uint32_t tag = mkey->key & 0xff;

	if (vc->error == CASE_OLD_TAG)
		tag = (tag - 1) & 0xff;
	return (mkey->key & ~UINT32_C(0xff)) | tag;
}

static void
case_run(const void *what, const struct verify_env *env, struct case_result *result)
{
	const struct verify_case *vc = what;
	const struct bed_side *side = verify_move_key_end(&vc->move)->side;
	const struct verify_view view = verify_view_of(&vc->layout);
	struct case_keys keys = { .vc = vc };
	struct verify_steps steps = {
		.before = key_make,
		.after = key_invalidate,
		.arg = &keys,
		.from = vc->move.from,
	};

	if (!bed_keys_get(side, side->pool, &keys.mkey, 1)) {
		verify_result_set(result, CASE_ERROR, "no key left in the pool of %s",
				  side->info.dev_name);
		return;
	}
	steps.key = key_value(vc, keys.mkey);
	/* The first operation ends one byte after the key. */
	if (vc->error == CASE_BEYOND_END)
		steps.from = view.total - vc->move.part_ends[0] + 1;
	verify_move_run(&vc->move, &view, &steps, env->noise, result);
	bed_keys_put(side, side->pool, &keys.mkey, 1);
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
