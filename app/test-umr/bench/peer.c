/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Transfers to or from a serving process. Each queue has one batch outstanding. A sample is the
 * time from the first enqueue call to the return of the call that returns the last operation; with
 * keys, it includes their configuration and the check of their signatures. After each row, the
 * transferred data is compared.
 */

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>

#include <rte_errno.h>
#include <rte_launch.h>
#include <rte_lcore.h>
#include <rte_malloc.h>

#include "bench/measure/clock.h"
#include "bench/peer.h"
#include "bench/report.h"

/* Samples of each queue in a round. */
#define NB_SAMPLES	32u
#define MIN_DESC	256u
/* Unmeasured samples of each queue before all others. */
#define NB_WARM_UP	32u
#define POLLS_BEFORE_YIELD 64u
/* More samples are thinned out. */
#define MAX_SAMPLES	(1u << 19)

static const struct bench_peer_row usual_rows[] = {
	{ .name = "write", .len = 64, .batch = 1 },
	{ .name = "write", .len = BENCH_PEER_MIN_SLICE, .batch = 1 },
	{ .name = "write", .len = BENCH_PEER_MIN_SLICE, .batch = 16 },
	{ .name = "writes of pieces", .is_scattered = true, .len = 256,
	  .batch = BENCH_PEER_PIECES },
	{ .name = "list and write", .is_scattered = true, .len = 256 * BENCH_PEER_PIECES,
	  .nb_pieces = BENCH_PEER_PIECES, .batch = 1 },
};

static bool
complain(const char *what, int ret)
{
	if (ret < 0)
		tool_error("bench: %s: %s", what, rte_strerror(-ret));
	return ret >= 0;
}

/* Rows of an operation and a layout; BENCH_NB_LAYOUTS: without keys. */
static void
rows_add(struct bench_peer *b, bool is_read, enum bench_layout layout,
	 const struct tool_numbers *sizes)
{
	const struct tool_numbers *batches = &b->conf->batches;
	const bool has_key = layout != BENCH_NB_LAYOUTS;

	for (uint32_t s = 0; s < sizes->nb; s++)
		for (uint32_t i = 0; i < batches->nb; i++)
			b->rows[b->nb_rows++] = (struct bench_peer_row){
				.name = is_read ? "read" : "write",
				.is_read = is_read,
				.len = sizes->values[s],
				.nb_pieces = has_key,
				.layout = has_key ? layout : BENCH_LIST,
				.batch = batches->values[i],
			};
}

bool
bench_peer_is_offered(enum bench_layout layout)
{
	return layout == BENCH_LIST || bench_kinds[layout].setters != 0;
}

static bool
rows_create(struct bench_peer *b)
{
	static const struct tool_numbers usual_sizes = { 2, { 64, 65536 } };
	const struct bench_conf *conf = b->conf;
	const struct tool_numbers *sizes = conf->sizes.nb != 0 ? &conf->sizes : &usual_sizes;
	const bool is_usual = conf->sizes.nb == 0 && !conf->has_batches && !conf->has_layouts &&
			      !conf->has_write && !conf->has_read;
	const bool has_write = conf->has_write || !conf->has_read;
	const uint32_t nb_layouts = conf->has_layouts ? BENCH_NB_LAYOUTS : 1;

	b->rows = calloc(is_usual ? RTE_DIM(usual_rows) :
				    2 * nb_layouts * sizes->nb * conf->batches.nb,
			 sizeof(b->rows[0]));
	if (b->rows == NULL)
		return complain("memory", -ENOMEM);
	if (is_usual) {
		memcpy(b->rows, usual_rows, sizeof(usual_rows));
		b->nb_rows = RTE_DIM(usual_rows);
		return true;
	}
	for (unsigned int i = 0; i < nb_layouts; i++) {
		if (conf->has_layouts && (!conf->has_layout[i] || !bench_peer_is_offered(i)))
			continue;
		if (conf->has_layouts && bench_max_entries(&b->info, i) == 0) {
			if (conf->is_all)
				continue;
			tool_error("bench: %s does not offer %s", b->info.dev_name,
				   bench_layout_name(i));
			return false;
		}
		for (unsigned int is_read = !has_write; is_read <= conf->has_read; is_read++)
			rows_add(b, is_read, conf->has_layouts ? i : BENCH_NB_LAYOUTS, sizes);
	}
	return true;
}

