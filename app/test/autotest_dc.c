/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Dynamically connected transport: one initiator, several targets, on one device or two. */

#include <string.h>

#include <rte_malloc.h>

#include "autotest.h"
#include "autotest_env.h"

#define KEY_OF(target)	(UINT64_C(0x1020304050607080) + (target))
#define NB_TARGETS	2u
#define NB_RECV		7u
#define DCI		0u
#define HALF		(AT_BUF_LEN / 2)
#define MSG_LEN		64u

/* A target is a queue of a side; on one device both are. */
struct target {
	struct at_side *side;
	uint16_t queue_id;
	struct rte_umr_dc_addr addr;
};

struct dc {
	struct target targets[NB_TARGETS];
};

static const struct rte_umr_queue_conf dci_conf = {
	.transport = RTE_UMR_TRANSPORT_DCI,
	.nb_desc = 64,
	.socket_id = -1,
};

static struct rte_umr_queue_conf
dct_conf(uint32_t target)
{
	return (struct rte_umr_queue_conf){
		.transport = RTE_UMR_TRANSPORT_DCT,
		.nb_recv_desc = NB_RECV,
		.max_recv_segs = 2,
		.socket_id = -1,
		.dc_key = KEY_OF(target),
	};
}

static int
side_create(struct at_env *env, unsigned int n)
{
	const struct at_conf conf = { 0 };
	struct rte_umr_dev_info info;
	int ret;

	ret = at_side_probe(env, n);
	if (ret != TEST_SUCCESS)
		return ret;
	TEST_ASSERT_SUCCESS(rte_umr_dev_info_get(env->sides[n].dev_id, &info));
	if ((info.dev_capa & RTE_UMR_CAPA_DC) == 0) {
		printf("%s has no DC\n", info.dev_name);
		return TEST_SKIPPED;
	}
	return at_side_memory(&env->sides[n], &conf);
}

static int
target_address(struct at_env *env, struct target *target, uint64_t key)
{
	struct rte_umr_endpoint remote;

	TEST_ASSERT_SUCCESS(rte_umr_queue_endpoint_get(target->side->dev_id, target->queue_id,
						       &remote));
	TEST_ASSERT_SUCCESS(rte_umr_dc_addr_fill(env->sides[0].dev_id, &remote, key,
						 &target->addr));
	return TEST_SUCCESS;
}

/* Queue 0 of the first device is the initiator; targets are queues 1 and 2 of the last device. */
static int
dc_create(struct at_env *env, struct dc *dc, unsigned int nb_sides)
{
	struct rte_umr_dev_conf dev_conf = { .nb_queues = 1 + NB_TARGETS };
	struct rte_umr_queue_conf conf;
	unsigned int s, t;
	int ret;

	for (s = 0; s < nb_sides; s++) {
		ret = side_create(env, s);
		if (ret != TEST_SUCCESS)
			return ret;
		TEST_ASSERT_SUCCESS(rte_umr_dev_configure(env->sides[s].dev_id, &dev_conf));
		TEST_ASSERT_SUCCESS(rte_umr_queue_setup(env->sides[s].dev_id, DCI, &dci_conf));
		for (t = 0; t < NB_TARGETS; t++) {
			conf = dct_conf(t);
			TEST_ASSERT_SUCCESS(rte_umr_queue_setup(env->sides[s].dev_id,
								(uint16_t)(1 + t), &conf));
		}
		TEST_ASSERT_SUCCESS(rte_umr_dev_start(env->sides[s].dev_id));
	}
	env->tx = &env->sides[0];
	for (t = 0; t < NB_TARGETS; t++) {
		/* With two devices the first target is on the second one, the second on its own. */
		dc->targets[t].side = &env->sides[(nb_sides - 1 + t) % nb_sides];
		dc->targets[t].queue_id = (uint16_t)(1 + t);
		TEST_ASSERT_SUCCESS(target_address(env, &dc->targets[t], KEY_OF(t)));
	}
	at_fill(env);
	return TEST_SUCCESS;
}

