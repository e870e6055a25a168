/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <ucontext.h>

#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#else
#define RUNNING_ON_VALGRIND 0
#endif

#include "host/x86_move.h"
#include "include/hca.h"
#include "base/log.h"
#include "host/trap.h"

/* Maximum mappings; a program has one per operation and allocation, and per UAR page. */
#define MAX_MAPPINGS 256u

struct mapping {
	uintptr_t start;		/* 0: none */
	size_t len;
	struct swhca_hca *hca;
	uint64_t bar_offset;
};

/*
 * Slot of a mapping. Signal handlers read without a lock, while another thread replaces a removed
 * mapping: turn is odd meanwhile, and different afterwards.
 */
static struct mapping_slot {
	atomic_uint turn;
	_Atomic uintptr_t start;
	_Atomic size_t len;
	struct swhca_hca *_Atomic hca;
	_Atomic uint64_t bar_offset;
} mappings[MAX_MAPPINGS];
static pthread_mutex_t mappings_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_uint nb_mappings;
static _Atomic swhca_trap_finder finder;

/* Valgrind has the program's registers in its own state, and the context contains old values. */
bool
swhca_trap_is_supported(void)
{
#ifdef __x86_64__
	return RUNNING_ON_VALGRIND == 0;
#else
	return false;
#endif
}

/* The lock is held. */
static void
mapping_write(struct mapping_slot *slot, const struct mapping *mapping)
{
	atomic_fetch_add(&slot->turn, 1);
	atomic_store(&slot->len, mapping->len);
	atomic_store(&slot->hca, mapping->hca);
	atomic_store(&slot->bar_offset, mapping->bar_offset);
	atomic_store(&slot->start, mapping->start);
	atomic_fetch_add(&slot->turn, 1);
}

/*
 * Without the lock. @return false: there is none, or it changes; then it is not the mapping that
 * the faulting access uses.
 */
static bool
mapping_read(struct mapping_slot *slot, struct mapping *mapping)
{
	unsigned int turn = atomic_load(&slot->turn);

	mapping->start = atomic_load(&slot->start);
	if (mapping->start == 0 || turn % 2 != 0)
		return false;
	mapping->len = atomic_load(&slot->len);
	mapping->hca = atomic_load(&slot->hca);
	mapping->bar_offset = atomic_load(&slot->bar_offset);
	return atomic_load(&slot->turn) == turn;
}

static int
mapping_add(struct swhca_hca *hca, const void *va, size_t len, off_t bar_offset)
{
	int ret = -ENOMEM;
	unsigned int i;

	pthread_mutex_lock(&mappings_lock);
	for (i = 0; i < MAX_MAPPINGS; i++) {
		if (atomic_load(&mappings[i].start) != 0)
			continue;
		mapping_write(&mappings[i], &(struct mapping){ (uintptr_t)va, len, hca,
							       (uint64_t)bar_offset });
		atomic_fetch_add(&nb_mappings, 1);
		ret = 0;
		break;
	}
	pthread_mutex_unlock(&mappings_lock);
	return ret;
}

int
swhca_trap_add(struct swhca_hca *hca, const void *va, size_t len, off_t bar_offset)
{
	if ((size_t)bar_offset < swhca_hca_bar_size(hca))
		return 0;
	return mapping_add(hca, va, len, bar_offset);
}

void
swhca_trap_add_uar(struct swhca_hca *hca, void *va, size_t len, off_t bar_offset)
{
	if (swhca_trap_is_supported() && mapping_add(hca, va, len, bar_offset) == 0)
		mprotect(va, len, PROT_READ);
}

void
swhca_trap_finder_set(swhca_trap_finder find)
{
	atomic_store(&finder, find);
}

void
swhca_trap_remove(const void *va, size_t len)
{
	uintptr_t addr = (uintptr_t)va, start;
	unsigned int i;

	if (atomic_load(&nb_mappings) == 0)
		return;
	pthread_mutex_lock(&mappings_lock);
	for (i = 0; i < MAX_MAPPINGS; i++) {
		start = atomic_load(&mappings[i].start);
		if (start == 0 || addr >= start + mappings[i].len || start >= addr + len)
			continue;
		atomic_store(&mappings[i].start, 0);
		atomic_fetch_sub(&nb_mappings, 1);
	}
	pthread_mutex_unlock(&mappings_lock);
}

