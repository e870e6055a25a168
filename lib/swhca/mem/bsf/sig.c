/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>

#include "base/log.h"
#include "mem/bsf/dek.h"
#include "mem/bsf/psv.h"
#include "mem/bsf/sig.h"

static int flow_push_from(struct swhca_flow *flow, enum swhca_flow_step step, const uint8_t *data,
			  size_t len);

/* Sum of a block, modified by the quirks of a device. */
static uint64_t
sum_with_quirks(const struct swhca_hca *hca, const struct swhca_sig_domain *conf, uint64_t sum)
{
	switch (conf->type) {
	case SWHCA_SIG_T10DIF_CRC:
		return conf->seed_ones && swhca_has_quirk(hca, SWHCA_QUIRK_T10DIF_SEED) ? ~sum :
											  sum;
	case SWHCA_SIG_T10DIF_CSUM:
		return swhca_has_quirk(hca, SWHCA_QUIRK_T10DIF_CHECKSUM) ? ~sum : sum;
	case SWHCA_SIG_CRC32:
		if (!conf->seed_ones)
			return swhca_has_quirk(hca, SWHCA_QUIRK_CRC32_SEED_ZERO) ? ~sum : sum;
		return swhca_has_quirk(hca, SWHCA_QUIRK_CRC32_FIELD) ?
			       __builtin_bswap32((uint32_t)sum) : sum;
	case SWHCA_SIG_CRC32C:
		return swhca_has_quirk(hca, SWHCA_QUIRK_CRC32C_FIELD) ? ~sum : sum;
	case SWHCA_SIG_CRC64_XP10:
		return swhca_has_quirk(hca, SWHCA_QUIRK_CRC64_FIELD) ? __builtin_bswap64(sum) : sum;
	default:
		return sum;
	}
}

/* Distance of the reference tag of the current block from the first one. */
static uint32_t
ref_step(const struct swhca_flow_domain *domain)
{
	if (swhca_has_quirk(domain->hca, SWHCA_QUIRK_REFERENCE_NEXT))
		return (uint32_t)domain->first;
	if (swhca_has_quirk(domain->hca, SWHCA_QUIRK_REFERENCE_OFFSET))
		return (uint32_t)(domain->index - domain->first);
	return (uint32_t)domain->index;
}

/* Make the signature field of the current block, as this domain writes it. */
static void
field_make(const struct swhca_flow_domain *domain, uint8_t *field)
{
	const struct swhca_sig_domain *conf = domain->conf;
	uint64_t sum = sum_with_quirks(domain->hca, conf, swhca_sig_sum_final(&domain->sum));
	uint16_t be_guard, be_app;
	uint32_t be_ref, ref, i;

	if (!swhca_sig_is_t10dif(conf->type)) {
		for (i = 0; i < domain->field_len; i++)
			field[i] = (uint8_t)(sum >> (8 * i));
		return;
	}
	ref = conf->refresh ? conf->ref_tag : PRM_PSV_REF_TAG(domain->psv);
	if (conf->inc_ref)
		ref += ref_step(domain);
	be_guard = htobe16((uint16_t)sum);
	be_app = htobe16(conf->refresh ? conf->app_tag : PRM_PSV_APP_TAG(domain->psv));
	if (swhca_has_quirk(domain->hca, SWHCA_QUIRK_T10DIF_FIELD))
		be_app = __builtin_bswap16(be_app);
	be_ref = htobe32(ref);
	memcpy(field, &be_guard, sizeof(be_guard));
	memcpy(field + 2, &be_app, sizeof(be_app));
	memcpy(field + 4, &be_ref, sizeof(be_ref));
}

/*
 * Bit of a byte mask for byte i of a field: bit 7 is the guard's first byte or the highest byte of
 * the CRC, which is last (mlx5dv_wr_set_mkey_sig_block(3), layout of check_mask).
 */
