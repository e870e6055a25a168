/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * WQE builder: bytes typed by hand from the layouts of mlx5dv.h.
 */

#include "cases.h"
#include "wqe/simd/head.h"
#include "wqe/wqe.h"
#include "wqe/xfer.h"

/* To meson: this machine cannot run it. */
#define EXIT_SKIP	77

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
check(const char *name, const uint8_t *wqe, const uint8_t *bytes, size_t size)
{
	const uint8_t *end = wqe + RTE_ALIGN_CEIL(size, (size_t)BB);

	if (memcmp(wqe, bytes, size) != 0)
		print_message("%s:\n", name);
	assert_memory_equal(wqe, bytes, size);
	for (const uint8_t *byte = ring; byte < ring + sizeof(ring); byte++)
		if (byte < wqe || byte >= end)
			assert_int_equal(*byte, POISON);
}

/* What a control segment holds beside opcode and size. */
#define CTRL_OF(imm, fm) { PI, QPN << 8, imm, fm }

/* Blocks 0 and 1, as functions do it that build many. */
static void
head_build(uint8_t *wqe, const struct mlx5_umr_ctrl *ctrl, uint32_t access, uint32_t nb_klm,
	   mlx5_umr_len_t len)
{
	const struct mlx5_umr_size *size = mlx5_umr_inline_size(nb_klm);
	const mlx5_umr_prefix_t prefix =
		mlx5_umr_prefix_of(ctrl->qpn_ds, ctrl->fm_ce_se, (uint16_t)ctrl->pi);

	mlx5_umr_layout_head_store(wqe, mlx5_umr_prefix_sized(prefix, size->nb_ds), size->umr,
				   &ctrl->imm, access, len);
}

/* One block of KLMs, or more. The length is what they come to. */
static bool
list_build(uint8_t *wqe, const struct mlx5_umr_ctrl *ctrl, uint32_t access,
	   const struct rte_umr_seg *segs, uint32_t nb_segs)
{
	uint8_t *klms = wqe + MLX5_UMR_HDR_WQEBB * PRM_WQE_BB_SIZE;
	mlx5_umr_len_t len;
	bool is_good;

	is_good = nb_segs <= PRM_KLM_ALIGN ?
		  mlx5_umr_klms_store(klms, segs, nb_segs, 1, &len) :
		  mlx5_umr_klms_store(klms, segs, nb_segs, 0, &len);
	if (is_good)
		head_build(wqe, ctrl, access, nb_segs, len);
	return is_good;
}

static bool
pattern_build(uint8_t *wqe, const struct mlx5_umr_ctrl *ctrl, uint32_t access,
	      const struct rte_umr_interleaved *entries, uint32_t nb, uint32_t repeat)
{
	uint8_t *dst = wqe + MLX5_UMR_HDR_WQEBB * PRM_WQE_BB_SIZE;
	mlx5_umr_len_t len;
	bool is_good;

	is_good = nb < PRM_KLM_ALIGN ?
		  mlx5_umr_pattern_store(dst, entries, nb, repeat, true, &len) :
		  mlx5_umr_pattern_store(dst, entries, nb, repeat, false, &len);
	if (is_good)
		head_build(wqe, ctrl, access, nb + 1, len);
	return is_good;
}

static const struct rte_umr_seg one_seg = { 0x1122334455667788, 0x1001, 0x00aabb00 };
static const struct rte_umr_seg five_segs[] = {
	{ 0x1000, 0x01, 0x100 }, { 0x2000, 0x02, 0x200 }, { 0x3000, 0x03, 0x300 },
	{ 0x4000, 0x04, 0x400 }, { 0x5000, 0x80000000, 0x500 },
};

#define KLM_OF_FIVE(n)                                                                             \
	0x00, 0x00, 0x00, n, 0x00, 0x00, n, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, (n) << 4, 0x00

