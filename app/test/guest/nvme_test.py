# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""Linux' NVMe over RDMA, target and host, through a function of the device.

Usage: nvme_test.py GUEST_SH
Its output is the Test Anything Protocol; exit status 1 if a case failed. All is skipped where there
is no such machine.
"""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../interop/programs"))

# pylint: disable=wrong-import-position
from guest_shell import GuestShell  # noqa: E402
from case_runner import expect, report_cases, verdict_of  # noqa: E402
from patience import LONG_S  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
MODULES = ("ib_ipoib", "nvme_rdma", "nvmet_rdma", "brd")
TROUBLE = re.compile(r"WARNING:|BUG:|Oops|Call Trace|WC error|failed|timeout", re.I)
# mlx5_core: the function lacks what the firmware tools use.
KNOWN = re.compile(r"mlx5_pci_vsc_init")


def nvme_reads_what_it_wrote(guest):
    guest.up()
    text = guest.run(f"{HERE}/nvme.sh", LONG_S)
    expect("bytes, the same" in text, text)


def the_kernel_complains_of_nothing(guest):
    text = guest.run("dmesg | grep -E 'mlx5|infiniband|nvme|WARNING|BUG|Call Trace' || true")
    lines = [line for line in text.splitlines() if TROUBLE.search(line) and not KNOWN.search(line)]
    expect(not lines, "\n".join(lines))


CASES = [nvme_reads_what_it_wrote, the_kernel_complains_of_nothing]


def main():
    """One machine for all."""
    options = ["--functions", "1"]
    for module in MODULES:
        options += ["--module", module]
    guest = GuestShell(sys.argv[1], options, 0)
    try:
        return report_cases(CASES, lambda case: verdict_of(case, guest), needs_first=True)
    finally:
        guest.close()


if __name__ == "__main__":
    sys.exit(main())
