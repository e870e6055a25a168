# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""Devices in containers, which deny system calls and lack folders: they work, or say what is missing.

Usage: container_test.py SWHCA_RUN DENY ANY_PROGRAM and the other PATHS in the order of NAMES
Its output is the Test Anything Protocol; exit status 1 if a case failed.
"""

import os
import re
import subprocess
import sys
import time

from case_runner import Runner, Skip, expect, need, run_cases
from patience import FACTOR, WAIT_S

# What the tests run, and where it is.
NAMES = ("deny", "program", "ctl", "mem", "young", "abi", "signals", "rc", "devx_events",
         "autotest")
PATHS = {}
CPU = str(min(os.sched_getaffinity(0)))
# What is denied is told before anybody wonders.
SOON_S = 60 * FACTOR
ERRORS = {"EPERM": "Operation not permitted", "EACCES": "Permission denied",
          "ENOSYS": "Function not implemented"}
# A call, and what swhca-run --check says in its line: the devices work without it, or do not.
DONE_WITHOUT = {
    "process_vm_readv": "no       process_vm_readv(2): ",
    "flock": "no       flock(2): ",
    "getrandom": "no       getrandom(2): ",
    "listen": "no       unix(7): bind, listen, accept4: ",
    "accept4": "no       unix(7): bind, listen, accept4: ",
    "bind": "no       udp(7): ",
}
# What they do not work without: the line of the check, what messages call it, and which errors
# matter (libc creates threads by another call if there is no clone3).
NEEDED = {
    "memfd_create": ("MISSING  memfd_create(2), mmap(2): ", "memfd_create", ("EPERM", "ENOSYS")),
    "socketpair": ("MISSING  socketpair(2): ", "socketpair", ("EPERM", "ENOSYS")),
    "clone3": ("MISSING  pthread_create(3): ", "pthread_create", ("EPERM",)),
    "flock,F_OFD_SETLK": ("MISSING  a folder for temporary files: ", "flock",
                          ("EPERM", "ENOSYS")),
}
# What else the library calls, or may call, and is not told of: its answer makes no difference.
OTHERS = ("process_vm_writev", "sched_yield", "prctl", "capget", "membarrier", "sched_getaffinity",
          "sched_setaffinity", "eventfd2", "timerfd_create")


# As users run it: these are of the test suite.
for variable in ("SWHCA_LOG", "SWHCA_STRICT"):
    os.environ.pop(variable, None)


def run_in(runner, around, *command, options=(), **kwargs):
    """Run swhca-run itself within something that takes a command."""
    inner = Runner(around[0])
    inner.tmp = runner.tmp
    return inner.run(*around[1:], runner.swhca_run, *options, *command, **kwargs)


def works(runner, around, **kwargs):
    """Devices are told of, and data goes through them."""
    out = run_in(runner, around, need("ibv_devinfo"), **kwargs).stdout
    expect(out.count("hca_id:") == 2 and out.count("PORT_ACTIVE") == 2, out)
    run_in(runner, around, PATHS["program"], "use", **kwargs)
    checked = run_in(runner, around, "--check", **kwargs).stdout
    expect(checked.endswith("The devices work here.\n"), checked)
    return checked


def in_namespace(flags, script):
    """A command in namespaces of its own, of which it is root; skip where users may not do that."""
    around = [need("unshare"), "-Ur" + flags, "sh", "-c", f'{script} && exec "$@"', "sh"]
    done = subprocess.run([*around, "true"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=WAIT_S, check=False)
    if done.returncode != 0:
        raise Skip(f"unshare: {done.stdout.strip()}")
    return around


def denied_calls_are_done_without(runner):
    for call, line in DONE_WITHOUT.items():
        checked = works(runner, [PATHS["deny"], "EPERM", call])
        expect(line + ERRORS["EPERM"] in checked, f"{call}: {checked}")
    # All at once, with each error in turn.
    for error, text in ERRORS.items():
        checked = works(runner, [PATHS["deny"], error, ",".join((*DONE_WITHOUT, *OTHERS))])
        expect(checked.count(text) == len(set(DONE_WITHOUT.values())), checked)
    expect(runner.folders() == [], f"left: {runner.folders()}")


def denied_calls_that_are_needed_are_named_at_once(runner):
    """Both the check and the program name the call and the error, and neither waits."""
    for calls, (line, word, errors) in NEEDED.items():
        for error in errors:
            around = [PATHS["deny"], error, calls]
            checked = run_in(runner, around, "--check", status=1).stdout
            expect(line + ERRORS[error] in checked, f"{calls}: {checked}")
            start = time.monotonic()
            done = run_in(runner, around, PATHS["program"], "use", status=None)
            took = time.monotonic() - start
            expect(took < SOON_S, f"{calls}: {took:.0f} s")
            expect(done.returncode != 0 and re.search(f"^swhca.*{word}.*{ERRORS[error]}",
                                                      done.stderr, re.M),
                   f"{calls}: {done.returncode} {done.stderr}")


def bad_addresses_are_found_without_the_kernel_s_copy(runner):
    """What programs are answered is the same, in threads that block signals and children, too."""
    around = [PATHS["deny"], "EPERM", "process_vm_readv,process_vm_writev"]
    for command in (["mem", "ctl"], ["young"], ["signals"], ["signals", "blocked"], ["rc"],
                    ["devx_events"]):
        run_in(runner, around, *(PATHS.get(word, word) for word in command))
    run_in(runner, around, PATHS["abi"], options=["--link-layer", "eth"])
    for name in ("fork", "threads", "alarm"):
        run_in(runner, around, PATHS["program"], name)
    run_in(runner, around, "sh", "-c", f"echo | {PATHS['program']} child")
    # The driver copies inline receives to on-demand memory.
    run_in(runner, around, PATHS["autotest"], "--no-huge", "--no-shconf", "-l", CPU, "--no-pci",
           "--no-telemetry", "--", "recv")


def folder_is_made_where_one_can_be(runner):
    around = in_namespace("m", " && ".join(f"mount --bind {path} {path} && "
                                           f"mount -o remount,bind,ro {path}"
                                           for path in ("/tmp", "/dev/shm")))
    works(runner, around)
    env = runner.env()
    del env["TMPDIR"]
    works(runner, around, env=env)
    out = run_in(runner, around, "--check", env=runner.env(TMPDIR="/dev/shm")).stdout
    expect("yes      a folder" in out, out)


def no_folder_at_all_is_told_with_its_reasons(runner):
    paths = ("/tmp", "/dev/shm", "/var/tmp", "/run")
    around = in_namespace("m", " && ".join(f"mount -t tmpfs -o ro none {path}" for path in paths))
    env = runner.env(TMPDIR="/tmp")
    out = run_in(runner, around, "true", env=env, status=125).stderr
    for path in paths:
        expect(f"{path}: mkdir: Read-only file system" in out, out)
    run_in(runner, around, "--check", env=env, status=1)


def folders_of_the_kernel_are_done_without(runner):
    """Neither /proc nor /sys, together with denied copies of memory."""
    for path in ("/proc", "/sys"):
        around = in_namespace("m", f"mount -t tmpfs none {path}")
        checked = works(runner, around)
        expect(("no       /proc: No such file" in checked) == (path == "/proc"), checked)
        for command in (["mem", "ctl"], ["young"], ["devx_events"], ["rc"]):
            run_in(runner, around, *(PATHS.get(word, word) for word in command))
        works(runner, around + [PATHS["deny"], "EPERM", "process_vm_readv,flock"])
    expect(runner.folders() == [], f"left: {runner.folders()}")


def run_without_proc_is_left_alone_by_another(runner):
    """Its folder has no name that tells whether it is still there."""
    around = in_namespace("m", "mount -t tmpfs none /proc")
    script = 'ls "$TMPDIR"; "$@"; ls "$TMPDIR"'
    out = run_in(runner, around, "sh", "-c", script, "sh", runner.swhca_run, "true").stdout
    folders = out.split()
    expect(len(folders) == 2 and folders[0] == folders[1], out)


def network_is_not_needed(runner):
    around = in_namespace("n", "true")
    checked = works(runner, around)
    expect("no       loopback interface, up: Network is down" in checked, checked)
    # The wire is that of the interface.
    out = run_in(runner, around, need("ibv_devinfo"), options=["--wire", "udp"]).stdout
    expect(out.count("PORT_DOWN") == 2, out)


def small_limit_of_locked_memory_is_enough(runner):
    works(runner, ["sh", "-c", 'ulimit -l 64; exec "$@"', "sh"])


def limit_of_locked_memory_is_told(runner):
    """--memlock: for root, too, without CAP_IPC_LOCK; the driver's memory is beyond it."""
    around = ["sh", "-c", 'ulimit -l 64; exec "$@"', "sh"]
    if os.geteuid() == 0:
        around = [need("setpriv"), "--bounding-set=-ipc_lock", *around]
    checked = works(runner, around)
    expect("no       locked memory without limit: 64 KiB (ulimit -l); " in checked, checked)
    done = run_in(runner, around, PATHS["autotest"], "--no-huge", "--no-shconf", "-l", CPU,
                  "--no-pci", "--no-telemetry", "--", "recv", status=None, options=["--memlock"])
    told = done.stdout + done.stderr
    expect(re.search("^mlx5_umr: mlx5_0: cannot register [0-9]+ bytes at 0x[0-9a-f]+, .*: Cannot "
                     "allocate memory; the limit of locked memory is 65536 bytes \\(ulimit -l\\)$",
                     told, re.M), told)


def any_user_may_run_it(runner):
    if os.geteuid() != 0:
        works(runner, ["env"])
        return
    around = [need("setpriv"), "--reuid", "65534", "--regid", "65534", "--clear-groups"]
    if subprocess.run([*around, "test", "-r", os.environ["SWHCA_LIB"]], check=False).returncode != 0:
        raise Skip("another user cannot read the library")
    os.chmod(runner.tmp, 0o1777)
    works(runner, around)
    works(runner, around + [PATHS["deny"], "EPERM", "process_vm_readv,flock"])


def main():
    paths = sys.argv[2:]
    PATHS.update(zip(NAMES, paths))
    return run_cases(Runner(sys.argv[1]), [
        denied_calls_are_done_without,
        denied_calls_that_are_needed_are_named_at_once,
        bad_addresses_are_found_without_the_kernel_s_copy,
        folder_is_made_where_one_can_be,
        no_folder_at_all_is_told_with_its_reasons,
        folders_of_the_kernel_are_done_without,
        run_without_proc_is_left_alone_by_another,
        network_is_not_needed,
        small_limit_of_locked_memory_is_enough,
        limit_of_locked_memory_is_told,
        any_user_may_run_it,
    ])


if __name__ == "__main__":
    sys.exit(main())
