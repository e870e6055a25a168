/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Keys with a signature and encryption, in all forms that devices support (struct rte_umr_crypto).
 * Data in flight and at rest is compared with the cipher of OpenSSL and bitwise signatures.
 */

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "model/oracle.h"
#include "model/sig_ref.h"
#include "verify/bed/crypto.h"
#include "verify/bed/keys.h"
#include "verify/bed/layout.h"
#include "verify/bed/sig.h"
#include "verify/mode/modes.h"

/* Where the cipher applies, seen from memory. */
enum cipher_place {
	CIPHER_WIRE_SIGNED,	/* wire data with its signature is encrypted */
	CIPHER_WIRE_RAW,	/* wire data is encrypted, then signed */
	CIPHER_MEMORY_SIGNED,
	CIPHER_MEMORY_RAW,
	CIPHER_NB_PLACES,
};

#define ACCESS_LAYOUT	RTE_UMR_MKEY_SET_ACCESS_LAYOUT
#define SIG		RTE_UMR_MKEY_SET_SIG
#define CRYPTO		RTE_UMR_MKEY_SET_CRYPTO
#define OTHER		(VERIFY_STEP_ALL | VERIFY_STEP_OTHER)

/* Orders of setting the properties of the key. */
static const struct {
	struct verify_way way;
	/* At some step the key has no signature, so that its size must not exceed a data unit. */
	bool is_unsigned;
} ways[] = {
	{ { "all at once", { VERIFY_STEP_ALL } }, false },
	{ { "signature, then layout, then encryption", { SIG, VERIFY_STEP_PLAIN, CRYPTO } },
	  false },
	{ { "encryption, then layout, then signature", { CRYPTO, VERIFY_STEP_PLAIN, SIG } },
	  true },
	{ { "another signature and encryption are overridden",
	    { OTHER, SIG, ACCESS_LAYOUT | CRYPTO } }, false },
	{ { "another signature is reset",
	    { OTHER, RTE_UMR_MKEY_RESET_SIG | CRYPTO, ACCESS_LAYOUT | SIG } }, true },
};

struct sigcrypto_case {
	struct verify_move move;
	struct layout layout;
	struct crypto_choice choice;
	bool is_multi;		/* the device supports many data units */
	enum cipher_place place;
	uint32_t way;		/* in ways */
	struct rte_umr_sig sig;
	bool is_trans;		/* one signature over all data, which form one block */
	uint32_t block;		/* data bytes */
	uint32_t nb_blocks;
	uint64_t mem_len;
	uint64_t wire_len;
	bool has_rejection;	/* tries an order that is invalid with two signatures */
};

struct sigcrypto_run {
	const struct sigcrypto_case *sc;
	struct crypto_side *side;
	struct rte_umr_mkey *mkey;
};

/* Intermediate buffers; only one case runs at a time. */
#define STAGE_SIZE (BED_MAX_TOTAL + BED_MAX_TOTAL / 16)
/* Maximum data of a transaction. */
#define TRANS_MAX_TOTAL (64u << 10)
static uint8_t stage_data[STAGE_SIZE], stage_signed[STAGE_SIZE], stage_cipher[STAGE_SIZE];

static void
domain_gen(struct rte_umr_sig_domain *domain, const struct rte_umr_dev_info *info, uint16_t block,
	   struct prng *prng)
{
	do {
		domain->type = (uint32_t)prng_between(prng, RTE_UMR_SIG_T10DIF_CRC,
						      RTE_UMR_SIG_CRC64_XP10);
	} while ((info->sig_types & RTE_BIT32(domain->type)) == 0);
	domain->block_size = block;
	domain->flags = prng_one_in(prng, 2) ? RTE_UMR_SIG_DOMAIN_F_SEED_ONES : 0;
	if (domain->type > RTE_UMR_SIG_T10DIF_CSUM)
		return;
	domain->flags |= prng_one_in(prng, 2) ? RTE_UMR_SIG_DOMAIN_F_REF_INCREMENT : 0;
	domain->app_tag = (uint16_t)prng_next(prng);
	domain->ref_tag = prng_one_in(prng, 4) ? UINT32_MAX : (uint32_t)prng_next(prng);
}

