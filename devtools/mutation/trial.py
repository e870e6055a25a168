# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""One mutant: the tests that can find it, their order, and their results."""

import os
import re
import signal
import subprocess
import tempfile
import threading
import time

from tree import Broken

# Words common to most paths.
PLAIN_WORDS = {"lib", "swhca", "drivers", "common", "mlx5", "umr", "rte", "c", "h"}
# Counts instructions, so any change of the code makes it fail, whether correct or not.
NOT_ASKED = {"perf_count"}
# A suite of tests that take minutes each: used only if a mutant or --suite names them.
LATE = "long"
SKIPPED = 77
# Numbers of tests to link and run in sequence; the last number repeats.
BATCHES = (1, 3, 40)
# Up to this number, all objects are compared at once if those of the first tests are equal.
FEW_OBJECTS = 12
# A test hangs if it takes longer than its maximum by this factor.
HANG_FACTOR = 10
# Default of a test without a timeout.
TIMEOUT_S = 300


def words_of(name):
    """Words of a path or of a test name."""
    return {word for word in re.split(r"[/_.]", name)} - PLAIN_WORDS


def run_test(test, deadline_s):
    """"passed", "failed", "hung" or "skipped"; and how long it took."""
    env = dict(os.environ, MALLOC_PERTURB_="165", **test.env)
    begin = time.monotonic()
    with tempfile.TemporaryFile("w+", errors="replace") as out:
        # A fault may make it hang forever: it must end even without its parent.
        command = ["timeout", "-s", "KILL", str(deadline_s + 10), *test.cmd]
        process = subprocess.Popen(command, cwd=test.workdir, env=env, stdin=subprocess.DEVNULL,
                                   stdout=out, stderr=subprocess.DEVNULL,
                                   start_new_session=True)
        try:
            status = process.wait(deadline_s)
        except subprocess.TimeoutExpired:
            status = None
        finally:
            # Also end all processes that it started.
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
        out.seek(0)
        text = out.read()
    seconds = time.monotonic() - begin
    if status is None:
        return "hung", seconds
    if status == SKIPPED:
        return "skipped", seconds
    if status != 0 or re.search(r"^not ok\b(?!.*# (?:TODO|SKIP))", text, re.MULTILINE):
        return "failed", seconds
    return "passed", seconds


class Judge:
    """Runs tests for all copies; knows their results without a fault, and their times."""

    def __init__(self, times, args):
        self.times, self.deadline_s = times, args.deadline
        self.all_variants, self.suites = args.all_variants, args.suites
        self.control = {}       # test: its result without a fault in this run
        self.door = threading.Lock()
        self.idle = threading.Condition()
        self.nb_running = 0

    def is_good(self, name):
        """Whether this test passes without a fault; results of other tests do not count."""
        return self.control.get(name) == "passed"

    def ask_without_fault(self, tree, tests):
        """Run tests without a fault unless already done. The tree is unmodified; tests have their
        timeout."""
        tests = [test for test in tests if test.name not in self.control]
        if not tests:
            return
        good, out = tree.build(sorted({target for test in tests for target in test.targets}))
        if not good:
            raise Broken(out[-2000:])
        for test in tests:
            self.control[test.name], _ = self.ask(test, test.timeout or TIMEOUT_S)

    def deadline_of(self, test):
        """Time after which a test counts as hung."""
        known = self.times.get(test.name, 0)
        return min(test.timeout or TIMEOUT_S, max(self.deadline_s, HANG_FACTOR * known))

    def is_wanted(self, test):
        """Whether it is in the selected suites."""
        return self.suites is None or (test.suites & set(self.suites) and
                                       (LATE in self.suites or LATE not in test.suites))

    def order(self, mutant, tests, killers):
        """Order tests by likelihood: named by the mutant, similar names, unit tests before others."""
        hints = mutant.keys.get("tests", "").split()
        words = words_of(mutant.keys["file"])
        stem = words_of(os.path.basename(mutant.keys["file"]))
        seen, ranked = set(), []
        for test in tests:
            if test.name in NOT_ASKED or not (self.is_wanted(test) or test.name in hints):
                continue
            # The same program with other options of the device.
            key = tuple(test.cmd)
            if key in seen and not self.all_variants and test.name not in hints:
                continue
            seen.add(key)
            own = words_of(test.name)
            alike = len(words & own) + 2 * len(stem & own)
            alike += 3 * killers.get((mutant.keys["file"], test.name), 0)
            is_unit = "unit" in test.suites
            if test.name in hints:
                rank = (0, hints.index(test.name))
            elif alike:
                rank = (1 if is_unit else 2, -alike)
            else:
                rank = (3 if is_unit else 4, 0)
            ranked.append((rank, self.times.get(test.name, 5), test.name, test))
        return [test for *_, test in sorted(ranked, key=lambda item: item[:3])]

    def run(self, test, deadline_s):
        """The same as run_test(), and alone if the test requires it."""
        if not test.is_parallel:
            with self.door, self.idle:
                self.idle.wait_for(lambda: self.nb_running == 0)
                return run_test(test, deadline_s)
        with self.door, self.idle:
            self.nb_running += 1
        try:
            return run_test(test, deadline_s)
        finally:
            with self.idle:
                self.nb_running -= 1
                self.idle.notify_all()

    def ask(self, test, deadline_s):
        """The same, but a failure must repeat; otherwise the result is "unsure"."""
        verdict, seconds = self.run(test, deadline_s)
        if verdict in ("failed", "hung"):
            again, more = self.run(test, deadline_s)
            if again not in ("failed", "hung"):
                return "unsure", seconds + more
        elif verdict == "passed":
            self.times[test.name] = max(seconds, self.times.get(test.name, 0))
        return verdict, seconds


