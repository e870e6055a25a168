/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Counting mode: run and count enough operations that every index, counter and tag wraps around.
 * Memory is not checked, so that acknowledge-only devices are suitable. A doorbell covers one
 * burst, which is collected completely before the next one: such a device may complete only the
 * second of two doorbells (swhca-run --acknowledge-only).
 */

#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_malloc.h>

#include "model/prng.h"
#include "soak/soak.h"

#define NB_KEYS		64u
#define AREA		4096u
#define LEN		8u
/*
 * A doorbell covers some 230 operations on average and generates one CQE, so that 2^32 operations
 * also wrap the 24-bit consumer index of the CQ.
 */
#define MAX_BURST	1024u
#define ONE_IN_FULL	32u
#define RECORDS		512u
#define DEPTH		16384u

struct counter {
	const struct soak_conf *conf;
	int16_t dev_id;
	uint16_t queue_id;
	struct prng prng;
	uint8_t *memory;
	struct rte_umr_mr *mr;
	struct rte_umr_mkey_pool *pool;
	struct rte_umr_mkey *keys[NB_KEYS];
	uint16_t ring;	/* descriptors of the idle queue */
	bool has_timed_out;
	struct soak_tally tally;
	struct soak_ledger ledger;
	struct rte_umr_rdma_op ops[MAX_BURST];
	struct rte_umr_completion done[RECORDS];
};

static bool
memory_setup(struct counter *c)
{
	const struct rte_umr_mkey_pool_conf pool_conf = {
		.nb_mkeys = NB_KEYS, .max_entries = 4, .socket_id = SOCKET_ID_ANY,
	};
	struct rte_umr_mr_conf mr_conf = {
		.len = AREA,
		.access = RTE_UMR_ACCESS_LOCAL_WRITE | RTE_UMR_ACCESS_REMOTE_READ |
			  RTE_UMR_ACCESS_REMOTE_WRITE,
	};

	c->memory = rte_zmalloc("soak area", AREA, AREA);
	mr_conf.addr = c->memory;
	if (c->memory == NULL)
		return false;
	c->mr = rte_umr_mr_register(c->dev_id, &mr_conf);
	c->pool = rte_umr_mkey_pool_create(c->dev_id, &pool_conf);
	return c->mr != NULL && c->pool != NULL &&
	       rte_umr_mkey_get_bulk(c->pool, c->keys, NB_KEYS) == 0;
}

static bool
counter_setup(struct counter *c)
{
	struct rte_umr_dev_info info;
	const struct rte_umr_dev_conf dev_conf = { .nb_queues = 1 };
	struct rte_umr_queue_conf queue_conf = { .socket_id = SOCKET_ID_ANY };
	struct rte_umr_rdma_op op;

	if (rte_umr_dev_info_get(c->dev_id, &info) != 0)
		return false;
	queue_conf.nb_desc = RTE_MIN(DEPTH, info.max_desc);
	if (!memory_setup(c) || rte_umr_dev_configure(c->dev_id, &dev_conf) != 0 ||
	    rte_umr_queue_setup(c->dev_id, 0, &queue_conf) != 0 ||
	    rte_umr_dev_start(c->dev_id) != 0)
		return false;
	op = (struct rte_umr_rdma_op){
		.local = { (uintptr_t)c->memory, LEN, c->mr->lkey },
		.remote_addr = (uintptr_t)c->memory + AREA / 2, .rkey = c->mr->rkey,
	};
	for (unsigned int i = 0; i < MAX_BURST; i++)
		c->ops[i] = op;
	c->ring = rte_umr_desc_avail(c->dev_id, 0);
	return true;
}

static void
counter_close(struct counter *c)
{
	rte_umr_dev_stop(c->dev_id);
	if (c->pool != NULL) {
		rte_umr_mkey_put_bulk(c->pool, c->keys, NB_KEYS);
		rte_umr_mkey_pool_destroy(c->pool);
	}
	rte_umr_mr_deregister(c->mr);
	rte_free(c->memory);
}

/* Record the number of operations that a call accepted, or a negative errno. */
static void
taken(struct counter *c, enum soak_kind kind, enum rte_umr_op_type op, uint32_t length, int nb)
{
	const struct soak_due due = {
		.length = length, .may = SOAK_STATUS(SUCCESS), .op = (uint8_t)op,
	};

	if (nb < 0) {
		soak_ledger_note(&c->ledger, &c->ledger.wrongs.nb_unexplained, 1,
				 "%s was rejected: %s", soak_kind_names[kind], rte_strerror(-nb));
		return;
	}
	/* A burst returns no index; completions are compared instead. */
	for (int i = 0; i < nb; i++)
		soak_ledger_take(&c->ledger, (uint16_t)c->ledger.nb_taken, &due);
	c->tally.kinds[kind] += (uint64_t)nb;
	c->tally.nb_operations += (uint64_t)nb;
}

