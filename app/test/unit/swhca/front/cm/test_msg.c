/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include "cases.h"
#include "budget.h"
#include "front/cm/cm_msg.h"

static uint8_t mad[SWHCA_MAD_LEN];	/* built last */

/* A message of that attribute has these bytes behind its header. */
static void
expect_body(const struct swhca_cm_msg *msg, uint8_t attr, const uint8_t *body, size_t len)
{
	memset(mad, 0xa5, sizeof(mad));
	swhca_cm_build(msg, mad);
	assert_int_equal(mad[17], attr);
	assert_memory_equal(mad + 24, body, len);
}

static void
zero_from(size_t from, size_t to)
{
	for (; from < to; from++)
		assert_int_equal(mad[from], 0);
}

/* Header: IBTA vol. 1, 13.4.2; classes 13.4.4; methods 13.4.5. */
CASE(header_is_that_of_the_class)
{
	static const uint8_t header[24] = {
		0x01, 0x07, 0x02, 0x03, 0, 0, 0, 0,
		0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88,
		0x00, 0x14, 0, 0, 0xa1, 0xa2, 0xa3, 0xa4,
	};
	struct swhca_cm_msg msg = {
		.attr = SWHCA_CM_RTU, .tid = 0x1122334455667788, .attr_mod = 0xa1a2a3a4,
		.local_id = 0xc1c2c3c4, .remote_id = 0xd1d2d3d4, .private_data = { 0x99 },
	};
	static const uint8_t body[] = {
		0xc1, 0xc2, 0xc3, 0xc4, 0xd1, 0xd2, 0xd3, 0xd4, 0x99, 0,
	};

	expect_body(&msg, 0x14, body, sizeof(body));
	assert_memory_equal(mad, header, sizeof(header));
}

static const uint8_t gid_a[16] = { [10] = 0xff, [11] = 0xff, [12] = 10, [15] = 1 };
static const uint8_t gid_b[16] = { [10] = 0xff, [11] = 0xff, [12] = 10, [15] = 2 };

static struct swhca_cm_msg
req_make(void)
{
	struct swhca_cm_msg msg = {
		.attr = SWHCA_CM_REQ, .local_id = 0x01020304,
		.req = {
			.vendor_id = 0xe1e2e3, .service_id = 0x0000000001061234,
			.ca_guid = 0x0102030405060708, .qkey = 0x0a0b0c0d, .qpn = 0x112233,
			.responder_resources = 0x16, .initiator_depth = 0x10,
			.remote_response_timeout = 20, .service_type = 2, .flow_control = 1,
			.starting_psn = 0x445566, .local_response_timeout = 19, .retry_count = 7,
			.pkey = 0xffff, .path_mtu = 5, .rnr_retry_count = 6, .max_cm_retries = 15,
			.srq = 1, .ext_service_type = 1,
			.primary = {
				.local_lid = 0xffff, .remote_lid = 0xfffe, .flow_label = 0x12345,
				.rate = 7, .traffic_class = 0x20, .hop_limit = 64, .sl = 3,
				.is_subnet_local = 1, .ack_timeout = 17,
			},
		},
		.private_data = { 0x77 },
	};

	memcpy(msg.req.primary.local_gid, gid_a, 16);
	memcpy(msg.req.primary.remote_gid, gid_b, 16);
	msg.private_data[91] = 0x78;
	return msg;
}

/* Table 106, byte by byte. */
CASE(req_is_where_the_table_has_it)
{
	static const uint8_t body[96] = {
		0x01, 0x02, 0x03, 0x04, 0x00, 0xe1, 0xe2, 0xe3,		/* 0 */
		0x00, 0x00, 0x00, 0x00, 0x01, 0x06, 0x12, 0x34,		/* 8: service */
		0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08,		/* 16: GUID */
		0x00, 0x00, 0x00, 0x00, 0x0a, 0x0b, 0x0c, 0x0d,		/* 24 */
		0x11, 0x22, 0x33, 0x16, 0x00, 0x00, 0x00, 0x10,		/* 32 */
		0x00, 0x00, 0x00, 0xa5,		/* 40: 20 << 3 | 2 << 1 | 1 */
		0x44, 0x55, 0x66, 0x9f,		/* 44: 19 << 3 | 7 */
		0xff, 0xff, 0x56, 0xf9,		/* 48: 5 << 4 | 6, 15 << 4 | 1 << 3 | 1 */
		0xff, 0xff, 0xff, 0xfe,		/* 52: LIDs */
		0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, 1,	/* 56 */
		0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, 2,	/* 72 */
		0x12, 0x34, 0x50, 0x07, 0x20, 0x40, 0x38, 0x88,		/* 88 */
	};
	struct swhca_cm_msg msg = req_make();

	expect_body(&msg, 0x10, body, sizeof(body));
	zero_from(24 + 96, 24 + 140);
	assert_int_equal(mad[24 + 140], 0x77);
	assert_int_equal(mad[24 + 140 + 91], 0x78);
	assert_int_equal(24 + 140 + SWHCA_CM_REQ_PRIVATE_LEN, SWHCA_MAD_LEN);
}

