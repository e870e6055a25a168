/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Copy of payload between translated lists of spans.
 *
 * Lists without transformed parts are copied at once. All others pass two buffers: the source is
 * read in pieces, passed through the flow of its key if it has one, and pushed into the sink, where
 * it passes the flow of that key and is written when the other buffer is full. This limits the
 * memory of a transfer.
 */

#include <errno.h>
#include <string.h>

#include "mem/bsf/sig.h"
#include "mem/payload.h"
#include "mem/pin.h"

/* Writer to memory. */
struct writer {
	const struct swhca_dma *dma;
	struct swhca_span_cursor at;
	uint8_t *buf;
	size_t nb;
};

/* Destination: parts of a list in order. */
struct sink {
	const struct swhca_spans *spans;
	struct writer writer;
	size_t next_span;
	size_t next_xform;
	uint64_t left;		/* wire bytes that the current part still accepts */
	bool has_flow;
	struct swhca_flow flow;
};

/* Source; flow output beyond the requested wire bytes is dropped. */
struct source {
	struct sink *sink;
	uint64_t left;
};

/* Part of a list: spans that one key transforms, or untransformed ones up to the next such part. */
struct part {
	const struct swhca_xform *xform;	/* NULL: untransformed */
	struct swhca_span_cursor spans;
	uint64_t wire_len;
	uint64_t mem_len;
};

/* Get the part of a list that begins at *span, and advance both counters. */
static struct part
part_next(const struct swhca_spans *spans, size_t *span, size_t *xform)
{
	struct part part = { .spans = { .span = &spans->list[*span] } };
	size_t end = spans->nb, i;

	if (*xform < spans->nb_xforms) {
		end = spans->xforms[*xform].first;
		if (end == *span) {
			part.xform = &spans->xforms[(*xform)++];
			end = *span + part.xform->nb;
		}
	}
	part.spans.nb = end - *span;
	for (i = *span; i < end; i++)
		part.mem_len += spans->list[i].len;
	part.wire_len = part.xform != NULL ? part.xform->wire_len : part.mem_len;
	*span = end;
	return part;
}

static int
writer_flush(struct writer *writer)
{
	const uint8_t *from = writer->buf;
	struct swhca_span piece;

	for (; writer->nb > 0; writer->nb -= piece.len, from += piece.len) {
		/* More than the memory: the plan of the key is inconsistent. */
		if (swhca_span_take(&writer->at, writer->nb, &piece) == 0 ||
		    swhca_span_write(writer->dma, &piece, from) != 0)
			return -EACCES;
	}
	return 0;
}

static int
writer_push(void *arg, const uint8_t *data, size_t len)
{
	struct writer *writer = arg;
	size_t nb;
	int ret;

	for (; len > 0; data += nb, len -= nb) {
		nb = SWHCA_BOUNCE_BYTES - writer->nb < len ? SWHCA_BOUNCE_BYTES - writer->nb : len;
		memcpy(writer->buf + writer->nb, data, nb);
		writer->nb += nb;
		if (writer->nb < SWHCA_BOUNCE_BYTES)
			continue;
		ret = writer_flush(writer);
		if (ret != 0)
			return ret;
	}
	return 0;
}

/* End the current part, which is complete. */
static int
sink_end_part(struct sink *sink)
{
	int ret = 0;

	if (sink->has_flow) {
		ret = swhca_flow_end(&sink->flow);
		swhca_flow_fini(&sink->flow);
		sink->has_flow = false;
	}
	return ret == 0 ? writer_flush(&sink->writer) : ret;
}

static int
sink_next_part(struct sink *sink)
{
	struct part part = part_next(sink->spans, &sink->next_span, &sink->next_xform);
	int ret;

	/* More than all parts accept: lists of one transfer have the same length. */
	if (part.wire_len == 0)
		return -EACCES;
	sink->left = part.wire_len;
	sink->writer.at = part.spans;
	if (part.xform == NULL)
		return 0;
	ret = swhca_flow_init(&sink->flow, part.xform, writer_push, &sink->writer);
	sink->has_flow = ret == 0;
	return ret == 0 ? 0 : -EACCES;
}

