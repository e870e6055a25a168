/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_FABRIC_H
#define SWHCA_FABRIC_H

#include "object/object.h"

/** One pass of the engine; the fabric lock is held. @return How much was done. */
unsigned int swhca_engine_pass(struct swhca_fabric *fabric);

/** Body of the engine thread; arg is the fabric. */
void *swhca_engine_main(void *arg);

#endif /* SWHCA_FABRIC_H */
