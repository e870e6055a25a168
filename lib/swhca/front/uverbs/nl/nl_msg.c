/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <string.h>

#include "front/uverbs/nl/nl_msg.h"

void
swhca_nl_begin(struct swhca_nl_packet *packet, const struct nlmsghdr *hdr)
{
	packet->start = packet->len;
	packet->is_full = false;
	swhca_nl_put_bytes(packet, hdr, NLMSG_HDRLEN);
}

int
swhca_nl_end(struct swhca_nl_packet *packet)
{
	uint32_t len = packet->len - packet->start;

	if (packet->is_full) {
		swhca_nl_cancel(packet);
		return -EMSGSIZE;
	}
	memcpy(packet->bytes + packet->start, &len, sizeof(len));
	packet->start = packet->len;
	return 0;
}

void
swhca_nl_cancel(struct swhca_nl_packet *packet)
{
	packet->len = packet->start;
	packet->is_full = false;
}

struct swhca_nl_mark
swhca_nl_mark(const struct swhca_nl_packet *packet)
{
	return (struct swhca_nl_mark){ packet->len, packet->is_full };
}

void
swhca_nl_rewind(struct swhca_nl_packet *packet, struct swhca_nl_mark mark)
{
	packet->len = mark.len;
	packet->is_full = mark.is_full;
}

void
swhca_nl_put_bytes(struct swhca_nl_packet *packet, const void *data, size_t len)
{
	uint8_t *at = packet->bytes + packet->len;

	if (packet->is_full || len > SWHCA_NL_PACKET_SIZE ||
	    NLMSG_ALIGN(len) > SWHCA_NL_PACKET_SIZE - packet->len) {
		packet->is_full = true;
		return;
	}
	memset(at, 0, NLMSG_ALIGN(len));
	memcpy(at, data, len);
	packet->len += (uint32_t)NLMSG_ALIGN(len);
}

void
swhca_nl_put(struct swhca_nl_packet *packet, uint16_t type, const void *data, size_t len)
{
	struct nlattr attr = { .nla_len = (uint16_t)(NLA_HDRLEN + len), .nla_type = type };
	struct swhca_nl_mark mark = swhca_nl_mark(packet);

	swhca_nl_put_bytes(packet, &attr, sizeof(attr));
	if (len > 0)
		swhca_nl_put_bytes(packet, data, len);
	/* Remove a header without its payload. */
	if (packet->is_full)
		packet->len = mark.len;
}

void
swhca_nl_put_u8(struct swhca_nl_packet *packet, uint16_t type, uint8_t value)
{
	swhca_nl_put(packet, type, &value, sizeof(value));
}

void
swhca_nl_put_u32(struct swhca_nl_packet *packet, uint16_t type, uint32_t value)
{
	swhca_nl_put(packet, type, &value, sizeof(value));
}

void
swhca_nl_put_u64(struct swhca_nl_packet *packet, uint16_t type, uint64_t value)
{
	swhca_nl_put(packet, type, &value, sizeof(value));
}

void
swhca_nl_put_string(struct swhca_nl_packet *packet, uint16_t type, const char *text)
{
	swhca_nl_put(packet, type, text, strlen(text) + 1);
}

uint32_t
swhca_nl_nest_begin(struct swhca_nl_packet *packet, uint16_t type)
{
	uint32_t start = packet->len;

	swhca_nl_put(packet, type, NULL, 0);
	return start;
}

void
swhca_nl_nest_end(struct swhca_nl_packet *packet, uint32_t start)
{
	uint16_t len = (uint16_t)(packet->len - start);

	if (!packet->is_full)
		memcpy(packet->bytes + start, &len, sizeof(len));
}

const uint8_t *
swhca_nl_next(const uint8_t **at, size_t *len, struct nlattr *attr)
{
	const uint8_t *start = *at;
	size_t step;

	if (*len < NLA_HDRLEN)
		return NULL;
	memcpy(attr, start, sizeof(*attr));
	if (attr->nla_len < NLA_HDRLEN || attr->nla_len > *len)
		return NULL;
	step = (size_t)NLA_ALIGN(attr->nla_len);
	step = step < *len ? step : *len;
	*at += step;
	*len -= step;
	return start;
}
