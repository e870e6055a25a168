/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Looking for keys while regions come and go: what another thread does between two steps of a
 * lookup, or of a change, is done here where the fence between them is (fence_hooks.h).
 */

#include "cases.h"
#include "stub.h"

#define DEV_ID	3
#define OUTER	((void *)0x10000)
#define INNER	((void *)0x18000)

/* Owners: only to compare. */
static const int outer, inner;

/* What another thread does, at the next fence of that order. */
static struct {
	int order;
	void (*act)(void);
	unsigned int nb;
} other;

void
test_fence(int order)
{
	void (*act)(void) = other.act;

	if (act == NULL || order != other.order)
		return;
	other.act = NULL;
	other.nb++;
	act();
}

static int
setup(void **state)
{
	other.nb = 0;
	stub_dev.dev_id = DEV_ID;
	if (rte_umr_lookup_open(DEV_ID) != 0)
		return -1;
	return rte_umr_lookup_add(DEV_ID, OUTER, 0x10000, 1, &outer);
}

static int
teardown(void **state)
{
	rte_umr_lookup_remove(DEV_ID, INNER, &inner);
	rte_umr_lookup_remove(DEV_ID, OUTER, &outer);
	rte_umr_lookup_close(DEV_ID);
	return 0;
}

static void
inner_add(void)
{
	assert_int_equal(rte_umr_lookup_add(DEV_ID, INNER, 0x1000, 2, &inner), 0);
}

static void
outer_remove(void)
{
	rte_umr_lookup_remove(DEV_ID, OUTER, &outer);
}

CASE_WITH(region_that_comes_meanwhile_is_found, setup, teardown)
{
	uint32_t lkey = 0;

	other.order = __ATOMIC_ACQUIRE;
	other.act = inner_add;
	assert_int_equal(rte_umr_mr_lookup(DEV_ID, INNER, 16, &lkey), 0);
	assert_int_equal(other.nb, 1);
	assert_int_equal(lkey, 2);
}

CASE_WITH(region_that_goes_meanwhile_is_not_found, setup, teardown)
{
	uint32_t lkey = 0;

	other.order = __ATOMIC_ACQUIRE;
	other.act = outer_remove;
	assert_int_equal(rte_umr_mr_lookup(DEV_ID, INNER, 16, &lkey), -ENOENT);
	assert_int_equal(other.nb, 1);
	assert_int_equal(lkey, 0);
}

/* Before the first row changes, whoever looks can see that rows are going to. */
static void
generation_is_odd(void)
{
	assert_int_equal(rte_umr_fp_objs[DEV_ID].lookup_gen & 1, 1);
}

CASE_WITH(change_is_announced_before_it_begins, setup, teardown)
{
	uint64_t gen = rte_umr_fp_objs[DEV_ID].lookup_gen;

	assert_int_equal(gen & 1, 0);
	other.order = __ATOMIC_RELEASE;
	other.act = generation_is_odd;
	inner_add();
	assert_int_equal(other.nb, 1);
	assert_int_equal(rte_umr_fp_objs[DEV_ID].lookup_gen, gen + 2);
	other.act = generation_is_odd;
	rte_umr_lookup_remove(DEV_ID, INNER, &inner);
	assert_int_equal(other.nb, 2);
	assert_int_equal(rte_umr_fp_objs[DEV_ID].lookup_gen, gen + 4);
}
