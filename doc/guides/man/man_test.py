#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""Manual pages are built without a warning, and hold what the guides say of each program.

Usage: man_test.py SPHINX_BUILD ARGUMENT... SOURCE_DIR PAGE...
"""

import pathlib
import re
import subprocess
import sys
import tempfile

# Sections that a page has, by its name: the first and the last part of the guides that it takes.
WANTED = {
    "swhca-run.1": ("MODELS", "LINK LAYERS", "OTHER USERS OF THE MACHINE", "PROGRAMS"),
    "swhca-ctl.1": ("TAKING A DEVICE AWAY", "CONTROL OF A RUNNING PROGRAM"),
    "swhca-pci.1": ("WHAT IS THERE", "WHAT IS NOT THERE"),
    "swhca-speed.1": ("SPEED",),
    "dpdk-test-umr.1": ("WHAT VERIFY CHECKS",),
    "rte_umr.7": ("HEADERS",),
}
# And those that every page of a section has.
COMMON = {
    ".1": ("NAME", "SYNOPSIS", "OPTIONS", "EXIT STATUS", "EXAMPLES", "SEE ALSO"),
    ".7": ("NAME", "SYNOPSIS", "DESCRIPTION", "EXAMPLES", "SEE ALSO"),
}
# Sections of one page are not on others.
FOREIGN = {
    "swhca-run.1": ("TAKING A DEVICE AWAY", "WHAT IT MODELS", "HOW IT WORKS"),
    "swhca-ctl.1": ("PROGRAMS", "MODELS"),
    "swhca-pci.1": ("HOW IT WORKS", "DEBUGGING"),
    "swhca-speed.1": ("TRANSPORTS",),
}


def problems_of(page):
    """What is wrong with a page, line by line."""
    text = page.read_text(encoding="utf-8").replace("\\-", "-")
    heads = [head.strip('"') for head in re.findall(r"^\.SH (.*)$", text, re.M)]
    for head in COMMON[page.suffix] + WANTED[page.name]:
        if head not in heads:
            yield f"{page.name}: no section {head} in {heads}"
    for head in FOREIGN.get(page.name, ()):
        if head in heads:
            yield f"{page.name}: section {head} of another page"
    for word in ("devtools/swhca-run", "build/app", ":doc:", ":ref:", ".. "):
        if word in text.replace("...", ""):
            yield f"{page.name}: {word} is of use in a checkout only"


def strict_build(command):
    """As the target, but a warning is an error."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([*command[:-1], "-W", "--keep-going", "-d", f"{folder}/doctrees",
                               command[-1], f"{folder}/man"], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)
    return [done.stdout] if done.returncode != 0 else []


def main():
    pages = [pathlib.Path(word) for word in sys.argv[1:] if word.endswith((".1", ".7"))]
    problems = strict_build([word for word in sys.argv[1:] if not word.endswith((".1", ".7"))])
    for page in pages:
        problems += problems_of(page)
    print("\n".join(problems) or f"{len(pages)} pages: good")
    return 1 if problems or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
