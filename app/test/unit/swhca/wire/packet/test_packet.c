/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Headers of all opcodes, and what is no packet. What stands where is typed from the IBTA's figures
 * (vol. 1, 9.2, 9.3; annex A14); the interop test packet_bytes compares with others' packets.
 */

#include "cases.h"
#include "wire/packet/bytes.h"
#include "wire/packet/packet.h"
#include "wire/packet/psn.h"

#define OPCODE(transport, type) SWHCA_OPCODE(SWHCA_TRANSPORT_##transport, SWHCA_PACKET_##type)

/* Every field another value, all bits of some kind. */
static const struct swhca_packet full = {
	.is_solicited = true, .is_migrated = true, .wants_ack = true, .pkey = 0xfedc,
	.dst_qpn = 0x123456, .psn = 0x89abcd, .srqn = 0x0a0b0c, .src_qpn = 0x1a1b1c,
	.qkey = 0x2a2b2c2d, .dc_key = UINT64_C(0x3031323334353637),
	.dc_session = UINT64_C(0x4041424344454647), .dc_is_first = true,
	.va = UINT64_C(0x5051525354555657), .rkey = 0x60616263, .dma_len = 0x70717273,
	.swap_add = UINT64_C(0x8081828384858687), .compare = UINT64_C(0x9091929394959697),
	.syndrome = 0x1f, .msn = 0xa1a2a3, .orig = UINT64_C(0xb0b1b2b3b4b5b6b7),
	.inval_rkey = 0xc0c1c2c3,
};

static struct swhca_packet
packet_of(uint8_t opcode, uint16_t payload_len)
{
	struct swhca_packet pkt = full;

	pkt.opcode = opcode;
	pkt.payload_len = payload_len;
	memcpy(&pkt.imm_be, "\xd0\xd1\xd2\xd3", 4);
	return pkt;
}

/* Payload that an opcode can have, of a number of bytes that is not a multiple of 4 if it can. */
static uint16_t
some_payload(uint8_t opcode)
{
	return (swhca_opcode_info(opcode)->flags & SWHCA_OPCODE_F_PAYLOAD) != 0 ? 6 : 0;
}

struct golden {
	uint8_t opcode;
	uint16_t payload_len;
	uint8_t len;
	const char *bytes;
};

#define GOLDEN(opcode, payload_len, bytes) { opcode, payload_len, sizeof(bytes) - 1, bytes }
#define BTH(opcode, flags) opcode flags "\xfe\xdc\x00\x12\x34\x56\x80\x89\xab\xcd"

static const struct golden goldens[] = {
	GOLDEN(0x04, 1, BTH("\x04", "\xf0")),
	GOLDEN(0x05, 2, BTH("\x05", "\xe0") "\xd0\xd1\xd2\xd3"),
	GOLDEN(0x17, 3, BTH("\x17", "\xd0") "\xc0\xc1\xc2\xc3"),
	GOLDEN(0x0b, 4, BTH("\x0b", "\xc0") "PQRSTUVW`abcpqrs\xd0\xd1\xd2\xd3"),
	GOLDEN(0x0c, 0, BTH("\x0c", "\xc0") "PQRSTUVW`abcpqrs"),
	GOLDEN(0x0d, 4096, BTH("\x0d", "\xc0") "\x1f\xa1\xa2\xa3"),
	GOLDEN(0x0e, 256, BTH("\x0e", "\xc0")),
	GOLDEN(0x11, 0, BTH("\x11", "\xc0") "\x1f\xa1\xa2\xa3"),
	GOLDEN(0x12, 0, BTH("\x12", "\xc0") "\x1f\xa1\xa2\xa3\xb0\xb1\xb2\xb3\xb4\xb5\xb6\xb7"),
	GOLDEN(0x13, 0, BTH("\x13", "\xc0") "PQRSTUVW`abc\x80\x81\x82\x83\x84\x85\x86\x87"
			"\x90\x91\x92\x93\x94\x95\x96\x97"),
	GOLDEN(0x2a, 0, BTH("\x2a", "\xc0") "PQRSTUVW`abcpqrs"),
	GOLDEN(0x65, 0, BTH("\x65", "\xc0") "\x2a\x2b\x2c\x2d\x00\x1a\x1b\x1c\xd0\xd1\xd2\xd3"),
	GOLDEN(0xa6, 256, BTH("\xa6", "\xc0") "\x00\x0a\x0b\x0c" "PQRSTUVW`abcpqrs"),
	GOLDEN(0xa7, 256, BTH("\xa7", "\xc0") "\x00\x0a\x0b\x0c"),
	GOLDEN(0xb1, 0, BTH("\xb1", "\xc0") "\x1f\xa1\xa2\xa3"),
	GOLDEN(0xcc, 0, BTH("\xcc", "\xc0") "01234567\x80\x1a\x1b\x1c" "@ABCDEFG"
			"PQRSTUVW`abcpqrs"),
	GOLDEN(0xd1, 0, BTH("\xd1", "\xc0") "01234567\x80\x1a\x1b\x1c" "@ABCDEFG"
			"\x1f\xa1\xa2\xa3"),
};

