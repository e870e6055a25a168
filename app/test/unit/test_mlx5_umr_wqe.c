/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * WQE builder: bytes typed by hand from the layouts of mlx5dv.h, and every place of the ring.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mlx5_umr_wqe.h"

#define BB		64
#define NB_WQEBB_MAX	16
#define POISON		0xa5

#define ZERO_16	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
#define ZERO_32	ZERO_16, ZERO_16
#define ZERO_48	ZERO_32, ZERO_16

#define QPN	0x123456
#define PI	0x10203	/* the index in a WQE has 16 bits */

/* free, RW LW = 0x28; 0xffffff + tag; pd 0; start 0; length; then nothing */
#define MKC(access, tag, l3, l2, l1, l0)                                                           \
	0x00, 0x00, access, 0x00, 0xff, 0xff, 0xff, tag, 0, 0, 0, 0, 0, 0, 0, 0,                   \
	0, 0, 0, 0, 0, 0, 0, 0, 0x00, 0x00, 0x00, 0x00, l3, l2, l1, l0, ZERO_32

/* inline; octowords; FREE, A, RW, RR, LW, MKEY, LEN */
#define UMR(octowords)                                                                             \
	0x80, 0, 0, 0, 0x00, octowords, 0x00, 0x00,                                                \
	0x00, 0x00, 0x00, 0x00, 0x20, 0x3c, 0x20, 0x01, ZERO_32

/* index 0x0203, opcode; QPN, DS; fence; immediate */
#define CTRL(opcode, ds, fm, i3, i2, i1, i0)                                                       \
	0x00, 0x02, 0x03, opcode, 0x12, 0x34, 0x56, ds, 0x00, 0x00, 0x00, fm, i3, i2, i1, i0

static uint8_t ring[64 * BB];

static struct mlx5_umr_cursor
cursor_new(void)
{
	memset(ring, POISON, sizeof(ring));
	return (struct mlx5_umr_cursor){ .ring = ring, .mask = 63, .pi = PI };
}

/** What was built is at the place that PI means, and nothing else was written. */
static void
check(const struct mlx5_umr_cursor *cursor, const uint8_t *bytes, size_t size)
{
	const size_t start = (PI & 63) * BB;
	const size_t end = start + (cursor->pi - PI) * BB;
	size_t i;

	assert_int_equal((cursor->pi - PI), (size + BB - 1) / BB);
	assert_memory_equal(ring + start, bytes, size);
	for (i = 0; i < sizeof(ring); i++)
		if (i < start || i >= end)
			assert_int_equal(ring[i], POISON);
}

static void
list_of_1_has_golden_bytes(void **state)
{
	static const uint8_t golden[] = {
		CTRL(0x25, 0x0c, 0x20, 0xab, 0xcd, 0xef, 0x07), UMR(4),
		MKC(0x28, 0x07, 0x00, 0x00, 0x10, 0x01),
		0x00, 0x00, 0x10, 0x01, 0x00, 0xaa, 0xbb, 0x00,
		0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88,
		ZERO_48,
	};
	const struct mlx5_umr_ctrl ctrl = { QPN, RTE_BE32(0xabcdef07), 0x20 };
	const struct rte_umr_seg seg = { 0x1122334455667788, 0x1001, 0x00aabb00 };
	struct mlx5_umr_cursor cursor = cursor_new();

	(void)state;
	mlx5_umr_list_build(&cursor, &ctrl, 0xabcdef07,
			    RTE_UMR_ACCESS_LOCAL_WRITE | RTE_UMR_ACCESS_REMOTE_WRITE, &seg, 1,
			    0x1001);
	check(&cursor, golden, sizeof(golden));
}

static const struct rte_umr_seg five_segs[] = {
	{ 0x1000, 0x01, 0x100 }, { 0x2000, 0x02, 0x200 }, { 0x3000, 0x03, 0x300 },
	{ 0x4000, 0x04, 0x400 }, { 0x5000, 0x80000000, 0x500 },
};

#define KLM_OF_FIVE(n)                                                                             \
	0x00, 0x00, 0x00, n, 0x00, 0x00, n, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, (n) << 4, 0x00

