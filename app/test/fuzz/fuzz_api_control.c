/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Control functions of lib/umr, as the input says: fuzz_api.h. */

#include <time.h>

#include "../patience.h"
#include "fuzz_api.h"
#include "fuzz_check.h"

/* Most are small, some are none, some are much too big. */
static uint32_t
pick_number(struct fuzz_input *in, uint32_t small)
{
	uint8_t pick = fuzz_u8(in);

	return pick < 0xf0 ? pick % (small + 1) : fuzz_u32(in);
}

/* Seldom anything but zero. */
static uint32_t
pick_seldom(struct fuzz_input *in)
{
	uint8_t pick = fuzz_u8(in);

	return pick < 0xe0 ? 0 : fuzz_u32(in);
}

static int16_t
pick_dev(struct api_world *w)
{
	uint8_t pick = fuzz_u8(w->in);

	return pick < 0xf0 ? w->dev_id : (int16_t)fuzz_u16(w->in);
}

struct api_queue
api_pick_queue(struct api_world *w)
{
	uint8_t pick = fuzz_u8(w->in);
	struct api_queue at = { .dev_id = w->dev_id, .id = pick % API_NB_QUEUES };

	if (pick >= 0xfc) {
		at.dev_id = (int16_t)fuzz_u16(w->in);
		/* The ledger is for ours. */
		if (at.dev_id == w->dev_id)
			at.dev_id = -1;
	} else if (pick >= 0xf8) {
		at.id = (uint16_t)(API_NB_QUEUES + fuzz_u16(w->in) % 0x1000);
	}
	return at;
}

bool
api_is_ours(const struct api_world *w, struct api_queue at)
{
	return at.dev_id == w->dev_id && at.id < API_NB_QUEUES;
}

static unsigned int
pick_slot(struct api_world *w)
{
	return fuzz_u8(w->in) % API_NB_SLOTS;
}

/* ---- Memory ---- */

/* In the arena, over one of its ends, or nowhere; never memory of the harness. */
static void
mr_conf_read(struct api_world *w, struct rte_umr_mr_conf *conf)
{
	uint8_t pick = fuzz_u8(w->in);
	uint32_t offset = fuzz_u16(w->in), len = fuzz_u16(w->in);

	*conf = (struct rte_umr_mr_conf){ .dmabuf_fd = -1 };
	if (pick < 0xe0 && offset + len > API_ARENA)
		len = API_ARENA - offset;
	conf->addr = pick < 0xf0 ? w->arena + offset : NULL;
	if (pick >= 0xf8)
		conf->addr = w->arena - 0x8000 + offset;
	conf->len = pick == 0xf0 ? (size_t)fuzz_u32(w->in) << 32 : len;
	conf->access = fuzz_u8(w->in) & 0x3f;
	conf->access |= pick_seldom(w->in);
	conf->flags = pick_seldom(w->in);
	conf->pd = fuzz_u8(w->in) < 0xc0 ? NULL : w->pds[pick_slot(w)];
	conf->iova = (conf->flags & RTE_UMR_MR_F_IOVA) != 0 ? fuzz_u32(w->in) : 0;
	conf->reserved = pick_seldom(w->in);
	/* All of the process' memory is no place to write to. */
	if (conf->addr == NULL || conf->len > 2 * API_ARENA)
		conf->flags &= ~RTE_UMR_MR_F_ON_DEMAND;
}

static void
mr_allow(struct api_world *w, const struct rte_umr_mr_conf *conf)
{
	const uint8_t *addr = conf->addr;

	if ((conf->access & RTE_UMR_ACCESS_LOCAL_WRITE) == 0)
		return;
	for (size_t i = 0; i < conf->len; i++) {
		if (addr + i >= w->arena && addr + i < w->arena + API_ARENA)
			w->may_write[addr + i - w->arena] = 1;
	}
}

