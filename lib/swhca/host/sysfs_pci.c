/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * PCI functions and net devices in sysfs (Linux: Documentation/ABI/testing/sysfs-bus-pci,
 * sysfs-class-net). The net device is only a name and an address, unknown to the kernel.
 */

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "host/ident.h"
#include "host/sysfs_attr.h"
#include "host/sysfs_pci.h"
#include "host/sysfs_rdma.h"

/* PCI class codes (pci.ids): network controller, subclasses Ethernet and InfiniBand. */
#define CLASS_ETHERNET	0x020000u
#define CLASS_INFINIBAND 0x020700u

/* BAR 0, 64 bits, prefetchable (linux/ioport.h: IORESOURCE_*). A function has 32 MiB. */
#define BAR_FIRST	UINT64_C(0x20000000000)
#define BAR_SIZE	UINT64_C(0x2000000)
#define BAR_FLAGS	0x14220cu
/* Lines of "resource": 6 BARs, ROM, 6 of SR-IOV. */
#define NB_RESOURCES	13u

#define FUNCTION_FORMAT "devices/pci0000:00/%s"

static unsigned int
class_code(const struct swhca_tree *tree)
{
	return tree->conf->link_layer == SWHCA_LINK_ETH ? CLASS_ETHERNET : CLASS_INFINIBAND;
}

static void
put16(uint8_t *bytes, uint16_t value)
{
	bytes[0] = (uint8_t)value;
	bytes[1] = (uint8_t)(value >> 8);
}

/* The standard header of configuration space (PCI 3.0, 6.1); no capabilities. */
static void
config_create(struct swhca_tree *tree, const char *pci, unsigned int index)
{
	const struct swhca_model_info *info = swhca_model_info_get(tree->conf->model);
	uint64_t bar = BAR_FIRST + index * BAR_SIZE;
	uint8_t config[64] = { 0 };

	put16(&config[0x00], SWHCA_PCI_VENDOR);
	put16(&config[0x02], info->pci_device);
	put16(&config[0x04], 0x0006);	/* memory space, bus master */
	put16(&config[0x0a], (uint16_t)(class_code(tree) >> 8));
	config[0x0e] = 0x80;		/* several functions */
	put16(&config[0x10], (uint16_t)bar | 0xc);
	put16(&config[0x12], (uint16_t)(bar >> 16));
	put16(&config[0x14], (uint16_t)(bar >> 32));
	put16(&config[0x16], (uint16_t)(bar >> 48));
	put16(&config[0x2c], SWHCA_PCI_VENDOR);
	put16(&config[0x2e], info->pci_subsystem);
	swhca_tree_bytes(tree, pci, "config", config, sizeof(config));
}

static void
resources_create(struct swhca_tree *tree, const char *pci, unsigned int index)
{
	uint64_t bar = BAR_FIRST + index * BAR_SIZE;
	char text[NB_RESOURCES * 64];
	size_t len;
	unsigned int i;

	len = (size_t)snprintf(text, sizeof(text), "0x%016llx 0x%016llx 0x%016x",
			       (unsigned long long)bar, (unsigned long long)(bar + BAR_SIZE - 1),
			       BAR_FLAGS);
	for (i = 1; i < NB_RESOURCES; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len,
					"\n0x%016x 0x%016x 0x%016x", 0u, 0u, 0u);
	swhca_tree_file(tree, pci, "resource", "%s", text);
}

static void
ids_create(struct swhca_tree *tree, const char *pci, const char *slot)
{
	const struct swhca_model_info *info = swhca_model_info_get(tree->conf->model);
	unsigned int class = class_code(tree);
	char alias[96];

	snprintf(alias, sizeof(alias), "pci:v%08Xd%08Xsv%08Xsd%08Xbc%02Xsc%02Xi%02X",
		 SWHCA_PCI_VENDOR, info->pci_device, SWHCA_PCI_VENDOR, info->pci_subsystem,
		 class >> 16, class >> 8 & 0xff, class & 0xff);
	swhca_tree_file(tree, pci, "vendor", "0x%04x", SWHCA_PCI_VENDOR);
	swhca_tree_file(tree, pci, "device", "0x%04x", info->pci_device);
	swhca_tree_file(tree, pci, "subsystem_vendor", "0x%04x", SWHCA_PCI_VENDOR);
	swhca_tree_file(tree, pci, "subsystem_device", "0x%04x", info->pci_subsystem);
	swhca_tree_file(tree, pci, "class", "0x%06x", class);
	swhca_tree_file(tree, pci, "revision", "0x00");
	swhca_tree_file(tree, pci, "modalias", "%s", alias);
	swhca_tree_file(tree, pci, "uevent",
			"DRIVER=mlx5_core\nPCI_CLASS=%X\nPCI_ID=%04X:%04X\n"
			"PCI_SUBSYS_ID=%04X:%04X\nPCI_SLOT_NAME=%s\nMODALIAS=%s",
			class, SWHCA_PCI_VENDOR, info->pci_device, SWHCA_PCI_VENDOR,
			info->pci_subsystem, slot, alias);
}

