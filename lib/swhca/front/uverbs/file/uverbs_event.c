/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Delivery of events from the event queues of a device to the files that subscribe to them
 * (mlx5_ib: mlx5_ib_qp_event() and others; ib_core: ib_uverbs_async_handler()).
 */

#include <errno.h>

#include "base/array.h"
#include "front/uverbs/dev/dev.h"
#include "front/uverbs/file/uverbs_event.h"
#include "front/uverbs/file/uverbs_file.h"
#include "front/uverbs/file/obj.h"
#include "front/uverbs/file/sub.h"

/* enum ib_event_type, IBV_EVENT_* in verbs.h. */
enum {
	EVENT_CQ_ERR,
	EVENT_QP_FATAL,
	EVENT_QP_REQ_ERR,
	EVENT_QP_ACCESS_ERR,
	EVENT_COMM_EST,
	EVENT_SQ_DRAINED,
	EVENT_PATH_MIG,
	EVENT_PATH_MIG_ERR,
	EVENT_DEVICE_FATAL,
	EVENT_PORT_ACTIVE,
	EVENT_PORT_ERR,
	EVENT_LID_CHANGE,
	EVENT_PKEY_CHANGE,
	EVENT_SM_CHANGE,
	EVENT_SRQ_ERR,
	EVENT_SRQ_LIMIT_REACHED,
	EVENT_QP_LAST_WQE_REACHED,
	EVENT_CLIENT_REREGISTER,
	EVENT_GID_CHANGE,
};

/* Verbs events of object events. */
static const struct {
	uint8_t event;
	uint8_t obj;
	uint8_t verbs_event;
} obj_events[] = {
	{ PRM_EVENT_PATH_MIG, SWHCA_UEVENT_OBJ_QP, EVENT_PATH_MIG },
	{ PRM_EVENT_COMM_EST, SWHCA_UEVENT_OBJ_QP, EVENT_COMM_EST },
	{ PRM_EVENT_SQ_DRAINED, SWHCA_UEVENT_OBJ_QP, EVENT_SQ_DRAINED },
	{ PRM_EVENT_SRQ_LAST_WQE, SWHCA_UEVENT_OBJ_QP, EVENT_QP_LAST_WQE_REACHED },
	{ PRM_EVENT_WQ_CATAS_ERROR, SWHCA_UEVENT_OBJ_QP, EVENT_QP_FATAL },
	{ PRM_EVENT_PATH_MIG_FAILED, SWHCA_UEVENT_OBJ_QP, EVENT_PATH_MIG_ERR },
	{ PRM_EVENT_WQ_INVAL_REQ_ERROR, SWHCA_UEVENT_OBJ_QP, EVENT_QP_REQ_ERR },
	{ PRM_EVENT_WQ_ACCESS_ERROR, SWHCA_UEVENT_OBJ_QP, EVENT_QP_ACCESS_ERR },
	{ PRM_EVENT_SRQ_RQ_LIMIT, SWHCA_UEVENT_OBJ_SRQ, EVENT_SRQ_LIMIT_REACHED },
	{ PRM_EVENT_SRQ_CATAS_ERROR, SWHCA_UEVENT_OBJ_SRQ, EVENT_SRQ_ERR },
	{ PRM_EVENT_CQ_ERROR, SWHCA_UEVENT_OBJ_CQ, EVENT_CQ_ERR },
};

static unsigned int
bucket_of(uint32_t num)
{
	return num % SWHCA_UEVENT_NB_BUCKETS;
}

void
swhca_uevent_attr_fini(struct swhca_uevent_attr *attr)
{
	swhca_uevent_file_put(attr->comp);
	swhca_uevent_file_put(attr->async);
	attr->comp = NULL;
	attr->async = NULL;
}

void
swhca_uevent_attach(struct swhca_ufile *file, struct swhca_uobj *obj, enum swhca_uevent_obj type,
		    const struct swhca_uevent_attr *attr)
{
	struct swhca_uevent_src *src = &obj->events;

	*src = (struct swhca_uevent_src){
		.type = type,
		.num = obj->num,
		.user_handle = attr->user_handle,
		.comp = swhca_uevent_file_get(attr->comp),
		.async = swhca_uevent_file_get(attr->async != NULL ? attr->async :
								     file->default_async),
	};
	swhca_uevent_lock();
	LIST_INSERT_HEAD(&file->dev->events.srcs[bucket_of(src->num)], src, link);
	swhca_uevent_unlock();
}

