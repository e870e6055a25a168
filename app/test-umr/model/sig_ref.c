/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <string.h>

#include "model/sig_ref.h"

/* Polynomials: T10-DIF starts with the highest bit, the others are reflected. */
#define POLY_T10DIF	UINT16_C(0x8bb7)		/* SBC-3 */
#define POLY_CRC32	UINT64_C(0xedb88320)		/* IEEE 802.3 */
#define POLY_CRC32C	UINT64_C(0x82f63b78)		/* RFC 3720 */
#define POLY_CRC64	UINT64_C(0x9a6c9329ac4bc9b5)	/* NVMe */

static uint16_t
crc_t10dif(uint16_t crc, const uint8_t *data, uint32_t len)
{
	for (uint32_t i = 0; i < len; i++) {
		crc = (uint16_t)(crc ^ data[i] << 8);
		for (unsigned int bit = 0; bit < 8; bit++)
			crc = (uint16_t)(crc << 1 ^ (crc & 0x8000 ? POLY_T10DIF : 0));
	}
	return crc;
}

/* RFC 1071, over big-endian 16-bit words. */
static uint16_t
checksum(uint16_t seed, const uint8_t *data, uint32_t len)
{
	uint64_t sum = seed;

	for (uint32_t i = 0; i < len; i++)
		sum += i & 1 ? data[i] : (uint64_t)data[i] << 8;
	while (sum > UINT16_MAX)
		sum = (sum & UINT16_MAX) + (sum >> 16);
	return (uint16_t)~sum;
}

static uint64_t
crc_reflected(uint64_t crc, uint64_t poly, const uint8_t *data, uint32_t len)
{
	for (uint32_t i = 0; i < len; i++) {
		crc ^= data[i];
		for (unsigned int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? poly : 0);
	}
	return crc;
}

static void
store_big(uint8_t *dst, uint64_t value, unsigned int len)
{
	for (unsigned int i = 0; i < len; i++)
		dst[i] = (uint8_t)(value >> 8 * (len - 1 - i));
}

/* A CRC is inverted at the end and stored with the lowest byte first. */
static void
store_crc(uint8_t *dst, uint64_t crc, unsigned int len)
{
	for (unsigned int i = 0; i < len; i++)
		dst[i] = (uint8_t)(~crc >> 8 * i);
}

static void
t10dif_field(const struct rte_umr_sig_domain *domain, uint64_t index, uint16_t guard,
	     uint8_t *field)
{
	uint32_t ref_tag = domain->ref_tag;

	if ((domain->flags & RTE_UMR_SIG_DOMAIN_F_REF_INCREMENT) != 0)
		ref_tag += (uint32_t)index;
	store_big(field, guard, 2);
	store_big(field + 2, domain->app_tag, 2);
	store_big(field + 4, ref_tag, 4);
}

/* Write the field after block number index. */
static void
sig_field(const struct rte_umr_sig_domain *domain, uint64_t index, const uint8_t *block,
	  uint8_t *field)
{
	const uint32_t len = domain->block_size;
	bool is_ones = (domain->flags & RTE_UMR_SIG_DOMAIN_F_SEED_ONES) != 0;
	uint64_t seed = is_ones ? UINT64_MAX : 0;

	switch (domain->type) {
	case RTE_UMR_SIG_T10DIF_CRC:
		t10dif_field(domain, index, crc_t10dif((uint16_t)seed, block, len), field);
		break;
	case RTE_UMR_SIG_T10DIF_CSUM:
		t10dif_field(domain, index, checksum((uint16_t)seed, block, len), field);
		break;
	case RTE_UMR_SIG_CRC32:
		store_crc(field, crc_reflected((uint32_t)seed, POLY_CRC32, block, len), 4);
		break;
	case RTE_UMR_SIG_CRC32C:
		store_crc(field, crc_reflected((uint32_t)seed, POLY_CRC32C, block, len), 4);
		break;
	case RTE_UMR_SIG_CRC64_XP10:
		store_crc(field, crc_reflected(seed, POLY_CRC64, block, len), 8);
		break;
	default:
		break;
	}
}

void
sig_ref_trans(const struct rte_umr_sig_domain *domain, const uint8_t *data, uint32_t len,
	      uint8_t *field)
{
	uint32_t seed = (domain->flags & RTE_UMR_SIG_DOMAIN_F_SEED_ONES) != 0 ? UINT32_MAX : 0;

	store_crc(field, crc_reflected(seed, POLY_CRC32C, data, len), 4);
}

