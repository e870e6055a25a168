/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef VERIFY_CASE_H
#define VERIFY_CASE_H

/**
 * @file
 * One random layout of the layout area, moved once, and compared: the cases of the modes list and
 * interleaved.
 */

#include "layout.h"
#include "verify_mode.h"
#include "verify_refusal.h"

/** A range of a key may be moved by several operations. */
#define CASE_MAX_PARTS	4u

/** Which side has the layout, and which way the bytes go. */
enum case_kind {
	CASE_WRITE_GATHER,	/**< RDMA write; the key is the local source. */
	CASE_READ_SCATTER,	/**< RDMA read; the key is the local destination. */
	CASE_WRITE_SCATTER,	/**< RDMA write; the key is the remote destination. */
	CASE_READ_GATHER,	/**< RDMA read; the key is the remote source. */
	CASE_NB_KINDS,
};

/** What makes the transfer of a case fail. */
enum case_error {
	CASE_NO_ERROR,
	CASE_BEYOND_END,	/**< It ends behind the last byte of the key. */
	CASE_NO_RIGHT,		/**< The key lacks the access right. */
	CASE_OLD_TAG,		/**< The value of the key is that of before. */
	CASE_AFTER_INVALIDATE,	/**< The key was invalidated. */
	CASE_NB_ERRORS,
};

/** What a case does; all of it follows from random numbers and the bed. */
struct verify_case {
	enum case_kind kind;
	const struct bed_path *path;
	struct layout layout;
	uint32_t access;	/**< Of the key. */
	uint64_t from;		/**< First byte of the key that is moved. */
	uint64_t len;		/**< Bytes that are moved, at least 1. */
	uint32_t flat_offset;	/**< Where they are, or go, in the flat area. */
	uint32_t noise_offset;	/**< Of the bytes that the source gets. */
	uint32_t nb_parts;	/**< Operations that move them. */
	uint64_t part_ends[CASE_MAX_PARTS];	/**< Relative to from; ascending. */
	bool is_invalidated;	/**< The key is invalidated afterwards. */
	bool by_status;		/**< Collected by rte_umr_completed_status(). */
	bool has_refusal;	/**< A bad layout is tried first. */
	enum verify_refusal refusal;
	enum case_error error;	/**< Of the first transfer; those behind it are flushed. */
};

/** Decide what a case does: a list or an interleaved layout. */
void case_gen(struct verify_case *vc, const struct verify_env *env, struct prng *prng,
	      bool is_interleaved);

/** As verify_mode::run. */
void case_run(const void *vc, const struct verify_env *env, struct case_result *result);

/** As verify_mode::print. */
void case_print(FILE *f, const char *prefix, const void *vc);

#endif /* VERIFY_CASE_H */
