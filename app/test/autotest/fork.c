/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Memory that is not there, with and without fork support: with it (RDMAV_FORK_SAFE), libibverbs
 * keeps memory that is registered from children, and is the first to meet what is not mapped.
 */

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "autotest.h"
#include "env.h"

#define PAGE	 4096u
#define NB_PAGES 16u
#define FAR	 (UINT64_C(64) << 30)
#define FULL	 (RTE_UMR_ACCESS_LOCAL_WRITE | RTE_UMR_ACCESS_REMOTE_READ | \
		  RTE_UMR_ACCESS_REMOTE_WRITE)

/* Sixteen pages of which the first eight are not mapped. */
struct hole {
	uint8_t *pages;
	bool is_kept; /* Is registered memory kept from children? */
};

/*
 * DPDK's net_mlx4 asks for support when it is loaded, needed or not, and gets it before rdma-core
 * 52. Here the environment decides.
 */
int
ibv_fork_init(void);

int
ibv_fork_init(void)
{
	int (*real)(void) = (int (*)(void))dlsym(RTLD_NEXT, "ibv_fork_init");

	return getenv("RDMAV_FORK_SAFE") != NULL && real != NULL ? real() : 0;
}

/*
 * Far below what anybody else maps, so that nothing takes the place of what is unmapped again. An
 * address of its own is a wish that ThreadSanitizer does not always grant; MAP_32BIT is.
 */
static uint8_t *
pages_map(int prot)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS;
#ifdef MAP_32BIT
	return mmap(NULL, NB_PAGES * PAGE, prot, flags | MAP_32BIT, -1, 0);
#else
	uint8_t *other = mmap(NULL, PAGE, PROT_NONE, flags, -1, 0);

	if (other == MAP_FAILED)
		return other;
	munmap(other, PAGE);
	return mmap(other - FAR, NB_PAGES * PAGE, prot, flags, -1, 0);
#endif
}

