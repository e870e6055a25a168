/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Drivers and devices: registering, probing, finding, closing.
 */

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <rte_eal.h>
#include <rte_string_fns.h>

#include "rte_umr_private.h"
#include "rte_umr_trace.h"

RTE_LOG_REGISTER_DEFAULT(rte_umr_logtype, NOTICE);

static TAILQ_HEAD(, rte_umr_driver) drivers = TAILQ_HEAD_INITIALIZER(drivers);
static struct rte_umr_dev *devs[RTE_UMR_MAX_DEVS];
/*
 * Prefer writers: control functions must not wait for a data path that looks up keys continuously.
 */
static pthread_rwlock_t objs_lock = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;

void
rte_umr_objs_lock(void)
{
	pthread_rwlock_wrlock(&objs_lock);
}

void
rte_umr_objs_unlock(void)
{
	pthread_rwlock_unlock(&objs_lock);
}

void
rte_umr_objs_read_lock(void)
{
	pthread_rwlock_rdlock(&objs_lock);
}

void
rte_umr_driver_register(struct rte_umr_driver *driver)
{
	/* The layout of the struct is unknown then, including its name. */
	if (driver->abi_version != RTE_UMR_PMD_ABI_VERSION) {
		UMR_LOG(ERR, "a driver was built for version %u of the driver interface, this is "
			"version %u: not registered", driver->abi_version,
			RTE_UMR_PMD_ABI_VERSION);
		return;
	}
	TAILQ_INSERT_TAIL(&drivers, driver, next);
}

bool
rte_umr_is_secondary(const char *what)
{
	if (rte_eal_process_type() == RTE_PROC_PRIMARY)
		return false;
	UMR_LOG(ERR, "%s: a secondary process has no devices, only the primary one", what);
	return true;
}

int
rte_umr_no_dev(const char *what)
{
	return rte_umr_is_secondary(what) ? -EPERM : -ENODEV;
}

struct rte_umr_dev *
rte_umr_dev_get(int16_t dev_id)
{
	if (dev_id < 0 || dev_id >= RTE_UMR_MAX_DEVS)
		return NULL;
	return devs[dev_id];
}

const char *
rte_umr_dev_label(int16_t dev_id)
{
	static __thread char text[sizeof("device -32768")];
	const struct rte_umr_dev *dev = rte_umr_dev_get(dev_id);

	if (dev != NULL)
		return dev->name;
	snprintf(text, sizeof(text), "device %d", dev_id);
	return text;
}

bool
rte_umr_dev_is_valid(int16_t dev_id)
{
	return rte_umr_dev_get(dev_id) != NULL;
}

int16_t
rte_umr_dev_next(int16_t start)
{
	int16_t id;

	for (id = (int16_t)RTE_MAX(start, 0); id < RTE_UMR_MAX_DEVS; id++)
		if (devs[id] != NULL)
			return id;
	return -1;
}

uint16_t
rte_umr_dev_count(void)
{
	uint16_t nb = 0;
	int16_t id;

	RTE_UMR_FOREACH_DEV(id)
		nb++;
	return nb;
}

int
rte_umr_dev_id_by_name(const char *name, int16_t *dev_id)
{
	int16_t id;

	if (name == NULL || dev_id == NULL)
		return -EINVAL;
	RTE_UMR_FOREACH_DEV(id) {
		if (strcmp(devs[id]->name, name) == 0) {
			*dev_id = id;
			return 0;
		}
	}
	return -ENODEV;
}

bool
rte_umr_driver_is_open(const char *name)
{
	int16_t id;

	return rte_umr_dev_id_by_name(name, &id) == 0;
}

uint16_t
rte_umr_dev_scan(char (*names)[RTE_UMR_DEV_NAME_LEN], uint16_t nb_max)
{
	struct rte_umr_driver *driver;
	uint16_t nb = 0;

	if (rte_umr_is_secondary("scan"))
		return 0;
	TAILQ_FOREACH(driver, &drivers, next) {
		if (nb < nb_max)
			nb += driver->scan(names + nb, nb_max - nb);
		else
			nb += driver->scan(NULL, 0);
	}
	return nb;
}

/** Split "name,key=value" in a copy. */
static int
devargs_split(const char *devargs, char *name, const char **options)
{
	size_t len = strcspn(devargs, ",");

	if (len == 0 || len >= RTE_UMR_DEV_NAME_LEN) {
		UMR_LOG(ERR, "devargs \"%s\": a name of 1 to %d bytes is needed", devargs,
			RTE_UMR_DEV_NAME_LEN - 1);
		return -EINVAL;
	}
	memcpy(name, devargs, len);
	name[len] = '\0';
	*options = devargs[len] == ',' ? devargs + len + 1 : "";
	return 0;
}

static void
options_reject(const struct rte_umr_driver *driver, const char *options)
{
	char keys[256] = "";
	size_t len = 0, i;

	for (i = 0; driver->valid_keys != NULL && driver->valid_keys[i] != NULL; i++)
		if (len < sizeof(keys))
			len += (size_t)snprintf(keys + len, sizeof(keys) - len, "%s%s",
						i == 0 ? "" : ", ", driver->valid_keys[i]);
	UMR_LOG(ERR, "devargs \"%s\": KEY=VALUE,... is needed, driver %s has the keys %s", options,
		driver->name, keys);
}

