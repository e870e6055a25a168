/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* What contradicts itself: keys larger than their translation, changed below their page maps. */

#include "mem/mkey.h"
#include "object/hca_state.h"
#include "pair.h"

#define PAGE		4096u
#define NULL_KEY	0x200u
#define OP_LOCAL_INVAL	0x1b

static struct pair *p;	/* of the case */

static int
pair_setup(void **state)
{
	setup(state);
	p = *state;
	return 0;
}

/* The first dwords of a key whose pages come on demand. */
static void
paged_box(struct world *w, uint8_t *in, uint32_t mode, uint32_t log_page)
{
	memset(in, 0, WORLD_BOX + 16);
	world_mkey_box(w, 0, in, WORLD_UMR_EN | WORLD_LR | WORLD_LW | mode);
	world_put(in, 3, 31, 1);		/* pg_access */
	world_put(in, 11, 0, WORLD_MEM);
	world_put(in, 17, 0, 1);
	world_put(in, 18, 0, log_page);
	world_put(in, 24, 0, 1);
}

/* Places for two pages, and a length of many. */
static uint32_t
short_explicit_key(struct world *w)
{
	uint8_t in[WORLD_BOX + 16];

	paged_box(w, in, WORLD_MTT, 12);
	world_put64(in, 8, (uintptr_t)w->mem);
	world_put_bus(in, 68, w->mem);
	world_put_bus(in, 70, w->mem + PAGE);
	return world_exec_create(w->dev[0].hca, in, sizeof(in)) << 8;
}

/* One entry of 8 KiB for nothing, and a length of many. */
static uint32_t
short_implicit_key(struct world *w)
{
	uint8_t in[WORLD_BOX + 16];

	paged_box(w, in, 0x3, 13);
	world_put(in, 69, 0, NULL_KEY);
	return world_exec_create(w->dev[0].hca, in, sizeof(in)) << 8;
}

CASE_WITH(prefetch_ends_where_the_translation_ends, pair_setup, teardown)
{
	const uint64_t mem = (uintptr_t)p->w.mem;
	const uint32_t by_pages = short_explicit_key(&p->w), by_entry = short_implicit_key(&p->w);
	const struct {
		uint32_t key;
		uint64_t addr, len;
		enum swhca_prefetch how;
		int ret;
	} rows[] = {
		{ by_pages, mem, 2 * PAGE, SWHCA_PREFETCH_WRITE, 0 },
		{ by_pages, mem + 2 * PAGE, 1, SWHCA_PREFETCH_WRITE, -EFAULT },
		{ by_pages, mem + WORLD_MEM - 1, 1, SWHCA_PREFETCH_READ, -EFAULT },
		{ by_entry, 2 * PAGE, 1, SWHCA_PREFETCH_READ, -EFAULT },
		{ by_entry, WORLD_MEM - 1, 1, SWHCA_PREFETCH_WRITE, -EFAULT },
	};

	for (size_t i = 0; i < NB_OF(rows); i++)
		row_check_at(i, swhca_hca_pages_prefetch(p->a.hca, rows[i].key, rows[i].addr,
							 rows[i].len, rows[i].how), rows[i].ret);
}

static enum swhca_fault
need_fault(uint32_t key, uint64_t addr, uint64_t len, uint8_t need)
{
	const struct swhca_access access = { .key = key, .addr = addr, .len = len, .need = need,
					     .pd = p->w.dev[0].pdn, .qpn = p->a.qpn };
	struct swhca_spans *spans = &p->a.hca->fabric->local;

	swhca_spans_reset(spans);
	return swhca_mkey_translate(p->a.hca, &access, spans);
}

static enum swhca_fault
len_fault(uint32_t key, uint64_t addr, uint64_t len)
{
	return need_fault(key, addr, len, SWHCA_ACCESS_LOCAL_READ);
}

static enum swhca_fault
read_fault(uint32_t key, uint64_t addr)
{
	return len_fault(key, addr, 16);
}

