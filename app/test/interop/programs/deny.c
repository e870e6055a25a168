/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * deny ERRNO CALL[,CALL]... COMMAND [ARGUMENT]...
 *
 * Run a command to which the kernel denies some system calls, as that of a container does:
 * seccomp(2) answers them with an error. Exit status 125 if that cannot be done.
 */

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#else
#error "the audit number of this machine (linux/audit.h) has to be added"
#endif

#define MAX_STEPS 64

/* Of a word of 64 bits, which is all that the filter compares. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define LOW_HALF(offset) (offset)
#else
#define LOW_HALF(offset) ((offset) + 4)
#endif

/* A call of the kernel by its name; those that only some machines have are behind #ifdef. */
static const struct call {
	const char *name;
	unsigned int nr;
	unsigned int command;	/* Only with this second argument, if it is not 0. */
} calls[] = {
	{ "F_OFD_SETLK", SYS_fcntl, F_OFD_SETLK },
#define CALL(call) { .name = #call, .nr = SYS_##call, .command = 0 }
	CALL(accept4),
	CALL(bind),
	CALL(capget),
	CALL(clone3),
	CALL(connect),
	CALL(eventfd2),
	CALL(fallocate),
	CALL(flock),
	CALL(getrandom),
	CALL(listen),
	CALL(memfd_create),
	CALL(membarrier),
	CALL(prctl),
	CALL(process_vm_readv),
	CALL(process_vm_writev),
	CALL(recvmsg),
	CALL(sched_getaffinity),
	CALL(sched_setaffinity),
	CALL(sched_yield),
	CALL(sendmsg),
	CALL(socket),
	CALL(socketpair),
	CALL(symlinkat),
	CALL(timerfd_create),
#ifdef SYS_symlink
	CALL(symlink),
#endif
#undef CALL
};

static const struct {
	const char *name;
	unsigned int value;
} errors[] = {
	{ "EPERM", EPERM },
	{ "EACCES", EACCES },
	{ "ENOSYS", ENOSYS },
};

static __attribute__((noreturn)) void
fail(const char *what, const char *why)
{
	fprintf(stderr, "deny: %s: %s\n", what, why);
	exit(125);
}

static unsigned int
error_find(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		if (strcmp(errors[i].name, name) == 0)
			return errors[i].value;
	fail(name, "not an error that is known here");
}

static const struct call *
call_find(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (strcmp(calls[i].name, name) == 0)
			return &calls[i];
	fail(name, "not a call that is known here");
}

/* Of the program, which has the number of the call at hand. */
struct filter {
	struct sock_filter steps[MAX_STEPS];
	unsigned short nb;
};

static void
step(struct filter *filter, unsigned int code, unsigned int value, unsigned int skip_if_other)
{
	if (filter->nb == MAX_STEPS)
		fail("usage", "too many calls");
	filter->steps[filter->nb++] = (struct sock_filter){
		.code = (unsigned short)code, .k = value, .jf = (unsigned char)skip_if_other,
	};
}

static void
load(struct filter *filter, size_t offset)
{
	step(filter, BPF_LD | BPF_W | BPF_ABS, (unsigned int)offset, 0);
}

static void
call_deny(struct filter *filter, const struct call *call, unsigned int error)
{
	const unsigned int is_equal = BPF_JMP | BPF_JEQ | BPF_K, answer = BPF_RET | BPF_K;

	if (call->command == 0) {
		step(filter, is_equal, call->nr, 1);
		step(filter, answer, SECCOMP_RET_ERRNO | error, 0);
		return;
	}
	step(filter, is_equal, call->nr, 4);
	load(filter, LOW_HALF(offsetof(struct seccomp_data, args[1])));
	step(filter, is_equal, call->command, 1);
	step(filter, answer, SECCOMP_RET_ERRNO | error, 0);
	load(filter, offsetof(struct seccomp_data, nr));
}

static void
filter_install(struct filter *filter)
{
	struct sock_fprog program = { .len = filter->nb, .filter = filter->steps };

	/* So that it needs no privilege. */
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
		fail("seccomp", strerror(errno));
}

int
main(int argc, char **argv)
{
	struct filter filter = { .nb = 0 };
	unsigned int error;
	char *name;

	if (argc < 4)
		fail("usage", "deny ERRNO CALL[,CALL]... COMMAND [ARGUMENT]...");
	error = error_find(argv[1]);
	/* A program of another machine would mean other calls. */
	load(&filter, offsetof(struct seccomp_data, arch));
	step(&filter, BPF_JMP | BPF_JEQ | BPF_K, ARCH, 0);
	filter.steps[filter.nb - 1].jt = 1;
	step(&filter, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0);
	load(&filter, offsetof(struct seccomp_data, nr));
	for (name = strtok(argv[2], ","); name != NULL; name = strtok(NULL, ","))
		call_deny(&filter, call_find(name), error);
	step(&filter, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0);
	filter_install(&filter);
	execvp(argv[3], argv + 3);
	fail(argv[3], strerror(errno));
}
