/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "wire/link/impair.h"
#include "wire/link/open.h"
#include "wire/packet/bytes.h"
#include "wire/packet/opcode.h"
#include "wire/packet/packet.h"

/* Maximum packets that pass a reordered one. */
#define PASSES_MAX 8u
/* Maximum wait for them. */
#define ASIDE_NS 1000000u
/* Maximum reordered packets at a time: others then keep their order. */
#define ASIDE_MAX 32u
/* Retry interval when the link below accepted none. */
#define RETRY_NS 50000u
/* Not covered by the ICRC (IBTA A17.3.3): FECN, BECN, reserved. */
#define BTH_VARIANT_BYTE 4u
#define BTH_DST_QPN_OFFSET 5u

/* Purpose of a random number of a packet. */
enum draw {
	DRAW_LOSS,
	DRAW_DUP,
	DRAW_REORDER,
	DRAW_PASSES,
	DRAW_DUP_REORDER,
	DRAW_CORRUPT,
	DRAW_BIT,
	DRAW_DELAY,
	NB_DRAWS,
};

struct waiting {
	STAILQ_ENTRY(waiting) next;
	uint64_t due_ns;	/* In the line: departure time; aside: latest one. */
	unsigned int passes;	/* Packets still to pass it; 0: not reordered. */
	bool was_passed;
	struct swhca_packet_ip ip;
	uint32_t len;
	uint8_t data[];
};

STAILQ_HEAD(queue, waiting);

struct impair_link {
	struct swhca_link link;
	struct swhca_impair faults;
	unsigned int index;
	struct queue line;	/* Ordered by due_ns. */
	struct queue aside;	/* To be reordered. */
	struct queue ready;	/* In departure order. */
	unsigned int nb_aside;
	/* Faults have changed: packets without faults wait for earlier ones. */
	bool is_draining;
	uint64_t last_due_ns;
	uint64_t retry_ns;	/* While packets are ready. */
	struct swhca_link_impair_stats stats;
};

static const struct swhca_link_ops impair_ops;

