/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Transfers between regions with on-demand paging, while a thread takes their pages away: a program
 * of plain verbs. The memory is of a file, so that what was in it is there again after the next
 * page fault, and can be compared.
 *
 * Usage: odp_stress DEVICE PEER_DEVICE TRANSFERS SEED [implicit]
 */

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <infiniband/verbs.h>

#include "../patience.h"
#include "rc_qp.h"

#define MEM_BYTES	(2u << 20)
#define PAGE		4096u
#define MAX_LEN		65536u
#define NAP_NS		300000L
#define EXIT_SKIP	77

struct side {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	uint8_t *mem;
	struct ibv_ah_attr address;
};

static struct side sides[2];
static atomic_bool is_done;
static unsigned int nb_taken;

__attribute__((noreturn, format(printf, 2, 3))) static void
end(int status, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fprintf(stderr, ": %s\n", strerror(errno));
	exit(status);
}

static struct ibv_context *
device_open(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *ctx = NULL;
	int i;

	for (i = 0; list != NULL && list[i] != NULL && ctx == NULL; i++) {
		if (strcmp(ibv_get_device_name(list[i]), name) == 0)
			ctx = ibv_open_device(list[i]);
	}
	if (ctx == NULL)
		end(1, "%s", name);
	ibv_free_device_list(list);
	return ctx;
}

