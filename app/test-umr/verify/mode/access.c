/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <inttypes.h>

#include "model/oracle.h"
#include "verify/bed/keys.h"
#include "verify/bed/layout.h"
#include "verify/mode/modes.h"

/* Maximum number of operations on the key before the transfer. */
#define MAX_STEPS	5u

enum step_kind {
	STEP_CONFIGURE,
	STEP_INVALIDATE,
};

struct step {
	enum step_kind kind;
	uint32_t setters;	/* RTE_UMR_MKEY_SET_ACCESS, _LAYOUT, both or none */
	uint32_t access;
	struct layout layout;
	uint64_t base;		/* address of the first byte of the layout */
};

/* Invalid configurations, which must be rejected; one may be tried before a case. */
static const struct {
	struct verify_rejection rejection;
	struct rte_umr_mkey_op conf;
} rejections[] = {
	{ .rejection.name = NULL },
	{ { "a setter that does not exist", -EINVAL }, { .setters = RTE_UMR_MKEY_SET_ALL + 1 } },
	{ { "a reserved field", -EINVAL }, { .reserved = 1 } },
	{ { "an access that does not exist", -EINVAL },
	  { .setters = RTE_UMR_MKEY_SET_ACCESS, .access = RTE_UMR_MKEY_ACCESS_ALL + 1 } },
	{ { "a signature for a plain key", -ENOTSUP }, { .setters = RTE_UMR_MKEY_SET_SIG } },
	{ { "a layout that does not exist", -EINVAL },
	  { .setters = RTE_UMR_MKEY_SET_LAYOUT, .layout = RTE_UMR_LAYOUT_FIXED + 1,
	    .nb_entries = 1 } },
};

/* Set properties in any combination; other properties must keep their values. */
struct access_case {
	struct verify_move move;
	uint32_t rejection;	/* in rejections; 0: none */
	uint32_t nb_steps;
	struct step steps[MAX_STEPS];
	/* Expected state of the key after the steps. */
	uint32_t access;
	uint32_t layout;	/* layout set by this step */
	bool is_free;
};

/* The previous state of the key is unknown: the first steps set everything that the case checks. */
static void
steps_gen(struct prng *prng, struct access_case *vc, const struct bed_side *side)
{
	const struct rte_umr_dev_info *info = &side->info;
	const uint32_t all = RTE_UMR_MKEY_SET_ACCESS | RTE_UMR_MKEY_SET_LAYOUT;
	const struct layout_gen_conf conf = verify_gen_conf(info, true);
	uint32_t missing = all, needed = verify_move_access_needed(&vc->move);

	vc->nb_steps = (uint32_t)prng_between(prng, 2, MAX_STEPS);
	for (uint32_t i = 0; i < vc->nb_steps; i++) {
		struct step *step = &vc->steps[i];

		if ((info->dev_capa & RTE_UMR_CAPA_MKEY_INVALIDATE) && prng_one_in(prng, 6))
			step->kind = STEP_INVALIDATE;
		step->setters = (uint32_t)prng_next(prng) & all;
		/* A newly taken key has no layout, so setting only its access is invalid. */
		if (i == 0) {
			step->kind = STEP_CONFIGURE;
			step->setters |= RTE_UMR_MKEY_SET_LAYOUT;
		}
		if (i == 1 && missing != 0) {
			step->kind = STEP_CONFIGURE;
			step->setters |= missing;
		}
		vc->is_free = step->kind == STEP_INVALIDATE;
		if (vc->is_free)
			continue;
		missing &= ~step->setters;
		/* Half of the steps set the access that the transfer requires. */
		step->access = verify_access_gen(prng, prng_one_in(prng, 2) ? needed : 0,
						 side->key_access);
		if (step->setters & RTE_UMR_MKEY_SET_ACCESS)
			vc->access = step->access;
		if ((step->setters & RTE_UMR_MKEY_SET_LAYOUT) == 0)
			continue;
		layout_gen(prng, &conf, verify_move_is_scatter(&vc->move), &step->layout);
		vc->layout = i;
		if ((side->pool_flags & RTE_UMR_MKEY_POOL_F_BASE) != 0 && prng_one_in(prng, 2))
			step->base = prng_log(prng, UINT64_MAX - oracle_len(&step->layout));
	}
}

static void
access_gen(void *what, const struct verify_env *env, struct prng *prng)
{
	struct access_case *vc = what;
	uint32_t needed;

	verify_move_gen_path(&vc->move, env->bed, prng);
	steps_gen(prng, vc, verify_move_key_end(&vc->move)->side);
	vc->move.access = vc->access;
	needed = verify_move_access_needed(&vc->move);
	vc->move.has_error = vc->is_free || (vc->access & needed) != needed;
	verify_move_gen_range(&vc->move, prng, oracle_len(&vc->steps[vc->layout].layout));
	if (prng_one_in(prng, 4))
		vc->rejection = (uint32_t)prng_between(prng, 1, RTE_DIM(rejections) - 1);
}