static int
address_set(struct at_env *env, const struct target *target)
{
	return rte_umr_dc_addr_set(env->tx->dev_id, DCI, &target->addr);
}

/* Write to one target, then to the other, under one doorbell; read it back the same way. */
static int
writes_and_reads_go_where_the_address_says(struct at_env *env)
{
	const uint32_t nb = 6, len = 1000;
	struct rte_umr_seg local;
	struct dc dc;
	uint32_t i;
	int ret;

	ret = dc_create(env, &dc, 2);
	if (ret != TEST_SUCCESS)
		return ret;
	for (i = 0; i < nb; i++) {
		const struct target *target = &dc.targets[i % NB_TARGETS];

		local = at_seg(env->tx, i * len, len);
		TEST_ASSERT_SUCCESS(address_set(env, target));
		TEST_ASSERT_EQUAL(rte_umr_write(env->tx->dev_id, DCI, &local,
						at_addr(target->side, HALF + i * len),
						target->side->mr->rkey, 0), i);
	}
	TEST_ASSERT_SUCCESS(at_finish(env, (uint16_t)nb));
	for (i = 0; i < nb; i++)
		TEST_ASSERT_EQUAL(at_first_difference(
			dc.targets[i % NB_TARGETS].side->buf + HALF + i * len,
			env->tx->buf + i * len, len), -1);
	for (i = 0; i < nb; i++) {
		const struct target *target = &dc.targets[i % NB_TARGETS];

		local = at_seg(env->tx, HALF + 2 * nb * len + i * len, len);
		TEST_ASSERT_SUCCESS(address_set(env, target));
		TEST_ASSERT_EQUAL(rte_umr_read(env->tx->dev_id, DCI, &local,
					       at_addr(target->side, HALF + i * len),
					       target->side->mr->rkey, 0), nb + i);
	}
	TEST_ASSERT_SUCCESS(at_finish(env, (uint16_t)nb));
	TEST_ASSERT_EQUAL(at_first_difference(env->tx->buf + HALF + 2 * nb * len, env->tx->buf,
					      nb * len), -1);
	return TEST_SUCCESS;
}

/* Receive idx of a target takes MSG_LEN bytes, in two pieces, at a place of its own. */
static int
recv_post(const struct target *target, uint32_t idx)
{
	const uint32_t offset = HALF + (target->queue_id * NB_RECV + idx % NB_RECV) * MSG_LEN;
	const struct rte_umr_seg segs[] = {
		at_seg(target->side, offset, MSG_LEN / 4),
		at_seg(target->side, offset + MSG_LEN / 4, MSG_LEN - MSG_LEN / 4),
	};

	return rte_umr_recv(target->side->dev_id, target->queue_id, segs, RTE_DIM(segs), 0);
}

static int
recv_expect(struct at_env *env, const struct target *target, uint32_t idx, uint32_t source,
	    uint32_t len)
{
	const uint32_t offset = HALF + (target->queue_id * NB_RECV + idx % NB_RECV) * MSG_LEN;
	struct rte_umr_completion done;

	TEST_ASSERT_EQUAL(at_collect_recv(target->side->dev_id, target->queue_id, &done, 1), 1);
	TEST_ASSERT_EQUAL(done.status, RTE_UMR_STATUS_SUCCESS);
	TEST_ASSERT_EQUAL(done.idx, idx);
	TEST_ASSERT_EQUAL(done.length, len);
	TEST_ASSERT_EQUAL(done.flags, RTE_UMR_COMPLETION_F_IMM);
	TEST_ASSERT_EQUAL(done.imm, rte_cpu_to_be_32(idx));
	TEST_ASSERT_EQUAL(at_first_difference(target->side->buf + offset, env->tx->buf + source,
					      len), -1);
	return TEST_SUCCESS;
}

