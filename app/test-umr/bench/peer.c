/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Transfers to a serving process: from the first enqueue call to the return of the call that
 * returns the last operation. After each row, the received data is compared.
 */

#include <errno.h>
#include <sched.h>
#include <stdlib.h>

#include <rte_errno.h>
#include <rte_malloc.h>

#include "bench/conf.h"
#include "bench/measure/clock.h"
#include "bench/report.h"
#include "peer/client.h"

#define QUEUE		0
#define NB_DESC		256u
#define MAX_LEN		(64u << 10)
#define MAX_PIECES	16u
/* Distance of the pieces. */
#define PIECE_STEP	(MAX_LEN / MAX_PIECES)
/* Samples of each round, and unmeasured samples before all rounds. */
#define NB_SAMPLES	32u
#define NB_WARM_UP	32u
#define POLLS_BEFORE_YIELD 64u

static const char note[] = "On software devices this is the speed of the model and its wire, not "
			   "that of an adapter.";

struct peer_row {
	const char *name;
	uint32_t len;		/* Bytes of an operation. */
	uint32_t nb_pieces;	/* Pieces of a key; 0: one piece without a key. */
	uint32_t nb_ops;	/* Writes under one doorbell. */
};

static const struct peer_row peer_rows[] = {
	{ "write", 64, 0, 1 },
	{ "write", MAX_LEN, 0, 1 },
	{ "write", MAX_LEN, 0, 16 },
	{ "writes of pieces", 256, 0, MAX_PIECES },
	{ "list and write", 256 * MAX_PIECES, MAX_PIECES, 1 },
};

struct bench_peer {
	int16_t dev_id;
	struct rte_umr_dev_info info;
	struct peer *peer;
	uint8_t *memory;
	struct rte_umr_mr *mr;
	struct rte_umr_mkey_pool *pool;
	struct rte_umr_mkey *mkey;
	uint32_t nb_rounds;
	double *values;
	struct bench_stat stats[RTE_DIM(peer_rows)];	/* Cycles of a sample. */
};

static bool
complain(const char *what, int ret)
{
	if (ret < 0)
		tool_error("bench: %s: %s", what, rte_strerror(-ret));
	return ret >= 0;
}

static bool
queue_create(struct bench_peer *b)
{
	const struct rte_umr_dev_conf dev_conf = { .nb_queues = 1 };
	const struct rte_umr_queue_conf conf = {
		.transport = RTE_UMR_TRANSPORT_RC,
		.nb_desc = (uint16_t)RTE_MAX(RTE_MIN(NB_DESC, b->info.max_desc), b->info.min_desc),
		.socket_id = SOCKET_ID_ANY,
	};
	int ret = rte_umr_dev_configure(b->dev_id, &dev_conf);

	if (ret == 0)
		ret = rte_umr_queue_setup(b->dev_id, QUEUE, &conf);
	if (ret == 0)
		ret = rte_umr_dev_start(b->dev_id);
	return complain("a queue", ret);
}

static bool
memory_create(struct bench_peer *b)
{
	const struct rte_umr_mkey_pool_conf pool_conf = {
		.nb_mkeys = 1,
		.max_entries = MAX_PIECES,
		.socket_id = SOCKET_ID_ANY,
	};
	struct rte_umr_mr_conf mr_conf = { .len = MAX_LEN };

	b->memory = rte_malloc("bench peer", MAX_LEN, 4096);
	b->values = calloc((size_t)b->nb_rounds * NB_SAMPLES, sizeof(b->values[0]));
	if (b->memory == NULL || b->values == NULL)
		return complain("memory", -ENOMEM);
	mr_conf.addr = b->memory;
	b->mr = rte_umr_mr_register(b->dev_id, &mr_conf);
	if (b->mr == NULL)
		return complain("registering memory", -rte_errno);
	b->pool = rte_umr_mkey_pool_create(b->dev_id, &pool_conf);
	if (b->pool == NULL)
		return complain("a key", -rte_errno);
	b->mkey = rte_umr_mkey_get(b->pool);
	return b->mkey != NULL || complain("a key", -ENOBUFS);
}

static bool
bench_peer_open(struct bench_peer *b, const char *where)
{
	const uint32_t sizes[] = { MAX_LEN };

	rte_umr_dev_info_get(b->dev_id, &b->info);
	b->peer = peer_open("bench", where, sizes, RTE_DIM(sizes), 1);
	if (b->peer == NULL || !memory_create(b) || !queue_create(b))
		return false;
	if (peer_connect(b->peer, b->dev_id, QUEUE, 0))
		return true;
	tool_error("bench: %s", b->peer->why);
	return false;
}

