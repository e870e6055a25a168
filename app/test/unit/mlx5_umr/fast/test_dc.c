/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * DC queues without a device: bytes of an initiator, the list of receives of a target. Expected
 * bytes are typed here from rdma-core's layouts, not taken from its structs.
 */

#include "wqe/xfer.h"
#include "ring/dct.h"
#include "test_queue.h"

#define DC_KEY	UINT64_C(0x1122334455667788)
#define DCTN	0x0a0b0cu

static const uint8_t gid[16] = { 0xfe, 0x80, [15] = 0x42 };
static const uint8_t mac[6] = { 0x02, 0x11, 0x22, 0x33, 0x44, 0x55 };

/* Those of all queues, with the receives of a target. */
#define OP_MEMBER(name) .name = mlx5_umr_##name,
static struct rte_umr_fp_ops fp = { MLX5_UMR_OPS(OP_MEMBER) };

static int
setup(void **state)
{
	struct test_queue *t = *state = test_queue_new();

	t->queue.is_dci = true;
	t->queue.has_rq = false;
	t->queue.has_atomic = true;
	t->queue.has_send_inv = true;
	t->queue.max_inline = 100;
	fp.recv = mlx5_umr_dct_recv;
	fp.recv_burst = mlx5_umr_dct_recv_burst;
	fp.recv_completed = mlx5_umr_dct_recv_completed;
	return 0;
}

static struct rte_umr_dc_addr
address(uint32_t dctn)
{
	struct rte_umr_dc_addr addr = { .dev_id = TEST_DEV_ID, .is_filled = 1 };
	const struct mlx5_umr_av_attr attr = { .dc_key = DC_KEY, .dctn = dctn, .lid = 0x1234 };
	struct mlx5_wqe_av av;

	mlx5_umr_av_build(&av, &attr);
	memcpy(addr.av, &av, sizeof(addr.av));
	return addr;
}

CASE_WITH(address_of_infiniband_has_a_lid, setup, test_queue_teardown)
{
	const struct rte_umr_dc_addr addr = address(DCTN);

	TEST_BYTES(addr.av,
		   0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88,	/* key */
		   0x80, 0x0a, 0x0b, 0x0c,				/* extended, number */
		   0, 0, 0x12, 0x34, [47] = 0);		/* rate and SL, path bits, LID */
}

CASE_WITH(address_of_roce_has_gid_and_mac, setup, test_queue_teardown)
{
	struct mlx5_umr_av_attr attr = {
		.dc_key = DC_KEY, .dctn = DCTN, .lid = 0x1234, .udp_sport = 0xc007, .gid_index = 5,
		.hop_limit = 255, .is_eth = true,
	};
	struct mlx5_wqe_av av;

	memcpy(attr.gid, gid, sizeof(gid));
	memcpy(attr.mac, mac, sizeof(mac));
	mlx5_umr_av_build(&av, &attr);
	TEST_BYTES(&av,
		   0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88,	/* key */
		   0x80, 0x0a, 0x0b, 0x0c,				/* extended, number */
		   0, 0, 0xc0, 0x07,					/* ..., UDP source port */
		   0, 0, 0, 0,
		   0x02, 0x11, 0x22, 0x33, 0x44, 0x55,			/* MAC */
		   0, 255,						/* class, hops */
		   0x00, 0x50, 0, 0,			/* GID index 5 from bit 20 on */
		   0xfe, 0x80, [47] = 0x42);				/* GID */
}

QUEUE_CASE_WITH(write_has_its_address_in_front, setup, test_queue_teardown)
{
	const struct rte_umr_dc_addr addr = address(DCTN);
	const struct rte_umr_seg local = { 0x1000, 0x30, 0x100 };

	assert_int_equal(mlx5_umr_dc_addr_set(&t->queue, &addr), 0);
	assert_int_equal(fp.write(&t->queue, &local, 0x2000, 0x200, 0), 0);
	TEST_BYTES(t->sq, 0, 0, 0, 0x08, 0x12, 0x34, 0x56, 0x06, [15] = 0);
	assert_memory_equal(t->sq + 16, addr.av, 48);
	TEST_BYTES(t->sq + 64,
		   0, 0, 0, 0, 0, 0, 0x20, 0, 0, 0, 0x02, 0,	/* remote address, key */
		   0, 0, 0, 0, 0, 0, 0, 0x30, 0, 0, 0x01, 0,	/* length, local key */
		   0, 0, 0, 0, 0, 0, 0x10, 0);			/* local address */
	assert_int_equal(t->queue.sq_pi, 2);
	assert_int_equal(t->sq[128], TEST_POISON);
}

