/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Memory windows and the kernel's UMRs: what a bind, an invalidation, a re-registration may do. */

#include "mem/mkey.h"
#include "queue/qp.h"
#include "types.h"

#define CHECK_FREE	0x20	/* fail if the key is not free */
#define CHECK_QPN	0x08
#define XLT_OFFSET	0x10
#define INLINE		0x80

#define MASK_LEN	0x00000001u
#define MASK_PAGE_SIZE	0x00000002u
#define MASK_START	0x00000040u
#define MASK_PD		0x00000080u
#define MASK_TAG	0x00002000u
#define MASK_QPN	0x00004000u
#define MASK_ACCESS	0x003c0000u
#define MASK_FREE	0x20000000u

#define QPN_ANY		0xffffffu

struct window {
	uint32_t key;		/* current value, with its tag */
	uint8_t flags;
	uint32_t mask;
	uint8_t access;
	uint32_t tag;
	uint32_t qpn;
	uint64_t len;
	bool free;
	uint32_t mr_key;
	const void *addr;
};

/* CREATE_MKEY as the kernel allocates a window: free, KLMs, invalidated remotely if type 2. */
static uint32_t
window_alloc(struct pair *p, bool type2)
{
	uint8_t in[WORLD_BOX];

	world_mkey_box(&p->w, 1, in, WORLD_FREE | WORLD_UMR_EN | WORLD_LR | WORLD_KLMS);
	world_put(in, 7, 24, type2);
	world_put(in, 17, 0, 4);
	return world_exec_create(p->b.hca, in, sizeof(in)) << 8;
}

static void
window_body(uint8_t *body, const struct window *win)
{
	body[0] = INLINE | XLT_OFFSET | win->flags;
	world_put(body, 3, 0, win->mask);
	world_put(body, 12, 8, win->access);
	world_put(body, 12, 30, win->free);
	world_put(body, 13, 0, win->qpn << 8 | win->tag);
	if (win->len > 0) {
		world_put(body, 1, 16, 4);
		world_put64(body, 16, (uintptr_t)win->addr);
		world_put(body, 19, 0, (uint32_t)win->len);
		world_put(body, 28, 0, (uint32_t)win->len);
		world_put(body, 29, 0, win->mr_key);
		world_put64(body, 30, (uintptr_t)win->addr);
	}
}

/* The UMR that libmlx5 makes of a bind (len > 0) or of an invalidation, and its end. */
static void
expect_window(struct pair *p, const struct window *win, uint8_t syndrome)
{
	uint8_t body[176] = { 0 };

	window_body(body, win);
	world_post(&p->b, OP_UMR, CE | FENCE, win->key, body, win->len > 0 ? 11 : 7);
	expect_run(p, &p->b, syndrome);
}

static struct window
bind_type2(struct pair *p, uint32_t key)
{
	return (struct window){
		.key = key,
		.flags = CHECK_FREE,
		.mask = MASK_FREE | MASK_TAG | MASK_QPN | MASK_LEN | MASK_START | MASK_ACCESS,
		.access = WORLD_RW,
		.tag = 7,
		.qpn = p->b.qpn,
		.len = 4096,
		.mr_key = p->w.mem_key[1],
		.addr = p->w.mem,
	};
}

/* Of a new window. */
static struct window
bind_type1(struct pair *p)
{
	struct window win = bind_type2(p, window_alloc(p, false));

	win.flags = 0;
	win.mask &= ~MASK_QPN;
	return win;
}

static struct window
invalidate(const struct pair *p, uint32_t key)
{
	return (struct window){
		.key = key,
		.flags = CHECK_QPN,
		.mask = MASK_FREE | MASK_TAG | MASK_QPN,
		.qpn = QPN_ANY,
		.free = true,
		.mr_key = p->w.mem_key[1],
	};
}

/* Write from device 0 into the window of device 1. */
static void
expect_write(struct pair *p, uint32_t rkey, size_t offset, uint8_t syndrome)
{
	post_transfer(&p->a, OP_WRITE, CE, (uintptr_t)p->w.mem + offset, rkey,
		      p->w.mem + WORLD_MEM / 2, p->w.mem_key[0], 64);
	expect_run(p, &p->a, syndrome);
}