static uint8_t
check_mask(uint32_t type)
{
	return rte_umr_sig_size((enum rte_umr_sig_type)type) == 4 ? RTE_UMR_SIG_MASK_CRC32 :
								     RTE_UMR_SIG_MASK_T10DIF;
}

/* Generate signatures that match the place of the cipher. */
static void
case_sig_gen(struct sigcrypto_case *sc, const struct rte_umr_dev_info *info, struct prng *prng)
{
	static const uint16_t blocks[] = { 512, 520, 4048, 4096, 4160 };
	bool has_mem = sc->place != CIPHER_WIRE_RAW;
	bool has_wire = sc->place != CIPHER_MEMORY_RAW;
	struct rte_umr_sig *sig = &sc->sig;
	uint32_t i;

	*sig = (struct rte_umr_sig){ 0 };
	do {
		i = (uint32_t)prng_between(prng, 0, RTE_DIM(blocks) - 1);
	} while ((info->sig_block_sizes & RTE_BIT32(i)) == 0);
	/* One of them, or both where supported. */
	if (has_mem && has_wire && !prng_one_in(prng, 3)) {
		has_mem = prng_one_in(prng, 2);
		has_wire = !has_mem;
	}
	if (has_mem)
		domain_gen(&sig->mem, info, blocks[i], prng);
	if (has_wire)
		domain_gen(&sig->wire, info, blocks[i], prng);
	/* Often make the fields similar, so that parts of them are copied. */
	if (has_mem && has_wire && prng_one_in(prng, 2)) {
		sig->wire = sig->mem;
		if (prng_one_in(prng, 2))
			sig->wire.flags ^= RTE_UMR_SIG_DOMAIN_F_SEED_ONES;
	}
	sig->check_mask = 0xff;
	if (has_mem != has_wire || sig->mem.type == sig->wire.type)
		sig->check_mask = check_mask(has_mem ? sig->mem.type : sig->wire.type);
	sc->block = blocks[i];
}

/* Use a signature over all data where supported: the cipher then covers only data. */
static void
case_trans_gen(struct sigcrypto_case *sc, const struct rte_umr_dev_info *info, struct prng *prng)
{
	struct rte_umr_sig_domain *domain;

	sc->is_trans = (sc->place == CIPHER_WIRE_RAW || sc->place == CIPHER_MEMORY_RAW) &&
		       (info->sig_trans_types & RTE_BIT32(RTE_UMR_SIG_CRC32C)) != 0 &&
		       prng_one_in(prng, 3);
	if (!sc->is_trans)
		return;
	sc->sig = (struct rte_umr_sig){ .check_mask = RTE_UMR_SIG_MASK_CRC32 };
	domain = sc->place == CIPHER_WIRE_RAW ? &sc->sig.wire : &sc->sig.mem;
	domain->type = RTE_UMR_SIG_CRC32C;
	domain->flags = RTE_UMR_SIG_DOMAIN_F_TRANSACTION |
			(prng_one_in(prng, 2) ? RTE_UMR_SIG_DOMAIN_F_SEED_ONES : 0);
}

static void
place_set(struct sigcrypto_case *sc)
{
	sc->choice.encrypt_on_tx = sc->place == CIPHER_WIRE_SIGNED || sc->place == CIPHER_WIRE_RAW;
	sc->choice.order = sc->place == CIPHER_WIRE_RAW || sc->place == CIPHER_MEMORY_SIGNED ?
				   RTE_UMR_CRYPTO_SIG_AFTER : RTE_UMR_CRYPTO_SIG_BEFORE;
}

