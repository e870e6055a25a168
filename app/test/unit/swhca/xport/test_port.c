/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* What a device is: models, limits, link layers, and the addresses of RoCE. */

#include "cases.h"
#include "world.h"

/* PRM opcodes and statuses. */
#define QUERY_HCA_CAP		0x100
#define QUERY_NIC_VPORT_CONTEXT 0x754
#define QUERY_ROCE_ADDRESS	0x760
#define SET_ROCE_ADDRESS	0x761
#define QUERY_HCA_VPORT_CONTEXT 0x762
#define INT_ERR			0x01
#define BAD_OP			0x02
#define BAD_PARAM		0x03
#define EXCEED_LIM		0x08

#define ROCE_V1 0
#define ROCE_V2 2

static void
conf_eth(struct swhca_hca_conf conf[2])
{
	const uint8_t mac[6] = { 0x02, 0, 0xc0, 0x5a, 0, 0 };

	world_conf(conf);
	for (int i = 0; i < 2; i++) {
		conf[i].link_layer = SWHCA_LINK_ETH;
		conf[i].lid = 0;
		memcpy(conf[i].mac, mac, sizeof(mac));
		conf[i].mac[5] = (uint8_t)(i + 1);
	}
}

static uint8_t
address_set(struct swhca_hca *hca, uint32_t index, const uint8_t gid[16], const uint8_t mac[6],
	    uint32_t version, uint32_t l3_type)
{
	uint8_t in[0x30] = { 0 };

	world_put(in, 0, 16, SET_ROCE_ADDRESS);
	world_put(in, 2, 16, index);
	memcpy(in + 0x10, gid, 16);
	memcpy(in + 0x22, mac, 6);
	world_put(in, 10, 8, l3_type);
	world_put(in, 10, 0, version);
	return world_exec(hca, in, sizeof(in));
}

static void
gid_of(uint8_t gid[16], int dev)
{
	memset(gid, 0, 16);
	gid[0] = 0xfe;
	gid[1] = 0x80;
	gid[15] = (uint8_t)(dev + 1);
}

/* Entry 0 is RoCE 1, entry 1 is RoCE 2, of the same address. */
static int
eth_setup(void **state)
{
	struct world *w = malloc(sizeof(*w));
	struct swhca_hca_conf conf[2];
	uint8_t gid[16];

	assert_non_null(w);
	conf_eth(conf);
	world_create_conf(w, conf);
	for (int i = 0; i < 2; i++) {
		gid_of(gid, i);
		assert_int_equal(address_set(w->dev[i].hca, 0, gid, conf[i].mac, ROCE_V1, 0), 0);
		assert_int_equal(address_set(w->dev[i].hca, 1, gid, conf[i].mac, ROCE_V2, 1), 0);
	}
	*state = w;
	return 0;
}

static int
ib_setup(void **state)
{
	struct world *w = NOT_NULL(malloc(sizeof(*w)));

	world_create(w);
	*state = w;
	return 0;
}

static int
world_teardown(void **state)
{
	world_destroy(*state);
	free(*state);
	return 0;
}

#define ETH_CASE(f) CASE_OF(struct world, w, f, eth_setup, world_teardown)
#define IB_CASE(f) CASE_OF(struct world, w, f, ib_setup, world_teardown)

static void
query(struct swhca_hca *hca, uint16_t opcode, uint32_t op_mod, uint32_t dw2, void *out, size_t len)
{
	assert_int_equal(world_query(hca, opcode, op_mod, dw2, out, len), 0);
}

ETH_CASE(capabilities_follow_the_link_layer)
{
	uint8_t out[0x1010];

	query(w->dev[0].hca, QUERY_HCA_CAP, 1, 0, out, sizeof(out));
	assert_int_equal(world_get(out, 4 + 13) >> 8 & 3, 1);	/* port_type: Ethernet */
	assert_int_equal(world_get(out, 4 + 16) >> 2 & 1, 1);	/* roce */
	query(w->dev[0].hca, QUERY_HCA_CAP, 4 << 1 | 1, 0, out, sizeof(out));
	assert_int_equal(world_get(out, 4 + 4) & 0xff, 1 << ROCE_V1 | 1 << ROCE_V2);
	/* l3_type: MLX5_ROCE_L3_TYPE_IPV4_CAP and _IPV6_CAP, without which Linux has no RoCE */
	assert_int_equal(world_get(out, 4 + 4) >> 16 & 0xf, 1 << 1 | 1 << 2);
	assert_int_equal(world_get(out, 4 + 5) & 0xffff, 4791);	/* r_roce_dest_udp_port */
	assert_int_equal(world_get(out, 4 + 7) & 0xffff, 32);	/* roce_address_table_size */
}

