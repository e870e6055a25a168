/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_CRYPTO_H
#define SWHCA_CRYPTO_H

/**
 * @file
 * AES-XTS over data units (IEEE 1619) and AES key unwrap (RFC 3394); OpenSSL does the cipher.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Maximum data unit size in bytes. */
#define SWHCA_CIPHER_MAX_UNIT	4160u
/** Minimum: one AES block. */
#define SWHCA_CIPHER_MIN_UNIT	16u
#define SWHCA_XTS_TWEAK_SIZE	16u
/** Maximum key pair size. */
#define SWHCA_XTS_MAX_KEY	64u

/** State of a stream of data units. */
struct swhca_cipher {
	void *ctx;			/**< EVP_CIPHER_CTX; NULL: unused. */
	uint32_t unit;			/**< Bytes of a data unit. */
	uint32_t nb_held;		/**< Bytes of the current unit. */
	uint8_t tweak[SWHCA_XTS_TWEAK_SIZE];	/**< Tweak of the current unit, little endian. */
	uint8_t held[SWHCA_CIPHER_MAX_UNIT];
	uint8_t done[SWHCA_CIPHER_MAX_UNIT];	/**< The last completed unit. */
};

/**
 * Start a stream.
 *
 * @param key
 *   Data key followed by tweak key; key_len, 32 or 64 bytes, is the size of both.
 * @param tweak
 *   Little-endian number of data unit 0.
 * @param first
 *   First data unit of the stream.
 * @return
 *   0, -EINVAL (a key that OpenSSL rejects: both halves equal) or -ENOMEM.
 */
int swhca_cipher_init(struct swhca_cipher *cipher, const uint8_t *key, size_t key_len,
		      const uint8_t *tweak, uint64_t first, uint32_t unit, bool encrypt);

/**
 * Consume bytes up to the end of the current unit.
 *
 * @return
 *   Number of bytes consumed. When the unit is full, *nb_done bytes are in cipher->done; else it is
 *   0.
 */
size_t swhca_cipher_take(struct swhca_cipher *cipher, const uint8_t *data, size_t len,
			 size_t *nb_done);

/** End the stream: write the rest of the last unit to cipher->done. @return Its size. */
size_t swhca_cipher_end(struct swhca_cipher *cipher);

/** Free what swhca_cipher_init() has allocated, and erase keys. Accepts a zeroed struct. */
void swhca_cipher_fini(struct swhca_cipher *cipher);

/**
 * AES key unwrap (RFC 3394) with the default initial value.
 *
 * @param kek
 *   Key of 16 or 32 bytes.
 * @param in
 *   len bytes, a multiple of 8, at least 24.
 * @param out
 *   len - 8 bytes.
 * @return
 *   0, or -EINVAL if the bytes were not wrapped by this key.
 */
int swhca_key_unwrap(const uint8_t *kek, size_t kek_len, const uint8_t *in, size_t len,
		     uint8_t *out);

#endif /* SWHCA_CRYPTO_H */
