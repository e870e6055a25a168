# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""The software device and Linux's software RoCE (rdma_rxe), which runs in a virtual machine.

Usage: guest_test.py GUEST_SH SWHCA_RUN SWHCA_CTL VERBS_PEER
Its output is the Test Anything Protocol; exit status 1 if a case failed. All is skipped where there
is no such machine.
"""

import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../interop/programs"))

# pylint: disable=wrong-import-position
from guest_shell import GuestShell  # noqa: E402
from case_runner import Runner, expect, need, report_cases, verdict_of  # noqa: E402
from patience import WAIT_S, wait_until  # noqa: E402

OWN_IP, GUEST_IP, REACH_IP = "10.9.0.2", "10.9.0.1", "10.0.2.100"
GUEST_GID, OWN_GID = 1, 3
MTU = 4200  # Of Ethernet: for a path MTU of 4096.
LISTENING = "0A"


def free_ports(kind, number):
    """Ports of 127.0.0.1 that nobody has."""
    sockets = [socket.socket(socket.AF_INET, kind) for _ in range(number)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def is_listened_to(port):
    """Whether somebody on this machine listens at a TCP port."""
    for path in ("/proc/net/tcp", "/proc/net/tcp6"):
        if not os.path.exists(path):
            continue
        with open(path, encoding="ascii") as file:
            for line in list(file)[1:]:
                words = line.split()
                if words[3] == LISTENING and words[1].endswith(f":{port:04X}"):
                    return True
    return False


class Guest(GuestShell):
    """That with software RoCE."""

    def __init__(self, guest_sh):
        self.wire, self.guest_wire = free_ports(socket.SOCK_DGRAM, 2)
        server_port, self.reach_port = free_ports(socket.SOCK_STREAM, 2)
        self.console = tempfile.NamedTemporaryFile()  # pylint: disable=consider-using-with
        super().__init__(
            guest_sh,
            ["--rxe", f"{self.guest_wire}:{self.wire}:{MTU}", "--module", "rdma_ucm",
             "--forward", str(server_port), "--reach", str(self.reach_port),
             "--console", self.console.name], server_port)


def need_all(command):
    """A command whose program must be there."""
    need(command[0])
    return command


class Pair(Runner):
    """Programs here, below swhca-run, and in the guest."""

    def __init__(self, swhca_run, guest, verbs_peer):
        super().__init__(swhca_run)
        self.guest = guest
        self.verbs_peer = verbs_peer

    def options(self, *more):
        """Of swhca-run."""
        wire = f"eth:{self.guest.wire}:{self.guest.guest_wire}:{OWN_IP}:{MTU}"
        return ["--link-layer", "eth", "--wire", wire, *more]

    def client(self, server, client, options=()):
        """A server in the guest, and its client here. @return Both outputs."""
        self.guest.serve(shlex.join(server))
        process = self.start(*client, options=self.options(*options))
        try:
            out = self.done(process, client)
        except AssertionError as error:
            self.guest.start("kill $server; cat /tmp/server")
            raise type(error)(f"{error}\nin the guest:\n{self.guest.finish()[1]}") from error
        return self.guest.served(), out

    def done(self, process, command):
        """Output of a program here, which must succeed in time."""
        try:
            out, err = process.communicate(timeout=WAIT_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
        expect(process.returncode == 0,
               f"{command}: exit status {process.returncode}\n{out}{err}")
        return out

    def server(self, server, client, options=()):
        """A server here, and its client in the guest. @return Both outputs."""
        process = self.start(*server, options=self.options(*options))
        try:
            wait_until(lambda: is_listened_to(self.guest.reach_port) or
                       process.poll() is not None, f"{server} does not listen")
            expect(process.poll() is None, f"{server} does not listen")
            text = self.guest.run(f"timeout {WAIT_S:g} {shlex.join(client)}", 2 * WAIT_S)
        except AssertionError as error:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            raise type(error)(f"{error}\nhere: {server}\n{out}{err}") from error
        return text, self.done(process, server)

    def peers(self, *words, is_client, options=()):
        """The scenario of verbs_peer. @return Outputs in the guest and here."""
        guest = [self.verbs_peer, "-d", "rxe0", *words]
        here = [self.verbs_peer, *words]
        ports = str(self.guest.server_port), str(self.guest.reach_port)
        if is_client:
            texts = self.client(guest + [ports[0]], here + ["-c", "127.0.0.1", ports[0]], options)
        else:
            texts = self.server(here + [ports[1]], guest + ["-c", REACH_IP, ports[1]], options)
        for text in texts:
            expect(text.rstrip().endswith("passed"), text)
        return texts

    def cm_client(self, server, client):
        """The same by librdmacm: who listens there is known to the kernel."""
        self.guest.tell(f"timeout {WAIT_S:g} {shlex.join(need_all(server))} </dev/null "
                        ">/tmp/server 2>&1 & server=$!")
        self.guest.wait_for("rdma resource show cm_id | grep -q LISTEN", "cat /tmp/server")
        out = self.done(self.start(*client, options=self.options()), client)
        return self.guest.served(), out

    def cm_server(self, server, client):
        """And what listens here says so."""
        log = os.path.join(self.tmp, "server")
        with open(log, "w", encoding="utf-8") as out:
            process = subprocess.Popen(  # pylint: disable=consider-using-with
                [self.swhca_run, *self.options("-l", "debug"), *need_all(server)],
                stdin=subprocess.DEVNULL, stdout=out, stderr=out, env=self.env(),
                start_new_session=True)
        try:
            wait_until(lambda: ": listens, port" in self.read(log) or process.poll() is not None,
                       f"{server} does not listen")
            expect(process.poll() is None, f"{server} does not listen: {self.read(log)[-1000:]}")
            text = self.guest.run(f"timeout {WAIT_S:g} {shlex.join(client)}", 2 * WAIT_S)
            expect(process.wait(WAIT_S) == 0, f"{server}: {self.read(log)[-1000:]}")
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        return text, self.read(log)

    @staticmethod
    def read(path):
        """All of a file."""
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()

    def both(self, program, *words):
        """A program of the kind of perftest and of the examples of rdma-core, in both directions."""
        need(program)
        guest = [program, "-d", "rxe0", *words]
        here = [program, "-d", "mlx5_0", *words]
        gids = {"ibv": ("-g", "-g")}.get(program[:3], ("-x", "-x"))
        guest += [gids[0], str(GUEST_GID)]
        here += [gids[1], str(OWN_GID)]
        port = ["-p", str(self.guest.server_port)]
        first = self.client(guest + port, here + port + ["127.0.0.1"])
        port = ["-p", str(self.guest.reach_port)]
        return first + self.server(here + port, guest + port + [REACH_IP])


def the_guest_has_software_roce(pair):
    pair.guest.up()
    text = pair.guest.run("ibv_devinfo -d rxe0 -v; rdma link")
    expect("PORT_ACTIVE" in text and f"::ffff:{GUEST_IP}" in text, text)
    expect(re.search(rf"GID\[ *{GUEST_GID}\]:\s*::ffff:{GUEST_IP}, RoCE v2", text), text)


def rc_moves_right_bytes_server_in_guest(pair):
    pair.peers(is_client=True)


def rc_moves_right_bytes_server_here(pair):
    pair.peers(is_client=False)


def paths_may_be_small_and_large(pair):
    pair.peers("-m", "256", is_client=True)
    pair.peers("-m", "4096", is_client=True)


def uc_moves_right_bytes(pair):
    pair.peers("-t", "uc", is_client=True)


def ud_moves_right_bytes(pair):
    pair.peers("-t", "ud", is_client=True)


def rxe_refuses_a_wrong_key(pair):
    # Who listens writes.
    pair.peers("-x", is_client=False)


def rxe_is_refused_a_wrong_key(pair):
    pair.peers("-x", is_client=True)


def pingpong(pair, program, *words):
    """By events: who waits busily takes the processor from the other one."""
    for text in pair.both(program, "-e", "-n", "100", *words):
        expect("100 iters" in text and "invalid data" not in text, text)


def ibv_rc_pingpong(pair):
    pingpong(pair, "ibv_rc_pingpong", "-m", "1024", "-s", "3000", "-c")


def ibv_uc_pingpong(pair):
    pingpong(pair, "ibv_uc_pingpong", "-m", "1024", "-s", "3000")


def ibv_ud_pingpong(pair):
    pingpong(pair, "ibv_ud_pingpong", "-s", "1000")


def perftest(pair, program, *words):
    """Both sides report a bandwidth, or a latency."""
    for text in pair.both(program, "-m", "1024", "-n", "200", "-F", *words):
        expect(re.search(r"^ *4096 +200 +[0-9.]", text, re.MULTILINE) or "-s" not in words, text)


def ib_send_bw(pair):
    perftest(pair, "ib_send_bw", "-s", "4096", "-t", "16", "-r", "64")


def ib_write_bw(pair):
    perftest(pair, "ib_write_bw", "-s", "4096", "-t", "16")


def ib_read_bw(pair):
    perftest(pair, "ib_read_bw", "-s", "4096", "-t", "16", "-o", "8")


def librdmacm_connects(pair, program, ask, words, said):
    """A program of librdmacm in both directions, with the kernel's connection manager there."""
    server, client = [program, *ask[0], *words], [program, *ask[1]]
    text = pair.cm_client(server, client + [GUEST_IP, *words])[1]
    expect(said in text, text)
    text = pair.cm_server(server, client + [OWN_IP, *words])[0]
    expect(said in text, text)


