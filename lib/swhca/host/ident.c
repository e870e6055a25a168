/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <endian.h>
#include <stdio.h>
#include <string.h>

#include "include/gid.h"
#include "host/ident.h"
#include "host/links.h"
#include "host/wire_conf.h"

/* Link-local prefix, fe80::/64. */
#define LINK_LOCAL UINT64_C(0xfe80000000000000)
/* RFC 4291: the bit of an interface id is the inverted bit of the MAC address. */
#define UNIVERSAL_BIT (UINT64_C(1) << 57)
/* QUERY_HCA_CAP returns 0 for InfiniBand tables: 8 GIDs, 128 P_Keys. */
#define NB_IB_GIDS 8u
#define NB_IB_PKEYS 128u
/* As the table of RoCE addresses in the device. */
#define NB_ROCE_GIDS 32u
/* Each address of the net device has an entry for RoCE 1 and one for RoCE 2. */
#define NB_ROCE_ADDRS 2u
/* Far above interface numbers of the kernel, to avoid confusion. */
#define FIRST_IFINDEX 0x5ac000u

/* MAC address of a device without a wire. */
static void
mac_make(unsigned int index, uint8_t mac[6])
{
	const uint8_t bytes[6] = { 0x02, 0x00, 0xc0, 0x5a, 0x00, (uint8_t)(index + 1) };

	memcpy(mac, bytes, sizeof(bytes));
}

void
swhca_ident_mac(unsigned int index, uint8_t mac[6])
{
	struct swhca_link_addr addr;

	if (swhca_links_addr(index, &addr))
		memcpy(mac, addr.mac, sizeof(addr.mac));
	else
		mac_make(index, mac);
}

/* EUI-64 of the MAC address: ff:fe in the middle. */
uint64_t
swhca_ident_guid(unsigned int index)
{
	uint8_t mac[6];

	swhca_ident_mac(index, mac);
	return (uint64_t)mac[0] << 56 | (uint64_t)mac[1] << 48 | (uint64_t)mac[2] << 40 |
	       UINT64_C(0xfffe) << 24 | (uint64_t)mac[3] << 16 | (uint64_t)mac[4] << 8 | mac[5];
}

uint16_t
swhca_ident_lid(const struct swhca_conf *conf, unsigned int index)
{
	struct swhca_link_addr addr;

	if (conf->link_layer == SWHCA_LINK_ETH)
		return 0;
	return swhca_links_addr(index, &addr) ? addr.lid : (uint16_t)(index + 1);
}

uint32_t
swhca_ident_ifindex(unsigned int index)
{
	return FIRST_IFINDEX + index;
}

/* The devices are functions of one card. */
void
swhca_ident_pci(unsigned int index, char name[SWHCA_IDENT_NAME_SIZE])
{
	snprintf(name, SWHCA_IDENT_NAME_SIZE, "0000:08:00.%u", index % SWHCA_MAX_DEVICES);
}

/* systemd.net-naming-scheme(7) */
void
swhca_ident_netdev(unsigned int index, char name[SWHCA_IDENT_NAME_SIZE])
{
	snprintf(name, SWHCA_IDENT_NAME_SIZE, "enp8s0f%unp%u", index % SWHCA_MAX_DEVICES,
		 index % SWHCA_MAX_DEVICES);
}

void
swhca_ident_fw(const struct swhca_conf *conf, char name[SWHCA_IDENT_NAME_SIZE])
{
	const struct swhca_model_info *info = swhca_model_info_get(conf->model);

	snprintf(name, SWHCA_IDENT_NAME_SIZE, "%u.%u.%04u", info->fw.major, info->fw.minor,
		 info->fw.subminor);
}

unsigned int
swhca_ident_nb_gids(const struct swhca_conf *conf)
{
	return conf->link_layer == SWHCA_LINK_ETH ? NB_ROCE_GIDS : NB_IB_GIDS;
}

unsigned int
swhca_ident_nb_used_gids(const struct swhca_conf *conf)
{
	return conf->link_layer == SWHCA_LINK_ETH ? 2 * NB_ROCE_ADDRS : 1;
}

