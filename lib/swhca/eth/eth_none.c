/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * A build without Ethernet queues (meson option swhca_eth): none exists, and frames of the link
 * that are not RoCE are dropped.
 */

#include "eth/eth_queue.h"
#include "eth/switch.h"

void
swhca_esq_rung(struct swhca_uar *uar, const uint64_t *values, unsigned int nb)
{
	(void)uar;
	(void)values;
	(void)nb;
}

unsigned int
swhca_esq_run_all(struct swhca_fabric *fabric)
{
	(void)fabric;
	return 0;
}

void
swhca_switch_receive(struct swhca_hca *hca, const uint8_t *frame, size_t len)
{
	(void)hca;
	(void)frame;
	(void)len;
}
