/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Find the key of an address. Addresses come from a few ranges, like those of concurrent packets,
 * or from all ranges at random, which exceed every cache. For comparison, the lookup of DPDK's own
 * drivers is measured, without the lock that they take for a search. Results are compared with the
 * keys of the regions.
 */

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <rte_errno.h>

#include "bench/measure/clock.h"
#include "bench/pipeline/pipeline.h"
#include "bench/report.h"

#define RANGE_LEN	4096u
#define MAX_RANGES	10000u
#define NB_RECENT	16u		/* ranges that concurrent packets are in */
#define NB_LOOKUPS	4096u		/* per round */
#define PIECE_LEN	256u

enum {
	WAY_CACHE,
	WAY_MRU,
	WAY_ANY,
	WAY_MRU_ANY,
	WAY_SEARCH,	/* from a thread that is not an lcore and thus has no cache */
};

struct lookups {
	struct bench *bench;
	int16_t dev_id;
	uint32_t nb_ranges;
	uint8_t *memory;
	struct rte_umr_mr **mrs;
	struct bench_mru_entry *sorted;
	struct bench_mru mru;
	uint64_t seed;
	const void *addrs[NB_LOOKUPS];
	uint32_t expected[NB_LOOKUPS];	/* keys */
	uint32_t found[NB_LOOKUPS];
	uint64_t cycles;		/* of the thread */
};

static uint32_t
random_below(struct lookups *lookups, uint32_t n)
{
	lookups->seed = lookups->seed * UINT64_C(6364136223846793005) +
			UINT64_C(1442695040888963407);
	return (uint32_t)((lookups->seed >> 33) % n);
}

static void
addrs_fill(struct lookups *lookups, bool is_any)
{
	uint32_t recent[NB_RECENT];

	for (uint32_t i = 0; i < NB_RECENT; i++)
		recent[i] = random_below(lookups, lookups->nb_ranges);
	for (uint32_t i = 0; i < NB_LOOKUPS; i++) {
		const uint32_t range = is_any ? random_below(lookups, lookups->nb_ranges) :
				       recent[random_below(lookups, NB_RECENT)];

		lookups->addrs[i] = lookups->memory + (size_t)range * RANGE_LEN +
				    random_below(lookups, RANGE_LEN - PIECE_LEN);
		lookups->expected[i] = lookups->mrs[range]->lkey;
	}
}

static uint64_t
lookups_do(struct lookups *lookups)
{
	const int16_t dev_id = lookups->dev_id;
	uint64_t start = bench_section_start();

	for (uint32_t i = 0; i < NB_LOOKUPS; i++)
		lookups->found[i] = rte_umr_addr_to_mkey(dev_id, lookups->addrs[i], PIECE_LEN);
	return bench_section_end() - start;
}

static uint64_t
mru_do(struct lookups *lookups)
{
	struct bench_mru *mru = &lookups->mru;
	uint64_t start = bench_section_start();

	for (uint32_t i = 0; i < NB_LOOKUPS; i++)
		lookups->found[i] = bench_mru_lookup(mru, (uintptr_t)lookups->addrs[i]);
	return bench_section_end() - start;
}

static void *
thread_main(void *arg)
{
	struct lookups *lookups = arg;

	lookups->cycles = lookups_do(lookups);
	lookups->cycles = lookups_do(lookups);
	return NULL;
}

static bool
thread_do(struct lookups *lookups, uint64_t *cycles)
{
	pthread_t thread;
	int ret;

	ret = pthread_create(&thread, NULL, thread_main, lookups);
	if (ret != 0) {
		tool_error("bench: a thread: %s", rte_strerror(ret));
		return false;
	}
	pthread_join(thread, NULL);
	*cycles = lookups->cycles;
	return true;
}

/* Run each way twice: the first run brings code and tables back to the caches. */
static bool
round_run(void *ctx, uint32_t way, double *cost)
{
	struct lookups *lookups = ctx;
	uint64_t cycles = 0;

	addrs_fill(lookups, way >= WAY_ANY);
	memset(lookups->found, 0xff, sizeof(lookups->found));
	for (unsigned int i = 0; i < 2; i++) {
		if (way == WAY_SEARCH) {
			if (!thread_do(lookups, &cycles))
				return false;
			break;
		}
		cycles = way == WAY_MRU || way == WAY_MRU_ANY ? mru_do(lookups) :
								lookups_do(lookups);
	}
	if (memcmp(lookups->found, lookups->expected, sizeof(lookups->found)) != 0) {
		tool_error("bench: a lookup among %u ranges has found another key",
			   lookups->nb_ranges);
		return false;
	}
	*cost = bench_ns(((double)cycles - lookups->bench->tsc_overhead) / NB_LOOKUPS);
	return true;
}

