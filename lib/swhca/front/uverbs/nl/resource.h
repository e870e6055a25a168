/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_RESOURCE_H
#define SWHCA_RESOURCE_H

/**
 * @file
 * Verbs objects of programs, as tracked by ib_core (Linux, drivers/infiniband/core/restrack.c):
 * those of this process, and of all processes with the same devices, which are queried one by one
 * at the address of host control (front/preload/control.h).
 *
 * Object numbers are unique in all processes of a run, except those of queue pairs, which the
 * device assigns.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** In the order of Linux (enum rdma_restrack_type). */
enum swhca_resource_kind {
	SWHCA_RESOURCE_PD,
	SWHCA_RESOURCE_CQ,
	SWHCA_RESOURCE_QP,
	SWHCA_RESOURCE_CM_ID,	/**< None: connection manager objects are not tracked. */
	SWHCA_RESOURCE_MR,
	SWHCA_RESOURCE_CTX,
	SWHCA_RESOURCE_SRQ,
	SWHCA_RESOURCE_NB,
};

/** An object. Fields that its kind lacks are 0. Processes exchange it unchanged. */
struct swhca_resource {
	uint32_t kind;		/**< enum swhca_resource_kind */
	uint32_t id;		/**< Its number; QPN of a queue pair. */
	uint32_t pid;
	uint32_t pdn;		/**< Number of the PD. */
	uint32_t ctxn;		/**< Number of the context. */
	uint32_t cqn;		/**< Number of the CQ of an XRC SRQ. */
	uint32_t srqn;		/**< Number of the SRQ of a queue pair. */
	uint32_t nb_cqe;
	uint32_t key;		/**< Region: lkey and rkey. */
	uint32_t rqpn;
	uint32_t rq_psn;
	uint32_t sq_psn;
	uint8_t type;		/**< enum ib_uverbs_qp_type, enum ib_uverbs_srq_type */
	uint8_t state;		/**< enum ib_qp_state */
	uint8_t mig_state;
	uint8_t port;		/**< 0: none yet. */
	uint8_t has_cq;		/**< An SRQ with its own CQ. */
	uint8_t is_odp;		/**< A region with counters. */
	uint8_t is_dct;		/**< A queue pair that is a DC target. */
	uint8_t reserved;
	uint64_t nb_users;
	uint64_t len;		/**< Region: bytes. */
	uint64_t nb_faults;
	uint64_t nb_invalidations;
	uint64_t nb_prefetches;
};

/**
 * List objects of this process.
 *
 * @param skip
 *   Number of objects to skip.
 * @return
 *   Number of objects written.
 */
size_t swhca_resources_own(unsigned int dev_index, size_t skip, struct swhca_resource *list,
			   size_t nb_max);

/**
 * Answer another process.
 *
 * @param words
 *   "N K FOLDER": device, objects to skip, and the folder of the run (host/sysfs.h), which must
 *   also be this process's.
 * @return
 *   Bytes written; at least one, also for an empty list.
 */
size_t swhca_resources_answer(const char *words, void *answer, size_t size);

#endif /* SWHCA_RESOURCE_H */
