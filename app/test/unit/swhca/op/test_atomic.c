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

#define ACCESS_ATOMIC (WORLD_LR | WORLD_LW | WORLD_RR | WORLD_RW | 0x40u)

struct atomic {
	struct pair pair;
	uint32_t key;		/* of mem on device 1, with atomic access */
	uint64_t *operand;	/* in mem */
	uint64_t *result;
};

static int
atomic_setup_as(void **state, uint32_t access, uint32_t atomic_mode)
{
	struct atomic *t = calloc(1, sizeof(*t));
	struct type_path path = { .access = access, .atomic_mode = atomic_mode };
	const struct type_opts opts = { .st = ST_RC };
	struct pair *p = &t->pair;

	swhca_log_level = SWHCA_LOG_NONE;
	assert_non_null(t);
	world_create(&p->w);
	type_qp_create(&p->w, 0, &p->a, &opts);
	type_qp_create(&p->w, 1, &p->b, &opts);
	path.remote_qpn = p->a.qpn;
	path.lid = 1;
	type_to_rts(&p->b, &path);
	path.remote_qpn = p->b.qpn;
	path.lid = 2;
	type_to_rts(&p->a, &path);
	t->key = world_mtt_key(&p->w, 1, p->w.mem, 4096, ACCESS_ATOMIC);
	t->operand = (uint64_t *)(void *)(p->w.mem + 64);
	t->result = (uint64_t *)(void *)(p->w.mem + 8192);
	*state = t;
	return 0;
}

static int
atomic_setup(void **state)
{
	return atomic_setup_as(state, ALL_QP_ACCESS, 1);
}

static int
no_right_setup(void **state)
{
	return atomic_setup_as(state, ALL_QP_ACCESS & ~1u, 1);
}

static int
no_mode_setup(void **state)
{
	return atomic_setup_as(state, ALL_QP_ACCESS, 0);
}

static int
atomic_teardown(void **state)
{
	struct atomic *t = *state;

	world_qp_destroy(&t->pair.a);
	world_qp_destroy(&t->pair.b);
	world_destroy(&t->pair.w);
	free(t);
	return 0;
}

static void
post_atomic(struct atomic *t, uint8_t op, uint64_t addr, uint32_t key, uint64_t swap_add,
	    uint64_t compare, uint32_t len)
{
	struct pair *p = &t->pair;
	uint8_t body[48] = { 0 }, seg[32];

	world_rdma_body(seg, addr, key, t->result, p->w.mem_key[0], len);
	memcpy(body, seg, 16);
	type_put64(body, 4, swap_add);
	type_put64(body, 6, compare);
	memcpy(body + 32, seg + 16, 16);
	world_post(&p->a, op, CE, 0, body, 3);
	world_ring(&p->a);
	world_run(&p->w);
}

static void
expect_rejected(struct atomic *t, uint8_t syndrome)
{
	expect_error(world_send_cqe(&t->pair.a), MLX5_CQE_REQ_ERR, syndrome);
	assert_int_equal(*t->operand, 41);
	assert_int_equal(world_qp_state(&t->pair.a), 6);
}

static void
add_returns_what_was_there(void **state)
{
	struct atomic *t = *state;
	const struct mlx5_cqe64 *cqe;

	*t->operand = 0x1122334455667788;
	post_atomic(t, OP_FA, (uintptr_t)t->operand, t->key, 0x10, 0, 8);
	cqe = world_send_cqe(&t->pair.a);
	expect_done(cqe, 0);
	assert_int_equal(be32toh(cqe->sop_drop_qpn) >> 24, OP_FA);
	assert_int_equal(be32toh(cqe->byte_cnt), 8);
	assert_true(*t->operand == 0x1122334455667798);
	assert_true(*t->result == 0x1122334455667788);
}

static void
add_wraps(void **state)
{
	struct atomic *t = *state;

	*t->operand = UINT64_MAX;
	post_atomic(t, OP_FA, (uintptr_t)t->operand, t->key, 2, 0, 8);
	expect_done(world_send_cqe(&t->pair.a), 0);
	assert_int_equal(*t->operand, 1);
}

static void
swap_happens_only_if_equal(void **state)
{
	struct atomic *t = *state;

	*t->operand = 41;
	post_atomic(t, OP_CS, (uintptr_t)t->operand, t->key, 99, 40, 8);
	expect_done(world_send_cqe(&t->pair.a), 0);
	assert_int_equal(*t->operand, 41);
	assert_int_equal(*t->result, 41);
	post_atomic(t, OP_CS, (uintptr_t)t->operand, t->key, 99, 41, 8);
	expect_done(world_send_cqe(&t->pair.a), 1);
	assert_int_equal(*t->operand, 99);
	assert_int_equal(*t->result, 41);
}

static void
odd_address_is_an_invalid_request(void **state)
{
	struct atomic *t = *state;

	*t->operand = 41;
	post_atomic(t, OP_FA, (uintptr_t)t->operand + 4, t->key, 1, 0, 8);
	expect_rejected(t, MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR);
	expect_event(&t->pair.w, 1, EVENT_INVAL_REQ, t->pair.b.qpn);
}

