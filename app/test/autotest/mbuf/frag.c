/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Fragments of IP packets, as DPDK's library makes them and puts them together: a chain of headers
 * that are cut off, empty mbufs and clones, of which the device makes one message without a copy.
 */

#include <stdlib.h>

#include <rte_cycles.h>
#include <rte_ip.h>
#include <rte_ip_frag.h>

#include "mbuf/bed.h"

#define NB_MBUFS	63u
#define IP_LEN		20u
#define PAYLOAD		3003u
#define MTU		(IP_LEN + 600u)
#define MAX_FRAGS	8u
#define NB_ORDERS	(test_nb_cases() / 2 + 1)
#define TARGET		(AT_BUF_LEN / 2)

struct bed {
	struct at_env *env;
	struct rte_mempool *direct;
	struct rte_mempool *indirect;
	struct rte_ip_frag_tbl *table;
	struct rte_ip_frag_death_row dead;
	struct rte_umr_mbuf_fifo *fifo;
	struct rte_umr_mkey *mkey;
};

static int
bed_build(struct bed *bed)
{
	const struct at_conf conf = { 0 };

	TEST_NEED(at_env_build(bed->env, &conf));
	const int16_t dev_id = bed->env->tx->dev_id;
	bed->direct = rte_pktmbuf_pool_create("at_direct", NB_MBUFS, 0, 0, 4096, SOCKET_ID_ANY);
	TEST_ASSERT(bed->direct != NULL);
	bed->indirect = rte_pktmbuf_pool_create("at_indirect", NB_MBUFS, 0, 0, 0, SOCKET_ID_ANY);
	TEST_ASSERT(bed->indirect != NULL);
	TEST_ASSERT_SUCCESS(rte_umr_mempool_register(dev_id, bed->direct,
						     RTE_UMR_ACCESS_LOCAL_WRITE));
	bed->table = rte_ip_frag_table_create(8, 4, 8, rte_get_tsc_hz() * 60, SOCKET_ID_ANY);
	TEST_ASSERT(bed->table != NULL);
	bed->fifo = rte_umr_mbuf_fifo_create(dev_id, 0, 0);
	TEST_ASSERT(bed->fifo != NULL);
	bed->mkey = AT_KEY(bed->env->tx);
	return TEST_SUCCESS;
}

static void
bed_fini(struct bed *bed)
{
	if (bed->direct != NULL) {
		rte_umr_dev_stop(bed->env->tx->dev_id);
		rte_umr_mbuf_fifo_destroy(bed->fifo);
		rte_umr_mempool_unregister(bed->env->tx->dev_id, bed->direct);
	}
	if (bed->table != NULL)
		rte_ip_frag_table_destroy(bed->table);
	rte_mempool_free(bed->indirect);
	rte_mempool_free(bed->direct);
}

/* An IP packet of random bytes. */
static struct rte_mbuf *
packet_new(struct bed *bed, uint16_t id)
{
	struct rte_mbuf *mbuf = rte_pktmbuf_alloc(bed->direct);

	if (mbuf == NULL)
		return NULL;
	struct rte_ipv4_hdr *const ip = (struct rte_ipv4_hdr *)rte_pktmbuf_append(mbuf, IP_LEN +
										  PAYLOAD);
	*ip = (struct rte_ipv4_hdr){
		.version_ihl = RTE_IPV4_VHL_DEF,
		.total_length = rte_cpu_to_be_16(IP_LEN + PAYLOAD),
		.packet_id = rte_cpu_to_be_16(id),
		.time_to_live = 64,
		.next_proto_id = IPPROTO_UDP,
		.src_addr = rte_cpu_to_be_32(RTE_IPV4(10, 0, 0, 1)),
		.dst_addr = rte_cpu_to_be_32(RTE_IPV4(10, 0, 0, 2)),
	};
	uint8_t *const payload = (uint8_t *)(ip + 1);
	for (uint32_t i = 0; i < PAYLOAD; i++)
		payload[i] = (uint8_t)rand();
	return mbuf;
}

