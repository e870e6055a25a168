/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Two user contexts of one device, and its kernel: nothing is made of a part of somebody else. Each
 * kind of object, with one part exchanged at a time; what is made of own parts is made, else that
 * the others fail would prove nothing.
 */

#include "types.h"

#define CREATE_UCTX	0xa04
#define ALLOC_MEMIC	0x205
#define MODIFY_CQ	0x403
#define BAD_PARAM	0x03
#define BAD_RES		0x05
#define UMEM_PAGES	8u
#define PAGE		4096u
#define MAX_BOX		0x120u
/* MLX5_SHARED_RESOURCE_UID */
#define UID_SHARED	0xffffu

/* What objects are made of; 0 where there is none. */
struct parts {
	uint32_t uid;
	uint32_t pdn, uarn, umem, cqn, rcqn, rmpn, xrcdn;
	uint64_t memic;
};

enum who { HOSTILE, VICTIM, KERNEL, NB_WHO };

struct others {
	struct world w;
	struct parts parts[NB_WHO];
	uint8_t *pages;
	uint8_t *events;
};

/* ---- Mailboxes ---- */

typedef void (*box_fn)(struct others *o, const struct parts *parts, uint8_t *in);

/* The world as boxes of world.h and types.h are to see it. */
static struct world
world_of(const struct others *o, const struct parts *parts)
{
	struct world w = o->w;

	w.dev[0].pdn = parts->pdn;
	w.dev[0].uarn = parts->uarn;
	return w;
}

static void
umem_box(struct others *o, const struct parts *parts, uint8_t *in)
{
	world_put(in, 0, 16, 0xa08);
	world_put(in, 0, 0, parts->uid);
	world_put(in, 11, 0, UMEM_PAGES);
	for (unsigned int i = 0; i < UMEM_PAGES; i++) {
		world_put_bus(in, 12 + 2 * i, o->pages + (size_t)i * PAGE);
		world_put(in, 13 + 2 * i, 0, 3);
	}
}

static void
cq_box(struct others *o, const struct parts *parts, uint8_t *in)
{
	struct world w = world_of(o, parts);

	world_cq_box(&w, 0, in, parts->umem, 0, PAGE);
}

static void
qp_box(struct others *o, const struct parts *parts, uint8_t *in)
{
	const struct world_qp qp = { .umem = parts->umem, .scqn = parts->cqn,
				     .rcqn = parts->rcqn };
	struct world w = world_of(o, parts);

	world_qp_box(&w, 0, in, &qp);
}

static void
shared_qp_box(struct others *o, const struct parts *parts, uint8_t *in)
{
	qp_box(o, parts, in);
	world_put(in, 49, 24, RQ_SHARED);
	world_put(in, 49, 0, parts->rmpn);
}

/* It sends nothing and has no receive queue of its own: no CQ and no doorbell. */
static void
xrc_target_box(struct others *o, const struct parts *parts, uint8_t *in)
{
	struct parts own = *parts;

	own.uarn = 0;
	own.cqn = own.rcqn = 0;
	qp_box(o, &own, in);
	world_put(in, 6, 16, ST_XRC);
	world_put(in, 8, 15, 1);		/* no send queue */
	world_put(in, 44, 0, parts->xrcdn);
	world_put(in, 49, 24, RQ_SHARED);
}

static void
rmp_box(struct others *o, const struct parts *parts, uint8_t *in)
{
	struct world w = world_of(o, parts);

	type_rmp_box(&w.dev[0], in, NULL, true);
	memset(in + 24 * 4, 0, 8);
	world_put(in, 25, 0, SRQ_DBR_OFF);
	world_put(in, 29, 31, 1);		/* dbr_umem_valid, wq_umem_valid */
	world_put(in, 29, 30, 1);
	world_put(in, 30, 0, parts->umem);
	world_put(in, 31, 0, parts->umem);
}

static void
xrc_srq_box(struct others *o, const struct parts *parts, uint8_t *in)
{
	struct world w = world_of(o, parts);

	type_srq_box(&w.dev[0], in, o->pages, 0x705, parts->xrcdn, parts->cqn);
}

static void
dct_box(struct others *o, const struct parts *parts, uint8_t *in)
{
	world_put(in, 0, 16, 0x710);
	world_put(in, 6, 0, parts->cqn);
	world_put(in, 8, 8, 1);
	world_put(in, 9, 0, parts->rmpn);
	world_put(in, 10, 0, parts->pdn);
	world_put(in, 14, 24, 5);		/* mtu */
	world_put(in, 14, 16, 1);		/* port */
}

static void
key_box(const struct others *o, const struct parts *parts, uint8_t *in, uint32_t mode,
	uint64_t start, uint32_t len)
{
	struct world w = world_of(o, parts);

	world_mkey_box(&w, 0, in, (mode & 3) | WORLD_LR | WORLD_LW);
	world_put(in, 4, 26, mode >> 2);
	world_put64(in, 8, start);
	world_put(in, 11, 0, len);
}

