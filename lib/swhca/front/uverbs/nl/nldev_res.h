/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_NLDEV_RES_H
#define SWHCA_NLDEV_RES_H

/**
 * @file
 * Requests of RDMA netlink for objects and their counters.
 */

#include "front/uverbs/nl/nldev_call.h"

/** Commands for objects; none in a build without them (meson option swhca_netlink). */
extern const struct swhca_nldev_ops swhca_nldev_res_ops;

#endif /* SWHCA_NLDEV_RES_H */
