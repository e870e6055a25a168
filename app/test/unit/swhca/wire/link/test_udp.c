/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Links that are UDP sockets. */

#include <arpa/inet.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cases.h"
#include "budget.h"
#include "../../../../patience.h"
#include "base/log.h"
#include "wire/link/udp.h"
#include "wire/packet/bytes.h"

#include "link_bed.h"

#define LEN_MIN 16u
#define LEN_MAX 4200u

static struct {
	struct swhca_link *a;
	struct swhca_link *b;
	uint8_t bytes[SWHCA_LINK_BATCH * LEN_MAX];
	struct swhca_link_packet out[SWHCA_LINK_BATCH], in[SWHCA_LINK_BATCH];
} bed;

static int
setup(void **state)
{
	uint32_t seed = 1;

	bed.a = bed_open("udp", NULL, NULL, 0);
	bed.b = bed_open("udp", NULL, NULL, 1);
	for (size_t i = 0; i < sizeof(bed.bytes); i++) {
		seed = seed * 1664525u + 1013904223u;
		bed.bytes[i] = (uint8_t)(seed >> 24);
	}
	return 0;
}

static int
teardown(void **state)
{
	swhca_link_close(bed.a);
	swhca_link_close(bed.b);
	return 0;
}

/* Receive so many, and compare them with what was sent, in order. */
static void
expect(struct swhca_link *to, const struct swhca_link_packet *sent, unsigned int nb)
{
	unsigned int done = 0, got, i;

	while (done < nb) {
		got = bed_receive_some(to, bed.in, SWHCA_LINK_BATCH, patience_ms());
		assert_true(got > 0 && got <= nb - done);
		for (i = 0; i < got; i++, done++) {
			assert_int_equal(bed.in[i].len, sent[done].len);
			assert_memory_equal(bed.in[i].data, sent[done].data, sent[done].len);
			assert_memory_equal(bed.in[i].ip.sgid, sent[done].ip.sgid, 16);
			assert_memory_equal(bed.in[i].ip.dgid, sent[done].ip.dgid, 16);
			assert_int_equal(bed.in[i].ip.src_port, sent[done].ip.src_port);
			assert_int_equal(bed.in[i].ip.tclass, sent[done].ip.tclass);
			assert_int_equal(bed.in[i].ip.hop_limit, sent[done].ip.hop_limit);
			assert_true(bed.in[i].ip.is_df);
			assert_true(bed.in[i].has_id);
			assert_int_equal(bed.in[i].ip.id, 0);
		}
	}
}

/* Bytes from that place on, from a to b. */
static struct swhca_link_packet
to_b(size_t at, uint32_t len)
{
	return bed_packet(bed.a, bed.b, bed.bytes + at, len);
}

static void
pass(unsigned int nb)
{
	bed_send(bed.a, bed.out, nb);
	expect(bed.b, bed.out, nb);
}

CASE_WITH(addresses_are_free_ones_of_the_loopback_net, setup, teardown)
{
	uint8_t gid[16], other[16], mac[6];

	swhca_link_gid(bed.a, gid);
	swhca_link_gid(bed.b, other);
	assert_memory_not_equal(gid, other, 16);
	assert_int_equal(gid[12], 127);
	assert_int_equal(gid[13], 0);
	assert_int_equal(swhca_link_lid(bed.a), gid[14] << 8 | gid[15]);
	assert_true(swhca_link_lid(bed.a) >= 0x101 && swhca_link_lid(bed.a) <= 0xbfff);
	swhca_link_mac(bed.a, mac);
	assert_int_equal(mac[0], 2);
	assert_int_equal(mac[1], 0);
	assert_memory_equal(mac + 2, gid + 12, 4);
	assert_int_equal(bed.a->src_port, 4791);
	assert_true(bed.a->mtu >= LEN_MAX);
	assert_true(bed.a->room >= 65536);
}

CASE_WITH(path_mtu_is_what_the_interface_carries, setup, teardown)
{
	static const uint32_t mtus[][2] = {
		{ 65508, 4096 }, { 4160, 4096 }, { 4159, 2048 }, { 1472, 1024 }, { 1452, 1024 },
		{ 576, 512 }, { 320, 256 }, { 319, 0 }, { 0, 0 },
	};
	struct swhca_link link = *bed.a;

	assert_int_equal(swhca_link_path_mtu(bed.a), 4096);
	for (unsigned int i = 0; i < NB_OF(mtus); i++) {
		link.mtu = mtus[i][0];
		row_check_at(i, swhca_link_path_mtu(&link), mtus[i][1]);
	}
}

