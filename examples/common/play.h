/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef EXAMPLES_PLAY_H
#define EXAMPLES_PLAY_H

/*
 * What surrounds examples that read packets: captures as receive queues of net_pcap, a far side for
 * each, lcores that serve them, and the same captures again and again in each of the ways that are
 * compared, with what each way took.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture.h"
#include "far.h"

#define PLAY_BURST 32u

/* How messages leave; the ways take turns. */
enum way {
	WAY_KEY,	/* laid under a key, by one write */
	WAY_COPY,	/* copied to one buffer, by one write */
	WAY_WRITES,	/* by a write for each piece */
	NB_WAYS
};

/* What one way took in all plays. */
struct tally {
	uint64_t nb_messages;
	uint64_t nb_requests;	/* work requests, as the queue counts them */
	uint64_t nb_copied;	/* bytes that the CPU has copied */
	uint32_t *samples;	/* cycles for a unit, of each time that some were posted */
	uint32_t nb_samples;
};

/* A receive queue, which is a capture, and where its messages go. An lcore has it. */
struct play_queue {
	struct far_queue *far;
	void *state;		/* the example's own; begins as zeroes */
	uint16_t port;
	uint16_t id;
	enum way way;		/* of this play */
	uint32_t nb_left;	/* packets of the capture that have not come in this play */
	struct capture capture;
	struct tally tallies[NB_WAYS];
	uint64_t nb_packets;	/* of all plays; other lcores read it */
	const char *path;
	uint64_t stamp_flag;	/* of mbufs that have a time, and where */
	int stamp_offset;
} __rte_cache_aligned;

/* An option with a number. */
struct play_option {
	const char *name;
	const char *help;
	uint32_t max;		/* 1 is the least */
	uint32_t *value;
};

struct play_example {
	const char *name;
	const char *message;	/* what a message is */
	const char *unit;	/* what cycles are told of */
	const struct play_option *options; /* the last one has no name */
	size_t state_size;
	uint16_t nb_slots;	/* of the far side of a queue */
	uint16_t nb_desc;
	uint32_t slot_len;
	uint32_t mbuf_len;	/* bytes of data in a mbuf, with headroom */
	/* 0 or a negative errno, may be NULL; stop gives back what start and poll have taken. */
	int (*start)(struct play_queue *queue);
	/* Take a burst of packets, post messages; number of packets or a negative errno. */
	int (*poll)(struct play_queue *queue);
	/* The capture is at its end: wait for all messages, and see that none is missing. */
	int (*finish)(struct play_queue *queue);
	void (*stop)(struct play_queue *queue);
	/* Print what the packets were, of one play. */
	void (*tell)(struct play_queue *queue, uint32_t nb_plays);
};

/* Receive a burst; number of packets. */
uint16_t play_receive(struct play_queue *queue, struct rte_mbuf **mbufs);

/* When a packet was captured, in microseconds. */
uint64_t play_time(const struct play_queue *queue, const struct rte_mbuf *mbuf);

/*
 * Messages were posted, begun at that time by the TSC, as many units; idx is the last operation,
 * which is through with the mbufs: they are freed then, or now, if what they have was copied.
 */
void play_posted(struct play_queue *queue, uint64_t begin, uint32_t nb_units, int idx,
		 struct rte_mbuf **mbufs, uint32_t nb_mbufs);

/* All of main(). */
int play_main(int argc, char **argv, const struct play_example *example);

#endif /* EXAMPLES_PLAY_H */
