/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef CHECK_SIG_KEY_H
#define CHECK_SIG_KEY_H

/**
 * @file
 * Keys with a signature in one domain, and transfers through them.
 */

#include "check/bed.h"

/** A signature in the wire or memory domain; the other domain has none. */
struct check_sig {
	uint8_t inl_type;	/**< PRM_BSF_INL_T10DIF_*; 0: a CRC selected by bfs. */
	uint8_t bfs;		/**< PRM_BFS_* without flags. */
	bool seed_ones;
	uint8_t block;		/**< enum prm_bsf_bs */
	bool is_mem;
	uint16_t app_tag;
	uint32_t ref_tag;	/**< Incremented for each block. */
};

/**
 * Whether the device supports signatures and the given capability; otherwise the result reports it.
 */
bool check_sig_has(struct check_bed *bed, struct prm_field capability, const char *name);

/**
 * Map len bytes of src with a key that has a signature.
 *
 * @param sigerr
 *   Parity of the expected error; the first one is true.
 * @return
 *   NULL: the result has the reason.
 */
struct check_key *check_sig_key(struct check_bed *bed, const struct check_sig *sig, uint32_t len,
				bool sigerr);

/** Report bytes of out as text separated by blanks. */
void check_observe_bytes(struct check_bed *bed, const char *word, uint32_t at, uint32_t len);

#endif /* CHECK_SIG_KEY_H */
