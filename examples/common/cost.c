/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cost.h"

/* Bytes of a list entry outside the ring. */
#define ENTRY_LEN 16

int
cost_enqueued(struct cost *cost, uint16_t queue, const struct rte_umr_op_shape *shape, int nb,
	      uint64_t start)
{
	struct rte_umr_op_size size;
	int ret;

	cost_since(cost, start);
	if (nb < 0)
		return nb;
	ret = rte_umr_op_desc(cost->pair->dev_id, queue, shape, &size);
	if (ret != 0)
		return ret;
	cost->nb_ops += (uint64_t)nb;
	cost->nb_desc += (uint64_t)nb * size.nb_desc;
	cost->list_bytes += (uint64_t)nb * size.nb_list_entries * ENTRY_LEN;
	return 0;
}

static int
cycles_compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/*
 * Run all rounds of a way; the result is the cost of the last round with the median of all cycles.
 */
static int
rounds_go(const struct pair *pair, const struct cost_ways *ways, const struct cost_way *way,
	  struct cost *cost)
{
	uint64_t cycles[COST_MAX_ROUNDS];
	unsigned int i;
	int ret;

	for (i = 0; i < ways->nb_rounds; i++) {
		const uint64_t nb_sent = pair->nb_sent;

		*cost = (struct cost){ .pair = pair };
		ret = ways->prepare(ways->arg);
		if (ret == 0)
			ret = way->move(ways->arg, cost);
		if (ret == 0)
			ret = ways->verify(ways->arg);
		if (ret != 0) {
			fprintf(stderr, "%s: %s\n", way->name, strerror(-ret));
			return ret;
		}
		cost->nb_sent = pair->nb_sent - nb_sent;
		cycles[i] = cost->cycles;
	}
	qsort(cycles, ways->nb_rounds, sizeof(cycles[0]), cycles_compare);
	cost->cycles = cycles[ways->nb_rounds / 2];
	return 0;
}

int
cost_compare(const struct pair *pair, const struct cost_ways *ways)
{
	struct cost costs[COST_MAX_WAYS];
	unsigned int i;
	int ret;

	for (i = 0; i < ways->nb_ways; i++) {
		ret = rounds_go(pair, ways, &ways->ways[i], &costs[i]);
		if (ret != 0)
			return ret;
	}
	printf("%-30s %10s %11s %10s %10s %10s   CPU, for each %s\n", "", "operations",
	       "descriptors", "list bytes", "bytes sent", "copied", ways->unit);
	for (i = 0; i < ways->nb_ways; i++) {
		const struct cost *c = &costs[i];

		printf("%-30s %10" PRIu64 " %11" PRIu64 " %10" PRIu64 " %10" PRIu64 " %10" PRIu64
		       " %10.1f cycles\n", ways->ways[i].name, c->nb_ops, c->nb_desc,
		       c->list_bytes, c->nb_sent, c->nb_copied,
		       (double)c->cycles / (double)ways->nb_units);
	}
	return 0;
}
