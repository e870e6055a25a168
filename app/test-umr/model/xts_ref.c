/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <string.h>

#include <openssl/evp.h>

#include "model/xts_ref.h"

#define MIN_LEN 16u

/* Both are in the guide of the software ConnectX and are not secret. */
static const char import_kek[] = "swhca-import-kek-0123456789abcde";
static const char credential[] = "swhca-credential-0123456789abcdefghijklm";

/* Little-endian increment. */
static void
tweak_next(uint8_t *tweak)
{
	size_t i;

	for (i = 0; i < XTS_REF_TWEAK_LEN; i++)
		if (++tweak[i] != 0)
			break;
}

bool
xts_ref_crypt(const uint8_t *key, size_t key_len, const uint8_t first[XTS_REF_TWEAK_LEN],
	      size_t unit, const uint8_t *in, uint8_t *out, size_t len, bool encrypt)
{
	const EVP_CIPHER *cipher = key_len == 64 ? EVP_aes_256_xts() : EVP_aes_128_xts();
	EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
	uint8_t tweak[XTS_REF_TWEAK_LEN];
	bool is_ok = ctx != NULL;

	memcpy(tweak, first, sizeof(tweak));
	while (is_ok && len > 0) {
		size_t nb = len < unit ? len : unit;
		int done = 0;

		is_ok = nb >= MIN_LEN &&
			EVP_CipherInit_ex(ctx, cipher, NULL, key, tweak, encrypt) == 1 &&
			EVP_CipherUpdate(ctx, out, &done, in, (int)nb) == 1 && (size_t)done == nb;
		tweak_next(tweak);
		in += nb;
		out += nb;
		len -= nb;
	}
	EVP_CIPHER_CTX_free(ctx);
	return is_ok;
}

bool
xts_ref_wrap(const uint8_t *in, size_t len, uint8_t *out)
{
	EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
	int done = 0;
	bool is_ok;

	if (ctx == NULL)
		return false;
	EVP_CIPHER_CTX_set_flags(ctx, EVP_CIPHER_CTX_FLAG_WRAP_ALLOW);
	is_ok = EVP_EncryptInit_ex(ctx, EVP_aes_256_wrap(), NULL, (const uint8_t *)import_kek,
				   NULL) == 1 &&
		EVP_EncryptUpdate(ctx, out, &done, in, (int)len) == 1 &&
		(size_t)done == len + XTS_REF_WRAP_LEN;
	EVP_CIPHER_CTX_free(ctx);
	return is_ok;
}

bool
xts_ref_credential(uint8_t *out)
{
	return xts_ref_wrap((const uint8_t *)credential, sizeof(credential) - 1, out);
}
