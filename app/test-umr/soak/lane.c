/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <rte_memory.h>

#include "soak/lane.h"
#include "soak/remote.h"

/* Rings of three depths: small ones are often full and wrap often. */
#define MIN_DEPTH	64u
#define RECV_DEPTH	64u
#define DC_KEY		UINT64_C(0x50a4)
#define LIST_ENTRIES	4096u
/* Memory before that of a twin, where other regions start. */
#define LEAD		65536u
/* Per pool, so that a key is unused for one step after use. */
#define POOL_SIGS	(2 * SOAK_MAX_SIGS)
/* Per lane: both ends. */
#define LANE_SIGS	(2 * POOL_SIGS)

uint16_t
soak_lane_nb_queues(unsigned int transport)
{
	return transport == SOAK_LOOPBACK || transport == SOAK_PEER ? 1 : 2;
}

static struct rte_umr_mr *
mr_register(const struct soak_device *device, void *addr, size_t len, uint32_t access,
	    uint32_t flags)
{
	const struct rte_umr_mr_conf conf = {
		.addr = addr, .len = len, .access = access, .flags = flags,
	};
	struct rte_umr_mr *mr = rte_umr_mr_register(device->dev_id, &conf);

	if (mr == NULL)
		tool_error("soak: registering memory: %s", rte_strerror(rte_errno));
	return mr;
}

static uint8_t *
pages_map(size_t len)
{
	uint8_t *pages = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			      0);

	return pages == MAP_FAILED ? NULL : pages;
}

static bool
area_create(struct soak_lane *lane, struct soak_end *end, enum soak_memory memory)
{
	const struct soak_device *device = lane->device;
	const uint32_t access = device->info.access_capa & RTE_UMR_ACCESS_ALL;
	const uint32_t flags = memory == SOAK_DEMAND ? RTE_UMR_MR_F_ON_DEMAND : 0;
	uint8_t *pages = pages_map(LEAD + SOAK_AREA_SIZE);

	if (pages == NULL)
		return false;
	end->pages[memory] = pages;
	memcpy(pages + LEAD, device->noise, SOAK_AREA_SIZE);
	if (!soak_twin_create(&end->twins[memory], pages + LEAD, SOAK_AREA_SIZE)) {
		end->twins[memory].memory = NULL;
		return false;
	}
	end->addrs[memory] = (uintptr_t)end->twins[memory].memory;
	end->mrs[memory] = mr_register(device, pages + LEAD, SOAK_AREA_SIZE, access, flags);
	end->plain[memory] = mr_register(device, pages, LEAD + SOAK_AREA_SIZE, access, flags);
	return end->mrs[memory] != NULL && end->plain[memory] != NULL;
}

/*
 * Create regions of inaccessible memory. Its addresses stay reserved, so that nothing else is
 * mapped there.
 */