CASE(headers_are_those_of_the_figures)
{
	uint8_t buf[SWHCA_HDRS_MAX + 1];
	struct swhca_packet pkt;
	int len;

	for (size_t i = 0; i < NB_OF(goldens); i++) {
		memset(buf, 0x5a, sizeof(buf));
		pkt = packet_of(goldens[i].opcode, goldens[i].payload_len);
		len = swhca_packet_build(&pkt, buf, sizeof(buf));
		row_check_at(i, len, (int)goldens[i].len);
		if (memcmp(buf, goldens[i].bytes, goldens[i].len) != 0)
			print_message("row %zu:\n", i);
		assert_memory_equal(buf, goldens[i].bytes, goldens[i].len);
		assert_int_equal(buf[len], 0x5a);
	}
}

CASE(congestion_is_in_the_reserved_byte)
{
	struct swhca_packet pkt = { .opcode = SWHCA_OPCODE_CNP, .has_becn = true, .dst_qpn = 0xd2,
				    .pkey = 0xffff };
	/* "RoCEv2 CNP packet format example" of Mellanox' community. */
	static const uint8_t cnp[28] = { 0x81, 0, 0xff, 0xff, 0x40, 0, 0, 0xd2 };
	uint8_t buf[SWHCA_HDRS_MAX];

	assert_int_equal(swhca_packet_build(&pkt, buf, sizeof(buf)), sizeof(cnp));
	assert_memory_equal(buf, cnp, sizeof(cnp));
	pkt.has_fecn = true;
	pkt.has_becn = false;
	assert_int_equal(swhca_packet_build(&pkt, buf, sizeof(buf)), sizeof(cnp));
	assert_int_equal(buf[4], 0x80);
}

/* IBTA vol. 1, 9.2.1: how many there are. */
CASE(table_has_all_opcodes_and_no_others)
{
	const struct swhca_opcode_info *info;
	unsigned int nb[8] = { 0 };

	for (unsigned int opcode = 0; opcode < 256; opcode++) {
		info = swhca_opcode_info((uint8_t)opcode);
		if (info->name == NULL)
			continue;
		nb[opcode >> 5]++;
		assert_true(info->hdr_len >= SWHCA_BTH_LEN && info->hdr_len <= SWHCA_HDRS_MAX);
		assert_true(info->hdr_len % 4 == 0);
	}
	assert_int_equal(nb[0], 23);
	assert_int_equal(nb[1], 12);
	assert_int_equal(nb[2], 0);
	assert_int_equal(nb[3], 2);
	assert_int_equal(nb[4], 1);
	assert_int_equal(nb[5], 23);
	assert_int_equal(nb[6], 23);
	assert_int_equal(nb[7], 0);
	assert_null(swhca_opcode_info(0x15)->name);
	assert_null(swhca_opcode_info(0x36)->name);
}

