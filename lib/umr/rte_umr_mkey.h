/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef RTE_UMR_MKEY_H
#define RTE_UMR_MKEY_H

/**
 * @file
 *
 * Memory keys: their pools, and what an operation on a queue can make of them. Included by
 * rte_umr.h, which describes the model; the operations are in rte_umr_data.h.
 *
 * @par Properties
 * rte_umr_mkey_list() and rte_umr_mkey_interleaved() give a key its access and its layout. Here
 * is what else there is: rte_umr_mkey_configure() sets any combination of access, layout,
 * signature and encryption and keeps what is not set, and rte_umr_mkey_update() exchanges some
 * entries of a long list.
 *
 * The rules of what is overridden and what is kept are those of mlx5dv_wr_mkey_configure(3).
 *
 * @par Signatures
 * A key with a signature sees its data in two domains: memory is what its layout covers, the wire
 * is what a transfer moves. In either of them each block of data can be followed by a signature
 * field. While a transfer runs, the device checks the fields of the domain that the data come
 * from, takes them away, and puts those of the other domain in:
 *
 *     memory          wire             write, send (from memory)     read, receive (to memory)
 *     data + field    data             checked and stripped          generated and inserted
 *     data            data + field     generated and inserted        checked and stripped
 *     data + field    data + field     checked; copied or generated  checked; copied or generated
 *
 * The length of a transfer and offsets within the key count bytes of the wire; the layout of the
 * key covers the bytes of memory, so the two lengths differ where a field is inserted or stripped.
 * A transfer begins at a block of both domains, and ends at one if its last block is to be checked.
 *
 * A transaction signature (RTE_UMR_SIG_DOMAIN_F_TRANSACTION) has one field behind all the data of
 * the key instead, as the digests of iSCSI and NVMe/TCP are: one block, whose size is the length of
 * the key. It may be moved in several transfers, one behind the other and each complete before the
 * next one, so that the last one may be the field alone; the sum begins anew with a transfer from
 * the first byte of the key. None begins or ends within the field. It is in one domain, and the
 * other one has no signature.
 *
 * The reference tag is that of the first block that is moved (mlx5dv_wr_set_mkey_sig_block(3)). For
 * a transfer that begins further on the software ConnectX counts from the beginning of the key;
 * no adapter was asked, which the question reference-offset of dpdk-test-umr check does. Where tags
 * increment, move a key from its first block on.
 *
 * A field that is wrong does not fail the transfer: the data arrive, and the key remembers the
 * error until rte_umr_mkey_check() reads it. One error is told between two configurations of a
 * key; the next configuration makes it ready for another.
 *
 * Keys with signatures come from a pool with RTE_UMR_MKEY_POOL_F_SIG and are configured by
 * rte_umr_mkey_configure() with RTE_UMR_MKEY_SET_SIG. All queues of the device must have been set
 * up with room for their errors: rte_umr_queue_conf::nb_sig_mkeys.
 *
 * @par Encryption
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
#include <stdint.h>

#include <rte_bitops.h>
#include <rte_common.h>
#include <rte_compat.h>

#include "rte_umr_mem.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * @name What the keys of a pool are for
 * Bits of rte_umr_mkey_pool_conf::flags and rte_umr_mkey::flags; each needs a capability.
 * @{
 */
#define RTE_UMR_MKEY_POOL_F_SIG		RTE_BIT32(0) /**< RTE_UMR_MKEY_SET_SIG. */
#define RTE_UMR_MKEY_POOL_F_CRYPTO	RTE_BIT32(1) /**< RTE_UMR_MKEY_SET_CRYPTO. */
/** RTE_UMR_LAYOUT_FIXED, and no other layout. */
#define RTE_UMR_MKEY_POOL_F_FIXED_SIZE	RTE_BIT32(2)
#define RTE_UMR_MKEY_POOL_F_REMOTE_INVALIDATE RTE_BIT32(3) /**< A send of the peer may end them. */
/** rte_umr_mkey_update(); takes 16 bytes of memory for each entry. */
#define RTE_UMR_MKEY_POOL_F_UPDATE	RTE_BIT32(4)
/** RTE_UMR_ACCESS_RELAXED_ORDERING; needs it in access_capa. Without it keys are never relaxed. */
#define RTE_UMR_MKEY_POOL_F_RELAXED_ORDERING RTE_BIT32(5)
/** All flags that this version knows. */
#define RTE_UMR_MKEY_POOL_F_ALL                                                                    \
	(RTE_UMR_MKEY_POOL_F_SIG | RTE_UMR_MKEY_POOL_F_CRYPTO | RTE_UMR_MKEY_POOL_F_FIXED_SIZE |   \
	 RTE_UMR_MKEY_POOL_F_REMOTE_INVALIDATE | RTE_UMR_MKEY_POOL_F_UPDATE |                      \
	 RTE_UMR_MKEY_POOL_F_RELAXED_ORDERING)
