# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""Programs of librdmacm, unmodified, in two processes that find each other by addresses.

Usage: rdmacm_test.py SWHCA_RUN SWHCA_CTL PEER
Its output is the Test Anything Protocol; exit status 1 if a case failed.
"""

import contextlib
import glob
import os
import signal
import socket
import subprocess
import sys
import time

from case_runner import Runner, Skip, expect, kill_group, need, run_cases
from patience import FACTOR, WAIT_S, wait_until

RDMA_PORT = 4791
# A peer's death is noticed in a second or two; without an answer to a DREQ it takes 69 s.
SOON_S = 20 * FACTOR


def addresses():
    """Two addresses of the loopback net that nobody has, and that LIDs are made of."""
    base = os.getpid()
    for i in range(100):
        net = f"127.{64 + (base + i) % 128}.{base // 128 % 128}"
        try:
            for host in (1, 2):
                with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
                    probe.bind((f"{net}.{host}", RDMA_PORT))
        except OSError:
            continue
        return f"{net}.1", f"{net}.2"
    raise Skip("no addresses of 127.0.0.0/8 are free")


class Hosts(Runner):
    """Two ends, each with an address of its own."""

    def __init__(self, swhca_run, swhca_ctl, peer):
        super().__init__(swhca_run)
        self.swhca_ctl = swhca_ctl
        self.peer = peer

    @contextlib.contextmanager
    def listening(self, *command, options=(), link="eth", at=None):
        """A server, as soon as it listens, and the options of its client and the address to call."""
        address, other = (at, None) if at else addresses()
        log = os.path.join(self.tmp, "server")
        common = ["--link-layer", link, "-d", "1", *options]
        with open(log, "w", encoding="utf-8") as out:
            server = self.start_to(out, need(command[0]), *command[1:],
                                   options=["--wire", "udp:" + address, "-l", "debug", *common])
        try:
            wait_until(lambda: ": listens, port" in self.text(log) or server.poll() is not None,
                       f"{command}: does not listen")
            expect(server.poll() is None, f"{command}: has ended: {self.text(log)[-2000:]}")
            yield server, ["--wire", f"udp:{other}", *common], address
        finally:
            if server.poll() is None:
                kill_group(server)

    def env(self, **variables):
        """What programs of others leave behind at their end is theirs."""
        options = os.environ.get("ASAN_OPTIONS", "")
        return super().env(ASAN_OPTIONS=":".join(filter(None, [options, "detect_leaks=0"])),
                           **variables)

    def start_to(self, out, *command, options):
        """Runner.start() with output to a file."""
        return subprocess.Popen([self.swhca_run, *options, *command], stdin=subprocess.DEVNULL,
                                stdout=out, stderr=out, env=self.env(), start_new_session=True)

    @staticmethod
    def text(path):
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()

    def pair(self, server_command, client_command, **kwargs):
        """Run both to their end; ADDR in the client's words is the server's address."""
        with self.listening(*server_command, **kwargs) as (server, options, address):
            words = [address if word == "ADDR" else word for word in client_command]
            done = self.run(*words, options=options, timeout=WAIT_S)
            expect(server.wait(WAIT_S) == 0,
                   self.text(os.path.join(self.tmp, "server"))[-2000:])
        return done.stdout + done.stderr


def rping_moves_data_both_ways(hosts, link="eth"):
    words = ["-C", "5", "-V", "-v", "-S", "4000"]
    said = hosts.pair(["rping", "-s", *words], ["rping", "-c", "-a", "ADDR", *words], link=link)
    expect(said.count("ping data: rdma-ping-") == 5, said)


def rping_moves_data_on_infiniband(hosts):
    rping_moves_data_both_ways(hosts, "ib")


def ucmatose_connects_many(hosts):
    words = ["-c", "10", "-C", "10", "-S", "5000"]
    said = hosts.pair(["ucmatose", *words], ["ucmatose", "-s", "ADDR", *words])
    expect("return status 0" in said, said)


def ucmatose_migrates_and_sets_a_service_type(hosts):
    words = ["-m", "-t", "8"]
    hosts.pair(["ucmatose", *words], ["ucmatose", "-s", "ADDR", *words])


def udaddy_sends_datagrams(hosts, link="eth"):
    words = ["-c", "3", "-C", "10", "-S", "1000"]
    said = hosts.pair(["udaddy", *words], ["udaddy", "-s", "ADDR", *words], link=link)
    expect("return status 0" in said, said)


def udaddy_sends_datagrams_on_infiniband(hosts):
    udaddy_sends_datagrams(hosts, "ib")


def mckey_reaches_all_of_a_group(hosts, link="eth", group="239.1.2.3"):
    """A member in one process receives what one in another sends."""
    here, there = addresses()
    words = ["stdbuf", "-oL", need("mckey"), "-C", "5"]
    log = os.path.join(hosts.tmp, "receiver")
    options = [["--link-layer", link, "-d", "1", "--wire", "udp:" + addr]
               for addr in (here, there)]
    with open(log, "w", encoding="utf-8") as out:
        receiver = hosts.start_to(out, *words, "-m", group, options=options[0])
    try:
        wait_until(lambda: "joined dgid" in hosts.text(log) or receiver.poll() is not None,
                   "mckey: does not join")
        sent = hosts.run(*words, "-m", group, "-s", options=options[1], timeout=WAIT_S).stdout
        expect(receiver.wait(WAIT_S) == 0, hosts.text(log))
    finally:
        if receiver.poll() is None:
            kill_group(receiver)
    for said in (hosts.text(log), sent):
        expect("data transfers complete" in said and "return status 0" in said, said)


def mckey_reaches_a_group_on_infiniband(hosts):
    mckey_reaches_all_of_a_group(hosts, "ib")


def mckey_reaches_a_group_of_ipv6_on_a_wire_of_ipv4(hosts):
    mckey_reaches_all_of_a_group(hosts, group="ff0e::1234")


def synchronous_programs_connect(hosts):
    said = hosts.pair(["rdma_server"], ["rdma_client", "-s", "ADDR"])
    expect("rdma_client: end 0" in said, said)


def queues_of_xrc_connect(hosts):
    said = hosts.pair(["rdma_xserver", "-c", "x"], ["rdma_xclient", "-s", "ADDR", "-c", "x"])
    expect("rdma_xclient: end 0" in said, said)


def sockets_of_rdma_stream(hosts):
    words = ["-S", "10000", "-C", "20", "-I", "10"]
    hosts.pair(["rstream", *words], ["rstream", "-s", "ADDR", *words])


def sockets_of_any_program(hosts, link="eth", order="$LD_PRELOAD:$0"):
    """librspreload puts them below a program of sockets. The log of the server shows that it does."""
    libs = glob.glob("/usr/lib/*/rsocket/librspreload.so")
    if not libs:
        raise Skip("no librspreload.so")
    words = ["sh", "-c", f"LD_PRELOAD={order} exec \"$@\"", libs[0], need("rstream"), "-T", "s",
             "-S", "10000", "-C", "20", "-I", "10"]
    hosts.pair(words, [*words, "-s", "ADDR"], link=link)


def sockets_of_any_program_on_infiniband(hosts):
    sockets_of_any_program(hosts, "ib")


def sockets_may_come_before_the_devices(hosts):
    """In the order of libraries; what the devices themselves call is then seen by librspreload."""
    libs = subprocess.run(["ldd", os.environ["SWHCA_LIB"]], stdout=subprocess.PIPE, text=True,
                          check=True).stdout
    if "asan" in libs or "tsan" in libs:
        raise Skip("the run-time of the sanitizer must come first")
    sockets_of_any_program(hosts, order="$0:$LD_PRELOAD")


def perftest_connects_by_it(hosts):
    words = ["-R", "-n", "50", "-s", "10000"]
    for program in ("ib_write_bw", "ib_read_bw", "ib_send_lat"):
        hosts.pair([program, *words], [program, *words, "ADDR"])


def many_connections_are_timed(hosts):
    with hosts.listening("cmtime") as (_, options, address):
        said = hosts.run("cmtime", "-s", address, "-c", "100", options=options).stdout
    expect("us / conn" in said or "connect" in said, said)


def nobody_listens_is_told_soon(hosts):
    """A rejection that was lost comes 4 s later, each time; on a busy machine any may be late."""
    with hosts.listening("rping", "-s") as (_, options, address):
        for _ in range(10):
            start = time.monotonic()
            done = hosts.run("rping", "-c", "-a", address, "-p", "7999", options=options,
                             status=None)
            expect(done.returncode != 0 and "REJECTED" in done.stdout + done.stderr, done)
            if time.monotonic() - start < 4:
                return
    raise AssertionError("the rejection was lost, or late")


def a_device_that_is_pulled_is_told(hosts):
    with hosts.listening("rping", "-s", "-v") as (_, options, address):
        client = hosts.start("stdbuf", "-oL", "rping", "-c", "-a", address, "-v", options=options)
        try:
            for _ in range(3):
                expect("ping data" in client.stdout.readline(), "no data")
            # It ends when it is told, which may be before swhca-ctl has its answer.
            subprocess.run([hosts.swhca_ctl, "remove", str(client.pid), "0"], check=False,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            said = client.communicate(timeout=WAIT_S)
        finally:
            if client.poll() is None:
                kill_group(client)
    expect("detected device removal" in said[1], said[1][-500:])


def child_of(process):
    """The process that swhca-run runs."""
    with open(f"/proc/{process.pid}/task/{process.pid}/children", encoding="ascii") as file:
        return int(file.read().split()[-1])


def a_dead_peer_is_noticed(hosts, link="eth", end=""):
    """A client of a server that is killed sees the end of the connection, its own one or not."""
    with hosts.listening(hosts.peer, link=link) as (server, options, address):
        client = hosts.start(hosts.peer, address, "end" if end else "wait", options=options,
                             stdin=subprocess.PIPE)
        try:
            expect(client.stdout.readline() == "connected\n", "not connected")
            kill_group(server)
            said = client.communicate(end, timeout=SOON_S)
        finally:
            if client.poll() is None:
                kill_group(client)
    expect(said[0] == "disconnected\n" and client.returncode == 0, said)


def who_outlives_a_peer_says_goodbye_for_it(hosts):
    """The address has a new owner before the client can look: the connection is over all the same."""
    with hosts.listening(hosts.peer) as (server, options, address):
        client = hosts.start(hosts.peer, address, "wait", options=options)
        try:
            expect(client.stdout.readline() == "connected\n", "not connected")
            # What is to be said is written down ten times a second.
            time.sleep(1 * FACTOR)
            os.kill(child_of(client), signal.SIGSTOP)
            os.kill(child_of(server), signal.SIGKILL)
            server.wait(WAIT_S)
            with hosts.listening(hosts.peer, at=address):
                os.kill(child_of(client), signal.SIGCONT)
                said = client.communicate(timeout=SOON_S)
        finally:
            if client.poll() is None:
                kill_group(client)
    expect(said[0] == "disconnected\n" and client.returncode == 0, said)


def a_dead_peer_is_noticed_on_infiniband(hosts):
    a_dead_peer_is_noticed(hosts, link="ib")


def who_ends_a_connection_to_a_dead_peer_does_not_wait(hosts):
    a_dead_peer_is_noticed(hosts, end="\n")


def a_peer_that_is_stopped_is_not_dead(hosts):
    """Its adapter would answer; who connects has no reason to end it."""
    with hosts.listening(hosts.peer) as (server, options, address):
        client = hosts.start(hosts.peer, address, "wait", options=options)
        try:
            expect(client.stdout.readline() == "connected\n", "not connected")
            os.killpg(server.pid, signal.SIGSTOP)
            # Twice as long as it takes to notice who is dead.
            time.sleep(4)
            expect(client.poll() is None, "the client has ended")
        finally:
            kill_group(client)


def lost_messages_are_sent_again(hosts):
    faults = ["--impair", "loss=0.03,dup=0.03,reorder=0.03,seed=3"]
    said = hosts.pair(["rping", "-s", "-C", "20"], ["rping", "-c", "-a", "ADDR", "-C", "20", "-v"],
                      options=faults)
    expect(said.count("ping data: rdma-ping-") == 20, said)


CASES = [rping_moves_data_both_ways, rping_moves_data_on_infiniband, ucmatose_connects_many,
         ucmatose_migrates_and_sets_a_service_type, udaddy_sends_datagrams,
         udaddy_sends_datagrams_on_infiniband, mckey_reaches_all_of_a_group,
         mckey_reaches_a_group_on_infiniband, mckey_reaches_a_group_of_ipv6_on_a_wire_of_ipv4,
         synchronous_programs_connect, queues_of_xrc_connect, sockets_of_rdma_stream,
         sockets_of_any_program, sockets_of_any_program_on_infiniband,
         sockets_may_come_before_the_devices, perftest_connects_by_it, many_connections_are_timed,
         nobody_listens_is_told_soon, a_device_that_is_pulled_is_told, a_dead_peer_is_noticed,
         who_outlives_a_peer_says_goodbye_for_it, a_dead_peer_is_noticed_on_infiniband,
         who_ends_a_connection_to_a_dead_peer_does_not_wait, a_peer_that_is_stopped_is_not_dead,
         lost_messages_are_sent_again]

if __name__ == "__main__":
    sys.exit(run_cases(Hosts(*sys.argv[1:]), CASES))
