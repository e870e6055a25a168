/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_CMD_LOGIN_H
#define SWHCA_CMD_LOGIN_H

/**
 * @file
 * Login sessions: who has one may bring wrapped data encryption keys.
 */

#include "cmd/cmd.h"

/** Bytes of the import KEK. */
#define SWHCA_IMPORT_KEK_SIZE	32u
/** Key that credentials and keys are wrapped by. */
const uint8_t *swhca_login_import_kek(void);
/** Whether a user context has a session that is valid. */
bool swhca_login_is_valid(const struct swhca_hca *hca, uint16_t uid);
uint8_t swhca_login_create(struct swhca_cmd *cmd);
uint8_t swhca_login_query(struct swhca_cmd *cmd, const struct swhca_obj *obj);

#endif /* SWHCA_CMD_LOGIN_H */
