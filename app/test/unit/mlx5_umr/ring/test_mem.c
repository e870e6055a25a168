/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Memory that queues share: who gets which part, when it is registered and when it goes. Memory and
 * registrations are this file's, and can fail.
 */

#include <rte_common.h>
#include <rte_log.h>

#include "cases.h"
#include "budget.h"
#include "ring/log.h"
#include "ring/mem.h"

#define PAGE 4096u

/* What is registered and allocated, and what fails from now on. */
static struct {
	unsigned int nb_registrations;
	unsigned int nb_allocations;
	unsigned int nb_old_calls;	/* of the call that older kernels know */
	size_t most;			/* larger allocations fail; 0: none */
	int register_errno;
	int deregister_errno;
	size_t last_size;
} fake;

static void *last_registration;
static struct ibv_pd pds[2];
static struct ibv_context ctx;
static struct mlx5_umr_mem_pool pool;

/* Only the linker refers to what replaces a function. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

static void *
registration(size_t len, size_t size)
{
	if (fake.register_errno != 0) {
		errno = fake.register_errno;
		return NULL;
	}
	fake.nb_registrations++;
	fake.last_size = size;
	last_registration = calloc(1, len);
	return last_registration;
}

struct mlx5dv_devx_umem *
__wrap_mlx5dv_devx_umem_reg_ex(struct ibv_context *context, struct mlx5dv_devx_umem_in *in)
{
	struct mlx5dv_devx_umem *umem;

	assert_ptr_equal(context, &ctx);
	assert_int_equal(in->pgsz_bitmap, PAGE);
	assert_int_equal((uintptr_t)in->addr % PAGE, 0);
	umem = registration(sizeof(*umem), in->size);
	if (umem != NULL)
		umem->umem_id = fake.nb_registrations;
	return umem;
}

struct mlx5dv_devx_umem *
__wrap_mlx5dv_devx_umem_reg(struct ibv_context *context, void *addr, size_t size, uint32_t access)
{
	assert_ptr_equal(context, &ctx);
	assert_int_equal((uintptr_t)addr % PAGE, 0);
	assert_int_equal(access, IBV_ACCESS_LOCAL_WRITE);
	fake.nb_old_calls++;
	fake.register_errno = 0;
	return registration(sizeof(struct mlx5dv_devx_umem), size);
}

static int
deregistration(void *what)
{
	if (fake.deregister_errno != 0)
		return fake.deregister_errno;
	fake.nb_registrations--;
	free(what);
	return 0;
}

int
__wrap_mlx5dv_devx_umem_dereg(struct mlx5dv_devx_umem *umem)
{
	return deregistration(umem);
}

struct ibv_mr *
__wrap_ibv_reg_mr_iova2(struct ibv_pd *pd, void *addr, size_t size, uint64_t iova,
			unsigned int access)
{
	struct ibv_mr *mr;

	assert_true(pd == &pds[0] || pd == &pds[1]);
	assert_int_equal((uintptr_t)addr, iova);
	assert_int_equal(access, 0);
	mr = registration(sizeof(*mr), size);
	if (mr != NULL)
		mr->lkey = (uint32_t)(pd - pds) << 8;
	return mr;
}

/* The compiler decides which of the two ibv_reg_mr() calls. */
struct ibv_mr *
__wrap_ibv_reg_mr(struct ibv_pd *pd, void *addr, size_t size, int access)
{
	return __wrap_ibv_reg_mr_iova2(pd, addr, size, (uintptr_t)addr, (unsigned int)access);
}

int
__wrap_ibv_dereg_mr(struct ibv_mr *mr)
{
	return deregistration(mr);
}

void *
__wrap_rte_malloc_socket(const char *type __rte_unused, size_t size, unsigned int align,
			 int socket __rte_unused)
{
	if (fake.most != 0 && size > fake.most)
		return NULL;
	fake.nb_allocations++;
	return aligned_alloc(align, size);
}

