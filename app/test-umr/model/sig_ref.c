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

void
sig_ref_field(const struct rte_umr_sig_domain *domain, uint64_t index, const uint8_t *block,
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
	const uint32_t size = rte_umr_sig_size(domain->type), block = domain->block_size;
	uint8_t *start = out;

	if (size == 0) {
		memcpy(out, in, len);
		return len;
	}
	if ((domain->flags & RTE_UMR_SIG_DOMAIN_F_TRANSACTION) != 0) {
		memcpy(out, in, len);
		sig_ref_trans(domain, in, (uint32_t)len, out + len);
		return len + size;
	}
	for (uint64_t i = 0; i < len / block; i++) {
		memcpy(out, in + i * block, block);
		sig_ref_field(domain, i, in + i * block, out + block);
		out += block + size;
	}
	return (uint64_t)(out - start);
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
