/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Mailboxes of a world, by dword and bit. */

#include <endian.h>
#include <string.h>

#include "world.h"

#define PAGE 4096u

void
world_put(uint8_t *box, unsigned int dw, unsigned int lsb, uint32_t value)
{
	uint32_t be;

	memcpy(&be, box + dw * 4, 4);
	be = htobe32(be32toh(be) | value << lsb);
	memcpy(box + dw * 4, &be, 4);
}

void
world_put64(uint8_t *box, unsigned int dw, uint64_t value)
{
	world_put(box, dw, 0, (uint32_t)(value >> 32));
	world_put(box, dw + 1, 0, (uint32_t)value);
}

uint32_t
world_get(const void *box, unsigned int dw)
{
	uint32_t be;

	memcpy(&be, (const uint8_t *)box + (size_t)dw * 4, 4);
	return be32toh(be);
}

uint64_t
world_get64(const void *box, unsigned int dw)
{
	return (uint64_t)world_get(box, dw) << 32 | world_get(box, dw + 1);
}

void
world_eq_box(const struct world_dev *dev, uint8_t *in, uint32_t log_size, const void *ring)
{
	memset(in, 0, WORLD_EQ_BOX);
	world_put(in, 0, 16, 0x301);
	world_put(in, 7, 24, log_size);
	world_put(in, 7, 0, dev->eq_uarn);
	world_put(in, 9, 0, 7);			/* interrupt vector */
	world_put_bus(in, 68, ring);
}

uint32_t
world_put_pages(uint8_t *box, size_t at, const void *addr, uint64_t len)
{
	const uint8_t *page = (const uint8_t *)addr - (uintptr_t)addr % PAGE;
	uint32_t nb = 0;

	for (; page < (const uint8_t *)addr + len; page += PAGE, nb++)
		world_put_bus(box + at + nb * 8, 0, page);
	return nb;
}

void
world_mkey_box(struct world *w, int dev, uint8_t *in, uint32_t access_mode)
{
	memset(in, 0, WORLD_BOX);
	world_put(in, 0, 16, 0x200);
	/* mkc begins at dword 4 */
	world_put(in, 4, 8, access_mode);
	world_put(in, 5, 0, 0xffffff00);
	world_put(in, 7, 0, w->dev[dev].pdn);
}

void
world_mkey_pages(uint8_t *in, const void *addr, uint64_t len)
{
	uint32_t nb = world_put_pages(in, WORLD_BOX, addr, len);

	world_put64(in, 8, (uintptr_t)addr);
	world_put64(in, 10, len);
	world_put(in, 17, 0, (nb + 1) / 2);
	world_put(in, 18, 0, 12);
	world_put(in, 24, 0, (nb + 1) / 2);
}

void
world_cq_box(struct world *w, int dev, uint8_t *in, uint32_t umem, uint32_t offset, uint64_t dbr)
{
	memset(in, 0, WORLD_BOX);
	world_put(in, 0, 16, 0x400);
	world_put(in, 4, 25, 1);		/* dbr_umem_valid */
	world_put(in, 5, 0, umem);
	world_put(in, 7, 24, 6);		/* log_cq_size */
	world_put(in, 7, 0, w->dev[dev].uarn);
	world_put(in, 9, 0, w->dev[dev].eqn);
	world_put64(in, 18, dbr);
	world_put64(in, 20, offset);
	world_put(in, 22, 0, umem);
	world_put(in, 23, 31, 1);
}

void
world_qp_box(struct world *w, int dev, uint8_t *in, const struct world_qp *qp)
{
	memset(in, 0, WORLD_BOX);
	world_put(in, 0, 16, 0x500);
	/* qpc begins at dword 6 */
	world_put(in, 6, 11, 3);		/* migrated */
	world_put(in, 7, 0, w->dev[dev].pdn);
	world_put(in, 8, 19, 4);		/* log_rq_size */
	world_put(in, 8, 16, 2);		/* log_rq_stride: 64 bytes */
	world_put(in, 8, 11, 6);		/* log_sq_size */
	world_put(in, 9, 0, w->dev[dev].uarn);
	world_put(in, 10, 0, 0x123);		/* user_index */
	world_put(in, 37, 0, qp->scqn);
	world_put(in, 45, 0, qp->rcqn);
	world_put64(in, 46, WORLD_DBR_OFF);
	world_put(in, 58, 28, 1);		/* dbr_umem_valid */
	world_put(in, 63, 0, qp->umem);
	world_put(in, 66, 0, qp->umem);
	world_put(in, 67, 31, 1);
}
