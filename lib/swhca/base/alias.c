/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/alias.h"
#include "include/dma.h"

/* Maximum bytes per system call: it copies less than 2 GiB. */
#define COPY_CHUNK (UINT64_C(1) << 30)

/* A struct swhca_alias occupies a page. */
#define PAGE_BYTES 4096u

/* Bytes of the list of mappings read at once: more than a line needs. */
#define LINE_BYTES 512u

/* Reader of the list of mappings of this process. */
struct maps {
	int fd;
	size_t len;		/* bytes in buf */
	size_t done;		/* bytes consumed */
	char buf[4096];
};

/*
 * System calls are made directly: those of the program pass through the library (front/preload),
 * which calls these functions.
 */
static uint64_t
pages_map(uint64_t len)
{
	long ret = syscall(SYS_mmap, NULL, len, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return ret == -1 ? 0 : (uint64_t)ret;
}

static void
pages_unmap(uint64_t addr, uint64_t len)
{
	syscall(SYS_munmap, addr, len);
}

/* Also reads pages that the program has made unreadable. */
static bool
pages_copy(uint64_t to, uint64_t from, uint64_t len)
{
	const struct swhca_dma *dma = swhca_dma_process();
	uint64_t part;

	for (; len > 0; to += part, from += part, len -= part) {
		part = len < COPY_CHUNK ? len : COPY_CHUNK;
		if (dma->read(dma, (void *)(uintptr_t)to, from, part) != 0 &&
		    dma->read(dma, (void *)(uintptr_t)to, from | SWHCA_DMA_FORCED, part) != 0)
			return false;
	}
	return true;
}

static uint64_t
copy_create(uint64_t start, uint64_t len)
{
	uint64_t at = pages_map(len);

	if (at != 0 && !pages_copy(at, start, len)) {
		pages_unmap(at, len);
		return 0;
	}
	return at;
}

/* An old length of 0 duplicates a shared mapping (mremap(2)). */
static uint64_t
duplicate_create(uint64_t start, uint64_t len)
{
	long ret = syscall(SYS_mremap, start, 0, len, MREMAP_MAYMOVE, 0);

	return ret == -1 ? 0 : (uint64_t)ret;
}

static int
alias_add(uint64_t start, uint64_t end, bool is_shared, unsigned int how, struct swhca_alias **list)
{
	struct swhca_alias *alias = (struct swhca_alias *)(uintptr_t)pages_map(PAGE_BYTES);

	if (alias == NULL)
		return -ENOMEM;
	*alias = (struct swhca_alias){
		.start = start,
		.end = end,
		.is_shared = is_shared,
		.next = *list,
	};
	if ((how & SWHCA_ALIAS_COPY) != 0 || (!is_shared && (how & SWHCA_ALIAS_PRIVATE) != 0))
		alias->at = copy_create(start, end - start);
	else if (is_shared && (how & SWHCA_ALIAS_SHARED) != 0)
		alias->at = duplicate_create(start, end - start);
	/* Neither children of fork(2) nor the device need copies in the child. */
	if (alias->at != 0)
		syscall(SYS_madvise, alias->at, end - start, MADV_DONTFORK);
	*list = alias;
	return 0;
}

static void
alias_free(struct swhca_alias *alias)
{
	if (alias->at != 0)
		pages_unmap(alias->at, alias->end - alias->start);
	pages_unmap((uintptr_t)alias, PAGE_BYTES);
}

static uint64_t
hex_read(const char **text)
{
	uint64_t value = 0;
	unsigned int digit;

	for (;; (*text)++) {
		if (**text >= '0' && **text <= '9')
			digit = (unsigned int)(**text - '0');
		else if (**text >= 'a' && **text <= 'f')
			digit = (unsigned int)(**text - 'a') + 10;
		else
			return value;
		value = value << 4 | digit;
	}
}

/* At the start of a line the buffer contains enough of it, except for the last one. */
static bool
maps_fill(struct maps *maps)
{
	ssize_t got;

	if (maps->len - maps->done >= LINE_BYTES)
		return true;
	maps->len -= maps->done;
	memmove(maps->buf, maps->buf + maps->done, maps->len);
	maps->done = 0;
	while (maps->len < LINE_BYTES) {
		got = syscall(SYS_read, maps->fd, maps->buf + maps->len,
			      sizeof(maps->buf) - 1 - maps->len);
		if (got <= 0)
			break;
		maps->len += (size_t)got;
	}
	maps->buf[maps->len] = '\0';
	return maps->len > 0;
}

/* Skip to the next line, which may follow a long path. */
static void
maps_skip_line(struct maps *maps)
{
	const char *at, *end;

	do {
		at = maps->buf + maps->done;
		end = memchr(at, '\n', maps->len - maps->done);
		maps->done = end == NULL ? maps->len : (size_t)(end + 1 - maps->buf);
	} while (end == NULL && maps_fill(maps));
}

/* "START-END rwxs ...": s is shared, p is private. */
static bool
maps_next(struct maps *maps, uint64_t *start, uint64_t *end, bool *is_shared)
{
	const char *at;

	if (!maps_fill(maps))
		return false;
	at = maps->buf + maps->done;
	*start = hex_read(&at);
	if (*at != '-')
		return false;
	at++;
	*end = hex_read(&at);
	*is_shared = strnlen(at, 5) == 5 && at[4] == 's';
	maps_skip_line(maps);
	return true;
}

int
swhca_alias_list_add(uint64_t start, uint64_t end, unsigned int how, struct swhca_alias **list)
{
	uint64_t map_start, map_end;
	struct maps maps = { .len = 0 };
	bool is_shared;
	int ret = 0;

	maps.fd = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC);
	if (maps.fd < 0)
		return -errno;
	while (ret == 0 && maps_next(&maps, &map_start, &map_end, &is_shared)) {
		if (map_start >= end)
			break;
		if (map_end <= start)
			continue;
		ret = alias_add(map_start > start ? map_start : start,
				map_end < end ? map_end : end, is_shared, how, list);
	}
	syscall(SYS_close, maps.fd);
	return ret;
}

struct swhca_alias *
swhca_alias_find(struct swhca_alias *list, uint64_t addr)
{
	for (; list != NULL; list = list->next) {
		if (list->start <= addr && addr < list->end)
			return list;
	}
	return NULL;
}

void
swhca_alias_list_trim(struct swhca_alias *list)
{
	struct swhca_alias *next;

	for (; list != NULL; list = next) {
		next = list->next;
		list->next = NULL;
		if (list->nb_refs == 0)
			alias_free(list);
	}
}

void
swhca_alias_put(struct swhca_alias *alias)
{
	if (alias != NULL && --alias->nb_refs == 0)
		alias_free(alias);
}
