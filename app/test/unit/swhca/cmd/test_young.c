/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * What libraries of later years ask of the device: each thing is announced by a capability, is
 * there, and is not on an adapter that came before it.
 */

#include "pair.h"

#define QUERY_HCA_CAP	0x100
#define QUERY_MKEY	0x201
#define CREATE_GENERAL	0xa00
#define QUERY_GENERAL	0xa02
#define DESTROY_GENERAL	0xa03

#define MAX_BOX 0x1010

static uint32_t
get(const uint8_t *box, unsigned int dw, unsigned int lsb, unsigned int width)
{
	return world_get(box, dw) >> lsb & (uint32_t)((UINT64_C(1) << width) - 1);
}

/* A field of a capability page, current values. */
static uint32_t
cap(struct swhca_hca *hca, uint16_t page, unsigned int dw, unsigned int lsb, unsigned int width)
{
	uint8_t out[MAX_BOX];

	assert_int_equal(world_query(hca, QUERY_HCA_CAP, (uint16_t)(page << 1 | 1), 0, out,
				     sizeof(out)), 0);
	return get(out + 16, dw, lsb, width);
}

/* Device 0 is the newest model, device 1 the oldest. */
static struct pair *
models_case(void **state, const char *name)
{
	struct swhca_hca_conf conf[2];

	world_conf(conf);
	conf[0].model = SWHCA_MODEL_CX7;
	conf[1].model = SWHCA_MODEL_CX5;
	return next_case_conf(state, name, conf);
}

/* A key of one page with processing hints, as it says of itself: dword 15 of its context. */
static uint32_t
hints_of_key(struct pair *p, int dev, uint32_t dw15)
{
	struct swhca_hca *hca = p->w.dev[dev].hca;
	uint8_t in[WORLD_BOX + 16], out[WORLD_BOX];
	uint32_t index;

	world_mkey_box(&p->w, dev, in, WORLD_LR | WORLD_MTT);
	memset(in + WORLD_BOX, 0, 16);
	world_mkey_pages(in, p->w.mem, 4096);
	world_put(in, 19, 0, dw15);
	index = world_exec_create(hca, in, sizeof(in));
	assert_int_equal(world_query(hca, QUERY_MKEY, 0, index, out, sizeof(out)), 0);
	assert_int_equal(world_cmd(hca, 0x202, index, NULL), 0);
	return world_get(out, 4 + 15);
}

/* A command about a reserved number of queue pairs; id is the number. */
static uint8_t
reserved_qpn(struct swhca_hca *hca, uint16_t opcode, uint32_t *id)
{
	uint8_t in[32] = { 0 }, out[32];
	uint8_t status;

	world_put(in, 0, 16, opcode);
	world_put(in, 1, 0, 0x2c);
	world_put(in, 2, 0, *id);
	status = swhca_hca_cmd_exec(hca, in, sizeof(in), out, sizeof(out));
	if (opcode == CREATE_GENERAL)
		*id = world_get(out, 2);
	return status;
}

CASES(reserved_numbers_are_no_queue_pairs)
{
	struct pair *p = models_case(state, "reserved numbers");
	struct swhca_hca *hca = p->a.hca;
	uint32_t ids[2] = { 0, 0 }, nb, i;

	assert_int_equal(cap(hca, 0, 1, 31, 1), 1);
	/* general_obj_types, a bit for each type */
	assert_int_equal(cap(hca, 0, 32, 0x2c - 32, 1), 1);
	assert_int_equal(cap(hca, 0x20, 4, 8, 5), 0);
	nb = 1u << cap(hca, 0x20, 4, 16, 5);
	assert_int_equal(reserved_qpn(hca, CREATE_GENERAL, &ids[0]), 0);
	assert_int_equal(reserved_qpn(hca, CREATE_GENERAL, &ids[1]), 0);
	assert_int_not_equal(ids[0], ids[1]);
	assert_true(ids[0] < 1u << 24 && ids[0] != p->a.qpn);
	assert_int_equal(reserved_qpn(hca, QUERY_GENERAL, &ids[0]), 0);
	/* No command takes it for a queue pair: bad resource. */
	assert_int_equal(world_cmd(hca, 0x50a, ids[0], NULL), 5);
	for (i = 2; i < nb; i++)
		assert_int_equal(reserved_qpn(hca, CREATE_GENERAL, &ids[1]), 0);
	assert_int_equal(reserved_qpn(hca, CREATE_GENERAL, &ids[1]), 0x0f);
	assert_int_equal(reserved_qpn(hca, DESTROY_GENERAL, &ids[0]), 0);
	assert_int_equal(reserved_qpn(hca, DESTROY_GENERAL, &ids[0]), 5);
	assert_int_equal(reserved_qpn(hca, CREATE_GENERAL, &ids[1]), 0);
}

/* Bring a queue to RTR with dwords 1 and 36 of its context; their bits of QUERY_QP. */
static uint32_t
ordering_of_qp(struct world_qp *qp)
{
	uint8_t in[WORLD_BOX] = { 0 }, out[WORLD_BOX];

	world_qp_modify(qp, 0x50a, 0, 0, 0);
	world_qp_modify(qp, 0x502, 0, 0, 3);
	world_put(in, 0, 16, 0x503);
	world_put(in, 2, 0, qp->qpn);
	world_put(in, 6 + 1, 24, 1);
	world_put(in, 6 + 2, 29, 5);
	world_put(in, 6 + 2, 24, 30);
	world_put(in, 6 + 5, 0, qp->qpn);
	world_put(in, 6 + 7, 0, 1);
	world_put(in, 6 + 36, 3, 1);
	assert_int_equal(world_exec(qp->hca, in, sizeof(in)), 0);
	assert_int_equal(world_query(qp->hca, 0x50b, 0, qp->qpn, out, sizeof(out)), 0);
	return get(out + 24, 1, 24, 1) << 1 | get(out + 24, 36, 3, 1);
}

