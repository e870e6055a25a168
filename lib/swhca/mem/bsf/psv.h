/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_MEM_BSF_PSV_H
#define SWHCA_MEM_BSF_PSV_H

/**
 * @file
 * Persistent signature values: initial signature of a domain, and its error state.
 */

#include "object/hca_state.h"

struct swhca_psv {
	struct swhca_obj obj;
	struct swhca_obj *pd;
	uint64_t transient;	/**< Seed, or guard seed, application and reference tag. */
	uint16_t syndrome;	/**< PRM_SIGERR_SYNDROME_* of the error since it was set, or 0. */
};

/** @return The PSV with that number, or NULL. */
struct swhca_psv *swhca_psv_get(const struct swhca_hca *hca, uint32_t num);
/** Release the resources of a PSV. */
void swhca_psv_fini(struct swhca_hca *hca, struct swhca_obj *obj);

#endif /* SWHCA_MEM_BSF_PSV_H */
