/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_SIG_H
#define MLX5_UMR_SIG_H

/**
 * @file
 * Signatures: bytes and values computed from arguments. No I/O, no queue policy.
 *
 * A signature is a byte stream format (BSF) of 64 bytes after the KLMs of an UMR, followed by one
 * SET_PSV WQE for each domain with a signature; for a transaction, initially and after an error,
 * because its BSF starts the sum (t_init). The bytes are those that libmlx5 writes for the
 * same request (rdma-core 44, providers/mlx5/qp.c: mlx5_umr_fill_sig_bsf(), mlx5_umr_set_psv()),
 * with one exception, see mlx5_umr_sig_copy_mask(). Those of a transaction, which libmlx5 does not
 * support, are the same as in SPDK (lib/mlx5/mlx5_umr.c, mlx5_set_umr_sig_bsf_seg()).
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <mlx5_prm_sig.h>
#include <mlx5_prm_wqe.h>
#include <rte_umr.h>

#include "wqe/wqe.h"

/** The domains, as indices. */
enum {
	MLX5_UMR_SIG_MEM = 0,
	MLX5_UMR_SIG_WIRE,
	MLX5_UMR_SIG_NB_DOMAINS,
};

/* SET_PSV: control segment and one octoword. */
#define MLX5_UMR_SET_PSV_DS	(MLX5_UMR_CTRL_DS + PRM_SET_PSV_SIZE / PRM_WQE_DS_SIZE)
#define MLX5_UMR_SET_PSV_WQEBB	1u
static_assert(MLX5_UMR_SET_PSV_DS <= PRM_WQE_DS_PER_BB, "SET_PSV is one block");

/* BSF, in octowords and blocks. */
#define MLX5_UMR_BSF_DS		(PRM_BSF_SIZE / PRM_WQE_DS_SIZE)
#define MLX5_UMR_BSF_WQEBB	(PRM_BSF_SIZE / PRM_WQE_BB_SIZE)
static_assert(PRM_BSF_SIZE == PRM_WQE_BB_SIZE, "a BSF is a block");

/** A size of blocks and data units. */
struct mlx5_umr_block {
	uint16_t size;
	uint8_t selector;	/* enum prm_bsf_bs */
	uint8_t capa;		/* RTE_UMR_SIG_BLOCK_* */
};

#define MLX5_UMR_BLOCK_HASH_MASK	7u
/** Index of a size in the table, unique for each valid size. */
#define MLX5_UMR_BLOCK_HASH(size)	(((uint32_t)(size) * 35 >> 7) & MLX5_UMR_BLOCK_HASH_MASK)

extern const struct mlx5_umr_block mlx5_umr_blocks[MLX5_UMR_BLOCK_HASH_MASK + 1]
	__attribute__((visibility("hidden")));

/** Block of a size; selector is PRM_BSF_BS_NONE if there is none. */
static __rte_always_inline struct mlx5_umr_block
mlx5_umr_block_find(uint16_t size)
{
	const struct mlx5_umr_block block = mlx5_umr_blocks[MLX5_UMR_BLOCK_HASH(size)];

	return block.size == size ? block : (struct mlx5_umr_block){ .selector = PRM_BSF_BS_NONE };
}

/** Signature capabilities of a device. */
struct mlx5_umr_sig_caps {
	uint32_t types;		/* bit n: enum rte_umr_sig_type n */
	uint32_t block_sizes;	/* RTE_UMR_SIG_BLOCK_* */
	uint32_t trans_types;	/* like types, for transactions */
};

static inline bool
mlx5_umr_sig_is_t10dif(const struct rte_umr_sig_domain *domain)
{
	return domain->type == RTE_UMR_SIG_T10DIF_CRC || domain->type == RTE_UMR_SIG_T10DIF_CSUM;
}

/** Whether the signature of a domain covers all the data. */
static inline bool
mlx5_umr_sig_domain_is_trans(const struct rte_umr_sig_domain *domain)
{
	return domain->type != RTE_UMR_SIG_NONE &&
	       (domain->flags & RTE_UMR_SIG_DOMAIN_F_TRANSACTION) != 0;
}

