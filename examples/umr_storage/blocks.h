/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef BLOCKS_H
#define BLOCKS_H

/*
 * Encryption and protection of stored blocks on a CPU, by OpenSSL and ISA-L:
 *
 *     stored   | ciphertext of a block | T10-DIF of it |   ...
 *              AES-256-XTS, tweak: LBA   guard: CRC of the ciphertext; application tag;
 *                                        reference tag: the low half of the LBA
 */

#include <stdbool.h>
#include <stdint.h>

#include <openssl/evp.h>

#define BLOCKS_DIF_LEN 8
#define BLOCKS_APP_TAG 0x5107
#define BLOCKS_KEY_LEN 64 /* two AES keys of 256 bits */

/* Error of a block; same order as enum rte_umr_mkey_error_type. */
enum blocks_fault {
	BLOCKS_GOOD = 0,
	BLOCKS_GUARD,
	BLOCKS_APP,
	BLOCKS_REF,
};

struct blocks {
	uint32_t block_len;
	EVP_CIPHER_CTX *encrypt; /* NULL: stored in plaintext */
	EVP_CIPHER_CTX *decrypt;
};

/* Without a key, blocks are not encrypted. Returns 0 or -ENOMEM. */
int blocks_init(struct blocks *b, uint32_t block_len, const uint8_t *key);
void blocks_fini(struct blocks *b);

/* Encrypt a block and append its T10-DIF. Source and destination may be equal. */
void blocks_seal(const struct blocks *b, uint64_t lba, const uint8_t *plain, uint8_t *stored);

/* Check the T10-DIF of a block and decrypt it. Source and destination may be equal. */
enum blocks_fault blocks_open(const struct blocks *b, uint64_t lba, const uint8_t *stored,
			      uint8_t *plain);

#endif /* BLOCKS_H */
