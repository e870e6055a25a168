/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_CMD_RING_H
#define SWHCA_CMD_RING_H

/**
 * @file
 * Locations of rings and records of queues in commands.
 */

#include "cmd/cmd.h"
#include "object/buf.h"
#include "object/dbr.h"

/** Location of a ring or record in a command. */
struct swhca_ring_where {
	bool in_umem;
	uint32_t umem_id;
	uint64_t umem_offset;
	bool is_written;	/**< Written by the device. */
	const uint8_t *pas;	/**< Page addresses, up to the end of the mailbox. */
	uint32_t nb_pas;
	uint8_t log_page;	/**< log2 of the page size of pas. */
	uint8_t page_offset;	/**< Start in the first page, in 64ths of a page. */
};

/** Find the pages of a ring. */
uint8_t swhca_cmd_ring_init(struct swhca_cmd *cmd, const struct swhca_ring_where *where,
			    uint64_t bytes, struct swhca_buf *buf, struct swhca_umem **umem);
/** Find a doorbell record. */
uint8_t swhca_cmd_dbr_init(struct swhca_cmd *cmd, bool in_umem, uint32_t umem_id, uint64_t addr,
			   struct swhca_dbr *dbr);

#endif /* SWHCA_CMD_RING_H */
