/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Management datagrams as Linux' ib_mad, ib_sa and IPoIB send them: queue pairs 0 and 1, MAD_IFC,
 * and the subnet's manager. Datagrams are typed by byte (IBTA volume 1, 13 to 16).
 */

#include "include/mad.h"
#include "types.h"

#define BAD_PARAM	0x03
#define NO_RES		0x0f
#define BAD_PKT		0x30

#define MAD_IFC		0x50d
#define QUERY_VPORT	0x762
#define MODIFY_VPORT	0x763

#define ST_QP0		7u
#define ST_QP1		8u
#define GSI_QKEY	0x80010000u
#define SM_LID		WORLD_SM_LID

#define AT_IN		0u		/* of memory: what is sent, */
#define AT_OUT		8192u		/* and received */

static struct pair *
driven_create(void)
{
	struct swhca_hca_conf conf[2];
	struct pair *p = NOT_NULL(calloc(1, sizeof(*p)));

	world_conf(conf);
	conf[0].has_driver = conf[1].has_driver = true;
	world_create_conf(&p->w, conf);
	return p;
}

static int
mad_setup(void **state)
{
	*state = driven_create();
	return 0;
}

static void
mad_qps_create(struct pair *p, uint32_t st)
{
	const struct type_opts opts = { .st = st };
	const struct type_path path = { .qkey = st == ST_QP0 ? 0 : GSI_QKEY };

	type_qp_create(&p->w, 0, &p->a, &opts);
	type_qp_create(&p->w, 1, &p->b, &opts);
	type_to_rts(&p->a, &path);
	type_to_rts(&p->b, &path);
}

static void
mad_qps_destroy(struct pair *p)
{
	world_qp_destroy(&p->a);
	world_qp_destroy(&p->b);
}

static int
mad_teardown(void **state)
{
	struct pair *p = *state;

	world_destroy(&p->w);
	free(p);
	return 0;
}

#define MAD_CASE(f) CASE_OF(struct pair, p, f, mad_setup, mad_teardown)

/* As next_case(), with queue pairs 1. */
static struct pair *
gsi_case(void **state, const char *name)
{
	struct pair *p;

	case_name(state, name);
	p = driven_create();
	mad_qps_create(p, ST_QP1);
	return case_begin(state, p, pair_destroy);
}

/* As mlx5_ib posts it: the Q_Key that stands for the one of the queue. */
static void
mad_send(struct pair *p, uint16_t lid, uint32_t qpn)
{
	uint8_t body[64] = { 0 }, seg[32];

	world_put(body, 0, 0, 0x80000000);
	world_put(body, 2, 0, 0x80000000 | qpn);
	world_put(body, 3, 0, lid);
	world_rdma_body(seg, 0, 0, p->w.mem + AT_IN, p->w.mem_key[0], 256);
	memcpy(body + 48, seg + 16, 16);
	world_post(&p->a, OP_SEND, CE, 0, body, 4);
	expect_run(p, &p->a, 0);
}

static void
expect_mad(struct world_qp *qp, uint32_t src_qpn, uint16_t slid)
{
	const struct mlx5_cqe64 *cqe = NOT_NULL(world_recv_cqe(qp));

	assert_int_equal(be32toh(cqe->byte_cnt), 296);
	assert_int_equal(be32toh(cqe->flags_rqpn) & 0xffffff, src_qpn);
	assert_int_equal(be16toh(cqe->slid), slid);
	assert_int_equal(be32toh(cqe->imm_inval_pkey), 0xffff);
}

MAD_CASE(special_queue_pairs_have_numbers_of_their_own)
{
	uint32_t st, num;

	for (st = ST_QP0; st <= ST_QP1; st++) {
		num = st - ST_QP0;
		mad_qps_create(p, st);
		assert_int_equal(type_query_qp(&p->a, 0) >> 16 & 0xff, st);
		fill(p->w.mem + AT_IN, 256);
		world_recv(&p->b, p->w.mem_key[1], p->w.mem + AT_OUT, 296);
		mad_send(p, 2, num);
		expect_mad(&p->b, num, 1);
		assert_memory_equal(p->w.mem + AT_OUT + 40, p->w.mem + AT_IN, 256);
		mad_qps_destroy(p);
	}
}

