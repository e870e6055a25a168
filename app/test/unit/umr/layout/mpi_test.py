#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""What keys show of random types, against what Open MPI's MPI_Pack() copies.

Arguments: the program that tells what keys show (pack.c).
"""

import pathlib
import random
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "tap"))
from budget import test_nb_cases, test_seed  # noqa: E402

NB_CASES = 2 * test_nb_cases()
MAX_BYTES = 20000
MEMORY = 1 << 20

try:
    from mpi4py import MPI
except ImportError:
    print("1..0 # SKIP no mpi4py")
    sys.exit(0)


class Type:
    """A type as a line for pack.c, and as one of MPI."""

    def __init__(self, text, mpi):
        self.text = text
        self.mpi = mpi


def blocks(rng):
    """Lengths and displacements; as often regular as not."""
    count = rng.randint(1, 8)
    if rng.random() < 0.3:
        step = rng.randint(-40, 300)
        return [2] * count, [i * step for i in range(count)]
    lens = [rng.randint(0, 4) for _ in range(count)]
    # The standard has no bounds of types without bytes, but Open MPI has, and counts them.
    return lens if any(lens) else [1] * count, [rng.randint(-100, 400) for _ in range(count)]


def not_back_by_one(stride):
    """Bytes backwards are bytes forwards to Open MPI 4.1.4: true extents say so, too."""
    return 1 if stride == -1 else stride


def vector(rng, child):
    """Both kinds of vectors."""
    count, blocklen = rng.randint(1, 9), rng.randint(1, 4)
    if rng.random() < 0.5:
        stride = not_back_by_one(rng.randint(-6, 20))
        return Type(f"V {count} {blocklen} {stride} {child.text}",
                    child.mpi.Create_vector(count, blocklen, stride))
    stride = not_back_by_one(rng.choice([rng.randint(-100, 400), 64, 512, 4096]))
    return Type(f"H {count} {blocklen} {stride} {child.text}",
                child.mpi.Create_hvector(count, blocklen, stride))


def indexed(rng, child):
    """Both kinds of indexed blocks."""
    lens, displs = blocks(rng)
    pairs = " ".join(f"{length} {displ}" for length, displ in zip(lens, displs))
    if rng.random() < 0.5:
        displs = [displ // 10 for displ in displs]
        pairs = " ".join(f"{length} {displ}" for length, displ in zip(lens, displs))
        return Type(f"I {len(lens)} {pairs} {child.text}", child.mpi.Create_indexed(lens, displs))
    return Type(f"X {len(lens)} {pairs} {child.text}", child.mpi.Create_hindexed(lens, displs))


def struct(rng, depth):
    """Blocks of different types."""
    lens, displs = blocks(rng)
    children = [random_type(rng, depth + 1) for _ in lens]
    words = " ".join(f"{length} {displ} {child.text}"
                     for length, displ, child in zip(lens, displs, children))
    return Type(f"S {len(lens)} {words}",
                MPI.Datatype.Create_struct(lens, displs, [child.mpi for child in children]))


def subarray(rng, child):
    """A part of an array."""
    dims = rng.randint(1, 4)
    shape = [rng.randint(1, 6) for _ in range(dims)]
    starts = [rng.randint(0, 3) for _ in range(dims)]
    sizes = [start + length + rng.randint(0, 4) for start, length in zip(starts, shape)]
    is_fortran = rng.random() < 0.5
    words = " ".join(f"{size} {length} {start}"
                     for size, length, start in zip(sizes, shape, starts))
    return Type(f"U {dims} {int(is_fortran)} {words} {child.text}",
                child.mpi.Create_subarray(sizes, shape, starts, MPI.ORDER_FORTRAN if is_fortran
                                          else MPI.ORDER_C))


def array(rng, child):
    """A view with strides: vectors of vectors, the last dimension innermost."""
    shape = [rng.randint(1, 7) for _ in range(rng.randint(1, 4))]
    strides = [not_back_by_one(rng.choice([rng.randint(-80, 200), 16, 96, 480, 4096, 0]))
               for _ in shape]
    words = " ".join(f"{length} {stride}" for length, stride in zip(shape, strides))
    mpi = child.mpi
    for length, stride in reversed(list(zip(shape, strides))):
        mpi = mpi.Create_hvector(length, 1, stride)
    return Type(f"A {len(shape)} {words} {child.text}", mpi)


def resized(rng, child):
    """Other bounds."""
    bound, extent = rng.randint(-30, 30), rng.randint(0, 200)
    return Type(f"R {bound} {extent} {child.text}", child.mpi.Create_resized(bound, extent))


def random_type(rng, depth=0):
    """A type of any kind."""
    if depth == 3 or rng.random() < 0.15:
        length = rng.choice([1, 2, 4, 8, rng.randint(1, 60)])
        return Type(f"B {length}", MPI.BYTE.Create_contiguous(length))
    kind = rng.choice([vector, vector, indexed, struct, subarray, array, resized])
    if kind is struct:
        return struct(rng, depth)
    return kind(rng, random_type(rng, depth + 1))


def packed(datatype, memory, origin):
    """What MPI_Pack() copies of one of a type at an address."""
    one = datatype.Create_resized(0, 1)
    one.Commit()
    out = bytearray(one.Get_size())
    one.Pack(MPI.memory.fromaddress(memory.address + origin, 1), out, 0, MPI.COMM_SELF)
    one.Free()
    return bytes(out)


def shown(answer, memory, origin):
    """What the keys show: bytes, and the number of keys; None if there are none."""
    words = [int(word) for word in answer.split()] if not answer.startswith("error") else []
    if not words:
        return None, int(answer.split()[1])
    data = bytearray()
    for first, length in zip(words[1::2], words[2::2]):
        data += memory[origin + first:origin + first + length]
    return bytes(data), words[0]


def run(program, seed):
    """All cases. @return types that had a layout, and those of them with several keys."""
    rng = random.Random(seed)
    memory = bytearray(rng.getrandbits(8) for _ in range(MEMORY))
    address = MPI.memory.frombuffer(memory)
    origin = MEMORY // 2
    nb_good = nb_nested = 0
    with subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          text=True) as pack:
        for case in range(NB_CASES):
            what = random_type(rng)
            low, extent = what.mpi.Get_true_extent()
            size = what.mpi.Get_size()
            if size > MAX_BYTES or low < -origin or low + extent > origin:
                continue
            limits = f"{rng.randint(1, 200)} {rng.choice([3, 20, 300, 65536])} {rng.randint(1, 52)}"
            pack.stdin.write(f"{limits} {what.text}\n")
            pack.stdin.flush()
            data, number = shown(pack.stdout.readline(), memory, origin)
            where = f"seed {seed}, case {case}: {limits} {what.text}"
            if data is None:
                # EINVAL: no bytes; E2BIG: not within these limits
                assert number == (22 if size == 0 else 7), f"{where}: errno {number}"
                continue
            assert data == packed(what.mpi, address, origin), where
            nb_good += 1
            nb_nested += number > 1
        pack.stdin.close()
        assert pack.wait() == 0, "pack"
    return nb_good, nb_nested


def main():
    """One case of the Test Anything Protocol."""
    seed = test_seed()
    verdict = "ok"
    try:
        nb_good, nb_nested = run(sys.argv[1], seed)
        print(f"# {nb_good} of {NB_CASES} types had a layout, {nb_nested} of them of several keys")
        assert nb_good > NB_CASES // 3 and nb_nested > NB_CASES // 200, "hardly any types"
    except AssertionError as error:
        verdict = "not ok"
        print(f"# {error}")
    print("1..1")
    print(f"{verdict} 1 - keys_show_what_mpi_packs")
    return 0 if verdict == "ok" else 1


if __name__ == "__main__":
    sys.exit(main())
