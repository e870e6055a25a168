/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef VERIFY_LAYOUT_H
#define VERIFY_LAYOUT_H

/**
 * @file
 * Convert layouts of the layout area for the API; the registrations of the area alternate.
 */

#include "model/layout.h"
#include "verify/bed/ops.h"

/** Entries of a layout; only one member is used. */
struct verify_entries {
	struct rte_umr_seg segs[LAYOUT_MAX_PIECES];
	struct rte_umr_interleaved interleaved[LAYOUT_MAX_PIECES];
};

/** Convert nb pieces to segments. */
void verify_segs_fill(const struct bed_side *side, const struct layout_piece *pieces, uint32_t nb,
		      struct rte_umr_seg *segs);

/** Convert nb pieces to the entries of a pattern. */
void verify_interleaved_fill(const struct bed_side *side, const struct layout_piece *pieces,
			     uint32_t nb, struct rte_umr_interleaved *entries);

/**
 * A configuration that sets access and layout; it refers to entries, which the function fills in.
 */
struct rte_umr_mkey_op verify_layout_conf(const struct layout *layout, uint32_t access,
					    const struct bed_side *side,
					    struct verify_entries *entries);

/** Enqueue access and layout by rte_umr_mkey_list() or rte_umr_mkey_interleaved(). */
bool verify_layout_add(struct verify_ops *ops, struct rte_umr_mkey *mkey, uint32_t access,
		       const struct layout *layout);

/**
 * Call rte_umr_mkey_configure() for that key, which conf does not contain, and return its result.
 */
int verify_conf_enqueue(const struct verify_ops *ops, struct rte_umr_mkey *mkey,
			const struct rte_umr_mkey_op *conf);

/** Enqueue a configuration that must be accepted. */
bool verify_conf_add(struct verify_ops *ops, struct rte_umr_mkey *mkey,
		     const struct rte_umr_mkey_op *conf);

#endif /* VERIFY_LAYOUT_H */
