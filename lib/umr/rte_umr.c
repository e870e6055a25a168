/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Control path of devices and queues: checks and state, then the driver's operation.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rte_umr_private.h"
#include "rte_umr_trace.h"

void
rte_umr_dev_limits_get(struct rte_umr_dev *dev, struct rte_umr_dev_info *info)
{
	memset(info, 0, sizeof(*info));
	dev->ops->info_get(dev, info);
	info->max_queues = (uint16_t)RTE_MIN(info->max_queues, RTE_UMR_MAX_QUEUES);
}

int
rte_umr_dev_info_get_size(int16_t dev_id, struct rte_umr_dev_info *info, size_t size)
{
	struct rte_umr_dev *dev = rte_umr_dev_get(dev_id);
	struct rte_umr_dev_info all;

	if (dev == NULL)
		return rte_umr_no_dev("device information");
	if (info == NULL || size == 0) {
		UMR_DEV_LOG(ERR, dev_id, "info is NULL, or its size, %zu, is 0", size);
		return -EINVAL;
	}
	rte_umr_dev_limits_get(dev, &all);
	if (dev->ops->port_info_get != NULL)
		dev->ops->port_info_get(dev, &all);
	all.driver_name = dev->driver->name;
	all.nb_queues = dev->nb_queues;
	all.is_started = __atomic_load_n(&dev->is_started, __ATOMIC_RELAXED);
	memset(info, 0, size);
	memcpy(info, &all, RTE_MIN(size, sizeof(all)));
	return 0;
}

void
rte_umr_queues_free(struct rte_umr_dev *dev)
{
	uint16_t i;

	for (i = 0; i < dev->nb_queues; i++) {
		if (dev->queues[i] != NULL) {
			dev->ops->queue_release(dev->queues[i]);
			rte_umr_pd_unref(dev->queue_confs[i].pd);
		}
	}
	free(dev->queues);
	free(dev->queue_confs);
	dev->queues = NULL;
	dev->queue_confs = NULL;
	dev->nb_queues = 0;
}

static int
dev_configure(int16_t dev_id, const struct rte_umr_dev_conf *conf)
{
	struct rte_umr_dev *dev = rte_umr_dev_get(dev_id);
	struct rte_umr_fp_queue **queues;
	struct rte_umr_queue_conf *confs;
	struct rte_umr_dev_info info;

	if (dev == NULL)
		return rte_umr_no_dev("device configuration");
	if (conf == NULL || conf->nb_queues == 0 || !UMR_IS_ZERO(conf->reserved)) {
		UMR_DEV_LOG(ERR, dev_id, "nb_queues is 0, or a reserved field is not");
		return -EINVAL;
	}
	if (dev->is_started)
		return -EBUSY;
	rte_umr_dev_limits_get(dev, &info);
	if (conf->nb_queues > info.max_queues) {
		UMR_DEV_LOG(ERR, dev_id, "nb_queues is %u, at most %u", conf->nb_queues,
			    info.max_queues);
		return -ERANGE;
	}
	queues = calloc(conf->nb_queues, sizeof(*queues));
	confs = calloc(conf->nb_queues, sizeof(*confs));
	if (queues == NULL || confs == NULL) {
		free(queues);
		free(confs);
		return -ENOMEM;
	}
	rte_umr_objs_lock();
	rte_umr_fp_dev_open(dev_id);
	rte_umr_queues_free(dev);
	dev->queues = queues;
	dev->queue_confs = confs;
	dev->nb_queues = conf->nb_queues;
	rte_umr_objs_unlock();
	return 0;
}

int
rte_umr_dev_configure(int16_t dev_id, const struct rte_umr_dev_conf *conf)
{
	int ret = dev_configure(dev_id, conf);

	rte_umr_trace_dev_configure(dev_id, conf != NULL ? conf->nb_queues : 0, ret);
	return ret;
}

/** Check that all queues are set up. */
static int
start_check(const struct rte_umr_dev *dev)
{
	uint16_t i;

	if (dev->nb_queues == 0) {
		UMR_DEV_LOG(ERR, dev->dev_id, "not configured");
		return -EINVAL;
	}
	for (i = 0; i < dev->nb_queues; i++) {
		if (dev->queues[i] == NULL) {
			UMR_DEV_LOG(ERR, dev->dev_id, "queue %u of %u is not set up", i,
				    dev->nb_queues);
			return -EINVAL;
		}
	}
	return 0;
}

