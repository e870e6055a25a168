/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_BASE_MEMLOCK_H
#define SWHCA_BASE_MEMLOCK_H

/**
 * @file
 * Limit of locked memory (RLIMIT_MEMLOCK), as Linux applies it to a thread that pins memory.
 */

#include <stdint.h>

/** There is no limit. */
#define SWHCA_MEMLOCK_NONE UINT64_MAX

/** @return The limit of the calling thread in bytes, or SWHCA_MEMLOCK_NONE. */
uint64_t swhca_memlock_limit(void);

#endif /* SWHCA_BASE_MEMLOCK_H */
