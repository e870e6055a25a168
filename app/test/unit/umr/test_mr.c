/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Regions and protection domains of lib/umr with a driver that has no device: what is passed on,
 * what is rejected before, and what is left when the driver fails.
 */

#include <sys/mman.h>

#include "fake.h"
#include "rte_umr_private.h"

#define FULL (RTE_UMR_ACCESS_LOCAL_WRITE | RTE_UMR_ACCESS_REMOTE_WRITE)
#define TRANSLATION RTE_UMR_MR_CHANGE_TRANSLATION
/* Mapped, but nobody can touch it. */
#define BASE	 base
#define BASE_LEN 0x100000u
#define LEN	 0x1000u

static uint8_t *base;

/** The table of regions has no memory for another one. */
static bool is_table_full;

/* The linker has every call of rte_umr_lookup_add() come here. */
int __real_rte_umr_lookup_add(int16_t dev_id, const void *addr, size_t len, uint32_t lkey,
			      const void *owner);
int __wrap_rte_umr_lookup_add(int16_t dev_id, const void *addr, size_t len, uint32_t lkey,
			      const void *owner);

int
__wrap_rte_umr_lookup_add(int16_t dev_id, const void *addr, size_t len, uint32_t lkey,
			  const void *owner)
{
	if (is_table_full)
		return -ENOMEM;
	return __real_rte_umr_lookup_add(dev_id, addr, len, lkey, owner);
}

static int
setup(void **state)
{
	fake_setup(state);
	fake.more_capa = RTE_UMR_CAPA_PD | RTE_UMR_CAPA_MR_REREGISTER | RTE_UMR_CAPA_MR_ODP |
			 RTE_UMR_CAPA_MR_ODP_STATS;
	is_table_full = false;
	/* At a place that stays the same. */
	base = mmap(base, BASE_LEN, PROT_NONE,
		    MAP_PRIVATE | MAP_ANONYMOUS | (base != NULL ? MAP_FIXED : 0), -1, 0);
	return base == MAP_FAILED;
}

static struct rte_umr_mr *
mr_register(int16_t id, void *addr, size_t len, uint32_t access, uint32_t flags)
{
	const struct rte_umr_mr_conf conf = {
		.addr = addr, .len = len, .access = access, .flags = flags,
	};

	return rte_umr_mr_register(id, &conf);
}

static void
no_mr(int16_t id, void *addr, size_t len, uint32_t access, uint32_t flags, int error)
{
	rte_errno = 0;
	assert_null(mr_register(id, addr, len, access, flags));
	assert_int_equal(rte_errno, error);
}

static struct rte_umr_mr *
registered(int16_t id, const struct rte_umr_mr_conf *conf)
{
	struct rte_umr_mr *mr = rte_umr_mr_register(id, conf);

	assert_non_null(mr);
	return mr;
}

static struct rte_umr_mr *
registered_at(int16_t id, uint8_t *addr)
{
	const struct rte_umr_mr_conf conf = { .addr = addr, .len = LEN, .access = FULL };

	return registered(id, &conf);
}

/* The key of memory, or a negative errno. */
static int64_t
key_of(int16_t id, const void *addr, size_t len)
{
	uint32_t lkey = 0;
	int ret = rte_umr_mr_lookup(id, addr, len, &lkey);

	return ret == 0 ? (int64_t)lkey : ret;
}

CASE_WITH(pd_stays_while_something_is_in_it, setup, fake_teardown)
{
	struct rte_umr_mr_conf conf = { .addr = BASE, .len = LEN };
	int16_t id = fake_probed();
	struct rte_umr_mr *mr;
	struct rte_umr_pd *pd;

	fake.pd_ret = -ENOMEM;
	assert_null(rte_umr_pd_alloc(id));
	assert_int_equal(rte_errno, ENOMEM);
	fake.pd_ret = 0;
	pd = rte_umr_pd_alloc(id);
	assert_non_null(pd);
	conf.pd = pd;
	fake.mr_ret = -EIO;
	assert_null(rte_umr_mr_register(id, &conf));
	assert_int_equal(rte_errno, EIO);
	fake.mr_ret = 0;
	mr = registered(id, &conf);
	assert_ptr_equal(fake.mr.pd, pd);
	assert_int_equal(rte_umr_pd_free(pd), -EBUSY);
	assert_int_equal(rte_umr_mr_deregister(mr), 0);
	fake.pd_ret = -EBUSY;
	assert_int_equal(rte_umr_pd_free(pd), -EBUSY);
	fake.pd_ret = 0;
	assert_int_equal(rte_umr_pd_free(pd), 0);
	/* The device takes these along. */
	assert_non_null(rte_umr_pd_alloc(id));
	assert_non_null(rte_umr_pd_alloc(id));
	assert_int_equal(fake.nb_pds, 2);
	assert_int_equal(rte_umr_dev_close(id), 0);
	assert_int_equal(fake.nb_pds, 0);
}

