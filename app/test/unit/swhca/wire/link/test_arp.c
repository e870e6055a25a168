/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Ethernet addresses of neighbours. Frames are typed from RFC 826. */

#include "cases.h"
#include "wire/link/arp.h"

#define SECOND		UINT64_C(1000000000)
#define OWN_IP		"\x0a\x09\x00\x02"
#define OWN_MAC		"\x02\x00\x0a\x09\x00\x02"
#define OTHER_IP	"\x0a\x09\x00\x01"
#define OTHER_MAC	"\x52\x54\x00\x12\x34\x56"
#define BROADCAST	"\xff\xff\xff\xff\xff\xff"
#define NOBODY_MAC	"\x00\x00\x00\x00\x00\x00"
#define ETHERNET_IPV4	"\x00\x01\x08\x00\x06\x04"
#define REQUEST		"\x00\x01"
#define REPLY		"\x00\x02"
#define ARP_FRAME_LEN	42u

#define FRAME(dst, src, operation, sender_mac, sender_ip, target_mac, target_ip)                   \
	dst src "\x08\x06" ETHERNET_IPV4 operation sender_mac sender_ip target_mac target_ip

static const char own_request[] =
	FRAME(BROADCAST, OWN_MAC, REQUEST, OWN_MAC, OWN_IP, NOBODY_MAC, OTHER_IP);
static const char own_reply[] =
	FRAME(OTHER_MAC, OWN_MAC, REPLY, OWN_MAC, OWN_IP, OTHER_MAC, OTHER_IP);
static const char other_request[] =
	FRAME(BROADCAST, OTHER_MAC, REQUEST, OTHER_MAC, OTHER_IP, NOBODY_MAC, OWN_IP);
static const char other_reply[] =
	FRAME(OWN_MAC, OTHER_MAC, REPLY, OTHER_MAC, OTHER_IP, OWN_MAC, OWN_IP);

static struct swhca_arp arp;
static uint8_t frame[SWHCA_ETHER_MIN];

static int
setup(void **state)
{
	swhca_arp_init(&arp, (const uint8_t *)OWN_IP, (const uint8_t *)OWN_MAC);
	return 0;
}

static const struct swhca_arp_entry *
find(const char *ip, uint64_t now_ns)
{
	return swhca_arp_find(&arp, (const uint8_t *)ip, now_ns);
}

static int
receive(const char *bytes, uint64_t now_ns)
{
	return swhca_arp_receive(&arp, (const uint8_t *)bytes, ARP_FRAME_LEN, now_ns);
}

/* The next frame is that, and padding. */
static void
expect_frame(const char *bytes, uint64_t now_ns)
{
	static const uint8_t padding[SWHCA_ETHER_MIN - ARP_FRAME_LEN];

	memset(frame, 0x5a, sizeof(frame));
	assert_true(swhca_arp_next(&arp, now_ns, frame));
	assert_memory_equal(frame, bytes, ARP_FRAME_LEN);
	assert_memory_equal(frame + ARP_FRAME_LEN, padding, sizeof(padding));
}

static void
expect_none(uint64_t now_ns)
{
	assert_false(swhca_arp_next(&arp, now_ns, frame));
}

CASE_WITH(a_neighbour_is_asked_for_and_found, setup, NULL)
{
	const struct swhca_arp_entry *entry;

	assert_int_equal(swhca_arp_deadline(&arp), UINT64_MAX);
	entry = find(OTHER_IP, SECOND);
	assert_int_equal(entry->state, SWHCA_ARP_ASKED);
	assert_int_equal(swhca_arp_deadline(&arp), SECOND);
	expect_frame(own_request, SECOND);
	expect_none(SECOND);
	assert_int_equal(swhca_arp_deadline(&arp), 2 * SECOND);
	assert_int_equal(receive(other_reply, SECOND), 0);
	assert_ptr_equal(find(OTHER_IP, SECOND), entry);
	assert_int_equal(entry->state, SWHCA_ARP_KNOWN);
	assert_memory_equal(entry->mac, OTHER_MAC, 6);
	expect_none(2 * SECOND);
}

CASE_WITH(who_does_not_answer_is_forgotten_after_three_requests, setup, NULL)
{
	const struct swhca_arp_entry *entry = find(OTHER_IP, 0);

	for (unsigned int i = 0; i < 3; i++) {
		expect_frame(own_request, i * SECOND);
		expect_none(i * SECOND + SECOND - 1);
	}
	assert_int_equal(swhca_arp_deadline(&arp), 3 * SECOND);
	expect_none(3 * SECOND);
	assert_int_equal(entry->state, SWHCA_ARP_FREE);
	assert_int_equal(swhca_arp_deadline(&arp), UINT64_MAX);
	/* Another try begins at once. */
	assert_int_equal(find(OTHER_IP, 4 * SECOND)->state, SWHCA_ARP_ASKED);
	expect_frame(own_request, 4 * SECOND);
}

CASE_WITH(who_asks_is_answered_and_known, setup, NULL)
{
	assert_int_equal(receive(other_request, 0), 0);
	assert_int_equal(swhca_arp_deadline(&arp), 0);
	expect_frame(own_reply, 0);
	expect_none(0);
	assert_int_equal(find(OTHER_IP, 0)->state, SWHCA_ARP_KNOWN);
	assert_memory_equal(find(OTHER_IP, 0)->mac, OTHER_MAC, 6);
}

