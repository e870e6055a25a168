# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""bash and zsh complete exactly the words that the programs' --help tells of.

Usage: completion_test.py SWHCA_RUN SWHCA_CTL SWHCA_PCI SWHCA_SPEED [DPDK_TEST_UMR]
Its output is the Test Anything Protocol; exit status 1 if a case failed.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from case_runner import Runner, expect, need, run_cases
from patience import WAIT_S

TOP = pathlib.Path(__file__).resolve().parents[4]
SWHCA = "lib/swhca/tools/swhca.bash"
RUN = CTL = PCI = SPEED = TOOL = None
ANSWER = """source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
"$(complete -p "${1##*/}" | sed 's/.* -F \\([^ ]*\\).*/\\1/')"; printf '%s\\n' "${COMPREPLY[@]}"
"""
# What zsh's own functions get.
IN_ZSH = """words=("${(@)argv[2,-1]}"); CURRENT=$#words
compadd() { shift; print -l -- "$@" }
_files() { print FILES }
source $1
"""


def offered(path, *words):
    """What bash offers in place of the last word."""
    out = subprocess.run(["bash", "-c", ANSWER, "bash", TOP / path, *words], check=True,
                         stdout=subprocess.PIPE, text=True, timeout=WAIT_S).stdout
    return sorted(out.split())


def told(program, *words):
    """What --help says, without the text below its options."""
    return subprocess.run([program, *words, "--help"], check=True, stdout=subprocess.PIPE,
                          text=True, timeout=WAIT_S).stdout


def options_of(text):
    """Words that lines begin with: -o, --option or both."""
    heads = re.findall(r"^ {2,10}(--?[A-Za-z][a-z0-9-]*(?:, --[a-z0-9-]+)?)(?= )", text, re.M)
    return sorted({word for head in heads for word in head.split(", ")})


def same(offer, help_words, what):
    expect(offer == sorted(help_words), f"{what}: offered {offer}, told {sorted(help_words)}")


def run_options_are_those_of_help(_runner):
    text = told(RUN)
    expect(len(options_of(text)) > 20, text)
    same(offered(SWHCA, RUN, "-"), options_of(text), "swhca-run")
    # "--model MODEL ... cx7, cx6dx, cx5; default cx7"
    entries = re.findall(r"(--[a-z-]+) [A-Z]+ (?:(?! --).)*?\n +([a-z0-9]+(?:, [a-z0-9]+)+); default",
                         text, re.S)
    expect({name for name, _ in entries} ==
           {"--model", "--link-layer", "--crypto", "--log", "--stale-region"}, text)
    for program in (RUN, PCI):
        for name, values in entries:
            if name in options_of(told(program)):
                same(offered(SWHCA, program, name, ""), values.split(", "), f"{program} {name}")
    same(offered(SWHCA, RUN, "-l", ""), offered(SWHCA, RUN, "--log", ""), "the short name")
    same(offered(SWHCA, RUN, "--wire", ""), ["inproc", "udp", "eth"], "wires")
    same(offered(SWHCA, RUN, "--devices", ""), "12345678", "devices")
    same(offered(SWHCA, RUN, "--model", "cx5", "--strict", "--log-max-u"), ["--log-max-uar"],
         "behind options")
    expect("true" in offered(SWHCA, RUN, "--devices", "2", "tr"), "the command")
    expect(offered(SWHCA, RUN, "true", "--mod") == [], "options of the command")


def ctl_commands_are_those_of_help(_runner):
    text = told(CTL)
    commands = re.findall(r"^  ([a-z-]+) PID", text, re.M)
    expect(len(commands) > 5, text)
    same(offered(SWHCA, CTL, ""), commands, "commands")
    same(offered(SWHCA, CTL, "-"), options_of(text), "options")
    for command in commands:
        takes_number = f"{command} PID N" in text
        expect(bool(offered(SWHCA, CTL, command, "1", "")) == takes_number, command)
    same(offered(SWHCA, CTL, "port", "1", "0", ""), ["down", "up", "speed="], "port")
    source = (TOP / "lib/swhca/host/inject_text.c").read_text(encoding="utf-8")
    faults = re.findall(r'^\t\[SWHCA_INJECT_\w+\] = "([a-z-]+)"', source, re.M)
    expect(len(faults) > 5, source)
    same(offered(SWHCA, CTL, "fault", "1", "0", ""), faults + ["list", "off"], "fault")
    same(offered(SWHCA, CTL, "fault", "1", "0", "off", ""), faults, "fault off")
    same(offered(SWHCA, RUN, "--fault", ""), faults, "--fault")