/* Set the sizes of slices, batches and rings. */
static bool
rows_size(struct bench_peer *b)
{
	const uint32_t nb_queues = b->conf->nb_queues;

	if (!bench_asked_start(b->dev_id))
		return false;
	b->data = BENCH_PEER_MIN_SLICE;
	for (uint32_t i = 0; i < b->nb_rows; i++) {
		const struct bench_peer_row *row = &b->rows[i];
		const struct bench_row shape = {
			.layout = row->layout, .nb_entries = row->nb_pieces, .batch = row->batch,
		};

		b->data = RTE_MAX(b->data, RTE_ALIGN_CEIL(row->len, 8u));
		b->max_batch = RTE_MAX(b->max_batch, row->batch);
		if (row->nb_pieces == 0)
			continue;
		b->has_keys[row->layout] = true;
		b->max_desc = RTE_MAX(b->max_desc, bench_batch_size(b->dev_id, &shape).nb_desc +
				      bench_writes_desc(b->dev_id, row->batch));
	}
	/* The longest field is that of T10-DIF. */
	b->slice = b->data;
	if (b->conf->has_layouts)
		b->slice += b->data / BENCH_UNIT * rte_umr_sig_size(RTE_UMR_SIG_T10DIF_CRC);
	if ((uint64_t)b->slice * nb_queues > PEER_MAX_AREA_SIZE)
		tool_error("--size: %u bytes for each of %u queues are more than the %u of a "
			   "server", b->slice, nb_queues, PEER_MAX_AREA_SIZE);
	else if (b->max_desc > b->info.max_desc)
		tool_error("--batch: %u descriptors are needed, rings have at most %u on %s",
			   b->max_desc, b->info.max_desc, b->info.dev_name);
	else
		return true;
	return false;
}

static bool
queues_create(struct bench_peer *b)
{
	const uint32_t nb_desc = RTE_MAX(RTE_MAX(MIN_DESC, 2 * rte_align32pow2(b->max_batch)),
					 rte_align32pow2(b->max_desc));
	const struct rte_umr_dev_conf dev_conf = { .nb_queues = (uint16_t)b->conf->nb_queues };
	struct rte_umr_queue_conf conf = {
		.transport = RTE_UMR_TRANSPORT_RC,
		.nb_desc = (uint16_t)RTE_MAX(RTE_MIN(nb_desc, b->info.max_desc), b->info.min_desc),
		.socket_id = SOCKET_ID_ANY,
	};
	int ret = rte_umr_dev_configure(b->dev_id, &dev_conf);

	for (unsigned int i = 0; i < BENCH_NB_LAYOUTS; i++)
		if (b->has_keys[i] && (bench_kinds[i].setters & RTE_UMR_MKEY_SET_SIG) != 0)
			conf.nb_sig_mkeys += b->conf->nb_queues * b->max_batch;
	for (uint16_t i = 0; ret == 0 && i < b->conf->nb_queues; i++)
		ret = rte_umr_queue_setup(b->dev_id, i, &conf);
	if (ret == 0)
		ret = rte_umr_dev_start(b->dev_id);
	return complain("queues", ret);
}

static bool
keys_create(struct bench_peer *b)
{
	const uint32_t nb = b->conf->nb_queues * b->max_batch;

	for (unsigned int i = 0; i < BENCH_NB_LAYOUTS; i++)
		if (b->has_keys[i] && !bench_kind_rte_open(&b->kinds[i], b->dev_id, i, nb,
							   BENCH_PEER_PIECES))
			return false;
	return true;
}

static bool
memory_create(struct bench_peer *b)
{
	struct rte_umr_mr_conf conf = { .len = (size_t)b->slice * b->conf->nb_queues };

	b->memory = rte_malloc("bench peer", conf.len, 4096);
	b->source = malloc(b->data);
	b->expected = malloc(b->slice);
	b->arrived = malloc(b->slice);
	b->values = malloc(MAX_SAMPLES * sizeof(b->values[0]));
	if (b->memory == NULL || b->source == NULL || b->expected == NULL || b->arrived == NULL ||
	    b->values == NULL)
		return complain("memory", -ENOMEM);
	conf.addr = b->memory;
	conf.access = RTE_UMR_ACCESS_LOCAL_WRITE;
	b->mr = rte_umr_mr_register(b->dev_id, &conf);
	return b->mr != NULL || complain("registering memory", -rte_errno);
}

