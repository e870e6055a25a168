/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <inttypes.h>

#include "verify/bed/move.h"
#include "verify/mode/modes.h"

#define NB_MAX_BINDS	3u

/* Reason why the transfer or the bind of a case fails. */
enum mw_error {
	MW_NO_ERROR,
	MW_BEYOND,		/* ends one byte after the window */
	MW_IN_FRONT,		/* starts one byte before the window */
	MW_NO_ACCESS,		/* bound without the access */
	MW_OLD_KEY,		/* uses the value of the previous bind */
	MW_INVALIDATED,		/* follows an invalidation */
	MW_REGION_KEY,		/* uses the key of the region, which denies access */
	MW_NB_TRANSFER_ERRORS,
	MW_BOUND_TWICE = MW_NB_TRANSFER_ERRORS,	/* the window of type 2B is already bound */
	MW_NB_ERRORS,
};

static const char *const error_names[MW_NB_ERRORS] = {
	[MW_BEYOND] = "the transfer ends one byte behind the window",
	[MW_IN_FRONT] = "the transfer begins one byte in front of the window",
	[MW_NO_ACCESS] = "the window lacks the access",
	[MW_OLD_KEY] = "the transfer uses the value of the bind before the last one",
	[MW_INVALIDATED] = "the window was invalidated",
	[MW_REGION_KEY] = "the transfer uses the key of the region",
	[MW_BOUND_TWICE] = "the window is bound while it is bound",
};

/* Invalid binds, which must be rejected. */
enum mw_rejection {
	MW_EMPTY,
	MW_TOO_LONG,
	MW_OUTSIDE,
	MW_CLOSED_REGION,
	MW_LOCAL_ACCESS,
	MW_NB_REJECTIONS,
};

static const struct verify_rejection rejections[MW_NB_REJECTIONS] = {
	[MW_EMPTY] = { "a window without bytes", -EINVAL },
	[MW_TOO_LONG] = { "a window of more than 2 GiB", -ERANGE },
	[MW_OUTSIDE] = { "a window that leaves its region", -EINVAL },
	[MW_CLOSED_REGION] = { "a window on a region that is not for windows", -EACCES },
	[MW_LOCAL_ACCESS] = { "a window with local access", -EINVAL },
};

struct mw_case {
	struct verify_move move;
	enum rte_umr_mw_type type;
	bool is_zero_based;
	uint32_t offset;	/* offset of the window in the layout area */
	uint64_t total;		/* bytes of the window */
	uint32_t nb_binds;
	enum mw_error error;
	bool has_rejection;
	enum mw_rejection rejection;
};

/* State of a running case. */
struct mw_run {
	const struct mw_case *vc;
	const struct rte_umr_mr *mr;
	const struct rte_umr_mr *closed;
	struct rte_umr_mw *mw;
	struct verify_steps *steps;	/* the key is set when the window is bound */
};

/* A region for the windows of each side. */
static bool
mw_setup(struct verify_env *env)
{
	struct rte_umr_mr **mrs = env->mode_private;

	for (uint16_t i = 0; i < env->bed->nb_sides; i++) {
		const struct bed_side *side = &env->bed->sides[i];

		mrs[i] = bed_mr_register(side, &side->layout, RTE_UMR_ACCESS_LOCAL_WRITE |
					 RTE_UMR_ACCESS_MW_BIND);
		if (mrs[i] == NULL)
			return false;
	}
	return true;
}

static void
mw_teardown(struct verify_env *env)
{
	struct rte_umr_mr **mrs = env->mode_private;

	for (uint16_t i = 0; i < env->bed->nb_sides; i++)
		rte_umr_mr_deregister(mrs[i]);
}

static void
error_gen(struct mw_case *vc, struct prng *prng)
{
	const enum mw_error last =
		vc->type == RTE_UMR_MW_TYPE_2B ? MW_BOUND_TWICE : MW_NB_TRANSFER_ERRORS - 1;

	vc->error = (enum mw_error)prng_between(prng, MW_NO_ERROR + 1, last);
	vc->move.has_error = vc->error < MW_NB_TRANSFER_ERRORS;
	if (vc->error == MW_IN_FRONT && vc->is_zero_based)
		vc->error = MW_BEYOND;
	vc->move.is_beyond = vc->error == MW_BEYOND;
	if (vc->error == MW_NO_ACCESS)
		vc->move.access &= ~verify_move_access_needed(&vc->move);
	/* Use a single operation, so that this one fails. */
	verify_move_one_part(&vc->move);
}