static void
bench_peer_close(struct bench_peer *b)
{
	rte_umr_dev_stop(b->dev_id);
	if (b->mkey != NULL)
		rte_umr_mkey_put(b->pool, b->mkey);
	rte_umr_mkey_pool_destroy(b->pool);
	rte_umr_mr_deregister(b->mr);
	rte_free(b->memory);
	free(b->values);
	peer_close(b->peer);
}

/* Start of a piece, or of the source of a write. */
static uint32_t
source_of(const struct peer_row *row, uint32_t i)
{
	return row->len == MAX_LEN ? 0 : i * PIECE_STEP;
}

/* Destination of write i. */
static uint32_t
target_of(const struct peer_row *row, uint32_t i)
{
	return row->len == MAX_LEN ? 0 : i * row->len;
}

static int
list_enqueue(const struct bench_peer *b, const struct peer_row *row)
{
	struct rte_umr_seg segs[MAX_PIECES];

	for (uint32_t i = 0; i < row->nb_pieces; i++)
		segs[i] = (struct rte_umr_seg){
			.addr = (uintptr_t)b->memory + source_of(row, i),
			.length = row->len / row->nb_pieces,
			.lkey = b->mr->lkey,
		};
	return rte_umr_mkey_list(b->dev_id, QUEUE, b->mkey, 0, segs, row->nb_pieces, 0);
}

/* Post all operations of a sample under one doorbell. Return their number or a negative errno. */
static int
row_post(const struct bench_peer *b, const struct peer_row *row)
{
	const struct peer_memory *target = &b->peer->areas[0];
	int ret = 0;

	if (row->nb_pieces != 0)
		ret = list_enqueue(b, row);
	for (uint32_t i = 0; i < row->nb_ops && ret >= 0; i++) {
		struct rte_umr_seg local = {
			.addr = (uintptr_t)b->memory + source_of(row, i),
			.length = row->len,
			.lkey = b->mr->lkey,
		};

		if (row->nb_pieces != 0)
			local = (struct rte_umr_seg){ .length = row->len, .lkey = b->mkey->key };
		ret = rte_umr_write(b->dev_id, QUEUE, &local, target->addr + target_of(row, i),
				    target->rkeys[0],
				    i == row->nb_ops - 1 ? RTE_UMR_OP_F_SUBMIT : 0);
	}
	return ret < 0 ? ret : (int)row->nb_ops + (row->nb_pieces != 0);
}

static bool
row_collect(const struct bench_peer *b, uint16_t nb)
{
	const uint64_t deadline = bench_deadline(PEER_TIMEOUT_MS);
	struct rte_umr_completion done;
	bool has_error = false;

	for (uint32_t polls = 1; nb > 0 && !has_error; polls++) {
		nb -= rte_umr_completed(b->dev_id, QUEUE, nb, NULL, &has_error);
		if (nb > 0 && rte_rdtsc() > deadline)
			return complain("a write", -ETIMEDOUT);
		/* Software devices need a CPU, too. */
		if (polls % POLLS_BEFORE_YIELD == 0)
			sched_yield();
	}
	if (!has_error)
		return true;
	if (rte_umr_completed_status(b->dev_id, QUEUE, 1, &done) == 1)
		tool_error("bench: %s ended with '%s', syndrome 0x%02x", rte_umr_op_name(done.op),
			   rte_umr_status_name(done.status), done.syndrome);
	return false;
}

static bool
sample_measure(const struct bench_peer *b, const struct peer_row *row, double *cycles)
{
	const uint64_t start = bench_time();
	const int nb = row_post(b, row);

	if (!complain(row->name, nb) || !row_collect(b, (uint16_t)nb))
		return false;
	*cycles = (double)(bench_time() - start);
	return true;
}

/* Whether the server has the data of the last write. */
static bool
row_check(const struct bench_peer *b, const struct peer_row *row)
{
	const uint32_t nb = RTE_MAX(row->nb_ops, row->nb_pieces);
	const uint32_t len = row->nb_pieces != 0 ? row->len / row->nb_pieces : row->len;
	static uint8_t arrived[MAX_LEN];

	if (!peer_get(b->peer, 0, 0, arrived, sizeof(arrived))) {
		tool_error("bench: %s", b->peer->why);
		return false;
	}
	for (uint32_t i = 0; i < nb; i++) {
		uint32_t at = row->len == MAX_LEN ? 0 : i * len;

		if (memcmp(arrived + at, b->memory + source_of(row, i), len) != 0) {
			tool_error("bench: %s: the server has other bytes", row->name);
			return false;
		}
	}
	return true;
}

