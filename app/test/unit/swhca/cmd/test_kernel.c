/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * What unmodified drivers rely on and our own programs do without: Linux' mlx5_core and mlx5_ib,
 * SPDK's lib/mlx5.
 */

#include "types.h"

#define DESTROY_EQ	0x302
#define CREATE_CQ	0x400
#define ALLOC_PD	0x800
#define DEALLOC_PD	0x801
#define CREATE_UCTX	0xa04
#define BAD_RES		0x05

/* MLX5_SHARED_RESOURCE_UID */
#define UID_SHARED	0xffffu

/* mlx5_qp_get_port_pkey_idx() of SPDK asks a queue pair that it has just created. */
PAIR_CASE(queue_pair_in_reset_has_port_1)
{
	struct world_qp qp;

	world_qp_create(&p->w, 0, &qp);
	/* ads.vhca_port_num of the primary path, at dword 6 of the context. */
	assert_int_equal(type_query_qp(&qp, 6 + 9) >> 16 & 0xff, 1);
	world_qp_destroy(&qp);
}

/* A write of 8 bytes through a key. */
static void
post_write(struct pair *p, uint32_t key, uint64_t addr)
{
	post_transfer(&p->a, OP_WRITE, CE | FENCE, (uintptr_t)p->w.mem + 4096, p->w.mem_key[1],
		      (void *)(uintptr_t)addr, key, 8);
}

/* Linux pads to MLX5_UMR_FLEX_ALIGNMENT, and creates keys for as many entries as there are. */
PAIR_CASE(umr_may_fill_the_last_group_of_a_key)
{
	const struct world_klm klm = { 64, p->w.mem_key[0], (uintptr_t)p->w.mem };
	struct world_klm klms[8] = { { 0 } };
	uint32_t key, nb;

	fill(p->w.mem, 64);
	for (nb = 1; nb <= 5; nb++) {
		key = world_klm_key(&p->w, 0, nb);
		klms[nb - 1] = klm;
		post_umr(p, key, ALL_ACCESS, 64, klms, nb);
		memset(p->w.mem + 4096, 0, 8);
		post_write(p, key, 8);
		expect_run(p, &p->a, 0);
		assert_memory_equal(p->w.mem + 4096, p->w.mem + 8, 8);
		memset(klms, 0, sizeof(klms));
	}
}

