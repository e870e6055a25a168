/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <stdlib.h>
#include <string.h>

#include <rte_malloc.h>

#include "model/layout.h"
#include "model/prng.h"
#include "verify/bed/bed.h"
#include "verify/bed/remote.h"

#define BED_NB_DESC	256u	/* a case needs about 20 */
#define AREA_SEED	0x756d72u

const uint32_t bed_peer_sizes[] = { BED_LAYOUT_SIZE, BED_FLAT_SIZE };

bool
bed_area_create(struct bed_area *area, const char *name, uint32_t size, int socket_id)
{
	struct prng prng = prng_stream(AREA_SEED, size);

	area->name = name;
	area->size = size;
	area->memory = rte_malloc_socket("verify area", size, 4096, socket_id);
	area->addr = (uintptr_t)area->memory;
	area->expected = malloc(size);
	if (area->memory == NULL || area->expected == NULL) {
		tool_error("verify: no memory for %u bytes", size);
		return false;
	}
	for (uint32_t i = 0; i < size; i++)
		area->expected[i] = (uint8_t)prng_next(&prng);
	bed_area_heal(area);
	return true;
}

void
bed_area_destroy(struct bed_area *area)
{
	rte_free(area->memory);
	free(area->expected);
}

void
bed_area_heal(struct bed_area *area)
{
	memcpy(area->memory, area->expected, area->size);
}

uint32_t
bed_area_compare(const struct bed_area *area, uint32_t *first)
{
	uint32_t nb = 0;

	if (memcmp(area->memory, area->expected, area->size) == 0)
		return 0;
	for (uint32_t i = 0; i < area->size; i++)
		if (area->memory[i] != area->expected[i] && nb++ == 0)
			*first = i;
	return nb;
}

struct rte_umr_mr *
bed_mr_register(const struct bed_side *side, const struct bed_area *area, uint32_t access)
{
	const struct rte_umr_mr_conf conf = {
		.addr = area->memory, .len = area->size, .access = access,
	};
	struct rte_umr_mr *mr = rte_umr_mr_register(side->dev_id, &conf);

	if (mr == NULL)
		tool_error("verify: registering the %s area with %s: %s", area->name,
			   side->info.dev_name, rte_strerror(rte_errno));
	return mr;
}

struct rte_umr_mkey_pool *
bed_pool_create(const struct bed_side *side, struct rte_umr_mkey_pool_conf conf)
{
	struct rte_umr_mkey_pool *pool;

	conf.socket_id = SOCKET_ID_ANY;
	conf.max_entries = RTE_MIN(conf.max_entries, side->info.max_entries);
	conf.flags |= side->pool_flags;
	if ((side->info.dev_capa & RTE_UMR_CAPA_MKEY_UPDATE) == 0)
		conf.flags &= ~RTE_UMR_MKEY_POOL_F_UPDATE;
	pool = rte_umr_mkey_pool_create(side->dev_id, &conf);
	if (pool == NULL)
		tool_error("verify: creating keys of %u entries on %s: %s", conf.max_entries,
			   side->info.dev_name, rte_strerror(rte_errno));
	return pool;
}

static bool
side_create_memory(struct bed_side *side)
{
	const struct rte_umr_mkey_pool_conf conf = {
		.nb_mkeys = BED_NB_MKEYS, .max_entries = LAYOUT_MAX_PIECES,
	};
	int socket_id = side->info.numa_node < 0 ? SOCKET_ID_ANY : side->info.numa_node;

	if (!bed_area_create(&side->layout, "layout", BED_LAYOUT_SIZE, socket_id) ||
	    !bed_area_create(&side->flat, "flat", BED_FLAT_SIZE, socket_id))
		return false;
	for (unsigned int i = 0; i < BED_NB_LAYOUT_MRS; i++) {
		side->layout_mrs[i] = bed_mr_register(side, &side->layout,
						      side->info.access_capa);
		if (side->layout_mrs[i] == NULL)
			return false;
	}
	side->flat_mr = bed_mr_register(side, &side->flat, side->info.access_capa);
	if (side->flat_mr == NULL)
		return false;
	side->pool = bed_pool_create(side, conf);
	return side->pool != NULL;
}

/* Whether a call for a queue of a side succeeded; otherwise print an error. */
static bool
queue_ok(int ret, const char *what, const struct bed_side *side, uint16_t queue_id)
{
	if (ret != 0)
		tool_error("verify: %s%s queue %u: %s", what, side->info.dev_name, queue_id,
			   rte_strerror(-ret));
	return ret == 0;
}

/* Queue numbers of a device: loopback if any, two connections, extra queues. */
static uint16_t
nb_loopbacks(const struct bed *bed)
{
	return (bed->transports & BED_LOOPBACK) != 0;
}

uint16_t
bed_nb_queues(unsigned int transports, const struct bed_conf *conf)
{
	return (transports & BED_LOOPBACK ? 1 : 0) + (transports & BED_RC ? 2 : 0) +
	       (transports & BED_PEER ? 1 : 0) + (conf != NULL ? conf->nb_extra : 0);
}