CASE(every_opcode_comes_back_as_it_was)
{
	uint8_t buf[SWHCA_HDRS_MAX + 8 + SWHCA_ICRC_LEN], again[SWHCA_HDRS_MAX];
	struct swhca_packet pkt, parsed;
	int len;

	for (unsigned int opcode = 0; opcode < 256; opcode++) {
		if (swhca_opcode_info((uint8_t)opcode)->name == NULL)
			continue;
		pkt = packet_of((uint8_t)opcode, some_payload((uint8_t)opcode));
		memset(buf, 0, sizeof(buf));
		len = swhca_packet_build(&pkt, buf, sizeof(buf));
		assert_int_equal(len, swhca_opcode_info((uint8_t)opcode)->hdr_len);
		assert_int_equal(swhca_packet_parse(buf, swhca_packet_len(&pkt), &parsed), len);
		assert_int_equal(parsed.payload_len, pkt.payload_len);
		assert_int_equal(parsed.psn, pkt.psn);
		assert_int_equal(swhca_packet_build(&parsed, again, sizeof(again)), len);
		assert_memory_equal(again, buf, (size_t)len);
	}
}

/* What an opcode has no header for is 0, whatever bytes follow. */
CASE(fields_of_absent_headers_are_zero)
{
	struct swhca_packet pkt;
	uint8_t buf[12 + 40 + 4];

	memset(buf, 0xff, sizeof(buf));
	buf[0] = OPCODE(RC, SEND_ONLY);
	buf[1] = 0;
	assert_int_equal(swhca_packet_parse(buf, sizeof(buf), &pkt), 12);
	assert_int_equal(pkt.payload_len, 40);
	assert_int_equal(pkt.rkey, 0);
	assert_int_equal(pkt.src_qpn, 0);
	assert_int_equal(pkt.imm_be, 0);
	assert_int_equal(pkt.dst_qpn, 0xffffff);
	assert_int_equal(pkt.psn, 0xffffff);
	assert_true(pkt.has_fecn && pkt.has_becn && pkt.wants_ack);
	assert_false(pkt.is_solicited || pkt.is_migrated);
}

CASE(lengths_of_every_opcode_are_checked)
{
	const struct swhca_opcode_info *info;
	struct swhca_packet pkt, before;
	uint8_t buf[128] = { 0 };
	int ret;

	memset(&before, 0x5a, sizeof(before));
	for (unsigned int opcode = 0; opcode < 256; opcode++) {
		info = swhca_opcode_info((uint8_t)opcode);
		if (info->name == NULL)
			continue;
		buf[0] = (uint8_t)opcode;
		for (size_t len = 0; len < info->hdr_len + 4u; len++) {
			pkt = before;
			assert_int_equal(swhca_packet_parse(buf, len, &pkt), -EBADMSG);
			assert_memory_equal(&pkt, &before, sizeof(pkt));
		}
		ret = swhca_packet_parse(buf, info->hdr_len + 4u, &pkt);
		/* Only one of several must not be empty. */
		if ((info->flags & SWHCA_OPCODE_F_PAYLOAD) != 0 && (info->flags & 0x3) != 0x3)
			assert_int_equal(ret, -EMSGSIZE);
		else
			assert_int_equal(ret, info->hdr_len);
		ret = swhca_packet_parse(buf, info->hdr_len + 8u, &pkt);
		if ((info->flags & SWHCA_OPCODE_F_PAYLOAD) == 0)
			assert_int_equal(ret, -EMSGSIZE);
		else
			assert_int_equal(ret, info->hdr_len);
		for (size_t len = info->hdr_len + 5u; len < info->hdr_len + 8u; len++)
			assert_int_equal(swhca_packet_parse(buf, len, &pkt), -EBADMSG);
	}
}

