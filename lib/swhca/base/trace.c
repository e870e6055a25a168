/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <stdio.h>
#include <stdlib.h>

#include "base/trace.h"

#define CQE_SIZE 64u

/* Print the whole text at once, so that lines of several threads are not interleaved. */
static void
trace_end(FILE *f, char **text)
{
	fclose(f);
	fputs(*text, stderr);
	free(*text);
}

void
swhca_trace_wqe(unsigned int vhca_id, uint32_t qpn, enum prm_dump_service service, const void *wqe,
		size_t len)
{
	char *text = NULL;
	size_t text_len;
	FILE *f = open_memstream(&text, &text_len);

	if (f == NULL)
		return;
	fprintf(f, "swhca wqe: device %u QP 0x%x\n", vhca_id, qpn);
	prm_wqe_dump_as(f, service, wqe, len);
	trace_end(f, &text);
}

void
swhca_trace_cqe(uint32_t cqn, uint32_t entry, const void *cqe)
{
	char *text = NULL;
	size_t text_len;
	FILE *f = open_memstream(&text, &text_len);

	if (f == NULL)
		return;
	fprintf(f, "swhca cqe: CQ 0x%x entry %u\n", cqn, entry);
	prm_cqe_dump(f, cqe, CQE_SIZE);
	trace_end(f, &text);
}
