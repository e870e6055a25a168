/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Data encryption keys and logins: their life, and what is rejected. */

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "autotest.h"
#include "env.h"
#include "model/xts_ref.h"

/* Two AES-256 keys and a tag. */
#define PLAIN_LEN 72u

struct dek_bed {
	int16_t dev_id;
	bool is_wrapped;
	struct rte_umr_crypto_login *login;
	uint32_t max_deks;
};

/* Open the first device; skip without crypto, and wrapped keys without a credential. */
static int
bed_open(struct at_env *env, struct dek_bed *bed)
{
	struct rte_umr_dev_info info;

	memset(bed, 0, sizeof(*bed));
	TEST_NEED(at_side_probe(env, 0));
	bed->dev_id = env->sides[0].dev_id;
	TEST_ASSERT_SUCCESS(rte_umr_dev_info_get(bed->dev_id, &info));
	TEST_NEED(at_need_capa(&info, RTE_UMR_CAPA_MKEY_CRYPTO));
	TEST_ASSERT(info.max_deks > 0);
	TEST_ASSERT((info.crypto_unit_sizes & RTE_UMR_CRYPTO_UNIT_512) != 0);
	bed->max_deks = info.max_deks;
	bed->is_wrapped = (info.dev_capa & RTE_UMR_CAPA_DEK_WRAPPED) != 0;
	TEST_ASSERT(bed->is_wrapped != ((info.dev_capa & RTE_UMR_CAPA_DEK_PLAIN) != 0));
	if (bed->is_wrapped && getenv("SWHCA_LIB") == NULL)
		TEST_SKIP("needs the credential of the device");
	return TEST_SUCCESS;
}

static struct rte_umr_crypto_login *
bed_login(const struct dek_bed *bed)
{
	uint8_t credential[RTE_UMR_CREDENTIAL_LEN];
	const struct rte_umr_crypto_login_conf conf = { .credential = credential };

	if (!xts_ref_credential(credential))
		return NULL;
	return rte_umr_crypto_login_create(bed->dev_id, &conf);
}

/* Log in where that is needed. */
static int
bed_enter(struct at_env *env, struct dek_bed *bed)
{
	int ret = bed_open(env, bed);

	if (ret != TEST_SUCCESS || !bed->is_wrapped)
		return ret;
	bed->login = bed_login(bed);
	TEST_ASSERT(bed->login != NULL);
	return TEST_SUCCESS;
}

/* Configuration of a DEK as the device takes it; key has room for a wrapped one. */
static int
bed_dek_conf(const struct dek_bed *bed, enum rte_umr_dek_size size, bool has_keytag, uint8_t *key,
	     struct rte_umr_dek_conf *conf)
{
	uint8_t plain[PLAIN_LEN];
	uint32_t len = size == RTE_UMR_DEK_256 ? 64 : 32, i;

	if (has_keytag)
		len += RTE_UMR_KEYTAG_LEN;
	for (i = 0; i < len; i++)
		plain[i] = (uint8_t)(i * 37 + 11);
	memcpy(key, plain, len);
	if (bed->is_wrapped) {
		TEST_ASSERT(xts_ref_wrap(plain, len, key));
		len += RTE_UMR_KEY_WRAP_LEN;
	}
	*conf = (struct rte_umr_dek_conf){
		.key = key,
		.key_len = len,
		.size = size,
		.has_keytag = has_keytag,
		.login = bed->login,
		.opaque = "umr-dek",
	};
	return TEST_SUCCESS;
}

