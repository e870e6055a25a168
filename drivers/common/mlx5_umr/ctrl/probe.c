/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Registering the driver, finding a device and opening it.
 */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_common.h>
#include <rte_string_fns.h>

#include "ctrl/devx.h"
#include "ctrl/health.h"
#include "ctrl/dev.h"
#include "ctrl/queue.h"
#include "ring/bf.h"
#include "ring/key_table.h"
#include "internal/mlx5_umr_link.h"
#include "ring/log.h"
#include "ctrl/mr.h"
#include "ctrl/recover.h"
#include "ring/queue.h"
#include "ctrl/sg_keys.h"
#include "wqe/wqe.h"

#define ARG_PORT		"port"
#define ARG_GID_INDEX		"gid_index"
#define ARG_UAR			"uar"
#define ARG_RNR_RETRY		"rnr_retry"
#define ARG_RETRY_COUNT		"retry_count"
#define ARG_ACK_TIMEOUT		"ack_timeout"
#define ARG_RECV_INLINE		"recv_inline"
#define ARG_BF			"bf"
#define ARG_SILENCE_MS		"silence_ms"
#define ARG_RECOVER		"recover"
#define ARG_SG_INLINE		"sg_inline"
#define ARG_SG_KEY		"sg_key"
#define ARG_SG_READ_KEY		"sg_read_key"
/* As of DPDK's mlx5 drivers (common/mlx5, mlx5_common.c). */
#define ARG_CMD_FD		"cmd_fd"
#define ARG_PD_HANDLE		"pd_handle"

/* As in libmlx5: receives are inline unless this is "0". */
#define ENV_SCATTER_TO_CQE	"MLX5_SCATTER_TO_CQE"
/* As in libmlx5: set if it is not "0"; if it is unset, WQEs are written. */
#define ENV_SHUT_UP_BF		"MLX5_SHUT_UP_BF"
#define ENV_PREFER_BF		"MLX5_POST_SEND_PREFER_BF"

/* The device option was not given. */
#define BF_MODE_UNSET		UINT8_MAX

/** A numeric devarg with its range. */
struct arg_number {
	const char *key;
	uint32_t min;
	uint32_t max;
	uint8_t offset; /* in struct mlx5_umr_devargs */
	bool is_wide;	/* 32 bits, else 8 */
};

static const struct arg_number arg_numbers[] = {
	{ ARG_PORT, 1, UINT8_MAX, offsetof(struct mlx5_umr_devargs, port), false },
	{ ARG_GID_INDEX, 0, UINT8_MAX, offsetof(struct mlx5_umr_devargs, gid_index), false },
	{ ARG_RNR_RETRY, 0, 7, offsetof(struct mlx5_umr_devargs, rnr_retry), false },
	{ ARG_RETRY_COUNT, 0, 7, offsetof(struct mlx5_umr_devargs, retry_count), false },
	{ ARG_ACK_TIMEOUT, 0, 31, offsetof(struct mlx5_umr_devargs, ack_timeout), false },
	{ ARG_RECV_INLINE, 0, 1, offsetof(struct mlx5_umr_devargs, recv_inline), false },
	{ ARG_SILENCE_MS, 0, MLX5_UMR_MAX_SILENCE_MS,
	  offsetof(struct mlx5_umr_devargs, silence_ms), true },
	{ ARG_SG_INLINE, 0, UINT16_MAX, offsetof(struct mlx5_umr_devargs, sg_inline), true },
	{ ARG_SG_KEY, 0, UINT16_MAX, offsetof(struct mlx5_umr_devargs, sg_key), true },
	{ ARG_SG_READ_KEY, 0, UINT16_MAX, offsetof(struct mlx5_umr_devargs, sg_read_key), true },
	{ ARG_CMD_FD, 0, INT_MAX, offsetof(struct mlx5_umr_devargs, cmd_fd), true },
	{ ARG_PD_HANDLE, 0, INT_MAX, offsetof(struct mlx5_umr_devargs, pd_handle), true },
};

