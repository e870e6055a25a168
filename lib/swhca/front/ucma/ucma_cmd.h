/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UCMA_CMD_H
#define SWHCA_UCMA_CMD_H

/**
 * @file
 * Commands of the ABI, and common functions of their handlers. All hold the lock of id.h.
 */

#include <stddef.h>
#include <stdint.h>

struct swhca_ucm_file;

/** A command of a caller. */
struct swhca_ucm_cmd {
	struct swhca_ucm_file *file;
	const void *in;		/**< Its structure; missing bytes are zero. */
	size_t out_len;		/**< Buffer size of the caller. */
};

/** Write an answer, truncated to the buffer, at least "min". @return 0, -ENOSPC, -EFAULT. */
int swhca_ucm_answer(const struct swhca_ucm_cmd *cmd, uint64_t addr, const void *resp,
		     size_t size, size_t min);

/**
 * Execute a command other than GET_EVENT.
 *
 * @param in
 *   Structure after the header, in memory of the caller.
 * @return
 *   0, or a negative errno: -ENOSYS (unknown), or the command's.
 */
int swhca_ucm_cmd_exec(struct swhca_ucm_file *file, uint32_t number, uint64_t in, size_t in_len,
		       size_t out_len);

/* Handlers: ucma_cmd_query.c */
int swhca_ucm_query_route(const struct swhca_ucm_cmd *cmd);
int swhca_ucm_query(const struct swhca_ucm_cmd *cmd);
int swhca_ucm_init_qp_attr(const struct swhca_ucm_cmd *cmd);
/* ucma_cmd_addr.c */
int swhca_ucm_bind_ip(const struct swhca_ucm_cmd *cmd);
int swhca_ucm_bind(const struct swhca_ucm_cmd *cmd);
int swhca_ucm_resolve_ip(const struct swhca_ucm_cmd *cmd);
int swhca_ucm_resolve_addr(const struct swhca_ucm_cmd *cmd);
int swhca_ucm_resolve_route(const struct swhca_ucm_cmd *cmd);
int swhca_ucm_listen(const struct swhca_ucm_cmd *cmd);
int swhca_ucm_set_option(const struct swhca_ucm_cmd *cmd);
/* ucma_cmd_conn.c */
int swhca_ucm_connect(const struct swhca_ucm_cmd *cmd);
int swhca_ucm_accept(const struct swhca_ucm_cmd *cmd);
int swhca_ucm_reject(const struct swhca_ucm_cmd *cmd);
int swhca_ucm_disconnect(const struct swhca_ucm_cmd *cmd);
int swhca_ucm_notify(const struct swhca_ucm_cmd *cmd);
/* ucma_cmd_mcast.c */
int swhca_ucm_join_ip_mcast(const struct swhca_ucm_cmd *cmd);
int swhca_ucm_join_mcast(const struct swhca_ucm_cmd *cmd);
int swhca_ucm_leave_mcast(const struct swhca_ucm_cmd *cmd);

#endif /* SWHCA_UCMA_CMD_H */
