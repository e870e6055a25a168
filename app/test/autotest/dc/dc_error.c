/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* What DC queues reject, what fails on the way, and how they get back to work. */

#include <string.h>

#include "dc/dc.h"

/* What nobody answers fails by itself, and what stands behind it is flushed. */
AT_CASE(dc_error, wrong_access_key_fails_and_recovers)
{
	struct rte_umr_completion done[3];
	struct dc_target wrong;
	struct dc dc;

	TEST_NEED(dc_create(env, &dc, 1));
	wrong = dc.targets[0];
	TEST_ASSERT_SUCCESS(dc_target_address(env, &wrong, DC_KEY_OF(0) ^ 1));
	const struct rte_umr_seg local = at_seg(env->tx, 0, 16);
	TEST_ASSERT_EQUAL(rte_umr_queue_recover(env->tx->dev_id, DCI), -EALREADY);
	TEST_ASSERT_SUCCESS(dc_address_set(env, &dc.targets[0]));
	TEST_ASSERT_EQUAL(rte_umr_write(env->tx->dev_id, DCI, &local, at_addr(env->tx, DC_HALF),
					env->tx->mr->rkey, 0), 0);
	TEST_ASSERT_SUCCESS(dc_address_set(env, &wrong));
	TEST_ASSERT_EQUAL(rte_umr_write(env->tx->dev_id, DCI, &local,
					at_addr(env->tx, DC_HALF + 16), env->tx->mr->rkey, 0), 1);
	TEST_ASSERT_SUCCESS(dc_address_set(env, &dc.targets[1]));
	TEST_ASSERT_EQUAL(rte_umr_write(env->tx->dev_id, DCI, &local,
					at_addr(env->tx, DC_HALF + 32), env->tx->mr->rkey,
					RTE_UMR_OP_F_SUBMIT), 2);
	TEST_ASSERT_EQUAL(at_collect(env->tx->dev_id, DCI, done, RTE_DIM(done)), RTE_DIM(done));
	TEST_ASSERT_EQUAL(done[0].status, RTE_UMR_STATUS_SUCCESS);
	TEST_ASSERT_EQUAL(done[1].status, RTE_UMR_STATUS_RETRY_EXCEEDED);
	TEST_ASSERT_EQUAL(done[2].status, RTE_UMR_STATUS_FLUSHED);
	TEST_ASSERT_EQUAL(rte_umr_write(env->tx->dev_id, DCI, &local,
					at_addr(env->tx, DC_HALF + 32), env->tx->mr->rkey, 0),
			  -EIO);
	TEST_ASSERT_SUCCESS(rte_umr_queue_recover(env->tx->dev_id, DCI));
	/* The address is still the last one that was set. */
	TEST_ASSERT_EQUAL(rte_umr_write(env->tx->dev_id, DCI, &local,
					at_addr(env->tx, DC_HALF + 32), env->tx->mr->rkey, 0), 3);
	TEST_ASSERT_SUCCESS(at_finish(env, 1));
	TEST_ASSERT_SAME(env->tx->buf + DC_HALF, env->tx->buf, 16);
	TEST_ACCEPT(at_first_difference(env->tx->buf + DC_HALF + 16, env->tx->buf, 16));
	TEST_ASSERT_SAME(env->tx->buf + DC_HALF + 32, env->tx->buf, 16);
	return TEST_SUCCESS;
}

