/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Events on their way from the event queues of a device to the files that ask for them
 * (mlx5_ib: event handlers; ib_core: uverbs_std_types_async_fd.c).
 */

#include "swhca_uverbs_priv.h"

void
swhca_uevent_dispatch(struct swhca_udev *dev, const uint8_t *eqe)
{
	SWHCA_LOG(DEBUG, "device %u: event 0x%x about 0x%x: nobody listens", dev->index,
		  (unsigned int)prm_get(eqe, PRM_EQE_TYPE),
		  (unsigned int)prm_get(eqe, PRM_EQE_OBJ_NUM));
}
