/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UVERBS_PORT_H
#define SWHCA_UVERBS_PORT_H

/**
 * @file
 * Ports of a device and their addresses.
 */

#include <stdbool.h>
#include <stdint.h>

struct swhca_udev;

/** What the kernel adds to the path to a RoCE peer. */
struct swhca_uroce_path {
	uint8_t mac[6];
	bool is_v2;		/**< UDP packets, which have a source port. */
};

bool swhca_uport_is_eth(const struct swhca_udev *dev);
/** Is the port of a device up? That of one which nobody has got yet is. */
bool swhca_uport_is_up(unsigned int index);
/** Largest packets that it carries (IBA, PortInfo; verbs.h: IBV_MTU_*). */
uint8_t swhca_uport_mtu(const struct swhca_udev *dev);
/** Is there such a port? @return 0 or -EINVAL. */
int swhca_uport_check(const struct swhca_udev *dev, uint32_t port);
/** Give the device the addresses of its port. */
int swhca_uport_init(struct swhca_udev *dev);
/** May a path begin so? @return 0, -EINVAL, -ENOENT (empty entry of the GID table). */
int swhca_uport_path_check(const struct swhca_udev *dev, uint8_t port, bool is_global,
			   uint8_t sgid_index);
/** Find the peer of a RoCE port. @return 0, -ENOENT (own entry), -EHOSTUNREACH. */
int swhca_uport_resolve(const struct swhca_udev *dev, uint8_t sgid_index, const uint8_t dgid[16],
			struct swhca_uroce_path *path);

#endif /* SWHCA_UVERBS_PORT_H */
