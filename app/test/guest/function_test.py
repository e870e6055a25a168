# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""The software device as a PCI function, which Linux' own mlx5_core and mlx5_ib drive.

Usage: function_test.py GUEST_SH SWHCA_PCI DPDK_TEST_UMR DMABUF [one]
Its output is the Test Anything Protocol; exit status 1 if a case failed. All is skipped where there
is no such machine.
"""

import os
import re
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../interop/programs"))

# pylint: disable=wrong-import-position
from guest_shell import GuestShell  # noqa: E402
from case_runner import Gone, Skip, expect, need, report_cases, verdict_of  # noqa: E402
from patience import LONG_S, WAIT_S, wait_until  # noqa: E402

NB_VERIFY = 100
NB_RELOADS = 4
PINGPONG_PORT = 18515
# What mlx5_core warns of on this function: it lacks what the firmware tools use.
KNOWN = re.compile(r"mlx5_pci_vsc_init|PTM is not supported")
TROUBLE = re.compile(r"WARNING:|BUG:|Oops|Call Trace|\bmlx5_(core|ib)|infiniband mlx5_")

LOAD = f"""
busybox=/run/guest/busybox
modules=/run/guest/modules
load() {{
	$busybox insmod $modules/mlx5_core.ko prof_sel=1 && $busybox insmod $modules/mlx5_ib.ko
}}
unload() {{ $busybox rmmod mlx5_ib && $busybox rmmod mlx5_core; }}
active() {{
	for i in $(seq {int(WAIT_S * 5)}); do
		grep -q ACTIVE /sys/class/infiniband/mlx5_0/ports/1/state && return
		sleep 0.1
	done
	return 1
}}
"""


class Server:
    """swhca-pci with one function."""

    def __init__(self, swhca_pci, folder):
        self.path = os.path.join(folder, "function")
        self.process = subprocess.Popen(  # pylint: disable=consider-using-with
            [swhca_pci, "--socket", self.path], stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True)
        wait_until(lambda: os.path.exists(self.path) or self.process.poll() is not None,
                   "no socket")
        if self.process.poll() is not None:
            raise Gone(f"swhca-pci has ended: {self.process.stderr.read()}")

    def close(self):
        """Let it end. @return Exit status, and what it logged."""
        self.process.terminate()
        try:
            errors = self.process.communicate(timeout=WAIT_S)[1]
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
        self.swhca_pci = swhca_pci
        self.folder = folder
        self.server = None
        self.guest = None

    def boot(self):
        """A guest with the function, which is there from the first one on."""
        if self.server is None:
            self.server = Server(self.swhca_pci, self.folder)
        self.guest = GuestShell(self.guest_sh, ["--socket", self.server.path], PINGPONG_PORT)
        self.guest.up()
        self.guest.tell(LOAD)

    def close(self):
        """Let both end."""
        if self.guest is not None:
            self.guest.close()
        if self.server is not None:
            self.server.close()

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
    machine.boot()
    need("ibv_devinfo")
    text = machine.guest.run("active; ibv_devinfo")
    expect("mlx5_0" in text and "PORT_ACTIVE" in text, text)


def a_guest_that_is_killed_leaves_the_function_usable(machine):
    os.kill(machine.qemu(), signal.SIGKILL)
    machine.guest.close()
    machine.boot()
    machine.guest.run("active || { cat /sys/class/infiniband/mlx5_0/ports/1/state; exit 1; }")


def pingpong(machine, name):
    """One of libibverbs' examples, with events: two that poll would wait for each other's CPU."""
    text = machine.pair(f"ibv_{name}_pingpong -e -g 0 -n 200",
                        f"ibv_{name}_pingpong -e -g 0 -n 200 127.0.0.1")
    expect(re.search(r"200 iters in|success", text), text)


def messages_go_both_ways(machine):
    for name in ("rc", "uc", "ud", "srq", "xsrq"):
        pingpong(machine, name)


def messages_of_connections_arrive(machine):
    pingpong(machine, "rc")


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
        LONG_S)
    expect(f"{NB_VERIFY} passed, 0 failed" in text, text)


def keys_cost_what_is_measured(machine):
    text = machine.guest.run(
        f"{machine.test_umr} --no-huge --no-shconf -l 0 --no-pci --no-telemetry"
        f" --log-level=lib.eal:warning -- bench --layout list --entries 4 --batch 32 --rounds 1"
        f" --instructions off --format csv 2>&1", LONG_S)
    expect(re.search(r"^mlx5_0,.*,list,4,32,", text, re.M), text)


def pages_of_dma_bufs_are_the_device_s(machine):
    machine.guest.start(machine.dmabuf)
    status, text = machine.guest.finish()
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


CASES_ONE = [the_kernel_has_a_port_that_is_up, messages_of_connections_arrive, layouts_are_right,
             the_kernel_complains_of_nothing, the_server_ends_when_it_is_told]

CASES = [the_kernel_has_a_port_that_is_up, a_guest_that_is_killed_leaves_the_function_usable,
         messages_go_both_ways, writes_and_sends_are_measured, layouts_are_right,
         keys_cost_what_is_measured, pages_of_dma_bufs_are_the_device_s, drivers_come_and_go,
         the_kernel_complains_of_nothing, the_server_ends_when_it_is_told]


def main():
    """Two machines for all, as one is killed; with the word "one" a single one, for what is basic."""
    cases = CASES_ONE if sys.argv[5:] == ["one"] else CASES
    with tempfile.TemporaryDirectory() as folder:
        machine = Machine(*map(os.path.abspath, sys.argv[1:5]), folder)
        try:
            return report_cases(cases, lambda case: verdict_of(case, machine), needs_first=True)
        finally:
            machine.close()


if __name__ == "__main__":
    sys.exit(main())
