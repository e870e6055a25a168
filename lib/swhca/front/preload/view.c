/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <swhca_parts.h>

#include "front/preload/view.h"
#include "base/high_fd.h"
#include "host/sysfs.h"
#include "front/preload/preload_node.h"

#define DEV "/dev/infiniband"

/* Folders with entries of the machine and of ours. A folder follows its parent. */
static const struct area {
	const char *path;
	bool has_own;		/* entries of ours that are not areas themselves */
} areas[] = {
	{ "/sys", false },
	{ "/sys/bus", false },
	{ "/sys/bus/pci", false },
	{ "/sys/bus/pci/devices", true },
	{ "/sys/bus/pci/drivers", true },
	{ "/sys/class", false },
	{ "/sys/class/infiniband", true },
	{ "/sys/class/infiniband_verbs", true },
	{ "/sys/class/misc", true },
	{ "/sys/class/net", true },
	{ "/sys/devices", false },
	{ "/sys/devices/pci0000:00", true },
	{ DEV, false },
};

#define NB_AREAS (sizeof(areas) / sizeof(areas[0]))

/* A folder being created. */
struct view {
	const char *path;	/* as known to programs */
	int machine;		/* the same folder of the machine, or -1 */
	int own;		/* in our tree, or -1 */
	int dir;
};

static bool
is_area(const char *path)
{
	size_t i;

	for (i = 0; i < NB_AREAS; i++) {
		if (strcmp(path, areas[i].path) == 0)
			return true;
	}
	return false;
}

/* Find the deepest folder that is, or contains, a path. */
static const struct area *
area_of(const char *path)
{
	const struct area *found = NULL;
	size_t i, len;

	for (i = 0; i < NB_AREAS; i++) {
		len = strlen(areas[i].path);
		if (strncmp(path, areas[i].path, len) == 0 &&
		    (path[len] == '/' || path[len] == '\0'))
			found = &areas[i];
	}
	return found;
}

