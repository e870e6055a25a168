/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_CMD_H
#define SWHCA_CMD_H

/**
 * @file
 * Execution of a PRM command.
 */

#include "mlx5_prm_cmd.h"
#include "object/hca_state.h"

/** A command; in and out have at least the length of the opcode's entry in the table. */
struct swhca_cmd {
	struct swhca_hca *hca;
	const char *name;
	enum swhca_obj_type type; /**< Type of its object, if the table has one. */
	uint16_t opcode;
	uint16_t uid;
	const uint8_t *in;
	size_t in_len;
	uint8_t *out;		/**< Zeroed; a handler writes only what it returns. */
	size_t out_len;
};

/**
 * Reject a command: set the syndrome and log the reason.
 *
 * @param check
 *   Number of the failed check of this opcode, 1..255; the syndrome is opcode << 8 | check, so that
 *   a user can find it in the source. The values of real firmware are not public.
 * @return
 *   The status. This is a macro so that static analysis sees callers stop after a rejection.
 */
#define swhca_cmd_reject(cmd, status, check, ...)                                                  \
	(swhca_cmd_note_reject(cmd, status, check, __VA_ARGS__), (uint8_t)(status))

/** Implements swhca_cmd_reject(), except for its value. */
void swhca_cmd_note_reject(struct swhca_cmd *cmd, enum prm_cmd_status status, uint8_t check,
			   const char *format, ...) __attribute__((format(printf, 4, 5)));

/** Find an object that the command may use, without taking a reference. */
static inline struct swhca_obj *
swhca_cmd_obj(const struct swhca_cmd *cmd, enum swhca_obj_type type, uint64_t num)
{
	return swhca_obj_find(cmd->hca, type, (uint32_t)num, cmd->uid);
}

/**
 * Check whether the command may destroy an object that it may use: users may refer to objects of
 * the kernel, as their CQs do to its EQs, but not destroy them.
 */
static inline bool
swhca_cmd_may_destroy(const struct swhca_cmd *cmd, const struct swhca_obj *obj)
{
	return cmd->uid == 0 || obj->uid == cmd->uid;
}

/** Check whether queues may use real-time clock stamps, a format that only RoCE has. */
static inline bool
swhca_cmd_has_real_time(const struct swhca_hca *hca)
{
	return hca->conf.link_layer == SWHCA_LINK_ETH &&
	       swhca_model_has(hca->conf.model, SWHCA_FEATURE_REAL_TIME);
}

#endif /* SWHCA_CMD_H */
