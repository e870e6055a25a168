/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <rte_memory.h>

#include "verify/bed/remote.h"

struct bed_remote {
	struct peer *peer;
	uint8_t *known[PEER_MAX_AREAS];	/* Contents of the memory of the server. */
	/* Registrations of the server, with its keys. */
	struct rte_umr_mr layout_mrs[BED_NB_LAYOUT_MRS];
	struct rte_umr_mr flat_mr;
	struct rte_umr_mkey mkeys[PEER_MAX_KEYS];
};

static_assert(BED_NB_LAYOUT_MRS <= PEER_NB_MRS, "the server registers too little");

/* Index is that of bed_peer_sizes. */
static struct bed_area *
area_of(struct bed_side *side, uint32_t index)
{
	return index == 0 ? &side->layout : &side->flat;
}

const char *
bed_remote_why(const struct bed_side *side)
{
	return side->remote->peer->why;
}

static bool
complain(const struct bed_side *side, bool is_ok)
{
	if (!is_ok)
		tool_error("verify: %s", bed_remote_why(side));
	return is_ok;
}

static void
mrs_fill(struct bed_side *side)
{
	struct bed_remote *remote = side->remote;
	const struct peer_memory *areas = remote->peer->areas;

	for (uint32_t i = 0; i < BED_NB_LAYOUT_MRS; i++) {
		remote->layout_mrs[i].lkey = areas[0].lkeys[i];
		remote->layout_mrs[i].rkey = areas[0].rkeys[i];
		side->layout_mrs[i] = &remote->layout_mrs[i];
	}
	remote->flat_mr.lkey = areas[1].lkeys[0];
	remote->flat_mr.rkey = areas[1].rkeys[0];
	side->flat_mr = &remote->flat_mr;
}

bool
bed_remote_create(struct bed_side *side, struct peer *peer)
{
	static const char *const names[PEER_MAX_AREAS] = { "layout", "flat" };
	struct bed_remote *remote = calloc(1, sizeof(*remote));

	if (remote == NULL) {
		tool_error("verify: out of memory");
		return false;
	}
	remote->peer = peer;
	side->remote = remote;
	side->info = peer->info;
	side->key_access = peer->info.access_capa & ~RTE_UMR_ACCESS_RELAXED_ORDERING;
	for (uint32_t i = 0; i < PEER_MAX_AREAS; i++) {
		struct bed_area *area = area_of(side, i);

		if (!bed_area_create(area, names[i], bed_peer_sizes[i], SOCKET_ID_ANY))
			return false;
		area->addr = peer->areas[i].addr;
		remote->known[i] = malloc(area->size);
		if (remote->known[i] == NULL) {
			tool_error("verify: out of memory");
			return false;
		}
	}
	mrs_fill(side);
	return bed_remote_heal(side);
}

void
bed_remote_destroy(struct bed_side *side)
{
	for (uint32_t i = 0; i < PEER_MAX_AREAS; i++) {
		bed_area_destroy(area_of(side, i));
		free(side->remote->known[i]);
	}
	free(side->remote);
	side->remote = NULL;
}

bool
bed_remote_connect(const struct bed_end *end, const struct bed_side *side)
{
	struct peer *peer = side->remote->peer;

	return complain(side, peer_connect(peer, end->side->dev_id, end->queue_id, 0));
}

/* Send the range between the first and the last difference. */
static bool
area_push(struct bed_side *side, uint32_t index)
{
	const struct bed_area *area = area_of(side, index);
	uint8_t *known = side->remote->known[index];
	uint32_t first = 0, end = area->size;

	if (memcmp(area->memory, known, area->size) == 0)
		return true;
	while (area->memory[first] == known[first])
		first++;
	while (area->memory[end - 1] == known[end - 1])
		end--;
	memcpy(known + first, area->memory + first, end - first);
	return peer_put(side->remote->peer, index, first, known + first, end - first);
}

bool
bed_remote_push(struct bed_side *side)
{
	return area_push(side, 0) && area_push(side, 1);
}

/* Fetch only if the checksum differs from that of the expected contents. */
static bool
area_pull(struct bed_side *side, uint32_t index)
{
	struct bed_area *area = area_of(side, index);
	struct peer *peer = side->remote->peer;
	uint64_t sum;

	if (!peer_sum(peer, index, &sum))
		return false;
	if (sum == peer_sum_of(area->expected, area->size))
		bed_area_heal(area);
	else if (!peer_get(peer, index, 0, area->memory, area->size))
		return false;
	memcpy(side->remote->known[index], area->memory, area->size);
	return true;
}

bool
bed_remote_pull(struct bed_side *side)
{
	return area_pull(side, 0) && area_pull(side, 1);
}

bool
bed_remote_heal(struct bed_side *side)
{
	bool is_ok = true;

	for (uint32_t i = 0; i < PEER_MAX_AREAS && is_ok; i++) {
		struct bed_area *area = area_of(side, i);

		bed_area_heal(area);
		memcpy(side->remote->known[i], area->memory, area->size);
		is_ok = peer_put(side->remote->peer, i, 0, area->memory, area->size);
	}
	return complain(side, is_ok);
}

bool
bed_remote_keys_get(const struct bed_side *side, struct rte_umr_mkey **mkeys, uint32_t nb)
{
	struct bed_remote *remote = side->remote;
	uint32_t values[PEER_MAX_KEYS];

	if (nb > PEER_MAX_KEYS || !peer_keys_take(remote->peer, nb, values))
		return false;
	for (uint32_t i = 0; i < nb; i++) {
		remote->mkeys[i].key = values[i];
		mkeys[i] = &remote->mkeys[i];
	}
	return true;
}

void
bed_remote_keys_put(const struct bed_side *side)
{
	/* If the server is gone, the next case reports that. */
	peer_keys_give(side->remote->peer);
}

static uint32_t
key_number(const struct bed_side *side, const struct rte_umr_mkey *mkey)
{
	return (uint32_t)(mkey - side->remote->mkeys);
}

bool
bed_remote_list(const struct bed_side *side, const struct rte_umr_mkey *mkey, uint32_t access,
		const struct rte_umr_seg *segs, uint32_t nb)
{
	return peer_key_list(side->remote->peer, key_number(side, mkey), access, segs, nb);
}

bool
bed_remote_interleaved(const struct bed_side *side, const struct rte_umr_mkey *mkey,
		       uint32_t access, uint32_t repeat,
		       const struct rte_umr_interleaved *entries, uint32_t nb)
{
	return peer_key_interleaved(side->remote->peer, key_number(side, mkey), access, repeat,
				    entries, nb);
}

bool
bed_remote_invalidate(const struct bed_side *side, const struct rte_umr_mkey *mkey)
{
	return peer_key_invalidate(side->remote->peer, key_number(side, mkey));
}
