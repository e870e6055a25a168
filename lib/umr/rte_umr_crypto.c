/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Control path of encryption: data encryption keys and logins. It checks arguments, then calls the
 * driver.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rte_umr_private.h"
#include "rte_umr_trace.h"

/* Identifiers of objects stored in a device have 24 bits. */
#define STORED_ID_MAX 0xffffffu

struct rte_umr_crypto_login {
	struct rte_umr_dev *dev;
	void *driver_private;
};

/** Log a capability that the device lacks. */
static int
capa_check(struct rte_umr_dev *dev, uint64_t capa, const char *what)
{
	struct rte_umr_dev_info info;

	rte_umr_dev_limits_get(dev, &info);
	if ((info.dev_capa & capa) != 0)
		return 0;
	UMR_DEV_LOG(ERR, dev->dev_id, "it has no %s", what);
	return -ENOTSUP;
}

static int
login_conf_check(struct rte_umr_dev *dev, const struct rte_umr_crypto_login_conf *conf)
{
	if (dev == NULL)
		return rte_umr_no_dev("login");
	if (conf == NULL || conf->credential == NULL || !UMR_IS_ZERO(conf->reserved)) {
		UMR_DEV_LOG(ERR, dev->dev_id,
			    "conf or its credential is NULL, or a reserved field is not 0");
		return -EINVAL;
	}
	if (conf->credential_id > STORED_ID_MAX || conf->import_kek_id > STORED_ID_MAX) {
		UMR_DEV_LOG(ERR, dev->dev_id,
			    "credential_id 0x%x, import_kek_id 0x%x, at most 0x%x",
			    conf->credential_id, conf->import_kek_id, STORED_ID_MAX);
		return -EINVAL;
	}
	return capa_check(dev, RTE_UMR_CAPA_DEK_WRAPPED, "login: it takes no wrapped keys");
}

static struct rte_umr_crypto_login *
login_create(int16_t dev_id, const struct rte_umr_crypto_login_conf *conf)
{
	struct rte_umr_dev *dev = rte_umr_dev_get(dev_id);
	struct rte_umr_crypto_login *login = NULL;
	int ret;

	ret = login_conf_check(dev, conf);
	if (ret != 0)
		goto fail;
	ret = -ENOMEM;
	login = rte_umr_object_alloc(UMR_OBJECT_LOGIN, sizeof(*login));
	if (login == NULL)
		goto fail;
	login->dev = dev;
	ret = rte_umr_counted(dev, dev->ops->crypto_login_create(dev, conf,
								 &login->driver_private));
	if (ret != 0)
		goto fail;
	dev->nb_crypto_logins++;
	return login;

fail:
	rte_umr_object_free(login);
	rte_errno = -ret;
	return NULL;
}

struct rte_umr_crypto_login *
rte_umr_crypto_login_create(int16_t dev_id, const struct rte_umr_crypto_login_conf *conf)
{
	struct rte_umr_crypto_login *login = login_create(dev_id, conf);

	if (conf != NULL)
		rte_umr_trace_crypto_login_create(dev_id, conf->credential_id, conf->import_kek_id,
						  login, login != NULL ? 0 : -rte_errno);
	return login;
}

int
rte_umr_crypto_login_query(struct rte_umr_crypto_login *login, uint8_t *state)
{
	int ret;

	if (login == NULL || state == NULL) {
		UMR_LOG(ERR, "login or state is NULL");
		return -EINVAL;
	}
	if (rte_umr_is_secondary("login"))
		return -EPERM;
	ret = rte_umr_object_check(UMR_OBJECT_LOGIN, login);
	if (ret != 0)
		return ret;
	return rte_umr_counted(login->dev, login->dev->ops->crypto_login_query(
						   login->driver_private, state));
}

static int
login_destroy(struct rte_umr_crypto_login *login)
{
	int ret;

	if (login == NULL)
		return 0;
	if (rte_umr_is_secondary("login"))
		return -EPERM;
	ret = rte_umr_object_check(UMR_OBJECT_LOGIN, login);
	if (ret != 0)
		return ret;
	ret = rte_umr_given_back(login->dev,
				 login->dev->ops->crypto_login_destroy(login->driver_private));
	if (ret != 0)
		return ret;
	login->dev->nb_crypto_logins--;
	rte_umr_object_free(login);
	return 0;
}

int
rte_umr_crypto_login_destroy(struct rte_umr_crypto_login *login)
{
	const uintptr_t id = (uintptr_t)login;
	int ret = login_destroy(login);

	rte_umr_trace_crypto_login_destroy(id, ret);
	return ret;
}

/** Size of each of the two AES keys. */
static uint32_t
aes_key_len(uint8_t size)
{
	return size == RTE_UMR_DEK_256 ? 32 : 16;
}

/** Check the length of key material. */
static int
dek_key_check(const struct rte_umr_dev *dev, const struct rte_umr_dek_conf *conf)
{
	const uint8_t *key = conf->key;
	uint32_t half, len;

	if (conf->size != RTE_UMR_DEK_128 && conf->size != RTE_UMR_DEK_256) {
		UMR_DEV_LOG(ERR, dev->dev_id, "size of a DEK is %u, none of enum rte_umr_dek_size",
			    conf->size);
		return -EINVAL;
	}
	half = aes_key_len(conf->size);
	len = 2 * half + (conf->has_keytag ? RTE_UMR_KEYTAG_LEN : 0) +
	      (conf->login != NULL ? RTE_UMR_KEY_WRAP_LEN : 0);
	if (conf->key_len != len) {
		UMR_DEV_LOG(ERR, dev->dev_id,
			    "key_len is %u, %u are needed for %s keys of %u bits%s", conf->key_len,
			    len, conf->login != NULL ? "wrapped" : "plain", half * 8,
			    conf->has_keytag ? " with a tag" : "");
		return -EINVAL;
	}
	/* XTS requires two different keys (SP 800-38E); only the device can check wrapped keys. */
	if (conf->login == NULL && memcmp(key, key + half, half) == 0) {
		UMR_DEV_LOG(ERR, dev->dev_id, "both AES keys of a DEK are the same");
		return -EINVAL;
	}
	return 0;
}

