/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_WIRE_INPROC_H
#define SWHCA_WIRE_INPROC_H

/**
 * @file
 * The wire between the HCAs of one fabric.
 */

#include "include/wire.h"

const struct swhca_wire *swhca_wire_inproc(void);

#endif /* SWHCA_WIRE_INPROC_H */
