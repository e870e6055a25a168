/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Streams of initiators. The engine executes all WQEs of a queue in order, so streams only differ
 * in the handling of errors.
 */

#include "mlx5_prm_dc.h"
#include "base/log.h"
#include "xport/dci.h"

static uint16_t
wqe_stream(const struct swhca_wqe *wqe)
{
	return (uint16_t)prm_get(wqe->data, PRM_CTRL_DCI_STREAM_CHANNEL_ID);
}

/* Find a stream in the list of those in error, or NULL. */
static uint16_t *
errored_find(struct swhca_dci *dci, uint16_t stream)
{
	uint32_t i;

	for (i = 0; i < dci->nb_errored; i++) {
		if (dci->errored[i] == stream)
			return &dci->errored[i];
	}
	return NULL;
}

bool
swhca_dci_stream_is_errored(const struct swhca_qp *qp, uint16_t stream)
{
	return qp->dci != NULL && errored_find(qp->dci, stream) != NULL;
}

bool
swhca_dci_is_errored(const struct swhca_qp *qp, const struct swhca_wqe *wqe)
{
	return qp->dci != NULL && errored_find(qp->dci, wqe_stream(wqe)) != NULL;
}

bool
swhca_dci_take_error(struct swhca_qp *qp, const struct swhca_wqe *wqe)
{
	struct swhca_dci *dci = qp->dci;

	if (dci == NULL)
		return false;
	SWHCA_LOG(WARNING, "QP 0x%x WQE 0x%x: stream %u is in error, %u of %u", qp->obj.num,
		  wqe->index, wqe_stream(wqe), dci->nb_errored + 1, dci->max_errored);
	dci->errored[dci->nb_errored++] = wqe_stream(wqe);
	return dci->nb_errored < dci->max_errored;
}

void
swhca_dci_stream_reset(struct swhca_qp *qp, uint16_t stream)
{
	uint16_t *entry = errored_find(qp->dci, stream);

	if (entry != NULL)
		*entry = qp->dci->errored[--qp->dci->nb_errored];
}

void
swhca_dci_reset(struct swhca_qp *qp)
{
	if (qp->dci != NULL)
		qp->dci->nb_errored = 0;
}
