/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Dynamically connected transport: one initiator, several targets, on one device or two. */

#include <poll.h>
#include <string.h>

#include "../../patience.h"
#include "dc/dc.h"

/* Write to one target, then to the other, under one doorbell; read it back the same way. */
AT_CASE(dc, writes_and_reads_go_where_the_address_says)
{
	const uint32_t nb = 6, len = 1000;
	struct rte_umr_seg local;
	struct dc dc;

	TEST_NEED(dc_create(env, &dc, 2));
	for (uint32_t i = 0; i < nb; i++) {
		const struct dc_target *target = &dc.targets[i % DC_NB_TARGETS];

		local = at_seg(env->tx, i * len, len);
		TEST_ASSERT_SUCCESS(dc_address_set(env, target));
		TEST_ASSERT_EQUAL(rte_umr_write(env->tx->dev_id, DCI, &local,
						at_addr(target->side, DC_HALF + i * len),
						target->side->mr->rkey, 0), i);
	}
	TEST_ASSERT_SUCCESS(at_finish(env, (uint16_t)nb));
	for (uint32_t i = 0; i < nb; i++)
		TEST_ASSERT_SAME(dc.targets[i % DC_NB_TARGETS].side->buf + DC_HALF + i * len,
				 env->tx->buf + i * len, len);
	for (uint32_t i = 0; i < nb; i++) {
		const struct dc_target *target = &dc.targets[i % DC_NB_TARGETS];

		local = at_seg(env->tx, DC_HALF + 2 * nb * len + i * len, len);
		TEST_ASSERT_SUCCESS(dc_address_set(env, target));
		TEST_ASSERT_EQUAL(rte_umr_read(env->tx->dev_id, DCI, &local,
					       at_addr(target->side, DC_HALF + i * len),
					       target->side->mr->rkey, 0), nb + i);
	}
	TEST_ASSERT_SUCCESS(at_finish(env, (uint16_t)nb));
	TEST_ASSERT_SAME(env->tx->buf + DC_HALF + 2 * nb * len, env->tx->buf, nb * len);
	return TEST_SUCCESS;
}

/* More rounds than a target has receives, and than the initiator's ring has room for. */
AT_CASE(dc, messages_arrive_at_the_target_named)
{
	const uint32_t nb = 40;
	struct rte_umr_seg local;
	struct dc dc;
	uint32_t i, t, len;

	TEST_NEED(dc_create(env, &dc, 1));
	for (i = 0; i < nb; i++) {
		/* Without data a send has one block less. */
		len = i % 3 == 2 ? 0 : 1 + i % DC_MSG_LEN;
		local = at_seg(env->tx, i * DC_MSG_LEN, len);
		for (t = 0; t < DC_NB_TARGETS; t++) {
			TEST_ASSERT_EQUAL(dc_recv_post(&dc.targets[t], i), i);
			TEST_ASSERT_SUCCESS(dc_address_set(env, &dc.targets[t]));
			TEST_ACCEPT(rte_umr_send_imm(env->tx->dev_id, DCI, &local,
						     rte_cpu_to_be_32(i), 0));
		}
		TEST_ASSERT_SUCCESS(at_finish(env, DC_NB_TARGETS));
		for (t = 0; t < DC_NB_TARGETS; t++)
			TEST_ASSERT_SUCCESS(dc_recv_expect(env, &dc.targets[t], i, i * DC_MSG_LEN,
							   len));
	}
	return TEST_SUCCESS;
}

/* The initiator has no receives, the target nothing else. */
AT_CASE(dc, both_sides_have_completion_events)
{
	struct pollfd fds[2] = { { .events = POLLIN }, { .events = POLLIN } };
	struct dc dc;

	TEST_NEED(dc_create(env, &dc, 1));
	const int16_t dev_id = env->tx->dev_id;
	const struct rte_umr_seg local = at_seg(env->tx, 0, DC_MSG_LEN);
	const uint16_t queues[] = { DCI, 1 };

	for (unsigned int i = 0; i < RTE_DIM(queues); i++) {
		fds[i].fd = rte_umr_queue_event_fd(dev_id, queues[i]);
		TEST_ASSERT(fds[i].fd >= 0);
	}
	for (uint32_t round = 0; round < 6; round++) {
		TEST_ASSERT_EQUAL(dc_recv_post(&dc.targets[0], round), round);
		for (unsigned int i = 0; i < RTE_DIM(queues); i++)
			TEST_ASSERT_SUCCESS(rte_umr_queue_event_arm(dev_id, queues[i]));
		TEST_ASSERT_EQUAL(poll(fds, RTE_DIM(fds), 0), 0);
		TEST_ASSERT_SUCCESS(dc_address_set(env, &dc.targets[0]));
		TEST_ACCEPT(rte_umr_send_imm(dev_id, DCI, &local, rte_cpu_to_be_32(round),
					     RTE_UMR_OP_F_SUBMIT));
		for (unsigned int i = 0; i < RTE_DIM(queues); i++) {
			TEST_ASSERT_EQUAL(poll(&fds[i], 1, patience_ms()), 1);
			TEST_ASSERT_EQUAL(rte_umr_queue_event_clear(dev_id, queues[i]), 1);
		}
		TEST_ASSERT_SUCCESS(at_finish(env, 1));
		TEST_ASSERT_SUCCESS(dc_recv_expect(env, &dc.targets[0], round, 0, DC_MSG_LEN));
	}
	return TEST_SUCCESS;
}