/* Does a child have this page? 0 or 1; -1 if there is none to ask. */
static int
child_has(void *page)
{
	pid_t pid = fork();
	int status;

	if (pid == 0)
		_exit(msync(page, PAGE, MS_ASYNC) == 0);
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

/* Register a page and see whether a child has it: 0 or 1; -1 if that cannot be told. */
static int
child_has_registered(struct at_env *env, uint8_t *page)
{
	struct rte_umr_mr *mr = at_mr_register(env->tx->dev_id, page, PAGE, FULL, 0);

	if (mr == NULL)
		return -1;
	const int ret = child_has(page);
	return rte_umr_mr_deregister(mr) == 0 ? ret : -1;
}

/* Registered memory works, and children have it or not, as it was before. */
static int
memory_is_looked_after(struct at_env *env, const struct hole *hole, uint32_t page)
{
	const struct rte_umr_seg local = at_seg(env->tx, 0, 64);
	uint8_t *addr = hole->pages + page * PAGE;

	TEST_ASSERT_EQUAL(child_has_registered(env, addr), hole->is_kept ? 0 : 1);
	TEST_ASSERT_EQUAL(child_has(addr), 1);
	struct rte_umr_mr *const mr = TEST_NOT_NULL(at_mr_register(env->tx->dev_id, addr, PAGE,
								   FULL, 0));
	memset(addr, 0, 64);
	TEST_ACCEPT(rte_umr_write(env->tx->dev_id, 0, &local, (uintptr_t)addr, mr->rkey, 0));
	TEST_ASSERT_SUCCESS(at_finish(env, 1));
	TEST_ASSERT_SAME(addr, env->tx->buf, 64);
	return rte_umr_mr_deregister(mr);
}

/* A loopback with memory, and a hole. */
static int
hole_build(struct at_env *env, struct hole *hole)
{
	AT_BUILD(env, .topology = AT_LOOPBACK);
	at_fill(env);
	hole->pages = pages_map(PROT_READ | PROT_WRITE);
	TEST_ASSERT(hole->pages != MAP_FAILED);
	TEST_ASSERT_SUCCESS(munmap(hole->pages, NB_PAGES / 2 * PAGE));
	const int ret = child_has_registered(env, hole->pages + (NB_PAGES - 1) * PAGE);
	TEST_ASSERT(ret >= 0);
	hole->is_kept = ret == 0;
	return TEST_SUCCESS;
}

AT_CASE(fork, support_is_what_was_asked_for)
{
	struct hole hole;

	TEST_NEED(hole_build(env, &hole));
	TEST_ASSERT_EQUAL(hole.is_kept, getenv("RDMAV_FORK_SAFE") != NULL);
	return memory_is_looked_after(env, &hole, NB_PAGES / 2);
}

/* The first time as any other, and nothing that is registered later suffers. */
AT_CASE(fork, unmapped_memory_is_a_bad_address_each_time)
{
	struct hole hole;

	TEST_NEED(hole_build(env, &hole));
	for (uint32_t i = 0; i < 3 * NB_PAGES / 2; i++) {
		TEST_ASSERT_ERRNO(at_mr_register(env->tx->dev_id, hole.pages + i / 3 * PAGE, PAGE,
						 FULL, 0), EFAULT);
		/* Up to memory that is there. */
		TEST_ASSERT_ERRNO(at_mr_register(env->tx->dev_id, hole.pages + i / 3 * PAGE,
						 (NB_PAGES - i / 3) * PAGE, FULL, 0), EFAULT);
	}
	return memory_is_looked_after(env, &hole, NB_PAGES / 2);
}

AT_CASE(fork, region_stays_when_new_memory_is_not_mapped)
{
	struct rte_umr_mr_conf change = { .len = PAGE, .access = RTE_UMR_ACCESS_LOCAL_WRITE };
	struct rte_umr_mr *mr, before;
	struct hole hole;
	uint32_t changes;

	TEST_NEED(hole_build(env, &hole));
	change.addr = hole.pages;
	change.pd = rte_umr_pd_alloc(env->tx->dev_id);
	mr = at_mr_register(env->tx->dev_id, hole.pages + NB_PAGES / 2 * PAGE, PAGE, FULL, 0);
	TEST_ASSERT(mr != NULL && change.pd != NULL);
	before = *mr;
	for (changes = 1; changes <= RTE_UMR_MR_CHANGE_ALL; changes++) {
		if ((changes & RTE_UMR_MR_CHANGE_TRANSLATION) == 0)
			continue;
		TEST_ASSERT_EQUAL(rte_umr_mr_reregister(mr, changes, &change), -EFAULT);
		TEST_ASSERT(!mr->is_lost);
		TEST_ASSERT(memcmp(mr, &before, sizeof(before)) == 0);
	}
	/* Of the changes without memory nothing is asked that is not there. */
	TEST_ASSERT_SUCCESS(munmap(mr->addr, PAGE));
	TEST_ASSERT_SUCCESS(rte_umr_mr_reregister(mr, RTE_UMR_MR_CHANGE_PD, &change));
	TEST_ASSERT_SUCCESS(rte_umr_mr_reregister(mr, RTE_UMR_MR_CHANGE_ACCESS, &change));
	TEST_ASSERT_SUCCESS(rte_umr_mr_deregister(mr));
	return memory_is_looked_after(env, &hole, NB_PAGES - 1);
}

/* It is mapped, so nobody can tell before the system does. */
AT_CASE(fork, region_is_lost_when_new_memory_is_not_writable)
{
	struct rte_umr_mr_conf change = { .len = PAGE, .access = FULL };
	struct rte_umr_mr *mr;
	struct hole hole;

	TEST_NEED(hole_build(env, &hole));
	change.addr = pages_map(PROT_READ);
	TEST_ASSERT(change.addr != MAP_FAILED);
	for (uint32_t i = 0; i < 2; i++) {
		TEST_ASSERT_ERRNO(at_mr_register(env->tx->dev_id, change.addr, PAGE, FULL, 0),
				  EFAULT);
		mr = at_mr_register(env->tx->dev_id, hole.pages + (NB_PAGES - 1) * PAGE, PAGE, FULL,
				    0);
		TEST_ASSERT(mr != NULL);
		TEST_ASSERT_EQUAL(rte_umr_mr_reregister(mr, i == 0 ? RTE_UMR_MR_CHANGE_TRANSLATION :
							RTE_UMR_MR_CHANGE_ALL, &change), -EFAULT);
		TEST_ASSERT(mr->is_lost);
		TEST_ASSERT_SUCCESS(rte_umr_mr_deregister(mr));
	}
	return memory_is_looked_after(env, &hole, NB_PAGES / 2);
}

/* What was on demand was never kept from children, so nothing is to be given back. */
AT_CASE(fork, region_on_demand_moves_to_memory_that_comes_later)
{
	struct rte_umr_mr_conf change = { .len = NB_PAGES / 2 * PAGE };
	struct hole hole;

	TEST_NEED(hole_build(env, &hole));
	TEST_NEED(at_need_capa(&env->tx->info, RTE_UMR_CAPA_MR_ODP));
	struct rte_umr_mr *const mr = at_mr_register(env->tx->dev_id, hole.pages +
						     NB_PAGES / 2 * PAGE, NB_PAGES / 2 * PAGE, FULL,
						     RTE_UMR_MR_F_ON_DEMAND);
	TEST_ASSERT(mr != NULL);
	change.addr = hole.pages;
	TEST_ASSERT_SUCCESS(rte_umr_mr_reregister(mr, RTE_UMR_MR_CHANGE_TRANSLATION, &change));
	TEST_ASSERT(mr->addr == hole.pages && !mr->is_lost);
	change.addr = hole.pages + NB_PAGES / 2 * PAGE;
	TEST_ASSERT_SUCCESS(rte_umr_mr_reregister(mr, RTE_UMR_MR_CHANGE_TRANSLATION, &change));
	TEST_ASSERT_EQUAL(child_has(change.addr), 1);
	TEST_ASSERT_SUCCESS(rte_umr_mr_deregister(mr));
	return memory_is_looked_after(env, &hole, NB_PAGES / 2);
}
