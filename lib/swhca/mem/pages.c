/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Calls that change mappings under pinned keys: include/pages.h.
 *
 * The fabric lock is held from begin() to end(), so that no access sees half of a change. Whether a
 * key is concerned is checked without it, as its holder may be waiting for the allocator that makes
 * the call. The tree of pinned keys has a separate lock for that, which is never held while
 * waiting; without any key there is no lock at all.
 */

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "mlx5_prm_cmd.h"
#include "base/alias.h"
#include "base/log.h"
#include "mem/pin_tree.h"

static uint64_t
end_of(uint64_t addr, uint64_t len)
{
	return addr + len < addr ? UINT64_MAX : addr + len;
}

void
swhca_fabric_stale_set(struct swhca_fabric *fabric, enum swhca_stale stale)
{
	fabric->stale = stale;
}

bool
swhca_fabric_pages_are_pinned(struct swhca_fabric *fabric, uint64_t addr, uint64_t len)
{
	bool is_pinned;

	/* A program unmaps what it has registered after it has, so that this is no older. */
	if (len == 0 || atomic_load_explicit(&fabric->pins, memory_order_relaxed) == NULL ||
	    swhca_lock_is_held_here())
		return false;
	pthread_rwlock_rdlock(&fabric->pins_lock);
	is_pinned = swhca_pin_tree_overlaps(fabric->pins, addr, end_of(addr, len));
	pthread_rwlock_unlock(&fabric->pins_lock);
	return is_pinned;
}

/* Select the keys that a change may concern. */
static struct swhca_pin *
pins_at(const struct swhca_fabric *fabric, const struct swhca_pages_change *change)
{
	return swhca_pin_tree_select(fabric->pins, change->addr, end_of(change->addr, change->len));
}

/* Get the pages of a part that the program has in [addr, end). @return false: none. */
static bool
part_cut(const struct swhca_pin_part *part, uint64_t addr, uint64_t end, uint64_t *first,
	 uint64_t *last)
{
	*first = part->addr;
	*last = *first + (part->end - part->start);
	*first = *first > addr ? *first : addr;
	*last = *last < end ? *last : end;
	return part->addr != 0 && *first < *last;
}

/* Find the first pages of any of the keys in [addr, end). @return false: there are none. */
static bool
pinned_first(const struct swhca_pin *pin, uint64_t addr, uint64_t end, uint64_t *from, uint64_t *to)
{
	uint64_t first, last;
	uint32_t i;

	*from = end;
	*to = end;
	for (; pin != NULL; pin = pin->next) {
		for (i = 0; i < pin->nb; i++) {
			if (!part_cut(&pin->parts[i], addr, end, &first, &last) || first >= *from)
				continue;
			*from = first;
			*to = last;
		}
	}
	return *from < end;
}

/* Extend by pages adjacent to *to. @return false: there are no more. */
static bool
pinned_extend(const struct swhca_pin *pin, uint64_t addr, uint64_t end, uint64_t *to)
{
	uint64_t first, last, old = *to;
	uint32_t i;

	for (; pin != NULL; pin = pin->next) {
		for (i = 0; i < pin->nb; i++) {
			if (part_cut(&pin->parts[i], addr, end, &first, &last) && first <= *to &&
			    last > *to)
				*to = last;
		}
	}
	return *to != old;
}

/* Select the handling of mappings, SWHCA_ALIAS_*. @return false: they need not be checked. */
static bool
how_to_keep(const struct swhca_fabric *fabric, const struct swhca_pages_change *change,
	    unsigned int *how)
{
	bool is_kept = fabric->stale == SWHCA_STALE_FOLLOW;

	switch (change->event) {
	case SWHCA_PAGES_PROTECTED:
		*how = SWHCA_ALIAS_SHARED;
		return !change->can_read || !change->can_write;
	case SWHCA_PAGES_DISCARDED:
		*how = is_kept ? SWHCA_ALIAS_PRIVATE : 0;
		return true;
	case SWHCA_PAGES_REMOVED:
		*how = SWHCA_ALIAS_COPY;
		return is_kept;
	case SWHCA_PAGES_UNMAPPED:
	case SWHCA_PAGES_REPLACED:
		*how = SWHCA_ALIAS_PRIVATE | SWHCA_ALIAS_SHARED;
		return is_kept;
	default:
		return false;
	}
}