uint16_t
bed_first_extra(const struct bed *bed)
{
	return bed_nb_queues(bed->transports, NULL);
}

static bool
queue_setup(const struct bed *bed, const struct bed_side *side, uint16_t queue_id)
{
	uint16_t nb_desc = RTE_MIN(BED_NB_DESC, side->info.max_desc);
	bool is_loopback = queue_id < nb_loopbacks(bed);
	struct rte_umr_queue_conf conf = {
		.transport = is_loopback ? RTE_UMR_TRANSPORT_LOOPBACK : RTE_UMR_TRANSPORT_RC,
		.nb_desc = RTE_MAX(nb_desc, side->info.min_desc),
		.socket_id = SOCKET_ID_ANY,
	};

	if (bed->conf != NULL) {
		conf.nb_list_entries = bed->conf->nb_list_entries;
		conf.nb_recv_desc = RTE_MIN(bed->conf->nb_recv_desc, side->info.max_recv_desc);
	}
	if (bed->conf != NULL && bed->conf->queue_conf != NULL)
		bed->conf->queue_conf(side, queue_id, queue_id >= bed_first_extra(bed), &conf);
	return queue_ok(rte_umr_queue_setup(side->dev_id, queue_id, &conf), "", side, queue_id);
}

static bool
side_create_queues(const struct bed *bed, const struct bed_side *side)
{
	struct rte_umr_dev_conf conf = {
		.nb_queues = bed_nb_queues(bed->transports, bed->conf),
	};
	int ret = rte_umr_dev_configure(side->dev_id, &conf);

	if (ret != 0) {
		tool_error("verify: configuring %s for %u queues: %s", side->info.dev_name,
			   conf.nb_queues, rte_strerror(-ret));
		return false;
	}
	for (uint16_t i = 0; i < conf.nb_queues; i++)
		if (!queue_setup(bed, side, i))
			return false;
	return true;
}

static void
path_add(struct bed *bed, struct bed_end initiator, struct bed_end target)
{
	bed->paths[bed->nb_paths++] = (struct bed_path){ initiator, target };
}

/* The two queues of the connection from side i to the next one. */
static void
connection_ends(struct bed *bed, uint16_t i, struct bed_end *out, struct bed_end *in)
{
	out->side = &bed->sides[i];
	out->queue_id = nb_loopbacks(bed);
	in->side = &bed->sides[(i + 1) % bed->nb_sides];
	in->queue_id = nb_loopbacks(bed) + 1;
}

static void
paths_create(struct bed *bed)
{
	if (bed->transports & BED_PEER) {
		path_add(bed, (struct bed_end){ &bed->sides[0], 0 },
			 (struct bed_end){ &bed->sides[1], 0 });
		return;
	}
	for (uint16_t i = 0; i < bed->nb_sides; i++) {
		struct bed_end loopback = { &bed->sides[i], 0 };
		struct bed_end out, in;

		if (bed->transports & BED_LOOPBACK)
			path_add(bed, loopback, loopback);
		if (bed->transports & BED_RC) {
			connection_ends(bed, i, &out, &in);
			path_add(bed, out, in);
			path_add(bed, in, out);
		}
	}
}

bool
bed_connect(const struct bed_end *end, const struct bed_end *peer)
{
	struct rte_umr_endpoint remote;
	int ret;

	if (peer->side->remote != NULL)
		return bed_remote_connect(end, peer->side);
	ret = rte_umr_queue_endpoint_get(peer->side->dev_id, peer->queue_id, &remote);
	if (ret == 0)
		ret = rte_umr_queue_connect(end->side->dev_id, end->queue_id, &remote);
	if (ret != 0)
		tool_error("verify: connecting %s queue %u to %s queue %u: %s",
			   end->side->info.dev_name, end->queue_id, peer->side->info.dev_name,
			   peer->queue_id, rte_strerror(-ret));
	return ret == 0;
}

static bool
bed_start(struct bed *bed)
{
	for (uint16_t i = 0; i < bed->nb_sides; i++) {
		int ret;

		if (bed->sides[i].remote != NULL)
			continue;
		ret = rte_umr_dev_start(bed->sides[i].dev_id);
		if (ret != 0) {
			tool_error("verify: starting %s: %s", bed->sides[i].info.dev_name,
				   rte_strerror(-ret));
			return false;
		}
	}
	if ((bed->transports & BED_PEER) &&
	    !bed_connect(&bed->paths[0].initiator, &bed->paths[0].target))
		return false;
	for (uint16_t i = 0; (bed->transports & BED_RC) && i < bed->nb_sides; i++) {
		struct bed_end out, in;

		connection_ends(bed, i, &out, &in);
		if (!bed_connect(&out, &in) || !bed_connect(&in, &out))
			return false;
	}
	return true;
}

/* A working queue is not touched unless its peer is in the error state. */
static bool
end_recover(const struct bed_end *end)
{
	int ret = rte_umr_queue_recover(end->side->dev_id, end->queue_id);

	return ret == -EALREADY || queue_ok(ret, "recovering ", end->side, end->queue_id);
}

