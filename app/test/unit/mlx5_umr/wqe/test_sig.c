/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Signature builders: bytes typed by hand from the layouts in mlx5_prm_sig.h.
 */

#include "cases.h"
#include "wqe/sig.h"

#define ZERO_16	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
#define RAW	0xff, 0xff, 0xff, 0xff

static const uint32_t psv[MLX5_UMR_SIG_NB_DOMAINS] = { 0x112233, 0x445566 };

static const struct mlx5_umr_sig_caps caps_all = { 0x3e, 0x1f, 0x10 };

/* A format, and the seeds of its domains. */
CASE(formats_have_golden_bytes)
{
	static const struct {
		const char *name;
		struct rte_umr_sig sig;
		bool has_crypto;
		uint64_t mem_transient, wire_transient;
		uint8_t golden[PRM_BSF_SIZE];
	} formats[] = {
		{ "CRC32C in memory", {
			.mem = { .type = RTE_UMR_SIG_CRC32C, .block_size = 4096,
				 .flags = RTE_UMR_SIG_DOMAIN_F_SEED_ONES },
			.check_mask = RTE_UMR_SIG_MASK_CRC32,
		  }, false, 0xffffffff00000000, 0, {
			0x80, 0xf0, 0x00, 0x03, RAW, 0, 0, 0, 0, 0x42, 0x11, 0x22, 0x33,
		} },
		{ "CRC64 on the wire", {
			.wire = { .type = RTE_UMR_SIG_CRC64_XP10, .block_size = 4048 },
			.check_mask = 0xff,
		  }, true, 0, 0, {
			0xc0, 0xff, 0x06, 0x00, RAW, 0x53, 0x44, 0x55, 0x66, 0, 0, 0, 0,
		} },
		{ "T10-DIF in both", {
			.mem = { .type = RTE_UMR_SIG_T10DIF_CRC, .block_size = 520,
				 .app_tag = 0x1234, .ref_tag = 0x80000001,
				 .flags = RTE_UMR_SIG_DOMAIN_F_SEED_ONES |
					  RTE_UMR_SIG_DOMAIN_F_APP_ESCAPE |
					  RTE_UMR_SIG_DOMAIN_F_APP_REF_ESCAPE },
			.wire = { .type = RTE_UMR_SIG_T10DIF_CRC, .block_size = 520,
				  .app_tag = 0x1234, .ref_tag = 7,
				  .flags = RTE_UMR_SIG_DOMAIN_F_SEED_ONES |
					   RTE_UMR_SIG_DOMAIN_F_REF_INCREMENT },
			.check_mask = RTE_UMR_SIG_MASK_APP_TAG | RTE_UMR_SIG_MASK_REF_TAG,
		  }, false, 0xffff123480000001, 0xffff123400000007, {
			/* with inline, same structure; app tag and guard are copied; 520 bytes */
			0x90, 0x3f, 0xf0, 0x02, RAW, 0, 0x44, 0x55, 0x66, 0, 0x11, 0x22, 0x33,
			ZERO_16,
			/* wire: valid, refresh; tags; CRC, repeat, seed; increment; app tag */
			0xc0, 0, 0x12, 0x34, 0, 0, 0, 0x07, 0x01, 0x88, 0, 0, 0, 0x40, 0xff, 0xff,
			/* memory: escape by both tags */
			0xc0, 0x00, 0x12, 0x34, 0x80, 0x00, 0x00, 0x01,
			0x01, 0x88, 0x00, 0x00, 0x00, 0x02, 0xff, 0xff,
		} },
		{ "domains of other structure", {
			.mem = { .type = RTE_UMR_SIG_T10DIF_CSUM, .block_size = 4160,
				 .app_tag = 0xffff, .ref_tag = 0xffffffff,
				 .flags = RTE_UMR_SIG_DOMAIN_F_APP_ESCAPE },
			.wire = { .type = RTE_UMR_SIG_CRC32, .block_size = 512 },
			.check_mask = RTE_UMR_SIG_MASK_GUARD,
		  }, false, 0x0000ffffffffffff, 0, {
			0x80, 0xc0, 0x01, 0x04, RAW, 0x23, 0x44, 0x55, 0x66, 0, 0x11, 0x22, 0x33,
			ZERO_16, ZERO_16,
			0xc0, 0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
			0x02, 0x80, 0x00, 0x00, 0x00, 0x01, 0xff, 0xff,
		} },
		{ "none in front of crypto", { .check_mask = 0xff }, true, 0, 0,
		  { 0xc0, 0x00, 0x00, 0x00, RAW } },
	};
	uint8_t bsf[PRM_BSF_SIZE] __rte_aligned(8);

	for (size_t i = 0; i < RTE_DIM(formats); i++) {
		memset(bsf, 0xa5, sizeof(bsf));
		mlx5_umr_sig_bsf_build(bsf, &formats[i].sig, psv, formats[i].has_crypto);
		if (memcmp(bsf, formats[i].golden, sizeof(bsf)) != 0)
			print_message("%s:\n", formats[i].name);
		assert_memory_equal(bsf, formats[i].golden, sizeof(bsf));
		row_check(formats[i].name, mlx5_umr_sig_transient(&formats[i].sig.mem),
			  formats[i].mem_transient);
		row_check(formats[i].name, mlx5_umr_sig_transient(&formats[i].sig.wire),
			  formats[i].wire_transient);
	}
}

