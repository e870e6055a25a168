/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_LINKS_H
#define SWHCA_LINKS_H

/**
 * @file
 * Links of this process, one for each device: what the option --wire names. A link is opened, and
 * with it an address claimed, when somebody first looks at the device: lists it, reads its
 * addresses, opens it. The address is the same until the process ends; a child of fork(2) has
 * others.
 *
 * Thread safe.
 */

#include <stdbool.h>
#include <stdint.h>

#include "host/conf.h"

struct swhca_hca;

/** Where a device is on the wire. */
struct swhca_link_addr {
	uint8_t gid[16];
	uint8_t mac[6];
	uint16_t lid;
	uint32_t path_mtu;	/**< Largest that it carries, at least 256. */
};

/** This process has devices, with links if the configuration says so. It is borrowed. */
void swhca_links_start(const struct swhca_conf *conf);

/**
 * Find the address of a device, which may be claimed now.
 *
 * @return
 *   false if it has none: its port is in no link, or that could not be opened, which was logged.
 */
bool swhca_links_addr(unsigned int index, struct swhca_link_addr *addr);

/**
 * Plug the port of a device into its link, if it is to have one.
 *
 * @return
 *   0, or a negative errno: of swhca_link_open() or swhca_hca_set_link(), or -EADDRNOTAVAIL (the
 *   address has no LID, which a port of InfiniBand needs).
 */
int swhca_links_plug(unsigned int index, struct swhca_hca *hca);

#endif /* SWHCA_LINKS_H */
