/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * A card that is pulled while a program uses it: swhca-ctl takes a device of this process away.
 */

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>
#include <infiniband/verbs.h>

#include "../../patience.h"
#include "rc_qp.h"

#define NB_RECV 4
#define BUF_SIZE 4096

struct side {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	uint8_t buf[BUF_SIZE];
};

/* The device that goes, and the one that stays. */
static struct side gone, stays;

static const char *
ctl_path(void)
{
	const char *lib = getenv("SWHCA_LIB");
	static char path[4096];

	assert_non_null(lib);
	snprintf(path, sizeof(path), "%.*s/swhca-ctl", (int)(strrchr(lib, '/') - lib), lib);
	return path;
}

static int
ctl(const char *command, const char *arg)
{
	char line[8192];
	int ret;

	snprintf(line, sizeof(line), "LD_PRELOAD= '%s' %s %ld %s >&2", ctl_path(), command,
		 (long)getpid(), arg);
	ret = system(line);
	assert_true(WIFEXITED(ret));
	return WEXITSTATUS(ret);
}

static void
side_open(struct side *s, const char *name)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = 8, .max_recv_wr = 8, .max_send_sge = 1, .max_recv_sge = 1 },
	};
	struct ibv_device **list = ibv_get_device_list(NULL);
	int i;

	assert_non_null(list);
	for (i = 0; list[i] != NULL && s->ctx == NULL; i++) {
		if (strcmp(ibv_get_device_name(list[i]), name) == 0)
			s->ctx = ibv_open_device(list[i]);
	}
	ibv_free_device_list(list);
	assert_non_null(s->ctx);
	s->pd = ibv_alloc_pd(s->ctx);
	assert_non_null(s->pd);
	s->cq = ibv_create_cq(s->ctx, 64, NULL, NULL, 0);
	assert_non_null(s->cq);
	attr.send_cq = attr.recv_cq = s->cq;
	s->qp = ibv_create_qp(s->pd, &attr);
	assert_non_null(s->qp);
	s->mr = ibv_reg_mr(s->pd, s->buf, sizeof(s->buf), IBV_ACCESS_LOCAL_WRITE |
			   IBV_ACCESS_REMOTE_WRITE);
	assert_non_null(s->mr);
}

static void
side_connect(struct ibv_qp *qp, const struct side *peer, uint32_t peer_qpn)
{
	const struct rc_qp_conf conf = { .access = IBV_ACCESS_REMOTE_WRITE, .timeout = 8,
					 .retry_cnt = 2 };
	struct ibv_ah_attr ah;

	assert_int_equal(rc_qp_own_address(peer->ctx, &ah), 0);
	assert_int_equal(rc_qp_connect(qp, &conf, &ah, peer_qpn), 0);
}

/* Somebody who waits for a completion that does not come. */
static struct ibv_comp_channel *gone_channel;
static pthread_t waiter;
static int waiter_errno;

static void *
waiter_main(void *arg)
{
	struct ibv_cq *cq;
	void *ctx;

	(void)arg;
	waiter_errno = ibv_get_cq_event(gone_channel, &cq, &ctx) == 0 ? 0 : errno;
	return NULL;
}

static int
setup(void **state)
{
	(void)state;
	side_open(&gone, "mlx5_0");
	side_open(&stays, "mlx5_1");
	side_connect(gone.qp, &stays, stays.qp->qp_num);
	side_connect(stays.qp, &gone, gone.qp->qp_num);
	gone_channel = ibv_create_comp_channel(gone.ctx);
	assert_non_null(gone_channel);
	assert_int_equal(pthread_create(&waiter, NULL, waiter_main, NULL), 0);
	return 0;
}

static struct ibv_wc
wait_wc(struct side *s)
{
	const uint64_t deadline = patience_end();
	struct ibv_wc wc = { 0 };
	int nb = 0;

	while (nb == 0 && !patience_is_over(deadline))
		nb = ibv_poll_cq(s->cq, 1, &wc);
	assert_int_equal(nb, 1);
	return wc;
}

static void
recv_post(struct side *s, uint64_t wr_id)
{
	struct ibv_sge sge = { (uintptr_t)s->buf, BUF_SIZE, s->mr->lkey };
	struct ibv_recv_wr wr = { .wr_id = wr_id, .sg_list = &sge, .num_sge = 1 }, *bad;

	assert_int_equal(ibv_post_recv(s->qp, &wr, &bad), 0);
}

static void
write_post(struct side *s, struct ibv_qp *qp, const struct side *peer)
{
	struct ibv_sge sge = { (uintptr_t)s->buf, 64, s->mr->lkey };
	struct ibv_send_wr wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = { (uintptr_t)peer->buf + 1024, peer->mr->rkey },
	}, *bad;

	assert_int_equal(ibv_post_send(qp, &wr, &bad), 0);
}

static void
control_rejects_what_is_not_there(void **state)
{
	(void)state;
	assert_int_equal(ctl("list", ""), 0);
	assert_int_equal(ctl("remove", "7"), 1);
	assert_int_equal(ctl("remove", "x"), 1);
	write_post(&gone, gone.qp, &stays);
	assert_int_equal(wait_wc(&gone).status, IBV_WC_SUCCESS);
}

