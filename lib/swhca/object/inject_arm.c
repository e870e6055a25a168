/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Arming of faults of a device. */

#include <errno.h>

#include "object/hca_state.h"

int
swhca_hca_inject(struct swhca_hca *hca, const struct swhca_inject *injects, unsigned int nb)
{
	unsigned int i;
	int ret = 0;

	swhca_fabric_lock(hca->fabric);
	swhca_inject_expire(&hca->injects);
	if (swhca_inject_room(&hca->injects) < nb)
		ret = -ENOSPC;
	for (i = 0; ret == 0 && i < nb; i++)
		swhca_inject_add(&hca->injects, &injects[i]);
	swhca_fabric_unlock(hca->fabric);
	return ret;
}

void
swhca_hca_inject_off(struct swhca_hca *hca, enum swhca_inject_class cls)
{
	swhca_fabric_lock(hca->fabric);
	swhca_inject_off(&hca->injects, cls);
	swhca_fabric_unlock(hca->fabric);
}

unsigned int
swhca_hca_inject_list(struct swhca_hca *hca, struct swhca_inject_state states[SWHCA_MAX_INJECTS])
{
	const struct swhca_inject_slot *slot, *next;
	uint64_t last = 0;
	unsigned int i, nb = 0;

	swhca_fabric_lock(hca->fabric);
	swhca_inject_expire(&hca->injects);
	do {
		next = NULL;
		for (i = 0; i < SWHCA_MAX_INJECTS; i++) {
			slot = &hca->injects.slots[i];
			if (slot->is_used && slot->order > last &&
			    (next == NULL || slot->order < next->order))
				next = slot;
		}
		if (next != NULL) {
			states[nb++] = next->state;
			last = next->order;
		}
	} while (next != NULL);
	swhca_fabric_unlock(hca->fabric);
	return nb;
}
