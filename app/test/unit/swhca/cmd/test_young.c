/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * What libraries of later years ask of the device: each thing is announced by a capability, is
 * there, and is not on an adapter that came before it.
 */

#include "pair.h"

#define QUERY_HCA_CAP	0x100
#define CREATE_MKEY	0x200
#define QUERY_MKEY	0x201
#define CREATE_GENERAL	0xa00
#define QUERY_GENERAL	0xa02
#define DESTROY_GENERAL	0xa03

#define MAX_BOX 0x1010

/* Commands with an answer of their own length. */
static uint8_t
query(struct swhca_hca *hca, uint16_t op, uint16_t op_mod, uint32_t dw2, uint8_t *out, size_t len)
{
	uint8_t in[16] = { 0 };

	world_put(in, 0, 16, op);
	world_put(in, 1, 0, op_mod);
	world_put(in, 2, 0, dw2);
	return swhca_hca_cmd_exec(hca, in, sizeof(in), out, len);
}

static uint32_t
get(const uint8_t *box, unsigned int dw, unsigned int lsb, unsigned int width)
{
	uint32_t be;

	memcpy(&be, box + dw * 4, sizeof(be));
	return be32toh(be) >> lsb & (uint32_t)((UINT64_C(1) << width) - 1);
}

/* A field of a capability page, current values. */
static uint32_t
cap(struct swhca_hca *hca, uint16_t page, unsigned int dw, unsigned int lsb, unsigned int width)
{
	uint8_t out[MAX_BOX];

	assert_int_equal(query(hca, QUERY_HCA_CAP, (uint16_t)(page << 1 | 1), 0, out, sizeof(out)),
			 0);
	return get(out + 16, dw, lsb, width);
}

/* Device 0 is the newest model, device 1 the oldest. */
static int
models_setup(void **state)
{
	struct swhca_hca_conf conf[2];
	struct pair *p = calloc(1, sizeof(*p));

	swhca_log_level = SWHCA_LOG_NONE;
	assert_non_null(p);
	world_conf(conf);
	conf[0].model = SWHCA_MODEL_CX7;
	conf[1].model = SWHCA_MODEL_CX5;
	world_create_conf(&p->w, conf);
	world_qp_create(&p->w, 0, &p->a);
	world_qp_create(&p->w, 1, &p->b);
	world_qp_connect(&p->w, &p->a, &p->b);
	*state = p;
	return 0;
}

/* A key of one page with processing hints, as it says of itself: dword 15 of its context. */
static uint32_t
hints_of_key(struct pair *p, int dev, uint32_t dw15)
{
	struct swhca_hca *hca = p->w.dev[dev].hca;
	uint8_t in[WORLD_BOX + 16] = { 0 }, out[WORLD_BOX];
	uint32_t index;

	world_put(in, 0, 16, CREATE_MKEY);
	world_put(in, 4, 8, 1 << 2 | 1);	/* local read, page addresses */
	world_put(in, 5, 8, 0xffffff);
	world_put(in, 7, 0, p->w.dev[dev].pdn);
	world_put(in, 11, 0, 4096);
	world_put(in, 17, 0, 1);
	world_put(in, 18, 0, 12);
	world_put(in, 19, 0, dw15);
	world_put(in, 24, 0, 1);
	world_put_bus(in, 68, p->w.mem);
	assert_int_equal(swhca_hca_cmd_exec(hca, in, sizeof(in), out, 16), 0);
	index = get(out, 2, 0, 24);
	assert_int_equal(query(hca, QUERY_MKEY, 0, index, out, sizeof(out)), 0);
	assert_int_equal(world_cmd(hca, 0x202, index, NULL), 0);
	return get(out + 16, 15, 0, 32);
}

static void
keys_have_processing_hints(void **state)
{
	struct pair *p = *state;
	const uint32_t hints = 1u << 26 | 3u << 24 | 0x5au << 16;

	assert_int_equal(cap(p->a.hca, 0, 21, 24, 1), 1);
	assert_int_equal(hints_of_key(p, 0, hints), hints);
	/* Reserved bits of a device without them. */
	assert_int_equal(cap(p->b.hca, 0, 21, 24, 1), 0);
	assert_int_equal(hints_of_key(p, 1, hints), 0);
}

/* A command about a reserved number of queue pairs; id is the number. */
static uint8_t
reserved_qpn(struct swhca_hca *hca, uint16_t opcode, uint32_t uid, uint32_t *id)
{
	uint8_t in[32] = { 0 }, out[32];
	uint8_t status;

	world_put(in, 0, 16, opcode);
	world_put(in, 0, 0, uid);
	world_put(in, 1, 0, 0x2c);
	world_put(in, 2, 0, *id);
	status = swhca_hca_cmd_exec(hca, in, sizeof(in), out, sizeof(out));
	if (opcode == CREATE_GENERAL)
		*id = get(out, 2, 0, 32);
	return status;
}

