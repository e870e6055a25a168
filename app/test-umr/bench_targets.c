/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * What this driver is to reach, measured and judged. A target that the driver does not offer yet
 * is never met.
 */

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench_conf.h"
#include "bench_report.h"

#define BATCH			32u
#define DEPTH			1024u
#define NB_KEYS			256u
/* Passes over the sizes that the cost must not depend on, and rounds of each. */
#define NB_FLAT_PASSES		5u
#define FLAT_ROUNDS		11u
#define MAX_FLAT_SIZES		8u
/* Lists of the long row under one doorbell. */
#define MEMORY_BATCH		8u
#define MAX_TARGETS		32u

/* What is compared with the limit. */
enum measure {
	LIBMLX5_BY_RTE,		/* how many times cheaper than libmlx5 */
	RTE_BY_FLOOR,		/* how many times the floor */
	GET_CYCLES,		/* cycles to take a key */
	PUT_CYCLES,		/* cycles to put it back */
	LARGEST_CHANGE,		/* of the cost over sizes, as a share */
	NS_PER_ENTRY,
};

/* A target of the table. */
struct target {
	const char *name;
	const char *what;
	enum measure measure;
	bool is_at_least;
	double limit;
	struct bench_row row;
};

/* What came out. */
struct verdict {
	const struct target *target;
	bool is_offered;
	bool is_met;
	double value;
	double q1;
	double q3;
	double floor;	/* the same of the floor, for comparison; NAN: none */
};

/* What a row costs in both ways. */
struct cost {
	double rte;	/* NAN: it failed */
	double floor;
};

#define CHEAPER(id, text, factor, shape, n, size)                                                  \
	{                                                                                          \
		.name = id "/libmlx5", .what = text ": times cheaper than libmlx5",                \
		.measure = LIBMLX5_BY_RTE, .is_at_least = true, .limit = factor,                   \
		.row = { .layout = shape, .nb_entries = n, .batch = size, .nb_keys = NB_KEYS }     \
	}
#define FLOOR(id, text, factor, shape, n, size)                                                    \
	{                                                                                          \
		.name = id "/floor", .what = text ": times the cost of the floor",                 \
		.measure = RTE_BY_FLOOR, .is_at_least = false, .limit = factor,                    \
		.row = { .layout = shape, .nb_entries = n, .batch = size, .nb_keys = NB_KEYS }     \
	}
