/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <stdbool.h>
#include <string.h>

#include "include/gid.h"
#include "include/mad.h"
#include "base/log.h"
#include "base/last_words.h"
#include "front/ucma/alive.h"
#include "front/ucma/id.h"
#include "front/uverbs/dev/dev.h"

#define PERIOD_NS UINT64_C(1000000000)
/* Maximum peers of one pass; others are handled in the next. */
#define MAX_PEERS 64u

/* Check whether it is connected by the device to that address. */
static bool
is_to(const struct swhca_ucm_id *id, const struct swhca_udev *dev, const uint8_t addr[16])
{
	uint8_t other[16];

	if (!id->has_conn || id->dev != dev || !swhca_cm_conn_needs_peer(&id->conn))
		return false;
	swhca_gid_wire_addr(id->dgid, other);
	return memcmp(other, addr, sizeof(other)) == 0;
}

/* List peers that are due for a probe, without duplicates. @return Their number. */
static unsigned int
peers_due(const struct swhca_udev *dev, uint8_t peers[MAX_PEERS][16], uint64_t now_ns)
{
	struct swhca_ucm_id *id;
	unsigned int nb = 0, i;

	LIST_FOREACH(id, &swhca_ucm_ids, link) {
		if (!id->has_conn || id->dev != dev || now_ns < id->probe_ns ||
		    !swhca_cm_conn_needs_peer(&id->conn))
			continue;
		for (i = 0; i < nb && !is_to(id, dev, peers[i]); i++)
			;
		if (i == MAX_PEERS)
			continue;
		if (i == nb)
			swhca_gid_wire_addr(id->dgid, peers[nb++]);
		id->probe_ns = now_ns + PERIOD_NS;
	}
	return nb;
}

static void
peer_end(const struct swhca_udev *dev, const uint8_t addr[16], uint64_t now_ns)
{
	struct swhca_ucm_id *id;

	swhca_ucm_lock();
	LIST_FOREACH(id, &swhca_ucm_ids, link) {
		if (!is_to(id, dev, addr))
			continue;
		SWHCA_LOG(WARNING, "rdma_cm: 0x%x: the peer ended without a disconnect",
			  id->handle);
		swhca_cm_peer_lost(&id->conn, now_ns);
	}
	swhca_ucm_unlock();
}

static void
last_word_set(struct swhca_ucm_id *id)
{
	struct swhca_mad_packet packet;
	uint8_t data[SWHCA_MAD_LEN];
	struct swhca_mad mad;
	int number;

	swhca_cm_last_word(&id->conn, data);
	swhca_ucm_mad_fill(&mad, id->dev, id->local.gid, id->dgid, data);
	if (swhca_hca_mad_build(id->dev->hca, &mad, &packet) != 0)
		return;
	number = swhca_last_words_add(&packet);
	if (number >= 0)
		id->last_word = number + 1;
}

void
swhca_ucm_alive_end(struct swhca_ucm_id *id)
{
	if (id->last_word != 0)
		swhca_last_words_remove(id->last_word - 1);
	id->last_word = 0;
}

static void
last_words_update(const struct swhca_udev *dev)
{
	struct swhca_ucm_id *id;

	LIST_FOREACH(id, &swhca_ucm_ids, link) {
		if (!id->has_conn || !swhca_cm_conn_needs_peer(&id->conn))
			swhca_ucm_alive_end(id);
		else if (id->dev == dev && id->last_word == 0)
			last_word_set(id);
	}
}

void
swhca_ucm_alive_tick(struct swhca_udev *dev, uint64_t now_ns)
{
	uint8_t peers[MAX_PEERS][16], addr[16];
	unsigned int nb, i;

	swhca_ucm_lock();
	last_words_update(dev);
	nb = peers_due(dev, peers, now_ns);
	swhca_ucm_unlock();
	for (i = 0; i < nb; i++)
		swhca_hca_peer_probe(dev->hca, peers[i]);
	while (swhca_hca_peer_gone(dev->hca, addr))
		peer_end(dev, addr, now_ns);
}
