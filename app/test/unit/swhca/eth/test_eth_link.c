/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Frames that leave the fabric by the link of a port, and that come by it. The other end is a
 * socket, as QEMU's -netdev dgram has it.
 */

#include "nic.h"
#include "wire/link/link_bed.h"

#include "include/link.h"

static const uint8_t everybody[6] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };
static const uint8_t stranger[6] = { 0x02, 0, 0, 0, 0, 0x99 };
/* What the link makes of its address, 10.9.0.2. */
static const uint8_t link_mac[6] = { 0x02, 0, 10, 9, 0, 2 };

static int peer;

static int
linked_setup(void **state)
{
	struct swhca_link_conf conf = { 0 };
	struct swhca_link *link;
	uint16_t own, other = 0;
	char wire[64];

	assert_int_equal(nics_setup(state), 0);
	peer = socket_bind(&other);
	own = eth_text(wire, other, 2);
	conf.wire = wire;
	assert_int_equal(swhca_link_open(&conf, &link), 0);
	assert_int_equal(swhca_hca_set_link(a->hca, link), 0);
	socket_connect(peer, own);
	return 0;
}

static int
linked_teardown(void **state)
{
	close(peer);
	return nics_teardown(state);
}

#define LINK_CASE(f) CASE_WITH(f, linked_setup, linked_teardown)

/* The next frame that the peer gets, waited for, or 0: none at once. */
static size_t
peer_receive(uint8_t *got, size_t size, bool must_come)
{
	struct pollfd fd = { .fd = peer, .events = POLLIN };
	ssize_t len;

	if (poll(&fd, 1, must_come ? patience_ms() : 0) == 0)
		return 0;
	len = recv(peer, got, size, 0);
	assert_true(len >= 0);
	return (size_t)len;
}

/* Send a frame from outside, and let the port look for it. */
static const struct mlx5_cqe64 *
peer_send(size_t len, bool must_come)
{
	const struct mlx5_cqe64 *cqe = NULL;
	const uint64_t end = patience_end();

	assert_int_equal(send(peer, frame, len, 0), len);
	for (int i = 0; (must_come ? !patience_is_over(end) : i < 20) && cqe == NULL; i++) {
		swhca_fabric_poll(all->fabric);
		cqe = nic_recv_cqe(a);
		if (cqe == NULL)
			usleep(1000);
	}
	return cqe;
}

LINK_CASE(frames_of_strangers_leave)
{
	uint8_t got[2048];

	nic_recv_post(b, 4);
	nic_frame_fill(frame, stranger, a->mac);
	frame_send(a);
	assert_int_equal(peer_receive(got, sizeof(got), true), sizeof(frame));
	assert_memory_equal(got, frame, sizeof(frame));
	/* A short one is padded (IEEE 802.3). */
	nic_send(all, a, frame, 20);
	assert_int_equal(peer_receive(got, sizeof(got), true), 60);
	assert_memory_equal(got, frame, 20);
	/* What is known here stays here, and groups go both ways. */
	nic_frame_fill(frame, b->mac, a->mac);
	frame_send(a);
	assert_int_equal(peer_receive(got, sizeof(got), false), 0);
	assert_non_null(nic_recv_cqe(b));
	nic_frame_fill(frame, everybody, a->mac);
	frame_send(a);
	assert_int_equal(peer_receive(got, sizeof(got), true), sizeof(frame));
	assert_non_null(nic_recv_cqe(b));
	/* Another port has no link. */
	nic_frame_fill(frame, stranger, b->mac);
	frame_send(b);
	assert_int_equal(peer_receive(got, sizeof(got), false), 0);
}

LINK_CASE(frames_come_to_the_port_of_the_link)
{
	const struct mlx5_cqe64 *cqe;

	nic_recv_post(a, 4);
	nic_recv_post(b, 4);
	nic_frame_fill(frame, a->mac, stranger);
	cqe = NOT_NULL(peer_send(sizeof(frame), true));
	assert_memory_equal(nic_frame(a, cqe), frame, sizeof(frame));
	nic_frame_fill(frame, stranger, a->mac);
	assert_null(peer_send(sizeof(frame), false));
	nic_frame_fill(frame, everybody, stranger);
	assert_non_null(peer_send(sizeof(frame), true));
	assert_null(nic_recv_cqe(b));
	assert_null(peer_send(10, false));
	swhca_hca_port_set(a->hca, false);
	assert_null(peer_send(sizeof(frame), false));
}

/* RoCE is for queue pairs: not even who wants all frames gets it. */
LINK_CASE(packets_of_roce_are_no_frames)
{
	static const uint8_t headers[] = {
		0x08, 0x00, 0x45, 0x00, 0x00, 0x2e, 0x00, 0x00, 0x40, 0x00, 0x40, 0x11, 0x26, 0xac,
		10, 9, 0, 1, 10, 9, 0, 2,
		0xc0, 0x00, 0x12, 0xb7, 0x00, 0x1a, 0x00, 0x00,
	};
	uint32_t sum = 0;

	nic_recv_post(a, 4);
	assert_int_equal(nic_promisc_set(a, false, false, true), 0);
	nic_frame_fill(frame, link_mac, stranger);
	memcpy(frame + 12, headers, sizeof(headers));
	frame[24] = frame[25] = 0;
	for (size_t i = 14; i < 34; i += 2)
		sum += (uint32_t)frame[i] << 8 | frame[i + 1];
	sum = ~((sum & 0xffff) + (sum >> 16));
	frame[24] = (uint8_t)(sum >> 8);
	frame[25] = (uint8_t)sum;
	assert_null(peer_send(sizeof(frame), false));
	frame[37] = 0xb8;	/* another port */
	assert_non_null(peer_send(sizeof(frame), true));
}