/* More rounds than a target has receives, and than the initiator's ring has room for. */
static int
messages_arrive_at_the_target_named(struct at_env *env)
{
	const uint32_t nb = 40;
	struct rte_umr_seg local;
	struct dc dc;
	uint32_t i, t, len;
	int ret;

	ret = dc_create(env, &dc, 1);
	if (ret != TEST_SUCCESS)
		return ret;
	for (i = 0; i < nb; i++) {
		/* Without data a send has one block less. */
		len = i % 3 == 2 ? 0 : 1 + i % MSG_LEN;
		local = at_seg(env->tx, i * MSG_LEN, len);
		for (t = 0; t < NB_TARGETS; t++) {
			TEST_ASSERT_EQUAL(recv_post(&dc.targets[t], i), i);
			TEST_ASSERT_SUCCESS(address_set(env, &dc.targets[t]));
			TEST_ASSERT(rte_umr_send_imm(env->tx->dev_id, DCI, &local,
						     rte_cpu_to_be_32(i), 0) >= 0);
		}
		TEST_ASSERT_SUCCESS(at_finish(env, NB_TARGETS));
		for (t = 0; t < NB_TARGETS; t++)
			TEST_ASSERT_SUCCESS(recv_expect(env, &dc.targets[t], i, i * MSG_LEN, len));
	}
	return TEST_SUCCESS;
}

static int
write_with_immediate_takes_a_receive(struct at_env *env)
{
	struct rte_umr_completion done;
	struct rte_umr_seg local;
	struct dc dc;
	int ret;

	ret = dc_create(env, &dc, 1);
	if (ret != TEST_SUCCESS)
		return ret;
	local = at_seg(env->tx, 0, 500);
	TEST_ASSERT_EQUAL(rte_umr_recv(env->tx->dev_id, 1, NULL, 0, 0), 0);
	TEST_ASSERT_SUCCESS(address_set(env, &dc.targets[0]));
	TEST_ASSERT_EQUAL(rte_umr_write_imm(env->tx->dev_id, DCI, &local, at_addr(env->tx, HALF),
					    env->tx->mr->rkey, rte_cpu_to_be_32(77), 0), 0);
	TEST_ASSERT_SUCCESS(at_finish(env, 1));
	TEST_ASSERT_EQUAL(at_collect_recv(env->tx->dev_id, 1, &done, 1), 1);
	TEST_ASSERT_EQUAL(done.op, RTE_UMR_OP_RECV_WRITE_IMM);
	TEST_ASSERT_EQUAL(done.length, 500);
	TEST_ASSERT_EQUAL(done.imm, rte_cpu_to_be_32(77));
	TEST_ASSERT_EQUAL(at_first_difference(env->tx->buf + HALF, env->tx->buf, 500), -1);
	return TEST_SUCCESS;
}

/* Every third byte block, then every second, gathered by keys of the initiator. */
static int
layouts_work_on_an_initiator(struct at_env *env)
{
	const uint32_t nb = 8, len = 32;
	struct rte_umr_interleaved entry;
	struct rte_umr_seg segs[8], local;
	struct rte_umr_mkey *keys[2];
	struct dc dc;
	uint32_t i;
	int ret;

	ret = dc_create(env, &dc, 2);
	if (ret != TEST_SUCCESS)
		return ret;
	for (i = 0; i < nb; i++)
		segs[i] = at_seg(env->tx, i * 3 * len, len);
	entry = (struct rte_umr_interleaved){ .addr = at_addr(env->tx, 0), .bytes_count = len,
					      .bytes_skip = len, .lkey = env->tx->mr->lkey };
	keys[0] = at_key(env->tx);
	keys[1] = at_key(env->tx);
	TEST_ASSERT(keys[0] != NULL && keys[1] != NULL);
	/* An address is for those that go somewhere. */
	TEST_ASSERT_EQUAL(rte_umr_mkey_list(env->tx->dev_id, DCI, keys[0], 0, segs, nb, 0), 0);
	TEST_ASSERT_EQUAL(rte_umr_mkey_interleaved(env->tx->dev_id, DCI, keys[1], 0, nb, &entry, 1,
						   0), 1);
	for (i = 0; i < NB_TARGETS; i++) {
		local = at_key_seg(keys[i], 0, nb * len);
		TEST_ASSERT_SUCCESS(address_set(env, &dc.targets[i]));
		TEST_ASSERT_EQUAL(rte_umr_write(env->tx->dev_id, DCI, &local,
						at_addr(dc.targets[i].side, HALF),
						dc.targets[i].side->mr->rkey, 0), 2 + i);
	}
	for (i = 0; i < NB_TARGETS; i++)
		TEST_ASSERT_EQUAL(rte_umr_mkey_invalidate(env->tx->dev_id, DCI, keys[i], 0), 4 + i);
	TEST_ASSERT_SUCCESS(at_finish(env, 6));
	for (i = 0; i < nb * NB_TARGETS; i++)
		TEST_ASSERT_EQUAL(at_first_difference(
			dc.targets[i / nb].side->buf + HALF + i % nb * len,
			env->tx->buf + (i / nb == 0 ? 3 : 2) * (i % nb) * len, len), -1);
	return TEST_SUCCESS;
}

