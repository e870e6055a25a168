/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UCMA_PATH_H
#define SWHCA_UCMA_PATH_H

/**
 * @file
 * Path of an identifier, in the formats for programs. The lock is held.
 */

#include <stdint.h>

#include <rdma/ib_user_sa.h>
#include <rdma/ib_user_verbs.h>

struct swhca_ucm_id;

/** Find the route, after the peer's address is resolved (cma.c: cma_resolve_iboe_route()). */
void swhca_ucm_route_set(struct swhca_ucm_id *id);
/** Fill an address handle. */
void swhca_ucm_ah_fill(const struct swhca_ucm_id *id, struct ib_uverbs_ah_attr *ah);
/** Fill a path record of the kernel. */
void swhca_ucm_path_fill(const struct swhca_ucm_id *id, struct ib_user_path_rec *rec);
/** Fill a path record of the subnet administration (IBTA volume 1, 15.2.5.16). */
void swhca_ucm_path_pack(const struct swhca_ucm_id *id, uint8_t rec[64]);

/**
 * Get the attributes of a queue pair transition.
 *
 * @param state
 *   Target state (verbs.h: IBV_QPS_*).
 * @return
 *   0, or -EINVAL: the connection is not ready for that state.
 */
int swhca_ucm_qp_attr(struct swhca_ucm_id *id, uint32_t state, struct ib_uverbs_qp_attr *attr);

#endif /* SWHCA_UCMA_PATH_H */
