/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Send reassembled IP fragments as messages. A table of DPDK's library ip_frag reassembles
 * datagrams from packets of net_pcap. Each datagram is a chain of mbufs without link headers, and
 * is sent to the far side as one message that starts with the IP header. Three ways take turns with
 * the same packets:
 *
 *   WAY_KEY     the chain is configured as a memory key, and one RDMA write refers to it
 *   WAY_COPY    it is copied to one buffer, and one RDMA write sends it
 *   WAY_WRITES  each piece of memory, one or more per fragment, has its own RDMA write
 *
 * The far side compares each datagram with the captures, which it reads itself. Time is that of the
 * captures.
 *
 *   umr_ipfrag [EAL options] -- [options] CAPTURE...
 */

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include <rte_byteorder.h>
#include <rte_cycles.h>
#include <rte_ether.h>
#include <rte_ip.h>
#include <rte_ip_frag.h>
#include <rte_mbuf.h>
#include <rte_net.h>

#include "today.h"

#define NB_SLOTS (2 * PLAY_BURST)
#define SLOT_LEN (65u << 10)	/* 64 KiB datagrams; not a power of two: caches */
/* Maximum number of mbufs of a datagram; its key and write need no more descriptors than that. */
#define MAX_PIECES 64u
#define NB_DESC 4096u
#define BUCKET_LEN 4u
#define US_PER_MS 1000u
static_assert(PLAY_BURST * MAX_PIECES <= NB_DESC, "messages of a burst go out together");
static_assert(PLAY_BURST <= RTE_IP_FRAG_DEATH_ROW_LEN, "each packet of it can kill a datagram");

static uint32_t nb_datagrams = 64, timeout_ms = 30000;

struct ipfrag {
	struct rte_ip_frag_tbl *table;
	struct rte_ip_frag_death_row dead; /* mbufs that the table has dropped */
	/* Datagrams completed by this burst. */
	struct rte_umr_mbuf_part parts[PLAY_BURST];
	struct rte_mbuf *mbufs[PLAY_BURST];
	uint32_t ids[PLAY_BURST];
	uint32_t nb;
	uint64_t nb_whole, nb_fragments, nb_made, nb_dropped;
};

/* Length of a datagram or fragment by its header. */
static uint32_t
ip_length(const struct rte_mbuf *mbuf)
{
	const struct rte_ipv4_hdr *ipv4 = rte_pktmbuf_mtod_offset(mbuf, void *, mbuf->l2_len);
	const struct rte_ipv6_hdr *ipv6 = (const struct rte_ipv6_hdr *)ipv4;

	return ipv4->version_ihl >> 4 == 4 ? rte_be_to_cpu_16(ipv4->total_length) :
		sizeof(*ipv6) + rte_be_to_cpu_16(ipv6->payload_len);
}

/* Give a fragment to the table, which trusts headers; returns a complete datagram or NULL. */
static struct rte_mbuf *
reassemble(struct ipfrag *ipfrag, struct rte_mbuf *mbuf, uint64_t now, uint32_t *id)
{
	struct rte_ipv4_hdr *ipv4 = rte_pktmbuf_mtod_offset(mbuf, void *, mbuf->l2_len);
	struct rte_ipv6_hdr *ipv6 = (struct rte_ipv6_hdr *)ipv4;
	struct rte_ipv6_fragment_ext *ext;

	if (mbuf->data_len < mbuf->l2_len + mbuf->l3_len || mbuf->l3_len >= ip_length(mbuf) ||
	    mbuf->l2_len + ip_length(mbuf) > mbuf->pkt_len)
		goto drop;
	if (ipv4->version_ihl >> 4 == 4) {
		*id = rte_be_to_cpu_16(ipv4->packet_id);
		return rte_ipv4_frag_reassemble_packet(ipfrag->table, &ipfrag->dead, mbuf, now,
						       ipv4);
	}
	/* Only if no other extension precedes it, and the datagram has several fragments. */
	ext = rte_ipv6_frag_get_ipv6_fragment_header(ipv6);
	if (ext != NULL && (ext->frag_data & RTE_BE16(0xfff9)) != 0) {
		*id = rte_be_to_cpu_32(ext->id);
		return rte_ipv6_frag_reassemble_packet(ipfrag->table, &ipfrag->dead, mbuf, now,
						       ipv6, ext);
	}
drop:
	ipfrag->dead.row[ipfrag->dead.cnt++] = mbuf;
	return NULL;
}

