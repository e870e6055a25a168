/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef BENCH_MLX5DV_H
#define BENCH_MLX5DV_H

/**
 * @file
 * The work request builders of libmlx5 on a queue pair connected to itself.
 */

#include <infiniband/mlx5dv.h>

#include "bench/path/kind.h"
#include "bench/path/collect.h"

/** Segments of the longest write. */
#define BENCH_MAX_SGE		30u
#define BENCH_DV_ACCESS                                                                            \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE)

/** Memory and keys, which the paths of a worker share. */
struct bench_dv_keys {
	struct ibv_context *ibv;
	struct ibv_pd *pd;
	struct ibv_mr *mr;
	uint32_t nb_mkeys;
	uint32_t pos;			/* next key */
	struct mlx5dv_mkey *inner;	/* key that nested layouts refer to */
	struct mlx5dv_mkey **made;	/* in the order of creation */
	struct mlx5dv_mkey **mkeys;	/* keys of the row, in the order of use */
	uint32_t *order;
	uint32_t nb_ordered;
	struct mlx5dv_mkey *const *ordered; /* source of mkeys */
	struct bench_kind_dv kinds[BENCH_NB_LAYOUTS];
};

struct bench_dv {
	struct bench_worker *worker;
	const struct bench_path *path;
	struct bench_dv_keys *keys;
	struct ibv_td *td;		/* only for use without locks */
	struct ibv_pd *parent;		/* the thread domain's; else NULL */
	struct ibv_cq *cq;
	struct ibv_qp *qp;		/* NULL: the kernel has no thread domains */
	struct ibv_qp_ex *qpx;
	struct mlx5dv_qp_ex *mqpx;
	struct bench_cq ring;
	uint32_t sq_desc;		/* send ring in blocks of 64 bytes */
	uint32_t cq_ci;
	uint64_t nb_doorbells;
	uint64_t nb_prepared;		/* batches that were not measured */
};

/** Print what failed, with errno. @return False. */
bool bench_dv_error(const char *what);

/** Open the device and create keys. Print an error and return false on failure. */
bool bench_dv_keys_open(struct bench_dv_keys *keys, const struct bench_worker *worker);
void bench_dv_keys_close(struct bench_dv_keys *keys);
/** Create a queue pair that uses ctx->keys. Print an error and return false on failure. */
bool bench_dv_open(struct bench_dv *ctx, struct bench_worker *worker,
		   const struct bench_path *path);
void bench_dv_close(struct bench_dv *ctx);
/** Keys of the libmlx5 path, which was opened before. */
struct bench_dv_keys *bench_dv_keys_of(const struct bench_worker *worker);

/** Arrange the keys of a row in the order of all paths, and fill in its pieces. */
void bench_dv_begin(struct bench_dv_keys *keys, struct bench_worker *worker,
		    const struct bench_row *row, uint32_t offset);
/** Keys of the next batch. */
static inline struct mlx5dv_mkey *const *
bench_dv_keys_next(struct bench_dv_keys *keys, const struct bench_row *row)
{
	uint32_t pos = keys->pos;

	if (pos + row->batch > row->nb_keys)
		pos = 0;
	keys->pos = pos + row->batch;
	return &keys->mkeys[pos];
}

/** Writes of several segments each. */
struct bench_dv_writes {
	const struct rte_umr_seg *segs;	/**< nb * nb_segs segments. */
	uint32_t nb_segs;
	uint32_t nb;
	const uint64_t *remote;		/**< Destination of each write. */
	uint32_t rkey;
};

/** Post the writes under one doorbell. */
bool bench_dv_write(struct bench_dv *ctx, const struct bench_dv_writes *writes,
		    struct bench_sample *sample);

#endif /* BENCH_MLX5DV_H */
