/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* How the device follows the entries of a key. */

#include <errno.h>
#include <string.h>

#include <rte_common.h>

#include "check/bed.h"

#define PIECE		CHECK_PIECE
#define TWO_GIB		(UINT32_C(1) << 31)
#define MAX_LEVELS	20u
#define NB_ENTRIES	12u

/* Report whether out has the expected piece of src, or what it is instead. */
static void
observe_piece(struct check_bed *bed, const char *word, uint32_t src_at, const char *right)
{
	if (!check_is_done(word))
		check_observe(bed, "%s", word);
	else
		check_observe(bed, "%s", check_bed_is(bed, 0, src_at, PIECE) ?
						    right : "done, but with other bytes");
}

/* The same for what a key, if there is one, shows at an address. */
static void
gather_piece(struct check_bed *bed, const struct check_key *key, uint64_t addr, uint32_t src_at,
	     const char *right)
{
	if (key != NULL)
		observe_piece(bed, check_gather(bed, key->key, addr, PIECE), src_at, right);
}

/* A list of every second piece of src, from a place on. */
static void
list_fill(struct check_bed *bed, struct check_klm *klms, uint32_t nb, uint32_t at)
{
	for (uint32_t i = 0; i < nb; i++)
		klms[i] = check_piece(bed, at + 2 * i * PIECE);
}

static void
stale_tail_run(struct check_bed *bed)
{
	struct check_klm klms[8];
	const struct check_umr umr = {
		.len = RTE_DIM(klms) * PIECE, .klms = klms, .nb_klm = 4,
	};
	struct check_key *key;

	list_fill(bed, klms, RTE_DIM(klms), 0);
	key = check_list_create(bed, klms, RTE_DIM(klms));
	list_fill(bed, klms, 4, 8192);
	if (key != NULL && check_configure(bed, key, &umr))
		gather_piece(bed, key, 6 * PIECE, 2 * 6 * PIECE, "the old entries are followed");
}

static void
empty_entry_run(struct check_bed *bed)
{
	struct check_klm klms[] = {
		check_piece(bed, 0), check_piece(bed, 4096), check_piece(bed, 8192),
	};

	klms[1].len = 0;
	gather_piece(bed, check_list_create(bed, klms, RTE_DIM(klms)), PIECE, 8192, "skipped");
}

static void
entry_2g_run(struct check_bed *bed)
{
	/* Memory beyond the region is not accessed. */
	struct check_klm klms[] = { check_piece(bed, 0), check_piece(bed, 8192) };

	klms[0].len = TWO_GIB;
	gather_piece(bed, check_list_create(bed, klms, RTE_DIM(klms)), TWO_GIB, 8192, "2 GiB");
}

/*
 * A transfer of 2^31 bytes is too long for a write, for its destination and for its source; the
 * device may report any of these errors first.
 */
static bool
is_too_long(const char *word)
{
	return strcmp(word, "local-length") == 0 || strcmp(word, "remote-access") == 0 ||
	       strcmp(word, "local-protection") == 0;
}

static void
data_seg_zero_run(struct check_bed *bed)
{
	const char *word = check_gather(bed, bed->mr->lkey, check_src(bed, 0), 0);

	check_note(bed, "%s", word);
	check_observe(bed, "%s", is_too_long(word) ? "not empty" : word);
}

/* Create a key of one piece, and a key whose only entry is that key. */
static struct check_key *
nest_create(struct check_bed *bed, struct check_key **inner)
{
	*inner = check_piece_create(bed, 4096);
	return *inner == NULL ? NULL : check_list_create(bed, &(struct check_klm){
		.key = (*inner)->key, .len = PIECE }, 1);
}

static void
dead_entry_run(struct check_bed *bed)
{
	struct check_key *inner, *outer = nest_create(bed, &inner);

	if (outer != NULL && check_inval(bed, inner))
		check_gather_observe(bed, outer, 0, PIECE);
}

