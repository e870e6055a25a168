/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * A port whose cable is pulled and plugged in again by swhca-ctl: programs read events, find the
 * state wherever it is told, and lose what they send meanwhile.
 */

#include <fcntl.h>
#include <poll.h>
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

#define NB_DEVICES 2

static struct side {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	uint64_t buf[2];
} sides[NB_DEVICES];

static int
ctl(const char *command)
{
	const char *lib = getenv("SWHCA_LIB");
	char line[8192];
	int ret;

	assert_non_null(lib);
	snprintf(line, sizeof(line), "LD_PRELOAD= '%.*s/swhca-ctl' port %ld %s >&2",
		 (int)(strrchr(lib, '/') - lib), lib, (long)getpid(), command);
	ret = system(line);
	assert_true(WIFEXITED(ret));
	return WEXITSTATUS(ret);
}

static void
side_open(struct side *s, struct ibv_device *dev)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = 8, .max_recv_wr = 8, .max_send_sge = 1, .max_recv_sge = 1 },
	};

	s->ctx = ibv_open_device(dev);
	assert_non_null(s->ctx);
	s->pd = ibv_alloc_pd(s->ctx);
	assert_non_null(s->pd);
	s->cq = ibv_create_cq(s->ctx, 16, NULL, NULL, 0);
	assert_non_null(s->cq);
	attr.send_cq = attr.recv_cq = s->cq;
	s->qp = ibv_create_qp(s->pd, &attr);
	assert_non_null(s->qp);
	s->mr = ibv_reg_mr(s->pd, s->buf, sizeof(s->buf),
			   IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	assert_non_null(s->mr);
}

static void
side_close(struct side *s)
{
	assert_int_equal(ibv_dereg_mr(s->mr), 0);
	assert_int_equal(ibv_destroy_qp(s->qp), 0);
	assert_int_equal(ibv_destroy_cq(s->cq), 0);
	assert_int_equal(ibv_dealloc_pd(s->pd), 0);
	assert_int_equal(ibv_close_device(s->ctx), 0);
}

static int
setup(void **state)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	int i;

	(void)state;
	assert_non_null(list);
	for (i = 0; i < NB_DEVICES; i++) {
		assert_non_null(list[i]);
		side_open(&sides[i], list[i]);
	}
	ibv_free_device_list(list);
	return 0;
}

static int
teardown(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < NB_DEVICES; i++)
		side_close(&sides[i]);
	return 0;
}

/* From whatever state they are in. */
static void
sides_connect(void)
{
	const struct rc_qp_conf conf = { .access = IBV_ACCESS_REMOTE_WRITE, .timeout = 8,
					 .retry_cnt = 1 };
	struct ibv_qp_attr reset = { .qp_state = IBV_QPS_RESET };
	struct ibv_ah_attr ah;
	int i;

	for (i = 0; i < NB_DEVICES; i++) {
		assert_int_equal(ibv_modify_qp(sides[i].qp, &reset, IBV_QP_STATE), 0);
		assert_int_equal(rc_qp_own_address(sides[!i].ctx, &ah), 0);
		assert_int_equal(rc_qp_connect(sides[i].qp, &conf, &ah, sides[!i].qp->qp_num), 0);
	}
}

/* RDMA write from the first device to the second one. */
static enum ibv_wc_status
write_status(uint64_t value)
{
	struct ibv_sge sge = { .addr = (uintptr_t)&sides[0].buf[0], .length = sizeof(value),
			       .lkey = sides[0].mr->lkey };
	struct ibv_send_wr *bad, wr = {
		.opcode = IBV_WR_RDMA_WRITE, .sg_list = &sge, .num_sge = 1,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = { .remote_addr = (uintptr_t)&sides[1].buf[1],
			     .rkey = sides[1].mr->rkey },
	};
	const uint64_t deadline = patience_end();
	struct ibv_wc wc;
	int nb;

	sides[0].buf[0] = value;
	assert_int_equal(ibv_post_send(sides[0].qp, &wr, &bad), 0);
	while ((nb = ibv_poll_cq(sides[0].cq, 1, &wc)) == 0)
		assert_true(!patience_is_over(deadline));
	assert_int_equal(nb, 1);
	return wc.status;
}

static void
expect_event(struct ibv_context *ctx, enum ibv_event_type type)
{
	struct pollfd pfd = { .fd = ctx->async_fd, .events = POLLIN };
	struct ibv_async_event event;

	assert_int_equal(poll(&pfd, 1, patience_ms()), 1);
	assert_int_equal(ibv_get_async_event(ctx, &event), 0);
	assert_int_equal(event.event_type, type);
	assert_int_equal(event.element.port_num, 1);
	ibv_ack_async_event(&event);
}

static void
expect_no_event(struct ibv_context *ctx)
{
	struct pollfd pfd = { .fd = ctx->async_fd, .events = POLLIN };

	assert_int_equal(poll(&pfd, 1, 0), 0);
}

static void
expect_attr(const char *name, const char *text)
{
	char path[128], got[64];
	int fd = -1;
	ssize_t len;

	snprintf(path, sizeof(path), "/sys/class/infiniband/mlx5_0/ports/1/%s", name);
	fd = open(path, O_RDONLY);
	assert_true(fd >= 0);
	len = read(fd, got, sizeof(got) - 1);
	assert_true(len >= 0);
	got[len] = '\0';
	assert_string_equal(got, text);
	assert_int_equal(close(fd), 0);
}

