/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * What this driver is to reach, measured and judged. A target that cannot be judged here is never
 * met, and says why.
 */

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_lcore.h>

#include "bench/conf.h"
#include "bench/flat.h"
#include "bench/lcores.h"
#include "bench/report.h"

#define BATCH			32u
#define LONG_BATCH		64u
/*
 * Rows have a warm ring: one that L1 holds, as far as it can hold a batch at all. A smaller one
 * would not be found in programs. What deeper rings cost is a target of its own.
 */
#define MIN_DEPTH		256u
#define DEPTH			1024u	/* of the others */
#define NB_KEYS			256u
/* Fewer rounds of long lists: one has as many lists as the others have operations. */
#define MEMORY_ROUNDS		11u
/* Lists of the long row under one doorbell. */
#define MEMORY_BATCH		8u
#define MAX_TARGETS		32u

/* What is compared with the limit. */
enum measure {
	LIBMLX5_BY_RTE,		/* how many times cheaper than libmlx5 */
	LIBMLX5_BY_SINGLE,	/* the same of a call for each operation */
	RTE_BY_FLOOR,		/* how many times the floor */
	GET_CYCLES,		/* cycles to take a key */
	PUT_CYCLES,		/* cycles to put it back */
	LARGEST_CHANGE,		/* of the cost over sizes, as a share */
	LCORES_BY_ONE,		/* cost on several lcores by that on one */
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
	bool is_judged;
	char why_not[BENCH_WHY_SIZE];
	bool is_met;
	double value;
	double q1;
	double q3;
	double floor;	/* the same of the floor, for comparison; NAN: none */
	uint32_t depth;	/* of the ring; 0: several */
	/* Of changes over sizes: all of them; else NULL. */
	const uint32_t *sizes;
	uint32_t nb_sizes;
	struct bench_flat flat;
};

#define CHEAPER_BY(id, text, by, factor, shape, n, size)                                           \
	{                                                                                          \
		.name = id "/libmlx5", .what = text ": times cheaper than libmlx5",                \
		.measure = by, .is_at_least = true, .limit = factor,                               \
		.row = { .layout = shape, .nb_entries = n, .batch = size, .nb_keys = NB_KEYS }     \
	}
#define CHEAPER(id, text, factor, shape, n, size)                                                  \
	CHEAPER_BY(id, text, LIBMLX5_BY_RTE, factor, shape, n, size)
#define FLOOR(id, text, factor, shape, n, size)                                                    \
	{                                                                                          \
		.name = id "/floor", .what = text ": times the cost of the floor",                 \
		.measure = RTE_BY_FLOOR, .is_at_least = false, .limit = factor,                    \
		.row = { .layout = shape, .nb_entries = n, .batch = size, .nb_keys = NB_KEYS }     \
	}
