/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef VERIFY_SIG_H
#define VERIFY_SIG_H

/**
 * @file
 * Random signatures and damage to the data that they protect.
 */

#include <stdio.h>

#include "model/prng.h"
#include "model/sig_ref.h"
#include "verify/bed/bed.h"
#include "verify/bed/layout.h"
#include "verify/bed/move.h"

/** Maximum number of bit flips in a case. */
#define SIG_MAX_DAMAGE	3u

/** Flipped bits in a block of the source domain. */
struct sig_flip {
	uint32_t block;
	uint32_t byte;	/**< Byte of the block; its field follows the data. */
	uint8_t bits;
};

/** Damage of the source. */
struct sig_damage {
	uint32_t nb_flips;
	struct sig_flip flips[SIG_MAX_DAMAGE];
	/**
	 * Bytes at the end of a T10-DIF field that are all ones, starting at the application tag.
	 */
	uint32_t nb_ones;
	uint32_t ones_block;
};

/** Queues with room for errors of BED_NB_MKEYS keys. */
extern const struct bed_conf sig_bed_conf;

/** Keys with signatures. */
#define VERIFY_SIG_POOL                                                                            \
	{ .nb_mkeys = BED_NB_MKEYS, .max_entries = LAYOUT_MAX_PIECES,                              \
	  .flags = RTE_UMR_MKEY_POOL_F_SIG }

/** Ways to configure a key with a signature. */
#define VERIFY_SIG_WAYS                                                                            \
	{ "signature and layout at once", { VERIFY_STEP_ALL } },                                   \
	{ "signature, then layout", { RTE_UMR_MKEY_SET_SIG, VERIFY_STEP_PLAIN } },                 \
	{ "layout, then signature", { VERIFY_STEP_PLAIN, RTE_UMR_MKEY_SET_SIG } },                 \
	{ "another signature is overridden",                                                       \
	  { RTE_UMR_MKEY_SET_SIG | VERIFY_STEP_OTHER, VERIFY_STEP_ALL } },                         \
	{ "set, reset and set again",                                                              \
	  { VERIFY_STEP_ALL, RTE_UMR_MKEY_RESET_SIG, RTE_UMR_MKEY_SET_SIG } }

/**
 * Enqueue the operations that configure a key in one of the ways. The configuration to be replaced
 * has a signature of T10-DIF blocks and a list of five bytes.
 */
bool verify_sig_configure(const struct verify_way *way, struct verify_ops *ops,
			  struct rte_umr_mkey *mkey, const struct layout *layout,
			  const struct rte_umr_sig *sig, uint32_t access);

/** Generate a signature that the device supports. */
void sig_gen(struct prng *prng, const struct rte_umr_dev_info *info, struct rte_umr_sig *sig);

/** Bytes of data that form whole blocks in both domains. */
uint32_t sig_unit(const struct rte_umr_sig *sig);

/** Generate damage of data_len bytes of data, or none. */
void sig_damage_gen(struct prng *prng, const struct rte_umr_sig_domain *domain, uint64_t data_len,
		    struct sig_damage *damage);

/** Apply damage to bytes of the domain, starting at byte data_from of the data. */
void sig_damage_do(const struct sig_damage *damage, const struct rte_umr_sig_domain *domain,
		   uint64_t data_from, uint64_t data_len, uint8_t *image);

/** Describe a signature and its damage in lines that start with a prefix. */
void sig_print(FILE *f, const char *prefix, const struct rte_umr_sig *sig,
	       const struct sig_damage *damage);

/** Check after a transfer that a key reports an error, and none when it is checked again. */
void verify_sig_compare(struct rte_umr_mkey *mkey, const struct verify_move *move, uint32_t round,
			const struct rte_umr_mkey_error *expected, struct case_result *result);

/**
 * Compare the error of a key with the expected one.
 *
 * @return
 *   Whether they match; otherwise why is set.
 */
bool sig_check(struct rte_umr_mkey *mkey, const struct rte_umr_mkey_error *expected, char *why,
	       size_t why_size);

#endif /* VERIFY_SIG_H */
