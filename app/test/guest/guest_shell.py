# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""A shell in a virtual machine of devtools/guest.sh that is told one command after the other."""

import contextlib
import os
import queue
import re
import signal
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../interop/programs"))

# pylint: disable=wrong-import-position
from case_runner import Gone, SkipAll, expect  # noqa: E402
from patience import FACTOR, LONG_S, WAIT_S  # noqa: E402

# A machine, which is emulated; guest.sh ends it then. Whoever waits for guest.sh waits longer.
MACHINE_S = int(1500 * FACTOR)
GUEST_SH_S = MACHINE_S + WAIT_S
SKIPPED = 77
END = "@@end"

# What the guest is told once. busy PORT: does somebody listen there?
PROLOGUE = """
busy() {
	cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | grep -qi ":$1 [0-9A-F]*:0000 0A "
}
"""


def reason_of(errors):
    """Why guest.sh has no machine."""
    return errors.strip().replace("== skipped: ", "")


def parts_of(guest_sh, options, script):
    """What the parts of a script printed in a guest, and their exit statuses, by name.

    Each ends with a line of its name and exit status; what is behind the last is "rest".
    """
    done = subprocess.run([guest_sh, "--no-install", "--timeout", str(MACHINE_S), *options, "--",
                           "sh", "-c", script], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=GUEST_SH_S, check=False, text=True)
    if done.returncode == SKIPPED:
        raise SkipAll(reason_of(done.stderr))
    words = re.split(r"^part ([\w-]+): (\d+)\n", done.stdout, flags=re.MULTILINE)
    if len(words) == 1:
        raise Gone(f"the guest did nothing: {done}")
    parts = {name: (int(status), text)
             for text, name, status in zip(words[0::3], words[1::3], words[2::3])}
    parts["rest"] = 0, f"{words[-1]}{done.stderr}" if done.returncode else words[-1]
    return parts


def part_of(parts, name):
    """What a part printed, which has succeeded."""
    if name not in parts:
        raise Gone(f"{name} did not run: {sorted(parts)}\n{parts['rest'][1][-2000:]}")
    status, text = parts[name]
    expect(status == 0, f"{name}: exit status {status}\n{text}")
    return text


class GuestShell:
    """The shell, and the virtual machine around it."""

    def __init__(self, guest_sh, options, server_port):
        self.server_port = server_port
        self.shell = subprocess.Popen(  # pylint: disable=consider-using-with
            [guest_sh, "--no-install", "--timeout", str(MACHINE_S), "--stdin", *options, "--",
             "/bin/sh"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            start_new_session=True)
        self.errors = []
        self.lines = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()
        self.error_reader = threading.Thread(target=self.read_errors, daemon=True)
        self.error_reader.start()

    def read_errors(self):
        """What the machine and the shell complain about."""
        for line in self.shell.stderr:
            self.errors.append(line)

    def read(self):
        """Lines as they come; None at the end."""
        for line in self.shell.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def tell(self, text):
        """Give the shell something to do."""
        try:
            self.shell.stdin.write(text + "\n")
            self.shell.stdin.flush()
        # A stream that is closed raises ValueError.
        except (OSError, ValueError) as error:
            raise Gone(f"the guest is gone: {error}\n{self.complaints()}") from error

    def start(self, command):
        """A command whose result finish() waits for."""
        self.tell(f"( {command} ) </dev/null 2>&1; printf '\\n{END} %d\\n' $?")

    def complaints(self):
        """The last of what the machine and the shell complained about."""
        self.error_reader.join(1)
        return "".join(self.errors[-40:])

    def finish(self, timeout=WAIT_S):
        """Status and output of what was started."""
        text, deadline = "", time.monotonic() + timeout
        while True:
            try:
                line = self.lines.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                # What it says later would be taken for an answer to the next command.
                raise Gone(f"the guest has no answer after {timeout:g} s\n{text}") from None
            if line is None:
                raise Gone(f"the guest has ended\n{text}{self.complaints()}")
            if line.startswith(END):
                return int(line.split()[1]), text
            text += line

    def run(self, command, timeout=WAIT_S):
        """Output of a command that must succeed."""
        self.start(command)
        status, text = self.finish(timeout)
        expect(status == 0, f"in the guest: {command}: exit status {status}\n{text}")
        return text

    def serve(self, command):
        """A server; when this returns it can be connected to at server_port."""
        self.tell(f"timeout {WAIT_S:g} {command} </dev/null >/tmp/server 2>&1 & server=$!")
        self.wait_for(f"busy {self.server_port:04x}", "cat /tmp/server")

    def wait_for(self, condition, otherwise):
        """Until a condition of the shell holds; a command that tells why it does not."""
        self.run(f"for i in $(seq {int(WAIT_S * 10)}); do {condition} && exit 0; sleep 0.1; done; "
                 f"{otherwise}; exit 1", 2 * WAIT_S)

    def served(self):
        """Output of the server, which must have succeeded."""
        self.tell("wait $server; status=$?")
        return self.run("cat /tmp/server; exit $status")

    def up(self):
        """Wait until it is there: in a case, which fails if it does not boot. It may be one that
        cannot be had here."""
        try:
            self.tell(PROLOGUE)
            self.run("true", LONG_S)
        except Gone as error:
            self.close()
            if self.shell.returncode == SKIPPED:
                raise SkipAll(reason_of(self.complaints())) from None
            raise Gone(f"{error}\n{self.complaints()}") from None

    def close(self):
        """Let it end; or end it."""
        with contextlib.suppress(OSError):
            self.shell.stdin.close()
        try:
            self.shell.wait(WAIT_S)
        except subprocess.TimeoutExpired:
            os.killpg(self.shell.pid, signal.SIGTERM)
            self.shell.wait()