static void
list_of_4_fills_its_last_block(void **state)
{
	static const uint8_t golden[] = {
		CTRL(0x25, 0x0c, 0x00, 0x00, 0x00, 0x33, 0xff), UMR(4),
		MKC(0x78, 0xff, 0x00, 0x00, 0x00, 0x0a),
		KLM_OF_FIVE(1), KLM_OF_FIVE(2), KLM_OF_FIVE(3), KLM_OF_FIVE(4),
	};
	const struct mlx5_umr_ctrl ctrl = { QPN, RTE_BE32(0x33ff), 0x00 };
	struct mlx5_umr_cursor cursor = cursor_new();

	(void)state;
	mlx5_umr_list_build(&cursor, &ctrl, 0x33ff, RTE_UMR_ACCESS_ALL, five_segs, 4, 10);
	check(&cursor, golden, sizeof(golden));
}

static void
list_of_5_takes_8_slots(void **state)
{
	static const uint8_t golden[] = {
		CTRL(0x25, 0x10, 0x00, 0x00, 0x00, 0x33, 0x00), UMR(8),
		MKC(0x00, 0x00, 0x80, 0x00, 0x00, 0x0a),
		KLM_OF_FIVE(1), KLM_OF_FIVE(2), KLM_OF_FIVE(3), KLM_OF_FIVE(4),
		0x80, 0x00, 0x00, 0x00, 0x00, 0x00, 0x05, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x50, 0x00,
		ZERO_48,
	};
	const struct mlx5_umr_ctrl ctrl = { QPN, RTE_BE32(0x3300), 0x00 };
	struct mlx5_umr_cursor cursor = cursor_new();

	(void)state;
	mlx5_umr_list_build(&cursor, &ctrl, 0x3300, 0, five_segs, 5, 0x8000000a);
	check(&cursor, golden, sizeof(golden));
}

static void
interleaved_of_1_has_golden_bytes(void **state)
{
	static const uint8_t golden[] = {
		CTRL(0x25, 0x0c, 0x00, 0x00, 0x01, 0x02, 0x03), UMR(4),
		MKC(0x10, 0x03, 0x00, 0x00, 0x50, 0x00),
		/* bytes of a block; repeat block; repeat; 1 entry */
		0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x04, 0x00,
		0x00, 0x00, 0x00, 0x28, 0x00, 0x00, 0x00, 0x01,
		/* stride; count; key; address */
		0x02, 0x08, 0x02, 0x00, 0x00, 0x77, 0x66, 0x00,
		0x00, 0x00, 0x7f, 0x00, 0x00, 0x00, 0x10, 0x00,
		ZERO_32,
	};
	const struct rte_umr_interleaved entry = { 0x7f0000001000, 512, 8, 0x776600 };
	const struct mlx5_umr_ctrl ctrl = { QPN, RTE_BE32(0x10203), 0x00 };
	struct mlx5_umr_cursor cursor = cursor_new();

	(void)state;
	mlx5_umr_interleaved_build(&cursor, &ctrl, 0x10203, RTE_UMR_ACCESS_REMOTE_READ, 40, &entry,
				   1, 512);
	check(&cursor, golden, sizeof(golden));
}

static void
interleaved_of_4_takes_8_slots(void **state)
{
	static const uint8_t golden[] = {
		CTRL(0x25, 0x10, 0x00, 0x00, 0x01, 0x02, 0x03), UMR(8),
		MKC(0x08, 0x03, 0x00, 0x00, 0x00, 0x1e),
		0x00, 0x00, 0x00, 0x0a, 0x00, 0x00, 0x04, 0x00,
		0x00, 0x00, 0x00, 0x03, 0x00, 0x00, 0x00, 0x04,
		0x00, 0x11, 0x00, 0x01, 0x00, 0x00, 0x00, 0x10,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x10, 0x00,
		0x00, 0x22, 0x00, 0x02, 0x00, 0x00, 0x00, 0x20,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x20, 0x00,
		0x00, 0x33, 0x00, 0x03, 0x00, 0x00, 0x00, 0x30,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x30, 0x00,
		0xff, 0xff, 0x00, 0x04, 0x00, 0x00, 0x00, 0x40,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x40, 0x00,
		ZERO_48,
	};
	const struct rte_umr_interleaved entries[] = {
		{ 0x1000, 1, 0x10, 0x10 }, { 0x2000, 2, 0x20, 0x20 },
		{ 0x3000, 3, 0x30, 0x30 }, { 0x4000, 4, 0xfffb, 0x40 },
	};
	const struct mlx5_umr_ctrl ctrl = { QPN, RTE_BE32(0x10203), 0x00 };
	struct mlx5_umr_cursor cursor = cursor_new();

	(void)state;
	mlx5_umr_interleaved_build(&cursor, &ctrl, 0x10203, RTE_UMR_ACCESS_LOCAL_WRITE, 3, entries,
				   4, 10);
	check(&cursor, golden, sizeof(golden));
}

