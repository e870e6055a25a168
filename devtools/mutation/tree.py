# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""A copy of the tree with a build folder, for planting faults."""

import collections
import hashlib
import json
import os
import re
import shutil
import subprocess

# A word of build.ninja; a dollar escapes blanks, colons and dollars.
NINJA_WORD = re.compile(r"(?:\$.|[^\s$])+")
# Timeout of one ninja run, which counts as a build failure.
BUILD_DEADLINE_S = 1800

Test = collections.namedtuple("Test", ("name", "suites", "cmd", "env", "workdir", "timeout",
                                       "is_parallel", "targets"))


class Broken(Exception):
    """The copy does not build without faults."""


def run(*command, cwd=None, check=True, deadline=BUILD_DEADLINE_S):
    """Output of a command, and its exit status if failures are allowed."""
    try:
        done = subprocess.run(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, errors="replace", check=False, timeout=deadline)
    except subprocess.TimeoutExpired:
        if check:
            raise Broken(f"{' '.join(command[:4])}: not ready after {deadline} s") from None
        return 1, "deadline"
    if not check:
        return done.returncode, done.stdout
    if done.returncode != 0:
        raise Broken(f"{' '.join(command[:4])}: {done.stdout[-2000:]}")
    return done.stdout


def files_of(top):
    """Paths of a tree: files that git tracks or would add, or all files."""
    if os.path.exists(os.path.join(top, ".git")):
        names = run("git", "-C", top, "ls-files", "-z", "--cached", "--others",
                    "--exclude-standard")
        return [name for name in names.split("\0")
                if name and os.path.lexists(os.path.join(top, name))]
    paths = []
    for folder, folders, names in os.walk(top):
        folders[:] = [name for name in folders if not name.startswith("build")]
        names += [name for name in folders if os.path.islink(os.path.join(folder, name))]
        paths += [os.path.relpath(os.path.join(folder, name), top) for name in names]
    return paths


def is_same(a, b):
    """Whether two files have the same bytes."""
    try:
        with open(a, "rb") as file_a, open(b, "rb") as file_b:
            return file_a.read() == file_b.read()
    except OSError:
        return False


def all_inputs(made_of, target):
    """All direct and indirect inputs of a target."""
    found, left = set(), [target]
    while left:
        for name in made_of.get(left.pop(), ()):
            if name not in found:
                found.add(name)
                left.append(name)
    return found


