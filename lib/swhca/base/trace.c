/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <stdio.h>
#include <stdlib.h>

#include "dump/dump.h"
#include "base/trace.h"

/* Text in one piece, so that the lines of several threads do not mix. */
static void
trace_end(FILE *f, char **text)
{
	fclose(f);
	fputs(*text, stderr);
	free(*text);
}

/* What stands behind the control segment (DC: also the initiator's). */
static enum prm_dump_service
trace_service(const struct swhca_qp *qp)
{
	switch (prm_get(qp->qpc, PRM_QPC_ST)) {
	case PRM_QP_ST_UD:
		return PRM_DUMP_DATAGRAM;
	case PRM_QP_ST_XRC:
		return PRM_DUMP_XRC;
	case PRM_QP_ST_DCI:
		return PRM_DUMP_DC;
	default:
		return PRM_DUMP_CONNECTED;
	}
}

void
swhca_trace_wqe_write(const struct swhca_qp *qp, const struct swhca_wqe *wqe)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (f == NULL)
		return;
	fprintf(f, "swhca wqe: device %u QP 0x%x\n", qp->hca->conf.vhca_id, qp->obj.num);
	prm_wqe_dump_as(f, trace_service(qp), wqe->data, (size_t)wqe->nb_ds * PRM_WQE_DS_SIZE);
	trace_end(f, &text);
}

void
swhca_trace_cqe_write(const struct swhca_cq *cq, const struct mlx5_cqe64 *cqe)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (f == NULL)
		return;
	fprintf(f, "swhca cqe: CQ 0x%x entry %u\n", cq->obj.num,
		cq->pi & ((1u << cq->log_size) - 1));
	prm_cqe_dump(f, cqe, sizeof(*cqe));
	trace_end(f, &text);
}
