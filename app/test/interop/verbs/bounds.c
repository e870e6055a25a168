/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Numbers that no device takes, by plain libibverbs: they are rejected as Linux rejects them, and
 * the program goes on.
 */

#include <sys/mman.h>

#include "../world.h"

#define GIB  (UINT64_C(1) << 30)
#define TIB  (UINT64_C(1) << 40)

static int
setup(void **state)
{
	static struct end end;

	end_open(&end, devx_open(), PAGE);
	*state = &end;
	return 0;
}

static int
teardown(void **state)
{
	end_close(*state);
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
	struct end *bed = *state;
	struct ibv_mr *mr;
	size_t i;

	for (i = 0; i < DIM(lens); i++) {
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
	const uint64_t len = UINT32_MAX * (uint64_t)PAGE;
	struct end *bed = *state;
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
	struct end *bed = *state;
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
