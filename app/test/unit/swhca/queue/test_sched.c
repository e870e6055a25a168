/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Scheduling elements as general objects, queue groups of queue pairs, and port affinity.
 */

#include "types.h"

#define OBJ_SCHED 0x26
#define TSAR 0
#define QUEUE_GROUP 4
#define SELECT_LIMIT 2u
#define OP_32_QOS 2u
#define OP_32_SPORT 4u

struct elem {
	uint32_t type;
	uint32_t parent;
	uint32_t share;
	uint32_t mbps;
	uint32_t hierarchy;
	uint32_t select;
	uint32_t obj_type;
};

static uint8_t
elem_exec(struct swhca_hca *hca, uint16_t opcode, uint32_t num, const struct elem *e, uint8_t *out,
	  size_t out_len)
{
	uint8_t in[0x90] = { 0 };

	world_put(in, 0, 16, opcode);
	world_put(in, 1, 0, e->obj_type != 0 ? e->obj_type : OBJ_SCHED);
	world_put(in, 2, 0, num);
	/* The element begins at dword 4, its context at dword 12. */
	world_put(in, 5, 0, e->select);
	world_put(in, 6, 24, e->hierarchy != 0 ? e->hierarchy : 3);
	world_put(in, 12, 24, e->type);
	world_put(in, 14, 0, e->parent);
	world_put(in, 17, 0, e->share);
	world_put(in, 18, 0, e->mbps);
	return swhca_hca_cmd_exec(hca, in, sizeof(in), out, out_len);
}

static uint8_t
elem_create(struct swhca_hca *hca, const struct elem *e, uint32_t *num)
{
	uint8_t out[16];
	uint8_t status = elem_exec(hca, 0xa00, 0, e, out, sizeof(out));

	*num = world_get(out, 2) & 0xffff;
	return status;
}

static uint32_t
elem_new(struct swhca_hca *hca, struct elem e)
{
	uint32_t num;

	assert_int_equal(elem_create(hca, &e, &num), 0);
	return num;
}

/* A group of queues with that limit below a root of its own. */
static uint32_t
group_new(struct swhca_hca *hca, uint32_t mbps, uint32_t *root)
{
	*root = elem_new(hca, (struct elem){ .type = TSAR });
	return elem_new(hca, (struct elem){ .type = QUEUE_GROUP, .parent = *root, .mbps = mbps });
}

static uint8_t
elem_modify(struct swhca_hca *hca, uint32_t num, const struct elem *e)
{
	uint8_t out[16];

	return elem_exec(hca, 0xa01, num, e, out, sizeof(out));
}

static uint8_t
elem_destroy(struct swhca_hca *hca, uint32_t num)
{
	uint8_t out[16];

	return elem_exec(hca, 0xa03, num, &(struct elem){ 0 }, out, sizeof(out));
}

/* RTS2RTS with an extension. */
static uint8_t
qp_set_groups(struct world_qp *qp, uint32_t req, uint32_t resp, uint32_t opt_32, bool has_ext)
{
	uint8_t in[0x1d0] = { 0 };

	world_put(in, 0, 16, 0x505);
	world_put(in, 2, 0, qp->qpn);
	world_put(in, 2, 31, has_ext);
	world_put(in, 67, 0, opt_32);
	world_put(in, 69, 0, req);
	world_put(in, 70, 0, resp);
	return world_exec(qp->hca, in, sizeof(in));
}

static uint8_t
qp_set_port(struct world_qp *qp, uint32_t port)
{
	uint8_t in[0x110] = { 0 };

	world_put(in, 0, 16, 0x505);
	world_put(in, 2, 0, qp->qpn);
	world_put(in, 4, 0, 1u << 15);
	world_put(in, 6, 24, port);
	return world_exec(qp->hca, in, sizeof(in));
}

static uint32_t
qp_get_port(struct world_qp *qp)
{
	return type_query_qp(qp, 0) >> 24 & 0xf;
}

