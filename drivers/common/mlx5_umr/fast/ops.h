/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_OPS_H
#define MLX5_UMR_OPS_H

/**
 * @file
 * The one list of the driver's operations of the data path: the declarations of their functions and
 * the tables of queues (mlx5_umr.c, isa.c) come from it. A new operation needs a row
 * and its function; an operation of lib/umr without a row is rejected.
 */

#include "ring/queue.h"

/* mlx5_umr_NAME(): all queues, except receives of DC targets. */
#define MLX5_UMR_OPS(OP)                                                                           \
	OP(write)                                                                                  \
	OP(write_imm)                                                                              \
	OP(read)                                                                                   \
	OP(send)                                                                                   \
	OP(send_imm)                                                                               \
	OP(send_inv)                                                                               \
	OP(fetch_add)                                                                              \
	OP(cmp_swap)                                                                               \
	OP(write_burst)                                                                            \
	OP(read_burst)                                                                             \
	OP(send_burst)                                                                             \
	OP(write_list)                                                                             \
	OP(read_list)                                                                              \
	OP(send_list)                                                                              \
	OP(write_sg)                                                                               \
	OP(read_sg)                                                                                \
	OP(mkey_invalidate)                                                                        \
	OP(mkey_update)                                                                            \
	OP(mkey_write)                                                                             \
	OP(mkey_read)                                                                              \
	OP(mw_bind)                                                                                \
	OP(mw_invalidate)                                                                          \
	OP(recv)                                                                                   \
	OP(recv_burst)                                                                             \
	OP(submit)                                                                                 \
	OP(completed)                                                                              \
	OP(completed_status)                                                                       \
	OP(recv_completed)                                                                         \
	OP(desc_avail)                                                                             \
	OP(next_idx)                                                                               \
	OP(recv_next_idx)                                                                          \
	OP(dc_addr_set)

/* mlx5_umr_NAME_ISA(): all queues, the same source for several instruction sets. */
#define MLX5_UMR_ISA_OPS(OP, isa)                                                                  \
	OP(mkey_list, isa)                                                                         \
	OP(mkey_interleaved, isa)                                                                  \
	OP(mkey_configure, isa)                                                                    \
	OP(mkey_configure_burst, isa)                                                              \
	OP(mkey_invalidate_burst, isa)

/** Type of the pointer to the function of an operation. */
#define MLX5_UMR_OP_TYPE(name) __typeof__(((struct rte_umr_fp_ops *)0)->name)

#define MLX5_UMR_OP_DECLARE(name) __typeof__(*(MLX5_UMR_OP_TYPE(name))0) mlx5_umr_##name;
#define MLX5_UMR_ISA_OP_DECLARE(name, isa)                                                         \
	__typeof__(*(MLX5_UMR_OP_TYPE(name))0) mlx5_umr_##name##_##isa;

MLX5_UMR_OPS(MLX5_UMR_OP_DECLARE)

#endif /* MLX5_UMR_OPS_H */