CASE(set_psv_has_golden_bytes)
{
	static const uint8_t golden[] = {
		0x00, 0x02, 0x03, 0x20, 0x12, 0x34, 0x56, 0x02, 0x00, 0x00, 0x00, 0x20, 0, 0, 0, 0,
		0, 0xab, 0xcd, 0xef, 0, 0, 0, 0, 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,
	};
	const mlx5_umr_prefix_t prefix = mlx5_umr_prefix_of(0x12345600, 0x20, 0x10203);
	const struct mlx5_umr_psv body = mlx5_umr_psv_make(0xabcdef, 0x0123456789abcdef);
	uint8_t wqe[PRM_WQE_BB_SIZE] __rte_aligned(16);

	memset(wqe, 0xa5, sizeof(wqe));
	mlx5_umr_set_psv_store(wqe, prefix, &body);
	assert_memory_equal(wqe, golden, sizeof(golden));
	assert_int_equal(wqe[sizeof(golden)], 0xa5);
}

/* Two domains; which parts of the field are the same in both. */
CASE(copy_mask_has_what_does_not_differ)
{
#define DIF(tag, ref, f) { .type = RTE_UMR_SIG_T10DIF_CRC, .block_size = 512, .app_tag = tag, \
			   .ref_tag = ref, .flags = f }
#define CSUM(tag, ref) { .type = RTE_UMR_SIG_T10DIF_CSUM, .block_size = 512, .app_tag = tag, \
			 .ref_tag = ref }
#define CRC(f) { .type = RTE_UMR_SIG_CRC32, .block_size = 512, .flags = f }
#define CRC64 { .type = RTE_UMR_SIG_CRC64_XP10, .block_size = 512 }
	static const struct {
		const char *name;
		struct rte_umr_sig sig;
		uint8_t mask;
	} cases[] = {
		{ "same", { .mem = DIF(1, 2, 0), .wire = DIF(1, 2, 0) }, 0xff },
		{ "escape", { .mem = DIF(1, 2, 0),
		    .wire = DIF(1, 2, RTE_UMR_SIG_DOMAIN_F_APP_ESCAPE) }, 0xff },
		{ "increment", { .mem = DIF(1, 2, 0),
		    .wire = DIF(1, 2, RTE_UMR_SIG_DOMAIN_F_REF_INCREMENT) }, 0xf0 },
		{ "seed", { .mem = DIF(1, 2, 0),
		    .wire = DIF(1, 2, RTE_UMR_SIG_DOMAIN_F_SEED_ONES) }, 0x3f },
		{ "guard and application tag", { .mem = DIF(1, 2, 0), .wire = CSUM(2, 2) }, 0x0f },
		{ "all", { .mem = DIF(1, 2, 0), .wire = CSUM(2, 3) }, 0 },
		{ "same CRC", { .mem = CRC(0), .wire = CRC(0) }, 0xf0 },
		{ "CRC and seed", { .mem = CRC(0), .wire = CRC(RTE_UMR_SIG_DOMAIN_F_SEED_ONES) },
		  0 },
		{ "given", { .mem = CRC(0), .wire = CRC(RTE_UMR_SIG_DOMAIN_F_SEED_ONES),
		    .copy_mask = 0x5a, .flags = RTE_UMR_SIG_F_COPY_MASK }, 0x5a },
		{ "ignored", { .mem = CRC64, .wire = CRC64, .copy_mask = 0x5a }, 0xff },
	};

	for (size_t i = 0; i < RTE_DIM(cases); i++)
		row_check(cases[i].name, mlx5_umr_sig_copy_mask(&cases[i].sig), cases[i].mask);
}

#define ALL { 0x3e, 0x1f, 0x10 }

