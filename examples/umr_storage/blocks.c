/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <isa-l/crc.h>
#include <rte_byteorder.h>
#include <rte_debug.h>

#include "blocks.h"

/* Field after a block; SBC-3. */
struct dif {
	rte_be16_t guard;
	rte_be16_t app_tag;
	rte_be32_t ref_tag;
};

int
blocks_init(struct blocks *b, uint32_t block_len, const uint8_t *key)
{
	*b = (struct blocks){ .block_len = block_len };
	if (key == NULL)
		return 0;
	b->encrypt = EVP_CIPHER_CTX_new();
	b->decrypt = EVP_CIPHER_CTX_new();
	if (b->encrypt == NULL || b->decrypt == NULL ||
	    EVP_EncryptInit_ex(b->encrypt, EVP_aes_256_xts(), NULL, key, NULL) != 1 ||
	    EVP_DecryptInit_ex(b->decrypt, EVP_aes_256_xts(), NULL, key, NULL) != 1) {
		blocks_fini(b);
		return -ENOMEM;
	}
	return 0;
}

void
blocks_fini(struct blocks *b)
{
	EVP_CIPHER_CTX_free(b->encrypt);
	EVP_CIPHER_CTX_free(b->decrypt);
	*b = (struct blocks){ 0 };
}

/* Process a data unit; its tweak is its LBA, little endian. */
static void
crypt_block(const struct blocks *b, EVP_CIPHER_CTX *ctx, uint64_t lba, const uint8_t *in,
	    uint8_t *out)
{
	const uint64_t tweak[2] = { rte_cpu_to_le_64(lba), 0 };
	int len;

	if (ctx == NULL) {
		if (in != out)
			memcpy(out, in, b->block_len);
		return;
	}
	RTE_VERIFY(EVP_CipherInit_ex(ctx, NULL, NULL, NULL, (const uint8_t *)tweak, -1) == 1 &&
		   EVP_CipherUpdate(ctx, out, &len, in, (int)b->block_len) == 1);
}

void
blocks_seal(const struct blocks *b, uint64_t lba, const uint8_t *plain, uint8_t *stored)
{
	struct dif dif = { .app_tag = RTE_BE16(BLOCKS_APP_TAG) };

	crypt_block(b, b->encrypt, lba, plain, stored);
	dif.guard = rte_cpu_to_be_16(crc16_t10dif(0, stored, b->block_len));
	dif.ref_tag = rte_cpu_to_be_32((uint32_t)lba);
	memcpy(stored + b->block_len, &dif, sizeof(dif));
}

enum blocks_fault
blocks_open(const struct blocks *b, uint64_t lba, const uint8_t *stored, uint8_t *plain)
{
	struct dif dif;

	memcpy(&dif, stored + b->block_len, sizeof(dif));
	if (rte_be_to_cpu_16(dif.guard) != crc16_t10dif(0, stored, b->block_len))
		return BLOCKS_GUARD;
	if (rte_be_to_cpu_16(dif.app_tag) != BLOCKS_APP_TAG)
		return BLOCKS_APP;
	if (rte_be_to_cpu_32(dif.ref_tag) != (uint32_t)lba)
		return BLOCKS_REF;
	crypt_block(b, b->decrypt, lba, stored, plain);
	return BLOCKS_GOOD;
}
