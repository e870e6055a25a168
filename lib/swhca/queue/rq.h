/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_QUEUE_RQ_H
#define SWHCA_QUEUE_RQ_H

/**
 * @file
 * A receive queue: of one QP, or shared.
 *
 * A ring is consumed in order of its entries; in a list, each WQE names the next.
 */

#include "object/dbr.h"
#include "object/hca.h"
#include "queue/page_fault.h"

/** Its owner holds the references that keep pd, buf and dbr alive. */
struct swhca_rq {
	struct swhca_hca *hca;
	struct swhca_obj *owner;	/**< QP or SRQ. */
	struct swhca_obj *pd;		/**< That the keys of its WQEs must belong to. */
	struct swhca_buf buf;		/**< It begins with the queue; the owner's pages. */
	struct swhca_dbr dbr;
	bool is_list;
	bool has_next;			/**< WQEs begin with the segment that names the next. */
	uint8_t log_size;		/**< log2 of the WQEs. */
	uint8_t log_stride;		/**< log2 of the bytes of a WQE. */
	uint16_t ci;			/**< WQEs consumed, runs free. */
	uint16_t head;			/**< List: entry of the next WQE. */
	uint16_t limit;			/**< Fewer WQEs raise an event, once; 0: not armed. */
	bool failed;			/**< Shared: nobody receives here any more. */
	struct swhca_page_fault page_fault;	/**< Of the memory of its next WQE. */
};

#endif /* SWHCA_QUEUE_RQ_H */
