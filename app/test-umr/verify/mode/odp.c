/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "model/oracle.h"
#include "verify/bed/keys.h"
#include "verify/bed/layout.h"
#include "verify/mode/modes.h"

#define ODP_MAX_STEPS	6u
#define ODP_MAX_SEGS	4u

/* Size of the unmapped memory after the layout area; longer than any piece. */
#define ODP_HOLE_SIZE	(128u << 10)
/* Start of the region ODP_IOVA: an address range that processes do not use. */
#define OTHER_ADDR	UINT64_C(0x4242000000)

/* How a piece of a layout refers to its memory. */
enum odp_region {
	ODP_EXPLICIT,	/* addresses of the process; cases change this region */
	ODP_IOVA,	/* own addresses */
	ODP_FRESH,	/* registered by the case: the device has not accessed any page */
	ODP_IMPLICIT,	/* the complete address space */
	ODP_NB_REGIONS,
};

/* Of each device: the layout area in its own pages, which can be replaced, and its regions. */
struct odp_mem {
	struct bed_side *side;
	uint8_t *bed_memory;	/* layout area of the bed, to be restored */
	uint8_t *pages;		/* its replacement */
	size_t len;		/* whole pages, without the hole */
	struct rte_umr_pd *other_pd;
	struct rte_umr_mr *mrs[ODP_NB_REGIONS];
};

/* Change of the memory and its regions before the transfer. */
enum odp_what {
	ODP_EXCHANGE,		/* replace pages, keep the contents */
	ODP_DISCARD,		/* discard pages and rewrite their contents */
	ODP_ADVISE,
	ODP_ADVISE_BAD,		/* must be rejected */
	ODP_REREGISTER,
	ODP_REREGISTER_BAD,	/* must be rejected without any change */
	ODP_NB_WHATS,
};

/* Reason why the transfer must fail. */
enum odp_error {
	ODP_NO_ERROR,
	ODP_HOLE,		/* the last piece is not mapped */
	ODP_OTHER_PD,
	ODP_NO_ACCESS,		/* the region loses write access */
	ODP_NB_ERRORS,
};

static const char *const error_names[ODP_NB_ERRORS] = {
	[ODP_HOLE] = "nothing is mapped below the last piece",
	[ODP_OTHER_PD] = "its region goes to another PD",
	[ODP_NO_ACCESS] = "its region may not be written any more",
};

static const char *const region_names[ODP_NB_REGIONS] = {
	[ODP_EXPLICIT] = "explicit",
	[ODP_IOVA] = "other addresses",
	[ODP_FRESH] = "fresh",
	[ODP_IMPLICIT] = "implicit",
};

static const char *const what_names[ODP_NB_WHATS] = {
	[ODP_EXCHANGE] = "exchange pages",
	[ODP_DISCARD] = "discard pages",
	[ODP_ADVISE] = "advise",
	[ODP_ADVISE_BAD] = "rejected advice",
	[ODP_REREGISTER] = "re-register",
	[ODP_REREGISTER_BAD] = "rejected re-registration",
};

struct odp_step {
	enum odp_what what;
	uint32_t first;		/* page */
	uint32_t nb;		/* pages, at least 1 */
	uint32_t choice;	/* selects a variant */
};

struct odp_case {
	struct verify_move move;
	struct layout layout;
	enum odp_region regions[LAYOUT_MAX_PIECES];
	uint32_t nb_steps;
	struct odp_step steps[ODP_MAX_STEPS];
	enum odp_error error;
};

/* State of a running case. */
struct odp_run {
	const struct odp_case *vc;
	struct odp_mem *mem;
	struct rte_umr_mkey *mkey;
};

static bool
odp_is_supported(const struct rte_umr_dev_info *info, char *why)
{
	const uint32_t needed = RTE_UMR_ODP_CAPA_WRITE | RTE_UMR_ODP_CAPA_READ;

	if ((info->odp_capa & needed) == needed)
		return true;
	snprintf(why, VERIFY_LACK_SIZE, "paging on demand by writes and reads");
	return false;
}

