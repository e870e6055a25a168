/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* EAL's memory as it comes and goes, in other pieces: EAL and regions are pretended. */

#include <rte_errno.h>
#include <rte_memory.h>
#include <rte_umr.h>

#include "cases.h"
#include "stub.h"

#define DEV_ID	2
#define PAGE	0x200000u
#define BASE	((uint8_t *)(UINT64_C(1) << 32))
#define RW	(RTE_UMR_ACCESS_LOCAL_WRITE | RTE_UMR_ACCESS_REMOTE_WRITE)

static rte_mem_event_callback_t on_event;
static void *on_event_arg;
static unsigned int nb_mrs, nb_made;
/* What fails: the region of that number; deregistering; registering a callback. */
static unsigned int fail_mr;
static int fail_deregister, fail_callback;

struct rte_umr_mr *
rte_umr_mr_register_unfound(int16_t dev_id, const struct rte_umr_mr_conf *conf)
{
	struct rte_umr_mr *mr;

	assert_int_equal(dev_id, DEV_ID);
	assert_int_equal(conf->access, RW);
	if (++nb_made == fail_mr) {
		rte_errno = ENOMEM;
		return NULL;
	}
	mr = calloc(1, sizeof(*mr));
	assert_non_null(mr);
	mr->lkey = nb_made;
	nb_mrs++;
	return mr;
}

/* The library's are interposed: nothing of EAL runs here. */
int
rte_umr_mr_deregister(struct rte_umr_mr *mr)
{
	if (fail_deregister != 0)
		return fail_deregister;
	nb_mrs--;
	free(mr);
	return 0;
}

int
rte_mem_event_callback_register(const char *name, rte_mem_event_callback_t clb, void *arg)
{
	assert_string_equal(name, "umr2");
	if (fail_callback != 0) {
		rte_errno = fail_callback;
		return -1;
	}
	on_event = clb;
	on_event_arg = arg;
	return 0;
}

int
rte_mem_event_callback_unregister(const char *name, void *arg)
{
	on_event = NULL;
	return 0;
}

/* Two ranges: of four pages, and behind a hole one. */
int
rte_memseg_contig_walk(rte_memseg_contig_walk_t func, void *arg)
{
	const struct rte_memseg first = { .addr = BASE }, second = { .addr = BASE + 6 * PAGE };

	if (func(NULL, &first, (size_t)4 * PAGE, arg) != 0)
		return -1;
	return func(NULL, &second, PAGE, arg);
}

static uint32_t
key_at(unsigned int page)
{
	return rte_umr_addr_to_mkey(DEV_ID, BASE + (size_t)page * PAGE, PAGE);
}

/* Keys of pages 0 to 6, a digit each or '-' for none, and the number of regions. */
static void
keys_are(const char *expected, unsigned int nb_expected)
{
	char keys[8] = "";

	for (unsigned int i = 0; i < 7; i++)
		keys[i] = key_at(i) == RTE_UMR_LKEY_NONE ? '-' : (char)('0' + key_at(i));
	assert_string_equal(keys, expected);
	assert_int_equal(nb_mrs, nb_expected);
}

static void
tell(enum rte_mem_event event, unsigned int page, unsigned int nb_pages)
{
	on_event(event, BASE + (size_t)page * PAGE, (size_t)nb_pages * PAGE, on_event_arg);
}

static int
setup(void **state)
{
	stub_dev.dev_id = DEV_ID;
	nb_made = fail_mr = 0;
	fail_deregister = fail_callback = 0;
	assert_int_equal(rte_umr_lookup_open(DEV_ID), 0);
	return 0;
}

static int
teardown(void **state)
{
	assert_null(stub_dev.eal_mem);
	assert_null(on_event);
	assert_int_equal(nb_mrs, 0);
	assert_int_equal(key_at(0), RTE_UMR_LKEY_NONE);
	rte_umr_lookup_close(DEV_ID);
	return 0;
}

CASE_WITH(region_goes_with_its_last_piece, setup, teardown)
{
	assert_int_equal(rte_umr_eal_memory_register(DEV_ID, RW), 0);
	/* What is there has a region for each range. */
	keys_are("1111--2", 2);
	/* Out of the middle; then over both ends, with what is not there. */
	tell(RTE_MEM_EVENT_FREE, 1, 1);
	keys_are("1-11--2", 2);
	tell(RTE_MEM_EVENT_FREE, 3, 3);
	keys_are("1-1---2", 2);
	/* The place is taken by other memory, whose region is another. */
	tell(RTE_MEM_EVENT_ALLOC, 1, 1);
	keys_are("131---2", 3);
	tell(RTE_MEM_EVENT_FREE, 0, 3);
	keys_are("------2", 1);
	assert_int_equal(rte_umr_eal_memory_unregister(DEV_ID), 0);
}

CASE_WITH(last_of_those_who_registered_ends_it, setup, teardown)
{
	assert_int_equal(rte_umr_eal_memory_register(DEV_ID, RW), 0);
	assert_int_equal(rte_umr_eal_memory_register(DEV_ID, RW), 0);
	assert_int_equal(rte_umr_eal_memory_register(DEV_ID, 0), -EEXIST);
	assert_int_equal(rte_umr_eal_memory_unregister(DEV_ID), 0);
	assert_int_equal(key_at(0), 1);
	assert_int_equal(rte_umr_eal_memory_unregister(DEV_ID), 0);
	assert_int_equal(rte_umr_eal_memory_unregister(DEV_ID), -ENOENT);
	assert_int_equal(rte_umr_eal_memory_register(DEV_ID + 1, RW), -ENODEV);
	assert_int_equal(rte_umr_eal_memory_unregister(DEV_ID + 1), -ENODEV);
}

CASE_WITH(nothing_is_left_of_what_failed, setup, teardown)
{
	fail_mr = 2;
	assert_int_equal(rte_umr_eal_memory_register(DEV_ID, RW), -ENOMEM);
	assert_int_equal(nb_mrs, 0);
	fail_mr = 0;
	fail_callback = EINVAL;
	assert_int_equal(rte_umr_eal_memory_register(DEV_ID, RW), -EINVAL);
	assert_int_equal(nb_mrs, 0);
	/* Memory that cannot come and go is good all the same. */
	fail_callback = ENOTSUP;
	assert_int_equal(rte_umr_eal_memory_register(DEV_ID, RW), 0);
	assert_int_equal(key_at(0), nb_made - 1);
	fail_deregister = -EIO;
	assert_int_equal(rte_umr_eal_memory_unregister(DEV_ID), -EIO);
	fail_deregister = 0;
	assert_int_equal(rte_umr_eal_memory_unregister(DEV_ID), 0);
}

CASE_WITH(memory_that_cannot_be_registered_is_not_found, setup, teardown)
{
	assert_int_equal(rte_umr_eal_memory_register(DEV_ID, RW), 0);
	fail_mr = 3;
	tell(RTE_MEM_EVENT_ALLOC, 4, 2);
	keys_are("1111--2", 2);
	tell(RTE_MEM_EVENT_ALLOC, 4, 2);
	keys_are("1111442", 3);
	assert_int_equal(rte_umr_eal_memory_unregister(DEV_ID), 0);
}