static bool
absent_create(struct soak_lane *lane, struct soak_end *end)
{
	const struct soak_device *device = lane->device;
	const uint32_t access = device->info.access_capa & RTE_UMR_ACCESS_ALL;

	end->gone_addr = pages_map(SOAK_GONE_SIZE);
	if (end->gone_addr == NULL)
		return false;
	end->gone = mr_register(device, end->gone_addr, SOAK_GONE_SIZE, access, 0);
	if (end->gone == NULL || mmap(end->gone_addr, SOAK_GONE_SIZE, PROT_NONE,
				      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
		return false;
	if (!lane->plan_conf.has_demand)
		return true;
	end->hole_addr = mmap(NULL, SOAK_GONE_SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (end->hole_addr == MAP_FAILED) {
		end->hole_addr = NULL;
		return false;
	}
	end->hole = mr_register(device, end->hole_addr, SOAK_GONE_SIZE, access,
				RTE_UMR_MR_F_ON_DEMAND);
	return end->hole != NULL;
}

static bool
windows_create(struct soak_lane *lane, struct soak_end *end)
{
	const struct soak_device *device = lane->device;
	static const struct {
		enum rte_umr_mw_type type;
		uint64_t capa;
	} types[] = {
		{ RTE_UMR_MW_TYPE_1, RTE_UMR_CAPA_MW_TYPE_1 },
		{ RTE_UMR_MW_TYPE_2B, RTE_UMR_CAPA_MW_TYPE_2B },
	};

	if ((device->info.mr_access_capa & RTE_UMR_ACCESS_MW_BIND) == 0)
		return true;
	end->windows_mr = mr_register(device, end->pages[SOAK_PINNED], LEAD + SOAK_AREA_SIZE,
				      RTE_UMR_ACCESS_LOCAL_WRITE | RTE_UMR_ACCESS_MW_BIND, 0);
	for (unsigned int t = 0; t < RTE_DIM(types); t++)
		for (unsigned int i = 0; i < SOAK_MAX_KEYS; i++) {
			if ((device->info.dev_capa & types[t].capa) == 0)
				break;
			end->windows[t][i] = rte_umr_mw_create(device->dev_id, NULL, types[t].type);
			if (end->windows[t][i] == NULL)
				return false;
		}
	return end->windows_mr != NULL;
}

/* Whether queues have room for the errors of the keys of this lane and those before it. */
static bool
has_sig(const struct soak_device *device, uint32_t number)
{
	const uint64_t capa = RTE_UMR_CAPA_MKEY_SIG | RTE_UMR_CAPA_MKEY_CONFIGURE;

	return (device->info.dev_capa & capa) == capa &&
	       (number + 1) * LANE_SIGS <= device->info.max_sig_mkeys;
}

static bool
sig_pool_create(struct soak_lane *lane, struct soak_end *end)
{
	const struct rte_umr_mkey_pool_conf conf = {
		.nb_mkeys = POOL_SIGS, .flags = RTE_UMR_MKEY_POOL_F_SIG,
		.max_entries = RTE_MIN(LAYOUT_MAX_PIECES + 1, lane->device->info.max_entries),
		.socket_id = SOCKET_ID_ANY,
	};

	if (!lane->plan_conf.has_sig)
		return true;
	end->sig_pool = rte_umr_mkey_pool_create(lane->device->dev_id, &conf);
	if (end->sig_pool == NULL)
		tool_error("soak: keys with signatures: %s", rte_strerror(rte_errno));
	return end->sig_pool != NULL;
}

static bool
end_create(struct soak_lane *lane, struct soak_end *end)
{
	const struct soak_device *device = lane->device;
	struct rte_umr_mkey_pool_conf conf = {
		.nb_mkeys = 2 * SOAK_MAX_KEYS,
		.max_entries = RTE_MIN(LAYOUT_MAX_PIECES + 1, device->info.max_entries),
		.socket_id = SOCKET_ID_ANY,
	};

	/* Same conditions as in soak_planner_has_updates() and soak_planner_has_bases(). */
	if ((lane->number & 1) != 0 && (device->info.dev_capa & RTE_UMR_CAPA_MKEY_UPDATE) != 0)
		conf.flags |= RTE_UMR_MKEY_POOL_F_UPDATE;
	if ((lane->number & 1) != 0 && (device->info.dev_capa & RTE_UMR_CAPA_MKEY_BASE) != 0)
		conf.flags |= RTE_UMR_MKEY_POOL_F_BASE;
	if ((lane->number & 1) != 0 && (device->info.dev_capa & RTE_UMR_CAPA_SEND_INV) != 0)
		conf.flags |= RTE_UMR_MKEY_POOL_F_REMOTE_INVALIDATE;
	if (!area_create(lane, end, SOAK_PINNED) ||
	    (lane->plan_conf.has_demand && !area_create(lane, end, SOAK_DEMAND)) ||
	    !absent_create(lane, end) || !windows_create(lane, end) ||
	    !sig_pool_create(lane, end))
		return false;
	end->closed = mr_register(device, end->pages[SOAK_PINNED], LEAD + SOAK_AREA_SIZE,
				  RTE_UMR_ACCESS_LOCAL_WRITE, 0);
	end->pool = rte_umr_mkey_pool_create(device->dev_id, &conf);
	return end->closed != NULL && end->pool != NULL;
}

static void
end_destroy(struct soak_end *end)
{
	if (end->pool != NULL) {
		rte_umr_mkey_put_bulk(end->pool, end->keys, end->nb_keys);
		rte_umr_mkey_pool_destroy(end->pool);
	}
	if (end->sig_pool != NULL) {
		rte_umr_mkey_put_bulk(end->sig_pool, end->sig_keys, end->nb_sig_keys);
		rte_umr_mkey_pool_destroy(end->sig_pool);
	}
	for (unsigned int t = 0; t < 2; t++)
		for (unsigned int i = 0; i < SOAK_MAX_KEYS; i++)
			rte_umr_mw_destroy(end->windows[t][i]);
	rte_umr_mr_deregister(end->closed);
	rte_umr_mr_deregister(end->windows_mr);
	rte_umr_mr_deregister(end->gone);
	rte_umr_mr_deregister(end->hole);
	if (end->gone_addr != NULL)
		munmap(end->gone_addr, SOAK_GONE_SIZE);
	if (end->hole_addr != NULL)
		munmap(end->hole_addr, SOAK_GONE_SIZE);
	for (unsigned int i = 0; i < SOAK_NB_AREAS; i++) {
		rte_umr_mr_deregister(end->mrs[i]);
		rte_umr_mr_deregister(end->plain[i]);
		if (end->pages[i] != NULL)
			munmap(end->pages[i], LEAD + SOAK_AREA_SIZE);
		soak_twin_destroy(&end->twins[i]);
	}
}

static bool
queues_alloc(struct soak_lane *lane, uint16_t queue_id)
{
	static const enum rte_umr_transport transports[][2] = {
		[SOAK_LOOPBACK] = { RTE_UMR_TRANSPORT_LOOPBACK, RTE_UMR_TRANSPORT_LOOPBACK },
		[SOAK_RC] = { RTE_UMR_TRANSPORT_RC, RTE_UMR_TRANSPORT_RC },
		[SOAK_DC] = { RTE_UMR_TRANSPORT_DCI, RTE_UMR_TRANSPORT_DCT },
		[SOAK_PEER] = { RTE_UMR_TRANSPORT_RC },
	};

	for (uint16_t i = 0; i < soak_lane_nb_queues(lane->transport); i++) {
		struct soak_queue *queue = calloc(1, sizeof(*queue));

		if (queue == NULL)
			return false;
		queue->dev_id = lane->device->dev_id;
		queue->queue_id = (uint16_t)(queue_id + i);
		queue->transport = transports[lane->transport][i];
		queue->has_sends = queue->transport != RTE_UMR_TRANSPORT_DCT;
		queue->has_recvs = queue->transport != RTE_UMR_TRANSPORT_DCI;
		lane->own[lane->nb_own++] = queue;
	}
	lane->queues[SOAK_NEAR] = lane->own[0];
	lane->queues[SOAK_FAR] = lane->transport == SOAK_LOOPBACK ? lane->own[0] : lane->own[1];
	return true;
}

void
soak_lane_init(struct soak_lane *lane, struct soak_device *device, uint32_t number,
	       unsigned int transport)
{
	lane->device = device;
	lane->number = number;
	lane->transport = transport;
	lane->plan_conf = (struct soak_plan_conf){
		.seed = device->conf->seed, .queue = number, .faults = device->faults,
		.transport = transport, .info = &device->info,
		.has_recv_inline = number % 3 != 1, .has_sig = has_sig(device, number),
		/* Only RC supports on-demand pages. */
		.has_demand = transport != SOAK_DC &&
			      (device->info.dev_capa & RTE_UMR_CAPA_MR_ODP) != 0,
	};
	if (!lane->plan_conf.has_sig)
		lane->plan_conf.faults &= ~SOAK_FAULT_BIT(SOAK_SIGNATURE);
}

bool
soak_lane_create(struct soak_lane *lane, uint16_t queue_id)
{
	if (!queues_alloc(lane, queue_id) || !end_create(lane, &lane->ends[SOAK_NEAR]))
		return false;
	return lane->transport == SOAK_PEER ? soak_remote_create(lane) :
					      end_create(lane, &lane->ends[SOAK_FAR]);
}

bool
soak_lane_setup(struct soak_lane *lane)
{
	const struct rte_umr_dev_info *info = &lane->device->info;

	for (unsigned int i = 0; i < lane->nb_own; i++) {
		const struct soak_queue *queue = lane->own[i];
		struct rte_umr_queue_conf conf = {
			.transport = queue->transport, .socket_id = SOCKET_ID_ANY,
			.nb_sig_mkeys = RTE_MIN(SOAK_MAX_QUEUES * LANE_SIGS,
						info->max_sig_mkeys),
			.dc_key = queue->transport == RTE_UMR_TRANSPORT_DCT ? DC_KEY : 0,
			.flags = lane->plan_conf.has_recv_inline ? 0 :
				 RTE_UMR_QUEUE_F_NO_RECV_INLINE,
		};
		int ret;

		if (queue->has_sends) {
			conf.nb_desc = (uint16_t)RTE_MIN(MIN_DEPTH << lane->number % 3,
							 info->max_desc);
			conf.nb_desc = RTE_MAX(conf.nb_desc, info->min_desc);
			conf.nb_list_entries = LIST_ENTRIES;
		}
		if (queue->has_recvs) {
			conf.nb_recv_desc = RECV_DEPTH;
			conf.max_recv_segs = SOAK_MAX_RECV_SEGS;
		}
		ret = rte_umr_queue_setup(queue->dev_id, queue->queue_id, &conf);
		if (ret != 0) {
			tool_error("soak: queue %u: %s", queue->queue_id, rte_strerror(-ret));
			return false;
		}
	}
	return true;
}

static int
dc_connect(struct soak_lane *lane)
{
	const struct soak_queue *dci = lane->queues[SOAK_NEAR], *dct = lane->queues[SOAK_FAR];
	struct rte_umr_endpoint remote;
	int ret;

	ret = rte_umr_queue_endpoint_get(dct->dev_id, dct->queue_id, &remote);
	if (ret == 0)
		ret = rte_umr_dc_addr_fill(dci->dev_id, &remote, DC_KEY, &lane->dc_addr);
	if (ret == 0)
		ret = rte_umr_dc_addr_set(dci->dev_id, dci->queue_id, &lane->dc_addr);
	return ret;
}

static int
rc_connect(const struct soak_queue *queue, const struct soak_queue *peer)
{
	struct rte_umr_endpoint remote;
	int ret = rte_umr_queue_endpoint_get(peer->dev_id, peer->queue_id, &remote);

	return ret != 0 ? ret : rte_umr_queue_connect(queue->dev_id, queue->queue_id, &remote);
}

bool
soak_lane_connect(struct soak_lane *lane)
{
	int ret = 0;

	if (lane->transport == SOAK_PEER)
		return soak_remote_connect(lane);
	if (lane->transport == SOAK_DC)
		ret = dc_connect(lane);
	else if (lane->transport == SOAK_RC)
		ret = rc_connect(lane->own[0], lane->own[1]);
	if (ret == 0 && lane->transport == SOAK_RC)
		ret = rc_connect(lane->own[1], lane->own[0]);
	if (ret != 0)
		tool_error("soak: connecting queue %u: %s", lane->own[0]->queue_id,
			   rte_strerror(-ret));
	return ret == 0;
}

void
soak_lane_destroy(struct soak_lane *lane)
{
	const struct soak_ledger *ledger;
	unsigned int i;

	end_destroy(&lane->ends[SOAK_NEAR]);
	if (lane->transport == SOAK_PEER)
		soak_remote_destroy(&lane->ends[SOAK_FAR]);
	else
		end_destroy(&lane->ends[SOAK_FAR]);
	memset(lane->ends, 0, sizeof(lane->ends));
	SOAK_FOREACH_LEDGER(ledger, i, lane)
		soak_wrongs_add(&lane->tally.wrongs, &ledger->wrongs);
	while (lane->nb_own > 0)
		free(lane->own[--lane->nb_own]);
	lane->is_lost = false;
}

struct soak_part
soak_lane_part(struct soak_lane *lane, const struct soak_op *op, enum soak_side side)
{
	const struct soak_view *view = &lane->plan.views[op->view[side]];

	return (struct soak_part){
		.twin = &lane->ends[side].twins[view->memory], .base = view->base,
		.layout = &view->layout, .from = op->from[side],
	};
}

bool
soak_lane_lead_is_clean(const struct soak_lane *lane)
{
	/* Another process has its own pages. */
	const unsigned int nb_sides = lane->transport == SOAK_PEER ? 1 : 2;

	for (unsigned int side = 0; side < nb_sides; side++)
		for (unsigned int m = 0; m < SOAK_NB_AREAS; m++) {
			const uint8_t *lead = lane->ends[side].pages[m];

			if (lead != NULL && (lead[0] != 0 || memcmp(lead, lead + 1, LEAD - 1) != 0))
				return false;
		}
	return true;
}

void
soak_lane_discard(struct soak_lane *lane, const struct soak_view *view)
{
	struct soak_twin *twin = &lane->ends[view->side].twins[SOAK_DEMAND];
	const uint32_t page = (uint32_t)sysconf(_SC_PAGESIZE);
	const uint32_t first = view->base / page * page;
	const uint32_t len = RTE_MIN(RTE_ALIGN_CEIL(view->base + SOAK_MAX_LEN, page) - first,
				     SOAK_AREA_SIZE - first);

	if (madvise(twin->memory + first, len, MADV_DONTNEED) == 0)
		memcpy(twin->memory + first, twin->none + first, len);
}