static int
sink_push(void *arg, const uint8_t *data, size_t len)
{
	struct sink *sink = arg;
	size_t nb;
	int ret;

	for (; len > 0; data += nb, len -= nb) {
		if (sink->left == 0) {
			ret = sink_next_part(sink);
			if (ret != 0)
				return ret;
		}
		nb = sink->left < len ? (size_t)sink->left : len;
		ret = sink->has_flow ? swhca_flow_push(&sink->flow, data, nb) :
				       writer_push(&sink->writer, data, nb);
		sink->left -= nb;
		if (ret == 0 && sink->left == 0)
			ret = sink_end_part(sink);
		if (ret != 0)
			return ret;
	}
	return 0;
}

static int
source_push(void *arg, const uint8_t *data, size_t len)
{
	struct source *source = arg;
	size_t nb = source->left < len ? (size_t)source->left : len;

	source->left -= nb;
	return sink_push(source->sink, data, nb);
}

/* Fill the buffer from memory. @return Number of bytes, 0 at the end, or -EFAULT. */
static ssize_t
part_fill(const struct swhca_dma *dma, struct part *part, uint8_t *buf)
{
	struct swhca_span piece;
	size_t nb_filled = 0;

	while (nb_filled < SWHCA_BOUNCE_BYTES) {
		if (swhca_span_take(&part->spans, SWHCA_BOUNCE_BYTES - nb_filled, &piece) == 0)
			break;
		if (swhca_span_read(dma, buf + nb_filled, &piece) != 0)
			return -EFAULT;
		nb_filled += piece.len;
	}
	return (ssize_t)nb_filled;
}

/* Read the memory of a part and push it. */
static int
part_read(const struct swhca_dma *dma, struct part *part, uint8_t *buf, struct swhca_flow *flow,
	  struct source *source)
{
	ssize_t nb;
	int ret;

	while ((nb = part_fill(dma, part, buf)) > 0) {
		ret = flow != NULL ? swhca_flow_push(flow, buf, (size_t)nb) :
				     source_push(source, buf, (size_t)nb);
		if (ret != 0)
			return ret;
	}
	if (nb < 0)
		return (int)nb;
	return flow != NULL ? swhca_flow_end(flow) : 0;
}

static int
part_push(const struct swhca_dma *dma, struct part *part, uint8_t *buf, struct sink *sink)
{
	struct source source = { .sink = sink, .left = part->wire_len };
	struct swhca_flow flow;
	int ret;

	if (part->xform == NULL)
		return part_read(dma, part, buf, NULL, &source);
	ret = swhca_flow_init(&flow, part->xform, source_push, &source);
	if (ret != 0)
		return -EFAULT;
	ret = part_read(dma, part, buf, &flow, &source);
	swhca_flow_fini(&flow);
	return ret;
}

static int
copy_transformed(struct swhca_fabric *fabric, const struct swhca_spans *dst,
		 const struct swhca_spans *src)
{
	struct sink sink = {
		.spans = dst,
		.writer = { .dma = fabric->dma, .buf = fabric->bounce + SWHCA_BOUNCE_BYTES },
	};
	size_t span = 0, xform = 0;
	struct part part;
	int ret = 0;

	/* The last part may have no memory: only the signature of a transaction. */
	while (ret == 0 && (span < src->nb || xform < src->nb_xforms)) {
		part = part_next(src, &span, &xform);
		ret = part_push(fabric->dma, &part, fabric->bounce, &sink);
	}
	if (sink.has_flow)
		swhca_flow_fini(&sink.flow);
	return ret;
}

int
swhca_payload_copy(struct swhca_hca *hca, const struct swhca_spans *dst,
		   const struct swhca_spans *src)
{
	const struct swhca_dma *dma = hca->fabric->dma;
	int ret;

	if (src->len == 0)
		return 0;
	if (dst->nb_xforms == 0 && src->nb_xforms == 0) {
		hca->fabric->cost += src->len;
		ret = swhca_dma_copy(dma, dst->list, dst->nb, src->list, src->nb);
	} else {
		hca->fabric->cost += src->len * SWHCA_COST_XFORM;
		ret = copy_transformed(hca->fabric, dst, src);
	}
	if (ret == 0)
		hca->stats.nb_bytes += src->len;
	else
		swhca_pins_check(hca->fabric, ret == -EFAULT ? src : dst);
	return ret;
}