/* What nobody answers fails by itself, and what stands behind it is flushed. */
static int
wrong_access_key_fails_and_recovers(struct at_env *env)
{
	struct rte_umr_completion done[3];
	struct target wrong;
	struct rte_umr_seg local;
	struct dc dc;
	int ret;

	ret = dc_create(env, &dc, 1);
	if (ret != TEST_SUCCESS)
		return ret;
	wrong = dc.targets[0];
	TEST_ASSERT_SUCCESS(target_address(env, &wrong, KEY_OF(0) ^ 1));
	local = at_seg(env->tx, 0, 16);
	TEST_ASSERT_EQUAL(rte_umr_queue_recover(env->tx->dev_id, DCI), -EALREADY);
	TEST_ASSERT_SUCCESS(address_set(env, &dc.targets[0]));
	TEST_ASSERT_EQUAL(rte_umr_write(env->tx->dev_id, DCI, &local, at_addr(env->tx, HALF),
					env->tx->mr->rkey, 0), 0);
	TEST_ASSERT_SUCCESS(address_set(env, &wrong));
	TEST_ASSERT_EQUAL(rte_umr_write(env->tx->dev_id, DCI, &local, at_addr(env->tx, HALF + 16),
					env->tx->mr->rkey, 0), 1);
	TEST_ASSERT_SUCCESS(address_set(env, &dc.targets[1]));
	TEST_ASSERT_EQUAL(rte_umr_write(env->tx->dev_id, DCI, &local, at_addr(env->tx, HALF + 32),
					env->tx->mr->rkey, RTE_UMR_OP_F_SUBMIT), 2);
	TEST_ASSERT_EQUAL(at_collect(env->tx->dev_id, DCI, done, RTE_DIM(done)), RTE_DIM(done));
	TEST_ASSERT_EQUAL(done[0].status, RTE_UMR_STATUS_SUCCESS);
	TEST_ASSERT_EQUAL(done[1].status, RTE_UMR_STATUS_RETRY_EXCEEDED);
	TEST_ASSERT_EQUAL(done[2].status, RTE_UMR_STATUS_FLUSHED);
	TEST_ASSERT_EQUAL(rte_umr_write(env->tx->dev_id, DCI, &local, at_addr(env->tx, HALF + 32),
					env->tx->mr->rkey, 0), -EIO);
	TEST_ASSERT_SUCCESS(rte_umr_queue_recover(env->tx->dev_id, DCI));
	/* The address is still the last one that was set. */
	TEST_ASSERT_EQUAL(rte_umr_write(env->tx->dev_id, DCI, &local, at_addr(env->tx, HALF + 32),
					env->tx->mr->rkey, 0), 3);
	TEST_ASSERT_SUCCESS(at_finish(env, 1));
	TEST_ASSERT_EQUAL(at_first_difference(env->tx->buf + HALF, env->tx->buf, 16), -1);
	TEST_ASSERT(at_first_difference(env->tx->buf + HALF + 16, env->tx->buf, 16) >= 0);
	TEST_ASSERT_EQUAL(at_first_difference(env->tx->buf + HALF + 32, env->tx->buf, 16), -1);
	return TEST_SUCCESS;
}

/*
 * No answer, and an answer that says "not now". A target that was restarted is another one: who has
 * its old address gets no answer.
 */
