/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * The life of a key: configured, renamed, invalidated, asked for.
 */

#include <errno.h>
#include <string.h>

#include <rte_common.h>

#include "check/bed.h"

#define NB_ROUNDS	32u

static struct check_key *
free_key(struct check_bed *bed)
{
	return check_key_create(bed, &(struct check_key_attr){ .nb_klm = 1 });
}

/* Configure a key by one piece. @return The word. */
static const char *
reconfigure(struct check_bed *bed, uint32_t key, uint8_t tag, uint8_t flags, uint32_t at)
{
	const struct check_klm klm = check_piece(bed, at);
	const struct check_umr umr = {
		.key = key, .flags = flags, .access = CHECK_ACCESS_ALL, .tag = tag,
		.len = CHECK_PIECE, .klms = &klm, .nb_klm = 1,
	};
	struct check_wqe wqe;

	check_wqe_umr(&wqe, &umr);
	return check_do(bed, &wqe);
}

static void
tag_run(struct check_bed *bed)
{
	struct check_key *key = check_piece_create(bed, 0);
	const char *word, *old;

	if (key == NULL)
		return;
	word = reconfigure(bed, key->key, (uint8_t)(key->key + 1), 0, 4096);
	if (!check_is_done(word)) {
		check_observe(bed, "configuring: %s", word);
		return;
	}
	old = check_fetch(bed, key->key, 0, CHECK_PIECE);
	if (!check_bed_renew(bed))
		return;
	check_observe(bed, "old value: %s, new value: %s", old,
		      check_fetch(bed, key->key + 1, 0, CHECK_PIECE));
}

static void
named_by_old_tag_run(struct check_bed *bed)
{
	struct check_key *key = check_piece_create(bed, 0);

	if (key != NULL)
		check_observe(bed, "%s", reconfigure(bed, key->key ^ 0x80, (uint8_t)key->key, 0,
						     4096));
}

static void
in_use_run(struct check_bed *bed)
{
	const uint8_t flag = MLX5_WQE_UMR_CTRL_FLAG_CHECK_FREE;
	struct check_key *key = check_piece_create(bed, 0);
	const char *plain;

	if (key == NULL)
		return;
	plain = reconfigure(bed, key->key, (uint8_t)key->key, 0, 4096);
	check_observe(bed, "without check_free: %s, with it: %s", plain,
		      reconfigure(bed, key->key, (uint8_t)key->key, flag, 4096));
}

static void
inval_run(struct check_bed *bed)
{
	struct check_key *key = check_piece_create(bed, 0);
	uint8_t mkc[PRM_MKC_SIZE];

	if (key == NULL || !check_inval(bed, key) || !check_key_query(bed, key, mkc))
		return;
	check_observe(bed, "%s; its use: %s", prm_get(mkc, PRM_MKC_FREE) ? "free" : "not free",
		      check_gather(bed, key->key, 0, CHECK_PIECE));
}

static void
inval_free_run(struct check_bed *bed)
{
	struct check_key *key = free_key(bed);

	if (key != NULL && check_inval(bed, key))
		check_observe(bed, "done");
}

static void
update_free_run(struct check_bed *bed)
{
	struct check_key *key = free_key(bed);

	if (key != NULL)
		check_observe(bed, "%s", reconfigure(bed, key->key, (uint8_t)key->key,
						     PRM_UMR_FLAG_CHECK_NOT_FREE, 0));
}

static void
unconfigured_run(struct check_bed *bed)
{
	/* It has all that a transfer takes, but it is free: bounds do not reject it. */
	const struct check_klm klm = check_piece(bed, 0);
	const struct check_key_attr attr = { .nb_klm = 1, .klms = &klm, .len = CHECK_PIECE };
	struct check_key *key = check_key_create(bed, &attr);

	if (key != NULL)
		check_observe(bed, "%s", check_gather(bed, key->index << 8, 0, CHECK_PIECE));
}

static void
query_run(struct check_bed *bed)
{
	struct check_key *key = check_piece_create(bed, 0);
	uint8_t mkc[PRM_MKC_SIZE];

	if (key == NULL || !check_key_query(bed, key, mkc))
		return;
	check_observe(bed, "%sfree, tag 0x%02x, length %u, access %u%u%u%u",
		      prm_get(mkc, PRM_MKC_FREE) ? "" : "not ",
		      (unsigned int)prm_get(mkc, PRM_MKC_MKEY_7_0),
		      (unsigned int)prm_get(mkc, PRM_MKC_LEN),
		      (unsigned int)prm_get(mkc, PRM_MKC_LW),
		      (unsigned int)prm_get(mkc, PRM_MKC_RR),
		      (unsigned int)prm_get(mkc, PRM_MKC_RW),
		      (unsigned int)prm_get(mkc, PRM_MKC_A));
}

static void
access_kept_run(struct check_bed *bed)
{
	struct check_key *key = check_piece_create(bed, 0);
	const struct check_klm klm = check_piece(bed, 4096);
	const struct check_umr umr = {
		.mask = MLX5_WQE_UMR_CTRL_MKEY_MASK_LEN, .len = CHECK_PIECE, .klms = &klm,
		.nb_klm = 1,
	};

	if (key != NULL && check_configure(bed, key, &umr))
		check_observe(bed, "remote read: %s", check_fetch(bed, key->key, 0, CHECK_PIECE));
}