bool
bed_path_recover(const struct bed_path *path)
{
	const struct bed_end *a = &path->initiator, *b = &path->target;

	if (a->side == b->side && a->queue_id == b->queue_id)
		return end_recover(a);
	if (b->side->remote != NULL)
		return end_recover(a) && bed_connect(a, b);
	return end_recover(a) && end_recover(b) && bed_connect(a, b) && bed_connect(b, a);
}

bool
bed_restart(struct bed *bed)
{
	for (uint16_t i = 0; i < bed->nb_sides; i++) {
		struct bed_side *side = &bed->sides[i];
		int ret;

		if (side->remote != NULL) {
			if (!bed_remote_heal(side))
				return false;
			continue;
		}
		ret = rte_umr_dev_stop(side->dev_id);
		if (ret != 0)
			tool_error("verify: stopping %s: %s", side->info.dev_name,
				   rte_strerror(-ret));
		bed_area_heal(&side->layout);
		bed_area_heal(&side->flat);
	}
	return bed_start(bed);
}

unsigned int
bed_transports(const struct tool_devices *devices, unsigned int transports)
{
	struct rte_umr_dev_info first, info;

	rte_umr_dev_info_get(devices->ids[0], &first);
	for (uint16_t i = 0; i < devices->nb_ids; i++) {
		rte_umr_dev_info_get(devices->ids[i], &info);
		if ((info.dev_capa & RTE_UMR_CAPA_LOOPBACK) == 0)
			transports &= ~BED_LOOPBACK;
		if ((info.dev_capa & RTE_UMR_CAPA_RC) == 0 || info.link_layer != first.link_layer)
			transports &= ~BED_RC;
		if ((info.dev_capa & RTE_UMR_CAPA_RC) == 0)
			transports &= ~BED_PEER;
	}
	return transports;
}

/*
 * Use keys with relaxed ordering and a base on the last device; with several devices, the others
 * use plain keys.
 */
static void
keys_choose(struct bed *bed)
{
	for (uint16_t i = 0; i < bed->nb_sides; i++) {
		struct bed_side *side = &bed->sides[i];

		side->key_access = side->info.access_capa;
		if (i + 1 < bed->nb_sides)
			side->key_access &= ~RTE_UMR_ACCESS_RELAXED_ORDERING;
		if ((side->key_access & RTE_UMR_ACCESS_RELAXED_ORDERING) == 0)
			continue;
		/* Such keys are not configured by the fast path, with a base or without. */
		side->pool_flags = RTE_UMR_MKEY_POOL_F_RELAXED_ORDERING;
		if ((side->info.dev_capa & RTE_UMR_CAPA_MKEY_BASE) != 0)
			side->pool_flags |= RTE_UMR_MKEY_POOL_F_BASE;
	}
}

bool
bed_create(struct bed *bed, const struct tool_devices *devices, unsigned int transports,
	   const struct bed_conf *conf, struct peer *peer)
{
	const uint64_t needed = RTE_UMR_CAPA_MKEY_LIST | RTE_UMR_CAPA_WRITE | RTE_UMR_CAPA_READ;

	memset(bed, 0, sizeof(*bed));
	bed->transports = bed_transports(devices, transports);
	bed->conf = conf;
	for (uint16_t i = 0; i < devices->nb_ids; i++) {
		struct bed_side *side = &bed->sides[bed->nb_sides++];

		side->dev_id = devices->ids[i];
		rte_umr_dev_info_get(side->dev_id, &side->info);
		if ((side->info.dev_capa & needed) != needed) {
			tool_error("verify: %s lacks lists, writes or reads", side->info.dev_name);
			return false;
		}
	}
	if (bed->transports == 0) {
		tool_error("verify: the devices have none of the transports asked for");
		return false;
	}
	keys_choose(bed);
	for (uint16_t i = 0; i < bed->nb_sides; i++)
		if (!side_create_memory(&bed->sides[i]) ||
		    !side_create_queues(bed, &bed->sides[i]))
			return false;
	if (peer != NULL && !bed_remote_create(&bed->sides[bed->nb_sides++], peer))
		return false;
	paths_create(bed);
	return bed_start(bed);
}

void
bed_destroy(struct bed *bed)
{
	for (uint16_t i = 0; i < bed->nb_sides; i++) {
		struct bed_side *side = &bed->sides[i];

		if (side->remote != NULL) {
			bed_remote_destroy(side);
			continue;
		}
		rte_umr_dev_stop(side->dev_id);
		rte_umr_mkey_pool_destroy(side->pool);
		rte_umr_mr_deregister(side->flat_mr);
		for (unsigned int m = 0; m < BED_NB_LAYOUT_MRS; m++)
			rte_umr_mr_deregister(side->layout_mrs[m]);
		bed_area_destroy(&side->layout);
		bed_area_destroy(&side->flat);
	}
	bed->nb_sides = 0;
}
