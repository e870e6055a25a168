/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef RTE_UMR_MKEY_H
#define RTE_UMR_MKEY_H

/**
 * @file
 *
 * Memory keys: their pools, and the properties that operations set. Included by rte_umr.h, which
 * describes the model; the operations are in rte_umr_data.h.
 *
 * @par Properties
 * rte_umr_mkey_list() and rte_umr_mkey_interleaved() set the access and the layout of a key.
 * rte_umr_mkey_configure() sets any combination of access, layout, signature and encryption and
 * keeps the other properties. rte_umr_mkey_update() replaces some entries of a long list.
 *
 * The rules for replacing and keeping properties are those of mlx5dv_wr_mkey_configure(3).
 *
 * @par Signatures
 * The data of a key with a signature have two domains: memory, which the layout covers, and the
 * wire, which a transfer moves. In each domain, a signature field can follow each block of data.
 * During a transfer the device checks and removes the fields of the source domain, and inserts
 * those of the destination domain:
 *
 *     memory          wire             write, send (from memory)     read, receive (to memory)
 *     data + field    data             checked and stripped          generated and inserted
 *     data            data + field     generated and inserted        checked and stripped
 *     data + field    data + field     checked; copied or generated  checked; copied or generated
 *
 * The length of a transfer and offsets within the key count bytes of the wire; the layout of the
 * key covers the bytes of memory. The two lengths differ if a field is inserted or stripped. A
 * transfer must begin at a block boundary of both domains, and end at one if its last block is to
 * be checked.
 *
 * A transaction signature (RTE_UMR_SIG_DOMAIN_F_TRANSACTION) has one field after all the data of
 * the key instead, like the digests of iSCSI and NVMe/TCP: one block, whose size is the length of
 * the key. Several transfers may move it, each following the previous one and starting after that
 * has completed, so the last one may contain only the field. A transfer from the first byte of the
 * key restarts the sum. No transfer may begin or end within the field. Only one domain has it; the
 * other domain has no signature.
 *
 * The reference tag belongs to the first block of the transfer (mlx5dv_wr_set_mkey_sig_block(3)).
 * For a transfer that begins later in the key, the software ConnectX counts from the beginning of
 * the key; this is unverified on adapters, and the question reference-offset of dpdk-test-umr check
 * tests it. If tags increment, move a key starting with its first block.
 *
 * A wrong field does not fail the transfer: the data arrive, and the key stores the error until
 * rte_umr_mkey_check() reads it. One error is reported between two configurations of a key; the
 * next configuration enables another.
 *
 * Signature keys come from a pool with RTE_UMR_MKEY_POOL_F_SIG and are configured by
 * rte_umr_mkey_configure() with RTE_UMR_MKEY_SET_SIG. All queues of the device must be set up with
 * room for their errors: rte_umr_queue_conf::nb_sig_mkeys.
 *
 * @par Encryption
 * A data encryption key (DEK) is created in the device once. Memory keys of a pool with
 * RTE_UMR_MKEY_POOL_F_CRYPTO are then configured with it (RTE_UMR_MKEY_SET_CRYPTO of
 * rte_umr_mkey_configure()). The device then encrypts or decrypts all data that transfers move
 * through that key.
 *
 *                  rte_umr_crypto_login_create()     devices that take wrapped keys only
 *                              |
 *     key material --> rte_umr_dek_create() --> struct rte_umr_dek
 *                                                      |
 *       pool with F_CRYPTO --> rte_umr_mkey_configure(SET_CRYPTO) --> transfers
 *
 * The standard is AES-XTS (IEEE 1619-2007). Data are a sequence of data units. Each has a number of
 * 128 bits, its tweak, which the device increments by one from that of the first data unit of the
 * memory key. The data of one transfer, counted in bytes that pass the cipher, must begin at a data
 * unit and be
 *
 *   - a multiple of the data unit, or
 *   - a multiple of 16 whose last, shorter part has 16 to data unit - 16 bytes
 *     (mlx5dv_wr_set_mkey_crypto(3));
 *
 * other transfers fail with RTE_UMR_STATUS_LOCAL_PROT or RTE_UMR_STATUS_REMOTE_ACCESS. A device
 * without RTE_UMR_CAPA_CRYPTO_MULTI_UNIT supports one data unit per memory key: no more may pass
 * the cipher when the whole key is moved, regardless of additional bytes in memory or on the wire.
 *
 * Sources: rdma-core (mlx5dv_dek_create(3), mlx5dv_crypto_login_create(3),
 * mlx5dv_wr_set_mkey_crypto(3)).
 */

