/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * A packet pipeline. Bursts of packets come from queues of net_pcap, which read captures. The
 * pipeline classifies packets, separates headers from payloads, and sends the payloads of a burst
 * to the far side as one message. Three ways take turns with the same packets:
 *
 *   WAY_KEY     the payloads are configured as a memory key, and one RDMA write refers to it
 *   WAY_COPY    they are copied to one buffer, and one RDMA write sends it
 *   WAY_WRITES  each piece of memory with payload has its own RDMA write
 *
 * The far side compares received data with the captures, which it reads itself.
 *
 *   umr_pipeline [EAL options] -- [options] CAPTURE...
 */

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include <rte_byteorder.h>
#include <rte_cycles.h>
#include <rte_ethdev.h>
#include <rte_ip.h>
#include <rte_mbuf.h>
#include <rte_net.h>

#include "today.h"

#define NB_SLOTS 4u
#define SLOT_LEN (512u << 10)
/* Maximum number of pieces of a message, for the key or the writes. */
#define MAX_PIECES RTE_UMR_MBUF_MAX_SEGS
#define NB_DESC 1024u
static_assert(NB_SLOTS * PLAY_BURST <= NB_DESC, "the FIFO has room for all that is on its way");
static_assert(NB_SLOTS * PLAY_BURST <= FAR_MAX_AGAIN, "all that is on its way can be sent again");

enum class { IPV4, IPV6, UDP, TCP, FRAGMENT, TAGGED, CHAIN, NO_PAYLOAD, NB_CLASSES };
static const char *const class_names[NB_CLASSES] = {
	"IPv4", "IPv6", "UDP", "TCP", "fragments", "VLAN", "chains", "without payload",
};

/* A message before posting: mbufs whose payloads are its parts. */
struct burst {
	struct rte_umr_mbuf_part parts[PLAY_BURST];
	struct rte_mbuf *mbufs[PLAY_BURST];
	uint32_t nb;
	uint32_t nb_pieces;	/* upper limit */
	uint32_t len;
};

struct pipeline {
	struct burst staged;
	uint16_t nb_desc_key;	/* 0: unknown yet */
	uint64_t nb_of_class[NB_CLASSES];
	uint32_t nb_again;	/* messages sent again */
};

/* Length of the packet by its IP header, without Ethernet padding. */
static uint32_t
ip_end(const struct rte_mbuf *mbuf, uint32_t type, uint32_t l2_len)
{
	const struct rte_ipv4_hdr *ipv4;
	const struct rte_ipv6_hdr *ipv6;
	struct rte_ipv6_hdr room;

	if (RTE_ETH_IS_IPV4_HDR(type)) {
		ipv4 = rte_pktmbuf_read(mbuf, l2_len, sizeof(*ipv4), &room);
		return ipv4 == NULL ? 0 : l2_len + rte_be_to_cpu_16(ipv4->total_length);
	}
	if (RTE_ETH_IS_IPV6_HDR(type)) {
		ipv6 = rte_pktmbuf_read(mbuf, l2_len, sizeof(*ipv6), &room);
		return ipv6 == NULL ? 0 :
			l2_len + sizeof(*ipv6) + rte_be_to_cpu_16(ipv6->payload_len);
	}
	return 0;
}

/* Locate the payload of a packet: part->len is 0 if there is none. Returns what the packet is. */
static uint32_t
classify(const struct rte_mbuf *mbuf, struct rte_umr_mbuf_part *part)
{
	struct rte_net_hdr_lens lens = { 0 };
	const uint32_t type = rte_net_get_ptype(mbuf, &lens, RTE_PTYPE_L2_MASK |
						RTE_PTYPE_L3_MASK | RTE_PTYPE_L4_MASK);
	const uint32_t begin = lens.l2_len + lens.l3_len + lens.l4_len;
	const uint32_t end = ip_end(mbuf, type, lens.l2_len);

	/* Skip payload that is truncated or has inconsistent headers. */
	*part = (struct rte_umr_mbuf_part){
		.mbuf = mbuf,
		.offset = begin,
		.len = begin < end && end <= mbuf->pkt_len ? end - begin : 0,
	};
	return type;
}

static void
count(uint64_t *nb, uint32_t type, const struct rte_umr_mbuf_part *part)
{
	const uint32_t l2 = type & RTE_PTYPE_L2_MASK, l4 = type & RTE_PTYPE_L4_MASK;

	nb[IPV4] += RTE_ETH_IS_IPV4_HDR(type) != 0;
	nb[IPV6] += RTE_ETH_IS_IPV6_HDR(type) != 0;
	nb[UDP] += l4 == RTE_PTYPE_L4_UDP;
	nb[TCP] += l4 == RTE_PTYPE_L4_TCP;
	nb[FRAGMENT] += l4 == RTE_PTYPE_L4_FRAG;
	nb[TAGGED] += l2 == RTE_PTYPE_L2_ETHER_VLAN || l2 == RTE_PTYPE_L2_ETHER_QINQ;
	nb[CHAIN] += part->mbuf->nb_segs > 1;
	nb[NO_PAYLOAD] += part->len == 0;
}