static uint8_t
mad_qp_box_exec(struct pair *p, struct swhca_hca *hca, uint32_t uid)
{
	uint8_t in[WORLD_BOX];

	world_qp_box(&p->w, 0, in, &p->a);
	world_put(in, 0, 0, uid);
	world_put(in, 6, 16, ST_QP1);
	return world_exec(hca, in, sizeof(in));
}

MAD_CASE(a_port_has_one_of_each)
{
	uint32_t uid;

	mad_qps_create(p, ST_QP1);
	assert_int_equal(mad_qp_box_exec(p, p->w.dev[0].hca, 0), NO_RES);
	uid = world_alloc(p->w.dev[0].hca, 0xa04);
	assert_int_equal(mad_qp_box_exec(p, p->w.dev[0].hca, uid), BAD_PARAM);
	mad_qps_destroy(p);
	/* When it is gone there may be another one. */
	mad_qps_create(p, ST_QP1);
	mad_qps_destroy(p);
}

PAIR_CASE(without_a_driver_there_are_none)
{
	assert_int_equal(mad_qp_box_exec(p, p->w.dev[0].hca, 0), BAD_PARAM);
}

/* A request at `mad`: class, method, attribute and its modifier. */
static void
mad_fill(uint8_t *mad, uint8_t class, uint8_t method, uint16_t attr, uint32_t mod)
{
	memset(mad, 0, 256);
	mad[0] = 1;
	mad[1] = class;
	mad[2] = class == 3 ? 2 : 1;
	mad[3] = method;
	mad[11] = 0x42;			/* transaction */
	world_put(mad, 4, 16, attr);
	world_put(mad, 5, 0, mod);
}

static uint8_t
mad_ifc(struct pair *p, uint8_t class, uint8_t method, uint16_t attr, uint32_t mod, uint8_t *out)
{
	uint8_t in[0x110] = { 0 };

	world_put(in, 0, 16, MAD_IFC);
	world_put(in, 1, 0, 3);
	world_put(in, 2, 0, 1);
	mad_fill(in + 16, class, method, attr, mod);
	return swhca_hca_cmd_exec(p->w.dev[0].hca, in, sizeof(in), out, 0x110);
}

static uint16_t
half(const uint8_t *at)
{
	return (uint16_t)(at[0] << 8 | at[1]);
}

MAD_CASE(agents_of_a_port_answer)
{
	uint8_t out[0x110], *mad = out + 16;

	assert_int_equal(mad_ifc(p, 0x81, 1, 0x11, 0, out), 0);		/* NodeInfo */
	assert_int_equal(mad[3], 0x81);
	assert_int_equal(half(mad + 4), 0);
	assert_int_equal(mad[11], 0x42);
	assert_int_equal(mad[64 + 2], 1);
	assert_int_equal(half(mad + 64 + 18), 0x1000);
	assert_int_equal(half(mad + 64 + 30), 0x1021);
	assert_int_equal(mad_ifc(p, 1, 1, 0x15, 1, out), 0);		/* PortInfo */
	assert_int_equal(half(mad + 64 + 16), 1);
	assert_int_equal(half(mad + 64 + 18), SM_LID);
	assert_int_equal(mad[64 + 32] & 0xf, 4);
	assert_int_equal(mad[64 + 33] >> 4, 5);
	assert_int_equal(mad[64 + 31], 2);
	assert_int_equal(mad[64 + 62] >> 4, 8);				/* NDR */
	assert_int_equal(mad_ifc(p, 1, 1, 0x16, 0, out), 0);		/* P_KeyTable */
	assert_int_equal(half(mad + 64), 0xffff);
	assert_int_equal(half(mad + 66), 0);
	assert_int_equal(mad_ifc(p, 1, 1, 0x14, 0, out), 0);		/* GUIDInfo */
	assert_int_equal(half(mad + 64 + 6), 0x1000);
	assert_int_equal(mad_ifc(p, 1, 1, 0x10, 0, out), 0);		/* NodeDescription */
	assert_memory_equal(mad + 64, "swhca ConnectX-7", 17);
	assert_int_equal(mad_ifc(p, 4, 1, 0x1d, 0, out), 0);		/* PortCountersExtended */
	assert_int_equal(half(mad + 4), 0);
	swhca_hca_port_set(p->w.dev[0].hca, false);
	assert_int_equal(mad_ifc(p, 1, 1, 0x15, 0, out), 0);
	assert_int_equal(mad[64 + 32] & 0xf, 1);
}

