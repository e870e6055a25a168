/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UCMA_ALIVE_H
#define SWHCA_UCMA_ALIVE_H

/**
 * @file
 * Ends that die. A kernel says goodbye for a process that is killed; a process that has its device
 * in itself leaves that to swhca-run (base/last_words.h). Whoever is connected also asks once a
 * second whether the peer's address is still in use.
 */

#include <stdint.h>

struct swhca_ucm_id;
struct swhca_udev;

/**
 * Time has passed for a device: ask its peers, and end connections to who is gone. The lock is not
 * held.
 */
void swhca_ucm_alive_tick(struct swhca_udev *dev, uint64_t now_ns);
/** An identifier has no connection any more; the lock is held. */
void swhca_ucm_alive_end(struct swhca_ucm_id *id);

#endif /* SWHCA_UCMA_ALIVE_H */
