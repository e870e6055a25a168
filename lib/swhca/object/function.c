/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <stdio.h>
#include <stdlib.h>

#include "object/hca_state.h"

void
swhca_function_init(struct swhca_hca *hca)
{
	struct swhca_function *function = &hca->function;

	*function = (struct swhca_function){
		.state = hca->conf.has_driver ? SWHCA_FUNCTION_DISABLED : SWHCA_FUNCTION_READY,
		.cap_mask = SWHCA_PORT_CAPS,
		.issi = hca->conf.has_driver ? 0 : SWHCA_ISSI,
	};
	hca->tables[SWHCA_OBJ_QP].max = 1u << hca->conf.log_max_qp;
	hca->page_faults.by_memory = false;
	snprintf(function->node_desc, sizeof(function->node_desc), "swhca %s",
		 swhca_model_info_get(hca->conf.model)->title);
}

void
swhca_function_fini(struct swhca_hca *hca)
{
	free(hca->function.pages);
	hca->function.pages = NULL;
	hca->function.nb_pages = 0;
	hca->function.max_pages = 0;
}
