/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <stdlib.h>
#include <string.h>

#include "model/oracle.h"
#include "soak/ledger/twin.h"

bool
soak_twin_create(struct soak_twin *twin, uint8_t *memory, uint32_t size)
{
	twin->memory = memory;
	twin->size = size;
	twin->none = malloc(size);
	twin->all = malloc(size);
	if (twin->none == NULL || twin->all == NULL) {
		soak_twin_destroy(twin);
		return false;
	}
	memcpy(twin->none, memory, size);
	memcpy(twin->all, memory, size);
	return true;
}

void
soak_twin_destroy(struct soak_twin *twin)
{
	free(twin->none);
	free(twin->all);
	twin->none = NULL;
	twin->all = NULL;
}

void
soak_twin_write(struct soak_twin *twin, uint32_t offset, const void *bytes, uint32_t len)
{
	memcpy(twin->memory + offset, bytes, len);
	memcpy(twin->none + offset, bytes, len);
	memcpy(twin->all + offset, bytes, len);
}

void
soak_twin_fill(const struct soak_part *dst, const void *bytes, uint32_t len)
{
	oracle_scatter(dst->layout, dst->twin->memory + dst->base, dst->from, len, bytes);
	soak_twin_store(dst, bytes, bytes, len, false);
}

void
soak_twin_load(const struct soak_part *src, uint32_t len, void *none, void *all)
{
	oracle_gather(src->layout, src->twin->none + src->base, src->from, len, none);
	oracle_gather(src->layout, src->twin->all + src->base, src->from, len, all);
}

void
soak_twin_store(const struct soak_part *dst, const void *none, const void *all, uint32_t len,
		bool is_in_doubt)
{
	if (is_in_doubt)
		dst->twin->has_doubt = true;
	else
		oracle_scatter(dst->layout, dst->twin->none + dst->base, dst->from, len, none);
	oracle_scatter(dst->layout, dst->twin->all + dst->base, dst->from, len, all);
}

void
soak_twin_move(const struct soak_part *dst, const struct soak_part *src, uint32_t len,
	       bool is_in_doubt)
{
	uint8_t none[len + 1], all[len + 1];

	soak_twin_load(src, len, none, all);
	soak_twin_store(dst, none, all, len, is_in_doubt);
}

void
soak_twin_trace(const struct soak_part *dst, uint32_t len, bool *is_touched, bool *is_complete)
{
	uint8_t none[len + 1], all[len + 1], now[len + 1];

	soak_twin_load(dst, len, none, all);
	oracle_gather(dst->layout, dst->twin->memory + dst->base, dst->from, len, now);
	*is_touched = false;
	*is_complete = true;
	for (uint32_t i = 0; i < len; i++) {
		if (none[i] == all[i])
			continue;
		if (now[i] == all[i])
			*is_touched = true;
		else
			*is_complete = false;
	}
}

uint32_t
soak_twin_settle(struct soak_twin *twin, uint32_t *first)
{
	uint32_t nb = 0;

	if (memcmp(twin->memory, twin->none, twin->size) == 0 && !twin->has_doubt)
		return 0;
	for (uint32_t i = 0; i < twin->size; i++)
		if (twin->memory[i] != twin->none[i] && twin->memory[i] != twin->all[i] &&
		    nb++ == 0)
			*first = i;
	memcpy(twin->none, twin->memory, twin->size);
	memcpy(twin->all, twin->memory, twin->size);
	twin->has_doubt = false;
	return nb;
}