static size_t
page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static struct rte_umr_mr *
region_new(const struct odp_mem *mem, enum odp_region region)
{
	struct rte_umr_mr_conf conf = {
		.addr = mem->pages, .len = mem->len + ODP_HOLE_SIZE,
		.access = mem->side->info.access_capa, .flags = RTE_UMR_MR_F_ON_DEMAND,
	};

	if (region == ODP_IOVA) {
		conf.flags |= RTE_UMR_MR_F_IOVA;
		conf.iova = OTHER_ADDR;
	} else if (region == ODP_IMPLICIT) {
		conf.addr = NULL;
		conf.len = SIZE_MAX;
	}
	return rte_umr_mr_register(mem->side->dev_id, &conf);
}

static bool
regions_new(struct odp_mem *mem)
{
	for (unsigned int i = 0; i < ODP_NB_REGIONS; i++) {
		if (i == ODP_IMPLICIT &&
		    (mem->side->info.dev_capa & RTE_UMR_CAPA_MR_ODP_IMPLICIT) == 0)
			continue;
		mem->mrs[i] = region_new(mem, (enum odp_region)i);
		if (mem->mrs[i] == NULL) {
			tool_error("verify: registering memory on demand with %s: %s",
				   mem->side->info.dev_name, rte_strerror(rte_errno));
			return false;
		}
	}
	return true;
}

