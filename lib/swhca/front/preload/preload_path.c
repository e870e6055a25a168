/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "front/preload/preload_node.h"
#include "front/preload/preload_path.h"

/*
 * A path was redirected to a folder of the view: relative paths may start there, also in a child.
 */
static atomic_bool has_view;

__attribute__((constructor)) static void
has_view_init(void)
{
	char cwd[SWHCA_VIEW_PATH];

	if (syscall(SYS_getcwd, cwd, sizeof(cwd)) > 0 && strstr(cwd, "/view/") != NULL)
		atomic_store(&has_view, true);
}

/* Get the path of a folder's descriptor, as known to programs. @return Whether it is a view. */
static bool
dir_name(int dirfd, char name[static SWHCA_VIEW_PATH])
{
	char path[SWHCA_VIEW_PATH], link[32];
	long len;

	if (dirfd == AT_FDCWD) {
		len = syscall(SYS_getcwd, path, sizeof(path));
	} else {
		snprintf(link, sizeof(link), "/proc/self/fd/%d", dirfd);
		len = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof(path) - 1);
		if (len >= 0)
			path[len] = '\0';
	}
	return len >= 0 && strstr(path, "/view/") != NULL && swhca_view_name(path, name);
}

/* Check whether the path before ".." exists and is not a link to a folder. */
static bool
is_folder(const char *path)
{
	char target[1];

	return path[0] == '\0' || (syscall(SYS_readlinkat, AT_FDCWD, path, target, 1) < 0 &&
				   errno == EINVAL);
}

/*
 * Write an absolute path without empty, "." and ".." folders, up to its end, or until its beginning
 * is redirected and the kernel handles the rest.
 *
 * @return
 *   The rest, NULL: unknown.
 */
static const char *
path_shorten(const char *path, char out[static SWHCA_VIEW_PATH])
{
	char elsewhere[SWHCA_VIEW_PATH];
	size_t at = 0, len;

	out[0] = '\0';
	for (;; path += len) {
		path += strspn(path, "/");
		len = strcspn(path, "/");
		if (len == 0)
			return path;
		if (len == 1 && path[0] == '.')
			continue;
		if (len == 2 && path[0] == '.' && path[1] == '.') {
			if (at != 0 && swhca_view_find(out, elsewhere))
				return path;
			if (!is_folder(out))
				return NULL;
			while (at != 0 && out[--at] != '/')
				;
			out[at] = '\0';
			continue;
		}
		if (at + len + 2 > SWHCA_VIEW_PATH)
			return NULL;
		out[at++] = '/';
		memcpy(out + at, path, len);
		at += len;
		out[at] = '\0';
	}
}

/* Fast check: most paths are not redirected. */
static bool
is_candidate(const char *path)
{
	path += strspn(path, "/");
	return strncmp(path, "sys", 3) == 0 || strncmp(path, "dev/", 4) == 0 || path[0] == '.' ||
	       strstr(path, "/..") != NULL;
}

static void
path_find(struct swhca_path *to, const char *path)
{
	char shortened[SWHCA_VIEW_PATH];
	const char *rest;
	size_t len;

	if (!is_candidate(path))
		return;
	rest = path_shorten(path, shortened);
	if (rest == NULL)
		return;
	if (rest[0] == '\0')
		to->device = swhca_node_of_path(shortened);
	if (to->device >= 0 || !swhca_view_find(shortened, to->buf))
		return;
	len = strlen(to->buf);
	/* After a link a '/' selects the folder that it points to. */
	if (rest[0] == '\0' && path[strlen(path) - 1] != '/')
		rest = NULL;
	if (rest != NULL &&
	    snprintf(to->buf + len, sizeof(to->buf) - len, "/%s", rest) >=
		    (int)(sizeof(to->buf) - len))
		return;
	to->path = to->buf;
	to->is_ours = true;
	atomic_store(&has_view, true);
}

void
swhca_path_find(struct swhca_path *to, int dirfd, const char *path)
{
	char whole[SWHCA_VIEW_PATH];
	int saved = errno;
	size_t len;

	to->path = path;
	to->device = -1;
	to->is_ours = false;
	/* The kernel rejects calls with an invalid path. */
	if (path == NULL || path[0] == '\0')
		return;
	if (path[0] == '/') {
		path_find(to, path);
	} else if (atomic_load(&has_view) && strstr(path, "..") == NULL && dir_name(dirfd, whole)) {
		len = strlen(whole);
		if (snprintf(whole + len, sizeof(whole) - len, "/%s", path) <
		    (int)(sizeof(whole) - len))
			path_find(to, whole);
	}
	errno = saved;
}

bool
swhca_path_name(char *path, size_t size)
{
	char name[SWHCA_VIEW_PATH];

	if (!swhca_view_name(path, name) || strlen(name) >= size)
		return false;
	memcpy(path, name, strlen(name) + 1);
	return true;
}