static void
key_without_the_right_is_rejected(void **state)
{
	struct atomic *t = *state;

	*t->operand = 41;
	post_atomic(t, OP_FA, (uintptr_t)t->operand, t->pair.w.mem_key[1], 1, 0, 8);
	expect_rejected(t, MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR);
	expect_event(&t->pair.w, 1, EVENT_ACCESS, t->pair.b.qpn);
}

static void
qp_without_the_right_is_rejected(void **state)
{
	struct atomic *t = *state;

	*t->operand = 41;
	post_atomic(t, OP_CS, (uintptr_t)t->operand, t->key, 1, 41, 8);
	expect_rejected(t, MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR);
}

static void
result_of_another_size_is_rejected(void **state)
{
	struct atomic *t = *state;

	*t->operand = 41;
	post_atomic(t, OP_FA, (uintptr_t)t->operand, t->key, 1, 0, 4);
	expect_rejected(t, MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR);
}

static void
wqe_without_operands_is_rejected(void **state)
{
	struct atomic *t = *state;
	uint8_t body[16] = { 0 };

	*t->operand = 41;
	world_post(&t->pair.a, OP_FA, CE, 0, body, 1);
	world_ring(&t->pair.a);
	world_run(&t->pair.w);
	expect_rejected(t, MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR);
}

static void
capabilities_tell_of_it(void **state)
{
	struct atomic *t = *state;
	uint8_t in[16] = { 0 }, out[0x1010];

	world_put(in, 0, 16, 0x100);
	world_put(in, 1, 0, 3 << 1 | 1);
	assert_int_equal(swhca_hca_cmd_exec(t->pair.a.hca, in, sizeof(in), out, sizeof(out)), 0);
	assert_int_equal(out[0x10 + 8] >> 6, 1);	/* 8 bytes in host order */
	assert_int_equal(out[0x10 + 19], 3);		/* compare and swap, fetch and add */
	assert_int_equal(out[0x10 + 23], 8);
}

#define ATOMIC_CASE(f) cmocka_unit_test_setup_teardown(f, atomic_setup, atomic_teardown)

/* Not even below a list, where an atomic operation is a write like any other. */
static void
operand_in_a_signed_key_is_rejected(void **state)
{
	struct atomic *t = *state;
	struct pair *p = &t->pair;
	const struct sig_conf conf = {
		.mem = { .type = ORACLE_CRC32, .block = 512, .psv = sig_psv(p, 1) },
	};
	uint32_t inner = sig_key(p, 1, 4, 4, false), outer = world_klm_key(&p->w, 1, 4);
	struct world_klm klm = { 516, p->w.mem_key[1], (uintptr_t)t->operand };
	uint8_t bsf[64], body[1008];

	*t->operand = 41;
	sig_bsf(bsf, &conf);
	sig_post_umr(&p->b, inner, 516, &klm, 1, bsf, sizeof(bsf), false);
	klm = (struct world_klm){ 512, inner, 0 };
	world_post(&p->b, OP_UMR, 0, outer, body,
		   world_umr_list(body, outer, ALL_ACCESS | 0x40, 512, &klm, 1));
	world_ring(&p->b);
	world_run(&p->w);
	assert_null(world_send_cqe(&p->b));
	post_atomic(t, OP_FA, 0, outer, htobe64(1), 0, 8);
	expect_rejected(t, MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR);
}

/* The answer may come later, and is an access of the same operation. */
static void
unmapped_result_is_counted_once(void **state)
{
	struct atomic *t = *state;
	const struct swhca_inject inject = {
		.cls = SWHCA_INJECT_UNMAP, .sides = SWHCA_INJECT_LOCAL, .nth = 2, .count = 1,
		.one_of = 1, .addr = world_bus(t->result), .len = sizeof(*t->result),
	};

	*t->operand = 41;
	assert_int_equal(swhca_hca_inject(t->pair.a.hca, &inject, 1), 0);
	post_atomic(t, OP_FA, (uintptr_t)t->operand, t->key, 1, 0, 8);
	expect_done(world_send_cqe(&t->pair.a), 0);
	assert_int_equal(*t->result, 41);
	post_atomic(t, OP_FA, (uintptr_t)t->operand, t->key, 1, 0, 8);
	expect_error(world_send_cqe(&t->pair.a), MLX5_CQE_REQ_ERR,
		     MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
	assert_int_equal(*t->result, 41);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		ATOMIC_CASE(add_returns_what_was_there),
		ATOMIC_CASE(add_wraps),
		ATOMIC_CASE(swap_happens_only_if_equal),
		ATOMIC_CASE(odd_address_is_an_invalid_request),
		ATOMIC_CASE(key_without_the_right_is_rejected),
		cmocka_unit_test_setup_teardown(qp_without_the_right_is_rejected, no_right_setup,
						atomic_teardown),
		cmocka_unit_test_setup_teardown(qp_without_the_right_is_rejected, no_mode_setup,
						atomic_teardown),
		ATOMIC_CASE(result_of_another_size_is_rejected),
		ATOMIC_CASE(wqe_without_operands_is_rejected),
		ATOMIC_CASE(operand_in_a_signed_key_is_rejected),
		ATOMIC_CASE(unmapped_result_is_counted_once),
		ATOMIC_CASE(capabilities_tell_of_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