CASES(windows_of_type_2_are_for_one_queue_and_bound_once)
{
	struct pair *p = next_case(state, "its queue writes");
	uint32_t key = window_alloc(p, true);
	struct window win = bind_type2(p, key), inv;

	expect_window(p, &win, 0);
	memset(p->w.mem + WORLD_MEM / 2, 0xa5, 64);
	expect_write(p, key | 7, 128, 0);
	assert_int_equal(p->w.mem[128], 0xa5);
	/* Its last byte is 4095. */
	expect_write(p, key | 7, 4096 - 63, MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR);

	p = next_case(state, "bound to another queue");
	win = bind_type2(p, window_alloc(p, true));
	win.qpn = p->b.qpn + 1;
	expect_window(p, &win, 0);
	expect_write(p, win.key | 7, 0, MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR);

	p = next_case(state, "another queue's cannot be invalidated");
	win = bind_type2(p, window_alloc(p, true));
	inv = invalidate(p, win.key | 7);
	win.qpn = p->b.qpn + 1;
	expect_window(p, &win, 0);
	expect_window(p, &inv, MLX5_CQE_SYNDROME_MW_BIND_ERR);

	p = next_case(state, "second bind");
	win = bind_type2(p, window_alloc(p, true));
	expect_window(p, &win, 0);
	expect_window(p, &win, MLX5_CQE_SYNDROME_MW_BIND_ERR);
}

PAIR_CASE(type_1_window_is_bound_anew_without_invalidation)
{
	struct window win = bind_type1(p);

	expect_window(p, &win, 0);
	win.tag = 8;
	win.addr = p->w.mem + 4096;
	expect_window(p, &win, 0);
	expect_write(p, win.key | 8, 4096, 0);
	expect_write(p, win.key | 7, 0, MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR);
}

CASES(window_that_allows_no_writes_rejects_them)
{
	struct pair *p = next_case(state, "invalidated");
	struct window win = bind_type2(p, window_alloc(p, true)), inv;

	inv = invalidate(p, win.key | 7);
	expect_window(p, &win, 0);
	expect_window(p, &inv, 0);
	expect_write(p, win.key | 7, 0, MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR);

	p = next_case(state, "region that may not be written");
	win = bind_type2(p, window_alloc(p, true));
	win.mr_key = world_mtt_key(&p->w, 1, p->w.mem, 4096, WORLD_LR);
	expect_window(p, &win, 0);
	expect_write(p, win.key | 7, 0, MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR);

	p = next_case(state, "right that is taken away");
	win = bind_type1(p);
	expect_window(p, &win, 0);
	expect_write(p, win.key | 7, 0, 0);
	win.access = WORLD_RR;
	expect_window(p, &win, 0);
	expect_write(p, win.key | 7, 0, MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR);
}

/* As a message with invalidate for b does. */
static enum swhca_fault
remote_inval(struct pair *p, uint32_t key)
{
	const struct swhca_qp *qp = (const struct swhca_qp *)swhca_table_get(
		&p->b.hca->tables[SWHCA_OBJ_QP], p->b.qpn);
	enum swhca_fault fault;
	struct swhca_mkey *mkey;

	fault = swhca_mkey_find_inval(qp->hca, qp->pd, qp->obj.num, key, &mkey);
	if (fault == SWHCA_FAULT_NONE)
		mkey->free = true;
	return fault;
}

PAIR_CASE(remote_invalidation_follows_its_rules)
{
	uint32_t key = window_alloc(p, true);
	struct window win = bind_type2(p, key), win1 = bind_type1(p);

	assert_int_equal(remote_inval(p, key), SWHCA_FAULT_FREE);
	expect_window(p, &win, 0);
	expect_window(p, &win1, 0);
	assert_int_equal(remote_inval(p, key | 6), SWHCA_FAULT_TAG);
	assert_int_equal(remote_inval(p, win1.key | 7), SWHCA_FAULT_ACCESS);
	assert_int_equal(remote_inval(p, p->w.mem_key[1]), SWHCA_FAULT_ACCESS);
	assert_int_equal(remote_inval(p, 0xffffff00), SWHCA_FAULT_NO_KEY);
	assert_int_equal(remote_inval(p, key | 7), SWHCA_FAULT_NONE);
	expect_write(p, key | 7, 0, MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR);
}

/* A key of mem with umr_en, as the kernel registers it. */
static uint32_t
region_create(struct pair *p, uint8_t access)
{
	uint8_t in[WORLD_BOX + 64] = { 0 };

	world_mkey_box(&p->w, 1, in, access | WORLD_MTT | WORLD_UMR_EN);
	world_mkey_pages(in, p->w.mem, 8 * 4096);
	return world_exec_create(p->b.hca, in, sizeof(in)) << 8;
}

static void
expect_pages(struct pair *p, struct world_qp *qp, uint32_t key, uint32_t mask, uint32_t pdn,
	     const uint8_t *first, uint8_t syndrome)
{
	uint8_t body[176] = { INLINE };

	world_put(body, 1, 16, 4);
	world_put(body, 3, 0, mask);
	world_put(body, 12, 8, WORLD_LR | WORLD_LW | WORLD_RW);
	world_put(body, 13, 0, 0xffffff00);
	world_put(body, 15, 0, pdn);
	world_put(body, 26, 0, 12);
	for (int i = 0; i < 8; i++)
		world_put_bus(body, 28 + i * 2u, first + 4096 * i);
	world_post(qp, OP_UMR, CE, key, body, 11);
	expect_run(p, qp, syndrome);
}

