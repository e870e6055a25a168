/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef CMOCKA_COMPAT_H
#define CMOCKA_COMPAT_H

/* What cmocka 2 has and cmocka 1 calls otherwise. To be included after cmocka.h. */

#ifndef assert_uint_in_range
#define assert_uint_in_range(value, minimum, maximum) assert_in_range(value, minimum, maximum)
#endif

#endif
