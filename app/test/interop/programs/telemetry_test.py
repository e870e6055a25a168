# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""What telemetry tells about a program that works.

Usage: telemetry_test.py SWHCA_RUN DPDK_TEST_UMR
Its output is the Test Anything Protocol; exit status 1 if a case failed.
"""

import contextlib
import glob
import itertools
import json
import os
import socket
import sys
import time

from case_runner import LCORE, Runner, expect, kill_group, run_cases
from patience import WAIT_S, wait_until

MAX_ANSWER = 16384
# More cases than fit the time of the test: the program is stopped when all was asked.
VERIFY = ["verify", "--layout", "odp,tag", "--cases", "100000000"]

TOOL = sys.argv[2] if len(sys.argv) == 3 else None


def connect(runner, process):
    """Connection to the telemetry of a program that has just been started."""
    def look():
        expect(process.poll() is None, "the program ended early")
        for path in glob.glob(os.path.join(runner.tmp, "dpdk", "*", "dpdk_telemetry.v2*")):
            connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            connection.settimeout(WAIT_S)
            with contextlib.suppress(ConnectionError):
                connection.connect(path)
                connection.recv(MAX_ANSWER)
                return connection
            connection.close()
        return None
    return wait_until(look, "no telemetry")


class Telemetry:
    """A program that verifies, and the connection to it."""

    def __init__(self, runner):
        self.process = runner.start(TOOL, "--no-huge", "--no-shconf", "--no-pci", *LCORE,
                                    "--", *VERIFY,
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
        wait_until(lambda: (self.ask("/umr/info", 0) or {}).get("is_started") == 1,
                   "the devices do not start")

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
        names = ["submitted", "completed", "doorbells"]
        first = telemetry.ask("/umr/queue_stats", 0, 0)
        expect(first["completed"] <= first["submitted"] + 64, first)

        def have_moved():
            stats = telemetry.ask("/umr/queue_stats", 0, 0)
            # A start of the device after a rejected case sets them to 0.
            expect(sum(stats["rejects"].values()) == stats["full"] + stats["rejected"], stats)
            return all(stats[name] > first[name] for name in names)
        wait_until(have_moved, f"counters stand still: {first}")
        wait_until(lambda: telemetry.ask("/umr/odp_stats", 0)["page_faults"], "no page faults")


def extended_statistics_are_told(runner):
    """Counters of devices, queues and pools; what a verification rejects is told by reason."""
    with Telemetry(runner) as telemetry:
        telemetry.start(runner)
        deadline = time.monotonic() + WAIT_S
        while True:
            expect(time.monotonic() < deadline, "nothing is done, or nothing fails")
            queue = telemetry.ask("/umr/xstats", 0, 0)
            reasons = sum(value for name, value in queue.items() if name.startswith("rejected_"))
            classes = sum(value for name, value in queue.items() if name.startswith("errors_"))
            expect(reasons == queue["full"] + queue["rejected"], queue)
            if queue["doorbells"] > 0 and classes > 0:
                break
            time.sleep(0.05)
        # Pools come and go with the cases of the program: not always between two questions.
        while True:
            device = telemetry.ask("/umr/xstats", 0)
            pools = telemetry.ask("/umr/pools", 0).values()
            if pools and device["mkey_pools"] == len(pools) and device["mrs"] > 0:
                break
            expect(time.monotonic() < deadline, (device, pools))
        expect(device["mkeys"] == sum(pool["mkeys"] for pool in pools) > 0, (device, pools))
        expect(all(pool["in_use"] <= pool["mkeys"] for pool in pools), pools)


def rings_are_decoded_while_they_work(runner):
    """Whatever is asked for, the answer is whole: DPDK drops what is longer than it can be."""
    with Telemetry(runner) as telemetry:
        telemetry.start(runner)
        deadline = time.monotonic() + WAIT_S
        counts = itertools.cycle([None, 0, 1, 2, 1000, 0xffffffff])
        nb_wqes = nb_cqes = nb_asked = 0
        # Rings begin anew with the cases of the program: some of the times there is nothing.
        while nb_asked < 120 or nb_wqes == 0 or nb_cqes == 0:
            expect(time.monotonic() < deadline, f"{nb_wqes} WQEs, {nb_cqes} CQEs")
            nb_asked += 1
            count = next(counts)
            parameters = (0, 0) if count is None else (0, 0, count)
            lines = telemetry.ask("/umr/queue_dump", *parameters)["lines"]
            expect(lines[0].startswith("  queue 0: "), lines[0])
            expect(any(line.startswith("    operations: pi ") for line in lines), lines)
            expect(count == 0 or any(line.startswith("    meanwhile: ") for line in lines), lines)
            nb_wqes += "      wqe:" in lines
            nb_cqes += "      cqe:" in lines


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
        for command in ("/umr/info", "/umr/odp_stats", "/umr/pools"):
            for parameters in ((), ("",), ("x",), (-1,), (2,), (64,), (0, 0), (1 << 33,)):
                expect(telemetry.ask(command, *parameters) is None, (command, parameters))
        for command in ("/umr/queue_stats", "/umr/mkey"):
            for parameters in ((), (0,), (0, "x"), (0, -1), (0, 0xffffffff), (9, 0), (0, 0, 0)):
                expect(telemetry.ask(command, *parameters) is None, (command, parameters))
        for parameters in ((), ("x",), (9,), (0, -1), (0, 7), (0, 65535), (0, 0, 0), ("0,",)):
            expect(telemetry.ask("/umr/xstats", *parameters) is None, parameters)
        for parameters in ((), (0,), (9, 0), (0, 7), (0, 65535), (0, 0, "x"), (0, 0, 1, 1)):
            expect(telemetry.ask("/umr/queue_dump", *parameters) is None, parameters)
        expect(telemetry.ask("/umr/list") == [0, 1], "not two devices")


def main():
    """Run all cases."""
    if TOOL is None:
        sys.exit(__doc__)
    sys.exit(run_cases(Runner(sys.argv[1]), [devices_and_counters_are_told,
                                             extended_statistics_are_told,
                                             rings_are_decoded_while_they_work,
                                             keys_are_told_by_their_value,
                                             bad_parameters_are_rejected]))


main()
