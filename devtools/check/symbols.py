#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""Compare what a library exports with its version.map and with its headers.

Public headers (PUBLIC...) declare functions with __rte_experimental alone on the line above, inline
ones too, data with extern, and trace points by a row of a list: the node EXPERIMENTAL. Headers for
drivers (--internal), which are not installed, declare without that: the node INTERNAL. The three must
be equal, and the map sorted. No data that a library exports is larger than a pointer, and no program
has a copy relocation that is (--program): its size would be a part of the program. The script first
tries whether it sees each kind of fault.
"""

import argparse
import re
import subprocess
import sys

POINTER_SIZE = 8
TRACE_POINT = re.compile(r"^\t(?:OP|POLL)\((\w+), \w+, [\w.]+\)", flags=re.M)
NODES = {"EXPERIMENTAL": "__rte_experimental", "INTERNAL": None}


def without_comments(text):
    """Remove comments, strings of preprocessor lines and bodies of inline functions from a header."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    text = re.sub(r"^[ \t]*#(?:.*\\\n)*.*$", "", text, flags=re.M)
    return re.sub(r"^\{$.*?^\}$", ";", text, flags=re.M | re.S)


def declared(text, attribute):
    """Declarations of a header: (names to export, complaints)."""
    names, bad = set(), []
    # A trace point is a variable, and an inline function without callers: rows of RTE_UMR_FP_OPS.
    names |= {f"__rte_umr_trace_{name}" for name in TRACE_POINT.findall(text)}
    text = re.sub(r"^RTE_UMR_FP_(?:OPS|TYPES)\(.*\)$", "", text, flags=re.M)
    plain = re.sub(r"^struct[^;{]*\{.*?^\}[^;]*;|^enum[^;{]*\{.*?^\};", "", without_comments(text),
                   flags=re.M | re.S)
    # Inline for C only: the library also exports them.
    plain = re.sub(r"^RTE_UMR_INLINE ", "", plain, flags=re.M)
    plain = re.sub(r'extern "C" \{', "", plain)
    for statement in re.split(r";|^\}", plain, flags=re.M):
        statement = statement.strip()
        data = re.match(r"extern\s[^()]*?(\w+)(?:\[\w*\])?$", statement)
        function = re.match(r"([^()=]*?)(\w+)\s*\((?!\s*\*)", statement)
        if data:
            names.add(data.group(1))
        elif function and not statement.startswith("typedef"):
            lines = statement.split("\n")
            if attribute and lines[0].strip() != attribute:
                bad.append(f"{function.group(2)}: not {attribute} on the line above it")
            elif not re.search(r"\bstatic\b", function.group(1)):
                names.add(function.group(2))
    return names, bad


def mapped(text):
    """Nodes of a version.map: {node: [names]}."""
    nodes = {}
    text = re.sub(r"#.*", "", text)
    for node, body in re.findall(r"^(\w+) \{(.*?)^\}", text, flags=re.M | re.S):
        names = re.sub(r"\w+:", "", re.sub(r"local:.*", "", body, flags=re.S))
        nodes[node] = re.findall(r"\w+", names)
    return nodes


def exported(library):
    """Symbols defined by a shared library: {node: {names}}."""
    output = subprocess.run(["nm", "-D", "--defined-only", library], check=True, text=True,
                            stdout=subprocess.PIPE).stdout
    nodes = {}
    for line in output.splitlines():
        kind, symbol = line.split()[-2:]
        name, _, node = symbol.partition("@@")
        # The version itself is an absolute symbol.
        if kind != "A":
            nodes.setdefault(node, set()).add(name)
    return nodes


def large_data(symbols_text):
    """Complaints about data in the output of nm -S for the dynamic symbols of a library."""
    bad = []
    for line in symbols_text.splitlines():
        columns = line.split()
        if len(columns) == 4 and columns[2] in "BDGRSV" and int(columns[1], 16) > POINTER_SIZE:
            bad.append(f"{columns[3]}: data of {int(columns[1], 16)} bytes is exported")
    return bad


def large_copies(relocations, symbols, own):
    """Complaints about copies of our data in the output of readelf -rW and --dyn-syms -W for a
    program."""
    sizes = {}
    for line in symbols.splitlines():
        columns = line.split()
        # Large sizes are hexadecimal.
        if len(columns) >= 8 and columns[3] == "OBJECT":
            sizes[columns[7].partition("@")[0]] = int(columns[2], 0)
    bad = []
    for line in relocations.splitlines():
        columns = line.split()
        if len(columns) < 5 or not columns[2].endswith("_COPY"):
            continue
        name = columns[4].partition("@")[0]
        if name in own and sizes.get(name, POINTER_SIZE + 1) > POINTER_SIZE:
            bad.append(f"{name}: a copy of {sizes.get(name, 'unknown')} bytes in the program")
    return bad


