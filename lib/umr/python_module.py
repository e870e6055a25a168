#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""Generate the Python module rte_umr from the record of the ABI and the constants of the headers.

Usage: python_module.py RECORD HEADER...
The module has the structs, enumerators, constants and functions of the C API under their names, for
ctypes. Sizes and offsets are compared with the record before anything is printed.
"""

import ctypes
import re
import sys
import xml.etree.ElementTree as ET

HEAD = '''# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""The C API of librte_umr for ctypes, generated from its headers: see them for the documentation.

umr = rte_umr.load()    the functions of the library; its driver is loaded, too
rte_umr.eal_init(...)   rte_eal_init() with these arguments, keeping the CPUs of the thread

rte_umr_dev_info_get(dev_id, info) is rte_umr_dev_info_get_size(dev_id, info, sizeof(info)) here.
"""

import ctypes
import os


def load(library="librte_umr.so.0", driver="librte_common_mlx5_umr.so.0"):
    """Load the library and a driver, or none if it is None. OSError if one is not found."""
    umr = ctypes.CDLL(library, mode=ctypes.RTLD_GLOBAL)
    if driver is not None:
        ctypes.CDLL(driver, mode=ctypes.RTLD_GLOBAL)
    for name, (result, *parameters) in FUNCTIONS.items():
        function = getattr(umr, name)
        function.restype, function.argtypes = result, parameters
    return umr


def eal_init(*args):
    """Initialize EAL, after load(). OSError with its rte_errno if it fails.

    rte_eal_init() pins the calling thread to a CPU, and threads inherit that: afterwards this thread
    may run wherever it could before. It is the main lcore and may use queues; only one thread may use
    a queue at a time.
    """
    eal, cpus = ctypes.CDLL(None), os.sched_getaffinity(0)
    argv = (ctypes.c_char_p * (len(args) + 2))(b"python", *(arg.encode() for arg in args), None)
    ret = eal.rte_eal_init(len(args) + 1, argv)
    os.sched_setaffinity(0, cpus)
    if ret < 0:
        error = ctypes.c_int.in_dll(eal, "per_lcore__rte_errno").value
        raise OSError(error, "rte_eal_init: " + os.strerror(error))


