/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_QUEUE_PAGE_FAULT_H
#define SWHCA_QUEUE_PAGE_FAULT_H

/**
 * @file
 * Page faults that software resolves. The fabric lock is held.
 *
 *   access finds a page absent --> swhca_page_fault(): an event with a token; the access waits
 *   software writes translations, by UMR
 *   PAGE_FAULT_RESUME of the token --> the access is retried, or ends in error
 *
 * Each unit that can wait on its own has a slot for a fault: the send queue and the remote requests
 * of a QP, a receive queue, a DCT. A send queue stays at its WQE, a receive queue keeps its WQE,
 * and a remote requester that expects an answer is asked to retry (IBTA 9.7.5.2.8, RNR NAK); a UC
 * or UD message is dropped.
 *
 * A waiting access that is retried and finds its pages continues, resumed or not; a retry that
 * fails again raises no second event.
 */

#include "mem/mkey.h"

enum swhca_page_fault_state {
	SWHCA_PAGE_FAULT_NONE,
	SWHCA_PAGE_FAULT_PENDING,
	SWHCA_PAGE_FAULT_FAILED,	/**< Resumed with an error that is not yet reported. */
};

/** Slot for a fault; all zero: none. */
struct swhca_page_fault {
	enum swhca_page_fault_state state;
	uint32_t token;
	struct swhca_absent absent;
	uint64_t due_ns;		/**< Pending: time of automatic resume; 0: by software. */
	uint8_t nb_asked;		/**< Failed retries. */
	struct swhca_qp *qp;		/**< Scheduled on resume, or NULL. */
	LIST_ENTRY(swhca_page_fault) link;	/**< List of pending faults. */
};

/** Content of an event of a fault not reported by memory. */
struct swhca_page_fault_info {
	uint8_t sub_type;	/**< PRM_PAGE_FAULT_WQE or PRM_PAGE_FAULT_RDMA */
	uint8_t type;		/**< PRM_PAGE_FAULT_TYPE_* */
	uint32_t wq_num;	/**< WQE: QP or SRQ. */
	uint16_t wqe_index;	/**< WQE */
	uint32_t rkey;		/**< RDMA, as the two below. */
	uint64_t va;
	uint32_t len;		/**< Bytes of the operation. */
	struct swhca_qp *qp;	/**< As in the slot. */
};

/**
 * Handle a translation that ended with SWHCA_FAULT_ABSENT.
 *
 * @return
 *   SWHCA_FAULT_ABSENT: wait; or SWHCA_FAULT_PAGE: software cannot resolve it, or has tried.
 */
enum swhca_fault swhca_page_fault(struct swhca_hca *hca, struct swhca_page_fault *fault,
				  const struct swhca_page_fault_info *info);
/** Check whether the user of a slot must wait. */
static inline bool
swhca_page_fault_is_pending(const struct swhca_page_fault *fault)
{
	return fault->state == SWHCA_PAGE_FAULT_PENDING;
}

/** Cancel the wait: reset, error, destruction. */
void swhca_page_fault_cancel(struct swhca_page_fault *fault);
/**
 * Resume a fault for software.
 *
 * @return
 *   0: also if it was cancelled meanwhile; or -ENOENT: no such token was issued.
 */
int swhca_page_fault_resume(struct swhca_hca *hca, uint64_t token, bool is_error);
/** Resume faults whose automatic resume is due. @return Number of faults. */
unsigned int swhca_page_faults_poll(struct swhca_hca *hca);
/** RNR timer code for a requester, at least the one of its responder. */
uint8_t swhca_page_fault_rnr_timer(const struct swhca_page_fault *fault, uint8_t min_rnr_nak);

/** Retry interval of a requester of the same fabric. */
#define SWHCA_PAGE_FAULT_POLL_NS 100000u

#endif /* SWHCA_QUEUE_PAGE_FAULT_H */
