/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Regions reach what they were registered for, as it is now: memory, rights, domain, addresses. */

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "autotest.h"
#include "env.h"

#define TARGET (AT_BUF_LEN / 2)
#define LEN    4096u
#define FULL   (RTE_UMR_ACCESS_LOCAL_WRITE | RTE_UMR_ACCESS_REMOTE_READ | \
		RTE_UMR_ACCESS_REMOTE_WRITE)

/*
 * Write 64 bytes of the loopback's memory to an address under a remote key. An error is recovered
 * from.
 */
static int
write_to(struct at_env *env, uint64_t addr, uint32_t rkey, enum rte_umr_status status)
{
	const struct rte_umr_seg local = at_seg(env->tx, 0, 64);

	TEST_ASSERT(rte_umr_write(env->tx->dev_id, 0, &local, addr, rkey, 0) >= 0);
	TEST_ASSERT_SUCCESS(at_finish_status(env, 1, status));
	if (status != RTE_UMR_STATUS_SUCCESS)
		TEST_ASSERT_SUCCESS(rte_umr_queue_recover(env->tx->dev_id, 0));
	return TEST_SUCCESS;
}

/* The same, and the bytes must arrive at this place of the process. */
static int
write_arrives(struct at_env *env, uint64_t addr, uint32_t rkey, uint8_t *place)
{
	memset(place, 0, 64);
	TEST_ASSERT_SUCCESS(write_to(env, addr, rkey, RTE_UMR_STATUS_SUCCESS));
	TEST_ASSERT_EQUAL(at_first_difference(place, env->tx->buf, 64), -1);
	return TEST_SUCCESS;
}

static struct rte_umr_mr *
mr_new(const struct at_env *env, uint8_t *addr, uint32_t access, struct rte_umr_pd *pd)
{
	const struct rte_umr_mr_conf conf = {
		.addr = addr, .len = LEN, .access = access, .pd = pd,
	};

	return rte_umr_mr_register(env->tx->dev_id, &conf);
}

AT_CASE(mr, region_of_another_pd_is_out_of_reach)
{
	struct rte_umr_mr_conf change = { 0 };
	struct rte_umr_seg local;
	uint32_t lkey;

	AT_BUILD(env, .topology = AT_LOOPBACK);
	at_fill(env);
	uint8_t *const place = env->tx->buf + TARGET;
	struct rte_umr_pd *const pd = TEST_NOT_NULL(rte_umr_pd_alloc(env->tx->dev_id));
	struct rte_umr_mr *const mr = TEST_NOT_NULL(mr_new(env, place, FULL, pd));
	TEST_ASSERT(mr->pd == pd);
	/* Remotely, locally, by address. */
	TEST_ASSERT_SUCCESS(write_to(env, (uintptr_t)place, mr->rkey,
				     RTE_UMR_STATUS_REMOTE_ACCESS));
	local = (struct rte_umr_seg){ .addr = (uintptr_t)place, .length = 8, .lkey = mr->lkey };
	TEST_ASSERT(rte_umr_write(env->tx->dev_id, 0, &local, at_addr(env->rx, 0),
				  env->rx->mr->rkey, 0) >= 0);
	TEST_ASSERT_SUCCESS(at_finish_status(env, 1, RTE_UMR_STATUS_LOCAL_PROT));
	TEST_ASSERT_SUCCESS(rte_umr_queue_recover(env->tx->dev_id, 0));
	TEST_ASSERT_SUCCESS(rte_umr_mr_lookup(env->tx->dev_id, place, 64, &lkey));
	TEST_ASSERT(lkey != mr->lkey);
	/* It moves into the default one, and out again. */
	TEST_ASSERT_SUCCESS(rte_umr_mr_reregister(mr, RTE_UMR_MR_CHANGE_PD, &change));
	TEST_ASSERT(mr->pd == NULL);
	TEST_ASSERT_SUCCESS(write_arrives(env, (uintptr_t)place, mr->rkey, place));
	TEST_ASSERT_SUCCESS(rte_umr_mr_lookup(env->tx->dev_id, place, 64, &lkey));
	TEST_ASSERT_EQUAL(lkey, mr->lkey);
	change.pd = pd;
	TEST_ASSERT_SUCCESS(rte_umr_mr_reregister(mr, RTE_UMR_MR_CHANGE_PD, &change));
	TEST_ASSERT_SUCCESS(write_to(env, (uintptr_t)place, mr->rkey,
				     RTE_UMR_STATUS_REMOTE_ACCESS));
	TEST_ASSERT_EQUAL(rte_umr_pd_free(pd), -EBUSY);
	TEST_ASSERT_SUCCESS(rte_umr_mr_deregister(mr));
	TEST_ASSERT_SUCCESS(rte_umr_pd_free(pd));
	return TEST_SUCCESS;
}

