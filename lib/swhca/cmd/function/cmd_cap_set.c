/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * SET_HCA_CAP: a driver selects from the supported capabilities (Linux: set_hca_cap()).
 *
 * It passes whole pages, copied from the current one. Fields that are not listed here cannot be
 * selected, and their values are ignored.
 */

#include "cmd/function/cmd_function.h"
#include "cmd/cmd_handlers.h"

struct cap_choice {
	const char *name;
	unsigned int page;
	struct prm_field field;
	uint32_t min;
	bool is_off;	/* off unless selected */
};

#define CHOICE(cap_page, cap, lowest)                                                              \
	{ #cap, PRM_HCA_CAP_PAGE_##cap_page, PRM_CAP_##cap, lowest, false }
#define CHOICE_OFF(cap_page, cap)                                                                  \
	{ #cap, PRM_HCA_CAP_PAGE_##cap_page, PRM_CAP_##cap, 0, true }

/* From min to the value in the maximum page. */
static const struct cap_choice choices[] = {
	CHOICE(GENERAL, LOG_MAX_QP, 1),
	CHOICE(GENERAL, PKEY_TABLE_SIZE, 0),
	CHOICE(GENERAL, CMDIF_CHECKSUM, 0),
	CHOICE(GENERAL, LOG_UAR_PAGE_SZ, 0),
	CHOICE(GENERAL, CACHE_LINE_128BYTE, 0),
	CHOICE(GENERAL, DCT, 0),
	CHOICE(GENERAL, ROCE, 0),
	CHOICE_OFF(ODP, ODP_MEM_PAGE_FAULT),
	CHOICE(ATOMIC, ATOMIC_ATOMIC_REQ_8B_ENDIANNESS_MODE, 0),
	CHOICE(ROCE, ROCE_SW_R_ROCE_SRC_UDP_PORT, 0),
};

#define NB_CHOICES (sizeof(choices) / sizeof(choices[0]))

_Static_assert(NB_CHOICES == SWHCA_NB_CAP_CHOICES, "a place for each");

void
swhca_cap_choices_fill(const struct swhca_hca *hca, unsigned int page, uint8_t *cap)
{
	size_t i;

	for (i = 0; i < NB_CHOICES; i++) {
		if (choices[i].page == page &&
		    (hca->function.has_choice[i] || (choices[i].is_off && hca->conf.has_driver)))
			prm_set(cap, choices[i].field, hca->function.choices[i]);
	}
}

void
swhca_cap_choices_apply(struct swhca_hca *hca)
{
	uint8_t cap[PRM_SET_HCA_CAP_IN_SIZE - PRM_SET_HCA_CAP_IN_CAP_BYTE] = { 0 };

	swhca_cap_max_fill(hca, PRM_HCA_CAP_PAGE_GENERAL, cap);
	swhca_cap_choices_fill(hca, PRM_HCA_CAP_PAGE_GENERAL, cap);
	hca->tables[SWHCA_OBJ_QP].max = 1u << prm_get(cap, PRM_CAP_LOG_MAX_QP);
	memset(cap, 0, sizeof(cap));
	swhca_cap_choices_fill(hca, PRM_HCA_CAP_PAGE_ODP, cap);
	hca->page_faults.by_memory = prm_get(cap, PRM_CAP_ODP_MEM_PAGE_FAULT) != 0;
}

uint8_t
swhca_cmd_set_hca_cap(struct swhca_cmd *cmd)
{
	unsigned int page = (unsigned int)prm_get(cmd->in, PRM_CMD_IN_OP_MOD) >> 1;
	const uint8_t *cap = cmd->in + PRM_SET_HCA_CAP_IN_CAP_BYTE;
	uint8_t max[PRM_SET_HCA_CAP_IN_SIZE - PRM_SET_HCA_CAP_IN_CAP_BYTE] = { 0 };
	struct swhca_function *function = &cmd->hca->function;
	uint32_t value, limit;
	size_t i;

	if (function->state != SWHCA_FUNCTION_ENABLED)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_SYS_STATE, 1,
					"not between ENABLE_HCA and INIT_HCA");
	if (prm_get(cmd->in, PRM_SET_HCA_CAP_IN_OTHER_FUNCTION) != 0)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 2, "of another function");
	if (!swhca_cap_max_fill(cmd->hca, page, max))
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 3, "no capability page 0x%x", page);
	for (i = 0; i < NB_CHOICES; i++) {
		value = (uint32_t)prm_get(cap, choices[i].field);
		limit = (uint32_t)prm_get(max, choices[i].field);
		if (choices[i].page == page && (value < choices[i].min || value > limit))
			return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 4, "%s %u: not in %u to %u",
						choices[i].name, value, choices[i].min, limit);
	}
	for (i = 0; i < NB_CHOICES; i++) {
		if (choices[i].page != page)
			continue;
		function->has_choice[i] = true;
		function->choices[i] = (uint32_t)prm_get(cap, choices[i].field);
	}
	return PRM_CMD_OK;
}
