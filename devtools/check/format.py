#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""Format, license lines and spelling of every file that git tracks or would add.

clang-format knows DPDK's style only in part: see .clang-format, which is a help to write it.
"""

import argparse
import fnmatch
import pathlib
import re
import shutil
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]
MAX_LINES = 800
CODE = ("*.c", "*.h", "*.sh", "*.py", "*meson.build")
TEXT = CODE + ("*.md", "*.rst", "*.map", "*.txt")
# Formats that cannot contain a license, and files that debian/copyright covers.
UNLICENSED = (
    "LICENSE", ".gitignore", ".dockerignore", "*.md", "*.json", "*.svg", "*.golden", "*.pcap",
    "app/test/fuzz/found/*", "doc/guides/performance/*", "debian/changelog", "debian/copyright",
    "debian/source/*", "debian/*.install", "debian/*.examples", "debian/not-installed",
    "debian/*.doc-base.*", "debian/tests/control")
C_RULES = (
    (re.compile(r"^ +(?!\*)"), "indented with spaces, not tabs"),
    (re.compile(r"^\s*(if|for|while|switch|\} else if) .*\)\{$|\b(if|for|while|switch)\("),
     "no space before ( or {"),
    (re.compile(r"^\s*//(?!.*://)|\s//\s"), "a // comment"),
)
# What users read is in plain words: report, return, read, complete.
PROSE = ("lib/*", "drivers/*", "app/test-umr/*", "app/swhca-speed/*", "examples/*", "doc/*",
         "README.md", "CONTRIBUTING.md")
WORDS = re.compile(r"\b(was made with(out)?|tells?|told|(is|are) said|looked at|comes? back|nobody|by turns)\b", re.I)
FUNCTION = re.compile(r"^[a-z].* \*?[a-z0-9_]+\(.*\)$")
LICENSE = re.compile(r"SPDX-License-Identifier: BSD-3-Clause$", re.M)
COPYRIGHT = re.compile(r"Copyright\(c\) [0-9]")


def matches(name, patterns):
    """Whether the name of a file matches one of the patterns."""
    return any(fnmatch.fnmatch(name, pattern) for pattern in patterns)


def files():
    """Files that git tracks or would add; without git, all except build folders."""
    listed = b""
    if shutil.which("git") is not None:
        listed = subprocess.run(["git", "-c", f"safe.directory={TOP}", "ls-files", "-z", "-co",
                                 "--exclude-standard"], cwd=TOP, stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL, check=False).stdout
    names = [name for name in listed.decode().split("\0") if name]
    if not names:
        names = [str(path.relative_to(TOP)) for path in TOP.rglob("*")
                 if not re.match(r"build|\.git/|.*__pycache__", str(path.relative_to(TOP)))]
    return sorted(name for name in names if (TOP / name).is_file())


def lines_judge(name, lines):
    """Errors of single lines: (number, text)."""
    max_columns = 100 if matches(name, ("*.c", "*.h")) else 120
    last = ""
    for number, line in enumerate(lines, 1):
        if matches(name, ("*.c", "*.h")):
            for rule, text in C_RULES:
                if rule.search(line):
                    yield number, text
            if line == "{" and FUNCTION.match(last):
                yield number - 1, "return type not on a line of its own"
        if matches(name, CODE) and len(line.expandtabs(8)) > max_columns:
            yield number, f"over {max_columns} columns"
        if matches(name, PROSE) and (word := WORDS.search(line)):
            yield number, f"'{word[0]}' is not the field's word for it"
        if line.endswith((" ", "\t")):
            yield number, "blanks at the end of the line"
        last = line


def file_judge(name):
    """Errors of a file, one per line."""
    if not matches(name, TEXT):
        text = (TOP / name).read_bytes()[:4096].decode(errors="replace")
    else:
        text = (TOP / name).read_text(encoding="utf-8")
        lines = text.split("\n")
        for number, what in lines_judge(name, lines):
            yield f"{name}:{number}: {what}"
        # The length of a public header is that of its documentation.
        if matches(name, CODE) and len(lines) - 1 > MAX_LINES and not matches(name, ("*/rte_*.h",)):
            yield f"{name}: {len(lines) - 1} lines, over {MAX_LINES}"
        if text and not text.endswith("\n"):
            yield f"{name}: no newline at the end"
    head = text.split("\n")[:5]
    if matches(name, UNLICENSED):
        return
    if not LICENSE.search("\n".join(head[:4])):
        yield f"{name}: no line 'SPDX-License-Identifier: BSD-3-Clause' among the first 4"
    elif not COPYRIGHT.search("\n".join(head)):
        yield f"{name}: no line 'Copyright(c) YEAR NAME' among the first 5"


def spelling(names):
    """Spelling errors found by codespell."""
    if shutil.which("codespell") is None:
        print("no codespell: spelling was not checked")
        return []
    done = subprocess.run(["codespell", "--quiet-level=3", "--ignore-words-list=fro,nin",
                           *[name for name in names if matches(name, TEXT)]],
                          cwd=TOP, stdout=subprocess.PIPE, text=True, check=False)
    return done.stdout.splitlines()


def main():
    argparse.ArgumentParser(description=__doc__,
                            formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    names = files()
    bad = [line for name in names for line in file_judge(name)] + spelling(names)
    print("\n".join(bad) if bad else f"format: {len(names)} files are good")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
