/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Frames from port to port: who gets them, what completes, what is refused. */

#include "nic.h"

#define BAD_PARAM	0x03
#define BAD_RES		0x05
#define RES_BUSY	0x06
#define EXCEED_LIM	0x08
#define BAD_STATE	0x10

static const uint8_t everybody[6] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };
static const uint8_t nobody[6] = { 0x02, 0, 0, 0, 0, 0x99 };
static const uint8_t group[6] = { 0x33, 0x33, 0, 0, 0, 1 };

/* The next CQE of a port must be of that frame. */
static void
expect_bytes(struct nic *nic, const uint8_t *bytes, size_t len)
{
	const struct mlx5_cqe64 *cqe = NOT_NULL(nic_recv_cqe(nic));

	assert_int_equal(cqe->op_own >> 4, MLX5_CQE_RESP_SEND);
	assert_int_equal(be32toh(cqe->byte_cnt), len);
	assert_memory_equal(nic_frame(nic, cqe), bytes, len);
}

static void
expect_frame(struct nic *nic)
{
	expect_bytes(nic, frame, sizeof(frame));
}

static void
frame_post(const struct nic_send *how)
{
	nic_post(a, frame, sizeof(frame), how);
}

static void
expect_nothing(struct nic *nic)
{
	assert_null(nic_recv_cqe(nic));
}

static void
expect_passes(struct nic *from, struct nic *to)
{
	frame_send(from);
	expect_frame(to);
}

static void
expect_lost(struct nic *from, struct nic *to)
{
	frame_send(from);
	expect_nothing(to);
}

NIC_CASE(frame_reaches_the_owner_of_its_address)
{
	const struct mlx5_cqe64 *cqe;

	nic_recv_post(b, 2);
	nic_recv_post(c, 2);
	frame_send(a);
	cqe = NOT_NULL(nic_send_cqe(a));
	assert_int_equal(cqe->op_own >> 4, MLX5_CQE_REQ);
	assert_int_equal(be32toh(cqe->sop_drop_qpn), OP_SEND << 24 | a->sqn);
	assert_int_equal(be16toh(cqe->wqe_counter), 0);
	assert_int_equal(be32toh(cqe->srqn_uidx), 0x51);
	cqe = NOT_NULL(nic_recv_cqe(b));
	assert_int_equal(be32toh(cqe->sop_drop_qpn), 0x77);	/* flow tag */
	assert_int_equal(be32toh(cqe->srqn_uidx), 0x52);
	assert_int_equal(cqe->hds_ip_ext & 7, 1);		/* l2_ok alone */
	assert_memory_equal(nic_frame(b, cqe), frame, sizeof(frame));
	expect_nothing(c);
	expect_nothing(a);
}

NIC_CASE(broadcast_reaches_all_others)
{
	for (int i = 0; i < NB_NICS; i++)
		nic_recv_post(&all->nic[i], 1);
	nic_frame_fill(frame, everybody, b->mac);
	expect_passes(b, a);
	expect_frame(c);
	expect_nothing(b);
}

NIC_CASE(unknown_address_reaches_promiscuous_ports)
{
	for (int i = 0; i < NB_NICS; i++)
		nic_recv_post(&all->nic[i], 4);
	nic_frame_fill(frame, nobody, a->mac);
	expect_lost(a, b);
	expect_nothing(c);
	assert_int_equal(nic_promisc_set(c, false, false, true), 0);
	expect_lost(a, b);
	expect_frame(c);
	assert_int_equal(nic_promisc_set(c, false, true, false), 0);
	expect_lost(a, c);
	nic_frame_fill(frame, group, a->mac);
	expect_passes(a, c);
	expect_nothing(b);
}

NIC_CASE(lists_of_addresses_are_taken)
{
	uint8_t list[2][6];

	memcpy(list[0], b->mac, 6);
	memcpy(list[1], nobody, 6);
	nic_recv_post(b, 4);
	assert_int_equal(nic_list_set(b, 0, (const void *)list, 2), 0);
	nic_frame_fill(frame, nobody, a->mac);
	expect_passes(a, b);
	memcpy(list[0], group, 6);
	assert_int_equal(nic_list_set(b, 1, (const void *)list, 1), 0);
	nic_frame_fill(frame, group, a->mac);
	expect_passes(a, b);
	assert_int_equal(nic_list_set(b, 1, NULL, 0), 0);
	expect_lost(a, b);
	assert_int_equal(nic_list_set(b, 0, NULL, 129), BAD_PARAM);
	assert_int_equal(nic_list_set(b, 3, NULL, 0), BAD_PARAM);
	assert_int_equal(nic_list_set(b, 0, NULL, 6), 0x50);	/* mailbox ends before */
}