'''
# What inline functions of C need, and programs do not.
INTERNAL = re.compile(r"rte_umr_(fp_|lookup_|debug_|.*_t$|swap$)")
BASIC = {("bool", 8): "c_bool", ("char", 8): "c_char", ("signed char", 8): "c_int8",
         ("unsigned char", 8): "c_uint8", ("short int", 16): "c_int16",
         ("unsigned short int", 16): "c_uint16", ("int", 32): "c_int32",
         ("unsigned int", 32): "c_uint32", ("long int", 64): "c_int64",
         ("unsigned long int", 64): "c_uint64"}
DEFINE = re.compile(r"^#define[ \t]+(RTE_UMR_\w+)[ \t]+((?:[^\n\\]|\\\n)+)", re.M)


class Record:
    """The types and functions of the record."""

    def __init__(self, path):
        self.root = ET.parse(path).getroot()
        self.types = {one.get("id"): one for one in self.root.iter() if one.get("id")}

    def stripped(self, type_id):
        """A type without names and qualifiers."""
        one = self.types[type_id]
        while one.tag in ("typedef-decl", "qualified-type-def"):
            one = self.types[one.get("type-id")]
        return one

    def pointer(self, target):
        """Expression of a pointer to a type."""
        if target.tag == "function-type":
            return "ctypes.CFUNCTYPE(%s)" % ", ".join(self.signature(target))
        if target.tag == "type-decl" and target.get("name") == "char":
            return "ctypes.c_char_p"
        name = target.get("name", "")
        if target.tag == "type-decl" and name == "void" or \
                target.tag == "class-decl" and not name.startswith("rte_umr_"):
            return "ctypes.c_void_p"
        return "ctypes.POINTER(%s)" % self.expression(target)

    def expression(self, one):
        """Expression of a type."""
        if one.tag == "pointer-type-def":
            return self.pointer(self.stripped(one.get("type-id")))
        if one.tag == "array-type-def":
            text = self.expression(self.stripped(one.get("type-id")))
            for bound in reversed(one.findall("subrange")):
                text = "(%s * %s)" % (text, bound.get("length"))
            return text
        if one.tag == "enum-decl":
            return "ctypes.c_uint32"
        if one.tag == "type-decl":
            if one.get("name") == "void":
                return "None"
            return "ctypes." + BASIC[one.get("name"), int(one.get("size-in-bits"))]
        return one.get("name")

    def signature(self, function):
        """Expressions of the result and the parameters of a function."""
        ids = [function.find("return").get("type-id")]
        ids += [one.get("type-id") for one in function.findall("parameter")]
        return [self.expression(self.stripped(one)) for one in ids]

    def structs(self):
        """Structs and unions in an order in which members by value come first."""
        order = []

        def add(one):
            for member in one.iter("var-decl"):
                inner = self.stripped(member.get("type-id"))
                while inner.tag == "array-type-def":
                    inner = self.stripped(inner.get("type-id"))
                if inner.tag in ("class-decl", "union-decl"):
                    add(inner)
            if one not in order:
                order.append(one)
        for one in self.root.iter("class-decl"):
            name = one.get("name")
            if name.startswith("rte_umr_") and not INTERNAL.match(name):
                add(one)
        return order

    def functions(self):
        """Exported functions of the API, by name."""
        found = {one.get("name"): one for one in self.root.iter("function-decl")
                 if one.get("elf-symbol-id", "").endswith("@EXPERIMENTAL") and
                 not INTERNAL.match(one.get("name"))}
        return dict(sorted(found.items()))


def struct_lines(record):
    """Classes, then their members."""
    for one in record.structs():
        kind = "Union" if one.tag == "union-decl" else "Structure"
        yield "class %s(ctypes.%s):\n    pass\n\n" % (one.get("name"), kind)
    for one in record.structs():
        members = [member.find("var-decl") for member in one.findall("data-member")]
        if not members:
            continue
        fields, anonymous = [], []
        for i, member in enumerate(members):
            name = member.get("name") or "anonymous%d" % i
            anonymous += [name] if not member.get("name") else []
            text = record.expression(record.stripped(member.get("type-id")))
            fields.append('    ("%s", %s),' % (name, text))
        if anonymous:
            yield "%s._anonymous_ = %r" % (one.get("name"), anonymous)
        yield "%s._fields_ = [\n%s\n]" % (one.get("name"), "\n".join(fields))


def constant_lines(record, headers):
    """Enumerators, and macros that are numbers."""
    known = {one.get("name"): int(one.get("value")) for one in record.root.iter("enumerator")}
    known = {name: value for name, value in known.items() if name.startswith("RTE_UMR_")}
    for path in headers:
        with open(path, encoding="utf-8") as text:
            defines = DEFINE.findall(re.sub(r"/\*.*?\*/", "", text.read(), flags=re.S))
        for name, value in defines:
            value = re.sub(r"\bRTE_BIT(?:32|64)\(", "(1 << ", value.replace("\\\n", " "))
            value = re.sub(r"\bUINT(?:32|64)_C\(", "(", value)
            value = value.replace("UINT32_MAX", "0xffffffff")
            value = re.sub(r"\b(0x[0-9a-fA-F]+|\d+)[uUlL]+\b", r"\1", value).strip()
            try:
                known[name] = eval(value, {"__builtins__": {}}, known)
            except (NameError, SyntaxError, TypeError):
                continue
    return ["%s = %r" % one for one in known.items() if isinstance(one[1], (int, str))]


def compare(record, text):
    """Run the module; SystemExit if it differs from the record."""
    module = {}
    exec(text, module)
    for one in record.structs():
        if one.get("size-in-bits") is None:
            continue
        struct = module[one.get("name")]
        if 8 * ctypes.sizeof(struct) != int(one.get("size-in-bits")):
            raise SystemExit("%s: %d bytes" % (one.get("name"), ctypes.sizeof(struct)))
        for (name, _), member in zip(struct._fields_, one.findall("data-member")):
            offset = int(member.get("layout-offset-in-bits", 0))
            if 8 * getattr(struct, name).offset != offset:
                raise SystemExit("%s.%s: wrong offset" % (one.get("name"), name))


def main():
    record = Record(sys.argv[1])
    lines = constant_lines(record, sys.argv[2:]) + ["\n"] + list(struct_lines(record))
    lines += ["FUNCTIONS = {"]
    lines += ['    "%s": (%s),' % (name, ", ".join(record.signature(one)) + ",")
              for name, one in record.functions().items()]
    text = HEAD + "\n".join(lines) + "\n}\n"
    compare(record, text)
    print(text, end="")


if __name__ == "__main__":
    main()