static void
stale_entry_run(struct check_bed *bed)
{
	struct check_key *inner, *outer = nest_create(bed, &inner);
	const struct check_klm klm = check_piece(bed, 4096);

	if (outer == NULL || !check_inval(bed, inner))
		return;
	/* The next generation of the same key. */
	inner->key++;
	if (check_list(bed, inner, &klm, 1))
		check_gather_observe(bed, outer, 0, PIECE);
}

static void
levels_run(struct check_bed *bed)
{
	const uint32_t max = (uint32_t)prm_get(bed->caps, PRM_CAP_MAX_INDIRECTION);
	struct check_klm klm = check_piece(bed, 4096);
	uint32_t nb = 0;

	check_note(bed, "max_indirection %u", max);
	for (; nb <= max && nb < MAX_LEVELS; nb++) {
		struct check_key *key = check_list_create(bed, &klm, 1);

		if (key == NULL)
			return;
		if (!check_is_done(check_gather(bed, key->key, 0, PIECE)) ||
		    !check_bed_is(bed, 0, 4096, PIECE))
			break;
		klm = (struct check_klm){ .key = key->key, .len = PIECE };
	}
	if (nb == max || (max > MAX_LEVELS && nb == MAX_LEVELS))
		check_observe(bed, "as many as max_indirection");
	else
		check_observe(bed, "%s%u", nb > max ? "at least " : "", nb);
}

static void
beyond_run(struct check_bed *bed)
{
	const struct check_klm klm = check_piece(bed, 0);
	const struct check_umr umr = { .len = 4 * PIECE, .klms = &klm, .nb_klm = 1 };

	check_gather_observe(bed, check_umr_create(bed, &umr), PIECE, PIECE);
}

static void
unchecked_run(struct check_bed *bed)
{
	struct check_key *key = check_piece_create(bed, CHECK_SRC_SIZE + CHECK_OUT_SIZE);

	if (key != NULL)
		check_observe(bed, "configured; its use: %s",
			      check_gather(bed, key->key, 0, PIECE));
}

static void
empty_key_run(struct check_bed *bed)
{
	const struct check_klm klm = check_piece(bed, 0);
	const struct check_umr umr = { .klms = &klm, .nb_klm = 1 };

	check_gather_observe(bed, check_umr_create(bed, &umr), 0, 1);
}

static void
ksm_address_run(struct check_bed *bed)
{
	const struct check_key_attr attr = { .nb_klm = 4, .log_entry = PRM_ADAPTER_PAGE_SHIFT };
	struct check_klm klms[] = { check_piece(bed, 8192), check_piece(bed, 512) };
	struct check_key *key;

	if (!check_has(bed, PRM_CAP_FIXED_BUFFER_SIZE, "fixed_buffer_size"))
		return;
	key = check_key_create(bed, &attr);
	klms[0].len = klms[1].len = PRM_ADAPTER_PAGE_SIZE;
	if (key != NULL && check_list(bed, key, klms, RTE_DIM(klms)))
		gather_piece(bed, key, PRM_ADAPTER_PAGE_SIZE + 100, 512 + 100,
			     "followed from where it says");
}

/*
 * Configure a repetition of a piece; its header takes the place of an entry (mlx5dv.h,
 * repeat_block_seg). @return NULL: the result has the reason.
 */
static struct check_key *
repeat_create(struct check_bed *bed, uint32_t nb_repeat, uint16_t stride, uint64_t len)
{
	const struct check_klm klms[] = {
		{ (uint64_t)nb_repeat << 32 | 1, PRM_UMR_REPEAT_BLOCK_OP, PIECE },
		{ check_src(bed, 0), bed->mr->lkey, (uint32_t)stride << 16 | PIECE },
	};
	const struct check_umr umr = { .len = len, .klms = klms, .nb_klm = RTE_DIM(klms) };

	if (prm_get(bed->caps, PRM_CAP_REPEATED_BLOCK_DISABLED) == 0)
		return check_umr_create(bed, &umr);
	check_lacks(bed, "repeated_block_disabled is set");
	return NULL;
}

