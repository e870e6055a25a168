/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_DEK_H
#define SWHCA_DEK_H

/**
 * @file
 * Data encryption keys, and the logins that wrapped ones need.
 */

#include "swhca_bsf.h"
#include "swhca_crypto.h"
#include "swhca_mkey.h"
#include "swhca_object.h"

/** @return The key of that number, or NULL. */
const struct swhca_dek *swhca_dek_get(const struct swhca_hca *hca, uint32_t num);

/** Whether a memory key may use the key that its format names. */
enum swhca_fault swhca_dek_check(const struct swhca_hca *hca, const struct swhca_mkey *mkey,
				 const struct swhca_bsf_crypto *crypto);

#endif /* SWHCA_DEK_H */