CASE_WITH(packets_of_every_length_arrive, setup, teardown)
{
	for (uint32_t len = LEN_MIN; len <= LEN_MAX; len++) {
		bed.out[0] = to_b(len % 64, len);
		pass(1);
	}
	assert_int_equal(swhca_link_stats(bed.a)->nb_sent, LEN_MAX - LEN_MIN + 1);
	assert_int_equal(swhca_link_stats(bed.b)->nb_received, LEN_MAX - LEN_MIN + 1);
	assert_int_equal(swhca_link_stats(bed.b)->nb_bytes_received,
			 swhca_link_stats(bed.a)->nb_bytes_sent);
}

/* Packets of one length behind each other, the last one shorter. */
static void
run_of(uint32_t len, uint32_t last_len, unsigned int nb)
{
	for (unsigned int i = 0; i < nb; i++)
		bed.out[i] = to_b((size_t)i * len, i + 1 < nb ? len : last_len);
}

CASE_WITH(runs_go_at_once_and_come_apart, setup, teardown)
{
	static const uint32_t lens[] = { 20, 276, 1044, 1048, 4116, 4120, 4200 };
	const struct swhca_udp *udp = (const struct swhca_udp *)bed_bottom(bed.a);

	for (unsigned int i = 0; i < NB_OF(lens); i++) {
		for (unsigned int nb = 1; nb <= SWHCA_LINK_BATCH; nb += nb < 4 ? 1 : 5) {
			run_of(lens[i], lens[i] - nb % 2 * 4, nb);
			pass(nb);
			if (udp->has_gso && nb * lens[i] < 65000)
				assert_int_equal(udp->out.nb_packets[0], nb);
		}
	}
	if (!udp->has_gso)
		print_message("the kernel has no UDP_SEGMENT: one packet a datagram\n");
}

CASE_WITH(scattered_packets_go_at_once_too, setup, teardown)
{
	for (unsigned int i = 0; i < SWHCA_LINK_BATCH; i++)
		bed.out[i] = to_b((SWHCA_LINK_BATCH - 1 - i) * 600u, 512);
	pass(SWHCA_LINK_BATCH);
}

CASE_WITH(batches_of_all_lengths_and_two_places_keep_their_order, setup, teardown)
{
	struct swhca_link_packet own[SWHCA_LINK_BATCH], other[SWHCA_LINK_BATCH];
	const uint32_t nb_rounds = test_nb_cases();
	unsigned int nb_a, nb_b, round, i, seed = test_seed();

	for (round = 0; round < nb_rounds; round++) {
		nb_a = nb_b = 0;
		for (i = 0; i < SWHCA_LINK_BATCH; i++) {
			struct swhca_link *to = rand_r(&seed) % 3 == 0 ? bed.a : bed.b;
			uint32_t len = LEN_MIN + (uint32_t)rand_r(&seed) % 4 * 44;

			bed.out[i] = bed_packet(bed.a, to, bed.bytes + (size_t)i * LEN_MAX, len);
			if (to == bed.a)
				own[nb_a++] = bed.out[i];
			else
				other[nb_b++] = bed.out[i];
		}
		bed_send(bed.a, bed.out, SWHCA_LINK_BATCH);
		expect(bed.a, own, nb_a);
		expect(bed.b, other, nb_b);
	}
}

CASE_WITH(class_and_hop_limit_are_seen, setup, teardown)
{
	bed.out[0] = to_b(0, 64);
	bed.out[0].ip.tclass = 0x68;
	bed.out[1] = to_b(0, 64);
	bed.out[1].ip.hop_limit = 3;
	bed.out[2] = to_b(0, 64);
	pass(3);
	/* 0 is none that a socket sends. */
	bed.out[0].ip.hop_limit = 0;
	bed_send(bed.a, bed.out, 1);
	bed.out[0].ip.hop_limit = SWHCA_LINK_HOP_LIMIT;
	expect(bed.b, bed.out, 1);
}

