/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef AUTOTEST_DC_H
#define AUTOTEST_DC_H

/**
 * @file
 * One DC initiator and two targets for the suites dc and dc_error. All functions return
 * TEST_SUCCESS, TEST_FAILED (printed) or TEST_SKIPPED (printed) unless noted otherwise.
 */

#include "autotest.h"
#include "env.h"

#define DC_KEY_OF(target)	(UINT64_C(0x1020304050607080) + (target))
#define DC_NB_TARGETS		2u
/** Receives of a target. */
#define DC_NB_RECV		7u
/** Queue of the initiator. */
#define DCI			0u
/** Offset of the memory that targets serve. */
#define DC_HALF			(AT_BUF_LEN / 2)
/** Bytes of a receive. */
#define DC_MSG_LEN		64u

/** A target is a queue of a side; with one device, both are on it. */
struct dc_target {
	struct at_side *side;
	uint16_t queue_id;
	struct rte_umr_dc_addr addr;
};

struct dc {
	struct dc_target targets[DC_NB_TARGETS];
};

extern const struct rte_umr_queue_conf dc_initiator_conf;
struct rte_umr_queue_conf dc_target_conf(uint32_t target);

/** Queue 0 of the first device is the initiator; targets are queues 1 and 2, see the code. */
int dc_create(struct at_env *env, struct dc *dc, unsigned int nb_sides);
/** The same with devargs, beginning with a comma; NULL: none. */
int dc_create_with(struct at_env *env, struct dc *dc, unsigned int nb_sides, const char *args);

/** Create the address of a target again, with an access key. */
int dc_target_address(struct at_env *env, struct dc_target *target, uint64_t key);

/** Select the target of the next operations. @return That of rte_umr_dc_addr_set(). */
int dc_address_set(struct at_env *env, const struct dc_target *target);

/** Post receive idx of a target in two pieces, at its own place. @return That of rte_umr_recv(). */
int dc_recv_post(const struct dc_target *target, uint32_t idx);

/**
 * Collect it: it must contain the bytes of the initiator from source on, and idx as immediate data.
 */
int dc_recv_expect(struct at_env *env, const struct dc_target *target, uint32_t idx,
		   uint32_t source, uint32_t len);

#endif /* AUTOTEST_DC_H */
