/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_CMD_H
#define SWHCA_CMD_H

/**
 * @file
 * One PRM command on its way.
 */

#include "mlx5_prm_cmd.h"
#include "object/hca.h"

/** A command; in and out are at least as long as the opcode's entry in the table says. */
struct swhca_cmd {
	struct swhca_hca *hca;
	const char *name;
	enum swhca_obj_type type; /**< Of the object that it is about, where the table says. */
	uint16_t opcode;
	uint16_t uid;
	const uint8_t *in;
	size_t in_len;
	uint8_t *out;		/**< Zeroed; a handler writes only what it returns. */
	size_t out_len;
};

/**
 * Reject a command: note the syndrome and log why.
 *
 * @param check
 *   Which check of this opcode failed, 1..255; the syndrome is opcode << 8 | check, so that a
 *   user can find it in the source. The values of real firmware are not public.
 * @return
 *   The status: a macro, so that callers are seen to go on with nothing that is refused.
 */
#define swhca_cmd_reject(cmd, status, check, ...)                                                  \
	(swhca_cmd_note_reject(cmd, status, check, __VA_ARGS__), (uint8_t)(status))

/** What swhca_cmd_reject() does, but for its value. */
void swhca_cmd_note_reject(struct swhca_cmd *cmd, enum prm_cmd_status status, uint8_t check,
			   const char *format, ...) __attribute__((format(printf, 4, 5)));

/** Find an object that the command may use, counting no reference. */
static inline struct swhca_obj *
swhca_cmd_obj(const struct swhca_cmd *cmd, enum swhca_obj_type type, uint64_t num)
{
	return swhca_obj_find(cmd->hca, type, (uint32_t)num, cmd->uid);
}

/**
 * Whether the command may destroy an object that it may use: users refer to what is the kernel's,
 * as their CQs do to its EQs, but it is not theirs.
 */
static inline bool
swhca_cmd_may_destroy(const struct swhca_cmd *cmd, const struct swhca_obj *obj)
{
	return cmd->uid == 0 || obj->uid == cmd->uid;
}

/** Do queues take time stamps of the real-time clock? Their format is one of RoCE. */
static inline bool
swhca_cmd_has_real_time(const struct swhca_hca *hca)
{
	return hca->conf.link_layer == SWHCA_LINK_ETH &&
	       swhca_model_has(hca->conf.model, SWHCA_FEATURE_REAL_TIME);
}

#endif /* SWHCA_CMD_H */
