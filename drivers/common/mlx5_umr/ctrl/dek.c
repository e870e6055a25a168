/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Data encryption keys and logins: general objects of the device with their own commands.
 *
 * The commands set the same fields as libmlx5 (rdma-core, verbs.c); layouts are in
 * mlx5_prm_crypto.h.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

#include <mlx5_prm_cmd.h>
#include <mlx5_prm_crypto.h>

#include "ctrl/devx.h"
#include "ring/device.h"
#include "ctrl/dek.h"
#include "ring/log.h"
#include "ctrl/mr.h"

#define OBJ_IN_SIZE(body)	(PRM_GENERAL_OBJ_IN_BODY_BYTE + (body))
#define OBJ_OUT_SIZE(body)	(PRM_GENERAL_OBJ_OUT_BODY_BYTE + (body))

/* Offset of encryption_key_obj.opaque, which is copied unchanged (rdma-core, mlx5_ifc.h). */
#define DEK_OPAQUE_BYTE		0x30u

static_assert(RTE_UMR_DEK_KEY_MAX <= PRM_DEK_KEY_MAX, "the longest key fits the object");
static_assert(RTE_UMR_CREDENTIAL_LEN == PRM_LOGIN_CREDENTIAL_SIZE, "credential");

int
mlx5_umr_crypto_caps_query(const struct mlx5_umr_device *dev, const void *general_cap,
			   struct mlx5_umr_crypto_caps *caps)
{
	const uint64_t types = prm_get(general_cap, PRM_CAP_GENERAL_OBJ_TYPES);
	uint32_t out[MLX5_UMR_DWORDS(PRM_QUERY_HCA_CAP_OUT_SIZE)];
	const uint8_t *cap = (const uint8_t *)out + PRM_QUERY_HCA_CAP_OUT_CAP_BYTE;
	unsigned int failed;
	int ret;

	*caps = (struct mlx5_umr_crypto_caps){
		.has_multi_block = prm_get(general_cap, PRM_CAP_AES_XTS_MULTI_BLOCK_BE_TWEAK),
		.has_block_4048 = prm_get(general_cap, PRM_CAP_SIG_BLOCK_4048),
	};
	if (!prm_get(general_cap, PRM_CAP_CRYPTO) || !(types & RTE_BIT64(PRM_OBJ_TYPE_DEK)) ||
	    !(caps->has_multi_block ||
	      prm_get(general_cap, PRM_CAP_AES_XTS_SINGLE_BLOCK_LE_TWEAK)))
		return 0;
	ret = mlx5_umr_devx_query_cap_page(dev, PRM_HCA_CAP_PAGE_CRYPTO, out);
	if (ret != 0)
		return ret;
	caps->log_max_dek = prm_get_u8(cap, PRM_CRYPTO_CAP_LOG_MAX_NUM_DEKS);
	caps->is_wrapped = (prm_get(cap, PRM_CRYPTO_CAP_WRAPPED_IMPORT_METHOD) &
			    PRM_CRYPTO_CAP_IMPORT_METHOD_AES_XTS) != 0;
	caps->can_login = (types & RTE_BIT64(PRM_OBJ_TYPE_CRYPTO_LOGIN)) != 0 &&
			  prm_get(cap, PRM_CRYPTO_CAP_WRAPPED_OPERATIONAL);
	failed = prm_get_u32(cap, PRM_CRYPTO_CAP_FAILED_SELFTESTS);
	if (failed != 0)
		MLX5_UMR_DEV_LOG(WARNING, dev->umr_dev->name,
				 "no crypto, its self-tests 0x%x failed", failed);
	caps->has_xts = failed == 0;
	return 0;
}

