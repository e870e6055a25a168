/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/path/collect.h"
#include "bench/measure/clock.h"
#include "bench/instr.h"

/* Empty sections, which show the cost of a section itself. */
#define NB_EMPTY	64u
#define MAX_LAYOUT_NAME	16
/* The count of a batch is constant except at the end of the ring. */
#define MAX_BATCHES	256u
#define EMPTY_NAME	"empty"
#define MAX_ARGS	1024u
/* Without hugepages, EAL needs the amount of memory. */
#define EAL_MEGABYTES	"512"

/* Count of callgrind for a path and a row. */
struct count {
	char path[MAX_LAYOUT_NAME];
	char layout[MAX_LAYOUT_NAME];
	uint32_t nb_entries;
	uint32_t batch;
	uint64_t nb_ops;
	uint64_t nb_sections;
	uint64_t sum;
};

/* Counts of the run below valgrind. */
static struct {
	struct count *counts;	/* NULL: there was none, or it has failed */
	uint32_t nb;
	char folder[PATH_MAX];
} callgrind;

const char *
bench_instr_by(const struct bench *bench)
{
	switch (bench->instr_by) {
	case BENCH_INSTR_CPU:
		return "cpu";
	case BENCH_INSTR_CALLGRIND:
		return "callgrind";
	default:
		return NULL;
	}
}

/*
 * Count batches of a row; return the number of operations, or 0 after printing an error. Wait by
 * checking the CQE, because polls that find nothing would count, too.
 */
static uint64_t
row_count(struct bench *bench, unsigned int path, const struct bench_row *row)
{
	void *ctx = bench->workers[0].ctx[path];
	const uint32_t nb_warm_up = bench_row_warm_up(row);
	uint32_t nb = RTE_MIN(bench_nb_batches(row), MAX_BATCHES), i;
	struct bench_sample sample;
	bool is_ok = bench_paths[path]->begin(ctx, row, 0);

	for (i = 0; i < nb_warm_up && is_ok; i++)
		is_ok = bench_batch(bench_paths[path], ctx, row, NULL, &sample);
	bench_count_reset();
	bench_counter.is_on = true;
	for (i = 0; i < nb && is_ok; i++)
		is_ok = bench_batch(bench_paths[path], ctx, row, NULL, &sample);
	bench_counter.is_on = false;
	return is_ok ? (uint64_t)nb * row->batch : 0;
}

static void
empty_count(void)
{
	bench_count_reset();
	bench_counter.is_on = true;
	for (uint32_t i = 0; i < NB_EMPTY; i++) {
		bench_section_start();
		bench_section_end();
	}
	bench_counter.is_on = false;
}

static double
per_op(uint64_t sum, uint64_t nb_sections, double per_section, uint64_t nb_ops)
{
	return ((double)sum - (double)nb_sections * per_section) / (double)nb_ops;
}

static bool
can_run(const struct bench *bench, unsigned int path, const struct bench_row *row)
{
	void *ctx = bench->workers[0].ctx[path];

	return ctx != NULL && bench_paths[path]->can_run(ctx, row);
}

bool
bench_instr_is_counting(const struct bench_conf *conf)
{
	return conf->instr_by == BENCH_INSTR_CALLGRIND && bench_count_is_below_callgrind();
}

/* Dump a count in the format that counts_read() parses. */
static void
dump(const char *path, const char *layout, uint32_t nb_entries, uint32_t batch, uint64_t nb_ops)
{
	char text[128];

	snprintf(text, sizeof(text), "%s %s %u %u %" PRIu64 " %" PRIu64, path, layout, nb_entries,
		 batch, nb_ops, bench_counter.nb_sections);
	bench_count_dump(text);
}

enum tool_exit
bench_instr_rows(struct bench *bench, const struct bench_report_row *rows, uint32_t nb)
{
	const struct bench_row *row;
	uint64_t nb_ops;

	bench_count_open_callgrind();
	empty_count();
	dump(EMPTY_NAME, EMPTY_NAME, 0, 0, 0);
	for (uint32_t i = 0; i < nb; i++)
		for (unsigned int path = 0; path < BENCH_NB_PATHS; path++) {
			row = &rows[i].row;
			if (!can_run(bench, path, row))
				continue;
			nb_ops = row_count(bench, path, row);
			if (nb_ops == 0)
				return TOOL_FAILED;
			dump(bench_paths[path]->name, bench_layout_name(row->layout),
			     row->nb_entries, row->batch, nb_ops);
		}
	bench_count_close();
	return TOOL_OK;
}

