/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "soak/kinds.h"
#include "soak/soak.h"
#include "tool/print.h"
#include "tool/tool.h"

void
soak_tally_add(struct soak_tally *sum, const struct soak_tally *tally)
{
	sum->nb_operations += tally->nb_operations;
	sum->nb_steps += tally->nb_steps;
	sum->nb_recoveries += tally->nb_recoveries;
	if (sum->longest_recovery_ns < tally->longest_recovery_ns)
		sum->longest_recovery_ns = tally->longest_recovery_ns;
	for (unsigned int i = 0; i < SOAK_NB_KINDS; i++)
		sum->kinds[i] += tally->kinds[i];
	for (unsigned int i = 0; i < SOAK_NB_FAULTS; i++)
		sum->faults[i] += tally->faults[i];
	for (unsigned int i = 0; i < RTE_DIM(sum->statuses); i++)
		sum->statuses[i] += tally->statuses[i];
	soak_wrongs_add(&sum->wrongs, &tally->wrongs);
}

static uint64_t
faults_sum(const struct soak_tally *tally, unsigned int *nb_classes)
{
	uint64_t sum = 0;

	*nb_classes = 0;
	for (unsigned int i = 0; i < SOAK_NB_FAULTS; i++) {
		sum += tally->faults[i];
		*nb_classes += tally->faults[i] != 0;
	}
	return sum;
}

void
soak_report_progress(double seconds, const struct soak_tally *tally)
{
	const struct soak_wrongs *w = &tally->wrongs;
	unsigned int nb_classes;
	const uint64_t nb_faults = faults_sum(tally, &nb_classes);

	if (!tool_has_progress())
		return;
	fprintf(stderr,
		"%7.0f s: %" PRIu64 " operations, %" PRIu64 " faults of %u classes, %" PRIu64
		" recoveries, %" PRIu64 " wrong\n",
		seconds, tally->nb_operations, nb_faults, nb_classes, tally->nb_recoveries,
		w->nb_lost + w->nb_duplicated + w->nb_corrupted + w->nb_unexplained);
	fflush(stderr);
}

/* Print comma-separated names and numbers in lines; nothing if all are 0. */
static void
print_numbers(const char *title, const char *const *names, const uint64_t *numbers, unsigned int nb)
{
	int column = printf("%s", title);

	for (unsigned int i = 0; i < nb; i++) {
		if (numbers[i] == 0)
			continue;
		if (column > 78)
			column = printf("\n           ") - 1;
		column += printf(" %s %" PRIu64, names[i], numbers[i]);
	}
	printf("\n");
}

static void
print_text(const struct soak_conf *conf, const struct soak_tally *tally, uint32_t unavailable,
	   double seconds)
{
	const char *statuses[RTE_DIM(tally->statuses)];
	unsigned int nb_classes;
	const uint64_t nb_faults = faults_sum(tally, &nb_classes);

	for (unsigned int i = 0; i < RTE_DIM(statuses); i++)
		statuses[i] = rte_umr_status_name(i);
	printf("seed %" PRIu64 ", %.1f s, %" PRIu64 " steps, %" PRIu64 " operations\n", conf->seed,
	       seconds, tally->nb_steps, tally->nb_operations);
	print_numbers("operations:", soak_kind_names, tally->kinds, SOAK_NB_KINDS);
	print_numbers("statuses:  ", statuses, tally->statuses, RTE_DIM(statuses));
	print_numbers("faults:    ", soak_fault_names, tally->faults, SOAK_NB_FAULTS);
	printf("%" PRIu64 " faults of %u classes, %" PRIu64 " recoveries, longest %.3f ms\n",
	       nb_faults, nb_classes, tally->nb_recoveries,
	       (double)tally->longest_recovery_ns / 1e6);
	for (unsigned int i = 0; i < SOAK_NB_FAULTS; i++)
		if (unavailable & SOAK_FAULT_BIT(i))
			printf("not available here: %s\n", soak_fault_names[i]);
	fflush(stdout);
}

static json_t *
numbers_json(const char *const *names, const uint64_t *numbers, unsigned int nb)
{
	json_t *object = json_object();

	for (unsigned int i = 0; i < nb; i++)
		json_object_set_new(object, names[i], json_integer((json_int_t)numbers[i]));
	return object;
}

