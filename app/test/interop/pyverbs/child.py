# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""Run one module of rdma-core's pyverbs tests and report to suite.py, which starts this.

Usage: child.py FD REQUEST
REQUEST is JSON: folder of the tests, module, arguments for the tests' own parser, what to run
(the module, classes or tests) and the ids of those tests that are done already. FD takes one JSON
object a line: an "info" object about the device, the "plan" (ids in order), "start" and "result"
for each test, then "end".
"""

import gc
import importlib
import json
import multiprocessing
import os
import sys
import time
import traceback
import unittest


class Report(unittest.TestResult):
    """Passes on what unittest tells. Only the first verdict of a test counts."""

    def __init__(self, stream):
        super().__init__()
        self.stream = stream
        self.pid = os.getpid()
        self.verdicts = {}
        self.begin = 0.0

    def send(self, **event):
        """One event; a process that a test forked has nothing to tell."""
        if os.getpid() == self.pid:
            self.stream.write(json.dumps(event) + "\n")
            self.stream.flush()

    def judge(self, test, verdict, reason="", detail=""):
        self.verdicts.setdefault(test.id(), (verdict, reason, detail))

    def blame(self, test, verdict, err):
        reason = "".join(traceback.format_exception_only(err[0], err[1])).strip()
        self.judge(test, verdict, reason, "".join(traceback.format_exception(*err)))

    def startTest(self, test):
        super().startTest(test)
        self.send(event="start", id=test.id())
        sys.stderr.write(f"---- {test.id()}\n")
        self.begin = time.monotonic()

    def stopTest(self, test):
        super().stopTest(test)
        verdict, reason, detail = self.verdicts.get(test.id(), ("ERROR", "no verdict", ""))
        self.send(event="result", id=test.id(), verdict=verdict, reason=reason, detail=detail,
                  seconds=time.monotonic() - self.begin)

    def addSuccess(self, test):
        self.judge(test, "PASS")

    def addSkip(self, test, reason):
        self.judge(test, "SKIP", reason)

    def addFailure(self, test, err):
        self.blame(test, "FAIL", err)

    def addError(self, test, err):
        self.blame(test, "ERROR", err)
        # A fixture of a class or module is no test: nothing else tells of it.
        if not isinstance(test, unittest.TestCase):
            self.send(event="result", id=test.id(), verdict="ERROR", seconds=0.0,
                      reason=self.verdicts[test.id()][1], detail=self.verdicts[test.id()][2])

    def addSubTest(self, test, subtest, err):
        if err is not None:
            self.blame(test, "FAIL" if issubclass(err[0], test.failureException) else "ERROR", err)

    def addExpectedFailure(self, test, err):
        self.judge(test, "PASS")

    def addUnexpectedSuccess(self, test):
        self.judge(test, "FAIL", "unexpected success")


def flatten(suite):
    """The test cases of a suite, in order."""
    for item in suite:
        if isinstance(item, unittest.TestSuite):
            yield from flatten(item)
        else:
            yield item


def is_wanted(name, wanted):
    """Is a test one of those, or in one of those classes or modules?"""
    return any((name + ".").startswith(f"tests.{prefix}.") for prefix in wanted)


def load(request):
    """The tests that are wanted. Their package loads all modules, in an order that it relies on."""
    folder = request["folder"]
    sys.path[:0] = [folder, os.path.dirname(folder)]
    sys.argv[1:] = request["arguments"]
    importlib.import_module("args_parser").parser.parse_args()
    importlib.import_module("tests")
    module = sys.modules["tests." + request["module"]]
    tests = flatten(unittest.defaultTestLoader.loadTestsFromModule(module))
    return [test for test in tests if is_wanted(test.id(), request["wanted"])]


def link_layer():
    """Link layer of the first device's first port, as the tests see it."""
    device = importlib.import_module("pyverbs.device")
    names = device.get_device_list()
    if not names:
        return "none"
    with device.Context(name=names[0].name.decode()) as ctx:
        return {1: "infiniband", 2: "ethernet"}.get(ctx.query_port(1).link_layer, "unspecified")


def main():
    request = json.loads(sys.argv[2])
    # A test that skips while it opens its objects leaves them in a cycle. Python would finalize that
    # in any order, later: pyverbs then destroys a completion queue whose context has been freed.
    gc.disable()
    # The tests hand open devices and pipes to their processes. Python 3.14 starts those anew.
    multiprocessing.set_start_method("fork")
    with os.fdopen(int(sys.argv[1]), "w", encoding="utf-8") as stream:
        report = Report(stream)
        tests = load(request)
        report.send(event="info", link_layer=link_layer())
        report.send(event="plan", ids=[test.id() for test in tests])
        unittest.TestSuite(t for t in tests if t.id() not in request["done"]).run(report)
        report.send(event="end")
        # Nor when the interpreter ends.
        stream.flush()
        sys.stdout.flush()
        os._exit(0)


if __name__ == "__main__":
    sys.exit(main())
