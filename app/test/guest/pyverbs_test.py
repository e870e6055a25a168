# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""rdma-core's own tests above the kernel's driver, in a virtual machine with a PCI function.

Usage: pyverbs_test.py GUEST_SH SUITE_PY RDMA_CORE MODULE...
The tests that skip must be those that skip below swhca-run. The output is the Test Anything
Protocol; exit status 1 if a test failed. All is skipped where there is no such machine.
"""

import os
import shlex
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../interop/programs"))

# pylint: disable=wrong-import-position
from guest_shell import GUEST_SH_S, MACHINE_S, SKIPPED, reason_of  # noqa: E402

MEMORY_MIB = 2048

# Huge pages, and folders that can be written to: the guest's root is read-only below its memory.
SCRIPT = """
ulimit -l unlimited
echo 16 >/proc/sys/vm/nr_hugepages
exec /usr/bin/python3 {suite} --as-is --tap --dir /tmp/pyverbs --rdma-core {version} {modules}
"""


def main():
    """One machine for all."""
    guest_sh, suite, version, *modules = sys.argv[1:]
    script = SCRIPT.format(suite=shlex.quote(os.path.abspath(suite)), version=version,
                           modules=shlex.join(modules))
    done = subprocess.run([os.path.abspath(guest_sh), "--no-install", "--timeout", str(MACHINE_S),
                           "--memory", str(MEMORY_MIB), "--", "/bin/sh", "-c", script],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=GUEST_SH_S, text=True, check=False)
    sys.stderr.write(done.stderr)
    if done.returncode == SKIPPED:
        print(f"1..0 # SKIP {reason_of(done.stderr)}")
        return 0
    sys.stdout.write(done.stdout)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