PAIR_CASE(kernel_changes_pages_and_pd_of_a_region)
{
	uint32_t key = region_create(p, WORLD_LR | WORLD_LW), pdn;
	struct world_qp umr;

	type_umr_qp_create(&p->w, 1, &umr);
	expect_write(p, p->w.mem_key[1], 0, 0);
	/* Other pages, and the right to write remotely. */
	expect_pages(p, &umr, key, MASK_PAGE_SIZE | MASK_ACCESS, 0, p->w.mem + 65536, 0);
	memset(p->w.mem + WORLD_MEM / 2, 0x3c, 64);
	expect_write(p, key, 0, 0);
	assert_int_equal(p->w.mem[65536], 0x3c);
	/* Into another PD: the queue pair of the old one loses it. */
	pdn = world_alloc(p->b.hca, 0x800);
	expect_pages(p, &umr, key, MASK_PD, pdn, p->w.mem, 0);
	assert_int_equal(world_cmd(p->b.hca, 0x801, pdn, NULL), 0x06);
	expect_write(p, key, 0, MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR);
	world_qp_destroy(&umr);
}

static void
expect_entity(struct pair *p, struct world_qp *qp, uint32_t log_size, uint8_t syndrome)
{
	uint8_t body[112] = { INLINE };

	world_put(body, 3, 0, MASK_PAGE_SIZE);
	world_put(body, 26, 0, log_size);
	world_post(qp, OP_UMR, CE, region_create(p, WORLD_LR | WORLD_LW), body, 7);
	expect_run(p, qp, syndrome);
}

CASES(user_cannot_change_pages_or_pd)
{
	struct pair *p = next_case(state, "page addresses");
	struct window win;

	expect_pages(p, &p->b, region_create(p, WORLD_LR | WORLD_LW), MASK_ACCESS, 0, p->w.mem,
		     MLX5_CQE_SYNDROME_MW_BIND_ERR);

	p = next_case(state, "PD");
	win = bind_type2(p, window_alloc(p, false));
	world_alloc(p->b.hca, 0x800);
	win.mask |= MASK_PD;	/* the context says PD 0 */
	expect_window(p, &win, MLX5_CQE_SYNDROME_MW_BIND_ERR);

	p = next_case(state, "wider pages");
	expect_entity(p, &p->b, 31, MLX5_CQE_SYNDROME_MW_BIND_ERR);
}

CASES(umr_queue_has_limits)
{
	struct pair *p = next_case(state, "it does nothing else");
	struct world_qp umr;
	uint8_t in[WORLD_BOX];
	uint32_t uid;

	type_umr_qp_create(&p->w, 1, &umr);
	post_transfer(&umr, OP_WRITE, CE, 0, p->w.mem_key[1], p->w.mem, p->w.mem_key[1], 8);
	expect_run(p, &umr, MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR);
	world_qp_destroy(&umr);

	p = next_case(state, "an entity smaller than a page");
	type_umr_qp_create(&p->w, 1, &umr);
	expect_entity(p, &umr, 11, MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR);
	world_qp_destroy(&umr);

	p = next_case(state, "of a user context");
	uid = world_alloc(p->b.hca, 0xa04);
	world_qp_box(&p->w, 1, in, &p->b);
	world_put(in, 0, 0, uid);
	world_put(in, 6, 16, ST_REG_UMR);
	assert_int_equal(world_exec(p->b.hca, in, sizeof(in)), 0x03);
}

/* Bits of the mkey mask: rr 19, rw 20. */
static void
expect_rights(struct pair *p, struct world_qp *qp, uint32_t key, uint8_t fm, uint32_t mask,
	      uint32_t rights, uint8_t syndrome)
{
	uint8_t body[112] = { INLINE };

	world_put(body, 3, 0, mask);
	world_put(body, 12, 8, rights);
	world_post(qp, OP_UMR, CE | fm, key, body, 7);
	expect_run(p, qp, syndrome);
}

/* What the caller may ask of a device: as some adapters are taken to be. */
CASE(umr_without_strong_ordering_is_rejected_where_it_is_needed)
{
	struct swhca_hca_conf conf[2];
	struct world_qp umr;
	struct pair *p;
	uint32_t key;

	world_conf(conf);
	conf[1].needs_strong_fence = true;
	p = pair_create(sizeof(*p), conf);
	key = region_create(p, WORLD_LR | WORLD_RR);
	expect_rights(p, &p->b, key, 0x60, 1u << 19, WORLD_LR, 0);
	/* The kernel's own, which has one at a time. */
	type_umr_qp_create(&p->w, 1, &umr);
	expect_rights(p, &umr, key, 0, 1u << 19, WORLD_LR, 0);
	expect_rights(p, &p->b, key, 0x20, 1u << 19, WORLD_LR, MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR);
	world_qp_destroy(&umr);
	pair_destroy(p);
}

