/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Memory windows and the kernel's UMRs: what a bind, an invalidation, a re-registration may do. */

#include "mem/mkey.h"
#include "queue/qp.h"
#include "pair.h"

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

#define ST_REG_UMR	0xcu
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
window_alloc(struct world *w, int dev, bool type2)
{
	uint8_t in[WORLD_BOX] = { 0 }, out[16];
	uint32_t be;

	world_put(in, 0, 16, 0x200);
	world_put(in, 4, 30, 1);
	world_put(in, 4, 15, 1);
	world_put(in, 4, 10, 1);
	world_put(in, 4, 8, 2);
	world_put(in, 5, 0, 0xffffff00);
	world_put(in, 7, 24, type2);
	world_put(in, 7, 0, w->dev[dev].pdn);
	world_put(in, 17, 0, 4);
	assert_int_equal(swhca_hca_cmd_exec(w->dev[dev].hca, in, sizeof(in), out, 16), 0);
	memcpy(&be, out + 8, 4);
	return be32toh(be) << 8;
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
		world_put(body, 16, 0, (uint32_t)((uintptr_t)win->addr >> 32));
		world_put(body, 17, 0, (uint32_t)(uintptr_t)win->addr);
		world_put(body, 19, 0, (uint32_t)win->len);
		world_put(body, 28, 0, (uint32_t)win->len);
		world_put(body, 29, 0, win->mr_key);
		world_put(body, 30, 0, (uint32_t)((uintptr_t)win->addr >> 32));
		world_put(body, 31, 0, (uint32_t)(uintptr_t)win->addr);
	}
}

/* The UMR that libmlx5 makes of a bind (len > 0) or of an invalidation. */
static void
window_post(struct world_qp *qp, const struct window *win)
{
	uint8_t body[176] = { 0 };

	window_body(body, win);
	world_post(qp, OP_UMR, CE | FENCE, win->key, body, win->len > 0 ? 11 : 7);
	world_ring(qp);
}

static void
expect_status(struct pair *p, struct world_qp *qp, uint8_t syndrome)
{
	const struct mlx5_cqe64 *cqe;

	world_run(&p->w);
	cqe = world_send_cqe(qp);
	if (syndrome != 0) {
		expect_error(cqe, MLX5_CQE_REQ_ERR, syndrome);
		return;
	}
	assert_non_null(cqe);
	assert_int_equal(cqe->op_own >> 4, MLX5_CQE_REQ);
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
	world_ring(&p->a);
	expect_status(p, &p->a, syndrome);
}

static void
bound_window_lets_its_queue_write(void **state)
{
	struct pair *p = *state;
	uint32_t key = window_alloc(&p->w, 1, true);
	struct window win = bind_type2(p, key);

	window_post(&p->b, &win);
	expect_status(p, &p->b, 0);
	memset(p->w.mem + WORLD_MEM / 2, 0xa5, 64);
	expect_write(p, key | 7, 128, 0);
	assert_int_equal(p->w.mem[128], 0xa5);
	/* Its last byte is 4095. */
	expect_write(p, key | 7, 4096 - 63, MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR);
}

static void
window_bound_to_another_queue_is_rejected(void **state)
{
	struct pair *p = *state;
	uint32_t key = window_alloc(&p->w, 1, true);
	struct window win = bind_type2(p, key);

	win.qpn = p->b.qpn + 1;
	window_post(&p->b, &win);
	expect_status(p, &p->b, 0);
	expect_write(p, key | 7, 0, MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR);
}

static void
second_bind_of_a_type_2_window_is_rejected(void **state)
{
	struct pair *p = *state;
	uint32_t key = window_alloc(&p->w, 1, true);
	struct window win = bind_type2(p, key);

	window_post(&p->b, &win);
	expect_status(p, &p->b, 0);
	window_post(&p->b, &win);
	expect_status(p, &p->b, MLX5_CQE_SYNDROME_MW_BIND_ERR);
}

