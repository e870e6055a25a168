/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * A program with handlers of its own for SIGSEGV and SIGBUS, set by every call that libc has for
 * it: faults of the device are completions and never reach it, its own faults always do. Plain
 * main(): cmocka would set handlers, too.
 *
 *   signals             all of it
 *   signals blocked     with all signals blocked from the beginning on
 */

#include <dlfcn.h>
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <infiniband/verbs.h>

#include "rc_qp.h"

#include "../../patience.h"
#include "../check.h"

#define LEN		8192u

static struct ibv_context *ctx;
static struct ibv_pd *pd;
static struct ibv_cq *cq;

/* In the first page, which nobody has. */
static volatile uint8_t *volatile nowhere = (uint8_t *)64;

static volatile sig_atomic_t nb_faults;
static void *volatile fault_addr;
static sigjmp_buf back;

static void
on_fault(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)context;
	nb_faults++;
	fault_addr = info->si_addr;
	siglongjmp(back, 1);
}

static struct ibv_qp *
qp_create(void)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC, .send_cq = cq, .recv_cq = cq,
		.cap = { .max_send_wr = 4, .max_recv_wr = 1, .max_send_sge = 1,
			 .max_recv_sge = 1 },
	};
	const struct rc_qp_conf conf = { .access = IBV_ACCESS_REMOTE_WRITE, .rd_atomic = 1,
					 .timeout = 14, .retry_cnt = 7, .rnr_retry = 7 };
	struct ibv_qp *qp = ibv_create_qp(pd, &init);

	CHECK(qp != NULL);
	CHECK(rc_qp_connect_itself(qp, &conf) == 0);
	return qp;
}

static enum ibv_wc_status
write_once(struct ibv_mr *from, struct ibv_mr *to)
{
	struct ibv_sge sge = { (uintptr_t)from->addr, LEN, from->lkey };
	struct ibv_send_wr *bad, wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE,
		.send_flags = IBV_SEND_SIGNALED, .wr.rdma = { (uintptr_t)to->addr, to->rkey },
	};
	struct ibv_qp *qp = qp_create();
	const uint64_t end = patience_end();
	struct ibv_wc wc;
	int nb = 0;

	CHECK(ibv_post_send(qp, &wr, &bad) == 0);
	while (nb == 0) {
		nb = ibv_poll_cq(cq, 1, &wc);
		CHECK(!patience_is_over(end));
	}
	CHECK(nb == 1);
	CHECK(ibv_destroy_qp(qp) == 0);
	return wc.status;
}

/* Past libc: what the library sees of it does not change what a device may do to pinned pages. */
static void
protect(uint8_t *mem, size_t len, int prot)
{
	CHECK(syscall(SYS_mprotect, mem, len, prot) == 0);
}

