/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * General objects: CREATE, MODIFY, QUERY and DESTROY_GENERAL_OBJECT of every obj_type.
 *
 * Each supported type is a row here; the capability general_obj_types is derived from the rows.
 */

#include "mlx5_prm_crypto.h"
#include "mlx5_prm_dc.h"
#include "mlx5_prm_qos.h"
#include "cmd/cmd_av_map.h"
#include "cmd/cmd.h"
#include "cmd/cmd_dek.h"
#include "cmd/cmd_general.h"
#include "cmd/cmd_handlers.h"
#include "cmd/cmd_login.h"
#include "cmd/cmd_reserved_qpn.h"
#include "cmd/cmd_sched.h"

/* Operations of a type. A handler that is NULL rejects the command. */
struct general_type {
	uint16_t obj_type;
	uint16_t body_size;	/* bytes after the header, of the input and of a query's output */
	enum swhca_obj_type type;
	bool is_crypto;		/* only in models with crypto */
	const char *name;
	uint8_t (*create)(struct swhca_cmd *cmd);
	uint8_t (*modify)(struct swhca_cmd *cmd, struct swhca_obj *obj);
	uint8_t (*query)(struct swhca_cmd *cmd, const struct swhca_obj *obj);
	void (*release)(struct swhca_hca *hca, struct swhca_obj *obj);	/* before destruction */
};

static const struct general_type general_types[] = {
	{ PRM_OBJ_TYPE_DEK, PRM_DEK_SIZE, SWHCA_OBJ_DEK, true, "data encryption key",
	  swhca_dek_create, NULL, swhca_dek_query, NULL },
	{ PRM_OBJ_TYPE_CRYPTO_LOGIN, PRM_LOGIN_SIZE, SWHCA_OBJ_LOGIN, true, "crypto login",
	  swhca_login_create, NULL, swhca_login_query, NULL },
	{ PRM_OBJ_TYPE_SCHEDULING_ELEMENT, PRM_SCHED_ELEM_SIZE, SWHCA_OBJ_SCHED, false,
	  "scheduling element", swhca_sched_create, swhca_sched_modify, swhca_sched_query,
	  swhca_sched_release },
	{ PRM_OBJ_TYPE_AV_QP_MAPPING, PRM_AV_QP_MAPPING_SIZE, SWHCA_OBJ_AV_MAP, false,
	  "AV mapping", swhca_av_map_create, NULL, swhca_av_map_query, NULL },
	{ PRM_OBJ_TYPE_RESERVED_QPN, PRM_RESERVED_QPN_SIZE, SWHCA_OBJ_RESERVED_QPN, false,
	  "reserved QPN", swhca_reserved_qpn_create, NULL, swhca_reserved_qpn_query, NULL },
};

#define NB_GENERAL_TYPES (sizeof(general_types) / sizeof(general_types[0]))

/* Check whether the model supports a type. */
static bool
has_type(const struct swhca_hca *hca, const struct general_type *type)
{
	return !type->is_crypto || swhca_model_has(hca->conf.model, SWHCA_FEATURE_CRYPTO);
}

static const struct general_type *
general_type_find(const struct swhca_hca *hca, uint64_t obj_type)
{
	size_t i;

	for (i = 0; i < NB_GENERAL_TYPES; i++) {
		if (general_types[i].obj_type == obj_type && has_type(hca, &general_types[i]))
			return &general_types[i];
	}
	return NULL;
}

uint64_t
swhca_general_obj_types(const struct swhca_hca *hca)
{
	uint64_t types = 0;
	size_t i;

	/* The capability has a bit for each type below 64. */
	for (i = 0; i < NB_GENERAL_TYPES; i++) {
		if (general_types[i].obj_type < 64 && has_type(hca, &general_types[i]))
			types |= UINT64_C(1) << general_types[i].obj_type;
	}
	return types;
}

