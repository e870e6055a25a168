/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Keys and credentials that were given to the device are found nowhere in this process afterwards,
 * but where the device keeps them; once a key is destroyed, nowhere at all. The device is a
 * software one, so that its memory is this process's, too.
 *
 * What is searched for is held inverted, so that the search does not find itself.
 */

#include <string.h>
#include <sys/random.h>

#include "control.h"
#include "crypto/crypto.h"

#include "model/xts_ref.h"

#define CHUNK   0x10000u
/* What is searched for, a part at a time: one block of AES. */
#define PATTERN 16u

struct needle {
	uint8_t inverted[PATTERN];
};

static struct needle
needle_of(const uint8_t *bytes)
{
	struct needle needle;

	for (uint32_t i = 0; i < PATTERN; i++)
		needle.inverted[i] = (uint8_t)~bytes[i];
	return needle;
}

static bool
is_needle(const struct needle *needle, const uint8_t *at)
{
	for (uint32_t i = 0; i < PATTERN; i++)
		if ((at[i] ^ needle->inverted[i]) != UINT8_MAX)
			return false;
	return true;
}

/* How often it is in a range of this process; what cannot be read holds nothing. */
static uint32_t
range_count(FILE *mem, uint64_t start, uint64_t end, const struct needle *needle)
{
	/* Not on the stack, which is searched, too: whoever searches wipes what it has read. */
	static uint8_t chunk[CHUNK + PATTERN];
	const uint64_t self = (uintptr_t)chunk;
	const uint8_t first = (uint8_t)~needle->inverted[0];
	const uint8_t *found, *last;
	uint32_t nb = 0;
	uint64_t at, i;
	size_t len;

	for (at = start; at < end; at += CHUNK) {
		if (fseeko(mem, (off_t)at, SEEK_SET) != 0)
			break;
		len = end - at < sizeof(chunk) ? end - at : sizeof(chunk);
		len = fread(chunk, 1, len, mem);
		/* Behind this it begins in the next chunk, or has no room. */
		last = chunk + RTE_MIN(CHUNK, len < PATTERN ? 0 : len - PATTERN + 1);
		for (found = chunk; found < last; found++) {
			/* One byte gives nothing away. */
			found = memchr(found, first, (size_t)(last - found));
			if (found == NULL)
				break;
			i = (uint64_t)(found - chunk);
			if (is_needle(needle, found) && (at + i < self || at + i >= self +
							 sizeof(chunk)))
				nb++;
		}
		explicit_bzero(chunk, sizeof(chunk));
	}
	return nb;
}