static void
repeat_beyond_run(struct check_bed *bed)
{
	check_gather_observe(bed, repeat_create(bed, 2, 256, 3 * PIECE), 2 * PIECE, PIECE);
}

static void
repeat_stride_run(struct check_bed *bed)
{
	/* The second repetition is in the memory after src. */
	const uint32_t out_at = 8192;
	struct check_key *key = repeat_create(bed, 2, CHECK_SRC_SIZE + out_at, 2 * PIECE);
	struct check_wqe wqe;

	if (key == NULL)
		return;
	check_bed_blank(bed);
	memcpy(bed->out + out_at, bed->src + 512, PIECE);
	check_gather_init(bed, &wqe, key->key, PIECE, PIECE, 0);
	observe_piece(bed, check_do(bed, &wqe), 512, "16 bits without a sign");
}

static void
pointer_align_run(struct check_bed *bed)
{
	struct check_key *key = check_key_create(bed, &(struct check_key_attr){ .nb_klm = 4 });
	const struct check_klm klms[4] = { check_piece(bed, 0), check_piece(bed, 512) };
	const struct check_umr umr = {
		.len = 2 * PIECE, .klms = klms, .nb_klm = 4, .list_lkey = bed->mr->lkey,
		.list_addr = check_out(bed, 1024 + 64),
	};

	if (key == NULL)
		return;
	check_klms_write(bed->out + 1024 + 64, klms, 4);
	check_observe(bed, "%s", check_umr(bed, key, &umr));
}

/* Report as digits which list each entry belongs to. */
static void
observe_window(struct check_bed *bed, const char *word)
{
	char digits[NB_ENTRIES + 1] = "";

	for (uint32_t i = 0; i < NB_ENTRIES; i++) {
		digits[i] = '?';
		if (check_bed_is(bed, i * PIECE, 2 * i * PIECE, PIECE))
			digits[i] = '1';
		else if (check_bed_is(bed, i * PIECE, 8192 + 2 * (i % 4) * PIECE, PIECE))
			digits[i] = '2';
	}
	check_observe(bed, "%s", check_is_done(word) ? digits : word);
}

static void
update_window_run(struct check_bed *bed)
{
	struct check_klm klms[NB_ENTRIES];
	const struct check_umr umr = {
		.flags = MLX5_WQE_UMR_CTRL_FLAG_TRNSLATION_OFFSET | PRM_UMR_FLAG_CHECK_NOT_FREE,
		.mask = MLX5_WQE_UMR_CTRL_MKEY_MASK_LEN, .len = NB_ENTRIES * PIECE,
		.klms = klms, .nb_klm = 4, .first = 4,
	};
	struct check_key *key;

	list_fill(bed, klms, NB_ENTRIES, 0);
	key = check_list_create(bed, klms, NB_ENTRIES);
	list_fill(bed, klms, 4, 8192);
	if (key != NULL && check_configure(bed, key, &umr))
		observe_window(bed, check_gather(bed, key->key, 0, NB_ENTRIES * PIECE));
}

static void
relaxed_run(struct check_bed *bed)
{
	const struct check_klm klm = check_piece(bed, 4096);
	const struct check_umr umr = {
		.len = PIECE, .klms = &klm, .nb_klm = 1, .has_relaxed = true,
	};

	if (check_has(bed, PRM_CAP_RELAXED_ORDERING_WRITE_UMR, "relaxed_ordering_write_umr"))
		gather_piece(bed, check_umr_create(bed, &umr), 0, 4096,
			     "accepted, and its data are right");
}

static bool
has_odp(const struct check_bed *bed)
{
	const uint32_t need = IBV_ODP_SUPPORT_WRITE | IBV_ODP_SUPPORT_SEND;
	struct ibv_device_attr_ex attr;

	return ibv_query_device_ex(bed->dev->ctx, NULL, &attr) == 0 &&
	       (attr.odp_caps.general_caps & IBV_ODP_SUPPORT) != 0 &&
	       (attr.odp_caps.per_transport_caps.rc_odp_caps & need) == need;
}

