/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "verify/bed/keys.h"
#include "verify/bed/layout.h"
#include "verify/mode/modes.h"

#define WORD		RTE_UMR_ATOMIC_LEN
#define MAX_WORDS	8u
#define MAX_ATOMICS	24u

/* Reason why the last atomic of a case fails. */
enum atomic_error {
	ATOMIC_NO_ERROR,
	ATOMIC_MISALIGNED,	/* its address is not a multiple of 8 */
	ATOMIC_BEYOND,		/* its address is beyond the key */
	ATOMIC_NO_ACCESS,	/* the key lacks the access */
	ATOMIC_NB_ERRORS,
};

static const char *const error_names[ATOMIC_NB_ERRORS] = {
	[ATOMIC_MISALIGNED] = "address is no multiple of 8",
	[ATOMIC_BEYOND] = "address is behind the key",
	[ATOMIC_NO_ACCESS] = "key lacks the access",
};

/* An operation. The comparand is chosen when the current value is known. */
struct atomic_op {
	bool is_swap;
	bool is_equal;		/* the swap takes place */
	uint32_t word;
	uint64_t operand;	/* to add or to swap in */
	uint64_t compare;	/* comparand if is_equal is false */
};

struct atomic_case {
	const struct bed_path *path;
	uint32_t nb_words;	/* words of the key, each at a different place in the layout area */
	uint32_t places[MAX_WORDS];
	uint64_t first[MAX_WORDS];
	uint32_t nb_ops;
	struct atomic_op ops[MAX_ATOMICS];
	uint32_t result_offset;	/* offset of the results in the flat area; of any alignment */
	enum atomic_error error;
	bool has_rejection;
	bool by_status;
};

static void
op_gen(struct atomic_op *op, struct prng *prng, uint32_t nb_words)
{
	op->is_swap = prng_one_in(prng, 2);
	op->is_equal = prng_one_in(prng, 2);
	op->word = (uint32_t)prng_between(prng, 0, nb_words - 1);
	op->operand = prng_one_in(prng, 2) ? prng_next(prng) : prng_between(prng, 0, 3);
	op->compare = prng_next(prng);
}

static void
atomic_gen(void *what, const struct verify_env *env, struct prng *prng)
{
	const uint32_t nb_places = (BED_LAYOUT_SIZE - 2 * BED_GUARD) / WORD / MAX_WORDS;
	struct atomic_case *vc = what;
	uint32_t max_words;

	vc->path = &env->bed->paths[prng_between(prng, 0, env->bed->nb_paths - 1u)];
	max_words = RTE_MIN(MAX_WORDS, vc->path->target.side->info.max_list);
	vc->nb_words = (uint32_t)prng_between(prng, 1, max_words);
	for (uint32_t i = 0; i < vc->nb_words; i++) {
		/* Disjoint: each word has its own part of the area. */
		vc->places[i] = BED_GUARD +
				(i * nb_places + (uint32_t)prng_between(prng, 0, nb_places - 1)) *
					WORD;
		vc->first[i] = prng_one_in(prng, 2) ? prng_next(prng) : UINT64_MAX;
	}
	vc->nb_ops = (uint32_t)prng_between(prng, 1, MAX_ATOMICS);
	for (uint32_t i = 0; i < vc->nb_ops; i++)
		op_gen(&vc->ops[i], prng, vc->nb_words);
	vc->result_offset = (uint32_t)prng_between(prng, BED_GUARD, BED_FLAT_SIZE - BED_GUARD -
								    MAX_ATOMICS * WORD);
	if (prng_one_in(prng, 8))
		vc->error = (enum atomic_error)prng_between(prng, 1, ATOMIC_NB_ERRORS - 1);
	vc->has_rejection = prng_one_in(prng, 4);
	vc->by_status = prng_one_in(prng, 2);
}

