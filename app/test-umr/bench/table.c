/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Table of every layout with every number of entries and every batch. */

#include <stdlib.h>

#include "bench/conf.h"
#include "bench/instr.h"
#include "bench/path/kind.h"
#include "bench/report.h"

bool
bench_init(struct bench *bench, const struct bench_conf *conf)
{
	*bench = (struct bench){
		.nb_rounds = conf->nb_rounds,
		/* Values of a previous bench, until measured again. */
		.poll_cycles = {
			[BENCH_POLL_COLD] = bench->poll_cycles[BENCH_POLL_COLD],
			[BENCH_POLL_WARM] = bench->poll_cycles[BENCH_POLL_WARM],
		},
		.setup = {
			.dev_id = conf->devices.ids[0],
			.nb_workers = conf->nb_lcores,
			.is_single = conf->is_single,
			.is_random = conf->is_random,
			.is_poll_warm = conf->is_poll_warm,
		},
	};
	rte_umr_dev_info_get(bench->setup.dev_id, &bench->info);
	bench->setup.dev_name = bench->info.dev_name;
	return bench_asked_start(bench->setup.dev_id);
}

/* Whether the device supports a row; otherwise print the reason. */
static bool
row_is_offered(const struct bench *bench, const struct bench_row *row)
{
	const struct rte_umr_dev_info *info = &bench->info;
	int16_t dev_id = bench->setup.dev_id;
	uint32_t max = bench_max_entries(info, row->layout), nb_desc = 0;

	if (row->nb_entries <= max)
		nb_desc = bench_batch_size(dev_id, row).nb_desc;
	if (row->nb_entries <= max && nb_desc <= info->max_desc)
		return true;
	if (row->nb_entries <= max)
		tool_error("bench: %s of %u entries in a batch of %u is not measured: it needs %u "
			   "descriptors, rings have at most %u on %s",
			   bench_layout_name(row->layout), row->nb_entries, row->batch, nb_desc,
			   info->max_desc, info->dev_name);
	else if (max == 0)
		tool_error("bench: %s does not offer %s%s", info->dev_name,
			   bench_layout_name(row->layout), row->layout == BENCH_CRYPTO ?
			   " with plain keys and many data units" : "");
	else
		tool_error("bench: %s of %u entries is not measured: at most %u on %s",
			   bench_layout_name(row->layout), row->nb_entries, max, info->dev_name);
	return false;
}

/*
 * Skip unsupported rows: layouts if all were selected, entries and batches if the user chose none.
 * Print skipped rows; a layout that is too long is printed once for all batches.
 */
static bool
row_is_left_out(const struct bench_conf *conf, const struct bench *bench,
		const struct bench_row *row)
{
	uint32_t max = bench_max_entries(&bench->info, row->layout);

	if (conf->is_all && (max == 0 || (conf->mode == BENCH_LATENCY &&
					  row->layout == BENCH_KEYGET)))
		return true;
	if (row->nb_entries > max) {
		if (!conf->is_all && (conf->has_entries || max == 0))
			return false;
		if (row->batch == conf->batches.values[0])
			row_is_offered(bench, row);
		return true;
	}
	return !conf->has_batches && !row_is_offered(bench, row);
}

/* Several numbers of entries may be equal after adaptation to a layout; their rows are adjacent. */
static bool
row_is_repeated(const struct bench_conf *conf, const struct bench_report_row *reports, uint32_t nb)
{
	const struct bench_row *row = &reports[nb].row, *other;

	if (nb < conf->batches.nb)
		return false;
	other = &reports[nb - conf->batches.nb].row;
	return row->layout == other->layout && row->nb_entries == other->nb_entries;
}

/* Extend the setup for another row. */
static void
setup_extend(struct bench *bench, const struct bench_row *row, uint32_t *depth)
{
	struct bench_setup *setup = &bench->setup;
	struct bench_batch_size size = bench_batch_size(setup->dev_id, row);

	*depth = RTE_MAX(*depth, size.nb_desc);
	setup->max_batch = RTE_MAX(setup->max_batch, row->batch);
	setup->max_entries = RTE_MAX(setup->max_entries,
				     RTE_MIN(row->nb_entries + 1, bench->info.max_entries));
	setup->max_keys = RTE_MAX(setup->max_keys, row->nb_keys);
	setup->has_layout[row->layout] = true;
	if (size.nb_list_entries > RTE_UMR_DEFAULT_LIST_ENTRIES)
		setup->nb_list_entries = RTE_MAX(setup->nb_list_entries, size.nb_list_entries);
}