/**@}*/

/** Configuration of a pool of memory keys. */
struct rte_umr_mkey_pool_conf {
	uint32_t nb_mkeys; /**< Number of keys, [1, max_mkeys]. */
	/** Entries that each key can hold, [1, max_entries]; interleaved layouts take one more. */
	uint32_t max_entries;
	/** Keys that each lcore may keep for itself, at most 512 and nb_mkeys * 2 / 3; 0: none. */
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
 * A memory key. Read only for the application, and used where it is: only the pointer that came
 * from its pool is a key, a copy of the struct is none.
 *
 * The address range of a configured key starts at 0. Its value may be told to a peer before it
 * is configured.
 *
 * A value dies lazily. The device knows one tag of each key, that of its last configuration, and
 * only the value with this tag works:
 *
 *   | step                     | device's tag | the old value    | the new value        |
 *   |--------------------------|--------------|------------------|----------------------|
 *   | configured               | t            | works            | -                    |
 *   | invalidated              | none         | fails            | -                    |
 *   | put                      | unchanged    | unchanged        | -                    |
 *   | got again (tag t + 1)    | unchanged    | unchanged        | fails                |
 *   | configured again         | t + 1        | fails            | works                |
 *   | got 256 times after that | any          | is the new value | is the value of then |
 *
 * (Only the value that is configured can be invalidated: before the key is put.)
 *
 * A value that works reaches what it was configured for, with the access of then, for everybody
 * who knows it: local queues of its PD, and peers. Putting a key back takes nothing from anybody:
 * either the memory below it can bear that, or the key is invalidated first. Deregistering the
 * memory helps, too: its own key below the layout then fails. A layout that names another key names
 * one value of it, and fails with that value.
 *
 * "Configured" and "invalidated" happen when the device executes the operation: what executes
 * earlier still meets the old value. A transfer that runs at that moment may end with either.
 *
 * A peer that uses a dead value gets RTE_UMR_STATUS_REMOTE_ACCESS, and the queue on this side goes
 * to its error state, too, as the transport has it.
 *
 * The tag has 8 bits: with the 256th get behind it, a value comes back, whatever it was in between.
 * Tags catch mistakes and late packets; they do not keep out a peer that means ill. Configuring a
 * key again without putting it back keeps its value. A key that was got and not configured must
 * not be used: if it was got 256 times without, its value is that of the old layout.
 */
struct rte_umr_mkey {
	uint32_t key; /**< Value, as lkey and as rkey: 24-bit index, 8-bit tag. Host byte order. */
	uint32_t max_entries; /**< Entries that it can hold; interleaved headers count. */
	int16_t dev_id; /**< Device that it belongs to. */
	uint16_t flags; /**< RTE_UMR_MKEY_POOL_F_* of its pool. */
	uint8_t log_entry_size; /**< As its pool was configured. */
	bool is_out; /**< Taken from its pool and not put back yet; lib/umr's. */
	/** A layout was enqueued since it was taken, and nothing failed since; the driver's. */
	bool is_laid;
	bool is_unknown; /**< An operation on it failed or was flushed; the driver's. */
};

/** What a device knows of a memory key; see rte_umr_mkey_query(). */
struct rte_umr_mkey_attr {
	uint32_t key; /**< Value that works; the tag says nothing if is_free. Host byte order. */
	bool is_free; /**< Not configured yet, or invalidated: no value works. */
	bool is_fixed_size; /**< Its entries have one size: RTE_UMR_LAYOUT_FIXED. */
	/** It has a signature; of a pool with RTE_UMR_MKEY_POOL_F_CRYPTO, too: a place for one. */
	bool has_signature;
	/** What passes is encrypted or decrypted, or fails while no encryption is set. */
	bool has_crypto;
	bool can_remote_invalidate; /**< A send of the peer may invalidate it. */
	uint8_t reserved[3]; /**< Zero. */
	uint32_t access; /**< Bitwise OR of RTE_UMR_ACCESS_*. */
	uint64_t addr; /**< Address of the first byte. */
	uint64_t len; /**< Bytes that its layout shows. */
	uint32_t nb_entries; /**< Entries that the device has room for. */
	uint32_t pd; /**< Number of its PD, as the device counts. */
	uint64_t reserved2[3]; /**< Zero. */
};

/**
 * An entry of an interleaved layout: bytes_count bytes are taken, bytes_skip left out, as often
 * as the layout repeats. Same layout as struct mlx5dv_mr_interleaved.
 */
struct rte_umr_interleaved {
	uint64_t addr; /**< Address of the first byte; an offset for a memory key. */
	uint32_t bytes_count; /**< Bytes taken at a time, [1, max_entry_len]. */
	uint32_t bytes_skip; /**< Bytes left out behind them. */
	uint32_t lkey; /**< Key of a memory region, or a configured memory key. */
};

/**
 * Kind of a signature. Bit n of rte_umr_dev_info::sig_types: the device has type n behind blocks;
 * of rte_umr_dev_info::sig_trans_types: behind transactions.
 */
enum rte_umr_sig_type {
	RTE_UMR_SIG_NONE = 0, /**< No signature in this domain. */
	RTE_UMR_SIG_T10DIF_CRC, /**< T10-DIF (SBC-3), guard is the CRC: 8 bytes. */
	RTE_UMR_SIG_T10DIF_CSUM, /**< T10-DIF, guard is the IP checksum: 8 bytes. */
	RTE_UMR_SIG_CRC32, /**< CRC-32 of FC-PH, as of Ethernet; little endian: 4 bytes. */
	RTE_UMR_SIG_CRC32C, /**< CRC-32C (Castagnoli) of RFC 3720; little endian: 4 bytes. */
	RTE_UMR_SIG_CRC64_XP10, /**< CRC-64 of XP10, as of NVMe; little endian: 8 bytes. */
};

/**
 * @name Flags of a signature domain
 * @{
 */
/** The sum of each block, or transaction, begins with all ones; without it, with zeros. */
#define RTE_UMR_SIG_DOMAIN_F_SEED_ONES		RTE_BIT32(0)
/** T10-DIF: the reference tag grows by one each block; without it, it stays. */
#define RTE_UMR_SIG_DOMAIN_F_REF_INCREMENT	RTE_BIT32(1)
/** T10-DIF: a block whose application tag is 0xffff is not checked. */
#define RTE_UMR_SIG_DOMAIN_F_APP_ESCAPE		RTE_BIT32(2)
/**
 * T10-DIF: a block whose application tag is 0xffff and whose reference tag is 0xffffffff is not
 * checked. Takes the place of RTE_UMR_SIG_DOMAIN_F_APP_ESCAPE if both are given.
 */
#define RTE_UMR_SIG_DOMAIN_F_APP_REF_ESCAPE	RTE_BIT32(3)
/** One field behind all the data of the key, not one behind each block; block_size is 0. */
#define RTE_UMR_SIG_DOMAIN_F_TRANSACTION	RTE_BIT32(4)
/** All of them that this version knows. */
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
	/** Bytes of data in front of each field, see sig_block_sizes; 0 for a transaction. */
	uint16_t block_size;
	uint16_t app_tag; /**< T10-DIF: application tag. */
	uint32_t ref_tag; /**< T10-DIF: reference tag of the first block of the key. */
};