def batches(tests):
    """Split tests into small, then larger batches."""
    sizes = iter(BATCHES)
    size = next(sizes)
    while tests:
        yield tests[:size]
        tests = tests[size:]
        size = next(sizes, size)


def failed_line(text):
    """The line with the reason in the output of ninja."""
    lines = [line for line in text.split("\n") if "error" in line or "deadline" in line]
    return lines[0][:200] if lines else text[-200:]


def try_mutant(tree, judge, mutant, text, killers):
    """Try a mutant; return status, test, message, and number of tests run."""
    path = mutant.keys["file"]
    objects = tree.objects.get(path, set())
    tests = judge.order(mutant, [test for test in tree.tests
                                 if any(tree.inputs[target] & objects for target in test.targets)],
                        killers)
    if not tests:
        return "invalid", None, "no test has a part of it", 0
    good = tree.read(path)
    try:
        return ask_tests(tree, judge, path, {"good": good, "fault": text}, objects, tests)
    finally:
        tree.write(path, good)


def ask_tests(tree, judge, path, texts, objects, tests):
    """Run each test without the fault, unless already done, and then with it."""
    nb_run, notes, has_changed, begin = 0, [], False, time.time()
    for batch in batches(tests):
        if any(test.name not in judge.control for test in batch):
            tree.write(path, texts["good"])
            judge.ask_without_fault(tree, batch)
        tree.write(path, texts["fault"])
        good, out = tree.build(sorted({target for test in batch for target in test.targets}))
        if not good:
            return "invalid", None, failed_line(out), nb_run
        changed = tree.changed(objects, begin)
        has_changed = has_changed or bool(changed)
        if not has_changed and len(objects) <= FEW_OBJECTS:
            good, out = tree.build(sorted(objects))
            if not good:
                return "invalid", None, failed_line(out), nb_run
            has_changed = bool(tree.changed(objects, begin))
            if not has_changed:
                break
        for test in batch:
            if not judge.is_good(test.name) or \
                    not any(tree.inputs[target] & changed for target in test.targets):
                continue
            verdict, _ = judge.ask(test, judge.deadline_of(test))
            nb_run += 1
            if verdict in ("failed", "hung"):
                status = "killed" if verdict == "failed" else "hung"
                return status, test.name, " ".join(notes), nb_run
            if verdict == "unsure":
                notes.append(f"{test.name} failed once;")
    if not has_changed:
        return "equivalent", None, "the same machine code", nb_run
    if nb_run == 0:
        return "invalid", None, "no test could be asked: none passes without a fault", nb_run
    return "survived", None, " ".join(notes), nb_run
