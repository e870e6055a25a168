/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef BENCH_H
#define BENCH_H

/**
 * @file
 * The bench command: what is measured, and the paths that are compared.
 */

#include "test_umr.h"

/** Most keys configured under one doorbell. */
#define BENCH_MAX_BATCH		256u
/** Most pieces of a layout: what one work request can carry. */
#define BENCH_MAX_ENTRIES	52u
/** Longest wait for a batch. */
#define BENCH_TIMEOUT_MS	5000u

/** Memory under the layouts; nothing is moved. */
#define BENCH_MEMORY_SIZE	(64u << 10)
/** How often an interleaved layout repeats. */
#define BENCH_REPEAT		4u

/** One line of the result. */
struct bench_row {
	bool is_interleaved;
	uint32_t nb_entries;
	uint32_t batch;
};

/** Cycles of one batch. */
struct bench_sample {
	uint64_t post;	/**< First enqueue to the return of the doorbell. */
	uint64_t poll;	/**< The one completion call that gave the batch back. */
};

/** A way to configure keys; several of them run in turn. */
struct bench_path {
	const char *name;
	const char *what;	/**< One line: what is called. */
	/**
	 * Open everything for batches of up to max_batch keys. The memory is registered there.
	 * Returns NULL (said on stderr) on failure.
	 */
	void *(*open)(int16_t dev_id, uint8_t *memory, uint32_t max_batch);
	/** Configure row->batch keys once. False (said on stderr) when that failed. */
	bool (*run)(void *ctx, const struct bench_row *row, struct bench_sample *sample);
	/** NULL is accepted. */
	void (*close)(void *ctx);
};

extern const struct bench_path bench_path_rte;
extern const struct bench_path bench_path_libmlx5;

/**
 * Write the pieces that both paths use; they differ in the memory key only.
 *
 * @param memory
 *   Start of BENCH_MEMORY_SIZE bytes.
 */
void bench_list_fill(struct rte_umr_seg *segs, const uint8_t *memory, uint32_t lkey);
void bench_interleaved_fill(struct rte_umr_interleaved *entries, const uint8_t *memory,
			    uint32_t lkey);

/** Results of one path for one row: cycles per operation, medians over the rounds. */
struct bench_result {
	double post;
	double poll;
	double total;	/**< post + poll of the same round */
	double total_min;
	double total_max;
};

/** A row with its results. */
struct bench_report_row {
	struct bench_row row;
	struct bench_result rte;
	struct bench_result libmlx5;
	/**
	 * libmlx5 / rte, above 1 when rte is cheaper: the median of the ratios of the rounds,
	 * because what disturbs a machine lasts longer than a round and hits both paths.
	 */
	double ratio;
};

/** What the report says above the rows. */
struct bench_report_head {
	const char *device;
	uint64_t tsc_hz;
	double tsc_overhead;	/**< Cycles of a measurement of nothing; already subtracted. */
	uint32_t nb_rounds;
};

/** Print a report; text and csv row by row, json at the end. */
void bench_report_start(const struct bench_report_head *head, enum tool_format format);
void bench_report_row(const struct bench_report_head *head, const struct bench_report_row *row,
		      enum tool_format format);
void bench_report_end(const struct bench_report_head *head, const struct bench_report_row *rows,
		      uint32_t nb_rows, enum tool_format format);

#endif /* BENCH_H */
