/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include "dc/dc.h"

const struct rte_umr_queue_conf dc_initiator_conf = {
	.transport = RTE_UMR_TRANSPORT_DCI, .nb_desc = 64, .socket_id = -1,
};

struct rte_umr_queue_conf
dc_target_conf(uint32_t target)
{
	return (struct rte_umr_queue_conf){
		.transport = RTE_UMR_TRANSPORT_DCT, .nb_recv_desc = DC_NB_RECV, .max_recv_segs = 2,
		.socket_id = -1, .dc_key = DC_KEY_OF(target),
	};
}

static int
side_create(struct at_env *env, unsigned int n, const char *args)
{
	const struct at_conf conf = { 0 };

	env->options = args;
	TEST_NEED(at_side_probe(env, n));
	TEST_NEED(at_need_capa(&env->sides[n].info, RTE_UMR_CAPA_DC));
	return at_side_memory(&env->sides[n], &conf);
}

int
dc_target_address(struct at_env *env, struct dc_target *target, uint64_t key)
{
	struct rte_umr_endpoint remote;

	TEST_ASSERT_SUCCESS(rte_umr_queue_endpoint_get(target->side->dev_id, target->queue_id,
						       &remote));
	TEST_ASSERT_SUCCESS(rte_umr_dc_addr_fill(env->sides[0].dev_id, &remote, key,
						 &target->addr));
	return TEST_SUCCESS;
}

int
dc_create(struct at_env *env, struct dc *dc, unsigned int nb_sides)
{
	return dc_create_with(env, dc, nb_sides, NULL);
}

int
dc_create_with(struct at_env *env, struct dc *dc, unsigned int nb_sides, const char *args)
{
	struct rte_umr_dev_conf dev_conf = { .nb_queues = 1 + DC_NB_TARGETS };
	struct rte_umr_queue_conf conf;

	for (unsigned int s = 0; s < nb_sides; s++) {
		TEST_NEED(side_create(env, s, args));
		TEST_ASSERT_SUCCESS(rte_umr_dev_configure(env->sides[s].dev_id, &dev_conf));
		TEST_ASSERT_SUCCESS(rte_umr_queue_setup(env->sides[s].dev_id, DCI,
							&dc_initiator_conf));
		for (unsigned int t = 0; t < DC_NB_TARGETS; t++) {
			conf = dc_target_conf(t);
			TEST_ASSERT_SUCCESS(rte_umr_queue_setup(env->sides[s].dev_id,
								(uint16_t)(1 + t), &conf));
		}
		TEST_ASSERT_SUCCESS(rte_umr_dev_start(env->sides[s].dev_id));
	}
	env->tx = &env->sides[0];
	for (unsigned int t = 0; t < DC_NB_TARGETS; t++) {
		/* With two devices the first target is on the second one, the second on its own. */
		dc->targets[t].side = &env->sides[(nb_sides - 1 + t) % nb_sides];
		dc->targets[t].queue_id = (uint16_t)(1 + t);
		TEST_ASSERT_SUCCESS(dc_target_address(env, &dc->targets[t], DC_KEY_OF(t)));
	}
	at_fill(env);
	return TEST_SUCCESS;
}

int
dc_address_set(struct at_env *env, const struct dc_target *target)
{
	return rte_umr_dc_addr_set(env->tx->dev_id, DCI, &target->addr);
}

/* Where the bytes of a receive go. */
static uint32_t
recv_offset(const struct dc_target *target, uint32_t idx)
{
	return DC_HALF + (target->queue_id * DC_NB_RECV + idx % DC_NB_RECV) * DC_MSG_LEN;
}

/* Receive idx of a target takes DC_MSG_LEN bytes, in two pieces, at a place of its own. */
int
dc_recv_post(const struct dc_target *target, uint32_t idx)
{
	const uint32_t offset = recv_offset(target, idx);
	const struct rte_umr_seg segs[] = {
		at_seg(target->side, offset, DC_MSG_LEN / 4),
		at_seg(target->side, offset + DC_MSG_LEN / 4, DC_MSG_LEN - DC_MSG_LEN / 4),
	};

	return rte_umr_recv(target->side->dev_id, target->queue_id, segs, RTE_DIM(segs), 0);
}

int
dc_recv_expect(struct at_env *env, const struct dc_target *target, uint32_t idx, uint32_t source,
	       uint32_t len)
{
	const uint32_t offset = recv_offset(target, idx);
	struct rte_umr_completion done;

	TEST_ASSERT_EQUAL(at_collect_recv(target->side->dev_id, target->queue_id, &done, 1), 1);
	TEST_ASSERT_EQUAL(done.status, RTE_UMR_STATUS_SUCCESS);
	TEST_ASSERT_EQUAL(done.idx, idx);
	TEST_ASSERT_EQUAL(done.length, len);
	TEST_ASSERT_EQUAL(done.flags, RTE_UMR_COMPLETION_F_IMM);
	TEST_ASSERT_EQUAL(done.imm, rte_cpu_to_be_32(idx));
	TEST_ASSERT_SAME(target->side->buf + offset, env->tx->buf + source, len);
	return TEST_SUCCESS;
}
