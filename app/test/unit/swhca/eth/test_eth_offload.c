/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* What queues do to frames: checksums, tags, large sends, and hashes. */

#include "budget.h"
#include "nic.h"

#include "eth/frame.h"

#define CS_L3		0x40
#define CS_L4		0x80
#define OP_TSO		0x0e
#define HDR_LEN		54u	/* Ethernet, IPv4, TCP */
#define TCP_SEQ		0x01020304u
#define PSH_ACK_FIN_CWR	0x99u

/* A segment of TCP from 192.0.2.1:0x1234 to 192.0.2.2:0x5678 without checksums. */
static size_t
tcp_fill(uint8_t *to, size_t payload)
{
	static const uint8_t headers[] = {
		0x08, 0x00, 0x45, 0x00, 0x00, 0x00, 0x12, 0xfe, 0x40, 0x00, 0x40, 0x06, 0x00, 0x00,
		192, 0, 2, 1, 192, 0, 2, 2,
		0x12, 0x34, 0x56, 0x78, 0x01, 0x02, 0x03, 0x04, 0x00, 0x00, 0x00, 0x00,
		0x50, PSH_ACK_FIN_CWR, 0xff, 0xff, 0x00, 0x00, 0x00, 0x00,
	};
	size_t i, ip_len = HDR_LEN - 14 + payload;

	memcpy(to, b->mac, 6);
	memcpy(to + 6, a->mac, 6);
	memcpy(to + 12, headers, sizeof(headers));
	to[16] = (uint8_t)(ip_len >> 8);
	to[17] = (uint8_t)ip_len;
	for (i = 0; i < payload; i++)
		to[HDR_LEN + i] = (uint8_t)(i * 7 + i / 256);
	return HDR_LEN + payload;
}

/* RFC 1071, in another way than the model's: of bytes, a carry at a time. */
static uint16_t
sum16(uint32_t sum, const uint8_t *data, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		sum += i % 2 == 0 ? (uint32_t)data[i] << 8 : data[i];
		if (sum > 0xffff)
			sum -= 0xffff;
	}
	return (uint16_t)sum;
}

static void
expect_sums(const uint8_t *packet, size_t len)
{
	uint32_t pseudo = sum16((uint32_t)(len - 34) + 6, packet + 26, 8);

	assert_int_equal(sum16(0, packet + 14, 20), 0xffff);
	assert_int_equal(sum16(pseudo, packet + 34, len - 34), 0xffff);
}

static uint16_t
get16(const uint8_t *at)
{
	return (uint16_t)(at[0] << 8 | at[1]);
}

NIC_CASE(checksums_are_filled_in_and_checked)
{
	const struct nic_send none = { 0 }, both = { .cs_flags = CS_L3 | CS_L4, .inline_len = 18 };
	const struct mlx5_cqe64 *cqe;
	uint8_t packet[256];
	size_t len = tcp_fill(packet, 101);
	uint16_t sum;

	nic_recv_post(b, 4);
	nic_post(a, packet, len, &both);
	nics_run(all);
	cqe = NOT_NULL(nic_recv_cqe(b));
	expect_sums(nic_frame(b, cqe), len);
	assert_int_equal(cqe->hds_ip_ext & 7, 7);		/* l2, l3, l4 are right */
	assert_int_equal(cqe->l4_hdr_type_etc, 4 << 4 | 2 << 2);	/* TCP with data, IPv4 */
	memcpy(&sum, (const uint8_t *)cqe + 20, 2);
	assert_int_equal(be16toh(sum), sum16(0, nic_frame(b, cqe) + 14, len - 14));
	nic_post(a, packet, len, &none);
	nics_run(all);
	cqe = NOT_NULL(nic_recv_cqe(b));
	assert_memory_equal(nic_frame(b, cqe), packet, len);
	assert_int_equal(cqe->hds_ip_ext & 7, 1);
}

/* Lengths, numbers, flags and sums of each frame of a large send. */
static void
expect_segments(const uint8_t *large, size_t payload, size_t mss)
{
	const struct mlx5_cqe64 *cqe;
	size_t done, part, number = 0;
	const uint8_t *packet;
	uint32_t seq;
	uint8_t flags;

	for (done = 0; done < payload; done += part, number++) {
		part = payload - done < mss ? payload - done : mss;
		cqe = NOT_NULL(nic_recv_cqe(b));
		assert_int_equal(be32toh(cqe->byte_cnt), HDR_LEN + part);
		packet = nic_frame(b, cqe);
		expect_sums(packet, HDR_LEN + part);
		assert_int_equal(get16(packet + 16), HDR_LEN - 14 + part);
		assert_int_equal(get16(packet + 18), (0x12fe + number) & 0xffff);
		memcpy(&seq, packet + 38, 4);
		assert_int_equal(be32toh(seq), TCP_SEQ + done);
		flags = PSH_ACK_FIN_CWR;
		if (done + part < payload)
			flags &= (uint8_t)~0x09u;
		if (number > 0)
			flags &= (uint8_t)~0x80u;
		assert_int_equal(packet[47], flags);
		assert_memory_equal(packet + HDR_LEN, large + HDR_LEN + done, part);
	}
	assert_null(nic_recv_cqe(b));
}

