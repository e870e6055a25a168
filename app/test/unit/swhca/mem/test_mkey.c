/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* What contradicts itself: keys larger than their translation, changed below their page maps. */

#include <errno.h>

#include "pair.h"

#define PAGE		4096u
#define NULL_KEY	0x200u
#define OP_LOCAL_INVAL	0x1b

static uint32_t
create(struct swhca_hca *hca, const uint8_t *in, size_t len)
{
	uint8_t out[16];
	uint32_t be;

	assert_int_equal(swhca_hca_cmd_exec(hca, in, len, out, sizeof(out)), 0);
	memcpy(&be, out + 8, 4);
	return be32toh(be) << 8;
}

/* The first dwords of a key whose pages come on demand. */
static void
paged_box(struct world *w, uint8_t *in, uint32_t mode, uint32_t log_page)
{
	world_put(in, 0, 16, 0x200);
	world_put(in, 3, 31, 1);		/* pg_access */
	world_put(in, 4, 15, 1);		/* umr_en */
	world_put(in, 4, 8, mode | WORLD_LR | WORLD_LW);
	world_put(in, 5, 0, 0xffffff00);
	world_put(in, 7, 0, w->dev[0].pdn);
	world_put(in, 17, 0, 1);
	world_put(in, 18, 0, log_page);
	world_put(in, 24, 0, 1);
}

/* Places for two pages, and a length of many. */
static uint32_t
short_explicit_key(struct world *w)
{
	uint8_t in[WORLD_BOX + 16] = { 0 };

	paged_box(w, in, 0x1, 12);
	world_put(in, 8, 0, (uint32_t)((uintptr_t)w->mem >> 32));
	world_put(in, 9, 0, (uint32_t)(uintptr_t)w->mem);
	world_put(in, 11, 0, WORLD_MEM);
	world_put_bus(in, 68, w->mem);
	world_put_bus(in, 70, w->mem + PAGE);
	return create(w->dev[0].hca, in, sizeof(in));
}

/* One entry of 8 KiB for nothing, and a length of many. */
static uint32_t
short_implicit_key(struct world *w)
{
	uint8_t in[WORLD_BOX + 16] = { 0 };

	paged_box(w, in, 0x3, 13);
	world_put(in, 11, 0, WORLD_MEM);
	world_put(in, 69, 0, NULL_KEY);
	return create(w->dev[0].hca, in, sizeof(in));
}

static void
prefetch_ends_where_the_translation_ends(void **state)
{
	struct pair *p = *state;
	uint64_t mem = (uintptr_t)p->w.mem;
	struct swhca_hca *hca = p->a.hca;
	uint32_t key = short_explicit_key(&p->w);

	assert_int_equal(swhca_hca_pages_prefetch(hca, key, mem, 2 * PAGE, SWHCA_PREFETCH_WRITE),
			 0);
	assert_int_equal(swhca_hca_pages_prefetch(hca, key, mem + 2 * PAGE, 1,
						  SWHCA_PREFETCH_WRITE), -EFAULT);
	assert_int_equal(swhca_hca_pages_prefetch(hca, key, mem + WORLD_MEM - 1, 1,
						  SWHCA_PREFETCH_READ), -EFAULT);
	key = short_implicit_key(&p->w);
	assert_int_equal(swhca_hca_pages_prefetch(hca, key, 2 * PAGE, 1, SWHCA_PREFETCH_READ),
			 -EFAULT);
	assert_int_equal(swhca_hca_pages_prefetch(hca, key, WORLD_MEM - 1, 1,
						  SWHCA_PREFETCH_WRITE), -EFAULT);
}

/* The map of its pages is as large as its entries were when it was created. */
static void
umr_cannot_resize_entries_of_a_paged_key(void **state)
{
	struct pair *p = *state;
	uint32_t key = short_implicit_key(&p->w);
	uint8_t body[48 + 64] = { 0 };
	uint64_t mask = htobe64(1u << 1);

	memcpy(body + 8, &mask, 8);
	world_put(body + 48, 14, 0, 30);
	world_post(&p->a, OP_UMR, CE, key, body, sizeof(body) / 16);
	world_ring(&p->a);
	world_run(&p->w);
	expect_error(world_send_cqe(&p->a), MLX5_CQE_REQ_ERR, MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR);
	/* An access of that page would be far outside of the map. */
	assert_int_equal(swhca_hca_pages_prefetch(p->a.hca, key, 100 * PAGE, 1,
						  SWHCA_PREFETCH_WRITE), -EFAULT);
}

