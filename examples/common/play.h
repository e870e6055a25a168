/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef EXAMPLES_PLAY_H
#define EXAMPLES_PLAY_H

/*
 * Framework of examples that read packets: captures as receive queues of net_pcap, a far side for
 * each, lcores that serve them, and repeated plays of the captures in each of the compared ways,
 * with their cost.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture.h"
#include "far.h"

#define PLAY_BURST 32u

/* How messages are sent; the ways take turns. */
enum way {
	WAY_KEY,	/* configured as a key, one write */
	WAY_COPY,	/* copied to one buffer, one write */
	WAY_WRITES,	/* a write for each piece */
	NB_WAYS
};

/* Cost of one way in all plays. */
struct tally {
	uint64_t nb_messages;
	uint64_t nb_requests;	/* work requests counted by the queue */
	uint64_t nb_copied;	/* bytes copied by the CPU */
	uint32_t *samples;	/* cycles per unit of each posting */
	uint32_t nb_samples;
};

/* A receive queue with its capture and the destination of its messages, owned by an lcore. */
struct play_queue {
	struct far_queue *far;
	void *state;		/* state of the example, initially zeroed */
	uint16_t port;
	uint16_t id;
	enum way way;		/* in this play */
	uint32_t nb_left;	/* packets of the capture that are missing in this play */
	struct capture capture;
	struct tally tallies[NB_WAYS];
	uint64_t nb_packets;	/* of all plays; read by other lcores */
	const char *path;
	uint64_t stamp_flag;	/* flag and offset of the timestamp of mbufs */
	int stamp_offset;
} __rte_cache_aligned;

/* An option with a number. */
struct play_option {
	const char *name;
	const char *help;
	uint32_t max;		/* the minimum is 1 */
	uint32_t *value;
};

struct play_example {
	const char *name;
	const char *message;	/* description of a message */
	const char *unit;	/* unit of the cycles */
	const struct play_option *options; /* the last one has no name */
	size_t state_size;
	uint16_t nb_slots;	/* of the far side of a queue */
	uint16_t nb_desc;
	uint32_t slot_len;
	uint32_t mbuf_len;	/* data bytes of an mbuf including headroom */
	/*
	 * Return 0 or a negative errno; may be NULL. stop releases what start and poll allocated.
	 */
	int (*start)(struct play_queue *queue);
	/*
	 * Receive a burst of packets and post messages; returns the number of packets or a negative
	 * errno.
	 */
	int (*poll)(struct play_queue *queue);
	/* At the end of the capture: wait for all messages and check that none is missing. */
	int (*finish)(struct play_queue *queue);
	void (*stop)(struct play_queue *queue);
	/* Print statistics of the packets, per play. */
	void (*print)(struct play_queue *queue, uint32_t nb_plays);
};

/* Receive a burst; returns the number of packets. */
uint16_t play_receive(struct play_queue *queue, struct rte_mbuf **mbufs);

/* Capture time of a packet in microseconds. */
uint64_t play_time(const struct play_queue *queue, const struct rte_mbuf *mbuf);

/*
 * Account for posted messages: posting started at TSC time begin and covers nb_units units; idx is
 * the last operation of them. When it completes, the mbufs are freed, or sent again.
 */
void play_posted(struct play_queue *queue, uint64_t begin, uint32_t nb_units, int idx,
		 struct rte_mbuf **mbufs, uint32_t nb_mbufs);

/* Complete main(). */
int play_main(int argc, char **argv, const struct play_example *example);

#endif /* EXAMPLES_PLAY_H */
