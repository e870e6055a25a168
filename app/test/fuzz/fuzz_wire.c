/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Packets for devices that work: what their queues send goes to the other one by packets, which
 * the input changes on their way, and it makes some of its own. Input: link layer, then steps that
 * begin with a kind.
 *
 * Whatever comes, work queues are only read by a device, and it comes to an end.
 */

#include "fuzz.h"
#include "object/fabric.h"
#include "wire/conn/conn.h"
#include "wire/packet/icrc.h"
#include "wire/wire_route.h"

#define MAX_STEPS 128u
/* Of one link: more are lost. */
#define NB_FRAMES 512u
#define MAX_LEN	  (SWHCA_HDRS_MAX + SWHCA_PACKET_MTU_MAX + 8u)
/* Of the input, for packets on their way. */
#define MAX_FAULTS 64u

struct frame {
	struct swhca_packet_ip ip;
	uint32_t len;
	uint8_t data[MAX_LEN];
};

struct fuzz_link {
	struct swhca_link base;
	unsigned int head;
	unsigned int nb;
	struct frame frames[NB_FRAMES];
};

static struct fuzz_world world;
static struct fuzz_link links[FUZZ_NB_HCAS];
static struct swhca_wire wire;
/* What befalls the packets that are sent next. */
static uint8_t faults[MAX_FAULTS];
static unsigned int nb_faults;

/* ---- The link ---- */

static void
frame_put(struct fuzz_link *to, const struct swhca_packet_ip *ip, const uint8_t *data,
	  uint32_t len)
{
	struct frame *frame;

	if (to->nb == NB_FRAMES || len > MAX_LEN)
		return;
	frame = &to->frames[(to->head + to->nb++) % NB_FRAMES];
	frame->ip = *ip;
	frame->len = len;
	memcpy(frame->data, data, len);
}

/* Lost, there twice, or changed and still with a good ICRC. */
static void
frame_pass(struct fuzz_link *to, const struct swhca_link_packet *packet)
{
	uint8_t fault = nb_faults == 0 ? 0 : faults[--nb_faults], data[MAX_LEN];
	uint32_t crc;

	if (packet->len > MAX_LEN || fault % 8 == 1)
		return;
	memcpy(data, packet->data, packet->len);
	if (fault % 8 >= 6) {
		data[(fault >> 3) % (packet->len - SWHCA_ICRC_LEN)] ^= 1u << (fault & 7);
		crc = swhca_icrc_begin(&packet->ip, data, SWHCA_BTH_LEN, packet->len);
		crc = swhca_icrc_update(crc, data + SWHCA_BTH_LEN,
					packet->len - SWHCA_BTH_LEN - SWHCA_ICRC_LEN);
		swhca_icrc_put(crc, data + packet->len - SWHCA_ICRC_LEN);
	}
	frame_put(to, &packet->ip, data, packet->len);
	if (fault % 8 == 2)
		frame_put(to, &packet->ip, data, packet->len);
}

static unsigned int
link_send(struct swhca_link *base, const struct swhca_link_packet *packets, unsigned int nb)
{
	(void)base;
	for (unsigned int i = 0; i < nb; i++) {
		for (unsigned int j = 0; j < FUZZ_NB_HCAS; j++) {
			if (memcmp(links[j].base.gid, packets[i].ip.dgid, 16) == 0)
				frame_pass(&links[j], &packets[i]);
		}
	}
	return nb;
}

static unsigned int
link_receive(struct swhca_link *base, struct swhca_link_packet *packets, unsigned int nb)
{
	struct fuzz_link *link = (struct fuzz_link *)base;
	struct frame *frame;
	unsigned int i;

	for (i = 0; i < nb && link->nb > 0; i++, link->nb--) {
		frame = &link->frames[link->head++ % NB_FRAMES];
		packets[i] = (struct swhca_link_packet){
			.ip = frame->ip, .has_id = true, .data = frame->data, .len = frame->len,
		};
	}
	return i;
}

static void
link_close(struct swhca_link *base)
{
	(void)base;
}

static const struct swhca_link_ops link_ops = {
	.send = link_send, .receive = link_receive, .close = link_close,
};

static void
wire_send(struct swhca_hca *from, const struct swhca_wire_req *req,
	  struct swhca_wire_answer *answer)
{
	if (req->addr.is_loopback || req->dst_qpn == SWHCA_24_BITS)
		swhca_wire_fabric()->send(from, req, answer);
	else
		swhca_conn_send(from, req, answer);
}

static void
links_create(void)
{
	struct fuzz_link *link;

	for (unsigned int i = 0; i < FUZZ_NB_HCAS; i++) {
		link = &links[i];
		memset(link, 0, offsetof(struct fuzz_link, frames));
		link->base.ops = &link_ops;
		link->base.fd = -1;
		link->base.src_port = SWHCA_ROCE_UDP_PORT;
		if (world.is_eth) {
			fuzz_gid(&world, &world.hcas[i], link->base.gid);
		} else {
			memset(link->base.gid + 10, 0xff, 2);
			link->base.gid[12] = 127;
			link->base.gid[15] = (uint8_t)(i + 1);
		}
		FUZZ_NEED(swhca_hca_set_link(world.hcas[i].hca, &link->base) == 0);
	}
	wire = *swhca_wire_fabric();
	wire.send = wire_send;
	world.fabric->wire = &wire;
}

