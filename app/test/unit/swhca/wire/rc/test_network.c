/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Two ends of a connection, each requester and responder, over a link that loses, repeats, delays
 * and reorders. What a message is follows from its number alone, so that the receiver knows what
 * must come next: each message once, in order, with its bytes, whatever the link does.
 */

#include "cases.h"
#include "budget.h"
#include "wire/rc/seq.h"
#include "wire/rc/rc_requester.h"
#include "wire/rc/rc_responder.h"

#define LOG_MSGS 6u
#define NB_MSGS (1u << LOG_MSGS)
#define MTU 256u
#define MAX_FLIGHTS (1u << 16)
#define DELAY_NS 1000u
#define NB_RD_MAX 16u
#define MAX_TIME_NS UINT64_C(4000000000000)

/* Faults are per 1000 packets. */
struct plan {
	uint32_t nb;		/* Messages of each side. */
	uint32_t loss, dup, late;
	uint32_t rnr;		/* Of messages that need a receive WQE. */
	uint32_t psn, window, max_len;
	uint8_t rd_atomic, retry_cnt;
	bool has_credits;
};

struct flight {
	uint64_t at, id;
	uint8_t to;
	bool is_request;
	struct swhca_rc_packet packet;
	uint64_t raddr, compare, swap_add;
	uint8_t data[MTU];
};

/* What a message is. */
struct spec {
	enum swhca_rc_op op;
	uint8_t flags;
	uint32_t len;
	uint64_t raddr;
};

struct node {
	struct swhca_rc_requester requester;
	struct swhca_rc_responder responder;
	struct swhca_rc_msg msgs[NB_MSGS];
	struct swhca_rc_resource resources[NB_RD_MAX];
	uint64_t resource_raddr[NB_RD_MAX];
	/* As requester, by message. */
	uint64_t compare[NB_MSGS], swap_add[NB_MSGS], old[NB_MSGS];
	uint32_t got[NB_MSGS];		/* READ: bytes; atomics: answers. */
	uint64_t model;			/* The peer's word as it must be behind what is posted. */
	uint32_t nb_posted, nb_popped;
	/* As responder. */
	uint64_t word;
	uint32_t nb_executed, received;
	uint64_t last_at;		/* When its last packet arrives at the other. */
};

struct net {
	struct plan plan;
	uint64_t seed, now, nb_sent;
	struct node nodes[2];
	uint32_t nb_flights;
	struct flight flights[MAX_FLIGHTS];	/* In no order. */
};

static struct net net;

static uint64_t
mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

static uint64_t
draw(void)
{
	net.seed += UINT64_C(0x9e3779b97f4a7c15);
	return mix(net.seed);
}

static bool
happens(uint32_t per_mille)
{
	return draw() % 1000 < per_mille;
}

static struct spec
spec_of(unsigned int node, uint32_t number)
{
	uint64_t h = mix(((uint64_t)number << 1 | node) + net.plan.psn);
	uint32_t max = h % 8 == 0 ? net.plan.max_len : 2 * MTU;
	struct spec spec = { .raddr = h >> 16, .len = (uint32_t)(h >> 8) % (max + 1) };

	switch (h >> 40 & 7) {
	case 0:
	case 1:
	case 2:
		spec.op = SWHCA_RC_OP_WRITE;
		spec.flags = h >> 44 & 1 ? SWHCA_RC_F_IMM : 0;
		break;
	case 3:
	case 4:
		spec.op = SWHCA_RC_OP_SEND;
		spec.flags = h >> 44 & 1 ? SWHCA_RC_F_INV : h >> 45 & 1 ? SWHCA_RC_F_IMM : 0;
		break;
	case 5:
		spec.op = SWHCA_RC_OP_READ;
		break;
	default:
		spec.op = h >> 44 & 1 ? SWHCA_RC_OP_CMP_SWAP : SWHCA_RC_OP_FETCH_ADD;
		spec.len = 8;
	}
	if (spec.op < SWHCA_RC_OP_READ && h >> 46 & 1)
		spec.flags |= SWHCA_RC_F_SOLICITED;
	return spec;
}