/* Whatever its length says: behind the last entry there is memory of the device. */
CASE_WITH(access_ends_where_the_translation_ends, pair_setup, teardown)
{
	uint64_t mem = (uintptr_t)p->w.mem;
	uint32_t key = short_explicit_key(&p->w);

	assert_int_equal(read_fault(key, mem + 2 * PAGE - 16), SWHCA_FAULT_NONE);
	assert_int_equal(read_fault(key, mem + 2 * PAGE - 15), SWHCA_FAULT_BOUNDS);
	assert_int_equal(read_fault(key, mem + 2 * PAGE), SWHCA_FAULT_BOUNDS);
	key = short_implicit_key(&p->w);
	assert_int_equal(read_fault(key, 2 * PAGE), SWHCA_FAULT_BOUNDS);
}

/* A key of all addresses, as kernels have one: PRM, mkc.length64. */
CASE_WITH(access_ends_where_addresses_end, pair_setup, teardown)
{
	uint8_t in[WORLD_BOX] = { 0 };
	uint32_t key;

	world_mkey_box(&p->w, 0, in, WORLD_LR | WORLD_LW);	/* physical addresses */
	world_put(in, 7, 31, 1);				/* length64 */
	key = world_exec_create(p->a.hca, in, sizeof(in)) << 8;
	assert_int_equal(read_fault(key, 0), SWHCA_FAULT_NONE);
	assert_int_equal(read_fault(key, UINT64_MAX - 16), SWHCA_FAULT_NONE);
	assert_int_equal(read_fault(key, UINT64_MAX - 14), SWHCA_FAULT_BOUNDS);
	assert_int_equal(read_fault(key, UINT64_MAX), SWHCA_FAULT_BOUNDS);
	assert_int_equal(len_fault(key, 1, UINT64_MAX), SWHCA_FAULT_BOUNDS);
}

/* Its last byte is within a page. */
CASE_WITH(access_ends_with_the_key, pair_setup, teardown)
{
	const uint64_t mem = (uintptr_t)p->w.mem + 8;
	uint32_t key = world_mtt_key(&p->w, 0, p->w.mem + 8, 100, WORLD_LR);

	assert_int_equal(len_fault(key, mem, 100), SWHCA_FAULT_NONE);
	assert_int_equal(len_fault(key, mem, 101), SWHCA_FAULT_BOUNDS);
	assert_int_equal(len_fault(key, mem + 99, 1), SWHCA_FAULT_NONE);
	assert_int_equal(len_fault(key, mem + 99, 2), SWHCA_FAULT_BOUNDS);
	assert_int_equal(len_fault(key, mem + 100, 1), SWHCA_FAULT_BOUNDS);
	assert_int_equal(len_fault(key, mem - 1, 1), SWHCA_FAULT_BOUNDS);
}

CASE_WITH(every_right_that_is_needed_is_asked_for, pair_setup, teardown)
{
	uint32_t key;

	for (uint8_t has = 0; has < 16; has++) {
		key = world_mtt_key(&p->w, 0, p->w.mem, PAGE, (uint8_t)(has << 2));
		for (uint8_t need = 1; need < 16; need++)
			assert_int_equal(
				need_fault(key, (uintptr_t)p->w.mem, 8,
					   (need & 1 ? SWHCA_ACCESS_LOCAL_READ : 0) |
					   (need & 2 ? SWHCA_ACCESS_LOCAL_WRITE : 0) |
					   (need & 4 ? SWHCA_ACCESS_REMOTE_READ : 0) |
					   (need & 8 ? SWHCA_ACCESS_REMOTE_WRITE : 0)),
				(has & need) == need ? SWHCA_FAULT_NONE : SWHCA_FAULT_ACCESS);
	}
}

/* Change what the mask says to zeros, but for one dword of the context. */
static void
post_umr_mask(uint8_t flags, uint32_t key, uint64_t mask, unsigned int dw,
	      uint32_t value)
{
	uint8_t body[48 + 64] = { 0 };

	world_put64(body, 2, mask);
	world_put(body + 48, dw, 0, value);
	world_post(&p->a, OP_UMR, flags, key, body, sizeof(body) / 16);
}

