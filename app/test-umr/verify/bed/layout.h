/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef VERIFY_LAYOUT_H
#define VERIFY_LAYOUT_H

/**
 * @file
 * Convert layouts of the layout area for the API; the registrations of the area alternate.
 */

#include "model/layout_gen.h"
#include "verify/bed/ops.h"

/** Entries of a layout; only one member is used. */
struct verify_entries {
	struct rte_umr_seg segs[LAYOUT_MAX_PIECES];
	struct rte_umr_interleaved interleaved[LAYOUT_MAX_PIECES];
};

/**
 * What a case may generate from the layout area: lists in a work request, and patterns if they are
 * wanted and the device offers them.
 */
struct layout_gen_conf verify_gen_conf(const struct rte_umr_dev_info *info, bool has_patterns);
/** The same, of at most so many bytes: a list or a pattern of any size. */
struct layout_gen_conf verify_gen_conf_long(const struct rte_umr_dev_info *info,
					    struct prng *prng, uint32_t max_total);

/** A segment of the layout area by one of its registrations, which alternate with i. */
struct rte_umr_seg verify_layout_seg(const struct bed_side *side, uint32_t offset, uint32_t len,
				     uint32_t i);
/** A segment of the flat area. */
struct rte_umr_seg verify_flat_seg(const struct bed_side *side, uint32_t offset, uint32_t len);

/** An entry of a pattern: a segment, and the bytes to the next repetition. */
struct rte_umr_interleaved verify_stride(struct rte_umr_seg seg, uint32_t skip);

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

/** Try a configuration of a key, or of a plain key if that is NULL, which must be rejected. */
bool verify_conf_rejected(struct verify_ops *ops, struct rte_umr_mkey *mkey,
			  const struct rte_umr_mkey_op *conf,
			  const struct verify_rejection *rejection);

/** An entry for layouts that are too long: of 4 KiB, to be repeated. */
struct rte_umr_interleaved verify_long_entry(const struct bed_side *side);

/** Enqueue a configuration that must be accepted. */
bool verify_conf_add(struct verify_ops *ops, struct rte_umr_mkey *mkey,
		     const struct rte_umr_mkey_op *conf);

/*
 * A step of configuring a key is a set of setters, RTE_UMR_MKEY_SET_* and so on, or one of these.
 */
#define VERIFY_STEP_ALL		RTE_BIT32(27)	/**< All setters of the configuration. */
#define VERIFY_STEP_NOTHING	RTE_BIT32(28)	/**< A configuration without a setter. */
/** Access and layout by verify_layout_add(), which keeps the other properties. */
#define VERIFY_STEP_PLAIN	RTE_BIT32(29)
#define VERIFY_STEP_INVALIDATE	RTE_BIT32(30)
/** With any of them: of another configuration, which is to be replaced. */
#define VERIFY_STEP_OTHER	RTE_BIT32(31)

/** A way to configure a key. */
struct verify_way {
	const char *name;	/**< In the description of a case. */
	uint32_t steps[3];	/**< 0 behind the last one. */
};

/** Enqueue the steps. */
bool verify_way_add(const struct verify_way *way, struct verify_ops *ops,
		    struct rte_umr_mkey *mkey, const struct rte_umr_mkey_op *conf,
		    const struct rte_umr_mkey_op *other);

#endif /* VERIFY_LAYOUT_H */
