/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "include/gid.h"
#include "base/clock.h"
#include "base/log.h"
#include "host/ident.h"
#include "base/last_words.h"
#include "front/ucma/agent.h"
#include "front/ucma/alive.h"
#include "front/ucma/ucma_event.h"
#include "front/ucma/ucma_file.h"
#include "front/ucma/hold.h"
#include "front/ucma/id.h"
#include "front/uverbs/dev/dev.h"
#include "front/uverbs/dev/uverbs_port.h"

/* A MAD to be sent. */
struct post {
	TAILQ_ENTRY(post) link;
	struct swhca_hca *hca;
	struct swhca_mad mad;
};
TAILQ_HEAD(posts, post);

struct swhca_ucm_ids swhca_ucm_ids = LIST_HEAD_INITIALIZER(swhca_ucm_ids);
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct posts posts = TAILQ_HEAD_INITIALIZER(posts);
static uint32_t next_handle;
/* IDs of ends on the wire: an earlier owner of this address may have used the first numbers. */
static uint32_t next_local_id;

void
swhca_ucm_lock(void)
{
	pthread_mutex_lock(&lock);
}

void
swhca_ucm_unlock(void)
{
	struct posts mine = TAILQ_HEAD_INITIALIZER(mine);
	struct post *post;
	int ret;

	TAILQ_CONCAT(&mine, &posts, link);
	pthread_mutex_unlock(&lock);
	while ((post = TAILQ_FIRST(&mine)) != NULL) {
		TAILQ_REMOVE(&mine, post, link);
		ret = swhca_hca_mad_send(post->hca, &post->mad);
		/* As if lost on the wire: it is retransmitted. */
		if (ret != 0)
			SWHCA_LOG(WARNING, "rdma_cm: MAD 0x%02x: not sent: %s", post->mad.data[17],
				  strerror(-ret));
		free(post);
	}
}

void
swhca_ucm_forget(void)
{
	pthread_mutex_init(&lock, NULL);
	LIST_INIT(&swhca_ucm_ids);
	TAILQ_INIT(&posts);
	next_local_id = 0;
	swhca_ucm_agents_forget();
	swhca_ucm_hold_forget();
	swhca_last_words_forget();
}

/* On the wire GIDs are addresses. */
static void
mad_addr_set(const struct swhca_udev *dev, uint8_t dst[16], const uint8_t gid[16])
{
	if (swhca_uport_is_eth(dev))
		memcpy(dst, gid, 16);
	else
		swhca_gid_wire_addr(gid, dst);
}

void
swhca_ucm_mad_fill(struct swhca_mad *mad, const struct swhca_udev *dev, const uint8_t sgid[16],
		   const uint8_t dgid[16], const uint8_t data[SWHCA_MAD_LEN])
{
	mad->src_qpn = 1;
	mad_addr_set(dev, mad->sgid, sgid);
	mad_addr_set(dev, mad->dgid, dgid);
	memcpy(mad->data, data, sizeof(mad->data));
}

void
swhca_ucm_mad_post(struct swhca_udev *dev, const uint8_t sgid[16], const uint8_t dgid[16],
		   const uint8_t data[SWHCA_MAD_LEN])
{
	struct post *post = calloc(1, sizeof(*post));

	if (post == NULL) {
		SWHCA_LOG(ERR, "rdma_cm: MAD 0x%02x: no memory, it is lost", data[17]);
		return;
	}
	post->hca = dev->hca;
	swhca_ucm_mad_fill(&post->mad, dev, sgid, dgid, data);
	TAILQ_INSERT_TAIL(&posts, post, link);
}

uint32_t
swhca_ucm_handle_next(void)
{
	return next_handle++;
}

static uint32_t
random_u32(void)
{
	uint32_t value;

	if (getrandom(&value, sizeof(value), GRND_NONBLOCK) != sizeof(value))
		value = (uint32_t)(swhca_now_ns() * 2654435761u);
	return value;
}

struct swhca_ucm_id *
swhca_ucm_id_create(struct swhca_ucm_file *file, uint16_t ps, uint8_t qp_type, uint64_t uid)
{
	struct swhca_ucm_id *id = calloc(1, sizeof(*id));

	if (id == NULL)
		return NULL;
	id->file = file;
	id->handle = swhca_ucm_handle_next();
	id->ps = ps;
	id->qp_type = qp_type;
	id->uid = uid;
	id->seq_num = random_u32() & 0xffffff;
	LIST_INIT(&id->groups);
	LIST_INSERT_HEAD(&swhca_ucm_ids, id, link);
	return id;
}

