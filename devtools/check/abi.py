#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""Compare the ABI of a library with the recorded one, by abidiff of abigail-tools, as DPDK does.

The record (RECORD) has the exported symbols, functions, and all types of the public headers
(HEADER...), as abidw finds them in the debug information of the library. New symbols and a new
operation in a reserved member of struct rte_umr_fp_ops are compatible; any other difference fails.
--record writes the record anew: for a release, and when members of another struct replace a
reserved one. No struct has a member of an enum type, whose width is the compiler's choice, and no
function a pointer to one, also those of drivers (--driver). The script first tries whether it sees
each kind of fault. Exit status 77 without abigail-tools or debug information.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

SKIPPED = 77
LICENSE = " SPDX-License-Identifier: BSD-3-Clause\n\tCopyright(c) 2026 The umr project authors "
ABIDW = ("abidw", "--no-architecture", "--no-corpus-path", "--no-comp-dir-path", "--no-show-locs",
         "--no-elf-needed", "--no-parameter-names", "--no-write-default-sizes", "--load-all-types",
         "--type-id-style", "hash")
ABIDIFF = ("abidiff", "--no-architecture", "--no-added-syms", "--non-reachable-types")
COMPATIBLE = """[suppress_type]
name = rte_umr_fp_ops
has_data_member_inserted_at = offset_of(reserved)
"""
STRUCT = re.compile(r"^struct (\w+) \{$(.*?)^\}", flags=re.M | re.S)


