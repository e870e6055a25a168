/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Login sessions: a user that presents the device's credential, wrapped by its import KEK, may set
 * wrapped data encryption keys.
 *
 * An adapter gets both from its crypto officer; the model has built-in ones. They are published
 * (devtools/check/crypto-test-info.py, guide of the software HCA), as the data that they protect is
 * in the memory of the program that uses them.
 */

#include <openssl/crypto.h>
#include <string.h>

#include "mlx5_prm_crypto.h"
#include "cmd/cmd.h"
#include "cmd/cmd_login.h"
#include "mem/bsf/crypto.h"

#define NB_CREDENTIALS 1u

static const char import_kek[SWHCA_IMPORT_KEK_SIZE + 1] = "swhca-import-kek-0123456789abcde";
static const char credential[] = "swhca-credential-0123456789abcdefghijklm";

_Static_assert(sizeof(credential) - 1 == PRM_LOGIN_CREDENTIAL_SIZE - 8, "a credential is 40 bytes");

const uint8_t *
swhca_login_import_kek(void)
{
	return (const uint8_t *)import_kek;
}

bool
swhca_login_is_valid(const struct swhca_hca *hca, uint16_t uid)
{
	const struct swhca_table *logins = &hca->tables[SWHCA_OBJ_LOGIN];
	uint32_t i;

	if (hca->is_credential_deleted)
		return false;
	for (i = 0; i < logins->nb_slots; i++) {
		if (logins->slots[i] != NULL && logins->slots[i]->uid == uid)
			return true;
	}
	return false;
}

uint8_t
swhca_login_create(struct swhca_cmd *cmd)
{
	const uint8_t *body = cmd->in + PRM_GENERAL_OBJ_IN_BODY_BYTE;
	uint32_t cred_id = (uint32_t)prm_get(body, PRM_LOGIN_CREDENTIAL_POINTER);
	uint32_t kek_id = (uint32_t)prm_get(body, PRM_LOGIN_IMPORT_KEK_PTR);
	uint8_t plain[PRM_LOGIN_CREDENTIAL_SIZE];
	struct swhca_obj *obj;
	bool is_right;

	if (!cmd->hca->conf.has_wrapped_keys)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 21,
					"the device imports keys in plaintext");
	if (cred_id >= NB_CREDENTIALS || kek_id >= NB_CREDENTIALS ||
	    cmd->hca->is_credential_deleted)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 22,
					"credential %u, import KEK %u: the device has %u of each",
					cred_id, kek_id,
					cmd->hca->is_credential_deleted ? 0 : NB_CREDENTIALS);
	is_right = swhca_key_unwrap(swhca_login_import_kek(), SWHCA_IMPORT_KEK_SIZE,
				    body + PRM_LOGIN_CREDENTIAL_BYTE, PRM_LOGIN_CREDENTIAL_SIZE,
				    plain) == 0 &&
		   CRYPTO_memcmp(plain, credential, sizeof(credential) - 1) == 0;
	OPENSSL_cleanse(plain, sizeof(plain));
	if (!is_right)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 23, "wrong credential, or wrapped"
					" by another key");
	obj = swhca_obj_create(cmd->hca, SWHCA_OBJ_LOGIN, cmd->uid, sizeof(*obj));
	if (obj == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_NO_RES, 24, "%u logins in use",
					cmd->hca->tables[SWHCA_OBJ_LOGIN].nb_used);
	prm_set(cmd->out, PRM_GENERAL_OBJ_OUT_OBJ_ID, obj->num);
	return PRM_CMD_OK;
}

uint8_t
swhca_login_query(struct swhca_cmd *cmd, const struct swhca_obj *obj)
{
	uint8_t *body = cmd->out + PRM_GENERAL_OBJ_OUT_BODY_BYTE;

	(void)obj;
	prm_set(body, PRM_LOGIN_STATE,
		cmd->hca->is_credential_deleted ? PRM_LOGIN_STATE_INVALID : PRM_LOGIN_STATE_VALID);
	return PRM_CMD_OK;
}