static void
post_1k(struct pair *p, uint8_t op, unsigned int nb)
{
	for (; nb > 0; nb--)
		post_mem(p, &p->a, op, 4096, 0, 1024);
	world_ring(&p->a);
}

/* So many of them, at 8 Mbit/s: 1024 bytes take 1.024 ms. */
static void
expect_limited(struct pair *p, uint8_t op, unsigned int nb, uint64_t slack_ns)
{
	uint64_t begin = world_now_ns();

	post_1k(p, op, nb);
	for (unsigned int i = 0; i < nb; i++)
		expect_done(wait_send_cqe(p, &p->a), (uint16_t)i);
	assert_uint_in_range(world_now_ns() - begin, (nb - 1) * 1024000,
			     (nb - 1) * 1024000 + slack_ns);
}

CASES(limits_hold_for_requesters_and_responders)
{
	struct pair *p = next_case(state, "parent");
	struct swhca_hca *hca = p->a.hca;
	uint32_t root, node, group;

	root = elem_new(hca, (struct elem){ .type = TSAR });
	node = elem_new(hca, (struct elem){ .type = TSAR, .parent = root, .mbps = 8 });
	group = elem_new(hca, (struct elem){ .type = QUEUE_GROUP, .parent = node, .share = 7 });
	assert_int_equal(qp_set_groups(&p->a, group, group, OP_32_QOS, true), 0);
	expect_limited(p, OP_WRITE, 6, 6000);
	/* Parents stay while there are children; queues leave a group that goes. */
	assert_int_equal(elem_destroy(hca, root), 0x06);
	assert_int_equal(elem_destroy(hca, node), 0x06);
	assert_int_equal(elem_destroy(hca, group), 0);
	post_1k(p, OP_WRITE, 2);
	world_run(&p->w);
	expect_dones(&p->a, 6, 2);
	assert_int_equal(elem_destroy(hca, node), 0);
	assert_int_equal(elem_destroy(hca, root), 0);
	assert_int_equal(elem_destroy(hca, root), 0x05);

	p = next_case(state, "responder");
	group = group_new(p->b.hca, 8, &root);
	assert_int_equal(qp_set_groups(&p->b, 0, group, OP_32_QOS, true), 0);
	expect_limited(p, OP_READ, 4, 4000);
}

PAIR_CASE(modify_changes_what_it_selects)
{
	struct swhca_hca *hca = p->a.hca;
	uint32_t root = elem_new(hca, (struct elem){ .type = TSAR });
	uint32_t group = elem_new(hca, (struct elem){ .type = QUEUE_GROUP, .parent = root,
						      .share = 3, .mbps = 10 });
	uint8_t out[0x90];

	assert_int_equal(elem_modify(hca, group, &(struct elem){ .share = 5, .mbps = 20,
								 .select = SELECT_LIMIT }), 0);
	assert_int_equal(elem_exec(hca, 0xa02, group, &(struct elem){ 0 }, out, sizeof(out)), 0);
	assert_int_equal(out[48], QUEUE_GROUP);
	assert_int_equal(out[59], root);
	assert_int_equal(out[71], 3);
	assert_int_equal(out[75], 20);
	assert_int_equal(elem_modify(hca, root, &(struct elem){ .mbps = 1,
								.select = SELECT_LIMIT }), 0x03);
	assert_int_equal(elem_modify(hca, group, &(struct elem){ .select = 4 }), 0x03);
}

