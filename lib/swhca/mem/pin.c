/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "mlx5_prm_wqe.h"
#include "base/alias.h"
#include "base/bisect.h"
#include "base/log.h"
#include "mem/odp.h"
#include "mem/pin.h"
#include "mem/pin_tree.h"

const char *
swhca_pages_event_name(enum swhca_pages_event event)
{
	static const char *const names[SWHCA_NB_PAGES_EVENTS] = {
		[SWHCA_PAGES_NONE] = "nothing",
		[SWHCA_PAGES_PROTECTED] = "mprotect",
		[SWHCA_PAGES_MOVED] = "mremap",
		[SWHCA_PAGES_UNMAPPED] = "munmap",
		[SWHCA_PAGES_REPLACED] = "MAP_FIXED of something else",
		[SWHCA_PAGES_DISCARDED] = "MADV_DONTNEED",
		[SWHCA_PAGES_REMOVED] = "MADV_REMOVE",
		[SWHCA_PAGES_LOST] = "an unseen munmap",
	};

	return names[event];
}

/* Memory comes from the kernel: an allocator may be releasing memory, with its locks held. */
static struct swhca_pin_part *
parts_alloc(uint32_t nb)
{
	long ret = syscall(SYS_mmap, NULL, (size_t)nb * sizeof(struct swhca_pin_part),
			   PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return ret == -1 ? NULL : (struct swhca_pin_part *)ret;
}

static void
parts_free(struct swhca_pin *pin)
{
	if (pin->parts != &pin->first)
		syscall(SYS_munmap, pin->parts, (size_t)pin->max * sizeof(*pin->parts));
}

static int
parts_grow(struct swhca_pin *pin)
{
	uint32_t max = pin->max == 1 ? PRM_ADAPTER_PAGE_SIZE / sizeof(*pin->parts) : 2 * pin->max;
	struct swhca_pin_part *parts = parts_alloc(max);

	if (parts == NULL)
		return -ENOMEM;
	memcpy(parts, pin->parts, pin->nb * sizeof(*parts));
	parts_free(pin);
	pin->parts = parts;
	pin->max = max;
	return 0;
}

static void
parts_put(struct swhca_pin *pin)
{
	uint32_t i;

	for (i = 0; i < pin->nb; i++)
		swhca_alias_put(pin->parts[i].alias);
	parts_free(pin);
	pin->parts = &pin->first;
	pin->max = 1;
}

/* Create a part of the whole pages of a linear translation for the bytes of a key. */
static void
parts_begin(struct swhca_pin *pin)
{
	const struct swhca_mkey *mkey = pin->mkey;
	uint64_t in_page = mkey->start_addr & ((UINT64_C(1) << mkey->log_page) - 1);
	uint64_t start = swhca_odp_first_page(mkey) + in_page, end = start + mkey->len;
	const uint64_t mask = PRM_ADAPTER_PAGE_SIZE - 1;

	start &= ~mask;
	end = (end + mask) & ~mask;
	pin->first = (struct swhca_pin_part){
		.start = start,
		.end = end,
		.addr = start,
		.at = start,
	};
	pin->nb = 1;
	pin->low = start;
	pin->high = end;
	pin->is_marked = false;
	pin->is_told = false;
}

static bool
is_pinned(const struct swhca_hca *hca, const struct swhca_mkey *mkey)
{
	return mkey->mode == PRM_MKC_ACCESS_MODE_MTT && !mkey->pg_access && !mkey->length64 &&
	       mkey->len > 0 && mkey->nb_xlt > 0 && !hca->conf.has_driver &&
	       hca->conf.bus_space == 0 && swhca_odp_first_page(mkey) != 0 &&
	       swhca_odp_is_linear(mkey);
}

/* Enter the addresses of a key into the tree, or take them from it; pins_lock is held. */
static void
pin_enter(struct swhca_pin *pin)
{
	struct swhca_fabric *fabric = pin->hca->fabric;

	fabric->pins = swhca_pin_tree_insert(fabric->pins, pin);
}

static void
pin_leave(struct swhca_pin *pin)
{
	struct swhca_fabric *fabric = pin->hca->fabric;

	fabric->pins = swhca_pin_tree_remove(fabric->pins, pin);
}

static struct swhca_pin *
pin_create(struct swhca_hca *hca, struct swhca_mkey *mkey)
{
	struct swhca_pin *pin = calloc(1, sizeof(*pin));

	if (pin == NULL)
		return NULL;
	pin->hca = hca;
	pin->mkey = mkey;
	pin->parts = &pin->first;
	pin->max = 1;
	parts_begin(pin);
	pthread_rwlock_wrlock(&hca->fabric->pins_lock);
	pin_enter(pin);
	pthread_rwlock_unlock(&hca->fabric->pins_lock);
	return pin;
}

int
swhca_pin_init(struct swhca_hca *hca, struct swhca_mkey *mkey)
{
	struct swhca_pin *pin = mkey->pin;

	if (!is_pinned(hca, mkey)) {
		mkey->pin = NULL;
		swhca_pin_fini(pin);
		return 0;
	}
	if (pin == NULL) {
		mkey->pin = pin_create(hca, mkey);
		return mkey->pin == NULL ? -ENOMEM : 0;
	}
	pthread_rwlock_wrlock(&hca->fabric->pins_lock);
	pin_leave(pin);
	parts_put(pin);
	parts_begin(pin);
	pin_enter(pin);
	pthread_rwlock_unlock(&hca->fabric->pins_lock);
	return 0;
}

void
swhca_pin_fini(struct swhca_pin *pin)
{
	if (pin == NULL)
		return;
	pthread_rwlock_wrlock(&pin->hca->fabric->pins_lock);
	pin_leave(pin);
	pthread_rwlock_unlock(&pin->hca->fabric->pins_lock);
	parts_put(pin);
	free(pin);
}

/* Index of the part that contains an address of the translation; nb if none does. */
static uint32_t
part_find(const struct swhca_pin *pin, uint64_t addr)
{
	uint32_t at = SWHCA_BISECT(i, 0, pin->nb, pin->parts[i].end <= addr);

	return at < pin->nb && pin->parts[at].start <= addr ? at : pin->nb;
}

/* Describe the consequence of using a part whose pages are elsewhere. */
static const char *
use_text(const struct swhca_pin *pin, const struct swhca_pin_part *part)
{
	if (pin->hca->fabric->stale == SWHCA_STALE_ERROR)
		return "rejected, an adapter goes on with the old pages";
	return part->is_gone ?
		       "what is mapped now is accessed, an adapter goes on with the old pages" :
		       "the old pages are accessed, as by an adapter";
}

/* Log once per region, at a level visible to the user: it is an error of the program. */
void
swhca_pin_count_use(struct swhca_pin *pin, const struct swhca_pin_part *part, uint64_t addr)
{
	bool is_followed = part->event == SWHCA_PAGES_MOVED &&
			   pin->hca->fabric->stale != SWHCA_STALE_ERROR;
	enum swhca_log_level level = is_followed ? SWHCA_LOG_WARNING : SWHCA_LOG_ERR;

	pin->hca->stats.nb_stale_accesses++;
	if (pin->is_told)
		return;
	pin->is_told = true;
	if (level <= swhca_log_level)
		swhca_log_write(level, "key 0x%x: stale region: 0x%" PRIx64 " is used after %s of"
				" [0x%" PRIx64 ", 0x%" PRIx64 "): %s", pin->mkey->obj.num, addr,
				swhca_pages_event_name(part->event), part->start, part->end,
				use_text(pin, part));
}

enum swhca_fault
swhca_pin_access(struct swhca_pin *pin, uint64_t *at, uint64_t *len)
{
	const struct swhca_pin_part *part;
	uint32_t i;

	/* Most never change; bytes after the key are not part of its page. */
	part = &pin->parts[0];
	if (pin->nb == 1 && part->event == SWHCA_PAGES_NONE && part->at == part->start)
		return SWHCA_FAULT_NONE;
	i = part_find(pin, *at);
	if (i == pin->nb)
		return SWHCA_FAULT_NONE;
	part = &pin->parts[i];
	if (part->event > SWHCA_PAGES_PROTECTED) {
		swhca_pin_count_use(pin, part, *at);
		if (pin->hca->fabric->stale == SWHCA_STALE_ERROR)
			return SWHCA_FAULT_STALE;
	}
	if (*len > part->end - *at)
		*len = part->end - *at;
	*at = part->at + (*at - part->start);
	return SWHCA_FAULT_NONE;
}

int
swhca_pin_split(struct swhca_pin *pin, uint64_t addr)
{
	struct swhca_pin_part *part;
	uint64_t len;
	uint32_t i;

	for (i = 0; i < pin->nb; i++) {
		part = &pin->parts[i];
		if (part->addr != 0 && addr > part->addr &&
		    addr - part->addr < part->end - part->start)
			break;
	}
	if (i == pin->nb)
		return 0;
	if (pin->nb == pin->max && parts_grow(pin) != 0)
		return -ENOMEM;
	part = &pin->parts[i];
	len = addr - part->addr;
	memmove(part + 1, part, (pin->nb - i) * sizeof(*part));
	pin->nb++;
	part->end = part->start + len;
	part[1].start += len;
	part[1].addr += len;
	part[1].at += len;
	if (part->alias != NULL)
		part->alias->nb_refs++;
	return 0;
}

static bool
are_alike(const struct swhca_pin_part *part, const struct swhca_pin_part *next)
{
	uint64_t len = next->start - part->start;

	return next->alias == part->alias && next->is_gone == part->is_gone &&
	       next->event == part->event && next->at - part->at == len &&
	       (next->addr == 0) == (part->addr == 0) &&
	       (next->addr == 0 || next->addr - part->addr == len);
}

static void
parts_merge(struct swhca_pin *pin)
{
	struct swhca_pin_part *parts = pin->parts;
	uint32_t i, nb = 1;

	for (i = 1; i < pin->nb; i++) {
		if (!are_alike(&parts[nb - 1], &parts[i])) {
			parts[nb++] = parts[i];
			continue;
		}
		parts[nb - 1].end = parts[i].end;
		if (parts[i].alias != NULL)
			parts[i].alias->nb_refs--;
	}
	pin->nb = nb;
}

void
swhca_pin_settle(struct swhca_pin *pin)
{
	const struct swhca_pin_part *part;
	uint32_t i;

	parts_merge(pin);
	pin_leave(pin);
	pin->low = UINT64_MAX;
	pin->high = 0;
	for (i = 0; i < pin->nb; i++) {
		part = &pin->parts[i];
		if (part->addr == 0)
			continue;
		if (part->addr < pin->low)
			pin->low = part->addr;
		if (part->addr + (part->end - part->start) > pin->high)
			pin->high = part->addr + (part->end - part->start);
	}
	pin_enter(pin);
}