static int
dek_conf_check(struct rte_umr_dev *dev, const struct rte_umr_dek_conf *conf)
{
	int ret;

	if (dev == NULL)
		return rte_umr_no_dev("data encryption key");
	if (conf == NULL || conf->key == NULL || !UMR_IS_ZERO(conf->reserved) ||
	    !UMR_IS_ZERO(conf->reserved2)) {
		UMR_DEV_LOG(ERR, dev->dev_id,
			    "conf or its key is NULL, or a reserved field is not 0");
		return -EINVAL;
	}
	if (!rte_umr_pd_is_of(conf->pd, dev->dev_id))
		return -EINVAL;
	ret = capa_check(dev, RTE_UMR_CAPA_MKEY_CRYPTO, "crypto");
	if (ret != 0)
		return ret;
	if (conf->login == NULL)
		ret = capa_check(dev, RTE_UMR_CAPA_DEK_PLAIN, "plain keys: it needs a login");
	else
		ret = capa_check(dev, RTE_UMR_CAPA_DEK_WRAPPED, "wrapped keys");
	if (ret != 0)
		return ret;
	if (conf->login != NULL && rte_umr_object_check(UMR_OBJECT_LOGIN, conf->login) != 0)
		return -EINVAL;
	if (conf->login != NULL && conf->login->dev != dev) {
		UMR_DEV_LOG(ERR, dev->dev_id, "the login belongs to %s", conf->login->dev->name);
		return -EXDEV;
	}
	return dek_key_check(dev, conf);
}

static struct rte_umr_dek *
dek_create(int16_t dev_id, const struct rte_umr_dek_conf *conf)
{
	struct rte_umr_dev *dev = rte_umr_dev_get(dev_id);
	struct rte_umr_dek *dek = NULL;
	int ret;

	ret = dek_conf_check(dev, conf);
	if (ret != 0)
		goto fail;
	ret = -ENOMEM;
	dek = rte_umr_object_alloc(UMR_OBJECT_DEK, sizeof(*dek));
	if (dek == NULL)
		goto fail;
	*dek = (struct rte_umr_dek){
		.dev_id = dev_id,
		.size = conf->size,
		.state = RTE_UMR_DEK_READY,
		.has_keytag = conf->has_keytag,
		.is_wrapped = conf->login != NULL,
		.pd = conf->pd,
	};
	ret = rte_umr_counted(dev, dev->ops->dek_create(dev, conf, dek));
	if (ret != 0)
		goto fail;
	rte_umr_pd_ref(dek->pd);
	__atomic_fetch_add(&dev->nb_deks, 1, __ATOMIC_RELAXED);
	return dek;

fail:
	rte_umr_object_free(dek);
	rte_errno = -ret;
	return NULL;
}

struct rte_umr_dek *
rte_umr_dek_create(int16_t dev_id, const struct rte_umr_dek_conf *conf)
{
	struct rte_umr_dek *dek = dek_create(dev_id, conf);

	if (conf != NULL)
		rte_umr_trace_dek_create(dev_id, conf, dek, dek != NULL ? dek->id : 0,
					 dek != NULL ? 0 : -rte_errno);
	return dek;
}

int
rte_umr_dek_query(struct rte_umr_dek *dek, struct rte_umr_dek_attr *attr)
{
	struct rte_umr_dek_attr now = { 0 };
	int ret;

	if (dek == NULL || attr == NULL) {
		UMR_LOG(ERR, "dek or attr is NULL");
		return -EINVAL;
	}
	if (rte_umr_is_secondary("data encryption key"))
		return -EPERM;
	ret = rte_umr_object_check(UMR_OBJECT_DEK, dek);
	if (ret != 0)
		return ret;
	ret = rte_umr_dev_get(dek->dev_id)->ops->dek_query(dek, &now);
	if (ret != 0)
		return ret;
	dek->state = now.state;
	*attr = now;
	return 0;
}

static int
dek_destroy(struct rte_umr_dek *dek)
{
	struct rte_umr_dev *dev;
	int ret;

	if (dek == NULL)
		return 0;
	if (rte_umr_is_secondary("data encryption key"))
		return -EPERM;
	ret = rte_umr_object_check(UMR_OBJECT_DEK, dek);
	if (ret != 0)
		return ret;
	dev = rte_umr_dev_get(dek->dev_id);
	ret = rte_umr_given_back(dev, dev->ops->dek_destroy(dek));
	if (ret != 0)
		return ret;
	rte_umr_pd_unref(dek->pd);
	__atomic_fetch_sub(&dev->nb_deks, 1, __ATOMIC_RELAXED);
	rte_umr_object_free(dek);
	return 0;
}

int
rte_umr_dek_destroy(struct rte_umr_dek *dek)
{
	const uintptr_t id = (uintptr_t)dek;
	int ret = dek_destroy(dek);

	rte_umr_trace_dek_destroy(id, ret);
	return ret;
}