/* A UMR that takes all rights but the first from a key. */
static void
expect_umr_rejected(uint32_t key)
{
	post_umr_mask(CE, key, UINT64_C(0xf) << 18, 0, 0);
	expect_run(p, &p->a, MLX5_CQE_SYNDROME_MW_BIND_ERR);
}

CASE_WITH(umr_needs_a_key_that_was_made_for_it, pair_setup, teardown)
{
	expect_umr_rejected(p->w.mem_key[0]);
	assert_int_equal(len_fault(p->w.mem_key[0], (uintptr_t)p->w.mem, 1), SWHCA_FAULT_NONE);
}

CASE_WITH(umr_needs_a_key_of_its_pd, pair_setup, teardown)
{
	uint32_t own = p->w.dev[0].pdn, key;

	p->w.dev[0].pdn = world_alloc(p->a.hca, 0x800);
	key = world_klm_key(&p->w, 0, 4);
	p->w.dev[0].pdn = own;
	expect_umr_rejected(key);
}

/* Whoever writes through a list writes to what is below it. */
CASE_WITH(rights_are_asked_for_below_a_list, pair_setup, teardown)
{
	const uint32_t key = world_klm_key(&p->w, 0, 4);
	const struct world_klm klm = {
		PAGE, world_mtt_key(&p->w, 0, p->w.mem, PAGE, WORLD_LR), (uintptr_t)p->w.mem,
	};

	post_umr(p, key, ALL_ACCESS, PAGE, &klm, 1);
	ring_run(p, &p->a);
	assert_int_equal(need_fault(key, 0, 8, SWHCA_ACCESS_LOCAL_READ), SWHCA_FAULT_NONE);
	assert_int_equal(need_fault(key, 0, 8, SWHCA_ACCESS_REMOTE_READ), SWHCA_FAULT_NONE);
	assert_int_equal(need_fault(key, 0, 8, SWHCA_ACCESS_LOCAL_WRITE), SWHCA_FAULT_ACCESS);
	assert_int_equal(need_fault(key, 0, 8, SWHCA_ACCESS_REMOTE_WRITE), SWHCA_FAULT_ACCESS);
}

/* One that changes what the device does not know is not done in part. */
CASE_WITH(umr_of_unknown_bits_changes_nothing, pair_setup, teardown)
{
	uint32_t key = world_klm_key(&p->w, 0, 4);

	/* free is known */
	post_umr_mask(CE, key, UINT64_C(1) << 63 | UINT64_C(1) << 29, 0, 0);
	expect_run(p, &p->a, MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR);
	assert_int_equal(len_fault(key, 0, 1), SWHCA_FAULT_FREE);
}

/* The last thing that can be wrong with it: a umem whose last page is before it. */
CASE_WITH(key_that_could_not_be_made_leaves_nothing, pair_setup, teardown)
{
	uint8_t in[WORLD_BOX] = { 0 };
	uint32_t pdn = world_alloc(p->a.hca, 0x800);

	p->w.dev[0].pdn = pdn;
	world_mkey_box(&p->w, 0, in, WORLD_LR | WORLD_MTT);
	world_put(in, 3, 30, 1);			/* mkey_umem_valid */
	world_put(in, 11, 0, 2 * PAGE);
	world_put(in, 17, 0, 1);
	world_put(in, 18, 0, 12);
	world_put(in, 25, 0, p->a.umem);
	world_put(in, 27, 0, WORLD_QP_BYTES);
	assert_int_equal(world_exec(p->a.hca, in, sizeof(in)), 0x03);
	assert_int_equal(world_cmd(p->a.hca, 0x801, pdn, NULL), 0);
}

#define REPEAT_BLOCK	0x400u	/* mlx5dv: the op of mlx5_wqe_umr_repeat_block_seg */
#define NB_ROUNDS	2u
#define PIECE		16u
#define STRIDE		100u