/* Find the type and, unless it is created, the object of a command. */
static uint8_t
general_find(struct swhca_cmd *cmd, const struct general_type **type, struct swhca_obj **obj)
{
	uint32_t obj_type = (uint32_t)prm_get(cmd->in, PRM_GENERAL_OBJ_IN_OBJ_TYPE);
	uint32_t num = (uint32_t)prm_get(cmd->in, PRM_GENERAL_OBJ_IN_OBJ_ID);

	*type = general_type_find(cmd->hca, obj_type);
	if (*type == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 101,
					"object type 0x%x is not modelled", obj_type);
	if (obj == NULL)
		return PRM_CMD_OK;
	*obj = swhca_cmd_obj(cmd, (*type)->type, num);
	if (*obj == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES, 102, "%s 0x%x does not exist",
					(*type)->name, num);
	return PRM_CMD_OK;
}

static uint8_t
general_check_input(struct swhca_cmd *cmd, const struct general_type *type)
{
	size_t size = PRM_GENERAL_OBJ_IN_BODY_BYTE + type->body_size;

	if (cmd->in_len < size)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_INP_LEN, 103,
					"%s: input of %zu bytes, at least %zu", type->name,
					cmd->in_len, size);
	return PRM_CMD_OK;
}

uint8_t
swhca_cmd_create_general_object(struct swhca_cmd *cmd)
{
	const struct general_type *type;
	uint8_t status;

	status = general_find(cmd, &type, NULL);
	if (status == PRM_CMD_OK)
		status = general_check_input(cmd, type);
	if (status != PRM_CMD_OK)
		return status;
	if (prm_get(cmd->in, PRM_GENERAL_OBJ_IN_LOG_OBJ_RANGE) != 0)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 104, "%s: not in ranges",
					type->name);
	cmd->type = type->type;
	return type->create(cmd);
}

uint8_t
swhca_cmd_modify_general_object(struct swhca_cmd *cmd)
{
	const struct general_type *type;
	struct swhca_obj *obj;
	uint8_t status;

	status = general_find(cmd, &type, &obj);
	if (status == PRM_CMD_OK)
		status = general_check_input(cmd, type);
	if (status != PRM_CMD_OK)
		return status;
	if (type->modify == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_OP, 105, "%s: cannot be modified",
					type->name);
	return type->modify(cmd, obj);
}

uint8_t
swhca_cmd_query_general_object(struct swhca_cmd *cmd)
{
	const struct general_type *type;
	struct swhca_obj *obj;
	uint8_t status;

	status = general_find(cmd, &type, &obj);
	if (status != PRM_CMD_OK)
		return status;
	if (type->query == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_OP, 106, "%s: cannot be queried",
					type->name);
	if (cmd->out_len < PRM_GENERAL_OBJ_OUT_BODY_BYTE + (size_t)type->body_size)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_OUTP_LEN, 107,
					"%s: output of %zu bytes, at least %u", type->name,
					cmd->out_len,
					PRM_GENERAL_OBJ_OUT_BODY_BYTE + type->body_size);
	prm_set(cmd->out, PRM_GENERAL_OBJ_OUT_OBJ_ID, obj->num);
	return type->query(cmd, obj);
}

uint8_t
swhca_cmd_destroy_general_object(struct swhca_cmd *cmd)
{
	const struct general_type *type;
	struct swhca_obj *obj;
	uint8_t status;

	status = general_find(cmd, &type, &obj);
	if (status != PRM_CMD_OK)
		return status;
	if (!swhca_cmd_may_destroy(cmd, obj))
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES, 109, "%s 0x%x is the kernel's",
					type->name, obj->num);
	if (type->release != NULL)
		type->release(cmd->hca, obj);
	if (obj->nb_refs != 0)
		return swhca_cmd_reject(cmd, PRM_CMD_RES_BUSY, 108, "%s 0x%x has %u users",
					type->name, obj->num, obj->nb_refs);
	swhca_obj_destroy(cmd->hca, obj);
	return PRM_CMD_OK;
}