static int
dev_start(int16_t dev_id)
{
	struct rte_umr_dev *dev = rte_umr_dev_get(dev_id);
	int ret;

	if (dev == NULL)
		return rte_umr_no_dev("start");
	if (dev->is_started)
		return 0;
	ret = start_check(dev);
	if (ret == 0)
		ret = rte_umr_lost_check(dev, "start");
	if (ret != 0)
		return ret;
	ret = rte_umr_counted(dev, dev->ops->start(dev));
	if (ret != 0)
		return ret;
	__atomic_store_n(&dev->is_started, true, __ATOMIC_RELAXED);
	rte_umr_fp_set_started(dev);
	return 0;
}

int
rte_umr_dev_start(int16_t dev_id)
{
	int ret = dev_start(dev_id);

	rte_umr_trace_dev_start(dev_id, ret);
	return ret;
}

static int
dev_stop(int16_t dev_id)
{
	struct rte_umr_dev *dev = rte_umr_dev_get(dev_id);

	if (dev == NULL)
		return rte_umr_no_dev("stop");
	if (!dev->is_started)
		return 0;
	rte_umr_fp_set_stopped(dev);
	__atomic_store_n(&dev->is_started, false, __ATOMIC_RELAXED);
	return rte_umr_counted(dev, dev->ops->stop(dev));
}

int
rte_umr_dev_stop(int16_t dev_id)
{
	int ret = dev_stop(dev_id);

	rte_umr_trace_dev_stop(dev_id, ret);
	return ret;
}

/** Get a queue that is set up, or NULL (logged). */
static void *
queue_get(const struct rte_umr_dev *dev, uint16_t queue_id)
{
	void *queue = queue_id < dev->nb_queues ? dev->queues[queue_id] : NULL;

	if (queue == NULL)
		UMR_NAME_LOG(ERR, dev->name, "queue %u of %u is not set up", queue_id,
			     dev->nb_queues);
	return queue;
}

static int
transport_check(const struct rte_umr_dev_info *info, uint32_t transport)
{
	uint64_t capa;

	switch (transport) {
	case RTE_UMR_TRANSPORT_LOOPBACK:
		capa = RTE_UMR_CAPA_LOOPBACK;
		break;
	case RTE_UMR_TRANSPORT_RC:
		capa = RTE_UMR_CAPA_RC;
		break;
	case RTE_UMR_TRANSPORT_DCI:
	case RTE_UMR_TRANSPORT_DCT:
		capa = RTE_UMR_CAPA_DC;
		break;
	default:
		UMR_NAME_LOG(ERR, info->dev_name, "invalid transport %u", transport);
		return -EINVAL;
	}
	if ((info->dev_capa & capa) != 0)
		return 0;
	UMR_NAME_LOG(ERR, info->dev_name, "it lacks transport %u", transport);
	return -ENOTSUP;
}

/** Log a number that is out of range. */
static int
range_check(int16_t dev_id, const char *name, uint32_t value, uint32_t min, uint32_t max)
{
	if (value >= min && value <= max)
		return 0;
	UMR_DEV_LOG(ERR, dev_id, "%s is %u, not in [%u, %u]", name, value, min, max);
	return -ERANGE;
}

/** Check the settings that are specific to one side of DC. */
static int
dc_conf_check(int16_t dev_id, const struct rte_umr_queue_conf *conf)
{
	if (conf->dc_key != 0 && conf->transport != RTE_UMR_TRANSPORT_DCT) {
		UMR_DEV_LOG(ERR, dev_id, "an access key is for DC targets");
		return -EINVAL;
	}
	if (conf->nb_recv_desc != 0 && conf->transport == RTE_UMR_TRANSPORT_DCI) {
		UMR_DEV_LOG(ERR, dev_id, "nb_recv_desc is %u, a DC initiator has no receives",
			    conf->nb_recv_desc);
		return -EINVAL;
	}
	if ((conf->nb_desc | conf->nb_list_entries | conf->max_inline | conf->nb_sg_mkeys) != 0 &&
	    conf->transport == RTE_UMR_TRANSPORT_DCT) {
		UMR_DEV_LOG(ERR, dev_id,
			    "nb_desc is %u, nb_list_entries %u, max_inline %u, "
			    "nb_sg_mkeys %u, a DC target only receives",
			    conf->nb_desc, conf->nb_list_entries, conf->max_inline,
			    conf->nb_sg_mkeys);
		return -EINVAL;
	}
	return 0;
}

/** Check the keys of a queue for lists of any length. */
static int
sg_conf_check(int16_t dev_id, const struct rte_umr_dev_info *info,
	      const struct rte_umr_queue_conf *conf)
{
	int ret;

	ret = range_check(dev_id, "nb_sg_mkeys", conf->nb_sg_mkeys, 0,
			  info->max_mkeys - rte_umr_dev_get(dev_id)->nb_mkeys);
	if (ret != 0)
		return ret;
	return range_check(dev_id, "max_sg_entries", conf->max_sg_entries, 0,
			   RTE_MIN(info->max_list, info->max_entries));
}

