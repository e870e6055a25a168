/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_CRYPTO_H
#define MLX5_UMR_CRYPTO_H

/**
 * @file
 * Encryption of a key: checks, and bytes computed from arguments. No I/O, no queue policy.
 *
 * An encryption is a byte stream format (BSF) of 64 bytes after the KLMs of an UMR and, if the key
 * supports a signature, after its BSF. The bytes are those that libmlx5 writes for the same request
 * (rdma-core 44, providers/mlx5/qp.c: mlx5_umr_fill_crypto_bsf()).
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <rte_byteorder.h>

#include <mlx5_prm_sig.h>
#include <rte_umr.h>

#include "wqe/sig.h"
#include "wqe/wqe.h"

/** Crypto capabilities of a device, including the form of keys. */
struct mlx5_umr_crypto_caps {
	bool has_xts;		/* crypto is supported */
	bool has_multi_block;	/* several data units in a key; the tweak is big endian then */
	bool has_block_4048;
	bool is_wrapped;	/* keys must be wrapped */
	bool can_login;		/* login is supported */
	uint8_t log_max_dek;
};

static_assert(RTE_UMR_TWEAK_LEN == PRM_BSF_TWEAK_SIZE && PRM_BSF_TWEAK_BYTE == 16, "tweak");
static_assert(RTE_UMR_KEYTAG_LEN == PRM_BSF_KEYTAG_SIZE && PRM_BSF_KEYTAG_BYTE == 40, "key tag");

/** Longest key with a BSF: raw_data_size has 32 bits. */
#define MLX5_UMR_BSF_MAX_LEN UINT32_MAX

/**
 * Check whether a device supports an encryption.
 *
 * @param dev_id
 *   Device of the key.
 * @param why
 *   Written on error: reason, with the value and the limit.
 * @return
 *   0, -EINVAL, -EXDEV for a DEK of another device, -EKEYREJECTED for one in error, or -ENOTSUP if
 *   only other devices support it.
 */
int mlx5_umr_crypto_check(const struct mlx5_umr_crypto_caps *caps, int16_t dev_id,
			  const struct rte_umr_crypto *crypto, char *why, size_t why_size);

/** bs_selector of a data unit; PRM_BSF_BS_NONE if there is none. */
static inline uint8_t
mlx5_umr_crypto_selector(uint16_t size)
{
	return mlx5_umr_block_find(size).selector;
}

/** Same as mlx5_umr_crypto_check(), without a reason; NULL is invalid, too. */
static inline bool
mlx5_umr_crypto_is_good(const struct mlx5_umr_crypto_caps *caps, int16_t dev_id,
			const struct rte_umr_crypto *crypto)
{
	return crypto != NULL && crypto->standard == RTE_UMR_CRYPTO_AES_XTS &&
	       (crypto->order == RTE_UMR_CRYPTO_SIG_AFTER ||
		crypto->order == RTE_UMR_CRYPTO_SIG_BEFORE) &&
	       (crypto->reserved | crypto->reserved2 | crypto->reserved3) == 0 &&
	       mlx5_umr_crypto_selector(crypto->data_unit_size) != PRM_BSF_BS_NONE &&
	       (crypto->data_unit_size != 4048 || caps->has_block_4048) && crypto->dek != NULL &&
	       crypto->dek->dev_id == dev_id && crypto->dek->state == RTE_UMR_DEK_READY;
}

/** Position of the cipher. */
static inline uint8_t
mlx5_umr_crypto_order(const struct rte_umr_crypto *crypto)
{
	bool is_after = crypto->order == RTE_UMR_CRYPTO_SIG_AFTER;

	if (crypto->encrypt_on_tx)
		return is_after ? PRM_BSF_ENC_RAW_WIRE : PRM_BSF_ENC_WIRE_SIGNATURE;
	return is_after ? PRM_BSF_ENC_MEMORY_SIGNATURE : PRM_BSF_ENC_RAW_MEMORY;
}

/**
 * Check whether an encryption is compatible with a signature; sig is NULL if there is none.
 *
 * @return
 *   0 or -EINVAL; why as above.
 */
int mlx5_umr_crypto_sig_check(enum prm_bsf_enc_order order, const struct rte_umr_sig *sig,
			      char *why, size_t why_size);