static int
arg_number_set(struct mlx5_umr_device *dev, const struct arg_number *number, const char *value)
{
	uint8_t *where = (uint8_t *)&dev->args + number->offset;
	unsigned long n;
	char *end;

	errno = 0;
	n = strtoul(value, &end, 0);
	if (errno != 0 || end == value || *end != '\0' || n < number->min || n > number->max) {
		MLX5_UMR_DEV_LOG(ERR, dev->umr_dev->name, "%s=%s: a number in [%u, %u] is needed",
				 number->key, value, number->min, number->max);
		return -EINVAL;
	}
	if (number->is_wide)
		*(uint32_t *)where = (uint32_t)n;
	else
		*where = (uint8_t)n;
	return 0;
}

static int
arg_bf_set(struct mlx5_umr_device *dev, const char *value)
{
	static const char *const modes[] = {
		[MLX5_UMR_BF_OFF] = "off",
		[MLX5_UMR_BF_INLINE] = "inline",
		[MLX5_UMR_BF_SINGLE] = "single",
	};
	uint8_t i;

	for (i = 0; i < RTE_DIM(modes); i++) {
		if (strcmp(value, modes[i]) == 0) {
			dev->args.bf_mode = i;
			return 0;
		}
	}
	MLX5_UMR_DEV_LOG(ERR, dev->umr_dev->name, "%s=%s: off, inline or single is needed", ARG_BF,
			 value);
	return -EINVAL;
}

/** Set an option that is one of two words. */
static int
arg_word_set(const struct mlx5_umr_device *dev, const char *key, const char *value, const char *no,
	     const char *yes, bool *is_yes)
{
	*is_yes = strcmp(value, yes) == 0;
	if (*is_yes || strcmp(value, no) == 0)
		return 0;
	MLX5_UMR_DEV_LOG(ERR, dev->umr_dev->name, "%s=%s: %s or %s is needed", key, value, no, yes);
	return -EINVAL;
}

static int
arg_set(const char *key, const char *value, void *opaque)
{
	struct mlx5_umr_device *dev = opaque;
	size_t i;

	if (value == NULL)
		value = "";
	for (i = 0; i < RTE_DIM(arg_numbers); i++)
		if (strcmp(key, arg_numbers[i].key) == 0)
			return arg_number_set(dev, &arg_numbers[i], value);
	if (strcmp(key, ARG_BF) == 0)
		return arg_bf_set(dev, value);
	if (strcmp(key, ARG_RECOVER) == 0)
		return arg_word_set(dev, key, value, "manual", "auto",
				    &dev->args.is_recover_auto);
	/* The only remaining key. */
	return arg_word_set(dev, key, value, "nc", "bf", &dev->args.is_uar_bf);
}

/** Whether an environment variable is exactly "0". */
static bool
env_is_0(const char *name)
{
	const char *value = getenv(name);

	return value != NULL && strcmp(value, "0") == 0;
}

/** Mode in which libmlx5 would write WQEs to a write-combined page. */
static uint8_t
env_bf_mode(void)
{
	if (getenv(ENV_SHUT_UP_BF) != NULL && !env_is_0(ENV_SHUT_UP_BF))
		return MLX5_UMR_BF_OFF;
	return env_is_0(ENV_PREFER_BF) ? MLX5_UMR_BF_INLINE : MLX5_UMR_BF_SINGLE;
}

static int
devargs_parse(struct mlx5_umr_device *dev, const struct rte_kvargs *kvargs)
{
	struct mlx5_umr_devargs *args = &dev->args;

	*args = (struct mlx5_umr_devargs){
		.port = 1,
		.rnr_retry = 7,
		.retry_count = 7,
		.ack_timeout = 14,
		.recv_inline = !env_is_0(ENV_SCATTER_TO_CQE),
		.bf_mode = BF_MODE_UNSET,
		.silence_ms = MLX5_UMR_SILENCE_MS,
		.sg_inline = MLX5_UMR_SG_DEFAULT_INLINE,
		.sg_key = MLX5_UMR_SG_DEFAULT_KEY,
		.sg_read_key = MLX5_UMR_SG_DEFAULT_READ_KEY,
		.cmd_fd = MLX5_UMR_NO_FD,
		.pd_handle = MLX5_UMR_NO_FD,
	};
	if (kvargs != NULL && rte_kvargs_process(kvargs, NULL, arg_set, dev) != 0)
		return -EINVAL;
	if ((args->cmd_fd == MLX5_UMR_NO_FD) != (args->pd_handle == MLX5_UMR_NO_FD)) {
		MLX5_UMR_DEV_LOG(ERR, dev->umr_dev->name,
				 "%s and %s are needed together, or neither", ARG_CMD_FD,
				 ARG_PD_HANDLE);
		return -EINVAL;
	}
	if (args->bf_mode == BF_MODE_UNSET)
		args->bf_mode = args->is_uar_bf ? env_bf_mode() : MLX5_UMR_BF_OFF;
	return 0;
}

