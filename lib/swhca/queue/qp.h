/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_QUEUE_QP_H
#define SWHCA_QUEUE_QP_H

/**
 * @file
 * Queue pairs, and how their states affect their send queues.
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
	struct swhca_umem *umem;	/**< Contains the rings; NULL: they have their own pages. */
	struct swhca_buf buf;
	struct swhca_dbr dbr;
	enum prm_qp_state state;
	bool is_mad;			/**< Queue pair 0 or 1 of the port, in hca->mad_qps. */
	uint8_t mad_num;		/**< Index in hca->mad_qps. */
	uint8_t log_sq_size;		/**< log2 of the number of WQEBBs. */
	bool has_sq;
	struct swhca_rq own_rq;		/**< Used if rq points to it. */
	struct swhca_rq *rq;		/**< Receive queue, or NULL. */
	struct swhca_obj *srq;		/**< Owner of a shared rq, or NULL. */
	struct swhca_obj *xrcd;		/**< XRC target only. */
	bool has_last_wqe;		/**< Reported that it takes no more from the shared
					 *   queue. */
	bool has_comm_est;		/**< Reported a packet received in RTR. */
	uint64_t sq_offset;		/**< Offset of the SQ in buf; the RQ is at 0. */
	uint16_t sq_pi;			/**< As last read from the DBR, in WQEBBs. */
	uint16_t sq_ci;			/**< All WQEs before it are complete. */
	uint16_t sq_next;		/**< All WQEs before it have been executed. */
	bool is_held;			/**< The next WQE waits until the earlier ones are
					 *   complete. */
	struct swhca_flights *flights;	/**< WQEs between sq_ci and sq_next, or NULL. */
	struct swhca_conn *conn;	/**< wire/conn: its connection, or NULL. */
	uint16_t sq_drain_pi;		/**< Draining: where the send queue stops. */
	bool mmo;			/**< Memory-to-memory operations are enabled. */
	bool is_misrung;		/**< In error: doorbell ahead of its record. */
	bool has_sigerr;		/**< Its current WQE had a signature error. */
	bool is_umr_silent;		/**< The last UMR has no CQE. */
	bool unfenced_umr;		/**< The last WQE was a UMR: the next must carry a fence. */
	bool is_queued;			/**< In fabric->ready. */
	bool is_unheard;		/**< Its current doorbell is dropped or delayed. */
	bool is_waiting;		/**< The WQE at sq_next is to be executed again. */
	uint8_t nb_retries;		/**< Transport retries of the WQE at sq_next. */
	uint8_t nb_rnr_retries;
	uint32_t msn;			/**< Number of the request of the WQE at sq_next. */
	uint32_t dropped_psn;		/**< PSN of the last out-of-order request, + 1. */
	uint64_t not_before_ns;		/**< Earliest retry of the WQE at sq_next, 0: now. */
	struct swhca_page_fault sq_fault;	/**< Page fault of the WQE at sq_next. */
	struct swhca_page_fault rdma_fault;	/**< Page fault of a remote request. */
	struct swhca_dci *dci;		/**< Streams of an initiator, or NULL. */
	struct swhca_sched *req_group;	/**< Queue group that limits its requests, or NULL. */
	struct swhca_sched *resp_group;	/**< Queue group that limits its responses, or NULL. */
	uint8_t qpc[PRM_QPC_SIZE];	/**< Context as set by commands. */
	LIST_ENTRY(swhca_qp) uar_link;
	uint64_t heard_at_ns;		/**< Time of a delayed doorbell, or 0. */
	LIST_ENTRY(swhca_qp) late_link;	/**< In swhca_hca.late_qps while heard_at_ns is set. */
	TAILQ_ENTRY(swhca_qp) ready;
};

/** Poll interval of a waiting queue. */
#define SWHCA_WAIT_POLL_NS 20000u
/** Maximum poll interval of a rate-limited queue, as the limit may change. */
#define SWHCA_PACE_POLL_NS 1000000u

/** Number of a queue pair in packets. */
static inline uint32_t
swhca_qp_num(const struct swhca_qp *qp)
{
	return qp->is_mad ? qp->mad_num : qp->obj.num;
}

/** @return The queue pair with a number in packets, or NULL. */
static inline struct swhca_qp *
swhca_qp_find(const struct swhca_hca *hca, uint32_t num)
{
	if (num < SWHCA_NB_MAD_QPS)
		return hca->mad_qps[num];
	return (struct swhca_qp *)swhca_table_get(&hca->tables[SWHCA_OBJ_QP], num);
}

/** Check whether messages are acknowledged: all except UC and UD. */
bool swhca_qp_is_reliable(const struct swhca_qp *qp);
/** Schedule a QP. */
void swhca_qp_schedule(struct swhca_qp *qp);
/** Let a QP in RTS execute only what is posted now, and then report that it is drained. */
void swhca_qp_drain(struct swhca_qp *qp);
/** Delay a QP by the time that it is ahead of its rate. */
void swhca_qp_pace(struct swhca_qp *qp, uint64_t wait_ns);
/** Stop a send queue before the WQE at sq_next: enter SQD and raise the event. */
void swhca_qp_set_drained(struct swhca_qp *qp);
/** Move a QP to the error state and flush it in its next turn. */
void swhca_qp_fail(struct swhca_qp *qp);
/**
 * Memory of the current send WQE is absent: let the QP wait at it.
 *
 * @param need
 *   SWHCA_ACCESS_* of the access.
 * @return
 *   As swhca_page_fault().
 */
enum swhca_fault swhca_qp_page_fault(struct swhca_qp *qp, const struct swhca_wqe *wqe,
				     uint8_t need);
/** Cancel all page faults of a QP. */
void swhca_qp_page_faults_cancel(struct swhca_qp *qp);
/** Flush the own receive queue of a QP in error, or leave a shared one; recv.c. */
void swhca_recv_flush(struct swhca_qp *qp);
/** Release the resources of a QP. */
void swhca_qp_fini(struct swhca_hca *hca, struct swhca_obj *obj);

#endif /* SWHCA_QUEUE_QP_H */