CASE_WITH(region_keeps_its_state_when_the_driver_rejects, setup, fake_teardown)
{
	const struct rte_umr_mr_conf change = { .addr = BASE + 0x10000, .len = 2 * LEN };
	int16_t id = fake_probed();
	struct rte_umr_mr *mr = registered_at(id, BASE), before = *mr;

	fake.mr_ret = -EACCES;
	assert_int_equal(rte_umr_mr_reregister(mr, TRANSLATION, &change), -EACCES);
	assert_memory_equal(mr, &before, sizeof(before));
	assert_int_equal(key_of(id, BASE, LEN), before.lkey);
	fake.mr_ret = 0;
	assert_int_equal(rte_umr_mr_reregister(mr, TRANSLATION, &change), 0);
	assert_int_equal(fake.changes, TRANSLATION);
	assert_ptr_equal(fake.mr.addr, change.addr);
	assert_int_equal(fake.mr.access, FULL);
	assert_int_equal(key_of(id, BASE, LEN), -ENOENT);
	assert_int_equal(key_of(id, change.addr, change.len), before.lkey + 0x1000);
	assert_int_equal(rte_umr_mr_deregister(mr), 0);
}

CASE_WITH(lost_region_can_only_go, setup, fake_teardown)
{
	const struct rte_umr_mr_conf change = { .addr = BASE, .len = LEN };
	int16_t id = fake_probed();
	struct rte_umr_mr *mr = registered_at(id, BASE);

	fake.mr_ret = -EFAULT;
	fake.is_mr_lost = true;
	assert_int_equal(rte_umr_mr_reregister(mr, TRANSLATION, &change), -EFAULT);
	assert_true(mr->is_lost);
	assert_int_equal(key_of(id, BASE, LEN), -ENOENT);
	fake.mr_ret = 0;
	assert_int_equal(rte_umr_mr_reregister(mr, TRANSLATION, &change), -ESTALE);
	assert_int_equal(fake.nb_reregister, 1);
	assert_int_equal(rte_umr_dev_close(id), -EBUSY);
	assert_int_equal(rte_umr_mr_deregister(mr), 0);
}

/* What is not mapped everywhere: where from, how much. */
static const struct {
	size_t offset, len;
} holes[] = {
	{ 4 * LEN, LEN }, /* nothing */
	{ 4 * LEN + 5, 1 },
	{ 3 * LEN, 2 * LEN }, /* the end */
	{ 4 * LEN - 1, 2 },
	{ 5 * LEN - 1, 2 }, /* the beginning */
	{ 3 * LEN + 7, 3 * LEN - 14 }, /* between */
};

/* Not even once; the first time is as any other. */
CASE_WITH(driver_is_not_asked_for_memory_that_is_not_mapped, setup, fake_teardown)
{
	int16_t id = fake_probed();
	struct rte_umr_mr_conf conf;

	assert_int_equal(munmap(base + 4 * LEN, LEN), 0);
	for (unsigned int i = 0; i < 3 * RTE_DIM(holes); i++)
		no_mr(id, base + holes[i / 3].offset, holes[i / 3].len, FULL, 0, EFAULT);
	assert_int_equal(fake.nb_register, 0);
	/* Pages on demand come when they like; those of a buffer are in no mapping. */
	conf = (struct rte_umr_mr_conf){
		.addr = base + 3 * LEN + 7, .len = 3 * LEN - 14,
		.access = FULL, .flags = RTE_UMR_MR_F_ON_DEMAND,
	};
	assert_int_equal(rte_umr_mr_deregister(registered(id, &conf)), 0);
	assert_int_equal(rte_umr_mr_deregister(registered_at(id, base + 3 * LEN)), 0);
}

