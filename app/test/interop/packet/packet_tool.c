/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Packets for a script, a line of standard input each:
 *
 *   build NAME=VALUE...    the packet from its IP header on, with its ICRC, in hexadecimal
 *   parse BYTES            NAME=VALUE..., whether the ICRC is right, and the payload
 *
 * Names are those of struct swhca_packet and struct swhca_packet_ip. An error is "error NUMBER".
 */

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wire/packet/bytes.h"
#include "wire/packet/icrc.h"
#include "wire/packet/packet.h"

#define LINE_MAX_LEN	20000u
#define BYTES_MAX	(SWHCA_IP_UDP_MAX + SWHCA_HDRS_MAX + SWHCA_PACKET_MTU_MAX + 8u)

struct whole {
	struct swhca_packet pkt;
	struct swhca_packet_ip ip;
	uint8_t payload[SWHCA_PACKET_MTU_MAX];
	size_t payload_len;
};

struct field {
	const char *name;
	size_t offset;
	size_t size;
	bool is_bytes;
};

#define FIELD(part, name) { #name, offsetof(struct whole, part.name),                              \
			    sizeof(((struct whole *)0)->part.name), false }
#define BYTES(part, name) { #name, offsetof(struct whole, part.name),                              \
			    sizeof(((struct whole *)0)->part.name), true }

static const struct field fields[] = {
	FIELD(pkt, opcode), FIELD(pkt, is_solicited), FIELD(pkt, is_migrated), FIELD(pkt, has_fecn),
	FIELD(pkt, has_becn), FIELD(pkt, wants_ack), FIELD(pkt, pkey), FIELD(pkt, dst_qpn),
	FIELD(pkt, psn), FIELD(pkt, srqn), FIELD(pkt, src_qpn), FIELD(pkt, qkey),
	FIELD(pkt, dc_key), FIELD(pkt, dc_session), FIELD(pkt, dc_is_first), FIELD(pkt, va),
	FIELD(pkt, rkey), FIELD(pkt, dma_len), FIELD(pkt, swap_add), FIELD(pkt, compare),
	FIELD(pkt, syndrome), FIELD(pkt, msn), FIELD(pkt, orig), BYTES(pkt, imm_be),
	FIELD(pkt, inval_rkey),
	BYTES(ip, sgid), BYTES(ip, dgid), FIELD(ip, src_port), FIELD(ip, id), FIELD(ip, is_df),
	FIELD(ip, tclass), FIELD(ip, hop_limit), FIELD(ip, flow_label),
};

#define NB_FIELDS (sizeof(fields) / sizeof(fields[0]))

/* Returns how many bytes, at most max. */
static size_t
bytes_read(const char *text, uint8_t *dst, size_t max)
{
	unsigned int byte;
	size_t nb;

	for (nb = 0; nb < max && sscanf(text + 2 * nb, "%2x", &byte) == 1; nb++)
		dst[nb] = (uint8_t)byte;
	return nb;
}

static void
bytes_print(const uint8_t *src, size_t nb)
{
	for (; nb > 0; nb--)
		printf("%02x", *src++);
}

static void
field_set(struct whole *w, const struct field *field, const char *text)
{
	uint8_t *at = (uint8_t *)w + field->offset;
	unsigned long long value = strtoull(text, NULL, 0);

	if (field->is_bytes) {
		bytes_read(text, at, field->size);
		return;
	}
	switch (field->size) {
	case 1:
		*at = (uint8_t)value;
		break;
	case 2:
		memcpy(at, &(uint16_t){ (uint16_t)value }, 2);
		break;
	case 4:
		memcpy(at, &(uint32_t){ (uint32_t)value }, 4);
		break;
	default:
		memcpy(at, &(uint64_t){ value }, 8);
	}
}

