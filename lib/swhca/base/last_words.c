/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/high_fd.h"
#include "base/file_lock.h"
#include "base/kept_fd.h"
#include "base/log.h"
#include "include/gid.h"
#include "base/last_words.h"

#define PREFIX "last-words."
#define NB_WORDS 4096u
#define FILE_LEN (NB_WORDS * sizeof(struct swhca_mad_packet))
/* A lost packet is not sent again. */
#define NB_TIMES 3u

/* Packets of this process; length 0: unused. Pages of the file are allocated when written. */
static struct swhca_mad_packet *words;
static bool has_failed;

static int
file_open(void)
{
	const char *folder = secure_getenv("SWHCA_SYSFS_DIR");
	char path[PATH_MAX];
	int fd;

	if (folder == NULL)
		return -ENOENT;
	if (snprintf(path, sizeof(path), "%s/" PREFIX "%ld", folder, (long)getpid()) >=
	    (int)sizeof(path))
		return -ENAMETOOLONG;
	fd = swhca_fd_raise(open(path, O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));
	return fd < 0 ? -errno : fd;
}

static int
file_map(int fd)
{
	void *addr;
	int ret;

	ret = swhca_file_lock(fd, true);
	if (ret != 0)
		return ret;
	if (ftruncate(fd, FILE_LEN) != 0)
		return -errno;
	addr = mmap(NULL, FILE_LEN, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (addr == MAP_FAILED)
		return -errno;
	words = addr;
	return 0;
}

/* The descriptor stays open: its lock is released with the process. */
static int
words_open(void)
{
	int fd, ret;

	if (has_failed)
		return -ENOENT;
	fd = file_open();
	ret = fd < 0 ? fd : file_map(fd);
	if (ret == 0) {
		swhca_fd_keep_here(fd);
		return 0;
	}
	if (fd >= 0)
		swhca_fd_close(fd);
	if (ret != -ENOENT)
		SWHCA_LOG(DEBUG, "packets to send if this process is killed: %s", strerror(-ret));
	has_failed = true;
	return ret;
}

int
swhca_last_words_add(const struct swhca_mad_packet *packet)
{
	unsigned int i;
	int ret;

	ret = words == NULL ? words_open() : 0;
	if (ret != 0)
		return ret;
	for (i = 0; i < NB_WORDS; i++) {
		if (words[i].len != 0)
			continue;
		words[i] = *packet;
		return (int)i;
	}
	return -ENOSPC;
}

void
swhca_last_words_remove(int number)
{
	if (words != NULL)
		words[number].len = 0;
}

void
swhca_last_words_forget(void)
{
	if (words != NULL)
		munmap(words, FILE_LEN);
	words = NULL;
	has_failed = false;
}

union place {
	struct sockaddr any;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
};

static socklen_t
place_fill(const uint8_t gid[16], uint16_t port, union place *place)
{
	memset(place, 0, sizeof(*place));
	if (swhca_gid_is_ipv4(gid)) {
		place->in.sin_family = AF_INET;
		place->in.sin_port = htons(port);
		memcpy(&place->in.sin_addr, gid + 12, 4);
		return sizeof(place->in);
	}
	place->in6.sin6_family = AF_INET6;
	place->in6.sin6_port = htons(port);
	memcpy(&place->in6.sin6_addr, gid, 16);
	return sizeof(place->in6);
}

/* Send from the address of the process; if another one uses it by now, nothing is sent. */
static void
word_say(const struct swhca_mad_packet *word)
{
	union place from, to;
	socklen_t from_len = place_fill(word->sgid, word->src_port, &from);
	socklen_t to_len = place_fill(word->dgid, word->dst_port, &to);
	int fd = socket(from.any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int dont = IP_PMTUDISC_DO;
	unsigned int i;
	bool is_bound;

	if (fd < 0)
		return;
	/* Fields covered by the ICRC: as in wire/link/udp.c. */
	if (from.any.sa_family == AF_INET)
		(void)setsockopt(fd, IPPROTO_IP, IP_MTU_DISCOVER, &dont, sizeof(dont));
	is_bound = bind(fd, &from.any, from_len) == 0;
	for (i = 0; is_bound && i < NB_TIMES; i++)
		(void)sendto(fd, word->bytes, word->len, 0, &to.any, to_len);
	close(fd);
}

/* A file that is not locked belongs to a dead process. */
static void
file_say(int dirfd, const char *name)
{
	int fd = openat(dirfd, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	struct swhca_mad_packet word;
	struct stat st;
	unsigned int i;

	if (fd < 0)
		return;
	if (swhca_file_lock(fd, true) == 0 && fstat(fd, &st) == 0 &&
	    st.st_size == (off_t)FILE_LEN) {
		for (i = 0; i < NB_WORDS; i++) {
			if (pread(fd, &word, sizeof(word), (off_t)(i * sizeof(word))) ==
				    (ssize_t)sizeof(word) &&
			    word.len != 0 && word.len <= sizeof(word.bytes))
				word_say(&word);
		}
		unlinkat(dirfd, name, 0);
	}
	close(fd);
}

void
swhca_last_words_say(int dirfd)
{
	const struct dirent *entry;
	int fd = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (dir == NULL) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((entry = readdir(dir)) != NULL) {
		if (strncmp(entry->d_name, PREFIX, sizeof(PREFIX) - 1) == 0)
			file_say(dirfd, entry->d_name);
	}
	closedir(dir);
}