CASE_WITH(packets_received_together_are_handed_out_one_by_one, setup, teardown)
{
	run_of(100, 100, 10);
	bed_send(bed.a, bed.out, 10);
	for (unsigned int i = 0; i < 10; i++) {
		assert_int_equal(bed_receive_some(bed.b, bed.in, 1, patience_ms()), 1);
		assert_memory_equal(bed.in[0].data, bed.out[i].data, 100);
	}
	assert_true(bed.b->ops->deadline(bed.b) == UINT64_MAX);
	assert_int_equal(bed.b->ops->receive(bed.b, bed.in, 1), 0);
}

CASE_WITH(packets_that_cannot_be_sent_do_not_stop_others, setup, teardown)
{
	struct swhca_link_packet good[4];

	for (unsigned int i = 0; i < 9; i++)
		bed.out[i] = to_b((size_t)i * 64, 64);
	for (unsigned int i = 0; i < 4; i++)
		good[i] = bed.out[2 * i + 1];
	bed.out[0].ip.id = 1;
	bed.out[2].ip.is_df = false;
	bed.out[4].ip.sgid[15] ^= 1;
	bed.out[6].ip.dgid[0] = 0x20;
	bed.out[8].ip.src_port = 49152;
	assert_int_equal(bed.a->ops->send(bed.a, bed.out, 9), 9);
	expect(bed.b, good, 4);
	assert_int_equal(swhca_link_stats(bed.a)->nb_send_errors, 5);
	assert_int_equal(swhca_link_stats(bed.a)->nb_sent, 4);
	bed.out[0] = to_b(0, bed.a->mtu + 1);
	assert_int_equal(bed.a->ops->send(bed.a, bed.out, 1), 1);
	assert_int_equal(swhca_link_stats(bed.a)->nb_send_errors, 6);
}

CASE_WITH(addresses_of_nobody_do_not_stop_others, setup, teardown)
{
	static const uint8_t nobody[4] = { 127, 200, 1, 1 }, nowhere[4] = { 255, 255, 255, 255 };

	for (unsigned int i = 0; i < 100; i++) {
		for (uint32_t k = 0; k < 4; k++)
			bed.out[k] = to_b(0, 64 + 4 * k);
		memcpy(bed.out[1].ip.dgid + 12, nobody, 4);
		memcpy(bed.out[2].ip.dgid + 12, nowhere, 4);
		assert_int_equal(bed.a->ops->send(bed.a, bed.out, 4), 4);
		bed.out[1] = bed.out[3];
		expect(bed.b, bed.out, 2);
	}
	assert_int_equal(swhca_link_stats(bed.a)->nb_sent, 300);
	assert_int_equal(swhca_link_stats(bed.a)->nb_send_errors, 100);
}

/* Datagrams of somebody else: no packets, or as good as none. */
CASE_WITH(what_is_no_packet_is_refused, setup, teardown)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(4791) };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	assert_true(fd >= 0);
	memcpy(&to.sin_addr, bed.b->gid + 12, 4);
	for (size_t len = 0; len < LEN_MIN; len++)
		assert_int_equal(sendto(fd, bed.bytes, len, 0, (struct sockaddr *)&to, sizeof(to)),
				 len);
	assert_int_equal(sendto(fd, bed.bytes, LEN_MIN, 0, (struct sockaddr *)&to, sizeof(to)),
			 LEN_MIN);
	assert_int_equal(bed_receive_some(bed.b, bed.in, SWHCA_LINK_BATCH, patience_ms()), 1);
	assert_int_equal(bed.in[0].len, LEN_MIN);
	assert_int_not_equal(bed.in[0].ip.src_port, 4791);
	assert_int_equal(swhca_link_stats(bed.b)->nb_refused, LEN_MIN);
	close(fd);
}

/* To the address of the group, from joining to leaving; each as often as the other. */
CASE_WITH(groups_come_to_who_has_joined, setup, teardown)
{
	static const uint8_t group[16] = { [10] = 0xff, 0xff, 239, 1, 2, 3 };
	static const uint8_t other[16] = { [10] = 0xff, 0xff, 239, 1, 2, 4 };
	struct swhca_link *to = swhca_link_bottom(bed.b);

	for (unsigned int i = 0; i < 3; i++)
		bed.out[i] = to_b(i * LEN_MAX, 100 + i);
	memcpy(bed.out[0].ip.dgid, other, sizeof(other));
	memcpy(bed.out[1].ip.dgid, group, sizeof(group));
	to->ops->group(to, group, true);
	to->ops->group(to, group, true);
	for (unsigned int i = 0; i < 2; i++) {
		bed_send(bed.a, bed.out, 2);
		expect(bed.b, &bed.out[1], 1);
		to->ops->group(to, group, false);
	}
	bed_send(bed.a, bed.out, 3);
	expect(bed.b, &bed.out[2], 1);
	assert_int_equal(swhca_link_stats(bed.a)->nb_send_errors, 0);
	/* And again. */
	to->ops->group(to, group, true);
	bed_send(bed.a, bed.out, 2);
	expect(bed.b, &bed.out[1], 1);
}

