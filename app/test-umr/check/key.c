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

#define PIECE		64u
#define DONE		"done"
#define NB_ROUNDS	32u

static bool
is_done(const char *word)
{
	return strcmp(word, DONE) == 0;
}

static struct check_klm
piece(const struct check_bed *bed, uint32_t at)
{
	return (struct check_klm){
		.addr = check_src(bed, at),
		.key = bed->mr->lkey,
		.len = PIECE,
	};
}

/* A key of one piece of src. @return NULL: the result has the reason. */
static struct check_key *
piece_key(struct check_bed *bed, struct check_result *result, uint32_t at)
{
	const struct check_key_attr attr = { .nb_klm = 4 };
	struct check_key *key = check_key_create(bed, result, &attr);
	const struct check_klm klm = piece(bed, at);

	return key != NULL && check_list(bed, result, key, &klm, 1) ? key : NULL;
}

/* Configure a key by one piece. @return The word. */
static const char *
reconfigure(struct check_bed *bed, struct check_result *result, uint32_t key, uint8_t tag,
	    uint8_t flags, uint32_t at)
{
	const struct check_klm klm = piece(bed, at);
	const struct check_umr umr = {
		.key = key, .flags = flags, .access = CHECK_ACCESS_ALL, .tag = tag,
		.len = PIECE, .klms = &klm, .nb_klm = 1,
	};
	struct check_wqe wqe;

	check_wqe_umr(&wqe, &umr);
	return check_do(bed, result, &wqe);
}

static bool
invalidate(struct check_bed *bed, struct check_result *result, const struct check_key *key)
{
	struct check_wqe wqe;
	const char *word;

	check_wqe_inval(&wqe, key->key);
	word = check_do(bed, result, &wqe);
	if (!is_done(word))
		check_observe(result, "invalidating: %s", word);
	return is_done(word);
}

static void
tag_run(struct check_bed *bed, struct check_result *result)
{
	struct check_key *key = piece_key(bed, result, 0);
	const char *word, *old;

	if (key == NULL)
		return;
	word = reconfigure(bed, result, key->key, (uint8_t)(key->key + 1), 0, 4096);
	if (!is_done(word)) {
		check_observe(result, "configuring: %s", word);
		return;
	}
	old = check_fetch(bed, result, key->key, 0, PIECE);
	if (!check_bed_renew(bed, result))
		return;
	check_observe(result, "old value: %s, new value: %s", old,
		      check_fetch(bed, result, key->key + 1, 0, PIECE));
}

static void
named_by_old_tag_run(struct check_bed *bed, struct check_result *result)
{
	struct check_key *key = piece_key(bed, result, 0);

	if (key != NULL)
		check_observe(result, "%s", reconfigure(bed, result, key->key ^ 0x80,
							(uint8_t)key->key, 0, 4096));
}

static void
in_use_run(struct check_bed *bed, struct check_result *result)
{
	const uint8_t flag = MLX5_WQE_UMR_CTRL_FLAG_CHECK_FREE;
	struct check_key *key = piece_key(bed, result, 0);
	const char *plain;

	if (key == NULL)
		return;
	plain = reconfigure(bed, result, key->key, (uint8_t)key->key, 0, 4096);
	check_observe(result, "without check_free: %s, with it: %s", plain,
		      reconfigure(bed, result, key->key, (uint8_t)key->key, flag, 4096));
}

static void
inval_run(struct check_bed *bed, struct check_result *result)
{
	struct check_key *key = piece_key(bed, result, 0);
	uint8_t mkc[PRM_MKC_SIZE];

	if (key == NULL || !invalidate(bed, result, key) || !check_key_query(key, result, mkc))
		return;
	check_observe(result, "%s; its use: %s", prm_get(mkc, PRM_MKC_FREE) ? "free" : "not free",
		      check_gather(bed, result, key->key, 0, PIECE));
}

static void
inval_free_run(struct check_bed *bed, struct check_result *result)
{
	const struct check_key_attr attr = { .nb_klm = 4 };
	struct check_key *key = check_key_create(bed, result, &attr);

	if (key != NULL && invalidate(bed, result, key))
		check_observe(result, DONE);
}

