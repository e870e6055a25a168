/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef AUTOTEST_COMMAND_H
#define AUTOTEST_COMMAND_H

/**
 * @file
 * Steps from probe to close, for tests that make their commands fail.
 */

#include <stdbool.h>
#include <stdint.h>

#include <rte_umr.h>

#include "env.h"

/** Objects of the steps on the first device. */
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

/** A step and how it handles a failing command. */
struct fail_step {
	const char *name;
	uint64_t capa;		/**< Skip the step without these. */
	int (*enter)(struct fail_bed *bed);	/**< Creates objects. */
	/** Undoes enter; NULL: nothing to undo, or the next step does it. */
	int (*leave)(struct fail_bed *bed);
	bool is_gone;		/**< leave may return an error although the object is gone. */
	/**
	 * Some commands may fail: libmlx5 has a fallback, the state of the port is unknown, or the
	 * replaced object stays in the device.
	 */
	bool has_substitute;
	bool has_none;		/**< No failing command makes it fail. */
	bool is_anew;		/**< It starts by destroying the object that it recreates. */
};

/** All steps in order. */
extern const struct fail_step fail_steps[];
extern const unsigned int nb_fail_steps;

/** Steps that the test also calls directly. */
int fail_probe(struct fail_bed *bed);
int fail_close(struct fail_bed *bed);
int fail_mr_access_change(struct fail_bed *bed);
int fail_configure(struct fail_bed *bed);
int fail_loopback_setup(struct fail_bed *bed);
int fail_start(struct fail_bed *bed);

/** Open and close the device, so that its kernel creates what it keeps for all regions. */
int fail_warm_up(struct fail_bed *bed);

/** Connect both queues, whatever their state. */
int fail_queues_connect(struct fail_bed *bed);

#endif /* AUTOTEST_COMMAND_H */
