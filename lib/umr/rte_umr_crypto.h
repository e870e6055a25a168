/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef RTE_UMR_CRYPTO_H
#define RTE_UMR_CRYPTO_H

/**
 * @file
 *
 * Encryption of what passes through a memory key. Included by rte_umr.h, which describes the
 * model.
 *
 * A data encryption key (DEK) is brought to the device once; a memory key of a pool that was
 * created with RTE_UMR_MKEY_POOL_F_CRYPTO is then configured with it, by the setter
 * RTE_UMR_MKEY_SET_CRYPTO of rte_umr_mkey_configure(). From there on the device encrypts or
 * decrypts whatever a transfer moves through that key, and nobody else has to.
 *
 *                  rte_umr_crypto_login_create()     devices that take wrapped keys only
 *                              |
 *     key material --> rte_umr_dek_create() --> struct rte_umr_dek
 *                                                      |
 *       pool with F_CRYPTO --> rte_umr_mkey_configure(SET_CRYPTO) --> transfers
 *
 * A device takes keys in one of two ways, which is set in its firmware and told by its
 * capabilities: RTE_UMR_CAPA_DEK_PLAIN, as they are; RTE_UMR_CAPA_DEK_WRAPPED, wrapped by a key
 * (the import KEK) that a crypto officer has stored in it, and while a login is valid. DEKs never
 * leave the device, and they are gone when it is closed.
 *
 * The standard is AES-XTS (IEEE 1619-2007). Data are a sequence of data units; each has a number
 * of 128 bits, its tweak, which the device counts up by one from that of the first data unit of
 * the memory key. What one transfer moves, in bytes of the data that pass the cipher, must begin
 * at a data unit and be
 *
 *   - a multiple of the data unit, or
 *   - a multiple of 16 whose last, shorter part has 16 to data unit - 16 bytes
 *     (mlx5dv_wr_set_mkey_crypto(3));
 *
 * other transfers fail with RTE_UMR_STATUS_LOCAL_PROT or RTE_UMR_STATUS_REMOTE_ACCESS. A device
 * without RTE_UMR_CAPA_CRYPTO_MULTI_UNIT does one data unit per memory key: no more may pass the
 * cipher when all of the key moves, whatever memory or the wire have beside that.
 *
 * Facts: rdma-core (mlx5dv_dek_create(3), mlx5dv_crypto_login_create(3),
 * mlx5dv_wr_set_mkey_crypto(3)).
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rte_bitops.h>
#include <rte_compat.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * @name Sizes of data units
 * Bits of rte_umr_dev_info::crypto_unit_sizes.
 * @{
 */
#define RTE_UMR_CRYPTO_UNIT_512		RTE_BIT32(0) /**< 512 bytes. */
#define RTE_UMR_CRYPTO_UNIT_520		RTE_BIT32(1) /**< 520 bytes. */
#define RTE_UMR_CRYPTO_UNIT_4048	RTE_BIT32(2) /**< 4048 bytes. */
#define RTE_UMR_CRYPTO_UNIT_4096	RTE_BIT32(3) /**< 4096 bytes. */
#define RTE_UMR_CRYPTO_UNIT_4160	RTE_BIT32(4) /**< 4160 bytes. */
/**@}*/

/** Bytes of a key tag. */
#define RTE_UMR_KEYTAG_LEN 8

/** Bytes of a tweak. */
#define RTE_UMR_TWEAK_LEN 16

/** Bytes that describe a DEK for its owner. */
#define RTE_UMR_DEK_OPAQUE_LEN 8

/** Most bytes of a DEK as it is brought to the device: 2 keys of 256 bits, tag, wrapped. */
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

/** What has become of a DEK. */
enum rte_umr_dek_state {
	RTE_UMR_DEK_READY = 0, /**< It can be used. */
	RTE_UMR_DEK_ERROR, /**< The device has lost it: destroy it and create it anew. */
};

/** What has become of a login. */
enum rte_umr_crypto_login_state {
	RTE_UMR_CRYPTO_LOGIN_VALID = 0, /**< Wrapped DEKs can be created and queried. */
	/** Its credential or its import KEK was deleted: destroy it. */
	RTE_UMR_CRYPTO_LOGIN_INVALID,
};

/** Encryption standards. */
enum rte_umr_crypto_standard {
	RTE_UMR_CRYPTO_AES_XTS = 0, /**< IEEE 1619-2007. */
};

/**
 * Where the cipher is, seen from memory on transmission, when a memory key has a block signature,
 * too; on reception it is the other way round. Without a signature both mean the same.
 */
