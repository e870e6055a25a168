/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * A card that is pulled while a program uses it: swhca-ctl takes a device of this process away.
 */

#include <pthread.h>

#include "../world.h"

#define NB_RECV 4
#define BUF_SIZE 4096

/* The device that goes, and the one that stays. */
static struct end gone, stays;

static const struct rc_qp_conf conf = { .access = IBV_ACCESS_REMOTE_WRITE, .timeout = 8,
					.retry_cnt = 2 };

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
	end_open(&gone, device_open("mlx5_0"), BUF_SIZE);
	end_open(&stays, device_open("mlx5_1"), BUF_SIZE);
	gone.qp = qp_create(gone.pd, (struct ibv_qp_init_attr){ .send_cq = gone.cq });
	stays.qp = qp_create(stays.pd, (struct ibv_qp_init_attr){ .send_cq = stays.cq });
	qp_connect(gone.qp, stays.ctx, stays.qp->qp_num, &conf);
	qp_connect(stays.qp, gone.ctx, gone.qp->qp_num, &conf);
	gone_channel = ibv_create_comp_channel(gone.ctx);
	assert_non_null(gone_channel);
	assert_int_equal(pthread_create(&waiter, NULL, waiter_main, NULL), 0);
	return 0;
}

static void
write_post(struct end *s, struct ibv_qp *qp, const struct end *peer)
{
	rdma_post(qp, IBV_WR_RDMA_WRITE, sge_of(s, 0, 64), peer->buf + 1024, peer->mr->rkey);
}

CASE(control_rejects_what_is_not_there)
{
	assert_int_equal(ctl("list", ""), 0);
	assert_int_equal(ctl("remove", "7"), 1);
	assert_int_equal(ctl("remove", "x"), 1);
	write_post(&gone, gone.qp, &stays);
	expect_success(gone.cq);
}

CASE(removal_flushes_and_tells)
{
	struct ibv_sge sge = sge_of(&gone, 0, BUF_SIZE);
	uint64_t i;

	for (i = 0; i < NB_RECV; i++)
		recv_post(gone.qp, i, &sge, 1);
	assert_int_equal(ctl("remove", "0"), 0);
	assert_int_equal(ctl("remove", "0"), 1);
	for (i = 0; i < NB_RECV; i++)
		expect_wc(gone.cq, i, IBV_WC_WR_FLUSH_ERR);
	expect_async(gone.ctx, IBV_EVENT_DEVICE_FATAL);
}

CASE(commands_of_a_removed_device_fail)
{
	struct ibv_device_attr attr;

	assert_int_equal(ibv_query_device(gone.ctx, &attr), EIO);
	assert_null(ibv_alloc_pd(gone.ctx));
	assert_int_equal(errno, EIO);
	/* A doorbell goes nowhere, and hurts nobody. */
	write_post(&gone, gone.qp, &stays);
}

CASE(removed_device_is_not_listed)
{
	struct ibv_device **list;
	int nb;

	list = ibv_get_device_list(&nb);
	assert_non_null(list);
	assert_int_equal(nb, 1);
	assert_string_equal(ibv_get_device_name(list[0]), "mlx5_1");
	ibv_free_device_list(list);
	assert_int_equal(access("/dev/infiniband/uverbs0", F_OK), -1);
	assert_int_equal(access("/dev/infiniband/uverbs1", F_OK), 0);
}

CASE(waiter_of_completions_wakes_up)
{
	struct ibv_cq *cq;
	void *ctx;

	assert_int_equal(pthread_join(waiter, NULL), 0);
	assert_int_equal(waiter_errno, EIO);
	/* And so does whoever comes later. */
	assert_true(is_readable(gone_channel->fd, 0));
	assert_int_equal(ibv_get_cq_event(gone_channel, &cq, &ctx), -1);
	assert_int_equal(errno, EIO);
	assert_int_equal(ibv_destroy_comp_channel(gone_channel), 0);
}

CASE(peer_gets_no_answer_any_more)
{
	write_post(&stays, stays.qp, &gone);
	assert_int_equal(wc_wait(stays.cq).status, IBV_WC_RETRY_EXC_ERR);
}

CASE(other_device_works_on)
{
	struct ibv_qp *qp = qp_create(stays.pd, (struct ibv_qp_init_attr){ .send_cq = stays.cq });

	qp_connect(qp, stays.ctx, qp->qp_num, &conf);
	stays.buf[0] = 0x77;
	write_post(&stays, qp, &stays);
	expect_success(stays.cq);
	assert_int_equal(stays.buf[1024], 0x77);
	assert_int_equal(ibv_destroy_qp(qp), 0);
}

/* RDMAV_ALLOW_DISASSOC_DESTROY (ibv_get_device_list(3)): destroying what is gone is no error. */
CASE(program_can_clean_up)
{
	end_close(&gone);
	end_close(&stays);
}

int
main(void)
{
	return cases_run(setup, NULL);
}