MAD_CASE(what_agents_do_not_do_they_say)
{
	static const struct {
		const char *name;
		uint8_t class, method;
		uint16_t attr;
		uint32_t mod;
		uint8_t status;		/* of the command */
		uint16_t mad_status;
	} rows[] = {
		{ "unknown attribute", 1, 1, 0x1b, 0, 0, 0x0c },
		{ "set", 1, 2, 0x15, 1, 0, 0x0c },
		{ "P_Keys of another block", 1, 1, 0x16, 4, 0, 0x1c },
		{ "unknown counters", 4, 1, 0x99, 0, 0, 0x0c },
		{ "response", 1, 0x81, 0x15, 1, BAD_PKT, 0 },
		{ "class", 3, 1, 0x35, 0, BAD_PKT, 0 },
	};
	uint8_t out[0x110], *mad = out + 16;

	for (size_t i = 0; i < NB_OF(rows); i++) {
		row_check(rows[i].name, mad_ifc(p, rows[i].class, rows[i].method,
						 rows[i].attr, rows[i].mod, out), rows[i].status);
		if (rows[i].status == 0)
			row_check(rows[i].name, half(mad + 4), rows[i].mad_status);
		if (rows[i].method == 2)
			row_check(rows[i].name, mad[3], 0x81);
	}
}

/* Ask the manager; a request is in memory. @return Its status, with the answer in memory. */
static uint16_t
sm_ask(struct pair *p, uint32_t qpn)
{
	uint8_t *mad = p->w.mem + AT_OUT + 40;

	world_recv(&p->a, p->w.mem_key[0], p->w.mem + AT_OUT, 296);
	mad_send(p, SM_LID, qpn);
	expect_mad(&p->a, qpn, SM_LID);
	assert_int_equal(mad[11], 0x42);
	assert_int_equal(mad[3] & 0x80, 0x80);
	return half(mad + 4);
}

static uint8_t *
sa_request(struct pair *p, uint8_t method, uint16_t attr, uint64_t mask)
{
	uint8_t *mad = p->w.mem + AT_IN;

	mad_fill(mad, 3, method, attr, 0);
	world_put64(mad, 12, mask);
	return mad + 56;
}

static void
gid_fill(uint8_t *gid, uint8_t dev)
{
	memcpy(gid, (const uint8_t[16]){ 0xfe, 0x80, [14] = 0x10, dev }, 16);
}

/* DGID, SGID, P_Key, one path: as IPoIB and rdma_cm ask. */
#define PATH_MASK (1u << 2 | 1u << 3 | 1u << 12 | 1u << 13)

static void
path_request(struct pair *p, uint8_t method, uint8_t dev)
{
	uint8_t *rec = sa_request(p, method, 0x35, PATH_MASK);

	gid_fill(rec + 8, dev);
	gid_fill(rec + 24, 0);
	rec[50] = 0xff;
	rec[51] = 0xff;
}

static uint16_t
path_ask(struct pair *p, uint8_t method, uint8_t dev)
{
	path_request(p, method, dev);
	return sm_ask(p, 1);
}

static uint16_t
sa_ask(struct pair *p, uint8_t method, uint16_t attr)
{
	sa_request(p, method, attr, 0);
	return sm_ask(p, 1);
}

