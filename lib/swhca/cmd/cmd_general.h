/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_CMD_GENERAL_H
#define SWHCA_CMD_GENERAL_H

/**
 * @file
 * General objects.
 */

#include "cmd/cmd.h"

/** Capability: one bit per type. */
uint64_t swhca_general_obj_types(const struct swhca_hca *hca);

#endif /* SWHCA_CMD_GENERAL_H */
