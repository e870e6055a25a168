/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UVERBS_RAW_H
#define SWHCA_UVERBS_RAW_H

/**
 * @file
 * Mappings of device files that a program made by a direct system call, which is not intercepted:
 * they are looked up in /proc/self/maps.
 *
 * - A fault may be a load or store at an operation address of device memory.
 * - UAR pages of a strict device are found by the first call on the file after their mapping; such
 *   a call precedes the first doorbell: the creation of the queue.
 */

#include <stdbool.h>

struct swhca_ufile;
struct swhca_trap_place;

/** Look up a faulting address; for the signal handler. */
bool swhca_uraw_find(const void *va, struct swhca_trap_place *place);

/** Strict device, whose file is locked: trap stores to its UAR pages. */
void swhca_uraw_watch(struct swhca_ufile *file);

#endif /* SWHCA_UVERBS_RAW_H */
