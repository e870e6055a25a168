/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Keys with encryption and any layout. Data in flight and at rest is compared with AES-XTS of
 * OpenSSL, in both directions.
 */

#include <errno.h>
#include <inttypes.h>

#include <rte_errno.h>

#include "model/oracle.h"
#include "verify/bed/crypto.h"
#include "verify/bed/keys.h"
#include "verify/bed/layout.h"
#include "verify/mode/modes.h"

static const struct verify_way ways[] = {
	{ "encryption and layout at once", { VERIFY_STEP_ALL } },
	{ "encryption, then layout", { RTE_UMR_MKEY_SET_CRYPTO, VERIFY_STEP_PLAIN } },
	{ "layout, then encryption", { VERIFY_STEP_PLAIN, RTE_UMR_MKEY_SET_CRYPTO } },
	{ "another encryption is overridden",
	  { RTE_UMR_MKEY_SET_CRYPTO | VERIFY_STEP_OTHER, VERIFY_STEP_ALL } },
	{ "invalidated, and configured without a setter",
	  { VERIFY_STEP_ALL, VERIFY_STEP_INVALIDATE, VERIFY_STEP_NOTHING } },
};

/* Reason why the transfer fails. */
enum crypto_error {
	CRYPTO_NO_ERROR,
	CRYPTO_BAD_JOB,		/* its length is invalid */
	CRYPTO_BAD_START,	/* it does not start at a data unit */
	CRYPTO_BAD_KEYTAG,	/* the key has another tag than the DEK */
	CRYPTO_NEVER_SET,	/* a newly taken key has no encryption */
	CRYPTO_DEK_GONE,	/* the DEK is destroyed before the transfer */
	CRYPTO_NB_ERRORS,
};

static const char *const error_names[CRYPTO_NB_ERRORS] = {
	[CRYPTO_BAD_JOB] = "is not as long as data units and blocks",
	[CRYPTO_BAD_START] = "does not begin at a data unit",
	[CRYPTO_BAD_KEYTAG] = "has a key with another tag than its DEK",
	[CRYPTO_NEVER_SET] = "has a key without encryption",
	[CRYPTO_DEK_GONE] = "has a key whose DEK is gone",
};

/* Invalid configuration, which must be rejected. */
enum crypto_rejection {
	CRYPTO_REJECT_NULL,
	CRYPTO_REJECT_NO_DEK,
	CRYPTO_REJECT_UNIT,
	CRYPTO_REJECT_STANDARD,
	CRYPTO_REJECT_ORDER,
	CRYPTO_REJECT_RESERVED,
	CRYPTO_REJECT_LENGTH,		/* exceeds a BSF or a device of single units */
	CRYPTO_REJECT_PLAIN_KEY,	/* a key of a pool without encryption */
	CRYPTO_REJECT_OTHER_DEVICE,	/* DEK of another device, if any */
	CRYPTO_NB_REJECTIONS,
};

static const struct verify_rejection rejections[CRYPTO_NB_REJECTIONS] = {
	[CRYPTO_REJECT_NULL] = { "no encryption to set", -EINVAL },
	[CRYPTO_REJECT_NO_DEK] = { "no DEK", -EINVAL },
	[CRYPTO_REJECT_UNIT] = { "a data unit of 1024", -EINVAL },
	[CRYPTO_REJECT_STANDARD] = { "an unknown standard", -EINVAL },
	[CRYPTO_REJECT_ORDER] = { "an unknown order", -EINVAL },
	[CRYPTO_REJECT_RESERVED] = { "a reserved field", -EINVAL },
	[CRYPTO_REJECT_LENGTH] = { "a key that is too long to be encrypted", -ERANGE },
	[CRYPTO_REJECT_PLAIN_KEY] = { "encryption of a plain key", -ENOTSUP },
	[CRYPTO_REJECT_OTHER_DEVICE] = { "a DEK of another device", -EXDEV },
};

