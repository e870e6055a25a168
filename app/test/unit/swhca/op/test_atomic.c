/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Atomics: what they do, in which byte order, and what they are rejected for. */

#include "include/inject.h"
#include "sig_world.h"
#include "types.h"

#define OP_CS 0x11
#define OP_FA 0x12

#define EVENT_INVAL_REQ	0x10
#define EVENT_ACCESS	0x11

struct atomic {
	struct pair pair;
	uint32_t key;		/* of mem on device 1, with atomic access */
	uint64_t *operand;	/* in mem */
	uint64_t *result;
};

static struct atomic *
atomic_create(uint32_t access, uint32_t atomic_mode)
{
	struct type_path path = { .access = access, .atomic_mode = atomic_mode };
	struct atomic *t = pair_create(sizeof(*t), NULL);
	struct pair *p = &t->pair;

	world_qp_modify(&p->a, 0x50a, 0, 0, 0);
	world_qp_modify(&p->b, 0x50a, 0, 0, 0);
	path.remote_qpn = p->a.qpn;
	path.lid = 1;
	type_to_rts(&p->b, &path);
	path.remote_qpn = p->b.qpn;
	path.lid = 2;
	type_to_rts(&p->a, &path);
	while (world_eqe(&p->w, 1) != NULL)
		;
	t->key = world_mtt_key(&p->w, 1, p->w.mem, 4096, WORLD_ALL | WORLD_ATOMIC);
	t->operand = (uint64_t *)(void *)(p->w.mem + 64);
	t->result = (uint64_t *)(void *)(p->w.mem + 8192);
	*t->operand = 41;
	return t;
}

static int
atomic_setup(void **state)
{
	*state = atomic_create(ALL_QP_ACCESS, 1);
	return 0;
}

#define ATOMIC_CASE(f) CASE_OF(struct atomic, t, f, atomic_setup, teardown)

static void
post_atomic(struct atomic *t, uint8_t op, uint64_t addr, uint32_t key, uint64_t swap_add,
	    uint64_t compare, uint32_t len)
{
	struct pair *p = &t->pair;
	uint8_t body[48] = { 0 }, seg[32];

	world_rdma_body(seg, addr, key, t->result, p->w.mem_key[0], len);
	memcpy(body, seg, 16);
	world_put64(body, 4, swap_add);
	world_put64(body, 6, compare);
	memcpy(body + 32, seg + 16, 16);
	world_post(&p->a, op, CE, 0, body, 3);
	ring_run(p, &p->a);
}

ATOMIC_CASE(add_returns_what_was_there)
{
	const struct mlx5_cqe64 *cqe;

	*t->operand = 0x1122334455667788;
	post_atomic(t, OP_FA, (uintptr_t)t->operand, t->key, 0x10, 0, 8);
	cqe = world_send_cqe(&t->pair.a);
	expect_done(cqe, 0);
	assert_int_equal(be32toh(cqe->sop_drop_qpn) >> 24, OP_FA);
	assert_int_equal(be32toh(cqe->byte_cnt), 8);
	assert_true(*t->operand == 0x1122334455667798);
	assert_true(*t->result == 0x1122334455667788);
	/* It wraps. */
	*t->operand = UINT64_MAX;
	post_atomic(t, OP_FA, (uintptr_t)t->operand, t->key, 2, 0, 8);
	expect_done(world_send_cqe(&t->pair.a), 1);
	assert_int_equal(*t->operand, 1);
}

ATOMIC_CASE(swap_happens_only_if_equal)
{
	post_atomic(t, OP_CS, (uintptr_t)t->operand, t->key, 99, 40, 8);
	expect_done(world_send_cqe(&t->pair.a), 0);
	assert_int_equal(*t->operand, 41);
	assert_int_equal(*t->result, 41);
	post_atomic(t, OP_CS, (uintptr_t)t->operand, t->key, 99, 41, 8);
	expect_done(world_send_cqe(&t->pair.a), 1);
	assert_int_equal(*t->operand, 99);
	assert_int_equal(*t->result, 41);
}

