/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Bringing a function up and down (Linux: mlx5_function_setup(), mlx5_function_teardown()).
 */

#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "cmd/cmd.h"
#include "cmd/function/cmd_function.h"
#include "cmd/cmd_handlers.h"
#include "mad/mad_responder.h"
#include "xport/mcg.h"

uint8_t
swhca_cmd_check_function(struct swhca_cmd *cmd)
{
	if (prm_get(cmd->in, PRM_HCA_IN_FUNCTION_ID) == 0 &&
	    prm_get(cmd->in, PRM_HCA_IN_EMBEDDED_CPU_FUNCTION) == 0)
		return PRM_CMD_OK;
	return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 101, "function 0x%x of 1",
				(unsigned int)prm_get(cmd->in, PRM_HCA_IN_FUNCTION_ID));
}

/* Check the state of the function. */
static uint8_t
check_state(struct swhca_cmd *cmd, enum swhca_function_state state)
{
	static const char *const names[] = { "disabled", "enabled", "initialized" };
	enum swhca_function_state now = cmd->hca->function.state;

	if (now == state)
		return PRM_CMD_OK;
	return swhca_cmd_reject(cmd, PRM_CMD_BAD_SYS_STATE, 102, "the function is %s, not %s",
				names[now], names[state]);
}

uint8_t
swhca_cmd_enable_hca(struct swhca_cmd *cmd)
{
	uint8_t status = swhca_cmd_check_function(cmd);

	if (status == PRM_CMD_OK)
		status = check_state(cmd, SWHCA_FUNCTION_DISABLED);
	if (status != PRM_CMD_OK)
		return status;
	cmd->hca->function.state = SWHCA_FUNCTION_ENABLED;
	/*
	 * A front end traps stores to the first UAR page, where a driver rings all of its EQs. It
	 * must get the same page each time.
	 */
	swhca_table_rewind(&cmd->hca->tables[SWHCA_OBJ_UAR]);
	return PRM_CMD_OK;
}

uint8_t
swhca_cmd_disable_hca(struct swhca_cmd *cmd)
{
	struct swhca_function *function = &cmd->hca->function;
	uint8_t status = swhca_cmd_check_function(cmd);

	if (status == PRM_CMD_OK)
		status = check_state(cmd, SWHCA_FUNCTION_ENABLED);
	if (status != PRM_CMD_OK)
		return status;
	if (function->nb_pages != 0)
		SWHCA_LOG(WARNING, "%s: the host has not taken %u pages back", cmd->name,
			  function->nb_pages);
	swhca_function_fini(cmd->hca);
	swhca_function_init(cmd->hca);
	return PRM_CMD_OK;
}

uint8_t
swhca_cmd_query_issi(struct swhca_cmd *cmd)
{
	prm_set(cmd->out, PRM_QUERY_ISSI_OUT_CURRENT_ISSI, cmd->hca->function.issi);
	prm_set(cmd->out, PRM_QUERY_ISSI_OUT_SUPPORTED_ISSI_DW0, 1u << SWHCA_ISSI);
	return PRM_CMD_OK;
}

uint8_t
swhca_cmd_set_issi(struct swhca_cmd *cmd)
{
	unsigned int issi = (unsigned int)prm_get(cmd->in, PRM_SET_ISSI_IN_CURRENT_ISSI);
	uint8_t status = check_state(cmd, SWHCA_FUNCTION_ENABLED);

	if (status != PRM_CMD_OK)
		return status;
	if (issi != SWHCA_ISSI)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 1, "ISSI %u, not %u", issi,
					SWHCA_ISSI);
	cmd->hca->function.issi = (uint16_t)issi;
	return PRM_CMD_OK;
}

uint8_t
swhca_cmd_init_hca(struct swhca_cmd *cmd)
{
	struct swhca_function *function = &cmd->hca->function;
	uint8_t status = check_state(cmd, SWHCA_FUNCTION_ENABLED);

	if (status != PRM_CMD_OK)
		return status;
	if (function->issi != SWHCA_ISSI)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_SYS_STATE, 1, "ISSI %u, not %u",
					function->issi, SWHCA_ISSI);
	if (function->nb_pages < SWHCA_NB_BOOT_PAGES + SWHCA_NB_INIT_PAGES)
		return swhca_cmd_reject(cmd, PRM_CMD_NO_RES, 2, "%u pages of the host, at least %u",
					function->nb_pages,
					SWHCA_NB_BOOT_PAGES + SWHCA_NB_INIT_PAGES);
	swhca_cap_choices_apply(cmd->hca);
	function->state = SWHCA_FUNCTION_READY;
	return PRM_CMD_OK;
}

/* Software in a hurry leaves the cleanup to the device (mlx5_cmd_fast_teardown_hca()). */
uint8_t
swhca_cmd_teardown_hca(struct swhca_cmd *cmd)
{
	unsigned int profile = (unsigned int)prm_get(cmd->in, PRM_TEARDOWN_HCA_IN_PROFILE);
	uint8_t status = check_state(cmd, SWHCA_FUNCTION_READY);
	unsigned int nb;

	if (status != PRM_CMD_OK)
		return status;
	/* An unsupported profile (fast_teardown) is rejected. */
	if (profile != PRM_TEARDOWN_PROFILE_GRACEFUL_CLOSE &&
	    profile != PRM_TEARDOWN_PROFILE_FORCE_CLOSE)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 1, "profile %u", profile);
	swhca_mcg_fini(cmd->hca);
	swhca_sa_forget(cmd->hca);
	nb = swhca_obj_destroy_all(cmd->hca);
	if (nb != 0)
		SWHCA_LOG(WARNING, "%s: %u objects were left", cmd->name, nb);
	cmd->hca->function.state = SWHCA_FUNCTION_ENABLED;
	return PRM_CMD_OK;
}

uint8_t
swhca_cmd_nop(struct swhca_cmd *cmd)
{
	(void)cmd;
	return PRM_CMD_OK;
}

/* The parameter set id identifies the board; programs of the vendor have one for each. */
uint8_t
swhca_cmd_query_adapter(struct swhca_cmd *cmd)
{
	const struct swhca_model_info *info = swhca_model_info_get(cmd->hca->conf.model);
	char psid[PRM_PSID_SIZE] = { 0 };

	snprintf(psid, sizeof(psid), "SWH_%s", info->name);
	memcpy(cmd->out + PRM_QUERY_ADAPTER_OUT_PSID_BYTE, psid, sizeof(psid));
	prm_set(cmd->out, PRM_QUERY_ADAPTER_OUT_IEEE_VENDOR_ID, SWHCA_VENDOR_OUI);
	return PRM_CMD_OK;
}