/* A DEK, queried and destroyed. */
static int
dek_live(const struct dek_bed *bed, enum rte_umr_dek_size size, bool has_keytag)
{
	uint8_t key[RTE_UMR_DEK_KEY_MAX];
	struct rte_umr_dek_attr attr;
	struct rte_umr_dek_conf conf;

	TEST_ASSERT_SUCCESS(bed_dek_conf(bed, size, has_keytag, key, &conf));
	struct rte_umr_dek *const dek = TEST_NOT_NULL(rte_umr_dek_create(bed->dev_id, &conf));
	TEST_ASSERT_EQUAL(dek->dev_id, bed->dev_id);
	TEST_ASSERT_EQUAL(dek->size, size);
	TEST_ASSERT_EQUAL(dek->has_keytag, has_keytag);
	TEST_ASSERT_EQUAL(dek->is_wrapped, bed->is_wrapped);
	memset(&attr, 0xff, sizeof(attr));
	TEST_ASSERT_SUCCESS(rte_umr_dek_query(dek, &attr));
	TEST_ASSERT_EQUAL(attr.state, RTE_UMR_DEK_READY);
	TEST_ASSERT_EQUAL(memcmp(attr.opaque, "umr-dek", RTE_UMR_DEK_OPAQUE_LEN), 0);
	TEST_ASSERT_EQUAL(rte_umr_dek_query(NULL, &attr), -EINVAL);
	TEST_ASSERT_EQUAL(rte_umr_dek_query(dek, NULL), -EINVAL);
	TEST_ASSERT_EQUAL(rte_umr_dev_close(bed->dev_id), -EBUSY);
	TEST_ASSERT_SUCCESS(rte_umr_dek_destroy(dek));
	return TEST_SUCCESS;
}

AT_CASE(dek, dek_lives_from_create_to_destroy)
{
	struct dek_bed bed;

	TEST_NEED(bed_enter(env, &bed));
	TEST_ASSERT_SUCCESS(dek_live(&bed, RTE_UMR_DEK_128, false));
	TEST_ASSERT_SUCCESS(dek_live(&bed, RTE_UMR_DEK_128, true));
	TEST_ASSERT_SUCCESS(dek_live(&bed, RTE_UMR_DEK_256, false));
	TEST_ASSERT_SUCCESS(dek_live(&bed, RTE_UMR_DEK_256, true));
	TEST_ASSERT_SUCCESS(rte_umr_dek_destroy(NULL));
	TEST_ASSERT_SUCCESS(rte_umr_crypto_login_destroy(bed.login));
	return TEST_SUCCESS;
}

/* Creating a DEK of this configuration fails with that. */
static int
dek_rejected(const struct dek_bed *bed, const struct rte_umr_dek_conf *conf, int error)
{
	TEST_ASSERT_ERRNO(rte_umr_dek_create(bed->dev_id, conf), error);
	return TEST_SUCCESS;
}

AT_CASE(dek, bad_dek_is_rejected)
{
	uint8_t key[RTE_UMR_DEK_KEY_MAX];
	struct rte_umr_dek_conf good, conf;
	struct dek_bed bed;

	TEST_NEED(bed_enter(env, &bed));
	TEST_ASSERT_SUCCESS(bed_dek_conf(&bed, RTE_UMR_DEK_128, false, key, &good));
	TEST_ASSERT_SUCCESS(dek_rejected(&bed, NULL, EINVAL));
	conf = good;
	conf.key = NULL;
	TEST_ASSERT_SUCCESS(dek_rejected(&bed, &conf, EINVAL));
	conf = good;
	conf.reserved[1] = 1;
	TEST_ASSERT_SUCCESS(dek_rejected(&bed, &conf, EINVAL));
	conf = good;
	conf.size = (enum rte_umr_dek_size)2;
	TEST_ASSERT_SUCCESS(dek_rejected(&bed, &conf, EINVAL));
	conf = good;
	conf.key_len--;
	TEST_ASSERT_SUCCESS(dek_rejected(&bed, &conf, EINVAL));
	conf = good;
	conf.has_keytag = true;
	TEST_ASSERT_SUCCESS(dek_rejected(&bed, &conf, EINVAL));
	conf = good;
	conf.size = RTE_UMR_DEK_256;
	TEST_ASSERT_SUCCESS(dek_rejected(&bed, &conf, EINVAL));
	TEST_ASSERT_ERRNO(rte_umr_dek_create(RTE_UMR_MAX_DEVS - 1, &good), ENODEV);
	/* Plain where it must be wrapped is ENOTSUP; what was not wrapped the device finds out. */
	conf = good;
	if (bed.is_wrapped) {
		conf.login = NULL;
		conf.key_len = 32;
		TEST_ASSERT_SUCCESS(dek_rejected(&bed, &conf, ENOTSUP));
		key[5] ^= 1;
		TEST_ASSERT_SUCCESS(dek_rejected(&bed, &good, EINVAL));
	} else {
		memcpy(key + 16, key, 16);
		TEST_ASSERT_SUCCESS(dek_rejected(&bed, &good, EINVAL));
	}
	return rte_umr_crypto_login_destroy(bed.login);
}

