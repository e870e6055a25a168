/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Random types within random limits: keys that are configured, walked byte by byte, against the
 * type, enumerated byte by byte.
 */

#include <inttypes.h>

#include <rte_log.h>
#include <rte_umr.h>

#include "cases.h"
#include "budget.h"
#include "keys.h"
#include "model/type_gen.h"
#include "model/type_oracle.h"

#define NB_CASES	(12 * test_nb_cases())
#define MAX_BYTES	6000u
#define BASE		(UINT64_C(1) << 40)

static int64_t bytes[MAX_BYTES];
static uint64_t addrs[MAX_BYTES];
static uint32_t at_case;

static struct rte_umr_layout_conf
conf_gen(struct prng *prng)
{
	static const uint32_t strides[] = { 7, 64, 255, 65535, 65535, 65535 };
	static const uint32_t pieces[] = { 3, 100, UINT32_C(1) << 31, UINT32_C(1) << 31 };
	struct rte_umr_layout_conf conf = {
		.flags = prng_one_in(prng, 3) ? RTE_UMR_LAYOUT_F_WRITE : 0,
		.max_keys = (uint32_t)prng_log(prng, KEYS_MAX),
		.max_entries = (uint32_t)prng_log(prng, 400) + 1, .max_list = 300,
		.max_list_inline = (uint32_t)prng_between(prng, 1, 52),
		.max_interleaved = prng_one_in(prng, 8) ? 0 : 299, .max_interleaved_inline = 51,
		.max_interleaved_stride = strides[prng_between(prng, 0, RTE_DIM(strides) - 1)],
		.max_entry_len = pieces[prng_between(prng, 0, RTE_DIM(pieces) - 1)],
		.max_levels = (uint16_t)prng_between(prng, 1, 5),
	};

	return conf;
}

static int
compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static bool
has_twice(const int64_t *of, uint64_t nb)
{
	for (uint64_t i = 0; i < nb; i++)
		addrs[i] = (uint64_t)of[i] + BASE;
	qsort(addrs, (size_t)nb, sizeof(addrs[0]), compare);
	for (uint64_t i = 1; i < nb; i++)
		if (addrs[i] == addrs[i - 1])
			return true;
	return false;
}

/* What follows each other joined, and cut as the device wants it. */
static uint64_t
nb_pieces(const int64_t *of, uint64_t nb, uint64_t max_len)
{
	uint64_t i, len = 0, pieces = 0;

	for (i = 0; i < nb; i++) {
		if (i > 0 && of[i] == of[i - 1] + 1 && len < max_len) {
			len++;
			continue;
		}
		pieces++;
		len = 1;
	}
	return pieces;
}

/* What was told of a layout, and what it is. */
static void
cost_check(const struct rte_umr_layout *layout, const struct rte_umr_layout_conf *conf,
	   uint64_t nb, uint32_t nb_levels)
{
	struct rte_umr_layout_cost cost;
	struct rte_umr_layout_key attr;
	uint64_t nb_entries = 0;
	uint32_t i, nb_one;

	rte_umr_layout_cost_get(layout, &cost);
	assert_int_equal(cost.len, nb);
	assert_int_equal(cost.nb_levels, nb_levels);
	assert_true(nb_levels <= conf->max_levels);
	assert_true(cost.nb_keys <= conf->max_keys);
	assert_true(cost.max_entries <= conf->max_entries);
	for (i = 0; i < cost.nb_keys; i++) {
		const struct keys_key *key = &keys.keys[i];

		assert_int_equal(rte_umr_layout_key_get(layout, i, &attr), 0);
		assert_int_equal(attr.layout == RTE_UMR_LAYOUT_INTERLEAVED, key->is_pattern);
		assert_int_equal(attr.nb_entries, key->nb);
		assert_int_equal(attr.repeat, key->repeat);
		assert_int_equal(attr.len, key->len);
		nb_one = key->nb + key->is_pattern;
		assert_true(nb_one <= cost.max_entries);
		assert_true(key->nb <= (key->is_pattern ? conf->max_interleaved : conf->max_list));
		nb_entries += nb_one;
	}
	assert_int_equal(cost.nb_entries, nb_entries);
}