struct crypto_case {
	struct verify_move move;
	struct layout layout;
	uint64_t total;		/* used bytes of the key */
	struct crypto_choice choice;
	uint32_t way;		/* in ways */
	enum crypto_error error;
	bool has_rejection;
	enum crypto_rejection rejection;
};

/* State of a running case. */
struct crypto_run {
	const struct crypto_case *cc;
	const struct verify_env *env;
	struct crypto_side *side;
	struct rte_umr_mkey *mkey;
	struct crypto_dek own_dek;	/* CRYPTO_DEK_GONE */
};

/* Generate a layout of at least one cipher block. */
static uint64_t
crypto_layout_gen(struct prng *prng, const struct layout_gen_conf *conf, bool is_disjoint,
		  uint32_t unit, struct layout *layout)
{
	uint64_t total;

	do {
		layout_gen(prng, conf, is_disjoint, layout);
		total = crypto_job_fit(oracle_len(layout), unit);
	} while (total == 0);
	return total;
}

/* Choose whole data units to skip, and a valid length after them. */
static void
crypto_range_gen(struct crypto_case *cc, struct prng *prng)
{
	const uint32_t unit = cc->choice.unit;
	struct verify_move *move = &cc->move;
	uint64_t nb_units, rest;

	nb_units = cc->total / unit;
	move->from = prng_one_in(prng, 3) ? 0 : prng_between(prng, 0, nb_units) * unit;
	if (cc->total - move->from < CRYPTO_BLOCK)
		move->from = 0;
	rest = cc->total - move->from;
	move->len = crypto_job_fit(prng_one_in(prng, 3) ? rest : prng_between(prng, 1, rest), unit);
	if (move->len == 0)
		move->len = CRYPTO_BLOCK;
	nb_units = move->len / unit;
	move->nb_parts = 1;
	while (move->nb_parts < VERIFY_MOVE_MAX_PARTS && nb_units > move->nb_parts &&
	       crypto_is_job(move->len - (uint64_t)move->nb_parts * unit, unit) &&
	       prng_one_in(prng, 2)) {
		move->part_ends[move->nb_parts - 1] = (uint64_t)move->nb_parts * unit;
		move->nb_parts++;
	}
	move->part_ends[move->nb_parts - 1] = move->len;
	verify_move_gen_places(move, prng);
}

/* One transfer in sixteen must fail; one case in eight tries an invalid configuration first. */
static void
crypto_trouble_gen(struct crypto_case *cc, struct prng *prng)
{
	cc->has_rejection = prng_one_in(prng, 8);
	cc->rejection = (enum crypto_rejection)prng_between(prng, 0, CRYPTO_NB_REJECTIONS - 1);
	if (!prng_one_in(prng, 16))
		return;
	cc->error = (enum crypto_error)prng_between(prng, CRYPTO_NO_ERROR + 1,
						    CRYPTO_NB_ERRORS - 1);
	cc->move.has_error = true;
	cc->move.nb_parts = 1;
	if (cc->error == CRYPTO_BAD_KEYTAG)
		cc->choice.dek |= 2;	/* one that has a tag */
	if (cc->error == CRYPTO_BAD_JOB)
		cc->move.len = crypto_is_job(cc->move.len - 1, cc->choice.unit) ?
				       cc->move.len - 2 : cc->move.len - 1;
	if (cc->error == CRYPTO_BAD_START) {
		cc->move.from = 1 + prng_between(prng, 0, RTE_MIN(cc->total, cc->choice.unit) - 2);
		cc->move.len = 1;
	}
	cc->move.part_ends[0] = cc->move.len;
	cc->way = 0;
}