static uint8_t
mask_bit(const struct swhca_flow_domain *domain, uint32_t i)
{
	if (swhca_sig_is_t10dif(domain->conf->type))
		return (uint8_t)(0x80u >> i);
	return (uint8_t)(0x80u >> (domain->field_len - 1 - i));
}

static void
domain_begin_block(struct swhca_flow_domain *domain)
{
	domain->pos = 0;
	swhca_sig_sum_init(&domain->sum, domain->conf->type, domain->conf->seed_ones);
}

/* Field in an error CQE: guard and application tag, reference tag; or the CRC. */
static uint64_t
field_value(const struct swhca_flow_domain *domain, const uint8_t *field)
{
	uint64_t value = 0;
	uint32_t i;

	if (swhca_sig_is_t10dif(domain->conf->type)) {
		memcpy(&value, field, sizeof(value));
		return be64toh(value);
	}
	for (i = 0; i < domain->field_len; i++)
		value |= (uint64_t)field[i] << (8 * i);
	/* 32-bit sums are in the high half. */
	return domain->field_len == 4 ? value << 32 : value;
}

/* First difference in the order guard, app tag, ref tag, as PRM_SIGERR_SYNDROME_*. */
static uint16_t
field_compare(const struct swhca_flow_domain *domain, const uint8_t *expected, uint8_t check_mask)
{
	bool is_t10dif = swhca_sig_is_t10dif(domain->conf->type);
	uint16_t app_mask = domain->conf->app_mask;
	uint8_t diff;
	uint32_t i;

	for (i = 0; i < domain->field_len; i++) {
		diff = domain->field[i] ^ expected[i];
		if (is_t10dif && i == 2)
			diff &= (uint8_t)(app_mask >> 8);
		else if (is_t10dif && i == 3)
			diff &= (uint8_t)app_mask;
		if (diff == 0 || (check_mask & mask_bit(domain, i)) == 0)
			continue;
		if (!is_t10dif || i < 2)
			return PRM_SIGERR_SYNDROME_GUARD;
		return i < 4 ? PRM_SIGERR_SYNDROME_APPTAG : PRM_SIGERR_SYNDROME_REFTAG;
	}
	return 0;
}

/* A block marked so by its owner is not checked (T10 SBC-3, 4.22). */
static bool
field_escapes(const struct swhca_flow_domain *domain)
{
	const uint8_t *field = domain->field;

	if (domain->conf->escape == SWHCA_SIG_ESCAPE_NONE || field[2] != 0xff || field[3] != 0xff)
		return false;
	return domain->conf->escape == SWHCA_SIG_ESCAPE_APP ||
	       memcmp(field + 4, "\xff\xff\xff\xff", 4) == 0;
}

/*
 * An error is reported once: further ones are suppressed until a UMR expects the next
 * (mkc.expected_sigerr_count differs from the number of reports) and SET_PSV has renewed the
 * initial signature.
 */
static void
strip_report(struct swhca_flow *flow, uint16_t syndrome, const uint8_t *actual)
{
	const struct swhca_flow_domain *domain = &flow->strip;
	const struct swhca_xform *xform = flow->xform;
	struct swhca_mkey *mkey = xform->mkey;
	const struct swhca_sig_error error = {
		.key = mkey->obj.num << 8 | mkey->tag,
		.qpn = xform->qpn,
		.syndrome = syndrome,
		.is_memory = xform->to_wire,
		.is_trans = domain->conf->is_trans,
		.expected = field_value(domain, domain->field),
		.actual = field_value(domain, actual),
		.offset = domain->index * ((uint64_t)domain->conf->block + domain->field_len),
	};
	struct swhca_psv *psv;

	psv = swhca_psv_get(xform->hca, domain->conf->psv);
	if ((psv->syndrome != 0 || mkey->sigerr_expected == mkey->sigerr_count) &&
	    !swhca_has_quirk(xform->hca, SWHCA_QUIRK_SIGERR_ONCE))
		return;
	psv->syndrome = syndrome;
	mkey->sigerr_count = mkey->sigerr_expected;
	xform->hca->fabric->sig_error(xform, &error);
}

