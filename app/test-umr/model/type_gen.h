/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MODEL_TYPE_GEN_H
#define MODEL_TYPE_GEN_H

/**
 * @file
 * Random types of all kinds, within each other, with strides and blocks as programs have them and
 * as they do not.
 */

#include <rte_umr.h>

#include "model/prng.h"

/** A type, until the next call. */
const struct rte_umr_type *gen_type(struct prng *prng);

#endif /* MODEL_TYPE_GEN_H */
