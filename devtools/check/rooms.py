#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""Which room may see which: devtools/check/rooms.txt, held against includes and symbols.

A room is a folder (or a few files) of a part; it sees itself, the rooms that rooms.txt names for it
and what these see, and the parts that it uses. Three things are looked at:

  - each #include of a file of a room;
  - each symbol that an object of a room lacks and an object of another room has, where the build
    folder has been built (compile_commands.json tells which object is whose). What a seam declares
    may be called by whoever sees the seam, wherever it is defined;
  - each function and variable that a header declares and an object of a room above it defines,
    unless the room of the header is a seam or has no sources.

No folder below those of a line "full" holds more sources than it says: that would be two rooms.
No two sources below a folder of a line "unique" have one name: a debugger, perf and a log print no
folder.

What stands in rooms.txt as an exception is let pass, and is an error when it is not there any more.

With --links, folders of include paths are made instead, one for each room: all that it finds there
are the rooms that it may see, so that another include does not compile.
"""

import argparse
import fnmatch
import itertools
import json
import os
import re
import shutil
import subprocess
import sys

COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
DECLARED = re.compile(r"\b(\w+)\(|^extern [^;(]*\b(\w+)(?:\[\w*\])?;", re.M)
INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]')


class RoomsError(Exception):
    """rooms.txt is invalid."""


class Part:
    """A source tree whose includes are relative to its root."""

    def __init__(self, name, root):
        self.name, self.root = name, root
        self.rooms = {}


class Room:
    """Files of a part, and the rooms that they see."""

    def __init__(self, part, name, lists):
        self.part, self.name = part, name
        self.globs = [os.path.join(part.root, glob) for glob in lists["="] or [name + "/*"]]
        self.lower, self.uses, self.names = lists[">"], lists["uses"], lists["names"]
        self.is_seam, self.is_door = "seam" in lists[""], "door" in lists[""]

    def __str__(self):
        return f"{self.part.name}:{self.name}"

    def seen(self):
        """This room and all rooms of its part that it sees, lowest first; doors hide what they
        see."""
        order = []

        def walk(room):
            for name in room.lower if room is self or not room.is_door else []:
                walk(self.part.rooms[name])
            if room not in order:
                order.append(room)
        walk(self)
        return order

    def used(self):
        """Rooms of other parts that it sees: "part" or "part:room"."""
        return {use for room in self.seen() for use in room.uses}

    def sees(self, other):
        """Whether a file of this room may include or call a file of the other."""
        if other.part is self.part:
            return other in self.seen()
        return other.part.name in self.used() or str(other) in self.used()

    def owns(self, symbol):
        """Whether a defined symbol belongs to the room, instead of replacing one of libc."""
        return not self.names or any(fnmatch.fnmatch(symbol, name) for name in self.names)


class Rooms:
    """Contents of rooms.txt."""

    def __init__(self, path, top):
        self.top, self.parts, self.exceptions, self.headers = top, {}, {}, []
        self.full, self.unique = [], []
        part = None
        with open(path, encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                words = line.split("#")[0].split()
                if not words:
                    continue
                try:
                    part = self.read(words, part, number)
                except (IndexError, KeyError, ValueError) as error:
                    raise RoomsError(f"{path}:{number}: {line.strip()}: {error}") from error
        # The longest matching pattern determines the room of a file.
        self.globs = sorted(((glob, room) for p in self.parts.values()
                             for room in p.rooms.values() for glob in room.globs),
                            key=lambda pair: -len(pair[0]))
        self.cache = {}

    def read(self, words, part, number):
        """Parse a line. Returns the part of the following lines."""
        kind = words.pop(0)
        if kind == "part":
            part = Part(words[0], words[1])
            self.parts[part.name] = part
        elif kind == "room":
            name = words.pop(0)
            lists = {"": [], "=": [], ">": [], "uses": [], "names": []}
            where = ""
            for word in words:
                if word in lists:
                    where = word
                else:
                    lists[where].append(word)
            for lower in lists[">"]:
                part.rooms[lower]  # Must be defined above, which excludes cycles.
            part.rooms[name] = Room(part, name, lists)
        elif kind == "header":
            self.headers.append((words[0], words[1:]))
        elif kind == "full":
            self.full += [(root, int(words[0])) for root in words[1:]]
        elif kind == "unique":
            self.unique += words
        elif kind == "except":
            self.exceptions[" ".join(words)] = number
        else:
            raise ValueError("neither part, room, header, full, unique nor except")
        return part

    def room_of(self, path):
        """Room of a file by its path from the top, or None."""
        if path not in self.cache:
            self.cache[path] = next((room for glob, room in self.globs
                                     if fnmatch.fnmatch(path, glob)), None)
        return self.cache[path]

    def resolve(self, path, name):
        """The file of a room that an include refers to, or None."""
        room = self.room_of(path)
        roots = [os.path.dirname(path), room.part.root]
        roots += [part.root for part in self.parts.values()]
        for root in roots:
            found = os.path.normpath(os.path.join(root, name))
            if self.room_of(found) and os.path.exists(os.path.join(self.top, found)):
                return found
        return None

    def seam_words(self, room):
        """Words of the seam headers that a room sees: others define what these declare."""
        words = set()
        for path in self.files():
            seam = self.room_of(path)
            if seam.is_seam and room.sees(seam):
                with open(os.path.join(self.top, path), encoding="utf-8") as text:
                    words |= set(re.findall(r"\w+", text.read()))
        return words

    def files(self):
        """Sources of all rooms."""
        for part in self.parts.values():
            for folder, folders, names in os.walk(os.path.join(self.top, part.root)):
                folders.sort()
                for name in sorted(names):
                    path = os.path.relpath(os.path.join(folder, name), self.top)
                    if name.endswith((".c", ".h")) and self.room_of(path):
                        yield path


def bad_includes(rooms):
    """Forbidden includes, as lines in the format of rooms.txt."""
    for path in rooms.files():
        room = rooms.room_of(path)
        with open(os.path.join(rooms.top, path), encoding="utf-8") as lines:
            names = [match for match in map(INCLUDE.match, lines) if match]
        for match in names:
            found = rooms.resolve(path, match[2])
            if match[2].startswith("..") or found and not room.sees(rooms.room_of(found)):
                yield f"{path} includes {found or match[2]}"
            for pattern, allowed in rooms.headers:
                if (not found and fnmatch.fnmatch(match[2], pattern) and
                        not any(fnmatch.fnmatch(str(room), glob) for glob in allowed)):
                    yield f"{path} includes {match[2]}"


def objects_of(rooms, build):
    """Objects of rooms in a build folder: [(path of the source, path of the object)]."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as text:
        commands = json.load(text)
    for command in commands:
        source = os.path.relpath(os.path.join(command["directory"], command["file"]), rooms.top)
        output = os.path.join(command["directory"], command["output"])
        if rooms.room_of(source) and output.endswith(".o") and os.path.exists(output):
            yield source, output