/* 54 bytes of headers are more than nic_post() has room for: the WQE is made here. */
static void
large_post(struct nic *nic, const uint8_t *packet, size_t len, uint16_t mss, uint32_t hdr_len)
{
	uint32_t nb_ds = 2 + (hdr_len - 2 + 15) / 16 + 1, bb = (nb_ds + 3) / 4, i;
	uint8_t wqe[256] = { 0 };

	memcpy(nic->tx, packet, len);
	world_put(wqe, 0, 0, (uint32_t)nic->sq_pi << 8 | OP_TSO);
	world_put(wqe, 1, 0, nic->sqn << 8 | nb_ds);
	world_put(wqe, 2, 0, CE);
	world_put(wqe, 5, 24, CS_L3 | CS_L4);
	world_put(wqe, 5, 0, mss);
	world_put(wqe, 7, 16, hdr_len);
	memcpy(wqe + 30, packet, hdr_len);
	world_put(wqe, (nb_ds - 1) * 4, 0, (uint32_t)(len - hdr_len));
	world_put(wqe, (nb_ds - 1) * 4 + 1, 0, nic->key);
	world_put_bus(wqe, (nb_ds - 1) * 4 + 2, nic->tx + hdr_len);
	/* It may go around the end of the ring. */
	for (i = 0; i < bb; i++, nic->sq_pi++)
		memcpy(nic->sq + (nic->sq_pi % NIC_WQES) * 64, wqe + (size_t)i * 64, 64);
	nic_ring(nic);
}

NIC_CASE(large_sends_are_cut)
{
	static const size_t payloads[] = { 1, 1447, 1448, 1449, 14480, 20000 };
	uint8_t *packet = malloc(65536);
	size_t i, len;

	assert_non_null(packet);
	nic_recv_post(b, NIC_WQES);
	/* Each is two WQEBBs: the ninth is around the end. */
	for (i = 0; i < 3 * NB_OF(payloads); i++) {
		len = tcp_fill(packet, payloads[i % 6]);
		large_post(a, packet, len, 1448, HDR_LEN);
		nics_run(all);
		assert_int_equal(nic_send_cqe(a)->op_own >> 4, MLX5_CQE_REQ);
		expect_segments(packet, payloads[i % 6], 1448);
		nic_recv_post(b, (unsigned int)((payloads[i % 6] + 1447) / 1448));
	}
	free(packet);
}

NIC_CASE(large_sends_without_headers_are_errors)
{
	uint8_t packet[4096];
	size_t len = tcp_fill(packet, 3000);

	packet[23] = 17;		/* UDP */
	large_post(a, packet, len, 1448, HDR_LEN);
	nics_run(all);
	expect_error(nic_send_cqe(a), MLX5_CQE_REQ_ERR, MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR);
	assert_null(nic_recv_cqe(b));
}

NIC_CASE(tags_are_inserted_and_stripped)
{
	const struct nic_send how = { .insert = 0x8000, .tci = 0x6123 };
	const struct mlx5_cqe64 *cqe;
	uint8_t in[0x110] = { 0 };

	nic_recv_post(b, 4);
	nic_post(a, frame, sizeof(frame), &how);
	nics_run(all);
	cqe = NOT_NULL(nic_recv_cqe(b));
	assert_int_equal(cqe->l4_hdr_type_etc & 1, 1);
	assert_int_equal(be16toh(cqe->vlan_info), 0x6123);
	assert_int_equal(be32toh(cqe->byte_cnt), sizeof(frame));
	assert_memory_equal(nic_frame(b, cqe), frame, sizeof(frame));
	/* MODIFY_RQ: vsd, they stay. */
	world_put(in, 2, 0, b->rqn);
	world_put(in, 2, 28, 1);
	world_put(in, 5, 1, 1);
	world_put(in, 8, 28, 1);
	world_put(in, 8, 20, 1);
	assert_int_equal(nic_exec(b, in, sizeof(in), 0x909, NULL), 0);
	nic_post(a, frame, sizeof(frame), &how);
	nics_run(all);
	cqe = NOT_NULL(nic_recv_cqe(b));
	assert_int_equal(cqe->l4_hdr_type_etc & 1, 0);
	assert_int_equal(be32toh(cqe->byte_cnt), sizeof(frame) + 4);
	assert_memory_equal(nic_frame(b, cqe) + 12, "\x81\x00\x61\x23\x88\xb5", 6);
	assert_memory_equal(nic_frame(b, cqe) + 18, frame + 14, sizeof(frame) - 14);
}