/* Table 110; vendor ID of ECE in bytes that were reserved. */
CASE(rep_is_where_the_table_has_it)
{
	static const uint8_t body[] = {
		1, 2, 3, 4, 5, 6, 7, 8, 0x0a, 0x0b, 0x0c, 0x0d,
		0x11, 0x22, 0x33, 0xe1, 0x44, 0x55, 0x66, 0xe2, 0x77, 0x88, 0x99, 0xe3,
		4, 5, 0x7b,		/* 15 << 3 | 1 << 1 | 1 */
		0xf0,			/* 7 << 5 | 1 << 4 */
		0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x5a,
	};
	struct swhca_cm_msg msg = {
		.attr = SWHCA_CM_REP, .local_id = 0x01020304, .remote_id = 0x05060708,
		.rep = {
			.qkey = 0x0a0b0c0d, .qpn = 0x112233, .ee_context = 0x445566,
			.starting_psn = 0x778899, .responder_resources = 4, .initiator_depth = 5,
			.target_ack_delay = 15, .failover = 1, .flow_control = 1,
			.rnr_retry_count = 7, .srq = 1, .ca_guid = 0x0102030405060708,
			.vendor_id = 0xe1e2e3,
		},
		.private_data = { 0x5a },
	};

	expect_body(&msg, 0x13, body, sizeof(body));
}

/* Tables 107, 108, 112. */
CASE(answers_are_where_the_tables_have_them)
{
	static const uint8_t mra[] = { 0, 0, 0, 1, 0, 0, 0, 2, 0x40, 0xc0, 0x33 };
	static const uint8_t rej[] = { 0, 0, 0, 1, 0, 0, 0, 2, 0x80, 0x10, 0x00, 0x1c,
				       8, 7, 6, 5, 4, 3, 2, 1 };
	static const uint8_t dreq[] = { 0, 0, 0, 1, 0, 0, 0, 2, 0x0a, 0x0b, 0x0c, 0 };
	struct swhca_cm_msg msg = {
		.attr = SWHCA_CM_MRA, .local_id = 1, .remote_id = 2,
		.mra = { .answered = SWHCA_CM_ANSWERED_REP, .service_timeout = 24 },
		.private_data = { 0x33 },
	};

	expect_body(&msg, 0x11, mra, sizeof(mra));

	msg.attr = SWHCA_CM_REJ;
	msg.rej = (struct swhca_cm_rej){ .answered = SWHCA_CM_ANSWERED_OTHER, .info_len = 8,
		.reason = SWHCA_CM_REASON_CONSUMER, .info_guid = 0x0807060504030201 };
	expect_body(&msg, 0x12, rej, sizeof(rej));
	assert_int_equal(mad[24 + 84], 0x33);

	msg.attr = SWHCA_CM_DREQ;
	msg.dreq_qpn = 0x0a0b0c;
	expect_body(&msg, 0x15, dreq, sizeof(dreq));
	assert_int_equal(mad[24 + 12], 0x33);
}

/* Tables 119 and 120. */
CASE(sidr_is_where_the_tables_have_it)
{
	static const uint8_t req[] = { 1, 2, 3, 4, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 1, 0x11, 0x30,
				       0x39, 0x66 };
	static const uint8_t rep[] = { 1, 2, 3, 4, 2, 0, 0, 0, 0x0a, 0x0b, 0x0c, 0,
				       0, 0, 0, 0, 1, 0x11, 0x30, 0x39, 0x01, 0x23, 0x45, 0x67 };
	struct swhca_cm_msg msg = {
		.attr = SWHCA_CM_SIDR_REQ,
		.sidr_req = { .request_id = 0x01020304, .pkey = 0xffff, .service_id = 0x1113039 },
		.private_data = { 0x66 },
	};

	expect_body(&msg, 0x17, req, sizeof(req));

	msg.attr = SWHCA_CM_SIDR_REP;
	msg.sidr_rep = (struct swhca_cm_sidr_rep){ .request_id = 0x01020304,
		.status = SWHCA_CM_SIDR_REJECTED, .qpn = 0x0a0b0c, .service_id = 0x1113039,
		.qkey = 0x01234567 };
	expect_body(&msg, 0x18, rep, sizeof(rep));
	assert_int_equal(mad[24 + 96], 0x66);
	assert_int_equal(24 + 96 + SWHCA_CM_SIDR_REP_PRIVATE_LEN, SWHCA_MAD_LEN);
}

/* What is built is read back the same, for every message and any bits. */
CASE(every_message_comes_back)
{
	uint8_t again[SWHCA_MAD_LEN];
	struct swhca_cm_msg msg;

	srand(test_seed());
	for (unsigned int attr = SWHCA_CM_REQ; attr <= SWHCA_CM_SIDR_REP; attr++) {
		for (unsigned int i = 0; i < sizeof(mad); i++)
			mad[i] = (uint8_t)rand();
		memcpy(mad, (const uint8_t[]){ 1, 7, 2, 3 }, 4);
		mad[16] = 0;
		mad[17] = (uint8_t)attr;
		assert_int_equal(swhca_cm_parse(mad, &msg), 0);
		memset(again, 0xa5, sizeof(again));
		swhca_cm_build(&msg, again);
		assert_int_equal(swhca_cm_parse(again, &msg), 0);
		swhca_cm_build(&msg, mad);
		assert_memory_equal(mad, again, sizeof(mad));
	}
}

CASE(other_messages_are_rejected)
{
	static const struct {
		unsigned int byte;
		uint8_t value;
	} bad[] = {
		{ 0, 2 }, { 1, 3 }, { 2, 1 }, { 3, 1 }, { 3, 0x83 }, { 16, 1 }, { 17, 0x0f },
		{ 17, 0x19 }, { 17, 0xff }, { 17, 0 },
	};
	struct swhca_cm_msg msg = req_make(), out;

	memset(&out, 0xa5, sizeof(out));
	for (size_t i = 0; i < NB_OF(bad); i++) {
		swhca_cm_build(&msg, mad);
		mad[bad[i].byte] = bad[i].value;
		row_check_at(i, swhca_cm_parse(mad, &out), -EBADMSG);
		assert_int_equal(out.attr, 0xa5a5);
	}
}
