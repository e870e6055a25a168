# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""Programs of all kinds below swhca-run, and what they leave behind: nothing.

Usage: runner_test.py SWHCA_RUN ANY_PROGRAM STATIC_HELPER SWHCA_CTL SWHCA_SPEED
Its output is the Test Anything Protocol; exit status 1 if a case failed.
"""

import os
import re
import signal
import subprocess
import sys

from case_runner import Runner, Skip, expect, kill_group, need, run_cases
from patience import WAIT_S, wait_until

PROGRAM = None
HELPER = None
CTL = None
SPEED = None


def leaves_nothing(runner):
    expect(runner.folders() == [], f"left: {runner.folders()}")


def program_kinds_work(runner):
    for kind in ("use", "threads", "fork", "vfork", "alarm", "exec", "close",
                 "closefrom", "streams", "crowd", "cancel", "dlopen"):
        runner.run(PROGRAM, kind)
        leaves_nothing(runner)


def static_helper_of_a_program_runs(runner):
    runner.run(PROGRAM, "helper", HELPER)
    runner.run(HELPER)
    leaves_nothing(runner)


def daemon_works_after_its_parents(runner):
    mark = os.path.join(runner.tmp, "mark")
    runner.run(PROGRAM, "daemon", mark)
    wait_until(lambda: os.path.exists(mark), "the daemon did not get to its end")
    wait_until(lambda: runner.folders() == ["mark"], "the daemon left a folder")


def nested_run_has_its_own_devices(runner):
    inner = f"{runner.swhca_run} --devices 1 --model cx5 ibv_devinfo"
    need("ibv_devinfo")
    out = runner.run("sh", "-c", f"{inner}; ibv_devices", options=["--devices", "3"]).stdout
    info, devices = out.split("device", 1)
    expect(info.count("hca_id:") == 1 and "4119" in info, out)
    expect(devices.count("mlx5_") == 3, out)
    leaves_nothing(runner)


def bare_library_leaves_nothing(runner):
    """Without swhca-run the process makes the folder, and removes it."""
    env = runner.env(LD_PRELOAD=os.environ["SWHCA_LIB"])
    bare = Runner("env")
    bare.tmp = runner.tmp
    if "asan" in subprocess.run(["ldd", os.environ["SWHCA_LIB"]], stdout=subprocess.PIPE,
                                text=True, check=True).stdout:
        raise Skip("the run-time of the sanitizer would have to come first")
    bare.run(PROGRAM, "fork", env=env)
    leaves_nothing(runner)
    bare.run(PROGRAM, "crash", env=env, status=-signal.SIGKILL)
    expect(len(runner.folders()) == 1, "a crash leaves its folder")
    runner.run("true")
    leaves_nothing(runner)


def crash_of_the_program_leaves_nothing(runner):
    runner.run(PROGRAM, "crash", status=128 + signal.SIGKILL)
    leaves_nothing(runner)


def killed_run_is_cleaned_up_by_the_next(runner):
    process = runner.start("sleep", "100000")
    wait_until(lambda: len(runner.folders()) == 1, "no folder")
    kill_group(process)
    expect(len(runner.folders()) == 1, "a killed run leaves its folder")
    runner.run("true")
    leaves_nothing(runner)


def running_runs_are_left_alone(runner):
    process = runner.start("sh", "-c", "read line < /proc/self/stat; exec sleep 100000")
    wait_until(lambda: len(runner.folders()) == 1, "no folder")
    folders = runner.folders()
    for _ in range(3):
        runner.run("true")
    expect(runner.folders() == folders, "the folder of another run is gone")
    process.terminate()
    process.communicate()
    leaves_nothing(runner)


def start_with_devices(runner):
    """A run that has devices open, and waits."""
    script = f"{PROGRAM} use; {PROGRAM} hold"
    process = runner.start("sh", "-c", script)
    expect(process.stdout.readline().strip() == "open", "no device is open")
    return process


def folder_in_use_is_not_removed(runner):
    """The owner is dead, but a process of the run has a device open."""
    process = start_with_devices(runner)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    folders = runner.folders()
    expect(len(folders) == 1, folders)
    runner.run("true")
    expect(runner.folders() == folders, "a folder in use is gone")
    kill_group(process)
    runner.run("true")
    leaves_nothing(runner)


def ctl(*args, status=0):
    """Run swhca-ctl, which is beside the library."""
    path = os.path.join(os.path.dirname(os.environ["SWHCA_LIB"]), "swhca-ctl")
    done = subprocess.run([path, *map(str, args)], stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.STDOUT, check=False)
    expect(done.returncode == status, f"{args}: status {done.returncode}\n{done.stdout}")
    return done.stdout


def control_finds_the_program_of_a_run(runner):
    process = start_with_devices(runner)
    try:
        expect(ctl("list", process.pid) == "mlx5_0 present port up\n"
               "mlx5_1 present port up\n", "list")
        expect(ctl("remove", process.pid, 1) == "ok\n", "remove")
        expect(ctl("list", process.pid) == "mlx5_0 present port up\n"
               "mlx5_1 removed\n", "list")
        ctl("remove", process.pid, 1, status=1)
        ctl("remove", "none", 0, status=125)
        ctl("remove", status=125)
    finally:
        kill_group(process)
    # Now nobody here has a device open.
    ctl("remove", os.getpid(), 0, status=125)


def faults_are_armed_and_told(runner):
    process = start_with_devices(runner)
    try:
        pid = process.pid
        expect(ctl("fault", pid, 0, "list") == "none\n", "nothing is armed")
        expect(ctl("fault", pid, 0, "error-cqe,qp=72,nth=3") == "ok\n", "one")
        expect(ctl("fault", pid, 0, "qp-delay+fatal,one-of=5,seed=9") == "ok\n", "two")
        expect(ctl("fault", pid, 0, "list") ==
               "error-cqe,qp=0x48,side=send,nth=3,syndrome=0x2,vendor=0xfa seen 0 fired 0\n"
               "qp-delay,one-of=5,seed=9,time=1000 seen 0 fired 0\n"
               "fatal,one-of=5,seed=9 seen 0 fired 0\n", ctl("fault", pid, 0, "list"))
        expect(ctl("fault", pid, 1, "list") == "none\n", "of another device")
        expect(ctl("fault", pid, 0, "off", "fatal") == "ok\n", "one class")
        expect("fatal" not in ctl("fault", pid, 0, "list"), "a class that is off")
        expect(ctl("fault", pid, 0, "off") == "ok\n", "all")
        expect(ctl("fault", pid, 0, "list") == "none\n", "all are off")
        for words in (["nosuch"], ["off", "nosuch"], ["unmap"], ["fatal,nth=0"]):
            expect(ctl("fault", pid, 0, *words, status=1).startswith("error: "), words)
        expect(ctl("fault", pid, 7, "list", status=1).startswith("error: mlx5_7"), "no device")
        for number in ("99999999999", "4294967296"):
            told = ctl("fault", pid, number, "list", status=1)
            expect(told.startswith("error: mlx5_4294967295"), told)
        for number in ("+0", "-1", "0x0", ""):
            expect("not a device" in ctl("fault", pid, number, "list", status=1), number)
        ctl("fault", pid, 0, status=125)
        names = re.findall(r" (fault\w*) 0", ctl("stats", pid).splitlines()[0])
        expect(names[:2] == ["faults", "fault_error_cqe"] and len(names) == 10, names)
    finally:
        kill_group(process)


def fault_of_a_run_is_armed_from_the_start(runner):
    script = f"{PROGRAM} hold"
    process = runner.start("sh", "-c", script, options=["--fault", "doorbell-drop,nth=9"])
    try:
        expect(process.stdout.readline().strip() == "open", "no device is open")
        expect(ctl("fault", process.pid, 0, "list") == "doorbell-drop,nth=9 seen 0 fired 0\n",
               "of the option")
    finally:
        kill_group(process)
    runner.run("true", options=["--fault", "doorbell-drop,time=9"], status=125)


def link_comes_back_at_another_rate(runner):
    process = start_with_devices(runner)
    try:
        for words, answer in (("speed=hdr,width=2", "ok\n"), ("speed=EDR", "ok\n")):
            expect(ctl("port", process.pid, 0, words) == answer, words)
        for words in ("speed=", "speed=xdr9", "speed=edr,width=3", "speed=edr,width=4x",
                      "speed=edr,lanes=4"):
            ctl("port", process.pid, 0, words, status=1)
    finally:
        kill_group(process)


def foreign_names_are_left_alone(runner):
    """Links, files and folders that only look like ours."""
    victim = os.path.join(runner.tmp, "victim")
    os.mkdir(victim)
    with open(os.path.join(victim, "file"), "w", encoding="ascii"):
        pass
    # Process 1 of this machine did not start at time 1, so this owner is dead.
    namespace = os.stat("/proc/self/ns/pid").st_ino
    os.symlink(victim, os.path.join(runner.tmp, f"swhca.{namespace}-1-1.abcdef"))
    os.mkdir(os.path.join(runner.tmp, "swhca.mine"))
    dead = os.path.join(runner.tmp, f"swhca.{namespace}-1-1.ghijkl")
    os.mkdir(dead)
    os.symlink(victim, os.path.join(dead, "link"))
    runner.run("true")
    expect(os.path.exists(os.path.join(victim, "file")), "a link was followed")
    expect(not os.path.exists(dead), "a dead folder is still there")
    expect(len(runner.folders()) == 3, runner.folders())


def unwritable_folder_is_no_problem(runner):
    env = runner.env(TMPDIR="/no/such/folder")
    runner.run(PROGRAM, "use", env=env)
    env = runner.env(TMPDIR="/proc")
    runner.run(PROGRAM, "use", env=env)


def signals_reach_the_program(runner):
    script = "trap 'echo got; exit 3' TERM; echo up; while :; do sleep 0.05; done"
    process = runner.start("sh", "-c", script)
    expect(process.stdout.readline() == "up\n", "the program did not start")
    process.terminate()
    out, _ = process.communicate(timeout=WAIT_S)
    expect((out, process.returncode) == ("got\n", 3), f"{out}, status {process.returncode}")
    leaves_nothing(runner)


def speed_of_two_processes_is_measured(runner):
    run = runner.run("--wire", "udp", SPEED, "--wire", "--rounds", "1", "--format", "csv")
    lines = run.stdout.splitlines()
    expect(lines[0] == "operation,bytes,unit,value,min,max,of_udp,version,commit,cpu,cpu_family,date",
           lines[0])
    expect([line.split(",")[0] for line in lines[1:]] ==
           ["udp", "write", "write", "write", "read", "read", "udp", "wake", "write"], run.stdout)
    expect(all(float(line.split(",")[3]) > 0 for line in lines[1:]), run.stdout)


def guide_shows_the_help(runner):
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "..", "doc",
                        "guides", "tools", "swhca.rst")
    with open(path, encoding="utf-8") as file:
        guide = file.read()
    for told in (runner.run("--help").stdout, runner.run(CTL, "--help").stdout,
                 runner.run(SPEED, "--help").stdout):
        shown = "".join(f"   {line}\n" if line else "\n" for line in told.splitlines())
        expect(shown in guide, f"not the help that the guide shows:\n{told}")


CASES = (program_kinds_work, static_helper_of_a_program_runs, daemon_works_after_its_parents,
         nested_run_has_its_own_devices, bare_library_leaves_nothing,
         crash_of_the_program_leaves_nothing, killed_run_is_cleaned_up_by_the_next,
         running_runs_are_left_alone, folder_in_use_is_not_removed,
         control_finds_the_program_of_a_run, faults_are_armed_and_told,
         fault_of_a_run_is_armed_from_the_start, link_comes_back_at_another_rate,
         foreign_names_are_left_alone, speed_of_two_processes_is_measured,
         unwritable_folder_is_no_problem, signals_reach_the_program, guide_shows_the_help)

if __name__ == "__main__":
    PROGRAM, HELPER, CTL, SPEED = sys.argv[2:6]
    sys.exit(run_cases(Runner(sys.argv[1]), CASES))