CASE(what_is_not_allowed_is_rejected)
{
	static const struct {
		const char *name;
		uint32_t access, mode;	/* of the queue pairs */
		uint8_t op;
		uint32_t offset;	/* of the operand */
		bool is_mem_key;	/* one without the right */
		uint64_t compare;
		uint32_t len;
		uint8_t syndrome, event;
	} rows[] = {
		{ "odd address", ALL_QP_ACCESS, 1, OP_FA, 4, false, 0, 8,
		  MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR, EVENT_INVAL_REQ },
		{ "key without the right", ALL_QP_ACCESS, 1, OP_FA, 0, true, 0, 8,
		  MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR, EVENT_ACCESS },
		{ "QP without the right", ALL_QP_ACCESS & ~1u, 1, OP_CS, 0, false, 41, 8,
		  MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR, 0 },
		{ "QP without a mode", ALL_QP_ACCESS, 0, OP_CS, 0, false, 41, 8,
		  MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR, 0 },
		{ "result of another size", ALL_QP_ACCESS, 1, OP_FA, 0, false, 0, 4,
		  MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR, 0 },
		{ "WQE without operands", ALL_QP_ACCESS, 1, 0, 0, false, 0, 0,
		  MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR, 0 },
	};
	const uint8_t none[16] = { 0 };
	struct atomic *t;

	for (size_t i = 0; i < NB_OF(rows); i++) {
		t = atomic_create(rows[i].access, rows[i].mode);
		if (rows[i].op != 0) {
			post_atomic(t, rows[i].op, (uintptr_t)t->operand + rows[i].offset,
				    rows[i].is_mem_key ? t->pair.w.mem_key[1] : t->key, 1,
				    rows[i].compare, rows[i].len);
		} else {
			world_post(&t->pair.a, OP_FA, CE, 0, none, 1);
			ring_run(&t->pair, &t->pair.a);
		}
		row_check(rows[i].name, next_syndrome(&t->pair.a), rows[i].syndrome);
		row_check(rows[i].name, (long long)*t->operand, 41);
		row_check(rows[i].name, world_qp_state(&t->pair.a), 6);
		if (rows[i].event != 0)
			expect_event(&t->pair.w, 1, rows[i].event, t->pair.b.qpn);
		pair_destroy(&t->pair);
	}
}

ATOMIC_CASE(capabilities_tell_of_it)
{
	uint8_t out[0x1010];

	assert_int_equal(world_query(t->pair.a.hca, 0x100, 3 << 1 | 1, 0, out, sizeof(out)), 0);
	assert_int_equal(out[0x10 + 8] >> 6, 1);	/* 8 bytes in host order */
	assert_int_equal(out[0x10 + 19], 3);		/* compare and swap, fetch and add */
	assert_int_equal(out[0x10 + 23], 8);
}

/* Not even below a list, where an atomic operation is a write like any other. */
ATOMIC_CASE(operand_in_a_signed_key_is_rejected)
{
	struct pair *p = &t->pair;
	const struct sig_conf conf = {
		.mem = { .type = ORACLE_CRC32, .block = 512, .psv = sig_psv(p, 1) },
	};
	uint32_t inner = sig_key(p, 1, 4, 4, false), outer = world_klm_key(&p->w, 1, 4);
	struct world_klm klm = { 516, p->w.mem_key[1], (uintptr_t)t->operand };
	uint8_t bsf[64], body[1008];

	sig_bsf(bsf, &conf);
	sig_post_umr(&p->b, inner, 516, &klm, 1, bsf, sizeof(bsf), false);
	klm = (struct world_klm){ 512, inner, 0 };
	world_post(&p->b, OP_UMR, 0, outer, body,
		   world_umr_list(body, outer, ALL_ACCESS | WORLD_ATOMIC, 512, &klm, 1));
	ring_run(p, &p->b);
	assert_null(world_send_cqe(&p->b));
	post_atomic(t, OP_FA, 0, outer, htobe64(1), 0, 8);
	expect_last(&p->a, MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR);
	assert_int_equal(*t->operand, 41);
	assert_int_equal(world_qp_state(&p->a), 6);
}

/* The answer may come later, and is an access of the same operation. */
ATOMIC_CASE(unmapped_result_is_counted_once)
{
	const struct swhca_inject inject = {
		.cls = SWHCA_INJECT_UNMAP, .sides = SWHCA_INJECT_LOCAL, .nth = 2, .count = 1,
		.one_of = 1, .addr = world_bus(t->result), .len = sizeof(*t->result),
	};

	assert_int_equal(swhca_hca_inject(t->pair.a.hca, &inject, 1), 0);
	post_atomic(t, OP_FA, (uintptr_t)t->operand, t->key, 1, 0, 8);
	expect_done(world_send_cqe(&t->pair.a), 0);
	assert_int_equal(*t->result, 41);
	post_atomic(t, OP_FA, (uintptr_t)t->operand, t->key, 1, 0, 8);
	expect_last(&t->pair.a, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
	assert_int_equal(*t->result, 41);
}