AT_CASE(dc, write_with_immediate_takes_a_receive)
{
	struct rte_umr_completion done;
	struct dc dc;

	TEST_NEED(dc_create(env, &dc, 1));
	const struct rte_umr_seg local = at_seg(env->tx, 0, 500);
	TEST_ASSERT_EQUAL(rte_umr_recv(env->tx->dev_id, 1, NULL, 0, 0), 0);
	TEST_ASSERT_SUCCESS(dc_address_set(env, &dc.targets[0]));
	TEST_ASSERT_EQUAL(rte_umr_write_imm(env->tx->dev_id, DCI, &local, at_addr(env->tx, DC_HALF),
					    env->tx->mr->rkey, rte_cpu_to_be_32(77), 0), 0);
	TEST_ASSERT_SUCCESS(at_finish(env, 1));
	TEST_ASSERT_EQUAL(at_collect_recv(env->tx->dev_id, 1, &done, 1), 1);
	TEST_ASSERT_EQUAL(done.op, RTE_UMR_OP_RECV_WRITE_IMM);
	TEST_ASSERT_EQUAL(done.length, 500);
	TEST_ASSERT_EQUAL(done.imm, rte_cpu_to_be_32(77));
	TEST_ASSERT_SAME(env->tx->buf + DC_HALF, env->tx->buf, 500);
	return TEST_SUCCESS;
}

/* Every third byte block, then every second, gathered by keys of the initiator. */
AT_CASE(dc, layouts_work_on_an_initiator)
{
	const uint32_t nb = 8, len = 32;
	struct rte_umr_interleaved entry;
	struct rte_umr_seg segs[8], local;
	struct rte_umr_mkey *keys[2];
	struct dc dc;

	TEST_NEED(dc_create(env, &dc, 2));
	for (uint32_t i = 0; i < nb; i++)
		segs[i] = at_seg(env->tx, i * 3 * len, len);
	entry = (struct rte_umr_interleaved){ .addr = at_addr(env->tx, 0), .bytes_count = len,
					      .bytes_skip = len, .lkey = env->tx->mr->lkey };
	keys[0] = AT_KEY(env->tx);
	keys[1] = AT_KEY(env->tx);
	/* An address is for those that go somewhere. */
	TEST_ASSERT_EQUAL(rte_umr_mkey_list(env->tx->dev_id, DCI, keys[0], 0, segs, nb, 0), 0);
	TEST_ASSERT_EQUAL(rte_umr_mkey_interleaved(env->tx->dev_id, DCI, keys[1], 0, nb, &entry, 1,
						   0), 1);
	for (uint32_t i = 0; i < DC_NB_TARGETS; i++) {
		local = at_key_seg(keys[i], 0, nb * len);
		TEST_ASSERT_SUCCESS(dc_address_set(env, &dc.targets[i]));
		TEST_ASSERT_EQUAL(rte_umr_write(env->tx->dev_id, DCI, &local,
						at_addr(dc.targets[i].side, DC_HALF),
						dc.targets[i].side->mr->rkey, 0), 2 + i);
	}
	for (uint32_t i = 0; i < DC_NB_TARGETS; i++)
		TEST_ASSERT_EQUAL(rte_umr_mkey_invalidate(env->tx->dev_id, DCI, keys[i], 0), 4 + i);
	TEST_ASSERT_SUCCESS(at_finish(env, 6));
	for (uint32_t i = 0; i < nb * DC_NB_TARGETS; i++)
		TEST_ASSERT_SAME(dc.targets[i / nb].side->buf + DC_HALF + i % nb * len,
				 env->tx->buf + (i / nb == 0 ? 3 : 2) * (i % nb) * len, len);
	return TEST_SUCCESS;
}