/* Parse a file of callgrind; return false if dump() did not write it. */
static bool
count_read(const char *name, struct count *count)
{
	bool has_text = false, has_sum = false;
	char line[512];
	FILE *f = fopen(name, "r");

	if (f == NULL)
		return false;
	while (fgets(line, sizeof(line), f) != NULL) {
		if (sscanf(line, "desc: Trigger: Client Request: %15s %15s %" SCNu32 " %" SCNu32
			   " %" SCNu64 " %" SCNu64, count->path, count->layout, &count->nb_entries,
			   &count->batch, &count->nb_ops, &count->nb_sections) == 6)
			has_text = true;
		if (sscanf(line, "totals: %" SCNu64, &count->sum) == 1 ||
		    sscanf(line, "summary: %" SCNu64, &count->sum) == 1)
			has_sum = true;
	}
	fclose(f);
	return has_text && has_sum;
}

/* Read and remove all files of the run. */
static void
counts_read(bool is_good)
{
	char pattern[PATH_MAX + 8];
	glob_t found;

	snprintf(pattern, sizeof(pattern), "%s/*", callgrind.folder);
	if (glob(pattern, 0, NULL, &found) == 0) {
		if (is_good)
			callgrind.counts = calloc(found.gl_pathc, sizeof(callgrind.counts[0]));
		for (size_t i = 0; i < found.gl_pathc; i++) {
			if (callgrind.counts != NULL &&
			    count_read(found.gl_pathv[i], &callgrind.counts[callgrind.nb]))
				callgrind.nb++;
			unlink(found.gl_pathv[i]);
		}
		globfree(&found);
	}
	rmdir(callgrind.folder);
}

/* The count of a row, or NAN. */
static double
count_find(const char *path, const struct bench_row *row, double per_section)
{
	for (uint32_t i = 0; i < callgrind.nb; i++) {
		const struct count *c = &callgrind.counts[i];

		if (strcmp(c->path, path) == 0 && c->nb_ops != 0 &&
		    strcmp(c->layout, bench_layout_name(row->layout)) == 0 &&
		    c->nb_entries == row->nb_entries && c->batch == row->batch)
			return per_op(c->sum, c->nb_sections, per_section, c->nb_ops);
	}
	return NAN;
}

/* Instructions of an empty section; NAN: not counted. */
static double
empty_find(void)
{
	for (uint32_t i = 0; i < callgrind.nb; i++) {
		const struct count *c = &callgrind.counts[i];

		if (strcmp(c->path, EMPTY_NAME) == 0 && c->nb_sections != 0)
			return (double)c->sum / (double)c->nb_sections;
	}
	return NAN;
}

static bool
has_arg(char *const *argv, const char *arg)
{
	for (; *argv != NULL; argv++)
		if (strcmp(*argv, arg) == 0)
			return true;
	return false;
}

/*
 * Command line of this program for the run below valgrind, where the addresses that EAL reserves
 * for hugepages are not available. Without hugepages the instructions are the same.
 */
static void
program_args(const char *exe, char *const *process_argv, const char **args)
{
	uint32_t nb = 0;

	args[nb++] = exe;
	if (!has_arg(process_argv, "--no-huge"))
		args[nb++] = "--no-huge";
	if (!has_arg(process_argv, "-m")) {
		args[nb++] = "-m";
		args[nb++] = EAL_MEGABYTES;
	}
	if (!has_arg(process_argv, "--"))
		args[nb++] = "--";
	for (process_argv++; *process_argv != NULL && nb < MAX_ARGS; process_argv++)
		args[nb++] = *process_argv;
}

