/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_PAIR_H
#define SWHCA_PAIR_H

/**
 * @file
 * A connected pair of queue pairs, one on each device of a world, and common operations.
 */

#include <time.h>

#include "cases.h"
#include "base/log.h"
#include "world.h"

#define CE	0x08	/* completion always */
#define FENCE	0x20	/* initiator small fence */
#define OP_NOP	0x00
#define OP_WRITE 0x08
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

/* Zeroed bytes, of which the first are a pair, connected, on devices of that or the usual conf. */
static inline void *
pair_create(size_t size, const struct swhca_hca_conf *conf)
{
	struct swhca_hca_conf usual[2];
	struct pair *p = NOT_NULL(calloc(1, size));

	world_conf(usual);
	world_create_conf(&p->w, conf != NULL ? conf : usual);
	world_qp_create(&p->w, 0, &p->a);
	world_qp_create(&p->w, 1, &p->b);
	world_qp_connect(&p->w, &p->a, &p->b);
	return p;
}

static inline int
setup(void **state)
{
	*state = pair_create(sizeof(struct pair), NULL);
	return 0;
}

static inline void
pair_destroy(void *arg)
{
	struct pair *p = arg;

	world_qp_destroy(&p->a);
	world_qp_destroy(&p->b);
	world_destroy(&p->w);
	free(p);
}

static inline int
teardown(void **state)
{
	pair_destroy(*state);
	return 0;
}

/* Destroy what the last case of a test has. From now on a failure tells the name of the next. */
static inline void
case_name(void **state, const char *name)
{
	void *last = *state;

	*state = NULL;
	if (last != NULL)
		world_case_destroy(last);
	world_case = name;
}

/* What the case that has a name has, until the next one. */
static inline void *
case_begin(void **state, void *own, void (*destroy)(void *arg))
{
	world_case_destroy = destroy;
	return *state = own;
}

/* The next case has a new pair, with devices of that or the usual conf. */
static inline struct pair *
next_case_conf(void **state, const char *name, const struct swhca_hca_conf *conf)
{
	case_name(state, name);
	return case_begin(state, pair_create(sizeof(struct pair), conf), pair_destroy);
}

static inline struct pair *
next_case(void **state, const char *name)
{
	return next_case_conf(state, name, NULL);
}

static inline void
end_cases(void **state)
{
	case_name(state, NULL);
}

static inline int
cases_setup(void **state)
{
	*state = NULL;
	return 0;
}

/* A case that is still open has failed. */
static inline int
cases_teardown(void **state)
{
	if (world_case == NULL)
		return 0;
	print_error("did not end: %s\n", world_case);
	world_case = NULL;
	end_cases(state);
	return -1;
}

static inline void
fill(uint8_t *mem, size_t len)
{
	for (size_t i = 0; i < len; i++)
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
ring_run(struct pair *p, struct world_qp *qp)
{
	world_ring(qp);
	world_run(&p->w);
}

static inline void
run_after(struct pair *p, uint64_t ns)
{
	world_wait(ns);
	world_run(&p->w);
}

/* A CQE of the last WQE posted, with that syndrome or good. */
static inline void
expect_cqe(struct world_qp *qp, const struct mlx5_cqe64 *cqe, uint8_t syndrome)
{
	if (syndrome != 0)
		expect_error(cqe, MLX5_CQE_REQ_ERR, syndrome);
	else
		expect_done(cqe, qp->last);
}

static inline void
expect_last(struct world_qp *qp, uint8_t syndrome)
{
	expect_cqe(qp, world_send_cqe(qp), syndrome);
}

/* Ring and let time pass until there is a CQE of that WQE. */
static inline void
expect_later(struct pair *p, struct world_qp *qp, uint8_t syndrome)
{
	world_ring(qp);
	expect_cqe(qp, world_wait_cqe(&p->w, qp, world_send_cqe), syndrome);
}

static inline void
expect_run(struct pair *p, struct world_qp *qp, uint8_t syndrome)
{
	ring_run(p, qp);
	expect_last(qp, syndrome);
}

static inline void
expect_dones(struct world_qp *qp, uint16_t first, unsigned int nb)
{
	for (unsigned int i = 0; i < nb; i++)
		expect_done(world_send_cqe(qp), (uint16_t)(first + i));
	assert_null(world_send_cqe(qp));
}

static inline void
post_nops(struct world_qp *qp, unsigned int nb)
{
	for (; nb > 0; nb--)
		world_post(qp, OP_NOP, CE, 0, NULL, 0);
}

static inline void
run_nops(struct pair *p, struct world_qp *qp, unsigned int nb)
{
	post_nops(qp, nb);
	ring_run(p, qp);
}

/* The syndrome of the next CQE, 0 of a good one of the last WQE, or -1 if there is none. */
static inline int
next_syndrome(struct world_qp *qp)
{
	const struct mlx5_cqe64 *cqe = world_send_cqe(qp);

	if (cqe == NULL)
		return -1;
	if (cqe->op_own >> 4 == MLX5_CQE_REQ) {
		assert_int_equal(be16toh(cqe->wqe_counter), qp->last);
		return 0;
	}
	assert_int_equal(cqe->op_own >> 4, MLX5_CQE_REQ_ERR);
	return ((const struct mlx5_err_cqe *)cqe)->syndrome;
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

/* Between places of memory, from a queue pair of a device to the other one. */
static inline void
post_mem(struct pair *p, struct world_qp *qp, uint8_t op, size_t remote, size_t local, uint32_t len)
{
	int dev = qp->hca == p->w.dev[0].hca ? 0 : 1;

	post_transfer(qp, op, CE, (uintptr_t)p->w.mem + remote, p->w.mem_key[1 - dev],
		      p->w.mem + local, p->w.mem_key[dev], len);
}

/* A write through `lkey` must fail with the given error and put the QP into the error state. */
static inline void
expect_write_rejected(struct pair *p, uint32_t lkey, uint64_t addr, uint32_t len, uint32_t rkey,
		      uint8_t syndrome)
{
	post_transfer(&p->a, OP_WRITE, FENCE, (uintptr_t)p->w.mem, rkey, (void *)(uintptr_t)addr,
		      lkey, len);
	expect_run(p, &p->a, syndrome);
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

/* A case that has a pair p. */
#define PAIR_CASE(f) CASE_OF(struct pair, p, f, setup, teardown)
/* Several cases, each of which begins by next_case() or the like. */
#define CASES(f) \
	static void f##_cases(void **state); \
	static void \
	f(void **state) \
	{ \
		f##_cases(state); \
		end_cases(state); \
	} \
	CASE_ADD(true, f, #f, f, cases_setup, cases_teardown) \
	static void f##_cases(void **state)

#endif /* SWHCA_PAIR_H */
