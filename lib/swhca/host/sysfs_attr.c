/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/counters.h"
#include "host/ident.h"
#include "host/sysfs.h"
#include "host/sysfs_attr.h"
#include "host/sysfs_tree.h"

/* Path of functions in the tree. */
#define FUNCTIONS "/sys/devices/pci0000:00/"

static void
guid_text(const struct swhca_sysfs_dev *dev, char *text)
{
	uint64_t guid = swhca_ident_guid(dev->index);

	snprintf(text, SWHCA_SYSFS_TEXT, "%04x:%04x:%04x:%04x\n",
		 (unsigned int)(guid >> 48) & 0xffff, (unsigned int)(guid >> 32) & 0xffff,
		 (unsigned int)(guid >> 16) & 0xffff, (unsigned int)guid & 0xffff);
}

/* Empty entries read as zero. */
static void
gid_text(const struct swhca_sysfs_dev *dev, unsigned int entry, char *text)
{
	struct swhca_gid gid = { .raw = { 0 } };
	const uint8_t *g = gid.raw;

	swhca_ident_gid(dev->conf, dev->index, entry, &gid);
	snprintf(text, SWHCA_SYSFS_TEXT,
		 "%02x%02x:%02x%02x:%02x%02x:%02x%02x:%02x%02x:%02x%02x:%02x%02x:%02x%02x\n", g[0],
		 g[1], g[2], g[3], g[4], g[5], g[6], g[7], g[8], g[9], g[10], g[11], g[12], g[13],
		 g[14], g[15]);
}

static void
lid_text(const struct swhca_sysfs_dev *dev, char *text)
{
	snprintf(text, SWHCA_SYSFS_TEXT, "0x%x\n", swhca_ident_lid(dev->conf, dev->index));
}

static void
mac_text(const struct swhca_sysfs_dev *dev, char *text)
{
	uint8_t mac[6];

	swhca_ident_mac(dev->index, mac);
	snprintf(text, SWHCA_SYSFS_TEXT, "%02x:%02x:%02x:%02x:%02x:%02x\n", mac[0], mac[1], mac[2],
		 mac[3], mac[4], mac[5]);
}

/* IBTA volume 1, 14.2.5.6, PortInfo: with the names of ib_core. */
static void
state_text(const struct swhca_sysfs_dev *dev, char *text)
{
	strcpy(text, dev->is_port_down ? "1: DOWN\n" : "4: ACTIVE\n");
}

static void
phys_state_text(const struct swhca_sysfs_dev *dev, char *text)
{
	if (!dev->is_port_down)
		strcpy(text, "5: LinkUp\n");
	else
		strcpy(text, dev->conf->link_layer == SWHCA_LINK_ETH ? "3: Disabled\n" :
								       "2: Polling\n");
}

static void
operstate_text(const struct swhca_sysfs_dev *dev, char *text)
{
	strcpy(text, dev->is_port_down ? "down\n" : "up\n");
}

static void
carrier_text(const struct swhca_sysfs_dev *dev, char *text)
{
	strcpy(text, dev->is_port_down ? "0\n" : "1\n");
}

static void
rate_text(const struct swhca_sysfs_dev *dev, char *text)
{
	uint32_t tenths = dev->rate.mbps / 100;

	if (tenths % 10 == 0)
		snprintf(text, SWHCA_SYSFS_TEXT, "%u Gb/sec (%uX %s)\n", tenths / 10,
			 dev->rate.lanes, dev->rate.name);
	else
		snprintf(text, SWHCA_SYSFS_TEXT, "%u.%u Gb/sec (%uX %s)\n", tenths / 10,
			 tenths % 10, dev->rate.lanes, dev->rate.name);
}

static void
speed_text(const struct swhca_sysfs_dev *dev, char *text)
{
	snprintf(text, SWHCA_SYSFS_TEXT, "%u\n", dev->rate.mbps);
}

static const struct attr {
	const char *name;
	void (*text)(const struct swhca_sysfs_dev *dev, char *text);
} dev_attrs[] = {
	{ "node_guid", guid_text },
	{ "sys_image_guid", guid_text },
}, port_attrs[] = {
	{ "state", state_text },
	{ "phys_state", phys_state_text },
	{ "lid", lid_text },
	{ "sm_lid", lid_text },
	{ "rate", rate_text },
}, netdev_attrs[] = {
	{ "address", mac_text },
	{ "operstate", operstate_text },
	{ "carrier", carrier_text },
	{ "speed", speed_text },
};

#define LENGTH_OF(array) (sizeof(array) / sizeof((array)[0]))

static const struct attr *
attr_find(const struct attr *attrs, size_t nb, const char *name)
{
	size_t i;

	for (i = 0; i < nb; i++) {
		if (strcmp(attrs[i].name, name) == 0)
			return &attrs[i];
	}
	return NULL;
}

static bool
attr_write(const struct swhca_sysfs_dev *dev, const struct attr *attrs, size_t nb,
	   const char *name, char *text)
{
	const struct attr *attr = attr_find(attrs, nb, name);

	if (attr != NULL)
		attr->text(dev, text);
	return attr != NULL;
}

