/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Register and deregister many regions, compared with libibverbs. The pages are already present, so
 * that nothing waits for memory.
 */

#include <string.h>
#include <sys/mman.h>

#include <rte_errno.h>

#include "bench/measure/clock.h"
#include "bench/path/mlx5dv.h"
#include "bench/pipeline/pipeline.h"
#include "bench/report.h"

#define REGION_LEN	4096u
#define MAX_REGIONS	1000u
/* A region takes as long as many operations, and its time varies less. */
#define MAX_ROUNDS	5u

enum {
	WAY_RTE,
	WAY_IBV,
	WAY_RTE_UNDO,
	WAY_IBV_UNDO,
	NB_WAYS,
};

struct regions {
	struct bench *bench;
	int16_t dev_id;
	struct ibv_pd *pd;
	uint8_t *memory;
	uint32_t nb;
	struct rte_umr_mr *mrs[MAX_REGIONS];
	struct ibv_mr *ibv_mrs[MAX_REGIONS];
};

static bool
rte_register(struct regions *regions)
{
	struct rte_umr_mr_conf conf = { .len = REGION_LEN, .access = BENCH_ACCESS };

	for (uint32_t i = 0; i < regions->nb; i++) {
		conf.addr = regions->memory + (size_t)i * REGION_LEN;
		regions->mrs[i] = rte_umr_mr_register(regions->dev_id, &conf);
		if (regions->mrs[i] == NULL) {
			tool_error("bench: registering region %u: %s", i, rte_strerror(rte_errno));
			return false;
		}
	}
	return true;
}

static bool
ibv_register(struct regions *regions)
{
	for (uint32_t i = 0; i < regions->nb; i++) {
		regions->ibv_mrs[i] = ibv_reg_mr(regions->pd,
						 regions->memory + (size_t)i * REGION_LEN,
						 REGION_LEN, BENCH_DV_ACCESS);
		if (regions->ibv_mrs[i] == NULL)
			return bench_dv_error("ibv_reg_mr");
	}
	return true;
}

static bool
rte_deregister(struct regions *regions)
{
	for (uint32_t i = 0; i < regions->nb; i++) {
		const int ret = rte_umr_mr_deregister(regions->mrs[i]);

		if (ret != 0) {
			tool_error("bench: deregistering region %u: %s", i, rte_strerror(-ret));
			return false;
		}
		regions->mrs[i] = NULL;
	}
	return true;
}

static bool
ibv_deregister(struct regions *regions)
{
	for (uint32_t i = 0; i < regions->nb; i++) {
		if (regions->ibv_mrs[i] != NULL && ibv_dereg_mr(regions->ibv_mrs[i]) != 0)
			return bench_dv_error("ibv_dereg_mr");
		regions->ibv_mrs[i] = NULL;
	}
	return true;
}

/* A way runs both parts and measures one of them. */
static bool
round_run(void *ctx, uint32_t way, double *cost)
{
	struct regions *regions = ctx;
	const bool is_rte = way == WAY_RTE || way == WAY_RTE_UNDO;
	const bool is_undo = way == WAY_RTE_UNDO || way == WAY_IBV_UNDO;
	uint64_t start, middle, end;
	bool is_ok;

	start = bench_time();
	is_ok = is_rte ? rte_register(regions) : ibv_register(regions);
	middle = bench_time();
	is_ok = (is_rte ? rte_deregister(regions) : ibv_deregister(regions)) && is_ok;
	end = bench_time();
	*cost = bench_ns((double)(is_undo ? end - middle : middle - start)) / 1e3 / regions->nb;
	return is_ok;
}

bool
bench_pipeline_register(struct bench *bench, struct bench_pipeline_table *table)
{
	static const uint32_t counts[] = { 1, 100, MAX_REGIONS };
	static struct regions regions;
	const struct bench_dv *dv = bench->workers[0].ctx[BENCH_LIBMLX5];
	const size_t len = (size_t)MAX_REGIONS * REGION_LEN;
	const uint32_t nb_rounds = bench->nb_rounds;
	bool is_ok = true;

	regions = (struct regions){
		.bench = bench, .dev_id = bench->setup.dev_id, .pd = dv->keys->pd,
	};
	*table = (struct bench_pipeline_table){
		.what = "Registering regions, and deregistering them again (-undo): microseconds "
			"for each, at most 5\n"
			"rounds. Of a software device, its own time is in both; and libibverbs "
			"before 51 reads\n"
			"/proc/self/smaps each time where DPDK's drivers were loaded.",
		.nb_name = "regions",
		.unit = "us",
		.nb_ways = NB_WAYS,
		.ways = {
			[WAY_RTE] = "rte",
			[WAY_IBV] = "libibverbs",
			[WAY_RTE_UNDO] = "rte-undo",
			[WAY_IBV_UNDO] = "ibv-undo",
		},
	};
	regions.memory = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			      0);
	if (regions.memory == MAP_FAILED) {
		tool_error("bench: out of memory");
		return false;
	}
	memset(regions.memory, 1, len);
	bench->nb_rounds = RTE_MIN(nb_rounds, MAX_ROUNDS);
	for (uint32_t i = 0; i < RTE_DIM(counts) && is_ok; i++) {
		if (!bench_pipeline_fits(bench, "regions", counts[i]))
			continue;
		regions.nb = counts[i];
		is_ok = bench_pipeline_measure(bench, table,
					       bench_pipeline_row_add(table, counts[i], REGION_LEN,
								      ""),
					       round_run, &regions);
	}
	bench->nb_rounds = nb_rounds;
	munmap(regions.memory, len);
	return is_ok;
}
