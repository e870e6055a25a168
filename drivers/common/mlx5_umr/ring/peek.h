/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_PEEK_H
#define MLX5_UMR_PEEK_H

/**
 * @file
 * Reading data that the lcore of a queue, or the device, writes concurrently.
 *
 * The fast path writes its indices, counters and rings with plain stores: atomic stores for rare
 * readers would slow down each operation. Readers use single loads of up to 8 bytes, each of which
 * returns an old or a new value, never a mixture, because the stores are also aligned words. Longer
 * data may be inconsistent; a reader that shows them compares indices from before and after. Values
 * read this way must not be used as an address, or as an index without a mask.
 *
 * This race is intended, so ThreadSanitizer is disabled for this function.
 */

#include <stddef.h>
#include <stdint.h>

typedef uint64_t mlx5_umr_peek64_t __attribute__((may_alias));
typedef uint32_t mlx5_umr_peek32_t __attribute__((may_alias));
typedef uint16_t mlx5_umr_peek16_t __attribute__((may_alias));

/** Copy with the longest words that fit. */
__attribute__((no_sanitize("thread"))) static inline void
mlx5_umr_peek(void *to, const volatile void *from, size_t len)
{
	const volatile uint8_t *src = from;
	uint8_t *dst = to;
	size_t n;

	for (; len != 0; len -= n, src += n, dst += n) {
		const uintptr_t align = (uintptr_t)src | (uintptr_t)dst;

		if (len >= 8 && (align & 7) == 0) {
			n = 8;
			*(mlx5_umr_peek64_t *)dst = *(const volatile mlx5_umr_peek64_t *)src;
		} else if (len >= 4 && (align & 3) == 0) {
			n = 4;
			*(mlx5_umr_peek32_t *)dst = *(const volatile mlx5_umr_peek32_t *)src;
		} else if (len >= 2 && (align & 1) == 0) {
			n = 2;
			*(mlx5_umr_peek16_t *)dst = *(const volatile mlx5_umr_peek16_t *)src;
		} else {
			n = 1;
			*dst = *src;
		}
	}
}

static inline uint64_t
mlx5_umr_peek_u64(const volatile void *from)
{
	uint64_t value;

	mlx5_umr_peek(&value, from, sizeof(value));
	return value;
}

static inline uint32_t
mlx5_umr_peek_u32(const volatile void *from)
{
	uint32_t value;

	mlx5_umr_peek(&value, from, sizeof(value));
	return value;
}

static inline int16_t
mlx5_umr_peek_s16(const volatile void *from)
{
	int16_t value;

	mlx5_umr_peek(&value, from, sizeof(value));
	return value;
}

/** Read the value of a variable; other types have no association. */
#define MLX5_UMR_PEEK(what)                                                                        \
	_Generic((what), uint64_t: mlx5_umr_peek_u64, uint32_t: mlx5_umr_peek_u32,                 \
		 int16_t: mlx5_umr_peek_s16)(&(what))

#endif /* MLX5_UMR_PEEK_H */