def enums_in(text):
    """Complaints about enums in structs and behind pointers."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    text = re.sub(r"^[ \t]*#(?:.*\\\n)*.*$", "", text, flags=re.M)
    bad = [f"struct {name}: {line.strip()} has the width that the compiler likes"
           for name, body in STRUCT.findall(text)
           for line in body.split("\n") if re.match(r"\s*enum \w+ \w+[^,()]*;", line)]
    return bad + [f"{line.strip()}: a pointer to an enum" for line in text.split("\n")
                  if re.search(r"\benum \w+ \*(?!\()", line)]


def references_of(element):
    """Attributes of an element, and of those in it, that refer to types: (element, key)."""
    return [(inner, key) for inner in element.iter() for key in inner.keys()
            if key.endswith("-id") and key != "elf-symbol-id"]


def make_opaque(element):
    """Leave only the name of a type."""
    for inner in list(element):
        element.remove(inner)
    for key in set(element.keys()) - {"name", "is-struct", "visibility", "id"}:
        del element.attrib[key]
    element.set("is-declaration-only", "yes")


def merge(elements):
    """Merge equal types: several files of the library have them."""
    nb_types = 0
    while nb_types != len(elements):
        nb_types = len(elements)
        first, other = {}, {}
        for element in elements:
            name = element.attrib.pop("id", None)
            same = ET.tostring(element)
            if name is not None:
                element.set("id", name)
                # A type that is named is what the headers define.
                if element.tag in ("class-decl", "enum-decl") and "is-anonymous" not in element.keys():
                    same = element.get("name")
                other[name] = first.setdefault(same, element)
        elements = [element for element in elements
                    if other.get(element.get("id"), element) is element]
        for element in elements:
            for inner, key in references_of(element):
                inner.set(key, other[inner.get(key)].get("id"))
    return elements


def interfaces_of(root):
    """Declarations of exported functions and variables, one of each."""
    symbols = {symbol.get("name") for symbol in root.iter("elf-symbol")
               if symbol.get("version") == "EXPERIMENTAL"}
    interfaces = {}
    for element in root.findall("abi-instr/function-decl") + root.findall("abi-instr/var-decl"):
        name = element.get("name")
        if name in symbols:
            interfaces.setdefault(name, element)
            # abidw leaves this out for a function that another file calls.
            element.set("mangled-name", name)
            element.set("elf-symbol-id", f"{name}@@EXPERIMENTAL")
    if set(interfaces) != symbols:
        raise SystemExit(f"no declaration of {' '.join(symbols - set(interfaces))}")
    return list(interfaces.values())


def closure(elements, chosen):
    """The chosen elements, and the types that they refer to."""
    types = {element.get("id"): element for element in elements}
    result, found = set(), set(chosen)
    while found:
        result |= found
        found = {types[inner.get(key)] for element in found
                 for inner, key in references_of(element)} - result
    return result


def public_part(text, headers):
    """The ABI without symbols and types that are not in these headers, in a form that does not depend
    on files of the library and the compiler."""
    root = ET.fromstring(text)
    public = set(re.findall(r"^(?:struct|enum) (\w+) \{$", "\n".join(headers), flags=re.M))
    # Versions of abidw differ in the order of attributes, and newer ones add a hash.
    for element in root.iter():
        attributes = sorted(element.items(), key=lambda item: (item[0] != "name", item))
        element.attrib.clear()
        element.attrib.update(item for item in attributes if item[0] != "hash")
    elements = root.findall("abi-instr/*[@id]")
    for element in elements:
        element.attrib.pop("is-non-reachable", None)
        if (element.tag in ("class-decl", "union-decl", "enum-decl") and
                element.get("name") not in public and "is-anonymous" not in element.keys()):
            make_opaque(element)
    # Those that are complete are first.
    elements.sort(key=lambda element: "is-declaration-only" in element.keys())
    interfaces = interfaces_of(root)
    elements = merge(elements + interfaces)
    reachable = closure(elements, interfaces)
    wanted = reachable | closure(elements, [element for element in elements
                                            if element.get("name") in public])
    for element in wanted - reachable:
        element.set("is-non-reachable", "yes")
    unit, *others = root.findall("abi-instr")
    for other in others:
        root.remove(other)
    unit.attrib.clear()
    unit.attrib.update({"address-size": "64", "language": "LANG_C11"})
    unit[:] = sorted(wanted, key=lambda element: (element in interfaces, element.tag,
                                                  element.get("name", ""), element.get("id", "")))
    root.insert(0, ET.Comment(LICENSE))
    ET.indent(root)
    return ET.tostring(root, encoding="unicode") + "\n"


def run(command, statuses):
    """Output and exit status of a command, which has to be one of these."""
    done = subprocess.run(command, text=True, capture_output=True, check=False)
    if done.returncode not in statuses:
        raise SystemExit(f"{' '.join(command)}: status {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout, done.returncode


class Tools:
    """abidw and abidiff, with files in a temporary folder."""

    def __init__(self, folder, headers):
        self.folder = folder
        self.headers = headers
        self.compatible = self.put("compatible", COMPATIBLE)

    def put(self, name, text):
        """Write a file."""
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def abi_of(self, library):
        """The ABI of a library."""
        return public_part(run([*ABIDW, library], [0])[0], self.headers)

    def differences(self, old, new):
        """What abidiff prints of two ABIs; nothing if they are compatible."""
        text, status = run([*ABIDIFF, "--suppressions", self.compatible, self.put("old.abi", old),
                            self.put("new.abi", new)], [0, 4, 8, 12])
        # With an operation that is new, abidiff reports no other change of the struct.
        operations = operations_of(old)
        if operations_of(new)[:len(operations)] != operations:
            return f"struct rte_umr_fp_ops: an operation was changed, moved or removed\n{text}"
        return text if status != 0 else ""


def operations_of(abi):
    """Offset, name and type of each member of struct rte_umr_fp_ops but the reserved ones."""
    struct = ET.fromstring(abi).find("abi-instr/class-decl[@name='rte_umr_fp_ops']")
    return [(member.get("layout-offset-in-bits"), decl.get("name"), decl.get("type-id"))
            for member in struct.findall("data-member")
            for decl in member.findall("var-decl") if decl.get("name") != "reserved"]


def changed(text, pattern, new):
    """A text in which a pattern, that it has, is replaced once."""
    result, count = re.subn(pattern, new, text, count=1, flags=re.S)
    assert count == 1, f"not in the ABI: {pattern}"
    return result


def try_faults(tools, abi):
    """Whether each planted fault leads to a complaint."""
    header = "struct s {\n\tuint32_t a;\n};\nint f(int a, enum x b);\n"
    assert not enums_in(header), enums_in(header)
    new_op = changed(abi, r'(name="rte_umr_fp_ops" [^>]*size.*?)(<data-member [^>]*-in-bits=")(\d+)'
                     r'(">\s*<var-decl name=")reserved(.*?</data-member>)',
                     lambda at: f"{at[1]}{at[2]}{at[3]}{at[4]}new_op{at[5]}"
                                f"{at[2]}{int(at[3]) + 64}{at[4]}reserved{at[5]}")
    for compatible in abi, new_op:
        assert not tools.differences(abi, compatible), tools.differences(abi, compatible)
    seg = r'(<class-decl name="rte_umr_seg".*?)'
    faults = {
        "an enum": enums_in(header.replace("uint32_t a;", "enum x a;")),
        "a pointer to an enum": enums_in(header.replace("enum x b", "enum x *b")),
        "an enum of a driver": enums_in("struct t {\n\tTAILQ_ENTRY(t) a;\n\tenum x b;\n};\n"),
        "a member in the middle": tools.differences(abi, changed(
            abi, seg + r'(<data-member[^>]*-in-bits=)"64"', r'\1\2"96"')),
        "another size": tools.differences(abi, changed(
            abi, seg + r'size-in-bits="128"', r'\1size-in-bits="192"')),
        "another value of an enum": tools.differences(abi, changed(
            abi, r'(<enumerator name="RTE_UMR_OP_RECV" value=)"\d+"', r'\1"99"')),
        "of an enum that is no parameter": tools.differences(abi, changed(
            abi, r'(<enumerator name="RTE_UMR_TRANSPORT_DCT" value=)"\d+"', r'\1"99"')),
        "operations in another order, with a new one": tools.differences(abi, changed(
            new_op, r'(name=")mkey_list(" type-id=.*?name=")mkey_configure_burst(")',
            r"\1mkey_configure_burst\2mkey_list\3")),
        "a removed symbol": tools.differences(changed(
            abi, r'(<elf-symbol name=")(rte_umr_write)("[^>]*>)', r'\1\2\3\1gone\3'), abi),
        "another parameter": tools.differences(abi, changed(
            abi, r'(<function-decl name="rte_umr_write" .*?)<parameter[^>]*>', r"\1")),
    }
    for fault, found in faults.items():
        assert found, f"not seen: {fault}"


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", action="store_true", help="write the record of this library")
    parser.add_argument("--driver", action="append", default=[], metavar="HEADER",
                        help="one whose structs are not in the record, but have no enums either")
    parser.add_argument("abi", metavar="RECORD")
    parser.add_argument("library")
    parser.add_argument("header", nargs="+")
    args = parser.parse_args()

    headers = [read(path) for path in args.header]
    bad = [line for text in headers + [read(path) for path in args.driver] for line in enums_in(text)]
    if bad:
        print("\n".join(bad))
        return 1
    if not shutil.which("abidw") or not shutil.which("abidiff"):
        print("no abidw or abidiff: they are in the package abigail-tools")
        return SKIPPED
    if ".debug_info" not in run(["readelf", "-SW", args.library], [0])[0]:
        print(f"{args.library}: no debug information")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        tools = Tools(folder, headers)
        abi = tools.abi_of(args.library)
        try_faults(tools, abi)
        if args.record:
            with open(args.abi, "w", encoding="utf-8") as file:
                file.write(abi)
            return 0
        bad = tools.differences(read(args.abi), abi)
    if bad:
        print(f"{bad}\n{args.library} differs from {args.abi}; if it is meant to, "
              "\"meson compile record-abi\" writes a new one")
        return 1
    structs = set(re.findall(r'<class-decl name="(\w+)" [^>]*size-in-bits', abi))
    print(f"ABI: good, {len(structs)} structs of {args.abi}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
