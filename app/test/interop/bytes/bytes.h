/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef WQE_BYTES_H
#define WQE_BYTES_H

/*
 * Reference encoder: compare, byte by byte, the WQE that an unmodified libmlx5 writes for a request
 * with the WQE of the driver for the same request. There is one program per feature,
 * wqe_bytes_<feature>.c. On one device, a queue pair of libmlx5 and a queue of the driver are each
 * connected to themselves.
 *
 * These fields differ and are compared by value or by rule:
 *   - WQE index and QP number: each ring has its own;
 *   - completion mode: requested each time from libmlx5, once per submit by the driver;
 *   - key in ctrl.imm and its tag in the key context: each side configures its own key;
 *   - fields that the device ignores and libmlx5 does not clear: ctrl.imm of a transfer without
 *     immediate data, and the key context of an invalidation except free and the tag.
 */

#include <time.h>

#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>
#include <rte_eal.h>
#include <rte_memory.h>
#include <rte_umr.h>

#include "budget.h"
#include "ring/queue.h"
#include "cases.h"
#include "wqe/wqe.h"

#define WB_DEVICE	"mlx5_0"
#define WB_NB_DESC	256u
#define WB_MAX_WQE	1024u
#define WB_MEM_SIZE	65536u
#define WB_MAX_ENTRIES	PRM_UMR_INLINE_KLM_MAX
/* 2 GiB together at most: libmlx5 44 counts in an int (fixed in rdma-core 61). */
#define WB_MAX_LEN	(INT32_MAX / WB_MAX_ENTRIES)
/* libmlx5 requires 828 bytes inline for 52 KLMs. */
#define WB_MAX_INLINE	828u

/* Requirements of a feature beyond lists, patterns, transfers and invalidations; zero: none. */
struct wb_conf {
	uint64_t ibv_ops;	/* IBV_QP_EX_WITH_* */
	uint64_t dv_ops;	/* MLX5DV_QP_EX_WITH_* */
	uint32_t mkey_flags;	/* MLX5DV_MKEY_INIT_ATTR_FLAGS_* */
	uint32_t pool_flags;	/* RTE_UMR_MKEY_POOL_F_* */
	uint16_t nb_recv_desc;	/* receives of the queue of the driver; that of libmlx5 has one */
	uint16_t max_sge;	/* of a send of libmlx5; 0 means 1 */
};

struct wb {
	/* libmlx5 */
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_qp_ex *qpx;
	struct mlx5dv_qp_ex *dvqp;
	struct mlx5dv_qp dv;
	struct mlx5dv_mkey *mkey;
	struct ibv_mr *mr;
	uint16_t pi;		/* position of the next WQE */
	/* the driver */
	int16_t dev_id;
	struct rte_umr_mkey_pool *pool;
	struct rte_umr_mkey *key;
	struct rte_umr_mr *umr_mr;
	struct mlx5_umr_queue *queue;
	/* both */
	void *mem;		/* WB_MEM_SIZE bytes, registered by each side */
	unsigned int seed;
};

extern struct wb wb;

struct wb_wqe {
	uint8_t bytes[WB_MAX_WQE];
	uint32_t len;
};

/* A request by both sides. */
struct wb_pair {
	uint16_t their_pi, our_pi;
	struct wb_wqe theirs, ours;
};

/* Open, create, connect; an error fails the test. @return 0. */
int wb_setup(const struct wb_conf *conf);
int wb_teardown(void **state);
int wb_end_of(int nb_failed);

/* Run the cases with EAL and a configuration. @return Exit code of the program. */
static inline int
wb_run(int argc, char **argv, CMFixtureFunction setup, CMFixtureFunction teardown)
{
	if (rte_eal_init(argc, argv) < 0)
		return EXIT_FAILURE;
	return wb_end_of(cases_run(setup, teardown));
}

uint32_t wb_random32(void);
uint64_t wb_random64(void);
/* Entries of at most max bytes; those of patterns with gaps. */
struct ibv_sge wb_random_sge(uint32_t max);
struct mlx5dv_mr_interleaved wb_random_interleaved(void);
/* Random access: RTE_UMR_ACCESS_*, and the same as IBV_ACCESS_*. */
uint32_t wb_random_access(unsigned int *verbs);

/* Copy a WQE from a ring of nb_bb_ring blocks. @return Position of the next one. */
uint16_t wb_wqe_copy(const uint8_t *ring, uint32_t nb_bb_ring, uint16_t pi, struct wb_wqe *wqe);

/* Start a request of libmlx5: signaled, and inline for a UMR. */
void wb_libmlx5_begin(bool is_umr);
/* Post it, copy its first WQE, and wait for its successful completion. */
void wb_libmlx5_end(struct wb_wqe *wqe);
/* The same for a request of nb WQEs. */
void wb_libmlx5_end_multi(struct wb_wqe *wqes, unsigned int nb);
void wb_libmlx5_wait(void);
/* Post a receive of that many bytes, at the end of the memory, to each side. */
void wb_receives_post(uint32_t len);
/* Wait for both; libmlx5's first, as its completion is in the CQ of its request. */
void wb_receives_wait(void);

/* The same for the operation of the driver enqueued at WQEBB pi with result ret. */
void wb_driver_end(int ret, uint16_t pi, struct wb_wqe *wqe);
void wb_driver_end_multi(int ret, uint16_t pi, struct wb_wqe *wqes, unsigned int nb);
void wb_driver_wait(uint16_t nb);

/* Check and clear the fields listed at the top of this file. */
void wb_mask_ctrl(struct wb_wqe *wqe, uint32_t qpn, uint16_t pi);
void wb_mask_imm(struct wb_wqe *wqe, uint32_t key);
void wb_mask_key(struct wb_wqe *wqe, uint32_t key);

void wb_assert_same(const struct wb_wqe *theirs, const struct wb_wqe *ours);
/* Positions of the next WQEs of both sides. */
void wb_pair_begin(struct wb_pair *pair);
void wb_pair_mask_ctrls(struct wb_pair *pair);
/* Check a big-endian number of each side, which may differ. */
void wb_pair_mask_be32(struct wb_pair *pair, size_t offset, uint32_t theirs, uint32_t ours);
/* Mask and compare UMRs of wb.mkey and wb.key. */
void wb_compare_umr(struct wb_pair *pair);
/* Invalidate both keys and compare. */
void wb_compare_invalidation(void);

#endif /* WQE_BYTES_H */
