/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "peer/client.h"
#include "soak/remote.h"

/* The server has one area, with a part for each lane. */
#define AREA		0u

struct soak_remote {
	struct peer *peer;
	pthread_mutex_t lock;	/* Lanes may run on several lcores. */
	bool is_gone;
};

static_assert(SOAK_MAX_QUEUES <= PEER_MAX_QUEUES, "the server has too few queues");
static_assert(SOAK_MAX_QUEUES * SOAK_AREA_SIZE <= PEER_MAX_AREA_SIZE,
	      "the server has too little memory");

/* Limit the capabilities of lanes to those of both devices. */
static void
capa_reduce(struct rte_umr_dev_info *info, const struct rte_umr_dev_info *remote)
{
	if ((remote->access_capa & RTE_UMR_ACCESS_REMOTE_READ) == 0)
		info->dev_capa &= ~RTE_UMR_CAPA_READ;
	if ((remote->access_capa & RTE_UMR_ACCESS_REMOTE_ATOMIC) == 0)
		info->dev_capa &= ~RTE_UMR_CAPA_ATOMIC;
}

bool
soak_remote_open(struct soak_device *device)
{
	const struct soak_conf *conf = device->conf;
	const uint32_t size = conf->nb_queues * SOAK_AREA_SIZE;
	struct soak_remote *remote;

	if (conf->peer == NULL)
		return true;
	remote = calloc(1, sizeof(*remote));
	if (remote == NULL)
		return false;
	pthread_mutex_init(&remote->lock, NULL);
	device->remote = remote;
	remote->peer = peer_open("soak", conf->peer, &size, 1, conf->nb_queues);
	if (remote->peer == NULL)
		return false;
	capa_reduce(&device->info, &remote->peer->info);
	return true;
}

void
soak_remote_close(struct soak_device *device)
{
	if (device->remote == NULL)
		return;
	peer_close(device->remote->peer);
	pthread_mutex_destroy(&device->remote->lock);
	free(device->remote);
	device->remote = NULL;
}

bool
soak_remote_is_gone(const struct soak_device *device)
{
	return device->remote != NULL &&
	       __atomic_load_n(&device->remote->is_gone, __ATOMIC_ACQUIRE);
}

/* Lock the connection; NULL: the server is gone. */
static struct peer *
remote_take(struct soak_device *device)
{
	pthread_mutex_lock(&device->remote->lock);
	if (!device->remote->is_gone)
		return device->remote->peer;
	pthread_mutex_unlock(&device->remote->lock);
	return NULL;
}

/* The state of a server is unknown after a failed request. */
static bool
remote_give(struct soak_device *device, bool is_ok)
{
	struct soak_remote *remote = device->remote;

	if (!is_ok) {
		tool_error("soak: %s", remote->peer->why);
		__atomic_store_n(&remote->is_gone, true, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&remote->lock);
	return is_ok;
}

static uint32_t
offset_of(const struct soak_lane *lane)
{
	return lane->number * SOAK_AREA_SIZE;
}

static bool
remote_put(struct soak_lane *lane, uint32_t len)
{
	struct peer *peer = remote_take(lane->device);

	return peer != NULL &&
	       remote_give(lane->device, peer_put(peer, AREA, offset_of(lane),
						  lane->ends[SOAK_FAR].twins[SOAK_PINNED].memory,
						  len));
}

static bool
remote_get(struct soak_lane *lane, void *bytes, uint32_t len)
{
	struct peer *peer = remote_take(lane->device);

	return peer != NULL &&
	       remote_give(lane->device, peer_get(peer, AREA, offset_of(lane), bytes, len));
}

bool
soak_remote_has_left(struct soak_lane *lane)
{
	uint64_t bytes;

	return !remote_get(lane, &bytes, sizeof(bytes));
}

bool
soak_remote_create(struct soak_lane *lane)
{
	const struct peer_memory *memory = &lane->device->remote->peer->areas[AREA];
	struct soak_end *end = &lane->ends[SOAK_FAR];
	uint8_t *copy = malloc(SOAK_AREA_SIZE);

	if (copy == NULL)
		return false;
	end->pages[SOAK_PINNED] = copy;
	memcpy(copy, lane->device->noise, SOAK_AREA_SIZE);
	if (!soak_twin_create(&end->twins[SOAK_PINNED], copy, SOAK_AREA_SIZE))
		return false;
	end->addrs[SOAK_PINNED] = memory->addr + offset_of(lane);
	end->remote_mrs[0].rkey = memory->rkeys[0];
	end->plain[SOAK_PINNED] = &end->remote_mrs[0];
	end->remote_mrs[1].rkey = memory->closed_rkey;
	end->closed = &end->remote_mrs[1];
	return remote_put(lane, SOAK_AREA_SIZE);
}

void
soak_remote_destroy(struct soak_end *end)
{
	soak_twin_destroy(&end->twins[SOAK_PINNED]);
	free(end->pages[SOAK_PINNED]);
}

bool
soak_remote_connect(struct soak_lane *lane)
{
	const struct soak_queue *q = lane->queues[SOAK_NEAR];
	struct peer *peer = remote_take(lane->device);

	return peer != NULL &&
	       remote_give(lane->device, peer_connect(peer, q->dev_id, q->queue_id, lane->number));
}

bool
soak_remote_leave(struct soak_lane *lane)
{
	struct peer *peer = remote_take(lane->device);

	return peer != NULL && remote_give(lane->device, peer_leave(peer, lane->number));
}

void
soak_remote_push(struct soak_lane *lane)
{
	remote_put(lane, RTE_MIN(lane->plan.next[SOAK_FAR][SOAK_PINNED], SOAK_AREA_SIZE));
}

bool
soak_remote_pull(struct soak_lane *lane)
{
	return remote_get(lane, lane->ends[SOAK_FAR].twins[SOAK_PINNED].memory, SOAK_AREA_SIZE);
}
