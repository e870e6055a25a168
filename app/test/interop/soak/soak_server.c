/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* The server: memory, receive queues, and whether what comes is what was sent. */

#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "soak.h"

#define RECV_SIZE (SOAK_GRH + SOAK_MAX_SEND)

struct server {
	struct soak_device *d;
	struct soak_region *region;
	struct ibv_mr *mr;
	uint8_t *bufs;		/* SOAK_NB x SOAK_NB_RECV x RECV_SIZE */
	struct ibv_mr *bufs_mr;
	uint64_t next[SOAK_NB];
	struct soak_received got;
};

static uint8_t *
buf_of(const struct server *s, uint64_t wr_id)
{
	return s->bufs + wr_id * RECV_SIZE;
}

/* wr_id: service and number of the buffer. */
static bool
recv_post(struct server *s, uint64_t wr_id)
{
	unsigned int service = (unsigned int)(wr_id / SOAK_NB_RECV);
	struct ibv_sge sge = { .addr = (uintptr_t)buf_of(s, wr_id), .length = RECV_SIZE,
			       .lkey = s->bufs_mr->lkey };
	struct ibv_recv_wr wr = { .wr_id = wr_id, .sg_list = &sge, .num_sge = 1 }, *bad;

	switch (service) {
	case SOAK_XRC:
		return ibv_post_srq_recv(s->d->srq, &wr, &bad) == 0;
	case SOAK_DC:
		return ibv_post_srq_recv(s->d->dc_srq, &wr, &bad) == 0;
	default:
		return ibv_post_recv(s->d->qps[service], &wr, &bad) == 0;
	}
}

static bool
msg_is_whole(const uint8_t *data, uint32_t len, unsigned int service)
{
	static uint8_t want[SOAK_MAX_SEND];
	struct soak_msg msg;

	memcpy(&msg, data, sizeof(msg));
	if (len < sizeof(msg) || msg.len != len || msg.service != service)
		return false;
	soak_pattern(want, len - sizeof(msg), service, msg.seq);
	return memcmp(data + sizeof(msg), want, len - sizeof(msg)) == 0;
}

/* Reliable: each one, once, in order. UC: in order. */
static void
seq_check(struct server *s, unsigned int service, uint64_t seq)
{
	if (seq < s->next[service]) {
		s->got.nb_double += service != SOAK_UD;
		return;
	}
	if (soak_is_reliable(service))
		s->got.nb_lost += seq - s->next[service];
	s->next[service] = seq + 1;
}

static void
received(struct server *s, const struct ibv_wc *wc)
{
	unsigned int service = (unsigned int)(wc->wr_id / SOAK_NB_RECV);
	uint32_t skip = service == SOAK_UD ? SOAK_GRH : 0;
	const uint8_t *data = buf_of(s, wc->wr_id) + skip;
	struct soak_msg msg;

	if (wc->status != IBV_WC_SUCCESS) {
		fprintf(stderr, "%s: receive: %s\n", soak_name(service),
			ibv_wc_status_str(wc->status));
		s->got.nb_errors++;
		return;
	}
	s->got.nb[service]++;
	if (wc->byte_len < skip + sizeof(msg) ||
	    !msg_is_whole(data, wc->byte_len - skip, service)) {
		s->got.nb_bad++;
	} else {
		memcpy(&msg, data, sizeof(msg));
		seq_check(s, service, msg.seq);
	}
	if (!recv_post(s, wc->wr_id))
		s->got.nb_errors++;
}

static bool
server_init(struct server *s)
{
	const int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
			   IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;
	size_t bytes = (size_t)SOAK_NB * SOAK_NB_RECV * RECV_SIZE;

	s->region = calloc(1, sizeof(*s->region));
	s->bufs = malloc(bytes);
	if (s->region == NULL || s->bufs == NULL)
		return false;
	s->mr = ibv_reg_mr(s->d->pd, s->region, sizeof(*s->region), access);
	s->bufs_mr = ibv_reg_mr(s->d->pd, s->bufs, bytes, IBV_ACCESS_LOCAL_WRITE);
	return s->mr != NULL && s->bufs_mr != NULL;
}

static void
server_fini(struct server *s)
{
	if (s->mr != NULL)
		ibv_dereg_mr(s->mr);
	if (s->bufs_mr != NULL)
		ibv_dereg_mr(s->bufs_mr);
	free(s->region);
	free(s->bufs);
}

/* What came until the client has said that it is done, and for a while behind that. */
static void
server_run(struct server *s, int fd)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
	uint64_t last = soak_now_ns();
	bool is_done = false;
	struct ibv_wc wc[32];
	int nb, i;

	while (!is_done || soak_now_ns() - last < 300000000) {
		nb = ibv_poll_cq(s->d->cq, 32, wc);
		for (i = 0; i < nb; i++)
			received(s, &wc[i]);
		if (nb > 0)
			last = soak_now_ns();
		else if (!is_done && poll(&poll_fd, 1, 0) != 0)
			is_done = true;
		else
			sched_yield();
	}
}

bool
soak_serve(struct soak_device *d, int fd)
{
	struct server s = { .d = d };
	struct soak_end own = { 0 }, peer;
	bool is_good = server_init(&s) && soak_get(fd, &peer, sizeof(peer)) &&
		       soak_device_connect(d, &peer);
	uint64_t i;

	/* A target of DC has its number when it is connected. */
	soak_device_tell(d, &own);
	if (is_good) {
		own.addr = (uintptr_t)s.region;
		own.rkey = s.mr->rkey;
		is_good = soak_put(fd, &own, sizeof(own));
	}
	for (i = 0; is_good && i < SOAK_NB * SOAK_NB_RECV; i++)
		is_good = recv_post(&s, i);
	is_good = is_good && soak_put(fd, "r", 1);
	if (is_good) {
		server_run(&s, fd);
		is_good = soak_put(fd, &s.got, sizeof(s.got));
	}
	server_fini(&s);
	return is_good;
}
