/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Devices of this process: what mlx5_core does when it probes a function. */

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "include/pages.h"
#include "base/array.h"
#include "base/dma_direct.h"
#include "base/log.h"
#include "host/conf.h"
#include "host/ident.h"
#include "host/inject_text.h"
#include "host/links.h"
#include "base/kept_fd.h"
#include "host/sysfs.h"
#include "host/trap.h"
#include "front/uverbs/dev/uverbs_cmd.h"
#include "front/uverbs/dev/dev.h"
#include "front/uverbs/dev/uverbs_eq.h"
#include "front/uverbs/dev/uverbs_port.h"

#define NS_PER_S UINT64_C(1000000000)

/* uattr_read() and swhca_uattr_in_u64() read values that the ABI keeps in host byte order. */
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "swhca: little endian hosts only"
#endif

static pthread_mutex_t devs_lock = PTHREAD_MUTEX_INITIALIZER;
static struct swhca_fabric *fabric;
/* Set before any device exists. */
static struct swhca_udev_ops ops;
static struct swhca_udev *devs[SWHCA_MAX_DEVICES];
/* Bit mask of removed devices. They keep their memory until the process ends. */
static atomic_uint removed;

static int
caps_query(struct swhca_udev *dev, uint16_t page, uint8_t caps[static 4096])
{
	uint8_t in[PRM_CMD_SHORT_IN_SIZE] = { 0 };
	uint8_t out[PRM_QUERY_HCA_CAP_OUT_SIZE];
	int ret;

	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_QUERY_HCA_CAP);
	prm_set(in, PRM_CMD_IN_OP_MOD, (uint16_t)(page << 1) | PRM_HCA_CAP_OP_MOD_CUR);
	ret = swhca_udev_exec(dev, in, sizeof(in), out, sizeof(out));
	if (ret == 0)
		memcpy(caps, &out[PRM_QUERY_HCA_CAP_OUT_CAP_BYTE], 4096);
	return ret;
}

/* Query the built-in keys of the device. */
static int
special_query(struct swhca_udev *dev)
{
	uint8_t in[PRM_CMD_SHORT_IN_SIZE] = { 0 };
	uint8_t out[PRM_QUERY_SPECIAL_CONTEXTS_OUT_SIZE];
	int ret;

	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_QUERY_SPECIAL_CONTEXTS);
	ret = swhca_udev_exec(dev, in, sizeof(in), out, sizeof(out));
	if (ret != 0)
		return ret;
	dev->null_mkey = (uint32_t)prm_get(out, PRM_QUERY_SPECIAL_CONTEXTS_OUT_NULL_MKEY);
	dev->dump_fill_mkey =
		(uint32_t)prm_get(out, PRM_QUERY_SPECIAL_CONTEXTS_OUT_DUMP_FILL_MKEY);
	return 0;
}

/*
 * Queue pairs of two processes have different numbers: they cannot reach each other, and a program
 * that expects this must not reach itself instead. Above the numbers of DC targets.
 */
static uint32_t
first_qpn(void)
{
	return 0x100000u + (uint32_t)(getpid() % 0xe0) * 0x10000u;
}

/* Fill the user's configuration for a device. */
static void
hca_conf_fill(struct swhca_udev *dev, struct swhca_hca_conf *conf)
{
	const struct swhca_conf *user = swhca_conf_get();

	*conf = (struct swhca_hca_conf){
		.has_memic_ops = swhca_trap_is_supported(),
		.vhca_id = (uint16_t)dev->index,
		.lid = swhca_ident_lid(user, dev->index),
		.port_guid = swhca_ident_guid(dev->index),
		.model = user->model,
		.link_layer = user->link_layer,
		.log_max_uar = (uint8_t)user->log_max_uar,
		.log_max_klm = (uint8_t)user->log_max_klm,
		.max_indirection = (uint8_t)user->max_indirection,
		.first_qpn = first_qpn(),
		.log_max_qp = (uint8_t)user->log_max_qp,
		.log_max_qp_sz = (uint8_t)user->log_max_qp_sz,
		.log_max_cq = (uint8_t)user->log_max_cq,
		.log_max_cq_sz = (uint8_t)user->log_max_cq_sz,
		.has_wrapped_keys = user->has_wrapped_keys != 0,
		.is_ack_only = user->is_ack_only != 0,
		.is_strict = user->is_strict != 0,
		.needs_strong_fence = user->needs_strong_fence != 0,
		.quirks = swhca_conf_quirks(user),
		.log_max_mkey = (uint8_t)user->log_max_mkey,
		.interrupt = swhca_ueq_interrupt,
		.interrupt_arg = dev,
	};
	swhca_ident_mac(dev->index, conf->mac);
}

