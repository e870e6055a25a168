/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Print how long tests in C wait, for patience_test.py. */

#include "../patience.h"

int
main(void)
{
	printf("%u %d\n", patience_s(), patience_ms());
	return patience_is_over(patience_end());
}
