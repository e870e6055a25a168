#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""Plant small faults in a copy of the tree, one at a time, and report those that no test finds.

The faults are those of devtools/mutation/mutants/*.txt. For each, what it changes is built, then the tests
that have a part of that run, the most likely first, until one fails or does not come to an end.
A test is asked without a fault before, in each run: one that does not pass then finds nothing.
What compiles to the same machine code counts for nothing, what does not compile is an error. What
was tried is not tried again unless its text has changed, or the test that found it fails without
a fault by now: stop it at any time, and start it again.
"""

import argparse
import os
import queue
import random
import sys
import threading
import time

sys.dont_write_bytecode = True

import catalogue  # noqa: E402
import results  # noqa: E402
import trial  # noqa: E402
import tree  # noqa: E402

# Faster compilation with the same faults. Compared objects contain no line numbers.
SETUP_ARGS = ("-Doptimization=1", "-Ddebug=false")
# Exit status.
NOTHING = 3
TOP = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))


def arguments():
    """Parse the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="Exit status: 0 if the rate is reached, every mutant compiled and every test passes "
               "without a fault, 1 if not, 2 if the catalogue does not fit the tree or the copy "
               f"does not build, {NOTHING} if no mutant is chosen or none was tried.")
    add = parser.add_argument
    add("--check", action="store_true", help="only whether every mutant still has its place")
    add("--list", action="store_true", help="only their names, classes and files")
    add("--report", action="store_true", help="only what is known from earlier runs")
    add("--only", metavar="WORD", action="append", default=[],
        help="mutants whose name, class or file has this in it; may be given again")
    add("--since", metavar="REV", help="mutants in files that have changed since that revision")
    add("--sample", metavar="N", type=int, help="so many of them, drawn at random, in any order")
    add("--seed", metavar="S", type=int, default=None, help="what --sample draws with")
    add("--again", metavar="STATUS", action="append", default=[],
        choices=results.STATUSES + ("all",), help="try those again that ended so")
    add("--suite", metavar="NAME", action="append",
        help="tests of this suite; may be given again (default: unit, autotest; all: every one)")
    add("--all-variants", action="store_true",
        help="the same program with other devices, too (a mutant's own tests are always asked)")
    add("--deadline", metavar="S", type=float, default=60,
        help="a test that takes longer hangs, unless it took a tenth of that before "
             "(default: %(default)s)")
    add("--jobs", metavar="N", type=int, default=1, help="copies to work in (default: 1)")
    add("--threads", metavar="N", type=int, default=2, help="of each compilation (default: 2)")
    add("--setup-arg", metavar="ARG", action="append", default=[],
        help="one more option of meson setup; the copy is built with " + " ".join(SETUP_ARGS))
    add("--rate", metavar="PERCENT", type=float, default=95,
        help="fewer found than this is a failure (default: %(default)s)")
    add("--format", choices=("text", "json"), default="text", help="of what is said at the end")
    add("--top", metavar="DIR", default=TOP, help="the tree (default: this one)")
    add("--mutants", metavar="DIR", help="the catalogue (default: devtools/mutation/mutants of the tree)")
    add("--folder", metavar="DIR",
        help="copies and results (default: build-mutate in the tree)")
    args = parser.parse_args()
    args.top = os.path.realpath(args.top)
    args.mutants = args.mutants or os.path.join(args.top, "devtools/mutation/mutants")
    args.folder = os.path.realpath(args.folder or os.path.join(args.top, "build-mutate"))
    args.suites = None if "all" in (args.suite or ()) else args.suite or ["unit", "autotest"]
    args.again = set(results.STATUSES if "all" in args.again else args.again)
    return args


def texts_of(mutants, top):
    """Map mutants to their files with the fault. All outdated mutants are reported at once."""
    texts, stale = {}, []
    for mutant in mutants:
        try:
            texts[mutant.name] = catalogue.mutated(mutant, top)
        except catalogue.Stale as error:
            stale.append(str(error))
    if stale:
        raise catalogue.Stale("\n".join(stale))
    return texts


def chosen(args, mutants):
    """Mutants selected on the command line."""
    if args.only:
        mutants = [mutant for mutant in mutants
                   if any(word in text for word in args.only
                          for text in (mutant.name, mutant.keys["class"], mutant.keys["file"]))]
    if args.since:
        changed = set(tree.run("git", "-C", args.top, "diff", "--name-only",
                               args.since).split("\n"))
        mutants = [mutant for mutant in mutants if mutant.keys["file"] in changed]
    if args.sample is not None:
        seed = args.seed if args.seed is not None else random.randrange(1 << 32)
        say(f"seed {seed}")
        mutants = random.Random(seed).sample(mutants, min(args.sample, len(mutants)))
    return mutants


def say(line):
    """Print progress; standard output has only the result."""
    print(line, file=sys.stderr, flush=True)


class Campaign:
    """Waiting mutants, and the jobs that try them."""

    def __init__(self, args, found):
        self.args, self.found = args, found
        self.judge = trial.Judge(found.times, args)
        self.lock = threading.Lock()
        self.todo = queue.SimpleQueue()
        self.nb_all = self.nb_done = 0
        self.broken = None

    def copy_of(self, job, names=()):
        """Prepare the copy of a job: build it without a fault, its tests and the named ones."""
        begin = time.monotonic()
        copy = tree.Tree(self.args.top, os.path.join(self.args.folder, f"tree{job}"),
                         [*SETUP_ARGS, *self.args.setup_arg], self.args.threads)
        copy.prepare(self.args.suites, names)
        say(f"copy {job}: {len(copy.tests)} tests, {len(copy.hashes)} objects, "
            f"ready after {time.monotonic() - begin:.0f} s")
        return copy

    def run(self, mutants, digests):
        """Run everything: previous results are checked before any mutant is tried."""
        rows = {name: row for name, row in self.found.of(digests).items()
                if row["status"] not in self.args.again}
        killers = {row["test"] for row in rows.values() if row["status"] in results.FOUND}
        copy = self.copy_of(0, killers)
        self.judge.ask_without_fault(copy, [test for test in copy.tests if test.name in killers])
        for name, row in list(rows.items()):
            if row["status"] in results.FOUND and not self.judge.is_good(row["test"]):
                say(f"{name}: tried again, {row['test']} does not pass without a fault")
                self.found.forget(name)
                del rows[name]
        todo = [mutant for mutant in mutants if mutant.name not in rows]
        self.nb_all = len(todo)
        for mutant in todo:
            self.todo.put(mutant)
        jobs = [threading.Thread(target=self.work, args=(job, copy if job == 0 else None),
                                 daemon=True)
                for job in range(min(max(1, self.args.jobs), self.nb_all))]
        for job in jobs:
            job.start()
        for job in jobs:
            job.join()
        if self.broken:
            raise self.broken
        return {test: said for test, said in self.judge.control.items()
                if said not in ("passed", "skipped")}

    def work(self, job, copy):
        """Try mutants in one copy, one at a time."""
        try:
            copy = copy or self.copy_of(job)
            while not self.broken:
                self.try_one(copy, self.todo.get_nowait())
        except queue.Empty:
            pass
        except Exception as error:  # pylint: disable=broad-except
            self.broken = error

    def try_one(self, copy, mutant):
        """Try one mutant and print a line about it."""
        text = catalogue.mutated(mutant, copy.folder)
        with self.lock:
            killers = self.found.killers()
        begin = time.monotonic()
        status, test, note, nb_run = trial.try_mutant(copy, self.judge, mutant, text, killers)
        seconds = round(time.monotonic() - begin, 1)
        with self.lock:
            self.found.add({
                "name": mutant.name, "class": mutant.keys["class"], "file": mutant.keys["file"],
                "status": status, "test": test, "note": note, "tests": nb_run,
                "seconds": seconds, "digest": catalogue.digest(mutant, text)})
            self.nb_done += 1
            by = f" by {test}" if test else ""
            say(f"{self.nb_done}/{self.nb_all} {mutant.name}: {status}{by}, {nb_run} tests, "
                f"{seconds} s{' (' + note + ')' if note else ''}")


def report(args, mutants, rows, bad_tests):
    """Print the result and return the exit status."""
    table = results.counts_by_class(mutants, rows)
    left = results.survivors(mutants, rows)
    wrong = [mutant for mutant in mutants if mutant.name in rows and
             "equivalent" in mutant.keys and rows[mutant.name]["status"] in results.FOUND]
    invalid = [mutant for mutant in mutants
               if mutant.name in rows and rows[mutant.name]["status"] == "invalid"]
    if args.format == "json":
        print(results.as_json(mutants, rows, bad_tests))
    else:
        if rows:
            print(results.text_table(mutants, rows))
        for title, some in (("survived", left), ("invalid", invalid),
                            ("found, though the catalogue says that it cannot be", wrong)):
            for mutant in some:
                note = rows[mutant.name]["note"]
                print(f"{title}: {mutant.name} ({mutant.keys['file']})"
                      f"{': ' + note if note else ''}")
        for test, said in sorted(bad_tests.items()):
            print(f"{test}: {said} without a fault")
        if len(rows) < len(mutants):
            print(f"not tried: {len(mutants) - len(rows)} of {len(mutants)} mutants")
    if not rows:
        return NOTHING
    rate = results.rate_of(table[None])
    return 1 if invalid or wrong or bad_tests or rate is not None and rate < args.rate else 0


def main():
    """See the top of this file."""
    args = arguments()
    try:
        mutants = catalogue.read(args.mutants)
        texts = texts_of(mutants, args.top)
        if args.check:
            print(f"good, {len(mutants)} mutants in "
                  f"{len({mutant.keys['file'] for mutant in mutants})} files")
            return 0
        mutants = chosen(args, mutants)
        if not mutants:
            say("mutate.py: no mutant is chosen")
            return NOTHING
        if args.list:
            for mutant in mutants:
                print(f"{mutant.name:36} {mutant.keys['class']:20} {mutant.keys['file']}")
            return 0
        digests = {mutant.name: catalogue.digest(mutant, texts[mutant.name])
                   for mutant in mutants}
        found = results.Results(args.folder)
        bad_tests = {} if args.report else Campaign(args, found).run(mutants, digests)
        return report(args, mutants, found.of(digests), bad_tests)
    except (catalogue.Stale, tree.Broken) as error:
        print(f"mutate.py: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        say("stopped; the same command goes on")
        return 130


if __name__ == "__main__":
    sys.exit(main())