static bool
counter_write(const struct swhca_sysfs_dev *dev, const struct swhca_counter *counters, size_t nb,
	      const char *name, char *text)
{
	const struct swhca_counter *counter = swhca_counter_find(counters, nb, name);

	if (counter != NULL)
		snprintf(text, SWHCA_SYSFS_TEXT, "%llu\n",
			 (unsigned long long)counter->value(&dev->stats));
	return counter != NULL;
}

/* Rest of a path after a prefix, or NULL. */
static const char *
behind(const char *path, const char *beginning)
{
	size_t len = strlen(beginning);

	return strncmp(path, beginning, len) == 0 ? path + len : NULL;
}

/* Parse text that is only a number. */
static bool
number_read(const char *text, unsigned int *number)
{
	char *end;

	if (text[0] < '0' || text[0] > '9')
		return false;
	*number = (unsigned int)strtoul(text, &end, 10);
	return *end == '\0';
}

static bool
port_attr(const struct swhca_sysfs_dev *dev, const char *name, char *text)
{
	const char *rest;
	unsigned int entry;

	rest = behind(name, "gids/");
	if (rest != NULL) {
		if (!number_read(rest, &entry) || entry >= swhca_ident_nb_gids(dev->conf))
			return false;
		gid_text(dev, entry, text);
		return true;
	}
	rest = behind(name, "counters/");
	if (rest != NULL)
		return counter_write(dev, swhca_port_counters, swhca_nb_port_counters, rest, text);
	rest = behind(name, "hw_counters/");
	if (rest != NULL)
		return counter_write(dev, swhca_hw_counters, swhca_nb_hw_counters, rest, text);
	return attr_write(dev, port_attrs, LENGTH_OF(port_attrs), name, text);
}

bool
swhca_sysfs_attr(const struct swhca_sysfs_dev *dev, const char *name,
		 char text[static SWHCA_SYSFS_TEXT])
{
	char ibdev[32], netdev[SWHCA_IDENT_NAME_SIZE], dir[SWHCA_IDENT_NAME_SIZE + 8];
	const char *rest, *port;

	snprintf(ibdev, sizeof(ibdev), "infiniband/mlx5_%u/", dev->index);
	rest = behind(name, ibdev);
	if (rest != NULL) {
		port = behind(rest, "ports/1/");
		return port != NULL ? port_attr(dev, port, text) :
				      attr_write(dev, dev_attrs, LENGTH_OF(dev_attrs), rest, text);
	}
	swhca_ident_netdev(dev->index, netdev);
	snprintf(dir, sizeof(dir), "net/%s/", netdev);
	rest = behind(name, dir);
	return rest != NULL &&
	       attr_write(dev, netdev_attrs, LENGTH_OF(netdev_attrs), rest, text);
}

void
swhca_sysfs_attr_create(struct swhca_tree *tree, const char *pci, unsigned int index,
			const char *format, ...)
{
	const struct swhca_sysfs_dev dev = {
		.conf = tree->conf,
		.index = index,
		.rate = swhca_port_rate_of((enum swhca_model)tree->conf->model),
	};
	char name[SWHCA_TREE_PATH], text[SWHCA_SYSFS_TEXT];
	va_list ap;

	va_start(ap, format);
	vsnprintf(name, sizeof(name), format, ap);
	va_end(ap);
	if (!swhca_sysfs_attr(&dev, name, text))
		return;
	text[strcspn(text, "\n")] = '\0';
	swhca_tree_file(tree, pci, name, "%s", text);
}

bool
swhca_sysfs_attr_may_be(const char *file)
{
	unsigned int entry;

	return number_read(file, &entry) ||
	       attr_find(dev_attrs, LENGTH_OF(dev_attrs), file) != NULL ||
	       attr_find(port_attrs, LENGTH_OF(port_attrs), file) != NULL ||
	       attr_find(netdev_attrs, LENGTH_OF(netdev_attrs), file) != NULL ||
	       swhca_counter_find(swhca_port_counters, swhca_nb_port_counters, file) != NULL ||
	       swhca_counter_find(swhca_hw_counters, swhca_nb_hw_counters, file) != NULL;
}

const char *
swhca_sysfs_attr_of_path(const char *path, unsigned int *index)
{
	const char *base = swhca_sysfs_base();
	char pci[SWHCA_IDENT_NAME_SIZE];
	const char *rest;
	unsigned int i;

	if (base[0] == '\0')
		return NULL;
	rest = behind(path, base);
	rest = rest != NULL ? behind(rest, FUNCTIONS) : NULL;
	if (rest == NULL)
		return NULL;
	for (i = 0; i < SWHCA_MAX_DEVICES; i++) {
		swhca_ident_pci(i, pci);
		if (behind(rest, pci) != NULL && rest[strlen(pci)] == '/') {
			*index = i;
			return rest + strlen(pci) + 1;
		}
	}
	return NULL;
}
