/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * What strangers, and peers that go too far, can do with packets: nothing. Each case is a packet
 * that would write to memory, or read it, but for one thing.
 */

#include "memlink.h"
#include "types.h"
#include "include/gid.h"
#include "wire/conn/net.h"
#include "wire/packet/icrc.h"
#include "wire/packet/packet.h"

#define QKEY	0x11111111u
#define LEN	64u
#define PSN	100u

/* A packet that comes to b as if from a. */
struct shot {
	struct swhca_packet_ip ip;
	struct swhca_packet packet;
	uint8_t bytes[SWHCA_HDRS_MAX + SWHCA_PACKET_MTU_MAX + 8];
	uint32_t len;
};

static struct pair p;

static const struct swhca_wire_stats *
stats(void)
{
	return &p.w.dev[1].hca->stats.wire;
}

static void
world_begin(uint32_t st)
{
	const struct type_opts opts = { .st = st };
	struct type_path path = { .access = ALL_QP_ACCESS, .atomic_mode = 1, .qkey = QKEY,
				  .send_psn = PSN, .recv_psn = PSN };

	memset(&p, 0, sizeof(p));
	world_create(&p.w);
	type_qp_create(&p.w, 0, &p.a, &opts);
	type_qp_create(&p.w, 1, &p.b, &opts);
	path.remote_qpn = p.b.qpn;
	path.lid = 2;
	type_to_rts(&p.a, &path);
	path.remote_qpn = p.a.qpn;
	path.lid = 1;
	type_to_rts(&p.b, &path);
}

static void
world_end(void)
{
	world_qp_destroy(&p.a);
	world_qp_destroy(&p.b);
	world_destroy(&p.w);
}

static void
shot_begin(struct shot *shot, uint8_t opcode)
{
	const struct swhca_net *from = p.w.dev[0].hca->net, *to = p.w.dev[1].hca->net;

	memset(shot, 0, sizeof(*shot));
	swhca_net_ip_init(from, to->link->gid, &shot->ip);
	shot->packet = (struct swhca_packet){
		.opcode = opcode, .wants_ack = true, .pkey = 0xffff, .dst_qpn = p.b.qpn, .psn = PSN,
		.src_qpn = p.a.qpn, .qkey = QKEY, .va = (uintptr_t)p.w.mem + 4096,
		.rkey = p.w.mem_key[1], .dma_len = LEN, .swap_add = 1, .payload_len = LEN,
	};
}

/* Headers and payload to bytes. */
static void
shot_build(struct shot *shot)
{
	int hdr_len = swhca_packet_build(&shot->packet, shot->bytes, sizeof(shot->bytes));

	assert_true(hdr_len > 0);
	memset(shot->bytes + hdr_len, 0x77, shot->packet.payload_len);
	shot->len = (uint32_t)swhca_packet_len(&shot->packet);
}

static void
shot_seal(struct shot *shot)
{
	uint32_t crc = swhca_icrc_begin(&shot->ip, shot->bytes, SWHCA_BTH_LEN, shot->len);

	crc = swhca_icrc_update(crc, shot->bytes + SWHCA_BTH_LEN,
				shot->len - SWHCA_BTH_LEN - SWHCA_ICRC_LEN);
	swhca_icrc_put(crc, shot->bytes + shot->len - SWHCA_ICRC_LEN);
}

static void
shot_fire(const struct shot *shot)
{
	memlink_inject(p.w.dev[1].hca, &shot->ip, shot->bytes, shot->len);
	world_run(&p.w);
}

static void
shot_make_and_fire(struct shot *shot)
{
	shot_build(shot);
	shot_seal(shot);
	shot_fire(shot);
}

/* Whether all of memory, of which one byte in front is looked at, is as it was: zeros. */
static bool
memory_is_untouched(void)
{
	for (size_t i = 0; i < WORLD_MEM; i++) {
		if (p.w.mem[i] != 0)
			return false;
	}
	return true;
}

CASE(write_of_the_peer_arrives)
{
	struct shot shot;

	world_begin(ST_RC);
	shot_begin(&shot, SWHCA_PACKET_WRITE_ONLY);
	shot_make_and_fire(&shot);
	assert_int_equal(p.w.mem[4096], 0x77);
	assert_int_equal(p.w.mem[4096 + LEN - 1], 0x77);
	assert_int_equal(p.w.mem[4096 + LEN], 0);
	assert_int_equal(stats()->nb_received, 1);
	world_end();
}

/* Keys: that of memory on b, or others. */
enum key { KEY_OWN, KEY_OF_A, KEY_TO_READ, KEY_TO_WRITE, KEY_FREED, KEY_OF_ANOTHER_PD };

