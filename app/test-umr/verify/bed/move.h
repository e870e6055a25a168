/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef VERIFY_MOVE_H
#define VERIFY_MOVE_H

/**
 * @file
 * Moving a range of a key by RDMA writes or reads and comparing what came of it: the half of a case
 * that does not depend on how the key was made.
 *
 * One side has a key over its layout area, the other has the flat area. Whatever is under the key,
 * it shows bytes of the layout area in some order; a verify_view says which.
 */

#include "model/layout.h"
#include "verify/bed/mode.h"
#include "verify/bed/ops.h"

/** A range of a key may be moved by several operations. */
#define VERIFY_MOVE_MAX_PARTS	4u

/** Which side has the key, and which way the bytes go. */
enum verify_move_kind {
	MOVE_WRITE_GATHER,	/**< RDMA write; the key is the local source. */
	MOVE_READ_SCATTER,	/**< RDMA read; the key is the local destination. */
	MOVE_WRITE_SCATTER,	/**< RDMA write; the key is the remote destination. */
	MOVE_READ_GATHER,	/**< RDMA read; the key is the remote source. */
	MOVE_NB_KINDS,
};

struct verify_move {
	enum verify_move_kind kind;
	const struct bed_path *path;
	uint32_t access;	/**< Of the key, RTE_UMR_ACCESS_*. */
	uint64_t from;		/**< First byte of the key that is moved. */
	uint64_t len;		/**< Bytes that are moved, [1, BED_MAX_TOTAL]. */
	uint32_t flat_offset;	/**< Where they are, or go, in the flat area. */
	uint32_t noise_offset;	/**< Of the bytes that the source gets. */
	uint32_t nb_parts;	/**< Operations that move them. */
	uint64_t part_ends[VERIFY_MOVE_MAX_PARTS]; /**< Relative to from; ascending. */
	bool is_in_turn;	/**< Each operation waits for the reads in front of it. */
	bool by_status;		/**< Collected by rte_umr_completed_status(). */
	bool has_error;		/**< The first operation must fail, those behind it are flushed. */
};

/** Which bytes of the layout area a key shows. */
struct verify_view {
	const void *layout;	/**< First argument of the functions, see model/oracle.h. */
	uint64_t total;		/**< Bytes under the key. */
	/** Bytes [from, from + len) of the key, in order. */
	void (*gather)(const void *layout, const uint8_t *arena, uint64_t from, uint64_t len,
		       uint8_t *out);
	/** Store len bytes to [from, from + len) of the key. */
	void (*scatter)(const void *layout, uint8_t *arena, uint64_t from, uint64_t len,
			const uint8_t *in);
	/** Find a byte of the area in the key. */
	bool (*find)(const void *layout, uint64_t arena_offset, uint64_t *position);
};

/** View of a key with one layout, as the oracle sees it; the layout stays the caller's. */
struct verify_view verify_view_of(const struct layout *layout);

/** What surrounds the transfer; it differs from mode to mode. */
struct verify_steps {
	/** Enqueue what makes the key. Complains through ops and returns false. */
	bool (*before)(const void *arg, struct verify_ops *ops);
	/** Enqueue what follows it, unless the transfer must fail; may be NULL. */
	bool (*after)(const void *arg, struct verify_ops *ops);
	const void *arg;
	uint32_t key;		/**< As the transfer names it. */
	uint64_t from;		/**< Where the transfer begins in the key, usually move->from. */
};

bool verify_move_is_read(const struct verify_move *move);
/** Whether the key is the destination; then it must not show any byte twice. */
bool verify_move_is_scatter(const struct verify_move *move);
/** Whether the side that starts the transfer has the key. */
bool verify_move_is_local(const struct verify_move *move);
/** The end that has the key; its queue configures it. */
const struct bed_end *verify_move_key_end(const struct verify_move *move);
const struct bed_end *verify_move_flat_end(const struct verify_move *move);
/** The access that the transfer needs, RTE_UMR_ACCESS_* or 0. */
uint32_t verify_move_access_needed(const struct verify_move *move);
/** How a transfer ends when the key forbids it. */
enum rte_umr_status verify_move_error(const struct verify_move *move);

/** Access of a key: what is needed, and any other that the device knows. */
uint32_t verify_access_gen(struct prng *prng, uint32_t needed, uint32_t capa);

/** First half: which way, where, with which access. */
void verify_move_gen_path(struct verify_move *move, const struct bed *bed, struct prng *prng);
/** Second half, when it is known how many bytes the key shows: which of them. */
void verify_move_gen_range(struct verify_move *move, struct prng *prng, uint64_t total);

/**
 * Fill the memory, make the key, transfer, compare, and recover the queues if the transfer had to
 * fail. On one queue all of it goes out under one doorbell; otherwise each step waits for the one
 * before, as the API asks for.
 */
void verify_move_run(const struct verify_move *move, const struct verify_view *view,
		     const struct verify_steps *steps, const uint8_t *noise,
		     struct case_result *result);

/** Describe it in two lines, each starting with a prefix. */
void verify_move_print(FILE *f, const char *prefix, const struct verify_move *move);

#endif /* VERIFY_MOVE_H */