void
mlx5_umr_crypto_info_get(const struct mlx5_umr_crypto_caps *caps, struct rte_umr_dev_info *info)
{
	if (!caps->has_xts)
		return;
	info->dev_capa |= RTE_UMR_CAPA_MKEY_CRYPTO;
	if (caps->has_multi_block)
		info->dev_capa |= RTE_UMR_CAPA_CRYPTO_MULTI_UNIT;
	if (!caps->is_wrapped)
		info->dev_capa |= RTE_UMR_CAPA_DEK_PLAIN;
	else if (caps->can_login)
		info->dev_capa |= RTE_UMR_CAPA_DEK_WRAPPED;
	info->max_deks = UINT32_C(1) << caps->log_max_dek;
	info->crypto_unit_sizes = RTE_UMR_CRYPTO_UNIT_512 | RTE_UMR_CRYPTO_UNIT_520 |
				  RTE_UMR_CRYPTO_UNIT_4096 | RTE_UMR_CRYPTO_UNIT_4160;
	/* This is a capability of signatures; crypto uses the same selector. */
	if (caps->has_block_4048)
		info->crypto_unit_sizes |= RTE_UMR_CRYPTO_UNIT_4048;
}

/** A DEK or a login. */
struct general_obj {
	const struct mlx5_umr_device *dev;
	struct mlx5dv_devx_obj *obj;
	uint32_t id;
};

/** Create an object of a type; in contains its body, which is secret: it is wiped. */
static int
general_obj_create(const struct mlx5_umr_device *dev, uint32_t type, const char *name, void *in,
		   size_t in_len, struct general_obj **created)
{
	struct general_obj *new = calloc(1, sizeof(*new));
	int ret = -ENOMEM;

	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_CREATE_GENERAL_OBJECT);
	prm_set(in, PRM_GENERAL_OBJ_IN_OBJ_TYPE, type);
	if (new != NULL)
		ret = mlx5_umr_devx_obj_create(dev, name, in, in_len, PRM_GENERAL_OBJ_OUT_OBJ_ID,
					       &new->obj, &new->id);
	explicit_bzero(in, in_len);
	if (ret != 0) {
		free(new);
		return ret;
	}
	new->dev = dev;
	*created = new;
	return 0;
}

static int
general_obj_query(const struct general_obj *obj, uint32_t type, const char *name, void *out,
		  size_t out_len)
{
	uint32_t in[MLX5_UMR_DWORDS(PRM_CMD_SHORT_IN_SIZE)] = { 0 };
	int ret;

	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_QUERY_GENERAL_OBJECT);
	prm_set(in, PRM_GENERAL_OBJ_IN_OBJ_TYPE, type);
	prm_set(in, PRM_GENERAL_OBJ_IN_OBJ_ID, obj->id);
	ret = mlx5dv_devx_obj_query(obj->obj, in, sizeof(in), out, out_len);
	return ret == 0 ? 0 : mlx5_umr_devx_error(obj->dev, name, out, ret > 0 ? ret : errno);
}

static int
general_obj_destroy(struct general_obj *obj, const char *what)
{
	int ret = mlx5_umr_devx_destroy(obj->dev, obj->obj, what);

	if (ret == 0 || mlx5_umr_is_lost(obj->dev))
		free(obj);
	return ret;
}

int
mlx5_umr_crypto_login_create(struct rte_umr_dev *umr_dev,
			     const struct rte_umr_crypto_login_conf *conf, void **login)
{
	uint32_t in[MLX5_UMR_DWORDS(OBJ_IN_SIZE(PRM_LOGIN_SIZE))] = { 0 };
	uint8_t *body = (uint8_t *)in + PRM_GENERAL_OBJ_IN_BODY_BYTE;
	struct general_obj *obj;
	int ret;

	prm_set(body, PRM_LOGIN_CREDENTIAL_POINTER, conf->credential_id);
	prm_set(body, PRM_LOGIN_IMPORT_KEK_PTR, conf->import_kek_id);
	memcpy(body + PRM_LOGIN_CREDENTIAL_BYTE, conf->credential, PRM_LOGIN_CREDENTIAL_SIZE);
	ret = general_obj_create(umr_dev->dev_private, PRM_OBJ_TYPE_CRYPTO_LOGIN,
				 "CREATE_CRYPTO_LOGIN", in, sizeof(in), &obj);
	if (ret == 0)
		*login = obj;
	return ret;
}

