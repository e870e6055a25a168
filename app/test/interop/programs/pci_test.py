# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""swhca-pci as a program: its limits, and its end, whatever its clients do.

Usage: pci_test.py SWHCA_PCI
Its output is the Test Anything Protocol; exit status 1 if a case failed.
"""

import contextlib
import errno
import os
import socket
import struct
import subprocess
import sys

from case_runner import Runner, expect, run_cases
from patience import WAIT_S, wait_until

VERSION, DMA_MAP, SET_IRQS = 1, 2, 8
ERROR = 1 << 5
EVENTFD, NONE, TRIGGER = 1 << 2, 1, 1 << 5
MSIX = 2
MIB, TIB = 1 << 20, 1 << 40


class Client:
    """A VMM, connected and with its version said."""

    def __init__(self, path):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(WAIT_S)
        self.sock.connect(path)
        expect(self.call(VERSION, struct.pack("=HH", 0, 1) + b"{}\0") == 0, "VERSION")

    def call(self, command, data, fds=()):
        """Send a message. @return errno of the reply."""
        header = struct.pack("=HHIII", 1, command, 16 + len(data), 0, 0)
        socket.send_fds(self.sock, [header + data], fds)
        reply = self.sock.recv(16, socket.MSG_WAITALL)
        expect(len(reply) == 16, "hung up")
        _, _, size, flags, error = struct.unpack("=HHIII", reply)
        if size > 16:
            self.sock.recv(size - 16, socket.MSG_WAITALL)
        return error if flags & ERROR else 0

    def map(self, addr, size):
        """Have memory of a size mapped. @return errno."""
        fd = os.memfd_create("guest")
        try:
            os.ftruncate(fd, size)
            return self.call(DMA_MAP, struct.pack("=IIQQQ", 32, 3, 0, addr, size), [fd])
        finally:
            os.close(fd)

    def set_irqs(self, flags, vector, fds=()):
        """Give a vector its eventfd, or have it interrupt. @return errno."""
        return self.call(SET_IRQS, struct.pack("=IIIII", 20, flags | TRIGGER, MSIX, vector, 1), fds)


@contextlib.contextmanager
def serving(runner, *options, functions=1, status=0):
    """The server, with the paths of its sockets; it ends by SIGTERM, in time."""
    paths = [os.path.join(runner.tmp, f"function{i}") for i in range(functions)]
    sockets = [word for path in paths for word in ("--socket", path)]
    with subprocess.Popen([runner.swhca_run, *sockets, *options], stdin=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True) as process:
        try:
            wait_until(lambda: all(map(os.path.exists, paths)) or process.poll() is not None,
                       "no socket")
            yield process, paths
            process.terminate()
            log = process.communicate(timeout=WAIT_S)[1]
            expect(process.returncode == status, f"status {process.returncode}: {log}")
            expect(not any(map(os.path.exists, paths)), "sockets are left")
        finally:
            process.kill()


def full_eventfd(client, vector):
    """An interrupt that waits for its client, who has made it so."""
    fd = os.eventfd(0)
    os.eventfd_write(fd, 2**64 - 2)
    expect(client.set_irqs(EVENTFD, vector, [fd]) == 0, "SET_IRQS")
    os.set_blocking(fd, True)
    expect(client.set_irqs(NONE, vector) == 0, "an interrupt")
    return fd


def full_eventfds_delay_nothing(runner):
    with serving(runner, functions=2) as (_, paths):
        bad, good = map(Client, paths)
        for vector in range(3):
            full_eventfd(bad, vector)
        expect(good.map(0, MIB) == 0, "the other function")
        expect(bad.map(0, MIB) == 0, "the same")
        bad.sock.close()
        full_eventfd(Client(paths[0]), 0)


def silent_clients_delay_nothing(runner):
    with serving(runner, functions=2) as (_, paths):
        bad, good = map(Client, paths)
        bad.sock.send(b"half")
        expect(good.map(0, MIB) == 0, "the other function")


def memory_of_guests_has_a_limit(runner):
    # Less than the default one is mapped: ThreadSanitizer leaves a program not much more than 1 TiB.
    with serving(runner) as (_, paths):
        client = Client(paths[0])
        expect(client.map(0, 127 * TIB) == errno.ENOSPC, "127 TiB")
        expect(client.map(0, TIB + MIB) == errno.ENOSPC, "more than the default")
        expect(client.map(0, 64 * MIB) == 0, "64 MiB")
        expect(client.map(TIB, TIB - 63 * MIB) == errno.ENOSPC, "more than the default, in two pieces")


def functions_have_equal_parts(runner):
    with serving(runner, "--max-guest-memory", "6M", functions=2) as (_, paths):
        for client in map(Client, paths):
            expect(client.map(0, 2 * MIB) == 0, "2 of 3 MiB")
            expect(client.map(4 * MIB, 2 * MIB) == errno.ENOSPC, "4 of 3 MiB")
            expect(client.map(4 * MIB, MIB) == 0, "3 of 3 MiB")


def help_tells_of_limits(runner):
    text = subprocess.run([runner.swhca_run, "--help"], check=True, timeout=WAIT_S, text=True,
                          stdout=subprocess.PIPE).stdout
    for words in "--max-guest-memory SIZE", "--max-key-memory SIZE", "--max-flows N", "default: 1T":
        expect(words in text, text)


CASES = (full_eventfds_delay_nothing, silent_clients_delay_nothing, memory_of_guests_has_a_limit,
         functions_have_equal_parts, help_tells_of_limits)

if __name__ == "__main__":
    sys.exit(run_cases(Runner(os.path.abspath(sys.argv[1])), CASES))
