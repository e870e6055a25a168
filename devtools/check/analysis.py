#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""Static analysis of lib/ and drivers/: clang-tidy, whose checks .clang-tidy has, of every file,
and gcc's analyzer of paths (-fanalyzer) of those that GCC_PATHS names.

Usage: devtools/check/analysis.py [--build-dir DIR] [--jobs N] [--no-cache] [FILE...]

Needs the compile commands of a build folder, but nothing built. A file is looked at once, as the
first command compiles it; what was found is kept in the build folder (analysis/) for as long as
the preprocessed file and the tools are the same. Findings that are known stand in
devtools/check/analysis.txt, by file, check, function and line; that list only gets shorter: what is in
it and not found any more is an error, too, and so is a tool that does not come to its end, whatever
it has found before. Exit status 77 without clang-tidy or gcc.
doc/guides/contributing/analysis.rst tells the rest.
"""

import argparse
import collections
import concurrent.futures
import functools
import hashlib
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import threading

from compile_commands import TOP, first_commands, options, place

FINDING = re.compile(r'^(\S+?):(\d+):\d+: (warning|error): (.*) \[([\w.,=-]+)\]$', re.M)
# DPDK's style: the name of a function starts a line, and so does the end of its body.
FUNCTION = re.compile(r'(\w+)\(|(})')
TIMEOUT_S = 600
# The guide explains why gcc's analyzer excludes other folders.
GCC_PATHS = ('drivers/', 'lib/umr/', 'lib/mlx5_prm/')
GCC_OPTIONS = ['-fanalyzer', '-fdiagnostics-plain-output', '-fdiagnostics-path-format=none',
               '-S', '-o', '/dev/null']
# Let the analyzers rely on assertions.
ASSERTED = '-DRTE_ENABLE_ASSERT'
TOOLS = ('clang-tidy', 'gcc')
# Limit of nodes per function for clang's analyzer: an eighth of its default for files that gcc's
# analyzer also checks, less for the others. These limits suffice for all findings in analysis.txt.
NODES, NODES_ELSEWHERE = 30000, 4000


def sources(first):
    """Files to analyze; the driver and lib/umr take longest and come first."""
    files = [f for f in first if f.startswith(('lib/', 'drivers/')) and f.endswith('.c')]
    return sorted(files, key=lambda f: (not f.startswith(GCC_PATHS), f))


def run(words, folder):
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=TIMEOUT_S,
                          check=False, env={**os.environ, 'LC_ALL': 'C'})


def clang_tidy(file, entry, database):
    """Command line of clang-tidy with a database that has one command per file, because clang-tidy
    runs all commands of a file."""
    nodes = NODES if file.startswith(GCC_PATHS) else NODES_ELSEWHERE
    paths = ['--extra-arg=' + word for word in ('-Xclang', '-analyzer-config', '-Xclang',
                                                'max-nodes=%u' % nodes)]
    return ['clang-tidy', '-p', str(database), '--quiet', '--extra-arg=' + ASSERTED, *paths,
            '--config-file=%s' % (TOP / '.clang-tidy'),
            os.path.join(entry['directory'], entry['file'])]


def gcc(_file, entry, _database):
    return ['gcc', *options(entry), ASSERTED, *GCC_OPTIONS, entry['file']]


def tools_of(file):
    return (clang_tidy, gcc) if file.startswith(GCC_PATHS) else (clang_tidy,)


def findings(words, folder, file):
    """Findings of a tool: (file, line, text, check). A compile error is also a finding, and so is
    a crash: a status other than 0, or 1 of clang-tidy with an error among its findings."""
    done = run(words, folder)
    said = FINDING.findall(done.stdout + done.stderr)
    found = {(place(folder, f), int(line), text, check.split(',')[0])
             for f, line, _, text, check in said
             if words[0] != 'gcc' or check.startswith('-Wanalyzer-')}
    has_error = words[0] == 'clang-tidy' and any(level == 'error' for _, _, level, *_ in said)
    if done.returncode != (1 if has_error else 0):
        found.add((file, 0, 'status %d: %s' % (done.returncode, done.stderr.strip()[-500:]),
                   words[0]))
    return found


def fingerprint(file, entry, salt):
    """Digest of the input of the tools; None if preprocessing fails. It includes macros, which are
    also checked."""
    done = run(['gcc', *options(entry), ASSERTED, '-E', '-dD', entry['file']], entry['directory'])
    text = '\0'.join([salt, file, entry['command'], done.stdout])
    return hashlib.sha256(text.encode()).hexdigest() if done.returncode == 0 else None


def analyse(file, entry, database, salt):
    """Findings of all tools for a file; salt is None to disable the cache."""
    key = salt and fingerprint(file, entry, salt)
    kept = key and database / 'found' / key
    if kept and kept.exists():
        return {tuple(f) for f in json.loads(kept.read_text())}
    found = set()
    for tool in tools_of(file):
        found |= findings(tool(file, entry, database), pathlib.Path(entry['directory']), file)
    if kept and not any(f[3] in ('clang-diagnostic-error', *TOOLS) for f in found):
        replace(kept, sorted(found))
    return found


def replace(path, content):
    """Replace a file atomically, because another run may read it."""
    new = path.with_name('%s.%u.%u' % (path.name, os.getpid(), threading.get_ident()))
    new.write_text(json.dumps(content))
    new.replace(path)


def prepare(build, first):
    """Prepare the cache folder: a database with the files in the form shared by runs, and
    findings."""
    database = build / 'analysis'
    (database / 'found').mkdir(parents=True, exist_ok=True)
    replace(database / 'compile_commands.json', list(first.values()))
    return database


def versions():
    """Everything except the preprocessed file that findings depend on."""
    said = [run([tool, '--version'], TOP).stdout for tool in TOOLS]
    return '\0'.join([*said, (TOP / '.clang-tidy').read_text(),
                      pathlib.Path(__file__).read_text()])


def known():
    """Known findings: allowed number of each (file, check, function, line)."""
    listed = collections.Counter()
    for entry in re.split(r'\n(?=\S)', (TOP / 'devtools/check/analysis.txt').read_text()):
        head, _, lines = entry.partition('\n')
        if head and not head.startswith('#'):
            for line in lines.split('\n') if lines.strip() else ['no line']:
                function, _, text = line.strip().partition(': ')
                if function:
                    listed[(*head.split()[:2], function, text)] += 1
    return listed


@functools.lru_cache(None)
def lines_of(file):
    return (TOP / file).read_text().splitlines()


def name(file, line, check):
    """Key of a finding in the list: (file, check, function or -, text of the line)."""
    lines = lines_of(file)[:line]
    heads = [match for match in map(FUNCTION.match, lines) if match]
    function = heads[-1][1] if heads else None
    return file, check, function or '-', ' '.join(lines[-1].split()) if lines else ''


def verdict(found, listed, files):
    """Text to print: new findings, and unused entries of the list; files: None if all were
    checked."""
    bad, left = [], listed.copy()
    places = {(file, line, check): text for file, line, text, check in sorted(found)}
    for (file, line, check), text in sorted(places.items()):
        key = name(file, line, check)
        if left[key] == 0:
            bad.append('%s:%d: %s [%s]\n\t%s: %s' % (file, line, text, check, *key[2:]))
        left[key] -= 1
    bad += ['devtools/check/analysis.txt: %s %s is not found any more\n\t%s: %s' % key
            for key, nb in sorted(left.items()) if nb > 0 and (files is None or key[0] in files)]
    return bad


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--build-dir', default=os.environ.get('BUILD_DIR', str(TOP / 'build')))
    parser.add_argument('--jobs', type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument('--no-cache', action='store_true', help='look at every file anew')
    parser.add_argument('files', nargs='*', metavar='FILE')
    args = parser.parse_args()
    for tool in TOOLS:
        if shutil.which(tool) is None:
            print('analysis: no %s' % tool)
            return 77
    build = pathlib.Path(args.build_dir).resolve()
    first = first_commands(build)
    files = [place(pathlib.Path.cwd(), f) for f in args.files] or sources(first)
    database = prepare(build, first)
    salt = None if args.no_cache else versions()
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        found = set().union(*pool.map(lambda f: analyse(f, first[f], database, salt), files))
    bad = verdict(found, known(), files if args.files else None)
    for line in bad:
        print(line)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print('analysis: %s, %.0f s of CPU' % ('good, %u files' % len(files) if not bad else
                                           '%u new' % len(bad), used.ru_utime + used.ru_stime))
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