/* What is behind the entries that the key was created for is room, and no entry. */
PAIR_CASE(padding_of_a_key_is_not_followed)
{
	const struct world_klm klm = { 64, p->w.mem_key[0], (uintptr_t)p->w.mem };
	const struct world_klm klms[2] = { klm, klm };
	uint32_t key = world_klm_key(&p->w, 0, 1);

	post_umr(p, key, ALL_ACCESS, 128, klms, 2);
	post_write(p, key, 64);
	expect_run(p, &p->a, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
}

PAIR_CASE(umr_beyond_the_last_group_is_rejected)
{
	const struct world_klm klms[5] = { { 0 } };
	uint32_t key = world_klm_key(&p->w, 0, 3);

	post_umr(p, key, ALL_ACCESS, 8, klms, 5);
	expect_run(p, &p->a, MLX5_CQE_SYNDROME_MW_BIND_ERR);
}

static uint32_t
eq_create(struct world *w, uint32_t uid, const uint8_t *ring)
{
	uint8_t in[WORLD_EQ_BOX];

	world_eq_box(&w->dev[0], in, 6, ring);
	world_put(in, 0, 0, uid);
	return world_exec_create(w->dev[0].hca, in, sizeof(in));
}

/* A CQ of a user context, with its events on that EQ; its ring and record are in no umem. */
static uint8_t
cq_create(struct world *w, uint32_t uid, uint32_t eqn, const uint8_t *ring)
{
	uint8_t in[0x118] = { 0 };

	world_put(in, 0, 16, CREATE_CQ);
	world_put(in, 0, 0, uid);
	world_put(in, 7, 24, 5);	/* log_cq_size */
	world_put(in, 7, 0, w->dev[0].uarn);
	world_put(in, 9, 0, eqn);
	world_put_bus(in, 18, ring + 4088);
	world_put_bus(in, 68, ring);
	return world_exec(w->dev[0].hca, in, sizeof(in));
}

/*
 * mlx5_core creates event queues of completions with the shared uid (create_map_eq()), so that
 * those of DevX users may name them.
 */
PAIR_CASE(users_may_name_what_is_shared)
{
	struct swhca_hca *hca = p->w.dev[0].hca;
	uint8_t *ring = p->w.mem + 65536;
	uint32_t eqn, pdn, uid, num;

	uid = world_alloc(hca, CREATE_UCTX);
	eqn = eq_create(&p->w, UID_SHARED, ring);
	assert_int_equal(cq_create(&p->w, uid, eqn, ring + 8192), 0);
	/* Objects of any other kind, too: the key that a user makes in a shared PD. */
	assert_int_equal(world_user_cmd(hca, ALLOC_PD, UID_SHARED, 0, &pdn), 0);
	assert_int_equal(world_user_cmd(hca, DEALLOC_PD, uid, pdn, &num), BAD_RES);
	/* Shared is not given away. */
	assert_int_equal(world_user_cmd(hca, DESTROY_EQ, uid, eqn, &num), BAD_RES);
	assert_int_equal(world_user_cmd(hca, DEALLOC_PD, UID_SHARED, pdn, &num), 0);
}

/* A queue pair by which the kernel registers memory (create_kernel_qp()): it has no PD. */
static void
umr_qp_create(struct pair *p, struct world_qp *qp)
{
	uint8_t in[WORLD_BOX];

	world_qp_create(&p->w, 0, qp);
	world_qp_box(&p->w, 0, in, qp);
	memset(in + 29, 0, 3);
	world_put(in, 6, 16, ST_REG_UMR);
	assert_int_equal(world_qp_replace(qp, in), 0);
	world_qp_to_rts(qp, qp->qpn, 1, 0);
}

/* Its list is behind a key of a PD that the kernel has, the key that it rewrites of a user's. */
PAIR_CASE(umr_of_the_kernel_reads_lists_of_any_pd)
{
	const uint32_t list_at = 8192;
	const struct world_klm klms[4] = { { 64, p->w.mem_key[0], (uintptr_t)p->w.mem } };
	uint32_t key = world_klm_key(&p->w, 0, 1);
	uint8_t body[112 + 64];
	struct world_qp qp;

	umr_qp_create(p, &qp);
	fill(p->w.mem, 64);
	world_umr_list(body, key, ALL_ACCESS, 64, klms, 4);
	memcpy(p->w.mem + list_at, body + 112, 64);
	body[0] = 0;			/* not inline */
	memset(body + 112, 0, 16);
	world_put(body, 28, 0, 64);
	world_put(body, 29, 0, p->w.mem_key[0]);
	world_put64(body, 30, (uintptr_t)(p->w.mem + list_at));
	world_post(&qp, OP_UMR, CE, key, body, 8);
	expect_run(p, &qp, 0);
	post_write(p, key, 8);
	expect_run(p, &p->a, 0);
	assert_memory_equal(p->w.mem + 4096, p->w.mem + 8, 8);
	/* But it moves nobody's data: no key is in its PD. */
	post_transfer(&qp, OP_WRITE, CE, (uintptr_t)p->w.mem + 4096, p->w.mem_key[1], p->w.mem,
		      p->w.mem_key[0], 8);
	ring_run(p, &qp);
	assert_int_equal(world_send_cqe(&qp)->op_own >> 4, MLX5_CQE_REQ_ERR);
	world_qp_destroy(&qp);
}

/* At its page, as eq_update_ci() of mlx5_core writes it. */
static void
eq_doorbell(struct world_dev *dev, uint32_t eqn, uint32_t ci, bool arm)
{
	uint64_t page = (uint64_t)dev->eq_uarn * SWHCA_UAR_SIZE;
	uint32_t be = htobe32(eqn << 24 | ci);

	swhca_hca_uar_store(dev->hca, page + (arm ? 0x40 : 0x48), &be, sizeof(be));
}

/*
 * mlx5_core has all of its event queues ring at one page. Whoever arms the second of them must not
 * undo what armed the first, though nobody has looked at the register yet.
 */
CASES(doorbells_of_event_queues_count_one_by_one)
{
	struct pair *p = next_case(state, "one page");
	struct world_dev *dev = &p->w.dev[0];
	uint32_t eqn = eq_create(&p->w, 0, p->w.mem + 65536);

	world_eq_ring(&p->w, 0, true);
	world_store(dev->bar + (size_t)dev->eq_uarn * SWHCA_UAR_SIZE + 0x40, eqn << 24);
	world_run(&p->w);
	swhca_hca_port_set(dev->hca, false);
	assert_non_null(world_eqe(&p->w, 0));
	assert_true(dev->nb_interrupts > 0);

	/* Where a front end sees the stores, each of them counts and no more. */
	p = next_case(state, "stores that are seen");
	dev = &p->w.dev[0];
	eq_doorbell(dev, dev->eqn, 0, true);
	eq_doorbell(dev, eq_create(&p->w, 0, p->w.mem + 65536), 0, true);
	swhca_hca_port_set(dev->hca, false);
	assert_int_equal(dev->nb_interrupts, 1);
	swhca_hca_port_set(dev->hca, true);
	assert_int_equal(dev->nb_interrupts, 1);
	/* Only one of two events is taken. */
	eq_doorbell(dev, dev->eqn, 1, false);
	assert_int_equal(dev->nb_interrupts, 1);
	eq_doorbell(dev, dev->eqn, 1, true);
	assert_int_equal(dev->nb_interrupts, 2);
}

/* As set_reg_wr() of mlx5_ib: 8 pages, written inline to a key of pages. */
static const struct mlx5_cqe64 *
pages_written(struct pair *p)
{
	uint8_t in[WORLD_BOX], body[176] = { 0x80 };	/* inline */

	world_mkey_box(&p->w, 0, in, WORLD_LR | WORLD_MTT | WORLD_UMR_EN);
	world_put(in, 11, 0, 8 * 4096);
	world_put(in, 17, 0, 4);
	world_put(in, 18, 0, 12);
	world_put(body, 1, 16, 4);
	for (unsigned int i = 0; i < 8; i++)
		world_put_bus(body, 28 + i * 2, p->w.mem + (size_t)i * 4096);
	world_post(&p->a, OP_UMR, CE, world_exec_create(p->a.hca, in, sizeof(in)) << 8, body, 11);
	ring_run(p, &p->a);
	return world_send_cqe(&p->a);
}

/*
 * Contexts without DevX have uid 0, too: what makes a queue one of the kernel's clients (NVMe, say)
 * is that it may send fast registrations.
 */
CASE(only_queues_of_the_kernel_write_page_addresses)
{
	struct swhca_hca_conf conf[2];
	uint8_t in[WORLD_BOX];
	struct pair *p;

	world_conf(conf);
	conf[0].has_driver = conf[1].has_driver = true;
	for (int fre = 1; fre >= 0; fre--) {
		p = pair_create(sizeof(*p), conf);
		world_qp_box(&p->w, 0, in, &p->a);
		world_put(in, 6 + 28, 11, (uint32_t)fre);
		assert_int_equal(world_qp_replace(&p->a, in), 0);
		world_qp_to_rts(&p->a, p->b.qpn, 2, 3);
		if (fre == 1)
			expect_done(pages_written(p), 0);
		else
			expect_error(pages_written(p), MLX5_CQE_REQ_ERR,
				     MLX5_CQE_SYNDROME_MW_BIND_ERR);
		pair_destroy(p);
	}
}