/** PCI address of a device; empty if it has none. */
static void
pci_address(const struct ibv_device *device, char *addr, size_t size)
{
	char link[PATH_MAX], path[PATH_MAX];
	const char *base;

	addr[0] = '\0';
	snprintf(link, sizeof(link), "%s/device", device->ibdev_path);
	if (realpath(link, path) == NULL)
		return;
	base = strrchr(path, '/');
	if (base != NULL)
		strlcpy(addr, base + 1, size);
}

static int16_t
numa_node(const struct ibv_device *device)
{
	char path[PATH_MAX];
	int16_t node = -1;
	FILE *f;

	snprintf(path, sizeof(path), "%s/device/numa_node", device->ibdev_path);
	f = fopen(path, "r");
	if (f == NULL)
		return -1;
	if (fscanf(f, "%" SCNd16, &node) != 1)
		node = -1;
	fclose(f);
	return node;
}

static bool
is_named(const struct ibv_device *device, const char *name)
{
	char pci[RTE_UMR_DEV_NAME_LEN];

	if (strcmp(ibv_get_device_name((struct ibv_device *)(uintptr_t)device), name) == 0)
		return true;
	pci_address(device, pci, sizeof(pci));
	return pci[0] != '\0' && strcmp(pci, name) == 0;
}

static int
caps_check(const struct mlx5_umr_device *dev)
{
	const char *name = dev->umr_dev->name;
	const unsigned int max_wqe =
		mlx5_umr_layout_nb_wqebb(PRM_UMR_INLINE_KLM_MAX) * PRM_WQE_BB_SIZE;

	if (!dev->caps.has_rc) {
		MLX5_UMR_DEV_LOG(ERR, name, "no RC queue pairs");
		return -ENOTSUP;
	}
	if (dev->caps.is_umr_disabled) {
		MLX5_UMR_DEV_LOG(ERR, name, "UMR of indirect keys is disabled");
		return -ENOTSUP;
	}
	/* Lists are written in units of PRM_KLM_ALIGN entries. */
	if (dev->caps.log_max_klm < rte_log2_u32(PRM_KLM_ALIGN)) {
		MLX5_UMR_DEV_LOG(ERR, name, "keys of at most %u entries, %u are needed",
				 1u << dev->caps.log_max_klm, PRM_KLM_ALIGN);
		return -ENOTSUP;
	}
	/* The longest list must fit, so that no list fails in the device. */
	if (dev->caps.max_wqe_sz_sq < max_wqe) {
		MLX5_UMR_DEV_LOG(ERR, name, "WQEs of at most %u bytes, %u are needed",
				 dev->caps.max_wqe_sz_sq, max_wqe);
		return -ENOTSUP;
	}
	return 0;
}

/** Derived as in libmlx5 (rdma-core, mlx5 verbs.c, get_hca_sig_caps()). */
static void
sig_caps_set(struct mlx5_umr_device *dev)
{
	struct mlx5_umr_sig_caps *sig = &dev->sig_caps;

	if (!dev->caps.has_sig)
		return;
	sig->types = RTE_BIT32(RTE_UMR_SIG_T10DIF_CRC) | RTE_BIT32(RTE_UMR_SIG_T10DIF_CSUM) |
		     RTE_BIT32(RTE_UMR_SIG_CRC32);
	if (dev->caps.has_sig_crc32c) {
		sig->types |= RTE_BIT32(RTE_UMR_SIG_CRC32C);
		/* SPDK: spdk_mlx5_device_query_caps(), crc32c_supported. */
		sig->trans_types |= RTE_BIT32(RTE_UMR_SIG_CRC32C);
	}
	if (dev->caps.has_sig_crc64_xp10)
		sig->types |= RTE_BIT32(RTE_UMR_SIG_CRC64_XP10);
	sig->block_sizes = RTE_UMR_SIG_BLOCK_512 | RTE_UMR_SIG_BLOCK_520 |
			   RTE_UMR_SIG_BLOCK_4096 | RTE_UMR_SIG_BLOCK_4160;
	if (dev->caps.has_sig_block_4048)
		sig->block_sizes |= RTE_UMR_SIG_BLOCK_4048;
}

