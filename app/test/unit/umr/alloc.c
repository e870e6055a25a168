/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <rte_common.h>
#include <rte_malloc.h>

#include "alloc.h"

struct test_alloc test_alloc;

void *
rte_zmalloc_socket(const char *type __rte_unused, size_t size, unsigned int align, int socket)
{
	void *memory;

	test_alloc.socket_id = socket;
	if (++test_alloc.nb_calls == test_alloc.fail_at)
		return NULL;
	size = RTE_ALIGN_CEIL(size, align);
	memory = aligned_alloc(align, size);
	if (memory == NULL)
		abort();
	memset(memory, 0, size);
	test_alloc.nb_live++;
	return memory;
}

void
rte_free(void *memory)
{
	test_alloc.nb_live -= memory != NULL;
	free(memory);
}