CASES(keys_data_and_faults_have_what_came_later)
{
	struct pair *p = models_case(state, "processing hints");
	const uint32_t hints = 1u << 26 | 3u << 24 | 0x5au << 16;

	assert_int_equal(cap(p->a.hca, 0, 21, 24, 1), 1);
	assert_int_equal(hints_of_key(p, 0, hints), hints);
	/* Reserved bits of a device without them. */
	assert_int_equal(cap(p->b.hca, 0, 21, 24, 1), 0);
	assert_int_equal(hints_of_key(p, 1, hints), 0);

	p = models_case(state, "order of data");
	/* UD, UC, XRC, DC, RC; dp_ordering_force */
	assert_int_equal(cap(p->a.hca, 0, 25, 11, 5), 0x1f);
	assert_int_equal(cap(p->a.hca, 0x20, 4, 23, 1), 1);
	assert_int_equal(ordering_of_qp(&p->a), 3);
	/* Reserved bits of a device that cannot. */
	assert_int_equal(cap(p->b.hca, 0, 25, 11, 5), 0);
	assert_int_equal(cap(p->b.hca, 0x20, 4, 23, 1), 0);
	assert_int_equal(ordering_of_qp(&p->b), 0);

	p = models_case(state, "faults of memory");
	/* mem_page_fault, page_prefetch, then the service types as in the other scheme. */
	assert_int_equal(cap(p->a.hca, 2, 48, 31, 1), 1);
	assert_int_equal(cap(p->a.hca, 2, 16 + 2, 26, 1), 1);
	for (unsigned int dw = 4; dw < 9; dw++) {
		assert_int_not_equal(cap(p->a.hca, 2, dw, 0, 32), 0);
		assert_int_equal(cap(p->a.hca, 2, 16 + dw, 0, 32), cap(p->a.hca, 2, dw, 0, 32));
	}
	assert_int_equal(cap(p->b.hca, 2, 48, 31, 1), 0);
	assert_int_equal(cap(p->b.hca, 2, 16 + 4, 0, 32), 0);
	assert_int_equal(cap(p->b.hca, 2, 4, 0, 32), cap(p->a.hca, 2, 4, 0, 32));
}

#define ALLOC_FLOW_COUNTER	0x939
#define DEALLOC_FLOW_COUNTER	0x93a
#define QUERY_FLOW_COUNTER	0x93b

/* Status of a query of nb counters from id on, in the answer; its numbers must be zero. */
static uint8_t
counter_query(struct swhca_hca *hca, uint32_t id, uint32_t nb)
{
	uint8_t in[32] = { 0 }, out[32] = { 0 }, zero[16] = { 0 };
	uint8_t status;

	world_put(in, 0, 16, QUERY_FLOW_COUNTER);
	world_put(in, 6, 0, nb);
	world_put(in, 7, 0, id);
	status = swhca_hca_cmd_exec(hca, in, sizeof(in), out, sizeof(out));
	assert_memory_equal(out + 16, zero, sizeof(zero));
	return status;
}

CASES(flow_counters_are_there_and_zero_without_steering)
{
	struct pair *p = models_case(state, "flow counters");
	uint32_t first, other;
	uint8_t in[16] = { 0 };
	const uint16_t pages[] = { 1, 7, 8, 9 };

	assert_int_equal(cap(p->a.hca, 0, 26, 0, 16), 1024);
	first = world_alloc(p->a.hca, ALLOC_FLOW_COUNTER);
	other = world_alloc(p->a.hca, ALLOC_FLOW_COUNTER);
	assert_int_not_equal(first, other);
	assert_int_equal(counter_query(p->a.hca, first, 1), 0);
	/* Two of them do not fit into the answer. */
	assert_int_equal(counter_query(p->a.hca, first, 2), 0x51);
	assert_int_equal(counter_query(p->a.hca, first, 1u << 30 | 1), 3);
	assert_int_equal(world_cmd(p->a.hca, DEALLOC_FLOW_COUNTER, first, NULL), 0);
	assert_int_equal(world_cmd(p->a.hca, DEALLOC_FLOW_COUNTER, first, NULL), 5);
	assert_int_equal(counter_query(p->a.hca, first, 1), 5);
	/* No bulks: log_max_flow_counter_bulk is zero. */
	assert_int_equal(cap(p->a.hca, 0, 26, 16, 8), 0);
	world_put(in, 0, 16, ALLOC_FLOW_COUNTER);
	world_put(in, 3, 0, 1);
	assert_int_equal(world_exec(p->a.hca, in, sizeof(in)), 3);

	p = models_case(state, "steering");
	for (size_t i = 0; i < NB_OF(pages); i++)
		for (unsigned int dw = 0; dw < 64; dw++)
			assert_int_equal(cap(p->a.hca, pages[i], dw, 0, 32), 0);
	/* CREATE_FLOW_TABLE: bad opcode. */
	assert_int_equal(world_cmd(p->a.hca, 0x930, 0, NULL), 2);
}