/* Run by the child. */
static void
valgrind_exec(char *const *process_argv)
{
	char exe[PATH_MAX] = "", out[PATH_MAX + 32], log[PATH_MAX + 8];
	const char *args[MAX_ARGS + 8] = {
		"valgrind", "--tool=callgrind", "--quiet", "--collect-atstart=no",
		"--fair-sched=try", out,
	};
	const uint32_t nb_first = 6;
	int fd;

	snprintf(out, sizeof(out), "--callgrind-out-file=%s/out", callgrind.folder);
	snprintf(log, sizeof(log), "%s/log", callgrind.folder);
	if (readlink("/proc/self/exe", exe, sizeof(exe) - 1) < 0)
		_exit(127);
	program_args(exe, process_argv, &args[nb_first]);
	fd = open(log, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (fd >= 0) {
		dup2(fd, STDOUT_FILENO);
		dup2(fd, STDERR_FILENO);
	}
	execvp(args[0], (char *const *)(uintptr_t)args);
	fprintf(stderr, "valgrind: %s\n", strerror(errno));
	_exit(127);
}

/* Print the output of the run below valgrind. */
static void
log_print(void)
{
	char name[PATH_MAX + 8], line[512];
	FILE *f;

	snprintf(name, sizeof(name), "%s/log", callgrind.folder);
	f = fopen(name, "r");
	if (f == NULL)
		return;
	while (fgets(line, sizeof(line), f) != NULL)
		fprintf(stderr, "  %s", line);
	fclose(f);
}

void
bench_instr_prepare(const void *conf, char **process_argv)
{
	const enum bench_instr_by by = ((const struct bench_conf *)conf)->instr_by;
	const char *tmp = getenv("TMPDIR");
	int status = -1;
	pid_t child;

	if (by != BENCH_INSTR_CALLGRIND || bench_count_is_below_callgrind())
		return;
	snprintf(callgrind.folder, sizeof(callgrind.folder), "%s/umr-bench-XXXXXX",
		 tmp != NULL && tmp[0] != '\0' ? tmp : "/tmp");
	if (mkdtemp(callgrind.folder) == NULL) {
		tool_error("bench: %s: %s", callgrind.folder, strerror(errno));
		return;
	}
	child = fork();
	if (child == 0)
		valgrind_exec(process_argv);
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	/* This run reports a usage error itself. */
	if (status != 0 && !(WIFEXITED(status) && WEXITSTATUS(status) == TOOL_USAGE)) {
		tool_error("bench: counting below valgrind has failed:");
		log_print();
	}
	counts_read(status == 0);
}

bool
bench_instr_open(struct bench *bench, const struct bench_conf *conf)
{
	int ret;

	bench->instr_by = conf->instr_by;
	bench->instr_error = NULL;
	if (conf->instr_by == BENCH_INSTR_CPU) {
		ret = bench_count_open();
		if (ret == 0)
			return true;
		bench->instr_by = BENCH_INSTR_OFF;
		bench->instr_error = bench_count_strerror(ret);
		return true;
	}
	if (conf->instr_by != BENCH_INSTR_CALLGRIND || !isnan(empty_find()))
		return true;
	tool_error("--instructions callgrind: nothing was counted");
	return false;
}

/* Count with the open counter; NAN: the counter could not be read. */
static bool
row_count_cpu(struct bench *bench, unsigned int path, struct bench_report_row *row)
{
	uint64_t nb_ops;
	double empty;

	empty_count();
	empty = (double)bench_counter.sum / NB_EMPTY;
	nb_ops = row_count(bench, path, &row->row);
	if (nb_ops == 0)
		return false;
	if (bench_counter.has_failed) {
		bench->instr_by = BENCH_INSTR_OFF;
		bench->instr_error = bench_count_strerror(-EIO);
		return true;
	}
	row->paths[path].instructions = per_op(bench_counter.sum, bench_counter.nb_sections, empty,
					       nb_ops);
	return true;
}

bool
bench_instr_row(struct bench *bench, struct bench_report_row *row)
{
	bool is_ok = true;

	for (unsigned int path = 0; path < BENCH_NB_PATHS && is_ok; path++) {
		row->paths[path].instructions = NAN;
		if (!row->paths[path].is_valid)
			continue;
		if (bench->instr_by == BENCH_INSTR_CPU)
			is_ok = row_count_cpu(bench, path, row);
		else if (bench->instr_by == BENCH_INSTR_CALLGRIND)
			row->paths[path].instructions =
				count_find(bench_paths[path]->name, &row->row, empty_find());
	}
	return is_ok;
}

void
bench_instr_close(void)
{
	bench_count_close();
	free(callgrind.counts);
	callgrind.counts = NULL;
	callgrind.nb = 0;
}
