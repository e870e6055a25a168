#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""Compile everything that is built for arm64 with clang for that processor: lib/umr, the driver,
dpdk-test-umr and the examples, with headers of Debian's arm64 packages. Nothing is linked or run.

Usage: devtools/check-arm64.py [BUILD_DIR]

Each file is compiled with its first command of the build folder, without x86 instruction sets and
precompiled headers. Packages are downloaded once to the cache folder, and not installed. Exit
status 1 if a file does not compile or causes a warning, 77 without clang or packages.
"""

import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys

from compile_commands import TOP, first_commands, options

SKIP = 77
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "umr/arm64"
ROOMS = ("lib/umr/", "lib/mlx5_prm/", "drivers/", "app/common/", "app/test-umr/",
         "app/test/autotest/", "examples/")
PACKAGES = ("libbsd-dev", "libc6-dev", "libdpdk-dev", "libibverbs-dev", "libisal-dev",
            "libjansson-dev", "libmd-dev", "libnl-3-dev", "libnuma-dev", "libssl-dev",
            "linux-libc-dev")
TRIPLET = "aarch64-linux-gnu"
# The baseline of DPDK's own arm64 builds.
OPTIONS = [f"--target={TRIPLET}", "-march=armv8-a+crc", "-fsyntax-only", "-Werror"]


def apt(tool, *words):
    """Command line of apt for arm64 with separate state, and the sources of this machine."""
    state = {"Dir::State": CACHE, "Dir::State::status": CACHE / "status", "Dir::Cache": CACHE,
             "APT::Architecture": "arm64", "APT::Architectures": "arm64", "APT::Sandbox::User": "",
             "Acquire::Languages": "none"}
    settings = [word for key, value in state.items() for word in ("-o", f"{key}={value}")]
    return subprocess.run([tool, "-q", *settings, *words], cwd=CACHE, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)


def headers():
    """Folder that replaces / for arm64, or None (printed)."""
    root = CACHE / "root"
    if root.exists():
        return root
    for folder in ("lists/partial", "archives/partial"):
        (CACHE / folder).mkdir(parents=True, exist_ok=True)
    (CACHE / "status").touch()
    for words in (("update",), ("download", *PACKAGES)):
        done = apt("apt-get", *words)
        if done.returncode != 0:
            print(done.stdout)
            return None
    new = CACHE / f"root.{os.getpid()}"
    for package in CACHE.glob("*.deb"):
        subprocess.run(["dpkg", "-x", package, new], check=True)
    new.rename(root)
    return root


def arm_options(entry, root):
    """Options of a command that are valid for arm64, with system headers from the root."""
    for word in options(entry):
        if word.startswith("-march=") or "HAS_AVX" in word or \
                word in ("-Winvalid-pch", "-fno-tree-slp-vectorize"):
            continue
        if word.startswith(("-isystem/usr", "-I/usr")):
            word = word.replace("/usr", f"{root}/usr", 1).replace("x86_64-linux-gnu", TRIPLET)
        yield word


def compile_one(entry, root):
    """Output of clang for a file."""
    done = subprocess.run(["clang", *OPTIONS, f"--sysroot={root}", "-isystem",
                           f"{root}/usr/include/{TRIPLET}", *arm_options(entry, root), entry["file"]],
                          cwd=entry["directory"], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    return done.stdout if done.returncode != 0 else ""


def main():
    """Exit status of the script."""
    build = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else
                         os.environ.get("BUILD_DIR", TOP / "build")).resolve()
    if shutil.which("clang") is None or shutil.which("apt-get") is None:
        print("arm64: no clang, or no apt-get")
        return SKIP
    root = headers()
    if root is None:
        print("arm64: its packages cannot be downloaded")
        return SKIP
    first = {name: entry for name, entry in first_commands(build).items()
             if name.startswith(ROOMS) and name.endswith(".c")}
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        said = "".join(pool.map(lambda name: compile_one(first[name], root), sorted(first)))
    print(said + f"arm64: {'bad' if said else 'good'}, {len(first)} files")
    return 1 if said or not first else 0


if __name__ == "__main__":
    sys.exit(main())
