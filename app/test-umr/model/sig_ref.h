/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SIG_REF_H
#define SIG_REF_H

/**
 * @file
 * Bitwise signatures as a reference for devices, independent of the driver and the device.
 */

#include <stdint.h>

#include <rte_umr.h>

/**
 * Write the field after a block.
 *
 * @param domain
 *   Signature; with RTE_UMR_SIG_NONE nothing is written.
 * @param index
 *   Number of the block, starting at 0.
 * @param block
 *   domain->block_size bytes.
 * @param field
 *   rte_umr_sig_size() bytes.
 */
void sig_ref_field(const struct rte_umr_sig_domain *domain, uint64_t index, const uint8_t *block,
		   uint8_t *field);

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

#endif /* SIG_REF_H */
