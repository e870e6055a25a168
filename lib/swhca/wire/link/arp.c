/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <string.h>

#include "wire/link/arp.h"
#include "wire/packet/bytes.h"

/* RFC 826: offsets in a packet of Ethernet and IPv4. */
#define ARP_HARDWARE		0u
#define ARP_PROTOCOL		2u
#define ARP_HARDWARE_LEN	4u
#define ARP_PROTOCOL_LEN	5u
#define ARP_OPERATION		6u
#define ARP_SENDER_MAC		8u
#define ARP_SENDER_IP		14u
#define ARP_TARGET_MAC		18u
#define ARP_TARGET_IP		24u
#define ARP_LEN			28u

#define ARP_HARDWARE_ETHER	1u
#define ARP_REQUEST		1u
#define ARP_REPLY		2u

/* As in Linux (arp(7): retrans_time_ms, ucast_solicit, base_reachable_time_ms). */
#define ASK_EVERY_NS		UINT64_C(1000000000)
#define ASK_TIMES		3u
#define REACHABLE_NS		(UINT64_C(30) * 1000000000)

static const uint8_t broadcast[SWHCA_ETHER_MAC_LEN] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };

void
swhca_ether_put(uint8_t *frame, const uint8_t *dst, const uint8_t *src, uint16_t type)
{
	memcpy(frame, dst, SWHCA_ETHER_MAC_LEN);
	memcpy(frame + SWHCA_ETHER_MAC_LEN, src, SWHCA_ETHER_MAC_LEN);
	swhca_put_be16(frame + 2 * SWHCA_ETHER_MAC_LEN, type);
}

void
swhca_arp_init(struct swhca_arp *arp, const uint8_t ip[4], const uint8_t mac[6])
{
	memset(arp, 0, sizeof(*arp));
	memcpy(arp->ip, ip, sizeof(arp->ip));
	memcpy(arp->mac, mac, sizeof(arp->mac));
}

/* NULL: not found. */
static struct swhca_arp_entry *
entry_of(struct swhca_arp *arp, const uint8_t ip[4])
{
	const struct swhca_arp_entry *entry = swhca_arp_look(arp, ip);

	return entry != NULL ? &arp->entries[entry - arp->entries] : NULL;
}

/* A free entry, or the least recently used one. */
static struct swhca_arp_entry *
entry_oldest(struct swhca_arp *arp)
{
	struct swhca_arp_entry *entry, *oldest = arp->entries;

	for (entry = arp->entries; entry < arp->entries + SWHCA_ARP_ENTRIES; entry++) {
		if (entry->state == SWHCA_ARP_FREE)
			return entry;
		if (entry->used_ns < oldest->used_ns)
			oldest = entry;
	}
	return oldest;
}

/* Get the entry of a neighbor, or create one. */
static struct swhca_arp_entry *
entry_get(struct swhca_arp *arp, const uint8_t ip[4], uint64_t now_ns)
{
	struct swhca_arp_entry *entry = entry_of(arp, ip);

	if (entry == NULL) {
		entry = entry_oldest(arp);
		memset(entry, 0, sizeof(*entry));
		memcpy(entry->ip, ip, sizeof(entry->ip));
		entry->state = SWHCA_ARP_ASKED;
		entry->next_ns = now_ns;
	}
	entry->used_ns = now_ns;
	return entry;
}

const struct swhca_arp_entry *
swhca_arp_find(struct swhca_arp *arp, const uint8_t ip[4], uint64_t now_ns)
{
	return entry_get(arp, ip, now_ns);
}

const struct swhca_arp_entry *
swhca_arp_look(const struct swhca_arp *arp, const uint8_t ip[4])
{
	const struct swhca_arp_entry *entry;

	for (entry = arp->entries; entry < arp->entries + SWHCA_ARP_ENTRIES; entry++) {
		if (entry->state != SWHCA_ARP_FREE && memcmp(entry->ip, ip, 4) == 0)
			return entry;
	}
	return NULL;
}

static void
entry_learn(struct swhca_arp_entry *entry, const uint8_t *mac, uint64_t now_ns)
{
	memcpy(entry->mac, mac, sizeof(entry->mac));
	entry->state = SWHCA_ARP_KNOWN;
	entry->nb_asked = 0;
	entry->next_ns = now_ns + REACHABLE_NS;
}

static bool
is_ethernet_ipv4(const uint8_t *packet)
{
	return swhca_get_be16(packet + ARP_HARDWARE) == ARP_HARDWARE_ETHER &&
	       swhca_get_be16(packet + ARP_PROTOCOL) == SWHCA_ETHER_TYPE_IPV4 &&
	       packet[ARP_HARDWARE_LEN] == SWHCA_ETHER_MAC_LEN && packet[ARP_PROTOCOL_LEN] == 4;
}