/**
 * Bytes that pass the cipher when a whole key moves: those of the wire, of memory, or the data
 * alone, depending on the order (table in mlx5dv_wr_set_mkey_crypto(3)).
 *
 * @param sig
 *   Signature of the key, or NULL.
 * @param len
 *   Bytes of its layout, including signature fields in memory.
 */
uint64_t mlx5_umr_crypto_pass_len(enum prm_bsf_enc_order order, const struct rte_umr_sig *sig,
				  uint64_t len);

/**
 * Longest key whose data the cipher of the device can process: one data unit, or the maximum of
 * raw_data_size.
 */
uint32_t mlx5_umr_crypto_len_max(const struct mlx5_umr_crypto_caps *caps, uint16_t unit_size,
				 enum prm_bsf_enc_order order, const struct rte_umr_sig *sig);

/**
 * Check whether a key of len bytes can have data units of unit_size bytes.
 *
 * @return
 *   0 or -ERANGE; why as above.
 */
int mlx5_umr_crypto_len_check(const struct mlx5_umr_crypto_caps *caps, uint16_t unit_size,
			      enum prm_bsf_enc_order order, const struct rte_umr_sig *sig,
			      uint64_t len, char *why, size_t why_size);

/* AES-XTS is standard 0 of the BSF (rdma-core, mlx5_ifc.h), so it is omitted here. */

/** Dword of a BSF from a field's value. */
static inline uint32_t
mlx5_umr_crypto_bits(struct prm_field field, uint32_t value)
{
	return value << field.lsb;
}

/**
 * An encryption without tweak and tag, and the current state of the DEK. A checked encryption stays
 * valid as long as this is equal, even if a DEK has the address of another one.
 */
struct mlx5_umr_crypto_what {
	const struct rte_umr_dek *dek;
	uint64_t dek_word;	/* id, dev_id, size, state */
	uint64_t word[2];	/* from standard on; reserved */
};

#define MLX5_UMR_CRYPTO_WORDS	offsetof(struct rte_umr_crypto, standard)
static_assert(offsetof(struct rte_umr_crypto, dek) == 0 &&
	      MLX5_UMR_CRYPTO_WORDS == sizeof(uint64_t) &&
	      offsetof(struct rte_umr_crypto, tweak) == 2 * sizeof(uint64_t), "one word");
static_assert(offsetof(struct rte_umr_dek, id) == 0 &&
	      offsetof(struct rte_umr_dek, state) == sizeof(uint64_t) - 1, "one word");

static __rte_always_inline struct mlx5_umr_crypto_what
mlx5_umr_crypto_what_of(const struct rte_umr_crypto *crypto)
{
	struct mlx5_umr_crypto_what what = { .dek = crypto->dek };

	memcpy(&what.dek_word, crypto->dek, sizeof(what.dek_word));
	memcpy(&what.word[0], &crypto->standard, sizeof(what.word[0]));
	what.word[1] = crypto->reserved3;
	return what;
}

/** Whether two encryptions are equal; a DEK may be missing. */
static __rte_always_inline bool
mlx5_umr_crypto_is_what(const struct mlx5_umr_crypto_what *what,
			const struct rte_umr_crypto *crypto)
{
	struct mlx5_umr_crypto_what now;

	if (crypto->dek != what->dek || crypto->dek == NULL)
		return false;
	now = mlx5_umr_crypto_what_of(crypto);
	return ((now.dek_word ^ what->dek_word) | (now.word[0] ^ what->word[0]) |
		(now.word[1] ^ what->word[1])) == 0;
}

/** Words of a crypto BSF that can be nonzero, as in memory; zeros follow. */
struct mlx5_umr_crypto_bsf {
	uint64_t word[6];
};

#define MLX5_UMR_BSF_TWEAK_WORD		(PRM_BSF_TWEAK_BYTE / sizeof(uint64_t))
#define MLX5_UMR_BSF_DEK_WORD		4u
#define MLX5_UMR_BSF_KEYTAG_WORD	(PRM_BSF_KEYTAG_BYTE / sizeof(uint64_t))

