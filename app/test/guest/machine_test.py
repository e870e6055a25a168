# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""What devtools/guest.sh hands back, and what it refuses.

Usage: machine_test.py GUEST_SH
Its output is the Test Anything Protocol; exit status 1 if a case failed.
"""

import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../interop/programs"))

# pylint: disable=wrong-import-position
from guest_shell import GUEST_SH_S, MACHINE_S, reason_of  # noqa: E402
from case_runner import Skip, expect, report_cases, verdict_of  # noqa: E402

WRONG_USAGE, SKIPPED, TOO_LATE = 2, 77, 124


class Machine:
    """guest.sh, in a folder of its own."""

    def __init__(self, guest_sh, folder):
        self.guest_sh = os.path.abspath(guest_sh)
        self.folder = folder

    def run(self, *words, stdin=""):
        """What became of a call."""
        return subprocess.run([self.guest_sh, *words], cwd=self.folder, input=stdin, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=GUEST_SH_S,
                              check=False)

    def boot(self, *words, **kwargs):
        """The same, of a call that needs a machine."""
        done = self.run("--no-install", "--no-function", "--timeout", str(MACHINE_S), *words,
                        **kwargs)
        if done.returncode == SKIPPED:
            raise Skip(reason_of(done.stderr))
        return done


def output_status_and_folder_are_those_of_the_command(machine):
    script = "cat; pwd; id -u; echo wrong >&2; echo new >file; exit 7"
    done = machine.boot("--stdin", "--", "sh", "-c", script, stdin="a word\n")
    expect(done.returncode == 7, done)
    expect(done.stdout == f"a word\n{machine.folder}\n0\n" and done.stderr == "wrong\n", done)
    expect(not os.path.exists(os.path.join(machine.folder, "file")), "the guest wrote a file here")


def arguments_are_not_words_of_a_shell(machine):
    words = ["two words", "$HOME", "it's", "a\\b", "*", "", "--", "--out"]
    done = machine.boot("--", "printf", "<%s>\\n", *words)
    expect(done.stdout == "".join(f"<{word}>\n" for word in words), done)


def folders_in_memory_are_seen(machine):
    for place in ("/dev/shm", "/run"):
        if os.access(place, os.W_OK):
            with tempfile.TemporaryDirectory(dir=place) as machine.folder:
                with open(os.path.join(machine.folder, "file"), "w", encoding="ascii") as file:
                    file.write("a word\n")
                done = machine.boot("--", "sh", "-c", "cat file; pwd; echo new >file")
            expect(done.stdout == f"a word\n{machine.folder}\n" and not done.returncode, done)


def a_guest_that_takes_too_long_is_stopped(machine):
    console = os.path.join(machine.folder, "console")
    done = machine.boot("--timeout", "2", "--console", console, "--", "sleep", "60")
    expect(done.returncode == TOO_LATE and "stopped after 2 s" in done.stderr, done)
    expect(os.path.exists(console), "no console")


def wrong_options_are_refused(machine):
    for words in ([], ["--"], ["--nosuch", "--", "true"], ["--timeout", "x", "--", "true"],
                  ["--timeout", "0", "--", "true"], ["--rxe", "1", "--", "true"],
                  ["--rxe", "1:65536", "--", "true"], ["--rxe", "1:2:100", "--", "true"],
                  ["--forward", "-1", "--", "true"], ["--memory", "1", "--", "true"],
                  ["--kernel", "nonsense", "--", "true"]):
        done = machine.run(*words)
        if done.returncode == SKIPPED:
            raise Skip(reason_of(done.stderr))
        expect(done.returncode == WRONG_USAGE and done.stderr.startswith("== error: "),
               f"{words}: {done}")


def what_is_missing_is_named(machine):
    for words, what in ((["--kernel", "/nonexistent/boot/vmlinuz-1"], "cannot read the kernel"),
                        (["--kernel", "linux-image-nosuch", "--no-install"], "is not in"),
                        (["--cache", machine.folder, "--no-install"], "no kernel 6.12 in")):
        done = machine.run(*words, "--", "true")
        expect(done.returncode == SKIPPED and "== skipped: " in done.stderr, done)
        expect(what in done.stderr or "qemu" in done.stderr or "busybox" in done.stderr, done)


def a_guest_that_does_not_boot_is_a_case_that_failed(_machine):
    test = os.path.join(os.path.dirname(os.path.abspath(__file__)), "nvme_test.py")
    done = subprocess.run([sys.executable, test, "/bin/false"], stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=GUEST_SH_S,
                          check=False)
    lines = [line for line in done.stdout.splitlines() if not line.startswith("#")]
    expect(done.returncode == 1 and lines[0] == "1..2" and lines[1].startswith("not ok 1 ") and
           lines[2].startswith("ok 2 ") and " # SKIP " in lines[2], done)


CASES = [output_status_and_folder_are_those_of_the_command, arguments_are_not_words_of_a_shell,
         folders_in_memory_are_seen, a_guest_that_takes_too_long_is_stopped,
         wrong_options_are_refused, what_is_missing_is_named,
         a_guest_that_does_not_boot_is_a_case_that_failed]


def main():
    """Each case in an empty folder."""
    def run(case):
        with tempfile.TemporaryDirectory() as folder:
            return verdict_of(case, Machine(sys.argv[1], os.path.realpath(folder)))
    return report_cases(CASES, run)


if __name__ == "__main__":
    sys.exit(main())
