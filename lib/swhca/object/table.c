/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "object/object.h"

void
swhca_table_init(struct swhca_table *table, uint32_t first, uint32_t max)
{
	*table = (struct swhca_table){ .first = first, .max = max };
}

void
swhca_table_rewind(struct swhca_table *table)
{
	table->next = 0;
}

void
swhca_table_fini(struct swhca_table *table)
{
	free(table->slots);
	*table = (struct swhca_table){ 0 };
}

static int
table_grow(struct swhca_table *table)
{
	uint32_t nb_slots = table->nb_slots == 0 ? 64 : table->nb_slots * 2;
	struct swhca_obj **slots;

	if (nb_slots > table->max)
		nb_slots = table->max;
	slots = realloc(table->slots, nb_slots * sizeof(*slots));
	if (slots == NULL)
		return -ENOMEM;
	memset(&slots[table->nb_slots], 0, (nb_slots - table->nb_slots) * sizeof(*slots));
	table->next = table->nb_slots;
	table->slots = slots;
	table->nb_slots = nb_slots;
	return 0;
}

int
swhca_table_add(struct swhca_table *table, struct swhca_obj *obj)
{
	int ret;

	if (table->nb_used == table->max)
		return -ENOSPC;
	/* Half of the slots stay free, so that the search is short and numbers are reused late. */
	if (table->nb_used >= table->nb_slots / 2 && table->nb_slots < table->max) {
		ret = table_grow(table);
		if (ret != 0)
			return ret;
	}
	while (table->slots[table->next] != NULL)
		table->next = (table->next + 1) % table->nb_slots;
	table->slots[table->next] = obj;
	obj->num = table->first + table->next;
	table->next = (table->next + 1) % table->nb_slots;
	table->nb_used++;
	return 0;
}

void
swhca_table_remove(struct swhca_table *table, const struct swhca_obj *obj)
{
	table->slots[obj->num - table->first] = NULL;
	table->nb_used--;
}

struct swhca_obj *
swhca_table_get(const struct swhca_table *table, uint32_t num)
{
	if (num < table->first || num - table->first >= table->nb_slots)
		return NULL;
	return table->slots[num - table->first];
}
