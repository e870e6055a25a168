/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef VERIFY_SIG_H
#define VERIFY_SIG_H

/**
 * @file
 * Random signatures for the modes that have some, and damage to what they protect.
 */

#include <stdio.h>

#include "model/prng.h"
#include "model/sig_pass.h"
#include "verify/bed/bed.h"
#include "verify/bed/layout.h"

struct verify_env;

/** Flips of bits in a case. */
#define SIG_MAX_DAMAGE	3u

/** Bits that are flipped in a block of the domain that data come from. */
struct sig_flip {
	uint32_t block;
	uint32_t byte;	/**< Of the block; its field follows the data. */
	uint8_t bits;
};

/** What is wrong with the source. */
struct sig_damage {
	uint32_t nb_flips;
	struct sig_flip flips[SIG_MAX_DAMAGE];
	/** Bytes at the end of a T10-DIF field that are all ones, from the application tag on. */
	uint32_t nb_ones;
	uint32_t ones_block;
};

/** How a signature comes to its key; a mode may count its own ways from VERIFY_SIG_NB_WAYS on. */
enum verify_sig_way {
	VERIFY_SIG_AT_ONCE,
	VERIFY_SIG_FIRST,	/**< Then access and layout, by rte_umr_mkey_list() and so on. */
	VERIFY_SIG_LAST,
	VERIFY_SIG_TWICE,	/**< One of T10-DIF blocks first. */
	VERIFY_SIG_AGAIN,	/**< Set, reset and set again. */
	VERIFY_SIG_NB_WAYS,
};

/** What a key with a signature is to become. */
struct verify_sig_key {
	struct rte_umr_mkey *mkey;
	const struct layout *layout;
	const struct rte_umr_sig *sig;
	uint32_t access;
};

/** Queues with room for the errors of BED_NB_MKEYS keys. */
extern const struct bed_conf sig_bed_conf;

/** Setup of a mode: pools of keys with signatures, which verify_pools_teardown() destroys. */
bool verify_sig_setup(struct verify_env *env);

/** What a way is called in the description of a case. */
const char *verify_sig_way_name(enum verify_sig_way way);

/** Signature, access and layout at once, after which the key is good for transfers. */
bool verify_sig_all_add(const struct verify_sig_key *key, struct verify_ops *ops);

/** The operations that bring the signature to its key in one of the ways. */
bool verify_sig_configure(const struct verify_sig_key *key, enum verify_sig_way way,
			  struct verify_ops *ops);

/** A signature that the device can do. */
void sig_gen(struct prng *prng, const struct rte_umr_dev_info *info, struct rte_umr_sig *sig);

/** Bytes of data that make whole blocks in both domains. */
uint32_t sig_unit(const struct rte_umr_sig *sig);

/** Something wrong with data_len bytes of data, or nothing. */
void sig_damage_gen(struct prng *prng, const struct rte_umr_sig_domain *domain, uint64_t data_len,
		    struct sig_damage *damage);

/** Do it to bytes of the domain that begin at byte data_from of the data. */
void sig_damage_do(const struct sig_damage *damage, const struct rte_umr_sig_domain *domain,
		   uint64_t data_from, uint64_t data_len, uint8_t *image);

/** Tell a signature and what is wrong, in lines that start with a prefix. */
void sig_print(FILE *f, const char *prefix, const struct rte_umr_sig *sig,
	       const struct sig_damage *damage);

/**
 * Compare the error of a key with what it should be.
 *
 * @return
 *   Whether it is that; why is written if not.
 */
bool sig_check(struct rte_umr_mkey *mkey, const struct rte_umr_mkey_error *expected, char *why,
	       size_t why_size);

#endif /* VERIFY_SIG_H */
