/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <openssl/crypto.h>

#include "base/log.h"
#include "mem/bsf/dek.h"

const struct swhca_dek *
swhca_dek_get(const struct swhca_hca *hca, uint32_t num)
{
	return (const struct swhca_dek *)swhca_table_get(&hca->tables[SWHCA_OBJ_DEK], num);
}

enum swhca_fault
swhca_dek_check(const struct swhca_hca *hca, const struct swhca_mkey *mkey,
		const struct swhca_bsf_crypto *crypto)
{
	const struct swhca_dek *dek = swhca_dek_get(hca, crypto->dek);
	const char *why = NULL;

	if (dek == NULL)
		why = "does not exist";
	else if (dek->pd != mkey->pd)
		why = "is of another PD";
	else if (dek->has_keytag &&
		 CRYPTO_memcmp(dek->keytag, crypto->keytag, sizeof(dek->keytag)) != 0)
		why = "has another key tag";
	if (why == NULL)
		return SWHCA_FAULT_NONE;
	SWHCA_LOG(WARNING, "key 0x%x: DEK 0x%x %s", mkey->obj.num, crypto->dek, why);
	return SWHCA_FAULT_DEK;
}

void
swhca_dek_fini(struct swhca_hca *hca, struct swhca_obj *obj)
{
	struct swhca_dek *dek = (struct swhca_dek *)obj;

	(void)hca;
	swhca_obj_unref(dek->pd);
	OPENSSL_cleanse(dek->key, sizeof(dek->key));
	OPENSSL_cleanse(dek->keytag, sizeof(dek->keytag));
}
