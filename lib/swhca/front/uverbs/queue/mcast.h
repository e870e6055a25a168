/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UVERBS_MCAST_H
#define SWHCA_UVERBS_MCAST_H

/**
 * @file
 * Multicast groups.
 */

#include "front/uverbs/dev/uverbs_abi.h"

struct swhca_ufile;

int swhca_umcast_attach(struct swhca_ufile *file, const struct ib_uverbs_attach_mcast *cmd);
int swhca_umcast_detach(struct swhca_ufile *file, const struct ib_uverbs_attach_mcast *cmd);

#endif /* SWHCA_UVERBS_MCAST_H */