IB_CASE(ib_port_has_no_roce)
{
	const uint8_t gid[16] = { 0xfe, 0x80 }, mac[6] = { 2 };
	uint8_t out[0x1010];

	query(w->dev[0].hca, QUERY_HCA_CAP, 1, 0, out, sizeof(out));
	assert_int_equal(world_get(out, 4 + 13) >> 8 & 3, 0);
	assert_int_equal(world_get(out, 4 + 16) >> 2 & 1, 0);
	assert_int_equal(address_set(w->dev[0].hca, 0, gid, mac, ROCE_V1, 0), BAD_OP);
}

ETH_CASE(addresses_can_be_read_back_and_cleared)
{
	const uint8_t gid[16] = { 0x20, 1, 0x0d, 0xb8, [15] = 7 }, zero[16] = { 0 };
	const uint8_t mac[6] = { 2, 3, 4, 5, 6, 7 };
	uint8_t out[0x30];

	assert_int_equal(address_set(w->dev[0].hca, 31, gid, mac, ROCE_V2, 1), 0);
	query(w->dev[0].hca, QUERY_ROCE_ADDRESS, 0, 31u << 16, out, sizeof(out));
	assert_memory_equal(out + 0x10, gid, 16);
	assert_memory_equal(out + 0x22, mac, 6);
	assert_int_equal(world_get(out, 10) & 0xfff, 1 << 8 | ROCE_V2);
	assert_int_equal(address_set(w->dev[0].hca, 31, zero, zero, 0, 0), 0);
	query(w->dev[0].hca, QUERY_ROCE_ADDRESS, 0, 31u << 16, out, sizeof(out));
	assert_memory_equal(out + 0x10, zero, 16);
}

ETH_CASE(bad_addresses_are_rejected)
{
	const uint8_t gid[16] = { 0xfe, 0x80 }, mac[6] = { 2 };
	struct swhca_hca *hca = w->dev[0].hca;

	assert_int_equal(address_set(hca, 32, gid, mac, ROCE_V1, 0), BAD_PARAM);
	assert_int_equal(address_set(hca, 2, gid, mac, 1, 0), BAD_PARAM);
	assert_int_equal(address_set(hca, 2, gid, mac, ROCE_V2, 2), BAD_PARAM);
}

ETH_CASE(nic_vport_has_the_mac_address)
{
	uint8_t out[0x110];

	query(w->dev[1].hca, QUERY_NIC_VPORT_CONTEXT, 0, 0, out, sizeof(out));
	assert_int_equal(world_get(out, 4) & 1, 1);			/* roce_en */
	assert_int_equal(world_get(out, 4 + 61) & 0xffff, 0x0200);
	assert_int_equal(world_get(out, 4 + 62), 0xc05a0002);
	assert_int_equal(world_cmd(w->dev[1].hca, QUERY_HCA_VPORT_CONTEXT, 0, NULL), BAD_OP);
}

/* A path in the mailbox of a transition: its first dword is 12. */
struct path {
	bool fl;
	uint32_t src_index;
	uint8_t gid[16], mac[6];
};

static void
modify(struct world_qp *qp, uint16_t opcode, uint32_t remote_qpn, const struct path *path)
{
	uint8_t in[0x110] = { 0 }, out[16];

	world_put(in, 0, 16, opcode);
	world_put(in, 2, 0, qp->qpn);
	world_put(in, 8, 29, 5);	/* mtu: 4096 */
	world_put(in, 8, 24, 30);	/* log_msg_max */
	world_put(in, 11, 0, remote_qpn);
	if (path != NULL) {
		world_put(in, 12, 31, path->fl);
		world_put(in, 14, 16, path->src_index);
		memcpy(in + 16 * 4, path->gid, 16);
		memcpy(in + 21 * 4 + 2, path->mac, 6);
	}
	world_put(in, 14, 27, 1);	/* ack_timeout: 8 us */
	world_put(in, 34, 16, 1);	/* retry_count */
	world_put(in, 42, 14, 3);	/* rre, rwe */
	assert_int_equal(swhca_hca_cmd_exec(qp->hca, in, sizeof(in), out, sizeof(out)), 0);
}

static void
connect_by(struct world_qp *qp, const struct world_qp *peer, const struct path *path)
{
	modify(qp, 0x502, 0, NULL);
	modify(qp, 0x503, peer->qpn, path);
	modify(qp, 0x504, 0, NULL);
}

