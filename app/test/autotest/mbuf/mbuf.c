/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Chains of mbufs under keys: what the device moves by them is what is in the chain; and mbufs that
 * are held go back to their pools, all of them, whatever happened to their operations.
 */

#include <stdlib.h>
#include <string.h>

#include "mbuf/bed.h"

#define MAX_LEN		200u	/* data of a mbuf */
#define EXT_LEN		0x4000u	/* of the external buffer */
#define SLOT		0x1000u	/* of a chain of a burst, at the other side */
#define BURST		BED_NB_KEYS
#define BURST_SEGS	16u
#define NB_BURSTS	(test_nb_cases() * 2 / 5 + 1)
#define BAD_LKEY	0xdead0042u
#define HEADER		14u
/* Ring indices have 16 bits. */
#define WRAP		65536u
#define NB_AROUND	40u
#define WRITE_BURST	64u

/* A clone of a mbuf that nobody else has, or one with the external buffer. */
static void
attach(struct mbuf_bed *bed, struct rte_mbuf *mbuf, struct rte_mbuf *direct)
{
	if (direct != NULL) {
		rte_pktmbuf_attach(mbuf, direct);
		rte_pktmbuf_free(direct);
		return;
	}
	if (rte_mbuf_ext_refcnt_read(&bed->ext) == 0)
		rte_mbuf_ext_refcnt_set(&bed->ext, 1);
	else
		rte_mbuf_ext_refcnt_update(&bed->ext, 1);
	rte_pktmbuf_attach_extbuf(mbuf, bed->ext_buf, RTE_BAD_IOVA, EXT_LEN, &bed->ext);
}

/* A mbuf of any kind, with another headroom, and data, of which there may be none. */
static struct rte_mbuf *
mbuf_new(struct mbuf_bed *bed)
{
	const uint16_t len = rand() % 4 == 0 ? 0 : (uint16_t)(1 + rand() % MAX_LEN);
	const int kind = rand() % 4;
	struct rte_mbuf *direct = kind == 0 ? NULL : rte_pktmbuf_alloc(bed->direct);
	struct rte_mbuf *mbuf = kind > 1 ? direct : rte_pktmbuf_alloc(bed->indirect);

	if (kind <= 1)
		attach(bed, mbuf, direct);
	mbuf->data_off = (uint16_t)(rand() % (mbuf->buf_len - len));
	mbuf->data_len = len;
	mbuf->pkt_len = len;
	/* What several mbufs have stays. */
	for (uint16_t i = 0; kind != 0 && i < len; i++)
		rte_pktmbuf_mtod(mbuf, uint8_t *)[i] = (uint8_t)rand();
	return mbuf;
}

/* A random chain, and a copy of its data. */
static struct rte_mbuf *
chain_new(struct mbuf_bed *bed, uint32_t nb_segs, uint8_t *bytes)
{
	struct rte_mbuf *head = NULL, *tail = NULL, *mbuf;

	while (nb_segs-- != 0) {
		mbuf = mbuf_new(bed);
		memcpy(bytes, rte_pktmbuf_mtod(mbuf, uint8_t *), mbuf->data_len);
		bytes += mbuf->data_len;
		if (head == NULL) {
			head = mbuf;
		} else {
			tail->next = mbuf;
			head->pkt_len += mbuf->data_len;
			head->nb_segs++;
		}
		tail = mbuf;
	}
	return head;
}

/* One that has data. */
static struct rte_mbuf *
packet_new(struct mbuf_bed *bed, uint32_t nb_segs, uint8_t *bytes)
{
	struct rte_mbuf *head = chain_new(bed, nb_segs, bytes);

	while (head->pkt_len == 0) {
		rte_pktmbuf_free(head);
		head = chain_new(bed, nb_segs, bytes);
	}
	return head;
}

