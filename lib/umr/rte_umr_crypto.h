/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef RTE_UMR_CRYPTO_H
#define RTE_UMR_CRYPTO_H

/**
 * @file
 *
 * Data encryption keys, and logins to create them. Included by rte_umr.h, which describes the
 * model.
 *
 * A data encryption key (DEK) is created in the device once; memory keys of pools with
 * RTE_UMR_MKEY_POOL_F_CRYPTO are then configured with it (rte_umr_mkey.h).
 *
 * A device accepts keys in one of two forms, set in its firmware and reported by its capabilities:
 * as plaintext (RTE_UMR_CAPA_DEK_PLAIN), or, while a login is valid, wrapped by a key (the import
 * KEK) that a crypto officer has stored in the device (RTE_UMR_CAPA_DEK_WRAPPED). DEKs never leave
 * the device and are lost when it is closed.
 */

#include <stdbool.h>
#include <stdint.h>

#include <rte_compat.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Bytes of a key tag. */
#define RTE_UMR_KEYTAG_LEN 8

/** Bytes of opaque data of a DEK's owner. */
#define RTE_UMR_DEK_OPAQUE_LEN 8

/** Largest key of a DEK, in bytes: 2 keys of 256 bits, with a tag, wrapped. */
#define RTE_UMR_DEK_KEY_MAX 80

/** Bytes that AES key wrap (RFC 3394) adds to a key. */
#define RTE_UMR_KEY_WRAP_LEN 8

/** Bytes of a wrapped credential. */
#define RTE_UMR_CREDENTIAL_LEN 48

/** Bits of each of the two AES keys of a DEK. */
enum rte_umr_dek_size {
	RTE_UMR_DEK_128 = 0, /**< AES-128-XTS. */
	RTE_UMR_DEK_256, /**< AES-256-XTS. */
};

/** State of a DEK. */
enum rte_umr_dek_state {
	RTE_UMR_DEK_READY = 0, /**< It can be used. */
	RTE_UMR_DEK_ERROR, /**< The device lost it: destroy it and create it again. */
};

/** State of a login. */
enum rte_umr_crypto_login_state {
	RTE_UMR_CRYPTO_LOGIN_VALID = 0, /**< Wrapped DEKs can be created and queried. */
	/** Its credential or its import KEK was deleted: destroy it. */
	RTE_UMR_CRYPTO_LOGIN_INVALID,
};

/** Configuration of a login. */
struct rte_umr_crypto_login_conf {
	uint32_t credential_id; /**< Identifier of the credential in the device, 24 bits. */
	uint32_t import_kek_id; /**< Identifier of the import KEK in the device, 24 bits. */
	/** RTE_UMR_CREDENTIAL_LEN bytes: the credential, wrapped by that import KEK. Copied. */
	const void *credential;
	uint64_t reserved[2]; /**< Zero. */
};

/** A login; opaque. */
struct rte_umr_crypto_login;

/** Configuration of a DEK. */
struct rte_umr_dek_conf {
	/**
	 * Two consecutive AES keys, for data and for tweaks; they must differ. With has_keytag,
	 * RTE_UMR_KEYTAG_LEN bytes of tag follow. With a login, all of this is wrapped by the
	 * import KEK of the login (AES key wrap). Copied; not kept in memory.
	 */
	const void *key;
	/** Bytes of key: 32 or 64, plus 8 with a tag, plus 8 if wrapped. */
	uint32_t key_len;
	uint8_t size; /**< enum rte_umr_dek_size: bits of each AES key. */
	/** A memory key must present the tag of the DEK to use it: struct rte_umr_crypto. */
	bool has_keytag;
	uint8_t reserved[2]; /**< Zero. */
	/** Valid login of this device if the key is wrapped, NULL if it is not. */
	const struct rte_umr_crypto_login *login;
	struct rte_umr_pd *pd; /**< PD of the memory keys that may use it; NULL: the default one. */
	uint8_t opaque[RTE_UMR_DEK_OPAQUE_LEN]; /**< Opaque data; rte_umr_dek_query() returns it. */
	uint64_t reserved2[2]; /**< Zero. */
};

/** A data encryption key in a device. Read only for the application. */
struct rte_umr_dek {
	uint32_t id; /**< Number that memory keys refer to, 24 bits. */
	int16_t dev_id; /**< Device that it belongs to. */
	uint8_t size; /**< enum rte_umr_dek_size. */
	uint8_t state; /**< enum rte_umr_dek_state at the last rte_umr_dek_query(). */
	bool has_keytag; /**< It has a tag. */
	bool is_wrapped; /**< It was imported wrapped. */
	uint8_t reserved[6]; /**< Zero. */
	struct rte_umr_pd *pd; /**< PD that it belongs to; NULL: the default one. */
	void *driver_private; /**< Owned by the driver. */
};

