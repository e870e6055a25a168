/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * The folder that stands for /sys:
 *
 *   class/infiniband/mlx5_0           -> ../../devices/.../infiniband/mlx5_0
 *   class/infiniband_verbs/uverbs0    -> ../../devices/.../infiniband_verbs/uverbs0
 *   class/infiniband_verbs/abi_version
 *   class/misc/rdma_cm/               abi_version, dev, if there is a connection manager
 *   class/net/enp8s0f0np0             -> ../../devices/.../net/enp8s0f0np0
 *   bus/pci/devices/0000:08:00.0      -> ../../../devices/pci0000:00/0000:08:00.0
 *   bus/pci/drivers/mlx5_core/
 *   devices/pci0000:00/0000:08:00.0/  vendor, device, resource, uevent, driver -> ...
 *       infiniband/mlx5_0/            node_guid, fw_ver, ports/1/... , device -> ../..
 *       infiniband_verbs/uverbs0/     ibdev, dev, abi_version, device -> ../..
 *       net/enp8s0f0np0/              address, mtu ... (Ethernet)
 *
 * It is filled under another name and renamed, so that several processes of one run agree. A
 * process that runs without swhca-run has a folder of its own, and removes it at exit.
 */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <swhca_parts.h>

#include "base/high_fd.h"
#include "host/folder.h"
#include "base/kept_fd.h"
#include "base/log.h"
#include "host/sysfs.h"
#include "host/sysfs_pci.h"

/* ib_uverbs: IB_USER_VERBS_ABI_VERSION */
#define UVERBS_ABI_VERSION 6

/* Name of the folder below the one that is finally removed. */
#define TREE_NAME "sys"

/* A path with nothing below it, where nothing can be created: there are no devices. */
#define NOWHERE "/dev/null"

static char base_path[PATH_MAX - 256];
/* Reason why there is none: a negative errno. */
static int base_ret;
static pthread_mutex_t base_lock = PTHREAD_MUTEX_INITIALIZER;
/* The folder is named after this process, not its swhca-run. */
static bool is_base_mine;
/* Lock of the folder, -1: unused here. */
static int hold_fd = -1;
static pid_t hold_pid;

static void
cm_create(struct swhca_tree *tree)
{
	swhca_tree_mkdir(tree, "class/misc/rdma_cm");
	swhca_tree_file(tree, "class/misc/rdma_cm", "abi_version", "%u", SWHCA_RDMA_CM_ABI);
	swhca_tree_file(tree, "class/misc/rdma_cm", "dev", "%u:%u", SWHCA_RDMA_CM_MAJOR,
			SWHCA_RDMA_CM_MINOR);
}

static int
tree_fill(const char *path, const struct swhca_conf *conf)
{
	static const char *const dirs[] = {
		"class", "class/infiniband", "class/infiniband_verbs", "class/misc", "class/net",
		"bus", "bus/pci", "bus/pci/devices", "bus/pci/drivers", "bus/pci/drivers/mlx5_core",
		"devices", "devices/pci0000:00",
	};
	struct swhca_tree tree = {
		.dirfd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC),
		.conf = conf,
	};
	unsigned int i;

	if (tree.dirfd < 0)
		return -errno;
	for (i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++)
		swhca_tree_mkdir(&tree, "%s", dirs[i]);
	swhca_tree_file(&tree, "class/infiniband_verbs", "abi_version", "%d", UVERBS_ABI_VERSION);
	if (SWHCA_HAS_CM)
		cm_create(&tree);
	for (i = 0; i < conf->nb_devices; i++)
		swhca_sysfs_pci_create(&tree, i);
	close(tree.dirfd);
	return tree.ret;
}

int
swhca_sysfs_fill(const char *base, const struct swhca_conf *conf)
{
	char path[PATH_MAX], new_path[PATH_MAX];
	int ret;

	snprintf(path, sizeof(path), "%s/" TREE_NAME, base);
	if (access(path, F_OK) == 0)
		return 0;
	snprintf(new_path, sizeof(new_path), "%s/new.XXXXXX", base);
	ret = mkdtemp(new_path) == NULL ? -errno : tree_fill(new_path, conf);
	if (ret == 0 && rename(new_path, path) != 0) {
		/* Another process of this run has created it. */
		ret = errno == ENOTEMPTY || errno == EEXIST ? 0 : -errno;
		swhca_folder_remove(new_path);
	}
	return ret;
}

