/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SIG_REF_H
#define SIG_REF_H

/**
 * @file
 * Signatures, bit by bit: what a device that signs is compared with. It knows nothing of the
 * driver or of the device.
 */

#include <stdint.h>

#include <rte_umr.h>

/**
 * Write the field behind a block.
 *
 * @param domain
 *   Signature; with RTE_UMR_SIG_NONE nothing is written.
 * @param index
 *   Number of the block, from 0.
 * @param block
 *   domain->block_size bytes.
 * @param field
 *   rte_umr_sig_size() bytes.
 */
void sig_ref_field(const struct rte_umr_sig_domain *domain, uint64_t index, const uint8_t *block,
		   uint8_t *field);

/** Write the field behind a transaction of len bytes: a CRC32C, 4 bytes. */
void sig_ref_trans(const struct rte_umr_sig_domain *domain, const uint8_t *data, uint32_t len,
		   uint8_t *field);

/**
 * Put the field of each block behind it, or that of the transaction.
 *
 * @param len
 *   Bytes of in, whole blocks if there are any.
 * @return
 *   Bytes of out.
 */
uint64_t sig_ref_insert(const struct rte_umr_sig_domain *domain, const uint8_t *in, uint64_t len,
			uint8_t *out);

/**
 * Take the fields out again, whatever is in them.
 *
 * @param len
 *   Bytes of in, whole blocks and fields; or those of a transaction.
 * @return
 *   Bytes of out.
 */
uint64_t sig_ref_strip(const struct rte_umr_sig_domain *domain, const uint8_t *in, uint64_t len,
		       uint8_t *out);

#endif /* SIG_REF_H */
