/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Keys, property by property: what is kept and what is overridden, partial updates, entries of one
 * size, layouts of more than 32 bits.
 */

#include <string.h>

#include <rte_memory.h>

#include "autotest.h"
#include "env.h"

#define TARGET	(AT_BUF_LEN / 2)	/* offset of where data goes */
#define LEN	256u

/* Read LEN bytes of a key of the same queue to TARGET, and compare them with those at offset. */
static int
key_shows(struct at_env *env, const struct rte_umr_mkey *mkey, uint64_t at, uint32_t offset)
{
	const struct rte_umr_seg local = at_seg(env->tx, TARGET, LEN);

	memset(env->tx->buf + TARGET, 0, LEN);
	TEST_ACCEPT(rte_umr_read(env->tx->dev_id, 0, &local, at, mkey->key, 0));
	TEST_ASSERT_SUCCESS(at_finish(env, 1));
	TEST_ASSERT_SAME(env->tx->buf + TARGET, env->tx->buf + offset, LEN);
	return TEST_SUCCESS;
}

static int
configure(struct at_env *env, struct rte_umr_mkey *mkey, const struct rte_umr_mkey_op *conf)
{
	TEST_ACCEPT(at_mkey_configure(env->tx->dev_id, 0, mkey, conf, 0));
	return at_finish(env, 1);
}

static int
loopback(struct at_env *env, uint32_t max_entries)
{
	AT_BUILD(env, .max_entries = max_entries);
	at_fill(env);
	return TEST_SUCCESS;
}

/* A pool of other keys than those of the environment, freed by the case. */
static struct rte_umr_mkey_pool *
pool_of(const struct at_env *env, uint32_t max_entries, uint32_t flags, uint8_t log_entry_size)
{
	const struct rte_umr_mkey_pool_conf conf = {
		.nb_mkeys = 1, .max_entries = max_entries, .socket_id = SOCKET_ID_ANY,
		.log_entry_size = log_entry_size, .flags = flags,
	};

	return rte_umr_mkey_pool_create(env->tx->dev_id, &conf);
}

AT_CASE(conf, what_is_not_set_is_kept)
{
	struct rte_umr_mkey_op layout = { .setters = RTE_UMR_MKEY_SET_LAYOUT, .nb_entries = 1 };
	const struct rte_umr_mkey_op access = {
		.setters = RTE_UMR_MKEY_SET_ACCESS, .access = RTE_UMR_ACCESS_REMOTE_READ,
	};
	const struct rte_umr_mkey_op nothing = { 0 };
	struct rte_umr_seg seg;

	TEST_ASSERT_SUCCESS(loopback(env, 4));
	struct rte_umr_mkey *const mkey = AT_KEY(env->tx);
	seg = at_seg(env->tx, 100, LEN);
	layout.segs = &seg;
	TEST_ASSERT_SUCCESS(configure(env, mkey, &layout));
	TEST_ASSERT_SUCCESS(configure(env, mkey, &access));
	TEST_ASSERT_SUCCESS(key_shows(env, mkey, 0, 100));
	/* Another layout, the same rights. */
	seg = at_seg(env->tx, 5000, LEN);
	TEST_ASSERT_SUCCESS(configure(env, mkey, &layout));
	TEST_ASSERT_SUCCESS(key_shows(env, mkey, 0, 5000));
	/* An invalidation keeps both. */
	TEST_ACCEPT(rte_umr_mkey_invalidate(env->tx->dev_id, 0, mkey, 0));
	TEST_ASSERT_SUCCESS(at_finish(env, 1));
	TEST_ASSERT_SUCCESS(configure(env, mkey, &nothing));
	return key_shows(env, mkey, 0, 5000);
}