/* One thing that is wrong, and what tells of it. */
struct wrong {
	const char *name;
	uint8_t opcode;
	size_t counter;		/* offset in struct swhca_wire_stats */
	/* Fields before the bytes are made: different bits, a difference, or another value. */
	uint8_t gid_xor;
	uint32_t qpn_xor, rkey_xor;
	uint16_t pkey;
	int32_t psn_add;
	int64_t va_add;
	uint64_t va;
	uint32_t dma_len;
	int32_t payload_len;	/* NONE: 0 */
	enum key key;
	/* Bytes before the ICRC is; then the length. */
	uint8_t byte0, byte0_or, byte1_or;
	uint32_t cut_to;
	int32_t len_add;
	/* Bits of a byte behind it; negative: from the end. */
	int32_t sum_at;
	uint8_t sum_xor;
};

#define NOT_MINE offsetof(struct swhca_wire_stats, nb_no_qp)
#define PKEY offsetof(struct swhca_wire_stats, nb_bad_pkeys)
#define AHEAD offsetof(struct swhca_wire_stats, out_of_sequence)
#define BEHIND offsetof(struct swhca_wire_stats, duplicate_request)
#define MALFORMED offsetof(struct swhca_wire_stats, nb_malformed)
#define ICRC offsetof(struct swhca_wire_stats, rx_icrc_encapsulated)
/* The peer is told, and the queue pair of b is in error. */
#define FATAL offsetof(struct swhca_wire_stats, nb_received)

#define WRITE SWHCA_PACKET_WRITE_ONLY
#define READ SWHCA_PACKET_READ_REQUEST
#define NONE (-1)

static const struct wrong wrongs[] = {
	{ "other address", WRITE, NOT_MINE, .gid_xor = 0x40 },
	{ "other QP", WRITE, NOT_MINE, .qpn_xor = 0x800 },
	{ "other P_Key", WRITE, PKEY, .pkey = 0x9234 },
	{ "P_Key of others", WRITE, PKEY, .pkey = 0x1234 },
	{ "PSN ahead", WRITE, AHEAD, .psn_add = 5 },
	{ "PSN far ahead", WRITE, AHEAD, .psn_add = 0x7fffff },
	{ "PSN behind", WRITE, BEHIND, .psn_add = -1 },
	{ "PSN far behind", WRITE, BEHIND, .psn_add = -0x800000 },
	{ "reserved opcode", WRITE, MALFORMED, .byte0 = 0x1f },
	{ "opcode of UC", WRITE, NOT_MINE, .byte0_or = SWHCA_TRANSPORT_UC },
	{ "other version", WRITE, MALFORMED, .byte1_or = 1 },
	{ "odd length", WRITE, MALFORMED, .len_add = -1 },
	{ "header cut", WRITE, MALFORMED, .cut_to = SWHCA_BTH_LEN + 8 + SWHCA_ICRC_LEN },
	{ "padding", WRITE, MALFORMED, .byte1_or = 0x30,
	  .cut_to = SWHCA_BTH_LEN + SWHCA_RETH_LEN + SWHCA_ICRC_LEN },
	{ "ICRC", WRITE, ICRC, .sum_at = -1, .sum_xor = 0x10 },
	{ "payload", WRITE, ICRC, .sum_at = -8, .sum_xor = 0x10 },
	{ "header", WRITE, ICRC, .sum_at = SWHCA_BTH_LEN, .sum_xor = 0x10 },
	{ "more announced", WRITE, FATAL, .dma_len = LEN + 64 },
	{ "less announced", WRITE, FATAL, .dma_len = LEN - 1 },
	{ "absurd length", SWHCA_PACKET_WRITE_FIRST, FATAL, .dma_len = UINT32_MAX,
	  .payload_len = 4096 },
	{ "beyond a message", SWHCA_PACKET_WRITE_FIRST, FATAL, .dma_len = 0x80000001,
	  .payload_len = 4096 },
	{ "no such key", WRITE, FATAL, .rkey_xor = 0x100000 },
	{ "other tag", WRITE, FATAL, .rkey_xor = 1 },
	{ "key of the other device", WRITE, FATAL, .key = KEY_OF_A },
	{ "beyond the key", WRITE, FATAL, .va_add = WORLD_MEM - LEN + 1 - 4096 },
	{ "in front of the key", WRITE, FATAL, .va_add = -4096 - 1 },
	{ "address that wraps", WRITE, FATAL, .va = UINT64_MAX - 8 },
	{ "key for reading", WRITE, FATAL, .key = KEY_TO_READ },
	{ "freed key", WRITE, FATAL, .key = KEY_FREED },
	{ "key of another PD", WRITE, FATAL, .key = KEY_OF_ANOTHER_PD },
	{ "key for writing", READ, FATAL, .payload_len = NONE, .key = KEY_TO_WRITE },
	{ "read beyond the key", READ, FATAL, .payload_len = NONE,
	  .va_add = WORLD_MEM - LEN + 1 - 4096 },
	{ "atomic, unaligned", SWHCA_PACKET_FETCH_ADD, FATAL, .payload_len = NONE, .va_add = 1 },
	{ "the middle of nothing", SWHCA_PACKET_WRITE_MIDDLE, FATAL, .dma_len = UINT32_MAX,
	  .payload_len = 4096 },
	{ "the end of nothing", SWHCA_PACKET_SEND_LAST, FATAL, .key = KEY_OWN },
	{ "an answer to nothing", SWHCA_PACKET_READ_RESPONSE_ONLY, NOT_MINE, .key = KEY_OWN },
	{ "an acknowledgement of nothing", SWHCA_PACKET_ACK, NOT_MINE, .payload_len = NONE },
};

