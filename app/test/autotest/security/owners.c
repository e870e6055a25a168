/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * One key and owners of it in turn, with failures between them: nothing that an owner set is ever
 * reachable for the next. Each owner has bytes of its own in memory, so that what comes through the
 * key says whose layout it is.
 */

#include <string.h>

#include "autotest.h"
#include "budget.h"
#include "dc/dc.h"
#include "env.h"
#include "model/prng.h"

#define PIECE	   64u
#define NB_PIECES  3u
#define LEN	   (NB_PIECES * PIECE)
#define NB_OWNERS  16u
#define TARGET	   0x18000u
#define BAD_RKEY   0x00ffff01u
#define ALL	   (RTE_UMR_ACCESS_LOCAL_WRITE | RTE_UMR_ACCESS_REMOTE_READ |                     \
		    RTE_UMR_ACCESS_REMOTE_WRITE)

struct owners {
	struct at_env *env;
	struct dc dc;
	struct at_side *target;
	struct rte_umr_mkey *mkey;
	struct prng prng;
	bool is_dc;
	uint32_t pool_flags;
	uint32_t owner;		/* whose turn it is */
};

static struct rte_umr_seg
owner_seg(const struct owners *o, uint32_t piece)
{
	return at_seg(o->env->tx, (o->owner % NB_OWNERS) * 0x1000 + piece * 2 * PIECE, PIECE);
}

static int
owners_recover(struct owners *o)
{
	if (!o->is_dc)
		return at_env_recover(o->env);
	return rte_umr_queue_recover(o->env->tx->dev_id, 0);
}

/* A layout of this owner, by one of the calls that lay one. */
static int
layout_enqueue(struct owners *o)
{
	const int16_t dev = o->env->tx->dev_id;
	struct rte_umr_seg segs[NB_PIECES];
	struct rte_umr_mkey_op op = {
		.mkey = o->mkey, .setters = RTE_UMR_MKEY_SET_LAYOUT | RTE_UMR_MKEY_SET_ACCESS,
		.access = ALL, .layout = RTE_UMR_LAYOUT_LIST, .segs = segs, .nb_entries = NB_PIECES,
	};

	for (uint32_t i = 0; i < NB_PIECES; i++)
		segs[i] = owner_seg(o, i);
	switch (prng_between(&o->prng, 0, 2)) {
	case 0:
		return rte_umr_mkey_list(dev, 0, o->mkey, ALL, segs, NB_PIECES, 0);
	case 1:
		return rte_umr_mkey_configure(dev, 0, &op, 0);
	default:
		return rte_umr_mkey_configure_burst(dev, 0, &op, 1, 0) == 1 ? 0 : -ENOSPC;
	}
}

/* Behind a write that fails the layout is flushed. */
static int
layout_is_flushed(struct owners *o)
{
	const int16_t dev = o->env->tx->dev_id;
	struct rte_umr_seg local = at_seg(o->env->tx, 0, PIECE);
	struct rte_umr_completion done[2];

	TEST_ACCEPT(rte_umr_write(dev, 0, &local, at_addr(o->target, TARGET), BAD_RKEY, 0));
	TEST_ACCEPT(layout_enqueue(o));
	TEST_ASSERT_SUCCESS(rte_umr_submit(dev, 0));
	TEST_ASSERT_EQUAL(at_collect(dev, 0, done, 2), 2);
	TEST_ASSERT_EQUAL(done[0].status, RTE_UMR_STATUS_REMOTE_ACCESS);
	TEST_ASSERT_EQUAL(done[1].status, RTE_UMR_STATUS_FLUSHED);
	return owners_recover(o);
}

/*
 * Without a layout of its own an owner can set no access, and where a layout was flushed nothing at
 * all. A signature may come first: the key has no byte then, which nothing_is_moved() looks at.
 */
