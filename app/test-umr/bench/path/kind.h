/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef BENCH_KIND_H
#define BENCH_KIND_H

/**
 * @file
 * What the layouts configure in addition to access and pieces: signatures and encryption, and the
 * keys for them and for updates. The functions that free accept zeroed objects.
 *
 * Signature keys are few, because completion rings have an entry for each of them, and larger rings
 * would change the cost of other rows. Keys of updates are few, because the driver has a copy of
 * their lists. All paths use the keys in the same order.
 */

#include <string.h>

#include <infiniband/mlx5dv.h>

#include "bench/path/path.h"

/** What distinguishes a layout. */
struct bench_kind {
	const char *name;
	enum rte_umr_op_type op;	/**< Without the write of a mixed one. */
	uint32_t min_entries;		/**< Of a row. */
	uint32_t max_inline;		/**< Instead of BENCH_MAX_INLINE; 0: the same. */
	bool has_no_entries;		/**< Rows do not differ in their number of entries. */
	bool has_no_bursts;		/**< There are no calls for several operations. */
	bool is_rte_only;		/**< libmlx5 does not offer it. */
	/** RTE_UMR_MKEY_SET_SIG and RTE_UMR_MKEY_SET_CRYPTO, or 0. */
	uint32_t setters;
	uint32_t sig_type;	/**< enum rte_umr_sig_type */
	uint32_t nb_domains;	/**< Domains with a signature. */
	bool is_trans;		/**< Signature of a transaction. */
};

extern const struct bench_kind bench_kinds[BENCH_NB_LAYOUTS];

/** Entries of a row if a number was asked for that may not fit the layout. */
uint32_t bench_kind_entries(enum bench_layout layout, uint32_t nb_entries);

/** Two different AES keys of encrypted keys; their values do not affect the cost on the CPU. */
#define BENCH_AES_KEYS_LEN	32u
extern const uint8_t bench_aes_keys[BENCH_AES_KEYS_LEN];

/** Flags of the pool of its keys; 0: it uses plain keys. */
uint16_t bench_kind_pool_flags(enum bench_layout layout);
/** Most keys with a signature: each takes two PSVs, in several layouts and paths. */
#define BENCH_MAX_SIG_KEYS	8192u
/** Keys that a row uses if it may use that many. */
uint32_t bench_kind_nb_keys(enum bench_layout layout, uint32_t max_keys);
/** Keys of the pool of a layout; 0: it uses plain keys. */
uint32_t bench_kind_pool_keys(enum bench_layout layout, uint32_t max_keys);

/** Keys of a layout by rte_umr; zeroed for plain keys. */
struct bench_kind_rte {
	struct rte_umr_mkey_pool *pool;
	struct rte_umr_mkey **mkeys;	/* in the order of the pool */
	uint32_t nb_mkeys;
	struct rte_umr_dek *dek;
	/* Of each operation of a batch; NULL: none. They differ in their tags and tweaks. */
	struct rte_umr_sig *sigs;
	struct rte_umr_crypto *cryptos;
	uint64_t next;			/* tag or tweak of the next operation */
};

/**
 * Create nb keys and what operations refer to. Print an error and return false on failure; the
 * close function frees what was created.
 */
bool bench_kind_rte_open(struct bench_kind_rte *ctx, int16_t dev_id, enum bench_layout layout,
			 uint32_t nb, uint32_t max_entries);
void bench_kind_rte_close(struct bench_kind_rte *ctx);

/** Operation i gets the next tweak or reference tag, or both; which is constant. */
static __rte_always_inline void
bench_kind_next(struct bench_kind_rte *kind, uint32_t i, const bool has_tweak, const bool has_tag)
{
	if (has_tweak)
		memcpy(kind->cryptos[i].tweak, &kind->next, sizeof(kind->next));
	if (has_tag)
		kind->sigs[i].mem.ref_tag = kind->sigs[i].wire.ref_tag = (uint32_t)kind->next;
	if (has_tweak || has_tag)
		kind->next++;
}

/** Keys of a layout by libmlx5; zeroed for plain keys. */
struct bench_kind_dv {
	struct mlx5dv_mkey **mkeys;	/* in the order of creation */
	uint32_t nb_mkeys;
	struct mlx5dv_sig_crc crc;
	struct mlx5dv_sig_t10dif dif;
	struct mlx5dv_sig_block_domain domain;
	struct mlx5dv_sig_block_attr sig;
	struct mlx5dv_crypto_attr crypto;
	uint64_t next;			/* tag or tweak of the next operation */
};

bool bench_kind_dv_open(struct bench_kind_dv *ctx, struct ibv_context *ibv, struct ibv_pd *pd,
			const struct bench_setup *setup, enum bench_layout layout);
void bench_kind_dv_close(struct bench_kind_dv *ctx);

#endif /* BENCH_KIND_H */
