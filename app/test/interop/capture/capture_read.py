# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""Read captures: with tshark, and from the bytes of the file.

Wireshark does not check the ICRC; here that is done by the rules of the IBTA's annex A17 and with
zlib's CRC.
"""

import os
import struct
import subprocess
import sys
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../programs"))

# pylint: disable=wrong-import-position
from patience import WAIT_S  # noqa: E402

FIELDS = ("frame.interface_name", "frame.packet_flags_direction", "infiniband.bth.opcode",
          "infiniband.bth.destqp", "_ws.expert.message", "_ws.malformed", "frame.protocols")
IN, OUT = 1, 2


def blocks(data):
    """Type and body of each block of a pcapng file."""
    at = 0
    while at < len(data):
        kind, length = struct.unpack_from("=II", data, at)
        if struct.unpack_from("=I", data, at + length - 4)[0] != length:
            raise ValueError(f"block at {at}: its lengths differ")
        yield kind, data[at + 8:at + length - 4]
        at += length


def frames(data):
    """Direction and bytes of each packet, from its IP header on."""
    for kind, body in blocks(data):
        if kind == 6:
            length, original = struct.unpack_from("=II", body, 12)
            if length != original:
                raise ValueError("a packet is cut")
            direction, = struct.unpack_from("=I", body, len(body) - 8)
            yield direction, body[20:20 + length]


def icrc_is_right(frame):
    """Ones stand for what routers change: type of service, time to live, checksums, BTH byte 4."""
    masked = bytearray(frame)
    if frame[0] >> 4 == 4:
        at, variant = 20, (1, 8, 10, 11)
    else:
        at, variant = 40, (1, 2, 3, 7)
        masked[0] |= 0x0f
    for i in variant + (at + 6, at + 7, at + 8 + 4):
        masked[i] = 0xff
    crc = zlib.crc32(b"\xff" * 8 + bytes(masked[:-4]))
    return struct.pack("<I", crc) == frame[-4:]


def tshark(path):
    """Fields of each packet, as tshark sees them.

    What guesses payload to be of NFS or of a gateway reads behind the end of a few bytes.
    """
    command = ["tshark", "-n", "-r", path, "-T", "fields", "-E", "separator=;",
               "-E", "occurrence=f", "-o", "udp.check_checksum:TRUE",
               "-o", "ip.check_checksum:TRUE",
               "--disable-protocol", "rpcordma", "--disable-protocol", "infiniband.eoib"]
    for field in FIELDS:
        command += ["-e", field]
    run = subprocess.run(command, capture_output=True, text=True, timeout=WAIT_S, check=False)
    if run.returncode != 0:
        raise RuntimeError(f"tshark: {run.returncode}: {run.stderr}")
    return [dict(zip(FIELDS, line.split(";"))) for line in run.stdout.splitlines()]
