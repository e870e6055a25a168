# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""What devtools/mutation/mutate.py says of faults in a project of one source and two tests, made here.

Usage: mutate_test.py MUTATE
Its output is the Test Anything Protocol; exit status 1 if a case failed.
"""

import argparse
import concurrent.futures
import contextlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "interop/programs"))
sys.path.insert(0, os.path.dirname(sys.argv[1]))
sys.dont_write_bytecode = True

import catalogue  # noqa: E402
import trial  # noqa: E402
import tree  # noqa: E402
from case_runner import expect, report_cases, verdict_of  # noqa: E402
from patience import FACTOR, LONG_S  # noqa: E402

# Exit status of mutate.py.
NOTHING = 3

FILES = {
    "meson.build": """
project('tiny', 'c')
tiny = static_library('tiny', 'lib/ring.c')
test('ring', executable('ring_test', 'ring_test.c', link_with: tiny), suite: 'unit')
test('count', executable('count_test', 'count_test.c', link_with: tiny), suite: 'unit',
     is_parallel: false)
""",
    "lib/ring.h": """int ring_next(int i, int size);
int ring_count(int size);
int ring_odd(int i);
static inline int
ring_mask(int size)
{
	return size - 1;
}
""",
    "lib/ring.c": """#include "ring.h"

int
ring_next(int i, int size)
{
	i++;
	if (i == size)
		i = 0;
	return i;
}

int
ring_count(int size)
{
	int nb = 0;

	while (nb < size)
		nb++;
	return nb;
}

int
ring_odd(int i)
{
	i++;
	return i & 1;
}
""",
    "ring_test.c": """#include "lib/ring.h"
int main(void) { return ring_next(1, 2) != 0; }
""",
    "count_test.c": """#include "link/ring.h"
