/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MODEL_TYPE_ORACLE_H
#define MODEL_TYPE_ORACLE_H

/**
 * @file
 * Types byte by byte, as defined by the MPI standard: each constructor is a number of copies of a
 * type at displacements, in order.
 */

#include <stdint.h>

#include <rte_umr.h>

/**
 * Compute the displacements of all bytes of a type.
 *
 * @param bytes
 *   Receives the first max of them; may be NULL.
 * @return
 *   Their number, or UINT64_MAX if it exceeds max.
 */
uint64_t oracle_bytes(const struct rte_umr_type *type, int64_t *bytes, uint64_t max);

#endif /* MODEL_TYPE_ORACLE_H */
