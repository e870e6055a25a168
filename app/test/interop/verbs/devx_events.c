/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * DevX event channels and asynchronous queries through an unmodified libmlx5.
 */

#include <fcntl.h>
#include <sys/eventfd.h>

#include "devx_queue.h"

#define EVENT_COMP 0x00
#define EVENT_CQ_ERROR 0x04
#define EVENT_PORT_CHANGE 0x09
#define EQE_BYTES 64

static uint32_t
be32_at(const uint8_t *at)
{
	uint32_t be;

	memcpy(&be, at, sizeof(be));
	return be32toh(be);
}

static void
arm(struct queue *q, uint32_t sn)
{
	uint32_t value = sn << 28 | (q->ci & 0xffffff);
	uint32_t be = htobe32(value);

	memcpy(q->mem + DBR_OFFSET + 64 + 4, &be, sizeof(be));
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	*(volatile uint64_t *)((uint8_t *)q->uar->base_addr + 0x20) =
		htobe64((uint64_t)value << 32 | q->cqn);
}

static struct mlx5dv_devx_event_channel *
channel_create(struct queue *q, enum mlx5dv_devx_create_event_channel_flags flags)
{
	struct mlx5dv_devx_event_channel *channel;

	channel = mlx5dv_devx_create_event_channel(q->ctx, flags);
	assert_non_null(channel);
	return channel;
}

static void
channel_end(struct queue *q, struct mlx5dv_devx_event_channel *channel)
{
	mlx5dv_devx_destroy_event_channel(channel);
	queue_destroy(q);
}

static ssize_t
event_get(struct mlx5dv_devx_event_channel *channel, uint64_t *cookie, uint8_t *eqe)
{
	uint8_t buf[sizeof(struct mlx5dv_devx_async_event_hdr) + EQE_BYTES] = { 0 };
	struct mlx5dv_devx_async_event_hdr *hdr = (void *)buf;
	ssize_t len = mlx5dv_devx_get_event(channel, hdr, sizeof(buf));

	*cookie = hdr->cookie;
	memcpy(eqe, hdr->out_data, EQE_BYTES);
	return len;
}

CASE(subscriber_gets_completion_with_its_entry)
{
	uint16_t events[] = { EVENT_COMP, EVENT_CQ_ERROR };
	struct mlx5dv_devx_event_channel *channel;
	uint8_t eqe[EQE_BYTES];
	struct queue q;
	uint64_t cookie;

	queue_create(&q, MLX5DV_UAR_ALLOC_TYPE_NC);
	channel = channel_create(&q, 0);
	assert_int_equal(mlx5dv_devx_subscribe_devx_event(channel, q.cq, sizeof(events), events,
							  0x1122334455667788), 0);
	arm(&q, 0);
	assert_false(is_readable(channel->fd, 20));
	nop_ring(&q);
	assert_true(is_readable(channel->fd, patience_ms()));
	assert_int_equal(event_get(channel, &cookie, eqe), 8 + EQE_BYTES);
	assert_int_equal(cookie, 0x1122334455667788);
	assert_int_equal(eqe[1], EVENT_COMP);
	assert_int_equal(be32_at(eqe + 56), q.cqn);
	assert_false(is_readable(channel->fd, 0));
	expect_nop_done(&q, 0);
	channel_end(&q, channel);
}

CASE(channel_without_data_gives_cookies)
{
	uint16_t event = EVENT_COMP;
	struct mlx5dv_devx_event_channel *channel;
	uint8_t eqe[EQE_BYTES];
	struct queue q;
	uint64_t cookie, end = patience_end();
	uint32_t i = 0, nb = 0;

	queue_create(&q, MLX5DV_UAR_ALLOC_TYPE_NC);
	channel = channel_create(&q, MLX5DV_DEVX_CREATE_EVENT_CHANNEL_FLAGS_OMIT_EV_DATA);
	assert_int_equal(mlx5dv_devx_subscribe_devx_event(channel, q.cq, sizeof(event), &event, 7),
			 0);
	/* Two events that nobody reads are told once. If the second one is late: once more. */
	while (nb != 1) {
		assert_false(patience_is_over(end));
		for (nb = 0; nb < 2; nb++, i++) {
			arm(&q, i & 3);
			nop_ring(&q);
			expect_nop_done(&q, (uint16_t)i);
			assert_true(is_readable(channel->fd, patience_ms()));
		}
		usleep(20000);
		for (nb = 0; is_readable(channel->fd, nb == 0 ? 0 : 20); nb++) {
			assert_int_equal(event_get(channel, &cookie, eqe), 8);
			assert_int_equal(cookie, 7);
		}
	}
	channel_end(&q, channel);
}

