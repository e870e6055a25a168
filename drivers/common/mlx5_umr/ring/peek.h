/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_PEEK_H
#define MLX5_UMR_PEEK_H

/**
 * @file
 * Reading what the lcore of a queue, or the device, writes at the same time.
 *
 * The fast path writes its indices, counters and rings by plain stores: to make them atomic for
 * somebody who looks once a minute would cost each operation. Here they are read by single loads
 * of up to 8 bytes, each of which finds an old or a new value, never a mixture, as the stores are
 * aligned words, too. What belongs together and is longer may come from different times; who shows
 * it compares indices from before and after. Nothing that was peeked at may be used as an address,
 * or as an index without a mask.
 *
 * ThreadSanitizer cannot know that such a race is meant, so it does not look into this function.
 */

#include <stddef.h>
#include <stdint.h>

typedef uint64_t mlx5_umr_peek64_t __attribute__((may_alias));
typedef uint32_t mlx5_umr_peek32_t __attribute__((may_alias));
typedef uint16_t mlx5_umr_peek16_t __attribute__((may_alias));

/** Copy by the longest words that fit. */
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

/** The value of a variable; other types have no association. */
#define MLX5_UMR_PEEK(what)                                                                        \
	_Generic((what), uint64_t: mlx5_umr_peek_u64, uint32_t: mlx5_umr_peek_u32,                 \
		 int16_t: mlx5_umr_peek_s16)(&(what))

#endif /* MLX5_UMR_PEEK_H */