/* The vector of Microsoft's "Verifying the RSS hash calculation". */
NIC_CASE(toeplitz_is_that_of_the_book)
{
	static const uint8_t key[40] = {
		0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25, 0x3d, 0x43, 0xa3,
		0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb, 0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3,
		0x80, 0x30, 0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa,
	};
	static const uint8_t tuple[] = { 66, 9, 149, 187, 161, 142, 100, 80, 10, 234, 6, 230 };
	uint8_t tirc[PRM_TIRC_SIZE] = { 0 }, bytes[HDR_LEN], type;
	struct swhca_frame parsed;

	tcp_fill(bytes, 0);
	memcpy(bytes + 26, tuple, sizeof(tuple));
	memcpy(tirc + 0x28, key, sizeof(key));
	world_put(tirc, 9, 28, 2);
	world_put(tirc, 20, 0, 0xf);
	swhca_frame_parse(&parsed, bytes, sizeof(bytes));
	assert_int_equal(swhca_frame_hash(&parsed, tirc, &type), 0x51ccc178);
	assert_int_equal(type, 0x44);
	world_put(tirc, 20, 0, 0);
	memset(tirc + 80, 0, 4);
	world_put(tirc, 20, 0, 0x3);
	assert_int_equal(swhca_frame_hash(&parsed, tirc, &type), 0x323e8fc2);
	assert_int_equal(type, 0x04);
	/* Both directions alike. */
	world_put(tirc, 20, 0, 0xc);
	world_put(tirc, 8, 31, 1);
	const uint32_t hash = swhca_frame_hash(&parsed, tirc, &type);

	memcpy(bytes + 26, tuple + 4, 4);
	memcpy(bytes + 30, tuple, 4);
	memcpy(bytes + 34, tuple + 10, 2);
	memcpy(bytes + 36, tuple + 8, 2);
	swhca_frame_parse(&parsed, bytes, sizeof(bytes));
	assert_int_equal(swhca_frame_hash(&parsed, tirc, &type), hash);
	/* Of another protocol: no hash. */
	bytes[14] = 0x55;
	swhca_frame_parse(&parsed, bytes, sizeof(bytes));
	assert_int_equal(swhca_frame_hash(&parsed, tirc, &type), 0);
	assert_int_equal(type, 0);
}

/* Whatever bytes there are, no header is found beyond the end: under a sanitizer this tells. */
NIC_CASE(frames_of_garbage_are_followed_no_further)
{
	uint8_t match[PRM_MATCH_OUTER_SIZE], tirc[PRM_TIRC_SIZE], type, *bytes;
	const uint32_t nb_rounds = 8 * test_nb_cases();
	uint32_t seed = test_seed(), round, i;
	struct swhca_frame parsed;
	size_t len;

	memset(tirc, 0xff, sizeof(tirc));
	world_put(memset(tirc + 36, 0, 4), 0, 28, 2);
	for (round = 0; round < nb_rounds; round++) {
		len = 14 + round % 90;
		bytes = NOT_NULL(malloc(len));
		for (i = 0; i < len; i++)
			bytes[i] = (uint8_t)((seed = seed * 1664525 + 1013904223) >> 24);
		memcpy(bytes + 12, round % 3 == 0 ? "\x86\xdd" : round % 3 == 1 ? "\x08\x00" :
								     "\x81\x00", 2);
		if (len > 16)
			bytes[14] = round % 2 == 0 ? 0x45 : 0x60;
		if (len > 20)
			memset(bytes + 16, 0, 3);
		swhca_frame_parse(&parsed, bytes, len);
		assert_true(parsed.l3 < len && parsed.l4 < len && parsed.end <= len);
		swhca_frame_match(&parsed, match);
		swhca_frame_hash(&parsed, tirc, &type);
		swhca_frame_l3_is_ok(&parsed);
		swhca_frame_l4_is_ok(&parsed);
		swhca_frame_set_l4(&parsed, bytes);
		swhca_frame_set_l3(&parsed, bytes);
		free(bytes);
	}
}