static void
strip_check(struct swhca_flow *flow)
{
	struct swhca_flow_domain *domain = &flow->strip;
	uint8_t actual[SWHCA_SIG_MAX_FIELD];
	uint16_t syndrome;

	if (field_escapes(domain))
		return;
	field_make(domain, actual);
	syndrome = field_compare(domain, actual, flow->sig->check_mask);
	if (syndrome != 0)
		strip_report(flow, syndrome, actual);
}

/* Check whether output signatures wait for input signatures. */
static bool
flow_copies(const struct swhca_flow *flow)
{
	return flow->sig->same_structure && flow->strip.conf != NULL && flow->insert.conf != NULL;
}

/* Byte i of a signature of the same structure has arrived: copy it, or output the generated one. */
static int
insert_copy(struct swhca_flow *flow, uint32_t i, uint8_t byte)
{
	struct swhca_flow_domain *domain = &flow->insert;

	if ((flow->sig->copy_mask & mask_bit(domain, i)) == 0)
		byte = domain->field[i];
	if (i + 1 == domain->field_len) {
		domain->index++;
		domain_begin_block(domain);
	}
	return flow_push_from(flow, SWHCA_FLOW_INSERT + 1, &byte, 1);
}

static int
strip_field(struct swhca_flow *flow, const uint8_t *data, size_t len)
{
	struct swhca_flow_domain *domain = &flow->strip;
	uint32_t at = (uint32_t)(domain->pos - domain->conf->block);
	size_t i;
	int ret;

	memcpy(domain->field + at, data, len);
	domain->pos += len;
	if (at + len == domain->field_len)
		strip_check(flow);
	for (i = 0; flow_copies(flow) && i < len; i++) {
		ret = insert_copy(flow, at + (uint32_t)i, data[i]);
		if (ret != 0)
			return ret;
	}
	if (at + len == domain->field_len && !domain->conf->is_trans) {
		domain->index++;
		domain_begin_block(domain);
	}
	return 0;
}

static int
strip_push(struct swhca_flow *flow, const uint8_t *data, size_t len)
{
	struct swhca_flow_domain *domain = &flow->strip;
	uint64_t block = domain->conf->block, room;
	size_t nb;
	int ret;

	for (; len > 0; data += nb, len -= nb) {
		room = domain->pos < block ? block - domain->pos :
					     block + domain->field_len - domain->pos;
		nb = len < room ? len : (size_t)room;
		if (domain->pos >= block) {
			ret = strip_field(flow, data, nb);
		} else {
			swhca_sig_sum_update(&domain->sum, data, nb);
			domain->pos += nb;
			ret = flow_push_from(flow, SWHCA_FLOW_STRIP + 1, data, nb);
		}
		if (ret != 0)
			return ret;
	}
	return 0;
}

static int
insert_push(struct swhca_flow *flow, const uint8_t *data, size_t len)
{
	struct swhca_flow_domain *domain = &flow->insert;
	uint64_t room;
	size_t nb;
	int ret;

	for (; len > 0; data += nb, len -= nb) {
		room = domain->conf->block - domain->pos;
		nb = len < room ? len : (size_t)room;
		swhca_sig_sum_update(&domain->sum, data, nb);
		domain->pos += nb;
		ret = flow_push_from(flow, SWHCA_FLOW_INSERT + 1, data, nb);
		if (ret != 0)
			return ret;
		/* The field of a transaction waits for the end, as it may be transferred alone. */
		if (domain->pos < domain->conf->block || domain->conf->is_trans)
			continue;
		field_make(domain, domain->field);
		if (flow_copies(flow))
			continue;
		ret = flow_push_from(flow, SWHCA_FLOW_INSERT + 1, domain->field, domain->field_len);
		if (ret != 0)
			return ret;
		domain->index++;
		domain_begin_block(domain);
	}
	return 0;
}

