/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_XPORT_DCI_H
#define SWHCA_XPORT_DCI_H

/**
 * @file
 * Streams of initiators of the dynamically connected transport.
 *
 * A DCI may have streams. A WQE belongs to one; if it ends in error then the others of its stream
 * are flushed until software resets the stream, and the other streams go on. The DCI itself goes
 * to error when as many streams as it was created for are.
 */

#include "queue/qp.h"
#include "queue/wqe.h"

/* Limits that QUERY_HCA_CAP reports and the commands enforce. */
#define SWHCA_LOG_MAX_DCI_STREAMS	7u
#define SWHCA_LOG_MAX_DCI_ERRORED	6u

/** What a DCI knows of its streams. */
struct swhca_dci {
	uint32_t max_errored;		/**< So many streams in error put the DCI there. */
	uint32_t nb_errored;
	uint16_t errored[];		/**< Their numbers, max_errored entries. */
};

/** Whether a stream of a QP is in error; false if it has no streams. */
bool swhca_dci_stream_is_errored(const struct swhca_qp *qp, uint16_t stream);
/** Whether the stream of a WQE is in error: the WQE is to be flushed. */
bool swhca_dci_is_errored(const struct swhca_qp *qp, const struct swhca_wqe *wqe);
/** A WQE ended in error. @return Whether that is an error of its stream alone. */
bool swhca_dci_take_error(struct swhca_qp *qp, const struct swhca_wqe *wqe);
/** Take a stream out of error. */
void swhca_dci_stream_reset(struct swhca_qp *qp, uint16_t stream);
/** The DCI is reset: no stream is in error. */
void swhca_dci_reset(struct swhca_qp *qp);

#endif /* SWHCA_XPORT_DCI_H */