static void
invalidate_has_golden_bytes(void **state)
{
	static const uint8_t golden[] = {
		CTRL(0x25, 0x08, 0x20, 0x00, 0xff, 0x01, 0x44),
		/* inline, translation offset, check QPN; FREE, QPN, MKEY */
		0x98, 0, 0, 0, 0, 0, 0, 0,
		0x00, 0x00, 0x00, 0x00, 0x20, 0x00, 0x60, 0x00, ZERO_32,
		0x40, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0x00, 0, 0, 0, 0, 0, 0, 0, 0, ZERO_48,
	};
	const struct mlx5_umr_ctrl ctrl = { QPN, RTE_BE32(0xff0144), 0x20 };
	struct mlx5_umr_cursor cursor = cursor_new();

	(void)state;
	mlx5_umr_invalidate_build(&cursor, &ctrl);
	check(&cursor, golden, sizeof(golden));
}

#define DATA 0x00, 0x00, 0x01, 0x00, 0x00, 0x12, 0x34, 0x00,                                       \
	     0x00, 0x00, 0x55, 0x00, 0x00, 0x00, 0x00, 0x40
#define RADDR 0x00, 0x00, 0x66, 0x00, 0x00, 0x00, 0x00, 0x80, 0x00, 0x98, 0x76, 0x05, 0, 0, 0, 0

static const struct rte_umr_seg local = { 0x550000000040, 0x100, 0x123400 };

static void
rdma_write_has_golden_bytes(void **state)
{
	static const uint8_t golden[] = { CTRL(0x08, 0x03, 0x20, 0, 0, 0, 0), RADDR, DATA };
	const struct mlx5_umr_ctrl ctrl = { QPN, 0, 0x20 };
	struct mlx5_umr_cursor cursor = cursor_new();

	(void)state;
	mlx5_umr_rdma_build(&cursor, &ctrl, MLX5_OPCODE_RDMA_WRITE, &local, 0x660000000080,
			    0x987605);
	check(&cursor, golden, sizeof(golden));
}

static void
rdma_write_imm_has_golden_bytes(void **state)
{
	static const uint8_t golden[] = {
		CTRL(0x09, 0x03, 0, 0xde, 0xad, 0xbe, 0xef), RADDR, DATA,
	};
	const struct mlx5_umr_ctrl ctrl = { QPN, RTE_BE32(0xdeadbeef), 0 };
	struct mlx5_umr_cursor cursor = cursor_new();

	(void)state;
	mlx5_umr_rdma_build(&cursor, &ctrl, MLX5_OPCODE_RDMA_WRITE_IMM, &local, 0x660000000080,
			    0x987605);
	check(&cursor, golden, sizeof(golden));
}

static void
rdma_read_has_golden_bytes(void **state)
{
	static const uint8_t golden[] = { CTRL(0x10, 0x03, 0x80, 0, 0, 0, 0), RADDR, DATA };
	const struct mlx5_umr_ctrl ctrl = { QPN, 0, 0x80 };
	struct mlx5_umr_cursor cursor = cursor_new();

	(void)state;
	mlx5_umr_rdma_build(&cursor, &ctrl, MLX5_OPCODE_RDMA_READ, &local, 0x660000000080,
			    0x987605);
	check(&cursor, golden, sizeof(golden));
}

