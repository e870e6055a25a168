/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef AUTOTEST_COMMAND_H
#define AUTOTEST_COMMAND_H

/**
 * @file
 * The steps from probe to close whose commands are made to fail.
 */

#include <stdbool.h>
#include <stdint.h>

#include <rte_umr.h>

#include "env.h"

/** What the steps make of the first device. */
struct fail_bed {
	char name[RTE_UMR_DEV_NAME_LEN];
	struct rte_umr_dev_info info;
	struct at_side *side;
	struct rte_umr_mr *mr;
	struct rte_umr_mkey_pool *pool;
	struct rte_umr_mkey_pool *sig_pool;
	struct rte_umr_pd *pd;
	struct rte_umr_crypto_login *login;
	struct rte_umr_dek *dek;
	struct rte_umr_mw *mw;
};

/** A step, and how it takes a command that fails. */
struct fail_step {
	const char *name;
	uint64_t capa;		/**< Left out without these. */
	int (*enter)(struct fail_bed *bed);	/**< Creates. */
	/** Undoes it; NULL: nothing to undo, or the step behind does. */
	int (*leave)(struct fail_bed *bed);
	bool is_gone;		/**< An error of leave is told, but the thing is gone. */
	/**
	 * Some commands may fail: libmlx5 tries another way, the state of the port is not known, or
	 * what it takes the place of stays in the device.
	 */
	bool has_substitute;
	bool has_none;		/**< No command of it must not fail. */
	bool is_anew;		/**< It begins by destroying what it makes anew. */
};

/** All of them, in order. */
extern const struct fail_step fail_steps[];
extern const unsigned int nb_fail_steps;

/** The steps that the test takes by themselves, too. */
int fail_probe(struct fail_bed *bed);
int fail_close(struct fail_bed *bed);
int fail_mr_access_change(struct fail_bed *bed);
int fail_configure(struct fail_bed *bed);
int fail_loopback_setup(struct fail_bed *bed);
int fail_start(struct fail_bed *bed);

/** Open and close the device, so that its kernel makes what it keeps for all regions. */
int fail_warm_up(struct fail_bed *bed);

/** Connect both queues, whatever the steps made of them. */
int fail_queues_connect(struct fail_bed *bed);

#endif /* AUTOTEST_COMMAND_H */
