/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Programs of the kinds that are hard on a library which is loaded into them: one command each.
 * runner_test.py runs them; the exit status is 0 if all went well.
 *
 *   use             open a device, move data to itself, close
 *   threads         the same in several threads at once
 *   fork            in parent and child, both with devices of their own
 *   vfork           while children are spawned all the time
 *   alarm           under signals whose handler does not restart calls
 *   exec            with a device open, run "use"
 *   close           close all descriptors, one by one, then "use"
 *   closefrom       the same by closefrom(3)
 *   streams         begin without standard streams and make them later, as daemons do
 *   crowd           put files into all descriptors that are free, then "use"
 *   daemon FILE     leave a child behind that does "use" later and writes "done" to a file
 *   cancel          cancel threads that wait, and that make memory known
 *   dlopen          find libibverbs at run time
 *   helper PATH     run a program that the loader does not touch, and then "use"
 *   hold            say "open" with a device open, and wait
 *   wait-hold       say "ready" and wait for a line first, then the same
 *   full            have a device open and all descriptors in use; at a line, give one back
 *   child           in a child, when a line comes: use the device of the parent
 *   orphan          the same when the parent has ended, at a line, too: it must fail
 *   crash           die by SIGKILL with a device open
 */

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <infiniband/verbs.h>

#include "../../patience.h"
#include "rc_qp.h"
#include "../check.h"

#define BUF_SIZE 8192
#define NB_THREADS 4
#define NB_ROUNDS 20

extern char **environ;

static struct ibv_context *
device_open(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *ctx;

	CHECK(list != NULL && list[0] != NULL);
	ctx = ibv_open_device(list[0]);
	CHECK(ctx != NULL);
	ibv_free_device_list(list);
	return ctx;
}

/* The first half of a buffer goes to the second. */
static void
write_self(struct ibv_qp *qp, struct ibv_cq *cq, struct ibv_mr *mr)
{
	uint8_t *buf = mr->addr;
	struct ibv_sge sge = { (uintptr_t)buf, BUF_SIZE / 2, mr->lkey };
	struct ibv_send_wr wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = { (uintptr_t)buf + BUF_SIZE / 2, mr->rkey },
	}, *bad;
	const uint64_t deadline = patience_end();
	struct ibv_wc wc;
	int nb = 0;

	memset(buf, 0x5a, BUF_SIZE / 2);
	memset(buf + BUF_SIZE / 2, 0, BUF_SIZE / 2);
	CHECK(ibv_post_send(qp, &wr, &bad) == 0);
	while (nb == 0 && !patience_is_over(deadline))
		nb = ibv_poll_cq(cq, 1, &wc);
	CHECK(nb == 1 && wc.status == IBV_WC_SUCCESS);
	CHECK(memcmp(buf, buf + BUF_SIZE / 2, BUF_SIZE / 2) == 0);
}