/* Lay nb pieces under a key, in one of many ways. */
static int
lay(struct at_env *env, struct rte_umr_mkey *mkey, unsigned int way, uint32_t nb)
{
	struct rte_umr_interleaved entries[64];
	struct rte_umr_seg segs[64];
	struct rte_umr_mkey_op op = { .mkey = mkey, .setters = RTE_UMR_MKEY_SET_ACCESS_LAYOUT,
				      .segs = segs, .nb_entries = nb };
	const int16_t dev = env->tx->dev_id;

	for (uint32_t i = 0; i < nb; i++) {
		segs[i] = at_seg(env->tx, i * 8, 8);
		entries[i] = (struct rte_umr_interleaved){ segs[i].addr, 8, 0, segs[i].lkey };
	}
	switch (way) {
	case 0:
		return rte_umr_mkey_list(dev, 0, mkey, 0, segs, nb, 0);
	case 1:
		return rte_umr_mkey_interleaved(dev, 0, mkey, 0, 1, entries, nb, 0);
	case 2:
		return rte_umr_mkey_configure_burst(dev, 0, &op, 1, 0) - 1;
	case 3:
		op.layout = RTE_UMR_LAYOUT_INTERLEAVED;
		op.repeat = 1;
		op.interleaved = entries;
		return rte_umr_mkey_configure_burst(dev, 0, &op, 1, 0) - 1;
	default:
		op.setters = RTE_UMR_MKEY_SET_LAYOUT;
		return rte_umr_mkey_configure(dev, 0, &op, 0);
	}
}

/* Else the layout of the last owner would show under a value that this one tells others. */
AT_CASE(conf, new_owner_sets_no_access_without_a_layout)
{
	static const uint32_t counts[] = { 1, 4, 5, 17, 40, 60 };
	const struct rte_umr_mkey_op ops[] = {
		{ .setters = RTE_UMR_MKEY_SET_ACCESS, .access = RTE_UMR_ACCESS_REMOTE_READ },
		{ .setters = 0 },
	};
	const int16_t *dev_id = &env->sides[0].dev_id;
	struct rte_umr_mkey *mkey;

	TEST_ASSERT_SUCCESS(loopback(env, 64));
	struct rte_umr_mkey_pool *const pool = TEST_NOT_NULL(pool_of(env, 64, 0, 0));
	for (unsigned int way = 0; way < 5; way++) {
		for (unsigned int i = 0; i < RTE_DIM(counts); i++) {
			mkey = TEST_NOT_NULL(rte_umr_mkey_get(pool));
			for (unsigned int k = 0; k < RTE_DIM(ops); k++)
				TEST_ASSERT_EQUAL(at_mkey_configure(*dev_id, 0, mkey, &ops[k], 0),
						  -EINVAL);
			TEST_ACCEPT(lay(env, mkey, way, counts[i]));
			for (unsigned int k = 0; k < RTE_DIM(ops); k++)
				TEST_ACCEPT(at_mkey_configure(*dev_id, 0, mkey, &ops[k], 0));
			TEST_ASSERT_SUCCESS(at_finish(env, 1 + RTE_DIM(ops)));
			TEST_ASSERT_SUCCESS(rte_umr_mkey_put(pool, mkey));
		}
	}
	return rte_umr_mkey_pool_destroy(pool);
}

AT_CASE(conf, rights_are_overridden_not_added)
{
	struct rte_umr_mkey_op conf = {
		.setters = RTE_UMR_MKEY_SET_ACCESS | RTE_UMR_MKEY_SET_LAYOUT,
		.access = RTE_UMR_ACCESS_REMOTE_READ, .nb_entries = 1,
	};

	TEST_ASSERT_SUCCESS(loopback(env, 4));
	struct rte_umr_mkey *const mkey = AT_KEY(env->tx);
	const struct rte_umr_seg seg = at_seg(env->tx, 100, LEN);
	conf.segs = &seg;
	TEST_ASSERT_SUCCESS(configure(env, mkey, &conf));
	TEST_ASSERT_SUCCESS(key_shows(env, mkey, 0, 100));
	conf.setters = RTE_UMR_MKEY_SET_ACCESS;
	conf.access = RTE_UMR_ACCESS_LOCAL_WRITE | RTE_UMR_ACCESS_REMOTE_WRITE;
	TEST_ASSERT_SUCCESS(configure(env, mkey, &conf));
	const struct rte_umr_seg local = at_seg(env->tx, TARGET, LEN);
	TEST_ACCEPT(rte_umr_read(env->tx->dev_id, 0, &local, 0, mkey->key, 0));
	return at_finish_status(env, 1, RTE_UMR_STATUS_REMOTE_ACCESS);
}