/* The file is opened anew by nobody: its pages go from the mapping, and stay in it. */
static uint8_t *
mem_map(void)
{
	int fd = memfd_create("odp", MFD_CLOEXEC);
	uint8_t *mem;

	if (fd < 0 || ftruncate(fd, MEM_BYTES) != 0)
		end(1, "memfd_create");
	mem = mmap(NULL, MEM_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (mem == MAP_FAILED)
		end(1, "mmap");
	return mem;
}

static void
side_open(struct side *s, const char *name, bool is_implicit)
{
	const int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
			   IBV_ACCESS_REMOTE_READ | IBV_ACCESS_ON_DEMAND;
	struct ibv_device_attr_ex attr;

	s->ctx = device_open(name);
	if (ibv_query_device_ex(s->ctx, NULL, &attr) != 0 ||
	    (attr.odp_caps.general_caps & IBV_ODP_SUPPORT) == 0)
		end(EXIT_SKIP, "%s: no on-demand paging", name);
	errno = rc_qp_own_address(s->ctx, &s->address);
	if (errno != 0)
		end(1, "%s: port", name);
	s->pd = ibv_alloc_pd(s->ctx);
	s->cq = ibv_create_cq(s->ctx, 16, NULL, NULL, 0);
	if (s->pd == NULL || s->cq == NULL)
		end(1, "%s: PD or CQ", name);
	s->mem = mem_map();
	s->mr = is_implicit ? ibv_reg_mr(s->pd, NULL, SIZE_MAX, access) :
			      ibv_reg_mr(s->pd, s->mem, MEM_BYTES, access);
	if (s->mr == NULL)
		end(1, "%s: ibv_reg_mr", name);
}

static void
side_create_qp(struct side *s)
{
	struct ibv_qp_init_attr init = {
		.send_cq = s->cq, .recv_cq = s->cq, .cap = { 4, 4, 2, 2, 0 },
		.qp_type = IBV_QPT_RC, .sq_sig_all = 1,
	};

	s->qp = ibv_create_qp(s->pd, &init);
	if (s->qp == NULL)
		end(1, "ibv_create_qp");
}

static void
side_connect(struct side *s, const struct side *peer)
{
	const struct rc_qp_conf conf = {
		.access = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ, .mtu = IBV_MTU_1024,
		.rd_atomic = 4, .min_rnr_timer = 12, .timeout = 17, .retry_cnt = 7, .rnr_retry = 7,
	};

	errno = rc_qp_connect(s->qp, &conf, &peer->address, peer->qp->qp_num);
	/* The queue pair is in the last state that it came to. */
	if (errno != 0)
		end(1, "%s", s->qp->state == IBV_QPS_RESET ? "INIT" :
			     s->qp->state == IBV_QPS_INIT ? "RTR" : "RTS");
}

/* Pages of one side, again and again. */
static void *
take_pages(void *arg)
{
	const struct timespec nap = { .tv_nsec = NAP_NS };
	unsigned int seed = *(const unsigned int *)arg + 1;
	size_t first, nb;

	while (!atomic_load(&is_done)) {
		first = (size_t)rand_r(&seed) % (MEM_BYTES / PAGE);
		nb = 1 + (size_t)rand_r(&seed) % 32;
		if (nb > MEM_BYTES / PAGE - first)
			nb = MEM_BYTES / PAGE - first;
		if (madvise(sides[rand_r(&seed) % 2].mem + first * PAGE, nb * PAGE,
			    MADV_DONTNEED) != 0)
			end(1, "madvise");
		nb_taken++;
		nanosleep(&nap, NULL);
	}
	return NULL;
}

static void
wait_for(struct side *s, unsigned int nb, const char *what)
{
	const uint64_t limit = patience_end();
	struct ibv_wc wc;
	int ret;

	while (nb > 0) {
		ret = ibv_poll_cq(s->cq, 1, &wc);
		if (ret < 0 || (ret > 0 && wc.status != IBV_WC_SUCCESS))
			end(1, "%s: %s, vendor 0x%x", what,
			    ret < 0 ? "ibv_poll_cq" : ibv_wc_status_str(wc.status), wc.vendor_err);
		if (ret > 0) {
			nb--;
			continue;
		}
		if (patience_is_over(limit))
			end(1, "%s: no completion in %u s", what, patience_s());
		sched_yield();
	}
}

/* What is asked for by side 0: two pieces of its memory, one of the other's. */
struct transfer {
	enum ibv_wr_opcode op;
	uint32_t len[2];
	uint8_t *local[2];
	uint8_t *remote;
};

static const char *
op_name(enum ibv_wr_opcode op)
{
	return op == IBV_WR_SEND ? "send" : op == IBV_WR_RDMA_READ ? "read" : "write";
}

static void
transfer_pick(struct transfer *t, unsigned int *seed)
{
	static const enum ibv_wr_opcode ops[] = { IBV_WR_RDMA_WRITE, IBV_WR_RDMA_READ,
						  IBV_WR_SEND };

	t->op = ops[rand_r(seed) % 3];
	t->len[0] = 1 + (uint32_t)rand_r(seed) % MAX_LEN;
	t->len[1] = 1 + (uint32_t)rand_r(seed) % MAX_LEN;
	/* In different halves: a read must not have its pieces overlap. */
	t->local[0] = sides[0].mem + (uint32_t)rand_r(seed) % (MEM_BYTES / 2 - MAX_LEN);
	t->local[1] = sides[0].mem + MEM_BYTES / 2 +
		      (uint32_t)rand_r(seed) % (MEM_BYTES / 2 - MAX_LEN);
	t->remote = sides[1].mem + (uint32_t)rand_r(seed) % (MEM_BYTES - 2 * MAX_LEN);
}

static void
fill(uint8_t *mem, uint32_t len, unsigned int *seed)
{
	uint32_t i, value = (uint32_t)rand_r(seed);

	for (i = 0; i < len; i++) {
		value = value * 1664525u + 1013904223u;
		mem[i] = (uint8_t)(value >> 24);
	}
}

static void
post(const struct transfer *t)
{
	struct ibv_sge sges[2] = {
		{ (uintptr_t)t->local[0], t->len[0], sides[0].mr->lkey },
		{ (uintptr_t)t->local[1], t->len[1], sides[0].mr->lkey },
	};
	struct ibv_sge place = { (uintptr_t)t->remote, t->len[0] + t->len[1], sides[1].mr->lkey };
	struct ibv_recv_wr recv = { .sg_list = &place, .num_sge = 1 }, *bad_recv;
	struct ibv_send_wr wr = { .sg_list = sges, .num_sge = 2, .opcode = t->op }, *bad;

	wr.wr.rdma.remote_addr = (uintptr_t)t->remote;
	wr.wr.rdma.rkey = sides[1].mr->rkey;
	if (t->op == IBV_WR_SEND && ibv_post_recv(sides[1].qp, &recv, &bad_recv) != 0)
		end(1, "ibv_post_recv");
	if (ibv_post_send(sides[0].qp, &wr, &bad) != 0)
		end(1, "ibv_post_send");
}

static void
transfer_run(unsigned int number, unsigned int *seed)
{
	struct transfer t;

	transfer_pick(&t, seed);
	if (t.op == IBV_WR_RDMA_READ) {
		fill(t.remote, t.len[0] + t.len[1], seed);
	} else {
		fill(t.local[0], t.len[0], seed);
		fill(t.local[1], t.len[1], seed);
	}
	post(&t);
	wait_for(&sides[0], 1, op_name(t.op));
	if (t.op == IBV_WR_SEND)
		wait_for(&sides[1], 1, "receive");
	errno = 0;
	if (memcmp(t.remote, t.local[0], t.len[0]) != 0 ||
	    memcmp(t.remote + t.len[0], t.local[1], t.len[1]) != 0)
		end(1, "transfer %u, %s of %u + %u bytes: other data", number, op_name(t.op),
		    t.len[0], t.len[1]);
}

int
main(int argc, char **argv)
{
	bool is_implicit = argc > 5 && strcmp(argv[5], "implicit") == 0;
	unsigned int seed, taker_seed, i, nb;
	pthread_t taker;

	if (argc < 5) {
		fprintf(stderr, "usage: %s DEVICE PEER_DEVICE TRANSFERS SEED [implicit]\n",
			argv[0]);
		return 2;
	}
	nb = (unsigned int)strtoul(argv[3], NULL, 0);
	seed = taker_seed = (unsigned int)strtoul(argv[4], NULL, 0);
	for (i = 0; i < 2; i++) {
		side_open(&sides[i], argv[1 + i], is_implicit);
		side_create_qp(&sides[i]);
	}
	side_connect(&sides[0], &sides[1]);
	side_connect(&sides[1], &sides[0]);
	if (pthread_create(&taker, NULL, take_pages, &taker_seed) != 0)
		end(1, "pthread_create");
	for (i = 0; i < nb; i++)
		transfer_run(i, &seed);
	atomic_store(&is_done, true);
	pthread_join(taker, NULL);
	printf("%u transfers, pages taken %u times\n", nb, nb_taken);
	return 0;
}
