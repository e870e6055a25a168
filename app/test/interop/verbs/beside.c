/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * A program that is asked and changed from outside by many at once, while its queues work and
 * devices come and go; and event files that are made, read, polled and closed by threads at once.
 * For ThreadSanitizer to look at; without it, a test that each thread gets what it would get alone.
 *
 * A check that fails in another thread ends the program (cmocka: exit_test()).
 */

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>

#include "../world.h"
#include "swhca_control.h"

#define NB_ASKING  4u
#define NB_ASKS	   60u
#define NB_OPENS   15u
#define NB_WRITES  300u
#define NB_EVENTS  100u
#define BUF_SIZE   4096u
#define POLL_MS	   20

/* A queue pair that is connected to itself, with a channel. */
struct side {
	struct end end;
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;
};

static atomic_bool is_over;
static atomic_uint nb_answers, nb_events;

static struct side *
side_open(const char *name)
{
	const struct rc_qp_conf conf = { .access = IBV_ACCESS_REMOTE_WRITE, .timeout = 8,
					 .retry_cnt = 2 };
	struct side *s = calloc(1, sizeof(*s));

	assert_non_null(s);
	end_open(&s->end, device_open(name), BUF_SIZE);
	s->channel = ibv_create_comp_channel(s->end.ctx);
	assert_non_null(s->channel);
	assert_int_equal(fcntl(s->channel->fd, F_SETFL, O_NONBLOCK), 0);
	s->cq = ibv_create_cq(s->end.ctx, 16, NULL, s->channel, 0);
	assert_non_null(s->cq);
	s->end.qp = qp_create(s->end.pd, (struct ibv_qp_init_attr){ .send_cq = s->cq });
	assert_int_equal(rc_qp_connect_itself(s->end.qp, &conf), 0);
	return s;
}

static void
side_close(struct side *s)
{
	assert_int_equal(ibv_destroy_qp(s->end.qp), 0);
	s->end.qp = NULL;
	assert_int_equal(ibv_destroy_cq(s->cq), 0);
	assert_int_equal(ibv_destroy_comp_channel(s->channel), 0);
	end_close(&s->end);
	free(s);
}

static void
write_once(struct side *s)
{
	rdma_post(s->end.qp, IBV_WR_RDMA_WRITE, sge_of(&s->end, 0, 64), s->end.buf + 1024,
		  s->end.mr->rkey);
	expect_success(s->cq);
}

/* What goes on for as long as the case lasts. */
static void *
writes_main(void *arg)
{
	struct side *s = side_open("mlx5_0");
	unsigned int i;

	(void)arg;
	for (i = 0; i < NB_WRITES || !atomic_load(&is_over); i++)
		write_once(s);
	side_close(s);
	return NULL;
}

static void *
opens_main(void *arg)
{
	unsigned int i;

	(void)arg;
	for (i = 0; i < NB_OPENS; i++)
		side_close(side_open("mlx5_1"));
	return NULL;
}

/* Whoever asks about a device that nobody has open is told so; all else is answered. */
static void *
ask_main(void *arg)
{
	static const char *const lines[] = {
		"list", "stats", "counters 0", "fault 0 list", "port 1 down", "counters 1",
		"fault 0 error-cqe,qp=0xfffff", "port 1 up", "fault 0 off", "stats",
		"fail-command 1 1000000",
	};
	char answer[SWHCA_CONTROL_SIZE];
	unsigned int i;

	for (i = 0; i < NB_ASKS; i++) {
		const char *line = lines[(i + (uintptr_t)arg) % NB_OF(lines)];

		assert_int_equal(swhca_control_ask(getpid(), line, answer, sizeof(answer)), 0);
		if (strchr(line, '1') == NULL && strstr(line, "error") == NULL)
			assert_null(strstr(answer, "error:"));
		atomic_fetch_add(&nb_answers, 1);
	}
	return NULL;
}