/* Keys with the same page share its alias: each page is kept once. */
static void
pages_keep(const struct swhca_fabric *fabric, const struct swhca_pin *pins,
	   struct swhca_pages_change *change)
{
	uint64_t addr = change->addr, end = end_of(addr, change->len), from, to;
	unsigned int how;

	if (!how_to_keep(fabric, change, &how))
		return;
	while (pinned_first(pins, addr, end, &from, &to)) {
		while (pinned_extend(pins, addr, end, &to))
			;
		if (swhca_alias_list_add(from, to, how, &change->aliases) != 0)
			SWHCA_LOG(WARNING, "pages of [0x%" PRIx64 ", 0x%" PRIx64 ") are not kept",
				  from, to);
		addr = to;
	}
}

/* Check whether the key loses an access right that it was registered with. */
static bool
takes_rights(const struct swhca_pin *pin, const struct swhca_pages_change *change)
{
	bool is_written = (pin->mkey->access & SWHCA_ACCESS_LOCAL_WRITE) != 0;

	return !change->can_read || (is_written && !change->can_write);
}

static void
part_adopt(struct swhca_pin_part *part, struct swhca_alias *alias)
{
	swhca_alias_put(part->alias);
	part->at = alias->at + (part->addr - alias->start);
	part->alias = alias;
	alias->nb_refs++;
}

/* A private page is accessed in place; for a shared one a mapping keeps its rights. */
static void
part_protect(struct swhca_pin_part *part, struct swhca_alias *found, bool is_taken)
{
	if (part->event == SWHCA_PAGES_NONE || part->event == SWHCA_PAGES_PROTECTED)
		part->event = is_taken ? SWHCA_PAGES_PROTECTED : SWHCA_PAGES_NONE;
	if (!is_taken) {
		swhca_alias_put(part->alias);
		part->alias = NULL;
		part->at = part->addr;
	} else if (part->alias == NULL) {
		if (found != NULL)
			part_adopt(part, found);
		else
			part->at |= SWHCA_DMA_FORCED;
	}
}

static void
part_move(struct swhca_pin_part *part, const struct swhca_pages_change *change)
{
	part->addr = part->addr - change->addr + change->to;
	if (part->alias == NULL)
		part->at = part->addr | (part->at & SWHCA_DMA_FORCED);
}

/* The program has unmapped them. A second mapping does not keep pages that a file loses. */
static void
part_leave(struct swhca_pin_part *part, struct swhca_alias *found, enum swhca_pages_event event)
{
	if (found != NULL) {
		part_adopt(part, found);
	} else if (part->alias == NULL || event == SWHCA_PAGES_REMOVED) {
		swhca_alias_put(part->alias);
		part->alias = NULL;
		part->at = part->addr;
		part->is_gone = true;
	}
	part->addr = 0;
}

/* @return Whether it affects a part, which is completely in the range. */
static bool
part_change(const struct swhca_pin *pin, struct swhca_pin_part *part,
	    const struct swhca_pages_change *change)
{
	struct swhca_alias *found = swhca_alias_find(change->aliases, part->addr);
	bool is_shared = found != NULL && found->is_shared;

	if (found != NULL && found->at == 0)
		found = NULL;
	switch (change->event) {
	case SWHCA_PAGES_PROTECTED:
		part_protect(part, found, takes_rights(pin, change));
		return takes_rights(pin, change);
	case SWHCA_PAGES_MOVED:
		part_move(part, change);
		break;
	case SWHCA_PAGES_DISCARDED:
		/* Shared memory keeps its pages: the next access finds them again. */
		if (is_shared)
			return false;
		part_leave(part, found, change->event);
		break;
	default:
		part_leave(part, found, change->event);
	}
	part->event = change->event;
	return true;
}

