/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_PRELOAD_SIGNAL_H
#define SWHCA_PRELOAD_SIGNAL_H

#include <stdbool.h>

/**
 * Install handlers of SIGSEGV and SIGBUS, which the engine needs (base/dma_direct.h). The program
 * keeps its own view of them: its handlers are stored, returned when queried, and called for every
 * fault that is not the engine's. Idempotent, any thread.
 */
void swhca_signal_install(void);

/** Check whether a signal is shared by the engine and the program. */
bool swhca_signal_is_shared(int sig);

/** In the child of fork(2), before any other function of this file. */
void swhca_signal_after_fork(void);

#endif /* SWHCA_PRELOAD_SIGNAL_H */
