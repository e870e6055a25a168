/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_OBJECT_SPANS_H
#define SWHCA_OBJECT_SPANS_H

/**
 * @file
 * Growing lists of spans: the result of a key translation.
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

/** Part of a list of spans whose bytes a key transforms during a transfer: see mem/bsf/sig.h. */
struct swhca_xform {
	struct swhca_hca *hca;
	struct swhca_mkey *mkey;
	bool to_wire;		/**< Memory is the source. */
	uint64_t wire_off;	/**< In the address space of the key, as on the wire. */
	uint64_t wire_len;
	uint64_t data_off;	/**< Preceding data bytes, without signatures. */
	uint64_t mem_off;	/**< In the layout of the key. */
	uint64_t mem_len;	/**< Bytes of its spans. */
	uint64_t cipher_off;	/**< Start of the cipher, in bytes of its input. */
	size_t first;		/**< First span. */
	size_t nb;
	struct swhca_qp *qp;	/**< Stopped by a signature error if so configured, or NULL. */
	struct swhca_cq *cq;	/**< Reports signature errors, or NULL. */
	uint32_t qpn;		/**< For that CQE. */
};

/** Growing list of spans; the engine reuses them, so that WQEs do not allocate. */
struct swhca_spans {
	struct swhca_span *list;
	size_t nb;
	size_t max;
	uint64_t len;		/**< Total bytes, as on the wire. */
	struct swhca_xform *xforms;	/**< In order of their spans. */
	size_t nb_xforms;
	size_t max_xforms;
	bool is_cut;		/**< An injected fault has unmapped one. */
	uint32_t nb_steps;	/**< Entries examined to get here, which are limited per WQE. */
};

/** Maximum transformed parts of one side of a WQE: each costs a set-up. */
#define SWHCA_MAX_XFORMS 65536u

/** Make room for one more. @return 0 or -ENOMEM. */
int swhca_spans_grow(struct swhca_spans *spans);

/** Append bytes, unless len is 0. @return 0 or -ENOMEM. */
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

/** Mark the last spans as transformed. @return 0, -E2BIG or -ENOMEM. */
int swhca_spans_add_xform(struct swhca_spans *spans, const struct swhca_xform *xform);
void swhca_spans_fini(struct swhca_spans *spans);

/** Empty a list for the next WQE. */
void swhca_spans_reset(struct swhca_spans *spans);

#endif /* SWHCA_OBJECT_SPANS_H */
