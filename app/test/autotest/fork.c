/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Memory that is not there, with and without fork support: with it (RDMAV_FORK_SAFE), libibverbs
 * keeps memory that is registered from children, and is the first to meet what is not mapped.
 */

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <infiniband/verbs.h>

#include "autotest.h"
#include "autotest_env.h"

#define PAGE	 4096u
#define NB_PAGES 16u
#define FULL	 (RTE_UMR_ACCESS_LOCAL_WRITE | RTE_UMR_ACCESS_REMOTE_READ | \
		  RTE_UMR_ACCESS_REMOTE_WRITE)

/*
 * Whether a child can have memory that is registered. If nobody needs to look after it, libibverbs
 * may do so all the same: rdma-core before 52 does when DPDK's mlx4 driver has asked for it.
 */
static bool
may_child_have(bool has)
{
	switch (ibv_is_fork_initialized()) {
	case IBV_FORK_ENABLED:
		return !has;
	case IBV_FORK_DISABLED:
		return has;
	default:
		return true;
	}
}

static uint8_t *
pages_map(int prot)
{
	return mmap(NULL, NB_PAGES * PAGE, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
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

/* Registered memory works, and where libibverbs looks after it, no child has it. */
static int
memory_is_looked_after(struct at_env *env, uint8_t *page)
{
	const struct rte_umr_seg local = at_seg(env->tx, 0, 64);
	struct rte_umr_mr *mr;

	mr = rte_umr_mr_register(env->tx->dev_id, page, PAGE, FULL, 0);
	TEST_ASSERT(mr != NULL);
	TEST_ASSERT(may_child_have(child_has(page) == 1));
	memset(page, 0, 64);
	TEST_ASSERT(rte_umr_write(env->tx->dev_id, 0, &local, (uintptr_t)page, mr->rkey, 0) >= 0);
	TEST_ASSERT_SUCCESS(at_finish(env, 1));
	TEST_ASSERT_EQUAL(at_first_difference(page, env->tx->buf, 64), -1);
	TEST_ASSERT_SUCCESS(rte_umr_mr_deregister(mr));
	TEST_ASSERT_EQUAL(child_has(page), 1);
	return TEST_SUCCESS;
}

/* A loopback with memory, in front of sixteen pages of which the first eight are not mapped. */
static int
hole_build(struct at_env *env, uint8_t **pages)
{
	const struct at_conf conf = { 0 };

	TEST_NEED(at_env_build(env, &conf));
	at_fill(env);
	*pages = pages_map(PROT_READ | PROT_WRITE);
	TEST_ASSERT(*pages != MAP_FAILED);
	TEST_ASSERT_SUCCESS(munmap(*pages, NB_PAGES / 2 * PAGE));
	return TEST_SUCCESS;
}

static int
support_is_what_was_asked_for(struct at_env *env)
{
	uint8_t *pages;

	TEST_NEED(hole_build(env, &pages));
	if (getenv("RDMAV_FORK_SAFE") != NULL)
		TEST_ASSERT_EQUAL(ibv_is_fork_initialized(), IBV_FORK_ENABLED);
	return memory_is_looked_after(env, pages + NB_PAGES / 2 * PAGE);
}

/* The first time as any other, and nothing that is registered later suffers. */
static int
unmapped_memory_is_a_bad_address_each_time(struct at_env *env)
{
	uint8_t *pages;
	uint32_t i;

	TEST_NEED(hole_build(env, &pages));
	for (i = 0; i < 3 * NB_PAGES / 2; i++) {
		rte_errno = 0;
		TEST_ASSERT(rte_umr_mr_register(env->tx->dev_id, pages + i / 3 * PAGE, PAGE, FULL,
						0) == NULL);
		TEST_ASSERT_EQUAL(rte_errno, EFAULT);
		/* Up to memory that is there. */
		rte_errno = 0;
		TEST_ASSERT(rte_umr_mr_register(env->tx->dev_id, pages + i / 3 * PAGE,
						(NB_PAGES - i / 3) * PAGE, FULL, 0) == NULL);
		TEST_ASSERT_EQUAL(rte_errno, EFAULT);
	}
	return memory_is_looked_after(env, pages + NB_PAGES / 2 * PAGE);
}

static int
region_stays_when_new_memory_is_not_mapped(struct at_env *env)
{
	struct rte_umr_mr_conf change = { .len = PAGE, .access = RTE_UMR_ACCESS_LOCAL_WRITE };
	struct rte_umr_mr *mr, before;
	uint32_t changes;
	uint8_t *pages;

	TEST_NEED(hole_build(env, &pages));
	change.addr = pages;
	change.pd = rte_umr_pd_alloc(env->tx->dev_id);
	mr = rte_umr_mr_register(env->tx->dev_id, pages + NB_PAGES / 2 * PAGE, PAGE, FULL, 0);
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
	return memory_is_looked_after(env, pages + (NB_PAGES - 1) * PAGE);
}

/* It is mapped, so nobody can tell before the system does. */
static int
region_is_lost_when_new_memory_is_not_writable(struct at_env *env)
{
	struct rte_umr_mr_conf change = { .len = PAGE, .access = FULL };
	struct rte_umr_mr *mr;
	uint8_t *pages;
	uint32_t i;

	TEST_NEED(hole_build(env, &pages));
	change.addr = pages_map(PROT_READ);
	TEST_ASSERT(change.addr != MAP_FAILED);
	for (i = 0; i < 2; i++) {
		rte_errno = 0;
		TEST_ASSERT(rte_umr_mr_register(env->tx->dev_id, change.addr, PAGE, FULL, 0) ==
			    NULL);
		TEST_ASSERT_EQUAL(rte_errno, EFAULT);
		mr = rte_umr_mr_register(env->tx->dev_id, pages + (NB_PAGES - 1) * PAGE, PAGE,
					 FULL, 0);
		TEST_ASSERT(mr != NULL);
		TEST_ASSERT_EQUAL(rte_umr_mr_reregister(mr, i == 0 ? RTE_UMR_MR_CHANGE_TRANSLATION :
						RTE_UMR_MR_CHANGE_ALL, &change), -EFAULT);
		TEST_ASSERT(mr->is_lost);
		TEST_ASSERT_SUCCESS(rte_umr_mr_deregister(mr));
	}
	return memory_is_looked_after(env, pages + NB_PAGES / 2 * PAGE);
}

/* What was on demand was never kept from children, so nothing is to be given back. */
static int
region_on_demand_moves_to_memory_that_comes_later(struct at_env *env)
{
	struct rte_umr_mr_conf change = { .len = NB_PAGES / 2 * PAGE };
	struct rte_umr_dev_info info;
	struct rte_umr_mr *mr;
	uint8_t *pages;

	TEST_NEED(hole_build(env, &pages));
	TEST_ASSERT_SUCCESS(rte_umr_dev_info_get(env->tx->dev_id, &info));
	if ((info.dev_capa & RTE_UMR_CAPA_MR_ODP) == 0) {
		printf("%s pages nothing on demand\n", info.dev_name);
		return TEST_SKIPPED;
	}
	mr = rte_umr_mr_register(env->tx->dev_id, pages + NB_PAGES / 2 * PAGE,
				 NB_PAGES / 2 * PAGE, FULL, RTE_UMR_MR_F_ON_DEMAND);
	TEST_ASSERT(mr != NULL);
	change.addr = pages;
	TEST_ASSERT_SUCCESS(rte_umr_mr_reregister(mr, RTE_UMR_MR_CHANGE_TRANSLATION, &change));
	TEST_ASSERT(mr->addr == pages && !mr->is_lost);
	change.addr = pages + NB_PAGES / 2 * PAGE;
	TEST_ASSERT_SUCCESS(rte_umr_mr_reregister(mr, RTE_UMR_MR_CHANGE_TRANSLATION, &change));
	TEST_ASSERT_EQUAL(child_has(change.addr), 1);
	TEST_ASSERT_SUCCESS(rte_umr_mr_deregister(mr));
	return memory_is_looked_after(env, pages + NB_PAGES / 2 * PAGE);
}

static const struct autotest_case cases[] = {
	AUTOTEST_CASE(support_is_what_was_asked_for),
	AUTOTEST_CASE(unmapped_memory_is_a_bad_address_each_time),
	AUTOTEST_CASE(region_stays_when_new_memory_is_not_mapped),
	AUTOTEST_CASE(region_is_lost_when_new_memory_is_not_writable),
	AUTOTEST_CASE(region_on_demand_moves_to_memory_that_comes_later),
};

AUTOTEST_SUITE(fork, cases);