/* Check for pages whose protection is ignored. */
static bool
has_protected(const struct swhca_pin *pin)
{
	uint32_t i;

	for (i = 0; i < pin->nb; i++) {
		if (pin->parts[i].addr != 0 && pin->parts[i].at != pin->parts[i].addr)
			return true;
	}
	return false;
}

static bool
pin_is_concerned(const struct swhca_pin *pin, const struct swhca_pages_change *change)
{
	uint64_t first, last;
	uint32_t i;

	if (change->event == SWHCA_PAGES_PROTECTED && !takes_rights(pin, change) &&
	    !has_protected(pin))
		return false;
	for (i = 0; i < pin->nb; i++) {
		if (part_cut(&pin->parts[i], change->addr, end_of(change->addr, change->len),
			     &first, &last))
			return true;
	}
	return false;
}

/*
 * Split parts at the borders of the change. Before the call, as memory allocated after it could be
 * at an address just unmapped, where the program then maps something else.
 */
static int
pin_split_all(struct swhca_pin *pin, const struct swhca_pages_change *change)
{
	const struct swhca_alias *alias;
	int ret = swhca_pin_split(pin, change->addr);

	if (ret == 0)
		ret = swhca_pin_split(pin, end_of(change->addr, change->len));
	for (alias = change->aliases; alias != NULL && ret == 0; alias = alias->next) {
		ret = swhca_pin_split(pin, alias->start);
		if (ret == 0)
			ret = swhca_pin_split(pin, alias->end);
	}
	return ret;
}

static void
pins_split(struct swhca_pin *pin, const struct swhca_pages_change *change)
{
	for (; pin != NULL; pin = pin->next) {
		if (pin_is_concerned(pin, change) && pin_split_all(pin, change) != 0)
			SWHCA_LOG(WARNING, "key 0x%x: no memory to follow its pages",
				  pin->mkey->obj.num);
	}
}

/* As the kernel does: whole pages; a call with an unaligned start fails. */
static void
change_round(struct swhca_pages_change *change)
{
	const uint64_t mask = PRM_ADAPTER_PAGE_SIZE - 1;

	change->len = (change->addr & mask) != 0 ? 0 : (change->len + mask) & ~mask;
}

bool
swhca_fabric_pages_begin(struct swhca_fabric *fabric, struct swhca_pages_change *changes,
			 unsigned int nb)
{
	struct swhca_pin *pins;
	struct swhca_hca *hca;
	unsigned int i;

	for (i = 0; i < nb; i++)
		change_round(&changes[i]);
	for (i = 0; i < nb; i++) {
		if (swhca_fabric_pages_are_pinned(fabric, changes[i].addr, changes[i].len))
			break;
	}
	if (i == nb)
		return false;
	swhca_fabric_lock(fabric);
	for (i = 0; i < nb; i++) {
		changes[i].aliases = NULL;
		pins = pins_at(fabric, &changes[i]);
		pages_keep(fabric, pins, &changes[i]);
		pins_split(pins, &changes[i]);
	}
	/* Outstanding transfers use the current addresses. */
	LIST_FOREACH(hca, &fabric->hcas, link)
		fabric->wire->hold(hca);
	return true;
}

static void
pin_mark(struct swhca_pin *pin, const struct swhca_pages_change *change)
{
	if (pin->is_marked)
		return;
	pin->is_marked = true;
	pin->hca->stats.nb_stale_regions++;
	SWHCA_LOG(WARNING, "key 0x%x: %s of [0x%" PRIx64 ", 0x%" PRIx64 ") under a pinned region:"
		  " an adapter goes on with the old pages%s", pin->mkey->obj.num,
		  swhca_pages_event_name(change->event), change->addr,
		  end_of(change->addr, change->len),
		  change->event == SWHCA_PAGES_PROTECTED ? ", and with its rights" : "");
}

