/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef RTE_UMR_FAKE_H
#define RTE_UMR_FAKE_H

/**
 * @file
 * A driver of lib/umr without a device, for tests of the control path. It finds fake0 to fake2,
 * probes fakeN and, with fewer capabilities, poor0.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "rte_umr_pmd.h"

#define FAKE_MAX_QUEUES 4
#define FAKE_MAX_MKEYS 2000

/** What the driver was asked, and what it is to answer. */
struct fake {
	int probe_ret;
	int start_ret;
	int setup_ret;
	bool has_no_fp_ops;	/* queues without a data path */
	const struct rte_umr_fp_ops *fp_ops; /* complete; NULL: two functions of its own */
	unsigned int nb_start;
	unsigned int nb_stop;
	unsigned int nb_close;
	unsigned int nb_setup;
	unsigned int nb_release;
	unsigned int nb_connect;
	unsigned int nb_mkey_create;	/* calls */
	unsigned int mkey_fail_at;	/* call that fails, from 1; 0: none */
	unsigned int nb_mkeys;		/* that there are */
	int mkey_destroy_ret;
	uint64_t more_capa;		/* of the device, beside what it has */
	uint32_t max_sig_mkeys;
	unsigned int nb_recycled;	/* keys that were taken again and keep something */
	struct rte_umr_queue_stats stats;	/* of each queue */
	bool has_xstats;	/* two counters of its own: 70 and 71 */
	uint32_t nb_dump_ops;	/* as asked for last */
	char color[16];
	struct rte_umr_dev *dev;	/* probed last */
};

extern struct fake fake;

/** Once, in front of all cases. */
void fake_register(void);

/** Of each case. */
int fake_setup(void **state);
/** Close every device, whatever the case left. */
int fake_teardown(void **state);

/** @return Device identifier of fake0. */
int16_t fake_probed(void);

/** What a driver does that loses its device. */
void fake_lose(struct rte_umr_dev *dev, enum rte_umr_dev_status status);

#define FAKE_CASE(f) cmocka_unit_test_setup_teardown(f, fake_setup, fake_teardown)

#endif /* RTE_UMR_FAKE_H */