/* A part of a chain goes under a key, and over to the other side. */
static int
chain_arrives(struct mbuf_bed *bed, uint32_t nb_segs)
{
	static uint8_t bytes[BED_MAX_SEGS * MAX_LEN];
	struct at_env *env = bed->env;
	struct rte_mbuf *mbuf = packet_new(bed, nb_segs, bytes);
	const uint32_t offset = rand() % 2 == 0 ? 0 : (uint32_t)rand() % mbuf->pkt_len;
	const uint32_t len = rand() % 2 == 0 ? mbuf->pkt_len - offset :
					       1 + (uint32_t)rand() % (mbuf->pkt_len - offset);
	const struct rte_umr_mbuf_op op = {
		.mkey = bed->mkeys[0], .mbuf = mbuf, .offset = offset,
		.len = offset + len == mbuf->pkt_len ? RTE_UMR_MBUF_REST : len,
	};

	TEST_ACCEPT(rte_umr_mbuf_mkey_list(env->tx->dev_id, 0, RTE_UMR_ACCESS_LOCAL_WRITE, &op, 0));
	const struct rte_umr_seg local = at_key_seg(bed->mkeys[0], 0, len);
	const int idx = at_write(env, local, BED_TARGET, RTE_UMR_OP_F_SUBMIT);
	TEST_ASSERT(idx >= 0);
	TEST_ASSERT_SUCCESS(rte_umr_mbuf_fifo_hold(bed->fifo, (uint16_t)idx, &mbuf, 1));
	TEST_ASSERT_SUCCESS(mbuf_collect(bed, 2, RTE_UMR_STATUS_SUCCESS));
	TEST_ASSERT_SAME(env->rx->buf + BED_TARGET, bytes + offset, len);
	return TEST_SUCCESS;
}

static int
chains_arrive(struct mbuf_bed *bed)
{
	for (uint32_t nb_segs = 1; nb_segs <= BED_MAX_SEGS; nb_segs++) {
		TEST_ASSERT_SUCCESS(chain_arrives(bed, nb_segs));
		TEST_ASSERT_SUCCESS(mbuf_bed_check(bed));
	}
	/* Some of them were of it. */
	TEST_ASSERT(bed->nb_ext_freed > 0);
	return TEST_SUCCESS;
}

AT_CASE_CALL(mbuf, chains_of_every_length_arrive, mbuf_everywhere(env, chains_arrive))

/* Chains under keys, and what they hold to the other side, in one burst each. */
static int
burst_arrives(struct mbuf_bed *bed, uint16_t nb)
{
	static uint8_t bytes[BURST][BURST_SEGS * MAX_LEN];
	struct at_env *env = bed->env;
	struct rte_umr_mbuf_op ops[BURST];
	struct rte_umr_rdma_op writes[BURST];
	struct rte_mbuf *mbufs[BURST];

	for (uint16_t i = 0; i < nb; i++) {
		mbufs[i] = packet_new(bed, 1 + (uint32_t)rand() % BURST_SEGS, bytes[i]);
		ops[i] = (struct rte_umr_mbuf_op){
			.mkey = bed->mkeys[i], .mbuf = mbufs[i], .len = RTE_UMR_MBUF_REST,
		};
		writes[i] = (struct rte_umr_rdma_op){
			.local = at_key_seg(bed->mkeys[i], 0, mbufs[i]->pkt_len),
			.remote_addr = at_addr(env->rx, BED_TARGET + i * SLOT),
			.rkey = env->rx->mr->rkey,
		};
	}
	TEST_ASSERT_EQUAL(rte_umr_mbuf_mkey_list_burst(env->tx->dev_id, 0,
						       RTE_UMR_ACCESS_LOCAL_WRITE, ops, nb, 0), nb);
	TEST_ASSERT_EQUAL(rte_umr_write_burst(env->tx->dev_id, 0, writes, nb, RTE_UMR_OP_F_SUBMIT),
			  nb);
	bed->nb_ops += 2u * nb;
	for (uint16_t i = 0; i < nb; i++)
		writes[i].local.length = mbufs[i]->pkt_len;
	TEST_ASSERT_SUCCESS(rte_umr_mbuf_fifo_hold(bed->fifo, (uint16_t)(bed->nb_ops - 1), mbufs,
						   nb));
	TEST_ASSERT_SUCCESS(mbuf_collect(bed, (uint16_t)(2 * nb), RTE_UMR_STATUS_SUCCESS));
	for (uint16_t i = 0; i < nb; i++)
		TEST_ASSERT_SAME(env->rx->buf + BED_TARGET + i * SLOT, bytes[i],
				 writes[i].local.length);
	return TEST_SUCCESS;
}

