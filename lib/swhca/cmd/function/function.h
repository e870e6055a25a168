/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_CMD_FUNCTION_FUNCTION_H
#define SWHCA_CMD_FUNCTION_FUNCTION_H

/**
 * @file
 * What the commands of a function's driver share.
 */

#include "cmd/cmd.h"

/**
 * Pages that the device asks for, before SET_HCA_CAP and before INIT_HCA. The model keeps contexts
 * in memory of its own and touches none: it asks for as many as make a driver use mailboxes.
 */
#define SWHCA_NB_BOOT_PAGES	64u
#define SWHCA_NB_INIT_PAGES	512u
/** Most that it takes. */
#define SWHCA_MAX_PAGES		65536u

/** A command names the one function that there is. @return Its status. */
uint8_t swhca_cmd_check_function(struct swhca_cmd *cmd);

struct swhca_qp;
/** Whether a context is that of a queue pair 0 or 1, and may be. */
bool swhca_cmd_qp_is_mad(const struct swhca_cmd *cmd, const uint8_t *qpc);
/** Make a queue pair with such a context one. @return Its status. */
uint8_t swhca_cmd_qp_mad_init(struct swhca_cmd *cmd, struct swhca_qp *qp);

/** Put what SET_HCA_CAP has chosen into a page of current capabilities. */
void swhca_cap_choices_fill(const struct swhca_hca *hca, unsigned int page, uint8_t *cap);
/** Have what it has chosen, until the function is reset or disabled. */
void swhca_cap_choices_apply(struct swhca_hca *hca);
/** Capabilities of a page, the most that there is. @return false: no such page. */
bool swhca_cap_max_fill(const struct swhca_hca *hca, unsigned int page, uint8_t *cap);

#endif /* SWHCA_CMD_FUNCTION_FUNCTION_H */
