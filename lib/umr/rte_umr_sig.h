/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef RTE_UMR_SIG_H
#define RTE_UMR_SIG_H

/**
 * @file
 *
 * Signatures of memory keys. Included by rte_umr.h, which describes the model.
 *
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
 * no adapter was asked. Where tags increment, move a key from its first block on.
 *
 * A field that is wrong does not fail the transfer: the data arrive, and the key remembers the
 * error until rte_umr_mkey_check() reads it. One error is told between two configurations of a
 * key; the next configuration makes it ready for another.
 *
 * Keys with signatures come from a pool with RTE_UMR_MKEY_POOL_F_SIG and are configured by
 * rte_umr_mkey_configure() with RTE_UMR_MKEY_SET_SIG. All queues of the device must have been set
 * up with room for their errors: rte_umr_queue_conf::nb_sig_mkeys.
 */

#include <stdbool.h>
#include <stdint.h>

#include <rte_bitops.h>
#include <rte_common.h>
#include <rte_compat.h>

#include "rte_umr_core.h"
#include "rte_umr_mem.h"

#ifdef __cplusplus
extern "C" {
#endif

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
};

/** Bytes of the field that a signature of that type has behind its data; 0 for none. */
__rte_experimental
static inline uint32_t
rte_umr_sig_size(enum rte_umr_sig_type type)
{
	switch (type) {
	case RTE_UMR_SIG_CRC32:
	case RTE_UMR_SIG_CRC32C:
		return 4;
	case RTE_UMR_SIG_T10DIF_CRC:
	case RTE_UMR_SIG_T10DIF_CSUM:
	case RTE_UMR_SIG_CRC64_XP10:
		return 8;
	case RTE_UMR_SIG_NONE:
	default:
		return 0;
	}
}

/**
 * Read the error of a memory key with a signature, and forget it.
 *
 * The error of a transfer is there when the operation has been collected, on the side whose key
 * it is: a write or read of this device by rte_umr_completed() or rte_umr_completed_status() of
 * its queue; a transfer of the peer by rte_umr_recv_completed() of the queue that it came to, or,
 * if that one has no receives, by the former. The error is kept until it is read, the key is put
 * back to its pool, or the next one takes its place.
 *
 * An error tells the key, but not which of its configurations, and the device tells the next one
 * only when the key was configured again behind it. So collect what was moved before the key is
 * configured again: on all queues that moved it, also behind operations that were flushed. An error
 * that is collected later counts as one of the key as it is then, is decoded by the types of that
 * signature, and what the new configuration finds is not told.
 *
 * Thread safe, also with operations on the key.
 *
 * @param mkey
 *   Key of a pool with RTE_UMR_MKEY_POOL_F_SIG; its device is started.
 * @param error
 *   Written on success; type is RTE_UMR_MKEY_ERROR_NONE if there is no error.
 * @return
 *   0, or
 *   - -ENOTSUP: the pool of the key was made without RTE_UMR_MKEY_POOL_F_SIG (logged)
 *   - -EPROTO: the device told an error that this key cannot have (logged); it is forgotten
 *   - -ENODEV: the device is not started
 */
__rte_experimental
static inline int
rte_umr_mkey_check(struct rte_umr_mkey *mkey, struct rte_umr_mkey_error *error)
{
	return rte_umr_fp_objs[mkey->dev_id].mkey_check(mkey, error);
}

#ifdef __cplusplus
}
#endif

#endif /* RTE_UMR_SIG_H */
