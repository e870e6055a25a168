/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "include/gid.h"
#include "base/clock.h"
#include "base/log.h"
#include "host/conf.h"
#include "front/ucma/agent.h"
#include "front/ucma/alive.h"
#include "front/ucma/hold.h"
#include "front/ucma/id.h"
#include "front/ucma/ucma_request.h"
#include "front/uverbs/dev/dev.h"

/* Connections have time-outs of at least a millisecond, and usually about a second. */
#define TICK_NS UINT64_C(2000000)
/* The same for probes of peers. */
#define ALIVE_NS UINT64_C(100000000)

/* Bit mask of devices with an agent. */
static atomic_uint started;
static pthread_mutex_t start_lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic uint64_t last_tick_ns;
static uint64_t next_alive_ns[SWHCA_MAX_DEVICES];	/* Only used by the thread of the tick. */

/* Compare addresses in any of their forms (gid.h). */
static bool
is_same_peer(const uint8_t a[16], const uint8_t b[16])
{
	uint8_t addr_a[16], addr_b[16];

	swhca_gid_wire_addr(a, addr_a);
	swhca_gid_wire_addr(b, addr_b);
	return memcmp(addr_a, addr_b, sizeof(addr_a)) == 0;
}

static struct swhca_ucm_id *
id_find(const struct swhca_udev *dev, const struct swhca_mad *mad, const struct swhca_cm_msg *msg)
{
	struct swhca_ucm_id *id;

	LIST_FOREACH(id, &swhca_ucm_ids, link) {
		if (id->has_conn && id->dev == dev && is_same_peer(id->dgid, mad->sgid) &&
		    swhca_cm_conn_is_of(&id->conn, msg))
			return id;
	}
	return NULL;
}

static void
agent_receive(void *arg, const struct swhca_mad *mad)
{
	struct swhca_udev *dev = arg;
	struct swhca_cm_msg msg;
	struct swhca_ucm_id *id;

	if (swhca_cm_parse(mad->data, &msg) != 0) {
		SWHCA_LOG(DEBUG, "rdma_cm: MAD of class 0x%02x, attribute 0x%02x%02x: dropped",
			  mad->data[1], mad->data[16], mad->data[17]);
		return;
	}
	swhca_ucm_lock();
	id = id_find(dev, mad, &msg);
	if (id != NULL)
		swhca_cm_conn_receive(&id->conn, &msg, swhca_now_ns());
	else if ((msg.attr != SWHCA_CM_REQ && msg.attr != SWHCA_CM_SIDR_REQ) ||
		 (swhca_ucm_request_receive(dev, mad, &msg) != 0 &&
		  !swhca_ucm_hold(dev, mad, swhca_now_ns())))
		swhca_ucm_stray_answer(dev, mad, &msg);
	swhca_ucm_unlock();
}

static void
agent_tick(void *arg, uint64_t now_ns)
{
	struct swhca_udev *dev = arg;
	struct swhca_ucm_id *id;

	if (now_ns >= next_alive_ns[dev->index]) {
		next_alive_ns[dev->index] = now_ns + ALIVE_NS;
		swhca_ucm_alive_tick(dev, now_ns);
	}
	if (now_ns < atomic_load(&last_tick_ns) + TICK_NS)
		return;
	atomic_store(&last_tick_ns, now_ns);
	swhca_ucm_lock();
	LIST_FOREACH(id, &swhca_ucm_ids, link) {
		if (id->has_conn)
			swhca_cm_conn_tick(&id->conn, swhca_now_ns());
	}
	swhca_ucm_hold_tick(swhca_now_ns());
	swhca_ucm_unlock();
}

int
swhca_ucm_agents_start(void)
{
	static struct swhca_mad_agent agents[SWHCA_MAX_DEVICES];
	struct swhca_udev *dev;
	unsigned int i;
	int ret = 0;

	pthread_mutex_lock(&start_lock);
	for (i = 0; ret == 0 && i < swhca_udev_nb(); i++) {
		if ((atomic_load(&started) & 1u << i) != 0 || swhca_udev_is_removed(i))
			continue;
		ret = swhca_udev_get(i, &dev);
		if (ret != 0)
			break;
		agents[i] = (struct swhca_mad_agent){
			.receive = agent_receive,
			.tick = agent_tick,
			.arg = dev,
		};
		swhca_hca_set_mad_agent(dev->hca, &agents[i]);
		atomic_fetch_or(&started, 1u << i);
	}
	pthread_mutex_unlock(&start_lock);
	return ret;
}

void
swhca_ucm_agents_forget(void)
{
	pthread_mutex_init(&start_lock, NULL);
	atomic_store(&started, 0);
}
