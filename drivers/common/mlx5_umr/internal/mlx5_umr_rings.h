/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_RINGS_H
#define MLX5_UMR_RINGS_H

/**
 * @file
 * The rings of a queue, which the API does not expose. Only measurements use them: to check for a
 * CQE without polling, to copy WQEs, and to store WQEs without other code. Not installed, and no
 * part of the ABI.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <infiniband/mlx5dv.h>

#include <rte_byteorder.h>
#include <rte_compat.h>

/** Rings of a sending queue. The pointers are valid until the device is stopped. */
struct mlx5_umr_rings {
	/** Send ring; a WQE may extend beyond its end before it is wrapped. */
	uint8_t *sq;
	uint32_t sq_mask;		/**< WQEBBs - 1. */
	volatile rte_be32_t *sq_dbr;
	volatile uint64_t *doorbell;
	bool is_db_nc;			/**< The doorbell is not write combined. */
	uint8_t *list;			/**< Memory for lists that WQEs point to. */
	size_t list_size;
	uint32_t list_lkey;
	volatile struct mlx5_cqe64 *cq;	/**< Completion ring with CQEs of 64 bytes. */
	uint32_t cq_mask;		/**< CQEs - 1. */
	volatile rte_be32_t *cq_dbr;
	uint32_t qpn;
	const uint32_t *sq_pi;		/**< The driver's own indices. */
	const uint32_t *cq_ci;
};

/**
 * Get the rings of a queue; its device is started.
 *
 * @return
 *   False if the device belongs to another driver.
 */
__rte_internal
bool mlx5_umr_rings_get(int16_t dev_id, uint16_t queue_id, struct mlx5_umr_rings *rings);

#endif /* MLX5_UMR_RINGS_H */