static int
bursts_arrive(struct mbuf_bed *bed)
{
	for (uint32_t i = 0; i < NB_BURSTS; i++) {
		TEST_ASSERT_SUCCESS(burst_arrives(bed, (uint16_t)(1 + i % BURST)));
		TEST_ASSERT_SUCCESS(mbuf_bed_check(bed));
	}
	return TEST_SUCCESS;
}

AT_CASE_CALL(mbuf, bursts_of_chains_arrive, mbuf_everywhere(env, bursts_arrive))

/* Payloads of a burst of packets. @return Their length; all becomes their bytes. */
static uint32_t
payloads_make(struct mbuf_bed *bed, struct rte_mbuf **mbufs, struct rte_umr_mbuf_part *parts,
	      uint8_t *all)
{
	static uint8_t bytes[BURST_SEGS * MAX_LEN];
	uint32_t i, len = 0;

	for (i = 0; i < BURST; i++) {
		mbufs[i] = packet_new(bed, 1 + (uint32_t)rand() % 5, bytes);
		parts[i] = (struct rte_umr_mbuf_part){
			.mbuf = mbufs[i], .offset = RTE_MIN(HEADER, mbufs[i]->pkt_len),
			.len = RTE_UMR_MBUF_REST,
		};
		memcpy(all + len, bytes + parts[i].offset, mbufs[i]->pkt_len - parts[i].offset);
		len += mbufs[i]->pkt_len - parts[i].offset;
	}
	return len;
}

/* They are one message. */
static int
payloads_arrive(struct mbuf_bed *bed)
{
	static uint8_t all[BURST * BURST_SEGS * MAX_LEN];
	struct at_env *env = bed->env;
	struct rte_umr_mbuf_part parts[BURST];
	struct rte_mbuf *mbufs[BURST];

	const uint32_t len = payloads_make(bed, mbufs, parts, all);
	TEST_ACCEPT(rte_umr_mbuf_mkey_parts(env->tx->dev_id, 0, bed->mkeys[0],
					    RTE_UMR_ACCESS_LOCAL_WRITE, parts, BURST, 0));
	const struct rte_umr_seg local = at_key_seg(bed->mkeys[0], 0, len);
	const int idx = at_write(env, local, BED_TARGET, RTE_UMR_OP_F_SUBMIT);
	TEST_ASSERT(idx >= 0);
	TEST_ASSERT_SUCCESS(rte_umr_mbuf_fifo_hold(bed->fifo, (uint16_t)idx, mbufs, BURST));
	TEST_ASSERT_SUCCESS(mbuf_collect(bed, 2, RTE_UMR_STATUS_SUCCESS));
	TEST_ASSERT_SAME(env->rx->buf + BED_TARGET, all, len);
	return TEST_SUCCESS;
}

AT_CASE_CALL(mbuf, payloads_of_a_burst_arrive_as_one_message, mbuf_everywhere(env, payloads_arrive))