/* Query capability pages; those that a general capability must announce are zero without it. */
static int
udev_caps_query(struct swhca_udev *dev)
{
	const struct {
		struct prm_field announced;
		uint16_t page;
		uint8_t *caps;
	} pages[] = {
		{ PRM_CAP_ATOMIC, PRM_HCA_CAP_PAGE_ATOMIC, dev->atomic_caps },
		{ PRM_CAP_DEVICE_MEMORY, PRM_HCA_CAP_PAGE_DEVICE_MEM, dev->dm_caps },
		{ PRM_CAP_PG, PRM_HCA_CAP_PAGE_ODP, dev->odp_caps },
		{ PRM_CAP_QOS, PRM_HCA_CAP_PAGE_QOS, dev->qos_caps },
		{ PRM_CAP_HCA_CAP_2, PRM_HCA_CAP_PAGE_GENERAL_2, dev->caps_2 },
	};
	size_t i;
	int ret;

	ret = caps_query(dev, PRM_HCA_CAP_PAGE_GENERAL, dev->caps);
	for (i = 0; ret == 0 && i < SWHCA_ARRAY_SIZE(pages); i++) {
		if (swhca_udev_cap(dev, pages[i].announced) != 0)
			ret = caps_query(dev, pages[i].page, pages[i].caps);
	}
	return ret != 0 ? ret : caps_query(dev, PRM_HCA_CAP_PAGE_VDPA, dev->vdpa_caps);
}

/*
 * The device counts nanoseconds in 64 bits: no scaling is needed, and the page is valid until the
 * counter wraps. The time of day is taken when the page is created; as in mlx5_core, later steps of
 * the system clock do not change it.
 */
static struct mlx5_ib_clock_info
clock_info_make(void)
{
	struct timespec mono, real;

	clock_gettime(CLOCK_MONOTONIC, &mono);
	clock_gettime(CLOCK_REALTIME, &real);
	return (struct mlx5_ib_clock_info){
		.nsec = (uint64_t)real.tv_sec * NS_PER_S + (uint64_t)real.tv_nsec,
		.cycles = (uint64_t)mono.tv_sec * NS_PER_S + (uint64_t)mono.tv_nsec,
		.mult = 1,
		.mask = UINT64_MAX,
		.overflow_period = INT64_MAX,
	};
}

/* Create the kernel's own objects. */
static int
udev_objects_create(struct swhca_udev *dev)
{
	uint32_t uid = 0;
	int ret;

	ret = swhca_udev_exec_alloc(dev, PRM_CMD_ALLOC_PD, 0, &dev->pdn);
	if (ret == 0)
		ret = swhca_udev_exec_alloc(dev, PRM_CMD_CREATE_UCTX, 0, &uid);
	dev->whitelist_uid = (uint16_t)uid;
	dev->clock_info = clock_info_make();
	if (ret == 0)
		ret = swhca_ueqs_create(dev);
	return ret != 0 ? ret : swhca_uport_init(dev);
}

static int
udev_probe(struct swhca_udev *dev)
{
	struct swhca_hca_conf conf;
	int ret;

	hca_conf_fill(dev, &conf);
	ret = swhca_hca_create(fabric, &conf, &dev->hca);
	if (ret != 0)
		return ret;
	swhca_fd_keep(swhca_hca_bar_fd(dev->hca));
	ret = swhca_links_plug(dev->index, dev->hca);
	if (ret == 0)
		ret = udev_caps_query(dev);
	if (ret == 0)
		ret = special_query(dev);
	if (ret == 0)
		ret = udev_objects_create(dev);
	if (ret == 0)
		ret = swhca_inject_arm(dev->hca, swhca_conf_get()->fault);
	if (ret != 0) {
		swhca_fd_unkeep(swhca_hca_bar_fd(dev->hca));
		swhca_hca_destroy(dev->hca);
	}
	return ret;
}