/* A packet that is whole would continue in a pipeline; a datagram becomes a message. */
static void
packet_take(const struct play_queue *queue, struct rte_mbuf *mbuf)
{
	struct ipfrag *ipfrag = queue->state;
	struct rte_net_hdr_lens lens = { 0 };
	const uint32_t type = rte_net_get_ptype(mbuf, &lens, RTE_PTYPE_L2_MASK |
						RTE_PTYPE_L3_MASK | RTE_PTYPE_L4_MASK);

	if ((type & RTE_PTYPE_L4_MASK) != RTE_PTYPE_L4_FRAG) {
		ipfrag->nb_whole++;
		rte_pktmbuf_free(mbuf);
		return;
	}
	ipfrag->nb_fragments++;
	mbuf->l2_len = lens.l2_len;
	mbuf->l3_len = lens.l3_len;
	mbuf = reassemble(ipfrag, mbuf, play_time(queue, mbuf), &ipfrag->ids[ipfrag->nb]);
	if (mbuf == NULL)
		return;
	ipfrag->parts[ipfrag->nb] = (struct rte_umr_mbuf_part){ mbuf, mbuf->l2_len,
								ip_length(mbuf) };
	/* Fragments can exceed the length that a header can represent. */
	if (mbuf->pkt_len - mbuf->l2_len == ip_length(mbuf))
		ipfrag->mbufs[ipfrag->nb++] = mbuf;
	else
		ipfrag->dead.row[ipfrag->dead.cnt++] = mbuf;
}

/* Free dropped mbufs: late, duplicate, too many fragments, or table full. */
static void
dead_free(struct ipfrag *ipfrag)
{
	ipfrag->nb_dropped += ipfrag->dead.cnt;
	rte_ip_frag_free_death_row(&ipfrag->dead, 0);
}

/* A key over each chain, in a burst, and a write through each. The CPU accesses no payload. */
static int
post_keys(struct play_queue *queue, struct ipfrag *ipfrag)
{
	struct far_queue *far = queue->far;
	struct rte_umr_mbuf_op ops[PLAY_BURST];
	struct rte_umr_seg whole = { 0 };
	uint32_t i;
	int ret;

	for (i = 0; i < ipfrag->nb; i++)
		ops[i] = (struct rte_umr_mbuf_op){
			far->mkeys[(far->nb_posted + i) % far->nb_slots], ipfrag->mbufs[i],
			ipfrag->parts[i].offset, ipfrag->parts[i].len };
	/* Only this side reads through the keys, so no access is granted. */
	ret = rte_umr_mbuf_mkey_list_burst(far->dev_id, far->id, 0, ops, (uint16_t)ipfrag->nb, 0);
	if (ret != (int)ipfrag->nb)
		return ret < 0 ? ret : -ENOSPC;
	/* The writes follow immediately, without waiting for completions. */
	for (i = 0; i < ipfrag->nb && ret >= 0; i++) {
		whole.length = ops[i].len;
		whole.lkey = ops[i].mkey->key;
		ret = far_write(far, &whole, far_addr(far), ipfrag->ids[i],
				i + 1 == ipfrag->nb ? RTE_UMR_OP_F_SUBMIT : 0);
	}
	return ret;
}

/* Or one by one, as is done without such keys. */
static int
post_each(struct play_queue *queue, struct ipfrag *ipfrag)
{
	struct message message = { .nb_parts = 1 };
	uint32_t i;
	int ret = 0;

	for (i = 0; i < ipfrag->nb && ret >= 0; i++) {
		message.parts = &ipfrag->parts[i];
		message.len = ipfrag->parts[i].len;
		message.imm = ipfrag->ids[i];
		ret = (queue->way == WAY_COPY ? today_copy : today_writes)(queue, &message,
			i + 1 == ipfrag->nb ? RTE_UMR_OP_F_SUBMIT : 0);
	}
	return ret;
}

/* Check a datagram of the far side: the capture must contain all of its fragments. */
static int
message_take(void *arg, const uint8_t *message, uint32_t id)
{
	struct play_queue *queue = arg;

	if (capture_has_datagram(&queue->capture, message, SLOT_LEN, id))
		return 0;
	fprintf(stderr, "%s: datagram 0x%x is not what the capture has\n", queue->path, id);
	return -EBADMSG;
}

