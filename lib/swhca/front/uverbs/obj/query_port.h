/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UVERBS_QUERY_PORT_H
#define SWHCA_UVERBS_QUERY_PORT_H

/**
 * @file
 * Queries of ports and their addresses.
 */

#include <stdint.h>

#include "front/uverbs/dev/uverbs_abi.h"

struct swhca_udev;
struct swhca_ureq;

int swhca_uquery_port(struct swhca_udev *dev, uint32_t port,
		      struct ib_uverbs_query_port_resp *resp);
int swhca_uquery_port_req(struct swhca_ureq *req);
int swhca_uquery_port_speed_req(struct swhca_ureq *req);
int swhca_uquery_mlx5_port_req(struct swhca_ureq *req);
int swhca_uquery_gid_table_req(struct swhca_ureq *req);
int swhca_uquery_gid_entry_req(struct swhca_ureq *req);

#endif /* SWHCA_UVERBS_QUERY_PORT_H */