/**
 * @name Masks of a signature field
 * For rte_umr_sig::check_mask and copy_mask: a bit for each byte of the field. From bit 7 on these
 * are, for T10-DIF, the two bytes of the guard, two of the application tag and four of the
 * reference tag, each in the order in which they are stored; for a CRC its bytes from the highest
 * value on, so that a CRC of 4 bytes has bits 7 to 4. Other bits are ignored. Any combination is
 * good: one byte of the application tag, say.
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

/** Signature of a key: one domain has a signature, or both. */
struct rte_umr_sig {
	struct rte_umr_sig_domain mem; /**< Memory: what the layout of the key covers. */
	struct rte_umr_sig_domain wire; /**< The wire: what a transfer moves. */
	uint32_t flags; /**< Bitwise OR of RTE_UMR_SIG_F_*. */
	/**
	 * Bytes of the field that are checked where data come from; RTE_UMR_SIG_MASK_*. Of a
	 * transaction all are checked, so all of them are to be there.
	 */
	uint8_t check_mask;
	/**
	 * Bytes of the field that go from one domain to the other as they are, instead of being
	 * generated; only with RTE_UMR_SIG_F_COPY_MASK, and only if both domains have the same
	 * kind of field and block size. Without the flag these are the parts in which the
	 * domains do not differ.
	 */
	uint8_t copy_mask;
	uint16_t reserved; /**< Zero. */
};

