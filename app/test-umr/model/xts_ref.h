/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef XTS_REF_H
#define XTS_REF_H

/**
 * @file
 * Reference for devices that encrypt: AES-XTS of OpenSSL, one data unit at a time, and the key wrap
 * of keys, independent of the driver and the device.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Bytes of a tweak. */
#define XTS_REF_TWEAK_LEN 16
/** Bytes added to a key by wrapping. */
#define XTS_REF_WRAP_LEN 8

/**
 * Encrypt or decrypt data units.
 *
 * @param key
 *   Data key followed by tweak key, key_len (32 or 64) bytes in total.
 * @param tweak
 *   Number of the first data unit, little endian.
 * @param unit
 *   Bytes of a data unit; the last one may be shorter, with at least 16 bytes.
 * @param in
 *   len bytes; must differ from out.
 * @return
 *   Whether OpenSSL succeeded.
 */
bool xts_ref_crypt(const uint8_t *key, size_t key_len, const uint8_t tweak[XTS_REF_TWEAK_LEN],
		   size_t unit, const uint8_t *in, uint8_t *out, size_t len, bool encrypt);

/**
 * Wrap a key for the software ConnectX: AES key wrap (RFC 3394) by the import KEK that all of them
 * share (guide of swhca, "Signature and crypto").
 *
 * @param len
 *   Bytes of in, a multiple of 8; out has XTS_REF_WRAP_LEN more.
 * @return
 *   Whether OpenSSL succeeded.
 */
bool xts_ref_wrap(const uint8_t *in, size_t len, uint8_t *out);

/** Wrapped credential of every software ConnectX; 48 bytes. @return Whether OpenSSL succeeded. */
bool xts_ref_credential(uint8_t *out);

#endif /* XTS_REF_H */