/* The receive of the target tells which of its keys is gone. */
AT_CASE(dc, send_that_invalidates_takes_a_key_of_the_target)
{
	struct rte_umr_completion done;
	struct rte_umr_seg seg;
	struct dc dc;

	TEST_NEED(dc_create(env, &dc, 1));
	const int16_t dev_id = env->tx->dev_id;
	TEST_NEED(at_need_capa(&env->tx->info, RTE_UMR_CAPA_SEND_INV));
	struct rte_umr_mkey *const mkey = AT_OWN_KEY(
		env->tx, .max_entries = 4, .flags = RTE_UMR_MKEY_POOL_F_REMOTE_INVALIDATE);
	seg = at_seg(env->tx, DC_HALF, DC_MSG_LEN);
	const int ret = rte_umr_mkey_list(dev_id, DCI, mkey, RTE_UMR_ACCESS_LOCAL_WRITE |
					  RTE_UMR_ACCESS_REMOTE_WRITE, &seg, 1, 0);
	TEST_ASSERT_EQUAL(ret, 0);
	TEST_ASSERT_SUCCESS(dc_address_set(env, &dc.targets[1]));
	seg = at_seg(env->tx, 0, DC_MSG_LEN);
	TEST_ASSERT_EQUAL(rte_umr_write(dev_id, DCI, &seg, 0, mkey->key, 0), 1);
	TEST_ASSERT_EQUAL(dc_recv_post(&dc.targets[1], 0), 0);
	TEST_ASSERT_EQUAL(rte_umr_send_inv(dev_id, DCI, &seg, mkey->key, 0), 2);
	TEST_ASSERT_SUCCESS(at_finish(env, 3));
	TEST_ASSERT_EQUAL(at_collect_recv(dev_id, dc.targets[1].queue_id, &done, 1), 1);
	TEST_ASSERT_EQUAL(done.flags, RTE_UMR_COMPLETION_F_INVALIDATED);
	TEST_ASSERT_EQUAL(done.invalidated, mkey->key);
	TEST_ASSERT_EQUAL(rte_umr_write(dev_id, DCI, &seg, 0, mkey->key, 0), 3);
	return at_finish_status(env, 1, RTE_UMR_STATUS_REMOTE_ACCESS);
}

/* A device with DC queues has other functions behind its table; a loopback must not notice. */
AT_CASE(dc, other_queues_are_as_without_dc)
{
	const struct rte_umr_dev_conf dev_conf = { .nb_queues = 2 };
	const struct rte_umr_queue_conf loopback_conf = {
		.transport = RTE_UMR_TRANSPORT_LOOPBACK, .nb_desc = 64, .nb_recv_desc = 4,
		.socket_id = -1,
	};
	struct rte_umr_completion done;
	struct rte_umr_seg local, place;
	struct rte_umr_dc_addr addr;
	struct dc dc;

	TEST_NEED(dc_create(env, &dc, 1));
	addr = dc.targets[0].addr;
	const int16_t dev_id = env->tx->dev_id;
	TEST_ASSERT_SUCCESS(rte_umr_dev_stop(dev_id));
	TEST_ASSERT_SUCCESS(rte_umr_dev_configure(dev_id, &dev_conf));
	TEST_ASSERT_SUCCESS(rte_umr_queue_setup(dev_id, 0, &loopback_conf));
	TEST_ASSERT_SUCCESS(rte_umr_queue_setup(dev_id, 1, &dc_initiator_conf));
	TEST_ASSERT_SUCCESS(rte_umr_dev_start(dev_id));
	local = at_seg(env->tx, 0, 64);
	place = at_seg(env->tx, DC_HALF + 64, 64);
	TEST_ASSERT_EQUAL(rte_umr_dc_addr_set(dev_id, 0, &addr), -ENOTSUP);
	TEST_ASSERT_EQUAL(rte_umr_recv(dev_id, 0, &place, 1, 0), 0);
	TEST_ASSERT_EQUAL(rte_umr_recv(dev_id, 0, NULL, 0, 0), 1);
	TEST_ASSERT_EQUAL(rte_umr_write(dev_id, 0, &local, at_addr(env->tx, DC_HALF),
					env->tx->mr->rkey, 0), 0);
	TEST_ASSERT_EQUAL(rte_umr_send(dev_id, 0, &local, 0), 1);
	TEST_ASSERT_EQUAL(rte_umr_write_imm(dev_id, 0, &local, at_addr(env->tx, DC_HALF + 128),
					    env->tx->mr->rkey, 0, 0), 2);
	place = at_seg(env->tx, DC_HALF + 192, 64);
	TEST_ASSERT_EQUAL(rte_umr_read(dev_id, 0, &place, at_addr(env->tx, 0), env->tx->mr->rkey,
				       0), 3);
	TEST_ASSERT_EQUAL(rte_umr_write(dev_id, 0, &local, at_addr(env->tx, DC_HALF + 256),
					env->tx->mr->rkey, RTE_UMR_OP_F_INLINE), 4);
	TEST_ASSERT_SUCCESS(at_finish(env, 5));
	for (uint32_t i = 0; i < 2; i++) {
		TEST_ASSERT_EQUAL(at_collect_recv(dev_id, 0, &done, 1), 1);
		TEST_ASSERT_EQUAL(done.idx, i);
		TEST_ASSERT_EQUAL(done.status, RTE_UMR_STATUS_SUCCESS);
	}
	for (uint32_t i = 0; i < 5; i++)
		TEST_ASSERT_SAME(env->tx->buf + DC_HALF + i * 64, env->tx->buf, 64);
	return TEST_SUCCESS;
}