static int
cipher_push(struct swhca_flow *flow, const uint8_t *data, size_t len)
{
	struct swhca_cipher *cipher = &flow->cipher;
	size_t nb, nb_done;
	int ret;

	for (; len > 0; data += nb, len -= nb) {
		nb = swhca_cipher_take(cipher, data, len, &nb_done);
		ret = flow_push_from(flow, flow->cipher_at + 1, cipher->done, nb_done);
		if (ret != 0)
			return ret;
	}
	return 0;
}

static int
flow_push_from(struct swhca_flow *flow, enum swhca_flow_step step, const uint8_t *data, size_t len)
{
	if (len == 0)
		return 0;
	for (; step < SWHCA_FLOW_OUT; step++) {
		if (step == flow->cipher_at)
			return cipher_push(flow, data, len);
		if (step == SWHCA_FLOW_STRIP && flow->strip.conf != NULL)
			return strip_push(flow, data, len);
		if (step == SWHCA_FLOW_INSERT && flow->insert.conf != NULL)
			return insert_push(flow, data, len);
	}
	return flow->out(flow->arg, data, len);
}

int
swhca_flow_push(struct swhca_flow *flow, const uint8_t *data, size_t len)
{
	return flow_push_from(flow, SWHCA_FLOW_CIPHER_FIRST, data, len);
}

/* Save the sum of a transaction in its PSV for the next transfer. */
static void
trans_save(const struct swhca_flow *flow, const struct swhca_flow_domain *domain)
{
	struct swhca_psv *psv;

	if (domain->conf == NULL || !domain->conf->is_trans)
		return;
	psv = swhca_psv_get(flow->xform->hca, domain->conf->psv);
	psv->transient = PRM_PSV_CRC32(domain->sum.value);
}

/* Check whether the field of a transaction is part of this transfer. */
static bool
trans_is_due(const struct swhca_flow *flow)
{
	const struct swhca_flow_domain *domain = &flow->insert;
	const struct swhca_xform *xform = flow->xform;

	if (domain->conf == NULL || !domain->conf->is_trans || domain->field_len == 0 ||
	    domain->pos != domain->conf->block)
		return false;
	/* In memory it follows the last byte; on the wire the transfer determines it. */
	return !xform->to_wire || xform->wire_off + xform->wire_len > domain->conf->block;
}

static int
trans_end(struct swhca_flow *flow)
{
	struct swhca_flow_domain *domain = &flow->insert;

	trans_save(flow, &flow->strip);
	trans_save(flow, domain);
	if (!trans_is_due(flow))
		return 0;
	field_make(domain, domain->field);
	return flow_push_from(flow, SWHCA_FLOW_INSERT + 1, domain->field, domain->field_len);
}

int
swhca_flow_end(struct swhca_flow *flow)
{
	size_t nb;
	int ret;

	if (flow->cipher_at != SWHCA_FLOW_OUT) {
		nb = swhca_cipher_end(&flow->cipher);
		ret = flow_push_from(flow, flow->cipher_at + 1, flow->cipher.done, nb);
		if (ret != 0)
			return ret;
	}
	return trans_end(flow);
}

static void
flow_domain_init(struct swhca_flow_domain *domain, const struct swhca_xform *xform,
		 const struct swhca_sig_domain *conf)
{
	const struct swhca_psv *psv;

	*domain = (struct swhca_flow_domain){ 0 };
	if (conf->type == SWHCA_SIG_NONE)
		return;
	psv = swhca_psv_get(xform->hca, conf->psv);
	domain->conf = conf;
	domain->hca = xform->hca;
	domain->psv = psv->transient;
	domain->field_len = swhca_sig_domain_field(conf);
	domain->index = conf->is_trans ? 0 : xform->data_off / conf->block;
	domain->first = domain->index;
	domain_begin_block(domain);
	if (!conf->is_trans)
		return;
	domain->pos = xform->data_off;
	if (!conf->t_init || domain->pos != 0)
		domain->sum.value = PRM_PSV_CRC32_SUM(psv->transient);
}