/* In all that this process can write to. */
static int
needle_count(const struct needle *needle, uint32_t *nb)
{
	FILE *maps = fopen("/proc/self/maps", "re"), *mem = fopen("/proc/self/mem", "re");
	uint64_t start, end;
	char line[512], mode[5];

	*nb = 0;
	TEST_ASSERT(maps != NULL && mem != NULL);
	setvbuf(mem, NULL, _IONBF, 0);
	while (fgets(line, sizeof(line), maps) != NULL) {
		TEST_ASSERT(sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s", &start, &end, mode) == 3);
		if (mode[0] == 'r' && mode[1] == 'w')
			*nb += range_count(mem, start, end, needle);
	}
	fclose(maps);
	fclose(mem);
	return TEST_SUCCESS;
}

/* Each part of a secret is in this process so often. */
static int
parts_are_there(const struct needle *parts, uint32_t nb_parts, uint32_t wanted, const char *when)
{
	uint32_t i, nb;

	for (i = 0; i < nb_parts; i++) {
		TEST_ASSERT_SUCCESS(needle_count(&parts[i], &nb));
		if (nb != wanted)
			TEST_FAIL_AT("%s: bytes %u to %u are in memory %u times, not %u", when,
				     i * PATTERN, (i + 1) * PATTERN - 1, nb, wanted);
	}
	return TEST_SUCCESS;
}

/* Random bytes are nowhere else by chance. */
static int
secret_draw(uint8_t *secret, size_t len)
{
	TEST_ASSERT_EQUAL(getrandom(secret, len, 0), len);
	return TEST_SUCCESS;
}

static void
parts_of(struct needle *parts, uint32_t nb_parts, const uint8_t *secret)
{
	for (uint32_t i = 0; i < nb_parts; i++)
		parts[i] = needle_of(secret + i * PATTERN);
}

static int
bed_open(struct crypto_bed *bed, struct at_env *env)
{
	TEST_NEED(crypto_bed_open(bed, env));
	if (!at_has_control()) {
		printf("needs a device whose memory can be searched\n");
		TEST_ASSERT_SUCCESS(crypto_bed_close(bed));
		return TEST_SKIPPED;
	}
	return TEST_SUCCESS;
}

/* Data pass through a DEK: encrypted, as OpenSSL does it. */
static int
dek_use(struct crypto_bed *bed, const struct rte_umr_dek *dek)
{
	const struct rte_umr_crypto crypto = crypto_of(dek, 512, true);
	const uint8_t *buf = bed->env->tx->buf;

	TEST_ACCEPT(crypto_key_configure(bed, &crypto, PLAIN, 512, 1));
	TEST_ACCEPT(crypto_key_write(bed, 512, CIPHER));
	TEST_ASSERT_SUCCESS(at_finish(bed->env, 2));
	TEST_ACCEPT(at_first_difference(buf + PLAIN, buf + CIPHER, 512));
	return TEST_SUCCESS;
}

AT_CASE(wiped, destroyed_key_is_nowhere)
{
	struct needle parts[KEY_LEN / PATTERN];
	uint8_t key[KEY_LEN];
	struct crypto_bed bed;

	TEST_NEED(bed_open(&bed, env));
	TEST_ASSERT_SUCCESS(secret_draw(key, sizeof(key)));
	parts_of(parts, RTE_DIM(parts), key);
	/* That the search finds what is there. */
	TEST_ASSERT_SUCCESS(parts_are_there(parts, RTE_DIM(parts), 1, "drawn"));
	struct rte_umr_dek *const dek = TEST_NOT_NULL(crypto_dek_create(&bed, key, true, NULL));
	explicit_bzero(key, sizeof(key));
	TEST_ASSERT_SUCCESS(parts_are_there(parts, RTE_DIM(parts), 1, "given to the device"));
	TEST_ASSERT_SUCCESS(dek_use(&bed, dek));
	TEST_ASSERT_SUCCESS(parts_are_there(parts, RTE_DIM(parts), 1, "used"));
	TEST_ASSERT_SUCCESS(rte_umr_dek_destroy(dek));
	TEST_ASSERT_SUCCESS(parts_are_there(parts, RTE_DIM(parts), 0, "destroyed"));
	return crypto_bed_close(&bed);
}

AT_CASE(wiped, rejected_key_is_nowhere)
{
	struct needle parts[KEY_LEN / PATTERN];
	uint8_t key[KEY_LEN];
	struct crypto_bed bed;

	TEST_NEED(bed_open(&bed, env));
	TEST_ASSERT_SUCCESS(secret_draw(key, sizeof(key)));
	parts_of(parts, RTE_DIM(parts), key);
	TEST_ASSERT_SUCCESS(at_command_fail(1));
	TEST_ASSERT(crypto_dek_create(&bed, key, true, NULL) == NULL);
	explicit_bzero(key, sizeof(key));
	TEST_ASSERT_SUCCESS(parts_are_there(parts, RTE_DIM(parts), 0, "rejected"));
	return crypto_bed_close(&bed);
}

AT_CASE(wiped, credential_is_nowhere)
{
	struct needle parts[RTE_UMR_CREDENTIAL_LEN / PATTERN];
	uint8_t credential[RTE_UMR_CREDENTIAL_LEN];
	const struct rte_umr_crypto_login_conf conf = { .credential = credential };
	struct crypto_bed bed;

	TEST_NEED(bed_open(&bed, env));
	if (bed.login == NULL) {
		printf("needs a device with logins\n");
		TEST_ASSERT_SUCCESS(crypto_bed_close(&bed));
		return TEST_SKIPPED;
	}
	TEST_ASSERT(xts_ref_credential(credential));
	parts_of(parts, RTE_DIM(parts), credential);
	struct rte_umr_crypto_login *const login = rte_umr_crypto_login_create(bed.dev_id, &conf);
	explicit_bzero(credential, sizeof(credential));
	TEST_ASSERT(login != NULL);
	TEST_ASSERT_SUCCESS(parts_are_there(parts, RTE_DIM(parts), 0, "logged in"));
	TEST_ASSERT_SUCCESS(rte_umr_crypto_login_destroy(login));
	return crypto_bed_close(&bed);
}
