/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_IDENT_H
#define SWHCA_IDENT_H

/**
 * @file
 * Identity of the devices: numbers and names by device index. They are the same in every process,
 * except for those derived from an address on a wire (links.h): MAC, GUID, LID, GIDs.
 */

#include <stdbool.h>
#include <stdint.h>

#include "host/conf.h"

/** Maximum frame of an Ethernet port: the net device carries RDMA packets of 4096 bytes. */
#define SWHCA_NETDEV_MTU 9000u

/** Port and node GUID of a device, host byte order. */
uint64_t swhca_ident_guid(unsigned int index);

/** LID of the port; 0 on Ethernet. */
uint16_t swhca_ident_lid(const struct swhca_conf *conf, unsigned int index);

/** MAC address of an Ethernet port. */
void swhca_ident_mac(unsigned int index, uint8_t mac[6]);

/** Number of the net device of an Ethernet port; no such device exists in the kernel. */
uint32_t swhca_ident_ifindex(unsigned int index);

/** PCI address and net device, "0000:08:00.0", "enp8s0f0np0". */
#define SWHCA_IDENT_NAME_SIZE 24
void swhca_ident_pci(unsigned int index, char name[SWHCA_IDENT_NAME_SIZE]);
void swhca_ident_netdev(unsigned int index, char name[SWHCA_IDENT_NAME_SIZE]);

/** Firmware version, "28.35.1012". */
void swhca_ident_fw(const struct swhca_conf *conf, char name[SWHCA_IDENT_NAME_SIZE]);

enum swhca_gid_type {
	SWHCA_GID_IB,
	SWHCA_GID_ROCE_V1,
	SWHCA_GID_ROCE_V2,
};

struct swhca_gid {
	uint8_t raw[16];
	enum swhca_gid_type type;
};

/** Number of entries of the GID table, and of its valid entries, which come first. */
unsigned int swhca_ident_nb_gids(const struct swhca_conf *conf);
unsigned int swhca_ident_nb_used_gids(const struct swhca_conf *conf);

/** Entry of that table. @return false if it is empty or does not exist. */
bool swhca_ident_gid(const struct swhca_conf *conf, unsigned int index, unsigned int entry,
		     struct swhca_gid *gid);

/** Capability mask of the port (IBA, PortInfo). */
uint32_t swhca_ident_port_caps(const struct swhca_conf *conf);

/** Capability flags of a device (Linux, enum ib_device_cap_flags). */
uint32_t swhca_ident_dev_caps(void);

/** Size of the P_Key table; all entries except the first are empty. */
unsigned int swhca_ident_nb_pkeys(const struct swhca_conf *conf);

/**
 * Resolve a GID to a MAC address, as neighbor discovery or ARP does: of a device of this process,
 * or of any peer on the wire, if there is one.
 *
 * @return
 *   false if there is no answer.
 */
bool swhca_ident_resolve(const struct swhca_conf *conf, const uint8_t gid[16], uint8_t mac[6]);

#endif /* SWHCA_IDENT_H */
