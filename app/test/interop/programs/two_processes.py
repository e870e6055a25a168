# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""Two processes of a program of EAL, on devices that find each other."""

import contextlib
import re
import threading

from case_runner import LCORE, expect, kill_group
from patience import WAIT_S

EAL = ("--no-huge", "--no-shconf", "--no-pci", "--no-telemetry", *LCORE)


def wire(link="eth"):
    """Options of devices that find those of another process."""
    return ("--wire", "udp", "--link-layer", link)


@contextlib.contextmanager
def listening(runner, *command, link="eth"):
    """A process that listens at a port of its choice, and that port."""
    process = runner.start(*command, options=wire(link))
    # Lines may come together, so that a wait for the pipe does not see the last one.
    timer = threading.Timer(WAIT_S, kill_group, [process])
    timer.start()
    try:
        found = None
        for line in process.stdout:
            found = re.fullmatch(r"listening on 127\.0\.0\.1:(\d+)\n", line)
            if found:
                break
        timer.cancel()
        expect(found, f"{process.args}: it does not listen within {WAIT_S:g} s")
        yield process, int(found.group(1))
    finally:
        timer.cancel()
        if process.poll() is None:
            kill_group(process)


def ended(process, status=0):
    """Output and errors of a process, which ends by itself and in time."""
    out, err = process.communicate(timeout=WAIT_S)
    expect(process.returncode == status, f"exit status {process.returncode}: {out}{err}")
    return out, err