static void
removal_flushes_and_tells(void **state)
{
	struct pollfd pfd = { .fd = gone.ctx->async_fd, .events = POLLIN };
	struct ibv_async_event event;
	uint64_t i;

	(void)state;
	for (i = 0; i < NB_RECV; i++)
		recv_post(&gone, i);
	assert_int_equal(ctl("remove", "0"), 0);
	assert_int_equal(ctl("remove", "0"), 1);
	for (i = 0; i < NB_RECV; i++) {
		struct ibv_wc wc = wait_wc(&gone);

		assert_int_equal(wc.status, IBV_WC_WR_FLUSH_ERR);
		assert_int_equal(wc.wr_id, i);
	}
	assert_int_equal(poll(&pfd, 1, patience_ms()), 1);
	assert_int_equal(ibv_get_async_event(gone.ctx, &event), 0);
	assert_int_equal(event.event_type, IBV_EVENT_DEVICE_FATAL);
	ibv_ack_async_event(&event);
}

static void
commands_of_a_removed_device_fail(void **state)
{
	struct ibv_device_attr attr;

	(void)state;
	assert_int_equal(ibv_query_device(gone.ctx, &attr), EIO);
	assert_null(ibv_alloc_pd(gone.ctx));
	assert_int_equal(errno, EIO);
	/* A doorbell goes nowhere, and hurts nobody. */
	write_post(&gone, gone.qp, &stays);
}

static void
removed_device_is_not_listed(void **state)
{
	struct ibv_device **list;
	int nb;

	(void)state;
	list = ibv_get_device_list(&nb);
	assert_non_null(list);
	assert_int_equal(nb, 1);
	assert_string_equal(ibv_get_device_name(list[0]), "mlx5_1");
	ibv_free_device_list(list);
	assert_int_equal(access("/dev/infiniband/uverbs0", F_OK), -1);
	assert_int_equal(access("/dev/infiniband/uverbs1", F_OK), 0);
}

static void
waiter_of_completions_wakes_up(void **state)
{
	struct pollfd pfd = { .fd = gone_channel->fd, .events = POLLIN };
	struct ibv_cq *cq;
	void *ctx;

	(void)state;
	assert_int_equal(pthread_join(waiter, NULL), 0);
	assert_int_equal(waiter_errno, EIO);
	/* And so does whoever comes later. */
	assert_int_equal(poll(&pfd, 1, 0), 1);
	assert_int_equal(ibv_get_cq_event(gone_channel, &cq, &ctx), -1);
	assert_int_equal(errno, EIO);
	assert_int_equal(ibv_destroy_comp_channel(gone_channel), 0);
}

static void
peer_gets_no_answer_any_more(void **state)
{
	(void)state;
	write_post(&stays, stays.qp, &gone);
	assert_int_equal(wait_wc(&stays).status, IBV_WC_RETRY_EXC_ERR);
}

static void
other_device_works_on(void **state)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_RC, .send_cq = stays.cq, .recv_cq = stays.cq,
		.cap = { .max_send_wr = 8, .max_recv_wr = 8, .max_send_sge = 1, .max_recv_sge = 1 },
	};
	struct ibv_qp *qp = ibv_create_qp(stays.pd, &attr);

	(void)state;
	assert_non_null(qp);
	side_connect(qp, &stays, qp->qp_num);
	stays.buf[0] = 0x77;
	write_post(&stays, qp, &stays);
	assert_int_equal(wait_wc(&stays).status, IBV_WC_SUCCESS);
	assert_int_equal(stays.buf[1024], 0x77);
	assert_int_equal(ibv_destroy_qp(qp), 0);
}

/* RDMAV_ALLOW_DISASSOC_DESTROY (ibv_get_device_list(3)): destroying what is gone is no error. */
static void
program_can_clean_up(void **state)
{
	struct side *sides[] = { &gone, &stays };
	int i;

	(void)state;
	for (i = 0; i < 2; i++) {
		assert_int_equal(ibv_destroy_qp(sides[i]->qp), 0);
		assert_int_equal(ibv_dereg_mr(sides[i]->mr), 0);
		assert_int_equal(ibv_destroy_cq(sides[i]->cq), 0);
		assert_int_equal(ibv_dealloc_pd(sides[i]->pd), 0);
		assert_int_equal(ibv_close_device(sides[i]->ctx), 0);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(control_rejects_what_is_not_there),
		cmocka_unit_test(removal_flushes_and_tells),
		cmocka_unit_test(commands_of_a_removed_device_fail),
		cmocka_unit_test(removed_device_is_not_listed),
		cmocka_unit_test(waiter_of_completions_wakes_up),
		cmocka_unit_test(peer_gets_no_answer_any_more),
		cmocka_unit_test(other_device_works_on),
		cmocka_unit_test(program_can_clean_up),
	};

	return cmocka_run_group_tests_name("hot_removal", tests, setup, NULL);
}