/* By system call number: libc calls are intercepted. */
static bool
has_entry(int dir, const char *name)
{
	struct stat st;

	return dir >= 0 && syscall(SYS_newfstatat, dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

static int
dir_open(const char *path)
{
	return (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
}

/* Check whether an entry of a folder is ours. An entry of /dev/infiniband is a device. */
static bool
is_own(const struct view *view, const char *name)
{
	char path[SWHCA_VIEW_PATH];

	if (strcmp(view->path, DEV) != 0)
		return has_entry(view->own, name);
	return snprintf(path, sizeof(path), DEV "/%s", name) < (int)sizeof(path) &&
	       swhca_node_of_path(path) >= 0;
}

/* Open the entries of a folder with a separate descriptor and position. @return NULL: none. */
static DIR *
entries_open(int folder)
{
	int fd = (int)syscall(SYS_openat, folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;

	if (dir == NULL && fd >= 0)
		swhca_fd_close(fd);
	return dir;
}

/* Create a link equal to the one in sysfs, or to the location of a folder or file. */
static void
entry_link(const struct view *view, int from, const char *folder, const char *name)
{
	char target[SWHCA_VIEW_PATH], old[SWHCA_VIEW_PATH];
	ssize_t len, old_len;

	len = syscall(SYS_readlinkat, from, name, target, sizeof(target) - 1);
	if (len < 0)
		len = snprintf(target, sizeof(target), "%s/%s", folder, name);
	if (len >= (ssize_t)sizeof(target))
		return;
	target[len] = '\0';
	old_len = syscall(SYS_readlinkat, view->dir, name, old, sizeof(old));
	if (old_len == len && memcmp(old, target, (size_t)len) == 0)
		return;
	/* Another process of this run may do the same. */
	syscall(SYS_unlinkat, view->dir, name, 0);
	syscall(SYS_symlinkat, target, view->dir, name);
}

static void
entries_link(const struct view *view, int from, const char *folder, bool is_machine)
{
	char path[SWHCA_VIEW_PATH];
	DIR *dir = from >= 0 ? entries_open(from) : NULL;
	struct dirent *entry;

	while (dir != NULL && (entry = readdir(dir)) != NULL) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
		    (is_machine && is_own(view, entry->d_name)))
			continue;
		snprintf(path, sizeof(path), "%s/%s", view->path, entry->d_name);
		if (is_area(path))
			syscall(SYS_mkdirat, view->dir, entry->d_name, 0755);
		else
			entry_link(view, from, folder, entry->d_name);
	}
	if (dir != NULL)
		closedir(dir);
}

/* Create the name of a device file of ours; the intercepted calls determine its content. */
static void
device_make(const struct view *view, const char *name)
{
	int fd;

	if (!is_own(view, name) || has_entry(view->dir, name))
		return;
	fd = (int)syscall(SYS_openat, view->dir, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0);
	if (fd >= 0)
		swhca_fd_close(fd);
}

static void
devices_make(const struct view *view)
{
	char name[32];
	unsigned int i;

	for (i = 0; i < swhca_conf_get()->nb_devices; i++) {
		snprintf(name, sizeof(name), "uverbs%u", i);
		device_make(view, name);
	}
	if (SWHCA_HAS_CM)
		device_make(view, "rdma_cm");
}

/* Remove entries that no longer exist in either folder. */
static void
stale_remove(const struct view *view)
{
	DIR *dir = entries_open(view->dir);
	struct dirent *entry;

	while (dir != NULL && (entry = readdir(dir)) != NULL) {
		if (entry->d_type != DT_DIR && !is_own(view, entry->d_name) &&
		    !has_entry(view->machine, entry->d_name))
			syscall(SYS_unlinkat, view->dir, entry->d_name, 0);
	}
	if (dir != NULL)
		closedir(dir);
}

/* Create the folders of a path one by one. @return The last one, or -1. */
static int
dirs_make(const char *base, const char *area)
{
	char path[SWHCA_VIEW_PATH];
	char *at;

	if (snprintf(path, sizeof(path), "%s/view%s/", base, area) >= (int)sizeof(path))
		return -1;
	for (at = path + strlen(base) + 1; (at = strchr(at, '/')) != NULL; at++) {
		*at = '\0';
		syscall(SYS_mkdirat, AT_FDCWD, path, 0755);
		*at = '/';
	}
	return dir_open(path);
}

static void
view_make(const char *base, const char *area)
{
	struct view view = { .path = area, .own = -1 };
	char folder[SWHCA_VIEW_PATH];

	view.dir = dirs_make(base, area);
	if (view.dir < 0)
		return;
	view.machine = dir_open(area);
	if (strcmp(area, DEV) != 0) {
		snprintf(folder, sizeof(folder), "%s%s", base, area);
		view.own = dir_open(folder);
		entries_link(&view, view.own, folder, false);
	} else {
		devices_make(&view);
	}
	entries_link(&view, view.machine, area, true);
	stale_remove(&view);
	swhca_fd_close(view.dir);
	if (view.machine >= 0)
		swhca_fd_close(view.machine);
	if (view.own >= 0)
		swhca_fd_close(view.own);
}

/* Links of a folder point to others: all are created once, and the requested one each time. */
static void
views_make(const char *base, const char *area)
{
	char path[SWHCA_VIEW_PATH];
	struct stat st;
	size_t i;

	snprintf(path, sizeof(path), "%s/view" DEV, base);
	if (syscall(SYS_newfstatat, AT_FDCWD, path, &st, 0) != 0) {
		for (i = 0; i < NB_AREAS; i++)
			view_make(base, areas[i].path);
	}
	view_make(base, area);
}

/* If the first entry after an area is ours, all below it is. */
static bool
entry_find(const char *base, const char *path, size_t area_len, char *out)
{
	const char *end = strchrnul(path + area_len + 1, '/');
	char top[SWHCA_VIEW_PATH];
	struct stat st;

	if (snprintf(out, SWHCA_VIEW_PATH, "%s%s", base, path) >= SWHCA_VIEW_PATH)
		return false;
	snprintf(top, sizeof(top), "%s%.*s", base, (int)(end - path), path);
	return syscall(SYS_newfstatat, AT_FDCWD, top, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

bool
swhca_view_find(const char *path, char out[static SWHCA_VIEW_PATH])
{
	const struct area *area = area_of(path);
	const char *base = swhca_sysfs_base();
	int saved = errno;
	bool found, is_below;
	size_t len;

	if (area == NULL || base[0] == '\0')
		return false;
	len = strlen(area->path);
	is_below = path[len] == '/' && path[len + 1] != '\0';
	if ((is_below && !area->has_own) || swhca_sysfs_create() != 0) {
		found = false;
	} else if (is_below) {
		found = entry_find(base, path, len, out);
	} else {
		found = snprintf(out, SWHCA_VIEW_PATH, "%s/view%s", base, path) < SWHCA_VIEW_PATH;
		if (found)
			views_make(base, area->path);
	}
	errno = saved;
	return found;
}

bool
swhca_view_name(const char *path, char out[static SWHCA_VIEW_PATH])
{
	const char *base = swhca_sysfs_base();
	size_t len = strlen(base);

	if (len == 0 || strncmp(path, base, len) != 0)
		return false;
	path += len;
	if (strncmp(path, "/view/", 6) == 0)
		path += 5;
	else if (strncmp(path, "/sys", 4) != 0 || (path[4] != '/' && path[4] != '\0'))
		return false;
	return snprintf(out, SWHCA_VIEW_PATH, "%s", path) < SWHCA_VIEW_PATH;
}
