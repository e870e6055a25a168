/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Paths that programs hard-code, by each call of libc that takes one: the devices are there beside
 * what the machine has.
 */

/* open() and open64() are two symbols here; with 64-bit offsets by default they would be one. */
#undef _FILE_OFFSET_BITS

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "../check.h"

#define CLASS	"/sys/class/infiniband"
#define DEVICE	CLASS "/mlx5_0"
#define STATE	DEVICE "/ports/1/state"
#define PCI	"/sys/devices/pci0000:00/0000:08:00.0"
#define UVERBS	"/dev/infiniband/uverbs0"

int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int dirfd, const char *path, int flags);
int __openat64_2(int dirfd, const char *path, int flags);
int __xstat(int version, const char *path, struct stat *st);
int __lxstat(int version, const char *path, struct stat *st);
int __fxstatat(int version, int fd, const char *path, struct stat *st, int flags);
ssize_t __readlink_chk(const char *path, char *buf, size_t len, size_t size);
ssize_t __readlinkat_chk(int dirfd, const char *path, char *buf, size_t len, size_t size);
char *__realpath_chk(const char *path, char *resolved, size_t size);

static void
expect_state(int fd)
{
	char text[32] = "";

	CHECK(fd >= 0);
	CHECK(read(fd, text, sizeof(text) - 1) == 10);
	CHECK(strcmp(text, "4: ACTIVE\n") == 0);
	CHECK(close(fd) == 0);
}

static void
test_open(void)
{
	int dir = open(DEVICE "/ports", O_RDONLY | O_DIRECTORY);

	expect_state(open(STATE, O_RDONLY));
	expect_state(open64(STATE, O_RDONLY));
	expect_state(openat(AT_FDCWD, STATE, O_RDONLY));
	expect_state(openat64(AT_FDCWD, STATE, O_RDONLY));
	expect_state(__open_2(STATE, O_RDONLY));
	expect_state(__open64_2(STATE, O_RDONLY));
	expect_state(__openat_2(AT_FDCWD, STATE, O_RDONLY));
	expect_state(__openat64_2(AT_FDCWD, STATE, O_RDONLY));
	expect_state(openat(dir, "1/state", O_RDONLY));
	expect_state(openat(dir, "../ports/./1//state", O_RDONLY));
	expect_state(open("//sys/./class//infiniband/mlx5_0/ports/1/state", O_RDONLY));
	expect_state(open("/sys/class/../class/net/../infiniband/mlx5_0/ports/1/state", O_RDONLY));
	expect_state(open(DEVICE "/device/../0000:08:00.0/infiniband/mlx5_0/ports/1/state",
			  O_RDONLY));
	expect_state(open(PCI "/infiniband/mlx5_0/ports/1/state", O_RDONLY));
	CHECK(close(dir) == 0);
	CHECK(open("/sys/class/infiniband/none", O_RDONLY) == -1 && errno == ENOENT);
	CHECK(open("/sys/class/none/../infiniband", O_RDONLY) == -1 && errno == ENOENT);
	CHECK(open(STATE "/none", O_RDONLY) == -1 && errno == ENOTDIR);
	CHECK(open(UVERBS "/none", O_RDONLY) == -1);
	CHECK(open("", O_RDONLY) == -1 && errno == ENOENT);
}

/* As of sysfs, for root, too. */
static void
test_read_only(void)
{
	CHECK(open(STATE, O_WRONLY) == -1 && errno == EACCES);
	CHECK(open(STATE, O_RDWR) == -1 && errno == EACCES);
	CHECK(open(DEVICE "/new", O_RDWR | O_CREAT, 0644) == -1 && errno == EACCES);
	CHECK(open(DEVICE, O_RDWR) == -1 && errno == EISDIR);
	CHECK(creat(STATE, 0644) == -1 && errno == EACCES);
	CHECK(creat64(DEVICE "/new", 0644) == -1 && errno == EACCES);
	CHECK(fopen(STATE, "w") == NULL && errno == EACCES);
	CHECK(fopen64(STATE, "r+") == NULL && errno == EACCES);
	CHECK(access(STATE, R_OK) == 0);
	CHECK(access(STATE, W_OK) == -1 && errno == EACCES);
	CHECK(faccessat(AT_FDCWD, STATE, R_OK | W_OK, 0) == -1 && errno == EACCES);
	CHECK(access(DEVICE "/none", W_OK) == -1 && errno == ENOENT);
	CHECK(mkdir(DEVICE "/new", 0755) == -1);
	CHECK(unlink(STATE) == -1 && access(STATE, F_OK) == 0);
}

