/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "include/gid.h"
#include "wire/link/link_ops.h"
#include "wire/link/open.h"
#include "wire/packet/packet.h"

/* IBTA: LIDs of a single port. */
#define MAX_UNICAST_LID 0xbfffu
#define PATH_MTU_MIN 256u

/* Bottom links, by the first word of the text. */
static const struct {
	const char *word;
	swhca_link_open_fn open;
} wires[] = {
	{ "udp", swhca_udp_open },
	{ "eth", swhca_eth_open },
};

/* @return Function that opens the link of a text, or NULL. *args as for swhca_link_open_fn. */
static swhca_link_open_fn
wire_find(const char *text, const char **args)
{
	size_t len = strcspn(text, ":"), i;

	*args = text[len] == ':' ? text + len + 1 : NULL;
	for (i = 0; i < sizeof(wires) / sizeof(wires[0]); i++) {
		if (strlen(wires[i].word) == len && strncmp(wires[i].word, text, len) == 0)
			return wires[i].open;
	}
	return NULL;
}

/* Open the bottom link. */
static int
wire_open(const struct swhca_link_conf *conf, struct swhca_link **out)
{
	swhca_link_open_fn open;
	const char *args;

	open = wire_find(conf->wire, &args);
	if (open == NULL) {
		SWHCA_LOG(ERR, "wire %s: neither udp, udp:ADDR[%%IF] nor eth:PORT:PORT:ADDR",
			  conf->wire);
		return -EINVAL;
	}
	return open(conf, args, out);
}

int
swhca_link_open(const struct swhca_link_conf *conf, struct swhca_link **out)
{
	struct swhca_link *link;
	int ret;

	ret = wire_open(conf, &link);
	if (ret != 0)
		return ret;
	if (conf->capture != NULL) {
		ret = swhca_capture_open(conf, link, &link);
		if (ret != 0)
			goto close_link;
	}
	ret = swhca_impair_open(conf, link, &link);
	if (ret != 0)
		goto close_link;
	*out = link;
	return 0;

close_link:
	swhca_link_close(link);
	return ret;
}

void
swhca_link_close(struct swhca_link *link)
{
	if (link != NULL)
		link->ops->close(link);
}

void
swhca_link_gid(const struct swhca_link *link, uint8_t gid[16])
{
	memcpy(gid, link->gid, sizeof(link->gid));
}

void
swhca_link_mac(const struct swhca_link *link, uint8_t mac[6])
{
	memcpy(mac, link->mac, sizeof(link->mac));
}

uint16_t
swhca_link_lid(const struct swhca_link *link)
{
	uint16_t lid = (uint16_t)(link->gid[14] << 8 | link->gid[15]);

	return swhca_gid_is_ipv4(link->gid) && lid <= MAX_UNICAST_LID ? lid : 0;
}

uint32_t
swhca_link_path_mtu(const struct swhca_link *link)
{
	uint32_t mtu;

	for (mtu = SWHCA_PACKET_MTU_MAX; mtu >= PATH_MTU_MIN; mtu /= 2) {
		if (link->mtu >= mtu + SWHCA_HDRS_MAX + SWHCA_ICRC_LEN)
			return mtu;
	}
	return 0;
}

bool
swhca_link_is_down(struct swhca_link *link)
{
	return swhca_link_bottom(link)->is_down;
}
