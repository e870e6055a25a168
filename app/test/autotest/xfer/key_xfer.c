/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* A key and a transfer of its bytes, in one call: both are enqueued, or neither. */

#include <errno.h>
#include <string.h>

#include "autotest.h"
#include "dc/dc.h"
#include "env.h"
#include "xfer/segs.h"

#define TARGET		(AT_BUF_LEN / 2)
#define MAX_LIST	128u
#define PLACE		160u	/* of a segment in its half */
#define MAX_LEN		100u
#define NB_DESC		64u

/* A list in the work request, the longest one there, and one in memory. */
static const uint32_t counts[] = { 1, 4, 5, 52, 53, MAX_LIST };

static struct rte_umr_mkey_op
list_op(struct rte_umr_mkey *mkey, struct rte_umr_seg *segs, uint32_t nb)
{
	return (struct rte_umr_mkey_op){
		.mkey = mkey, .setters = RTE_UMR_MKEY_SET_ACCESS | RTE_UMR_MKEY_SET_LAYOUT,
		.access = RTE_UMR_ACCESS_LOCAL_WRITE, .segs = segs, .nb_entries = nb,
	};
}

static struct rte_umr_rdma_op
rdma_op(const struct rte_umr_mkey *mkey, uint32_t len, const struct at_side *to, uint32_t offset)
{
	return (struct rte_umr_rdma_op){
		.local = at_key_seg(mkey, 0, len), .remote_addr = at_addr(to, offset),
		.rkey = to->mr->rkey,
	};
}

/* Two operations completed, the second of which has that index. */
static int
both_are_done(struct at_env *env, int ret, enum rte_umr_op_type type, uint32_t len)
{
	struct rte_umr_completion done[2];

	TEST_ASSERT(ret >= 0);
	TEST_ASSERT_SUCCESS(rte_umr_submit(env->tx->dev_id, 0));
	TEST_ASSERT_EQUAL(at_collect(env->tx->dev_id, 0, done, 2), 2);
	TEST_ASSERT_EQUAL(done[0].idx, (uint16_t)(ret - 1));
	TEST_ASSERT_EQUAL(done[0].op, RTE_UMR_OP_MKEY_CONFIGURE);
	TEST_ASSERT_EQUAL(done[0].status, RTE_UMR_STATUS_SUCCESS);
	TEST_ASSERT_EQUAL(done[1].idx, ret);
	TEST_ASSERT_EQUAL(done[1].op, type);
	TEST_ASSERT_EQUAL(done[1].status, RTE_UMR_STATUS_SUCCESS);
	TEST_ASSERT_EQUAL(done[1].length, len);
	return TEST_SUCCESS;
}

static int
both_move(struct at_env *env, struct rte_umr_mkey *mkey, const struct at_side *to,
	  uint32_t offset, uint32_t nb)
{
	const int16_t dev = env->tx->dev_id;
	struct rte_umr_seg segs[MAX_LIST];
	const struct rte_umr_mkey_op op = list_op(mkey, segs, nb);
	struct rte_umr_rdma_op rdma;
	uint32_t len;

	at_fill(env);
	len = segs_make(env->tx, segs, nb, nb, MAX_LIST, PLACE, MAX_LEN - 1);
	for (uint32_t i = 0; i < nb; i++)
		segs[i].length++;
	len += nb;
	rdma = rdma_op(mkey, len, to, offset);
	TEST_ASSERT_SUCCESS(both_are_done(env, rte_umr_mkey_write(dev, 0, &op, &rdma, 0),
					  RTE_UMR_OP_WRITE, len));
	TEST_ASSERT_SUCCESS(segs_are(segs, nb, to->buf + offset));
	at_fill(env);
	rdma.remote_addr++;
	TEST_ASSERT_SUCCESS(both_are_done(env, rte_umr_mkey_read(dev, 0, &op, &rdma,
								 RTE_UMR_OP_F_FENCE),
					  RTE_UMR_OP_READ, len));
	return segs_are(segs, nb, to->buf + offset + 1);
}

static int
lists(struct at_env *env)
{
	struct rte_umr_mkey *mkey = AT_KEY(env->tx);

	for (unsigned int i = 0; i < RTE_DIM(counts); i++)
		if (both_move(env, mkey, env->rx, TARGET, counts[i]) != TEST_SUCCESS)
			TEST_FAIL_AT("%u segments", counts[i]);
	return TEST_SUCCESS;
}

AT_CASE_CALL(key_xfer, key_and_transfer_move_all_of_it, at_everywhere(env, MAX_LIST, lists))

