/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <stdlib.h>

#include "mem/mkey.h"
#include "mem/odp.h"
#include "mem/pin.h"
#include "object/buf.h"

struct swhca_mkey *
swhca_mkey_find(const struct swhca_hca *hca, uint32_t key, enum swhca_fault *fault)
{
	struct swhca_mkey *mkey;

	mkey = (struct swhca_mkey *)swhca_table_get(&hca->tables[SWHCA_OBJ_MKEY], key >> 8);
	if (mkey == NULL) {
		*fault = SWHCA_FAULT_NO_KEY;
		return NULL;
	}
	if (mkey->tag != (key & 0xff)) {
		*fault = SWHCA_FAULT_TAG;
		return NULL;
	}
	return mkey;
}

uint64_t
swhca_mkey_nb_present(const struct swhca_mkey *mkey, uint64_t first, uint32_t nb)
{
	uint64_t at = first * (PRM_KLM_SIZE / PRM_MTT_SIZE), entry, i, nb_present = 0;

	if (mkey->mode != PRM_MKC_ACCESS_MODE_MTT || !mkey->pg_access || mkey->free)
		return 0;
	for (i = 0; i < (uint64_t)nb * (PRM_KLM_SIZE / PRM_MTT_SIZE); i++) {
		entry = swhca_mkey_mtt(mkey, at + i);
		nb_present += (entry & PRM_MTT_RD_EN) != 0;
		nb_present += (entry & PRM_MTT_WR_EN) != 0;
	}
	return nb_present;
}

enum swhca_fault
swhca_mkey_find_inval(const struct swhca_hca *hca, const struct swhca_obj *pd, uint32_t qpn,
		      uint32_t rkey, struct swhca_mkey **found)
{
	enum swhca_fault fault = SWHCA_FAULT_NONE;
	struct swhca_mkey *mkey = swhca_mkey_find(hca, rkey, &fault);

	if (mkey == NULL)
		return fault;
	if (mkey->free)
		return SWHCA_FAULT_FREE;
	if (mkey->pd != pd)
		return SWHCA_FAULT_PD;
	if (mkey->qpn != PRM_MKC_QPN_ANY && mkey->qpn != qpn)
		return SWHCA_FAULT_QPN;
	/* Off for regions and windows of type 1 (mlx5_ib: mlx5_ib_alloc_mw()). */
	if ((!mkey->en_rinval && !swhca_has_quirk(hca, SWHCA_QUIRK_SEND_INV_UNMARKED)) ||
	    swhca_has_quirk(hca, SWHCA_QUIRK_SEND_INV_IMAICL))
		return SWHCA_FAULT_ACCESS;
	*found = mkey;
	return SWHCA_FAULT_NONE;
}

void
swhca_mkey_fini(struct swhca_hca *hca, struct swhca_obj *obj)
{
	struct swhca_mkey *mkey = (struct swhca_mkey *)obj;

	if (mkey->xlt != NULL)
		hca->nb_xlt -= mkey->nb_xlt;
	free(mkey->bsf);
	swhca_obj_unref(mkey->pd);
	if (mkey->umem != NULL)
		swhca_obj_unref(&mkey->umem->obj);
	swhca_obj_unref(mkey->memic);
	swhca_odp_fini(mkey->odp);
	swhca_pin_fini(mkey->pin);
	free(mkey->xlt);
}
