/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SIG_REF_H
#define SIG_REF_H

/**
 * @file
 * Bitwise signatures as a reference for devices, independent of the driver and the device.
 *
 * Effect of a key with a block signature on the bytes that pass it, and the error that it reports.
 * Fields are those of sig_ref.h.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rte_umr.h>

/** Write the field after a transaction of len bytes: a CRC32C of 4 bytes. */
void sig_ref_trans(const struct rte_umr_sig_domain *domain, const uint8_t *data, uint32_t len,
		   uint8_t *field);

/**
 * Insert the field after each block, or that of the transaction.
 *
 * @param len
 *   Bytes of in; whole blocks for block signatures.
 * @return
 *   Bytes of out.
 */
uint64_t sig_ref_insert(const struct rte_umr_sig_domain *domain, const uint8_t *in, uint64_t len,
			uint8_t *out);

/**
 * Remove the fields regardless of their contents.
 *
 * @param len
 *   Bytes of in: whole blocks and fields, or those of a transaction.
 * @return
 *   Bytes of out.
 */
uint64_t sig_ref_strip(const struct rte_umr_sig_domain *domain, const uint8_t *in, uint64_t len,
		       uint8_t *out);

/** Longest field. */
#define SIG_PASS_MAX_FIELD	8u
/** Maximum number of data bytes per call. */
#define SIG_PASS_MAX_DATA	(64u << 10)

/** Size of data in a domain; a whole number of blocks. */
uint64_t sig_pass_len(const struct rte_umr_sig_domain *domain, uint64_t data_len);

/** Generate data with valid fields, starting at the block of data_from. */
void sig_pass_image(const struct rte_umr_sig_domain *domain, uint64_t data_from, uint64_t data_len,
		    const uint8_t *data, uint8_t *out);

/**
 * Compute the effect of a key on the bytes that pass it.
 *
 * @param to_wire
 *   From memory to the wire; otherwise the reverse.
 * @param data_from
 *   Start in the key, in bytes of data.
 * @param in
 *   Bytes of the source domain.
 * @param out
 *   Bytes of the other domain.
 * @param error
 *   Set to the first bad block if type is RTE_UMR_MKEY_ERROR_NONE; qpn is not set.
 */
void sig_pass(const struct rte_umr_sig *sig, bool to_wire, uint64_t data_from,
	      uint64_t data_len, const uint8_t *in, uint8_t *out,
	      struct rte_umr_mkey_error *error);

#endif /* SIG_REF_H */