/* A loopback queue of a PD of its own, with keys of that PD. */
AT_CASE(mr, queue_and_keys_of_a_pd_belong_together)
{
	const struct rte_umr_dev_conf dev_conf = { .nb_queues = 1 };
	struct rte_umr_queue_conf queue_conf = { .nb_desc = 64, .socket_id = -1 };
	struct rte_umr_mkey_pool_conf pool_conf = { .nb_mkeys = 1, .max_entries = 8 };
	struct rte_umr_seg seg;

	AT_BUILD(env, .topology = AT_LOOPBACK);
	at_fill(env);
	const int16_t dev = env->tx->dev_id;
	queue_conf.pd = rte_umr_pd_alloc(dev);
	TEST_ASSERT(queue_conf.pd != NULL);
	pool_conf.pd = queue_conf.pd;
	struct rte_umr_mr *const mr = mr_new(env, env->tx->buf, FULL, queue_conf.pd);
	struct rte_umr_mkey_pool *const pool = rte_umr_mkey_pool_create(dev, &pool_conf);
	TEST_ASSERT(mr != NULL && pool != NULL);
	struct rte_umr_mkey *const mkey = TEST_NOT_NULL(rte_umr_mkey_get(pool));
	seg = (struct rte_umr_seg){ .addr = mr->iova, .length = LEN, .lkey = mr->lkey };
	/* A queue of the default PD cannot configure it ... */
	TEST_ASSERT(rte_umr_mkey_list(dev, 0, mkey, FULL, &seg, 1, 0) >= 0);
	TEST_ASSERT_SUCCESS(at_finish_status(env, 1, RTE_UMR_STATUS_MKEY_CONFIG));
	/* ... one of the same PD can, and use it. */
	TEST_ASSERT_SUCCESS(rte_umr_dev_stop(dev));
	TEST_ASSERT_SUCCESS(rte_umr_queue_setup(dev, 0, &queue_conf));
	TEST_ASSERT_SUCCESS(rte_umr_dev_start(dev));
	TEST_ASSERT(rte_umr_mkey_list(dev, 0, mkey, FULL, &seg, 1, 0) >= 0);
	seg.length = 64;
	TEST_ASSERT(rte_umr_write(dev, 0, &seg, 1024, mkey->key, 0) >= 0);
	TEST_ASSERT_SUCCESS(at_finish(env, 2));
	TEST_ASSERT_EQUAL(at_first_difference(env->tx->buf + 1024, env->tx->buf, 64), -1);
	/* The region of the default PD is not for this queue. */
	TEST_ASSERT(rte_umr_write(dev, 0, &seg, at_addr(env->tx, 0), env->tx->mr->rkey, 0) >= 0);
	TEST_ASSERT_SUCCESS(at_finish_status(env, 1, RTE_UMR_STATUS_REMOTE_ACCESS));
	rte_umr_mkey_put(pool, mkey);
	TEST_ASSERT_SUCCESS(rte_umr_mkey_pool_destroy(pool));
	TEST_ASSERT_SUCCESS(rte_umr_mr_deregister(mr));
	TEST_ASSERT_EQUAL(rte_umr_pd_free(queue_conf.pd), -EBUSY);
	TEST_ASSERT_SUCCESS(rte_umr_dev_stop(dev));
	TEST_ASSERT_SUCCESS(rte_umr_dev_configure(dev, &dev_conf));
	TEST_ASSERT_SUCCESS(rte_umr_pd_free(queue_conf.pd));
	/* The device takes this one along. */
	TEST_ASSERT(rte_umr_pd_alloc(dev) != NULL);
	return TEST_SUCCESS;
}