CASES(the_manager_knows_paths_and_tells_tables)
{
	struct pair *p = gsi_case(state, "paths");
	const uint8_t *rec = p->w.mem + AT_OUT + 40 + 56;
	uint8_t *mad, *next;

	assert_int_equal(path_ask(p, 1, 1), 0);
	assert_int_equal(half(rec + 40), 2);
	assert_int_equal(half(rec + 42), 1);
	assert_int_equal(rec[49], 0x81);		/* reversible, one */
	assert_int_equal(half(rec + 50), 0xffff);
	assert_int_equal(rec[54] & 0x3f, 5);		/* 4096 bytes */
	assert_int_equal(rec[55] & 0x3f, 21);		/* 400 Gb/s */
	assert_int_equal(path_ask(p, 1, 9), 0x0300);
	/* Nobody's partition. */
	path_request(p, 1, 1);
	p->w.mem[AT_IN + 56 + 50] = 0x12;
	assert_int_equal(sm_ask(p, 1), 0x0300);
	/* What it does not have. */
	assert_int_equal(sa_ask(p, 1, 0x31), 0x000c);
	assert_int_equal(sa_ask(p, 1, 1), 0);

	/* saquery(8): two nodes of 112 bytes are more than one datagram holds. */
	p = gsi_case(state, "tables");
	mad = p->w.mem + AT_OUT + 40;
	next = mad + 512;
	sa_request(p, 0x12, 0x11, 0);
	world_recv(&p->a, p->w.mem_key[0], p->w.mem + AT_OUT, 296);
	world_recv(&p->a, p->w.mem_key[0], p->w.mem + AT_OUT + 512, 296);
	mad_send(p, SM_LID, 1);
	expect_mad(&p->a, 1, SM_LID);
	expect_mad(&p->a, 1, SM_LID);
	assert_int_equal(mad[3], 0x92);
	assert_int_equal(half(mad + 4), 0);
	assert_int_equal(mad[25], 1);			/* data */
	assert_int_equal(mad[26] & 7, 1 | 2);		/* active, first */
	assert_int_equal(mad[31], 1);
	assert_int_equal(half(mad + 44), 14);
	assert_int_equal(next[26] & 7, 1 | 4);		/* active, last */
	assert_int_equal(next[31], 2);
	assert_int_equal(next[35], 20 + 24);
	assert_in_range(half(mad + 56), 1, 2);
	/* From here to there is one path, which a datagram holds. */
	assert_int_equal(path_ask(p, 0x12, 1), 0);
	assert_int_equal(mad[26] & 7, 1 | 2 | 4);
	assert_int_equal(mad[35], 20 + 64);
	assert_int_equal(half(mad + 56 + 40), 2);
	/* Nothing is a table, too; what it does not have is none. */
	assert_int_equal(path_ask(p, 0x12, 9), 0);
	assert_int_equal(mad[35], 20);
	assert_int_equal(sa_ask(p, 0x12, 0x31), 0x000c);
}

/* perfquery(8): mlx5_ib would not answer, so that adapters do. */
FABRIC_CASE(ports_answer_for_performance_themselves, cases_setup, cases_teardown)
{
	struct pair *p = gsi_case(state, "performance");
	const uint8_t *mad = p->w.mem + AT_OUT + 40;

	mad_fill(p->w.mem + AT_IN, 4, 1, 0x12, 0);
	world_recv(&p->a, p->w.mem_key[0], p->w.mem + AT_OUT, 296);
	mad_send(p, 2, 1);
	expect_mad(&p->a, 1, 2);
	assert_int_equal(mad[3], 0x81);
	assert_int_equal(mad[64 + 1], 1);
	assert_null(world_recv_cqe(&p->b));
	/* A response is for whoever asked. */
	mad_fill(p->w.mem + AT_IN, 4, 0x81, 0x12, 0);
	world_recv(&p->b, p->w.mem_key[1], p->w.mem + AT_OUT, 296);
	mad_send(p, 2, 1);
	expect_mad(&p->b, 1, 1);
	end_cases(state);
}