/* Descriptors that both take, as rte_umr_op_desc() says. */
static int
nb_desc_of(struct at_env *env, uint32_t nb_entries, uint16_t *nb_desc)
{
	const struct rte_umr_op_shape shapes[] = {
		{ .op = RTE_UMR_OP_MKEY_CONFIGURE, .setters = RTE_UMR_MKEY_SET_LAYOUT,
		  .nb_entries = nb_entries },
		{ .op = RTE_UMR_OP_WRITE, .length = 1 },
	};
	struct rte_umr_op_size size;

	*nb_desc = 0;
	for (unsigned int i = 0; i < RTE_DIM(shapes); i++) {
		TEST_ASSERT_SUCCESS(rte_umr_op_desc(env->tx->dev_id, 0, &shapes[i], &size));
		*nb_desc += size.nb_desc;
	}
	return TEST_SUCCESS;
}

/* With that many free descriptors, both are there, or nothing has changed. */
static int
both_or_none_with(struct at_env *env, struct rte_umr_mkey *mkey, uint32_t nb, uint16_t nb_free)
{
	const struct rte_umr_seg one = at_seg(env->tx, TARGET - 64, 64);
	const int16_t dev = env->tx->dev_id;
	const struct rte_umr_rdma_op rdma = rdma_op(mkey, 1, env->rx, TARGET);
	struct rte_umr_seg segs[MAX_LIST];
	const struct rte_umr_mkey_op op = list_op(mkey, segs, nb);
	uint16_t nb_ops = 1, nb_desc;

	TEST_ASSERT_SUCCESS(nb_desc_of(env, nb, &nb_desc));
	for (uint32_t i = 0; i < nb; i++)
		segs[i] = at_seg(env->tx, i * 8, 8);
	at_fill(env);
	TEST_ACCEPT(rte_umr_mkey_list(dev, 0, mkey, 0, &one, 1, 0));
	TEST_ASSERT_SUCCESS(at_finish(env, 1));
	TEST_ACCEPT(rte_umr_write(dev, 0, &one, rdma.remote_addr + 4096, rdma.rkey, 0));
	for (; rte_umr_desc_avail(dev, 0) > nb_free; nb_ops++)
		TEST_ACCEPT(rte_umr_write(dev, 0, &one, rdma.remote_addr + 4096, rdma.rkey, 0));
	if (nb_free >= nb_desc) {
		TEST_ACCEPT(rte_umr_mkey_write(dev, 0, &op, &rdma, 0));
		TEST_ASSERT_EQUAL(rte_umr_desc_avail(dev, 0), nb_free - nb_desc);
		TEST_ASSERT_SUCCESS(at_finish(env, nb_ops + 2));
		TEST_ASSERT_SAME(env->rx->buf + TARGET, env->tx->buf, 1);
		return TEST_SUCCESS;
	}
	TEST_ASSERT_EQUAL(rte_umr_mkey_write(dev, 0, &op, &rdma, RTE_UMR_OP_F_SUBMIT), -ENOSPC);
	TEST_ASSERT_EQUAL(rte_umr_mkey_read(dev, 0, &op, &rdma, RTE_UMR_OP_F_SUBMIT), -ENOSPC);
	TEST_ASSERT_EQUAL(rte_umr_desc_avail(dev, 0), nb_free);
	TEST_ASSERT_SUCCESS(at_finish(env, nb_ops));
	/* The key still has its old layout. */
	TEST_ACCEPT(rte_umr_write(dev, 0, &rdma.local, rdma.remote_addr, rdma.rkey, 0));
	TEST_ASSERT_SUCCESS(at_finish(env, 1));
	TEST_ASSERT_SAME(env->rx->buf + TARGET, env->tx->buf + TARGET - 64, 1);
	return TEST_SUCCESS;
}

AT_CASE(key_xfer, full_ring_takes_both_or_none)
{
	struct rte_umr_mkey *mkey;

	AT_BUILD(env, .nb_desc = NB_DESC, .max_entries = MAX_LIST);
	mkey = AT_KEY(env->tx);
	for (unsigned int i = 0; i < RTE_DIM(counts); i++)
		for (uint16_t nb_free = 0; nb_free < 20; nb_free++)
			if (both_or_none_with(env, mkey, counts[i], nb_free) != TEST_SUCCESS)
				TEST_FAIL_AT("%u segments, %u free", counts[i], nb_free);
	return TEST_SUCCESS;
}

