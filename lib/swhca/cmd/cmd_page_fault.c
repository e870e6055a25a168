/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* PAGE_FAULT_RESUME: software has handled a page fault. */

#include <inttypes.h>

#include "cmd/cmd.h"
#include "cmd/cmd_handlers.h"
#include "queue/page_fault.h"

/* Each scheme has a different field for the token (Linux: mlx5_ib_page_fault_resume()). */
static uint64_t
token_get(const struct swhca_cmd *cmd)
{
	if (!cmd->hca->page_faults.by_memory)
		return prm_get(cmd->in, PRM_PAGE_FAULT_RESUME_IN_TOKEN);
	return prm_get(cmd->in, PRM_PAGE_FAULT_RESUME_IN_MEM_TOKEN_47_32) << 32 |
	       prm_get(cmd->in, PRM_PAGE_FAULT_RESUME_IN_MEM_TOKEN_31_0);
}

uint8_t
swhca_cmd_page_fault_resume(struct swhca_cmd *cmd)
{
	bool is_error = prm_get(cmd->in, PRM_PAGE_FAULT_RESUME_IN_ERROR) != 0;
	uint64_t token = token_get(cmd);

	if (cmd->uid != 0)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 1, "from user context %u",
					cmd->uid);
	if (swhca_page_fault_resume(cmd->hca, token, is_error) != 0)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 2,
					"no page fault had the token 0x%" PRIx64, token);
	return PRM_CMD_OK;
}
