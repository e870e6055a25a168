/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Completion channels, asynchronous events and changing CQs, as programs that sleep until there is
 * something to do use them; plain libibverbs between two queue pairs of one process.
 */

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/epoll.h>

#include "../world.h"
#include "../../cmocka_compat.h"

#define BUF_SIZE	4096u
#define MAX_WR		64u

struct side {
	struct ibv_cq *send_cq;
	struct ibv_cq *recv_cq;
	struct ibv_qp *qp;
	uint8_t *buf;
	struct ibv_mr *mr;
};

/* Two queue pairs on one device, with a channel for all four CQs. */
struct world {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_comp_channel *channel;
	struct side a;
	struct side b;
};

static void
side_create(struct world *w, struct side *s)
{
	s->send_cq = ibv_create_cq(w->ctx, MAX_WR, s, w->channel, 0);
	assert_non_null(s->send_cq);
	/* Another vector: another event queue of the device. */
	s->recv_cq = ibv_create_cq(w->ctx, MAX_WR, s, w->channel, w->ctx->num_comp_vectors - 1);
	assert_non_null(s->recv_cq);
	s->qp = qp_create(w->pd, (struct ibv_qp_init_attr){
		.send_cq = s->send_cq, .recv_cq = s->recv_cq, .cap = { MAX_WR, MAX_WR, 1, 1, 0 } });
	s->buf = aligned_alloc(BUF_SIZE, BUF_SIZE);
	assert_non_null(s->buf);
	memset(s->buf, 0, BUF_SIZE);
	s->mr = ibv_reg_mr(w->pd, s->buf, BUF_SIZE,
			   IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	assert_non_null(s->mr);
}

static void
side_connect(struct world *w, struct side *s, const struct side *peer)
{
	const struct rc_qp_conf conf = {
		.access = IBV_ACCESS_REMOTE_WRITE, .mtu = IBV_MTU_1024, .rd_atomic = 1,
		.min_rnr_timer = 1, .timeout = 8, .retry_cnt = 2, .rnr_retry = 7,
	};

	qp_connect(s->qp, w->ctx, peer->qp->qp_num, &conf);
}

static void
side_destroy(struct side *s)
{
	assert_int_equal(ibv_destroy_qp(s->qp), 0);
	assert_int_equal(ibv_destroy_cq(s->send_cq), 0);
	assert_int_equal(ibv_destroy_cq(s->recv_cq), 0);
	assert_int_equal(ibv_dereg_mr(s->mr), 0);
	free(s->buf);
}

static int
setup(void **state)
{
	struct world *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	w->ctx = device_open(NULL);
	w->pd = ibv_alloc_pd(w->ctx);
	assert_non_null(w->pd);
	w->channel = ibv_create_comp_channel(w->ctx);
	assert_non_null(w->channel);
	assert_true(w->ctx->num_comp_vectors > 1);
	side_create(w, &w->a);
	side_create(w, &w->b);
	side_connect(w, &w->a, &w->b);
	side_connect(w, &w->b, &w->a);
	*state = w;
	return 0;
}

static int
teardown(void **state)
{
	struct world *w = *state;

	side_destroy(&w->a);
	side_destroy(&w->b);
	assert_int_equal(ibv_destroy_comp_channel(w->channel), 0);
	assert_int_equal(ibv_dealloc_pd(w->pd), 0);
	assert_int_equal(ibv_close_device(w->ctx), 0);
	free(w);
	return 0;
}

static void
set_nonblocking(int fd)
{
	assert_int_equal(fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK), 0);
}

static void
post_recv(struct side *s)
{
	recv_post(s->qp, 0, &(struct ibv_sge){ (uintptr_t)s->buf, 64, s->mr->lkey }, 1);
}

static void
post(struct side *s, enum ibv_wr_opcode opcode, unsigned int flags, uint32_t rkey)
{
	struct ibv_sge sge = { (uintptr_t)s->buf, 8, s->mr->lkey };

	send_post(s->qp, &(struct ibv_send_wr){
		.sg_list = &sge, .num_sge = 1, .opcode = opcode,
		.send_flags = flags | IBV_SEND_SIGNALED,
		.wr.rdma = { (uintptr_t)s->buf, rkey } });
}