static void
mw_gen(void *what, const struct verify_env *env, struct prng *prng)
{
	const uint32_t access = RTE_UMR_ACCESS_REMOTE_READ | RTE_UMR_ACCESS_REMOTE_WRITE |
				RTE_UMR_ACCESS_REMOTE_ATOMIC;
	struct mw_case *vc = what;

	verify_move_gen_path(&vc->move, env->bed, prng);
	/* Only the peer can use windows. */
	vc->move.kind = prng_one_in(prng, 2) ? MOVE_WRITE_SCATTER : MOVE_READ_GATHER;
	vc->move.access = ((uint32_t)prng_next(prng) & access) |
			  verify_move_access_needed(&vc->move);
	vc->type = prng_one_in(prng, 2) ? RTE_UMR_MW_TYPE_1 : RTE_UMR_MW_TYPE_2B;
	vc->is_zero_based = vc->type == RTE_UMR_MW_TYPE_2B && prng_one_in(prng, 2);
	vc->total = prng_log(prng, BED_MAX_TOTAL);
	vc->offset = (uint32_t)prng_between(prng, BED_GUARD,
					    BED_LAYOUT_SIZE - BED_GUARD - vc->total);
	vc->nb_binds = (uint32_t)prng_between(prng, 1, NB_MAX_BINDS);
	vc->has_rejection = prng_one_in(prng, 4);
	vc->rejection = (enum mw_rejection)prng_between(prng, 0, MW_NB_REJECTIONS - 1);
	verify_move_gen_range(&vc->move, prng, vc->total);
	if (prng_one_in(prng, 4))
		error_gen(vc, prng);
}

static void
mw_print(FILE *f, const char *prefix, const void *what)
{
	const struct mw_case *vc = what;

	verify_move_print(f, prefix, &vc->move);
	fprintf(f, "%swindow of type %d%s, %" PRIu64 " bytes at 0x%05x, bound %u times\n", prefix,
		(int)vc->type, vc->is_zero_based ? ", zero based" : "", vc->total, vc->offset,
		vc->nb_binds);
	if (vc->has_rejection)
		verify_rejection_print(f, prefix, rejections[vc->rejection].name);
	if (vc->error != MW_NO_ERROR)
		fprintf(f, "%smust fail: %s\n", prefix, error_names[vc->error]);
}

static struct rte_umr_mw_range
window_range(const struct mw_run *run)
{
	const struct mw_case *vc = run->vc;
	const struct bed_side *side = verify_move_key_end(&vc->move)->side;

	return (struct rte_umr_mw_range){
		.mr = run->mr, .addr = (uintptr_t)side->layout.memory + vc->offset,
		.length = vc->total, .access = vc->move.access,
		.flags = vc->is_zero_based ? RTE_UMR_MW_BIND_F_ZERO_BASED : 0,
	};
}

static bool
rejection_try(const struct mw_run *run, struct verify_ops *ops)
{
	struct rte_umr_mw_range range = window_range(run);
	const uint32_t key = run->mw->rkey;
	int ret;

	switch (run->vc->rejection) {
	case MW_EMPTY:
		range.length = 0;
		break;
	case MW_TOO_LONG:
		range.length = ops->side->info.max_mw_len + 1;
		break;
	case MW_OUTSIDE:
		range.length = ops->side->layout.size - run->vc->offset + 1;
		break;
	case MW_CLOSED_REGION:
		range.mr = run->closed;
		break;
	default:
		range.access |= RTE_UMR_ACCESS_LOCAL_WRITE;
		break;
	}
	ret = rte_umr_mw_bind(ops->dev_id, ops->queue_id, run->mw, &range, 0);
	return verify_ops_rejected(ops, ret, rejections[run->vc->rejection].error,
				   rejections[run->vc->rejection].name) &&
	       verify_ops_check(ops, run->mw->rkey == key, "a rejected bind changed the key");
}