CASE(padding_is_within_the_payload)
{
	uint8_t buf[12 + 4 + 4] = { OPCODE(RC, SEND_ONLY) };
	struct swhca_packet pkt;

	for (unsigned int pad = 0; pad < 4; pad++) {
		buf[1] = (uint8_t)(pad << 4);
		assert_int_equal(swhca_packet_parse(buf, sizeof(buf), &pkt), 12);
		assert_int_equal(pkt.payload_len, 4 - pad);
		assert_int_equal(swhca_packet_parse(buf, sizeof(buf) - 4, &pkt),
				 pad == 0 ? 12 : -EMSGSIZE);
		assert_int_equal(swhca_packet_pad(pkt.payload_len), pad == 0 ? 0 : pad);
	}
	/* and there is none where there is no payload */
	buf[0] = OPCODE(RC, ACK);
	buf[1] = 0x10;
	assert_int_equal(swhca_packet_parse(buf, sizeof(buf), &pkt), -EMSGSIZE);
}

CASE(payload_is_one_mtu_at_most)
{
	struct swhca_packet pkt = packet_of(OPCODE(UD, SEND_ONLY), 4096);
	uint8_t *buf = NOT_NULL(calloc(1, 5000));

	assert_int_equal(swhca_packet_build(&pkt, buf, 5000), 20);
	assert_int_equal(swhca_packet_parse(buf, 20 + 4096 + 4, &pkt), 20);
	assert_int_equal(pkt.payload_len, 4096);
	assert_int_equal(swhca_packet_parse(buf, 20 + 4100 + 4, &pkt), -EMSGSIZE);
	pkt.payload_len = 4097;
	assert_int_equal(swhca_packet_build(&pkt, buf, 5000), -EMSGSIZE);
	/* Not even with lengths that 16 bits do not hold. */
	assert_int_equal(swhca_packet_parse(buf, 20 + 65536 + 4, &pkt), -EMSGSIZE);
	free(buf);
}

CASE(versions_and_opcodes_of_others_are_refused)
{
	uint8_t buf[64] = { OPCODE(RC, SEND_ONLY) };
	struct swhca_packet pkt;

	for (unsigned int i = 1; i < 16; i++) {
		buf[1] = (uint8_t)i;
		assert_int_equal(swhca_packet_parse(buf, sizeof(buf), &pkt), -EPROTO);
	}
	buf[1] = 0;
	for (unsigned int i = 0; i < 256; i++) {
		if (swhca_opcode_info((uint8_t)i)->name != NULL)
			continue;
		buf[0] = (uint8_t)i;
		assert_int_equal(swhca_packet_parse(buf, sizeof(buf), &pkt), -EPROTONOSUPPORT);
		pkt = packet_of((uint8_t)i, 0);
		assert_int_equal(swhca_packet_build(&pkt, buf, sizeof(buf)), -EPROTONOSUPPORT);
	}
}

/* Reserved bits are 0 when sent and whatever they like when received; MigReq may be both. */
CASE(reserved_bits_are_not_looked_at)
{
	uint8_t buf[12 + 8 + 4] = { OPCODE(UD, SEND_ONLY) };
	uint8_t again[12 + 8];
	struct swhca_packet pkt;

	buf[4] = 0x3f;
	buf[8] = 0x7f;
	buf[16] = 0xff;
	assert_int_equal(swhca_packet_parse(buf, sizeof(buf), &pkt), 20);
	assert_false(pkt.has_fecn || pkt.has_becn || pkt.wants_ack || pkt.is_migrated);
	assert_int_equal(pkt.dst_qpn, 0);
	assert_int_equal(pkt.src_qpn, 0);
	assert_int_equal(swhca_packet_build(&pkt, again, sizeof(again)), 20);
	assert_int_equal(again[4] | again[8] | again[16], 0);
	buf[1] = 0x40;
	assert_int_equal(swhca_packet_parse(buf, sizeof(buf), &pkt), 20);
	assert_true(pkt.is_migrated);
}