AT_CASE(dek, deks_run_out_and_come_back)
{
	uint8_t key[RTE_UMR_DEK_KEY_MAX];
	struct rte_umr_dek_conf conf;
	struct rte_umr_dek **deks;
	struct dek_bed bed;
	uint32_t nb = 0, i;

	TEST_NEED(bed_enter(env, &bed));
	if (bed.max_deks > 1u << 16)
		TEST_SKIP("%u keys are too many to try", bed.max_deks);
	deks = TEST_NOT_NULL(calloc(bed.max_deks + 1, sizeof(*deks)));
	TEST_ASSERT_SUCCESS(bed_dek_conf(&bed, RTE_UMR_DEK_256, true, key, &conf));
	rte_errno = 0;
	while (nb <= bed.max_deks && (deks[nb] = rte_umr_dek_create(bed.dev_id, &conf)) != NULL)
		nb++;
	const int ret = rte_errno;
	for (i = 0; i < nb; i++)
		TEST_ASSERT_SUCCESS(rte_umr_dek_destroy(deks[i]));
	free(deks);
	TEST_ASSERT_EQUAL(nb, bed.max_deks);
	TEST_ASSERT_EQUAL(ret, EAGAIN);
	TEST_ASSERT_SUCCESS(dek_live(&bed, RTE_UMR_DEK_256, true));
	return rte_umr_crypto_login_destroy(bed.login);
}

static int
login_rejected(int16_t dev_id, const struct rte_umr_crypto_login_conf *conf, int error)
{
	TEST_ASSERT_ERRNO(rte_umr_crypto_login_create(dev_id, conf), error);
	return TEST_SUCCESS;
}

AT_CASE(dek, bad_login_is_rejected)
{
	uint8_t credential[RTE_UMR_CREDENTIAL_LEN];
	const struct rte_umr_crypto_login_conf good = { .credential = credential };
	struct rte_umr_crypto_login_conf conf = { 0 };
	uint8_t state;
	struct dek_bed bed;

	TEST_NEED(bed_open(env, &bed));
	TEST_ASSERT(xts_ref_credential(credential));
	TEST_ASSERT_SUCCESS(login_rejected(bed.dev_id, NULL, EINVAL));
	TEST_ASSERT_SUCCESS(login_rejected(bed.dev_id, &conf, EINVAL));
	TEST_ASSERT_SUCCESS(login_rejected(RTE_UMR_MAX_DEVS - 1, &good, ENODEV));
	conf = good;
	conf.credential_id = 1u << 24;
	TEST_ASSERT_SUCCESS(login_rejected(bed.dev_id, &conf, EINVAL));
	conf = good;
	conf.import_kek_id = 1u << 24;
	TEST_ASSERT_SUCCESS(login_rejected(bed.dev_id, &conf, EINVAL));
	conf = good;
	conf.reserved[1] = 1;
	TEST_ASSERT_SUCCESS(login_rejected(bed.dev_id, &conf, EINVAL));
	TEST_ASSERT_EQUAL(rte_umr_crypto_login_query(NULL, &state), -EINVAL);
	TEST_ASSERT_SUCCESS(rte_umr_crypto_login_destroy(NULL));
	if (!bed.is_wrapped)
		return login_rejected(bed.dev_id, &good, ENOTSUP);
	credential[3] ^= 1;
	return login_rejected(bed.dev_id, &good, EINVAL);
}

AT_CASE(dek, login_of_another_device_is_rejected)
{
	uint8_t key[RTE_UMR_DEK_KEY_MAX];
	struct rte_umr_dek_conf conf;
	struct dek_bed bed, other;

	TEST_NEED(bed_open(env, &bed));
	if (!bed.is_wrapped)
		TEST_SKIP("needs a device that takes wrapped keys");
	TEST_NEED(at_side_probe(env, 1));
	other = bed;
	other.dev_id = env->sides[1].dev_id;
	other.login = bed_login(&other);
	TEST_ASSERT(other.login != NULL);
	TEST_ASSERT_SUCCESS(bed_dek_conf(&other, RTE_UMR_DEK_128, false, key, &conf));
	TEST_ASSERT_SUCCESS(dek_rejected(&bed, &conf, EXDEV));
	TEST_ASSERT_EQUAL(rte_umr_dev_close(other.dev_id), -EBUSY);
	return rte_umr_crypto_login_destroy(other.login);
}

