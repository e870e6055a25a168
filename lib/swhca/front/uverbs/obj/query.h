/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UVERBS_QUERY_H
#define SWHCA_UVERBS_QUERY_H

/**
 * @file
 * Queries of the device.
 */

#include "front/uverbs/dev/uverbs_abi.h"

struct swhca_udev;
struct swhca_ureq;

int swhca_uquery_device(struct swhca_udev *dev, struct ib_uverbs_query_device_resp *resp);
int swhca_uquery_device_ex(struct swhca_ureq *req, struct ib_uverbs_ex_query_device_resp *resp);

#endif /* SWHCA_UVERBS_QUERY_H */
