/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <stdlib.h>
#include <string.h>

#include "eth/frame.h"
#include "eth/steer.h"

/*
 * Tables that one frame may visit. Levels rise from table to table, so that there are no loops, but
 * entries with several destinations could make many ways out of few tables.
 */
#define MAX_VISITS (4u * SWHCA_MAX_FLOW_LEVEL)

/* A frame on its way through the tables. */
struct walk {
	struct swhca_hca *hca;
	const struct swhca_frame *frame;
	bool is_self;
	uint32_t nb_visits;
	uint32_t tag;
	_Alignas(8) uint8_t match[PRM_MATCH_OUTER_SIZE];
};

static bool
entry_matches(const struct swhca_flow_entry *entry, const uint8_t *match)
{
	uint64_t field, mask, value;
	size_t i;

	if (entry->group->enable == 0)
		return true;
	for (i = 0; i < PRM_MATCH_OUTER_SIZE; i += sizeof(field)) {
		memcpy(&field, match + i, sizeof(field));
		memcpy(&mask, entry->group->mask + i, sizeof(mask));
		memcpy(&value, entry->value + i, sizeof(value));
		if ((field & mask) != value)
			return false;
	}
	return true;
}

static const struct swhca_flow_entry *
table_lookup(const struct swhca_flow_table *table, const uint8_t *match)
{
	const struct swhca_flow_entry *entry;

	TAILQ_FOREACH(entry, &table->entries, link)
		if (entry_matches(entry, match))
			return entry;
	return NULL;
}

static void table_visit(struct walk *walk, uint32_t num);

static void
dest_visit(struct walk *walk, const struct swhca_flow_dest *dest)
{
	struct swhca_obj *obj;

	if (dest->type == SWHCA_OBJ_FLOW_TABLE) {
		table_visit(walk, dest->num);
		return;
	}
	obj = swhca_table_get(&walk->hca->tables[dest->type], dest->num);
	if (obj != NULL)
		swhca_tir_receive(walk->hca, (struct swhca_tir *)obj, walk->frame, walk->tag,
				  walk->is_self);
}

static void
entry_apply(struct walk *walk, const struct swhca_flow_entry *entry)
{
	unsigned int i;

	if (entry->counter != NULL) {
		entry->counter->nb_packets++;
		entry->counter->nb_bytes += walk->frame->len;
	}
	walk->tag = entry->tag;
	if ((entry->action & PRM_FLOW_ACTION_FWD_DEST) == 0) {
		walk->hca->vport.counters.rx_steer_dropped++;
		return;
	}
	for (i = 0; i < entry->nb_dests; i++)
		dest_visit(walk, &entry->dests[i]);
}

/* Levels rise: the depth of this recursion is theirs. */
static void
table_visit(struct walk *walk, uint32_t num)
{
	const struct swhca_flow_table *table;
	const struct swhca_flow_entry *entry;

	table = (const struct swhca_flow_table *)swhca_table_get(
		&walk->hca->tables[SWHCA_OBJ_FLOW_TABLE], num);
	if (table == NULL || ++walk->nb_visits > MAX_VISITS) {
		walk->hca->vport.counters.rx_steer_missed++;
		return;
	}
	walk->hca->fabric->cost += SWHCA_COST_STEP * (1 + (uint64_t)table->nb_entries);
	entry = table_lookup(table, walk->match);
	if (entry != NULL)
		entry_apply(walk, entry);
	else
		table_visit(walk, table->miss);
}

void
swhca_steer_receive(struct swhca_hca *hca, const struct swhca_frame *frame, bool is_self)
{
	struct walk walk = { .hca = hca, .frame = frame, .is_self = is_self };

	swhca_frame_match(frame, walk.match);
	table_visit(&walk, hca->vport.root_table);
}

struct swhca_flow_group *
swhca_flow_group_find(struct swhca_flow_table *table, uint32_t num)
{
	struct swhca_flow_group *group;

	LIST_FOREACH(group, &table->groups, link)
		if (group->num == num)
			return group;
	return NULL;
}

struct swhca_flow_entry *
swhca_flow_entry_find(struct swhca_flow_table *table, uint32_t index)
{
	struct swhca_flow_entry *entry;

	TAILQ_FOREACH(entry, &table->entries, link)
		if (entry->index == index)
			return entry;
	return NULL;
}

void
swhca_flow_entry_insert(struct swhca_flow_table *table, struct swhca_flow_entry *entry)
{
	struct swhca_flow_entry *next;

	table->nb_entries++;
	entry->group->nb_entries++;
	TAILQ_FOREACH(next, &table->entries, link) {
		if (next->index > entry->index) {
			TAILQ_INSERT_BEFORE(next, entry, link);
			return;
		}
	}
	TAILQ_INSERT_TAIL(&table->entries, entry, link);
}

void
swhca_flow_entry_ref(struct swhca_hca *hca, const struct swhca_flow_entry *entry)
{
	const struct swhca_flow_dest *dest;
	unsigned int i;

	for (i = 0; i < entry->nb_dests; i++) {
		dest = &entry->dests[i];
		swhca_obj_ref(swhca_table_get(&hca->tables[dest->type], dest->num));
	}
	if (entry->counter != NULL)
		swhca_obj_ref(&entry->counter->obj);
}

/* By number: when a device goes, tables go one by one, whoever refers to them. */
void
swhca_flow_entry_unref(struct swhca_hca *hca, const struct swhca_flow_entry *entry)
{
	const struct swhca_flow_dest *dest;
	unsigned int i;

	for (i = 0; i < entry->nb_dests; i++) {
		dest = &entry->dests[i];
		swhca_obj_unref(swhca_table_get(&hca->tables[dest->type], dest->num));
	}
	if (entry->counter != NULL)
		swhca_obj_unref(&entry->counter->obj);
}

void
swhca_flow_entry_destroy(struct swhca_hca *hca, struct swhca_flow_table *table,
			 struct swhca_flow_entry *entry)
{
	swhca_flow_entry_unref(hca, entry);
	TAILQ_REMOVE(&table->entries, entry, link);
	table->nb_entries--;
	entry->group->nb_entries--;
	free(entry);
}

void
swhca_flow_table_set_miss(struct swhca_hca *hca, struct swhca_flow_table *table, uint32_t miss)
{
	struct swhca_table *tables = &hca->tables[SWHCA_OBJ_FLOW_TABLE];

	if (miss != 0)
		swhca_obj_ref(swhca_table_get(tables, miss));
	if (table->miss != 0)
		swhca_obj_unref(swhca_table_get(tables, table->miss));
	table->miss = miss;
}

void
swhca_flow_table_fini(struct swhca_hca *hca, struct swhca_obj *obj)
{
	struct swhca_flow_table *table = (struct swhca_flow_table *)obj;
	struct swhca_flow_group *group;

	while (!TAILQ_EMPTY(&table->entries))
		swhca_flow_entry_destroy(hca, table, TAILQ_FIRST(&table->entries));
	while (!LIST_EMPTY(&table->groups)) {
		group = LIST_FIRST(&table->groups);
		LIST_REMOVE(group, link);
		free(group);
	}
	swhca_flow_table_set_miss(hca, table, 0);
	if (hca->vport.root_table == obj->num)
		hca->vport.root_table = 0;
}
