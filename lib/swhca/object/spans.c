/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <stdlib.h>

#include "object/spans.h"

int
swhca_spans_grow(struct swhca_spans *spans)
{
	size_t max = spans->max == 0 ? 64 : spans->max * 2;
	struct swhca_span *list = realloc(spans->list, max * sizeof(*list));

	if (list == NULL)
		return -ENOMEM;
	spans->list = list;
	spans->max = max;
	return 0;
}

int
swhca_spans_add_xform(struct swhca_spans *spans, const struct swhca_xform *xform)
{
	struct swhca_xform *xforms;
	size_t max;

	if (spans->nb_xforms == SWHCA_MAX_XFORMS)
		return -E2BIG;
	if (spans->nb_xforms == spans->max_xforms) {
		max = spans->max_xforms == 0 ? 8 : spans->max_xforms * 2;
		xforms = realloc(spans->xforms, max * sizeof(*xforms));
		if (xforms == NULL)
			return -ENOMEM;
		spans->xforms = xforms;
		spans->max_xforms = max;
	}
	spans->xforms[spans->nb_xforms++] = *xform;
	return 0;
}

/* A list that a single WQE has enlarged beyond this is not kept. */
#define MAX_KEPT_SPANS 65536u
#define MAX_KEPT_XFORMS 1024u

void
swhca_spans_reset(struct swhca_spans *spans)
{
	if (spans->max > MAX_KEPT_SPANS || spans->max_xforms > MAX_KEPT_XFORMS)
		swhca_spans_fini(spans);
	spans->nb = 0;
	spans->nb_xforms = 0;
	spans->len = 0;
	spans->is_cut = false;
	spans->nb_steps = 0;
}

void
swhca_spans_fini(struct swhca_spans *spans)
{
	free(spans->list);
	free(spans->xforms);
	*spans = (struct swhca_spans){ 0 };
}
