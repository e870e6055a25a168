/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_CMD_RING_H
#define SWHCA_CMD_RING_H

/**
 * @file
 * Where the rings and records of queues are, as commands say it.
 */

#include "cmd/cmd.h"
#include "object/buf.h"
#include "object/dbr.h"

/** Where a queue's ring or record lives, as a command describes it. */
struct swhca_ring_where {
	bool in_umem;
	uint32_t umem_id;
	uint64_t umem_offset;
	bool is_written;	/**< By the device. */
	const uint8_t *pas;	/**< Page addresses, up to the end of the mailbox. */
	uint32_t nb_pas;
	uint8_t log_page;	/**< log2 of the bytes of a page of pas. */
	uint8_t page_offset;	/**< Beginning in the first page, in 64ths of a page. */
};

/** Find the pages of a ring of so many bytes. */
uint8_t swhca_cmd_ring_init(struct swhca_cmd *cmd, const struct swhca_ring_where *where,
			    uint64_t bytes, struct swhca_buf *buf, struct swhca_umem **umem);
/** Find a doorbell record. */
uint8_t swhca_cmd_dbr_init(struct swhca_cmd *cmd, bool in_umem, uint32_t umem_id, uint64_t addr,
			   struct swhca_dbr *dbr);

#endif /* SWHCA_CMD_RING_H */
