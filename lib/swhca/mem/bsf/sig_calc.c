/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Sums by ISA-L, except for CRC64 XP10, which it supports in a later release than Debian's. */

#include <endian.h>
#include <isa-l/crc.h>
#include <pthread.h>
#include <string.h>

#include "mem/bsf/sig_calc.h"

/* CRC-64 of XP10, also used by NVMe: 0xad93d23594c93659, bits reversed. */
#define CRC64_XP10_POLY UINT64_C(0x9a6c9329ac4bc9b5)

/* Entry [n][b]: byte b, followed by n zero bytes. */
static uint64_t crc64_table[8][256];
static pthread_once_t crc64_once = PTHREAD_ONCE_INIT;

static void
crc64_table_init(void)
{
	unsigned int i, bit;
	uint64_t crc;

	for (i = 0; i < 256; i++) {
		crc = i;
		for (bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ ((crc & 1) != 0 ? CRC64_XP10_POLY : 0);
		crc64_table[0][i] = crc;
	}
	for (i = 0; i < 7 * 256; i++) {
		crc = crc64_table[i / 256][i % 256];
		crc64_table[i / 256 + 1][i % 256] = crc >> 8 ^ crc64_table[0][crc & 0xff];
	}
}

/* Eight bytes at a time, each with the table for the number of bytes that follow. */
static uint64_t
crc64_update(uint64_t crc, const uint8_t *data, size_t len)
{
	uint64_t word;
	unsigned int i;

	for (; len >= sizeof(word); data += sizeof(word), len -= sizeof(word)) {
		memcpy(&word, data, sizeof(word));
		word = le64toh(word) ^ crc;
		for (crc = 0, i = 0; i < 8; i++)
			crc ^= crc64_table[7 - i][word >> (8 * i) & 0xff];
	}
	for (; len > 0; data++, len--)
		crc = crc >> 8 ^ crc64_table[0][(crc ^ *data) & 0xff];
	return crc;
}

/*
 * RFC 1071: 16-bit words, first byte high; pieces of odd length continue within a word. Adding two
 * words at a time gives the same sum, as 2^16 is 1 modulo 2^16 - 1.
 */
static void
csum_update(struct swhca_sig_sum *sum, const uint8_t *data, size_t len)
{
	uint32_t words;

	while (len > 0 && (sum->is_odd || len < sizeof(words))) {
		sum->value += sum->is_odd ? *data : (uint64_t)*data << 8;
		sum->is_odd = !sum->is_odd;
		data++;
		len--;
	}
	for (; len >= sizeof(words); data += sizeof(words), len -= sizeof(words)) {
		memcpy(&words, data, sizeof(words));
		sum->value += be32toh(words);
	}
	if (len > 0)
		csum_update(sum, data, len);
}

static uint16_t
csum_final(uint64_t value)
{
	while (value >> 16 != 0)
		value = (value & 0xffff) + (value >> 16);
	return (uint16_t)~value;
}

void
swhca_sig_sum_init(struct swhca_sig_sum *sum, enum swhca_sig_type type, bool seed_ones)
{
	*sum = (struct swhca_sig_sum){ .type = type };
	switch (type) {
	case SWHCA_SIG_T10DIF_CRC:
	case SWHCA_SIG_T10DIF_CSUM:
		sum->value = seed_ones ? UINT16_MAX : 0;
		break;
	case SWHCA_SIG_CRC32:
		/* ISA-L inverts this one on input and output, the device on output. */
		sum->value = seed_ones ? 0 : UINT32_MAX;
		break;
	case SWHCA_SIG_CRC32C:
		sum->value = seed_ones ? UINT32_MAX : 0;
		break;
	case SWHCA_SIG_CRC64_XP10:
		pthread_once(&crc64_once, crc64_table_init);
		sum->value = seed_ones ? UINT64_MAX : 0;
		break;
	case SWHCA_SIG_NONE:
	default:
		break;
	}
}

void
swhca_sig_sum_update(struct swhca_sig_sum *sum, const uint8_t *data, size_t len)
{
	switch (sum->type) {
	case SWHCA_SIG_T10DIF_CRC:
		sum->value = crc16_t10dif((uint16_t)sum->value, data, len);
		break;
	case SWHCA_SIG_T10DIF_CSUM:
		csum_update(sum, data, len);
		break;
	case SWHCA_SIG_CRC32:
		sum->value = crc32_gzip_refl((uint32_t)sum->value, data, len);
		break;
	case SWHCA_SIG_CRC32C:
		/* Its prototype lacks a const; pieces fit an int. */
		sum->value = crc32_iscsi((unsigned char *)(uintptr_t)data, (int)len,
					 (uint32_t)sum->value);
		break;
	case SWHCA_SIG_CRC64_XP10:
		sum->value = crc64_update(sum->value, data, len);
		break;
	case SWHCA_SIG_NONE:
	default:
		break;
	}
}

uint64_t
swhca_sig_sum_final(const struct swhca_sig_sum *sum)
{
	switch (sum->type) {
	case SWHCA_SIG_T10DIF_CSUM:
		return csum_final(sum->value);
	case SWHCA_SIG_CRC32C:
		return (uint32_t)~sum->value;
	case SWHCA_SIG_CRC64_XP10:
		return ~sum->value;
	case SWHCA_SIG_T10DIF_CRC:
	case SWHCA_SIG_CRC32:
	case SWHCA_SIG_NONE:
	default:
		return sum->value;
	}
}