CASE(bad_signatures_are_rejected_with_a_reason)
{
	static const struct {
		struct rte_umr_sig sig;
		struct mlx5_umr_sig_caps caps;
		const char *why;
		int ret;
	} cases[] = {
		{ { .mem = { 0 } }, ALL, "neither", -EINVAL },
		{ { .mem = { .type = 6, .block_size = 512 } }, { UINT32_MAX, 0x1f, 0x10 },
		  "memory: type is 6", -EINVAL },
		{ { .wire = { .type = 3, .block_size = 513 } }, ALL, "wire: block_size is 513",
		  -EINVAL },
		{ { .mem = { .type = 3, .block_size = 512, .flags = 2 } }, ALL, "memory: flags 0x2",
		  -EINVAL },
		{ { .mem = { .type = 1, .block_size = 512, .flags = 32 } }, ALL,
		  "memory: flags 0x20", -EINVAL },
		{ { .mem = { .type = 1, .block_size = 512 }, .flags = 2 }, ALL, "flags 0x2",
		  -EINVAL },
		{ { .mem = { .type = 1, .block_size = 512 }, .reserved = 1 }, ALL, "reserved 1",
		  -EINVAL },
		{ { .mem = { .type = 5, .block_size = 512 } }, { 0x1e, 0x1f, 0x10 },
		  "memory: the device has signatures 0x1e", -ENOTSUP },
		{ { .wire = { .type = 1, .block_size = 4048 } }, { 0x3e, 0x1b, 0x10 },
		  "wire: the device has block sizes 0x1b", -ENOTSUP },
		{ { .mem = { .type = 1, .block_size = 512 }, .flags = 1, .copy_mask = 0x30 }, ALL,
		  "copy mask 0x30", -EINVAL },
		{ { .mem = { .type = 1, .block_size = 512 },
		    .wire = { .type = 1, .block_size = 520 }, .flags = 1 }, ALL, "copy mask 0x0",
		  -EINVAL },
		{ { .mem = { .type = 3, .block_size = 512 },
		    .wire = { .type = 4, .block_size = 512 }, .flags = 1 }, ALL, "copy mask 0x0",
		  -EINVAL },
		/* Transactions. */
		{ { .mem = { .type = 4, .block_size = 512, .flags = 16 }, .check_mask = 0xff }, ALL,
		  "memory: block_size is 512", -EINVAL },
		{ { .wire = { .type = 4, .flags = 18 }, .check_mask = 0xff }, ALL,
		  "wire: flags 0x12", -EINVAL },
		{ { .wire = { .type = 3, .flags = 16 }, .check_mask = 0xff }, ALL,
		  "wire: the device has transactions of 0x10, not type 3", -ENOTSUP },
		{ { .wire = { .type = 1, .flags = 16 }, .check_mask = 0xff }, ALL,
		  "wire: the device has transactions of 0x10, not type 1", -ENOTSUP },
		{ { .wire = { .type = 4, .flags = 16 }, .check_mask = 0xff }, { 0x3e, 0x1f, 0 },
		  "wire: the device has transactions of 0x0", -ENOTSUP },
		{ { .mem = { .type = 4, .flags = 16 }, .wire = { .type = 4, .flags = 16 },
		    .check_mask = 0xff }, ALL, "a transaction beside", -ENOTSUP },
		{ { .mem = { .type = 4, .flags = 17 }, .wire = { .type = 4, .block_size = 512 },
		    .check_mask = 0xff }, ALL, "a transaction beside", -ENOTSUP },
		{ { .mem = { .type = 4, .flags = 16 }, .check_mask = 0xe0 }, ALL,
		  "check_mask is 0xe0", -EINVAL },
		{ { .mem = { .type = 4, .flags = 16 }, .check_mask = 0xff, .flags = 1 }, ALL,
		  "copy mask 0x0", -EINVAL },
	};
	char why[128];

	for (size_t i = 0; i < RTE_DIM(cases); i++) {
		why[0] = '\0';
		assert_int_equal(mlx5_umr_sig_check(&cases[i].caps, &cases[i].sig, why,
						    sizeof(why)), cases[i].ret);
		if (strncmp(why, cases[i].why, strlen(cases[i].why)) != 0)
			fail_msg("case %zu: \"%s\", not \"%s...\"", i, why, cases[i].why);
	}
}

CASE(good_signatures_are_taken)
{
	static const uint16_t sizes[] = { 512, 520, 4048, 4096, 4160 };
	struct rte_umr_sig sig = { 0 };
	char why[128] = "";

	for (sig.mem.type = 0; sig.mem.type <= 5; sig.mem.type++) {
		for (sig.wire.type = sig.mem.type == 0; sig.wire.type <= 5; sig.wire.type++) {
			for (size_t i = 0; i < RTE_DIM(sizes); i++) {
				sig.mem.block_size = sizes[i];
				sig.wire.block_size = sizes[RTE_DIM(sizes) - 1 - i];
				assert_int_equal(mlx5_umr_sig_check(&caps_all, &sig, why,
								    sizeof(why)), 0);
			}
		}
	}
	assert_string_equal(why, "");
}