/* List all rows; return their number, or 0 after an error was printed. */
static uint32_t
rows_list(const struct bench_conf *conf, struct bench *bench, struct bench_report_row *reports)
{
	struct bench_setup *setup = &bench->setup;
	uint32_t nb = 0, depth = 0, nb_keys = conf->nb_keys;

	/* Keys are created twice, also for libmlx5. */
	if (nb_keys == 0)
		nb_keys = RTE_MIN(BENCH_DEFAULT_KEYS,
				  bench->info.max_mkeys / setup->nb_workers / 4);
	for (unsigned int layout = 0; layout < BENCH_NB_LAYOUTS; layout++)
		for (uint32_t e = 0; conf->has_layout[layout] && e < conf->entries.nb; e++)
			for (uint32_t b = 0; b < conf->batches.nb; b++) {
				struct bench_row *row = &reports[nb].row;

				row->layout = layout;
				row->nb_entries = bench_kind_entries(layout,
								     conf->entries.values[e]);
				row->batch = conf->batches.values[b];
				row->nb_keys = RTE_MAX(bench_kind_nb_keys(layout, nb_keys),
						       row->batch);
				if (row_is_repeated(conf, reports, nb) ||
				    row_is_left_out(conf, bench, row))
					continue;
				if (!row_is_offered(bench, row))
					return 0;
				setup_extend(bench, row, &depth);
				nb++;
			}
	if (conf->depth != 0 && conf->depth < depth) {
		tool_error("--depth: %u, but the rows need %u", conf->depth, depth);
		return 0;
	}
	setup->depth = conf->depth != 0 ? conf->depth :
		RTE_MIN(RTE_MAX(BENCH_DEFAULT_DEPTH, rte_align32pow2(depth)), bench->info.max_desc);
	setup->max_keys_libmlx5 = setup->max_keys;
	if (nb == 0)
		tool_error("bench: nothing is left to measure on %s", bench->info.dev_name);
	return nb;
}

bool
bench_init_row(struct bench *bench, const struct bench_conf *conf, struct bench_row *row)
{
	uint32_t nb_layouts = 0, depth = 0;

	for (unsigned int i = 0; i < BENCH_NB_LAYOUTS; i++)
		if (conf->has_layout[i]) {
			row->layout = i;
			nb_layouts++;
		}
	if (nb_layouts != 1 || conf->entries.nb != 1 || conf->batches.nb != 1) {
		tool_error("--measure: one layout, one number of entries and one batch are "
			   "measured, not several");
		return false;
	}
	if (!bench_init(bench, conf))
		return false;
	row->nb_entries = bench_kind_entries(row->layout, conf->entries.values[0]);
	row->batch = conf->batches.values[0];
	row->nb_keys = conf->nb_keys != 0 ? conf->nb_keys : BENCH_DEFAULT_KEYS;
	if (!row_is_offered(bench, row))
		return false;
	setup_extend(bench, row, &depth);
	bench->setup.depth = conf->depth;
	if (conf->depth == 0)
		bench->setup.depth = RTE_MAX(BENCH_DEFAULT_DEPTH, rte_align32pow2(depth));
	if (bench->setup.depth < depth) {
		tool_error("--depth: %u, but the row needs %u", bench->setup.depth, depth);
		return false;
	}
	return true;
}

static enum tool_exit
run_rows(struct bench *bench, const struct bench_conf *conf, struct bench_report_row *reports,
	 uint32_t nb)
{
	if (!bench_instr_open(bench, conf))
		return TOOL_SETUP;
	bench_report_start(bench, conf->format);
	for (uint32_t i = 0; i < nb; i++) {
		struct bench_row row = reports[i].row;

		bench_progress("rows", i, nb);
		if (!bench_measure(bench, &row, &reports[i]) ||
		    !bench_instr_row(bench, &reports[i]))
			return TOOL_FAILED;
		bench_report_row(bench, &reports[i], conf->format);
	}
	if (conf->format == TOOL_FORMAT_JSON)
		bench_report_json(bench, reports, nb);
	if (conf->plot_dir != NULL)
		return bench_plot_rows(bench, conf->plot_dir, reports, nb);
	return TOOL_OK;
}

static enum tool_exit
run_mode(struct bench *bench, const struct bench_conf *conf, struct bench_report_row *reports,
	 uint32_t nb)
{
	enum tool_exit ret;

	if (conf->mode == BENCH_LATENCY)
		return bench_latency_run(bench, conf, reports, nb);
	if (conf->mode == BENCH_SOFTWARE)
		return bench_software_run(bench, conf, reports, nb);
	if (bench_instr_is_counting(conf))
		return bench_instr_rows(bench, reports, nb);
	ret = run_rows(bench, conf, reports, nb);
	bench_instr_close();
	return ret;
}

enum tool_exit
bench_table_run(const struct bench_conf *conf)
{
	struct bench_report_row *reports;
	enum tool_exit ret = TOOL_SETUP;
	static struct bench bench;
	uint32_t nb;

	reports = tool_calloc("bench", (size_t)BENCH_NB_LAYOUTS * conf->entries.nb *
			      conf->batches.nb, sizeof(*reports));
	if (reports == NULL)
		return TOOL_SETUP;
	if (!bench_init(&bench, conf))
		goto free_reports;
	nb = rows_list(conf, &bench, reports);
	if (nb == 0) {
		ret = TOOL_USAGE;
		goto free_reports;
	}
	/* Only what is printed. */
	if (conf->mode == BENCH_SOFTWARE) {
		bench.setup.paths = RTE_BIT32(BENCH_RTE);
		bench.setup.max_keys_libmlx5 = 0;
	}
	if (bench_open(&bench))
		ret = run_mode(&bench, conf, reports, nb);
	bench_close(&bench);

free_reports:
	free(reports);
	return ret;
}