/* Memory that was registered for reading is not the user's to write. */
CASES(region_stays_as_the_kernel_registered_it)
{
	struct pair *p = next_case(state, "rights");
	uint32_t key = region_create(p, WORLD_LR | WORLD_RR);
	uint8_t body[112] = { INLINE | XLT_OFFSET };

	expect_rights(p, &p->b, key, 0, 1u << 19, WORLD_LR | WORLD_RR, 0);
	expect_rights(p, &p->b, key, 0, 1u << 19, WORLD_LR, 0);
	expect_rights(p, &p->b, key, 0, 1u << 20, WORLD_LR | WORLD_RW,
		      MLX5_CQE_SYNDROME_MW_BIND_ERR);

	p = next_case(state, "translation offset");
	world_put(body, 1, 0, 2);
	world_post(&p->b, OP_UMR, CE, window_alloc(p, false), body, 7);
	expect_run(p, &p->b, MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR);
}

PAIR_CASE(query_tells_what_a_key_is)
{
	uint32_t key = window_alloc(p, true);
	struct window win = bind_type2(p, key);
	uint8_t out[WORLD_BOX];

	expect_window(p, &win, 0);
	assert_int_equal(world_query(p->b.hca, 0x201, 0, key >> 8, out, sizeof(out)), 0);
	/* umr_en, access as bound, local read as created, KLMS; not free any more. */
	assert_int_equal(world_get(out, 4), 1u << 15 | (WORLD_RW | WORLD_LR) << 8 | 2u << 8);
	assert_int_equal(world_get(out, 5), p->b.qpn << 8 | 7);
	assert_int_equal(world_get(out, 7), 1u << 24 | p->w.dev[1].pdn);
	assert_int_equal(world_get(out, 11), 4096);
}

PAIR_CASE(levels_of_keys_have_a_limit)
{
	uint32_t keys[6], i;
	struct window win;

	/* Five windows, each over the one before: one more than the device follows. */
	keys[0] = p->w.mem_key[1];
	for (i = 1; i < 6; i++) {
		win = bind_type1(p);
		win.access = WORLD_LW | WORLD_RW;
		win.mr_key = keys[i - 1];
		keys[i] = win.key | 7;
		expect_window(p, &win, 0);
	}
	expect_write(p, keys[4], 0, 0);
	expect_write(p, keys[5], 0, MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR);
}

/* The last of them is as deep as the first. */
PAIR_CASE(keys_side_by_side_are_one_level)
{
	struct window win, all = bind_type1(p);
	uint8_t body[176] = { 0 };

	all.access = WORLD_LW | WORLD_RW;
	window_body(body, &all);
	memset(&body[112], 0, 64);	/* its four entries */
	for (uint32_t i = 0; i < 4; i++) {
		win = bind_type1(p);
		win.access = WORLD_LW | WORLD_RW;
		win.len = 64;
		expect_window(p, &win, 0);
		world_put(body, 28 + 4 * i, 0, 16);
		world_put(body, 29 + 4 * i, 0, win.key | 7);
		world_put64(body, 30 + 4 * i, (uintptr_t)p->w.mem);
	}
	world_post(&p->b, OP_UMR, CE | FENCE, all.key, body, 11);
	expect_run(p, &p->b, 0);
	expect_write(p, all.key | 7, 0, 0);
}

/* A list that the WQE points to begins at a multiple of 2 KiB (DPDK: MLX5_UMR_KLM_PTR_ALIGN). */
PAIR_CASE(list_in_memory_is_aligned)
{
	struct window win = bind_type1(p);
	uint8_t body[176] = { 0 }, *list = p->w.mem + 2 * 4096;

	list += 2048 - (uintptr_t)list % 2048;
	window_body(body, &win);
	body[0] &= (uint8_t)~INLINE;
	memcpy(list, &body[112], 64);
	memcpy(list + 1024, &body[112], 64);
	memset(&body[112], 0, 64);
	world_put(body, 28, 0, 64);
	world_put(body, 29, 0, p->w.mem_key[1]);
	world_put64(body, 30, (uintptr_t)list);
	world_post(&p->b, OP_UMR, CE | FENCE, win.key, body, 8);
	expect_run(p, &p->b, 0);
	world_put(body, 31, 0, (uint32_t)(uintptr_t)(list + 1024));
	world_post(&p->b, OP_UMR, CE | FENCE, win.key, body, 8);
	expect_run(p, &p->b, MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR);
}
