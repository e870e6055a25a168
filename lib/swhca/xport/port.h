/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_PORT_H
#define SWHCA_PORT_H

/**
 * @file
 * Ports: addresses and partitions, of the port itself and in contexts and WQEs. The fabric lock is
 * held.
 */

#include <stdbool.h>
#include <stdint.h>

#include "include/wire.h"
#include "object/hca_state.h"

struct mlx5_wqe_av;

/** Frame size of an Ethernet port; enough for the largest MTU of RDMA. */
#define SWHCA_ETH_MTU 9000u

/** Read the address path of a QP context. */
void swhca_addr_from_ads(struct swhca_addr *addr, const uint8_t *ads);

/** Read the address vector of a WQE; is_base if it ends before the GRH part. */
void swhca_addr_from_av(struct swhca_addr *addr, const struct mlx5_wqe_av *av, bool is_base);

/** @return GID of a HCA by index, as receivers see it in a GRH; NULL: the entry is empty. */
const uint8_t *swhca_port_gid(const struct swhca_hca *hca, unsigned int index);

/** @return P_Key of a HCA by index; 0, which no packet has, for an empty entry. */
uint16_t swhca_port_pkey(const struct swhca_hca *hca, unsigned int index);

/** Check whether a P_Key of a receiver matches the one of a packet (IBTA 10.9.3). */
bool swhca_pkey_matches(uint16_t own, uint16_t packet);

#endif /* SWHCA_PORT_H */
