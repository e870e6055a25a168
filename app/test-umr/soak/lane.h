/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SOAK_LANE_H
#define SOAK_LANE_H

/**
 * @file
 * A queue that starts operations, with all of its own objects: the queue at its other end, the
 * memory of both ends, their keys and ledgers. Lanes only share the device, so that each lane may
 * run on another lcore.
 */

#include <pthread.h>

#include "soak/ledger/twin.h"
#include "soak/plan.h"
#include "soak/soak.h"

/** Kinds of accessible memory: SOAK_PINNED and SOAK_DEMAND. */
#define SOAK_NB_AREAS	2u
/** Bytes of inaccessible memory of each kind. */
#define SOAK_GONE_SIZE	65536u

struct soak_remote;

/** State shared by the lanes of a device. */
struct soak_device {
	int16_t dev_id;
	struct rte_umr_dev_info info;
	const struct soak_conf *conf;
	uint32_t faults;	/**< Supported classes. */
	bool has_control;	/**< A software device with a control interface for faults. */
	/** A loss was requested: written with the lock held, read by all lanes. */
	bool is_to_be_lost;
	/** Held to call control functions, make commands fail or stop the device. */
	pthread_mutex_t control;
	struct soak_remote *remote;	/**< Far ends in another process; NULL: none. */
	uint64_t *noise;	/**< At least SOAK_AREA_SIZE bytes to fill memory with. */
};

/** Memory and keys of one end of a lane. */
struct soak_end {
	struct soak_twin twins[SOAK_NB_AREAS];
	uint8_t *pages[SOAK_NB_AREAS];	/**< Memory of the twin and the pages before it. */
	uint64_t addrs[SOAK_NB_AREAS];	/**< Address of the memory of the twin in operations. */
	/**
	 * Full access; used below keys. Starts last, so that an address lookup returns this region.
	 */
	struct rte_umr_mr *mrs[SOAK_NB_AREAS];
	struct rte_umr_mr *plain[SOAK_NB_AREAS]; /**< The same, used by transfers. */
	struct rte_umr_mr *closed;	/**< Pinned memory without remote access. */
	struct rte_umr_mr *windows_mr;	/**< Pinned memory for windows. */
	struct rte_umr_mr *gone;	/**< Its memory is unmapped. */
	uint8_t *gone_addr;
	struct rte_umr_mr *hole;
	uint8_t *hole_addr;
	struct rte_umr_mkey_pool *pool;
	struct rte_umr_mkey *keys[SOAK_MAX_KEYS];	/**< Keys of this step. */
	uint32_t nb_keys;
	struct rte_umr_mkey_pool *sig_pool;
	struct rte_umr_mkey *sig_keys[SOAK_MAX_SIGS];	/**< The same with signatures. */
	uint32_t nb_sig_keys;
	struct rte_umr_mw *windows[2][SOAK_MAX_KEYS];	/**< Indexed by type. */
	struct rte_umr_mr remote_mrs[2];	/**< Registrations of another process. */
};

/** A queue and its ledgers. */
struct soak_queue {
	int16_t dev_id;
	uint16_t queue_id;
	uint32_t transport;	/**< enum rte_umr_transport */
	bool has_sends;
	bool has_recvs;
	bool is_leaving;	/**< Recovery must first return operations. */
	uint16_t nb_free;	/**< Descriptors of the idle queue; 0: not queried yet. */
	struct soak_ledger sends;
	struct soak_ledger recvs;
	/* Values of this step: */
	uint64_t first_send;	/**< Number of its first operation in the ledger. */
	uint64_t first_recv;
	uint32_t nb_sent;
	uint32_t nb_posted;
	int16_t sent[SOAK_LEDGER_SIZE];	/**< Operation of the plan; -1: none. */
	int16_t posted[SOAK_MAX_OPS];
};

enum soak_state {
	SOAK_AT_PLAN,
	SOAK_AT_FAR,		/**< Enqueueing operations of the far queue. */
	SOAK_AT_NEAR,
	SOAK_AT_FILL,		/**< Filling the ring. */
	SOAK_AT_DRAIN,
	SOAK_AT_RECOVER,
	SOAK_AT_LOST,		/**< Device lost: outstanding operations are flushed. */
	SOAK_AT_SETTLE,
	SOAK_AT_END,
};