static inline bool
mlx5_umr_sig_is_trans(const struct rte_umr_sig *sig)
{
	if (likely(((sig->mem.flags | sig->wire.flags) & RTE_UMR_SIG_DOMAIN_F_TRANSACTION) == 0))
		return false;
	return mlx5_umr_sig_domain_is_trans(&sig->mem) || mlx5_umr_sig_domain_is_trans(&sig->wire);
}

/** Number of SET_PSV WQEs of a signature. */
static inline uint32_t
mlx5_umr_sig_nb_psv(const struct rte_umr_sig *sig)
{
	return (uint32_t)(sig->mem.type != RTE_UMR_SIG_NONE) +
	       (uint32_t)(sig->wire.type != RTE_UMR_SIG_NONE);
}

/**
 * Check whether a device supports a signature.
 *
 * @param why
 *   Written on error: reason, with the value and the limit.
 * @return
 *   0, -EINVAL, or -ENOTSUP if only other devices support it.
 */
int mlx5_umr_sig_check(const struct mlx5_umr_sig_caps *caps, const struct rte_umr_sig *sig,
		       char *why, size_t why_size);

/** Whether the field of one domain can be copied to the other one. */
bool mlx5_umr_sig_is_same_structure(const struct rte_umr_sig *sig);

/**
 * Bytes of the field that are copied between domains of the same structure.
 *
 * libmlx5 copies a CRC if its type is the same and a reference tag if its start is. Here the seed
 * and the increment must be the same, too: otherwise the copy would be wrong in its new domain.
 */
uint8_t mlx5_umr_sig_copy_mask(const struct rte_umr_sig *sig);

/**
 * Write a signature BSF, all of its PRM_BSF_SIZE bytes. Both domains may be without a signature,
 * before a crypto BSF.
 */
void mlx5_umr_sig_bsf_build(uint8_t *bsf, const struct rte_umr_sig *sig,
			    const uint32_t psv[MLX5_UMR_SIG_NB_DOMAINS], bool has_crypto);

/** The same for a transaction signature; mlx5_umr_sig_bsf_set_len() completes it. */
void mlx5_umr_sig_trans_build(uint8_t *bsf, const struct rte_umr_sig *sig,
			      const uint32_t psv[MLX5_UMR_SIG_NB_DOMAINS]);

/** Set the data bytes that a transaction covers. */
static __rte_always_inline void
mlx5_umr_sig_bsf_set_len(uint8_t *bsf, uint32_t data_len)
{
	((uint32_t *)bsf)[1] = mlx5_umr_be32(data_len);
}

/** Initial signature of a domain, for its PSV. */
uint64_t mlx5_umr_sig_transient(const struct rte_umr_sig_domain *domain);

/** Octoword of a SET_PSV WQE, as in memory: the PSV, no syndrome, the initial signature. */
struct mlx5_umr_psv {
	uint64_t word[PRM_SET_PSV_SIZE / sizeof(uint64_t)];
};

struct mlx5_umr_psv mlx5_umr_psv_make(uint32_t psv, uint64_t transient);

/**
 * Build a SET_PSV WQE: one block, aligned to 16, of which MLX5_UMR_SET_PSV_DS octowords are
 * written. The prefix is that of an UMR at its index, without a size.
 */
static __rte_always_inline void
mlx5_umr_set_psv_store(uint8_t *wqe, mlx5_umr_prefix_t prefix, const struct mlx5_umr_psv *psv)
{
	uint64_t *dst = (uint64_t *)wqe;

	prefix ^= (mlx5_umr_prefix_t){
		(uint64_t)(MLX5_OPCODE_UMR ^ PRM_OPCODE_SET_PSV) << 32 | MLX5_UMR_SET_PSV_DS,
	};
	/* The high byte: an index that wraps. */
	*(mlx5_umr_2x64 *)wqe = mlx5_umr_shuffle(prefix, (mlx5_umr_16x8){
		MLX5_UMR_Z, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8 });
	/* A tag may have just been stored. */
	dst[2] = psv->word[0];
	dst[3] = psv->word[1];
}