#define LIST(n)                                                                                    \
	CHEAPER("list-" #n, "list of " #n ", batch 32", 4.0, BENCH_LIST, n, BATCH),                \
	FLOOR("list-" #n, "list of " #n ", batch 32", 1.6, BENCH_LIST, n, BATCH)
#define KEYS(id, text, kind)                                                                       \
	{                                                                                          \
		.name = id, .what = text, .measure = kind, .limit = 10.0,                          \
		.row = { .layout = BENCH_KEYGET, .nb_entries = 1, .batch = BATCH,                  \
			 .nb_keys = NB_KEYS }                                                      \
	}

static const struct target row_targets[] = {
	LIST(1), LIST(2), LIST(3), LIST(4), LIST(16), LIST(52),
	CHEAPER("interleaved-3", "interleaved, 3 entries, batch 32", 4.0, BENCH_INTERLEAVED, 3,
		BATCH),
	CHEAPER("list-4-batch-1", "list of 4 with its own doorbell and completion", 2.5, BENCH_LIST,
		4, 1),
	CHEAPER("invalidate", "invalidate, batch 32", 4.0, BENCH_INVALIDATE, 1, BATCH),
	KEYS("key-get", "cycles to take a key from its pool, bursts of 32", GET_CYCLES),
	KEYS("key-put", "cycles to put a key back, bursts of 32", PUT_CYCLES),
};

/* Either of both is enough. */
static const struct target memory_target = {
	.name = "list-4096", .what = "list of 4096: ns per entry, or below 1.3 times the floor",
	.measure = NS_PER_ENTRY, .limit = 1.5,
	.row = { .layout = BENCH_LIST, .nb_entries = 4096, .batch = MEMORY_BATCH,
		 .nb_keys = NB_KEYS },
};
#define MEMORY_FLOOR_LIMIT	1.3

static const struct target keys_target = {
	.name = "flat-keys", .what = "list of 4: change of cost from 64 to 65536 keys in use",
	.measure = LARGEST_CHANGE, .limit = 0.1,
	.row = { .layout = BENCH_LIST, .nb_entries = 4, .batch = BATCH },
};
static const struct target depth_target = {
	.name = "flat-depth", .what = "list of 4: change of cost from depth 256 to 16384",
	.measure = LARGEST_CHANGE, .limit = 0.1,
	.row = { .layout = BENCH_LIST, .nb_entries = 4, .batch = BATCH, .nb_keys = NB_KEYS },
};

static const struct tool_numbers key_sizes = { 6, { 64, 256, 1024, 4096, 16384, 65536 } };
static const struct tool_numbers depth_sizes = { 4, { 256, 1024, 4096, 16384 } };

void
bench_targets_prepare(int argc, char **argv, char **process_argv)
{
	const char *mode = getenv("SWHCA_ACK_ONLY");
	bool has_suite = false;

	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "--suite") == 0 || strncmp(argv[i], "--suite=", 8) == 0)
			has_suite = true;
	if (!has_suite || getenv("SWHCA_SYSFS_DIR") == NULL || (mode != NULL && mode[0] != '\0'))
		return;
	/* The devices have read their configuration already. */
	setenv("SWHCA_ACK_ONLY", "1", 1);
	execv("/proc/self/exe", process_argv);
	tool_error("bench: starting again with SWHCA_ACK_ONLY=1: %m");
}

static void
verdict_set(struct verdict *verdict, const struct target *target, const struct bench_stat *stat,
	    double scale)
{
	*verdict = (struct verdict){
		.target = target,
		.is_offered = true,
		.value = stat->median * scale,
		.q1 = stat->q1 * scale,
		.q3 = stat->q3 * scale,
		.floor = NAN,
	};
	verdict->is_met = target->is_at_least ? verdict->value >= target->limit :
						verdict->value <= target->limit;
}

static void
row_judge(struct verdict *verdict, const struct target *target,
	  const struct bench_report_row *report)
{
	const struct bench_result *rte = &report->paths[BENCH_RTE];

	switch (target->measure) {
	case LIBMLX5_BY_RTE:
		verdict_set(verdict, target, &report->libmlx5_ratio, 1);
		break;
	case RTE_BY_FLOOR:
		verdict_set(verdict, target, &report->floor_ratio, 1);
		break;
	case GET_CYCLES:
		verdict_set(verdict, target, &rte->post, 1);
		break;
	case NS_PER_ENTRY:
		verdict_set(verdict, target, &rte->total, bench_ns(1) / target->row.nb_entries);
		verdict->is_met |= report->floor_ratio.median <= MEMORY_FLOOR_LIMIT;
		verdict->floor = bench_ns(report->paths[BENCH_FLOOR].total.median) /
				 target->row.nb_entries;
		break;
	case PUT_CYCLES:
		verdict_set(verdict, target, &rte->poll, 1);
		break;
	default:
		*verdict = (struct verdict){ .target = target };
		break;
	}
}

static bool
is_same_row(const struct bench_row *a, const struct bench_row *b)
{
	return a->layout == b->layout && a->nb_entries == b->nb_entries && a->batch == b->batch &&
	       a->nb_keys == b->nb_keys;
}

/* Targets of one row follow each other: it is measured once. */
static bool
rows_measure(struct bench *bench, struct verdict *verdicts, uint32_t *nb)
{
	struct bench_report_row report = { 0 };

	for (uint32_t i = 0; i < RTE_DIM(row_targets); i++) {
		const struct target *target = &row_targets[i];

		if (!is_same_row(&report.row, &target->row) &&
		    !bench_measure(bench, &target->row, &report))
			return false;
		row_judge(&verdicts[(*nb)++], target, &report);
	}
	return true;
}