/** State of a DEK in the device. */
struct rte_umr_dek_attr {
	uint8_t state; /**< enum rte_umr_dek_state. */
	uint8_t reserved[7]; /**< Zero. */
	uint8_t opaque[RTE_UMR_DEK_OPAQUE_LEN]; /**< Opaque data given at creation. */
	uint64_t reserved2[2]; /**< Zero. */
};

/**
 * Log in to a device that accepts wrapped keys.
 *
 * A login is required to create and query wrapped DEKs, not to use them.
 *
 * @param dev_id
 *   Device identifier.
 * @param conf
 *   Configuration; copied.
 * @return
 *   The login, freed by rte_umr_crypto_login_destroy(), or NULL with rte_errno:
 *   - EINVAL: conf or credential is NULL, an identifier is more than 24 bits, reserved is not 0,
 *     or the device does not accept the credential (logged)
 *   - ENODEV: no such device
 *   - EPERM: this is a secondary process (logged)
 *   - ENOTSUP: the device lacks RTE_UMR_CAPA_DEK_WRAPPED (logged)
 *   - ENOMEM: out of memory
 *   - EAGAIN, EIO or another errno: the device rejected the command (logged)
 */
__rte_experimental
struct rte_umr_crypto_login *
rte_umr_crypto_login_create(int16_t dev_id, const struct rte_umr_crypto_login_conf *conf);

/**
 * Query whether a login is still valid.
 *
 * @param login
 *   Login.
 * @param state
 *   Written on success: enum rte_umr_crypto_login_state.
 * @return
 *   0, or
 *   - -EINVAL: login or state is NULL, login was destroyed, or the device reports an unknown state
 *     (logged)
 *   - -EIO or another negative errno: the device rejected the command (logged)
 */
__rte_experimental
int rte_umr_crypto_login_query(struct rte_umr_crypto_login *login, uint8_t *state);

/**
 * Log out. Existing DEKs stay usable.
 *
 * @param login
 *   Login; NULL is accepted.
 * @return
 *   0, or
 *   - -EINVAL: login is not a login, or was destroyed (logged)
 *   - another negative errno: the device rejected the command (logged); the login still exists
 */
__rte_experimental
int rte_umr_crypto_login_destroy(struct rte_umr_crypto_login *login);

/**
 * Create a data encryption key in a device.
 *
 * The driver erases the bytes of the key before it returns.
 *
 * @param dev_id
 *   Device identifier.
 * @param conf
 *   Configuration; copied.
 * @return
 *   The DEK, freed by rte_umr_dek_destroy(), or NULL with rte_errno:
 *   - EINVAL: conf or key is NULL, size is unknown, key_len does not match size, has_keytag and
 *     login, pd belongs to another device, a reserved field is not 0 (all logged), or the device
 *     rejects the key: it is not wrapped by the import KEK, the login is invalid, or both AES keys
 *     are the same (logged)
 *   - ENODEV: no such device
 *   - EPERM: this is a secondary process (logged)
 *   - EXDEV: the login belongs to another device (logged)
 *   - ENOTSUP: the device lacks RTE_UMR_CAPA_MKEY_CRYPTO; RTE_UMR_CAPA_DEK_WRAPPED with a login;
 *     RTE_UMR_CAPA_DEK_PLAIN without (logged)
 *   - ENOMEM: out of memory
 *   - EAGAIN: max_deks keys are in use (logged)
 *   - EIO or another errno: the device rejected the command (logged)
 */
__rte_experimental
struct rte_umr_dek *rte_umr_dek_create(int16_t dev_id, const struct rte_umr_dek_conf *conf);

/**
 * Query the state of a DEK from the device. A wrapped DEK requires a valid login of the device. The
 * state is also stored in the DEK: memory keys cannot be configured with a DEK in
 * RTE_UMR_DEK_ERROR.
 *
 * @param dek
 *   DEK.
 * @param attr
 *   Written on success.
 * @return
 *   0, or
 *   - -EINVAL: dek or attr is NULL, dek was destroyed, there is no valid login, or the device
 *     reports an unknown state (logged)
 *   - -EIO or another negative errno: the device rejected the command (logged)
 */
__rte_experimental
int rte_umr_dek_query(struct rte_umr_dek *dek, struct rte_umr_dek_attr *attr);

/**
 * Destroy a DEK. No memory key may refer to it any more: transfers through such a key fail.
 *
 * @param dek
 *   DEK; NULL is accepted.
 * @return
 *   0, or
 *   - -EINVAL: dek is not a DEK, or was destroyed (logged)
 *   - another negative errno: the device rejected the command (logged); the DEK still exists
 */
__rte_experimental
int rte_umr_dek_destroy(struct rte_umr_dek *dek);

#ifdef __cplusplus
}
#endif

#endif /* RTE_UMR_CRYPTO_H */
