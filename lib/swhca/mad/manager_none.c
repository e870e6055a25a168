/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * A build without the subnet manager (meson option swhca_sm): ports are up, and requests to a
 * manager remain unanswered.
 */

#include "mad/mad_responder.h"

uint16_t
swhca_mad_manager_lid(void)
{
	return 0;
}

bool
swhca_mad_manager_answer(struct swhca_hca *from, const uint8_t in[SWHCA_MAD_LEN],
			 unsigned int index, uint8_t out[SWHCA_MAD_LEN])
{
	(void)from;
	(void)in;
	(void)index;
	(void)out;
	return false;
}

void
swhca_sa_forget(struct swhca_hca *hca)
{
	(void)hca;
}

void
swhca_sa_fini(struct swhca_fabric *fabric)
{
	(void)fabric;
}