/* SplitMix64 (Steele, Lea, Flood 2014) at a position in its sequence. */
static uint64_t
random_at(uint64_t seed, uint64_t place)
{
	uint64_t z = seed + (place + 1) * 0x9e3779b97f4a7c15ull;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

/* Random number in [0, 2^32 - 1], for the current packet. */
static uint32_t
draw(const struct impair_link *impair, enum draw what)
{
	uint64_t seed = random_at(impair->faults.seed, impair->index);

	return (uint32_t)(random_at(seed, impair->stats.nb_packets * NB_DRAWS + what) >> 32);
}

/* [0, nb - 1] */
static uint32_t
draw_below(const struct impair_link *impair, enum draw what, uint64_t nb)
{
	return (uint32_t)((draw(impair, what) * nb) >> 32);
}

static bool
is_concerned(const struct impair_link *impair, const struct swhca_link_packet *packet)
{
	const struct swhca_impair *faults = &impair->faults;

	if (!swhca_impair_is_on(faults))
		return false;
	if (!faults->has_qpn)
		return true;
	return packet->len >= SWHCA_BTH_LEN &&
	       (swhca_get_be32(packet->data + BTH_DST_QPN_OFFSET - 1) & SWHCA_24_BITS) ==
			faults->qpn;
}

static struct waiting *
waiting_add(struct impair_link *impair, const struct swhca_link_packet *packet, uint64_t due_ns)
{
	struct waiting *waiting = malloc(sizeof(*waiting) + packet->len);

	if (waiting == NULL)
		return NULL;
	*waiting = (struct waiting){ .ip = packet->ip, .len = packet->len, .due_ns = due_ns };
	memcpy(waiting->data, packet->data, packet->len);
	STAILQ_INSERT_TAIL(&impair->line, waiting, next);
	impair->stats.nb_waiting++;
	impair->last_due_ns = due_ns;
	return waiting;
}

/* Flip a bit covered by the ICRC. */
static void
corrupt(struct impair_link *impair, struct waiting *waiting)
{
	uint32_t bit;

	if (waiting->len <= SWHCA_BTH_LEN)
		return;
	bit = draw_below(impair, DRAW_BIT, (waiting->len - 1) * 8);
	if (bit >= BTH_VARIANT_BYTE * 8)
		bit += 8;
	waiting->data[bit / 8] ^= (uint8_t)(1u << bit % 8);
	impair->stats.nb_corrupted++;
}

static uint64_t
delay_ns(const struct impair_link *impair)
{
	uint64_t min = impair->faults.delay_min_us, max = impair->faults.delay_max_us;

	return (min * 1000) + draw_below(impair, DRAW_DELAY, (max - min) * 1000 + 1);
}

/* @return Departure time of a packet received now: never before an earlier packet. */
static uint64_t
due_after(const struct impair_link *impair, uint64_t ns)
{
	return ns > impair->last_due_ns ? ns : impair->last_due_ns;
}

static bool
happens(const struct impair_link *impair, enum draw what, uint64_t chance)
{
	return draw(impair, what) < chance;
}

/* Queue the packet, and its duplicate if any. @return false: no memory, nothing is done. */
static bool
wait_with_faults(struct impair_link *impair, const struct swhca_link_packet *packet, uint64_t now)
{
	const struct swhca_impair *faults = &impair->faults;
	uint64_t due_ns = due_after(impair, now + delay_ns(impair));
	struct waiting *first, *second;

	first = waiting_add(impair, packet, due_ns);
	if (first == NULL)
		return false;
	if (happens(impair, DRAW_REORDER, faults->reorder))
		first->passes = 1 + draw_below(impair, DRAW_PASSES, PASSES_MAX);
	if (happens(impair, DRAW_DUP, faults->dup)) {
		/* Without memory there is no duplicate, but no loss. */
		second = waiting_add(impair, packet, due_ns);
		if (second != NULL)
			impair->stats.nb_duplicated++;
		if (second != NULL && happens(impair, DRAW_DUP_REORDER, faults->reorder))
			second->passes = 1 + draw_below(impair, DRAW_PASSES, PASSES_MAX);
	}
	if (happens(impair, DRAW_CORRUPT, faults->corrupt))
		corrupt(impair, first);
	if (due_ns > now)
		impair->stats.nb_delayed++;
	return true;
}

/* @return false: there is no room, or no memory. */
static bool
take(struct impair_link *impair, const struct swhca_link_packet *packet, uint64_t now)
{
	if (impair->stats.nb_waiting + 2 > SWHCA_IMPAIR_MAX_WAITING)
		return false;
	if (!is_concerned(impair, packet))
		return waiting_add(impair, packet, due_after(impair, now)) != NULL;
	if (happens(impair, DRAW_LOSS, impair->faults.loss))
		impair->stats.nb_lost++;
	else if (!wait_with_faults(impair, packet, now))
		return false;
	impair->stats.nb_packets++;
	return true;
}

/* A packet departs and passes those aside. */
static void
leave(struct impair_link *impair, struct waiting *waiting)
{
	struct waiting *other;

	STAILQ_FOREACH(other, &impair->aside, next) {
		other->was_passed = true;
		if (other->passes > 0)
			other->passes--;
	}
	STAILQ_INSERT_TAIL(&impair->ready, waiting, next);
}

/* Packets aside that have waited long enough depart after those already sent. */
static void
aside_return(struct impair_link *impair, uint64_t now)
{
	struct waiting *waiting = STAILQ_FIRST(&impair->aside), *following;

	for (; waiting != NULL; waiting = following) {
		following = STAILQ_NEXT(waiting, next);
		if (waiting->passes > 0 && waiting->due_ns > now)
			continue;
		STAILQ_REMOVE(&impair->aside, waiting, waiting, next);
		impair->nb_aside--;
		impair->stats.nb_reordered += waiting->was_passed;
		STAILQ_INSERT_TAIL(&impair->ready, waiting, next);
	}
}

/* Packets that are due leave the line. */
static void
line_leave(struct impair_link *impair, uint64_t now)
{
	struct waiting *waiting;

	for (;;) {
		if (impair->nb_aside > 0)
			aside_return(impair, now);
		waiting = STAILQ_FIRST(&impair->line);
		if (waiting == NULL || waiting->due_ns > now)
			return;
		STAILQ_REMOVE_HEAD(&impair->line, next);
		if (waiting->passes == 0 || impair->nb_aside == ASIDE_MAX) {
			leave(impair, waiting);
			continue;
		}
		waiting->due_ns = now + ASIDE_NS;
		STAILQ_INSERT_TAIL(&impair->aside, waiting, next);
		impair->nb_aside++;
	}
}

/* @return Number of departing packets put into a batch. */
static unsigned int
ready_batch(const struct impair_link *impair, struct swhca_link_packet *packets)
{
	struct waiting *waiting;
	unsigned int nb = 0;

	STAILQ_FOREACH(waiting, &impair->ready, next) {
		if (nb == SWHCA_LINK_BATCH)
			break;
		packets[nb++] = (struct swhca_link_packet){
			.ip = waiting->ip, .data = waiting->data, .len = waiting->len };
	}
	return nb;
}

static void
ready_drop(struct impair_link *impair, unsigned int nb)
{
	struct waiting *waiting;

	for (; nb > 0; nb--) {
		waiting = STAILQ_FIRST(&impair->ready);
		STAILQ_REMOVE_HEAD(&impair->ready, next);
		free(waiting);
		impair->stats.nb_waiting--;
	}
}

/* Send packets that have waited long enough. */
static void
flush(struct impair_link *impair, uint64_t now)
{
	struct swhca_link_packet packets[SWHCA_LINK_BATCH];
	struct swhca_link *below = impair->link.below;
	unsigned int nb, taken;

	line_leave(impair, now);
	for (;;) {
		nb = ready_batch(impair, packets);
		if (nb == 0)
			break;
		taken = below->ops->send(below, packets, nb);
		ready_drop(impair, taken);
		if (taken < nb) {
			impair->retry_ns = now + RETRY_NS;
			break;
		}
	}
	if (impair->stats.nb_waiting == 0)
		impair->is_draining = false;
}

static bool
is_direct(const struct impair_link *impair, const struct swhca_link_packet *packet)
{
	return !impair->is_draining && !is_concerned(impair, packet);
}

/* Pass the first packets without faults unchanged. @return Number accepted. */
static unsigned int
direct_send(struct impair_link *impair, const struct swhca_link_packet *packets, unsigned int nb)
{
	struct swhca_link *below = impair->link.below;
	unsigned int run = 1;

	while (run < nb && is_direct(impair, &packets[run]))
		run++;
	return below->ops->send(below, packets, run);
}

static unsigned int
impair_send(struct swhca_link *link, const struct swhca_link_packet *packets, unsigned int nb)
{
	struct impair_link *impair = (struct impair_link *)link;
	unsigned int done = 0, run;
	uint64_t now;

	if (impair->stats.nb_waiting == 0 && !swhca_impair_is_on(&impair->faults))
		return link->below->ops->send(link->below, packets, nb);
	now = swhca_now_ns();
	flush(impair, now);
	while (done < nb) {
		if (!is_direct(impair, &packets[done])) {
			if (!take(impair, &packets[done], now))
				break;
			done++;
			continue;
		}
		run = direct_send(impair, &packets[done], nb - done);
		if (run == 0)
			break;
		done += run;
	}
	flush(impair, now);
	return done;
}

static unsigned int
impair_receive(struct swhca_link *link, struct swhca_link_packet *packets, unsigned int nb)
{
	struct impair_link *impair = (struct impair_link *)link;

	if (impair->stats.nb_waiting > 0)
		flush(impair, swhca_now_ns());
	return link->below->ops->receive(link->below, packets, nb);
}

static uint64_t
earlier(uint64_t time_ns, uint64_t other_ns)
{
	return time_ns < other_ns ? time_ns : other_ns;
}

static uint64_t
impair_deadline(const struct swhca_link *link)
{
	const struct impair_link *impair = (const struct impair_link *)link;
	uint64_t deadline = link->below->ops->deadline(link->below);
	const struct waiting *waiting;

	if (impair->stats.nb_waiting == 0)
		return deadline;
	if (!STAILQ_EMPTY(&impair->ready))
		deadline = earlier(deadline, impair->retry_ns);
	if (!STAILQ_EMPTY(&impair->line))
		deadline = earlier(deadline, STAILQ_FIRST(&impair->line)->due_ns);
	STAILQ_FOREACH(waiting, &impair->aside, next)
		deadline = earlier(deadline, waiting->due_ns);
	return deadline;
}

static void
queue_free(struct queue *queue)
{
	struct waiting *waiting;

	while ((waiting = STAILQ_FIRST(queue)) != NULL) {
		STAILQ_REMOVE_HEAD(queue, next);
		free(waiting);
	}
}

/* Waiting packets depart now: a network would not lose them either. */
static void
impair_close(struct swhca_link *link)
{
	struct impair_link *impair = (struct impair_link *)link;

	if (impair->stats.nb_waiting > 0) {
		flush(impair, UINT64_MAX - ASIDE_NS);
		flush(impair, UINT64_MAX);
	}
	queue_free(&impair->line);
	queue_free(&impair->aside);
	queue_free(&impair->ready);
	link->below->ops->close(link->below);
	free(impair);
}

static const struct swhca_link_ops impair_ops = {
	.send = impair_send,
	.receive = impair_receive,
	.deadline = impair_deadline,
	.close = impair_close,
};

int
swhca_impair_open(const struct swhca_link_conf *conf, struct swhca_link *below,
		  struct swhca_link **out)
{
	struct swhca_impair faults = { 0 };
	struct impair_link *impair;
	int ret;

	if (conf->impair != NULL) {
		ret = swhca_impair_parse(conf->impair, &faults);
		if (ret != 0)
			return ret;
	}
	impair = swhca_alloc(sizeof(*impair));
	if (impair == NULL)
		return -ENOMEM;
	swhca_link_stand_on(&impair->link, &impair_ops, below);
	impair->faults = faults;
	impair->index = conf->index;
	STAILQ_INIT(&impair->line);
	STAILQ_INIT(&impair->aside);
	STAILQ_INIT(&impair->ready);
	*out = &impair->link;
	return 0;
}

static struct impair_link *
impair_of(const struct swhca_link *link)
{
	while (link != NULL && link->ops != &impair_ops)
		link = link->below;
	return (struct impair_link *)(uintptr_t)link;
}

int
swhca_link_set_impair(struct swhca_link *link, const char *text)
{
	struct impair_link *impair = impair_of(link);
	struct swhca_impair faults;
	int ret;

	ret = swhca_impair_parse(text, &faults);
	if (ret != 0)
		return ret;
	impair->faults = faults;
	impair->is_draining = impair->stats.nb_waiting > 0;
	/* Restart the sequence of the seed. */
	impair->stats = (struct swhca_link_impair_stats){ .nb_waiting = impair->stats.nb_waiting };
	return 0;
}

void
swhca_link_impair_stats_get(const struct swhca_link *link, struct swhca_link_impair_stats *stats)
{
	const struct impair_link *impair = impair_of(link);

	*stats = impair != NULL ? impair->stats : (struct swhca_link_impair_stats){ 0 };
}
