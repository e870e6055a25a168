/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "eth/frame.h"
#include "eth/steer.h"

/*
 * Maximum tables that one frame may visit. Levels increase from table to table, so that there are
 * no loops, but entries with several destinations could create many paths through few tables.
 */
#define MAX_VISITS (4u * SWHCA_MAX_FLOW_LEVEL)

/* State of a frame in the tables. */
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
	uint32_t i;

	for (i = 0; i < table->nb_entries; i++)
		if (entry_matches(table->entries[i], match))
			return table->entries[i];
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

/* Levels increase, which limits the recursion. */
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

bool
swhca_flow_has_room(const struct swhca_hca *hca)
{
	return hca->conf.max_flows == 0 || hca->nb_flows < hca->conf.max_flows;
}

/* Index of the first group that begins at or after start. */
static uint32_t
group_at(const struct swhca_flow_table *table, uint32_t start)
{
	uint32_t low = 0, high = table->nb_groups, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (table->groups[mid]->start < start)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Index of the first entry with this or a higher index. */
static uint32_t
entry_at(const struct swhca_flow_table *table, uint32_t index)
{
	uint32_t low = 0, high = table->nb_entries, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (table->entries[mid]->index < index)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Grow an array of pointers for one more. @return The array, or NULL: it is unchanged. */
static void *
array_grow(void *array, uint32_t nb, uint32_t *max)
{
	uint32_t more = *max == 0 ? 16 : *max * 2;

	if (nb < *max)
		return array;
	array = realloc(array, more * sizeof(void *));
	if (array != NULL)
		*max = more;
	return array;
}

struct swhca_flow_group *
swhca_flow_group_find(const struct swhca_flow_table *table, uint32_t num)
{
	uint32_t at = group_at(table, num);

	return at < table->nb_groups && table->groups[at]->start == num ? table->groups[at] : NULL;
}

struct swhca_flow_group *
swhca_flow_group_overlap(const struct swhca_flow_table *table, uint32_t start, uint32_t end)
{
	uint32_t at = group_at(table, start);

	if (at > 0 && table->groups[at - 1]->end >= start)
		return table->groups[at - 1];
	return at < table->nb_groups && table->groups[at]->start <= end ? table->groups[at] : NULL;
}

int
swhca_flow_group_insert(struct swhca_hca *hca, struct swhca_flow_table *table,
			struct swhca_flow_group *group)
{
	struct swhca_flow_group **groups;
	uint32_t at = group_at(table, group->start);

	groups = array_grow(table->groups, table->nb_groups, &table->max_groups);
	if (groups == NULL)
		return -ENOMEM;
	table->groups = groups;
	memmove(groups + at + 1, groups + at, (table->nb_groups - at) * sizeof(*groups));
	groups[at] = group;
	table->nb_groups++;
	hca->nb_flows++;
	return 0;
}

void
swhca_flow_group_destroy(struct swhca_hca *hca, struct swhca_flow_table *table,
			 struct swhca_flow_group *group)
{
	struct swhca_flow_group **at = table->groups + group_at(table, group->start);

	table->nb_groups--;
	memmove(at, at + 1, (size_t)(table->groups + table->nb_groups - at) * sizeof(*at));
	hca->nb_flows--;
	free(group);
}

struct swhca_flow_entry *
swhca_flow_entry_find(const struct swhca_flow_table *table, uint32_t index)
{
	uint32_t at = entry_at(table, index);

	return at < table->nb_entries && table->entries[at]->index == index ? table->entries[at] :
									      NULL;
}

int
swhca_flow_entry_insert(struct swhca_hca *hca, struct swhca_flow_table *table,
			struct swhca_flow_entry *entry)
{
	struct swhca_flow_entry **entries;
	uint32_t at = entry_at(table, entry->index);

	entries = array_grow(table->entries, table->nb_entries, &table->max_entries);
	if (entries == NULL)
		return -ENOMEM;
	table->entries = entries;
	memmove(entries + at + 1, entries + at, (table->nb_entries - at) * sizeof(*entries));
	entries[at] = entry;
	table->nb_entries++;
	entry->group->nb_entries++;
	hca->nb_flows++;
	return 0;
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

/* Find tables by number: when a device is destroyed, tables go one by one, even if referenced. */
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
	struct swhca_flow_entry **at = table->entries + entry_at(table, entry->index);

	swhca_flow_entry_unref(hca, entry);
	table->nb_entries--;
	memmove(at, at + 1, (size_t)(table->entries + table->nb_entries - at) * sizeof(*at));
	entry->group->nb_entries--;
	hca->nb_flows--;
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

	/* From the end, so that no entry is moved. */
	while (table->nb_entries > 0)
		swhca_flow_entry_destroy(hca, table, table->entries[table->nb_entries - 1]);
	while (table->nb_groups > 0)
		swhca_flow_group_destroy(hca, table, table->groups[table->nb_groups - 1]);
	free(table->entries);
	free(table->groups);
	swhca_flow_table_set_miss(hca, table, 0);
	if (hca->vport.root_table == obj->num)
		hca->vport.root_table = 0;
}