void
swhca_trap_forget(void)
{
	unsigned int i;

	pthread_mutex_init(&mappings_lock, NULL);
	for (i = 0; i < MAX_MAPPINGS; i++) {
		atomic_store(&mappings[i].start, 0);
		/* A thread that does not exist here may have been writing. */
		atomic_store(&mappings[i].turn, 0);
	}
	atomic_store(&nb_mappings, 0);
	atomic_store(&finder, NULL);
}

#ifdef __x86_64__

/* Execute a move of one byte at an operation address. */
static bool
memic_exec(const struct mapping *mapping, uint64_t offset, ucontext_t *uc,
	   const struct swhca_move *move)
{
	uint8_t value[SWHCA_MOVE_MAX] = { 0 };

	if (move->size != 1)
		return false;
	if (move->is_store)
		swhca_move_source(uc, move, value);
	if (swhca_hca_memic_access(mapping->hca, mapping->bar_offset + offset, move->is_store,
				   value) != 0)
		return false;
	if (!move->is_store)
		swhca_move_finish(uc, move, value[0]);
	return true;
}

/* Execute a store to UAR pages. */
static bool
uar_exec(const struct mapping *mapping, uint64_t offset, ucontext_t *uc,
	 const struct swhca_move *move)
{
	uint8_t value[SWHCA_MOVE_MAX];

	if (!move->is_store || move->size > mapping->len - offset)
		return false;
	swhca_move_source(uc, move, value);
	swhca_hca_uar_store(mapping->hca, mapping->bar_offset + offset, value, move->size);
	return true;
}

/* Make the page writable: the unsupported store is repeated, later ones are not trapped. */
static bool
uar_open(const struct mapping *mapping)
{
	SWHCA_LOG(WARNING, "UAR page %p: rung by an instruction that is not followed; from now on"
		  " the order of its doorbells and records is seen only by chance",
		  (const void *)mapping->start);
	return mprotect((void *)mapping->start, mapping->len, PROT_READ | PROT_WRITE) == 0;
}

/* Execute the faulting instruction, and skip it. */
static bool
trap_exec(const struct mapping *mapping, uint64_t offset, ucontext_t *uc)
{
	bool is_uar = mapping->bar_offset < swhca_hca_bar_size(mapping->hca), is_done;
	greg_t *rip = &uc->uc_mcontext.gregs[REG_RIP];
	struct swhca_move move;

	is_done = swhca_move_decode((const uint8_t *)(uintptr_t)*rip, &move) &&
		  (is_uar ? uar_exec : memic_exec)(mapping, offset, uc, &move);
	if (!is_done)
		return is_uar && uar_open(mapping);
	*rip += move.len;
	return true;
}

#else

static bool
trap_exec(const struct mapping *mapping, uint64_t offset, ucontext_t *uc)
{
	(void)mapping;
	(void)offset;
	(void)uc;
	return false;
}

#endif

static bool
place_exec(const void *va, void *ctx)
{
	swhca_trap_finder find = atomic_load(&finder);
	struct swhca_trap_place place;
	struct mapping mapping;

	if (find == NULL || !find(va, &place))
		return false;
	mapping = (struct mapping){ place.start, place.len, place.hca, place.bar_offset };
	return trap_exec(&mapping, (uintptr_t)va - place.start, ctx);
}

bool
swhca_trap_handle(const void *va, void *ctx)
{
	uintptr_t addr = (uintptr_t)va;
	struct mapping mapping;
	unsigned int i;

	for (i = 0; atomic_load(&nb_mappings) != 0 && i < MAX_MAPPINGS; i++)
		if (mapping_read(&mappings[i], &mapping) && addr >= mapping.start &&
		    addr - mapping.start < mapping.len)
			return trap_exec(&mapping, addr - mapping.start, ctx);
	return place_exec(va, ctx);
}
