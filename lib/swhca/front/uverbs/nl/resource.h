/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_RESOURCE_H
#define SWHCA_RESOURCE_H

/**
 * @file
 * Objects of verbs that programs have, as ib_core keeps account of them (Linux,
 * drivers/infiniband/core/restrack.c): those of this process, and of all processes with the same
 * devices, which are asked one by one at the address of host control (front/preload/control.h).
 *
 * Numbers of objects are made so that two processes of a run have different ones, except those of
 * queue pairs, which the device gives.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** In the order in which Linux counts them (enum rdma_restrack_type). */
enum swhca_resource_kind {
	SWHCA_RESOURCE_PD,
	SWHCA_RESOURCE_CQ,
	SWHCA_RESOURCE_QP,
	SWHCA_RESOURCE_CM_ID,	/**< There are none: the connection manager is not here. */
	SWHCA_RESOURCE_MR,
	SWHCA_RESOURCE_CTX,
	SWHCA_RESOURCE_SRQ,
	SWHCA_RESOURCE_NB,
};

/** An object. What its kind does not have is 0. Processes exchange it as it is. */
struct swhca_resource {
	uint32_t kind;		/**< enum swhca_resource_kind */
	uint32_t id;		/**< Its number; that of a queue pair is its QPN. */
	uint32_t pid;
	uint32_t pdn;		/**< id of the PD, */
	uint32_t ctxn;		/**< the context, */
	uint32_t cqn;		/**< the CQ of an XRC SRQ, */
	uint32_t srqn;		/**< the SRQ of a queue pair. */
	uint32_t nb_cqe;
	uint32_t key;		/**< Of a region: lkey and rkey. */
	uint32_t rqpn;
	uint32_t rq_psn;
	uint32_t sq_psn;
	uint8_t type;		/**< enum ib_uverbs_qp_type, enum ib_uverbs_srq_type */
	uint8_t state;		/**< enum ib_qp_state */
	uint8_t mig_state;
	uint8_t port;		/**< 0: none yet. */
	uint8_t has_cq;		/**< An SRQ with a CQ of its own. */
	uint8_t is_odp;		/**< A region with counters: */
	uint8_t is_dct;		/**< A queue pair that is a DC target. */
	uint8_t reserved;
	uint64_t nb_users;
	uint64_t len;		/**< Of a region, in bytes. */
	uint64_t nb_faults;
	uint64_t nb_invalidations;
	uint64_t nb_prefetches;
};

/**
 * Objects of this process.
 *
 * @param skip
 *   Leave out so many of them, from the first one on.
 * @return
 *   How many were written.
 */
size_t swhca_resources_own(unsigned int dev_index, size_t skip, struct swhca_resource *list,
			   size_t nb_max);

/**
 * Answer another process.
 *
 * @param words
 *   "N K FOLDER": device, how many to leave out, and the folder of the run (host/sysfs.h), which
 *   must be this process's, too.
 * @return
 *   Bytes written; at least one, also if there is nothing to tell.
 */
size_t swhca_resources_answer(const char *words, void *answer, size_t size);

#endif /* SWHCA_RESOURCE_H */
