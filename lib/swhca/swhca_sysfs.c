/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * The folder that stands for /sys:
 *
 *   class/infiniband/mlx5_0           -> ../../devices/.../infiniband/mlx5_0
 *   class/infiniband_verbs/uverbs0    -> ../../devices/.../infiniband_verbs/uverbs0
 *   class/infiniband_verbs/abi_version
 *   devices/pci0000:00/0000:08:00.0/  vendor, device, modalias, numa_node ...
 *       infiniband/mlx5_0/            node_guid, fw_ver, ports/1/... , device -> ../..
 *       infiniband_verbs/uverbs0/     ibdev, dev, abi_version, device -> ../..
 *
 * It is filled under another name and renamed, so that several processes of one run agree. A
 * process that runs without swhca-run has a folder of its own, and removes it at exit.
 */

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "swhca_log.h"
#include "swhca_sysfs.h"
#include "swhca_uverbs.h"

#define NB_GIDS 8u
#define NB_PKEYS 128u
/* ib_uverbs: IB_USER_VERBS_ABI_VERSION; mlx5-abi.h: MLX5_IB_UVERBS_ABI_VERSION */
#define UVERBS_ABI_VERSION 6
#define MLX5_ABI_VERSION 1

/* What the folder is called below the one that is removed in the end. */
#define TREE_NAME "sys"

static char base_path[PATH_MAX - 256];
static bool is_base_mine;
static pid_t owner;

/* A folder being filled; the first error stays. */
struct tree {
	int dirfd;
	int ret;
};

__attribute__((format(printf, 2, 3))) static void
tree_mkdir(struct tree *tree, const char *format, ...)
{
	char path[256];
	va_list ap;

	va_start(ap, format);
	vsnprintf(path, sizeof(path), format, ap);
	va_end(ap);
	if (tree->ret == 0 && mkdirat(tree->dirfd, path, 0755) != 0 && errno != EEXIST)
		tree->ret = -errno;
}

__attribute__((format(printf, 3, 4))) static void
tree_symlink(struct tree *tree, const char *target, const char *format, ...)
{
	char path[256];
	va_list ap;

	va_start(ap, format);
	vsnprintf(path, sizeof(path), format, ap);
	va_end(ap);
	if (tree->ret == 0 && symlinkat(target, tree->dirfd, path) != 0)
		tree->ret = -errno;
}

/* Write "dir/name" with a text and a newline. */
__attribute__((format(printf, 4, 5))) static void
tree_file(struct tree *tree, const char *dir, const char *name, const char *format, ...)
{
	char path[256], text[256];
	va_list ap;
	int fd, len;

	if (tree->ret != 0)
		return;
	va_start(ap, format);
	len = vsnprintf(text, sizeof(text) - 1, format, ap);
	va_end(ap);
	text[len++] = '\n';
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = openat(tree->dirfd, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);
	if (fd < 0 || write(fd, text, (size_t)len) != len)
		tree->ret = -(errno != 0 ? errno : EIO);
	if (fd >= 0)
		close(fd);
}

static void
gid_text(char text[40], uint64_t prefix, uint64_t guid)
{
	snprintf(text, 40, "%04x:%04x:%04x:%04x:%04x:%04x:%04x:%04x",
		 (unsigned int)(prefix >> 48) & 0xffff, (unsigned int)(prefix >> 32) & 0xffff,
		 (unsigned int)(prefix >> 16) & 0xffff, (unsigned int)prefix & 0xffff,
		 (unsigned int)(guid >> 48) & 0xffff, (unsigned int)(guid >> 32) & 0xffff,
		 (unsigned int)(guid >> 16) & 0xffff, (unsigned int)guid & 0xffff);
}