def symbols(paths):
    """Global symbols of objects: {path: (defined, undefined)}."""
    text = subprocess.run(["nm", "-g", "-P", "-A", *paths], check=True, capture_output=True,
                          text=True).stdout if paths else ""
    found = {path: (set(), set()) for path in paths}
    for line in text.splitlines():
        path, _, rest = line.rpartition(": ")
        name, kind = rest.split()[:2]
        found[path][kind in "Uw"].add(name)
    return found


def bad_symbols(rooms, build):
    """Forbidden references of objects to other rooms, as lines in the format of rooms.txt."""
    owners, wanted = {}, []
    objects = list(objects_of(rooms, build))
    found = symbols([path for _, path in objects])
    for source, path in objects:
        defined, lacking = found[path]
        for name in filter(rooms.room_of(source).owns, defined):
            owners.setdefault(name, set()).add(rooms.room_of(source))
        wanted.append((source, lacking))
    seams = {}
    for source, lacking in wanted:
        room = rooms.room_of(source)
        if room not in seams:
            seams[room] = rooms.seam_words(room)
        for name in sorted((lacking & owners.keys()) - seams[room]):
            if not any(room.sees(owner) for owner in owners[name]):
                yield f"{source} calls {name}"
    yield from bad_headers(rooms, owners)


def bad_headers(rooms, owners):
    """Functions and data that a header declares and only other rooms define, which it does not see.

    A seam declares what others define, and so does a room of headers alone.
    """
    with_sources = {rooms.room_of(path) for path in rooms.files() if path.endswith(".c")}
    for path in rooms.files():
        room = rooms.room_of(path)
        if path.endswith(".h") and room in with_sources and not room.is_seam:
            with open(os.path.join(rooms.top, path), encoding="utf-8") as text:
                names = set(itertools.chain(*DECLARED.findall(COMMENT.sub("", text.read()))))
            for name in sorted(names & owners.keys()):
                if not any(room.sees(owner) for owner in owners[name]):
                    yield f"{path} declares {name}"