static void
crypto_gen(void *vc, const struct verify_env *env, struct prng *prng)
{
	struct crypto_case *cc = vc;
	const struct rte_umr_dev_info *info = verify_move_gen_path(&cc->move, env->bed, prng);
	struct layout_gen_conf conf;

	crypto_choice_gen(&cc->choice, info, prng);
	/* The BSF of the encryption uses the space of four entries. */
	conf = verify_gen_conf_long(info, prng, BED_MAX_TOTAL);
	if ((info->dev_capa & RTE_UMR_CAPA_CRYPTO_MULTI_UNIT) == 0)
		conf.max_total = cc->choice.unit;
	cc->total = crypto_layout_gen(prng, &conf, verify_move_is_scatter(&cc->move),
				      cc->choice.unit, &cc->layout);
	cc->way = (uint32_t)prng_between(prng, 0, RTE_DIM(ways) - 1);
	crypto_range_gen(cc, prng);
	crypto_trouble_gen(cc, prng);
}

static void
crypto_print(FILE *f, const char *prefix, const void *what)
{
	const struct crypto_case *cc = what;

	verify_move_print(f, prefix, &cc->move);
	fprintf(f, "%s", prefix);
	crypto_choice_print(f, &cc->choice);
	fprintf(f, "; %s\n", ways[cc->way].name);
	if (cc->has_rejection)
		verify_rejection_print(f, prefix, rejections[cc->rejection].name);
	if (cc->error != CRYPTO_NO_ERROR)
		fprintf(f, "%sthe transfer %s, so it must fail\n", prefix, error_names[cc->error]);
	layout_print(f, prefix, &cc->layout);
}

static struct rte_umr_crypto
crypto_of(const struct crypto_run *run)
{
	struct rte_umr_crypto crypto = crypto_conf(run->side, &run->cc->choice);

	if (run->cc->error == CRYPTO_BAD_KEYTAG)
		crypto.keytag[run->cc->choice.tweak[0] % RTE_UMR_KEYTAG_LEN] ^= 1;
	if (run->cc->error == CRYPTO_DEK_GONE)
		crypto.dek = run->own_dek.dek;
	return crypto;
}

static bool
key_configure(const struct crypto_run *run, struct verify_ops *ops)
{
	static const struct verify_way never_set = { .steps = { VERIFY_STEP_PLAIN } };
	const struct crypto_case *cc = run->cc;
	const struct rte_umr_crypto crypto = crypto_of(run);
	struct rte_umr_crypto other_crypto = crypto;
	const struct rte_umr_mkey_op other = { .crypto = &other_crypto };
	struct verify_entries entries;
	struct rte_umr_mkey_op conf = verify_layout_conf(&cc->layout, cc->move.access, ops->side,
							 &entries);

	conf.setters |= RTE_UMR_MKEY_SET_CRYPTO;
	conf.crypto = &crypto;
	other_crypto.encrypt_on_tx = !other_crypto.encrypt_on_tx;
	other_crypto.tweak[3] ^= 1;
	return verify_way_add(cc->error == CRYPTO_NEVER_SET ? &never_set : &ways[cc->way], ops,
			      run->mkey, &conf, &other);
}

static const struct rte_umr_dek *
foreign_dek(const struct crypto_run *run)
{
	const struct crypto_side *sides = run->env->mode_private;

	for (uint16_t i = 0; i < run->env->bed->nb_sides; i++)
		if (sides[i].dev_id != run->side->dev_id)
			return sides[i].deks[0].dek;
	return NULL;
}

static bool
key_reject(const struct crypto_run *run, struct verify_ops *ops)
{
	const struct rte_umr_interleaved entry = verify_long_entry(ops->side);
	struct rte_umr_crypto crypto = crypto_conf(run->side, &run->cc->choice);
	struct rte_umr_mkey_op conf = {
		.setters = RTE_UMR_MKEY_SET_CRYPTO, .crypto = &crypto,
		.layout = RTE_UMR_LAYOUT_INTERLEAVED, .repeat = 1u << 20,
		.nb_entries = 1, .interleaved = &entry,
	};
	struct verify_rejection rejection = rejections[run->cc->rejection];

	switch (run->cc->rejection) {
	case CRYPTO_REJECT_NULL:
		conf.crypto = NULL;
		break;
	case CRYPTO_REJECT_NO_DEK:
		crypto.dek = NULL;
		break;
	case CRYPTO_REJECT_UNIT:
		crypto.data_unit_size = 1024;
		break;
	case CRYPTO_REJECT_STANDARD:
		crypto.standard = 1;
		break;
	case CRYPTO_REJECT_ORDER:
		crypto.order = 2;
		break;
	case CRYPTO_REJECT_LENGTH:
		conf.setters |= RTE_UMR_MKEY_SET_LAYOUT;
		break;
	case CRYPTO_REJECT_PLAIN_KEY:
		break;
	case CRYPTO_REJECT_OTHER_DEVICE:
		crypto.dek = foreign_dek(run);
		if (crypto.dek == NULL)
			rejection.error = -EINVAL;
		break;
	default:
		crypto.reserved2 = 1;
		break;
	}
	return verify_conf_rejected(ops, run->cc->rejection == CRYPTO_REJECT_PLAIN_KEY ? NULL :
				    run->mkey, &conf, &rejection);
}

