/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_PRELOAD_NETDEV_IOCTL_H
#define SWHCA_PRELOAD_NETDEV_IOCTL_H

/**
 * @file
 * Requests of netdevice(7) that name one of our net devices.
 */

#include <stdbool.h>

/**
 * Answer one, of any socket.
 *
 * @param ret
 *   0, or a negative errno: -EOPNOTSUPP (what these devices do not have, or do not let one change).
 * @return
 *   false if it is none, or not about a device of ours.
 */
bool swhca_netdev_ioctl(int fd, unsigned long request, void *arg, int *ret);

#endif /* SWHCA_PRELOAD_NETDEV_IOCTL_H */
