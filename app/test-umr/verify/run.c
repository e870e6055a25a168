/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_log.h>

#include "verify/bed/keys.h"
#include "verify/report.h"
#include "verify/run.h"
#include "verify/wrap.h"

#define MAX_TIMEOUTS	3u

/* Log types that report rejected calls. */
static const char *const log_names[] = { "lib.umr", "pmd.common.mlx5_umr" };

struct verify_run {
	const struct verify_conf *conf;
	struct verify_report *report;
	struct verify_env env;
	uint8_t *noise;
	struct bed *bed;
	bool has_bed;
	struct peer *peer;	/* NULL: everything is in this process */
	uint32_t nb_timeouts;
	uint32_t log_types[RTE_DIM(log_names)];
};

static double
seconds_since(uint64_t start)
{
	return (double)(rte_get_timer_cycles() - start) / (double)rte_get_timer_hz();
}

static void
noise_fill(uint8_t *noise, uint64_t seed)
{
	struct prng prng = prng_stream(seed, UINT64_MAX);

	for (uint32_t i = 0; i < VERIFY_NOISE_SIZE; i++)
		noise[i] = (uint8_t)prng_next(&prng);
}

/* FNV-1a, so that modes with the same seed use different random numbers. */
static uint64_t
name_hash(const char *name)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (; *name != '\0'; name++)
		hash = (hash ^ (uint8_t)*name) * UINT64_C(0x100000001b3);
	return hash;
}

static void
case_gen(const struct verify_run *run, const struct verify_mode *mode, uint64_t number, void *vc)
{
	struct prng prng = prng_stream(run->conf->seed ^ name_hash(mode->name), number);

	memset(vc, 0, mode->case_size);
	mode->gen(vc, &run->env, &prng);
	if (run->conf->is_verbose) {
		fprintf(stderr, "case %" PRIu64 " of %s\n", number, mode->name);
		mode->print(stderr, "  ", vc);
	}
}

/*
 * Compare all areas, including memory that no case since the last comparison was allowed to change.
 */
static bool
check_all(struct verify_run *run, char *why)
{
	bool is_same = true;

	for (uint16_t i = 0; i < run->bed->nb_sides; i++) {
		struct bed_side *side = &run->bed->sides[i];
		struct bed_area *areas[] = { &side->layout, &side->flat };

		for (unsigned int a = 0; a < RTE_DIM(areas); a++) {
			uint32_t first, nb = bed_area_compare(areas[a], &first);

			if (nb == 0)
				continue;
			if (is_same)
				snprintf(why, VERIFY_WHY_SIZE, "this or one of the %u cases before "
					 "it changed %u bytes, first at 0x%05x, of the %s area of "
					 "%s", VERIFY_CHECK_ALL_EVERY - 1, nb, first,
					 areas[a]->name, side->info.dev_name);
			is_same = false;
			bed_area_heal(areas[a]);
		}
	}
	return is_same;
}

/*
 * Many cases make calls that must be rejected, and the library and the driver log each one. Silence
 * them while such a case runs.
 */
static void
case_run_silent(const struct verify_run *run, const struct verify_mode *mode, const void *vc,
		struct case_result *result)
{
	uint32_t levels[RTE_DIM(log_names)];

	if (run->conf->is_verbose) {
		mode->run(vc, &run->env, result);
		return;
	}
	for (unsigned int i = 0; i < RTE_DIM(log_names); i++) {
		levels[i] = (uint32_t)rte_log_get_level(run->log_types[i]);
		rte_log_set_level(run->log_types[i], RTE_LOG_EMERG);
	}
	mode->run(vc, &run->env, result);
	for (unsigned int i = 0; i < RTE_DIM(log_names); i++)
		rte_log_set_level(run->log_types[i], levels[i]);
}