/* Set the path of devices for others. Existing variables are replaced atomically. */
static void
env_set(const char *base)
{
	char path[sizeof(base_path) + 64];

	snprintf(path, sizeof(path), "%s/" TREE_NAME, base);
	setenv("SYSFS_PATH", path, 1);
	snprintf(path, sizeof(path), "%s/" TREE_NAME "/bus/pci/devices", base);
	setenv("SYSFS_PCI_DEVICES", path, 1);
}

static int
base_hold(const char **call)
{
	int fd;

	if (hold_fd >= 0 && hold_pid == getpid())
		return 0;
	fd = swhca_fd_raise(swhca_folder_hold(base_path, call));
	if (fd < 0)
		return fd;
	swhca_fd_keep(fd);
	hold_fd = fd;
	hold_pid = getpid();
	return 0;
}

int
swhca_sysfs_create(void)
{
	const char *call = NULL;
	int ret, state;

	if (base_path[0] == '\0')
		return base_ret;
	/* A cancelled thread would keep the lock. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	pthread_mutex_lock(&base_lock);
	ret = base_hold(&call);
	if (ret == 0) {
		call = "making links and files in it";
		ret = swhca_sysfs_fill(base_path, swhca_conf_get());
	}
	pthread_mutex_unlock(&base_lock);
	pthread_setcancelstate(state, NULL);
	if (ret == -EPERM && call == NULL) {
		SWHCA_LOG(ERR, "%s: is not, or not only, ours; there are no devices", base_path);
		env_set(NOWHERE);
	} else if (ret != 0) {
		SWHCA_LOG(ERR, "%s: cannot make the sysfs tree: %s: %s; see swhca-run --check",
			  base_path, call != NULL ? call : "open", strerror(-ret));
	}
	return ret;
}

void
swhca_sysfs_unplug(unsigned int index)
{
	int base_fd = swhca_folder_open(base_path);
	struct swhca_tree tree;

	if (base_fd < 0)
		return;
	tree.dirfd = openat(base_fd, TREE_NAME, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	close(base_fd);
	if (tree.dirfd < 0)
		return;
	swhca_sysfs_dev_remove(&tree, index);
	close(tree.dirfd);
}

void
swhca_sysfs_forget(void)
{
	pthread_mutex_init(&base_lock, NULL);
	swhca_fd_unkeep(hold_fd);
	if (hold_fd >= 0)
		close(hold_fd);
	hold_fd = -1;
	is_base_mine = false;
}

void
swhca_sysfs_remove(void)
{
	if (hold_fd < 0 || hold_pid != getpid())
		return;
	swhca_fd_unkeep(hold_fd);
	close(hold_fd);
	hold_fd = -1;
	/* The folder of a swhca-run is removed with it, or with the last process after it. */
	swhca_folder_reap(base_path, is_base_mine);
}

const char *
swhca_sysfs_base(void)
{
	return base_path;
}

bool
swhca_sysfs_has(const char *path)
{
	size_t len = strlen(base_path);

	return len != 0 && path != NULL && strncmp(path, base_path, len) == 0 && path[len] == '/';
}

/* If the kernel denies the check, try anyway. */
static bool
is_writable(const char *dir)
{
	if (faccessat(AT_FDCWD, dir, W_OK | X_OK, AT_EACCESS) == 0)
		return true;
	return errno != EROFS && errno != EACCES && errno != ENOENT && errno != ENOTDIR;
}

/* The first writable parent; if there is none, creating a folder in /tmp reports the reason. */
static const char *
parent_choose(void)
{
	const char *parent;
	unsigned int i;

	for (i = 0; (parent = swhca_folder_parent(i)) != NULL; i++)
		if (parent[0] != '\0' && is_writable(parent))
			return parent;
	return "/tmp";
}

/*
 * Use the folder of swhca-run, or one of this process that is created when needed. A program with
 * elevated privileges ignores the environment.
 */
static int
base_choose(void)
{
	const char *dir = secure_getenv("SWHCA_SYSFS_DIR");
	int fd;

	if (dir == NULL || dir[0] != '/') {
		is_base_mine = true;
		return swhca_folder_name(base_path, sizeof(base_path), parent_choose(), getpid());
	}
	if (strlen(dir) >= sizeof(base_path))
		return -ENAMETOOLONG;
	strcpy(base_path, dir);
	fd = swhca_folder_open(dir);
	if (fd >= 0)
		close(fd);
	return fd == -EPERM ? fd : 0;
}

void
swhca_sysfs_init(void)
{
	int ret = base_choose();

	if (ret != 0) {
		SWHCA_LOG(ERR, "no folder for a sysfs tree (%s): %s; there are no devices",
			  base_path, strerror(-ret));
		base_path[0] = '\0';
		base_ret = ret;
		env_set(NOWHERE);
		return;
	}
	env_set(base_path);
}
