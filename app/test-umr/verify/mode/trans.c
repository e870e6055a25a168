/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Keys with transaction signatures: one CRC32C over all data, in memory or on the wire, in one or
 * several transfers, compared with scalar code. rte_umr_mkey_check() must report damage once, and
 * again after the key was rearmed.
 *
 * Here, ranges count bytes of the wire domain and start at the first byte.
 */

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "model/oracle.h"
#include "model/sig_ref.h"
#include "verify/bed/keys.h"
#include "verify/bed/layout.h"
#include "verify/bed/sig.h"
#include "verify/mode/modes.h"

/* The CRC is computed bit by bit. */
#define TRANS_MAX_TOTAL	(24u << 10)
#define TRANS_FIELD	4u
#define TRANS_MAX_FLIPS	2u

static const struct verify_way ways[] = {
	VERIFY_SIG_WAYS,
	/* A shorter one. */
	{ "another layout is overridden",
	  { VERIFY_STEP_ALL, VERIFY_STEP_PLAIN | VERIFY_STEP_OTHER, VERIFY_STEP_PLAIN } },
};

/* Invalid configuration, which must be rejected. */
enum trans_rejection {
	TRANS_REJECT_BLOCK,
	TRANS_REJECT_TYPE,
	TRANS_REJECT_BOTH,
	TRANS_REJECT_MIXED,
	TRANS_REJECT_MASK,
	TRANS_REJECT_COPY,
	TRANS_NB_REJECTIONS,
};

static const struct verify_rejection rejections[TRANS_NB_REJECTIONS] = {
	[TRANS_REJECT_BLOCK] = { "a transaction of blocks", -EINVAL },
	[TRANS_REJECT_TYPE] = { "a transaction with a CRC64", -ENOTSUP },
	[TRANS_REJECT_BOTH] = { "transactions in both domains", -ENOTSUP },
	[TRANS_REJECT_MIXED] = { "a transaction beside blocks", -ENOTSUP },
	[TRANS_REJECT_MASK] = { "a part of the field to be checked", -EINVAL },
	[TRANS_REJECT_COPY] = { "a copy of a transaction", -EINVAL },
};

struct trans_case {
	struct verify_move move;
	struct layout layout;
	struct rte_umr_sig sig;
	bool is_wire;		/* domain of the field */
	uint32_t data_len;
	uint32_t nb_flips;	/* flipped bits of the source, field included */
	uint32_t flips[TRANS_MAX_FLIPS];
	uint32_t way;		/* in ways */
	bool has_rejection;
	enum trans_rejection rejection;
	uint32_t nb_rounds;	/* transfers, each after a configuration */
};

/* State of a running case. */
struct trans_run {
	const struct trans_case *tc;
	struct rte_umr_mkey *mkey;
	uint32_t round;
	bool is_started;	/* memory has been prepared */
	const uint8_t *noise;	/* data of the source */
	uint32_t there;		/* the field of the source */
	uint32_t computed;	/* its correct value */
};

static const struct rte_umr_sig_domain *
domain_of(const struct trans_case *tc)
{
	return tc->is_wire ? &tc->sig.wire : &tc->sig.mem;
}

/* Size of the key on the wire and in memory. */
static uint32_t
wire_len(const struct trans_case *tc)
{
	return tc->data_len + (tc->is_wire ? TRANS_FIELD : 0);
}

static uint32_t
mem_len(const struct trans_case *tc)
{
	return tc->data_len + (tc->is_wire ? 0 : TRANS_FIELD);
}

/* Whether the source domain has the field. */
static bool
is_checked(const struct trans_case *tc)
{
	return tc->is_wire == verify_move_is_scatter(&tc->move);
}

/* Whether the transfer includes the field. */
static bool
has_field(const struct trans_case *tc)
{
	return tc->move.len == wire_len(tc);
}

/* Choose all of the wire bytes or fewer, in parts; the last part may be the field alone. */
static void
trans_range_gen(struct trans_case *tc, struct prng *prng)
{
	struct verify_move *move = &tc->move;
	uint32_t at = 0;

	move->len = wire_len(tc);
	if (prng_one_in(prng, 4))
		move->len = prng_between(prng, 1, tc->data_len);
	move->is_in_turn = true;
	while (move->nb_parts < VERIFY_MOVE_MAX_PARTS - 2 && prng_one_in(prng, 2)) {
		at = (uint32_t)prng_between(prng, at + 1, tc->data_len);
		if (at >= move->len)
			break;
		move->part_ends[move->nb_parts++] = at;
		if (at == tc->data_len)
			break;
	}
	if (tc->is_wire && has_field(tc) && at < tc->data_len && prng_one_in(prng, 4))
		move->part_ends[move->nb_parts++] = tc->data_len;
	move->part_ends[move->nb_parts++] = move->len;
}