/* It fails again and again, and needs nobody's help; its target notices nothing. */
AT_CASE(dc_error, initiator_recovers_by_itself)
{
	struct rte_umr_queue_stats stats;
	struct rte_umr_completion done[2];
	struct rte_umr_seg local, bad;
	struct dc_target wrong;
	struct dc dc;
	bool is_silent;
	uint16_t idx;
	uint32_t i;

	TEST_NEED(dc_create_with(env, &dc, 1, ",recover=auto,retry_count=1,ack_timeout=8"));
	const int16_t dev_id = env->tx->dev_id;
	wrong = dc.targets[0];
	TEST_ASSERT_SUCCESS(dc_target_address(env, &wrong, DC_KEY_OF(0) ^ 1));
	local = at_seg(env->tx, 0, DC_MSG_LEN);
	bad = local;
	bad.lkey = 0xdead0042u;
	for (i = 0, idx = 0; i < 3 * dc_initiator_conf.nb_desc; i++, idx = (uint16_t)(idx + 3)) {
		/* Its own fault, or that nobody answers; then the one behind it is flushed. */
		is_silent = i % 16 == 0;
		TEST_ASSERT_SUCCESS(dc_address_set(env, is_silent ? &wrong : &dc.targets[0]));
		TEST_ASSERT_EQUAL(rte_umr_send(dev_id, DCI, is_silent ? &local : &bad, 0), idx);
		TEST_ASSERT_SUCCESS(dc_address_set(env, &dc.targets[0]));
		TEST_ASSERT_EQUAL(rte_umr_send(dev_id, DCI, &local, RTE_UMR_OP_F_SUBMIT),
				  (uint16_t)(idx + 1));
		TEST_ASSERT_EQUAL(at_collect(dev_id, DCI, done, 2), 2);
		TEST_ASSERT_EQUAL(done[0].status, is_silent ? RTE_UMR_STATUS_RETRY_EXCEEDED :
				  RTE_UMR_STATUS_LOCAL_PROT);
		TEST_ASSERT_EQUAL(done[1].status, RTE_UMR_STATUS_FLUSHED);
		/* By the next poll, or the next submit; the address is still the last one. */
		if (i % 2 == 0)
			TEST_ASSERT_EQUAL(rte_umr_completed_status(dev_id, DCI, 1, done), 0);
		else
			TEST_ASSERT_SUCCESS(rte_umr_submit(dev_id, DCI));
		TEST_ASSERT_EQUAL(rte_umr_queue_recover(dev_id, DCI), -EALREADY);
		TEST_ASSERT_EQUAL(dc_recv_post(&dc.targets[0], i), i);
		memset(env->tx->buf, (int)i, DC_MSG_LEN);
		TEST_ASSERT_EQUAL(rte_umr_send_imm(dev_id, DCI, &local, rte_cpu_to_be_32(i), 0),
				  (uint16_t)(idx + 2));
		TEST_ASSERT_SUCCESS(at_finish(env, 1));
		TEST_ASSERT_SUCCESS(dc_recv_expect(env, &dc.targets[0], i, 0, DC_MSG_LEN));
	}
	TEST_ASSERT_SUCCESS(rte_umr_queue_stats_get(dev_id, DCI, &stats));
	TEST_ASSERT_EQUAL(stats.nb_recoveries, i);
	TEST_ASSERT_EQUAL(stats.nb_auto_recoveries, i);
	return TEST_SUCCESS;
}

/* A target lets in only what is of its own domain. */
AT_CASE(dc_error, target_keeps_to_its_protection_domain)
{
	struct rte_umr_queue_conf conf = dc_target_conf(0);
	struct rte_umr_endpoint remote;
	struct dc dc;

	TEST_NEED(dc_create(env, &dc, 1));
	const int16_t dev_id = env->tx->dev_id;
	TEST_NEED(at_need_capa(&env->tx->info, RTE_UMR_CAPA_PD));
	struct rte_umr_pd *const pd = TEST_NOT_NULL(rte_umr_pd_alloc(dev_id));
	conf.pd = pd;
	TEST_ASSERT_SUCCESS(rte_umr_dev_stop(dev_id));
	TEST_ASSERT_SUCCESS(rte_umr_queue_setup(dev_id, 1, &conf));
	TEST_ASSERT_SUCCESS(rte_umr_dev_start(dev_id));
	TEST_ASSERT_SUCCESS(rte_umr_queue_endpoint_get(dev_id, 1, &remote));
	TEST_ASSERT_SUCCESS(rte_umr_dc_addr_fill(dev_id, &remote, DC_KEY_OF(0),
						 &dc.targets[0].addr));
	TEST_ASSERT_SUCCESS(dc_address_set(env, &dc.targets[0]));
	const struct rte_umr_seg local = at_seg(env->tx, 0, 16);
	TEST_ASSERT_EQUAL(rte_umr_write(dev_id, DCI, &local, at_addr(env->tx, DC_HALF),
					env->tx->mr->rkey, 0), 0);
	TEST_ASSERT_SUCCESS(at_finish_status(env, 1, RTE_UMR_STATUS_REMOTE_ACCESS));
	TEST_ASSERT_SUCCESS(rte_umr_dev_stop(dev_id));
	conf.pd = NULL;
	TEST_ASSERT_SUCCESS(rte_umr_queue_setup(dev_id, 1, &conf));
	return rte_umr_pd_free(pd);
}