/** Query all constant properties of the device. */
static int
device_query(struct mlx5_umr_device *dev)
{
	const char *name = dev->umr_dev->name;
	int ret;

	ret = mlx5_umr_devx_query_caps(dev);
	if (ret != 0)
		return ret;
	ret = caps_check(dev);
	if (ret != 0)
		return ret;
	sig_caps_set(dev);
	ret = ibv_query_device(dev->ctx, &dev->attr);
	if (ret != 0) {
		MLX5_UMR_DEV_LOG(ERR, name, "cannot query the device: %s", strerror(ret));
		return -ret;
	}
	if (dev->args.port > dev->attr.phys_port_cnt) {
		MLX5_UMR_DEV_LOG(ERR, name, "port is %u, the device has %u", dev->args.port,
				 dev->attr.phys_port_cnt);
		return -EINVAL;
	}
	ret = ibv_query_port(dev->ctx, dev->args.port, &dev->port_attr);
	if (ret != 0) {
		MLX5_UMR_DEV_LOG(ERR, name, "cannot query port %u: %s", dev->args.port,
				 strerror(ret));
		return -ret;
	}
	if (ibv_query_gid(dev->ctx, dev->args.port, dev->args.gid_index, &dev->gid) != 0) {
		MLX5_UMR_DEV_LOG(ERR, name, "port %u has no GID of index %u", dev->args.port,
				 dev->args.gid_index);
		return -EINVAL;
	}
	ret = mlx5dv_devx_query_eqn(dev->ctx, 0, &dev->eqn);
	if (ret != 0) {
		MLX5_UMR_DEV_LOG(ERR, name, "no event queue: %s", strerror(ret));
		return ret > 0 ? -ret : -EIO;
	}
	return 0;
}

static int
context_open(struct mlx5_umr_device *dev, struct ibv_device *device)
{
	struct mlx5dv_context_attr attr = { .flags = MLX5DV_CONTEXT_FLAGS_DEVX };
	int ret;

	errno = 0;
	dev->ctx = mlx5dv_open_device(device, &attr);
	if (dev->ctx != NULL)
		return 0;
	ret = errno != 0 ? -errno : -ENOTSUP;
	MLX5_UMR_DEV_LOG(ERR, dev->umr_dev->name, "cannot open /dev/infiniband/%s with DEVX: %s",
			 device->dev_name, strerror(-ret));
	return ret;
}

/** Get a context of the driver for the open device of the application: ibv_import_device(3). */
static int
context_import(struct mlx5_umr_device *dev)
{
	const char *name = dev->umr_dev->name;
	/* Closing the context closes its descriptor; the application keeps its own. */
	int fd = fcntl((int)dev->args.cmd_fd, F_DUPFD_CLOEXEC, 0);
	int ret;

	errno = fd < 0 ? errno : 0;
	if (fd >= 0)
		dev->ctx = ibv_import_device(fd);
	if (dev->ctx == NULL) {
		ret = errno != 0 ? -errno : -ENOTSUP;
		MLX5_UMR_DEV_LOG(ERR, name, "cannot import a context from %s=%u: %s", ARG_CMD_FD,
				 dev->args.cmd_fd, strerror(-ret));
		if (fd >= 0)
			close(fd);
		/* Not that the named device does not exist. */
		return ret == -ENODEV ? -EINVAL : ret;
	}
	if (strcmp(ibv_get_device_name(dev->ctx->device), name) != 0) {
		MLX5_UMR_DEV_LOG(ERR, name, "%s=%u is a context of %s", ARG_CMD_FD,
				 dev->args.cmd_fd, ibv_get_device_name(dev->ctx->device));
		ibv_close_device(dev->ctx);
		return -EINVAL;
	}
	return 0;
}

static int
device_open(struct mlx5_umr_device *dev, struct ibv_device *device)
{
	int ret;

	dev->numa_node = numa_node(device);
	ret = dev->args.cmd_fd == MLX5_UMR_NO_FD ? context_open(dev, device) :
						   context_import(dev);
	if (ret != 0)
		return ret;
	mlx5_umr_mem_init(&dev->mem, dev->ctx, dev->umr_dev->name);
	dev->sig_keys.name = dev->umr_dev->name;
	LIST_INIT(&dev->kept_queues);
	ret = device_query(dev);
	if (ret != 0)
		goto close_device;
	ret = mlx5_umr_pd_open(dev);
	if (ret != 0)
		goto close_device;
	ret = mlx5_umr_mr_query(dev);
	if (ret == 0)
		return 0;

	mlx5_umr_pd_close(dev);
close_device:
	ibv_close_device(dev->ctx);
	return ret;
}