static void
odp_run(struct check_bed *bed)
{
	struct check_klm klm = check_piece(bed, 4096);
	struct ibv_mr *mr;

	if (!has_odp(bed)) {
		check_lacks(bed, "on-demand paging of RC");
		return;
	}
	mr = ibv_reg_mr(bed->pd, bed->src, CHECK_SRC_SIZE,
			IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_ON_DEMAND);
	if (mr == NULL) {
		check_break(bed, "ibv_reg_mr: %s", strerror(errno));
		return;
	}
	klm.key = mr->lkey;
	gather_piece(bed, check_list_create(bed, &klm, 1), 0, 4096, "followed");
	ibv_dereg_mr(mr);
}

static const struct check checks[] = {
	{ "list-stale-tail", "A shorter list does not change the entries after it.",
	  "rte_umr_mkey_update(), keys that grow", "the old entries are followed",
	  .run = stale_tail_run },
	{ "list-empty-entry", "The device skips entries of 0 bytes, which pad lists.",
	  "every list whose number of entries is not a multiple of four", "skipped",
	  .run = empty_entry_run },
	{ "list-2g-entry", "The length of an entry has 32 bits: 0x80000000 is 2 GiB.",
	  "max_entry_len", "2 GiB", .run = entry_2g_run },
	{ "data-segment-zero", "A data segment of length 0 means 2 GiB.",
	  "transfers of 0 bytes have no data segment", "not empty", .run = data_seg_zero_run },
	{ "list-dead-entry", "A transfer through an entry with a free key fails.",
	  "rte_umr_mkey_invalidate() of a key below another", "local-protection",
	  .run = dead_entry_run },
	{ "list-stale-entry", "The device compares the tag of a key in an entry.",
	  "reuse of keys below other keys", "local-protection", .run = stale_entry_run },
	{ "list-levels",
	  "Nested lists work to max_indirection levels, without the regions below the last one.",
	  "max_nesting, RTE_UMR_CAPA_MKEY_NESTED", "as many as max_indirection",
	  .run = levels_run },
	{ "list-too-short",
	  "A transfer past the end of a list that is shorter than its key fails there.",
	  "bounds of keys", "local-protection", .run = beyond_run },
	{ "list-unchecked",
	  "The device checks entries when a transfer uses them, not when a UMR writes them.",
	  "layouts above keys that are configured later; memory windows",
	  "configured; its use: local-protection", .run = unchecked_run },
	{ "key-of-length-zero", "No byte is accessible through a key of length 0.",
	  "keys without layout", "local-protection", .run = empty_key_run },
	{ "entry-size-address", "An entry of fixed size may start at any address.",
	  "RTE_UMR_CAPA_MKEY_FIXED, min_log_entry_size", "followed from where it says",
	  .run = ksm_address_run },
	{ "repeat-too-short", "A transfer past the last repetition fails.",
	  "bounds of interleaved keys", "local-protection", .run = repeat_beyond_run },
	{ "repeat-stride", "The stride of a repetition is an unsigned 16-bit number.",
	  "max_interleaved_stride", "16 bits without a sign", .run = repeat_stride_run },
	{ "list-pointer-align", "A list in memory must be aligned to 2 KiB.",
	  "memory for long lists, at least 2 KiB each", "local-qp-op", .run = pointer_align_run },
	{ "update-window",
	  "A translation offset counts entries; entries outside the update are unchanged.",
	  "rte_umr_mkey_update()", "111122221111", .run = update_window_run },
	{ "list-relaxed", "A UMR may set relaxed ordering, also of lists.",
	  "RTE_UMR_ACCESS_RELAXED_ORDERING of keys", "accepted, and its data are right",
	  .run = relaxed_run },
	{ "list-odp", "An entry may refer to a region with on-demand paging.",
	  "RTE_UMR_CAPA_MR_ODP below keys", "followed", .run = odp_run },
};

const struct check_theme check_layout = { "layouts", checks, RTE_DIM(checks) };