static int
driver_probe(struct rte_umr_driver *driver, struct rte_umr_dev *dev, const char *name,
	     const char *options)
{
	struct rte_kvargs *args = NULL;
	int ret;

	if (options[0] != '\0') {
		args = rte_kvargs_parse(options, driver->valid_keys);
		if (args == NULL) {
			options_reject(driver, options);
			return -EINVAL;
		}
	}
	dev->driver = driver;
	ret = driver->probe(dev, name, args);
	rte_kvargs_free(args);
	return ret;
}

/** Call the drivers in turn: the first that supports the device decides. */
static int
drivers_probe(struct rte_umr_dev *dev, const char *name, const char *options)
{
	struct rte_umr_driver *driver;
	int ret = -ENODEV;

	TAILQ_FOREACH(driver, &drivers, next) {
		ret = driver_probe(driver, dev, name, options);
		if (ret != -ENODEV)
			break;
	}
	if (TAILQ_EMPTY(&drivers))
		UMR_NAME_LOG(ERR, name, "no driver is loaded: link one, or use EAL's option -d");
	else if (ret == -ENODEV)
		UMR_NAME_LOG(ERR, name, "no driver knows this device");
	else if (ret == -EEXIST)
		UMR_NAME_LOG(ERR, name, "the device is open");
	return ret;
}

static int16_t
free_id(void)
{
	int16_t id;

	for (id = 0; id < RTE_UMR_MAX_DEVS; id++)
		if (devs[id] == NULL)
			return id;
	return -1;
}

static int
dev_probe(const char *devargs, int16_t *dev_id)
{
	char name[RTE_UMR_DEV_NAME_LEN];
	struct rte_umr_dev *dev;
	const char *options;
	int16_t id;
	int ret;

	if (devargs == NULL)
		return -EINVAL;
	if (rte_umr_is_secondary("probe"))
		return -EPERM;
	ret = devargs_split(devargs, name, &options);
	if (ret != 0)
		return ret;
	id = free_id();
	if (id < 0) {
		UMR_NAME_LOG(ERR, name, "%d devices are open, no more are possible",
			     RTE_UMR_MAX_DEVS);
		return -ENOSPC;
	}
	dev = calloc(1, sizeof(*dev));
	if (dev == NULL)
		return -ENOMEM;
	dev->dev_id = id;
	TAILQ_INIT(&dev->pds);
	TAILQ_INIT(&dev->mempools);
	pthread_mutex_init(&dev->mr_lock, NULL);
	TAILQ_INIT(&dev->pools);
	TAILQ_INIT(&dev->callbacks);
	ret = drivers_probe(dev, name, options);
	if (ret == 0) {
		ret = rte_umr_lookup_open(id);
		if (ret != 0)
			dev->ops->close(dev);
	}
	if (ret != 0) {
		pthread_mutex_destroy(&dev->mr_lock);
		free(dev);
		return ret;
	}
	rte_umr_objs_lock();
	devs[id] = dev;
	rte_umr_fp_dev_open(id);
	rte_umr_objs_unlock();
	*dev_id = id;
	UMR_DEV_LOG(DEBUG, id, "%s, driver %s", dev->name, dev->driver->name);
	return 0;
}

int
rte_umr_dev_probe(const char *devargs, int16_t *dev_id)
{
	int16_t id = -1;
	int ret = dev_probe(devargs, &id);

	if (ret == 0 && dev_id != NULL)
		*dev_id = id;
	rte_umr_trace_dev_probe(devargs != NULL ? devargs : "", id, ret);
	return ret;
}

static int
dev_close(int16_t dev_id)
{
	struct rte_umr_dev *dev = rte_umr_dev_get(dev_id);

	if (dev == NULL)
		return rte_umr_no_dev("close");
	if (dev->nb_pools != 0 || dev->nb_mrs != 0 || dev->nb_mws != 0) {
		UMR_DEV_LOG(ERR, dev_id, "%u memory regions, %u windows and %u key pools are left",
			    dev->nb_mrs, dev->nb_mws, dev->nb_pools);
		rte_umr_mkey_pools_log(dev);
		return -EBUSY;
	}
	if (dev->nb_deks != 0 || dev->nb_crypto_logins != 0) {
		UMR_DEV_LOG(ERR, dev_id, "%u data encryption keys and %u logins are left",
			    dev->nb_deks, dev->nb_crypto_logins);
		return -EBUSY;
	}
	if (rte_umr_callbacks_are_mine(dev)) {
		UMR_DEV_LOG(ERR, dev_id, "it cannot be closed by a callback of its own");
		return -EBUSY;
	}
	/* Without the lock: it waits for callbacks, which may take it. */
	rte_umr_dev_stop(dev_id);
	rte_umr_objs_lock();
	rte_umr_fp_dev_close(dev_id);
	rte_umr_queues_free(dev);
	rte_umr_pds_free(dev);
	rte_umr_lookup_close(dev_id);
	devs[dev_id] = NULL;
	rte_umr_objs_unlock();
	dev->ops->close(dev);
	rte_umr_callbacks_free(dev);
	pthread_mutex_destroy(&dev->mr_lock);
	free(dev);
	return 0;
}

int
rte_umr_dev_close(int16_t dev_id)
{
	int ret = dev_close(dev_id);

	rte_umr_trace_dev_close(dev_id, ret);
	return ret;
}