void
swhca_ucm_mc_destroy(struct swhca_ucm_mc *mc)
{
	swhca_ucm_events_drop(mc->id->file, NULL, mc);
	LIST_REMOVE(mc, link);
	free(mc);
}

void
swhca_ucm_id_destroy(struct swhca_ucm_id *id)
{
	/* No more events for it. */
	id->uid = 0;
	swhca_ucm_alive_end(id);
	if (id->has_conn)
		swhca_cm_conn_fini(&id->conn);
	while (!LIST_EMPTY(&id->groups))
		swhca_ucm_mc_destroy(LIST_FIRST(&id->groups));
	if (!id->is_request)
		swhca_ucm_events_drop(id->file, id, NULL);
	LIST_REMOVE(id, link);
	free(id);
}

int
swhca_ucm_id_find(const struct swhca_ucm_file *file, uint32_t handle, struct swhca_ucm_id **out)
{
	struct swhca_ucm_id *id;

	LIST_FOREACH(id, &swhca_ucm_ids, link) {
		if (id->handle == handle && !id->is_request)
			break;
	}
	if (id == NULL)
		return -ENOENT;
	if (id->file != file)
		return -EINVAL;
	*out = id;
	return 0;
}

int
swhca_ucm_id_get(const struct swhca_ucm_file *file, uint32_t handle, struct swhca_ucm_id **id)
{
	int ret = swhca_ucm_id_find(file, handle, id);

	return ret == 0 && (*id)->is_removed ? -EIO : ret;
}

int
swhca_ucm_mc_get(const struct swhca_ucm_file *file, uint32_t handle, struct swhca_ucm_mc **out)
{
	struct swhca_ucm_id *id;
	struct swhca_ucm_mc *mc;

	LIST_FOREACH(id, &swhca_ucm_ids, link) {
		LIST_FOREACH(mc, &id->groups, link) {
			if (mc->handle != handle)
				continue;
			*out = mc;
			return id->file == file ? 0 : -EINVAL;
		}
	}
	return -ENOENT;
}

int
swhca_ucm_id_attach(struct swhca_ucm_id *id, const struct swhca_ucm_port *local)
{
	struct swhca_udev *dev = swhca_udev_find(local->dev);

	if (dev == NULL)
		return -ENODEV;
	id->dev = dev;
	id->local = *local;
	return 0;
}

static void
conn_send(void *arg, const uint8_t mad[SWHCA_MAD_LEN])
{
	struct swhca_ucm_id *id = arg;

	swhca_ucm_mad_post(id->dev, id->local.gid, id->dgid, mad);
}

void
swhca_ucm_conn_create(struct swhca_ucm_id *id)
{
	static const struct swhca_cm_ops ops = {
		.send = conn_send,
		.event = swhca_ucm_conn_event,
	};

	if (next_local_id == 0)
		next_local_id = random_u32();
	/* 0 means an unknown peer. */
	if (++next_local_id == 0)
		next_local_id++;
	swhca_cm_conn_init(&id->conn, &ops, id, next_local_id, swhca_ident_guid(id->dev->index),
			   (uint8_t)swhca_udev_cap(id->dev, PRM_CAP_LOCAL_CA_ACK_DELAY));
	id->has_conn = true;
}

int
swhca_ucm_qkey_set(struct swhca_ucm_id *id, uint32_t qkey)
{
	/* cma.c: cma_set_qkey() */
	if (id->qkey != 0)
		return qkey != 0 && qkey != id->qkey ? -EINVAL : 0;
	if (qkey != 0)
		id->qkey = qkey;
	else if (id->ps == RDMA_PS_IPOIB && id->dev != NULL && !swhca_uport_is_eth(id->dev))
		id->qkey = UCM_IPOIB_QKEY;
	else
		id->qkey = UCM_UDP_QKEY;
	return 0;
}

uint64_t
swhca_ucm_service_id(const struct swhca_ucm_id *id, const struct sockaddr_storage *addr)
{
	if (addr->ss_family == UCM_AF_IB)
		return be64toh(((const struct swhca_ucm_sockaddr_ib *)addr)->sib_sid);
	return (uint64_t)id->ps << 16 | swhca_ucm_addr_port(addr);
}
