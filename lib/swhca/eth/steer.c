/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
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
	uint8_t match[PRM_MATCH_OUTER_SIZE];
};

static int
bytes_compare(const uint8_t *a, const uint8_t *b)
{
	return memcmp(a, b, PRM_MATCH_OUTER_SIZE);
}

/* End of the entries with the mask of one: the steps double, as many masks may have few entries. */
static uint32_t
mask_end(const struct swhca_flow_table *table, uint32_t at)
{
	const uint8_t *mask = table->by_match[at]->group->mask;
	uint32_t step = 1, end;

	for (end = at + step; end < table->nb_entries; end = at + step) {
		if (bytes_compare(table->by_match[end]->group->mask, mask) != 0)
			break;
		step *= 2;
	}
	if (end > table->nb_entries)
		end = table->nb_entries;
	return SWHCA_BISECT(i, at + step / 2, end,
			    bytes_compare(table->by_match[i]->group->mask, mask) == 0);
}

/* Cost of a search among so many entries. */
static uint64_t
search_cost(uint32_t nb)
{
	return SWHCA_COST_STEP * (32 - (uint64_t)__builtin_clz(nb));
}

/* Of each mask at most one entry is considered: the first one with the value of the frame. */
static const struct swhca_flow_entry *
table_lookup(const struct walk *walk, const struct swhca_flow_table *table)
{
	struct swhca_flow_entry *const *all = table->by_match, *first = NULL;
	uint32_t at, end, i;
	uint8_t value[PRM_MATCH_OUTER_SIZE];

	for (at = 0; at < table->nb_entries; at = end) {
		end = mask_end(table, at);
		for (i = 0; i < sizeof(value); i++)
			value[i] = walk->match[i] & all[at]->group->mask[i];
		walk->hca->fabric->cost += search_cost(end - at);
		at = SWHCA_BISECT(j, at, end, bytes_compare(all[j]->value, value) < 0);
		if (at < end && bytes_compare(all[at]->value, value) == 0 &&
		    (first == NULL || all[at]->index < first->index))
			first = all[at];
	}
	return first;
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
	walk->hca->fabric->cost += SWHCA_COST_STEP;
	entry = table_lookup(walk, table);
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
	return SWHCA_BISECT(i, 0, table->nb_groups, table->groups[i]->start < start);
}

/* Index of the first entry with this or a higher index. */
static uint32_t
entry_at(const struct swhca_flow_table *table, uint32_t index)
{
	return SWHCA_BISECT(i, 0, table->nb_entries, table->entries[i]->index < index);
}

static bool
is_matched_before(const struct swhca_flow_entry *entry, const struct swhca_flow_entry *other)
{
	int order = bytes_compare(entry->group->mask, other->group->mask);

	if (order == 0)
		order = bytes_compare(entry->value, other->value);
	return order < 0 || (order == 0 && entry->index < other->index);
}

/* Index of an entry among those ordered by what they match. */
static uint32_t
match_at(const struct swhca_flow_table *table, const struct swhca_flow_entry *entry)
{
	return SWHCA_BISECT(i, 0, table->nb_entries,
			    is_matched_before(table->by_match[i], entry));
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

/* Insert into an array of nb pointers with room for one more. */
static void
array_insert(void *array, uint32_t nb, uint32_t at, const void *item)
{
	uint8_t *place = (uint8_t *)array + at * sizeof(item);

	memmove(place + sizeof(item), place, (nb - at) * sizeof(item));
	memcpy(place, &item, sizeof(item));
}

static void
array_remove(void *array, uint32_t nb, uint32_t at)
{
	uint8_t *place = (uint8_t *)array + at * sizeof(void *);

	memmove(place, place + sizeof(void *), (nb - at - 1) * sizeof(void *));
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

	groups = array_grow(table->groups, table->nb_groups, &table->max_groups);
	if (groups == NULL)
		return -ENOMEM;
	table->groups = groups;
	array_insert(groups, table->nb_groups, group_at(table, group->start), group);
	table->nb_groups++;
	hca->nb_flows++;
	return 0;
}

void
swhca_flow_group_destroy(struct swhca_hca *hca, struct swhca_flow_table *table,
			 struct swhca_flow_group *group)
{
	array_remove(table->groups, table->nb_groups, group_at(table, group->start));
	table->nb_groups--;
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
	uint32_t max = table->max_entries;
	struct swhca_flow_entry **entries;

	entries = array_grow(table->entries, table->nb_entries, &max);
	if (entries == NULL)
		return -ENOMEM;
	table->entries = entries;
	entries = array_grow(table->by_match, table->nb_entries, &table->max_entries);
	if (entries == NULL)
		return -ENOMEM;
	table->by_match = entries;
	array_insert(table->entries, table->nb_entries, entry_at(table, entry->index), entry);
	array_insert(table->by_match, table->nb_entries, match_at(table, entry), entry);
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
	array_remove(table->entries, table->nb_entries, entry_at(table, entry->index));
	array_remove(table->by_match, table->nb_entries, match_at(table, entry));
	table->nb_entries--;
	swhca_flow_entry_unref(hca, entry);
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

	free(table->by_match);
	hca->nb_flows -= table->nb_entries + table->nb_groups;
	while (table->nb_entries > 0) {
		swhca_flow_entry_unref(hca, table->entries[--table->nb_entries]);
		free(table->entries[table->nb_entries]);
	}
	free(table->entries);
	while (table->nb_groups > 0)
		free(table->groups[--table->nb_groups]);
	free(table->groups);
	swhca_flow_table_set_miss(hca, table, 0);
	if (hca->vport.root_table == obj->num)
		hca->vport.root_table = 0;
}
