# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""bash completes exactly the words that the programs' --help tells of.

Usage: completion_test.py SWHCA_RUN SWHCA_CTL [DPDK_TEST_UMR]
Its output is the Test Anything Protocol; exit status 1 if a case failed.
"""

import pathlib
import re
import subprocess
import sys

from case_runner import Runner, expect, run_cases
from patience import WAIT_S

TOP = pathlib.Path(__file__).resolve().parents[4]
CTL = None
TOOL = None
ANSWER = """source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
_${1//-/_}; printf '%s\\n' "${COMPREPLY[@]}"
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


def run_options_are_those_of_help(runner):
    text = runner.run("--help").stdout
    path = "lib/swhca/tools/swhca-run.bash"
    expect(len(options_of(text)) > 20, text)
    same(offered(path, "swhca-run", "-"), options_of(text), "swhca-run")
    # "--model MODEL ... cx7, cx6dx, cx5; default cx7"
    entries = re.findall(r"(--[a-z-]+) [A-Z]+ (?:(?! --).)*?\n +([a-z0-9]+(?:, [a-z0-9]+)+); default",
                         text, re.S)
    expect({name for name, _ in entries} ==
           {"--model", "--link-layer", "--crypto", "--log", "--stale-region"}, text)
    for name, values in entries:
        same(offered(path, "swhca-run", name, ""), values.split(", "), name)
    same(offered(path, "swhca-run", "--model", "cx5", "--strict", "--log-max-u"),
         ["--log-max-uar"], "behind options")
    expect("swhca-run" not in offered(path, "swhca-run", "--devices", ""), "a value is no command")
    expect("true" in offered(path, "swhca-run", "--devices", "2", "tr"), "the command")
    expect(offered(path, "swhca-run", "true", "--mod") == [], "options of the command")


def ctl_commands_are_those_of_help(_runner):
    text = told(CTL)
    path = "lib/swhca/tools/swhca-ctl.bash"
    commands = re.findall(r"^  ([a-z-]+) PID", text, re.M)
    expect(len(commands) > 5, text)
    same(offered(path, "swhca-ctl", ""), commands, "commands")
    same(offered(path, "swhca-ctl", "-"), options_of(text), "options")
    for command in commands:
        takes_number = f"{command} PID N" in text
        expect(bool(offered(path, "swhca-ctl", command, "1", "")) == takes_number, command)


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
         tool_options_are_those_of_help)

if __name__ == "__main__":
    CTL = sys.argv[2]
    TOOL = sys.argv[3] if len(sys.argv) > 3 else None
    sys.exit(run_cases(Runner(sys.argv[1]), CASES))