static uint32_t
key_of(enum key key)
{
	struct world_dev *dev = &p.w.dev[1];
	uint32_t pdn = dev->pdn, rkey;

	if (key == KEY_OWN)
		return p.w.mem_key[1];
	if (key == KEY_OF_A)
		return p.w.mem_key[0] + 0x300;
	if (key == KEY_OF_ANOTHER_PD)
		dev->pdn = world_alloc(dev->hca, 0x800);
	rkey = world_mtt_key(&p.w, 1, p.w.mem, WORLD_MEM, WORLD_LR | WORLD_LW |
			     (key == KEY_TO_WRITE ? 0 : WORLD_RR) |
			     (key == KEY_TO_READ ? 0 : WORLD_RW));
	dev->pdn = pdn;
	if (key == KEY_FREED)
		assert_int_equal(world_cmd(dev->hca, 0x202, rkey >> 8, NULL), 0);
	return rkey;
}

static void
fields_spoil(struct shot *shot, const struct wrong *wrong)
{
	struct swhca_packet *packet = &shot->packet;

	shot->ip.sgid[15] ^= wrong->gid_xor;
	packet->dst_qpn ^= wrong->qpn_xor;
	packet->rkey = key_of(wrong->key) ^ wrong->rkey_xor;
	packet->psn = (packet->psn + (uint32_t)wrong->psn_add) & SWHCA_24_BITS;
	packet->va = wrong->va != 0 ? wrong->va : packet->va + (uint64_t)wrong->va_add;
	if (wrong->pkey != 0)
		packet->pkey = wrong->pkey;
	if (wrong->dma_len != 0)
		packet->dma_len = wrong->dma_len;
	if (wrong->payload_len != 0)
		packet->payload_len = wrong->payload_len == NONE ? 0 : (uint16_t)wrong->payload_len;
}

static void
bytes_spoil(struct shot *shot, const struct wrong *wrong)
{
	if (wrong->byte0 != 0)
		shot->bytes[0] = wrong->byte0;
	shot->bytes[0] |= wrong->byte0_or;
	shot->bytes[1] |= wrong->byte1_or;
	if (wrong->cut_to != 0)
		shot->len = wrong->cut_to;
	shot->len += (uint32_t)wrong->len_add;
}

static void
wrong_check(const struct wrong *wrong)
{
	uint64_t before, after;
	struct shot shot;

	world_begin(ST_RC);
	shot_begin(&shot, wrong->opcode);
	fields_spoil(&shot, wrong);
	shot_build(&shot);
	bytes_spoil(&shot, wrong);
	shot_seal(&shot);
	shot.bytes[wrong->sum_at < 0 ? (int32_t)shot.len + wrong->sum_at : wrong->sum_at] ^=
		wrong->sum_xor;
	memcpy(&before, (const uint8_t *)stats() + wrong->counter, sizeof(before));
	shot_fire(&shot);
	memcpy(&after, (const uint8_t *)stats() + wrong->counter, sizeof(after));
	if (after != before + 1 || !memory_is_untouched() ||
	    (world_qp_state(&p.b) == 6) != (wrong->counter == FATAL))
		fail_msg("%s: counted %u, memory %s, state %u", wrong->name,
			 (unsigned int)(after - before),
			 memory_is_untouched() ? "untouched" : "changed", world_qp_state(&p.b));
	assert_null(world_recv_cqe(&p.b));
	world_end();
}

CASE(what_is_wrong_changes_no_byte)
{
	for (size_t i = 0; i < NB_OF(wrongs); i++)
		wrong_check(&wrongs[i]);
}

