/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef UNIT_LAYOUT_KEYS_H
#define UNIT_LAYOUT_KEYS_H

/**
 * @file
 * A queue that records key configurations, and the byte of memory of each byte of a key. Lists are
 * processed from their start, and patterns round by round: no code is shared with the planning of
 * layouts.
 */

#include <stdbool.h>
#include <stdint.h>

#include <rte_umr.h>

#define KEYS_DEV_ID	6
#define KEYS_MAX	4096u
/** Key of memory. */
#define KEYS_LKEY	0x70u

/** Recorded configuration. */
struct keys_key {
	bool is_pattern;
	uint32_t access;
	uint32_t repeat;
	uint32_t nb;
	struct rte_umr_interleaved *entries; /* skip is 0 in lists */
	uint64_t len;
	uint64_t flags;
};

/** The queue, 0 of KEYS_DEV_ID. */
struct keys {
	struct rte_umr_mkey mkeys[KEYS_MAX];
	struct rte_umr_mkey *ptrs[KEYS_MAX];
	struct keys_key keys[KEYS_MAX];
	uint32_t nb_ops; /**< Enqueued operations. */
	uint32_t max_ops; /**< Limit at which the ring is full. */
	uint32_t nb_submits;
};

extern struct keys keys;

/** Reset: nothing is configured, each key supports max_entries entries. */
void keys_reset(uint32_t max_entries);
/** Free recorded data and restore the queue of the library. */
void keys_fini(void);

/**
 * Address of each byte of a key in order.
 *
 * @return
 *   Maximum nesting depth of keys, or 0 if an entry is invalid for devices (printed).
 */
uint32_t keys_walk(uint32_t n, uint64_t *addrs);

/** Whether all memory of all keys is in [from, to). */
bool keys_are_within(uint64_t from, uint64_t to);

#endif /* UNIT_LAYOUT_KEYS_H */