static void
pin_change(struct swhca_pin *pin, const struct swhca_pages_change *change)
{
	uint64_t end = end_of(change->addr, change->len), first, last;
	struct swhca_pin_part *part;
	bool is_marked = false;
	uint32_t i;

	for (i = 0; i < pin->nb; i++) {
		part = &pin->parts[i];
		if (!part_cut(part, change->addr, end, &first, &last) ||
		    last - first != part->end - part->start)
			continue;
		is_marked |= part_change(pin, part, change);
		/* An access has found it. */
		if (change->event == SWHCA_PAGES_LOST)
			swhca_pin_count_use(pin, part, part->start);
	}
	if (is_marked)
		pin_mark(pin, change);
}

static void
pins_change(struct swhca_pin *pin, const struct swhca_pages_change *change)
{
	for (; pin != NULL; pin = pin->next) {
		if (change->event != SWHCA_PAGES_NONE && pin_is_concerned(pin, change))
			pin_change(pin, change);
	}
}

static void
pins_settle(struct swhca_pin *pin)
{
	for (; pin != NULL; pin = pin->next)
		swhca_pin_settle(pin);
}

void
swhca_fabric_pages_end(struct swhca_fabric *fabric, struct swhca_pages_change *changes,
		       unsigned int nb, bool is_done)
{
	unsigned int i;

	pthread_rwlock_wrlock(&fabric->pins_lock);
	for (i = 0; i < nb && is_done; i++)
		pins_change(pins_at(fabric, &changes[i]), &changes[i]);
	/* The tree has the old places until a key is settled, so that all are found again. */
	for (i = 0; i < nb; i++)
		pins_settle(pins_at(fabric, &changes[i]));
	pthread_rwlock_unlock(&fabric->pins_lock);
	for (i = 0; i < nb; i++)
		swhca_alias_list_trim(changes[i].aliases);
	swhca_fabric_unlock(fabric);
}

/* msync(2): MS_ASYNC does nothing to pages that are mapped. */
static bool
is_unmapped(uint64_t page)
{
	return syscall(SYS_msync, page, (size_t)PRM_ADAPTER_PAGE_SIZE, MS_ASYNC) == -1 &&
	       errno == ENOMEM;
}

static void
pages_lose(struct swhca_fabric *fabric, uint64_t addr, uint64_t len)
{
	const struct swhca_pages_change change = {
		.event = SWHCA_PAGES_LOST,
		.addr = addr,
		.len = len,
	};
	struct swhca_pin *pins = pins_at(fabric, &change);

	pins_split(pins, &change);
	pthread_rwlock_wrlock(&fabric->pins_lock);
	pins_change(pins, &change);
	pins_settle(pins);
	pthread_rwlock_unlock(&fabric->pins_lock);
}

static void
span_check(struct swhca_fabric *fabric, const struct swhca_span *span)
{
	uint64_t at = span->addr & ~(uint64_t)(PRM_ADAPTER_PAGE_SIZE - 1), next;
	const uint64_t end = end_of(span->addr, span->len);

	if (!swhca_pin_tree_overlaps(fabric->pins, at, end))
		return;
	for (; at < end; at = next + PRM_ADAPTER_PAGE_SIZE) {
		for (next = at; next < end && is_unmapped(next); next += PRM_ADAPTER_PAGE_SIZE)
			;
		if (next > at)
			pages_lose(fabric, at, next - at);
	}
}

void
swhca_pins_check(struct swhca_fabric *fabric, const struct swhca_spans *spans)
{
	size_t i;

	for (i = 0; i < spans->nb; i++) {
		if (spans->list[i].where == SWHCA_WHERE_BUS)
			span_check(fabric, &spans->list[i]);
	}
}