/* Bytes that pass the cipher. */
static uint64_t
cipher_len(const struct sigcrypto_case *sc, uint64_t nb_blocks)
{
	uint64_t size = sc->block;

	if (sc->place == CIPHER_WIRE_SIGNED)
		size += rte_umr_sig_size((enum rte_umr_sig_type)sc->sig.wire.type);
	if (sc->place == CIPHER_MEMORY_SIGNED)
		size += rte_umr_sig_size((enum rte_umr_sig_type)sc->sig.mem.type);
	return size * nb_blocks;
}

/* Cut a list after its last block. */
static void
layout_cut(struct layout *layout, uint64_t len)
{
	uint32_t i = 0;

	if (layout->is_interleaved)
		return;
	while (len > layout->pieces[i].len)
		len -= layout->pieces[i++].len;
	layout->pieces[i].len = (uint32_t)len;
	layout->nb_pieces = i + 1;
}

/* A device of single data units rejects keys with more bytes for the cipher. */
static bool
is_within_unit(const struct sigcrypto_case *sc)
{
	uint64_t mem = sc->block, full, rest, len = oracle_len(&sc->layout);

	if (sc->place == CIPHER_MEMORY_SIGNED)
		return len <= sc->choice.unit;
	full = mem + rte_umr_sig_size((enum rte_umr_sig_type)sc->sig.mem.type);
	rest = RTE_MIN(len % full, mem);
	return cipher_len(sc, len / full + rest / mem) + rest % mem <= sc->choice.unit;
}

/* The same for a transaction, whose layout has exactly the data. */
static bool
trans_blocks_gen(struct sigcrypto_case *sc, struct prng *prng)
{
	uint32_t mem_field = rte_umr_sig_size((enum rte_umr_sig_type)sc->sig.mem.type);
	uint32_t wire_field = rte_umr_sig_size((enum rte_umr_sig_type)sc->sig.wire.type);
	uint64_t len = oracle_len(&sc->layout);

	if (len <= mem_field)
		return false;
	len = RTE_MIN(len - mem_field, TRANS_MAX_TOTAL);
	if (!sc->is_multi)
		len = RTE_MIN(len, sc->choice.unit);
	if (!prng_one_in(prng, 3))
		len = prng_between(prng, 1, len);
	sc->block = (uint32_t)crypto_job_fit(len, sc->choice.unit);
	sc->nb_blocks = 1;
	sc->mem_len = sc->block + mem_field;
	sc->wire_len = sc->block + wire_field;
	if (sc->block == 0)
		return false;
	layout_cut(&sc->layout, sc->mem_len);
	return oracle_len(&sc->layout) == sc->mem_len;
}

/* Choose as many blocks as the layout holds and the cipher supports; returns false if none. */
static bool
blocks_gen(struct sigcrypto_case *sc, struct prng *prng)
{
	uint64_t mem = sc->block, wire = mem, nb;

	if (sc->is_trans)
		return trans_blocks_gen(sc, prng);
	mem += rte_umr_sig_size((enum rte_umr_sig_type)sc->sig.mem.type);
	wire += rte_umr_sig_size((enum rte_umr_sig_type)sc->sig.wire.type);
	nb = RTE_MIN(oracle_len(&sc->layout) / mem, BED_MAX_TOTAL / wire);
	if (nb > 1 && !prng_one_in(prng, 3))
		nb = prng_between(prng, 1, nb);
	while (nb != 0 && (!crypto_is_job(cipher_len(sc, nb), sc->choice.unit) ||
			   (!sc->is_multi && cipher_len(sc, nb) > sc->choice.unit)))
		nb--;
	sc->nb_blocks = (uint32_t)nb;
	sc->mem_len = nb * mem;
	sc->wire_len = nb * wire;
	if (sc->is_multi || nb == 0)
		return nb != 0;
	layout_cut(&sc->layout, sc->mem_len);
	return is_within_unit(sc);
}

static void
way_gen(struct sigcrypto_case *sc, struct prng *prng)
{
	do {
		sc->way = (uint32_t)prng_between(prng, 0, RTE_DIM(ways) - 1);
	} while (!sc->is_multi && oracle_len(&sc->layout) > sc->choice.unit &&
		 ways[sc->way].is_unsigned);
}

