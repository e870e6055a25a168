# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""Our tool and programs of Debian, run below swhca-run."""

import json
import os
import pathlib
import subprocess
import sys

from case_runner import expect
from patience import LONG_S

TOP = str(pathlib.Path(__file__).resolve().parents[4])
# EAL 22.11 rejects --in-memory beside --no-huge; the program knows what is meant.
EAL = ["--no-huge", "--in-memory", "-l", str(min(os.sched_getaffinity(0))), "--no-pci",
       "--no-telemetry"]


class Programs:
    """What is run, and below what."""

    def __init__(self, swhca_run, tool):
        self.swhca_run = swhca_run
        self.tool = tool

    def run(self, *command, options=(), status=0, errors=False):
        """Output (or its errors) of a command on the software device; it must exit with status."""
        full = [self.swhca_run, *options, *command]
        done = subprocess.run(full, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=LONG_S, text=True,
                              encoding="utf-8", check=False)
        if done.returncode != status:
            raise AssertionError(f"{full}: exit status {done.returncode}, not {status}\n"
                                 f"{done.stdout[-2000:]}{done.stderr[-4000:]}")
        return done.stderr if errors else done.stdout

    def judge(self, *args, eal=(), options=()):
        """What devtools/bench/targets.py says of software devices that acknowledge only."""
        done = subprocess.run([sys.executable, os.path.join(TOP, "devtools/bench/targets.py"),
                               "--format", "json", *args, "--", self.swhca_run,
                               "--acknowledge-only", *options, self.tool, *(eal or EAL), "--"],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=LONG_S, text=True, check=False)
        expect(done.returncode == 0, (done.returncode, done.stderr[-4000:]))
        return json.loads(done.stdout)

    def run_tool(self, *args, status=0, errors=False):
        """The same for our tool, with EAL options."""
        return self.run(self.tool, *EAL, "--", *args, status=status, errors=errors)
