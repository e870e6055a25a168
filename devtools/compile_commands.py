# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""What the compile commands of a build folder say, for the checks that ask another tool."""

import json
import os
import pathlib
import shlex

TOP = pathlib.Path(__file__).resolve().parent.parent
# Headers that gcc has compiled are not there for other tools; files include what they use.
PRECOMPILED = ' -fpch-preprocess -include dpdk.h'


def place(folder, name):
    """Path within the project; headers are seen through links of the build folder."""
    path = pathlib.Path(os.path.realpath(folder / name))
    return str(path.relative_to(TOP)) if path.is_relative_to(TOP) else str(path)


def first_commands(build):
    """The first compile command of each file; tests compile some once more."""
    first = {}
    for entry in json.loads((build / 'compile_commands.json').read_text()):
        entry['command'] = entry['command'].replace(PRECOMPILED, '')
        first.setdefault(place(pathlib.Path(entry['directory']), entry['file']), entry)
    return first


def options(entry):
    """The options of a compile command: neither compiler nor outputs, and no warning an error."""
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
