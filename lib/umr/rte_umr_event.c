/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Status of a device and callbacks for its events. A driver reports events from EAL's interrupt
 * thread; callbacks run there without the lock, so that callbacks can be registered and
 * unregistered meanwhile.
 */

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "rte_umr_private.h"
#include "rte_umr_trace.h"

struct rte_umr_callback {
	TAILQ_ENTRY(rte_umr_callback) next;
	enum rte_umr_dev_event event;
	rte_umr_dev_callback_t function;
	void *arg;
	bool is_running;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* The device whose callbacks this thread is calling. */
static __thread const struct rte_umr_dev *calling;

int
rte_umr_dev_status(int16_t dev_id, uint8_t *status)
{
	const struct rte_umr_dev *dev = rte_umr_dev_get(dev_id);

	if (dev == NULL)
		return rte_umr_no_dev("device status");
	if (status == NULL)
		return -EINVAL;
	*status = __atomic_load_n(&dev->status, __ATOMIC_ACQUIRE);
	return 0;
}

int
rte_umr_lost_check(const struct rte_umr_dev *dev, const char *what)
{
	const enum rte_umr_dev_status status = __atomic_load_n(&dev->status, __ATOMIC_ACQUIRE);

	if (status == RTE_UMR_DEV_STATUS_OK)
		return 0;
	UMR_NAME_LOG(ERR, dev->name, "%s: the device is lost (%s), close it", what,
		     rte_umr_dev_status_name(status));
	return -EIO;
}

int
rte_umr_given_back(struct rte_umr_dev *dev, int ret)
{
	if (__atomic_load_n(&dev->status, __ATOMIC_ACQUIRE) != RTE_UMR_DEV_STATUS_OK)
		return 0;
	return rte_umr_counted(dev, ret);
}

static struct rte_umr_callback *
callback_find(struct rte_umr_dev *dev, enum rte_umr_dev_event event,
	      rte_umr_dev_callback_t function, const void *arg)
{
	struct rte_umr_callback *callback;

	TAILQ_FOREACH(callback, &dev->callbacks, next)
		if (callback->event == event && callback->function == function &&
		    callback->arg == arg)
			break;
	return callback;
}

static int
callback_check(int16_t dev_id, enum rte_umr_dev_event event, rte_umr_dev_callback_t function)
{
	if (function != NULL && (unsigned int)event <= RTE_UMR_DEV_EVENT_RECOVERY_FAILED)
		return 0;
	UMR_DEV_LOG(ERR, dev_id, "callback is NULL, or invalid event %d", (int)event);
	return -EINVAL;
}

int
rte_umr_dev_callback_register(int16_t dev_id, enum rte_umr_dev_event event,
			      rte_umr_dev_callback_t function, void *arg)
{
	struct rte_umr_dev *dev = rte_umr_dev_get(dev_id);
	struct rte_umr_callback *callback;
	int ret;

	if (dev == NULL)
		return rte_umr_no_dev("callback");
	ret = callback_check(dev_id, event, function);
	if (ret != 0)
		return ret;
	callback = calloc(1, sizeof(*callback));
	if (callback == NULL)
		return -ENOMEM;
	*callback = (struct rte_umr_callback){
		.event = event, .function = function, .arg = arg,
	};
	pthread_mutex_lock(&lock);
	if (callback_find(dev, event, function, arg) != NULL)
		ret = -EEXIST;
	else
		TAILQ_INSERT_TAIL(&dev->callbacks, callback, next);
	pthread_mutex_unlock(&lock);
	if (ret != 0)
		free(callback);
	return ret;
}

int
rte_umr_dev_callback_unregister(int16_t dev_id, enum rte_umr_dev_event event,
				rte_umr_dev_callback_t function, void *arg)
{
	struct rte_umr_dev *dev = rte_umr_dev_get(dev_id);
	struct rte_umr_callback *callback;
	int ret;

	if (dev == NULL)
		return rte_umr_no_dev("callback");
	ret = callback_check(dev_id, event, function);
	if (ret != 0)
		return ret;
	pthread_mutex_lock(&lock);
	callback = callback_find(dev, event, function, arg);
	if (callback == NULL)
		ret = -ENOENT;
	else if (callback->is_running)
		ret = -EAGAIN;
	else
		TAILQ_REMOVE(&dev->callbacks, callback, next);
	pthread_mutex_unlock(&lock);
	if (ret == 0)
		free(callback);
	return ret;
}

static void
callbacks_run(struct rte_umr_dev *dev, enum rte_umr_dev_event event)
{
	struct rte_umr_callback *callback;

	pthread_mutex_lock(&lock);
	/* A running callback stays in the list. */
	TAILQ_FOREACH(callback, &dev->callbacks, next) {
		if (callback->event != event)
			continue;
		callback->is_running = true;
		pthread_mutex_unlock(&lock);
		calling = dev;
		callback->function(dev->dev_id, event, callback->arg);
		calling = NULL;
		pthread_mutex_lock(&lock);
		callback->is_running = false;
	}
	pthread_mutex_unlock(&lock);
}

bool
rte_umr_driver_dev_lost_set(struct rte_umr_dev *dev, enum rte_umr_dev_status status)
{
	uint8_t ok = RTE_UMR_DEV_STATUS_OK;

	/* Set once: a device does not recover. */
	return __atomic_compare_exchange_n(&dev->status, &ok, (uint8_t)status, false,
					   __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

void
rte_umr_driver_dev_lost_tell(struct rte_umr_dev *dev)
{
	rte_umr_trace_dev_lost(dev->dev_id, __atomic_load_n(&dev->status, __ATOMIC_ACQUIRE));
	callbacks_run(dev, RTE_UMR_DEV_EVENT_LOST);
}

void
rte_umr_driver_recovery_failed_tell(struct rte_umr_dev *dev)
{
	callbacks_run(dev, RTE_UMR_DEV_EVENT_RECOVERY_FAILED);
}

bool
rte_umr_callbacks_are_mine(const struct rte_umr_dev *dev)
{
	return calling == dev;
}

void
rte_umr_callbacks_free(struct rte_umr_dev *dev)
{
	struct rte_umr_callback *callback;

	while ((callback = TAILQ_FIRST(&dev->callbacks)) != NULL) {
		TAILQ_REMOVE(&dev->callbacks, callback, next);
		free(callback);
	}
}