static int
silent_and_busy_targets_are_told_apart(struct at_env *env)
{
	const struct at_conf conf = { 0 };
	struct rte_umr_dev_conf dev_conf = { .nb_queues = 2 };
	struct rte_umr_queue_conf target_conf = dct_conf(0);
	struct target target = { .side = &env->sides[0], .queue_id = 1 };
	char args[RTE_UMR_DEV_NAME_LEN + 64];
	struct rte_umr_dev_info info;
	struct rte_umr_seg local;
	int16_t dev_id;
	int ret;

	ret = at_side_probe(env, 0);
	if (ret != TEST_SUCCESS)
		return ret;
	/* The same device again, less patient. */
	TEST_ASSERT_SUCCESS(rte_umr_dev_info_get(env->sides[0].dev_id, &info));
	if ((info.dev_capa & RTE_UMR_CAPA_DC) == 0)
		return TEST_SKIPPED;
	snprintf(args, sizeof(args), "%s,rnr_retry=1,retry_count=1,ack_timeout=8", info.dev_name);
	TEST_ASSERT_SUCCESS(rte_umr_dev_close(env->sides[0].dev_id));
	env->sides[0].dev_id = -1;
	TEST_ASSERT_SUCCESS(rte_umr_dev_probe(args, &env->sides[0].dev_id));
	dev_id = env->sides[0].dev_id;
	env->tx = &env->sides[0];
	TEST_ASSERT_SUCCESS(at_side_memory(env->tx, &conf));
	TEST_ASSERT_SUCCESS(rte_umr_dev_configure(dev_id, &dev_conf));
	TEST_ASSERT_SUCCESS(rte_umr_queue_setup(dev_id, DCI, &dci_conf));
	TEST_ASSERT_SUCCESS(rte_umr_queue_setup(dev_id, 1, &target_conf));
	TEST_ASSERT_SUCCESS(rte_umr_dev_start(dev_id));
	TEST_ASSERT_SUCCESS(target_address(env, &target, KEY_OF(0)));
	local = at_seg(env->tx, 0, 16);
	TEST_ASSERT_SUCCESS(address_set(env, &target));
	TEST_ASSERT_EQUAL(rte_umr_send(dev_id, DCI, &local, 0), 0);
	TEST_ASSERT_SUCCESS(at_finish_status(env, 1, RTE_UMR_STATUS_RNR_RETRY_EXCEEDED));
	TEST_ASSERT_SUCCESS(rte_umr_queue_recover(dev_id, DCI));
	TEST_ASSERT_SUCCESS(rte_umr_queue_recover(dev_id, 1));
	TEST_ASSERT_EQUAL(recv_post(&target, 0), 0);
	TEST_ASSERT_EQUAL(rte_umr_send(dev_id, DCI, &local, 0), 1);
	TEST_ASSERT_SUCCESS(at_finish_status(env, 1, RTE_UMR_STATUS_RETRY_EXCEEDED));
	TEST_ASSERT_SUCCESS(rte_umr_queue_recover(dev_id, DCI));
	TEST_ASSERT_SUCCESS(target_address(env, &target, KEY_OF(0)));
	TEST_ASSERT_SUCCESS(address_set(env, &target));
	TEST_ASSERT_EQUAL(rte_umr_send_imm(dev_id, DCI, &local, rte_cpu_to_be_32(0), 0), 2);
	TEST_ASSERT_SUCCESS(at_finish(env, 1));
	return recv_expect(env, &target, 0, 0, 16);
}