static void
mr_step(struct api_world *w)
{
	struct rte_umr_mr_conf conf;
	unsigned int slot = pick_slot(w);
	struct rte_umr_mr *mr = w->mrs[slot];

	if (mr != NULL) {
		w->mrs[slot] = NULL;
		api_ret("rte_umr_mr_deregister", rte_umr_mr_deregister(mr));
		return;
	}
	mr_conf_read(w, &conf);
	mr = rte_umr_mr_register(pick_dev(w), fuzz_u8(w->in) == 0xff ? NULL : &conf);
	api_ptr("rte_umr_mr_register", mr);
	if (mr != NULL)
		mr_allow(w, &conf);
	w->mrs[slot] = mr;
}

static void
mr_change_step(struct api_world *w)
{
	struct rte_umr_mr *mr = w->mrs[pick_slot(w)];
	uint32_t changes = fuzz_u8(w->in) & 0xf;
	struct rte_umr_mr_conf conf, all;

	mr_conf_read(w, &conf);
	if (mr == NULL)
		return;
	conf.flags = pick_seldom(w->in);
	/* Also if it fails half-way: whatever it was, and whatever it was to be. */
	all = conf;
	all.access = RTE_UMR_ACCESS_LOCAL_WRITE;
	mr_allow(w, &all);
	if ((changes & RTE_UMR_MR_CHANGE_ACCESS) != 0)
		memset(w->may_write, 1, sizeof(w->may_write));
	api_ret("rte_umr_mr_reregister", rte_umr_mr_reregister(mr, changes, &conf));
}

static void
pd_step(struct api_world *w)
{
	unsigned int slot = pick_slot(w);

	if (w->pds[slot] == NULL) {
		w->pds[slot] = rte_umr_pd_alloc(pick_dev(w));
		api_ptr("rte_umr_pd_alloc", w->pds[slot]);
	} else if (api_ret("rte_umr_pd_free", rte_umr_pd_free(w->pds[slot])) == 0) {
		w->pds[slot] = NULL;
	}
}

static void
mw_step(struct api_world *w)
{
	unsigned int slot = pick_slot(w);

	if (w->mws[slot] == NULL) {
		w->mws[slot] = rte_umr_mw_create(pick_dev(w), fuzz_u8(w->in) < 0xc0 ? NULL :
						 w->pds[pick_slot(w)],
						 (enum rte_umr_mw_type)(fuzz_u8(w->in) % 4));
		api_ptr("rte_umr_mw_create", w->mws[slot]);
	} else {
		api_ret("rte_umr_mw_destroy", rte_umr_mw_destroy(w->mws[slot]));
		w->mws[slot] = NULL;
	}
}

/* ---- Keys ---- */

static void
pool_step(struct api_world *w)
{
	unsigned int slot = pick_slot(w);
	struct rte_umr_mkey_pool_conf conf = {
		.nb_mkeys = pick_number(w->in, 8), .max_entries = pick_number(w->in, 200),
		.cache_size = pick_seldom(w->in) % 8, .socket_id = -1,
	};

	if (w->pools[slot] != NULL) {
		if (api_ret("rte_umr_mkey_pool_destroy",
			    rte_umr_mkey_pool_destroy(w->pools[slot])) == 0)
			w->pools[slot] = NULL;
		return;
	}
	/* What the device has room for takes the model a while. */
	if (conf.nb_mkeys > 64)
		conf.nb_mkeys = UINT32_MAX;
	conf.flags = (fuzz_u8(w->in) & 0x3f) | pick_seldom(w->in);
	if ((conf.flags & RTE_UMR_MKEY_POOL_F_FIXED_SIZE) != 0)
		conf.log_entry_size = fuzz_u8(w->in) % 32;
	conf.pd = fuzz_u8(w->in) < 0xe0 ? NULL : w->pds[pick_slot(w)];
	conf.reserved = (uint8_t)pick_seldom(w->in);
	w->pools[slot] = rte_umr_mkey_pool_create(pick_dev(w), &conf);
	api_ptr("rte_umr_mkey_pool_create", w->pools[slot]);
}