static void
sigcrypto_gen(void *vc, const struct verify_env *env, struct prng *prng)
{
	struct sigcrypto_case *sc = vc;
	const struct rte_umr_dev_info *info = verify_move_gen_path(&sc->move, env->bed, prng);
	struct layout_gen_conf conf;

	conf = verify_gen_conf(info, false);
	conf.max_list = RTE_MIN(LAYOUT_MAX_PIECES, info->max_list);
	sc->is_multi = (info->dev_capa & RTE_UMR_CAPA_CRYPTO_MULTI_UNIT) != 0;
	sc->place = (enum cipher_place)prng_between(prng, 0, CIPHER_NB_PLACES - 1);
	do {
		crypto_choice_gen(&sc->choice, info, prng);
		place_set(sc);
		case_sig_gen(sc, info, prng);
		case_trans_gen(sc, info, prng);
		/* Fields of up to 8 bytes per 512 need not pass the cipher. */
		if (!sc->is_multi)
			conf.max_total = sc->choice.unit + sc->choice.unit / 512 * 8u;
		/* Bytes that appear twice cannot be signed at both places. */
		layout_gen(prng, &conf, true, &sc->layout);
	} while (!blocks_gen(sc, prng));
	way_gen(sc, prng);
	sc->has_rejection = prng_one_in(prng, 8);
	sc->move.len = sc->wire_len;
	sc->move.nb_parts = 1;
	sc->move.part_ends[0] = sc->wire_len;
	sc->move.flat_offset = (uint32_t)prng_between(prng, BED_GUARD,
						      BED_FLAT_SIZE - BED_GUARD - sc->wire_len);
	sc->move.noise_offset = (uint32_t)prng_between(prng, 0, VERIFY_NOISE_SIZE - STAGE_SIZE);
}

static void
domain_print(FILE *f, const char *name, const struct rte_umr_sig_domain *domain)
{
	if (domain->type == RTE_UMR_SIG_NONE)
		fprintf(f, "%s without; ", name);
	else
		fprintf(f, "%s type %u, flags 0x%x, app 0x%x, ref 0x%x; ", name, domain->type,
			domain->flags, domain->app_tag, domain->ref_tag);
}

static void
sigcrypto_print(FILE *f, const char *prefix, const void *what)
{
	const struct sigcrypto_case *sc = what;

	verify_move_print(f, prefix, &sc->move);
	fprintf(f, "%s", prefix);
	crypto_choice_print(f, &sc->choice);
	fprintf(f, "; %s%s\n%s%u %s of %u, ", ways[sc->way].way.name,
		sc->has_rejection ? ", a bad order is rejected before" : "", prefix, sc->nb_blocks,
		sc->is_trans ? "transaction" : "blocks", sc->block);
	domain_print(f, "memory", &sc->sig.mem);
	domain_print(f, "wire", &sc->sig.wire);
	fprintf(f, "check mask 0x%02x\n", sc->sig.check_mask);
	layout_print(f, prefix, &sc->layout);
}

static void
cipher(const struct sigcrypto_run *run, const uint8_t *in, uint8_t *out, uint64_t len, bool encrypt)
{
	crypto_apply(run->side, &run->sc->choice, 0, in, out, len, encrypt);
}

/* Convert memory contents to wire contents. */
static void
to_wire(const struct sigcrypto_run *run, const uint8_t *mem, uint8_t *wire)
{
	const struct sigcrypto_case *sc = run->sc;
	const struct rte_umr_sig *sig = &sc->sig;
	uint64_t len;

	switch (sc->place) {
	case CIPHER_WIRE_SIGNED:
		len = sig_ref_strip(&sig->mem, mem, sc->mem_len, stage_data);
		len = sig_ref_insert(&sig->wire, stage_data, len, stage_signed);
		cipher(run, stage_signed, wire, len, true);
		break;
	case CIPHER_WIRE_RAW:
		cipher(run, mem, stage_cipher, sc->mem_len, true);
		sig_ref_insert(&sig->wire, stage_cipher, sc->mem_len, wire);
		break;
	case CIPHER_MEMORY_SIGNED:
		cipher(run, mem, stage_signed, sc->mem_len, false);
		len = sig_ref_strip(&sig->mem, stage_signed, sc->mem_len, stage_data);
		sig_ref_insert(&sig->wire, stage_data, len, wire);
		break;
	default:
		len = sig_ref_strip(&sig->mem, mem, sc->mem_len, stage_cipher);
		cipher(run, stage_cipher, wire, len, false);
		break;
	}
}

