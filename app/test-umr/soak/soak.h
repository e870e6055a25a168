/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SOAK_H
#define SOAK_H

/**
 * @file
 * The soak command: its options and results.
 */

#include <stdbool.h>
#include <stdint.h>

#include "soak/kinds.h"
#include "soak/ledger/ledger.h"
#include "tool/tool.h"

#define SOAK_MAX_QUEUES		64u
/** Longest wait for operations or a recovery; a software device may lose its CPU. */
#define SOAK_DEADLINE_S		30u
/** Interval of progress lines. */
#define SOAK_PROGRESS_S		10u

/** Transports; bit mask. */
#define SOAK_LOOPBACK	0x1u
#define SOAK_RC		0x2u
#define SOAK_DC		0x4u
#define SOAK_PEER	0x8u	/**< RC to a serving process. */

struct soak_conf {
	uint64_t seconds;
	uint64_t nb_operations;	/**< Not 0: count that many operations on one queue instead. */
	uint64_t seed;
	uint32_t faults;	/**< Bit mask by enum soak_fault. */
	unsigned int transports; /**< Bitwise OR of SOAK_LOOPBACK etc. */
	uint32_t nb_lcores;
	uint32_t nb_queues;	/**< Queues that start operations. */
	bool has_one_queue;	/**< Run only one step of one queue. */
	bool has_one_step;
	uint64_t one_queue;
	uint64_t one_step;
	const char *peer;	/**< Address of the other process; NULL: none. */
	bool is_verbose;
	enum tool_format format;
	struct tool_devices devices;
	const char *faults_text; /**< Text of the option; NULL: not given. */
	const char *transports_text;
};

/** Results. Each queue has its own; they are summed. */
struct soak_tally {
	uint64_t nb_operations;	/**< Accepted by queues, including receives. */
	uint64_t nb_steps;
	uint64_t nb_recoveries;
	uint64_t longest_recovery_ns;
	uint64_t kinds[SOAK_NB_KINDS];
	uint64_t faults[SOAK_NB_FAULTS];
	uint64_t statuses[RTE_UMR_STATUS_UNKNOWN + 1];
	struct soak_wrongs wrongs;
};

void soak_tally_add(struct soak_tally *sum, const struct soak_tally *tally);

/** Run on open devices. */
enum tool_exit soak_run(struct soak_conf *conf);

/** Run in counting mode: soak_conf::nb_operations of one queue, in bursts. */
enum tool_exit soak_count_run(const struct soak_conf *conf);

/** Show progress: print a line. */
void soak_report_progress(double seconds, const struct soak_tally *tally);

/** Print the results and the last line. */
enum tool_exit soak_report(const struct soak_conf *conf, const struct soak_tally *tally,
			   uint32_t unavailable, double seconds);

#endif /* SOAK_H */
