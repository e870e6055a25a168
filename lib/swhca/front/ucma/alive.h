/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UCMA_ALIVE_H
#define SWHCA_UCMA_ALIVE_H

/**
 * @file
 * Connections of dead processes. A kernel disconnects for a process that is killed; here the device
 * is part of the process and swhca-run does so (base/last_words.h). Connected ends also check once
 * a second whether the peer's address is still in use.
 */

#include <stdint.h>

struct swhca_ucm_id;
struct swhca_udev;

/**
 * Handle timers of a device: probe its peers, and end connections to those that are gone. The lock
 * is not held.
 */
void swhca_ucm_alive_tick(struct swhca_udev *dev, uint64_t now_ns);
/** An identifier no longer has a connection; the lock is held. */
void swhca_ucm_alive_end(struct swhca_ucm_id *id);

#endif /* SWHCA_UCMA_ALIVE_H */