static int
fabric_get(void)
{
	struct swhca_fabric *it;
	int ret;

	if (fabric != NULL)
		return 0;
	if (sysconf(_SC_PAGESIZE) != SWHCA_UAR_SIZE) {
		SWHCA_LOG(ERR, "page size of this machine: %ld, not the %u of a UAR",
			  sysconf(_SC_PAGESIZE), SWHCA_UAR_SIZE);
		return -ENODEV;
	}
	if (ops.prepare != NULL)
		ops.prepare();
	ret = swhca_fabric_create(swhca_dma_direct(), &it);
	if (ret != 0)
		return ret;
	swhca_fabric_stale_set(it, (enum swhca_stale)swhca_conf_get()->stale_region);
	ret = swhca_fabric_start(it);
	if (ret != 0) {
		swhca_fabric_destroy(it);
		return ret;
	}
	/* Threads that lend their time read it without the lock. */
	__atomic_store_n(&fabric, it, __ATOMIC_RELEASE);
	if (ops.start != NULL)
		ops.start();
	return 0;
}

/* The first open creates all devices, so that their queues reach each other. */
static int
udevs_create(void)
{
	struct swhca_udev *dev;
	unsigned int i;
	int ret;

	ret = fabric_get();
	for (i = 0; ret == 0 && i < swhca_udev_nb(); i++) {
		if (devs[i] != NULL || swhca_udev_is_removed(i))
			continue;
		dev = calloc(1, sizeof(*dev));
		if (dev == NULL)
			return -ENOMEM;
		dev->index = i;
		dev->event = ops.event;
		pthread_mutex_init(&dev->lock, NULL);
		pthread_mutex_init(&dev->umr_lock, NULL);
		ret = udev_probe(dev);
		if (ret == 0)
			devs[i] = dev;
		else
			free(dev);
	}
	return ret;
}

void
swhca_udev_ops_set(const struct swhca_udev_ops *wanted)
{
	ops = *wanted;
}

int
swhca_udev_get(unsigned int index, struct swhca_udev **dev)
{
	int ret = 0;

	if (index >= swhca_udev_nb() || swhca_udev_is_removed(index))
		return -ENXIO;
	pthread_mutex_lock(&devs_lock);
	if (devs[index] == NULL)
		ret = udevs_create();
	if (ret == 0)
		*dev = devs[index];
	else
		SWHCA_LOG(ERR, "mlx5_%u: probe failed: %s", index, strerror(-ret));
	pthread_mutex_unlock(&devs_lock);
	return ret;
}

bool
swhca_udev_lend(void)
{
	struct swhca_fabric *it = __atomic_load_n(&fabric, __ATOMIC_ACQUIRE);

	return it != NULL && swhca_fabric_lend(it);
}

struct swhca_udev *
swhca_udev_find(unsigned int index)
{
	return index < SWHCA_MAX_DEVICES ? __atomic_load_n(&devs[index], __ATOMIC_ACQUIRE) : NULL;
}

/* A device created meanwhile has no regions yet. */
void
swhca_udev_invalidate(uint64_t addr, uint64_t len)
{
	struct swhca_udev *dev;
	unsigned int i;

	for (i = 0; i < SWHCA_MAX_DEVICES; i++) {
		dev = swhca_udev_find(i);
		if (dev != NULL)
			swhca_hca_pages_invalidate(dev->hca, addr, len);
	}
}

struct swhca_fabric *
swhca_udev_fabric(void)
{
	return __atomic_load_n(&fabric, __ATOMIC_ACQUIRE);
}

/* The engine and holders of locks are threads of the parent: keep everything unchanged. */
void
swhca_udev_forget(void)
{
	pthread_mutex_init(&devs_lock, NULL);
	fabric = NULL;
	memset(devs, 0, sizeof(devs));
}

bool
swhca_udev_is_removed(unsigned int index)
{
	return (atomic_load(&removed) & 1u << index) != 0;
}

int
swhca_udev_remove(unsigned int index, struct swhca_udev **dev)
{
	if (index >= swhca_udev_nb() ||
	    (atomic_fetch_or(&removed, 1u << index) & 1u << index) != 0)
		return -ENODEV;
	swhca_sysfs_unplug(index);
	/* It may be about to be created. */
	pthread_mutex_lock(&devs_lock);
	*dev = devs[index];
	pthread_mutex_unlock(&devs_lock);
	if (*dev != NULL)
		swhca_hca_fail((*dev)->hca);
	return 0;
}

unsigned int
swhca_udev_nb(void)
{
	return swhca_conf_get()->nb_devices;
}