static bool
bench_peer_open(struct bench_peer *b)
{
	const uint32_t sizes[] = { b->slice * b->conf->nb_queues };

	b->peer = peer_open("bench", b->conf->peer, sizes, RTE_DIM(sizes), b->conf->nb_queues);
	if (b->peer == NULL || !memory_create(b) || !queues_create(b) || !keys_create(b))
		return false;
	for (uint16_t i = 0; i < b->conf->nb_queues; i++)
		if (!peer_connect(b->peer, b->dev_id, i, i))
			return bench_peer_failed(b);
	return true;
}

static void
bench_peer_close(struct bench_peer *b)
{
	rte_umr_dev_stop(b->dev_id);
	for (unsigned int i = 0; i < BENCH_NB_LAYOUTS; i++)
		bench_kind_rte_close(&b->kinds[i]);
	rte_umr_mr_deregister(b->mr);
	rte_free(b->memory);
	free(b->source);
	free(b->expected);
	free(b->arrived);
	free(b->values);
	free(b->rows);
	peer_close(b->peer);
}

/* Configure the key of an operation. */
static int
key_enqueue(const struct bench_peer *b, const struct bench_peer_row *row, uint16_t queue,
	    uint32_t op, struct rte_umr_mkey *mkey)
{
	const struct bench_kind_rte *kind = &b->kinds[row->layout];
	const uint32_t access = row->is_read ? RTE_UMR_ACCESS_LOCAL_WRITE : 0;
	struct rte_umr_seg segs[BENCH_PEER_PIECES];
	struct rte_umr_mkey_op conf = {
		.mkey = mkey, .access = access, .segs = segs, .nb_entries = row->nb_pieces,
		.setters = RTE_UMR_MKEY_SET_ACCESS_LAYOUT | bench_kinds[row->layout].setters,
	};

	for (uint32_t i = 0; i < row->nb_pieces; i++)
		segs[i] = (struct rte_umr_seg){
			.addr = (uintptr_t)b->memory + (size_t)queue * b->slice +
				bench_peer_local(b, row, op + i),
			.length = bench_peer_len(b, row, false) / row->nb_pieces,
			.lkey = b->mr->lkey,
		};
	if (row->layout == BENCH_LIST)
		return rte_umr_mkey_list(b->dev_id, queue, mkey, access, segs, row->nb_pieces, 0);
	conf.sig = kind->sigs != NULL ? &kind->sigs[op] : NULL;
	conf.crypto = kind->cryptos != NULL ? &kind->cryptos[op] : NULL;
	return rte_umr_mkey_configure(b->dev_id, queue, &conf, 0);
}

static struct rte_umr_mkey *
key_of(const struct bench_peer *b, const struct bench_peer_row *row, uint16_t queue, uint32_t op)
{
	return b->kinds[row->layout].mkeys[queue * b->max_batch + op];
}

/* Post the operations of a sample under one doorbell. */
static bool
lane_post(struct bench_peer *b, const struct bench_peer_row *row, uint16_t queue)
{
	const struct peer_memory *area = &b->peer->areas[0];
	const size_t slice = (size_t)queue * b->slice;
	struct bench_peer_lane *lane = &b->lanes[queue];
	const uint32_t len = bench_peer_len(b, row, true);
	int ret = 0;

	lane->start = bench_time();
	for (uint32_t i = 0; i < row->batch && ret >= 0; i++) {
		const uint64_t flags = i == row->batch - 1 ? RTE_UMR_OP_F_SUBMIT : 0;
		const uint64_t remote = area->addr + slice + bench_peer_remote(b, row, i);
		struct rte_umr_seg local = {
			.addr = (uintptr_t)b->memory + slice + bench_peer_local(b, row, i),
			.length = len,
			.lkey = b->mr->lkey,
		};

		if (row->nb_pieces != 0) {
			struct rte_umr_mkey *mkey = key_of(b, row, queue, i);

			ret = key_enqueue(b, row, queue, i, mkey);
			local = (struct rte_umr_seg){ .length = len, .lkey = mkey->key };
		}
		if (ret < 0)
			break;
		if (row->is_read)
			ret = rte_umr_read(b->dev_id, queue, &local, remote, area->rkeys[0], flags);
		else
			ret = rte_umr_write(b->dev_id, queue, &local, remote, area->rkeys[0],
					    flags);
	}
	lane->nb_left = (uint16_t)(row->batch * (row->nb_pieces != 0 ? 2 : 1));
	return complain(row->name, ret);
}

