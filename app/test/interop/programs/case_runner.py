# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""What the tests of programs below swhca-run share: running them, and a list of cases."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback

from patience import WAIT_S

# A case that takes longer tells how long.
SLOW_S = 5
# One lcore of EAL on any CPU: on one and the same, programs beside each other would go on by turns.
LCORE = ("--lcores", f"0@({','.join(map(str, sorted(os.sched_getaffinity(0))))})")


class Skip(Exception):
    """The case cannot run here."""


class SkipAll(Skip):
    """Nor can any case behind it."""


class Gone(AssertionError):
    """The case failed, and what it leaves is of no use for those behind it, which are skipped."""


def need(program):
    """Skip unless a program of the system is there."""
    if shutil.which(program) is None:
        raise Skip(f"no {program}")
    return program


def need_ucx(program="ucx_info"):
    """Skip unless there is a program of an UCX that was built with InfiniBand: sid's 1.23 is not."""
    need(program)
    built = subprocess.run([need("ucx_info"), "-b"], stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, check=False, text=True).stdout
    if not re.search(r'\buct_MODULES +"[^"]*:ib\b', built):
        raise Skip("this UCX was built without InfiniBand")


def expect(condition, what):
    """Fail with a text unless the condition holds."""
    if not condition:
        raise AssertionError(what)


def json_documents(text):
    """Documents in JSON that follow each other, each on as many lines as it likes."""
    decoder = json.JSONDecoder()
    documents = []
    text = text.strip()
    while text:
        document, end = decoder.raw_decode(text)
        documents.append(document)
        text = text[end:].lstrip()
    return documents


class Runner:
    """swhca-run, with a folder for temporary files that each case begins with empty."""

    def __init__(self, swhca_run):
        self.swhca_run = swhca_run
        self.tmp = None

    def env(self, **variables):
        """Environment of a run: TMPDIR is the folder of the case."""
        env = dict(os.environ, TMPDIR=self.tmp)
        env.update(variables)
        return env

    def run(self, *command, options=(), status=0, env=None, timeout=WAIT_S, **kwargs):
        """Output and errors of a command on the devices; it must exit with status."""
        full = [self.swhca_run, *options, *command]
        done = subprocess.run(full, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=timeout, text=True,
                              encoding="utf-8", env=env or self.env(), check=False, **kwargs)
        if status is not None and done.returncode != status:
            raise AssertionError(f"{full}: exit status {done.returncode}, not {status}\n"
                                 f"{done.stdout[-2000:]}{done.stderr[-4000:]}")
        return done

    def start(self, *command, options=(), env=None, stdin=subprocess.DEVNULL):
        """A command that runs on; its process group is its own."""
        return subprocess.Popen([self.swhca_run, *options, *command], stdin=stdin,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                encoding="utf-8", env=env or self.env(),
                                start_new_session=True)

    def folders(self):
        """What is left in the temporary folder."""
        return sorted(os.listdir(self.tmp))


def kill_group(process):
    """Kill a process of Runner.start() with all that it started."""
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def verdict_of(case, *args):
    """Run a case.

    @return Its verdict in the Test Anything Protocol, why it was skipped, what went wrong, and why
    all cases behind it are to be skipped.
    """
    try:
        case(*args)
    except SkipAll as reason:
        return "ok", f" # SKIP {reason}", "", str(reason)
    except Skip as reason:
        return "ok", f" # SKIP {reason}", "", ""
    except Gone as error:
        return "not ok", "", str(error), f"{case.__name__} failed"
    except Exception as error:  # pylint: disable=broad-except
        is_claim = isinstance(error, AssertionError)
        return "not ok", "", str(error) if is_claim else traceback.format_exc(), ""
    return "ok", "", "", ""


def report_cases(cases, run, needs_first=False):
    """Run each case by run(case), which returns verdict_of(), and say how it went on stdout.

    If all need what the first one has made, they are skipped when that failed. What anything else
    prints on stdout goes to stderr. @return Exit status.
    """
    failed, rest = False, ""
    with os.fdopen(os.dup(1), "w", buffering=1, encoding="utf-8") as tap:
        sys.stdout.flush()
        os.dup2(2, 1)
        print(f"1..{len(cases)}", file=tap)
        for number, case in enumerate(cases, 1):
            if rest:
                print(f"ok {number} - {case.__name__} # SKIP {rest}", file=tap)
                continue
            start = time.monotonic()
            verdict, directive, text, rest = run(case)
            if needs_first and number == 1 and verdict != "ok":
                rest = f"{case.__name__} failed"
            took = time.monotonic() - start
            failed |= verdict != "ok"
            print(f"{verdict} {number} - {case.__name__}{directive}", file=tap)
            if took >= SLOW_S:
                print(f"# {took:.1f} s", file=tap)
            for line in text.splitlines():
                print("#", line, file=tap)
    return 1 if failed else 0


def run_cases(runner, cases):
    """Run functions that take the runner. @return Exit status."""
    def run(case):
        with tempfile.TemporaryDirectory() as tmp:
            runner.tmp = tmp
            return verdict_of(case, runner)
    return report_cases(cases, run)
