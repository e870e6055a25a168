/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * A program with handlers of its own for SIGSEGV and SIGBUS: faults of the device are completions
 * and never reach it, its own faults always do. Plain main(): cmocka would set handlers, too.
 */

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <infiniband/verbs.h>

#include "rc_qp.h"

#define LEN		8192u
#define DEADLINE_S	10

#define CHECK(what)                                                                                \
	do {                                                                                       \
		if (!(what)) {                                                                     \
			fprintf(stderr, "signals: line %d: %s (errno %d)\n", __LINE__, #what,      \
				errno);                                                            \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)

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
		.qp_type = IBV_QPT_RC,
		.send_cq = cq,
		.recv_cq = cq,
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
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_RDMA_WRITE,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = { (uintptr_t)to->addr, to->rkey },
	};
	struct ibv_qp *qp = qp_create();
	time_t end = time(NULL) + DEADLINE_S;
	struct ibv_wc wc;
	int nb = 0;

	CHECK(ibv_post_send(qp, &wr, &bad) == 0);
	while (nb == 0) {
		nb = ibv_poll_cq(cq, 1, &wc);
		CHECK(time(NULL) < end);
	}
	CHECK(nb == 1);
	CHECK(ibv_destroy_qp(qp) == 0);
	return wc.status;
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
	CHECK(mprotect(mem + 4096, 4096, PROT_NONE) == 0);
	CHECK(write_once(from, to) == IBV_WC_LOC_PROT_ERR);
	CHECK(mprotect(mem + 4096, 4096, PROT_READ | PROT_WRITE) == 0);
	CHECK(mprotect(mem + LEN, LEN, PROT_READ) == 0);
	CHECK(write_once(from, to) == IBV_WC_REM_OP_ERR);
	CHECK(ibv_dereg_mr(from) == 0 && ibv_dereg_mr(to) == 0);
	CHECK(munmap(mem, 2 * LEN) == 0);
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

int
main(void)
{
	struct sigaction act = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO }, old;
	struct ibv_device **list = ibv_get_device_list(NULL);

	CHECK(list != NULL && list[0] != NULL);
	/* Set before the device is there: kept behind it. */
	CHECK(sigaction(SIGSEGV, &act, NULL) == 0);
	ctx = ibv_open_device(list[0]);
	ibv_free_device_list(list);
	CHECK(ctx != NULL);
	CHECK(sigaction(SIGSEGV, NULL, &old) == 0 && old.sa_sigaction == on_fault);
	pd = ibv_alloc_pd(ctx);
	cq = ibv_create_cq(ctx, 16, NULL, NULL, 0);
	CHECK(pd != NULL && cq != NULL);

	device_faults_are_completions();
	CHECK(nb_faults == 0);
	own_fault(nowhere);
	handlers_are_what_the_program_set();
	device_faults_are_completions();
	own_fault(nowhere);
	own_fault(nowhere);
	expect_death(die_of_default);
	expect_death(die_of_a_sent_one);
	expect_death(die_of_the_second);

	CHECK(ibv_destroy_cq(cq) == 0);
	CHECK(ibv_dealloc_pd(pd) == 0);
	CHECK(ibv_close_device(ctx) == 0);
	return 0;
}
