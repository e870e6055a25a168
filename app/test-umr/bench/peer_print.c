/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include "bench/peer.h"
#include "bench/report.h"

static const char note[] = "On software devices this is the speed of the model and its wire, not "
			   "that of an adapter.";

static double
cycles_to_us(double cycles)
{
	return bench_ns(cycles) / 1e3;
}

static double
row_ops_per_s(const struct bench_peer_row *row)
{
	return (double)row->nb_samples * row->batch / bench_ns(row->cycles) * 1e9;
}

/* Bytes per nanosecond are GB/s. */
static double
row_gb_per_s(const struct bench_peer_row *row)
{
	return (double)row->nb_samples * row->batch * row->len / bench_ns(row->cycles);
}

static void
report_head(const struct bench_peer *b)
{
	printf("device %s to %s at %s; %u queue%s; ", b->info.dev_name, b->peer->info.dev_name,
	       b->peer->channel.where, b->conf->nb_queues, b->conf->nb_queues == 1 ? "" : "s");
	if (b->conf->seconds != 0)
		printf("%u s a row.\n", b->conf->seconds);
	else
		printf("%u rounds of %u samples a queue.\n", b->conf->nb_rounds,
		       BENCH_PEER_SAMPLES);
	printf("%s\n\n%-16s %8s %5s %6s | %9s %9s %9s | %8s %9s\n", note, "row", "bytes", "batch",
	       "pieces", "median us", "99%", "99.9%", "GB/s", "Mops/s");
}

static void
report_lines(const struct bench_peer *b, bool is_csv)
{
	if (is_csv)
		result_print_csv_head("device,peer,queues,row,bytes,batch,pieces,samples,"
				      "median_us,p99_us,p999_us,gb_per_s,mops_per_s");
	else
		report_head(b);
	for (uint32_t i = 0; i < b->nb_rows; i++) {
		const struct bench_peer_row *row = &b->rows[i];

		if (is_csv)
			printf("%s,%s,%u,%s,%u,%u,%u,%" PRIu64 ",", b->info.dev_name,
			       b->peer->channel.where, b->conf->nb_queues, row->name, row->len,
			       row->batch, row->nb_pieces, row->nb_samples);
		else
			printf("%-16s %8u %5u %6u | ", row->name, row->len, row->batch,
			       row->nb_pieces);
		printf(is_csv ? "%.3f,%.3f,%.3f,%.6f,%.6f" : "%9.2f %9.2f %9.2f | %8.4f %9.5f\n",
		       cycles_to_us(row->median), cycles_to_us(row->p99), cycles_to_us(row->p999),
		       row_gb_per_s(row), row_ops_per_s(row) / 1e6);
		if (is_csv)
			result_print_csv_end();
	}
	if (is_csv)
		fprintf(stderr, "%s\n", note);
}

static void
report_json(const struct bench_peer *b)
{
	const uint32_t seconds = b->conf->seconds;
	json_t *rows = json_array();

	for (uint32_t i = 0; i < b->nb_rows; i++) {
		const struct bench_peer_row *row = &b->rows[i];

		json_array_append_new(rows, json_pack("{s:s, s:I, s:I, s:I, s:I, s:f, s:f, s:f, "
				      "s:f, s:f}", "row", row->name, "bytes", (json_int_t)row->len,
				      "batch", (json_int_t)row->batch, "pieces",
				      (json_int_t)row->nb_pieces, "samples",
				      (json_int_t)row->nb_samples, "median_us",
				      cycles_to_us(row->median), "p99_us", cycles_to_us(row->p99),
				      "p999_us", cycles_to_us(row->p999), "gb_per_s",
				      row_gb_per_s(row), "ops_per_s", row_ops_per_s(row)));
	}
	result_print_json(json_pack("{s:s, s:s, s:I, s:o, s:o, s:s, s:o}", "device",
				    b->info.dev_name, "peer", b->peer->channel.where, "queues",
				    (json_int_t)b->conf->nb_queues, "rounds",
				    seconds != 0 ? json_null() : json_integer(b->conf->nb_rounds),
				    "seconds", seconds != 0 ? json_integer(seconds) : json_null(),
				    "note", note, "rows", rows));
}

void
bench_peer_report(const struct bench_peer *b)
{
	if (b->conf->format == TOOL_FORMAT_JSON)
		report_json(b);
	else
		report_lines(b, b->conf->format == TOOL_FORMAT_CSV);
}