CASE(eventfd_is_signalled)
{
	struct mlx5dv_devx_event_channel *channel;
	int fd = eventfd(0, EFD_CLOEXEC);
	struct queue q;
	uint64_t count;

	assert_true(fd >= 0);
	queue_create(&q, MLX5DV_UAR_ALLOC_TYPE_NC);
	channel = channel_create(&q, 0);
	assert_int_equal(mlx5dv_devx_subscribe_devx_event_fd(channel, fd, q.cq, EVENT_COMP), 0);
	arm(&q, 0);
	nop_ring(&q);
	assert_int_equal(read(fd, &count, sizeof(count)), sizeof(count));
	assert_int_equal(count, 1);
	expect_nop_done(&q, 0);
	assert_false(is_readable(channel->fd, 0));
	assert_int_not_equal(mlx5dv_devx_subscribe_devx_event_fd(channel, q.ctx->cmd_fd, q.cq,
								 EVENT_COMP), 0);
	channel_end(&q, channel);
	close(fd);
}

/* What verbs do with ibv_modify_qp() cannot be done by DevX (mlx5_ib: devx_is_obj_modify_cmd()). */
CASE(queue_is_not_drained_by_devx)
{
	static const uint16_t opcodes[] = { 0x508, 0x50c };	/* RTS2SQD_QP, SQD2RTS_QP */
	struct queue q;
	size_t i;

	queue_create(&q, MLX5DV_UAR_ALLOC_TYPE_NC);
	for (i = 0; i < NB_OF(opcodes); i++) {
		uint8_t in[0x110] = { 0 }, out[16] = { 0 };

		put(in, 0, 16, opcodes[i]);
		put(in, 2, 0, q.qpn);
		assert_int_equal(mlx5dv_devx_obj_modify(q.qp, in, sizeof(in), out, sizeof(out)),
				 EINVAL);
	}
	nop_ring(&q);
	expect_nop_done(&q, 0);
	queue_destroy(&q);
}

/* Linux knows which events objects have, but not which objects have them. */
CASE(events_that_no_object_has_are_rejected)
{
	uint16_t of_cq = EVENT_CQ_ERROR, of_port = EVENT_PORT_CHANGE;
	struct mlx5dv_devx_event_channel *channel;
	struct queue q;

	queue_create(&q, MLX5DV_UAR_ALLOC_TYPE_NC);
	channel = channel_create(&q, 0);
	assert_int_equal(mlx5dv_devx_subscribe_devx_event(channel, NULL, 2, &of_port, 0), 0);
	assert_int_equal(mlx5dv_devx_subscribe_devx_event(channel, NULL, 2, &of_cq, 0), EINVAL);
	assert_int_equal(mlx5dv_devx_subscribe_devx_event(channel, q.qp, 2, &of_cq, 0), 0);
	assert_int_equal(mlx5dv_devx_subscribe_devx_event(channel, q.cq, 2, &of_port, 0), EINVAL);
	channel_end(&q, channel);
}

CASE(answers_of_asynchronous_queries_come_in_order)
{
	uint8_t buf[sizeof(struct mlx5dv_devx_async_cmd_hdr) + 0x110];
	struct mlx5dv_devx_async_cmd_hdr *hdr = (void *)buf;
	struct mlx5dv_devx_cmd_comp *comp;
	uint8_t in[16] = { 0 };
	struct queue q;
	uint64_t id;

	queue_create(&q, MLX5DV_UAR_ALLOC_TYPE_NC);
	comp = mlx5dv_devx_create_cmd_comp(q.ctx);
	assert_non_null(comp);
	put(in, 0, 16, 0x50b);		/* QUERY_QP */
	put(in, 2, 0, q.qpn);
	for (id = 100; id < 103; id++)
		assert_int_equal(mlx5dv_devx_obj_query_async(q.qp, in, sizeof(in), 0x110, id, comp),
				 0);
	/* Too short a buffer loses nothing. */
	errno = 0;
	assert_int_not_equal(mlx5dv_devx_get_async_cmd_comp(comp, hdr, 64), 0);
	for (id = 100; id < 103; id++) {
		assert_int_equal(mlx5dv_devx_get_async_cmd_comp(comp, hdr, sizeof(buf)), 0);
		assert_int_equal(hdr->wr_id, id);
		assert_int_equal(hdr->out_data[0], 0);
		assert_int_equal(be32_at(hdr->out_data + 0x18) >> 28, 3);	/* RTS */
	}
	assert_false(is_readable(comp->fd, 0));
	/* A query of another object than the command names. */
	assert_int_not_equal(mlx5dv_devx_obj_query_async(q.cq, in, sizeof(in), 0x110, 1, comp), 0);
	mlx5dv_devx_destroy_cmd_comp(comp);
	queue_destroy(&q);
}

CASE(reading_an_empty_channel_without_waiting_says_again)
{
	struct mlx5dv_devx_event_channel *channel;
	uint8_t eqe[EQE_BYTES];
	struct queue q = { 0 };
	uint64_t cookie;

	context_open(&q);
	channel = channel_create(&q, 0);
	assert_int_equal(fcntl(channel->fd, F_SETFL, O_NONBLOCK), 0);
	assert_int_equal(event_get(channel, &cookie, eqe), -1);
	assert_int_equal(errno, EAGAIN);
	mlx5dv_devx_destroy_event_channel(channel);
	context_close(&q);
}
