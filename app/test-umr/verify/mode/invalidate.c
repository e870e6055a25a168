/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <string.h>

#include <rte_memory.h>

#include "model/oracle.h"
#include "verify/bed/keys.h"
#include "verify/bed/layout.h"
#include "verify/mode/modes.h"

#define NB_MKEYS	8u
#define MESSAGE_LEN	16u
#define NB_RECV_DESC	16u

/* How the key is invalidated. */
enum inval_way {
	INVAL_LOCAL,		/* rte_umr_mkey_invalidate() */
	INVAL_REMOTE,		/* by a send of the peer */
	INVAL_REUSE,		/* returned to the pool and configured again with another tag */
	INVAL_NB_WAYS,
};

/* Action after the invalidation. */
enum inval_after {
	INVAL_USE,		/* use the old value, which fails */
	INVAL_CONFIGURE,	/* configure and use the key again, which succeeds */
	INVAL_SEND_OLD,		/* the peer invalidates the old value, which fails */
	INVAL_NB_AFTER,
};

static const char *const way_names[] = { "locally", "by the peer", "by its next use" };
static const char *const after_names[] = {
	"its old value is used", "it is configured again", "the peer invalidates its old value",
};

struct inval_case {
	struct verify_move moves[2];	/* before and after the invalidation */
	struct layout layouts[2];
	enum inval_way way;
	enum inval_after after;
};

/* State of a running case. */
struct inval_run {
	const struct inval_case *vc;
	const struct layout *layout;	/* to configure; NULL: do not configure the key */
	uint32_t access;
	struct rte_umr_mkey *mkey;
};

static const struct bed_conf inval_bed = { .nb_recv_desc = NB_RECV_DESC };

static void
inval_gen(void *what, const struct verify_env *env, struct prng *prng)
{
	struct inval_case *vc = what;
	struct layout_gen_conf conf =
		verify_gen_conf(verify_move_gen_path(&vc->moves[0], env->bed, prng), false);

	conf.max_total = BED_MAX_TOTAL / 4;
	/* The second transfer uses the same path and kind. */
	vc->moves[1] = vc->moves[0];
	for (uint32_t i = 0; i < 2; i++) {
		layout_gen(prng, &conf, verify_move_is_scatter(&vc->moves[i]), &vc->layouts[i]);
		verify_move_gen_range(&vc->moves[i], prng, oracle_len(&vc->layouts[i]));
	}
	vc->way = (enum inval_way)prng_between(prng, 0, INVAL_NB_WAYS - 1);
	vc->after = (enum inval_after)prng_between(prng, 0, INVAL_NB_AFTER - 1);
	if (vc->after != INVAL_USE)
		return;
	vc->moves[1].has_error = true;
	verify_move_one_part(&vc->moves[1]);
}

static void
inval_print(FILE *f, const char *prefix, const void *what)
{
	const struct inval_case *vc = what;

	verify_move_print(f, prefix, &vc->moves[0]);
	layout_print(f, prefix, &vc->layouts[0]);
	fprintf(f, "%sthe key is invalidated %s; then %s\n", prefix, way_names[vc->way],
		after_names[vc->after]);
	if (vc->after == INVAL_SEND_OLD)
		return;
	verify_move_print(f, prefix, &vc->moves[1]);
	layout_print(f, prefix, &vc->layouts[1]);
}

static bool
key_make(const void *arg, struct verify_ops *ops)
{
	const struct inval_run *run = arg;

	return run->layout == NULL ||
	       verify_layout_add(ops, run->mkey, run->access, run->layout);
}

/* Transfer with a value of the key; configure the layout first unless run->layout is NULL. */
static void
move_through(const struct inval_run *run, uint32_t i, uint32_t key, const uint8_t *noise,
	     struct case_result *result)
{
	const struct inval_case *vc = run->vc;
	/* A wrong access through an old value would use the old layout. */
	const struct layout *layout = &vc->layouts[vc->moves[i].has_error ? 0 : i];
	const struct verify_view view = verify_view_of(layout);
	const struct verify_steps steps = {
		.before = key_make, .arg = run, .key = key,
	};

	verify_move_run(&vc->moves[i], &view, &steps, noise, result);
}

/*
 * The peer sends a message that invalidates a value of the key. It fails and consumes no receive if
 * the value is old.
 */
static bool
peer_invalidates(uint32_t key, bool is_old, struct verify_ops *ops, struct verify_ops *recv_ops)
{
	const struct bed_side *from = ops->side, *to = recv_ops->side;
	const struct rte_umr_seg data = verify_flat_seg(from, 0, MESSAGE_LEN);
	const struct rte_umr_seg room = verify_flat_seg(to, BED_GUARD / 2, MESSAGE_LEN);
	struct rte_umr_completion done;
	int ret;

	ret = rte_umr_recv(recv_ops->dev_id, recv_ops->queue_id, &room, 1, 0);
	if (!verify_ops_check(recv_ops, ret >= 0, "a receive was rejected"))
		return false;
	ret = rte_umr_send_inv(ops->dev_id, ops->queue_id, &data, key, 0);
	if (!verify_ops_add(ops, ret, RTE_UMR_OP_SEND, MESSAGE_LEN))
		return false;
	if (is_old)
		verify_ops_expect(ops, RTE_UMR_STATUS_REMOTE_ACCESS);
	else
		memcpy(to->flat.expected + BED_GUARD / 2, from->flat.expected, MESSAGE_LEN);
	if (!verify_ops_wait(ops))
		return false;
	if (is_old)
		return true;
	return verify_ops_recv_wait(recv_ops, &done, 1) &&
	       verify_ops_check(recv_ops, done.status == RTE_UMR_STATUS_SUCCESS,
				"the receive failed") &&
	       verify_ops_check(recv_ops, done.flags == RTE_UMR_COMPLETION_F_INVALIDATED &&
				done.invalidated == key, "the receive reports another key");
}