/**
 * Precomputed bytes of a key's signature, because keys get the same signature repeatedly. The BSF
 * of a transaction lacks the length of the data.
 */
struct mlx5_umr_sig_image {
	uint64_t bsf[PRM_BSF_SIZE / sizeof(uint64_t)]; /* without a following encryption */
	struct mlx5_umr_psv psvs[MLX5_UMR_SIG_NB_DOMAINS];
	uint16_t nb_psv;	/* number of PSVs; 0: no signature */
	bool is_trans;		/* it is a transaction, whose field in memory has these bytes: */
	uint8_t trans_field;
};

void mlx5_umr_sig_image_build(struct mlx5_umr_sig_image *image, const struct rte_umr_sig *sig,
			      const uint32_t psv[MLX5_UMR_SIG_NB_DOMAINS]);

/** Bits of a signature BSF that is followed by that of an encryption. */
#define MLX5_UMR_BSF_AND_CRYPTO	RTE_BE64((uint64_t)PRM_BSF_LEN_SIG_AND_CRYPTO << 62)
static_assert((PRM_BSF_LEN_SIG_AND_CRYPTO & PRM_BSF_LEN_WITH_INLINE) == PRM_BSF_LEN_WITH_INLINE &&
	      (PRM_BSF_LEN_SIG_AND_CRYPTO & PRM_BSF_LEN_EXTENDED) == PRM_BSF_LEN_EXTENDED,
	      "a bit more");

/** Copy a signature BSF to a WQE. @return End of it. */
static __rte_always_inline uint8_t *
mlx5_umr_sig_bsf_copy(uint8_t *dst, const uint64_t *bsf, bool has_crypto)
{
	mlx5_umr_2x64_u *to = (mlx5_umr_2x64_u *)dst;
	const mlx5_umr_2x64_u *from = (const mlx5_umr_2x64_u *)bsf;

	/* Without AVX, gcc copies vectors of 32 bytes by way of the stack. */
	to[0] = from[0];
	to[1] = from[1];
	to[2] = from[2];
	to[3] = from[3];
	if (has_crypto)
		*(uint64_t *)dst = bsf[0] | MLX5_UMR_BSF_AND_CRYPTO;
	return dst + PRM_BSF_SIZE;
}

/** BSF without a signature, before that of an encryption. */
extern const uint64_t mlx5_umr_no_sig_bsf[PRM_BSF_SIZE / sizeof(uint64_t)]
	__attribute__((visibility("hidden")));

/** Tags of a T10-DIF domain: in its inline section, and in the initial value of its PSV. */
static __rte_always_inline void
mlx5_umr_sig_domain_retag(uint64_t *bsf, uint64_t *copy, unsigned int inl_byte,
			  struct mlx5_umr_psv *psv, const struct rte_umr_sig_domain *domain)
{
	/* Application tag and reference tag have the same bits in both. */
	const uint64_t tag_bits = RTE_BE64((uint64_t)UINT16_MAX << 32 | UINT32_MAX);
	const uint64_t tags = mlx5_umr_be64((uint64_t)domain->app_tag << 32 | domain->ref_tag);
	const unsigned int at = inl_byte / sizeof(*bsf);

	copy[at] = bsf[at] = (bsf[at] & ~tag_bits) | tags;
	psv->word[1] = (psv->word[1] & ~tag_bits) | tags;
}

/**
 * Update a built signature after a change of tags only: same result as building it again. Validity
 * does not depend on tags. The copy of its BSF in a WQE is updated, too: a copy made afterwards
 * would wait for these stores, which are narrower than its loads.
 */