/* The same by one call, and a read into a chain. */
static int
payloads_go_without_a_key(struct mbuf_bed *bed)
{
	static uint8_t all[BURST * BURST_SEGS * MAX_LEN];
	struct at_env *env = bed->env;
	struct rte_umr_mbuf_part parts[BURST];
	struct rte_mbuf *mbufs[BURST], *chain = TEST_NOT_NULL(rte_pktmbuf_alloc(bed->direct));
	const uint64_t addr = at_addr(env->rx, BED_TARGET);
	const uint32_t len = payloads_make(bed, mbufs, parts, all);

	const int idx = rte_umr_mbuf_write_sg(env->tx->dev_id, 0, parts, BURST, addr,
					      env->rx->mr->rkey, RTE_UMR_OP_F_SUBMIT);
	TEST_ASSERT(idx >= 0);
	TEST_ASSERT_SUCCESS(rte_umr_mbuf_fifo_hold(bed->fifo, (uint16_t)idx, mbufs, BURST));
	TEST_ASSERT_SUCCESS(mbuf_collect(bed, 1, RTE_UMR_STATUS_SUCCESS));
	TEST_ASSERT_SAME(env->rx->buf + BED_TARGET, all, len);
	rte_pktmbuf_append(chain, 200);
	parts[0] = (struct rte_umr_mbuf_part){ chain, 50, 100 };
	parts[1] = (struct rte_umr_mbuf_part){ chain, 0, 50 };
	TEST_ACCEPT(rte_umr_mbuf_read_sg(env->tx->dev_id, 0, parts, 2, addr, env->rx->mr->rkey,
					 RTE_UMR_OP_F_SUBMIT));
	TEST_ASSERT_SUCCESS(mbuf_collect(bed, 1, RTE_UMR_STATUS_SUCCESS));
	TEST_ASSERT_SAME(rte_pktmbuf_mtod_offset(chain, uint8_t *, 50), env->rx->buf + BED_TARGET,
			 100);
	TEST_ASSERT_SAME(rte_pktmbuf_mtod(chain, uint8_t *), env->rx->buf + BED_TARGET + 100, 50);
	parts[1].len = 201;
	TEST_ASSERT_EQUAL(rte_umr_mbuf_write_sg(env->tx->dev_id, 0, parts, 2, addr,
						env->rx->mr->rkey, 0), -ERANGE);
	TEST_ASSERT_EQUAL(rte_umr_mbuf_read_sg(env->tx->dev_id, 0, parts, 2, addr,
					       env->rx->mr->rkey, 0), -ERANGE);
	rte_pktmbuf_free(chain);
	return TEST_SUCCESS;
}

AT_CASE_CALL(mbuf, payloads_of_a_burst_are_written_at_once,
	mbuf_everywhere(env, payloads_go_without_a_key))

static int
rejected(struct mbuf_bed *bed)
{
	static uint8_t bytes[BED_MAX_SEGS * MAX_LEN];
	const int16_t dev_id = bed->env->tx->dev_id;
	const uint16_t avail = rte_umr_desc_avail(dev_id, 0);
	struct rte_umr_mbuf_op op = { .mkey = bed->mkeys[0], .len = RTE_UMR_MBUF_REST };
	struct rte_mbuf *mbuf = packet_new(bed, 5, bytes);
	struct rte_umr_seg seg;

	op.mbuf = mbuf;
	op.offset = mbuf->pkt_len + 1;
	TEST_ASSERT_EQUAL(rte_umr_mbuf_mkey_list(dev_id, 0, 0, &op, RTE_UMR_OP_F_SUBMIT), -ERANGE);
	op.offset = mbuf->pkt_len;
	TEST_ASSERT_EQUAL(rte_umr_mbuf_mkey_list(dev_id, 0, 0, &op, RTE_UMR_OP_F_SUBMIT), -EINVAL);
	op.offset = 0;
	TEST_ASSERT_SUCCESS(rte_umr_mempool_unregister(dev_id, bed->direct));
	rte_pktmbuf_free(mbuf);
	mbuf = TEST_NOT_NULL(rte_pktmbuf_alloc(bed->direct));
	rte_pktmbuf_append(mbuf, 9);
	op.mbuf = mbuf;
	TEST_ASSERT_EQUAL(rte_umr_mbuf_mkey_list(dev_id, 0, 0, &op, RTE_UMR_OP_F_SUBMIT), -ENOENT);
	TEST_ASSERT_EQUAL(rte_umr_mbuf_mkey_list_burst(dev_id, 0, 0, &op, 1, RTE_UMR_OP_F_SUBMIT),
			  -ENOENT);
	TEST_ASSERT_EQUAL(rte_umr_mbuf_to_segs(dev_id, mbuf, 1, 3, &seg, 1), -ENOENT);
	TEST_ASSERT_EQUAL(seg.addr, rte_pktmbuf_mtod_offset(mbuf, uintptr_t, 1));
	TEST_ASSERT_EQUAL(seg.lkey, RTE_UMR_LKEY_NONE);
	TEST_ASSERT_SUCCESS(rte_umr_mempool_register(dev_id, bed->direct, BED_ACCESS));
	/* The caller has it still, and nothing is on its way. */
	TEST_ASSERT_EQUAL(rte_mbuf_refcnt_read(mbuf), 1);
	rte_pktmbuf_free(mbuf);
	TEST_ASSERT_EQUAL(rte_umr_desc_avail(dev_id, 0), avail);
	return TEST_SUCCESS;
}

