/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UNIT_H
#define SWHCA_UNIT_H

/* cmocka with the headers that it needs, and those of the C library that most tests need. */

#include <endian.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../cmocka_compat.h"

#define NB_OF(array) (sizeof(array) / sizeof((array)[0]))

#endif /* SWHCA_UNIT_H */