/* Byte of a message, or of the memory that reads are of. */
static uint8_t
byte_of(uint64_t where, uint32_t offset)
{
	return (uint8_t)((where + offset) * 37 + ((where + offset) >> 8) * 11);
}

/* The flight that arrives next; of several, the one that was sent first. */
static struct flight *
next_flight(void)
{
	struct flight *next = &net.flights[0];

	for (uint32_t i = 1; i < net.nb_flights; i++) {
		struct flight *f = &net.flights[i];

		if (f->at < next->at || (f->at == next->at && f->id < next->id))
			next = f;
	}
	return next;
}

static void
link_enqueue(const struct flight *flight, uint64_t at)
{
	struct flight *copy;

	if (net.nb_flights == MAX_FLIGHTS)
		fail_msg("more than %u packets are on their way", MAX_FLIGHTS);
	copy = &net.flights[net.nb_flights++];
	*copy = *flight;
	copy->at = at;
	copy->id = net.nb_sent++;
}

static void
link_send(struct flight *flight, unsigned int from)
{
	struct node *node = &net.nodes[from];

	flight->to = (uint8_t)!from;
	if (happens(net.plan.loss)) {
		net.nb_sent++;
		return;
	}
	if (happens(net.plan.dup))
		link_enqueue(flight, net.now + DELAY_NS + draw() % 40000);
	if (happens(net.plan.late)) {
		link_enqueue(flight, net.now + DELAY_NS + draw() % 60000);
		return;
	}
	node->last_at = node->last_at + 20 > net.now + DELAY_NS ? node->last_at + 20 :
								  net.now + DELAY_NS;
	link_enqueue(flight, node->last_at);
}

static void
post(unsigned int n)
{
	struct node *node = &net.nodes[n];
	struct spec spec = spec_of(n, node->nb_posted);
	uint32_t slot = node->nb_posted % NB_MSGS, number;
	int ret;

	ret = swhca_rc_requester_post(&node->requester, spec.op, spec.flags |
				      (happens(100) ? SWHCA_RC_F_FENCE : 0), spec.len, &number);
	assert_int_equal(ret, 0);
	assert_int_equal(number, node->nb_posted);
	node->got[slot] = 0;
	node->old[slot] = node->model;
	node->compare[slot] = happens(500) ? node->model : draw();
	node->swap_add[slot] = draw();
	if (spec.op == SWHCA_RC_OP_FETCH_ADD)
		node->model += node->swap_add[slot];
	else if (spec.op == SWHCA_RC_OP_CMP_SWAP && node->compare[slot] == node->model)
		node->model = node->swap_add[slot];
	node->nb_posted++;
}

static void
request_send(unsigned int n, const struct swhca_rc_packet *packet)
{
	const struct node *node = &net.nodes[n];
	struct spec spec = spec_of(n, packet->msg);
	struct flight flight = { .packet = *packet, .is_request = true };

	flight.raddr = spec.raddr + packet->offset;
	flight.compare = node->compare[packet->msg % NB_MSGS];
	flight.swap_add = node->swap_add[packet->msg % NB_MSGS];
	for (uint32_t i = 0; i < packet->len; i++)
		flight.data[i] = byte_of(spec.raddr, packet->offset + i);
	/* What does not travel. */
	flight.packet.msg = flight.packet.offset = 0;
	link_send(&flight, n);
}

static void
response_send(unsigned int n, const struct swhca_rc_packet *packet)
{
	struct flight flight = { .packet = *packet };

	for (uint32_t i = 0; i < packet->len; i++)
		flight.data[i] = byte_of(net.nodes[n].resource_raddr[packet->msg],
					 packet->offset + i);
	flight.packet.msg = flight.packet.offset = 0;
	link_send(&flight, n);
}