static void
sizes_init(struct bench *bench, const struct bench_conf *conf, uint32_t depth, uint32_t nb_keys)
{
	bench_init(bench, conf);
	bench->setup.depth = depth;
	bench->setup.max_batch = BATCH;
	bench->setup.max_entries = BENCH_MAX_INLINE + 1;
	bench->setup.max_keys = nb_keys;
	bench->setup.max_keys_libmlx5 = NB_KEYS;
}

/* Fewer rounds: one has as many lists as the others have operations. */
static bool
memory_measure(struct bench *bench, const struct bench_conf *conf, struct verdict *verdict)
{
	struct bench_report_row report = { 0 };
	bool is_ok;

	sizes_init(bench, conf, DEPTH, NB_KEYS);
	bench->nb_rounds = FLAT_ROUNDS;
	bench->setup.max_entries = memory_target.row.nb_entries;
	*verdict = (struct verdict){ .target = &memory_target };
	if (bench->info.max_list < memory_target.row.nb_entries)
		return true;
	is_ok = bench_open(bench) && bench_measure(bench, &memory_target.row, &report);
	bench_close(bench);
	if (is_ok)
		row_judge(verdict, &memory_target, &report);
	return is_ok;
}

static struct cost
cost_of(bool is_ok, const struct bench_report_row *report)
{
	return (struct cost){
		.rte = is_ok ? report->paths[BENCH_RTE].total.median : NAN,
		.floor = is_ok ? report->paths[BENCH_FLOOR].total.median : NAN,
	};
}

/* Cost of the row in a bench of its own, with that depth. */
static struct cost
depth_cost(struct bench *bench, const struct bench_conf *conf, uint32_t depth)
{
	struct bench_report_row report = { 0 };
	bool is_ok;

	sizes_init(bench, conf, depth, NB_KEYS);
	bench->nb_rounds = FLAT_ROUNDS;
	is_ok = bench_open(bench) && bench_measure(bench, &depth_target.row, &report);
	bench_close(bench);
	return cost_of(is_ok, &report);
}

/* Cost of the row in an open bench, with that many keys. */
static struct cost
keys_cost(struct bench *bench, const struct bench_conf *conf, uint32_t nb_keys)
{
	struct bench_report_row report = { 0 };
	struct bench_row row = keys_target.row;

	(void)conf;
	row.nb_keys = nb_keys;
	return cost_of(bench_measure(bench, &row, &report), &report);
}

typedef struct cost (*cost_t)(struct bench *bench, const struct bench_conf *conf, uint32_t size);

/* In each pass every size is compared with the first; what counts is the worst of the medians. */
static bool
flat_measure(struct bench *bench, const struct bench_conf *conf, const struct target *target,
	     const struct tool_numbers *sizes, cost_t cost_fn, struct verdict *verdict)
{
	double changes[MAX_FLAT_SIZES][NB_FLAT_PASSES], floors[MAX_FLAT_SIZES][NB_FLAT_PASSES];
	struct bench_stat stat, worst = { 0 };
	struct cost first = { 0 }, cost;
	uint32_t i, worst_size = 1;

	for (uint32_t pass = 0; pass < NB_FLAT_PASSES; pass++)
		for (i = 0; i < sizes->nb; i++) {
			cost = cost_fn(bench, conf, sizes->values[i]);
			if (isnan(cost.rte))
				return false;
			if (i == 0)
				first = cost;
			changes[i][pass] = fabs(cost.rte / first.rte - 1);
			floors[i][pass] = fabs(cost.floor / first.floor - 1);
		}
	for (i = 1; i < sizes->nb; i++) {
		stat = bench_stat_of(changes[i], NB_FLAT_PASSES);
		if (stat.median >= worst.median) {
			worst = stat;
			worst_size = i;
		}
	}
	verdict_set(verdict, target, &worst, 1);
	verdict->floor = bench_stat_of(floors[worst_size], NB_FLAT_PASSES).median;
	return true;
}

