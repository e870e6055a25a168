/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef COST_H
#define COST_H

/*
 * Cost of moving data in one way: a row of the table of an example. It contains no time of a device
 * and says nothing about the speed of an adapter.
 */

#include <stdint.h>

#include <rte_cycles.h>

#include "pair.h"

#define COST_MAX_ROUNDS 101
#define COST_MAX_WAYS 8

/* Cost of one round. */
struct cost {
	const struct pair *pair;
	uint64_t nb_ops; /* operations enqueued by both sides */
	uint64_t nb_desc; /* descriptors of 64 bytes in the rings */
	uint64_t list_bytes; /* entries of long lists, which are outside the rings */
	uint64_t nb_sent; /* bytes of keys and addresses exchanged by the sides */
	uint64_t nb_copied; /* bytes copied by a CPU */
	uint64_t cycles; /* TSC cycles of the program, without waiting for the device */
};

/*
 * Add the cost of a call of an enqueue function: cycles since start, from rte_rdtsc(), and nb
 * operations of one shape. nb may be an error of the call. Returns 0 or a negative errno.
 */
int cost_enqueued(struct cost *cost, uint16_t queue, const struct rte_umr_op_shape *shape, int nb,
		  uint64_t start);

/* Add cycles since start for anything else. */
static inline void
cost_since(struct cost *cost, uint64_t start)
{
	cost->cycles += rte_rdtsc() - start;
}

/* A way to move data. */
struct cost_way {
	const char *name; /* at most 30 characters */
	int (*move)(void *arg, struct cost *cost); /* returns 0 or a negative errno */
};

/* Ways with the same resulting memory contents, to be compared. */
struct cost_ways {
	const struct cost_way *ways;
	unsigned int nb_ways; /* at most COST_MAX_WAYS */
	unsigned int nb_rounds; /* of each way, at most COST_MAX_ROUNDS */
	/* Restore memory before a round; check it afterwards. */
	int (*prepare)(void *arg);
	int (*verify)(void *arg);
	void *arg;
	const char *unit; /* unit of the cycles, for example "block" */
	uint64_t nb_units; /* units moved per round */
};

/*
 * Run and verify some rounds of each way, and print the table: counts of the last round, medians of
 * cycles. Returns 0 or a negative errno after an error was printed on stderr.
 */
int cost_compare(const struct pair *pair, const struct cost_ways *ways);

#endif /* COST_H */
