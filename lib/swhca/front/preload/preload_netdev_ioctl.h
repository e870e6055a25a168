/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_PRELOAD_NETDEV_IOCTL_H
#define SWHCA_PRELOAD_NETDEV_IOCTL_H

/**
 * @file
 * Requests of netdevice(7) for our net devices.
 */

#include <stdbool.h>

/**
 * Answer a request of any socket.
 *
 * @param ret
 *   0, or a negative errno: -EOPNOTSUPP (unsupported by these devices, or not changeable).
 * @return
 *   false if it is no such request, or not for our devices.
 */
bool swhca_netdev_ioctl(int fd, unsigned long request, void *arg, int *ret);

#endif /* SWHCA_PRELOAD_NETDEV_IOCTL_H */