uint64_t
sig_ref_insert(const struct rte_umr_sig_domain *domain, const uint8_t *in, uint64_t len,
	       uint8_t *out)
{
	if (domain->type == RTE_UMR_SIG_NONE ||
	    (domain->flags & RTE_UMR_SIG_DOMAIN_F_TRANSACTION) == 0) {
		sig_pass_image(domain, 0, len, in, out);
		return sig_pass_len(domain, len);
	}
	memcpy(out, in, len);
	sig_ref_trans(domain, in, (uint32_t)len, out + len);
	return len + rte_umr_sig_size(domain->type);
}

uint64_t
sig_ref_strip(const struct rte_umr_sig_domain *domain, const uint8_t *in, uint64_t len,
	      uint8_t *out)
{
	const uint32_t size = rte_umr_sig_size(domain->type), block = domain->block_size;
	uint64_t nb;

	if (size == 0) {
		memcpy(out, in, len);
		return len;
	}
	if ((domain->flags & RTE_UMR_SIG_DOMAIN_F_TRANSACTION) != 0) {
		memcpy(out, in, len - size);
		return len - size;
	}
	nb = len / (block + size);
	for (uint64_t i = 0; i < nb; i++)
		memcpy(out + i * block, in + i * (block + size), block);
	return nb * block;
}

static bool
is_t10dif(const struct rte_umr_sig_domain *domain)
{
	return domain->type == RTE_UMR_SIG_T10DIF_CRC || domain->type == RTE_UMR_SIG_T10DIF_CSUM;
}

/** Bytes of the field after each block. */
static uint32_t
field_len(const struct rte_umr_sig_domain *domain)
{
	return rte_umr_sig_size((enum rte_umr_sig_type)domain->type);
}

uint64_t
sig_pass_len(const struct rte_umr_sig_domain *domain, uint64_t data_len)
{
	if (domain->type == RTE_UMR_SIG_NONE)
		return data_len;
	return data_len / domain->block_size * (domain->block_size + field_len(domain));
}

void
sig_pass_image(const struct rte_umr_sig_domain *domain, uint64_t data_from, uint64_t data_len,
	       const uint8_t *data, uint8_t *out)
{
	uint64_t index;

	if (domain->type == RTE_UMR_SIG_NONE) {
		memcpy(out, data, data_len);
		return;
	}
	index = data_from / domain->block_size;
	for (; data_len != 0; data_len -= domain->block_size, data += domain->block_size) {
		memcpy(out, data, domain->block_size);
		out += domain->block_size;
		sig_field(domain, index++, data, out);
		out += field_len(domain);
	}
}

/* Whether a mask includes byte i of a field. */
static bool
has_byte(const struct rte_umr_sig_domain *domain, uint8_t mask, uint32_t i)
{
	uint32_t rank = is_t10dif(domain) ? i : field_len(domain) - 1 - i;

	return (mask & 0x80u >> rank) != 0;
}

static bool
is_escaped(const struct rte_umr_sig_domain *domain, const uint8_t *field)
{
	bool has_app, has_ref;

	if (!is_t10dif(domain))
		return false;
	has_app = field[2] == 0xff && field[3] == 0xff;
	has_ref = memcmp(field + 4, "\xff\xff\xff\xff", 4) == 0;
	if ((domain->flags & RTE_UMR_SIG_DOMAIN_F_APP_REF_ESCAPE) != 0)
		return has_app && has_ref;
	return (domain->flags & RTE_UMR_SIG_DOMAIN_F_APP_ESCAPE) != 0 && has_app;
}

/* Value of bytes [from, to) of a field. */
static uint64_t
value_of(const struct rte_umr_sig_domain *domain, const uint8_t *field, uint32_t from, uint32_t to)
{
	uint64_t value = 0;

	for (uint32_t i = from; i < to; i++)
		value |= (uint64_t)field[i] << 8 * (is_t10dif(domain) ? to - 1 - i : i - from);
	return value;
}