/*
 * No answer, and an answer that says "not now". A target that was restarted is another one: who has
 * its old address gets no answer.
 */
AT_CASE(dc_error, silent_and_busy_targets_are_told_apart)
{
	const struct at_conf conf = { 0 };
	struct rte_umr_dev_conf dev_conf = { .nb_queues = 2 };
	struct rte_umr_queue_conf target_conf = dc_target_conf(0);
	struct dc_target target = { .side = &env->sides[0], .queue_id = 1 };

	/* Less patient. */
	env->options = ",rnr_retry=1,retry_count=1,ack_timeout=8";
	TEST_NEED(at_side_probe(env, 0));
	TEST_NEED(at_need_capa(&env->sides[0].info, RTE_UMR_CAPA_DC));
	const int16_t dev_id = env->sides[0].dev_id;
	env->tx = &env->sides[0];
	TEST_ASSERT_SUCCESS(at_side_memory(env->tx, &conf));
	TEST_ASSERT_SUCCESS(rte_umr_dev_configure(dev_id, &dev_conf));
	TEST_ASSERT_SUCCESS(rte_umr_queue_setup(dev_id, DCI, &dc_initiator_conf));
	TEST_ASSERT_SUCCESS(rte_umr_queue_setup(dev_id, 1, &target_conf));
	TEST_ASSERT_SUCCESS(rte_umr_dev_start(dev_id));
	TEST_ASSERT_SUCCESS(dc_target_address(env, &target, DC_KEY_OF(0)));
	const struct rte_umr_seg local = at_seg(env->tx, 0, 16);
	TEST_ASSERT_SUCCESS(dc_address_set(env, &target));
	TEST_ASSERT_EQUAL(rte_umr_send(dev_id, DCI, &local, 0), 0);
	TEST_ASSERT_SUCCESS(at_finish_status(env, 1, RTE_UMR_STATUS_RNR_RETRY_EXCEEDED));
	TEST_ASSERT_SUCCESS(rte_umr_queue_recover(dev_id, DCI));
	TEST_ASSERT_SUCCESS(rte_umr_queue_recover(dev_id, 1));
	TEST_ASSERT_EQUAL(dc_recv_post(&target, 0), 0);
	TEST_ASSERT_EQUAL(rte_umr_send(dev_id, DCI, &local, 0), 1);
	TEST_ASSERT_SUCCESS(at_finish_status(env, 1, RTE_UMR_STATUS_RETRY_EXCEEDED));
	TEST_ASSERT_SUCCESS(rte_umr_queue_recover(dev_id, DCI));
	TEST_ASSERT_SUCCESS(dc_target_address(env, &target, DC_KEY_OF(0)));
	TEST_ASSERT_SUCCESS(dc_address_set(env, &target));
	TEST_ASSERT_EQUAL(rte_umr_send_imm(dev_id, DCI, &local, rte_cpu_to_be_32(0), 0), 2);
	TEST_ASSERT_SUCCESS(at_finish(env, 1));
	return dc_recv_expect(env, &target, 0, 0, 16);
}

/* A receive that cannot be written fails alone: a target has other messages to take. */
AT_CASE(dc_error, bad_receive_leaves_the_target_alive)
{
	struct rte_umr_completion done;
	struct rte_umr_seg local, bad;
	struct dc dc;

	TEST_NEED(dc_create(env, &dc, 1));
	local = at_seg(env->tx, 0, DC_MSG_LEN);
	bad = at_seg(env->tx, DC_HALF, DC_MSG_LEN);
	bad.lkey = 0xdead0042u;
	TEST_ASSERT_EQUAL(rte_umr_recv(env->tx->dev_id, 1, &bad, 1, 0), 0);
	TEST_ASSERT_SUCCESS(dc_address_set(env, &dc.targets[0]));
	TEST_ASSERT_EQUAL(rte_umr_send(env->tx->dev_id, DCI, &local, 0), 0);
	TEST_ASSERT_SUCCESS(at_finish_status(env, 1, RTE_UMR_STATUS_REMOTE_OP));
	TEST_ASSERT_EQUAL(at_collect_recv(env->tx->dev_id, 1, &done, 1), 1);
	TEST_ASSERT_EQUAL(done.status, RTE_UMR_STATUS_LOCAL_PROT);
	TEST_ASSERT_SUCCESS(rte_umr_queue_recover(env->tx->dev_id, DCI));
	TEST_ASSERT_EQUAL(dc_recv_post(&dc.targets[0], 1), 1);
	TEST_ASSERT_EQUAL(rte_umr_send_imm(env->tx->dev_id, DCI, &local, rte_cpu_to_be_32(1), 0),
			  1);
	TEST_ASSERT_SUCCESS(at_finish(env, 1));
	return dc_recv_expect(env, &dc.targets[0], 1, 0, DC_MSG_LEN);
}