static void
update_free_run(struct check_bed *bed, struct check_result *result)
{
	const struct check_key_attr attr = { .nb_klm = 4 };
	struct check_key *key = check_key_create(bed, result, &attr);

	if (key != NULL)
		check_observe(result, "%s",
			      reconfigure(bed, result, key->key, (uint8_t)key->key,
					  PRM_UMR_FLAG_CHECK_NOT_FREE, 0));
}

static void
unconfigured_run(struct check_bed *bed, struct check_result *result)
{
	/* It has all that a transfer takes, but it is free: bounds do not reject it. */
	const struct check_klm klm = piece(bed, 0);
	const struct check_key_attr attr = { .nb_klm = 1, .klms = &klm, .len = PIECE };
	struct check_key *key = check_key_create(bed, result, &attr);

	if (key != NULL)
		check_observe(result, "%s",
			      check_gather(bed, result, key->index << 8, 0, PIECE));
}

static void
query_run(struct check_bed *bed, struct check_result *result)
{
	struct check_key *key = piece_key(bed, result, 0);
	uint8_t mkc[PRM_MKC_SIZE];

	if (key == NULL || !check_key_query(key, result, mkc))
		return;
	check_observe(result, "%sfree, tag 0x%02x, length %u, access %u%u%u%u",
		      prm_get(mkc, PRM_MKC_FREE) ? "" : "not ",
		      (unsigned int)prm_get(mkc, PRM_MKC_MKEY_7_0),
		      (unsigned int)prm_get(mkc, PRM_MKC_LEN),
		      (unsigned int)prm_get(mkc, PRM_MKC_LW),
		      (unsigned int)prm_get(mkc, PRM_MKC_RR),
		      (unsigned int)prm_get(mkc, PRM_MKC_RW),
		      (unsigned int)prm_get(mkc, PRM_MKC_A));
}

static void
access_kept_run(struct check_bed *bed, struct check_result *result)
{
	struct check_key *key = piece_key(bed, result, 0);
	const struct check_klm klm = piece(bed, 4096);
	struct check_umr umr = {
		.mask = MLX5_WQE_UMR_CTRL_MKEY_MASK_LEN, .len = PIECE, .klms = &klm, .nb_klm = 1,
	};

	if (key == NULL)
		return;
	umr.key = key->key;
	umr.tag = (uint8_t)key->key;
	if (check_configure(bed, result, &umr))
		check_observe(result, "remote read: %s",
			      check_fetch(bed, result, key->key, 0, PIECE));
}

/* A key with atomic access; its entry refers to a region without. */
static void
atomic_run(struct check_bed *bed, struct check_result *result)
{
	struct check_klm klm = piece(bed, 0);
	const struct check_key_attr attr = {
		.nb_klm = 1, .klms = &klm, .len = PIECE, .has_atomic = true, .may_fail = true,
	};
	struct ibv_mr *mr;

	if (prm_get(bed->caps, PRM_CAP_ATOMIC) == 0) {
		check_lacks(result, "atomic");
		return;
	}
	mr = ibv_reg_mr(bed->pd, bed->src, PIECE, IBV_ACCESS_LOCAL_WRITE);
	if (mr == NULL) {
		check_break(result, "ibv_reg_mr: %s", strerror(errno));
		return;
	}
	klm.key = mr->lkey;
	if (check_key_create(bed, result, &attr) != NULL)
		check_observe(result, "created");
	check_keys_destroy(bed);
	ibv_dereg_mr(mr);
}

