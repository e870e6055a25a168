#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""check/analysis.py finds a fault of each tool and group of checks that is planted, and nothing in
good code; its list hides the lines that it names and no others, as long as they are there; and a
tool that dies is a fault.

Usage: analysis_test.py CHECK-ANALYSIS
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'interop/programs'))

# pylint: disable=wrong-import-position
from patience import LONG_S  # noqa: E402

GOOD = 'int f(const int *p);\nint f(const int *p) { return p ? *p : 0; }'
NULL = 'int f(int *p);\nint f(int *p) { if (!p) return *p; return 0; }'
NULL_CHECK = 'clang-analyzer-core.NullDereference'
# The same in the style of the project, its line twice.
TWICE = """int f(int *p);
int g(int *p);

int
f(int *p)
{
	if (!p)
		return *p;
	return 0;
}

int
g(int *p)
{
	if (!p)
		return *p;
	return 1;
}"""
ASSERT = ('#ifdef RTE_ENABLE_ASSERT\nvoid die(void) __attribute__((noreturn));\n'
          '#define is_so(x) ((x) ? (void)0 : die())\n#else\n#define is_so(x) (void)0\n#endif\n'
          'int f(int *p, int n);\nint f(int *p, int n) {\n'
          'int ret = p ? 1 : 2; is_so(p); return ret + n + *p; }')

# File, text, and the check that finds something; None: none does.
CASES = {
    'good_code_is_good': ('lib/swhca/a.c', GOOD, None),
    'good_code_is_good_for_all_tools': ('lib/umr/a.c', GOOD, None),
    'null_pointer_is_found': ('lib/swhca/a.c', NULL, NULL_CHECK),
    'null_pointer_of_the_driver_is_found': ('drivers/common/mlx5_umr/a.c', NULL, NULL_CHECK),
    'what_is_asserted_is_known': ('lib/umr/a.c', ASSERT, None),
    'memory_that_is_freed_is_found': ('lib/swhca/a.c', '#include <stdlib.h>\nint f(void);\n'
                                      'int f(void) {\nint *p = calloc(1, 4); if (!p) return 0;\n'
                                      'free(p); return *p; }', 'clang-analyzer-unix.Malloc'),
    'loop_that_cannot_end_is_found': ('lib/swhca/a.c', '#include <stdint.h>\nvoid g(uint8_t i);\n'
                                      'void f(uint32_t n);\nvoid f(uint32_t n) {\n'
                                      'for (uint8_t i = 0; i < n; i++) g(i); }',
                                      'bugprone-too-small-loop-variable'),
    'generator_of_libc_is_found': ('lib/swhca/a.c', '#include <stdlib.h>\nint f(void);\n'
                                   'int f(void) { return rand(); }', 'cert-msc30-c'),
    'second_free_is_found_by_gcc': ('lib/mlx5_prm/a.c', '#include <stdlib.h>\nvoid f(void *p);\n'
                                    'void f(void *p) { free(p); free(p); }',
                                    '-Wanalyzer-double-free'),
    'what_does_not_compile_is_found': ('lib/swhca/a.c', 'int f(void) { return x; }',
                                       'clang-diagnostic-error'),
}


class Tree:
    """A project of one file, with a copy of the script and what it imports."""

    def __init__(self, script, top):
        self.top = pathlib.Path(top).resolve()
        script = pathlib.Path(script)
        self.script = self.write('devtools/check/analysis.py', script.read_text())
        self.write('devtools/check/compile_commands.py',
                   (script.parent / 'compile_commands.py').read_text())
        self.write('.clang-tidy', (script.parents[2] / '.clang-tidy').read_text())

    def write(self, name, text):
        path = self.top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def break_tool(self, tool, end):
        """A tool that finds what it finds, and then dies."""
        path = self.write('bin/' + tool, '#!/bin/sh\n%s "$@" || exit\n[ "$1" = --version ] || %s\n'
                          % (shutil.which(tool), end))
        path.chmod(0o755)

    def check(self, file, text, listed='', extra_options=()):
        """Status and output, with a compile command for no options and for each further one."""
        source = self.write(file, text + '\n')
        self.write('devtools/check/analysis.txt', listed)
        commands = [{'directory': str(source.parent), 'file': source.name,
                     'command': 'cc %s -c %s' % (option, source.name)}
                    for option in ('', *extra_options)]
        self.write('build/compile_commands.json', json.dumps(commands))
        path = '%s:%s' % (self.top / 'bin', os.environ['PATH'])
        done = subprocess.run([sys.executable, self.script], capture_output=True, text=True,
                              timeout=LONG_S, check=False, env={**os.environ, 'PATH': path})
        return done.returncode, done.stdout + done.stderr


