/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Memory needed by an access to the wire side of a key, and checks of its start and end. */

#include "base/log.h"
#include "mem/bsf/dek.h"
#include "mem/bsf/psv.h"
#include "mem/bsf/sig.h"
#include "mem/bsf/sig_plan.h"

/* Larger offsets would overflow sums; no memory is that large. */
#define MAX_OFFSET (UINT64_C(1) << 62)

/* Number of data bytes before offset pos of a signed domain. */
static uint64_t
data_before(const struct swhca_sig_domain *domain, uint64_t pos)
{
	uint64_t full = (uint64_t)domain->block + swhca_sig_domain_field(domain), rest;

	if (domain->type == SWHCA_SIG_NONE)
		return pos;
	if (domain->is_trans)
		return pos < domain->block ? pos : domain->block;
	rest = pos % full;
	return pos / full * domain->block + (rest < domain->block ? rest : domain->block);
}

/* Size of a signed domain up to data byte pos, including signatures of complete blocks. */
static uint64_t
domain_before(const struct swhca_sig_domain *domain, uint64_t pos)
{
	if (domain->type == SWHCA_SIG_NONE)
		return pos;
	return pos / domain->block *
		       ((uint64_t)domain->block + swhca_sig_domain_field(domain)) +
	       pos % domain->block;
}

/*
 * A transfer begins at a block of both domains. A transaction continues anywhere the last transfer
 * ended, possibly with only its field, but not within the field.
 */
static enum swhca_fault
check_range(const struct swhca_xform *xform)
{
	const struct swhca_bsf_sig *sig = &xform->mkey->bsf->sig;
	uint64_t wire_end = xform->wire_off + xform->wire_len, size;

	if (sig->wire.is_trans) {
		size = (uint64_t)sig->wire.block + swhca_sig_domain_field(&sig->wire);
		if (wire_end > size)
			return SWHCA_FAULT_BOUNDS;
		if (xform->wire_off > sig->wire.block ||
		    (wire_end > sig->wire.block && wire_end != size))
			return SWHCA_FAULT_BLOCK;
		return SWHCA_FAULT_NONE;
	}
	if (domain_before(&sig->wire, xform->data_off) != xform->wire_off ||
	    (sig->wire.type != SWHCA_SIG_NONE && xform->data_off % sig->wire.block != 0) ||
	    (sig->mem.type != SWHCA_SIG_NONE && !sig->mem.is_trans &&
	     xform->data_off % sig->mem.block != 0))
		return SWHCA_FAULT_BLOCK;
	return SWHCA_FAULT_NONE;
}

static bool
is_psv_ready(const struct swhca_hca *hca, const struct swhca_mkey *mkey,
	     const struct swhca_sig_domain *domain)
{
	const struct swhca_psv *psv;

	if (domain->type == SWHCA_SIG_NONE)
		return true;
	psv = swhca_psv_get(hca, domain->psv);
	if (psv != NULL && psv->pd == mkey->pd)
		return true;
	SWHCA_LOG(WARNING, "key 0x%x: PSV 0x%x %s", mkey->obj.num, domain->psv,
		  psv == NULL ? "does not exist" : "is of another PD");
	return false;
}

static enum swhca_fault
plan_sig(const struct swhca_hca *hca, struct swhca_xform *xform, uint64_t *data_end)
{
	const struct swhca_bsf_sig *sig = &xform->mkey->bsf->sig;
	uint64_t wire_end = xform->wire_off + xform->wire_len;
	enum swhca_fault fault;

	xform->data_off = data_before(&sig->wire, xform->wire_off);
	*data_end = data_before(&sig->wire, wire_end);
	fault = check_range(xform);
	if (fault != SWHCA_FAULT_NONE)
		return fault;
	if (xform->mkey->bsf->has_sig && *data_end > sig->raw_size)
		return SWHCA_FAULT_BOUNDS;
	if (!is_psv_ready(hca, xform->mkey, &sig->mem) ||
	    !is_psv_ready(hca, xform->mkey, &sig->wire))
		return SWHCA_FAULT_BSF;
	xform->mem_off = domain_before(&sig->mem, xform->data_off);
	xform->mem_len = domain_before(&sig->mem, *data_end) - xform->mem_off;
	if (sig->same_structure && sig->mem.type != SWHCA_SIG_NONE)
		xform->mem_len = xform->wire_len;
	return SWHCA_FAULT_NONE;
}

/*
 * The cipher begins at a data unit, and its last one may be short by whole AES blocks
 * (mlx5dv_wr_set_mkey_crypto(3), job size).
 */
static enum swhca_fault
plan_crypto(const struct swhca_hca *hca, struct swhca_xform *xform, uint64_t data_end)
{
	const struct swhca_bsf_crypto *crypto = &xform->mkey->bsf->crypto;
	uint64_t len, rest;

	switch (crypto->order) {
	case PRM_BSF_ENC_WIRE_SIGNATURE:
		xform->cipher_off = xform->wire_off;
		len = xform->wire_len;
		break;
	case PRM_BSF_ENC_MEMORY_SIGNATURE:
		xform->cipher_off = xform->mem_off;
		len = xform->mem_len;
		break;
	case PRM_BSF_ENC_RAW_WIRE:
	case PRM_BSF_ENC_RAW_MEMORY:
	default:
		xform->cipher_off = xform->data_off;
		len = data_end - xform->data_off;
		break;
	}
	/* Only the field of a transaction. */
	if (len == 0)
		return swhca_dek_check(hca, xform->mkey, crypto);
	rest = len % crypto->unit;
	if (xform->cipher_off % crypto->unit != 0)
		return SWHCA_FAULT_BLOCK;
	if (rest != 0 && (len % SWHCA_CIPHER_MIN_UNIT != 0 || rest < SWHCA_CIPHER_MIN_UNIT ||
			  rest > crypto->unit - SWHCA_CIPHER_MIN_UNIT))
		return SWHCA_FAULT_UNIT;
	if (!swhca_model_has(hca->conf.model, SWHCA_FEATURE_XTS_MULTI_BLOCK) &&
	    xform->cipher_off + len > crypto->unit)
		return SWHCA_FAULT_UNIT;
	if (data_end > crypto->raw_size)
		return SWHCA_FAULT_BOUNDS;
	return swhca_dek_check(hca, xform->mkey, crypto);
}

enum swhca_fault
swhca_xform_plan(const struct swhca_hca *hca, struct swhca_xform *xform)
{
	const struct swhca_mkey *mkey = xform->mkey;
	enum swhca_fault fault;
	uint64_t data_end;

	if (!mkey->bsf_en || mkey->bsf == NULL ||
	    !(mkey->crypto_en ? mkey->bsf->has_crypto : mkey->bsf->has_sig))
		return SWHCA_FAULT_BSF;
	if (xform->wire_off > MAX_OFFSET || xform->wire_len > MAX_OFFSET)
		return SWHCA_FAULT_BOUNDS;
	fault = plan_sig(hca, xform, &data_end);
	if (fault == SWHCA_FAULT_NONE && mkey->bsf->has_crypto)
		fault = plan_crypto(hca, xform, data_end);
	return fault;
}
