/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_LINKS_H
#define SWHCA_LINKS_H

/**
 * @file
 * Links of this process, one per device, from the option --wire. A link is opened, and an address
 * claimed, when the device is first used: listed, queried for its addresses, or opened. The address
 * does not change until the process ends; a child of fork(2) has others.
 *
 * Thread safe.
 */

#include <stdbool.h>
#include <stdint.h>

#include "host/conf.h"

struct swhca_hca;

/** Address of a device on the wire. */
struct swhca_link_addr {
	uint8_t gid[16];
	uint8_t mac[6];
	uint16_t lid;
	uint32_t path_mtu;	/**< Maximum path MTU, at least 256. */
};

/** Start the devices of this process, with links if configured. conf is borrowed. */
void swhca_links_start(const struct swhca_conf *conf);

/**
 * Get the address of a device, which may be claimed now.
 *
 * @return
 *   false if it has none: its port has no link, or opening it failed, which was logged.
 */
bool swhca_links_addr(unsigned int index, struct swhca_link_addr *addr);

/**
 * Attach the port of a device to its link, if it has one.
 *
 * @return
 *   0, or a negative errno: of swhca_link_open() or swhca_hca_set_link(), or -EADDRNOTAVAIL (the
 *   address has no LID, which a port of InfiniBand needs).
 */
int swhca_links_plug(unsigned int index, struct swhca_hca *hca);

#endif /* SWHCA_LINKS_H */