/* Values of a CQE: expected aabb ccdd 11223344, actual a0b0 c0d0 01020304. */
static const struct mlx5_umr_sigerr sigerr = {
	.expected = 0xaabbccdd11223344, .actual = 0xa0b0c0d001020304, .offset = 1040,
	.qpn = 0x123, .syndrome = PRM_SIGERR_SYNDROME_GUARD, .domain = PRM_SIGERR_DOMAIN_MEMORY,
	.types = { [MLX5_UMR_SIG_MEM] = RTE_UMR_SIG_CRC32 },
};

CASE(errors_are_decoded_by_the_signature)
{
	static const struct {
		uint8_t sig_type;
		uint16_t syndrome;
		uint8_t type;
		uint64_t expected, actual;
	} errors[] = {
		{ RTE_UMR_SIG_T10DIF_CRC, 0x2000, RTE_UMR_MKEY_ERROR_GUARD, 0xaabb, 0xa0b0 },
		{ RTE_UMR_SIG_T10DIF_CSUM, 0x1000, RTE_UMR_MKEY_ERROR_APP_TAG, 0xccdd, 0xc0d0 },
		{ RTE_UMR_SIG_T10DIF_CRC, 0x0800, RTE_UMR_MKEY_ERROR_REF_TAG, 0x11223344,
		  0x01020304 },
		{ RTE_UMR_SIG_CRC32, 0x2000, RTE_UMR_MKEY_ERROR_GUARD, 0xaabbccdd, 0xa0b0c0d0 },
		{ RTE_UMR_SIG_CRC32C, 0x2000, RTE_UMR_MKEY_ERROR_GUARD, 0xaabbccdd, 0xa0b0c0d0 },
		{ RTE_UMR_SIG_CRC64_XP10, 0x2000, RTE_UMR_MKEY_ERROR_GUARD, 0xaabbccdd11223344,
		  0xa0b0c0d001020304 },
	};

	for (size_t i = 0; i < RTE_DIM(errors); i++) {
		struct rte_umr_mkey_error error = { .type = 99 };
		struct mlx5_umr_sigerr err = sigerr;

		err.types[MLX5_UMR_SIG_MEM] = errors[i].sig_type;
		err.syndrome = errors[i].syndrome;
		assert_int_equal(mlx5_umr_sigerr_decode(&err, &error), 0);
		if (error.type != errors[i].type || error.expected != errors[i].expected ||
		    error.actual != errors[i].actual)
			fail_msg("error %zu: %u", i, error.type);
		assert_int_equal(error.offset, 1040);
		assert_int_equal(error.qpn, 0x123);
		assert_false(error.is_wire);
	}
}

CASE(unknown_errors_are_not_decoded)
{
	struct mlx5_umr_sigerr errs[] = { sigerr, sigerr, sigerr, sigerr };
	struct rte_umr_mkey_error error;

	errs[0].syndrome = 1;
	errs[1].sig_type = 1;	/* transaction */
	errs[2].domain = 2;
	errs[3].domain = PRM_SIGERR_DOMAIN_WIRE;	/* has none */
	for (size_t i = 0; i < RTE_DIM(errs); i++)
		row_check_at(i, mlx5_umr_sigerr_decode(&errs[i], &error), -EPROTO);
}

CASE(sigerr_cqe_is_read)
{
	static const uint8_t cqe[64] __rte_aligned(8) = {
		ZERO_16,
		0xaa, 0xbb, 0xcc, 0xdd, 0xa0, 0xb0, 0xc0, 0xd0,
		0x11, 0x22, 0x33, 0x44, 0x01, 0x02, 0x03, 0x04,
		0x20, 0, 0x05, 0x01, 0, 0x77, 0x66, 0x55, 0, 0, 0, 0x01, 0, 0, 0x04, 0x10,
		0, 0, 0, 0, 0, 0, 0, 0, 0x00, 0x00, 0x01, 0x23, 0, 0, 0, 0xc0,
	};
	struct mlx5_umr_sigerr err;

	mlx5_umr_sigerr_read(cqe, &err);
	assert_int_equal(err.expected, sigerr.expected);
	assert_int_equal(err.actual, sigerr.actual);
	assert_int_equal(err.offset, 0x100000410);
	assert_int_equal(err.mkey, 0x776655);
	assert_int_equal(err.qpn, 0x123);
	assert_int_equal(err.syndrome, 0x2000);
	assert_int_equal(err.sig_type, 5);
	assert_int_equal(err.domain, PRM_SIGERR_DOMAIN_MEMORY);
}