void
mlx5_umr_context_close(struct mlx5_umr_device *dev)
{
	mlx5_umr_kept_queues_destroy(dev);
	mlx5_umr_mem_trim(&dev->mem);
	mlx5_umr_pd_close(dev);
	ibv_close_device(dev->ctx);
	/* Closing the context has released all memory that the device used. */
	mlx5_umr_kept_queues_free(dev);
	mlx5_umr_mem_fini(&dev->mem);
}

static int
device_probe(struct rte_umr_dev *umr_dev, struct ibv_device *device,
	     const struct rte_kvargs *kvargs)
{
	struct mlx5_umr_device *dev;
	int ret;

	if (rte_umr_driver_is_open(ibv_get_device_name(device)))
		return -EEXIST;
	dev = calloc(1, sizeof(*dev));
	if (dev == NULL)
		return -ENOMEM;
	strlcpy(umr_dev->name, ibv_get_device_name(device), sizeof(umr_dev->name));
	dev->umr_dev = umr_dev;
	dev->keys = mlx5_umr_key_table_alloc();
	ret = dev->keys != NULL ? devargs_parse(dev, kvargs) : -ENOMEM;
	if (ret == 0)
		ret = device_open(dev, device);
	if (ret != 0)
		goto free_dev;
	ret = mlx5_umr_health_init(dev);
	if (ret != 0)
		goto close_context;
	umr_dev->dev_private = dev;
	dev->self_recover = mlx5_umr_self_recover;
	umr_dev->ops = &mlx5_umr_dev_ops;
	mlx5_umr_fp_ops_init();
	return 0;

close_context:
	mlx5_umr_context_close(dev);
free_dev:
	mlx5_umr_key_table_free(dev->keys);
	free(dev);
	return ret;
}

static int
probe(struct rte_umr_dev *umr_dev, const char *name, const struct rte_kvargs *kvargs)
{
	struct ibv_device **list;
	int ret = -ENODEV;
	int i;

	list = ibv_get_device_list(NULL);
	if (list == NULL)
		return -ENODEV;
	for (i = 0; list[i] != NULL; i++) {
		if (mlx5dv_is_supported(list[i]) && is_named(list[i], name)) {
			ret = device_probe(umr_dev, list[i], kvargs);
			break;
		}
	}
	ibv_free_device_list(list);
	return ret;
}

static uint16_t
scan(char (*names)[RTE_UMR_DEV_NAME_LEN], uint16_t nb_max)
{
	struct ibv_device **list;
	uint16_t nb = 0;
	int i;

	list = ibv_get_device_list(NULL);
	if (list == NULL)
		return 0;
	for (i = 0; list[i] != NULL; i++) {
		if (!mlx5dv_is_supported(list[i]))
			continue;
		if (nb < nb_max)
			strlcpy(names[nb], ibv_get_device_name(list[i]), sizeof(names[nb]));
		nb++;
	}
	ibv_free_device_list(list);
	return nb;
}

static const char *const valid_keys[] = {
	ARG_PORT, ARG_GID_INDEX, ARG_UAR, ARG_RNR_RETRY, ARG_RETRY_COUNT, ARG_ACK_TIMEOUT,
	ARG_RECV_INLINE, ARG_BF, ARG_SILENCE_MS, ARG_RECOVER, ARG_SG_INLINE, ARG_SG_KEY,
	ARG_SG_READ_KEY, ARG_CMD_FD, ARG_PD_HANDLE, NULL,
};

static struct rte_umr_driver mlx5_umr_driver = {
	.abi_version = RTE_UMR_PMD_ABI_VERSION,
	.name = "mlx5_umr",
	.valid_keys = valid_keys,
	.scan = scan,
	.probe = probe,
};

RTE_UMR_DRIVER_REGISTER(mlx5_umr_driver);

/* In the file that registers the driver: a reference to it links both. */
const char mlx5_umr_link_anchor = 0;
