/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <net/if.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/memlock.h"
#include "host/folder.h"
#include "tools/check.h"

/* Size of a UAR page: the devices support no other page size. */
#define PAGE_BYTES 4096

static int
page_size_try(void)
{
	return sysconf(_SC_PAGESIZE) == PAGE_BYTES ? 0 : -ENOTSUP;
}

static int
memfd_try(void)
{
	int fd = memfd_create("swhca-check", MFD_CLOEXEC | MFD_ALLOW_SEALING), ret = 0;
	void *page;

	if (fd < 0)
		return -errno;
	if (ftruncate(fd, PAGE_BYTES) != 0) {
		ret = -errno;
	} else {
		page = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (page == MAP_FAILED)
			ret = -errno;
		else
			munmap(page, PAGE_BYTES);
	}
	close(fd);
	return ret;
}

static int
getrandom_try(void)
{
	uint64_t word;

	return getrandom(&word, sizeof(word), 0) == (ssize_t)sizeof(word) ? 0 : -errno;
}

static int
socketpair_try(void)
{
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0)
		return -errno;
	close(fds[0]);
	close(fds[1]);
	return 0;
}

static void *
thread_main(void *arg)
{
	return arg;
}

static int
thread_try(void)
{
	pthread_t thread;
	int ret = pthread_create(&thread, NULL, thread_main, NULL);

	if (ret == 0)
		pthread_join(thread, NULL);
	return -ret;
}

/* Check for a folder in which files can be created, linked and locked. */
static int
folder_try(void)
{
	char path[PATH_MAX];
	const char *parent, *call;
	int fd = -ENOENT, ret;
	unsigned int i;

	for (i = 0; fd < 0 && (parent = swhca_folder_parent(i)) != NULL; i++) {
		if (parent[0] == '\0')
			continue;
		ret = swhca_folder_create(path, sizeof(path), parent, getpid());
		if (ret != 0) {
			fd = ret;
			continue;
		}
		fd = swhca_folder_hold(path, &call);
		swhca_folder_remove(path);
	}
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

static int
vm_readv_try(void)
{
	char from = 0, to;
	struct iovec local = { .iov_base = &to, .iov_len = 1 };
	struct iovec remote = { .iov_base = &from, .iov_len = 1 };

	return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == 1 ? 0 : -errno;
}

static int
flock_try(void)
{
	int fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC), ret;

	if (fd < 0)
		return -errno;
	ret = flock(fd, LOCK_SH | LOCK_NB) == 0 || errno == EWOULDBLOCK ? 0 : -errno;
	close(fd);
	return ret;
}

/* Abstract address, as for swhca-ctl to a program, and for a child of fork(2) to its parent. */
static int
unix_server_try(void)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), ret = 0;

	if (fd < 0)
		return -errno;
	/* The kernel chooses the address (unix(7), autobind). */
	if (bind(fd, (const struct sockaddr *)&addr, sizeof(addr.sun_family)) != 0 ||
	    listen(fd, 1) != 0 ||
	    (accept4(fd, NULL, NULL, SOCK_CLOEXEC) < 0 && errno != EAGAIN))
		ret = -errno;
	close(fd);
	return ret;
}

/* First steps of "--wire udp". */
static int
udp_try(void)
{
	struct sockaddr_in addr = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), ret;

	if (fd < 0)
		return -errno;
	ret = bind(fd, (const struct sockaddr *)&addr, sizeof(addr)) == 0 ? 0 : -errno;
	close(fd);
	return ret;
}

static int
loopback_try(void)
{
	struct ifreq req = { .ifr_name = "lo" };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), ret = 0;

	if (fd < 0)
		return -errno;
	if (ioctl(fd, SIOCGIFFLAGS, &req) != 0)
		ret = -errno;
	else if ((req.ifr_flags & IFF_UP) == 0)
		ret = -ENETDOWN;
	close(fd);
	return ret;
}

static int
proc_try(void)
{
	return access("/proc/self/maps", R_OK) == 0 ? 0 : -errno;
}

static const struct need {
	const char *what;
	int (*try)(void);
	const char *without; /* Remedy, or fallback. */
	bool is_required;
} needs[] = {
	{ "page size of 4096 bytes", page_size_try, "doorbell pages have this size", true },
	{ "a folder for temporary files", folder_try,
	  "set TMPDIR to one where files can be made, and locked by flock or fcntl", true },
	{ "memfd_create(2), mmap(2)", memfd_try, "allow it: devices are files in memory", true },
	{ "socketpair(2)", socketpair_try, "allow it: events come by it", true },
	{ "pthread_create(3)", thread_try, "allow it: devices are threads", true },
	{ "getrandom(2)", getrandom_try, "/dev/urandom is read", false },
	{ "process_vm_readv(2)", vm_readv_try,
	  "memory is copied by loads and stores, with their faults caught", false },
	{ "flock(2)", flock_try, "folders are locked by fcntl, F_OFD_SETLK", false },
	{ "/proc", proc_try,
	  "registered memory is accessed page by page, counters in sysfs stand still, "
	  "folders of killed runs stay",
	  false },
	{ "unix(7): bind, listen, accept4", unix_server_try,
	  "no swhca-ctl, and devices of a parent are dead in a child of fork(2)", false },
	{ "udp(7)", udp_try, "no --wire udp or eth", false },
	{ "loopback interface, up", loopback_try, "ports of --wire udp are down", false },
};

/* Not a requirement: it depends on what a program registers. */
static void
memlock_print(void)
{
	uint64_t limit = swhca_memlock_limit();

	if (limit == SWHCA_MEMLOCK_NONE)
		puts("yes      locked memory without limit");
	else
		printf("no       locked memory without limit: %" PRIu64 " KiB (ulimit -l);"
		       " with --memlock registrations beyond it fail, as with an adapter\n",
		       limit / 1024);
}

int
swhca_check_print(void)
{
	const struct need *need;
	bool has_all = true;
	size_t i;
	int ret;

	for (i = 0; i < sizeof(needs) / sizeof(needs[0]); i++) {
		need = &needs[i];
		ret = need->try();
		if (ret == 0) {
			printf("yes      %s\n", need->what);
			continue;
		}
		printf("%-8s %s: %s; %s\n", need->is_required ? "MISSING" : "no", need->what,
		       strerror(-ret), need->without);
		has_all = has_all && !need->is_required;
	}
	memlock_print();
	puts(has_all ? "The devices work here." :
		       "The devices do not work here: allow what is missing.");
	return has_all ? 0 : 1;
}