/* Compare the field of one block with its expected value. */
static void
block_check(const struct rte_umr_sig_domain *domain, uint8_t mask, uint64_t index,
	    const uint8_t *data, const uint8_t *field, struct rte_umr_mkey_error *error)
{
	/* Parts of a field in the order of checking. */
	static const struct { uint32_t from, to, type; } parts[] = {
		{ 0, 2, RTE_UMR_MKEY_ERROR_GUARD }, { 2, 4, RTE_UMR_MKEY_ERROR_APP_TAG },
		{ 4, 8, RTE_UMR_MKEY_ERROR_REF_TAG },
	};
	uint32_t len = field_len(domain);
	uint8_t good[SIG_PASS_MAX_FIELD];

	if (is_escaped(domain, field))
		return;
	sig_field(domain, index, data, good);
	for (uint32_t i = 0, part = 0; i < len; i++) {
		uint32_t from = 0, to = len, type = RTE_UMR_MKEY_ERROR_GUARD;

		if (field[i] == good[i] || !has_byte(domain, mask, i))
			continue;
		if (is_t10dif(domain)) {
			while (i >= parts[part].to)
				part++;
			from = parts[part].from;
			to = parts[part].to;
			type = parts[part].type;
		}
		error->type = (uint8_t)type;
		error->expected = value_of(domain, field, from, to);
		error->actual = value_of(domain, good, from, to);
		error->offset = index * (domain->block_size + len);
		return;
	}
}

/* Whether the fields of both domains have the same structure. */
static bool
is_same_structure(const struct rte_umr_sig *sig)
{
	if (sig->mem.type == RTE_UMR_SIG_NONE || sig->wire.type == RTE_UMR_SIG_NONE ||
	    sig->mem.block_size != sig->wire.block_size)
		return false;
	return sig->mem.type == sig->wire.type || (is_t10dif(&sig->mem) && is_t10dif(&sig->wire));
}

/* Default copy mask: parts with equal configuration. */
static uint8_t
copy_mask_of(const struct rte_umr_sig *sig)
{
	uint32_t differ = sig->mem.flags ^ sig->wire.flags;
	bool same_sum = sig->mem.type == sig->wire.type &&
			(differ & RTE_UMR_SIG_DOMAIN_F_SEED_ONES) == 0;
	uint8_t mask = 0;

	if ((sig->flags & RTE_UMR_SIG_F_COPY_MASK) != 0)
		return sig->copy_mask;
	if (!is_t10dif(&sig->mem))
		return same_sum ? 0xff : 0;
	if (same_sum)
		mask |= 0xc0;
	if (sig->mem.app_tag == sig->wire.app_tag)
		mask |= 0x30;
	if (sig->mem.ref_tag == sig->wire.ref_tag &&
	    (differ & RTE_UMR_SIG_DOMAIN_F_REF_INCREMENT) == 0)
		mask |= 0x0f;
	return mask;
}

/* Remove the fields from the data and check them. */
static void
strip_fields(const struct rte_umr_sig *sig, bool to_wire, uint64_t data_from, uint64_t data_len,
	     const uint8_t *in, uint8_t *data, struct rte_umr_mkey_error *error)
{
	const struct rte_umr_sig_domain *from = to_wire ? &sig->mem : &sig->wire;
	uint64_t index;

	if (from->type == RTE_UMR_SIG_NONE) {
		memcpy(data, in, data_len);
		return;
	}
	index = data_from / from->block_size;
	for (; data_len != 0; data_len -= from->block_size, data += from->block_size, index++) {
		memcpy(data, in, from->block_size);
		in += from->block_size;
		if (error->type == RTE_UMR_MKEY_ERROR_NONE) {
			error->is_wire = !to_wire;
			block_check(from, sig->check_mask, index, data, in, error);
		}
		in += field_len(from);
	}
}

void
sig_pass(const struct rte_umr_sig *sig, bool to_wire, uint64_t data_from, uint64_t data_len,
	 const uint8_t *in, uint8_t *out, struct rte_umr_mkey_error *error)
{
	const struct rte_umr_sig_domain *to = to_wire ? &sig->wire : &sig->mem;
	uint8_t data[SIG_PASS_MAX_DATA];	/* not static: lcores must not share it */
	uint32_t len = field_len(to);
	uint8_t mask = copy_mask_of(sig);

	strip_fields(sig, to_wire, data_from, data_len, in, data, error);
	sig_pass_image(to, data_from, data_len, data, out);
	if (!is_same_structure(sig))
		return;
	for (uint64_t at = to->block_size; at < sig_pass_len(to, data_len);
	     at += to->block_size + len)
		for (uint32_t i = 0; i < len; i++)
			if (has_byte(to, mask, i))
				out[at + i] = in[at + i];
}
