/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_QUEUE_RQ_H
#define SWHCA_QUEUE_RQ_H

/**
 * @file
 * A private or shared receive queue.
 *
 * A ring is consumed in order of its entries; in a list, each WQE contains the index of the next.
 */

#include "object/dbr.h"
#include "object/hca_state.h"
#include "queue/page_fault.h"

/** Its owner holds the references on pd, buf and dbr. */
struct swhca_rq {
	struct swhca_hca *hca;
	struct swhca_obj *owner;	/**< QP or SRQ. */
	struct swhca_obj *pd;		/**< PD of the keys of its WQEs. */
	struct swhca_buf buf;		/**< Starts at the queue; pages of the owner. */
	struct swhca_dbr dbr;
	bool is_list;
	bool has_next;			/**< WQEs begin with a next-WQE segment. */
	uint8_t log_size;		/**< log2 of the number of WQEs. */
	uint8_t log_stride;		/**< log2 of the WQE size in bytes. */
	uint16_t ci;			/**< WQEs consumed, free-running. */
	uint16_t head;			/**< List: entry of the next WQE. */
	uint16_t limit;			/**< Fewer WQEs raise an event once; 0: not armed. */
	bool failed;			/**< Shared: no longer receives. */
	struct swhca_page_fault page_fault;	/**< For memory of its next WQE. */
};

#endif /* SWHCA_QUEUE_RQ_H */