/** What was wrong with a block. */
enum rte_umr_mkey_error_type {
	RTE_UMR_MKEY_ERROR_NONE = 0, /**< Nothing. */
	RTE_UMR_MKEY_ERROR_GUARD, /**< The guard of T10-DIF, or the CRC. */
	RTE_UMR_MKEY_ERROR_APP_TAG, /**< The application tag; the guard was good or not checked. */
	RTE_UMR_MKEY_ERROR_REF_TAG, /**< The reference tag; the rest was good or not checked. */
};

/** An error of a key: the first one since it was configured. */
struct rte_umr_mkey_error {
	uint8_t type; /**< enum rte_umr_mkey_error_type; the rest is valid unless it is NONE. */
	bool is_wire; /**< The field was in the wire domain; else in memory. */
	uint16_t reserved; /**< Zero. */
	/** Queue pair whose completion queue told of it: the one that moved the data. */
	uint32_t qpn;
	uint64_t expected; /**< Value that was in the field. */
	uint64_t actual; /**< Value that the device computed from the data, or was to find. */
	/** Where the block begins, in bytes of the domain, fields included; 0 for a transaction. */
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
	uint8_t standard; /**< enum rte_umr_crypto_standard: RTE_UMR_CRYPTO_AES_XTS. */
	uint8_t order; /**< enum rte_umr_crypto_order; without a signature of no effect. */
	/**
	 * true: memory holds plaintext, the wire ciphertext: encrypt what leaves memory, decrypt
	 * what comes in. false: memory holds ciphertext, the wire plaintext.
	 */
	bool encrypt_on_tx;
	uint8_t reserved; /**< Zero. */
	/** Bytes of a data unit, see rte_umr_dev_info::crypto_unit_sizes. */
	uint16_t data_unit_size;
	uint16_t reserved2; /**< Zero. */
	/**
	 * Number of the first data unit of the memory key, little endian; for a disk, the LBA of
	 * its first block.
	 */
	uint8_t tweak[RTE_UMR_TWEAK_LEN];
	/** Tag that the DEK was created with; of no effect for a DEK without one. */
	uint8_t keytag[RTE_UMR_KEYTAG_LEN];
	uint64_t reserved3; /**< Zero. */
};

/**
 * @name What a configuration sets
 * Bits of rte_umr_mkey_op::setters.
 * @{
 */