CASE(lists_have_golden_bytes)
{
	static const struct {
		const char *name;
		struct mlx5_umr_ctrl ctrl;
		uint32_t access;
		const struct rte_umr_seg *segs;
		uint32_t nb_segs, nb_wqebb;
		uint8_t golden[4 * BB];
	} lists[] = {
		{ "list of 1", CTRL_OF(0xabcdef07, 0x20),
		  RTE_UMR_ACCESS_LOCAL_WRITE | RTE_UMR_ACCESS_REMOTE_WRITE, &one_seg, 1, 3, {
			CTRL(0x25, 0x0c, 0x20, 0xab, 0xcd, 0xef, 0x07), UMR(4),
			MKC(0x28, 0x07, 0x00, 0x00, 0x10, 0x01),
			0x00, 0x00, 0x10, 0x01, 0x00, 0xaa, 0xbb, 0x00,
			0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88,
		} },
		{ "4 fill the last block", CTRL_OF(0x33ff, 0x00), MLX5_UMR_ACCESS_MKC, five_segs, 4,
		  3, {
			CTRL(0x25, 0x0c, 0x00, 0x00, 0x00, 0x33, 0xff), UMR(4),
			MKC(0x78, 0xff, 0x00, 0x00, 0x00, 0x0a),
			KLM_OF_FIVE(1), KLM_OF_FIVE(2), KLM_OF_FIVE(3), KLM_OF_FIVE(4),
		} },
		{ "5 take 8 slots", CTRL_OF(0x3300, 0x00), 0, five_segs, 5, 4, {
			CTRL(0x25, 0x10, 0x00, 0x00, 0x00, 0x33, 0x00), UMR(8),
			MKC(0x00, 0x00, 0x80, 0x00, 0x00, 0x0a),
			KLM_OF_FIVE(1), KLM_OF_FIVE(2), KLM_OF_FIVE(3), KLM_OF_FIVE(4),
			0x80, 0, 0, 0, 0, 0, 0x05, 0, 0, 0, 0, 0, 0, 0, 0x50, 0,
		} },
	};
	uint8_t *wqe;

	for (size_t i = 0; i < RTE_DIM(lists); i++) {
		wqe = wqe_new();
		assert_true(list_build(wqe, &lists[i].ctrl, lists[i].access, lists[i].segs,
				       lists[i].nb_segs));
		check(lists[i].name, wqe, lists[i].golden, lists[i].nb_wqebb * BB);
	}
}

/* The length of a key, where its UMR has it. */
static uint64_t
len_of(const uint8_t *wqe)
{
	rte_be64_t len;

	memcpy(&len, wqe + PRM_WQE_BB_SIZE + 24, sizeof(len));
	return rte_be_to_cpu_64(len);
}

/* The next index is a sum away. */
CASE(heads_follow_each_other)
{
	mlx5_umr_prefix_t prefix = mlx5_umr_prefix_of(QPN << 8, 0x20, 0xfff0);
	const uint32_t key = 0x12345607;
	uint32_t index = 0xfff0, nb;
	uint8_t *wqe;

	for (nb = 1; index < UINT16_MAX; nb++) {
		const struct mlx5_umr_size *size = mlx5_umr_inline_size(nb);
		const uint8_t golden[] = {
			CTRL(0x25, (uint8_t)(8 + (nb + 3) / 4 * 4), 0x20, 0x12, 0x34, 0x56, 0x07),
		};

		wqe = wqe_new();
		mlx5_umr_layout_head_store(wqe, mlx5_umr_prefix_sized(prefix, size->nb_ds),
					   size->umr, &key, 0, mlx5_umr_len_of(1));
		assert_int_equal(wqe[1] << 8 | wqe[2], index);
		assert_memory_equal(wqe + 3, golden + 3, sizeof(golden) - 3);
		prefix = mlx5_umr_prefix_next(prefix, size->nb_wqebb);
		index += size->nb_wqebb;
	}
}

