/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_CMD_FUNCTION_H
#define SWHCA_CMD_FUNCTION_H

/**
 * @file
 * Common functions of the commands for a function's driver.
 */

#include "cmd/cmd.h"

/**
 * Pages that the device requests before SET_HCA_CAP and before INIT_HCA. The model keeps contexts
 * in its own memory and uses none: it requests enough that a driver uses mailboxes.
 */
#define SWHCA_NB_BOOT_PAGES	64u
#define SWHCA_NB_INIT_PAGES	512u
/** Maximum pages accepted. */
#define SWHCA_MAX_PAGES		65536u

/** Check that a command names the only function. @return Its status. */
uint8_t swhca_cmd_check_function(struct swhca_cmd *cmd);

struct swhca_qp;
/** Check whether a context is of a queue pair 0 or 1, and valid. */
bool swhca_cmd_qp_is_mad(const struct swhca_cmd *cmd, const uint8_t *qpc);
/** Initialize such a queue pair. @return Its status. */
uint8_t swhca_cmd_qp_mad_init(struct swhca_cmd *cmd, struct swhca_qp *qp);

/** Apply the settings of SET_HCA_CAP to a page of current capabilities. */
void swhca_cap_choices_fill(const struct swhca_hca *hca, unsigned int page, uint8_t *cap);
/** Enable the selected settings until the function is reset or disabled. */
void swhca_cap_choices_apply(struct swhca_hca *hca);
/** Fill the maximum capabilities of a page. @return false: no such page. */
bool swhca_cap_max_fill(const struct swhca_hca *hca, unsigned int page, uint8_t *cap);

#endif /* SWHCA_CMD_FUNCTION_H */
