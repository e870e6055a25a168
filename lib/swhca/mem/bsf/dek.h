/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_MEM_BSF_DEK_H
#define SWHCA_MEM_BSF_DEK_H

/**
 * @file
 * Data encryption keys.
 */

#include "mem/bsf/bsf.h"
#include "mem/mkey.h"

/** Maximum size of an AES-XTS key pair, and of its tag, in bytes. */
#define SWHCA_DEK_MAX_KEY	64u
#define SWHCA_DEK_KEYTAG	8u

/** Data encryption key. */
struct swhca_dek {
	struct swhca_obj obj;
	struct swhca_obj *pd;
	uint8_t key[SWHCA_DEK_MAX_KEY];	/**< Data key followed by tweak key. */
	size_t key_len;			/**< Size of both: 32 or 64. */
	bool has_keytag;
	bool is_wrapped;		/**< Can only be queried in a login session. */
	uint8_t keytag[SWHCA_DEK_KEYTAG];
	uint64_t opaque;
};

/** @return The key with that number, or NULL. */
const struct swhca_dek *swhca_dek_get(const struct swhca_hca *hca, uint32_t num);
/** Check whether a memory key may use the key of its BSF. */
enum swhca_fault swhca_dek_check(const struct swhca_hca *hca, const struct swhca_mkey *mkey,
				 const struct swhca_bsf_crypto *crypto);
/** Erase a key before its memory is freed. */
void swhca_dek_fini(struct swhca_hca *hca, struct swhca_obj *obj);

#endif /* SWHCA_MEM_BSF_DEK_H */