def make_links(rooms, part, folder):
    """Create include folders of all rooms of a part, with a link for each room that it sees."""
    for room in part.rooms.values():
        base = os.path.join(folder, room.name.replace("/", "-"))
        shutil.rmtree(base, ignore_errors=True)
        os.makedirs(base)
        for seen in room.seen():
            source = os.path.join(rooms.top, part.root, seen.name)
            link = os.path.join(base, seen.name)
            inner = [name for name in part.rooms if name.startswith(seen.name + "/")]
            if os.path.isdir(source) and not inner:
                os.makedirs(os.path.dirname(link), exist_ok=True)
                os.symlink(source, link)
            elif os.path.isdir(source):
                # For a folder that contains rooms, link only its own files.
                os.makedirs(link, exist_ok=True)
                for entry in os.scandir(source):
                    if entry.is_file():
                        os.symlink(entry.path, os.path.join(link, entry.name))


def full_folders(rooms):
    """Folders that exceed the number of sources: path, number, limit."""
    for root, most in rooms.full:
        for folder, folders, names in os.walk(os.path.join(rooms.top, root)):
            folders.sort()
            nb_sources = sum(name.endswith((".c", ".h")) for name in names)
            if nb_sources > most:
                yield os.path.relpath(folder, rooms.top), nb_sources, most


def repeated_names(rooms):
    """Sources with one name below a folder where names are unique: lists of paths."""
    for root in rooms.unique:
        paths = {}
        for folder, _, names in os.walk(os.path.join(rooms.top, root)):
            for name in names:
                if name.endswith((".c", ".h")):
                    path = os.path.relpath(os.path.join(folder, name), rooms.top)
                    paths.setdefault(name, []).append(path)
        yield from sorted(sorted(same) for same in paths.values() if len(same) > 1)


def check(rooms, build):
    """Print errors. Returns the exit status."""
    full = list(full_folders(rooms))
    for folder, nb_sources, most in full:
        print(f"rooms: {folder} has {nb_sources} sources, at most {most}")
    repeated = list(repeated_names(rooms))
    for paths in repeated:
        print(f"rooms: one name for {' and '.join(paths)}")
    found = set(bad_includes(rooms))
    nb_objects = None
    if build and os.path.exists(os.path.join(build, "compile_commands.json")):
        nb_objects = sum(1 for _ in objects_of(rooms, build))
        found |= set(bad_symbols(rooms, build))
    bad = sorted(found - rooms.exceptions.keys())
    for line in bad:
        source, _, what = line.split(" ", 2)
        print(f"rooms: {rooms.room_of(source)} may not: {line}")
    gone = sorted(set(rooms.exceptions) - found)
    if nb_objects is None:
        # Symbols were not checked.
        gone = [line for line in gone if line.split(" ")[1] == "includes"]
    for line in gone:
        print(f"rooms: not so any more, take the exception away: {line}")
    if bad or gone or full or repeated:
        return 1
    nb_files = sum(1 for _ in rooms.files())
    print(f"rooms: good, {nb_files} files, {nb_objects or 'no'} objects, "
          f"{len(rooms.exceptions)} exceptions")
    return 0


def main():
    """Run as described by --help. Exit status 1: violations; 2: wrong usage."""
    top = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--top", default=top, help="the tree (default: that of this script)")
    parser.add_argument("--rooms", help="default: devtools/check/rooms.txt of the tree")
    parser.add_argument("--build-dir", default=os.environ.get("BUILD_DIR"),
                        help="a build folder, for symbols (default: $BUILD_DIR, or build)")
    parser.add_argument("--exceptions", action="store_true",
                        help="print what is wrong as lines for rooms.txt, and nothing else")
    parser.add_argument("--links", nargs=2, metavar=("PART", "FOLDER"),
                        help="make include folders for the rooms of a part instead")
    args = parser.parse_args()
    build = args.build_dir or os.path.join(args.top, "build")
    try:
        rooms = Rooms(args.rooms or os.path.join(args.top, "devtools/check/rooms.txt"), args.top)
        if args.links:
            make_links(rooms, rooms.parts[args.links[0]], args.links[1])
            return 0
        if args.exceptions:
            for line in sorted({*bad_includes(rooms), *bad_symbols(rooms, build)}):
                print("except", line)
            return 0
        return check(rooms, build)
    except (RoomsError, OSError, KeyError, ValueError) as error:
        print(f"rooms: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
