/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Finding keys: random regions, which overlap, against a list that is searched from end to end,
 * with and without what an lcore remembers; and while another thread registers.
 */

#include <pthread.h>

#include <rte_per_lcore.h>
#include <rte_umr.h>

#include "cases.h"
#include "budget.h"
#include "stub.h"

#define DEV_ID		3
#define MAX_MRS		300u
#define NB_STEPS	test_nb_cases()
#define NB_LOOKS	60u
#define SPACE		0x40000u	/* addresses that regions are in */
#define NO_LCORE	LCORE_ID_ANY

static struct rte_umr_mr mrs[MAX_MRS];
static bool is_in[MAX_MRS];

static void
be_lcore(unsigned int lcore_id)
{
	RTE_PER_LCORE(_lcore_id) = lcore_id;
}

static void
add(unsigned int i, uintptr_t addr, size_t len)
{
	mrs[i] = (struct rte_umr_mr){
		.addr = (void *)addr, .len = len, .dev_id = DEV_ID, .lkey = i + 1,
	};
	assert_int_equal(rte_umr_lookup_add(DEV_ID, mrs[i].addr, len, i + 1, &mrs[i]), 0);
	is_in[i] = true;
}

static void
delete(unsigned int i)
{
	rte_umr_lookup_remove(DEV_ID, mrs[i].addr, &mrs[i]);
	is_in[i] = false;
}

static bool
holds(unsigned int i, uintptr_t addr, size_t len)
{
	const uintptr_t start = (uintptr_t)mrs[i].addr;

	return is_in[i] && addr >= start && addr + len <= start + mrs[i].len;
}

/** Keys of several regions with one start are all good. */
static bool
is_right(uintptr_t addr, size_t len, uint32_t lkey)
{
	uintptr_t last = 0;
	bool is_any = false;

	for (unsigned int i = 0; i < MAX_MRS; i++) {
		if (!holds(i, addr, len))
			continue;
		is_any = true;
		last = RTE_MAX(last, (uintptr_t)mrs[i].addr);
	}
	if (!is_any)
		return lkey == RTE_UMR_LKEY_NONE;
	return lkey != RTE_UMR_LKEY_NONE && holds(lkey - 1, addr, len) &&
	       (uintptr_t)mrs[lkey - 1].addr == last;
}

static void
look(uintptr_t addr, size_t len)
{
	uint32_t lkey = RTE_UMR_LKEY_NONE;
	int ret;

	assert_true(is_right(addr, len, rte_umr_addr_to_mkey(DEV_ID, (void *)addr, len)));
	ret = rte_umr_mr_lookup(DEV_ID, (void *)addr, len, &lkey);
	assert_int_equal(ret, lkey == RTE_UMR_LKEY_NONE ? -ENOENT : 0);
	assert_true(is_right(addr, len, lkey));
}

static int
setup(void **state)
{
	srand(test_seed());
	be_lcore(2);
	memset(is_in, 0, sizeof(is_in));
	stub_dev.dev_id = DEV_ID;
	assert_int_equal(rte_umr_lookup_open(DEV_ID), 0);
	return 0;
}

static int
teardown(void **state)
{
	for (unsigned int i = 0; i < MAX_MRS; i++)
		if (is_in[i])
			delete(i);
	rte_umr_lookup_close(DEV_ID);
	be_lcore(NO_LCORE);
	return 0;
}

/** Some short, some long, one of everything now and then. */
static void
change(void)
{
	unsigned int i = (unsigned int)rand() % MAX_MRS;
	uint32_t max = (rand() & 7) == 0 ? SPACE : SPACE / MAX_MRS;

	if (is_in[i])
		delete(i);
	else if ((rand() & 63) == 0)
		add(i, 0, SIZE_MAX);
	else
		add(i, SPACE + (uint32_t)rand() % SPACE, 1 + (uint32_t)rand() % max);
}

CASE_WITH(what_is_found_holds_it_all, setup, teardown)
{
	for (unsigned int step = 0; step < NB_STEPS; step++) {
		be_lcore((step & 3) != 0 ? 2 : NO_LCORE);
		change();
		for (unsigned int i = 0; i < NB_LOOKS; i++)
			look(SPACE / 2 + (uint32_t)rand() % (SPACE * 2),
			     1 + (size_t)rand() % ((i & 1) != 0 ? 8 : 4000));
	}
}

/* Those in which others are: an entry of a cache is for the part that has one answer. */
CASE_WITH(region_in_another_is_found_behind_it, setup, teardown)
{
	uint8_t *const base = (uint8_t *)(UINT64_C(1) << 30);

	add(0, (uintptr_t)base, 1 << 22);
	assert_int_equal(rte_umr_addr_to_mkey(DEV_ID, base + 0x100, 8), 1);
	add(1, (uintptr_t)base + 0x1000, 0x1000);
	assert_int_equal(rte_umr_addr_to_mkey(DEV_ID, base + 0x100, 8), 1);
	assert_int_equal(rte_umr_addr_to_mkey(DEV_ID, base + 0x1800, 8), 2);
	assert_int_equal(rte_umr_addr_to_mkey(DEV_ID, base + 0x1ffc, 8), 1);
	assert_int_equal(rte_umr_addr_to_mkey(DEV_ID, base + 0x1ff8, 8), 2);
	assert_int_equal(rte_umr_addr_to_mkey(DEV_ID, base + 0x2000, 8), 1);
	assert_int_equal(rte_umr_addr_to_mkey(DEV_ID, base + 0x1000, 8), 2);
	delete(1);
	assert_int_equal(rte_umr_addr_to_mkey(DEV_ID, base + 0x1800, 8), 1);
}