enum rte_umr_crypto_order {
	/**
	 * The signature is worked on after the cipher. With encrypt_on_tx data are encrypted and
	 * then signed for the wire; without, what memory holds (its signature included) is
	 * decrypted and then checked.
	 */
	RTE_UMR_CRYPTO_SIG_AFTER = 0,
	/**
	 * The signature is worked on before the cipher. With encrypt_on_tx data are signed for the
	 * wire and then encrypted, their signature included; without, the signature in memory is
	 * that of encrypted data.
	 */
	RTE_UMR_CRYPTO_SIG_BEFORE,
};

/** Configuration of a login. */
struct rte_umr_crypto_login_conf {
	uint32_t credential_id; /**< Which credential of the device, 24 bits. */
	uint32_t import_kek_id; /**< Which import KEK of the device, 24 bits. */
	/** RTE_UMR_CREDENTIAL_LEN bytes: the credential, wrapped by that import KEK. Copied. */
	const void *credential;
	uint64_t reserved; /**< Zero. */
};

/** A login; opaque. */
struct rte_umr_crypto_login;

/** Configuration of a DEK. */
struct rte_umr_dek_conf {
	/**
	 * Two AES keys behind each other, the one for data and the one for tweaks; they must
	 * differ. With has_keytag, RTE_UMR_KEYTAG_LEN bytes of tag behind them. With a login, all
	 * this wrapped by the import KEK of the login (AES key wrap). Copied; not kept in memory.
	 */
	const void *key;
	/** Bytes of key: 32 or 64, with a tag 8 more, wrapped 8 more. */
	uint32_t key_len;
	enum rte_umr_dek_size size; /**< Bits of each AES key. */
	/** A memory key must present the tag of the DEK to use it: struct rte_umr_crypto. */
	bool has_keytag;
	uint8_t reserved[7]; /**< Zero. */
	/** Valid login of this device if the key is wrapped, NULL if it is not. */
	const struct rte_umr_crypto_login *login;
	struct rte_umr_pd *pd; /**< PD of the memory keys that may use it; NULL: the default one. */
	uint8_t opaque[RTE_UMR_DEK_OPAQUE_LEN]; /**< For the owner; rte_umr_dek_query() has it. */
};

/** A data encryption key in a device. Read only for the application. */
struct rte_umr_dek {
	uint32_t id; /**< Number that memory keys refer to, 24 bits. */
	int16_t dev_id; /**< Device that it belongs to. */
	uint8_t size; /**< enum rte_umr_dek_size. */
	uint8_t state; /**< enum rte_umr_dek_state, as rte_umr_dek_query() saw it last. */
	bool has_keytag; /**< It has a tag. */
	bool is_wrapped; /**< It came wrapped. */
	uint8_t reserved[6]; /**< Zero. */
	struct rte_umr_pd *pd; /**< PD that it belongs to; NULL: the default one. */
	void *driver_private; /**< The driver's. */
};

/** What the device knows of a DEK. */
struct rte_umr_dek_attr {
	enum rte_umr_dek_state state; /**< Whether it can be used. */
	uint8_t opaque[RTE_UMR_DEK_OPAQUE_LEN]; /**< As it was created with. */
};

/**
 * Encryption of a memory key, for rte_umr_mkey_configure().
 *
 * Together with a block signature of the key (struct rte_umr_sig) there are these forms; data
 * run from left to right on transmission and back on reception:
 *
 *     memory         encrypt_on_tx  order       signed      wire
 *     data           yes            any         -           enc(data)
 *     data           yes            SIG_AFTER   wire        enc(data)+sig
 *     data           yes            SIG_BEFORE  wire        enc(data+sig)
 *     data+sig       yes            SIG_BEFORE  mem         enc(data)
 *     data+sig1      yes            SIG_BEFORE  mem, wire   enc(data+sig2)
 *     enc(data)      no             any         -           data
 *     enc(data)      no             SIG_AFTER   wire        data+sig
 *     enc(data+sig)  no             SIG_AFTER   mem         data
 *     enc(data+sig1) no             SIG_AFTER   mem, wire   data+sig2
 *     enc(data)+sig  no             SIG_BEFORE  mem         data
 *
 * With both domains signed, encrypt_on_tx goes with SIG_BEFORE, else SIG_AFTER; devices have no
 * other. With a transaction signature they have two of these forms: data | enc(data)+sig and
 * enc(data)+sig | data. The data unit counts what passes the cipher: enc(data+sig) of blocks of 512
 * bytes with T10-DIF has data units of 520.
 */