/* A receive that cannot be written fails alone: a target has other messages to take. */
static int
bad_receive_leaves_the_target_alive(struct at_env *env)
{
	struct rte_umr_completion done;
	struct rte_umr_seg local, bad;
	struct dc dc;
	int ret;

	ret = dc_create(env, &dc, 1);
	if (ret != TEST_SUCCESS)
		return ret;
	local = at_seg(env->tx, 0, MSG_LEN);
	bad = at_seg(env->tx, HALF, MSG_LEN);
	bad.lkey = 0xdead0042u;
	TEST_ASSERT_EQUAL(rte_umr_recv(env->tx->dev_id, 1, &bad, 1, 0), 0);
	TEST_ASSERT_SUCCESS(address_set(env, &dc.targets[0]));
	TEST_ASSERT_EQUAL(rte_umr_send(env->tx->dev_id, DCI, &local, 0), 0);
	TEST_ASSERT_SUCCESS(at_finish_status(env, 1, RTE_UMR_STATUS_REMOTE_OP));
	TEST_ASSERT_EQUAL(at_collect_recv(env->tx->dev_id, 1, &done, 1), 1);
	TEST_ASSERT_EQUAL(done.status, RTE_UMR_STATUS_LOCAL_PROT);
	TEST_ASSERT_SUCCESS(rte_umr_queue_recover(env->tx->dev_id, DCI));
	TEST_ASSERT_EQUAL(recv_post(&dc.targets[0], 1), 1);
	TEST_ASSERT_EQUAL(rte_umr_send_imm(env->tx->dev_id, DCI, &local, rte_cpu_to_be_32(1), 0),
			  1);
	TEST_ASSERT_SUCCESS(at_finish(env, 1));
	return recv_expect(env, &dc.targets[0], 1, 0, MSG_LEN);
}

/* All receives of a target, oldest first or not, come back once. */
static int
expect_flushed(int16_t dev_id, uint16_t first_idx)
{
	struct rte_umr_completion done[NB_RECV];
	uint32_t i, seen = 0;

	TEST_ASSERT_EQUAL(at_collect_recv(dev_id, 1, done, NB_RECV), NB_RECV);
	for (i = 0; i < NB_RECV; i++) {
		TEST_ASSERT_EQUAL(done[i].status, RTE_UMR_STATUS_FLUSHED);
		TEST_ASSERT((uint16_t)(done[i].idx - first_idx) < NB_RECV);
		seen |= 1u << (uint16_t)(done[i].idx - first_idx);
	}
	TEST_ASSERT_EQUAL(seen, (1u << NB_RECV) - 1);
	TEST_ASSERT_EQUAL(rte_umr_recv_completed(dev_id, 1, 1, done), 0);
	return TEST_SUCCESS;
}

static int
target_gives_its_receives_back(struct at_env *env)
{
	struct rte_umr_endpoint before, after;
	int16_t dev_id;
	struct dc dc;
	uint32_t i;
	int ret;

	ret = dc_create(env, &dc, 1);
	if (ret != TEST_SUCCESS)
		return ret;
	dev_id = env->tx->dev_id;
	TEST_ASSERT_SUCCESS(rte_umr_queue_endpoint_get(dev_id, 1, &before));
	for (i = 0; i < NB_RECV; i++)
		TEST_ASSERT_EQUAL(recv_post(&dc.targets[0], i), i);
	TEST_ASSERT_EQUAL(recv_post(&dc.targets[0], i), -ENOSPC);
	TEST_ASSERT_EQUAL(rte_umr_queue_recover(dev_id, 1), -EBUSY);
	TEST_ASSERT_EQUAL(recv_post(&dc.targets[0], i), -EIO);
	TEST_ASSERT_SUCCESS(expect_flushed(dev_id, 0));
	TEST_ASSERT_SUCCESS(rte_umr_queue_recover(dev_id, 1));
	TEST_ASSERT_SUCCESS(rte_umr_queue_endpoint_get(dev_id, 1, &after));
	TEST_ASSERT(before.qpn != after.qpn);
	for (i = 0; i < NB_RECV; i++)
		TEST_ASSERT_EQUAL(recv_post(&dc.targets[0], i), NB_RECV + i);
	TEST_ASSERT_SUCCESS(rte_umr_dev_stop(dev_id));
	TEST_ASSERT_SUCCESS(expect_flushed(dev_id, NB_RECV));
	TEST_ASSERT_EQUAL(rte_umr_queue_endpoint_get(dev_id, 1, &after), -EINVAL);
	TEST_ASSERT_SUCCESS(rte_umr_dev_start(dev_id));
	TEST_ASSERT_EQUAL(recv_post(&dc.targets[0], 0), 0);
	return TEST_SUCCESS;
}