/* Fragments of a packet, put together from a random order; the packet is theirs. */
static struct rte_mbuf *
fragment_and_reassemble(struct bed *bed, struct rte_mbuf *packet)
{
	struct rte_mbuf *frags[MAX_FRAGS], *whole = NULL;
	int nb, i, at;

	nb = rte_ipv4_fragment_packet(packet, frags, MAX_FRAGS, MTU, bed->direct, bed->indirect);
	rte_pktmbuf_free(packet);
	for (; nb > 0; nb--) {
		at = rand() % nb;
		frags[at]->l2_len = 0;
		frags[at]->l3_len = IP_LEN;
		whole = rte_ipv4_frag_reassemble_packet(bed->table, &bed->dead, frags[at],
							rte_rdtsc(),
							rte_pktmbuf_mtod(frags[at],
									 struct rte_ipv4_hdr *));
		for (i = at; i + 1 < nb; i++)
			frags[i] = frags[i + 1];
	}
	return whole;
}

static int
message_arrives(struct bed *bed, uint16_t id)
{
	struct rte_mbuf *packet = packet_new(bed, id), *whole;
	struct at_env *env = bed->env;
	struct rte_umr_mbuf_op op = {
		.mkey = bed->mkey, .offset = IP_LEN, .len = RTE_UMR_MBUF_REST,
	};
	struct rte_umr_completion done[2];
	struct rte_umr_seg seg, local;

	TEST_ASSERT(packet != NULL);
	const uint8_t *const payload = rte_pktmbuf_mtod_offset(packet, uint8_t *, IP_LEN);
	whole = TEST_NOT_NULL(fragment_and_reassemble(bed, packet));
	TEST_ASSERT(whole->nb_segs > PAYLOAD / MTU);
	/* All were of one buffer, and follow each other in it. */
	TEST_ASSERT_EQUAL(rte_umr_mbuf_to_segs(env->tx->dev_id, whole, IP_LEN, RTE_UMR_MBUF_REST,
					       &seg, 1), 1);
	TEST_ASSERT_EQUAL(seg.addr, (uintptr_t)payload);
	TEST_ASSERT_EQUAL(seg.length, PAYLOAD);
	op.mbuf = whole;
	TEST_ACCEPT(rte_umr_mbuf_mkey_list(env->tx->dev_id, 0, RTE_UMR_ACCESS_LOCAL_WRITE, &op, 0));
	local = at_key_seg(bed->mkey, 0, PAYLOAD);
	const int idx = at_write(env, local, TARGET, RTE_UMR_OP_F_SUBMIT);
	TEST_ASSERT(idx >= 0);
	TEST_ASSERT_EQUAL(at_collect(env->tx->dev_id, 0, done, 2), 2);
	TEST_ASSERT_EQUAL(done[1].status, RTE_UMR_STATUS_SUCCESS);
	TEST_ASSERT_SAME(env->rx->buf + TARGET, payload, PAYLOAD);
	/* Who has collected before it holds frees with the next word of it. */
	TEST_ASSERT_SUCCESS(rte_umr_mbuf_fifo_hold(bed->fifo, (uint16_t)idx, &whole, 1));
	TEST_ASSERT_EQUAL(rte_umr_mbuf_fifo_release(bed->fifo, (uint16_t)idx), 1);
	TEST_ASSERT_EQUAL(mbuf_nb_free(bed->direct), NB_MBUFS);
	TEST_ASSERT_EQUAL(mbuf_nb_free(bed->indirect), NB_MBUFS);
	return TEST_SUCCESS;
}

AT_CASE(frag, fragments_in_any_order_are_one_message)
{
	struct bed bed = { .env = env };
	int ret = bed_build(&bed);

	srand(test_seed());
	for (uint16_t id = 0; id < NB_ORDERS && ret == TEST_SUCCESS; id++)
		ret = message_arrives(&bed, id);
	bed_fini(&bed);
	return ret;
}
