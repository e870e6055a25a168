/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_COMMAND_H
#define SWHCA_COMMAND_H

/**
 * @file
 * What front ends need to know of PRM commands, from the one table of them (cmd/cmd_handlers.h).
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** What DevX does with a command (Linux: drivers/infiniband/hw/mlx5/devx.c). */
enum swhca_devx_class {
	SWHCA_DEVX_NONE,	/**< Not for users. */
	SWHCA_DEVX_CREATE,	/**< Creates an object. */
	SWHCA_DEVX_MODIFY,	/**< Changes an object. */
	SWHCA_DEVX_QUERY,	/**< Reads an object. */
	SWHCA_DEVX_GENERAL,	/**< Needs no object. */
};

/** A command; all members of an unknown one are 0. */
struct swhca_cmd_info {
	enum swhca_devx_class devx;
	uint16_t create_op;	/**< Command that creates the object it modifies or queries. */
	uint16_t destroy_op;	/**< Command that destroys the object it creates. */
	bool needs_no_uctx;	/**< Users may execute it without a user context. */
};

/** @return Never NULL. */
const struct swhca_cmd_info *swhca_cmd_info(uint16_t opcode);

/**
 * Read the number of the object of a command: from the output if the command creates it, else from
 * the input.
 *
 * @return
 *   0, or -EINVAL: the mailbox is shorter.
 */
int swhca_cmd_obj_num(uint16_t opcode, const void *mailbox, size_t len, uint32_t *num);

#endif /* SWHCA_COMMAND_H */
