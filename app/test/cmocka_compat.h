/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef CMOCKA_COMPAT_H
#define CMOCKA_COMPAT_H

/* Names of cmocka 2 for cmocka 1. Include after cmocka.h. */

#ifndef assert_uint_in_range
#define assert_uint_in_range(value, minimum, maximum) assert_in_range(value, minimum, maximum)
#endif

#endif