/* Who has the port is not gone, though it says nothing. */
CASE_WITH(peers_that_are_gone_are_known, setup, teardown)
{
	struct swhca_link *link = swhca_link_bottom(bed.a);
	uint8_t peer[16], gone[16];
	uint64_t end = patience_end();

	swhca_link_gid(bed.b, peer);
	link->ops->probe(link, peer);
	assert_false(link->ops->refused(link, gone));
	swhca_link_close(bed.b);
	bed.b = NULL;
	assert_false(link->ops->refused(link, gone));
	link->ops->probe(link, peer);
	while (!link->ops->refused(link, gone))
		assert_true(!patience_is_over(end));
	assert_memory_equal(gone, peer, sizeof(gone));
	assert_false(link->ops->refused(link, gone));
}

/* What the ICRC counts: identification 0, "do not fragment", source port. */
CASE_WITH(header_is_as_the_icrc_counts_it, setup, teardown)
{
	uint8_t want[SWHCA_IP_UDP_MAX], got[256];
	int fd = socket(AF_INET, SOCK_RAW | SOCK_NONBLOCK, IPPROTO_UDP), i;
	ssize_t len = -1;

	if (fd < 0) {
		print_message("no raw socket without privileges\n");
		skip();
	}
	bed.out[0] = to_b(0, 64);
	pass(1);
	swhca_packet_ip_build(&bed.out[0].ip, 64, want, sizeof(want));
	for (i = 0; i < 1000; i++) {
		len = recv(fd, got, sizeof(got), 0);
		assert_true(len > 0);
		if (len == 28 + 64 && memcmp(got + 12, want + 12, 8) == 0)
			break;
	}
	assert_memory_equal(got, want, 26);	/* The checksum of UDP, behind it, may be there. */
	close(fd);
}

CASE_WITH(sockets_of_ipv6, setup, teardown)
{
	const struct swhca_link_conf conf = { .wire = "udp:::1" };
	struct swhca_link *link;
	int ret = swhca_link_open(&conf, &link);

	if (ret == -EADDRNOTAVAIL || ret == -EAFNOSUPPORT || ret == -EADDRINUSE) {
		print_message("::1: %s\n", strerror(-ret));
		skip();
	}
	assert_int_equal(ret, 0);
	assert_int_equal(swhca_link_lid(link), 0);
	for (unsigned int i = 0; i < SWHCA_LINK_BATCH; i++) {
		bed.out[i] = bed_packet(link, link, bed.bytes + i * 1048u, 1048);
		bed.out[i].ip.tclass = 0x20;
		bed.out[i].ip.hop_limit = 7;
		bed.out[i].ip.is_df = i % 2;	/* IPv6 has no such bit. */
	}
	bed_send(link, bed.out, SWHCA_LINK_BATCH);
	expect(link, bed.out, SWHCA_LINK_BATCH);
	for (unsigned int i = LEN_MIN; i < LEN_MAX; i += 7) {
		bed.out[0] = bed_packet(link, link, bed.bytes, i);
		bed_send(link, bed.out, 1);
		expect(link, bed.out, 1);
	}
	swhca_link_close(link);
}

static int
open_of(const char *wire)
{
	const struct swhca_link_conf conf = { .wire = wire };
	struct swhca_link *link = NULL;
	int ret = swhca_link_open(&conf, &link);

	if (ret == 0)
		swhca_link_close(link);
	return ret;
}

