/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* How the device follows the entries of a key. */

#include <errno.h>
#include <string.h>

#include <rte_common.h>

#include "check/bed.h"

#define PIECE		64u
#define DONE		"done"
#define TWO_GIB		(UINT32_C(1) << 31)
#define MAX_LEVELS	20u
#define NB_ENTRIES	12u

static bool
is_done(const char *word)
{
	return strcmp(word, DONE) == 0;
}

/* A piece of src as an entry. */
static struct check_klm
piece(const struct check_bed *bed, uint32_t at)
{
	return (struct check_klm){
		.addr = check_src(bed, at),
		.key = bed->mr->lkey,
		.len = PIECE,
	};
}

/* Report whether the data is the expected piece of src, or what it is instead. */
static void
observe_piece(struct check_bed *bed, struct check_result *result, const char *word,
	      uint32_t src_at, const char *right)
{
	if (!is_done(word))
		check_observe(result, "%s", word);
	else
		check_observe(result, "%s", check_bed_is(bed, 0, src_at, PIECE) ?
						    right : "done, but with other bytes");
}

static void
stale_tail_run(struct check_bed *bed, struct check_result *result)
{
	const struct check_key_attr attr = { .nb_klm = 8 };
	struct check_key *key = check_key_create(bed, result, &attr);
	struct check_klm klms[8];
	struct check_umr umr = {
		.access = CHECK_ACCESS_ALL, .len = sizeof(klms) / sizeof(klms[0]) * PIECE,
		.klms = klms, .nb_klm = 4,
	};

	for (uint32_t i = 0; i < RTE_DIM(klms); i++)
		klms[i] = piece(bed, 2 * i * PIECE);
	if (key == NULL || !check_list(bed, result, key, klms, RTE_DIM(klms)))
		return;
	for (uint32_t i = 0; i < 4; i++)
		klms[i] = piece(bed, 8192 + 2 * i * PIECE);
	umr.key = key->key;
	umr.tag = (uint8_t)key->key;
	if (!check_configure(bed, result, &umr))
		return;
	observe_piece(bed, result, check_gather(bed, result, key->key, 6 * PIECE, PIECE),
		      2 * 6 * PIECE, "the old entries are followed");
}

static void
empty_entry_run(struct check_bed *bed, struct check_result *result)
{
	const struct check_key_attr attr = { .nb_klm = 4 };
	struct check_key *key = check_key_create(bed, result, &attr);
	struct check_klm klms[] = { piece(bed, 0), piece(bed, 4096), piece(bed, 8192) };

	klms[1].len = 0;
	if (key == NULL || !check_list(bed, result, key, klms, RTE_DIM(klms)))
		return;
	observe_piece(bed, result, check_gather(bed, result, key->key, PIECE, PIECE), 8192,
		      "skipped");
}

