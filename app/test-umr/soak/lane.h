/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SOAK_LANE_H
#define SOAK_LANE_H

/**
 * @file
 * A queue that starts operations with all that belongs to it alone: the queue at its other end, the
 * memory of both, their keys, their ledgers. Lanes share a device and nothing else, so that each
 * may be another lcore's.
 */

#include <pthread.h>

#include "soak/ledger/twin.h"
#include "soak/plan.h"
#include "soak/soak.h"

/** Kinds of memory that hold something: SOAK_PINNED and SOAK_DEMAND. */
#define SOAK_NB_AREAS	2u
/** Bytes that are not there, of either kind. */
#define SOAK_GONE_SIZE	65536u

struct soak_remote;

/** What lanes of a device share. */
struct soak_device {
	int16_t dev_id;
	struct rte_umr_dev_info info;
	const struct soak_conf *conf;
	uint32_t faults;	/**< Classes that are possible. */
	bool has_control;	/**< It is one of software, whose faults can be asked for. */
	/** It was told to be lost: by the lane that has the lock, read by all. */
	bool is_to_be_lost;
	/** Who holds it may call control functions, and has commands fail or the device stand. */
	pthread_mutex_t control;
	struct soak_remote *remote;	/**< Far ends in another process; NULL: none. */
	uint64_t *noise;	/**< SOAK_AREA_SIZE bytes and more, to fill memory with. */
};

/** One end of a lane: memory and keys. */
struct soak_end {
	struct soak_twin twins[SOAK_NB_AREAS];
	uint8_t *pages[SOAK_NB_AREAS];	/**< That of the twin, and some in front. */
	uint64_t addrs[SOAK_NB_AREAS];	/**< Of that of the twin, as operations name it. */
	/** All access; below keys. It starts last, so that its memory is found under this key. */
	struct rte_umr_mr *mrs[SOAK_NB_AREAS];
	struct rte_umr_mr *plain[SOAK_NB_AREAS]; /**< The same, for transfers themselves. */
	struct rte_umr_mr *closed;	/**< Pinned memory, not for peers. */
	struct rte_umr_mr *windows_mr;	/**< Pinned memory, for windows. */
	struct rte_umr_mr *gone;	/**< Its memory is unmapped. */
	uint8_t *gone_addr;
	struct rte_umr_mr *hole;
	uint8_t *hole_addr;
	struct rte_umr_mkey_pool *pool;
	struct rte_umr_mkey *keys[SOAK_MAX_KEYS];	/**< Of this step. */
	uint32_t nb_keys;
	struct rte_umr_mkey_pool *sig_pool;
	struct rte_umr_mkey *sig_keys[SOAK_MAX_SIGS];	/**< Likewise, with signatures. */
	uint32_t nb_sig_keys;
	struct rte_umr_mw *windows[2][SOAK_MAX_KEYS];	/**< By type. */
	struct rte_umr_mr remote_mrs[2];	/**< What another process has registered. */
};

/** A queue with what it owes. */
struct soak_queue {
	int16_t dev_id;
	uint16_t queue_id;
	uint32_t transport;	/**< enum rte_umr_transport */
	bool has_sends;
	bool has_recvs;
	bool is_leaving;	/**< Being recovered, it has something to give back first. */
	uint16_t nb_free;	/**< Descriptors when nothing is out; 0: not asked yet. */
	struct soak_ledger sends;
	struct soak_ledger recvs;
	/* Of this step: */
	uint64_t first_send;	/**< Number of the first operation in the ledger. */
	uint64_t first_recv;
	uint32_t nb_sent;
	uint32_t nb_posted;
	int16_t sent[SOAK_LEDGER_SIZE];	/**< Operation of the plan; -1: none of it. */
	int16_t posted[SOAK_MAX_OPS];
};

enum soak_state {
	SOAK_AT_PLAN,
	SOAK_AT_FAR,		/**< Operations of the far queue. */
	SOAK_AT_NEAR,
	SOAK_AT_FILL,		/**< The ring is filled up. */
	SOAK_AT_DRAIN,
	SOAK_AT_RECOVER,
	SOAK_AT_LOST,		/**< The device is: what is out comes back flushed. */
	SOAK_AT_SETTLE,
	SOAK_AT_END,
};

struct soak_lane {
	struct soak_device *device;
	uint32_t number;
	unsigned int transport;	/**< SOAK_LOOPBACK and so on. */
	struct soak_plan_conf plan_conf;
	struct soak_end ends[2];
	/** By side; a loopback has the same twice, of another process there is none here: NULL. */
	struct soak_queue *queues[2];
	struct soak_queue *own[2];	/**< What was allocated. */
	struct rte_umr_dc_addr dc_addr;
	struct soak_tally tally;
	/* The step: */
	struct soak_plan plan;
	enum soak_state state;
	uint64_t next_step;
	uint64_t deadline;	/**< Timer cycles. */
	uint32_t next_op;
	bool is_lost;		/**< Its device is, and it knows. */
	bool has_left;		/**< An end has left its peer. */
	bool must_recover;
	bool has_control;	/**< It holds soak_device::control. */
	bool is_armed;		/**< The device was told to fail, */
	uint64_t nb_fired;	/**< and had so many faults before. */
	bool has_reported;
	uint64_t next_kick;	/**< Timer cycles; doorbells that get lost are rung again. */
	uint64_t recovery_start; /**< Timer cycles; 0: no queue is recovered. */
	int rejected;		/**< First rejection that a failure has to explain, or 0; */
	uint32_t rejected_op;	/**< of which operation. */
	uint64_t nb_page_faults; /**< Of the device before. */
	uint16_t statuses[SOAK_MAX_OPS]; /**< enum rte_umr_status + 1; 0: not taken. */
	uint16_t recv_statuses[SOAK_MAX_OPS];
	/** By side and key: the error that it must tell, and whether that is not sure. */
	struct rte_umr_mkey_error sig_found[2][SOAK_MAX_SIGS];
	bool sig_in_doubt[2][SOAK_MAX_SIGS];
	char why[256];		/**< First wrong that no ledger knows. */
};

/** Queues of the device that a lane takes. */
uint16_t soak_lane_nb_queues(unsigned int transport);

/** What a lane is, whatever becomes of its device. */
void soak_lane_init(struct soak_lane *lane, struct soak_device *device, uint32_t number,
		    unsigned int transport);
/**
 * Register memory, make keys. The device is neither configured nor started.
 *
 * @param queue_id
 *   First of its queues.
 */
bool soak_lane_create(struct soak_lane *lane, uint16_t queue_id);
/** Set the queues up; the device is configured. */
bool soak_lane_setup(struct soak_lane *lane);
/** Connect them; the device is started. */
bool soak_lane_connect(struct soak_lane *lane);
/** The device is stopped, or lost. What was wrong goes to the tally; it can be created again. */
void soak_lane_destroy(struct soak_lane *lane);

/** Where an operation of the step reads or writes on one side. */
struct soak_part soak_lane_part(struct soak_lane *lane, const struct soak_op *op,
				enum soak_side side);

/** Whether the memory in front of that of the twins, which no operation names, is as it was. */
bool soak_lane_lead_is_clean(const struct soak_lane *lane);

/** Let the pages of a part of memory on demand go, and come back with the same bytes. */
void soak_lane_discard(struct soak_lane *lane, const struct soak_view *view);

#endif /* SOAK_LANE_H */