#define LIST(n)                                                                                    \
	CHEAPER("list-" #n, "list of " #n ", batch 32", 2.8, BENCH_LIST, n, BATCH),                \
	FLOOR("list-" #n, "list of " #n ", batch 32", 2.5, BENCH_LIST, n, BATCH)
#define KEYS(id, text, kind)                                                                       \
	{                                                                                          \
		.name = id, .what = text, .measure = kind, .limit = 10.0,                          \
		.row = { .layout = BENCH_KEYGET, .nb_entries = 1, .batch = BATCH,                  \
			 .nb_keys = NB_KEYS }                                                      \
	}

/*
 * Polls are cold: what a line costs that the device has written, some 70 to 340 cycles on what this
 * was run on, is the same for all, and the more of a batch the smaller that is. Limits are for the
 * far end of it.
 */
static const struct target row_targets[] = {
	LIST(1), LIST(2), LIST(3), LIST(4),
	CHEAPER_BY("list-4-single", "list of 4, batch 32, a call for each", LIBMLX5_BY_SINGLE, 2.0,
		   BENCH_LIST, 4, BATCH),
	LIST(16), LIST(52),
	CHEAPER("list-4-batch-1", "list of 4 with its own doorbell and completion", 1.2, BENCH_LIST,
		4, 1),
	CHEAPER("list-4-batch-64", "list of 4, batch 64", 4.0, BENCH_LIST, 4, LONG_BATCH),
	CHEAPER("interleaved-3", "interleaved, 3 entries, batch 32", 2.8, BENCH_INTERLEAVED, 3,
		BATCH),
	CHEAPER("invalidate", "invalidate, batch 32", 2.5, BENCH_INVALIDATE, 1, BATCH),
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

static const uint32_t key_sizes[] = { 64, 256, 1024, 4096, 16384, 65536 };
static const uint32_t depth_sizes[] = { 256, 1024, 4096, 16384 };

static const struct target lcores_target = {
	.name = "lcores-2", .what = "list of 4: cost on 2 lcores at a time, by that on each alone",
	.measure = LCORES_BY_ONE, .limit = 1.1,
	.row = { .layout = BENCH_LIST, .nb_entries = 4, .batch = BATCH, .nb_keys = NB_KEYS },
};

static_assert(RTE_DIM(key_sizes) < BENCH_MAX_FLAT_SIZES &&
	      RTE_DIM(depth_sizes) < BENCH_MAX_FLAT_SIZES, "one more of each is measured");

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
		.is_judged = true,
		.value = stat->median * scale,
		.q1 = stat->q1 * scale,
		.q3 = stat->q3 * scale,
		.floor = NAN,
	};
	verdict->is_met = target->is_at_least ? verdict->value >= target->limit :
						verdict->value <= target->limit;
}

/* It is not met, and why it was not measured is said. */
static void __attribute__((format(printf, 3, 4)))
verdict_skip(struct verdict *verdict, const struct target *target, const char *format, ...)
{
	va_list args;

	*verdict = (struct verdict){ .target = target };
	va_start(args, format);
	vsnprintf(verdict->why_not, sizeof(verdict->why_not), format, args);
	va_end(args);
}

/* A device may be too small for what a target is measured with. */
static bool
is_impossible(struct bench *bench, const struct target *target, struct verdict *verdict)
{
	char why[BENCH_WHY_SIZE];

	if (bench_setup_fit(&bench->setup, &bench->info, why))
		return false;
	verdict_skip(verdict, target, "%s", why);
	return true;
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
	case LIBMLX5_BY_SINGLE:
		verdict_set(verdict, target, &report->single_ratio, 1);
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

/*
 * Rows that are measured on the same queues. Long batches are by themselves: libmlx5 has a ring for
 * as many of the longest requests, and it is to be as deep as that of the driver.
 */
struct row_group {
	uint32_t depth;
	uint32_t max_batch;
};

static uint32_t
row_depth(const struct bench *bench, const struct bench_row *row)
{
	uint32_t nb = bench_batch_desc(&bench->info, row->layout, row->nb_entries, row->batch);

	return RTE_MAX(rte_align32pow2(nb), MIN_DEPTH);
}

static struct row_group
group_of(const struct bench *bench, const struct bench_row *row)
{
	return (struct row_group){
		.depth = row_depth(bench, row),
		.max_batch = RTE_MAX(row->batch, BATCH),
	};
}

/* Below, at or above 0, as that of strcmp(). */
static int
groups_compare(const struct row_group *a, const struct row_group *b)
{
	if (a->depth != b->depth)
		return a->depth < b->depth ? -1 : 1;
	return (a->max_batch > b->max_batch) - (a->max_batch < b->max_batch);
}

static bool
is_in_group(const struct bench *bench, const struct bench_row *row, const struct row_group *group)
{
	struct row_group other = group_of(bench, row);

	return groups_compare(&other, group) == 0;
}

/* Those of a group. Targets of one row follow each other: it is measured once. */
static bool
rows_measure(struct bench *bench, const struct row_group *group, struct verdict *verdicts)
{
	struct bench_report_row report = { 0 };

	for (uint32_t i = 0; i < RTE_DIM(row_targets); i++) {
		const struct target *target = &row_targets[i];

		if (!is_in_group(bench, &target->row, group))
			continue;
		if (!is_same_row(&report.row, &target->row) &&
		    !bench_measure(bench, &target->row, &report))
			return false;
		row_judge(&verdicts[i], target, &report);
		verdicts[i].depth = group->depth;
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

static bool
memory_measure(struct bench *bench, const struct bench_conf *conf, struct verdict *verdict)
{
	struct bench_report_row report = { 0 };
	bool is_ok;

	sizes_init(bench, conf, DEPTH, NB_KEYS);
	bench->nb_rounds = MEMORY_ROUNDS;
	bench->setup.max_entries = memory_target.row.nb_entries;
	if (bench->info.max_list < memory_target.row.nb_entries) {
		verdict_skip(verdict, &memory_target, "lists have at most %u entries",
			     bench->info.max_list);
		return true;
	}
	if (is_impossible(bench, &memory_target, verdict))
		return true;
	is_ok = bench_open(bench) && bench_measure(bench, &memory_target.row, &report);
	bench_close(bench);
	if (!is_ok)
		return false;
	row_judge(verdict, &memory_target, &report);
	verdict->depth = DEPTH;
	return true;
}

static void
flat_judge(struct verdict *verdict, const struct target *target, const struct bench_flat *flat,
	   const uint32_t *sizes, uint32_t nb_sizes)
{
	const struct bench_flat_change *change = &flat->changes[flat->worst];

	verdict_set(verdict, target, &change->rte, 1);
	verdict->is_met = fabs(change->rte.median) <= target->limit;
	verdict->floor = change->floor.median;
	verdict->flat = *flat;
	verdict->sizes = sizes;
	verdict->nb_sizes = nb_sizes;
}

/* One queue, and as many keys as a row says; the first row once more. */
static bool
keys_measure(struct bench *bench, const struct bench_conf *conf, struct verdict *verdict)
{
	struct bench_flat_size sizes[RTE_DIM(key_sizes) + 1];
	struct bench_flat flat;
	bool is_ok;

	for (uint32_t i = 0; i < RTE_DIM(sizes); i++) {
		sizes[i] = (struct bench_flat_size){ .depth = DEPTH, .row = keys_target.row };
		sizes[i].row.nb_keys = key_sizes[i % RTE_DIM(key_sizes)];
	}
	sizes_init(bench, conf, DEPTH, key_sizes[RTE_DIM(key_sizes) - 1]);
	bench->setup.nb_workers = 1;
	bench->setup.has_no_libmlx5 = true;
	if (is_impossible(bench, &keys_target, verdict))
		return true;
	is_ok = bench_open(bench) && bench_flat_measure(bench, sizes, RTE_DIM(sizes), &flat);
	bench_close(bench);
	if (!is_ok)
		return false;
	flat_judge(verdict, &keys_target, &flat, key_sizes, RTE_DIM(key_sizes));
	verdict->depth = DEPTH;
	return true;
}

/* A worker for each depth, all of them on this lcore; the first depth once more. */
static bool
depth_measure(struct bench *bench, const struct bench_conf *conf, struct verdict *verdict)
{
	struct bench_flat_size sizes[RTE_DIM(depth_sizes) + 1];
	uint32_t depths[RTE_DIM(sizes)];
	struct bench_flat flat;
	bool is_ok;

	for (uint32_t i = 0; i < RTE_DIM(sizes); i++) {
		depths[i] = depth_sizes[i % RTE_DIM(depth_sizes)];
		sizes[i] = (struct bench_flat_size){ i, depths[i], depth_target.row };
	}
	sizes_init(bench, conf, depths[0], NB_KEYS);
	bench->setup.nb_workers = RTE_DIM(sizes);
	bench->setup.depths = depths;
	bench->setup.has_no_libmlx5 = true;
	if (is_impossible(bench, &depth_target, verdict))
		return true;
	is_ok = bench_open(bench) && bench_flat_measure(bench, sizes, RTE_DIM(sizes), &flat);
	bench_close(bench);
	if (is_ok)
		flat_judge(verdict, &depth_target, &flat, depth_sizes, RTE_DIM(depth_sizes));
	return is_ok;
}

/* The last one is the first size once more. */
static json_t *
sizes_to_json(const struct verdict *v)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i <= v->nb_sizes; i++) {
		const struct bench_flat_change *change = &v->flat.changes[i];

		json_array_append_new(list, json_pack("{s:i, s:f, s:f, s:f, s:f}",
						      "size", (int)v->sizes[i % v->nb_sizes],
						      "change", change->rte.median,
						      "q1", change->rte.q1, "q3", change->rte.q3,
						      "floor", change->floor.median));
	}
	return list;
}

/* Only with two lcores, and if they could post at the same time. */
static bool
lcores_measure(struct bench *bench, const struct bench_conf *conf, struct verdict *verdict)
{
	const struct target *target = &lcores_target;
	unsigned int first = rte_get_main_lcore(), second = rte_get_next_lcore(-1, 1, 0);
	struct bench_lcores result;
	bool is_ok;

	if (rte_lcore_count() < BENCH_NB_LCORES) {
		verdict_skip(verdict, target, "the EAL has 1 lcore, it takes %u (-l)",
			     BENCH_NB_LCORES);
		return true;
	}
	if (bench_lcores_share_core(first, second)) {
		verdict_skip(verdict, target, "lcores %u and %u are threads of one core", first,
			     second);
		return true;
	}
	sizes_init(bench, conf, DEPTH, NB_KEYS);
	bench->setup.nb_workers = BENCH_NB_LCORES * BENCH_LCORE_QUEUES;
	bench->setup.has_no_libmlx5 = true;
	if (is_impossible(bench, target, verdict))
		return true;
	is_ok = bench_open(bench) && bench_lcores_measure(bench, &target->row, &result);
	bench_close(bench);
	if (!is_ok)
		return false;
	if (result.is_judged) {
		verdict_set(verdict, target, &result.ratio, 1);
		verdict->depth = DEPTH;
		return true;
	}
	verdict_skip(verdict, target, "the lcores were at work together in %u of %u windows",
		     result.nb_common, result.nb_windows);
	return true;
}

static json_t *
verdict_to_json(const struct verdict *v)
{
	json_t *object = json_pack("{s:s, s:s, s:s, s:f, s:b, s:b}", "name", v->target->name,
				   "what", v->target->what, "direction",
				   v->target->is_at_least ? "at least" : "at most", "limit",
				   v->target->limit, "judged", v->is_judged, "met", v->is_met);

	json_object_set_new(object, "reason",
			    v->is_judged ? json_null() : json_string(v->why_not));
	json_object_set_new(object, "measured",
			    v->is_judged ? json_real(v->value) : json_null());
	json_object_set_new(object, "q1", v->is_judged ? json_real(v->q1) : json_null());
	json_object_set_new(object, "q3", v->is_judged ? json_real(v->q3) : json_null());
	json_object_set_new(object, "depth", v->depth != 0 ? json_integer(v->depth) : json_null());
	if (v->is_judged && !isnan(v->floor))
		json_object_set_new(object, "floor", json_real(v->floor));
	if (v->sizes != NULL)
		json_object_set_new(object, "sizes", sizes_to_json(v));
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

		if (v->is_judged)
			printf("%-22s %9.2f %8.2f %8.2f %9s %6.2f  %-5s %s", v->target->name,
			       v->value, v->q1, v->q3, direction, v->target->limit,
			       v->is_met ? "true" : "false", v->target->what);
		if (v->is_judged && !isnan(v->floor))
			printf(" (floor: %.2f)", v->floor);
		if (v->sizes != NULL)
			printf(" (at %u; %u again: %.2f)", v->sizes[v->flat.worst], v->sizes[0],
			       v->flat.changes[v->flat.again].rte.median);
		if (v->is_judged)
			printf("\n");
		else
			printf("%-22s %9s %8s %8s %9s %6.2f  %-5s %s (not judged: %s)\n",
			       v->target->name, "-", "-", "-", direction, v->target->limit,
			       "false", v->target->what, v->why_not);
	}
}

/* is_impossible() of the rows of a group. */
static bool
rows_are_impossible(struct bench *bench, const struct row_group *group, struct verdict *verdicts)
{
	bool result = false;

	for (uint32_t i = 0; i < RTE_DIM(row_targets); i++)
		if (is_in_group(bench, &row_targets[i].row, group))
			result = is_impossible(bench, &row_targets[i], &verdicts[i]);
	return result;
}

/* What the rows of a group need. */
static void
row_sizes_init(struct bench *bench, const struct bench_conf *conf, const struct row_group *group)
{
	const struct bench_row *row;

	sizes_init(bench, conf, group->depth, NB_KEYS);
	bench->setup.max_batch = group->max_batch;
	bench->setup.max_entries = 0;
	for (uint32_t i = 0; i < RTE_DIM(row_targets); i++) {
		row = &row_targets[i].row;
		if (is_in_group(bench, row, group))
			bench->setup.max_entries = RTE_MAX(bench->setup.max_entries,
				row->nb_entries + (row->layout == BENCH_INTERLEAVED));
	}
}

/* The next group of rows behind one; false: there is none. */
static bool
next_group(const struct bench *bench, struct row_group *group)
{
	const struct row_group from = *group;
	bool is_found = false;

	for (uint32_t i = 0; i < RTE_DIM(row_targets); i++) {
		struct row_group other = group_of(bench, &row_targets[i].row);

		if (groups_compare(&other, &from) <= 0 ||
		    (is_found && groups_compare(&other, group) >= 0))
			continue;
		*group = other;
		is_found = true;
	}
	return is_found;
}

/* Rows, with few keys; on a small device those whose ring it has. */
static bool
all_rows_measure(struct bench *bench, const struct bench_conf *conf, struct verdict *verdicts)
{
	struct row_group group = { 0 };
	bool is_ok = true;

	bench_init(bench, conf);
	while (is_ok && next_group(bench, &group)) {
		row_sizes_init(bench, conf, &group);
		if (rows_are_impossible(bench, &group, verdicts))
			continue;
		is_ok = bench_open(bench) && rows_measure(bench, &group, verdicts);
		bench_close(bench);
	}
	return is_ok;
}

static bool
targets_measure(struct bench *bench, const struct bench_conf *conf, struct verdict *verdicts,
		uint32_t *nb)
{
	if (!all_rows_measure(bench, conf, verdicts))
		return false;
	*nb = RTE_DIM(row_targets);
	return memory_measure(bench, conf, &verdicts[(*nb)++]) &&
	       keys_measure(bench, conf, &verdicts[(*nb)++]) &&
	       depth_measure(bench, conf, &verdicts[(*nb)++]) &&
	       lcores_measure(bench, conf, &verdicts[(*nb)++]);
}

enum tool_exit
bench_targets_run(const struct bench_conf *conf)
{
	struct verdict verdicts[MAX_TARGETS];
	static struct bench bench;
	uint32_t nb = 0;

	static_assert(RTE_DIM(row_targets) + 4 <= MAX_TARGETS, "room for all targets");
	if (!targets_measure(&bench, conf, verdicts, &nb))
		return TOOL_FAILED;
	/* The head tells what most of them had. */
	bench.setup.depth = MIN_DEPTH;
	bench.setup.nb_workers = conf->nb_lcores;
	bench.nb_rounds = conf->nb_rounds;
	if (conf->format == TOOL_FORMAT_JSON)
		verdicts_print_json(&bench, verdicts, nb);
	else
		verdicts_print_text(&bench, verdicts, nb);
	return TOOL_OK;
}