/* Sums that do not fit 32 bits, and lengths that are close to what builders add up quickly. */
CASE(lengths_add_up_to_64_bits)
{
	static const uint32_t lengths[] = {
		1, 0x3ffffff, 0x4000000, 0x4000001, 0x1fffffff, 0x20000000, 0x20000001, 0x7fffffff,
		0x80000000,
	};
	const struct mlx5_umr_ctrl ctrl = CTRL_OF(0x3300, 0x00);
	struct rte_umr_seg segs[PRM_UMR_INLINE_KLM_MAX];
	uint8_t *wqe;

	for (uint32_t i = 0; i < RTE_DIM(lengths); i++)
		for (uint32_t nb = 1; nb <= PRM_UMR_INLINE_KLM_MAX; nb++) {
			for (uint32_t k = 0; k < nb; k++)
				segs[k] = (struct rte_umr_seg){ 0x1000, lengths[i], UINT32_MAX };
			wqe = wqe_new();
			assert_true(list_build(wqe, &ctrl, 0, segs, nb));
			assert_int_equal(len_of(wqe), (uint64_t)nb * lengths[i]);
		}
}

/* 0 and more than 2 GiB, in each place. */
CASE(bad_lengths_are_found)
{
	static const uint32_t bad[] = { 0, 0x80000001, 0xffffffff };
	const struct mlx5_umr_ctrl ctrl = CTRL_OF(0x3300, 0x00);
	struct rte_umr_seg segs[PRM_UMR_INLINE_KLM_MAX];
	uint8_t *wqe = wqe_new();

	for (uint32_t k = 0; k < RTE_DIM(segs); k++)
		segs[k] = (struct rte_umr_seg){ 0x1000, 0x1000, 0xff };
	for (uint32_t i = 0; i < RTE_DIM(bad); i++)
		for (uint32_t nb = 1; nb <= PRM_UMR_INLINE_KLM_MAX; nb++)
			for (uint32_t k = 0; k < nb; k++) {
				segs[k].length = bad[i];
				assert_false(list_build(wqe, &ctrl, 0, segs, nb));
				segs[k].length = 0x1000;
			}
	/* There may be entries, but no head. */
	for (uint32_t i = 0; i < MLX5_UMR_HDR_WQEBB * PRM_WQE_BB_SIZE; i++)
		assert_int_equal(wqe[i], POISON);
}

/* A pattern of any length, with repeat counts up to the last one. */
CASE(patterns_are_as_long_as_they_are)
{
	static const uint32_t repeats[] = { 1, 2, 0x10000, 0xffffffff };
	const struct mlx5_umr_ctrl ctrl = CTRL_OF(0x3300, 0x00);
	struct rte_umr_interleaved entries[PRM_UMR_INLINE_KLM_MAX - 1];
	uint8_t *wqe;

	for (uint32_t i = 0; i < RTE_DIM(entries); i++)
		entries[i] = (struct rte_umr_interleaved){ 0x1000, 0xfff0, 0xf, 0xff };
	for (uint32_t nb = 1; nb <= RTE_DIM(entries); nb++)
		for (uint32_t i = 0; i < RTE_DIM(repeats); i++) {
			wqe = wqe_new();
			assert_true(pattern_build(wqe, &ctrl, 0, entries, nb, repeats[i]));
			assert_int_equal(len_of(wqe), UINT64_C(0xfff0) * nb * repeats[i]);
		}
}