static void
device_faults_are_completions(void)
{
	uint8_t *mem = mmap(NULL, 2 * LEN, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			    0);
	struct ibv_mr *from, *to;

	CHECK(mem != MAP_FAILED);
	memset(mem, 1, LEN);
	from = ibv_reg_mr(pd, mem, LEN, 0);
	to = ibv_reg_mr(pd, mem + LEN, LEN, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	CHECK(from != NULL && to != NULL);
	CHECK(write_once(from, to) == IBV_WC_SUCCESS);
	CHECK(memcmp(mem, mem + LEN, LEN) == 0);
	protect(mem + 4096, 4096, PROT_NONE);
	CHECK(write_once(from, to) == IBV_WC_LOC_PROT_ERR);
	protect(mem + 4096, 4096, PROT_READ | PROT_WRITE);
	protect(mem + LEN, LEN, PROT_READ);
	CHECK(write_once(from, to) == IBV_WC_REM_OP_ERR);
	CHECK(ibv_dereg_mr(from) == 0 && ibv_dereg_mr(to) == 0);
	CHECK(munmap(mem, 2 * LEN) == 0);
}

/* Pages of a file that ends before them: SIGBUS. */
static uint8_t *
behind_end_map(int *fd)
{
	uint8_t *mem;

	*fd = memfd_create("signals", MFD_CLOEXEC);
	CHECK(*fd >= 0 && ftruncate(*fd, 2 * LEN) == 0);
	mem = mmap(NULL, 2 * LEN, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
	CHECK(mem != MAP_FAILED);
	return mem;
}

static void
device_bus_errors_are_completions(void)
{
	struct ibv_mr *from, *to;
	uint8_t *mem;
	int fd;

	mem = behind_end_map(&fd);
	from = ibv_reg_mr(pd, mem, LEN, 0);
	to = ibv_reg_mr(pd, mem + LEN, LEN, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	CHECK(from != NULL && to != NULL);
	CHECK(write_once(from, to) == IBV_WC_SUCCESS);
	CHECK(ftruncate(fd, LEN) == 0);
	CHECK(write_once(from, to) == IBV_WC_REM_OP_ERR);
	CHECK(ftruncate(fd, 0) == 0);
	CHECK(write_once(from, to) == IBV_WC_LOC_PROT_ERR);
	CHECK(ibv_dereg_mr(from) == 0 && ibv_dereg_mr(to) == 0);
	CHECK(munmap(mem, 2 * LEN) == 0 && close(fd) == 0);
}

static void
own_fault(volatile uint8_t *where)
{
	int before = nb_faults;

	if (sigsetjmp(back, 1) == 0) {
		*where = 1;
		CHECK(!"reached");
	}
	CHECK(nb_faults == before + 1);
	CHECK(fault_addr == where);
}

/* The child does what it does; the parent looks how it ended. */
static void
expect_death(void (*run)(void))
{
	pid_t pid = fork();
	int status;

	CHECK(pid >= 0);
	if (pid == 0) {
		run();
		_exit(0);
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
}

static void
die_of_default(void)
{
	signal(SIGSEGV, SIG_DFL);
	*nowhere = 1;
}

static void
die_of_a_sent_one(void)
{
	signal(SIGSEGV, SIG_DFL);
	raise(SIGSEGV);
}

static void
die_of_the_second(void)
{
	struct sigaction act = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_RESETHAND };

	sigaction(SIGSEGV, &act, NULL);
	own_fault(nowhere);
	*nowhere = 1;
}

static void
handlers_are_what_the_program_set(void)
{
	struct sigaction act = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO }, old;

	sigaddset(&act.sa_mask, SIGUSR1);
	CHECK(sigaction(SIGSEGV, &act, NULL) == 0);
	CHECK(sigaction(SIGBUS, &act, NULL) == 0);
	CHECK(sigaction(SIGSEGV, NULL, &old) == 0);
	CHECK(old.sa_sigaction == on_fault && old.sa_flags == SA_SIGINFO);
	CHECK(sigismember(&old.sa_mask, SIGUSR1) == 1);
	CHECK(signal(SIGSEGV, SIG_IGN) == (sighandler_t)(uintptr_t)on_fault);
	CHECK(raise(SIGSEGV) == 0);	/* ignored when sent */
	CHECK(signal(SIGSEGV, SIG_DFL) == SIG_IGN);
	CHECK(sigaction(SIGSEGV, &act, NULL) == 0);
}

/* Calls that set a handler, and the flags that they stand for. */

static void
count_fault(int sig)
{
	(void)sig;
	nb_faults++;
	siglongjmp(back, 1);
}

static int
set_by_sigvec(int sig)
{
	const struct { sighandler_t handler; int mask, flags; } vec = { count_fault, 0, 0 };
	union { void *sym; int (*call)(int, const void *, void *); } fn;

	/* Headers have forgotten it. */
	fn.sym = dlsym(RTLD_DEFAULT, "sigvec");
	return fn.sym == NULL ? -1 : fn.call(sig, &vec, NULL);
}

int __sigaction(int sig, const struct sigaction *act, struct sigaction *old);
/* Declared for programs of other standards only. */
sighandler_t bsd_signal(int sig, sighandler_t handler);

static int
set_by_sigaction(int sig)
{
	const struct sigaction act = { .sa_handler = count_fault };

	return __sigaction(sig, &act, NULL);
}

#define SET_BY(call)                                                                               \
	static int set_by_##call(int sig)                                                          \
	{                                                                                          \
		return call(sig, count_fault) == SIG_ERR ? -1 : 0;                                 \
	}

SET_BY(signal)
SET_BY(bsd_signal)
SET_BY(ssignal)
SET_BY(sysv_signal)
SET_BY(__sysv_signal)

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

SET_BY(sigset)

/* In a thread that has it blocked, the kernel would make a fault the default. */
static void
hold_and_release(int sig)
{
	CHECK(sigset(sig, SIG_HOLD) == count_fault);
	CHECK(sigset(sig, count_fault) == SIG_HOLD);
	CHECK(sigset(sig, SIG_ERR) == SIG_ERR && errno == EINVAL);
}

static void
ignore(int sig)
{
	CHECK(sigignore(sig) == 0);
	CHECK(raise(sig) == 0);
}

static void
interrupt(int sig)
{
	struct sigaction old;

	CHECK(signal(sig, count_fault) != SIG_ERR && siginterrupt(sig, 1) == 0);
	CHECK(sigaction(sig, NULL, &old) == 0);
	CHECK(old.sa_handler == count_fault && (old.sa_flags & SA_RESTART) == 0);
	CHECK(signal(sig, count_fault) == count_fault);
	CHECK(sigaction(sig, NULL, &old) == 0 && (old.sa_flags & SA_RESTART) == 0);
	CHECK(siginterrupt(sig, 0) == 0);
	CHECK(sigaction(sig, NULL, &old) == 0 && (old.sa_flags & SA_RESTART) != 0);
}

#pragma GCC diagnostic pop

static const struct way {
	int (*set)(int sig);
	int flags;
	bool blocks_itself;
} ways[] = {
	{ set_by_signal, SA_RESTART, true },
	{ set_by_bsd_signal, SA_RESTART, true },
	{ set_by_ssignal, SA_RESTART, true },
	{ set_by_sysv_signal, (int)SA_RESETHAND | SA_NODEFER, false },
	{ set_by___sysv_signal, (int)SA_RESETHAND | SA_NODEFER, false },
	{ set_by_sigset, 0, false },
	{ set_by_sigaction, 0, false },
	{ set_by_sigvec, SA_RESTART, false },
};

#define NB_WAYS (sizeof(ways) / sizeof(ways[0]))

static void
way_sets(const struct way *way, int sig, volatile uint8_t *where)
{
	int before = nb_faults;
	struct sigaction old;

	CHECK(way->set(sig) == 0);
	CHECK(sigaction(sig, NULL, &old) == 0 && old.sa_handler == count_fault);
	CHECK(old.sa_flags == way->flags);
	CHECK(sigismember(&old.sa_mask, sig) == way->blocks_itself);
	device_faults_are_completions();
	device_bus_errors_are_completions();
	CHECK(nb_faults == before);
	if (sigsetjmp(back, 1) == 0) {
		*where = 1;
		CHECK(!"reached");
	}
	CHECK(nb_faults == before + 1);
	CHECK(sigaction(sig, NULL, &old) == 0);
	CHECK(old.sa_handler ==
	      ((way->flags & (int)SA_RESETHAND) != 0 ? SIG_DFL : count_fault));
}

static void
every_call_leaves_the_device_its_handlers(void)
{
	uint8_t *behind_end;
	size_t i;
	int fd;

	behind_end = behind_end_map(&fd);
	CHECK(ftruncate(fd, 0) == 0);
	for (i = 0; i < NB_WAYS; i++) {
		way_sets(&ways[i], SIGSEGV, nowhere);
		way_sets(&ways[i], SIGBUS, behind_end);
	}
	CHECK(munmap(behind_end, 2 * LEN) == 0 && close(fd) == 0);
	set_by_sigset(SIGSEGV);
	hold_and_release(SIGSEGV);
	interrupt(SIGSEGV);
	device_faults_are_completions();
	ignore(SIGSEGV);
	ignore(SIGBUS);
	device_faults_are_completions();
	device_bus_errors_are_completions();
	CHECK(signal(SIGSEGV, SIG_DFL) == SIG_IGN && signal(SIGBUS, SIG_DFL) == SIG_IGN);
	/* Nobody else's signals are touched. */
	interrupt(SIGUSR1);
	CHECK(signal(SIGUSR1, SIG_DFL) == count_fault);
}

/* A handler runs where the program wants it. */

static uint8_t alt_stack[256 * 1024];
static const void *volatile handler_stack;

static void
note_stack(int sig)
{
	handler_stack = __builtin_frame_address(0);
	count_fault(sig);
}

static bool
handler_is_on_alt_stack(int flags)
{
	const struct sigaction act = { .sa_handler = note_stack, .sa_flags = flags };
	uintptr_t at;

	CHECK(sigaction(SIGSEGV, &act, NULL) == 0);
	if (sigsetjmp(back, 1) == 0)
		*nowhere = 1;
	at = (uintptr_t)handler_stack;
	return at >= (uintptr_t)alt_stack && at < (uintptr_t)alt_stack + sizeof(alt_stack);
}

static void
stack_is_the_one_of_the_handler(void)
{
	const stack_t alt = { .ss_sp = alt_stack, .ss_size = sizeof(alt_stack) };
	const stack_t none = { .ss_flags = SS_DISABLE };

	CHECK(sigaltstack(&alt, NULL) == 0);
	CHECK(handler_is_on_alt_stack(SA_ONSTACK));
	CHECK(!handler_is_on_alt_stack(0));
	CHECK(sigaltstack(&none, NULL) == 0);
}

static void
do_nothing(int sig)
{
	(void)sig;
}

/* Wait in a call while signals come; what it waits for comes later, or not at all. */
static int
read_under_signals(sighandler_t handler, int flags, bool comes)
{
	const struct itimerspec often = { { 0, 1000000 }, { 0, 1000000 } };
	const struct sigaction act = { .sa_handler = handler, .sa_flags = flags };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGSEGV };
	int fds[2], ret;
	timer_t timer;
	pid_t pid;
	char c;

	CHECK(pipe(fds) == 0 && sigaction(SIGSEGV, &act, NULL) == 0);
	pid = fork();
	CHECK(pid >= 0);
	if (pid == 0) {
		usleep(100000);
		_exit(!comes || write(fds[1], "x", 1) == 1 ? 0 : 1);
	}
	CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
	CHECK(timer_settime(timer, 0, &often, NULL) == 0);
	ret = read(fds[0], &c, 1) == 1 ? 0 : errno;
	CHECK(timer_delete(timer) == 0);
	while (waitpid(pid, NULL, 0) != pid)
		CHECK(errno == EINTR);
	CHECK(close(fds[0]) == 0 && close(fds[1]) == 0);
	return ret;
}

static void
calls_go_on_behind_a_signal_if_wanted(void)
{
	CHECK(read_under_signals(do_nothing, SA_RESTART, true) == 0);
	CHECK(read_under_signals(SIG_IGN, 0, true) == 0);
	CHECK(read_under_signals(do_nothing, 0, false) == EINTR);
}

static void
device_open(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);

	CHECK(list != NULL && list[0] != NULL);
	ctx = ibv_open_device(list[0]);
	ibv_free_device_list(list);
	CHECK(ctx != NULL);
	pd = ibv_alloc_pd(ctx);
	cq = ibv_create_cq(ctx, 16, NULL, NULL, 0);
	CHECK(pd != NULL && cq != NULL);
}

