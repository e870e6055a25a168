/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MODEL_TYPE_ORACLE_H
#define MODEL_TYPE_ORACLE_H

/**
 * @file
 * Types byte by byte, as MPI's standard defines them: each constructor is a number of copies of a
 * type at displacements, in order.
 */

#include <stdint.h>

#include <rte_umr.h>

/**
 * Displacements of all bytes of a type.
 *
 * @param bytes
 *   Written with the first max of them; may be NULL.
 * @return
 *   Their number, or UINT64_MAX if there are more than max.
 */
uint64_t oracle_bytes(const struct rte_umr_type *type, int64_t *bytes, uint64_t max);

#endif /* MODEL_TYPE_ORACLE_H */