static void
rdma_write_of_nothing_has_no_data_segment(void **state)
{
	static const uint8_t golden[] = { CTRL(0x08, 0x02, 0, 0, 0, 0, 0), RADDR };
	const struct rte_umr_seg nothing = { 0x1000, 0, 0x100 };
	const struct mlx5_umr_ctrl ctrl = { QPN, 0, 0 };
	struct mlx5_umr_cursor cursor = cursor_new();

	(void)state;
	mlx5_umr_rdma_build(&cursor, &ctrl, MLX5_OPCODE_RDMA_WRITE, &nothing, 0x660000000080,
			    0x987605);
	check(&cursor, golden, sizeof(golden));
}

static void
send_has_golden_bytes(void **state)
{
	static const uint8_t golden[] = { CTRL(0x0a, 0x02, 0, 0, 0, 0, 0), DATA };
	const struct mlx5_umr_ctrl ctrl = { QPN, 0, 0 };
	struct mlx5_umr_cursor cursor = cursor_new();

	(void)state;
	mlx5_umr_send_build(&cursor, &ctrl, MLX5_OPCODE_SEND, &local);
	check(&cursor, golden, sizeof(golden));
}

static void
send_imm_has_golden_bytes(void **state)
{
	static const uint8_t golden[] = { CTRL(0x0b, 0x02, 0x20, 1, 2, 3, 4), DATA };
	const struct mlx5_umr_ctrl ctrl = { QPN, RTE_BE32(0x01020304), 0x20 };
	struct mlx5_umr_cursor cursor = cursor_new();

	(void)state;
	mlx5_umr_send_build(&cursor, &ctrl, MLX5_OPCODE_SEND_IMM, &local);
	check(&cursor, golden, sizeof(golden));
}

static void
recv_ends_with_an_invalid_key(void **state)
{
	static const uint8_t golden[] = {
		DATA, 0, 0, 0, 0, 0x00, 0x00, 0x01, 0x00, 0, 0, 0, 0, 0, 0, 0, 0,
	};
	uint8_t wqe[64];

	(void)state;
	memset(wqe, POISON, sizeof(wqe));
	mlx5_umr_recv_build((struct mlx5_wqe_data_seg *)wqe, 4, &local, 1);
	assert_memory_equal(wqe, golden, sizeof(golden));
	assert_int_equal(wqe[sizeof(golden)], POISON);

	memset(wqe, POISON, sizeof(wqe));
	mlx5_umr_recv_build((struct mlx5_wqe_data_seg *)wqe, 1, &local, 1);
	assert_memory_equal(wqe, golden, 16);
	assert_int_equal(wqe[16], POISON);
}

static void
klm_count_gives_ds_octowords_and_blocks(void **state)
{
	/* n, slots, DS, blocks: anchors.md section 0. */
	static const uint32_t sizes[][4] = {
		{ 1, 4, 12, 3 }, { 3, 4, 12, 3 }, { 4, 4, 12, 3 }, { 5, 8, 16, 4 },
		{ 8, 8, 16, 4 }, { 9, 12, 20, 5 }, { 48, 48, 56, 14 }, { 49, 52, 60, 15 },
		{ 51, 52, 60, 15 }, { 52, 52, 60, 15 },
	};
	const struct mlx5_umr_ctrl ctrl = { QPN, 0, 0 };
	struct rte_umr_seg segs[PRM_UMR_INLINE_KLM_MAX] = { 0 };
	struct mlx5_umr_cursor cursor;
	const uint8_t *wqe;
	size_t i;

	(void)state;
	for (i = 0; i < RTE_DIM(sizes); i++) {
		cursor = cursor_new();
		wqe = mlx5_umr_list_build(&cursor, &ctrl, 0, 0, segs, sizes[i][0], 0);
		assert_int_equal(cursor.pi - PI, sizes[i][3]);
		assert_int_equal(mlx5_umr_layout_nb_wqebb(sizes[i][0]), sizes[i][3]);
		assert_int_equal(wqe[7], sizes[i][2]);
		assert_int_equal(wqe[16 + 5], sizes[i][1]);
	}
}

/** Build something that is i blocks long, at pi, and return its last block + 1. */
typedef uint32_t (*build_t)(struct mlx5_umr_cursor *cursor, uint32_t n);

