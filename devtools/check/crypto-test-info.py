#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""Print what rdma-core's test_mlx5_crypto.py reads from the file $MLX5_CRYPTO_TEST_INFO.

The software ConnectX has one credential and one import KEK, number 0 of each, that are the same
in every process. With --wrap HEX a key (and its tag, if it has one) is wrapped for it instead.

The cipher is that of the openssl(1) command; XTS mode and key wrap around it are done here, so that
they share nothing with the device.
"""

import argparse
import json
import struct
import subprocess

IMPORT_KEK = b"swhca-import-kek-0123456789abcde"
CREDENTIAL = b"swhca-credential-0123456789abcdefghijklm"
# Data key followed by tweak key: 2 * 128 and 2 * 256 bits.
KEY_128 = bytes(range(0x10, 0x30))
KEY_256 = bytes(range(0x40, 0x80))
UNIT = 512


def openssl(cipher, key, data, *options):
    command = ["openssl", "enc", "-e", cipher, "-K", key.hex(), *options]
    return subprocess.run(command, input=data, stdout=subprocess.PIPE, check=True).stdout


def aes(key, data):
    return openssl(f"-aes-{len(key) * 8}-ecb", key, data, "-nopad")


def wrap(data):
    """AES key wrap (RFC 3394, 2.2.1) by the import KEK. openssl(1) lacks it since 3.5."""
    check, blocks = b"\xa6" * 8, [data[i:i + 8] for i in range(0, len(data), 8)]
    for step in range(6 * len(blocks)):
        block = aes(IMPORT_KEK, check + blocks[step % len(blocks)])
        check = xor(block[:8], struct.pack("!Q", step + 1))
        blocks[step % len(blocks)] = block[8:]
    return check + b"".join(blocks)


def xor(left, right):
    return bytes(a ^ b for a, b in zip(left, right))


def xts_masks(tweak_key, unit, nb_blocks):
    """Masks that IEEE 1619 adds to the blocks of a data unit: powers of x in GF(2^128)."""
    mask = int.from_bytes(aes(tweak_key, unit.to_bytes(16, "little")), "little")
    masks = b""
    for _ in range(nb_blocks):
        masks += mask.to_bytes(16, "little")
        mask = mask << 1 ^ (0x87 if mask >> 127 else 0)
        mask &= (1 << 128) - 1
    return masks


def xts(key, data):
    """Encrypt whole data units from number 0 on."""
    half = len(key) // 2
    masks = b"".join(xts_masks(key[half:], unit, UNIT // 16) for unit in range(len(data) // UNIT))
    return xor(aes(key[:half], xor(data, masks)), masks)


def words(data, code):
    return list(struct.unpack(f"{code[0]}{len(data) // struct.calcsize(code)}{code[1]}", data))


def test_info():
    """Bytes in the format of the test: big-endian quadwords, plaintext keys as native words."""
    return [{
        "credential": words(wrap(CREDENTIAL), "!Q"),
        "wrapped_key": words(wrap(KEY_128), "!Q"),
        "wrapped_256_bits_key": words(wrap(KEY_256), "!Q"),
        "plaintext_key": words(KEY_128, "=I"),
        "plaintext_256_bits_key": words(KEY_256, "=I"),
        "encrypted_data_for_512_c": words(xts(KEY_128, b"c" * 512), "!Q"),
        "encrypted_data_for_1024_c": words(xts(KEY_128, b"c" * 1024), "!Q"),
    }]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wrap", metavar="HEX", type=bytes.fromhex,
                        help="wrap these bytes by the import KEK and print them in hex")
    args = parser.parse_args()
    print(wrap(args.wrap).hex() if args.wrap else json.dumps(test_info()))


if __name__ == "__main__":
    main()
