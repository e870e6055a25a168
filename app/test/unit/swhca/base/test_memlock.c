/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* The limit of locked memory, for limits that a user may not set. */

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/capability.h>

#include "cases.h"
#include "base/memlock.h"

/* Answer of the system. */
static struct {
	int ret;
	rlim_t limit;
	int resource;
} fake;

/* Its name where files have offsets of 64 bits. */
int __wrap_getrlimit64(int resource, struct rlimit *limit);

int
__wrap_getrlimit64(int resource, struct rlimit *limit)
{
	fake.resource = resource;
	*limit = (struct rlimit){ fake.limit, RLIM_INFINITY };
	return fake.ret;
}

/* Set whether the capability is effective. @return It was. */
static bool
ipc_lock_set(bool is_wanted)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];
	uint32_t *effective = &data[CAP_TO_INDEX(CAP_IPC_LOCK)].effective;
	bool was_set;

	assert_int_equal(syscall(SYS_capget, &header, data), 0);
	was_set = (*effective & CAP_TO_MASK(CAP_IPC_LOCK)) != 0;
	*effective &= ~CAP_TO_MASK(CAP_IPC_LOCK);
	if (is_wanted)
		*effective |= CAP_TO_MASK(CAP_IPC_LOCK);
	assert_int_equal(syscall(SYS_capset, &header, data), 0);
	return was_set;
}

static int
setup(void **state)
{
	static bool had_cap;

	fake.ret = 0;
	had_cap = ipc_lock_set(false);
	*state = &had_cap;
	return 0;
}

static int
teardown(void **state)
{
	ipc_lock_set(*(bool *)*state);
	return 0;
}

CASE_WITH(limit_is_that_of_the_system_in_bytes, setup, teardown)
{
	static const rlim_t limits[] = { 0, 1, 65536, UINT64_C(1) << 40, RLIM_INFINITY - 1 };

	for (unsigned int i = 0; i < NB_OF(limits); i++) {
		fake.limit = limits[i];
		assert_int_equal(swhca_memlock_limit(), limits[i]);
		assert_int_equal(fake.resource, RLIMIT_MEMLOCK);
	}
}

CASE_WITH(infinite_limit_is_none, setup, teardown)
{
	fake.limit = RLIM_INFINITY;
	assert_int_equal(swhca_memlock_limit(), SWHCA_MEMLOCK_NONE);
}

CASE_WITH(unknown_limit_is_none, setup, teardown)
{
	fake.limit = 65536;
	fake.ret = -1;
	assert_int_equal(swhca_memlock_limit(), SWHCA_MEMLOCK_NONE);
}

/* Not in another user namespace, where the limit of this test would hold. */
CASE_WITH(capability_lifts_the_limit, setup, teardown)
{
	char name[64];
	ssize_t len = readlink("/proc/self/ns/user", name, sizeof(name) - 1);

	if (!*(bool *)*state || len < 0)
		skip();
	name[len] = '\0';
	ipc_lock_set(true);
	fake.limit = 0;
	/* PROC_USER_INIT_INO of Linux. */
	assert_int_equal(swhca_memlock_limit(),
			 strcmp(name, "user:[4026531837]") == 0 ? SWHCA_MEMLOCK_NONE : 0);
}