/* A UMR and a transfer behind it, under one doorbell. @return Whether it saw the new layout. */
static bool
fence_round(struct check_bed *bed, struct check_result *result, const struct check_key *key,
	    uint32_t at, uint8_t fence, const char **word)
{
	const struct check_klm klm = piece(bed, at);
	const struct check_umr umr = {
		.key = key->key, .access = CHECK_ACCESS_ALL, .tag = (uint8_t)key->key,
		.len = PIECE, .klms = &klm, .nb_klm = 1,
	};
	struct check_wqe wqe;

	check_bed_blank(bed);
	check_wqe_umr(&wqe, &umr);
	wqe.fm_ce_se &= (uint8_t)~PRM_CTRL_CE_MASK;
	check_qp_post(&bed->qp, &wqe);
	check_wqe_init(&wqe, MLX5_OPCODE_RDMA_WRITE, fence);
	check_wqe_add_raddr(&wqe, bed->mr->rkey, check_out(bed, 0));
	check_wqe_add_data(&wqe, key->key, 0, PIECE);
	*word = check_do(bed, result, &wqe);
	return is_done(*word) && check_bed_is(bed, 0, at, PIECE);
}

static uint32_t
fence_rounds(struct check_bed *bed, struct check_result *result, const struct check_key *key,
	     uint8_t fence, const char **word)
{
	uint32_t nb = 0;

	*word = DONE;
	for (uint32_t i = 0; i < NB_ROUNDS && is_done(*word); i++)
		nb += fence_round(bed, result, key, i * PIECE, fence, word);
	return nb;
}

static void
fence_run(struct check_bed *bed, struct check_result *result)
{
	struct check_key *key = piece_key(bed, result, 8192);
	const char *word, *without;
	uint32_t nb;

	if (key == NULL)
		return;
	nb = fence_rounds(bed, result, key, bed->fence, &word);
	if (!is_done(word))
		check_observe(result, "%s", word);
	else if (nb == NB_ROUNDS)
		check_observe(result, "every transfer saw the new layout");
	else
		check_observe(result, "%u of %u transfers saw the new layout", nb, NB_ROUNDS);
	/* What goes without a fence is not promised, and good to know. */
	if (!is_done(word) || !check_bed_renew(bed, result))
		return;
	nb = fence_rounds(bed, result, key, PRM_CTRL_FM_NONE, &without);
	check_note(result, "without a fence: %u of %u, %s", nb, NB_ROUNDS, without);
}

static const struct check checks[] = {
	{ "key-tag", "A UMR that changes the tag makes the old key value stale immediately.",
	  "generations of keys, detection of stale keys",
	  "old value: remote-access, new value: done", tag_run },
	{ "key-named-by-old-tag",
	  "A UMR addresses its key by index; the device does not compare the tag.",
	  "keys of pools, whose tag the driver has changed", "done", named_by_old_tag_run },
	{ "key-in-use", "A UMR may configure a key that is in use; check_free forbids it.",
	  "configuring a key again; binding type 2 windows",
	  "without check_free: done, with it: mkey-config", in_use_run },
	{ "key-invalidate", "A UMR that sets free invalidates the key.",
	  "rte_umr_mkey_invalidate(), rte_umr_mkey_query()", "free; its use: local-protection",
	  inval_run },
	{ "key-invalidate-free", "Invalidating a free key succeeds.",
	  "keys whose configuration was flushed", "done", inval_free_run },
	{ "key-update-free", "check_not_free rejects a UMR of a free key.",
	  "rte_umr_mkey_update()", "mkey-config", update_free_run },
	{ "key-unconfigured", "A key that was created free is not usable before a UMR.",
	  "keys of a new pool", "local-protection", unconfigured_run },
	{ "key-query", "QUERY_MKEY returns what a UMR has written.", "rte_umr_mkey_query()",
	  "not free, tag 0x01, length 64, access 1111", query_run },
	{ "key-access-kept", "Access that mkey_mask omits is unchanged.",
	  "RTE_UMR_MKEY_SET_LAYOUT without RTE_UMR_MKEY_SET_ACCESS", "remote read: done",
	  access_kept_run },
	{ "key-atomic", "A key with atomic access may be above keys without it.",
	  "RTE_UMR_ACCESS_REMOTE_ATOMIC of keys above regions without it", "created", atomic_run },
	{ "key-fence", "The small fence suffices for the first transfer after a UMR.",
	  "every operation after a configuration", "every transfer saw the new layout", fence_run },
};

const struct check_theme check_key = { "keys", checks, RTE_DIM(checks) };
