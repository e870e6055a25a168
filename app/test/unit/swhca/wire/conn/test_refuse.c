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

	swhca_log_level = SWHCA_LOG_NONE;
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
		.opcode = opcode,
		.wants_ack = true,
		.pkey = 0xffff,
		.dst_qpn = p.b.qpn,
		.psn = PSN,
		.src_qpn = p.a.qpn,
		.qkey = QKEY,
		.va = (uintptr_t)p.w.mem + 4096,
		.rkey = p.w.mem_key[1],
		.dma_len = LEN,
		.swap_add = 1,
		.payload_len = LEN,
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

/* Whether all of memory, of which one byte in front is looked at, is as it was: zeros. */
static bool
memory_is_untouched(void)
{
	size_t i;

	for (i = 0; i < WORLD_MEM; i++) {
		if (p.w.mem[i] != 0)
			return false;
	}
	return true;
}

static void
write_of_the_peer_arrives(void **state)
{
	struct shot shot;

	(void)state;
	world_begin(ST_RC);
	shot_begin(&shot, SWHCA_PACKET_WRITE_ONLY);
	shot_build(&shot);
	shot_seal(&shot);
	shot_fire(&shot);
	assert_int_equal(p.w.mem[4096], 0x77);
	assert_int_equal(p.w.mem[4096 + LEN - 1], 0x77);
	assert_int_equal(p.w.mem[4096 + LEN], 0);
	assert_int_equal(stats()->nb_received, 1);
	world_end();
}

/* One thing that is wrong, and what tells of it. */
struct wrong {
	const char *name;
	uint8_t opcode;
	void (*fields)(struct shot *shot);	/* before the bytes are made */
	void (*bytes)(struct shot *shot);	/* before the ICRC is */
	void (*sum)(struct shot *shot);		/* after it */
	size_t counter;		/* offset in struct swhca_wire_stats */
	bool is_fatal;		/* the peer is told, and the queue pair of b is in error */
};

#define COUNTER(field) offsetof(struct swhca_wire_stats, field)
#define WRITE SWHCA_PACKET_WRITE_ONLY

static void
other_address(struct shot *s)
{
	s->ip.sgid[15] ^= 0x40;
}

static void
other_qp(struct shot *s)
{
	s->packet.dst_qpn ^= 0x800;
}

static void
other_pkey(struct shot *s)
{
	s->packet.pkey = 0x9234;
}

static void
limited_pkey_of_others(struct shot *s)
{
	s->packet.pkey = 0x1234;
}

static void
psn_ahead(struct shot *s)
{
	s->packet.psn = PSN + 5;
}

static void
psn_far_ahead(struct shot *s)
{
	s->packet.psn = (PSN + 0x7fffff) & SWHCA_24_BITS;
}

static void
psn_behind(struct shot *s)
{
	s->packet.psn = PSN - 1;
}

static void
psn_far_behind(struct shot *s)
{
	s->packet.psn = (PSN - 0x800000) & SWHCA_24_BITS;
}

static void
more_announced(struct shot *s)
{
	s->packet.dma_len = LEN + 64;
}

static void
less_announced(struct shot *s)
{
	s->packet.dma_len = LEN - 1;
}

static void
absurd_length(struct shot *s)
{
	s->packet.dma_len = UINT32_MAX;
	s->packet.payload_len = 4096;
}

static void
beyond_message(struct shot *s)
{
	s->packet.dma_len = 0x80000001u;
	s->packet.payload_len = 4096;
}

static void
no_such_key(struct shot *s)
{
	s->packet.rkey ^= 0x100000;
}

static void
other_tag(struct shot *s)
{
	s->packet.rkey ^= 1;
}

static void
key_of_a(struct shot *s)
{
	s->packet.rkey = p.w.mem_key[0] + 0x300;
}

static void
beyond_key(struct shot *s)
{
	s->packet.va = (uintptr_t)p.w.mem + WORLD_MEM - LEN + 1;
}

static void
in_front_of_key(struct shot *s)
{
	s->packet.va = (uintptr_t)p.w.mem - 1;
}

static void
wrapping_address(struct shot *s)
{
	s->packet.va = UINT64_MAX - 8;
}

static void
unaligned(struct shot *s)
{
	s->packet.va++;
	s->packet.payload_len = 0;
}

static void
no_payload(struct shot *s)
{
	s->packet.payload_len = 0;
}

