/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef BENCH_PIPELINE_H
#define BENCH_PIPELINE_H

/**
 * @file
 * What a packet pipeline does around keys: chains of mbufs, the lookup of keys, registration. Each
 * is a table by itself, whose ways are not those of the layouts.
 */

#include "bench/conf.h"

#define BENCH_PIPELINE_MAX_WAYS	5u
#define BENCH_PIPELINE_MAX_ROWS	4u

/** What one way to do it costs. */
struct bench_pipeline_cost {
	bool is_valid;
	struct bench_stat cost;	/**< In the unit of the table. */
	double nb_wqes;		/**< Work requests. */
};

struct bench_pipeline_row {
	uint32_t nb;		/**< Segments, ranges, regions. */
	uint32_t bytes;		/**< Of each. */
	const char *note;	/**< What else is special about it; "": nothing. */
	struct bench_pipeline_cost costs[BENCH_PIPELINE_MAX_WAYS];
};

struct bench_pipeline_table {
	const char *what;	/**< Lines of text above it. */
	const char *nb_name;	/**< What the rows differ in. */
	const char *unit;	/**< Of the costs. */
	bool has_wqes;
	uint32_t nb_ways;
	const char *ways[BENCH_PIPELINE_MAX_WAYS];
	uint32_t nb_rows;
	struct bench_pipeline_row rows[BENCH_PIPELINE_MAX_ROWS];
};

/** As in --layout. */
const char *bench_pipeline_name(enum bench_pipeline kind);

/** Measure what is asked for. */
enum tool_exit bench_pipeline_run(const struct bench_conf *conf);

/**
 * Fill in the rows of a table with an open bench: mbuf.c, lookup.c, register.c. False, said on
 * stderr, if something failed.
 */
bool bench_pipeline_mbuf(struct bench *bench, struct bench_pipeline_table *table);
bool bench_pipeline_lookup(struct bench *bench, struct bench_pipeline_table *table);
bool bench_pipeline_register(struct bench *bench, struct bench_pipeline_table *table);

/** A round of a way: writes what it has cost, or returns false, said on stderr. */
typedef bool (*bench_pipeline_round_t)(void *ctx, uint32_t way, double *cost);

/** Measure the valid ways of a row, which take turns in going first. */
bool bench_pipeline_measure(struct bench *bench, const struct bench_pipeline_table *table,
			    struct bench_pipeline_row *row, bench_pipeline_round_t round_fn,
			    void *ctx);

/** Whether a device has the keys of so many regions, and some for others; says if not. */
bool bench_pipeline_fits(const struct bench *bench, const char *what, uint32_t nb);

/** Print tables of some kinds as text, CSV or JSON: print.c. */
void bench_pipeline_print(const struct bench *bench, const struct bench_conf *conf,
			  const struct bench_pipeline_table *tables);

/**
 * How DPDK's drivers find the key of an mbuf (drivers/common/mlx5/mlx5_common_mr.c): the entry that
 * was used last, then a line of eight, then a binary search in what is sorted by address.
 */
#define BENCH_MRU_NB 8u

struct bench_mru_entry {
	uintptr_t start;
	uintptr_t end;
	uint32_t lkey;
};

struct bench_mru {
	uint32_t last;		/**< Entry that was used last. */
	uint32_t next;		/**< Entry that goes next. */
	struct bench_mru_entry cache[BENCH_MRU_NB];
	const struct bench_mru_entry *sorted;
	uint32_t nb_sorted;
};

/** Key of an address, or RTE_UMR_LKEY_NONE. */
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

/** The same, with the cache in front of it. */
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
