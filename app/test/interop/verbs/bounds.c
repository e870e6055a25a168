/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Numbers that no device takes, by plain libibverbs: they are rejected as Linux rejects them, and
 * the program goes on.
 */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <cmocka.h>
#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>

#define PAGE UINT64_C(4096)
#define GIB  (UINT64_C(1) << 30)
#define TIB  (UINT64_C(1) << 40)

struct bed {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
};

static int
setup(void **state)
{
	static struct bed bed;
	struct mlx5dv_context_attr attr = { .flags = MLX5DV_CONTEXT_FLAGS_DEVX };
	struct ibv_device **list = ibv_get_device_list(NULL);

	assert_non_null(list);
	bed.ctx = mlx5dv_open_device(list[0], &attr);
	ibv_free_device_list(list);
	assert_non_null(bed.ctx);
	bed.pd = ibv_alloc_pd(bed.ctx);
	assert_non_null(bed.pd);
	*state = &bed;
	return 0;
}

static int
teardown(void **state)
{
	struct bed *bed = *state;

	assert_int_equal(ibv_dealloc_pd(bed->pd), 0);
	assert_int_equal(ibv_close_device(bed->ctx), 0);
	return 0;
}

/* Address space that costs nothing, or NULL: not on this machine. */
static void *
space_get(uint64_t len)
{
	void *va = mmap(NULL, len, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return va == MAP_FAILED ? NULL : va;
}

/* Nothing has to be there: ib_umem_odp_get() counts the pages, and its list has no more bytes
 * than an int counts (kvmalloc()). */
static void
paged_region_beyond_any_list_is_rejected(void **state)
{
	static const uint64_t lens[] = { TIB, 4 * TIB, UINT64_C(1) << 51, UINT64_C(1) << 52,
					 UINT64_C(1) << 63 };
	const int access = IBV_ACCESS_ON_DEMAND | IBV_ACCESS_LOCAL_WRITE;
	struct bed *bed = *state;
	struct ibv_mr *mr;
	size_t i;

	for (i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
		errno = 0;
		assert_null(ibv_reg_mr(bed->pd, (void *)(uintptr_t)PAGE, lens[i], access));
		assert_int_equal(errno, ENOMEM);
	}
	/* One page less is a list of 2 GiB, where that much memory is. */
	errno = 0;
	mr = ibv_reg_mr(bed->pd, (void *)(uintptr_t)PAGE, TIB - PAGE, access);
	if (mr == NULL)
		assert_int_equal(errno, ENOMEM);
	else
		assert_int_equal(ibv_dereg_mr(mr), 0);
}

/*
 * Addresses that differ from those of the device in bit 12 leave only small pages. Their number
 * must not be rounded up beyond what counts it.
 */
static void
region_of_too_many_pages_is_rejected(void **state)
{
	const uint64_t len = UINT32_MAX * PAGE;
	struct bed *bed = *state;
	void *va = space_get(len);

	if (va == NULL)
		skip();
	errno = 0;
	assert_null(ibv_reg_mr_iova(bed->pd, va, len, (uintptr_t)va ^ PAGE,
				    IBV_ACCESS_LOCAL_WRITE));
	assert_int_equal(errno, ENOMEM);
	munmap(va, len);
}

static void
umem_of_too_many_pages_is_rejected(void **state)
{
	const uint64_t len = 64 * GIB;
	struct bed *bed = *state;
	void *va = space_get(len);

	if (va == NULL)
		skip();
	errno = 0;
	assert_null(mlx5dv_devx_umem_reg(bed->ctx, va, len, IBV_ACCESS_LOCAL_WRITE));
	assert_int_equal(errno, ENOMEM);
	munmap(va, len);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(paged_region_beyond_any_list_is_rejected),
		CASE(region_of_too_many_pages_is_rejected),
		CASE(umem_of_too_many_pages_is_rejected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