#include <stdbool.h>
#include <stdint.h>

#include <rte_bitops.h>
#include <rte_common.h>
#include <rte_compat.h>
#include <rte_memory.h>
#include <rte_prefetch.h>

#include "rte_umr_crypto.h"
#include "rte_umr_mem.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * @name Features of the keys of a pool
 * Bits of rte_umr_mkey_pool_conf::flags and rte_umr_mkey::flags; each needs a capability.
 * @{
 */
#define RTE_UMR_MKEY_POOL_F_SIG		RTE_BIT32(0) /**< RTE_UMR_MKEY_SET_SIG. */
#define RTE_UMR_MKEY_POOL_F_CRYPTO	RTE_BIT32(1) /**< RTE_UMR_MKEY_SET_CRYPTO. */
/** RTE_UMR_LAYOUT_FIXED only, no other layout. */
#define RTE_UMR_MKEY_POOL_F_FIXED_SIZE	RTE_BIT32(2)
/** A send of the peer may invalidate them. */
#define RTE_UMR_MKEY_POOL_F_REMOTE_INVALIDATE RTE_BIT32(3)
/** rte_umr_mkey_update(); takes 16 bytes of memory for each entry. */
#define RTE_UMR_MKEY_POOL_F_UPDATE	RTE_BIT32(4)
/**
 * RTE_UMR_ACCESS_RELAXED_ORDERING; needs it in access_capa. Without it, keys never use relaxed
 * ordering.
 */
#define RTE_UMR_MKEY_POOL_F_RELAXED_ORDERING RTE_BIT32(5)
/**
 * rte_umr_mkey_op::base_addr: keys that begin at any address. rte_umr_mkey_list() and
 * rte_umr_mkey_interleaved() configure them to begin at 0.
 */
#define RTE_UMR_MKEY_POOL_F_BASE	RTE_BIT32(6)
/** All flags that this version knows. */
#define RTE_UMR_MKEY_POOL_F_ALL                                                                    \
	(RTE_UMR_MKEY_POOL_F_SIG | RTE_UMR_MKEY_POOL_F_CRYPTO | RTE_UMR_MKEY_POOL_F_FIXED_SIZE |   \
	 RTE_UMR_MKEY_POOL_F_REMOTE_INVALIDATE | RTE_UMR_MKEY_POOL_F_UPDATE |                      \
	 RTE_UMR_MKEY_POOL_F_RELAXED_ORDERING | RTE_UMR_MKEY_POOL_F_BASE)
/**@}*/

/** Configuration of a pool of memory keys. */
struct rte_umr_mkey_pool_conf {
	uint32_t nb_mkeys; /**< Number of keys, [1, max_mkeys]. */
	/** Maximum entries of a key, [1, max_entries]; interleaved layouts take one more. */
	uint32_t max_entries;
	/** Keys in the cache of each lcore, at most 512 and nb_mkeys * 2 / 3; 0: no cache. */
	uint32_t cache_size;
	int16_t socket_id; /**< NUMA socket of the pool's memory, or SOCKET_ID_ANY. */
	/** F_FIXED_SIZE: binary logarithm of the size of an entry in bytes; else 0. */
	uint8_t log_entry_size;
	uint8_t reserved; /**< Zero. */
	uint32_t flags; /**< Bitwise OR of RTE_UMR_MKEY_POOL_F_*. */
	uint32_t reserved2; /**< Zero. */
	struct rte_umr_pd *pd; /**< PD that the keys belong to; NULL: the default one. */
	uint64_t reserved3[2]; /**< Zero. */
};

/** A pool of memory keys; opaque. */
struct rte_umr_mkey_pool;

/**
 * A memory key. Read only for the application. Use only the pointer that its pool returned: a copy
 * of the struct is not a key.
 *
 * The address range of a configured key starts at 0, or at rte_umr_mkey_op::base_addr: an address
 * in it, local or remote, is this start plus an offset. Its value may be sent to a peer before it
 * is configured.
 *
 * A value stays valid until the device replaces it. The device stores one tag of each key, that of
 * its last configuration, and only the value with this tag works:
 *
 *   | step                     | device's tag | the old value    | the new value        |
 *   |--------------------------|--------------|------------------|----------------------|
 *   | configured               | t            | works            | -                    |
 *   | invalidated              | none         | fails            | -                    |
 *   | put                      | unchanged    | unchanged        | -                    |
 *   | taken again (tag t + 1)  | unchanged    | unchanged        | fails                |
 *   | configured again         | t + 1        | fails            | works                |
 *   | taken 256 times (tag t)  | any          | is in use again  | equals the old value |
 *
 * Only the configured value can be invalidated, so invalidate before putting the key.
 *
 * A valid value gives access to its configured memory, with the configured access, to local queues
 * of its PD and to every peer that has it. Putting a key back does not revoke access: invalidate
 * the key first unless that access is acceptable. Deregistering the memory also works: the key of
 * the memory below the layout then fails. A layout that refers to another key uses one value of it,
 * and fails when that value does.
 *
 * "Configured" and "invalidated" take effect when the device executes the operation: earlier
 * operations still use the old value. A transfer that runs at the same time may see either.
 *
 * A peer that uses an invalid value gets RTE_UMR_STATUS_REMOTE_ACCESS, and the local queue also
 * enters the error state, as the transport specifies.
 *
 * The tag has 8 bits: after 256 gets a value repeats, regardless of what happened in between. Tags
 * detect mistakes and late packets; they do not protect against a malicious peer. Configuring a key
 * again without putting it back keeps its value. A key that was taken and not configured must not
 * be used: if it was taken 256 times without a configuration, its value is that of the old layout.
 */
struct rte_umr_mkey {
	uint32_t key; /**< Value, as lkey and as rkey: 24-bit index, 8-bit tag. Host byte order. */
	uint32_t max_entries; /**< Maximum entries; interleaved headers count. */
	int16_t dev_id; /**< Device that it belongs to. */
	uint16_t flags; /**< RTE_UMR_MKEY_POOL_F_* of its pool. */
	uint8_t log_entry_size; /**< log_entry_size of its pool. */
	bool is_out; /**< Taken from its pool and not put back yet; owned by lib/umr. */
	/** A layout was enqueued since it was taken, without a failure; owned by the driver. */
	bool is_laid;
	bool is_unknown; /**< An operation on it failed or was flushed; owned by the driver. */
};

/** State of a memory key in the device; see rte_umr_mkey_query(). */
struct rte_umr_mkey_attr {
	uint32_t key; /**< Valid value; the tag is meaningless if is_free. Host byte order. */
	bool is_free; /**< Not configured yet, or invalidated: no value is valid. */
	bool is_fixed_size; /**< Its entries have one size: RTE_UMR_LAYOUT_FIXED. */
	/** It has a signature or, with RTE_UMR_MKEY_POOL_F_CRYPTO, maybe only a place for one. */
	bool has_signature;
	/** Data are encrypted or decrypted; transfers fail while no encryption is set. */
	bool has_crypto;
	bool can_remote_invalidate; /**< A send of the peer may invalidate it. */
	uint8_t reserved[3]; /**< Zero. */
	uint32_t access; /**< Bitwise OR of RTE_UMR_ACCESS_*. */
	uint64_t addr; /**< Address of the first byte. */
	uint64_t len; /**< Bytes of its layout. */
	uint32_t nb_entries; /**< Entries that the device has room for in the key. */
	uint32_t pd; /**< Number of its PD in the device. */
	uint64_t reserved2[3]; /**< Zero. */
};

/**
 * An entry of an interleaved layout: bytes_count bytes are used and bytes_skip skipped, in each
 * repetition of the layout. Same layout as struct mlx5dv_mr_interleaved.
 */
struct rte_umr_interleaved {
	uint64_t addr; /**< Address of the first byte; base_addr + offset in a memory key. */
	uint32_t bytes_count; /**< Bytes used in each repetition, [1, max_entry_len]. */
	uint32_t bytes_skip; /**< Bytes skipped after them. */
	uint32_t lkey; /**< Key of a memory region, or a configured memory key. */
};

/**
 * Type of a signature. Bit n of rte_umr_dev_info::sig_types: the device supports type n for blocks;
 * of rte_umr_dev_info::sig_trans_types: for transactions.
 */
enum rte_umr_sig_type {
	RTE_UMR_SIG_NONE = 0, /**< No signature in this domain. */
	RTE_UMR_SIG_T10DIF_CRC, /**< T10-DIF (SBC-3), guard is the CRC: 8 bytes. */
	RTE_UMR_SIG_T10DIF_CSUM, /**< T10-DIF, guard is the IP checksum: 8 bytes. */
	RTE_UMR_SIG_CRC32, /**< CRC-32 of FC-PH and Ethernet; little endian: 4 bytes. */
	RTE_UMR_SIG_CRC32C, /**< CRC-32C (Castagnoli) of RFC 3720; little endian: 4 bytes. */
	RTE_UMR_SIG_CRC64_XP10, /**< CRC-64 of XP10, used by NVMe; little endian: 8 bytes. */
};

/**
 * @name Flags of a signature domain
 * @{
 */
/** The sum of each block or transaction starts with all ones; without it, with zeros. */
#define RTE_UMR_SIG_DOMAIN_F_SEED_ONES		RTE_BIT32(0)
/** T10-DIF: the reference tag increments with each block; without it, it is constant. */
#define RTE_UMR_SIG_DOMAIN_F_REF_INCREMENT	RTE_BIT32(1)
/** T10-DIF: a block whose application tag is 0xffff is not checked. */
#define RTE_UMR_SIG_DOMAIN_F_APP_ESCAPE		RTE_BIT32(2)
/**
 * T10-DIF: a block whose application tag is 0xffff and whose reference tag is 0xffffffff is not
 * checked. Takes precedence over RTE_UMR_SIG_DOMAIN_F_APP_ESCAPE.
 */
#define RTE_UMR_SIG_DOMAIN_F_APP_REF_ESCAPE	RTE_BIT32(3)
/** One field after all the data of the key instead of one after each block; block_size is 0. */
#define RTE_UMR_SIG_DOMAIN_F_TRANSACTION	RTE_BIT32(4)
/** All flags of this version. */
#define RTE_UMR_SIG_DOMAIN_F_ALL                                                                   \
	(RTE_UMR_SIG_DOMAIN_F_SEED_ONES | RTE_UMR_SIG_DOMAIN_F_REF_INCREMENT |                     \
	 RTE_UMR_SIG_DOMAIN_F_APP_ESCAPE | RTE_UMR_SIG_DOMAIN_F_APP_REF_ESCAPE |                   \
	 RTE_UMR_SIG_DOMAIN_F_TRANSACTION)
/**@}*/

/**
 * @name Block sizes
 * Bits of rte_umr_dev_info::sig_block_sizes.
 * @{
 */
#define RTE_UMR_SIG_BLOCK_512	RTE_BIT32(0) /**< 512 bytes. */
#define RTE_UMR_SIG_BLOCK_520	RTE_BIT32(1) /**< 520 bytes. */
#define RTE_UMR_SIG_BLOCK_4048	RTE_BIT32(2) /**< 4048 bytes. */
#define RTE_UMR_SIG_BLOCK_4096	RTE_BIT32(3) /**< 4096 bytes. */
#define RTE_UMR_SIG_BLOCK_4160	RTE_BIT32(4) /**< 4160 bytes. */
/**@}*/

/** Signature in one domain. */
struct rte_umr_sig_domain {
	uint32_t type; /**< enum rte_umr_sig_type; RTE_UMR_SIG_NONE: the rest is ignored. */
	uint32_t flags; /**< Bitwise OR of RTE_UMR_SIG_DOMAIN_F_*. */
	/** Bytes of data before each field, see sig_block_sizes; 0 for a transaction. */
	uint16_t block_size;
	uint16_t app_tag; /**< T10-DIF: application tag. */
	uint32_t ref_tag; /**< T10-DIF: reference tag of the first block of the key. */
};

/**
 * @name Masks of a signature field
 * For rte_umr_sig::check_mask and copy_mask: one bit for each byte of the field. For T10-DIF,
 * starting with bit 7, these are the two bytes of the guard, two of the application tag and four of
 * the reference tag, each in the order in which they are stored. For a CRC they are its bytes,
 * starting with the most significant, so a CRC of 4 bytes has bits 7 to 4. Other bits are ignored.
 * Any combination is valid, for example one byte of the application tag.
 * @{
 */
#define RTE_UMR_SIG_MASK_GUARD		0xc0u /**< Guard of T10-DIF. */
#define RTE_UMR_SIG_MASK_APP_TAG	0x30u /**< Application tag of T10-DIF. */
#define RTE_UMR_SIG_MASK_REF_TAG	0x0fu /**< Reference tag of T10-DIF. */
#define RTE_UMR_SIG_MASK_T10DIF		0xffu /**< All of T10-DIF. */
#define RTE_UMR_SIG_MASK_CRC32		0xf0u /**< CRC-32 and CRC-32C. */
#define RTE_UMR_SIG_MASK_CRC64		0xffu /**< CRC-64. */
/**@}*/

/** copy_mask of struct rte_umr_sig is valid; without it the driver computes one. */
#define RTE_UMR_SIG_F_COPY_MASK	RTE_BIT32(0)
/** All signature flags that this version knows. */
#define RTE_UMR_SIG_F_ALL	RTE_UMR_SIG_F_COPY_MASK

/** Signature of a key, in one domain or both. */
struct rte_umr_sig {
	struct rte_umr_sig_domain mem; /**< Memory, which the layout of the key covers. */
	struct rte_umr_sig_domain wire; /**< Wire, which a transfer moves. */
	uint32_t flags; /**< Bitwise OR of RTE_UMR_SIG_F_*. */
	/**
	 * Bytes of the field that are checked in the source domain; RTE_UMR_SIG_MASK_*. A
	 * transaction checks all of them, so all bits must be set.
	 */
	uint8_t check_mask;
	/**
	 * Bytes of the field that are copied from one domain to the other instead of being
	 * generated; only with RTE_UMR_SIG_F_COPY_MASK, and only if both domains have the same type
	 * of field and block size. Without the flag, the parts that are equal in both domains are
	 * copied.
	 */
	uint8_t copy_mask;
	uint16_t reserved; /**< Zero. */
};

/** Error of a block. */
enum rte_umr_mkey_error_type {
	RTE_UMR_MKEY_ERROR_NONE = 0, /**< Nothing. */
	RTE_UMR_MKEY_ERROR_GUARD, /**< The guard of T10-DIF, or the CRC. */
	/** The application tag; the guard was correct or not checked. */
	RTE_UMR_MKEY_ERROR_APP_TAG,
	RTE_UMR_MKEY_ERROR_REF_TAG, /**< The reference tag; the rest was correct or not checked. */
};

/** Error of a key: the first one since it was configured. */
struct rte_umr_mkey_error {
	uint8_t type; /**< enum rte_umr_mkey_error_type; the rest is valid unless it is NONE. */
	bool is_wire; /**< The field was in the wire domain; else in memory. */
	uint16_t reserved; /**< Zero. */
	/** Queue pair that moved the data; its completion queue reported the error. */
	uint32_t qpn;
	uint64_t expected; /**< Value of the field. */
	uint64_t actual; /**< Value that the device computed from the data, or expected. */
	/** Start of the block, in bytes of the domain, fields included; 0 for a transaction. */
	uint64_t offset;
	uint64_t reserved2[2]; /**< Zero. */
};

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

/** Bytes of a tweak. */
#define RTE_UMR_TWEAK_LEN 16

/** Encryption standards. */
enum rte_umr_crypto_standard {
	RTE_UMR_CRYPTO_AES_XTS = 0, /**< IEEE 1619-2007. */
};

/**
 * Position of the cipher on transmission, seen from memory, if a memory key also has a block
 * signature; it is reversed on reception. Without a signature both values mean the same.
 */
enum rte_umr_crypto_order {
	/**
	 * The signature is processed after the cipher. With encrypt_on_tx, data are encrypted and
	 * then signed for the wire; without it, the content of memory (with its signature) is
	 * decrypted and then checked.
	 */
	RTE_UMR_CRYPTO_SIG_AFTER = 0,
	/**
	 * The signature is processed before the cipher. With encrypt_on_tx, data are signed for the
	 * wire and then encrypted with their signature; without it, the signature in memory belongs
	 * to the encrypted data.
	 */
	RTE_UMR_CRYPTO_SIG_BEFORE,
};

/**
 * Encryption of a memory key, for rte_umr_mkey_configure().
 *
 * With a block signature of the key (struct rte_umr_sig), these forms are supported; data flow from
 * left to right on transmission and from right to left on reception:
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
 * With both domains signed, encrypt_on_tx requires SIG_BEFORE, otherwise SIG_AFTER; devices support
 * nothing else. With a transaction signature they support two of these forms: data | enc(data)+sig
 * and enc(data)+sig | data. The data unit counts the bytes that pass the cipher: enc(data+sig) of
 * blocks of 512 bytes with T10-DIF has data units of 520.
 */
struct rte_umr_crypto {
	/** DEK of this device; must exist while the memory key refers to it. */
	const struct rte_umr_dek *dek;
	uint8_t standard; /**< enum rte_umr_crypto_standard: RTE_UMR_CRYPTO_AES_XTS. */
	uint8_t order; /**< enum rte_umr_crypto_order; no effect without a signature. */
	/**
	 * true: plaintext in memory, ciphertext on the wire: encrypt outgoing and decrypt incoming
	 * data. false: ciphertext in memory, plaintext on the wire.
	 */
	bool encrypt_on_tx;
	uint8_t reserved; /**< Zero. */
	/** Bytes of a data unit, see rte_umr_dev_info::crypto_unit_sizes. */
	uint16_t data_unit_size;
	uint16_t reserved2; /**< Zero. */
	/**
	 * Number of the first data unit of the memory key, little endian; for a disk, the LBA of
	 * the first block.
	 */
	uint8_t tweak[RTE_UMR_TWEAK_LEN];
	/** Tag that the DEK was created with; ignored for a DEK without a tag. */
	uint8_t keytag[RTE_UMR_KEYTAG_LEN];
	uint64_t reserved3; /**< Zero. */
};

/**
 * @name Properties that a configuration sets
 * Bits of rte_umr_mkey_op::setters.
 * @{
 */
/** The access; replaces that of the key, including relaxed ordering. */
#define RTE_UMR_MKEY_SET_ACCESS		RTE_BIT32(0)
/** The layout; replaces that of the key, of any type. */
#define RTE_UMR_MKEY_SET_LAYOUT		RTE_BIT32(1)
/** The signature: rte_umr_mkey_op::sig. For keys of RTE_UMR_MKEY_POOL_F_SIG. */
#define RTE_UMR_MKEY_SET_SIG		RTE_BIT32(2)
/** The encryption: rte_umr_mkey_op::crypto. For keys of RTE_UMR_MKEY_POOL_F_CRYPTO. */
#define RTE_UMR_MKEY_SET_CRYPTO		RTE_BIT32(3)
/** Remove the signature; not together with RTE_UMR_MKEY_SET_SIG. */
#define RTE_UMR_MKEY_RESET_SIG		RTE_BIT32(4)
/** Properties that rte_umr_mkey_list() and rte_umr_mkey_interleaved() set. */
#define RTE_UMR_MKEY_SET_ACCESS_LAYOUT	(RTE_UMR_MKEY_SET_ACCESS | RTE_UMR_MKEY_SET_LAYOUT)
/** All setters of this version. */
#define RTE_UMR_MKEY_SET_ALL                                                                       \
	(RTE_UMR_MKEY_SET_ACCESS | RTE_UMR_MKEY_SET_LAYOUT | RTE_UMR_MKEY_SET_SIG |                \
	 RTE_UMR_MKEY_SET_CRYPTO | RTE_UMR_MKEY_RESET_SIG)
/**@}*/

/** All access bits of keys in this version; access_capa has those of a device. */
#define RTE_UMR_MKEY_ACCESS_ALL	(RTE_UMR_ACCESS_ALL | RTE_UMR_ACCESS_RELAXED_ORDERING)

/** How entries form the address range of a key. */
enum rte_umr_layout_type {
	RTE_UMR_LAYOUT_LIST = 0, /**< Consecutive segments; see rte_umr_mkey_list(). */
	/** Repeating pattern; see rte_umr_mkey_interleaved(). */
	RTE_UMR_LAYOUT_INTERLEAVED,
	/** Entries of the size set by the pool (RTE_UMR_MKEY_POOL_F_FIXED_SIZE). */
	RTE_UMR_LAYOUT_FIXED,
};

/** An entry of a fixed-size layout. */
struct rte_umr_fixed {
	uint64_t addr; /**< Address of the first byte; base_addr + offset in a memory key. */
	uint32_t lkey; /**< Key of a memory region, or a configured memory key. */
	uint32_t reserved; /**< Zero. */
};

/**
 * Configuration of a memory key: one descriptor for any layout and any other property, passed alone
 * (rte_umr_mkey_configure()) or in an array (rte_umr_mkey_configure_burst()).
 *
 * Fields that setters does not select are ignored, except the reserved ones, which must be zero.
 * Access and a layout need only the first half, so the usual operation is:
 *
 * @code
 * struct rte_umr_mkey_op op = {
 *	.mkey = mkey, .setters = RTE_UMR_MKEY_SET_ACCESS_LAYOUT,
 *	.access = RTE_UMR_ACCESS_LOCAL_WRITE,
 *	.layout = RTE_UMR_LAYOUT_LIST, .segs = segs, .nb_entries = nb_segs,
 * };
 * @endcode
 */
struct rte_umr_mkey_op {
	struct rte_umr_mkey *mkey; /**< Key to configure, from a pool of this device. */
	union {
		/** Entries of a list. With RTE_UMR_LAYOUT_LIST. */
		const struct rte_umr_seg *segs;
		/** Entries of a pattern. With RTE_UMR_LAYOUT_INTERLEAVED. */
		const struct rte_umr_interleaved *interleaved;
		/** Entries of fixed size. With RTE_UMR_LAYOUT_FIXED. */
		const struct rte_umr_fixed *fixed;
	};
	uint32_t nb_entries; /**< SET_LAYOUT: number of entries. */
	uint32_t access; /**< SET_ACCESS: bitwise OR of RTE_UMR_ACCESS_* of access_capa. */
	uint32_t setters; /**< Bitwise OR of RTE_UMR_MKEY_SET_* and RTE_UMR_MKEY_RESET_SIG, or 0. */
	uint32_t layout; /**< SET_LAYOUT: enum rte_umr_layout_type. */
	/** Repetitions of an interleaved layout, [1, UINT32_MAX]; else ignored. */
	uint32_t repeat;
	uint32_t reserved; /**< Zero. */
	const struct rte_umr_sig *sig; /**< SET_SIG. */
	const struct rte_umr_crypto *crypto; /**< SET_CRYPTO. */
	/**
	 * SET_LAYOUT: address of the first byte of the key, which must end below 2^64. A key whose
	 * pool has no RTE_UMR_MKEY_POOL_F_BASE begins at 0.
	 */
	uint64_t base_addr;
};

/**
 * Create a pool of memory keys.
 *
 * @param dev_id
 *   Device identifier.
 * @param conf
 *   Configuration; copied.
 * @return
 *   The pool, freed by rte_umr_mkey_pool_destroy(), or NULL with rte_errno:
 *   - EINVAL: conf is NULL, nb_mkeys or max_entries is 0, cache_size is too large, a flag is
 *     unknown (logged), a reserved field is not 0 or the PD is of another device (logged)
 *   - ENODEV: no such device
 *   - EPERM: this is a secondary process (logged)
 *   - ENOTSUP: the device lacks the capability for a flag (logged)
 *   - ERANGE: nb_mkeys, max_entries or log_entry_size is outside the limits of the device (logged)
 *   - ENOSPC: a queue that is set up has no room for the errors of that many signature keys; see
 *     rte_umr_queue_conf::nb_sig_mkeys (logged)
 *   - ENOMEM: out of memory
 *   - EIO or another errno: the device rejected a command (logged)
 */
__rte_experimental
struct rte_umr_mkey_pool *rte_umr_mkey_pool_create(int16_t dev_id,
						   const struct rte_umr_mkey_pool_conf *conf);

/**
 * Destroy a pool of memory keys. All keys must be back in the pool and unused.
 *
 * Not thread safe with other calls for the same pool.
 *
 * @param pool
 *   Pool; NULL is accepted. rte_umr_dev_close() does not destroy it.
 * @return
 *   0, or
 *   - -EINVAL: pool is not a pool, or was destroyed (logged)
 *   - -EBUSY: keys have not been put back (logged with their number, nb_mkeys minus
 *     rte_umr_mkey_pool_avail()); nothing was done
 *   - -EIO or another negative errno: the device rejected a command (logged); the pool was
 *     destroyed
 */
__rte_experimental
int rte_umr_mkey_pool_destroy(struct rte_umr_mkey_pool *pool);

/**
 * Prefetch what configuring a key reads of it, if it was not used recently: some calls before
 * rte_umr_mkey_list() and others for one key. Bursts prefetch their keys.
 *
 * @param mkey
 *   Key.
 */
__rte_experimental
static inline void
rte_umr_mkey_prefetch(const struct rte_umr_mkey *mkey)
{
	rte_prefetch0(mkey);
}

/** Number of keys in the pool, including those in caches of lcores. */
__rte_experimental
uint32_t rte_umr_mkey_pool_avail(const struct rte_umr_mkey_pool *pool);

/**
 * Take keys from a pool: all or none. The tag of each key advances: rte_umr_mkey::key is the value
 * of the key after its next configuration. Until then its previous value stays valid, unless it was
 * invalidated.
 *
 * Thread safe.
 *
 * @param pool
 *   Pool.
 * @param mkeys
 *   Array of nb keys, written on success. Put back by rte_umr_mkey_put_bulk().
 * @param nb
 *   Number of keys.
 * @return
 *   0, or
 *   - -ENOBUFS: fewer than nb keys are available (the caches of other lcores do not count)
 */
__rte_experimental
int rte_umr_mkey_get_bulk(struct rte_umr_mkey_pool *pool, struct rte_umr_mkey **mkeys,
			  uint32_t nb) __rte_warn_unused_result;

/**
 * Put keys back into their pool: all or none. A key keeps its layout and a valid value until it is
 * configured again: invalidate it first if a peer must no longer use it. See struct rte_umr_mkey.
 *
 * Operations that configure or use a key must have completed, unless its next owner enqueues on the
 * same queue: a pool does not track queues.
 *
 * Thread safe. A thread may put a key that another thread took. Errors are detected for any thread
 * and cache, except when two threads put the same key at the same time.
 *
 * @param pool
 *   Pool that the keys were taken from.
 * @param mkeys
 *   Array of nb keys, without duplicates.
 * @param nb
 *   Number of keys.
 * @return
 *   0, or
 *   - -EINVAL: a pointer is NULL or not a key of this pool, or its key is already in the pool, or
 *     twice in the array (logged); nothing was put
 */
__rte_experimental
int rte_umr_mkey_put_bulk(struct rte_umr_mkey_pool *pool, struct rte_umr_mkey *const *mkeys,
			  uint32_t nb);

/**
 * Query the state of a key from the device, for debugging and telemetry. This is a firmware
 * command, thousands of times slower than configuring the key. Operations that have not been
 * executed are not reflected.
 *
 * Thread safe as long as the pool of the key exists.
 *
 * @param mkey
 *   Key; it may be in its pool.
 * @param attr
 *   Written on success.
 * @return
 *   0, or
 *   - -EINVAL: a parameter is NULL
 *   - -ENODEV: the device of the key is closed
 *   - -EPERM: this is a secondary process (logged)
 *   - -ENOTSUP: the driver does not support it
 *   - -EIO or another negative errno: the device rejected the command (logged)
 */
__rte_experimental
int rte_umr_mkey_query(const struct rte_umr_mkey *mkey, struct rte_umr_mkey_attr *attr);

#ifdef __cplusplus
}
#endif

#endif /* RTE_UMR_MKEY_H */