class Tree:
    """The copy."""

    def __init__(self, top, folder, setup_args, threads):
        self.top, self.folder, self.threads = top, folder, threads
        self.setup_args = setup_args
        self.build_dir = os.path.join(folder, "build")
        self.objects = {}       # path of a source or header: objects that depend on it
        self.hashes = {}        # object: its contents without a fault
        self.tests = []
        self.inputs = {}        # target: all of its inputs

    def sync(self):
        """Update the copy; unchanged files keep their times."""
        wanted = set(files_of(self.top))
        for path in wanted:
            source, copy = os.path.join(self.top, path), os.path.join(self.folder, path)
            if os.path.islink(source):
                if not os.path.lexists(copy) or os.readlink(copy) != os.readlink(source):
                    os.makedirs(os.path.dirname(copy), exist_ok=True)
                    if os.path.lexists(copy):
                        os.unlink(copy)
                    os.symlink(os.readlink(source), copy)
            elif not is_same(source, copy):
                os.makedirs(os.path.dirname(copy), exist_ok=True)
                shutil.copyfile(source, copy)
                shutil.copymode(source, copy)
        for folder, folders, names in os.walk(self.folder):
            if folder == self.folder and "build" in folders:
                folders.remove("build")
            folders[:] = [name for name in folders if name != "__pycache__"]
            links = [name for name in folders if os.path.islink(os.path.join(folder, name))]
            for name in names + links:
                path = os.path.join(folder, name)
                if os.path.relpath(path, self.folder) not in wanted:
                    os.unlink(path)

    def read(self, path):
        """A file of the copy."""
        with open(os.path.join(self.folder, path), encoding="utf-8") as file:
            return file.read()

    def write(self, path, text):
        """Change a file of the copy; it becomes newer than its targets, which are then rebuilt."""
        if self.read(path) == text:
            return
        with open(os.path.join(self.folder, path), "w", encoding="utf-8") as file:
            file.write(text)

    def build(self, targets=()):
        """Build the targets or everything; return success and the output of the compiler."""
        status, out = run("ninja", "-C", self.build_dir, f"-j{self.threads}", *targets,
                          check=False)
        return status == 0, out

    def prepare(self, suites, names):
        """Build without a fault, and read the dependencies."""
        self.sync()
        if not os.path.exists(os.path.join(self.build_dir, "build.ninja")):
            run("meson", "setup", self.build_dir, self.folder, *self.setup_args)
        good, out = self.build(["build.ninja"])
        if not good:
            raise Broken(f"{self.folder} cannot be set up:\n{out[-3000:]}")
        self.load_tests(suites, names)
        targets = sorted({target for test in self.tests for target in test.targets})
        good, out = self.build(targets)
        if not good:
            raise Broken(f"{self.folder} does not build:\n{out[-3000:]}")
        self.load_objects()
        made_of = self.load_graph()
        self.inputs = {target: all_inputs(made_of, target) for target in targets}
        linked = set().union(*self.inputs.values()) if self.inputs else set()
        self.objects = {path: objects & linked for path, objects in self.objects.items()}
        self.hashes = {name: self.hash_of(name)
                       for objects in self.objects.values() for name in objects}

    def meson_info(self, what):
        """Introspection data of meson for the build folder as last configured."""
        path = os.path.join(self.build_dir, "meson-info", f"intro-{what}.json")
        with open(path, encoding="utf-8") as file:
            return json.load(file)

    def load_tests(self, suites, wanted):
        """Load tests of these suites (None: all) or names that use programs of the tree."""
        files = {}
        for target in self.meson_info("targets"):
            files[target["id"]] = [os.path.relpath(name, self.build_dir)
                                   for name in target["filename"]]
        self.tests = []
        for test in self.meson_info("tests"):
            names = {suite.rpartition(":")[2] for suite in test["suite"]}
            targets = [name for depend in test["depends"] for name in files.get(depend, ())]
            if targets and (suites is None or names & set(suites) or test["name"] in wanted):
                self.tests.append(Test(test["name"], names, test["cmd"], test["env"],
                                       test["workdir"] or self.build_dir, test["timeout"],
                                       test["is_parallel"], targets))

    def load_graph(self):
        """file: its inputs according to ninja."""
        made_of = {}
        with open(os.path.join(self.build_dir, "build.ninja"), encoding="utf-8") as file:
            for line in file:
                if not line.startswith("build "):
                    continue
                words = [re.sub(r"\$(.)", r"\1", word) for word in NINJA_WORD.findall(line)]
                colon = next(i for i, word in enumerate(words) if word.endswith(":"))
                words[colon] = words[colon][:-1]
                for name in words[1:colon + 1]:
                    made_of[name] = words[colon + 2:]
        return made_of

    def load_objects(self):
        """Load the files that the compiler read for each object."""
        objects = collections.defaultdict(set)
        paths = {}
        name = None
        for line in run("ninja", "-C", self.build_dir, "-t", "deps").split("\n"):
            if line.startswith("    "):
                line = line.strip()
                if line not in paths:
                    paths[line] = self.path_of(line)
                if name and paths[line]:
                    objects[paths[line]].add(name)
            else:
                name = line.partition(":")[0] if ".o: #deps" in line else None
        self.objects = dict(objects)

    def path_of(self, name):
        """Path in the tree of a ninja name; None if outside. Links to folders are resolved."""
        full = os.path.realpath(os.path.join(self.build_dir, name))
        return os.path.relpath(full, self.folder) if full.startswith(self.folder + os.sep) else None

    def hash_of(self, name):
        """Digest of an object, which has no debug information; None if it does not exist."""
        path = os.path.join(self.build_dir, name)
        if not os.path.exists(path):
            return None
        with open(path, "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()

    def changed(self, names, since):
        """Those of the objects that were rebuilt since then and have different code."""
        made = {name for name in names if self.time_of(name) >= since}
        return {name for name in made if self.hash_of(name) != self.hashes[name]}

    def time_of(self, name):
        """Modification time of an object; 0 if it does not exist."""
        path = os.path.join(self.build_dir, name)
        return os.stat(path).st_mtime if os.path.exists(path) else 0
