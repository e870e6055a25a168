/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_XPORT_DCI_H
#define SWHCA_XPORT_DCI_H

/**
 * @file
 * Streams of initiators of the dynamically connected transport.
 *
 * A DCI may have streams. A WQE belongs to one; after it ends in error, the other WQEs of its
 * stream are flushed until software resets the stream, and the other streams continue. The DCI
 * itself enters the error state when max_errored of its streams have.
 */

#include "queue/qp.h"
#include "queue/wqe.h"

/* Limits that QUERY_HCA_CAP reports and the commands enforce. */
#define SWHCA_LOG_MAX_DCI_STREAMS	7u
#define SWHCA_LOG_MAX_DCI_ERRORED	6u

/** Stream state of a DCI. */
struct swhca_dci {
	uint32_t max_errored;		/**< Streams in error that put the DCI in error. */
	uint32_t nb_errored;
	uint16_t errored[];		/**< Numbers of streams in error, max_errored entries. */
};

/** Check whether a stream of a QP is in error; false without streams. */
bool swhca_dci_stream_is_errored(const struct swhca_qp *qp, uint16_t stream);
/** Check whether the stream of a WQE is in error: the WQE must be flushed. */
bool swhca_dci_is_errored(const struct swhca_qp *qp, const struct swhca_wqe *wqe);
/** Handle an error of a WQE. @return Whether it is an error of its stream only. */
bool swhca_dci_take_error(struct swhca_qp *qp, const struct swhca_wqe *wqe);
/** Reset a stream in error. */
void swhca_dci_stream_reset(struct swhca_qp *qp, uint16_t stream);
/** Reset all streams with the DCI. */
void swhca_dci_reset(struct swhca_qp *qp);

#endif /* SWHCA_XPORT_DCI_H */