static json_t *
verdict_to_json(const struct verdict *v)
{
	json_t *object = json_pack("{s:s, s:s, s:s, s:f, s:b, s:b}", "name", v->target->name,
				   "what", v->target->what, "direction",
				   v->target->is_at_least ? "at least" : "at most", "limit",
				   v->target->limit, "offered", v->is_offered, "met", v->is_met);

	json_object_set_new(object, "measured",
			    v->is_offered ? json_real(v->value) : json_null());
	json_object_set_new(object, "q1", v->is_offered ? json_real(v->q1) : json_null());
	json_object_set_new(object, "q3", v->is_offered ? json_real(v->q3) : json_null());
	if (v->is_offered && !isnan(v->floor))
		json_object_set_new(object, "floor", json_real(v->floor));
	return object;
}

static void
verdicts_print_json(const struct bench *bench, const struct verdict *verdicts, uint32_t nb)
{
	json_t *report = bench_report_env(bench);
	json_t *list = json_array();

	for (uint32_t i = 0; i < nb; i++)
		json_array_append_new(list, verdict_to_json(&verdicts[i]));
	json_object_set_new(report, "targets", list);
	bench_report_print(report);
}

static void
verdicts_print_text(const struct bench *bench, const struct verdict *verdicts, uint32_t nb)
{
	bench_report_head(bench);
	printf("\n%-22s %9s %17s %16s  %s\n", "target", "measured", "quartiles", "limit", "met");
	for (uint32_t i = 0; i < nb; i++) {
		const struct verdict *v = &verdicts[i];
		const char *direction = v->target->is_at_least ? "at least" : "at most";

		if (v->is_offered)
			printf("%-22s %9.2f %8.2f %8.2f %9s %6.2f  %-5s %s", v->target->name,
			       v->value, v->q1, v->q3, direction, v->target->limit,
			       v->is_met ? "true" : "false", v->target->what);
		if (v->is_offered && !isnan(v->floor))
			printf(" (floor: %.2f)", v->floor);
		if (v->is_offered)
			printf("\n");
		else
			printf("%-22s %9s %8s %8s %9s %6.2f  %-5s %s\n", v->target->name, "-",
			       "-", "-", direction, v->target->limit, "false",
			       "not offered by the driver");
	}
}

/* Everything with one set of rings and few keys, then with many keys, then with other rings. */
static bool
targets_measure(struct bench *bench, const struct bench_conf *conf, struct verdict *verdicts,
		uint32_t *nb)
{
	bool is_ok;

	sizes_init(bench, conf, DEPTH, NB_KEYS);
	is_ok = bench_open(bench) && rows_measure(bench, verdicts, nb);
	bench_close(bench);
	if (!is_ok || !memory_measure(bench, conf, &verdicts[(*nb)++]))
		return false;
	sizes_init(bench, conf, DEPTH, key_sizes.values[key_sizes.nb - 1]);
	bench->nb_rounds = FLAT_ROUNDS;
	is_ok = bench_open(bench) && flat_measure(bench, conf, &keys_target, &key_sizes, keys_cost,
						  &verdicts[(*nb)++]);
	bench_close(bench);
	return is_ok && flat_measure(bench, conf, &depth_target, &depth_sizes, depth_cost,
				     &verdicts[(*nb)++]);
}

enum tool_exit
bench_targets_run(const struct bench_conf *conf)
{
	struct verdict verdicts[MAX_TARGETS];
	static struct bench bench;
	uint32_t nb = 0;

	static_assert(RTE_DIM(row_targets) + 3 <= MAX_TARGETS,
		      "room for all targets");
	if (!targets_measure(&bench, conf, verdicts, &nb))
		return TOOL_FAILED;
	/* The head tells what most of them had. */
	bench.setup.depth = DEPTH;
	bench.nb_rounds = conf->nb_rounds;
	if (conf->format == TOOL_FORMAT_JSON)
		verdicts_print_json(&bench, verdicts, nb);
	else
		verdicts_print_text(&bench, verdicts, nb);
	return TOOL_OK;
}
