/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <endian.h>
#include <stdio.h>
#include <string.h>

#include "host/ident.h"

/* Link-local prefix, fe80::/64. */
#define LINK_LOCAL UINT64_C(0xfe80000000000000)
/* QUERY_HCA_CAP says 0 for tables of InfiniBand: 8 GIDs, 128 P_Keys. */
#define NB_IB_GIDS 8u
#define NB_IB_PKEYS 128u
/* As the table of RoCE addresses in the device. */
#define NB_ROCE_GIDS 32u
/* Each address of the net device has an entry for RoCE 1 and one for RoCE 2. */
#define NB_ROCE_ADDRS 2u
/* Far above what the kernel has, so that nobody mistakes it for one of its own. */
#define FIRST_IFINDEX 0x5ac000u

uint64_t
swhca_ident_guid(unsigned int index)
{
	/* A locally administered EUI-64. */
	return UINT64_C(0x0200c0fffe5a0000) + index + 1;
}

uint16_t
swhca_ident_lid(const struct swhca_conf *conf, unsigned int index)
{
	return conf->link_layer == SWHCA_LINK_ETH ? 0 : (uint16_t)(index + 1);
}

/* The GUID is made of it: ff:fe in the middle. */
void
swhca_ident_mac(unsigned int index, uint8_t mac[6])
{
	uint64_t guid = htobe64(swhca_ident_guid(index));
	uint8_t bytes[8];

	memcpy(bytes, &guid, sizeof(bytes));
	memcpy(mac, bytes, 3);
	memcpy(mac + 3, bytes + 5, 3);
}

uint32_t
swhca_ident_ifindex(unsigned int index)
{
	return FIRST_IFINDEX + index;
}

/* The devices are the functions of one card. */
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

/* ib_core: a RoCE port has a connection manager and GIDs that are IP addresses. */
uint32_t
swhca_ident_port_caps(const struct swhca_conf *conf)
{
	return conf->link_layer == SWHCA_LINK_ETH ? 1u << 16 | 1u << 26 : 0;
}

/* IBV_DEVICE_* of verbs.h: what every model has. */
uint32_t
swhca_ident_dev_caps(void)
{
	return 1u << 11 |	/* SYS_IMAGE_GUID */
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

/* ::ffff:192.0.2.N, of the net that RFC 5737 keeps for examples. */
static void
gid_ipv4(uint8_t raw[16], unsigned int index)
{
	const uint8_t tail[] = { 0xff, 0xff, 192, 0, 2, (uint8_t)(index + 1) };

	memset(raw, 0, 16);
	memcpy(raw + 16 - sizeof(tail), tail, sizeof(tail));
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
	/* RFC 4291: the universal bit of an interface id is that of the MAC address, inverted. */
	if (entry / 2 == 0)
		gid_link_local(gid->raw, swhca_ident_guid(index) ^ UINT64_C(1) << 57);
	else
		gid_ipv4(gid->raw, index);
	return true;
}

bool
swhca_ident_resolve(const struct swhca_conf *conf, const uint8_t gid[16], uint8_t mac[6])
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
