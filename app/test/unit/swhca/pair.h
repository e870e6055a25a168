/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_PAIR_H
#define SWHCA_PAIR_H

/**
 * @file
 * A connected pair of queue pairs, one on each device of a world, and common operations.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "../../cmocka_compat.h"
#include "base/log.h"
#include "world.h"

#define CE	0x08	/* completion always */
#define FENCE	0x20	/* initiator small fence */
#define OP_NOP	0x00
#define OP_WRITE 0x08
#define OP_WRITE_IMM 0x09
#define OP_SEND 0x0a
#define OP_SEND_IMM 0x0b
#define OP_READ 0x10
#define OP_UMR	0x25

#define ALL_ACCESS (WORLD_LW | WORLD_RR | WORLD_RW)

struct pair {
	struct world w;
	struct world_qp a;	/* on device 0 */
	struct world_qp b;	/* on device 1 */
};

static inline int
setup(void **state)
{
	struct pair *p = calloc(1, sizeof(*p));

	swhca_log_level = SWHCA_LOG_NONE;
	assert_non_null(p);
	world_create(&p->w);
	world_qp_create(&p->w, 0, &p->a);
	world_qp_create(&p->w, 1, &p->b);
	world_qp_connect(&p->w, &p->a, &p->b);
	*state = p;
	return 0;
}

static inline int
teardown(void **state)
{
	struct pair *p = *state;

	world_qp_destroy(&p->a);
	world_qp_destroy(&p->b);
	world_destroy(&p->w);
	free(p);
	return 0;
}

static inline void
fill(uint8_t *mem, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		mem[i] = (uint8_t)(i * 7 + i / 251);
}

static inline void
expect_error(const struct mlx5_cqe64 *cqe, uint8_t opcode, uint8_t syndrome)
{
	assert_non_null(cqe);
	assert_int_equal(cqe->op_own >> 4, opcode);
	assert_int_equal(((const struct mlx5_err_cqe *)cqe)->syndrome, syndrome);
}

static inline void
expect_done(const struct mlx5_cqe64 *cqe, uint16_t index)
{
	assert_non_null(cqe);
	assert_int_equal(cqe->op_own >> 4, 0);
	assert_int_equal(be16toh(cqe->wqe_counter), index);
}

static inline void
post_umr(struct pair *p, uint32_t key, uint8_t access, uint64_t len, const struct world_klm *klms,
	 uint32_t nb)
{
	uint8_t body[1008];
	uint32_t nb_ds = world_umr_list(body, key, access, len, klms, nb);

	world_post(&p->a, OP_UMR, 0, key, body, nb_ds);
}

static inline void
post_transfer(struct world_qp *qp, uint8_t op, uint8_t flags, uint64_t raddr, uint32_t rkey,
	      const void *addr, uint32_t lkey, uint32_t len)
{
	uint8_t body[32];

	world_rdma_body(body, raddr, rkey, addr, lkey, len);
	world_post(qp, op, flags, 0, body, 2);
}

/* A write through `lkey` must fail with the given error and put the QP into the error state. */
static inline void
expect_write_rejected(struct pair *p, uint32_t lkey, uint64_t addr, uint32_t len, uint32_t rkey,
		      uint8_t syndrome)
{
	post_transfer(&p->a, OP_WRITE, FENCE, (uintptr_t)p->w.mem, rkey, (void *)(uintptr_t)addr,
		      lkey, len);
	world_ring(&p->a);
	world_run(&p->w);
	expect_error(world_send_cqe(&p->a), MLX5_CQE_REQ_ERR, syndrome);
	assert_int_equal(world_qp_state(&p->a), 6);
}

/* CPU time of this thread, independent of the load of the machine. */
static inline uint64_t
cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static inline const struct mlx5_cqe64 *
wait_send_cqe(struct pair *p, struct world_qp *qp)
{
	return world_wait_cqe(&p->w, qp, world_send_cqe);
}

static inline void
post_send(struct world_qp *qp, uint32_t key, const void *addr, uint32_t len)
{
	uint8_t body[32];

	world_rdma_body(body, 0, 0, addr, key, len);
	world_post(qp, OP_SEND, CE, 0, body + 16, 1);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

#endif /* SWHCA_PAIR_H */