/** The access; that which the key had is overridden, relaxed ordering too. */
#define RTE_UMR_MKEY_SET_ACCESS		RTE_BIT32(0)
/** The layout; the one that the key had is overridden, whatever its type. */
#define RTE_UMR_MKEY_SET_LAYOUT		RTE_BIT32(1)
/** The signature: rte_umr_mkey_op::sig. For keys of RTE_UMR_MKEY_POOL_F_SIG. */
#define RTE_UMR_MKEY_SET_SIG		RTE_BIT32(2)
/** The encryption: rte_umr_mkey_op::crypto. For keys of RTE_UMR_MKEY_POOL_F_CRYPTO. */
#define RTE_UMR_MKEY_SET_CRYPTO		RTE_BIT32(3)
/** The key is to have no signature any more; not with RTE_UMR_MKEY_SET_SIG. */
#define RTE_UMR_MKEY_RESET_SIG		RTE_BIT32(4)
/** What rte_umr_mkey_list() and rte_umr_mkey_interleaved() set. */
#define RTE_UMR_MKEY_SET_ACCESS_LAYOUT	(RTE_UMR_MKEY_SET_ACCESS | RTE_UMR_MKEY_SET_LAYOUT)
/** All that this version knows. */
#define RTE_UMR_MKEY_SET_ALL                                                                       \
	(RTE_UMR_MKEY_SET_ACCESS | RTE_UMR_MKEY_SET_LAYOUT | RTE_UMR_MKEY_SET_SIG |                \
	 RTE_UMR_MKEY_SET_CRYPTO | RTE_UMR_MKEY_RESET_SIG)
/**@}*/

/** All access bits that keys of this version can have; those of a device are in access_capa. */
#define RTE_UMR_MKEY_ACCESS_ALL	(RTE_UMR_ACCESS_ALL | RTE_UMR_ACCESS_RELAXED_ORDERING)

/** How entries make the address range of a key. */
enum rte_umr_layout_type {
	RTE_UMR_LAYOUT_LIST = 0, /**< Segments, one behind the other; see rte_umr_mkey_list(). */
	/** A pattern that repeats; see rte_umr_mkey_interleaved(). */
	RTE_UMR_LAYOUT_INTERLEAVED,
	/** Pieces of one size, that of the pool (RTE_UMR_MKEY_POOL_F_FIXED_SIZE). */
	RTE_UMR_LAYOUT_FIXED,
};

/** An entry of a layout of fixed-size pieces. */
struct rte_umr_fixed {
	uint64_t addr; /**< Address of the first byte; an offset for a memory key. */
	uint32_t lkey; /**< Key of a memory region, or a configured memory key. */
	uint32_t reserved; /**< Zero. */
};

/**
 * What a memory key is to be: one descriptor for any layout and any other property, by itself
 * (rte_umr_mkey_configure()) or in an array (rte_umr_mkey_configure_burst()).
 *
 * Fields that setters does not name are ignored, but for those that are reserved: zero in this
 * version. The first half is all that access and a layout need, so the usual operation is:
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
		const struct rte_umr_seg *segs; /**< Entries of a list. */
		const struct rte_umr_interleaved *interleaved; /**< Entries of a pattern. */
		const struct rte_umr_fixed *fixed; /**< Entries of one size. */
	};
	uint32_t nb_entries; /**< SET_LAYOUT: number of entries. */
	uint32_t access; /**< SET_ACCESS: bitwise OR of RTE_UMR_ACCESS_* of access_capa. */
	uint32_t setters; /**< Bitwise OR of RTE_UMR_MKEY_SET_* and RTE_UMR_MKEY_RESET_SIG, or 0. */
	uint8_t layout; /**< SET_LAYOUT: its type, enum rte_umr_layout_type. */
	uint8_t reserved[3]; /**< Zero. */
	uint32_t repeat; /**< Of an interleaved layout: how often, [1, UINT32_MAX]; else ignored. */
	uint32_t reserved_2; /**< Zero. */
	const struct rte_umr_sig *sig; /**< SET_SIG. */
	const struct rte_umr_crypto *crypto; /**< SET_CRYPTO. */
	uint64_t reserved_3; /**< Zero. */
};

