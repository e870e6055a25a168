#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""Find comparisons for equality between numbers of different widths.

C converts both to the wider type, and no compiler warns. A 16-bit and a 32-bit index that count the
same objects are equal until the second exceeds 65,535, and never again. Therefore operands of ==
and != must have the same width, or a cast. Constants are excluded, and comparisons in which both
numbers have at least 32 bits.

Uses the syntax tree of clang for each source of drivers/, in every way in which a build folder
compiles it. First checks that planted comparisons are found. Exit status 1 if there are any, 77
without clang.

Usage: widths.py [BUILD_DIR]
"""

import concurrent.futures
import json
import os
import re
import shlex
import shutil
import subprocess
import sys

from compile_commands import PRECOMPILED

SKIP = 77
ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "../.."))
ROOM = os.path.join(ROOT, "drivers", "")
# Relevant compiler options; those with two words.
OPTIONS = ("-I", "-D", "-std", "-m", "-isystem/")
PAIRS = ("-include", "-isystem")
WIDTHS = {
    "char": 8, "signed char": 8, "unsigned char": 8, "short": 16, "unsigned short": 16,
    "int": 32, "unsigned int": 32, "long": 64, "unsigned long": 64, "long long": 64,
    "unsigned long long": 64,
}

NODE = re.compile(r"^([ |`-]*)(\w+) 0x[0-9a-f]+(.*)$")
# Position of a node: clang omits the parts that did not change.
PLACE = re.compile(r"(?<=[<, ])(?:([^\s<>,:]+\.[ch]):|line:)(\d+):\d+")
TYPE = re.compile(r"'([^']*)'(?::'([^']*)')?")
EQUALITY = re.compile(r"'(==|!=)'$", re.M)

# The first lines must be found, the others must not.
PLANTED = """
struct s { unsigned short a, b; unsigned int c; volatile unsigned char d; };
int f0(struct s *s) { return s->a == s->c; }
int f1(struct s *s, unsigned long n) { return n != (s->b); }
int f2(struct s *s) { return s->d == s->a; }
int f3(struct s *s) { return s->a == (s->d ? s->c : 1); }
int g0(struct s *s) { return s->a == s->b; }
int g1(struct s *s) { return s->a == (unsigned short)s->c; }
int g2(struct s *s) { return s->a == 7u && s->d != sizeof(*s); }
int g3(struct s *s) { return s->a < s->c; }
int g4(struct s *s) { return s->a == (s->c ? 1 : 2); }
"""
PLANTED_LINES = [3, 4, 5, 6]


class Node:
    """A line of the tree: kind, remaining text, position in a source, and child nodes."""

    def __init__(self, kind, text, place):
        self.kind = kind
        self.text = text
        self.place = place
        self.kids = []

    def walk(self):
        """This node and all nodes below it."""
        yield self
        for kid in self.kids:
            yield from kid.walk()

    def width(self):
        """Bits of a number; None for anything else."""
        found = TYPE.search(self.text)
        words = (found.group(2) or found.group(1)).split() if found else []
        return WIDTHS.get(" ".join(w for w in words if w not in ("const", "volatile")))

    def operand(self):
        """The operand as written: without parentheses and implicit conversions."""
        if self.kind == "ParenExpr" or (
                self.kind == "ImplicitCastExpr" and
                re.search("<(IntegralCast|LValueToRValue)", self.text)):
            return self.kids[0].operand()
        return self

    def is_constant(self):
        """Whether it contains no variable, member or call, except in sizeof."""
        if self.kind in ("MemberExpr", "CallExpr", "ArraySubscriptExpr"):
            return False
        if self.kind == "DeclRefExpr":
            return "EnumConstant" in self.text
        # One of two constants counts as a constant.
        kids = self.kids[1:] if self.kind == "ConditionalOperator" else self.kids
        return (self.kind == "UnaryExprOrTypeTraitExpr" or
                all(kid.is_constant() for kid in kids))

    def is_bad(self):
        """Whether it compares two different widths."""
        if self.kind != "BinaryOperator" or EQUALITY.search(self.text) is None:
            return False
        sides = [kid.operand() for kid in self.kids]
        widths = [side.width() for side in sides]
        return (None not in widths and widths[0] != widths[1] and min(widths) < 32 and
                not any(side.is_constant() for side in sides))


def place_after(place, text):
    """(path, line) after clang printed the text."""
    for path, line in PLACE.findall(text):
        place = (path or place[0], line)
    return place


def tree_of(text, place):
    """The nodes of a declaration, and the position after it."""
    root = Node("", "", place)
    stack = [(-1, root)]
    for line in text.split("\n"):
        found = NODE.match(line)
        if found is None:
            continue
        depth = len(found.group(1))
        # The position precedes the type; names after it are not positions.
        place = place_after(place, found.group(3).split("'", 1)[0])
        node = Node(found.group(2), found.group(3), place)
        while stack[-1][0] >= depth:
            stack.pop()
        stack[-1][1].kids.append(node)
        stack.append((depth, node))
    return root, place


def comparisons(args, folder, source=None):
    """(path, line) of wrong comparisons in a compilation by clang."""
    dump = subprocess.run(
        ["clang", "-w", "-fsyntax-only", "-fno-color-diagnostics", "-Xclang", "-ast-dump"] + args,
        cwd=folder, input=source, stdout=subprocess.PIPE, text=True, check=True).stdout
    place = ("", "0")
    bad = set()
    for text in re.split(r"\n(?=[|`]-)", dump):
        if EQUALITY.search(text) is None:
            place = place_after(place, text)
            continue
        tree, place = tree_of(text, place)
        bad |= {(os.path.realpath(os.path.join(folder, node.place[0])), int(node.place[1]))
                for node in tree.walk() if node.is_bad()}
    return bad


def args_of(unit):
    """Options of a compilation that clang needs."""
    words = shlex.split(unit["command"].replace(PRECOMPILED, ""))
    args = [w for w in words if w.startswith(OPTIONS)]
    for i, word in enumerate(words):
        if word in PAIRS:
            args += words[i:i + 2]
    return args + [unit["file"]]


def unit_check(unit):
    """The same for a source of the project."""
    args, folder = unit
    return {place for place in comparisons(list(args), folder) if place[0].startswith(ROOM)}


def units_of(build_dir):
    """All ways in which a source is compiled: arguments, folder."""
    with open(os.path.join(build_dir, "compile_commands.json"), encoding="utf-8") as f:
        units = json.load(f)
    return sorted({(tuple(args_of(unit)), unit["directory"]) for unit in units
                   if os.path.realpath(os.path.join(unit["directory"],
                                                    unit["file"])).startswith(ROOM)})


def main():
    """Exit status of the script."""
    build_dir = sys.argv[1] if len(sys.argv) > 1 else os.environ.get(
        "BUILD_DIR", os.path.join(ROOT, "build"))
    if shutil.which("clang") is None:
        print("no clang")
        return SKIP
    lines = sorted(line for _, line in comparisons(["-x", "c", "-"], "/", PLANTED))
    if lines != PLANTED_LINES:
        print(f"planted in lines {PLANTED_LINES}, found in {lines}")
        return 1
    units = units_of(build_dir)
    with concurrent.futures.ProcessPoolExecutor() as pool:
        bad = set().union(*pool.map(unit_check, units))
    for path, line in sorted(bad):
        print(f"{os.path.relpath(path, ROOT)}:{line}: numbers of different widths are compared")
    print(f"widths: {'bad' if bad else 'good'} in {len(units)} compilations")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