static void
no_payload_beyond_key(struct shot *s)
{
	no_payload(s);
	beyond_key(s);
}


static void
read_only_key(struct shot *s)
{
	s->packet.rkey = world_mtt_key(&p.w, 1, p.w.mem, WORLD_MEM, WORLD_LR | WORLD_LW | WORLD_RR);
}

static void
write_only_key(struct shot *s)
{
	s->packet.payload_len = 0;
	s->packet.rkey = world_mtt_key(&p.w, 1, p.w.mem, WORLD_MEM, WORLD_LR | WORLD_LW | WORLD_RW);
}

static void
freed_key(struct shot *s)
{
	s->packet.rkey = world_mtt_key(&p.w, 1, p.w.mem, WORLD_MEM,
				       WORLD_LR | WORLD_LW | WORLD_RR | WORLD_RW);
	assert_int_equal(world_cmd(p.w.dev[1].hca, 0x202, s->packet.rkey >> 8, NULL), 0);
}

static void
key_of_another_pd(struct shot *s)
{
	uint32_t pdn = p.w.dev[1].pdn;

	assert_int_equal(world_cmd(p.w.dev[1].hca, 0x800, 0, &p.w.dev[1].pdn), 0);
	s->packet.rkey = world_mtt_key(&p.w, 1, p.w.mem, WORLD_MEM,
				       WORLD_LR | WORLD_LW | WORLD_RR | WORLD_RW);
	p.w.dev[1].pdn = pdn;
}

static void
reserved_opcode(struct shot *s)
{
	s->bytes[0] = 0x1f;
}

static void
opcode_of_uc(struct shot *s)
{
	s->bytes[0] |= SWHCA_TRANSPORT_UC;
}

static void
other_version(struct shot *s)
{
	s->bytes[1] |= 1;
}

static void
odd_length(struct shot *s)
{
	s->len--;
}

static void
header_cut(struct shot *s)
{
	s->len = SWHCA_BTH_LEN + 8 + SWHCA_ICRC_LEN;
}

static void
too_much_padding(struct shot *s)
{
	s->bytes[1] |= 0x30;
	s->len = SWHCA_BTH_LEN + SWHCA_RETH_LEN + SWHCA_ICRC_LEN;
}

static void
wrong_icrc(struct shot *s)
{
	s->bytes[s->len - 1] ^= 0x10;
}

static void
wrong_payload(struct shot *s)
{
	s->bytes[s->len - 8] ^= 0x10;
}

static void
wrong_header(struct shot *s)
{
	s->bytes[SWHCA_BTH_LEN] ^= 0x10;
}


