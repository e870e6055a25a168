# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""What other users of the machine can do to a program with devices, and to swhca-ctl: nothing.

Nor can a lack of descriptors.

Usage: others_test.py SWHCA_RUN ANY_PROGRAM
Its output is the Test Anything Protocol; exit status 1 if a case failed.
"""

import contextlib
import os
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import time

from case_runner import Runner, Skip, expect, kill_group, run_cases
from patience import WAIT_S

PROGRAM = None
NOBODY = 65534
# How often a case that another program on this machine held up is tried again.
NB_TRIES = 10
LOST = b"\x1b]0;lost\x07 \\ \x9b31m \xc3\xa4"


def need_root():
    """Skip unless another user can be made."""
    if os.geteuid() != 0:
        raise Skip("needs root, to become another user")


def in_process(function, uid=None):
    """Run a function in a child, as another user. @return (pid, its result as a text, later)."""
    read_fd, write_fd = os.pipe()
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            os.close(read_fd)
            if uid is not None:
                os.setgroups([])
                os.setresgid(uid, uid, uid)
                os.setresuid(uid, uid, uid)
            function(lambda text: os.write(write_fd, (text + "\n").encode()))
            status = 0
        finally:
            os._exit(status)
    os.close(write_fd)
    return pid, os.fdopen(read_fd, encoding="utf-8")


def end(pid):
    """End a process of in_process()."""
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def address(pid):
    """Where a process is asked by swhca-ctl."""
    return f"\0swhca-{pid}"


def connect(name, kind=socket.SOCK_STREAM):
    """A client that has not said anything yet."""
    client = socket.socket(socket.AF_UNIX, kind)
    client.settimeout(WAIT_S)
    client.connect(name)
    return client


def is_closed(client):
    """Whether the other side has ended a connection."""
    return bool(select.select([client], [], [], 0)[0])


def squat(name, kind, answer, uid=None):
    """A process that listens at a name, tells so, and gives every request the same answer."""
    def serve(tell):
        with socket.socket(socket.AF_UNIX, kind) as server:
            server.bind(name() if callable(name) else name)
            server.listen(16)
            tell("listening")
            while True:
                with server.accept()[0] as client, contextlib.suppress(ConnectionError):
                    client.recv(8192)
                    client.send(answer)

    pid, told = in_process(serve, uid)
    expect(told.readline() == "listening\n", "the address cannot be taken")
    return pid


def ctl(*args, status, path=None, uid=None):
    """Bytes that swhca-ctl writes to both streams."""
    path = path or os.path.join(os.path.dirname(os.environ["SWHCA_LIB"]), "swhca-ctl")
    kwargs = {"user": uid, "group": uid, "extra_groups": []} if uid is not None else {}
    done = subprocess.run([path, *map(str, args)], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False, timeout=WAIT_S, **kwargs)
    expect(done.returncode == status, f"{args}: status {done.returncode}\n{done.stdout}")
    return done.stdout.decode("latin-1")


def start(runner, command, **kwargs):
    """A command of the program that waits for a line; what it logs comes with its output."""
    env = runner.env(SWHCA_LOG="error")
    process = subprocess.Popen([runner.swhca_run, PROGRAM, command], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                               encoding="utf-8", env=env, start_new_session=True, **kwargs)
    return process


def expect_line(process, wanted):
    """The next line that a process writes; lines of its log before it are returned."""
    log = ""
    for line in process.stdout:
        if line == wanted:
            return log
        log += line
    raise AssertionError(f"no {wanted!r} in:\n{log}")


def say(process):
    """Let a program that waits for a line go on."""
    process.stdin.write("\n")
    process.stdin.flush()


def program_pid(process):
    """The program below swhca-run."""
    path = f"/proc/{process.pid}/task/{process.pid}/children"
    with open(path, encoding="ascii") as file:
        return int(file.read().split()[0])


def held(runner):
    """A program that has devices open. @return (process, number of the program)."""
    process = start(runner, "hold")
    expect_line(process, "open\n")
    return process, program_pid(process)


def silent_clients_hold_up_nobody(runner):
    process, pid = held(runner)
    try:
        for _ in range(NB_TRIES):
            silent = [connect(address(pid)) for _ in range(8)]
            expect("mlx5_0 present" in ctl("list", pid, status=0), "list")
            is_open = not any(map(is_closed, silent))
            for client in silent:
                client.close()
            if is_open:
                return
        raise AssertionError("an answer only behind the end of silent clients")
    finally:
        kill_group(process)


def other_user_is_turned_away(runner):
    need_root()
    process, pid = held(runner)

    def ask(tell):
        # To be turned away it does not even have to say anything.
        for request in b"", b"remove 0":
            answer = b""
            with connect(address(pid)) as client, contextlib.suppress(ConnectionError):
                client.send(request)
                answer = client.recv(100)
            tell(repr(answer))

    try:
        child, told = in_process(ask, NOBODY)
        text = told.read()
        os.waitpid(child, 0)
        expect(text == "b''\nb''\n", text)
        expect("mlx5_0 present" in ctl("list", pid, status=0), "list")
        os.chmod(runner.tmp, 0o755)
        copy = shutil.copy(os.path.join(os.path.dirname(os.environ["SWHCA_LIB"]), "swhca-ctl"),
                           runner.tmp)
        text = ctl("remove", pid, 0, path=copy, uid=NOBODY, status=125)
        expect("hung up without an answer" in text, text)
    finally:
        kill_group(process)


def root_asks_programs_of_others(_runner):
    need_root()
    pid = squat(lambda: address(os.getpid()), socket.SOCK_STREAM, b"ok\n", NOBODY)
    try:
        expect(ctl("list", pid, status=0) == "ok\n", "list")
    finally:
        end(pid)


def squatted_address_of_control_is_told(runner):
    need_root()
    process = start(runner, "wait-hold")
    expect_line(process, "ready\n")
    pid = program_pid(process)
    squatter = squat(address(pid), socket.SOCK_STREAM, b"ok\n", NOBODY)
    try:
        say(process)
        log = expect_line(process, "open\n")
        expect(f"process {squatter} of user {NOBODY} has the address @swhca-{pid}" in log, log)
        expect("no control by swhca-ctl" in log, log)
        text = ctl("list", pid, status=125)
        expect(text == f"swhca-ctl: process {pid}: its address was taken by process {squatter} "
               f"of user {NOBODY}\n", text)
    finally:
        end(squatter)
        kill_group(process)


def answers_are_escaped(_runner):
    pid = squat(lambda: address(os.getpid()), socket.SOCK_STREAM, b"error: " + LOST + b"\n")
    try:
        text = ctl("list", pid, status=1)
        expect(text == "error: \\x1b]0;lost\\x07 \\\\ \\x9b31m \\xc3\\xa4\n", repr(text))
    finally:
        end(pid)
    text = ctl("list", "\x1b[31m", status=125)
    expect(text == "swhca-ctl: \\x1b[31m: not a process number\n", repr(text))


def silent_server_is_given_up(_runner):
    """One that does not answer, and one that was left over by a crash: a child has its socket."""
    def hold(tell):
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as server:
            server.bind(address(os.getpid()))
            server.listen(0)
            child = os.fork()
            if child != 0:
                tell(str(child))
            signal.pause()

    pid, told = in_process(hold)
    child = int(told.readline())
    try:
        expect("Connection timed out" in ctl("list", pid, status=125), "silent")
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        expect("Connection timed out" in ctl("list", pid, status=125), "left over")
    finally:
        os.kill(child, signal.SIGKILL)


def crashed_program_leaves_no_address(runner):
    process, pid = held(runner)
    os.kill(pid, signal.SIGKILL)
    process.wait()
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as server:
        server.bind(address(pid))
    expect("does not exist" in ctl("list", pid, status=125), "a crashed program")
    expect("has no devices open" in ctl("list", os.getpid(), status=125), "a program without devices")


def fork_address(pid):
    """Where a process serves its children (proc(5): net/unix)."""
    with open("/proc/net/unix", encoding="utf-8", errors="replace") as file:
        names = re.findall(rf"@(swhca-{pid}-\w+)$", file.read(), re.MULTILINE)
    expect(len(names) == 1, f"addresses of {pid}: {names}")
    return "\0" + names[0]


def child_is_served_beside_silent_clients(runner):
    process = start(runner, "child")
    expect_line(process, "ready\n")
    name = fork_address(program_pid(process))
    pids = []

    def be_silent(tell):
        clients = [connect(name, socket.SOCK_SEQPACKET) for _ in range(4)]
        tell(f"{len(clients)} are here")
        signal.pause()

    try:
        for uid in [None] + [NOBODY] * (os.geteuid() == 0):
            pid, told = in_process(be_silent, uid)
            pids.append(pid)
            expect(told.readline() == "4 are here\n", "silent clients")
        say(process)
        out, _ = process.communicate(timeout=WAIT_S)
        expect(process.returncode == 0, f"status {process.returncode}\n{out}")
    finally:
        for pid in pids:
            end(pid)
        if process.poll() is None:
            kill_group(process)


def squatted_address_of_the_parent_is_told(runner):
    need_root()
    process = start(runner, "orphan")
    expect_line(process, "ready\n")
    name = fork_address(program_pid(process))
    say(process)
    expect_line(process, "ready\n")
    squatter = squat(name, socket.SOCK_SEQPACKET, bytes(16), NOBODY)
    try:
        say(process)
        log = expect_line(process, "EIO\n")
        expect(f"process {squatter} of user {NOBODY} has the address" in log, log)
    finally:
        end(squatter)
        process.communicate(timeout=WAIT_S)


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
    out, _ = process.communicate("\n", timeout=WAIT_S)
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
                          stderr=subprocess.STDOUT, check=False, timeout=WAIT_S)
    expect(done.returncode == 1 and "no devices" in done.stdout, done)


LOOK = """
import ctypes, os
print("ready", flush=True)
input()
try:
    print(os.listdir(os.environ["SYSFS_PATH"] + "/class/infiniband_verbs"))
