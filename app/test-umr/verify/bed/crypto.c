/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <stdlib.h>
#include <string.h>

#include <rte_errno.h>
#include <rte_memory.h>

#include "verify/bed/crypto.h"

/* Random streams separate from those of the cases. */
#define DEK_STREAM	UINT64_C(0x64656b)

static const uint16_t unit_sizes[] = { 512, 520, 4048, 4096, 4160 };

bool
crypto_is_supported(const struct rte_umr_dev_info *info, char *why)
{
	if ((info->dev_capa & (RTE_UMR_CAPA_DEK_PLAIN | RTE_UMR_CAPA_DEK_WRAPPED)) == 0) {
		snprintf(why, VERIFY_LACK_SIZE, "a way for data encryption keys");
		return false;
	}
	/* Wrapped keys use the import KEK that every software ConnectX has. */
	if ((info->dev_capa & RTE_UMR_CAPA_DEK_WRAPPED) != 0 && getenv("SWHCA_LIB") == NULL) {
		snprintf(why, VERIFY_LACK_SIZE, "a credential that is known here");
		return false;
	}
	return true;
}

struct crypto_side *
crypto_side_of(const struct verify_env *env, const struct bed_side *side)
{
	return (struct crypto_side *)env->mode_private + (side - env->bed->sides);
}

static void
bytes_gen(struct prng *prng, uint8_t *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		bytes[i] = (uint8_t)prng_next(prng);
}

bool
crypto_dek_create(const struct crypto_side *side, struct prng *prng, enum rte_umr_dek_size size,
		  bool has_keytag, struct crypto_dek *dek)
{
	uint8_t plain[CRYPTO_MAX_KEY + RTE_UMR_KEYTAG_LEN], wrapped[RTE_UMR_DEK_KEY_MAX];
	struct rte_umr_dek_conf conf = {
		.key = plain, .size = size, .has_keytag = has_keytag,
		.login = side->login,
	};

	dek->key_len = size == RTE_UMR_DEK_256 ? 64 : 32;
	conf.key_len = dek->key_len + (has_keytag ? RTE_UMR_KEYTAG_LEN : 0);
	bytes_gen(prng, plain, conf.key_len);
	memcpy(dek->key, plain, dek->key_len);
	memset(dek->keytag, 0, sizeof(dek->keytag));
	if (has_keytag)
		memcpy(dek->keytag, plain + dek->key_len, sizeof(dek->keytag));
	if (side->is_wrapped) {
		if (!xts_ref_wrap(plain, conf.key_len, wrapped))
			return false;
		conf.key = wrapped;
		conf.key_len += XTS_REF_WRAP_LEN;
	}
	dek->dek = rte_umr_dek_create(side->dev_id, &conf);
	return dek->dek != NULL;
}

static bool
login_create(struct crypto_side *side)
{
	uint8_t credential[RTE_UMR_CREDENTIAL_LEN];
	const struct rte_umr_crypto_login_conf conf = { .credential = credential };

	if (!side->is_wrapped)
		return true;
	if (!xts_ref_credential(credential))
		return false;
	side->login = rte_umr_crypto_login_create(side->dev_id, &conf);
	return side->login != NULL;
}

static bool
side_create(struct crypto_side *side, const struct bed_side *bed_side, uint64_t seed)
{
	struct prng prng = prng_stream(seed, DEK_STREAM);

	side->dev_id = bed_side->dev_id;
	side->is_wrapped = (bed_side->info.dev_capa & RTE_UMR_CAPA_DEK_WRAPPED) != 0;
	if (!login_create(side)) {
		tool_error("verify: logging in to %s: %s", bed_side->info.dev_name,
			   rte_strerror(rte_errno));
		return false;
	}
	for (unsigned int i = 0; i < CRYPTO_NB_DEKS; i++) {
		if (!crypto_dek_create(side, &prng, i & 1 ? RTE_UMR_DEK_256 : RTE_UMR_DEK_128,
				       (i & 2) != 0, &side->deks[i])) {
			tool_error("verify: creating a DEK on %s: %s", bed_side->info.dev_name,
				   rte_strerror(rte_errno));
			return false;
		}
	}
	return true;
}