void
swhca_uevent_detach(struct swhca_uobj *obj)
{
	struct swhca_uevent_src *src = &obj->events;

	if (src->type == SWHCA_UEVENT_OBJ_NONE)
		return;
	swhca_uevent_lock();
	LIST_REMOVE(src, link);
	if (src->comp != NULL)
		swhca_uevent_drop(src->comp, src);
	if (src->async != NULL)
		swhca_uevent_drop(src->async, src);
	swhca_uevent_unlock();
	swhca_uevent_file_put(src->comp);
	swhca_uevent_file_put(src->async);
	src->type = SWHCA_UEVENT_OBJ_NONE;
}

static struct swhca_uevent_src *
src_find(struct swhca_udev *dev, enum swhca_uevent_obj type, uint32_t num)
{
	struct swhca_uevent_src *src;

	LIST_FOREACH(src, &dev->events.srcs[bucket_of(num)], link) {
		if (src->type == type && src->num == num)
			return src;
	}
	return NULL;
}

static void
completion(struct swhca_udev *dev, uint32_t cqn)
{
	struct swhca_uevent_src *src = src_find(dev, SWHCA_UEVENT_OBJ_CQ, cqn);
	struct ib_uverbs_comp_event_desc desc;

	if (src == NULL || src->comp == NULL)
		return;
	desc.cq_handle = src->user_handle;
	swhca_uevent_post(src->comp, src, &src->counts.nb_comp, &desc, sizeof(desc));
}

static void
obj_event(struct swhca_udev *dev, uint8_t event, uint32_t num)
{
	struct ib_uverbs_async_event_desc desc = { 0 };
	struct swhca_uevent_src *src;
	size_t i;

	for (i = 0; i < SWHCA_ARRAY_SIZE(obj_events); i++) {
		if (obj_events[i].event == event)
			break;
	}
	if (i == SWHCA_ARRAY_SIZE(obj_events))
		return;
	desc.event_type = obj_events[i].verbs_event;
	/* Several files may have the same XRC target. */
	LIST_FOREACH(src, &dev->events.srcs[bucket_of(num)], link) {
		if (src->type != obj_events[i].obj || src->num != num || src->async == NULL)
			continue;
		desc.element = src->user_handle;
		swhca_uevent_post(src->async, src, &src->counts.nb_async, &desc, sizeof(desc));
	}
}

static void
device_event(struct swhca_udev *dev, uint32_t verbs_event, uint32_t port)
{
	const struct ib_uverbs_async_event_desc desc = {
		.element = port,
		.event_type = verbs_event,
	};

	swhca_uevent_post_all(dev, &desc, sizeof(desc));
}

static void
port_event(struct swhca_udev *dev, uint8_t subtype, uint32_t port)
{
	static const uint8_t events[] = {
		[PRM_PORT_CHANGE_DOWN] = EVENT_PORT_ERR,
		[PRM_PORT_CHANGE_ACTIVE] = EVENT_PORT_ACTIVE,
		[PRM_PORT_CHANGE_INITIALIZED] = EVENT_PORT_ERR,
		[PRM_PORT_CHANGE_LID] = EVENT_LID_CHANGE,
		[PRM_PORT_CHANGE_PKEY] = EVENT_PKEY_CHANGE,
		[PRM_PORT_CHANGE_GUID] = EVENT_GID_CHANGE,
		[PRM_PORT_CHANGE_CLIENT_REREG] = EVENT_CLIENT_REREGISTER,
	};

	if (subtype < SWHCA_ARRAY_SIZE(events) && events[subtype] != 0)
		device_event(dev, events[subtype], port);
}

void
swhca_uevent_dispatch(struct swhca_udev *dev, const uint8_t *eqe)
{
	uint8_t event = (uint8_t)prm_get(eqe, PRM_EQE_TYPE);
	uint32_t num = (uint32_t)prm_get(eqe, PRM_EQE_OBJ_NUM);

	if (event == PRM_EVENT_CQ_ERROR)
		num = (uint32_t)prm_get(eqe, PRM_EQE_CQ_ERROR_CQN);
	swhca_uevent_lock();
	switch (event) {
	case PRM_EVENT_COMP:
		completion(dev, num);
		break;
	case PRM_EVENT_PORT_CHANGE:
		port_event(dev, (uint8_t)prm_get(eqe, PRM_EQE_SUB_TYPE),
			   (uint32_t)prm_get(eqe, PRM_EQE_PORT_NUM));
		break;
	case PRM_EVENT_INTERNAL_ERROR:
		device_event(dev, EVENT_DEVICE_FATAL, 1);
		break;
	default:
		obj_event(dev, event, num);
		break;
	}
	swhca_usubs_notify(dev, event, num, eqe);
	swhca_uevent_unlock();
}