/* Whether the signatures of a batch were correct. */
static bool
sigs_check(const struct bench_peer *b, const struct bench_peer_row *row, uint16_t queue)
{
	const bool has_sig = row->nb_pieces != 0 && b->kinds[row->layout].sigs != NULL;
	struct rte_umr_mkey_error error;

	for (uint32_t i = 0; has_sig && i < row->batch; i++) {
		int ret = rte_umr_mkey_check(key_of(b, row, queue, i), &error);

		if (!complain("checking a key", ret))
			return false;
		if (error.type == RTE_UMR_MKEY_ERROR_NONE)
			continue;
		tool_error("bench: %s of %s: a signature %s is wrong", row->name,
			   bench_layout_name(row->layout), error.is_wire ? "on the wire" :
			   "in memory");
		return false;
	}
	return true;
}

static bool
lane_poll(struct bench_peer *b, const struct bench_peer_row *row, uint16_t queue)
{
	struct bench_peer_lane *lane = &b->lanes[queue];
	struct rte_umr_completion done;
	bool has_error = false;

	lane->nb_left -= rte_umr_completed(b->dev_id, queue, lane->nb_left, NULL, &has_error);
	if (!has_error)
		return lane->nb_left != 0 || sigs_check(b, row, queue);
	if (rte_umr_completed_status(b->dev_id, queue, 1, &done) == 1)
		tool_error("bench: %s ended with '%s', syndrome 0x%02x", rte_umr_op_name(done.op),
			   rte_umr_status_name(done.status), done.syndrome);
	return false;
}

/* Every stride-th sample. */
struct samples {
	double *values;
	uint32_t nb;
	uint32_t max;
	uint64_t nb_seen;
	uint64_t stride;
};

static void
samples_thin(struct samples *samples)
{
	samples->nb /= 2;
	samples->stride *= 2;
	for (uint32_t i = 0; i < samples->nb; i++)
		samples->values[i] = samples->values[2 * i];
}

static void
sample_add(struct samples *samples, double cycles)
{
	if (samples->nb_seen++ % samples->stride != 0)
		return;
	if (samples->nb == samples->max)
		samples_thin(samples);
	samples->values[samples->nb++] = cycles;
}

/* An lcore: at most nb samples for each of its queues until a time. */
struct worker {
	struct bench_peer *b;
	const struct bench_peer_row *row;
	uint16_t first;		/* Its first queue; the others are nb_lcores apart. */
	uint64_t nb;
	uint64_t until;
	struct samples samples;
};

/* Run the queues of an lcore at once, each on its own batch; return 0 or -1. */
static int
worker_main(void *arg)
{
	struct worker *w = arg;
	struct bench_peer *b = w->b;
	const uint16_t nb_queues = (uint16_t)b->conf->nb_queues;
	const uint16_t step = (uint16_t)b->conf->nb_lcores;
	uint64_t deadline = bench_deadline(PEER_TIMEOUT_MS), nb = 0;
	uint32_t nb_busy = 0;

	for (uint16_t i = w->first; i < nb_queues; i += step)
		nb = w->nb == UINT64_MAX ? w->nb : nb + w->nb;
	for (uint32_t polls = 1; nb > 0 || nb_busy > 0; polls++) {
		for (uint16_t i = w->first; i < nb_queues; i += step) {
			struct bench_peer_lane *lane = &b->lanes[i];

			if (lane->nb_left > 0) {
				if (!lane_poll(b, w->row, i))
					return -1;
				if (lane->nb_left > 0)
					continue;
				sample_add(&w->samples, (double)(bench_time() - lane->start));
				deadline = bench_deadline(PEER_TIMEOUT_MS);
				nb_busy--;
			}
			if (nb == 0)
				continue;
			if (!lane_post(b, w->row, i))
				return -1;
			nb = lane->start < w->until ? nb - 1 : 0;
			nb_busy++;
		}
		if (rte_rdtsc() > deadline) {
			complain(w->row->name, -ETIMEDOUT);
			return -1;
		}
		/* Software devices need a CPU, too. */
		if (polls % POLLS_BEFORE_YIELD == 0)
			sched_yield();
	}
	return 0;
}