/* Where one region ends and another begins they are of the latter, whatever an lcore remembers. */
CASE_WITH(no_bytes_have_the_key_that_the_table_tells, setup, teardown)
{
	uintptr_t addr;

	add(0, 0x10000, 0x1000);
	add(1, 0x11000, 0x1000);
	add(2, 0x10800, 0x100);
	for (addr = 0x10000; addr < 0x12000; addr += 0x80) {
		assert_int_equal(rte_umr_addr_to_mkey(DEV_ID, (void *)(addr - 0x80), 0x80),
				 addr == 0x10000 ? RTE_UMR_LKEY_NONE :
				 addr > 0x11000	 ? 2 :
				 addr == 0x10880 || addr == 0x10900 ? 3 : 1);
		look(addr, 0);
		look(addr - 0x80, 0x80);
		look(addr, 0);
	}
	look(0x12000, 0);
	look(0x12001, 0);
	assert_int_equal(rte_umr_addr_to_mkey(DEV_ID, (void *)0x11000, 0), 2);
	assert_int_equal(rte_umr_addr_to_mkey(DEV_ID, (void *)0x12000, 0), 2);
}

CASE_WITH(burst_stops_where_there_is_no_key, setup, teardown)
{
	struct rte_umr_seg segs[3] = {
		{ .addr = 0x10000, .length = 16 }, { .addr = 0x20ff0, .length = 16 },
		{ .addr = 0x20ff1, .length = 16, .lkey = 77 },
	};

	add(0, 0x10000, 0x1000);
	add(1, 0x20000, 0x1000);
	assert_int_equal(rte_umr_addr_to_mkey_burst(DEV_ID, segs, 3), 2);
	assert_int_equal(segs[0].lkey, 1);
	assert_int_equal(segs[1].lkey, 2);
	assert_int_equal(segs[2].lkey, 77);
	assert_int_equal(rte_umr_addr_to_mkey_burst(DEV_ID, segs, 0), 0);
}

CASE_WITH(device_that_is_closed_has_no_keys, setup, teardown)
{
	add(0, 0x10000, 0x1000);
	assert_int_equal(rte_umr_addr_to_mkey(DEV_ID, (void *)0x10000, 1), 1);
	delete(0);
	rte_umr_lookup_close(DEV_ID);
	assert_int_equal(rte_umr_addr_to_mkey(DEV_ID, (void *)0x10000, 1), RTE_UMR_LKEY_NONE);
	assert_int_equal(rte_umr_addr_to_mkey(0, (void *)0x10000, 1), RTE_UMR_LKEY_NONE);
	/* The next one does not know what was remembered of it. */
	assert_int_equal(rte_umr_lookup_open(DEV_ID), 0);
	assert_int_equal(rte_umr_addr_to_mkey(DEV_ID, (void *)0x10000, 1), RTE_UMR_LKEY_NONE);
}

static uint32_t is_ended;

/* Regions between those of the others come and go, and the table grows. */
static void *
registers(void *arg)
{
	for (unsigned int round = 0; round < 50; round++) {
		for (unsigned int i = 1; i < MAX_MRS; i += 2)
			add(i, SPACE + i * 0x100, 0x100);
		for (unsigned int i = 1; i < MAX_MRS; i += 2)
			delete(i);
	}
	__atomic_store_n(&is_ended, 1, __ATOMIC_RELAXED);
	return NULL;
}

CASE_WITH(others_are_found_while_regions_come_and_go, setup, teardown)
{
	unsigned int i, lcore;
	pthread_t thread;
	uint32_t lkey;

	is_ended = 0;
	for (i = 0; i < MAX_MRS; i += 2)
		add(i, SPACE + i * 0x100, 0x100);
	assert_int_equal(pthread_create(&thread, NULL, registers, NULL), 0);
	for (lcore = 0; __atomic_load_n(&is_ended, __ATOMIC_RELAXED) == 0; lcore ^= 1) {
		be_lcore(lcore != 0 ? 2 : NO_LCORE);
		for (i = 0; i < MAX_MRS; i++) {
			lkey = rte_umr_addr_to_mkey(DEV_ID, (void *)(uintptr_t)(SPACE + i * 0x100),
						    0x100);
			if (lkey != i + 1 && ((i & 1) == 0 || lkey != RTE_UMR_LKEY_NONE))
				fail_msg("region %u has key %u", i, lkey);
		}
	}
	assert_int_equal(pthread_join(thread, NULL), 0);
}