AT_CASE(mr, pd_of_another_device_is_rejected)
{
	struct rte_umr_mkey_pool_conf pool_conf = { .nb_mkeys = 1, .max_entries = 8 };
	struct rte_umr_queue_conf queue_conf = { .nb_desc = 64, .socket_id = -1 };
	struct rte_umr_mr_conf change = { 0 };

	TEST_ASSERT_ERRNO(rte_umr_pd_alloc(RTE_UMR_MAX_DEVS - 1), ENODEV);
	TEST_ASSERT_SUCCESS(rte_umr_pd_free(NULL));
	AT_BUILD(env, .topology = AT_TWO_DEVICES);
	struct rte_umr_pd *const pd = TEST_NOT_NULL(rte_umr_pd_alloc(env->rx->dev_id));
	change.pd = pd;
	pool_conf.pd = pd;
	queue_conf.pd = pd;
	TEST_ASSERT_ERRNO(mr_new(env, env->tx->buf, FULL, pd), EINVAL);
	TEST_ASSERT_EQUAL(rte_umr_mr_reregister(env->tx->mr, RTE_UMR_MR_CHANGE_PD, &change),
			  -EINVAL);
	TEST_ASSERT_ERRNO(rte_umr_mkey_pool_create(env->tx->dev_id, &pool_conf), EINVAL);
	const struct rte_umr_seg seg = at_seg(env->tx, 0, 8);
	TEST_ASSERT_EQUAL(rte_umr_mr_advise(env->tx->dev_id, pd, RTE_UMR_MR_ADVICE_PREFETCH, &seg,
					    1, 0), -EINVAL);
	TEST_ASSERT_SUCCESS(rte_umr_dev_stop(env->tx->dev_id));
	TEST_ASSERT_EQUAL(rte_umr_queue_setup(env->tx->dev_id, 0, &queue_conf), -EINVAL);
	return TEST_SUCCESS;
}

/* What a write must meet after each change: nothing that was asked for is missing, nothing else. */
static int
region_is_as_described(struct at_env *env, struct rte_umr_mr *mr)
{
	uint8_t *place = mr->addr;
	const bool can_write = mr->pd == NULL && (mr->access & RTE_UMR_ACCESS_REMOTE_WRITE) != 0;

	if (can_write) {
		TEST_ASSERT_SUCCESS(write_arrives(env, (uintptr_t)place, mr->rkey, place));
		return write_arrives(env, (uintptr_t)place + mr->len - 64, mr->rkey,
				     place + mr->len - 64);
	}
	return write_to(env, (uintptr_t)place, mr->rkey, RTE_UMR_STATUS_REMOTE_ACCESS);
}

/* All seven combinations, there and back, with shorter and longer memory. */
AT_CASE(mr, region_changes_in_any_combination)
{
	static const uint32_t lens[] = { LEN, 64, 3 * LEN + 100 };
	struct rte_umr_mr_conf change = { 0 };
	struct rte_umr_mr *mr, before;
	uint32_t changes, i, n = 0;

	AT_BUILD(env, .topology = AT_LOOPBACK);
	at_fill(env);
	struct rte_umr_pd *const pd = rte_umr_pd_alloc(env->tx->dev_id);
	mr = mr_new(env, env->tx->buf + TARGET, FULL, NULL);
	TEST_ASSERT(pd != NULL && mr != NULL);
	for (changes = 1; changes <= RTE_UMR_MR_CHANGE_ALL; changes++) {
		for (i = 0; i < 4; i++, n++) {
			before = *mr;
			change.addr = env->tx->buf + TARGET + (n % 5) * 4100;
			change.len = lens[n % RTE_DIM(lens)];
			change.pd = mr->pd == NULL ? pd : NULL;
			change.access = mr->access == FULL ? RTE_UMR_ACCESS_LOCAL_WRITE : FULL;
			TEST_ASSERT_SUCCESS(rte_umr_mr_reregister(mr, changes, &change));
			if ((changes & RTE_UMR_MR_CHANGE_TRANSLATION) != 0) {
				before.addr = change.addr;
				before.len = change.len;
			}
			if ((changes & RTE_UMR_MR_CHANGE_PD) != 0)
				before.pd = change.pd;
			if ((changes & RTE_UMR_MR_CHANGE_ACCESS) != 0)
				before.access = change.access;
			TEST_ASSERT(mr->addr == before.addr && mr->len == before.len);
			TEST_ASSERT(mr->pd == before.pd && mr->access == before.access);
			TEST_ASSERT_EQUAL(mr->iova, (uintptr_t)mr->addr);
			TEST_ASSERT_SUCCESS(region_is_as_described(env, mr));
		}
	}
	TEST_ASSERT_SUCCESS(rte_umr_mr_deregister(mr));
	return TEST_SUCCESS;
}

