/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <unistd.h>

#include "soak/faults.h"
#include "soak/lost.h"
#include "soak/ops.h"
#include "swhca_control.h"

bool
soak_device_is_lost(const struct soak_device *device)
{
	uint8_t status = RTE_UMR_DEV_STATUS_OK;

	return rte_umr_dev_status(device->dev_id, &status) != 0 || status != RTE_UMR_DEV_STATUS_OK;
}

bool
soak_lane_is_lost(struct soak_lane *lane)
{
	if (lane->is_lost || !soak_device_is_lost(lane->device))
		return lane->is_lost;
	lane->is_lost = true;
	if (!__atomic_load_n(&lane->device->is_to_be_lost, __ATOMIC_ACQUIRE))
		soak_lane_odd(lane, "the device is lost without a fault that was requested");
	for (unsigned int i = 0; i < 2; i++)
		if (lane->own[i] != NULL) {
			lane->own[i]->sends.anywhere |= SOAK_STATUS(FLUSHED);
			lane->own[i]->recvs.anywhere |= SOAK_STATUS(FLUSHED);
		}
	return true;
}

bool
soak_device_revive(const struct soak_device *device)
{
	char line[32], why[128] = "no answer";

	snprintf(line, sizeof(line), "resume %u", soak_device_number(device));
	if (swhca_control_do(getpid(), line, why, sizeof(why)) == 0)
		return true;
	tool_error("soak: %s: %s", line, why);
	return false;
}
