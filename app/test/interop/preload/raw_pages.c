/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Pages of a device file that libmlx5 maps by the system call (raw_shim.c), other than those with
 * doorbells: device memory, its operations, the clock.
 */

#include <sys/mman.h>
#include <sys/syscall.h>

#include "../world.h"

/* mlx5_ifc: operation_type of MODIFY_MEMIC */
#define OP_INCREMENT	0
#define OP_TEST_AND_SET	1

static int
setup(void **state)
{
	*state = device_open(NULL);
	return 0;
}

static int
teardown(void **state)
{
	return ibv_close_device(*state);
}

/* Was anything mapped without a word to the library? Else this tests nothing. */
CASE_OF(struct ibv_context, ctx, mmap_is_the_system_call, NULL, NULL)
{
	void *va = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, ctx->cmd_fd, 0);

	/* A context without static pages has nothing there that may be mapped. */
	assert_ptr_not_equal(va, MAP_FAILED);
	assert_int_equal(munmap(va, PAGE), 0);
}

static struct ibv_dm *
dm_alloc(struct ibv_context *ctx, size_t len)
{
	struct ibv_alloc_dm_attr attr = { .length = len };
	struct ibv_dm *dm = ibv_alloc_dm(ctx, &attr);

	assert_non_null(dm);
	return dm;
}

static void
expect_bytes(struct ibv_dm *dm, size_t at, uint8_t value, size_t len)
{
	uint8_t bytes[PAGE];
	size_t i;

	assert_int_equal(ibv_memcpy_from_dm(bytes, dm, at, len), 0);
	for (i = 0; i < len; i++)
		assert_int_equal(bytes[i], value);
}

static void
expect_byte(struct ibv_dm *dm, uint8_t value)
{
	uint8_t bytes[4];

	assert_int_equal(ibv_memcpy_from_dm(bytes, dm, 0, sizeof(bytes)), 0);
	assert_int_equal(bytes[0], value);
}

CASE_OF(struct ibv_context, ctx, operations_act_on_device_memory, NULL, NULL)
{
	struct ibv_dm *dm = dm_alloc(ctx, 64);
	volatile uint8_t *inc, *tas;
	const uint8_t five[4] = { 5 }, zero[4] = { 0 };

	inc = mlx5dv_dm_map_op_addr(dm, OP_INCREMENT);
	tas = mlx5dv_dm_map_op_addr(dm, OP_TEST_AND_SET);
	if (inc == NULL && errno == EOPNOTSUPP)
		skip();
	assert_non_null(inc);
	assert_non_null(tas);
	assert_int_equal(ibv_memcpy_to_dm(dm, 0, five, 4), 0);
	*inc = 3;
	expect_byte(dm, 8);
	assert_int_equal(*tas, 8);
	expect_byte(dm, 1);
	assert_int_equal(ibv_memcpy_to_dm(dm, 0, zero, 4), 0);
	assert_int_equal(*tas, 0);
	assert_int_equal(munmap((void *)(uintptr_t)inc, PAGE), 0);
	assert_int_equal(munmap((void *)(uintptr_t)tas, PAGE), 0);
	assert_int_equal(ibv_free_dm(dm), 0);
}

/* One of several pages, and others beside it: no byte is in two of them. */
CASE_OF(struct ibv_context, ctx, allocations_do_not_overlap, NULL, NULL)
{
	const size_t lens[] = { 64, 3 * PAGE, PAGE, 2 * PAGE };
	uint8_t bytes[3 * PAGE];
	struct ibv_dm *dms[4];
	unsigned int i;
	size_t at;

	for (i = 0; i < 4; i++) {
		dms[i] = dm_alloc(ctx, lens[i]);
		expect_bytes(dms[i], 0, 0, 64);
		memset(bytes, (int)i + 1, lens[i]);
		assert_int_equal(ibv_memcpy_to_dm(dms[i], 0, bytes, lens[i]), 0);
	}
	for (i = 0; i < 4; i++) {
		for (at = 0; at < lens[i]; at += PAGE)
			expect_bytes(dms[i], at, (uint8_t)(i + 1),
				     lens[i] - at < PAGE ? lens[i] - at : PAGE);
		assert_int_equal(ibv_free_dm(dms[i]), 0);
	}
}

static uint64_t
clock_read(struct ibv_context *ctx)
{
	struct ibv_values_ex values = { .comp_mask = IBV_VALUES_MASK_RAW_CLOCK };

	assert_int_equal(ibv_query_rt_values_ex(ctx, &values), 0);
	return (uint64_t)values.raw_clock.tv_sec * 1000000000u + (uint64_t)values.raw_clock.tv_nsec;
}

CASE_OF(struct ibv_context, ctx, clock_goes_on, NULL, NULL)
{
	struct mlx5dv_clock_info info;
	const uint64_t deadline = patience_end();
	uint64_t first = clock_read(ctx);

	assert_true(first != 0);
	while (clock_read(ctx) == first && !patience_is_over(deadline))
		;
	assert_true(clock_read(ctx) > first);
	assert_int_equal(mlx5dv_get_clock_info(ctx, &info), 0);
	assert_int_equal(info.mult, 1);
	assert_true(info.nsec != 0);
}

int
main(void)
{
	return cases_run(setup, teardown);
}