/* One transfer in sixteen must fail: it ends beyond the key or within the field. */
static void
trans_trouble_gen(struct trans_case *tc, struct prng *prng)
{
	struct verify_move *move = &tc->move;

	if (!prng_one_in(prng, 16))
		return;
	move->has_error = true;
	move->len = wire_len(tc) + 1;
	if (tc->is_wire && prng_one_in(prng, 2))
		move->len = wire_len(tc) - prng_between(prng, 1, TRANS_FIELD - 1);
	verify_move_one_part(move);
	tc->nb_rounds = 1;
}

static void
trans_gen(void *what, const struct verify_env *env, struct prng *prng)
{
	struct trans_case *tc = what;
	const struct rte_umr_dev_info *info = verify_move_gen_path(&tc->move, env->bed, prng);
	struct layout_gen_conf conf;
	struct rte_umr_sig_domain domain = {
		.type = RTE_UMR_SIG_CRC32C, .flags = RTE_UMR_SIG_DOMAIN_F_TRANSACTION,
	};

	domain.flags |= prng_one_in(prng, 2) ? RTE_UMR_SIG_DOMAIN_F_SEED_ONES : 0;
	tc->is_wire = prng_one_in(prng, 2);
	tc->sig.check_mask = prng_one_in(prng, 2) ? UINT8_MAX : RTE_UMR_SIG_MASK_CRC32;
	if (tc->is_wire)
		tc->sig.wire = domain;
	else
		tc->sig.mem = domain;
	conf = verify_gen_conf_long(info, prng, TRANS_MAX_TOTAL);
	do {
		layout_gen(prng, &conf, true, &tc->layout);
	} while (oracle_len(&tc->layout) <= TRANS_FIELD);
	tc->data_len = (uint32_t)oracle_len(&tc->layout) - (tc->is_wire ? 0 : TRANS_FIELD);
	tc->way = (uint32_t)prng_between(prng, 0, RTE_DIM(ways) - 1);
	tc->nb_rounds = prng_one_in(prng, 3) ? 2 : 1;
	tc->has_rejection = prng_one_in(prng, 8);
	tc->rejection = (enum trans_rejection)prng_between(prng, 0, TRANS_NB_REJECTIONS - 1);
	tc->nb_flips = (uint32_t)prng_between(prng, 0, TRANS_MAX_FLIPS);
	for (uint32_t i = 0; i < tc->nb_flips; i++)
		tc->flips[i] = (uint32_t)prng_between(prng, 0,
						      (tc->data_len + TRANS_FIELD) * 8 - 1);
	trans_range_gen(tc, prng);
	trans_trouble_gen(tc, prng);
	tc->move.flat_offset = (uint32_t)prng_between(prng, BED_GUARD,
						      BED_FLAT_SIZE - BED_GUARD - tc->move.len);
	tc->move.noise_offset = (uint32_t)prng_between(prng, 0, VERIFY_NOISE_SIZE -
								TRANS_MAX_TOTAL - TRANS_FIELD);
}

static void
trans_print(FILE *f, const char *prefix, const void *what)
{
	const struct trans_case *tc = what;

	verify_move_print(f, prefix, &tc->move);
	fprintf(f, "%sCRC32C %s over %u bytes, seed of %s, check mask 0x%02x\n", prefix,
		tc->is_wire ? "on the wire" : "in memory", tc->data_len,
		(domain_of(tc)->flags & RTE_UMR_SIG_DOMAIN_F_SEED_ONES) != 0 ? "ones" : "zeros",
		tc->sig.check_mask);
	fprintf(f, "%s%s; %u transfers\n", prefix, ways[tc->way].name, tc->nb_rounds);
	for (uint32_t i = 0; is_checked(tc) && i < tc->nb_flips; i++)
		fprintf(f, "%sbyte %u: bit %u is flipped\n", prefix, tc->flips[i] / 8,
			tc->flips[i] % 8);
	if (tc->has_rejection)
		verify_rejection_print(f, prefix, rejections[tc->rejection].name);
	if (tc->move.has_error)
		fprintf(f, "%sthe transfer ends where none can, so it must fail\n", prefix);
	layout_print(f, prefix, &tc->layout);
}

