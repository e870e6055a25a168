/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * RDMA devices in sysfs, as ib_core and mlx5_ib show them (Linux: drivers/infiniband/core/sysfs.c,
 * Documentation/ABI/stable/sysfs-class-infiniband).
 */

#include <stdio.h>
#include <unistd.h>

#include "host/ident.h"
#include "host/sysfs.h"
#include "host/sysfs_rdma.h"
#include "host/sysfs_tree.h"

static bool
is_eth(const struct swhca_tree *tree)
{
	return tree->conf->link_layer == SWHCA_LINK_ETH;
}

/* Entries that are empty read as zero, and their attributes as an error: those are not there. */
static void
gids_create(struct swhca_tree *tree, const char *port, unsigned int index)
{
	static const char *const types[] = {
		[SWHCA_GID_IB] = "IB/RoCE v1",
		[SWHCA_GID_ROCE_V1] = "IB/RoCE v1",
		[SWHCA_GID_ROCE_V2] = "RoCE v2",
	};
	char gids[SWHCA_TREE_PATH - 32], attr[SWHCA_TREE_PATH - 16], name[16];
	char netdev[SWHCA_IDENT_NAME_SIZE];
	unsigned int i;

	snprintf(gids, sizeof(gids), "%s/gids", port);
	swhca_tree_mkdir(tree, "%s", gids);
	swhca_tree_mkdir(tree, "%s/gid_attrs", port);
	swhca_tree_mkdir(tree, "%s/gid_attrs/types", port);
	swhca_tree_mkdir(tree, "%s/gid_attrs/ndevs", port);
	swhca_ident_netdev(index, netdev);
	for (i = 0; i < swhca_ident_nb_gids(tree->conf); i++) {
		struct swhca_gid gid = { .raw = { 0 } };
		bool is_used = swhca_ident_gid(tree->conf, index, i, &gid);
		const uint8_t *g = gid.raw;

		snprintf(name, sizeof(name), "%u", i);
		swhca_tree_file(tree, gids, name,
				"%02x%02x:%02x%02x:%02x%02x:%02x%02x:%02x%02x:%02x%02x:%02x%02x:"
				"%02x%02x", g[0], g[1], g[2], g[3], g[4], g[5], g[6], g[7], g[8],
				g[9], g[10], g[11], g[12], g[13], g[14], g[15]);
		if (!is_used)
			continue;
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

/*
 * Counters of the physical port: the devices are functions of one card, and no packet of theirs
 * leaves it, so on an adapter these stay 0, too. Those of queues (hw_counters) would not.
 */
static void
counters_create(struct swhca_tree *tree, const char *port)
{
	static const char *const names[] = {
		"symbol_error", "link_error_recovery", "link_downed", "port_rcv_errors",
		"port_rcv_remote_physical_errors", "port_rcv_switch_relay_errors",
		"port_xmit_discards", "port_xmit_constraint_errors", "port_rcv_constraint_errors",
		"local_link_integrity_errors", "excessive_buffer_overrun_errors", "VL15_dropped",
		"port_xmit_data", "port_rcv_data", "port_xmit_packets", "port_rcv_packets",
		"port_xmit_wait", "unicast_xmit_packets", "unicast_rcv_packets",
		"multicast_xmit_packets", "multicast_rcv_packets",
	};
	char dir[SWHCA_TREE_PATH - 48];
	size_t i;

	snprintf(dir, sizeof(dir), "%s/counters", port);
	swhca_tree_mkdir(tree, "%s", dir);
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		swhca_tree_file(tree, dir, names[i], "0");
}

static void
port_create(struct swhca_tree *tree, const char *ibdev, unsigned int index)
{
	const struct swhca_model_info *info = swhca_model_info_get(tree->conf->model);
	uint16_t lid = swhca_ident_lid(tree->conf, index);
	char port[SWHCA_TREE_PATH - 64];

	snprintf(port, sizeof(port), "%s/ports/1", ibdev);
	swhca_tree_mkdir(tree, "%s/ports", ibdev);
	swhca_tree_mkdir(tree, "%s", port);
	swhca_tree_file(tree, port, "state", "4: ACTIVE");
	swhca_tree_file(tree, port, "phys_state", "5: LinkUp");
	swhca_tree_file(tree, port, "link_layer", "%s", is_eth(tree) ? "Ethernet" : "InfiniBand");
	swhca_tree_file(tree, port, "rate", "%u Gb/sec (4X %s)", info->port.gbps,
			info->port.name);
	swhca_tree_file(tree, port, "lid", "0x%x", lid);
	swhca_tree_file(tree, port, "lid_mask_count", "0");
	swhca_tree_file(tree, port, "sm_lid", "0x%x", lid);
	swhca_tree_file(tree, port, "sm_sl", "0");
	swhca_tree_file(tree, port, "cap_mask", "0x%08x", swhca_ident_port_caps(tree->conf));
	counters_create(tree, port);
	gids_create(tree, port, index);
	pkeys_create(tree, port);
}

static void
ibdev_create(struct swhca_tree *tree, const char *pci, unsigned int index)
{
	const struct swhca_model_info *info = swhca_model_info_get(tree->conf->model);
	char dir[SWHCA_TREE_PATH - 96], target[SWHCA_TREE_PATH], host[64] = "";
	char fw[SWHCA_IDENT_NAME_SIZE];
	uint64_t guid = swhca_ident_guid(index);
	static const char *const guids[] = { "node_guid", "sys_image_guid" };
	unsigned int i;

	snprintf(dir, sizeof(dir), "%s/infiniband/mlx5_%u", pci, index);
	swhca_tree_mkdir(tree, "%s/infiniband", pci);
	swhca_tree_mkdir(tree, "%s", dir);
	swhca_tree_symlink(tree, "../..", "%s/device", dir);
	swhca_tree_symlink(tree, "../../../../../class/infiniband", "%s/subsystem", dir);
	for (i = 0; i < 2; i++)
		swhca_tree_file(tree, dir, guids[i], "%04x:%04x:%04x:%04x",
				(unsigned int)(guid >> 48) & 0xffff,
				(unsigned int)(guid >> 32) & 0xffff,
				(unsigned int)(guid >> 16) & 0xffff, (unsigned int)guid & 0xffff);
	swhca_tree_file(tree, dir, "node_type", "1: CA");
	gethostname(host, sizeof(host) - 1);
	swhca_tree_file(tree, dir, "node_desc", "%s mlx5_%u", host, index);
	swhca_ident_fw(tree->conf, fw);
	swhca_tree_file(tree, dir, "fw_ver", "%s", fw);
	swhca_tree_file(tree, dir, "hca_type", "MT%u", info->pci_device);
	swhca_tree_file(tree, dir, "hw_rev", "0");
	swhca_tree_file(tree, dir, "board_id", "SWH000000%u", info->pci_device);
	swhca_tree_file(tree, dir, "uevent", "NAME=mlx5_%u", index);
	port_create(tree, dir, index);
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
