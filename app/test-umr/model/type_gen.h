/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MODEL_TYPE_GEN_H
#define MODEL_TYPE_GEN_H

/**
 * @file
 * Random nested types of all kinds, with typical and unusual strides and blocks.
 */

#include <rte_umr.h>

#include "model/prng.h"

/** Generate a type, which is valid until the next call. */
const struct rte_umr_type *gen_type(struct prng *prng);

#endif /* MODEL_TYPE_GEN_H */