static int
nothing_can_be_set(struct owners *o, bool is_flushed)
{
	static const struct rte_umr_sig sig = {
		.mem = { .type = RTE_UMR_SIG_T10DIF_CRC, .block_size = 512 },
		.check_mask = RTE_UMR_SIG_MASK_T10DIF,
	};
	struct rte_umr_mkey_op op = { .mkey = o->mkey, .access = ALL, .sig = &sig };
	const int16_t dev = o->env->tx->dev_id;
	static const uint32_t setters[] = {
		0, RTE_UMR_MKEY_SET_ACCESS, RTE_UMR_MKEY_SET_SIG, RTE_UMR_MKEY_RESET_SIG,
		RTE_UMR_MKEY_SET_ACCESS | RTE_UMR_MKEY_SET_SIG, RTE_UMR_MKEY_SET_CRYPTO,
	};
	const uint32_t sigs = RTE_UMR_MKEY_SET_SIG | RTE_UMR_MKEY_RESET_SIG;
	uint32_t i, lacking = RTE_UMR_MKEY_SET_CRYPTO;
	int error;

	if ((o->pool_flags & RTE_UMR_MKEY_POOL_F_SIG) == 0)
		lacking |= sigs;
	for (i = 0; i < RTE_DIM(setters); i++) {
		op.setters = setters[i];
		error = (setters[i] & lacking) != 0 ? -ENOTSUP : -EINVAL;
		if ((setters[i] & ~lacking & sigs) != 0 && !is_flushed)
			continue;
		TEST_ASSERT_EQUAL(rte_umr_mkey_configure(dev, 0, &op, 0), error);
		TEST_ASSERT_EQUAL(rte_umr_mkey_configure_burst(dev, 0, &op, 1, 0), error);
	}
	if ((o->pool_flags & RTE_UMR_MKEY_POOL_F_UPDATE) != 0) {
		const struct rte_umr_seg seg = owner_seg(o, 0);

		TEST_ASSERT_EQUAL(rte_umr_mkey_update(dev, 0, o->mkey, 0, &seg, 1, 0), -ENOENT);
	}
	return TEST_SUCCESS;
}

/* A signature in front of any layout. */
static int
signature_is_first(struct owners *o)
{
	const struct rte_umr_mkey_op op = { .mkey = o->mkey, .setters = RTE_UMR_MKEY_RESET_SIG };

	TEST_ACCEPT(rte_umr_mkey_configure(o->env->tx->dev_id, 0, &op, 0));
	return at_finish(o->env, 1);
}

/* Whatever was tried, no byte moves. */
static int
nothing_is_moved(struct owners *o)
{
	const struct rte_umr_seg through = at_key_seg(o->mkey, 0, LEN);
	const int16_t dev = o->env->tx->dev_id;
	struct rte_umr_completion done;
	uint8_t before[LEN];

	memset(o->target->buf + TARGET, 0x5a, LEN);
	memcpy(before, o->target->buf + TARGET, LEN);
	TEST_ACCEPT(rte_umr_write(dev, 0, &through, at_addr(o->target, TARGET), o->target->mr->rkey,
				  0));
	TEST_ASSERT_SUCCESS(rte_umr_submit(dev, 0));
	TEST_ASSERT_EQUAL(at_collect(dev, 0, &done, 1), 1);
	TEST_ASSERT(done.status != RTE_UMR_STATUS_SUCCESS);
	TEST_ASSERT_SAME(o->target->buf + TARGET, before, LEN);
	return owners_recover(o);
}

/* With a layout it has its own bytes, and may set the access alone. */
static int
own_bytes_are_moved(struct owners *o)
{
	const struct rte_umr_seg through = at_key_seg(o->mkey, 0, LEN);
	struct rte_umr_mkey_op op = {
		.mkey = o->mkey, .setters = RTE_UMR_MKEY_SET_ACCESS, .access = ALL,
	};
	const int16_t dev = o->env->tx->dev_id;
	const uint8_t *from;
	uint16_t nb = 2;

	TEST_ACCEPT(layout_enqueue(o));
	if (prng_one_in(&o->prng, 2)) {
		TEST_ACCEPT(rte_umr_mkey_configure(dev, 0, &op, 0));
		nb++;
	}
	memset(o->target->buf + TARGET, 0x5a, LEN);
	TEST_ACCEPT(rte_umr_write(dev, 0, &through, at_addr(o->target, TARGET), o->target->mr->rkey,
				  0));
	TEST_ASSERT_SUCCESS(at_finish(o->env, nb));
	for (uint32_t i = 0; i < NB_PIECES; i++) {
		from = (const uint8_t *)(uintptr_t)owner_seg(o, i).addr;
		TEST_ASSERT_SAME(o->target->buf + TARGET + i * PIECE, from, PIECE);
	}
	return TEST_SUCCESS;
}