static struct path
path_to(int dev, uint32_t src_index)
{
	struct path path = { .src_index = src_index };
	struct swhca_hca_conf conf[2];

	conf_eth(conf);
	gid_of(path.gid, dev);
	memcpy(path.mac, conf[dev].mac, sizeof(path.mac));
	return path;
}

/* Write 64 bytes from the first device to the second. @return Syndrome of the CQE, 0: none. */
static uint8_t
write_between(struct world *w, struct path to_b, struct path to_a)
{
	const struct mlx5_cqe64 *cqe;
	struct world_qp a, b;
	uint8_t body[32], syndrome;

	world_qp_create(w, 0, &a);
	world_qp_create(w, 1, &b);
	connect_by(&a, &b, &to_b);
	connect_by(&b, &a, &to_a);
	memset(w->mem, 0x5a, 64);
	memset(w->mem + 4096, 0, 64);
	world_rdma_body(body, (uintptr_t)w->mem + 4096, w->mem_key[1], w->mem, w->mem_key[0], 64);
	world_post(&a, MLX5_OPCODE_RDMA_WRITE, MLX5_WQE_CTRL_CQ_UPDATE, 0, body, 2);
	world_ring(&a);
	cqe = NOT_NULL(world_wait_cqe(w, &a, world_send_cqe));
	syndrome = cqe->op_own >> 4 == MLX5_CQE_REQ ?
			   0 : ((const struct mlx5_err_cqe *)(const void *)cqe)->syndrome;
	assert_int_equal(w->mem[4096 + 63], syndrome == 0 ? 0x5a : 0);
	world_qp_destroy(&a);
	world_qp_destroy(&b);
	return syndrome;
}

FABRIC_CASE(roce_path_goes_by_mac_and_gid, eth_setup, world_teardown)
{
	for (uint32_t i = 0; i < 2; i++)
		assert_int_equal(write_between(*state, path_to(1, i), path_to(0, i)), 0);
}

ETH_CASE(roce_path_to_nobody_exceeds_its_retries)
{
	struct path bad[3] = { path_to(1, 1), path_to(1, 1), path_to(1, 5) };

	bad[0].mac[5] ^= 0x80;
	bad[1].gid[15] ^= 0x80;
	/* No address of its own in entry 5: there is no packet. */
	for (size_t i = 0; i < NB_OF(bad); i++)
		row_check_at(i, write_between(w, bad[i], path_to(0, 1)),
			     MLX5_CQE_SYNDROME_TRANSPORT_RETRY_EXC_ERR);
}

ETH_CASE(roce_versions_do_not_mix)
{
	const uint8_t zero[16] = { 0 };

	assert_int_equal(address_set(w->dev[1].hca, 1, zero, zero, 0, 0), 0);
	assert_int_equal(write_between(w, path_to(1, 1), path_to(0, 0)),
			 MLX5_CQE_SYNDROME_TRANSPORT_RETRY_EXC_ERR);
}

ETH_CASE(forced_loopback_needs_no_address)
{
	const struct path self = { .fl = true };
	struct world_qp qp;
	uint8_t body[32];

	world_qp_create(w, 0, &qp);
	connect_by(&qp, &qp, &self);
	world_rdma_body(body, (uintptr_t)w->mem + 4096, w->mem_key[0], w->mem, w->mem_key[0], 64);
	world_post(&qp, MLX5_OPCODE_RDMA_WRITE, MLX5_WQE_CTRL_CQ_UPDATE, 0, body, 2);
	world_ring(&qp);
	world_run(w);
	assert_int_equal(world_send_cqe(&qp)->op_own >> 4, MLX5_CQE_REQ);
	world_qp_destroy(&qp);
}

static int
create(const struct swhca_hca_conf *conf)
{
	struct swhca_fabric *fabric;
	struct swhca_hca *hca;
	int ret;

	assert_int_equal(swhca_fabric_create(NULL, &fabric), 0);
	ret = swhca_hca_create(fabric, conf, &hca);
	swhca_fabric_destroy(fabric);
	return ret;
}

