/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_BISECT_H
#define SWHCA_BISECT_H

/**
 * @file
 * Search in ordered arrays.
 */

#include <stdint.h>

/**
 * Find the place of a key in an ordered array.
 *
 * @param i
 *   Name of the index in is_before.
 * @param first
 *   The elements searched are [first, end).
 * @param end
 *   See first.
 * @param is_before
 *   Expression: element i is before the key.
 * @return
 *   Index of the first element that is not before the key, or end.
 */
#define SWHCA_BISECT(i, first, end, is_before)                                                     \
	({                                                                                         \
		uint32_t bisect_low = (first), bisect_high = (end), i;                             \
		while (bisect_low < bisect_high) {                                                 \
			i = bisect_low + (bisect_high - bisect_low) / 2;                           \
			if (is_before)                                                             \
				bisect_low = i + 1;                                                \
			else                                                                       \
				bisect_high = i;                                                   \
		}                                                                                  \
		bisect_low;                                                                        \
	})

#endif /* SWHCA_BISECT_H */
