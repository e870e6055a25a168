/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_OBJECT_TABLE_H
#define SWHCA_OBJECT_TABLE_H

/**
 * @file
 * Objects of one type by number.
 */

#include <stdint.h>

struct swhca_obj;

struct swhca_table {
	struct swhca_obj **slots;
	uint32_t first;		/**< Lowest number. */
	uint32_t max;		/**< Number of numbers. */
	uint32_t nb_slots;	/**< Slots allocated so far. */
	uint32_t next;		/**< Next slot to check: freed numbers are reused late. */
	uint32_t nb_used;
};

void swhca_table_init(struct swhca_table *table, uint32_t first, uint32_t max);
/** Number again from the first free number. */
void swhca_table_rewind(struct swhca_table *table);
void swhca_table_fini(struct swhca_table *table);
/** Number an object. @return 0, -ENOSPC (all numbers in use) or -ENOMEM. */
int swhca_table_add(struct swhca_table *table, struct swhca_obj *obj);
void swhca_table_remove(struct swhca_table *table, const struct swhca_obj *obj);
/** @return The object, or NULL. */
struct swhca_obj *swhca_table_get(const struct swhca_table *table, uint32_t num);

#endif /* SWHCA_OBJECT_TABLE_H */