CASE(patterns_have_golden_bytes)
{
	static const struct {
		const char *name;
		uint32_t access, repeat, nb_entries, nb_wqebb;
		struct rte_umr_interleaved entries[4];
		uint8_t golden[4 * BB];
	} patterns[] = {
		{ "pattern of 1", RTE_UMR_ACCESS_REMOTE_READ, 40, 1, 3,
		  { { 0x7f0000001000, 512, 8, 0x776600 } }, {
			CTRL(0x25, 0x0c, 0x00, 0x00, 0x01, 0x02, 0x03), UMR(4),
			MKC(0x10, 0x03, 0x00, 0x00, 0x50, 0x00),
			/* bytes of a block; repeat block; repeat; 1 entry */
			0, 0, 0x02, 0, 0, 0, 0x04, 0, 0, 0, 0, 0x28, 0, 0, 0, 0x01,
			/* stride; count; key; address */
			0x02, 0x08, 0x02, 0, 0, 0x77, 0x66, 0, 0, 0, 0x7f, 0, 0, 0, 0x10, 0,
		} },
		{ "4 take 8 slots", RTE_UMR_ACCESS_LOCAL_WRITE, 3, 4, 4,
		  { { 0x1000, 1, 0x10, 0x10 }, { 0x2000, 2, 0x20, 0x20 },
		    { 0x3000, 3, 0x30, 0x30 }, { 0x4000, 4, 0xfffb, 0x40 } }, {
			CTRL(0x25, 0x10, 0x00, 0x00, 0x01, 0x02, 0x03), UMR(8),
			MKC(0x08, 0x03, 0x00, 0x00, 0x00, 0x1e),
			0, 0, 0, 0x0a, 0, 0, 0x04, 0, 0, 0, 0, 0x03, 0, 0, 0, 0x04,
			0, 0x11, 0, 0x01, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0, 0x10, 0,
			0, 0x22, 0, 0x02, 0, 0, 0, 0x20, 0, 0, 0, 0, 0, 0, 0x20, 0,
			0, 0x33, 0, 0x03, 0, 0, 0, 0x30, 0, 0, 0, 0, 0, 0, 0x30, 0,
			0xff, 0xff, 0, 0x04, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0x40, 0,
		} },
	};
	const struct mlx5_umr_ctrl ctrl = CTRL_OF(0x10203, 0x00);
	uint8_t *wqe;

	for (size_t i = 0; i < RTE_DIM(patterns); i++) {
		wqe = wqe_new();
		assert_true(pattern_build(wqe, &ctrl, patterns[i].access, patterns[i].entries,
					  patterns[i].nb_entries, patterns[i].repeat));
		check(patterns[i].name, wqe, patterns[i].golden, patterns[i].nb_wqebb * BB);
	}
}

CASE(invalidate_has_golden_bytes)
{
	static const uint8_t golden[] = {
		CTRL(0x25, 0x08, 0x20, 0x00, 0xff, 0x01, 0x44),
		/* inline, translation offset, check QPN; FREE, QPN, MKEY */
		0x98, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x20, 0, 0x60, 0, ZERO_32,
		0x40, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0x00, 0, 0, 0, 0, 0, 0, 0, 0, ZERO_48,
	};
	const struct mlx5_umr_ctrl ctrl = CTRL_OF(0xff0144, 0x20);
	uint8_t *wqe = wqe_new();

	mlx5_umr_invalidate_build(wqe, &ctrl);
	check("general", wqe, golden, sizeof(golden));
	wqe = wqe_new();
	mlx5_umr_free_store(wqe, mlx5_umr_prefix_of(ctrl.qpn_ds | MLX5_UMR_HDR_DS, ctrl.fm_ce_se,
						    (uint16_t)ctrl.pi), &ctrl.imm);
	check("fast", wqe, golden, sizeof(golden));
}

#define DATA 0x00, 0x00, 0x01, 0x00, 0x00, 0x12, 0x34, 0x00,                                       \
	     0x00, 0x00, 0x55, 0x00, 0x00, 0x00, 0x00, 0x40
#define RADDR 0x00, 0x00, 0x66, 0x00, 0x00, 0x00, 0x00, 0x80, 0x00, 0x98, 0x76, 0x05, 0, 0, 0, 0

static const struct rte_umr_seg local = { 0x550000000040, 0x100, 0x123400 };
static const struct rte_umr_seg nothing = { 0x1000, 0, 0x100 };

