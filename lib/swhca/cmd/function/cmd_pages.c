/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Pages of the host for contexts of the device. */

#include <endian.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "cmd/function/cmd_function.h"
#include "cmd/cmd_handlers.h"

/* Number of pages that the device does not need now. */
static uint32_t
nb_spare(const struct swhca_hca *hca)
{
	uint32_t nb_needed = hca->function.state == SWHCA_FUNCTION_READY ?
				     SWHCA_NB_BOOT_PAGES + SWHCA_NB_INIT_PAGES :
				     0;

	return hca->function.nb_pages > nb_needed ? hca->function.nb_pages - nb_needed : 0;
}

uint8_t
swhca_cmd_query_pages(struct swhca_cmd *cmd)
{
	unsigned int op_mod = (unsigned int)prm_get(cmd->in, PRM_CMD_IN_OP_MOD);
	uint8_t status = swhca_cmd_check_function(cmd);
	uint32_t nb;

	if (status != PRM_CMD_OK)
		return status;
	switch (op_mod) {
	case PRM_QUERY_PAGES_OP_MOD_BOOT:
		nb = SWHCA_NB_BOOT_PAGES;
		break;
	case PRM_QUERY_PAGES_OP_MOD_INIT:
		nb = SWHCA_NB_INIT_PAGES;
		break;
	case PRM_QUERY_PAGES_OP_MOD_REGULAR:
		/* Negative: pages that may be returned to the host. */
		nb = 0u - nb_spare(cmd->hca);
		break;
	default:
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 1, "op_mod %u", op_mod);
	}
	prm_set(cmd->out, PRM_QUERY_PAGES_OUT_NUM_PAGES, nb);
	return PRM_CMD_OK;
}

static uint8_t
room_make(struct swhca_cmd *cmd, uint32_t nb)
{
	struct swhca_function *function = &cmd->hca->function;
	uint64_t *pages;

	if (nb > SWHCA_MAX_PAGES - function->nb_pages)
		return swhca_cmd_reject(cmd, PRM_CMD_EXCEED_LIM, 3,
					"%u pages and %u more, at most %u", function->nb_pages, nb,
					SWHCA_MAX_PAGES);
	nb += function->nb_pages;
	if (nb <= function->max_pages)
		return PRM_CMD_OK;
	pages = realloc(function->pages, nb * sizeof(*pages));
	if (pages == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_NO_RES, 4, "no memory for %u pages", nb);
	function->pages = pages;
	function->max_pages = nb;
	return PRM_CMD_OK;
}

static uint8_t
pages_give(struct swhca_cmd *cmd, uint32_t nb)
{
	struct swhca_function *function = &cmd->hca->function;
	size_t room = (cmd->in_len - PRM_MANAGE_PAGES_IN_PAS_BYTE) / sizeof(uint64_t);
	const uint8_t *pas = cmd->in + PRM_MANAGE_PAGES_IN_PAS_BYTE;
	uint8_t status;
	uint64_t page;
	uint32_t i;

	if (nb > room)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_INP_LEN, 2, "%u pages, mailbox of %zu", nb,
					room);
	status = room_make(cmd, nb);
	if (status != PRM_CMD_OK)
		return status;
	for (i = 0; i < nb; i++) {
		memcpy(&page, pas + i * sizeof(page), sizeof(page));
		page = be64toh(page);
		/* Linux: alloc_system_page(), no page at 0. */
		if (page == 0 || page % PRM_ADAPTER_PAGE_SIZE != 0)
			return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 5,
						"page %u of %u is at 0x%" PRIx64, i, nb, page);
		function->pages[function->nb_pages + i] = page;
	}
	/* All of them or none. */
	function->nb_pages += nb;
	return PRM_CMD_OK;
}

static uint8_t
pages_take(struct swhca_cmd *cmd, uint32_t nb)
{
	struct swhca_function *function = &cmd->hca->function;
	size_t room = (cmd->out_len - PRM_MANAGE_PAGES_OUT_PAS_BYTE) / sizeof(uint64_t);
	uint8_t *pas = cmd->out + PRM_MANAGE_PAGES_OUT_PAS_BYTE;
	uint64_t be;
	uint32_t i;

	if (nb > room)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_OUTP_LEN, 6, "%u pages, mailbox of %zu",
					nb, room);
	if (nb > nb_spare(cmd->hca))
		nb = nb_spare(cmd->hca);
	for (i = 0; i < nb; i++) {
		be = htobe64(function->pages[--function->nb_pages]);
		memcpy(pas + i * sizeof(be), &be, sizeof(be));
	}
	prm_set(cmd->out, PRM_MANAGE_PAGES_OUT_OUTPUT_NUM_ENTRIES, nb);
	return PRM_CMD_OK;
}

uint8_t
swhca_cmd_manage_pages(struct swhca_cmd *cmd)
{
	uint32_t nb = (uint32_t)prm_get(cmd->in, PRM_MANAGE_PAGES_IN_INPUT_NUM_ENTRIES);
	unsigned int op_mod = (unsigned int)prm_get(cmd->in, PRM_CMD_IN_OP_MOD);
	uint8_t status = swhca_cmd_check_function(cmd);

	if (status != PRM_CMD_OK)
		return status;
	if (cmd->hca->function.state == SWHCA_FUNCTION_DISABLED)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_SYS_STATE, 7, "before ENABLE_HCA");
	switch (op_mod) {
	case PRM_MANAGE_PAGES_OP_MOD_CANT_GIVE:
		SWHCA_LOG(WARNING, "%s: the host cannot give pages", cmd->name);
		return PRM_CMD_OK;
	case PRM_MANAGE_PAGES_OP_MOD_GIVE:
		return pages_give(cmd, nb);
	case PRM_MANAGE_PAGES_OP_MOD_TAKE:
		return pages_take(cmd, nb);
	default:
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 1, "op_mod %u", op_mod);
	}
}