/* Of three pieces, twice, then one more: header and entries have the size of KLMs. */
static uint32_t
repeat_key(uint32_t nb_ent, uint32_t round_len)
{
	const uint64_t mem = (uintptr_t)p->w.mem;
	struct world_klm klms[5] = {
		{ round_len, REPEAT_BLOCK, (uint64_t)NB_ROUNDS << 32 | nb_ent },
	};
	uint32_t key = world_klm_key(&p->w, 0, 8), i;

	for (i = 1; i <= 3; i++)
		klms[i] = (struct world_klm){ STRIDE << 16 | PIECE, p->w.mem_key[0],
					      mem + i * PAGE };
	klms[4] = (struct world_klm){ PIECE, p->w.mem_key[0], mem };
	post_umr(p, key, ALL_ACCESS, 7 * PIECE, klms, 5);
	ring_run(p, &p->a);
	return key;
}

CASE_WITH(repeat_block_ends_where_the_list_ends, pair_setup, teardown)
{
	/* Padding is part of the list, which has no more entries than the key. */
	assert_int_equal(len_fault(repeat_key(7, 3 * PIECE), 0, PIECE), SWHCA_FAULT_NONE);
	assert_int_equal(len_fault(repeat_key(8, 3 * PIECE), 0, PIECE), SWHCA_FAULT_LAYOUT);
	assert_int_equal(len_fault(repeat_key(0xffff, 3 * PIECE), 0, PIECE), SWHCA_FAULT_LAYOUT);
	assert_int_equal(len_fault(repeat_key(0, 3 * PIECE), 0, PIECE), SWHCA_FAULT_LAYOUT);
	assert_int_equal(len_fault(repeat_key(3, 0), 0, PIECE), SWHCA_FAULT_LAYOUT);
}

CASE_WITH(repeat_block_ends_with_its_last_round, pair_setup, teardown)
{
	const struct swhca_span *spans;
	const uint64_t mem = (uintptr_t)p->w.mem;
	uint32_t key = repeat_key(3, 3 * PIECE), i, k;

	/* All from piece i on; then the one behind the block. */
	for (i = 0; i <= 6; i++) {
		assert_int_equal(len_fault(key, i * PIECE, (7 - i) * PIECE), SWHCA_FAULT_NONE);
		assert_int_equal(p->a.hca->fabric->local.nb, 7 - i);
		spans = p->a.hca->fabric->local.list;
		for (k = i; k < 6; k++)
			assert_int_equal(spans[k - i].addr,
					 mem + (k % 3 + 1) * PAGE + k / 3 * STRIDE);
		assert_int_equal(spans[6 - i].addr, mem);
		assert_int_equal(spans[6 - i].len, PIECE);
	}
}

/* A PD can go when the last key in it has gone. */
CASE_WITH(key_lets_go_of_its_pd, pair_setup, teardown)
{
	struct swhca_hca *hca = p->a.hca;
	uint32_t pdn = world_alloc(hca, 0x800), own = p->w.dev[0].pdn, keys[2];

	p->w.dev[0].pdn = pdn;
	keys[0] = world_klm_key(&p->w, 0, 4);
	keys[1] = world_mtt_key(&p->w, 0, p->w.mem, PAGE, WORLD_LR);
	p->w.dev[0].pdn = own;
	assert_int_equal(world_cmd(hca, 0x801, pdn, NULL), 0x06);
	assert_int_equal(world_cmd(hca, 0x202, keys[0] >> 8, NULL), 0);
	assert_int_equal(world_cmd(hca, 0x801, pdn, NULL), 0x06);
	assert_int_equal(world_cmd(hca, 0x202, keys[1] >> 8, NULL), 0);
	assert_int_equal(world_cmd(hca, 0x801, pdn, NULL), 0);
}

CASE_WITH(key_answers_to_one_tag, pair_setup, teardown)
{
	enum swhca_fault fault;

	assert_non_null(swhca_mkey_find(p->a.hca, p->w.mem_key[0], &fault));
	for (uint32_t i = 1; i < 256; i++) {
		fault = SWHCA_FAULT_NONE;
		assert_null(swhca_mkey_find(p->a.hca, p->w.mem_key[0] ^ i, &fault));
		assert_int_equal(fault, SWHCA_FAULT_TAG);
	}
}