static __rte_always_inline void
mlx5_umr_sig_image_retag(struct mlx5_umr_sig_image *image, const struct rte_umr_sig *sig,
			 uint64_t *copy)
{
	const uint64_t copy_bits = RTE_BE64(UINT64_C(0xff) << 40);
	const bool is_mem = mlx5_umr_sig_is_t10dif(&sig->mem);
	const bool is_wire = mlx5_umr_sig_is_t10dif(&sig->wire);
	uint64_t mask;

	if (is_mem)
		mlx5_umr_sig_domain_retag(image->bsf, copy, PRM_BSF_M_INL_BYTE,
					  &image->psvs[0], &sig->mem);
	if (is_wire)
		mlx5_umr_sig_domain_retag(image->bsf, copy, PRM_BSF_W_INL_BYTE,
					  &image->psvs[image->nb_psv - 1], &sig->wire);
	/* With the same block structure, equal tags are copied. */
	if (is_mem && is_wire && sig->mem.block_size == sig->wire.block_size) {
		mask = mlx5_umr_be64((uint64_t)mlx5_umr_sig_copy_mask(sig) << 40);
		image->bsf[0] = (image->bsf[0] & ~copy_bits) | mask;
		copy[0] = (copy[0] & ~copy_bits) | mask;
	}
}

#define MLX5_UMR_SIG_SIZE_BITS	((uint64_t)UINT16_MAX)

/** Difference of two signatures. */
struct mlx5_umr_sig_diff {
	uint64_t tags;	/* not 0: tags differ, even if unused */
	uint64_t rest;	/* not 0: other fields differ */
};

static __rte_always_inline struct mlx5_umr_sig_diff
mlx5_umr_sig_compare(const struct rte_umr_sig *a, const struct rte_umr_sig *b)
{
	typedef uint64_t word __attribute__((aligned(4), may_alias));
	const word *x = (const word *)a, *y = (const word *)b;
	/* The second word of a domain contains its block size and tags. */
	const uint64_t second = (x[1] ^ y[1]) | (x[3] ^ y[3]);

	return (struct mlx5_umr_sig_diff){
		.tags = second & ~MLX5_UMR_SIG_SIZE_BITS,
		.rest = (x[0] ^ y[0]) | (x[2] ^ y[2]) | (x[4] ^ y[4]) |
			(second & MLX5_UMR_SIG_SIZE_BITS),
	};
}

static_assert(sizeof(struct rte_umr_sig) == 5 * sizeof(uint64_t), "no padding, five words");
static_assert(offsetof(struct rte_umr_sig_domain, block_size) == sizeof(uint64_t) &&
	      sizeof(struct rte_umr_sig_domain) == 2 * sizeof(uint64_t), "the second word");

/** Content of a signature error CQE, independent of the configuration of the key. */
struct mlx5_umr_sigerr {
	uint64_t expected;
	uint64_t actual;
	uint64_t offset;
	uint32_t mkey;
	uint32_t qpn;
	uint16_t syndrome;
	uint8_t sig_type;
	uint8_t domain;
	/* mlx5_umr_sig_type_of() the domains of the key; not in the CQE. */
	uint8_t types[MLX5_UMR_SIG_NB_DOMAINS];
};

/* Flag of a type: signature of a transaction. */
#define MLX5_UMR_SIG_TYPE_TRANS	(RTE_UMR_SIG_DOMAIN_F_TRANSACTION << 3)
static_assert(MLX5_UMR_SIG_TYPE_TRANS == 0x80, "beyond all types, in a byte");

/** Type for decoding an error of a domain: enum rte_umr_sig_type, and the flag above. */
static inline uint8_t
mlx5_umr_sig_type_of(const struct rte_umr_sig_domain *domain)
{
	return (uint8_t)(domain->type |
			 (domain->flags & RTE_UMR_SIG_DOMAIN_F_TRANSACTION) << 3);
}

/** Read a signature error CQE. */
void mlx5_umr_sigerr_read(const void *cqe, struct mlx5_umr_sigerr *err);

/**
 * Decode an error; types are filled in.
 *
 * @return
 *   0, or -EPROTO if its kind is unknown.
 */
int mlx5_umr_sigerr_decode(const struct mlx5_umr_sigerr *err, struct rte_umr_mkey_error *error);

#endif /* MLX5_UMR_SIG_H */
