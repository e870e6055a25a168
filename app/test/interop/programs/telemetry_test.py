# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""What telemetry tells about a program that works.

Usage: telemetry_test.py SWHCA_RUN DPDK_TEST_UMR
Its output is the Test Anything Protocol; exit status 1 if a case failed.
"""

import contextlib
import glob
import json
import os
import socket
import sys
import time

from case_runner import Runner, expect, kill_group, run_cases

START_S = 60
MAX_ANSWER = 16384
# More cases than fit the time of the test: the program is stopped when all was asked.
VERIFY = ["verify", "--layout", "odp,tag", "--cases", "100000000"]

TOOL = sys.argv[2] if len(sys.argv) == 3 else None


def connect(runner, process):
    """Connection to the telemetry of a program that has just been started."""
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline:
        expect(process.poll() is None, "the program ended early")
        for path in glob.glob(os.path.join(runner.tmp, "dpdk", "*", "dpdk_telemetry.v2*")):
            connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            connection.settimeout(START_S)
            with contextlib.suppress(ConnectionError):
                connection.connect(path)
                connection.recv(MAX_ANSWER)
                return connection
            connection.close()
        time.sleep(0.05)
    raise AssertionError("no telemetry")


class Telemetry:
    """A program that verifies, and the connection to it."""

    def __init__(self, runner):
        self.process = runner.start(TOOL, "--no-huge", "--no-shconf", "--no-pci", "-l",
                                    str(min(os.sched_getaffinity(0))), "--", *VERIFY,
                                    env=runner.env(XDG_RUNTIME_DIR=runner.tmp,
                                                   RUNTIME_DIRECTORY=runner.tmp))
        self.connection = None

    def __enter__(self):
        return self

    def __exit__(self, *args):
        if self.connection is not None:
            self.connection.close()
        kill_group(self.process)

    def start(self, runner):
        """Wait until the program works: its devices have started."""
        self.connection = connect(runner, self.process)
        deadline = time.monotonic() + START_S
        while time.monotonic() < deadline:
            info = self.ask("/umr/info", 0)
            if info is not None and info["is_started"] == 1:
                return
            time.sleep(0.05)
        raise AssertionError("the devices do not start")

    def ask(self, command, *parameters):
        """Answer of a command."""
        text = ",".join([command, *[str(parameter) for parameter in parameters]])
        self.connection.send(text.encode())
        answer = json.loads(self.connection.recv(MAX_ANSWER).decode())
        expect(list(answer) == [command], f"{text}: {answer}")
        return answer[command]


def devices_and_counters_are_told(runner):
    """Lists, capabilities, and counters that move."""
    with Telemetry(runner) as telemetry:
        telemetry.start(runner)
        expect(telemetry.ask("/umr/list") == [0, 1], "not two devices")
        info = telemetry.ask("/umr/info", 1)
        expect(info["name"] == "mlx5_1" and info["driver"] == "mlx5_umr", info)
        expect(info["nb_queues"] == 3 and info["max_entries"] == 65536, info)
        deadline = time.monotonic() + START_S
        names = ["submitted", "completed", "doorbells"]
        first = telemetry.ask("/umr/queue_stats", 0, 0)
        expect(first["completed"] <= first["submitted"] + 64, first)
        while time.monotonic() < deadline:
            stats = telemetry.ask("/umr/queue_stats", 0, 0)
            # A start of the device after a rejected case sets them to 0.
            expect(sum(stats["rejects"].values()) == stats["full"] + stats["rejected"], stats)
            if all(stats[name] > first[name] for name in names):
                break
            time.sleep(0.05)
        else:
            raise AssertionError(f"counters stand still: {first}")
        while telemetry.ask("/umr/odp_stats", 0)["page_faults"] == 0:
            expect(time.monotonic() < deadline, "no page faults")
            time.sleep(0.05)


def keys_are_told_by_their_value(runner):
    """Every key of a pool is found, whatever its tag; the device says what it is."""
    with Telemetry(runner) as telemetry:
        telemetry.start(runner)
        found = {}
        for index in range(0x1000, 0x1080):
            for tag in (0, 0x7f):
                attr = telemetry.ask("/umr/mkey", 0, index << 8 | tag)
                if attr is not None:
                    found[index] = attr
                    expect(attr["key"] >> 8 == index and attr["entries"] >= 1, attr)
        expect(len(found) >= 8, f"{len(found)} keys")


def bad_parameters_are_rejected(runner):
    """No answer, and the program works on."""
    with Telemetry(runner) as telemetry:
        telemetry.start(runner)
        for command in ("/umr/info", "/umr/odp_stats"):
            for parameters in ((), ("",), ("x",), (-1,), (2,), (64,), (0, 0), (1 << 33,)):
                expect(telemetry.ask(command, *parameters) is None, (command, parameters))
        for command in ("/umr/queue_stats", "/umr/mkey"):
            for parameters in ((), (0,), (0, "x"), (0, -1), (0, 0xffffffff), (9, 0), (0, 0, 0)):
                expect(telemetry.ask(command, *parameters) is None, (command, parameters))
        expect(telemetry.ask("/umr/list") == [0, 1], "not two devices")


def main():
    """Run all cases."""
    if TOOL is None:
        sys.exit(__doc__)
    sys.exit(run_cases(Runner(sys.argv[1]), [devices_and_counters_are_told,
                                             keys_are_told_by_their_value,
                                             bad_parameters_are_rejected]))


main()