/* All that one side can do now. */
static void
pump(unsigned int n)
{
	struct node *node = &net.nodes[n];
	enum swhca_rc_status status;
	struct swhca_rc_packet packet;
	struct spec spec;
	uint32_t number;

	while (swhca_rc_requester_pop(&node->requester, &number, &status)) {
		assert_int_equal(number, node->nb_popped);
		assert_int_equal(status, SWHCA_RC_DONE);
		spec = spec_of(n, number);
		if (spec.op >= SWHCA_RC_OP_READ)
			assert_int_equal(node->got[number % NB_MSGS], spec.len);
		node->nb_popped++;
	}
	while (node->nb_posted < net.plan.nb && node->nb_posted - node->nb_popped < NB_MSGS)
		post(n);
	while (swhca_rc_responder_next(&node->responder, &packet))
		response_send(n, &packet);
	while (swhca_rc_requester_next(&node->requester, net.now, &packet))
		request_send(n, &packet);
}

static void
atomic_execute(struct node *node, const struct flight *flight, enum swhca_rc_op op)
{
	uint64_t old = node->word;

	if (op == SWHCA_RC_OP_FETCH_ADD)
		node->word += flight->swap_add;
	else if (old == flight->compare)
		node->word = flight->swap_add;
	swhca_rc_responder_done_atomic(&node->responder, old);
}

/* The only piece that may be executed now. */
static void
piece_execute(unsigned int n, const struct flight *flight, const struct swhca_rc_piece *piece)
{
	struct node *node = &net.nodes[n];
	struct spec spec = spec_of(!n, node->nb_executed);

	assert_int_equal(piece->op, spec.op);
	assert_int_equal(piece->is_first, node->received == 0);
	assert_int_equal(piece->offset, node->received);
	assert_int_equal(flight->raddr, spec.raddr + piece->offset);
	assert_int_equal(piece->is_last, node->received + piece->len == spec.len);
	assert_int_equal(piece->flags, piece->is_last ? spec.flags : 0);
	if (((piece->op == SWHCA_RC_OP_SEND && piece->is_first) ||
	     (piece->flags & SWHCA_RC_F_IMM)) && happens(net.plan.rnr)) {
		swhca_rc_responder_rnr(&node->responder, 1);
		return;
	}
	for (uint32_t i = 0; i < flight->packet.len; i++)
		assert_int_equal(flight->data[i], byte_of(spec.raddr, piece->offset + i));
	node->received += piece->len;
	if (piece->op == SWHCA_RC_OP_READ)
		node->resource_raddr[piece->resource] = flight->raddr;
	if (piece->op > SWHCA_RC_OP_READ)
		atomic_execute(node, flight, piece->op);
	else
		swhca_rc_responder_done(&node->responder);
	if (piece->is_last) {
		node->received = 0;
		node->nb_executed++;
	}
}

static void
response_take(unsigned int n, const struct flight *flight)
{
	struct node *node = &net.nodes[n];
	struct swhca_rc_place place;
	struct spec spec;

	switch (swhca_rc_requester_receive(&node->requester, net.now, &flight->packet, &place)) {
	case SWHCA_RC_TAKE_DATA:
		spec = spec_of(n, place.msg);
		assert_int_equal(spec.op, SWHCA_RC_OP_READ);
		assert_int_equal(place.offset, node->got[place.msg % NB_MSGS]);
		assert_int_equal(place.len, flight->packet.len);
		for (uint32_t i = 0; i < place.len; i++)
			assert_int_equal(flight->data[i], byte_of(spec.raddr, place.offset + i));
		node->got[place.msg % NB_MSGS] += place.len;
		break;
	case SWHCA_RC_TAKE_ATOMIC:
		assert_int_equal(flight->packet.atomic, node->old[place.msg % NB_MSGS]);
		assert_int_equal(node->got[place.msg % NB_MSGS], 0);
		node->got[place.msg % NB_MSGS] = 8;
		break;
	default:
		break;
	}
}

static void
arrive(const struct flight *flight)
{
	struct node *node = &net.nodes[flight->to];
	struct swhca_rc_piece piece;

	if (!flight->is_request)
		response_take(flight->to, flight);
	else if (swhca_rc_responder_receive(&node->responder, &flight->packet, &piece) ==
		 SWHCA_RC_DO_EXECUTE)
		piece_execute(flight->to, flight, &piece);
}