static void
use(void)
{
	struct ibv_qp_init_attr attr = { .qp_type = IBV_QPT_RC, .cap = { 4, 4, 1, 1, 0 } };
	const struct rc_qp_conf conf = { .access = IBV_ACCESS_REMOTE_WRITE, .timeout = 14,
					 .retry_cnt = 7 };
	struct ibv_context *ctx = device_open();
	struct ibv_pd *pd = ibv_alloc_pd(ctx);
	struct ibv_cq *cq = ibv_create_cq(ctx, 16, NULL, NULL, 0);
	uint8_t *buf = aligned_alloc(4096, BUF_SIZE);
	struct ibv_mr *mr;
	struct ibv_qp *qp;

	CHECK(pd != NULL && cq != NULL && buf != NULL);
	mr = ibv_reg_mr(pd, buf, BUF_SIZE, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	CHECK(mr != NULL);
	attr.send_cq = attr.recv_cq = cq;
	qp = ibv_create_qp(pd, &attr);
	CHECK(qp != NULL);
	CHECK(rc_qp_connect_itself(qp, &conf) == 0);
	write_self(qp, cq, mr);
	CHECK(ibv_destroy_qp(qp) == 0);
	CHECK(ibv_dereg_mr(mr) == 0);
	CHECK(ibv_destroy_cq(cq) == 0);
	CHECK(ibv_dealloc_pd(pd) == 0);
	CHECK(ibv_close_device(ctx) == 0);
	free(buf);
}

static void *
use_many(void *arg)
{
	int i;

	for (i = 0; i < NB_ROUNDS; i++)
		use();
	return arg;
}

static void
use_threads(void)
{
	pthread_t threads[NB_THREADS];
	int i;

	for (i = 0; i < NB_THREADS; i++)
		CHECK(pthread_create(&threads[i], NULL, use_many, NULL) == 0);
	for (i = 0; i < NB_THREADS; i++)
		CHECK(pthread_join(threads[i], NULL) == 0);
}

static void
child_wait(pid_t pid)
{
	int status;

	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* A child is made while the parent has a device open; then both work. */
static void
use_fork(void)
{
	struct ibv_context *ctx = device_open();
	struct ibv_device_attr attr;
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (pid == 0) {
		/* The parent executes what the child asks of its device. */
		CHECK(ibv_query_device(ctx, &attr) == 0);
		use();
		exit(0);
	}
	use();
	child_wait(pid);
	CHECK(ibv_query_device(ctx, &attr) == 0);
	CHECK(ibv_close_device(ctx) == 0);
}

static void
spawn(const char *path, char *const argv[])
{
	pid_t pid;

	CHECK(posix_spawn(&pid, path, NULL, NULL, argv, environ) == 0);
	child_wait(pid);
}

static void
use_vfork(void)
{
	char *argv[] = { (char *)(uintptr_t)"true", NULL };
	pthread_t thread;
	int i;

	CHECK(pthread_create(&thread, NULL, use_many, NULL) == 0);
	for (i = 0; i < NB_ROUNDS; i++)
		spawn("/bin/true", argv);
	CHECK(pthread_join(thread, NULL) == 0);
	use();
}

static volatile sig_atomic_t nb_alarms;

static void
count_alarm(int sig)
{
	(void)sig;
	nb_alarms++;
}

static void
use_alarm(void)
{
	const struct itimerval often = { { 0, 200 }, { 0, 200 } }, never = { { 0, 0 }, { 0, 0 } };
	struct sigaction action = { .sa_handler = count_alarm };

	/* No SA_RESTART. */
	CHECK(sigaction(SIGALRM, &action, NULL) == 0);
	CHECK(setitimer(ITIMER_REAL, &often, NULL) == 0);
	use_many(NULL);
	CHECK(setitimer(ITIMER_REAL, &never, NULL) == 0);
	CHECK(nb_alarms > 0);
}

static void
use_close(void)
{
	int fd;

	use();
	device_open();
	for (fd = 3; fd < 1024; fd++)
		close(fd);
	use();
}

static void
use_closefrom(void)
{
	int fds[16], i;
	char c;

	use();
	device_open();
	closefrom(3);
	/* What opens now must not be taken for something of before. */
	for (i = 0; i < 16; i++)
		CHECK((fds[i] = open("/dev/zero", O_RDONLY)) >= 0);
	use();
	CHECK(close_range((unsigned int)fds[0], (unsigned int)fds[0], 0) == 0);
	CHECK(read(fds[0], &c, 1) == -1 && errno == EBADF);
	for (i = 1; i < 16; i++)
		CHECK(read(fds[i], &c, 1) == 1);
	CHECK(close_range(5, 4, 0) == -1 && errno == EINVAL);
}

static void *
wait_for_completion(void *arg)
{
	struct ibv_cq *cq;
	void *ctx;

	ibv_get_cq_event(arg, &cq, &ctx);
	return NULL;
}

/* Only what waits may be cancelled, not what holds locks of the devices. */
static void *
register_cancelled(void *arg)
{
	static uint8_t buf[BUF_SIZE];

	CHECK(pthread_cancel(pthread_self()) == 0);
	CHECK(ibv_dereg_mr(ibv_reg_mr(arg, buf, BUF_SIZE, IBV_ACCESS_LOCAL_WRITE)) == 0);
	pthread_testcancel();
	return NULL;
}

static void
use_cancel(void)
{
	struct ibv_context *ctx = device_open();
	struct ibv_comp_channel *channel = ibv_create_comp_channel(ctx);
	struct ibv_pd *pd = ibv_alloc_pd(ctx);
	pthread_t thread;
	void *result;

	CHECK(channel != NULL && pd != NULL);
	/* A thread that cannot be cancelled is waited for in vain. */
	alarm(patience_s());
	CHECK(pthread_create(&thread, NULL, wait_for_completion, channel) == 0);
	usleep(100000);
	CHECK(pthread_cancel(thread) == 0 && pthread_join(thread, &result) == 0);
	CHECK(result == PTHREAD_CANCELED);
	CHECK(pthread_create(&thread, NULL, register_cancelled, pd) == 0);
	CHECK(pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED);
	CHECK(ibv_dealloc_pd(pd) == 0 && ibv_destroy_comp_channel(channel) == 0);
	CHECK(ibv_close_device(ctx) == 0);
	use();
}

static void
use_streams(void)
{
	int fd;

	CHECK(close(0) == 0 && close(1) == 0);
	use();
	/* Nobody sits on the lowest numbers, not even while they wait. */
	for (fd = 0; fd < 2; fd++)
		CHECK(open("/dev/null", O_RDWR) == fd);
	CHECK(dup2(0, 3) == 3);
	use();
}

/* Numbers that files may have here, 1024 at most. */
static int
fd_limit(void)
{
	long max = sysconf(_SC_OPEN_MAX);

	return max > 0 && max < 1024 ? (int)max : 1024;
}

static void
use_crowd(void)
{
	struct ibv_context *ctx = device_open();
	int fd, null = open("/dev/null", O_RDWR);
	const int limit = fd_limit();
	int nb_busy = 0, nb_free = 0;

	CHECK(null >= 0);
	for (fd = 3; fd < limit; fd++) {
		if (fd == null || fd == ctx->cmd_fd || fd == ctx->async_fd)
			continue;
		if (dup2(null, fd) < 0) {
			CHECK(errno == EBUSY);
			nb_busy++;
		}
	}
	CHECK(nb_busy > 0 && nb_busy < 32);
	/* Room for those of another device; the numbers of the first are not ours to close. */
	for (fd = limit / 2; fd < limit && nb_free < 88; fd++)
		nb_free += fd != ctx->cmd_fd && fd != ctx->async_fd && close(fd) == 0;
	CHECK(nb_free == 88);
	use();
	CHECK(ibv_close_device(ctx) == 0);
}

static void
use_daemon(const char *path)
{
	pid_t pid = fork();
	int fd;

	CHECK(pid >= 0);
	if (pid > 0)
		exit(0);
	CHECK(setsid() > 0);
	for (fd = 0; fd < 64; fd++)
		close(fd);
	CHECK(open("/dev/null", O_RDWR) == 0 && dup(0) == 1 && dup(0) == 2);
	/* By now the parent, and what ran it, are gone. */
	usleep(700000);
	use();
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
	CHECK(fd >= 0 && write(fd, "done", 4) == 4);
}

static void
use_hold(void)
{
	device_open();
	puts("open");
	fflush(stdout);
	pause();
}

/* Tell the test that it may go on, and wait until it has. */
static void
line_wait(void)
{
	char c = 0;

	puts("ready");
	fflush(stdout);
	while (c != '\n')
		CHECK(read(0, &c, 1) == 1);
}

static void
use_wait_hold(void)
{
	line_wait();
	use_hold();
}

static void
use_full(void)
{
	struct rlimit limit;
	int fd, last = -1;

	device_open();
	CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
	limit.rlim_cur = 1024 < limit.rlim_max ? 1024 : limit.rlim_max;
	CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
	while ((fd = open("/dev/null", O_RDONLY)) >= 0)
		last = fd;
	CHECK(errno == EMFILE && last >= 0);
	line_wait();
	CHECK(close(last) == 0);
	line_wait();
}

static void
use_child(void)
{
	struct ibv_context *ctx = device_open();
	struct ibv_device_attr attr;
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (pid == 0) {
		line_wait();
		alarm(patience_s());
		CHECK(ibv_query_device(ctx, &attr) == 0);
		_exit(0);
	}
	child_wait(pid);
	CHECK(ibv_close_device(ctx) == 0);
}

static void
use_orphan(void)
{
	struct ibv_context *ctx = device_open();
	struct ibv_device_attr attr;
	pid_t parent = getpid(), pid = fork();

	CHECK(pid >= 0);
	if (pid > 0) {
		line_wait();
		_exit(0);
	}
	while (getppid() == parent)
		usleep(1000);
	line_wait();
	alarm(patience_s());
	CHECK(ibv_query_device(ctx, &attr) == EIO);
	puts("EIO");
	fflush(stdout);
	_exit(0);
}

static void
use_dlopen(void)
{
	void *lib = dlopen("libibverbs.so.1", RTLD_NOW | RTLD_LOCAL);
	struct ibv_device **(*get)(int *), **list;
	void (*put)(struct ibv_device **);
	int nb = 0;

	CHECK(lib != NULL);
	get = (struct ibv_device **(*)(int *))dlsym(lib, "ibv_get_device_list");
	put = (void (*)(struct ibv_device **))dlsym(lib, "ibv_free_device_list");
	CHECK(get != NULL && put != NULL);
	list = get(&nb);
	CHECK(list != NULL && nb > 0);
	put(list);
}

static bool
run_with_path(const char *command, char *path)
{
	char *argv[] = { path, NULL };

	if (strcmp(command, "daemon") == 0) {
		use_daemon(path);
	} else if (strcmp(command, "helper") == 0) {
		use();
		spawn(path, argv);
		use();
	} else {
		return false;
	}
	return true;
}

static bool
run_exec(const char *command, char *self)
{
	if (strcmp(command, "exec") == 0) {
		device_open();
		execl(self, self, "use", NULL);
		CHECK(false);
	} else if (strcmp(command, "crash") == 0) {
		device_open();
		kill(getpid(), SIGKILL);
	} else {
		return false;
	}
	return true;
}

int
main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} commands[] = {
		{ "use", use }, { "threads", use_threads }, { "fork", use_fork },
		{ "vfork", use_vfork }, { "alarm", use_alarm }, { "close", use_close },
		{ "closefrom", use_closefrom }, { "cancel", use_cancel },
		{ "streams", use_streams }, { "crowd", use_crowd },
		{ "dlopen", use_dlopen }, { "hold", use_hold }, { "wait-hold", use_wait_hold },
		{ "full", use_full }, { "child", use_child }, { "orphan", use_orphan },
	};
	size_t i;

	CHECK(argc >= 2);
	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (strcmp(argv[1], commands[i].name) == 0) {
			commands[i].run();
			return 0;
		}
	}
	if (argc == 3 && run_with_path(argv[1], argv[2]))
		return 0;
	return run_exec(argv[1], argv[0]) ? 0 : 2;
}