/* Post the datagrams of a burst when slots and descriptors are available for all. */
static int
messages_post(struct play_queue *queue)
{
	struct ipfrag *ipfrag = queue->state;
	const uint32_t nb = ipfrag->nb;
	uint64_t begin;
	int ret;

	if (nb == 0)
		return 0;
	ret = far_wait(queue->far, NB_SLOTS - nb, nb * MAX_PIECES, message_take, queue);
	if (ret != 0)
		return ret;
	begin = rte_rdtsc();
	ret = queue->way == WAY_KEY ? post_keys(queue, ipfrag) : post_each(queue, ipfrag);
	if (ret < 0)
		return ret;
	play_posted(queue, begin, nb, ret, ipfrag->mbufs, nb);
	ipfrag->nb_made += nb;
	ipfrag->nb = 0;
	return 0;
}

static int
ipfrag_poll(struct play_queue *queue)
{
	struct ipfrag *ipfrag = queue->state;
	struct rte_mbuf *mbufs[PLAY_BURST];
	const uint16_t nb = play_receive(queue, mbufs);
	const uint64_t now = nb == 0 ? 0 : play_time(queue, mbufs[nb - 1]);
	uint16_t i;
	int ret;

	for (i = 0; i < nb; i++)
		packet_take(queue, mbufs[i]);
	dead_free(ipfrag);
	rte_ip_frag_table_del_expired_entries(ipfrag->table, &ipfrag->dead, now);
	dead_free(ipfrag);
	ret = messages_post(queue);
	if (ret == 0)
		ret = far_poll(queue->far, message_take, queue);
	return ret == 0 ? nb : ret;
}

/* Datagrams in the table at the end of a capture remain incomplete. */
static int
ipfrag_finish(struct play_queue *queue)
{
	struct ipfrag *ipfrag = queue->state;

	do {
		dead_free(ipfrag);
		rte_ip_frag_table_del_expired_entries(ipfrag->table, &ipfrag->dead, UINT64_MAX);
	} while (ipfrag->dead.cnt != 0);
	return far_wait(queue->far, 0, 0, message_take, queue);
}

static int
ipfrag_start(struct play_queue *queue)
{
	struct ipfrag *ipfrag = queue->state;

	ipfrag->table = rte_ip_frag_table_create(nb_datagrams, BUCKET_LEN, nb_datagrams,
						 (uint64_t)timeout_ms * US_PER_MS, SOCKET_ID_ANY);
	return ipfrag->table == NULL ? -ENOMEM : 0;
}

static void
ipfrag_stop(struct play_queue *queue)
{
	struct ipfrag *ipfrag = queue->state;

	rte_pktmbuf_free_bulk(ipfrag->mbufs, ipfrag->nb);
	rte_ip_frag_free_death_row(&ipfrag->dead, 0);
	if (ipfrag->table != NULL)
		rte_ip_frag_table_destroy(ipfrag->table);
}

static void
ipfrag_print(struct play_queue *queue, uint32_t nb_plays)
{
	const struct ipfrag *ipfrag = queue->state;

	printf("queue %u: %u packets: %" PRIu64 " whole, %" PRIu64 " fragments; %" PRIu64
	       " datagrams of them, %" PRIu64 " fragments dropped\n", queue->id,
	       queue->capture.nb_packets, ipfrag->nb_whole / nb_plays,
	       ipfrag->nb_fragments / nb_plays, ipfrag->nb_made / nb_plays,
	       ipfrag->nb_dropped / nb_plays);
}

int
main(int argc, char **argv)
{
	static const struct play_option options[] = {
		{ "datagrams", "datagrams that a table waits for", 1u << 16, &nb_datagrams },
		{ "timeout-ms", "how long, by the clock of the capture", 3600000, &timeout_ms },
		{ 0 },
	};
	static const struct play_example example = {
		.name = "umr_ipfrag", .message = "a datagram", .unit = "datagram",
		.options = options, .state_size = sizeof(struct ipfrag), .nb_slots = NB_SLOTS,
		.nb_desc = NB_DESC, .slot_len = SLOT_LEN, .mbuf_len = RTE_MBUF_DEFAULT_BUF_SIZE,
		.start = ipfrag_start, .poll = ipfrag_poll, .finish = ipfrag_finish,
		.stop = ipfrag_stop, .print = ipfrag_print,
	};

	return play_main(argc, argv, &example);
}
