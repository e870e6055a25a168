/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SIG_PASS_H
#define SIG_PASS_H

/**
 * @file
 * What a key with a block signature makes of the bytes that pass it, and which error it tells.
 * Fields are those of sig_ref.h.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rte_umr.h>

/** Longest field. */
#define SIG_PASS_MAX_FIELD	8u
/** Most bytes of data of one call. */
#define SIG_PASS_MAX_DATA	(64u << 10)

/** Bytes that data of a length have in a domain; a whole number of blocks. */
uint64_t sig_pass_len(const struct rte_umr_sig_domain *domain, uint64_t data_len);

/** Data with good fields, from block of data_from on. */
void sig_pass_image(const struct rte_umr_sig_domain *domain, uint64_t data_from, uint64_t data_len,
		    const uint8_t *data, uint8_t *out);

/**
 * What a key makes of the bytes that pass it.
 *
 * @param to_wire
 *   From memory to the wire; else the other way.
 * @param data_from
 *   Where it begins in the key, in bytes of data.
 * @param in
 *   Bytes of the domain that they come from.
 * @param out
 *   Bytes of the other one.
 * @param error
 *   Written with the first bad block, if type is RTE_UMR_MKEY_ERROR_NONE; qpn is not written.
 */
void sig_pass(const struct rte_umr_sig *sig, bool to_wire, uint64_t data_from,
	      uint64_t data_len, const uint8_t *in, uint8_t *out,
	      struct rte_umr_mkey_error *error);

#endif /* SIG_PASS_H */
