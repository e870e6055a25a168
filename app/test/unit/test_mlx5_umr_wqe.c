/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * WQE builder: bytes typed by hand from the layouts of mlx5dv.h.
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

/* The WQE is the second of three; blocks are aligned to their size, as in a ring. */
static uint8_t ring[3 * NB_WQEBB_MAX * BB] __rte_cache_aligned;

static uint8_t *
wqe_new(void)
{
	memset(ring, POISON, sizeof(ring));
	return ring + NB_WQEBB_MAX * BB;
}

/** The bytes are there, and nothing but whole blocks was written. */
static void
check(const uint8_t *wqe, const uint8_t *bytes, size_t size)
{
	const uint8_t *end = wqe + RTE_ALIGN_CEIL(size, (size_t)BB);
	const uint8_t *byte;

	assert_memory_equal(wqe, bytes, size);
	for (byte = ring; byte < ring + sizeof(ring); byte++)
		if (byte < wqe || byte >= end)
			assert_int_equal(*byte, POISON);
}

/* What a control segment holds beside opcode and size. */
#define CTRL_OF(imm, fm) { PI, QPN << 8, imm, fm }

/* As enqueue functions do it: one block of KLMs from registers, or more. */
static void
list_build(uint8_t *wqe, const struct mlx5_umr_ctrl *ctrl, uint32_t access,
	   const struct rte_umr_seg *segs, uint32_t nb_segs, uint64_t len)
{
	struct mlx5_umr_quad quad;
	struct mlx5_umr_long list;

	if (nb_segs > PRM_KLM_ALIGN) {
		list = mlx5_umr_long_load(segs, nb_segs);
		mlx5_umr_list_build(wqe, ctrl, access, &list, mlx5_umr_inline_shape(nb_segs), len);
		return;
	}
	quad = mlx5_umr_quad_load(segs, nb_segs);
	mlx5_umr_quad_store(mlx5_umr_layout_hdr_build(
				    wqe, ctrl, access, mlx5_umr_inline_shape(nb_segs), len),
			    &quad);
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
	const struct mlx5_umr_ctrl ctrl = CTRL_OF(0xabcdef07, 0x20);
	const struct rte_umr_seg seg = { 0x1122334455667788, 0x1001, 0x00aabb00 };
	uint8_t *wqe = wqe_new();

	(void)state;
	list_build(wqe, &ctrl, RTE_UMR_ACCESS_LOCAL_WRITE | RTE_UMR_ACCESS_REMOTE_WRITE,
			    &seg, 1, 0x1001);
	check(wqe, golden, sizeof(golden));
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
	const struct mlx5_umr_ctrl ctrl = CTRL_OF(0x33ff, 0x00);
	uint8_t *wqe = wqe_new();

	(void)state;
	list_build(wqe, &ctrl, MLX5_UMR_ACCESS_RIGHTS, five_segs, 4, 10);
	check(wqe, golden, sizeof(golden));
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
	const struct mlx5_umr_ctrl ctrl = CTRL_OF(0x3300, 0x00);
	uint8_t *wqe = wqe_new();

	(void)state;
	list_build(wqe, &ctrl, 0, five_segs, 5, 0x8000000a);
	check(wqe, golden, sizeof(golden));
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
	const struct mlx5_umr_ctrl ctrl = CTRL_OF(0x10203, 0x00);
	uint8_t *wqe = wqe_new();

	(void)state;
	mlx5_umr_interleaved_build(wqe, &ctrl, RTE_UMR_ACCESS_REMOTE_READ, 40, &entry,
				   mlx5_umr_inline_shape(2),
				   1, 512);
	check(wqe, golden, sizeof(golden));
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
	const struct mlx5_umr_ctrl ctrl = CTRL_OF(0x10203, 0x00);
	uint8_t *wqe = wqe_new();

	(void)state;
	mlx5_umr_interleaved_build(wqe, &ctrl, RTE_UMR_ACCESS_LOCAL_WRITE, 3, entries,
				   mlx5_umr_inline_shape(5),
				   4, 10);
	check(wqe, golden, sizeof(golden));
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
	const struct mlx5_umr_ctrl ctrl = CTRL_OF(0xff0144, 0x20);
	uint8_t *wqe = wqe_new();

	(void)state;
	mlx5_umr_invalidate_build(wqe, &ctrl);
	check(wqe, golden, sizeof(golden));
}

#define DATA 0x00, 0x00, 0x01, 0x00, 0x00, 0x12, 0x34, 0x00,                                       \
	     0x00, 0x00, 0x55, 0x00, 0x00, 0x00, 0x00, 0x40
