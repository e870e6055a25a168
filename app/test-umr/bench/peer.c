/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Transfers to or from a serving process. Each queue has one batch outstanding. A sample is the
 * time from the first enqueue call to the return of the call that returns the last operation.
 * After each row, the transferred data is compared.
 */

#include <errno.h>
#include <sched.h>
#include <stdlib.h>

#include <rte_errno.h>
#include <rte_malloc.h>

#include "bench/measure/clock.h"
#include "bench/conf.h"
#include "bench/report.h"
#include "peer/client.h"

/* Pieces of a row with scattered memory. */
#define NB_PIECES	16u
/* Samples of each queue in a round. */
#define NB_SAMPLES	32u

/* A line of the result. A sample is a batch: operations under one doorbell. */
struct peer_row {
	const char *name;
	bool is_read;
	bool is_scattered;	/* The local memory of operations or pieces is not contiguous. */
	uint32_t len;		/* Bytes of an operation. */
	uint32_t nb_pieces;	/* Pieces of a key; 0: one piece without a key. */
	uint32_t batch;
	/* Results. */
	uint64_t nb_samples;
	double median;		/* Cycles of a sample. */
	double p99;
	double p999;
	double cycles;		/* Of all samples: queues work at the same time. */
};

/* A queue and its batch. */
struct lane {
	struct rte_umr_mkey *mkey;
	uint64_t start;		/* Time before the first enqueue call. */
	uint16_t nb_left;	/* Outstanding operations. */
};

struct peer_bench {
	const struct bench_conf *conf;
	int16_t dev_id;
	struct rte_umr_dev_info info;
	struct peer *peer;
	uint32_t slice;		/* Bytes of each queue, here and at the server. */
	uint8_t *memory;
	uint8_t *expected;	/* Contents of a slice. */
	uint8_t *arrived;
	struct rte_umr_mr *mr;
	struct rte_umr_mkey_pool *pool;
	struct lane lanes[PEER_MAX_QUEUES];
	struct peer_row *rows;
	uint32_t nb_rows;
	double *values;		/* Cycles of samples. */
};

#define MIN_DESC	256u
#define MIN_SLICE	(64u << 10)
/* Distance of scattered pieces. */
#define PIECE_STEP	(MIN_SLICE / NB_PIECES)
/* Unmeasured samples of each queue before all others. */
#define NB_WARM_UP	32u
#define POLLS_BEFORE_YIELD 64u
/* More samples are thinned out. */
#define MAX_SAMPLES	(1u << 19)

static const struct peer_row usual_rows[] = {
	{ .name = "write", .len = 64, .batch = 1 },
	{ .name = "write", .len = MIN_SLICE, .batch = 1 },
	{ .name = "write", .len = MIN_SLICE, .batch = 16 },
	{ .name = "writes of pieces", .is_scattered = true, .len = 256,
	  .batch = NB_PIECES },
	{ .name = "list and write", .is_scattered = true, .len = 256 * NB_PIECES,
	  .nb_pieces = NB_PIECES, .batch = 1 },
};

/* Every stride-th sample. */
struct samples {
	double *values;
	uint32_t nb;
	uint64_t nb_seen;
	uint64_t stride;
};

static bool
complain(const char *what, int ret)
{
	if (ret < 0)
		tool_error("bench: %s: %s", what, rte_strerror(-ret));
	return ret >= 0;
}

static bool
peer_failed(const struct peer_bench *b)
{
	tool_error("bench: %s", b->peer->why);
	return false;
}

static bool
rows_create(struct peer_bench *b)
{
	static const struct tool_numbers usual_sizes = { 2, { 64, 65536 } };
	const struct bench_conf *conf = b->conf;
	const struct tool_numbers *sizes = conf->sizes.nb != 0 ? &conf->sizes : &usual_sizes;
	const bool is_usual = conf->sizes.nb == 0 && !conf->has_batches &&
			      !conf->has_write && !conf->has_read;
	const bool has_write = conf->has_write || !conf->has_read;

	b->rows = calloc(is_usual ? RTE_DIM(usual_rows) : 2 * sizes->nb * conf->batches.nb,
			 sizeof(b->rows[0]));
	if (b->rows == NULL)
		return complain("memory", -ENOMEM);
	if (is_usual) {
		memcpy(b->rows, usual_rows, sizeof(usual_rows));
		b->nb_rows = RTE_DIM(usual_rows);
		return true;
	}
	for (unsigned int is_read = !has_write; is_read <= conf->has_read; is_read++)
		for (uint32_t s = 0; s < sizes->nb; s++)
			for (uint32_t i = 0; i < conf->batches.nb; i++)
				b->rows[b->nb_rows++] = (struct peer_row){
					.name = is_read ? "read" : "write",
					.is_read = is_read,
					.len = sizes->values[s],
					.batch = conf->batches.values[i],
				};
	return true;
}

