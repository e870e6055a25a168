/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_SIG_CALC_H
#define SWHCA_SIG_CALC_H

/**
 * @file
 * Sums over the data of a block, for signature fields.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum swhca_sig_type {
	SWHCA_SIG_NONE,
	SWHCA_SIG_T10DIF_CRC,	/**< Guard, application tag, reference tag; 8 bytes, big endian. */
	SWHCA_SIG_T10DIF_CSUM,	/**< Likewise, the guard is the IP checksum. */
	SWHCA_SIG_CRC32,	/**< 4 bytes, little endian. */
	SWHCA_SIG_CRC32C,
	SWHCA_SIG_CRC64_XP10,	/**< 8 bytes, little endian. */
};

/** Maximum size of a signature field in bytes. */
#define SWHCA_SIG_MAX_FIELD 8u

/** State of a sum. */
struct swhca_sig_sum {
	enum swhca_sig_type type;
	bool is_odd;		/**< Checksum: half of a 16-bit word was added. */
	uint64_t value;
};

/** Size of the signature field of a block in bytes. */
static inline uint32_t
swhca_sig_field_len(enum swhca_sig_type type)
{
	if (type == SWHCA_SIG_NONE)
		return 0;
	return type == SWHCA_SIG_CRC32 || type == SWHCA_SIG_CRC32C ? 4 : 8;
}

static inline bool
swhca_sig_is_t10dif(enum swhca_sig_type type)
{
	return type == SWHCA_SIG_T10DIF_CRC || type == SWHCA_SIG_T10DIF_CSUM;
}

/** Start a block; the seed is all ones or all zeros in the width of the sum. */
void swhca_sig_sum_init(struct swhca_sig_sum *sum, enum swhca_sig_type type, bool seed_ones);

/** Add bytes. */
void swhca_sig_sum_update(struct swhca_sig_sum *sum, const uint8_t *data, size_t len);

/** Value of the sum: the guard, or the CRC. */
uint64_t swhca_sig_sum_final(const struct swhca_sig_sum *sum);

#endif /* SWHCA_SIG_CALC_H */