/* A WQE of one block, of two, and of as many as bytes in it need, at each place of the ring. */
QUEUE_CASE_WITH(addresses_follow_their_operations_round_the_ring, setup, test_queue_teardown)
{
	static const uint32_t lens[] = { 0, 40, 70 };
	static const uint16_t nb_bb[] = { 1, 2, 3 };
	struct rte_umr_dc_addr addr;
	uint32_t i, kind, pi;

	for (i = 0; i < 300; i++) {
		struct rte_umr_seg local = { (uintptr_t)t->rq, lens[i % 3], 0x100 };

		kind = i % 3;
		pi = t->queue.sq_pi;
		addr = address(i);
		assert_int_equal(mlx5_umr_dc_addr_set(&t->queue, &addr), 0);
		assert_int_equal(fp.send(&t->queue, &local, RTE_UMR_OP_F_SUBMIT |
					 (kind == 2 ? RTE_UMR_OP_F_INLINE : 0)), i);
		assert_int_equal(t->queue.sq_pi - pi, nb_bb[kind]);
		assert_memory_equal(test_wqe_at(t, pi) + 16, addr.av, 48);
		/* The bytes are behind their count, over the end of the ring where it comes. */
		if (kind == 2) {
			assert_int_equal(t->queue.inline_pi, (uint16_t)pi);
			assert_memory_equal(test_wqe_at(t, pi + 1) + 4, t->rq, 60);
			assert_memory_equal(test_wqe_at(t, pi + 2), t->rq + 60, 10);
		}
		test_cqe_write(t, (uint16_t)pi, MLX5_CQE_REQ, 0);
		TEST_COMPLETED(t, 1, 1, i, false);
		assert_int_equal(mlx5_umr_desc_avail(&t->queue), TEST_NB_WQEBB);
	}
}

CASE_WITH(umr_has_no_address, setup, test_queue_teardown)
{
	struct test_queue *t = *state, *rc = test_queue_new();

	/* Without an address, too. */
	assert_int_equal(test_list(t, 1, 0), 0);
	assert_int_equal(test_list(rc, 1, 0), 0);
	assert_memory_equal(t->sq, rc->sq, sizeof(t->sq));
	free(rc);
}

/* Rejected means: an errno, counted, nothing in the ring. */
static void
expect_rejected(struct test_queue *t, int ret, int expected)
{
	assert_int_equal(ret, expected);
	assert_int_equal(test_nb_rejected(&t->queue), 1);
	assert_int_equal(t->queue.op_pi, 0);
	test_filled(t->sq, TEST_POISON, sizeof(t->sq));
	mlx5_umr_queue_stats_reset(&t->queue);
}

QUEUE_CASE_WITH(bad_arguments_leave_no_trace, setup, test_queue_teardown)
{
	struct rte_umr_dc_addr addr = address(DCTN);
	struct rte_umr_seg local = { 0x1000, 8, 0x100 };
	const struct rte_umr_swap swap = { 0, 0 };
	struct mlx5_umr_queue *q = &t->queue;

	expect_rejected(t, fp.write(q, &local, 0, 0, 0), -EDESTADDRREQ);
	expect_rejected(t, fp.read(q, &local, 0, 0, 0), -EDESTADDRREQ);
	expect_rejected(t, fp.send(q, &local, RTE_UMR_OP_F_SUBMIT), -EDESTADDRREQ);
	expect_rejected(t, fp.fetch_add(q, &local, 0, 0, 1, 0), -EDESTADDRREQ);
	addr.is_filled = 0;
	expect_rejected(t, mlx5_umr_dc_addr_set(q, &addr), -EINVAL);
	addr.is_filled = 1;
	addr.dev_id = TEST_DEV_ID + 1;
	expect_rejected(t, mlx5_umr_dc_addr_set(q, &addr), -EXDEV);
	addr.dev_id = TEST_DEV_ID;
	q->is_dci = false;
	expect_rejected(t, mlx5_umr_dc_addr_set(q, &addr), -ENOTSUP);
	q->is_dci = true;
	assert_int_equal(mlx5_umr_dc_addr_set(q, &addr), 0);
	expect_rejected(t, fp.write(q, &local, 0, 0, RTE_BIT64(40)), -EINVAL);
	expect_rejected(t, fp.read(q, &local, 0, 0, RTE_UMR_OP_F_INLINE), -EINVAL);
	expect_rejected(t, fp.cmp_swap(q, &local, 0, 0, &swap, RTE_UMR_OP_F_INLINE), -EINVAL);
	local.length = 101;
	expect_rejected(t, fp.send_inv(q, &local, 0, RTE_UMR_OP_F_INLINE), -EMSGSIZE);
	expect_rejected(t, fp.cmp_swap(q, &local, 0, 0, &swap, 0), -EINVAL);
	local.length = q->max_msg_len + 1;
	expect_rejected(t, fp.send(q, &local, 0), -EMSGSIZE);
	q->has_atomic = false;
	local.length = 8;
	expect_rejected(t, fp.fetch_add(q, &local, 0, 0, 1, 0), -ENOTSUP);
}

