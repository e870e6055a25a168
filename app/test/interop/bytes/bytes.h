/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef WQE_BYTES_H
#define WQE_BYTES_H

/*
 * The reference encoder: what an unmodified libmlx5 writes into its send ring for a request, and
 * what the driver writes into its own for the same one, byte for byte. One program for each
 * feature, wqe_bytes_<feature>.c, on one device with a queue pair of libmlx5 and a queue of the
 * driver, both connected to themselves.
 *
 * These fields differ and are compared by value or by rule, not byte by byte:
 *   - WQE index and QP number: each ring has its own;
 *   - completion mode: libmlx5 is asked for one each time, the driver asks once a submit;
 *   - key in ctrl.imm and its tag in the key context: each side configures a key of its own;
 *   - what the device ignores and libmlx5 leaves as an older WQE had it: ctrl.imm of a transfer
 *     without immediate, and the key context of an invalidation apart from free and the tag.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>
#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>
#include <rte_eal.h>
#include <rte_memory.h>
#include <rte_umr.h>

#include "../../cmocka_compat.h"
#include "budget.h"
#include "ring/queue.h"
#include "wqe/wqe.h"

#define WB_DEVICE	"mlx5_0"
#define WB_NB_DESC	256u
#define WB_MAX_WQE	1024u
#define WB_MEM_SIZE	65536u
#define WB_MAX_ENTRIES	PRM_UMR_INLINE_KLM_MAX
/* 828 bytes inline are what 52 KLMs need by libmlx5's count. */
#define WB_MAX_INLINE	828u

/* What a feature needs beside lists, patterns, transfers and invalidations; zero is plain. */
struct wb_conf {
	uint64_t ibv_ops;	/* IBV_QP_EX_WITH_* */
	uint64_t dv_ops;	/* MLX5DV_QP_EX_WITH_* */
	uint32_t mkey_flags;	/* MLX5DV_MKEY_INIT_ATTR_FLAGS_* */
	uint32_t pool_flags;	/* RTE_UMR_MKEY_POOL_F_* */
	uint16_t nb_recv_desc;	/* receives of the driver's queue; libmlx5's has one */
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
	uint16_t pi;		/* where the next WQE goes */
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

/* Open, create, connect; fails the test on any error. @return 0. */
int wb_setup(const struct wb_conf *conf);
int wb_teardown(void);
/* Run a group of tests in an EAL, with that configuration. @return Exit code of the program. */
#define wb_run(argc, argv, tests, setup, teardown)                                                 \
	(rte_eal_init(argc, argv) < 0 ? EXIT_FAILURE :                                             \
	 wb_end_of(cmocka_run_group_tests(tests, setup, teardown)))
int wb_end_of(int nb_failed);

uint32_t wb_random32(void);
/* Random rights: RTE_UMR_ACCESS_*, and the same as IBV_ACCESS_*. */
uint32_t wb_random_access(unsigned int *verbs);

/* Copy a WQE out of a ring of nb_bb_ring blocks. @return Where the next one begins. */
uint16_t wb_wqe_copy(const uint8_t *ring, uint32_t nb_bb_ring, uint16_t pi, struct wb_wqe *wqe);

/* A request of libmlx5 begins: signaled, an UMR also inline. */
void wb_libmlx5_begin(bool is_umr);
/* It is posted, its first WQE copied; it has completed, successfully. */
void wb_libmlx5_end(struct wb_wqe *wqe);
/* The same for a request of nb WQEs. */
void wb_libmlx5_end_multi(struct wb_wqe *wqes, unsigned int nb);
void wb_libmlx5_wait(void);

/* The driver's operation that was just enqueued at WQEBB pi with that result: the same. */
void wb_driver_end(int ret, uint16_t pi, struct wb_wqe *wqe);
void wb_driver_end_multi(int ret, uint16_t pi, struct wb_wqe *wqes, unsigned int nb);
void wb_driver_wait(uint16_t nb);

/* Take out the fields that the head of this file names, after checking them. */
void wb_mask_ctrl(struct wb_wqe *wqe, uint32_t qpn, uint16_t pi);
void wb_mask_imm(struct wb_wqe *wqe, uint32_t key);
void wb_mask_key(struct wb_wqe *wqe, uint32_t key);

void wb_assert_same(const struct wb_wqe *theirs, const struct wb_wqe *ours);
/* UMRs of wb.mkey and wb.key: mask, then compare. */
void wb_compare_umr(struct wb_wqe *theirs, uint16_t their_pi, struct wb_wqe *ours,
		    uint16_t our_pi);

#endif /* WQE_BYTES_H */