static void
access_print(FILE *f, const char *prefix, const void *what)
{
	const struct access_case *vc = what;

	verify_move_print(f, prefix, &vc->move);
	verify_rejection_print(f, prefix, rejections[vc->rejection].rejection.name);
	for (uint32_t i = 0; i < vc->nb_steps; i++) {
		const struct step *step = &vc->steps[i];

		if (step->kind == STEP_INVALIDATE) {
			fprintf(f, "%sinvalidate\n", prefix);
			continue;
		}
		fprintf(f, "%sconfigure:%s", prefix, step->setters == 0 ? " nothing" : "");
		if (step->setters & RTE_UMR_MKEY_SET_ACCESS)
			fprintf(f, " access 0x%x", step->access);
		fprintf(f, "%s\n", step->setters & RTE_UMR_MKEY_SET_LAYOUT ? " layout" : "");
		if ((step->setters & RTE_UMR_MKEY_SET_LAYOUT) == 0)
			continue;
		layout_print(f, prefix, &step->layout);
		if (step->base != 0)
			fprintf(f, "%sat address 0x%" PRIx64 "\n", prefix, step->base);
	}
	if (vc->move.has_error)
		fprintf(f, "%sthe key %s, so the transfer must fail\n", prefix,
			vc->is_free ? "is invalid" : "lacks the access");
}

/* State of a running case. */
struct access_run {
	const struct access_case *vc;
	struct rte_umr_mkey *mkey;
};

static bool
step_configure(const struct access_run *run, struct verify_ops *ops, const struct step *step)
{
	struct verify_entries entries;
	struct rte_umr_mkey_op conf = verify_layout_conf(&step->layout, step->access,
							   ops->side, &entries);

	conf.setters = step->setters;
	conf.base_addr = step->base;
	return verify_conf_add(ops, run->mkey, &conf);
}

static bool
key_make(const void *arg, struct verify_ops *ops)
{
	const struct access_run *run = arg;
	const struct access_case *vc = run->vc;

	if (vc->rejection != 0 &&
	    !verify_conf_rejected(ops, run->mkey, &rejections[vc->rejection].conf,
				  &rejections[vc->rejection].rejection))
		return false;
	for (uint32_t i = 0; i < vc->nb_steps; i++)
		if (!(vc->steps[i].kind == STEP_INVALIDATE ?
			      verify_ops_invalidate(ops, run->mkey) :
			      step_configure(run, ops, &vc->steps[i])))
			return false;
	return true;
}

/* Compare the query result of the device, in addition to the result of the transfer. */
static void
key_query(const struct access_run *run, struct case_result *result)
{
	const struct access_case *vc = run->vc;
	const struct rte_umr_dev_info *info = &verify_move_key_end(&vc->move)->side->info;
	const struct step *step = &vc->steps[vc->layout];
	const uint64_t len = oracle_len(&step->layout), base = step->base;
	struct rte_umr_mkey_attr attr;
	int ret;

	if (result->outcome != CASE_PASSED || (info->dev_capa & RTE_UMR_CAPA_MKEY_QUERY) == 0)
		return;
	ret = rte_umr_mkey_query(run->mkey, &attr);
	if (ret != 0)
		verify_result_set(result, CASE_ERROR, "querying the key: %s", rte_strerror(-ret));
	else if (attr.is_free != vc->is_free || attr.access != vc->access || attr.len != len ||
		 attr.addr != base)
		verify_result_set(result, CASE_ERROR, "the key is %s, access 0x%x, %" PRIu64
				  " bytes at 0x%" PRIx64 "; expected %s, access 0x%x, %" PRIu64
				  " bytes at 0x%" PRIx64,
				  attr.is_free ? "free" : "in use", attr.access, attr.len,
				  attr.addr, vc->is_free ? "free" : "in use", vc->access, len,
				  base);
}

static void
access_run(const void *what, const struct verify_env *env, struct case_result *result)
{
	const struct access_case *vc = what;
	const struct bed_side *side = verify_move_key_end(&vc->move)->side;
	const struct layout *layout = &vc->steps[vc->layout].layout;
	const struct verify_view view = verify_view_of(layout);
	struct access_run run = { vc, verify_key_get(env, side, result) };
	struct verify_steps steps = {
		.before = key_make, .arg = &run, .base = vc->steps[vc->layout].base,
	};

	if (run.mkey == NULL)
		return;
	steps.key = run.mkey->key;
	verify_move_run(&vc->move, &view, &steps, env->noise, result);
	key_query(&run, result);
	rte_umr_mkey_put(side->pool, run.mkey);
}

const struct verify_mode verify_mode_access = {
	.name = "access",
	.summary = "access and layouts, set and kept in all combinations",
	.capa = RTE_UMR_CAPA_MKEY_LIST | RTE_UMR_CAPA_MKEY_CONFIGURE,
	.case_size = sizeof(struct access_case),
	.gen = access_gen,
	.run = access_run,
	.print = access_print,
};
