# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""Two processes over the wire: keys in one, transfers from the other.

Usage: peer_test.py SWHCA_RUN DPDK_TEST_UMR
Its output is the Test Anything Protocol; exit status 1 if a case failed.
"""

import contextlib
import itertools
import json
import re
import socket
import sys
import threading
import time

from case_runner import LCORE, Runner, expect, kill_group, run_cases
from patience import WAIT_S
from two_processes import EAL, ended, listening, wire

TOOL = None
GREETING = b"umr-peer 2\n"
OPEN = {"do": "open", "areas": [64], "keys": 1, "entries": 1, "queues": 1}
ZEROS = "lost 0, duplicated 0, corrupted 0, unexplained 0"


def serving(runner, *options, link="eth"):
    """The tool that serves."""
    return listening(runner, TOOL, *EAL, "--", "serve", "--listen", "0", *options, link=link)


def verify(runner, port, *options, link="eth", status=0):
    """The tool that works against the one that serves."""
    return runner.run(TOOL, *EAL, "--", "verify", "--peer", f"127.0.0.1:{port}", *options,
                      options=wire(link), status=status)


def layouts_are_verified_from_the_other_process(runner):
    for link in ("ib", "eth"):
        with serving(runner, "--once", link=link) as (server, port):
            done = verify(runner, port, "--layout", "list,interleaved,nested", "--cases", "201",
                          "--seed", "7", link=link)
            expect(done.stdout == "list: 67 passed\ninterleaved: 67 passed\nnested: 67 passed\n"
                   "201 passed, 0 failed\n", done.stdout)
            ended(server)


def one_server_has_one_client_after_the_other(runner):
    with serving(runner) as (server, port):
        for seed in ("1", "2"):
            done = verify(runner, port, "--cases", "10", "--seed", seed, "--format", "json")
            expect(json.loads(done.stdout)["passed"] == 10, done.stdout)
        server.terminate()
        ended(server)


def bench(runner, port, *options, status=0):
    """The same, measured."""
    return runner.run(TOOL, *EAL, "--", "bench", "--peer", f"127.0.0.1:{port}", *options,
                      options=wire(), status=status)


def writes_are_measured(runner):
    with serving(runner) as (server, port):
        done = bench(runner, port, "--rounds", "2", "--format", "json")
        report = json.loads(done.stdout)
        expect([(row["row"], row["bytes"], row["batch"], row["pieces"])
                for row in report["rows"]] ==
               [("write", 64, 1, 0), ("write", 65536, 1, 0), ("write", 65536, 16, 0),
                ("writes of pieces", 256, 16, 0), ("list and write", 4096, 1, 16)], report)
        for row in report["rows"]:
            expect(row["samples"] == 64, row)
            told(row)
        expect("the speed of the model" in report["note"], report)
        done = bench(runner, port, "--rounds", "1", "--format", "csv")
        expect(len(done.stdout.splitlines()) == 6, done.stdout)
        done = bench(runner, port, "--rounds", "1")
        expect("the speed of the model" in done.stdout, done.stdout)
        for options, why in (
                (("--depth", "64"), "--peer takes --size, --operation, --batch, --queues"),
                (("--layout", "mbuf"), "--peer takes --size, --operation, --batch, --queues"),
                (("--layout", "nested"), "--peer: nested has no signature or encryption"),
                (("--layout", "dif", "--size", "100"), "--size: 100 is not a multiple of 512"),
                (("--lcores", "2"), "--lcores: each needs a queue of its own")):
            done = bench(runner, port, *options, status=2)
            expect(why in done.stderr, done.stderr)
        server.terminate()
        ended(server)


def told(row):
    """What a row says of its samples."""
    expect(0 < row["median_us"] <= row["p99_us"] <= row["p999_us"], row)
    expect(row["gb_per_s"] > 0 and row["ops_per_s"] > 0, row)
    expect(abs(row["gb_per_s"] * 1e9 / (row["ops_per_s"] * row["bytes"]) - 1) < 0.01, row)


def rows_of_choice_are_measured(runner):
    """Sizes, operations, batches and queues; by rounds and by time."""
    with serving(runner) as (server, port):
        done = bench(runner, port, "--size", "1,4096,64,MUL", "--operation", "read,write",
                     "--batch", "1,7", "--queues", "3", "--rounds", "1", "--format", "json")
        report = json.loads(done.stdout)
        expect([(row["row"], row["bytes"], row["batch"]) for row in report["rows"]] ==
               list(itertools.product(("write", "read"), (1, 64, 4096), (1, 7))), report)
        expect((report["queues"], report["rounds"], report["seconds"]) == (3, 1, None), report)
        for row in report["rows"]:
            expect(row["samples"] == 96, row)
            told(row)
        start = time.monotonic()
        done = bench(runner, port, "--size", "100000", "--operation", "read", "--batch", "1",
                     "--queues", "2", "--seconds", "1", "--format", "json")
        expect(time.monotonic() - start > 1, start)
        report = json.loads(done.stdout)
        expect((report["queues"], report["rounds"], report["seconds"]) == (2, None, 1), report)
        (row,) = report["rows"]
        expect(row["samples"] > 1 and row["row"] == "read", row)
        told(row)
        for options, why in (
                (("--size", "33554432", "--queues", "3"), "33554432 bytes for each of 3 queues"),
                (("--size", "0"), "--size: 0 is not in [1, 67108864]"),
                (("--operation", "send"), "--operation: 'send' is not write or read"),
                (("--seconds", "1", "--rounds", "1"), "takes --rounds or --seconds")):
            done = bench(runner, port, *options, status=2)
            expect(why in done.stderr, done.stderr)
        server.terminate()
        ended(server)
    done = runner.run(TOOL, *EAL, "--", "bench", "--size", "64", options=wire(), status=2)
    expect("need --peer" in done.stderr, done.stderr)


LIBRARIES = {"list": None, "crypto": "OpenSSL", "signature": "ISA-L", "dif": "ISA-L",
             "dif-both": "ISA-L", "sigcrypto": "OpenSSL and ISA-L", "transaction": "ISA-L"}


def transfers_through_keys_are_measured(runner):
    """Keys with signatures and encryption, beside libraries; on one lcore and on two."""
    with serving(runner) as (server, port):
        done = bench(runner, port, "--layout", ",".join(LIBRARIES), "--operation", "write,read",
                     "--size", "512,4096", "--batch", "1,7", "--queues", "2", "--rounds", "1",
                     "--format", "json")
        report = json.loads(done.stdout)
        expect([(row["layout"], row["row"], row["bytes"], row["batch"]) for row in report["rows"]]
               == list(itertools.product(LIBRARIES, ("write", "read"), (512, 4096), (1, 7))),
               report)
        for row in report["rows"]:
            expect((row["samples"], row["pieces"]) == (64, 1), row)
            expect(row["library"] == LIBRARIES[row["layout"]], row)
            expect((row["software_gb_per_s"] or 0) > 0 or row["layout"] == "list", row)
            told(row)
        lcores = ("--lcores", LCORE[1] + ",1" + LCORE[1][1:])
        done = runner.run(TOOL, *EAL[:-len(LCORE)], *lcores, "--", "bench", "--peer",
                          f"127.0.0.1:{port}", "--layout", "dif", "--size", "65536", "--batch", "2",
                          "--queues", "3", "--lcores", "2", "--rounds", "1", options=wire())
        expect("; 3 queues on 2 lcores; " in done.stdout, done.stdout)
        expect(re.search(r"^dif +write +65536 .* ISA-L$", done.stdout, re.M), done.stdout)
        server.terminate()
        ended(server)


def layouts_of_one_process_are_skipped(runner):
    with serving(runner, "--once") as (_, port):
        done = verify(runner, port, "--layout", "tag", status=3)
        expect("tag: 1000 skipped: it has both sides in one process" in done.stdout, done.stdout)


def other_link_layers_are_told(runner):
    with serving(runner, "--once", link="ib") as (_, port):
        done = verify(runner, port, status=3)
        expect("the client's device has another link layer" in done.stderr, done.stderr)


def nobody_who_serves_is_told(runner):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    done = verify(runner, port, status=3)
    expect(f"verify: --peer 127.0.0.1:{port}: 127.0.0.1:{port}: Connection refused (tried for "
           "5000 ms)" in done.stderr, done.stderr)


def places_that_are_none_are_wrong_usage(runner):
    for command in ("verify", "bench", "soak"):
        for place in ("", "h:", "127.0.0.1:0", "::1", "[::1]:65536", "h:1:2"):
            done = runner.run(TOOL, *EAL, "--", command, "--peer", place, "--device", "no_such",
                              options=wire(), status=2)
            expect(f"--peer: {place}: not HOST[:PORT], with a port in [1, 65535]" in done.stderr,
                   done.stderr)
    for place in ("", "h:", "127.0.0.1:65536", "127.0.0.1"):
        done = runner.run(TOOL, *EAL, "--", "serve", "--listen", place, "--device", "no_such",
                          options=wire(), status=2)
        expect(f"--listen: {place}: not [ADDR:]PORT, with a port in [0, 65535]" in done.stderr,
               done.stderr)


def another_server_is_told(runner):
    with serving(runner) as (_, port):
        done = runner.run(TOOL, *EAL, "--", "serve", "--listen", str(port), options=wire(),
                          status=3)
        expect(f"--listen: listening at {port}: Address already in use" in done.stderr,
               done.stderr)


def another_version_is_told(runner):
    with socket.create_server(("127.0.0.1", 0)) as old:
        process = runner.start(TOOL, *EAL, "--", "verify", "--peer",
                               f"127.0.0.1:{old.getsockname()[1]}", options=wire())
        old.settimeout(WAIT_S)
        client, _ = old.accept()
        with client:
            client.settimeout(WAIT_S)
            client.sendall(b"umr-peer 0\n")
            expect(client.recv(100) == GREETING, "greeting")
            _, err = ended(process, 3)
    expect("speaks 'umr-peer 0', not 'umr-peer 2'" in err, err)


def limits_that_none_has_are_told(runner):
    good = {"device": "old", "capa": 1 << 62, "access": 31, "max_list_inline": 52,
            "max_interleaved_inline": 51, "max_nesting": 4,
            "areas": [{"addr": 4096, "keys": [[1, 1], [2, 2]]}] * 2}
    for limit, value in (("max_list_inline", 0), ("max_list_inline", 65536),
                         ("max_interleaved_inline", -1), ("max_nesting", "deep")):
        with socket.create_server(("127.0.0.1", 0)) as old:
            process = runner.start(TOOL, *EAL, "--", "verify", "--peer",
                                   f"127.0.0.1:{old.getsockname()[1]}", options=wire())
            old.settimeout(WAIT_S)
            client, _ = old.accept()
            with client, client.makefile("rb") as file:
                client.settimeout(WAIT_S)
                client.sendall(GREETING)
                expect(file.readline() == GREETING, "greeting")
                expect(json.loads(file.readline())["do"] == "open", "open")
                client.sendall(json.dumps(good | {limit: value}).encode() + b"\n")
                _, err = ended(process, 3)
        expect(f"{limit} of its device: not a number in [" in err, err)


def ask(client, *requests):
    """Answers to requests."""
    with client.makefile("rw", encoding="utf-8") as file:
        answers = []
        for request in requests:
            if not isinstance(request, str):
                request = json.dumps(request, ensure_ascii=False)
            file.write(request + "\n")
            file.flush()
            answers.append(json.loads(file.readline()))
        return answers


def nonsense_is_answered_and_others_are_served(runner):
    good = {"do": "open", "areas": [4096], "keys": 2, "entries": 4,
            "queues": 2}
    nonsense = (
        ("{", "no JSON"), ("[]", "is not a request"), ({"do": "dance"}, "'dance' is not"),
        # It is cut within a character.
        ({"do": "d" * 39 + "\u00e9"}, "is not a request"),
        ({"do": "sum", "area": 0}, "open comes first"),
        (dict(good, areas=[]), "areas: not in [1, 2]"),
        (dict(good, areas=[7]), "area 0: not a multiple of 8 in [8, 67108864]"),
        (dict(good, areas=[1 << 40]), "area 0: not a multiple of 8"),
        (dict(good, keys=33), "keys: not a number in [0, 32]"),
        (dict(good, queues=65), "queues: not a number in [0, 64]"))
    opened = (
        (good, "it is open"),
        ({"do": "sum", "area": 1}, "area: not a number in [0, 0]"),
        ({"do": "get", "area": 0, "offset": 4096, "len": 1}, "len: not a number in [0, 0]"),
        ({"do": "connect", "endpoint": "00"}, "endpoint: not 128 hexadecimal digits"),
        ({"do": "connect", "endpoint": "00" * 64}, "queue: not a number in [0, 64]"),
        ({"do": "leave", "queue": 2}, "queue 2: there are 2"),
        ({"do": "take", "nb": 3}, "there are no 3 keys"),
        ({"do": "take", "nb": 0}, "0 keys"),
        ({"do": "invalidate", "key": 0}, "key 0: 0 are taken"),
        ({"do": "list", "key": 0, "access": 0, "entries": []}, "0 entries, not in [1, 128]"),
        ({"do": "list", "key": 0, "access": 0, "entries": [[1, 2]]}, "entry 0: not 3 numbers"),
        ({"do": "list", "key": 0, "access": 0, "entries": [[1, -2, 3]]},
         "entry 0: number 1 is invalid"))
    with serving(runner) as (server, port):
        with come(port) as client:
            answers = ask(client, *(request for request, _ in nonsense), good,
                          *(request for request, _ in opened))
            expect("areas" in answers.pop(len(nonsense)), answers)
            for (request, why), answer in zip(nonsense + opened, answers):
                expect(why in answer["error"], f"{request}: {answer}")
        with socket.create_connection(("127.0.0.1", port), WAIT_S) as client:
            client.sendall(b"x" * 20000)
            time.sleep(0.1)
        done = verify(runner, port, "--cases", "4")
        expect("4 passed, 0 failed" in done.stdout, done.stdout)
        server.terminate()
        _, err = ended(server, 1)
        expect("a line of more than 16384 bytes" in err, err)


def come(port):
    """A client of the test that has greeted."""
    client = socket.create_connection(("127.0.0.1", port), WAIT_S)
    client.sendall(GREETING)
    expect(client.recv(len(GREETING), socket.MSG_WAITALL) == GREETING, "greeting")
    return client


def who_goes_in_the_middle_is_told(runner):
    for middle in (b'{"do":', b'{"do": "put", "area": 0, "offset": 0, "len": 64}\n{}\n'):
        with serving(runner, "--once") as (server, port):
            with come(port) as client:
                answers = ask(client, OPEN)
                expect("areas" in answers[0], answers)
                client.sendall(middle)
            _, err = ended(server, 1)
            expect("is gone" in err, err)


def silent_client_does_not_hold_the_server(runner):
    for request in (b"", GREETING, GREETING + b'{"do":'):
        with serving(runner) as (server, port):
            with socket.create_connection(("127.0.0.1", port), WAIT_S) as client:
                client.sendall(request)
                client.settimeout(WAIT_S)
                client.recv(1)
                server.terminate()
                # Not because it has waited for long enough.
                _, err = ended(server)
                expect(" ms" not in err, err)


def second_client_waits_for_the_first(runner):
    with serving(runner) as (server, port):
        with come(port) as client:
            process = runner.start(TOOL, *EAL, "--", "verify", "--peer", f"127.0.0.1:{port}",
                                   "--cases", "4", options=wire())
            time.sleep(3)
            expect(process.poll() is None, "it did not wait")
            answers = ask(client, OPEN)
            expect("areas" in answers[0], answers)
        out, _ = ended(process)
        expect("4 passed, 0 failed" in out, out)
        server.terminate()
        ended(server)


def client_that_is_killed_leaves_nothing(runner):
    with serving(runner) as (server, port):
        process = runner.start(TOOL, *EAL, "--", "verify", "--peer", f"127.0.0.1:{port}",
                               "--cases", "10000000", "--verbose", options=wire())
        for line in process.stderr:
            if "case 20 of list" in line:
                break
        kill_group(process)
        done = verify(runner, port, "--cases", "10")
        expect("10 passed, 0 failed" in done.stdout, done.stdout)
        server.terminate()
        server.communicate(timeout=WAIT_S)


def server_that_goes_ends_the_run(runner):
    with serving(runner) as (server, port):
        process = runner.start(TOOL, *EAL, "--", "verify", "--peer", f"127.0.0.1:{port}",
                               "--cases", "10000000", "--verbose", "--format", "json",
                               options=wire())
        for line in process.stderr:
            if "case 20 of list" in line:
                break
        kill_group(server)
        out, err = ended(process, 1)
        expect(json.loads(out)["failed"] == 1, out)
        expect(f"127.0.0.1:{port} is gone" in err, err[-2000:])


def soak(runner, port, *options, status=0):
    """Random work and random faults, and its JSON."""
    done = runner.run(TOOL, *EAL, "--", "soak", "--peer", f"127.0.0.1:{port}", *options,
                      "--format", "json", options=wire(), status=status)
    return done, json.loads(done.stdout)


def random_work_is_accounted_for(runner):
    with serving(runner) as (server, port):
        done, report = soak(runner, port, "--seconds", "10", "--seed", "3")
        expect(ZEROS in done.stderr.splitlines(), done.stderr[-4000:])
        expect(report["unavailable"] == ["revoked-window", "length", "rnr", "removed"], report)
        classes = [name for name, nb in report["faults"].items() if nb != 0]
        expect(len(classes) >= 8 and report["recoveries"] > 0, report)
        # Each is counted by what the wire says that it did.
        expect({"wire-loss", "wire-dup", "wire-reorder"} <= set(classes), report)
        for kind in ("list", "interleaved", "nested", "sign", "write", "write-inline", "read",
                     "fetch-add", "cmp-swap"):
            expect(report["kinds"][kind] > 0, report)
        done, report = soak(runner, port, "--seed", "3", "--queue", "2", "--step", "9")
        expect(ZEROS in done.stderr.splitlines() and report["steps"] == 1, done.stderr[-4000:])
        server.terminate()
        ended(server)


def soak_with_a_peer_has_no_transport(runner):
    for options in (("--transport", "rc"), ("--operations", "10")):
        done = runner.run(TOOL, *EAL, "--", "soak", "--peer", "127.0.0.1", *options, "--device",
                          "no_such", options=wire(), status=2)
        expect("--peer" in done.stderr, done.stderr)


def bytes_pass(source, target, lines=None):
    """From one socket to another; what behind lines is to be changed, the first byte is."""
    with contextlib.suppress(OSError), source.makefile("rb") as file:
        while lines is not None:
            line = file.readline()
            request = json.loads(line) if line.startswith(b"{") else {}
            tail = bytearray(file.read(request["len"]) if request.get("do") == "put" else b"")
            if lines(request):
                tail[0] ^= 1
            target.sendall(line + tail)
            if not line:
                break
        while data := source.recv(65536):
            target.sendall(data)


@contextlib.contextmanager
def wrong_byte(port, nb_puts):
    """Stands between a client and the server: one byte that it is given is another one."""
    puts = itertools.count()

    def is_wrong(request):
        return request.get("do") == "put" and next(puts) == nb_puts

    with socket.create_server(("127.0.0.1", 0)) as listener:
        def stand():
            with contextlib.suppress(OSError), listener.accept()[0] as client, \
                    socket.create_connection(("127.0.0.1", port), WAIT_S) as server:
                back = threading.Thread(target=bytes_pass, args=(server, client))
                back.start()
                bytes_pass(client, server, is_wrong)
                server.shutdown(socket.SHUT_RDWR)
                back.join()

        listener.settimeout(WAIT_S)
        thread = threading.Thread(target=stand)
        thread.start()
        yield listener.getsockname()[1]
        thread.join()


def wrong_byte_of_the_server_is_found(runner):
    """The server's memory holds another byte than it should, and one alone."""
    with serving(runner) as (server, port):
        with wrong_byte(port, 20) as between:
            done, report = soak(runner, between, "--seconds", "3", "--faults", "none", status=1)
        expect("1 bytes of the far memory are wrong, from 0x00000" in done.stderr, done.stderr)
        expect(report["corrupted"] == 1 and report["lost"] == 0 and report["unexplained"] == 0,
               report)
        expect(f"again: dpdk-test-umr ... -- soak --peer 127.0.0.1:{between} --faults none "
               "--seed 1" in
               done.stderr, done.stderr)
        server.terminate()
        ended(server)