static int
relaxed_key_use(struct at_env *env, struct rte_umr_mkey *mkey)
{
	const uint32_t relaxed = RTE_UMR_ACCESS_REMOTE_READ | RTE_UMR_ACCESS_RELAXED_ORDERING;
	const struct rte_umr_seg seg = at_seg(env->tx, 100, LEN);
	const int16_t dev = env->tx->dev_id;
	struct rte_umr_mkey_attr attr;

	TEST_ACCEPT(rte_umr_mkey_list(dev, 0, mkey, relaxed, &seg, 1, 0));
	TEST_ASSERT_SUCCESS(at_finish(env, 1));
	TEST_ASSERT_SUCCESS(key_shows(env, mkey, 0, 100));
	if ((env->tx->info.dev_capa & RTE_UMR_CAPA_MKEY_QUERY) == 0)
		return TEST_SUCCESS;
	TEST_ASSERT_SUCCESS(rte_umr_mkey_query(mkey, &attr));
	TEST_ASSERT_EQUAL(attr.access, relaxed);
	/* And off again, by the call that sets all rights. */
	TEST_ACCEPT(rte_umr_mkey_list(dev, 0, mkey, RTE_UMR_ACCESS_REMOTE_READ, &seg, 1, 0));
	TEST_ASSERT_SUCCESS(at_finish(env, 1));
	TEST_ASSERT_SUCCESS(rte_umr_mkey_query(mkey, &attr));
	TEST_ASSERT_EQUAL(attr.access, RTE_UMR_ACCESS_REMOTE_READ);
	return TEST_SUCCESS;
}

AT_CASE(conf, relaxed_ordering_follows_capability_and_pool)
{
	const uint32_t relaxed = RTE_UMR_ACCESS_REMOTE_READ | RTE_UMR_ACCESS_RELAXED_ORDERING;

	TEST_ASSERT_SUCCESS(loopback(env, 4));
	const int16_t dev = env->tx->dev_id;
	const struct rte_umr_seg seg = at_seg(env->tx, 100, LEN);
	TEST_ASSERT_EQUAL(rte_umr_mkey_list(dev, 0, AT_KEY(env->tx), relaxed, &seg, 1, 0),
			  -ENOTSUP);
	const uint32_t flags = RTE_UMR_MKEY_POOL_F_RELAXED_ORDERING;
	if ((env->tx->info.access_capa & RTE_UMR_ACCESS_RELAXED_ORDERING) == 0) {
		TEST_ASSERT_ERRNO(pool_of(env, 4, flags, 0), ENOTSUP);
		return TEST_SUCCESS;
	}
	return relaxed_key_use(env, AT_OWN_KEY(env->tx, .max_entries = 4, .flags = flags));
}

/* A key at base, with a list or a pattern of 2 pieces, or a list of 100 in memory of the queue. */
static int
key_has_base(struct at_env *env, struct rte_umr_mkey *mkey, uint64_t base)
{
	struct rte_umr_interleaved pattern = { at_addr(env->tx, 300), LEN, 0, env->tx->mr->lkey };
	struct rte_umr_mkey_op op = {
		.setters = RTE_UMR_MKEY_SET_ACCESS_LAYOUT, .access = RTE_UMR_ACCESS_ALL,
		.base_addr = base,
	};
	struct rte_umr_mkey_attr attr;
	struct rte_umr_seg segs[100];

	for (uint32_t i = 0; i < RTE_DIM(segs); i++)
		segs[i] = at_seg(env->tx, 1000 + 100 * i, LEN);
	op.segs = segs;
	for (op.nb_entries = 2; op.nb_entries <= 100; op.nb_entries += 98) {
		TEST_ASSERT_SUCCESS(configure(env, mkey, &op));
		TEST_ASSERT_SUCCESS(key_shows(env, mkey, base, 1000));
		TEST_ASSERT_SUCCESS(key_shows(env, mkey, base + LEN * (op.nb_entries - 1),
					      1000 + 100 * (op.nb_entries - 1)));
		TEST_ASSERT_SUCCESS(rte_umr_mkey_query(mkey, &attr));
		TEST_ASSERT_EQUAL(attr.addr, base);
		TEST_ASSERT_EQUAL(attr.len, (uint64_t)LEN * op.nb_entries);
	}
	op.layout = RTE_UMR_LAYOUT_INTERLEAVED;
	op.interleaved = &pattern;
	op.nb_entries = 1;
	op.repeat = 2;
	TEST_ASSERT_SUCCESS(configure(env, mkey, &op));
	return key_shows(env, mkey, base + LEN, 300 + LEN);
}

