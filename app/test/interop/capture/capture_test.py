#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""Have tshark read a capture of links: all packets are RoCEv2, and nothing is odd about any.

Usage: capture_test.py CAPTURE_TOOL

77 is returned if there is no tshark.
"""

import os
import shutil
import subprocess
import sys
import tempfile

from capture_read import IN, OUT, WAIT_S, frames, icrc_is_right, tshark

DIRECTIONS = {"in": IN, "out": OUT}


def compare(told, seen):
    """What is wrong, a line each; told are lines of the tool, seen what tshark says."""
    if len(told) != len(seen):
        yield f"{len(told)} packets, of which tshark sees {len(seen)}"
    for number, (line, fields) in enumerate(zip(told, seen), 1):
        direction, opcode, _ = line.split()
        if fields["infiniband.bth.opcode"] != opcode or \
                int(fields["infiniband.bth.destqp"] or "0", 0) != 0x112233:
            yield f"packet {number}: {line}, but {fields}"
        if int(fields["frame.packet_flags_direction"] or "0", 0) != DIRECTIONS[direction]:
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
        run = subprocess.run([sys.argv[1], path], capture_output=True, text=True, timeout=WAIT_S,
                             check=False)
        if run.returncode != 0:
            print(f"capture_tool: {run.returncode}: {run.stderr}")
            return 1
        told, seen = run.stdout.splitlines(), tshark(path)
        with open(path, "rb") as file:
            data = file.read()
    bad = list(compare(told, seen))
    wrong = sum(not icrc_is_right(frame) for _, frame in frames(data))
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
