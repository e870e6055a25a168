#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""Compare the table of sizes and offsets of public structs with the headers.

The table (TABLE, lib/umr/rte_umr_abi.c) asserts them when it is compiled; here is looked whether it
has every struct of the headers (HEADER...), every member, nothing else, and that no struct has a
member of an enum type, whose width is the compiler's choice, and no function a pointer to one.
--print writes the table as the compiler sees it, to be put in when an ABI is meant to change. The
script first tries whether it sees each kind of fault.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile


def without_comments(text):
    """Remove comments and preprocessor lines from a header."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    return re.sub(r"^[ \t]*#(?:.*\\\n)*.*$", "", text, flags=re.M)


def members_of(body):
    """Names of the members of a struct, including those of anonymous unions and structs."""
    body = re.sub(r"\b(?:union|struct)\s*\{(.*?)\}\s*;", r"\1", body, flags=re.S)
    names = []
    for statement in body.split(";"):
        statement = re.sub(r"__rte_\w+(?:\([^)]*\))?", "", statement).strip()
        if not statement:
            continue
        function = re.search(r"\(\s*\*\s*(\w+)(?:\[\w*\])?\s*\)\s*\(", statement)
        for part in [function.group(1)] if function else statement.split(","):
            names.append(re.search(r"(\w+)\s*(?:\[[^\]]*\]\s*)*(?::.*)?$", part).group(1))
    return names


STRUCT = re.compile(r"^struct (\w+) \{$(.*?)^\}", flags=re.M | re.S)


def enums_in(text):
    """Complaints about enums in structs and behind pointers."""
    text = without_comments(text)
    bad = [f"struct {name}: {line.strip()} has the width that the compiler likes"
           for name, body in STRUCT.findall(text)
           for line in body.split("\n") if re.match(r"\s*enum \w+ \w+[^,()]*;", line)]
    return bad + [f"{line.strip()}: a pointer to an enum" for line in text.split("\n")
                  if re.search(r"\benum \w+ \*(?!\()", line)]


def structs_of(text):
    """Structs defined in a header: ({name: [members]}, complaints)."""
    return ({name: members_of(body) for name, body in STRUCT.findall(without_comments(text))},
            enums_in(text))


def table_of(text):
    """Structs in a table: {name: [members]}."""
    structs = {name: [] for name in re.findall(r"^SIZE\((\w+),", text, flags=re.M)}
    for name, member in re.findall(r"^AT\((\w+), (\w+),", text, flags=re.M):
        structs.setdefault(name, []).append(member)
    return structs


def compare(headers, table_text):
    """All complaints."""
    structs, bad = {}, []
    for text in headers:
        more, complaints = structs_of(text)
        structs.update(more)
        bad += complaints
    table = table_of(table_text)
    bad += [f"struct {name}: not in the table" for name in structs if name not in table]
    bad += [f"struct {name}: in the table, in no header" for name in table if name not in structs]
    for name in structs:
        for member in structs[name]:
            if name in table and member not in table[name]:
                bad.append(f"struct {name}: {member} is not in the table")
        bad += [f"struct {name}: no {member} in the headers" for member in table.get(name, [])
                if member not in structs[name]]
    return bad


def try_faults():
    """Whether each planted fault leads to a complaint."""
    header = ("/** struct no { */\nstruct s {\n\tuint32_t a, b[2]; /**< a; */\n\tunion {\n"
              "\t\tint c;\n\t\tvoid *d;\n\t};\n\tint (*e)(int, int);\n\tvoid (*f[6])(void);\n"
              "} __rte_aligned(64);\n")
    good = "SIZE(s, 64);\n" + "".join(f"AT(s, {name}, 0, 4);\n" for name in "abcdef")
    assert not compare([header], good), compare([header], good)
    faults = {
        "a struct that is missing": compare([header + "struct t {\n\tint a;\n};\n"], good),
        "a member that is missing": compare([header.replace("int c;", "int c;\n\tint g;")], good),
        "a member too much": compare([header.replace("int c;", "")], good),
        "a struct too much": compare([header], good + "SIZE(t, 4);\n"),
        "an enum": compare([header.replace("int c;", "enum x c;")], good),
        "a pointer to an enum": compare([header + "int f(int a, enum x *b);\n"], good),
        "an enum of a driver": enums_in("struct t {\n\tTAILQ_ENTRY(t) a;\n\tenum x b;\n};\n"),
    }
    for fault, found in faults.items():
        assert found, f"not seen: {fault}"


def printed(headers, paths):
    """The table computed by the compiler."""
    structs = {}
    for text in headers:
        structs.update(structs_of(text)[0])
    lines = ["#include <stdio.h>", "#include <stddef.h>", "#include <rte_umr.h>",
             "int main(void)", "{"]
    for name, members in structs.items():
        lines.append(f'printf("\\nSIZE({name}, %zu);\\n", sizeof(struct {name}));')
        lines += [f'printf("AT({name}, {member}, %zu, %zu);\\n", offsetof(struct {name}, {member}), '
                  f"sizeof(((struct {name} *)0)->{member}));" for member in members]
    lines += ["return 0;", "}"]
    flags = subprocess.run(["pkg-config", "--cflags", "libdpdk"], check=True, text=True,
                           stdout=subprocess.PIPE).stdout.split()
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "abi")
        # Inline functions that are not called are only removed with optimization.
        subprocess.run(["cc", "-O1", *flags, "-DALLOW_EXPERIMENTAL_API",
                        "-I", os.path.dirname(paths[0]), "-x", "c", "-", "-o", program],
                       input="\n".join(lines), check=True, text=True)
        return subprocess.run([program], check=True, text=True, stdout=subprocess.PIPE).stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--print", action="store_true", dest="is_print",
                        help="write the table of these headers")
    parser.add_argument("--driver", action="append", metavar="HEADER",
                        help="one whose structs are not in the table, but have no enums either")
    parser.add_argument("table")
    parser.add_argument("header", nargs="+")
    args = parser.parse_args()

    try_faults()
    headers = []
    for path in args.header:
        with open(path, encoding="utf-8") as header:
            headers.append(header.read())
    if args.is_print:
        print(printed(headers, args.header), end="")
        return 0
    with open(args.table, encoding="utf-8") as table:
        table_text = table.read()
    bad = compare(headers, table_text)
    for path in args.driver or []:
        with open(path, encoding="utf-8") as header:
            bad += enums_in(header.read())
    for line in bad:
        print(line)
    if not bad:
        print(f"ABI: good, {len(table_of(table_text))} structs of {args.table}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