def options_of_other_programs_are_those_of_help(_runner):
    for program in (PCI, SPEED):
        same(offered(SWHCA, program, "-"), options_of(told(program)), program)
    same(offered(SWHCA, SPEED, "--rounds", "1", "--format", ""), ["csv", "json", "table"], "--format")
    expect("/usr" in offered(SWHCA, PCI, "--socket", "/us"), "a socket is a file")


def zsh_completes_what_bash_does(_runner):
    zsh = need("zsh")
    with tempfile.TemporaryDirectory() as folder:
        share = pathlib.Path(folder)
        completions = share / "bash-completion/completions"
        functions = share / "zsh/site-functions"
        completions.mkdir(parents=True)
        functions.mkdir(parents=True)
        shutil.copy(TOP / "lib/swhca/tools/swhca.zsh", functions / "_swhca")
        for words in ((RUN, "--model", ""), (CTL, "por"), (PCI, "-"), (SPEED, "--format", "")):
            shutil.copy(TOP / SWHCA, completions / pathlib.Path(words[0]).name)
            out = subprocess.run([zsh, "-f", "-c", IN_ZSH, "zsh", functions / "_swhca", *words],
                                 check=True, stdout=subprocess.PIPE, text=True, timeout=WAIT_S).stdout
            same(sorted(out.split()), offered(SWHCA, *words), f"zsh {words}")


def bench_layouts():
    """Those that it names when it is asked for one that there is not."""
    done = subprocess.run([TOOL, "--no-huge", "--no-shconf", "--no-pci", "--no-telemetry", "--",
                           "bench", "--layout", "nosuch"], check=False, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, timeout=WAIT_S)
    names = re.search(r"'nosuch' is not (.*)$", done.stderr, re.M)
    expect(done.returncode == 2 and names is not None, done.stderr)
    return re.split(", | or ", names[1])


def tool_options_are_those_of_help(_runner):
    if TOOL is None:
        return
    path = "app/test-umr/dpdk-test-umr.bash"
    name = "dpdk-test-umr"
    commands = re.findall(r"^  ([a-z]+) ", told(TOOL), re.M)
    expect(len(commands) > 5, told(TOOL))
    same(offered(path, name, ""), commands + ["--"], "commands")
    for command in commands:
        text = told(TOOL, "--", command)
        same(offered(path, name, "-l", "0", "--", command, "-"), options_of(text) +
             ([] if "--help" in options_of(text) else ["--help"]), command)
        if command == "serve":
            continue  # it has no results
        expect(offered(path, name, "--", command, "--format", "") == ["csv", "json", "table"] and
               "table (default), json or csv" in text, f"{command} --format")
    config = str(TOP / "app/test-umr/cases.ini")
    same(offered(path, name, "--", "--config", config, "--case", ""),
         re.findall(r"^\[(.*)\]", pathlib.Path(config).read_text(), re.M), "cases")
    same(offered(path, name, "--", "bench", "--layout", ""), bench_layouts(), "layouts of bench")
    for words in ((), (config,)):
        same(offered(path, name, "--", "bench", "--compare", *words, config[:-1]), [config], words)
    layouts = told(TOOL, "--", "verify").split("Layouts:\n")[1].split("\n\n")[0]
    same(offered(path, name, "--", "verify", "--layout", ""),
         re.findall(r"^  ([a-z]+) ", layouts, re.M) + ["all"], "layouts")
    faults = told(TOOL, "--", "soak").split("Classes of faults:\n")[1].split("\n\n")[0]
    same(offered(path, name, "--", "soak", "--faults", ""),
         re.findall(r"^  ([a-z-]+) ", faults, re.M) + ["all", "none"], "faults")


CASES = (run_options_are_those_of_help, ctl_commands_are_those_of_help,
         options_of_other_programs_are_those_of_help, tool_options_are_those_of_help,
         zsh_completes_what_bash_does)

if __name__ == "__main__":
    RUN, CTL, PCI, SPEED = sys.argv[1:5]
    TOOL = sys.argv[5] if len(sys.argv) > 5 else None
    sys.exit(run_cases(Runner(RUN), CASES))
