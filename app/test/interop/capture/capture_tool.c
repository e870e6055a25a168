/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Write a capture of packets that two links of this process send each other: of every opcode and
 * several lengths, and of 300 in a run; then the same on a link of IPv6, if there is one.
 *
 *   capture_tool FILE
 *
 * Prints a line for each packet, in the order of the file: out or in, opcode, bytes of payload.
 */

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../patience.h"
#include "wire/link/link_ops.h"
#include "wire/packet/icrc.h"
#include "wire/packet/packet.h"

#define NB_RUN 300u
#define LEN_MAX (SWHCA_HDRS_MAX + SWHCA_PACKET_MTU_MAX + 8u)

static const char *capture;
static unsigned int nb_links;

static struct swhca_link *
link_open(const char *wire)
{
	const struct swhca_link_conf conf = { .wire = wire, .capture = capture,
					      .index = nb_links };
	struct swhca_link *link;
	int ret = swhca_link_open(&conf, &link);

	if (ret == 0) {
		nb_links++;
		return link;
	}
	fprintf(stderr, "%s: %s\n", wire, strerror(-ret));
	return NULL;
}

/* Values that fit into any header. */
static struct swhca_packet
fields_make(uint8_t opcode, uint16_t payload_len, uint32_t psn)
{
	return (struct swhca_packet){
		.opcode = opcode, .is_migrated = true, .wants_ack = true, .pkey = 0xffff,
		.dst_qpn = 0x112233, .psn = psn, .srqn = 0x445566, .src_qpn = 0x778899,
		.qkey = 0x11111111, .dc_key = 0x1122334455667788, .dc_session = psn,
		.va = 0x7f0000001000, .rkey = 0x1234, .dma_len = payload_len,
		.swap_add = 5, .compare = 6, .syndrome = 0x1f, .msn = psn & 0xffffff,
		.orig = 7, .imm_be = 0x01020304, .inval_rkey = 0x99, .payload_len = payload_len };
}

static struct swhca_link_packet
packet_make(const struct swhca_link *from, const struct swhca_link *to,
	    const struct swhca_packet *fields, uint8_t *data)
{
	struct swhca_link_packet packet = { .data = data };
	size_t len = swhca_packet_len(fields), i;
	int hdr_len;

	swhca_link_gid(from, packet.ip.sgid);
	swhca_link_gid(to, packet.ip.dgid);
	packet.ip.src_port = from->src_port;
	packet.ip.is_df = true;
	packet.ip.hop_limit = 64;
	memset(data, 0, len);
	hdr_len = swhca_packet_build(fields, data, LEN_MAX);
	if (hdr_len < 0)
		return packet;
	/* Wireshark guesses what payload is: this is not mistaken for anything. */
	for (i = 0; i < fields->payload_len; i++)
		data[(size_t)hdr_len + i] = (uint8_t)(0x5a + (i + fields->psn) % 16);
	swhca_icrc_put(swhca_icrc_begin(&packet.ip, data, len - SWHCA_ICRC_LEN, len),
		       data + len - SWHCA_ICRC_LEN);
	packet.len = (uint32_t)len;
	return packet;
}

static void
tell(const char *what, const uint8_t *data, uint32_t len)
{
	struct swhca_packet fields;

	if (swhca_packet_parse(data, len, &fields) > 0)
		printf("%s %u %u\n", what, fields.opcode, fields.payload_len);
}

/* @return Packets that came, of so many. */
static unsigned int
receive(struct swhca_link *link, unsigned int nb)
{
	struct swhca_link_packet packets[SWHCA_LINK_BATCH];
	struct pollfd fd = { .fd = link->fd, .events = POLLIN };
	unsigned int done = 0, got, i;

	while (done < nb) {
		got = link->ops->receive(link, packets, SWHCA_LINK_BATCH);
		if (got == 0 && poll(&fd, 1, patience_ms()) <= 0)
			break;
		for (i = 0; i < got; i++)
			tell("in", packets[i].data, packets[i].len);
		done += got;
	}
	return done;
}

static bool
one_pass(struct swhca_link *from, struct swhca_link *to, const struct swhca_packet *fields)
{
	static uint8_t data[LEN_MAX];
	struct swhca_link_packet packet = packet_make(from, to, fields, data);

	if (packet.len == 0)
		return true;
	if (from->ops->send(from, &packet, 1) != 1)
		return false;
	tell("out", data, packet.len);
	return receive(to, 1) == 1;
}

static bool
opcodes_pass(struct swhca_link *from, struct swhca_link *to)
{
	static const uint16_t lens[] = { 0, 1, 2, 3, 4, 32, 256, 1024, 4096 };
	struct swhca_packet fields;
	unsigned int opcode, i;

	for (opcode = 0; opcode < 256; opcode++) {
		if (swhca_opcode_info((uint8_t)opcode)->name == NULL)
			continue;
		for (i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
			fields = fields_make((uint8_t)opcode, lens[i], opcode * 10 + i);
			if (!one_pass(from, to, &fields))
				return false;
		}
	}
	return true;
}

/* So many that they go at once. */
static bool
runs_pass(struct swhca_link *from, struct swhca_link *to)
{
	static uint8_t data[SWHCA_LINK_BATCH][1024 + SWHCA_BTH_LEN + SWHCA_ICRC_LEN];
	struct swhca_link_packet packets[SWHCA_LINK_BATCH];
	struct swhca_packet fields;
	unsigned int done, i;

	for (done = 0; done < NB_RUN; done += SWHCA_LINK_BATCH) {
		for (i = 0; i < SWHCA_LINK_BATCH; i++) {
			fields = fields_make(SWHCA_PACKET_WRITE_MIDDLE, 1024, done + i);
			packets[i] = packet_make(from, to, &fields, data[i]);
		}
		if (from->ops->send(from, packets, SWHCA_LINK_BATCH) != SWHCA_LINK_BATCH)
			return false;
		for (i = 0; i < SWHCA_LINK_BATCH; i++)
			tell("out", packets[i].data, packets[i].len);
		if (receive(to, SWHCA_LINK_BATCH) != SWHCA_LINK_BATCH)
			return false;
	}
	return true;
}

int
main(int argc, char **argv)
{
	struct swhca_link *a, *b, *v6 = NULL;
	bool has_passed;

	if (argc != 2)
		return 2;
	capture = argv[1];
	a = link_open("udp");
	b = link_open("udp");
	if (a == NULL || b == NULL)
		return 1;
	has_passed = opcodes_pass(a, b) && runs_pass(b, a);
	v6 = link_open("udp:::1");
	if (v6 != NULL)
		has_passed = has_passed && opcodes_pass(v6, v6) && runs_pass(v6, v6);
	swhca_link_close(v6);
	swhca_link_close(b);
	swhca_link_close(a);
	return has_passed ? 0 : 1;
}
