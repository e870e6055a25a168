/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Text by pieces: nothing is written behind the end of its array, and all of it is counted. */

#include "cases.h"
#include "host/text.h"

#define WHOLE	"one 2 three"
#define FILL	0x5a

static size_t
pieces_append(char *text, size_t size)
{
	size_t len = swhca_text_append(text, size, 0, "%s", "one");

	len = swhca_text_append(text, size, len, " %u ", 2u);
	len = swhca_text_append(text, size, len, "%s", "");
	return swhca_text_append(text, size, len, "three");
}

CASE(text_is_cut_where_its_array_ends)
{
	char text[sizeof(WHOLE) + 4];

	for (size_t size = 1; size <= sizeof(text); size++) {
		memset(text, FILL, sizeof(text));
		assert_int_equal(pieces_append(text, size), strlen(WHOLE));
		assert_non_null(memchr(text, '\0', size));
		assert_int_equal(strlen(text), size < sizeof(WHOLE) ? size - 1 : strlen(WHOLE));
		assert_memory_equal(text, WHOLE, strlen(text));
		for (size_t i = size; i < sizeof(text); i++)
			assert_int_equal(text[i], FILL);
	}
}

CASE(length_is_told_without_an_array)
{
	assert_int_equal(pieces_append(NULL, 0), strlen(WHOLE));
}
