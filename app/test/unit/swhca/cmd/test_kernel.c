/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * What unmodified drivers rely on and our own programs do without: Linux' mlx5_core and mlx5_ib,
 * SPDK's lib/mlx5.
 */

#include "pair.h"

#define CREATE_EQ	0x301
#define DESTROY_EQ	0x302
#define CREATE_CQ	0x400
#define QUERY_QP	0x50b
#define ALLOC_PD	0x800
#define DEALLOC_PD	0x801
#define CREATE_UCTX	0xa04
#define BAD_RES		0x05

/* MLX5_SHARED_RESOURCE_UID */
#define UID_SHARED	0xffffu

/* ads.vhca_port_num of the primary path, at dword 6 of the context. */
static unsigned int
port_of(const struct world_qp *qp)
{
	uint8_t in[16] = { 0 }, out[0x110];

	world_put(in, 0, 16, QUERY_QP);
	world_put(in, 2, 0, qp->qpn);
	assert_int_equal(swhca_hca_cmd_exec(qp->hca, in, sizeof(in), out, sizeof(out)), 0);
	return out[0x18 + (6 + 9) * 4 + 1];
}

/* mlx5_qp_get_port_pkey_idx() of SPDK asks a queue pair that it has just created. */
static void
queue_pair_in_reset_has_port_1(void **state)
{
	struct pair *p = *state;
	struct world_qp qp;

	world_qp_create(&p->w, 0, &qp);
	assert_int_equal(port_of(&qp), 1);
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
static void
umr_may_fill_the_last_group_of_a_key(void **state)
{
	struct pair *p = *state;
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
		world_ring(&p->a);
		world_run(&p->w);
		expect_done(world_send_cqe(&p->a), p->a.last);
		assert_memory_equal(p->w.mem + 4096, p->w.mem + 8, 8);
		memset(klms, 0, sizeof(klms));
	}
}

