# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""The example umr_gather in two processes over the wire.

Usage: gather_test.py SWHCA_RUN UMR_GATHER
Its output is the Test Anything Protocol; exit status 1 if a case failed.
"""

import pathlib
import re
import socket
import sys

from case_runner import Runner, expect, run_cases
from patience import WAIT_S
from two_processes import EAL, ended, listening, wire

GUIDE = pathlib.Path(__file__).resolve().parents[4] / "doc/guides/prog_guide/umr.rst"
GATHER = None


def told(option):
    """What the guide says that a process prints."""
    text = GUIDE.read_text(encoding="utf-8")
    lines = re.search(rf"   \$ .*umr_gather .* -- {option}.*\n((?:   .*\n)+)", text)
    return re.sub("^   ", "", lines[1], flags=re.M)


def both_say_what_the_guide_says(runner):
    for link in ("ib", "eth"):
        with listening(runner, GATHER, *EAL, "--", "--listen", "0", link=link) as (server, port):
            done = runner.run(GATHER, *EAL, "--", "--connect", f"127.0.0.1:{port}",
                              options=wire(link))
            out, _ = ended(server)
            expect(done.stdout == told("--connect"), done.stdout)
            # Up to that line it was read by who has started it.
            expect(out == told("--listen").split("4800\n")[1], out)


def others_are_turned_away(runner):
    with listening(runner, GATHER, *EAL, "--", "--listen", "0") as (server, port):
        with socket.create_connection(("127.0.0.1", port), WAIT_S) as client:
            client.sendall(b"umr-gather 0\n")
            _, err = ended(server, 1)
        expect("speaks 'umr-gather 0', not 'umr-gather 1'" in err, err)


def who_goes_is_told(runner):
    with listening(runner, GATHER, *EAL, "--", "--listen", "0") as (server, port):
        with socket.create_connection(("127.0.0.1", port), WAIT_S) as client:
            client.sendall(b"umr-gather 1\n")
        _, err = ended(server, 1)
        expect("is gone" in err, err)


def nonsense_is_told(runner):
    for nonsense, why in (((b"good\n",), "an invalid address"),
                          ((None, b"connected\n", b"dance\x1b[31m\n"), "asks for 'dance?[31m'"),
                          ((None, b"dis\x1b[31m\n"), "says 'dis?[31m', not 'connected'")):
        with listening(runner, GATHER, *EAL, "--", "--listen", "0") as (server, port):
            with socket.create_connection(("127.0.0.1", port), WAIT_S) as client, \
                    client.makefile("rwb") as file:
                file.write(b"umr-gather 1\n")
                file.flush()
                expect(file.readline() == b"umr-gather 1\n", "greeting")
                # Its own address is one, too.
                address = file.readline()
                for line in nonsense:
                    file.write(line or address)
                file.flush()
                _, err = ended(server, 1)
        expect(why in err, err)


def words_are_checked(runner):
    for words in (("--listen",), ("--listen", "1", "--connect", "h:1"), ("--no-such",),
                  ("--listen", "65536"), ("--connect", "127.0.0.1"), ("--listen", ""),
                  ("--connect", "--listen")):
        done = runner.run(GATHER, *EAL, "--", *words, options=wire(), status=1)
        expect(done.stdout == "", f"{words}: {done.stdout}")


CASES = (both_say_what_the_guide_says, others_are_turned_away, who_goes_is_told,
         nonsense_is_told, words_are_checked)


if __name__ == "__main__":
    GATHER = sys.argv[2]
    sys.exit(run_cases(Runner(sys.argv[1]), CASES))