static void
type_1_window_is_bound_anew_without_invalidation(void **state)
{
	struct pair *p = *state;
	uint32_t key = window_alloc(&p->w, 1, false);
	struct window win = bind_type2(p, key);

	win.flags = 0;
	win.mask &= ~MASK_QPN;
	window_post(&p->b, &win);
	expect_status(p, &p->b, 0);
	win.tag = 8;
	win.addr = p->w.mem + 4096;
	window_post(&p->b, &win);
	expect_status(p, &p->b, 0);
	expect_write(p, key | 8, 4096, 0);
	expect_write(p, key | 7, 0, MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR);
}

static void
invalidated_window_is_rejected(void **state)
{
	struct pair *p = *state;
	uint32_t key = window_alloc(&p->w, 1, true);
	struct window win = bind_type2(p, key), inv = invalidate(p, key | 7);

	window_post(&p->b, &win);
	expect_status(p, &p->b, 0);
	window_post(&p->b, &inv);
	expect_status(p, &p->b, 0);
	expect_write(p, key | 7, 0, MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR);
}

static void
window_of_another_queue_cannot_be_invalidated(void **state)
{
	struct pair *p = *state;
	uint32_t key = window_alloc(&p->w, 1, true);
	struct window win = bind_type2(p, key), inv = invalidate(p, key | 7);

	win.qpn = p->b.qpn + 1;
	window_post(&p->b, &win);
	expect_status(p, &p->b, 0);
	window_post(&p->b, &inv);
	expect_status(p, &p->b, MLX5_CQE_SYNDROME_MW_BIND_ERR);
}