/* Run and count one case. Return false if the run must stop. */
static bool
case_run(struct verify_run *run, const struct verify_mode *mode, uint64_t number, bool is_last,
	 void *vc, struct verify_count *count)
{
	struct case_result result = { .outcome = CASE_PASSED };

	case_gen(run, mode, number, vc);
	case_run_silent(run, mode, vc, &result);
	if (result.outcome == CASE_PASSED && (is_last || number % VERIFY_CHECK_ALL_EVERY == 0) &&
	    !check_all(run, result.why))
		result.outcome = CASE_MISMATCH;
	if (result.outcome == CASE_PASSED) {
		count->nb_passed++;
		return true;
	}
	count->nb_failed++;
	verify_report_failure(run->report, mode, number, vc, result.why);
	if (result.outcome == CASE_MISMATCH) {
		check_all(run, result.why);
		return true;
	}
	if (result.outcome == CASE_TIMEOUT && ++run->nb_timeouts == MAX_TIMEOUTS) {
		tool_error("verify: giving up after %u timeouts", MAX_TIMEOUTS);
		return false;
	}
	return bed_restart(run->bed);
}

static bool
cases_run(struct verify_run *run, const struct verify_mode *mode, struct verify_count *count)
{
	uint64_t first = run->conf->has_one_case ? run->conf->one_case : 0;
	void *vc = malloc(mode->case_size);
	bool goes_on = vc != NULL;

	if (vc == NULL)
		tool_error("verify: out of memory");
	for (uint64_t i = 0; i < count->nb_cases && goes_on; i++) {
		goes_on = case_run(run, mode, first + i, i == count->nb_cases - 1, vc, count);
		verify_report_progress(run->report, mode, i + 1, count);
	}
	free(vc);
	return goes_on;
}

/* Whether a device supports the mode; otherwise why has the missing feature. */
static bool
device_can(const struct rte_umr_dev_info *info, const struct verify_mode *mode, char *why)
{
	char lack[VERIFY_LACK_SIZE] = "";

	if ((info->dev_capa & mode->capa) != mode->capa)
		tool_capa_print(lack, sizeof(lack), mode->capa & ~info->dev_capa);
	else if (mode->is_supported == NULL || mode->is_supported(info, lack))
		return true;
	snprintf(why, VERIFY_WHY_SIZE, "%s lacks %s", info->dev_name, lack);
	return false;
}

/* Whether all devices support the mode. */
static bool
mode_is_supported(const struct verify_run *run, const struct verify_mode *mode, char *why)
{
	const struct verify_conf *conf = run->conf;
	const uint16_t nb_queues = bed_nb_queues(bed_transports(&conf->devices, conf->transports),
						 mode->bed_conf);
	struct rte_umr_dev_info info;

	if (run->peer != NULL && !mode->has_peer) {
		snprintf(why, VERIFY_WHY_SIZE, "it has both sides in one process");
		return false;
	}
	if (run->peer != NULL && !device_can(&run->peer->info, mode, why))
		return false;
	for (uint16_t i = 0; i < conf->devices.nb_ids; i++) {
		rte_umr_dev_info_get(conf->devices.ids[i], &info);
		if (!device_can(&info, mode, why))
			return false;
		if (nb_queues <= info.max_queues)
			continue;
		snprintf(why, VERIFY_WHY_SIZE, "%s lacks %u queues, it has at most %u",
			 info.dev_name, nb_queues, info.max_queues);
		return false;
	}
	return true;
}

/* Create the bed of a mode, or reuse that of the previous mode. */
static bool
bed_prepare(struct verify_run *run, const struct verify_mode *mode)
{
	if (run->has_bed && run->bed->conf == mode->bed_conf)
		return true;
	if (run->has_bed)
		bed_destroy(run->bed);
	run->has_bed = true;
	return bed_create(run->bed, &run->conf->devices, run->conf->transports, mode->bed_conf,
			  run->peer);
}

/* Prepare the bed and the objects of a mode. mode_end() is called in any case. */
static bool
mode_begin(struct verify_run *run, const struct verify_mode *mode)
{
	struct verify_env *env = &run->env;

	memset(env->pools, 0, sizeof(env->pools));
	env->mode_private = NULL;
	if (!bed_prepare(run, mode))
		return false;
	if (mode->private_size != 0) {
		env->mode_private = calloc(1, mode->private_size);
		if (env->mode_private == NULL) {
			tool_error("verify: out of memory");
			return false;
		}
	}
	return (mode->setup == NULL || mode->setup(env)) && verify_pools_create(env, mode->pools) &&
	       (!run->conf->has_wrap || verify_wrap(run->bed));
}

