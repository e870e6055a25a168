# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""UCX and Open MPI as they are installed, which replace mmap(2) by the system call.

Usage: defaults_test.py SWHCA_RUN
Its output is the Test Anything Protocol; exit status 1 if a case failed.
"""

import os
import sys

from case_runner import Runner, Skip, expect, need_ucx, run_cases

# mpi4py is an extension of the system's Python, whatever else is first in PATH.
PYTHON = "/usr/bin/python3"

MPI_PROGRAM = """
from mpi4py import MPI
for size in (8, 4096, 1 << 20):
    sent, got = bytes(i % 251 for i in range(size)), bytearray(size)
    request = MPI.COMM_WORLD.Irecv(got, source=0, tag=1)
    MPI.COMM_WORLD.Send(sent, dest=0, tag=1)
    request.Wait()
    assert got == sent
print("all the same")
"""


def perftest(runner, tls, *words, **variables):
    """ucx_perftest with itself as its peer, over one transport of the devices."""
    need_ucx("ucx_perftest")
    done = runner.run("ucx_perftest", "-l", "-w", "2", *words,
                      env=runner.env(UCX_TLS=tls, UCX_LOG_LEVEL="error", **variables))
    expect("Final:" in done.stdout and "ERROR" not in done.stdout + done.stderr,
           f"{tls} {words}: {done.stdout[-2000:]}{done.stderr[-2000:]}")


def messages(runner, tls, sizes, **variables):
    """Messages of several sizes, and writes."""
    for size in sizes:
        perftest(runner, tls, "-t", "tag_bw", "-n", "20", "-s", size, **variables)
    perftest(runner, tls, "-t", "ucp_put_bw", "-n", "20", "-s", "4096", **variables)


def ucx_finds_all_transports(runner):
    """By its defaults, and none without the devices."""
    need_ucx()
    shown = runner.run("ucx_info", "-d").stdout
    for transport in ("rc_verbs", "rc_mlx5", "dc_mlx5", "ud_verbs", "ud_mlx5"):
        expect(f"Transport: {transport}" in shown, f"no {transport}: {shown[-2000:]}")


def ucx_sends_by_rc(runner):
    """With its hooks."""
    messages(runner, "rc_x", ("8", "4096", "65536"))


def ucx_sends_by_dc(runner):
    """With its hooks."""
    messages(runner, "dc_x", ("8", "65536"))


def ucx_sends_by_rc_verbs(runner):
    """With its hooks, by libmlx5's own data path."""
    messages(runner, "rc_v", ("4096",))


def ucx_sends_without_hooks(runner):
    """And as before."""
    messages(runner, "rc_x", ("4096",), UCX_MEM_MMAP_HOOK_MODE="none")


def open_mpi_sends(runner):
    """By UCX, to itself."""
    need_ucx("mpirun")
    program = os.path.join(runner.tmp, "program.py")
    with open(program, "w", encoding="utf-8") as file:
        file.write(MPI_PROGRAM)
    if runner.run(PYTHON, "-c", "import mpi4py", status=None).returncode != 0:
        raise Skip("no mpi4py")
    env = runner.env(UCX_TLS="rc_x", OMPI_ALLOW_RUN_AS_ROOT="1",
                     OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    done = runner.run("mpirun", "-np", "1", "--mca", "pml", "ucx", PYTHON, program, env=env)
    expect("all the same" in done.stdout, done.stdout + done.stderr)


CASES = [ucx_finds_all_transports, ucx_sends_by_rc, ucx_sends_by_dc, ucx_sends_by_rc_verbs,
         ucx_sends_without_hooks, open_mpi_sends]


def main():
    """Run all cases."""
    # What a program has by its own defaults, not by ours.
    for name in ("SWHCA_STRICT", "MALLOC_PERTURB_"):
        os.environ.pop(name, None)
    return run_cases(Runner(sys.argv[1]), CASES)


if __name__ == "__main__":
    sys.exit(main())
