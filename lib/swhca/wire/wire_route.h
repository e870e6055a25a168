/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_WIRE_ROUTE_H
#define SWHCA_WIRE_ROUTE_H

/**
 * @file
 * Wire of a fabric: between its HCAs in the process, and to all others by their links.
 */

#include "include/wire.h"

const struct swhca_wire *swhca_wire_fabric(void);

#endif /* SWHCA_WIRE_ROUTE_H */