/* Transfers before a key, and those that begin in it and end behind it, fail. */
static int
nothing_is_beside_a_key(struct at_env *env, const struct rte_umr_mkey *mkey, uint64_t base,
			uint64_t len)
{
	const struct rte_umr_seg local = at_seg(env->tx, TARGET, LEN);
	const uint64_t bad[] = { base - 1, base - LEN, base + len - LEN + 1, base + len, 0 };

	for (unsigned int i = 0; i < RTE_DIM(bad); i++) {
		TEST_ACCEPT(rte_umr_read(env->tx->dev_id, 0, &local, bad[i], mkey->key, 0));
		TEST_ASSERT_SUCCESS(at_finish_status(env, 1, RTE_UMR_STATUS_REMOTE_ACCESS));
		TEST_ASSERT_SUCCESS(at_env_recover(env));
	}
	return TEST_SUCCESS;
}

/* A list whose entries are addresses of another key, and the same pieces as a local segment. */
static int
bases_nest(struct at_env *env, struct rte_umr_mkey *inner, struct rte_umr_mkey *outer)
{
	const uint64_t base = UINT64_C(0x123456789abc), far = UINT64_C(1) << 63;
	const struct rte_umr_seg seg = at_seg(env->tx, 700, 4 * LEN);
	const struct rte_umr_seg of_inner[] = {
		{ base + 2 * LEN, LEN, inner->key }, { base + LEN / 2, LEN, inner->key },
	};
	const struct rte_umr_seg local = { far + LEN, LEN, outer->key };
	struct rte_umr_mkey_op op = {
		.setters = RTE_UMR_MKEY_SET_ACCESS_LAYOUT, .access = RTE_UMR_ACCESS_ALL,
		.segs = &seg, .nb_entries = 1, .base_addr = base,
	};

	TEST_ASSERT_SUCCESS(configure(env, inner, &op));
	op.segs = of_inner;
	op.nb_entries = 2;
	op.base_addr = far;
	TEST_ASSERT_SUCCESS(configure(env, outer, &op));
	TEST_ASSERT_SUCCESS(key_shows(env, outer, far, 700 + 2 * LEN));
	TEST_ASSERT_SUCCESS(key_shows(env, outer, far + LEN, 700 + LEN / 2));
	TEST_ACCEPT(at_write(env, local, TARGET, 0));
	TEST_ASSERT_SUCCESS(at_finish(env, 1));
	TEST_ASSERT_SAME(env->tx->buf + TARGET, env->tx->buf + 700 + LEN / 2, LEN);
	return nothing_is_beside_a_key(env, outer, far, 2 * LEN);
}

AT_CASE(conf, keys_begin_at_any_address)
{
	const uint64_t bases[] = {
		1, 4095, UINT64_C(1) << 32, UINT64_C(1) << 63, UINT64_MAX - 100 * LEN, 0,
	};
	struct rte_umr_mkey *inner, *outer;
	struct rte_umr_mkey_op op = { .setters = RTE_UMR_MKEY_SET_LAYOUT, .nb_entries = 1 };

	TEST_ASSERT_SUCCESS(loopback(env, 4));
	TEST_NEED(at_need_capa(&env->tx->info, RTE_UMR_CAPA_MKEY_BASE | RTE_UMR_CAPA_MKEY_NESTED));
	const struct rte_umr_seg seg = at_seg(env->tx, 0, LEN);

	op.segs = &seg;
	op.base_addr = 4096;
	TEST_ASSERT_EQUAL(at_mkey_configure(env->tx->dev_id, 0, AT_KEY(env->tx), &op, 0), -ENOTSUP);
	inner = AT_OWN_KEY(env->tx, .max_entries = 128, .flags = RTE_UMR_MKEY_POOL_F_BASE);
	outer = AT_OWN_KEY(env->tx, .max_entries = 128,
			   .flags = RTE_UMR_MKEY_POOL_F_BASE | RTE_UMR_MKEY_POOL_F_UPDATE);
	op.base_addr = UINT64_MAX - LEN + 1;
	TEST_ASSERT_EQUAL(at_mkey_configure(env->tx->dev_id, 0, inner, &op, 0), -EINVAL);
	for (unsigned int i = 0; i < RTE_DIM(bases); i++)
		TEST_ASSERT_SUCCESS(key_has_base(env, i % 2 == 0 ? inner : outer, bases[i]));
	TEST_ASSERT_SUCCESS(bases_nest(env, inner, outer));
	/* A new entry of a list leaves its base alone; a plain list begins at 0. */
	TEST_ACCEPT(rte_umr_mkey_update(env->tx->dev_id, 0, outer, 1, &seg, 1, 0));
	TEST_ASSERT_SUCCESS(at_finish(env, 1));
	TEST_ASSERT_SUCCESS(key_shows(env, outer, (UINT64_C(1) << 63) + LEN, 0));
	TEST_ACCEPT(at_list(env, outer, RTE_UMR_ACCESS_REMOTE_READ, &seg, 1, 0));
	TEST_ASSERT_SUCCESS(at_finish(env, 1));
	return key_shows(env, outer, 0, 0);
}