CASE(configurations_out_of_range_are_rejected)
{
	struct swhca_hca_conf conf[2], bad;
	const struct {
		size_t offset;
		uint8_t max;
	} limits[] = {
		{ offsetof(struct swhca_hca_conf, log_max_uar), 15 },
		{ offsetof(struct swhca_hca_conf, log_max_klm), 16 },
		{ offsetof(struct swhca_hca_conf, max_indirection), 8 },
		{ offsetof(struct swhca_hca_conf, log_max_qp), 16 },
		{ offsetof(struct swhca_hca_conf, log_max_qp_sz), 15 },
		{ offsetof(struct swhca_hca_conf, log_max_cq), 16 },
		{ offsetof(struct swhca_hca_conf, log_max_cq_sz), 22 },
		{ offsetof(struct swhca_hca_conf, log_max_mkey), 22 },
	};

	world_conf(conf);
	for (size_t i = 0; i < NB_OF(limits); i++) {
		bad = conf[0];
		((uint8_t *)&bad)[limits[i].offset] = limits[i].max;
		row_check_at(i, create(&bad), 0);
		((uint8_t *)&bad)[limits[i].offset]++;
		row_check_at(i, create(&bad), -EINVAL);
	}
	bad = conf[0];
	bad.model = SWHCA_NB_MODELS;
	assert_int_equal(create(&bad), -EINVAL);
	bad = conf[0];
	bad.lid = 0xc000;
	assert_int_equal(create(&bad), -EINVAL);
	conf_eth(conf);
	bad = conf[0];
	bad.lid = 1;
	assert_int_equal(create(&bad), -EINVAL);
	bad = conf[0];
	bad.mac[0] |= 1;	/* a group address */
	assert_int_equal(create(&bad), -EINVAL);
}

CASE(queues_beyond_the_limits_are_rejected)
{
	struct swhca_hca_conf conf[2];
	uint8_t in[WORLD_BOX];
	struct world_qp qp;
	struct world w;

	world_conf(conf);
	conf[0].log_max_qp_sz = 6;	/* the queue of the world has 64 */
	conf[0].log_max_cq_sz = 6;
	world_create_conf(&w, conf);
	world_qp_create(&w, 0, &qp);
	world_qp_box(&w, 0, in, &qp);
	world_put(in, 8, 11, 7);	/* log_sq_size: 6 | 7 is 7 */
	assert_int_equal(world_exec(w.dev[0].hca, in, sizeof(in)), EXCEED_LIM);
	world_cq_box(&w, 0, in, qp.umem, WORLD_SCQ_OFF, WORLD_DBR_OFF + 64);
	world_put(in, 7, 24, 7);
	assert_int_equal(world_exec(w.dev[0].hca, in, sizeof(in)), EXCEED_LIM);
	world_qp_destroy(&qp);
	world_destroy(&w);
}

CASE(models_have_ids_and_features)
{
	static const struct {
		const char *name;
		uint16_t pci_device;
		bool has_crypto, has_mmo;
	} rows[] = {
		{ "cx5", 0x1017, false, false },
		{ "cx6dx", 0x101d, true, false },
		{ "cx7", 0x1021, true, true },
	};
	struct swhca_hca_conf conf[2];
	enum swhca_model model;
	uint8_t out[0x1010];
	struct world w;

	for (size_t i = 0; i < NB_OF(rows); i++) {
		assert_true(swhca_model_find(rows[i].name, &model));
		assert_int_equal(swhca_model_info_get(model)->pci_device, rows[i].pci_device);
		assert_int_equal(swhca_model_has(model, SWHCA_FEATURE_CRYPTO), rows[i].has_crypto);
		assert_int_equal(swhca_model_has(model, SWHCA_FEATURE_DMA_MMO), rows[i].has_mmo);
		/* And capabilities say so. */
		world_conf(conf);
		conf[0].model = model;
		world_create_conf(&w, conf);
		query(w.dev[0].hca, QUERY_HCA_CAP, 1, 0, out, sizeof(out));
		assert_int_equal(world_get(out, 4 + 58) >> 23 & 1, rows[i].has_mmo);
		assert_int_equal(world_get(out, 4 + 35) >> 22 & 1, rows[i].has_crypto);
		world_destroy(&w);
	}
	assert_false(swhca_model_find("cx8", &model));
}

IB_CASE(failed_device_flushes_and_takes_only_teardown)
{
	struct world_qp a, b;
	uint32_t num;

	world_qp_create(w, 0, &a);
	world_qp_create(w, 1, &b);
	world_qp_connect(w, &a, &b);
	world_recv(&a, w->mem_key[0], w->mem, 64);
	swhca_hca_fail(w->dev[0].hca);
	swhca_hca_fail(w->dev[0].hca);
	world_run(w);
	assert_int_equal(((const struct mlx5_err_cqe *)(const void *)world_recv_cqe(&a))->syndrome,
			 MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
	assert_int_equal(world_cmd(w->dev[0].hca, 0x800, 0, &num), INT_ERR);
	num = world_alloc(w->dev[1].hca, 0x800);
	world_qp_destroy(&a);
	world_qp_destroy(&b);
}
