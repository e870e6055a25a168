/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_ENGINE_FLIGHT_H
#define SWHCA_ENGINE_FLIGHT_H

/**
 * @file
 * WQEs of a send queue that have had their turn and are not complete.
 */

#include <errno.h>
#include <stdlib.h>

#include "queue/qp.h"

/** One of them. */
struct swhca_flight {
	enum swhca_wqe_end end;	/**< SENT: its answer is to come. */
	uint32_t nb_bb;
	uint32_t msn;		/**< Of its request. */
	uint32_t byte_cnt;	/**< For the CQE, as all below. */
	uint16_t index;
	uint8_t opcode;
	uint8_t fm_ce_se;
	bool is_fatal;		/**< ERROR: no stream of the queue can go on. */
	bool is_landing;	/**< SENT: reaped, its data wait for a page to put them in. */
	struct swhca_wqe_error error;
};

/** So many messages of a queue are on their way at most. */
#define SWHCA_MAX_FLIGHTS 64u

struct swhca_flights {
	uint32_t head;
	uint32_t nb;
	struct swhca_flight list[SWHCA_MAX_FLIGHTS];
};

static inline uint32_t
swhca_flights_nb(const struct swhca_qp *qp)
{
	return qp->flights == NULL ? 0 : qp->flights->nb;
}

/** The oldest one; there is one. */
static inline struct swhca_flight *
swhca_flights_head(struct swhca_qp *qp)
{
	return &qp->flights->list[qp->flights->head % SWHCA_MAX_FLIGHTS];
}

static inline void
swhca_flights_pop(struct swhca_qp *qp)
{
	qp->flights->head++;
	qp->flights->nb--;
}

/** The oldest one was taken too soon: it is again what it was. */
static inline struct swhca_flight *
swhca_flights_put_back(struct swhca_qp *qp)
{
	qp->flights->head--;
	qp->flights->nb++;
	return swhca_flights_head(qp);
}

/** Remember a WQE; there is room. */
static inline struct swhca_flight *
swhca_flights_push(struct swhca_qp *qp, const struct swhca_wqe *wqe, uint32_t nb_bb,
		   enum swhca_wqe_end end)
{
	struct swhca_flights *all = qp->flights;
	struct swhca_flight *flight = &all->list[(all->head + all->nb) % SWHCA_MAX_FLIGHTS];

	all->nb++;
	*flight = (struct swhca_flight){
		.end = end,
		.nb_bb = nb_bb,
		.msn = qp->msn,
		.byte_cnt = wqe->byte_cnt,
		.index = wqe->index,
		.opcode = wqe->opcode,
		.fm_ce_se = wqe->fm_ce_se,
		.error = wqe->error,
	};
	return flight;
}

/** Have room for the WQEs of a queue whose answers come late. @return 0 or -ENOMEM. */
static inline int
swhca_flights_alloc(struct swhca_qp *qp)
{
	if (qp->flights == NULL)
		qp->flights = calloc(1, sizeof(*qp->flights));
	return qp->flights == NULL ? -ENOMEM : 0;
}

#endif /* SWHCA_ENGINE_FLIGHT_H */