struct soak_lane {
	struct soak_device *device;
	uint32_t number;
	unsigned int transport;	/**< SOAK_LOOPBACK etc. */
	struct soak_plan_conf plan_conf;
	struct soak_end ends[2];
	/** By side; equal for a loopback, NULL for a queue of another process. */
	struct soak_queue *queues[2];
	struct soak_queue *own[2];	/**< Allocated queues. */
	unsigned int nb_own;
	struct rte_umr_dc_addr dc_addr;
	struct soak_tally tally;
	/* State of the step: */
	struct soak_plan plan;
	enum soak_state state;
	uint64_t next_step;
	uint64_t deadline;	/**< Timer cycles. */
	uint32_t next_op;
	bool is_lost;		/**< The lane knows that its device is lost. */
	bool has_left;		/**< An end left its peer. */
	bool must_recover;
	bool has_control;	/**< Holds soak_device::control. */
	bool is_armed;		/**< A fault of the device is armed. */
	uint64_t nb_fired;	/**< Number of faults of the device before. */
	bool has_reported;
	uint64_t next_kick;	/**< Timer cycles; rings lost doorbells again. */
	uint64_t recovery_start; /**< Timer cycles; 0: no recovery in progress. */
	int rejected;		/**< First rejection that requires a failure, or 0. */
	uint32_t rejected_op;	/**< Operation of that rejection. */
	uint64_t nb_page_faults; /**< Number before the step. */
	uint16_t statuses[SOAK_MAX_OPS]; /**< enum rte_umr_status + 1; 0: not taken. */
	uint16_t recv_statuses[SOAK_MAX_OPS];
	/** By side and key: the expected error, and whether it is uncertain. */
	struct rte_umr_mkey_error sig_found[2][SOAK_MAX_SIGS];
	bool sig_in_doubt[2][SOAK_MAX_SIGS];
	char why[256];		/**< First error that no ledger contains. */
};

/** Ledger i of the queues of a lane, in any state of the lane; NULL behind the last one. */
static inline struct soak_ledger *
soak_lane_ledger(const struct soak_lane *lane, unsigned int i)
{
	if (i / 2 == lane->nb_own)
		return NULL;
	return i % 2 == 0 ? &lane->own[i / 2]->sends : &lane->own[i / 2]->recvs;
}

/** For each of them. */
#define SOAK_FOREACH_LEDGER(ledger, i, lane)                                                       \
	for ((i) = 0; ((ledger) = soak_lane_ledger(lane, i)) != NULL; (i)++)

/** Number of outstanding operations of a lane. */
static inline uint64_t
soak_lane_nb_out(const struct soak_lane *lane)
{
	const struct soak_ledger *ledger;
	unsigned int i;
	uint64_t nb = 0;

	SOAK_FOREACH_LEDGER(ledger, i, lane)
		nb += soak_ledger_nb_out(ledger);
	return nb;
}

/** Number of device queues that a lane uses. */
uint16_t soak_lane_nb_queues(unsigned int transport);

/** Initialize the part of a lane that is independent of the state of its device. */
void soak_lane_init(struct soak_lane *lane, struct soak_device *device, uint32_t number,
		    unsigned int transport);
/**
 * Register memory and create keys. The device is neither configured nor started.
 *
 * @param queue_id
 *   First queue of the lane.
 */
bool soak_lane_create(struct soak_lane *lane, uint16_t queue_id);
/** Set up the queues; the device is configured. */
bool soak_lane_setup(struct soak_lane *lane);
/** Connect the queues; the device is started. */
bool soak_lane_connect(struct soak_lane *lane);
/**
 * Destroy the lane; the device is stopped or lost. Errors are added to the tally; the lane can be
 * created again.
 */
void soak_lane_destroy(struct soak_lane *lane);

/** Source or destination of an operation of the step on one side. */
struct soak_part soak_lane_part(struct soak_lane *lane, const struct soak_op *op,
				enum soak_side side);

/** Whether the memory before that of the twins, which no operation uses, is unchanged. */
bool soak_lane_lead_is_clean(const struct soak_lane *lane);

/** Discard pages of on-demand memory and restore their contents. */
void soak_lane_discard(struct soak_lane *lane, const struct soak_view *view);

#endif /* SOAK_LANE_H */