static void
mode_end(struct verify_env *env, const struct verify_mode *mode)
{
	verify_pools_destroy(env);
	if (mode->teardown != NULL && env->mode_private != NULL)
		mode->teardown(env);
	free(env->mode_private);
}

/* Run a mode. Return false if the run must stop. */
static bool
mode_run(struct verify_run *run, const struct verify_mode *mode, struct verify_count *count,
	 enum tool_exit *ret)
{
	uint64_t start = rte_get_timer_cycles();
	bool is_ready, goes_on = false;

	if (!mode_is_supported(run, mode, count->why)) {
		count->nb_skipped = count->nb_cases;
		verify_report_mode(run->report, mode, count);
		return true;
	}
	is_ready = mode_begin(run, mode);
	if (is_ready)
		goes_on = cases_run(run, mode, count);
	mode_end(&run->env, mode);
	count->seconds = seconds_since(start);
	if (!is_ready) {
		tool_error("verify: %s: could not be set up", mode->name);
		*ret = TOOL_SETUP;
		return false;
	}
	verify_report_mode(run->report, mode, count);
	return goes_on;
}

/* Each mode gets the same number of cases; the first ones get the remainder. */
static void
cases_spread(const struct verify_conf *conf, struct verify_count *counts)
{
	uint32_t nb = conf->modes.nb;

	for (uint32_t i = 0; i < nb; i++)
		counts[i].nb_cases = conf->has_one_case ? 1 :
				     conf->nb_cases / nb + (i < conf->nb_cases % nb);
}

static enum tool_exit
modes_run(struct verify_run *run)
{
	const struct verify_modes *modes = &run->conf->modes;
	struct verify_count counts[VERIFY_MAX_MODES] = { 0 };
	uint64_t start = rte_get_timer_cycles();
	enum tool_exit ret = TOOL_OK;
	uint64_t nb_passed = 0, nb_failed = 0;
	bool goes_on = true;

	cases_spread(run->conf, counts);
	for (uint32_t i = 0; i < modes->nb && goes_on; i++) {
		/* Fewer cases than layouts: report that. */
		if (counts[i].nb_cases == 0) {
			verify_report_mode(run->report, modes->modes[i], &counts[i]);
			continue;
		}
		goes_on = mode_run(run, modes->modes[i], &counts[i], &ret);
		nb_passed += counts[i].nb_passed;
		nb_failed += counts[i].nb_failed;
	}
	if (run->has_bed)
		bed_destroy(run->bed);
	verify_report_end(run->report, counts, seconds_since(start));
	if (nb_failed > 0 || (!goes_on && ret == TOOL_OK))
		return TOOL_FAILED;
	return nb_passed == 0 ? TOOL_SETUP : ret;
}

enum tool_exit
verify_run_modes(const struct verify_conf *conf)
{
	struct verify_run run = {
		.conf = conf, .report = verify_report_create(conf),
		.noise = malloc(VERIFY_NOISE_SIZE), .bed = calloc(1, sizeof(struct bed)),
	};
	enum tool_exit ret = TOOL_SETUP;

	if (conf->peer != NULL)
		run.peer = peer_open("verify", conf->peer, bed_peer_sizes, RTE_DIM(bed_peer_sizes),
				     1);
	if (run.report == NULL || run.noise == NULL || run.bed == NULL) {
		tool_error("verify: out of memory");
	} else if (conf->peer == NULL || run.peer != NULL) {
		noise_fill(run.noise, conf->seed);
		for (unsigned int i = 0; i < RTE_DIM(log_names); i++)
			run.log_types[i] = (uint32_t)rte_log_register(log_names[i]);
		run.env = (struct verify_env){
			.bed = run.bed, .noise = run.noise, .seed = conf->seed,
		};
		ret = modes_run(&run);
	}
	peer_close(run.peer);
	free(run.bed);
	free(run.noise);
	verify_report_destroy(run.report);
	return ret;
}
