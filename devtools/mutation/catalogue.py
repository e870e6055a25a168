# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""Mutants: small faults, listed in files of devtools/mutation/mutants/.

    [name]
    class: off by one
    file: lib/part/file.c
    in: function
    tests: name...
    equivalent: why no test can detect it
    why: effect on a program
    - existing line
    + replacement

"in", "tests", "equivalent" and "why" are optional. Lines are compared without surrounding blanks.
They must match exactly one place in the file or function.
"""

import collections
import hashlib
import os
import re

KEYS = ("class", "file", "in", "tests", "equivalent", "why")
NEEDED = ("class", "file")

Mutant = collections.namedtuple("Mutant", ("name", "where", "keys", "old", "new"))


class Stale(Exception):
    """The catalogue does not match the tree or is invalid."""


def read_file(path):
    """The mutants of one file."""
    mutants, entry = [], None
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    for number, line in enumerate(lines, 1):
        where = f"{path}:{number}"
        if not line.strip() or line.startswith("#"):
            continue
        if match := re.fullmatch(r"\[([a-z0-9-]+)\]", line):
            entry = Mutant(match[1], where, {}, [], [])
            mutants.append(entry)
        elif entry and line[0] in "-+":
            (entry.old if line[0] == "-" else entry.new).append(line[1:].strip())
        elif entry and (match := re.fullmatch(r"([a-z]+): (.+)", line)) and match[1] in KEYS:
            entry.keys[match[1]] = match[2]
        else:
            raise Stale(f"{where}: no line of a mutant: {line}")
    return mutants


def read(folder):
    """The mutants of all files of a folder."""
    mutants, names = [], {}
    for name in sorted(os.listdir(folder)):
        if name.endswith(".txt"):
            mutants += read_file(os.path.join(folder, name))
    for mutant in mutants:
        for key in NEEDED:
            if key not in mutant.keys:
                raise Stale(f"{mutant.where}: {mutant.name} has no \"{key}\"")
        if not mutant.old or mutant.old == mutant.new:
            raise Stale(f"{mutant.where}: {mutant.name} changes nothing")
        if mutant.name in names:
            raise Stale(f"{mutant.where}: {mutant.name} is at {names[mutant.name]}, too")
        names[mutant.name] = mutant.where
    return mutants


def function_lines(lines, name):
    """The lines of a function: from its name in the first column to its closing brace."""
    begin = re.compile(rf"(?:static .*|.*\s\**)?\b{re.escape(name)}\(")
    for i, line in enumerate(lines):
        if line[:1].isspace() or not begin.match(line):
            continue
        for k in range(i, len(lines)):
            if lines[k].startswith("}"):
                return range(i, k + 1)
            if lines[k].endswith(";") and not lines[k][:1].isspace():
                break
    return range(0)


def apply(mutant, text):
    """The text of its file with the fault, with the same number of lines for tools that count
    them."""
    lines = text.split("\n")
    within = range(len(lines))
    if "in" in mutant.keys:
        within = function_lines(lines, mutant.keys["in"])
        if not within:
            raise Stale(f"{mutant.where}: {mutant.name}: no function {mutant.keys['in']} "
                        f"in {mutant.keys['file']}")
    size = len(mutant.old)
    places = [i for i in within if i + size <= within.stop and
              [line.strip() for line in lines[i:i + size]] == mutant.old]
    if len(places) != 1:
        found = "not found" if not places else f"found {len(places)} times"
        raise Stale(f"{mutant.where}: {mutant.name}: {found} in {mutant.keys['file']}: "
                    f"{mutant.old[0]}")
    first = lines[places[0]]
    indent = first[:len(first) - len(first.lstrip())]
    new = [indent + line if line else "" for line in mutant.new]
    new += [""] * (size - len(new))
    return "\n".join(lines[:places[0]] + new + lines[places[0] + size:])


def mutated(mutant, top):
    """The same for its file in a tree."""
    path = os.path.join(top, mutant.keys["file"])
    if not os.path.isfile(path):
        raise Stale(f"{mutant.where}: {mutant.name}: no file {mutant.keys['file']}")
    with open(path, encoding="utf-8") as file:
        return apply(mutant, file.read())


def digest(mutant, text):
    """Key of a result: valid only for this text in this file."""
    return hashlib.sha256(f"{mutant.keys['file']}\0{text}".encode()).hexdigest()[:16]