/* Three pieces of 2 GiB, of which only what is there is read, and one behind them. */
AT_CASE(conf, list_of_six_gib_is_right)
{
	const uint32_t longest = UINT32_C(1) << 31;
	struct rte_umr_seg segs[4];

	TEST_ASSERT_SUCCESS(loopback(env, 4));
	struct rte_umr_mkey *const mkey = AT_KEY(env->tx);
	for (uint32_t i = 0; i < 4; i++)
		segs[i] = at_seg(env->tx, 1000 * (i + 1), i < 3 ? longest : 2 * LEN);
	TEST_ACCEPT(at_list(env, mkey, RTE_UMR_ACCESS_REMOTE_READ, segs, 4, 0));
	TEST_ASSERT_SUCCESS(at_finish(env, 1));
	TEST_ASSERT_SUCCESS(key_shows(env, mkey, longest, 2000));
	TEST_ASSERT_SUCCESS(key_shows(env, mkey, UINT64_C(2) * longest + 5, 3005));
	return key_shows(env, mkey, UINT64_C(3) * longest + LEN, 4000 + LEN);
}

AT_CASE(conf, pattern_of_more_than_32_bits_is_right)
{
	const struct rte_umr_interleaved plain = {
		.addr = 0, .bytes_count = 65535, .bytes_skip = 0,
	};
	struct rte_umr_interleaved entry = plain;
	struct rte_umr_mkey_attr attr;

	TEST_ASSERT_SUCCESS(loopback(env, 4));
	struct rte_umr_mkey *const mkey = AT_KEY(env->tx);
	entry.addr = at_addr(env->tx, 300);
	entry.lkey = env->tx->mr->lkey;
	TEST_ACCEPT(rte_umr_mkey_interleaved(env->tx->dev_id, 0, mkey, RTE_UMR_ACCESS_REMOTE_READ,
					     UINT32_MAX, &entry, 1, 0));
	TEST_ASSERT_SUCCESS(at_finish(env, 1));
	TEST_ASSERT_SUCCESS(rte_umr_mkey_query(mkey, &attr));
	TEST_ASSERT_EQUAL(attr.len, UINT64_C(65535) * UINT32_MAX);
	return key_shows(env, mkey, 1000, 1300);
}

/* What the API promises: a list of 60000 entries, one of them exchanged. */
AT_CASE(conf, one_of_60000_entries_is_exchanged)
{
	static struct rte_umr_seg segs[60000];

	TEST_ASSERT_SUCCESS(loopback(env, 4));
	const int16_t dev = env->tx->dev_id;
	struct rte_umr_mkey *const mkey = AT_OWN_KEY(env->tx, .max_entries = RTE_DIM(segs),
						     .flags = RTE_UMR_MKEY_POOL_F_UPDATE);
	for (uint32_t i = 0; i < RTE_DIM(segs); i++)
		segs[i] = at_seg(env->tx, i % 1000, LEN);
	TEST_ACCEPT(rte_umr_mkey_list(dev, 0, mkey, RTE_UMR_ACCESS_REMOTE_READ, segs, RTE_DIM(segs),
				      0));
	TEST_ASSERT_SUCCESS(at_finish(env, 1));
	const struct rte_umr_seg other = at_seg(env->tx, 7000, LEN + 16);
	const uint16_t avail = rte_umr_desc_avail(dev, 0);
	TEST_ACCEPT(rte_umr_mkey_update(dev, 0, mkey, 44444, &other, 1, 0));
	/* A group of four entries, not the list. */
	TEST_ASSERT_EQUAL(avail - rte_umr_desc_avail(dev, 0), 3);
	TEST_ASSERT_SUCCESS(at_finish(env, 1));
	TEST_ASSERT_SUCCESS(key_shows(env, mkey, 44443 * LEN, 443));
	TEST_ASSERT_SUCCESS(key_shows(env, mkey, 44444 * LEN, 7000));
	/* The ones behind it have moved by what it is longer. */
	TEST_ASSERT_SUCCESS(key_shows(env, mkey, 44445 * LEN + 16, 445));
	return key_shows(env, mkey, 59999 * LEN + 16, 999);
}

