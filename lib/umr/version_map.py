#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors

"""Print the version script of librte_umr: version.map, and in its node EXPERIMENTAL the symbols of
each operation of rte_umr_ops.h: the out-of-line function and the trace point.

Usage: version_map.py version.map rte_umr_ops.h
"""

import re
import sys


def symbols_of(ops):
    """Symbols of the rows of RTE_UMR_FP_OPS."""
    rows = re.findall(r"^\t(OP|POLL|QUERY)\((\w+), \w+", ops, flags=re.M)
    return ([f"rte_umr_{name}" for _, name in rows] +
            [f"__rte_umr_trace_{name}" for kind, name in rows if kind != "QUERY"])


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        head, listed, tail = re.split(r"(?<=^EXPERIMENTAL {\n\tglobal:\n\n)((?:\t\w+;\n)+)",
                                      file.read(), maxsplit=1, flags=re.M)
    with open(sys.argv[2], encoding="utf-8") as file:
        names = symbols_of(file.read())
    names += re.findall(r"\w+", listed)
    print(head + "".join(f"\t{name};\n" for name in sorted(names)) + tail, end="")
    return 0 if len(names) == len(set(names)) else "a symbol is there twice"


if __name__ == "__main__":
    sys.exit(main())
