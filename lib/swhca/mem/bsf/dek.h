/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_DEK_H
#define SWHCA_DEK_H

/**
 * @file
 * Data encryption keys, and the logins that wrapped ones need.
 */

#include "mem/bsf/bsf.h"
#include "mem/bsf/crypto.h"
#include "mem/mkey.h"
#include "object/object.h"

struct swhca_cmd;

/* Keys: dek.c */
/** @return The key of that number, or NULL. */
const struct swhca_dek *swhca_dek_get(const struct swhca_hca *hca, uint32_t num);
/** Whether a memory key may use the key that its format names. */
enum swhca_fault swhca_dek_check(const struct swhca_hca *hca, const struct swhca_mkey *mkey,
				 const struct swhca_bsf_crypto *crypto);
uint8_t swhca_dek_create(struct swhca_cmd *cmd);
uint8_t swhca_dek_query(struct swhca_cmd *cmd, const struct swhca_obj *obj);
/** The page of crypto capabilities. */
void swhca_crypto_cap_fill(const struct swhca_hca *hca, uint8_t *page);
/** Forget a key before its memory is freed. */
void swhca_dek_fini(struct swhca_dek *dek);

/* Logins: cmd/login.c */
/** Bytes of the import KEK. */
#define SWHCA_IMPORT_KEK_SIZE	32u
/** Key that credentials and keys are wrapped by. */
const uint8_t *swhca_login_import_kek(void);
/** Whether a user context has a session that is valid. */
bool swhca_login_is_valid(const struct swhca_hca *hca, uint16_t uid);
uint8_t swhca_login_create(struct swhca_cmd *cmd);
uint8_t swhca_login_query(struct swhca_cmd *cmd, const struct swhca_obj *obj);

#endif /* SWHCA_DEK_H */
