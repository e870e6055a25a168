/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <inttypes.h>

#include <rte_memory.h>

#include "model/oracle.h"
#include "verify/bed/keys.h"
#include "verify/bed/layout.h"
#include "verify/mode/modes.h"

#define TAG_NB_TAGS	256u
#define TAG_MAX_STEPS	24u
#define TAG_NB_LAYOUTS	3u
/* More than the number of tags, so that values repeat. */
#define TAG_MAX_GETS	300u
/* Of each layout; three of them share the area. */
#define TAG_MAX_TOTAL	(BED_MAX_TOTAL / 4)

/* A step of the key. */
enum tag_what {
	TAG_CONFIGURE,	/* with one of the layouts */
	TAG_INVALIDATE,
	TAG_GET,	/* put and get it several times */
	TAG_QUERY,	/* the result must equal the model */
	TAG_NB_WHATS,
};

static const char *const what_names[TAG_NB_WHATS] = {
	[TAG_CONFIGURE] = "configure layout",
	[TAG_INVALIDATE] = "invalidate",
	[TAG_GET] = "put and get again, times",
	[TAG_QUERY] = "query",
};

struct tag_step {
	enum tag_what what;
	uint32_t n;	/* layout or number of gets */
};

/* Expected state; tags are relative to that of the first configuration. */
struct tag_model {
	uint32_t tag;		/* tag of the value of the key */
	uint32_t dev_tag;	/* tag of the configured value */
	bool is_free;		/* none is configured */
	uint32_t layout;	/* layout of the configured value */
};

struct tag_case {
	struct verify_move move;
	struct layout layouts[TAG_NB_LAYOUTS];
	uint32_t nb_steps;
	struct tag_step steps[TAG_MAX_STEPS];
	struct tag_model end;	/* after the last step */
	uint32_t used_tag;	/* tag of the value used by the transfer */
};

/* State of a running case. */
struct tag_run {
	const struct tag_case *vc;
	struct rte_umr_mkey_pool *pool;
	struct rte_umr_mkey *mkey;
};

static void
model_step(struct tag_model *model, const struct tag_step *step)
{
	switch (step->what) {
	case TAG_CONFIGURE:
		model->dev_tag = model->tag;
		model->is_free = false;
		model->layout = step->n;
		break;
	case TAG_INVALIDATE:
		model->is_free = true;
		break;
	case TAG_GET:
		model->tag = (model->tag + step->n) % TAG_NB_TAGS;
		break;
	default:
		break;
	}
}

/* Usually one get; sometimes a full wrap or its neighbors. */
static uint32_t
gets_gen(struct prng *prng)
{
	if (!prng_one_in(prng, 4))
		return 1;
	if (prng_one_in(prng, 2))
		return (uint32_t)prng_between(prng, 1, TAG_MAX_GETS);
	return (uint32_t)prng_between(prng, TAG_NB_TAGS - 1, TAG_NB_TAGS + 1);
}

static void
steps_gen(struct prng *prng, struct tag_case *vc, uint64_t capa)
{
	struct tag_step *step;

	vc->nb_steps = (uint32_t)prng_between(prng, 1, TAG_MAX_STEPS);
	for (uint32_t i = 0; i < vc->nb_steps; i++) {
		step = &vc->steps[i];
		/* The previous state of the key is unknown. */
		step->what = i == 0 ? TAG_CONFIGURE :
				      (enum tag_what)prng_between(prng, 0, TAG_NB_WHATS - 1);
		/* Only the configured value can be invalidated. */
		if (step->what == TAG_INVALIDATE &&
		    ((capa & RTE_UMR_CAPA_MKEY_INVALIDATE) == 0 || vc->end.is_free ||
		     vc->end.tag != vc->end.dev_tag))
			step->what = TAG_GET;
		if (step->what == TAG_QUERY && (capa & RTE_UMR_CAPA_MKEY_QUERY) == 0)
			step->what = TAG_GET;
		if (step->what == TAG_CONFIGURE)
			step->n = (uint32_t)prng_between(prng, 0, TAG_NB_LAYOUTS - 1);
		else if (step->what == TAG_GET)
			step->n = gets_gen(prng);
		model_step(&vc->end, step);
	}
}

/* Choose the current value, the configured one, a recent one, or any. */
static uint32_t
used_tag_gen(struct prng *prng, const struct tag_model *end)
{
	switch (prng_between(prng, 0, 5)) {
	case 0:
	case 1:
		return end->tag;
	case 2:
	case 3:
		return end->dev_tag;
	case 4:
		return (end->dev_tag + TAG_NB_TAGS - (uint32_t)prng_between(prng, 1, 3)) %
		       TAG_NB_TAGS;
	default:
		return (uint32_t)prng_between(prng, 0, TAG_NB_TAGS - 1);
	}
}

static void
tag_gen(void *what, const struct verify_env *env, struct prng *prng)
{
	struct tag_case *vc = what;
	const struct rte_umr_dev_info *info = verify_move_gen_path(&vc->move, env->bed, prng);
	struct layout_gen_conf conf;

	conf = verify_gen_conf(info, false);
	conf.max_total = TAG_MAX_TOTAL;
	for (uint32_t i = 0; i < TAG_NB_LAYOUTS; i++)
		layout_gen(prng, &conf, verify_move_is_scatter(&vc->move), &vc->layouts[i]);
	steps_gen(prng, vc, info->dev_capa);
	vc->used_tag = used_tag_gen(prng, &vc->end);
	vc->move.has_error = vc->end.is_free || vc->used_tag != vc->end.dev_tag;
	verify_move_gen_range(&vc->move, prng, oracle_len(&vc->layouts[vc->end.layout]));
}