static void
umem_key_box(struct others *o, const struct parts *parts, uint8_t *in)
{
	key_box(o, parts, in, 1, 0, UMEM_PAGES * PAGE);
	world_put(in, 3, 30, 1);		/* mkey_umem_valid */
	world_put(in, 17, 0, UMEM_PAGES / 2);
	world_put(in, 18, 0, 12);
	world_put(in, 25, 0, parts->umem);
}

static void
list_key_box(struct others *o, const struct parts *parts, uint8_t *in)
{
	key_box(o, parts, in, 2, 0, 0);
	world_put(in, 4, 8, WORLD_FREE | WORLD_UMR_EN);
	world_put(in, 17, 0, 4);
}

static void
memic_key_box(struct others *o, const struct parts *parts, uint8_t *in)
{
	key_box(o, parts, in, 5, parts->memic, 64);
}

static const struct kind {
	const char *name;
	box_fn box;
	size_t len;
	uint16_t destroy;
	uint16_t before_destroy;
} kinds[] = {
	{ "CQ", cq_box, WORLD_BOX, 0x401, 0 },
	{ "QP", qp_box, WORLD_BOX, 0x501, 0 },
	{ "QP with an SRQ", shared_qp_box, WORLD_BOX, 0x501, 0 },
	{ "XRC target", xrc_target_box, WORLD_BOX, 0x501, 0 },
	{ "RMP", rmp_box, SRQ_BOX, 0x90e, 0 },
	{ "XRC SRQ", xrc_srq_box, SRQ_BOX, 0x706, 0 },
	{ "DCT", dct_box, 0x50, 0x711, 0x712 },
	{ "key of a umem", umem_key_box, WORLD_BOX, 0x202, 0 },
	{ "key of a list", list_key_box, WORLD_BOX, 0x202, 0 },
	{ "key of device memory", memic_key_box, WORLD_BOX, 0x202, 0 },
};

/* ---- Who has what ---- */

static uint32_t
user_alloc(struct others *o, uint32_t uid, uint16_t opcode)
{
	uint32_t num;

	assert_int_equal(world_user_cmd(o->w.dev[0].hca, opcode, uid, 0, &num), 0);
	return num;
}

static uint64_t
memic_alloc(struct others *o, uint32_t uid)
{
	uint8_t in[32] = { 0 }, out[16], cap[0x1010];

	/* Capabilities of device memory, current: from where it begins. */
	assert_int_equal(world_query(o->w.dev[0].hca, 0x100, 0x0f << 1 | 1, 0, cap, sizeof(cap)),
			 0);
	world_put(in, 0, 16, ALLOC_MEMIC);
	world_put(in, 0, 0, uid);
	memcpy(in + 16, cap + 16 + 8, 8);
	world_put(in, 6, 0, 256u << 10);
	world_put(in, 7, 0, PAGE);
	assert_int_equal(swhca_hca_cmd_exec(o->w.dev[0].hca, in, sizeof(in), out, sizeof(out)), 0);
	return world_get64(out, 2);
}

static uint32_t
made(struct others *o, const struct parts *parts, box_fn box, size_t len)
{
	uint8_t in[MAX_BOX] = { 0 };

	box(o, parts, in);
	world_put(in, 0, 0, parts->uid);
	return world_exec_create(o->w.dev[0].hca, in, len);
}

static void
parts_init(struct others *o, enum who who)
{
	struct parts *parts = &o->parts[who];

	if (who != KERNEL)
		parts->uid = world_alloc(o->w.dev[0].hca, CREATE_UCTX);
	parts->pdn = user_alloc(o, parts->uid, 0x800);
	parts->uarn = user_alloc(o, parts->uid, 0x802);
	parts->xrcdn = user_alloc(o, parts->uid, 0x80e);
	parts->memic = memic_alloc(o, parts->uid);
	parts->umem = made(o, parts, umem_box, 0x30 + 8 * UMEM_PAGES);
	parts->cqn = made(o, parts, cq_box, WORLD_BOX);
	parts->rcqn = made(o, parts, cq_box, WORLD_BOX);
	parts->rmpn = made(o, parts, rmp_box, SRQ_BOX);
}

/* An EQ for all, as Linux' mlx5_core makes them, instead of the world's own. */
static void
shared_eq_create(struct others *o)
{
	uint8_t in[WORLD_EQ_BOX];

	o->events = world_pages(PAGE);
	world_eq_box(&o->w.dev[0], in, 6, o->events);
	world_put(in, 0, 0, UID_SHARED);
	o->w.dev[0].eqn = world_exec_create(o->w.dev[0].hca, in, sizeof(in));
}

static int
others_setup(void **state)
{
	struct others *o = NOT_NULL(calloc(1, sizeof(*o)));

	world_create(&o->w);
	o->pages = world_pages((size_t)UMEM_PAGES * PAGE);
	shared_eq_create(o);
	for (enum who who = HOSTILE; who < NB_WHO; who++)
		parts_init(o, who);
	*state = o;
	return 0;
}

