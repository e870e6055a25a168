/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UVERBS_RAW_H
#define SWHCA_UVERBS_RAW_H

/**
 * @file
 * Mappings of device files that were made by the system call, so that nobody told: they are looked
 * up in /proc/self/maps.
 *
 * - A fault may be a load or store at an operation address of device memory.
 * - UAR pages of a strict device are found by the first call on the file behind their mapping, and
 *   there is one before a queue rings there: the one that creates the queue.
 */

#include <stdbool.h>

struct swhca_ufile;
struct swhca_trap_place;

/** Find what a faulting address is; for the handler of the signal. */
bool swhca_uraw_find(const void *va, struct swhca_trap_place *place);

/** Of a strict device, whose file is locked: let stores to its UAR pages be seen. */
void swhca_uraw_watch(struct swhca_ufile *file);

#endif /* SWHCA_UVERBS_RAW_H */
