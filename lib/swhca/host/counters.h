/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_COUNTERS_H
#define SWHCA_COUNTERS_H

/**
 * @file
 * Port counters with the names of Linux: PortCounters and PortCountersExtended (IBTA volume 1,
 * 16.1.3 and 16.1.4.11; drivers/infiniband/core/sysfs.c), and queue counters of mlx5_ib
 * (drivers/infiniband/hw/mlx5/counters.c).
 */

#include <stddef.h>
#include <stdint.h>

#include "include/hca.h"

struct swhca_counter {
	const char *name;
	uint64_t (*value)(const struct swhca_wire_stats *stats);
};

/** In the folder "counters". */
extern const struct swhca_counter swhca_port_counters[];
extern const size_t swhca_nb_port_counters;

/** In the folder "hw_counters", and of RDMA netlink. */
extern const struct swhca_counter swhca_hw_counters[];
extern const size_t swhca_nb_hw_counters;

/** Find a counter by name. @return NULL if there is none. */
const struct swhca_counter *swhca_counter_find(const struct swhca_counter *counters, size_t nb,
					       const char *name);

#endif /* SWHCA_COUNTERS_H */
