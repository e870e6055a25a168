/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/wire_conf.h"

#define INPROC "inproc"
/* As in wire/link/eth.c. */
#define ETH_MTU_MIN 576u
#define ETH_MTU_MAX 9000u
/* Text of one device: ports, an IPv6 address and an interface. */
#define ITEM_SIZE (16 + INET6_ADDRSTRLEN + IF_NAMESIZE)

/* Copy len bytes of a text. @return false if they do not fit. */
static bool
part_copy(char *dst, size_t size, const char *text, size_t len)
{
	if (len >= size)
		return false;
	memcpy(dst, text, len);
	dst[len] = '\0';
	return true;
}

/* "ADDR" or "ADDR%IF"; IPv4 or IPv6. */
static const char *
udp_item_check(const char *item)
{
	const char *mark = strchrnul(item, '%');
	char addr[INET6_ADDRSTRLEN];
	struct in6_addr ip;

	if (*mark == '%' && (mark[1] == '\0' || strlen(mark + 1) >= IF_NAMESIZE))
		return "no interface behind %, or a name that is too long for one";
	if (!part_copy(addr, sizeof(addr), item, (size_t)(mark - item)) ||
	    (inet_pton(AF_INET, addr, &ip) != 1 && inet_pton(AF_INET6, addr, &ip) != 1))
		return "not udp, or udp: and IPv4 or IPv6 addresses with a comma in between";
	return NULL;
}

/* Check for a decimal number without anything after it. */
static bool
is_number(const char *text, unsigned long low, unsigned long high)
{
	unsigned long value;
	char *end;

	value = strtoul(text, &end, 10);
	return text[0] >= '0' && text[0] <= '9' && *end == '\0' && value >= low && value <= high;
}

/* "PORT:PORT:ADDR" or "PORT:PORT:ADDR:MTU"; IPv4. */
static const char *
eth_item_check(const char *item)
{
	static const char wrong[] = "not eth: and two UDP ports and an IPv4 address, all with a "
				    "colon in between";
	char addr[INET_ADDRSTRLEN];
	struct in_addr ip;
	unsigned long port;
	const char *mtu;
	unsigned int i;
	char *end;

	for (i = 0; i < 2; i++) {
		port = strtoul(item, &end, 10);
		if (item[0] < '0' || item[0] > '9' || *end != ':' || port == 0 ||
		    port > UINT16_MAX)
			return wrong;
		item = end + 1;
	}
	mtu = strchrnul(item, ':');
	if (*mtu == ':' && !is_number(mtu + 1, ETH_MTU_MIN, ETH_MTU_MAX))
		return "MTU of eth: not a number from 576 to 9000";
	if (!part_copy(addr, sizeof(addr), item, (size_t)(mtu - item)))
		return wrong;
	return inet_pton(AF_INET, addr, &ip) == 1 ? NULL : wrong;
}

static const struct kind {
	const char *name;
	const char *(*item_check)(const char *item);
	bool is_item_needed;
} kinds[] = {
	{ .name = "udp", .item_check = udp_item_check },
	{ .name = "eth", .item_check = eth_item_check, .is_item_needed = true },
};

static const struct kind *
kind_find(const char *wire)
{
	size_t i, len;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		len = strlen(kinds[i].name);
		if (strncmp(wire, kinds[i].name, len) == 0 &&
		    (wire[len] == ':' || wire[len] == '\0'))
			return &kinds[i];
	}
	return NULL;
}

/* Count the items after the first colon; 0: none. */
static unsigned int
items_count(const char *wire)
{
	const char *item = strchr(wire, ':');
	unsigned int nb = 0;

	for (; item != NULL; item = strchr(item + 1, ','))
		nb++;
	return nb;
}

/* Copy an existing item. @return false if it is too long. */
static bool
item_get(const char *wire, unsigned int index, char item[static ITEM_SIZE])
{
	const char *at = strchr(wire, ':') + 1;

	for (; index > 0; index--)
		at = strchr(at, ',') + 1;
	return part_copy(item, ITEM_SIZE, at, strcspn(at, ","));
}

const char *
swhca_wire_check(const char *word)
{
	const struct kind *kind = kind_find(word);
	unsigned int i, nb = items_count(word);
	char item[ITEM_SIZE];
	const char *why;

	if (strcmp(word, INPROC) == 0)
		return NULL;
	if (kind == NULL)
		return "not one of inproc, udp, eth";
	if (nb == 0)
		return kind->is_item_needed ? kind->item_check("") : NULL;
	if (nb > SWHCA_MAX_DEVICES)
		return "more addresses than devices, of which there are 8";
	for (i = 0; i < nb; i++) {
		why = kind->item_check(item_get(word, i, item) ? item : "");
		if (why != NULL)
			return why;
	}
	return NULL;
}

/* Whether the file is writable is only found when it is written. */
const char *
swhca_capture_check(const char *word)
{
	if (word[0] == '\0')
		return "no name of a file";
	return word[strlen(word) - 1] == '/' ? "a folder" : NULL;
}

bool
swhca_wire_has_links(const struct swhca_conf *conf)
{
	return conf->wire[0] != '\0' && strcmp(conf->wire, INPROC) != 0;
}

int
swhca_wire_conf_finish(struct swhca_conf *conf, bool is_nb_given, char *text, size_t size)
{
	unsigned int nb = items_count(conf->wire);
	bool has_links = swhca_wire_has_links(conf);

	if (!has_links && (conf->impair[0] != '\0' || conf->capture[0] != '\0')) {
		snprintf(text, size, "%s: there is no wire that packets go by (--wire udp)",
			 conf->impair[0] != '\0' ? "--impair" : "--capture");
		return -EINVAL;
	}
	if (nb == 0)
		return 0;
	if (is_nb_given && nb != conf->nb_devices) {
		snprintf(text, size, "--wire: %s: %u addresses, for %u devices", conf->wire, nb,
			 conf->nb_devices);
		return -EINVAL;
	}
	conf->nb_devices = nb;
	return 0;
}

void
swhca_wire_device_text(const struct swhca_conf *conf, unsigned int index,
		       char text[static SWHCA_CONF_TEXT])
{
	char item[ITEM_SIZE];

	if (index >= items_count(conf->wire) || !item_get(conf->wire, index, item))
		strcpy(text, conf->wire);
	else
		snprintf(text, SWHCA_CONF_TEXT, "%s:%s", kind_find(conf->wire)->name, item);
}