static void
atomic_print(FILE *f, const char *prefix, const void *what)
{
	const struct atomic_case *vc = what;

	fprintf(f, "%s%s queue %u to %s queue %u, %u numbers, results at 0x%05x\n", prefix,
		vc->path->initiator.side->info.dev_name, vc->path->initiator.queue_id,
		vc->path->target.side->info.dev_name, vc->path->target.queue_id, vc->nb_words,
		vc->result_offset);
	for (uint32_t i = 0; i < vc->nb_ops; i++)
		fprintf(f, "%s%s number %u (0x%05x), 0x%016" PRIx64 "%s\n", prefix,
			vc->ops[i].is_swap ? "compare and swap" : "fetch and add", vc->ops[i].word,
			vc->places[vc->ops[i].word], vc->ops[i].operand,
			vc->ops[i].is_swap && !vc->ops[i].is_equal ? ", not equal" : "");
	if (vc->error != ATOMIC_NO_ERROR)
		fprintf(f, "%sthen one that must fail: its %s\n", prefix, error_names[vc->error]);
}

static uint64_t
word_get(const uint8_t *place)
{
	uint64_t word;

	memcpy(&word, place, sizeof(word));
	return word;
}

static void
word_put(uint8_t *place, uint64_t word)
{
	memcpy(place, &word, sizeof(word));
}

/* Initial words on both sides of the comparison, and results that are not written yet. */
static void
memory_prepare(const struct atomic_case *vc)
{
	const struct bed_area *numbers = &vc->path->target.side->layout;
	const struct bed_area *results = &vc->path->initiator.side->flat;

	for (uint32_t i = 0; i < vc->nb_words; i++) {
		word_put(numbers->memory + vc->places[i], vc->first[i]);
		word_put(numbers->expected + vc->places[i], vc->first[i]);
	}
	for (uint32_t i = 0; i < vc->nb_ops * WORD; i++)
		results->memory[vc->result_offset + i] = 0x5a;
}

/* Apply an operation by the rules of the API; returns the comparand. */
static uint64_t
oracle_apply(const struct atomic_case *vc, uint32_t i)
{
	const struct atomic_op *op = &vc->ops[i];
	uint8_t *number = vc->path->target.side->layout.expected + vc->places[op->word];
	uint64_t old = word_get(number);
	uint64_t compare = op->is_equal ? old : op->compare;

	word_put(vc->path->initiator.side->flat.expected + vc->result_offset + i * WORD, old);
	if (!op->is_swap)
		word_put(number, old + op->operand);
	else if (old == compare)
		word_put(number, op->operand);
	return compare;
}

static struct rte_umr_seg
result_seg(const struct atomic_case *vc, uint32_t i)
{
	return verify_flat_seg(vc->path->initiator.side, vc->result_offset + i * WORD, WORD);
}

static bool
op_enqueue(const struct atomic_case *vc, struct verify_ops *ops, uint32_t i, uint32_t key)
{
	const struct rte_umr_seg result = result_seg(vc, i);
	const struct atomic_op *op = &vc->ops[i];
	uint64_t compare = oracle_apply(vc, i);
	int ret;

	if (op->is_swap)
		ret = rte_umr_cmp_swap(ops->dev_id, ops->queue_id, &result, op->word * WORD,
				       key, compare, op->operand, 0);
	else
		ret = rte_umr_fetch_add(ops->dev_id, ops->queue_id, &result, op->word * WORD,
					key, op->operand, 0);
	return verify_ops_add(ops, ret, op->is_swap ? RTE_UMR_OP_CMP_SWAP : RTE_UMR_OP_FETCH_ADD,
			      0);
}

static bool
rejections_try(const struct atomic_case *vc, struct verify_ops *ops, uint32_t key)
{
	struct rte_umr_seg result = result_seg(vc, 0);
	int ret;

	ret = rte_umr_fetch_add(ops->dev_id, ops->queue_id, &result, 0, key, 1,
				RTE_UMR_OP_F_INLINE);
	if (!verify_ops_rejected(ops, ret, -EINVAL, "an inline atomic"))
		return false;
	result.length = WORD / 2;
	ret = rte_umr_cmp_swap(ops->dev_id, ops->queue_id, &result, 0, key, 1, 2, 0);
	return verify_ops_rejected(ops, ret, -EINVAL, "an atomic of 4 bytes");
}

