/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * A build without Ethernet queues (meson option swhca_eth): no function has their capabilities and
 * registers.
 */

#include "cmd/eth/cmd_eth.h"
#include "cmd/function/cmd_reg.h"

void
swhca_eth_general_cap_fill(const struct swhca_hca *hca, uint8_t *cap)
{
	(void)hca;
	(void)cap;
}

void
swhca_eth_offload_cap_fill(const struct swhca_hca *hca, uint8_t *cap)
{
	(void)hca;
	(void)cap;
}

void
swhca_eth_flow_cap_fill(const struct swhca_hca *hca, uint8_t *cap)
{
	(void)hca;
	(void)cap;
}

const struct swhca_reg *
swhca_eth_reg_find(unsigned int id)
{
	(void)id;
	return NULL;
}