/** Check the receive settings of a queue. */
static int
recv_conf_check(int16_t dev_id, const struct rte_umr_dev_info *info,
		const struct rte_umr_queue_conf *conf)
{
	bool is_dct = conf->transport == RTE_UMR_TRANSPORT_DCT;
	int ret;

	ret = range_check(dev_id, "max_recv_segs", conf->max_recv_segs, 0,
			  is_dct ? info->max_dct_recv_segs : info->max_recv_segs);
	if (ret != 0 || (conf->nb_recv_desc == 0 && !is_dct))
		return ret;
	if ((info->dev_capa & RTE_UMR_CAPA_SEND) == 0)
		return -ENOTSUP;
	return range_check(dev_id, "nb_recv_desc", conf->nb_recv_desc, 1,
			   is_dct ? info->max_dct_recv_desc : info->max_recv_desc);
}

static int
queue_flags_check(const struct rte_umr_dev_info *info, uint16_t flags)
{
	const uint16_t bf = flags & RTE_UMR_QUEUE_F_BF_MASK;

	if ((flags & ~RTE_UMR_QUEUE_F_ALL) != 0 || (bf & (bf - 1)) != 0) {
		UMR_NAME_LOG(ERR, info->dev_name,
			     "flags of queue 0x%x have bits beyond 0x%x, or more than one of 0x%x",
			     flags, RTE_UMR_QUEUE_F_ALL, RTE_UMR_QUEUE_F_BF_MASK);
		return -EINVAL;
	}
	if ((bf & ~RTE_UMR_QUEUE_F_NO_BF) == 0 || (info->dev_capa & RTE_UMR_CAPA_BF) != 0)
		return 0;
	UMR_NAME_LOG(ERR, info->dev_name, "no BlueField, flags of queue 0x%x", flags);
	return -ENOTSUP;
}

static int
queue_conf_check(int16_t dev_id, const struct rte_umr_queue_conf *conf)
{
	struct rte_umr_dev_info info;
	int ret;

	if (!UMR_IS_ZERO(conf->reserved) || !UMR_IS_ZERO(conf->reserved0)) {
		UMR_DEV_LOG(ERR, dev_id, "a reserved field of the queue is not 0");
		return -EINVAL;
	}
	if (!rte_umr_pd_is_of(conf->pd, dev_id))
		return -EINVAL;
	rte_umr_dev_limits_get(rte_umr_dev_get(dev_id), &info);
	ret = queue_flags_check(&info, conf->flags);
	if (ret != 0)
		return ret;
	ret = transport_check(&info, conf->transport);
	if (ret == 0)
		ret = dc_conf_check(dev_id, conf);
	if (ret == 0)
		ret = range_check(dev_id, "max_inline", conf->max_inline, 0,
				  conf->transport == RTE_UMR_TRANSPORT_DCI ? info.max_dci_inline :
									     info.max_inline);
	if (ret == 0 && conf->transport != RTE_UMR_TRANSPORT_DCT)
		ret = range_check(dev_id, "nb_desc", conf->nb_desc, info.min_desc, info.max_desc);
	if (ret == 0)
		ret = range_check(dev_id, "nb_list_entries", conf->nb_list_entries, 0,
				  RTE_UMR_MAX_LIST_ENTRIES);
	if (ret == 0)
		ret = sg_conf_check(dev_id, &info, conf);
	if (ret == 0)
		ret = range_check(dev_id, "nb_sig_mkeys", conf->nb_sig_mkeys,
				  rte_umr_dev_get(dev_id)->nb_sig_mkeys, info.max_sig_mkeys);
	return ret == 0 ? recv_conf_check(dev_id, &info, conf) : ret;
}

