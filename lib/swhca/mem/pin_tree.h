/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_MEM_PIN_TREE_H
#define SWHCA_MEM_PIN_TREE_H

/**
 * @file
 * Pinned keys by address: the call that changes a mapping finds those that it concerns.
 *
 * A treap (Seidel, Aragon: Randomized Search Trees) in the order of the first address of each key;
 * each node has the highest end below it, so that keys may overlap. No function allocates memory,
 * or waits. A root of NULL is an empty tree.
 */

#include "mem/pin.h"

/** Add a key with the addresses that it has now. @return The new root. */
struct swhca_pin *swhca_pin_tree_insert(struct swhca_pin *root, struct swhca_pin *pin);
/** Remove a key, before its addresses change. @return The new root. */
struct swhca_pin *swhca_pin_tree_remove(struct swhca_pin *root, struct swhca_pin *pin);
/** Check whether any key overlaps [addr, end). */
bool swhca_pin_tree_overlaps(const struct swhca_pin *root, uint64_t addr, uint64_t end);
/** Select all keys that overlap [addr, end). @return The first one; the others by next. */
struct swhca_pin *swhca_pin_tree_select(struct swhca_pin *root, uint64_t addr, uint64_t end);

#endif /* SWHCA_MEM_PIN_TREE_H */