AT_CASE_CALL(mbuf, rejected_chain_stays_with_its_owner, mbuf_bed_run(env, AT_LOOPBACK, rejected))

/* Writes of a mbuf each, of which one may fail; the last one is not submitted then. */
static int
writes_post(struct mbuf_bed *bed, uint16_t nb, uint16_t bad)
{
	struct rte_umr_rdma_op writes[WRITE_BURST];
	struct rte_mbuf *mbufs[WRITE_BURST];
	uint16_t i, nb_sent = bad < nb && nb > 1 && bad < nb - 1 ? (uint16_t)(nb - 1) : nb;

	TEST_ASSERT_SUCCESS(rte_pktmbuf_alloc_bulk(bed->direct, mbufs, nb));
	for (i = 0; i < nb; i++) {
		rte_pktmbuf_append(mbufs[i], 16);
		writes[i] = (struct rte_umr_rdma_op){
			.remote_addr = at_addr(bed->env->rx, BED_TARGET),
			.rkey = bed->env->rx->mr->rkey,
		};
		TEST_ASSERT_EQUAL(rte_umr_mbuf_to_segs(bed->env->tx->dev_id, mbufs[i], 0,
						       RTE_UMR_MBUF_REST, &writes[i].local, 1), 1);
		if (i == bad)
			writes[i].local.lkey = BAD_LKEY;
	}
	TEST_ASSERT_EQUAL(rte_umr_write_burst(bed->env->tx->dev_id, 0, writes, nb_sent,
					      RTE_UMR_OP_F_SUBMIT), nb_sent);
	if (nb_sent < nb)
		TEST_ACCEPT(rte_umr_write(bed->env->tx->dev_id, 0, &writes[nb - 1].local,
					  writes[nb - 1].remote_addr, writes[nb - 1].rkey, 0));
	for (i = 0; i < nb; i++, bed->nb_ops++)
		TEST_ASSERT_SUCCESS(rte_umr_mbuf_fifo_hold(bed->fifo, (uint16_t)bed->nb_ops,
							   &mbufs[i], 1));
	return TEST_SUCCESS;
}

/* A failure at each place of bursts of all lengths. */
static int
fail_and_recover(struct mbuf_bed *bed, uint32_t nb_failures)
{
	const uint16_t nb = (uint16_t)(1 + nb_failures % 7);
	const uint16_t bad = (uint16_t)(nb_failures / 7 % nb);

	TEST_ASSERT_SUCCESS(writes_post(bed, nb, bad));
	TEST_ASSERT_SUCCESS(mbuf_collect(bed, nb, bad == nb - 1 ? RTE_UMR_STATUS_LOCAL_PROT :
					 RTE_UMR_STATUS_FLUSHED));
	TEST_ASSERT_SUCCESS(mbuf_bed_check(bed));
	return rte_umr_queue_recover(bed->env->tx->dev_id, 0);
}

static int
freed_around_the_wrap(struct mbuf_bed *bed)
{
	uint32_t nb_failures = 0;

	while (bed->nb_ops < WRAP - NB_AROUND) {
		TEST_ASSERT_SUCCESS(writes_post(bed, WRITE_BURST, UINT16_MAX));
		TEST_ASSERT_SUCCESS(mbuf_collect(bed, WRITE_BURST, RTE_UMR_STATUS_SUCCESS));
	}
	TEST_ASSERT_SUCCESS(mbuf_bed_check(bed));
	while (bed->nb_ops < WRAP + 3 * NB_AROUND) {
		TEST_ASSERT_SUCCESS(fail_and_recover(bed, nb_failures++));
		TEST_ASSERT_SUCCESS(writes_post(bed, 3, UINT16_MAX));
		TEST_ASSERT_SUCCESS(mbuf_collect(bed, 3, RTE_UMR_STATUS_SUCCESS));
	}
	return TEST_SUCCESS;
}

