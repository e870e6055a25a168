/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef VERIFY_CASE_H
#define VERIFY_CASE_H

/**
 * @file
 * One random layout, moved once, and compared.
 */

#include "layout.h"
#include "verify_bed.h"

/** A range of a key may be moved by several operations. */
#define CASE_MAX_PARTS	4u
/** Fresh bytes for sources: any range of them that is as long as the longest case. */
#define CASE_NOISE_SIZE	(BED_MAX_TOTAL * 2)

/** Which side has the layout, and which way the bytes go. */
enum case_kind {
	CASE_WRITE_GATHER,	/**< RDMA write; the key is the local source. */
	CASE_READ_SCATTER,	/**< RDMA read; the key is the local destination. */
	CASE_WRITE_SCATTER,	/**< RDMA write; the key is the remote destination. */
	CASE_READ_GATHER,	/**< RDMA read; the key is the remote source. */
	CASE_NB_KINDS,
};

/** What a case does; all of it follows from the seed, the number and the bed. */
struct verify_case {
	uint64_t number;
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
};

enum case_outcome {
	CASE_PASSED,
	CASE_MISMATCH,	/**< Bytes differ; the queues are as they should be. */
	CASE_ERROR,	/**< An operation was refused or failed; restart the bed. */
	CASE_TIMEOUT,	/**< Operations did not come back; restart the bed. */
};

struct case_result {
	enum case_outcome outcome;
	char why[512];	/**< One line for a failure. */
};

/** Random bytes, CASE_NOISE_SIZE of them, that sources are filled with. */
void case_noise_fill(uint8_t *noise, uint64_t seed);

/** Decide what a case does. */
void case_gen(struct verify_case *vc, const struct bed *bed, uint64_t seed, uint64_t number);

/** Do it. */
void case_run(const struct verify_case *vc, const uint8_t *noise, struct case_result *result);

/** Describe a case in several lines, each starting with a prefix. */
void case_print(FILE *f, const char *prefix, const struct verify_case *vc);

#endif /* VERIFY_CASE_H */
