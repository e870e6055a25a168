/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * RDMA devices in sysfs, as shown by ib_core and mlx5_ib (Linux: drivers/infiniband/core/sysfs.c,
 * Documentation/ABI/stable/sysfs-class-infiniband).
 */

#include <stdio.h>
#include <unistd.h>

#include "host/counters.h"
#include "host/ident.h"
#include "host/sysfs.h"
#include "host/sysfs_attr.h"
#include "host/sysfs_rdma.h"
#include "host/sysfs_tree.h"

static bool
is_eth(const struct swhca_tree *tree)
{
	return tree->conf->link_layer == SWHCA_LINK_ETH;
}

/* Attributes of empty entries fail to read: their files are missing here. */
static void
gids_create(struct swhca_tree *tree, const char *pci, const char *port, unsigned int index)
{
	static const char *const types[] = {
		[SWHCA_GID_IB] = "IB/RoCE v1",
		[SWHCA_GID_ROCE_V1] = "IB/RoCE v1",
		[SWHCA_GID_ROCE_V2] = "RoCE v2",
	};
	char attr[SWHCA_TREE_PATH - 16], name[16], netdev[SWHCA_IDENT_NAME_SIZE];
	struct swhca_gid gid;
	unsigned int i;

	swhca_tree_mkdir(tree, "%s/gids", port);
	swhca_tree_mkdir(tree, "%s/gid_attrs", port);
	swhca_tree_mkdir(tree, "%s/gid_attrs/types", port);
	swhca_tree_mkdir(tree, "%s/gid_attrs/ndevs", port);
	swhca_ident_netdev(index, netdev);
	for (i = 0; i < swhca_ident_nb_gids(tree->conf); i++) {
		swhca_sysfs_attr_create(tree, pci, index, "infiniband/mlx5_%u/ports/1/gids/%u",
					index, i);
		if (!swhca_ident_gid(tree->conf, index, i, &gid))
			continue;
		snprintf(name, sizeof(name), "%u", i);
		snprintf(attr, sizeof(attr), "%s/gid_attrs/types", port);
		swhca_tree_file(tree, attr, name, "%s", types[gid.type]);
		if (!is_eth(tree))
			continue;
		snprintf(attr, sizeof(attr), "%s/gid_attrs/ndevs", port);
		swhca_tree_file(tree, attr, name, "%s", netdev);
	}
}

static void
pkeys_create(struct swhca_tree *tree, const char *port)
{
	char dir[SWHCA_TREE_PATH - 16], name[16];
	unsigned int i;

	snprintf(dir, sizeof(dir), "%s/pkeys", port);
	swhca_tree_mkdir(tree, "%s", dir);
	for (i = 0; i < swhca_ident_nb_pkeys(tree->conf); i++) {
		snprintf(name, sizeof(name), "%u", i);
		swhca_tree_file(tree, dir, name, "0x%04x", i == 0 ? 0xffffu : 0u);
	}
}

static void
counters_create(struct swhca_tree *tree, const char *pci, const char *port, unsigned int index)
{
	size_t i;

	swhca_tree_mkdir(tree, "%s/counters", port);
	for (i = 0; i < swhca_nb_port_counters; i++)
		swhca_sysfs_attr_create(tree, pci, index, "infiniband/mlx5_%u/ports/1/counters/%s",
					index, swhca_port_counters[i].name);
	swhca_tree_mkdir(tree, "%s/hw_counters", port);
	for (i = 0; i < swhca_nb_hw_counters; i++)
		swhca_sysfs_attr_create(tree, pci, index,
					"infiniband/mlx5_%u/ports/1/hw_counters/%s", index,
					swhca_hw_counters[i].name);
}

