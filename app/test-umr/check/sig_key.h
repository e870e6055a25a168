/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef CHECK_SIG_KEY_H
#define CHECK_SIG_KEY_H

/**
 * @file
 * Keys with a signature in one domain, and what is read through them.
 */

#include "check/bed.h"

/** A signature of the wire or of memory; the other domain has none. */
struct check_sig {
	uint8_t inl_type;	/**< PRM_BSF_INL_T10DIF_*; 0: a CRC by bfs. */
	uint8_t bfs;		/**< PRM_BFS_*, without its flags. */
	bool seed_ones;
	uint8_t block;		/**< enum prm_bsf_bs */
	bool is_mem;
	uint16_t app_tag;
	uint32_t ref_tag;	/**< Goes up with each block. */
};

/** Whether the device has signatures, and what one needs; if not the result says so. */
bool check_sig_has(const struct check_bed *bed, struct check_result *result,
		   struct prm_field capability, const char *name);

/**
 * Lay len bytes of src under a key with a signature.
 *
 * @param sigerr
 *   Parity of the error that is expected; the first is true.
 * @return
 *   NULL: the result tells why.
 */
struct check_key *check_sig_key(struct check_bed *bed, struct check_result *result,
				const struct check_sig *sig, uint32_t len, bool sigerr);

/** Bytes of out as text, with blanks between them. */
void check_observe_bytes(const struct check_bed *bed, struct check_result *result,
			 const char *word, uint32_t at, uint32_t len);

#endif /* CHECK_SIG_KEY_H */