/* The key as a UMR leaves it: valid, of its QP or of any. */
static uint32_t
valid_key(struct pair *p, uint32_t qpn)
{
	uint8_t body[48 + 64] = { 0 };
	uint32_t key = world_klm_key(&p->w, 0, 4);
	uint64_t mask = htobe64(UINT64_C(1) << 29 | UINT64_C(1) << 14);	/* free, qpn */

	memcpy(body + 8, &mask, 8);
	world_put(body + 48, 1, 8, qpn);
	world_post(&p->a, OP_UMR, 0, key, body, sizeof(body) / 16);
	return key;
}

static void
local_invalidate_checks_the_key(void **state)
{
	struct pair *p = *state;
	uint32_t key = valid_key(p, p->a.qpn);

	world_post(&p->a, OP_LOCAL_INVAL, CE | FENCE, key, NULL, 0);
	world_ring(&p->a);
	world_run(&p->w);
	expect_done(world_send_cqe(&p->a), p->a.last);
	/* Now it is free. */
	world_post(&p->a, OP_LOCAL_INVAL, CE, key, NULL, 0);
	world_ring(&p->a);
	world_run(&p->w);
	expect_error(world_send_cqe(&p->a), MLX5_CQE_REQ_ERR, MLX5_CQE_SYNDROME_MW_BIND_ERR);
}

static void
local_invalidate_of_the_key_of_another_queue_is_rejected(void **state)
{
	struct pair *p = *state;
	uint32_t key = valid_key(p, p->a.qpn + 1);

	world_post(&p->a, OP_LOCAL_INVAL, CE | FENCE, key, NULL, 0);
	world_ring(&p->a);
	world_run(&p->w);
	expect_error(world_send_cqe(&p->a), MLX5_CQE_REQ_ERR, MLX5_CQE_SYNDROME_MW_BIND_ERR);
}

static void
user_cannot_destroy_what_is_not_its_own(void **state)
{
	struct pair *p = *state;
	struct swhca_hca *hca = p->a.hca;
	uint32_t uids[2], kernel, own, num;

	assert_int_equal(world_cmd(hca, 0xa04, 0, &uids[0]), 0);
	assert_int_equal(world_cmd(hca, 0xa04, 0, &uids[1]), 0);
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

static void
user_cannot_name_objects_of_the_kernel(void **state)
{
	struct pair *p = *state;
	struct swhca_hca *hca = p->a.hca;
	uint8_t in[WORLD_BOX] = { 0 };
	uint32_t uid;

	assert_int_equal(world_cmd(hca, 0xa04, 0, &uid), 0);
	assert_int_equal(world_user_cmd(hca, 0x507, uid, p->a.qpn, NULL), 0x05);	/* 2ERR */
	assert_int_equal(world_qp_state(&p->a), 3);
	/* A key in the kernel's PD; the answer is that of a PD that is not there. */
	world_put(in, 0, 16, 0x200);
	world_put(in, 0, 0, uid);
	world_put(in, 4, 8, 0x2 | WORLD_LR);		/* KLMs */
	world_put(in, 5, 0, 0xffffff00);
	world_put(in, 7, 0, p->w.dev[0].pdn);
	world_put(in, 17, 0, 4);
	assert_int_equal(world_exec(hca, in, sizeof(in)), 0x05);
	/* Nor its memory: a CQ in the umem of another, at an EQ that all may use. */
	memset(in, 0, sizeof(in));
	world_cq_box(&p->w, 0, in, p->a.umem, WORLD_SCQ_OFF, WORLD_DBR_OFF);
	world_put(in, 0, 0, uid);
	assert_int_equal(world_exec(hca, in, sizeof(in)), 0x05);
}

static void
user_context_outlives_its_objects(void **state)
{
	struct pair *p = *state;
	struct swhca_hca *hca = p->a.hca;
	uint32_t uid, pdn;

	assert_int_equal(world_cmd(hca, 0xa04, 0, &uid), 0);
	assert_int_equal(world_user_cmd(hca, 0x800, uid, 0, &pdn), 0);
	/* Else the next context would get the uid, and the object with it. */
	assert_int_equal(world_cmd(hca, 0xa06, uid, NULL), 0x06);
	assert_int_equal(world_user_cmd(hca, 0x801, uid, pdn, NULL), 0);
	assert_int_equal(world_cmd(hca, 0xa06, uid, NULL), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(prefetch_ends_where_the_translation_ends),
		CASE(umr_cannot_resize_entries_of_a_paged_key),
		CASE(local_invalidate_checks_the_key),
		CASE(user_cannot_destroy_what_is_not_its_own),
		CASE(user_cannot_name_objects_of_the_kernel),
		CASE(user_context_outlives_its_objects),
		CASE(local_invalidate_of_the_key_of_another_queue_is_rejected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