int
swhca_arp_receive(struct swhca_arp *arp, const uint8_t *frame, size_t len, uint64_t now_ns)
{
	static const uint8_t no_ip[4];	/* RFC 5227: sender of a probe for a free address */
	const uint8_t *packet = frame + SWHCA_ETHER_LEN, *mac, *ip;
	struct swhca_arp_entry *entry;

	if (len < SWHCA_ETHER_LEN + ARP_LEN || !is_ethernet_ipv4(packet))
		return -EBADMSG;
	mac = packet + ARP_SENDER_MAC;
	ip = packet + ARP_SENDER_IP;
	/* Groups have no address of their own, and our address is not used by others. */
	if ((mac[0] & 1) != 0 || memcmp(ip, arp->ip, 4) == 0)
		return -EBADMSG;
	entry = entry_of(arp, ip);
	if (entry != NULL)
		entry_learn(entry, mac, now_ns);
	if (swhca_get_be16(packet + ARP_OPERATION) != ARP_REQUEST ||
	    memcmp(packet + ARP_TARGET_IP, arp->ip, 4) != 0)
		return 0;
	/* A requester will be answered, and soon be a destination. */
	if (entry == NULL && memcmp(ip, no_ip, 4) != 0)
		entry_learn(entry_get(arp, ip, now_ns), mac, now_ns);
	arp->has_answer = true;
	memcpy(arp->asker_ip, ip, sizeof(arp->asker_ip));
	memcpy(arp->asker_mac, mac, sizeof(arp->asker_mac));
	return 0;
}

static void
arp_put(const struct swhca_arp *arp, uint16_t operation, const uint8_t *mac, const uint8_t *ip,
	uint8_t *frame)
{
	uint8_t *packet = frame + SWHCA_ETHER_LEN;

	memset(frame, 0, SWHCA_ETHER_MIN);
	swhca_ether_put(frame, mac, arp->mac, SWHCA_ETHER_TYPE_ARP);
	swhca_put_be16(packet + ARP_HARDWARE, ARP_HARDWARE_ETHER);
	swhca_put_be16(packet + ARP_PROTOCOL, SWHCA_ETHER_TYPE_IPV4);
	packet[ARP_HARDWARE_LEN] = SWHCA_ETHER_MAC_LEN;
	packet[ARP_PROTOCOL_LEN] = 4;
	swhca_put_be16(packet + ARP_OPERATION, operation);
	memcpy(packet + ARP_SENDER_MAC, arp->mac, sizeof(arp->mac));
	memcpy(packet + ARP_SENDER_IP, arp->ip, sizeof(arp->ip));
	if (operation == ARP_REPLY)
		memcpy(packet + ARP_TARGET_MAC, mac, SWHCA_ETHER_MAC_LEN);
	memcpy(packet + ARP_TARGET_IP, ip, 4);
}

/* An old entry that is unused is not requested again, but removed. */
static bool
is_given_up(const struct swhca_arp_entry *entry, uint64_t now_ns)
{
	return entry->nb_asked == ASK_TIMES ||
	       (entry->state == SWHCA_ARP_KNOWN && now_ns - entry->used_ns >= REACHABLE_NS);
}

bool
swhca_arp_next(struct swhca_arp *arp, uint64_t now_ns, uint8_t *frame)
{
	struct swhca_arp_entry *entry;

	if (arp->has_answer) {
		arp->has_answer = false;
		arp_put(arp, ARP_REPLY, arp->asker_mac, arp->asker_ip, frame);
		return true;
	}
	for (entry = arp->entries; entry < arp->entries + SWHCA_ARP_ENTRIES; entry++) {
		if (entry->state == SWHCA_ARP_FREE || now_ns < entry->next_ns)
			continue;
		if (is_given_up(entry, now_ns)) {
			entry->state = SWHCA_ARP_FREE;
			continue;
		}
		entry->nb_asked++;
		entry->next_ns = now_ns + ASK_EVERY_NS;
		arp_put(arp, ARP_REQUEST, broadcast, entry->ip, frame);
		return true;
	}
	return false;
}

uint64_t
swhca_arp_deadline(const struct swhca_arp *arp)
{
	const struct swhca_arp_entry *entry;
	uint64_t deadline = UINT64_MAX;

	if (arp->has_answer)
		return 0;
	for (entry = arp->entries; entry < arp->entries + SWHCA_ARP_ENTRIES; entry++) {
		if (entry->state != SWHCA_ARP_FREE && entry->next_ns < deadline)
			deadline = entry->next_ns;
	}
	return deadline;
}