/* QUERY_Q_COUNTER */
static uint32_t
out_of_buffer(struct nic *nic, uint32_t set)
{
	uint8_t in[0x20] = { 0 }, out[0x100];

	world_put(in, 0, 16, 0x773);
	world_put(in, 7, 0, set);
	assert_int_equal(swhca_hca_cmd_exec(nic->hca, in, sizeof(in), out, sizeof(out)), 0);
	return world_get(out, 12);
}

NIC_CASE(frame_without_a_wqe_is_dropped)
{
	uint8_t in[0x110] = { 0 };
	uint32_t set = world_alloc(b->hca, 0x771);

	/* MODIFY_RQ: counter_set_id */
	world_put(in, 2, 0, b->rqn);
	world_put(in, 2, 28, 1);
	world_put(in, 5, 3, 1);
	world_put(in, 8, 20, 1);
	world_put(in, 11, 24, set);
	assert_int_equal(nic_exec(b, in, sizeof(in), 0x909, NULL), 0);
	frame_send(a);
	assert_non_null(nic_send_cqe(a));
	expect_nothing(b);
	assert_int_equal(out_of_buffer(b, set), 1);
	nic_recv_post(b, 1);
	expect_nothing(b);
	frame[20] ^= 1;
	expect_passes(a, b);
}

NIC_CASE(rings_wrap)
{
	nic_recv_post(b, NIC_WQES);
	/* Counters of 16 bits, too. */
	for (unsigned int i = 0; i < 66000; i++) {
		memcpy(frame + 20, &i, sizeof(i));
		frame_send(a);
		assert_non_null(nic_send_cqe(a));
		expect_frame(b);
		nic_recv_post(b, 1);
	}
}

NIC_CASE(states_are_kept)
{
	/* From a state that it is not in, to one that it cannot get to, and one that is none. */
	assert_int_equal(nic_wq_modify(a, 0x905, a->sqn, 0, 1), BAD_STATE);
	assert_int_equal(nic_wq_modify(a, 0x905, a->sqn, 1, 2), BAD_STATE);
	assert_int_equal(nic_wq_modify(a, 0x905, a->sqn + 1, 1, 0), BAD_RES);
	assert_int_equal(nic_wq_modify(a, 0x905, a->sqn, 1, 3), 0);
	assert_int_equal(nic_wq_modify(a, 0x905, a->sqn, 3, 1), BAD_STATE);
	assert_int_equal(nic_wq_modify(a, 0x905, a->sqn, 3, 0), 0);
	nic_recv_post(b, 4);
	frame_send(a);
	assert_null(nic_send_cqe(a));
	assert_int_equal(nic_wq_modify(a, 0x905, a->sqn, 0, 1), 0);
	nics_run(all);
	assert_non_null(nic_send_cqe(a));
	expect_frame(b);
	assert_int_equal(nic_wq_modify(b, 0x909, b->rqn, 1, 0), 0);
	b->rq_pi = 0;
	expect_lost(a, b);
	nic_recv_post(b, 1);
	assert_int_equal(nic_wq_modify(b, 0x909, b->rqn, 0, 1), 0);
	expect_passes(a, b);
}