/* Convert wire contents to memory contents. */
static void
to_memory(const struct sigcrypto_run *run, const uint8_t *wire, uint8_t *mem)
{
	const struct sigcrypto_case *sc = run->sc;
	const struct rte_umr_sig *sig = &sc->sig;
	uint64_t len;

	switch (sc->place) {
	case CIPHER_WIRE_SIGNED:
		cipher(run, wire, stage_signed, sc->wire_len, false);
		len = sig_ref_strip(&sig->wire, stage_signed, sc->wire_len, stage_data);
		sig_ref_insert(&sig->mem, stage_data, len, mem);
		break;
	case CIPHER_WIRE_RAW:
		len = sig_ref_strip(&sig->wire, wire, sc->wire_len, stage_cipher);
		cipher(run, stage_cipher, mem, len, false);
		break;
	case CIPHER_MEMORY_SIGNED:
		len = sig_ref_strip(&sig->wire, wire, sc->wire_len, stage_data);
		len = sig_ref_insert(&sig->mem, stage_data, len, stage_signed);
		cipher(run, stage_signed, mem, len, true);
		break;
	default:
		cipher(run, wire, stage_cipher, sc->wire_len, true);
		sig_ref_insert(&sig->mem, stage_cipher, sc->wire_len, mem);
		break;
	}
}

/* Transfers start at the first byte and cover all used bytes, so from and len are known. */
static void
view_gather(const void *arg, const uint8_t *arena, uint64_t from, uint64_t len, uint8_t *out)
{
	const struct sigcrypto_run *run = arg;
	static uint8_t mem[STAGE_SIZE];

	(void)from;
	(void)len;
	oracle_gather(&run->sc->layout, arena, 0, run->sc->mem_len, mem);
	to_wire(run, mem, out);
}

static void
view_scatter(const void *arg, uint8_t *arena, uint64_t from, uint64_t len, const uint8_t *in)
{
	const struct sigcrypto_run *run = arg;
	static uint8_t mem[STAGE_SIZE];

	(void)from;
	(void)len;
	to_memory(run, in, mem);
	oracle_scatter(&run->sc->layout, arena, 0, run->sc->mem_len, mem);
}

/* Try the cipher between two signatures. */
static bool
key_reject(const struct sigcrypto_run *run, struct verify_ops *ops,
	   const struct rte_umr_mkey_op *conf)
{
	const struct rte_umr_sig_domain domain = {
		.type = RTE_UMR_SIG_CRC32, .block_size = 512,
	};
	const struct rte_umr_sig both = { .mem = domain, .wire = domain, .check_mask = 0xf0 };
	struct rte_umr_crypto crypto = *conf->crypto;
	struct rte_umr_mkey_op bad = *conf;

	crypto.order = crypto.encrypt_on_tx ? RTE_UMR_CRYPTO_SIG_AFTER : RTE_UMR_CRYPTO_SIG_BEFORE;
	bad.sig = &both;
	bad.crypto = &crypto;
	return verify_conf_rejected(ops, run->mkey, &bad, &(struct verify_rejection){
				    "a cipher between two signatures", -EINVAL });
}

/*
 * Make a configuration to be replaced. It is compatible with the rest of the case, even with a
 * limit of one unit.
 */
