/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_BSF_H
#define SWHCA_BSF_H

/**
 * @file
 * Byte stream formats (BSF): layout of a signed or encrypted key in memory and on the wire.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mlx5_prm_sig.h"
#include "include/model.h"
#include "mem/bsf/sig_calc.h"

/** Condition to skip the check of a T10-DIF block. */
enum swhca_sig_escape {
	SWHCA_SIG_ESCAPE_NONE,
	SWHCA_SIG_ESCAPE_APP,		/**< Its application tag is all ones. */
	SWHCA_SIG_ESCAPE_APP_REF,	/**< And its reference tag is all ones. */
};

/** One domain, memory or wire. */
struct swhca_sig_domain {
	enum swhca_sig_type type;
	enum swhca_sig_escape escape;
	bool seed_ones;
	bool inc_ref;		/**< The reference tag is incremented per block. */
	bool refresh;		/**< Tags are taken from here, not from the PSV. */
	uint16_t app_tag;
	uint16_t app_mask;	/**< Checked bits of the application tag. */
	uint32_t ref_tag;
	uint32_t block;		/**< Data bytes of a block. */
	uint32_t psv;
	/**
	 * One signature over all data, which form one block, possibly in several transfers and
	 * keys: the PSV holds the sum between them.
	 */
	bool is_trans;
	bool t_init;		/**< The sum restarts at the first byte of the key. */
	bool t_check_gen;	/**< The field follows the last byte of the key. */
};

/** Size of the signature field after each block of a domain. */
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
	bool same_structure;	/**< Blocks of both domains have the same layout. */
	uint8_t check_mask;	/**< Checked bytes of the input signature. */
	uint8_t copy_mask;	/**< Bytes copied instead of generated. */
	uint32_t raw_size;	/**< Number of data bytes described. */
};

struct swhca_bsf_crypto {
	enum prm_bsf_enc_order order;
	uint32_t unit;		/**< Bytes of a data unit. */
	uint32_t raw_size;
	uint32_t dek;
	uint8_t tweak[PRM_BSF_TWEAK_SIZE];	/**< Tweak of the first unit, in device format. */
	uint8_t keytag[PRM_BSF_KEYTAG_SIZE];
};

struct swhca_bsf {
	bool has_sig;
	bool has_crypto;
	struct swhca_bsf_sig sig;
	struct swhca_bsf_crypto crypto;
};

/**
 * Parse BSFs.
 *
 * @param data
 *   Consecutive BSFs.
 * @param len
 *   Their size in bytes.
 * @param bsf
 *   Written on success.
 * @return
 *   NULL, or why they are rejected.
 */
const char *swhca_bsf_parse(const uint8_t *data, size_t len, struct swhca_bsf *bsf);

/** Check whether a model supports a BSF. @return NULL, or why not. */
const char *swhca_bsf_check_model(const struct swhca_bsf *bsf, enum swhca_model model);

#endif /* SWHCA_BSF_H */
