/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include "mem/pin_tree.h"

/* Keys at one address are ordered by their own. */
static bool
is_before(const struct swhca_pin *pin, const struct swhca_pin *other)
{
	return pin->low != other->low ? pin->low < other->low :
					(uintptr_t)pin < (uintptr_t)other;
}

/* Depends on the address of the key alone, but spreads like a random number (Fibonacci hashing). */
static uint64_t
priority(const struct swhca_pin *pin)
{
	return (uintptr_t)pin * UINT64_C(0x9e3779b97f4a7c15);
}

static void
max_update(struct swhca_pin *node)
{
	node->max_high = node->high;
	if (node->left != NULL && node->left->max_high > node->max_high)
		node->max_high = node->left->max_high;
	if (node->right != NULL && node->right->max_high > node->max_high)
		node->max_high = node->right->max_high;
}

/* Split a tree into the keys before another one and those after it. */
static void
tree_split(struct swhca_pin *node, const struct swhca_pin *pin, struct swhca_pin **before,
	   struct swhca_pin **after)
{
	if (node == NULL) {
		*before = NULL;
		*after = NULL;
		return;
	}
	if (is_before(node, pin)) {
		*before = node;
		tree_split(node->right, pin, &node->right, after);
	} else {
		*after = node;
		tree_split(node->left, pin, before, &node->left);
	}
	max_update(node);
}

/* Join two trees; all keys of the first one are before those of the second. */
static struct swhca_pin *
tree_join(struct swhca_pin *before, struct swhca_pin *after)
{
	if (before == NULL)
		return after;
	if (after == NULL)
		return before;
	if (priority(before) > priority(after)) {
		before->right = tree_join(before->right, after);
		max_update(before);
		return before;
	}
	after->left = tree_join(before, after->left);
	max_update(after);
	return after;
}

struct swhca_pin *
swhca_pin_tree_insert(struct swhca_pin *root, struct swhca_pin *pin)
{
	struct swhca_pin *node = root;

	if (root == NULL || priority(pin) > priority(root)) {
		tree_split(root, pin, &pin->left, &pin->right);
		node = pin;
	} else if (is_before(pin, root)) {
		root->left = swhca_pin_tree_insert(root->left, pin);
	} else {
		root->right = swhca_pin_tree_insert(root->right, pin);
	}
	max_update(node);
	return node;
}

struct swhca_pin *
swhca_pin_tree_remove(struct swhca_pin *root, struct swhca_pin *pin)
{
	if (root == pin)
		return tree_join(pin->left, pin->right);
	if (is_before(pin, root))
		root->left = swhca_pin_tree_remove(root->left, pin);
	else
		root->right = swhca_pin_tree_remove(root->right, pin);
	max_update(root);
	return root;
}

bool
swhca_pin_tree_overlaps(const struct swhca_pin *root, uint64_t addr, uint64_t end)
{
	/* One on the left that ends after addr overlaps, or it and all on the right begin later. */
	while (root != NULL && (root->low >= end || root->high <= addr)) {
		root = root->left != NULL && root->left->max_high > addr ? root->left :
									    root->right;
	}
	return root != NULL;
}

static void
select_below(struct swhca_pin *node, uint64_t addr, uint64_t end, struct swhca_pin **list)
{
	if (node == NULL || node->max_high <= addr)
		return;
	select_below(node->left, addr, end, list);
	if (node->low >= end)
		return;
	if (node->high > addr) {
		node->next = *list;
		*list = node;
	}
	select_below(node->right, addr, end, list);
}

struct swhca_pin *
swhca_pin_tree_select(struct swhca_pin *root, uint64_t addr, uint64_t end)
{
	struct swhca_pin *list = NULL;

	select_below(root, addr, end, &list);
	return list;
}