static void
reserved_numbers_are_no_queue_pairs(void **state)
{
	struct pair *p = *state;
	uint32_t ids[2] = { 0, 0 }, nb, i;

	assert_int_equal(cap(p->a.hca, 0, 1, 31, 1), 1);
	/* general_obj_types, a bit for each type */
	assert_int_equal(cap(p->a.hca, 0, 32, 0x2c - 32, 1), 1);
	assert_int_equal(cap(p->a.hca, 0x20, 4, 8, 5), 0);
	nb = 1u << cap(p->a.hca, 0x20, 4, 16, 5);
	assert_int_equal(reserved_qpn(p->a.hca, CREATE_GENERAL, 0, &ids[0]), 0);
	assert_int_equal(reserved_qpn(p->a.hca, CREATE_GENERAL, 0, &ids[1]), 0);
	assert_int_not_equal(ids[0], ids[1]);
	assert_true(ids[0] < 1u << 24 && ids[0] != p->a.qpn);
	assert_int_equal(reserved_qpn(p->a.hca, QUERY_GENERAL, 0, &ids[0]), 0);
	/* No command takes it for a queue pair: bad resource. */
	assert_int_equal(world_cmd(p->a.hca, 0x50a, ids[0], NULL), 5);
	for (i = 2; i < nb; i++)
		assert_int_equal(reserved_qpn(p->a.hca, CREATE_GENERAL, 0, &ids[1]), 0);
	assert_int_equal(reserved_qpn(p->a.hca, CREATE_GENERAL, 0, &ids[1]), 0x0f);
	assert_int_equal(reserved_qpn(p->a.hca, DESTROY_GENERAL, 0, &ids[0]), 0);
	assert_int_equal(reserved_qpn(p->a.hca, DESTROY_GENERAL, 0, &ids[0]), 5);
	assert_int_equal(reserved_qpn(p->a.hca, CREATE_GENERAL, 0, &ids[1]), 0);
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
	assert_int_equal(query(qp->hca, 0x50b, 0, qp->qpn, out, sizeof(out)), 0);
	return get(out + 24, 1, 24, 1) << 1 | get(out + 24, 36, 3, 1);
}

static void
data_may_be_placed_out_of_order(void **state)
{
	struct pair *p = *state;

	/* UD, UC, XRC, DC, RC; dp_ordering_force */
	assert_int_equal(cap(p->a.hca, 0, 25, 11, 5), 0x1f);
	assert_int_equal(cap(p->a.hca, 0x20, 4, 23, 1), 1);
	assert_int_equal(ordering_of_qp(&p->a), 3);
	/* Reserved bits of a device that cannot. */
	assert_int_equal(cap(p->b.hca, 0, 25, 11, 5), 0);
	assert_int_equal(cap(p->b.hca, 0x20, 4, 23, 1), 0);
	assert_int_equal(ordering_of_qp(&p->b), 0);
}

static void
faults_are_of_memory(void **state)
{
	struct pair *p = *state;
	unsigned int dw;

	/* mem_page_fault, page_prefetch, then the service types as in the other scheme. */
	assert_int_equal(cap(p->a.hca, 2, 48, 31, 1), 1);
	assert_int_equal(cap(p->a.hca, 2, 16 + 2, 26, 1), 1);
	for (dw = 4; dw < 9; dw++) {
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

static void
flow_counters_are_there_and_zero(void **state)
{
	struct pair *p = *state;
	uint32_t first, other;
	uint8_t in[16] = { 0 };

	assert_int_equal(cap(p->a.hca, 0, 26, 0, 16), 1024);
	assert_int_equal(world_cmd(p->a.hca, ALLOC_FLOW_COUNTER, 0, &first), 0);
	assert_int_equal(world_cmd(p->a.hca, ALLOC_FLOW_COUNTER, 0, &other), 0);
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
}

static void
steering_is_absent_with_a_status(void **state)
{
	struct pair *p = *state;
	const uint16_t pages[] = { 1, 7, 8, 9 };
	unsigned int dw;
	size_t i;

	for (i = 0; i < sizeof(pages) / sizeof(pages[0]); i++)
		for (dw = 0; dw < 64; dw++)
			assert_int_equal(cap(p->a.hca, pages[i], dw, 0, 32), 0);
	/* CREATE_FLOW_TABLE: bad opcode. */
	assert_int_equal(world_cmd(p->a.hca, 0x930, 0, NULL), 2);
}

#define MODELS(name) cmocka_unit_test_setup_teardown(name, models_setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		MODELS(keys_have_processing_hints),
		MODELS(reserved_numbers_are_no_queue_pairs),
		MODELS(data_may_be_placed_out_of_order),
		MODELS(faults_are_of_memory),
		MODELS(flow_counters_are_there_and_zero),
		MODELS(steering_is_absent_with_a_status),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
