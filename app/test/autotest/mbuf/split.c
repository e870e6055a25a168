/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Packets that are split where they arrive: headers to mbufs of one mempool, data to those of
 * another, by a write of the peer or by a receive.
 */

#include "mbuf/bed.h"

#define HEADER		14u
#define MAX_DATA	3001u

/* Chains of header and data, as they were asked for. */
static int
split_check(const struct rte_umr_mbuf_split *split, const struct rte_mbuf *head)
{
	const uint32_t align = RTE_MAX(split->data_align, 1u);
	const struct rte_mbuf *mbuf = head;
	uint32_t left = split->data_len, nb = 0;

	TEST_ASSERT_EQUAL(mbuf->pkt_len, split->header_len + split->data_len);
	TEST_ASSERT_EQUAL(rte_mbuf_check(mbuf, 1, &(const char *){ NULL }), 0);
	if (split->header_len != 0) {
		TEST_ASSERT(mbuf->pool == split->header_pool);
		TEST_ASSERT_EQUAL(mbuf->data_len, split->header_len);
		mbuf = mbuf->next;
		nb++;
	}
	for (; mbuf != NULL; mbuf = mbuf->next, nb++) {
		TEST_ASSERT(mbuf->pool == split->data_pool);
		TEST_ASSERT_EQUAL(rte_pktmbuf_mtod(mbuf, uintptr_t) % align, 0);
		TEST_ASSERT(mbuf->data_len <= left && mbuf->data_len != 0);
		left -= mbuf->data_len;
		TEST_ASSERT(left == 0 || mbuf->data_len % align == 0);
	}
	TEST_ASSERT_EQUAL(left, 0);
	TEST_ASSERT_EQUAL(head->nb_segs, nb);
	return TEST_SUCCESS;
}

/* The peer writes packets one behind the other; headers and data come to where they belong. */
static int
split_arrives(struct mbuf_bed *bed, const struct rte_umr_mbuf_split *split)
{
	const uint32_t pkt_len = split->header_len + split->data_len;
	struct at_env *env = bed->env;
	struct rte_umr_mbuf_part parts[4];
	struct rte_mbuf *mbufs[4], *mbuf;
	uint32_t i, at = 0;

	TEST_ASSERT_SUCCESS(rte_umr_mbuf_split_alloc_bulk(split, mbufs, RTE_DIM(mbufs)));
	for (i = 0; i < RTE_DIM(mbufs); i++) {
		TEST_ASSERT_SUCCESS(split_check(split, mbufs[i]));
		parts[i] = (struct rte_umr_mbuf_part){ .mbuf = mbufs[i], .len = pkt_len };
	}
	TEST_ACCEPT(rte_umr_mbuf_mkey_parts(env->rx->dev_id, 0, bed->mkeys[0], BED_ACCESS, parts,
					    RTE_DIM(parts), 0));
	const struct rte_umr_seg local = at_seg(env->tx, BED_TARGET, RTE_DIM(mbufs) * pkt_len);
	const int idx = rte_umr_write(env->tx->dev_id, 0, &local, 0, bed->mkeys[0]->key,
				      RTE_UMR_OP_F_SUBMIT);
	TEST_ASSERT(idx >= 0);
	TEST_ASSERT_SUCCESS(mbuf_collect(bed, 2, RTE_UMR_STATUS_SUCCESS));
	for (i = 0; i < RTE_DIM(mbufs); i++) {
		for (mbuf = mbufs[i]; mbuf != NULL; at += mbuf->data_len, mbuf = mbuf->next)
			TEST_ASSERT_SAME(rte_pktmbuf_mtod(mbuf, uint8_t *), env->tx->buf +
					 BED_TARGET + at, mbuf->data_len);
		rte_pktmbuf_free(mbufs[i]);
	}
	TEST_ASSERT_EQUAL(at, RTE_DIM(mbufs) * pkt_len);
	return TEST_SUCCESS;
}

static int
splits_arrive(struct mbuf_bed *bed)
{
	const struct rte_umr_mbuf_split splits[] = {
		{ .header_len = HEADER, .data_len = 1, },
		{ .header_len = HEADER, .data_len = 200, .data_align = 64 },
		{ .header_len = 1, .data_len = 3000, .data_align = 64 },
		{ .header_len = 100, .data_len = 3001, .data_align = 1 },
		{ .data_len = 2000, .data_align = 128 },
		{ .header_len = 100 },
	};
	struct rte_umr_mbuf_split split;
	int ret = TEST_SUCCESS;

	struct rte_mempool *const headers = rte_pktmbuf_pool_create("at_header", 7, 0, 0, 256,
								    SOCKET_ID_ANY);
	TEST_ASSERT(headers != NULL);
	TEST_ASSERT_SUCCESS(rte_umr_mempool_register(bed->env->rx->dev_id, headers, BED_ACCESS));
	for (unsigned int i = 0; i < RTE_DIM(splits) && ret == TEST_SUCCESS; i++) {
		split = splits[i];
		split.header_pool = headers;
		split.data_pool = bed->direct;
		ret = split_arrives(bed, &split);
	}
	TEST_ASSERT_EQUAL(mbuf_nb_free(headers), 7);
	TEST_ASSERT_SUCCESS(rte_umr_mempool_unregister(bed->env->rx->dev_id, headers));
	rte_mempool_free(headers);
	return ret;
}

AT_CASE_CALL(split, packets_are_split_where_they_arrive,
	mbuf_bed_run(env, AT_LOOPBACK, splits_arrive))