AT_CASE(conf, update_of_an_invalid_key_fails)
{
	struct rte_umr_mkey *mkey;
	struct rte_umr_seg seg;

	TEST_ASSERT_SUCCESS(loopback(env, 4));
	const int16_t dev = env->tx->dev_id;
	mkey = AT_OWN_KEY(env->tx, .max_entries = 8, .flags = RTE_UMR_MKEY_POOL_F_UPDATE);
	seg = at_seg(env->tx, 100, LEN);
	TEST_ACCEPT(rte_umr_mkey_list(dev, 0, mkey, RTE_UMR_ACCESS_REMOTE_READ, &seg, 1, 0));
	TEST_ACCEPT(rte_umr_mkey_invalidate(dev, 0, mkey, 0));
	TEST_ACCEPT(rte_umr_mkey_update(dev, 0, mkey, 0, &seg, 1, 0));
	TEST_ASSERT_SUCCESS(at_finish_status(env, 3, RTE_UMR_STATUS_MKEY_CONFIG));
	TEST_ASSERT_SUCCESS(rte_umr_queue_recover(dev, 0));
	/* As the next owner finds it: without a list, and as good as new. */
	TEST_ASSERT_SUCCESS(rte_umr_mkey_put(env->tx->own[0].pool, mkey));
	TEST_ASSERT(rte_umr_mkey_get(env->tx->own[0].pool) == mkey);
	TEST_ASSERT_EQUAL(rte_umr_mkey_update(dev, 0, mkey, 0, &seg, 1, 0), -ENOENT);
	TEST_ACCEPT(rte_umr_mkey_list(dev, 0, mkey, RTE_UMR_ACCESS_REMOTE_READ, &seg, 1, 0));
	seg = at_seg(env->tx, 900, LEN);
	TEST_ACCEPT(rte_umr_mkey_update(dev, 0, mkey, 0, &seg, 1, 0));
	TEST_ASSERT_SUCCESS(at_finish(env, 2));
	return key_shows(env, mkey, 0, 900);
}

AT_CASE(conf, fixed_size_entries_are_one_size)
{
	struct rte_umr_fixed fixed[3];
	struct rte_umr_mkey_op conf = {
		.setters = RTE_UMR_MKEY_SET_ACCESS | RTE_UMR_MKEY_SET_LAYOUT,
		.access = RTE_UMR_ACCESS_REMOTE_READ, .layout = RTE_UMR_LAYOUT_FIXED,
		.nb_entries = 3, .fixed = fixed,
	};
	static const uint32_t offsets[3] = { 0x4000, 0x1000, 0x7000 };

	TEST_ASSERT_SUCCESS(loopback(env, 4));
	if ((env->tx->info.dev_capa & RTE_UMR_CAPA_MKEY_FIXED) == 0 ||
	    env->tx->info.min_log_entry_size > 12) {
		TEST_ASSERT(pool_of(env, 4, RTE_UMR_MKEY_POOL_F_FIXED_SIZE, 12) == NULL);
		return TEST_SUCCESS;
	}
	struct rte_umr_mkey *const mkey = AT_OWN_KEY(env->tx, .max_entries = 4,
						     .log_entry_size = 12,
						     .flags = RTE_UMR_MKEY_POOL_F_FIXED_SIZE);
	for (uint32_t i = 0; i < 3; i++)
		fixed[i] = (struct rte_umr_fixed){
			.addr = at_addr(env->tx, offsets[i]), .lkey = env->tx->mr->lkey,
		};
	TEST_ASSERT_SUCCESS(configure(env, mkey, &conf));
	for (uint32_t i = 0; i < 3; i++)
		TEST_ASSERT_SUCCESS(key_shows(env, mkey, 4096 * i + 3840, offsets[i] + 3840));
	/* It ends with its last entry, though there is room for a fourth one. */
	const struct rte_umr_seg local = at_seg(env->tx, TARGET, 2);
	TEST_ACCEPT(rte_umr_read(env->tx->dev_id, 0, &local, 3 * 4096 - 1, mkey->key, 0));
	return at_finish_status(env, 1, RTE_UMR_STATUS_REMOTE_ACCESS);
}