/** Set the fields that change with each request: tweak and tag. */
static __rte_always_inline void
mlx5_umr_crypto_bsf_retweak(struct mlx5_umr_crypto_bsf *bsf,
			    const struct mlx5_umr_crypto_caps *caps,
			    const struct rte_umr_crypto *crypto)
{
	uint64_t *word = &bsf->word[MLX5_UMR_BSF_TWEAK_WORD], tweak[2];

	memcpy(tweak, crypto->tweak, sizeof(tweak));
	/* A device that counts data units uses big-endian numbers. */
	word[0] = caps->has_multi_block ? __builtin_bswap64(tweak[1]) : tweak[0];
	word[1] = caps->has_multi_block ? __builtin_bswap64(tweak[0]) : tweak[1];
	memcpy(&bsf->word[MLX5_UMR_BSF_KEYTAG_WORD], crypto->keytag, sizeof(bsf->word[0]));
}

/**
 * Compute a crypto BSF.
 *
 * @param crypto
 *   Checked.
 * @param has_sig
 *   It follows the BSF of a signature.
 */
static __rte_always_inline struct mlx5_umr_crypto_bsf
mlx5_umr_crypto_bsf_make(const struct mlx5_umr_crypto_caps *caps,
			 const struct rte_umr_crypto *crypto, bool has_sig)
{
	const uint8_t selector = mlx5_umr_crypto_selector(crypto->data_unit_size);
	const uint32_t len = has_sig ? PRM_BSF_LEN_SIG_AND_CRYPTO : PRM_BSF_LEN_WITH_INLINE;
	struct mlx5_umr_crypto_bsf bsf = { {
		mlx5_umr_be64((uint64_t)(mlx5_umr_crypto_bits(PRM_BSF_LEN, len) |
				   mlx5_umr_crypto_bits(PRM_BSF_TYPE, PRM_BSF_TYPE_CRYPTO) |
				   mlx5_umr_crypto_bits(PRM_BSF_ENC_ORDER,
							mlx5_umr_crypto_order(crypto)))
				   << 32 | MLX5_UMR_BSF_MAX_LEN),
		mlx5_umr_be64((uint64_t)mlx5_umr_crypto_bits(PRM_BSF_UNIT_SELECTOR, selector)
				 << 32),
		[MLX5_UMR_BSF_DEK_WORD] = mlx5_umr_be64((uint64_t)crypto->dek->id << 32),
	} };

	mlx5_umr_crypto_bsf_retweak(&bsf, caps, crypto);
	return bsf;
}

static_assert(RTE_UMR_KEYTAG_LEN == sizeof(uint64_t) &&
	      PRM_BSF_KEYTAG_BYTE == 5 * sizeof(uint64_t), "a word");

/** Store it, PRM_BSF_SIZE bytes, aligned to 8. */
static __rte_always_inline void
mlx5_umr_crypto_bsf_store(void *dst, const struct mlx5_umr_crypto_bsf *bsf)
{
	uint64_t *word = dst;

#pragma GCC unroll 6
	for (unsigned int i = 0; i < RTE_DIM(bsf->word); i++)
		word[i] = bsf->word[i];
	mlx5_umr_zero_16(&word[RTE_DIM(bsf->word)]);
}

/** Store a BSF with another tweak and tag, and keep them. */
static __rte_always_inline void
mlx5_umr_crypto_bsf_renew(void *dst, struct mlx5_umr_crypto_bsf *bsf,
			  const struct mlx5_umr_crypto_caps *caps,
			  const struct rte_umr_crypto *crypto)
{
	/* In registers: stores to the ring could overlap it for the compiler. */
	struct mlx5_umr_crypto_bsf now = *bsf;

	mlx5_umr_crypto_bsf_retweak(&now, caps, crypto);
	mlx5_umr_crypto_bsf_store(dst, &now);
	bsf->word[MLX5_UMR_BSF_TWEAK_WORD] = now.word[MLX5_UMR_BSF_TWEAK_WORD];
	bsf->word[MLX5_UMR_BSF_TWEAK_WORD + 1] = now.word[MLX5_UMR_BSF_TWEAK_WORD + 1];
	bsf->word[MLX5_UMR_BSF_KEYTAG_WORD] = now.word[MLX5_UMR_BSF_KEYTAG_WORD];
}

#endif /* MLX5_UMR_CRYPTO_H */
