/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Commands of data encryption keys. A device accepts them either in plaintext, or wrapped and in a
 * login session; it never returns them.
 */

#include <openssl/crypto.h>
#include <string.h>

#include "mlx5_prm_crypto.h"
#include "cmd/cmd.h"
#include "cmd/cmd_dek.h"
#include "cmd/cmd_login.h"
#include "mem/bsf/crypto.h"
#include "mem/bsf/dek.h"
#include "object/limits.h"

/* Overhead of AES key wrap (RFC 3394). */
#define WRAP_OVERHEAD 8u

static uint8_t
dek_check_body(struct swhca_cmd *cmd, const uint8_t *body)
{
	uint32_t key_size = (uint32_t)prm_get(body, PRM_DEK_KEY_SIZE);
	uint32_t purpose = (uint32_t)prm_get(body, PRM_DEK_KEY_PURPOSE);

	if (purpose != PRM_DEK_PURPOSE_AES_XTS)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 32,
					"key_purpose %u, only AES-XTS (%u) is modelled", purpose,
					PRM_DEK_PURPOSE_AES_XTS);
	if (key_size > PRM_DEK_KEY_SIZE_256)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 33, "key_size %u, at most %u",
					key_size, PRM_DEK_KEY_SIZE_256);
	if (cmd->hca->conf.has_wrapped_keys && !swhca_login_is_valid(cmd->hca, cmd->uid))
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 34,
					"wrapped keys need a valid login, uid %u has none",
					cmd->uid);
	return PRM_CMD_OK;
}

/* Get key pair and tag, unwrapped if necessary. */
static uint8_t
dek_take_key(struct swhca_cmd *cmd, const uint8_t *body, struct swhca_dek *dek)
{
	const uint8_t *in = body + PRM_DEK_KEY_BYTE;
	uint8_t plain[SWHCA_DEK_MAX_KEY + SWHCA_DEK_KEYTAG];
	size_t half = prm_get(body, PRM_DEK_KEY_SIZE) == PRM_DEK_KEY_SIZE_256 ? 32 : 16;
	size_t len;
	uint8_t status = PRM_CMD_OK;

	dek->key_len = 2 * half;
	dek->has_keytag = prm_get(body, PRM_DEK_HAS_KEYTAG) != 0;
	dek->is_wrapped = cmd->hca->conf.has_wrapped_keys;
	len = dek->key_len + (dek->has_keytag ? SWHCA_DEK_KEYTAG : 0);
	if (!dek->is_wrapped)
		memcpy(plain, in, len);
	else if (swhca_key_unwrap(swhca_login_import_kek(), SWHCA_IMPORT_KEK_SIZE, in,
				  len + WRAP_OVERHEAD, plain) != 0)
		status = swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 35,
					  "%zu bytes of key are not wrapped by the import KEK",
					  len + WRAP_OVERHEAD);
	/* SP 800-38E, FIPS 140: XTS needs two different keys. */
	if (status == PRM_CMD_OK && CRYPTO_memcmp(plain, plain + half, half) == 0)
		status = swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 36,
					  "data key and tweak key are the same");
	if (status == PRM_CMD_OK) {
		memcpy(dek->key, plain, dek->key_len);
		if (dek->has_keytag)
			memcpy(dek->keytag, plain + dek->key_len, sizeof(dek->keytag));
	}
	OPENSSL_cleanse(plain, sizeof(plain));
	return status;
}

uint8_t
swhca_dek_create(struct swhca_cmd *cmd)
{
	const uint8_t *body = cmd->in + PRM_GENERAL_OBJ_IN_BODY_BYTE;
	uint32_t pdn = (uint32_t)prm_get(body, PRM_DEK_PD);
	struct swhca_obj *pd = swhca_cmd_obj(cmd, SWHCA_OBJ_PD, pdn);
	struct swhca_dek *dek;
	uint8_t status;

	status = dek_check_body(cmd, body);
	if (status != PRM_CMD_OK)
		return status;
	if (pd == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES, 37, "PD 0x%x does not exist", pdn);
	dek = swhca_obj_create(cmd->hca, SWHCA_OBJ_DEK, cmd->uid, sizeof(*dek));
	if (dek == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_NO_RES, 38, "%u keys in use",
					cmd->hca->tables[SWHCA_OBJ_DEK].nb_used);
	dek->pd = pd;
	swhca_obj_ref(pd);
	dek->opaque = prm_get(body, PRM_DEK_OPAQUE);
	status = dek_take_key(cmd, body, dek);
	if (status != PRM_CMD_OK) {
		swhca_obj_destroy(cmd->hca, &dek->obj);
		return status;
	}
	prm_set(cmd->out, PRM_GENERAL_OBJ_OUT_OBJ_ID, dek->obj.num);
	return PRM_CMD_OK;
}

uint8_t
swhca_dek_query(struct swhca_cmd *cmd, const struct swhca_obj *obj)
{
	const struct swhca_dek *dek = (const struct swhca_dek *)obj;
	uint8_t *body = cmd->out + PRM_GENERAL_OBJ_OUT_BODY_BYTE;

	if (dek->is_wrapped && !swhca_login_is_valid(cmd->hca, cmd->uid))
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 39,
					"wrapped keys need a valid login, uid %u has none",
					cmd->uid);
	prm_set(body, PRM_DEK_STATE, PRM_DEK_STATE_READY);
	prm_set(body, PRM_DEK_KEY_SIZE,
		dek->key_len == SWHCA_DEK_MAX_KEY ? PRM_DEK_KEY_SIZE_256 : PRM_DEK_KEY_SIZE_128);
	prm_set(body, PRM_DEK_HAS_KEYTAG, dek->has_keytag);
	prm_set(body, PRM_DEK_KEY_PURPOSE, PRM_DEK_PURPOSE_AES_XTS);
	prm_set(body, PRM_DEK_PD, dek->pd->num);
	prm_set(body, PRM_DEK_OPAQUE, dek->opaque);
	return PRM_CMD_OK;
}

void
swhca_crypto_cap_fill(const struct swhca_hca *hca, uint8_t *page)
{
	bool is_wrapped = hca->conf.has_wrapped_keys;

	if (!swhca_model_has(hca->conf.model, SWHCA_FEATURE_CRYPTO))
		return;
	prm_set(page, PRM_CRYPTO_CAP_WRAPPED_OPERATIONAL, is_wrapped);
	prm_set(page, PRM_CRYPTO_CAP_WRAPPED_IMPORT_METHOD,
		is_wrapped ? PRM_CRYPTO_CAP_IMPORT_METHOD_AES_XTS : 0);
	prm_set(page, PRM_CRYPTO_CAP_LOG_MAX_NUM_DEKS, SWHCA_LOG_MAX_DEK);
	prm_set(page, PRM_CRYPTO_CAP_NUM_NV_IMPORT_KEKS, is_wrapped);
	prm_set(page, PRM_CRYPTO_CAP_NUM_NV_CREDENTIALS, is_wrapped);
}
