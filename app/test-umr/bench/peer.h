/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef BENCH_PEER_H
#define BENCH_PEER_H

/**
 * @file
 * Transfers to or from another process, and their results.
 */

#include "bench/conf.h"
#include "peer/client.h"

/** Pieces of a row with scattered memory. */
#define BENCH_PEER_PIECES	16u
/** Samples of each queue in a round. */
#define BENCH_PEER_SAMPLES	32u

/** A line of the result. A sample is a batch: operations under one doorbell. */
struct bench_peer_row {
	const char *name;
	bool is_read;
	bool is_scattered;	/**< The local memory of operations or pieces is not contiguous. */
	uint32_t len;		/**< Bytes of an operation. */
	uint32_t nb_pieces;	/**< Pieces of a key; 0: one piece without a key. */
	uint32_t batch;
	/* Results. */
	uint64_t nb_samples;
	double median;		/**< Cycles of a sample. */
	double p99;
	double p999;
	double cycles;		/**< Of all samples: queues work at the same time. */
};

/** A queue and its batch. */
struct bench_peer_lane {
	struct rte_umr_mkey *mkey;
	uint64_t start;		/**< Time before the first enqueue call. */
	uint16_t nb_left;	/**< Outstanding operations. */
};

struct bench_peer {
	const struct bench_conf *conf;
	int16_t dev_id;
	struct rte_umr_dev_info info;
	struct peer *peer;
	uint32_t slice;		/**< Bytes of each queue, here and at the server. */
	uint8_t *memory;
	uint8_t *expected;	/**< Contents of a slice. */
	uint8_t *arrived;
	struct rte_umr_mr *mr;
	struct rte_umr_mkey_pool *pool;
	struct bench_peer_lane lanes[PEER_MAX_QUEUES];
	struct bench_peer_row *rows;
	uint32_t nb_rows;
	double *values;		/**< Cycles of samples. */
};

/** Print all rows. */
void bench_peer_report(const struct bench_peer *b);

#endif /* BENCH_PEER_H */
