/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_OBJECT_SPANS_H
#define SWHCA_OBJECT_SPANS_H

/**
 * @file
 * Growing lists of spans: what a key translates to.
 */

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

struct swhca_cq;
struct swhca_hca;
struct swhca_mkey;
struct swhca_qp;

/** Part of a list of spans whose bytes a key transforms on their way: see mem/bsf/sig.h. */
struct swhca_xform {
	struct swhca_hca *hca;
	struct swhca_mkey *mkey;
	bool to_wire;		/**< Memory is the source. */
	uint64_t wire_off;	/**< In the address space of the key, as the wire has it. */
	uint64_t wire_len;
	uint64_t data_off;	/**< Data bytes in front of it, without signatures. */
	uint64_t mem_off;	/**< In the layout of the key. */
	uint64_t mem_len;	/**< Bytes of its spans. */
	uint64_t cipher_off;	/**< Where the cipher begins, in bytes of what it works on. */
	size_t first;		/**< Its spans. */
	size_t nb;
	struct swhca_qp *qp;	/**< That a signature error stops if it wants so, or NULL. */
	struct swhca_cq *cq;	/**< Where a signature error is told, or NULL. */
	uint32_t qpn;		/**< For that CQE. */
};

/** Growing list of spans; the engine keeps them between WQEs so that none allocates. */
struct swhca_spans {
	struct swhca_span *list;
	size_t nb;
	size_t max;
	uint64_t len;		/**< Bytes in all, as the wire has them. */
	struct swhca_xform *xforms;	/**< In order of their spans. */
	size_t nb_xforms;
	size_t max_xforms;
	uint32_t nb_steps;	/**< Entries looked at to get here: what one WQE may cost. */
};

/** Transformed parts that one side of a WQE may have: each costs a set-up. */
#define SWHCA_MAX_XFORMS 65536u

/** Make room for one more. @return 0 or -ENOMEM. */
int swhca_spans_grow(struct swhca_spans *spans);

/** Append bytes, if there are any. @return 0 or -ENOMEM. */
static inline int
swhca_spans_add(struct swhca_spans *spans, enum swhca_where where, uint64_t addr, uint64_t len)
{
	struct swhca_span *span;

	if (len == 0)
		return 0;
	if (spans->nb == spans->max && swhca_spans_grow(spans) != 0)
		return -ENOMEM;
	span = &spans->list[spans->nb++];
	span->addr = addr;
	span->len = len;
	span->where = where;
	spans->len += len;
	return 0;
}

/** The same for memory of the model. */
static inline int
swhca_spans_add_model(struct swhca_spans *spans, const void *ptr, uint64_t len)
{
	return swhca_spans_add(spans, SWHCA_WHERE_MODEL, (uintptr_t)ptr, len);
}

/** Note that the last spans are transformed. @return 0, -E2BIG or -ENOMEM. */
int swhca_spans_add_xform(struct swhca_spans *spans, const struct swhca_xform *xform);
void swhca_spans_fini(struct swhca_spans *spans);

/** Empty a list for the next WQE. */
void swhca_spans_reset(struct swhca_spans *spans);

#endif /* SWHCA_OBJECT_SPANS_H */