AT_CASE_CALL(mbuf, mbufs_are_freed_behind_failures_around_the_wrap,
	mbuf_bed_run(env, AT_LOOPBACK, freed_around_the_wrap))

/* What nobody has collected when the device is stopped comes back flushed, or with the FIFO. */
static int
freed_when_stopped(struct mbuf_bed *bed)
{
	const int16_t dev_id = bed->env->tx->dev_id;

	TEST_ASSERT_SUCCESS(writes_post(bed, 9, UINT16_MAX));
	TEST_ASSERT_EQUAL(rte_umr_mbuf_fifo_avail(bed->fifo), BED_NB_DESC - 9);
	TEST_ASSERT_SUCCESS(rte_umr_dev_stop(dev_id));
	TEST_ASSERT_EQUAL(rte_umr_mbuf_fifo_reset(bed->fifo), 9);
	TEST_ASSERT_SUCCESS(mbuf_bed_check(bed));
	TEST_ASSERT_SUCCESS(rte_umr_dev_start(dev_id));
	/* Ring indices begin at 0. */
	bed->nb_ops = 0;
	TEST_ASSERT_SUCCESS(writes_post(bed, 9, UINT16_MAX));
	return mbuf_collect(bed, 9, RTE_UMR_STATUS_SUCCESS);
}

AT_CASE_CALL(mbuf, mbufs_are_freed_when_the_device_is_stopped,
	mbuf_bed_run(env, AT_LOOPBACK, freed_when_stopped))

/* What a read has brought is looked at, by who has a reference. */
static int
read_into_chain(struct mbuf_bed *bed)
{
	struct at_env *env = bed->env;
	struct rte_umr_mbuf_op op = { .mkey = bed->mkeys[0], .len = RTE_UMR_MBUF_REST };
	struct rte_mbuf *mbuf = TEST_NOT_NULL(rte_pktmbuf_alloc(bed->direct));
	struct rte_mbuf *next = TEST_NOT_NULL(rte_pktmbuf_alloc(bed->direct));

	rte_pktmbuf_append(mbuf, 200);
	rte_pktmbuf_append(next, 100);
	TEST_ASSERT_SUCCESS(rte_pktmbuf_chain(mbuf, next));
	op.mbuf = mbuf;
	TEST_ACCEPT(rte_umr_mbuf_mkey_list(env->tx->dev_id, 0, RTE_UMR_ACCESS_LOCAL_WRITE, &op, 0));
	const struct rte_umr_seg local = at_key_seg(bed->mkeys[0], 0, mbuf->pkt_len);
	const int idx = at_read(env, local, BED_TARGET, RTE_UMR_OP_F_SUBMIT);
	TEST_ASSERT(idx >= 0);
	rte_pktmbuf_refcnt_update(mbuf, 1);
	TEST_ASSERT_SUCCESS(rte_umr_mbuf_fifo_hold(bed->fifo, (uint16_t)idx, &mbuf, 1));
	TEST_ASSERT_SUCCESS(mbuf_collect(bed, 2, RTE_UMR_STATUS_SUCCESS));
	TEST_ASSERT_EQUAL(rte_mbuf_refcnt_read(mbuf), 1);
	TEST_ASSERT_EQUAL(rte_mbuf_refcnt_read(next), 1);
	TEST_ASSERT(mbuf->next == next);
	TEST_ASSERT_SAME(rte_pktmbuf_mtod(mbuf, uint8_t *), env->rx->buf + BED_TARGET, 200);
	TEST_ASSERT_SAME(rte_pktmbuf_mtod(next, uint8_t *), env->rx->buf + BED_TARGET + 200, 100);
	rte_pktmbuf_free(mbuf);
	return TEST_SUCCESS;
}

AT_CASE_CALL(mbuf, who_has_a_reference_goes_on_with_the_chain,
	mbuf_bed_run(env, AT_LOOPBACK, read_into_chain))