AT_CASE(conf, pool_of_entries_of_one_size_checks_it)
{
	const uint32_t fixed = RTE_UMR_MKEY_POOL_F_FIXED_SIZE;

	TEST_ASSERT_SUCCESS(at_side_probe(env, 0));
	env->tx = &env->sides[0];
	TEST_ASSERT_ERRNO(pool_of(env, 4, 0, 12), EINVAL);
	if ((env->tx->info.dev_capa & RTE_UMR_CAPA_MKEY_FIXED) == 0)
		return TEST_SUCCESS;
	TEST_ASSERT_ERRNO(pool_of(env, 4, fixed, env->tx->info.min_log_entry_size - 1), ERANGE);
	TEST_ASSERT_ERRNO(pool_of(env, 4, fixed, env->tx->info.max_log_entry_size + 1), ERANGE);
	return TEST_SUCCESS;
}

/* What a key with a signature on the wire sends: blocks of 4096 bytes, each with its field. */
#define SIGNED_LEN (2 * (4096 + 8))

static const struct rte_umr_sig wire_t10dif = {
	.wire = { .type = RTE_UMR_SIG_T10DIF_CRC, .flags = RTE_UMR_SIG_DOMAIN_F_REF_INCREMENT,
		  .block_size = 4096, .app_tag = 7, .ref_tag = 99 },
	.check_mask = RTE_UMR_SIG_MASK_T10DIF,
};

static int
signed_write(struct at_env *env, const struct rte_umr_mkey *mkey, uint8_t *copy)
{
	const struct rte_umr_seg local = at_key_seg(mkey, 0, SIGNED_LEN);

	memset(env->tx->buf + TARGET, 0, SIGNED_LEN);
	TEST_ACCEPT(rte_umr_write(env->tx->dev_id, 0, &local, at_addr(env->tx, TARGET),
				  env->tx->mr->rkey, 0));
	TEST_ASSERT_SUCCESS(at_finish(env, 1));
	memcpy(copy, env->tx->buf + TARGET, SIGNED_LEN);
	return TEST_SUCCESS;
}

/* The same bytes in more pieces than a work request holds: their format comes in one of its own. */
static int
signed_long_list(struct at_env *env, struct rte_umr_mkey *list, const uint8_t *expected)
{
	static uint8_t sent[SIGNED_LEN];
	struct rte_umr_seg segs[128];
	const struct rte_umr_mkey_op conf = {
		.setters = RTE_UMR_MKEY_SET_LAYOUT | RTE_UMR_MKEY_SET_SIG,
		.nb_entries = RTE_DIM(segs), .segs = segs, .sig = &wire_t10dif,
	};
	uint16_t avail = rte_umr_desc_avail(env->tx->dev_id, 0);

	for (uint32_t i = 0; i < RTE_DIM(segs); i++)
		segs[i] = at_seg(env->tx, (i < 64 ? 0x3000 : 0x5000) + i % 64 * 64, 64);
	TEST_ACCEPT(at_mkey_configure(env->tx->dev_id, 0, list, &conf, 0));
	/* Two UMRs and a SET_PSV. */
	TEST_ASSERT_EQUAL(avail - rte_umr_desc_avail(env->tx->dev_id, 0), 3 + 3 + 1);
	TEST_ASSERT_SUCCESS(at_finish(env, 1));
	TEST_ASSERT_SUCCESS(signed_write(env, list, sent));
	TEST_ASSERT_SAME(sent, expected, SIGNED_LEN);
	return TEST_SUCCESS;
}

