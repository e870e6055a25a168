/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Function level reset.
 */

#include <string.h>

#include "mad/mad_responder.h"
#include "object/hca_state.h"
#include "xport/mcg.h"

void
swhca_hca_reset(struct swhca_hca *hca)
{
	swhca_fabric_lock(hca->fabric);
	swhca_mcg_fini(hca);
	swhca_sa_forget(hca);
	swhca_obj_destroy_all(hca);
	swhca_function_fini(hca);
	swhca_function_init(hca);
	swhca_vport_init(hca);
	memset(hca->roce_addrs, 0, sizeof(hca->roce_addrs));
	memset(hca->rates, 0, sizeof(hca->rates));
	hca->is_failed = false;
	hca->is_halted = false;
	hca->stall_end_ns = 0;
	hca->fail_in = 0;
	swhca_fabric_unlock(hca->fabric);
}