/* Set the size of a slice, and get the largest batch. */
static uint32_t
rows_size(struct peer_bench *b)
{
	uint32_t max_batch = 1;

	b->slice = MIN_SLICE;
	for (uint32_t i = 0; i < b->nb_rows; i++) {
		b->slice = RTE_MAX(b->slice, RTE_ALIGN_CEIL(b->rows[i].len, 8u));
		max_batch = RTE_MAX(max_batch, b->rows[i].batch);
	}
	return max_batch;
}

static bool
queues_create(struct peer_bench *b, uint32_t max_batch)
{
	const uint32_t nb_desc = RTE_MAX(MIN_DESC, 2 * rte_align32pow2(max_batch));
	const struct rte_umr_dev_conf dev_conf = { .nb_queues = (uint16_t)b->conf->nb_queues };
	const struct rte_umr_queue_conf conf = {
		.transport = RTE_UMR_TRANSPORT_RC,
		.nb_desc = (uint16_t)RTE_MAX(RTE_MIN(nb_desc, b->info.max_desc), b->info.min_desc),
		.socket_id = SOCKET_ID_ANY,
	};
	int ret = rte_umr_dev_configure(b->dev_id, &dev_conf);

	for (uint16_t i = 0; ret == 0 && i < b->conf->nb_queues; i++)
		ret = rte_umr_queue_setup(b->dev_id, i, &conf);
	if (ret == 0)
		ret = rte_umr_dev_start(b->dev_id);
	return complain("queues", ret);
}

static bool
keys_create(struct peer_bench *b)
{
	const struct rte_umr_mkey_pool_conf conf = {
		.nb_mkeys = b->conf->nb_queues,
		.max_entries = NB_PIECES,
		.socket_id = SOCKET_ID_ANY,
	};

	b->pool = rte_umr_mkey_pool_create(b->dev_id, &conf);
	if (b->pool == NULL)
		return complain("keys", -rte_errno);
	for (uint32_t i = 0; i < b->conf->nb_queues; i++) {
		b->lanes[i].mkey = rte_umr_mkey_get(b->pool);
		if (b->lanes[i].mkey == NULL)
			return complain("keys", -ENOBUFS);
	}
	return true;
}

static bool
memory_create(struct peer_bench *b)
{
	struct rte_umr_mr_conf conf = { .len = (size_t)b->slice * b->conf->nb_queues };

	b->memory = rte_malloc("bench peer", conf.len, 4096);
	b->expected = malloc(b->slice);
	b->arrived = malloc(b->slice);
	b->values = malloc(MAX_SAMPLES * sizeof(b->values[0]));
	if (b->memory == NULL || b->expected == NULL || b->arrived == NULL || b->values == NULL)
		return complain("memory", -ENOMEM);
	conf.addr = b->memory;
	conf.access = RTE_UMR_ACCESS_LOCAL_WRITE;
	b->mr = rte_umr_mr_register(b->dev_id, &conf);
	return b->mr != NULL || complain("registering memory", -rte_errno);
}

static bool
bench_peer_open(struct peer_bench *b)
{
	const uint32_t max_batch = rows_size(b), sizes[] = { b->slice * b->conf->nb_queues };

	rte_umr_dev_info_get(b->dev_id, &b->info);
	b->peer = peer_open("bench", b->conf->peer, sizes, RTE_DIM(sizes), b->conf->nb_queues);
	if (b->peer == NULL || !memory_create(b) || !keys_create(b) ||
	    !queues_create(b, max_batch))
		return false;
	for (uint16_t i = 0; i < b->conf->nb_queues; i++)
		if (!peer_connect(b->peer, b->dev_id, i, i))
			return peer_failed(b);
	return true;
}

static void
bench_peer_close(struct peer_bench *b)
{
	rte_umr_dev_stop(b->dev_id);
	for (uint32_t i = 0; i < b->conf->nb_queues; i++)
		if (b->lanes[i].mkey != NULL)
			rte_umr_mkey_put(b->pool, b->lanes[i].mkey);
	rte_umr_mkey_pool_destroy(b->pool);
	rte_umr_mr_deregister(b->mr);
	rte_free(b->memory);
	free(b->expected);
	free(b->arrived);
	free(b->values);
	free(b->rows);
	peer_close(b->peer);
}