static void
key_step(struct api_world *w)
{
	unsigned int i = fuzz_u8(w->in) % API_NB_KEYS, slot = pick_slot(w);
	struct rte_umr_mkey_pool *other = w->pools[slot];
	struct rte_umr_mkey *key = w->keys[i];

	if (key == NULL && other != NULL) {
		w->keys[i] = rte_umr_mkey_get(other);
		w->key_pools[i] = (uint8_t)slot;
	} else if (key != NULL) {
		/* Only its own pool takes it. */
		if (other != NULL && slot != w->key_pools[i] &&
		    api_ret("rte_umr_mkey_put", rte_umr_mkey_put(other, key)) == 0)
			FUZZ_BROKEN("a pool has taken a key of another one");
		if (rte_umr_mkey_put(w->pools[w->key_pools[i]], key) != 0)
			FUZZ_BROKEN("a pool does not take its key");
		w->keys[i] = NULL;
	}
}

static void
key_look_step(struct api_world *w)
{
	const struct rte_umr_mkey *key = w->keys[fuzz_u8(w->in) % API_NB_KEYS];
	struct rte_umr_mkey_attr attr;

	if (key != NULL)
		api_ret("rte_umr_mkey_query", rte_umr_mkey_query(key, &attr));
}

/* ---- Queues ---- */

static void
rings_forget(struct api_world *w, uint16_t queue_id)
{
	w->sends[queue_id].head = w->sends[queue_id].tail = 0;
	w->recvs[queue_id].head = w->recvs[queue_id].tail = 0;
}

static void
rings_forget_all(struct api_world *w)
{
	for (uint16_t q = 0; q < API_NB_QUEUES; q++)
		rings_forget(w, q);
}

static void
queue_step(struct api_world *w)
{
	struct rte_umr_queue_conf conf = { .socket_id = -1 };
	struct api_queue at = api_pick_queue(w);

	conf.transport = fuzz_u8(w->in) % 6;
	conf.nb_desc = (uint16_t)pick_number(w->in, 255);
	conf.nb_recv_desc = (uint16_t)pick_number(w->in, 64);
	conf.max_recv_segs = (uint16_t)pick_number(w->in, 4);
	conf.nb_list_entries = pick_number(w->in, 255) * 4;
	if (conf.nb_list_entries > 0x10000)
		conf.nb_list_entries = UINT32_MAX;
	conf.max_inline = (uint16_t)pick_number(w->in, 128);
	/* Seeds are older than these keys. */
	conf.nb_sg_mkeys = conf.nb_desc % 5;
	conf.flags = (uint16_t)pick_seldom(w->in);
	conf.pd = fuzz_u8(w->in) < 0xe0 ? NULL : w->pds[pick_slot(w)];
	conf.dc_key = pick_seldom(w->in);
	conf.nb_sig_mkeys = pick_seldom(w->in) % 64;
	conf.reserved[0] = pick_seldom(w->in);
	if (api_ret("rte_umr_queue_setup", rte_umr_queue_setup(at.dev_id, at.id, &conf)) == 0)
		rings_forget(w, at.id);
}

static bool
is_started(const struct api_world *w)
{
	/* Where it is not, that is what any operation says. */
	return rte_umr_submit(w->dev_id, 0) != -ESHUTDOWN;
}

static void
start_step(struct api_world *w)
{
	bool was_started = is_started(w);

	if (api_ret("rte_umr_dev_start", rte_umr_dev_start(w->dev_id)) == 0 && !was_started)
		rings_forget_all(w);
}

static void
configure_step(struct api_world *w)
{
	struct rte_umr_dev_conf conf = { .nb_queues = API_NB_QUEUES };

	conf.reserved[3] = (uint16_t)pick_seldom(w->in);
	if (fuzz_u8(w->in) >= 0xe0)
		conf.nb_queues = fuzz_u8(w->in) < 0x80 ? 0 : UINT16_MAX;
	if (api_ret("rte_umr_dev_configure", rte_umr_dev_configure(pick_dev(w), &conf)) == 0)
		rings_forget_all(w);
}