static uint32_t
build_list(struct mlx5_umr_cursor *cursor, uint32_t n)
{
	const struct mlx5_umr_ctrl ctrl = { QPN, RTE_BE32(0x11223344), 0x20 };
	struct rte_umr_seg segs[PRM_UMR_INLINE_KLM_MAX];
	uint32_t i;

	for (i = 0; i < n; i++)
		segs[i] = (struct rte_umr_seg){ 0x100000 + i, 1 + i, 0x1000 + i };
	mlx5_umr_list_build(cursor, &ctrl, 0x11223344, RTE_UMR_ACCESS_ALL, segs, n, n);
	return cursor->pi;
}

static uint32_t
build_interleaved(struct mlx5_umr_cursor *cursor, uint32_t n)
{
	const struct mlx5_umr_ctrl ctrl = { QPN, RTE_BE32(0x11223344), 0x20 };
	struct rte_umr_interleaved entries[PRM_UMR_INLINE_KLM_MAX];
	uint32_t i;

	for (i = 0; i < n; i++)
		entries[i] = (struct rte_umr_interleaved){ 0x100000 + i, 1 + i, i, 0x1000 + i };
	mlx5_umr_interleaved_build(cursor, &ctrl, 0x11223344, RTE_UMR_ACCESS_ALL, 7, entries, n,
				   n);
	return cursor->pi;
}

static uint32_t
build_invalidate(struct mlx5_umr_cursor *cursor, uint32_t n)
{
	const struct mlx5_umr_ctrl ctrl = { QPN, RTE_BE32(0x11223344), 0x20 };

	(void)n;
	mlx5_umr_invalidate_build(cursor, &ctrl);
	return cursor->pi;
}

/** The same WQE in a ring of 16 at every start, and in one that is long enough. */
static void
check_wrap(build_t build, uint32_t n)
{
	uint8_t small[NB_WQEBB_MAX * BB], big[2 * NB_WQEBB_MAX * BB];
	struct mlx5_umr_cursor cursor;
	uint32_t start, end, i;

	for (start = 0; start < NB_WQEBB_MAX; start++) {
		memset(big, POISON, sizeof(big));
		memset(small, POISON, sizeof(small));
		cursor = (struct mlx5_umr_cursor){ big, 2 * NB_WQEBB_MAX - 1, start };
		end = build(&cursor, n);
		cursor = (struct mlx5_umr_cursor){ small, NB_WQEBB_MAX - 1, start };
		assert_int_equal(build(&cursor, n), end);
		for (i = start; i < start + NB_WQEBB_MAX; i++)
			assert_memory_equal(small + (size_t)(i % NB_WQEBB_MAX) * BB,
					    big + (size_t)i * BB, BB);
	}
}

static void
list_wraps_at_every_start(void **state)
{
	uint32_t n;

	(void)state;
	for (n = 1; n <= PRM_UMR_INLINE_KLM_MAX; n++)
		check_wrap(build_list, n);
}

static void
interleaved_wraps_at_every_start(void **state)
{
	uint32_t n;

	(void)state;
	for (n = 1; n <= PRM_UMR_INLINE_STRIDED_MAX; n++)
		check_wrap(build_interleaved, n);
}

static void
invalidate_wraps_at_every_start(void **state)
{
	(void)state;
	check_wrap(build_invalidate, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(list_of_1_has_golden_bytes),
		cmocka_unit_test(list_of_4_fills_its_last_block),
		cmocka_unit_test(list_of_5_takes_8_slots),
		cmocka_unit_test(interleaved_of_1_has_golden_bytes),
		cmocka_unit_test(interleaved_of_4_takes_8_slots),
		cmocka_unit_test(invalidate_has_golden_bytes),
		cmocka_unit_test(rdma_write_has_golden_bytes),
		cmocka_unit_test(rdma_write_imm_has_golden_bytes),
		cmocka_unit_test(rdma_read_has_golden_bytes),
		cmocka_unit_test(rdma_write_of_nothing_has_no_data_segment),
		cmocka_unit_test(send_has_golden_bytes),
		cmocka_unit_test(send_imm_has_golden_bytes),
		cmocka_unit_test(recv_ends_with_an_invalid_key),
		cmocka_unit_test(klm_count_gives_ds_octowords_and_blocks),
		cmocka_unit_test(list_wraps_at_every_start),
		cmocka_unit_test(interleaved_wraps_at_every_start),
		cmocka_unit_test(invalidate_wraps_at_every_start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