CASE_WITH(region_stays_when_new_memory_is_not_mapped, setup, fake_teardown)
{
	int16_t id = fake_probed();
	struct rte_umr_mr *mr = registered_at(id, BASE), before = *mr;
	struct rte_umr_mr_conf conf = { .access = FULL };

	assert_int_equal(munmap(base + 4 * LEN, LEN), 0);
	for (unsigned int i = 0; i < RTE_DIM(holes); i++) {
		conf.addr = base + holes[i].offset;
		conf.len = holes[i].len;
		for (uint32_t changes = 1; changes <= RTE_UMR_MR_CHANGE_ALL; changes++) {
			if ((changes & TRANSLATION) == 0)
				continue;
			assert_int_equal(rte_umr_mr_reregister(mr, changes, &conf), -EFAULT);
			assert_memory_equal(mr, &before, sizeof(before));
			assert_int_equal(key_of(id, BASE, LEN), before.lkey);
		}
	}
	assert_int_equal(fake.nb_reregister, 0);
	assert_int_equal(rte_umr_mr_deregister(mr), 0);
}

/* Pinned memory of which the mapping has gone: nothing new is asked of it. */
CASE_WITH(region_without_mapping_can_change_the_rest, setup, fake_teardown)
{
	const uint32_t changes[] = { RTE_UMR_MR_CHANGE_PD, RTE_UMR_MR_CHANGE_ACCESS,
				     RTE_UMR_MR_CHANGE_PD | RTE_UMR_MR_CHANGE_ACCESS };
	int16_t id = fake_probed();
	struct rte_umr_pd *pd = rte_umr_pd_alloc(id);
	const struct rte_umr_mr_conf conf = { .pd = pd, .access = RTE_UMR_ACCESS_LOCAL_WRITE };
	struct rte_umr_mr *mr = registered_at(id, BASE);

	assert_int_equal(munmap(base, LEN), 0);
	for (unsigned int i = 0; i < RTE_DIM(changes); i++)
		assert_int_equal(rte_umr_mr_reregister(mr, changes[i], &conf), 0);
	assert_int_equal(mr->access, RTE_UMR_ACCESS_LOCAL_WRITE);
	assert_int_equal(fake.nb_reregister, 3);
	assert_int_equal(rte_umr_mr_deregister(mr), 0);
}

/* A region counts for its PD, wherever it goes and whether it gets there. */
CASE_WITH(region_counts_for_the_pd_it_is_in, setup, fake_teardown)
{
	int16_t id = fake_probed();
	struct rte_umr_pd *pd = rte_umr_pd_alloc(id);
	const struct rte_umr_mr_conf there = { .pd = pd }, back = { 0 };
	struct rte_umr_mr *mr = registered_at(id, BASE);

	fake.mr_ret = -EINVAL;
	assert_int_equal(rte_umr_mr_reregister(mr, RTE_UMR_MR_CHANGE_PD, &there), -EINVAL);
	assert_int_equal(pd->nb_users, 0);
	fake.mr_ret = 0;
	assert_int_equal(rte_umr_mr_reregister(mr, RTE_UMR_MR_CHANGE_PD, &there), 0);
	assert_int_equal(pd->nb_users, 1);
	assert_int_equal(key_of(id, BASE, LEN), -ENOENT);
	assert_int_equal(rte_umr_mr_reregister(mr, RTE_UMR_MR_CHANGE_PD, &back), 0);
	assert_int_equal(pd->nb_users, 0);
	assert_true(key_of(id, BASE, LEN) >= 0);
	assert_int_equal(rte_umr_mr_deregister(mr), 0);
	assert_int_equal(rte_umr_pd_free(pd), 0);
}