AT_CASE(dek, device_without_crypto_says_so)
{
	uint8_t key[32] = { 1 };
	const struct rte_umr_crypto_login_conf login = { .credential = key };
	const struct rte_umr_dek_conf conf = { .key = key, .key_len = sizeof(key) };
	const uint64_t capa = RTE_UMR_CAPA_MKEY_CRYPTO | RTE_UMR_CAPA_CRYPTO_MULTI_UNIT |
			      RTE_UMR_CAPA_DEK_PLAIN | RTE_UMR_CAPA_DEK_WRAPPED;
	struct rte_umr_dev_info info;
	struct dek_bed bed = { 0 };

	TEST_NEED(at_side_probe(env, 0));
	bed.dev_id = env->sides[0].dev_id;
	TEST_ASSERT_SUCCESS(rte_umr_dev_info_get(bed.dev_id, &info));
	if ((info.dev_capa & RTE_UMR_CAPA_MKEY_CRYPTO) != 0)
		TEST_SKIP("needs a device without crypto");
	TEST_ASSERT_EQUAL(info.dev_capa & capa, 0);
	TEST_ASSERT_EQUAL(info.max_deks, 0);
	TEST_ASSERT_EQUAL(info.crypto_unit_sizes, 0);
	TEST_ASSERT_SUCCESS(login_rejected(bed.dev_id, &login, ENOTSUP));
	return dek_rejected(&bed, &conf, ENOTSUP);
}

/* What a crypto officer may do, on device 0 of this process. */
static int
delete_credential(void)
{
	const char *lib = getenv("SWHCA_LIB");
	char line[8192];

	snprintf(line, sizeof(line), "LD_PRELOAD= '%.*s/swhca-ctl' delete-credential %ld 0",
		 (int)(strrchr(lib, '/') - lib), lib, (long)getpid());
	const int ret = system(line);
	return WIFEXITED(ret) ? WEXITSTATUS(ret) : -1;
}

/* The last one: its credential does not come back. */
AT_CASE(dek, login_ends_with_its_credential_keys_do_not)
{
	uint8_t key[RTE_UMR_DEK_KEY_MAX];
	uint8_t state;
	struct rte_umr_dek_attr attr;
	struct rte_umr_dek_conf conf;
	struct dek_bed bed;

	TEST_NEED(bed_enter(env, &bed));
	if (!bed.is_wrapped)
		TEST_SKIP("needs a device that takes wrapped keys");
	TEST_ASSERT_SUCCESS(rte_umr_crypto_login_query(bed.login, &state));
	TEST_ASSERT_EQUAL(state, RTE_UMR_CRYPTO_LOGIN_VALID);
	TEST_ASSERT_EQUAL(rte_umr_crypto_login_query(bed.login, NULL), -EINVAL);
	TEST_ASSERT_SUCCESS(bed_dek_conf(&bed, RTE_UMR_DEK_128, true, key, &conf));
	struct rte_umr_dek *const dek = TEST_NOT_NULL(rte_umr_dek_create(bed.dev_id, &conf));
	TEST_ASSERT_SUCCESS(delete_credential());
	TEST_ASSERT_SUCCESS(rte_umr_crypto_login_query(bed.login, &state));
	TEST_ASSERT_EQUAL(state, RTE_UMR_CRYPTO_LOGIN_INVALID);
	TEST_ASSERT_SUCCESS(dek_rejected(&bed, &conf, EINVAL));
	TEST_ASSERT_EQUAL(rte_umr_dek_query(dek, &attr), -EINVAL);
	TEST_ASSERT_SUCCESS(rte_umr_crypto_login_destroy(bed.login));
	TEST_ASSERT_ERRNO(bed_login(&bed), EINVAL);
	TEST_ASSERT_EQUAL(rte_umr_dev_close(bed.dev_id), -EBUSY);
	return rte_umr_dek_destroy(dek);
}