static void
other_make(const struct sigcrypto_case *sc, struct rte_umr_sig *sig, struct rte_umr_crypto *crypto)
{
	crypto->tweak[0] ^= 1;
	if (!sc->is_multi || sc->is_trans) {
		*sig = sc->sig;
		sig->mem.flags ^= RTE_UMR_SIG_DOMAIN_F_SEED_ONES;
		sig->wire.flags ^= RTE_UMR_SIG_DOMAIN_F_SEED_ONES;
		return;
	}
	/* Signed on the wire only, so that it is valid with each order. */
	*sig = (struct rte_umr_sig){
		.wire = { .type = RTE_UMR_SIG_CRC32, .block_size = 512 },
		.check_mask = RTE_UMR_SIG_MASK_CRC32,
	};
	crypto->encrypt_on_tx = true;
	crypto->order = RTE_UMR_CRYPTO_SIG_BEFORE;
}

static bool
key_make(const void *arg, struct verify_ops *ops)
{
	const struct sigcrypto_run *run = arg;
	const struct sigcrypto_case *sc = run->sc;
	const struct rte_umr_crypto crypto = crypto_conf(run->side, &sc->choice);
	struct rte_umr_crypto other_crypto = crypto;
	struct rte_umr_sig other_sig;
	struct verify_entries entries;
	struct rte_umr_mkey_op conf, other;

	conf = verify_layout_conf(&sc->layout, sc->move.access, ops->side, &entries);
	conf.setters |= SIG | CRYPTO;
	conf.sig = &sc->sig;
	conf.crypto = &crypto;
	other = conf;
	other_make(sc, &other_sig, &other_crypto);
	other.sig = &other_sig;
	other.crypto = &other_crypto;
	return (!sc->has_rejection || key_reject(run, ops, &conf)) &&
	       verify_way_add(&ways[sc->way].way, ops, run->mkey, &conf, &other);
}

static bool
key_check(const void *arg, struct verify_ops *ops)
{
	const struct sigcrypto_run *run = arg;
	struct rte_umr_mkey_error error;
	int ret;

	ret = rte_umr_mkey_check(run->mkey, &error);
	return verify_ops_check(ops, ret == 0, "the key could not be checked") &&
	       verify_ops_check(ops, error.type == RTE_UMR_MKEY_ERROR_NONE,
				"the key has a signature error");
}

static void
sigcrypto_run(const void *what, const struct verify_env *env, struct case_result *result)
{
	const struct sigcrypto_case *sc = what;
	struct sigcrypto_run run = {
		.sc = sc,
		.side = crypto_side_of(env, verify_move_key_end(&sc->move)->side),
	};
	const struct verify_view view = {
		&run, sc->wire_len, view_gather, view_scatter, oracle_find, &sc->layout,
	};
	const struct verify_steps steps = { .before = key_make, .after = key_check, .arg = &run };
	static uint8_t mem[STAGE_SIZE], wire[STAGE_SIZE];
	struct verify_move move = sc->move;

	/* The wire source needs valid signatures. */
	to_memory(&run, env->noise + sc->move.noise_offset, mem);
	to_wire(&run, mem, wire);
	move.noise_offset = 0;
	verify_move_by_key(&move, &view, &steps, env, wire, &run.mkey, result);
}

const struct verify_mode verify_mode_sigcrypto = {
	.name = "sigcrypto",
	.summary = "layouts with signature and AES-XTS in both orders, compared with OpenSSL",
	.capa = RTE_UMR_CAPA_MKEY_CRYPTO | RTE_UMR_CAPA_MKEY_SIG | RTE_UMR_CAPA_MKEY_CONFIGURE,
	.bed_conf = &sig_bed_conf,
	.case_size = sizeof(struct sigcrypto_case),
	.private_size = TOOL_MAX_DEVICES * sizeof(struct crypto_side),
	.pools = { CRYPTO_POOL(RTE_UMR_MKEY_POOL_F_SIG) },
	.is_supported = crypto_is_supported,
	.setup = crypto_setup,
	.teardown = crypto_teardown,
	.gen = sigcrypto_gen,
	.run = sigcrypto_run,
	.print = sigcrypto_print,
};
