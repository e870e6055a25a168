/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Regions with on-demand paging: memory that comes, goes and is not there. */

#include <string.h>
#include <sys/mman.h>

#include "autotest.h"
#include "env.h"

#define PAGE	 4096u
#define NB_PAGES 16u
#define LEN	 (NB_PAGES * PAGE)
#define FULL	 (RTE_UMR_ACCESS_LOCAL_WRITE | RTE_UMR_ACCESS_REMOTE_READ | \
		  RTE_UMR_ACCESS_REMOTE_WRITE)

/* A loopback on a device that pages on demand. */
static int
odp_build(struct at_env *env, uint64_t capa)
{
	return at_env_build_capable(env, capa, &(const struct at_conf){ .topology = AT_LOOPBACK });
}

static uint8_t *
pages_map(void *at)
{
	return mmap(at, LEN, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS |
		    (at != NULL ? MAP_FIXED : 0), -1, 0);
}

/* Nothing is there, but the place stays taken: memory of somebody else must not get there. */
static bool
pages_lose(void *at, size_t len)
{
	return mmap(at, len, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == at;
}

/* Write 64 bytes to an address; an error is recovered from. */
static int
write_to(struct at_env *env, uint8_t *place, uint32_t rkey, enum rte_umr_status status)
{
	const struct rte_umr_seg local = at_seg(env->tx, 0, 64);

	TEST_ACCEPT(rte_umr_write(env->tx->dev_id, 0, &local, (uintptr_t)place, rkey, 0));
	TEST_ASSERT_SUCCESS(at_finish_status(env, 1, status));
	if (status != RTE_UMR_STATUS_SUCCESS)
		TEST_ASSERT_SUCCESS(rte_umr_queue_recover(env->tx->dev_id, 0));
	else
		TEST_ASSERT_SAME(place, env->tx->buf, 64);
	return TEST_SUCCESS;
}

/* Memory need not be there when it is registered, and may go and come. */
AT_CASE(odp, explicit_region_follows_its_memory)
{
	struct rte_umr_seg local;
	uint32_t lkey;

	TEST_NEED(odp_build(env, RTE_UMR_CAPA_MR_ODP));
	uint8_t *const pages = pages_map(NULL);
	TEST_ASSERT(pages != MAP_FAILED);
	TEST_ASSERT(pages_lose(pages, LEN));
	const struct rte_umr_mr *const mr = AT_OWN_MR(env->tx, pages, LEN, FULL,
						      RTE_UMR_MR_F_ON_DEMAND);
	TEST_ASSERT_SUCCESS(rte_umr_mr_lookup(env->tx->dev_id, pages, LEN, &lkey));
	TEST_ASSERT_EQUAL(lkey, mr->lkey);
	TEST_ASSERT_SUCCESS(write_to(env, pages, mr->rkey, RTE_UMR_STATUS_REMOTE_ACCESS));
	local = (struct rte_umr_seg){ .addr = (uintptr_t)pages, .length = 8, .lkey = mr->lkey };
	TEST_ACCEPT(rte_umr_write(env->tx->dev_id, 0, &local, at_addr(env->tx, 64),
				  env->tx->mr->rkey, 0));
	TEST_ASSERT_SUCCESS(at_finish_status(env, 1, RTE_UMR_STATUS_LOCAL_PROT));
	TEST_ASSERT_SUCCESS(rte_umr_queue_recover(env->tx->dev_id, 0));

	TEST_ASSERT(pages_map(pages) == pages);
	TEST_ASSERT_SUCCESS(write_to(env, pages, mr->rkey, RTE_UMR_STATUS_SUCCESS));
	TEST_ASSERT_SUCCESS(write_to(env, pages + PAGE - 32, mr->rkey, RTE_UMR_STATUS_SUCCESS));
	/* Other pages at the same place: the device must not write to the old ones. */
	TEST_ASSERT(pages_map(pages) == pages);
	TEST_ASSERT_EQUAL(pages[0], 0);
	TEST_ASSERT_SUCCESS(write_to(env, pages, mr->rkey, RTE_UMR_STATUS_SUCCESS));
	TEST_ASSERT_SUCCESS(munmap(pages, LEN));
	return write_to(env, pages, mr->rkey, RTE_UMR_STATUS_REMOTE_ACCESS);
}

/* Also under a key, as a piece of a layout. */
AT_CASE(odp, key_over_absent_pages_brings_them_in)
{
	struct rte_umr_seg segs[NB_PAGES], local;

	TEST_NEED(odp_build(env, RTE_UMR_CAPA_MR_ODP));
	uint8_t *const pages = pages_map(NULL);
	TEST_ASSERT(pages != MAP_FAILED);
	const struct rte_umr_mr *const mr = AT_OWN_MR(env->tx, pages, LEN, FULL,
						      RTE_UMR_MR_F_ON_DEMAND);
	struct rte_umr_mkey *const mkey = AT_KEY(env->tx);
	for (uint32_t i = 0; i < NB_PAGES; i++)
		segs[i] = (struct rte_umr_seg){ .addr = (uintptr_t)pages + i * PAGE + 100,
						.length = 16, .lkey = mr->lkey };
	local = at_seg(env->tx, 0, 16 * NB_PAGES);
	TEST_ACCEPT(at_list(env, mkey, FULL, segs, NB_PAGES, 0));
	TEST_ACCEPT(rte_umr_write(env->tx->dev_id, 0, &local, 0, mkey->key, 0));
	TEST_ASSERT_SUCCESS(at_finish(env, 2));
	for (uint32_t i = 0; i < NB_PAGES; i++)
		TEST_ASSERT_SAME(pages + i * PAGE + 100, env->tx->buf + i * 16, 16);
	/* One page is gone: the transfer fails, and the bed can be made again. */
	TEST_ASSERT(pages_lose(pages + 3 * PAGE, PAGE));
	TEST_ACCEPT(rte_umr_write(env->tx->dev_id, 0, &local, 0, mkey->key, 0));
	TEST_ASSERT_SUCCESS(at_finish_status(env, 1, RTE_UMR_STATUS_REMOTE_ACCESS));
	TEST_ASSERT_SUCCESS(rte_umr_queue_recover(env->tx->dev_id, 0));
	return munmap(pages, LEN);
}

AT_CASE(odp, implicit_region_is_all_of_the_process)
{
	struct rte_umr_mr_conf change = { .access = FULL, .addr = env, .len = 8 };
	uint32_t lkey, i;

	TEST_NEED(odp_build(env, RTE_UMR_CAPA_MR_ODP_IMPLICIT));
	struct rte_umr_mr *const mr = at_mr_register(env->tx->dev_id, NULL, SIZE_MAX, FULL,
						     RTE_UMR_MR_F_ON_DEMAND);
	TEST_ASSERT(mr != NULL);
	/* Memory that came later. */
	uint8_t *const pages = pages_map(NULL);
	TEST_ASSERT(pages != MAP_FAILED);
	TEST_ASSERT_SUCCESS(write_to(env, pages, mr->rkey, RTE_UMR_STATUS_SUCCESS));
	TEST_ASSERT_SUCCESS(write_to(env, env->tx->buf + 8192, mr->rkey, RTE_UMR_STATUS_SUCCESS));
	TEST_ASSERT_SUCCESS(rte_umr_mr_lookup(env->tx->dev_id, pages, LEN, &lkey));
	TEST_ASSERT_EQUAL(lkey, mr->lkey);
	/* What is registered by itself goes first. */
	TEST_ASSERT_SUCCESS(rte_umr_mr_lookup(env->tx->dev_id, env->tx->buf, 8, &lkey));
	TEST_ASSERT_EQUAL(lkey, env->tx->mr->lkey);
	TEST_ASSERT_SUCCESS(munmap(pages, LEN));
	TEST_ASSERT_SUCCESS(write_to(env, pages, mr->rkey, RTE_UMR_STATUS_REMOTE_ACCESS));
	for (i = 1; i <= RTE_UMR_MR_CHANGE_ALL; i++)
		TEST_ASSERT_EQUAL(rte_umr_mr_reregister(mr, i, &change), -ENOTSUP);
	TEST_ASSERT_SUCCESS(rte_umr_mr_deregister(mr));
	TEST_ASSERT_EQUAL(rte_umr_mr_lookup(env->tx->dev_id, pages, LEN, &lkey), -ENOENT);
	return TEST_SUCCESS;
}

/* Rights, PD and memory of a region on demand; what has no way in Linux is rejected beforehand. */
AT_CASE(odp, explicit_region_changes)
{
	struct rte_umr_mr_conf change = { .access = RTE_UMR_ACCESS_LOCAL_WRITE };

	TEST_NEED(odp_build(env, RTE_UMR_CAPA_MR_ODP));
	uint8_t *const pages = pages_map(NULL);
	TEST_ASSERT(pages != MAP_FAILED);
	struct rte_umr_mr *const mr = AT_OWN_MR(env->tx, pages, LEN / 2, FULL,
						RTE_UMR_MR_F_ON_DEMAND);
	TEST_ASSERT_SUCCESS(rte_umr_mr_reregister(mr, RTE_UMR_MR_CHANGE_ACCESS, &change));
	TEST_ASSERT_SUCCESS(write_to(env, pages, mr->rkey, RTE_UMR_STATUS_REMOTE_ACCESS));
	change.access = FULL;
	TEST_ASSERT_SUCCESS(rte_umr_mr_reregister(mr, RTE_UMR_MR_CHANGE_ACCESS, &change));
	TEST_ASSERT_SUCCESS(write_to(env, pages, mr->rkey, RTE_UMR_STATUS_SUCCESS));
	change.access = FULL | RTE_UMR_ACCESS_RELAXED_ORDERING;
	TEST_ASSERT_EQUAL(rte_umr_mr_reregister(mr, RTE_UMR_MR_CHANGE_ACCESS, &change), -ENOTSUP);
	TEST_ASSERT(!mr->is_lost);
	change.addr = pages + LEN / 2;
	change.len = LEN / 2;
	TEST_ASSERT_SUCCESS(rte_umr_mr_reregister(mr, RTE_UMR_MR_CHANGE_TRANSLATION, &change));
	TEST_ASSERT_SUCCESS(write_to(env, pages + LEN - 64, mr->rkey, RTE_UMR_STATUS_SUCCESS));
	TEST_ASSERT_SUCCESS(write_to(env, pages, mr->rkey, RTE_UMR_STATUS_REMOTE_ACCESS));
	/* It is still on demand. */
	TEST_ASSERT_SUCCESS(munmap(pages, LEN));
	return write_to(env, pages + LEN - 64, mr->rkey, RTE_UMR_STATUS_REMOTE_ACCESS);
}

AT_CASE(odp, advice_checks_its_arguments)
{
	AT_BUILD(env, .topology = AT_LOOPBACK);
	const int16_t dev = env->tx->dev_id;
	const struct rte_umr_seg seg = at_seg(env->tx, 0, 8);
	TEST_ASSERT_EQUAL(rte_umr_mr_advise(RTE_UMR_MAX_DEVS - 1, NULL, RTE_UMR_MR_ADVICE_PREFETCH,
					    &seg, 1, 0), -ENODEV);
	TEST_ASSERT_EQUAL(rte_umr_mr_advise(dev, NULL, RTE_UMR_MR_ADVICE_PREFETCH, NULL, 1, 0),
			  -EINVAL);
	TEST_ASSERT_EQUAL(rte_umr_mr_advise(dev, NULL, RTE_UMR_MR_ADVICE_PREFETCH, &seg, 0, 0),
			  -EINVAL);
	TEST_ASSERT_EQUAL(rte_umr_mr_advise(dev, NULL, RTE_UMR_MR_ADVICE_PREFETCH, &seg, 1, 2),
			  -EINVAL);
	TEST_ASSERT_EQUAL(rte_umr_mr_advise(dev, NULL, RTE_UMR_MR_ADVICE_PREFETCH_NO_FAULT + 1,
					    &seg, 1, 0), -EINVAL);
	return TEST_SUCCESS;
}

/* Each kind of advice, and what it says to what it cannot do. */
AT_CASE(odp, advice_is_followed_or_rejected)
{
	struct rte_umr_seg segs[300];

	TEST_NEED(odp_build(env, RTE_UMR_CAPA_MR_ODP));
	const int16_t dev = env->tx->dev_id;
	uint8_t *const pages = pages_map(NULL);
	struct rte_umr_pd *const pd = rte_umr_pd_alloc(dev);
	TEST_ASSERT(pages != MAP_FAILED && pd != NULL);
	const struct rte_umr_mr *const mr = AT_OWN_MR(env->tx, pages, LEN, FULL,
						      RTE_UMR_MR_F_ON_DEMAND);
	const struct rte_umr_mr *const ro = AT_OWN_MR(env->tx, pages, LEN, 0,
						      RTE_UMR_MR_F_ON_DEMAND);
	/* More ranges than one call of the system takes. */
	for (uint32_t i = 0; i < RTE_DIM(segs); i++)
		segs[i] = (struct rte_umr_seg){ .addr = (uintptr_t)pages + i * 200, .length = 199,
						.lkey = mr->lkey };
	for (uint32_t i = 0; i <= RTE_UMR_MR_ADVICE_PREFETCH_NO_FAULT; i++) {
		TEST_ASSERT_SUCCESS(rte_umr_mr_advise(dev, NULL, (enum rte_umr_mr_advice)i, segs,
						      RTE_DIM(segs), RTE_UMR_MR_ADVISE_F_FLUSH));
		TEST_ASSERT_SUCCESS(rte_umr_mr_advise(dev, NULL, (enum rte_umr_mr_advice)i, segs,
						      RTE_DIM(segs), 0));
	}
	TEST_ASSERT_SUCCESS(write_to(env, pages, mr->rkey, RTE_UMR_STATUS_SUCCESS));
	/* A region that is not on demand, another PD, no right to write, out of bounds. */
	segs[0].lkey = env->tx->mr->lkey;
	TEST_ASSERT_EQUAL(rte_umr_mr_advise(dev, NULL, RTE_UMR_MR_ADVICE_PREFETCH, segs, 1,
					    RTE_UMR_MR_ADVISE_F_FLUSH), -ENOENT);
	segs[0].lkey = mr->lkey;
	TEST_ASSERT_EQUAL(rte_umr_mr_advise(dev, pd, RTE_UMR_MR_ADVICE_PREFETCH, segs, 1, 0),
			  -EPERM);
	segs[0].lkey = ro->lkey;
	TEST_ASSERT_EQUAL(rte_umr_mr_advise(dev, NULL, RTE_UMR_MR_ADVICE_PREFETCH_WRITE, segs, 1,
					    RTE_UMR_MR_ADVISE_F_FLUSH), -EPERM);
	segs[0] = (struct rte_umr_seg){ .addr = (uintptr_t)pages + LEN - 4, .length = 8,
					.lkey = mr->lkey };
	TEST_ASSERT_EQUAL(rte_umr_mr_advise(dev, NULL, RTE_UMR_MR_ADVICE_PREFETCH, segs, 1,
					    RTE_UMR_MR_ADVISE_F_FLUSH), -EFAULT);
	TEST_ASSERT_SUCCESS(munmap(pages, LEN));
	segs[0] = (struct rte_umr_seg){ .addr = (uintptr_t)pages, .length = 8, .lkey = mr->lkey };
	TEST_ASSERT_EQUAL(rte_umr_mr_advise(dev, NULL, RTE_UMR_MR_ADVICE_PREFETCH, segs, 1,
					    RTE_UMR_MR_ADVISE_F_FLUSH), -EFAULT);
	/* What is not in memory is left out silently. */
	return rte_umr_mr_advise(dev, NULL, RTE_UMR_MR_ADVICE_PREFETCH_NO_FAULT, segs, 1,
				 RTE_UMR_MR_ADVISE_F_FLUSH);
}

AT_CASE(odp, flags_of_paging_go_together)
{
	/* Huge without paging, parts of the address space, implicit at another address. */
	static const struct rte_umr_mr_conf bad[] = {
		{ .addr = (void *)4096, .len = 8, .flags = RTE_UMR_MR_F_HUGE },
		{ .addr = NULL, .len = 4096, .flags = RTE_UMR_MR_F_ON_DEMAND },
		{ .addr = NULL, .len = SIZE_MAX, .flags = 0 },
		{ .len = SIZE_MAX, .flags = RTE_UMR_MR_F_ON_DEMAND | RTE_UMR_MR_F_HUGE },
		{ .len = SIZE_MAX, .flags = RTE_UMR_MR_F_ON_DEMAND | RTE_UMR_MR_F_ZERO_BASED },
		{ .len = SIZE_MAX, .flags = RTE_UMR_MR_F_ON_DEMAND | RTE_UMR_MR_F_IOVA },
	};

	AT_BUILD(env, .topology = AT_LOOPBACK);
	for (uint32_t i = 0; i < RTE_DIM(bad); i++) {
		TEST_ASSERT_ERRNO(rte_umr_mr_register(env->tx->dev_id, &bad[i]), EINVAL);
	}
	return TEST_SUCCESS;
}

/* Every counter counts what happened since, of this process, and goes with its region. */
AT_CASE(odp, counters_tell_what_happened)
{
	struct rte_umr_odp_stats before, stats;
	struct rte_umr_seg seg;

	TEST_ASSERT_EQUAL(rte_umr_odp_stats_get(RTE_UMR_MAX_DEVS - 1, &stats), -ENODEV);
	TEST_NEED(odp_build(env, RTE_UMR_CAPA_MR_ODP_STATS));
	const int16_t dev = env->tx->dev_id;
	TEST_ASSERT_EQUAL(rte_umr_odp_stats_get(dev, NULL), -EINVAL);
	TEST_ASSERT_SUCCESS(rte_umr_odp_stats_get(dev, &before));
	uint8_t *const pages = pages_map(NULL);
	TEST_ASSERT(pages != MAP_FAILED);
	struct rte_umr_mr *const mr = TEST_NOT_NULL(at_mr_register(dev, pages, LEN, FULL,
								   RTE_UMR_MR_F_ON_DEMAND));
	TEST_ASSERT_SUCCESS(rte_umr_odp_stats_get(dev, &stats));
	TEST_ASSERT_EQUAL(stats.nb_regions, before.nb_regions + 1);
	TEST_ASSERT_EQUAL(stats.nb_page_faults, before.nb_page_faults);
	/* Two pages are touched, one of them twice; two more are asked for. */
	TEST_ASSERT_SUCCESS(write_to(env, pages, mr->rkey, RTE_UMR_STATUS_SUCCESS));
	TEST_ASSERT_SUCCESS(write_to(env, pages + 128, mr->rkey, RTE_UMR_STATUS_SUCCESS));
	TEST_ASSERT_SUCCESS(write_to(env, pages + PAGE, mr->rkey, RTE_UMR_STATUS_SUCCESS));
	seg = (struct rte_umr_seg){ .addr = (uintptr_t)pages + 2 * PAGE, .length = 2 * PAGE,
				    .lkey = mr->lkey };
	memset(pages + 2 * PAGE, 1, 2 * PAGE);
	TEST_ASSERT_SUCCESS(rte_umr_mr_advise(dev, NULL, RTE_UMR_MR_ADVICE_PREFETCH_WRITE, &seg, 1,
					      RTE_UMR_MR_ADVISE_F_FLUSH));
	TEST_ASSERT_SUCCESS(rte_umr_odp_stats_get(dev, &stats));
	TEST_ASSERT_EQUAL(stats.nb_page_faults - before.nb_page_faults, 2);
	TEST_ASSERT_EQUAL(stats.nb_prefetches - before.nb_prefetches, 2);
	TEST_ASSERT_EQUAL(stats.nb_page_invalidations, before.nb_page_invalidations);
	/* A second region: the sum goes over both. */
	struct rte_umr_mr *const other = at_mr_register(dev, pages, LEN, FULL,
							RTE_UMR_MR_F_ON_DEMAND);
	TEST_ASSERT(other != NULL);
	TEST_ASSERT_SUCCESS(write_to(env, pages, other->rkey, RTE_UMR_STATUS_SUCCESS));
	TEST_ASSERT_SUCCESS(munmap(pages, LEN));
	TEST_ASSERT_SUCCESS(rte_umr_odp_stats_get(dev, &stats));
	TEST_ASSERT_EQUAL(stats.nb_regions, before.nb_regions + 2);
	TEST_ASSERT_EQUAL(stats.nb_page_faults - before.nb_page_faults, 3);
	TEST_ASSERT_EQUAL(stats.nb_page_invalidations - before.nb_page_invalidations, 5);
	TEST_ASSERT_SUCCESS(rte_umr_mr_deregister(mr));
	TEST_ASSERT_SUCCESS(rte_umr_mr_deregister(other));
	TEST_ASSERT_SUCCESS(rte_umr_odp_stats_get(dev, &stats));
	TEST_ASSERT_EQUAL(stats.nb_regions, before.nb_regions);
	TEST_ASSERT_EQUAL(stats.nb_page_faults, before.nb_page_faults);
	return TEST_SUCCESS;
}

/* More regions than fit a message of the system. */
AT_CASE(odp, counters_of_many_regions_are_summed)
{
	struct rte_umr_odp_stats before, stats;
	struct rte_umr_mr *mrs[100];

	TEST_NEED(odp_build(env, RTE_UMR_CAPA_MR_ODP_STATS));
	uint8_t *const pages = pages_map(NULL);
	TEST_ASSERT(pages != MAP_FAILED);
	TEST_ASSERT_SUCCESS(rte_umr_odp_stats_get(env->tx->dev_id, &before));
	for (uint32_t i = 0; i < RTE_DIM(mrs); i++) {
		mrs[i] = at_mr_register(env->tx->dev_id, pages, LEN, FULL, RTE_UMR_MR_F_ON_DEMAND);
		TEST_ASSERT(mrs[i] != NULL);
		TEST_ASSERT_SUCCESS(write_to(env, pages, mrs[i]->rkey, RTE_UMR_STATUS_SUCCESS));
	}
	TEST_ASSERT_SUCCESS(rte_umr_odp_stats_get(env->tx->dev_id, &stats));
	TEST_ASSERT_EQUAL(stats.nb_regions - before.nb_regions, RTE_DIM(mrs));
	TEST_ASSERT_EQUAL(stats.nb_page_faults - before.nb_page_faults, RTE_DIM(mrs));
	for (uint32_t i = 0; i < RTE_DIM(mrs); i++)
		TEST_ASSERT_SUCCESS(rte_umr_mr_deregister(mrs[i]));
	munmap(pages, LEN);
	return TEST_SUCCESS;
}