int
mlx5_umr_crypto_login_query(void *login, uint8_t *state)
{
	uint32_t out[MLX5_UMR_DWORDS(OBJ_OUT_SIZE(PRM_LOGIN_SIZE))] = { 0 };
	const uint8_t *body = (const uint8_t *)out + PRM_GENERAL_OBJ_OUT_BODY_BYTE;
	const struct general_obj *obj = login;
	unsigned int value;
	int ret;

	ret = general_obj_query(obj, PRM_OBJ_TYPE_CRYPTO_LOGIN, "QUERY_CRYPTO_LOGIN", out,
				sizeof(out));
	if (ret != 0)
		return ret;
	value = prm_get_u32(body, PRM_LOGIN_STATE);
	if (value > PRM_LOGIN_STATE_INVALID) {
		MLX5_UMR_DEV_LOG(ERR, obj->dev->umr_dev->name, "login 0x%x: state %u is not known",
				 obj->id, value);
		return -EINVAL;
	}
	*state = value == PRM_LOGIN_STATE_VALID ? RTE_UMR_CRYPTO_LOGIN_VALID :
						  RTE_UMR_CRYPTO_LOGIN_INVALID;
	return 0;
}

int
mlx5_umr_crypto_login_destroy(void *login)
{
	return general_obj_destroy(login, "crypto login");
}

int
mlx5_umr_dek_create(struct rte_umr_dev *umr_dev, const struct rte_umr_dek_conf *conf,
		    struct rte_umr_dek *dek)
{
	struct mlx5_umr_device *dev = umr_dev->dev_private;
	uint32_t in[MLX5_UMR_DWORDS(OBJ_IN_SIZE(PRM_DEK_SIZE))] = { 0 };
	uint8_t *body = (uint8_t *)in + PRM_GENERAL_OBJ_IN_BODY_BYTE;
	struct general_obj *obj;
	int ret;

	prm_set(body, PRM_DEK_KEY_SIZE, conf->size == RTE_UMR_DEK_256 ? PRM_DEK_KEY_SIZE_256 :
									PRM_DEK_KEY_SIZE_128);
	prm_set(body, PRM_DEK_HAS_KEYTAG, conf->has_keytag);
	prm_set(body, PRM_DEK_KEY_PURPOSE, PRM_DEK_PURPOSE_AES_XTS);
	prm_set(body, PRM_DEK_PD, mlx5_umr_pd_num(dev, conf->pd));
	memcpy(body + DEK_OPAQUE_BYTE, conf->opaque, sizeof(conf->opaque));
	memcpy(body + PRM_DEK_KEY_BYTE, conf->key, conf->key_len);
	ret = general_obj_create(dev, PRM_OBJ_TYPE_DEK, "CREATE_DEK", in, sizeof(in), &obj);
	if (ret != 0)
		return ret;
	dek->id = obj->id;
	dek->driver_private = obj;
	return 0;
}

int
mlx5_umr_dek_query(struct rte_umr_dek *dek, struct rte_umr_dek_attr *attr)
{
	uint32_t out[MLX5_UMR_DWORDS(OBJ_OUT_SIZE(PRM_DEK_SIZE))] = { 0 };
	const uint8_t *body = (const uint8_t *)out + PRM_GENERAL_OBJ_OUT_BODY_BYTE;
	const struct general_obj *obj = dek->driver_private;
	unsigned int state;
	int ret;

	ret = general_obj_query(obj, PRM_OBJ_TYPE_DEK, "QUERY_DEK", out, sizeof(out));
	if (ret != 0)
		return ret;
	state = prm_get_u32(body, PRM_DEK_STATE);
	if (state > PRM_DEK_STATE_ERROR) {
		MLX5_UMR_DEV_LOG(ERR, obj->dev->umr_dev->name, "DEK 0x%x: state %u is not known",
				 obj->id, state);
		return -EINVAL;
	}
	attr->state = state == PRM_DEK_STATE_READY ? RTE_UMR_DEK_READY : RTE_UMR_DEK_ERROR;
	memcpy(attr->opaque, body + DEK_OPAQUE_BYTE, sizeof(attr->opaque));
	return 0;
}

int
mlx5_umr_dek_destroy(struct rte_umr_dek *dek)
{
	return general_obj_destroy(dek->driver_private, "DEK");
}
