/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <string.h>

#include "mem/bsf/crypto.h"

/* 128-bit little-endian addition. */
static void
tweak_add(uint8_t *tweak, uint64_t nb)
{
	unsigned int carry = 0, i, sum;

	for (i = 0; i < SWHCA_XTS_TWEAK_SIZE; i++) {
		sum = tweak[i] + carry + (i < 8 ? (unsigned int)(nb >> (8 * i) & 0xff) : 0);
		tweak[i] = (uint8_t)sum;
		carry = sum >> 8;
	}
}

int
swhca_cipher_init(struct swhca_cipher *cipher, const uint8_t *key, size_t key_len,
		  const uint8_t *tweak, uint64_t first, uint32_t unit, bool encrypt)
{
	const EVP_CIPHER *type = key_len == SWHCA_XTS_MAX_KEY ? EVP_aes_256_xts() :
								EVP_aes_128_xts();
	EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();

	cipher->ctx = NULL;
	if (ctx == NULL)
		return -ENOMEM;
	if (EVP_CipherInit_ex(ctx, type, NULL, key, tweak, encrypt) != 1) {
		EVP_CIPHER_CTX_free(ctx);
		return -EINVAL;
	}
	cipher->ctx = ctx;
	cipher->unit = unit;
	cipher->nb_held = 0;
	memcpy(cipher->tweak, tweak, sizeof(cipher->tweak));
	tweak_add(cipher->tweak, first);
	return 0;
}

/* One call is one data unit: OpenSSL uses ciphertext stealing at its end. */
static size_t
unit_crypt(struct swhca_cipher *cipher)
{
	size_t len = cipher->nb_held;
	int nb = 0;

	cipher->nb_held = 0;
	if (EVP_CipherInit_ex(cipher->ctx, NULL, NULL, NULL, cipher->tweak, -1) != 1 ||
	    EVP_CipherUpdate(cipher->ctx, cipher->done, &nb, cipher->held, (int)len) != 1)
		return 0;
	tweak_add(cipher->tweak, 1);
	return (size_t)nb;
}

size_t
swhca_cipher_take(struct swhca_cipher *cipher, const uint8_t *data, size_t len, size_t *nb_done)
{
	size_t room = cipher->unit - cipher->nb_held;
	size_t nb = len < room ? len : room;

	memcpy(cipher->held + cipher->nb_held, data, nb);
	cipher->nb_held += (uint32_t)nb;
	*nb_done = cipher->nb_held == cipher->unit ? unit_crypt(cipher) : 0;
	return nb;
}

size_t
swhca_cipher_end(struct swhca_cipher *cipher)
{
	return cipher->nb_held >= SWHCA_CIPHER_MIN_UNIT ? unit_crypt(cipher) : 0;
}

void
swhca_cipher_fini(struct swhca_cipher *cipher)
{
	if (cipher->ctx == NULL)
		return;
	EVP_CIPHER_CTX_free(cipher->ctx);
	cipher->ctx = NULL;
	OPENSSL_cleanse(cipher->held, sizeof(cipher->held));
	OPENSSL_cleanse(cipher->done, sizeof(cipher->done));
}

int
swhca_key_unwrap(const uint8_t *kek, size_t kek_len, const uint8_t *in, size_t len, uint8_t *out)
{
	EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
	int nb = 0, ret = -EINVAL;

	if (ctx == NULL)
		return -EINVAL;
	EVP_CIPHER_CTX_set_flags(ctx, EVP_CIPHER_CTX_FLAG_WRAP_ALLOW);
	if (EVP_DecryptInit_ex(ctx, kek_len == 32 ? EVP_aes_256_wrap() : EVP_aes_128_wrap(), NULL,
			       kek, NULL) == 1 &&
	    EVP_DecryptUpdate(ctx, out, &nb, in, (int)len) == 1 && (size_t)nb == len - 8)
		ret = 0;
	EVP_CIPHER_CTX_free(ctx);
	return ret;
}
