#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""Count the instructions of the fast path with valgrind, and compare them with a table.

An instruction count depends on the compiler, but not on the machine or its load. A case that
executes more than LIMIT percent above its line of the table fails; one that is as much below it
asks for the table to be updated (--update). Another version of the table's compiler may differ by
OTHER_LIMIT percent: the bound that holds for gcc 12, 14 and 16. The output is the
Test Anything Protocol.
"""

import argparse
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

LIMIT = 5.0
OTHER_LIMIT = 15.0


def skip(reason):
    print(f"1..0 # SKIP {reason}")
    sys.exit()


def totals(folder):
    """Counts of the sections in the order in which they ran."""
    paths = glob.glob(os.path.join(folder, "out.*"))
    found = []
    for path in paths:
        with open(path, encoding="utf-8") as f:
            text = f.read()
        if "Trigger: --dump-after=section" not in text:
            continue
        found.append((int(re.search(r"^part: (\d+)", text, re.M).group(1)),
                      int(re.search(r"^(?:totals|summary): (\d+)", text, re.M).group(1))))
    return [count for _, count in sorted(found)]


def count(program):
    """Instructions per operation by name of the case."""
    with tempfile.TemporaryDirectory() as folder:
        out = subprocess.run(
            ["valgrind", "--tool=callgrind", "--collect-atstart=no", "--toggle-collect=section",
             "--dump-after=section", f"--callgrind-out-file={folder}/out", program],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        if out.returncode != 0:
            sys.exit(f"{program}: status {out.returncode}\n{out.stderr}")
        counts = totals(folder)
    cases = [line.split("\t") for line in out.stdout.splitlines()]
    if len(cases) != len(counts):
        sys.exit(f"{program}: {len(cases)} cases, but {len(counts)} were counted")
    return {name: total / int(ops) for (name, ops), total in zip(cases, counts)}


def table_read(path):
    """The compiler of a table, and its lines."""
    compiler, lines = None, {}
    with open(path, encoding="utf-8") as f:
        for line in f:
            line = line.rstrip("\n")
            if line.startswith("# compiler: "):
                compiler = line.removeprefix("# compiler: ")
            elif line and not line.startswith("#"):
                name, value = line.rsplit(None, 1)
                lines[name] = float(value)
    return compiler, lines


def table_write(path, compiler, counts):
    with open(path, "w", encoding="utf-8") as f:
        f.write("# SPDX-License-Identifier: BSD-3-Clause\n"
                "# Copyright(c) 2026 The umr project authors\n#\n"
                "# Instructions of the fast path, counted by valgrind: see count.py.\n"
                "# Per operation in a batch of 32, with the call and the loop around it; submit\n"
                "# and completed once per batch. Written by ninja update-counts.\n"
                f"# compiler: {compiler}\n")
        for name, value in counts.items():
            f.write(f"{name:24} {value:8.1f}\n")


def compare(counts, expected, limit):
    """Print every case: how it went, or that it is not comparable here. @return Nothing failed."""
    names = list(counts) + [name for name in expected if name not in counts]
    nb_failed = 0
    print(f"1..{len(names)}")
    for number, name in enumerate(names, 1):
        now, then = counts.get(name), expected.get(name)
        verdict, text = "ok", ""
        if now is None:
            text = " # SKIP this CPU or build has no such case"
        elif then is None:
            verdict, text = "not ok", f": {now:.1f}, not in the table"
        else:
            change = (now / then - 1) * 100
            verdict = "not ok" if change > limit else "ok"
            text = f": {now:.1f}, table {then:.1f} ({change:+.1f} %)"
            if change < -limit:
                text += "; better: update the table"
        nb_failed += verdict != "ok"
        print(f"{verdict} {number} - {name}{text}")
    return nb_failed == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--update", action="store_true", help="write the table anew")
    parser.add_argument("program")
    parser.add_argument("table")
    parser.add_argument("compiler", help="name and major version: 'gcc 12'")
    args = parser.parse_args()

    if shutil.which("valgrind") is None:
        skip("no valgrind")
    if args.update:
        table_write(args.table, args.compiler, count(args.program))
        return
    compiler, expected = table_read(args.table)
    if compiler is None or compiler.split()[0] != args.compiler.split()[0]:
        skip(f"the table is for {compiler}, this build is by {args.compiler}")
    limit = LIMIT if compiler == args.compiler else OTHER_LIMIT
    sys.exit(0 if compare(count(args.program), expected, limit) else 1)


if __name__ == "__main__":
    main()