static int
others_teardown(void **state)
{
	struct others *o = *state;

	world_destroy(&o->w);
	free(o->events);
	free(o->pages);
	free(o);
	return 0;
}

/* ---- Cases ---- */

enum { PD, UAR, UMEM, CQ, RMP, XRCD, MEMIC, RECV_CQ, NB_PARTS };

/* Own parts but for one. */
static struct parts
mixed(const struct others *o, enum who of, unsigned int part)
{
	const struct parts *other = &o->parts[of];
	struct parts parts = o->parts[HOSTILE];
	uint32_t *const own[] = { &parts.pdn, &parts.uarn, &parts.umem, &parts.cqn, &parts.rmpn,
				  &parts.xrcdn, NULL, &parts.rcqn };
	const uint32_t theirs[] = { other->pdn, other->uarn, other->umem, other->cqn, other->rmpn,
				    other->xrcdn, 0, other->rcqn };

	if (part == MEMIC)
		parts.memic = other->memic;
	else
		*own[part] = theirs[part];
	return parts;
}

/* Does the box say something else, so that the part is one of this kind? */
static bool
has_part(struct others *o, const struct kind *kind, const struct parts *parts, uint8_t *in)
{
	uint8_t own[MAX_BOX] = { 0 };

	kind->box(o, &o->parts[HOSTILE], own);
	memset(in, 0, MAX_BOX);
	kind->box(o, parts, in);
	world_put(own, 0, 0, o->parts[HOSTILE].uid);
	world_put(in, 0, 0, o->parts[HOSTILE].uid);
	return memcmp(own, in, MAX_BOX) != 0;
}

/*
 * What is the kernel's and yet for its users: UAR pages, which Linux before 6.2 takes in its own
 * name, and domains of XRC SRQs. Targets are in no such domain: they would reach PDs of others.
 */
static bool
is_for_users(const struct kind *kind, enum who of, unsigned int part)
{
	return of == KERNEL && (part == UAR || (part == XRCD && kind->box == xrc_srq_box));
}

/* Returns how many parts that kind has. */
static unsigned int
expect_nothing_of(struct others *o, const struct kind *kind, enum who of)
{
	unsigned int part, nb = 0;
	uint8_t in[MAX_BOX], status, want;
	struct parts parts;

	for (part = 0; part < NB_PARTS; part++) {
		parts = mixed(o, of, part);
		if (!has_part(o, kind, &parts, in))
			continue;
		nb++;
		status = world_exec(o->w.dev[0].hca, in, kind->len);
		/* Device memory has addresses, no numbers. */
		want = is_for_users(kind, of, part) ? 0 : part == MEMIC ? BAD_PARAM : BAD_RES;
		if (status != want)
			fail_msg("%s of part %u of %u: status 0x%x", kind->name, part, of, status);
	}
	return nb;
}

CASE_OF(struct others, o, nothing_is_made_of_a_part_of_somebody_else, others_setup, others_teardown)
{
	unsigned int nb = 0, i;
	uint32_t num;

	for (i = 0; i < NB_OF(kinds); i++) {
		num = made(o, &o->parts[HOSTILE], kinds[i].box, kinds[i].len);
		if (kinds[i].before_destroy != 0)
			assert_int_equal(world_user_cmd(o->w.dev[0].hca, kinds[i].before_destroy,
							o->parts[HOSTILE].uid, num, NULL), 0);
		assert_int_equal(world_user_cmd(o->w.dev[0].hca, kinds[i].destroy,
						o->parts[HOSTILE].uid, num, NULL), 0);
		nb += expect_nothing_of(o, &kinds[i], VICTIM);
		assert_true(nb > i);
		expect_nothing_of(o, &kinds[i], KERNEL);
	}
	/* CQ 2, QPs 5, 6 and 3, RMP 2, SRQ 3, DCT 3, keys 2, 1 and 2. */
	assert_int_equal(nb, 29);
}

/* A ring that comes later is a part, too. */
CASE_OF(struct others, o, completions_do_not_move_to_memory_of_somebody_else,
	others_setup, others_teardown)
{
	const struct parts *own = &o->parts[HOSTILE];
	uint8_t in[MAX_BOX];

	for (int who = NB_WHO - 1; who >= 0; who--) {
		memset(in, 0, sizeof(in));
		world_put(in, 0, 16, MODIFY_CQ);
		world_put(in, 0, 0, own->uid);
		world_put(in, 1, 0, 1);			/* resize */
		world_put(in, 2, 0, own->cqn);
		world_put(in, 3, 0, 7);
		world_put(in, 7, 24, 5);
		world_put64(in, 20, 2 * PAGE);
		world_put(in, 22, 0, o->parts[who].umem);
		world_put(in, 23, 31, 1);
		assert_int_equal(world_exec(o->w.dev[0].hca, in, 0x118),
				 who == HOSTILE ? 0 : BAD_RES);
	}
}
