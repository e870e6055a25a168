# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""What EAL's trace tells about a program: its files, read as the Common Trace Format says.

Usage: trace_test.py SWHCA_RUN UMR_GATHER UMR_GATHER_TRACED
Its output is the Test Anything Protocol; exit status 1 if a case failed.
"""

import glob
import re
import struct
import subprocess
import sys
import tempfile

from case_runner import LCORE, expect, report_cases, verdict_of
from patience import WAIT_S

EAL = ["--no-huge", "--no-shconf", *LCORE, "--no-pci",
       "--no-telemetry"]
# Magic, UUID, lcore and name of the thread; then events, each with a timestamp and a number.
PACKET_HEADER = 4 + 16 + 4 + 32
EVENT_HEADER = 8
ID_SHIFT = 48
TYPES = {"int16_t": "h", "uint16_t": "H", "int32_t": "i", "uint32_t": "I", "uint8_t": "B",
         "int64_t": "q", "uint64_t": "Q", "size_t": "Q", "uintptr_t": "Q"}


def event_types(metadata):
    """What the metadata says of events: {number: (name, [(type, field, count)])}."""
    types = {}
    for number, name, fields in re.findall(
            r'event \{\s*id = (\d+);\s*name = "([^"]+)";\s*fields := struct \{(.*?)\};', metadata,
            flags=re.S):
        types[int(number)] = (name, [(kind, field, int(count or 1)) for kind, field, count in
                                     re.findall(r"(\w+) (\w+)(?:\[(\d+)\])?;", fields)])
    return types


def events_of(stream, types):
    """Events of a thread: (time, name, {field: value})."""
    at = PACKET_HEADER
    while at + EVENT_HEADER <= len(stream):
        header, = struct.unpack_from("<Q", stream, at)
        name, fields = types[header >> ID_SHIFT]
        at += EVENT_HEADER
        values = {}
        for kind, field, count in fields:
            if kind == "string_bounded_t":
                values[field] = stream[at:at + count].split(b"\0")[0].decode()
                at += count
            else:
                values[field], = struct.unpack_from("<" + TYPES[kind], stream, at)
                at += struct.calcsize(TYPES[kind])
        yield header & ((1 << ID_SHIFT) - 1), name, values
        at = -(-at // EVENT_HEADER) * EVENT_HEADER


def trace(swhca_run, program, pattern):
    """Run a program and read its trace: [(name, {field: value})] in order of time."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([swhca_run, program, *EAL, f"--trace={pattern}",
                               f"--trace-dir={folder}"], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=WAIT_S, check=False)
        expect(done.returncode == 0, f"exit status {done.returncode}: {done.stdout[-3000:]}")
        metadata, = glob.glob(f"{folder}/*/metadata")
        with open(metadata, encoding="ascii") as file:
            types = event_types(file.read())
        events = []
        for path in glob.glob(f"{folder}/*/channel*"):
            with open(path, "rb") as file:
                events += events_of(file.read(), types)
        events.sort(key=lambda event: event[0])
        return [(name, values) for _, name, values in events]


def only(events, name):
    """The fields of the one event of that name."""
    found = [values for found, values in events if found == name]
    expect(len(found) == 1, f"{len(found)} events {name} in {[name for name, _ in events]}")
    return found[0]


def control_path_is_told_in_order(swhca_run, program, _):
    """From probe to close, with what was asked for and what came of it."""
    events = trace(swhca_run, program, "lib.umr.*")
    names = [name for name, _ in events]
    wanted = ["dev.probe", "dev.configure", "queue.setup", "dev.start", "mr.register",
              "mkey.pool_create", "queue.recover", "dev.stop", "mkey.pool_destroy",
              "mr.deregister", "dev.close"]
    wanted = ["lib.umr." + name for name in wanted]
    # A device is stopped once more when it is closed.
    told = [name for at, name in enumerate(names) if name not in names[:at]]
    expect(told == wanted and names[-1] == wanted[-1], names)
    for name, values in events:
        expect(values["ret"] == 0, f"{name}: {values}")
    expect(only(events, "lib.umr.dev.probe")["devargs"] == "mlx5_0", events)
    expect(only(events, "lib.umr.dev.configure")["nb_queues"] == 1, events)
    expect(only(events, "lib.umr.queue.setup")["conf_nb_desc"] > 0, events)
    mr = only(events, "lib.umr.mr.register")
    expect(mr["conf_len"] > 0 and mr["lkey"] != 0, mr)
    expect(only(events, "lib.umr.mr.deregister")["mr"] == mr["mr"], events)
    pool = only(events, "lib.umr.mkey.pool_create")
    expect(only(events, "lib.umr.mkey.pool_destroy")["pool"] == pool["pool"], events)


def data_path_is_told_where_it_is_compiled_in(swhca_run, _, program):
    """Each operation has an index, and all that were accepted are collected."""
    events = trace(swhca_run, program, "lib.umr.*")
    keys = [values for name, values in events if name == "lib.umr.mkey.list"]
    expect(keys, events)
    expect(all(values["key"] != 0 and values["nb_segs"] > 0 for values in keys), keys)
    started = [values["ret"] for name, values in events
               if name in ("lib.umr.mkey.list", "lib.umr.mkey.interleaved",
                           "lib.umr.mkey.invalidate", "lib.umr.write", "lib.umr.read")]
    expect(started == list(range(len(started))), started)
    done = sum(values["nb"] for name, values in events
               if name in ("lib.umr.completed", "lib.umr.completed_status"))
    expect(done == len(started), f"{done} of {len(started)}")


def only_what_was_asked_for_is_told(swhca_run, _, program):
    """A pattern chooses."""
    events = trace(swhca_run, program, "lib.umr.mr.*")
    expect([name for name, _ in events] == ["lib.umr.mr.register", "lib.umr.mr.deregister"], events)


CASES = [control_path_is_told_in_order, data_path_is_told_where_it_is_compiled_in,
         only_what_was_asked_for_is_told]


def main():
    """Run all cases; there is nothing that one could lack."""
    return report_cases(CASES, lambda case: verdict_of(case, *sys.argv[1:4]))


if __name__ == "__main__":
    sys.exit(main())
