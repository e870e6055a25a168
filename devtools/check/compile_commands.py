# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""Read the compile commands of a build folder for checks that use another tool."""

import json
import os
import pathlib
import shlex

TOP = pathlib.Path(__file__).resolve().parents[2]
# Other tools cannot use gcc's precompiled headers; files include what they use.
PRECOMPILED = ' -fpch-preprocess -include dpdk.h'


def place(folder, name):
    """Path within the project; links of the build folder to headers are resolved."""
    path = pathlib.Path(os.path.realpath(folder / name))
    return str(path.relative_to(TOP)) if path.is_relative_to(TOP) else str(path)


def first_commands(build):
    """The first compile command of each file; tests compile some files again."""
    first = {}
    for entry in json.loads((build / 'compile_commands.json').read_text()):
        entry['command'] = entry['command'].replace(PRECOMPILED, '')
        first.setdefault(place(pathlib.Path(entry['directory']), entry['file']), entry)
    return first


def options(entry):
    """The options of a compile command without compiler, outputs and warnings as errors."""
    words = shlex.split(entry['command'])
    while not words[0].startswith('-'):
        words.pop(0)
    kept = []
    while words:
        word = words.pop(0)
        if word in ('-o', '-MQ', '-MF', '-MT'):
            words.pop(0)
        elif word not in ('-c', '-MD', '-MMD', '-Werror') and word != entry['file']:
            kept.append(word)
    return kept