static void
entry_2g_run(struct check_bed *bed, struct check_result *result)
{
	const struct check_key_attr attr = { .nb_klm = 4 };
	struct check_key *key = check_key_create(bed, result, &attr);
	/* Memory beyond the region is not accessed. */
	struct check_klm klms[] = { piece(bed, 0), piece(bed, 8192) };

	klms[0].len = TWO_GIB;
	if (key == NULL || !check_list(bed, result, key, klms, RTE_DIM(klms)))
		return;
	observe_piece(bed, result, check_gather(bed, result, key->key, TWO_GIB, PIECE), 8192,
		      "2 GiB");
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
data_seg_zero_run(struct check_bed *bed, struct check_result *result)
{
	const char *word = check_gather(bed, result, bed->mr->lkey, check_src(bed, 0), 0);

	check_note(result, "%s", word);
	check_observe(result, "%s", is_too_long(word) ? "not empty" : word);
}

/* Create a key of one piece, and a key whose only entry is that key. */
static struct check_key *
nest_create(struct check_bed *bed, struct check_result *result, struct check_key **inner)
{
	const struct check_key_attr attr = { .nb_klm = 4 };
	struct check_klm klm = piece(bed, 4096);
	struct check_key *outer;

	*inner = check_key_create(bed, result, &attr);
	if (*inner == NULL || !check_list(bed, result, *inner, &klm, 1))
		return NULL;
	outer = check_key_create(bed, result, &attr);
	klm = (struct check_klm){ .key = (*inner)->key, .len = PIECE };
	if (outer == NULL || !check_list(bed, result, outer, &klm, 1))
		return NULL;
	return outer;
}

static void
dead_entry_run(struct check_bed *bed, struct check_result *result)
{
	struct check_key *inner, *outer = nest_create(bed, result, &inner);
	struct check_wqe wqe;
	const char *word;

	if (outer == NULL)
		return;
	check_wqe_inval(&wqe, inner->key);
	word = check_do(bed, result, &wqe);
	if (!is_done(word))
		check_observe(result, "invalidating: %s", word);
	else
		check_observe(result, "%s", check_gather(bed, result, outer->key, 0, PIECE));
}

static void
stale_entry_run(struct check_bed *bed, struct check_result *result)
{
	struct check_key *inner, *outer = nest_create(bed, result, &inner);
	const struct check_klm klm = piece(bed, 4096);
	struct check_wqe wqe;
	const char *word;

	if (outer == NULL)
		return;
	check_wqe_inval(&wqe, inner->key);
	word = check_do(bed, result, &wqe);
	if (!is_done(word)) {
		check_observe(result, "invalidating: %s", word);
		return;
	}
	/* The next generation of the same key. */
	inner->key++;
	if (check_list(bed, result, inner, &klm, 1))
		check_observe(result, "%s", check_gather(bed, result, outer->key, 0, PIECE));
}

static void
levels_run(struct check_bed *bed, struct check_result *result)
{
	const uint32_t max = (uint32_t)prm_get(bed->caps, PRM_CAP_MAX_INDIRECTION);
	const struct check_key_attr attr = { .nb_klm = 4 };
	struct check_klm klm = piece(bed, 4096);
	uint32_t nb = 0;

	check_note(result, "max_indirection %u", max);
	for (; nb <= max && nb < MAX_LEVELS; nb++) {
		struct check_key *key = check_key_create(bed, result, &attr);

		if (key == NULL || !check_list(bed, result, key, &klm, 1))
			return;
		if (!is_done(check_gather(bed, result, key->key, 0, PIECE)) ||
		    !check_bed_is(bed, 0, 4096, PIECE))
			break;
		klm = (struct check_klm){ .key = key->key, .len = PIECE };
	}
	if (nb == max || (max > MAX_LEVELS && nb == MAX_LEVELS))
		check_observe(result, "as many as max_indirection");
	else
		check_observe(result, "%s%u", nb > max ? "at least " : "", nb);
}

static void
beyond_run(struct check_bed *bed, struct check_result *result)
{
	const struct check_key_attr attr = { .nb_klm = 4 };
	struct check_key *key = check_key_create(bed, result, &attr);
	const struct check_klm klm = piece(bed, 0);
	struct check_umr umr = {
		.access = CHECK_ACCESS_ALL, .len = 4 * PIECE, .klms = &klm, .nb_klm = 1,
	};

	if (key == NULL)
		return;
	umr.key = key->key;
	umr.tag = (uint8_t)key->key;
	if (check_configure(bed, result, &umr))
		check_observe(result, "%s",
			      check_gather(bed, result, key->key, PIECE, PIECE));
}

static void
unchecked_run(struct check_bed *bed, struct check_result *result)
{
	const struct check_key_attr attr = { .nb_klm = 4 };
	struct check_key *key = check_key_create(bed, result, &attr);
	struct check_klm klm = piece(bed, 0);

	klm.addr += CHECK_SRC_SIZE + CHECK_OUT_SIZE;
	if (key != NULL && check_list(bed, result, key, &klm, 1))
		check_observe(result, "configured; its use: %s",
			      check_gather(bed, result, key->key, 0, PIECE));
}

static void
empty_key_run(struct check_bed *bed, struct check_result *result)
{
	const struct check_key_attr attr = { .nb_klm = 4 };
	struct check_key *key = check_key_create(bed, result, &attr);
	const struct check_klm klm = piece(bed, 0);
	struct check_umr umr = { .access = CHECK_ACCESS_ALL, .klms = &klm, .nb_klm = 1 };

	if (key == NULL)
		return;
	umr.key = key->key;
	umr.tag = (uint8_t)key->key;
	if (check_configure(bed, result, &umr))
		check_observe(result, "%s", check_gather(bed, result, key->key, 0, 1));
}

static void
ksm_address_run(struct check_bed *bed, struct check_result *result)
{
	const struct check_key_attr attr = {
		.nb_klm = 4, .log_entry = PRM_ADAPTER_PAGE_SHIFT,
	};
	struct check_klm klms[] = { piece(bed, 8192), piece(bed, 512) };
	struct check_key *key;

	if (prm_get(bed->caps, PRM_CAP_FIXED_BUFFER_SIZE) == 0) {
		check_lacks(result, "fixed_buffer_size");
		return;
	}
	key = check_key_create(bed, result, &attr);
	klms[0].len = klms[1].len = PRM_ADAPTER_PAGE_SIZE;
	if (key == NULL || !check_list(bed, result, key, klms, RTE_DIM(klms)))
		return;
	observe_piece(bed, result,
		      check_gather(bed, result, key->key, PRM_ADAPTER_PAGE_SIZE + 100, PIECE),
		      512 + 100, "followed from where it says");
}

/*
 * Encode a repetition as entries; its header takes the place of one (mlx5dv.h, repeat_block_seg).
 */
static void
repeat_make(struct check_bed *bed, struct check_klm klms[2], uint32_t nb_repeat, uint16_t stride)
{
	klms[0] = (struct check_klm){
		.len = PIECE, .key = PRM_UMR_REPEAT_BLOCK_OP,
		.addr = (uint64_t)nb_repeat << 32 | 1,
	};
	klms[1] = (struct check_klm){
		.len = (uint32_t)stride << 16 | PIECE, .key = bed->mr->lkey,
		.addr = check_src(bed, 0),
	};
}

/* @return NULL: the result has the reason. */
static struct check_key *
repeat_create(struct check_bed *bed, struct check_result *result, uint32_t nb_repeat,
	      uint16_t stride, uint64_t len)
{
	const struct check_key_attr attr = { .nb_klm = 4 };
	struct check_klm klms[2];
	struct check_umr umr = {
		.access = CHECK_ACCESS_ALL, .len = len, .klms = klms, .nb_klm = RTE_DIM(klms),
	};
	struct check_key *key;

	if (prm_get(bed->caps, PRM_CAP_REPEATED_BLOCK_DISABLED) != 0) {
		check_lacks(result, "repeated_block_disabled is set");
		return NULL;
	}
	key = check_key_create(bed, result, &attr);
	if (key == NULL)
		return NULL;
	repeat_make(bed, klms, nb_repeat, stride);
	umr.key = key->key;
	umr.tag = (uint8_t)key->key;
	return check_configure(bed, result, &umr) ? key : NULL;
}

static void
repeat_beyond_run(struct check_bed *bed, struct check_result *result)
{
	struct check_key *key = repeat_create(bed, result, 2, 256, 3 * PIECE);

	if (key != NULL)
		check_observe(result, "%s",
			      check_gather(bed, result, key->key, 2 * PIECE, PIECE));
}

static void
repeat_stride_run(struct check_bed *bed, struct check_result *result)
{
	/* The second repetition is in the memory after src. */
	const uint32_t out_at = 8192;
	struct check_key *key = repeat_create(bed, result, 2, CHECK_SRC_SIZE + out_at, 2 * PIECE);
	struct check_wqe wqe;

	if (key == NULL)
		return;
	check_bed_blank(bed);
	memcpy(bed->out + out_at, bed->src + 512, PIECE);
	check_wqe_init(&wqe, MLX5_OPCODE_RDMA_WRITE, bed->fence);
	check_wqe_add_raddr(&wqe, bed->mr->rkey, check_out(bed, 0));
	check_wqe_add_data(&wqe, key->key, PIECE, PIECE);
	observe_piece(bed, result, check_do(bed, result, &wqe), 512, "16 bits without a sign");
}

static void
pointer_align_run(struct check_bed *bed, struct check_result *result)
{
	const struct check_key_attr attr = { .nb_klm = 4 };
	struct check_key *key = check_key_create(bed, result, &attr);
	const struct check_klm klms[4] = { piece(bed, 0), piece(bed, 512) };
	struct check_umr umr = {
		.access = CHECK_ACCESS_ALL, .len = 2 * PIECE, .klms = klms, .nb_klm = 4,
		.list_lkey = bed->mr->lkey, .list_addr = check_out(bed, 1024 + 64),
	};
	struct check_wqe wqe;

	if (key == NULL)
		return;
	umr.key = key->key;
	umr.tag = (uint8_t)key->key;
	check_klms_write(bed->out + 1024 + 64, klms, 4);
	check_wqe_umr(&wqe, &umr);
	check_observe(result, "%s", check_do(bed, result, &wqe));
}

/* Report as digits which list each entry belongs to. */
static void
observe_window(struct check_bed *bed, struct check_result *result, const char *word)
{
	char digits[NB_ENTRIES + 1] = "";

	for (uint32_t i = 0; i < NB_ENTRIES; i++) {
		digits[i] = '?';
		if (check_bed_is(bed, i * PIECE, 2 * i * PIECE, PIECE))
			digits[i] = '1';
		else if (check_bed_is(bed, i * PIECE, 8192 + 2 * (i % 4) * PIECE, PIECE))
			digits[i] = '2';
	}
	check_observe(result, "%s", is_done(word) ? digits : word);
}

static void
update_window_run(struct check_bed *bed, struct check_result *result)
{
	const struct check_key_attr attr = { .nb_klm = NB_ENTRIES };
	struct check_key *key = check_key_create(bed, result, &attr);
	struct check_klm klms[NB_ENTRIES];
	struct check_umr umr = {
		.flags = MLX5_WQE_UMR_CTRL_FLAG_TRNSLATION_OFFSET | PRM_UMR_FLAG_CHECK_NOT_FREE,
		.mask = MLX5_WQE_UMR_CTRL_MKEY_MASK_LEN, .len = NB_ENTRIES * PIECE,
		.klms = klms, .nb_klm = 4, .first = 4,
	};

	for (uint32_t i = 0; i < NB_ENTRIES; i++)
		klms[i] = piece(bed, 2 * i * PIECE);
	if (key == NULL || !check_list(bed, result, key, klms, NB_ENTRIES))
		return;
	for (uint32_t i = 0; i < 4; i++)
		klms[i] = piece(bed, 8192 + 2 * i * PIECE);
	umr.key = key->key;
	umr.tag = (uint8_t)key->key;
	if (check_configure(bed, result, &umr))
		observe_window(bed, result, check_gather(bed, result, key->key, 0,
							 NB_ENTRIES * PIECE));
}

static void
relaxed_run(struct check_bed *bed, struct check_result *result)
{
	const struct check_key_attr attr = { .nb_klm = 4 };
	const struct check_klm klm = piece(bed, 4096);
	struct check_umr umr = {
		.access = CHECK_ACCESS_ALL, .len = PIECE, .klms = &klm, .nb_klm = 1,
		.has_relaxed = true,
	};
	struct check_key *key;

	if (prm_get(bed->caps, PRM_CAP_RELAXED_ORDERING_WRITE_UMR) == 0) {
		check_lacks(result, "relaxed_ordering_write_umr");
		return;
	}
	key = check_key_create(bed, result, &attr);
	if (key == NULL)
		return;
	umr.key = key->key;
	umr.tag = (uint8_t)key->key;
	if (check_configure(bed, result, &umr))
		observe_piece(bed, result, check_gather(bed, result, key->key, 0, PIECE), 4096,
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
odp_run(struct check_bed *bed, struct check_result *result)
{
	const struct check_key_attr attr = { .nb_klm = 4 };
	struct check_klm klm = piece(bed, 4096);
	struct check_key *key;
	struct ibv_mr *mr;

	if (!has_odp(bed)) {
		check_lacks(result, "on-demand paging of RC");
		return;
	}
	mr = ibv_reg_mr(bed->pd, bed->src, CHECK_SRC_SIZE,
			IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_ON_DEMAND);
	if (mr == NULL) {
		check_break(result, "ibv_reg_mr: %s", strerror(errno));
		return;
	}
	key = check_key_create(bed, result, &attr);
	klm.key = mr->lkey;
	if (key != NULL && check_list(bed, result, key, &klm, 1))
		observe_piece(bed, result, check_gather(bed, result, key->key, 0, PIECE), 4096,
			      "followed");
	ibv_dereg_mr(mr);
}

static const struct check checks[] = {
	{ "list-stale-tail", "A shorter list does not change the entries after it.",
	  "rte_umr_mkey_update(), keys that grow", "the old entries are followed", stale_tail_run },
	{ "list-empty-entry", "The device skips entries of 0 bytes, which pad lists.",
	  "every list whose number of entries is not a multiple of four", "skipped",
	  empty_entry_run },
	{ "list-2g-entry", "The length of an entry has 32 bits: 0x80000000 is 2 GiB.",
	  "max_entry_len", "2 GiB", entry_2g_run },
	{ "data-segment-zero", "A data segment of length 0 means 2 GiB.",
	  "transfers of 0 bytes have no data segment", "not empty", data_seg_zero_run },
	{ "list-dead-entry", "A transfer through an entry with a free key fails.",
	  "rte_umr_mkey_invalidate() of a key below another", "local-protection", dead_entry_run },
	{ "list-stale-entry", "The device compares the tag of a key in an entry.",
	  "reuse of keys below other keys", "local-protection", stale_entry_run },
	{ "list-levels",
	  "Nested lists work to max_indirection levels, without the regions below the last one.",
	  "max_nesting, RTE_UMR_CAPA_MKEY_NESTED", "as many as max_indirection", levels_run },
	{ "list-too-short",
	  "A transfer past the end of a list that is shorter than its key fails there.",
	  "bounds of keys", "local-protection", beyond_run },
	{ "list-unchecked",
	  "The device checks entries when a transfer uses them, not when a UMR writes them.",
	  "layouts above keys that are configured later; memory windows",
	  "configured; its use: local-protection", unchecked_run },
	{ "key-of-length-zero", "No byte is accessible through a key of length 0.",
	  "keys without layout", "local-protection", empty_key_run },
	{ "entry-size-address", "An entry of fixed size may start at any address.",
	  "RTE_UMR_CAPA_MKEY_FIXED, min_log_entry_size", "followed from where it says",
	  ksm_address_run },
	{ "repeat-too-short", "A transfer past the last repetition fails.",
	  "bounds of interleaved keys", "local-protection", repeat_beyond_run },
	{ "repeat-stride", "The stride of a repetition is an unsigned 16-bit number.",
	  "max_interleaved_stride", "16 bits without a sign", repeat_stride_run },
	{ "list-pointer-align", "A list in memory must be aligned to 2 KiB.",
	  "memory for long lists, at least 2 KiB each", "local-qp-op", pointer_align_run },
	{ "update-window",
	  "A translation offset counts entries; entries outside the update are unchanged.",
	  "rte_umr_mkey_update()", "111122221111", update_window_run },
	{ "list-relaxed", "A UMR may set relaxed ordering, also of lists.",
	  "RTE_UMR_ACCESS_RELAXED_ORDERING of keys", "accepted, and its data are right",
	  relaxed_run },
	{ "list-odp", "An entry may refer to a region with on-demand paging.",
	  "RTE_UMR_CAPA_MR_ODP below keys", "followed", odp_run },
};

const struct check_theme check_layout = { "layouts", checks, RTE_DIM(checks) };
