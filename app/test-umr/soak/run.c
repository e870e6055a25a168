/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_launch.h>
#include <rte_lcore.h>
#include <rte_log.h>

#include "soak/faults.h"
#include "soak/lane.h"
#include "soak/recover.h"
#include "soak/remote.h"
#include "soak/step.h"

/* Log types that report operations that fail as intended. */
static const char *const log_names[] = { "lib.umr", "pmd.common.mlx5_umr" };

struct run {
	struct soak_conf *conf;
	struct soak_device device;
	uint32_t nb_lanes;
	struct soak_lane *lanes[SOAK_MAX_QUEUES];
	uint32_t nb_lcores;
	uint32_t asked;		/* requested classes of faults */
	uint32_t shown;		/* classes that a lane supports */
	uint64_t start;		/* timer cycles */
	uint64_t end;
	uint64_t next_progress;	/* with a single lcore */
};

/* Lanes of one lcore. */
struct share {
	struct run *run;
	uint32_t first;
};

static bool
noise_create(struct soak_device *device)
{
	const size_t nb = 2 * SOAK_AREA_SIZE / sizeof(device->noise[0]);
	struct prng prng = prng_stream(device->conf->seed, UINT64_MAX);

	device->noise = calloc(nb, sizeof(device->noise[0]));
	for (size_t i = 0; device->noise != NULL && i < nb; i++)
		device->noise[i] = prng_next(&prng);
	return device->noise != NULL;
}

/* List the requested transports that are available. */
static uint32_t
transports_list(const struct run *run, unsigned int *list)
{
	static const struct {
		unsigned int transport;
		uint64_t capa;
	} all[] = {
		{ SOAK_LOOPBACK, RTE_UMR_CAPA_LOOPBACK },
		{ SOAK_RC, RTE_UMR_CAPA_RC },
		{ SOAK_DC, RTE_UMR_CAPA_DC },
		{ SOAK_PEER, RTE_UMR_CAPA_RC },
	};
	uint32_t nb = 0;

	for (unsigned int i = 0; i < RTE_DIM(all); i++)
		if ((run->conf->transports & all[i].transport) != 0 &&
		    (run->device.info.dev_capa & all[i].capa) != 0)
			list[nb++] = all[i].transport;
	return nb;
}

static bool
lanes_init(struct run *run)
{
	unsigned int transports[4];
	const uint32_t nb = transports_list(run, transports);

	if (nb == 0) {
		tool_error("soak: %s has none of the transports asked for",
			   run->device.info.dev_name);
		return false;
	}
	for (uint32_t i = 0; i < run->conf->nb_queues; i++) {
		const unsigned int transport = transports[i % nb];
		struct soak_lane *lane = calloc(1, sizeof(*lane));

		if (lane == NULL)
			return false;
		run->lanes[run->nb_lanes++] = lane;
		soak_lane_init(lane, &run->device, i, transport);
		lane->plan_conf.faults &= soak_faults_of_transport(transport);
		run->shown |= lane->plan_conf.faults;
	}
	return true;
}

static bool
lanes_create(struct run *run)
{
	uint16_t queue_id = 0;

	for (uint32_t i = 0; i < run->nb_lanes; i++) {
		if (!soak_lane_create(run->lanes[i], queue_id))
			return false;
		queue_id = (uint16_t)(queue_id + soak_lane_nb_queues(run->lanes[i]->transport));
	}
	return true;
}

static bool
device_start(struct run *run)
{
	struct rte_umr_dev_conf conf = { 0 };
	int ret;

	for (uint32_t i = 0; i < run->nb_lanes; i++)
		conf.nb_queues = (uint16_t)(conf.nb_queues +
					    soak_lane_nb_queues(run->lanes[i]->transport));
	ret = rte_umr_dev_configure(run->device.dev_id, &conf);
	for (uint32_t i = 0; ret == 0 && i < run->nb_lanes; i++)
		if (!soak_lane_setup(run->lanes[i]))
			return false;
	if (ret == 0)
		ret = rte_umr_dev_start(run->device.dev_id);
	if (ret != 0) {
		tool_error("soak: starting %s with %u queues: %s", run->device.info.dev_name,
			   conf.nb_queues, rte_strerror(-ret));
		return false;
	}
	for (uint32_t i = 0; i < run->nb_lanes; i++)
		if (!soak_lane_connect(run->lanes[i]))
			return false;
	return true;
}

static void
tally_sum(const struct run *run, struct soak_tally *sum)
{
	const struct soak_ledger *ledger;
	unsigned int n;

	memset(sum, 0, sizeof(*sum));
	for (uint32_t i = 0; i < run->nb_lanes; i++) {
		soak_tally_add(sum, &run->lanes[i]->tally);
		SOAK_FOREACH_LEDGER(ledger, n, run->lanes[i])
			soak_wrongs_add(&sum->wrongs, &ledger->wrongs);
	}
}

static double
seconds_since(uint64_t start)
{
	return (double)(rte_get_timer_cycles() - start) / (double)rte_get_timer_hz();
}