/* A key with atomic access; its entry refers to a region without. */
static void
atomic_run(struct check_bed *bed)
{
	struct check_klm klm = check_piece(bed, 0);
	const struct check_key_attr attr = {
		.nb_klm = 1, .klms = &klm, .len = CHECK_PIECE, .has_atomic = true, .may_fail = true,
	};
	struct ibv_mr *mr;

	if (!check_has(bed, PRM_CAP_ATOMIC, "atomic"))
		return;
	mr = ibv_reg_mr(bed->pd, bed->src, CHECK_PIECE, IBV_ACCESS_LOCAL_WRITE);
	if (mr == NULL) {
		check_break(bed, "ibv_reg_mr: %s", strerror(errno));
		return;
	}
	klm.key = mr->lkey;
	if (check_key_create(bed, &attr) != NULL)
		check_observe(bed, "created");
	check_keys_destroy(bed);
	ibv_dereg_mr(mr);
}

/* A UMR and a transfer behind it, under one doorbell. @return Whether it saw the new layout. */
static bool
fence_round(struct check_bed *bed, const struct check_key *key,
	    uint32_t at, uint8_t fence, const char **word)
{
	const struct check_klm klm = check_piece(bed, at);
	const struct check_umr umr = {
		.key = key->key, .access = CHECK_ACCESS_ALL, .tag = (uint8_t)key->key,
		.len = CHECK_PIECE, .klms = &klm, .nb_klm = 1,
	};
	struct check_wqe wqe;

	check_bed_blank(bed);
	check_wqe_umr(&wqe, &umr);
	wqe.fm_ce_se &= (uint8_t)~PRM_CTRL_CE_MASK;
	check_qp_post(&bed->qp, &wqe);
	check_gather_init(bed, &wqe, key->key, 0, CHECK_PIECE, 0);
	wqe.fm_ce_se = fence | PRM_CTRL_CE_ALWAYS;
	*word = check_do(bed, &wqe);
	return check_is_done(*word) && check_bed_is(bed, 0, at, CHECK_PIECE);
}

static uint32_t
fence_rounds(struct check_bed *bed, const struct check_key *key, uint8_t fence, const char **word)
{
	uint32_t nb = 0;

	*word = "done";
	for (uint32_t i = 0; i < NB_ROUNDS && check_is_done(*word); i++)
		nb += fence_round(bed, key, i * CHECK_PIECE, fence, word);
	return nb;
}

static void
fence_run(struct check_bed *bed)
{
	struct check_key *key = check_piece_create(bed, 8192);
	const char *word, *without;
	uint32_t nb;

	if (key == NULL)
		return;
	nb = fence_rounds(bed, key, bed->fence, &word);
	if (!check_is_done(word))
		check_observe(bed, "%s", word);
	else if (nb == NB_ROUNDS)
		check_observe(bed, "every transfer saw the new layout");
	else
		check_observe(bed, "%u of %u transfers saw the new layout", nb, NB_ROUNDS);
	/* What goes without a fence is not promised, and good to know. */
	if (!check_is_done(word) || !check_bed_renew(bed))
		return;
	nb = fence_rounds(bed, key, PRM_CTRL_FM_NONE, &without);
	check_note(bed, "without a fence: %u of %u, %s", nb, NB_ROUNDS, without);
}

static const struct check checks[] = {
	{ "key-tag", "A UMR that changes the tag makes the old key value stale immediately.",
	  "generations of keys, detection of stale keys",
	  "old value: remote-access, new value: done", .run = tag_run },
	{ "key-named-by-old-tag",
	  "A UMR addresses its key by index; the device does not compare the tag.",
	  "keys of pools, whose tag the driver has changed", "done", .run = named_by_old_tag_run },
	{ "key-in-use", "A UMR may configure a key that is in use; check_free forbids it.",
	  "configuring a key again; binding type 2 windows",
	  "without check_free: done, with it: mkey-config", .run = in_use_run },
	{ "key-invalidate", "A UMR that sets free invalidates the key.",
	  "rte_umr_mkey_invalidate(), rte_umr_mkey_query()", "free; its use: local-protection",
	  .run = inval_run },
	{ "key-invalidate-free", "Invalidating a free key succeeds.",
	  "keys whose configuration was flushed", "done", .run = inval_free_run },
	{ "key-update-free", "check_not_free rejects a UMR of a free key.",
	  "rte_umr_mkey_update()", "mkey-config", .run = update_free_run },
	{ "key-unconfigured", "A key that was created free is not usable before a UMR.",
	  "keys of a new pool", "local-protection", .run = unconfigured_run },
	{ "key-query", "QUERY_MKEY returns what a UMR has written.", "rte_umr_mkey_query()",
	  "not free, tag 0x01, length 64, access 1111", .run = query_run },
	{ "key-access-kept", "Access that mkey_mask omits is unchanged.",
	  "RTE_UMR_MKEY_SET_LAYOUT without RTE_UMR_MKEY_SET_ACCESS", "remote read: done",
	  .run = access_kept_run },
	{ "key-atomic", "A key with atomic access may be above keys without it.",
	  "RTE_UMR_ACCESS_REMOTE_ATOMIC of keys above regions without it", "created",
	  .run = atomic_run },
	{ "key-fence", "The small fence suffices for the first transfer after a UMR.",
	  "every operation after a configuration", "every transfer saw the new layout",
	  .run = fence_run },
};

const struct check_theme check_key = { "keys", checks, RTE_DIM(checks) };