static void
connect_step(struct api_world *w)
{
	struct api_queue at = api_pick_queue(w);
	uint16_t other = fuzz_u8(w->in) % API_NB_QUEUES;
	struct rte_umr_endpoint peer = { 0 };

	api_ret("rte_umr_queue_endpoint_get",
		rte_umr_queue_endpoint_get(w->dev_id, other, &peer));
	if (fuzz_u8(w->in) >= 0xe0)
		fuzz_bytes(w->in, &peer, sizeof(peer));
	api_ret("rte_umr_queue_connect", rte_umr_queue_connect(at.dev_id, at.id, &peer));
}

static void
queue_look_step(struct api_world *w)
{
	struct rte_umr_op_shape shape = { .op = fuzz_u8(w->in) % 20 };
	struct rte_umr_queue_stats stats;
	struct rte_umr_op_size size;
	struct api_queue at = api_pick_queue(w);
	uint8_t status;

	shape.layout = fuzz_u8(w->in) % 5;
	shape.setters = fuzz_u8(w->in);
	shape.nb_sig_domains = fuzz_u8(w->in) % 4;
	shape.nb_entries = pick_number(w->in, 255);
	shape.first = pick_number(w->in, 255);
	shape.length = pick_number(w->in, 255);
	shape.pool_flags = fuzz_u8(w->in);
	shape.flags = fuzz_u8(w->in) & 0x7;
	shape.is_up_to = fuzz_u8(w->in) & 1;
	api_ret("rte_umr_op_desc", rte_umr_op_desc(at.dev_id, at.id, &shape, &size));
	api_ret("rte_umr_queue_stats_get", rte_umr_queue_stats_get(at.dev_id, at.id, &stats));
	api_ret("rte_umr_queue_status", rte_umr_queue_status(at.dev_id, at.id, &status));
	api_ret("rte_umr_queue_stats_reset", rte_umr_queue_stats_reset(at.dev_id, at.id));
}

static void
recover_step(struct api_world *w)
{
	struct api_queue at = api_pick_queue(w);

	api_ret("rte_umr_queue_recover", rte_umr_queue_recover(at.dev_id, at.id));
}

static void
look_step(struct api_world *w)
{
	struct rte_umr_odp_stats odp;
	struct rte_umr_dev_info info;
	uint32_t lkey;
	uint8_t status;
	FILE *file;
	int ret;

	api_ret("rte_umr_dev_info_get_size", rte_umr_dev_info_get(pick_dev(w), &info));
	api_ret("rte_umr_dev_status", rte_umr_dev_status(pick_dev(w), &status));
	api_ret("rte_umr_odp_stats_get", rte_umr_odp_stats_get(pick_dev(w), &odp));
	ret = rte_umr_mr_lookup(pick_dev(w), w->arena + fuzz_u16(w->in), fuzz_u16(w->in), &lkey);
	api_ret("rte_umr_mr_lookup", ret);
	file = fopen("/dev/null", "w");
	FUZZ_NEED(file != NULL);
	api_ret("rte_umr_dump", rte_umr_dump(pick_dev(w), file));
	fclose(file);
}

void
api_control_step(struct api_world *w, uint8_t kind)
{
	static void (*const steps[])(struct api_world *w) = {
		mr_step, mr_step, mr_change_step, pd_step, mw_step, pool_step, key_step, key_step,
		key_look_step, queue_step, start_step, configure_step, connect_step,
		queue_look_step, recover_step, look_step,
	};

	static_assert(RTE_DIM(steps) == API_NB_CONTROL_STEPS, "a step of each kind");
	/* Queues and devices change only while the device is stopped. */
	if ((steps[kind] == queue_step || steps[kind] == configure_step) &&
	    fuzz_u8(w->in) < 0x80)
		api_ret("rte_umr_dev_stop", rte_umr_dev_stop(w->dev_id));
	steps[kind](w);
}

/* ---- A device ---- */