/* Let the peer invalidate the old value, and collect the receive that is flushed. */
static void
send_old_run(const struct inval_run *run, uint32_t key, struct case_result *result)
{
	const struct verify_move *move = &run->vc->moves[0];
	struct verify_ops ops, recv_ops;
	struct rte_umr_completion done;

	verify_ops_init(&ops, verify_move_flat_end(move), move->by_status);
	verify_ops_init(&recv_ops, verify_move_key_end(move), move->by_status);
	if (!peer_invalidates(key, true, &ops, &recv_ops) ||
	    !verify_ops_recv_wait(&recv_ops, &done, 1) ||
	    !verify_ops_check(&recv_ops, done.status == RTE_UMR_STATUS_FLUSHED,
			      "the receive was not flushed"))
		verify_result_set(result, CASE_ERROR, "%s",
				  recv_ops.has_failed ? recv_ops.why : ops.why);
	else
		verify_path_recover(move->path, result);
}

/* Return the key to its pool and take keys until it comes out again. */
static void
key_reuse(struct inval_run *run, struct rte_umr_mkey_pool *pool)
{
	struct rte_umr_mkey *mkey = NULL;

	rte_umr_mkey_put(pool, run->mkey);
	while (mkey != run->mkey) {
		if (mkey != NULL)
			rte_umr_mkey_put(pool, mkey);
		mkey = rte_umr_mkey_get(pool);
	}
}

static bool
key_invalidate(struct inval_run *run, struct rte_umr_mkey_pool *pool, struct case_result *result)
{
	const struct verify_move *move = &run->vc->moves[0];
	struct verify_ops ops, key_ops;
	bool is_good = true;

	verify_ops_init(&ops, verify_move_flat_end(move), move->by_status);
	verify_ops_init(&key_ops, verify_move_key_end(move), move->by_status);
	switch (run->vc->way) {
	case INVAL_LOCAL:
		is_good = verify_ops_invalidate(&key_ops, run->mkey) && verify_ops_wait(&key_ops);
		break;
	case INVAL_REMOTE:
		is_good = peer_invalidates(run->mkey->key, false, &ops, &key_ops);
		break;
	default:
		key_reuse(run, pool);
		run->layout = &run->vc->layouts[1];
		is_good = key_make(run, &key_ops) && verify_ops_wait(&key_ops);
		break;
	}
	if (!is_good)
		verify_result_set(result, CASE_ERROR, "%s",
				  key_ops.has_failed ? key_ops.why : ops.why);
	return is_good;
}

static void
inval_steps(struct inval_run *run, struct rte_umr_mkey_pool *pool, const uint8_t *noise,
	    struct case_result *result)
{
	const struct inval_case *vc = run->vc;
	uint32_t old = run->mkey->key;

	run->layout = &vc->layouts[0];
	move_through(run, 0, old, noise, result);
	if (result->outcome != CASE_PASSED || !key_invalidate(run, pool, result))
		return;
	switch (vc->after) {
	case INVAL_USE:
		run->layout = NULL;
		move_through(run, 1, old, noise, result);
		break;
	case INVAL_CONFIGURE:
		run->layout = &vc->layouts[1];
		move_through(run, 1, run->mkey->key, noise, result);
		break;
	default:
		send_old_run(run, old, result);
		break;
	}
}

static void
inval_run(const void *what, const struct verify_env *env, struct case_result *result)
{
	const struct inval_case *vc = what;
	const struct bed_side *side = verify_move_key_end(&vc->moves[0])->side;
	struct rte_umr_mkey_pool *pool = verify_pool_of(env, side);
	struct inval_run run = {
		.vc = vc, .access = vc->moves[0].access,
		.mkey = verify_key_get(env, side, result),
	};

	if (run.mkey == NULL)
		return;
	inval_steps(&run, pool, env->noise, result);
	rte_umr_mkey_put(pool, run.mkey);
}

const struct verify_mode verify_mode_invalidate = {
	.name = "invalidate",
	.summary = "keys invalidated locally, by the peer and by their next use, then reused",
	.capa = RTE_UMR_CAPA_MKEY_LIST | RTE_UMR_CAPA_MKEY_INVALIDATE | RTE_UMR_CAPA_MKEY_TAG |
		RTE_UMR_CAPA_SEND_INV,
	.bed_conf = &inval_bed,
	.case_size = sizeof(struct inval_case),
	.pools = { { .nb_mkeys = NB_MKEYS, .max_entries = LAYOUT_MAX_PIECES,
		     .flags = RTE_UMR_MKEY_POOL_F_REMOTE_INVALIDATE } },
	.gen = inval_gen,
	.run = inval_run,
	.print = inval_print,
};