static int
queue_setup(int16_t dev_id, uint16_t queue_id, const struct rte_umr_queue_conf *conf)
{
	struct rte_umr_dev *dev = rte_umr_dev_get(dev_id);
	struct rte_umr_fp_queue *queue = NULL, *old;
	int ret;

	if (dev == NULL)
		return rte_umr_no_dev("queue setup");
	if (conf == NULL || queue_id >= dev->nb_queues) {
		UMR_DEV_LOG(ERR, dev_id, "queue %u of %u does not exist, or conf is NULL", queue_id,
			    dev->nb_queues);
		return -EINVAL;
	}
	if (dev->is_started)
		return -EBUSY;
	ret = queue_conf_check(dev_id, conf);
	if (ret == 0)
		ret = rte_umr_lost_check(dev, "queue setup");
	if (ret != 0)
		return ret;
	/* The data path of a stopped device still collects: the queue must always be valid. */
	ret = rte_umr_counted(dev, dev->ops->queue_setup(dev, queue_id, conf, &queue));
	if (ret != 0)
		return ret;
	ret = rte_umr_fp_queue_init(dev, queue_id, queue);
	if (ret != 0) {
		dev->ops->queue_release(queue);
		return ret;
	}
	rte_umr_objs_lock();
	old = dev->queues[queue_id];
	dev->queues[queue_id] = queue;
	rte_umr_fp_queue_set(dev, queue_id, queue);
	if (old != NULL) {
		dev->ops->queue_release(old);
		rte_umr_pd_unref(dev->queue_confs[queue_id].pd);
	}
	rte_umr_pd_ref(conf->pd);
	dev->queue_confs[queue_id] = *conf;
	rte_umr_objs_unlock();
	return 0;
}

int
rte_umr_queue_setup(int16_t dev_id, uint16_t queue_id, const struct rte_umr_queue_conf *conf)
{
	int ret = queue_setup(dev_id, queue_id, conf);

	if (conf != NULL)
		rte_umr_trace_queue_setup(dev_id, queue_id, conf, ret);
	return ret;
}

/** Whether a queue currently has an address; logs the reason if not. */
static bool
has_endpoint(const struct rte_umr_dev *dev, uint16_t queue_id)
{
	uint32_t transport = dev->queue_confs[queue_id].transport;

	if (transport == RTE_UMR_TRANSPORT_DCI ||
	    (transport == RTE_UMR_TRANSPORT_DCT && !dev->is_started)) {
		UMR_NAME_LOG(ERR, dev->name, "queue %u has no address: %s", queue_id,
			     transport == RTE_UMR_TRANSPORT_DCI ?
				     "a DC initiator has none" :
				     "a DC target has one while the device is started");
		return false;
	}
	return true;
}

int
rte_umr_queue_endpoint_get(int16_t dev_id, uint16_t queue_id, struct rte_umr_endpoint *local)
{
	struct rte_umr_dev *dev = rte_umr_dev_get(dev_id);
	void *queue;

	if (dev == NULL)
		return rte_umr_no_dev("queue endpoint");
	queue = queue_get(dev, queue_id);
	if (local == NULL || queue == NULL || !has_endpoint(dev, queue_id))
		return -EINVAL;
	memset(local, 0, sizeof(*local));
	dev->ops->queue_endpoint_get(queue, local);
	return 0;
}

/** Reason why a queue cannot be connected. */
static const char *
connect_rejection(const struct rte_umr_dev *dev, const struct rte_umr_endpoint *remote)
{
	if (remote == NULL)
		return "remote is NULL";
	if (!UMR_IS_ZERO(remote->reserved))
		return "the peer's address has a reserved field that is not 0";
	return dev->is_started ? "it is not for RC" : "the device is not started";
}

static int
queue_connect(int16_t dev_id, uint16_t queue_id, const struct rte_umr_endpoint *remote)
{
	struct rte_umr_dev *dev = rte_umr_dev_get(dev_id);
	void *queue;
	int ret;

	if (dev == NULL)
		return rte_umr_no_dev("queue connect");
	queue = queue_get(dev, queue_id);
	if (queue == NULL)
		return -EINVAL;
	if (remote == NULL || !UMR_IS_ZERO(remote->reserved) || !dev->is_started ||
	    dev->queue_confs[queue_id].transport != RTE_UMR_TRANSPORT_RC) {
		UMR_DEV_LOG(ERR, dev_id, "queue %u cannot be connected: %s", queue_id,
			    connect_rejection(dev, remote));
		return -EINVAL;
	}
	ret = rte_umr_lost_check(dev, "connect");
	return ret == 0 ? rte_umr_counted(dev, dev->ops->queue_connect(queue, remote)) : ret;
}

int
rte_umr_queue_connect(int16_t dev_id, uint16_t queue_id, const struct rte_umr_endpoint *remote)
{
	int ret = queue_connect(dev_id, queue_id, remote);

	if (remote != NULL)
		rte_umr_trace_queue_connect(dev_id, queue_id, rte_be_to_cpu_32(remote->qpn),
					    rte_be_to_cpu_16(remote->lid), ret);
	return ret;
}