/* A target with four WQEs, of which three can be posted. */
static int
target_setup(void **state)
{
	struct test_queue *t;
	struct mlx5_umr_dct *dct;

	setup(state);
	t = *state;
	t->queue.is_dci = false;
	t->queue.has_rq = true;
	t->queue.error = -ENOTSUP;
	dct = calloc(1, sizeof(*dct) + TEST_NB_RECV * sizeof(dct->slots[0]));
	assert_non_null(dct);
	t->queue.dct = dct;
	dct->tail = TEST_NB_RECV - 1;
	for (uint16_t i = 0; i < TEST_NB_RECV; i++)
		mlx5_umr_dct_wqe(&t->queue, i)->next_wqe_index =
			rte_cpu_to_be_16((i + 1) % TEST_NB_RECV);
	return 0;
}

static int
target_teardown(void **state)
{
	free(((struct test_queue *)*state)->queue.dct);
	return test_queue_teardown(state);
}

/* Collect as a target does. */
#define DCT_RECEIVED(t, nb_max, first, ...)                                                        \
	test_done_check(t, fp.recv_completed(&(t)->queue, nb_max, (t)->done), first,               \
			(const uint8_t[]){ __VA_ARGS__, TEST_STATUS_END }, __LINE__)

static int
recv_post(struct test_queue *t, uint64_t addr)
{
	const struct rte_umr_seg seg = { addr, 64, 0x100 };

	return fp.recv(&t->queue, &seg, 1, 0);
}

/* The device is done with the WQE of that slot. */
static void
recv_done(struct test_queue *t, uint16_t slot)
{
	struct mlx5_cqe64 *cqe = &t->rq_cqes[t->rq_cq_pi % TEST_NB_RECV];

	test_rq_cqe_write(t, MLX5_CQE_RESP_SEND, 64, 0, 0);
	cqe->wqe_counter = rte_cpu_to_be_16(slot);
}

static uint64_t
wqe_addr(struct test_queue *t, uint16_t slot)
{
	const struct mlx5_wqe_data_seg *data = (const void *)(mlx5_umr_dct_wqe(&t->queue, slot) +
							      1);

	assert_int_equal(rte_be_to_cpu_32(data->byte_count), 64);
	assert_int_equal(rte_be_to_cpu_32(data[1].lkey), MLX5_INVALID_LKEY);
	return rte_be_to_cpu_64(data->addr);
}

/* Where a device that follows the list from a WQE on comes to. */
static uint16_t
next_of(struct test_queue *t, uint16_t slot)
{
	return rte_be_to_cpu_16(mlx5_umr_dct_wqe(&t->queue, slot)->next_wqe_index);
}

QUEUE_CASE_WITH(receives_are_a_list_without_its_end, target_setup, target_teardown)
{
	assert_int_equal(recv_post(t, 0x1000), 0);
	assert_int_equal(recv_post(t, 0x2000), 1);
	assert_int_equal(rte_be_to_cpu_32(t->dbr[PRM_DBR_RQ]), 2);
	assert_int_equal(recv_post(t, 0x3000), 2);
	assert_int_equal(recv_post(t, 0x4000), -ENOSPC);
	assert_int_equal(rte_be_to_cpu_32(t->dbr[PRM_DBR_RQ]), 3);
	assert_int_equal(wqe_addr(t, 0), 0x1000);
	assert_int_equal(wqe_addr(t, next_of(t, 0)), 0x2000);
	assert_int_equal(wqe_addr(t, next_of(t, 1)), 0x3000);
}

