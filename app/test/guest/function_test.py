# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""The software device as a PCI function, which Linux' own mlx5_core and mlx5_ib drive.

Usage: function_test.py GUEST_SH SWHCA_PCI DPDK_TEST_UMR DMABUF
Its output is the Test Anything Protocol; exit status 1 if a case failed. All is skipped where there
is no such machine.
"""

import os
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../interop/programs"))

# pylint: disable=wrong-import-position
from guest_shell import CASE_S, GuestShell  # noqa: E402
from case_runner import Skip, expect, need, report_cases, verdict_of  # noqa: E402

ALL_S = 400
SERVER_S = 10
NB_VERIFY = 180
NB_RELOADS = 10
PINGPONG_PORT = 18515
# What mlx5_core warns of on this function: it lacks what the firmware tools use.
KNOWN = re.compile(r"mlx5_pci_vsc_init|PTM is not supported")
TROUBLE = re.compile(r"WARNING:|BUG:|Oops|Call Trace|\bmlx5_(core|ib)|infiniband mlx5_")

LOAD = """
busybox=/run/guest/busybox
modules=/run/guest/modules
load() {
	$busybox insmod $modules/mlx5_core.ko prof_sel=1 && $busybox insmod $modules/mlx5_ib.ko
}
unload() { $busybox rmmod mlx5_ib && $busybox rmmod mlx5_core; }
active() {
	for i in $(seq 100); do
		grep -q ACTIVE /sys/class/infiniband/mlx5_0/ports/1/state && return
		sleep 0.1
	done
	return 1
}
"""


class Server:
    """swhca-pci with one function."""

    def __init__(self, swhca_pci, folder):
        self.path = os.path.join(folder, "function")
        self.process = subprocess.Popen(  # pylint: disable=consider-using-with
            [swhca_pci, "--socket", self.path], stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + SERVER_S
        while not os.path.exists(self.path):
            expect(self.process.poll() is None, "swhca-pci has ended")
            expect(time.monotonic() < deadline, f"no socket after {SERVER_S} s")
            time.sleep(0.05)

    def close(self):
        """Let it end. @return Exit status, and what it logged."""
        self.process.terminate()
        try:
            errors = self.process.communicate(timeout=SERVER_S)[1]
        except subprocess.TimeoutExpired:
            self.process.kill()
            errors = self.process.communicate()[1]
        return self.process.returncode, errors


class Machine:
    """A server, and the guest that has its function."""

    def __init__(self, guest_sh, swhca_pci, test_umr, dmabuf, folder):
        self.guest_sh = guest_sh
        self.test_umr = test_umr
        self.dmabuf = dmabuf
        self.server = Server(swhca_pci, folder)
        self.guest = None

    def boot(self):
        """A guest with the function. @return What it cannot be had for, or None."""
        self.guest = GuestShell(self.guest_sh, ["--socket", self.server.path, "--timeout",
                                                str(ALL_S)], PINGPONG_PORT)
        reason = self.guest.up()
        if reason is None:
            self.guest.tell(LOAD)
        return reason

    def qemu(self):
        """Process number of the guest's QEMU."""
        for name in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{name}/cmdline", encoding="utf-8") as file:
                    words = file.read()
                if "vfio-user-pci" in words and self.server.path in words \
                        and os.getpgid(int(name)) == self.guest.shell.pid:
                    return int(name)
            except OSError:
                continue
        raise AssertionError("the guest has no QEMU")

    def pair(self, server, client):
        """A server in the guest, and its client there. @return Output of the client."""
        need(server.split()[0])
        self.guest.serve(server)
        text = self.guest.run(client)
        self.guest.served()
        return text


def the_kernel_has_a_port_that_is_up(machine):
    need("ibv_devinfo")
    text = machine.guest.run("active; ibv_devinfo")
    expect("mlx5_0" in text and "PORT_ACTIVE" in text, text)


def a_guest_that_is_killed_leaves_the_function_usable(machine):
    os.kill(machine.qemu(), signal.SIGKILL)
    machine.guest.close()
    reason = machine.boot()
    expect(reason is None, reason)
    text = machine.guest.run("active; cat /sys/class/infiniband/mlx5_0/ports/1/state")
    expect("ACTIVE" in text, text)


