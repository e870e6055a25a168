#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""Have tshark read a capture of links: all packets are RoCEv2, and nothing is odd about any.

Usage: capture_test.py CAPTURE_TOOL

Wireshark does not check the ICRC; here that is done from the bytes of the file, by the rules of
the IBTA's annex A17 and with zlib's CRC. 77 is returned if there is no tshark.
"""

import os
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

FIELDS = ("frame.interface_name", "frame.packet_flags_direction", "infiniband.bth.opcode",
          "infiniband.bth.destqp", "_ws.expert.message", "_ws.malformed", "frame.protocols")
DIRECTIONS = {"1": "in", "2": "out", "0x00000001": "in", "0x00000002": "out"}


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
    """Each packet, from its IP header on."""
    for kind, body in blocks(data):
        if kind == 6:
            length, original = struct.unpack_from("=II", body, 12)
            if length != original:
                raise ValueError("a packet is cut")
            yield body[20:20 + length]


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
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    if run.returncode != 0:
        raise RuntimeError(f"tshark: {run.returncode}: {run.stderr}")
    return [dict(zip(FIELDS, line.split(";"))) for line in run.stdout.splitlines()]


def compare(told, seen):
    """What is wrong, a line each; told are lines of the tool, seen what tshark says."""
    if len(told) != len(seen):
        yield f"{len(told)} packets, of which tshark sees {len(seen)}"
    for number, (line, fields) in enumerate(zip(told, seen), 1):
        direction, opcode, _ = line.split()
        if fields["infiniband.bth.opcode"] != opcode or \
                int(fields["infiniband.bth.destqp"] or "0", 0) != 0x112233:
            yield f"packet {number}: {line}, but {fields}"
        if DIRECTIONS.get(fields["frame.packet_flags_direction"]) != direction:
            yield f"packet {number}: {line}, but {fields}"
        if fields["_ws.expert.message"] or fields["_ws.malformed"]:
            yield f"packet {number}: {fields}"
        if "infiniband" not in fields["frame.protocols"]:
            yield f"packet {number}: is {fields['frame.protocols']}"


def main():
    """Exit status 1: something is odd."""
    if shutil.which("tshark") is None:
        print("no tshark")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "links.pcapng")
        run = subprocess.run([sys.argv[1], path], capture_output=True, text=True, timeout=60,
                             check=False)
        if run.returncode != 0:
            print(f"capture_tool: {run.returncode}: {run.stderr}")
            return 1
        told, seen = run.stdout.splitlines(), tshark(path)
        with open(path, "rb") as file:
            data = file.read()
    bad = list(compare(told, seen))
    wrong = sum(not icrc_is_right(frame) for frame in frames(data))
    if wrong:
        bad.append(f"{wrong} ICRCs are wrong")
    for line in bad[:20]:
        print(line)
    names = sorted({fields["frame.interface_name"] for fields in seen})
    opcodes = {fields["infiniband.bth.opcode"] for fields in seen}
    print(f"{len(seen)} packets of {len(opcodes)} opcodes on {', '.join(names)}: "
          f"{len(bad)} are odd; ICRCs of {len(told) - wrong} are right")
    return 1 if bad or len(told) < 1000 or len(names) < 2 else 0


if __name__ == "__main__":
    sys.exit(main())