CASES(elements_and_groups_out_of_place_are_rejected)
{
	struct pair *p = next_case(state, "elements");
	struct swhca_hca *hca = p->a.hca;
	uint32_t root, group = group_new(hca, 0, &root), num;
	const struct {
		const char *name;
		struct elem e;
		uint8_t status;
	} rows[] = {
		{ "share of a root", { .type = TSAR, .share = 1 }, 0x03 },
		{ "group without a parent", { .type = QUEUE_GROUP }, 0x03 },
		{ "group as a parent", { .type = TSAR, .parent = group }, 0x05 },
		{ "no such parent", { .type = TSAR, .parent = 99 }, 0x05 },
		{ "type", { .type = 1, .parent = root }, 0x03 },
		{ "large share", { .type = TSAR, .parent = root, .share = 101 }, 0x03 },
		{ "hierarchy", { .hierarchy = 2 }, 0x03 },
		{ "object", { .obj_type = 0xfff }, 0x03 },
	};

	for (size_t i = 0; i < NB_OF(rows); i++)
		row_check(rows[i].name, elem_create(hca, &rows[i].e, &num), rows[i].status);
	/* Levels below the root: 8 with it. */
	for (size_t i = 0; i < 7; i++)
		root = elem_new(hca, (struct elem){ .parent = root });
	assert_int_equal(elem_create(hca, &(struct elem){ .parent = root }, &num), 0x08);

	p = next_case(state, "groups");
	root = elem_new(p->a.hca, (struct elem){ .type = TSAR });
	assert_int_equal(qp_set_groups(&p->a, root, 0, OP_32_QOS, true), 0x05);
	assert_int_equal(qp_set_groups(&p->a, 0, 77, OP_32_QOS, true), 0x05);
	assert_int_equal(qp_set_groups(&p->a, 0, 0, OP_32_QOS, false), 0x03);
	assert_int_equal(qp_set_groups(&p->a, 0, 0, 1u << 31, true), 0x03);
	/* An InfiniBand port has no UDP. */
	assert_int_equal(qp_set_groups(&p->a, 0, 0, OP_32_SPORT, true), 0x03);
}

CASES(queues_leave_their_group)
{
	struct pair *p = next_case(state, "waiting");
	uint32_t root, group = group_new(p->a.hca, 1, &root);
	uint64_t begin;

	assert_int_equal(qp_set_groups(&p->a, group, 0, OP_32_QOS, true), 0);
	/* 512 KiB take 4 s. */
	post_mem(p, &p->a, OP_WRITE, WORLD_MEM / 2, 0, WORLD_MEM / 2);
	post_1k(p, OP_WRITE, 1);
	world_run(&p->w);
	expect_done(world_send_cqe(&p->a), 0);
	run_after(p, UINT64_C(2000000000));
	assert_null(world_send_cqe(&p->a));
	assert_int_equal(elem_destroy(p->a.hca, group), 0);
	begin = world_now_ns();
	expect_done(wait_send_cqe(p, &p->a), 1);
	/* It looks again every millisecond. */
	assert_uint_in_range(world_now_ns() - begin, 0, 1000000);

	p = next_case(state, "reset");
	group = group_new(p->a.hca, 1, &root);
	assert_int_equal(qp_set_groups(&p->a, group, group, OP_32_QOS, true), 0);
	/* Rings empty, and both ends anew. */
	world_qp_destroy(&p->b);
	world_qp_create(&p->w, 1, &p->b);
	world_qp_modify(&p->a, 0x50a, 0, 0, 0);		/* 2RST */
	world_qp_connect(&p->w, &p->a, &p->b);
	post_1k(p, OP_WRITE, 2);
	world_run(&p->w);
	expect_dones(&p->a, 0, 2);
}

PAIR_CASE(port_affinity_is_kept_and_checked)
{
	assert_int_equal(qp_get_port(&p->a), 0);
	assert_int_equal(qp_set_port(&p->a, 2), 0);
	assert_int_equal(qp_get_port(&p->a), 2);
	assert_int_equal(qp_set_port(&p->a, 3), 0x03);
	assert_int_equal(qp_get_port(&p->a), 2);
	post_1k(p, OP_WRITE, 1);
	world_run(&p->w);
	expect_done(world_send_cqe(&p->a), 0);
}
