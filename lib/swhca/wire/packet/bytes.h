/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_PACKET_BYTES_H
#define SWHCA_PACKET_BYTES_H

/**
 * @file
 * Access to packet fields: big endian, unaligned.
 */

#include <endian.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t
swhca_get_be16(const uint8_t *src)
{
	uint16_t value;

	memcpy(&value, src, sizeof(value));
	return be16toh(value);
}

static inline uint32_t
swhca_get_be32(const uint8_t *src)
{
	uint32_t value;

	memcpy(&value, src, sizeof(value));
	return be32toh(value);
}

static inline uint64_t
swhca_get_be64(const uint8_t *src)
{
	uint64_t value;

	memcpy(&value, src, sizeof(value));
	return be64toh(value);
}

static inline void
swhca_put_be16(uint8_t *dst, uint16_t value)
{
	value = htobe16(value);
	memcpy(dst, &value, sizeof(value));
}

static inline void
swhca_put_be32(uint8_t *dst, uint32_t value)
{
	value = htobe32(value);
	memcpy(dst, &value, sizeof(value));
}

static inline void
swhca_put_be64(uint8_t *dst, uint64_t value)
{
	value = htobe64(value);
	memcpy(dst, &value, sizeof(value));
}

#endif /* SWHCA_PACKET_BYTES_H */
