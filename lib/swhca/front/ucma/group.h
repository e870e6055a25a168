/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UCMA_GROUP_H
#define SWHCA_UCMA_GROUP_H

/**
 * @file
 * Link layer addresses of multicast groups (Linux: cma.c, cma_set_mgid() and cma_iboe_set_mgid()).
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "front/ucma/addr.h"

/** Check whether it is the address of a group. */
bool swhca_ucm_addr_is_group(const struct sockaddr_storage *addr);
/**
 * GID of a group.
 *
 * @param is_udp
 *   In the port space UDP, whose groups on InfiniBand differ from those of IPoIB.
 */
void swhca_ucm_group_gid(const struct sockaddr_storage *addr, bool is_udp, uint8_t mgid[16]);
/** As swhca_ucm_way_find(), to a group. @return 0 or -ENODEV. */
int swhca_ucm_group_find(const struct sockaddr_storage *to, bool is_bound,
			 struct swhca_ucm_port *local, uint8_t gid[16], uint16_t *lid);
/** LID of a group; 0 on Ethernet. */
uint16_t swhca_ucm_group_lid(const uint8_t mgid[16]);

#endif /* SWHCA_UCMA_GROUP_H */