struct rte_umr_crypto {
	const struct rte_umr_dek *dek; /**< Key, of this device; stays while it is referred to. */
	enum rte_umr_crypto_standard standard; /**< RTE_UMR_CRYPTO_AES_XTS. */
	enum rte_umr_crypto_order order; /**< Without a signature of no effect. */
	/**
	 * true: memory holds plaintext, the wire ciphertext: encrypt what leaves memory, decrypt
	 * what comes in. false: memory holds ciphertext, the wire plaintext.
	 */
	bool encrypt_on_tx;
	uint8_t reserved; /**< Zero. */
	/** Bytes of a data unit, see rte_umr_dev_info::crypto_unit_sizes. */
	uint16_t data_unit_size;
	/** Zero. */
	uint32_t reserved2;
	/**
	 * Number of the first data unit of the memory key, little endian; for a disk, the LBA of
	 * its first block.
	 */
	uint8_t tweak[RTE_UMR_TWEAK_LEN];
	/** Tag that the DEK was created with; of no effect for a DEK without one. */
	uint8_t keytag[RTE_UMR_KEYTAG_LEN];
};

/**
 * Log in to a device that takes wrapped keys.
 *
 * A login is needed to create and to query wrapped DEKs, not to use them.
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
 *   - ENOTSUP: the device lacks RTE_UMR_CAPA_DEK_WRAPPED (logged)
 *   - ENOMEM: out of memory
 *   - EAGAIN, EIO or another errno: the device refused the command (logged)
 */
__rte_experimental
struct rte_umr_crypto_login *
rte_umr_crypto_login_create(int16_t dev_id, const struct rte_umr_crypto_login_conf *conf);

/**
 * Ask whether a login is still valid.
 *
 * @param login
 *   Login.
 * @param state
 *   Written on success.
 * @return
 *   0, or
 *   - -EINVAL: login or state is NULL, or the device is in a state that is not known (logged)
 *   - -EIO or another negative errno: the device refused the command (logged)
 */
__rte_experimental
int rte_umr_crypto_login_query(struct rte_umr_crypto_login *login,
			       enum rte_umr_crypto_login_state *state);

/**
 * Log out. DEKs that were created stay usable.
 *
 * @param login
 *   Login; NULL is accepted.
 * @return
 *   0, or a negative errno: the device refused the command (logged); the login is still there.
 */
__rte_experimental
int rte_umr_crypto_login_destroy(struct rte_umr_crypto_login *login);

/**
 * Bring a data encryption key to a device.
 *
 * The driver forgets the bytes of the key before it returns.
 *
 * @param dev_id
 *   Device identifier.
 * @param conf
 *   Configuration; copied.
 * @return
 *   The DEK, freed by rte_umr_dek_destroy(), or NULL with rte_errno:
 *   - EINVAL: conf or key is NULL, size is unknown, key_len does not go with size, has_keytag and
 *     login, pd is of another device, a reserved field is not 0 (all logged), or the device does
 *     not accept the key: not wrapped by the import KEK, the login is not valid, both AES keys are
 *     the same (logged)
 *   - ENODEV: no such device
 *   - EXDEV: the login belongs to another device (logged)
 *   - ENOTSUP: the device lacks RTE_UMR_CAPA_MKEY_CRYPTO; RTE_UMR_CAPA_DEK_WRAPPED with a login;
 *     RTE_UMR_CAPA_DEK_PLAIN without (logged)
 *   - ENOMEM: out of memory
 *   - EAGAIN: max_deks keys are in use (logged)
 *   - EIO or another errno: the device refused the command (logged)
 */
__rte_experimental
struct rte_umr_dek *rte_umr_dek_create(int16_t dev_id, const struct rte_umr_dek_conf *conf);

/**
 * Ask the device about a DEK. A wrapped one needs a valid login of the device. What is found
 * is also noted in the DEK: a memory key is not configured with one in RTE_UMR_DEK_ERROR.
 *
 * @param dek
 *   DEK.
 * @param attr
 *   Written on success.
 * @return
 *   0, or
 *   - -EINVAL: dek or attr is NULL, there is no valid login, or the device is in a state that is
 *     not known (logged)
 *   - -EIO or another negative errno: the device refused the command (logged)
 */
__rte_experimental
int rte_umr_dek_query(struct rte_umr_dek *dek, struct rte_umr_dek_attr *attr);

/**
 * Destroy a DEK. No memory key may refer to it any more: transfers through one that does fail.
 *
 * @param dek
 *   DEK; NULL is accepted.
 * @return
 *   0, or a negative errno: the device refused the command (logged); the DEK is still there.
 */
__rte_experimental
int rte_umr_dek_destroy(struct rte_umr_dek *dek);

#ifdef __cplusplus
}
#endif

#endif /* RTE_UMR_CRYPTO_H */