def output_of(*command):
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout


def differences(what, one, other_what, other):
    """Lines for elements that only one of two sets contains."""
    return ([f"{name}: in {what}, not in {other_what}" for name in sorted(one - other)] +
            [f"{name}: in {other_what}, not in {what}" for name in sorted(other - one)])


def compare(headers, map_text, symbols):
    """All complaints; headers are {node: [texts]}."""
    bad = []
    nodes = mapped(map_text)
    for node in sorted(set(nodes) | set(symbols) | set(headers)):
        if node not in NODES:
            bad.append(f"{node}: a node that is neither of {', '.join(NODES)}: "
                       f"{' '.join(sorted(symbols.get(node, ())))}")
            continue
        names = set()
        for text in headers.get(node, []):
            more, complaints = declared(text, NODES[node])
            names |= more
            bad += complaints
        listed = nodes.get(node, [])
        if listed != sorted(set(listed)):
            bad.append(f"{node}: names are not sorted, or twice there")
        bad += differences("version.map", set(listed), "the headers", names)
        bad += differences("version.map", set(listed), "the library", symbols.get(node, set()))
    return bad


def try_faults():
    """Whether each planted fault leads to a complaint."""
    header = ("struct s {\n\tint (*call)(int);\n};\n"
              "/** f() is; */\n__rte_experimental\nint f(int a,\n\tint b);\n"
              "__rte_experimental\nstatic inline int\ng(int a)\n{\n\treturn f(a, a);\n}\n"
              "typedef int (*h_t)(int a);\nextern struct s d[];\n")
    good = "EXPERIMENTAL {\n\tglobal:\n\n\td;\n\tf;\n\n\tlocal: *;\n};\n"
    symbols = {"EXPERIMENTAL": {"d", "f"}}

    def complaints(text=header, node_map=good, library=None):
        return compare({"EXPERIMENTAL": [text]}, node_map, library or symbols)

    assert not complaints(), complaints()
    faults = {
        "missing in the map": complaints(node_map=good.replace("\tf;\n", "")),
        "too much in the map": complaints(node_map=good.replace("\tf;", "\tf;\n\tg;")),
        "in the wrong order": complaints(node_map=good.replace("d;\n\tf;", "f;\n\td;")),
        "not exported": complaints(library={"EXPERIMENTAL": {"f"}}),
        "exported besides": complaints(library={"EXPERIMENTAL": {"d", "f", "x"}}),
        "without a node": complaints(library={"EXPERIMENTAL": {"d", "f"}, "": {"x"}}),
        "a new function": complaints(text=header + "__rte_experimental\nvoid i(void);\n"),
        "a new trace point": complaints(text=header + "#define L(OP) \\\n\tOP(f, t, a.f) \\\n\n"),
        "not marked": complaints(text=header + "static inline void\nj(void)\n{\n}\n"),
    }
    large, small = "10 f7800 B d@@EXPERIMENTAL\n", "10 8 D d@@EXPERIMENTAL\n10 9 T f@@EXPERIMENTAL\n"
    copy = "4100 21 R_X86_64_COPY 4100 d@EXPERIMENTAL + 0\n"
    entry = "33: 4100 0x{:x} OBJECT GLOBAL DEFAULT 26 d@EXPERIMENTAL (2)\n"
    assert not large_data(small) and not large_copies(copy, entry.format(8), {"d"})
    faults["large data"] = large_data(large)
    faults["a large copy"] = large_copies(copy, entry.format(1040384), {"d"})
    for fault, found in faults.items():
        assert found, f"not seen: {fault}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--internal", action="append", default=[], help="header for drivers")
    parser.add_argument("--program", action="append", default=[], help="that uses the library")
    parser.add_argument("library")
    parser.add_argument("map")
    parser.add_argument("public", nargs="*")
    args = parser.parse_args()

    try_faults()
    headers = {}
    for node, paths in ("EXPERIMENTAL", args.public), ("INTERNAL", args.internal):
        for path in paths:
            with open(path, encoding="utf-8") as header:
                headers.setdefault(node, []).append(header.read())
    with open(args.map, encoding="utf-8") as version_map:
        map_text = version_map.read()
    symbols = exported(args.library)
    bad = compare(headers, map_text, symbols)
    bad += large_data(output_of("nm", "-D", "-S", "--defined-only", args.library))
    for program in args.program:
        bad += large_copies(output_of("readelf", "-rW", program),
                            output_of("readelf", "--dyn-syms", "-W", program),
                            set().union(*symbols.values()))
    for line in bad:
        print(line)
    if not bad:
        names = sum(len(names) for names in mapped(map_text).values())
        print(f"symbols: good, {names} of {args.map}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