static int
addresses_that_cannot_be_are_refused(struct at_env *env)
{
	struct rte_umr_endpoint remote, good;
	struct rte_umr_dc_addr addr = { 0 };
	struct rte_umr_seg local;
	int16_t dev_id;
	struct dc dc;
	int ret;

	ret = dc_create(env, &dc, 1);
	if (ret != TEST_SUCCESS)
		return ret;
	dev_id = env->tx->dev_id;
	local = at_seg(env->tx, 0, 16);
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
	TEST_ASSERT_EQUAL(rte_umr_dc_addr_set(dev_id, DCI, &dc.targets[0].addr), -ENODEV);
	return TEST_SUCCESS;
}

static int
each_side_has_what_it_can_do(struct at_env *env)
{
	struct rte_umr_queue_conf conf;
	struct rte_umr_endpoint local;
	struct rte_umr_dev_info info;
	struct rte_umr_mkey *mkey;
	struct rte_umr_seg seg;
	int16_t dev_id;
	struct dc dc;
	int ret;

	ret = dc_create(env, &dc, 1);
	if (ret != TEST_SUCCESS)
		return ret;
	dev_id = env->tx->dev_id;
	seg = at_seg(env->tx, 0, 16);
	mkey = at_key(env->tx);
	TEST_ASSERT(mkey != NULL);
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
	TEST_ASSERT_SUCCESS(rte_umr_dev_info_get(dev_id, &info));
	TEST_ASSERT_EQUAL(info.dci_xfer_desc, 2);
	conf = dci_conf;
	conf.nb_recv_desc = 1;
	TEST_ASSERT_EQUAL(rte_umr_queue_setup(dev_id, DCI, &conf), -EINVAL);
	conf = dci_conf;
	conf.dc_key = 1;
	TEST_ASSERT_EQUAL(rte_umr_queue_setup(dev_id, DCI, &conf), -EINVAL);
	conf = dct_conf(0);
	conf.nb_desc = 64;
	TEST_ASSERT_EQUAL(rte_umr_queue_setup(dev_id, 1, &conf), -EINVAL);
	conf = dct_conf(0);
	conf.nb_recv_desc = 0;
	TEST_ASSERT_EQUAL(rte_umr_queue_setup(dev_id, 1, &conf), -ERANGE);
	conf.nb_recv_desc = (uint16_t)(info.max_dct_recv_desc + 1);
	TEST_ASSERT_EQUAL(rte_umr_queue_setup(dev_id, 1, &conf), -ERANGE);
	conf = dct_conf(0);
	conf.max_recv_segs = (uint16_t)(info.max_dct_recv_segs + 1);
	TEST_ASSERT_EQUAL(rte_umr_queue_setup(dev_id, 1, &conf), -ERANGE);
	/* The largest that there is. */
	conf.max_recv_segs = info.max_dct_recv_segs;
	conf.nb_recv_desc = 100;
	TEST_ASSERT_SUCCESS(rte_umr_queue_setup(dev_id, 1, &conf));
	conf.max_recv_segs = 1;
	conf.nb_recv_desc = info.max_dct_recv_desc;
	TEST_ASSERT_SUCCESS(rte_umr_queue_setup(dev_id, 2, &conf));
	return rte_umr_dev_start(dev_id);
}

