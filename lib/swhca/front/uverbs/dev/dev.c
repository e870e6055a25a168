/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * The devices of this process: what mlx5_core does when it probes a function, and commands.
 */

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/dma_direct.h"
#include "front/preload/signal_share.h"
#include "front/preload/control.h"
#include "host/ident.h"
#include "host/keep.h"
#include "host/sysfs.h"
#include "host/trap.h"
#include "front/uverbs/priv.h"

/* uattr_read() and swhca_uattr_in_u64() read values that the ABI keeps in host byte order. */
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "swhca: little endian hosts only"
#endif

static pthread_mutex_t devs_lock = PTHREAD_MUTEX_INITIALIZER;
static struct swhca_fabric *fabric;
static struct swhca_udev *devs[SWHCA_MAX_DEVICES];
/* Devices that were taken away, by bit. They keep their memory until the process ends. */
static atomic_uint removed;

/* What Linux makes of a command status (mlx5_core: cmd_status_to_err()). */
static int
status_to_errno(uint8_t status)
{
	switch (status) {
	case PRM_CMD_OK:
		return 0;
	case PRM_CMD_RES_BUSY:
		return -EBUSY;
	case PRM_CMD_EXCEED_LIM:
		return -ENOMEM;
	case PRM_CMD_NO_RES:
		return -EAGAIN;
	case PRM_CMD_BAD_OP:
	case PRM_CMD_BAD_PARAM:
	case PRM_CMD_BAD_RES:
	case PRM_CMD_BAD_RES_STATE:
	case PRM_CMD_BAD_INDEX:
	case PRM_CMD_BAD_QP_STATE:
	case PRM_CMD_BAD_PKT:
	case PRM_CMD_BAD_SIZE:
		return -EINVAL;
	default:
		return -EIO;
	}
}

int
swhca_udev_exec(struct swhca_udev *dev, const void *in, size_t in_len, void *out, size_t out_len)
{
	return status_to_errno(swhca_hca_cmd_exec(dev->hca, in, in_len, out, out_len));
}

int
swhca_udev_exec_obj(struct swhca_udev *dev, uint16_t op, uint16_t uid, uint32_t num)
{
	uint8_t in[PRM_CMD_SHORT_IN_SIZE] = { 0 };
	uint8_t out[PRM_CMD_SHORT_OUT_SIZE];

	prm_set(in, PRM_CMD_IN_OPCODE, op);
	prm_set(in, PRM_CMD_IN_UID, uid);
	prm_set(in, PRM_CMD_IN_OBJ, num);
	return swhca_udev_exec(dev, in, sizeof(in), out, sizeof(out));
}

int
swhca_udev_exec_general_destroy(struct swhca_udev *dev, uint16_t uid, uint16_t obj_type,
				uint32_t num)
{
	uint8_t in[PRM_CMD_SHORT_IN_SIZE] = { 0 };
	uint8_t out[PRM_CMD_SHORT_OUT_SIZE];

	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_DESTROY_GENERAL_OBJECT);
	prm_set(in, PRM_CMD_IN_UID, uid);
	prm_set(in, PRM_GENERAL_OBJ_IN_OBJ_TYPE, obj_type);
	prm_set(in, PRM_GENERAL_OBJ_IN_OBJ_ID, num);
	return swhca_udev_exec(dev, in, sizeof(in), out, sizeof(out));
}

int
swhca_udev_exec_alloc(struct swhca_udev *dev, uint16_t op, uint16_t uid, uint32_t *num)
{
	uint8_t in[PRM_CMD_SHORT_IN_SIZE] = { 0 };
	uint8_t out[PRM_CMD_SHORT_OUT_SIZE];
	int ret;

	prm_set(in, PRM_CMD_IN_OPCODE, op);
	prm_set(in, PRM_CMD_IN_UID, uid);
	ret = swhca_udev_exec(dev, in, sizeof(in), out, sizeof(out));
	if (ret == 0)
		*num = (uint32_t)prm_get(out, PRM_CMD_OUT_OBJ);
	return ret;
}

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

/* Keys that the device has by itself. */
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
 * Queue pairs of two processes have different numbers: they cannot reach each other, and a
 * program that thinks they can must not reach itself instead. Behind the numbers of DC targets.
 */
static uint32_t
first_qpn(void)
{
	return 0x100000u + (uint32_t)(getpid() % 0xe0) * 0x10000u;
}

/* What the user configured, for device number index. */
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
		.log_max_mkey = (uint8_t)user->log_max_mkey,
		.interrupt = swhca_ueq_interrupt,
		.interrupt_arg = dev,
	};
	swhca_ident_mac(dev->index, conf->mac);
}

/* Pages of capabilities; those that a general one must announce are left zero without it. */
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

/* What the kernel creates for itself. */
static int
udev_objects_create(struct swhca_udev *dev)
{
	uint32_t uid = 0;
	int ret;

	ret = swhca_udev_exec_alloc(dev, PRM_CMD_ALLOC_PD, 0, &dev->pdn);
	if (ret == 0)
		ret = swhca_udev_exec_alloc(dev, PRM_CMD_CREATE_UCTX, 0, &uid);
	dev->whitelist_uid = (uint16_t)uid;
	dev->clock_info = swhca_uclock_info_make();
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
	ret = udev_caps_query(dev);
	if (ret == 0)
		ret = special_query(dev);
	if (ret == 0)
		ret = udev_objects_create(dev);
	if (ret != 0) {
		swhca_fd_unkeep(swhca_hca_bar_fd(dev->hca));
		swhca_hca_destroy(dev->hca);
	}
	return ret;
}