/* Who keeps the file open and goes back to its beginning reads what it is then. */
static void
expect_reads(int fd, const char *text)
{
	char got[64];
	ssize_t len;

	len = read(fd, got, sizeof(got) - 1);
	assert_true(len >= 0);
	got[len] = '\0';
	assert_string_equal(got, text);
	assert_int_equal(read(fd, got, sizeof(got)), 0);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	len = pread(fd, got, sizeof(got) - 1, 0);
	assert_int_equal(len, strlen(text));
	assert_memory_equal(got, text, strlen(text));
}

static void
expect_state(enum ibv_port_state want)
{
	struct ibv_port_attr attr;

	assert_int_equal(ibv_query_port(sides[0].ctx, 1, &attr), 0);
	assert_int_equal(attr.state, want);
	expect_attr("state", want == IBV_PORT_ACTIVE ? "4: ACTIVE\n" : "1: DOWN\n");
}

static void
port_that_goes_down_is_told_by_an_event(void **state)
{
	int fd = open("/sys/class/infiniband/mlx5_0/ports/1/state", O_RDONLY);

	(void)state;
	assert_true(fd >= 0);
	expect_reads(fd, "4: ACTIVE\n");
	expect_state(IBV_PORT_ACTIVE);
	expect_attr("counters/link_downed", "0\n");
	assert_int_equal(ctl("0 down"), 0);
	expect_event(sides[0].ctx, IBV_EVENT_PORT_ERR);
	expect_no_event(sides[1].ctx);
	expect_state(IBV_PORT_DOWN);
	expect_reads(fd, "1: DOWN\n");
	expect_attr("counters/link_downed", "1\n");
	/* What is so already is no event. */
	assert_int_equal(ctl("0 down"), 0);
	expect_no_event(sides[0].ctx);
	assert_int_equal(ctl("0 up"), 0);
	expect_event(sides[0].ctx, IBV_EVENT_PORT_ACTIVE);
	expect_state(IBV_PORT_ACTIVE);
	expect_reads(fd, "4: ACTIVE\n");
	expect_attr("counters/link_downed", "1\n");
	assert_int_equal(close(fd), 0);
}

static void
nothing_passes_a_port_that_is_down(void **state)
{
	int i;

	(void)state;
	/* That of the sender, and that of the receiver. */
	for (i = 0; i < NB_DEVICES; i++) {
		sides_connect();
		assert_int_equal(write_status(1), IBV_WC_SUCCESS);
		assert_int_equal(sides[1].buf[1], 1);
		assert_int_equal(ctl(i == 0 ? "0 down" : "1 down"), 0);
		assert_int_equal(write_status(2), IBV_WC_RETRY_EXC_ERR);
		assert_int_equal(sides[1].buf[1], 1);
		assert_int_equal(ctl(i == 0 ? "0 up" : "1 up"), 0);
		expect_event(sides[i].ctx, IBV_EVENT_PORT_ERR);
		expect_event(sides[i].ctx, IBV_EVENT_PORT_ACTIVE);
	}
	sides_connect();
	assert_int_equal(write_status(3), IBV_WC_SUCCESS);
	assert_int_equal(sides[1].buf[1], 3);
}

static void
words_that_are_wrong_are_rejected(void **state)
{
	static const char *const commands[] = { "0 sideways", "9 down", "x up", "0 downs",
						"-1 down" };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		assert_int_equal(ctl(commands[i]), 1);
	expect_no_event(sides[0].ctx);
	expect_state(IBV_PORT_ACTIVE);
}

/* Verbs and sysfs tell the same, and both events were there. */
static void
link_comes_back_at_another_rate(void **state)
{
	int fd = open("/sys/class/infiniband/mlx5_0/ports/1/rate", O_RDONLY);
	struct ibv_port_attr attr;

	(void)state;
	assert_true(fd >= 0);
	expect_reads(fd, "400 Gb/sec (4X NDR)\n");
	assert_int_equal(ctl("0 speed=hdr,width=2"), 0);
	expect_event(sides[0].ctx, IBV_EVENT_PORT_ERR);
	expect_event(sides[0].ctx, IBV_EVENT_PORT_ACTIVE);
	expect_no_event(sides[1].ctx);
	expect_reads(fd, "100 Gb/sec (2X HDR)\n");
	assert_int_equal(ibv_query_port(sides[0].ctx, 1, &attr), 0);
	assert_int_equal(attr.active_width, 16);
	assert_int_equal(attr.active_speed, 64);
	assert_int_equal(attr.state, IBV_PORT_ACTIVE);
	/* Who is down tells it when it comes up. */
	assert_int_equal(ctl("0 down"), 0);
	expect_event(sides[0].ctx, IBV_EVENT_PORT_ERR);
	assert_int_equal(ctl("0 speed=SDR,width=1"), 0);
	expect_no_event(sides[0].ctx);
	assert_int_equal(ctl("0 up"), 0);
	expect_event(sides[0].ctx, IBV_EVENT_PORT_ACTIVE);
	expect_reads(fd, "2.5 Gb/sec (1X SDR)\n");
	/* What is no rate changes nothing. */
	assert_int_equal(ctl("0 speed=xyz"), 1);
	assert_int_equal(ctl("0 speed=edr,width=3"), 1);
	expect_no_event(sides[0].ctx);
	assert_int_equal(ctl("0 speed=ndr"), 0);
	expect_event(sides[0].ctx, IBV_EVENT_PORT_ERR);
	expect_event(sides[0].ctx, IBV_EVENT_PORT_ACTIVE);
	expect_reads(fd, "400 Gb/sec (4X NDR)\n");
	assert_int_equal(close(fd), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(port_that_goes_down_is_told_by_an_event),
		cmocka_unit_test(nothing_passes_a_port_that_is_down),
		cmocka_unit_test(link_comes_back_at_another_rate),
		cmocka_unit_test(words_that_are_wrong_are_rejected),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
