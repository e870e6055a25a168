# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""An InfiniBand subnet as Linux sees it: two adapters of one guest, and the manager built in.

Usage: subnet_test.py GUEST_SH BUILD_DIR
One guest runs programs of infiniband-diags and librdmacm, and IPoIB between two network namespaces.
Its output is the Test Anything Protocol; exit status 1 if a case failed.
"""

import functools
import os
import re
import shlex
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../interop/programs"))

# pylint: disable=wrong-import-position
from guest_shell import part_of, parts_of  # noqa: E402
from case_runner import Skip, expect, report_cases, verdict_of  # noqa: E402
from patience import WAIT_S  # noqa: E402

SM_LID = 0xbfff
NB_BYTES = 2000000
NB_PINGS = 5
# What mlx5_core says of any function of swhca.
KNOWN = re.compile(r"mlx5_pci_vsc_init|PTM is not supported|firmware version|PCIe bandwidth|"
                   r"Rate limit")
TROUBLE = re.compile(r"WARNING:|BUG:|Oops|Call Trace|\bmlx5_|ib_core|ib[01]: .*fail")

STREAM = f"""
import hashlib, socket, sys, time
data = bytes(i * 7 % 251 for i in range({NB_BYTES}))
if sys.argv[1] == "serve":
    peer = socket.create_server(("10.1.0.2", 5555)).accept()[0]
    got = b""
    while len(got) < len(data):
        got += peer.recv(65536)
    peer.sendall(hashlib.sha256(got).digest())
    sys.exit()
end = time.monotonic() + {WAIT_S / 2}
while True:
    try:
        peer = socket.create_connection(("10.1.0.2", 5555), {WAIT_S / 2})
        break
    except OSError:
        if time.monotonic() > end:
            raise
        time.sleep(0.2)
peer.sendall(data)
print("same" if peer.recv(32) == hashlib.sha256(data).digest() else "others")
"""

# Each part ends with a line of its name and exit status, in front of which is what it printed.
SCRIPT = r"""
part()
{
	name=$1
	shift
	timeout @wait@ "$@" 2>&1
	echo "part $name: $?"
}
links()
{
	ip netns add peer && ip link set ib1 netns peer &&
	ip -n peer addr add 10.1.0.2/24 dev ib1 && ip -n peer link set ib1 up &&
	ip addr add 10.1.0.1/24 dev ib0 && ip link set ib0 up || return
	for i in $(seq @wait@); do
		ip link show ib0 | grep -q LOWER_UP && ip -n peer link show ib1 | grep -q LOWER_UP &&
			return
		sleep 1
	done
	return 1
}
part ports ibstat
part manager sminfo
part node smpquery nodeinfo 1
part port smpquery portinfo 2 1
part own smpquery -D nodeinfo 0
part counters perfquery -x 2 1
part nodes saquery
part path saquery --src-to-dst 1:2
ibping -S -C mlx5_0 >/dev/null 2>&1 &
part ping sh -c 'until ibping -c 1 -C mlx5_1 1 2>&1 | grep -q " 1 received"; do sleep 1; done
	exec ibping -c @pings@ -C mlx5_1 1'
kill $!
links
echo "part links: $?"
ip netns exec peer timeout @wait@ @python@ -c @stream@ serve &
part stream @python@ -c @stream@ ask
part groups saquery -g
ip netns exec peer timeout @wait@ rping -s -a 10.1.0.2 -C @pings@ >/dev/null 2>&1 &
part connection sh -c 'until rping -c -a 10.1.0.2 -v -C @pings@; do sleep 1; done'
part messages dmesg
"""


class Guest:
    """One guest, whose results are looked at case by case."""

    def __init__(self, guest_sh, build_dir):
        self.guest_sh = guest_sh
        self.build_dir = build_dir

    @functools.lru_cache(maxsize=None)
    def parts(self):
        """What the parts printed, and their exit statuses, by name."""
        script = SCRIPT
        for name, word in {"python": shutil.which("python3", path="/usr/bin:/bin") or "python3",
                           "stream": shlex.quote(STREAM), "pings": str(NB_PINGS),
                           "wait": f"{WAIT_S:.0f}"}.items():
            script = script.replace(f"@{name}@", word)
        return parts_of(self.guest_sh, ["--build-dir", self.build_dir, "--functions", "2",
                                        "--module", "ib_ipoib", "--module", "ib_umad"], script)


def good(guest, name, program):
    """What a part printed, which has succeeded; it is skipped where the program is not."""
    if shutil.which(program, path="/usr/sbin:/usr/bin:/sbin:/bin") is None:
        raise Skip(f"no {program}")
    return part_of(guest.parts(), name)


def ports_come_up_by_themselves(guest):
    text = good(guest, "ports", "ibstat")
    expect(text.count("State: Active") == 2 and text.count("Physical state: LinkUp") == 2, text)
    expect(text.count(f"SM lid: {SM_LID}") == 2 and text.count("Rate: 400") == 2, text)


def the_manager_is_a_master(guest):
    text = good(guest, "manager", "sminfo")
    expect(f"sm lid {SM_LID} " in text and "SMINFO_MASTER" in text, text)


def agents_of_ports_answer(guest):
    for name in ("node", "own"):
        expect("Channel Adapter" in good(guest, name, "smpquery"), name)
    text = good(guest, "port", "smpquery")
    expect(re.search(r"^Lid:\.+2$", text, re.MULTILINE), text)
    expect(re.search(r"^PortXmitPkts:\.+\d+$", good(guest, "counters", "perfquery"), re.MULTILINE),
           "perfquery")


def the_administration_knows_nodes_paths_and_groups(guest):
    expect(good(guest, "nodes", "saquery").count("NodeRecord dump") == 2, "nodes")
    text = good(guest, "path", "saquery")
    expect(re.search(r"dlid\.+2$", text, re.MULTILINE), text)
    good(guest, "links", "ip")
    expect("ff12:401b:ffff::ffff:ffff" in good(guest, "groups", "saquery"), "groups")


def vendor_datagrams_reach_their_agent(guest):
    expect(f"{NB_PINGS} received" in good(guest, "ping", "ibping"), "ibping")


def ipoib_carries_a_stream(guest):
    good(guest, "links", "ip")
    expect("same" in good(guest, "stream", "ip").splitlines(), "stream")


def rdma_cm_connects_by_ip(guest):
    text = good(guest, "connection", "rping")
    expect(text.count("ping data: rdma-ping-") == NB_PINGS, text)


def linux_has_nothing_to_complain_about(guest):
    text = good(guest, "messages", "dmesg")
    lines = [line for line in text.splitlines() if TROUBLE.search(line) and not KNOWN.search(line)]
    expect(not lines, "\n".join(lines))


CASES = [ports_come_up_by_themselves, the_manager_is_a_master, agents_of_ports_answer,
         the_administration_knows_nodes_paths_and_groups, vendor_datagrams_reach_their_agent,
         ipoib_carries_a_stream, rdma_cm_connects_by_ip, linux_has_nothing_to_complain_about]


def main():
    """One guest for all cases."""
    guest = Guest(*sys.argv[1:3])
    return report_cases(CASES, lambda case: verdict_of(case, guest))


if __name__ == "__main__":
    sys.exit(main())