/* Fetch and add on one target, compare and swap on the other; what was there comes back. */
AT_CASE(dc, atomics_go_to_the_target_named)
{
	struct rte_umr_completion done[DC_NB_TARGETS];
	uint64_t *words = NULL, *old = NULL;
	struct rte_umr_seg local;
	struct dc dc;
	int ret;

	TEST_NEED(dc_create(env, &dc, 2));
	TEST_NEED(at_need_capa(&env->tx->info, RTE_UMR_CAPA_ATOMIC));
	for (uint32_t t = 0; t < DC_NB_TARGETS; t++) {
		struct at_side *side = dc.targets[t].side;
		uint64_t addr = at_addr(side, DC_HALF);

		words = (uint64_t *)(side->buf + DC_HALF);
		*words = 40 + t;
		local = at_seg(env->tx, 64 * t, RTE_UMR_ATOMIC_LEN);
		TEST_ASSERT_SUCCESS(dc_address_set(env, &dc.targets[t]));
		if (t == 0)
			ret = rte_umr_fetch_add(env->tx->dev_id, DCI, &local, addr, side->mr->rkey,
						2, 0);
		else
			ret = rte_umr_cmp_swap(env->tx->dev_id, DCI, &local, addr, side->mr->rkey,
					       41, 77, 0);
		TEST_ASSERT_EQUAL(ret, t);
	}
	local.length = RTE_UMR_ATOMIC_LEN - 1;
	TEST_ASSERT_EQUAL(rte_umr_fetch_add(env->tx->dev_id, DCI, &local, 0, 0, 2, 0), -EINVAL);
	TEST_ASSERT_SUCCESS(rte_umr_submit(env->tx->dev_id, DCI));
	TEST_ASSERT_EQUAL(at_collect(env->tx->dev_id, DCI, done, DC_NB_TARGETS), DC_NB_TARGETS);
	for (uint32_t t = 0; t < DC_NB_TARGETS; t++) {
		words = (uint64_t *)(dc.targets[t].side->buf + DC_HALF);
		old = (uint64_t *)(env->tx->buf + 64 * t);
		TEST_ASSERT_EQUAL(done[t].status, RTE_UMR_STATUS_SUCCESS);
		TEST_ASSERT_EQUAL(done[t].length, 0);
		TEST_ASSERT_EQUAL(*old, 40 + t);
		TEST_ASSERT_EQUAL(*words, t == 0 ? 42 : 77);
	}
	return TEST_SUCCESS;
}

/* Of every length up to the limit, so that WQEs end in every octoword of a block. */
AT_CASE(dc, bytes_in_the_wqe_go_to_the_target_named)
{
	struct rte_umr_seg local;
	uint8_t bytes[1024];
	struct dc dc;
	uint32_t len;

	TEST_NEED(dc_create(env, &dc, 1));
	TEST_ASSERT_EQUAL(env->tx->info.max_dci_inline, env->tx->info.max_inline - 48);
	TEST_ASSERT(env->tx->info.max_dci_inline < sizeof(bytes));
	TEST_ASSERT_SUCCESS(dc_address_set(env, &dc.targets[0]));
	for (len = 0; len <= env->tx->info.max_dci_inline; len++) {
		memset(bytes, (int)len + 1, sizeof(bytes));
		memset(env->tx->buf + DC_HALF, 0, len + 1);
		local = (struct rte_umr_seg){ .addr = (uintptr_t)bytes, .length = len };
		TEST_ACCEPT(rte_umr_write(env->tx->dev_id, DCI, &local, at_addr(env->tx, DC_HALF),
					  env->tx->mr->rkey, RTE_UMR_OP_F_INLINE));
		memset(bytes, 0, sizeof(bytes));
		TEST_ASSERT_SUCCESS(at_finish(env, 1));
		memset(bytes, (int)len + 1, len);
		TEST_ASSERT_SAME(env->tx->buf + DC_HALF, bytes, len + 1);
	}
	local.length = len;
	TEST_ASSERT_EQUAL(rte_umr_write(env->tx->dev_id, DCI, &local, at_addr(env->tx, DC_HALF),
					env->tx->mr->rkey, RTE_UMR_OP_F_INLINE), -EMSGSIZE);
	TEST_ASSERT_EQUAL(rte_umr_read(env->tx->dev_id, DCI, &local, at_addr(env->tx, DC_HALF),
				       env->tx->mr->rkey, RTE_UMR_OP_F_INLINE), -EINVAL);
	return TEST_SUCCESS;
}