CASE_WITH(a_question_whether_an_address_is_free_is_answered, setup, NULL)
{
	assert_int_equal(receive(FRAME(BROADCAST, OTHER_MAC, REQUEST, OTHER_MAC, "\0\0\0\0",
				       NOBODY_MAC, OWN_IP), 0), 0);
	expect_frame(FRAME(OTHER_MAC, OWN_MAC, REPLY, OWN_MAC, OWN_IP, OTHER_MAC, "\0\0\0\0"), 0);
	assert_int_equal(arp.entries[0].state, SWHCA_ARP_FREE);
}

CASE_WITH(questions_for_others_are_not_ours, setup, NULL)
{
	assert_int_equal(receive(FRAME(BROADCAST, OTHER_MAC, REQUEST, OTHER_MAC, OTHER_IP,
				       NOBODY_MAC, "\x0a\x09\x00\x03"), 0), 0);
	expect_none(0);
	assert_int_equal(arp.entries[0].state, SWHCA_ARP_FREE);
	/* Nor is an answer that nobody asked for. */
	assert_int_equal(receive(other_reply, 0), 0);
	assert_int_equal(arp.entries[0].state, SWHCA_ARP_FREE);
}

CASE_WITH(a_neighbour_may_move, setup, NULL)
{
	assert_int_equal(receive(other_request, 0), 0);
	expect_frame(own_reply, 0);
	/* It announces its new address to everybody (RFC 5227). */
	assert_int_equal(receive(FRAME(BROADCAST, "\x52\x54\x00\x00\x00\x07", REQUEST,
				       "\x52\x54\x00\x00\x00\x07", OTHER_IP, NOBODY_MAC, OTHER_IP),
				 1), 0);
	assert_memory_equal(find(OTHER_IP, 1)->mac, "\x52\x54\x00\x00\x00\x07", 6);
	expect_none(1);
}

CASE_WITH(what_is_old_is_asked_for_again_while_it_is_used, setup, NULL)
{
	const struct swhca_arp_entry *entry;

	assert_int_equal(receive(other_request, 0), 0);
	expect_frame(own_reply, 0);
	entry = find(OTHER_IP, 29 * SECOND);
	expect_none(29 * SECOND);
	expect_frame(own_request, 30 * SECOND);
	assert_int_equal(entry->state, SWHCA_ARP_KNOWN);
	assert_int_equal(receive(other_reply, 30 * SECOND), 0);
	assert_int_equal(swhca_arp_deadline(&arp), 60 * SECOND);
	/* Nobody has talked to it for so long. */
	expect_none(60 * SECOND);
	assert_int_equal(entry->state, SWHCA_ARP_FREE);
}

CASE_WITH(the_oldest_makes_room, setup, NULL)
{
	char ip[4] = { 10, 9, 1, 0 };

	for (unsigned int i = 0; i < SWHCA_ARP_ENTRIES; i++) {
		ip[3] = (char)i;
		assert_ptr_equal(find(ip, i), &arp.entries[i]);
	}
	ip[3] = 0;
	assert_ptr_equal(find(ip, 100), &arp.entries[0]);
	assert_null(swhca_arp_look(&arp, (const uint8_t *)OTHER_IP));
	assert_ptr_equal(find(OTHER_IP, 101), &arp.entries[1]);
	assert_ptr_equal(swhca_arp_look(&arp, (const uint8_t *)OTHER_IP), &arp.entries[1]);
	assert_memory_equal(arp.entries[1].ip, OTHER_IP, 4);
}

CASE_WITH(what_is_no_packet_of_a_neighbour_is_refused, setup, NULL)
{
	static const char ours[] =
		FRAME(BROADCAST, OTHER_MAC, REQUEST, OTHER_MAC, OWN_IP, NOBODY_MAC, OWN_IP);
	static const char group[] =
		FRAME(BROADCAST, OTHER_MAC, REQUEST, BROADCAST, OTHER_IP, NOBODY_MAC, OWN_IP);
	static const unsigned int offsets[] = { 14, 15, 16, 17, 18, 19 };
	char bytes[ARP_FRAME_LEN];
	uint8_t *exact;

	assert_int_equal(receive(ours, 0), -EBADMSG);
	assert_int_equal(receive(group, 0), -EBADMSG);
	for (size_t i = 0; i < NB_OF(offsets); i++) {
		memcpy(bytes, other_request, sizeof(bytes));
		bytes[offsets[i]] ^= 1;
		row_check_at(i, receive(bytes, 0), -EBADMSG);
	}
	for (size_t i = SWHCA_ETHER_LEN; i < ARP_FRAME_LEN; i++) {
		exact = NOT_NULL(malloc(i));
		memcpy(exact, other_request, i);
		assert_int_equal(swhca_arp_receive(&arp, exact, i, 0), -EBADMSG);
		free(exact);
	}
	assert_int_equal(arp.entries[0].state, SWHCA_ARP_FREE);
	expect_none(0);
}