def pingpong(machine, name):
    """One of libibverbs' examples, with events: two that poll would wait for each other's CPU."""
    text = machine.pair(f"ibv_{name}_pingpong -e -g 0 -n 200",
                        f"ibv_{name}_pingpong -e -g 0 -n 200 127.0.0.1")
    expect(re.search(r"200 iters in|success", text), text)


def messages_go_both_ways(machine):
    for name in ("rc", "uc", "ud", "srq", "xsrq"):
        pingpong(machine, name)


def writes_and_sends_are_measured(machine):
    for words in ("ib_write_bw -s 65536 -n 100", "ib_send_lat -s 64 -n 20"):
        words += f" -d mlx5_0 -p {PINGPONG_PORT}"
        text = machine.pair(words, f"{words} 127.0.0.1")
        expect("#iterations" in text, text)


def layouts_are_right(machine):
    expect(os.access(machine.test_umr, os.X_OK), f"no {machine.test_umr}")
    text = machine.guest.run(
        f"{machine.test_umr} --no-huge --no-shconf -l 0 --no-pci --no-telemetry"
        f" --log-level=lib.eal:warning -- verify --layout all --cases {NB_VERIFY} --seed 7 2>&1",
        4 * CASE_S)
    expect(f"{NB_VERIFY} passed, 0 failed" in text, text)


def keys_cost_what_is_measured(machine):
    text = machine.guest.run(
        f"{machine.test_umr} --no-huge --no-shconf -l 0 --no-pci --no-telemetry"
        f" --log-level=lib.eal:warning -- bench --layout list --entries 4 --batch 32 --rounds 3"
        f" --instructions off --format csv 2>&1", 3 * CASE_S)
    expect(re.search(r"^mlx5_0,.*,list,4,32,", text, re.M), text)


def pages_of_dma_bufs_are_the_device_s(machine):
    machine.guest.start(machine.dmabuf)
    status, text = machine.guest.finish(CASE_S)
    if status == 77:
        raise Skip(text.strip())
    expect(status == 0 and "bytes both ways" in text, text)


def drivers_come_and_go(machine):
    machine.guest.run("! $busybox lsmod | grep -q '^mlx5_ib' || unload; load; active")
    for _ in range(NB_RELOADS - 1):
        machine.guest.run("unload && load && active")


def the_kernel_complains_of_nothing(machine):
    text = machine.guest.run("dmesg -r | grep -E '^<[0-4]>' || true")
    lines = [line for line in text.splitlines() if TROUBLE.search(line) and not KNOWN.search(line)]
    expect(not lines, "\n".join(lines))


def the_server_ends_when_it_is_told(machine):
    machine.guest.close()
    status, errors = machine.server.close()
    expect(status == 0, f"exit status {status}\n{errors}")
    expect(not os.path.exists(machine.server.path), "the socket is still there")


CASES = [
    the_kernel_has_a_port_that_is_up,
    a_guest_that_is_killed_leaves_the_function_usable,
    messages_go_both_ways,
    writes_and_sends_are_measured,
    layouts_are_right,
    keys_cost_what_is_measured,
    pages_of_dma_bufs_are_the_device_s,
    drivers_come_and_go,
    the_kernel_complains_of_nothing,
    the_server_ends_when_it_is_told,
]


def main():
    """Two machines for all: one is killed."""
    with tempfile.TemporaryDirectory() as folder:
        machine = Machine(*map(os.path.abspath, sys.argv[1:5]), folder)
        try:
            reason = machine.boot()

            def run(case):
                start = time.monotonic()
                if reason is not None:
                    def skip(_machine):
                        raise Skip(reason)
                    return verdict_of(skip, machine)
                verdict = verdict_of(case, machine)
                print(f"{case.__name__}: {time.monotonic() - start:.1f} s", file=sys.stderr)
                return verdict
            return report_cases(CASES, run)
        finally:
            machine.guest.close()
            machine.server.close()


if __name__ == "__main__":
    sys.exit(main())