static const struct wrong wrongs[] = {
	{ "other address", WRITE, other_address, NULL, NULL, COUNTER(nb_no_qp), false },
	{ "other QP", WRITE, other_qp, NULL, NULL, COUNTER(nb_no_qp), false },
	{ "other P_Key", WRITE, other_pkey, NULL, NULL, COUNTER(nb_bad_pkeys), false },
	{ "P_Key of others", WRITE, limited_pkey_of_others, NULL, NULL, COUNTER(nb_bad_pkeys),
	  false },
	{ "PSN ahead", WRITE, psn_ahead, NULL, NULL, COUNTER(out_of_sequence), false },
	{ "PSN far ahead", WRITE, psn_far_ahead, NULL, NULL, COUNTER(out_of_sequence), false },
	{ "PSN behind", WRITE, psn_behind, NULL, NULL, COUNTER(duplicate_request), false },
	{ "PSN far behind", WRITE, psn_far_behind, NULL, NULL, COUNTER(duplicate_request), false },
	{ "reserved opcode", WRITE, NULL, reserved_opcode, NULL, COUNTER(nb_malformed), false },
	{ "opcode of UC", WRITE, NULL, opcode_of_uc, NULL, COUNTER(nb_no_qp), false },
	{ "other version", WRITE, NULL, other_version, NULL, COUNTER(nb_malformed), false },
	{ "odd length", WRITE, NULL, odd_length, NULL, COUNTER(nb_malformed), false },
	{ "header cut", WRITE, NULL, header_cut, NULL, COUNTER(nb_malformed), false },
	{ "padding", WRITE, NULL, too_much_padding, NULL, COUNTER(nb_malformed), false },
	{ "ICRC", WRITE, NULL, NULL, wrong_icrc, COUNTER(rx_icrc_encapsulated), false },
	{ "payload", WRITE, NULL, NULL, wrong_payload, COUNTER(rx_icrc_encapsulated), false },
	{ "header", WRITE, NULL, NULL, wrong_header, COUNTER(rx_icrc_encapsulated), false },
	{ "more announced", WRITE, more_announced, NULL, NULL, COUNTER(nb_received), true },
	{ "less announced", WRITE, less_announced, NULL, NULL, COUNTER(nb_received), true },
	{ "absurd length", SWHCA_PACKET_WRITE_FIRST, absurd_length, NULL, NULL,
	  COUNTER(nb_received), true },
	{ "beyond a message", SWHCA_PACKET_WRITE_FIRST, beyond_message, NULL, NULL,
	  COUNTER(nb_received), true },
	{ "no such key", WRITE, no_such_key, NULL, NULL, COUNTER(nb_received), true },
	{ "other tag", WRITE, other_tag, NULL, NULL, COUNTER(nb_received), true },
	{ "key of the other device", WRITE, key_of_a, NULL, NULL, COUNTER(nb_received), true },
	{ "beyond the key", WRITE, beyond_key, NULL, NULL, COUNTER(nb_received), true },
	{ "in front of the key", WRITE, in_front_of_key, NULL, NULL, COUNTER(nb_received), true },
	{ "address that wraps", WRITE, wrapping_address, NULL, NULL, COUNTER(nb_received), true },
	{ "key for reading", WRITE, read_only_key, NULL, NULL, COUNTER(nb_received), true },
	{ "freed key", WRITE, freed_key, NULL, NULL, COUNTER(nb_received), true },
	{ "key of another PD", WRITE, key_of_another_pd, NULL, NULL, COUNTER(nb_received), true },
	{ "key for writing", SWHCA_PACKET_READ_REQUEST, write_only_key, NULL, NULL,
	  COUNTER(nb_received), true },
	{ "read beyond the key", SWHCA_PACKET_READ_REQUEST, no_payload_beyond_key, NULL, NULL,
	  COUNTER(nb_received), true },
	{ "atomic, unaligned", SWHCA_PACKET_FETCH_ADD, unaligned, NULL, NULL,
	  COUNTER(nb_received), true },
	{ "the middle of nothing", SWHCA_PACKET_WRITE_MIDDLE, absurd_length, NULL, NULL,
	  COUNTER(nb_received), true },
	{ "the end of nothing", SWHCA_PACKET_SEND_LAST, NULL, NULL, NULL, COUNTER(nb_received),
	  true },
	{ "an answer to nothing", SWHCA_PACKET_READ_RESPONSE_ONLY, NULL, NULL, NULL,
	  COUNTER(nb_no_qp), false },
	{ "an acknowledgement of nothing", SWHCA_PACKET_ACK, no_payload, NULL, NULL,
	  COUNTER(nb_no_qp), false },
};

static void
wrong_check(const struct wrong *wrong)
{
	uint64_t before, after;
	struct shot shot;

	world_begin(ST_RC);
	shot_begin(&shot, wrong->opcode);
	if (wrong->fields != NULL)
		wrong->fields(&shot);
	shot_build(&shot);
	if (wrong->bytes != NULL)
		wrong->bytes(&shot);
	shot_seal(&shot);
	if (wrong->sum != NULL)
		wrong->sum(&shot);
	memcpy(&before, (const uint8_t *)stats() + wrong->counter, sizeof(before));
	shot_fire(&shot);
	memcpy(&after, (const uint8_t *)stats() + wrong->counter, sizeof(after));
	if (after != before + 1 || !memory_is_untouched() ||
	    (world_qp_state(&p.b) == 6) != wrong->is_fatal)
		fail_msg("%s: counted %u, memory %s, state %u", wrong->name,
			 (unsigned int)(after - before),
			 memory_is_untouched() ? "untouched" : "changed", world_qp_state(&p.b));
	assert_null(world_recv_cqe(&p.b));
	world_end();
}

static void
what_is_wrong_changes_no_byte(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(wrongs) / sizeof(wrongs[0]); i++)
		wrong_check(&wrongs[i]);
}