CASE(transfers_have_golden_bytes)
{
	static const struct {
		const char *name;
		uint8_t opcode;
		struct mlx5_umr_ctrl ctrl;
		bool has_remote;
		const struct rte_umr_seg *local;
		size_t size;
		uint8_t golden[3 * 16];
	} xfers[] = {
		{ "write", MLX5_OPCODE_RDMA_WRITE, CTRL_OF(0, 0x20), true, &local, 48,
		  { CTRL(0x08, 0x03, 0x20, 0, 0, 0, 0), RADDR, DATA } },
		{ "write immediate", MLX5_OPCODE_RDMA_WRITE_IMM, CTRL_OF(0xdeadbeef, 0), true,
		  &local, 48, { CTRL(0x09, 0x03, 0, 0xde, 0xad, 0xbe, 0xef), RADDR, DATA } },
		{ "read", MLX5_OPCODE_RDMA_READ, CTRL_OF(0, 0x80), true, &local, 48,
		  { CTRL(0x10, 0x03, 0x80, 0, 0, 0, 0), RADDR, DATA } },
		{ "write of nothing has no data segment", MLX5_OPCODE_RDMA_WRITE, CTRL_OF(0, 0),
		  true, &nothing, 32, { CTRL(0x08, 0x02, 0, 0, 0, 0, 0), RADDR } },
		{ "send", MLX5_OPCODE_SEND, CTRL_OF(0, 0), false, &local, 32,
		  { CTRL(0x0a, 0x02, 0, 0, 0, 0, 0), DATA } },
		{ "send immediate", MLX5_OPCODE_SEND_IMM, CTRL_OF(0x01020304, 0x20), false, &local,
		  32, { CTRL(0x0b, 0x02, 0x20, 1, 2, 3, 4), DATA } },
	};
	uint8_t *wqe;

	for (size_t i = 0; i < RTE_DIM(xfers); i++) {
		const struct mlx5_umr_xfer xfer = {
			.local = xfers[i].local, .opcode = xfers[i].opcode,
			.has_remote = xfers[i].has_remote,
			.remote_addr = xfers[i].has_remote ? 0x660000000080 : 0,
			.rkey = xfers[i].has_remote ? 0x987605 : 0,
		};

		wqe = wqe_new();
		mlx5_umr_xfer_build(wqe, &xfers[i].ctrl, &xfer, NULL,
				    mlx5_umr_xfer_nb_ds(&xfer, false, false), false);
		check(xfers[i].name, wqe, xfers[i].golden, xfers[i].size);
	}
}

CASE(recv_ends_with_an_invalid_key)
{
	static const uint8_t golden[] = {
		DATA, 0, 0, 0, 0, 0x00, 0x00, 0x01, 0x00, 0, 0, 0, 0, 0, 0, 0, 0,
	};
	uint8_t wqe[64];

	memset(wqe, POISON, sizeof(wqe));
	mlx5_umr_recv_build((struct mlx5_wqe_data_seg *)wqe, 4, &local, 1);
	assert_memory_equal(wqe, golden, sizeof(golden));
	assert_int_equal(wqe[sizeof(golden)], POISON);

	memset(wqe, POISON, sizeof(wqe));
	mlx5_umr_recv_build((struct mlx5_wqe_data_seg *)wqe, 1, &local, 1);
	assert_memory_equal(wqe, golden, 16);
	assert_int_equal(wqe[16], POISON);
}

CASE(klm_count_gives_ds_octowords_and_blocks)
{
	/* n, slots, DS, blocks: anchors.md section 0. */
	static const uint32_t sizes[][4] = {
		{ 1, 4, 12, 3 }, { 3, 4, 12, 3 }, { 4, 4, 12, 3 }, { 5, 8, 16, 4 },
		{ 8, 8, 16, 4 }, { 9, 12, 20, 5 }, { 48, 48, 56, 14 }, { 49, 52, 60, 15 },
		{ 51, 52, 60, 15 }, { 52, 52, 60, 15 },
	};
	const struct mlx5_umr_ctrl ctrl = CTRL_OF(0, 0);
	struct rte_umr_seg segs[PRM_UMR_INLINE_KLM_MAX];
	uint8_t *wqe;

	for (size_t i = 0; i < RTE_DIM(segs); i++)
		segs[i] = (struct rte_umr_seg){ .length = 1 };
	for (size_t i = 0; i < RTE_DIM(sizes); i++) {
		wqe = wqe_new();
		assert_true(list_build(wqe, &ctrl, 0, segs, sizes[i][0]));
		assert_int_equal(mlx5_umr_layout_nb_wqebb(sizes[i][0]), sizes[i][3]);
		assert_int_equal(wqe[7], sizes[i][2]);
		assert_int_equal(wqe[16 + 5], sizes[i][1]);
	}
}

int
main(void)
{
	/* Compiled once for each instruction set, as the functions that build are. */
#if defined(__AVX2__)
	if (!__builtin_cpu_supports("avx2"))
		return EXIT_SKIP;
#endif
	return cases_run(NULL, NULL);
}
