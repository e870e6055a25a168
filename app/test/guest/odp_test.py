# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""On-demand paging below Linux' own driver: page faults that a kernel resolves.

Usage: odp_test.py GUEST_SH SWHCA_PCI STRESS TEST_UMR
The last three are programs of the build tree. One guest runs all programs on one adapter, another
one has two adapters that talk by packets. Its output is the Test Anything Protocol; exit status 1 if
a case failed.
"""

import functools
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../interop/programs"))

# pylint: disable=wrong-import-position
from guest_shell import part_of, parts_of  # noqa: E402
from case_runner import expect, report_cases, verdict_of  # noqa: E402
from patience import WAIT_S, wait_until  # noqa: E402

NB_TRANSFERS, NB_CASES = 100, 60
ADDRESSES = "127.9.7.1", "127.9.7.2"

# Each part ends with a line of its name and exit status, in front of which is what it printed.
SCRIPT = r"""
part()
{
	name=$1
	shift
	"$@" 2>&1
	echo "part $name: $?"
}
pingpong()
{
	timeout @wait@ ibv_rc_pingpong -g 0 -e -n 20 -s 65536 -c "$@" >/dev/null 2>&1 &
	while kill -0 $! 2>/dev/null; do
		timeout @wait@ ibv_rc_pingpong -g 0 -e -n 20 -s 65536 -c "$@" localhost && return 0
		sleep 1
	done
	return 1
}
"""
ONE = SCRIPT + """
part explicit pingpong -o
part implicit pingpong -O
part prefetched pingpong -o -P
part stress @stress@ mlx5_0 mlx5_0 @transfers@ 7
part stress_implicit @stress@ mlx5_0 mlx5_0 @transfers@ 8 implicit
part verify @test_umr@ --no-huge --in-memory -l 0 --no-pci --no-telemetry -- \\
	verify --layout odp --cases @cases@ --seed 7
part messages dmesg
"""
TWO = SCRIPT + """
part stress @stress@ mlx5_0 mlx5_1 @transfers@ 7
part messages dmesg
"""


class Guest:
    """Guests whose results are looked at case by case."""

    def __init__(self, guest_sh, swhca_pci, stress, test_umr):
        self.guest_sh = guest_sh
        self.swhca_pci = swhca_pci
        self.words = {"stress": shlex.quote(os.path.abspath(stress)),
                      "test_umr": shlex.quote(os.path.abspath(test_umr)),
                      "transfers": NB_TRANSFERS, "cases": NB_CASES, "wait": f"{WAIT_S:g}"}

    def boot(self, script, *options):
        """What the parts of a script printed, and their exit statuses, by name."""
        for name, word in self.words.items():
            script = script.replace(f"@{name}@", str(word))
        return parts_of(self.guest_sh, options, script)

    @functools.lru_cache(maxsize=None)
    def one(self):
        """All programs on one adapter."""
        return self.boot(ONE)

    @functools.lru_cache(maxsize=None)
    def two(self):
        """Two adapters of two processes, which have only a network between them."""
        with tempfile.TemporaryDirectory() as folder:
            paths = [os.path.join(folder, address) for address in ADDRESSES]
            servers = [subprocess.Popen([self.swhca_pci, "--socket", path],
                                        env={**os.environ, "SWHCA_WIRE": f"udp:{address}"},
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
                       for path, address in zip(paths, ADDRESSES)]
            try:
                wait_until(lambda: all(os.path.exists(path) for path in paths),
                           "swhca-pci does not serve")
                return self.boot(TWO, "--socket", paths[0], "--socket", paths[1])
            finally:
                for server in servers:
                    server.send_signal(signal.SIGTERM)
                for server in servers:
                    server.wait(timeout=WAIT_S)


def pingpongs_have_pages_on_demand(guest):
    for name in ("explicit", "implicit", "prefetched"):
        expect("20 iters" in part_of(guest.one(), name), name)


def pages_may_go_at_any_time(guest):
    for name in ("stress", "stress_implicit"):
        found = re.search(r"(\d+) transfers, pages taken (\d+) times", part_of(guest.one(), name))
        expect(found and int(found[1]) == NB_TRANSFERS and int(found[2]) > 0, guest.one()[name])


def layouts_over_pages_on_demand_are_right(guest):
    expect(f"{NB_CASES} passed, 0 failed" in part_of(guest.one(), "verify"), guest.one()["verify"])


def pages_may_go_between_packets(guest):
    found = re.search(r"(\d+) transfers, pages taken (\d+) times", part_of(guest.two(), "stress"))
    expect(found and int(found[1]) == NB_TRANSFERS and int(found[2]) > 0, guest.two()["stress"])


def the_kernel_has_nothing_to_complain_of(guest):
    for parts in (guest.one(), guest.two()):
        text = part_of(parts, "messages")
        found = re.search(r".*(WARNING:|BUG:|Failed to resolve|page fault.*unsupported).*", text)
        expect(found is None, found)


CASES = [pingpongs_have_pages_on_demand, pages_may_go_at_any_time,
         layouts_over_pages_on_demand_are_right, pages_may_go_between_packets,
         the_kernel_has_nothing_to_complain_of]


def main():
    """Two guests for all cases."""
    guest = Guest(*sys.argv[1:5])
    return report_cases(CASES, lambda case: verdict_of(case, guest))


if __name__ == "__main__":
    sys.exit(main())
