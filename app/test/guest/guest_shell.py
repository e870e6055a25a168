# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""A shell in a virtual machine of devtools/guest.sh that is told one command after the other."""

import os
import queue
import signal
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../interop/programs"))

# pylint: disable=wrong-import-position
from case_runner import expect  # noqa: E402

BOOT_S = 120
CASE_S = 40
END = "@@end"

# What the guest is told once. busy PORT: does somebody listen there?
PROLOGUE = """
busy() {
	cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | grep -qi ":$1 [0-9A-F]*:0000 0A "
}
"""


class GuestShell:
    """The shell, and the virtual machine around it."""

    def __init__(self, guest_sh, options, server_port):
        self.server_port = server_port
        self.shell = subprocess.Popen(  # pylint: disable=consider-using-with
            [guest_sh, "--no-install", "--stdin", *options, "--", "/bin/sh"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            start_new_session=True)
        self.errors = []
        self.lines = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()
        self.error_reader = threading.Thread(target=self.read_errors, daemon=True)
        self.error_reader.start()
        self.tell(PROLOGUE)

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
        except BrokenPipeError as error:
            raise AssertionError("the guest is gone") from error

    def start(self, command):
        """A command whose result finish() waits for."""
        self.tell(f"( {command} ) </dev/null 2>&1; printf '\\n{END} %d\\n' $?")

    def finish(self, timeout=CASE_S):
        """Status and output of what was started."""
        text, deadline = "", time.monotonic() + timeout
        while True:
            try:
                line = self.lines.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"the guest has no answer after {timeout} s\n{text}") \
                    from None
            if line is None:
                raise AssertionError(f"the guest has ended\n{text}")
            if line.startswith(END):
                return int(line.split()[1]), text
            text += line

    def run(self, command, timeout=CASE_S):
        """Output of a command that must succeed."""
        self.start(command)
        status, text = self.finish(timeout)
        expect(status == 0, f"in the guest: {command}: exit status {status}\n{text}")
        return text

    def serve(self, command):
        """A server; when this returns it can be connected to at server_port."""
        self.tell(f"timeout {CASE_S} {command} </dev/null >/tmp/server 2>&1 & server=$!")
        self.run(f"for i in $(seq 200); do busy {self.server_port:04x} && exit 0; sleep 0.1; "
                 "done; cat /tmp/server; exit 1")

    def served(self):
        """Output of the server, which must have succeeded."""
        self.tell("wait $server; status=$?")
        return self.run("cat /tmp/server; exit $status")

    def up(self):
        """Whether it is there: what it cannot be had for, or None."""
        try:
            self.run("true", BOOT_S)
        except AssertionError as error:
            self.close()
            self.error_reader.join(5)
            reason = "".join(self.errors)
            if self.shell.returncode == 77:
                return reason.strip().replace("== skipped: ", "")
            raise AssertionError(f"{error}\n{reason}") from None
        return None

    def close(self):
        """Let it end; or end it."""
        try:
            self.shell.stdin.close()
            self.shell.wait(20)
        except (OSError, subprocess.TimeoutExpired):
            os.killpg(self.shell.pid, signal.SIGTERM)
            self.shell.wait()