/* A message from one to the other. */
static void
send_message(struct world *w)
{
	post_recv(&w->b);
	post(&w->a, IBV_WR_SEND, 0, 0);
}

/* The next event must be of that CQ. */
static void
expect_event(struct world *w, struct ibv_cq *cq)
{
	struct ibv_cq *got;
	void *context;

	assert_true(is_readable(w->channel->fd, patience_ms()));
	assert_int_equal(ibv_get_cq_event(w->channel, &got, &context), 0);
	assert_ptr_equal(got, cq);
	assert_ptr_equal(context, cq->cq_context);
	ibv_ack_cq_events(got, 1);
}

CASE_OF(struct world, w, epoll_tells_of_each_armed_cq, setup, teardown)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };
	int fd = epoll_create1(EPOLL_CLOEXEC);
	int nb = 0;
	struct ibv_cq *cq;
	void *context;

	assert_true(fd >= 0);
	set_nonblocking(w->channel->fd);
	assert_int_equal(epoll_ctl(fd, EPOLL_CTL_ADD, w->channel->fd, &event), 0);
	/* In one page, one behind the other: no doorbell may be lost. */
	assert_int_equal(ibv_req_notify_cq(w->a.send_cq, 0), 0);
	assert_int_equal(ibv_req_notify_cq(w->b.recv_cq, 0), 0);
	assert_int_equal(epoll_wait(fd, &event, 1, 20), 0);
	send_message(w);
	while (nb < 2) {
		assert_int_equal(epoll_wait(fd, &event, 1, patience_ms()), 1);
		while (ibv_get_cq_event(w->channel, &cq, &context) == 0) {
			assert_true(cq == w->a.send_cq || cq == w->b.recv_cq);
			expect_success(cq);
			ibv_ack_cq_events(cq, 1);
			nb++;
		}
		assert_int_equal(errno, EAGAIN);
	}
	close(fd);
}

static void *
echo_main(void *arg)
{
	struct world *w = arg;
	struct ibv_cq *cq;
	void *context;
	int i;

	for (i = 0; i < 200; i++) {
		if (ibv_req_notify_cq(w->b.recv_cq, 0) != 0 ||
		    ibv_get_cq_event(w->channel, &cq, &context) != 0 || cq != w->b.recv_cq)
			return w;
		ibv_ack_cq_events(cq, 1);
		if (wc_wait(cq).status != IBV_WC_SUCCESS)
			return w;
		post_recv(&w->b);
		post(&w->b, IBV_WR_SEND, 0, 0);
		if (wc_wait(w->b.send_cq).status != IBV_WC_SUCCESS)
			return w;
	}
	return NULL;
}

CASE_OF(struct world, w, thread_that_sleeps_in_read_answers, setup, teardown)
{
	pthread_t thread;
	void *failed;
	int i;

	post_recv(&w->b);
	assert_int_equal(pthread_create(&thread, NULL, echo_main, w), 0);
	for (i = 0; i < 200; i++) {
		post_recv(&w->a);
		post(&w->a, IBV_WR_SEND, 0, 0);
		expect_success(w->a.send_cq);
		expect_success(w->a.recv_cq);
	}
	assert_int_equal(pthread_join(thread, &failed), 0);
	assert_null(failed);
}

CASE_OF(struct world, w, solicited_only_waits_for_such, setup, teardown)
{
	assert_int_equal(ibv_req_notify_cq(w->b.recv_cq, 1), 0);
	post_recv(&w->b);
	send_message(w);
	expect_success(w->b.recv_cq);
	assert_false(is_readable(w->channel->fd, 20));
	post(&w->a, IBV_WR_SEND, IBV_SEND_SOLICITED, 0);
	expect_event(w, w->b.recv_cq);
}

