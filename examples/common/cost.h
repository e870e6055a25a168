/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef COST_H
#define COST_H

/*
 * What it took to move something in one way or another: a row of the table of an example. Nothing
 * here is time of a device, and nothing tells how fast an adapter would be.
 */

#include <stdint.h>

#include <rte_cycles.h>

#include "pair.h"

#define COST_MAX_ROUNDS 101
#define COST_MAX_WAYS 8

/* Of one round. */
struct cost {
	const struct pair *pair;
	uint64_t nb_ops; /* operations enqueued, of both sides */
	uint64_t nb_desc; /* descriptors of 64 bytes that they take in the rings */
	uint64_t list_bytes; /* entries of long lists, which are beside the rings */
	uint64_t nb_told; /* bytes of keys and addresses that the sides told each other */
	uint64_t nb_copied; /* bytes that a CPU copied */
	uint64_t cycles; /* TSC cycles of the program, without waiting for the device */
};

/*
 * Count what an enqueue function was called for: its cycles since start, which was rte_rdtsc(), and
 * nb operations of one shape. nb may be the error that it returned. Returns 0 or a negative errno.
 */
int cost_enqueued(struct cost *cost, uint16_t queue, const struct rte_umr_op_shape *shape, int nb,
		  uint64_t start);

/* Count cycles since start for anything else. */
static inline void
cost_since(struct cost *cost, uint64_t start)
{
	cost->cycles += rte_rdtsc() - start;
}

/* A way to move something. */
struct cost_way {
	const char *name; /* at most 30 characters */
	int (*move)(void *arg, struct cost *cost); /* returns 0 or a negative errno */
};

/* Ways that end with the same memory, to be compared. */
struct cost_ways {
	const struct cost_way *ways;
	unsigned int nb_ways; /* at most COST_MAX_WAYS */
	unsigned int nb_rounds; /* of each way, at most COST_MAX_ROUNDS */
	/* In front of a round, so that memory is as it was, and behind it. */
	int (*prepare)(void *arg);
	int (*verify)(void *arg);
	void *arg;
	const char *unit; /* what cycles are for: "block", say */
	uint64_t nb_units; /* that are moved in a round */
};

/*
 * Go each way for some rounds, verify each of them, and print the table: counts of the last round,
 * medians of cycles. Returns 0 or a negative errno, which is told on stderr.
 */
int cost_compare(const struct pair *pair, const struct cost_ways *ways);

#endif /* COST_H */