/* Position of the cipher for bytes from or to memory (enum prm_bsf_enc_order). */
static enum swhca_flow_step
cipher_step(enum prm_bsf_enc_order order, bool to_wire)
{
	switch (order) {
	case PRM_BSF_ENC_WIRE_SIGNATURE:
		return to_wire ? SWHCA_FLOW_CIPHER_LAST : SWHCA_FLOW_CIPHER_FIRST;
	case PRM_BSF_ENC_MEMORY_SIGNATURE:
		return to_wire ? SWHCA_FLOW_CIPHER_FIRST : SWHCA_FLOW_CIPHER_LAST;
	case PRM_BSF_ENC_RAW_WIRE:
	case PRM_BSF_ENC_RAW_MEMORY:
	default:
		return SWHCA_FLOW_CIPHER_MIDDLE;
	}
}

/*
 * The cipher needs the number of the first data unit in little endian. A device that counts units
 * by itself has it in big endian (aes_xts_multi_block_be_tweak), others do not.
 */
static void
tweak_take(const struct swhca_hca *hca, const struct swhca_bsf_crypto *crypto, uint8_t *tweak)
{
	bool is_be = swhca_model_has(hca->conf.model, SWHCA_FEATURE_XTS_MULTI_BLOCK);
	size_t i;

	for (i = 0; i < SWHCA_XTS_TWEAK_SIZE; i++)
		tweak[i] = crypto->tweak[is_be ? SWHCA_XTS_TWEAK_SIZE - 1 - i : i];
}

static int
flow_cipher_init(struct swhca_flow *flow, const struct swhca_bsf_crypto *crypto)
{
	const struct swhca_xform *xform = flow->xform;
	const struct swhca_dek *dek = swhca_dek_get(xform->hca, crypto->dek);
	bool wire_is_encrypted = crypto->order == PRM_BSF_ENC_WIRE_SIGNATURE ||
				 crypto->order == PRM_BSF_ENC_RAW_WIRE;
	uint64_t first = xform->cipher_off / crypto->unit;
	uint8_t tweak[SWHCA_XTS_TWEAK_SIZE];

	if (swhca_has_quirk(xform->hca, SWHCA_QUIRK_CRYPTO_TWEAK_OFFSET))
		first = 0;
	tweak_take(xform->hca, crypto, tweak);
	flow->cipher_at = cipher_step(crypto->order, xform->to_wire);
	return swhca_cipher_init(&flow->cipher, dek->key, dek->key_len, tweak,
				 first, crypto->unit,
				 wire_is_encrypted == xform->to_wire);
}

int
swhca_flow_init(struct swhca_flow *flow, const struct swhca_xform *xform, swhca_flow_out out,
		void *arg)
{
	const struct swhca_bsf *bsf = xform->mkey->bsf;
	const struct swhca_sig_domain *from = xform->to_wire ? &bsf->sig.mem : &bsf->sig.wire;
	const struct swhca_sig_domain *to = xform->to_wire ? &bsf->sig.wire : &bsf->sig.mem;

	flow->xform = xform;
	flow->sig = &bsf->sig;
	flow->out = out;
	flow->arg = arg;
	flow->cipher.ctx = NULL;
	flow->cipher_at = SWHCA_FLOW_OUT;
	flow_domain_init(&flow->strip, xform, from);
	flow_domain_init(&flow->insert, xform, to);
	return bsf->has_crypto ? flow_cipher_init(flow, &bsf->crypto) : 0;
}

void
swhca_flow_fini(struct swhca_flow *flow)
{
	swhca_cipher_fini(&flow->cipher);
}