static bool
mem_init(struct odp_mem *mem, struct bed_side *side)
{
	*mem = (struct odp_mem){ .side = side };
	mem->len = RTE_ALIGN_CEIL(side->layout.size, page_size());
	mem->pages = mmap(NULL, mem->len + ODP_HOLE_SIZE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (mem->pages == MAP_FAILED ||
	    mprotect(mem->pages + mem->len, ODP_HOLE_SIZE, PROT_NONE) != 0) {
		tool_error("verify: out of memory");
		return false;
	}
	memcpy(mem->pages, side->layout.memory, side->layout.size);
	mem->bed_memory = side->layout.memory;
	side->layout.memory = mem->pages;
	side->layout.addr = (uintptr_t)mem->pages;
	mem->other_pd = rte_umr_pd_alloc(side->dev_id);
	if (mem->other_pd == NULL) {
		tool_error("verify: no second PD on %s: %s", side->info.dev_name,
			   rte_strerror(rte_errno));
		return false;
	}
	return regions_new(mem);
}

static void
mem_fini(struct odp_mem *mem)
{
	for (unsigned int i = 0; i < ODP_NB_REGIONS; i++)
		rte_umr_mr_deregister(mem->mrs[i]);
	rte_umr_pd_free(mem->other_pd);
	if (mem->bed_memory != NULL) {
		memcpy(mem->bed_memory, mem->pages, mem->side->layout.size);
		mem->side->layout.memory = mem->bed_memory;
		mem->side->layout.addr = (uintptr_t)mem->bed_memory;
	}
	if (mem->pages != NULL && mem->pages != MAP_FAILED)
		munmap(mem->pages, mem->len + ODP_HOLE_SIZE);
}

static bool
mem_refresh(struct odp_mem *mem)
{
	if (rte_umr_mr_deregister(mem->mrs[ODP_FRESH]) != 0)
		return false;
	mem->mrs[ODP_FRESH] = region_new(mem, ODP_FRESH);
	return mem->mrs[ODP_FRESH] != NULL;
}

static bool
mem_exchange(struct odp_mem *mem, uint32_t first, uint32_t nb)
{
	size_t size = page_size(), len = nb * size;
	void *at = mem->pages + first * size;
	void *other;

	other = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (other == MAP_FAILED)
		return false;
	memcpy(other, at, len);
	return mremap(other, len, len, MREMAP_MAYMOVE | MREMAP_FIXED, at) == at;
}

static bool
mem_discard(struct odp_mem *mem, uint32_t first, uint32_t nb)
{
	size_t size = page_size(), len = nb * size;
	void *at = mem->pages + first * size;
	void *copy = malloc(len);
	int ret;

	if (copy == NULL)
		return false;
	memcpy(copy, at, len);
	ret = madvise(at, len, MADV_DONTNEED);
	memcpy(at, copy, len);
	free(copy);
	return ret == 0;
}

static bool
mem_restore(struct odp_mem *mem)
{
	struct rte_umr_mr *mr = mem->mrs[ODP_EXPLICIT];

	if (mr != NULL && mr->addr == mem->pages && mr->len == mem->len + ODP_HOLE_SIZE &&
	    mr->pd == NULL && mr->access == mem->side->info.access_capa && !mr->is_lost)
		return true;
	if (rte_umr_mr_deregister(mr) != 0)
		return false;
	mem->mrs[ODP_EXPLICIT] = region_new(mem, ODP_EXPLICIT);
	return mem->mrs[ODP_EXPLICIT] != NULL;
}

static uint64_t
mem_addr(const struct odp_mem *mem, enum odp_region region, uint64_t offset)
{
	return (region == ODP_IOVA ? OTHER_ADDR : (uintptr_t)mem->pages) + offset;
}

static bool
odp_setup(struct verify_env *env)
{
	struct odp_mem *mems = env->mode_private;

	for (uint16_t i = 0; i < env->bed->nb_sides; i++)
		if (!mem_init(&mems[i], &env->bed->sides[i]))
			return false;
	return true;
}

static void
odp_teardown(struct verify_env *env)
{
	struct odp_mem *mems = env->mode_private;

	for (uint16_t i = 0; i < env->bed->nb_sides; i++)
		mem_fini(&mems[i]);
}

static void
step_gen(struct prng *prng, struct odp_step *step)
{
	const uint32_t nb_pages = BED_LAYOUT_SIZE / (uint32_t)sysconf(_SC_PAGESIZE);

	step->what = (enum odp_what)prng_between(prng, 0, ODP_NB_WHATS - 1);
	step->first = (uint32_t)prng_between(prng, 0, nb_pages - 1);
	step->nb = (uint32_t)prng_log(prng, nb_pages - step->first);
	step->choice = (uint32_t)prng_next(prng);
}

/* Move the whole key, so that the transfer includes the bad piece. */
static void
error_gen(struct prng *prng, struct odp_case *vc)
{
	uint32_t last = vc->layout.nb_pieces - 1;

	vc->error = (enum odp_error)prng_between(prng, ODP_HOLE, ODP_NB_ERRORS - 1);
	if (vc->error == ODP_NO_ACCESS && !verify_move_is_scatter(&vc->move))
		vc->error = ODP_OTHER_PD;
	if (vc->error != ODP_HOLE)
		vc->regions[last] = ODP_EXPLICIT;
	vc->move.from = 0;
	vc->move.len = oracle_len(&vc->layout);
	vc->move.flat_offset = BED_GUARD;
	vc->move.noise_offset = 0;
	verify_move_one_part(&vc->move);
	vc->move.has_error = true;
}

static void
odp_gen(void *what, const struct verify_env *env, struct prng *prng)
{
	struct odp_case *vc = what;
	const struct rte_umr_dev_info *info = verify_move_gen_path(&vc->move, env->bed, prng);
	struct layout_gen_conf conf;
	uint32_t nb_regions = ODP_NB_REGIONS;

	/* An implicit region below a key adds a level. */
	if ((info->dev_capa & RTE_UMR_CAPA_MR_ODP_IMPLICIT) == 0 || info->max_nesting < 2)
		nb_regions = ODP_IMPLICIT;
	conf = verify_gen_conf(info, false);
	layout_gen(prng, &conf, verify_move_is_scatter(&vc->move), &vc->layout);
	for (uint32_t i = 0; i < vc->layout.nb_pieces; i++)
		vc->regions[i] = (enum odp_region)prng_between(prng, 0, nb_regions - 1);
	verify_move_gen_range(&vc->move, prng, oracle_len(&vc->layout));
	vc->nb_steps = (uint32_t)prng_between(prng, 0, ODP_MAX_STEPS);
	for (uint32_t i = 0; i < vc->nb_steps; i++)
		step_gen(prng, &vc->steps[i]);
	if (prng_one_in(prng, 6))
		error_gen(prng, vc);
}

static void
odp_print(FILE *f, const char *prefix, const void *what)
{
	const struct odp_case *vc = what;

	verify_move_print(f, prefix, &vc->move);
	for (uint32_t i = 0; i < vc->nb_steps; i++)
		fprintf(f, "%sfirst %s: %u from page %u on, choice %u\n", prefix,
			what_names[vc->steps[i].what], vc->steps[i].nb, vc->steps[i].first,
			vc->steps[i].choice);
	if (vc->error != ODP_NO_ERROR)
		fprintf(f, "%s%s, so it must fail\n", prefix, error_names[vc->error]);
	fprintf(f, "%sregions of the pieces:", prefix);
	for (uint32_t i = 0; i < vc->layout.nb_pieces; i++)
		fprintf(f, "%s %s", i == 0 ? "" : ",", region_names[vc->regions[i]]);
	fputc('\n', f);
	layout_print(f, prefix, &vc->layout);
}

/* Consecutive ranges, alternately in one region and the other. */
static uint32_t
segs_fill(const struct odp_mem *mem, const struct odp_step *step, struct rte_umr_seg *segs)
{
	uint64_t size = (uint64_t)sysconf(_SC_PAGESIZE), offset = step->first * size;
	uint64_t left = step->nb * size;
	uint32_t nb, region = step->choice % ODP_NB_REGIONS;

	for (nb = 0; nb < ODP_MAX_SEGS && left > 0; nb++) {
		uint64_t len = nb + 1 == ODP_MAX_SEGS ? left : RTE_MAX(left / 3, UINT64_C(1));

		if (mem->mrs[region] == NULL || mem->mrs[region]->pd != NULL)
			region = ODP_IOVA;
		segs[nb] = (struct rte_umr_seg){
			.addr = mem_addr(mem, (enum odp_region)region, offset),
			.length = (uint32_t)len, .lkey = mem->mrs[region]->lkey,
		};
		offset += len;
		left -= len;
		region = (region + 1) % ODP_NB_REGIONS;
	}
	return nb;
}

static bool
advise(const struct odp_mem *mem, const struct odp_step *step, struct verify_ops *ops)
{
	enum rte_umr_mr_advice advice = (enum rte_umr_mr_advice)(step->choice / 4 % 3);
	uint32_t flags = step->choice / 16 % 2 != 0 ? RTE_UMR_MR_ADVISE_F_FLUSH : 0;
	struct rte_umr_seg segs[ODP_MAX_SEGS];
	uint32_t nb = segs_fill(mem, step, segs);

	return verify_ops_check(ops, rte_umr_mr_advise(mem->side->dev_id, NULL, advice, segs, nb,
						       flags) == 0, "advice was rejected");
}

/* Make the last range invalid. */
static bool
advise_bad(const struct odp_mem *mem, const struct odp_step *step, struct verify_ops *ops)
{
	uint32_t flags = RTE_UMR_MR_ADVISE_F_FLUSH;
	struct rte_umr_pd *pd = NULL;
	struct rte_umr_seg segs[ODP_MAX_SEGS];
	uint32_t nb = segs_fill(mem, step, segs);
	struct rte_umr_seg *bad = &segs[nb - 1];
	int expected = -EFAULT;

	switch (step->choice / 4 % 5) {
	case 0: /* not an on-demand region */
		bad->lkey = mem->side->flat_mr->lkey;
		expected = -ENOENT;
		break;
	case 1: /* another PD */
		pd = mem->other_pd;
		expected = -EPERM;
		break;
	case 2: /* after the region */
		bad->addr = mem_addr(mem, ODP_FRESH, mem->len + ODP_HOLE_SIZE);
		bad->lkey = mem->mrs[ODP_FRESH]->lkey;
		break;
	case 3: /* not mapped */
		bad->addr = mem_addr(mem, ODP_IOVA, mem->len);
		bad->lkey = mem->mrs[ODP_IOVA]->lkey;
		break;
	default:
		flags = RTE_BIT32(31);
		expected = -EINVAL;
		break;
	}
	bad->length = 8;
	return verify_ops_rejected(ops, rte_umr_mr_advise(mem->side->dev_id, pd,
							  RTE_UMR_MR_ADVICE_PREFETCH, segs, nb,
							  flags), expected, "advice");
}

/* Apply changes in any combination, then restore the region: no change may remain. */
static bool
reregister(struct odp_mem *mem, const struct odp_step *step, struct verify_ops *ops)
{
	struct rte_umr_mr *mr = mem->mrs[ODP_EXPLICIT];
	const size_t size = (size_t)sysconf(_SC_PAGESIZE);
	struct rte_umr_mr_conf conf = {
		.addr = mem->pages + step->first * size, .len = step->nb * size,
		.pd = mem->other_pd,
		/* Change access but keep the ordering of writes. */
		.access = (step->choice / 8 | ~RTE_UMR_ACCESS_ALL) & mem->side->info.access_capa,
	};
	const struct rte_umr_mr_conf back = {
		.addr = mem->pages, .len = mem->len + ODP_HOLE_SIZE,
		.access = mem->side->info.access_capa,
	};
	uint32_t changes = step->choice % RTE_UMR_MR_CHANGE_ALL + 1;

	if (conf.access & (RTE_UMR_ACCESS_REMOTE_WRITE | RTE_UMR_ACCESS_REMOTE_ATOMIC))
		conf.access |= RTE_UMR_ACCESS_LOCAL_WRITE;
	/*
	 * A region registered without write access stays read-only until its memory is specified
	 * again.
	 */
	if (changes == (RTE_UMR_MR_CHANGE_TRANSLATION | RTE_UMR_MR_CHANGE_ACCESS) ||
	    changes == RTE_UMR_MR_CHANGE_ALL)
		conf.access |= RTE_UMR_ACCESS_LOCAL_WRITE;
	return verify_ops_check(ops, rte_umr_mr_reregister(mr, changes, &conf) == 0,
				"re-registering was rejected") &&
	       verify_ops_check(ops, ((changes & RTE_UMR_MR_CHANGE_PD) != 0) == (mr->pd != NULL),
				"the PD after re-registering is wrong") &&
	       verify_ops_check(ops, rte_umr_mr_reregister(mr, changes, &back) == 0,
				"re-registering back was rejected");
}

static bool
reregister_bad(struct odp_mem *mem, const struct odp_step *step, struct verify_ops *ops)
{
	struct rte_umr_mr *mr = mem->mrs[ODP_EXPLICIT];
	struct rte_umr_mr_conf conf = { .addr = mem->pages, .len = mem->len, .access = 0 };
	uint32_t changes = step->choice / 8 % RTE_UMR_MR_CHANGE_ALL + 1;
	const struct rte_umr_mr before = *mr;
	int expected = -EINVAL;

	switch (step->choice % 5) {
	case 0:
		changes = 0;
		break;
	case 1:
		changes |= RTE_BIT32(31);
		break;
	case 2:
		conf.flags = RTE_UMR_MR_F_HUGE;
		break;
	case 3:
		conf.access = RTE_UMR_ACCESS_REMOTE_WRITE;
		changes |= RTE_UMR_MR_CHANGE_ACCESS;
		break;
	default:
		mr = mem->mrs[ODP_IOVA];
		changes |= RTE_UMR_MR_CHANGE_TRANSLATION;
		expected = -ENOTSUP;
		break;
	}
	return verify_ops_rejected(ops, rte_umr_mr_reregister(mr, changes, &conf), expected,
				   "a re-registration") &&
	       verify_ops_check(ops, before.lkey == mem->mrs[ODP_EXPLICIT]->lkey && !mr->is_lost,
				"a rejected re-registration changed the region");
}

static bool
step_run(struct odp_mem *mem, const struct odp_step *step, struct verify_ops *ops)
{
	switch (step->what) {
	case ODP_EXCHANGE:
		return verify_ops_check(ops, mem_exchange(mem, step->first, step->nb),
					"cannot exchange pages");
	case ODP_DISCARD:
		return verify_ops_check(ops, mem_discard(mem, step->first, step->nb),
					"cannot discard pages");
	case ODP_ADVISE:
		return advise(mem, step, ops);
	case ODP_ADVISE_BAD:
		return advise_bad(mem, step, ops);
	case ODP_REREGISTER:
		return reregister(mem, step, ops);
	default:
		return reregister_bad(mem, step, ops);
	}
}

/* Make the error after the configuration: the memory below the key changes. */
static bool
error_make(struct odp_mem *mem, enum odp_error error, struct verify_ops *ops)
{
	const struct rte_umr_mr_conf conf = {
		.pd = mem->other_pd,
		/* Remove all access but keep the ordering of writes. */
		.access = mem->side->info.access_capa & ~RTE_UMR_ACCESS_ALL,
	};
	uint32_t changes = error == ODP_OTHER_PD ? RTE_UMR_MR_CHANGE_PD : RTE_UMR_MR_CHANGE_ACCESS;

	if (error != ODP_OTHER_PD && error != ODP_NO_ACCESS)
		return true;
	return verify_ops_check(ops, rte_umr_mr_reregister(mem->mrs[ODP_EXPLICIT], changes,
							   &conf) == 0,
				"re-registering was rejected");
}

static bool
key_make(const void *arg, struct verify_ops *ops)
{
	const struct odp_run *run = arg;
	const struct odp_case *vc = run->vc;
	const struct layout *layout = &vc->layout;
	struct rte_umr_seg segs[LAYOUT_MAX_PIECES];
	struct odp_mem *mem = run->mem;

	if (!verify_ops_check(ops, mem_refresh(mem), "cannot register memory anew"))
		return false;
	for (uint32_t i = 0; i < vc->nb_steps; i++)
		if (!step_run(mem, &vc->steps[i], ops))
			return false;
	if (!error_make(mem, vc->error, ops))
		return false;
	for (uint32_t i = 0; i < layout->nb_pieces; i++) {
		bool is_hole = vc->error == ODP_HOLE && i == layout->nb_pieces - 1;

		segs[i] = (struct rte_umr_seg){
			.addr = mem_addr(mem, vc->regions[i],
					     is_hole ? mem->len : layout->pieces[i].offset),
			.length = layout->pieces[i].len,
			.lkey = mem->mrs[vc->regions[i]]->lkey,
		};
	}
	return verify_ops_list(ops, run->mkey, vc->move.access, segs, layout->nb_pieces);
}

static void
odp_run(const void *what, const struct verify_env *env, struct case_result *result)
{
	const struct odp_case *vc = what;
	struct odp_mem *mems = env->mode_private;
	const struct verify_view view = verify_view_of(&vc->layout);
	struct odp_run run = {
		.vc = vc,
		.mem = &mems[verify_move_key_end(&vc->move)->side - env->bed->sides],
	};
	const struct verify_steps steps = { .before = key_make, .arg = &run };

	verify_move_by_key(&vc->move, &view, &steps, env, env->noise, &run.mkey, result);
	if (!mem_restore(run.mem))
		verify_result_set(result, CASE_ERROR, "the region could not be restored");
}

const struct verify_mode verify_mode_odp = {
	.name = "odp",
	.summary = "regions with on-demand paging, while pages and regions change",
	.capa = RTE_UMR_CAPA_MKEY_LIST | RTE_UMR_CAPA_MR_ODP | RTE_UMR_CAPA_MR_REREGISTER |
		RTE_UMR_CAPA_PD,
	.case_size = sizeof(struct odp_case),
	.private_size = TOOL_MAX_DEVICES * sizeof(struct odp_mem),
	.is_supported = odp_is_supported,
	.setup = odp_setup,
	.teardown = odp_teardown,
	.gen = odp_gen,
	.run = odp_run,
	.print = odp_print,
};