/* One key over all payloads, and one write through it. The CPU accesses no payload. */
static int
post_key(struct play_queue *queue, const struct message *message, uint64_t flags)
{
	struct far_queue *far = queue->far;
	struct rte_umr_mkey *mkey = far->mkeys[far_slot(far)];
	const struct rte_umr_seg whole = { .length = message->len, .lkey = mkey->key };
	int ret;

	/* Only this side reads through the key, so no access is granted. */
	ret = rte_umr_mbuf_mkey_parts(far->dev_id, far->id, mkey, 0, message->parts,
				      message->nb_parts, 0);
	/* The write follows immediately, without waiting for a completion. */
	return ret < 0 ? ret : far_write(far, &whole, far_addr(far), message->imm, flags);
}

/* Descriptors of a key over up to MAX_PIECES and its write; fewer pieces may take more. */
static int
desc_of_key(const struct far_queue *far, uint16_t *nb_desc)
{
	const struct rte_umr_op_shape key = {
		.op = RTE_UMR_OP_MKEY_LIST, .nb_entries = MAX_PIECES, .is_up_to = true,
	};
	const struct rte_umr_op_shape write = { .op = RTE_UMR_OP_WRITE };
	struct rte_umr_op_size key_size, write_size;
	int ret;

	ret = rte_umr_op_desc(far->dev_id, far->id, &key, &key_size);
	if (ret == 0)
		ret = rte_umr_op_desc(far->dev_id, far->id, &write, &write_size);
	if (ret == 0)
		*nb_desc = key_size.nb_desc + write_size.nb_desc;
	return ret;
}

/* The far side has a message: its bytes must be the next ones of the capture. */
static int
message_take(void *arg, const uint8_t *message, uint32_t len)
{
	struct play_queue *queue = arg;

	if (capture_take(&queue->capture, message, len))
		return 0;
	fprintf(stderr, "%s: %u bytes are not what the capture has\n", queue->path, len);
	return -EBADMSG;
}

/* Post a message; the FIFO holds its mbufs until it is sent. */
static int
burst_post(struct play_queue *queue, struct burst *burst)
{
	static int (*const posts[])(struct play_queue *, const struct message *, uint64_t) = {
		[WAY_KEY] = post_key, [WAY_COPY] = today_copy, [WAY_WRITES] = today_writes,
	};
	const struct message message = {
		.parts = burst->parts, .nb_parts = burst->nb,
		.len = burst->len, .imm = burst->len,
	};
	const uint64_t begin = rte_rdtsc();
	const int ret = posts[queue->way](queue, &message, RTE_UMR_OP_F_SUBMIT);

	if (ret >= 0)
		play_posted(queue, begin, burst->nb, ret, burst->mbufs, burst->nb);
	return RTE_MIN(ret, 0);
}

static void
burst_add(struct burst *burst, struct rte_mbuf *mbuf, const struct rte_umr_mbuf_part *part)
{
	burst->mbufs[burst->nb] = mbuf;
	burst->parts[burst->nb++] = *part;
	burst->nb_pieces += mbuf->nb_segs;
	burst->len += part->len;
}

/* The same message once more; its mbufs are freed if it cannot be posted. */
static int
message_repeat(struct play_queue *queue, struct rte_mbuf **mbufs, uint32_t nb)
{
	struct burst burst = { 0 };
	struct rte_umr_mbuf_part part;
	uint32_t i;
	int ret;

	for (i = 0; i < nb; i++) {
		classify(mbufs[i], &part);
		burst_add(&burst, mbufs[i], &part);
	}
	ret = burst_post(queue, &burst);
	if (ret != 0)
		rte_pktmbuf_free_bulk(mbufs, nb);
	return ret;
}

/* An operation has failed: recover, and send what has not arrived, before anything else. */
static int
messages_resend(struct play_queue *queue)
{
	struct pipeline *pipeline = queue->state;
	struct far_again again;
	struct rte_mbuf **mbufs = again.mbufs;
	int ret = far_recover(queue->far, message_take, queue, &again);
	uint32_t i;

	if (ret != 0)
		return ret;
	pipeline->nb_again += again.nb_messages - again.nb_arrived;
	/* The ring is empty, and has had room for these messages before. */
	for (i = 0; i < again.nb_messages; mbufs += again.nb_mbufs[i++])
		if (i >= again.nb_arrived && ret == 0)
			ret = message_repeat(queue, mbufs, again.nb_mbufs[i]);
		else
			rte_pktmbuf_free_bulk(mbufs, again.nb_mbufs[i]);
	return ret;
}

