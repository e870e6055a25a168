/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/high_fd.h"
#include "base/log.h"
#include "base/kept_fd.h"
#include "front/uverbs/dev/dev.h"
#include "front/uverbs/file/uverbs_file.h"
#include "front/uverbs/file/map.h"

/* mmap offset (mlx5_ib): its page number has a command in bits 15..8, an index in 23..16, 7..0. */
#define CMD_SHIFT	8u
#define CMD_MASK	0xffu
#define HIGH_SHIFT	16u

off_t
swhca_umap_offset(uint32_t cmd, uint32_t index)
{
	return (off_t)((uint64_t)(index >> 8) << HIGH_SHIFT | cmd << CMD_SHIFT | (index & 0xff)) *
	       SWHCA_UAR_SIZE;
}

void
swhca_umap_parse(off_t offset, uint32_t *cmd, uint32_t *index)
{
	uint64_t pgoff = (uint64_t)offset / SWHCA_UAR_SIZE;

	*index = (pgoff & 0xff) | (pgoff >> HIGH_SHIFT & 0xff) << 8;
	*cmd = pgoff >> CMD_SHIFT & CMD_MASK;
}

/* Covers all possible indices of UAR pages. */
static off_t
file_size(const struct swhca_udev *dev)
{
	size_t nb_pages = swhca_hca_bar_size(dev->hca) / SWHCA_UAR_SIZE;

	return (off_t)((nb_pages >> 8) + 1) * (SWHCA_UAR_SIZE << HIGH_SHIFT);
}

static int
file_seal(struct swhca_ufile *file, int fd)
{
	const int seals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW;
	int own;

	if (ftruncate(fd, file_size(file->dev)) != 0 || fcntl(fd, F_ADD_SEALS, seals) != 0 ||
	    lseek(fd, 0, SEEK_END) < 0)
		return -errno;
	own = (int)syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 0);
	if (own < 0)
		return -errno;
	file->map_fd = swhca_fd_raise(own);
	swhca_fd_keep(file->map_fd);
	return 0;
}

int
swhca_umap_create(struct swhca_ufile *file, int flags)
{
	char name[32];
	int fd, ret;

	snprintf(name, sizeof(name), "uverbs%u", file->dev->index);
	fd = memfd_create(name, MFD_ALLOW_SEALING | ((flags & O_CLOEXEC) != 0 ? MFD_CLOEXEC : 0));
	if (fd < 0)
		return swhca_call_error("memfd_create");
	ret = file_seal(file, fd);
	if (ret == 0)
		return fd;
	SWHCA_LOG(ERR, "device file of %lld bytes: %s", (long long)file_size(file->dev),
		  strerror(-ret));
	swhca_fd_close(fd);
	return ret;
}

void
swhca_umap_destroy(struct swhca_ufile *file)
{
	if (file->map_fd >= 0)
		swhca_fd_release(file->map_fd);
	file->map_fd = -1;
}

int
swhca_umap_place(struct swhca_ufile *file, uint32_t cmd, uint32_t index, uint64_t bar_offset,
		 size_t len)
{
	off_t offset = swhca_umap_offset(cmd, index);

	/* Clear doorbells and data of the previous owner. */
	if (fallocate(file->map_fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset,
		      (off_t)len) != 0)
		return -errno;
	return swhca_hca_bar_place(file->dev->hca, bar_offset, len, file->map_fd, offset);
}
