/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_PRELOAD_SIGNAL_H
#define SWHCA_PRELOAD_SIGNAL_H

#include <stdbool.h>

/**
 * Take the handlers of SIGSEGV and SIGBUS, which the engine needs (base/dma_direct.h). The
 * program keeps its own view of them: what it sets is remembered, told when it asks, and called
 * for every fault that is not the engine's. Idempotent, any thread.
 */
void swhca_signal_install(void);

/** Is it one of the signals that the engine and the program share? */
bool swhca_signal_is_shared(int sig);

/** In the child of fork(2), before anything else of this file. */
void swhca_signal_after_fork(void);

#endif /* SWHCA_PRELOAD_SIGNAL_H */
