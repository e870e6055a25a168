/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_QUEUE_PAGE_FAULT_H
#define SWHCA_QUEUE_PAGE_FAULT_H

/**
 * @file
 * Page faults that software resolves. The fabric lock is held in all of it.
 *
 *   access finds a page absent --> swhca_page_fault(): an event with a token; who accesses waits
 *   software writes translations, by UMR
 *   PAGE_FAULT_RESUME of the token --> the access is tried again, or ends in error
 *
 * There is a place for a fault wherever something can wait on its own: the send queue and the
 * remote requests of a QP, a receive queue, a DCT. Nothing is lost meanwhile: a send queue stays at
 * its WQE, a receive queue keeps its WQE, and a remote requester that expects an answer is asked to
 * come again (IBTA 9.7.5.2.8, RNR NAK); a message of UC or UD is dropped.
 *
 * A waiting access that comes again and finds its pages goes on, resumed or not; one that comes
 * again in vain raises no second event.
 */

#include "mem/mkey.h"

enum swhca_page_fault_state {
	SWHCA_PAGE_FAULT_NONE,
	SWHCA_PAGE_FAULT_PENDING,
	SWHCA_PAGE_FAULT_FAILED,	/**< Resumed with an error, which is not told yet. */
};

/** A place for a fault; all zero: none. */
struct swhca_page_fault {
	enum swhca_page_fault_state state;
	uint32_t token;
	struct swhca_absent absent;
	uint64_t due_ns;		/**< Pending: when time resumes it; 0: software does. */
	uint8_t nb_asked;		/**< How often somebody has come again in vain. */
	struct swhca_qp *qp;		/**< That has its turn when resumed, or NULL. */
	LIST_ENTRY(swhca_page_fault) link;	/**< Pending. */
};

/** What an event tells of a fault if it is not by memory. */
struct swhca_page_fault_info {
	uint8_t sub_type;	/**< PRM_PAGE_FAULT_WQE or PRM_PAGE_FAULT_RDMA */
	uint8_t type;		/**< PRM_PAGE_FAULT_TYPE_* */
	uint32_t wq_num;	/**< WQE: QP or SRQ. */
	uint16_t wqe_index;	/**< WQE */
	uint32_t rkey;		/**< RDMA, as the two below. */
	uint64_t va;
	uint32_t len;		/**< Bytes of the operation. */
	struct swhca_qp *qp;	/**< As in the place. */
};

/**
 * A translation ended with SWHCA_FAULT_ABSENT.
 *
 * @return
 *   SWHCA_FAULT_ABSENT: wait; or SWHCA_FAULT_PAGE: there is nobody to resolve it, or it was tried.
 */
enum swhca_fault swhca_page_fault(struct swhca_hca *hca, struct swhca_page_fault *fault,
				  const struct swhca_page_fault_info *info);
/** Whether who uses a place must wait. */
static inline bool
swhca_page_fault_is_pending(const struct swhca_page_fault *fault)
{
	return fault->state == SWHCA_PAGE_FAULT_PENDING;
}

/** Nobody waits there any more: reset, error, end. */
void swhca_page_fault_cancel(struct swhca_page_fault *fault);
/**
 * Software is done with a fault.
 *
 * @return
 *   0: also of one that was cancelled meanwhile; or -ENOENT: such a token was not given.
 */
int swhca_page_fault_resume(struct swhca_hca *hca, uint64_t token, bool is_error);
/** Resume those that time alone resumes, and whose has come. @return How many. */
unsigned int swhca_page_faults_poll(struct swhca_hca *hca);
/** Timer code by which a requester is asked to come again, at least that of its responder. */
uint8_t swhca_page_fault_rnr_timer(const struct swhca_page_fault *fault, uint8_t min_rnr_nak);

/** How soon a requester of the same fabric comes again. */
#define SWHCA_PAGE_FAULT_POLL_NS 100000u

#endif /* SWHCA_QUEUE_PAGE_FAULT_H */
