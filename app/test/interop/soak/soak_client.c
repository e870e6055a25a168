/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* The client: random requests, and the ledger of them. */

#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "soak.h"

/* A request that does not complete within that time is lost. */
#define PATIENCE_NS UINT64_C(60000000000)

enum kind { KIND_SEND, KIND_WRITE, KIND_READ, KIND_ADD, NB_KINDS };

struct request {
	enum kind kind;
	unsigned int slot;
	uint32_t len;
	uint64_t number;	/* of the pattern; ADD: what the word must hold */
};

/* What the client knows of one service. */
struct book {
	uint64_t head;		/* requests that are complete, */
	uint64_t tail;		/* and that were posted */
	struct request requests[SOAK_DEPTH];
	uint64_t numbers[SOAK_NB_SLOTS];	/* pattern that a slot holds, 0: none, */
	uint32_t lens[SOAK_NB_SLOTS];		/* in so many bytes */
	unsigned int nb_reads[SOAK_NB_SLOTS];	/* on their way */
	uint64_t next_number;
	uint64_t nb_adds;
	uint64_t seq;		/* of messages */
	uint64_t nb[NB_KINDS];
	uint64_t since_ns;	/* last progress */
};

struct client {
	struct soak_device *d;
	struct soak_end peer;
	uint8_t *bufs;		/* SOAK_NB x SOAK_DEPTH x SOAK_SLOT */
	struct ibv_mr *mr;
	struct book books[SOAK_NB];
	uint64_t nb_errors;
	uint64_t nb_bad;
	uint64_t nb_double;
	uint64_t bytes;
};

static uint8_t *
buf_of(const struct client *c, unsigned int service, uint64_t index)
{
	return c->bufs + (service * SOAK_DEPTH + index % SOAK_DEPTH) * (size_t)SOAK_SLOT;
}

static uint64_t
slot_addr(const struct client *c, unsigned int service, unsigned int slot)
{
	return c->peer.addr + offsetof(struct soak_region, slots) +
	       ((uint64_t)service * SOAK_NB_SLOTS + slot) * SOAK_SLOT;
}

static uint64_t
word_addr(const struct client *c, unsigned int service)
{
	return c->peer.addr + offsetof(struct soak_region, words) + service * sizeof(uint64_t);
}

/* ---- Requests ---- */

/* Short ones are as likely as long ones. */
static uint32_t
random_len(uint32_t max)
{
	uint32_t limit = soak_random() % 3 == 0 ? max : max < 256 ? max : 256;

	return 1 + (uint32_t)(soak_random() % limit);
}

static void
send_make(struct book *book, struct request *r, unsigned int service, uint8_t *buf)
{
	uint32_t max = service == SOAK_UD ? 1024 : SOAK_MAX_SEND;
	struct soak_msg msg = { .service = service, .seq = book->seq++ };

	r->len = random_len(max - (uint32_t)sizeof(msg)) + (uint32_t)sizeof(msg);
	msg.len = r->len;
	memcpy(buf, &msg, sizeof(msg));
	soak_pattern(buf + sizeof(msg), r->len - (uint32_t)sizeof(msg), service, msg.seq);
}

/* @return false: not on this slot now. */
static bool
write_make(struct book *book, struct request *r, unsigned int service, uint8_t *buf)
{
	/* The answer to a read may be made behind a write that came later. */
	if (book->nb_reads[r->slot] != 0)
		return false;
	r->number = ++book->next_number;
	r->len = random_len(SOAK_SLOT);
	soak_pattern(buf, r->len, service, r->number);
	book->numbers[r->slot] = r->number;
	book->lens[r->slot] = r->len;
	return true;
}

static bool
read_make(struct book *book, struct request *r, uint8_t *buf)
{
	if (book->numbers[r->slot] == 0)
		return false;
	r->number = book->numbers[r->slot];
	r->len = 1 + (uint32_t)(soak_random() % book->lens[r->slot]);
	memset(buf, 0xdb, r->len);
	book->nb_reads[r->slot]++;
	return true;
}

static bool
request_make(struct client *c, unsigned int service, struct request *r)
{
	struct book *book = &c->books[service];
	uint8_t *buf = buf_of(c, service, book->tail);
	unsigned int nb_kinds = soak_is_reliable(service) ? NB_KINDS : service == SOAK_UC ? 2 : 1;

	*r = (struct request){
		.kind = (enum kind)(soak_random() % nb_kinds),
		.slot = (unsigned int)(soak_random() % SOAK_NB_SLOTS),
	};
	switch (r->kind) {
	case KIND_SEND:
		send_make(book, r, service, buf);
		return true;
	case KIND_WRITE:
		return write_make(book, r, service, buf);
	case KIND_READ:
		return read_make(book, r, buf);
	case KIND_ADD:
	default:
		r->len = sizeof(uint64_t);
		r->number = book->nb_adds++;
		return true;
	}
}

