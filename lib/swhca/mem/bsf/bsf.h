/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_BSF_H
#define SWHCA_BSF_H

/**
 * @file
 * Byte stream formats (BSF): what a signed or encrypted key looks like in memory and on the wire.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mlx5_prm_sig.h"
#include "include/model.h"
#include "mem/bsf/sig_calc.h"

/** When a T10-DIF block is not checked. */
enum swhca_sig_escape {
	SWHCA_SIG_ESCAPE_NONE,
	SWHCA_SIG_ESCAPE_APP,		/**< Its application tag is all ones. */
	SWHCA_SIG_ESCAPE_APP_REF,	/**< And so is its reference tag. */
};

/** One domain, memory or wire. */
struct swhca_sig_domain {
	enum swhca_sig_type type;
	enum swhca_sig_escape escape;
	bool seed_ones;
	bool inc_ref;		/**< The reference tag counts blocks. */
	bool refresh;		/**< Tags are those here, not those of the PSV. */
	uint16_t app_tag;
	uint16_t app_mask;	/**< Bits of the application tag that are checked. */
	uint32_t ref_tag;
	uint32_t block;		/**< Data bytes of a block. */
	uint32_t psv;
	/**
	 * One signature over all the data, which are its block, maybe in several transfers and
	 * keys: between them the sum is in the PSV.
	 */
	bool is_trans;
	bool t_init;		/**< The sum begins anew with the first byte of the key. */
	bool t_check_gen;	/**< The field is behind the last byte of the key. */
};

/** Bytes of the signature field behind each block of a domain. */
static inline uint32_t
swhca_sig_domain_field(const struct swhca_sig_domain *domain)
{
	if (domain->is_trans && !domain->t_check_gen)
		return 0;
	return swhca_sig_field_len(domain->type);
}

struct swhca_bsf_sig {
	struct swhca_sig_domain mem;
	struct swhca_sig_domain wire;
	bool same_structure;	/**< Blocks of both domains are laid out alike. */
	uint8_t check_mask;	/**< Bytes of the input signature that are checked. */
	uint8_t copy_mask;	/**< Bytes that are copied rather than generated. */
	uint32_t raw_size;	/**< Data bytes that it describes. */
};

struct swhca_bsf_crypto {
	enum prm_bsf_enc_order order;
	uint32_t unit;		/**< Bytes of a data unit. */
	uint32_t raw_size;
	uint32_t dek;
	uint8_t tweak[PRM_BSF_TWEAK_SIZE];	/**< Of the first unit, as the device has it. */
	uint8_t keytag[PRM_BSF_KEYTAG_SIZE];
};

struct swhca_bsf {
	bool has_sig;
	bool has_crypto;
	struct swhca_bsf_sig sig;
	struct swhca_bsf_crypto crypto;
};

/**
 * Take BSFs apart.
 *
 * @param data
 *   BSFs behind each other.
 * @param len
 *   Bytes of them.
 * @param bsf
 *   Written on success.
 * @return
 *   NULL, or why they are rejected.
 */
const char *swhca_bsf_parse(const uint8_t *data, size_t len, struct swhca_bsf *bsf);

/** Whether a model can do what a BSF says. @return NULL, or why it cannot. */
const char *swhca_bsf_check_model(const struct swhca_bsf *bsf, enum swhca_model model);

#endif /* SWHCA_BSF_H */