static uint32_t
field_get(const uint8_t *field)
{
	return field[0] | field[1] << 8 | field[2] << 16 | (uint32_t)field[3] << 24;
}

/* Make data with a valid source field, then damage; the expected error is stored in run. */
static void
source_make(struct trans_run *run, const uint8_t *noise, uint8_t *out)
{
	const struct trans_case *tc = run->tc;
	uint8_t good[TRANS_FIELD];

	memcpy(out, noise, tc->data_len);
	sig_ref_trans(domain_of(tc), out, tc->data_len, out + tc->data_len);
	if (!is_checked(tc))
		return;
	for (uint32_t i = 0; i < tc->nb_flips; i++)
		out[tc->flips[i] / 8] ^= (uint8_t)(1u << tc->flips[i] % 8);
	sig_ref_trans(domain_of(tc), out, tc->data_len, good);
	run->there = field_get(out + tc->data_len);
	run->computed = field_get(good);
}

/* Contents of the key after the transfer. */
static uint8_t mem_after[TRANS_MAX_TOTAL];

/* Compute the wire bytes from memory. */
static void
view_gather(const void *arg, const uint8_t *arena, uint64_t from, uint64_t len, uint8_t *out)
{
	const struct trans_run *run = arg;
	const struct trans_case *tc = run->tc;
	static uint8_t mem[TRANS_MAX_TOTAL + TRANS_FIELD];

	(void)from;
	if (run->is_started) {
		oracle_gather(&tc->layout, arena, 0, mem_len(tc), mem_after);
		return;
	}
	if (tc->move.has_error) {
		memset(out, 0x5a, len);
		return;
	}
	oracle_gather(&tc->layout, arena, 0, mem_len(tc), mem);
	if (tc->is_wire)
		sig_ref_trans(domain_of(tc), mem, tc->data_len, mem + tc->data_len);
	memcpy(out, mem, len);
}

/* Compute the memory contents; a source in memory gets its data. */
static void
view_scatter(const void *arg, uint8_t *arena, uint64_t from, uint64_t len, const uint8_t *in)
{
	struct trans_run *run = (struct trans_run *)(uintptr_t)arg;
	const struct trans_case *tc = run->tc;
	static uint8_t mem[TRANS_MAX_TOTAL + TRANS_FIELD];

	(void)from;
	if (run->is_started) {
		oracle_scatter(&tc->layout, arena, 0, mem_len(tc), mem_after);
		return;
	}
	if (tc->move.has_error)
		return;
	if (!verify_move_is_scatter(&tc->move)) {
		source_make(run, run->noise, mem);
		oracle_scatter(&tc->layout, arena, 0, mem_len(tc), mem);
		return;
	}
	len = RTE_MIN(len, tc->data_len);
	memcpy(mem, in, len);
	if (!tc->is_wire && len == tc->data_len) {
		sig_ref_trans(domain_of(tc), mem, tc->data_len, mem + len);
		len += TRANS_FIELD;
	}
	oracle_scatter(&tc->layout, arena, 0, len, mem);
}

static bool
key_reject(const struct trans_run *run, struct verify_ops *ops)
{
	struct rte_umr_sig sig = run->tc->sig;
	const struct rte_umr_mkey_op conf = { .setters = RTE_UMR_MKEY_SET_SIG, .sig = &sig };
	struct rte_umr_sig_domain *domain = run->tc->is_wire ? &sig.wire : &sig.mem;
	struct rte_umr_sig_domain *other = run->tc->is_wire ? &sig.mem : &sig.wire;

	switch (run->tc->rejection) {
	case TRANS_REJECT_BLOCK:
		domain->block_size = 4096;
		break;
	case TRANS_REJECT_TYPE:
		domain->type = RTE_UMR_SIG_CRC64_XP10;
		break;
	case TRANS_REJECT_BOTH:
		*other = *domain;
		break;
	case TRANS_REJECT_MIXED:
		other->type = RTE_UMR_SIG_CRC32;
		other->block_size = 512;
		break;
	case TRANS_REJECT_MASK:
		sig.check_mask = 0x70;
		break;
	default:
		sig.flags = RTE_UMR_SIG_F_COPY_MASK;
		break;
	}
	return verify_conf_rejected(ops, run->mkey, &conf, &rejections[run->tc->rejection]);
}

