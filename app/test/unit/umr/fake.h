/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef RTE_UMR_FAKE_H
#define RTE_UMR_FAKE_H

/**
 * @file
 * A driver of lib/umr without a device, for tests of the control path. It finds fake0 to fake2, and
 * probes fakeN and, with fewer capabilities, poor0.
 */

#include "cases.h"
#include "rte_umr_pmd.h"

#define FAKE_MAX_QUEUES 4
#define FAKE_MAX_MKEYS 2000

/** Recorded calls of the driver, and its results. */
struct fake {
	int probe_ret, start_ret, setup_ret, pd_ret, mr_ret, advise_ret, odp_stats_ret;
	int mkey_destroy_ret;
	bool has_no_fp_ops;	/* queues without a data path */
	bool has_xstats;	/* two own counters: 70 and 71 */
	bool is_mr_lost;	/* by reregistering */
	const struct rte_umr_fp_ops *fp_ops; /* complete; NULL: two built-in functions */
	/* Calls. */
	unsigned int nb_start, nb_stop, nb_close, nb_setup, nb_release, nb_connect;
	unsigned int nb_mkey_create, nb_register, nb_reregister;
	unsigned int mkey_fail_at;	/* call that fails, from 1; 0: none */
	unsigned int nb_mkeys, nb_pds, nb_mrs;	/* that exist */
	unsigned int nb_recycled;	/* reused keys that retain state */
	uint64_t more_capa;		/* additional capabilities of the device */
	uint32_t max_sig_mkeys;
	struct rte_umr_queue_stats stats;	/* of each queue */
	uint32_t nb_dump_ops, nb_segs, changes;	/* arguments of the last call */
	struct rte_umr_mr mr;	/* last registered or reregistered */
	char color[16];
	struct rte_umr_dev *dev;	/* last probed */
};

extern struct fake fake;

/** Call once before all cases. */
void fake_register(void);

/** Setup of each case. */
int fake_setup(void **state);
/** Close every device, whatever the state after the case. */
int fake_teardown(void **state);

/** @return Device identifier of fake0. */
int16_t fake_probed(void);

/** Configure a device with as many queues, and set them up. */
void fake_queues_setup(int16_t id, uint16_t nb_queues);

/** Capture what the library logs, of level ERR and above. */
void fake_log_start(void);
/** @return What was logged, to be freed. */
char *fake_log_end(void);

/** Report the loss of a device, as its driver would. */
void fake_lose(struct rte_umr_dev *dev, enum rte_umr_dev_status status);

/** Define a case with that setup and teardown. */
#define FAKE_CASE(name) CASE_WITH(name, fake_setup, fake_teardown)

#endif /* RTE_UMR_FAKE_H */