static int
split_rejected(struct mbuf_bed *bed)
{
	const struct rte_umr_mbuf_split good = {
		.header_pool = bed->direct, .data_pool = bed->direct,
		.header_len = HEADER, .data_len = 2000, .data_align = 64,
	};
	static struct rte_mbuf *mbufs[BED_NB_MBUFS];
	struct rte_umr_mbuf_split split;

	for (unsigned int i = 0; i < 8; i++) {
		split = good;
		split.header_pool = i == 0 ? NULL : good.header_pool;
		split.data_pool = i == 1 ? NULL : good.data_pool;
		split.data_align = i == 2 ? 65 : i == 3 ? 1 << 12 : good.data_align;
		split.header_len = i == 4 ? BED_ROOM : i == 5 ? 0 : good.header_len;
		split.data_len = i == 5 ? 0 : i == 6 ? UINT32_MAX : good.data_len;
		split.reserved[3] = i == 7;
		/* So many bytes are more than there is. */
		TEST_ASSERT_EQUAL(rte_umr_mbuf_split_alloc_bulk(&split, mbufs, 3), i == 6 ?
				  -ENOMEM : -EINVAL);
		TEST_ASSERT_EQUAL(mbuf_nb_free(bed->direct), BED_NB_MBUFS);
	}
	TEST_ASSERT_EQUAL(rte_umr_mbuf_split_alloc_bulk(&good, mbufs, BED_NB_MBUFS / 4), -ENOMEM);
	TEST_ASSERT_SUCCESS(rte_umr_mbuf_split_alloc_bulk(&good, mbufs, 0));
	return TEST_SUCCESS;
}

AT_CASE_CALL(split, split_allocates_all_or_nothing, mbuf_bed_run(env, AT_LOOPBACK, split_rejected))

/* A message comes to what a chain has room for, by its segments or by a key. */
static int
message_is_split(struct mbuf_bed *bed, const struct rte_umr_mbuf_split *split, uint32_t len,
		 bool has_key)
{
	const struct at_env *env = bed->env;
	const int16_t dev_id = env->rx->dev_id;
	struct rte_umr_mbuf_op op = { .mkey = bed->mkeys[0], .len = RTE_UMR_MBUF_REST };
	struct rte_umr_seg segs[2], local = at_seg(env->tx, BED_TARGET, len);
	struct rte_umr_completion done;
	struct rte_mbuf *mbuf, *head;
	uint32_t at = 0;
	int nb = 1;

	TEST_ASSERT_SUCCESS(rte_umr_mbuf_split_alloc_bulk(split, &head, 1));
	if (has_key) {
		op.mbuf = head;
		TEST_ACCEPT(rte_umr_mbuf_mkey_list(dev_id, 0, BED_ACCESS, &op,
						   RTE_UMR_OP_F_SUBMIT));
		TEST_ASSERT_SUCCESS(mbuf_collect(bed, 1, RTE_UMR_STATUS_SUCCESS));
		segs[0] = at_key_seg(bed->mkeys[0], 0, head->pkt_len);
	} else {
		nb = rte_umr_mbuf_to_segs(dev_id, head, 0, RTE_UMR_MBUF_REST, segs, RTE_DIM(segs));
		TEST_ASSERT_EQUAL(nb, 2);
	}
	TEST_ACCEPT(rte_umr_recv(dev_id, env->rx_queue, segs, (uint32_t)nb, 0));
	TEST_ACCEPT(at_send(env, local, RTE_UMR_OP_F_SUBMIT));
	TEST_ASSERT_SUCCESS(mbuf_collect(bed, 1, RTE_UMR_STATUS_SUCCESS));
	TEST_ASSERT_EQUAL(at_collect_recv(dev_id, env->rx_queue, &done, 1), 1);
	TEST_ASSERT_EQUAL(done.status, RTE_UMR_STATUS_SUCCESS);
	TEST_ASSERT_EQUAL(done.length, len);
	for (mbuf = head; mbuf != NULL && at < len; at += mbuf->data_len, mbuf = mbuf->next)
		TEST_ASSERT_SAME(rte_pktmbuf_mtod(mbuf, uint8_t *), env->tx->buf + BED_TARGET + at,
				 RTE_MIN(mbuf->data_len, len - at));
	TEST_ASSERT(at >= len);
	rte_pktmbuf_free(head);
	return TEST_SUCCESS;
}

static int
messages_are_split(struct mbuf_bed *bed, bool has_key)
{
	const struct rte_umr_mbuf_split split = {
		.header_pool = bed->direct, .data_pool = bed->direct,
		.header_len = has_key ? HEADER : 100, .data_len = has_key ? MAX_DATA : 256,
		.data_align = 64,
	};

	for (uint32_t len = 1; len <= split.header_len + split.data_len; len += has_key ? 97 : 7)
		TEST_ASSERT_SUCCESS(message_is_split(bed, &split, len, has_key));
	return TEST_SUCCESS;
}

static int
messages_are_split_by_segments(struct mbuf_bed *bed)
{
	return messages_are_split(bed, false);
}

static int
messages_are_split_by_keys(struct mbuf_bed *bed)
{
	return messages_are_split(bed, true);
}

/* Short messages, too, which come in the completion unless a key says where they go. */
AT_CASE(split, messages_are_split_where_they_are_received)
{
	static const enum at_topology on_device[] = { AT_LOOPBACK, AT_SAME_DEVICE };

	for (unsigned int i = 0; i < RTE_DIM(on_device); i++) {
		TEST_NEED(mbuf_bed_run(env, on_device[i], messages_are_split_by_segments));
		TEST_ASSERT_SUCCESS(at_env_fini(env));
		TEST_NEED(mbuf_bed_run_flags(env, on_device[i], RTE_UMR_QUEUE_F_NO_RECV_INLINE,
					     messages_are_split_by_keys));
		TEST_ASSERT_SUCCESS(at_env_fini(env));
	}
	return TEST_SUCCESS;
}