static void
test_streams(void)
{
	FILE *file = fopen(STATE, "r");
	char line[32];

	CHECK(file != NULL && fgets(line, sizeof(line), file) != NULL);
	file = freopen(DEVICE "/node_type", "re", file);
	CHECK(file != NULL && fgets(line, sizeof(line), file) != NULL);
	CHECK(strcmp(line, "1: CA\n") == 0);
	file = freopen64(STATE, "r", file);
	CHECK(file != NULL && fgets(line, sizeof(line), file) != NULL);
	CHECK(strcmp(line, "4: ACTIVE\n") == 0);
	CHECK(fclose(file) == 0);
}

static void
test_stat(void)
{
	struct stat64 st64;
	struct statx stx;
	struct stat st;

	CHECK(stat(DEVICE, &st) == 0 && S_ISDIR(st.st_mode));
	CHECK(lstat(DEVICE, &st) == 0 && S_ISLNK(st.st_mode));
	CHECK(lstat(DEVICE "/", &st) == 0 && S_ISDIR(st.st_mode));
	CHECK(stat64(STATE, &st64) == 0 && (st64.st_mode & 0777) == 0444);
	CHECK(lstat64(STATE, &st64) == 0 && S_ISREG(st64.st_mode));
	CHECK(fstatat(AT_FDCWD, DEVICE, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(st.st_mode));
	CHECK(statx(AT_FDCWD, DEVICE, 0, STATX_MODE, &stx) == 0 && S_ISDIR(stx.stx_mode));
	CHECK(__xstat(1, DEVICE, &st) == 0 && S_ISDIR(st.st_mode));
	CHECK(__lxstat(1, DEVICE, &st) == 0 && S_ISLNK(st.st_mode));
	CHECK(__fxstatat(1, AT_FDCWD, DEVICE, &st, 0) == 0 && S_ISDIR(st.st_mode));
	CHECK(stat(UVERBS, &st) == 0 && S_ISCHR(st.st_mode));
	CHECK(__fxstatat(1, AT_FDCWD, UVERBS, &st, 0) == 0 && S_ISCHR(st.st_mode));
	CHECK(statx(AT_FDCWD, UVERBS, 0, STATX_BASIC_STATS, &stx) == 0);
	CHECK(S_ISCHR(stx.stx_mode) && stx.stx_rdev_major == major(st.st_rdev) &&
	      stx.stx_rdev_minor == minor(st.st_rdev));
	CHECK(stat("/dev/infiniband", &st) == 0 && S_ISDIR(st.st_mode));
}

static void
test_links(void)
{
	char text[PATH_MAX] = "", other[PATH_MAX] = "";
	char *name;
	ssize_t len = readlink(DEVICE, text, sizeof(text));

	CHECK(len > 0 && strcmp(text, "../../devices/pci0000:00/0000:08:00.0/infiniband/mlx5_0") ==
				 0);
	CHECK(readlinkat(AT_FDCWD, DEVICE, other, sizeof(other)) == len);
	CHECK(strcmp(text, other) == 0);
	CHECK(__readlink_chk(DEVICE, other, 8, sizeof(other)) == 8);
	CHECK(__readlinkat_chk(AT_FDCWD, DEVICE, other, 8, sizeof(other)) == 8);
	CHECK(readlink(UVERBS, text, sizeof(text)) == -1 && errno == EINVAL);
	CHECK(realpath(DEVICE "/device", text) == text && strcmp(text, PCI) == 0);
	CHECK(__realpath_chk(DEVICE "/device/driver", text, sizeof(text)) == text);
	CHECK(strcmp(text, "/sys/bus/pci/drivers/mlx5_core") == 0);
	name = canonicalize_file_name("/sys/bus/pci/devices/0000:08:00.0");
	CHECK(name != NULL && strcmp(name, PCI) == 0);
	free(name);
	name = realpath(UVERBS, NULL);
	CHECK(name != NULL && strcmp(name, UVERBS) == 0);
	free(name);
}

static unsigned int
count(struct dirent **list, int nb, const char *wanted)
{
	unsigned int found = 0;
	int i;

	for (i = 0; i < nb; i++) {
		found += strcmp(list[i]->d_name, wanted) == 0;
		free(list[i]);
	}
	free(list);
	return found;
}

/* Both are there: what the machine has (every one has lo), and ours. */
static void
test_folders(void)
{
	struct dirent **list, *entry;
	unsigned int nb = 0;
	DIR *dir;
	int len;

	len = scandir("/sys/class/net", &list, NULL, alphasort);
	CHECK(len > 0 && count(list, len, "lo") == 1);
	len = scandirat(AT_FDCWD, "/sys/class/net/", &list, NULL, alphasort);
	CHECK(len > 0 && count(list, len, "enp8s0f0np0") == 1);
	len = scandir("/sys/class", &list, NULL, alphasort);
	CHECK(len > 0 && count(list, len, "infiniband") == 1);
	len = scandir("/sys/bus/pci/devices", &list, NULL, alphasort);
	CHECK(len > 0 && count(list, len, "0000:08:00.0") == 1);
	len = scandir("/dev/infiniband", &list, NULL, alphasort);
	CHECK(len > 0 && count(list, len, "uverbs0") == 1);
	CHECK(access("/sys/class/net/lo/address", R_OK) == 0);
	dir = opendir(CLASS);
	CHECK(dir != NULL);
	while ((entry = readdir(dir)) != NULL)
		nb += entry->d_name[0] != '.';
	CHECK(nb >= 2);
	expect_state(openat(dirfd(dir), "mlx5_0/ports/1/state", O_RDONLY));
	CHECK(faccessat(dirfd(dir), "../net/lo/address", R_OK, 0) == 0);
	CHECK(closedir(dir) == 0);
}

static void
test_at(void)
{
	int dir = open("/dev/infiniband", O_RDONLY | O_DIRECTORY), fd;
	struct stat st;

	CHECK(dir >= 0);
	CHECK(fstatat(dir, "uverbs0", &st, 0) == 0 && S_ISCHR(st.st_mode));
	fd = openat(dir, "uverbs0", O_RDWR | O_CLOEXEC);
	CHECK(fd >= 0 && fstat(fd, &st) == 0 && S_ISCHR(st.st_mode));
	CHECK(close(fd) == 0 && close(dir) == 0);
}

static void
test_glob(void)
{
	glob64_t found64 = { 0 };
	glob_t found = { 0 };

	CHECK(glob(CLASS "/mlx5_*/ports/*/state", 0, NULL, &found) == 0);
	CHECK(found.gl_pathc == 2 && strcmp(found.gl_pathv[0], STATE) == 0);
	globfree(&found);
	CHECK(glob64("/sys/class/net/*/address", 0, NULL, &found64) == 0 && found64.gl_pathc >= 3);
	globfree64(&found64);
}

static void
test_chdir(void)
{
	char cwd[PATH_MAX];

	CHECK(chdir(CLASS) == 0);
	CHECK(getcwd(cwd, sizeof(cwd)) == cwd && strcmp(cwd, CLASS) == 0);
	expect_state(open("mlx5_0/ports/1/state", O_RDONLY));
	CHECK(access("../net/lo/address", R_OK) == 0);
	CHECK(chdir("mlx5_0") == 0);
	expect_state(open("ports/1/state", O_RDONLY));
	CHECK(chdir("/") == 0);
	CHECK(chdir(UVERBS) == -1 && errno == ENOTDIR);
}

int
main(void)
{
	test_open();
	test_read_only();
	test_streams();
	test_stat();
	test_links();
	test_folders();
	test_at();
	test_glob();
	test_chdir();
	return 0;
}