static void
tag_print(FILE *f, const char *prefix, const void *what)
{
	const struct tag_case *vc = what;

	verify_move_print(f, prefix, &vc->move);
	fprintf(f, "%ssteps:", prefix);
	for (uint32_t i = 0; i < vc->nb_steps; i++) {
		fprintf(f, "%s %s", i == 0 ? "" : ",", what_names[vc->steps[i].what]);
		if (vc->steps[i].what == TAG_CONFIGURE || vc->steps[i].what == TAG_GET)
			fprintf(f, " %u", vc->steps[i].n);
	}
	fprintf(f, "\n%sthe transfer names tag +%u, the key has +%u, ", prefix, vc->used_tag,
		vc->end.tag);
	if (vc->end.is_free)
		fprintf(f, "none works\n");
	else
		fprintf(f, "+%u works\n", vc->end.dev_tag);
	layout_print(f, prefix, &vc->layouts[vc->end.layout]);
}

/* Wait for enqueued operations before the query. */
static bool
query(const struct tag_run *run, const struct tag_model *model, struct verify_ops *ops)
{
	struct rte_umr_mkey_attr attr;

	if (!verify_ops_wait(ops) ||
	    !verify_ops_check(ops, rte_umr_mkey_query(run->mkey, &attr) == 0, "a query failed") ||
	    !verify_ops_check(ops, attr.is_free == model->is_free, "a query has a wrong state") ||
	    !verify_ops_check(ops, attr.key >> 8 == run->mkey->key >> 8,
			      "a query returns a wrong index"))
		return false;
	if (model->is_free)
		return true;
	return verify_ops_check(ops, attr.key == verify_tag_add(run->mkey->key, model->dev_tag -
								model->tag),
				"a query returns a wrong tag") &&
	       verify_ops_check(ops, attr.len == oracle_len(&run->vc->layouts[model->layout]),
				"a query returns a wrong length") &&
	       verify_ops_check(ops, attr.access == run->vc->move.access,
				"a query returns wrong access") &&
	       verify_ops_check(ops, attr.nb_entries >= run->mkey->max_entries,
				"a query returns too few entries");
}

static bool
get_again(struct tag_run *run, uint32_t times, struct verify_ops *ops)
{
	for (uint32_t i = 0; i < times; i++) {
		uint32_t key = run->mkey->key;

		rte_umr_mkey_put(run->pool, run->mkey);
		if (!verify_ops_check(ops, rte_umr_mkey_get_bulk(run->pool, &run->mkey, 1) == 0,
				      "the only key of a pool is not available") ||
		    !verify_ops_check(ops, run->mkey->key == verify_tag_add(key, 1),
				      "the tag did not advance by one"))
			return false;
	}
	return true;
}

static bool
steps_run(const void *arg, struct verify_ops *ops)
{
	struct tag_run *run = (struct tag_run *)(uintptr_t)arg;
	const struct tag_case *vc = run->vc;
	struct tag_model model = { 0 };
	bool is_good = true;

	for (uint32_t i = 0; i < vc->nb_steps && is_good; i++) {
		const struct tag_step *step = &vc->steps[i];

		model_step(&model, step);
		switch (step->what) {
		case TAG_CONFIGURE:
			is_good = verify_layout_add(ops, run->mkey, vc->move.access,
						    &vc->layouts[step->n]);
			break;
		case TAG_INVALIDATE:
			is_good = verify_ops_invalidate(ops, run->mkey);
			break;
		case TAG_GET:
			is_good = get_again(run, step->n, ops);
			break;
		default:
			is_good = query(run, &model, ops);
			break;
		}
	}
	return is_good;
}

static void
tag_run(const void *what, const struct verify_env *env, struct case_result *result)
{
	const struct tag_case *vc = what;
	const struct layout *layout = &vc->layouts[vc->end.layout];
	const struct bed_side *side = verify_move_key_end(&vc->move)->side;
	const struct verify_view view = verify_view_of(layout);
	struct tag_run run = { .vc = vc, .pool = verify_pool_of(env, side) };
	const struct verify_steps steps = {
		.before = steps_run, .arg = &run, .key = vc->used_tag,
	};

	verify_move_by_key(&vc->move, &view, &steps, env, env->noise, &run.mkey, result);
}

const struct verify_mode verify_mode_tag = {
	.name = "tag",
	.summary = "key values after put, get, configuration and invalidation, and their wrap",
	.capa = RTE_UMR_CAPA_MKEY_LIST | RTE_UMR_CAPA_MKEY_TAG,
	.case_size = sizeof(struct tag_case),
	/* With a single key, get returns the key that was put. */
	.pools = { { .nb_mkeys = 1, .max_entries = LAYOUT_MAX_PIECES } },
	.gen = tag_gen,
	.run = tag_run,
	.print = tag_print,
};
