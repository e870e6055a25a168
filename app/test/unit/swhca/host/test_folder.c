/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Temporary folders, where other users of the machine put things in the way. */

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cases.h"
#include "host/folder.h"

#define NOBODY 65534

/* Parent of what a case makes, as /tmp is: everybody may write there. */
static char parent[PATH_MAX - 512];

static int
parent_make(void **state)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(parent, sizeof(parent), "%s/swhca-unit.XXXXXX", tmp != NULL ? tmp : "/tmp");
	return mkdtemp(parent) == NULL || chmod(parent, 01777) != 0;
}

static int
parent_remove(void **state)
{
	swhca_folder_remove(parent);
	return access(parent, F_OK) == 0;
}

static const char *
path_of(const char *name)
{
	static char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", parent, name);
	return path;
}

static mode_t
mode_of(const char *path)
{
	struct stat st;

	assert_int_equal(lstat(path, &st), 0);
	return st.st_mode & 07777;
}

CASE(folders_are_this_user_s_alone)
{
	char path[PATH_MAX], other[PATH_MAX];
	const char *call;
	int fd;

	assert_int_equal(swhca_folder_create(path, sizeof(path), parent, getpid()), 0);
	assert_int_equal(mode_of(path), 0700);
	assert_int_equal(swhca_folder_create(other, sizeof(other), parent, getpid()), 0);
	assert_string_not_equal(path, other);
	assert_int_equal(swhca_folder_reap(path, true), 0);
	assert_int_equal(swhca_folder_name(path, sizeof(path), parent, getpid()), 0);
	assert_int_equal(swhca_folder_open(path), -ENOENT);
	fd = swhca_folder_hold(path, &call);
	assert_true(fd >= 0);
	assert_int_equal(mode_of(path), 0700);
	assert_int_equal(swhca_folder_reap(path, true), -EBUSY);
	close(fd);
	assert_int_equal(swhca_folder_reap(path, true), 0);
	assert_int_equal(swhca_folder_open(path), -ENOENT);
}

/* 64 random bits: whoever knows the process knows all the rest. */
CASE(names_cannot_be_guessed)
{
	char first[PATH_MAX], second[PATH_MAX];
	const char *a, *b;

	assert_int_equal(swhca_folder_name(first, sizeof(first), parent, getpid()), 0);
	assert_int_equal(swhca_folder_name(second, sizeof(second), parent, getpid()), 0);
	a = strrchr(first, '.');
	b = strrchr(second, '.');
	assert_int_equal(strlen(a), 17);
	assert_int_equal(a - first, b - second);
	assert_memory_equal(first, second, (size_t)(a - first));
	assert_string_not_equal(a, b);
	assert_int_equal(swhca_folder_name(first, 20, parent, getpid()), -ENAMETOOLONG);
	assert_int_equal(swhca_folder_create(first, 20, parent, getpid()), -ENAMETOOLONG);
}

static void
is_rejected(const char *path)
{
	const char *call = "none";

	assert_int_equal(swhca_folder_open(path), -EPERM);
	assert_int_equal(swhca_folder_hold(path, &call), -EPERM);
	/* It was not the kernel. */
	assert_null(call);
	assert_int_equal(swhca_folder_reap(path, true), -EPERM);
	assert_int_equal(access(path, F_OK), 0);
}

CASE(folder_of_another_user_is_rejected)
{
	const char *path = path_of("other");

	if (geteuid() != 0) {
		print_message("needs root, to make another user's folder\n");
		skip();
	}
	assert_int_equal(mkdir(path, 0755), 0);
	assert_int_equal(chown(path, NOBODY, NOBODY), 0);
	is_rejected(path);
	/* It may be as inviting as it likes. */
	assert_int_equal(chmod(path, 0777), 0);
	is_rejected(path);
}

CASE(folder_that_others_may_write_to_is_rejected)
{
	const char *path = path_of("open");

	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(chmod(path, 0770), 0);
	is_rejected(path);
	assert_int_equal(chmod(path, 0702), 0);
	is_rejected(path);
	assert_int_equal(chmod(path, 0755), 0);
	assert_int_equal(swhca_folder_reap(path, true), 0);
}

CASE(links_and_files_are_rejected)
{
	const char *path = path_of("link");
	int fd;

	assert_int_equal(symlink(parent, path), 0);
	is_rejected(path);
	path = path_of("file");
	fd = open(path, O_CREAT | O_EXCL | O_WRONLY, 0600);
	assert_true(fd >= 0);
	close(fd);
	is_rejected(path);
}

/* Whoever is denied flock(2) has the other lock, which whoever removes folders sees. */
CASE(either_lock_keeps_a_folder)
{
	struct flock lock = { .l_type = F_RDLCK, .l_whence = SEEK_SET };
	char path[PATH_MAX], name[PATH_MAX + 8];
	const char *call;
	int fd;

	assert_int_equal(swhca_folder_create(path, sizeof(path), parent, getpid()), 0);
	snprintf(name, sizeof(name), "%s/lock", path);
	fd = open(name, O_RDWR | O_CREAT, 0600);
	assert_true(fd >= 0);
	assert_int_equal(fcntl(fd, F_OFD_SETLK, &lock), 0);
	assert_int_equal(swhca_folder_reap(path, true), -EBUSY);
	close(swhca_folder_hold(path, &call));
	close(fd);
	assert_int_equal(swhca_folder_reap(path, true), 0);
}

/* A parent is a path or is left out; there is an end. */
CASE(parents_are_absolute_paths)
{
	const char *dir;
	unsigned int i;

	setenv("XDG_RUNTIME_DIR", "here", 1);
	for (i = 0; (dir = swhca_folder_parent(i)) != NULL; i++) {
		assert_true(i < 16);
		assert_true(dir[0] == '/' || dir[0] == '\0');
	}
	assert_true(i > 2);
}

/* A name that is seen while a folder lives cannot be kept from being removed. */
CASE(removal_cannot_be_blocked)
{
	char path[PATH_MAX], gone[PATH_MAX + 16];

	assert_int_equal(swhca_folder_create(path, sizeof(path), parent, getpid()), 0);
	snprintf(gone, sizeof(gone), "%s.gone", path);
	assert_int_equal(mkdir(gone, 0700), 0);
	snprintf(gone, sizeof(gone), "%s.gone/in-the-way", path);
	assert_int_equal(mkdir(gone, 0700), 0);
	assert_int_equal(swhca_folder_reap(path, true), 0);
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(access(gone, F_OK), 0);
}

int
main(void)
{
	return cases_run(parent_make, parent_remove);
}
