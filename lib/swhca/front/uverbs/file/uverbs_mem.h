/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UVERBS_MEM_H
#define SWHCA_UVERBS_MEM_H

/**
 * @file
 * Memory of the caller: copies that cannot fault, and checks.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Read or write memory of the caller. @return 0 or -EFAULT. */
int swhca_uaddr_read(void *dst, uint64_t addr, size_t len);
int swhca_uaddr_write(uint64_t addr, const void *src, size_t len);
/**
 * Check that all of it is mapped, and writable if required. @return 0, -EFAULT, -EINVAL (empty,
 * wraps).
 */
int swhca_uaddr_check(uint64_t addr, uint64_t len, bool is_writable);

#endif /* SWHCA_UVERBS_MEM_H */
