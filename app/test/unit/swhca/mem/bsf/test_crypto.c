/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* The ciphers against the vectors of their standards. */

#include "cases.h"
#include "mem/bsf/crypto.h"

struct xts_vector {
	const char *key;	/* hex: data key, tweak key */
	const char *tweak;	/* as the cipher takes it */
	const char *plain;
	const char *cipher;
};

/* IEEE 1619-2007, annex B: vectors 2, 3 and, with a stolen end, 15 and 18. */
static const struct xts_vector xts_vectors[] = {
	{ "1111111111111111111111111111111122222222222222222222222222222222",
	  "33333333330000000000000000000000",
	  "4444444444444444444444444444444444444444444444444444444444444444",
	  "c454185e6a16936e39334038acef838bfb186fff7480adc4289382ecd6d394f0" },
	{ "fffefdfcfbfaf9f8f7f6f5f4f3f2f1f022222222222222222222222222222222",
	  "33333333330000000000000000000000",
	  "4444444444444444444444444444444444444444444444444444444444444444",
	  "af85336b597afc1a900b2eb21ec949d292df4c047e0b21532186a5971a227a89" },
	{ "fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0bfbebdbcbbbab9b8b7b6b5b4b3b2b1b0",
	  "9a785634120000000000000000000000",
	  "000102030405060708090a0b0c0d0e0f10",
	  "6c1625db4671522d3d7599601de7ca09ed" },
	{ "fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0bfbebdbcbbbab9b8b7b6b5b4b3b2b1b0",
	  "9a785634120000000000000000000000",
	  "000102030405060708090a0b0c0d0e0f10111213",
	  "9d84c813f719aa2c7be3f66171c7c5c2edbf9dac" },
};

static size_t
from_hex(const char *hex, uint8_t *out)
{
	static const char digits[] = "0123456789abcdef";
	size_t i, len = strlen(hex) / 2;

	for (i = 0; i < len; i++)
		out[i] = (uint8_t)((strchr(digits, hex[2 * i]) - digits) << 4 |
				   (strchr(digits, hex[2 * i + 1]) - digits));
	return len;
}

static void
crypt(const struct xts_vector *v, bool encrypt, uint8_t *out)
{
	static struct swhca_cipher cipher;
	uint8_t key[64], tweak[16], in[64];
	size_t key_len = from_hex(v->key, key);
	size_t len = from_hex(encrypt ? v->plain : v->cipher, in), nb_done;

	from_hex(v->tweak, tweak);
	assert_int_equal(swhca_cipher_init(&cipher, key, key_len, tweak, 0, (uint32_t)len, encrypt),
			 0);
	/* A unit may come in pieces. */
	assert_int_equal(swhca_cipher_take(&cipher, in, 1, &nb_done), 1);
	assert_int_equal(nb_done, 0);
	assert_int_equal(swhca_cipher_take(&cipher, in + 1, len, &nb_done), len - 1);
	assert_int_equal(nb_done, len);
	memcpy(out, cipher.done, len);
	assert_int_equal(swhca_cipher_end(&cipher), 0);
	swhca_cipher_fini(&cipher);
}

CASE(xts_has_the_vectors_of_ieee_1619)
{
	uint8_t out[64], want[64];
	size_t i, len;

	for (i = 0; i < NB_OF(xts_vectors); i++) {
		len = from_hex(xts_vectors[i].cipher, want);
		crypt(&xts_vectors[i], true, out);
		assert_memory_equal(out, want, len);
		from_hex(xts_vectors[i].plain, want);
		crypt(&xts_vectors[i], false, out);
		assert_memory_equal(out, want, len);
	}
}

/* Unit n of a stream is unit 0 of one whose tweak is n more, over all 128 bits. */
CASE(tweak_counts_data_units)
{
	static struct swhca_cipher a, b;
	uint8_t key[64], tweak[16], next[16] = { 0 }, data[64] = { 0 };
	size_t nb;

	from_hex(xts_vectors[1].key, key);
	memset(tweak, 0xff, sizeof(tweak));
	tweak[15] = 0x7f;
	next[15] = 0x80;
	assert_int_equal(swhca_cipher_init(&a, key, 32, tweak, 0, 32, true), 0);
	assert_int_equal(swhca_cipher_take(&a, data, 32, &nb), 32);
	assert_int_equal(swhca_cipher_take(&a, data, 32, &nb), 32);
	assert_int_equal(swhca_cipher_init(&b, key, 32, next, 0, 32, true), 0);
	assert_int_equal(swhca_cipher_take(&b, data, 32, &nb), 32);
	assert_memory_equal(a.done, b.done, 32);
	swhca_cipher_fini(&b);
	assert_int_equal(swhca_cipher_init(&b, key, 32, tweak, 1, 32, true), 0);
	assert_int_equal(swhca_cipher_take(&b, data, 32, &nb), 32);
	assert_memory_equal(a.done, b.done, 32);
	swhca_cipher_fini(&a);
	swhca_cipher_fini(&b);
}

CASE(twice_the_same_key_is_rejected)
{
	static struct swhca_cipher cipher;
	uint8_t key[32] = { 0 }, tweak[16] = { 0 };

	assert_int_equal(swhca_cipher_init(&cipher, key, 32, tweak, 0, 512, true), -EINVAL);
	assert_null(cipher.ctx);
	swhca_cipher_fini(&cipher);
}

/* RFC 3394, 4.1 and 4.6. */
CASE(keys_unwrap_as_the_rfc_says)
{
	uint8_t kek[32], in[40], want[32], out[40];
	size_t len;

	from_hex("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f", kek);
	from_hex("00112233445566778899aabbccddeeff000102030405060708090a0b0c0d0e0f", want);
	len = from_hex("1fa68b0a8112b447aef34bd8fb5a7b829d3e862371d2cfe5", in);
	assert_int_equal(swhca_key_unwrap(kek, 16, in, len, out), 0);
	assert_memory_equal(out, want, 16);
	len = from_hex("28c9f404c4b810f4cbccb35cfb87f8263f5786e2d80ed326"
		       "cbc7f0e71a99f43bfb988b9b7a02dd21", in);
	assert_int_equal(swhca_key_unwrap(kek, 32, in, len, out), 0);
	assert_memory_equal(out, want, 32);
	in[7] ^= 1;
	assert_int_equal(swhca_key_unwrap(kek, 32, in, len, out), -EINVAL);
	in[7] ^= 1;
	kek[0] ^= 1;
	assert_int_equal(swhca_key_unwrap(kek, 32, in, len, out), -EINVAL);
}
