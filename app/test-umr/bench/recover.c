/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Recoveries: the distribution of the time of rte_umr_queue_recover() on a loopback queue after a
 * failed operation, and the latency of a write on another queue of the device with and without
 * concurrent recoveries. Another lcore polls the other queue, if available. On a software device
 * this is the time of the model, not of an adapter.
 */

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include <rte_errno.h>
#include <rte_launch.h>
#include <rte_lcore.h>
#include <rte_malloc.h>

#include "bench/conf.h"
#include "bench/measure/clock.h"
#include "bench/report.h"

/* The queue that fails and the other queue. */
enum { FAILS, OTHER, NB_QUEUES };

#define NB_DESC		64u
#define NB_BEHIND	8u	/* operations flushed per failure */
#define LEN		64u
#define MEM_SIZE	4096u
#define BAD_LKEY	0xdead0042u	/* does not belong to a region */
#define TIMEOUT_MS	30000u

/* Samples in cycles. */
struct samples {
	const char *name;
	double *values;
	uint32_t nb;
	double p[5];	/* min, median, 99 and 99.9 %, max: nanoseconds; NAN: no samples */
};

enum { QUIET, MEANWHILE, RECOVERY, NB_SAMPLES };

struct bench_recover {
	int16_t dev_id;
	struct rte_umr_dev_info info;
	uint8_t *memory;
	struct rte_umr_mr *mr;
	uint32_t nb_rounds;
	struct samples samples[NB_SAMPLES];
	struct samples *target;	/* of the other lcore */
	unsigned int is_over;	/* __atomic: request to return */
};

static bool
complain(const char *what, int ret)
{
	if (ret != 0)
		tool_error("bench: %s: %s", what, rte_strerror(-ret));
	return ret == 0;
}

static bool
queues_create(struct bench_recover *b)
{
	const struct rte_umr_dev_conf dev_conf = { .nb_queues = NB_QUEUES };
	const struct rte_umr_queue_conf conf = {
		.transport = RTE_UMR_TRANSPORT_LOOPBACK,
		.nb_desc = (uint16_t)RTE_MAX(NB_DESC, b->info.min_desc),
		.socket_id = SOCKET_ID_ANY,
	};

	return complain("configure", rte_umr_dev_configure(b->dev_id, &dev_conf)) &&
	       complain("queue", rte_umr_queue_setup(b->dev_id, FAILS, &conf)) &&
	       complain("queue", rte_umr_queue_setup(b->dev_id, OTHER, &conf)) &&
	       complain("start", rte_umr_dev_start(b->dev_id));
}

static bool
recover_open(struct bench_recover *b)
{
	rte_umr_dev_info_get(b->dev_id, &b->info);
	for (unsigned int i = 0; i < NB_SAMPLES; i++) {
		b->samples[i].values = calloc(b->nb_rounds, sizeof(double));
		if (b->samples[i].values == NULL)
			return complain("samples", -ENOMEM);
	}
	b->memory = rte_zmalloc("bench recover", MEM_SIZE, MEM_SIZE);
	if (b->memory == NULL)
		return complain("memory", -ENOMEM);
	b->mr = rte_umr_mr_register(b->dev_id, &(struct rte_umr_mr_conf){
		.addr = b->memory, .len = MEM_SIZE, .access = RTE_UMR_ACCESS_ALL });
	if (b->mr == NULL)
		return complain("region", -rte_errno);
	return queues_create(b);
}

static void
recover_close(struct bench_recover *b)
{
	rte_umr_dev_stop(b->dev_id);
	rte_umr_mr_deregister(b->mr);
	rte_free(b->memory);
	for (unsigned int i = 0; i < NB_SAMPLES; i++)
		free(b->samples[i].values);
}

static int
write_one(const struct bench_recover *b, uint16_t queue, bool is_bad, uint64_t flags)
{
	const struct rte_umr_seg seg = { (uintptr_t)b->memory + queue * LEN, LEN,
					 is_bad ? BAD_LKEY : b->mr->lkey };

	return rte_umr_write(b->dev_id, queue, &seg, (uintptr_t)b->memory + MEM_SIZE / 2,
			     b->mr->rkey, flags);
}

/* Take outstanding operations. */
static bool
collect(const struct bench_recover *b, uint16_t queue, uint32_t nb, bool is_good)
{
	const uint64_t deadline = bench_deadline(TIMEOUT_MS);
	struct rte_umr_completion done[NB_BEHIND + 1];
	uint16_t n;

	while (nb > 0) {
		n = rte_umr_completed_status(b->dev_id, queue, (uint16_t)nb, done);
		for (uint16_t i = 0; i < n; i++)
			if ((done[i].status == RTE_UMR_STATUS_SUCCESS) != is_good) {
				tool_error("bench: a write ended with %s",
					   rte_umr_status_name(done[i].status));
				return false;
			}
		nb -= n;
		if (n == 0 && rte_rdtsc() > deadline)
			return complain("completions", -ETIMEDOUT);
	}
	return true;
}

/*
 * Write on the other queue, one write at a time, until there are enough samples or a stop request.
 */