/* All receives of a target, oldest first or not, come back once. */
static int
expect_flushed(int16_t dev_id, uint16_t first_idx)
{
	struct rte_umr_completion done[DC_NB_RECV];

	TEST_ASSERT_EQUAL(at_collect_recv(dev_id, 1, done, DC_NB_RECV), DC_NB_RECV);
	for (uint32_t i = 0; i < DC_NB_RECV; i++) {
		TEST_ASSERT_EQUAL(done[i].status, RTE_UMR_STATUS_FLUSHED);
		TEST_ASSERT_EQUAL(done[i].idx, (uint16_t)(first_idx + i));
	}
	TEST_ASSERT_EQUAL(rte_umr_recv_completed(dev_id, 1, 1, done), 0);
	return TEST_SUCCESS;
}

AT_CASE(dc_error, target_gives_its_receives_back)
{
	struct rte_umr_endpoint before, after;
	struct dc dc;
	uint32_t i;

	TEST_NEED(dc_create(env, &dc, 1));
	const int16_t dev_id = env->tx->dev_id;
	TEST_ASSERT_SUCCESS(rte_umr_queue_endpoint_get(dev_id, 1, &before));
	for (i = 0; i < DC_NB_RECV; i++)
		TEST_ASSERT_EQUAL(dc_recv_post(&dc.targets[0], i), i);
	TEST_ASSERT_EQUAL(dc_recv_post(&dc.targets[0], i), -ENOSPC);
	TEST_ASSERT_EQUAL(rte_umr_queue_recover(dev_id, 1), -EBUSY);
	TEST_ASSERT_EQUAL(dc_recv_post(&dc.targets[0], i), -EIO);
	TEST_ASSERT_SUCCESS(expect_flushed(dev_id, 0));
	TEST_ASSERT_SUCCESS(rte_umr_queue_recover(dev_id, 1));
	TEST_ASSERT_SUCCESS(rte_umr_queue_endpoint_get(dev_id, 1, &after));
	TEST_ASSERT(before.qpn != after.qpn);
	for (i = 0; i < DC_NB_RECV; i++)
		TEST_ASSERT_EQUAL(dc_recv_post(&dc.targets[0], i), DC_NB_RECV + i);
	TEST_ASSERT_SUCCESS(rte_umr_dev_stop(dev_id));
	TEST_ASSERT_SUCCESS(expect_flushed(dev_id, DC_NB_RECV));
	TEST_ASSERT_EQUAL(rte_umr_queue_endpoint_get(dev_id, 1, &after), -EINVAL);
	TEST_ASSERT_SUCCESS(rte_umr_dev_start(dev_id));
	TEST_ASSERT_EQUAL(dc_recv_post(&dc.targets[0], 0), 0);
	return TEST_SUCCESS;
}

/* Also when messages have taken some, so that the places of the others have been used in turn. */
AT_CASE(dc_error, receives_come_back_in_the_order_of_their_posting)
{
	struct rte_umr_completion done;
	struct dc dc;
	uint32_t i, round, idx = 0;

	TEST_NEED(dc_create(env, &dc, 1));
	for (round = 0; round < 5; round++) {
		for (i = 0; i < DC_NB_RECV; i++)
			TEST_ASSERT_EQUAL(dc_recv_post(&dc.targets[0], i), idx + i);
		TEST_ASSERT_SUCCESS(dc_address_set(env, &dc.targets[0]));
		for (i = 0; i < 2 * round + 1; i++) {
			TEST_ACCEPT(at_send(env, at_seg(env->tx, 0, 8), RTE_UMR_OP_F_SUBMIT));
			TEST_ASSERT_SUCCESS(at_finish(env, 1));
			TEST_ASSERT_EQUAL(at_collect_recv(env->tx->dev_id, 1, &done, 1), 1);
			TEST_ASSERT_EQUAL(done.idx, idx++);
			TEST_ASSERT_EQUAL(dc_recv_post(&dc.targets[0], 0), idx + DC_NB_RECV - 1);
		}
		TEST_ASSERT_EQUAL(rte_umr_queue_recover(env->tx->dev_id, 1), -EBUSY);
		TEST_ASSERT_SUCCESS(expect_flushed(env->tx->dev_id, (uint16_t)idx));
		idx += DC_NB_RECV;
		TEST_ASSERT_SUCCESS(rte_umr_queue_recover(env->tx->dev_id, 1));
		TEST_ASSERT_SUCCESS(dc_target_address(env, &dc.targets[0], DC_KEY_OF(0)));
	}
	return TEST_SUCCESS;
}