def rping(pair):
    librdmacm_connects(pair, "rping", (["-s"], ["-c", "-a"]), ["-C", "3", "-v", "-S", "2000"],
                       "ping data: rdma-ping-2")


def ucmatose(pair):
    librdmacm_connects(pair, "ucmatose", ([], ["-s"]), ["-c", "3", "-C", "5"], "return status 0")


def udaddy(pair):
    librdmacm_connects(pair, "udaddy", ([], ["-s"]), ["-C", "5"], "return status 0")


def icrcs_are_checked_in_both_directions(pair):
    # Of rxe's packets none was wrong; what is corrupted here is dropped there, for no byte of any
    # message is wrong, and asked for again.
    count = "cat /sys/class/infiniband/rxe0/ports/1/hw_counters/out_of_seq_request"
    before = int(pair.guest.run(count))
    text = pair.peers(is_client=True, options=("--impair", "corrupt=0.05,seed=3"))[1]
    expect("\nrx_icrc_encapsulated 0\n" in text, text)
    expect(int(pair.guest.run(count)) > before, "rxe did not miss a packet")


CASES = [the_guest_has_software_roce, rc_moves_right_bytes_server_in_guest,
         rc_moves_right_bytes_server_here, paths_may_be_small_and_large, uc_moves_right_bytes,
         ud_moves_right_bytes, rxe_refuses_a_wrong_key, rxe_is_refused_a_wrong_key, ibv_rc_pingpong,
         ibv_uc_pingpong, ibv_ud_pingpong, ib_send_bw, ib_write_bw, ib_read_bw, rping, ucmatose,
         udaddy, icrcs_are_checked_in_both_directions]


def main():
    """Boot, run, power off."""
    guest_sh, swhca_run, verbs_peer, *names = sys.argv[1:]
    guest = Guest(guest_sh)
    pair = Pair(swhca_run, guest, verbs_peer)

    def run(case):
        with tempfile.TemporaryDirectory() as tmp:
            pair.tmp = tmp
            return verdict_of(case, pair)
    cases = [case for case in CASES if not names or case.__name__ in [CASES[0].__name__, *names]]
    try:
        return report_cases(cases, run, needs_first=True)
    finally:
        guest.close()


if __name__ == "__main__":
    sys.exit(main())