/* Take samples on all lcores; those of all are in the first samples afterwards. */
static bool
lanes_run(struct bench_peer *b, const struct bench_peer_row *row, uint64_t nb, uint64_t until,
	  struct samples *all)
{
	const uint32_t nb_lcores = b->conf->nb_lcores, max = MAX_SAMPLES / nb_lcores;
	struct worker workers[BENCH_MAX_WORKERS];
	unsigned int lcore = rte_get_main_lcore();
	int ret;

	for (uint32_t i = 0; i < nb_lcores; i++)
		workers[i] = (struct worker){
			.b = b, .row = row, .first = (uint16_t)i, .nb = nb, .until = until,
			.samples = { .values = b->values + i * max, .max = max, .stride = 1 },
		};
	for (uint32_t i = 1; i < nb_lcores; i++) {
		lcore = rte_get_next_lcore(i == 1 ? (unsigned int)-1 : lcore, 1, 0);
		rte_eal_remote_launch(worker_main, &workers[i], lcore);
	}
	ret = worker_main(&workers[0]);
	RTE_LCORE_FOREACH_WORKER(lcore)
		ret |= rte_eal_wait_lcore(lcore);
	*all = (struct samples){ .values = b->values, .stride = 1 };
	for (uint32_t i = 0; i < nb_lcores; i++)
		all->stride = RTE_MAX(all->stride, workers[i].samples.stride);
	for (uint32_t i = 0; i < nb_lcores; i++) {
		struct samples *samples = &workers[i].samples;

		while (samples->stride < all->stride)
			samples_thin(samples);
		memmove(all->values + all->nb, samples->values,
			samples->nb * sizeof(samples->values[0]));
		all->nb += samples->nb;
		all->nb_seen += samples->nb_seen;
	}
	return ret == 0;
}

/* Whether a library computes what the key of a row does. */
static bool
has_software(const struct bench_peer_row *row)
{
	return row->nb_pieces != 0 && bench_software_is_offered(row->layout);
}

static bool
row_measure(struct bench_peer *b, uint32_t index)
{
	const uint32_t seconds = b->conf->seconds;
	uint64_t nb = (uint64_t)b->conf->nb_rounds * NB_SAMPLES;
	struct bench_peer_row *row = &b->rows[index];
	uint64_t start, until = UINT64_MAX;
	struct samples samples;

	if (!bench_peer_prepare(b, index) || !lanes_run(b, row, NB_WARM_UP, until, &samples))
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
	if (!bench_peer_check(b, index))
		return false;
	return !has_software(row) ||
	       bench_software_measure(row->layout, row->len, b->conf->nb_rounds, 0, &row->software);
}

static const char note[] = "On software devices this is the speed of the model and its wire, not "
			   "that of an adapter.";

#define PLACE_COLUMNS                                                                              \
	{ .name = "device", NULL, TOOL_TEXT | TOOL_NO_JSON },                                      \
	{ .name = "peer", NULL, TOOL_TEXT | TOOL_NO_JSON },                                        \
	{ .name = "queues", NULL, TOOL_COUNT | TOOL_NO_JSON }
#define ROW_COLUMNS                                                                                \
	{ .name = "row", "row", TOOL_TEXT, -16 }, { .name = "bytes", "bytes", TOOL_COUNT, 8 },     \
	{ .name = "batch", "batch", TOOL_COUNT, 5 }, { .name = "pieces", "pieces", TOOL_COUNT, 6 },\
	{ .name = "samples", NULL, TOOL_COUNT }, TOOL_BAR,                                         \
	{ .name = "median_us", "median us", TOOL_REAL, 9, 2, 3 },                                  \
	{ .name = "p99_us", "99%", TOOL_REAL, 9, 2, 3 },                                           \
	{ .name = "p999_us", "99.9%", TOOL_REAL, 9, 2, 3 }, TOOL_BAR,                              \
	{ .name = "gb_per_s", "GB/s", TOOL_REAL, 8, 4, 6 },                                        \
	{ .name = "mops_per_s", "Mops/s", TOOL_REAL | TOOL_NO_JSON, 9, 5, 6 },                     \
	{ .name = "ops_per_s", NULL, TOOL_REAL | TOOL_NO_CSV }

