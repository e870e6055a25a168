/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <fcntl.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/memlock.h"

/* linux/proc_ns.h: the inode of the first user namespace of a machine. */
#define INIT_USER_NS "user:[4026531837]"

/*
 * capable() ignores capabilities in other user namespaces, like those of root in a container
 * without privileges. System calls, as those of libc are intercepted here.
 */
static bool
is_in_init_user_ns(void)
{
	char name[sizeof(INIT_USER_NS)];
	long len = syscall(SYS_readlinkat, AT_FDCWD, "/proc/self/ns/user", name, sizeof(name));

	/* Without /proc nothing is known of other ones. */
	return len < 0 || ((size_t)len == sizeof(name) - 1 &&
			   memcmp(name, INIT_USER_NS, (size_t)len) == 0);
}

static bool
has_ipc_lock(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };

	return syscall(SYS_capget, &header, data) == 0 &&
	       (data[CAP_TO_INDEX(CAP_IPC_LOCK)].effective & CAP_TO_MASK(CAP_IPC_LOCK)) != 0 &&
	       is_in_init_user_ns();
}

uint64_t
swhca_memlock_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
	    has_ipc_lock())
		return SWHCA_MEMLOCK_NONE;
	return limit.rlim_cur;
}