MAD_CASE(the_manager_is_a_master)
{
	const uint8_t *data = p->w.mem + AT_OUT + 40 + 64;

	mad_qps_create(p, ST_QP0);
	mad_fill(p->w.mem + AT_IN, 1, 1, 0x20, 0);
	assert_int_equal(sm_ask(p, 0), 0);
	assert_int_equal(data[20] & 0xf, 3);
	mad_qps_destroy(p);
}

#define BROADCAST 0xff

/* MGID, PortGID, JoinState, as ipoib_mcast_join(); and more of who creates. */
static void
mc_request(struct pair *p, uint8_t method, uint8_t last, bool creates)
{
	uint64_t mask = 1u << 0 | 1u << 1 | 1u << 7 | 1u << 16;
	uint8_t *rec = sa_request(p, method, 0x38, creates ? mask | 1u << 2 | 1u << 12 : mask);

	memcpy(rec, (const uint8_t[]){ 0xff, 0x12, 0x40, 0x1b, 0xff, 0xff }, 6);
	memset(rec + 12, last, 4);
	gid_fill(rec + 16, 0);
	rec[34] = 0x0b;
	rec[35] = 0x1b;
	rec[40] = 0xff;
	rec[41] = 0xff;
	rec[48] = 1;
}

static uint16_t
mc_ask(struct pair *p, uint8_t method, uint8_t last, bool creates)
{
	mc_request(p, method, last, creates);
	return sm_ask(p, 1);
}

CASES(groups_live_as_long_as_their_members)
{
	struct pair *p = gsi_case(state, "broadcast group");
	const uint8_t *rec = p->w.mem + AT_OUT + 40 + 56;

	for (int i = 0; i < 2; i++) {
		mc_request(p, 2, BROADCAST, false);
		assert_int_equal(sm_ask(p, 1), 0);
		assert_int_equal(p->w.mem[AT_OUT + 40 + 3], 0x81);
		assert_int_equal(half(rec + 34), 0x0b1b);
		assert_int_equal(half(rec + 36), 0xc000);
		assert_int_equal(rec[38], 0x84);	/* exactly 2048 bytes */
		assert_int_equal(rec[48] & 0xf, 1);
		assert_int_equal(rec[16], 0xfe);
		mc_request(p, 0x15, BROADCAST, false);
		assert_int_equal(sm_ask(p, 1), 0);
		assert_int_equal(p->w.mem[AT_OUT + 40 + 3], 0x95);
	}

	p = gsi_case(state, "others");
	rec = p->w.mem + AT_OUT + 40 + 56;
	assert_int_equal(mc_ask(p, 2, 1, false), 0x0200);
	assert_int_equal(mc_ask(p, 2, 1, true), 0);
	assert_int_equal(half(rec + 36), 0xc000);
	assert_int_equal(mc_ask(p, 2, 2, true), 0);
	assert_int_equal(half(rec + 36), 0xc001);
	assert_int_equal(mc_ask(p, 1, 1, false), 0);
	assert_int_equal(mc_ask(p, 0x15, 1, false), 0);
	assert_int_equal(mc_ask(p, 0x15, 1, false), 0x0200);
	assert_int_equal(mc_ask(p, 1, 1, false), 0x0300);
	/* Nobody joins for another port, nor what is no group. */
	mc_request(p, 2, 3, true);
	p->w.mem[AT_IN + 56 + 31] = 1;
	assert_int_equal(sm_ask(p, 1), 0x0500);
	mc_request(p, 2, 3, true);
	p->w.mem[AT_IN + 56] = 0xfe;
	assert_int_equal(sm_ask(p, 1), 0x0500);
}

/* ib_modify_port(): agents of connections are there; what the port has by itself stays. */
MAD_CASE(software_tells_what_agents_it_has)
{
	struct swhca_hca *hca = p->w.dev[0].hca;
	uint8_t in[0x210] = { 0 }, out[0x210];

	world_put(in, 0, 16, MODIFY_VPORT);
	world_put(in, 4 + 16, 0, 1u << 16);
	world_put(in, 4 + 17, 0, 1u << 16);
	assert_int_equal(world_exec(hca, in, sizeof(in)), 0);
	world_put(in, 4 + 17, 11, 1);
	assert_int_equal(world_exec(hca, in, sizeof(in)), BAD_PARAM);
	assert_int_equal(world_query(hca, QUERY_VPORT, 0, 0, out, sizeof(out)), 0);
	assert_int_equal(world_get(out, 4 + 16), 1u << 25 | 1u << 16 | 1u << 14 | 1u << 11);
	assert_int_equal(world_get(out, 4 + 25) >> 16, SM_LID);
}