static json_t *
report_json(const struct soak_conf *conf, const struct soak_tally *tally, uint32_t unavailable,
	    double seconds)
{
	const struct soak_wrongs *w = &tally->wrongs;
	const char *statuses[RTE_DIM(tally->statuses)];
	json_t *missing = json_array();

	for (unsigned int i = 0; i < RTE_DIM(statuses); i++)
		statuses[i] = rte_umr_status_name(i);
	for (unsigned int i = 0; i < SOAK_NB_FAULTS; i++)
		if (unavailable & SOAK_FAULT_BIT(i))
			json_array_append_new(missing, json_string(soak_fault_names[i]));
	return json_pack("{s:I, s:f, s:I, s:I, s:o, s:o, s:o, s:o, s:I, s:I, s:I, s:I, s:I, s:I}",
			 "seed", (json_int_t)conf->seed, "seconds", seconds,
			 "steps", (json_int_t)tally->nb_steps,
			 "operations", (json_int_t)tally->nb_operations,
			 "kinds", numbers_json(soak_kind_names, tally->kinds, SOAK_NB_KINDS),
			 "statuses", numbers_json(statuses, tally->statuses, RTE_DIM(statuses)),
			 "faults", numbers_json(soak_fault_names, tally->faults, SOAK_NB_FAULTS),
			 "unavailable", missing,
			 "recoveries", (json_int_t)tally->nb_recoveries,
			 "longest_recovery_ns", (json_int_t)tally->longest_recovery_ns,
			 "lost", (json_int_t)w->nb_lost,
			 "duplicated", (json_int_t)w->nb_duplicated,
			 "corrupted", (json_int_t)w->nb_corrupted,
			 "unexplained", (json_int_t)w->nb_unexplained);
}

static void
print_csv(json_t *tree)
{
	result_print_csv_head("command,what,value");
	tool_print_csv_leaves("soak", tree);
	json_decref(tree);
}

enum tool_exit
soak_report(const struct soak_conf *conf, const struct soak_tally *tally, uint32_t unavailable,
	    double seconds)
{
	const struct soak_wrongs *w = &tally->wrongs;

	switch (conf->format) {
	case TOOL_FORMAT_JSON:
		result_print_json(report_json(conf, tally, unavailable, seconds));
		break;
	case TOOL_FORMAT_CSV:
		print_csv(report_json(conf, tally, unavailable, seconds));
		break;
	default:
		print_text(conf, tally, unavailable, seconds);
		break;
	}
	fflush(stdout);
	fprintf(conf->format == TOOL_FORMAT_TEXT ? stdout : stderr,
		"lost %" PRIu64 ", duplicated %" PRIu64 ", corrupted %" PRIu64
		", unexplained %" PRIu64 "\n",
		w->nb_lost, w->nb_duplicated, w->nb_corrupted, w->nb_unexplained);
	return soak_wrongs_none(w) ? TOOL_OK : TOOL_FAILED;
}

#define NAME(value, name, ...)		name,
#define TEXT(value, name, text)		text,

const char *const soak_kind_names[SOAK_NB_KINDS] = { SOAK_KINDS(NAME) };
const char *const soak_fault_names[SOAK_NB_FAULTS] = { SOAK_FAULTS(NAME) };

static const char *const fault_texts[SOAK_NB_FAULTS] = { SOAK_FAULTS(TEXT) };

static bool
fault_add(const char *name, void *arg)
{
	uint32_t *faults = arg;

	if (strcmp(name, "all") == 0 || strcmp(name, "none") == 0) {
		*faults = name[0] == 'a' ? SOAK_ALL_FAULTS : 0;
		return true;
	}
	for (unsigned int i = 0; i < SOAK_NB_FAULTS; i++)
		if (strcmp(name, soak_fault_names[i]) == 0) {
			*faults |= SOAK_FAULT_BIT(i);
			return true;
		}
	tool_error("--faults: '%s' is not a class of faults; see soak --help", name);
	return false;
}

bool
soak_faults_parse(const char *text, uint32_t *faults)
{
	*faults = 0;
	return tool_parse_list(text, fault_add, faults);
}

void
soak_faults_print_help(FILE *f)
{
	for (unsigned int i = 0; i < SOAK_NB_FAULTS; i++)
		fprintf(f, "  %-16s %s\n", soak_fault_names[i], fault_texts[i]);
}