/* Invert each byte of the field that will be written to memory. */
static void
field_invert(const struct trans_run *run, const struct bed_area *area)
{
	const struct trans_case *tc = run->tc;
	uint8_t field[TRANS_FIELD];

	if (tc->is_wire || tc->move.has_error || !verify_move_is_scatter(&tc->move))
		return;
	oracle_gather(&tc->layout, area->expected, tc->data_len, TRANS_FIELD, field);
	for (uint32_t i = 0; has_field(tc) && i < TRANS_FIELD; i++)
		field[i] = (uint8_t)~field[i];
	oracle_scatter(&tc->layout, area->memory, tc->data_len, TRANS_FIELD, field);
}

static bool
key_make(const void *arg, struct verify_ops *ops)
{
	static const struct rte_umr_mkey_op nothing = { 0 };
	struct trans_run *run = (struct trans_run *)(uintptr_t)arg;

	field_invert(run, &ops->side->layout);
	run->is_started = true;
	if (run->round != 0)
		return verify_conf_add(ops, run->mkey, &nothing);
	if (run->tc->has_rejection && !key_reject(run, ops))
		return false;
	return verify_sig_configure(&ways[run->tc->way], ops, run->mkey, &run->tc->layout,
				    &run->tc->sig, run->tc->move.access);
}

/* Expected error of the key. */
static struct rte_umr_mkey_error
error_of(const struct trans_run *run)
{
	const struct trans_case *tc = run->tc;

	if (!is_checked(tc) || !has_field(tc) || tc->move.has_error || run->there == run->computed)
		return (struct rte_umr_mkey_error){ .type = RTE_UMR_MKEY_ERROR_NONE };
	return (struct rte_umr_mkey_error){
		.type = RTE_UMR_MKEY_ERROR_GUARD, .is_wire = tc->is_wire,
		.expected = run->there, .actual = run->computed,
	};
}

static void
trans_run(const void *what, const struct verify_env *env, struct case_result *result)
{
	const struct trans_case *tc = what;
	const struct bed_side *side = verify_move_key_end(&tc->move)->side;
	struct trans_run run = { .tc = tc, .mkey = verify_key_get(env, side, result) };
	const struct verify_view view = { &run, tc->move.len, view_gather, view_scatter,
					  oracle_find, &tc->layout };
	struct verify_steps steps = { .before = key_make, .arg = &run };
	static uint8_t source[TRANS_MAX_TOTAL + 2 * TRANS_FIELD];
	struct verify_move move = tc->move;
	struct rte_umr_mkey_error error;

	if (run.mkey == NULL)
		return;
	run.noise = env->noise + tc->move.noise_offset;
	source_make(&run, run.noise, source);
	error = error_of(&run);
	move.noise_offset = 0;
	steps.key = run.mkey->key;
	for (; run.round < tc->nb_rounds && result->outcome == CASE_PASSED; run.round++) {
		run.is_started = false;
		verify_move_run(&move, &view, &steps, source, result);
		if (result->outcome == CASE_PASSED)
			verify_sig_compare(run.mkey, &move, run.round, &error, result);
	}
	rte_umr_mkey_put(verify_pool_of(env, side), run.mkey);
}

static bool
trans_is_supported(const struct rte_umr_dev_info *info, char *why)
{
	if ((info->sig_trans_types & RTE_BIT32(RTE_UMR_SIG_CRC32C)) != 0)
		return true;
	snprintf(why, VERIFY_LACK_SIZE, "transaction signatures with a CRC32C");
	return false;
}

const struct verify_mode verify_mode_trans = {
	.name = "trans",
	.summary = "layouts with a CRC32C over all data, and signature errors",
	.capa = RTE_UMR_CAPA_MKEY_SIG | RTE_UMR_CAPA_MKEY_CONFIGURE,
	.bed_conf = &sig_bed_conf,
	.case_size = sizeof(struct trans_case),
	.pools = { VERIFY_SIG_POOL },
	.is_supported = trans_is_supported,
	.gen = trans_gen,
	.run = trans_run,
	.print = trans_print,
};