static int
other_run(void *arg)
{
	struct bench_recover *b = arg;
	struct samples *samples = b->target;
	uint64_t start;

	for (samples->nb = 0; samples->nb < b->nb_rounds &&
	     __atomic_load_n(&b->is_over, __ATOMIC_RELAXED) == 0; samples->nb++) {
		start = bench_time();
		if (write_one(b, OTHER, false, RTE_UMR_OP_F_SUBMIT) < 0 ||
		    !collect(b, OTHER, 1, true))
			return -1;
		samples->values[samples->nb] = (double)(bench_time() - start);
	}
	return 0;
}

/* Let an operation fail with others queued after it, then recover. */
static bool
recovery_measure(struct bench_recover *b, double *cycles)
{
	uint64_t start;
	int ret;

	for (uint32_t i = 0; i <= NB_BEHIND; i++)
		if (write_one(b, FAILS, i == 0, i == NB_BEHIND ? RTE_UMR_OP_F_SUBMIT : 0) < 0)
			return complain("write", -EIO);
	if (!collect(b, FAILS, NB_BEHIND + 1, false))
		return false;
	start = bench_time();
	ret = rte_umr_queue_recover(b->dev_id, FAILS);
	*cycles = (double)(bench_time() - start);
	return complain("recovery", ret);
}

static void
samples_sum_up(struct samples *s, const char *name)
{
	static const double shares[] = { 0, 0.5, 0.99, 0.999, 1 };

	s->name = name;
	bench_sort(s->values, s->nb);
	for (unsigned int i = 0; i < RTE_DIM(shares); i++)
		s->p[i] = s->nb == 0 ? NAN :
			  bench_ns(bench_percentile(s->values, s->nb, shares[i]));
}

static bool
recover_measure(struct bench_recover *b)
{
	const unsigned int lcore = rte_get_next_lcore(-1, 1, 0);
	bool is_ok = true;

	b->target = &b->samples[QUIET];
	if (other_run(b) != 0)
		return false;
	b->target = &b->samples[MEANWHILE];
	if (lcore < RTE_MAX_LCORE && rte_eal_remote_launch(other_run, b, lcore) != 0)
		return complain("lcore", -EBUSY);
	for (struct samples *s = &b->samples[RECOVERY]; is_ok && s->nb < b->nb_rounds; s->nb++)
		is_ok = recovery_measure(b, &s->values[s->nb]);
	__atomic_store_n(&b->is_over, 1, __ATOMIC_RELAXED);
	if (lcore < RTE_MAX_LCORE)
		is_ok &= rte_eal_wait_lcore(lcore) == 0;
	samples_sum_up(&b->samples[QUIET], "write, quiet");
	samples_sum_up(&b->samples[MEANWHILE], "write, meanwhile");
	samples_sum_up(&b->samples[RECOVERY], "recovery");
	return is_ok;
}

static const struct tool_column columns[] = {
	{ .name = "device", NULL, TOOL_TEXT | TOOL_NO_JSON },
	{ .name = "what", "what", TOOL_TEXT, -18 }, { .name = "samples", "samples", TOOL_COUNT, 8 },
	TOOL_BAR, { .name = "min_ns", "min", TOOL_REAL, 9 },
	{ .name = "p50_ns", "p50", TOOL_REAL, 9 }, { .name = "p99_ns", "p99", TOOL_REAL, 9 },
	{ .name = "p999_ns", "p99.9", TOOL_REAL, 9 }, { .name = "max_ns", "max", TOOL_REAL, 9 },
	{ 0 },
};

static void
report_print(const struct bench_recover *b, enum tool_format format)
{
	json_t *rows = json_array();

	if (format == TOOL_FORMAT_TEXT)
		printf("device %s: %u failures, each with %u operations behind it.\n"
		       "Nanoseconds; on a software device its own, not those of an adapter.\n\n",
		       b->info.dev_name, b->nb_rounds, NB_BEHIND);
	tool_head_print(columns, format, "");
	for (const struct samples *s = b->samples; s != b->samples + NB_SAMPLES; s++) {
		const union tool_cell cells[] = {
			{ .text = b->info.dev_name }, { .text = s->name }, { s->nb }, { s->p[0] },
			{ s->p[1] }, { s->p[2] }, { s->p[3] }, { s->p[4] },
		};

		if (s->nb != 0)
			tool_line_print(columns, cells, format);
		json_array_append_new(rows, tool_line_to_json(columns, cells));
	}
	tool_report_print(json_pack("{s:s, s:i, s:o}", "device", b->info.dev_name,
				    "operations_behind", (int)NB_BEHIND, "recoveries", rows),
			  format);
}

enum tool_exit
bench_recover_run(const struct bench_conf *conf)
{
	struct bench_recover b = {
		.dev_id = conf->devices.ids[0],
		.nb_rounds = conf->has_rounds ? conf->nb_rounds : BENCH_RECOVERIES,
	};
	enum tool_exit ret = TOOL_OK;

	if (!recover_open(&b))
		ret = TOOL_SETUP;
	else if (!recover_measure(&b))
		ret = TOOL_FAILED;
	else
		report_print(&b, conf->format);
	recover_close(&b);
	return ret;
}