/* Offset of an operation in the slice of the server; large ones share their memory. */
static uint32_t
remote_of(const struct peer_bench *b, const struct peer_row *row, uint32_t i)
{
	return i % (b->slice / row->len) * row->len;
}

/* Offset of an operation or a piece in the slice here. */
static uint32_t
local_of(const struct peer_bench *b, const struct peer_row *row, uint32_t i)
{
	return row->is_scattered ? i * PIECE_STEP : remote_of(b, row, i);
}

static int
list_enqueue(const struct peer_bench *b, const struct peer_row *row, uint16_t queue)
{
	const uintptr_t memory = (uintptr_t)b->memory + (size_t)queue * b->slice;
	struct rte_umr_seg segs[NB_PIECES];

	for (uint32_t i = 0; i < row->nb_pieces; i++)
		segs[i] = (struct rte_umr_seg){
			.addr = memory + local_of(b, row, i),
			.length = row->len / row->nb_pieces,
			.lkey = b->mr->lkey,
		};
	return rte_umr_mkey_list(b->dev_id, queue, b->lanes[queue].mkey, 0, segs, row->nb_pieces,
				 0);
}

/* Post the operations of a sample under one doorbell. */
static bool
lane_post(struct peer_bench *b, const struct peer_row *row, uint16_t queue)
{
	const struct peer_memory *area = &b->peer->areas[0];
	const size_t slice = (size_t)queue * b->slice;
	struct lane *lane = &b->lanes[queue];
	int ret = 0;

	lane->start = bench_time();
	if (row->nb_pieces != 0)
		ret = list_enqueue(b, row, queue);
	for (uint32_t i = 0; i < row->batch && ret >= 0; i++) {
		const uint64_t flags = i == row->batch - 1 ? RTE_UMR_OP_F_SUBMIT : 0;
		const uint64_t remote = area->addr + slice + remote_of(b, row, i);
		struct rte_umr_seg local = {
			.addr = (uintptr_t)b->memory + slice + local_of(b, row, i),
			.length = row->len,
			.lkey = b->mr->lkey,
		};

		if (row->nb_pieces != 0)
			local = (struct rte_umr_seg){ .length = row->len, .lkey = lane->mkey->key };
		if (row->is_read)
			ret = rte_umr_read(b->dev_id, queue, &local, remote, area->rkeys[0], flags);
		else
			ret = rte_umr_write(b->dev_id, queue, &local, remote, area->rkeys[0],
					    flags);
	}
	lane->nb_left = (uint16_t)(row->batch + (row->nb_pieces != 0));
	return complain(row->name, ret);
}

static bool
lane_poll(struct peer_bench *b, uint16_t queue)
{
	struct lane *lane = &b->lanes[queue];
	struct rte_umr_completion done;
	bool has_error = false;

	lane->nb_left -= rte_umr_completed(b->dev_id, queue, lane->nb_left, NULL, &has_error);
	if (!has_error)
		return true;
	if (rte_umr_completed_status(b->dev_id, queue, 1, &done) == 1)
		tool_error("bench: %s ended with '%s', syndrome 0x%02x", rte_umr_op_name(done.op),
			   rte_umr_status_name(done.status), done.syndrome);
	return false;
}

static void
sample_add(struct samples *samples, double cycles)
{
	if (samples->nb_seen++ % samples->stride != 0)
		return;
	if (samples->nb == MAX_SAMPLES) {
		samples->nb /= 2;
		samples->stride *= 2;
		for (uint32_t i = 0; i < samples->nb; i++)
			samples->values[i] = samples->values[2 * i];
	}
	samples->values[samples->nb++] = cycles;
}

/* Take at most nb samples until a time; all queues work at once, each on its own batch. */
static bool
lanes_run(struct peer_bench *b, const struct peer_row *row, uint64_t nb, uint64_t until,
	  struct samples *samples)
{
	uint64_t deadline = bench_deadline(PEER_TIMEOUT_MS);
	uint32_t nb_busy = 0;

	for (uint32_t polls = 1; nb > 0 || nb_busy > 0; polls++) {
		for (uint16_t i = 0; i < b->conf->nb_queues; i++) {
			struct lane *lane = &b->lanes[i];

			if (lane->nb_left > 0) {
				if (!lane_poll(b, i))
					return false;
				if (lane->nb_left > 0)
					continue;
				sample_add(samples, (double)(bench_time() - lane->start));
				deadline = bench_deadline(PEER_TIMEOUT_MS);
				nb_busy--;
			}
			if (nb == 0)
				continue;
			if (!lane_post(b, row, i))
				return false;
			nb = lane->start < until ? nb - 1 : 0;
			nb_busy++;
		}
		if (rte_rdtsc() > deadline)
			return complain(row->name, -ETIMEDOUT);
		/* Software devices need a CPU, too. */
		if (polls % POLLS_BEFORE_YIELD == 0)
			sched_yield();
	}
	return true;
}