/* Counters of the set that RST2INIT named, and not of the other one. */
static uint32_t
writes_of_set(struct swhca_hca *hca, uint32_t id, bool clears)
{
	uint8_t in[32] = { 0 }, out[0x100];

	world_put(in, 0, 16, 0x773);
	world_put(in, 6, 31, clears);
	world_put(in, 7, 0, id);
	assert_int_equal(swhca_hca_cmd_exec(hca, in, sizeof(in), out, sizeof(out)), 0);
	return world_get(out, 4);
}

CASE(queues_count_in_their_set)
{
	struct swhca_hca_conf conf[2];
	struct pair *p;
	uint8_t in[WORLD_BOX] = { 0 };
	uint32_t ids[2], i;

	world_conf(conf);
	conf[0].has_driver = conf[1].has_driver = true;
	p = pair_create(sizeof(*p), conf);
	for (i = 0; i < 2; i++)
		ids[i] = world_alloc(p->b.hca, 0x771);
	/* RTS2RTS with MLX5_QP_OPTPAR_COUNTER_SET_ID */
	world_put(in, 0, 16, 0x505);
	world_put(in, 2, 0, p->b.qpn);
	world_put(in, 4, 25, 1);
	world_put(in, 6 + 3, 24, ids[0]);
	assert_int_equal(world_exec(p->b.hca, in, sizeof(in)), 0);
	post_mem(p, &p->a, OP_WRITE, AT_OUT, 0, 8);
	expect_run(p, &p->a, 0);
	assert_int_equal(writes_of_set(p->b.hca, ids[0], true), 1);
	assert_int_equal(writes_of_set(p->b.hca, ids[0], false), 0);
	assert_int_equal(writes_of_set(p->b.hca, ids[1], false), 0);
	pair_destroy(p);
}

static void
agent_receive(void *arg, const struct swhca_mad *mad)
{
	(*(unsigned int *)arg)++;
	assert_int_equal(mad->data[1], 7);
}

/* The rdma_cm front end names ports of InfiniBand by their addresses on a wire, if there is one. */
CASE(agents_of_one_fabric_find_each_other_by_any_name)
{
	struct swhca_mad mad = { .src_qpn = 1, .data = { 1, 7 } };
	struct swhca_mad_agent agent = { .receive = agent_receive };
	const uint8_t addr[16] = { [10] = 0xff, 0xff, 0xc0, 0x5a, 0, 2 };
	struct swhca_hca_conf conf[2];
	unsigned int i, nb = 0;
	struct world w;

	world_conf(conf);
	for (i = 0; i < 2; i++)
		conf[i].port_guid = UINT64_C(0x0200c0fffe5a0001) + i;
	world_create_conf(&w, conf);
	agent.arg = &nb;
	swhca_hca_set_mad_agent(w.dev[1].hca, &agent);
	memcpy(mad.dgid, addr, sizeof(addr));
	assert_int_equal(swhca_hca_mad_send(w.dev[0].hca, &mad), 0);
	gid_fill(mad.dgid, 0);
	memcpy(mad.dgid + 8, (const uint8_t[]){ 2, 0, 0xc0, 0xff, 0xfe, 0x5a, 0, 2 }, 8);
	assert_int_equal(swhca_hca_mad_send(w.dev[0].hca, &mad), 0);
	world_run(&w);
	assert_int_equal(nb, 2);
	mad.dgid[15] = 9;
	if (!world_is_packet())
		assert_int_equal(swhca_hca_mad_send(w.dev[0].hca, &mad), -ENETUNREACH);
	world_destroy(&w);
}