static bool
window_bind(const struct mw_run *run, struct verify_ops *ops)
{
	const struct rte_umr_mw_range range = window_range(run);
	int ret = rte_umr_mw_bind(ops->dev_id, ops->queue_id, run->mw, &range, 0);

	return verify_ops_add(ops, ret, RTE_UMR_OP_MW_BIND, 0);
}

static bool
window_invalidate(const void *arg, struct verify_ops *ops)
{
	const struct mw_run *run = arg;
	int ret = rte_umr_mw_invalidate(ops->dev_id, ops->queue_id, run->mw, 0);

	return verify_ops_add(ops, ret, RTE_UMR_OP_MW_INVALIDATE, 0);
}

static bool
window_make(const void *arg, struct verify_ops *ops)
{
	const struct mw_run *run = arg;
	const struct mw_case *vc = run->vc;
	uint32_t old = run->mw->rkey;

	if (vc->has_rejection && !rejection_try(run, ops))
		return false;
	for (uint32_t i = 0; i < vc->nb_binds; i++) {
		if (i > 0 && vc->type == RTE_UMR_MW_TYPE_2B && !window_invalidate(run, ops))
			return false;
		old = run->mw->rkey;
		if (!window_bind(run, ops))
			return false;
	}
	run->steps->key = vc->error == MW_OLD_KEY ? old :
			  vc->error == MW_REGION_KEY ? run->mr->rkey : run->mw->rkey;
	return vc->error != MW_INVALIDATED || window_invalidate(run, ops);
}

/* No transfer here: the second bind fails. */
static void
bind_twice_run(const struct mw_run *run, struct case_result *result)
{
	const struct verify_move *move = &run->vc->move;
	struct verify_ops ops;
	bool is_good;

	verify_ops_init(&ops, verify_move_key_end(move), move->by_status);
	is_good = window_bind(run, &ops) && window_bind(run, &ops);
	if (is_good)
		verify_ops_expect(&ops, RTE_UMR_STATUS_MKEY_CONFIG);
	if (is_good && verify_ops_wait(&ops))
		verify_path_recover(move->path, result);
	else
		verify_ops_report(&ops, result);
}

static void
mw_run(const void *what, const struct verify_env *env, struct case_result *result)
{
	const struct mw_case *vc = what;
	const struct bed_side *side = verify_move_key_end(&vc->move)->side;
	struct rte_umr_mr *const *mrs = env->mode_private;
	const struct layout layout = {
		.repeat = 1, .nb_pieces = 1,
		.pieces = { { .offset = vc->offset, .len = (uint32_t)vc->total } },
	};
	const struct verify_view view = verify_view_of(&layout);
	struct verify_steps steps = { .before = window_make, .after = window_invalidate };
	struct mw_run run = {
		.vc = vc, .mr = mrs[side - env->bed->sides],
		.closed = side->layout_mrs[0],
		.mw = rte_umr_mw_create(side->dev_id, NULL, vc->type), .steps = &steps,
	};

	if (run.mw == NULL) {
		verify_result_set(result, CASE_ERROR, "no window on %s: %s", side->info.dev_name,
				  rte_strerror(rte_errno));
		return;
	}
	steps.arg = &run;
	steps.base = vc->is_zero_based ? 0 : window_range(&run).addr;
	if (vc->error == MW_IN_FRONT)
		steps.base -= vc->move.from + 1;
	if (vc->error == MW_BOUND_TWICE)
		bind_twice_run(&run, result);
	else
		verify_move_run(&vc->move, &view, &steps, env->noise, result);
	if (rte_umr_mw_destroy(run.mw) != 0)
		verify_result_set(result, CASE_ERROR, "the window could not be destroyed");
}

const struct verify_mode verify_mode_mw = {
	.name = "mw",
	.summary = "memory windows of both types: bound, used by the peer, invalidated",
	.capa = RTE_UMR_CAPA_MW_TYPE_1 | RTE_UMR_CAPA_MW_TYPE_2B,
	.case_size = sizeof(struct mw_case),
	.private_size = TOOL_MAX_DEVICES * sizeof(struct rte_umr_mr *),
	.setup = mw_setup,
	.teardown = mw_teardown,
	.gen = mw_gen,
	.run = mw_run,
	.print = mw_print,
};
