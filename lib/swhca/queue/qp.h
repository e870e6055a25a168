/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_QUEUE_QP_H
#define SWHCA_QUEUE_QP_H

/**
 * @file
 * Queue pairs, and what their states do to their send queues.
 */

#include "queue/cq.h"
#include "queue/rq.h"
#include "queue/sched.h"

struct swhca_conn;
struct swhca_dci;
struct swhca_flights;

struct swhca_qp {
	struct swhca_obj obj;
	struct swhca_hca *hca;
	struct swhca_obj *pd;
	struct swhca_cq *send_cq;
	struct swhca_cq *recv_cq;
	struct swhca_uar *uar;
	struct swhca_umem *umem;	/**< That the rings are in; NULL: they have their own. */
	struct swhca_buf buf;
	struct swhca_dbr dbr;
	enum prm_qp_state state;
	bool is_mad;			/**< Queue pair 0 or 1 of the port: hca->mad_qps, */
	uint8_t mad_num;		/**< and which of them. */
	uint8_t log_sq_size;		/**< log2 of the WQEBBs. */
	bool has_sq;
	struct swhca_rq own_rq;		/**< If rq points to it. */
	struct swhca_rq *rq;		/**< Where it receives, or NULL. */
	struct swhca_obj *srq;		/**< Whose queue rq is, or NULL. */
	struct swhca_obj *xrcd;		/**< XRC target only. */
	bool has_last_wqe;		/**< Said that it takes no more from the shared queue. */
	bool has_comm_est;		/**< Said that a packet came in RTR. */
	uint64_t sq_offset;		/**< Of the SQ in buf; the RQ is at 0. */
	uint16_t sq_pi;			/**< As last read from the DBR, in WQEBBs. */
	uint16_t sq_ci;			/**< In front of it all is complete. */
	uint16_t sq_next;		/**< In front of it all had its turn. */
	bool is_held;			/**< Nothing has its turn before what had it is complete. */
	struct swhca_flights *flights;	/**< WQEs between sq_ci and sq_next, or NULL. */
	struct swhca_conn *conn;	/**< wire/conn: what it is connected by, or NULL. */
	uint16_t sq_drain_pi;		/**< Draining: where the send queue stops. */
	bool mmo;			/**< Memory-to-memory operations are enabled. */
	bool is_misrung;		/**< In error for a doorbell ahead of its record. */
	bool has_sigerr;		/**< Its WQE at hand had a signature error. */
	bool is_umr_silent;		/**< That UMR has no CQE. */
	bool unfenced_umr;		/**< The last WQE was a UMR: the next must carry a fence. */
	bool is_queued;			/**< In fabric->ready. */
	bool is_unheard;		/**< Of the doorbells at hand its own is not heard. */
	bool is_waiting;		/**< The WQE at sq_next has had a turn, and will again. */
	uint8_t nb_retries;		/**< Transport retries of the WQE at sq_next. */
	uint8_t nb_rnr_retries;
	uint32_t msn;			/**< Of the request that the WQE at sq_next makes. */
	uint32_t dropped_psn;		/**< Of the last request that was not the next one, + 1. */
	uint64_t not_before_ns;		/**< When the WQE at sq_next may be tried again, 0: now. */
	struct swhca_page_fault sq_fault;	/**< Page fault of the WQE at sq_next, */
	struct swhca_page_fault rdma_fault;	/**< of what a remote request names. */
	struct swhca_dci *dci;		/**< Streams of an initiator, or NULL. */
	struct swhca_sched *req_group;	/**< Queue group that limits what it sends, or NULL. */
	struct swhca_sched *resp_group;	/**< That limits what it answers, or NULL. */
	uint8_t qpc[PRM_QPC_SIZE];	/**< Context as commands left it. */
	LIST_ENTRY(swhca_qp) uar_link;
	uint64_t heard_at_ns;		/**< When a late doorbell is heard, or 0. */
	LIST_ENTRY(swhca_qp) late_link;	/**< In swhca_hca.late_qps while that is set. */
	TAILQ_ENTRY(swhca_qp) ready;
};

/** How soon a queue that waits for somebody else looks again. */
#define SWHCA_WAIT_POLL_NS 20000u
/** How soon one that is ahead of its rate does, at the latest: the limit may be gone by then. */
#define SWHCA_PACE_POLL_NS 1000000u

/** Number that packets have of a queue pair. */
static inline uint32_t
swhca_qp_num(const struct swhca_qp *qp)
{
	return qp->is_mad ? qp->mad_num : qp->obj.num;
}

/** @return The queue pair that packets name, or NULL. */
static inline struct swhca_qp *
swhca_qp_find(const struct swhca_hca *hca, uint32_t num)
{
	if (num < SWHCA_NB_MAD_QPS)
		return hca->mad_qps[num];
	return (struct swhca_qp *)swhca_table_get(&hca->tables[SWHCA_OBJ_QP], num);
}

/** Whether messages are acknowledged: not those of UC and UD. */
bool swhca_qp_is_reliable(const struct swhca_qp *qp);
/** Give a QP its turn. */
void swhca_qp_schedule(struct swhca_qp *qp);
/** Have a QP in RTS execute what is posted now and no more, and then say so. */
void swhca_qp_drain(struct swhca_qp *qp);
/** Have a QP wait that is ahead of a rate by that time. */
void swhca_qp_pace(struct swhca_qp *qp, uint64_t wait_ns);
/** Stop a send queue in front of the WQE at sq_next: state SQD, and the event that tells. */
void swhca_qp_set_drained(struct swhca_qp *qp);
/** Move a QP to error and flush it in its next turn. */
void swhca_qp_fail(struct swhca_qp *qp);
/**
 * Memory of the send WQE at hand is absent: have the QP wait at it.
 *
 * @param need
 *   SWHCA_ACCESS_* of the access.
 * @return
 *   As swhca_page_fault().
 */
enum swhca_fault swhca_qp_page_fault(struct swhca_qp *qp, const struct swhca_wqe *wqe,
				     uint8_t need);
/** No page fault of a QP is waited for any more. */
void swhca_qp_page_faults_cancel(struct swhca_qp *qp);
/** Of a QP in error: flush what its own receive queue has, be done with a shared one; recv.c. */
void swhca_recv_flush(struct swhca_qp *qp);
/** Release what a QP holds. */
void swhca_qp_fini(struct swhca_hca *hca, struct swhca_obj *obj);

#endif /* SWHCA_QUEUE_QP_H */