static void
field_print(const struct whole *w, const struct field *field)
{
	const uint8_t *at = (const uint8_t *)w + field->offset;
	uint16_t u16;
	uint32_t u32;
	uint64_t u64;

	printf("%s=", field->name);
	if (field->is_bytes) {
		bytes_print(at, field->size);
	} else if (field->size == 1) {
		printf("%u", *at);
	} else if (field->size == 2) {
		memcpy(&u16, at, sizeof(u16));
		printf("%u", u16);
	} else if (field->size == 4) {
		memcpy(&u32, at, sizeof(u32));
		printf("%u", u32);
	} else {
		memcpy(&u64, at, sizeof(u64));
		printf("%llu", (unsigned long long)u64);
	}
	putchar(' ');
}

/* Returns the length of the packet, or an error. */
static int
packet_build(struct whole *w, uint8_t *dst)
{
	size_t len, ib_len, pad;
	uint8_t *ib, *at;
	uint32_t crc;
	int ret;

	w->pkt.payload_len = (uint16_t)w->payload_len;
	ib = dst + swhca_packet_ip_len(&w->ip);
	ret = swhca_packet_build(&w->pkt, ib, SWHCA_HDRS_MAX);
	if (ret < 0)
		return ret;
	len = (size_t)ret;
	ib_len = swhca_packet_len(&w->pkt);
	pad = swhca_packet_pad((uint32_t)w->payload_len);
	at = ib + len;
	memcpy(at, w->payload, w->payload_len);
	memset(at + w->payload_len, 0, pad);
	crc = swhca_icrc_begin(&w->ip, ib, len, ib_len);
	/* Any pieces will do. */
	crc = swhca_icrc_update(crc, at, w->payload_len);
	crc = swhca_icrc_update(crc, at + w->payload_len, pad);
	swhca_icrc_put(crc, at + w->payload_len + pad);
	ret = swhca_packet_ip_build(&w->ip, ib_len, dst, SWHCA_IP_UDP_MAX);
	return ret < 0 ? ret : ret + (int)ib_len;
}

static int
line_build(char *line)
{
	uint8_t bytes[BYTES_MAX];
	char *word, *save = NULL, *value;
	struct whole w = { 0 };
	size_t i;
	int len;

	for (word = strtok_r(line, " \n", &save); word != NULL;
	     word = strtok_r(NULL, " \n", &save)) {
		value = strchr(word, '=');
		if (value == NULL)
			return -EINVAL;
		*value++ = '\0';
		if (strcmp(word, "payload") == 0)
			w.payload_len = bytes_read(value, w.payload, sizeof(w.payload));
		for (i = 0; i < NB_FIELDS; i++) {
			if (strcmp(word, fields[i].name) == 0)
				field_set(&w, &fields[i], value);
		}
	}
	len = packet_build(&w, bytes);
	if (len < 0)
		return len;
	bytes_print(bytes, (size_t)len);
	putchar('\n');
	return 0;
}

static int
line_parse(const char *line)
{
	uint8_t bytes[BYTES_MAX];
	size_t i, len, ib_len;
	struct whole w = { 0 };
	int ip_len, hdr_len;

	len = bytes_read(line, bytes, sizeof(bytes));
	ip_len = swhca_packet_ip_parse(bytes, len, &w.ip, &ib_len);
	if (ip_len < 0)
		return ip_len;
	hdr_len = swhca_packet_parse(bytes + ip_len, ib_len, &w.pkt);
	if (hdr_len < 0)
		return hdr_len;
	for (i = 0; i < NB_FIELDS; i++)
		field_print(&w, &fields[i]);
	printf("icrc=%d payload=", swhca_icrc_is_right(&w.ip, bytes + ip_len, ib_len));
	bytes_print(bytes + ip_len + hdr_len, w.pkt.payload_len);
	putchar('\n');
	return 0;
}

int
main(void)
{
	static char line[LINE_MAX_LEN];
	int ret;

	while (fgets(line, sizeof(line), stdin) != NULL) {
		if (strncmp(line, "build ", 6) == 0)
			ret = line_build(line + 6);
		else if (strncmp(line, "parse ", 6) == 0)
			ret = line_parse(line + 6);
		else
			ret = -EINVAL;
		if (ret != 0)
			printf("error %d\n", -ret);
		fflush(stdout);
	}
	return 0;
}