/* What devices want of entries. */
static void
entries_check(const struct rte_umr_layout_conf *conf, uint32_t nb_keys)
{
	for (uint32_t i = 0; i < nb_keys; i++) {
		for (uint32_t k = 0; k < keys.keys[i].nb; k++) {
			const struct rte_umr_interleaved *entry = &keys.keys[i].entries[k];

			assert_true(entry->bytes_count >= 1);
			assert_true(entry->bytes_count <= conf->max_entry_len);
			assert_true(!keys.keys[i].is_pattern ||
				    (uint64_t)entry->bytes_count + entry->bytes_skip <=
					    conf->max_interleaved_stride);
		}
	}
}

/* @return whether there was a layout */
static bool
one_case(uint64_t seed, uint32_t n, uint64_t *nb_nested)
{
	struct prng prng = prng_stream(seed, n);
	const struct rte_umr_type *type;
	struct rte_umr_layout_conf conf;
	struct rte_umr_layout_cost cost;
	struct rte_umr_layout *layout;
	struct rte_umr_layout_op op;
	uint64_t nb, i;
	uint32_t nb_levels;

	type = gen_type(&prng);
	conf = conf_gen(&prng);
	nb = oracle_bytes(type, bytes, MAX_BYTES);
	if (nb == UINT64_MAX)
		return false;
	layout = rte_umr_layout_plan(&conf, type);
	if (layout == NULL) {
		if (nb == 0)
			assert_int_equal(rte_errno, EINVAL);
		else if ((conf.flags & RTE_UMR_LAYOUT_F_WRITE) != 0 && has_twice(bytes, nb))
			assert_int_equal(rte_errno, EEXIST);
		else
			assert_int_equal(rte_errno, E2BIG);
		/* A list that fits is always there. */
		if (rte_errno == E2BIG)
			assert_true(nb_pieces(bytes, nb, conf.max_entry_len) >
				    RTE_MIN(conf.max_entries, conf.max_list));
		return false;
	}
	assert_true(nb != 0);
	assert_false((conf.flags & RTE_UMR_LAYOUT_F_WRITE) != 0 && has_twice(bytes, nb));
	rte_umr_layout_cost_get(layout, &cost);
	keys_reset(cost.max_entries);
	op = (struct rte_umr_layout_op){
		.addr = BASE, .lkey = KEYS_LKEY, .mkeys = keys.ptrs, .nb_mkeys = cost.nb_keys,
	};
	assert_int_equal(rte_umr_layout_enqueue(KEYS_DEV_ID, 0, layout, &op, 0), cost.nb_keys);
	entries_check(&conf, cost.nb_keys);
	assert_int_equal(keys.keys[cost.nb_keys - 1].len, nb);
	nb_levels = keys_walk(cost.nb_keys - 1, addrs);
	for (i = 0; i < nb; i++)
		assert_int_equal(addrs[i] - BASE, bytes[i]);
	cost_check(layout, &conf, nb, nb_levels);
	assert_true(keys_are_within(BASE + (uint64_t)cost.lb, BASE + (uint64_t)cost.ub));
	*nb_nested += cost.nb_keys > 1;
	rte_umr_layout_free(layout);
	return true;
}

static int
teardown(void **state)
{
	if (at_case != UINT32_MAX)
		print_message("# it was case %u\n", at_case);
	keys_fini();
	return 0;
}

CASE_WITH(random_types_show_what_they_say, NULL, teardown)
{
	const uint32_t seed = test_seed();
	uint64_t nb_nested = 0;
	uint32_t i, nb = 0;

	rte_log_set_level(rte_log_register("lib.umr"), RTE_LOG_EMERG);
	for (i = 0; i < NB_CASES; i++) {
		at_case = i;
		nb += one_case(seed, i, &nb_nested);
	}
	at_case = UINT32_MAX;
	print_message("# %u of %u types had a layout, %" PRIu64 " of them of several keys\n", nb,
		      NB_CASES, nb_nested);
	/* Otherwise the generator has lost what it is for. */
	assert_true(nb > NB_CASES / 3);
	assert_true(nb_nested > NB_CASES / 50);
}