int main(void) { return ring_count(3) != 3 || ring_mask(8) != 7; }
""",
}

WRAP = """[wrap-late]
class: off by one
file: lib/ring.c
in: ring_next
why: an index is behind the end
- if (i == size)
+ if (i > size)
"""
HANG = """[hang]
class: dropped count
file: lib/ring.c
in: ring_count
- while (nb < size)
- nb++;
+ for (volatile int more = 1; more != 0; )
+ ;
"""
HEADER = """[header]
class: wrong mask
file: lib/ring.h
- return size - 1;
+ return size;
"""
UNSEEN = """[unseen]
class: wrong mask
file: lib/ring.c
- return i & 1;
+ return i & 3;
"""
SAME = """[same]
class: wrong mask
file: lib/ring.c
- return i & 1;
+ return 1 & i;
"""
BROKEN = """[broken]
class: wrong mask
file: lib/ring.c
- return i & 1;
+ return j & 1;
"""

FAILS = "int main(void) { return 1; }\n"
# Commands that pass if nobody else runs them at that time, or if somebody does.
ALONE = ["sh", "-c", "mkdir alone && sleep 0.5 && rmdir alone"]
TOGETHER = ["sh", "-c", "touch one.$$; until [ $(ls one.* | wc -l) = 2 ]; do sleep 0.1; done"]


class Project:
    """The tree, and what mutate.py is told of it."""

    def __init__(self, mutate, folder):
        self.mutate, self.folder = mutate, os.path.join(folder, "tiny")
        self.work = os.path.join(folder, "work")
        for path, text in FILES.items():
            self.write(path, text)
        # Headers are found in folders of links.
        os.symlink("lib", os.path.join(self.folder, "link"))

    def write(self, path, text):
        """A file of the tree."""
        full = os.path.join(self.folder, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as file:
            file.write(text)

    @contextlib.contextmanager
    def changed(self, path, text):
        """Another file of the tree, for a while."""
        self.write(path, text)
        try:
            yield
        finally:
            self.write(path, FILES[path])

    def command(self, mutants, *args):
        """How these mutants are tried."""
        self.write("mutants/all.txt", mutants)
        return [sys.executable, self.mutate, "--top", self.folder, "--mutants",
                os.path.join(self.folder, "mutants"), "--folder", self.work,
                "--deadline", f"{5 * FACTOR:g}", *args]

    def run(self, mutants, *args, status=0):
        """What it says of these mutants: on stdout, and on the way."""
        done = subprocess.run(self.command(mutants, *args), stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, check=False,
                              timeout=LONG_S)
        expect(done.returncode == status, (done.returncode, done.stdout, done.stderr))
        return done.stdout, done.stderr

    def stale(self, mutants):
        """Why these mutants do not fit the tree, without a process for it."""
        self.write("mutants/all.txt", mutants)
        try:
            for mutant in catalogue.read(os.path.join(self.folder, "mutants")):
                catalogue.mutated(mutant, self.folder)
        except catalogue.Stale as error:
            return str(error)
        return ""

    def outcomes(self, mutants, *args, status=0):
        """mutant: (what it counts as, the test that found it)."""
        out, _ = self.run(mutants, "--format", "json", *args, status=status)
        return {row["name"]: (row["counts_as"], row["test"])
                for row in json.loads(out)["mutants"]}


def a_fault_is_found_by_the_test_that_sees_it(project):
    expect(project.outcomes(WRAP) == {"wrap-late": ("killed", "ring")}, "not found")
    with open(os.path.join(project.folder, "lib/ring.c"), encoding="utf-8") as file:
        expect(file.read() == FILES["lib/ring.c"], "the fault is in the tree itself")


def a_fault_in_a_header_is_found_through_a_link(project):
    expect(project.outcomes(HEADER) == {"header": ("killed", "count")}, "not found")


def a_test_that_does_not_end_has_found_it(project):
    expect(project.outcomes(HANG) == {"hang": ("hung", "count")}, "not hung")


def a_fault_that_nobody_finds_survives(project):
    out, _ = project.run(WRAP + UNSEEN, status=1)
    expect("survived: unseen (lib/ring.c)" in out, out)
    expect(" 50.0%" in out, out)
    # A test for it is asked, though it was tried before.
    with project.changed("count_test.c", '#include "lib/ring.h"\nint main(void) '
                         "{ return ring_count(3) != 3 || ring_odd(1) != 0; }\n"):
        done = project.outcomes(UNSEEN, "--again", "survived")
    expect(done == {"unseen": ("killed", "count")}, done)


def the_same_machine_code_is_no_fault(project):
    out, _ = project.run(SAME)
    expect("100.0%" not in out, out)
    expect(project.outcomes(SAME, "--report") == {"same": ("equivalent", None)}, "counted")


def what_survives_for_a_reason_is_no_survivor(project):
    reason = UNSEEN.replace("class:", "equivalent: nobody has more than one bit\nclass:")
    expect(project.outcomes(reason, "--again", "all") == {"unseen": ("equivalent", None)}, "counted")
    # But a reason for what is found is wrong.
    reason = WRAP.replace("class:", "equivalent: never that far\nclass:")
    out, _ = project.run(reason, status=1)
    expect("found, though the catalogue says that it cannot be: wrap-late" in out, out)


def what_does_not_compile_is_an_error(project):
    out, _ = project.run(BROKEN, status=1)
    expect("invalid: broken (lib/ring.c)" in out, out)


def a_test_that_always_fails_finds_nothing(project):
    with project.changed("ring_test.c", FAILS):
        # In a campaign that is stopped ...
        with subprocess.Popen(project.command(WRAP + HANG, "--again", "all"),
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              text=True) as process:
            for line in process.stderr:
                if line.startswith("1/2 wrap-late"):
                    break
            process.kill()
        done = project.outcomes(WRAP, "--report", status=1)
        expect(done == {"wrap-late": ("survived", None)}, done)
        # ... and in one that comes to its end.
        out, _ = project.run(WRAP, "--again", "all", status=1)
    expect("survived: wrap-late" in out and "ring: failed without a fault" in out, out)


def what_was_found_is_not_believed_of_a_test_that_always_fails(project):
    expect(project.outcomes(WRAP, "--again", "all") == {"wrap-late": ("killed", "ring")}, "lost")
    with project.changed("ring_test.c", FAILS):
        done = project.outcomes(WRAP, status=1)
    expect(done == {"wrap-late": ("survived", None)}, done)


def what_was_tried_is_not_tried_again(project):
    project.run(WRAP, "--again", "all")
    _, err = project.run(WRAP)
    expect("wrap-late" not in err, err)
    # Unless it is another one: nothing is known of that.
    other = WRAP.replace("i > size", "i > size + 1")
    out, _ = project.run(other, "--report", status=NOTHING)
    expect("not tried: 1 of 1" in out, out)
    _, err = project.run(other)
    expect("1/1 wrap-late: killed by ring" in err, err)
    # Or its file is.
    with project.changed("lib/ring.c", FILES["lib/ring.c"].replace("return nb;", "return nb + 0;")):
        project.run(other, "--report", status=NOTHING)
    project.run(other, "--report")


def nothing_tried_is_no_success(project):
    fresh = ("--folder", os.path.join(project.folder, "build-fresh"))
    out, _ = project.run(WRAP + UNSEEN, "--report", *fresh, status=NOTHING)
    expect(out == "not tried: 2 of 2 mutants\n", out)
    out, _ = project.run(WRAP, "--report", "--format", "json", *fresh, status=NOTHING)
    expect(json.loads(out)["rate"] is None, out)
    for what in ((), ("--report",), ("--list",)):
        out, err = project.run(WRAP, "--only", "no-such", *what, status=NOTHING)
        expect(out == "" and "no mutant is chosen" in err, (out, err))


def what_must_be_alone_is_alone_with_two_jobs(project):
    project.run(WRAP)
    copy = tree.Tree(project.folder, os.path.join(project.work, "tree0"), (), 1)
    copy.load_tests(["unit"], ())
    tests = {test.name: test._replace(workdir=project.work) for test in copy.tests}
    judge = trial.Judge({}, argparse.Namespace(deadline=60, all_variants=False, suites=["unit"]))

    def said(cmd, *names):
        with concurrent.futures.ThreadPoolExecutor(len(names)) as jobs:
            return {verdict for verdict, _ in
                    jobs.map(lambda name: judge.run(tests[name]._replace(cmd=cmd), 60), names)}

    expect(said(ALONE, "count", "count", "ring") == {"passed"}, "count is not alone")
    expect(said(TOGETHER, "ring", "ring") == {"passed"}, "ring is alone")


def a_place_that_is_gone_is_an_error(project):
    project.run(WRAP, "--check")
    _, err = project.run(WRAP.replace("i == size", "i == length"), "--check", status=2)
    expect("not found in lib/ring.c" in err, err)
    for old, new, why in (("in: ring_next\nwhy: an index is behind the end\n- if (i == size)",
                           "why: an index is behind the end\n- i++;",
                           "found 2 times in lib/ring.c"),
                          ("in: ring_next", "in: ring_last", "no function ring_last"),
                          ("file: lib/ring.c", "file: lib/rings.c", "no file lib/rings.c"),
                          ("+ if (i > size)", "+ if (i == size)", "changes nothing"),
                          ("class: off by one\n", "", 'has no "class"'),
                          ("why:", "reason:", "no line of a mutant"),
                          ("[wrap-late]", WRAP + "[wrap-late]", "wrap-late is at")):
        expect(old in WRAP, old)
        expect(why in project.stale(WRAP.replace(old, new)), why)


CASES = (
    a_fault_is_found_by_the_test_that_sees_it,
    a_fault_in_a_header_is_found_through_a_link,
    a_test_that_does_not_end_has_found_it,
    a_fault_that_nobody_finds_survives,
    the_same_machine_code_is_no_fault,
    what_survives_for_a_reason_is_no_survivor,
    what_does_not_compile_is_an_error,
    a_test_that_always_fails_finds_nothing,
    what_was_found_is_not_believed_of_a_test_that_always_fails,
    what_was_tried_is_not_tried_again,
    nothing_tried_is_no_success,
    what_must_be_alone_is_alone_with_two_jobs,
    a_place_that_is_gone_is_an_error,
)


def main():
    # One build folder for all: what a case leaves behind, the next one overwrites.
    with tempfile.TemporaryDirectory() as folder:
        project = Project(sys.argv[1], os.path.realpath(folder))
        return report_cases(CASES, lambda case: verdict_of(case, project))


if __name__ == "__main__":
    sys.exit(main())
