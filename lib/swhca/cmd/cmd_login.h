/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_CMD_LOGIN_H
#define SWHCA_CMD_LOGIN_H

/**
 * @file
 * Login sessions, which allow wrapped data encryption keys.
 */

#include "cmd/cmd.h"

/** Size of the import KEK in bytes. */
#define SWHCA_IMPORT_KEK_SIZE	32u
/** Key that wraps credentials and keys. */
const uint8_t *swhca_login_import_kek(void);
/** Check whether a user context has a valid session. */
bool swhca_login_is_valid(const struct swhca_hca *hca, uint16_t uid);
uint8_t swhca_login_create(struct swhca_cmd *cmd);
uint8_t swhca_login_query(struct swhca_cmd *cmd, const struct swhca_obj *obj);

#endif /* SWHCA_CMD_LOGIN_H */