static int
post_dc(struct client *c, const struct request *r, uint64_t wr_id, uint8_t *buf)
{
	struct ibv_qp_ex *qp = ibv_qp_to_qp_ex(c->d->qps[SOAK_DC]);
	uint64_t raddr = slot_addr(c, SOAK_DC, r->slot);

	ibv_wr_start(qp);
	qp->wr_id = wr_id;
	qp->wr_flags = IBV_SEND_SIGNALED;
	if (r->kind == KIND_SEND)
		ibv_wr_send(qp);
	else if (r->kind == KIND_WRITE)
		ibv_wr_rdma_write(qp, c->peer.rkey, raddr);
	else if (r->kind == KIND_READ)
		ibv_wr_rdma_read(qp, c->peer.rkey, raddr);
	else
		ibv_wr_atomic_fetch_add(qp, c->peer.rkey, word_addr(c, SOAK_DC), 1);
	mlx5dv_wr_set_dc_addr(mlx5dv_qp_ex_from_ibv_qp_ex(qp), c->d->ah, c->peer.qpn[SOAK_DC],
			      SOAK_DC_KEY);
	ibv_wr_set_sge(qp, c->mr->lkey, (uintptr_t)buf, r->len);
	return ibv_wr_complete(qp);
}

static int
post_plain(struct client *c, unsigned int service, const struct request *r, uint64_t wr_id,
	   uint8_t *buf)
{
	static const enum ibv_wr_opcode opcodes[] = {
		[KIND_SEND] = IBV_WR_SEND,
		[KIND_WRITE] = IBV_WR_RDMA_WRITE,
		[KIND_READ] = IBV_WR_RDMA_READ,
		[KIND_ADD] = IBV_WR_ATOMIC_FETCH_AND_ADD,
	};
	struct ibv_sge sge = { .addr = (uintptr_t)buf, .length = r->len, .lkey = c->mr->lkey };
	struct ibv_send_wr *bad, wr = {
		.wr_id = wr_id, .sg_list = &sge, .num_sge = 1, .opcode = opcodes[r->kind],
		.send_flags = IBV_SEND_SIGNALED,
	};

	if (r->kind == KIND_ADD) {
		wr.wr.atomic.remote_addr = word_addr(c, service);
		wr.wr.atomic.rkey = c->peer.rkey;
		wr.wr.atomic.compare_add = 1;
	} else if (r->kind != KIND_SEND) {
		wr.wr.rdma.remote_addr = slot_addr(c, service, r->slot);
		wr.wr.rdma.rkey = c->peer.rkey;
	} else if (service == SOAK_UD) {
		wr.wr.ud.ah = c->d->ah;
		wr.wr.ud.remote_qpn = c->peer.qpn[SOAK_UD];
		wr.wr.ud.remote_qkey = SOAK_QKEY;
	}
	if (service == SOAK_XRC)
		wr.qp_type.xrc.remote_srqn = c->peer.srqn;
	return ibv_post_send(c->d->qps[service], &wr, &bad);
}

/* @return false: nothing was posted. */
static bool
request_post(struct client *c, unsigned int service)
{
	struct book *book = &c->books[service];
	uint8_t *buf = buf_of(c, service, book->tail);
	uint64_t wr_id = (uint64_t)service << 56 | book->tail;
	struct request *r = &book->requests[book->tail % SOAK_DEPTH];
	int ret;

	if (book->tail - book->head == SOAK_DEPTH || !request_make(c, service, r))
		return false;
	if (book->tail == book->head)
		book->since_ns = soak_now_ns();
	ret = service == SOAK_DC ? post_dc(c, r, wr_id, buf) :
				   post_plain(c, service, r, wr_id, buf);
	if (ret != 0) {
		fprintf(stderr, "%s: post: %s\n", soak_name(service), strerror(ret));
		c->nb_errors++;
	}
	book->tail++;
	return true;
}

/* ---- Completions ---- */

/* Whether what came back is what memory must have held. */
static void
result_check(struct client *c, unsigned int service, const struct request *r, const uint8_t *buf)
{
	static uint8_t want[SOAK_SLOT];
	uint64_t old;

	if (r->kind == KIND_READ) {
		c->books[service].nb_reads[r->slot]--;
		soak_pattern(want, r->len, service, r->number);
		if (memcmp(buf, want, r->len) == 0)
			return;
	} else if (r->kind == KIND_ADD) {
		memcpy(&old, buf, sizeof(old));
		if (old == r->number)
			return;
	} else {
		return;
	}
	fprintf(stderr, "%s: wrong result of kind %u, %u bytes\n", soak_name(service), r->kind,
		r->len);
	c->nb_bad++;
}