CASE(build_refuses_what_does_not_fit)
{
	uint8_t buf[SWHCA_HDRS_MAX];
	struct swhca_packet pkt;

#define REFUSED(transport, type, field)                                                            \
	do {                                                                                       \
		pkt = packet_of(OPCODE(transport, type), some_payload(OPCODE(transport, type)));   \
		assert_true(swhca_packet_build(&pkt, buf, sizeof(buf)) > 0);                       \
		pkt.field = 0x1000000;                                                             \
		assert_int_equal(swhca_packet_build(&pkt, buf, sizeof(buf)), -ERANGE);             \
	} while (0)
	REFUSED(RC, SEND_ONLY, psn);
	REFUSED(RC, SEND_ONLY, dst_qpn);
	REFUSED(XRC, SEND_ONLY, srqn);
	REFUSED(DC, SEND_ONLY, src_qpn);
	REFUSED(UD, SEND_ONLY, src_qpn);
	REFUSED(RC, ACK, msn);
#undef REFUSED
	/* What a header does not have is not looked at. */
	pkt = packet_of(OPCODE(RC, SEND_ONLY), 0);
	pkt.msn = pkt.srqn = pkt.src_qpn = UINT32_MAX;
	assert_int_equal(swhca_packet_build(&pkt, buf, 12), 12);
	assert_int_equal(swhca_packet_build(&pkt, buf, 11), -ENOSPC);
	pkt.opcode = OPCODE(RC, SEND_MIDDLE);
	assert_int_equal(swhca_packet_build(&pkt, buf, 12), -EMSGSIZE);
	pkt.opcode = OPCODE(RC, READ_REQUEST);
	pkt.payload_len = 1;
	assert_int_equal(swhca_packet_build(&pkt, buf, sizeof(buf)), -EMSGSIZE);
}

CASE(first_and_middle_packets_are_full)
{
	struct swhca_packet pkt = { .opcode = OPCODE(RC, SEND_MIDDLE), .payload_len = 1024 };

	assert_true(swhca_packet_fits_mtu(&pkt, 1024));
	assert_false(swhca_packet_fits_mtu(&pkt, 512));
	assert_false(swhca_packet_fits_mtu(&pkt, 2048));
	pkt.opcode = OPCODE(RC, READ_RESPONSE_FIRST);
	assert_false(swhca_packet_fits_mtu(&pkt, 2048));
	pkt.opcode = OPCODE(RC, SEND_LAST);
	assert_true(swhca_packet_fits_mtu(&pkt, 2048));
	assert_false(swhca_packet_fits_mtu(&pkt, 512));
	pkt.opcode = OPCODE(UC, WRITE_ONLY);
	assert_true(swhca_packet_fits_mtu(&pkt, 1024));
	pkt.opcode = OPCODE(RC, ACK);
	pkt.payload_len = 0;
	assert_true(swhca_packet_fits_mtu(&pkt, 256));
}

CASE(every_error_has_words)
{
	static const int errors[] = { -EBADMSG, -EPROTO, -EPROTONOSUPPORT, -EMSGSIZE, -ERANGE,
				      -ENOSPC };

	for (size_t i = 0; i < NB_OF(errors); i++)
		assert_string_not_equal(swhca_packet_strerror(errors[i]), swhca_packet_strerror(0));
}

CASE(psns_wrap)
{
	assert_int_equal(swhca_psn_add(0xffffff, 1), 0);
	assert_int_equal(swhca_psn_diff(0, 0xffffff), 1);
	assert_int_equal(swhca_psn_diff(0xffffff, 0), -1);
	assert_int_equal(swhca_psn_diff(0x7fffff, 0), 0x7fffff);
	assert_int_equal(swhca_psn_diff(0x800000, 0), -0x800000);
	assert_int_equal(swhca_psn_diff(5, 5), 0);
	assert_int_equal(swhca_psn_nb_packets(0, 1024), 1);
	assert_int_equal(swhca_psn_nb_packets(1024, 1024), 1);
	assert_int_equal(swhca_psn_nb_packets(1025, 1024), 2);
	assert_int_equal(swhca_psn_nb_packets(UINT64_C(1) << 31, 256), 1u << 23);
}