unsigned int
swhca_ident_nb_pkeys(const struct swhca_conf *conf)
{
	return conf->link_layer == SWHCA_LINK_ETH ? 1 : NB_IB_PKEYS;
}

/*
 * PortInfo:CapabilityMask. ib_core: a RoCE port has a connection manager and GIDs that are IP
 * addresses; on InfiniBand adapters report their own capabilities, and ib_cm adds itself.
 */
uint32_t
swhca_ident_port_caps(const struct swhca_conf *conf)
{
	const uint32_t cm = 1u << 16;

	if (conf->link_layer == SWHCA_LINK_ETH)
		return cm | 1u << 26;
	return cm | 1u << 11 |	/* IsSystemImageGUIDSupported */
	       1u << 14 |	/* IsExtendedSpeedsSupported */
	       1u << 25;	/* IsClientReregistrationSupported */
}

/* IBV_DEVICE_* of verbs.h, for every model. */
uint32_t
swhca_ident_dev_caps(void)
{
	return 1u << 5 |	/* CHANGE_PHY_PORT */
	       1u << 10 |	/* PORT_ACTIVE_EVENT */
	       1u << 11 |	/* SYS_IMAGE_GUID */
	       1u << 12 |	/* RC_RNR_NAK_GEN */
	       1u << 17 |	/* MEM_WINDOW */
	       1u << 20 |	/* XRC */
	       1u << 21 |	/* MEM_MGT_EXTENSIONS */
	       1u << 24;	/* MEM_WINDOW_TYPE_2B */
}

static void
gid_link_local(uint8_t raw[16], uint64_t interface_id)
{
	uint64_t words[2] = { htobe64(LINK_LOCAL), htobe64(interface_id) };

	memcpy(raw, words, sizeof(words));
}

/* ::ffff:192.0.2.N, of the net reserved for documentation by RFC 5737. */
static void
gid_ipv4(uint8_t raw[16], unsigned int index)
{
	const uint8_t tail[] = { 0xff, 0xff, 192, 0, 2, (uint8_t)(index + 1) };

	memset(raw, 0, 16);
	memcpy(raw + 16 - sizeof(tail), tail, sizeof(tail));
}

/* Address of the port: that of its link, or a substitute. */
static void
gid_addr(uint8_t raw[16], unsigned int index)
{
	struct swhca_link_addr addr;

	if (swhca_links_addr(index, &addr))
		memcpy(raw, addr.gid, sizeof(addr.gid));
	else
		gid_ipv4(raw, index);
}

bool
swhca_ident_gid(const struct swhca_conf *conf, unsigned int index, unsigned int entry,
		struct swhca_gid *gid)
{
	if (entry >= swhca_ident_nb_used_gids(conf))
		return false;
	if (conf->link_layer == SWHCA_LINK_IB) {
		gid->type = SWHCA_GID_IB;
		gid_link_local(gid->raw, swhca_ident_guid(index));
		return true;
	}
	gid->type = entry % 2 == 0 ? SWHCA_GID_ROCE_V1 : SWHCA_GID_ROCE_V2;
	if (entry / 2 == 0)
		gid_link_local(gid->raw, swhca_ident_guid(index) ^ UNIVERSAL_BIT);
	else
		gid_addr(gid->raw, index);
	return true;
}

static bool
own_resolve(const struct swhca_conf *conf, const uint8_t gid[16], uint8_t mac[6])
{
	struct swhca_gid entry;
	unsigned int i, j;

	for (i = 0; i < conf->nb_devices; i++) {
		for (j = 0; swhca_ident_gid(conf, i, j, &entry); j++) {
			if (memcmp(entry.raw, gid, sizeof(entry.raw)) == 0) {
				swhca_ident_mac(i, mac);
				return true;
			}
		}
	}
	return false;
}

bool
swhca_ident_resolve(const struct swhca_conf *conf, const uint8_t gid[16], uint8_t mac[6])
{
	if (own_resolve(conf, gid, mac))
		return true;
	if (!swhca_wire_has_links(conf) || swhca_gid_is_multicast(gid))
		return false;
	swhca_gid_mac(gid, mac);
	return true;
}
