# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""What devtools/check/rooms.py finds, in a tree of two rooms that is made here.

Usage: rooms_test.py CHECK_ROOMS
Its output is the Test Anything Protocol; exit status 1 if a case failed.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "interop/programs"))

from case_runner import expect, report_cases, verdict_of  # noqa: E402

ROOMS = """
part house lib/house
room low
room high > low
header outside.h house:high
"""
FILES = {
    "lib/house/low/low.h": "int low(void);\n",
    "lib/house/low/low.c": '#include "low/low.h"\nint low(void) { return 1; }\n',
    "lib/house/high/high.h": "int high(void);\n",
    "lib/house/high/high.c":
        '#include "high/high.h"\n#include "low/low.h"\nint high(void) { return low(); }\n',
}


class Tree:
    """A source tree and its build folder."""

    def __init__(self, check, folder):
        self.check, self.folder = check, folder
        self.rooms = ROOMS
        for path, text in FILES.items():
            self.write(path, text)

    def write(self, path, text):
        """A file of the tree."""
        full = os.path.join(self.folder, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as file:
            file.write(text)

    def compile(self):
        """All sources, and what a build folder says of them."""
        build = os.path.join(self.folder, "build")
        os.makedirs(build)
        commands = []
        for name in ("low", "high"):
            source, output = f"../lib/house/{name}/{name}.c", f"{name}.o"
            subprocess.run(["cc", "-c", "-I../lib/house", source, "-o", output], cwd=build,
                           check=True)
            commands.append({"directory": build, "file": source, "output": output})
        self.write("build/compile_commands.json", json.dumps(commands))

    def run(self, *args, status=0):
        """What the check says."""
        self.write("rooms.txt", self.rooms)
        done = subprocess.run([sys.executable, self.check, "--top", self.folder, "--rooms",
                               os.path.join(self.folder, "rooms.txt"), "--build-dir",
                               os.path.join(self.folder, "build"), *args],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              check=False)
        expect(done.returncode == status, (done.returncode, done.stdout))
        return done.stdout


def a_tidy_house_is_good(tree):
    expect("good, 4 files, no objects, 0 exceptions" in tree.run(), "not said")
    tree.compile()
    expect("good, 4 files, 2 objects, 0 exceptions" in tree.run(), "not said")


def an_upward_include_is_found(tree):
    tree.write("lib/house/low/low.c", '#include "high/high.h"\nint low(void) { return 1; }\n')
    line = "lib/house/low/low.c includes lib/house/high/high.h"
    expect(f"house:low may not: {line}" in tree.run(status=1), "not found")
    # Nor by way of a path that says where it is.
    tree.write("lib/house/low/low.c", '#include "../high/high.h"\n')
    expect(line in tree.run(status=1), "not found")


def an_upward_symbol_is_found(tree):
    tree.write("lib/house/low/low.c", "int high(void);\nint low(void) { return high(); }\n")
    expect("good" in tree.run(), "symbols of what is not built")
    tree.compile()
    line = "lib/house/low/low.c calls high"
    expect(f"house:low may not: {line}" in tree.run(status=1), "not found")
    expect(f"except {line}" in tree.run("--exceptions"), "no line for rooms.txt")
    tree.rooms += f"except {line}\n"
    expect("1 exceptions" in tree.run(), "not excepted")


def a_declaration_below_its_definition_is_found(tree):
    tree.write("lib/house/high/high.c", "int high(void) { return 1; }\nint height = 2;\n")
    tree.write("lib/house/low/low.h",
               "int low(void);\n/* It is not high(). */\nint high(void);\nextern int height;\n")
    tree.compile()
    found = tree.run(status=1)
    for name in ("high", "height"):
        expect(f"house:low may not: lib/house/low/low.h declares {name}\n" in found, found)
    tree.write("lib/house/low/low.h", "int low(void);\n/* It is not high(). */\n")
    tree.run()


def a_header_from_outside_is_for_its_room(tree):
    for room, status in (("high", 0), ("low", 1)):
        tree.write(f"lib/house/{room}/more.c", "#include <outside.h>\n")
        expect(("includes outside.h" in tree.run(status=status)) == (status == 1), room)


def an_exception_that_is_none_any_more_is_an_error(tree):
    tree.rooms += "except lib/house/low/low.c includes lib/house/high/high.h\n"
    expect("take the exception away" in tree.run(status=1), "not said")


def a_seam_may_be_called_wherever_it_is_defined(tree):
    tree.rooms = "part house lib/house\nroom seam seam\nroom low > seam\nroom high > low\n"
    tree.write("lib/house/seam/seam.h", "int high(void);\n")
    tree.write("lib/house/low/low.c",
               '#include "seam/seam.h"\nint low(void) { return high(); }\n')
    tree.compile()
    tree.run()


def links_show_only_what_a_room_may_see(tree):
    links = os.path.join(tree.folder, "links")
    tree.run("--links", "house", links)
    expect(sorted(os.listdir(os.path.join(links, "low"))) == ["low"], "low")
    expect(sorted(os.listdir(os.path.join(links, "high"))) == ["high", "low"], "high")
    # A room in the folder of another one.
    tree.rooms = "part house lib/house\nroom low\nroom high/attic > low\nroom high > low\n"
    tree.write("lib/house/high/attic/attic.h", "int attic(void);\n")
    tree.run("--links", "house", links)
    expect(os.listdir(os.path.join(links, "high-attic/high")) == ["attic"], "attic")
    expect("attic" not in os.listdir(os.path.join(links, "high/high")), "high")


def a_folder_that_is_full_is_found(tree):
    tree.rooms += "full 2 lib\n"
    tree.run()
    tree.write("lib/house/low/more.c", "")
    expect("lib/house/low has 3 sources, at most 2" in tree.run(status=1), "not found")


def a_name_that_repeats_is_found(tree):
    tree.write("lib/house/high/attic/low.c", "")
    tree.run()
    tree.rooms += "unique lib\n"
    expect("one name for lib/house/high/attic/low.c and lib/house/low/low.c" in tree.run(status=1),
           "not found")
    os.rename(os.path.join(tree.folder, "lib/house/high/attic/low.c"),
              os.path.join(tree.folder, "lib/house/high/attic/attic_low.c"))
    tree.run()


def a_line_that_means_nothing_is_wrong(tree):
    for line in ("room", "room low > nowhere", "attic low", "full x lib"):
        tree.rooms = f"part house lib/house\n{line}\n"
        expect("rooms.txt:2" in tree.run(status=2), line)


CASES = (
    a_tidy_house_is_good,
    an_upward_include_is_found,
    an_upward_symbol_is_found,
    a_declaration_below_its_definition_is_found,
    a_header_from_outside_is_for_its_room,
    an_exception_that_is_none_any_more_is_an_error,
    a_seam_may_be_called_wherever_it_is_defined,
    links_show_only_what_a_room_may_see,
    a_folder_that_is_full_is_found,
    a_name_that_repeats_is_found,
    a_line_that_means_nothing_is_wrong,
)


def main():
    def run(case):
        with tempfile.TemporaryDirectory() as folder:
            return verdict_of(case, Tree(sys.argv[1], os.path.realpath(folder)))
    return report_cases(CASES, run)


if __name__ == "__main__":
    sys.exit(main())