static void
port_create(struct tree *tree, const char *ibdev, unsigned int index)
{
	char port[160], dir[192], name[16], gid[40];
	unsigned int i;

	snprintf(port, sizeof(port), "%s/ports/1", ibdev);
	tree_mkdir(tree, "%s/ports", ibdev);
	tree_mkdir(tree, "%s", port);
	tree_file(tree, port, "state", "4: ACTIVE");
	tree_file(tree, port, "phys_state", "5: LinkUp");
	tree_file(tree, port, "link_layer", "InfiniBand");
	tree_file(tree, port, "rate", "100 Gb/sec (4X EDR)");
	tree_file(tree, port, "lid", "0x%x", swhca_uverbs_lid(index));
	tree_file(tree, port, "lid_mask_count", "0");
	tree_file(tree, port, "sm_lid", "0x%x", swhca_uverbs_lid(index));
	tree_file(tree, port, "sm_sl", "0");
	tree_file(tree, port, "cap_mask", "0x00000000");
	snprintf(dir, sizeof(dir), "%s/gids", port);
	tree_mkdir(tree, "%s", dir);
	for (i = 0; i < NB_GIDS; i++) {
		snprintf(name, sizeof(name), "%u", i);
		gid_text(gid, i == 0 ? SWHCA_GID_PREFIX : 0,
			 i == 0 ? swhca_uverbs_guid(index) : 0);
		tree_file(tree, dir, name, "%s", gid);
	}
	snprintf(dir, sizeof(dir), "%s/pkeys", port);
	tree_mkdir(tree, "%s", dir);
	for (i = 0; i < NB_PKEYS; i++) {
		snprintf(name, sizeof(name), "%u", i);
		tree_file(tree, dir, name, "0x%04x", i == 0 ? 0xffffu : 0u);
	}
}

static void
ibdev_create(struct tree *tree, const char *pci, unsigned int index)
{
	uint64_t guid = swhca_uverbs_guid(index);
	char dir[128], target[160], text[40];

	snprintf(dir, sizeof(dir), "%s/infiniband/mlx5_%u", pci, index);
	tree_mkdir(tree, "%s/infiniband", pci);
	tree_mkdir(tree, "%s", dir);
	tree_symlink(tree, "../..", "%s/device", dir);
	/* The second half of a GID is a GUID. */
	gid_text(text, 0, guid);
	tree_file(tree, dir, "node_guid", "%s", text + 20);
	tree_file(tree, dir, "sys_image_guid", "%s", text + 20);
	tree_file(tree, dir, "node_type", "1: CA");
	tree_file(tree, dir, "node_desc", "swhca");
	tree_file(tree, dir, "fw_ver", "%u.%u.%04u", SWHCA_FW_VER_MAJOR, SWHCA_FW_VER_MINOR,
		  SWHCA_FW_VER_SUBMINOR);
	tree_file(tree, dir, "hca_type", "MT%u", SWHCA_PCI_DEVICE);
	tree_file(tree, dir, "hw_rev", "0");
	tree_file(tree, dir, "board_id", "SWHCA0000000001");
	port_create(tree, dir, index);
	snprintf(target, sizeof(target), "../../%s", dir);
	tree_symlink(tree, target, "class/infiniband/mlx5_%u", index);
}

static void
uverbs_create(struct tree *tree, const char *pci, unsigned int index)
{
	char dir[128], target[160];

	snprintf(dir, sizeof(dir), "%s/infiniband_verbs/uverbs%u", pci, index);
	tree_mkdir(tree, "%s/infiniband_verbs", pci);
	tree_mkdir(tree, "%s", dir);
	tree_symlink(tree, "../..", "%s/device", dir);
	tree_file(tree, dir, "ibdev", "mlx5_%u", index);
	tree_file(tree, dir, "dev", "%u:%u", SWHCA_UVERBS_MAJOR, SWHCA_UVERBS_BASE_MINOR + index);
	tree_file(tree, dir, "abi_version", "%d", MLX5_ABI_VERSION);
	snprintf(target, sizeof(target), "../../%s", dir);
	tree_symlink(tree, target, "class/infiniband_verbs/uverbs%u", index);
}

/* The devices are the functions of one card. */
static void
pci_create(struct tree *tree, unsigned int index)
{
	char pci[64], slot[32];

	snprintf(slot, sizeof(slot), "0000:08:00.%u", index);
	snprintf(pci, sizeof(pci), "devices/pci0000:00/%s", slot);
	tree_mkdir(tree, "%s", pci);
	tree_file(tree, pci, "vendor", "0x%04x", SWHCA_PCI_VENDOR);
	tree_file(tree, pci, "device", "0x%04x", SWHCA_PCI_DEVICE);
	tree_file(tree, pci, "subsystem_vendor", "0x%04x", SWHCA_PCI_VENDOR);
	tree_file(tree, pci, "subsystem_device", "0x0000");
	tree_file(tree, pci, "class", "0x020700");
	tree_file(tree, pci, "revision", "0x00");
	tree_file(tree, pci, "numa_node", "-1");
	tree_file(tree, pci, "modalias", "pci:v%08Xd%08Xsv%08Xsd%08Xbc02sc07i00", SWHCA_PCI_VENDOR,
		  SWHCA_PCI_DEVICE, SWHCA_PCI_VENDOR, 0u);
	tree_file(tree, pci, "uevent", "DRIVER=mlx5_core\nPCI_SLOT_NAME=%s", slot);
	ibdev_create(tree, pci, index);
	uverbs_create(tree, pci, index);
}