/* ---- Packets that nobody has sent ---- */

static uint32_t
key_pick(struct fuzz_hca *h, struct fuzz_input *in)
{
	uint8_t choice = fuzz_u8(in);

	return choice == 0xff ? fuzz_u32(in) : h->keys[choice % FUZZ_NB_KEYS];
}

static uint32_t
number_pick(struct fuzz_hca *h, struct fuzz_input *in)
{
	uint8_t choice = fuzz_u8(in);

	if (choice == 0xff)
		return fuzz_u32(in) & SWHCA_24_BITS;
	return choice == 0xfe ? h->dctn : h->qps[choice % FUZZ_NB_QPS].num;
}

/* A number near those that connections begin with, or any. */
static uint32_t
psn_pick(struct fuzz_input *in)
{
	uint8_t choice = fuzz_u8(in);

	return choice == 0xff ? fuzz_u32(in) & SWHCA_24_BITS : choice % 64;
}

static void
packet_make(struct fuzz_hca *from, struct fuzz_hca *to, struct fuzz_input *in,
	    struct swhca_packet *packet)
{
	*packet = (struct swhca_packet){
		.opcode = fuzz_u8(in), .pkey = 0xffff, .dst_qpn = number_pick(to, in),
		.psn = psn_pick(in), .srqn = to->srqs[1].num, .src_qpn = number_pick(from, in),
		.qkey = 0x1234, .dc_key = FUZZ_DC_KEY, .dc_session = fuzz_u8(in),
		.va = to->data + fuzz_u16(in), .rkey = key_pick(to, in), .dma_len = fuzz_u16(in),
		.compare = fuzz_u8(in), .syndrome = fuzz_u8(in), .msn = fuzz_u8(in), .orig = 5,
		.inval_rkey = key_pick(to, in),
		.payload_len = fuzz_u16(in) % (SWHCA_PACKET_MTU_MAX + 1),
	};
	packet->dc_is_first = (packet->dc_session & 1) != 0;
	packet->wants_ack = (packet->msn & 1) != 0;
	packet->is_solicited = (packet->msn & 2) != 0;
}

static void
inject(struct fuzz_world *w, struct fuzz_input *in)
{
	unsigned int i = fuzz_u8(in) % FUZZ_NB_HCAS;
	struct swhca_packet packet;
	struct swhca_packet_ip ip;
	uint8_t data[MAX_LEN];
	uint32_t len, crc;
	int hdr_len;

	packet_make(&w->hcas[1 - i], &w->hcas[i], in, &packet);
	swhca_net_ip_init(w->hcas[1 - i].hca->net, links[i].base.gid, &ip);
	hdr_len = swhca_packet_build(&packet, data, sizeof(data));
	if (hdr_len < 0)
		return;
	len = (uint32_t)swhca_packet_len(&packet);
	memset(data + hdr_len, 0x55, len - (uint32_t)hdr_len);
	fuzz_edit(in, data, len - SWHCA_ICRC_LEN);
	crc = swhca_icrc_begin(&ip, data, SWHCA_BTH_LEN, len);
	crc = swhca_icrc_update(crc, data + SWHCA_BTH_LEN, len - SWHCA_BTH_LEN - SWHCA_ICRC_LEN);
	swhca_icrc_put(crc, data + len - SWHCA_ICRC_LEN);
	frame_put(&links[i], &ip, data, len);
}

/* ---- Steps ---- */

/* Sum of what is in the work queues. */
static uint64_t
rings_sum(struct fuzz_world *w)
{
	const uint64_t *words;
	uint64_t sum = 0;

	for (unsigned int i = 0; i < FUZZ_NB_HCAS; i++) {
		for (unsigned int j = 0; j < FUZZ_NB_QPS; j++) {
			words = (const void *)fuzz_mem(w, w->hcas[i].qps[j].sq);
			for (size_t k = 0; k < FUZZ_SQ_BB * PRM_WQE_BB_SIZE / sizeof(*words); k++)
				sum = sum * 31 + words[k];
		}
	}
	return sum;
}

static void
run(struct fuzz_world *w)
{
	uint64_t sum = rings_sum(w);

	fuzz_world_run(w);
	/* But by a key that leads there. */
	FUZZ_NEED(w->is_open || rings_sum(w) == sum);
}

static void
run_checked(struct fuzz_world *w, struct fuzz_input *in)
{
	run(w);
	fuzz_resume(w, in);
}

static void
draw_faults(struct fuzz_world *w, struct fuzz_input *in)
{
	(void)w;
	nb_faults = fuzz_u8(in) % (MAX_FAULTS + 1);
	fuzz_bytes(in, faults, nb_faults);
}

static const fuzz_step steps[] = {
	fuzz_post_send, fuzz_post_send, fuzz_post_recv, fuzz_ring, fuzz_consume, inject, inject,
	draw_faults, run_checked,
};

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = { .data = data, .left = size };

	nb_faults = 0;
	fuzz_world_create(&world, fuzz_u8(&in) & FUZZ_KINDS);
	fuzz_queues_create(&world);
	fuzz_keys_create(&world);
	links_create();
	for (unsigned int i = 0; i < MAX_STEPS && in.left > 0; i++)
		steps[fuzz_u8(&in) % (sizeof(steps) / sizeof(steps[0]))](&world, &in);
	run(&world);
	fuzz_world_destroy(&world);
	return 0;
}