static uint64_t
next_deadline(void)
{
	uint64_t a = swhca_rc_requester_deadline(&net.nodes[0].requester);
	uint64_t b = swhca_rc_requester_deadline(&net.nodes[1].requester);

	return a < b ? a : b;
}

/* One event. @return false: nothing will ever happen again. */
static bool
step(void)
{
	uint64_t deadline = next_deadline();
	struct flight *next, flight;

	if (net.nb_flights == 0 && deadline == SWHCA_RC_NEVER)
		return false;
	next = next_flight();
	if (net.nb_flights == 0 || deadline <= next->at) {
		net.now = deadline > net.now ? deadline : net.now;
		swhca_rc_requester_tick(&net.nodes[0].requester, net.now);
		swhca_rc_requester_tick(&net.nodes[1].requester, net.now);
		pump(0);
		pump(1);
		return true;
	}
	flight = *next;
	*next = net.flights[--net.nb_flights];
	net.now = flight.at;
	arrive(&flight);
	/* Often what comes together is answered together. */
	if (happens(600) || net.nb_flights == 0) {
		pump(flight.to);
		if (net.nb_flights == 0)
			pump(!flight.to);
	}
	return true;
}

static void
node_init(struct node *node, const struct plan *plan)
{
	const struct swhca_rc_requester_conf requester = {
		.psn = plan->psn, .window = plan->window, .log_mtu = 8, .timeout = 5,
		.retry_cnt = plan->retry_cnt, .rnr_retry = 7, .max_rd_atomic = plan->rd_atomic,
		.has_credits = plan->has_credits,
	};
	const struct swhca_rc_responder_conf responder = {
		.psn = plan->psn, .max_msg = 1u << 20, .log_mtu = 8,
		.max_dest_rd_atomic = plan->rd_atomic,
		.credits = plan->has_credits ? 4 : SWHCA_AETH_CREDITS_NONE,
	};

	memset(node, 0, sizeof(*node));
	assert_int_equal(swhca_rc_requester_init(&node->requester, &requester, node->msgs,
						 LOG_MSGS), 0);
	assert_int_equal(swhca_rc_responder_init(&node->responder, &responder, node->resources), 0);
}

static void
net_init(const struct plan *plan, uint64_t seed)
{
	net.plan = *plan;
	net.seed = seed;
	net.now = net.nb_sent = 0;
	net.nb_flights = 0;
	node_init(&net.nodes[0], plan);
	node_init(&net.nodes[1], plan);
}

static void
plan_run(const struct plan *plan, uint64_t seed)
{
	const struct swhca_rc_requester_stats *stats;

	net_init(plan, seed);
	pump(0);
	pump(1);
	while (net.nodes[0].nb_popped < plan->nb || net.nodes[1].nb_popped < plan->nb) {
		assert_true(step());
		assert_true(net.now < MAX_TIME_NS);
	}
	for (unsigned int n = 0; n < 2; n++) {
		assert_int_equal(net.nodes[n].nb_executed, plan->nb);
		assert_int_equal(net.nodes[n].word, net.nodes[!n].model);
		assert_int_equal(net.nodes[n].responder.msn, plan->nb & SWHCA_PSN_MASK);
		assert_int_equal(net.nodes[n].requester.stats.nb_bad, 0);
	}
	stats = &net.nodes[0].requester.stats;
	print_message("# loss %u dup %u late %u rnr %u, window %u: %llu packets, %llu resent, %llu "
		      "time-outs, %llu NAKs, %llu implied, %llu RNR, %llu us\n", plan->loss,
		      plan->dup, plan->late, plan->rnr, plan->window,
		      (unsigned long long)stats->nb_packets, (unsigned long long)stats->nb_resent,
		      (unsigned long long)stats->nb_timeouts,
		      (unsigned long long)stats->nb_sequence_naks,
		      (unsigned long long)stats->nb_implied_naks,
		      (unsigned long long)stats->nb_rnr_naks, (unsigned long long)net.now / 1000);
}