static void
port_create(struct swhca_tree *tree, const char *pci, const char *ibdev, unsigned int index)
{
	static const char *const attrs[] = { "state", "phys_state", "lid", "sm_lid",
					     "rate" };
	char port[SWHCA_TREE_PATH - 64];
	size_t i;

	snprintf(port, sizeof(port), "%s/ports/1", ibdev);
	swhca_tree_mkdir(tree, "%s/ports", ibdev);
	swhca_tree_mkdir(tree, "%s", port);
	for (i = 0; i < sizeof(attrs) / sizeof(attrs[0]); i++)
		swhca_sysfs_attr_create(tree, pci, index, "infiniband/mlx5_%u/ports/1/%s", index,
					attrs[i]);
	swhca_tree_file(tree, port, "link_layer", "%s", is_eth(tree) ? "Ethernet" : "InfiniBand");
	swhca_tree_file(tree, port, "lid_mask_count", "0");
	swhca_tree_file(tree, port, "sm_sl", "0");
	swhca_tree_file(tree, port, "cap_mask", "0x%08x", swhca_ident_port_caps(tree->conf));
	counters_create(tree, pci, port, index);
	gids_create(tree, pci, port, index);
	pkeys_create(tree, port);
}

static void
ibdev_create(struct swhca_tree *tree, const char *pci, unsigned int index)
{
	const struct swhca_model_info *info = swhca_model_info_get(tree->conf->model);
	char dir[SWHCA_TREE_PATH - 96], target[SWHCA_TREE_PATH], host[64] = "";
	char fw[SWHCA_IDENT_NAME_SIZE];

	snprintf(dir, sizeof(dir), "%s/infiniband/mlx5_%u", pci, index);
	swhca_tree_mkdir(tree, "%s/infiniband", pci);
	swhca_tree_mkdir(tree, "%s", dir);
	swhca_tree_symlink(tree, "../..", "%s/device", dir);
	swhca_tree_symlink(tree, "../../../../../class/infiniband", "%s/subsystem", dir);
	swhca_sysfs_attr_create(tree, pci, index, "infiniband/mlx5_%u/node_guid", index);
	swhca_sysfs_attr_create(tree, pci, index, "infiniband/mlx5_%u/sys_image_guid", index);
	swhca_tree_file(tree, dir, "node_type", "1: CA");
	gethostname(host, sizeof(host) - 1);
	swhca_tree_file(tree, dir, "node_desc", "%s mlx5_%u", host, index);
	swhca_ident_fw(tree->conf, fw);
	swhca_tree_file(tree, dir, "fw_ver", "%s", fw);
	swhca_tree_file(tree, dir, "hca_type", "MT%u", info->pci_device);
	swhca_tree_file(tree, dir, "hw_rev", "0");
	swhca_tree_file(tree, dir, "board_id", "SWH_%s", info->name);
	swhca_tree_file(tree, dir, "uevent", "NAME=mlx5_%u", index);
	port_create(tree, pci, dir, index);
	snprintf(target, sizeof(target), "../../%s", dir);
	swhca_tree_symlink(tree, target, "class/infiniband/mlx5_%u", index);
}

static void
uverbs_create(struct swhca_tree *tree, const char *pci, unsigned int index)
{
	char dir[SWHCA_TREE_PATH - 96], target[SWHCA_TREE_PATH];

	snprintf(dir, sizeof(dir), "%s/infiniband_verbs/uverbs%u", pci, index);
	swhca_tree_mkdir(tree, "%s/infiniband_verbs", pci);
	swhca_tree_mkdir(tree, "%s", dir);
	swhca_tree_symlink(tree, "../..", "%s/device", dir);
	swhca_tree_symlink(tree, "../../../../../class/infiniband_verbs", "%s/subsystem", dir);
	swhca_tree_file(tree, dir, "ibdev", "mlx5_%u", index);
	swhca_tree_file(tree, dir, "dev", "%u:%u", SWHCA_UVERBS_MAJOR,
			SWHCA_UVERBS_BASE_MINOR + index);
	swhca_tree_file(tree, dir, "abi_version", "%u", SWHCA_UVERBS_DRIVER_ABI);
	swhca_tree_file(tree, dir, "uevent", "MAJOR=%u\nMINOR=%u\nDEVNAME=infiniband/uverbs%u",
			SWHCA_UVERBS_MAJOR, SWHCA_UVERBS_BASE_MINOR + index, index);
	snprintf(target, sizeof(target), "../../%s", dir);
	swhca_tree_symlink(tree, target, "class/infiniband_verbs/uverbs%u", index);
}

void
swhca_sysfs_rdma_create(struct swhca_tree *tree, const char *pci, unsigned int index)
{
	ibdev_create(tree, pci, index);
	uverbs_create(tree, pci, index);
}