bool
crypto_setup(struct verify_env *env)
{
	struct crypto_side *sides = env->mode_private;

	for (uint16_t i = 0; i < env->bed->nb_sides; i++)
		if (!side_create(&sides[i], &env->bed->sides[i], env->seed))
			return false;
	return true;
}

void
crypto_teardown(struct verify_env *env)
{
	struct crypto_side *sides = env->mode_private;

	for (uint16_t i = 0; i < env->bed->nb_sides; i++) {
		for (unsigned int d = 0; d < CRYPTO_NB_DEKS; d++)
			rte_umr_dek_destroy(sides[i].deks[d].dek);
		rte_umr_crypto_login_destroy(sides[i].login);
	}
}

void
crypto_choice_gen(struct crypto_choice *choice, const struct rte_umr_dev_info *info,
		  struct prng *prng)
{
	uint32_t i;

	do {
		i = (uint32_t)prng_between(prng, 0, RTE_DIM(unit_sizes) - 1);
	} while ((info->crypto_unit_sizes & RTE_BIT32(i)) == 0);
	choice->unit = unit_sizes[i];
	choice->dek = (uint32_t)prng_between(prng, 0, CRYPTO_NB_DEKS - 1);
	choice->encrypt_on_tx = prng_one_in(prng, 2);
	choice->order = prng_one_in(prng, 2) ? RTE_UMR_CRYPTO_SIG_AFTER : RTE_UMR_CRYPTO_SIG_BEFORE;
	bytes_gen(prng, choice->tweak, sizeof(choice->tweak));
	/* Numbers that carry when incremented, also into the upper half, and small ones. */
	if (prng_one_in(prng, 4))
		memset(choice->tweak, 0xff, prng_between(prng, 1, sizeof(choice->tweak)));
	else if (prng_one_in(prng, 3))
		memset(choice->tweak + 4, 0, sizeof(choice->tweak) - 4);
}

void
crypto_choice_print(FILE *f, const struct crypto_choice *choice)
{
	fprintf(f, "DEK %u, data units of %u, encrypt_on_tx %d, order %d, tweak ", choice->dek,
		choice->unit, choice->encrypt_on_tx, (int)choice->order);
	for (unsigned int i = 0; i < sizeof(choice->tweak); i++)
		fprintf(f, "%02x", choice->tweak[i]);
}

struct rte_umr_crypto
crypto_conf(const struct crypto_side *side, const struct crypto_choice *choice)
{
	const struct crypto_dek *dek = &side->deks[choice->dek];
	struct rte_umr_crypto conf = {
		.dek = dek->dek, .standard = RTE_UMR_CRYPTO_AES_XTS,
		.order = choice->order, .encrypt_on_tx = choice->encrypt_on_tx,
		.data_unit_size = choice->unit,
	};

	memcpy(conf.tweak, choice->tweak, sizeof(conf.tweak));
	memcpy(conf.keytag, dek->keytag, sizeof(conf.keytag));
	return conf;
}

bool
crypto_is_job(uint64_t len, uint32_t unit)
{
	uint64_t rest = len % unit;

	return len != 0 && (rest == 0 || (len % CRYPTO_BLOCK == 0 && rest >= CRYPTO_BLOCK &&
					  rest <= unit - CRYPTO_BLOCK));
}

uint64_t
crypto_job_fit(uint64_t len, uint32_t unit)
{
	while (len != 0 && !crypto_is_job(len, unit))
		len--;
	return len;
}

void
crypto_apply(const struct crypto_side *side, const struct crypto_choice *choice, uint64_t from,
	     const uint8_t *in, uint8_t *out, uint64_t len, bool encrypt)
{
	const struct crypto_dek *dek = &side->deks[choice->dek];
	uint64_t nb = from / choice->unit;
	uint8_t tweak[XTS_REF_TWEAK_LEN];
	unsigned int carry = 0;

	memcpy(tweak, choice->tweak, sizeof(tweak));
	for (unsigned int i = 0; i < sizeof(tweak); i++) {
		carry += tweak[i] + (i < 8 ? (unsigned int)(nb >> (8 * i) & 0xff) : 0);
		tweak[i] = (uint8_t)carry;
		carry >>= 8;
	}
	if (from % choice->unit != 0 || !crypto_is_job(len, choice->unit) ||
	    !xts_ref_crypt(dek->key, dek->key_len, tweak, choice->unit, in, out, len, encrypt))
		memcpy(out, in, len);
}
