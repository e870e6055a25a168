#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors

"""The initramfs of a guest: busybox, kernel modules with what they need, and a command.

The format is that of Linux' Documentation/driver-api/early-userspace/buffer-format.rst ("newc").
Modules say themselves which others they need (modinfo: depends), so that no depmod(8) has to have
run over their folder.
"""

import argparse
import gzip
import lzma
import os
import re
import shlex
import sys

SUFFIXES = (".ko", ".ko.xz", ".ko.gz")
DIRECTORY, FILE = 0o040755, 0o100755
CONSOLE, CONSOLE_NUMBER = 0o020600, (5, 1)


class Archive:
    """A cpio archive."""

    def __init__(self):
        self.parts = []
        self.folders = set()
        self.nb = 0

    def put(self, name, mode, data=b"", device=(0, 0)):
        """Append an entry."""
        self.nb += 1
        fields = (self.nb, mode, 0, 0, 1, 0, len(data), 0, 0, *device, len(name) + 1, 0)
        head = b"070701" + b"".join(b"%08X" % field for field in fields) + name.encode() + b"\0"
        self.parts += [head, b"\0" * (-len(head) % 4), data, b"\0" * (-len(data) % 4)]

    def folder(self, path):
        """Append a folder and its parents, once."""
        if path and path not in self.folders:
            self.folder(os.path.dirname(path))
            self.folders.add(path)
            self.put(path, DIRECTORY)

    def file(self, path, data):
        """Append an executable file."""
        self.folder(os.path.dirname(path))
        self.put(path, FILE, data)

    def bytes(self):
        """Contents of the archive."""
        self.put("TRAILER!!!", 0)
        return b"".join(self.parts)


def name_of(file):
    """Name of a module by its file; "-" and "_" are equivalent."""
    for suffix in SUFFIXES:
        if file.endswith(suffix):
            return file[: -len(suffix)].replace("-", "_")
    return None


def content(path):
    """Contents of a module file."""
    with open(path, "rb") as file:
        data = file.read()
    if path.endswith(".xz"):
        return lzma.decompress(data)
    return gzip.decompress(data) if path.endswith(".gz") else data


class Modules:
    """The modules of a kernel."""

    def __init__(self, folder):
        self.folder = folder
        self.paths = {}
        for where, _, files in os.walk(folder):
            for file in files:
                if name_of(file):
                    self.paths[name_of(file)] = os.path.join(where, file)
        with open(os.path.join(folder, "modules.builtin"), encoding="ascii") as file:
            self.builtin = {name_of(os.path.basename(line.strip())) for line in file}
        self.order = {}
        self.parameters = {}

    def need(self, words):
        """Load a module, "NAME [PARAMETER=VALUE...]", after its dependencies.

        A built-in module is already available.
        """
        name, _, parameters = words.partition(" ")
        name = name.replace("-", "_")
        if parameters:
            self.parameters[name] = parameters
        if name in self.order or name in self.builtin:
            return
        if name not in self.paths:
            raise ValueError(f"no module {name} in {self.folder}")
        data = content(self.paths[name])
        depends = re.search(rb"\0depends=([^\0]*)\0", data)
        for other in depends[1].decode().split(",") if depends and depends[1] else []:
            self.need(other)
        self.order[name] = data


def main():
    """Write the archive."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--init", required=True, help="script that is the first process")
    parser.add_argument("--busybox", required=True, help="a static busybox")
    parser.add_argument("--modules", required=True, help="folder of the kernel's modules")
    parser.add_argument("--module", action="append", default=[], help="module to load")
    parser.add_argument("--optional", action="append", default=[], help="the same, if there is one")
    parser.add_argument("--folder", required=True, help="where the command runs")
    parser.add_argument("out")
    parser.epilog = "Behind a -- stands the command, in which a -- may stand, too."
    # argparse would consume each --.
    at = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    args = parser.parse_args(sys.argv[1:at])
    command = sys.argv[at + 1:]
    if not command:
        parser.error("no command behind --")

    archive = Archive()
    for folder in ("bin", "dev", "proc", "sys", "root"):
        archive.folder(folder)
    archive.put("dev/console", CONSOLE, device=CONSOLE_NUMBER)
    for path, source in (("init", args.init), ("bin/busybox", args.busybox)):
        with open(source, "rb") as file:
            archive.file(path, file.read())
    modules = Modules(args.modules)
    for name in args.module:
        modules.need(name)
    for name in args.optional:
        if name in modules.paths:
            modules.need(name)
    for name, data in modules.order.items():
        archive.file(f"modules/{name}.ko", data)
    archive.file("modules/order", "".join(
        f"{name}.ko {modules.parameters.get(name, '')}\n" for name in modules.order).encode())
    archive.file("folder", f"{args.folder}\n".encode())
    archive.file("command", f"cd {shlex.quote(args.folder)} && exec {shlex.join(command)}\n"
                 .encode())
    with open(args.out, "wb") as file:
        file.write(archive.bytes())
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (OSError, ValueError) as error:
        sys.exit(f"initramfs.py: {error}")
