/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef UNIT_LAYOUT_KEYS_H
#define UNIT_LAYOUT_KEYS_H

/**
 * @file
 * A queue that keeps what keys are configured with, and which byte of memory each byte of a key is.
 * Lists are walked from their beginning, and patterns round by round: nothing is shared with what
 * plans layouts.
 */

#include <stdbool.h>
#include <stdint.h>

#include <rte_umr.h>

#define KEYS_DEV_ID	6
#define KEYS_MAX	4096u
/** Key of memory. */
#define KEYS_LKEY	0x70u

/** What was configured. */
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
	uint32_t nb_ops; /**< That were enqueued. */
	uint32_t max_ops; /**< Then the ring is full. */
	uint32_t nb_submits;
};

extern struct keys keys;

/** Begin anew: nothing is configured, each key holds that many entries. */
void keys_reset(uint32_t max_entries);
/** Free what was kept, and give the library its queues back. */
void keys_fini(void);

/**
 * Address of each byte that a key shows, in order.
 *
 * @return
 *   Most keys under each other, or 0: an entry is not as a device wants it (printed).
 */
uint32_t keys_walk(uint32_t n, uint64_t *addrs);

/** Whether all memory below all keys is in [from, to). */
bool keys_are_within(uint64_t from, uint64_t to);

#endif /* UNIT_LAYOUT_KEYS_H */