static int
share_run(void *arg)
{
	const struct share *share = arg;
	struct run *run = share->run;
	struct soak_tally tally;
	bool is_working = true;

	while (is_working && !soak_remote_is_gone(&run->device)) {
		const uint64_t now = rte_get_timer_cycles();

		is_working = false;
		for (uint32_t i = share->first; i < run->nb_lanes; i += run->nb_lcores) {
			struct soak_lane *lane = run->lanes[i];

			if ((now > run->end || soak_device_is_lost(&run->device)) &&
			    soak_step_is_quiet(lane))
				continue;
			if (run->conf->has_one_step && i != run->conf->one_queue)
				continue;
			is_working |= soak_step_go_on(lane);
		}
		/* A software device needs a CPU, too. */
		sched_yield();
		/*
		 * Numbers of other lcores are unavailable meanwhile, so print only with a single
		 * lcore.
		 */
		if (run->nb_lcores == 1 && now > run->next_progress) {
			tally_sum(run, &tally);
			soak_report_progress(seconds_since(run->start), &tally);
			run->next_progress = now + SOAK_PROGRESS_S * rte_get_timer_hz();
		}
	}
	return 0;
}

static void
shares_run(struct run *run)
{
	struct share shares[RTE_MAX_LCORE];
	unsigned int lcore;
	uint32_t n = 1;

	for (uint32_t i = 0; i < run->nb_lcores; i++)
		shares[i] = (struct share){ run, i };
	RTE_LCORE_FOREACH_WORKER(lcore) {
		if (n == run->nb_lcores)
			break;
		rte_eal_remote_launch(share_run, &shares[n++], lcore);
	}
	share_run(&shares[0]);
	rte_eal_mp_wait_lcore();
}

/* When all lanes wait, close the lost device and set it up again. */
static bool
device_again(struct run *run)
{
	struct soak_device *device = &run->device;

	rte_umr_dev_stop(device->dev_id);
	for (uint32_t i = 0; i < run->nb_lanes; i++)
		soak_lane_destroy(run->lanes[i]);
	tool_devices_close(&run->conf->devices);
	device->is_to_be_lost = false;
	if (!soak_device_revive(device) || !tool_devices_open(&run->conf->devices, 1))
		return false;
	device->dev_id = run->conf->devices.ids[0];
	return rte_umr_dev_info_get(device->dev_id, &device->info) == 0 && lanes_create(run) &&
	       device_start(run);
}

static void
campaign_run(struct run *run)
{
	run->start = rte_get_timer_cycles();
	run->end = run->start + run->conf->seconds * rte_get_timer_hz();
	run->next_progress = run->start + SOAK_PROGRESS_S * rte_get_timer_hz();
	for (;;) {
		shares_run(run);
		if (soak_remote_is_gone(&run->device)) {
			run->lanes[0]->tally.wrongs.nb_unexplained++;
			return;
		}
		if (soak_device_is_lost(&run->device) && !run->device.is_to_be_lost)
			run->lanes[0]->tally.wrongs.nb_unexplained++;
		if (!soak_device_is_lost(&run->device) || run->conf->has_one_step ||
		    rte_get_timer_cycles() > run->end)
			return;
		if (device_again(run))
			continue;
		tool_error("soak: the device does not recover");
		run->lanes[0]->tally.wrongs.nb_unexplained++;
		return;
	}
}

static void
run_close(struct run *run)
{
	rte_umr_dev_stop(run->device.dev_id);
	for (uint32_t i = 0; i < run->nb_lanes; i++) {
		soak_lane_destroy(run->lanes[i]);
		free(run->lanes[i]);
	}
	soak_remote_close(&run->device);
	pthread_mutex_destroy(&run->device.control);
	free(run->device.noise);
}

/* The library reports rejected operations once per queue; failures are intended here. */
static void
logs_silence(const struct soak_conf *conf)
{
	for (unsigned int i = 0; i < RTE_DIM(log_names) && !conf->is_verbose; i++) {
		const int type = rte_log_register(log_names[i]);

		if (type >= 0)
			rte_log_set_level((uint32_t)type, RTE_LOG_EMERG);
	}
}

static bool
run_open(struct run *run)
{
	struct soak_device *device = &run->device;

	device->conf = run->conf;
	device->dev_id = run->conf->devices.ids[0];
	pthread_mutex_init(&device->control, NULL);
	if (rte_umr_dev_info_get(device->dev_id, &device->info) != 0 || !noise_create(device))
		return false;
	if (!soak_remote_open(device))
		return false;
	device->faults = run->asked & soak_faults_possible(device);
	if (device->remote != NULL)
		device->faults &= soak_faults_of_transport(SOAK_PEER);
	return lanes_init(run) && lanes_create(run) && device_start(run);
}

enum tool_exit
soak_run(struct soak_conf *conf)
{
	struct run *run = calloc(1, sizeof(*run));
	enum tool_exit ret = TOOL_SETUP;
	struct soak_tally tally;

	if (run == NULL)
		return TOOL_SETUP;
	run->conf = conf;
	run->asked = conf->faults;
	run->nb_lcores = conf->nb_lcores != 0 ? conf->nb_lcores : rte_lcore_count();
	if (run->nb_lcores > rte_lcore_count()) {
		tool_error("soak: --lcores %u, but EAL has %u", run->nb_lcores, rte_lcore_count());
		free(run);
		return TOOL_USAGE;
	}
	logs_silence(conf);
	if (run_open(run)) {
		campaign_run(run);
		tally_sum(run, &tally);
		ret = soak_report(conf, &tally, run->asked & ~run->shown,
				  seconds_since(run->start));
	}
	run_close(run);
	free(run);
	return ret;
}
