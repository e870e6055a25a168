/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef WORLD_H
#define WORLD_H

/*
 * Shared by cmocka programs of libibverbs: a device with memory and queues, requests, completions
 * and events, and swhca-ctl on the own process. Whatever fails, fails the test case.
 */

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>

#include "../patience.h"
#include "rc_qp.h"
#include "cases.h"

#define PAGE		4096u
#define ALL_ACCESS                                                                                 \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |               \
	 IBV_ACCESS_REMOTE_ATOMIC)

/* A context with what a queue pair needs. */
struct end {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_qp *qp;	/* NULL until a program creates it */
	struct ibv_mr *mr;	/* of buf, with all rights */
	uint8_t *buf;		/* pages of its own; zeros at first */
};

/* NULL: the first device. */
static inline struct ibv_context *
device_open(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *ctx = NULL;
	int i;

	assert_non_null(list);
	for (i = 0; list[i] != NULL && ctx == NULL; i++) {
		if (name == NULL || strcmp(ibv_get_device_name(list[i]), name) == 0)
			ctx = ibv_open_device(list[i]);
	}
	ibv_free_device_list(list);
	assert_non_null(ctx);
	return ctx;
}

/* The first device, with DevX. */
static inline struct ibv_context *
devx_open(void)
{
	struct mlx5dv_context_attr attr = { .flags = MLX5DV_CONTEXT_FLAGS_DEVX };
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *ctx;

	assert_non_null(list);
	assert_non_null(list[0]);
	ctx = mlx5dv_open_device(list[0], &attr);
	ibv_free_device_list(list);
	assert_non_null(ctx);
	return ctx;
}

static inline void
end_open(struct end *e, struct ibv_context *ctx, size_t len)
{
	size_t size;

	*e = (struct end){ .ctx = ctx, .pd = ibv_alloc_pd(ctx) };
	assert_non_null(e->pd);
	e->cq = ibv_create_cq(ctx, 128, NULL, NULL, 0);
	assert_non_null(e->cq);
	/* Whole pages: nothing else of the heap shares the last one. */
	size = (len + PAGE - 1) / PAGE * PAGE;
	e->buf = aligned_alloc(PAGE, size);
	assert_non_null(e->buf);
	memset(e->buf, 0, size);
	e->mr = ibv_reg_mr(e->pd, e->buf, len, ALL_ACCESS);
	assert_non_null(e->mr);
}

static inline void
end_close(struct end *e)
{
	if (e->qp != NULL)
		assert_int_equal(ibv_destroy_qp(e->qp), 0);
	assert_int_equal(ibv_dereg_mr(e->mr), 0);
	assert_int_equal(ibv_destroy_cq(e->cq), 0);
	assert_int_equal(ibv_dealloc_pd(e->pd), 0);
	assert_int_equal(ibv_close_device(e->ctx), 0);
	free(e->buf);
}

/* By default: RC, one CQ for sends and receives, 8 requests of one segment. */
static inline struct ibv_qp *
qp_create(struct ibv_pd *pd, struct ibv_qp_init_attr attr)
{
	struct ibv_qp *qp;

	if (attr.qp_type == 0)
		attr.qp_type = IBV_QPT_RC;
	if (attr.recv_cq == NULL)
		attr.recv_cq = attr.send_cq;
	if (attr.cap.max_send_wr == 0)
		attr.cap = (struct ibv_qp_cap){ 8, 8, 1, 1, 0 };
	qp = ibv_create_qp(pd, &attr);
	assert_non_null(qp);
	return qp;
}

/* From reset to ready to send, to a number on the port of another context. */
static inline void
qp_connect(struct ibv_qp *qp, struct ibv_context *peer, uint32_t qpn, const struct rc_qp_conf *conf)
{
	struct ibv_ah_attr ah;

	assert_int_equal(rc_qp_own_address(peer, &ah), 0);
	assert_int_equal(rc_qp_connect(qp, conf, &ah, qpn), 0);
}

static inline void
qp_to(struct ibv_qp *qp, enum ibv_qp_state state)
{
	assert_int_equal(ibv_modify_qp(qp, &(struct ibv_qp_attr){ .qp_state = state },
				       IBV_QP_STATE), 0);
}