/* Contents of the source of a queue, which differ from those of other rows and queues. */
static void
slice_fill(const struct peer_bench *b, uint32_t index, uint32_t queue, uint8_t *slice)
{
	for (uint32_t i = 0; i < b->slice; i++)
		slice[i] = (uint8_t)(i * 7 + i / 256 + index * 31 + queue * 101 + 1);
}

static bool
row_prepare(const struct peer_bench *b, uint32_t index)
{
	for (uint32_t i = 0; i < b->conf->nb_queues; i++) {
		const uint32_t at = i * b->slice;

		slice_fill(b, index, i, b->memory + at);
		if (!b->rows[index].is_read)
			continue;
		if (!peer_put(b->peer, 0, at, b->memory + at, b->slice))
			return peer_failed(b);
		memset(b->memory + at, 0, b->slice);
	}
	return true;
}

/* Whether the data of a queue has arrived. */
static bool
slice_check(const struct peer_bench *b, const struct peer_row *row, const uint8_t *arrived)
{
	const uint32_t nb = RTE_MAX(row->batch, row->nb_pieces);
	const uint32_t len = row->nb_pieces != 0 ? row->len / row->nb_pieces : row->len;

	for (uint32_t i = 0; i < nb; i++) {
		const uint32_t remote = row->nb_pieces != 0 ? i * len : remote_of(b, row, i);
		const uint32_t local = local_of(b, row, i);

		if (memcmp(arrived + (row->is_read ? local : remote),
			   b->expected + (row->is_read ? remote : local), len) == 0)
			continue;
		tool_error("bench: %s: %s has other bytes", row->name,
			   row->is_read ? "the client" : "the server");
		return false;
	}
	return true;
}

static bool
row_check(const struct peer_bench *b, uint32_t index)
{
	const struct peer_row *row = &b->rows[index];

	for (uint32_t i = 0; i < b->conf->nb_queues; i++) {
		const uint32_t at = i * b->slice;

		slice_fill(b, index, i, b->expected);
		if (!row->is_read && !peer_get(b->peer, 0, at, b->arrived, b->slice))
			return peer_failed(b);
		if (!slice_check(b, row, row->is_read ? b->memory + at : b->arrived))
			return false;
	}
	return true;
}

static bool
row_measure(struct peer_bench *b, uint32_t index)
{
	const uint32_t nb_queues = b->conf->nb_queues, seconds = b->conf->seconds;
	uint64_t nb = (uint64_t)b->conf->nb_rounds * NB_SAMPLES * nb_queues;
	struct samples ignored = { .values = b->values, .stride = 1 };
	struct samples samples = { .values = b->values, .stride = 1 };
	struct peer_row *row = &b->rows[index];
	uint64_t start, until = UINT64_MAX;

	if (!row_prepare(b, index) ||
	    !lanes_run(b, row, (uint64_t)NB_WARM_UP * nb_queues, until, &ignored))
		return false;
	start = bench_time();
	if (seconds != 0) {
		nb = UINT64_MAX;
		until = start + seconds * rte_get_tsc_hz();
	}
	if (!lanes_run(b, row, nb, until, &samples))
		return false;
	row->cycles = (double)(bench_time() - start);
	row->nb_samples = samples.nb_seen;
	bench_sort(samples.values, samples.nb);
	row->median = bench_percentile(samples.values, samples.nb, 0.5);
	row->p99 = bench_percentile(samples.values, samples.nb, 0.99);
	row->p999 = bench_percentile(samples.values, samples.nb, 0.999);
	return row_check(b, index);
}

static const char note[] = "On software devices this is the speed of the model and its wire, not "
			   "that of an adapter.";

