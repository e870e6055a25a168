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

/** Additions of the kernel to the path to a RoCE peer. */
struct swhca_uroce_path {
	uint8_t mac[6];
	bool is_v2;		/**< UDP packets, which have a source port. */
};

bool swhca_uport_is_eth(const struct swhca_udev *dev);
/** Check whether the port of a device is up. An unused device is up. */
bool swhca_uport_is_up(unsigned int index);
/** Maximum MTU (IBA, PortInfo; verbs.h: IBV_MTU_*). */
uint8_t swhca_uport_mtu(const struct swhca_udev *dev);
/** Check a port number. @return 0 or -EINVAL. */
int swhca_uport_check(const struct swhca_udev *dev, uint32_t port);
/** Set the addresses of its port in the device. */
int swhca_uport_init(struct swhca_udev *dev);
/** Check the source of a path. @return 0, -EINVAL, -ENOENT (empty entry of the GID table). */
int swhca_uport_path_check(const struct swhca_udev *dev, uint8_t port, bool is_global,
			   uint8_t sgid_index);
/** Resolve the peer of a RoCE port. @return 0, -ENOENT (own entry), -EHOSTUNREACH. */
int swhca_uport_resolve(const struct swhca_udev *dev, uint8_t sgid_index, const uint8_t dgid[16],
			struct swhca_uroce_path *path);

#endif /* SWHCA_UVERBS_PORT_H */