static void
netdev_create(struct swhca_tree *tree, const char *pci, unsigned int index)
{
	char name[SWHCA_IDENT_NAME_SIZE], dir[SWHCA_TREE_PATH - 64], target[SWHCA_TREE_PATH];
	static const char *const attrs[] = { "address", "operstate", "carrier", "speed" };
	size_t i;

	swhca_ident_netdev(index, name);
	snprintf(dir, sizeof(dir), "%s/net/%s", pci, name);
	swhca_tree_mkdir(tree, "%s/net", pci);
	swhca_tree_mkdir(tree, "%s", dir);
	swhca_tree_symlink(tree, "../..", "%s/device", dir);
	swhca_tree_symlink(tree, "../../../../../class/net", "%s/subsystem", dir);
	for (i = 0; i < sizeof(attrs) / sizeof(attrs[0]); i++)
		swhca_sysfs_attr_create(tree, pci, index, "net/%s/%s", name, attrs[i]);
	swhca_tree_file(tree, dir, "ifindex", "%u", swhca_ident_ifindex(index));
	swhca_tree_file(tree, dir, "iflink", "%u", swhca_ident_ifindex(index));
	swhca_tree_file(tree, dir, "mtu", "%u", SWHCA_NETDEV_MTU);
	swhca_tree_file(tree, dir, "type", "1");
	swhca_tree_file(tree, dir, "flags", "0x1003");
	swhca_tree_file(tree, dir, "duplex", "full");
	swhca_tree_file(tree, dir, "dev_id", "0x0");
	swhca_tree_file(tree, dir, "dev_port", "0");
	swhca_tree_file(tree, dir, "phys_port_name", "p%u", index);
	swhca_tree_file(tree, dir, "uevent", "INTERFACE=%s\nIFINDEX=%u", name,
			swhca_ident_ifindex(index));
	snprintf(target, sizeof(target), "../../%s", dir);
	swhca_tree_symlink(tree, target, "class/net/%s", name);
}

/* NUMA node of the devices: the first node of this machine, if it has nodes. */
static int
numa_node(void)
{
	return access("/sys/devices/system/node/node0", F_OK) == 0 ? 0 : -1;
}

void
swhca_sysfs_pci_create(struct swhca_tree *tree, unsigned int index)
{
	char slot[SWHCA_IDENT_NAME_SIZE], pci[SWHCA_TREE_PATH - 192], target[SWHCA_TREE_PATH];

	swhca_ident_pci(index, slot);
	snprintf(pci, sizeof(pci), FUNCTION_FORMAT, slot);
	swhca_tree_mkdir(tree, "%s", pci);
	ids_create(tree, pci, slot);
	config_create(tree, pci, index);
	resources_create(tree, pci, index);
	swhca_tree_file(tree, pci, "numa_node", "%d", numa_node());
	swhca_tree_file(tree, pci, "max_vfs", "0");
	swhca_tree_file(tree, pci, "sriov_totalvfs", "0");
	swhca_tree_file(tree, pci, "sriov_numvfs", "0");
	swhca_tree_file(tree, pci, "enable", "1");
	swhca_tree_file(tree, pci, "irq", "0");
	swhca_tree_file(tree, pci, "current_link_speed", "16.0 GT/s PCIe");
	swhca_tree_file(tree, pci, "current_link_width", "16");
	swhca_tree_symlink(tree, "../../../bus/pci/drivers/mlx5_core", "%s/driver", pci);
	swhca_tree_symlink(tree, "../../../bus/pci", "%s/subsystem", pci);
	swhca_sysfs_rdma_create(tree, pci, index);
	if (tree->conf->link_layer == SWHCA_LINK_ETH)
		netdev_create(tree, pci, index);
	snprintf(target, sizeof(target), "../../../%s", pci);
	swhca_tree_symlink(tree, target, "bus/pci/devices/%s", slot);
	snprintf(target, sizeof(target), "../../../../%s", pci);
	swhca_tree_symlink(tree, target, "bus/pci/drivers/mlx5_core/%s", slot);
}

void
swhca_sysfs_dev_remove(struct swhca_tree *tree, unsigned int index)
{
	char slot[SWHCA_IDENT_NAME_SIZE], netdev[SWHCA_IDENT_NAME_SIZE];
	char paths[5][SWHCA_TREE_PATH];
	size_t i;

	swhca_ident_pci(index, slot);
	swhca_ident_netdev(index, netdev);
	snprintf(paths[0], sizeof(paths[0]), "class/infiniband/mlx5_%u", index);
	snprintf(paths[1], sizeof(paths[1]), "class/infiniband_verbs/uverbs%u", index);
	snprintf(paths[2], sizeof(paths[2]), "class/net/%s", netdev);
	snprintf(paths[3], sizeof(paths[3]), "bus/pci/devices/%s", slot);
	snprintf(paths[4], sizeof(paths[4]), "bus/pci/drivers/mlx5_core/%s", slot);
	/* A missing file is fine. */
	for (i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		unlinkat(tree->dirfd, paths[i], 0);
}