AT_CASE(mr, rejected_change_leaves_the_region)
{
	static const struct {
		uint32_t changes;
		struct rte_umr_mr_conf conf;
	} bad[] = {
		{ 0, { 0 } },
		{ RTE_UMR_MR_CHANGE_ALL + 1, { 0 } },
		{ RTE_UMR_MR_CHANGE_TRANSLATION, { .addr = NULL, .len = 64 } },
		{ RTE_UMR_MR_CHANGE_TRANSLATION, { .addr = (void *)4096, .len = 0 } },
		{ RTE_UMR_MR_CHANGE_TRANSLATION, { .addr = (void *)4096, .len = SIZE_MAX } },
		{ RTE_UMR_MR_CHANGE_ACCESS, { .access = RTE_UMR_ACCESS_REMOTE_WRITE } },
		{ RTE_UMR_MR_CHANGE_ACCESS, { .access = RTE_UMR_MR_ACCESS_ALL + 1 } },
		{ RTE_UMR_MR_CHANGE_ACCESS, { .access = FULL, .flags = RTE_UMR_MR_F_ON_DEMAND } },
		{ RTE_UMR_MR_CHANGE_ACCESS, { .access = FULL, .reserved = 1 } },
	};
	struct rte_umr_mr_conf change = { .access = FULL };
	struct rte_umr_mr *mr;

	AT_BUILD(env, .topology = AT_LOOPBACK);
	at_fill(env);
	mr = TEST_NOT_NULL(mr_new(env, env->tx->buf + TARGET, FULL, NULL));
	for (uint32_t i = 0; i < RTE_DIM(bad); i++)
		TEST_ASSERT_EQUAL(rte_umr_mr_reregister(mr, bad[i].changes, &bad[i].conf), -EINVAL);
	TEST_ASSERT_EQUAL(rte_umr_mr_reregister(mr, RTE_UMR_MR_CHANGE_PD, NULL), -EINVAL);
	TEST_ASSERT_EQUAL(rte_umr_mr_reregister(NULL, RTE_UMR_MR_CHANGE_ACCESS, &change), -EINVAL);
	TEST_ASSERT_SUCCESS(write_arrives(env, (uintptr_t)mr->addr, mr->rkey, mr->addr));
	TEST_ASSERT_SUCCESS(rte_umr_mr_deregister(mr));
	/* Linux pinned this to be read; with new memory it may be written. */
	mr = TEST_NOT_NULL(mr_new(env, env->tx->buf + TARGET, RTE_UMR_ACCESS_REMOTE_READ, NULL));
	TEST_ASSERT_EQUAL(rte_umr_mr_reregister(mr, RTE_UMR_MR_CHANGE_ACCESS, &change), -EACCES);
	TEST_ASSERT(!mr->is_lost);
	TEST_ASSERT_SUCCESS(write_to(env, (uintptr_t)mr->addr, mr->rkey,
				     RTE_UMR_STATUS_REMOTE_ACCESS));
	change.addr = mr->addr;
	change.len = mr->len;
	TEST_ASSERT_SUCCESS(rte_umr_mr_reregister(mr, RTE_UMR_MR_CHANGE_TRANSLATION |
						  RTE_UMR_MR_CHANGE_ACCESS, &change));
	TEST_ASSERT_SUCCESS(write_arrives(env, (uintptr_t)mr->addr, mr->rkey, mr->addr));
	return rte_umr_mr_deregister(mr);
}

