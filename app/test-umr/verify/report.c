/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <inttypes.h>
#include <stdlib.h>

#include <jansson.h>

#include <rte_cycles.h>

#include "tool/print.h"
#include "verify/report.h"

/* Failures reported in full; others get one line. */
#define MAX_FULL_REPORTS	20u

struct verify_report {
	const struct verify_conf *conf;
	uint64_t nb_failures;
	bool has_progress;
	bool has_head;		/* header of CSV */
	uint64_t next_progress;	/* timer cycles */
	json_t *failures;
	json_t *modes;
};

struct verify_report *
verify_report_create(const struct verify_conf *conf)
{
	struct verify_report *report = calloc(1, sizeof(*report));

	if (report == NULL)
		return NULL;
	report->conf = conf;
	report->failures = json_array();
	report->modes = json_array();
	report->has_progress = tool_has_progress() && !conf->is_verbose;
	report->next_progress = rte_get_timer_cycles() + rte_get_timer_hz();
	if (report->failures == NULL || report->modes == NULL) {
		verify_report_destroy(report);
		return NULL;
	}
	return report;
}

void
verify_report_destroy(struct verify_report *report)
{
	if (report == NULL)
		return;
	json_decref(report->failures);
	json_decref(report->modes);
	free(report);
}

static void
progress_clear(const struct verify_report *report)
{
	if (report->has_progress)
		fprintf(stderr, "\r%70s\r", "");
}

void
verify_report_progress(struct verify_report *report, const struct verify_mode *mode,
		       uint64_t nb_done, const struct verify_count *count)
{
	uint64_t now = rte_get_timer_cycles();

	if (!report->has_progress || now < report->next_progress)
		return;
	report->next_progress = now + rte_get_timer_hz();
	fprintf(stderr, "\r%s: %" PRIu64 " of %" PRIu64 " cases, %" PRIu64 " failed ", mode->name,
		nb_done, count->nb_cases, count->nb_failed);
	fflush(stderr);
}

/* Describe the case; the caller frees the text. */
static char *
case_text(const struct verify_mode *mode, const void *vc)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (f == NULL)
		return NULL;
	mode->print(f, "  ", vc);
	fclose(f);
	return text;
}

static const char *
transport_option(unsigned int transports)
{
	switch (transports) {
	case BED_LOOPBACK:
		return " --transport loopback";
	case BED_RC:
		return " --transport rc";
	default:
		return "";
	}
}

/* Command line that repeats one case with all relevant options. The caller frees it. */
static char *
replay_text(const struct verify_conf *conf, const struct verify_mode *mode, uint64_t number)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (f == NULL)
		return NULL;
	fprintf(f, "verify --layout %s --seed %" PRIu64 " --case %" PRIu64 "%s%s", mode->name,
		conf->seed, number, transport_option(conf->transports),
		conf->has_wrap ? " --wrap" : "");
	if (conf->peer != NULL)
		fprintf(f, " --peer %s", conf->peer);
	for (uint16_t i = 0; i < conf->devices.nb_names; i++)
		fprintf(f, " --device %s", conf->devices.names[i]);
	fclose(f);
	return text;
}

void
verify_report_failure(struct verify_report *report, const struct verify_mode *mode,
		      uint64_t number, const void *vc, const char *why)
{
	const struct verify_conf *conf = report->conf;
	bool is_full = report->nb_failures++ < MAX_FULL_REPORTS;
	char *text = is_full ? case_text(mode, vc) : NULL;
	char *again = replay_text(conf, mode, number);

	if (conf->format == TOOL_FORMAT_JSON) {
		json_array_append_new(report->failures,
				      json_pack("{s:s, s:I, s:s, s:s?, s:s?}", "layout", mode->name,
						"case", (json_int_t)number, "why", why, "what",
						text, "again", again));
	} else {
		/* With CSV, stdout has only the results of the layouts. */
		FILE *f = conf->format == TOOL_FORMAT_CSV ? stderr : stdout;

		progress_clear(report);
		fprintf(f, "FAILED %s case %" PRIu64 ", seed %" PRIu64 ": %s\n%s", mode->name,
			number, conf->seed, why, text == NULL ? "" : text);
		if (is_full && again != NULL)
			fprintf(f, "  again: %s\n", again);
	}
	free(again);
	free(text);
}

static const struct tool_column columns[] = {
	{ .name = "layout", NULL, TOOL_TEXT }, { .name = "passed", NULL, TOOL_COUNT },
	{ .name = "failed", NULL, TOOL_COUNT }, { .name = "skipped", NULL, TOOL_COUNT },
	{ .name = "seconds", NULL, TOOL_REAL, .csv_decimals = 6 },
	{ .name = "why", NULL, TOOL_TEXT }, { 0 },
};

void
verify_report_mode(struct verify_report *report, const struct verify_mode *mode,
		   const struct verify_count *count)
{
	const enum tool_format format = report->conf->format;
	const union tool_cell cells[] = {
		{ .text = mode->name }, { (double)count->nb_passed }, { (double)count->nb_failed },
		{ (double)count->nb_skipped }, { count->seconds },
		{ .text = count->nb_skipped > 0 ? count->why : NULL },
	};

	json_array_append_new(report->modes, tool_line_to_json(columns, cells));
	if (format != TOOL_FORMAT_JSON)
		progress_clear(report);
	if (format == TOOL_FORMAT_CSV && !report->has_head)
		tool_head_print(columns, format, "");
	report->has_head = true;
	if (format != TOOL_FORMAT_TEXT) {
		tool_line_print(columns, cells, format);
		return;
	}
	printf("%s:", mode->name);
	if (count->nb_skipped > 0) {
		printf(" %" PRIu64 " skipped: %s\n", count->nb_skipped, count->why);
		return;
	}
	printf(" %" PRIu64 " passed", count->nb_passed);
	if (count->nb_failed > 0)
		printf(", %" PRIu64 " failed", count->nb_failed);
	putchar('\n');
}

void
verify_report_end(struct verify_report *report, const struct verify_count *counts, double seconds)
{
	struct verify_count sum = { 0 };
	FILE *f = stdout;
	json_t *all;

	for (uint32_t i = 0; i < report->conf->modes.nb; i++) {
		sum.nb_passed += counts[i].nb_passed;
		sum.nb_failed += counts[i].nb_failed;
		sum.nb_skipped += counts[i].nb_skipped;
	}
	if (report->conf->format != TOOL_FORMAT_TEXT)
		f = stderr;
	if (report->conf->format == TOOL_FORMAT_JSON) {
		all = json_pack("{s:I, s:I, s:I, s:I, s:f, s:O, s:O}", "seed",
				(json_int_t)report->conf->seed, "passed",
				(json_int_t)sum.nb_passed, "failed", (json_int_t)sum.nb_failed,
				"skipped", (json_int_t)sum.nb_skipped, "seconds", seconds,
				"layouts", report->modes, "failures", report->failures);
		result_print_json(all);
	}
	fprintf(f, "%" PRIu64 " passed, %" PRIu64 " failed", sum.nb_passed, sum.nb_failed);
	if (sum.nb_skipped > 0)
		fprintf(f, ", %" PRIu64 " skipped", sum.nb_skipped);
	fputc('\n', f);
}