CASE_OF(struct world, w, destroying_a_cq_takes_its_events_along, setup, teardown)
{
	struct ibv_cq *cq = ibv_create_cq(w->ctx, 4, NULL, w->channel, 0);
	struct side s = w->a;

	assert_non_null(cq);
	s.qp = qp_create(w->pd, (struct ibv_qp_init_attr){ .send_cq = cq,
							   .cap = { 1, 1, 1, 1, 0 } });
	assert_int_equal(ibv_req_notify_cq(cq, 0), 0);
	assert_int_equal(ibv_req_notify_cq(w->b.recv_cq, 0), 0);
	side_connect(w, &s, &w->b);
	post_recv(&s);
	qp_to(s.qp, IBV_QPS_ERR);
	assert_true(is_readable(w->channel->fd, patience_ms()));
	assert_int_equal(ibv_destroy_qp(s.qp), 0);
	/* Would wait for ever if an event counted that nobody has read. */
	assert_int_equal(ibv_destroy_cq(cq), 0);
	assert_false(is_readable(w->channel->fd, 0));
	send_message(w);
	expect_event(w, w->b.recv_cq);
}

CASE_OF(struct world, w, channel_in_use_cannot_be_destroyed, setup, teardown)
{
	uint8_t byte;

	assert_int_equal(ibv_destroy_comp_channel(w->channel), EBUSY);
	/* Nothing can be written to it, and what is read is whole events. */
	assert_int_equal(write(w->channel->fd, "x", 1), -1);
	assert_int_equal(errno, EBADF);
	assert_int_equal(ibv_req_notify_cq(w->a.send_cq, 0), 0);
	send_message(w);
	assert_true(is_readable(w->channel->fd, patience_ms()));
	assert_int_equal(read(w->channel->fd, &byte, 1), -1);
	assert_int_equal(errno, EINVAL);
	expect_event(w, w->a.send_cq);
}

CASE_OF(struct world, w, duplicate_of_a_channel_reads_the_same_events, setup, teardown)
{
	int fd = dup(w->channel->fd);
	uint64_t handle;

	assert_true(fd >= 0);
	assert_int_equal(ibv_req_notify_cq(w->a.send_cq, 0), 0);
	send_message(w);
	assert_true(is_readable(fd, patience_ms()));
	assert_int_equal(read(fd, &handle, sizeof(handle)), sizeof(handle));
	assert_ptr_equal((void *)(uintptr_t)handle, w->a.send_cq);
	assert_false(is_readable(w->channel->fd, 0));
	close(fd);
	/* What read(2) took counts as taken. */
	ibv_ack_cq_events(w->a.send_cq, 1);
}

