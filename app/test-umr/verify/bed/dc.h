/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef VERIFY_DC_H
#define VERIFY_DC_H

/**
 * @file
 * DC queues of the mode dc: each device has an initiator and two targets, which initiators of all
 * devices write to.
 */

#include "verify/bed/mode.h"

#define VERIFY_DC_NB_TARGETS	2u
/** Maximum number of receives of a target, and of pieces of each. */
#define VERIFY_DC_NB_RECV	8u
#define VERIFY_DC_RECV_SEGS	2u

/** Three queues in addition to those of the common bed. */
extern const struct bed_conf verify_dc_bed_conf;

/** Created addresses; mode_private of the mode. */
struct verify_dc;

/** As verify_mode::setup and ::teardown. */
bool verify_dc_setup(struct verify_env *env);
void verify_dc_teardown(struct verify_env *env);

struct bed_end verify_dc_initiator(const struct bed *bed, uint16_t side);
struct bed_end verify_dc_target(const struct bed *bed, uint16_t side, uint32_t target);

/**
 * Address of a target for the initiator of a side. It is created once per target, and again when
 * the number of the target changes, as after a restart.
 *
 * @param key_error
 *   Difference of the access key: 0, or a difference that makes the target ignore requests.
 * @return
 *   0 or the negative errno of the API.
 */
int verify_dc_addr(const struct verify_env *env, uint16_t initiator, uint16_t side,
		   uint32_t target, uint64_t key_error, struct rte_umr_dc_addr *addr);

#endif /* VERIFY_DC_H */