#define RADDR 0x00, 0x00, 0x66, 0x00, 0x00, 0x00, 0x00, 0x80, 0x00, 0x98, 0x76, 0x05, 0, 0, 0, 0

static const struct rte_umr_seg local = { 0x550000000040, 0x100, 0x123400 };

static void
rdma_write_has_golden_bytes(void **state)
{
	static const uint8_t golden[] = { CTRL(0x08, 0x03, 0x20, 0, 0, 0, 0), RADDR, DATA };
	const struct mlx5_umr_ctrl ctrl = CTRL_OF(0, 0x20);
	uint8_t *wqe = wqe_new();

	(void)state;
	mlx5_umr_rdma_build(wqe, &ctrl, MLX5_OPCODE_RDMA_WRITE, &local, 0x660000000080,
			    0x987605);
	check(wqe, golden, sizeof(golden));
}

static void
rdma_write_imm_has_golden_bytes(void **state)
{
	static const uint8_t golden[] = {
		CTRL(0x09, 0x03, 0, 0xde, 0xad, 0xbe, 0xef), RADDR, DATA,
	};
	const struct mlx5_umr_ctrl ctrl = CTRL_OF(0xdeadbeef, 0);
	uint8_t *wqe = wqe_new();

	(void)state;
	mlx5_umr_rdma_build(wqe, &ctrl, MLX5_OPCODE_RDMA_WRITE_IMM, &local, 0x660000000080,
			    0x987605);
	check(wqe, golden, sizeof(golden));
}

static void
rdma_read_has_golden_bytes(void **state)
{
	static const uint8_t golden[] = { CTRL(0x10, 0x03, 0x80, 0, 0, 0, 0), RADDR, DATA };
	const struct mlx5_umr_ctrl ctrl = CTRL_OF(0, 0x80);
	uint8_t *wqe = wqe_new();

	(void)state;
	mlx5_umr_rdma_build(wqe, &ctrl, MLX5_OPCODE_RDMA_READ, &local, 0x660000000080,
			    0x987605);
	check(wqe, golden, sizeof(golden));
}

static void
rdma_write_of_nothing_has_no_data_segment(void **state)
{
	static const uint8_t golden[] = { CTRL(0x08, 0x02, 0, 0, 0, 0, 0), RADDR };
	const struct rte_umr_seg nothing = { 0x1000, 0, 0x100 };
	const struct mlx5_umr_ctrl ctrl = CTRL_OF(0, 0);
	uint8_t *wqe = wqe_new();

	(void)state;
	mlx5_umr_rdma_build(wqe, &ctrl, MLX5_OPCODE_RDMA_WRITE, &nothing, 0x660000000080,
			    0x987605);
	check(wqe, golden, sizeof(golden));
}

static void
send_has_golden_bytes(void **state)
{
	static const uint8_t golden[] = { CTRL(0x0a, 0x02, 0, 0, 0, 0, 0), DATA };
	const struct mlx5_umr_ctrl ctrl = CTRL_OF(0, 0);
	uint8_t *wqe = wqe_new();

	(void)state;
	mlx5_umr_send_build(wqe, &ctrl, MLX5_OPCODE_SEND, &local);
	check(wqe, golden, sizeof(golden));
}

static void
send_imm_has_golden_bytes(void **state)
{
	static const uint8_t golden[] = { CTRL(0x0b, 0x02, 0x20, 1, 2, 3, 4), DATA };
	const struct mlx5_umr_ctrl ctrl = CTRL_OF(0x01020304, 0x20);
	uint8_t *wqe = wqe_new();

	(void)state;
	mlx5_umr_send_build(wqe, &ctrl, MLX5_OPCODE_SEND_IMM, &local);
	check(wqe, golden, sizeof(golden));
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
	const struct mlx5_umr_ctrl ctrl = CTRL_OF(0, 0);
	struct rte_umr_seg segs[PRM_UMR_INLINE_KLM_MAX] = { 0 };
	uint8_t *wqe;
	size_t i;

	(void)state;
	for (i = 0; i < RTE_DIM(sizes); i++) {
		wqe = wqe_new();
		list_build(wqe, &ctrl, 0, segs, sizes[i][0], 0);
		assert_int_equal(mlx5_umr_layout_nb_wqebb(sizes[i][0]), sizes[i][3]);
		assert_int_equal(wqe[7], sizes[i][2]);
		assert_int_equal(wqe[16 + 5], sizes[i][1]);
	}
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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
