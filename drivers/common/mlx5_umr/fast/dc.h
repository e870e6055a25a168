/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_DC_H
#define MLX5_UMR_DC_H

/**
 * @file
 * Data path of devices with DC queues, and the addresses that initiators use.
 *
 * A device that has an initiator or a target gets a fast-path table of its own, whose functions
 * look at the kind of the queue first; others are not slowed down by a kind they do not have.
 */

#include <rte_umr_driver.h>

#include "ring/queue.h"

/** The table of the driver with what DC queues do otherwise. */
void mlx5_umr_fp_ops_dc_fill(struct rte_umr_fp_object *fp_ops);

/** Address that the next operations go to. Returns 0 or a negative errno (logged). */
int mlx5_umr_dc_addr_set(void *queue, const struct rte_umr_dc_addr *addr);

/** Fill in addr->av. Control path. Returns 0 or a negative errno (logged). */
int mlx5_umr_dc_addr_fill(struct rte_umr_dev *dev, const struct rte_umr_endpoint *remote,
			  uint64_t dc_key, struct rte_umr_dc_addr *addr);

#endif /* MLX5_UMR_DC_H */