AT_CASE(mr, region_that_failed_half_way_is_lost)
{
	struct rte_umr_mr_conf change = { .len = LEN };
	uint32_t lkey;
	void *page, *ro;

	AT_BUILD(env, .topology = AT_LOOPBACK);
	page = mmap(NULL, LEN, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ro = mmap(NULL, LEN, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	TEST_ASSERT(page != MAP_FAILED && ro != MAP_FAILED);
	struct rte_umr_mr *const mr = TEST_NOT_NULL(at_mr_register(env->tx->dev_id, page, LEN, FULL,
								   0));
	TEST_ASSERT_SUCCESS(rte_umr_mr_lookup(env->tx->dev_id, page, LEN, &lkey));
	change.addr = ro;
	TEST_ASSERT_EQUAL(rte_umr_mr_reregister(mr, RTE_UMR_MR_CHANGE_TRANSLATION, &change),
			  -EFAULT);
	TEST_ASSERT(mr->is_lost);
	TEST_ASSERT_EQUAL(rte_umr_mr_lookup(env->tx->dev_id, page, LEN, &lkey), -ENOENT);
	TEST_ASSERT_EQUAL(rte_umr_mr_lookup(env->tx->dev_id, ro, LEN, &lkey), -ENOENT);
	change.addr = env->tx->buf;
	TEST_ASSERT_EQUAL(rte_umr_mr_reregister(mr, RTE_UMR_MR_CHANGE_TRANSLATION, &change),
			  -ESTALE);
	return rte_umr_mr_deregister(mr);
}

AT_CASE(mr, addresses_of_a_region_begin_where_it_says)
{
	struct rte_umr_mr_conf mr_conf = { .len = LEN, .access = FULL };
	struct rte_umr_mr *mr;
	uint32_t lkey;

	AT_BUILD(env, .topology = AT_LOOPBACK);
	at_fill(env);
	uint8_t *const place = env->tx->buf + TARGET;
	mr_conf.addr = place;
	mr_conf.flags = RTE_UMR_MR_F_ZERO_BASED;
	mr = TEST_NOT_NULL(rte_umr_mr_register(env->tx->dev_id, &mr_conf));
	TEST_ASSERT_EQUAL(mr->iova, 0);
	TEST_ASSERT_SUCCESS(write_arrives(env, 0, mr->rkey, place));
	TEST_ASSERT_SUCCESS(write_arrives(env, LEN - 64, mr->rkey, place + LEN - 64));
	TEST_ASSERT_SUCCESS(write_to(env, LEN - 63, mr->rkey, RTE_UMR_STATUS_REMOTE_ACCESS));
	TEST_ASSERT_SUCCESS(write_to(env, (uintptr_t)place, mr->rkey,
				     RTE_UMR_STATUS_REMOTE_ACCESS));
	/* Looking up tells keys for addresses of the process. */
	TEST_ASSERT_SUCCESS(rte_umr_mr_lookup(env->tx->dev_id, place, LEN, &lkey));
	TEST_ASSERT(lkey != mr->lkey);
	TEST_ASSERT_EQUAL(rte_umr_mr_reregister(mr, RTE_UMR_MR_CHANGE_TRANSLATION, &(struct
			  rte_umr_mr_conf){ .addr = place, .len = LEN }), -ENOTSUP);
	TEST_ASSERT_SUCCESS(rte_umr_mr_deregister(mr));

	mr_conf.addr = place + 100;
	TEST_ASSERT_ERRNO(rte_umr_mr_register(env->tx->dev_id, &mr_conf), EINVAL);
	mr_conf.flags = RTE_UMR_MR_F_IOVA;
	mr_conf.iova = UINT64_C(0x7654321000) + 101;
	TEST_ASSERT_ERRNO(rte_umr_mr_register(env->tx->dev_id, &mr_conf), EINVAL);
	mr_conf.iova--;
	mr = TEST_NOT_NULL(rte_umr_mr_register(env->tx->dev_id, &mr_conf));
	TEST_ASSERT_SUCCESS(write_arrives(env, mr_conf.iova + 8, mr->rkey, place + 108));
	TEST_ASSERT_SUCCESS(rte_umr_mr_deregister(mr));
	/* Two answers to one question, and one that nobody knows. */
	mr_conf.flags = RTE_UMR_MR_F_IOVA | RTE_UMR_MR_F_ZERO_BASED;
	TEST_ASSERT_ERRNO(rte_umr_mr_register(env->tx->dev_id, &mr_conf), EINVAL);
	mr_conf.flags = RTE_UMR_MR_F_IOVA;
	mr_conf.reserved2[1] = 1;
	TEST_ASSERT_ERRNO(rte_umr_mr_register(env->tx->dev_id, &mr_conf), EINVAL);
	return TEST_SUCCESS;
}

AT_CASE(mr, relaxed_ordering_is_a_capability)
{
	const uint32_t access = FULL | RTE_UMR_ACCESS_RELAXED_ORDERING;
	struct rte_umr_mr_conf change = { .access = FULL };
	struct rte_umr_dev_info info;

	AT_BUILD(env, .topology = AT_LOOPBACK);
	at_fill(env);
	uint8_t *const place = env->tx->buf + TARGET;
	TEST_ASSERT_SUCCESS(rte_umr_dev_info_get(env->tx->dev_id, &info));
	if ((info.mr_access_capa & RTE_UMR_ACCESS_RELAXED_ORDERING) == 0) {
		TEST_ASSERT_ERRNO(mr_new(env, place, access, NULL), ENOTSUP);
		return TEST_SUCCESS;
	}
	struct rte_umr_mr *const mr = TEST_NOT_NULL(mr_new(env, place, access, NULL));
	TEST_ASSERT_SUCCESS(write_arrives(env, (uintptr_t)place, mr->rkey, place));
	TEST_ASSERT_SUCCESS(rte_umr_mr_reregister(mr, RTE_UMR_MR_CHANGE_ACCESS, &change));
	TEST_ASSERT_SUCCESS(write_arrives(env, (uintptr_t)place, mr->rkey, place));
	change.access = access;
	TEST_ASSERT_SUCCESS(rte_umr_mr_reregister(mr, RTE_UMR_MR_CHANGE_ACCESS, &change));
	TEST_ASSERT_SUCCESS(write_arrives(env, (uintptr_t)place, mr->rkey, place));
	return rte_umr_mr_deregister(mr);
}

/* There may be no exporter of buffers on this machine; what is none must be rejected anyway. */
AT_CASE(mr, dma_buffer_must_be_one)
{
	struct rte_umr_mr_conf mr_conf = {
		.len = LEN, .access = FULL, .flags = RTE_UMR_MR_F_DMABUF, .dmabuf_fd = -1,
	};
	struct rte_umr_dev_info info;
	int fds[2];

	AT_BUILD(env, .topology = AT_LOOPBACK);
	TEST_ASSERT_SUCCESS(rte_umr_dev_info_get(env->tx->dev_id, &info));
	if ((info.dev_capa & RTE_UMR_CAPA_MR_DMABUF) == 0) {
		TEST_ASSERT_ERRNO(rte_umr_mr_register(env->tx->dev_id, &mr_conf), ENOTSUP);
		return TEST_SUCCESS;
	}
	TEST_ASSERT_ERRNO(rte_umr_mr_register(env->tx->dev_id, &mr_conf), EBADF);
	TEST_ASSERT_SUCCESS(pipe(fds));
	mr_conf.dmabuf_fd = fds[0];
	TEST_ASSERT_ERRNO(rte_umr_mr_register(env->tx->dev_id, &mr_conf), EINVAL);
	close(fds[0]);
	close(fds[1]);
	mr_conf.addr = env->tx->buf;
	TEST_ASSERT_ERRNO(rte_umr_mr_register(env->tx->dev_id, &mr_conf), EINVAL);
	mr_conf.addr = NULL;
	mr_conf.flags |= RTE_UMR_MR_F_ON_DEMAND;
	TEST_ASSERT_ERRNO(rte_umr_mr_register(env->tx->dev_id, &mr_conf), EINVAL);
	return TEST_SUCCESS;
}