/* The map of its pages is as large as its entries were when it was created. */
CASE_WITH(umr_cannot_resize_entries_of_a_paged_key, pair_setup, teardown)
{
	uint32_t key = short_implicit_key(&p->w);

	post_umr_mask(CE, key, 1u << 1, 14, 30);
	expect_run(p, &p->a, MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR);
	/* An access of that page would be far outside of the map. */
	assert_int_equal(swhca_hca_pages_prefetch(p->a.hca, key, 100 * PAGE, 1,
						  SWHCA_PREFETCH_WRITE), -EFAULT);
}

/* The key as a UMR leaves it: valid, of its QP or of any. */
static uint32_t
valid_key(uint32_t qpn)
{
	uint32_t key = world_klm_key(&p->w, 0, 4);

	/* free, qpn */
	post_umr_mask(0, key, UINT64_C(1) << 29 | UINT64_C(1) << 14, 1, qpn << 8);
	return key;
}

CASE_WITH(local_invalidate_checks_the_key, pair_setup, teardown)
{
	uint32_t key = valid_key(p->a.qpn);

	world_post(&p->a, OP_LOCAL_INVAL, CE | FENCE, key, NULL, 0);
	expect_run(p, &p->a, 0);
	/* Now it is free. */
	world_post(&p->a, OP_LOCAL_INVAL, CE, key, NULL, 0);
	expect_run(p, &p->a, MLX5_CQE_SYNDROME_MW_BIND_ERR);
}

CASE_WITH(local_invalidate_of_the_key_of_another_queue_is_rejected, pair_setup, teardown)
{
	uint32_t key = valid_key(p->a.qpn + 1);

	world_post(&p->a, OP_LOCAL_INVAL, CE | FENCE, key, NULL, 0);
	expect_run(p, &p->a, MLX5_CQE_SYNDROME_MW_BIND_ERR);
}

CASE_WITH(user_cannot_destroy_what_is_not_its_own, pair_setup, teardown)
{
	struct swhca_hca *hca = p->a.hca;
	uint32_t uids[2], kernel, own, num;

	uids[0] = world_alloc(hca, 0xa04);
	uids[1] = world_alloc(hca, 0xa04);
	assert_int_equal(world_user_cmd(hca, 0x800, 0, 0, &kernel), 0);
	assert_int_equal(world_user_cmd(hca, 0x800, uids[0], 0, &own), 0);
	assert_int_equal(world_user_cmd(hca, 0x801, uids[0], kernel, &num), 0x05);
	assert_int_equal(world_user_cmd(hca, 0x801, uids[1], own, &num), 0x05);
	assert_int_equal(world_user_cmd(hca, 0x801, uids[0], own, &num), 0);
	assert_int_equal(world_user_cmd(hca, 0x801, 0, kernel, &num), 0);
	/* Nor the context of another. */
	assert_int_equal(world_user_cmd(hca, 0xa06, uids[0], uids[1], &num), 0x05);
	assert_int_equal(world_user_cmd(hca, 0xa06, 0, uids[1], &num), 0);
}

CASE_WITH(user_cannot_name_objects_of_the_kernel, pair_setup, teardown)
{
	struct swhca_hca *hca = p->a.hca;
	uint32_t uid = world_alloc(hca, 0xa04);

	assert_int_equal(world_user_cmd(hca, 0x507, uid, p->a.qpn, NULL), 0x05);	/* 2ERR */
	assert_int_equal(world_qp_state(&p->a), 3);
}

CASE_WITH(user_context_outlives_its_objects, pair_setup, teardown)
{
	struct swhca_hca *hca = p->a.hca;
	uint32_t uid = world_alloc(hca, 0xa04), pdn;

	assert_int_equal(world_user_cmd(hca, 0x800, uid, 0, &pdn), 0);
	/* Else the next context would get the uid, and the object with it. */
	assert_int_equal(world_cmd(hca, 0xa06, uid, NULL), 0x06);
	assert_int_equal(world_user_cmd(hca, 0x801, uid, pdn, NULL), 0);
	assert_int_equal(world_cmd(hca, 0xa06, uid, NULL), 0);
}
