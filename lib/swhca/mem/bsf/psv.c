/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include "mem/bsf/psv.h"

struct swhca_psv *
swhca_psv_get(const struct swhca_hca *hca, uint32_t num)
{
	return (struct swhca_psv *)swhca_table_get(&hca->tables[SWHCA_OBJ_PSV], num);
}

void
swhca_psv_fini(struct swhca_hca *hca, struct swhca_obj *obj)
{
	(void)hca;
	swhca_obj_unref(((struct swhca_psv *)obj)->pd);
}
