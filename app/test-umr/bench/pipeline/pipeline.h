/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef BENCH_PIPELINE_H
#define BENCH_PIPELINE_H

/**
 * @file
 * Operations of a packet pipeline around keys: chains of mbufs, lookup of keys, registration. Each
 * one has its own table, with ways that differ from those of the layouts.
 */

#include "bench/conf.h"

#define BENCH_PIPELINE_MAX_WAYS	5u
#define BENCH_PIPELINE_MAX_ROWS	4u

/** Cost of a way. */
struct bench_pipeline_cost {
	bool is_valid;
	struct bench_stat cost;	/**< In the unit of the table. */
	double nb_wqes;		/**< Work requests. */
};

struct bench_pipeline_row {
	uint32_t nb;		/**< Segments, ranges, regions. */
	uint32_t bytes;		/**< Bytes of each. */
	const char *note;	/**< Special property of the row; "": none. */
	struct bench_pipeline_cost costs[BENCH_PIPELINE_MAX_WAYS];
};

struct bench_pipeline_table {
	const char *what;	/**< Text above the table. */
	const char *nb_name;	/**< Name of the number that rows differ in. */
	const char *unit;	/**< Unit of the costs. */
	bool has_wqes;
	uint32_t nb_ways;
	const char *ways[BENCH_PIPELINE_MAX_WAYS];
	uint32_t nb_rows;
	struct bench_pipeline_row rows[BENCH_PIPELINE_MAX_ROWS];
};

/** Name as in --layout. */
const char *bench_pipeline_name(enum bench_pipeline kind);

/** Measure the selected pipelines. */
enum tool_exit bench_pipeline_run(const struct bench_conf *conf);

/**
 * Fill in the rows of a table with an open bench: mbuf.c, lookup.c, register.c. Print an error and
 * return false on failure.
 */
bool bench_pipeline_mbuf(struct bench *bench, struct bench_pipeline_table *table);
bool bench_pipeline_lookup(struct bench *bench, struct bench_pipeline_table *table);
bool bench_pipeline_register(struct bench *bench, struct bench_pipeline_table *table);

/** Add a row whose ways are all valid. */
struct bench_pipeline_row *bench_pipeline_row_add(struct bench_pipeline_table *table, uint32_t nb,
						  uint32_t bytes, const char *note);

/** Run a round of a way and write its cost. Print an error and return false on failure. */
typedef bool (*bench_pipeline_round_t)(void *ctx, uint32_t way, double *cost);

/** Measure the valid ways of a row; the ways take turns in going first. */
bool bench_pipeline_measure(struct bench *bench, const struct bench_pipeline_table *table,
			    struct bench_pipeline_row *row, bench_pipeline_round_t round_fn,
			    void *ctx);

/** Whether a device has keys for nb regions and some others; print a message if not. */
bool bench_pipeline_fits(const struct bench *bench, const char *what, uint32_t nb);

/**
 * Key lookup of an mbuf in DPDK's drivers (drivers/common/mlx5/mlx5_common_mr.c): the last used
 * entry, then a cache line of eight entries, then a binary search in a table sorted by address.
 */
#define BENCH_MRU_NB 8u

struct bench_mru_entry {
	uintptr_t start;
	uintptr_t end;
	uint32_t lkey;
};

struct bench_mru {
	uint32_t last;		/**< Last used entry. */
	uint32_t next;		/**< Next entry to replace. */
	struct bench_mru_entry cache[BENCH_MRU_NB];
	const struct bench_mru_entry *sorted;
	uint32_t nb_sorted;
};

/** Find the key of an address, or RTE_UMR_LKEY_NONE, by binary search. */
static inline uint32_t
bench_mru_search(struct bench_mru *mru, uintptr_t addr)
{
	const struct bench_mru_entry *sorted = mru->sorted;
	uint32_t nb = mru->nb_sorted, base = 0;

	while (nb > 1) {
		uint32_t half = nb / 2;

		if (addr < sorted[base + half].start) {
			nb = half;
		} else {
			base += half;
			nb -= half;
		}
	}
	if (addr < sorted[base].start || addr >= sorted[base].end)
		return RTE_UMR_LKEY_NONE;
	mru->last = mru->next;
	mru->next = (mru->next + 1) % BENCH_MRU_NB;
	mru->cache[mru->last] = sorted[base];
	return sorted[base].lkey;
}

/** The same with the cache. */
static inline uint32_t
bench_mru_lookup(struct bench_mru *mru, uintptr_t addr)
{
	const struct bench_mru_entry *entry = &mru->cache[mru->last];

	if (likely(addr >= entry->start && addr < entry->end))
		return entry->lkey;
	for (uint32_t i = 0; i < BENCH_MRU_NB; i++) {
		entry = &mru->cache[i];
		if (addr >= entry->start && addr < entry->end) {
			mru->last = i;
			return entry->lkey;
		}
	}
	return bench_mru_search(mru, addr);
}

#endif /* BENCH_PIPELINE_H */