/* Fetch and add on one target, compare and swap on the other; what was there comes back. */
static int
atomics_go_to_the_target_named(struct at_env *env)
{
	uint64_t *words = NULL, *old = NULL;
	struct rte_umr_dev_info info;
	struct rte_umr_seg local;
	struct dc dc;
	uint32_t t;
	int ret;

	ret = dc_create(env, &dc, 2);
	if (ret != TEST_SUCCESS)
		return ret;
	TEST_ASSERT_SUCCESS(rte_umr_dev_info_get(env->tx->dev_id, &info));
	if ((info.dev_capa & RTE_UMR_CAPA_ATOMIC) == 0) {
		printf("%s has no atomics\n", info.dev_name);
		return TEST_SKIPPED;
	}
	for (t = 0; t < NB_TARGETS; t++) {
		struct at_side *side = dc.targets[t].side;
		uint64_t addr = at_addr(side, HALF);

		words = (uint64_t *)(side->buf + HALF);
		*words = 40 + t;
		local = at_seg(env->tx, 64 * t, RTE_UMR_ATOMIC_LEN);
		TEST_ASSERT_SUCCESS(address_set(env, &dc.targets[t]));
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
	TEST_ASSERT_SUCCESS(at_finish(env, NB_TARGETS));
	for (t = 0; t < NB_TARGETS; t++) {
		words = (uint64_t *)(dc.targets[t].side->buf + HALF);
		old = (uint64_t *)(env->tx->buf + 64 * t);
		TEST_ASSERT_EQUAL(*old, 40 + t);
		TEST_ASSERT_EQUAL(*words, t == 0 ? 42 : 77);
	}
	return TEST_SUCCESS;
}

/* Of every length up to the limit, so that WQEs end in every octoword of a block. */
static int
bytes_in_the_wqe_go_to_the_target_named(struct at_env *env)
{
	struct rte_umr_dev_info info;
	struct rte_umr_seg local;
	uint8_t bytes[1024];
	struct dc dc;
	uint32_t len;
	int ret;

	ret = dc_create(env, &dc, 1);
	if (ret != TEST_SUCCESS)
		return ret;
	TEST_ASSERT_SUCCESS(rte_umr_dev_info_get(env->tx->dev_id, &info));
	TEST_ASSERT_EQUAL(info.max_dci_inline, info.max_inline - 48);
	TEST_ASSERT(info.max_dci_inline < sizeof(bytes));
	TEST_ASSERT_SUCCESS(address_set(env, &dc.targets[0]));
	for (len = 0; len <= info.max_dci_inline; len++) {
		memset(bytes, (int)len + 1, sizeof(bytes));
		memset(env->tx->buf + HALF, 0, len + 1);
		local = (struct rte_umr_seg){ .addr = (uintptr_t)bytes, .length = len };
		TEST_ASSERT(rte_umr_write(env->tx->dev_id, DCI, &local, at_addr(env->tx, HALF),
					  env->tx->mr->rkey, RTE_UMR_OP_F_INLINE) >= 0);
		memset(bytes, 0, sizeof(bytes));
		TEST_ASSERT_SUCCESS(at_finish(env, 1));
		memset(bytes, (int)len + 1, len);
		TEST_ASSERT_EQUAL(at_first_difference(env->tx->buf + HALF, bytes, len + 1), -1);
	}
	local.length = len;
	TEST_ASSERT_EQUAL(rte_umr_write(env->tx->dev_id, DCI, &local, at_addr(env->tx, HALF),
					env->tx->mr->rkey, RTE_UMR_OP_F_INLINE), -EMSGSIZE);
	TEST_ASSERT_EQUAL(rte_umr_read(env->tx->dev_id, DCI, &local, at_addr(env->tx, HALF),
				       env->tx->mr->rkey, RTE_UMR_OP_F_INLINE), -EINVAL);
	return TEST_SUCCESS;
}

static const struct autotest_case cases[] = {
	AUTOTEST_CASE(writes_and_reads_go_where_the_address_says),
	AUTOTEST_CASE(messages_arrive_at_the_target_named),
	AUTOTEST_CASE(write_with_immediate_takes_a_receive),
	AUTOTEST_CASE(atomics_go_to_the_target_named),
	AUTOTEST_CASE(bytes_in_the_wqe_go_to_the_target_named),
	AUTOTEST_CASE(layouts_work_on_an_initiator),
	AUTOTEST_CASE(wrong_access_key_fails_and_recovers),
	AUTOTEST_CASE(silent_and_busy_targets_are_told_apart),
	AUTOTEST_CASE(bad_receive_leaves_the_target_alive),
	AUTOTEST_CASE(target_gives_its_receives_back),
	AUTOTEST_CASE(addresses_that_cannot_be_are_refused),
	AUTOTEST_CASE(each_side_has_what_it_can_do),
};

AUTOTEST_SUITE(dc, cases);