def want(result, status, text):
    """Why a result is not what is wanted; None: it is."""
    return None if result[0] == status and text in result[1] else '%d: %s' % result


def entry(*lines, check=NULL_CHECK):
    """Of the list, for lib/swhca/a.c."""
    return 'lib/swhca/a.c %s  # why\n' % check + ''.join('\t%s\n' % line for line in lines)


def listed_line_is_not_told(tree):
    return want(tree.check('lib/swhca/a.c', TWICE, entry('f: return *p;', 'g: return *p;')),
                0, 'good, 1 files')


def same_line_of_another_function_is_found(tree):
    return want(tree.check('lib/swhca/a.c', TWICE, entry('f: return *p;')),
                1, 'lib/swhca/a.c:16: ')


def same_line_once_more_is_found(tree):
    text = TWICE.replace('\tif', '\tif (!p && g(p))\n\t\treturn *p;\n\tif', 1)
    return want(tree.check('lib/swhca/a.c', text, entry('f: return *p;', 'g: return *p;')),
                1, '\tf: return *p;\nanalysis: 1 new')


def other_line_of_a_listed_file_is_found(tree):
    return want(tree.check('lib/swhca/a.c', TWICE.replace('return *p;', 'return 1 + *p;', 1),
                           entry('f: return *p;', 'g: return *p;')),
                1, 'f: return 1 + *p;')


def line_of_the_list_for_nothing_is_an_error(tree):
    listed = entry('f: return *p;', 'f: return 7;', 'g: return *p;')
    return want(tree.check('lib/swhca/a.c', TWICE, listed),
                1, 'is not found any more\n\tf: return 7;\nanalysis: 1 new')


def entry_without_a_line_is_an_error(tree):
    return want(tree.check('lib/swhca/a.c', GOOD, entry()), 1, 'is not found any more')


def tool_that_dies_behind_a_known_finding_is_found(tree):
    listed = entry('f: return *p;', 'g: return *p;').replace('swhca', 'umr')
    for tool, end, said in (('clang-tidy', 'kill -SEGV $$', 'status -11'),
                            ('clang-tidy', 'exit 1', 'status 1'), ('gcc', 'exit 4', 'status 4')):
        tree.break_tool(tool, end)
        result = tree.check('lib/umr/a.c', TWICE, listed)
        (tree.top / 'bin' / tool).unlink()
        fault = want(result, 1, said) or want(result, 1, 'analysis: 1 new')
        if fault is not None:
            return fault
    return None


def file_is_looked_at_once(tree):
    text = '#ifdef TWICE\n%s\n#else\n%s\n#endif' % (NULL, GOOD)
    return want(tree.check('lib/umr/a.c', text, extra_options=['-DTWICE']), 0, 'good, 1 files')


def what_is_kept_is_told_again_until_it_is_gone(tree):
    for _ in range(2):
        fault = want(tree.check('lib/umr/a.c', NULL), 1, '[%s]' % NULL_CHECK)
        if fault is not None:
            return fault
    nb_kept = len(list((tree.top / 'build/analysis/found').iterdir()))
    if nb_kept != 1:
        return '%u files are kept' % nb_kept
    return want(tree.check('lib/umr/a.c', GOOD), 0, 'good')


def planted(script, file, text, check):
    with tempfile.TemporaryDirectory() as top:
        result = Tree(script, top).check(file, text)
    return want(result, 0, 'good') if check is None else want(result, 1, '[%s]' % check)


def of_list(script, case):
    with tempfile.TemporaryDirectory() as top:
        return case(Tree(script, top))


def main():
    for tool in ('clang-tidy', 'gcc'):
        if shutil.which(tool) is None:
            print('1..0 # SKIP no %s' % tool)
            return 0
    script = sys.argv[1]
    cases = {name: lambda case=case: planted(script, *case) for name, case in CASES.items()}
    for case in (listed_line_is_not_told, same_line_of_another_function_is_found,
                 same_line_once_more_is_found, other_line_of_a_listed_file_is_found,
                 line_of_the_list_for_nothing_is_an_error, entry_without_a_line_is_an_error,
                 tool_that_dies_behind_a_known_finding_is_found,
                 file_is_looked_at_once, what_is_kept_is_told_again_until_it_is_gone):
        cases[case.__name__] = lambda case=case: of_list(script, case)
    print('1..%u' % len(cases))
    failed = 0
    for nb, (name, case) in enumerate(cases.items(), 1):
        fault = case()
        print('%s %u - %s' % ('ok' if fault is None else 'not ok', nb, name), flush=True)
        if fault is not None:
            print(fault, file=sys.stderr)
            failed += 1
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