static void
completed(struct client *c, const struct ibv_wc *wc)
{
	unsigned int service = (unsigned int)(wc->wr_id >> 56);
	uint64_t index = wc->wr_id & UINT64_C(0xffffffffffffff);
	struct book *book = &c->books[service];
	const struct request *r = &book->requests[index % SOAK_DEPTH];

	if (index != book->head) {
		fprintf(stderr, "%s: completion %" PRIu64 ", not %" PRIu64 "\n", soak_name(service),
			index, book->head);
		c->nb_double++;
		return;
	}
	book->head++;
	book->since_ns = soak_now_ns();
	book->nb[r->kind]++;
	c->bytes += r->len;
	if (wc->status != IBV_WC_SUCCESS) {
		fprintf(stderr, "%s: kind %u: %s\n", soak_name(service), r->kind,
			ibv_wc_status_str(wc->status));
		c->nb_errors++;
		return;
	}
	result_check(c, service, r, buf_of(c, service, index));
}

static int
cq_drain(struct client *c)
{
	struct ibv_wc wc[32];
	int nb = ibv_poll_cq(c->d->cq, 32, wc), i;

	for (i = 0; i < nb; i++)
		completed(c, &wc[i]);
	return nb;
}

static bool
is_stuck(const struct client *c)
{
	unsigned int i;

	for (i = 0; i < SOAK_NB; i++) {
		if (c->books[i].head != c->books[i].tail &&
		    soak_now_ns() - c->books[i].since_ns > PATIENCE_NS)
			return true;
	}
	return false;
}

static uint64_t
nb_open(const struct client *c)
{
	uint64_t nb = 0;
	unsigned int i;

	for (i = 0; i < SOAK_NB; i++)
		nb += c->books[i].tail - c->books[i].head;
	return nb;
}

static void
run(struct client *c, unsigned int seconds)
{
	uint64_t end = soak_now_ns() + (uint64_t)seconds * 1000000000, told = soak_now_ns();
	unsigned int i;

	while (soak_now_ns() < end && c->nb_errors == 0 && !is_stuck(c)) {
		for (i = 0; i < SOAK_NB; i++)
			request_post(c, i);
		if (cq_drain(c) == 0)
			sched_yield();
		if (soak_now_ns() - told > UINT64_C(30000000000)) {
			told = soak_now_ns();
			fprintf(stderr, "%" PRIu64 " s left, %" PRIu64 " bytes\n",
				(end - told) / 1000000000, c->bytes);
		}
	}
	while (nb_open(c) != 0 && c->nb_errors == 0 && !is_stuck(c)) {
		if (cq_drain(c) == 0)
			sched_yield();
	}
}

static bool
report(const struct client *c, const struct soak_received *got)
{
	uint64_t nb_lost = nb_open(c) + got->nb_lost, nb_all = 0;
	const struct book *book;
	unsigned int i;

	printf("%-4s %12s %12s %12s %12s %12s\n", "", "sends", "received", "writes", "reads",
	       "atomics");
	for (i = 0; i < SOAK_NB; i++) {
		book = &c->books[i];
		printf("%-4s %12" PRIu64 " %12" PRIu64 " %12" PRIu64 " %12" PRIu64 " %12" PRIu64
		       "\n", soak_name(i), book->nb[KIND_SEND], got->nb[i], book->nb[KIND_WRITE],
		       book->nb[KIND_READ], book->nb[KIND_ADD]);
		nb_all += book->head;
		if (soak_is_reliable(i) && got->nb[i] < book->nb[KIND_SEND])
			nb_lost += book->nb[KIND_SEND] - got->nb[i];
	}
	printf("%" PRIu64 " requests, %" PRIu64 " bytes: lost %" PRIu64 ", duplicated %" PRIu64
	       ", corrupted %" PRIu64 ", unexplained %" PRIu64 "\n", nb_all, c->bytes, nb_lost,
	       c->nb_double + got->nb_double, c->nb_bad + got->nb_bad,
	       c->nb_errors + got->nb_errors);
	return nb_all != 0 && nb_lost == 0 && c->nb_double + got->nb_double == 0 &&
	       c->nb_bad + got->nb_bad == 0 && c->nb_errors + got->nb_errors == 0;
}

bool
soak_ask(struct soak_device *d, int fd, unsigned int seconds)
{
	size_t bytes = (size_t)SOAK_NB * SOAK_DEPTH * SOAK_SLOT;
	struct client *c = calloc(1, sizeof(*c));
	struct soak_received got = { 0 };
	struct soak_end own = { 0 };
	bool is_good = false;
	char ready;

	if (c == NULL)
		return false;
	c->d = d;
	c->bufs = malloc(bytes);
	if (c->bufs != NULL)
		c->mr = ibv_reg_mr(d->pd, c->bufs, bytes, IBV_ACCESS_LOCAL_WRITE);
	soak_device_tell(d, &own);
	if (c->mr != NULL && soak_put(fd, &own, sizeof(own)) &&
	    soak_get(fd, &c->peer, sizeof(c->peer)) && soak_device_connect(d, &c->peer) &&
	    soak_get(fd, &ready, 1)) {
		run(c, seconds);
		is_good = soak_put(fd, "d", 1) && soak_get(fd, &got, sizeof(got));
		is_good = report(c, &got) && is_good;
	}
	if (c->mr != NULL)
		ibv_dereg_mr(c->mr);
	free(c->bufs);
	free(c);
	return is_good;
}