/* On RoCE, a GID that nobody has leads to no MAC address, unless the peer has told its own. */
AT_CASE(dc_error, unknown_gid_needs_a_mac_address_on_roce)
{
	struct rte_umr_endpoint remote;
	struct rte_umr_dc_addr addr = { 0 };
	struct dc dc;
	int ret;

	TEST_NEED(dc_create(env, &dc, 1));
	TEST_ASSERT_SUCCESS(rte_umr_queue_endpoint_get(env->tx->dev_id, 1, &remote));
	memset(remote.gid, 0x5a, sizeof(remote.gid));
	if (env->tx->info.link_layer == RTE_UMR_LINK_ETHERNET) {
		ret = rte_umr_dc_addr_fill(env->tx->dev_id, &remote, DC_KEY_OF(0), &addr);
		TEST_ASSERT(ret < 0);
		TEST_ASSERT_EQUAL(addr.is_filled, 0);
		remote.mac[0] = 0x02;
	}
	TEST_ASSERT_SUCCESS(rte_umr_dc_addr_fill(env->tx->dev_id, &remote, DC_KEY_OF(0), &addr));
	TEST_ASSERT_EQUAL(addr.is_filled, 1);
	return TEST_SUCCESS;
}

AT_CASE(dc_error, addresses_that_cannot_be_are_rejected)
{
	struct rte_umr_endpoint remote, good;
	struct rte_umr_dc_addr addr = { 0 };
	struct dc dc;

	TEST_NEED(dc_create(env, &dc, 1));
	const int16_t dev_id = env->tx->dev_id;
	const struct rte_umr_seg local = at_seg(env->tx, 0, 16);
	TEST_ASSERT_EQUAL(rte_umr_write(dev_id, DCI, &local, 0, 0, 0), -EDESTADDRREQ);
	TEST_ASSERT_EQUAL(rte_umr_send(dev_id, DCI, &local, RTE_UMR_OP_F_SUBMIT), -EDESTADDRREQ);
	TEST_ASSERT_EQUAL(rte_umr_dc_addr_set(dev_id, DCI, &addr), -EINVAL);
	addr = dc.targets[0].addr;
	addr.dev_id++;
	TEST_ASSERT_EQUAL(rte_umr_dc_addr_set(dev_id, DCI, &addr), -EXDEV);
	TEST_ASSERT_EQUAL(rte_umr_dc_addr_set(dev_id, 1, &dc.targets[0].addr), -ENOTSUP);
	TEST_ASSERT_SUCCESS(rte_umr_queue_endpoint_get(dev_id, 1, &good));
	TEST_ASSERT_EQUAL(rte_umr_dc_addr_fill(dev_id, NULL, 0, &addr), -EINVAL);
	TEST_ASSERT_EQUAL(rte_umr_dc_addr_fill(dev_id, &good, 0, NULL), -EINVAL);
	TEST_ASSERT_EQUAL(rte_umr_dc_addr_fill(-1, &good, 0, &addr), -ENODEV);
	remote = good;
	remote.qpn = rte_cpu_to_be_32(0x1000000);
	TEST_ASSERT_EQUAL(rte_umr_dc_addr_fill(dev_id, &remote, 0, &addr), -EINVAL);
	remote = good;
	remote.link_layer ^= 1;
	TEST_ASSERT_EQUAL(rte_umr_dc_addr_fill(dev_id, &remote, 0, &addr), -EINVAL);
	remote = good;
	remote.mtu = 0;
	TEST_ASSERT_EQUAL(rte_umr_dc_addr_fill(dev_id, &remote, 0, &addr), -EINVAL);
	remote.mtu = 6;
	TEST_ASSERT_EQUAL(rte_umr_dc_addr_fill(dev_id, &remote, 0, &addr), -EINVAL);
	TEST_ASSERT_SUCCESS(rte_umr_dev_stop(dev_id));
	TEST_ASSERT_EQUAL(rte_umr_dc_addr_set(dev_id, DCI, &dc.targets[0].addr), -ESHUTDOWN);
	return TEST_SUCCESS;
}