CASE_WITH(bad_texts_are_refused, setup, teardown)
{
	static const char *const bad[] = {
		"", "tcp", "udpx", "ud", "udp:", "udp:1.2.3", "udp:0.0.0.0", "udp:::",
		"udp:224.0.0.1", "udp:ff02::1", "udp:127.0.1.1%", "udp:fe80::1",
		"udp:::ffff:0.0.0.0",
		"udp:127.0.1.1%interface-with-long-name", "udp:localhost",
		"udp:1111:2222:3333:4444:5555:6666:7777:8888:9999:1111:2222",
	};

	for (unsigned int i = 0; i < NB_OF(bad); i++)
		row_check(bad[i], open_of(bad[i]), -EINVAL);
	/* Of no net (RFC 1112), and of the documentation's. */
	assert_int_equal(open_of("udp:240.0.0.1"), -EADDRNOTAVAIL);
	assert_int_equal(open_of("udp:2001:db8::1"), -EADDRNOTAVAIL);
	assert_int_equal(open_of("udp:127.0.0.1%nosuch0"), -EADDRNOTAVAIL);
}

CASE_WITH(address_of_another_is_refused, setup, teardown)
{
	char text[64];

	snprintf(text, sizeof(text), "udp:127.0.%u.%u", bed.a->gid[14], bed.a->gid[15]);
	assert_int_equal(open_of(text), -EADDRINUSE);
	swhca_link_close(bed.a);
	bed.a = bed_open(text, NULL, NULL, 0);
	swhca_link_close(bed.a);
	strcat(text, "%lo");
	bed.a = bed_open(text, NULL, NULL, 0);
	bed.out[0] = to_b(0, 1000);
	pass(1);
}

/* The other process answers all that comes, until a packet of 16 bytes comes. */
static void
peer_run(int out)
{
	struct swhca_link *link = bed_open("udp", NULL, NULL, 0);
	uint32_t last = 0;
	unsigned int got, i;

	if (write(out, link->gid, 16) != 16)
		_exit(2);
	while (last != LEN_MIN) {
		got = bed_receive_some(link, bed.in, SWHCA_LINK_BATCH, patience_ms());
		if (got == 0)
			_exit(3);
		for (i = 0; i < got; i++) {
			memcpy(bed.in[i].ip.dgid, bed.in[i].ip.sgid, 16);
			memcpy(bed.in[i].ip.sgid, link->gid, 16);
			bed.in[i].ip.src_port = link->src_port;
			last = bed.in[i].len;
		}
		bed_send(link, bed.in, got);
	}
	swhca_link_close(link);
	_exit(0);
}

CASE_WITH(processes_find_addresses_of_their_own, setup, teardown)
{
	struct swhca_link peer;
	int pipe_fds[2], status;
	pid_t pid;

	assert_int_equal(pipe(pipe_fds), 0);
	pid = fork();
	if (pid == 0)
		peer_run(pipe_fds[1]);
	assert_true(pid > 0);
	assert_int_equal(read(pipe_fds[0], peer.gid, 16), 16);
	assert_memory_not_equal(peer.gid, bed.a->gid, 16);
	assert_memory_not_equal(peer.gid, bed.b->gid, 16);
	run_of(1048, LEN_MIN, SWHCA_LINK_BATCH);
	for (unsigned int i = 0; i < SWHCA_LINK_BATCH; i++)
		memcpy(bed.out[i].ip.dgid, peer.gid, 16);
	bed_send(bed.a, bed.out, SWHCA_LINK_BATCH);
	for (unsigned int i = 0; i < SWHCA_LINK_BATCH; i++) {
		memcpy(bed.out[i].ip.sgid, peer.gid, 16);
		memcpy(bed.out[i].ip.dgid, bed.a->gid, 16);
	}
	expect(bed.a, bed.out, SWHCA_LINK_BATCH);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	close(pipe_fds[0]);
	close(pipe_fds[1]);
}

/* Nothing is lost on the way but what has no room where it arrives. */
CASE_WITH(packets_beyond_the_room_are_lost_and_nothing_else, setup, teardown)
{
	uint64_t sent = 0, got = 0;
	unsigned int i;

	for (i = 0; i < SWHCA_LINK_BATCH; i++)
		bed.out[i] = to_b(i * 1048u, 1048);
	while (sent * 1048 < bed.b->room / 4) {
		bed_send(bed.a, bed.out, SWHCA_LINK_BATCH);
		sent += SWHCA_LINK_BATCH;
	}
	while ((i = bed_receive_some(bed.b, bed.in, SWHCA_LINK_BATCH, 100)) > 0)
		got += i;
	assert_int_equal(got, sent);
}