/**
 * Create memory keys.
 *
 * @param dev_id
 *   Device identifier.
 * @param conf
 *   Configuration; copied.
 * @return
 *   The pool, freed by rte_umr_mkey_pool_destroy(), or NULL with rte_errno:
 *   - EINVAL: conf is NULL, nb_mkeys or max_entries is 0, cache_size is too big, a flag is unknown
 *     (logged), a reserved field is not 0 or the PD is of another device (logged)
 *   - ENODEV: no such device
 *   - EPERM: this is a secondary process (logged)
 *   - ENOTSUP: the device lacks the capability for a flag (logged)
 *   - ERANGE: nb_mkeys or max_entries is more than the device has, or log_entry_size is not what
 *     it has (logged)
 *   - ENOSPC: a queue that is set up has no room for the errors of so many keys with signatures;
 *     see rte_umr_queue_conf::nb_sig_mkeys (logged)
 *   - ENOMEM: out of memory
 *   - EIO or another errno: the device rejected a command (logged)
 */
__rte_experimental
struct rte_umr_mkey_pool *rte_umr_mkey_pool_create(int16_t dev_id,
						   const struct rte_umr_mkey_pool_conf *conf);

/**
 * Destroy memory keys. All of them must be back in the pool, and out of use.
 *
 * Not thread safe with other calls for the same pool.
 *
 * @param pool
 *   Pool; NULL is accepted. rte_umr_dev_close() does not do it.
 * @return
 *   0, or
 *   - -EINVAL: pool is no pool, or one that was destroyed (logged)
 *   - -EBUSY: keys have not been put back (logged with their number, which is what
 *     rte_umr_mkey_pool_avail() lacks of nb_mkeys); nothing was done
 *   - -EIO or another negative errno: the device rejected a command (logged); the pool is gone
 */
__rte_experimental
int rte_umr_mkey_pool_destroy(struct rte_umr_mkey_pool *pool);

/** Number of keys in the pool; those in caches of lcores count. */
__rte_experimental
uint32_t rte_umr_mkey_pool_avail(const struct rte_umr_mkey_pool *pool);

/**
 * Take keys from a pool: all or none. The tag of each one is advanced: rte_umr_mkey::key is the
 * value that the key will have when it is next configured. Until then its previous value keeps
 * its meaning, unless that was invalidated.
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
 *   - -ENOBUFS: fewer than nb keys are there (the caches of other lcores do not count)
 */
__rte_experimental
int rte_umr_mkey_get_bulk(struct rte_umr_mkey_pool *pool, struct rte_umr_mkey **mkeys,
			  uint32_t nb) __rte_warn_unused_result;

/**
 * Put keys back to their pool: all or none. A key keeps its layout, and its value works, until it
 * is configured again: invalidate it first if a peer must not use it any more. See struct
 * rte_umr_mkey.
 *
 * Operations that configure or use a key must have completed, unless its next owner enqueues on
 * the same queue: a pool does not know of queues.
 *
 * Thread safe. Whichever thread took a key may leave it to another one to put. A mistake is found
 * whichever thread, and cache, a key came from, but not if two threads put one key at the same
 * moment.
 *
 * @param pool
 *   Pool that the keys were taken from.
 * @param mkeys
 *   Array of nb keys, each of them once.
 * @param nb
 *   Number of keys.
 * @return
 *   0, or
 *   - -EINVAL: a pointer is NULL or anything else that did not come from this pool, or its key is
 *     in the pool already, or twice in the array (logged); nothing was put
 */
__rte_experimental
int rte_umr_mkey_put_bulk(struct rte_umr_mkey_pool *pool, struct rte_umr_mkey *const *mkeys,
			  uint32_t nb);

/**
 * Ask the device for the state of a key: for debugging and telemetry. It is a command to the
 * firmware, thousands of times slower than configuring the key. Operations that have not been
 * executed do not count.
 *
 * Thread safe for keys of which the pool stays.
 *
 * @param mkey
 *   Key; also one that is in its pool.
 * @param attr
 *   Written on success.
 * @return
 *   0, or
 *   - -EINVAL: a parameter is NULL
 *   - -ENODEV: the device of the key is closed
 *   - -EPERM: this is a secondary process (logged)
 *   - -ENOTSUP: the driver cannot
 *   - -EIO or another negative errno: the device rejected the command (logged)
 */
__rte_experimental
int rte_umr_mkey_query(const struct rte_umr_mkey *mkey, struct rte_umr_mkey_attr *attr);

#ifdef __cplusplus
}
#endif

#endif /* RTE_UMR_MKEY_H */
