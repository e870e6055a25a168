/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <math.h>
#include <stdlib.h>

#include "bench/path/mlx5dv.h"
#include "bench/pipeline/pipeline.h"

static const struct {
	const char *name;
	bool (*fill)(struct bench *bench, struct bench_pipeline_table *table);
} kinds[BENCH_NB_PIPELINES] = {
	[BENCH_PIPELINE_MBUF] = { "mbuf", bench_pipeline_mbuf },
	[BENCH_PIPELINE_LOOKUP] = { "lookup", bench_pipeline_lookup },
	[BENCH_PIPELINE_REGISTER] = { "register", bench_pipeline_register },
};

const char *
bench_pipeline_name(enum bench_pipeline kind)
{
	return kinds[kind].name;
}

struct bench_pipeline_row *
bench_pipeline_row_add(struct bench_pipeline_table *table, uint32_t nb, uint32_t bytes,
		       const char *note)
{
	struct bench_pipeline_row *row = &table->rows[table->nb_rows++];

	*row = (struct bench_pipeline_row){ .nb = nb, .bytes = bytes, .note = note };
	for (uint32_t way = 0; way < table->nb_ways; way++)
		row->costs[way].is_valid = true;
	return row;
}

bool
bench_pipeline_measure(struct bench *bench, const struct bench_pipeline_table *table,
		       struct bench_pipeline_row *row, bench_pipeline_round_t round_fn, void *ctx)
{
	const uint32_t nb = bench->nb_rounds;
	double *values = tool_calloc("bench", (size_t)table->nb_ways * nb, sizeof(*values));
	bool is_ok = values != NULL;

	for (uint32_t round = 0; round < nb && is_ok; round++)
		for (uint32_t i = 0; i < table->nb_ways && is_ok; i++) {
			const uint32_t way = (round + i) % table->nb_ways;

			if (row->costs[way].is_valid)
				is_ok = round_fn(ctx, way, &values[(size_t)way * nb + round]);
		}
	for (uint32_t way = 0; way < table->nb_ways && is_ok; way++)
		if (row->costs[way].is_valid)
			row->costs[way].cost = bench_stat_of(&values[(size_t)way * nb], nb);
	free(values);
	return is_ok;
}

bool
bench_pipeline_fits(const struct bench *bench, const char *what, uint32_t nb)
{
	if (nb <= bench->info.max_mkeys / 4)
		return true;
	tool_error("bench: %u %s are not measured: %s has %u keys", nb, what, bench->info.dev_name,
		   bench->info.max_mkeys);
	return false;
}

/* Size the setup for packets of the longest chains with a write per segment. */
static void
setup_fill(struct bench *bench)
{
	struct bench_setup *setup = &bench->setup;

	setup->nb_workers = 1;
	setup->depth = RTE_MIN(2 * BENCH_DEFAULT_DEPTH, bench->info.max_desc);
	setup->max_batch = BENCH_MAX_BATCH;
	setup->max_entries = BENCH_MAX_INLINE;
	setup->max_sges = BENCH_MAX_SGE;
	setup->max_keys = BENCH_MAX_BATCH;
	setup->max_keys_libmlx5 = 1;
}

enum tool_exit
bench_pipeline_run(const struct bench_conf *conf)
{
	static struct bench_pipeline_table tables[BENCH_NB_PIPELINES];
	static struct bench bench;
	enum tool_exit ret = TOOL_SETUP;

	if (!bench_init(&bench, conf))
		return TOOL_SETUP;
	setup_fill(&bench);
	if (bench_open(&bench)) {
		ret = TOOL_OK;
		for (unsigned int i = 0; i < BENCH_NB_PIPELINES && ret == TOOL_OK; i++)
			if (conf->has_pipeline[i] && !kinds[i].fill(&bench, &tables[i]))
				ret = TOOL_FAILED;
		if (ret == TOOL_OK)
			bench_pipeline_print(&bench, conf, tables);
	}
	bench_close(&bench);
	return ret;
}