QUEUE_CASE_WITH(receives_come_back_in_the_order_of_messages, target_setup, target_teardown)
{
	uint16_t slot;

	for (int i = 0; i < 3; i++)
		assert_int_equal(recv_post(t, 0x1000 * (i + 1)), i);
	/* The device has read where the list goes on when it took the last. */
	slot = next_of(t, 2);
	/* The message of the first is the longest. */
	recv_done(t, 2);
	recv_done(t, 1);
	assert_int_equal(fp.recv_completed(&t->queue, TEST_NB_RECV, t->done), 2);
	assert_int_equal(t->done[0].idx, 2);
	assert_int_equal(t->done[1].idx, 1);
	assert_int_equal(t->done[0].status, RTE_UMR_STATUS_SUCCESS);
	assert_int_equal(t->done[0].length, 64);
	/* Their room is there again, although the first is still out. */
	assert_int_equal(recv_post(t, 0x5000), 3);
	assert_int_equal(recv_post(t, 0x6000), 4);
	assert_int_equal(recv_post(t, 0x7000), -ENOSPC);
	/* And the device, which has taken three, comes to them in this order. */
	assert_int_equal(wqe_addr(t, slot), 0x5000);
	slot = next_of(t, slot);
	assert_int_equal(wqe_addr(t, slot), 0x6000);
	assert_int_equal(wqe_addr(t, 0), 0x1000);
	recv_done(t, 0);
	DCT_RECEIVED(t, TEST_NB_RECV, 0, OK);
}

/* Many rounds, each time completed in another order. */
QUEUE_CASE_WITH(list_stays_whole, target_setup, target_teardown)
{
	uint16_t slots[3], taken = 0;	/* taken: where the device is in the list */

	for (uint32_t round = 0; round < 1000; round++) {
		for (uint32_t i = 0; i < 3; i++)
			assert_int_equal(recv_post(t, 0x1000 * (i + 1)), (uint16_t)(round * 3 + i));
		for (uint32_t i = 0; i < 3; i++) {
			slots[i] = taken;
			assert_int_equal(wqe_addr(t, taken), 0x1000 * (i + 1));
			taken = next_of(t, taken);
		}
		for (uint32_t i = 0; i < 3; i++) {
			uint32_t which = (i * (round % 2 + 1) + round) % 3;

			recv_done(t, slots[which]);
			DCT_RECEIVED(t, 1, round * 3 + which, OK);
		}
	}
}

QUEUE_CASE_WITH(failed_receive_leaves_the_target_alive, target_setup, target_teardown)
{
	assert_int_equal(recv_post(t, 0x1000), 0);
	test_rq_cqe_write(t, MLX5_CQE_RESP_ERR, 0, 0, SYND_PROT);
	DCT_RECEIVED(t, 1, 0, PROT);
	assert_int_equal(recv_post(t, 0x2000), 1);
}

QUEUE_CASE_WITH(receives_are_flushed_once_behind_a_reset, target_setup, target_teardown)
{
	for (int i = 0; i < 3; i++)
		recv_post(t, 0x1000 * (i + 1));
	recv_done(t, 1);
	assert_int_equal(fp.recv_completed(&t->queue, 0, t->done), 0);
	t->queue.is_reset = true;
	t->queue.error = -EIO;
	assert_int_equal(fp.recv_completed(&t->queue, TEST_NB_RECV, t->done), 3);
	assert_int_equal(t->done[0].idx, 1);
	assert_int_equal(t->done[0].status, RTE_UMR_STATUS_SUCCESS);
	assert_int_equal(t->done[1].idx, 0);
	assert_int_equal(t->done[1].status, RTE_UMR_STATUS_FLUSHED);
	assert_int_equal(t->done[2].idx, 2);
	assert_int_equal(t->done[2].status, RTE_UMR_STATUS_FLUSHED);
	assert_int_equal(fp.recv_completed(&t->queue, TEST_NB_RECV, t->done), 0);
	assert_int_equal(recv_post(t, 0x4000), -EIO);
}

QUEUE_CASE_WITH(target_takes_receives_only, target_setup, target_teardown)
{
	struct rte_umr_seg seg = { 0x1000, 64, 0x100 };
	const struct rte_umr_seg segs[4] = { seg, seg, seg, seg };

	assert_int_equal(mlx5_umr_write(&t->queue, &seg, 0, 0, 0), -ENOTSUP);
	assert_int_equal(mlx5_umr_send(&t->queue, &seg, 0), -ENOTSUP);
	assert_int_equal(test_list(t, 1, 0), -ENOTSUP);
	assert_int_equal(mlx5_umr_submit(&t->queue), 0);
	assert_int_equal(fp.recv(&t->queue, segs, 4, 0), -E2BIG);
	assert_int_equal(fp.recv(&t->queue, segs, 1, RTE_UMR_OP_F_SUBMIT), -EINVAL);
	seg.length = 0;
	assert_int_equal(fp.recv(&t->queue, &seg, 1, 0), -EINVAL);
	assert_int_equal(t->dbr[PRM_DBR_RQ], 0);
}

int
main(void)
{
	return test_run_isas();
}
