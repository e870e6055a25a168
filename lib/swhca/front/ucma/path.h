/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UCMA_PATH_H
#define SWHCA_UCMA_PATH_H

/**
 * @file
 * The path of an identifier, in the forms in which programs are told of it. The lock is held.
 */

#include <stdint.h>

#include <rdma/ib_user_sa.h>
#include <rdma/ib_user_verbs.h>

struct swhca_ucm_id;

/** Find the route, once the peer's address is known (cma.c: cma_resolve_iboe_route()). */
void swhca_ucm_route_set(struct swhca_ucm_id *id);
/** As an address handle. */
void swhca_ucm_ah_fill(const struct swhca_ucm_id *id, struct ib_uverbs_ah_attr *ah);
/** As a path record of the kernel, */
void swhca_ucm_path_fill(const struct swhca_ucm_id *id, struct ib_user_path_rec *rec);
/** and as one of the subnet administration (IBTA volume 1, 15.2.5.16). */
void swhca_ucm_path_pack(const struct swhca_ucm_id *id, uint8_t rec[64]);

/**
 * Attributes of a change of the queue pair.
 *
 * @param state
 *   That it is to be in (verbs.h: IBV_QPS_*).
 * @return
 *   0, or -EINVAL: not a state that the connection is ready for.
 */
int swhca_ucm_qp_attr(struct swhca_ucm_id *id, uint32_t state, struct ib_uverbs_qp_attr *attr);

#endif /* SWHCA_UCMA_PATH_H */