/* More than the table has room for at first, gone in another order. */
CASE_WITH(many_regions_are_found, setup, fake_teardown)
{
	struct rte_umr_mr *mrs[100];
	int16_t id = fake_probed();
	uint8_t *addr;

	for (int i = 0; i < 100; i++)
		mrs[i] = registered_at(id, BASE + (i * 37 % 100) * LEN);
	for (int i = 0; i < 100; i++)
		assert_int_equal(key_of(id, mrs[i]->addr, LEN), mrs[i]->lkey);
	for (int i = 0; i < 100; i++) {
		addr = mrs[i]->addr;
		assert_int_equal(rte_umr_mr_deregister(mrs[i]), 0);
		assert_int_equal(key_of(id, addr, LEN), -ENOENT);
	}
}

/* Neither for the device, nor for its PD, nor for lookups. */
CASE_WITH(region_that_could_not_be_found_is_none, setup, fake_teardown)
{
	int16_t id = fake_probed();
	struct rte_umr_pd *pd = rte_umr_pd_alloc(id);
	const struct rte_umr_mr_conf conf = { .addr = BASE, .len = LEN, .access = FULL, .pd = pd };
	struct rte_umr_mr *mr;

	is_table_full = true;
	no_mr(id, BASE, LEN, FULL, 0, ENOMEM);
	assert_int_equal(fake.nb_register, 1);
	assert_int_equal(fake.nb_mrs, 0);
	/* Of another PD it is found by nobody anyway. */
	assert_int_equal(rte_umr_mr_deregister(registered(id, &conf)), 0);
	is_table_full = false;
	mr = registered_at(id, BASE);
	assert_int_equal(fake.nb_mrs, 1);
	assert_int_equal(key_of(id, BASE, LEN), mr->lkey);
	assert_int_equal(rte_umr_mr_deregister(mr), 0);
	assert_int_equal(rte_umr_pd_free(pd), 0);
}

CASE_WITH(device_without_the_capability_is_not_asked, setup, fake_teardown)
{
	const struct rte_umr_seg seg = { .length = 1 };
	const struct rte_umr_mr_conf change = { .access = FULL };
	struct rte_umr_odp_stats stats = { .nb_regions = 3 };
	struct rte_umr_mr *mr;
	int16_t id;

	assert_int_equal(rte_umr_dev_probe("poor0", &id), 0);
	mr = registered_at(id, BASE);
	assert_null(rte_umr_pd_alloc(id));
	assert_int_equal(rte_errno, ENOTSUP);
	assert_int_equal(rte_umr_mr_reregister(mr, RTE_UMR_MR_CHANGE_ACCESS, &change), -ENOTSUP);
	assert_int_equal(rte_umr_mr_advise(id, NULL, RTE_UMR_MR_ADVICE_PREFETCH, &seg, 1, 0),
			 -ENOTSUP);
	assert_int_equal(rte_umr_odp_stats_get(id, &stats), -ENOTSUP);
	assert_int_equal(stats.nb_regions, 3);
	no_mr(id, BASE, LEN, 0, RTE_UMR_MR_F_ON_DEMAND, ENOTSUP);
	no_mr(id, NULL, LEN, 0, RTE_UMR_MR_F_DMABUF, ENOTSUP);
	no_mr(id, BASE, LEN, RTE_UMR_ACCESS_RELAXED_ORDERING, 0, ENOTSUP);
	assert_int_equal(rte_umr_mr_deregister(mr), 0);
}

CASE_WITH(results_are_written_on_success_only, setup, fake_teardown)
{
	struct rte_umr_odp_stats stats = { .nb_regions = 3 };
	const struct rte_umr_seg segs[2] = { { .length = 1 }, { .length = 1 } };
	int16_t id = fake_probed();

	fake.odp_stats_ret = -ETIMEDOUT;
	assert_int_equal(rte_umr_odp_stats_get(id, &stats), -ETIMEDOUT);
	assert_int_equal(stats.nb_regions, 3);
	fake.odp_stats_ret = 0;
	assert_int_equal(rte_umr_odp_stats_get(id, &stats), 0);
	assert_int_equal(stats.nb_regions, 7);
	fake.advise_ret = -ENOENT;
	assert_int_equal(rte_umr_mr_advise(id, NULL, RTE_UMR_MR_ADVICE_PREFETCH_WRITE, segs, 2,
					   RTE_UMR_MR_ADVISE_F_FLUSH), -ENOENT);
	assert_int_equal(fake.nb_segs, 2);
}

