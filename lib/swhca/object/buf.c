/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "object/buf.h"
#include "object/bus.h"
#include "object/fabric.h"

int
swhca_buf_init(struct swhca_buf *buf, const struct swhca_hca *hca, const uint8_t *pas,
	       uint32_t nb, uint8_t log_page, uint64_t offset)
{
	uint64_t mask = (UINT64_C(1) << log_page) - 1;
	uint64_t page;
	uint32_t i;

	*buf = (struct swhca_buf){ .nb_pages = nb, .log_page = log_page, .offset = offset };
	buf->pages = calloc(nb == 0 ? 1 : nb, sizeof(*buf->pages));
	if (buf->pages == NULL)
		return -ENOMEM;
	for (i = 0; i < nb; i++) {
		memcpy(&page, pas + (size_t)i * PRM_MTT_SIZE, sizeof(page));
		/* Low bits are access bits or zero. */
		buf->pages[i] = swhca_bus_addr(hca, be64toh(page) & ~mask, mask + 1);
	}
	return 0;
}

void
swhca_buf_fini(struct swhca_buf *buf)
{
	free(buf->pages);
	*buf = (struct swhca_buf){ 0 };
}

uint64_t
swhca_buf_len(const struct swhca_buf *buf)
{
	uint64_t bytes = (uint64_t)buf->nb_pages << buf->log_page;

	return bytes > buf->offset ? bytes - buf->offset : 0;
}

int
swhca_buf_span(const struct swhca_buf *buf, uint64_t offset, uint64_t *addr, uint64_t *len)
{
	uint64_t page_size = UINT64_C(1) << buf->log_page;
	uint64_t at = buf->offset + offset;
	uint64_t index = at >> buf->log_page;

	/* SWHCA_BUS_NOWHERE is no address: no offset may be added to it. */
	if (at < offset || index >= buf->nb_pages || buf->pages[index] == SWHCA_BUS_NOWHERE)
		return -EFAULT;
	*addr = buf->pages[index] + (at & (page_size - 1));
	*len = page_size - (at & (page_size - 1));
	return 0;
}

int
swhca_buf_read(const struct swhca_fabric *fabric, const struct swhca_buf *buf, uint64_t offset,
	       void *dst, size_t len)
{
	uint8_t *to = dst;
	uint64_t addr, span;
	int ret;

	while (len > 0) {
		ret = swhca_buf_span(buf, offset, &addr, &span);
		if (ret != 0)
			return ret;
		if (span > len)
			span = len;
		ret = fabric->dma->read(fabric->dma, to, addr, span);
		if (ret != 0)
			return ret;
		to += span;
		offset += span;
		len -= span;
	}
	return 0;
}

void
swhca_umem_fini(struct swhca_hca *hca, struct swhca_obj *obj)
{
	(void)hca;
	swhca_buf_fini(&((struct swhca_umem *)obj)->buf);
}
