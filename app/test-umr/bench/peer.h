/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef BENCH_PEER_H
#define BENCH_PEER_H

/**
 * @file
 * Transfers to or from a serving process: rows (peer.c) and the bytes that they move (peer_data.c).
 *
 * Each queue has a slice of memory on both sides. Operations of a row use places of its size in the
 * slice; large ones share places. Keys with a signature or encryption are here: the place of an
 * operation then has the bytes of the memory domain, and that of the server those of the wire.
 */

#include "bench/conf.h"
#include "bench/path/kind.h"
#include "peer/client.h"

/** Pieces of a row with scattered memory. */
#define BENCH_PEER_PIECES	16u
#define BENCH_PEER_MIN_SLICE	(64u << 10)
/** Distance of scattered pieces. */
#define BENCH_PEER_STEP		(BENCH_PEER_MIN_SLICE / BENCH_PEER_PIECES)

/** A line of the result. A sample is a batch: operations under one doorbell. */
struct bench_peer_row {
	const char *name;
	bool is_read;
	bool is_scattered;	/**< Local memory of operations or pieces is not contiguous. */
	uint32_t len;		/**< Bytes of data of an operation. */
	uint32_t nb_pieces;	/**< Pieces of the key of an operation; 0: one without a key. */
	enum bench_layout layout;
	uint32_t batch;
	/* Results. */
	uint64_t nb_samples;
	double median;		/**< Cycles of a sample. */
	double p99;
	double p999;
	double cycles;		/**< Of all samples: queues work at the same time. */
	double software;	/**< Cycles to compute on an lcore what a key does; 0: nothing. */
};

/** A queue and its batch. */
struct bench_peer_lane {
	uint64_t start;		/**< Time before the first enqueue call. */
	uint16_t nb_left;	/**< Outstanding operations. */
};

struct bench_peer {
	const struct bench_conf *conf;
	int16_t dev_id;
	struct rte_umr_dev_info info;
	struct peer *peer;
	uint32_t data;		/**< Bytes of data of each queue. */
	uint32_t slice;		/**< Bytes of each queue, here and at the server. */
	uint8_t *memory;
	uint8_t *source;	/**< Contents of a slice: data, */
	uint8_t *expected;	/**< and what arrives. */
	uint8_t *arrived;
	struct rte_umr_mr *mr;
	bool has_keys[BENCH_NB_LAYOUTS];		/**< Rows use keys of the layout. */
	struct bench_kind_rte kinds[BENCH_NB_LAYOUTS];	/**< Keys: max_batch of each queue. */
	struct bench_peer_lane lanes[PEER_MAX_QUEUES];
	struct bench_peer_row *rows;
	uint32_t nb_rows;
	uint32_t max_batch;
	uint32_t max_desc;	/**< Descriptors of the largest batch. */
	double *values;		/**< Cycles of samples. */
};

/** Bytes of an operation of a row, in memory or on the wire. */
uint32_t bench_peer_len(const struct bench_peer *b, const struct bench_peer_row *row, bool is_wire);
/** Offset of an operation in the slice of the server. */
uint32_t bench_peer_remote(const struct bench_peer *b, const struct bench_peer_row *row,
			   uint32_t i);
/** Offset of an operation or a piece in the slice here. */
uint32_t bench_peer_local(const struct bench_peer *b, const struct bench_peer_row *row, uint32_t i);

/** Write the source of a row on all queues, and choose tweaks and tags of its operations. */
bool bench_peer_prepare(struct bench_peer *b, uint32_t index);
/** Compare what has arrived. */
bool bench_peer_check(const struct bench_peer *b, uint32_t index);
/** Print why the server failed, and return false. */
bool bench_peer_failed(const struct bench_peer *b);

#endif /* BENCH_PEER_H */