static bool
row_measure(struct bench_peer *b, uint32_t index)
{
	const struct peer_row *row = &peer_rows[index];
	const uint32_t nb = b->nb_rounds * NB_SAMPLES;
	double ignored;

	/* Contents that differ from those of previous rows. */
	for (uint32_t i = 0; i < MAX_LEN; i++)
		b->memory[i] = (uint8_t)(i * 7 + i / 256 + index * 31 + 1);
	for (uint32_t i = 0; i < NB_WARM_UP; i++)
		if (!sample_measure(b, row, &ignored))
			return false;
	for (uint32_t i = 0; i < nb; i++)
		if (!sample_measure(b, row, &b->values[i]))
			return false;
	b->stats[index] = bench_stat_of(b->values, nb);
	return row_check(b, row);
}

static double
row_us(double cycles)
{
	return bench_ns(cycles) / 1e3;
}

/* Throughput of a sample: bytes per microsecond equal megabytes per second. */
static double
row_mb_per_s(const struct peer_row *row, const struct bench_stat *stat)
{
	return (double)row->len * row->nb_ops / row_us(stat->median);
}

static void
report_lines(const struct bench_peer *b, bool is_csv)
{
	if (is_csv)
		result_print_csv_head("device,peer,rounds,row,bytes,writes,pieces,median_us,q1_us,"
				      "q3_us,mb_per_s");
	else
		printf("device %s to %s at %s; %u rounds of %u samples.\n%s\n\n"
		       "%-16s %7s %6s %6s | %10s %10s %10s | %9s\n", b->info.dev_name,
		       b->peer->info.dev_name, b->peer->channel.where, b->nb_rounds, NB_SAMPLES,
		       note, "row", "bytes", "writes", "pieces", "median us", "q1", "q3", "MB/s");
	for (uint32_t i = 0; i < RTE_DIM(peer_rows); i++) {
		const struct peer_row *row = &peer_rows[i];
		const struct bench_stat *stat = &b->stats[i];

		if (is_csv)
			printf("%s,%s,%u,", b->info.dev_name, b->peer->channel.where, b->nb_rounds);
		printf(is_csv ? "%s,%u,%u,%u,%.3f,%.3f,%.3f,%.1f" :
				"%-16s %7u %6u %6u | %10.2f %10.2f %10.2f | %9.1f\n",
		       row->name, row->len, row->nb_ops, row->nb_pieces, row_us(stat->median),
		       row_us(stat->q1), row_us(stat->q3), row_mb_per_s(row, stat));
		if (is_csv)
			result_print_csv_end();
	}
	if (is_csv)
		fprintf(stderr, "%s\n", note);
}

static void
report_json(const struct bench_peer *b)
{
	json_t *rows = json_array();

	for (uint32_t i = 0; i < RTE_DIM(peer_rows); i++) {
		const struct peer_row *row = &peer_rows[i];
		const struct bench_stat *stat = &b->stats[i];

		json_array_append_new(rows, json_pack("{s:s, s:i, s:i, s:i, s:f, s:f, s:f, s:f}",
				      "row", row->name, "bytes", (int)row->len, "writes",
				      (int)row->nb_ops, "pieces", (int)row->nb_pieces, "median_us",
				      row_us(stat->median), "q1_us", row_us(stat->q1), "q3_us",
				      row_us(stat->q3), "mb_per_s", row_mb_per_s(row, stat)));
	}
	result_print_json(json_pack("{s:s, s:s, s:i, s:i, s:s, s:o}", "device", b->info.dev_name,
				     "peer", b->peer->channel.where, "rounds", (int)b->nb_rounds,
				     "samples_per_round", (int)NB_SAMPLES, "note", note, "rows",
				     rows));
}

enum tool_exit
bench_peer_run(const struct bench_conf *conf)
{
	struct bench_peer b = { .dev_id = conf->devices.ids[0], .nb_rounds = conf->nb_rounds };
	enum tool_exit ret = TOOL_OK;

	if (!bench_peer_open(&b, conf->peer))
		ret = TOOL_SETUP;
	for (uint32_t i = 0; i < RTE_DIM(peer_rows) && ret == TOOL_OK; i++)
		if (!row_measure(&b, i))
			ret = TOOL_FAILED;
	if (ret == TOOL_OK && conf->format == TOOL_FORMAT_JSON)
		report_json(&b);
	else if (ret == TOOL_OK)
		report_lines(&b, conf->format == TOOL_FORMAT_CSV);
	bench_peer_close(&b);
	return ret;
}
