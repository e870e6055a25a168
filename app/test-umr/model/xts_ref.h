/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef XTS_REF_H
#define XTS_REF_H

/**
 * @file
 * What a device that encrypts is compared with: AES-XTS of OpenSSL, one data unit at a time, and
 * the key wrap that keys come in. It knows nothing of the driver or of the device.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Bytes of a tweak. */
#define XTS_REF_TWEAK_LEN 16
/** Bytes that a key grows by when it is wrapped. */
#define XTS_REF_WRAP_LEN 8

/**
 * Encrypt or decrypt data units.
 *
 * @param key
 *   Data key and tweak key behind each other, key_len (32 or 64) bytes together.
 * @param tweak
 *   Number of the first data unit, little endian.
 * @param unit
 *   Bytes of a data unit; the last one may be shorter, but not below 16 bytes.
 * @param in
 *   len bytes; not out.
 * @return
 *   Whether OpenSSL could.
 */
bool xts_ref_crypt(const uint8_t *key, size_t key_len, const uint8_t tweak[XTS_REF_TWEAK_LEN],
		   size_t unit, const uint8_t *in, uint8_t *out, size_t len, bool encrypt);

/**
 * Wrap a key as the software ConnectX wants it: AES key wrap (RFC 3394) by the import KEK that
 * every one of them has (guide of swhca, "Signature and crypto").
 *
 * @param len
 *   Bytes of in, a multiple of 8; out has XTS_REF_WRAP_LEN more.
 * @return
 *   Whether OpenSSL could.
 */
bool xts_ref_wrap(const uint8_t *in, size_t len, uint8_t *out);

/** The credential of every software ConnectX, wrapped; 48 bytes. @return Whether OpenSSL could. */
bool xts_ref_credential(uint8_t *out);

#endif /* XTS_REF_H */
