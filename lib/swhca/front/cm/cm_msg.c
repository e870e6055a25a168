/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <string.h>

#include "front/cm/cm_msg.h"

/* MAD header (IBTA volume 1, 13.4.2) of sent messages: the class has one method. */
#define HDR_LEN		24u
#define BASE_VERSION	1u
#define CLASS_CM	0x07u
#define CLASS_VERSION	2u
#define METHOD_SEND	0x03u

/* Position of a field after the header, as in the tables of chapter 12, and its member. */
struct field {
	uint8_t byte;
	uint8_t bit;		/* From the most significant bit of the byte. */
	uint8_t width;		/* In bits; more than 64: bytes. */
	uint8_t size;
	uint16_t offset;
};

#define FIELD(byte_, bit_, width_, member)                                                         \
	{ .byte = (byte_), .bit = (bit_), .width = (width_),                                       \
	  .size = sizeof(((struct swhca_cm_msg *)NULL)->member),                                   \
	  .offset = offsetof(struct swhca_cm_msg, member) }
/* Fields of a path, from a byte on. */
#define FIELDS_PATH(at, path)                                                                      \
	FIELD((at), 0, 16, path.local_lid), FIELD((at) + 2, 0, 16, path.remote_lid),               \
	FIELD((at) + 4, 0, 128, path.local_gid), FIELD((at) + 20, 0, 128, path.remote_gid),        \
	FIELD((at) + 36, 0, 20, path.flow_label), FIELD((at) + 39, 2, 6, path.rate),               \
	FIELD((at) + 40, 0, 8, path.traffic_class), FIELD((at) + 41, 0, 8, path.hop_limit),        \
	FIELD((at) + 42, 0, 4, path.sl), FIELD((at) + 42, 4, 1, path.is_subnet_local),             \
	FIELD((at) + 43, 0, 5, path.ack_timeout)
#define FIELD_IDS FIELD(0, 0, 32, local_id), FIELD(4, 0, 32, remote_id)
#define FIELD_END { .width = 0 }

/* Table 106; vendor ID: 1.4 of the specification. */
static const struct field req_fields[] = {
	FIELD(0, 0, 32, local_id), FIELD(5, 0, 24, req.vendor_id),
	FIELD(8, 0, 64, req.service_id), FIELD(16, 0, 64, req.ca_guid),
	FIELD(28, 0, 32, req.qkey), FIELD(32, 0, 24, req.qpn),
	FIELD(35, 0, 8, req.responder_resources), FIELD(39, 0, 8, req.initiator_depth),
	FIELD(43, 0, 5, req.remote_response_timeout), FIELD(43, 5, 2, req.service_type),
	FIELD(43, 7, 1, req.flow_control), FIELD(44, 0, 24, req.starting_psn),
	FIELD(47, 0, 5, req.local_response_timeout), FIELD(47, 5, 3, req.retry_count),
	FIELD(48, 0, 16, req.pkey), FIELD(50, 0, 4, req.path_mtu),
	FIELD(50, 5, 3, req.rnr_retry_count), FIELD(51, 0, 4, req.max_cm_retries),
	FIELD(51, 4, 1, req.srq), FIELD(51, 5, 3, req.ext_service_type),
	FIELDS_PATH(52, req.primary), FIELDS_PATH(96, req.alternate), FIELD_END,
};

/* Table 107. */
static const struct field mra_fields[] = {
	FIELD_IDS, FIELD(8, 0, 2, mra.answered), FIELD(9, 0, 5, mra.service_timeout), FIELD_END,
};

/* Table 108. */
static const struct field rej_fields[] = {
	FIELD_IDS, FIELD(8, 0, 2, rej.answered), FIELD(9, 0, 7, rej.info_len),
	FIELD(10, 0, 16, rej.reason), FIELD(12, 0, 64, rej.info_guid), FIELD_END,
};

/* Table 110; the vendor ID has three parts, and is not included. */
static const struct field rep_fields[] = {
	FIELD_IDS, FIELD(8, 0, 32, rep.qkey), FIELD(12, 0, 24, rep.qpn),
	FIELD(16, 0, 24, rep.ee_context), FIELD(20, 0, 24, rep.starting_psn),
	FIELD(24, 0, 8, rep.responder_resources), FIELD(25, 0, 8, rep.initiator_depth),
	FIELD(26, 0, 5, rep.target_ack_delay), FIELD(26, 5, 2, rep.failover),
	FIELD(26, 7, 1, rep.flow_control), FIELD(27, 0, 3, rep.rnr_retry_count),
	FIELD(27, 3, 1, rep.srq), FIELD(28, 0, 64, rep.ca_guid), FIELD_END,
};
static const uint8_t rep_vendor_bytes[3] = { 15, 19, 23 };

/* Tables 111 to 113. */
static const struct field ids_fields[] = { FIELD_IDS, FIELD_END };
static const struct field dreq_fields[] = { FIELD_IDS, FIELD(8, 0, 24, dreq_qpn), FIELD_END };

/* Tables 119 and 120. */
static const struct field sidr_req_fields[] = {
	FIELD(0, 0, 32, sidr_req.request_id), FIELD(4, 0, 16, sidr_req.pkey),
	FIELD(8, 0, 64, sidr_req.service_id), FIELD_END,
};
static const struct field sidr_rep_fields[] = {
	FIELD(0, 0, 32, sidr_rep.request_id), FIELD(4, 0, 8, sidr_rep.status),
	FIELD(8, 0, 24, sidr_rep.qpn), FIELD(12, 0, 64, sidr_rep.service_id),
	FIELD(20, 0, 32, sidr_rep.qkey), FIELD_END,
};