CASE(datagram_with_another_qkey_is_dropped)
{
	struct shot shot;

	world_begin(ST_UD);
	world_recv(&p.b, p.w.mem_key[1], p.w.mem + 8192, 256);
	shot_begin(&shot, SWHCA_OPCODE(SWHCA_TRANSPORT_UD, SWHCA_PACKET_SEND_ONLY));
	shot.packet.qkey ^= 1;
	shot_make_and_fire(&shot);
	assert_int_equal(stats()->nb_bad_qkeys, 1);
	assert_true(memory_is_untouched());
	assert_null(world_recv_cqe(&p.b));
	shot.packet.qkey ^= 1;
	shot_make_and_fire(&shot);
	assert_non_null(world_recv_cqe(&p.b));
	assert_int_equal(p.w.mem[8192 + 40], 0x77);
	world_end();
}

/*
 * On the wire a group of InfiniBand has an address of IPv4 that is made of its GID; who receives
 * sees the names of both in a header of InfiniBand (IBTA 8.3).
 */
CASE(datagram_of_a_group_is_for_its_members)
{
	static const uint8_t group[16] = { 0xff, 0x12, 0x40, 0x01, 0xff, 0xff, [12] = 0xf };
	const uint8_t *grh;
	uint8_t other[16];
	struct shot shot;

	world_begin(ST_UD);
	world_recv(&p.b, p.w.mem_key[1], p.w.mem + 8192, 256);
	shot_begin(&shot, SWHCA_OPCODE(SWHCA_TRANSPORT_UD, SWHCA_PACKET_SEND_ONLY));
	shot.packet.dst_qpn = 0xffffff;
	/* It is of another host: what the own fabric sends comes back from the wire. */
	shot.ip.sgid[13] ^= 1;
	swhca_gid_group_addr(group, true, shot.ip.dgid);
	assert_int_equal(shot.ip.dgid[12], 239);
	shot_make_and_fire(&shot);
	assert_null(world_recv_cqe(&p.b));
	assert_int_equal(stats()->nb_no_qp, 1);
	assert_int_equal(type_mcg(&p.b, 0x806, group), 0);
	shot_fire(&shot);
	assert_non_null(world_recv_cqe(&p.b));
	grh = p.w.mem + 8192;
	assert_int_equal(grh[0] >> 4, 6);
	assert_int_equal(grh[4] << 8 | grh[5], shot.len);
	assert_int_equal(grh[6], 0x1b);
	assert_memory_equal(grh + 24, group, 16);
	swhca_gid_link_local(shot.ip.sgid, true, other);
	assert_memory_equal(grh + 8, other, 16);
	assert_int_equal(grh[40], 0x77);
	assert_int_equal(stats()->nb_multicast_received, 2);
	/* The echo of the own fabric. */
	memcpy(shot.ip.sgid, p.w.dev[0].hca->net->link->gid, sizeof(shot.ip.sgid));
	shot_seal(&shot);
	world_recv(&p.b, p.w.mem_key[1], p.w.mem + 8192, 256);
	shot_fire(&shot);
	assert_null(world_recv_cqe(&p.b));
	assert_int_equal(type_mcg(&p.b, 0x807, group), 0);
	world_end();
}

/* Of a write in several packets: the key goes away behind the first one. */
CASE(key_that_goes_in_the_middle_of_a_write_counts)
{
	struct shot shot;
	uint32_t key;

	world_begin(ST_RC);
	key = world_mtt_key(&p.w, 1, p.w.mem, WORLD_MEM, WORLD_LR | WORLD_LW | WORLD_RR | WORLD_RW);
	shot_begin(&shot, SWHCA_PACKET_WRITE_FIRST);
	shot.packet.rkey = key;
	shot.packet.dma_len = 8192;
	shot.packet.payload_len = 4096;
	shot_make_and_fire(&shot);
	assert_int_equal(p.w.mem[4096 + 4095], 0x77);
	assert_int_equal(world_cmd(p.w.dev[1].hca, 0x202, key >> 8, NULL), 0);
	shot.packet.opcode = SWHCA_PACKET_WRITE_LAST;
	shot.packet.psn++;
	shot_make_and_fire(&shot);
	assert_int_equal(p.w.mem[8192], 0);
	assert_int_equal(world_qp_state(&p.b), 6);
	world_end();
}

CASE(silent_device_hears_nothing)
{
	struct shot shot;

	world_begin(ST_RC);
	shot_begin(&shot, WRITE);
	shot_build(&shot);
	shot_seal(&shot);
	swhca_hca_halt(p.w.dev[1].hca, true);
	shot_fire(&shot);
	swhca_hca_halt(p.w.dev[1].hca, false);
	world_run(&p.w);
	assert_true(memory_is_untouched());
	world_end();
}

int
main(void)
{
	world_use_packets();
	return cases_run(NULL, NULL);
}
