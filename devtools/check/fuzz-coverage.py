#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors

"""Print the coverage of fuzz targets by rooms of lib/swhca (devtools/check/fuzz.sh --coverage).

Usage: fuzz-coverage.py ALL.json DIR/TARGET...
ALL.json and DIR/TARGET.json are output of "llvm-cov export -summary-only". Rooms that no target
reaches are omitted; the table is reStructuredText.
"""

import json
import os
import re
import sys

ROOM = re.compile(r"lib/swhca/((?:front/)?[a-z_]+)/|lib/(mlx5_prm)/")


def rooms(path):
    """{room: [lines covered, lines, branches covered, branches]}"""
    table = {}
    with open(path, encoding="utf-8") as file:
        files = json.load(file)["data"][0]["files"]
    for entry in files:
        match = ROOM.search(entry["filename"])
        if match is None:
            continue
        sums = table.setdefault(match.group(1) or match.group(2), [0, 0, 0, 0])
        summary = entry["summary"]
        for i, what in enumerate(("lines", "branches")):
            sums[2 * i] += summary[what]["covered"]
            sums[2 * i + 1] += summary[what]["count"]
    return table


def percent(part, whole):
    """Percentage of lines or branches."""
    return f"{100 * part / whole:.0f} %" if whole else "-"


def row(cells, widths):
    """A line of the table."""
    return "  ".join(cell.ljust(width) for cell, width in zip(cells, widths)).rstrip()


def main():
    everything = rooms(sys.argv[1])
    targets = [(os.path.basename(path), rooms(path + ".json")) for path in sys.argv[2:]]
    lines = [["Room", "Lines", "Branches", "Most by"]]
    total = [0, 0, 0, 0]
    for room in sorted(everything):
        sums = everything[room]
        if sums[0] == 0:
            continue
        total = [a + b for a, b in zip(total, sums)]
        best = max(targets, key=lambda target: target[1].get(room, [0])[0])[0]
        lines.append([room, percent(*sums[:2]), percent(*sums[2:]), best])
    lines.append(["all", percent(*total[:2]), percent(*total[2:]), ""])
    widths = [max(len(line[i]) for line in lines) for i in range(4)]
    rule = row(["=" * width for width in widths], widths)
    print(rule, row(lines[0], widths), rule, *(row(line, widths) for line in lines[1:]), rule,
          sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