/* The operation that must fail changes nothing. */
static bool
error_enqueue(const struct atomic_case *vc, struct verify_ops *ops, uint32_t key)
{
	const struct rte_umr_seg result = result_seg(vc, 0);
	uint64_t addr = vc->error == ATOMIC_MISALIGNED ? WORD / 2 :
			vc->error == ATOMIC_BEYOND ? vc->nb_words * WORD : 0;
	int ret = rte_umr_fetch_add(ops->dev_id, ops->queue_id, &result, addr, key, 1, 0);

	if (!verify_ops_add(ops, ret, RTE_UMR_OP_FETCH_ADD, 0))
		return false;
	verify_ops_expect(ops, vc->error == ATOMIC_MISALIGNED ? RTE_UMR_STATUS_REMOTE_INVALID :
								RTE_UMR_STATUS_REMOTE_ACCESS);
	return true;
}

/* Configure a key with a list of all words in order. */
static bool
key_make(const struct atomic_case *vc, struct verify_ops *ops, struct rte_umr_mkey *mkey,
	 uint32_t access)
{
	struct rte_umr_seg segs[MAX_WORDS];

	for (uint32_t i = 0; i < vc->nb_words; i++)
		segs[i] = verify_layout_seg(vc->path->target.side, vc->places[i], WORD, i);
	return verify_ops_list(ops, mkey, access, segs, vc->nb_words) && verify_ops_wait(ops);
}

static bool
atomics_run(const struct atomic_case *vc, struct verify_ops *key_ops, struct verify_ops *ops,
	    struct rte_umr_mkey *mkey)
{
	const uint32_t access = RTE_UMR_ACCESS_LOCAL_WRITE | RTE_UMR_ACCESS_REMOTE_WRITE;

	if (!key_make(vc, key_ops, mkey, access | RTE_UMR_ACCESS_REMOTE_ATOMIC) ||
	    (vc->has_rejection && !rejections_try(vc, ops, mkey->key)))
		return false;
	for (uint32_t i = 0; i < vc->nb_ops; i++)
		if (!op_enqueue(vc, ops, i, mkey->key))
			return false;
	if (!verify_ops_wait(ops))
		return false;
	if (vc->error == ATOMIC_NO_ERROR)
		return true;
	return (vc->error != ATOMIC_NO_ACCESS || key_make(vc, key_ops, mkey, access)) &&
	       error_enqueue(vc, ops, mkey->key) && verify_ops_wait(ops);
}

static void
atomic_run(const void *what, const struct verify_env *env, struct case_result *result)
{
	const struct atomic_case *vc = what;
	const struct bed_side *side = vc->path->target.side;
	struct rte_umr_mkey *mkey = verify_key_get(env, side, result);
	struct verify_ops key_ops, ops;

	if (mkey == NULL)
		return;
	memory_prepare(vc);
	verify_ops_init(&key_ops, &vc->path->target, vc->by_status);
	verify_ops_init(&ops, &vc->path->initiator, vc->by_status);
	if (!atomics_run(vc, &key_ops, &ops, mkey)) {
		verify_ops_report(key_ops.has_failed ? &key_ops : &ops, result);
	} else {
		verify_area_compare(side, &side->layout, result);
		verify_area_compare(vc->path->initiator.side, &vc->path->initiator.side->flat,
				    result);
		if (vc->error != ATOMIC_NO_ERROR)
			verify_path_recover(vc->path, result);
	}
	rte_umr_mkey_put(side->pool, mkey);
}

const struct verify_mode verify_mode_atomic = {
	.name = "atomic",
	.summary = "fetch and add, compare and swap through a key, also misaligned",
	.capa = RTE_UMR_CAPA_ATOMIC | RTE_UMR_CAPA_MKEY_LIST,
	.case_size = sizeof(struct atomic_case),
	.gen = atomic_gen,
	.run = atomic_run,
	.print = atomic_print,
};
