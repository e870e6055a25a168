# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""What other users of the machine can do to a program with devices, and to swhca-ctl: nothing.

Usage: others_test.py SWHCA_RUN ANY_PROGRAM
Ends with "N passed, N failed, N skipped"; exit status 1 if a case failed.
"""

import os
import shutil
import subprocess
import sys

from case_runner import Runner, Skip, expect, run_cases

PROGRAM = None
DEADLINE_S = 60
NOBODY = 65534


def need_root():
    """Skip unless another user can be made."""
    if os.geteuid() != 0:
        raise Skip("needs root, to become another user")


def folder_of_nobody(path):
    """A folder that another user has made, with what a program might believe."""
    os.makedirs(os.path.join(path, "sys/class/infiniband_verbs"))
    os.chown(path, NOBODY, NOBODY)


def bare_env(runner, **variables):
    """Environment of a program without swhca-run."""
    lib = os.environ["SWHCA_LIB"]
    libs = subprocess.run(["ldd", lib], stdout=subprocess.PIPE, text=True, check=True).stdout
    if "asan" in libs or "tsan" in libs:
        raise Skip("the run-time of the sanitizer would have to come first")
    return runner.env(LD_PRELOAD=lib, SWHCA_LOG="error", **variables)


def guessed_folder_is_not_used(runner):
    """All of a name that another user can know before a program looks for devices."""
    need_root()
    env = bare_env(runner)
    process = subprocess.Popen(["sh", "-c", 'read line; exec "$0" use', PROGRAM], text=True,
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, env=env)
    with open(f"/proc/{process.pid}/stat", encoding="ascii") as file:
        begin = file.read().rpartition(")")[2].split()[19]
    namespace = os.stat("/proc/self/ns/pid").st_ino
    name = f"swhca.{namespace}-{process.pid}-{begin}.XXXXXX"
    folder_of_nobody(os.path.join(runner.tmp, name))
    out, _ = process.communicate("\n", timeout=DEADLINE_S)
    expect(process.returncode == 0, f"status {process.returncode}\n{out}")
    expect(runner.folders() == [name], runner.folders())


def squatted_folder_is_told(runner):
    need_root()
    path = os.path.join(runner.tmp, "squatted")
    folder_of_nobody(path)
    env = bare_env(runner, SWHCA_SYSFS_DIR=path, SYSFS_PATH=f"{path}/sys")
    done = subprocess.run(["sh", "-c", 'echo $SYSFS_PATH $SYSFS_PCI_DEVICES'], env=env, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True)
    expect(done.stdout == "/dev/null/sys /dev/null/sys/bus/pci/devices\n", done.stdout)
    expect("no folder for a sysfs tree" in done.stderr and path in done.stderr, done.stderr)
    done = subprocess.run([PROGRAM, "use"], env=env, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False, timeout=DEADLINE_S)
    expect(done.returncode == 1 and "no devices" in done.stdout, done)


LOOK = """
import ctypes, os
print("ready", flush=True)
input()
try:
    print(os.listdir(os.environ["SYSFS_PATH"] + "/class/infiniband_verbs"))
except PermissionError:
    print("refused")
getenv = ctypes.CDLL(None).getenv
getenv.restype = ctypes.c_char_p
print(getenv(b"SYSFS_PATH").decode())
"""


def folder_that_becomes_another_user_s_is_told(runner):
    need_root()
    process = subprocess.Popen([runner.swhca_run, sys.executable, "-c", LOOK], text=True,
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, env=runner.env(SWHCA_LOG="error"))
    expect(process.stdout.readline() == "ready\n", "the program did not start")
    folder = os.path.join(runner.tmp, runner.folders()[0])
    shutil.rmtree(folder)
    folder_of_nobody(folder)
    out, log = process.communicate("\n", timeout=DEADLINE_S)
    expect(out == "refused\n/dev/null/sys\n", out)
    expect(f"{folder}: is not, or not only, ours" in log, log)


CASES = (
    guessed_folder_is_not_used,
    squatted_folder_is_told,
    folder_that_becomes_another_user_s_is_told,
)

if __name__ == "__main__":
    PROGRAM = sys.argv[2]
    sys.exit(run_cases(Runner(sys.argv[1]), CASES))