/* Whichever of the two is invalid. */
AT_CASE(key_xfer, invalid_ones_enqueue_nothing)
{
	struct rte_umr_seg segs[MAX_LIST];

	AT_BUILD(env, .topology = AT_TWO_DEVICES);
	const int16_t dev = env->tx->dev_id;
	struct rte_umr_mkey *mkey = AT_KEY(env->tx);
	const uint16_t avail = rte_umr_desc_avail(dev, 0);
	const struct rte_umr_mkey_op op = list_op(mkey, segs, 4);
	const struct rte_umr_rdma_op rdma = rdma_op(mkey, 256, env->rx, TARGET);
	segs_make(env->tx, segs, 4, 1, MAX_LIST, PLACE, MAX_LEN);
	static const uint64_t flags[] = { RTE_UMR_OP_F_INLINE, RTE_BIT64(3), RTE_BIT64(40) };
	for (unsigned int i = 0; i < RTE_DIM(flags); i++) {
		TEST_ASSERT_EQUAL(rte_umr_mkey_write(dev, 0, &op, &rdma, flags[i]), -EINVAL);
		TEST_ASSERT_EQUAL(rte_umr_mkey_read(dev, 0, &op, &rdma, flags[i]), -EINVAL);
	}
	TEST_BAD(rdma, local.lkey, mkey->key + 1, rte_umr_mkey_write(dev, 0, &op, &bad, 0),
		 -EINVAL);
	TEST_BAD(rdma, reserved, 1, rte_umr_mkey_write(dev, 0, &op, &bad, 0), -EINVAL);
	TEST_BAD(rdma, local.length, (uint32_t)env->tx->info.max_msg_len + 1,
		 rte_umr_mkey_read(dev, 0, &op, &bad, 0), -EMSGSIZE);
	TEST_BAD(op, nb_entries, 0, rte_umr_mkey_write(dev, 0, &bad, &rdma, 0), -EINVAL);
	TEST_BAD(op, nb_entries, mkey->max_entries + 1,
		 rte_umr_mkey_write(dev, 0, &bad, &rdma, 0), -E2BIG);
	TEST_BAD(op, setters, 0x80, rte_umr_mkey_read(dev, 0, &bad, &rdma, 0), -EINVAL);
	TEST_ASSERT_EQUAL(rte_umr_desc_avail(dev, 0), avail);
	return both_move(env, mkey, env->rx, TARGET, 4);
}

/* A failure of the first one flushes the second one. */
AT_CASE(key_xfer, failure_of_the_key_flushes_the_transfer)
{
	struct rte_umr_seg segs[MAX_LIST];

	AT_BUILD(env, .topology = AT_TWO_DEVICES);
	struct rte_umr_mkey *mkey = AT_KEY(env->tx);
	const struct rte_umr_mkey_op op = list_op(mkey, segs, 4);
	const struct rte_umr_rdma_op rdma = rdma_op(mkey, 8, env->rx, TARGET);
	struct rte_umr_completion done[2];
	at_fill(env);
	segs_make(env->tx, segs, 4, 1, MAX_LIST, PLACE, MAX_LEN);
	for (uint32_t i = 0; i < 4; i++)
		segs[i].lkey = 0xbad00;
	TEST_ACCEPT(rte_umr_mkey_write(env->tx->dev_id, 0, &op, &rdma, RTE_UMR_OP_F_SUBMIT));
	TEST_ASSERT_EQUAL(at_collect(env->tx->dev_id, 0, done, 2), 2);
	/* A device that checks entries only when they are used fails the transfer. */
	TEST_ASSERT(done[0].status == RTE_UMR_STATUS_MKEY_CONFIG ?
		    done[1].status == RTE_UMR_STATUS_FLUSHED :
		    done[1].status == RTE_UMR_STATUS_LOCAL_PROT);
	TEST_ASSERT_SUCCESS(at_env_recover(env));
	return both_move(env, mkey, env->rx, TARGET, 52);
}

AT_CASE(key_xfer, initiators_take_both_or_none)
{
	struct rte_umr_mkey_op op;
	struct rte_umr_seg seg;
	struct dc dc;

	TEST_NEED(dc_create(env, &dc, 1));
	const int16_t dev = env->tx->dev_id;
	struct at_side *const side = dc.targets[0].side;
	struct rte_umr_mkey *mkey = AT_KEY(env->tx);
	const struct rte_umr_rdma_op rdma = rdma_op(mkey, 64, side, DC_HALF);
	const uint16_t avail = rte_umr_desc_avail(dev, DCI);
	seg = at_seg(env->tx, 0, 64);
	op = list_op(mkey, &seg, 1);
	TEST_ASSERT_EQUAL(rte_umr_mkey_write(dev, DCI, &op, &rdma, 0), -EDESTADDRREQ);
	TEST_ASSERT_EQUAL(rte_umr_mkey_write(dev, dc.targets[0].queue_id, &op, &rdma, 0), -ENOTSUP);
	TEST_ASSERT_EQUAL(rte_umr_desc_avail(dev, DCI), avail);
	TEST_ASSERT_SUCCESS(dc_address_set(env, &dc.targets[0]));
	for (unsigned int i = 0; i < 3; i++)
		TEST_ASSERT_SUCCESS(both_move(env, mkey, side, DC_HALF, counts[i]));
	return TEST_SUCCESS;
}