AT_CASE(dc_error, each_side_has_what_it_can_do)
{
	struct rte_umr_queue_conf conf;
	struct rte_umr_endpoint local;
	struct dc dc;

	TEST_NEED(dc_create(env, &dc, 1));
	const int16_t dev_id = env->tx->dev_id;
	const struct rte_umr_seg seg = at_seg(env->tx, 0, 16);
	struct rte_umr_mkey *const mkey = AT_KEY(env->tx);
	TEST_ASSERT_SUCCESS(rte_umr_queue_endpoint_get(dev_id, 1, &local));
	TEST_ASSERT_EQUAL(local.psn, 0);
	TEST_ASSERT_EQUAL(rte_umr_queue_connect(dev_id, DCI, &local), -EINVAL);
	TEST_ASSERT_EQUAL(rte_umr_queue_connect(dev_id, 1, &local), -EINVAL);
	TEST_ASSERT_EQUAL(rte_umr_queue_endpoint_get(dev_id, DCI, &local), -EINVAL);
	TEST_ASSERT_EQUAL(rte_umr_recv(dev_id, DCI, &seg, 1, 0), -ENOTSUP);
	TEST_ASSERT_EQUAL(rte_umr_write(dev_id, 1, &seg, 0, 0, 0), -ENOTSUP);
	TEST_ASSERT_EQUAL(rte_umr_send(dev_id, 1, &seg, 0), -ENOTSUP);
	TEST_ASSERT_EQUAL(rte_umr_mkey_list(dev_id, 1, mkey, 0, &seg, 1, 0), -ENOTSUP);
	TEST_ASSERT_EQUAL(rte_umr_mkey_invalidate(dev_id, 1, mkey, 0), -ENOTSUP);
	TEST_ASSERT_SUCCESS(rte_umr_submit(dev_id, 1));
	TEST_ASSERT_EQUAL(rte_umr_completed(dev_id, 1, 1, NULL, NULL), 0);
	TEST_ASSERT_SUCCESS(rte_umr_dev_stop(dev_id));
	conf = dc_initiator_conf;
	conf.nb_recv_desc = 1;
	TEST_ASSERT_EQUAL(rte_umr_queue_setup(dev_id, DCI, &conf), -EINVAL);
	conf = dc_initiator_conf;
	conf.dc_key = 1;
	TEST_ASSERT_EQUAL(rte_umr_queue_setup(dev_id, DCI, &conf), -EINVAL);
	conf = dc_target_conf(0);
	conf.nb_desc = 64;
	TEST_ASSERT_EQUAL(rte_umr_queue_setup(dev_id, 1, &conf), -EINVAL);
	conf = dc_target_conf(0);
	conf.nb_recv_desc = 0;
	TEST_ASSERT_EQUAL(rte_umr_queue_setup(dev_id, 1, &conf), -ERANGE);
	conf.nb_recv_desc = (uint16_t)(env->tx->info.max_dct_recv_desc + 1);
	TEST_ASSERT_EQUAL(rte_umr_queue_setup(dev_id, 1, &conf), -ERANGE);
	conf = dc_target_conf(0);
	conf.max_recv_segs = (uint16_t)(env->tx->info.max_dct_recv_segs + 1);
	TEST_ASSERT_EQUAL(rte_umr_queue_setup(dev_id, 1, &conf), -ERANGE);
	/* The largest that there is. */
	conf.max_recv_segs = env->tx->info.max_dct_recv_segs;
	conf.nb_recv_desc = 100;
	TEST_ASSERT_SUCCESS(rte_umr_queue_setup(dev_id, 1, &conf));
	conf.max_recv_segs = 1;
	conf.nb_recv_desc = env->tx->info.max_dct_recv_desc;
	TEST_ASSERT_SUCCESS(rte_umr_queue_setup(dev_id, 2, &conf));
	return rte_umr_dev_start(dev_id);
}
