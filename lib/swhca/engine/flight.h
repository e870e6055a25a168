/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_ENGINE_FLIGHT_H
#define SWHCA_ENGINE_FLIGHT_H

/**
 * @file
 * Outstanding WQEs of a send queue: executed and not complete.
 */

#include <errno.h>
#include <stdlib.h>

#include "queue/qp.h"

/** An outstanding WQE. */
struct swhca_flight {
	enum swhca_wqe_end end;	/**< SENT: waits for its answer. */
	uint32_t nb_bb;
	uint32_t msn;		/**< Number of its request. */
	uint32_t byte_cnt;	/**< For the CQE, like all below. */
	uint16_t index;
	uint8_t opcode;
	uint8_t fm_ce_se;
	bool is_fatal;		/**< ERROR: all streams of the queue stop. */
	bool is_landing;	/**< SENT: reaped, its data wait for an absent page. */
	struct swhca_wqe_error error;
};

/** Maximum number of outstanding messages of a queue. */
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

/** Get the oldest one, which must exist. */
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

/** Restore the oldest one, which was taken too early. */
static inline struct swhca_flight *
swhca_flights_put_back(struct swhca_qp *qp)
{
	qp->flights->head--;
	qp->flights->nb++;
	return swhca_flights_head(qp);
}

/** Add a WQE; there must be room. */
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

/** Allocate room for a queue whose answers come late. @return 0 or -ENOMEM. */
static inline int
swhca_flights_alloc(struct swhca_qp *qp)
{
	if (qp->flights == NULL)
		qp->flights = calloc(1, sizeof(*qp->flights));
	return qp->flights == NULL ? -ENOMEM : 0;
}

#endif /* SWHCA_ENGINE_FLIGHT_H */
