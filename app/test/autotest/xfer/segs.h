/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef XFER_SEGS_H
#define XFER_SEGS_H

/* Lists of segments, and what has become of an operation with one. */

#include "env.h"

/*
 * Make nb segments of less than max_len bytes, each somewhere in its place, the first in the last
 * of max_nb places. Some may be empty.
 *
 * @return Bytes of all.
 */
static inline uint32_t
segs_make(const struct at_side *side, struct rte_umr_seg *segs, uint32_t nb, uint32_t salt,
	  uint32_t max_nb, uint32_t place, uint32_t max_len)
{
	uint32_t i, total = 0;

	for (i = 0; i < nb; i++) {
		segs[i] = at_seg(side, (max_nb - 1 - i) * place + (i + salt) % (place - max_len),
				 (i * 37 + salt * 11) % max_len);
		total += segs[i].length;
	}
	return total;
}

/* Segments and consecutive bytes have the same content. */
static inline int
segs_are(const struct rte_umr_seg *segs, uint32_t nb, const uint8_t *bytes)
{
	uint32_t i;

	for (i = 0; i < nb; i++) {
		TEST_ASSERT_EQUAL(at_first_difference((const void *)(uintptr_t)segs[i].addr,
						      bytes, segs[i].length), -1);
		bytes += segs[i].length;
	}
	return TEST_SUCCESS;
}

/* The only operation has succeeded, and reports these. */
static inline int
done_is(struct at_env *env, int ret, enum rte_umr_op_type type, uint32_t len)
{
	struct rte_umr_completion done;

	TEST_ASSERT(ret >= 0);
	TEST_ASSERT_EQUAL(rte_umr_submit(env->tx->dev_id, 0), 0);
	TEST_ASSERT_EQUAL(at_collect(env->tx->dev_id, 0, &done, 1), 1);
	TEST_ASSERT_EQUAL(done.idx, ret);
	TEST_ASSERT_EQUAL(done.status, RTE_UMR_STATUS_SUCCESS);
	TEST_ASSERT_EQUAL(done.op, type);
	TEST_ASSERT_EQUAL(done.length, len);
	return TEST_SUCCESS;
}

#endif /* XFER_SEGS_H */