static int
queue_recover(int16_t dev_id, uint16_t queue_id)
{
	struct rte_umr_dev *dev = rte_umr_dev_get(dev_id);
	void *queue;
	int ret;

	if (dev == NULL)
		return rte_umr_no_dev("queue recovery");
	queue = queue_get(dev, queue_id);
	if (queue == NULL || !dev->is_started)
		return -EINVAL;
	if (dev->ops->queue_recover == NULL)
		return -ENOTSUP;
	ret = rte_umr_lost_check(dev, "recover");
	return ret == 0 ? rte_umr_counted(dev, dev->ops->queue_recover(queue)) : ret;
}

int
rte_umr_queue_recover(int16_t dev_id, uint16_t queue_id)
{
	int ret = queue_recover(dev_id, queue_id);

	rte_umr_trace_queue_recover(dev_id, queue_id, ret);
	return ret;
}

/** Find a queue for a function about events. Returns 0 or a negative errno. */
static int
event_queue_find(int16_t dev_id, uint16_t queue_id, struct rte_umr_dev **dev, void **queue)
{
	*queue = NULL;
	*dev = rte_umr_dev_get(dev_id);
	if (*dev == NULL)
		return rte_umr_no_dev("queue event");
	if ((*dev)->ops->queue_event_fd == NULL)
		return -ENOTSUP;
	*queue = queue_get(*dev, queue_id);
	return *queue != NULL ? 0 : -EINVAL;
}

int
rte_umr_queue_event_fd(int16_t dev_id, uint16_t queue_id)
{
	struct rte_umr_dev *dev;
	void *queue;
	int ret = event_queue_find(dev_id, queue_id, &dev, &queue);

	if (ret == 0)
		ret = rte_umr_lost_check(dev, "queue event");
	return ret == 0 ? rte_umr_counted(dev, dev->ops->queue_event_fd(queue)) : ret;
}

int
rte_umr_queue_event_arm(int16_t dev_id, uint16_t queue_id)
{
	struct rte_umr_dev *dev;
	void *queue;
	int ret = event_queue_find(dev_id, queue_id, &dev, &queue);

	return ret == 0 ? dev->ops->queue_event_arm(queue) : ret;
}

int
rte_umr_queue_event_clear(int16_t dev_id, uint16_t queue_id)
{
	struct rte_umr_dev *dev;
	void *queue;
	int ret = event_queue_find(dev_id, queue_id, &dev, &queue);

	return ret == 0 ? dev->ops->queue_event_clear(queue) : ret;
}

enum rte_umr_queue_status
rte_umr_queue_status_of(const struct rte_umr_dev *dev, uint16_t queue_id)
{
	if (__atomic_load_n(&dev->status, __ATOMIC_ACQUIRE) != RTE_UMR_DEV_STATUS_OK)
		return RTE_UMR_QUEUE_STATUS_LOST;
	if (!__atomic_load_n(&dev->is_started, __ATOMIC_RELAXED))
		return RTE_UMR_QUEUE_STATUS_IDLE;
	if (dev->ops->queue_status == NULL)
		return RTE_UMR_QUEUE_STATUS_ACTIVE;
	return dev->ops->queue_status(dev->queues[queue_id]);
}

int
rte_umr_queue_status(int16_t dev_id, uint16_t queue_id, uint8_t *status)
{
	struct rte_umr_dev *dev;
	int ret = -EINVAL;

	rte_umr_objs_lock();
	dev = rte_umr_dev_get(dev_id);
	if (dev == NULL) {
		ret = rte_umr_no_dev("queue status");
	} else if (status != NULL && queue_get(dev, queue_id) != NULL) {
		*status = (uint8_t)rte_umr_queue_status_of(dev, queue_id);
		ret = 0;
	}
	rte_umr_objs_unlock();
	return ret;
}

int
rte_umr_queue_stats_get(int16_t dev_id, uint16_t queue_id, struct rte_umr_queue_stats *stats)
{
	struct rte_umr_dev *dev = rte_umr_dev_get(dev_id);
	void *queue;

	if (dev == NULL)
		return rte_umr_no_dev("queue statistics");
	queue = queue_get(dev, queue_id);
	if (stats == NULL || queue == NULL)
		return -EINVAL;
	memset(stats, 0, sizeof(*stats));
	dev->ops->queue_stats_get(queue, stats);
	return 0;
}

int
rte_umr_queue_stats_reset(int16_t dev_id, uint16_t queue_id)
{
	struct rte_umr_dev *dev = rte_umr_dev_get(dev_id);
	void *queue;

	if (dev == NULL)
		return rte_umr_no_dev("reset of queue statistics");
	queue = queue_get(dev, queue_id);
	if (queue == NULL)
		return -EINVAL;
	dev->ops->queue_stats_reset(queue);
	return 0;
}