void
__wrap_rte_free(void *ptr)
{
	fake.nb_allocations -= ptr != NULL;
	free(ptr);
}

static int
setup(void **state)
{
	memset(&fake, 0, sizeof(fake));
	mlx5_umr_mem_init(&pool, &ctx, "mlx5_0");
	rte_log_set_level(mlx5_umr_logtype, RTE_LOG_CRIT);
	return 0;
}

/* Whatever a case did, nothing is left. */
static int
teardown(void **state)
{
	mlx5_umr_mem_fini(&pool);
	return fake.nb_allocations == 0 ? 0 : -1;
}

/* On the first socket. @return 0 or a negative errno. */
static int
take(struct ibv_pd *pd, size_t size, struct mlx5_umr_mem *mem)
{
	return mlx5_umr_mem_alloc(&pool, pd, size, 0, mem);
}

static void
give(struct mlx5_umr_mem *mem)
{
	mlx5_umr_mem_free(&pool, mem);
}

/* Give all back; nothing is left. */
static void
give_all(struct mlx5_umr_mem *mems, unsigned int nb)
{
	for (unsigned int i = 0; i < nb; i++)
		give(&mems[i]);
	assert_int_equal(fake.nb_registrations, 0);
	assert_int_equal(fake.nb_allocations, 0);
}

#define NB_MEMS 1000u

CASE_WITH(memory_doubles_with_each_registration, setup, teardown)
{
	static struct mlx5_umr_mem mems[NB_MEMS];

	for (unsigned int i = 0; i < NB_MEMS; i++) {
		assert_int_equal(take(NULL, PAGE - 1, &mems[i]), 0);
		assert_int_equal(mems[i].size, PAGE);
		if (i < 4)
			assert_int_equal(fake.nb_registrations, i < 2 ? i + 1 : 3);
	}
	assert_int_equal(fake.nb_registrations, 11);
	give_all(mems, NB_MEMS);
}

CASE_WITH(slabs_end_growing, setup, teardown)
{
	struct mlx5_umr_mem mems[16];

	for (unsigned int i = 0; i < RTE_DIM(mems); i++)
		assert_int_equal(take(NULL, MLX5_UMR_SLAB_MAX / 2, &mems[i]), 0);
	assert_int_equal(fake.last_size, MLX5_UMR_SLAB_MAX);
	give_all(mems, RTE_DIM(mems));
	/* What is larger has what it needs. */
	assert_int_equal(take(NULL, MLX5_UMR_SLAB_MAX * 2, &mems[0]), 0);
	assert_int_equal(fake.last_size, MLX5_UMR_SLAB_MAX * 2);
	give_all(mems, 1);
}

/* All that is taken is filled, and holds what it was filled with when it is given back. */
CASE_WITH(nobody_gets_what_another_one_has, setup, teardown)
{
	const uint32_t nb_steps = 8 * test_nb_cases();
	static struct mlx5_umr_mem mems[200];
	unsigned int i, step;
	size_t at, size;

	memset(mems, 0, sizeof(mems));
	srand(test_seed());
	for (step = 0; step < nb_steps; step++) {
		i = (unsigned int)rand() % RTE_DIM(mems);
		if (mems[i].slab != NULL) {
			for (at = 0; at < mems[i].size; at += PAGE)
				assert_int_equal(mems[i].va[at], (uint8_t)i);
			give(&mems[i]);
			assert_null(mems[i].slab);
			continue;
		}
		size = 1 + (size_t)rand() % (8 * PAGE);
		assert_int_equal(take(NULL, size, &mems[i]), 0);
		assert_true(mems[i].size >= size && mems[i].size < size + PAGE);
		assert_int_equal((uintptr_t)mems[i].va % PAGE, 0);
		assert_int_equal(mems[i].offset % PAGE, 0);
		memset(mems[i].va, (int)i, mems[i].size);
	}
	give_all(mems, RTE_DIM(mems));
}