static const struct tool_column columns[] = { PLACE_COLUMNS, ROW_COLUMNS, { 0 } };
/* With --layout. */
static const struct tool_column key_columns[] = {
	PLACE_COLUMNS, { .name = "lcores", NULL, TOOL_COUNT | TOOL_NO_JSON },
	{ .name = "layout", "layout", TOOL_TEXT, -11 }, ROW_COLUMNS, TOOL_BAR,
	{ .name = "software_gb_per_s", "software", TOOL_REAL, 8, 3, 4 },
	{ .name = "library", "library", TOOL_TEXT, 1 }, { 0 },
};

static void
report_head(const struct bench_peer *b)
{
	printf("device %s to %s at %s; %u queue%s", b->info.dev_name, b->peer->info.dev_name,
	       b->peer->channel.where, b->conf->nb_queues, b->conf->nb_queues == 1 ? "" : "s");
	if (b->conf->nb_lcores > 1)
		printf(" on %u lcores", b->conf->nb_lcores);
	printf("; ");
	if (b->conf->seconds != 0)
		printf("%u s a row.\n", b->conf->seconds);
	else
		printf("%u rounds of %u samples a queue.\n", b->conf->nb_rounds,
		       NB_SAMPLES);
	printf("%s\n", note);
	if (b->conf->has_layouts)
		printf("software: GB/s of the same on one lcore by a library.\n");
	putchar('\n');
}

static json_t *
row_report(const struct bench_peer *b, const struct bench_peer_row *row)
{
	const double ns = bench_ns(row->cycles), nb_ops = (double)row->nb_samples * row->batch;
	/* Bytes per nanosecond are GB/s. */
#define PLACE_CELLS                                                                                \
	{ .text = b->info.dev_name }, { .text = b->peer->channel.where }, { b->conf->nb_queues }
#define ROW_CELLS                                                                                  \
	{ .text = row->name }, { row->len }, { row->batch }, { row->nb_pieces },                   \
	{ (double)row->nb_samples }, { bench_ns(row->median) / 1e3 },                              \
	{ bench_ns(row->p99) / 1e3 }, { bench_ns(row->p999) / 1e3 }, { nb_ops * row->len / ns },   \
	{ nb_ops / ns * 1e3 }, { nb_ops / ns * 1e9 }
	const union tool_cell cells[] = { PLACE_CELLS, ROW_CELLS };
	const union tool_cell key_cells[] = {
		PLACE_CELLS, { b->conf->nb_lcores }, { .text = bench_layout_name(row->layout) },
		ROW_CELLS, { has_software(row) ? row->len / bench_ns(row->software) : NAN },
		{ .text = has_software(row) ? bench_software_library(row->layout) : NULL },
	};
	const struct tool_column *all = b->conf->has_layouts ? key_columns : columns;
	const union tool_cell *values = b->conf->has_layouts ? key_cells : cells;

	tool_line_print(all, values, b->conf->format);
	return tool_line_to_json(all, values);
}

static void
peer_report(const struct bench_peer *b)
{
	const enum tool_format format = b->conf->format;
	const uint32_t seconds = b->conf->seconds;
	json_t *rows = json_array();

	if (format == TOOL_FORMAT_TEXT)
		report_head(b);
	tool_head_print(b->conf->has_layouts ? key_columns : columns, format, "");
	for (uint32_t i = 0; i < b->nb_rows; i++)
		json_array_append_new(rows, row_report(b, &b->rows[i]));
	if (format == TOOL_FORMAT_CSV)
		fprintf(stderr, "%s\n", note);
	tool_report_print(json_pack("{s:s, s:s, s:I, s:I, s:o, s:o, s:s, s:o}",
				    "device", b->info.dev_name, "peer", b->peer->channel.where,
				    "queues", (json_int_t)b->conf->nb_queues, "lcores",
				    (json_int_t)b->conf->nb_lcores, "rounds",
				    seconds != 0 ? json_null() : json_integer(b->conf->nb_rounds),
				    "seconds", seconds != 0 ? json_integer(seconds) : json_null(),
				    "note", note, "rows", rows), format);
}

enum tool_exit
bench_peer_run(const struct bench_conf *conf)
{
	struct bench_peer b = { .conf = conf, .dev_id = conf->devices.ids[0] };
	enum tool_exit ret = TOOL_OK;

	rte_umr_dev_info_get(b.dev_id, &b.info);
	if (!rows_create(&b) || !rows_size(&b))
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