void
api_bring_up(struct api_world *w)
{
	const struct rte_umr_dev_conf conf = { .nb_queues = API_NB_QUEUES };
	const struct rte_umr_queue_conf queue_conf = {
		.transport = RTE_UMR_TRANSPORT_LOOPBACK, .nb_desc = 64, .nb_recv_desc = 16,
		.max_recv_segs = 2, .nb_list_entries = 1024, .nb_sg_mkeys = 2, .socket_id = -1,
	};
	const struct rte_umr_mr_conf mr_conf = {
		.addr = w->arena + 0x1001, .len = 0x8000, .access = RTE_UMR_ACCESS_ALL,
	};
	const struct rte_umr_mkey_pool_conf pool_conf = {
		.nb_mkeys = 8, .max_entries = 16, .socket_id = -1,
	};
	char name[1][RTE_UMR_DEV_NAME_LEN], devargs[RTE_UMR_DEV_NAME_LEN + 64];

	FUZZ_NEED(rte_umr_dev_scan(name, 1) >= 1);
	/* By default a send waits for a receive for ever, and short lists use no key. */
	snprintf(devargs, sizeof(devargs), "%s,rnr_retry=1,sg_key=3,sg_read_key=3", name[0]);
	FUZZ_NEED(rte_umr_dev_probe(devargs, &w->dev_id) == 0);
	FUZZ_NEED(rte_umr_dev_configure(w->dev_id, &conf) == 0);
	for (uint16_t q = 0; q < API_NB_QUEUES; q++)
		FUZZ_NEED(rte_umr_queue_setup(w->dev_id, q, &queue_conf) == 0);
	FUZZ_NEED(rte_umr_dev_start(w->dev_id) == 0);
	w->mrs[0] = rte_umr_mr_register(w->dev_id, &mr_conf);
	w->pools[0] = rte_umr_mkey_pool_create(w->dev_id, &pool_conf);
	FUZZ_NEED(w->mrs[0] != NULL && w->pools[0] != NULL);
	mr_allow(w, &mr_conf);
	for (uint16_t q = 0; q < 4; q++)
		w->keys[q] = rte_umr_mkey_get(w->pools[0]);
}

static void
lost(struct api_world *w, uint16_t queue_id, const struct api_ring *ring)
{
	rte_umr_dump(w->dev_id, stderr);
	FUZZ_BROKEN("queue %u: %u operations are lost, the first is of type %s", queue_id,
		    ring->head - ring->tail, rte_umr_op_name(ring->op[(uint16_t)ring->tail]));
}

/* All that was accepted comes back: what was submitted, by itself. */
static void
rings_drain(struct api_world *w)
{
	const uint64_t end = patience_end();

	for (uint16_t q = 0; q < API_NB_QUEUES; q++) {
		rte_umr_submit(w->dev_id, q);
		while (w->sends[q].head != w->sends[q].tail) {
			if (api_collect(w, q, 64) == 0 && patience_is_over(end))
				lost(w, q, &w->sends[q]);
		}
	}
	FUZZ_NEED(rte_umr_dev_stop(w->dev_id) == 0);
	for (uint16_t q = 0; q < API_NB_QUEUES; q++) {
		while (w->recvs[q].head != w->recvs[q].tail) {
			if (api_collect(w, q, 64) == 0 && patience_is_over(end))
				lost(w, q, &w->recvs[q]);
		}
	}
}

void
api_take_down(struct api_world *w)
{
	const struct rte_umr_dev_conf conf = { .nb_queues = 1 };

	rings_drain(w);
	/* Queues are in PDs. */
	FUZZ_NEED(rte_umr_dev_configure(w->dev_id, &conf) == 0);
	for (unsigned int i = 0; i < API_NB_KEYS; i++)
		FUZZ_NEED(w->keys[i] == NULL ||
			  rte_umr_mkey_put(w->pools[w->key_pools[i]], w->keys[i]) == 0);
	for (unsigned int i = 0; i < API_NB_SLOTS; i++) {
		FUZZ_NEED(rte_umr_mw_destroy(w->mws[i]) == 0);
		FUZZ_NEED(rte_umr_mkey_pool_destroy(w->pools[i]) == 0);
		FUZZ_NEED(rte_umr_mr_deregister(w->mrs[i]) == 0);
	}
	for (unsigned int i = 0; i < API_NB_SLOTS; i++)
		FUZZ_NEED(rte_umr_pd_free(w->pds[i]) == 0);
	FUZZ_NEED(rte_umr_dev_close(w->dev_id) == 0);
}
