/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef WQE_BYTES_TRANSFER_H
#define WQE_BYTES_TRANSFER_H

/*
 * Transfers of one segment posted by libmlx5 and by the driver; for wqe_bytes_{layout,xfer,dc}.c.
 */

#include "bytes.h"

enum wb_op {
	WB_WRITE, WB_WRITE_IMM, WB_READ, WB_FETCH_ADD, WB_CMP_SWAP,
	WB_SEND, WB_SEND_IMM, WB_SEND_INV,
};

struct wb_xfer {
	enum wb_op op;
	bool is_inline;
	uint32_t len;
	uint64_t addr;			/* in wb.mem, by the keys of wb.mr and wb.umr_mr */
	uint64_t raddr;
	uint32_t their_rkey, our_rkey;	/* remote, or what a send invalidates */
	rte_be32_t imm;
	uint64_t operand, compare;	/* of an atomic: to add or to swap in */
};

bool wb_takes_recv(enum wb_op op);
/* Write the request; wb_libmlx5_end() posts it. */
void wb_libmlx5_xfer(const struct wb_xfer *x);
/* @return What the driver returned. */
int wb_driver_xfer(const struct wb_xfer *x);
/* Mask fields of both sides and compare; av_size: bytes of an address vector. */
void wb_compare_xfer(const struct wb_xfer *x, struct wb_pair *pair, size_t av_size);

#endif /* WQE_BYTES_TRANSFER_H */