static int
owner_run(struct owners *o)
{
	const bool is_flushed = prng_one_in(&o->prng, 2);

	if (is_flushed)
		TEST_ASSERT_SUCCESS(layout_is_flushed(o));
	TEST_ASSERT_SUCCESS(nothing_can_be_set(o, is_flushed));
	if (!is_flushed && (o->pool_flags & RTE_UMR_MKEY_POOL_F_SIG) != 0 &&
	    prng_one_in(&o->prng, 2)) {
		TEST_ASSERT_SUCCESS(signature_is_first(o));
		TEST_ASSERT_SUCCESS(nothing_is_moved(o));
		/* What failed was a transfer: nothing has become unknown. */
	}
	if (prng_one_in(&o->prng, 4))
		TEST_ASSERT_SUCCESS(nothing_is_moved(o));
	if (prng_one_in(&o->prng, 4))
		return TEST_SUCCESS;
	TEST_ASSERT_SUCCESS(own_bytes_are_moved(o));
	/* What was laid before does not come back when the next layout is flushed. */
	if (prng_one_in(&o->prng, 3)) {
		TEST_ASSERT_SUCCESS(layout_is_flushed(o));
		TEST_ASSERT_SUCCESS(nothing_can_be_set(o, true));
	}
	return TEST_SUCCESS;
}

/* Owners of the only key of a pool. */
static int
owners_run(struct owners *o)
{
	const uint32_t seed = test_seed(), nb_cases = test_nb_cases();
	int ret = TEST_SUCCESS;

	at_fill(o->env);
	o->prng = prng_stream(seed, 0);
	for (o->owner = 0; o->owner < nb_cases && ret == TEST_SUCCESS; o->owner++) {
		o->mkey = rte_umr_mkey_get(o->env->tx->pool);
		TEST_ASSERT(o->mkey != NULL);
		ret = owner_run(o);
		rte_umr_mkey_put(o->env->tx->pool, o->mkey);
	}
	if (ret != TEST_SUCCESS)
		printf("owner %u\n", o->owner - 1);
	return ret;
}

static int
owners_between(struct at_env *env, enum at_topology topology, uint32_t flags)
{
	struct owners o = { .env = env, .pool_flags = flags };

	AT_BUILD(env, .topology = topology, .nb_mkeys = 1, .mkey_flags = flags);
	o.target = env->rx;
	return owners_run(&o);
}

AT_CASE_CALL(owners, next_owner_of_a_loopback_key_has_nothing, owners_between(env, AT_LOOPBACK, 0))
AT_CASE_CALL(owners, next_owner_of_a_key_between_queues_has_nothing,
	owners_between(env, AT_SAME_DEVICE, 0))
AT_CASE_CALL(owners, next_owner_of_a_key_between_devices_has_nothing,
	owners_between(env, AT_TWO_DEVICES, 0))
AT_CASE_CALL(owners, next_owner_of_a_list_has_nothing_to_update,
	owners_between(env, AT_LOOPBACK, RTE_UMR_MKEY_POOL_F_UPDATE))
AT_CASE_CALL(owners, next_owner_of_a_signature_has_none,
	owners_between(env, AT_LOOPBACK, RTE_UMR_MKEY_POOL_F_SIG))

AT_CASE(owners, next_owner_of_a_key_of_dc_has_nothing)
{
	struct owners o = { .env = env, .is_dc = true };

	TEST_NEED(dc_create(env, &o.dc, 1));
	TEST_ASSERT_SUCCESS(dc_address_set(env, &o.dc.targets[0]));
	o.target = o.dc.targets[0].side;
	return owners_run(&o);
}
