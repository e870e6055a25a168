/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_PRM_TEXT_H
#define MLX5_PRM_TEXT_H

/** @file Texts of dumped bytes. */

#include <sys/mman.h>
#include <unistd.h>

#include "cases.h"
#include "dump/dump.h"

/** What bytes are: a completion, a key context, or a WQE of a service. */
enum text_kind { CQE, MKC, WQE, WQE_CONNECTED, WQE_DATAGRAM, WQE_DC, WQE_XRC };

struct text_row {
	const char *name;
	enum text_kind kind;
	const void *bytes;
	size_t len;
	const char *all; /**< The text, or */
	const char *part; /**< a part of it. */
	const char *lacks; /**< What is not in it; NULL: not looked for. */
};

/** An array in a row. */
#define BYTES(array) (array), sizeof(array)

/** @return Text of an entry, to be freed. ring_bytes may be NULL. */
static inline char *
text_of(enum text_kind kind, const void *bytes, size_t len, size_t *ring_bytes)
{
	static const enum prm_dump_service services[] = {
		[WQE_CONNECTED] = PRM_DUMP_CONNECTED, [WQE_DATAGRAM] = PRM_DUMP_DATAGRAM,
		[WQE_DC] = PRM_DUMP_DC, [WQE_XRC] = PRM_DUMP_XRC,
	};
	char *text = NULL;
	size_t text_len, ret = 0;
	FILE *f = open_memstream(&text, &text_len);

	assert_non_null(f);
	if (kind == CQE)
		prm_cqe_dump(f, bytes, len);
	else if (kind == MKC)
		prm_mkc_dump(f, bytes, len);
	else if (kind == WQE)
		ret = prm_wqe_dump(f, bytes, len);
	else
		ret = prm_wqe_dump_as(f, services[kind], bytes, len);
	assert_int_equal(fclose(f), 0);
	if (ring_bytes != NULL)
		*ring_bytes = ret;
	return text;
}

static inline void
text_check(const struct text_row *row)
{
	char *text = text_of(row->kind, row->bytes, row->len, NULL);

	if ((row->all != NULL && strcmp(text, row->all) != 0) ||
	    (row->part != NULL && strstr(text, row->part) == NULL) ||
	    (row->lacks != NULL && strstr(text, row->lacks) != NULL))
		fail_msg("%s: expected%s\n%s\nwithout \"%s\" in:\n%s", row->name,
			 row->all != NULL ? "" : " a part", row->all != NULL ? row->all : row->part,
			 row->lacks, text);
	free(text);
}

/** Bytes whose end is the end of a page that has no neighbor: reading on is a SIGSEGV. */
static struct {
	uint8_t *page;
	size_t page_size;
} edge;

static inline int
edge_setup(void **state)
{
	edge.page_size = (size_t)sysconf(_SC_PAGESIZE);
	edge.page = mmap(NULL, 2 * edge.page_size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return edge.page == MAP_FAILED ? -1 :
	       mprotect(edge.page + edge.page_size, edge.page_size, PROT_NONE);
}

static inline int
edge_teardown(void **state)
{
	return munmap(edge.page, 2 * edge.page_size);
}

static inline void *
edge_put(const void *bytes, size_t len)
{
	return memcpy(edge.page + edge.page_size - len, bytes, len);
}

/** No length below that of a row reads more; is_truncated: the text says so. */
static inline void
edge_check(const struct text_row *rows, size_t nb, bool is_truncated)
{
	for (size_t i = 0; i < nb; i++)
		for (size_t len = 0; len < rows[i].len; len++) {
			char *text = text_of(rows[i].kind, edge_put(rows[i].bytes, len), len, NULL);

			if (is_truncated && strstr(text, "truncated: ") == NULL)
				fail_msg("%s, %zu bytes:\n%s", rows[i].name, len, text);
			free(text);
		}
}

#endif /* MLX5_PRM_TEXT_H */