CASE_WITH(mr_register_checks_its_arguments, setup, fake_teardown)
{
	int16_t id = fake_probed();
	uint8_t byte;

	no_mr(id, NULL, 1, 0, 0, EINVAL);
	no_mr(id, &byte, 0, 0, 0, EINVAL);
	no_mr(id, &byte, 1, 0, RTE_UMR_MR_F_ALL + 1, EINVAL);
	no_mr(id, &byte, 1, RTE_UMR_ACCESS_REMOTE_WRITE, 0, EINVAL);
	no_mr(id, &byte, 1, RTE_UMR_ACCESS_REMOTE_ATOMIC, 0, EINVAL);
	no_mr(id, &byte, 1, RTE_UMR_MR_ACCESS_ALL + 1, 0, EINVAL);
	no_mr(id, &byte, (1 << 20) + 1, 0, 0, ERANGE);
	fake.mr_ret = -ENOMEM;
	no_mr(id, &byte, 1, 0, 0, ENOMEM);
	assert_int_equal(rte_umr_mr_deregister(NULL), 0);
}

CASE_WITH(lookup_finds_the_region_that_holds_it_all, setup, fake_teardown)
{
	struct rte_umr_mr *mrs[4];
	int16_t id = fake_probed();
	uint32_t lkey = 5;

	mrs[0] = mr_register(id, BASE + 0x2000, 0x1000, RTE_UMR_ACCESS_LOCAL_WRITE, 0);
	mrs[1] = mr_register(id, BASE, 0x1000, 0, 0);
	mrs[2] = mr_register(id, BASE + 0x1000, 0x1000, 0, 0);
	mrs[3] = mr_register(id, BASE + 0x2100, 0x10, 0, 0);
	for (int i = 0; i < 4; i++)
		assert_non_null(mrs[i]);
	assert_int_equal(mrs[0]->dev_id, id);
	assert_int_equal(mrs[0]->access, RTE_UMR_ACCESS_LOCAL_WRITE);

	assert_int_equal(key_of(id, BASE, 0x1000), mrs[1]->lkey);
	assert_int_equal(key_of(id, BASE + 0xfff, 1), mrs[1]->lkey);
	assert_int_equal(key_of(id, BASE + 0x1000, 1), mrs[2]->lkey);
	assert_int_equal(key_of(id, BASE + 0x2104, 4), mrs[3]->lkey);
	/* Longer than the small region: the one around it. */
	assert_int_equal(key_of(id, BASE + 0x2104, 0x20), mrs[0]->lkey);
	assert_int_equal(key_of(id, BASE + 0x2fff, 1), mrs[0]->lkey);
	assert_int_equal(rte_umr_mr_lookup(id, BASE + 0x2fff, 2, &lkey), -ENOENT);
	assert_int_equal(rte_umr_mr_lookup(id, BASE + 0xfff, 2, &lkey), -ENOENT);
	assert_int_equal(rte_umr_mr_lookup(id, BASE - 1, 1, &lkey), -ENOENT);
	assert_int_equal(rte_umr_mr_lookup(id, BASE + 0x2000, SIZE_MAX, &lkey), -ENOENT);
	assert_int_equal(lkey, 5);
	assert_int_equal(rte_umr_mr_lookup(id, BASE, 1, NULL), -EINVAL);

	assert_int_equal(rte_umr_dev_close(id), -EBUSY);
	fake.mr_ret = -EBUSY;
	assert_int_equal(rte_umr_mr_deregister(mrs[1]), -EBUSY);
	assert_int_equal(key_of(id, BASE, 1), mrs[1]->lkey);
	fake.mr_ret = 0;
	for (int i = 0; i < 4; i++)
		assert_int_equal(rte_umr_mr_deregister(mrs[i]), 0);
	assert_int_equal(key_of(id, BASE, 1), -ENOENT);
	assert_int_equal(rte_umr_dev_close(id), 0);
}

int
main(void)
{
	fake_register();
	return cases_run(NULL, NULL);
}