static void
device_close(void)
{
	CHECK(ibv_destroy_cq(cq) == 0);
	CHECK(ibv_dealloc_pd(pd) == 0);
	CHECK(ibv_close_device(ctx) == 0);
}

/* The masks of a program's threads are not those of the device's. */
static void
device_faults_while_all_is_blocked(void)
{
	sigset_t all;

	sigfillset(&all);
	CHECK(sigprocmask(SIG_BLOCK, &all, NULL) == 0);
	device_open();
	device_faults_are_completions();
	device_bus_errors_are_completions();
	device_close();
}

int
main(int argc, char **argv)
{
	struct sigaction act = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO }, old;

	if (argc == 2 && strcmp(argv[1], "blocked") == 0) {
		device_faults_while_all_is_blocked();
		return 0;
	}
	/* Set before the device is there: kept behind it. */
	CHECK(sigaction(SIGSEGV, &act, NULL) == 0);
	device_open();
	CHECK(sigaction(SIGSEGV, NULL, &old) == 0 && old.sa_sigaction == on_fault);

	device_faults_are_completions();
	device_bus_errors_are_completions();
	CHECK(nb_faults == 0);
	own_fault(nowhere);
	handlers_are_what_the_program_set();
	device_faults_are_completions();
	own_fault(nowhere);
	own_fault(nowhere);
	expect_death(die_of_default);
	expect_death(die_of_a_sent_one);
	expect_death(die_of_the_second);
	every_call_leaves_the_device_its_handlers();
	stack_is_the_one_of_the_handler();
	calls_go_on_behind_a_signal_if_wanted();

	device_close();
	return 0;
}
