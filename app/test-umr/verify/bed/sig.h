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
#include "model/sig_pass.h"
#include "verify/bed/bed.h"
#include "verify/bed/layout.h"

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

/** Ways to configure the signature of a key; a mode may add its own from VERIFY_SIG_NB_WAYS on. */
enum verify_sig_way {
	VERIFY_SIG_AT_ONCE,
	VERIFY_SIG_FIRST,	/**< Then access and layout, as by rte_umr_mkey_list(). */
	VERIFY_SIG_LAST,
	VERIFY_SIG_TWICE,	/**< After a signature of T10-DIF blocks. */
	VERIFY_SIG_AGAIN,	/**< Set, reset and set again. */
	VERIFY_SIG_NB_WAYS,
};

/** Configuration of a key with a signature. */
struct verify_sig_key {
	struct rte_umr_mkey *mkey;
	const struct layout *layout;
	const struct rte_umr_sig *sig;
	uint32_t access;
};

/** Queues with room for errors of BED_NB_MKEYS keys. */
extern const struct bed_conf sig_bed_conf;

/** Keys with signatures. */
#define VERIFY_SIG_POOL                                                                            \
	{ .nb_mkeys = BED_NB_MKEYS, .max_entries = LAYOUT_MAX_PIECES,                              \
	  .flags = RTE_UMR_MKEY_POOL_F_SIG }

/** Name of a way in the description of a case. */
const char *verify_sig_way_name(enum verify_sig_way way);

/** Set signature, access and layout at once; the key can then be used for transfers. */
bool verify_sig_all_add(const struct verify_sig_key *key, struct verify_ops *ops);

/** Enqueue the operations that configure the signature in one of the ways. */
bool verify_sig_configure(const struct verify_sig_key *key, enum verify_sig_way way,
			  struct verify_ops *ops);

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

/**
 * Compare the error of a key with the expected one.
 *
 * @return
 *   Whether they match; otherwise why is set.
 */
bool sig_check(struct rte_umr_mkey *mkey, const struct rte_umr_mkey_error *expected, char *why,
	       size_t why_size);

#endif /* VERIFY_SIG_H */