/* As mlx5e does it: an error, all that is posted comes back, and the queue begins anew. */
NIC_CASE(queue_recovers_behind_an_error)
{
	const struct nic_send bad = { .opcode = OP_READ }, good = { 0 };

	nic_recv_post(b, 4);
	frame_post(&good);
	frame_post(&bad);
	frame_post(&good);
	nics_run(all);
	assert_int_equal(nic_send_cqe(a)->op_own >> 4, MLX5_CQE_REQ);
	expect_error(nic_send_cqe(a), MLX5_CQE_REQ_ERR, MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR);
	expect_error(nic_send_cqe(a), MLX5_CQE_REQ_ERR, MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
	frame_post(&good);
	nics_run(all);
	expect_error(nic_send_cqe(a), MLX5_CQE_REQ_ERR, MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
	expect_frame(b);
	expect_nothing(b);
	assert_int_equal(nic_wq_modify(a, 0x905, a->sqn, 3, 0), 0);
	assert_int_equal(nic_wq_modify(a, 0x905, a->sqn, 0, 1), 0);
	/* The record still has the old counter: it says nothing. */
	nics_run(all);
	assert_null(nic_send_cqe(a));
	a->sq_pi = 0;
	frame_send(a);
	assert_int_equal(nic_send_cqe(a)->op_own >> 4, MLX5_CQE_REQ);
	expect_frame(b);
}

NIC_CASE(memory_that_is_not_there_is_an_error)
{
	const struct mlx5_cqe64 *cqe;

	nic_recv_post(b, 2);
	world_put(b->rq, 1, 0, 0x80000000);	/* key of nobody */
	frame_send(a);
	expect_error(nic_recv_cqe(b), MLX5_CQE_RESP_ERR, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
	assert_int_equal(nic_wq_modify(b, 0x909, b->rqn, 1, 1), BAD_STATE);
	expect_lost(a, b);
	/* And a sender's. */
	assert_non_null(nic_send_cqe(a));
	assert_non_null(nic_send_cqe(a));
	a->key ^= 0x80000000;
	frame_send(a);
	cqe = nic_send_cqe(a);
	expect_error(cqe, MLX5_CQE_REQ_ERR, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
	/* As adapters in public logs (FDio/csit#3988). */
	assert_int_equal(((const struct mlx5_err_cqe *)cqe)->vendor_err_synd, 0x52);
}

/* Counters that cannot be, and WQEs that make no sense, stop their queue and nobody else. */
NIC_CASE(garbage_stops_its_queue)
{
	world_store(b->dbr + 64, 0x4000);
	expect_lost(a, b);
	for (unsigned int i = 0; i < NIC_PAGE; i++)
		a->sq[i] = (uint8_t)(i * 29 + 7);
	a->sq_pi = 16;
	nic_ring(a);
	nics_run(all);
	a->sq_pi = 0x1234;
	nic_ring(a);
	nics_run(all);
	nic_recv_post(c, 1);
	nic_frame_fill(frame, c->mac, b->mac);
	expect_passes(b, c);
}

NIC_CASE(objects_go_in_order)
{
	const struct nic_send how = { 0 };
	uint8_t in[0x40] = { 0 };

	nic_recv_post(b, 4);
	assert_int_equal(world_cmd(a->hca, 0x914, a->tisn, NULL), RES_BUSY);	/* TIS */
	assert_int_equal(world_cmd(a->hca, 0x401, a->scqn, NULL), RES_BUSY);	/* CQ */
	assert_int_equal(world_cmd(b->hca, 0x90a, b->rqn, NULL), RES_BUSY);	/* RQ */
	assert_int_equal(world_cmd(b->hca, 0x902, b->tirn, NULL), RES_BUSY);	/* TIR */
	world_put(in, 5, 0, b->table);
	assert_int_equal(nic_exec(b, in, sizeof(in), 0x931, NULL), RES_BUSY);
	/* Frames that are posted go with their queue. */
	frame_post(&how);
	frame_post(&how);
	assert_int_equal(world_cmd(a->hca, 0x906, a->sqn, NULL), 0);
	nics_run(all);
	expect_nothing(b);
	assert_int_equal(world_cmd(a->hca, 0x914, a->tisn, NULL), 0);
}

NIC_CASE(reset_takes_all_of_a_port)
{
	const struct nic_send how = { 0 };
	struct swhca_hca_stats stats;

	nic_recv_post(b, 4);
	frame_post(&how);
	swhca_hca_reset(b->hca);
	nics_run(all);
	expect_nothing(b);
	frame_post(&how);
	swhca_hca_reset(a->hca);
	nics_run(all);
	swhca_hca_stats_get(a->hca, &stats);
	assert_int_equal(stats.nb_objects, 0);
}

/* Of the function that sent it, only who asks for it gets it: Linux sets the bits to receive. */
NIC_CASE(own_frames_come_back_if_asked_for)
{
	uint8_t in[0x110] = { 0 };

	nic_frame_fill(frame, a->mac, a->mac);
	nic_recv_post(a, 2);
	expect_lost(a, a);
	world_put(in, 2, 0, a->tirn);
	world_put(in, 5, 4, 1);			/* self_lb_en */
	world_put(in, 8 + 9, 24, 1);
	assert_int_equal(nic_exec(a, in, sizeof(in), 0x901, NULL), 0);
	expect_passes(a, a);
	nic_frame_fill(frame, everybody, a->mac);
	expect_lost(a, a);
}

NIC_CASE(port_that_is_down_is_silent)
{
	nic_recv_post(b, 4);
	swhca_hca_port_set(b->hca, false);
	expect_lost(a, b);
	assert_non_null(nic_send_cqe(a));
	swhca_hca_port_set(b->hca, true);
	swhca_hca_port_set(a->hca, false);
	expect_lost(a, b);
	assert_non_null(nic_send_cqe(a));
	swhca_hca_port_set(a->hca, true);
	expect_passes(a, b);
}

NIC_CASE(mtu_is_the_longest_frame)
{
	uint8_t large[1600] = { 0 }, in[0x200] = { 0 };

	nic_frame_fill(large, b->mac, a->mac);
	nic_recv_post(b, 4);
	/* The check sequence counts. */
	nic_send(all, a, large, 1519);
	expect_nothing(b);
	nic_send(all, a, large, 1518);
	expect_bytes(b, large, 1518);
	world_put(in, 3, 6, 1);			/* mtu */
	world_put(in, 64 + 9, 0, 1604);
	assert_int_equal(nic_exec(b, in, sizeof(in), 0x755, NULL), 0);
	nic_send(all, a, large, 1600);
	expect_bytes(b, large, 1600);
	world_put(in, 64 + 9, 0, 0xffff);
	assert_int_equal(nic_exec(b, in, sizeof(in), 0x755, NULL), BAD_PARAM);
}