/* Record a single operation, which returns its index. */
static void
taken_one(struct counter *c, enum soak_kind kind, enum rte_umr_op_type op, uint32_t length, int ret)
{
	if (ret >= 0 && ret != (uint16_t)c->ledger.nb_taken)
		soak_ledger_note(&c->ledger, &c->ledger.wrongs.nb_unexplained, 1,
				 "%s got the ring index %d", soak_kind_names[kind], ret);
	taken(c, kind, op, length, ret < 0 ? ret : 1);
}

static void
burst_keys(struct counter *c, uint16_t nb)
{
	struct rte_umr_seg segs[NB_KEYS];
	struct rte_umr_mkey_op ops[NB_KEYS];

	/* Wrap tags, too. */
	rte_umr_mkey_put_bulk(c->pool, c->keys, nb);
	if (rte_umr_mkey_get_bulk(c->pool, c->keys, nb) != 0) {
		soak_ledger_note(&c->ledger, &c->ledger.wrongs.nb_lost, nb, "the pool lost keys");
		return;
	}
	memset(ops, 0, sizeof(ops));
	for (uint16_t i = 0; i < nb; i++) {
		segs[i] = (struct rte_umr_seg){ (uintptr_t)c->memory + i * LEN, LEN, c->mr->lkey };
		ops[i].mkey = c->keys[i];
		ops[i].setters = RTE_UMR_MKEY_SET_ACCESS_LAYOUT;
		ops[i].layout = RTE_UMR_LAYOUT_LIST;
		ops[i].segs = &segs[i];
		ops[i].nb_entries = 1;
	}
	taken(c, SOAK_CONFIGURE, RTE_UMR_OP_MKEY_CONFIGURE, 0,
	      rte_umr_mkey_configure_burst(c->dev_id, c->queue_id, ops, nb, 0));
	taken(c, SOAK_INVALIDATE, RTE_UMR_OP_MKEY_INVALIDATE, 0,
	      rte_umr_mkey_invalidate_burst(c->dev_id, c->queue_id, c->keys, nb,
					    RTE_UMR_OP_F_SUBMIT));
	c->tally.kinds[SOAK_BURST] += 2;
}

static void
burst_singles(struct counter *c, uint16_t nb)
{
	const struct rte_umr_seg seg = c->ops[0].local;

	for (uint16_t i = 0; i < nb; i++) {
		const uint64_t flags = i + 1 == nb ? RTE_UMR_OP_F_SUBMIT : 0;
		struct rte_umr_mkey *key = c->keys[i % NB_KEYS];

		switch (prng_between(&c->prng, 0, 3)) {
		case 0:
			taken_one(c, SOAK_LIST, RTE_UMR_OP_MKEY_LIST, 0,
				  rte_umr_mkey_list(c->dev_id, c->queue_id, key, 0, &seg, 1,
						    flags));
			break;
		case 1:
			taken_one(c, SOAK_READ, RTE_UMR_OP_READ, LEN,
				  rte_umr_read(c->dev_id, c->queue_id, &seg, c->ops[0].remote_addr,
					       c->ops[0].rkey, flags));
			break;
		case 2:
			taken_one(c, SOAK_WRITE_INLINE, RTE_UMR_OP_WRITE, LEN,
				  rte_umr_write(c->dev_id, c->queue_id, &seg,
						c->ops[0].remote_addr, c->ops[0].rkey,
						flags | RTE_UMR_OP_F_INLINE));
			break;
		default:
			taken_one(c, SOAK_INVALIDATE, RTE_UMR_OP_MKEY_INVALIDATE, 0,
				  rte_umr_mkey_invalidate(c->dev_id, c->queue_id, key, flags));
			break;
		}
	}
}