static void
datagram_with_another_qkey_is_dropped(void **state)
{
	struct shot shot;

	(void)state;
	world_begin(ST_UD);
	world_recv(&p.b, p.w.mem_key[1], p.w.mem + 8192, 256);
	shot_begin(&shot, SWHCA_OPCODE(SWHCA_TRANSPORT_UD, SWHCA_PACKET_SEND_ONLY));
	shot.packet.qkey ^= 1;
	shot_build(&shot);
	shot_seal(&shot);
	shot_fire(&shot);
	assert_int_equal(stats()->nb_bad_qkeys, 1);
	assert_true(memory_is_untouched());
	assert_null(world_recv_cqe(&p.b));
	shot.packet.qkey ^= 1;
	shot_build(&shot);
	shot_seal(&shot);
	shot_fire(&shot);
	assert_non_null(world_recv_cqe(&p.b));
	assert_int_equal(p.w.mem[8192 + 40], 0x77);
	world_end();
}

static uint8_t
mcg(struct world_qp *qp, uint16_t opcode, const uint8_t gid[16])
{
	uint8_t in[32] = { 0 };

	world_put(in, 0, 16, opcode);
	world_put(in, 2, 0, qp->qpn);
	memcpy(in + 16, gid, 16);
	return world_exec(qp->hca, in, sizeof(in));
}

/*
 * On the wire a group of InfiniBand has an address of IPv4 that is made of its GID; who receives
 * sees the names of both in a header of InfiniBand (IBTA 8.3).
 */
static void
datagram_of_a_group_is_for_its_members(void **state)
{
	static const uint8_t group[16] = { 0xff, 0x12, 0x40, 0x01, 0xff, 0xff, [12] = 0xf };
	const uint8_t *grh;
	uint8_t other[16];
	struct shot shot;

	(void)state;
	world_begin(ST_UD);
	world_recv(&p.b, p.w.mem_key[1], p.w.mem + 8192, 256);
	shot_begin(&shot, SWHCA_OPCODE(SWHCA_TRANSPORT_UD, SWHCA_PACKET_SEND_ONLY));
	shot.packet.dst_qpn = 0xffffff;
	/* It is of another host: what the own fabric sends comes back from the wire. */
	shot.ip.sgid[13] ^= 1;
	swhca_gid_group_addr(group, true, shot.ip.dgid);
	assert_int_equal(shot.ip.dgid[12], 239);
	shot_build(&shot);
	shot_seal(&shot);
	shot_fire(&shot);
	assert_null(world_recv_cqe(&p.b));
	assert_int_equal(stats()->nb_no_qp, 1);
	assert_int_equal(mcg(&p.b, 0x806, group), 0);
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
	assert_int_equal(mcg(&p.b, 0x807, group), 0);
	world_end();
}

/* Of a write in several packets: the key goes away behind the first one. */
static void
key_that_goes_in_the_middle_of_a_write_counts(void **state)
{
	struct shot shot;
	uint32_t key;

	(void)state;
	world_begin(ST_RC);
	key = world_mtt_key(&p.w, 1, p.w.mem, WORLD_MEM,
			    WORLD_LR | WORLD_LW | WORLD_RR | WORLD_RW);
	shot_begin(&shot, SWHCA_PACKET_WRITE_FIRST);
	shot.packet.rkey = key;
	shot.packet.dma_len = 8192;
	shot.packet.payload_len = 4096;
	shot_build(&shot);
	shot_seal(&shot);
	shot_fire(&shot);
	assert_int_equal(p.w.mem[4096 + 4095], 0x77);
	assert_int_equal(world_cmd(p.w.dev[1].hca, 0x202, key >> 8, NULL), 0);
	shot.packet.opcode = SWHCA_PACKET_WRITE_LAST;
	shot.packet.psn++;
	shot_build(&shot);
	shot_seal(&shot);
	shot_fire(&shot);
	assert_int_equal(p.w.mem[8192], 0);
	assert_int_equal(world_qp_state(&p.b), 6);
	world_end();
}

static void
silent_device_hears_nothing(void **state)
{
	struct shot shot;

	(void)state;
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
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(write_of_the_peer_arrives),
		cmocka_unit_test(what_is_wrong_changes_no_byte),
		cmocka_unit_test(datagram_with_another_qkey_is_dropped),
		cmocka_unit_test(datagram_of_a_group_is_for_its_members),
		cmocka_unit_test(key_that_goes_in_the_middle_of_a_write_counts),
		cmocka_unit_test(silent_device_hears_nothing),
	};

	world_use_packets();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
