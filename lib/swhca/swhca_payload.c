/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Payload on its way from one translated list of spans to another.
 */

#include "swhca_engine.h"

int
swhca_payload_copy(struct swhca_hca *hca, const struct swhca_spans *dst,
		   const struct swhca_spans *src)
{
	const struct swhca_dma *dma = hca->fabric->dma;
	int ret;

	if (src->len == 0)
		return 0;
	ret = dma->copy(dma, dst->iov, dst->nb, src->iov, src->nb);
	if (ret == 0)
		hca->stats.nb_bytes += src->len;
	return ret;
}
