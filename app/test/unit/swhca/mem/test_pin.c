/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Keys whose pages the program moves, replaces or unmaps. */

#include "budget.h"
#include "include/pages.h"
#include "mem/mkey.h"
#include "object/hca_state.h"
#include "pair.h"

#define PAGE		4096u
/* No test accesses pages of pinned keys here: numbers are enough. */
#define PIN_FIRST	UINT64_C(0x500000000000)
#define NB_PIN_KEYS	64
#define NB_PIN_PAGES	256u
#define MAX_KEY_PAGES	32u

/* Where the program has the pages of a key; 0: nowhere. */
struct pinned {
	uint32_t key;		/* 0: none */
	uint32_t nb;
	uint64_t pages[MAX_KEY_PAGES];
};

static uint32_t
rnd(uint32_t nb)
{
	return (uint32_t)random() % nb;
}

static uint32_t
pinned_key(struct pair *p, uint64_t addr, uint64_t len)
{
	return world_mtt_key(&p->w, 0, (void *)(uintptr_t)addr, len, WORLD_LR | WORLD_LW);
}

static void
pinned_toggle(struct pair *p, struct pinned *pinned)
{
	uint64_t addr = PIN_FIRST + (uint64_t)rnd(NB_PIN_PAGES) * PAGE;

	if (pinned->key != 0) {
		/* DESTROY_MKEY */
		assert_int_equal(world_cmd(p->a.hca, 0x202, pinned->key >> 8, NULL), 0);
		pinned->key = 0;
		return;
	}
	pinned->nb = 1 + rnd(MAX_KEY_PAGES);
	pinned->key = pinned_key(p, addr, (uint64_t)pinned->nb * PAGE);
	for (uint32_t i = 0; i < pinned->nb; i++)
		pinned->pages[i] = addr + (uint64_t)i * PAGE;
}

static void
pinned_change(struct pinned *pinned, const struct swhca_pages_change *change)
{
	for (uint32_t i = 0; i < pinned->nb; i++) {
		if (pinned->pages[i] - change->addr >= change->len)
			continue;
		pinned->pages[i] = change->event == SWHCA_PAGES_MOVED ?
					   pinned->pages[i] - change->addr + change->to : 0;
	}
}

/* Also between its pages. */
static bool
pinned_overlaps(const struct pinned *pinned, uint64_t addr, uint64_t end)
{
	uint64_t low = UINT64_MAX, high = 0;

	for (uint32_t i = 0; i < pinned->nb; i++) {
		if (pinned->pages[i] == 0)
			continue;
		low = pinned->pages[i] < low ? pinned->pages[i] : low;
		high = pinned->pages[i] + PAGE > high ? pinned->pages[i] + PAGE : high;
	}
	return pinned->key != 0 && low < end && addr < high;
}

static void
range_get(uint64_t *addr, uint64_t *len)
{
	uint32_t at = rnd(NB_PIN_PAGES);

	*addr = PIN_FIRST + (uint64_t)at * PAGE;
	*len = (uint64_t)(1 + rnd(1 + NB_PIN_PAGES - at < 40 ? NB_PIN_PAGES - at : 40)) * PAGE;
}

/* As mremap(2) does: an end goes, a place is taken, the rest moves there. */
static void
pages_change(struct pair *p, struct pinned *all)
{
	struct swhca_pages_change changes[] = {
		{ .event = SWHCA_PAGES_UNMAPPED },
		{ .event = SWHCA_PAGES_REPLACED },
		{ .event = SWHCA_PAGES_MOVED },
	};
	bool is_done = rnd(8) != 0;
	uint32_t i, j, nb = 1 + rnd(3);

	for (i = 0; i < 3; i++)
		range_get(&changes[i].addr, &changes[i].len);
	changes[1].len = changes[2].len;
	changes[2].to = changes[1].addr;
	if (!swhca_fabric_pages_begin(p->w.fabric, changes, nb))
		is_done = false;
	else
		swhca_fabric_pages_end(p->w.fabric, changes, nb, is_done);
	for (i = 0; i < nb && is_done; i++) {
		for (j = 0; j < NB_PIN_KEYS; j++)
			pinned_change(&all[j], &changes[i]);
	}
}

PAIR_CASE(pinned_pages_are_known_wherever_they_are)
{
	struct pinned all[NB_PIN_KEYS] = { 0 };
	uint64_t addr, len;
	uint32_t nb = test_nb_cases() * 20, i, j;
	bool is_pinned;

	srandom(test_seed());
	for (i = 0; i < nb; i++) {
		pinned_toggle(p, &all[rnd(NB_PIN_KEYS)]);
		if (rnd(2) == 0)
			pages_change(p, all);
		range_get(&addr, &len);
		is_pinned = false;
		for (j = 0; j < NB_PIN_KEYS; j++)
			is_pinned |= pinned_overlaps(&all[j], addr, addr + len);
		assert_int_equal(swhca_fabric_pages_are_pinned(p->w.fabric, addr, len), is_pinned);
	}
}

/* Calls for pages between those of keys. */
static uint64_t
gaps_ns(struct pair *p, uint32_t nb_keys)
{
	uint64_t begin_ns = cpu_ns();
	uint32_t i, at = 0;

	for (i = 0; i < 20000; i++) {
		at = (at + 7919) % nb_keys;
		assert_false(swhca_fabric_pages_are_pinned(
			p->w.fabric, PIN_FIRST + (uint64_t)(2 * at + 1) * PAGE, PAGE));
	}
	return cpu_ns() - begin_ns;
}

/* With each key looked at, the second took thousands of times as long as the first. */
PAIR_CASE(many_pinned_keys_hardly_delay_calls_beside_them)
{
	uint64_t one_ns, many_ns;
	uint32_t i, nb = 8192;

	pinned_key(p, PIN_FIRST, PAGE);
	one_ns = gaps_ns(p, 1);
	for (i = 1; i < nb; i++)
		pinned_key(p, PIN_FIRST + (uint64_t)2 * i * PAGE, PAGE);
	many_ns = gaps_ns(p, nb);
	assert_in_range(many_ns / one_ns, 0, 50);
}