/* A message: its fields, and the offset of its private data, which extends to the end. */
static const struct layout {
	const struct field *fields;
	uint8_t private_byte;
	uint8_t private_len;
} layouts[] = {
	[SWHCA_CM_REQ] = { req_fields, 140, SWHCA_CM_REQ_PRIVATE_LEN },
	[SWHCA_CM_MRA] = { mra_fields, 10, 222 },
	[SWHCA_CM_REJ] = { rej_fields, 84, SWHCA_CM_REJ_PRIVATE_LEN },
	[SWHCA_CM_REP] = { rep_fields, 36, SWHCA_CM_REP_PRIVATE_LEN },
	[SWHCA_CM_RTU] = { ids_fields, 8, 224 },
	[SWHCA_CM_DREQ] = { dreq_fields, 12, 220 },
	[SWHCA_CM_DREP] = { ids_fields, 8, 224 },
	[SWHCA_CM_SIDR_REQ] = { sidr_req_fields, 16, SWHCA_CM_SIDR_REQ_PRIVATE_LEN },
	[SWHCA_CM_SIDR_REP] = { sidr_rep_fields, 96, SWHCA_CM_SIDR_REP_PRIVATE_LEN },
};

static const struct layout *
layout_find(uint16_t attr)
{
	if (attr >= sizeof(layouts) / sizeof(layouts[0]) || layouts[attr].fields == NULL)
		return NULL;
	return &layouts[attr];
}

size_t
swhca_cm_private_len(uint16_t attr)
{
	const struct layout *layout = layout_find(attr);

	return layout == NULL ? 0 : layout->private_len;
}

static uint64_t
bits_get(const uint8_t *body, unsigned int pos, unsigned int width)
{
	uint64_t value = 0;
	unsigned int i;

	for (i = pos; i < pos + width; i++)
		value = value << 1 | (body[i / 8] >> (7 - i % 8) & 1u);
	return value;
}

static void
bits_set(uint8_t *body, unsigned int pos, unsigned int width, uint64_t value)
{
	unsigned int i;

	for (i = pos + width; i-- > pos; value >>= 1)
		body[i / 8] = (uint8_t)((body[i / 8] & ~(1u << (7 - i % 8))) |
					(value & 1u) << (7 - i % 8));
}

static uint64_t
member_get(const uint8_t *member, uint8_t size)
{
	uint64_t value = 0;

	/* Little endian: the first bytes of a number are its low ones. */
	memcpy(&value, member, size);
	return value;
}

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "little endian hosts only");

void
swhca_cm_build(const struct swhca_cm_msg *msg, uint8_t mad[SWHCA_MAD_LEN])
{
	const struct layout *layout = layout_find(msg->attr);
	uint8_t *body = mad + HDR_LEN;
	const struct field *field;
	const uint8_t *member;
	size_t i;

	memset(mad, 0, SWHCA_MAD_LEN);
	if (layout == NULL)
		return;
	mad[0] = BASE_VERSION;
	mad[1] = CLASS_CM;
	mad[2] = CLASS_VERSION;
	mad[3] = METHOD_SEND;
	bits_set(mad, 8 * 8, 64, msg->tid);
	bits_set(mad, 16 * 8, 16, msg->attr);
	bits_set(mad, 20 * 8, 32, msg->attr_mod);
	for (field = layout->fields; field->width != 0; field++) {
		member = (const uint8_t *)msg + field->offset;
		if (field->width > 64)
			memcpy(body + field->byte, member, field->size);
		else
			bits_set(body, field->byte * 8u + field->bit, field->width,
				 member_get(member, field->size));
	}
	for (i = 0; msg->attr == SWHCA_CM_REP && i < 3; i++)
		body[rep_vendor_bytes[i]] = (uint8_t)(msg->rep.vendor_id >> (16 - 8 * i));
	memcpy(body + layout->private_byte, msg->private_data, layout->private_len);
}

int
swhca_cm_parse(const uint8_t mad[SWHCA_MAD_LEN], struct swhca_cm_msg *msg)
{
	uint16_t attr = (uint16_t)bits_get(mad, 16 * 8, 16);
	const struct layout *layout = layout_find(attr);
	const uint8_t *body = mad + HDR_LEN;
	const struct field *field;
	uint64_t value;
	size_t i;

	if (mad[0] != BASE_VERSION || mad[1] != CLASS_CM || mad[2] != CLASS_VERSION ||
	    mad[3] != METHOD_SEND || layout == NULL)
		return -EBADMSG;
	memset(msg, 0, sizeof(*msg));
	msg->attr = attr;
	msg->tid = bits_get(mad, 8 * 8, 64);
	msg->attr_mod = (uint32_t)bits_get(mad, 20 * 8, 32);
	for (field = layout->fields; field->width != 0; field++) {
		value = field->width > 64 ? 0 :
			bits_get(body, field->byte * 8u + field->bit, field->width);
		memcpy((uint8_t *)msg + field->offset,
		       field->width > 64 ? (const void *)(body + field->byte) : &value,
		       field->size);
	}
	for (i = 0; attr == SWHCA_CM_REP && i < 3; i++)
		msg->rep.vendor_id = msg->rep.vendor_id << 8 | body[rep_vendor_bytes[i]];
	memcpy(msg->private_data, body + layout->private_byte, layout->private_len);
	return 0;
}