static int
fabric_get(void)
{
	int ret;

	if (fabric != NULL)
		return 0;
	if (sysconf(_SC_PAGESIZE) != SWHCA_UAR_SIZE) {
		SWHCA_LOG(ERR, "page size of this machine: %ld, not the %u of a UAR",
			  sysconf(_SC_PAGESIZE), SWHCA_UAR_SIZE);
		return -ENODEV;
	}
	swhca_signal_install();
	ret = swhca_fabric_create(swhca_dma_direct(), &fabric);
	if (ret != 0)
		return ret;
	ret = swhca_fabric_start(fabric);
	if (ret != 0) {
		swhca_fabric_destroy(fabric);
		fabric = NULL;
		return ret;
	}
	swhca_control_start();
	return 0;
}

/* All devices exist from the first open on, so that queues of one find those of the others. */
static int
udevs_create(void)
{
	struct swhca_udev *dev;
	unsigned int i;
	int ret;

	ret = fabric_get();
	for (i = 0; ret == 0 && i < swhca_uverbs_nb_devices(); i++) {
		if (devs[i] != NULL || swhca_uverbs_is_removed(i))
			continue;
		dev = calloc(1, sizeof(*dev));
		if (dev == NULL)
			return -ENOMEM;
		dev->index = i;
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

int
swhca_udev_get(unsigned int index, struct swhca_udev **dev)
{
	int ret = 0;

	if (index >= swhca_uverbs_nb_devices() || swhca_uverbs_is_removed(index))
		return -ENXIO;
	pthread_mutex_lock(&devs_lock);
	if (devs[index] == NULL)
		ret = udevs_create();
	if (ret == 0)
		*dev = devs[index];
	else
		SWHCA_LOG(ERR, "device %u: probe failed: %s", index, strerror(-ret));
	pthread_mutex_unlock(&devs_lock);
	return ret;
}

/* A device that appears in between has no regions yet. */
void
swhca_udev_invalidate(uint64_t addr, uint64_t len)
{
	struct swhca_udev *dev;
	unsigned int i;

	for (i = 0; i < SWHCA_MAX_DEVICES; i++) {
		dev = __atomic_load_n(&devs[i], __ATOMIC_ACQUIRE);
		if (dev != NULL)
			swhca_hca_pages_invalidate(dev->hca, addr, len);
	}
}

int
swhca_uverbs_stats(unsigned int index, struct swhca_hca_stats *stats)
{
	struct swhca_udev *dev =
		index < SWHCA_MAX_DEVICES ? __atomic_load_n(&devs[index], __ATOMIC_ACQUIRE) : NULL;

	if (dev == NULL)
		return -ENODEV;
	swhca_hca_stats_get(dev->hca, stats);
	return 0;
}

unsigned int
swhca_uverbs_odp_stats(unsigned int index, struct swhca_hca_odp_stats *stats, unsigned int nb_max)
{
	struct swhca_udev *dev =
		index < SWHCA_MAX_DEVICES ? __atomic_load_n(&devs[index], __ATOMIC_ACQUIRE) : NULL;

	return dev == NULL ? 0 : swhca_hca_odp_stats_get(dev->hca, stats, nb_max);
}

int
swhca_uverbs_cmd_fail(unsigned int index, uint64_t n)
{
	struct swhca_udev *dev =
		index < SWHCA_MAX_DEVICES ? __atomic_load_n(&devs[index], __ATOMIC_ACQUIRE) : NULL;

	if (dev == NULL)
		return -ENODEV;
	swhca_hca_cmd_fail(dev->hca, n);
	return 0;
}

/* Do something to a device that has been opened. */
static int
hca_do(unsigned int index, void (*act)(struct swhca_hca *hca))
{
	struct swhca_udev *dev =
		index < SWHCA_MAX_DEVICES ? __atomic_load_n(&devs[index], __ATOMIC_ACQUIRE) : NULL;

	if (dev == NULL)
		return -ENODEV;
	act(dev->hca);
	return 0;
}

static void
hca_halt(struct swhca_hca *hca)
{
	swhca_hca_halt(hca, true);
}

static void
hca_resume(struct swhca_hca *hca)
{
	swhca_hca_halt(hca, false);
}

int
swhca_uverbs_crash(unsigned int index)
{
	return hca_do(index, swhca_hca_crash);
}

int
swhca_uverbs_halt(unsigned int index)
{
	return hca_do(index, hca_halt);
}

int
swhca_uverbs_resume(unsigned int index)
{
	return hca_do(index, hca_resume);
}

int
swhca_uverbs_credential_delete(unsigned int index)
{
	return hca_do(index, swhca_hca_credential_delete);
}

/* The engine and whoever held a lock are threads of the parent: leave everything as it is. */
void
swhca_udev_forget(void)
{
	swhca_signal_after_fork();
	pthread_mutex_init(&devs_lock, NULL);
	fabric = NULL;
	memset(devs, 0, sizeof(devs));
	swhca_uodp_forget();
	swhca_trap_forget();
}

bool
swhca_uverbs_is_removed(unsigned int index)
{
	return (atomic_load(&removed) & 1u << index) != 0;
}

int
swhca_uverbs_remove(unsigned int index)
{
	struct swhca_udev *dev;

	if (index >= swhca_uverbs_nb_devices() ||
	    (atomic_fetch_or(&removed, 1u << index) & 1u << index) != 0)
		return -ENODEV;
	swhca_sysfs_unplug(index);
	pthread_mutex_lock(&devs_lock);
	dev = devs[index];
	pthread_mutex_unlock(&devs_lock);
	if (dev == NULL)
		return 0;
	swhca_hca_fail(dev->hca);
	/* Who waits for completions gets none (ib_core: uverbs_destroy_ufile_hw()). */
	swhca_uevent_files_remove(dev);
	return 0;
}

unsigned int
swhca_uverbs_nb_devices(void)
{
	return swhca_conf_get()->nb_devices;
}