CASE_OF(struct world, w, child_leaves_the_channel_of_its_parent_alone, setup, teardown)
{
	int status;
	pid_t pid;

	assert_int_equal(ibv_req_notify_cq(w->a.send_cq, 0), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		uint64_t handle;

		set_nonblocking(w->channel->fd);
		/* A kernel's is empty; that of a model is its process's. */
		_exit(read(w->channel->fd, &handle, sizeof(handle)) == -1 &&
		      (errno == EIO || errno == EAGAIN) ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	send_message(w);
	expect_event(w, w->a.send_cq);
}

CASE_OF(struct world, w, responder_hears_of_a_rejected_access, setup, teardown)
{
	post(&w->a, IBV_WR_RDMA_WRITE, 0, w->b.mr->rkey ^ 1);
	assert_int_equal(wc_wait(w->a.send_cq).status, IBV_WC_REM_ACCESS_ERR);
	assert_ptr_equal(expect_async(w->ctx, IBV_EVENT_QP_ACCESS_ERR).element.qp, w->b.qp);
	assert_false(is_readable(w->ctx->async_fd, 0));
}

CASE_OF(struct world, w, overrun_is_an_event_of_the_cq, setup, teardown)
{
	struct ibv_cq *cq = ibv_create_cq(w->ctx, 3, NULL, NULL, 0);
	struct side s = w->a;
	int i;

	assert_non_null(cq);
	s.qp = qp_create(w->pd, (struct ibv_qp_init_attr){
		.send_cq = cq, .recv_cq = w->a.recv_cq, .cap = { 16, 1, 1, 1, 0 } });
	side_connect(w, &s, &s);
	for (i = 0; i < cq->cqe + 2; i++)
		post(&s, IBV_WR_RDMA_WRITE, 0, s.mr->rkey);
	assert_ptr_equal(expect_async(w->ctx, IBV_EVENT_CQ_ERR).element.qp, cq);
	assert_ptr_equal(expect_async(w->ctx, IBV_EVENT_QP_FATAL).element.qp, s.qp);
	assert_int_equal(ibv_destroy_qp(s.qp), 0);
	assert_int_equal(ibv_destroy_cq(cq), 0);
}

/* Would wait for ever if an event counted that nobody has read. */
CASE_OF(struct world, w, destroying_a_qp_takes_its_events_along, setup, teardown)
{
	post(&w->a, IBV_WR_RDMA_WRITE, 0, w->b.mr->rkey ^ 1);
	assert_int_equal(wc_wait(w->a.send_cq).status, IBV_WC_REM_ACCESS_ERR);
	assert_true(is_readable(w->ctx->async_fd, patience_ms()));
	assert_int_equal(ibv_destroy_qp(w->b.qp), 0);
	assert_false(is_readable(w->ctx->async_fd, 0));
	/* For the teardown. */
	side_destroy(&(struct side){ .qp = w->a.qp, .send_cq = w->a.send_cq,
				     .recv_cq = w->a.recv_cq, .mr = w->a.mr, .buf = w->a.buf });
	assert_int_equal(ibv_destroy_cq(w->b.send_cq), 0);
	assert_int_equal(ibv_destroy_cq(w->b.recv_cq), 0);
	assert_int_equal(ibv_dereg_mr(w->b.mr), 0);
	free(w->b.buf);
	side_create(w, &w->a);
	side_create(w, &w->b);
}

static atomic_bool stop_traffic;

static void *
traffic_main(void *arg)
{
	struct world *w = arg;

	while (!atomic_load(&stop_traffic)) {
		post_recv(&w->b);
		post(&w->a, IBV_WR_SEND, 0, 0);
		if (wc_wait(w->a.send_cq).status != IBV_WC_SUCCESS ||
		    wc_wait(w->b.recv_cq).status != IBV_WC_SUCCESS)
			return w;
	}
	return NULL;
}

CASE_OF(struct world, w, cq_is_resized_while_traffic_runs, setup, teardown)
{
	static const int sizes[] = { 255, 31, 511, 63, 127 };
	pthread_t thread;
	void *failed;
	int i;

	atomic_store(&stop_traffic, false);
	assert_int_equal(pthread_create(&thread, NULL, traffic_main, w), 0);
	for (i = 0; i < 50; i++) {
		assert_int_equal(ibv_resize_cq(w->a.send_cq, sizes[i % 5]), 0);
		assert_int_equal(w->a.send_cq->cqe, sizes[i % 5]);
		assert_int_equal(ibv_resize_cq(w->b.recv_cq, sizes[(i + 2) % 5]), 0);
		usleep(500);
	}
	atomic_store(&stop_traffic, true);
	assert_int_equal(pthread_join(thread, &failed), 0);
	assert_null(failed);
}

CASE_OF(struct world, w, resize_below_what_is_outstanding_is_rejected, setup, teardown)
{
	int i;

	for (i = 0; i < 20; i++) {
		post_recv(&w->b);
		post(&w->a, IBV_WR_SEND, 0, 0);
	}
	for (i = 0; i < 20; i++)
		expect_success(w->b.recv_cq);
	assert_int_equal(ibv_resize_cq(w->a.send_cq, 7), EINVAL);
	for (i = 0; i < 20; i++)
		expect_success(w->a.send_cq);
	assert_int_equal(ibv_resize_cq(w->a.send_cq, 7), 0);
}

CASE_OF(struct world, w, moderated_cq_tells_once_of_several, setup, teardown)
{
	struct ibv_modify_cq_attr attr = {
		.attr_mask = IBV_CQ_ATTR_MODERATE,
		.moderate = { .cq_count = 4, .cq_period = 4000 },
	};
	int i;

	assert_int_equal(ibv_modify_cq(w->b.recv_cq, &attr), 0);
	assert_int_equal(ibv_req_notify_cq(w->b.recv_cq, 0), 0);
	for (i = 0; i < 4; i++) {
		post_recv(&w->b);
		post(&w->a, IBV_WR_SEND, 0, 0);
		expect_success(w->a.send_cq);
	}
	expect_event(w, w->b.recv_cq);
	assert_false(is_readable(w->channel->fd, 20));
	attr.moderate.cq_period = 0x1000;
	assert_int_equal(ibv_modify_cq(w->b.recv_cq, &attr), EINVAL);
}

/* A completion of a new queue pair whose CQ reads these fields. */
static void
completion_stamp(struct world *w, uint64_t wc_flags, uint64_t *stamp, uint64_t *ns)
{
	struct ibv_cq_init_attr_ex attr = { .cqe = 16, .wc_flags = wc_flags };
	const uint64_t deadline = patience_end();
	struct ibv_poll_cq_attr poll_attr = { 0 };
	struct ibv_cq_ex *cq = ibv_create_cq_ex(w->ctx, &attr);
	struct side s = w->a;

	assert_non_null(cq);
	s.qp = qp_create(w->pd, (struct ibv_qp_init_attr){ .send_cq = ibv_cq_ex_to_cq(cq),
							   .cap = { 4, 4, 1, 1, 0 } });
	side_connect(w, &s, &s);
	post(&s, IBV_WR_RDMA_WRITE, 0, s.mr->rkey);
	while (ibv_start_poll(cq, &poll_attr) != 0 && !patience_is_over(deadline))
		;
	assert_int_equal(cq->status, IBV_WC_SUCCESS);
	if ((wc_flags & IBV_WC_EX_WITH_COMPLETION_TIMESTAMP) != 0)
		*stamp = ibv_wc_read_completion_ts(cq);
	*ns = ibv_wc_read_completion_wallclock_ns(cq);
	ibv_end_poll(cq);
	assert_int_equal(ibv_destroy_qp(s.qp), 0);
	assert_int_equal(ibv_destroy_cq(ibv_cq_ex_to_cq(cq)), 0);
}

static void
expect_now(uint64_t ns)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	assert_uint_in_range(ns / 1000000000, (uint64_t)now.tv_sec - 60, (uint64_t)now.tv_sec + 1);
}

CASE_OF(struct world, w, clock_of_the_device_converts_to_time_of_day, setup, teardown)
{
	struct ibv_values_ex values = { .comp_mask = IBV_VALUES_MASK_RAW_CLOCK };
	struct ibv_device_attr_ex device;
	struct ibv_port_attr port;
	uint64_t stamp = 0, ns;

	assert_int_equal(ibv_query_device_ex(w->ctx, NULL, &device), 0);
	assert_int_equal(device.hca_core_clock, 1000000);	/* kHz */
	assert_int_equal(ibv_query_rt_values_ex(w->ctx, &values), 0);
	assert_int_equal(values.comp_mask, IBV_VALUES_MASK_RAW_CLOCK);
	completion_stamp(w, IBV_WC_EX_WITH_COMPLETION_TIMESTAMP |
			 IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK, &stamp, &ns);
	assert_true(stamp > (uint64_t)values.raw_clock.tv_nsec);
	expect_now(ns);
	/*
	 * Without the other, a device on Ethernet stamps with the time of day itself: seconds and
	 * nanoseconds (Linux: REAL_TIME_TO_NS()), which this libmlx5 hands out as they are.
	 */
	completion_stamp(w, IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK, &stamp, &ns);
	assert_int_equal(ibv_query_port(w->ctx, 1, &port), 0);
	if (port.link_layer == IBV_LINK_LAYER_ETHERNET)
		ns = (ns >> 32) * 1000000000 + (ns & UINT32_MAX);
	expect_now(ns);
}