CASE(program_is_asked_by_many_beside_its_queues)
{
	struct side *stays = side_open("mlx5_0");
	pthread_t asking[NB_ASKING], writes, opens;
	uintptr_t i;

	atomic_store(&is_over, false);
	assert_int_equal(pthread_create(&writes, NULL, writes_main, NULL), 0);
	assert_int_equal(pthread_create(&opens, NULL, opens_main, NULL), 0);
	for (i = 0; i < NB_ASKING; i++)
		assert_int_equal(pthread_create(&asking[i], NULL, ask_main, (void *)i), 0);
	for (i = 0; i < NB_ASKING; i++)
		assert_int_equal(pthread_join(asking[i], NULL), 0);
	assert_int_equal(pthread_join(opens, NULL), 0);
	atomic_store(&is_over, true);
	assert_int_equal(pthread_join(writes, NULL), 0);
	assert_int_equal(atomic_load(&nb_answers), NB_ASKING * NB_ASKS);
	/* Whoever was last may have pulled it. */
	assert_int_equal(swhca_control_do(getpid(), "port 1 up", NULL, 0), 0);
	side_close(stays);
}

/* One of those who sleep for, and take, events of one channel. */
static void *
reader_main(void *arg)
{
	struct side *s = arg;
	struct pollfd pfd = { .fd = s->channel->fd, .events = POLLIN };
	struct ibv_cq *cq;
	void *context;

	while (!atomic_load(&is_over)) {
		poll(&pfd, 1, POLL_MS);
		if (ibv_get_cq_event(s->channel, &cq, &context) != 0) {
			assert_int_equal(errno, EAGAIN);
			continue;
		}
		assert_ptr_equal(cq, s->cq);
		ibv_ack_cq_events(cq, 1);
		atomic_fetch_add(&nb_events, 1);
	}
	return NULL;
}

static void *
async_main(void *arg)
{
	struct side *s = arg;
	struct pollfd pfd = { .fd = s->end.ctx->async_fd, .events = POLLIN };
	struct ibv_async_event event;

	while (!atomic_load(&is_over)) {
		if (poll(&pfd, 1, POLL_MS) != 1 || ibv_get_async_event(s->end.ctx, &event) != 0)
			continue;
		assert_true(event.event_type == IBV_EVENT_PORT_ERR ||
			    event.event_type == IBV_EVENT_PORT_ACTIVE);
		ibv_ack_async_event(&event);
	}
	return NULL;
}

/* Files of its own, some of which have an event when they are closed. */
static void *
files_main(void *arg)
{
	struct side *s;
	unsigned int i;

	(void)arg;
	for (i = 0; i < NB_OPENS; i++) {
		s = side_open("mlx5_1");
		assert_int_equal(ibv_req_notify_cq(s->cq, 0), 0);
		if (i % 2 == 0)
			write_once(s);
		side_close(s);
	}
	return NULL;
}

/* Asynchronous events of the other device. */
static void *
cable_main(void *arg)
{
	unsigned int i;

	(void)arg;
	for (i = 0; i < NB_OPENS; i++) {
		assert_int_equal(swhca_control_do(getpid(), "port 0 down", NULL, 0), 0);
		assert_int_equal(swhca_control_do(getpid(), "port 0 up", NULL, 0), 0);
	}
	return NULL;
}

CASE(event_files_are_read_polled_and_closed_at_once)
{
	void *(*const mains[])(void *) = { reader_main, reader_main, async_main, async_main };
	struct side *s = side_open("mlx5_1"), *other = side_open("mlx5_0");
	const uint64_t deadline = patience_end();
	pthread_t readers[4], files[2], cable;
	unsigned int i, nb;

	atomic_store(&is_over, false);
	assert_int_equal(fcntl(s->end.ctx->async_fd, F_SETFL, O_NONBLOCK), 0);
	assert_int_equal(fcntl(other->end.ctx->async_fd, F_SETFL, O_NONBLOCK), 0);
	for (i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&readers[i], NULL, mains[i], i < 2 ? s : other),
				 0);
	for (i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&files[i], NULL, files_main, NULL), 0);
	assert_int_equal(pthread_create(&cable, NULL, cable_main, NULL), 0);
	for (i = 0; i < NB_EVENTS; i++) {
		nb = atomic_load(&nb_events);
		assert_int_equal(ibv_req_notify_cq(s->cq, 0), 0);
		write_once(s);
		while (atomic_load(&nb_events) == nb)
			assert_true(!patience_is_over(deadline));
	}
	for (i = 0; i < 2; i++)
		assert_int_equal(pthread_join(files[i], NULL), 0);
	assert_int_equal(pthread_join(cable, NULL), 0);
	atomic_store(&is_over, true);
	for (i = 0; i < 4; i++)
		assert_int_equal(pthread_join(readers[i], NULL), 0);
	assert_int_equal(atomic_load(&nb_events), NB_EVENTS);
	side_close(s);
	side_close(other);
}