static bool
key_make(const void *arg, struct verify_ops *ops)
{
	const struct crypto_run *run = arg;

	if (run->cc->has_rejection && !key_reject(run, ops))
		return false;
	if (!key_configure(run, ops))
		return false;
	if (run->cc->error != CRYPTO_DEK_GONE)
		return true;
	/* After the configuration and before the transfer. */
	return verify_ops_wait(ops) &&
	       verify_ops_check(ops, rte_umr_dek_destroy(run->own_dek.dek) == 0,
				"a DEK could not be destroyed");
}

/* The wire domain shows the contents of memory through the cipher. */
static void
view_gather(const void *arg, const uint8_t *arena, uint64_t from, uint64_t len, uint8_t *out)
{
	const struct crypto_run *run = arg;
	static uint8_t bytes[BED_MAX_TOTAL];

	oracle_gather(&run->cc->layout, arena, from, len, bytes);
	crypto_apply(run->side, &run->cc->choice, from, bytes, out, len,
		     run->cc->choice.encrypt_on_tx);
}

static void
view_scatter(const void *arg, uint8_t *arena, uint64_t from, uint64_t len, const uint8_t *in)
{
	const struct crypto_run *run = arg;
	static uint8_t bytes[BED_MAX_TOTAL];

	crypto_apply(run->side, &run->cc->choice, from, in, bytes, len,
		     !run->cc->choice.encrypt_on_tx);
	oracle_scatter(&run->cc->layout, arena, from, len, bytes);
}

static void
crypto_run(const void *what, const struct verify_env *env, struct case_result *result)
{
	const struct crypto_case *cc = what;
	struct crypto_run run = {
		.cc = cc, .env = env,
		.side = crypto_side_of(env, verify_move_key_end(&cc->move)->side),
	};
	const struct verify_view view = {
		&run, cc->total, view_gather, view_scatter, oracle_find, &cc->layout,
	};
	const struct verify_steps steps = { .before = key_make, .arg = &run };
	struct prng prng = prng_stream(cc->move.noise_offset, cc->total);

	if (cc->error == CRYPTO_DEK_GONE &&
	    !crypto_dek_create(run.side, &prng, RTE_UMR_DEK_256, true, &run.own_dek))
		verify_result_set(result, CASE_ERROR, "a DEK could not be created: %s",
				  rte_strerror(rte_errno));
	else
		verify_move_by_key(&cc->move, &view, &steps, env, env->noise, &run.mkey, result);
}

const struct verify_mode verify_mode_crypto = {
	.name = "crypto",
	.summary = "layouts with AES-XTS, compared with OpenSSL",
	.capa = RTE_UMR_CAPA_MKEY_CRYPTO | RTE_UMR_CAPA_MKEY_CONFIGURE,
	.case_size = sizeof(struct crypto_case),
	.private_size = TOOL_MAX_DEVICES * sizeof(struct crypto_side),
	.pools = { CRYPTO_POOL(0) },
	.is_supported = crypto_is_supported,
	.setup = crypto_setup,
	.teardown = crypto_teardown,
	.gen = crypto_gen,
	.run = crypto_run,
	.print = crypto_print,
};
