/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include "object/uar.h"

void
swhca_uar_ref(struct swhca_hca *hca, struct swhca_uar *uar)
{
	swhca_obj_ref(&uar->obj);
	if (uar->nb_queues++ == 0)
		LIST_INSERT_HEAD(&hca->active_uars, uar, active);
}

void
swhca_uar_unref(struct swhca_uar *uar)
{
	if (--uar->nb_queues == 0)
		LIST_REMOVE(uar, active);
	swhca_obj_unref(&uar->obj);
}