/* Post one burst, mostly of writes, which are the fastest. */
static void
burst_post(struct counter *c, uint64_t left)
{
	const uint64_t most = RTE_MIN(left, MAX_BURST);
	uint16_t nb;

	switch (prng_between(&c->prng, 0, 15)) {
	case 0:
		burst_singles(c, (uint16_t)RTE_MIN(most, prng_between(&c->prng, 1, 64)));
		break;
	case 1:
		if (most >= 2 * NB_KEYS) {
			burst_keys(c, (uint16_t)prng_between(&c->prng, 1, NB_KEYS));
			break;
		}
		/* fallthrough */
	default:
		nb = (uint16_t)(prng_one_in(&c->prng, ONE_IN_FULL) ? most :
								     prng_log(&c->prng, most));
		taken(c, SOAK_WRITE, RTE_UMR_OP_WRITE, LEN,
		      rte_umr_write_burst(c->dev_id, c->queue_id, c->ops, nb,
					  RTE_UMR_OP_F_SUBMIT));
		c->tally.kinds[SOAK_BURST]++;
		break;
	}
}

static uint16_t
collect_some(struct counter *c, bool by_status)
{
	uint16_t nb, last_idx = 0, i;
	bool has_error = false;
	uint64_t number;

	if (!by_status) {
		nb = rte_umr_completed(c->dev_id, c->queue_id, UINT16_MAX, &last_idx, &has_error);
		soak_ledger_back_good(&c->ledger, nb, last_idx);
		c->tally.statuses[RTE_UMR_STATUS_SUCCESS] += nb;
		if (!has_error)
			return nb;
	}
	nb = rte_umr_completed_status(c->dev_id, c->queue_id, RECORDS, c->done);
	for (i = 0; i < nb; i++) {
		soak_ledger_back(&c->ledger, &c->done[i], &number);
		c->tally.statuses[RTE_MIN(c->done[i].status, RTE_UMR_STATUS_UNKNOWN)]++;
	}
	return nb;
}

static void
burst_collect(struct counter *c)
{
	const bool by_status = !prng_one_in(&c->prng, 4);
	uint64_t deadline = 0;

	while (soak_ledger_nb_out(&c->ledger) != 0) {
		if (collect_some(c, by_status) != 0)
			continue;
		/* A software device needs a CPU, too. */
		sched_yield();
		if (deadline == 0)
			deadline = rte_get_timer_cycles() + SOAK_DEADLINE_S * rte_get_timer_hz();
		if (rte_get_timer_cycles() < deadline)
			continue;
		c->has_timed_out = true;
		soak_ledger_give_up(&c->ledger);
	}
	c->tally.nb_steps++;
}

/* Check that the ring is empty and no more completions arrive. */
static void
quiet_check(struct counter *c)
{
	const uint16_t avail = rte_umr_desc_avail(c->dev_id, c->queue_id);

	if (avail != c->ring)
		soak_ledger_note(&c->ledger, &c->ledger.wrongs.nb_unexplained, 1,
				 "an empty ring has %u descriptors of %u", avail, c->ring);
	if (collect_some(c, true) != 0)
		soak_ledger_note(&c->ledger, &c->ledger.wrongs.nb_unexplained, 1,
				 "the empty ring gave something back");
}

static void
count(struct counter *c, uint64_t start)
{
	const uint64_t hz = rte_get_timer_hz();
	uint64_t next = start + SOAK_PROGRESS_S * hz, now;

	while (c->tally.nb_operations < c->conf->nb_operations && !c->has_timed_out &&
	       c->ledger.wrongs.nb_unexplained < 1000) {
		burst_post(c, c->conf->nb_operations - c->tally.nb_operations);
		burst_collect(c);
		if (c->tally.nb_steps % 64 == 0)
			quiet_check(c);
		now = rte_get_timer_cycles();
		if (now < next)
			continue;
		soak_report_progress((double)(now - start) / (double)hz, &c->tally);
		next = now + SOAK_PROGRESS_S * hz;
	}
	quiet_check(c);
	c->tally.wrongs = c->ledger.wrongs;
	if (c->ledger.why[0] != '\0')
		tool_error("soak: %s", c->ledger.why);
}

enum tool_exit
soak_count_run(const struct soak_conf *conf)
{
	struct counter *c = calloc(1, sizeof(*c));
	const uint64_t start = rte_get_timer_cycles();
	enum tool_exit ret = TOOL_SETUP;

	if (c == NULL) {
		tool_error("soak: out of memory");
		return TOOL_SETUP;
	}
	c->conf = conf;
	c->dev_id = conf->devices.ids[0];
	c->prng = prng_stream(conf->seed, 0);
	soak_ledger_init(&c->ledger);
	if (counter_setup(c)) {
		count(c, start);
		ret = soak_report(conf, &c->tally, 0,
				  (double)(rte_get_timer_cycles() - start) /
					  (double)rte_get_timer_hz());
	} else {
		tool_error("soak: setting up a loopback queue: %s", rte_strerror(rte_errno));
	}
	counter_close(c);
	free(c);
	return ret;
}
