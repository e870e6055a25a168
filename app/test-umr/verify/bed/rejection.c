/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>

#include "model/layout.h"
#include "verify/bed/rejection.h"

/* Maximum number of entries to try: the maximum of a key plus one. */
#define MAX_ENTRIES	(LAYOUT_MAX_PIECES + 1)

static const struct {
	const char *name;
	int expected;
} rejections[VERIFY_NB_REJECTIONS] = {
	[VERIFY_REJECTION_NO_ENTRIES] = { "a key with no entries", -EINVAL },
	[VERIFY_REJECTION_TOO_MANY] = { "a key with one entry too many", -E2BIG },
	[VERIFY_REJECTION_EMPTY_ENTRY] = { "a key with an entry of 0 bytes", -EINVAL },
	[VERIFY_REJECTION_TOO_MUCH] = { "a key with more than it can hold", -ERANGE },
	[VERIFY_REJECTION_NO_REPEAT] = { "a key with repeat 0", -EINVAL },
	[VERIFY_REJECTION_ACCESS] = { "a key with an unknown access", -EINVAL },
	[VERIFY_REJECTION_FLAG] = { "a key with an unknown flag", -EINVAL },
	[VERIFY_REJECTION_OTHER_DEVICE] = { "a key of another device", -EXDEV },
};

const char *
verify_rejection_name(enum verify_rejection rejection)
{
	return rejections[rejection].name;
}

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
	      enum verify_rejection rejection, uint32_t nb_max)
{
	const struct bed_end *end = ops->end;

	*args = (struct bad_args){
		.mkey = mkey,
		.access = rejection == VERIFY_REJECTION_ACCESS ? RTE_BIT32(31) : 0,
		.nb = nb_max,
		.flags = rejection == VERIFY_REJECTION_FLAG ? RTE_BIT64(63) : 0,
		.nb_avail = rte_umr_desc_avail(end->side->dev_id, end->queue_id),
	};
	if (rejection == VERIFY_REJECTION_NO_ENTRIES)
		args->nb = 0;
	else if (rejection == VERIFY_REJECTION_TOO_MANY)
		args->nb = nb_max + 1;
	/* Only until the rejection; a copy would not be a valid key. */
	if (rejection == VERIFY_REJECTION_OTHER_DEVICE)
		mkey->dev_id ^= 1;
}

static bool
rejected(struct verify_ops *ops, const struct bad_args *args, int ret,
	 enum verify_rejection rejection)
{
	const struct bed_end *end = ops->end;

	if (rejection == VERIFY_REJECTION_OTHER_DEVICE)
		args->mkey->dev_id ^= 1;
	return verify_ops_rejected(ops, ret, rejections[rejection].expected,
				   rejections[rejection].name) &&
	       verify_ops_check(ops, rte_umr_desc_avail(end->side->dev_id, end->queue_id) ==
				args->nb_avail, "a rejected operation took descriptors");
}

bool
verify_reject_list(struct verify_ops *ops, struct rte_umr_mkey *mkey, uint32_t lkey,
		   enum verify_rejection rejection)
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
	if (rejection == VERIFY_REJECTION_EMPTY_ENTRY)
		segs[nb_max - 1].length = 0;
	else if (rejection == VERIFY_REJECTION_TOO_MUCH)
		segs[nb_max - 1].length = info->max_entry_len + 1;
	ret = rte_umr_mkey_list(end->side->dev_id, end->queue_id, args.mkey, args.access, segs,
				args.nb, args.flags);
	return rejected(ops, &args, ret, rejection);
}

bool
verify_reject_interleaved(struct verify_ops *ops, struct rte_umr_mkey *mkey, uint32_t lkey,
			  enum verify_rejection rejection)
{
	const struct bed_end *end = ops->end;
	const struct rte_umr_dev_info *info = &end->side->info;
	struct rte_umr_interleaved entries[MAX_ENTRIES];
	/* The header of the pattern uses one entry. */
	uint32_t nb_max = RTE_MIN(mkey->max_entries, LAYOUT_MAX_PIECES) - 1;
	/* Large strides could become a list, but not with this repetition count. */
	uint32_t repeat = rejection == VERIFY_REJECTION_NO_REPEAT ? 0 : UINT32_MAX;
	struct bad_args args;
	int ret;

	bad_args_init(&args, ops, mkey, rejection, nb_max);
	for (uint32_t i = 0; i < MAX_ENTRIES; i++)
		entries[i] = (struct rte_umr_interleaved){
			.addr = (uintptr_t)end->side->layout.memory,
			.bytes_count = 1,
			.lkey = lkey,
		};
	if (rejection == VERIFY_REJECTION_EMPTY_ENTRY)
		entries[nb_max - 1].bytes_count = 0;
	else if (rejection == VERIFY_REJECTION_TOO_MUCH)
		entries[nb_max - 1].bytes_skip = info->max_interleaved_stride;
	ret = rte_umr_mkey_interleaved(end->side->dev_id, end->queue_id, args.mkey, args.access,
				       repeat, entries, args.nb, args.flags);
	return rejected(ops, &args, ret, rejection);
}