except PermissionError:
    print("rejected")
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
    out, log = process.communicate("\n", timeout=WAIT_S)
    expect(out == "rejected\n/dev/null/sys\n", out)
    expect(f"{folder}: is not, or not only, ours" in log, log)


def lack_of_descriptors_is_waited_out(runner):
    process = start(runner, "full")
    expect_line(process, "ready\n")
    pid = program_pid(process)
    try:
        with connect(address(pid)) as early:
            early.send(b"list")
            # Long enough that the program notices, on most machines.
            time.sleep(0.3)
            expect(not is_closed(early), "answered without a descriptor")
            say(process)
            expect(b"mlx5_0 present" in early.recv(100), "list")
        expect("mlx5_0 present" in ctl("list", pid, status=0), "list")
    finally:
        kill_group(process)


CASES = (silent_clients_hold_up_nobody, other_user_is_turned_away, root_asks_programs_of_others,
         squatted_address_of_control_is_told, answers_are_escaped, silent_server_is_given_up,
         crashed_program_leaves_no_address, child_is_served_beside_silent_clients,
         squatted_address_of_the_parent_is_told, lack_of_descriptors_is_waited_out,
         guessed_folder_is_not_used, squatted_folder_is_told,
         folder_that_becomes_another_user_s_is_told)

if __name__ == "__main__":
    PROGRAM = sys.argv[2]
    sys.exit(run_cases(Runner(sys.argv[1]), CASES))