static void
write_through_a_window_needs_a_region_that_may_be_written(void **state)
{
	struct pair *p = *state;
	uint32_t key = window_alloc(&p->w, 1, true);
	struct window win = bind_type2(p, key);

	win.mr_key = world_mtt_key(&p->w, 1, p->w.mem, 4096, WORLD_LR);
	window_post(&p->b, &win);
	expect_status(p, &p->b, 0);
	expect_write(p, key | 7, 0, MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR);
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

static void
remote_invalidation_follows_its_rules(void **state)
{
	struct pair *p = *state;
	uint32_t key = window_alloc(&p->w, 1, true), type1 = window_alloc(&p->w, 1, false);
	struct window win = bind_type2(p, key), win1 = bind_type2(p, type1);

	assert_int_equal(remote_inval(p, key), SWHCA_FAULT_FREE);
	window_post(&p->b, &win);
	expect_status(p, &p->b, 0);
	win1.flags = 0;
	win1.mask &= ~MASK_QPN;
	window_post(&p->b, &win1);
	expect_status(p, &p->b, 0);
	assert_int_equal(remote_inval(p, key | 6), SWHCA_FAULT_TAG);
	assert_int_equal(remote_inval(p, type1 | 7), SWHCA_FAULT_ACCESS);
	assert_int_equal(remote_inval(p, p->w.mem_key[1]), SWHCA_FAULT_ACCESS);
	assert_int_equal(remote_inval(p, 0xffffff00), SWHCA_FAULT_NO_KEY);
	assert_int_equal(remote_inval(p, key | 7), SWHCA_FAULT_NONE);
	expect_write(p, key | 7, 0, MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR);
}

/* A key of mem with umr_en, as the kernel registers it. */
static uint32_t
region_create(struct world *w, int dev, uint8_t access)
{
	uint8_t in[WORLD_BOX + 64] = { 0 }, out[16];
	uint32_t be;
	int i;

	world_put(in, 0, 16, 0x200);
	world_put(in, 4, 15, 1);
	world_put(in, 4, 8, access | 0x1u);
	world_put(in, 5, 0, 0xffffff00);
	world_put(in, 7, 0, w->dev[dev].pdn);
	world_put(in, 8, 0, (uint32_t)((uintptr_t)w->mem >> 32));
	world_put(in, 9, 0, (uint32_t)(uintptr_t)w->mem);
	world_put(in, 11, 0, 8 * 4096);
	world_put(in, 17, 0, 4);
	world_put(in, 18, 0, 12);
	world_put(in, 24, 0, 4);
	for (i = 0; i < 8; i++)
		world_put_bus(in, 68 + i * 2u, w->mem + 4096 * i);
	assert_int_equal(swhca_hca_cmd_exec(w->dev[dev].hca, in, sizeof(in), out, 16), 0);
	memcpy(&be, out + 8, 4);
	return be32toh(be) << 8;
}

static void
umr_qp_create(struct world *w, int dev, struct world_qp *qp)
{
	uint8_t in[WORLD_BOX], out[16];
	uint32_t be;

	world_qp_create(w, dev, qp);
	assert_int_equal(world_cmd(qp->hca, 0x501, qp->qpn, NULL), 0);
	world_qp_box(w, dev, in, qp);
	world_put(in, 6, 16, ST_REG_UMR);
	assert_int_equal(swhca_hca_cmd_exec(qp->hca, in, sizeof(in), out, sizeof(out)), 0);
	memcpy(&be, out + 8, 4);
	qp->qpn = be32toh(be);
	world_qp_modify(qp, 0x502, 0, 0, 0);
	world_qp_modify(qp, 0x503, 0, 0, 0);
	world_qp_modify(qp, 0x504, 0, 0, 0);
}

static void
post_pages(struct world_qp *qp, uint32_t key, uint32_t mask, uint32_t pdn, const uint8_t *first)
{
	uint8_t body[176] = { 0 };
	int i;

	body[0] = INLINE;
	world_put(body, 1, 16, 4);
	world_put(body, 3, 0, mask);
	world_put(body, 12, 8, WORLD_LR | WORLD_LW | WORLD_RW);
	world_put(body, 13, 0, 0xffffff00);
	world_put(body, 15, 0, pdn);
	world_put(body, 26, 0, 12);
	for (i = 0; i < 8; i++)
		world_put_bus(body, 28 + i * 2u, first + 4096 * i);
	world_post(qp, OP_UMR, CE, key, body, 11);
	world_ring(qp);
}

static void
kernel_changes_pages_and_pd_of_a_region(void **state)
{
	struct pair *p = *state;
	uint32_t key = region_create(&p->w, 1, WORLD_LR | WORLD_LW), pdn;
	struct world_qp umr;

	umr_qp_create(&p->w, 1, &umr);
	expect_write(p, p->w.mem_key[1], 0, 0);
	/* Other pages, and the right to write remotely. */
	post_pages(&umr, key, MASK_PAGE_SIZE | MASK_ACCESS, 0, p->w.mem + 65536);
	expect_status(p, &umr, 0);
	memset(p->w.mem + WORLD_MEM / 2, 0x3c, 64);
	expect_write(p, key, 0, 0);
	assert_int_equal(p->w.mem[65536], 0x3c);
	/* Into another PD: the queue pair of the old one loses it. */
	assert_int_equal(world_cmd(p->b.hca, 0x800, 0, &pdn), 0);
	post_pages(&umr, key, MASK_PD, pdn, p->w.mem);
	expect_status(p, &umr, 0);
	assert_int_equal(world_cmd(p->b.hca, 0x801, pdn, NULL), 0x06);
	expect_write(p, key, 0, MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR);
	world_qp_destroy(&umr);
}

static void
user_cannot_write_page_addresses(void **state)
{
	struct pair *p = *state;
	uint32_t key = region_create(&p->w, 1, WORLD_LR | WORLD_LW);

	post_pages(&p->b, key, MASK_ACCESS, 0, p->w.mem);
	expect_status(p, &p->b, MLX5_CQE_SYNDROME_MW_BIND_ERR);
}

static void
user_cannot_move_a_key_to_another_pd(void **state)
{
	struct pair *p = *state;
	uint32_t key = window_alloc(&p->w, 1, false), pdn;
	struct window win = bind_type2(p, key);

	assert_int_equal(world_cmd(p->b.hca, 0x800, 0, &pdn), 0);
	win.mask |= MASK_PD;	/* the context says PD 0 */
	window_post(&p->b, &win);
	expect_status(p, &p->b, MLX5_CQE_SYNDROME_MW_BIND_ERR);
}

static void
umr_queue_does_nothing_else(void **state)
{
	struct pair *p = *state;
	struct world_qp umr;

	umr_qp_create(&p->w, 1, &umr);
	post_transfer(&umr, OP_WRITE, CE, 0, p->w.mem_key[1], p->w.mem, p->w.mem_key[1], 8);
	world_ring(&umr);
	expect_status(p, &umr, MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR);
	world_qp_destroy(&umr);
}

static void
umr_queue_of_a_user_context_is_rejected(void **state)
{
	struct pair *p = *state;
	uint8_t in[WORLD_BOX];
	uint32_t uid;

	assert_int_equal(world_cmd(p->b.hca, 0xa04, 0, &uid), 0);
	world_qp_box(&p->w, 1, in, &p->b);
	world_put(in, 0, 0, uid);
	world_put(in, 6, 16, ST_REG_UMR);
	assert_int_equal(world_exec(p->b.hca, in, sizeof(in)), 0x03);
}

static void
post_entity(struct world_qp *qp, uint32_t key, uint32_t log_size)
{
	uint8_t body[112] = { 0 };

	body[0] = INLINE;
	world_put(body, 3, 0, MASK_PAGE_SIZE);
	world_put(body, 26, 0, log_size);
	world_post(qp, OP_UMR, CE, key, body, 7);
	world_ring(qp);
}

static void
entity_smaller_than_a_page_is_rejected(void **state)
{
	struct pair *p = *state;
	uint32_t key = region_create(&p->w, 1, WORLD_LR | WORLD_LW);
	struct world_qp umr;

	umr_qp_create(&p->w, 1, &umr);
	post_entity(&umr, key, 11);
	expect_status(p, &umr, MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR);
	world_qp_destroy(&umr);
}

static void
user_cannot_widen_the_pages_of_a_region(void **state)
{
	struct pair *p = *state;
	uint32_t key = region_create(&p->w, 1, WORLD_LR | WORLD_LW);

	post_entity(&p->b, key, 31);
	expect_status(p, &p->b, MLX5_CQE_SYNDROME_MW_BIND_ERR);
}

/* Bits of the mkey mask: rr 19, rw 20. */
static void
post_rights(struct world_qp *qp, uint32_t key, uint8_t fm, uint32_t mask, uint32_t rights)
{
	uint8_t body[112] = { 0 };

	body[0] = INLINE;
	world_put(body, 3, 0, mask);
	world_put(body, 12, 8, rights);
	world_post(qp, OP_UMR, CE | fm, key, body, 7);
	world_ring(qp);
}

/* Memory that was registered for reading is not the user's to write. */
static void
user_cannot_open_a_region(void **state)
{
	struct pair *p = *state;
	uint32_t key = region_create(&p->w, 1, WORLD_LR | WORLD_RR);

	post_rights(&p->b, key, 0, 1u << 19, WORLD_LR | WORLD_RR);
	expect_status(p, &p->b, 0);
	post_rights(&p->b, key, 0, 1u << 19, WORLD_LR);
	expect_status(p, &p->b, 0);
	post_rights(&p->b, key, 0, 1u << 20, WORLD_LR | WORLD_RW);
	expect_status(p, &p->b, MLX5_CQE_SYNDROME_MW_BIND_ERR);
}

/* What the caller may ask of a device: as some adapters are taken to be. */
static void
umr_without_strong_ordering_is_rejected_where_it_is_needed(void **state)
{
	struct swhca_hca_conf conf[2];
	struct pair p = { 0 };
	struct world_qp umr;
	uint32_t key;

	(void)state;
	swhca_log_level = SWHCA_LOG_NONE;
	world_conf(conf);
	conf[1].needs_strong_fence = true;
	world_create_conf(&p.w, conf);
	world_qp_create(&p.w, 0, &p.a);
	world_qp_create(&p.w, 1, &p.b);
	world_qp_connect(&p.w, &p.a, &p.b);
	key = region_create(&p.w, 1, WORLD_LR | WORLD_RR);
	post_rights(&p.b, key, 0x60, 1u << 19, WORLD_LR);
	expect_status(&p, &p.b, 0);
	/* The kernel's own, which has one at a time. */
	umr_qp_create(&p.w, 1, &umr);
	post_rights(&umr, key, 0, 1u << 19, WORLD_LR);
	expect_status(&p, &umr, 0);
	post_rights(&p.b, key, 0x20, 1u << 19, WORLD_LR);
	expect_status(&p, &p.b, MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR);
	world_qp_destroy(&umr);
	world_qp_destroy(&p.a);
	world_qp_destroy(&p.b);
	world_destroy(&p.w);
}

static void
translation_offset_within_a_group_is_rejected(void **state)
{
	struct pair *p = *state;
	uint32_t key = window_alloc(&p->w, 1, false);
	uint8_t body[112] = { 0 };

	body[0] = INLINE | XLT_OFFSET;
	world_put(body, 1, 0, 2);
	world_post(&p->b, OP_UMR, CE, key, body, 7);
	world_ring(&p->b);
	expect_status(p, &p->b, MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR);
}

static void
query_tells_what_a_key_is(void **state)
{
	struct pair *p = *state;
	uint32_t key = window_alloc(&p->w, 1, true), be;
	struct window win = bind_type2(p, key);
	uint8_t in[16] = { 0x02, 0x01 }, out[0x110];

	window_post(&p->b, &win);
	expect_status(p, &p->b, 0);
	world_put(in, 2, 0, key >> 8);
	assert_int_equal(swhca_hca_cmd_exec(p->b.hca, in, sizeof(in), out, sizeof(out)), 0);
	memcpy(&be, out + 0x10, 4);
	/* umr_en, access as bound, local read as created, KLMS; not free any more. */
	assert_int_equal(be32toh(be), 1u << 15 | (uint32_t)(WORLD_RW | WORLD_LR) << 8 | 2u << 8);
	memcpy(&be, out + 0x14, 4);
	assert_int_equal(be32toh(be), p->b.qpn << 8 | 7);
	memcpy(&be, out + 0x1c, 4);
	assert_int_equal(be32toh(be), 1u << 24 | p->w.dev[1].pdn);
	memcpy(&be, out + 0x2c, 4);
	assert_int_equal(be32toh(be), 4096);
}

static void
levels_of_keys_have_a_limit(void **state)
{
	struct pair *p = *state;
	uint32_t keys[6], i;
	struct window win;

	/* Five windows, each over the one before: one more than the device follows. */
	keys[0] = p->w.mem_key[1];
	for (i = 1; i < 6; i++) {
		keys[i] = window_alloc(&p->w, 1, false);
		win = bind_type2(p, keys[i]);
		win.flags = 0;
		win.mask &= ~MASK_QPN;
		win.access = WORLD_LW | WORLD_RW;
		win.mr_key = keys[i - 1];
		keys[i] |= 7;
		window_post(&p->b, &win);
		expect_status(p, &p->b, 0);
	}
	expect_write(p, keys[4], 0, 0);
	expect_write(p, keys[5], 0, MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR);
}

/* The last of them is as deep as the first. */
static void
keys_side_by_side_are_one_level(void **state)
{
	struct pair *p = *state;
	uint32_t top = window_alloc(&p->w, 1, false), key, i;
	uint8_t body[176] = { 0 };
	struct window win, all = bind_type2(p, top);

	all.flags = 0;
	all.mask &= ~MASK_QPN;
	all.access = WORLD_LW | WORLD_RW;
	win = all;
	all.len = 64;
	window_body(body, &all);
	memset(&body[112], 0, 64);	/* its four entries */
	for (i = 0; i < 4; i++) {
		key = window_alloc(&p->w, 1, false);
		win.key = key;
		window_post(&p->b, &win);
		expect_status(p, &p->b, 0);
		world_put(body, 28 + 4 * i, 0, 16);
		world_put(body, 29 + 4 * i, 0, key | 7);
		world_put(body, 30 + 4 * i, 0, (uint32_t)((uintptr_t)p->w.mem >> 32));
		world_put(body, 31 + 4 * i, 0, (uint32_t)(uintptr_t)p->w.mem);
	}
	world_post(&p->b, OP_UMR, CE | FENCE, top, body, 11);
	world_ring(&p->b);
	expect_status(p, &p->b, 0);
	expect_write(p, top | 7, 0, 0);
}

/* A list that the WQE points to begins at a multiple of 2 KiB (DPDK: MLX5_UMR_KLM_PTR_ALIGN). */
static void
list_in_memory_is_aligned(void **state)
{
	struct pair *p = *state;
	struct window win = bind_type2(p, window_alloc(&p->w, 1, false));
	uint8_t body[176] = { 0 }, *list = p->w.mem + 2 * 4096;

	list += 2048 - (uintptr_t)list % 2048;
	win.flags = 0;
	win.mask &= ~MASK_QPN;
	window_body(body, &win);
	body[0] &= (uint8_t)~INLINE;
	memcpy(list, &body[112], 64);
	memcpy(list + 1024, &body[112], 64);
	memset(&body[112], 0, 64);
	world_put(body, 28, 0, 64);
	world_put(body, 29, 0, p->w.mem_key[1]);
	world_put(body, 30, 0, (uint32_t)((uintptr_t)list >> 32));
	world_put(body, 31, 0, (uint32_t)(uintptr_t)list);
	world_post(&p->b, OP_UMR, CE | FENCE, win.key, body, 8);
	world_ring(&p->b);
	expect_status(p, &p->b, 0);
	world_put(body, 31, 0, (uint32_t)(uintptr_t)(list + 1024));
	world_post(&p->b, OP_UMR, CE | FENCE, win.key, body, 8);
	world_ring(&p->b);
	expect_status(p, &p->b, MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR);
}

static void
right_that_is_taken_away_is_gone(void **state)
{
	struct pair *p = *state;
	struct window win = bind_type2(p, window_alloc(&p->w, 1, false));

	win.flags = 0;
	win.mask &= ~MASK_QPN;
	window_post(&p->b, &win);
	expect_status(p, &p->b, 0);
	expect_write(p, win.key | 7, 0, 0);
	win.access = WORLD_RR;
	window_post(&p->b, &win);
	expect_status(p, &p->b, 0);
	expect_write(p, win.key | 7, 0, MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(bound_window_lets_its_queue_write),
		CASE(window_bound_to_another_queue_is_rejected),
		CASE(second_bind_of_a_type_2_window_is_rejected),
		CASE(type_1_window_is_bound_anew_without_invalidation),
		CASE(invalidated_window_is_rejected),
		CASE(window_of_another_queue_cannot_be_invalidated),
		CASE(write_through_a_window_needs_a_region_that_may_be_written),
		CASE(remote_invalidation_follows_its_rules),
		CASE(kernel_changes_pages_and_pd_of_a_region),
		CASE(user_cannot_write_page_addresses),
		CASE(user_cannot_move_a_key_to_another_pd),
		CASE(umr_queue_does_nothing_else),
		CASE(umr_queue_of_a_user_context_is_rejected),
		CASE(entity_smaller_than_a_page_is_rejected),
		CASE(user_cannot_widen_the_pages_of_a_region),
		CASE(user_cannot_open_a_region),
		cmocka_unit_test(umr_without_strong_ordering_is_rejected_where_it_is_needed),
		CASE(translation_offset_within_a_group_is_rejected),
		CASE(query_tells_what_a_key_is),
		CASE(levels_of_keys_have_a_limit),
		CASE(keys_side_by_side_are_one_level),
		CASE(list_in_memory_is_aligned),
		CASE(right_that_is_taken_away_is_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
