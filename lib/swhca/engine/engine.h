/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_ENGINE_ENGINE_H
#define SWHCA_ENGINE_ENGINE_H

/**
 * @file
 * The engine: polls doorbells and executes queues.
 */

#include "object/fabric.h"

/** One pass of the engine; the fabric lock is held. @return Number of things done. */
unsigned int swhca_engine_pass(struct swhca_fabric *fabric);

/** Body of the engine thread; arg is the fabric. */
void *swhca_engine_main(void *arg);

#endif /* SWHCA_ENGINE_ENGINE_H */
