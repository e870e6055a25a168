/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/high_fd.h"
#include "host/trap.h"
#include "front/uverbs/dev/dev.h"
#include "front/uverbs/file/uverbs_fd_table.h"
#include "front/uverbs/file/uverbs_file.h"
#include "front/uverbs/obj/mmap.h"
#include "front/uverbs/obj/raw.h"
#include "front/uverbs/obj/uverbs_uar.h"

/* Size of a line before the path (proc(5)). */
#define LINE_SIZE 128u

/* /proc/self/maps by system calls only, as it is also read in a signal handler. */
struct maps {
	int fd;
	size_t at;
	size_t len;
	char buf[1024];
};

/* A shared mapping. */
struct line {
	uintptr_t start;
	uintptr_t end;
	off_t offset;
	bool is_writable;
	unsigned int dev_major;
	unsigned int dev_minor;
	ino_t ino;
};

static int
maps_getc(struct maps *maps)
{
	long len;

	if (maps->at == maps->len) {
		len = syscall(SYS_read, maps->fd, maps->buf, sizeof(maps->buf));
		if (len <= 0)
			return -1;
		maps->len = (size_t)len;
		maps->at = 0;
	}
	return maps->buf[maps->at++];
}

static uint64_t
number(const char **text, int base)
{
	char *end;
	uint64_t value = strtoull(*text, &end, base);

	/* Also skip the separator. */
	*text = *end != '\0' ? end + 1 : end;
	return value;
}

/* @return false at the end. */
static bool
maps_next(struct maps *maps, struct line *line)
{
	char text[LINE_SIZE];
	const char *at = text;
	size_t len = 0;
	int c;

	while ((c = maps_getc(maps)) >= 0 && c != '\n') {
		if (len < sizeof(text) - 1)
			text[len++] = (char)c;
	}
	if (c < 0)
		return false;
	text[len] = '\0';
	*line = (struct line){ .start = number(&at, 16) };
	line->end = number(&at, 16);
	if (len < (size_t)(at - text) + 5)
		return true;
	line->is_writable = at[1] == 'w';
	/* A private mapping is not of a device, and keeps inode 0. */
	if (at[3] != 's')
		return true;
	at += 5;
	line->offset = (off_t)number(&at, 16);
	line->dev_major = (unsigned int)number(&at, 16);
	line->dev_minor = (unsigned int)number(&at, 16);
	line->ino = number(&at, 10);
	return true;
}

static bool
maps_open(struct maps *maps)
{
	maps->at = 0;
	maps->len = 0;
	maps->fd = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
	return maps->fd >= 0;
}

/* Find the mapping of an address. */
static bool
line_find(uintptr_t addr, struct line *line)
{
	bool found = false;
	struct maps maps;

	if (!maps_open(&maps))
		return false;
	while (!found && maps_next(&maps, line))
		found = addr >= line->start && addr < line->end;
	swhca_fd_close(maps.fd);
	return found && line->ino != 0;
}

bool
swhca_uraw_find(const void *va, struct swhca_trap_place *place)
{
	uintptr_t page = (uintptr_t)va & ~(uintptr_t)(SWHCA_UAR_SIZE - 1);
	struct swhca_umap map = { .act = SWHCA_UMAP_NOTHING };
	struct swhca_ufile *file;
	struct line line;

	if (!line_find(page, &line))
		return false;
	file = swhca_ufile_get_inode(makedev(line.dev_major, line.dev_minor), line.ino);
	if (file == NULL)
		return false;
	pthread_mutex_lock(&file->lock);
	swhca_umap_resolve(file, line.offset + (off_t)(page - line.start), SWHCA_UAR_SIZE,
			   PROT_READ, &map);
	pthread_mutex_unlock(&file->lock);
	*place = (struct swhca_trap_place){
		.start = page,
		.len = SWHCA_UAR_SIZE,
		.hca = file->dev->hca,
		.bar_offset = map.bar_offset,
	};
	swhca_ufile_put(file);
	return map.act == SWHCA_UMAP_MEMIC_OP;
}

static void
page_watch(struct swhca_ufile *file, uintptr_t page, off_t offset)
{
	void *va = (void *)page;
	struct swhca_umap map;

	if (swhca_hca_bar_has(file->dev->hca, page) ||
	    swhca_umap_resolve(file, offset, SWHCA_UAR_SIZE, PROT_READ, &map) != 0 ||
	    map.act != SWHCA_UMAP_UAR)
		return;
	/* The previous mapping may have been unmapped unnoticed. */
	swhca_trap_remove(va, SWHCA_UAR_SIZE);
	swhca_trap_add_uar(file->dev->hca, va, SWHCA_UAR_SIZE, (off_t)map.bar_offset);
	swhca_uuar_mapped(file, offset);
}

void
swhca_uraw_watch(struct swhca_ufile *file)
{
	struct maps maps;
	struct line line;
	struct stat st;
	uintptr_t page;

	if (syscall(SYS_fstat, file->map_fd, &st) != 0 || !maps_open(&maps))
		return;
	while (maps_next(&maps, &line)) {
		if (!line.is_writable || line.ino != st.st_ino ||
		    makedev(line.dev_major, line.dev_minor) != st.st_dev)
			continue;
		for (page = line.start; page < line.end; page += SWHCA_UAR_SIZE)
			page_watch(file, page, line.offset + (off_t)(page - line.start));
	}
	swhca_fd_close(maps.fd);
}
