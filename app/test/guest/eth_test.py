# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""Ethernet ports of the software device: net devices that Linux' own mlx5e makes of them.

Usage: eth_test.py GUEST_SH SWHCA_PCI
One guest has two functions, each in a network namespace. Its output is the Test Anything Protocol;
exit status 1 if a case failed. All is skipped where there is no such machine.
"""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../interop/programs"))

# pylint: disable=wrong-import-position
from guest_shell import GuestShell  # noqa: E402
from case_runner import expect, report_cases, verdict_of  # noqa: E402
from patience import LONG_S, WAIT_S  # noqa: E402

NB_RELOADS = 3
STREAM_BYTES = 2 << 20
# What mlx5_core warns of on this function: it lacks what the firmware tools use.
KNOWN = re.compile(r"mlx5_pci_vsc_init|PTM is not supported")
TROUBLE = re.compile(r"WARNING:|BUG:|Oops|Call Trace|\bmlx5_(core|ib)|hw csum failure|"
                     r"NETDEV WATCHDOG")

PROLOGUE = """
busybox=/run/guest/busybox
modules=/run/guest/modules
load() {
	$busybox insmod $modules/mlx5_core.ko prof_sel=1 && $busybox insmod $modules/mlx5_ib.ko
}
unload() { $busybox rmmod mlx5_ib && $busybox rmmod mlx5_core; }
mkdir -p /run/netns && mount -t tmpfs tmpfs /run/netns
# A function in a namespace: NAME INTERFACE ADDRESS
place() {
	ip link set $2 netns $1 && ip -n $1 addr add $3/24 dev $2 && ip -n $1 link set lo up &&
		ip -n $1 link set $2 up
}
"""

# Bytes that say where they are, and their number.
SENDER = f"""
import socket
with socket.create_connection(("10.9.0.2", 5000), timeout={WAIT_S:g}) as peer:
    peer.sendall(bytes(i * 7 % 251 for i in range({STREAM_BYTES})))
    peer.shutdown(socket.SHUT_WR)
    print(peer.recv(100).decode())
"""
RECEIVER = f"""
import socket
with socket.create_server(("10.9.0.2", 5000)) as server:
    print("listens", flush=True)
    peer, _ = server.accept()
    data = b""
    while len(data) < {STREAM_BYTES}:
        part = peer.recv(65536)
        if not part:
            break
        data += part
    right = data == bytes(i * 7 % 251 for i in range({STREAM_BYTES}))
    peer.sendall(b"right" if right else b"wrong, %d bytes" % len(data))
"""


def both_ports_are_net_devices(guest):
    guest.up()
    guest.tell(PROLOGUE)
    guest.run("ip netns add a && ip netns add b && "
              "place a eth0 10.9.0.1 && place b eth1 10.9.0.2")
    guest.wait_for("ip -n a link show eth0 | grep -q LOWER_UP", "ip -n a link")


def pings_are_answered(guest):
    for words in ("10.9.0.2", "-s 1400 10.9.0.2", "-s 9000 10.9.0.2"):
        guest.run(f"ip netns exec a $busybox ping -c 3 -W {WAIT_S / 10:.0f} {words}")
    text = guest.run("ip -n b -6 -br addr show dev eth1")
    address = re.search(r"fe80::[0-9a-f:]*", text)
    expect(address, text)
    guest.run(f"ip netns exec a $busybox ping -6 -c 3 -W {WAIT_S / 10:.0f} {address[0]}%eth0")


def streams_arrive_as_they_were_sent(guest):
    guest.run(f"cat >/tmp/send.py <<'END'\n{SENDER}\nEND\n")
    guest.run(f"cat >/tmp/receive.py <<'END'\n{RECEIVER}\nEND\n")
    guest.tell("ip netns exec b python3 /tmp/receive.py >/tmp/receiver 2>&1 &")
    guest.wait_for("grep -q listens /tmp/receiver", "cat /tmp/receiver")
    text = guest.run("ip netns exec a python3 /tmp/send.py", LONG_S)
    expect(text.strip() == "right", text)


def addresses_of_roce_appear_by_themselves(guest):
    text = guest.run("cat /sys/class/infiniband/mlx5_0/ports/1/gids/* | sort -u")
    expect("0000:0000:0000:0000:0000:ffff:0a09:0001" in text, text)
    expect("fe80:0000:0000:0000:" in text, text)
    text = guest.run("cat /sys/class/infiniband/mlx5_0/ports/1/state")
    expect("ACTIVE" in text, text)


def the_link_goes_down_and_up(guest):
    guest.run("ip -n b link set eth1 down && ! ip netns exec a $busybox ping -c 1 -W 1 10.9.0.2")
    guest.run("ip -n b link set eth1 up")
    guest.wait_for("ip netns exec a $busybox ping -c 1 -W 1 10.9.0.2", "ip -n b link")


def drivers_come_and_go(guest):
    for _ in range(NB_RELOADS):
        guest.run("unload && load && ls /sys/class/net/eth0 /sys/class/net/eth1")


def the_kernel_complains_of_nothing(guest):
    text = guest.run("dmesg -r | grep -E '^<[0-4]>' || true")
    lines = [line for line in text.splitlines() if TROUBLE.search(line) and not KNOWN.search(line)]
    expect(not lines, "\n".join(lines))


CASES = [both_ports_are_net_devices, pings_are_answered, streams_arrive_as_they_were_sent,
         addresses_of_roce_appear_by_themselves, the_link_goes_down_and_up, drivers_come_and_go,
         the_kernel_complains_of_nothing]


def main():
    """One machine for all."""
    guest_sh, swhca_pci = map(os.path.abspath, sys.argv[1:3])
    build_dir = os.path.dirname(os.path.dirname(os.path.dirname(swhca_pci)))
    guest = GuestShell(guest_sh, ["--functions", "2", "--link-layer", "eth", "--build-dir",
                                  build_dir], 5000)
    try:
        return report_cases(CASES, lambda case: verdict_of(case, guest), needs_first=True)
    finally:
        guest.close()


if __name__ == "__main__":
    sys.exit(main())