/* A DC initiator up to ready to send, or a target up to ready to receive. */
static inline void
dc_connect(struct ibv_qp *qp, bool is_target, const struct ibv_ah_attr *ah,
	   const struct rc_qp_conf *conf)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT, .port_num = 1, .qp_access_flags = conf->access,
		.path_mtu = IBV_MTU_1024, .min_rnr_timer = conf->min_rnr_timer, .ah_attr = *ah,
		.timeout = conf->timeout, .retry_cnt = conf->retry_cnt,
		.rnr_retry = conf->rnr_retry, .max_rd_atomic = conf->rd_atomic,
	};

	assert_int_equal(ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
				       (is_target ? IBV_QP_ACCESS_FLAGS : 0)), 0);
	attr.qp_state = IBV_QPS_RTR;
	assert_int_equal(ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PATH_MTU | IBV_QP_AV |
				       (is_target ? IBV_QP_MIN_RNR_TIMER : 0)), 0);
	if (is_target)
		return;
	attr.qp_state = IBV_QPS_RTS;
	assert_int_equal(ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_TIMEOUT |
				       IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
				       IBV_QP_MAX_QP_RD_ATOMIC), 0);
}

static inline struct ibv_sge
sge_of(const struct end *e, size_t offset, uint32_t len)
{
	return (struct ibv_sge){ (uintptr_t)e->buf + offset, len, e->mr->lkey };
}

static inline void
recv_post(struct ibv_qp *qp, uint64_t wr_id, struct ibv_sge *sges, int nb)
{
	struct ibv_recv_wr wr = { .wr_id = wr_id, .sg_list = sges, .num_sge = nb }, *bad;

	assert_int_equal(ibv_post_recv(qp, &wr, &bad), 0);
}

static inline void
send_post(struct ibv_qp *qp, struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad;

	assert_int_equal(ibv_post_send(qp, wr, &bad), 0);
}

/* A signaled request of one segment; a send ignores the remote address. */
static inline void
rdma_post(struct ibv_qp *qp, enum ibv_wr_opcode opcode, struct ibv_sge sge, const void *raddr,
	  uint32_t rkey)
{
	send_post(qp, &(struct ibv_send_wr){
		.opcode = opcode, .send_flags = IBV_SEND_SIGNALED, .sg_list = &sge, .num_sge = 1,
		.wr.rdma = { (uintptr_t)raddr, rkey } });
}

/* A completion that does not come fails the case. */
static inline struct ibv_wc
wc_wait(struct ibv_cq *cq)
{
	const uint64_t deadline = patience_end();
	struct ibv_wc wc = { 0 };
	int nb = 0;

	while (nb == 0 && !patience_is_over(deadline))
		nb = ibv_poll_cq(cq, 1, &wc);
	assert_int_equal(nb, 1);
	return wc;
}

static inline void
expect_wc(struct ibv_cq *cq, uint64_t wr_id, enum ibv_wc_status status)
{
	struct ibv_wc wc = wc_wait(cq);

	assert_int_equal(wc.wr_id, wr_id);
	assert_int_equal(wc.status, status);
}

static inline void
expect_success(struct ibv_cq *cq)
{
	assert_int_equal(wc_wait(cq).status, IBV_WC_SUCCESS);
}

static inline bool
is_readable(int fd, int timeout_ms)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };

	return poll(&pfd, 1, timeout_ms) == 1 && (pfd.revents & POLLIN) != 0;
}

/* Take the next asynchronous event, which must be of that type. */
static inline struct ibv_async_event
expect_async(struct ibv_context *ctx, enum ibv_event_type type)
{
	struct ibv_async_event event;

	assert_true(is_readable(ctx->async_fd, patience_ms()));
	assert_int_equal(ibv_get_async_event(ctx, &event), 0);
	assert_int_equal(event.event_type, type);
	ibv_ack_async_event(&event);
	return event;
}

#define CTL_LINE 8192u

static inline void
ctl_line(char *line, const char *command, const char *arg)
{
	const char *lib = getenv("SWHCA_LIB");

	assert_non_null(lib);
	snprintf(line, CTL_LINE, "LD_PRELOAD= '%.*s/swhca-ctl' %s %ld %s",
		 (int)(strrchr(lib, '/') - lib), lib, command, (long)getpid(), arg);
}

/* Run swhca-ctl on this process. Returns its exit status. */
static inline int
ctl(const char *command, const char *arg)
{
	char line[CTL_LINE];
	int ret;

	ctl_line(line, command, arg);
	strcat(line, " >&2");
	ret = system(line);
	assert_true(WIFEXITED(ret));
	return WEXITSTATUS(ret);
}

/* A counter of swhca-ctl stats, of all devices of this process. */
static inline unsigned long long
ctl_counter(const char *name)
{
	unsigned long long sum = 0;
	char line[CTL_LINE], *at;
	FILE *pipe;

	ctl_line(line, "stats", "");
	pipe = popen(line, "r");
	assert_non_null(pipe);
	while (fgets(line, sizeof(line), pipe) != NULL) {
		at = strstr(line, name);
		assert_non_null(at);
		sum += strtoull(at + strlen(name), NULL, 10);
	}
	assert_int_equal(pclose(pipe), 0);
	return sum;
}

#endif /* WORLD_H */
