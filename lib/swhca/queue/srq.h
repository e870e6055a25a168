/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_QUEUE_SRQ_H
#define SWHCA_QUEUE_SRQ_H

/**
 * @file
 * Shared receive queues.
 */

#include "queue/cq.h"
#include "queue/rq.h"

enum swhca_srq_kind {
	SWHCA_SRQ_BASIC,
	SWHCA_SRQ_XRC,		/**< Addressed by messages; has its own CQ. */
	SWHCA_SRQ_RMP,		/**< Like basic, but may be a ring. */
};

struct swhca_srq {
	struct swhca_obj obj;
	enum swhca_srq_kind kind;
	struct swhca_rq rq;
	struct swhca_umem *umem;	/**< Contains the ring; NULL: it has its own pages. */
	struct swhca_obj *xrcd;		/**< XRC only. */
	struct swhca_cq *cq;		/**< XRC only. */
	uint32_t user_index;		/**< XRC only. */
};

/** Check whether commands of users may name an SRQ of the kernel: only in XRC domains. */
bool swhca_srq_is_for_users(const struct swhca_obj *obj);
/** Release the resources of an SRQ. */
void swhca_srq_fini(struct swhca_hca *hca, struct swhca_obj *obj);

#endif /* SWHCA_QUEUE_SRQ_H */