static int
tree_fill(const char *path)
{
	struct tree tree = { .dirfd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) };
	unsigned int i;

	if (tree.dirfd < 0)
		return -errno;
	tree_mkdir(&tree, "class");
	tree_mkdir(&tree, "class/infiniband");
	tree_mkdir(&tree, "class/infiniband_verbs");
	tree_mkdir(&tree, "devices");
	tree_mkdir(&tree, "devices/pci0000:00");
	tree_file(&tree, "class/infiniband_verbs", "abi_version", "%d", UVERBS_ABI_VERSION);
	for (i = 0; i < swhca_uverbs_nb_devices(); i++)
		pci_create(&tree, i);
	close(tree.dirfd);
	return tree.ret;
}

static int
path_remove(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static void
tree_remove(const char *path)
{
	nftw(path, path_remove, 16, FTW_DEPTH | FTW_PHYS);
}

/* The name can be guessed, so use only what belongs to this user. */
static int
base_create(void)
{
	struct stat st;

	if (mkdir(base_path, 0700) == 0) {
		is_base_mine = true;
		owner = getpid();
		return 0;
	}
	if (errno != EEXIST)
		return -errno;
	if (lstat(base_path, &st) != 0)
		return -errno;
	return S_ISDIR(st.st_mode) && st.st_uid == geteuid() ? 0 : -EPERM;
}

int
swhca_sysfs_create(void)
{
	char path[PATH_MAX], new_path[PATH_MAX];
	int ret;

	if (base_path[0] == '\0')
		return 0;
	snprintf(path, sizeof(path), "%s/" TREE_NAME, base_path);
	if (access(path, F_OK) == 0)
		return 0;
	ret = base_create();
	if (ret == 0) {
		snprintf(new_path, sizeof(new_path), "%s/new.XXXXXX", base_path);
		ret = mkdtemp(new_path) == NULL ? -errno : tree_fill(new_path);
		if (ret == 0 && rename(new_path, path) != 0) {
			/* Another process of this run was faster, which is as good. */
			ret = errno == ENOTEMPTY || errno == EEXIST ? 0 : -errno;
			tree_remove(new_path);
		}
	}
	if (ret != 0)
		SWHCA_LOG(ERR, "%s: cannot make the sysfs tree: %s", base_path, strerror(-ret));
	return ret;
}

void
swhca_sysfs_remove(void)
{
	if (!is_base_mine || owner != getpid())
		return;
	is_base_mine = false;
	tree_remove(base_path);
}

bool
swhca_sysfs_has(const char *path)
{
	size_t len = strlen(base_path);

	return len != 0 && path != NULL && strncmp(path, base_path, len) == 0 && path[len] == '/';
}

void
swhca_sysfs_init(void)
{
	const char *dir = getenv("SWHCA_SYSFS_DIR");
	const char *tmp = getenv("TMPDIR");
	char path[PATH_MAX];
	struct timespec now;

	if (dir != NULL && dir[0] == '/') {
		if (strlen(dir) >= sizeof(base_path))
			return;
		strcpy(base_path, dir);
	} else {
		clock_gettime(CLOCK_MONOTONIC, &now);
		if (tmp == NULL || tmp[0] != '/' || strlen(tmp) > sizeof(base_path) - 64)
			tmp = "/tmp";
		snprintf(base_path, sizeof(base_path), "%s/swhca-%d-%llx", tmp, (int)getpid(),
			 (unsigned long long)now.tv_sec * 1000000000ull +
				 (unsigned long long)now.tv_nsec);
	}
	snprintf(path, sizeof(path), "%s/" TREE_NAME, base_path);
	setenv("SYSFS_PATH", path, 1);
}