/* What is behind the entries that the key was created for is room, and no entry. */
static void
padding_of_a_key_is_not_followed(void **state)
{
	struct pair *p = *state;
	const struct world_klm klms[2] = {
		{ 64, p->w.mem_key[0], (uintptr_t)p->w.mem },
		{ 64, p->w.mem_key[0], (uintptr_t)p->w.mem },
	};
	uint32_t key = world_klm_key(&p->w, 0, 1);

	post_umr(p, key, ALL_ACCESS, 128, klms, 2);
	post_write(p, key, 64);
	world_ring(&p->a);
	world_run(&p->w);
	expect_error(world_send_cqe(&p->a), MLX5_CQE_REQ_ERR, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
}

static void
umr_beyond_the_last_group_is_rejected(void **state)
{
	struct pair *p = *state;
	const struct world_klm klms[5] = { { 0 } };
	uint32_t key = world_klm_key(&p->w, 0, 3);

	post_umr(p, key, ALL_ACCESS, 8, klms, 5);
	world_ring(&p->a);
	world_run(&p->w);
	expect_error(world_send_cqe(&p->a), MLX5_CQE_REQ_ERR, MLX5_CQE_SYNDROME_MW_BIND_ERR);
}

static uint32_t
eq_create(struct world *w, uint32_t uid, const uint8_t *ring)
{
	uint8_t in[0x118] = { 0 }, out[16];

	world_put(in, 0, 16, CREATE_EQ);
	world_put(in, 0, 0, uid);
	world_put(in, 7, 24, 6);	/* log_eq_size */
	world_put(in, 7, 0, w->dev[0].eq_uarn);
	world_put(in, 9, 0, 7);
	world_put_bus(in, 68, ring);
	assert_int_equal(swhca_hca_cmd_exec(w->dev[0].hca, in, sizeof(in), out, sizeof(out)), 0);
	return out[11];
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
static void
users_may_name_what_is_shared(void **state)
{
	struct pair *p = *state;
	struct swhca_hca *hca = p->w.dev[0].hca;
	uint8_t *ring = p->w.mem + 65536;
	uint32_t eqn, pdn, uid, num;

	assert_int_equal(world_cmd(hca, CREATE_UCTX, 0, &uid), 0);
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
	uint8_t in[WORLD_BOX], out[16];

	world_qp_create(&p->w, 0, qp);
	assert_int_equal(world_cmd(qp->hca, 0x501, qp->qpn, NULL), 0);
	world_qp_box(&p->w, 0, in, qp);
	memset(in + 29, 0, 3);
	world_put(in, 6, 16, 0xc);
	assert_int_equal(swhca_hca_cmd_exec(qp->hca, in, sizeof(in), out, sizeof(out)), 0);
	qp->qpn = (uint32_t)out[9] << 16 | (uint32_t)out[10] << 8 | out[11];
	world_qp_modify(qp, 0x502, 0, 0, 0);
	world_qp_modify(qp, 0x503, qp->qpn, 1, 0);
	world_qp_modify(qp, 0x504, 0, 0, 0);
}

/* Its list is behind a key of a PD that the kernel has, the key that it rewrites of a user's. */
static void
umr_of_the_kernel_reads_lists_of_any_pd(void **state)
{
	const uint32_t list_at = 8192;
	struct pair *p = *state;
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
	world_put(body, 30, 0, (uint32_t)((uintptr_t)(p->w.mem + list_at) >> 32));
	world_put(body, 31, 0, (uint32_t)(uintptr_t)(p->w.mem + list_at));
	world_post(&qp, OP_UMR, CE, key, body, 8);
	world_ring(&qp);
	world_run(&p->w);
	expect_done(world_send_cqe(&qp), qp.last);
	post_write(p, key, 8);
	world_ring(&p->a);
	world_run(&p->w);
	expect_done(world_send_cqe(&p->a), p->a.last);
	assert_memory_equal(p->w.mem + 4096, p->w.mem + 8, 8);
	/* But it moves nobody's data: no key is in its PD. */
	post_transfer(&qp, OP_WRITE, CE, (uintptr_t)p->w.mem + 4096, p->w.mem_key[1], p->w.mem,
		      p->w.mem_key[0], 8);
	world_ring(&qp);
	world_run(&p->w);
	assert_int_equal(world_send_cqe(&qp)->op_own >> 4, MLX5_CQE_REQ_ERR);
	world_qp_destroy(&qp);
}

/* As eq_update_ci() of mlx5_core writes it. */
static uint32_t
eq_doorbell(uint32_t eqn, uint32_t ci)
{
	return htobe32(eqn << 24 | ci);
}

/*
 * mlx5_core has all of its event queues ring at one page. Whoever arms the second of them must not
 * undo what armed the first, though nobody has looked at the register yet.
 */
static void
event_queues_of_one_page_lose_no_event(void **state)
{
	struct pair *p = *state;
	struct world_dev *dev = &p->w.dev[0];
	uint32_t other = eq_create(&p->w, 0, p->w.mem + 65536), be;

	world_eq_ring(&p->w, 0, true);
	be = eq_doorbell(other, 0);
	memcpy(dev->bar + (size_t)dev->eq_uarn * SWHCA_UAR_SIZE + 0x40, &be, sizeof(be));
	world_run(&p->w);
	swhca_hca_port_set(dev->hca, false);
	assert_non_null(world_eqe(&p->w, 0));
	assert_true(dev->nb_interrupts > 0);
}

/* Where a front end sees the stores, each of them counts and no more. */
static void
doorbells_that_are_seen_are_as_on_hardware(void **state)
{
	struct pair *p = *state;
	struct world_dev *dev = &p->w.dev[0];
	uint64_t page = (uint64_t)dev->eq_uarn * SWHCA_UAR_SIZE;
	uint32_t other = eq_create(&p->w, 0, p->w.mem + 65536), be;

	be = eq_doorbell(dev->eqn, 0);
	swhca_hca_uar_store(dev->hca, page + 0x40, &be, sizeof(be));
	be = eq_doorbell(other, 0);
	swhca_hca_uar_store(dev->hca, page + 0x40, &be, sizeof(be));
	swhca_hca_port_set(dev->hca, false);
	assert_int_equal(dev->nb_interrupts, 1);
	swhca_hca_port_set(dev->hca, true);
	assert_int_equal(dev->nb_interrupts, 1);
	/* Only one of two events is taken. */
	be = eq_doorbell(dev->eqn, 1);
	swhca_hca_uar_store(dev->hca, page + 0x48, &be, sizeof(be));
	assert_int_equal(dev->nb_interrupts, 1);
	swhca_hca_uar_store(dev->hca, page + 0x40, &be, sizeof(be));
	assert_int_equal(dev->nb_interrupts, 2);
}

/* A device that a kernel drives, with a queue pair that has qpc.fre or not. */
static void
driver_setup(struct pair *p, bool is_of_kernel)
{
	struct swhca_hca_conf conf[2];
	uint8_t in[WORLD_BOX], out[16];
	uint32_t be;

	world_conf(conf);
	conf[0].has_driver = conf[1].has_driver = true;
	world_create_conf(&p->w, conf);
	world_qp_create(&p->w, 0, &p->b);
	world_qp_create(&p->w, 0, &p->a);
	assert_int_equal(world_cmd(p->a.hca, 0x501, p->a.qpn, NULL), 0);
	world_qp_box(&p->w, 0, in, &p->a);
	world_put(in, 6 + 28, 11, is_of_kernel);
	assert_int_equal(swhca_hca_cmd_exec(p->a.hca, in, sizeof(in), out, sizeof(out)), 0);
	memcpy(&be, out + 8, 4);
	p->a.qpn = be32toh(be);
	world_qp_modify(&p->a, 0x502, 0, 0, 0);
	world_qp_modify(&p->a, 0x503, p->b.qpn, 1, 3);
	world_qp_modify(&p->a, 0x504, 0, 0, 0);
}

/* As set_reg_wr() of mlx5_ib: 8 pages, written inline to a key of pages. */
static const struct mlx5_cqe64 *
pages_written(struct pair *p)
{
	uint8_t in[WORLD_BOX] = { 0 }, out[16], body[176] = { 0 };
	unsigned int i;
	uint32_t be;

	world_put(in, 0, 16, 0x200);
	world_put(in, 4, 15, 1);		/* umr_en */
	world_put(in, 4, 8, WORLD_LR | 0x1);
	world_put(in, 5, 0, 0xffffff00);
	world_put(in, 7, 0, p->w.dev[0].pdn);
	world_put(in, 11, 0, 8 * 4096);
	world_put(in, 17, 0, 4);
	world_put(in, 18, 0, 12);
	assert_int_equal(swhca_hca_cmd_exec(p->a.hca, in, sizeof(in), out, sizeof(out)), 0);
	memcpy(&be, out + 8, 4);
	body[0] = 0x80;				/* inline */
	world_put(body, 1, 16, 4);
	for (i = 0; i < 8; i++)
		world_put_bus(body, 28 + i * 2, p->w.mem + (size_t)i * 4096);
	world_post(&p->a, OP_UMR, CE, be32toh(be) << 8, body, 11);
	world_ring(&p->a);
	world_run(&p->w);
	return world_send_cqe(&p->a);
}

/*
 * Contexts without DevX have uid 0, too: what makes a queue one of the kernel's clients (NVMe, say)
 * is that it may send fast registrations.
 */
static void
only_queues_of_the_kernel_write_page_addresses(void **state)
{
	struct pair p = { 0 };

	(void)state;
	swhca_log_level = SWHCA_LOG_NONE;
	driver_setup(&p, true);
	expect_done(pages_written(&p), 0);
	world_qp_destroy(&p.a);
	world_qp_destroy(&p.b);
	world_destroy(&p.w);
	memset(&p, 0, sizeof(p));
	driver_setup(&p, false);
	expect_error(pages_written(&p), MLX5_CQE_REQ_ERR, MLX5_CQE_SYNDROME_MW_BIND_ERR);
	world_qp_destroy(&p.a);
	world_qp_destroy(&p.b);
	world_destroy(&p.w);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(queue_pair_in_reset_has_port_1),
		CASE(umr_may_fill_the_last_group_of_a_key),
		CASE(padding_of_a_key_is_not_followed),
		CASE(umr_beyond_the_last_group_is_rejected),
		CASE(users_may_name_what_is_shared),
		CASE(umr_of_the_kernel_reads_lists_of_any_pd),
		CASE(event_queues_of_one_page_lose_no_event),
		cmocka_unit_test(only_queues_of_the_kernel_write_page_addresses),
		CASE(doorbells_that_are_seen_are_as_on_hardware),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