/* The list says what is right; the entries of one size must send the same. */
static int
signed_layouts_compare(struct at_env *env, struct rte_umr_mkey *list, struct rte_umr_mkey *fixed)
{
	static uint8_t expected[SIGNED_LEN], sent[SIGNED_LEN];
	struct rte_umr_seg segs[2] = { at_seg(env->tx, 0x3000, 4096),
				       at_seg(env->tx, 0x1000, 4096) };
	const struct rte_umr_fixed entries[2] = { { segs[0].addr, segs[0].lkey, 0 },
						  { segs[1].addr, segs[1].lkey, 0 } };
	struct rte_umr_mkey_op conf = {
		.setters = RTE_UMR_MKEY_SET_LAYOUT | RTE_UMR_MKEY_SET_SIG, .nb_entries = 2,
		.segs = segs, .sig = &wire_t10dif,
	};
	int16_t dev = env->tx->dev_id;

	TEST_ASSERT_SUCCESS(configure(env, list, &conf));
	conf.layout = RTE_UMR_LAYOUT_FIXED;
	conf.fixed = entries;
	TEST_ASSERT_SUCCESS(configure(env, fixed, &conf));
	TEST_ASSERT_SUCCESS(signed_write(env, list, expected));
	TEST_ASSERT_SUCCESS(signed_write(env, fixed, sent));
	TEST_ASSERT_SAME(sent, expected, SIGNED_LEN);
	/* Other data, other guards; the signature stays. */
	segs[1] = at_seg(env->tx, 0x5000, 4096);
	TEST_ACCEPT(rte_umr_mkey_update(dev, 0, list, 1, &segs[1], 1, 0));
	TEST_ACCEPT(rte_umr_mkey_update(dev, 0, fixed, 1, &segs[1], 1, 0));
	TEST_ASSERT_SUCCESS(at_finish(env, 2));
	TEST_ASSERT_SUCCESS(signed_write(env, list, expected));
	TEST_ASSERT(at_first_difference(sent, expected, SIGNED_LEN) >= 4096 + 8);
	TEST_ASSERT_SAME(expected + 4104, env->tx->buf + 0x5000, 4096);
	TEST_ASSERT_SUCCESS(signed_write(env, fixed, sent));
	TEST_ASSERT_SAME(sent, expected, SIGNED_LEN);
	segs[1].length--;
	TEST_ASSERT_EQUAL(rte_umr_mkey_update(dev, 0, list, 1, &segs[1], 1, 0), -EINVAL);
	return signed_long_list(env, list, expected);
}

AT_CASE(conf, signature_goes_with_updates_and_entries_of_one_size)
{
	const uint32_t flags = RTE_UMR_MKEY_POOL_F_SIG | RTE_UMR_MKEY_POOL_F_UPDATE;

	/* The queue has room for signatures; the pool gives it away. */
	TEST_NEED(at_env_build_capable(env, RTE_UMR_CAPA_MKEY_SIG | RTE_UMR_CAPA_MKEY_FIXED,
				       &(struct at_conf){ .mkey_flags = RTE_UMR_MKEY_POOL_F_SIG }));
	TEST_ASSERT_SUCCESS(rte_umr_mkey_pool_destroy(env->tx->pool));
	env->tx->pool = NULL;
	struct rte_umr_mkey *const list = AT_OWN_KEY(env->tx, .max_entries = 128, .flags = flags);
	struct rte_umr_mkey *const fixed = AT_OWN_KEY(env->tx, .max_entries = 4,
						      .log_entry_size = 12, .flags = flags |
						      RTE_UMR_MKEY_POOL_F_FIXED_SIZE);
	return signed_layouts_compare(env, list, fixed);
}

AT_CASE(conf, stopped_device_configures_nothing)
{
	const struct rte_umr_mkey_op conf = { 0 };

	TEST_ASSERT_SUCCESS(loopback(env, 4));
	const int16_t dev = env->tx->dev_id;
	struct rte_umr_mkey *const mkey = AT_KEY(env->tx);
	const struct rte_umr_seg seg = at_seg(env->tx, 0, LEN);
	TEST_ASSERT_SUCCESS(rte_umr_dev_stop(dev));
	TEST_ASSERT_EQUAL(at_mkey_configure(dev, 0, mkey, &conf, 0), -ESHUTDOWN);
	TEST_ASSERT_EQUAL(rte_umr_mkey_update(dev, 0, mkey, 0, &seg, 1, 0), -ESHUTDOWN);
	return TEST_SUCCESS;
}