static void
ranges_close(struct lookups *lookups)
{
	for (uint32_t i = 0; i < lookups->nb_ranges; i++)
		rte_umr_mr_deregister(lookups->mrs[i]);
	lookups->nb_ranges = 0;
}

/* Add ranges of one page each, with a region for each. */
static bool
ranges_extend(struct lookups *lookups, uint32_t nb)
{
	for (uint32_t i = lookups->nb_ranges; i < nb; i++) {
		uint8_t *start = lookups->memory + (size_t)i * RANGE_LEN;

		lookups->mrs[i] = rte_umr_mr_register(lookups->dev_id, &(struct rte_umr_mr_conf){
			.addr = start, .len = RANGE_LEN, .access = BENCH_ACCESS });
		if (lookups->mrs[i] == NULL) {
			tool_error("bench: registering %u ranges: %s", nb, rte_strerror(rte_errno));
			return false;
		}
		lookups->nb_ranges = i + 1;
		lookups->sorted[i] = (struct bench_mru_entry){
			.start = (uintptr_t)start,
			.end = (uintptr_t)start + RANGE_LEN,
			.lkey = lookups->mrs[i]->lkey,
		};
	}
	lookups->mru = (struct bench_mru){ .sorted = lookups->sorted, .nb_sorted = nb };
	return true;
}

/* Measure with a region of all memory, if the device supports it. */
static bool
implicit_pass(struct lookups *lookups)
{
	struct rte_umr_mr *mr;

	mr = rte_umr_mr_register(lookups->dev_id, &(struct rte_umr_mr_conf){
		.len = SIZE_MAX, .access = BENCH_ACCESS, .flags = RTE_UMR_MR_F_ON_DEMAND });
	if (mr == NULL) {
		tool_error("bench: an implicit region: %s", rte_strerror(rte_errno));
		return false;
	}
	return rte_umr_mr_deregister(mr) == 0;
}

static bool
rows_measure(struct lookups *lookups, struct bench_pipeline_table *table)
{
	static const uint32_t counts[] = { 1, 100, MAX_RANGES };
	const bool has_implicit = (lookups->bench->info.dev_capa &
				   RTE_UMR_CAPA_MR_ODP_IMPLICIT) != 0;

	static_assert(RTE_DIM(counts) < BENCH_PIPELINE_MAX_ROWS, "and one more");
	for (uint32_t i = 0; i < RTE_DIM(counts) + has_implicit; i++) {
		const bool is_implicit = i == RTE_DIM(counts);
		struct bench_pipeline_row *row;

		if (!is_implicit && !bench_pipeline_fits(lookups->bench, "ranges", counts[i]))
			continue;
		row = bench_pipeline_row_add(table, is_implicit ? lookups->nb_ranges : counts[i],
					     RANGE_LEN,
					     is_implicit ? "behind an implicit region" : "");
		if (is_implicit && !implicit_pass(lookups))
			return false;
		if (!ranges_extend(lookups, row->nb) ||
		    !bench_pipeline_measure(lookups->bench, table, row, round_run, lookups))
			return false;
	}
	return true;
}

bool
bench_pipeline_lookup(struct bench *bench, struct bench_pipeline_table *table)
{
	static struct lookups lookups;
	bool is_ok = false;

	lookups = (struct lookups){ .bench = bench, .dev_id = bench->setup.dev_id, .seed = 1 };
	*table = (struct bench_pipeline_table){
		.what = "Key of an address: nanoseconds of a lookup. cache: "
			"rte_umr_addr_to_mkey() of addresses in\n"
			"16 of the ranges; any: in all of them; search: the same from a thread "
			"that is no lcore. mru:\n"
			"what DPDK's drivers have, a line of 8 in front of a binary search, for "
			"the same.",
		.nb_name = "ranges",
		.unit = "ns",
		.nb_ways = 5,
		.ways = {
			[WAY_CACHE] = "cache",
			[WAY_MRU] = "mru",
			[WAY_ANY] = "any",
			[WAY_MRU_ANY] = "mru-any",
			[WAY_SEARCH] = "search",
		},
	};
	lookups.memory = mmap(NULL, (size_t)MAX_RANGES * RANGE_LEN, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	lookups.mrs = calloc(MAX_RANGES, sizeof(lookups.mrs[0]));
	lookups.sorted = calloc(MAX_RANGES, sizeof(lookups.sorted[0]));
	if (lookups.memory != MAP_FAILED && lookups.mrs != NULL && lookups.sorted != NULL)
		is_ok = rows_measure(&lookups, table);
	else
		tool_error("bench: out of memory");
	ranges_close(&lookups);
	free(lookups.sorted);
	free(lookups.mrs);
	if (lookups.memory != MAP_FAILED)
		munmap(lookups.memory, (size_t)MAX_RANGES * RANGE_LEN);
	return is_ok;
}
