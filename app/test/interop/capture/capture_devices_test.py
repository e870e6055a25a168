#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""Captures of devices of two processes, which exchange messages with ibv_rc_pingpong.

Usage: capture_devices_test.py SWHCA_RUN

Both write to the same name. What one of them has sent the other one has received, byte for byte;
tshark finds nothing odd about it, and all ICRCs are right. With faults the messages arrive all the
same, and the captures show the faults: those without losses, for the program does not wait until
its last acknowledgement has arrived. 77 is returned if tshark or ibv_rc_pingpong is missing.
"""

import collections
import glob
import os
import shutil
import socket
import subprocess
import sys
import tempfile

from capture_read import IN, OUT, WAIT_S, frames, icrc_is_right, tshark
from patience import wait_until

PROGRAM = "ibv_rc_pingpong"
NB_MESSAGES = 40
LENGTH = 10000


def free_port():
    """A TCP port that nobody listens on."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def is_listening(port):
    """Whether somebody listens on a TCP port, of any address, without connecting to it."""
    for name in ("/proc/net/tcp", "/proc/net/tcp6"):
        with open(name, encoding="ascii") as file:
            for line in file.readlines()[1:]:
                words = line.split()
                if words[3] == "0A" and int(words[1].rsplit(":", 1)[1], 16) == port:
                    return True
    return False


def pair_run(run, path, *options):
    """Run server and client; the statuses and outputs of both."""
    port = free_port()
    command = [run, "--wire", "udp", "--capture", path, *options, PROGRAM, "-p", str(port),
               "-n", str(NB_MESSAGES), "-s", str(LENGTH), "-c"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        wait_until(lambda: is_listening(port) or server.poll() is not None, "it does not listen")
        client = subprocess.run(command + ["127.0.0.1"], capture_output=True, text=True,
                                timeout=WAIT_S, check=False)
        out, _ = server.communicate(timeout=WAIT_S)
    finally:
        server.kill()
    if client.returncode != 0 or server.returncode != 0:
        return [f"client {client.returncode}: {client.stdout}{client.stderr}",
                f"server {server.returncode}: {out}"]
    return []


def captures_of(folder):
    """Bytes of the captures of both processes."""
    found = []
    for path in sorted(glob.glob(os.path.join(folder, "*.pcapng"))):
        with open(path, "rb") as file:
            found.append(file.read())
    return found


def directed(data, direction):
    """How often each packet went in a direction."""
    return collections.Counter(frame for way, frame in frames(data) if way == direction)


def plain_is_right(run, folder):
    """Both captures have the same packets, and all of them are right."""
    yield from pair_run(run, os.path.join(folder, "plain.pcapng"))
    found = captures_of(folder)
    if len(found) != 2:
        yield f"{len(found)} captures of two processes"
        return
    for one, other in (found, found[::-1]):
        lost = directed(one, OUT) - directed(other, IN)
        strange = directed(other, IN) - directed(one, OUT)
        if lost or strange:
            yield f"{sum(lost.values())} packets did not arrive, {len(strange)} were not sent"
        if sum(directed(one, OUT).values()) < NB_MESSAGES * (LENGTH // 4096 + 1):
            yield "a capture has fewer packets than were needed"
        yield from (f"wrong ICRC: {frame.hex()}" for _, frame in frames(one)
                    if not icrc_is_right(frame))
    for path in glob.glob(os.path.join(folder, "*.pcapng")):
        for fields in tshark(path):
            if fields["_ws.expert.message"] or "infiniband" not in fields["frame.protocols"]:
                yield f"{path}: {fields}"


def faults_are_seen(run, folder):
    """Messages arrive though packets are late and doubled, which the captures show."""
    yield from pair_run(run, os.path.join(folder, "faults.pcapng"), "--impair",
                        "dup=20%,delay=0-50")
    found = captures_of(folder)
    sent = [frame for data in found for way, frame in frames(data) if way == OUT]
    if len(set(sent)) == len(sent):
        yield f"of {len(sent)} packets none is doubled"


def main():
    """Exit status 1: something is odd."""
    for program in ("tshark", PROGRAM):
        if shutil.which(program) is None:
            print(f"no {program}")
            return 77
    bad = []
    for case in (plain_is_right, faults_are_seen):
        with tempfile.TemporaryDirectory() as folder:
            wrong = list(case(sys.argv[1], folder))
        print(f"{case.__name__}: {len(wrong)} odd")
        bad += wrong
    for line in bad[:20]:
        print(line)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