CASE_WITH(domains_and_sockets_share_nothing, setup, teardown)
{
	struct mlx5_umr_mem big, mems[3];

	assert_int_equal(take(NULL, 64 * PAGE, &big), 0);
	assert_int_equal(take(&pds[0], PAGE, &mems[0]), 0);
	assert_int_equal(take(&pds[1], PAGE, &mems[1]), 0);
	assert_int_equal(mlx5_umr_mem_alloc(&pool, &pds[1], PAGE, 1, &mems[2]), 0);
	assert_int_equal(fake.nb_registrations, 4);
	assert_int_equal(mlx5_umr_mem_umem_id(&big), 1);
	assert_int_equal(mlx5_umr_mem_lkey(&mems[0]), 0);
	assert_int_equal(mlx5_umr_mem_lkey(&mems[1]), 0x100);
	/* A domain that nobody uses can be freed: nothing is registered in it. */
	give(&mems[1]);
	give(&mems[2]);
	assert_int_equal(fake.nb_registrations, 2);
	give(&mems[0]);
	give(&big);
}

CASE_WITH(failed_registration_leaves_nothing, setup, teardown)
{
	struct mlx5_umr_mem mem = { 0 };

	fake.register_errno = ENOMEM;
	assert_int_equal(take(NULL, PAGE, &mem), -ENOMEM);
	assert_int_equal(take(&pds[0], PAGE, &mem), -ENOMEM);
	assert_null(mem.slab);
	assert_int_equal(fake.nb_allocations, 0);
	give(&mem);
	assert_int_equal(fake.nb_old_calls, 0);
	/* A kernel that does not know sizes of pages. */
	fake.register_errno = EPROTONOSUPPORT;
	assert_int_equal(take(NULL, PAGE, &mem), 0);
	assert_int_equal(fake.nb_old_calls, 1);
	give(&mem);
}

CASE_WITH(little_memory_is_enough, setup, teardown)
{
	struct mlx5_umr_mem mems[8];

	fake.most = 2 * PAGE;
	for (unsigned int i = 0; i < RTE_DIM(mems); i++)
		assert_int_equal(take(NULL, PAGE, &mems[i]), 0);
	fake.most = PAGE - 1;
	assert_int_equal(take(NULL, PAGE, &mems[0]), -ENOMEM);
	give_all(mems, RTE_DIM(mems));
}

CASE_WITH(memory_that_stays_registered_is_used_again, setup, teardown)
{
	struct mlx5_umr_mem mem;
	uint8_t *va;

	assert_int_equal(take(NULL, PAGE, &mem), 0);
	va = mem.va;
	fake.deregister_errno = EIO;
	give(&mem);
	assert_int_equal(fake.nb_allocations, 1);
	assert_int_equal(take(NULL, PAGE, &mem), 0);
	assert_ptr_equal(mem.va, va);
	give(&mem);
	fake.deregister_errno = 0;
	mlx5_umr_mem_trim(&pool);
	assert_int_equal(fake.nb_registrations, 0);
	assert_int_equal(fake.nb_allocations, 0);
}

CASE_WITH(what_is_kept_goes_with_the_device, setup, teardown)
{
	struct mlx5_umr_mem kept, mem;

	assert_int_equal(take(NULL, PAGE, &mem), 0);
	assert_int_equal(take(NULL, PAGE, &kept), 0);
	give(&mem);
	mlx5_umr_mem_trim(&pool);
	assert_int_equal(fake.nb_registrations, 1);
	assert_int_equal(fake.nb_allocations, 1);
	/* Its context is closed, and with it what libmlx5 knows of the umem. */
	mlx5_umr_mem_fini(&pool);
	assert_int_equal(fake.nb_allocations, 0);
	assert_int_equal(fake.nb_registrations, 1);
	free(last_registration);
}