static const struct tool_column columns[] = {
	{ .name = "device", NULL, TOOL_TEXT | TOOL_NO_JSON },
	{ .name = "peer", NULL, TOOL_TEXT | TOOL_NO_JSON },
	{ .name = "queues", NULL, TOOL_COUNT | TOOL_NO_JSON },
	{ .name = "row", "row", TOOL_TEXT, -16 }, { .name = "bytes", "bytes", TOOL_COUNT, 8 },
	{ .name = "batch", "batch", TOOL_COUNT, 5 }, { .name = "pieces", "pieces", TOOL_COUNT, 6 },
	{ .name = "samples", NULL, TOOL_COUNT }, TOOL_BAR,
	{ .name = "median_us", "median us", TOOL_REAL, 9, 2, 3 },
	{ .name = "p99_us", "99%", TOOL_REAL, 9, 2, 3 },
	{ .name = "p999_us", "99.9%", TOOL_REAL, 9, 2, 3 }, TOOL_BAR,
	{ .name = "gb_per_s", "GB/s", TOOL_REAL, 8, 4, 6 },
	{ .name = "mops_per_s", "Mops/s", TOOL_REAL | TOOL_NO_JSON, 9, 5, 6 },
	{ .name = "ops_per_s", NULL, TOOL_REAL | TOOL_NO_CSV }, { 0 },
};

static void
report_head(const struct peer_bench *b)
{
	printf("device %s to %s at %s; %u queue%s; ", b->info.dev_name, b->peer->info.dev_name,
	       b->peer->channel.where, b->conf->nb_queues, b->conf->nb_queues == 1 ? "" : "s");
	if (b->conf->seconds != 0)
		printf("%u s a row.\n", b->conf->seconds);
	else
		printf("%u rounds of %u samples a queue.\n", b->conf->nb_rounds,
		       NB_SAMPLES);
	printf("%s\n\n", note);
}

static json_t *
row_report(const struct peer_bench *b, const struct peer_row *row)
{
	const double ns = bench_ns(row->cycles), nb_ops = (double)row->nb_samples * row->batch;
	/* Bytes per nanosecond are GB/s. */
	const union tool_cell cells[] = {
		{ .text = b->info.dev_name }, { .text = b->peer->channel.where },
		{ b->conf->nb_queues }, { .text = row->name }, { row->len }, { row->batch },
		{ row->nb_pieces }, { (double)row->nb_samples }, { bench_ns(row->median) / 1e3 },
		{ bench_ns(row->p99) / 1e3 }, { bench_ns(row->p999) / 1e3 },
		{ nb_ops * row->len / ns }, { nb_ops / ns * 1e3 }, { nb_ops / ns * 1e9 },
	};

	tool_line_print(columns, cells, b->conf->format);
	return tool_line_to_json(columns, cells);
}

static void
peer_report(const struct peer_bench *b)
{
	const enum tool_format format = b->conf->format;
	const uint32_t seconds = b->conf->seconds;
	json_t *rows = json_array();

	if (format == TOOL_FORMAT_TEXT)
		report_head(b);
	tool_head_print(columns, format, "");
	for (uint32_t i = 0; i < b->nb_rows; i++)
		json_array_append_new(rows, row_report(b, &b->rows[i]));
	if (format == TOOL_FORMAT_CSV)
		fprintf(stderr, "%s\n", note);
	tool_report_print(json_pack("{s:s, s:s, s:I, s:o, s:o, s:s, s:o}", "device",
				    b->info.dev_name, "peer", b->peer->channel.where, "queues",
				    (json_int_t)b->conf->nb_queues, "rounds",
				    seconds != 0 ? json_null() : json_integer(b->conf->nb_rounds),
				    "seconds", seconds != 0 ? json_integer(seconds) : json_null(),
				    "note", note, "rows", rows), format);
}

static bool
slices_fit(const struct peer_bench *b)
{
	const uint32_t nb_queues = b->conf->nb_queues;

	if ((uint64_t)b->slice * nb_queues <= PEER_MAX_AREA_SIZE)
		return true;
	tool_error("--size: %u bytes for each of %u queues are more than the %u of a server",
		   b->slice, nb_queues, PEER_MAX_AREA_SIZE);
	return false;
}

enum tool_exit
bench_peer_run(const struct bench_conf *conf)
{
	struct peer_bench b = { .conf = conf, .dev_id = conf->devices.ids[0] };
	enum tool_exit ret = TOOL_OK;

	if (!rows_create(&b))
		ret = TOOL_SETUP;
	rows_size(&b);
	if (ret == TOOL_OK && !slices_fit(&b))
		ret = TOOL_USAGE;
	if (ret == TOOL_OK && !bench_peer_open(&b))
		ret = TOOL_SETUP;
	for (uint32_t i = 0; i < b.nb_rows && ret == TOOL_OK; i++) {
		bench_progress("rows", i, b.nb_rows);
		if (!row_measure(&b, i))
			ret = TOOL_FAILED;
	}
	if (ret == TOOL_OK)
		peer_report(&b);
	bench_peer_close(&b);
	return ret;
}