/* Wait as far_wait() does, through failures. */
static int
pipeline_wait(struct play_queue *queue, uint32_t nb_left, uint16_t nb_desc)
{
	int ret;

	do {
		ret = far_wait(queue->far, nb_left, nb_desc, message_take, queue);
		if (ret != -EIO)
			return ret;
		ret = messages_resend(queue);
	} while (ret == 0);
	return ret;
}

/* Post the staged message when a slot and descriptors are available. */
static int
message_post(struct play_queue *queue)
{
	struct pipeline *pipeline = queue->state;
	int ret = 0;

	if (pipeline->staged.nb == 0)
		return 0;
	if (pipeline->nb_desc_key == 0)
		ret = desc_of_key(queue->far, &pipeline->nb_desc_key);
	if (ret == 0)
		ret = pipeline_wait(queue, NB_SLOTS - 1, queue->way == WAY_WRITES ?
				    MAX_PIECES : pipeline->nb_desc_key);
	if (ret == 0)
		ret = burst_post(queue, &pipeline->staged);
	if (ret == 0)
		pipeline->staged = (struct burst){ 0 };
	return ret;
}

/* A packet becomes a part of the message, or of the next one if this one is full. */
static int
packet_stage(struct play_queue *queue, struct rte_mbuf *mbuf)
{
	struct pipeline *pipeline = queue->state;
	struct burst *staged = &pipeline->staged;
	struct rte_umr_mbuf_part part;
	int ret = 0;

	count(pipeline->nb_of_class, classify(mbuf, &part), &part);
	if (staged->len + part.len > SLOT_LEN || staged->nb_pieces + mbuf->nb_segs > MAX_PIECES)
		ret = message_post(queue);
	if (part.len == 0 || ret != 0)
		rte_pktmbuf_free(mbuf);
	else
		burst_add(staged, mbuf, &part);
	return ret;
}

/* A burst comes and leaves; returns the number of packets. */
static int
pipeline_poll(struct play_queue *queue)
{
	struct rte_mbuf *mbufs[PLAY_BURST];
	const uint16_t nb = play_receive(queue, mbufs);
	int ret = 0;
	uint16_t i;

	for (i = 0; i < nb && ret == 0; i++)
		ret = packet_stage(queue, mbufs[i]);
	rte_pktmbuf_free_bulk(&mbufs[i], nb - i);
	if (ret == 0)
		ret = message_post(queue);
	if (ret == 0)
		ret = pipeline_wait(queue, NB_SLOTS, 0);
	return ret == 0 ? nb : ret;
}

static int
pipeline_finish(struct play_queue *queue)
{
	const int ret = pipeline_wait(queue, 0, 0);

	if (ret != 0 || capture_is_taken(&queue->capture))
		return ret;
	fprintf(stderr, "%s: payload is missing\n", queue->path);
	return -ENODATA;
}

static void
pipeline_stop(struct play_queue *queue)
{
	struct pipeline *pipeline = queue->state;

	rte_pktmbuf_free_bulk(pipeline->staged.mbufs, pipeline->staged.nb);
}

static void
pipeline_print(struct play_queue *queue, uint32_t nb_plays)
{
	const struct pipeline *pipeline = queue->state;
	enum class class;

	printf("queue %u: %u packets:", queue->id, queue->capture.nb_packets);
	for (class = 0; class < NB_CLASSES; class++)
		printf(" %" PRIu64 " %s%s", pipeline->nb_of_class[class] / nb_plays,
		       class_names[class], class + 1 < NB_CLASSES ? "," : "\n");
	if (pipeline->nb_again != 0)
		printf("queue %u: %u messages sent again\n", queue->id, pipeline->nb_again);
}

int
main(int argc, char **argv)
{
	static const struct play_option options[] = { { 0 } };
	static const struct play_example example = {
		.name = "umr_pipeline", .message = "the payloads of a burst", .unit = "packet",
		.options = options,
		.state_size = sizeof(struct pipeline), .nb_slots = NB_SLOTS, .nb_desc = NB_DESC,
		.slot_len = SLOT_LEN, .mbuf_len = RTE_MBUF_DEFAULT_BUF_SIZE,
		.poll = pipeline_poll, .finish = pipeline_finish, .stop = pipeline_stop,
		.print = pipeline_print,
	};

	return play_main(argc, argv, &example);
}
