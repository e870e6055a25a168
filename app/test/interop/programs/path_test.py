# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""Programs that look for devices at paths of their own: shell, coreutils, Debian's tools.

Usage: path_test.py SWHCA_RUN
Its output is the Test Anything Protocol; exit status 1 if a case failed.
"""

import os
import sys

from case_runner import Runner, expect, need, need_ucx, run_cases

NO_PATHS = ("env", "-u", "SYSFS_PATH", "-u", "SYSFS_PCI_DEVICES")
LINK = "../../devices/pci0000:00/0000:08:00.0/infiniband/mlx5_0"


def shell(runner, script, options=()):
    """Output of a script of the shell, without our variables."""
    return runner.run(*NO_PATHS, "sh", "-c", script, options=options).stdout


def ls_shows_devices_and_machine(runner):
    """As sysfs has them."""
    shown = shell(runner, "LC_ALL=C ls -l /sys/class/infiniband")
    expect(f"mlx5_0 -> {LINK}" in shown, shown)
    shown = shell(runner, "ls /sys/class/net", options=("--link-layer", "eth")).split()
    machine = os.listdir("/sys/class/net")
    expect(set(machine) < set(shown) and "enp8s0f0np0" in shown, f"{shown}, {machine}")
    shown = shell(runner, "LC_ALL=C ls -l /dev/infiniband")
    expect("crw-rw-rw-" in shown and "231, 192" in shown, shown)


def shell_expands_names(runner):
    """By opendir(3) and lstat(2)."""
    shown = shell(runner, "cat /sys/class/infiniband/*/ports/1/state")
    expect(shown == "4: ACTIVE\n" * 2, shown)
    shown = shell(runner, "cd /sys/class/infiniband_verbs && cat uverbs*/ibdev && pwd")
    expect(shown == "mlx5_0\nmlx5_1\n/sys/class/infiniband_verbs\n", shown)


def find_walks(runner):
    """By fts."""
    shown = shell(runner, "find /sys/class/infiniband/mlx5_0/ -name state")
    expect(shown == "/sys/class/infiniband/mlx5_0/ports/1/state\n", shown)


def python_looks(runner):
    """By calls of its own."""
    script = ("import glob, os; d = '/sys/class/infiniband/'; print(sorted(os.listdir(d)),"
              " os.path.realpath(d + 'mlx5_1/device'), len(glob.glob(d + '*/node_guid')))")
    shown = runner.run(*NO_PATHS, sys.executable, "-c", script).stdout
    expect(shown == "['mlx5_0', 'mlx5_1'] /sys/devices/pci0000:00/0000:08:00.1 2\n", shown)


def folders_are_made_anew(runner):
    """What appears in one of ours, and goes again, is seen each time."""
    new = '"$(dirname "$SYSFS_PATH")/sys/class/infiniband/mlx5_9"'
    script = (f"ls /sys/class/infiniband; mkdir {new}; ls /sys/class/infiniband; rmdir {new};"
              " ls /sys/class/infiniband")
    shown = runner.run("sh", "-c", script).stdout.split()
    both = ["mlx5_0", "mlx5_1"]
    expect(shown == both + both + ["mlx5_9"] + both, str(shown))


def ibstat_tells_all(runner):
    """libibumad reads /sys/class/infiniband; there are no MADs."""
    need("ibstat")
    shown = runner.run(*NO_PATHS, "ibstat").stdout
    for text in ("CA 'mlx5_1'", "CA type: MT4129", "State: Active", "Rate: 400",
                 "Link layer: InfiniBand", "Base lid: 2"):
        expect(text in shown, shown)
    shown = runner.run(*NO_PATHS, "ibstat", "-l").stdout
    expect(shown == "mlx5_0\nmlx5_1\n", shown)


def ibv_devinfo_needs_no_variable(runner):
    """libibverbs reads /sys by itself."""
    need("ibv_devinfo")
    shown = runner.run(*NO_PATHS, "ibv_devinfo").stdout
    expect("mlx5_0" in shown and "PORT_ACTIVE" in shown, shown)


def lspci_shows_functions(runner):
    """Beside the machine's."""
    need("lspci")
    shown = runner.run(*NO_PATHS, "lspci", "-n", "-d", "15b3:").stdout
    expect("08:00.0 0207: 15b3:1021" in shown and "08:00.1" in shown, shown)


def ucx_knows_the_function(runner):
    """It reads where a device is."""
    need_ucx()
    shown = runner.run(*NO_PATHS, "ucx_info", "-d").stdout
    expect("System device: mlx5_0" in shown, shown[-2000:])


def nothing_is_left(runner):
    """The folders that were made go with the run."""
    shell(runner, "ls /sys/class /sys/devices /dev/infiniband")
    expect(runner.folders() == [], str(runner.folders()))
    expect(os.path.isdir("/sys/class/net/lo/"), "the machine's own is gone")


CASES = [ls_shows_devices_and_machine, shell_expands_names, find_walks, python_looks,
         folders_are_made_anew, ibstat_tells_all, ibv_devinfo_needs_no_variable,
         lspci_shows_functions, ucx_knows_the_function, nothing_is_left]


if __name__ == "__main__":
    sys.exit(run_cases(Runner(sys.argv[1]), CASES))