def wrong_bytes_of_transfers_through_keys_are_told(runner):
    with serving(runner) as (server, port):
        for layout, why in (
                ("dif-both", "read of dif-both: a signature on the wire is wrong"),
                ("dif", "read: the client has other bytes"),
                ("crypto", "read: the client has other bytes")):
            with wrong_byte(port, 0) as between:
                done = bench(runner, between, "--layout", layout, "--operation", "read", "--size",
                             "512", "--batch", "1", "--rounds", "1", status=1)
            expect(why in done.stderr, done.stderr)
        server.terminate()
        ended(server)


def server_that_goes_ends_the_soak(runner):
    with serving(runner) as (server, port):
        process = runner.start(TOOL, *EAL, "--", "soak", "--peer", f"127.0.0.1:{port}",
                               "--seconds", "600", "--verbose", "--format", "json",
                               options=wire())
        for line in process.stderr:
            if "step 20," in line:
                break
        kill_group(server)
        out, err = ended(process, 1)
        report = json.loads(out)
        expect(report["unexplained"] == 1 and report["lost"] == report["corrupted"] == 0, report)
        expect(err.count(f"soak: 127.0.0.1:{port} is gone") == 1, err[-2000:])
        expect("again: " not in err, err[-4000:])


CASES = (layouts_are_verified_from_the_other_process, one_server_has_one_client_after_the_other,
         writes_are_measured, rows_of_choice_are_measured, transfers_through_keys_are_measured,
         layouts_of_one_process_are_skipped, other_link_layers_are_told,
         nobody_who_serves_is_told, places_that_are_none_are_wrong_usage, another_server_is_told,
         another_version_is_told, limits_that_none_has_are_told,
         nonsense_is_answered_and_others_are_served, who_goes_in_the_middle_is_told,
         silent_client_does_not_hold_the_server, second_client_waits_for_the_first,
         client_that_is_killed_leaves_nothing, server_that_goes_ends_the_run,
         random_work_is_accounted_for, soak_with_a_peer_has_no_transport,
         wrong_byte_of_the_server_is_found, wrong_bytes_of_transfers_through_keys_are_told,
         server_that_goes_ends_the_soak)


if __name__ == "__main__":
    TOOL = sys.argv[2]
    sys.exit(run_cases(Runner(sys.argv[1]), CASES))