/* Without faults nothing is sent twice, and no timer is needed. */
CASE(perfect_link_needs_no_retransmission)
{
	const struct plan plan = { .nb = 12 * test_nb_cases(), .psn = 0xfff000, .window = 64,
				   .max_len = 8192, .rd_atomic = 4, .retry_cnt = 0 };

	plan_run(&plan, test_seed());
	assert_int_equal(net.nodes[0].requester.stats.nb_resent, 0);
	assert_int_equal(net.nodes[1].responder.stats.nb_duplicates, 0);
	assert_true(net.nodes[1].responder.stats.nb_acks < plan.nb);
}

/* Each fault by itself: at 1 to 20 %, past the wrap of the numbers. */
CASE(each_fault_is_survived)
{
	static const uint32_t rates[] = { 10, 50, 200 };
	const uint32_t seed = test_seed();
	struct plan plan = { .nb = 4 * test_nb_cases(), .psn = 0xfffff0, .window = 32,
			     .max_len = 4096, .rd_atomic = 4, .retry_cnt = 255 };

	for (unsigned int i = 0; i < 3; i++) {
		for (unsigned int k = 0; k < 4; k++) {
			uint32_t *const faults[] = { &plan.loss, &plan.dup, &plan.late, &plan.rnr };

			*faults[k] = rates[i];
			plan_run(&plan, seed + i);
			*faults[k] = 0;
		}
	}
}

CASE(all_faults_together_are_survived)
{
	static const uint32_t rates[] = { 10, 20, 50, 100, 200 };
	const uint32_t seed = test_seed();
	struct plan plan = { .nb = 5 * test_nb_cases(), .max_len = 4096 };

	for (unsigned int i = 0; i < 5; i++) {
		plan.loss = plan.dup = plan.late = plan.rnr = rates[i];
		plan.psn = 0x1000000 - (uint32_t)(mix(seed + i) % 500);
		plan.window = 1u << (i + 2);
		plan.rd_atomic = (uint8_t)(1u << i);
		plan.retry_cnt = rates[i] <= 20 ? 15 : 255;
		plan.has_credits = i % 2 != 0;
		plan_run(&plan, seed + i);
	}
}

/* Every number of the 24 bits, and some more, with faults in front of and behind the wrap. */
CASE(whole_circle_of_numbers_is_passed)
{
	const struct plan plan = { .nb = 400000, .loss = 1, .dup = 1, .late = 1, .rnr = 1,
				   .psn = 0x123456, .window = 128, .max_len = 1u << 18,
				   .rd_atomic = 4, .retry_cnt = 255 };

	/* Minutes. */
	if (test_nb_cases() < 10000)
		skip();
	plan_run(&plan, test_seed());
	assert_true(net.nodes[0].requester.una > UINT64_C(1) << 25);
}

/* Nobody is there: each of the retries takes one time-out, and then it is over. */
CASE(dead_link_ends_in_retry_exceeded)
{
	const struct plan plan = { .nb = 10, .loss = 1000, .psn = 7, .window = 16, .max_len = 4096,
				   .rd_atomic = 1, .retry_cnt = 7 };
	struct node *node = &net.nodes[0];
	enum swhca_rc_status status;
	struct swhca_rc_packet packet;
	uint32_t number, i;

	net_init(&plan, 1);
	for (i = 0; i < plan.nb; i++)
		post(0);
	while (!node->requester.is_failed) {
		while (swhca_rc_requester_next(&node->requester, net.now, &packet))
			request_send(0, &packet);
		net.now = swhca_rc_requester_deadline(&node->requester);
		swhca_rc_requester_tick(&node->requester, net.now);
	}
	assert_int_equal(net.now, 8 * swhca_rc_timeout_ns(5));
	assert_int_equal(node->requester.stats.nb_timeouts, 8);
	for (i = 0; i < plan.nb; i++) {
		assert_true(swhca_rc_requester_pop(&node->requester, &number, &status));
		assert_int_equal(number, i);
		assert_int_equal(status, i == 0 ? SWHCA_RC_RETRY_EXCEEDED : SWHCA_RC_FLUSHED);
	}
	assert_false(swhca_rc_requester_pop(&node->requester, &number, &status));
	assert_int_equal(swhca_rc_requester_deadline(&node->requester), SWHCA_RC_NEVER);
}
