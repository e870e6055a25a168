#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors

"""Errors that the headers of lib/umr document, as a table in C: for each function its errnos, and
whether "another errno" may come.

Usage: api_errors.py HEADER... > fuzz_api_errors.h
"""

import re
import sys

COMMENT = re.compile(r"/\*\*(.*?)\*/\s*(?:__rte_\w+\s+)*([^;{]*?)\b(rte_umr_\w+)\(", re.S)


def errors_of(text):
    """Names of errnos behind @return, whether any other may come, and functions that have the same."""
    _, _, returns = text.partition("@return")
    returns = returns.replace("*", " ")
    names = re.findall(r"-\s+-?(E[A-Z0-9]+)\b", returns)
    names += re.findall(r"(?:or|, or|0, or|NULL with rte_errno:?)\s+-?(E[A-Z0-9]+)\b", returns)
    same = re.findall(r"(?:See|what|[Aa]s(?:\s+of)?)\s+(rte_umr_\w+)\(\)", returns)
    return set(names), bool(re.search(r"another\s+(?:negative\s+)?errno", returns)), same


def main():
    print("/* Made by api_errors.py. */")
    print("static const struct {\n\tconst char *name;\n\tint errnos[24];\n\tbool is_open;\n}"
          " api_errors[] = {")
    table = {}
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            source = file.read()
        for text, _, name in COMMENT.findall(source):
            # The comment right in front of it.
            text = text.rpartition("/**")[2]
            if "@return" in text:
                table[name] = errors_of(text)
    for name, (names, is_open, same) in table.items():
        for other in same:
            names |= table.get(other, (set(), False, []))[0]
        values = ", ".join(sorted(names)) or "0"
        print(f'\t{{ "{name}", {{ {values} }}, {"true" if is_open else "false"} }},')
    print("};")
    return 0 if len(table) > 20 else 1


if __name__ == "__main__":
    sys.exit(main())
