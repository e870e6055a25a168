# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""Examples that read packets, when things go wrong: they end, say why, and lose no mbuf.

Usage: packets_test.py SWHCA_RUN SWHCA_CTL UMR_PIPELINE UMR_IPFRAG
Runs in the folder of the captures. Its output is the Test Anything Protocol; exit status 1 if a case failed.
"""

import os
import re
import struct
import subprocess
import sys

from case_runner import LCORE, Runner, expect, kill_group, run_cases
from patience import WAIT_S

EAL = ["--no-huge", "--no-shconf", *LCORE, "--no-pci",
       "--no-telemetry", "--log-level=user1:warning", "--log-level=lib.umr:error"]
PCAP_HEADER = struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1)


def files():
    """The captures in the current folder."""
    return ["packets.pcap", "fragments.pcap"]


def capture(runner, frames, second=0):
    """A capture of these frames, a second apart; its name."""
    path = os.path.join(runner.tmp, "made.pcap")
    with open(path, "wb") as file:
        file.write(PCAP_HEADER)
        for frame in frames:
            file.write(struct.pack("<IIII", second, 0, len(frame), len(frame)) + frame)
            second += 1
    return path


def fragment(number, offset, body, more, source=1):
    """A frame with a fragment of IPv4."""
    flags = offset // 8 | (0x2000 if more else 0)
    header = struct.pack(">BBHHHBBHII", 0x45, 0, 20 + len(body), number, flags, 64, 17, 0,
                         0x0a000000 + source, 0x0a010001)
    return bytes(12) + b"\x08\x00" + header + body


def run(runner, program, *words, status=0, faults=None):
    """Output of an example, all of whose mbufs are back; and what it says on stderr."""
    options = () if faults is None else ("--fault", faults)
    done = runner.run(program, *EAL, "--", *words, status=status, options=options)
    found = re.search(r"^mbufs: (\d+) before, (\d+) behind$", done.stdout, flags=re.M)
    expect(found is None or found.group(1) == found.group(2), done.stdout)
    expect(found or status != 0 or "--help" in words, done.stdout)
    name = os.path.basename(program)
    if status != 0:
        expect(done.stdout.splitlines()[-1].startswith(name + ": ") and
               not done.stdout.endswith(": good\n"), done.stdout)
    return done.stdout, done.stderr


def programs():
    """Both."""
    return sys.argv[3:5]


def help_names_the_options(runner):
    for program in programs():
        out, _ = run(runner, program, "--help")
        expect("CAPTURE" in out and "--rounds" in out and "--mbufs" in out, out)
    expect("--datagrams" in out and "--timeout-ms" in out, out)


def bad_arguments_are_named(runner):
    good = files()[0]
    for words, told in ((["--rounds", "0", good], "[1, 1000000]"), (["--rounds"], "--rounds"),
                        (["--mbufs", "12x", good], "12x"), (["--no-such", "1", good], "--no-such"),
                        ([good] * 9, "more than 8"), ([], "no capture")):
        _, err = run(runner, programs()[0], *words, status=1)
        expect(told in err, f"{words}: {err}")
    _, err = run(runner, programs()[1], "--datagrams", "65537", good, status=1)
    expect("65537" in err, err)


def what_is_no_capture_is_named(runner):
    text = os.path.join(runner.tmp, "text")
    with open(text, "w", encoding="ascii") as file:
        file.write("text, and long enough to be the header of a file with packets\n" * 9)
    other_link = os.path.join(runner.tmp, "link")
    with open(other_link, "wb") as file:
        file.write(PCAP_HEADER[:-4] + struct.pack("<I", 101))
    pipe = os.path.join(runner.tmp, "pipe")
    os.mkfifo(pipe)
    for path in ("/no/such/file", text, other_link, "/dev/null", runner.tmp, pipe, "a,b"):
        _, err = run(runner, programs()[0], path, status=1)
        expect(path in err, err)


def empty_captures_are_good(runner):
    for program in programs():
        out, _ = run(runner, program, capture(runner, []))
        expect("0 packets" in out and " 0 bytes as the capture" in out, out)


def frames_of_nothing_are_good(runner):
    body = bytes(range(64))
    whole = fragment(1, 0, body, False)
    cut = [whole[:length] for length in range(14, len(whole), 5)]
    lying = [whole[:16] + struct.pack(">H", length) + whole[18:] for length in (0, 19, 20, 65535)]
    lying += [whole[:14] + bytes([byte]) + whole[15:] for byte in (0x40, 0x44, 0x4f, 0x60, 0xff)]
    lying += [frame[:20] + b"\x20\x01" + frame[22:] for frame in cut + lying if len(frame) > 22]
    ipv6 = bytes(12) + b"\x86\xdd\x60\0\0\0" + struct.pack(">HBB", 16, 44, 64) + bytes(32)
    lying += [ipv6 + extension for extension in (
        bytes(16), b"\x11\0\0\1" + bytes(12), b"\x11\0\0\x08" + bytes(2), b"\0\xff" + bytes(14))]
    for program in programs():
        run(runner, program, capture(runner, [whole] + cut + lying), "--rounds", "2")


def without_mbufs_packets_are_missed(runner):
    for program in programs():
        _, err = run(runner, program, "--mbufs", "20", *files(), status=1)
        # Or one behind what was missed came first, and was not what the capture has there.
        expect(("packets did not come" in err and "no mbuf for" in err) or
               "bytes are not what the capture has" in err, err)
        run(runner, program, "--mbufs", "3", files()[1], status=1)


def few_mbufs_do_where_they_come_back(runner):
    frame = fragment(1, 0, bytes(range(32)), False)
    for program in programs():
        run(runner, program, "--mbufs", "200", capture(runner, [frame] * 1000))


def numbers_of(out):
    """(fragments, datagrams, dropped) that umr_ipfrag tells of queue 0."""
    return tuple(int(number) for number in re.search(
        r"^queue 0: .* (\d+) fragments; (\d+) datagrams of them, (\d+) fragments dropped$", out,
        flags=re.M).groups())


def full_tables_drop(runner):
    # All first parts, then all second ones: the table has room for two of ten.
    parts = [fragment(1, 0, bytes([at]) * 64, True, source=at) for at in range(10)]
    parts += [fragment(1, 64, bytes([at]) * 8, False, source=at) for at in range(10)]
    path = capture(runner, parts)
    out, _ = run(runner, programs()[1], path)
    expect(numbers_of(out) == (20, 10, 0), out)
    out, _ = run(runner, programs()[1], "--datagrams", "2", path)
    fragments, datagrams, dropped = numbers_of(out)
    expect(fragments == 20 and datagrams == 2 and dropped == 16, out)


def late_fragments_are_dropped(runner):
    path = capture(runner, [fragment(1, 0, bytes(64), True), fragment(2, 0, bytes(64), True),
                            fragment(2, 64, bytes(8), False), fragment(1, 64, bytes(8), False)])
    out, _ = run(runner, programs()[1], path)
    expect(numbers_of(out) == (4, 2, 0), out)
    out, _ = run(runner, programs()[1], "--timeout-ms", "1500", path)
    expect(numbers_of(out) == (4, 1, 2), out)


def datagrams_longer_than_ip_are_dropped(runner):
    body = bytes(9360)
    parts = [fragment(1, at * len(body), body, True) for at in range(7)]
    out, _ = run(runner, programs()[1], capture(runner, parts + [
        fragment(1, 7 * len(body), bytes(8), False)]))
    # Older releases of DPDK make one chain of them, which the example drops; those of 24.11.8 drop
    # what would be too long when it comes, with all that there is of it.
    expect(numbers_of(out) in ((8, 0, 1), (8, 0, 8)), out)
    out, _ = run(runner, programs()[1], capture(runner, parts[:6] + [
        fragment(1, 6 * len(body), bytes(9355), False)]))
    expect(numbers_of(out) == (7, 1, 0), out)


def packets_of(out):
    """What came, and what arrived: not how it was sent."""
    return [line for line in out.splitlines() if re.match("(queue|far side) [0-9]+: [0-9]+ (packets|bytes)", line)]


def faults_lose_no_packet(runner):
    program = programs()[0]
    good, _ = run(runner, program, *files())
    expect(len(packets_of(good)) == 4 and "again" not in good, good)
    for faults in ("error-cqe,one-of=50", "error-cqe,side=recv,one-of=10",
                   "error-cqe+cqe-delay,one-of=50"):
        out, err = run(runner, program, *files(), faults=faults)
        expect(packets_of(out) == packets_of(good), out)
        again = re.findall(r"^queue \d: (\d+) messages sent again$", out, flags=re.M)
        expect(sum(int(nb) for nb in again) >= err.count("this side, ") > 1, out + err)


def what_always_fails_ends_it(runner):
    for program in programs():
        _, err = run(runner, program, *files(), status=1, faults="error-cqe,count=0")
        expect("local-qp-op" in err, err)


def lost_devices_end_it(runner):
    for program in programs():
        # Not "halt": what is silent is known to be lost a minute later, and then it is the same.
        for command, device in (("crash", 0), ("remove", 0), ("crash", 1)):
            process = runner.start(program, *EAL, "--", "--rounds", "1000000", *files())
            try:
                # It says how fast it goes when it does.
                while "packets/s" not in process.stdout.readline():
                    expect(process.poll() is None, "it has ended")
                subprocess.run([sys.argv[2], command, str(process.pid), str(device)], check=True,
                               stdout=subprocess.DEVNULL, timeout=WAIT_S)
                out, err = process.communicate(timeout=WAIT_S)
            except BaseException:
                kill_group(process)
                raise
            what = f"{command} {device}: {out}{err}"
            expect(process.returncode == 1, what)
            found = re.search(r"^mbufs: (\d+) before, (\d+) behind$", out, flags=re.M)
            expect(found and found.group(1) == found.group(2), what)


CASES = [help_names_the_options, bad_arguments_are_named, what_is_no_capture_is_named,
         empty_captures_are_good, frames_of_nothing_are_good, without_mbufs_packets_are_missed,
         few_mbufs_do_where_they_come_back, full_tables_drop, late_fragments_are_dropped,
         datagrams_longer_than_ip_are_dropped, faults_lose_no_packet,
         what_always_fails_ends_it, lost_devices_end_it]


if __name__ == "__main__":
    sys.exit(run_cases(Runner(sys.argv[1]), CASES))
